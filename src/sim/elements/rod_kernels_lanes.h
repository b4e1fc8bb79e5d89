/* Elastic rods, eight strands at a time: included behind a lanes_<isa>.h by every row.
 *
 * Discrete elastic rods (Bergou, Wardetzky, Robinson, Audoly, Grinspun 2008 and 2010): vertices, and on every edge a
 * director d across it, which is carried along without twisting when the edge moves and turns about it by a number of
 * its own. At the joint of edges a and b, with tangents ta, tb and d' = t x d,
 *
 *     curvatures  k1 = (ta x tb) . (d'a + d'b) / (1 + ta . tb),  k2 = -(ta x tb) . (da + db) / (1 + ta . tb)
 *     twist       2 tan(m / 2), m the angle about tb from da, carried to tb, to db
 *
 * so all strains are rational but for the lengths of edges, and grow without bound before a joint folds or turns over.
 * The energy is the sum of stiffness/2 (strain - natural strain)^2 over edges (stretch) and joints. Damping has the same
 * form with the strain at the start of the substep, so both together have one target (struct rod_aim).
 *
 * The matrix is that of Gauss and Newton, sum of stiffness times squares of derivatives of strains, never negative. It
 * has the tension with which an edge began the substep in it, which resists moving sideways: the tension of a trial is
 * mostly noise, as edges are by far the stiffest. In the order vertex, edge, vertex, … it has eleven diagonals in its
 * lower half: a factor takes as long as a few products. */
#include "sim/elements/rod_kernels.h"

#include <stddef.h>
#include <string.h>

/* Smallest values of 1 + cosine: joints that fold or turn over further are as stiff as this. */
#define ROD_FOLDED 1e-6
/* Edges shorter than this share of their length have no direction. */
#define ROD_COLLAPSED 1e-6
#define ROD_LOST_PIVOT 1e-14 /* of the diagonal: lost in rounding, the unknown does not move */

struct rod_vector {
    doubles at[3];
};

static inline doubles rod_dot(struct rod_vector a, struct rod_vector b)
{
    return (a.at[0] * b.at[0] + a.at[1] * b.at[1]) + a.at[2] * b.at[2];
}

