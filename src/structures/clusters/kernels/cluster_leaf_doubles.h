/* The leaves in doubles, for any number of lanes. Included by cluster_kernels_<isa>.c behind cluster_leaf_faces.h.
 *
 * Parts that fit together have surfaces that coincide up to rounding: gaps far below what floats can tell, or points
 * that are equal. There nearly every pair that passes the boxes would get the exact test. In doubles nearly none does,
 * and what a pair costs is kept small by computing every side once for all pairs that ask for it:
 *
 *   - the plane of a face of side a against all vertices of side b: sets of bits, above and below;
 *   - the planes of a cell of side b against all points of side a that wait: sets of bits, inside and outside;
 *   - the six edges of a cell, one a lane, against the three edges of a face.
 *
 * Faces and cells are then compared by their sets. Points that are equal in all coordinates lie on the planes and lines
 * through each other: the one zero that is found without exact arithmetic.
 *
 * Bounds (u = 2^-53). Points are taken relative to one origin: each coordinate carries a relative error u, the bits that
 * subtraction rounds away; subtraction never underflows. X, Y, Z are the largest computed |coordinates| of all points in
 * question, X' = 2X bounds differences. First-order terms, all in units of u XYZ:
 *
 *   Input. The orientation of four points changes with a coordinate x by the normal of the other three, at most 8 YZ:
 *   four points, three axes, 8 each: 96.
 *   Planes. A difference of at most 2X has an error of 2 uX; a component of the normal n, two products of at most 4 YZ
 *   with three roundings each, and one of their difference: 2 * 4 * 3 + 8 = 32 u YZ. The side n x + d of a point, where d
 *   = -n p is computed from the same n, is n (x - p): the error of n adds 3 * 32 * 2 = 192. Products of at most 8 XYZ are
 *   rounded to 8 u each; d: three of them and sums of at most 16 and 24: 64; the side: three of them and sums of at most
 *   32, 40 and 48: 144. Together 192 + 64 + 144 + 96 = 496.
 *   Edges. With e = v - u and m = u x v for the edge from u to v, the orientation of two edges is e1 m2 + e2 m1. A
 *   component of m has an error of 2 u from its products and 2 u from their difference: 4 u YZ, at most 2 YZ. Each of six
 *   products: 2 * 4 + 2 * 2 + 4 = 16, and sums of at most 8, 12, 16, 20, 24: 96 + 80 + 96 = 272.
 *
 * All sides are compared with 512 u XYZ. What is left covers terms of second order and the roundings of the bound itself.
 * A fused multiply-add leaves out the rounding of its product, so the bound holds for both forms. Underflow loses at most
 * 2^-1074 a product, which is multiplied by at most 2 * 2^300 afterwards, in less than 64 places: 2^-760 is added. Beyond
 * 2^300 the bound is infinite, and nothing is certain; nor is it where something is NaN, because all comparisons ask for
 * what is certain.
 */

#define DOUBLE_SIDES (512.0 * 0x1p-53)
#define DOUBLE_FLOOR 0x1p-760
#define DOUBLE_LARGEST 0x1p300

static inline uint32_t less_double_bits(doubles a, doubles b)
{
    return doubles_mask_bits(doubles_less(a, b));
}

static inline struct doubles3 cross_of(struct doubles3 a, struct doubles3 b)
{
    return (struct doubles3){doubles_multiply_add(a.y, b.z, -(a.z * b.y)), doubles_multiply_add(a.z, b.x, -(a.x * b.z)),
                             doubles_multiply_add(a.x, b.y, -(a.y * b.x))};
}

/* ---- points ---------------------------------------------------------------------------------- */

/* Bound of sides of points whose coordinates are at most `most`. */
static inline double double_bound(const double most[3])
{
    bool small = most[0] <= DOUBLE_LARGEST && most[1] <= DOUBLE_LARGEST && most[2] <= DOUBLE_LARGEST;
    return small ? most[0] * most[1] * most[2] * DOUBLE_SIDES + DOUBLE_FLOOR : INFINITY;
}

