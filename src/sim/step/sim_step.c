/* A step: intervals between detections, each of some substeps. What fails or is cancelled changes nothing. */
#include "sim_step.h"

#include "sim/elastic/rod_pass.h"

#include <math.h>
#include <stdatomic.h>

dent_sim_statistics sim_no_statistics(void)
{
    return (dent_sim_statistics){.deepest_a = SIM_NONE, .deepest_b = SIM_NONE};
}

dent_status sim_keep_state(dent_sim *sim)
{
    struct sim_workspace *work = &sim->work;
    dent_status status =
        work->memory_stale ? state_give_memory(sim->model.context, &sim->state, work->search.world) : DENT_OK;
    if (status != DENT_OK) {
        return status;
    }
    work->memory_stale = false;
    return state_copy(&sim->model, &work->backup, &sim->state);
}

void sim_undo(dent_sim *sim)
{
    state_restore(&sim->model, &sim->state, &sim->work.backup);
    sim->work.memory_stale = true;
    sim->work.contacts.count = 0;
    sim->work.solver.elastic.has_result = false;
}

static bool is_cancelled(const struct sim_model *model, const struct step_report *report)
{
    return report->cancelled || (model->cancel && atomic_load((const _Atomic int *)(const void *)model->cancel) != 0);
}

/* A substep, and the end of the interval where a rigid body was faster than detection allowed for. */
static dent_status substep(const struct sim_model *model, struct sim_state *state, struct sim_workspace *work,
                           uint32_t number, bool *stopped)
{
    swift_begin(model, state, &work->swift);
    dent_status status = solver_substep(model, state, &work->contacts, &work->solver, &work->report, number);
    return status == DENT_OK ? swift_finish(model, state, &work->search, &work->swift, &work->solver.elastic,
                                             &work->report, stopped)
                              : status;
}

/* The substeps between two detections: `count`, or fewer, which then says how many. */
static dent_status interval(const struct sim_model *model, struct sim_state *state, struct sim_workspace *work,
                            uint32_t first, uint32_t *count)
{
    double duration = model->substep * *count;
    bool stopped = false;
    struct step_report *report = &work->report;
    if (model->continuous) {
        safe_motion_begin(model, state, &work->safe);
        interval_energy_begin(model, state, &work->solver, &work->energy);
    }
    contacts_begin(model, state, &work->contacts, *count);
    dent_status status = DENT_OK;
    if (model->contacts_wanted) {
        status = contacts_find(model, state, &work->search, &work->contacts, report, duration);
    }
    swift_begin_interval(model, &work->contacts, &work->swift);
    if (status == DENT_OK) {
        status = solver_begin(model, state, &work->contacts, &work->solver);
    }
    uint32_t done = 0;
    for (; done < *count && status == DENT_OK && !stopped && !is_cancelled(model, report); done++) {
        status = substep(model, state, work, first + done, &stopped);
    }
    duration = model->substep * done;
    *count = done > 0 ? done : 1;
    if (status == DENT_OK && model->continuous && !is_cancelled(model, report)) {
        interval_energy_note_end(model, state, &work->solver, &work->energy);
        status = safe_motion_finish(model, state, work->search.world, &work->contacts, &work->safe,
                                    &work->solver.response, &work->solver.elastic, report, duration);
        status = status == DENT_OK ? interval_energy_limit(model, state, work) : status;
        rods_follow(model, state, &work->solver.elastic);
    }
    return status;
}

static void wild_range(void *data, uint32_t begin, uint32_t end, double sums[SIM_MOST_SUMS])
{
    const struct sim_state *state = data;
    for (uint32_t v = begin; v < end; v++) {
        const double *x = state->positions + 3 * (size_t)v, *velocity = state->velocities + 3 * (size_t)v;
        sums[0] += !isfinite(x[0] + x[1] + x[2]) || !isfinite(velocity[0] + velocity[1] + velocity[2]);
    }
}

static dent_status check_finite(const struct sim_model *model, struct sim_state *state)
{
    bool wild = sim_parallel_most(model->context, 0, model->vertex_count, wild_range, state) > 0;
    for (uint32_t v = 0; v < model->vertex_count && wild; v++) {
        const double *x = state->positions + 3 * (size_t)v, *velocity = state->velocities + 3 * (size_t)v;
        if (!isfinite(x[0] + x[1] + x[2]) || !isfinite(velocity[0] + velocity[1] + velocity[2])) {
            const struct sim_body *body = &model->bodies[model->vertex_bodies[v]];
            return dent_fail(model->context, DENT_ERROR_BAD_NUMBER,
                             "%s: the position or velocity of vertex %u stopped being finite in step %llu", body->name,
                             v - body->first_vertex, (unsigned long long)state->step);
        }
    }
    return DENT_OK;
}

static dent_status run_step(const struct sim_model *model, struct sim_state *state, struct sim_workspace *work)
{
    struct step_report *report = &work->report;
    dent_status status = work->budget ? budget_step(model, state, work->budget, report) : DENT_OK;
    for (uint32_t first = 0; first < model->substeps && status == DENT_OK && !is_cancelled(model, report);) {
        uint32_t left = model->substeps - first;
        uint32_t most = left < model->contact_interval ? left : model->contact_interval;
        uint32_t count = contacts_interval(model, state, most);
        status = interval(model, state, work, first, &count);
        first += count;
    }
    report->cancelled = is_cancelled(model, report);
    if (status == DENT_OK && !report->cancelled) {
        status = check_finite(model, state);
    }
    if (status == DENT_OK && !report->cancelled && model->contacts_wanted) {
        status = state_take_memory(model->context, state, work->search.world);
    }
    if (status == DENT_OK) {
        status = world_set_positions(model, work->search.world, state->positions, NULL);
    }
    return status;
}

static void count_contacts(const struct contact_set *contacts, dent_sim_statistics *statistics)
{
    statistics->contacts = contacts->count;
    for (uint64_t i = 0; i < contacts->count; i++) {
        statistics->touching += sim_dot(contacts->reported[i].force, contacts->reported[i].force) > 0;
    }
}

static dent_status step(void *data)
{
    dent_sim *sim = data;
    struct step_report *report = &sim->work.report;
    dent_context *context = sim->model.context;
    uint64_t begin = dent_clock_ns(), allocations = dent_context_memory_use(context).allocations;
    report->cancelled = false;
    dent_status status = sim_keep_state(sim);
    if (status != DENT_OK) {
        return status;
    }
    *report = (struct step_report){.statistics = sim_no_statistics()};
    sim->work.contacts.count = 0;
    status = run_step(&sim->model, &sim->state, &sim->work);
    if (status != DENT_OK || report->cancelled) {
        sim_undo(sim);
        report->statistics = sim_no_statistics();
        report->statistics.outcome = report->cancelled ? DENT_OUTCOME_CANCELLED : DENT_OUTCOME_COMPLETE;
        return status;
    }
    sim->state.step++;
    count_contacts(&sim->work.contacts, &report->statistics);
    report->ns_total = dent_clock_ns() - begin;
    report->statistics.allocations = dent_context_memory_use(context).allocations - allocations;
    return DENT_OK;
}

dent_status dent_sim_step(dent_sim *sim)
{
    DENT_REQUIRE(NULL, sim);
    return dent_call_guarded(sim->model.context, step, sim);
}
