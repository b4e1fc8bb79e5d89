/* Reading supports, springs and probes. */
#include "sim_step.h"

/* ---- supports and springs ---------------------------------------------------------------------------------------- */

struct read_call {
    dent_sim *sim;
    uint32_t number;
    double *values;
};

static dent_status read_reaction(void *data)
{
    const struct read_call *call = data;
    elastic_reaction(&call->sim->model, &call->sim->state, &call->sim->work.solver.elastic, call->number, call->values);
    return DENT_OK;
}

dent_status dent_sim_support_reaction(dent_sim *sim, uint32_t support, double force[3])
{
    DENT_REQUIRE(NULL, sim);
    DENT_REQUIRE(sim->model.context, force);
    if (support >= sim->model.loads->support_count) {
        return dent_fail(sim->model.context, DENT_ERROR_INVALID_ARGUMENT, "no support %u, there are %u", support,
                         sim->model.loads->support_count);
    }
    struct read_call call = {sim, support, force};
    return dent_call_guarded(sim->model.context, read_reaction, &call);
}

dent_status dent_sim_spring_force(dent_sim *sim, uint32_t spring, double force[3])
{
    DENT_REQUIRE(NULL, sim);
    DENT_REQUIRE(sim->model.context, force);
    if (spring >= sim->model.loads->spring_count) {
        return dent_fail(sim->model.context, DENT_ERROR_INVALID_ARGUMENT, "no spring %u, there are %u", spring,
                         sim->model.loads->spring_count);
    }
    elastic_spring_force(&sim->work.solver.elastic, spring, force);
    return DENT_OK;
}

/* ---- probes ------------------------------------------------------------------------------------------------------ */

static void mean_of(const struct sim_probe *probe, const double *numbers, double mean[3])
{
    for (uint32_t n = 0; n < probe->vertex_count; n++) {
        sim_add_scaled(mean, 1, numbers + 3 * (size_t)probe->vertices[n]);
    }
    for (int axis = 0; axis < 3; axis++) {
        mean[axis] /= probe->vertex_count;
    }
}

static void contact_force(const dent_sim *sim, uint32_t body, double force[3])
{
    for (uint64_t i = 0; i < sim->work.contacts.count; i++) {
        const dent_sim_contact *contact = &sim->work.contacts.reported[i];
        sim_add_scaled(force, (contact->body_a == body) - (contact->body_b == body), contact->force);
    }
}

static double energy_of(const dent_sim_statistics *sums, dent_sim_energy energy)
{
    switch (energy) {
    case DENT_SIM_ENERGY_KINETIC:
        return sums->kinetic;
    case DENT_SIM_ENERGY_ELASTIC:
        return sums->elastic;
    case DENT_SIM_ENERGY_POTENTIAL:
        return sums->potential;
    case DENT_SIM_ENERGY_CONTACT:
        return sums->contact;
    case DENT_SIM_ENERGY_OUTER_WORK:
        return sums->outer_work;
    case DENT_SIM_ENERGY_TOTAL:
        break;
    }
    return sums->kinetic + sums->elastic + sums->potential + sums->contact;
}

static dent_status read_probe(void *data)
{
    const struct read_call *call = data;
    dent_sim *sim = call->sim;
    const struct sim_probe *probe = &sim->model.loads->probes[call->number];
    double *values = call->values;
    values[0] = values[1] = values[2] = 0;
    switch (probe->kind) {
    case DENT_SIM_PROBE_POSITION:
        mean_of(probe, sim->state.positions, values);
        break;
    case DENT_SIM_PROBE_VELOCITY:
        mean_of(probe, sim->state.velocities, values);
        break;
    case DENT_SIM_PROBE_CONTACT:
        contact_force(sim, probe->body, values);
        break;
    case DENT_SIM_PROBE_REACTION:
        elastic_reaction(&sim->model, &sim->state, &sim->work.solver.elastic, probe->number, values);
        break;
    case DENT_SIM_PROBE_SPRING:
        values[0] = elastic_spring_pull(&sim->state, &sim->work.solver.elastic, probe->number);
        break;
    case DENT_SIM_PROBE_STRESS:
        values[0] = sim_mean_stress(sim, probe->vertices, probe->vertex_count);
        break;
    case DENT_SIM_PROBE_ENERGY: {
        dent_sim_statistics sums = dent_sim_get_statistics(sim);
        values[0] = energy_of(&sums, probe->energy);
        break;
    }
    }
    return DENT_OK;
}

uint32_t dent_sim_probe_count(const dent_sim *sim)
{
    return sim ? sim->model.loads->probe_count : 0;
}

bool dent_sim_probe_at(const dent_sim *sim, uint32_t number, dent_sim_probe_info *info)
{
    static const char *const units[] = {"", "m", "m/s", "N", "N", "N", "Pa", "J"};
    if (!sim || !info || number >= sim->model.loads->probe_count) {
        return false;
    }
    const struct sim_probe *probe = &sim->model.loads->probes[number];
    *info = (dent_sim_probe_info){.name = probe->name,
                                  .kind = probe->kind,
                                  .column_count = probe->kind <= DENT_SIM_PROBE_REACTION ? 3 : 1,
                                  .unit = units[probe->kind]};
    return true;
}

dent_status dent_sim_read_probe(dent_sim *sim, uint32_t probe, double values[3])
{
    DENT_REQUIRE(NULL, sim);
    DENT_REQUIRE(sim->model.context, values);
    if (probe >= sim->model.loads->probe_count) {
        return dent_fail(sim->model.context, DENT_ERROR_INVALID_ARGUMENT, "no probe %u, there are %u", probe,
                         sim->model.loads->probe_count);
    }
    struct read_call call = {sim, probe, values};
    return dent_call_guarded(sim->model.context, read_probe, &call);
}