/* Bound of sides of points of both sides. */
static inline double common_bound(const struct double_cells *cells, const struct double_points *points)
{
    double most[3];
    for (int axis = 0; axis < 3; axis++) {
        doubles largest = doubles_set(cells->most[axis]);
        for (int i = 0; i < (int)points->count; i += DOUBLES) {
            doubles x = doubles_absolute(doubles_load(&points->local[axis][i]));
            doubles_mask used = doubles_mask_first(points->count - (uint32_t)i);
            largest = doubles_most(largest, doubles_choose(used, x, largest));
        }
        most[axis] = doubles_largest(largest);
    }
    return double_bound(most);
}

/* The middle of the vertices becomes the origin. */
static inline void localise_cells(struct double_cells *cells)
{
    for (int axis = 0; axis < 3; axis++) {
        doubles lo = doubles_load(cells->x[axis]), hi = lo, most = doubles_set(0);
        for (int i = DOUBLES; i < CLUSTER_VERTICES; i += DOUBLES) {
            doubles x = doubles_load(&cells->x[axis][i]);
            lo = doubles_least(lo, x);
            hi = doubles_most(hi, x);
        }
        cells->origin[axis] = 0.5 * doubles_smallest(lo) + 0.5 * doubles_largest(hi);
        for (int i = 0; i < CLUSTER_VERTICES; i += DOUBLES) {
            doubles local = doubles_load(&cells->x[axis][i]) - doubles_set(cells->origin[axis]);
            doubles_store(&cells->local[axis][i], local);
            most = doubles_most(most, doubles_absolute(local));
        }
        cells->most[axis] = doubles_largest(most);
    }
}

static void load_double_cells(const struct leaf_cells *from, struct double_cells *cells)
{
    const uint32_t *vertices = from->cluster->vertices;
    for (int i = 0; i < CLUSTER_VERTICES; i += DOUBLES) {
        const double *rows[DOUBLES];
        doubles columns[4];
        for (int k = 0; k < DOUBLES; k++) {
            rows[k] = from->xyz[vertices[i + k]];
        }
        doubles_columns4(rows, columns);
        for (int axis = 0; axis < 3; axis++) {
            doubles_store(&cells->x[axis][i], columns[axis]);
        }
    }
    localise_cells(cells);
    cells->has_points = true;
}

static inline struct doubles3 pick_local(const struct double_cells *cells, doubles_index index)
{
    return (struct doubles3){doubles_pick32(cells->local[0], index), doubles_pick32(cells->local[1], index),
                             doubles_pick32(cells->local[2], index)};
}

static inline struct doubles3 pick_points(const double (*local)[CLUSTER_VERTICES + 8], doubles_index index)
{
    return (struct doubles3){doubles_pick32(local[0], index), doubles_pick32(local[1], index),
                             doubles_pick32(local[2], index)};
}

/* A plane: the side of x is normal . x + offset. */
struct double_plane {
    struct doubles3 normal;
    doubles offset;
};

static inline doubles side_of(struct double_plane plane, struct doubles3 x)
{
    doubles sum = doubles_multiply_add(plane.normal.z, x.z, plane.offset);
    sum = doubles_multiply_add(plane.normal.y, x.y, sum);
    return doubles_multiply_add(plane.normal.x, x.x, sum);
}

/* Through p, with two differences. */
static inline struct double_plane plane_through(struct doubles3 p, struct doubles3 q, struct doubles3 r)
{
    struct doubles3 normal = cross_of(q, r);
    doubles along = doubles_multiply_add(normal.y, p.y, normal.z * p.z);
    return (struct double_plane){normal, -doubles_multiply_add(normal.x, p.x, along)};
}

/* Planes of all cells, turned so that the inside is positive; zero, so that nothing is certain, where the orientation
 * of the cell is not. */
