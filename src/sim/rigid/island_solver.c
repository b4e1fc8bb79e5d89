/* Rigid islands as one system: augmented Lagrangian, each round by Newton.
 *
 * With multipliers p (impulses) and a stiffness k a round minimises, over the velocities,
 *
 *     1/2 (v - free)^T M (v - free) + sum over contacts of
 *         1/(2k) max(0, p_n - k (n.u - target))^2                         normal
 *         1/(2k) |q|^2, q = p_t - k u_t; beyond |q| = limit linear in |q|     friction, limit = mu p_n of the last round
 *
 * which is convex, smooth and quadratic in pieces. Newton's matrix is M + J^T K J in blocks of 6 x 6 (block_matrix.h).
 * Along its step the derivative rises, so the line search is a search for its zero. Then the impulses become the new
 * multipliers. Between rounds the error falls by about 1 / (1 + k / m * gain), the least gain of a chain of n bodies
 * being like 1/n^2: hence k = 10 layers^2 times the largest mass of the island, which also makes a body of 1000 times
 * the mass on top of a stack harmless. A tower that sways has a gain like 1/n^4: where a round leaves much of the
 * violation, the next is stiffer. Multipliers come from the last substep, so at rest the first gradient is zero to
 * rounding and nothing is factored.
 *
 * Large islands are swept first (island_sweeps.c), which is enough while things move; Newton takes them to rest.
 *
 * Sticking contacts that slide although their limit is settled have broken loose: their friction becomes the kinetic
 * one, and the rounds go on. */
#include "island_exact.h"

#include <math.h>
#include <string.h>

enum { MOST_NEWTONS = 20, LEAST_BUDGET = 24, LARGE_BUDGET = 2, SEARCHES = 12 };
/* Sweeps of large islands before Newton, and of all that did not settle after it. */
enum { LARGE_SWEEPS = 12, END_SWEEPS = 8 };

/* A round at the largest stiffness that leaves more than this share of the violation is slow: the next one is ten times as
 * stiff, up to this many times the stiffness that the layers suggest. */
#define SLOW_SHARE 0.3
#define MOST_STIFFENING 1e4

/* ---- a row ------------------------------------------------------------------------------------------------------- */

static inline void add_point_velocity(const double *velocity, const double *arm, double sign, double *sum)
{
    sum[0] += sign * velocity[0];
    sum[1] += sign * velocity[1];
    sum[2] += sign * velocity[2];
    sum[0] += sign * (velocity[4] * arm[2] - velocity[5] * arm[1]);
    sum[1] += sign * (velocity[5] * arm[0] - velocity[3] * arm[2]);
    sum[2] += sign * (velocity[3] * arm[1] - velocity[4] * arm[0]);
}

/* Without what sides that do not yield contribute. */
static void yielding_velocity(const struct island_row *row, const double *velocity, double relative[3])
{
    relative[0] = relative[1] = relative[2] = 0;
    for (int s = 0; s < 2; s++) {
        if (row->side[s] != SIM_NONE) {
            add_point_velocity(velocity + (size_t)6 * row->side[s], row->arm[s], s == 0 ? 1 : -1, relative);
        }
    }
}

void island_relative_velocity(const struct island_row *row, const double *velocity, double relative[3])
{
    yielding_velocity(row, velocity, relative);
    sim_add_scaled(relative, 1, row->drift);
}

void island_add_impulse(const struct island_row *row, const double *impulse, double sign, double *vector)
{
    for (int s = 0; s < 2; s++) {
        if (row->side[s] != SIM_NONE) {
            double *sum = vector + (size_t)6 * row->side[s], moment[3];
            sim_cross(row->arm[s], impulse, moment);
            sim_add_scaled(sum, s == 0 ? sign : -sign, impulse);
            sim_add_scaled(sum + 3, s == 0 ? sign : -sign, moment);
        }
    }
}

/* What a row does at a relative velocity. */
struct row_answer {
    double normal, tangent[3]; /* impulses */
    double needed;               /* |q|: the impulse friction would need to hold */
};

static inline struct row_answer row_at(const struct island_row *row, const double *relative, bool friction)
{
    struct row_answer answer = {0};
    double stiffness = row->stiffness;
    double along = sim_dot(row->normal, relative);
    double push = (row->normal_force / stiffness - (along - row->target)) / (1 / stiffness + row->yield);
    answer.normal = push > 0 ? push : 0;
    if (friction) {
        for (int i = 0; i < 3; i++) {
            answer.tangent[i] = row->tangent_force[i] - stiffness * (relative[i] - along * row->normal[i]);
        }
        answer.needed = sqrt(sim_dot(answer.tangent, answer.tangent));
        double share = answer.needed > row->limit ? row->limit / answer.needed : 1;
        for (int i = 0; i < 3; i++) {
            answer.tangent[i] *= share;
        }
    }
    return answer;
}