static inline struct rod_vector rod_cross(struct rod_vector a, struct rod_vector b)
{
    return (struct rod_vector){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                                a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static inline struct rod_vector rod_plus(struct rod_vector a, struct rod_vector b)
{
    return (struct rod_vector){{a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2]}};
}

static inline struct rod_vector rod_minus(struct rod_vector a, struct rod_vector b)
{
    return (struct rod_vector){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static inline struct rod_vector rod_times(doubles factor, struct rod_vector a)
{
    return (struct rod_vector){{factor * a.at[0], factor * a.at[1], factor * a.at[2]}};
}

static inline struct rod_vector rod_zero(void)
{
    return (struct rod_vector){{doubles_set(0), doubles_set(0), doubles_set(0)}};
}

static inline struct rod_vector rod_load(const double (*from)[ROD_LANES], uint32_t lane)
{
    return (struct rod_vector){
        {doubles_load_any(from[0] + lane), doubles_load_any(from[1] + lane), doubles_load_any(from[2] + lane)}};
}

static inline void rod_store(double (*to)[ROD_LANES], uint32_t lane, struct rod_vector a)
{
    for (int k = 0; k < 3; k++) {
        doubles_store_any(to[k] + lane, a.at[k]);
    }
}

/* Vertex i of every strand; behind its end, the last one. */
static inline struct rod_vector rod_vertex(const struct rod_group *group, uint32_t lane, uint32_t i,
                                           const double *positions)
{
    const double *rows[DOUBLES];
    doubles columns[4];
    for (uint32_t l = 0; l < DOUBLES; l++) {
        uint32_t last = group->vertex_count[lane + l] - 1;
        rows[l] = positions + 3 * (size_t)(group->first_vertex[lane + l] + (i < last ? i : last));
    }
    doubles_columns4(rows, columns);
    return (struct rod_vector){{columns[0], columns[1], columns[2]}};
}

struct rod_edge {
    struct rod_vector tangent, director, across;
    doubles length, inverse; /* inverse: 0 without direction */
};

static inline struct rod_edge rod_edge(struct rod_vector from, struct rod_vector to, doubles rest)
{
    struct rod_edge edge;
    struct rod_vector e = rod_minus(to, from);
    edge.length = doubles_root(rod_dot(e, e));
    doubles_mask has = doubles_greater(edge.length, doubles_set(ROD_COLLAPSED) * rest);
    edge.inverse = doubles_choose(has, doubles_set(1) / edge.length, doubles_set(0));
    edge.tangent = rod_times(edge.inverse, e);
    return edge;
}

static inline void rod_set_director(struct rod_edge *edge, struct rod_vector director)
{
    edge->director = director;
    edge->across = rod_cross(edge->tangent, director);
}

/* ---- directors --------------------------------------------------------------------------------------------------- */

/* From one tangent to another by the shortest rotation. */
static inline struct rod_vector rod_carried(struct rod_vector vector, struct rod_vector from, struct rod_vector to)
{
    doubles chi = doubles_most(doubles_set(1) + rod_dot(from, to), doubles_set(ROD_FOLDED));
    return rod_minus(vector, rod_times(rod_dot(vector, to) / chi, rod_plus(from, to)));
}

static inline struct rod_vector rod_turned(struct rod_vector vector, struct rod_vector axis, doubles turn)
{
    doubles half = doubles_set(0.5) * turn, square = half * half, share = doubles_set(1) / (doubles_set(1) + square);
    doubles cosine = (doubles_set(1) - square) * share, sine = turn * share;
    return rod_plus(rod_times(cosine, vector), rod_times(sine, rod_cross(axis, vector)));
}

/* Unit and across the tangent; where nothing is left of it, the old one. */
static inline struct rod_vector rod_straightened(struct rod_vector vector, struct rod_vector tangent,
                                                 struct rod_vector old)
{
    struct rod_vector across = rod_minus(vector, rod_times(rod_dot(vector, tangent), tangent)), out;
    doubles square = rod_dot(across, across);
    doubles_mask good = doubles_greater(square, doubles_set(1e-12));
    doubles inverse = doubles_set(1) / doubles_root(square);
    for (int k = 0; k < 3; k++) {
        out.at[k] = doubles_choose(good, across.at[k] * inverse, old.at[k]);
    }
    return out;
}

static void rod_carry(const struct rod_group *group, const struct rod_director *from, const double *positions,
                      const double *moved, const struct rod_values *turns, double part, struct rod_director *out)
{
    for (uint32_t lane = 0; lane < ROD_LANES; lane += DOUBLES) {
        struct rod_vector x = rod_vertex(group, lane, 0, positions), y = rod_vertex(group, lane, 0, moved);
        for (uint32_t i = 0; i < group->row_count; i++) {
            struct rod_vector next_x = rod_vertex(group, lane, i + 1, positions);
            struct rod_vector next_y = rod_vertex(group, lane, i + 1, moved);
            struct rod_edge a = rod_edge(x, next_x, doubles_set(0)), b = rod_edge(y, next_y, doubles_set(0));
            struct rod_vector old = rod_load(from[i].at, lane), d = rod_carried(old, a.tangent, b.tangent);
            if (turns) {
                d = rod_turned(d, b.tangent, doubles_set(part) * doubles_load_any(turns[i].at[3] + lane));
            }
            rod_store(out[i].at, lane, rod_straightened(d, b.tangent, old));
            x = next_x;
            y = next_y;
        }
    }
}

/* ---- joints ------------------------------------------------------------------------------------------------------ */

struct rod_joint {
    doubles strain[3];
    struct rod_vector by_a[3], by_b[3]; /* derivatives by the vectors of both edges … */
    doubles turn_a[3], turn_b[3];       /* … and by their turns */
};

/* Of the strains of a joint; with their derivatives where `slopes`. */
static inline struct rod_joint rod_joint(const struct rod_edge *a, const struct rod_edge *b, bool slopes)
{
    struct rod_joint joint;
    doubles chi = doubles_most(doubles_set(1) + rod_dot(a->tangent, b->tangent), doubles_set(ROD_FOLDED));
    doubles inverse = doubles_set(1) / chi;
    struct rod_vector crossed = rod_times(inverse, rod_cross(a->tangent, b->tangent)); /* half of the curvature */
    struct rod_vector directors = rod_plus(a->director, b->director), others = rod_plus(a->across, b->across);
    joint.strain[0] = rod_dot(crossed, others);
    joint.strain[1] = -rod_dot(crossed, directors);
    struct rod_vector carried = rod_minus(a->director, rod_times(rod_dot(a->director, b->tangent) * inverse,
                                                                 rod_plus(a->tangent, b->tangent)));
    doubles below = doubles_most(doubles_set(1) + rod_dot(carried, b->director), doubles_set(ROD_FOLDED));
    joint.strain[2] = doubles_set(-2) * rod_dot(carried, b->across) / below;
    if (slopes) {
        struct rod_vector mean = rod_times(inverse, rod_plus(a->tangent, b->tangent));
        struct rod_vector scaled1 = rod_times(inverse, others), scaled2 = rod_times(inverse, directors);
        doubles steep = doubles_set(1) + doubles_set(0.25) * (joint.strain[2] * joint.strain[2]);
        struct rod_vector by_a1 = rod_minus(rod_cross(b->tangent, scaled1), rod_times(joint.strain[0], mean));
        struct rod_vector by_b1 = rod_minus(rod_cross(scaled1, a->tangent), rod_times(joint.strain[0], mean));
        struct rod_vector by_a2 = rod_minus(rod_cross(scaled2, b->tangent), rod_times(joint.strain[1], mean));
        struct rod_vector by_b2 = rod_minus(rod_cross(a->tangent, scaled2), rod_times(joint.strain[1], mean));
        joint.by_a[0] = rod_times(a->inverse, by_a1);
        joint.by_b[0] = rod_times(b->inverse, by_b1);
        joint.by_a[1] = rod_times(a->inverse, by_a2);
        joint.by_b[1] = rod_times(b->inverse, by_b2);
        joint.by_a[2] = rod_times(steep * a->inverse, crossed);
        joint.by_b[2] = rod_times(steep * b->inverse, crossed);
        joint.turn_a[0] = -rod_dot(crossed, a->director);
        joint.turn_b[0] = -rod_dot(crossed, b->director);
        joint.turn_a[1] = -rod_dot(crossed, a->across);
        joint.turn_b[1] = -rod_dot(crossed, b->across);
        joint.turn_a[2] = -steep;
        joint.turn_b[2] = steep;
    }
    return joint;
}

static void rod_strains(const struct rod_group *group, const struct rod_pass *pass, struct rod_strains *out)
{
    for (uint32_t lane = 0; lane < ROD_LANES; lane += DOUBLES) {
        struct rod_vector x = rod_vertex(group, lane, 0, pass->positions);
        struct rod_edge last = {.tangent = rod_zero(), .director = rod_zero(), .across = rod_zero()};
        for (uint32_t i = 0; i < group->row_count; i++) {
            struct rod_vector next = rod_vertex(group, lane, i + 1, pass->positions);
            struct rod_edge edge = rod_edge(x, next, doubles_load_any(pass->rows[i].length + lane));
            rod_set_director(&edge, rod_load(pass->directors[i].at, lane));
            struct rod_joint joint = rod_joint(&last, &edge, false);
            doubles_store_any(out[i].at[0] + lane, edge.length);
            for (int k = 0; k < 3; k++) {
                doubles_store_any(out[i].at[1 + k] + lane, joint.strain[k]);
            }
            last = edge;
            x = next;
        }
    }
}

static inline void rod_weights(const struct rod_row *row, uint32_t lane, doubles factor, doubles weights[ROD_STRAINS])
{
    weights[0] = factor * doubles_load_any(row->stretch + lane);
    weights[1] = weights[2] = factor * doubles_load_any(row->bend + lane);
    weights[3] = factor * doubles_load_any(row->twist + lane);
}

static void rod_difference(const struct rod_group *group, const struct rod_pass *pass, const struct rod_strains *a,
                           const struct rod_strains *b, double sums[ROD_LANES])
{
    for (uint32_t lane = 0; lane < ROD_LANES; lane += DOUBLES) {
        doubles sum = doubles_set(0);
        for (uint32_t i = 0; i < group->row_count; i++) {
            const struct rod_row *row = &pass->rows[i];
            const struct rod_aim *aim = pass->aims ? &pass->aims[i] : NULL;
            doubles weights[ROD_STRAINS];
            rod_weights(row, lane, aim ? doubles_load_any(aim->factor + lane) : doubles_set(1), weights);
            for (int k = 0; k < ROD_STRAINS; k++) {
                const double *target = aim ? aim->target[k] : k == 0 ? row->length : row->natural[k - 1];
                doubles goal = doubles_load_any(target + lane);
                doubles from = doubles_load_any(a[i].at[k] + lane), to = doubles_load_any(b[i].at[k] + lane);
                sum = sum + (doubles_set(0.5) * weights[k]) * ((to - from) * ((to - goal) + (from - goal)));
            }
        }
        doubles_store_any(sums + lane, sum);
    }
}

/* ---- gradient and product ---------------------------------------------------------------------------------------- */

/* The forces of strains: a gradient, with what they are beyond their targets; a product, with how a direction changes
 * them. */
static inline void rod_march(const struct rod_group *group, const struct rod_pass *pass,
                             const struct rod_values *direction, struct rod_strains *strains, struct rod_values *out,
                             uint32_t lane)
{
    struct rod_vector x = rod_vertex(group, lane, 0, pass->positions), pull = rod_zero(), pull_before = rod_zero();
    struct rod_vector moved = rod_zero(), last_moved = rod_zero();
    struct rod_edge last = {.tangent = rod_zero(), .director = rod_zero(), .across = rod_zero()};
    doubles turning = doubles_set(0), last_turned = doubles_set(0);
    last.inverse = doubles_set(0);
    for (uint32_t i = 0; i <= group->row_count; i++) {
        struct rod_vector pull_here = rod_zero();
        doubles turning_here = doubles_set(0);
        if (i < group->row_count) {
            const struct rod_row *row = &pass->rows[i];
            const struct rod_aim *aim = &pass->aims[i];
            struct rod_vector next = rod_vertex(group, lane, i + 1, pass->positions);
            struct rod_edge edge = rod_edge(x, next, doubles_load_any(row->length + lane));
            doubles weights[ROD_STRAINS], turned = doubles_set(0);
            rod_set_director(&edge, rod_load(pass->directors[i].at, lane));
            rod_weights(row, lane, doubles_load_any(aim->factor + lane), weights);
            struct rod_joint joint = rod_joint(&last, &edge, true);
            if (direction) {
                struct rod_vector from = rod_load(direction[i].at, lane), to = rod_zero();
                if (i + 1 < group->row_count) {
                    to = rod_load(direction[i + 1].at, lane);
                }
                moved = rod_minus(to, from);
                turned = doubles_load_any(direction[i].at[3] + lane);
                doubles along = rod_dot(edge.tangent, moved), aside = doubles_load_any(aim->tension + lane) * edge.inverse;
                pull_here = rod_plus(rod_times(aside, moved), rod_times((weights[0] - aside) * along, edge.tangent));
                turning_here = doubles_load_any(aim->spin + lane) * turned;
            } else {
                doubles beyond = edge.length - doubles_load_any(aim->target[0] + lane);
                pull_here = rod_times(weights[0] * beyond, edge.tangent);
                doubles_store_any(strains[i].at[0] + lane, edge.length);
            }
            for (int k = 0; k < 3; k++) {
                doubles change;
                if (direction) {
                    change = (rod_dot(joint.by_a[k], last_moved) + rod_dot(joint.by_b[k], moved)) +
                             (joint.turn_a[k] * last_turned + joint.turn_b[k] * turned);
                } else {
                    change = joint.strain[k] - doubles_load_any(aim->target[1 + k] + lane);
                    doubles_store_any(strains[i].at[1 + k] + lane, joint.strain[k]);
                }
                doubles force = weights[1 + k] * change;
                pull = rod_plus(pull, rod_times(force, joint.by_a[k]));
                pull_here = rod_plus(pull_here, rod_times(force, joint.by_b[k]));
                turning = turning + force * joint.turn_a[k];
                turning_here = turning_here + force * joint.turn_b[k];
            }
            last = edge;
            last_moved = moved;
            last_turned = turned;
            x = next;
        }
        if (i > 0) {
            const struct rod_row *row = &pass->rows[i - 1];
            doubles moves = doubles_load_any(row->moves + lane);
            rod_store(out[i - 1].at, lane, rod_times(moves, rod_minus(pull_before, pull)));
            doubles_store_any(out[i - 1].at[3] + lane, doubles_load_any(row->turns + lane) * turning);
            pull_before = pull;
        }
        pull = pull_here;
        turning = turning_here;
    }
}

static void rod_gradient(const struct rod_group *group, const struct rod_pass *pass, struct rod_strains *strains,
                         struct rod_values *out)
{
    for (uint32_t lane = 0; lane < ROD_LANES; lane += DOUBLES) {
        rod_march(group, pass, NULL, strains, out, lane);
    }
}

static void rod_product(const struct rod_group *group, const struct rod_pass *pass, const struct rod_values *direction,
                        struct rod_values *out)
{
    for (uint32_t lane = 0; lane < ROD_LANES; lane += DOUBLES) {
        rod_march(group, pass, direction, NULL, out, lane);
    }
}

/* ---- the factor -------------------------------------------------------------------------------------------------- */

/* Places of a lower half by rows. */
#define ROD_LOWER(i, j) ((i) * ((i) + 1) / 2 + (j))

static inline void rod_add(double *to, uint32_t lane, doubles a)
{
    doubles_store_any(to + lane, doubles_load_any(to + lane) + a);
}

/* Adds weight times the square of a row of derivatives: of the vertex before the joint and the turn of edge a, of the
 * vertex of the joint and the turn of edge b, of the vertex behind. */
static inline void rod_add_joint(struct rod_matrix *before, struct rod_matrix *here, struct rod_matrix *behind,
                                 const doubles first[3][4], const doubles second[3][4], const doubles third[3][3],
                                 const doubles weights[3], uint32_t lane)
{
    for (int i = 0; i < 4; i++) {
        doubles one[3], two[3];
        for (int k = 0; k < 3; k++) {
            one[k] = weights[k] * first[k][i];
            two[k] = weights[k] * second[k][i];
        }
        for (int j = 0; j <= i; j++) {
            rod_add(before->own[ROD_LOWER(i, j)], lane, (one[0] * first[0][j] + one[1] * first[1][j]) + one[2] * first[2][j]);
            rod_add(here->own[ROD_LOWER(i, j)], lane, (two[0] * second[0][j] + two[1] * second[1][j]) + two[2] * second[2][j]);
        }
        for (int j = 0; j < 4; j++) {
            rod_add(here->before[4 * i + j], lane, (two[0] * first[0][j] + two[1] * first[1][j]) + two[2] * first[2][j]);
        }
    }
    for (int i = 0; i < 3; i++) {
        doubles three[3];
        for (int k = 0; k < 3; k++) {
            three[k] = weights[k] * third[k][i];
        }
        for (int j = 0; j <= i; j++) {
            rod_add(behind->own[ROD_LOWER(i, j)], lane, (three[0] * third[0][j] + three[1] * third[1][j]) + three[2] * third[2][j]);
        }
        for (int j = 0; j < 4; j++) {
            rod_add(behind->before[4 * i + j], lane, (three[0] * second[0][j] + three[1] * second[1][j]) + three[2] * second[2][j]);
            rod_add(behind->far[4 * i + j], lane, (three[0] * first[0][j] + three[1] * first[1][j]) + three[2] * first[2][j]);
        }
    }
}

static inline void rod_add_edge(struct rod_matrix *here, struct rod_matrix *behind, const struct rod_edge *edge,
                                doubles along, doubles aside, doubles moves, doubles next_moves, uint32_t lane)
{
    doubles both = moves * next_moves;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            doubles block = (along - aside) * (edge->tangent.at[i] * edge->tangent.at[j]);
            if (i == j) {
                block = block + aside;
            }
            if (j <= i) {
                rod_add(here->own[ROD_LOWER(i, j)], lane, moves * block);
                rod_add(behind->own[ROD_LOWER(i, j)], lane, next_moves * block);
            }
            rod_add(behind->before[4 * i + j], lane, -(both * block));
        }
    }
}

static inline void rod_clear_row(struct rod_matrix *row, uint32_t lane)
{
    doubles zero = doubles_set(0);
    for (int n = 0; n < 16; n++) {
        doubles_store_any(row->before[n] + lane, zero);
        if (n < 12) {
            doubles_store_any(row->far[n] + lane, zero);
        }
        if (n < 10) {
            doubles_store_any(row->own[n] + lane, zero);
        }
    }
}

/* Inertia, contacts, and 1 on the diagonal of what is held. */
static inline void rod_add_row(struct rod_matrix *row, const struct rod_row *constants, const struct rod_aim *aim,
                               const double *inertia, const struct rod_added *added, uint32_t lane)
{
    doubles moves = doubles_load_any(constants->moves + lane), turns = doubles_load_any(constants->turns + lane);
    doubles weight = moves * doubles_load_any(inertia + lane) + (doubles_set(1) - moves);
    static const int lower[6] = {0, 1, 3, 2, 4, 5}; /* xx xy xz yy yz zz in a lower half by rows */
    static const int square[6] = {0, 1, 2, 5, 6, 10};
    static const int mirrored[6] = {0, 4, 8, 5, 9, 10};
    for (int n = 0; n < 3; n++) {
        rod_add(row->own[ROD_LOWER(n, n)], lane, weight);
    }
    rod_add(row->own[9], lane, turns * doubles_load_any(aim->spin + lane) + (doubles_set(1) - turns));
    for (int n = 0; added && n < 6; n++) {
        doubles before = doubles_load_any(added->before[n] + lane);
        rod_add(row->own[lower[n]], lane, doubles_load_any(added->own[n] + lane));
        rod_add(row->before[square[n]], lane, before);
        if (mirrored[n] != square[n]) {
            rod_add(row->before[mirrored[n]], lane, before);
        }
    }
}

static inline void rod_assemble(const struct rod_group *group, const struct rod_pass *pass,
                                const double (*inertia)[ROD_LANES], const struct rod_added *added,
                                struct rod_matrix *out, uint32_t lane)
{
    struct rod_vector x = rod_vertex(group, lane, 0, pass->positions);
    struct rod_edge last = {.tangent = rod_zero(), .director = rod_zero(), .across = rod_zero()};
    doubles last_moves = doubles_set(0), last_turns = doubles_set(0);
    last.inverse = doubles_set(0);
    rod_clear_row(&out[0], lane);
    for (uint32_t i = 0; i < group->row_count; i++) {
        const struct rod_row *row = &pass->rows[i];
        const struct rod_aim *aim = &pass->aims[i];
        bool ends = i + 1 == group->row_count;
        struct rod_vector next = rod_vertex(group, lane, i + 1, pass->positions);
        struct rod_edge edge = rod_edge(x, next, doubles_load_any(row->length + lane));
        doubles weights[ROD_STRAINS], moves = doubles_load_any(row->moves + lane);
        doubles turns = doubles_load_any(row->turns + lane);
        doubles next_moves = ends ? doubles_set(0) : doubles_load_any(pass->rows[ends ? i : i + 1].moves + lane);
        rod_set_director(&edge, rod_load(pass->directors[i].at, lane));
        rod_weights(row, lane, doubles_load_any(aim->factor + lane), weights);
        if (!ends) {
            rod_clear_row(&out[i + 1], lane);
            rod_add_edge(&out[i], &out[i + 1], &edge, weights[0], doubles_load_any(aim->tension + lane) * edge.inverse,
                         moves, next_moves, lane);
        }
        if (i > 0 && !ends) {
            struct rod_joint joint = rod_joint(&last, &edge, true);
            doubles first[3][4], second[3][4], third[3][3];
            for (int k = 0; k < 3; k++) {
                for (int axis = 0; axis < 3; axis++) {
                    doubles a = joint.by_a[k].at[axis], b = joint.by_b[k].at[axis];
                    first[k][axis] = -(last_moves * a);
                    second[k][axis] = moves * (a - b);
                    third[k][axis] = next_moves * b;
                }
                first[k][3] = last_turns * joint.turn_a[k];
                second[k][3] = turns * joint.turn_b[k];
            }
            rod_add_joint(&out[i - 1], &out[i], &out[i + 1], first, second, third, weights + 1, lane);
        }
        rod_add_row(&out[i], row, aim, inertia[i], added ? &added[i] : NULL, lane);
        last = edge;
        last_moves = moves;
        last_turns = turns;
        x = next;
    }
}

/* block = block times the inverse of the transposed lower factor: rows of four. */
static inline void rod_divide(doubles (*block)[4], int rows, const doubles own[10])
{
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < 4; j++) {
            doubles sum = block[i][j];
            for (int k = 0; k < j; k++) {
                sum = sum - block[i][k] * own[ROD_LOWER(j, k)];
            }
            block[i][j] = sum * own[ROD_LOWER(j, j)];
        }
    }
}

