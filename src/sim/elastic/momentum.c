/* Momentum of free pieces. Inner forces add up to nothing, so a piece that nothing touches keeps its momentum, to
 * rounding, also where the minimisation is unfinished: its velocities get the motion of a rigid body that lacks. A piece
 * that contacts or attachments push gets back what an implicit step loses of the angular momentum by turning, and no
 * more: forces of an unfinished minimisation do not add up, and velocities made to fit them gained 14 J in a substep. */
#include "minimise.h"

#include "base/containers/union_find.h"

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

/* Pieces that a term acts on. */
static void mark_pieces(const struct sim_model *model, struct minimiser *work)
{
    const struct elastic_mesh *mesh = model->elastic;
    memset(work->piece_pushed, 0, mesh->piece_count);
    for (uint64_t i = 0; i < work->terms.count; i++) {
        const struct point_term *term = &work->terms.terms[i];
        for (int k = 0; k < 8 && sim_dot(term->force, term->force) > 0; k++) {
            const struct term_point *point = k < 4 ? &term->a : &term->b;
            uint32_t v = point->vertices[k % 4];
            if (v != SIM_NONE && mesh->vertex_pieces[v] != SIM_NONE) {
                work->piece_pushed[mesh->vertex_pieces[v]] = 1;
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

/* What implicit Euler loses of the angular momentum: h sum m v' x v. BDF2 loses none of this order. */
static void lost_by_step(const struct momentum_call *call, const uint32_t *vertices, uint32_t count, double lost[3])
{
    double keep = 1 / (1 + call->model->air_damping * call->model->substep);
    lost[0] = lost[1] = lost[2] = 0;
    for (uint32_t k = 0; k < count; k++) {
        double mass = call->work->two_step[vertices[k]] ? 0 : call->model->masses[vertices[k]];
        double crossed[3], factor = -keep * call->model->substep * mass;
        sim_cross(call->state->velocities + 3 * (size_t)vertices[k], call->velocities + 3 * (size_t)vertices[k],
                  crossed);
        sim_add_scaled(lost, factor, crossed);
    }
}

/* Force and moment of the loads on some vertices. */
static void sum_loads(const struct momentum_call *call, const uint32_t *vertices, uint32_t count,
                      const double center[3], double sums[6])
{
    const double *total = call->work->loads->total;
    memset(sums, 0, 6 * sizeof *sums);
    for (uint32_t k = 0; total && k < count; k++) {
        const double *force = total + 3 * (size_t)vertices[k];
        double arm[3], moment[3];
        sim_subtract(call->state->positions + 3 * (size_t)vertices[k], center, arm);
        sim_cross(arm, force, moment);
        sim_add_scaled(sums, 1, force);
        sim_add_scaled(sums + 3, 1, moment);
    }
}

static void keep_piece(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const struct momentum_call *call = data;
    const struct sim_model *model = call->model;
    const struct elastic_mesh *mesh = model->elastic;
    const uint32_t *vertices = mesh->piece_vertices + mesh->piece_starts[piece];
    uint32_t count = mesh->piece_starts[piece + 1] - mesh->piece_starts[piece];
    double h = model->substep, keep = 1 / (1 + model->air_damping * h);
    double lack[3] = {0, 0, 0}, angular[3], spin[3];
    struct piece_sums now = sum_piece(model, call->state->positions, call->state->velocities, vertices, count);
    lost_by_step(call, vertices, count, angular);
    if (!call->work->piece_pushed[piece]) {
        struct piece_sums before = sum_piece(model, call->previous, call->velocities, vertices, count);
        double outer[6];
        sum_loads(call, vertices, count, now.center, outer);
        for (int axis = 0; axis < 3; axis++) {
            double weight = now.mass * call->state->gravity[axis] + outer[axis];
            lack[axis] = (keep * (before.linear[axis] + h * weight) - now.linear[axis]) / now.mass;
            angular[axis] = keep * (before.angular[axis] + h * outer[3 + axis]) - now.angular[axis];
        }
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
        mark_pieces(model, work);
        dent_parallel_for(model->context, model->elastic->piece_count, keep_piece, &call);
    }
}

/* ---- islands ----------------------------------------------------------------------------------------------------- */

/* The island of a point; *outside where it is none. */
static uint32_t island_of(const struct sim_model *model, const struct term_point *point, const uint32_t *islands,
                          bool *outside)
{
    uint32_t body = point->rigid != SIM_NONE          ? model->rigids[point->rigid].body
                    : point->vertices[0] != SIM_NONE ? model->vertex_bodies[point->vertices[0]]
                                                     : SIM_NONE;
    bool movable = body != SIM_NONE && (sim_is_elastic(model->bodies[body].kind) || point->rigid != SIM_NONE);
    *outside = *outside || !movable;
    return movable ? islands[body] : SIM_NONE;
}

/* Islands that push against something that stands, or are held: what they lose or gain is not known. */
static void mark_outside(const struct sim_model *model, struct minimiser *work)
{
    for (uint64_t i = 0; i < work->terms.count; i++) {
        const struct point_term *term = &work->terms.terms[i];
        bool outside = false;
        uint32_t a = island_of(model, &term->a, work->islands, &outside);
        uint32_t b = island_of(model, &term->b, work->islands, &outside);
        for (int k = 0; k < 2 && outside && sim_dot(term->force, term->force) > 0; k++) {
            uint32_t island = k ? b : a;
            if (island != SIM_NONE) {
                work->island_sums[island].outside = true;
            }
        }
    }
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const struct sim_joint *joint = &model->joints[n];
        if (joint->rigid[1] == SIM_NONE) {
            work->island_sums[work->islands[model->rigids[joint->rigid[0]].body]].outside = true;
        }
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        struct island_sums *sums = &work->island_sums[work->islands[b]];
        sums->outside = sums->outside || work->body_held[b];
    }
}

void momentum_note_held(const struct sim_model *model, struct minimiser *work)
{
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        uint32_t body = model->vertex_bodies[v];
        bool held = !(work->inertia.vertices[v] > 0) || hold_of(model, v);
        work->body_held[body] |= sim_is_elastic(model->bodies[body].kind) && model->masses[v] > 0 && held;
    }
}

static void add_momentum(struct island_sums *sums, double mass, const double *before, const double *now)
{
    sums->mass += mass;
    sim_add_scaled(sums->lack, mass, before);
    sim_add_scaled(sums->lack, -mass, now);
}

void momentum_keep_islands(const struct sim_model *model, struct sim_state *state, const dent_rigid_state *rigids,
                           struct minimiser *work)
{
    double h = model->substep, keep = 1 / (1 + model->air_damping * h);
    memset(work->island_sums, 0, model->body_count * sizeof *work->island_sums);
    for (uint32_t b = 0; b < model->body_count; b++) {
        work->islands[b] = union_find_root(work->islands, b);
    }
    mark_outside(model, work);
    for (uint32_t m = 0; m < work->pass.mover_count; m++) {
        uint32_t v = work->pass.movers[m];
        struct island_sums *sums = &work->island_sums[work->islands[model->vertex_bodies[v]]];
        const double *old = work->velocities + 3 * (size_t)v, *g = state->gravity;
        if (sums->outside || !(work->inertia.vertices[v] > 0)) {
            continue;
        }
        double fall[3] = {keep * (old[0] + h * g[0]), keep * (old[1] + h * g[1]), keep * (old[2] + h * g[2])};
        if (work->loads->total) {
            sim_add_scaled(fall, keep * h / model->masses[v], work->loads->total + 3 * (size_t)v);
        }
        add_momentum(sums, model->masses[v], fall, state->velocities + 3 * (size_t)v);
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        const double *old = rigids[r].linear_velocity, *g = state->gravity;
        double fall[3] = {keep * old[0] + h * g[0], keep * old[1] + h * g[1], keep * old[2] + h * g[2]};
        if (work->loads->rigids) {
            sim_add_scaled(fall, keep * h / model->rigids[r].mass, work->loads->rigids + 6 * (size_t)r);
        }
        if (work->inertia.rigid_active[r]) {
            add_momentum(&work->island_sums[work->islands[model->rigids[r].body]], model->rigids[r].mass, fall,
                         state->rigids[r].linear_velocity);
        }
    }
    for (uint32_t m = 0; m < work->pass.mover_count; m++) {
        uint32_t v = work->pass.movers[m];
        const struct island_sums *sums = &work->island_sums[work->islands[model->vertex_bodies[v]]];
        if (!sums->outside && work->inertia.vertices[v] > 0) {
            sim_add_scaled(state->velocities + 3 * (size_t)v, 1 / sums->mass, sums->lack);
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        const struct island_sums *sums = &work->island_sums[work->islands[model->rigids[r].body]];
        if (work->inertia.rigid_active[r] && !sums->outside) {
            sim_add_scaled(state->rigids[r].linear_velocity, 1 / sums->mass, sums->lack);
        }
    }
}

/* Mean velocities of islands, in `lack`; 0 where they push against what stands. */
static void mean_velocities(const struct sim_model *model, const struct sim_state *state, struct minimiser *work)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        memset(work->island_sums[b].lack, 0, sizeof work->island_sums[b].lack);
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        struct island_sums *sums = &work->island_sums[work->islands[model->vertex_bodies[v]]];
        if (work->inertia.vertices[v] > 0 && !sums->outside) {
            sim_add_scaled(sums->lack, model->masses[v] / sums->mass, state->velocities + 3 * (size_t)v);
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        struct island_sums *sums = &work->island_sums[work->islands[model->rigids[r].body]];
        if (work->inertia.rigid_active[r] && !sums->outside) {
            sim_add_scaled(sums->lack, model->rigids[r].mass / sums->mass, state->rigids[r].linear_velocity);
        }
    }
}

/* Scales what is above the mean; returns its square. */
static double scale_about(double *velocity, const double *mean, double factor)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double off = velocity[axis] - mean[axis];
        sum += off * off;
        velocity[axis] = factor == 1 ? velocity[axis] : mean[axis] + factor * off;
    }
    return sum;
}