static void whole_impulse(const struct island_row *row, const struct row_answer *answer, double impulse[3])
{
    for (int i = 0; i < 3; i++) {
        impulse[i] = answer->normal * row->normal[i] + answer->tangent[i];
    }
}

/* ---- the function to minimise ------------------------------------------------------------------------------------ */

static void add_inertia(const struct island_problem *problem, const double *velocity, double *sum)
{
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const struct island_body *body = &problem->bodies[i];
        const double *v = velocity + (size_t)6 * i, *free = problem->free + (size_t)6 * i;
        double *to = sum + (size_t)6 * i, spin[3];
        sim_subtract(v + 3, free + 3, spin);
        for (int k = 0; k < 3; k++) {
            to[k] += body->mass * (v[k] - free[k]);
            to[3 + k] += sim_dot(body->inertia + 3 * k, spin);
        }
    }
}

/* Rows keep their relative velocities, for the matrix and the line search. */
static void find_gradient(const struct island_problem *problem, const double *velocity, double *gradient)
{
    memset(gradient, 0, (size_t)6 * problem->island->body_count * sizeof *gradient);
    add_inertia(problem, velocity, gradient);
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        if (row->target == -INFINITY) {
            continue;
        }
        double impulse[3];
        island_relative_velocity(row, velocity, row->relative);
        struct row_answer answer = row_at(row, row->relative, problem->friction);
        whole_impulse(row, &answer, impulse);
        island_add_impulse(row, impulse, -1, gradient);
    }
    joints_add_gradient(problem, velocity, gradient);
}

/* How rows move along the step. */
static void find_changes(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        if (row->target != -INFINITY) {
            yielding_velocity(row, problem->step, row->change);
        }
    }
}

/* The derivative along the step at `share` of it. */
static double slope(const struct island_problem *problem, double share)
{
    double sum = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const struct island_body *body = &problem->bodies[i];
        const double *v = problem->velocity + (size_t)6 * i, *free = problem->free + (size_t)6 * i;
        const double *step = problem->step + (size_t)6 * i;
        double spin[3];
        for (int k = 0; k < 3; k++) {
            sum += body->mass * (v[k] + share * step[k] - free[k]) * step[k];
            spin[k] = v[3 + k] + share * step[3 + k] - free[3 + k];
        }
        for (int k = 0; k < 3; k++) {
            sum += sim_dot(body->inertia + 3 * k, spin) * step[3 + k];
        }
    }
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        const struct island_row *row = &problem->rows[r];
        if (row->target == -INFINITY) {
            continue;
        }
        double relative[3], impulse[3];
        memcpy(relative, row->relative, sizeof relative);
        sim_add_scaled(relative, share, row->change);
        struct row_answer answer = row_at(row, relative, problem->friction);
        whole_impulse(row, &answer, impulse);
        sum -= sim_dot(impulse, row->change);
    }
    return sum + joints_slope(problem, share);
}

/* ---- Newton's matrix --------------------------------------------------------------------------------------------- */

/* The 3 x 3 stiffness of a row where it is; false: it gives none. Of sliding friction not the derivative, which is 0
 * along the slip and would send the step far into where it sticks, but the stiffness of the parabola that touches from
 * above: the step then stays where it is right. */
static bool row_stiffness(const struct island_row *row, const double *relative, bool friction, double matrix[9])
{
    struct row_answer answer = row_at(row, relative, friction);
    double stiffness = row->stiffness, across = 0;
    double along = answer.normal > 0 ? stiffness / (1 + stiffness * row->yield) : 0;
    if (friction && row->limit > 0) {
        across = answer.needed > row->limit ? stiffness * (row->limit / answer.needed) : stiffness;
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            matrix[3 * i + j] = (i == j ? across : 0) + (along - across) * row->normal[i] * row->normal[j];
        }
    }
    return along > 0 || across > 0;
}

