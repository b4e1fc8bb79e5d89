/* How well a time step resolves a body: its first mode, and what the integrator makes of it. */
#include "sim/elastic/first_mode.h"
#include "sim_step.h"

#include <math.h>

/* The most w h with which backward Euler keeps 95 % of the stiffness. */
#define RESOLVED 0.28

struct mode_call {
    const struct sim_model *model;
    uint32_t body;
    dent_sim_mode *mode;
};

static dent_status find_mode(void *data)
{
    const struct mode_call *call = data;
    const struct sim_model *model = call->model;
    dent_sim_mode mode = {0};
    double square;
    dent_status status = first_mode_square(model, call->body, &square, &mode.iterations);
    if (status != DENT_OK) {
        return status;
    }
    mode.omega = sqrt(square);
    mode.turn = mode.omega * model->substep;
    mode.stiffness = elastic_kept_stiffness(mode.turn);
    mode.substeps = 1;
    if (mode.omega * model->time_step > RESOLVED) {
        double needed = ceil(mode.omega * model->time_step / RESOLVED);
        mode.substeps = needed < UINT32_MAX ? (uint32_t)needed : UINT32_MAX;
    }
    *call->mode = mode;
    return DENT_OK;
}

dent_status dent_sim_first_mode(dent_sim *sim, uint32_t body, dent_sim_mode *mode)
{
    DENT_REQUIRE(NULL, sim);
    dent_context *context = sim->model.context;
    DENT_REQUIRE(context, mode);
    if (body >= sim->model.body_count) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "no body %u", body);
    }
    if (sim->model.bodies[body].kind != DENT_SIM_SOLID) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED, "body %u is not an elastic solid", body);
    }
    struct mode_call call = {&sim->model, body, mode};
    return dent_call_guarded(context, find_mode, &call);
}
