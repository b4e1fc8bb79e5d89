/* The leaves of the cluster search, for any number of lanes: boxes and vertices; faces are in cluster_leaf_faces.h. See
 * cluster_kernels.h for the bounds.
 *
 * Included by cluster_kernels_<isa>.c after it has defined `lanes`, `lane_index`, `struct lane_table`, their
 * operations, and load_points. Decisions are sets of bits, one per lane.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

#define ALL_LANES ((uint32_t)((UINT64_C(1) << LANES) - 1))
#define BOUND_CUBIC (272.0f * 0x1p-24f)
#define BOUND_SQUARE (25.0f * 0x1p-24f)

/* Own vertices are compared with the boxes of the cells in SHORT_STEPS steps (15 bits) of the box of the cluster, a
 * monotone map: a point that passes may lie outside by 1.02 steps, which the bound of its sides allows for. */
#define SHORT_STEPS 32000.0f
#define SHORT_SLACK 0x1p-14f

struct lanes3 {
    lanes x, y, z;
};

static inline struct lanes3 subtract3(struct lanes3 a, struct lanes3 b)
{
    return (struct lanes3){lanes_subtract(a.x, b.x), lanes_subtract(a.y, b.y), lanes_subtract(a.z, b.z)};
}

static inline struct lanes3 add3(struct lanes3 a, struct lanes3 b)
{
    return (struct lanes3){lanes_add(a.x, b.x), lanes_add(a.y, b.y), lanes_add(a.z, b.z)};
}

static inline struct lanes3 vector_cross(struct lanes3 a, struct lanes3 b)
{
    return (struct lanes3){lanes_subtract(lanes_multiply(a.y, b.z), lanes_multiply(a.z, b.y)),
                           lanes_subtract(lanes_multiply(a.z, b.x), lanes_multiply(a.x, b.z)),
                           lanes_subtract(lanes_multiply(a.x, b.y), lanes_multiply(a.y, b.x))};
}

static inline lanes vector_dot(struct lanes3 a, struct lanes3 b)
{
    return lanes_add(lanes_add(lanes_multiply(a.x, b.x), lanes_multiply(a.y, b.y)), lanes_multiply(a.z, b.z));
}

static inline struct lanes3 least3(struct lanes3 a, struct lanes3 b)
{
    return (struct lanes3){lanes_least(a.x, b.x), lanes_least(a.y, b.y), lanes_least(a.z, b.z)};
}

static inline struct lanes3 most3(struct lanes3 a, struct lanes3 b)
{
    return (struct lanes3){lanes_most(a.x, b.x), lanes_most(a.y, b.y), lanes_most(a.z, b.z)};
}

/* The bound of a side whose points lie in a box of this extent. */
static inline lanes side_bound(struct lanes3 extent)
{
    const lanes slack = lanes_set(2 * CLUSTER_INPUT_ERROR);
    lanes x = lanes_add(extent.x, slack), y = lanes_add(extent.y, slack), z = lanes_add(extent.z, slack);
    lanes xy = lanes_multiply(x, y);
    lanes squares = lanes_add(xy, lanes_multiply(lanes_add(x, y), z));
    return lanes_add(lanes_multiply(lanes_multiply(xy, z), lanes_set(BOUND_CUBIC)),
                     lanes_multiply(squares, lanes_set(BOUND_SQUARE)));
}

struct point_table {
    struct lane_table x, y, z;
};

static inline struct point_table point_table_of(const struct cluster_points *points)
{
    return (struct point_table){table_load(points->x[0]), table_load(points->x[1]), table_load(points->x[2])};
}

static inline struct lanes3 pick3(struct point_table table, lane_index index)
{
    return (struct lanes3){table_pick(table.x, index), table_pick(table.y, index), table_pick(table.z, index)};
}

/* ---- boxes ----------------------------------------------------------------------------------- */

static inline lanes lanes_negative(lanes a)
{
    return lanes_subtract(lanes_set(0), a);
}

