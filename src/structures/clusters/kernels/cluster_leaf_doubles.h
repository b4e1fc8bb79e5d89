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

static inline void load_double_corners(const struct leaf_cells *from, struct double_cells *cells)
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
    cells->has_x = true;
}

static void load_double_cells(const struct leaf_cells *from, struct double_cells *cells)
{
    load_double_corners(from, cells);
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

/* Vertices and cells are few and go in pairs, a pair a lane. With a corner a of the cell, b, c, d, q differences of the
 * other corners and of the point to it, X, Y, Z the largest computed |differences| of the pair along each axis (true ones
 * are larger by u at most), in units of u XYZ: a side is a determinant of differences. Six products of three numbers with
 * an error u each: 18. A component of a cross product, two products and a difference: 4 u YZ, times X, three times: 12.
 * Products of at most 2 XYZ and sums of at most 4 and 6: 16. Together 46. The fourth side is V - s0 - (s1 + s2): four
 * times that, and sums of at most 12, 12 and 24: 232. All are compared with 272; floor and largest as above. */
#define PAIR_SIDES (272.0 * 0x1p-53)

static inline doubles largest_of(doubles a, doubles b, doubles c, doubles d)
{
    return doubles_most(doubles_most(doubles_absolute(a), doubles_absolute(b)),
                        doubles_most(doubles_absolute(c), doubles_absolute(d)));
}

static inline doubles pair_bound(struct doubles3 b, struct doubles3 c, struct doubles3 d, struct doubles3 q)
{
    const doubles largest = doubles_set(DOUBLE_LARGEST);
    doubles x = largest_of(b.x, c.x, d.x, q.x), y = largest_of(b.y, c.y, d.y, q.y), z = largest_of(b.z, c.z, d.z, q.z);
    doubles_mask small = doubles_mask_and(doubles_less(x, largest), doubles_less(y, largest));
    small = doubles_mask_and(small, doubles_less(z, largest));
    return doubles_choose(small, x * y * z * doubles_set(PAIR_SIDES) + doubles_set(DOUBLE_FLOOR), doubles_set(INFINITY));
}

static inline doubles dot_of(struct doubles3 a, struct doubles3 b)
{
    return doubles_multiply_add(a.x, b.x, doubles_multiply_add(a.y, b.y, a.z * b.z));
}

static inline struct doubles3 pick_corner_double(const struct double_cells *cells, const uint32_t *corners, int k)
{
    doubles_index index = doubles_index_of_byte(corners, k);
    return (struct doubles3){doubles_pick32(cells->x[0], index), doubles_pick32(cells->x[1], index),
                             doubles_pick32(cells->x[2], index)};
}

/* Pairs of the queue, in lanes: what may be inside and what must be. Nothing is told from a side that is NaN. */
struct pairs_inside {
    uint32_t may, must;
};

static inline struct pairs_inside judge_double_pairs(const struct double_cells *cells,
                                                     const struct double_vertices *vertices, uint32_t first)
{
    const uint32_t *corners = &vertices->corners[first];
    struct doubles3 a = pick_corner_double(cells, corners, 0);
    struct doubles3 b = doubles3_subtract(pick_corner_double(cells, corners, 1), a);
    struct doubles3 c = doubles3_subtract(pick_corner_double(cells, corners, 2), a);
    struct doubles3 d = doubles3_subtract(pick_corner_double(cells, corners, 3), a);
    struct doubles3 p =
        doubles3_load(&vertices->points[0][first], &vertices->points[1][first], &vertices->points[2][first]);
    struct doubles3 q = doubles3_subtract(p, a), normal = cross_of(c, d);
    doubles s0 = dot_of(q, normal), s1 = dot_of(q, cross_of(d, b)), s2 = dot_of(q, cross_of(b, c));
    doubles s3 = dot_of(b, normal) - s0 - (s1 + s2);
    const doubles bound = pair_bound(b, c, d, q), negative = -bound;
    doubles_mask above[4] = {doubles_less(bound, s0), doubles_less(bound, s1), doubles_less(bound, s2),
                             doubles_less(bound, s3)};
    doubles_mask below[4] = {doubles_less(s0, negative), doubles_less(s1, negative), doubles_less(s2, negative),
                             doubles_less(s3, negative)};
    doubles_mask all_above = above[0], all_below = below[0], any_above = above[0], any_below = below[0];
    for (int k = 1; k < 4; k++) {
        all_above = doubles_mask_and(all_above, above[k]);
        all_below = doubles_mask_and(all_below, below[k]);
        any_above = doubles_mask_or(any_above, above[k]);
        any_below = doubles_mask_or(any_below, below[k]);
    }
    return (struct pairs_inside){doubles_mask_bits(doubles_mask_not(doubles_mask_and(any_above, any_below))),
                                 doubles_mask_bits(doubles_mask_or(all_above, all_below))};
}

/* The pairs in the queue: everything not certainly outside comes out. */
static uint32_t judge_double_vertices(struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    struct double_vertices *vertices = &leaf->vertices;
    uint32_t count = 0;
    for (uint32_t first = 0; first < vertices->count; first += DOUBLES) {
        const struct pairs_inside found = judge_double_pairs(&leaf->cells, vertices, first);
        for (uint32_t left = found.may & doubles_mask_bits(doubles_mask_first(vertices->count - first)); left;
             left &= left - 1) {
            uint32_t lane = (uint32_t)__builtin_ctz(left);
            hits[count] = vertices->pairs[first + lane];
            hits[count++].certain = found.must >> lane & 1;
        }
    }
    vertices->count = 0;
    return count;
}

static inline const double *waiting_row(const struct double_vertices *vertices, uint32_t slot)
{
    const struct vertex_source *source = &vertices->sources[vertices->source[slot]];
    return source->xyz[source->vertices[vertices->waiting.vertex[slot]]];
}

/* Vertices of side b that equal a point which waits. Equal doubles are equal floats, so few are looked at. */
static inline uint32_t equal_corners(const struct leaf_cells *from, const struct double_cells *cells,
                                     const struct double_vertices *vertices, uint32_t slot)
{
    const floats x = floats_set(vertices->waiting.x[0][slot]), y = floats_set(vertices->waiting.x[1][slot]),
                 z = floats_set(vertices->waiting.x[2][slot]);
    uint32_t alike = 0, equal = 0;
    for (int i = 0; i < CLUSTER_VERTICES; i += FLOATS) {
        struct floats3 own = points_at(from->points, i);
        floats_mask same = floats_mask_and(floats_equal(own.x, x), floats_equal(own.y, y));
        alike |= floats_mask_bits(floats_mask_and(same, floats_equal(own.z, z))) << i;
    }
    alike &= UINT32_MAX >> (CLUSTER_VERTICES - from->cluster->vertex_count);
    for (; alike; alike &= alike - 1) {
        uint32_t k = (uint32_t)__builtin_ctz(alike);
        const double *p = waiting_row(vertices, slot);
        equal |= (uint32_t)((p[0] == cells->x[0][k]) & (p[1] == cells->x[1][k]) & (p[2] == cells->x[2][k])) << k;
    }
    return equal;
}

/* Boxes and sharing for all vertices that wait, as in box_vertices; corners that equal a point keep it from being
 * inside. */
static inline uint32_t box_double_vertices(const struct leaf_cells *from, const struct double_cells *cells,
                                           const struct double_vertices *vertices, uint32_t *list)
{
    const struct waiting_points *waiting = &vertices->waiting;
    const int end = cells_end(from->cluster);
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < waiting->count; slot++) {
        uint32_t shared = waiting->may_share ? shared_vertices(from->identities, waiting->identity[slot]) : 0;
        shared |= from->interior_only ? equal_corners(from, cells, vertices, slot) : 0;
        struct floats3 p = {floats_set(waiting->x[0][slot]), floats_set(waiting->x[1][slot]),
                            floats_set(waiting->x[2][slot])};
        const struct spread_box box = {p, p};
        for (int i = 0; i < end; i += FLOATS) {
            uint32_t found = cells_meet_box(from, i, &box, shared);
            list[count] = boxed(slot, i, found);
            count += found != 0;
        }
    }
    return count;
}

