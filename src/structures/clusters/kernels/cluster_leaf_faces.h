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
#if LANE_COUNT == 1
    struct short_table short_lo[3], short_hi[3]; /* the same in steps of the box of side b */
#endif
    uint32_t shared[WAITING_FACES]; /* vertices of side b that are corners of the face */
};

/* Pairs of a face (its slot among those waiting, lowest byte) and a cell (next byte). */
enum { FACE_PAIRS = WAITING_FACES * CLUSTER_CELLS };
struct face_pairs {
    _Alignas(64) uint32_t pairs[FACE_PAIRS + 16];
    uint32_t count;
};

static inline void store_rows(float (*rows)[WAITING_FACES], int i, struct lanes3 a)
{
    lanes_store(&rows[0][i], a.x);
    lanes_store(&rows[1][i], a.y);
    lanes_store(&rows[2][i], a.z);
}

static inline struct lanes3 corner_of_waiting(const struct waiting_faces *waiting, int corner, int i)
{
    return (struct lanes3){lanes_load(&waiting->x[3 * corner][i]), lanes_load(&waiting->x[3 * corner + 1][i]),
                           lanes_load(&waiting->x[3 * corner + 2][i])};
}

/* ---- boxes and sharing ----------------------------------------------------------------------- */

/* Boxes of the first `count` faces, and the box around them. Places behind them get boxes that meet nothing. */
static inline struct cluster_box bound_faces(const struct waiting_faces *waiting, uint32_t count,
                                             struct face_table *table)
{
    lanes least[3] = {lanes_set(4), lanes_set(4), lanes_set(4)},
          most[3] = {lanes_set(-4), lanes_set(-4), lanes_set(-4)};
    struct cluster_box around;
    for (int i = 0; i < (int)count; i += LANES) {
        struct lanes3 a = corner_of_waiting(waiting, 0, i), b = corner_of_waiting(waiting, 1, i),
                      c = corner_of_waiting(waiting, 2, i);
        struct lanes3 lo = least3(least3(a, b), c), hi = most3(most3(a, b), c);
        uint32_t left = count - (uint32_t)i;
        if (left < LANES) {
            const lanes high = lanes_set(4), low = lanes_set(-4);
            uint32_t present = (1u << left) - 1;
            lo = (struct lanes3){lanes_choose(present, lo.x, high), lanes_choose(present, lo.y, high),
                                 lanes_choose(present, lo.z, high)};
            hi = (struct lanes3){lanes_choose(present, hi.x, low), lanes_choose(present, hi.y, low),
                                 lanes_choose(present, hi.z, low)};
        }
        store_rows(table->lo, i, lo);
        store_rows(table->hi, i, hi);
        struct lanes3 all_lo = least3((struct lanes3){least[0], least[1], least[2]}, lo);
        struct lanes3 all_hi = most3((struct lanes3){most[0], most[1], most[2]}, hi);
        least[0] = all_lo.x;
        least[1] = all_lo.y;
        least[2] = all_lo.z;
        most[0] = all_hi.x;
        most[1] = all_hi.y;
        most[2] = all_hi.z;
    }
    reduce_bounds(least, most, &around);
    return around;
}

#if LANE_COUNT == 1
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
        table->short_lo[axis] = shorts_load(lo);
        table->short_hi[axis] = shorts_load(hi);
    }
}
#endif

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
    const struct spread_box spread = spread_box_of(box->lo, box->hi);
    uint64_t near = 0;
    for (int i = 0; i < cells_end(cells->cluster); i += LANES) {
        near |= (uint64_t)cells_meet_box(cells, i, &spread, 0) << i;
    }
    return near;
}

#if LANE_COUNT == 1
/* Faces whose boxes meet that of the cell and that have none of its vertices: in steps of the box of side b, four to a
 * word. Steps are a monotone map (what lies outside counts as the first or last), so nothing is lost. */
