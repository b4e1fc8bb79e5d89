/* Rows of joints in the island solver: each is one equation or inequality between the velocities of two bodies,
 *
 *     along . v + yield * impulse = target,     lower <= impulse <= upper,
 *
 * `along` being six numbers per side. Joints are such equations without bounds; limits have one bound at 0; motors have
 * the largest impulse on both sides; springs yield. They enter the function to minimise (island_solver.c) as contacts do,
 * with the square of what exceeds the multiplier, cut off at the bounds. */
#include "island_solver.h"

#include <math.h>

double joint_row_speed(const struct joint_row *row, const double *velocity)
{
    double speed = 0;
    for (int s = 0; s < 2; s++) {
        const double *v = velocity + (size_t)6 * row->side[s];
        for (int k = 0; k < 6 && row->side[s] != SIM_NONE; k++) {
            speed += row->along[s][k] * v[k];
        }
    }
    return speed;
}

static void add_along(const struct joint_row *row, double impulse, double *vector)
{
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 6 && row->side[s] != SIM_NONE; k++) {
            vector[(size_t)6 * row->side[s] + (size_t)k] += impulse * row->along[s][k];
        }
    }
}

/* The impulse of a row at a speed; *free: it is within its bounds. */
static double answer_at(const struct joint_row *row, double speed, bool *free)
{
    double unclamped = (row->impulse / row->stiffness - (speed - row->target)) / (1 / row->stiffness + row->yield);
    *free = unclamped > row->lower && unclamped < row->upper;
    return unclamped < row->lower ? row->lower : unclamped > row->upper ? row->upper : unclamped;
}

void joints_add_gradient(const struct island_problem *problem, const double *velocity, double *gradient)
{
    bool free;
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        const struct joint_row *row = &problem->joints[r];
        add_along(row, -answer_at(row, joint_row_speed(row, velocity), &free), gradient);
    }
}

double joints_slope(const struct island_problem *problem, double share)
{
    double sum = 0;
    bool free;
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        const struct joint_row *row = &problem->joints[r];
        double change = joint_row_speed(row, problem->step);
        sum -= change * answer_at(row, joint_row_speed(row, problem->velocity) + share * change, &free);
    }
    return sum;
}

static void add_product(double *block, const double *a, const double *b, double factor)
{
    for (int i = 0; i < BLOCK_ROWS; i++) {
        for (int j = 0; j < BLOCK_ROWS; j++) {
            block[BLOCK_ROWS * i + j] += factor * a[i] * b[j];
        }
    }
}

void joints_add_matrix(const struct island_problem *problem)
{
    const struct block_matrix *matrix = &problem->island->matrix;
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        const struct joint_row *row = &problem->joints[r];
        bool free;
        answer_at(row, joint_row_speed(row, problem->velocity), &free);
        double stiffness = free ? row->stiffness / (1 + row->stiffness * row->yield) : 0;
        for (int s = 0; s < 2 && stiffness > 0; s++) {
            if (row->side[s] != SIM_NONE) {
                add_product(block_diagonal(problem->room, matrix, row->side[s]), row->along[s], row->along[s],
                            stiffness);
            }
        }
        if (stiffness > 0 && row->pair != SIM_NONE) {
            int low = row->side[0] < row->side[1] ? 0 : 1;
            add_product(block_off(problem->room, matrix, row->pair), row->along[low], row->along[1 - low], stiffness);
        }
    }
}

void joints_take_impulses(const struct island_problem *problem, double *violation, double *change, double *most)
{
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        struct joint_row *row = &problem->joints[r];
        bool free;
        double speed = joint_row_speed(row, problem->velocity), impulse = answer_at(row, speed, &free);
        double wrong = free ? fabs(speed - row->target + row->yield * impulse) * row->arm : 0;
        double moved = fabs(impulse - row->impulse) / row->arm, size = fabs(impulse) / row->arm;
        *violation = wrong > *violation ? wrong : *violation;
        *change = moved > *change ? moved : *change;
        *most = size > *most ? size : *most;
        row->impulse = impulse;
    }
}

void joints_apply(const struct island_problem *problem, double *sum)
{
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        add_along(&problem->joints[r], problem->joints[r].impulse, sum);
    }
}

void joint_row_measure(const struct island_problem *problem, struct joint_row *row)
{
    row->mobility = 0;
    row->inverse = 0;
    for (int s = 0; s < 2; s++) {
        if (row->side[s] != SIM_NONE) {
            const struct island_body *body = &problem->bodies[row->side[s]];
            const double *a = row->along[s];
            row->inverse += body->inverse_mass;
            row->mobility += body->inverse_mass * sim_dot(a, a);
            for (int k = 0; k < 3; k++) {
                row->mobility += a[3 + k] * sim_dot(body->inverse_inertia + 3 * k, a + 3);
            }
        }
    }
    row->mobility = row->mobility > 0 ? row->mobility : 1;
}

void joints_set_stiffness(const struct island_problem *problem, double factor, double largest)
{
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        struct joint_row *row = &problem->joints[r];
        joint_row_measure(problem, row);
        double most = largest * row->inverse / row->mobility;
        row->stiffness = factor / row->mobility < most ? factor / row->mobility : most;
    }
}

double joints_sweep(const struct island_problem *problem, bool backward)
{
    double largest = 0;
    uint32_t count = problem->island->joint_count;
    for (uint32_t n = 0; n < count; n++) {
        struct joint_row *row = &problem->joints[backward ? count - 1 - n : n];
        joint_row_measure(problem, row);
        double speed = joint_row_speed(row, problem->velocity);
        double unclamped = row->impulse - (speed - row->target + row->yield * row->impulse) / (row->mobility + row->yield);
        unclamped = unclamped < row->lower ? row->lower : unclamped > row->upper ? row->upper : unclamped;
        double change = unclamped - row->impulse, moved = fabs(change) * row->mobility * row->arm;
        row->impulse = unclamped;
        largest = moved > largest ? moved : largest;
        for (int s = 0; s < 2; s++) {
            if (row->side[s] != SIM_NONE) {
                const struct island_body *body = &problem->bodies[row->side[s]];
                double *velocity = problem->velocity + (size_t)6 * row->side[s];
                for (int k = 0; k < 3; k++) {
                    velocity[k] += change * body->inverse_mass * row->along[s][k];
                    velocity[3 + k] += change * sim_dot(body->inverse_inertia + 3 * k, row->along[s] + 3);
                }
            }
        }
    }
    return largest;
}

void joints_dual_parts(const struct island_problem *problem, double *quadratic, double *linear)
{
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        const struct joint_row *row = &problem->joints[r];
        *quadratic += row->yield * row->impulse * row->impulse;
        *linear += row->impulse * (joint_row_speed(row, problem->free) - row->target);
    }
}