/* Bounds of three axes over all lanes. */
static inline void reduce_bounds(const lanes lo[3], const lanes hi[3], struct cluster_box *box)
{
    float first[4], second[4];
    lanes_least4(lo[0], lo[1], lo[2], lanes_negative(hi[0]), first);
    lanes_least4(lanes_negative(hi[1]), lanes_negative(hi[2]), lo[0], lo[0], second);
    box->lo[0] = first[0];
    box->lo[1] = first[1];
    box->lo[2] = first[2];
    box->hi[0] = -first[3];
    box->hi[1] = -second[0];
    box->hi[2] = -second[1];
}

static void bound_points(const struct cluster_points *points, uint32_t set, struct cluster_box *box)
{
    lanes lo[3], hi[3];
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = lanes_set(INFINITY);
        hi[axis] = lanes_set(-INFINITY);
        for (int i = 0; i < CLUSTER_VERTICES; i += LANES) {
            lanes x = lanes_load(&points->x[axis][i]);
            uint32_t bits = set >> i & ALL_LANES;
            if (LANES == 1 && !bits) {
                continue;
            }
            lo[axis] = lanes_least(lo[axis], lanes_choose(bits, x, lo[axis]));
            hi[axis] = lanes_most(hi[axis], lanes_choose(bits, x, hi[axis]));
        }
    }
    reduce_bounds(lo, hi, box);
}

/* A box in all lanes. */
struct spread_box {
    lanes lo[3], hi[3];
};

static inline struct spread_box spread_box_of(const float lo[3], const float hi[3])
{
    return (struct spread_box){{lanes_set(lo[0]), lanes_set(lo[1]), lanes_set(lo[2])},
                               {lanes_set(hi[0]), lanes_set(hi[1]), lanes_set(hi[2])}};
}

/* Lanes in which two boxes meet (closed). */
static inline uint32_t boxes_meet(struct lanes3 lo, struct lanes3 hi, const struct spread_box *box)
{
    const lanes small[6] = {lo.x, box->lo[0], lo.y, box->lo[1], lo.z, box->lo[2]};
    const lanes large[6] = {box->hi[0], hi.x, box->hi[1], hi.y, box->hi[2], hi.z};
    return lanes_ordered6(small, large);
}

static uint32_t meet_group(const struct box_group *group, const struct cluster_box *box)
{
    const struct spread_box spread = spread_box_of(box->lo, box->hi);
    uint32_t found = 0;
    for (int i = 0; i < PIECE_CLUSTERS; i += LANES) {
        struct lanes3 lo = {lanes_load(&group->lo[0][i]), lanes_load(&group->lo[1][i]), lanes_load(&group->lo[2][i])};
        struct lanes3 hi = {lanes_load(&group->hi[0][i]), lanes_load(&group->hi[1][i]), lanes_load(&group->hi[2][i])};
        found |= boxes_meet(lo, hi, &spread) << i;
    }
    return found;
}

static inline struct lanes3 points_at(const struct cluster_points *points, int i)
{
    return (struct lanes3){lanes_load(&points->x[0][i]), lanes_load(&points->x[1][i]), lanes_load(&points->x[2][i])};
}

static inline int cells_end(const struct cluster *cluster)
{
    return (cluster->cell_count + LANES - 1) / LANES * LANES;
}

/* Lanes of the group at i that hold a cell. */
static inline uint32_t cells_present(const struct cluster *cluster, int i)
{
    int left = cluster->cell_count - i;
    return left >= LANES ? ALL_LANES : (1u << left) - 1;
}

static inline struct lanes3 pick_corner(struct point_table table, const uint32_t *corners, int k)
{
    return pick3(table, index_of_corner(corners, k));
}

