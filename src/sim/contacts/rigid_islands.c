/* Islands of rigid bodies: made from the contacts of an interval, solved in every substep (rigid/island_solver.h).
 *
 * A substep has three problems for an island, in velocities v of its bodies:
 *
 *   push      from free flight, no contact comes nearer than its gap allows: n . u >= -gap / h, or 0 where it overlaps;
 *             Coulomb friction. Poses follow from v
 *   bounce    contacts that pushed and were met faster than 2 g h part with restitution times the speed they met with
 *   recover   displacements, outside velocities, that take overlap out at RECOVERY_EDGES mean edges a second: bodies
 *             that begin in one another part without gaining speed
 *
 * Islands are independent: each is one block of a parallel loop. */
#include "island_stages.h"

#include "sim/rigid/island_exact.h"

#include <math.h>
#include <string.h>

/* ---- life -------------------------------------------------------------------------------------------------------- */

static double radius_of(const struct sim_model *model, const struct sim_rigid *rigid)
{
    double largest = 0;
    for (uint32_t v = 0; v < model->bodies[rigid->body].vertex_count; v++) {
        const double *x = rigid->local + 3 * (size_t)v;
        largest = sim_dot(x, x) > largest ? sim_dot(x, x) : largest;
    }
    return sqrt(largest);
}

static dent_status build_exact(const struct sim_model *model, struct rigid_islands *islands)
{
    uint32_t count = model->exact_islands && model->rigid_count > 0 ? dent_context_worker_count(model->context) : 0;
    if (count == 0) {
        return DENT_OK;
    }
    islands->exact = dent_allocate(model->context, count, sizeof *islands->exact);
    if (!islands->exact) {
        return sim_no_memory(model->context);
    }
    memset(islands->exact, 0, count * sizeof *islands->exact);
    islands->exact_count = count;
    for (uint32_t n = 0; n < count; n++) {
        if (island_exact_create(model->context, &islands->exact[n]) != DENT_OK) {
            return sim_no_memory(model->context);
        }
    }
    return DENT_OK;
}

/* What the workers counted, into the report; the status of the first that had no memory. */
static dent_status collect_exact(const struct sim_model *model, struct rigid_islands *islands,
                                 struct step_report *report)
{
    dent_status status = DENT_OK;
    for (uint32_t n = 0; n < islands->exact_count; n++) {
        struct island_exact *exact = &islands->exact[n];
        report->statistics.exact_islands += exact->solved;
        report->statistics.frozen_islands += exact->frozen;
        report->statistics.unsettled_islands += exact->passed_on;
        exact->solved = exact->frozen = exact->passed_on = 0;
        status = exact->status != DENT_OK ? sim_no_memory(model->context) : status;
        exact->status = DENT_OK;
    }
    return status;
}

static void mark_tied(const struct sim_model *model, struct rigid_islands *islands)
{
    for (uint32_t n = 0; n < model->attachment_count; n++) {
        const struct sim_attachment *tie = &model->attachments[n];
        uint32_t sides[2] = {tie->body_a, tie->body_b};
        for (int s = 0; s < 2; s++) {
            if (sides[s] != SIM_NONE && model->bodies[sides[s]].rigid != SIM_NONE) {
                islands->tied[model->bodies[sides[s]].rigid] = true;
            }
        }
    }
}

dent_status islands_build(struct sim_model *model, struct rigid_islands *islands)
{
    size_t count = model->rigid_count;
    islands->radii = sim_allocate(model, count, sizeof *islands->radii);
    islands->slots = sim_allocate(model, count, sizeof *islands->slots);
    islands->tied = sim_allocate(model, count, sizeof *islands->tied);
    islands->parents = sim_allocate(model, model->body_count, sizeof *islands->parents);
    islands->foreign = sim_allocate(model, model->body_count, sizeof *islands->foreign);
    islands->islands = sim_allocate(model, count, sizeof *islands->islands);
    islands->bodies = sim_allocate(model, count, sizeof *islands->bodies);
    islands->levels = sim_allocate(model, count, sizeof *islands->levels);
    islands->heads = sim_allocate(model, count, sizeof *islands->heads);
    islands->vectors = sim_allocate(model, 24 * count, sizeof *islands->vectors);
    islands->joint_counts = sim_allocate(model, count, sizeof *islands->joint_counts);
    islands->joints = sim_allocate(model, JOINT_ROWS * (size_t)model->joint_count, sizeof *islands->joints);
    if (!islands->joint_counts || !islands->joints || !islands->radii || !islands->slots || !islands->tied ||
        !islands->parents || !islands->foreign || !islands->islands || !islands->bodies || !islands->levels ||
        !islands->heads || !islands->vectors) {
        return sim_no_memory(model->context);
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        islands->radii[r] = radius_of(model, &model->rigids[r]);
    }
    mark_tied(model, islands);
    return build_exact(model, islands);
}

