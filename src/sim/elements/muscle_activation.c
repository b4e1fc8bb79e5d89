/* What changes in the cells of solids between substeps: the activation of fibres, and what flows. */
#include "elastic_mesh.h"

#include "sim/model/sim_state.h"

static double activation_at(const dent_sim_material *material, double time)
{
    const dent_sim_activation_key *keys = material->activation;
    uint32_t count = material->activation_count, next = 0;
    while (next < count && keys[next].time <= time) {
        next++;
    }
    if (count == 0) {
        return 0;
    }
    if (next == 0 || next == count) {
        return keys[next == 0 ? 0 : count - 1].value;
    }
    const dent_sim_activation_key *a = &keys[next - 1], *b = &keys[next];
    return a->value + (b->value - a->value) * ((time - a->time) / (b->time - a->time));
}

void elastic_set_time(const struct sim_model *model, struct sim_state *state, double time)
{
    for (uint32_t n = 0; n < model->activation_count; n++) {
        state->activations[n] = activation_at(&model->materials[n], time);
    }
}

struct flow_call {
    const struct sim_model *model;
    struct sim_state *state;
};

static void flow_range(void *data, uint32_t begin, uint32_t end)
{
    const struct flow_call *call = data;
    const struct solid_cells *cells = &call->model->elastic->cells;
    for (uint32_t c = begin; c < end; c++) {
        const struct solid_cell *cell = &cells->cells[c];
        for (uint32_t p = 0; p < cell->point_count && cell->first_plastic != SIM_NONE; p++) {
            double f[9], *plastic = call->state->plastic + 10 * ((size_t)cell->first_plastic + p);
            solid_cell_deformation(cells, c, p, call->state->positions, f);
            law_flow(&cells->laws[cell->material], f, (struct plastic_state *)plastic);
        }
    }
}

void elastic_flow(const struct sim_model *model, struct sim_state *state)
{
    struct flow_call call = {model, state};
    if (model->plastic_count > 0) {
        sim_parallel(model->context, 0, model->elastic->cells.count, flow_range, &call);
    }
}
