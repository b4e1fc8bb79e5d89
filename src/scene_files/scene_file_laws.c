/* What solids are made of, in scene files: the model of a material with its fibres, the elements of a body, and regions
 * of a body with materials of their own. */
#include "scene_file_parts.h"

#include <math.h>
#include <string.h>

/* ---- materials --------------------------------------------------------------------------------------------------- */

static void read_activation_key(struct scene_reader *reader, located *value, dent_sim_activation_key *key,
                                const dent_sim_activation_key *before)
{
    static const char *const keys[] = {"time", "value", NULL};
    if (!reader_object(reader, value, "a key of an activation", keys)) {
        return;
    }
    located *time = reader_need(reader, value, "time", "a key of an activation");
    key->time = reader_quantity(reader, time, QUANTITY_TIME, 0);
    key->value = reader_bounded(reader, reader_need(reader, value, "value", "a key of an activation"), QUANTITY_RATIO,
                                0, 0, 1, "from 0 to 1");
    if (before && reader_good(reader) && !(key->time > before->time)) {
        reader_wrong(reader, time, "\"time\": ascending times were expected; %.9g comes after %.9g", key->time,
                     before->time);
    }
}

/* A number, or keys over time. */
static void read_activation(struct scene_reader *reader, located *value, dent_sim_material *material)
{
    bool list = value && json_is_array(value->json);
    size_t count = !value ? 0 : list ? json_array_size(value->json) : 1;
    dent_sim_activation_key *keys = plan_allocate(reader->plan, count, sizeof *keys);
    if (!value || !keys) {
        return;
    }
    if (list) {
        uint32_t n = 0;
        for (located *item = reader_first(reader, value); item != NULL; item = reader_next(reader, item), n++) {
            read_activation_key(reader, item, &keys[n], n > 0 ? &keys[n - 1] : NULL);
        }
    } else {
        keys[0].value = reader_bounded(reader, value, QUANTITY_RATIO, 0, 0, 1, "from 0 to 1");
    }
    material->activation = keys;
    material->activation_count = (uint32_t)count;
}

static void read_fibres(struct scene_reader *reader, located *value, dent_sim_material *material)
{
    static const char *const keys[] = {"stiffness", "strength", "direction", "activation", NULL};
    if (!value || !reader_object(reader, value, "\"fibres\"", keys)) {
        return;
    }
    material->fibre_stiffness = reader_bounded(reader, reader_member(reader, value, "stiffness"), QUANTITY_PRESSURE, 0,
                                               0, HUGE_VAL, "of at least 0");
    material->fibre_strength = reader_bounded(reader, reader_member(reader, value, "strength"), QUANTITY_PRESSURE, 0, 0,
                                              HUGE_VAL, "of at least 0");
    read_direction(reader, reader_member(reader, value, "direction"), material->fibre_direction);
    read_activation(reader, reader_member(reader, value, "activation"), material);
}

void read_law(struct scene_reader *reader, located *value, dent_sim_material *material)
{
    const char *models[8] = {NULL};
    for (int n = 0; n < 7 && dent_sim_model_name((dent_sim_model)n); n++) {
        models[n] = dent_sim_model_name((dent_sim_model)n);
    }
    int model = reader_choice(reader, reader_member(reader, value, "model"), models);
    material->model = model >= 0 ? (dent_sim_model)model : material->model;
    material->viscosity = reader_bounded(reader, reader_member(reader, value, "viscosity"), QUANTITY_VISCOSITY, 0, 0,
                                         HUGE_VAL, "of at least 0");
    material->bulk_viscosity = reader_bounded(reader, reader_member(reader, value, "bulk_viscosity"),
                                              QUANTITY_VISCOSITY, 0, 0, HUGE_VAL, "of at least 0");
    located *yield = reader_member(reader, value, "yield_stress"),
            *hardening = reader_member(reader, value, "hardening");
    if (material->model == DENT_SIM_PLASTIC) {
        yield = reader_need(reader, value, "yield_stress", "a material of model \"plastic\"");
    } else if (yield || hardening) {
        reader_wrong_key(reader, yield ? yield : hardening, "only a material of \"model\": \"plastic\" yields");
    }
    material->yield_stress = reader_positive(reader, yield, QUANTITY_PRESSURE, material->yield_stress);
    material->hardening = reader_bounded(reader, hardening, QUANTITY_PRESSURE, 0, 0, HUGE_VAL, "of at least 0");
    read_fibres(reader, reader_member(reader, value, "fibres"), material);
}

/* ---- elements ---------------------------------------------------------------------------------------------------- */