static void compute_cell_planes(const struct leaf_cells *from, struct double_cells *cells)
{
    const double limit = double_bound(cells->most);
    const doubles bound = doubles_set(limit), negative = doubles_set(-limit), zero = doubles_set(0);
    for (int i = 0; i < from->cluster->cell_count; i += DOUBLES) {
        const uint32_t *corners = &from->corners->cells[i];
        struct doubles3 a = pick_local(cells, doubles_index_of_byte(corners, 0)),
                        b = pick_local(cells, doubles_index_of_byte(corners, 1)),
                        c = pick_local(cells, doubles_index_of_byte(corners, 2)),
                        d = pick_local(cells, doubles_index_of_byte(corners, 3));
        struct doubles3 ab = doubles3_subtract(b, a), ac = doubles3_subtract(c, a), ad = doubles3_subtract(d, a);
        const struct double_plane planes[4] = {
            plane_through(b, doubles3_subtract(d, b), doubles3_subtract(c, b)),
            plane_through(a, ac, ad),
            plane_through(a, ad, ab),
            plane_through(a, ab, ac),
        };
        doubles volume = side_of(planes[1], b);
        doubles sign = doubles_choose(doubles_less(bound, volume), doubles_set(1), zero);
        sign = doubles_choose(doubles_less(volume, negative), doubles_set(-1), sign);
        for (int k = 0; k < 4; k++) {
            doubles_store(&cells->planes[k][0][i], planes[k].normal.x * sign);
            doubles_store(&cells->planes[k][1][i], planes[k].normal.y * sign);
            doubles_store(&cells->planes[k][2][i], planes[k].normal.z * sign);
            doubles_store(&cells->planes[k][3][i], planes[k].offset * sign);
        }
    }
    cells->has_planes = true;
}

/* Vertices of side a join the points; those of `set`, in order. */
static inline void append_points(const struct double_cells *cells, const struct leaf_features *features, uint32_t set,
                                 struct double_points *points)
{
    uint8_t slots[CLUSTER_VERTICES];
    uint32_t count = 0, first = points->count;
    for (; set; set &= set - 1) {
        slots[count++] = (uint8_t)__builtin_ctz(set);
    }
    for (uint32_t i = 0; i < count; i += DOUBLES) {
        const double *rows[DOUBLES];
        doubles columns[4];
        for (uint32_t k = 0; k < DOUBLES; k++) {
            rows[k] = features->xyz[features->cluster->vertices[slots[i + k < count ? i + k : i]]];
        }
        doubles_columns4(rows, columns);
        for (int axis = 0; axis < 3; axis++) {
            doubles_store_any(&points->x[axis][first + i], columns[axis]);
            doubles_store_any(&points->local[axis][first + i], columns[axis] - doubles_set(cells->origin[axis]));
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        points->identity[first + i] = features->identities ? features->identities[slots[i]] : NO_IDENTITY;
    }
    points->may_share = points->may_share || features->identities;
    points->count += count;
}

/* Which points of the two sides are equal, as sets by point of side a and by vertex of side b. */
struct equal_points {
    uint32_t of_a[CLUSTER_VERTICES], of_b[CLUSTER_VERTICES];
};

/* Vertices of side b whose coordinate is x. */
static inline uint32_t equal_coordinates(const double coordinates[CLUSTER_VERTICES], double x)
{
    uint32_t equal = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i += DOUBLES) {
        equal |= doubles_mask_bits(doubles_equal(doubles_load(&coordinates[i]), doubles_set(x))) << i;
    }
    return equal;
}