static inline uint32_t faces_near_cell(const struct leaf_cells *cells, uint32_t cell, const struct face_table *table,
                                       uint32_t count)
{
    uint16_t lo[3], hi[3];
    uint32_t near = 0;
    for (int axis = 0; axis < 3; axis++) {
        struct steps steps = steps_of(&cells->box, axis);
        lo[axis] = step_at(steps, cells->lo[axis][cell]);
        hi[axis] = step_at(steps, cells->hi[axis][cell]);
    }
    for (uint32_t found = shorts_meet_box(table->short_lo, table->short_hi, lo, hi, count); found; found &= found - 1) {
        int face = __builtin_ctz(found);
        bool shares = table->shared[face] & cells->corners->cell_vertices[cell];
        near |= (uint32_t)!shares << face;
    }
    return near;
}
#else
/* Faces whose boxes meet that of the cell and that have none of its vertices. */
static inline uint32_t faces_near_cell(const struct leaf_cells *cells, uint32_t cell, const struct face_table *table,
                                       uint32_t count)
{
    const lanes lo[3] = {lanes_set(cells->lo[0][cell]), lanes_set(cells->lo[1][cell]), lanes_set(cells->lo[2][cell])};
    const lanes hi[3] = {lanes_set(cells->hi[0][cell]), lanes_set(cells->hi[1][cell]), lanes_set(cells->hi[2][cell])};
    uint32_t found = 0;
    for (int i = 0; i < (int)count; i += LANES) {
        const lanes small[6] = {lanes_load(&table->lo[0][i]), lo[0], lanes_load(&table->lo[1][i]), lo[1],
                                lanes_load(&table->lo[2][i]), lo[2]};
        const lanes large[6] = {hi[0], lanes_load(&table->hi[0][i]), hi[1], lanes_load(&table->hi[1][i]),
                                hi[2], lanes_load(&table->hi[2][i])};
        found |= lanes_ordered6_without(small, large, &table->shared[i], cells->corners->cell_vertices[cell]) << i;
    }
    return found;
}
#endif

/* Pairs of the faces and a cell, put behind `count` others; returns how many there are then. */
static inline uint32_t list_faces(struct face_pairs *list, uint32_t count, uint32_t faces, uint32_t cell)
{
#if LANE_COUNT != 16
    for (; faces; faces &= faces - 1) {
        list->pairs[count++] = (uint32_t)__builtin_ctz(faces) | cell << 8;
    }
#else /* without a branch */
    for (uint32_t i = 0; i < WAITING_FACES; i += LANES) {
        words_keep_numbers(&list->pairs[count], i | cell << 8, faces >> i & ALL_LANES);
        count += (uint32_t)__builtin_popcount(faces >> i & ALL_LANES);
    }
#endif
    return count;
}

/* All pairs that boxes and shared corners leave. */
static inline void list_pairs(const struct leaf_cells *cells, const struct waiting_faces *waiting, uint32_t faces,
                              struct face_pairs *list)
{
    struct face_table table;
    struct cluster_box around = bound_faces(waiting, faces, &table);
    uint32_t count = 0;
    share_corners(cells, waiting, faces, &table);
#if LANE_COUNT == 1
    shorten_faces(cells, faces, &table);
#endif
    for (uint64_t near = cells_near(cells, &around); near; near &= near - 1) {
        uint32_t cell = (uint32_t)__builtin_ctzll(near);
        count = list_faces(list, count, faces_near_cell(cells, cell, &table, faces), cell);
    }
    memset(&list->pairs[count], 0, LANES * sizeof *list->pairs); /* the last group is read whole */
    list->count = count;
}

/* ---- the two steps --------------------------------------------------------------------------- */

/* What is known of the pairs in the lanes. */
struct narrow {
    struct lanes3 face[3], cell[4];
    lanes bound, negative;
    uint32_t above[4], below[4]; /* corners of the cells certainly above and below the faces */
    uint32_t may, must;          /* may meet; and certainly do, as far as looked at */
    uint32_t provable;           /* not proven to meet, but the edges of the face may do so */
};

