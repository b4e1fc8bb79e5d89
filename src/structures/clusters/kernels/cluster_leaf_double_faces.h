/* Faces against cells in doubles, for any number of lanes. Included by cluster_kernels_<isa>.c behind
 * cluster_leaf_doubles.h, where the bounds are.
 *
 * Faces that meet the box of side b wait with their corners, each corner once, until there is no more room. They are then
 * compared with one cell after the other, all faces at once and by sets of bits: boxes, shared corners and the planes of
 * the faces, then the planes of the cell. What these leave open is compared edge by edge.
 */

/* Planes and edges of the faces that wait, and where the vertices of side b lie. */
struct face_sides {
    _Alignas(64) double plane[4][CLUSTER_FACES + 8];
    double edges[3][6][CLUSTER_FACES + 8]; /* e and m of the edge from corner k to the next */
    uint32_t not_above[CLUSTER_FACES + 16], not_below[CLUSTER_FACES + 16]; /* possibly on the other side */
    uint32_t above[CLUSTER_FACES + 16], below[CLUSTER_FACES + 16];         /* certainly, strictly */
    uint32_t on[CLUSTER_FACES + 16];                                       /* certainly: equal to a corner */
    uint32_t shared[CLUSTER_FACES + 16]; /* vertices of side b that are corners of the face */
};

static inline struct doubles3 pick_points(const double (*local)[CLUSTER_VERTICES + 8], doubles_index index)
{
    return (struct doubles3){doubles_pick32(local[0], index), doubles_pick32(local[1], index),
                             doubles_pick32(local[2], index)};
}

/* Vertices of side b that are a point of side a. */
static inline void find_shared_points(const struct leaf_cells *cells, const struct double_points *points,
                                      uint32_t *shared)
{
    for (uint32_t i = 0; i < points->count; i++) {
        shared[i] = points->may_share ? shared_vertices(cells->identities, points->identity[i]) : 0;
    }
}

/* Points, planes and boxes of side b. */
static inline void prepare_double_cells(struct leaf_cells *from, struct double_cells *cells)
{
    if (!from->has_boxes) {
        compute_cell_boxes(from);
    }
    if (!cells->has_planes) {
        compute_cell_planes(from, cells);
    }
}

static inline void store_edge(double (*edge)[CLUSTER_FACES + 8], int i, struct doubles3 u, struct doubles3 v)
{
    struct doubles3 along = doubles3_subtract(v, u), moment = cross_of(u, v);
    doubles_store(&edge[0][i], along.x);
    doubles_store(&edge[1][i], along.y);
    doubles_store(&edge[2][i], along.z);
    doubles_store(&edge[3][i], moment.x);
    doubles_store(&edge[4][i], moment.y);
    doubles_store(&edge[5][i], moment.z);
}

static inline void compute_face_planes(const struct double_faces *faces, struct face_sides *sides)
{
    for (int i = 0; i < (int)faces->count; i += DOUBLES) {
        struct doubles3 p[3];
        for (int k = 0; k < 3; k++) {
            doubles_index index = doubles_index_load(&faces->corners[k][i]);
            p[k] = pick_points(faces->points.local, index);
        }
        struct double_plane plane = plane_through(p[0], doubles3_subtract(p[1], p[0]), doubles3_subtract(p[2], p[0]));
        doubles_store(&sides->plane[0][i], plane.normal.x);
        doubles_store(&sides->plane[1][i], plane.normal.y);
        doubles_store(&sides->plane[2][i], plane.normal.z);
        doubles_store(&sides->plane[3][i], plane.offset);
        for (int k = 0; k < 3; k++) {
            store_edge(sides->edges[k], i, p[k], p[k == 2 ? 0 : k + 1]);
        }
    }
}

