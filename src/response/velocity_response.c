/* Velocities: projected Gauss-Seidel on impulses (the LCP of Baraff 1994 and Stewart and Trinkle 1996 in motion space:
 * its matrix is never formed).
 *
 *     for every contact: r = n . v - target;  impulse' = max(lower, impulse - r / W);  v += M^-1 J^T (impulse' -
 * impulse) friction: the impulse that would stop the slip, projected on the disc |p_t| <= friction * p_n
 *
 * target: an impact faster than restitution_threshold leaves with restitution times the speed it came with; apart, the contact
 * may close its gap in this step and no more; overlapping, a share of the overlap per step is taken out. Within the
 * target gap s (Redon's part of the tutorial, eq. 29, with a rate term, as a velocity): the speed u of parting
 * becomes at least u + dt (k (s - gap) - 2 sqrt(k) u) with sqrt(k) = 0.2 / dt, which is 0.6 u + 0.04 (s - gap) / dt.
 *
 * Restitution as a ratio of speeds (Newton's) can gain energy where friction is strong and the normal impulse turns a
 * body against its slip (Kane and Levinson 1985). Impulses p at contacts that move with u before and u' after change
 * the kinetic energy by the sum of p . (u + u') / 2; where that is more than overlap and target gap ask for, restitution
 * is lowered for all impacts of the call, by bisection, until it is not.
 *
 * After dent_position_solve the same sweep serves as its last pass: only contacts that pushed take part, they reach
 * exactly the speed restitution asks for, and may pull by as much as they pushed: speed that comes from pushing out old
 * overlap is taken away again. */
#include <float.h>
#include <math.h>

#include "response/exact_rows.h"

dent_velocity_def dent_velocity_def_default(void)
{
    dent_velocity_def def = {0};
    def.struct_size = sizeof def;
    def.iterations = 50;
    def.warm_start = 0.9;
    def.correction = 0.2;
    def.correction_speed = INFINITY;
    return def;
}

static dent_status check_def(dent_response *response, const dent_velocity_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the velocity def was not made by dent_velocity_def_default()");
    }
    if (def->iterations == 0 || !(def->tolerance >= 0) || !(def->warm_start >= 0 && def->warm_start <= 1) ||
        !(def->restitution_threshold >= 0) || !(def->correction >= 0 && def->correction <= 1) ||
        !(def->slop >= 0 && def->slop <= DBL_MAX) || !(def->correction_speed >= 0) ||
        !(def->target_gap >= 0 && def->target_gap <= DBL_MAX)) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "a number of the velocity def is out of range");
    }
    return DENT_OK;
}

struct velocities {
    struct response_work *work;
    const dent_velocity_def *def;
    double time_step;
    dent_status status; /* exact: of the first solve */
};

static void relative_velocity(const struct response_work *work, const struct response_row *row, double out[3])
{
    const dent_response_body *a = &work->problem->bodies[row->a.body], *b = &work->problem->bodies[row->b.body];
    double other[3];
    side_velocity(&row->a, a->velocities, a->rigid, out);
    side_velocity(&row->b, b->velocities, b->rigid, other);
    vector_add_scaled(out, -1, other);
}

/* Before the step, where the caller says so. */
static double approach_speed(const struct response_work *work, const struct response_row *row)
{
    const dent_response_body *a = &work->problem->bodies[row->a.body], *b = &work->problem->bodies[row->b.body];
    double before[3], other[3];
    side_velocity(&row->a, a->velocities_start ? a->velocities_start : a->velocities,
                  a->rigid_start ? a->rigid_start : a->rigid, before);
    side_velocity(&row->b, b->velocities_start ? b->velocities_start : b->velocities,
                  b->rigid_start ? b->rigid_start : b->rigid, other);
    vector_add_scaled(before, -1, other);
    return vector_dot(before, row->normal);
}

static double target_speed(const struct velocities *velocities, struct response_row *row)
{
    const dent_velocity_def *def = velocities->def;
    double approach = approach_speed(velocities->work, row), target = 0;
    bool meets = def->after_positions || -approach * velocities->time_step > row->gap;
    if (!def->after_positions && row->gap > 0) {
        target = -row->gap / velocities->time_step;
    } else if (!def->after_positions && -row->gap > def->slop) {
        target = def->correction * (-row->gap - def->slop) / velocities->time_step;
        if (target > def->correction_speed) {
            target = def->correction_speed;
            row->capped = true;
        }
    }
    if (!def->after_positions && def->target_gap > 0 && row->gap < def->target_gap) {
        double held = 0.6 * approach + 0.04 * (def->target_gap - row->gap) / velocities->time_step;
        target = held > target ? held : target;
    }
    row->unbounced = target;
    if (meets && approach < -def->restitution_threshold) {
        row->bounce = -row->material.restitution * approach;
        target = row->bounce > target ? row->bounce : target;
    }
    if (!def->after_positions) { /* what the impact came with: at entry or before the step, whichever is faster */
        relative_velocity(velocities->work, row, row->start);
        double entry = vector_dot(row->start, row->normal);
        vector_add_scaled(row->start, approach < entry ? approach - entry : 0, row->normal);
    }
    return target;
}

