/* From the def to what a substep computes with: loads become forces on vertices or oriented faces, supports become held
 * directions of vertices, places on rigid bodies become arms. */
#include "load_model.h"

#include "base/containers/heap_sort.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- defaults ---------------------------------------------------------------------------------------------------- */

const char *dent_sim_load_kind_name(dent_sim_load_kind kind)
{
    static const char *const names[] = {NULL, "force", "traction", "pressure", "follower", "torque"};
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

dent_sim_load_def dent_sim_load_def_default(dent_sim_load_kind kind)
{
    return (dent_sim_load_def){.struct_size = sizeof(dent_sim_load_def), .kind = kind};
}

dent_sim_support dent_sim_support_default(void)
{
    return (dent_sim_support){.struct_size = sizeof(dent_sim_support),
                              .axes = DENT_SIM_HOLD_X | DENT_SIM_HOLD_Y | DENT_SIM_HOLD_Z};
}

dent_sim_point dent_sim_point_default(void)
{
    return (dent_sim_point){
        .body = UINT32_MAX, .vertices = {UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}, .weights = {1, 0, 0, 0}};
}

dent_sim_spring dent_sim_spring_default(void)
{
    return (dent_sim_spring){.struct_size = sizeof(dent_sim_spring),
                             .a = dent_sim_point_default(),
                             .b = dent_sim_point_default(),
                             .length = -1};
}

dent_sim_probe dent_sim_probe_default(dent_sim_probe_kind kind)
{
    return (dent_sim_probe){.struct_size = sizeof(dent_sim_probe), .kind = kind};
}

/* ---- copies ------------------------------------------------------------------------------------------------------ */

static void copy_name(char name[SIM_NAME_SIZE], const char *given, const char *what, uint32_t number)
{
    if (given && given[0]) {
        snprintf(name, SIM_NAME_SIZE, "%s", given);
    } else {
        snprintf(name, SIM_NAME_SIZE, "%s %u", what, number);
    }
}

static bool copy_course(struct sim_model *model, const dent_sim_course *from, struct load_course *course)
{
    course->count = from->count;
    course->rows = sim_allocate(model, from->count, sizeof *course->rows);
    if (course->rows && from->count > 0) {
        memcpy(course->rows, from->rows, from->count * sizeof *course->rows);
    }
    return course->rows != NULL;
}

/* Numbers within a body become those of the global array; none: all of the body. */
static uint32_t *copy_vertices(struct sim_model *model, uint32_t body, const uint32_t *vertices, uint32_t *count)
{
    const struct sim_body *owner = &model->bodies[body];
    bool all = *count == 0;
    *count = all ? owner->vertex_count : *count;
    uint32_t *copy = sim_allocate(model, *count, sizeof *copy);
    for (uint32_t n = 0; copy && n < *count; n++) {
        copy[n] = owner->first_vertex + (all ? n : vertices[n]);
    }
    return copy;
}

/* ---- faces ------------------------------------------------------------------------------------------------------- */

struct face_key {
    uint32_t corners[3]; /* ascending */
    uint32_t number;     /* of the surface face */
};

static struct face_key key_of(const uint32_t *corners, uint32_t number)
{
    uint32_t a = corners[0], b = corners[1], c = corners[2], swap;
    if (a > b) {
        swap = a, a = b, b = swap;
    }
    if (b > c) {
        swap = b, b = c, c = swap;
    }
    if (a > b) {
        swap = a, a = b, b = swap;
    }
    return (struct face_key){{a, b, c}, number};
}

static int compare_keys(const struct face_key *a, const struct face_key *b)
{
    for (int k = 0; k < 3; k++) {
        if (a->corners[k] != b->corners[k]) {
            return a->corners[k] < b->corners[k] ? -1 : 1;
        }
    }
    return 0;
}

static bool key_before(const void *first, const void *second, const void *data)
{
    (void)data;
    const struct face_key *a = first, *b = second;
    int order = compare_keys(a, b);
    return order != 0 ? order < 0 : a->number < b->number;
}

static uint32_t find_face(const struct face_key *keys, uint32_t count, struct face_key wanted)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_keys(&keys[middle], &wanted) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < count && compare_keys(&keys[low], &wanted) == 0 ? keys[low].number : SIM_NONE;
}

