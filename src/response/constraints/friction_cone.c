/* Friction with the exact cone, by projection: sweeps over the contacts, each solved with the others held still. The
 * normal is projected on its bounds; the tangential multiplier is the minimiser over the disc of radius friction *
 * normal, which is Coulomb's law at a fixed point. Starts from the solution without friction, which also decides whether
 * any motion satisfies the normals: friction cannot change that. */
#include <math.h>

#include "response/constraints/constraint_system.h"

struct cone_sweep {
    struct island_work *work;
    double *mobility; /* per column: g . g */
    double change;
    double scale;
};

static void set_force(struct cone_sweep *sweep, struct constraint_column *column, double force)
{
    double change = force - column->force;
    column->force = force;
    column_add(sweep->work, column, change, sweep->work->y);
    sweep->change = fabs(change) > sweep->change ? fabs(change) : sweep->change;
    sweep->scale = fabs(force) > sweep->scale ? fabs(force) : sweep->scale;
}

static void sweep_normal(struct cone_sweep *sweep, uint32_t i)
{
    struct constraint_column *column = &sweep->work->columns[i];
    double slack = column_dot(sweep->work, column, sweep->work->y) - column->target;
    double force = column->force - slack / sweep->mobility[i];
    set_force(sweep, column, force < column->lower ? column->lower : force > column->upper ? column->upper : force);
}

/* Minimises 1/2 s'K s + p's over |s| <= radius, K = (a b; b c) not negative: eigenvalues, then the length of
 * (K + shift)^-1 p falls to the radius as the shift grows. Newton's method on 1 / length, from below. */
static void minimise_on_disc(const double k[3], const double p[2], double radius, double s[2])
{
    double mean = 0.5 * (k[0] + k[2]), half = 0.5 * (k[0] - k[2]);
    double spread = sqrt(half * half + k[1] * k[1]), low = mean - spread, high = mean + spread;
    /* eigenvector of the larger one */
    double ex = half + spread, ey = k[1];
    if (half < 0) {
        ex = k[1];
        ey = spread - half;
    }
    double length = sqrt(ex * ex + ey * ey);
    ex = length > 0 ? ex / length : 1;
    ey = length > 0 ? ey / length : 0;
    double along = ex * p[0] + ey * p[1], across = ex * p[1] - ey * p[0];
    low = low > 1e-14 * high ? low : 1e-14 * high;
    double shift = 0, first = 0, second = 0;
    for (int n = 0; n < 60 && high > 0; n++) {
        first = -along / (high + shift);
        second = -across / (low + shift);
        double size = sqrt(first * first + second * second);
        if (size <= radius * (1 + 1e-15) || radius == 0) {
            break;
        }
        double slope = (first * first / (high + shift) + second * second / (low + shift)) / size;
        shift += (size / radius - 1) * size / slope;
    }
    double size = sqrt(first * first + second * second);
    double share = size > radius ? radius / size : 1;
    s[0] = share * (ex * first - ey * second);
    s[1] = share * (ey * first + ex * second);
}

static double unit_ratio(const struct constraint_column *normal, const struct constraint_column *tangent)
{
    return ldexp(tangent->length / normal->length, tangent->exponent - normal->exponent);
}

/* In units of the normal's multiplier: tangent columns h = ratio * g. */
static void sweep_tangents(struct cone_sweep *sweep, struct constraint_column *normal)
{
    struct island_work *work = sweep->work;
    struct constraint_column *first = &work->columns[normal->tangents[0]], *second = &work->columns[normal->tangents[1]];
    double u = unit_ratio(normal, first), v = unit_ratio(normal, second), solution[2];
    double old[2] = {first->force / u, second->force / v};
    size_t coordinates = (size_t)work->island->coordinate_count + work->island->soft_count;
    double *vector = work->y + coordinates; /* room for one more */
    memset(vector, 0, coordinates * sizeof *vector);
    column_add(work, first, 1, vector);
    double mixed = column_dot(work, second, vector);
    const double k[3] = {u * u * sweep->mobility[normal->tangents[0]], u * v * mixed,
                         v * v * sweep->mobility[normal->tangents[1]]};
    double slack[2] = {u * (column_dot(work, first, work->y) - first->target),
                       v * (column_dot(work, second, work->y) - second->target)};
    double p[2] = {slack[0] - k[0] * old[0] - k[1] * old[1], slack[1] - k[1] * old[0] - k[2] * old[1]};
    double radius = normal->force > 0 ? normal->friction * normal->force : 0;
    minimise_on_disc(k, p, radius, solution);
    set_force(sweep, first, u * solution[0]);
    set_force(sweep, second, v * solution[1]);
}

