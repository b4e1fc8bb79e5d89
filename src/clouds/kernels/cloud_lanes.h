/* The text of the cloud kernels over the types of simd/lanes.h; see cloud_kernels.h. */
#ifndef DENT_CLOUDS_CLOUD_LANES_H
#define DENT_CLOUDS_CLOUD_LANES_H

#include "clouds/kernels/cloud_kernels.h"

#include <math.h>

enum { CLOUD_NODES_WAITING = 8 * NEIGHBOUR_LEVELS_MOST };

static inline uint32_t cloud_lanes_at_most(doubles8 a, doubles8 b)
{
    uint32_t bits = 0;
    LANES_EACH_PART(doubles8, bits |= doubles_mask_bits(doubles_less_equal(a.part[k], b.part[k])) << k * DOUBLES);
    return bits;
}

static inline doubles8 cloud_dot(const doubles8 a[3], const doubles8 b[3])
{
    doubles8 sum = doubles8_add(doubles8_multiply(a[0], b[0]), doubles8_multiply(a[1], b[1]));
    return doubles8_add(sum, doubles8_multiply(a[2], b[2]));
}

/* Squared distances of a place to eight boxes; NaN for empty lanes. */
static inline doubles8 cloud_box_distances(const struct neighbour_node *node, const double place[3])
{
    doubles8 gap[3];
    for (int axis = 0; axis < 3; axis++) {
        doubles8 at = doubles8_set(place[axis]);
        doubles8 above = doubles8_subtract(doubles8_load(node->low[axis]), at);
        doubles8 below = doubles8_subtract(at, doubles8_load(node->high[axis]));
        gap[axis] = doubles8_most(doubles8_set(0.0), doubles8_most(above, below));
    }
    return cloud_dot(gap, gap);
}

static inline void cloud_differences(const struct cloud_leaf *leaf, const double place[3], doubles8 difference[3])
{
    for (int axis = 0; axis < 3; axis++) {
        difference[axis] = doubles8_subtract(doubles8_load(leaf->point[axis]), doubles8_set(place[axis]));
    }
}

/* Nodes still to be opened. */
struct cloud_walk {
    uint32_t count;
    struct {
        double distance;
        uint32_t level, node;
    } waiting[CLOUD_NODES_WAITING];
};

static inline void cloud_walk_push(struct cloud_walk *walk, double distance, uint32_t level, uint32_t node)
{
    walk->waiting[walk->count].distance = distance;
    walk->waiting[walk->count].level = level;
    walk->waiting[walk->count++].node = node;
}

static inline void cloud_nearest_in_leaf(const struct cloud_tree *tree, uint32_t leaf, const double place[3],
                                         double *limit, uint32_t *best)
{
    doubles8 difference[3];
    cloud_differences(&tree->leaves[leaf], place, difference);
    doubles8 distance = cloud_dot(difference, difference);
    uint32_t bits = cloud_lanes_at_most(distance, doubles8_set(*limit));
    if (bits) {
        _Alignas(64) double distances[CLOUD_LANES];
        doubles8_store(distances, distance);
        for (; bits; bits &= bits - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(bits), slot = leaf * CLOUD_LANES + lane;
            if (distances[lane] < *limit || (distances[lane] == *limit && slot < *best)) {
                *limit = distances[lane];
                *best = slot;
            }
        }
    }
}

/* The lanes of the bits, nearest last, so that it is opened first. */
static inline uint32_t cloud_order_lanes(const double distances[CLOUD_LANES], uint32_t bits,
                                         uint32_t order[CLOUD_LANES])
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits), at = count++;
        for (; at > 0 && distances[order[at - 1]] < distances[lane]; at--) {
            order[at] = order[at - 1];
        }
        order[at] = lane;
    }
    return count;
}

