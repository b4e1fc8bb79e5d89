/* The six equations of a rigid body with bonds: inertia, the edges and tetrahedra between its bonded vertices and
 * others, its springs. Forces are made for every sweep, the matrix (Gauss and Newton's: products of first derivatives
 * only, so it is positive) once per detection, the part of springs in every sweep. In: positions, poses, the lists
 * of rigid_bonds_build.c. Out: struct block_system. */
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

/* Force f at `arm` from the centre. */
void block_add_force(double force[6], const double *arm, double factor, const double *f)
{
    double moment[3];
    sim_cross(arm, f, moment);
    sim_add_scaled(force, factor, f);
    sim_add_scaled(force + 3, factor, moment);
}

/* factor g g^T, lower half. */
static void add_square(double matrix[6][6], double factor, const double g[6])
{
    for (int i = 0; i < 6; i++) {
        double left = factor * g[i];
        for (int j = 0; j <= i; j++) {
            matrix[i][j] += left * g[j];
        }
    }
}

/* factor |t + angle x arm|^2, lower half: given the sums of factor, factor arm, factor arm arm^T. */
static void add_isotropic(double matrix[6][6], double sum, const double first[3], const double second[6])
{
    double trace = second[0] + second[3] + second[5];
    for (int i = 0; i < 3; i++) {
        matrix[i][i] += sum;
        matrix[3 + i][3 + i] += trace;
    }
    matrix[3][3] -= second[0];
    matrix[4][3] -= second[1];
    matrix[5][3] -= second[2];
    matrix[4][4] -= second[3];
    matrix[5][4] -= second[4];
    matrix[5][5] -= second[5];
    /* angle . (arm x t) */
    matrix[3][1] -= first[2];
    matrix[3][2] += first[1];
    matrix[4][0] += first[2];
    matrix[4][2] -= first[0];
    matrix[5][0] -= first[1];
    matrix[5][1] += first[0];
}

/* How much an edge with a damper resists, beside its weight: `rate` times the square of the change along it. */
static double damper_rate(const struct bond_edge *edge, double square, double inverse_step)
{
    return square > 0 ? edge->damper * inverse_step / square : 0;
}

static void add_edge_forces(const struct sim_model *model, const struct sim_state *state, const double *previous,
                            const struct rigid_block *block, double force[6])
{
    const double *positions = state->positions;
    const double *center = state->rigids[block->rigid].center;
    double sum[3] = {0, 0, 0}, moments[3] = {0, 0, 0}, inverse_step = 1 / model->substep;
    for (uint32_t e = block->lists->edge_begin; e < block->lists->edge_end; e++) {
        const struct bond_edge *edge = &model->bonds->edges[e];
        const double *x = positions + 3 * (size_t)edge->vertex, *other = positions + 3 * (size_t)edge->other;
        double difference[3], arm[3], moment[3], pull = edge->weight;
        sim_subtract(other, x, difference);
        sim_subtract(x, center, arm);
        if (edge->damper > 0) {
            double before[3], square = sim_dot(difference, difference);
            sim_subtract(previous + 3 * (size_t)edge->other, previous + 3 * (size_t)edge->vertex, before);
            pull += damper_rate(edge, square, inverse_step) * (square - sim_dot(difference, before));
        }
        sim_cross(arm, difference, moment);
        sim_add_scaled(sum, pull, difference);
        sim_add_scaled(moments, pull, moment);
    }
    sim_add_scaled(force, 1, sum);
    sim_add_scaled(force + 3, 1, moments);
}