static void compute_cell_boxes(struct leaf_cells *cells)
{
    const struct cluster *cluster = cells->cluster;
    struct point_table table = point_table_of(cells->points);
    const struct cluster_box *box = &cells->box;
    const struct lanes3 slack = {lanes_set((box->hi[0] - box->lo[0]) * SHORT_SLACK),
                                 lanes_set((box->hi[1] - box->lo[1]) * SHORT_SLACK),
                                 lanes_set((box->hi[2] - box->lo[2]) * SHORT_SLACK)};
    for (int i = 0; i < cells_end(cluster); i += LANES) {
        const uint32_t *corners = &cells->corners->cells[i];
        struct lanes3 p = pick_corner(table, corners, 0), q = pick_corner(table, corners, 1);
        struct lanes3 r = pick_corner(table, corners, 2), s = pick_corner(table, corners, 3);
        struct lanes3 lo = least3(least3(p, q), least3(r, s)), hi = most3(most3(p, q), most3(r, s));
        uint32_t present = cells_present(cluster, i);
        if (present !=
            ALL_LANES) { /* places behind the last cell get boxes that meet nothing: coordinates are at most 1 */
            lo.x = lanes_choose(present, lo.x, lanes_set(4));
            hi.x = lanes_choose(present, hi.x, lanes_set(-4));
        }
        lanes_store(&cells->lo[0][i], lo.x);
        lanes_store(&cells->lo[1][i], lo.y);
        lanes_store(&cells->lo[2][i], lo.z);
        lanes_store(&cells->hi[0][i], hi.x);
        lanes_store(&cells->hi[1][i], hi.y);
        lanes_store(&cells->hi[2][i], hi.z);
        lanes_store(&cells->bound[i], side_bound(add3(subtract3(hi, lo), slack)));
    }
    cells->has_boxes = true;
}

#if LANE_COUNT != 16
static inline uint32_t lanes_ordered6_without(const lanes small[6], const lanes large[6], const uint32_t *words,
                                              uint32_t bits)
{
    uint32_t ordered = lanes_ordered6(small, large);
    return LANES == 1 && !ordered ? 0 : ordered & ~lanes_with_bits(words, bits);
}
#endif

/* Cells of the group at i whose boxes meet the box and that have none of the vertices `shared`. */
static inline uint32_t cells_meet_box(const struct leaf_cells *cells, int i, const struct spread_box *box,
                                      uint32_t shared)
{
    const lanes small[6] = {lanes_load(&cells->lo[0][i]), box->lo[0], lanes_load(&cells->lo[1][i]), box->lo[1],
                            lanes_load(&cells->lo[2][i]), box->lo[2]};
    const lanes large[6] = {box->hi[0], lanes_load(&cells->hi[0][i]), box->hi[1], lanes_load(&cells->hi[1][i]),
                            box->hi[2], lanes_load(&cells->hi[2][i])};
    return lanes_ordered6_without(small, large, &cells->corners->cell_vertices[i], shared);
}

/* Vertices of side b that are the vertex `identity`. */
static inline uint32_t shared_vertices(const uint32_t identities[CLUSTER_VERTICES], uint32_t identity)
{
    uint32_t shared = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i += LANES) {
        shared |= lanes_equal_to(&identities[i], identity) << i;
    }
    return shared;
}