/* Marks a face; of quadratic cells the four into which it is divided. Returns false if it is none of the surface. */
static bool mark_face(const struct sim_body *body, const struct face_key *keys, uint32_t count, const uint32_t *corners,
                      uint8_t *marks)
{
    uint32_t faces[4][3], parts = body->cells.middle_count > 0 ? 4 : 1;
    memcpy(faces[0], corners, sizeof faces[0]);
    if (parts == 4) {
        for (int k = 0; k < 3; k++) {
            faces[3][k] = sim_middle_between(body, corners[k], corners[(k + 1) % 3]);
        }
        for (int k = 0; k < 3; k++) { /* a corner and the middles of its two edges */
            const uint32_t part[3] = {corners[k], faces[3][k], faces[3][(k + 2) % 3]};
            memcpy(faces[k], part, sizeof part);
        }
    }
    for (uint32_t n = 0; n < parts; n++) {
        uint32_t face = find_face(keys, count, key_of(faces[n], 0));
        if (face == SIM_NONE) {
            return false;
        }
        marks[face] = 1;
    }
    return true;
}

/* Marks surface faces by listed triples. */
static dent_status mark_listed(const struct sim_model *model, const dent_sim_load_def *load, uint32_t number,
                               const dent_surface_face *surface, uint32_t count, uint8_t *marks)
{
    struct face_key *keys = dent_allocate(model->context, count, sizeof *keys);
    if (!keys) {
        return sim_no_memory(model->context);
    }
    for (uint32_t f = 0; f < count; f++) {
        keys[f] = key_of(surface[f].corners, f);
    }
    heap_sort(keys, count, sizeof *keys, key_before, NULL);
    dent_status status = DENT_OK;
    for (uint32_t n = 0; n < load->face_count && status == DENT_OK; n++) {
        const uint32_t *corners = load->faces + 3 * (size_t)n;
        if (!mark_face(&model->bodies[load->body], keys, count, corners, marks)) {
            status = dent_fail(model->context, DENT_ERROR_BAD_MESH, "load %u: %u %u %u is no face of the surface of %s",
                               number, corners[0], corners[1], corners[2], model->bodies[load->body].name);
        }
    }
    dent_release(model->context, keys, count, sizeof *keys);
    return status;
}

/* Marks surface faces whose corners are all among the vertices; all without vertices. */
static dent_status mark_by_vertices(const struct sim_model *model, const dent_sim_load_def *load,
                                    const dent_surface_face *surface, uint32_t count, uint8_t *marks)
{
    uint32_t vertex_count = model->bodies[load->body].vertex_count;
    uint8_t *chosen = dent_allocate(model->context, vertex_count, 1);
    if (!chosen) {
        return sim_no_memory(model->context);
    }
    if (load->vertex_count > 0) {
        sim_mark_vertices(&model->bodies[load->body], load->vertices, load->vertex_count, chosen);
    } else {
        memset(chosen, 1, vertex_count);
    }
    for (uint32_t f = 0; f < count; f++) {
        const uint32_t *corners = surface[f].corners;
        marks[f] = chosen[corners[0]] && chosen[corners[1]] && chosen[corners[2]];
    }
    dent_release(model->context, chosen, vertex_count, 1);
    return DENT_OK;
}

