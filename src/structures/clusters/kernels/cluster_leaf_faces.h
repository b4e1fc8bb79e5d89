/* Faces against cells, for any number of lanes. Included by cluster_kernels_<isa>.c behind cluster_leaf.h.
 *
 * Faces of all neighbours that meet the box of side b wait until there are WAITING_FACES of them. They are then
 * compared with one cell after the other, all faces at once: boxes and shared corners. What passes is a list of pairs,
 * which is judged lane by lane in two steps. The first asks for the plane of the face and the four planes of the cell;
 * what they leave open waits in the queue for the second, which costs more: the cut of the cell with the plane of the
 * face against the three edges of the face.
 */

struct face_table {
    _Alignas(64) float lo[3][WAITING_FACES], hi[3][WAITING_FACES];
    struct shorts32 short_lo[3], short_hi[3]; /* with one lane: the same in steps of the box of side b */
    uint32_t shared[WAITING_FACES];           /* vertices of side b that are corners of the face */
};

/* Pairs of a face (its slot among those waiting, lowest byte) and a cell (next byte). */
enum { FACE_PAIRS = WAITING_FACES * CLUSTER_CELLS };
struct face_pairs {
    _Alignas(64) uint32_t pairs[FACE_PAIRS + 16];
    uint32_t count;
};

static inline struct floats3 corner_of_waiting(const struct waiting_faces *waiting, int corner, int i)
{
    return floats3_load(&waiting->x[3 * corner][i], &waiting->x[3 * corner + 1][i], &waiting->x[3 * corner + 2][i]);
}

/* ---- boxes and sharing ----------------------------------------------------------------------- */

/* Boxes of the first `count` faces, and the box around them. Places behind them get boxes that meet nothing. */
static inline struct cluster_box bound_faces(const struct waiting_faces *waiting, uint32_t count,
                                             struct face_table *table)
{
    const struct floats3 outside_lo = {floats_set(4), floats_set(4), floats_set(4)};
    const struct floats3 outside_hi = {floats_set(-4), floats_set(-4), floats_set(-4)};
    struct floats3 least = outside_lo, most = outside_hi;
    struct cluster_box around;
    for (int i = 0; i < (int)count; i += FLOATS) {
        struct floats3 a = corner_of_waiting(waiting, 0, i), b = corner_of_waiting(waiting, 1, i),
                       c = corner_of_waiting(waiting, 2, i);
        struct floats3 lo = floats3_least(floats3_least(a, b), c), hi = floats3_most(floats3_most(a, b), c);
        uint32_t present = lanes_in_use(count, (uint32_t)i);
        if (present != ALL_LANES) {
            lo = floats3_choose(floats_mask_of_bits(present), lo, outside_lo);
            hi = floats3_choose(floats_mask_of_bits(present), hi, outside_hi);
        }
        floats3_store(&table->lo[0][i], &table->lo[1][i], &table->lo[2][i], lo);
        floats3_store(&table->hi[0][i], &table->hi[1][i], &table->hi[2][i], hi);
        least = floats3_least(least, lo);
        most = floats3_most(most, hi);
    }
    floats3_bounds(least, most, around.lo, around.hi);
    return around;
}

struct steps {
    float origin, factor;
};

static inline struct steps steps_of(const struct cluster_box *box, int axis)
{
    float extent = box->hi[axis] - box->lo[axis];
    return (struct steps){box->lo[axis], extent > 1e-30f ? SHORT_STEPS / extent : 0}; /* 0: everything passes */
}

static inline uint16_t step_at(struct steps steps, float x)
{
    float step = (x - steps.origin) * steps.factor;
    return (uint16_t)(step < 0 ? 0 : step > SHORT_STEPS ? SHORT_STEPS : step);
}

/* Boxes in steps. Places behind the last face get any: they are not looked at. */
static inline void shorten_faces(const struct leaf_cells *cells, uint32_t count, struct face_table *table)
{
    for (int axis = 0; axis < 3; axis++) {
        struct steps steps = steps_of(&cells->box, axis);
        uint16_t lo[WAITING_FACES] = {0}, hi[WAITING_FACES] = {0};
        for (uint32_t i = 0; i < count; i++) {
            lo[i] = step_at(steps, table->lo[axis][i]);
            hi[i] = step_at(steps, table->hi[axis][i]);
        }
        table->short_lo[axis] = shorts32_load(lo);
        table->short_hi[axis] = shorts32_load(hi);
    }
}

