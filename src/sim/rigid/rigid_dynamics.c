/* Rigid bodies: mass and inertia from the mesh, free flight of the pose, and vertices that follow it.
 *
 * The second moments of a tetrahedron are V/20 (s s^T + sum x_i x_i^T), s the sum of its corners; of a triangle
 * A/12 with the same bracket. A solid is summed over its cells, a closed surface over the tetrahedra its faces make
 * with one point (signed, so that the outside cancels), an open surface over its faces as a shell. The body's frame has
 * its origin at the centre of mass and the directions of the world at time 0. */
#include "sim_rigid.h"

#include <math.h>
#include <string.h>

struct moments {
    double mass, first[3], second[6]; /* xx xy xz yy yz zz, about the reference point */
};

static void add_simplex(struct moments *sums, double measure, const double *const *corners, int count,
                        const double *reference)
{
    double sum[3] = {0, 0, 0}, part = measure / (count * (count + 1));
    for (int k = 0; k < count; k++) {
        double arm[3];
        sim_subtract(corners[k], reference, arm);
        sim_add_scaled(sum, 1, arm);
        for (int i = 0, n = 0; i < 3; i++) {
            for (int j = i; j < 3; j++, n++) {
                sums->second[n] += part * arm[i] * arm[j];
            }
        }
    }
    for (int i = 0, n = 0; i < 3; i++) {
        sums->first[i] += measure * sum[i] / count;
        for (int j = i; j < 3; j++, n++) {
            sums->second[n] += part * sum[i] * sum[j];
        }
    }
    sums->mass += measure;
}

static double six_volume(const double *a, const double *b, const double *c, const double *d)
{
    double e1[3], e2[3], e3[3], normal[3];
    sim_subtract(b, a, e1);
    sim_subtract(c, a, e2);
    sim_subtract(d, a, e3);
    sim_cross(e1, e2, normal);
    return sim_dot(normal, e3);
}

static struct moments body_moments(const struct sim_body *body)
{
    struct moments sums = {0};
    const double *reference = body->start + 3 * (size_t)body->corners[0];
    for (uint32_t e = 0; e < body->element_count; e++) {
        const uint32_t *numbers = body->corners + (size_t)body->corner_count * e;
        const double *corners[4];
        for (uint32_t k = 0; k < body->corner_count; k++) {
            corners[k] = body->start + 3 * (size_t)numbers[k];
        }
        if (body->corner_count == 4) {
            double volume = six_volume(corners[0], corners[1], corners[2], corners[3]) / 6;
            add_simplex(&sums, volume < 0 ? -volume : volume, corners, 4, reference);
        } else if (body->oriented) {
            corners[3] = reference;
            add_simplex(&sums, six_volume(reference, corners[0], corners[1], corners[2]) / 6, corners, 4, reference);
        } else {
            double e1[3], e2[3], normal[3];
            sim_subtract(corners[1], corners[0], e1);
            sim_subtract(corners[2], corners[0], e2);
            sim_cross(e1, e2, normal);
            add_simplex(&sums, 0.5 * sqrt(sim_dot(normal, normal)), corners, 3, reference);
        }
    }
    if (sums.mass < 0) { /* a closed surface turned inside out encloses the same space */
        sums.mass = -sums.mass;
        for (int n = 0; n < 6; n++) {
            sums.second[n] = -sums.second[n];
            sums.first[n % 3] = n < 3 ? -sums.first[n] : sums.first[n % 3];
        }
    }
    return sums;
}

bool rigid_invert_inertia(const double m[9], double inverse[9])
{
    double cofactors[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            cofactors[3 * j + i] = m[3 * i1 + j1] * m[3 * i2 + j2] - m[3 * i1 + j2] * m[3 * i2 + j1];
        }
    }
    double determinant = m[0] * cofactors[0] + m[1] * cofactors[3] + m[2] * cofactors[6], trace = m[0] + m[4] + m[8];
    for (int n = 0; n < 9; n++) {
        inverse[n] = cofactors[n] / determinant;
    }
    return determinant > 1e-12 * trace * trace * trace;
}