static void add_edge_matrix(const struct sim_model *model, const struct sim_state *state,
                            const struct rigid_block *block, double matrix[6][6])
{
    const dent_rigid_state *pose = &state->rigids[block->rigid];
    double sum = 0, first[3] = {0, 0, 0}, second[6] = {0}, inverse_step = 1 / model->substep;
    for (uint32_t e = block->lists->edge_begin; e < block->lists->edge_end; e++) {
        const struct bond_edge *edge = &model->bonds->edges[e];
        const double *x = state->positions + 3 * (size_t)edge->vertex;
        double along[6], arm[3];
        sim_subtract(state->positions + 3 * (size_t)edge->other, x, along);
        arm_of(x, pose, arm);
        sim_cross(arm, along, along + 3);
        add_square(matrix, edge->left * damper_rate(edge, sim_dot(along, along), inverse_step), along);
        /* Weights of obtuse edges are negative; without them the matrix stays positive and the step a descent. */
        double weight = edge->weight > 0 ? edge->left * edge->weight : 0;
        sum += weight;
        sim_add_scaled(first, weight, arm);
        for (int i = 0, n = 0; i < 3; i++) {
            for (int j = i; j < 3; j++, n++) {
                second[n] += weight * arm[i] * arm[j];
            }
        }
    }
    add_isotropic(matrix, sum, first, second);
}

/* How six times the volume of a tetrahedron changes with the six motions of the block; returns what it is off. Corner 3
 * moves, and corner 2 where `two` says so. */
static inline double volume_change(const double *positions, const struct bond_tet *tet, const double *center,
                                   double change[6])
{
    const double *x0 = positions + 3 * (size_t)tet->corners[0], *x1 = positions + 3 * (size_t)tet->corners[1];
    const double *x2 = positions + 3 * (size_t)tet->corners[2], *x3 = positions + 3 * (size_t)tet->corners[3];
    double e1[3], e2[3], e3[3], arm[3], gradient[3];
    sim_subtract(x1, x0, e1);
    sim_subtract(x2, x0, e2);
    sim_subtract(x3, x0, e3);
    sim_subtract(x3, center, arm);
    sim_cross(e1, e2, change);
    sim_cross(arm, change, change + 3);
    double volume = sim_dot(change, e3);
    if (tet->two) {
        double moment[3];
        sim_cross(e3, e1, gradient);
        sim_subtract(x2, center, arm);
        sim_cross(arm, gradient, moment);
        sim_add_scaled(change, 1, gradient);
        sim_add_scaled(change + 3, 1, moment);
    }
    return volume - tet->target;
}

static void add_tet_forces(const struct sim_model *model, const struct sim_state *state,
                           const struct rigid_block *block, double force[6])
{
    const double *center = state->rigids[block->rigid].center;
    double sum[6] = {0}, change[6];
    for (uint32_t t = block->lists->tet_begin; t < block->lists->tet_end; t++) {
        const struct bond_tet *tet = &model->bonds->tets[t];
        double push = -tet->sign * tet->stiffness * volume_change(state->positions, tet, center, change);
        for (int n = 0; n < 6; n++) {
            sum[n] += push * change[n];
        }
    }
    for (int n = 0; n < 6; n++) {
        force[n] += sum[n];
    }
}

static void add_tet_matrix(const struct sim_model *model, const struct sim_state *state,
                           const struct rigid_block *block, double matrix[6][6])
{
    for (uint32_t t = block->lists->tet_begin; t < block->lists->tet_end; t++) {
        const struct bond_tet *tet = &model->bonds->tets[t];
        double change[6];
        volume_change(state->positions, tet, state->rigids[block->rigid].center, change);
        add_square(matrix, tet->left * tet->stiffness, change);
    }
}

struct spring_pull block_spring_pull(const struct sim_model *model, const struct sim_state *state, uint32_t rigid,
                                     const struct bond_spring *spring)
{
    const struct sim_attachment *tie = &model->attachments[spring->attachment];
    const dent_rigid_state *pose = &state->rigids[rigid];
    double turn[9], other[3] = {0, 0, 0}, apart[3], stiffness = 1 / tie->compliance;
    struct spring_pull pull = {.direction = {1, 0, 0}, .along = stiffness};
    rigid_rotation(pose->orientation, turn);
    for (int axis = 0; axis < 3; axis++) {
        pull.point[axis] = pose->center[axis] + sim_dot(turn + 3 * axis, spring->local);
    }
    for (int k = 0; k < 4; k++) {
        if (!spring->is_b && tie->body_b != SIM_NONE && tie->vertices_b[k] != SIM_NONE) {
            sim_add_scaled(other, tie->weights_b[k], state->positions + 3 * (size_t)tie->vertices_b[k]);
        }
    }
    if (spring->is_b || tie->body_b == SIM_NONE) {
        memcpy(other, spring->is_b ? state->positions + 3 * (size_t)tie->vertex_a : tie->point, sizeof other);
    }
    sim_subtract(pull.point, other, apart);
    double distance = sqrt(sim_dot(apart, apart)), stretch = distance - tie->length;
    for (int axis = 0; axis < 3 && distance > 0; axis++) {
        pull.direction[axis] = apart[axis] / distance;
        pull.force[axis] = -stiffness * stretch * pull.direction[axis];
    }
    pull.across = distance > 0 && stretch > 0 ? stiffness * (stretch / distance) : 0;
    pull.across = tie->length == 0 ? stiffness : pull.across;
    return pull;
}

