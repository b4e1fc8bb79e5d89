/* The leaves in doubles, for any number of lanes: points, planes of cells, and vertices; faces are in
 * cluster_leaf_double_faces.h. Included by cluster_kernels_<isa>.c behind cluster_leaf_faces.h.
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

/* Vertices of side b that equal a point of side a. */
static inline uint32_t equal_vertices(const struct double_cells *cells, const struct double_points *points, uint32_t i)
{
    uint32_t same = equal_coordinates(cells->x[0], points->x[0][i]);
    same = same ? same & equal_coordinates(cells->x[1], points->x[1][i]) : 0;
    return same ? same & equal_coordinates(cells->x[2], points->x[2][i]) : 0;
}

static inline void find_equal_points(const struct double_cells *cells, const struct double_points *points, bool wanted,
                                     struct equal_points *equal)
{
    memset(equal, 0, sizeof *equal);
    for (uint32_t i = 0; wanted && i < points->count; i++) {
        uint32_t same = equal_vertices(cells, points, i);
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
        struct doubles3 x = doubles3_load(&points->local[0][i], &points->local[1][i], &points->local[2][i]);
        for (int k = 0; k < 4; k++) {
            doubles side = side_of(planes[k], x);
            sides->inner[k] |= less_double_bits(bound, side) << i;
            sides->not_inner[k] |= less_double_bits(side, negative) << i;
        }
    }
}

/* ---- vertices -------------------------------------------------------------------------------- */

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

/* Vertices of side b that a point of side a shares, or equals where that keeps it from being inside. */
static inline void find_excluded_corners(const struct leaf_cells *from, const struct double_cells *cells,
                                         const struct double_points *points, uint32_t *excluded)
{
    for (uint32_t i = 0; i < points->count; i++) {
        excluded[i] = points->may_share ? shared_vertices(from->identities, points->identity[i]) : 0;
        excluded[i] |= from->interior_only ? equal_vertices(cells, points, i) : 0;
    }
}

/* Cells with the vertices in their boxes. Whether there are any cannot be foreseen, so nothing branches on it. */
static inline uint32_t box_double_vertices(const struct leaf_cells *from, const struct double_cells *cells,
                                           const struct double_vertices *vertices, struct boxed_cell *list)
{
    const struct cluster_box around = bound_vertices(vertices);
    _Alignas(64) uint32_t excluded[CLUSTER_VERTICES + 16];
    uint32_t count = 0;
    find_excluded_corners(from, cells, &vertices->points, excluded);
    for (uint64_t left = cells_near(from, &around); left; left &= left - 1) {
        uint32_t cell = (uint32_t)__builtin_ctzll(left), near = vertices_near_cell(from, cell, vertices, excluded);
        list[count] = (struct boxed_cell){near, cell};
        count += near != 0;
    }
    return count;
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

/* Vertices near a cell: what may be inside and what must be. */
static inline struct points_in_cell judge_vertices_near(const struct double_cells *cells, const struct boxed_cell *pair,
                                                        const struct double_vertices *vertices, double limit)
{
    const doubles bound = doubles_set(limit), negative = doubles_set(-limit);
    const struct double_plane planes[4] = {cell_plane(cells, 0, pair->cell), cell_plane(cells, 1, pair->cell),
                                           cell_plane(cells, 2, pair->cell), cell_plane(cells, 3, pair->cell)};
    const double(*local)[CLUSTER_VERTICES + 8] = vertices->points.local;
    struct points_in_cell all = {0, 0};
    for (uint32_t i = 0; i < vertices->points.count; i += DOUBLES) {
        if (pair->vertices >> i & ((1u << DOUBLES) - 1)) {
            struct doubles3 x = doubles3_load(&local[0][i], &local[1][i], &local[2][i]);
            struct points_in_cell found = judge_points(planes, x, bound, negative);
            all.may |= found.may << i;
            all.must |= found.must << i;
        }
    }
    all.may &= pair->vertices;
    return all;
}

/* All vertices that wait against all cells: everything not certainly outside comes out. */
static uint32_t compare_double_vertices(struct leaf_cells *from, struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    const struct double_vertices *vertices = &leaf->vertices;
    struct boxed_cell list[CLUSTER_CELLS + 1];
    uint32_t count = 0, listed = box_double_vertices(from, &leaf->cells, vertices, list);
    if (listed == 0) {
        return 0;
    }
    if (!leaf->cells.has_planes) {
        compute_cell_planes(from, &leaf->cells);
    }
    const double bound = common_bound(&leaf->cells, &vertices->points);
    for (uint32_t k = 0; k < listed; k++) {
        const struct points_in_cell found = judge_vertices_near(&leaf->cells, &list[k], vertices, bound);
        for (uint32_t left = found.may; left; left &= left - 1) {
            uint32_t i = (uint32_t)__builtin_ctz(left);
            count = put_hit(hits, count, vertices->cluster[i], vertices->vertex[i], list[k].cell, found.must >> i & 1);
        }
    }
    return count;
}

static uint32_t vertex_flush_doubles(struct leaf_cells *cells, struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    uint32_t count = 0;
    if (leaf->vertices.points.count > 0) {
        if (!cells->has_boxes) {
            compute_cell_boxes(cells);
        }
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