void islands_tie_joints(const struct sim_model *model, struct rigid_islands *islands)
{
    for (uint32_t n = 0; n < model->joint_count; n++) {
        for (int s = 0; s < 2; s++) {
            if (model->joints[n].rigid[s] != SIM_NONE) {
                islands->tied[model->joints[n].rigid[s]] = true;
            }
        }
    }
}

void islands_destroy(dent_context *context, struct rigid_islands *islands)
{
    dent_release(context, islands->rows, (size_t)islands->row_capacity, sizeof *islands->rows);
    dent_release(context, islands->pairs, (size_t)islands->pair_capacity, sizeof *islands->pairs);
    dent_release(context, islands->links, (size_t)islands->link_capacity, sizeof *islands->links);
    rows_release(context, islands);
    for (uint32_t n = 0; n < islands->exact_count; n++) {
        island_exact_destroy(&islands->exact[n]);
    }
    dent_release(context, islands->exact, islands->exact_count, sizeof *islands->exact);
    block_room_release(context, &islands->room);
}

/* ---- what stages share ------------------------------------------------------------------------------------------- */

void island_fill_body(const struct sim_model *model, const dent_rigid_state *pose, struct island_body *body)
{
    double turn[9], half[9];
    rigid_rotation(pose->orientation, turn);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            const double *inertia = model->rigids[body->rigid].inertia;
            half[3 * i + j] =
                turn[3 * i] * inertia[j] + turn[3 * i + 1] * inertia[3 + j] + turn[3 * i + 2] * inertia[6 + j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            body->inertia[3 * i + j] = sim_dot(half + 3 * i, turn + 3 * j);
        }
    }
    dent_rigid_inverse_inertia(pose, body->inverse_inertia);
}

struct island_problem island_problem_of(const struct islands_call *call, struct island *island)
{
    struct rigid_islands *islands = call->islands;
    double *vectors = islands->vectors + 24 * (size_t)island->first_body;
    size_t count = 6 * (size_t)island->body_count;
    return (struct island_problem){.room = &islands->room,
                                   .exact = islands->exact ? &islands->exact[call->worker] : NULL,
                                   .island = island,
                                   .bodies = islands->bodies + island->first_body,
                                   .rows = islands->rows ? islands->rows + island->first_row : NULL,
                                   .joints = islands->joints + island->first_joint,
                                   .free = vectors,
                                   .velocity = vectors + count,
                                   .gradient = vectors + 2 * count,
                                   .step = vectors + 3 * count};
}

double island_fastest_point(const struct island_problem *problem, const double *velocity)
{
    double fastest = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const double *v = velocity + 6 * (size_t)i;
        double speed = sqrt(sim_dot(v, v)) + problem->bodies[i].radius * sqrt(sim_dot(v + 3, v + 3));
        fastest = speed > fastest ? speed : fastest;
    }
    return fastest;
}

bool island_is_moved(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->row_count; r++) {
        if (problem->rows[r].moving) {
            return true;
        }
    }
    return false;
}

/* ---- push -------------------------------------------------------------------------------------------------------- */

static void push_island(void *data, uint32_t number, uint32_t worker)
{
    struct islands_call call = *(const struct islands_call *)data;
    call.worker = worker;
    if (call.islands->islands[number].active) {
        island_push(&call, &call.islands->islands[number]);
    }
}