/* block += sign * [1, -[a]]^T K [1, -[b]], [a] the matrix of the cross product with a. */
static void add_block(double *block, const double *k, const double *a, const double *b, double sign)
{
    /* columns of K [1, -[b]]: those of K, and K (e x b) = column i of -K [b] */
    double wide[18];
    for (int i = 0; i < 3; i++) {
        const double *row = k + 3 * i;
        wide[6 * i] = row[0];
        wide[6 * i + 1] = row[1];
        wide[6 * i + 2] = row[2];
        wide[6 * i + 3] = b[1] * row[2] - b[2] * row[1];
        wide[6 * i + 4] = b[2] * row[0] - b[0] * row[2];
        wide[6 * i + 5] = b[0] * row[1] - b[1] * row[0];
    }
    for (int j = 0; j < 6; j++) {
        double x = sign * wide[j], y = sign * wide[6 + j], z = sign * wide[12 + j];
        block[j] += x;
        block[6 + j] += y;
        block[12 + j] += z;
        block[18 + j] += a[1] * z - a[2] * y;
        block[24 + j] += a[2] * x - a[0] * z;
        block[30 + j] += a[0] * y - a[1] * x;
    }
}

static void fill_matrix(const struct island_problem *problem)
{
    const struct block_matrix *matrix = &problem->island->matrix;
    block_matrix_clear(problem->room, matrix);
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        double *block = block_diagonal(problem->room, matrix, i);
        for (int k = 0; k < 3; k++) {
            block[7 * k] = problem->bodies[i].mass;
            memcpy(block + 6 * (3 + k) + 3, problem->bodies[i].inertia + 3 * k, 3 * sizeof *block);
        }
    }
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        const struct island_row *row = &problem->rows[r];
        double k[9];
        if (row->target == -INFINITY) {
            continue;
        }
        if (!row_stiffness(row, row->relative, problem->friction, k)) {
            continue;
        }
        for (int s = 0; s < 2; s++) {
            if (row->side[s] != SIM_NONE) {
                add_block(block_diagonal(problem->room, matrix, row->side[s]), k, row->arm[s], row->arm[s], 1);
            }
        }
        if (row->side[0] != SIM_NONE && row->side[1] != SIM_NONE) {
            int low = row->side[0] < row->side[1] ? 0 : 1;
            add_block(block_off(problem->room, matrix, row->pair), k, row->arm[low], row->arm[1 - low], -1);
        }
    }
    joints_add_matrix(problem);
}

/* ---- Newton ------------------------------------------------------------------------------------------------------ */

/* sqrt(g^T M^-1 g / least mass): no body's velocity is farther than this from the minimum. */
static double distance_bound(const struct island_problem *problem)
{
    double sum = 0, least = INFINITY;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const struct island_body *body = &problem->bodies[i];
        const double *g = problem->gradient + (size_t)6 * i;
        sum += sim_dot(g, g) / body->mass;
        for (int k = 0; k < 3; k++) {
            sum += sim_dot(body->inverse_inertia + 3 * k, g + 3) * g[3 + k];
        }
        least = body->mass < least ? body->mass : least;
    }
    return sqrt(sum / least);
}

static double largest_step(const struct island_problem *problem)
{
    double largest = 0;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        const double *step = problem->step + (size_t)6 * i;
        double size = sqrt(sim_dot(step, step)) + problem->bodies[i].radius * sqrt(sim_dot(step + 3, step + 3));
        largest = size > largest ? size : largest;
    }
    return largest;
}

/* Where along the step the slope has fallen to a tenth, or beyond its zero by as little. */
static double search_line(const struct island_problem *problem)
{
    find_changes(problem);
    double first = slope(problem, 0), low = 0, at_low = first, share = 1, high = 0, at_high = 0;
    if (!(first < 0)) {
        return 0;
    }
    for (int n = 0; n < SEARCHES; n++) {
        double here = slope(problem, share);
        if (here <= -0.1 * first && (here >= 0.1 * first || share == 1)) {
            return share;
        }
        if (here > 0) {
            high = share;
            at_high = here;
        } else {
            low = share;
            at_low = here;
        }
        double guess = low + (high - low) * (at_low / (at_low - at_high));
        double margin = 0.05 * (high - low);
        share = guess < low + margin ? low + margin : guess > high - margin ? high - margin : guess;
    }
    return low;
}

/* Newton steps that a call may take: what has many layers takes more rounds to settle; large islands settle over several
 * substeps. */
static uint32_t budget_of(const struct island *island)
{
    if (island->body_count > ISLAND_FEW_BODIES) {
        return LARGE_BUDGET;
    }
    return LEAST_BUDGET + 2 * (island->layers < 50 ? island->layers : 50);
}

