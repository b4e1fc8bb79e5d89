/* Forces of the last substep as outer ones of the elastic sweep: given to it as displacements, and taken out of the
 * positions again before contacts and attachments are solved anew. */
#include "sim_elastic.h"

double carried_part(const struct sim_model *model, size_t vertex, double share, double move)
{
    double answer = share > model->inertia_shares[vertex] ? share : model->inertia_shares[vertex];
    double most = sim_max_travel(&model->bodies[model->vertex_bodies[vertex]]);
    return answer * move > most ? most / (answer * move) : 1;
}

void carried_add(struct carried_forces *carried, size_t vertex, double share, double move, const double *push)
{
    carried->any = true;
    sim_add_scaled(carried->moves + 3 * vertex, move, push);
    sim_add_scaled(carried->taken_out + 3 * vertex, share * move, push);
}

struct take_out_call {
    double *positions;
    struct carried_forces *carried;
};

static void take_out_range(void *data, uint32_t begin, uint32_t end)
{
    const struct take_out_call *call = data;
    for (size_t n = 3 * (size_t)begin; n < 3 * (size_t)end; n++) {
        call->positions[n] -= call->carried->taken_out[n];
        call->carried->moves[n] = call->carried->taken_out[n] = 0;
    }
}

void carried_take_out(const struct sim_model *model, struct sim_state *state, struct carried_forces *carried)
{
    if (carried->any) {
        struct take_out_call call = {state->positions, carried};
        sim_parallel(model->context, 0, model->vertex_count, take_out_range, &call);
    }
    carried->any = false;
}