/* Vertices of side b against the plane of face f. */
static inline void compare_cells_with_plane(const struct double_cells *cells, uint32_t on, double limit, uint32_t f,
                                            struct face_sides *sides)
{
    const doubles bound = doubles_set(limit), negative = doubles_set(-limit);
    const struct double_plane plane = {
        {doubles_set(sides->plane[0][f]), doubles_set(sides->plane[1][f]), doubles_set(sides->plane[2][f])},
        doubles_set(sides->plane[3][f]),
    };
    uint32_t above = 0, below = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i += DOUBLES) {
        doubles side = side_of(plane, doubles3_load(&cells->local[0][i], &cells->local[1][i], &cells->local[2][i]));
        above |= less_double_bits(bound, side) << i;
        below |= less_double_bits(side, negative) << i;
    }
    sides->above[f] = above;
    sides->below[f] = below;
    sides->on[f] = on;
    sides->not_above[f] = ~(above | on);
    sides->not_below[f] = ~(below | on);
}

/* The edges of a cell, one a lane, and their ends: words 0 to 5 have the bit of the first corner, 8 to 13 that of the
 * second. */
enum { EDGE_LANES = 8, END_LANES = 16 };
struct cell_edges {
    struct doubles3 along[EDGE_LANES / DOUBLES], moment[EDGE_LANES / DOUBLES];
    words ends[END_LANES / FLOATS];
};

static const uint8_t edge_ends[2][EDGE_LANES] = {{0, 0, 0, 1, 1, 2, 0, 0}, {1, 2, 3, 2, 3, 3, 0, 0}};
static _Alignas(64) const uint32_t edge_shifts[END_LANES] = {0, 0, 0, 8, 8, 16, 0, 0, 8, 16, 24, 16, 24, 24, 0, 0};

static inline void compute_cell_edges(const struct double_cells *cells, uint32_t corners, struct cell_edges *edges)
{
    uint8_t slots[2][EDGE_LANES];
    for (int k = 0; k < EDGE_LANES; k++) {
        slots[0][k] = (uint8_t)cluster_corner(corners, edge_ends[0][k]);
        slots[1][k] = (uint8_t)cluster_corner(corners, edge_ends[1][k]);
    }
    for (int i = 0; i < EDGE_LANES / DOUBLES; i++) {
        struct doubles3 u = pick_local(cells, doubles_index_load(&slots[0][i * DOUBLES])),
                        v = pick_local(cells, doubles_index_load(&slots[1][i * DOUBLES]));
        edges->along[i] = doubles3_subtract(v, u);
        edges->moment[i] = cross_of(u, v);
    }
    for (int i = 0; i < END_LANES / FLOATS; i++) {
        words shifts = words_load(&edge_shifts[i * FLOATS]);
        words slot = words_and(words_shift_right_each(words_set(corners), shifts), words_set(31));
        edges->ends[i] = words_shift_left_each(words_set(1), slot);
    }
}

/* The ends of edges that are in a set of vertices: bits 0 to 5 the first ones, 8 to 13 the second ones. */
static inline uint32_t ends_among(const struct cell_edges *edges, uint32_t set)
{
    uint32_t among = 0;
    for (int i = 0; i < END_LANES / FLOATS; i++) {
        among |= floats_mask_bits(words_meet(edges->ends[i], words_set(set))) << i * FLOATS;
    }
    return among;
}

/* Edges of the cell that pass an edge of the face on the left and on the right. */
static inline void compare_edges(const struct cell_edges *edges, const double (*edge)[CLUSTER_FACES + 8], uint32_t f,
                                 double limit, uint32_t *left, uint32_t *right)
{
    const struct doubles3 along = {doubles_set(edge[0][f]), doubles_set(edge[1][f]), doubles_set(edge[2][f])},
                          moment = {doubles_set(edge[3][f]), doubles_set(edge[4][f]), doubles_set(edge[5][f])};
    *left = *right = 0;
    for (int i = 0; i < EDGE_LANES / DOUBLES; i++) {
        doubles turn = along.x * edges->moment[i].x;
        turn = doubles_multiply_add(along.y, edges->moment[i].y, turn);
        turn = doubles_multiply_add(along.z, edges->moment[i].z, turn);
        turn = doubles_multiply_add(moment.x, edges->along[i].x, turn);
        turn = doubles_multiply_add(moment.y, edges->along[i].y, turn);
        turn = doubles_multiply_add(moment.z, edges->along[i].z, turn);
        *left |= less_double_bits(doubles_set(limit), turn) << i * DOUBLES;
        *right |= less_double_bits(turn, doubles_set(-limit)) << i * DOUBLES;
    }
}