/* Minimises with the multipliers as they are; false: it did not get there. */
static bool newton(const struct island_problem *problem, double tolerance)
{
    struct island *island = problem->island;
    size_t count = (size_t)6 * island->body_count;
    /* The bound before a step within the tolerance. In the last rounds of small islands such a step is no end: impulses are
     * stiffness times velocities, and what the gradient has left of them would come back as velocity. It is one if the
     * bound no longer falls (rounding). */
    double last = INFINITY;
    bool rough = tolerance > problem->tolerance || island->body_count > ISLAND_FEW_BODIES;
    for (int n = 0; n < MOST_NEWTONS; n++) {
        find_gradient(problem, problem->velocity, problem->gradient);
        double bound = distance_bound(problem);
        if (bound <= tolerance || bound >= 0.5 * last) {
            return true;
        }
        if (island->newtons >= budget_of(island)) {
            return false;
        }
        island->newtons++;
        fill_matrix(problem);
        for (size_t k = 0; k < count; k++) {
            problem->gradient[k] = -problem->gradient[k];
        }
        block_matrix_solve(problem->room, &island->matrix, problem->gradient, problem->step);
        double share = search_line(problem);
        for (size_t k = 0; k < count; k++) {
            problem->velocity[k] += share * problem->step[k];
        }
        if (share == 0) {
            return false;
        }
        last = share == 1 && largest_step(problem) <= tolerance ? bound : INFINITY;
        if (rough && last < INFINITY) {
            return true;
        }
    }
    return false;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

struct round_result {
    double violation;    /* velocity into a contact */
    double change, most; /* of the impulses; the largest */
    double left;         /* velocity that friction gives where nothing pushes any more */
};

/* Velocity per impulse of the bodies that meet in a row, as if they did not turn. */
static double mobility(const struct island_problem *problem, const struct island_row *row)
{
    double inverse = 0;
    for (int s = 0; s < 2; s++) {
        inverse += row->side[s] != SIM_NONE ? 1 / problem->bodies[row->side[s]].mass : 0;
    }
    return inverse;
}

/* The impulses become the multipliers, and friction gets its new limits. */
static struct round_result take_impulses(const struct island_problem *problem)
{
    struct round_result result = {0};
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        double relative[3], change[3];
        if (row->target == -INFINITY) {
            continue;
        }
        island_relative_velocity(row, problem->velocity, relative);
        struct row_answer answer = row_at(row, relative, problem->friction);
        double into = row->target - sim_dot(row->normal, relative) - row->yield * answer.normal;
        result.violation = into > result.violation ? into : result.violation;
        change[0] = fabs(answer.normal - row->normal_force);
        result.change = change[0] > result.change ? change[0] : result.change;
        result.most = answer.normal > result.most ? answer.normal : result.most;
        if (problem->friction) {
            double limit = (row->kinetic ? row->friction_kinetic : row->friction_static) * answer.normal;
            sim_subtract(answer.tangent, row->tangent_force, change);
            double moved = sqrt(sim_dot(change, change));
            moved = fabs(limit - row->limit) > moved ? fabs(limit - row->limit) : moved;
            result.change = moved > result.change ? moved : result.change;
            double left = answer.normal > 0 ? 0 : sqrt(sim_dot(answer.tangent, answer.tangent)) * mobility(problem, row);
            result.left = left > result.left ? left : result.left;
            row->limit = limit;
            memcpy(row->tangent_force, answer.tangent, sizeof answer.tangent);
        }
        row->normal_force = answer.normal;
    }
    joints_take_impulses(problem, &result.violation, &result.change, &result.most);
    return result;
}

/* Contacts that slide at the limit of static friction; returns whether there were any. */
static bool break_loose(const struct island_problem *problem, double least_slip)
{
    bool any = false;
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        double relative[3];
        if (row->kinetic || row->target == -INFINITY || !(row->friction_kinetic < row->friction_static) ||
            !(row->normal_force > 0)) {
            continue;
        }
        island_relative_velocity(row, problem->velocity, relative);
        sim_add_scaled(relative, -sim_dot(relative, row->normal), row->normal);
        struct row_answer answer = row_at(row, relative, true);
        if (answer.needed > row->limit && sqrt(sim_dot(relative, relative)) > least_slip) {
            row->kinetic = any = true;
            row->limit = row->friction_kinetic * row->normal_force;
        }
    }
    return any;
}

/* The largest stiffness; rows begin with the mass that meets in them, so that a round is smooth while little is known,
 * and grow tenfold with every round. */
static double largest_stiffness(const struct island_problem *problem)
{
    double largest = 0, layers = problem->island->layers > 0 ? problem->island->layers : 1;
    for (uint32_t i = 0; i < problem->island->body_count; i++) {
        largest = problem->bodies[i].mass > largest ? problem->bodies[i].mass : largest;
    }
    return 10 * (layers < 100 ? layers * layers : 1e4) * largest;
}

