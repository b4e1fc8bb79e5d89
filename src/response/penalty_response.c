/* Penalty: every overlapping contact is a spring with a damper, friction a second spring in the tangent plane that
 * gives way at the Coulomb limit.
 *
 *     f_n = k d - clamp(c v_n, -k d, k d),  d = max(0, margin - gap)       between 0 and 2 k d: continuous, never pulls
 *     f_t = -(k s + c v_t),  s the slip since the contact was anchored;    |f_t| <= friction * f_n
 *
 * Stable by construction. For symplectic Euler one spring is stable while k dt^2 + 2 c dt <= 4 m (Jury's test). Many
 * springs: with J_c the row of contact c and 1/m_c = J_c M^-1 J_c^T, Cauchy gives for any motion y
 *     k_c (J_c y)^2 <= (k_c / m_c) * sum over its nodes j of m_j y_j^2,
 * and if k_c <= K m_c / N_c with N_c at least the number of contacts at each of its nodes, the sum over all contacts is
 * <= K * sum_j m_j y_j^2: the stiffness matrix is nowhere above K M, as if every node hung on one spring alone. The
 * same holds for the dampers. So k = ratio * m_c / (N_c dt^2) and c = 2 zeta sqrt(k m_c / N_c) keep the single limit,
 * whatever the number, direction and place of the contacts (squeezed bodies included). A rigid body is one node.
 *
 * Forces are computed side by side and added in the order of contacts. */
#include <float.h>
#include <math.h>

#include "base/floating_point_guard.h"
#include "response/response_rows.h"

dent_penalty_def dent_penalty_def_default(void)
{
    dent_penalty_def def = {0};
    def.struct_size = sizeof def;
    def.stiffness_ratio = 0.25;
    def.damping_ratio = 0.3;
    def.force_limit = INFINITY;
    return def;
}

static dent_status check_def(dent_response *response, const dent_penalty_def *def)
{
    if (!def || def->struct_size != sizeof *def) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the penalty def was not made by dent_penalty_def_default()");
    }
    if (!(def->stiffness >= 0 && def->stiffness <= DBL_MAX) ||
        !(def->stiffness_ratio >= 0 && def->stiffness_ratio <= 1) ||
        !(def->damping_ratio >= 0 && def->damping_ratio <= DBL_MAX) || !(def->margin >= 0 && def->margin <= DBL_MAX) ||
        !(def->force_limit >= 0)) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT, "a number of the penalty def is out of range");
    }
    return DENT_OK;
}

struct penalty {
    struct response_work *work;
    const dent_penalty_def *def;
    double time_step;
};

/* k and c of one contact. `mass` is m_c / N_c. */
static void spring_of(const struct penalty *penalty, double mass, double *stiffness, double *damping)
{
    const dent_penalty_def *def = penalty->def;
    double time_step = penalty->time_step;
    *stiffness = def->stiffness > 0 ? def->stiffness : def->stiffness_ratio * mass / (time_step * time_step);
    *damping = 2 * def->damping_ratio * sqrt(*stiffness * mass);
}

static double clamp(double value, double limit)
{
    return value < -limit ? -limit : value > limit ? limit : value;
}

/* Friction spring: the anchor drags behind when the limit is reached. Without a memory of earlier steps there is no
 * anchor: a damper that would stop half the slip in this step takes its place. */
static void friction_force(const struct penalty *penalty, struct response_row *row, const double velocity[3],
                           double mass, double force, double stiffness, double damping)
{
    double sliding[3], pull[3];
    tangential3(velocity, row->normal, sliding);
    bool anchored = penalty->work->problem->previous != NULL;
    double rate = anchored ? damping : 0.5 * mass / penalty->time_step;
    for (int i = 0; i < 3; i++) {
        row->slip[i] =
            row->remembered && row->previous_normal > 0 ? row->previous_slip[i] + sliding[i] * penalty->time_step : 0;
        pull[i] = -(anchored ? stiffness * row->slip[i] : 0) - rate * sliding[i];
    }
    double size = sqrt(vector_dot(pull, pull)), hold = row->material.friction_static * force;
    row->state = DENT_ACTION_STICKING;
    if (size > hold) {
        double slide = row->material.friction_kinetic * force, share = slide / size;
        row->state = DENT_ACTION_SLIDING;
        for (int i = 0; i < 3; i++) {
            pull[i] *= share;
            row->slip[i] = anchored && stiffness > 0 ? -pull[i] / stiffness : 0;
        }
    }
    memcpy(row->tangent, pull, sizeof pull);
}