enum meeting { APART, POSSIBLE, CERTAIN };

/* The cut of the cell with the plane of face f against the edges of the face (tetrahedron_predicates.c): its corners lie
 * on edges from a lower vertex, or one in the plane, to an upper one, and are inside of the edge from u to v iff the
 * orientation of u, v, lower, upper is positive. provable: every plane of the cell has a corner of the face inside. */
static inline enum meeting cut_versus_face(const struct cell_edges *edges, const struct double_faces *faces,
                                           const struct face_sides *sides, const struct equal_points *equal, uint32_t f,
                                           double limit, bool provable)
{
    enum { SIX = 63 };
    const uint32_t above = ends_among(edges, sides->above[f]), below = ends_among(edges, sides->below[f]);
    const uint32_t weakly_below = below | ends_among(edges, sides->on[f]);
    /* first end lower, second upper; and the other way round */
    const uint32_t up = (weakly_below & above >> 8) & SIX, down = (weakly_below >> 8 & above) & SIX;
    const uint32_t may_up = ~(above | weakly_below >> 8) & SIX, may_down = ~(above >> 8 | weakly_below) & SIX;
    bool possible = true, certain = provable && above && below;
    for (int k = 0; k < 3; k++) {
        uint32_t left, right, u = faces->corners[k][f], v = faces->corners[k == 2 ? 0 : k + 1][f];
        uint32_t touched = ends_among(edges, equal->of_a[u] | equal->of_a[v]);
        touched |= touched >> 8;
        compare_edges(edges, sides->edges[k], f, limit, &left, &right);
        possible = possible & (((may_up & ~(right | touched)) | (may_down & ~(left | touched))) != 0);
        certain = certain & (((up & left) | (down & right)) != 0);
    }
    return !possible ? APART : certain ? CERTAIN : POSSIBLE;
}

/* Faces by sets of bits. */
static inline uint64_t face_bits(floats_mask mask, int i)
{
    return (uint64_t)floats_mask_bits(mask) << i;
}

/* Faces whose boxes meet that of the cell, that have none of its vertices, and whose planes may pass through it. */
static inline uint64_t faces_through_cell(const struct leaf_cells *cells, uint32_t cell,
                                          const struct double_faces *faces, const struct face_sides *sides)
{
    const struct cluster_box box = {{cells->lo[0][cell], cells->lo[1][cell], cells->lo[2][cell]},
                                    {cells->hi[0][cell], cells->hi[1][cell], cells->hi[2][cell]}};
    const struct spread_box spread = spread_box_of(&box);
    const words vertices = words_set(cells->corners->cell_vertices[cell]);
    uint64_t through = 0;
    for (int i = 0; i < (int)faces->count; i += FLOATS) {
        struct floats3 lo = floats3_load(&faces->lo[0][i], &faces->lo[1][i], &faces->lo[2][i]);
        struct floats3 hi = floats3_load(&faces->hi[0][i], &faces->hi[1][i], &faces->hi[2][i]);
        floats_mask met = words_disjoint_within(boxes_meet(lo, hi, &spread), words_load(&sides->shared[i]), vertices);
        met = floats_mask_and(met, words_meet(words_load(&sides->not_above[i]), vertices));
        met = floats_mask_and(met, words_meet(words_load(&sides->not_below[i]), vertices));
        through |= face_bits(met, i);
    }
    return through;
}

/* What the planes of a cell say about faces. */
struct faces_in_cell {
    uint64_t may, must, provable;
};

static inline struct faces_in_cell faces_by_planes(const struct double_faces *faces, const struct cell_sides *sides)
{
    struct faces_in_cell found = {0, 0, 0};
    const words inside = words_set(sides->inner[0] & sides->inner[1] & sides->inner[2] & sides->inner[3]);
    for (int i = 0; i < (int)faces->count; i += FLOATS) {
        const words corners = words_load(&faces->corner_set[i]);
        floats_mask may = floats_mask_all(), provable = may;
        for (int k = 0; k < 4; k++) {
            may = floats_mask_and(may, words_meet(corners, words_set(~sides->not_inner[k])));
            provable = floats_mask_and(provable, words_meet(corners, words_set(sides->inner[k])));
        }
        found.may |= face_bits(may, i);
        found.provable |= face_bits(provable, i);
        found.must |= face_bits(words_meet(corners, inside), i);
    }
    return found;
}