static inline void find_equal_points(const struct double_cells *cells, const struct double_points *points,
                                     bool wanted, struct equal_points *equal)
{
    memset(equal, 0, sizeof *equal);
    for (uint32_t i = 0; wanted && i < points->count; i++) {
        uint32_t same = equal_coordinates(cells->x[0], points->x[0][i]);
        same = same ? same & equal_coordinates(cells->x[1], points->x[1][i]) : 0;
        same = same ? same & equal_coordinates(cells->x[2], points->x[2][i]) : 0;
        equal->of_a[i] = same;
        for (; same; same &= same - 1) {
            equal->of_b[__builtin_ctz(same)] |= UINT32_C(1) << i;
        }
    }
}

/* ---- the planes of a cell -------------------------------------------------------------------- */

static inline struct double_plane cell_plane(const struct double_cells *cells, int k, uint32_t cell)
{
    const double(*plane)[CLUSTER_CELLS] = cells->planes[k];
    return (struct double_plane){
        {doubles_set(plane[0][cell]), doubles_set(plane[1][cell]), doubles_set(plane[2][cell])},
        doubles_set(plane[3][cell]),
    };
}

/* Points of side a certainly inside and certainly not inside of the planes of a cell. */
struct cell_sides {
    uint32_t inner[4], not_inner[4];
};

static inline void compare_points_with_cell(const struct leaf_cells *from, const struct double_cells *cells,
                                            uint32_t cell, const struct double_points *points,
                                            const struct equal_points *equal, double limit, struct cell_sides *sides)
{
    const doubles bound = doubles_set(limit), negative = doubles_set(-limit);
    const uint32_t corners = from->corners->cells[cell];
    struct double_plane planes[4];
    uint32_t on[4];
    for (int k = 0; k < 4; k++) {
        planes[k] = cell_plane(cells, k, cell);
        on[k] = equal->of_b[cluster_corner(corners, k)];
        sides->inner[k] = 0;
    }
    /* A corner lies on the planes of the other three. */
    sides->not_inner[0] = on[1] | on[2] | on[3];
    sides->not_inner[1] = on[0] | on[2] | on[3];
    sides->not_inner[2] = on[0] | on[1] | on[3];
    sides->not_inner[3] = on[0] | on[1] | on[2];
    for (int i = 0; i < (int)points->count; i += DOUBLES) {
        struct doubles3 x =
            doubles3_load(&points->local[0][i], &points->local[1][i], &points->local[2][i]);
        for (int k = 0; k < 4; k++) {
            doubles side = side_of(planes[k], x);
            sides->inner[k] |= less_double_bits(bound, side) << i;
            sides->not_inner[k] |= less_double_bits(side, negative) << i;
        }
    }
}

/* ---- vertices -------------------------------------------------------------------------------- */

/* Vertices in the box of the cell, except where it has corners that are excluded. */
static inline uint32_t vertices_near_cell(const struct leaf_cells *cells, uint32_t cell,
                                          const struct double_vertices *vertices, const uint32_t *excluded)
{
    const struct cluster_box box = {{cells->lo[0][cell], cells->lo[1][cell], cells->lo[2][cell]},
                                    {cells->hi[0][cell], cells->hi[1][cell], cells->hi[2][cell]}};
    const struct spread_box spread = spread_box_of(&box);
    const words corners = words_set(cells->corners->cell_vertices[cell]);
    uint32_t near = 0;
    for (int i = 0; i < (int)vertices->points.count; i += FLOATS) {
        struct floats3 x = floats3_load(&vertices->x[0][i], &vertices->x[1][i], &vertices->x[2][i]);
        floats_mask met = boxes_meet(x, x, &spread);
        uint32_t found = floats_mask_bits(words_disjoint_within(met, words_load(&excluded[i]), corners));
        near |= (found & lanes_in_use(vertices->points.count, (uint32_t)i)) << i;
    }
    return near;
}

/* Vertices of side b that are a point of side a. */
static inline void find_shared_points(const struct leaf_cells *cells, const struct double_points *points,
                                      uint32_t *shared)
{
    for (uint32_t i = 0; i < points->count; i++) {
        shared[i] = points->may_share ? shared_vertices(cells->identities, points->identity[i]) : 0;
    }
}