static uint32_t cloud_nearest(const struct cloud_tree *tree, const double place[3], double *squared_distance)
{
    double limit = *squared_distance;
    uint32_t best = UINT32_MAX;
    struct cloud_walk walk;
    walk.count = 0;
    cloud_walk_push(&walk, 0.0, tree->level_count - 1, 0);
    while (walk.count > 0) {
        uint32_t level = walk.waiting[--walk.count].level, node = walk.waiting[walk.count].node;
        if (walk.waiting[walk.count].distance > limit) {
            continue;
        }
        _Alignas(64) double distances[CLOUD_LANES];
        doubles8 distance = cloud_box_distances(&tree->levels[level][node], place);
        uint32_t order[CLOUD_LANES];
        doubles8_store(distances, distance);
        uint32_t count = cloud_order_lanes(distances, cloud_lanes_at_most(distance, doubles8_set(limit)), order);
        for (uint32_t i = 0; level > 0 && i < count; i++) {
            cloud_walk_push(&walk, distances[order[i]], level - 1, node * CLOUD_LANES + order[i]);
        }
        for (uint32_t i = count; level == 0 && i-- > 0;) {
            if (distances[order[i]] <= limit) {
                cloud_nearest_in_leaf(tree, node * CLOUD_LANES + order[i], place, &limit, &best);
            }
        }
    }
    *squared_distance = limit;
    return best;
}

static inline doubles8 cloud_exponential_of_minus(doubles8 x, int halvings)
{
    static const double terms[12] = EXPONENTIAL_TERMS;
    double scale = 1.0;
    for (int i = 0; i < halvings; i++) {
        scale *= 0.5;
    }
    doubles8 argument = doubles8_multiply(x, doubles8_set(-scale)), sum = doubles8_set(terms[0]);
    for (int i = 1; i < 12; i++) {
        sum = doubles8_add(doubles8_multiply(sum, argument), doubles8_set(terms[i]));
    }
    for (int i = 0; i < halvings; i++) {
        sum = doubles8_multiply(sum, sum);
    }
    return sum;
}

/* w, wq (3), wn (3), w q.q, w q.n */
enum { SPHERE_SUMS = 9 };

/* The lanes of points that cannot be on one sheet with p1. */
static inline uint32_t cloud_apart(const struct cloud_leaf *leaf, const struct sphere_query *query,
                                   const doubles8 normal[3], const doubles8 side[3])
{
    doubles8 both[3], from[3], zero = doubles8_set(0.0), most = doubles8_set(query->off_most);
    cloud_differences(leaf, query->point, from);
    for (int axis = 0; axis < 3; axis++) {
        both[axis] = doubles8_add(normal[axis], side[axis]);
    }
    doubles8 off = cloud_dot(both, from);
    return doubles8_less(most, off) | doubles8_less(most, doubles8_subtract(zero, off));
}

static inline uint32_t cloud_add_leaf(const struct cloud_leaf *leaf, const struct sphere_query *query,
                                      doubles8 sums[SPHERE_SUMS], struct sphere_sums *counts)
{
    doubles8 difference[3], normal[3], side[3];
    cloud_differences(leaf, query->place, difference);
    doubles8 square = cloud_dot(difference, difference), part = doubles8_load(leaf->part);
    doubles8 wanted = doubles8_set(query->part);
    uint32_t bits = cloud_lanes_at_most(square, doubles8_set(query->cut_squared)) & cloud_lanes_at_most(part, wanted) &
                    cloud_lanes_at_most(wanted, part);
    if (!bits) {
        return 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] = doubles8_load(leaf->normal[axis]);
        side[axis] = doubles8_set(query->normal[axis]);
    }
    bits &= doubles8_less(doubles8_set(0.0), cloud_dot(normal, side));
    uint32_t near = bits & cloud_lanes_at_most(square, doubles8_set(0.25 * query->cut_squared));
    if (near) {
        counts->near += (uint32_t)__builtin_popcount(near);
        counts->apart += (uint32_t)__builtin_popcount(near & cloud_apart(leaf, query, normal, side));
    }
    doubles8 weight =
        cloud_exponential_of_minus(doubles8_multiply(square, doubles8_set(query->inverse_square)), query->halvings);
    doubles8 zero = doubles8_set(0.0), product = doubles8_choose(bits, cloud_dot(difference, normal), zero);
    weight = doubles8_choose(bits, weight, zero);
    square = doubles8_choose(bits, square, zero);
    sums[0] = doubles8_add(sums[0], weight);
    for (int axis = 0; axis < 3; axis++) {
        doubles8 place = doubles8_choose(bits, difference[axis], zero), up = doubles8_choose(bits, normal[axis], zero);
        sums[1 + axis] = doubles8_add(sums[1 + axis], doubles8_multiply(weight, place));
        sums[4 + axis] = doubles8_add(sums[4 + axis], doubles8_multiply(weight, up));
    }
    sums[7] = doubles8_add(sums[7], doubles8_multiply(weight, square));
    sums[8] = doubles8_add(sums[8], doubles8_multiply(weight, product));
    return (uint32_t)__builtin_popcount(bits);
}