static void sweep_once(struct cone_sweep *sweep)
{
    struct island_work *work = sweep->work;
    sweep->change = sweep->scale = 0;
    for (uint32_t i = 0; i < work->island->column_count; i++) {
        if (!work->columns[i].is_tangent && sweep->mobility[i] > 0) {
            sweep_normal(sweep, i);
            if (work->columns[i].friction > 0) {
                sweep_tangents(sweep, &work->columns[i]);
            }
        }
    }
}

static double *measure_mobility(struct island_work *work)
{
    size_t coordinates = (size_t)work->island->coordinate_count + work->island->soft_count;
    double *mobility = system_doubles(work->system, 2 * (size_t)work->island->column_count); /* and room for forces */
    double *vector = work->y + coordinates;
    for (uint32_t i = 0; i < work->island->column_count && mobility; i++) {
        memset(vector, 0, coordinates * sizeof *vector);
        column_add(work, &work->columns[i], 1, vector);
        mobility[i] = column_dot(work, &work->columns[i], vector);
    }
    return mobility;
}

static void write_states(struct island_work *work)
{
    for (uint32_t i = 0; i < work->island->column_count; i++) {
        struct constraint_column *column = &work->columns[i];
        bool upper = column->force >= column->upper && column->upper > column->lower;
        column->state = upper                           ? DENT_CONSTRAINT_UPPER
                        : column->force > column->lower ? DENT_CONSTRAINT_ACTIVE
                                                        : DENT_CONSTRAINT_INACTIVE;
    }
}

/* Sweeps from the normals given and these tangents; true: the changes became small enough. */
static bool settle(struct cone_sweep *sweep, const double *forces, double tolerance, uint32_t sweeps)
{
    struct island_work *work = sweep->work;
    for (uint32_t i = 0; i < work->island->column_count; i++) {
        work->columns[i].force = forces[i];
    }
    island_sum(work);
    for (uint32_t n = 0; n < sweeps; n++) {
        sweep_once(sweep);
        work->iterations++;
        if (sweep->change <= tolerance * sweep->scale) {
            return true;
        }
    }
    return false;
}

/* Tangents of the last step that oppose one another under redundant contacts may keep the sweeps from settling: then
 * once more without them. */
dent_status friction_cone_solve(struct island_work *work, double tolerance, uint32_t sweeps)
{
    uint32_t count = work->island->column_count;
    double *remembered = work->y + 2 * ((size_t)work->island->coordinate_count + count);
    bool any = false;
    for (uint32_t i = 0; i < count; i++) {
        remembered[i] = work->columns[i].is_tangent ? work->columns[i].force : 0;
        any = any || remembered[i] != 0;
    }
    dent_status status = active_set_solve(work);
    if (status != DENT_OK || work->island->outcome != DENT_CONSTRAINTS_SOLVED) {
        return status;
    }
    struct cone_sweep sweep = {.work = work, .mobility = measure_mobility(work)};
    if (!sweep.mobility) {
        return dent_fail(work->system->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for friction");
    }
    double *normals = sweep.mobility + count;
    for (uint32_t i = 0; i < count; i++) {
        normals[i] = work->columns[i].force;
        remembered[i] += normals[i];
    }
    bool settled = settle(&sweep, remembered, tolerance, sweeps) || (any && settle(&sweep, normals, tolerance, sweeps));
    work->island->outcome = settled ? DENT_CONSTRAINTS_SOLVED : DENT_CONSTRAINTS_LIMIT;
    write_states(work);
    return DENT_OK;
}