static void add_spring_forces(const struct sim_model *model, const struct sim_state *state,
                              const struct rigid_block *block, double force[6])
{
    for (uint32_t k = block->lists->spring_begin; k < block->lists->spring_end; k++) {
        struct spring_pull pull = block_spring_pull(model, state, block->rigid, &model->bonds->springs[k]);
        double arm[3];
        arm_of(pull.point, &state->rigids[block->rigid], arm);
        block_add_force(force, arm, 1, pull.force);
    }
}

/* Stiffness at `arm`, along `direction` and across it. */
void block_add_stiffness(double matrix[6][6], const double *arm, const double *direction, double along, double across)
{
    double g[6] = {0}, second[6], first[3];
    block_add_force(g, arm, 1, direction);
    add_square(matrix, along - across, g);
    for (int i = 0, n = 0; i < 3; i++) {
        first[i] = across * arm[i];
        for (int j = i; j < 3; j++, n++) {
            second[n] = across * arm[i] * arm[j];
        }
    }
    add_isotropic(matrix, across, first, second);
}

static void add_spring_matrix(const struct sim_model *model, const struct sim_state *state,
                              const struct rigid_block *block, double matrix[6][6])
{
    for (uint32_t k = block->lists->spring_begin; k < block->lists->spring_end; k++) {
        struct spring_pull pull = block_spring_pull(model, state, block->rigid, &model->bonds->springs[k]);
        double arm[3];
        arm_of(pull.point, &state->rigids[block->rigid], arm);
        block_add_stiffness(matrix, arm, pull.direction, pull.along, pull.across);
    }
}

/* Inertia about the pose, in space. */
static void spatial_inertia(const struct sim_model *model, const struct sim_state *state, uint32_t rigid,
                            double inertia[9])
{
    double turn[9], half[9];
    rigid_rotation(state->rigids[rigid].orientation, turn);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            half[3 * i + j] = turn[3 * i] * model->rigids[rigid].inertia[j] +
                              turn[3 * i + 1] * model->rigids[rigid].inertia[3 + j] +
                              turn[3 * i + 2] * model->rigids[rigid].inertia[6 + j];
        }
    }
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            inertia[3 * i + j] = sim_dot(half + 3 * i, turn + 3 * j);
        }
    }
}

/* Twice the vector part of target * conjugate(now): the angle between them, to first order. */
static void angle_between(const double *now, const double *target, double angle[3])
{
    double cross[3], w = now[0] * target[0] + sim_dot(now + 1, target + 1);
    sim_cross(target + 1, now + 1, cross);
    for (int i = 0; i < 3; i++) {
        angle[i] = (w < 0 ? -2 : 2) * (now[0] * target[1 + i] - target[0] * now[1 + i] - cross[i]);
    }
}

static void add_inertia(const struct sim_model *model, const struct sim_state *state, const struct rigid_block *block,
                        double force[6])
{
    const dent_rigid_state *pose = &state->rigids[block->rigid];
    double h = model->substep, inertia[9], angle[3], mass = model->rigids[block->rigid].mass / (h * h);
    spatial_inertia(model, state, block->rigid, inertia);
    angle_between(pose->orientation, block->target.orientation, angle);
    for (int i = 0; i < 3; i++) {
        force[i] += mass * (block->target.center[i] - pose->center[i]);
        force[3 + i] += sim_dot(inertia + 3 * i, angle) / (h * h);
    }
}