static inline void rod_cholesky(doubles own[10])
{
    for (int j = 0; j < 4; j++) {
        doubles diagonal = own[ROD_LOWER(j, j)], pivot = diagonal;
        for (int k = 0; k < j; k++) {
            pivot = pivot - own[ROD_LOWER(j, k)] * own[ROD_LOWER(j, k)];
        }
        doubles_mask good = doubles_greater(pivot, doubles_set(ROD_LOST_PIVOT) * diagonal);
        doubles inverse = doubles_choose(good, doubles_set(1) / doubles_root(pivot), doubles_set(0));
        own[ROD_LOWER(j, j)] = inverse;
        for (int i = j + 1; i < 4; i++) {
            doubles sum = own[ROD_LOWER(i, j)];
            for (int k = 0; k < j; k++) {
                sum = sum - own[ROD_LOWER(i, k)] * own[ROD_LOWER(j, k)];
            }
            own[ROD_LOWER(i, j)] = sum * inverse;
        }
    }
}

static inline void rod_load_block(doubles *to, const double (*from)[ROD_LANES], int count, uint32_t lane)
{
    for (int n = 0; n < count; n++) {
        to[n] = doubles_load_any(from[n] + lane);
    }
}

static inline void rod_store_block(double (*to)[ROD_LANES], const doubles *from, int count, uint32_t lane)
{
    for (int n = 0; n < count; n++) {
        doubles_store_any(to[n] + lane, from[n]);
    }
}