/* The faces of a load, with their outer side up: a list of the model's. */
static dent_status choose_faces(struct sim_model *model, const dent_sim_load_def *load, uint32_t number,
                                const dent_world *world, struct sim_load *made)
{
    const struct sim_body *body = &model->bodies[load->body];
    uint32_t count;
    const dent_surface_face *surface = dent_body_surface_faces(world, body->id, &count);
    uint8_t *marks = dent_allocate(model->context, count, 1);
    if (!marks) {
        return sim_no_memory(model->context);
    }
    memset(marks, 0, count);
    dent_status status = load->face_count > 0 ? mark_listed(model, load, number, surface, count, marks)
                                              : mark_by_vertices(model, load, surface, count, marks);
    for (uint32_t f = 0; f < count; f++) {
        made->face_count += marks[f];
    }
    if (status == DENT_OK && made->face_count == 0) {
        status = dent_fail(model->context, DENT_ERROR_INVALID_ARGUMENT,
                           "load %u: no face of the surface of %s has all its corners among the vertices", number,
                           body->name);
    }
    made->faces = status == DENT_OK ? sim_allocate(model, 3 * (size_t)made->face_count, sizeof *made->faces) : NULL;
    made->face_elements = made->faces ? sim_allocate(model, made->face_count, sizeof *made->face_elements) : NULL;
    uint32_t kept = 0;
    for (uint32_t f = 0; f < count && made->face_elements; f++) {
        if (marks[f]) {
            made->face_elements[kept / 3] = surface[f].cell;
        }
        for (uint32_t k = 0; k < 3 && marks[f]; k++) {
            uint32_t corner = body->mirrored ? 2 - k : k;
            made->faces[kept++] = body->first_vertex + surface[f].corners[corner];
        }
    }
    dent_release(model->context, marks, count, 1);
    return status != DENT_OK ? status : made->face_elements ? DENT_OK : sim_no_memory(model->context);
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static const double *start_of(const struct sim_model *model, uint32_t vertex)
{
    const struct sim_body *body = &model->bodies[model->vertex_bodies[vertex]];
    return body->start + 3 * (size_t)(vertex - body->first_vertex);
}

/* Corners of a hexahedron by their places along its three directions. */
static const uint8_t hexahedron_places[8] = {0, 1, 3, 2, 4, 5, 7, 6};

static uint8_t place_in_cell(const uint32_t *cell, uint32_t vertex)
{
    uint32_t k = 0;
    while (k < 7 && cell[k] != vertex) {
        k++;
    }
    return hexahedron_places[k];
}

/* Shares of the corners of a face in its force: consistent ones, so that a bar under traction is in uniform strain.
 * Linear: thirds. Halves of a side of a hexahedron: each corner of the side gets a quarter of both. Parts of a face of a
 * quadratic cell: each middle of the whole face gets a third of it, corners nothing. */
static void corner_shares(const struct sim_body *body, const uint32_t *corners, uint32_t element, double shares[3])
{
    uint32_t middles = 0, first = body->first_vertex + body->vertex_count - body->cells.middle_count;
    for (int k = 0; k < 3; k++) {
        middles += corners[k] >= first;
    }
    for (int k = 0; k < 3; k++) {
        shares[k] = middles == 0 ? 1.0 / 3 : corners[k] >= first ? 1.0 / middles : 0;
    }
    if (body->cells.corner_count == 8) {
        const uint32_t *cell = body->cells.corners + 8 * (size_t)body->cells.element_cells[element];
        for (int k = 0; k < 3; k++) {
            uint8_t a = place_in_cell(cell, corners[(k + 1) % 3] - body->first_vertex),
                    b = place_in_cell(cell, corners[(k + 2) % 3] - body->first_vertex), off = a ^ b;
            bool diagonal = (off & (off - 1)) != 0; /* more than one direction apart */
            shares[k] = diagonal ? 0.5 : 0.25;
        }
    }
}

/* Forces of traction or pressure on the faces as they are at the start. */
static void forces_on_faces(const struct sim_model *model, const dent_sim_load_def *load, struct sim_load *made,
                            const uint32_t *slots)
{
    const struct sim_body *body = &model->bodies[load->body];
    uint32_t first = body->first_vertex;
    for (uint32_t f = 0; f < made->face_count; f++) {
        const uint32_t *corners = made->faces + 3 * (size_t)f;
        double e1[3], e2[3], normal[3];
        sim_subtract(start_of(model, corners[1]), start_of(model, corners[0]), e1);
        sim_subtract(start_of(model, corners[2]), start_of(model, corners[0]), e2);
        sim_cross(e1, e2, normal); /* twice the area */
        double area = 0.5 * sqrt(sim_dot(normal, normal)), shares[3];
        corner_shares(body, corners, made->face_elements[f], shares);
        for (int k = 0; k < 3; k++) {
            double *force = made->forces + 3 * (size_t)slots[corners[k] - first];
            if (load->kind == DENT_SIM_LOAD_TRACTION) {
                sim_add_scaled(force, shares[k] * area, load->vector);
            } else {
                sim_add_scaled(force, -0.5 * load->pressure * shares[k], normal);
            }
        }
    }
}

static dent_status gather_face_forces(struct sim_model *model, const dent_sim_load_def *load, struct sim_load *made)
{
    const struct sim_body *body = &model->bodies[load->body];
    uint32_t *slots = dent_allocate(model->context, body->vertex_count, sizeof *slots);
    if (!slots) {
        return sim_no_memory(model->context);
    }
    memset(slots, 0, body->vertex_count * sizeof *slots);
    for (uint32_t n = 0; n < 3 * made->face_count; n++) {
        slots[made->faces[n] - body->first_vertex] = 1;
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        made->vertex_count += slots[v];
    }
    made->vertices = sim_allocate(model, made->vertex_count, sizeof *made->vertices);
    made->forces = sim_allocate(model, 3 * (size_t)made->vertex_count, sizeof *made->forces);
    bool ready = made->vertices && made->forces;
    uint32_t count = 0;
    for (uint32_t v = 0; v < body->vertex_count && ready; v++) {
        if (slots[v]) {
            made->vertices[count] = body->first_vertex + v;
            slots[v] = count++;
        }
    }
    if (ready) {
        forces_on_faces(model, load, made, slots);
        made->face_count = 0; /* their shape matters no more */
    }
    dent_release(model->context, slots, body->vertex_count, sizeof *slots);
    return ready ? DENT_OK : sim_no_memory(model->context);
}

static dent_status share_force(struct sim_model *model, const dent_sim_load_def *load, struct sim_load *made)
{
    const struct sim_body *body = &model->bodies[load->body];
    if (load->vertex_count == 0 && body->kind == DENT_SIM_RIGID) {
        memcpy(made->whole, load->vector, sizeof load->vector);
        return DENT_OK;
    }
    made->vertex_count = load->vertex_count;
    made->vertices = copy_vertices(model, load->body, load->vertices, &made->vertex_count);
    made->forces = sim_allocate(model, 3 * (size_t)made->vertex_count, sizeof *made->forces);
    for (uint32_t n = 0; made->vertices && made->forces && n < made->vertex_count; n++) {
        double share =
            load->vertex_count > 0 ? 1.0 / load->vertex_count : model->masses[made->vertices[n]] / body->mass;
        sim_add_scaled(made->forces + 3 * (size_t)n, share, load->vector);
    }
    return made->vertices && made->forces ? DENT_OK : sim_no_memory(model->context);
}

static dent_status build_load(struct sim_model *model, const dent_sim_load_def *load, uint32_t number,
                              const dent_world *world)
{
    struct sim_load *made = &model->loads->loads[number];
    made->kind = load->kind;
    made->body = load->body;
    made->rigid = SIM_NONE;
    made->pressure = load->pressure;
    if (!copy_course(model, &load->course, &made->course)) {
        return sim_no_memory(model->context);
    }
    if (load->kind == DENT_SIM_LOAD_FORCE) {
        return share_force(model, load, made);
    }
    if (load->kind == DENT_SIM_LOAD_TORQUE) {
        memcpy(made->whole + 3, load->vector, sizeof load->vector);
        return DENT_OK;
    }
    dent_status status = choose_faces(model, load, number, world, made);
    model->loads->has_followers = model->loads->has_followers || load->kind == DENT_SIM_LOAD_FOLLOWER;
    return status == DENT_OK && load->kind != DENT_SIM_LOAD_FOLLOWER ? gather_face_forces(model, load, made) : status;
}

/* ---- supports ---------------------------------------------------------------------------------------------------- */

/* Adds a direction to what is held; nothing where it is held already. */
static void hold_direction(struct sim_hold *hold, uint32_t support, const double direction[3])
{
    double rest[3] = {direction[0], direction[1], direction[2]}, mix[3] = {0, 0, 0};
    for (uint32_t k = 0; k < hold->count; k++) {
        double along = sim_dot(hold->axes[k], direction);
        sim_add_scaled(rest, -along, hold->axes[k]);
        sim_add_scaled(mix, -along, hold->mix[k]);
    }
    double length = sqrt(sim_dot(rest, rest));
    if (hold->count == 3 || !(length > 1e-6)) {
        return;
    }
    uint32_t n = hold->count++;
    mix[n] = 1;
    hold->supports[n] = support;
    memcpy(hold->directions[n], direction, 3 * sizeof *direction);
    for (int k = 0; k < 3; k++) {
        hold->axes[n][k] = rest[k] / length;
        hold->mix[n][k] = mix[k] / length;
    }
}

static void hold_vertex(struct sim_hold *hold, const dent_sim_support *support, uint32_t number)
{
    double length = sqrt(sim_dot(support->direction, support->direction));
    for (uint32_t axis = 0; axis < 3 && support->axes > 0; axis++) {
        const double unit[3] = {axis == 0, axis == 1, axis == 2};
        if (support->axes & 1u << axis) {
            hold_direction(hold, number, unit);
        }
    }
    if (support->axes == 0) {
        const double unit[3] = {support->direction[0] / length, support->direction[1] / length,
                                support->direction[2] / length};
        hold_direction(hold, number, unit);
    }
}

static dent_status list_held(struct sim_model *model, const dent_sim_support *support, struct sim_support *made)
{
    const struct sim_body *body = &model->bodies[support->body];
    uint8_t *marks = dent_allocate(model->context, body->vertex_count, 1);
    if (!marks) {
        return sim_no_memory(model->context);
    }
    sim_mark_vertices(body, support->vertices, support->vertex_count, marks);
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        made->vertex_count += marks[v];
    }
    made->vertices = sim_allocate(model, made->vertex_count, sizeof *made->vertices);
    uint32_t count = 0;
    for (uint32_t v = 0; v < body->vertex_count && made->vertices; v++) {
        if (marks[v]) {
            made->vertices[count++] = body->first_vertex + v;
        }
    }
    dent_release(model->context, marks, body->vertex_count, 1);
    return made->vertices ? DENT_OK : sim_no_memory(model->context);
}