/* Inertia about the centre of mass, and its inverse; false when it is singular. */
static bool inertia_from(const struct moments *sums, const double *arm, double density, double *inertia,
                         double *inverse)
{
    double c[6];
    for (int i = 0, n = 0; i < 3; i++) {
        for (int j = i; j < 3; j++, n++) {
            c[n] = density * (sums->second[n] - sums->mass * arm[i] * arm[j]);
        }
    }
    double full[9] = {c[3] + c[5], -c[1], -c[2], -c[1], c[0] + c[5], -c[4], -c[2], -c[4], c[0] + c[3]};
    memcpy(inertia, full, sizeof full);
    return rigid_invert_inertia(inertia, inverse);
}

/* Mass, centre and inertia that the def gives. The check of the def has seen that they make sense. */
static bool take_given(struct sim_body *body, dent_rigid_state *pose, double *inertia, double *inverse)
{
    const double *i = body->given_inertia, full[9] = {i[0], i[1], i[2], i[1], i[3], i[4], i[2], i[4], i[5]};
    body->mass = body->given_mass;
    memcpy(pose->center, body->given_center, sizeof pose->center);
    memcpy(inertia, full, sizeof full);
    return rigid_invert_inertia(inertia, inverse);
}

/* What the mesh and the density make of them; false: nothing. */
static bool take_mesh(struct sim_body *body, dent_rigid_state *pose, double *inertia, double *inverse)
{
    struct moments sums = body_moments(body);
    double arm[3];
    const double *reference = body->start + 3 * (size_t)body->corners[0];
    body->mass = body->density * sums.mass;
    bool solid = body->mass > 0;
    for (int axis = 0; axis < 3; axis++) {
        arm[axis] = solid ? sums.first[axis] / sums.mass : 0;
        pose->center[axis] = reference[axis] + arm[axis];
    }
    return solid && inertia_from(&sums, arm, body->density, inertia, inverse);
}

static dent_status build_one(struct sim_model *model, struct sim_state *state, uint32_t body_number, uint32_t number)
{
    struct sim_body *body = &model->bodies[body_number];
    struct sim_rigid *rigid = &model->rigids[number];
    dent_rigid_state *pose = &state->rigids[number];
    double inverse[9];
    bool made = body->given_mass > 0 ? take_given(body, pose, rigid->inertia, inverse)
                                     : take_mesh(body, pose, rigid->inertia, inverse);
    if (!made) {
        return dent_fail(model->context, DENT_ERROR_BAD_MESH,
                         "%s: a rigid body needs mass and extent, its %s has mass %.9g and a singular inertia",
                         body->name, body->given_mass > 0 ? "def" : "mesh", body->mass);
    }
    double *local = sim_allocate(model, 3 * (size_t)body->vertex_count, sizeof *local);
    if (!local) {
        return sim_no_memory(model->context);
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        sim_subtract(body->start + 3 * (size_t)v, pose->center, local + 3 * (size_t)v);
    }
    rigid->body = body_number;
    rigid->mass = body->mass;
    rigid->local = local;
    body->rigid = number;
    pose->inverse_mass = 1 / body->mass;
    memcpy(pose->inverse_inertia, inverse, sizeof inverse);
    pose->orientation[0] = 1;
    return DENT_OK;
}

void rigid_add_mass(struct sim_model *model, struct sim_state *state, uint32_t number, const double moments[10],
                    double shift[3])
{
    struct sim_rigid *rigid = &model->rigids[number];
    dent_rigid_state *pose = &state->rigids[number];
    const double *inertia = rigid->inertia;
    double half = 0.5 * (inertia[0] + inertia[4] + inertia[8]), inverse[9];
    struct moments sums = {
        .mass = rigid->mass + moments[0],
        .second = {half - inertia[0], -inertia[1], -inertia[2], half - inertia[4], -inertia[5], half - inertia[8]}};
    for (int n = 0; n < 6; n++) {
        sums.second[n] += moments[4 + n];
    }
    for (int axis = 0; axis < 3; axis++) {
        sums.first[axis] = moments[1 + axis];
        shift[axis] = moments[1 + axis] / sums.mass;
    }
    inertia_from(&sums, shift, 1, rigid->inertia, inverse);
    rigid->mass = model->bodies[rigid->body].mass = sums.mass;
    pose->inverse_mass = 1 / sums.mass;
    memcpy(pose->inverse_inertia, inverse, sizeof inverse);
    for (int axis = 0; axis < 3; axis++) {
        pose->center[axis] += shift[axis];
    }
    for (uint32_t v = 0; v < model->bodies[rigid->body].vertex_count; v++) {
        sim_subtract(rigid->local + 3 * (size_t)v, shift, rigid->local + 3 * (size_t)v);
    }
}

