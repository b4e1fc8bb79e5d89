/* The leaves of the cluster search, for any number of lanes: boxes and vertices; faces are in cluster_leaf_faces.h. See
 * cluster_kernels.h for the bounds.
 *
 * Included by cluster_kernels_<isa>.c behind its lanes header. Decisions are sets of bits, one per lane.
 */
#include "structures/clusters/kernels/cluster_kernels.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define ALL_LANES ((1u << FLOATS) - 1)
#define BOUND_CUBIC (272.0f * 0x1p-24f)
#define BOUND_SQUARE (25.0f * 0x1p-24f)

/* Own vertices are compared with the boxes of the cells in SHORT_STEPS steps (15 bits) of the box of the cluster, a
 * monotone map: a point that passes may lie outside by 1.02 steps, which the bound of its sides allows for. */
#define SHORT_STEPS 32000.0f
#define SHORT_SLACK 0x1p-14f

static inline uint32_t less_bits(floats a, floats b)
{
    return floats_mask_bits(floats_less(a, b));
}

/* Lanes of the group at i that hold one of `count` things. */
static inline uint32_t lanes_in_use(uint32_t count, uint32_t i)
{
    return count - i >= FLOATS ? ALL_LANES : (1u << (count - i)) - 1;
}

/* The bound of a side whose points lie in a box of this extent. */
static inline floats side_bound(struct floats3 extent)
{
    const floats slack = floats_set(2 * CLUSTER_INPUT_ERROR);
    floats x = extent.x + slack, y = extent.y + slack, z = extent.z + slack;
    floats xy = x * y;
    floats squares = xy + (x + y) * z;
    return xy * z * floats_set(BOUND_CUBIC) + squares * floats_set(BOUND_SQUARE);
}

struct point_table {
    floats_table32 x, y, z;
};

static inline struct point_table point_table_of(const struct cluster_points *points)
{
    return (struct point_table){floats_table32_load(points->x[0]), floats_table32_load(points->x[1]),
                                floats_table32_load(points->x[2])};
}

static inline struct floats3 pick3(struct point_table table, floats_index index)
{
    return (struct floats3){floats_table32_pick(table.x, index), floats_table32_pick(table.y, index),
                            floats_table32_pick(table.z, index)};
}

static void load_points(const struct cluster *cluster, const double (*xyz)[3], const double centre[3], double scale,
                        struct cluster_points *points)
{
    const struct row_rounding rounding = row_rounding_of(centre, scale, 1);
    const uint32_t *from = cluster->vertices;
    int i = 0;
    for (; i < cluster->vertex_count; i += 4) {
        round_four_rows(&rounding, xyz[from[i]], xyz[from[i + 1]], xyz[from[i + 2]], xyz[from[i + 3]], &points->x[0][i],
                        &points->x[1][i], &points->x[2][i]);
    }
    const float first[3] = {points->x[0][0], points->x[1][0], points->x[2][0]};
    for (; i < CLUSTER_VERTICES; i += 4) {
        for (int k = 0; k < 4; k++) { /* one store of four numbers each */
            points->x[0][i + k] = first[0];
            points->x[1][i + k] = first[1];
            points->x[2][i + k] = first[2];
        }
    }
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static void bound_points(const struct cluster_points *points, uint32_t set, struct cluster_box *box)
{
    floats lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = floats_set(INFINITY);
        hi[axis] = floats_set(-INFINITY);
        for (int i = 0; i < CLUSTER_VERTICES; i += FLOATS) {
            floats_mask among = floats_mask_of_bits(set >> i);
            if (FLOATS == 1 && floats_mask_none(among)) {
                continue;
            }
            floats x = floats_load(&points->x[axis][i]);
            lo[axis] = floats_least(lo[axis], floats_choose(among, x, lo[axis]));
            hi[axis] = floats_most(hi[axis], floats_choose(among, x, hi[axis]));
        }
    }
    floats3_bounds((struct floats3){lo[0], lo[1], lo[2]}, (struct floats3){hi[0], hi[1], hi[2]}, box->lo, box->hi);
}

/* A box in all lanes. */
struct spread_box {
    struct floats3 lo, hi;
};

static inline struct spread_box spread_box_of(const struct cluster_box *box)
{
    return (struct spread_box){floats3_set(box->lo), floats3_set(box->hi)};
}