/* Numbers of the holds by vertex, ascending. */
static dent_status number_holds(struct sim_model *model, const dent_sim_def *def)
{
    struct sim_loads *loads = model->loads;
    loads->vertex_holds = sim_allocate(model, model->vertex_count, sizeof *loads->vertex_holds);
    if (!loads->vertex_holds) {
        return sim_no_memory(model->context);
    }
    for (uint32_t s = 0; s < def->support_count; s++) {
        for (uint32_t n = 0; n < loads->supports[s].vertex_count; n++) {
            uint32_t v = loads->supports[s].vertices[n];
            loads->vertex_holds[v] = model->inverse_masses[v] > 0; /* fixed vertices follow their motion */
        }
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        loads->vertex_holds[v] = loads->vertex_holds[v] ? loads->hold_count++ : SIM_NONE;
    }
    loads->holds = sim_allocate(model, loads->hold_count, sizeof *loads->holds);
    for (uint32_t v = 0; loads->holds && v < model->vertex_count; v++) {
        if (loads->vertex_holds[v] != SIM_NONE) {
            loads->holds[loads->vertex_holds[v]].vertex = v;
        }
    }
    return loads->holds ? DENT_OK : sim_no_memory(model->context);
}

static dent_status build_supports(struct sim_model *model, const dent_sim_def *def)
{
    struct sim_loads *loads = model->loads;
    if (def->support_count == 0) {
        return DENT_OK;
    }
    dent_status status = DENT_OK;
    for (uint32_t s = 0; s < def->support_count && status == DENT_OK; s++) {
        status = list_held(model, &def->supports[s], &loads->supports[s]);
    }
    status = status == DENT_OK ? number_holds(model, def) : status;
    for (uint32_t s = 0; s < def->support_count && status == DENT_OK; s++) {
        const dent_sim_support *support = &def->supports[s];
        struct sim_support *made = &loads->supports[s];
        copy_name(made->name, support->name, "support", s);
        made->body = support->body;
        memcpy(made->displacement, support->displacement, sizeof made->displacement);
        for (uint32_t n = 0; n < made->vertex_count; n++) {
            uint32_t v = made->vertices[n];
            if (loads->vertex_holds[v] != SIM_NONE) {
                hold_vertex(&loads->holds[loads->vertex_holds[v]], support, s);
            }
        }
        status = copy_course(model, &support->course, &made->course) ? DENT_OK : sim_no_memory(model->context);
    }
    for (uint32_t n = 0; n < loads->hold_count && status == DENT_OK; n++) {
        if (loads->holds[n].count == 3) {
            model->inverse_masses[loads->holds[n].vertex] = 0;
        }
    }
    return status;
}