static void add_inertia_matrix(const struct sim_model *model, const struct sim_state *state,
                               const struct rigid_block *block, double matrix[6][6])
{
    double h = model->substep, inertia[9];
    spatial_inertia(model, state, block->rigid, inertia);
    for (int i = 0; i < 3; i++) {
        matrix[i][i] += model->rigids[block->rigid].mass / (h * h);
        for (int j = 0; j <= i; j++) {
            matrix[3 + i][3 + j] += inertia[3 * i + j] / (h * h);
        }
    }
}

/* A pivot below 2^-44 of its diagonal is lost in rounding (a body of micrograms on a spring of giganewtons a metre): it
 * is raised to 2^-40 of it, which shortens the step and keeps its direction downhill. As in elastic_solve_symmetric. */
void block_factorise(double matrix[6][6], double factor[6][6])
{
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j <= i; j++) {
            double sum = matrix[i][j];
            for (int k = 0; k < j; k++) {
                sum -= factor[i][k] * factor[j][k];
            }
            if (i == j) {
                double firm = 0x1p-40 * matrix[i][i] > 1e-300 ? 0x1p-40 * matrix[i][i] : 1e-300;
                sum = sum > 0x1p-44 * matrix[i][i] && sum > 0 ? sum : firm;
            }
            factor[i][j] = i == j ? sqrt(sum) : sum / factor[j][j];
        }
    }
}

void block_solve_lower(double factor[6][6], double *x)
{
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k < i; k++) {
            x[i] -= factor[i][k] * x[k];
        }
        x[i] /= factor[i][i];
    }
}

void block_solve_upper(double factor[6][6], double *x)
{
    for (int i = 5; i >= 0; i--) {
        for (int k = i + 1; k < 6; k++) {
            x[i] -= factor[k][i] * x[k];
        }
        x[i] /= factor[i][i];
    }
}

void block_make_matrix(const struct sim_model *model, const struct sim_state *state, struct rigid_block *block)
{
    memset(block->matrix, 0, sizeof block->matrix);
    add_inertia_matrix(model, state, block, block->matrix);
    add_edge_matrix(model, state, block, block->matrix);
    add_tet_matrix(model, state, block, block->matrix);
    if (block->lists->spring_end > block->lists->spring_begin) {
        memset(block->elastic, 0, sizeof block->elastic);
        add_edge_matrix(model, state, block, block->elastic);
        add_tet_matrix(model, state, block, block->elastic);
        memcpy(block->elastic_pose, state->rigids[block->rigid].orientation, sizeof block->elastic_pose);
        add_spring_matrix(model, state, block, block->matrix);
    }
}

/* A spring can turn a light body far between two detections. The matrix of its old arms would let the moments of the
 * new ones meet nothing but its inertia, and throw it about. So inertia and springs are made anew for every sweep; the
 * bonds, which may be thousands of elements, only when the body has turned by more than a twentieth of a radian: until
 * then their part is wrong by no more than that. */
static void renew_matrix(const struct sim_model *model, const struct sim_state *state, struct rigid_block *block)
{
    double rotated[3];
    angle_between(block->elastic_pose, state->rigids[block->rigid].orientation, rotated);
    if (!(sim_dot(rotated, rotated) <= 0.05 * 0.05)) {
        block_make_matrix(model, state, block);
        return;
    }
    memcpy(block->matrix, block->elastic, sizeof block->matrix);
    add_inertia_matrix(model, state, block, block->matrix);
    add_spring_matrix(model, state, block, block->matrix);
}

void block_assemble(const struct sim_model *model, const struct sim_state *state, const double *previous,
                    struct rigid_block *block)
{
    memset(block->system.force, 0, sizeof block->system.force);
    if (block->lists->spring_end > block->lists->spring_begin) {
        renew_matrix(model, state, block);
    }
    memcpy(block->system.matrix, block->matrix, sizeof block->matrix);
    add_inertia(model, state, block, block->system.force);
    add_edge_forces(model, state, previous, block, block->system.force);
    add_tet_forces(model, state, block, block->system.force);
    add_spring_forces(model, state, block, block->system.force);
}
