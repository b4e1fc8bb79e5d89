/* Sweeps over the contacts of an island: Gauss and Seidel's method on the impulses, each row in turn given the impulse
 * that it needs while the others stay. A sweep costs a hundredth of a factorisation, the velocities are always those of
 * the impulses, and what the rows together want,
 *
 *     D(p) = 1/2 |J^T p|^2 in the norm of M^-1 + sum of p . (u_free - target n) + yield/2 p_n^2,
 *
 * falls with every row. D(p) <= 0 says that contacts give no energy: they take 1/2 |J^T p|^2 and more. */
#include "island_solver.h"

#include <math.h>
#include <string.h>

/* velocity += M^-1 J^T impulse. */
static void apply_row(const struct island_problem *problem, const struct island_row *row, const double *impulse)
{
    for (int s = 0; s < 2; s++) {
        if (row->side[s] == SIM_NONE) {
            continue;
        }
        const struct island_body *body = &problem->bodies[row->side[s]];
        const double *arm = row->arm[s], *inverse = body->inverse_inertia;
        double *velocity = problem->velocity + (size_t)6 * row->side[s], sign = s == 0 ? 1 : -1;
        double part = sign * body->inverse_mass, x = sign * impulse[0], y = sign * impulse[1], z = sign * impulse[2];
        double moment[3] = {arm[1] * z - arm[2] * y, arm[2] * x - arm[0] * z, arm[0] * y - arm[1] * x};
        velocity[0] += part * impulse[0];
        velocity[1] += part * impulse[1];
        velocity[2] += part * impulse[2];
        velocity[3] += inverse[0] * moment[0] + inverse[1] * moment[1] + inverse[2] * moment[2];
        velocity[4] += inverse[3] * moment[0] + inverse[4] * moment[1] + inverse[5] * moment[2];
        velocity[5] += inverse[6] * moment[0] + inverse[7] * moment[1] + inverse[8] * moment[2];
    }
}

/* How far a unit impulse moves the sides apart: along the normal, and at most across it. */
static void measure_mobility(const struct island_problem *problem, struct island_row *row)
{
    double trace = 0, along = 0;
    for (int s = 0; s < 2; s++) {
        if (row->side[s] == SIM_NONE) {
            continue;
        }
        const struct island_body *body = &problem->bodies[row->side[s]];
        double matrix[9] = {0}, turned[3], moment[3], spin[3], motion[3];
        for (int i = 0; i < 3; i++) { /* the motion of the point by a unit impulse along axis i */
            double axis[3] = {i == 0, i == 1, i == 2};
            sim_cross(row->arm[s], axis, moment);
            for (int k = 0; k < 3; k++) {
                spin[k] = sim_dot(body->inverse_inertia + 3 * k, moment);
            }
            sim_cross(spin, row->arm[s], motion);
            for (int k = 0; k < 3; k++) {
                matrix[3 * k + i] = motion[k] + (k == i ? body->inverse_mass : 0);
            }
        }
        for (int k = 0; k < 3; k++) {
            turned[k] = sim_dot(matrix + 3 * k, row->normal);
        }
        trace += matrix[0] + matrix[4] + matrix[8];
        along += sim_dot(turned, row->normal);
    }
    row->mobility[0] = along;
    row->mobility[1] = trace - along;
}

/* Returns the change of the relative velocity. */
static double sweep_row(const struct island_problem *problem, struct island_row *row)
{
    double relative[3], tangent[3], impulse[3];
    island_relative_velocity(row, problem->velocity, relative);
    double along = sim_dot(row->normal, relative);
    double unclamped =
        row->normal_force - (along - row->target + row->yield * row->normal_force) / (row->mobility[0] + row->yield);
    double normal = unclamped > 0 ? unclamped : 0, change = normal - row->normal_force;
    if (normal == 0 && row->normal_force == 0) {
        return 0;
    }
    row->normal_force = normal;
    for (int i = 0; i < 3; i++) {
        impulse[i] = change * row->normal[i];
    }
    double moved = fabs(change) * row->mobility[0];
    if (problem->friction) {
        row->limit = (row->kinetic ? row->friction_kinetic : row->friction_static) * normal;
        for (int i = 0; i < 3; i++) {
            tangent[i] = row->tangent_force[i] - (relative[i] - along * row->normal[i]) / row->mobility[1];
        }
        double size = sqrt(sim_dot(tangent, tangent)), share = size > row->limit ? row->limit / size : 1, sum = 0;
        for (int i = 0; i < 3; i++) {
            double slid = share * tangent[i] - row->tangent_force[i];
            row->tangent_force[i] += slid;
            impulse[i] += slid;
            sum += slid * slid;
        }
        moved += sqrt(sum) * row->mobility[1];
    }
    apply_row(problem, row, impulse);
    return moved;
}

