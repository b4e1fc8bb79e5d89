/* Vibrations keep their energy: BDF2, of two steps, where the history of a vertex is smooth.
 *
 *     v' = (x' - X) / H,  X = x + (x - x_) / 3,  V = v + (v - v_) / 3,  H = 2 h / 3
 *     x' least of (1 + a H) m / (2 H^2) |x' - X - H (V + H g) / (1 + a H)|^2 + everything else
 *
 * x_ and v_ are those at the beginning of the substep before, part of the state. Dampers take their rates from x' - x,
 * as with implicit Euler.
 *
 * A stop within one substep would leave v' = -v / 2. So islands with contacts go by implicit Euler where the first mode of
 * a body in them is too fast to be resolved: such a body stops as a whole. So do islands with rigid bodies, which have no
 * history. Others keep BDF2 in contact, or a soft ball would lose half of its height in a bounce. */
#include "minimise.h"

#include "base/containers/union_find.h"

#include <math.h>
#include <string.h>

static bool is_elastic(const struct sim_body *body)
{
    return sim_is_elastic(body->kind);
}

static void mark(const struct sim_model *model, struct minimiser *work, const struct term_point *point)
{
    for (int k = 0; k < 4; k++) {
        uint32_t v = point->vertices[k];
        uint32_t body = v == SIM_NONE ? SIM_NONE : model->vertex_bodies[v];
        if (v != SIM_NONE && is_elastic(&model->bodies[body])) {
            double turn = sqrt(work->mode_squares[body]) * model->substep; /* w h */
            bool resolved = turn <= SUBSTEP_RESOLVES && model->bodies[body].kind != DENT_SIM_STRANDS;
            uint32_t island = union_find_root(work->islands, body);
            work->one_step[island] = work->one_step[island] || !resolved;
        }
    }
}

void two_step_begin_interval(const struct sim_model *model, struct minimiser *work)
{
    memset(work->one_step, 0, model->body_count);
    for (uint64_t i = 0; i < work->terms.contact_count; i++) {
        mark(model, work, &work->terms.terms[i].a);
        mark(model, work, &work->terms.terms[i].b);
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        work->one_step[union_find_root(work->islands, model->rigids[r].body)] = 1;
    }
}

void two_step_choose(const struct sim_model *model, const struct sim_state *state, struct minimiser *work)
{
    double h = model->substep, shorter = 2 * h / 3, a = model->air_damping;
    double one = (1 + a * h) / (h * h), two = (1 + a * shorter) / (shorter * shorter);
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        bool may = is_elastic(body) && state->history[b] != 0 && !work->one_step[union_find_root(work->islands, b)];
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            bool chosen = may && work->inertia.vertices[v] > 0;
            if (chosen != (work->two_step[v] != 0)) {
                work->two_step[v] = chosen;
                work->inertia.vertices[v] = (chosen ? two : one) * model->masses[v];
                work->inertia_changed = true;
            }
        }
    }
}

void two_step_keep(const struct sim_model *model, struct sim_state *state, const double *previous,
                   struct minimiser *work)
{
    size_t size = 3 * (size_t)model->vertex_count * sizeof(double);
    sim_copy(model->context, state->last_positions, previous, size);
    sim_copy(model->context, state->last_velocities, work->velocities, size);
    for (uint32_t b = 0; b < model->body_count; b++) {
        state->history[b] = is_elastic(&model->bodies[b]) && !work->one_step[union_find_root(work->islands, b)];
    }
}