/* Whether all rows have the largest. */
static bool set_stiffness(const struct island_problem *problem, uint32_t round, double largest)
{
    bool at_largest = true;
    double factor = 1;
    for (uint32_t n = 0; n < round; n++) {
        factor *= 10;
    }
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        double inverse = mobility(problem, row);
        at_largest = at_largest && !(factor / inverse < largest);
        row->stiffness = factor / inverse < largest ? factor / inverse : largest;
    }
    joints_set_stiffness(problem, factor, largest);
    return at_largest;
}

/* ---- the end ----------------------------------------------------------------------------------------------------- */

static void keep_impulses(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        row->kept[0] = row->normal_force;
        memcpy(row->kept + 1, row->tangent_force, sizeof row->tangent_force);
    }
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        problem->joints[r].kept = problem->joints[r].impulse;
    }
}

static void restore_impulses(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->acting_count; r++) {
        struct island_row *row = &problem->rows[r];
        row->normal_force = row->kept[0];
        memcpy(row->tangent_force, row->kept + 1, sizeof row->tangent_force);
        row->limit = (row->kinetic ? row->friction_kinetic : row->friction_static) * row->normal_force;
    }
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        problem->joints[r].impulse = problem->joints[r].kept;
    }
}

/* A round that did not reach its minimum: its impulses, where they are better than those before it. */
static void take_better_impulses(const struct island_problem *problem)
{
    size_t size = (size_t)6 * problem->island->body_count * sizeof(double);
    keep_impulses(problem);
    memcpy(problem->gradient, problem->velocity, size);
    island_apply_impulses(problem);
    double before = island_dual(problem);
    memcpy(problem->velocity, problem->gradient, size);
    take_impulses(problem);
    island_apply_impulses(problem);
    if (!(island_dual(problem) < before)) {
        restore_impulses(problem);
    }
}

/* The velocities become those that the impulses give: near the minimum they differ by less than the tolerance, and the
 * sum of momenta is kept to rounding, settled or not. */
static void finish(const struct island_problem *problem, bool settled)
{
    island_apply_impulses(problem);
    if (!settled) {
        island_sweep(problem, END_SWEEPS);
        problem->island->residual = island_violation(problem);
        island_limit_impulses(problem);
    }
}

/* Sweeps alone, where they are enough. */
static bool sweep_large(const struct island_problem *problem)
{
    island_apply_impulses(problem);
    double moved = island_sweep(problem, LARGE_SWEEPS), left = island_violation(problem);
    problem->island->residual = left;
    return left <= problem->rough || (moved <= problem->tolerance && left <= 3 * problem->tolerance);
}

void island_solve(struct island_problem *problem)
{
    struct island *island = problem->island;
    if (problem->exact && island_exact_solve(problem)) {
        return;
    }
    bool large = island->body_count > ISLAND_FEW_BODIES, settled = false, going_on = true;
    double largest = largest_stiffness(problem), tolerance = large ? problem->tolerance : 1e4 * problem->tolerance;
    island->newtons = island->rounds = 0;
    if (large) {
        settled = sweep_large(problem);
        going_on = !settled;
    }
    bool as_they_are = !large && island->supported;
    double before = INFINITY, stiffest = MOST_STIFFENING * largest;
    for (uint32_t round = 0; round < problem->rounds && going_on; round++) {
        bool at_largest = set_stiffness(problem, large ? problem->rounds : round, largest);
        if (!newton(problem, tolerance)) {
            if (!as_they_are) {
                take_better_impulses(problem);
            }
            break;
        }
        struct round_result result = take_impulses(problem);
        island->rounds++;
        island->residual = result.violation;
        settled = tolerance <= problem->tolerance && result.violation <= 3 * problem->tolerance &&
                  result.change <= 1e-4 * result.most && result.left <= problem->tolerance;
        if (!large && at_largest && result.violation > SLOW_SHARE * before && largest < stiffest) {
            largest *= 10;
        }
        before = result.violation;
        tolerance = 1e-2 * result.violation > problem->tolerance ? 1e-2 * result.violation : problem->tolerance;
        settled =
            result.most == 0 || (settled && !(problem->friction && break_loose(problem, 1e3 * problem->tolerance)));
        going_on = !settled;
    }
    island->consistent = settled || !as_they_are;
    if (island->consistent) {
        finish(problem, settled);
    }
}

double island_product(const struct island_body *bodies, uint32_t count, const double *a, const double *b)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const double *x = a + (size_t)6 * i, *y = b + (size_t)6 * i;
        sum += bodies[i].mass * sim_dot(x, y);
        for (int k = 0; k < 3; k++) {
            sum += sim_dot(bodies[i].inertia + 3 * k, x + 3) * y[3 + k];
        }
    }
    return sum;
}