/* Targets look at the velocities at entry, so they are all found before the first impulse. */
static void begin_row(void *data, struct response_row *row)
{
    struct velocities *velocities = data;
    row->active = !velocities->def->after_positions || row->previous_normal > 0;
    row->target = target_speed(velocities, row);
    row->lower = velocities->def->after_positions ? -row->previous_normal : 0;
    if (!velocities->def->after_positions) {
        response_tangent_frame(row);
    }
}

static void warm_row(void *data, struct response_row *row)
{
    struct velocities *velocities = data;
    double push[3];
    if (!(row->previous_normal > 0)) {
        return;
    }
    row->impulse = velocities->def->warm_start * row->previous_normal;
    for (int i = 0; i < 3; i++) {
        row->tangent[i] = velocities->def->warm_start * row->previous_tangent[i];
        push[i] = row->impulse * row->normal[i] + row->tangent[i];
    }
    if (!response_push(velocities->work, row, push)) {
        row->impulse = row->tangent[0] = row->tangent[1] = row->tangent[2] = 0;
    }
}

static void friction_row(struct velocities *velocities, struct response_row *row)
{
    double velocity[3], wanted[3], push[3];
    relative_velocity(velocities->work, row, velocity);
    double along = vector_dot(velocity, row->first_tangent), across = vector_dot(velocity, row->second_tangent);
    double first = row->tangent_inverse[0] * along + row->tangent_inverse[1] * across;
    double second = row->tangent_inverse[1] * along + row->tangent_inverse[2] * across;
    for (int i = 0; i < 3; i++) {
        wanted[i] = row->tangent[i] - first * row->first_tangent[i] - second * row->second_tangent[i];
    }
    if (response_push_tangent(velocities->work, row, wanted, push)) {
        double change = sqrt(vector_dot(push, push)) * row->normal_mobility;
        row->change = change > row->change ? change : row->change;
    }
}

static void solve_row(void *data, struct response_row *row)
{
    struct velocities *velocities = data;
    double velocity[3], push[3];
    if (!row->active || row->state == DENT_ACTION_REJECTED) {
        return;
    }
    relative_velocity(velocities->work, row, velocity);
    double excess = vector_dot(velocity, row->normal) - row->target;
    double total = row->impulse - excess / row->normal_mobility;
    if (!(total > row->lower)) {
        total = row->lower;
    }
    double change = total - row->impulse;
    for (int i = 0; i < 3; i++) {
        push[i] = change * row->normal[i];
    }
    if (!response_push(velocities->work, row, push)) {
        return;
    }
    row->impulse = total;
    row->change = fabs(change) * row->normal_mobility;
    row->state = DENT_ACTION_SLIDING;
    if (!velocities->def->after_positions) {
        if (total > 0 || vector_dot(row->tangent, row->tangent) > 0) {
            friction_row(velocities, row);
        }
        if (row->impulse == 0 && row->state != DENT_ACTION_REJECTED) {
            row->state = DENT_ACTION_NONE;
        }
    }
}

/* Natural residual |min(impulse, speed above target)|, as a speed. */
static void end_row(void *data, struct response_row *row)
{
    struct velocities *velocities = data;
    double velocity[3];
    row->change = 0;
    if (!row->active || row->state == DENT_ACTION_REJECTED) {
        return;
    }
    relative_velocity(velocities->work, row, velocity);
    double excess = vector_dot(velocity, row->normal) - row->target;
    double room = (row->impulse - row->lower) * row->normal_mobility;
    row->change = fabs(room < excess ? room : excess);
}

static double largest_change(const struct response_work *work)
{
    double largest = 0;
    for (uint64_t i = 0; i < work->active_count; i++) {
        double change = work->rows[work->order[i]].change;
        largest = change > largest ? change : largest;
    }
    return largest;
}

/* Energy that impacts gain, as the sum above; *scale: the same with absolute values. Corrections of overlap and of the
 * target gap do work of their own, impulse times target, which is what they are for. */
static double energy_gained(const struct response_work *work, double *scale)
{
    double sum = 0;
    *scale = 0;
    for (uint64_t i = 0; i < work->active_count; i++) {
        const struct response_row *row = &work->rows[work->order[i]];
        double velocity[3], push[3];
        if (row->state == DENT_ACTION_REJECTED) {
            continue;
        }
        relative_velocity(work, row, velocity);
        for (int k = 0; k < 3; k++) {
            push[k] = row->impulse * row->normal[k] + row->tangent[k];
        }
        double wanted = row->unbounced > 0 ? row->impulse * row->unbounced : 0;
        sum += 0.5 * (vector_dot(push, row->start) + vector_dot(push, velocity)) - wanted;
        *scale += fabs(vector_dot(push, row->start)) + fabs(vector_dot(push, velocity));
    }
    return sum;
}