double momentum_scale_islands(const struct sim_model *model, struct sim_state *state, struct minimiser *work,
                              double factor)
{
    static const double none[3] = {0, 0, 0};
    double sum = 0;
    mean_velocities(model, state, work);
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        if (work->inertia.vertices[v] > 0) {
            const struct island_sums *sums = &work->island_sums[work->islands[model->vertex_bodies[v]]];
            sum += 0.5 * model->masses[v] * scale_about(state->velocities + 3 * (size_t)v, sums->lack, factor);
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (work->inertia.rigid_active[r]) {
            const struct island_sums *sums = &work->island_sums[work->islands[model->rigids[r].body]];
            dent_rigid_state *pose = &state->rigids[r];
            double spin = rigid_spin_energy(&model->rigids[r], pose);
            scale_about(pose->angular_velocity, none, factor);
            sum += spin + 0.5 * model->rigids[r].mass * scale_about(pose->linear_velocity, sums->lack, factor);
        }
    }
    return sum;
}

/* ---- motion within pieces ---------------------------------------------------------------------------------------- */

/* The motion of the piece as a whole, at one of its vertices. */
static void whole_motion(const struct piece_sums *sums, const double *spin, const double *position, double *velocity)
{
    double arm[3];
    sim_subtract(position, sums->center, arm);
    sim_cross(spin, arm, velocity);
    sim_add_scaled(velocity, 1 / sums->mass, sums->linear);
}

