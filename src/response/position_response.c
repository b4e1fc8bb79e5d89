/* Positions: extended position-based dynamics (Macklin, Mueller, Chentanez 2016; rigid bodies after Mueller et al.
 * 2020).
 *
 *     C = gap + n . ((xa - xb) - (xa - xb at detection)) - rest distance >= 0
 *     change of lambda = (-C - softness lambda) / (W + softness), softness = compliance / dt^2; the sum stays >= 0
 *
 * Friction is a second constraint on the tangential displacement u since the step's start, plus the slip carried over
 * from the last step: its multiplier takes all of u back while it is at most friction_static * lambda (sticking), and
 * is cut to friction_kinetic * lambda beyond (sliding). What a sticking contact could not take back in this step
 * (others pulled at the same vertices) is carried to the next: without this anchor stacks creep.
 *
 * Overlap that was there before the step comes back out at recovery_speed at most: with C0 the gap at the step's start,
 * min(0, C0 + recovery_speed dt) is allowed to remain. A contact that pushes a node against another one gets a little
 * softness, so that the two share the overlap instead of chasing one another.
 *
 * Rigid bodies: the arm and the inertia at entry make the lever of every correction of this call (so angular momentum
 * is kept to rounding), the gap is read at the turned snapshot. */
#include <float.h>
#include <math.h>

#include "response/exact_rows.h"

dent_position_def dent_position_def_default(void)
{
    dent_position_def def = {0};
    def.struct_size = sizeof def;
    def.iterations = 1;
    def.recovery_speed = INFINITY;
    def.warm_start = 1;
    def.anchor_rate = 0.2;
    def.squeeze_compliance = 1e-9;
    return def;
}

static dent_status check_def(dent_response *response, const dent_position_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the position def was not made by dent_position_def_default()");
    }
    if (def->iterations == 0 || !(fabs(def->target_gap) <= DBL_MAX) || !(def->recovery_speed >= 0) ||
        !(def->warm_start >= 0 && def->warm_start <= 1) || !(def->anchor_rate >= 0 && def->anchor_rate <= 1) ||
        !(def->squeeze_compliance >= 0 && def->squeeze_compliance <= DBL_MAX)) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "a number of the position def is out of range");
    }
    return DENT_OK;
}

struct positions {
    struct response_work *work;
    const dent_position_def *def;
    double time_step;
};

/* xa - xb now. */
static void separation(const struct response_work *work, const struct response_row *row, double out[3])
{
    const dent_response_body *a = &work->problem->bodies[row->a.body], *b = &work->problem->bodies[row->b.body];
    double other[3];
    side_position(&row->a, a->positions, a->rigid, out);
    side_position(&row->b, b->positions, b->rigid, other);
    vector_add_scaled(out, -1, other);
}

/* xa - xb at the step's start. */
static void separation_at_start(const struct response_work *work, const struct response_row *row, double out[3])
{
    const dent_response_body *a = &work->problem->bodies[row->a.body], *b = &work->problem->bodies[row->b.body];
    double other[3];
    side_position(&row->a, a->positions_start ? a->positions_start : a->positions,
                  a->rigid_start ? a->rigid_start : a->rigid, out);
    side_position(&row->b, b->positions_start ? b->positions_start : b->positions,
                  b->rigid_start ? b->rigid_start : b->rigid, other);
    vector_add_scaled(out, -1, other);
}

static void begin_row(void *data, struct response_row *row)
{
    struct positions *positions = data;
    const dent_contact *contact = &positions->work->problem->contacts[row->index];
    double found[3];
    for (int i = 0; i < 3; i++) {
        found[i] = contact->point_a[i] - contact->point_b[i];
    }
    separation_at_start(positions->work, row, row->start);
    row->active = true;
    row->target = (row->gap - vector_dot(row->normal, found)) - positions->def->target_gap;
    double at_start = row->target + vector_dot(row->normal, row->start);
    double allowed = at_start + positions->def->recovery_speed * positions->time_step;
    if (allowed < 0) {
        row->target -= allowed;
        row->capped = true;
    }
    row->softness = row->material.compliance / (positions->time_step * positions->time_step);
    double least = positions->def->squeeze_compliance * row->normal_mobility;
    if (row->squeezed && row->softness < least) {
        row->softness = least;
    }
}

/* Begins with the push of the last step: a body at rest finds its balance in it, and one sweep changes nothing. */
static void warm_row(void *data, struct response_row *row)
{
    struct positions *positions = data;
    double factor = positions->def->warm_start * positions->time_step, push[3], tangent[3];
    if (!(row->previous_normal > 0)) {
        return;
    }
    for (int i = 0; i < 3; i++) {
        tangent[i] = factor * row->previous_tangent[i];
        push[i] = factor * row->previous_normal * row->normal[i] + tangent[i];
    }
    if (response_push(positions->work, row, push)) {
        row->impulse = factor * row->previous_normal;
        memcpy(row->tangent, tangent, sizeof tangent);
    }
}

/* Tangential displacement that friction should take back. */
static void slip_of(const struct positions *positions, const struct response_row *row, double slip[3])
{
    double moved[3];
    separation(positions->work, row, moved);
    vector_add_scaled(moved, -1, row->start);
    vector_add_scaled(moved, positions->def->anchor_rate, row->previous_slip);
    tangential3(moved, row->normal, slip);
}