static inline void compare_with_faces(const struct leaf_cells *from, const struct double_cells *cells,
                                      const struct double_faces *faces, const struct equal_points *equal, double bound,
                                      struct face_sides *sides)
{
    uint32_t shared[CLUSTER_VERTICES + 16];
    find_shared_points(from, &faces->points, shared);
    compute_face_planes(faces, sides);
    for (uint32_t f = 0; f < faces->count; f++) {
        uint32_t a = faces->corners[0][f], b = faces->corners[1][f], c = faces->corners[2][f];
        compare_cells_with_plane(cells, equal->of_a[a] | equal->of_a[b] | equal->of_a[c], bound, f, sides);
        sides->shared[f] = shared[a] | shared[b] | shared[c];
    }
}

static inline uint64_t faces_in_use(const struct double_faces *faces)
{
    return faces->count < CLUSTER_FACES ? (UINT64_C(1) << faces->count) - 1 : ~UINT64_C(0);
}

static inline struct cluster_box bound_double_faces(const struct double_faces *faces)
{
    struct floats3 lo = {floats_set(4), floats_set(4), floats_set(4)}, hi = {-lo.x, -lo.y, -lo.z};
    struct cluster_box box;
    for (int i = 0; i < (int)faces->count; i += FLOATS) {
        floats_mask used = floats_mask_of_bits(lanes_in_use(faces->count, (uint32_t)i));
        lo = floats3_least(
            lo, floats3_choose(used, floats3_load(&faces->lo[0][i], &faces->lo[1][i], &faces->lo[2][i]), lo));
        hi = floats3_most(hi,
                          floats3_choose(used, floats3_load(&faces->hi[0][i], &faces->hi[1][i], &faces->hi[2][i]), hi));
    }
    floats3_bounds(lo, hi, box.lo, box.hi);
    return box;
}

/* All faces that wait against all cells: everything not certainly apart comes out. */
static uint32_t compare_double_faces(struct leaf_cells *from, struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    const struct double_faces *faces = &leaf->faces;
    const struct double_cells *cells = &leaf->cells;
    const double bound = common_bound(cells, &faces->points);
    const struct cluster_box around = bound_double_faces(faces);
    const uint64_t in_use = faces_in_use(faces);
    struct equal_points equal;
    struct face_sides sides;
    uint32_t count = 0;
    find_equal_points(cells, &faces->points, from->interior_only, &equal);
    compare_with_faces(from, cells, faces, &equal, bound, &sides);
    for (uint64_t cells_left = cells_near(from, &around); cells_left; cells_left &= cells_left - 1) {
        uint32_t cell = (uint32_t)__builtin_ctzll(cells_left);
        uint64_t through = faces_through_cell(from, cell, faces, &sides) & in_use;
        if (!through) {
            continue;
        }
        struct cell_sides planes;
        compare_points_with_cell(from, cells, cell, &faces->points, &equal, bound, &planes);
        struct faces_in_cell found = faces_by_planes(faces, &planes);
        for (uint64_t must = found.must & through; must; must &= must - 1) {
            uint32_t f = (uint32_t)__builtin_ctzll(must);
            count = put_hit(hits, count, faces->cluster[f], faces->face[f], cell, 1);
        }
        uint64_t open = found.may & ~found.must & through;
        struct cell_edges edges;
        if (open) {
            compute_cell_edges(cells, from->corners->cells[cell], &edges);
        }
        for (; open; open &= open - 1) {
            uint32_t f = (uint32_t)__builtin_ctzll(open);
            enum meeting meeting = cut_versus_face(&edges, faces, &sides, &equal, f, bound, found.provable >> f & 1);
            if (meeting != APART) {
                count = put_hit(hits, count, faces->cluster[f], faces->face[f], cell, meeting == CERTAIN);
            }
        }
    }
    return count;
}