/* ---- springs and probes ------------------------------------------------------------------------------------------ */

static void build_end(const struct sim_model *model, const dent_sim_point *point, struct spring_end *end)
{
    *end = (struct spring_end){.body = point->body == UINT32_MAX ? SIM_NONE : point->body};
    memcpy(end->place, point->place, sizeof end->place);
    for (int k = 0; k < 4; k++) {
        bool used = end->body != SIM_NONE && point->vertices[k] != UINT32_MAX;
        end->vertices[k] = used ? model->bodies[end->body].first_vertex + point->vertices[k] : SIM_NONE;
        end->weights[k] = used ? point->weights[k] : 0;
    }
}

static void end_at_start(const struct sim_model *model, const struct spring_end *end, double place[3])
{
    bool carried = false;
    place[0] = place[1] = place[2] = 0;
    for (int k = 0; k < 4; k++) {
        if (end->vertices[k] != SIM_NONE) {
            sim_add_scaled(place, end->weights[k], start_of(model, end->vertices[k]));
            carried = true;
        }
    }
    if (!carried) {
        memcpy(place, end->place, sizeof end->place);
    }
}

static void build_spring(struct sim_model *model, const dent_sim_spring *spring, uint32_t number)
{
    struct load_spring *made = &model->loads->springs[number];
    double a[3], b[3], apart[3];
    copy_name(made->name, spring->name, "spring", number);
    build_end(model, &spring->a, &made->a);
    build_end(model, &spring->b, &made->b);
    end_at_start(model, &made->a, a);
    end_at_start(model, &made->b, b);
    sim_subtract(a, b, apart);
    made->stiffness = spring->stiffness;
    made->damping = spring->damping;
    made->length = spring->length >= 0 ? spring->length : sqrt(sim_dot(apart, apart));
}