static inline struct cluster_box bound_vertices(const struct double_vertices *vertices)
{
    struct floats3 lo = {floats_set(4), floats_set(4), floats_set(4)}, hi = {-lo.x, -lo.y, -lo.z};
    struct cluster_box box;
    for (int i = 0; i < (int)vertices->points.count; i += FLOATS) {
        struct floats3 x = floats3_load(&vertices->x[0][i], &vertices->x[1][i], &vertices->x[2][i]);
        floats_mask used = floats_mask_of_bits(lanes_in_use(vertices->points.count, (uint32_t)i));
        lo = floats3_least(lo, floats3_choose(used, x, lo));
        hi = floats3_most(hi, floats3_choose(used, x, hi));
    }
    floats3_bounds(lo, hi, box.lo, box.hi);
    return box;
}

/* Some points against a cell, in lanes. */
struct points_in_cell {
    uint32_t may, must; /* inside */
};

static inline struct points_in_cell judge_points(const struct double_plane planes[4], struct doubles3 x, doubles bound,
                                                 doubles negative)
{
    doubles sides[4] = {side_of(planes[0], x), side_of(planes[1], x), side_of(planes[2], x), side_of(planes[3], x)};
    doubles_mask out = doubles_mask_or(doubles_less(sides[0], negative), doubles_less(sides[1], negative));
    out = doubles_mask_or(out, doubles_mask_or(doubles_less(sides[2], negative), doubles_less(sides[3], negative)));
    doubles_mask in = doubles_mask_and(doubles_less(bound, sides[0]), doubles_less(bound, sides[1]));
    in = doubles_mask_and(in, doubles_mask_and(doubles_less(bound, sides[2]), doubles_less(bound, sides[3])));
    return (struct points_in_cell){doubles_mask_bits(doubles_mask_not(out)), doubles_mask_bits(in)};
}

/* Vertices near a cell, few of those that wait, brought together: everything not certainly outside comes out. */
static inline uint32_t compare_near_vertices(const struct double_cells *cells, uint32_t cell,
                                             const struct double_vertices *vertices, uint32_t near, double limit,
                                             struct leaf_hit *hits, uint32_t count)
{
    const doubles bound = doubles_set(limit), negative = doubles_set(-limit);
    const struct double_plane planes[4] = {cell_plane(cells, 0, cell), cell_plane(cells, 1, cell),
                                           cell_plane(cells, 2, cell), cell_plane(cells, 3, cell)};
    uint32_t list[CLUSTER_VERTICES + 32], listed = words_of_bits(list, 0, near);
    for (uint32_t i = 0; i < listed; i += DOUBLES) {
        struct doubles3 x = pick_points(vertices->points.local, doubles_index_of_byte(&list[i], 0));
        struct points_in_cell found = judge_points(planes, x, bound, negative);
        uint32_t left = listed - i >= DOUBLES ? found.may : found.may & ((1u << (listed - i)) - 1);
        for (; left; left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left), from = list[i + lane];
            count = put_hit(hits, count, vertices->cluster[from], vertices->vertex[from], cell, found.must >> lane & 1);
        }
    }
    return count;
}