static bool gains_energy(const struct response_work *work)
{
    double scale, gained = energy_gained(work, &scale);
    return gained > 1e-10 * scale;
}

/* By the exact solver where the def says so: then a later failure leaves what was solved before. */
static void sweep_until_done(struct response_work *work, struct velocities *velocities, uint32_t *iterations)
{
    const dent_velocity_def *def = velocities->def;
    if (def->exact) {
        velocities->status = response_exact_run(work, iterations);
        return;
    }
    for (uint32_t n = 0; n < def->iterations; n++) {
        response_sweep(work, solve_row, velocities);
        (*iterations)++;
        if (def->tolerance > 0 && largest_change(work) <= def->tolerance) {
            break;
        }
    }
}

static void set_restitution(struct response_work *work, double share)
{
    for (uint64_t i = 0; i < work->active_count; i++) {
        struct response_row *row = &work->rows[work->order[i]];
        double bounce = share * row->bounce;
        if (row->bounce > row->unbounced) {
            row->target = bounce > row->unbounced ? bounce : row->unbounced;
            row->capped = true;
        }
    }
}

static bool any_bounces(const struct response_work *work)
{
    bool any = false;
    for (uint64_t i = 0; i < work->active_count && !any; i++) {
        const struct response_row *row = &work->rows[work->order[i]];
        any = row->bounce > row->unbounced && row->impulse > 0;
    }
    return any;
}

/* The largest share of the restitution, to 1/64, that gains nothing; rarely more than a look at the sum. */
static void take_gains_back(struct response_work *work, struct velocities *velocities, uint32_t *iterations)
{
    enum { HALVINGS = 6 };
    double low = 0, high = 1, last = 1;
    if (!any_bounces(work) || !gains_energy(work)) {
        return;
    }
    for (int n = 0; n < HALVINGS; n++) {
        last = 0.5 * (low + high);
        set_restitution(work, last);
        sweep_until_done(work, velocities, iterations);
        if (gains_energy(work)) {
            high = last;
        } else {
            low = last;
        }
    }
    if (last != low) {
        set_restitution(work, low);
        sweep_until_done(work, velocities, iterations);
    }
}

/* After positions: what the record says of the position pass stays, with the impulse added. */
static void keep_position_record(struct response_work *work)
{
    for (uint64_t i = 0; i < work->active_count; i++) {
        struct response_row *row = &work->rows[work->order[i]];
        if (row->remembered && row->state != DENT_ACTION_REJECTED) {
            row->impulse += row->previous_normal;
            memcpy(row->tangent, row->previous_tangent, sizeof row->tangent);
            memcpy(row->slip, row->previous_slip, sizeof row->slip);
            row->state = row->previous_state;
        }
    }
}

static void entry_velocity(void *data, const struct response_row *row, double entry[3])
{
    relative_velocity(((struct velocities *)data)->work, row, entry);
}

static dent_status begin(struct response_work *work, struct velocities *velocities, uint32_t *iterations)
{
    const dent_velocity_def *def = velocities->def;
    response_sweep(work, begin_row, velocities);
    if (def->exact) {
        velocities->status = response_exact_begin(work, entry_velocity, velocities, !def->after_positions);
    } else if (!def->after_positions && def->warm_start > 0) {
        response_sweep(work, warm_row, velocities);
    }
    if (velocities->status == DENT_OK) {
        sweep_until_done(work, velocities, iterations);
    }
    return velocities->status;
}

static dent_status run(struct response_work *work, const void *data, dent_response_report *report)
{
    const dent_velocity_def *def = data;
    struct velocities velocities = {work, def, work->problem->time_step, DENT_OK};
    dent_status status = begin(work, &velocities, &report->iterations);
    if (status != DENT_OK) {
        return status;
    }
    if (!def->after_positions) {
        take_gains_back(work, &velocities, &report->iterations);
    }
    response_sweep(work, end_row, &velocities);
    report->residual = largest_change(work);
    response_audit_end(work, 1, report);
    if (def->after_positions) {
        keep_position_record(work);
    }
    response_finish(work, 1, report);
    return DENT_OK;
}

dent_status dent_velocity_solve(dent_response *response, const dent_response_problem *problem,
                                const dent_velocity_def *def, dent_response_report *report)
{
    DENT_REQUIRE(NULL, response);
    DENT_REQUIRE(response->context, problem);
    DENT_REQUIRE(response->context, def);
    dent_status status = check_def(response, def);
    return status == DENT_OK ? response_solve(response, problem, QUANTITY_VELOCITY, run, def, report) : status;
}
