/* Stress and strain of the cells of elastic solids. */
#include "sim/elements/elastic_mesh.h"
#include "sim/elements/small_matrices.h"
#include "sim_step.h"

#include <math.h>
#include <string.h>

/* xx, yy, zz, xy, yz, zx of a matrix by rows */
static const uint8_t places[6] = {0, 4, 8, 1, 5, 6};

static void descending(const double values[3], double out[3])
{
    memcpy(out, values, 3 * sizeof *out);
    for (int n = 0; n < 3; n++) {
        int a = n == 2 ? 0 : n, b = a + 1;
        if (out[b] > out[a]) {
            double kept = out[a];
            out[a] = out[b];
            out[b] = kept;
        }
    }
}

/* Adds the share of a point. */
static void add_point(const struct law_point *law, const double f[9], double share, double stress[9], double strain[9])
{
    double first[9], turned[9], square[9], volume = matrix_determinant(f);
    law_derivatives(law, f, NULL, 0, first, NULL);
    matrix_times_transposed(first, f, turned);
    matrix_transposed_times(f, f, square);
    for (int n = 0; n < 9; n++) {
        int across = 3 * (n % 3) + n / 3;
        stress[n] += volume != 0 ? share * 0.5 * (turned[n] + turned[across]) / volume : 0;
        strain[n] += share * 0.5 * (square[n] - (n % 4 == 0 ? 1 : 0));
    }
}

static void finish(const double stress[9], const double strain[9], dent_sim_cell_stress *out)
{
    double values[3], vectors[9];
    symmetric_eigen(stress, values, vectors);
    descending(values, out->principal_stress);
    symmetric_eigen(strain, values, vectors);
    descending(values, out->principal_strain);
    for (int n = 0; n < 6; n++) {
        out->stress[n] = stress[places[n]];
        out->strain[n] = strain[places[n]];
    }
    const double *s = out->principal_stress;
    double a = s[0] - s[1], b = s[1] - s[2], c = s[2] - s[0];
    out->von_mises = sqrt(0.5 * (a * a + b * b + c * c));
}

static void cell_stress(const struct solid_cells *cells, uint32_t number, const struct sim_state *state,
                        dent_sim_cell_stress *out)
{
    const struct solid_cell *cell = &cells->cells[number];
    struct cell_state cell_state = cell_state_of(state);
    double stress[9] = {0}, strain[9] = {0}, f[9], share = 1.0 / cell->point_count; /* points of equal volume */
    out->plastic_strain = 0;
    for (uint32_t p = 0; p < cell->point_count; p++) {
        struct law_point law = solid_cell_law(cells, number, p, &cell_state);
        solid_cell_deformation(cells, number, p, state->positions, f);
        add_point(&law, f, share, stress, strain);
        out->plastic_strain += law.plastic ? share * law.plastic->strain : 0;
    }
    finish(stress, strain, out);
}

/* Cells of tet_elasticity.c: from their corners; flat ones have none. */
static void plain_stress(const struct sim_model *model, const struct sim_body *body, uint32_t element,
                         const struct sim_state *state, dent_sim_cell_stress *out)
{
    const uint32_t *corners = body->corners + 4 * (size_t)element;
    const double *now = state->positions + 3 * (size_t)body->first_vertex;
    double before[9], after[9], inverse[9], f[9], stress[9] = {0}, strain[9] = {0}, longest = 0;
    for (int n = 0; n < 9; n++) {
        size_t end = 3 * (size_t)corners[n % 3 + 1] + (size_t)(n / 3),
               origin = 3 * (size_t)corners[0] + (size_t)(n / 3);
        before[n] = body->rest[end] - body->rest[origin];
        after[n] = now[end] - now[origin];
    }
    for (int k = 0; k < 3; k++) {
        longest = fmax(longest, before[k] * before[k] + before[3 + k] * before[3 + k] + before[6 + k] * before[6 + k]);
    }
    memset(out, 0, sizeof *out);
    if (!(fabs(matrix_determinant(before)) > 1e-6 * longest * sqrt(longest)) || !matrix_inverse(before, inverse)) {
        return;
    }
    matrix_times(after, inverse, f);
    struct law_point law = {.law = &model->elastic->cells.laws[body->material]};
    add_point(&law, f, 1, stress, strain);
    finish(stress, strain, out);
}

double sim_mean_stress(const dent_sim *sim, const uint32_t *vertices, uint32_t count)
{
    const struct solid_cells *cells = &sim->model.elastic->cells;
    double volume = 0, sum = elastic_stress_sum(&sim->model, sim->state.positions, vertices, count, &volume);
    for (uint32_t n = 0; n < count && cells->count > 0; n++) {
        for (uint32_t e = cells->starts[vertices[n]]; e < cells->starts[vertices[n] + 1]; e++) {
            uint32_t number = solid_cell_of_corner(cells, cells->entries[e] / 3);
            const struct solid_cell *cell = &cells->cells[number];
            dent_sim_cell_stress stress;
            double own = 0;
            for (uint32_t p = 0; p < cell->point_count; p++) {
                own += cells->volumes[cell->first_point + p];
            }
            cell_stress(cells, number, &sim->state, &stress);
            sum += own * stress.von_mises;
            volume += own;
        }
    }
    return volume > 0 ? sum / volume : 0;
}

struct stress_call {
    const dent_sim *sim;
    uint32_t body;
    dent_sim_cell_stress *cells;
};

static dent_status write_stress(void *data)
{
    const struct stress_call *call = data;
    const struct sim_model *model = &call->sim->model;
    const struct sim_body *body = &model->bodies[call->body];
    const struct solid_cells *cells = &model->elastic->cells;
    uint32_t next = cells->body_cells[call->body], end = cells->body_cells[call->body + 1], last = SIM_NONE;
    /* Cells of a body ascend in their numbers, as do the cells of its elements. */
    for (uint32_t e = 0; e < body->element_count; e++) {
        uint32_t number = sim_element_cell(body, e);
        if (e > 0 && number == last) {
            call->cells[e] = call->cells[e - 1];
            continue;
        }
        last = number;
        memset(&call->cells[e], 0, sizeof call->cells[e]);
        while (next < end && cells->cells[next].number < number) {
            next++;
        }
        if (next < end && cells->cells[next].number == number) {
            cell_stress(cells, next, &call->sim->state, &call->cells[e]);
        } else if (solid_cell_is_plain(model, body, number)) {
            plain_stress(model, body, e, &call->sim->state, &call->cells[e]);
        }
    }
    return DENT_OK;
}

dent_status dent_sim_get_stress(const dent_sim *sim, uint32_t body, dent_sim_cell_stress *cells)
{
    DENT_REQUIRE(NULL, sim);
    dent_context *context = sim->model.context;
    DENT_REQUIRE(context, cells);
    if (body >= sim->model.body_count) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "no body %u", body);
    }
    if (sim->model.bodies[body].kind != DENT_SIM_SOLID) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED, "body %u is not an elastic solid", body);
    }
    struct stress_call call = {sim, body, cells};
    return dent_call_guarded(context, write_stress, &call);
}

const char *dent_sim_model_name(dent_sim_model model)
{
    return material_model_name((uint32_t)model);
}