/* All vertices that wait against all cells. */
static uint32_t compare_double_vertices(struct leaf_cells *from, struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    const struct double_vertices *vertices = &leaf->vertices;
    const struct double_cells *cells = &leaf->cells;
    const double bound = common_bound(cells, &vertices->points);
    const struct cluster_box around = bound_vertices(vertices);
    struct equal_points equal;
    _Alignas(64) uint32_t excluded[CLUSTER_VERTICES + 16]; /* vertices of side b that the vertices share or equal */
    uint32_t count = 0;
    find_shared_points(from, &vertices->points, excluded);
    find_equal_points(cells, &vertices->points, from->interior_only, &equal);
    for (uint32_t i = 0; i < vertices->points.count; i++) {
        excluded[i] |= equal.of_a[i]; /* a corner of a cell is not inside */
    }
    for (uint64_t left = cells_near(from, &around); left; left &= left - 1) {
        uint32_t cell = (uint32_t)__builtin_ctzll(left);
        uint32_t near = vertices_near_cell(from, cell, vertices, excluded);
        if (near) {
            count = compare_near_vertices(cells, cell, vertices, near, bound, hits, count);
        }
    }
    return count;
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

static uint32_t vertex_flush_doubles(struct leaf_cells *cells, struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    uint32_t count = 0;
    if (leaf->vertices.points.count > 0) {
        prepare_double_cells(cells, &leaf->cells);
        count = compare_double_vertices(cells, leaf, hits);
    }
    leaf->vertices.points.count = 0;
    leaf->vertices.points.may_share = false;
    return count;
}

/* Vertices asked about that lie in the box of side b and are not in its cluster. */
static inline uint32_t vertices_in_box(const struct leaf_cells *cells, const struct leaf_features *features)
{
    const struct spread_box box = spread_box_of(&cells->box);
    uint32_t set = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i += FLOATS) {
        struct floats3 x = points_at(features->points, i);
        set |= floats_mask_bits(boxes_meet(x, x, &box)) << i;
    }
    set &= features->lanes;
    for (uint32_t left = features->same_body ? set : 0; left; left &= left - 1) {
        uint32_t vertex = (uint32_t)__builtin_ctz(left);
        set &= ~((uint32_t)has_vertex(cells->cluster, features->cluster->vertices[vertex]) << vertex);
    }
    return set;
}

static uint32_t vertex_leaf_doubles(struct leaf_cells *cells, const struct leaf_features *features,
                                    struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    struct double_vertices *vertices = &leaf->vertices;
    uint32_t set = vertices_in_box(cells, features), count = 0;
    if (!set) {
        return 0;
    }
    if (!leaf->cells.has_points) {
        load_double_cells(cells, &leaf->cells);
    }
    if (vertices->points.count + (uint32_t)__builtin_popcount(set) > CLUSTER_VERTICES) {
        count = vertex_flush_doubles(cells, leaf, hits);
    }
    uint32_t slot = vertices->points.count;
    append_points(&leaf->cells, features, set, &vertices->points);
    for (; set; set &= set - 1, slot++) {
        uint32_t vertex = (uint32_t)__builtin_ctz(set);
        for (int axis = 0; axis < 3; axis++) {
            vertices->x[axis][slot] = features->points->x[axis][vertex];
        }
        vertices->cluster[slot] = features->number;
        vertices->vertex[slot] = vertex;
    }
    return count;
}

/* ---- faces ----------------------------------------------------------------------------------- */

/* Planes and edges of the faces that wait, and where the vertices of side b lie. */
struct face_sides {
    _Alignas(64) double plane[4][CLUSTER_FACES + 8];
    double edges[3][6][CLUSTER_FACES + 8];       /* e and m of the edge from corner k to the next */
    uint32_t not_above[CLUSTER_FACES + 16], not_below[CLUSTER_FACES + 16]; /* possibly on the other side */
    uint32_t above[CLUSTER_FACES + 16], below[CLUSTER_FACES + 16];         /* certainly, strictly */
    uint32_t on[CLUSTER_FACES + 16];                                       /* certainly: equal to a corner */
    uint32_t shared[CLUSTER_FACES + 16]; /* vertices of side b that are corners of the face */
};

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
        doubles side =
            side_of(plane, doubles3_load(&cells->local[0][i], &cells->local[1][i], &cells->local[2][i]));
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
        hi = floats3_most(
            hi, floats3_choose(used, floats3_load(&faces->hi[0][i], &faces->hi[1][i], &faces->hi[2][i]), hi));
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
            enum meeting meeting =
                cut_versus_face(&edges, faces, &sides, &equal, f, bound, found.provable >> f & 1);
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