/* The bound of all sides of points of the face and the cell. */
static inline void bound_narrow(struct narrow *n)
{
    struct lanes3 lo = least3(least3(n->cell[0], n->cell[1]), least3(n->cell[2], n->cell[3]));
    struct lanes3 hi = most3(most3(n->cell[0], n->cell[1]), most3(n->cell[2], n->cell[3]));
    lo = least3(least3(lo, n->face[0]), least3(n->face[1], n->face[2]));
    hi = most3(most3(hi, n->face[0]), most3(n->face[1], n->face[2]));
    n->bound = side_bound(subtract3(hi, lo));
    n->negative = lanes_negative(n->bound);
}

/* Sides of the corners of the cells of the planes of the faces. */
static inline void compare_with_face_planes(struct narrow *n)
{
    struct lanes3 normal = vector_cross(subtract3(n->face[1], n->face[0]), subtract3(n->face[2], n->face[0]));
    for (int k = 0; k < 4; k++) {
        lanes side = vector_dot(normal, subtract3(n->cell[k], n->face[0]));
        n->above[k] = lanes_less(n->bound, side);
        n->below[k] = lanes_less(side, n->negative);
    }
    n->may &= ~((n->above[0] & n->above[1] & n->above[2] & n->above[3]) |
                (n->below[0] & n->below[1] & n->below[2] & n->below[3]));
    n->provable = (n->above[0] | n->above[1] | n->above[2] | n->above[3]) &
                  (n->below[0] | n->below[1] | n->below[2] | n->below[3]);
}