dent_status rigid_build(struct sim_model *model, struct sim_state *state, struct rigid_motion *motion)
{
    motion->previous = sim_allocate(model, model->rigid_count, sizeof *motion->previous);
    motion->free = sim_allocate(model, model->rigid_count, sizeof *motion->free);
    motion->last = sim_allocate(model, 6 * (size_t)model->rigid_count, sizeof *motion->last);
    if (!motion->previous || !motion->free || !motion->last) {
        return sim_no_memory(model->context);
    }
    uint32_t number = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        model->bodies[b].rigid = SIM_NONE;
        if (model->bodies[b].kind == DENT_SIM_RIGID) {
            dent_status status = build_one(model, state, b, number++);
            if (status != DENT_OK) {
                return status;
            }
        }
    }
    return DENT_OK;
}

/* ---- motion ------------------------------------------------------------------------------------------------------ */

void rigid_rotation(const double *q, double matrix[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    matrix[0] = 1 - 2 * (y * y + z * z);
    matrix[1] = 2 * (x * y - w * z);
    matrix[2] = 2 * (x * z + w * y);
    matrix[3] = 2 * (x * y + w * z);
    matrix[4] = 1 - 2 * (x * x + z * z);
    matrix[5] = 2 * (y * z - w * x);
    matrix[6] = 2 * (x * z - w * y);
    matrix[7] = 2 * (y * z + w * x);
    matrix[8] = 1 - 2 * (x * x + y * y);
}

void rigid_turn(dent_rigid_state *state, const double *angle)
{
    double *q = state->orientation;
    double w = q[0] - 0.5 * (angle[0] * q[1] + angle[1] * q[2] + angle[2] * q[3]);
    double x = q[1] + 0.5 * (angle[0] * q[0] + angle[1] * q[3] - angle[2] * q[2]);
    double y = q[2] + 0.5 * (angle[1] * q[0] + angle[2] * q[1] - angle[0] * q[3]);
    double z = q[3] + 0.5 * (angle[2] * q[0] + angle[0] * q[2] - angle[1] * q[1]);
    double length = sqrt(w * w + x * x + y * y + z * z);
    q[0] = w / length;
    q[1] = x / length;
    q[2] = y / length;
    q[3] = z / length;
}

/* Free turning keeps the angular momentum L in space and the kinetic energy. In the body's frame, with P = R^T L and
 * w = I^-1 P, the implicit midpoint of P' = P x w,
 *
 *     I w + h/2 w x I w = P      (w: of the middle)
 *
 * turns P by the Cayley transform of -h w, which is what rigid_turn's formula does for h w, from the right: so R P is
 * kept exactly whatever w is, and the energy, quadratic in P, too, once w solves the equation. Newton from w = I^-1 P;
 * fast spins go in several parts of at most 1/4 radian, where it converges. Of unsolved equations (thousands of turns
 * in a substep) only L would be right; the energy is then still at most |L|^2 / (2 least moment). */
enum { MOST_PARTS = 64, NEWTON_STEPS = 6 };

static void matrix_times(const double *matrix, const double *vector, double *out)
{
    for (int i = 0; i < 3; i++) {
        out[i] = sim_dot(matrix + 3 * i, vector);
    }
}

static void transposed_times(const double *matrix, const double *vector, double *out)
{
    for (int i = 0; i < 3; i++) {
        out[i] = matrix[i] * vector[0] + matrix[3 + i] * vector[1] + matrix[6 + i] * vector[2];
    }
}

/* I omega, in space. */
static void angular_momentum(const struct sim_rigid *rigid, const double *orientation, const double *omega, double *out)
{
    double turn[9], local[3], momentum[3];
    rigid_rotation(orientation, turn);
    transposed_times(turn, omega, local);
    matrix_times(rigid->inertia, local, momentum);
    matrix_times(turn, momentum, out);
}

double rigid_spin_energy(const struct sim_rigid *rigid, const dent_rigid_state *state)
{
    double momentum[3];
    angular_momentum(rigid, state->orientation, state->angular_velocity, momentum);
    return 0.5 * sim_dot(momentum, state->angular_velocity);
}

/* omega = I^-1 L, in space. */
static void spin_from(const double *inverse_inertia, const double *orientation, const double *momentum, double *omega)
{
    double turn[9], local[3], spin[3];
    rigid_rotation(orientation, turn);
    transposed_times(turn, momentum, local);
    matrix_times(inverse_inertia, local, spin);
    matrix_times(turn, spin, omega);
}

void rigid_keep_spin(const struct sim_model *model, uint32_t rigid, const dent_rigid_state *from, dent_rigid_state *to)
{
    double momentum[3];
    angular_momentum(&model->rigids[rigid], from->orientation, from->angular_velocity, momentum);
    spin_from(to->inverse_inertia, to->orientation, momentum, to->angular_velocity);
    double before = sim_dot(momentum, from->angular_velocity), after = sim_dot(momentum, to->angular_velocity);
    for (int k = 0; k < 3 && after > before; k++) {
        to->angular_velocity[k] *= sqrt(before / after);
    }
}

/* x of A x = b by Cramer's rule; false when A is singular. */
static bool solve3(const double a[9], const double *b, double *x)
{
    double columns[3][3], normal[3];
    for (int j = 0; j < 3; j++) {
        for (int i = 0; i < 3; i++) {
            columns[j][i] = a[3 * i + j];
        }
    }
    sim_cross(columns[1], columns[2], normal);
    double determinant = sim_dot(columns[0], normal);
    x[0] = sim_dot(b, normal) / determinant;
    sim_cross(columns[2], columns[0], normal);
    x[1] = sim_dot(b, normal) / determinant;
    sim_cross(columns[0], columns[1], normal);
    x[2] = sim_dot(b, normal) / determinant;
    return isfinite(x[0] + x[1] + x[2]);
}

/* The spin of the middle of a part of length h, in the body's frame. */
static void middle_spin(const struct sim_rigid *rigid, const double *momentum, double h, double *spin)
{
    for (int n = 0; n < NEWTON_STEPS; n++) {
        double now[3], crossed[3], rest[3], jacobian[9], change[3];
        matrix_times(rigid->inertia, spin, now);
        sim_cross(spin, now, crossed);
        for (int i = 0; i < 3; i++) {
            rest[i] = momentum[i] - now[i] - 0.5 * h * crossed[i];
        }
        for (int j = 0; j < 3; j++) { /* I e + h/2 (spin x I e + e x I spin) for the axis e */
            const double *inertia = rigid->inertia;
            double axis[3] = {j == 0, j == 1, j == 2}, column[3] = {inertia[j], inertia[3 + j], inertia[6 + j]};
            double first[3], second[3];
            sim_cross(spin, column, first);
            sim_cross(axis, now, second);
            for (int i = 0; i < 3; i++) {
                jacobian[3 * i + j] = column[i] + 0.5 * h * (first[i] + second[i]);
            }
        }
        if (!solve3(jacobian, rest, change)) {
            return;
        }
        sim_add_scaled(spin, 1, change);
    }
}

static void turn_freely(const struct sim_rigid *rigid, dent_rigid_state *state, double h)
{
    double momentum[3], angle = h * sqrt(sim_dot(state->angular_velocity, state->angular_velocity));
    if (angle == 0) {
        return;
    }
    int parts = angle < 0.25 * MOST_PARTS ? 1 + (int)(4 * angle) : MOST_PARTS;
    angular_momentum(rigid, state->orientation, state->angular_velocity, momentum);
    for (int n = 0; n < parts; n++) {
        double turn[9], local[3], spin[3], angles[3];
        rigid_rotation(state->orientation, turn);
        transposed_times(turn, momentum, local);
        matrix_times(state->inverse_inertia, local, spin);
        middle_spin(rigid, local, h / parts, spin);
        matrix_times(turn, spin, angles);
        for (int i = 0; i < 3; i++) {
            angles[i] *= h / parts;
        }
        rigid_turn(state, angles);
    }
    spin_from(state->inverse_inertia, state->orientation, momentum, state->angular_velocity);
}

void rigid_predict(const struct sim_model *model, struct sim_state *state, struct rigid_motion *motion)
{
    double h = model->substep, keep = 1 / (1 + model->air_damping * h);
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        dent_rigid_state *pose = &state->rigids[r];
        motion->previous[r] = motion->free[r] = *pose;
        memcpy(motion->last + 6 * (size_t)r, pose->linear_velocity, sizeof pose->linear_velocity);
        memcpy(motion->last + 6 * (size_t)r + 3, pose->angular_velocity, sizeof pose->angular_velocity);
        if (state->rest[r].asleep) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            pose->linear_velocity[axis] = keep * pose->linear_velocity[axis] + h * state->gravity[axis];
            pose->angular_velocity[axis] *= keep;
            pose->center[axis] += h * pose->linear_velocity[axis];
        }
        turn_freely(&model->rigids[r], pose, h);
        for (int axis = 0; axis < 3; axis++) {
            /* The speed of an approach is that with which this substep meets, gravity included. */
            motion->previous[r].linear_velocity[axis] = pose->linear_velocity[axis];
            motion->previous[r].angular_velocity[axis] = pose->angular_velocity[axis];
        }
        motion->free[r] = *pose;
    }
}