/* Which of 32 words are a, b or c. */
static inline uint32_t words_equal_to_one(const uint32_t list[CLUSTER_VERTICES], uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t found = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i += FLOATS) {
        words word = words_load_any(&list[i]);
        floats_mask equal = floats_mask_or(words_equal(word, words_set(a)), words_equal(word, words_set(b)));
        found |= floats_mask_bits(floats_mask_or(equal, words_equal(word, words_set(c)))) << i;
    }
    return found;
}

static inline void share_corners(const struct leaf_cells *cells, const struct waiting_faces *waiting, uint32_t count,
                                 struct face_table *table)
{
    for (uint32_t i = 0; i < count; i++) {
        table->shared[i] = waiting->may_share ? words_equal_to_one(cells->identities, waiting->identity[0][i],
                                                                   waiting->identity[1][i], waiting->identity[2][i])
                                              : 0;
    }
}

/* Cells that meet the box, as bits. */
static inline uint64_t cells_near(const struct leaf_cells *cells, const struct cluster_box *box)
{
    const struct spread_box spread = spread_box_of(box);
    uint64_t near = 0;
    for (int i = 0; i < cells_end(cells->cluster); i += FLOATS) {
        near |= (uint64_t)cells_meet_box(cells, i, &spread, 0) << i;
    }
    return near;
}

/* Faces whose boxes meet that of the cell and that have none of its vertices: with one lane, in steps of the box of side b, four to a
 * word. Steps are a monotone map (what lies outside counts as the first or last), so nothing is lost. */
static inline uint32_t faces_near_in_steps(const struct leaf_cells *cells, uint32_t cell,
                                           const struct face_table *table, uint32_t count)
{
    uint16_t lo[3], hi[3];
    uint32_t near = 0;
    for (int axis = 0; axis < 3; axis++) {
        struct steps steps = steps_of(&cells->box, axis);
        lo[axis] = step_at(steps, cells->lo[axis][cell]);
        hi[axis] = step_at(steps, cells->hi[axis][cell]);
    }
    for (uint32_t found = shorts32_meet(table->short_lo, table->short_hi, lo, hi, count); found; found &= found - 1) {
        int face = __builtin_ctz(found);
        bool shares = table->shared[face] & cells->corners->cell_vertices[cell];
        near |= (uint32_t)!shares << face;
    }
    return near;
}
/* Faces whose boxes meet that of the cell and that have none of its vertices. */
static inline uint32_t faces_near_cell(const struct leaf_cells *cells, uint32_t cell, const struct face_table *table,
                                       uint32_t count)
{
    const struct cluster_box box = {{cells->lo[0][cell], cells->lo[1][cell], cells->lo[2][cell]},
                                    {cells->hi[0][cell], cells->hi[1][cell], cells->hi[2][cell]}};
    const struct spread_box spread = spread_box_of(&box);
    const words vertices = words_set(cells->corners->cell_vertices[cell]);
    uint32_t found = 0;
    if (FLOATS == 1) {
        return faces_near_in_steps(cells, cell, table, count);
    }
    for (int i = 0; i < (int)count; i += FLOATS) {
        struct floats3 lo = floats3_load(&table->lo[0][i], &table->lo[1][i], &table->lo[2][i]);
        struct floats3 hi = floats3_load(&table->hi[0][i], &table->hi[1][i], &table->hi[2][i]);
        floats_mask met = boxes_meet(lo, hi, &spread);
        found |= floats_mask_bits(words_disjoint_within(met, words_load(&table->shared[i]), vertices)) << i;
    }
    return found;
}