/* Lanes in which two boxes meet (closed). */
static inline floats_mask boxes_meet(struct floats3 lo, struct floats3 hi, const struct spread_box *box)
{
    const floats small[6] = {lo.x, box->lo.x, lo.y, box->lo.y, lo.z, box->lo.z};
    const floats large[6] = {box->hi.x, hi.x, box->hi.y, hi.y, box->hi.z, hi.z};
    return floats_less_equal6(small, large);
}

static uint32_t meet_group(const struct box_group *group, const struct cluster_box *box)
{
    const struct spread_box spread = spread_box_of(box);
    uint32_t found = 0;
    for (int i = 0; i < PIECE_CLUSTERS; i += FLOATS) {
        struct floats3 lo = floats3_load(&group->lo[0][i], &group->lo[1][i], &group->lo[2][i]);
        struct floats3 hi = floats3_load(&group->hi[0][i], &group->hi[1][i], &group->hi[2][i]);
        found |= floats_mask_bits(boxes_meet(lo, hi, &spread)) << i;
    }
    return found;
}

static inline struct floats3 points_at(const struct cluster_points *points, int i)
{
    return floats3_load(&points->x[0][i], &points->x[1][i], &points->x[2][i]);
}

static inline int cells_end(const struct cluster *cluster)
{
    return (cluster->cell_count + FLOATS - 1) / FLOATS * FLOATS;
}

static inline struct floats3 pick_corner(struct point_table table, words corners, int k)
{
    return pick3(table, floats_index_of_byte(corners, k));
}

static void compute_cell_boxes(struct leaf_cells *cells)
{
    const struct cluster *cluster = cells->cluster;
    struct point_table table = point_table_of(cells->points);
    const struct cluster_box *box = &cells->box;
    const struct floats3 slack = {floats_set((box->hi[0] - box->lo[0]) * SHORT_SLACK),
                                  floats_set((box->hi[1] - box->lo[1]) * SHORT_SLACK),
                                  floats_set((box->hi[2] - box->lo[2]) * SHORT_SLACK)};
    for (int i = 0; i < cells_end(cluster); i += FLOATS) {
        const words corners = words_load(&cells->corners->cells[i]);
        struct floats3 p = pick_corner(table, corners, 0), q = pick_corner(table, corners, 1);
        struct floats3 r = pick_corner(table, corners, 2), s = pick_corner(table, corners, 3);
        struct floats3 lo = floats3_least(floats3_least(p, q), floats3_least(r, s)),
                       hi = floats3_most(floats3_most(p, q), floats3_most(r, s));
        uint32_t present = lanes_in_use(cluster->cell_count, (uint32_t)i);
        if (present != ALL_LANES) { /* behind the last cell: boxes that meet nothing, since coordinates are at most 1 */
            lo.x = floats_choose(floats_mask_of_bits(present), lo.x, floats_set(4));
            hi.x = floats_choose(floats_mask_of_bits(present), hi.x, floats_set(-4));
        }
        floats3_store(&cells->lo[0][i], &cells->lo[1][i], &cells->lo[2][i], lo);
        floats3_store(&cells->hi[0][i], &cells->hi[1][i], &cells->hi[2][i], hi);
        floats_store(&cells->bound[i], side_bound(floats3_add(floats3_subtract(hi, lo), slack)));
    }
    cells->has_boxes = true;
}

/* Cells of the group at i whose boxes meet the box and that have none of the vertices `shared`. */
static inline uint32_t cells_meet_box(const struct leaf_cells *cells, int i, const struct spread_box *box,
                                      uint32_t shared)
{
    struct floats3 lo = floats3_load(&cells->lo[0][i], &cells->lo[1][i], &cells->lo[2][i]);
    struct floats3 hi = floats3_load(&cells->hi[0][i], &cells->hi[1][i], &cells->hi[2][i]);
    words vertices = words_load(&cells->corners->cell_vertices[i]);
    return floats_mask_bits(words_disjoint_within(boxes_meet(lo, hi, box), vertices, words_set(shared)));
}