/* Sides of the corners of the faces of the four planes of the cells. */
static inline void compare_with_cell_planes(struct narrow *n)
{
    struct lanes3 a = n->cell[0], b = subtract3(n->cell[1], a), c = subtract3(n->cell[2], a),
                  d = subtract3(n->cell[3], a);
    const struct lanes3 normals[3] = {vector_cross(c, d), vector_cross(d, b), vector_cross(b, c)};
    lanes volume = vector_dot(b, normals[0]);
    uint32_t positive = lanes_less(n->bound, volume), negative = lanes_less(volume, n->negative);
    uint32_t inner[4] = {0, 0, 0, 0}, not_outer[4] = {0, 0, 0, 0}, corner_inside = 0;
    for (int corner = 0; corner < 3; corner++) {
        struct lanes3 q = subtract3(n->face[corner], a);
        lanes side[4] = {vector_dot(q, normals[0]), vector_dot(q, normals[1]), vector_dot(q, normals[2]), volume};
        side[3] = lanes_subtract(lanes_subtract(volume, side[0]), lanes_add(side[1], side[2]));
        uint32_t inside = ALL_LANES;
        for (int k = 0; k < 4; k++) {
            uint32_t above = lanes_less(n->bound, side[k]), below = lanes_less(side[k], n->negative);
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
        struct lanes3 u = n->face[edge], along = subtract3(n->face[edge == 2 ? 0 : edge + 1], u), r[4];
        uint32_t found = 0, possible = 0;
        for (int k = 0; k < 4; k++) {
            r[k] = subtract3(n->cell[k], u);
        }
        for (int i = 0; i < 3; i++) {
            struct lanes3 across = vector_cross(along, r[i]);
            for (int j = i + 1; j < 4; j++) {
                lanes turn = vector_dot(across, r[j]);
                uint32_t left = lanes_less(n->bound, turn), right = lanes_less(turn, n->negative);
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

/* Lanes of the group at `first` of `count` that are in use. */
static inline uint32_t lanes_in_use(uint32_t count, uint32_t first)
{
    return count - first >= LANES ? ALL_LANES : (1u << (count - first)) - 1;
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
    for (uint32_t first = 0; first < queue->count; first += LANES) {
        struct narrow n = {.may = lanes_in_use(queue->count, first)};
        for (int corner = 0; corner < 3; corner++) {
            n.face[corner] = (struct lanes3){lanes_load(&queue->points[3 * corner][first]),
                                             lanes_load(&queue->points[3 * corner + 1][first]),
                                             lanes_load(&queue->points[3 * corner + 2][first])};
        }
        for (int corner = 0; corner < 4; corner++) {
            n.cell[corner] = pick_corner(table, &queue->corners[first], corner);
        }
        bound_narrow(&n);
        compare_with_face_planes(&n);
        n.provable &= lanes_with_bits(&queue->features[first], FEATURE_PROVABLE);
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

#if LANE_COUNT != 16
/* A group of pairs: those with their bits set go into the queue. */
static inline void queue_pairs(const struct waiting_faces *waiting, const uint32_t *pairs, const uint32_t *corners,
                               const struct narrow *n, uint32_t bits, struct leaf_queue *queue)
{
    for (; bits; bits &= bits - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(bits), slot = queue->count++;
        uint32_t pair = pairs[lane], face = pair & 255;
        for (int i = 0; i < 9; i++) {
            queue->points[i][slot] = waiting->x[i][face];
        }
        queue->corners[slot] = corners[lane];
        queue->clusters[slot] = waiting->cluster[face];
        queue->features[slot] =
            waiting->face[face] | (pair & 0xFF00) | (n->provable >> lane & 1 ? FEATURE_PROVABLE : 0);
    }
}
#else
/* The same without a branch. */
static inline void queue_pairs(const struct waiting_faces *waiting, const uint32_t *pairs, const uint32_t *corners,
                               const struct narrow *n, uint32_t bits, struct leaf_queue *queue)
{
    uint32_t slot = queue->count;
    for (int corner = 0; corner < 3; corner++) {
        lanes_keep(&queue->points[3 * corner][slot], n->face[corner].x, bits);
        lanes_keep(&queue->points[3 * corner + 1][slot], n->face[corner].y, bits);
        lanes_keep(&queue->points[3 * corner + 2][slot], n->face[corner].z, bits);
    }
    words_keep(&queue->corners[slot], corners, bits);
    words_keep_picked(&queue->clusters[slot], waiting->cluster, index_of_corner(pairs, 0), bits);
    words_keep_features(&queue->features[slot], waiting->face, pairs, n->provable, bits);
    queue->count += (uint32_t)__builtin_popcount(bits);
}
#endif

#if LANE_COUNT != 16
/* Corners of the cells of a group of pairs. */
static inline void corners_of_pairs(uint32_t *corners, const uint32_t *cells, const uint32_t *pairs)
{
    for (int lane = 0; lane < LANES; lane++) {
        corners[lane] = cells[pairs[lane] >> 8];
    }
}
#endif

/* With one lane: vertices of side b certainly above and below the planes of the faces, computed once for all pairs. */
struct plane_sides {
    uint32_t known, above[WAITING_FACES], below[WAITING_FACES];
};

static void compare_vertices_with_plane(const struct leaf_cells *cells, const struct waiting_faces *waiting, int face,
                                        struct plane_sides *sides)
{
    const struct cluster_box *box = &cells->box;
    struct lanes3 a = corner_of_waiting(waiting, 0, face), b = corner_of_waiting(waiting, 1, face),
                  c = corner_of_waiting(waiting, 2, face), normal = vector_cross(subtract3(b, a), subtract3(c, a));
    struct lanes3 lo = {lanes_set(box->lo[0]), lanes_set(box->lo[1]), lanes_set(box->lo[2])};
    struct lanes3 hi = {lanes_set(box->hi[0]), lanes_set(box->hi[1]), lanes_set(box->hi[2])};
    lo = least3(least3(lo, a), least3(b, c));
    hi = most3(most3(hi, a), most3(b, c));
    lanes bound = side_bound(subtract3(hi, lo)), negative = lanes_negative(bound);
    sides->known |= UINT32_C(1) << face;
    sides->above[face] = sides->below[face] = 0;
    for (int i = 0; i < cells->cluster->vertex_count; i++) {
        lanes side = vector_dot(normal, subtract3(points_at(cells->points, i), a));
        sides->above[face] |= lanes_less(bound, side) << i;
        sides->below[face] |= lanes_less(side, negative) << i;
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
    for (uint32_t first = 0; first < list->count; first += LANES) {
        if (LANES == 1 && plane_is_between(cells, waiting, list->pairs[first], &sides)) {
            continue;
        }
        struct narrow n = {.may = lanes_in_use(list->count, first)};
        _Alignas(64) uint32_t corners[LANES];
        lane_index faces = index_of_corner(&list->pairs[first], 0);
        corners_of_pairs(corners, cells->corners->cells, &list->pairs[first]);
        for (int corner = 0; corner < 3; corner++) {
            n.face[corner] = (struct lanes3){table_pick(table_load(waiting->x[3 * corner]), faces),
                                             table_pick(table_load(waiting->x[3 * corner + 1]), faces),
                                             table_pick(table_load(waiting->x[3 * corner + 2]), faces)};
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
        queue_pairs(waiting, &list->pairs[first], corners, &n, n.may & ~n.must, queue);
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

#if LANE_COUNT != 16
/* Faces of the group at i with their bits set wait. */
static inline void put_waiting_faces(struct waiting_faces *waiting, const struct leaf_features *features, int i,
                                     const struct lanes3 corners[3], uint32_t bits)
{
    (void)corners;
    for (; bits; bits &= bits - 1) {
        uint32_t face = (uint32_t)(i + __builtin_ctz(bits)), slot = waiting->count++;
        for (int corner = 0; corner < 3; corner++) {
            uint8_t vertex = features->corners->faces[corner][face];
            for (int axis = 0; axis < 3; axis++) {
                waiting->x[3 * corner + axis][slot] = features->points->x[axis][vertex];
            }
            waiting->identity[corner][slot] = features->identities ? features->identities[vertex] : NO_IDENTITY;
        }
        waiting->face[slot] = face;
        waiting->cluster[slot] = features->number;
    }
}
#else
/* The same without a branch. */
static inline void put_waiting_faces(struct waiting_faces *waiting, const struct leaf_features *features, int i,
                                     const struct lanes3 corners[3], uint32_t bits)
{
    uint32_t slot = waiting->count;
    for (int corner = 0; corner < 3; corner++) {
        lanes_keep(&waiting->x[3 * corner][slot], corners[corner].x, bits);
        lanes_keep(&waiting->x[3 * corner + 1][slot], corners[corner].y, bits);
        lanes_keep(&waiting->x[3 * corner + 2][slot], corners[corner].z, bits);
        words_keep_picked(&waiting->identity[corner][slot], features->identities,
                          index_load(&features->corners->faces[corner][i]), bits);
    }
    words_keep_numbers(&waiting->face[slot], (uint32_t)i, bits);
    words_fill(&waiting->cluster[slot], features->number);
    waiting->count += (uint32_t)__builtin_popcount(bits);
}
#endif

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
    const struct spread_box box = spread_box_of(cells->box.lo, cells->box.hi);
    struct point_table table = point_table_of(features->points);
    struct waiting_faces *waiting = &queue->waiting_faces;
    uint32_t count = 0;
    waiting->may_share = waiting->may_share || features->identities;
    for (int i = 0; i < side_a->face_count; i += LANES) {
        const struct lanes3 corners[3] = {pick3(table, index_load(&features->corners->faces[0][i])),
                                          pick3(table, index_load(&features->corners->faces[1][i])),
                                          pick3(table, index_load(&features->corners->faces[2][i]))};
        struct lanes3 lo = least3(least3(corners[0], corners[1]), corners[2]);
        struct lanes3 hi = most3(most3(corners[0], corners[1]), corners[2]);
        int left = side_a->face_count - i;
        uint32_t found = boxes_meet(lo, hi, &box) & (left >= LANES ? ALL_LANES : (1u << left) - 1);
        put_waiting_faces(waiting, features, i, corners, found);
        if (waiting->count >= WAITING_FACES) {
            count += compare_faces(cells, queue, WAITING_FACES, hits + count);
            move_up(waiting);
        }
    }
    return count;
}