/* All pairs that boxes and shared corners leave. */
static inline void list_pairs(const struct leaf_cells *cells, const struct waiting_faces *waiting, uint32_t faces,
                              struct face_pairs *list)
{
    struct face_table table;
    struct cluster_box around = bound_faces(waiting, faces, &table);
    uint32_t count = 0;
    share_corners(cells, waiting, faces, &table);
    if (FLOATS == 1) {
        shorten_faces(cells, faces, &table);
    }
    for (uint64_t near = cells_near(cells, &around); near; near &= near - 1) {
        uint32_t cell = (uint32_t)__builtin_ctzll(near);
        count += words_of_bits(&list->pairs[count], cell << 8, faces_near_cell(cells, cell, &table, faces));
    }
    memset(&list->pairs[count], 0, FLOATS * sizeof *list->pairs); /* the last group is read whole */
    list->count = count;
}

/* ---- the two steps --------------------------------------------------------------------------- */

/* What is known of the pairs in the lanes. */
struct narrow {
    struct floats3 face[3], cell[4];
    floats bound, negative;
    uint32_t above[4], below[4]; /* corners of the cells certainly above and below the faces */
    uint32_t may, must;          /* may meet; and certainly do, as far as looked at */
    uint32_t provable;           /* not proven to meet, but the edges of the face may do so */
};

/* The bound of all sides of points of the face and the cell. */
static inline void bound_narrow(struct narrow *n)
{
    struct floats3 lo = floats3_least(floats3_least(n->cell[0], n->cell[1]), floats3_least(n->cell[2], n->cell[3]));
    struct floats3 hi = floats3_most(floats3_most(n->cell[0], n->cell[1]), floats3_most(n->cell[2], n->cell[3]));
    lo = floats3_least(floats3_least(lo, n->face[0]), floats3_least(n->face[1], n->face[2]));
    hi = floats3_most(floats3_most(hi, n->face[0]), floats3_most(n->face[1], n->face[2]));
    n->bound = side_bound(floats3_subtract(hi, lo));
    n->negative = -n->bound;
}

/* Sides of the corners of the cells of the planes of the faces. */
static inline void compare_with_face_planes(struct narrow *n)
{
    struct floats3 normal =
        floats3_cross(floats3_subtract(n->face[1], n->face[0]), floats3_subtract(n->face[2], n->face[0]));
    for (int k = 0; k < 4; k++) {
        floats side = floats3_dot(normal, floats3_subtract(n->cell[k], n->face[0]));
        n->above[k] = less_bits(n->bound, side);
        n->below[k] = less_bits(side, n->negative);
    }
    n->may &= ~((n->above[0] & n->above[1] & n->above[2] & n->above[3]) |
                (n->below[0] & n->below[1] & n->below[2] & n->below[3]));
    n->provable = (n->above[0] | n->above[1] | n->above[2] | n->above[3]) &
                  (n->below[0] | n->below[1] | n->below[2] | n->below[3]);
}

/* Sides of the corners of the faces of the four planes of the cells. */
static inline void compare_with_cell_planes(struct narrow *n)
{
    struct floats3 a = n->cell[0], b = floats3_subtract(n->cell[1], a), c = floats3_subtract(n->cell[2], a),
                   d = floats3_subtract(n->cell[3], a);
    const struct floats3 normals[3] = {floats3_cross(c, d), floats3_cross(d, b), floats3_cross(b, c)};
    floats volume = floats3_dot(b, normals[0]);
    uint32_t positive = less_bits(n->bound, volume), negative = less_bits(volume, n->negative);
    uint32_t inner[4] = {0, 0, 0, 0}, not_outer[4] = {0, 0, 0, 0}, corner_inside = 0;
    for (int corner = 0; corner < 3; corner++) {
        struct floats3 q = floats3_subtract(n->face[corner], a);
        floats side[4] = {floats3_dot(q, normals[0]), floats3_dot(q, normals[1]), floats3_dot(q, normals[2]), volume};
        side[3] = volume - side[0] - (side[1] + side[2]);
        uint32_t inside = ALL_LANES;
        for (int k = 0; k < 4; k++) {
            uint32_t above = less_bits(n->bound, side[k]), below = less_bits(side[k], n->negative);
            uint32_t in = (above & positive) | (below & negative), out = (below & positive) | (above & negative);
            inner[k] |= in;
            not_outer[k] |= ~out;
            inside &= in;
        }
        corner_inside |= inside;
    }
    n->may &= not_outer[0] & not_outer[1] & not_outer[2] & not_outer[3];
    n->must = corner_inside & n->may;
    n->provable &= inner[0] & inner[1] & inner[2] & inner[3];
}