static dent_status build_probe(struct sim_model *model, const dent_sim_probe *probe, uint32_t number)
{
    struct sim_probe *made = &model->loads->probes[number];
    copy_name(made->name, probe->name, "probe", number);
    made->kind = probe->kind;
    made->body = probe->body;
    made->number = probe->number;
    made->energy = probe->energy;
    bool has_vertices = probe->kind == DENT_SIM_PROBE_POSITION || probe->kind == DENT_SIM_PROBE_VELOCITY ||
                        probe->kind == DENT_SIM_PROBE_STRESS;
    if (has_vertices) {
        made->vertex_count = probe->vertex_count;
        made->vertices = copy_vertices(model, probe->body, probe->vertices, &made->vertex_count);
    }
    return !has_vertices || made->vertices ? DENT_OK : sim_no_memory(model->context);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

dent_status loads_build(struct sim_model *model, const dent_sim_def *def, const dent_world *world)
{
    struct sim_loads *loads = model->loads = sim_allocate(model, 1, sizeof *loads);
    if (!loads) {
        return sim_no_memory(model->context);
    }
    loads->loads = sim_allocate(model, def->load_count, sizeof *loads->loads);
    loads->supports = sim_allocate(model, def->support_count, sizeof *loads->supports);
    loads->springs = sim_allocate(model, def->spring_count, sizeof *loads->springs);
    loads->probes = sim_allocate(model, def->probe_count, sizeof *loads->probes);
    if (!loads->loads || !loads->supports || !loads->springs || !loads->probes) {
        return sim_no_memory(model->context);
    }
    loads->load_count = def->load_count;
    loads->support_count = def->support_count;
    loads->spring_count = def->spring_count;
    loads->probe_count = def->probe_count;
    dent_status status = DENT_OK;
    for (uint32_t n = 0; n < def->load_count && status == DENT_OK; n++) {
        status = build_load(model, &def->loads[n], n, world);
    }
    status = status == DENT_OK ? build_supports(model, def) : status;
    for (uint32_t n = 0; n < def->spring_count && status == DENT_OK; n++) {
        build_spring(model, &def->springs[n], n);
    }
    for (uint32_t n = 0; n < def->probe_count && status == DENT_OK; n++) {
        status = build_probe(model, &def->probes[n], n);
    }
    return status;
}

static void bind_end(const struct sim_model *model, const struct sim_state *state, struct spring_end *end)
{
    uint32_t rigid = end->body == SIM_NONE ? SIM_NONE : model->bodies[end->body].rigid;
    if (rigid != SIM_NONE && end->vertices[0] == SIM_NONE && end->vertices[1] == SIM_NONE &&
        end->vertices[2] == SIM_NONE && end->vertices[3] == SIM_NONE) {
        sim_subtract(end->place, state->rigids[rigid].center, end->place);
    }
}

void loads_bind_rigids(struct sim_model *model, const struct sim_state *state)
{
    for (uint32_t n = 0; n < model->loads->load_count; n++) {
        model->loads->loads[n].rigid = model->bodies[model->loads->loads[n].body].rigid;
    }
    for (uint32_t n = 0; n < model->loads->spring_count; n++) {
        bind_end(model, state, &model->loads->springs[n].a);
        bind_end(model, state, &model->loads->springs[n].b);
    }
}

dent_status load_work_build(struct sim_model *model, struct load_work *work)
{
    if (model->loads->load_count == 0) {
        return DENT_OK;
    }
    work->forces = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof(double));
    work->total = sim_allocate(model, 3 * (size_t)model->vertex_count, sizeof(double));
    work->rigids = sim_allocate(model, 6 * (size_t)model->rigid_count, sizeof(double));
    work->factors = sim_allocate(model, model->loads->load_count, sizeof(double));
    return work->forces && work->total && work->rigids && work->factors ? DENT_OK : sim_no_memory(model->context);
}