/* Impulses are summed before they become velocities, so that those that cancel do so to the bit. */
void island_apply_impulses(const struct island_problem *problem)
{
    uint32_t count = problem->island->body_count;
    memset(problem->step, 0, (size_t)6 * count * sizeof(double));
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        const struct island_row *row = &problem->rows[r];
        double impulse[3];
        if (row->target == -INFINITY || !(row->normal_force > 0)) {
            continue;
        }
        for (int i = 0; i < 3; i++) {
            impulse[i] = row->normal_force * row->normal[i] + (problem->friction ? row->tangent_force[i] : 0);
        }
        island_add_impulse(row, impulse, 1, problem->step);
    }
    joints_apply(problem, problem->step);
    for (uint32_t i = 0; i < count; i++) {
        const struct island_body *body = &problem->bodies[i];
        const double *sum = problem->step + (size_t)6 * i, *free = problem->free + (size_t)6 * i;
        double *velocity = problem->velocity + (size_t)6 * i;
        for (int k = 0; k < 3; k++) {
            velocity[k] = free[k] + sum[k] / body->mass;
            velocity[3 + k] = free[3 + k] + sim_dot(body->inverse_inertia + 3 * k, sum + 3);
        }
    }
}

/* Sticking contacts that slide at their limit have broken loose. */
static void break_loose(const struct island_problem *problem, double least_slip)
{
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        double relative[3], held = sqrt(sim_dot(row->tangent_force, row->tangent_force));
        if (row->kinetic || row->target == -INFINITY || !(row->friction_kinetic < row->friction_static) ||
            !(row->normal_force > 0) || !(held >= 0.999 * row->limit)) {
            continue;
        }
        island_relative_velocity(row, problem->velocity, relative);
        sim_add_scaled(relative, -sim_dot(relative, row->normal), row->normal);
        row->kinetic = sqrt(sim_dot(relative, relative)) > least_slip;
    }
}

double island_sweep(const struct island_problem *problem, uint32_t sweeps)
{
    uint32_t count = problem->island->acting_count;
    double moved = INFINITY;
    for (uint32_t r = 0; r < count; r++) {
        struct island_row *row = &problem->rows[r];
        if (row->target != -INFINITY) {
            measure_mobility(problem, row);
        }
    }
    for (uint32_t n = 0; n < sweeps && moved > problem->tolerance; n++) { /* forth and back */
        moved = joints_sweep(problem, n % 2 != 0);
        for (uint32_t i = 0; i < count; i++) {
            struct island_row *row = &problem->rows[n % 2 == 0 ? i : count - 1 - i];
            double here = row->target != -INFINITY ? sweep_row(problem, row) : 0;
            moved = here > moved ? here : moved;
        }
        if (problem->friction && 2 * n + 2 == sweeps) {
            break_loose(problem, 1e3 * problem->tolerance);
        }
    }
    return moved;
}

double island_violation(const struct island_problem *problem)
{
    double most = 0;
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        const struct island_row *row = &problem->rows[r];
        double relative[3];
        if (row->target != -INFINITY) {
            island_relative_velocity(row, problem->velocity, relative);
            double into = row->target - sim_dot(row->normal, relative) - row->yield * row->normal_force;
            most = into > most ? into : most;
        }
    }
    return most;
}

/* The parts of D that are quadratic and linear in the impulses. */
static void dual_parts(const struct island_problem *problem, double *quadratic, double *linear)
{
    uint32_t count = problem->island->body_count;
    for (size_t k = 0; k < (size_t)6 * count; k++) {
        problem->step[k] = problem->velocity[k] - problem->free[k];
    }
    *quadratic = island_product(problem->bodies, count, problem->step, problem->step);
    *linear = 0;
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        const struct island_row *row = &problem->rows[r];
        double relative[3];
        if (row->target == -INFINITY || !(row->normal_force > 0)) {
            continue;
        }
        island_relative_velocity(row, problem->free, relative);
        *quadratic += row->yield * row->normal_force * row->normal_force;
        *linear += row->normal_force * (sim_dot(row->normal, relative) - row->target);
        *linear += problem->friction ? sim_dot(row->tangent_force, relative) : 0;
    }
    joints_dual_parts(problem, quadratic, linear);
}

double island_dual(const struct island_problem *problem)
{
    double quadratic, linear;
    dual_parts(problem, &quadratic, &linear);
    return 0.5 * quadratic + linear;
}

void island_scale_impulses(const struct island_problem *problem, double share)
{
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        row->normal_force *= share;
        row->limit *= share;
        for (int i = 0; i < 3; i++) {
            row->tangent_force[i] *= share;
        }
    }
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        problem->joints[r].impulse *= share;
    }
    island_apply_impulses(problem);
}

void island_limit_impulses(const struct island_problem *problem)
{
    double quadratic, linear;
    dual_parts(problem, &quadratic, &linear);
    if (0.5 * quadratic + linear > 0) {
        island_scale_impulses(problem, linear < 0 ? -linear / quadratic : 0);
    }
}