/* The corners of the cut of the cells with the planes of the faces, against the three edges of the faces. */
static inline void compare_with_face_edges(struct narrow *n)
{
    uint32_t certain = n->provable;
    for (int edge = 0; edge < 3; edge++) {
        struct floats3 u = n->face[edge], along = floats3_subtract(n->face[edge == 2 ? 0 : edge + 1], u), r[4];
        uint32_t found = 0, possible = 0;
        for (int k = 0; k < 4; k++) {
            r[k] = floats3_subtract(n->cell[k], u);
        }
        for (int i = 0; i < 3; i++) {
            struct floats3 across = floats3_cross(along, r[i]);
            for (int j = i + 1; j < 4; j++) {
                floats turn = floats3_dot(across, r[j]);
                uint32_t left = less_bits(n->bound, turn), right = less_bits(turn, n->negative);
                found |= (n->below[i] & n->above[j] & left) | (n->above[i] & n->below[j] & right);
                possible |= (~n->above[i] & ~n->below[j] & ~right) | (~n->below[i] & ~n->above[j] & ~left);
            }
        }
        certain &= found;
        n->may &= possible;
        if (!n->may) {
            break;
        }
    }
    n->must = certain & n->may;
}

static inline uint32_t put_hit(struct leaf_hit *hits, uint32_t count, uint32_t cluster, uint32_t feature, uint32_t cell,
                               uint32_t certain)
{
    hits[count] = (struct leaf_hit){cluster, (uint8_t)feature, (uint8_t)cell, (uint8_t)certain};
    return count + 1;
}

/* The second step for all pairs in the queue: everything not certainly apart comes out. */
static uint32_t judge_faces(struct leaf_cells *cells, struct leaf_queue *queue, struct leaf_hit *hits)
{
    struct point_table table = point_table_of(cells->points);
    uint32_t count = 0;
    for (uint32_t first = 0; first < queue->count; first += FLOATS) {
        struct narrow n = {.may = lanes_in_use(queue->count, first)};
        for (int corner = 0; corner < 3; corner++) {
            float(*x)[LEAF_QUEUE] = &queue->points[3 * corner];
            n.face[corner] = floats3_load(&x[0][first], &x[1][first], &x[2][first]);
        }
        for (int corner = 0; corner < 4; corner++) {
            n.cell[corner] = pick_corner(table, words_load(&queue->corners[first]), corner);
        }
        bound_narrow(&n);
        compare_with_face_planes(&n);
        n.provable &= floats_mask_bits(words_meet(words_load(&queue->features[first]), words_set(FEATURE_PROVABLE)));
        compare_with_face_edges(&n);
        for (uint32_t may = n.may; may; may &= may - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(may), feature = queue->features[first + lane];
            count = put_hit(hits, count, queue->clusters[first + lane], feature & 255, feature >> 8 & 255,
                            n.must >> lane & 1);
        }
    }
    queue->count = 0;
    return count;
}

/* A group of pairs: those with their bits set go into the queue. Without a branch, except with one lane. */
static inline void queue_pairs(const struct waiting_faces *waiting, words pairs, words corners, const struct narrow *n,
                               uint32_t bits, struct leaf_queue *queue)
{
    if (FLOATS == 1 && !bits) {
        return;
    }
    const uint32_t slot = queue->count;
    const floats_order order = floats_order_of_bits(bits);
    const floats_index faces = floats_index_of_byte(pairs, 0);
    for (int corner = 0; corner < 3; corner++) {
        floats_keep(&queue->points[3 * corner][slot], n->face[corner].x, order);
        floats_keep(&queue->points[3 * corner + 1][slot], n->face[corner].y, order);
        floats_keep(&queue->points[3 * corner + 2][slot], n->face[corner].z, order);
    }
    words feature = words_or(words_pick32(waiting->face, faces), words_and(pairs, words_set(0xFF00)));
    words provable = words_or(feature, words_set(FEATURE_PROVABLE));
    words_keep(&queue->corners[slot], corners, order);
    words_keep(&queue->clusters[slot], words_pick32(waiting->cluster, faces), order);
    words_keep(&queue->features[slot], words_choose(floats_mask_of_bits(n->provable), provable, feature), order);
    queue->count += (uint32_t)__builtin_popcount(bits);
}

