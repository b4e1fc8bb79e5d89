/* What carries strands: vertices on faces of prescribed bodies, directors of clamped edges, and directors of strands that
 * were put elsewhere. */
#include "rod_pass.h"

#include "sim/model/sim_state.h"

#include <math.h>
#include <string.h>

static void out_of_frame(const double frame[9], const double local[3], double vector[3])
{
    for (int k = 0; k < 3; k++) {
        vector[k] = local[0] * frame[k] + local[1] * frame[3 + k] + local[2] * frame[6 + k];
    }
}

void rods_place_anchors(const struct sim_model *model, struct sim_state *state)
{
    for (uint32_t n = 0; n < model->rods->anchor_count; n++) {
        const struct rod_anchor *anchor = &model->rods->anchors[n];
        const double *origin = state->positions + 3 * (size_t)anchor->corners[0];
        double frame[9], apart[3], *x = state->positions + 3 * (size_t)anchor->vertex;
        rod_face_frame(anchor->corners, state->positions, frame);
        out_of_frame(frame, anchor->local, apart);
        for (int k = 0; k < 3; k++) {
            x[k] = origin[k] + apart[k];
        }
    }
}

/* Unit, across the edge behind a vertex; unchanged where nothing is left. */
static void straighten(const double *x, double director[3])
{
    double edge[3];
    sim_subtract(x + 3, x, edge);
    double square = sim_dot(edge, edge), along = square > 0 ? sim_dot(director, edge) / square : 0;
    double across[3] = {director[0] - along * edge[0], director[1] - along * edge[1], director[2] - along * edge[2]};
    double length = sqrt(sim_dot(across, across));
    for (int k = 0; k < 3 && length > 1e-6; k++) {
        director[k] = across[k] / length;
    }
}

void rods_place_clamps(const struct sim_model *model, struct sim_state *state, double time)
{
    const struct rod_mesh *rods = model->rods;
    struct rod_director *directors = (struct rod_director *)(void *)state->directors;
    uint32_t turned_body = SIM_NONE;
    double turn[9];
    for (uint32_t n = 0; n < rods->clamp_count; n++) {
        const struct rod_clamp *clamp = &rods->clamps[n];
        double director[3], frame[9];
        if (clamp->corners[0] != SIM_NONE) {
            rod_face_frame(clamp->corners, state->positions, frame);
            out_of_frame(frame, clamp->local, director);
        } else {
            if (turned_body != clamp->body) {
                motion_turn(&model->bodies[clamp->body].motion, time, turn);
                turned_body = clamp->body;
            }
            for (int k = 0; k < 3; k++) {
                director[k] = sim_dot(turn + 3 * k, clamp->local);
            }
        }
        straighten(state->positions + 3 * (size_t)clamp->vertex, director);
        for (int k = 0; k < 3; k++) {
            directors[clamp->slot / ROD_LANES].at[k][clamp->slot % ROD_LANES] = director[k];
        }
    }
}

void rods_note_places(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work)
{
    if (has_rods(model)) {
        memcpy(work->places, state->positions, 3 * (size_t)model->vertex_count * sizeof(double));
    }
}

void rods_follow(const struct sim_model *model, struct sim_state *state, const struct elastic_work *work)
{
    struct rod_director *directors = (struct rod_director *)(void *)state->directors;
    for (uint32_t g = 0; g < model->rods->group_count; g++) {
        const struct rod_group *group = &model->rods->groups[g];
        rod_kernels_scalar.carry(group, directors + group->first_row, work->places, state->positions, NULL, 0,
                                 directors + group->first_row);
    }
}