/* Row by row: far = far / D-2, before = (before - far * before-1) / D-1, own = own - far^2 - before^2. */
static inline void rod_eliminate(const struct rod_group *group, struct rod_matrix *rows, uint32_t lane)
{
    doubles own_1[10], own_2[10], before_1[4][4]; /* of the rows before */
    memset(own_1, 0, sizeof own_1);
    memset(own_2, 0, sizeof own_2);
    memset(before_1, 0, sizeof before_1);
    for (uint32_t i = 0; i < group->row_count; i++) {
        doubles own[10], before[4][4], far[3][4];
        rod_load_block(own, rows[i].own, 10, lane);
        if (i > 1) {
            rod_load_block(far[0], rows[i].far, 12, lane);
            rod_divide(far, 3, own_2);
            rod_store_block(rows[i].far, far[0], 12, lane);
            for (int r = 0; r < 3; r++) {
                for (int c = 0; c <= r; c++) {
                    own[ROD_LOWER(r, c)] = own[ROD_LOWER(r, c)] - ((far[r][0] * far[c][0] + far[r][1] * far[c][1]) +
                                                                   (far[r][2] * far[c][2] + far[r][3] * far[c][3]));
                }
            }
        }
        if (i > 0) {
            rod_load_block(before[0], rows[i].before, 16, lane);
            for (int r = 0; r < 3 && i > 1; r++) {
                for (int c = 0; c < 4; c++) {
                    before[r][c] = before[r][c] - ((far[r][0] * before_1[c][0] + far[r][1] * before_1[c][1]) +
                                                   (far[r][2] * before_1[c][2] + far[r][3] * before_1[c][3]));
                }
            }
            rod_divide(before, 4, own_1);
            rod_store_block(rows[i].before, before[0], 16, lane);
            for (int r = 0; r < 4; r++) {
                for (int c = 0; c <= r; c++) {
                    own[ROD_LOWER(r, c)] = own[ROD_LOWER(r, c)] - ((before[r][0] * before[c][0] + before[r][1] * before[c][1]) +
                                                                   (before[r][2] * before[c][2] + before[r][3] * before[c][3]));
                }
            }
            memcpy(before_1, before, sizeof before_1);
            memcpy(own_2, own_1, sizeof own_2);
        }
        rod_cholesky(own);
        rod_store_block(rows[i].own, own, 10, lane);
        memcpy(own_1, own, sizeof own_1);
    }
}