static inline double cloud_sum_of_lanes(doubles8 a)
{
    _Alignas(64) double lane[CLOUD_LANES];
    doubles8_store(lane, a);
    return ((lane[0] + lane[4]) + (lane[2] + lane[6])) + ((lane[1] + lane[5]) + (lane[3] + lane[7]));
}

static void cloud_sphere(const struct cloud_tree *tree, const struct sphere_query *query, struct sphere_sums *sums)
{
    doubles8 totals[SPHERE_SUMS];
    for (int i = 0; i < SPHERE_SUMS; i++) {
        totals[i] = doubles8_set(0.0);
    }
    sums->count = sums->near = sums->apart = 0;
    struct cloud_walk walk;
    walk.count = 0;
    cloud_walk_push(&walk, 0.0, tree->level_count - 1, 0);
    while (walk.count > 0) {
        uint32_t level = walk.waiting[--walk.count].level, node = walk.waiting[walk.count].node;
        uint32_t bits = cloud_lanes_at_most(cloud_box_distances(&tree->levels[level][node], query->place),
                                            doubles8_set(query->cut_squared));
        for (; bits; bits &= bits - 1) {
            uint32_t child = node * CLOUD_LANES + (uint32_t)__builtin_ctz(bits);
            if (level > 0) {
                cloud_walk_push(&walk, 0.0, level - 1, child);
            } else {
                sums->count += cloud_add_leaf(&tree->leaves[child], query, totals, sums);
            }
        }
    }
    double total[SPHERE_SUMS];
    for (int i = 0; i < SPHERE_SUMS; i++) {
        total[i] = cloud_sum_of_lanes(totals[i]);
    }
    sums->weight = total[0];
    for (int axis = 0; axis < 3; axis++) {
        sums->point[axis] = total[1 + axis];
        sums->normal[axis] = total[4 + axis];
    }
    sums->square = total[7];
    sums->product = total[8];
}

