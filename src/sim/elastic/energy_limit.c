/* No energy from nothing: kinetic, elastic, of gravity and stored in contacts and attachments, the bodies of the
 * minimisation have at the end of a substep at most what they had at its beginning, and the work of loads. What
 * prescribed bodies, fixed vertices and supports do by moving counts as done at the beginning, with all others still in
 * their places; what supports hold has no kinetic energy here.
 *
 * A finished minimisation of convex energies only loses energy; unfinished ones, elements turned inside out and bodies
 * that turn may gain a little. That is taken from the velocities: first from those within pieces, which changes no
 * momentum; then from those within islands, which keeps the sum of their momenta; then from all. Where even standing still would have more than was there, the bodies
 * go back a part of the way. */
#include "minimise.h"
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

enum { MOST_HALVINGS = 40 };

struct before_call {
    const struct sim_state *state;
    const struct elastic_work *elastic;
    const double *masses;
};

static void before_range(void *data, uint32_t begin, uint32_t end)
{
    const struct before_call *call = data;
    const struct minimiser *work = call->elastic->minimiser;
    for (uint32_t v = begin; v < end; v++) {
        const double *from = work->inertia.vertices[v] > 0 ? call->elastic->previous : call->state->positions;
        memcpy(work->trial + 3 * (size_t)v, from + 3 * (size_t)v, 3 * sizeof(double));
    }
}

/* Where everything was at the beginning, with prescribed bodies where they are now. */
static void place_before(const struct sim_model *model, const struct sim_state *state,
                         const struct elastic_work *elastic)
{
    const struct minimiser *work = elastic->minimiser;
    struct before_call call = {state, elastic, model->masses};
    sim_parallel(model->context, 0, model->vertex_count, before_range, &call);
    supports_copy(model, state->positions, work->trial);
    bonds_place_vertices(model, elastic->previous_rigids, work->trial);
}

/* Joints are held by the island solver in the end. What their terms store is an error that it takes out, no energy. */
static double stored_at(const struct minimiser *work, const struct placement *at)
{
    struct point_terms real = work->terms;
    real.count = work->first_joint;
    return terms_stored(&real, at);
}

void energy_begin(const struct sim_model *model, const struct sim_state *state, struct elastic_work *elastic)
{
    struct placement at = {elastic->minimiser->trial, elastic->previous_rigids};
    place_before(model, state, elastic);
    elastic->minimiser->stored_before = stored_at(elastic->minimiser, &at);
}

struct kinetic_call {
    const struct sim_model *model;
    const struct minimiser *work;
    const double *velocities;
};

static void kinetic_range(void *data, uint32_t begin, uint32_t end, double sums[SIM_MOST_SUMS])
{
    const struct kinetic_call *call = data;
    for (uint32_t m = begin; m < end; m++) {
        uint32_t v = call->work->pass.movers[m];
        const double *velocity = call->velocities + 3 * (size_t)v;
        double square = sim_dot(velocity, velocity) - supports_held_square(call->model, v, velocity);
        sums[0] += call->work->inertia.vertices[v] > 0 ? 0.5 * call->model->masses[v] * square : 0;
    }
}

static double kinetic(const struct sim_model *model, const struct minimiser *work, const double *velocities,
                      const dent_rigid_state *rigids)
{
    struct kinetic_call call = {model, work, velocities};
    double sums[SIM_MOST_SUMS], sum;
    sim_parallel_sums(model->context, 0, work->pass.mover_count, kinetic_range, &call, sums);
    sum = sums[0];
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        sum += work->inertia.rigid_active[r] ? rigid_spin_energy(&model->rigids[r], &rigids[r]) +
                                                   0.5 * model->rigids[r].mass * sim_dot(rigids[r].linear_velocity,
                                                                                         rigids[r].linear_velocity) : 0;
    }
    return sum;
}

/* The way since the beginning, and what gravity gains by it. */
static void fall_range(void *data, uint32_t begin, uint32_t end, double sums[SIM_MOST_SUMS])
{
    const struct before_call *call = data;
    const struct minimiser *work = call->elastic->minimiser;
    for (uint32_t m = begin; m < end; m++) {
        uint32_t v = work->pass.movers[m];
        double *d = work->product + 3 * (size_t)v;
        sim_subtract(call->state->positions + 3 * (size_t)v, work->trial + 3 * (size_t)v, d);
        sums[0] -= work->inertia.vertices[v] > 0 ? call->masses[v] * sim_dot(call->state->gravity, d) : 0;
    }
}

/* Elastic and gravitational energy now, less those at the beginning (work->trial) and the work of loads. */
static double potential_change(const struct sim_model *model, const struct sim_state *state,
                               const struct elastic_work *elastic, bool known)
{
    struct minimiser *work = elastic->minimiser;
    struct before_call call = {state, elastic, model->masses};
    double terms[LINE_TERMS], sums[SIM_MOST_SUMS];
    sim_parallel_sums(model->context, 0, work->pass.mover_count, fall_range, &call, sums);
    double sum = sums[0];
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        double d[3];
        sim_subtract(state->rigids[r].center, elastic->previous_rigids[r].center, d);
        sum -= work->inertia.rigid_active[r] ? model->rigids[r].mass * sim_dot(state->gravity, d) : 0;
    }
    struct load_way way = {work->trial, state->positions, elastic->previous_rigids, state->rigids, false};
    sum -= loads_work(model, work->loads, &way, work->inertia.rigid_active);
    struct element_pass pass = {work->trial, work->trial, work->product, 0, NULL};
    sum += known && work->pass.blocks ? 0 : pass_cloth_change(model, &work->pass, &pass, 1);
    sum += rods_energy_change(model, state, &work->rods);
    if (known) {
        return sum + work->elastic_change;
    }
    pass_line(model, &work->pass, &pass, true, terms);
    for (int n = 0; n < ENERGY_TERMS; n++) {
        sum += terms[n];
    }
    return sum;
}