/* The speed of free flight, and what was done to the pose since as an impulse: its moment I dw adds to the angular
 * momentum, from which the spin at the new pose follows. A body that turns by more than 2 radians in a substep and is
 * stopped meanwhile has no such impulse (a turn is seen up to whole turns): there the whole change of the pose is its
 * spin, which bounds it. */
void rigid_finish(const struct sim_model *model, struct sim_state *state, const struct rigid_motion *motion)
{
    double h = model->substep;
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        const dent_rigid_state *before = &motion->free[r];
        dent_rigid_state *pose = &state->rigids[r], moved = *pose;
        double spin[3], momentum[3];
        dent_rigid_velocity_between(before, &moved, h);
        for (int axis = 0; axis < 3; axis++) {
            pose->linear_velocity[axis] = (pose->center[axis] - motion->previous[r].center[axis]) / h;
            spin[axis] = before->angular_velocity[axis] + moved.angular_velocity[axis];
        }
        bool rotated = memcmp(before->orientation, pose->orientation, sizeof pose->orientation) != 0;
        if (rotated && !(h * sqrt(sim_dot(before->angular_velocity, before->angular_velocity)) <= 2)) {
            moved = *pose;
            dent_rigid_velocity_between(&motion->previous[r], &moved, h);
            memcpy(spin, moved.angular_velocity, sizeof spin);
        } else if (rotated) {
            angular_momentum(&model->rigids[r], before->orientation, spin, momentum);
            spin_from(pose->inverse_inertia, pose->orientation, momentum, spin);
        }
        memcpy(pose->angular_velocity, spin, sizeof spin);
    }
}

void rigid_place_vertices(const struct sim_model *model, struct sim_state *state)
{
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        const struct sim_rigid *rigid = &model->rigids[r];
        const struct sim_body *body = &model->bodies[rigid->body];
        const dent_rigid_state *pose = &state->rigids[r];
        double turn[9];
        rigid_rotation(pose->orientation, turn);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            double *x = state->positions + 3 * ((size_t)body->first_vertex + v);
            for (int axis = 0; axis < 3; axis++) {
                x[axis] = pose->center[axis] + sim_dot(turn + 3 * axis, rigid->local + 3 * (size_t)v);
            }
        }
    }
}

void rigid_vertex_velocities(const struct sim_model *model, struct sim_state *state)
{
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        const struct sim_body *body = &model->bodies[model->rigids[r].body];
        const dent_rigid_state *pose = &state->rigids[r];
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            double arm[3], spin[3];
            sim_subtract(state->positions + 3 * (size_t)v, pose->center, arm);
            sim_cross(pose->angular_velocity, arm, spin);
            for (int axis = 0; axis < 3; axis++) {
                state->velocities[3 * (size_t)v + axis] = pose->linear_velocity[axis] + spin[axis];
            }
        }
    }
}