static uint32_t face_flush_doubles(struct leaf_cells *cells, struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    uint32_t count = 0;
    if (leaf->faces.count > 0) {
        prepare_double_cells(cells, &leaf->cells);
        count = compare_double_faces(cells, leaf, hits);
    }
    leaf->faces.count = leaf->faces.points.count = 0;
    leaf->faces.points.may_share = false;
    return count;
}

/* The faces of a cluster of side a that meet the box of side b, their boxes, and their corners. */
struct boxed_faces {
    _Alignas(64) float lo[3][CLUSTER_FACES], hi[3][CLUSTER_FACES];
    uint64_t faces;
    uint32_t corners;
};

static inline void find_faces_in_box(const struct leaf_cells *cells, const struct leaf_features *features,
                                     struct boxed_faces *found)
{
    const struct spread_box box = spread_box_of(&cells->box);
    const struct point_table table = point_table_of(features->points);
    const uint32_t count = features->cluster->face_count;
    const uint8_t(*faces)[CLUSTER_FACES] = features->corners->faces;
    found->faces = 0;
    found->corners = 0;
    for (int i = 0; i < (int)count; i += FLOATS) {
        struct floats3 a = pick3(table, floats_index_load(&faces[0][i])),
                       b = pick3(table, floats_index_load(&faces[1][i])),
                       c = pick3(table, floats_index_load(&faces[2][i]));
        struct floats3 lo = floats3_least(floats3_least(a, b), c), hi = floats3_most(floats3_most(a, b), c);
        floats3_store(&found->lo[0][i], &found->lo[1][i], &found->lo[2][i], lo);
        floats3_store(&found->hi[0][i], &found->hi[1][i], &found->hi[2][i], hi);
        uint32_t met = floats_mask_bits(boxes_meet(lo, hi, &box)) & lanes_in_use(count, (uint32_t)i);
        found->faces |= (uint64_t)met << i;
    }
    for (uint64_t left = found->faces; left; left &= left - 1) {
        int f = __builtin_ctzll(left);
        found->corners |= UINT32_C(1) << faces[0][f] | UINT32_C(1) << faces[1][f] | UINT32_C(1) << faces[2][f];
    }
}

static inline void append_faces(const struct leaf_features *features, const struct boxed_faces *found, uint32_t first,
                                struct double_faces *faces)
{
    uint8_t place[CLUSTER_VERTICES] = {0}; /* of the vertices of the cluster among the points */
    for (uint32_t left = found->corners; left; left &= left - 1) {
        place[__builtin_ctz(left)] = (uint8_t)first++;
    }
    for (uint64_t left = found->faces; left; left &= left - 1) {
        uint32_t f = (uint32_t)__builtin_ctzll(left), slot = faces->count++;
        faces->corner_set[slot] = 0;
        for (int k = 0; k < 3; k++) {
            faces->lo[k][slot] = found->lo[k][f];
            faces->hi[k][slot] = found->hi[k][f];
            faces->corners[k][slot] = place[features->corners->faces[k][f]];
            faces->corner_set[slot] |= UINT32_C(1) << faces->corners[k][slot];
        }
        faces->cluster[slot] = features->number;
        faces->face[slot] = f;
    }
}

static uint32_t face_leaf_doubles(struct leaf_cells *cells, const struct leaf_features *features,
                                  struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    struct double_faces *faces = &leaf->faces;
    struct boxed_faces found;
    uint32_t count = 0;
    find_faces_in_box(cells, features, &found);
    if (!found.faces) {
        return 0;
    }
    if (!leaf->cells.has_points) {
        load_double_cells(cells, &leaf->cells);
    }
    if (faces->points.count + (uint32_t)__builtin_popcount(found.corners) > CLUSTER_VERTICES ||
        faces->count + (uint32_t)__builtin_popcountll(found.faces) > CLUSTER_FACES) {
        count = face_flush_doubles(cells, leaf, hits);
    }
    uint32_t first = faces->points.count;
    append_points(&leaf->cells, features, found.corners, &faces->points);
    append_faces(features, &found, first, faces);
    return count;
}
