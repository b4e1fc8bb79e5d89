/* What a program changes between two steps: grabs, gravity, velocities. */
#include "sim_step.h"

#include <math.h>
#include <string.h>

/* ---- velocities -------------------------------------------------------------------------------------------------- */

static void center_of_mass(const struct sim_model *model, const struct sim_state *state, const struct sim_body *body,
                           double *center)
{
    double mass = 0;
    center[0] = center[1] = center[2] = 0;
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        sim_add_scaled(center, model->masses[v], state->positions + 3 * (size_t)v);
        mass += model->masses[v];
    }
    for (int axis = 0; axis < 3; axis++) {
        center[axis] = mass > 0 ? center[axis] / mass : 0;
    }
}

void sim_set_body_velocity(const struct sim_model *model, struct sim_state *state, uint32_t number,
                           const double *linear, const double *angular)
{
    const struct sim_body *body = &model->bodies[number];
    if (body->rigid != SIM_NONE) {
        dent_rigid_state *pose = &state->rigids[body->rigid];
        rigid_wake(model, state, body->rigid);
        memcpy(pose->linear_velocity, linear, sizeof pose->linear_velocity);
        memcpy(pose->angular_velocity, angular, sizeof pose->angular_velocity);
        rigid_vertex_velocities(model, state);
        return;
    }
    double center[3];
    state_forget_history(model, state);
    center_of_mass(model, state, body, center);
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        double arm[3], spin[3];
        sim_subtract(state->positions + 3 * (size_t)v, center, arm);
        sim_cross(angular, arm, spin);
        for (int axis = 0; axis < 3 && model->inverse_masses[v] > 0; axis++) {
            state->velocities[3 * (size_t)v + (size_t)axis] = linear[axis] + spin[axis];
        }
    }
}

/* ---- calls ------------------------------------------------------------------------------------------------------- */

static bool all_finite(const double *numbers)
{
    return isfinite(numbers[0]) && isfinite(numbers[1]) && isfinite(numbers[2]);
}

static bool is_movable(const struct sim_model *model, uint32_t number)
{
    const struct sim_body *body = number < model->body_count ? &model->bodies[number] : NULL;
    return body && (sim_is_elastic(body->kind) || body->rigid != SIM_NONE);
}

dent_status dent_sim_grab(dent_sim *sim, uint32_t body, uint32_t vertex, const double target[3])
{
    DENT_REQUIRE(NULL, sim);
    const struct sim_model *model = &sim->model;
    struct sim_state *state = &sim->state;
    DENT_REQUIRE(model->context, target);
    if (!is_movable(model, body) || vertex >= model->bodies[body].vertex_count || !all_finite(target)) {
        return dent_fail(model->context, DENT_ERROR_INVALID_ARGUMENT,
                         "grab: body %u, vertex %u: no movable body has it, or the target is not finite", body, vertex);
    }
    uint32_t n = 0;
    while (n < state->grab_count && (state->grabs[n].body != body || state->grabs[n].vertex != vertex)) {
        n++;
    }
    if (n == SIM_MOST_GRABS) {
        return dent_fail(model->context, DENT_ERROR_INVALID_ARGUMENT, "grab: %d vertices are held already",
                         SIM_MOST_GRABS);
    }
    state->grab_count = n == state->grab_count ? n + 1 : state->grab_count;
    state->grabs[n] = (struct sim_grab){body, vertex, {target[0], target[1], target[2]}};
    return DENT_OK;
}

void dent_sim_release(dent_sim *sim, uint32_t body, uint32_t vertex)
{
    if (!sim) {
        return;
    }
    struct sim_state *state = &sim->state;
    for (uint32_t n = 0; n < state->grab_count; n++) {
        if (state->grabs[n].body == body && state->grabs[n].vertex == vertex) {
            state->grabs[n] = state->grabs[--state->grab_count];
            memset(&state->grabs[state->grab_count], 0, sizeof state->grabs[0]);
        }
    }
}

void dent_sim_release_all(dent_sim *sim)
{
    if (!sim) {
        return;
    }
    sim->state.grab_count = 0;
    memset(sim->state.grabs, 0, sizeof sim->state.grabs);
}

dent_status dent_sim_set_gravity(dent_sim *sim, const double gravity[3])
{
    DENT_REQUIRE(NULL, sim);
    DENT_REQUIRE(sim->model.context, gravity);
    if (!all_finite(gravity)) {
        return dent_fail(sim->model.context, DENT_ERROR_INVALID_ARGUMENT, "gravity must be finite");
    }
    if (memcmp(sim->state.gravity, gravity, sizeof sim->state.gravity) != 0) {
        rigid_wake(&sim->model, &sim->state, SIM_NONE);
    }
    memcpy(sim->state.gravity, gravity, sizeof sim->state.gravity);
    return DENT_OK;
}

struct velocity_call {
    dent_sim *sim;
    uint32_t body;
    double linear[3], angular[3];
};

static dent_status set_velocity(void *data)
{
    const struct velocity_call *call = data;
    sim_set_body_velocity(&call->sim->model, &call->sim->state, call->body, call->linear, call->angular);
    return DENT_OK;
}

dent_status dent_sim_set_velocity(dent_sim *sim, uint32_t body, const double linear[3], const double angular[3])
{
    DENT_REQUIRE(NULL, sim);
    const struct sim_model *model = &sim->model;
    static const double none[3] = {0, 0, 0};
    if (!is_movable(model, body) || (linear && !all_finite(linear)) || (angular && !all_finite(angular))) {
        return dent_fail(model->context, DENT_ERROR_INVALID_ARGUMENT,
                         "set velocity: body %u does not move by itself, or the velocity is not finite", body);
    }
    uint32_t rigid = model->bodies[body].rigid; /* a rigid body keeps what is not given */
    const dent_rigid_state *pose = rigid == SIM_NONE ? NULL : &sim->state.rigids[rigid];
    struct velocity_call call = {.sim = sim, .body = body};
    memcpy(call.linear, linear ? linear : (pose ? pose->linear_velocity : none), sizeof call.linear);
    memcpy(call.angular, angular ? angular : (pose ? pose->angular_velocity : none), sizeof call.angular);
    return dent_call_guarded(model->context, set_velocity, &call);
}
