/* Momentum of free pieces. Inner forces add up to nothing, so a piece that nothing holds changes its momentum by the
 * forces of its contacts and attachments alone. Where the minimisation is unfinished, and where turning makes an implicit
 * step lose angular momentum, the velocities of the piece get the motion of a rigid body that lacks. */
#include "minimise.h"

#include <math.h>
#include <string.h>

struct piece_sums {
    double mass, center[3], linear[3], angular[3], inertia[6];
};

/* Of some vertices: mass, centre, momenta about the centre. */
static struct piece_sums sum_piece(const struct sim_model *model, const double *positions, const double *velocities,
                                   const uint32_t *vertices, uint32_t count)
{
    struct piece_sums sums = {0};
    for (uint32_t k = 0; k < count; k++) {
        double mass = model->masses[vertices[k]];
        sums.mass += mass;
        sim_add_scaled(sums.center, mass, positions + 3 * (size_t)vertices[k]);
        sim_add_scaled(sums.linear, mass, velocities + 3 * (size_t)vertices[k]);
    }
    for (int axis = 0; axis < 3; axis++) {
        sums.center[axis] /= sums.mass;
    }
    for (uint32_t k = 0; k < count; k++) {
        double mass = model->masses[vertices[k]], arm[3], moment[3];
        sim_subtract(positions + 3 * (size_t)vertices[k], sums.center, arm);
        sim_cross(arm, velocities + 3 * (size_t)vertices[k], moment);
        sim_add_scaled(sums.angular, mass, moment);
        double square = sim_dot(arm, arm);
        sums.inertia[0] += mass * (square - arm[0] * arm[0]);
        sums.inertia[1] -= mass * arm[0] * arm[1];
        sums.inertia[2] -= mass * arm[0] * arm[2];
        sums.inertia[3] += mass * (square - arm[1] * arm[1]);
        sums.inertia[4] -= mass * arm[1] * arm[2];
        sums.inertia[5] += mass * (square - arm[2] * arm[2]);
    }
    return sums;
}

/* The spin that gives a piece this angular momentum; none about axes it has no extent across. */
static void spin_of(const double inertia[6], const double *angular, double *spin)
{
    const double *s = inertia;
    double a = s[3] * s[5] - s[4] * s[4], b = s[2] * s[4] - s[1] * s[5], c = s[1] * s[4] - s[2] * s[3];
    double determinant = s[0] * a + s[1] * b + s[2] * c, trace = s[0] + s[3] + s[5];
    spin[0] = spin[1] = spin[2] = 0;
    if (determinant > 1e-9 * trace * trace * trace) {
        double inverse[9] = {a, b, c, b, s[0] * s[5] - s[2] * s[2], s[1] * s[2] - s[0] * s[4],
                             c, s[1] * s[2] - s[0] * s[4], s[0] * s[3] - s[1] * s[1]};
        for (int i = 0; i < 3; i++) {
            spin[i] = sim_dot(inverse + 3 * i, angular) / determinant;
        }
    }
}

/* Forces of terms on pieces, and their moments about the origin: 6 per piece. */
static void outer_forces(const struct sim_model *model, const struct sim_state *state, struct minimiser *work)
{
    const struct elastic_mesh *mesh = model->elastic;
    memset(work->piece_forces, 0, 6 * (size_t)mesh->piece_count * sizeof(double));
    for (uint64_t i = 0; i < work->terms.count; i++) {
        const struct point_term *term = &work->terms.terms[i];
        for (int k = 0; k < 8; k++) {
            const struct term_point *point = k < 4 ? &term->a : &term->b;
            uint32_t v = point->vertices[k % 4], piece = v == SIM_NONE ? SIM_NONE : mesh->vertex_pieces[v];
            if (piece != SIM_NONE) {
                double moment[3], factor = (k < 4 ? 1 : -1) * point->weights[k % 4];
                sim_cross(state->positions + 3 * (size_t)v, term->force, moment);
                sim_add_scaled(work->piece_forces + 6 * (size_t)piece, factor, term->force);
                sim_add_scaled(work->piece_forces + 6 * (size_t)piece + 3, factor, moment);
            }
        }
    }
}

struct momentum_call {
    const struct sim_model *model;
    struct sim_state *state;
    struct minimiser *work;
    const double *previous, *velocities; /* at the beginning of the substep */
};

static void keep_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const struct momentum_call *call = data;
    const struct sim_model *model = call->model;
    const struct elastic_mesh *mesh = model->elastic;
    const uint32_t *vertices = mesh->piece_vertices + mesh->piece_starts[piece];
    uint32_t count = mesh->piece_starts[piece + 1] - mesh->piece_starts[piece];
    double h = model->substep, keep = 1 / (1 + model->air_damping * h);
    const double *outer = call->work->piece_forces + 6 * (size_t)piece;
    struct piece_sums before = sum_piece(model, call->previous, call->velocities, vertices, count);
    struct piece_sums now = sum_piece(model, call->state->positions, call->state->velocities, vertices, count);
    double lack[3], angular[3], moment[3], spin[3];
    sim_cross(now.center, outer, moment);
    for (int axis = 0; axis < 3; axis++) {
        double force = outer[axis] + now.mass * call->state->gravity[axis];
        lack[axis] = (keep * (before.linear[axis] + h * force) - now.linear[axis]) / now.mass;
        angular[axis] = keep * (before.angular[axis] + h * (outer[3 + axis] - moment[axis])) - now.angular[axis];
    }
    spin_of(now.inertia, angular, spin);
    for (uint32_t k = 0; k < count; k++) {
        double arm[3], turn[3], *velocity = call->state->velocities + 3 * (size_t)vertices[k];
        sim_subtract(call->state->positions + 3 * (size_t)vertices[k], now.center, arm);
        sim_cross(spin, arm, turn);
        for (int axis = 0; axis < 3; axis++) {
            velocity[axis] += lack[axis] + turn[axis];
        }
    }
}

void momentum_keep(const struct sim_model *model, struct sim_state *state, const double *previous,
                   const double *velocities, struct minimiser *work)
{
    struct momentum_call call = {model, state, work, previous, velocities};
    if (model->elastic->piece_count > 0) {
        outer_forces(model, state, work);
        dent_parallel_for(model->context, model->elastic->piece_count, keep_piece, &call);
    }
}