/* Vertices of side b that are the vertex `identity`. */
static inline uint32_t shared_vertices(const uint32_t identities[CLUSTER_VERTICES], uint32_t identity)
{
    uint32_t shared = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i += FLOATS) {
        shared |= floats_mask_bits(words_equal(words_load_any(&identities[i]), words_set(identity))) << i;
    }
    return shared;
}

static inline bool has_vertex(const struct cluster *cluster, uint32_t vertex)
{
    if (FLOATS > 1) {
        return shared_vertices(cluster->vertices, vertex) != 0;
    }
    int k = 0;
    while (k < cluster->vertex_count && cluster->vertices[k] != vertex) {
        k++;
    }
    return k < cluster->vertex_count;
}

/* ---- vertices -------------------------------------------------------------------------------- */

/* The pairs in the queue, judged by the four sides of the cell: everything not certainly outside comes out. */
static uint32_t judge_vertices(struct leaf_cells *cells, struct leaf_queue *queue, struct leaf_hit *hits)
{
    struct point_table table = point_table_of(cells->points);
    uint32_t count = 0;
    for (uint32_t first = 0; first < queue->count; first += FLOATS) {
        const words corners = words_load(&queue->corners[first]);
        struct floats3 a = pick_corner(table, corners, 0);
        struct floats3 b = floats3_subtract(pick_corner(table, corners, 1), a);
        struct floats3 c = floats3_subtract(pick_corner(table, corners, 2), a);
        struct floats3 d = floats3_subtract(pick_corner(table, corners, 3), a);
        struct floats3 p = floats3_load(&queue->points[0][first], &queue->points[1][first], &queue->points[2][first]);
        struct floats3 q = floats3_subtract(p, a), normal = floats3_cross(c, d);
        floats volume = floats3_dot(b, normal);
        floats s0 = floats3_dot(q, normal), s1 = floats3_dot(q, floats3_cross(d, b)),
               s2 = floats3_dot(q, floats3_cross(b, c));
        floats s3 = volume - s0 - (s1 + s2);
        floats least = floats_least(floats_least(s0, s1), floats_least(s2, s3));
        floats most = floats_most(floats_most(s0, s1), floats_most(s2, s3));
        floats bound = floats_load(&queue->bound[first]), negative = -bound;
        uint32_t certain = less_bits(bound, least) | less_bits(most, negative);
        uint32_t found = ~(less_bits(least, negative) & less_bits(bound, most));
        found &= lanes_in_use(queue->count, first);
        for (; found; found &= found - 1) {
            int lane = __builtin_ctz(found);
            hits[count] = queue->pairs[first + (uint32_t)lane];
            hits[count++].certain = certain >> lane & 1;
        }
    }
    queue->count = 0;
    return count;
}

static inline void queue_vertex(const struct leaf_cells *cells, const struct leaf_features *features, int vertex,
                                int cell, struct leaf_queue *queue)
{
    uint32_t slot = queue->count++;
    queue->points[0][slot] = features->points->x[0][vertex];
    queue->points[1][slot] = features->points->x[1][vertex];
    queue->points[2][slot] = features->points->x[2][vertex];
    queue->bound[slot] = cells->bound[cell];
    queue->corners[slot] = cells->corners->cells[cell];
    queue->pairs[slot] = (struct leaf_hit){features->number, (uint8_t)vertex, (uint8_t)cell, 0};
}

/* Vertices of the group at i with their bits set wait. Without a branch, except with one lane. */
static inline void put_waiting(struct waiting_points *waiting, const struct leaf_features *features, int i,
                               uint32_t bits)
{
    if (FLOATS == 1 && !bits) {
        return;
    }
    const uint32_t slot = waiting->count;
    const floats_order order = floats_order_of_bits(bits);
    for (int axis = 0; axis < 3; axis++) {
        floats_keep(&waiting->x[axis][slot], floats_load(&features->points->x[axis][i]), order);
    }
    words_keep(&waiting->vertex[slot], words_add(words_count_up(), words_set((uint32_t)i)), order);
    words_store_any(&waiting->cluster[slot], words_set(features->number));
    if (features->identities) {
        words_keep(&waiting->identity[slot], words_load_any(&features->identities[i]), order);
    }
    waiting->count += (uint32_t)__builtin_popcount(bits);
}

/* A feature and the cells of a group whose boxes meet its own, in one word: the slot of the feature, the first cell of
 * the group, and bits. */