void momentum_remove_whole(const struct sim_model *model, const struct sim_state *state, double *velocities)
{
    const struct elastic_mesh *mesh = model->elastic;
    for (uint32_t p = 0; p < mesh->piece_count; p++) {
        const uint32_t *vertices = mesh->piece_vertices + mesh->piece_starts[p];
        uint32_t count = mesh->piece_starts[p + 1] - mesh->piece_starts[p];
        struct piece_sums sums = sum_piece(model, state->positions, velocities, vertices, count);
        double spin[3];
        spin_of(sums.inertia, sums.angular, spin);
        for (uint32_t k = 0; k < count; k++) {
            double whole[3], *velocity = velocities + 3 * (size_t)vertices[k];
            whole_motion(&sums, spin, state->positions + 3 * (size_t)vertices[k], whole);
            sim_subtract(velocity, whole, velocity);
        }
    }
}

double momentum_inner_energy(const struct sim_model *model, const struct sim_state *state, struct minimiser *work)
{
    const struct elastic_mesh *mesh = model->elastic;
    double sum = 0;
    for (uint32_t p = 0; p < mesh->piece_count; p++) {
        const uint32_t *vertices = mesh->piece_vertices + mesh->piece_starts[p];
        uint32_t count = mesh->piece_starts[p + 1] - mesh->piece_starts[p];
        struct piece_sums sums = sum_piece(model, state->positions, state->velocities, vertices, count);
        double spin[3];
        spin_of(sums.inertia, sums.angular, spin);
        for (uint32_t k = 0; k < count; k++) {
            double whole[3], inner[3];
            whole_motion(&sums, spin, state->positions + 3 * (size_t)vertices[k], whole);
            sim_subtract(state->velocities + 3 * (size_t)vertices[k], whole, inner);
            sum += 0.5 * model->masses[vertices[k]] * sim_dot(inner, inner);
        }
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        const double *velocity = state->velocities + 3 * (size_t)v;
        bool held = work->inertia.vertices[v] > 0 && mesh->vertex_pieces[v] == SIM_NONE;
        sum += held ? 0.5 * model->masses[v] * sim_dot(velocity, velocity) : 0;
    }
    return sum;
}

void momentum_scale_inner(const struct sim_model *model, struct sim_state *state, struct minimiser *work, double factor)
{
    const struct elastic_mesh *mesh = model->elastic;
    for (uint32_t p = 0; p < mesh->piece_count; p++) {
        const uint32_t *vertices = mesh->piece_vertices + mesh->piece_starts[p];
        uint32_t count = mesh->piece_starts[p + 1] - mesh->piece_starts[p];
        struct piece_sums sums = sum_piece(model, state->positions, state->velocities, vertices, count);
        double spin[3];
        spin_of(sums.inertia, sums.angular, spin);
        for (uint32_t k = 0; k < count; k++) {
            double whole[3], *velocity = state->velocities + 3 * (size_t)vertices[k];
            whole_motion(&sums, spin, state->positions + 3 * (size_t)vertices[k], whole);
            for (int axis = 0; axis < 3; axis++) {
                velocity[axis] = whole[axis] + factor * (velocity[axis] - whole[axis]);
            }
        }
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        for (size_t n = 3 * (size_t)v;
             n < 3 * (size_t)v + 3 && work->inertia.vertices[v] > 0 && mesh->vertex_pieces[v] == SIM_NONE; n++) {
            state->velocities[n] *= factor;
        }
    }
}