/* With one lane: vertices of side b certainly above and below the planes of the faces, computed once for all pairs. */
struct plane_sides {
    uint32_t known, above[WAITING_FACES], below[WAITING_FACES];
};

static void compare_vertices_with_plane(const struct leaf_cells *cells, const struct waiting_faces *waiting, int face,
                                        struct plane_sides *sides)
{
    const struct cluster_box *box = &cells->box;
    struct floats3 a = corner_of_waiting(waiting, 0, face), b = corner_of_waiting(waiting, 1, face),
                   c = corner_of_waiting(waiting, 2, face),
                   normal = floats3_cross(floats3_subtract(b, a), floats3_subtract(c, a));
    struct floats3 lo = floats3_least(floats3_least(floats3_set(box->lo), a), floats3_least(b, c));
    struct floats3 hi = floats3_most(floats3_most(floats3_set(box->hi), a), floats3_most(b, c));
    floats bound = side_bound(floats3_subtract(hi, lo)), negative = -bound;
    sides->known |= UINT32_C(1) << face;
    sides->above[face] = sides->below[face] = 0;
    for (int i = 0; i < cells->cluster->vertex_count; i++) {
        floats side = floats3_dot(normal, floats3_subtract(points_at(cells->points, i), a));
        sides->above[face] |= less_bits(bound, side) << i;
        sides->below[face] |= less_bits(side, negative) << i;
    }
}

static inline bool plane_is_between(const struct leaf_cells *cells, const struct waiting_faces *waiting, uint32_t pair,
                                    struct plane_sides *sides)
{
    uint32_t face = pair & 255, vertices = cells->corners->cell_vertices[pair >> 8];
    if (!(sides->known >> face & 1)) {
        compare_vertices_with_plane(cells, waiting, (int)face, sides);
    }
    return !(vertices & ~sides->above[face]) || !(vertices & ~sides->below[face]);
}

/* The first step for all pairs of the list: what is certain comes out, what is open goes into the queue. */
static inline uint32_t judge_pairs(struct leaf_cells *cells, const struct face_pairs *list, struct leaf_queue *queue,
                                   struct leaf_hit *hits)
{
    const struct waiting_faces *waiting = &queue->waiting_faces;
    struct point_table table = point_table_of(cells->points);
    struct plane_sides sides = {.known = 0};
    uint32_t count = 0;
    for (uint32_t first = 0; first < list->count; first += FLOATS) {
        if (FLOATS == 1 && plane_is_between(cells, waiting, list->pairs[first], &sides)) {
            continue;
        }
        struct narrow n = {.may = lanes_in_use(list->count, first)};
        const words pairs = words_load(&list->pairs[first]);
        const words corners = words_pick48(cells->corners->cells, words_shift_right(pairs, 8));
        const floats_index faces = floats_index_of_byte(pairs, 0);
        for (int corner = 0; corner < 3; corner++) {
            n.face[corner] =
                (struct floats3){floats_table32_pick(floats_table32_load(waiting->x[3 * corner]), faces),
                                 floats_table32_pick(floats_table32_load(waiting->x[3 * corner + 1]), faces),
                                 floats_table32_pick(floats_table32_load(waiting->x[3 * corner + 2]), faces)};
        }
        for (int corner = 0; corner < 4; corner++) {
            n.cell[corner] = pick_corner(table, corners, corner);
        }
        bound_narrow(&n);
        compare_with_face_planes(&n);
        compare_with_cell_planes(&n);
        for (uint32_t must = n.must; must; must &= must - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(must), pair = list->pairs[first + lane], face = pair & 255;
            count = put_hit(hits, count, waiting->cluster[face], waiting->face[face], pair >> 8, 1);
        }
        if (queue->count > LEAF_QUEUE - 16) {
            count += judge_faces(cells, queue, hits + count);
        }
        queue_pairs(waiting, pairs, corners, &n, n.may & ~n.must, queue);
    }
    return count;
}

/* ---- the leaf -------------------------------------------------------------------------------- */