static void rod_factor(const struct rod_group *group, const struct rod_pass *pass, const double (*inertia)[ROD_LANES],
                       const struct rod_added *added, struct rod_matrix *out)
{
    for (uint32_t lane = 0; lane < ROD_LANES; lane += DOUBLES) {
        rod_assemble(group, pass, inertia, added, out, lane);
        rod_eliminate(group, out, lane);
    }
}

/* Forward from the root, then back from the tip. */
static inline void rod_solve_lane(const struct rod_group *group, const struct rod_matrix *rows,
                                  const struct rod_values *right, struct rod_values *out, uint32_t lane)
{
    doubles one[4], two[4]; /* the two rows before */
    for (int k = 0; k < 4; k++) {
        one[k] = two[k] = doubles_set(0);
    }
    for (uint32_t i = 0; i < group->row_count; i++) {
        doubles value[4];
        for (int r = 0; r < 4; r++) {
            doubles sum = doubles_load_any(right[i].at[r] + lane);
            for (int c = 0; c < 4 && i > 0; c++) {
                sum = sum - doubles_load_any(rows[i].before[4 * r + c] + lane) * one[c];
            }
            for (int c = 0; c < 4 && i > 1 && r < 3; c++) {
                sum = sum - doubles_load_any(rows[i].far[4 * r + c] + lane) * two[c];
            }
            for (int c = 0; c < r; c++) {
                sum = sum - doubles_load_any(rows[i].own[ROD_LOWER(r, c)] + lane) * value[c];
            }
            value[r] = sum * doubles_load_any(rows[i].own[ROD_LOWER(r, r)] + lane);
            doubles_store_any(out[i].at[r] + lane, value[r]);
        }
        memcpy(two, one, sizeof two);
        memcpy(one, value, sizeof one);
    }
    for (uint32_t i = group->row_count; i-- > 0;) {
        doubles value[4];
        for (int r = 3; r >= 0; r--) {
            doubles sum = doubles_load_any(out[i].at[r] + lane);
            for (int c = 0; c < 4 && i + 1 < group->row_count; c++) {
                sum = sum - doubles_load_any(rows[i + 1].before[4 * c + r] + lane) * one[c];
            }
            for (int c = 0; c < 3 && i + 2 < group->row_count; c++) {
                sum = sum - doubles_load_any(rows[i + 2].far[4 * c + r] + lane) * two[c];
            }
            for (int c = r + 1; c < 4; c++) {
                sum = sum - doubles_load_any(rows[i].own[ROD_LOWER(c, r)] + lane) * value[c];
            }
            value[r] = sum * doubles_load_any(rows[i].own[ROD_LOWER(r, r)] + lane);
            doubles_store_any(out[i].at[r] + lane, value[r]);
        }
        memcpy(two, one, sizeof two);
        memcpy(one, value, sizeof one);
    }
}

static void rod_solve(const struct rod_group *group, const struct rod_matrix *factor, const struct rod_values *right,
                      struct rod_values *out)
{
    for (uint32_t lane = 0; lane < ROD_LANES; lane += DOUBLES) {
        rod_solve_lane(group, factor, right, out, lane);
    }
}

#define ROD_KERNELS_ROW                                                                                                \
    {                                                                                                                  \
        rod_carry, rod_strains, rod_difference, rod_gradient, rod_product, rod_factor, rod_solve                       \
    }