/* Puts everything at `part` of its way. */
static void go_back(const struct sim_model *model, struct sim_state *state, const struct elastic_work *elastic,
                    double part)
{
    struct minimiser *work = elastic->minimiser;
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        for (size_t n = 3 * (size_t)v; work->inertia.vertices[v] > 0 && n < 3 * (size_t)v + 3; n++) {
            /* All the way back also from what is not a number. */
            state->positions[n] = part > 0 ? work->trial[n] + part * (state->positions[n] - work->trial[n]) : work->trial[n];
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (work->inertia.rigid_active[r]) {
            const dent_rigid_state *from = &elastic->previous_rigids[r];
            dent_rigid_state *pose = &state->rigids[r];
            double length = 0, same = 0;
            for (int k = 0; k < 4; k++) {
                same += from->orientation[k] * pose->orientation[k];
            }
            for (int k = 0; k < 4; k++) {
                double to = same < 0 ? -pose->orientation[k] : pose->orientation[k];
                pose->orientation[k] = from->orientation[k] + part * (to - from->orientation[k]);
                length += pose->orientation[k] * pose->orientation[k];
            }
            for (int k = 0; k < 4; k++) {
                pose->orientation[k] /= sqrt(length);
            }
            for (int k = 0; k < 3; k++) {
                pose->center[k] = from->center[k] + part * (pose->center[k] - from->center[k]);
            }
        }
    }
    bonds_place_vertices(model, state->rigids, state->positions);
    rods_go_back(model, state, work->trial, part, &work->rods);
}

static void scale_velocities(const struct sim_model *model, struct sim_state *state, const struct minimiser *work,
                             double factor)
{
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        for (size_t n = 3 * (size_t)v; work->inertia.vertices[v] > 0 && n < 3 * (size_t)v + 3; n++) {
            state->velocities[n] *= factor;
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        for (int axis = 0; axis < 3 && work->inertia.rigid_active[r]; axis++) {
            state->rigids[r].linear_velocity[axis] *= factor;
            state->rigids[r].angular_velocity[axis] *= factor;
        }
    }
}

/* What steps changed is all that has changed, if no rigid body took its bonded vertices elsewhere since. */
static bool is_known(const struct sim_model *model, const struct sim_state *state, const struct minimiser *work)
{
    bool kept = work->change_known;
    for (uint32_t r = 0; r < model->rigid_count && kept && model->bonds->bond_count > 0; r++) {
        const dent_rigid_state *now = &state->rigids[r], *then = &work->solved_rigids[r];
        kept = memcmp(now->center, then->center, sizeof now->center) == 0 &&
               memcmp(now->orientation, then->orientation, sizeof now->orientation) == 0;
    }
    return kept;
}

bool elastic_limit_energy(const struct sim_model *model, struct sim_state *state, struct elastic_work *elastic,
                          double outer)
{
    struct minimiser *work = elastic->minimiser;
    struct placement at = {state->positions, state->rigids};
    momentum_keep_islands(model, state, elastic->previous_rigids, work);
    place_before(model, state, elastic);
    double before = outer + kinetic(model, work, work->velocities, elastic->previous_rigids) + work->rods.spin_before;
    double now = kinetic(model, work, state->velocities, state->rigids);
    double moved = potential_change(model, state, elastic, is_known(model, state, work));
    double gained = moved + stored_at(work, &at) - work->stored_before + rods_spin_energy(model, state);
    if (model->joint_count > 0) { /* the island solver moved bodies when contacts were ended */
        terms_go_back(state, work, 1);
    }
    if (!(gained + now > before * (1 + 1e-14)) && isfinite(gained + now)) {
        state->reserve += before - (gained + now);
        return false;
    }
    bool back = !(gained <= before);
    for (int n = 0; n < MOST_HALVINGS && !(gained <= before); n++) {
        double part = n + 1 < MOST_HALVINGS ? 0.5 : 0;
        go_back(model, state, elastic, part);
        terms_go_back(state, work, part);
        gained = potential_change(model, state, elastic, false) + stored_at(work, &at) - work->stored_before +
                 rods_spin_energy(model, state);
        scale_velocities(model, state, work, 0.5);
        now = kinetic(model, work, state->velocities, state->rigids);
        state_forget_history(model, state);
    }
    double left = before - gained;
    if (now > left) {
        double inner = momentum_inner_energy(model, state, work);
        double within = momentum_scale_islands(model, state, work, 1);
        if (inner >= now - left) {
            momentum_scale_inner(model, state, work, sqrt((inner - (now - left)) / inner));
        } else if (within >= now - left) {
            momentum_scale_islands(model, state, work, sqrt((within - (now - left)) / within));
        } else {
            scale_velocities(model, state, work, left > 0 ? sqrt(left / now) : 0);
        }
    }
    return back;
}