static inline uint32_t boxed(uint32_t slot, int group, uint32_t cells)
{
    return slot | (uint32_t)group << 8 | cells << 16;
}
static inline uint32_t boxed_slot(uint32_t word)
{
    return word & 255;
}
static inline uint32_t boxed_group(uint32_t word)
{
    return word >> 8 & 255;
}
static inline uint32_t boxed_cells(uint32_t word)
{
    return word >> 16;
}

/* Boxes and sharing for all vertices that wait. Whether a group is hit cannot be foreseen, so nothing branches on it
 * (except with one lane, where hits are rare). */
static inline uint32_t box_vertices(const struct leaf_cells *cells, const struct waiting_points *waiting,
                                    uint32_t *list)
{
    const int end = cells_end(cells->cluster);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < waiting->count; slot++) {
        uint32_t shared = waiting->may_share ? shared_vertices(cells->identities, waiting->identity[slot]) : 0;
        struct floats3 p = {floats_set(waiting->x[0][slot]), floats_set(waiting->x[1][slot]),
                            floats_set(waiting->x[2][slot])};
        const struct spread_box box = {p, p};
        for (int i = 0; i < end; i += FLOATS) {
            uint32_t found = cells_meet_box(cells, i, &box, shared);
            if (FLOATS == 1 && !found) {
                continue;
            }
            list[count] = boxed(slot, i, found);
            count += found != 0;
        }
    }
    return count;
}

/* All vertices that wait come into the queue with the cells whose boxes hold them. */
static uint32_t compare_waiting(struct leaf_cells *cells, struct leaf_queue *queue, struct leaf_hit *hits)
{
    uint32_t list[LEAF_POINTS * (CLUSTER_CELLS / FLOATS) + 1];
    struct waiting_points *waiting = &queue->waiting;
    uint32_t count = 0;
    if (!cells->has_boxes) {
        compute_cell_boxes(cells);
    }
    uint32_t listed = box_vertices(cells, waiting, list);
    for (uint32_t k = 0; k < listed; k++) {
        uint32_t from = boxed_slot(list[k]);
        if (queue->count > LEAF_QUEUE - FLOATS) {
            count += judge_vertices(cells, queue, hits + count);
        }
        queue->box_pairs += FLOATS == 1 ? 1 : (uint32_t)__builtin_popcount(boxed_cells(list[k]));
        for (uint32_t found = boxed_cells(list[k]); found; found &= found - 1) {
            uint32_t cell = boxed_group(list[k]) + (uint32_t)__builtin_ctz(found), slot = queue->count++;
            queue->points[0][slot] = waiting->x[0][from];
            queue->points[1][slot] = waiting->x[1][from];
            queue->points[2][slot] = waiting->x[2][from];
            queue->bound[slot] = cells->bound[cell];
            queue->corners[slot] = cells->corners->cells[cell];
            queue->pairs[slot] =
                (struct leaf_hit){waiting->cluster[from], (uint8_t)waiting->vertex[from], (uint8_t)cell, 0};
        }
    }
    waiting->count = 0;
    return count;
}

static uint32_t vertex_flush(struct leaf_cells *cells, struct leaf_queue *queue, struct leaf_hit *hits)
{
    uint32_t count = queue->waiting.count > 0 ? compare_waiting(cells, queue, hits) : 0;
    return count + judge_vertices(cells, queue, hits + count);
}

/* Vertices of side a that lie in the box of side b and are not in its cluster wait. */
static inline void wait_in_box(const struct leaf_cells *cells, const struct leaf_features *features,
                               struct waiting_points *waiting)
{
    const struct spread_box box = spread_box_of(&cells->box);
    waiting->may_share = features->identities != NULL;
    for (int i = 0; i < CLUSTER_VERTICES; i += FLOATS) {
        uint32_t asked = features->lanes >> i & ALL_LANES;
        if (!asked) {
            continue; /* the vertices asked about come first */
        }
        struct floats3 x = points_at(features->points, i);
        uint32_t set = floats_mask_bits(boxes_meet(x, x, &box)) & asked;
        for (uint32_t left = features->same_body ? set : 0; left; left &= left - 1) {
            uint32_t vertex = (uint32_t)__builtin_ctz(left);
            bool here = has_vertex(cells->cluster, features->cluster->vertices[(uint32_t)i + vertex]);
            set &= ~((uint32_t)here << vertex);
        }
        put_waiting(waiting, features, i, set);
    }
}