/* All vertices that wait come into the queue with the cells whose boxes hold them. */
static uint32_t compare_double_vertices(struct leaf_cells *from, struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    struct double_vertices *vertices = &leaf->vertices;
    uint32_t list[LEAF_POINTS * (CLUSTER_CELLS / FLOATS) + 1];
    uint32_t count = 0;
    if (!from->has_boxes) {
        compute_cell_boxes(from);
    }
    if (!leaf->cells.has_x) {
        load_double_corners(from, &leaf->cells);
    }
    uint32_t listed = box_double_vertices(from, &leaf->cells, vertices, list);
    for (uint32_t k = 0; k < listed; k++) {
        uint32_t slot = boxed_slot(list[k]);
        const double *row = waiting_row(vertices, slot);
        if (vertices->count > LEAF_QUEUE - FLOATS) {
            count += judge_double_vertices(leaf, hits + count);
        }
        for (uint32_t found = boxed_cells(list[k]); found; found &= found - 1) {
            uint32_t cell = boxed_group(list[k]) + (uint32_t)__builtin_ctz(found), place = vertices->count++;
            for (int axis = 0; axis < 3; axis++) {
                vertices->points[axis][place] = row[axis];
            }
            vertices->corners[place] = from->corners->cells[cell];
            vertices->pairs[place] = (struct leaf_hit){vertices->waiting.cluster[slot],
                                                       (uint8_t)vertices->waiting.vertex[slot], (uint8_t)cell, 0};
        }
    }
    vertices->waiting.count = vertices->source_count = 0;
    return count;
}

static uint32_t vertex_flush_doubles(struct leaf_cells *cells, struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    uint32_t count = leaf->vertices.waiting.count > 0 ? compare_double_vertices(cells, leaf, hits) : 0;
    return count + judge_double_vertices(leaf, hits + count);
}

static uint32_t vertex_leaf_doubles(struct leaf_cells *cells, const struct leaf_features *features,
                                    struct leaf_doubles *leaf, struct leaf_hit *hits)
{
    struct double_vertices *vertices = &leaf->vertices;
    uint32_t count = 0;
    if (vertices->waiting.count > LEAF_POINTS - CLUSTER_VERTICES) {
        count = compare_double_vertices(cells, leaf, hits);
    }
    const uint32_t first = vertices->waiting.count;
    wait_in_box(cells, features, &vertices->waiting);
    vertices->sources[vertices->source_count] = (struct vertex_source){features->xyz, features->cluster->vertices};
    for (uint32_t i = first; i < vertices->waiting.count; i += FLOATS) {
        words_store_any(&vertices->source[i], words_set(vertices->source_count));
    }
    for (uint32_t i = first; i < vertices->waiting.count; i++) { /* they lie anywhere in memory */
        __builtin_prefetch(features->xyz[features->cluster->vertices[vertices->waiting.vertex[i]]]);
    }
    vertices->source_count += vertices->waiting.count > first;
    return count;
}