void read_elements(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    static const char *const words[] = {"linear", "quadratic", "hexahedra", NULL};
    located *value = reader_member(reader, object, "elements");
    int choice = reader_choice(reader, value, words);
    if (value && reader_good(reader) && body->kind != DENT_SIM_SOLID) {
        reader_wrong_key(reader, value, "only bodies of kind \"solid\" have \"elements\"");
    }
    body->elements = choice >= 0 ? (dent_sim_elements)choice : body->elements;
    if (body->elements != DENT_SIM_HEXAHEDRA) {
        return;
    }
    located *generate = reader_member(reader, object, "generate");
    located *shape = generate && json_is_object(generate->json) ? reader_member(reader, generate, "shape") : NULL;
    bool box = shape && json_is_string(shape->json) && strcmp(json_string_value(shape->json), "box") == 0;
    if (reader_good(reader) && !box && !reader_member(reader, object, "mesh")) {
        reader_wrong(reader, value, "\"hexahedra\" needs a box (\"generate\"), or a \"mesh\" of hexahedra");
    }
    if (reader_good(reader) && reader_member(reader, object, "surface")) {
        reader_wrong_key(reader, reader_member(reader, object, "surface"), "\"surface\" does not go with hexahedra");
    }
}

void make_box_hexahedra(struct sim_plan *plan, const uint32_t cells[3], dent_sim_body_def *body)
{
    size_t count = (size_t)cells[0] * cells[1] * cells[2], row = cells[0] + 1, layer = row * (cells[1] + 1);
    uint32_t *corners = plan_allocate(plan, 8 * count, sizeof *corners);
    for (size_t c = 0; corners && c < count; c++) {
        size_t first = c % cells[0] + row * (c / cells[0] % cells[1]) + layer * (c / cells[0] / cells[1]);
        const size_t around[8] = {first,         first + 1,         first + row + 1,         first + row,
                                  first + layer, first + layer + 1, first + layer + row + 1, first + layer + row};
        for (int k = 0; k < 8; k++) {
            corners[8 * c + (size_t)k] = (uint32_t)around[k];
        }
    }
    if (corners) {
        body->element_corners = corners;
        body->element_count = (uint32_t)count;
    }
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

/* What each element of a body is made of; made when the first region needs it. */
struct cell_tables {
    uint32_t *materials;
    double *fibres;
};

static uint32_t *need_materials(struct scene_reader *reader, dent_sim_body_def *body, struct cell_tables *tables)
{
    if (!tables->materials) {
        tables->materials = plan_allocate(reader->plan, body->element_count, sizeof *tables->materials);
        for (uint32_t e = 0; tables->materials && e < body->element_count; e++) {
            tables->materials[e] = body->material;
        }
        body->element_materials = tables->materials;
    }
    return tables->materials;
}

static double *need_fibres(struct scene_reader *reader, dent_sim_body_def *body, struct cell_tables *tables)
{
    if (!tables->fibres) {
        tables->fibres = plan_allocate(reader->plan, body->element_count, 3 * sizeof *tables->fibres);
        for (uint32_t e = 0; tables->fibres && e < body->element_count; e++) {
            uint32_t material = tables->materials ? tables->materials[e] : body->material;
            memcpy(tables->fibres + 3 * (size_t)e, reader->plan->materials[material].fibre_direction,
                   3 * sizeof *tables->fibres);
        }
        body->fibre_directions = tables->fibres;
    }
    return tables->fibres;
}

static void read_one_region(struct scene_reader *reader, located *value, dent_sim_body_def *body,
                            struct cell_tables *tables)
{
    static const char *const keys[] = {"cells", "material", "fibre_direction", NULL};
    if (!reader_object(reader, value, "a region", keys)) {
        return;
    }
    located *cells = reader_need(reader, value, "cells", "a region"),
            *fibre = reader_member(reader, value, "fibre_direction");
    located *material = reader_member(reader, value, "material");
    double direction[3] = {0, 0, 0};
    if (reader_good(reader) && !material && !fibre) {
        reader_wrong(reader, value, "a region needs \"material\" or \"fibre_direction\"");
    }
    uint32_t number = find_material(reader, material);
    read_direction(reader, fibre, direction);
    uint8_t *chosen = plan_allocate(reader->plan, body->element_count, 1);
    if (!reader_good(reader) || !chosen || !read_cell_selection(reader, cells, body, chosen)) {
        return;
    }
    uint32_t *materials = material ? need_materials(reader, body, tables) : NULL;
    double *fibres = fibre ? need_fibres(reader, body, tables) : NULL;
    for (uint32_t e = 0; reader_good(reader) && e < body->element_count; e++) {
        if (chosen[e] && materials) {
            materials[e] = number;
        }
        if (chosen[e] && fibres) {
            memcpy(fibres + 3 * (size_t)e, direction, sizeof direction);
        }
    }
}

void read_regions(struct scene_reader *reader, located *value, dent_sim_body_def *body)
{
    struct cell_tables tables = {0};
    if (!value || !reader_good(reader)) {
        return;
    }
    if (body->kind != DENT_SIM_SOLID) {
        reader_wrong_key(reader, value, "only bodies of kind \"solid\" have regions");
        return;
    }
    if (!reader_array(reader, value, "regions") ||
        !reader_charge(reader, value, 32.0 * body->element_count * (1 + (double)json_array_size(value->json)))) {
        return;
    }
    for (located *item = reader_first(reader, value); item != NULL; item = reader_next(reader, item)) {
        read_one_region(reader, item, body, &tables);
    }
}