static uint32_t vertex_leaf(struct leaf_cells *cells, const struct leaf_features *features, struct leaf_queue *queue,
                            struct leaf_hit *hits)
{
    uint32_t count = 0;
    if (queue->waiting.count > LEAF_POINTS - CLUSTER_VERTICES) {
        count = compare_waiting(cells, queue, hits);
    }
    wait_in_box(cells, features, &queue->waiting);
    return count;
}

/* A cell and the vertices of the cluster in its box. */
struct boxed_cell {
    uint32_t vertices;
    uint32_t cell;
};

/* Points and boxes of cells in steps of the box of the cluster. */
struct short_cells {
    _Alignas(64) uint16_t x[3][CLUSTER_VERTICES], lo[3][CLUSTER_CELLS], hi[3][CLUSTER_CELLS];
};

static inline void shorten(uint16_t *to, const float *from, int count, float origin, float factor)
{
    for (int i = 0; i < count; i += FLOATS) {
        floats_to_shorts(to + i, (floats_load(from + i) - floats_set(origin)) * floats_set(factor));
    }
}

static inline void shorten_cells(const struct leaf_cells *cells, struct short_cells *shorts)
{
    int end = cells_end(cells->cluster);
    for (int axis = 0; axis < 3; axis++) {
        float origin = cells->box.lo[axis], extent = cells->box.hi[axis] - origin;
        float factor = extent > 1e-30f ? SHORT_STEPS / extent : 0; /* 0: everything passes */
        shorten(shorts->x[axis], cells->points->x[axis], CLUSTER_VERTICES, origin, factor);
        shorten(shorts->lo[axis], cells->lo[axis], end, origin, factor);
        shorten(shorts->hi[axis], cells->hi[axis], end, origin, factor);
    }
}

/* Cell by cell: the vertices stay in registers, and which of them are corners is known beforehand. */
static inline uint32_t box_own_vertices(const struct leaf_cells *cells, uint32_t asked, struct boxed_cell *list)
{
    struct short_cells shorts;
    uint32_t count = 0;
    shorten_cells(cells, &shorts);
    const struct shorts32 x[3] = {shorts32_load(shorts.x[0]), shorts32_load(shorts.x[1]), shorts32_load(shorts.x[2])};
    for (int cell = 0; cell < cells->cluster->cell_count; cell++) {
        const uint16_t lo[3] = {shorts.lo[0][cell], shorts.lo[1][cell], shorts.lo[2][cell]};
        const uint16_t hi[3] = {shorts.hi[0][cell], shorts.hi[1][cell], shorts.hi[2][cell]};
        uint32_t found = shorts32_meet(x, x, lo, hi, CLUSTER_VERTICES) & asked & ~cells->corners->cell_vertices[cell];
        list[count] = (struct boxed_cell){found, (uint32_t)cell};
        count += found != 0;
    }
    return count;
}

static uint32_t own_leaf(struct leaf_cells *cells, const struct leaf_features *features, struct leaf_queue *queue,
                         struct leaf_hit *hits)
{
    struct boxed_cell list[CLUSTER_CELLS + 1];
    uint32_t count = 0;
    if (!cells->has_boxes) {
        compute_cell_boxes(cells);
    }
    uint32_t boxed = box_own_vertices(cells, features->lanes, list);
    for (uint32_t k = 0; k < boxed; k++) {
        if (queue->count > LEAF_QUEUE - CLUSTER_VERTICES) {
            count += judge_vertices(cells, queue, hits + count);
        }
        for (uint32_t found = list[k].vertices; found; found &= found - 1) {
            int vertex = __builtin_ctz(found), cell = (int)list[k].cell;
            /* Vertices of one body may be tied, too. */
            if (cells->identities != cells->cluster->vertices &&
                shared_vertices(cells->identities, cells->identities[vertex]) & cells->corners->cell_vertices[cell]) {
                continue;
            }
            queue_vertex(cells, features, vertex, cell, queue);
        }
    }
    return count;
}