/* The first `count` waiting faces against all cells. */
static uint32_t compare_faces(struct leaf_cells *cells, struct leaf_queue *queue, uint32_t count, struct leaf_hit *hits)
{
    struct face_pairs list;
    if (!cells->has_boxes) {
        compute_cell_boxes(cells);
    }
    list_pairs(cells, &queue->waiting_faces, count, &list);
    queue->box_pairs += list.count;
    return judge_pairs(cells, &list, queue, hits);
}

static uint32_t face_flush(struct leaf_cells *cells, struct leaf_queue *queue, struct leaf_hit *hits)
{
    struct waiting_faces *waiting = &queue->waiting_faces;
    uint32_t count = waiting->count > 0 ? compare_faces(cells, queue, waiting->count, hits) : 0;
    waiting->count = 0;
    waiting->may_share = false;
    return count + judge_faces(cells, queue, hits + count);
}

/* Faces of the group at i with their bits set wait. Without a branch, except with one lane. */
static inline void put_waiting_faces(struct waiting_faces *waiting, const struct leaf_features *features, int i,
                                     const struct floats3 corners[3], uint32_t bits)
{
    if (FLOATS == 1 && !bits) {
        return;
    }
    const uint32_t slot = waiting->count;
    const floats_order order = floats_order_of_bits(bits);
    for (int corner = 0; corner < 3; corner++) {
        floats_keep(&waiting->x[3 * corner][slot], corners[corner].x, order);
        floats_keep(&waiting->x[3 * corner + 1][slot], corners[corner].y, order);
        floats_keep(&waiting->x[3 * corner + 2][slot], corners[corner].z, order);
        words identity = words_set(NO_IDENTITY);
        if (features->identities) {
            identity = words_pick32(features->identities, floats_index_load(&features->corners->faces[corner][i]));
        }
        words_keep(&waiting->identity[corner][slot], identity, order);
    }
    words_keep(&waiting->face[slot], words_add(words_count_up(), words_set((uint32_t)i)), order);
    words_store_any(&waiting->cluster[slot], words_set(features->number));
    waiting->count += (uint32_t)__builtin_popcount(bits);
}

/* The faces behind the first WAITING_FACES come to the front. */
static inline void move_up(struct waiting_faces *waiting)
{
    uint32_t left = waiting->count - WAITING_FACES;
    for (uint32_t i = 0; i < left; i++) {
        for (int k = 0; k < 9; k++) {
            waiting->x[k][i] = waiting->x[k][WAITING_FACES + i];
        }
        for (int k = 0; k < 3; k++) {
            waiting->identity[k][i] = waiting->identity[k][WAITING_FACES + i];
        }
        waiting->face[i] = waiting->face[WAITING_FACES + i];
        waiting->cluster[i] = waiting->cluster[WAITING_FACES + i];
    }
    waiting->count = left;
}

static uint32_t face_leaf(struct leaf_cells *cells, const struct leaf_features *features, struct leaf_queue *queue,
                          struct leaf_hit *hits)
{
    const struct cluster *side_a = features->cluster;
    const struct spread_box box = spread_box_of(&cells->box);
    struct point_table table = point_table_of(features->points);
    struct waiting_faces *waiting = &queue->waiting_faces;
    uint32_t count = 0;
    waiting->may_share = waiting->may_share || features->identities;
    for (int i = 0; i < side_a->face_count; i += FLOATS) {
        const struct floats3 corners[3] = {pick3(table, floats_index_load(&features->corners->faces[0][i])),
                                           pick3(table, floats_index_load(&features->corners->faces[1][i])),
                                           pick3(table, floats_index_load(&features->corners->faces[2][i]))};
        struct floats3 lo = floats3_least(floats3_least(corners[0], corners[1]), corners[2]);
        struct floats3 hi = floats3_most(floats3_most(corners[0], corners[1]), corners[2]);
        uint32_t found = floats_mask_bits(boxes_meet(lo, hi, &box)) & lanes_in_use(side_a->face_count, (uint32_t)i);
        put_waiting_faces(waiting, features, i, corners, found);
        if (waiting->count >= WAITING_FACES) {
            count += compare_faces(cells, queue, WAITING_FACES, hits + count);
            move_up(waiting);
        }
    }
    return count;
}