static inline bool has_vertex(const struct cluster *cluster, uint32_t vertex)
{
    if (LANES > 1) {
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
    for (uint32_t first = 0; first < queue->count; first += LANES) {
        const uint32_t *corners = &queue->corners[first];
        struct lanes3 a = pick_corner(table, corners, 0);
        struct lanes3 b = subtract3(pick_corner(table, corners, 1), a);
        struct lanes3 c = subtract3(pick_corner(table, corners, 2), a);
        struct lanes3 d = subtract3(pick_corner(table, corners, 3), a);
        struct lanes3 p = {lanes_load(&queue->points[0][first]), lanes_load(&queue->points[1][first]),
                           lanes_load(&queue->points[2][first])};
        struct lanes3 q = subtract3(p, a), normal = vector_cross(c, d);
        lanes volume = vector_dot(b, normal);
        lanes s0 = vector_dot(q, normal), s1 = vector_dot(q, vector_cross(d, b)),
              s2 = vector_dot(q, vector_cross(b, c));
        lanes s3 = lanes_subtract(lanes_subtract(volume, s0), lanes_add(s1, s2));
        lanes least = lanes_least(lanes_least(s0, s1), lanes_least(s2, s3));
        lanes most = lanes_most(lanes_most(s0, s1), lanes_most(s2, s3));
        lanes bound = lanes_load(&queue->bound[first]), negative = lanes_subtract(lanes_set(0), bound);
        uint32_t left = queue->count - first;
        uint32_t certain = lanes_less(bound, least) | lanes_less(most, negative);
        uint32_t found = ~(lanes_less(least, negative) & lanes_less(bound, most));
        found &= left >= LANES ? ALL_LANES : (1u << left) - 1;
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

#if LANE_COUNT != 16
static inline void put_waiting(struct waiting_points *waiting, const struct leaf_features *features, int i,
                               uint32_t bits)
{
    for (; bits; bits &= bits - 1) {
        uint32_t vertex = (uint32_t)(i + __builtin_ctz(bits)), slot = waiting->count++;
        for (int axis = 0; axis < 3; axis++) {
            waiting->x[axis][slot] = features->points->x[axis][vertex];
        }
        waiting->vertex[slot] = vertex;
        waiting->cluster[slot] = features->number;
        waiting->identity[slot] = features->identities ? features->identities[vertex] : 0;
    }
}
#endif

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
        lanes px = lanes_set(waiting->x[0][slot]), py = lanes_set(waiting->x[1][slot]),
              pz = lanes_set(waiting->x[2][slot]);
        const struct spread_box box = {{px, py, pz}, {px, py, pz}};
        for (int i = 0; i < end; i += LANES) {
            uint32_t found = cells_meet_box(cells, i, &box, shared);
            if (LANES == 1 && !found) {
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
    uint32_t list[LEAF_POINTS * (CLUSTER_CELLS / LANES) + 1];
    struct waiting_points *waiting = &queue->waiting;
    uint32_t count = 0;
    if (!cells->has_boxes) {
        compute_cell_boxes(cells);
    }
    uint32_t listed = box_vertices(cells, waiting, list);
    for (uint32_t k = 0; k < listed; k++) {
        uint32_t from = boxed_slot(list[k]);
        if (queue->count > LEAF_QUEUE - LANES) {
            count += judge_vertices(cells, queue, hits + count);
        }
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

static uint32_t vertex_leaf(struct leaf_cells *cells, const struct leaf_features *features, struct leaf_queue *queue,
                            struct leaf_hit *hits)
{
    const struct spread_box box = spread_box_of(cells->box.lo, cells->box.hi);
    struct waiting_points *waiting = &queue->waiting;
    uint32_t count = 0;
    if (waiting->count > LEAF_POINTS - CLUSTER_VERTICES) {
        count = compare_waiting(cells, queue, hits);
    }
    waiting->may_share = features->identities != NULL;
    for (int i = 0; i < CLUSTER_VERTICES; i += LANES) {
        uint32_t asked = features->lanes >> i & ALL_LANES;
        if (!asked) {
            continue; /* the vertices asked about come first */
        }
        struct lanes3 x = points_at(features->points, i);
        uint32_t set = boxes_meet(x, x, &box) & asked;
        for (uint32_t left = features->same_body ? set : 0; left; left &= left - 1) {
            uint32_t vertex = (uint32_t)__builtin_ctz(left);
            bool here = has_vertex(cells->cluster, features->cluster->vertices[(uint32_t)i + vertex]);
            set &= ~((uint32_t)here << vertex);
        }
        put_waiting(waiting, features, i, set);
    }
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
    for (int i = 0; i < count; i += LANES) {
        lanes_to_shorts(to + i,
                        lanes_multiply(lanes_subtract(lanes_load(from + i), lanes_set(origin)), lanes_set(factor)));
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
    const struct short_table x[3] = {shorts_load(shorts.x[0]), shorts_load(shorts.x[1]), shorts_load(shorts.x[2])};
    for (int cell = 0; cell < cells->cluster->cell_count; cell++) {
        const uint16_t lo[3] = {shorts.lo[0][cell], shorts.lo[1][cell], shorts.lo[2][cell]};
        const uint16_t hi[3] = {shorts.hi[0][cell], shorts.hi[1][cell], shorts.hi[2][cell]};
        uint32_t found = shorts_in_box(x, lo, hi) & asked & ~cells->corners->cell_vertices[cell];
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