static void friction_row(struct positions *positions, struct response_row *row)
{
    double slip[3], moved[3], wanted[3], push[3];
    slip_of(positions, row, slip);
    multiply3(row->mobility, slip, moved);
    double size = vector_dot(slip, slip), along = vector_dot(slip, moved);
    /* along / size is the mobility in the direction of the slip */
    double factor = size > 0 && along > 0 ? size / along : 0;
    for (int i = 0; i < 3; i++) {
        wanted[i] = row->tangent[i] - factor * slip[i];
    }
    tangential3(wanted, row->normal, wanted);
    response_push_tangent(positions->work, row, wanted, push);
}

static void solve_row(void *data, struct response_row *row)
{
    struct positions *positions = data;
    double apart[3], push[3];
    if (row->state == DENT_ACTION_REJECTED) {
        return;
    }
    separation(positions->work, row, apart);
    double overlap = row->target + vector_dot(row->normal, apart);
    double change = (-overlap - row->softness * row->impulse) / (row->normal_mobility + row->softness);
    double total = row->impulse + change;
    if (!(total > 0)) {
        total = 0; /* the sum is clamped, not the step; NaN ends here too */
    }
    change = total - row->impulse;
    for (int i = 0; i < 3; i++) {
        push[i] = change * row->normal[i];
    }
    if (!response_push(positions->work, row, push)) {
        return;
    }
    row->impulse = total;
    if (total > 0 || vector_dot(row->tangent, row->tangent) > 0) {
        friction_row(positions, row);
    }
    if (row->impulse == 0 && row->state != DENT_ACTION_REJECTED) {
        row->state = DENT_ACTION_NONE;
    }
}

/* The overlap left, and the slip to carry: no more than friction could have taken back at once. */
static void end_row(void *data, struct response_row *row)
{
    struct positions *positions = data;
    double apart[3];
    if (row->state == DENT_ACTION_REJECTED) {
        return;
    }
    separation(positions->work, row, apart);
    row->change = -(row->target + vector_dot(row->normal, apart)) - row->softness * row->impulse;
    if (row->state != DENT_ACTION_STICKING) {
        return;
    }
    slip_of(positions, row, row->slip);
    double length = sqrt(vector_dot(row->slip, row->slip));
    double most = row->material.friction_static * row->impulse * row->normal_mobility;
    if (length > most) {
        for (int i = 0; i < 3; i++) {
            row->slip[i] *= most / length;
        }
    }
}

/* What an exact solve has to take back: the slip, and along the normal the separation that `target` is measured with. */
static void entry_displacement(void *data, const struct response_row *row, double entry[3])
{
    const struct positions *positions = data;
    double apart[3];
    slip_of(positions, row, entry);
    separation(positions->work, row, apart);
    vector_add_scaled(entry, vector_dot(row->normal, apart), row->normal);
}

/* The sweeps have the gap's constant part as `target`, the exact solver what the separation shall reach. */
static void turn_target(void *data, struct response_row *row)
{
    (void)data;
    row->target = -row->target;
}

static dent_status solve_exactly(struct response_work *work, struct positions *positions, uint32_t *iterations)
{
    for (uint64_t i = 0; i < work->active_count; i++) {
        response_tangent_frame(&work->rows[work->order[i]]);
    }
    dent_status status = response_exact_begin(work, entry_displacement, positions, true);
    response_sweep(work, turn_target, positions);
    status = status == DENT_OK ? response_exact_run(work, iterations) : status;
    response_sweep(work, turn_target, positions);
    return status;
}

static dent_status solve(struct response_work *work, struct positions *positions, uint32_t *iterations)
{
    const dent_position_def *def = positions->def;
    response_sweep(work, begin_row, positions);
    if (def->exact) {
        return solve_exactly(work, positions, iterations);
    }
    if (def->warm_start > 0) {
        response_sweep(work, warm_row, positions);
    }
    for (uint32_t i = 0; i < def->iterations; i++) {
        response_sweep(work, solve_row, positions);
    }
    *iterations = def->iterations;
    return DENT_OK;
}

static dent_status run(struct response_work *work, const void *data, dent_response_report *report)
{
    const dent_position_def *def = data;
    response_mark_squeezed(work, def->target_gap);
    struct positions positions = {work, def, work->problem->time_step};
    dent_status status = solve(work, &positions, &report->iterations);
    if (status != DENT_OK) {
        return status;
    }
    response_sweep(work, end_row, &positions);
    for (uint64_t i = 0; i < work->active_count; i++) {
        double left = work->rows[work->order[i]].change;
        report->residual = left > report->residual ? left : report->residual;
    }
    response_audit_end(work, 1 / work->problem->time_step, report);
    response_finish(work, 1 / work->problem->time_step, report);
    return DENT_OK;
}

dent_status dent_position_solve(dent_response *response, const dent_response_problem *problem,
                                const dent_position_def *def, dent_response_report *report)
{
    DENT_REQUIRE(NULL, response);
    DENT_REQUIRE(response->context, problem);
    DENT_REQUIRE(response->context, def);
    dent_status status = check_def(response, def);
    return status == DENT_OK ? response_solve(response, problem, QUANTITY_POSITION, run, def, report) : status;
}