static double cloud_covers(const struct cover_centres *a, const struct cover_centres *b)
{
    doubles8 least = doubles8_set(INFINITY);
    for (uint32_t j = 0; j < b->count; j += CLOUD_LANES) {
        doubles8 place[3];
        for (int axis = 0; axis < 3; axis++) {
            place[axis] = doubles8_load(b->place[axis] + j);
        }
        for (uint32_t i = 0; i < a->count; i++) {
            doubles8 difference[3];
            for (int axis = 0; axis < 3; axis++) {
                difference[axis] = doubles8_subtract(doubles8_set(a->place[axis][i]), place[axis]);
            }
            least = doubles8_least(cloud_dot(difference, difference), least);
        }
    }
    _Alignas(64) double lane[CLOUD_LANES];
    doubles8_store(lane, least);
    for (int i = 1; i < CLOUD_LANES; i++) {
        lane[0] = lane[i] < lane[0] ? lane[i] : lane[0];
    }
    return lane[0];
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

/* How many of all squares are less than each of two times eight. */
static inline void cloud_ranks(const struct cloud_surroundings *around, uint32_t at, double ranks[2 * CLOUD_LANES])
{
    doubles8 first = doubles8_load(around->square + at), second = doubles8_load(around->square + at + CLOUD_LANES);
    doubles8 less = doubles8_set(0.0), also_less = less;
    for (uint32_t i = 0; i < around->count; i++) {
        doubles square = doubles_set(around->square[i]), one = doubles_set(1.0), none = doubles_set(0.0);
        LANES_EACH_PART(doubles8, less.part[k] = doubles_add(
                                      less.part[k], doubles_choose(doubles_less(square, first.part[k]), one, none)));
        LANES_EACH_PART(doubles8, also_less.part[k] =
                                      doubles_add(also_less.part[k],
                                                  doubles_choose(doubles_less(square, second.part[k]), one, none)));
    }
    doubles8_store(ranks, less);
    doubles8_store(ranks + CLOUD_LANES, also_less);
}

/* Every square goes to the place of its rank. Of equal ones the last stays, and the places behind it stay empty. */
static void cloud_quartiles(const struct cloud_surroundings *around, double quartiles[3])
{
    _Alignas(64) double ranks[2 * CLOUD_LANES];
    double sorted[RANKED_MOST];
    uint32_t count = around->count;
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = -1.0;
    }
    for (uint32_t at = 0; at < count; at += 2 * CLOUD_LANES) {
        cloud_ranks(around, at, ranks);
        for (uint32_t i = 0; i < 2 * CLOUD_LANES && at + i < count; i++) {
            sorted[(uint32_t)ranks[i]] = around->square[at + i];
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t wanted = (i + 1) * count / 4;
        while (sorted[wanted] < 0.0) {
            wanted--;
        }
        quartiles[i] = sorted[wanted];
    }
}

static uint32_t cloud_moments(const struct cloud_surroundings *around, double most, double sums[MOMENTS])
{
    doubles8 totals[MOMENTS], bound = doubles8_set(most), zero = doubles8_set(0.0);
    uint32_t count = 0;
    for (int i = 0; i < MOMENTS; i++) {
        totals[i] = zero;
    }
    for (uint32_t at = 0; at < around->count; at += CLOUD_LANES) {
        uint32_t bits = cloud_lanes_at_most(doubles8_load(around->square + at), bound);
        doubles8 point[3];
        for (int axis = 0; axis < 3; axis++) {
            point[axis] = doubles8_choose(bits, doubles8_load(around->point[axis] + at), zero);
            totals[axis] = doubles8_add(totals[axis], point[axis]);
        }
        for (int a = 0, i = 3; a < 3; a++) {
            for (int b = a; b < 3; b++, i++) {
                totals[i] = doubles8_add(totals[i], doubles8_multiply(point[a], point[b]));
            }
        }
        count += (uint32_t)__builtin_popcount(bits);
    }
    for (int i = 0; i < MOMENTS; i++) {
        sums[i] = cloud_sum_of_lanes(totals[i]);
    }
    return count < around->count ? count : around->count; /* no bound: the places behind the last point count */
}

static inline doubles8 cloud_root(doubles8 a)
{
    LANES_EACH_PART(doubles8, a.part[k] = doubles_root(a.part[k]));
    return a;
}

/* eigen_rotate() of symmetric_eigen.h in the lanes of `active`. */
static inline void cloud_rotate(doubles8 a[3][3], doubles8 v[3][3], int p, int q, uint32_t active)
{
    doubles8 one = doubles8_set(1.0), zero = doubles8_set(0.0), off = a[p][q];
    active &= doubles8_less(zero, doubles8_absolute(off));
    doubles8 theta = doubles8_divide(doubles8_subtract(a[q][q], a[p][p]), doubles8_multiply(doubles8_set(2.0), off));
    doubles8 sign = doubles8_choose(doubles8_less(theta, zero), doubles8_set(-1.0), one);
    doubles8 root = cloud_root(doubles8_add(doubles8_multiply(theta, theta), one));
    doubles8 t = doubles8_divide(sign, doubles8_add(doubles8_absolute(theta), root));
    doubles8 c = doubles8_divide(one, cloud_root(doubles8_add(doubles8_multiply(t, t), one))),
             s = doubles8_multiply(t, c);
    doubles8 step = doubles8_multiply(t, off);
    int r = 3 - p - q;
    a[p][p] = doubles8_choose(active, doubles8_subtract(a[p][p], step), a[p][p]);
    a[q][q] = doubles8_choose(active, doubles8_add(a[q][q], step), a[q][q]);
    a[p][q] = a[q][p] = doubles8_choose(active, zero, off);
    doubles8 first = a[r][p], second = a[r][q];
    a[r][p] = a[p][r] =
        doubles8_choose(active, doubles8_subtract(doubles8_multiply(c, first), doubles8_multiply(s, second)), first);
    a[r][q] = a[q][r] =
        doubles8_choose(active, doubles8_add(doubles8_multiply(s, first), doubles8_multiply(c, second)), second);
    for (int k = 0; k < 3; k++) {
        first = v[k][p];
        second = v[k][q];
        v[k][p] = doubles8_choose(active, doubles8_subtract(doubles8_multiply(c, first), doubles8_multiply(s, second)),
                                  first);
        v[k][q] =
            doubles8_choose(active, doubles8_add(doubles8_multiply(s, first), doubles8_multiply(c, second)), second);
    }
}

static inline void cloud_sort_eigen(doubles8 a[3][3], doubles8 v[3][3], struct eigen_lanes *lanes)
{
    _Alignas(64) double diagonal[3][CLOUD_LANES], vector[3][3][CLOUD_LANES];
    for (int i = 0; i < 3; i++) {
        doubles8_store(diagonal[i], a[i][i]);
        for (int axis = 0; axis < 3; axis++) {
            doubles8_store(vector[axis][i], v[axis][i]);
        }
    }
    for (int lane = 0; lane < CLOUD_LANES; lane++) {
        int least = diagonal[1][lane] < diagonal[0][lane], most;
        least = diagonal[2][lane] < diagonal[least][lane] ? 2 : least;
        most = least == 0 ? 1 : 0;
        for (int k = 0; k < 3; k++) {
            most = k != least && diagonal[k][lane] > diagonal[most][lane] ? k : most;
            lanes->smallest[k][lane] = vector[k][least][lane];
        }
        lanes->values[0][lane] = diagonal[least][lane];
        lanes->values[1][lane] = diagonal[3 - least - most][lane];
        lanes->values[2][lane] = diagonal[most][lane];
    }
}

static void cloud_eigen(struct eigen_lanes *lanes)
{
    static const int place[3][3] = {{0, 1, 2}, {1, 3, 4}, {2, 4, 5}};
    doubles8 a[3][3], v[3][3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            a[i][j] = doubles8_load(lanes->matrix[place[i][j]]);
            v[i][j] = doubles8_set(i == j);
        }
    }
    for (int sweep = 0; sweep < 12; sweep++) {
        doubles8 off = doubles8_add(doubles8_add(doubles8_absolute(a[0][1]), doubles8_absolute(a[0][2])),
                                    doubles8_absolute(a[1][2]));
        doubles8 size = doubles8_add(doubles8_add(doubles8_absolute(a[0][0]), doubles8_absolute(a[1][1])),
                                     doubles8_absolute(a[2][2]));
        uint32_t active = doubles8_less(doubles8_multiply(doubles8_set(1e-17), size), off);
        if (!active) {
            break;
        }
        cloud_rotate(a, v, 0, 1, active);
        cloud_rotate(a, v, 0, 2, active);
        cloud_rotate(a, v, 1, 2, active);
    }
    cloud_sort_eigen(a, v, lanes);
}

#define CLOUD_KERNELS_ROW                                                                                              \
    {                                                                                                                  \
        .nearest = cloud_nearest, .covers = cloud_covers, .sphere = cloud_sphere, .quartiles = cloud_quartiles,        \
        .moments = cloud_moments, .eigen = cloud_eigen                                                                 \
    }

#endif