static void row_force(void *data, struct response_row *row)
{
    const struct penalty *penalty = data;
    const dent_response_body *bodies = penalty->work->problem->bodies;
    double depth = penalty->def->margin - row->gap, mass, stiffness, damping, velocity_a[3], velocity_b[3];
    if (!(depth > 0)) {
        return;
    }
    mass = 1 / (row->normal_mobility * response_sharing(penalty->work, row));
    spring_of(penalty, mass, &stiffness, &damping);
    side_velocity(&row->a, bodies[row->a.body].velocities, bodies[row->a.body].rigid, velocity_a);
    side_velocity(&row->b, bodies[row->b.body].velocities, bodies[row->b.body].rigid, velocity_b);
    vector_add_scaled(velocity_a, -1, velocity_b);
    double push = stiffness * depth, force = push - clamp(damping * vector_dot(velocity_a, row->normal), push);
    if (force > penalty->def->force_limit) {
        force = penalty->def->force_limit;
        row->capped = true;
    }
    friction_force(penalty, row, velocity_a, mass, force, stiffness, damping);
    row->impulse = force;
    if (!(fabs(force) <= DBL_MAX) || !(fabs(vector_dot(row->tangent, row->tangent)) <= DBL_MAX)) {
        row->impulse = row->tangent[0] = row->tangent[1] = row->tangent[2] = 0; /* overflow: never into the caller's */
        row->slip[0] = row->slip[1] = row->slip[2] = 0;
        row->state = DENT_ACTION_REJECTED;
    }
}

static dent_status run(struct response_work *work, const void *data, dent_response_report *report)
{
    const dent_penalty_def *def = data;
    response_mark_squeezed(work, def->margin);
    struct penalty penalty = {work, def, work->problem->time_step};
    response_sweep(work, row_force, &penalty);
    response_add_forces(work);
    report->iterations = 1;
    response_audit_end(work, work->problem->time_step, report);
    response_finish(work, work->problem->time_step, report);
    return DENT_OK;
}

dent_status dent_penalty_forces(dent_response *response, const dent_response_problem *problem,
                                const dent_penalty_def *def, dent_response_report *report)
{
    DENT_REQUIRE(NULL, response);
    DENT_REQUIRE(response->context, problem);
    DENT_REQUIRE(response->context, def);
    dent_status status = check_def(response, def);
    return status == DENT_OK ? response_solve(response, problem, QUANTITY_FORCE, run, def, report) : status;
}

/* ---- the step limit ------------------------------------------------------------------------------------------ */

static DENT_NOINLINE dent_status find_limit(dent_response *response, const dent_response_problem *problem,
                                            const dent_penalty_def *def, double *limit)
{
    struct response_work work;
    dent_response_problem timeless = *problem;
    timeless.time_step = 1; /* springs with a given stiffness do not look at it */
    dent_status status = response_prepare(&work, response, &timeless, QUANTITY_FORCE);
    if (status != DENT_OK) {
        return status;
    }
    struct penalty penalty = {&work, def, 1};
    double least = INFINITY;
    for (uint64_t i = 0; i < work.active_count; i++) {
        const struct response_row *row = &work.rows[work.order[i]];
        double mass = 1 / (row->normal_mobility * response_sharing(&work, row)), stiffness, damping;
        spring_of(&penalty, mass, &stiffness, &damping);
        /* the positive root of k t^2 + 2 c t = 4 m, written without cancellation */
        double root = 4 * mass / (damping + sqrt(damping * damping + 4 * stiffness * mass));
        if (root < least) {
            least = root;
        }
    }
    *limit = least;
    return DENT_OK;
}

dent_status dent_penalty_step_limit(dent_response *response, const dent_response_problem *problem,
                                    const dent_penalty_def *def, double *limit)
{
    DENT_REQUIRE(NULL, response);
    DENT_REQUIRE(response->context, problem);
    DENT_REQUIRE(response->context, def);
    DENT_REQUIRE(response->context, limit);
    struct floating_point_guard guard;
    dent_status status = check_def(response, def);
    if (status != DENT_OK) {
        return status;
    }
    if (!(def->stiffness > 0)) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "a step limit needs a stiffness: 0 chooses the stiffness by the step");
    }
    if (!problem || problem->struct_size != sizeof *problem) {
        return dent_fail(response->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the response problem was not made by dent_response_problem_default()");
    }
    floating_point_guard_enter(&guard);
    status = find_limit(response, problem, def, limit);
    floating_point_guard_leave(&guard);
    return status;
}