/* Of contacts of sleeping bodies, too: they keep the forces they fell asleep with. */
static void report_forces(const struct islands_call *call, struct contact_set *contacts)
{
    double share = 1 / (call->model->substep * contacts->substeps);
    for (uint32_t r = 0; r < call->islands->row_count; r++) {
        const struct island_row *row = &call->islands->rows[r];
        const dent_contact_force *force = &call->state->forces[row->contact];
        double *sum = contacts->reported[row->contact].force;
        sim_add_scaled(sum, share * force->normal, contacts->records[row->contact].normal);
        sim_add_scaled(sum, share, force->tangent);
    }
}

dent_status islands_push(const struct sim_model *model, struct sim_state *state, struct contact_set *contacts,
                         const double *start, const struct rigid_motion *motion, struct rigid_islands *islands,
                         struct step_report *report)
{
    struct islands_call call = {model, state, contacts, start, motion, islands, 0};
    uint64_t begin = dent_clock_ns();
    dent_status status = islands->island_count > 0
                             ? dent_parallel_for(model->context, islands->island_count, push_island, &call)
                             : DENT_OK;
    report_forces(&call, contacts);
    report->statistics.rigid_islands = islands->island_count;
    for (uint32_t n = 0; n < islands->island_count; n++) {
        const struct island *island = &islands->islands[n];
        if (island->active) {
            dent_sim_statistics *statistics = &report->statistics;
            statistics->rigid_newtons =
                island->newtons > statistics->rigid_newtons ? island->newtons : statistics->rigid_newtons;
            statistics->rigid_residual =
                island->residual > statistics->rigid_residual ? island->residual : statistics->rigid_residual;
        }
    }
    dent_status counted = collect_exact(model, islands, report);
    report->ns_respond += dent_clock_ns() - begin;
    return status == DENT_OK ? counted : status;
}

/* ---- settle ------------------------------------------------------------------------------------------------------ */


/* The velocities that were solved for; those that rigid_finish derives from poses hold turns that are small. The angular
 * momentum goes over to the new pose, where the inertia is what bounces see. */
static void keep_velocities(const struct islands_call *call, const struct island_problem *problem)
{
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        struct island_body *body = &problem->bodies[i];
        dent_rigid_state *pose = &call->state->rigids[body->rigid];
        const double *velocity = problem->velocity + 6 * (size_t)i;
        double momentum[3];
        memcpy(pose->linear_velocity, velocity, sizeof pose->linear_velocity);
        for (int k = 0; k < 3; k++) {
            momentum[k] = sim_dot(body->inertia + 3 * k, velocity + 3);
        }
        island_fill_body(call->model, pose, body);
        for (int k = 0; k < 3; k++) {
            pose->angular_velocity[k] = sim_dot(body->inverse_inertia + 3 * k, momentum);
        }
    }
}

static void settle_island(void *data, uint32_t number, uint32_t worker)
{
    struct islands_call call = *(const struct islands_call *)data;
    struct island *island = &call.islands->islands[number];
    call.worker = worker;
    if (island->active) {
        struct island_problem problem = island_problem_of(&call, island);
        keep_velocities(&call, &problem);
        island_bounce(&call, &problem);
        island_recover(&call, &problem);
        if (island->joint_count > 0) {
            joint_energy_end(call.model, call.state, call.motion, &problem);
        }
    }
}

dent_status islands_settle(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                           const struct rigid_motion *motion, struct rigid_islands *islands, struct step_report *report)
{
    struct islands_call call = {model, state, contacts, NULL, motion, islands, 0};
    uint64_t begin = dent_clock_ns();
    dent_status status = DENT_OK;
    if (islands->island_count > 0) {
        status = dent_parallel_for(model->context, islands->island_count, settle_island, &call);
    }
    joints_measure(model, state);
    rest_put_to_sleep(model, state, islands);
    dent_status counted = collect_exact(model, islands, report);
    report->ns_respond += dent_clock_ns() - begin;
    return status == DENT_OK ? counted : status;
}

/* ---- waking ------------------------------------------------------------------------------------------------------ */

void islands_wake(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                  const double *start, struct rigid_islands *islands)
{
    struct islands_call call = {model, state, contacts, start, NULL, islands, 0};
    for (uint32_t r = 0; r < islands->row_count; r++) {
        row_measure_drift(&call, &islands->rows[r]);
    }
    rest_wake_islands(model, state, islands);
}
