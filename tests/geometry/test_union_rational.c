/* Points, segments and triangles against unions of tetrahedra, on lattices, against an enumeration of cells in
 * integers.
 *
 * The reference looks at one generic point in every cell into which the planes of all faces cut the point's,
 * segment's or triangle's own set, and decides whether that point is interior by looking in every direction: one
 * direction for every cell into which the planes through the point cut the sphere of directions. Whether closed sets
 * meet at all is asked of the exact linear program. The library sees the case with axes scaled, permuted and
 * mirrored.
 */
#include "support/cmocka_includes.h"

#include "geometry/integer_points.h"
#include "geometry/point_cases.h"
#include "geometry/simplex_oracle.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/union_predicates.h"

__extension__ typedef __int128 int128;

typedef struct vec {
    int64_t c[3];
} vec;

static vec subtract(vec a, vec b)
{
    return (vec){{a.c[0] - b.c[0], a.c[1] - b.c[1], a.c[2] - b.c[2]}};
}

static vec add(vec a, vec b)
{
    return (vec){{a.c[0] + b.c[0], a.c[1] + b.c[1], a.c[2] + b.c[2]}};
}

static vec times(vec a, int64_t s)
{
    return (vec){{a.c[0] * s, a.c[1] * s, a.c[2] * s}};
}

static vec cross(vec a, vec b)
{
    return (vec){
        {a.c[1] * b.c[2] - a.c[2] * b.c[1], a.c[2] * b.c[0] - a.c[0] * b.c[2], a.c[0] * b.c[1] - a.c[1] * b.c[0]}};
}

static int64_t dot(vec a, vec b)
{
    return a.c[0] * b.c[0] + a.c[1] * b.c[1] + a.c[2] * b.c[2];
}

static bool is_zero(vec a)
{
    return a.c[0] == 0 && a.c[1] == 0 && a.c[2] == 0;
}

static int sign_of(int128 value)
{
    return (value > 0) - (value < 0);
}

/* ---- a union, and the linear function of each face that is positive inside ------------------------------------- */

enum { TETRAHEDRA_MAX = UNION_TETRAHEDRA_MAX };

struct lattice_union {
    int count;
    vec corner[TETRAHEDRA_MAX][4];
    bool proper[TETRAHEDRA_MAX];
    vec inner[TETRAHEDRA_MAX][4]; /* normal of the face opposite corner k, pointing in */
};

static void prepare(struct lattice_union *cells)
{
    for (int n = 0; n < cells->count; n++) {
        const vec *t = cells->corner[n];
        cells->proper[n] = dot(cross(subtract(t[1], t[0]), subtract(t[2], t[0])), subtract(t[3], t[0])) != 0;
        for (int k = 0; k < 4; k++) {
            vec on = t[(k + 1) % 4];
            vec normal = cross(subtract(t[(k + 2) % 4], on), subtract(t[(k + 3) % 4], on));
            cells->inner[n][k] = dot(normal, subtract(t[k], on)) > 0 ? normal : times(normal, -1);
        }
    }
}

static int64_t height(const struct lattice_union *cells, int n, int k, vec p)
{
    return dot(cells->inner[n][k], subtract(p, cells->corner[n][(k + 1) % 4]));
}

/* ---- do closed cones cover all directions? --------------------------------------------------------------------- */

struct cone {
    int count;
    vec inner[4];
};

/* Direction `ray`, moved a little along `side`: -1 outside some cone plane of every cone, 1 in an open cone, 0 on a
 * plane. */
static int direction_is_covered(const struct cone cones[], int count, vec ray, vec side)
{
    bool covered = false;
    for (int n = 0; n < count; n++) {
        bool inside = true;
        for (int k = 0; k < cones[n].count; k++) {
            int64_t where = dot(cones[n].inner[k], ray);
            where = where != 0 ? where : dot(cones[n].inner[k], side);
            if (where == 0) {
                return 0;
            }
            inside &= where > 0;
        }
        covered |= inside;
    }
    return covered ? 1 : -1;
}

/* With the coordinate planes added every cell of directions has a corner, where two planes cross; around a corner
 * the cells are the sectors between the planes through it. */
static bool cover_all_directions(const struct cone cones[], int count)
{
    vec normals[4 * TETRAHEDRA_MAX + 3] = {{{1, 0, 0}}, {{0, 1, 0}}, {{0, 0, 1}}};
    int normal_count = 3;
    for (int n = 0; n < count; n++) {
        for (int k = 0; k < cones[n].count; k++) {
            normals[normal_count++] = cones[n].inner[k];
        }
    }
    for (int i = 0; i < normal_count; i++) {
        for (int j = 0; j < normal_count; j++) {
            vec ray = cross(normals[i], normals[j]);
            if (is_zero(ray)) {
                continue;
            }
            vec tangents[2 * (4 * TETRAHEDRA_MAX + 3)];
            int tangent_count = 0;
            for (int k = 0; k < normal_count; k++) {
                if (dot(normals[k], ray) == 0) {
                    tangents[tangent_count++] = cross(normals[k], ray);
                    tangents[tangent_count++] = cross(ray, normals[k]);
                }
            }
            for (int a = 0; a < tangent_count; a++) {
                for (int b = a + 1; b < tangent_count; b++) {
                    if (direction_is_covered(cones, count, ray, add(tangents[a], tangents[b])) < 0) {
                        return false;
                    }
                }
            }
        }
    }
    return true;
}

/* The signs of all face functions at a point decide whether it is interior. */
struct face_signs {
    int at[TETRAHEDRA_MAX][4];
};

static bool signs_are_interior(const struct lattice_union *cells, const struct face_signs *signs)
{
    struct cone cones[TETRAHEDRA_MAX];
    int cone_count = 0;
    for (int n = 0; n < cells->count; n++) {
        struct cone cone = {0, {{{0}}}};
        bool inside = cells->proper[n];
        for (int k = 0; k < 4; k++) {
            inside &= signs->at[n][k] >= 0;
            if (signs->at[n][k] == 0) {
                cone.inner[cone.count++] = cells->inner[n][k];
            }
        }
        if (inside && cone.count == 0) {
            return true;
        }
        if (inside) {
            cones[cone_count++] = cone;
        }
    }
    return cone_count > 0 && cover_all_directions(cones, cone_count);
}

static bool point_is_interior(const struct lattice_union *cells, vec p)
{
    struct face_signs signs;
    for (int k = 0; k < 4 * cells->count; k++) {
        signs.at[k / 4][k % 4] = sign_of(height(cells, k / 4, k % 4, p));
    }
    return signs_are_interior(cells, &signs);
}

/* ---- segments: one point between each two neighbouring places where a plane is crossed ------------------------- */

struct fraction {
    int128 numerator, denominator; /* > 0 */
};

static int compare_fractions(const void *a, const void *b)
{
    const struct fraction *x = a, *y = b;
    return sign_of(x->numerator * y->denominator - y->numerator * x->denominator);
}

static struct fraction make_fraction(int128 numerator, int128 denominator)
{
    return denominator < 0 ? (struct fraction){-numerator, -denominator} : (struct fraction){numerator, denominator};
}

static struct fraction middle(struct fraction a, struct fraction b)
{
    return (struct fraction){a.numerator * b.denominator + b.numerator * a.denominator,
                             2 * a.denominator * b.denominator};
}

static bool segment_meets_interior(const struct lattice_union *cells, vec p, vec q)
{
    struct fraction places[4 * TETRAHEDRA_MAX + 2] = {{0, 1}, {1, 1}};
    int count = 2;
    for (int k = 0; k < 4 * cells->count; k++) {
        int64_t at_p = height(cells, k / 4, k % 4, p), at_q = height(cells, k / 4, k % 4, q);
        struct fraction place = make_fraction(at_p, at_p - at_q);
        if (at_p != at_q && place.numerator > 0 && place.numerator < place.denominator) {
            places[count++] = place;
        }
    }
    qsort(places, (size_t)count, sizeof places[0], compare_fractions);
    for (int n = 0; n + 1 < count; n++) {
        struct fraction t = middle(places[n], places[n + 1]);
        if (compare_fractions(&places[n], &places[n + 1]) == 0) {
            continue;
        }
        struct face_signs signs;
        for (int k = 0; k < 4 * cells->count; k++) {
            int64_t at_p = height(cells, k / 4, k % 4, p), at_q = height(cells, k / 4, k % 4, q);
            signs.at[k / 4][k % 4] = sign_of(at_p * t.denominator + (at_q - at_p) * t.numerator);
        }
        if (signs_are_interior(cells, &signs)) {
            return true;
        }
    }
    return false;
}

/* ---- triangles: one point of each cell, found in slabs between the places where lines cross -------------------- */

/* constant + s * by_s + t * by_t on the triangle corner + s * edge + t * edge. */
struct line {
    int64_t constant, by_s, by_t;
};

enum { LINES_MAX = 4 * TETRAHEDRA_MAX + 3, CROSSINGS_MAX = LINES_MAX * LINES_MAX };

/* Where a line is at s: -(constant + by_s s) / by_t. */
static struct fraction line_at(struct line line, struct fraction s)
{
    return make_fraction(-(line.constant * s.denominator + line.by_s * s.numerator), line.by_t * s.denominator);
}

static bool slab_meets_interior(const struct lattice_union *cells, const struct line lines[], struct fraction s)
{
    int line_count = 4 * cells->count + 3;
    struct fraction roots[LINES_MAX];
    int root_count = 0;
    for (int k = 0; k < line_count; k++) {
        if (lines[k].by_t != 0) {
            roots[root_count++] = line_at(lines[k], s);
        }
    }
    qsort(roots, (size_t)root_count, sizeof roots[0], compare_fractions);
    const struct fraction lowest = {0, 1}, highest = {s.denominator - s.numerator, s.denominator};
    for (int n = 0; n + 1 < root_count; n++) {
        if (compare_fractions(&roots[n], &roots[n + 1]) == 0 || compare_fractions(&roots[n], &lowest) < 0 ||
            compare_fractions(&roots[n + 1], &highest) > 0) {
            continue;
        }
        struct face_signs signs;
        for (int k = 0; k < 4 * cells->count; k++) {
            int sign = sign_of(lines[k].constant * s.denominator + lines[k].by_s * s.numerator);
            if (lines[k].by_t != 0) {
                struct fraction root = line_at(lines[k], s);
                sign = sign_of(lines[k].by_t) * (compare_fractions(&root, &roots[n]) <= 0 ? 1 : -1);
            }
            signs.at[k / 4][k % 4] = sign;
        }
        if (signs_are_interior(cells, &signs)) {
            return true;
        }
    }
    return false;
}

static bool triangle_meets_interior(const struct lattice_union *cells, const vec triangle[3])
{
    struct line lines[LINES_MAX];
    int line_count = 4 * cells->count + 3;
    for (int k = 0; k < 4 * cells->count; k++) {
        int64_t at_0 = height(cells, k / 4, k % 4, triangle[0]);
        lines[k] = (struct line){at_0, height(cells, k / 4, k % 4, triangle[1]) - at_0,
                                 height(cells, k / 4, k % 4, triangle[2]) - at_0};
    }
    lines[line_count - 3] = (struct line){0, 1, 0};
    lines[line_count - 2] = (struct line){0, 0, 1};
    lines[line_count - 1] = (struct line){1, -1, -1};

    static struct fraction crossings[CROSSINGS_MAX];
    int count = 0;
    for (int i = 0; i < line_count; i++) {
        for (int j = i + 1; j < line_count; j++) {
            int128 denominator = (int128)lines[i].by_s * lines[j].by_t - (int128)lines[j].by_s * lines[i].by_t;
            int128 numerator = (int128)lines[i].by_t * lines[j].constant - (int128)lines[j].by_t * lines[i].constant;
            if (denominator == 0) {
                continue;
            }
            struct fraction s = make_fraction(numerator, denominator);
            if (s.numerator >= 0 && s.numerator <= s.denominator) {
                crossings[count++] = s;
            }
        }
    }
    qsort(crossings, (size_t)count, sizeof crossings[0], compare_fractions);
    for (int n = 0; n + 1 < count; n++) {
        if (compare_fractions(&crossings[n], &crossings[n + 1]) != 0 &&
            slab_meets_interior(cells, lines, middle(crossings[n], crossings[n + 1]))) {
            return true;
        }
    }
    return false;
}

static bool hull_meets_interior(const struct lattice_union *cells, const vec triangle[3])
{
    if (!is_zero(cross(subtract(triangle[1], triangle[0]), subtract(triangle[2], triangle[0])))) {
        return triangle_meets_interior(cells, triangle);
    }
    return segment_meets_interior(cells, triangle[0], triangle[1]) ||
           segment_meets_interior(cells, triangle[1], triangle[2]) || point_is_interior(cells, triangle[0]) ||
           point_is_interior(cells, triangle[1]) || point_is_interior(cells, triangle[2]);
}

/* ---- closed sets: the linear program --------------------------------------------------------------------------- */

static struct simplex oracle;
static mpz_t points_of_hull[3][3], points_of_cell[4][3];

static void initialise_integers(void)
{
    simplex_initialise(&oracle);
    for (int k = 0; k < 12; k++) {
        if (k < 9) {
            mpz_init(points_of_hull[k / 3][k % 3]);
        }
        mpz_init(points_of_cell[k / 3][k % 3]);
    }
}

static bool hull_meets_union(const struct lattice_union *cells, const vec hull[], int count)
{
    for (int n = 0; n < cells->count; n++) {
        mpz_t(*a[3])[3], (*b[4])[3];
        for (int k = 0; k < 4; k++) {
            b[k] = &points_of_cell[k];
            for (int axis = 0; axis < 3; axis++) {
                mpz_set_si(points_of_cell[k][axis], cells->corner[n][k].c[axis]);
                if (k < count) {
                    mpz_set_si(points_of_hull[k][axis], hull[k].c[axis]);
                }
            }
        }
        for (int k = 0; k < count; k++) {
            a[k] = &points_of_hull[k];
        }
        if (hulls_meeting(&oracle, a, count, false, b, 4, false) != HULLS_APART) {
            return true;
        }
    }
    return false;
}

/* ---- cases ----------------------------------------------------------------------------------------------------- */

enum { LATTICE_STEP = 6 }; /* so that means of two and of three corners are lattice points */

static vec random_lattice_point(dent_random *random, int range)
{
    vec p;
    for (int axis = 0; axis < 3; axis++) {
        p.c[axis] = LATTICE_STEP * random_between(random, 0, range);
    }
    return p;
}

static void set_cells(struct lattice_union *cells, const vec corners[], const int (*tetrahedra)[4], int count)
{
    cells->count = count;
    for (int k = 0; k < 4 * count; k++) {
        cells->corner[k / 4][k % 4] = corners[tetrahedra[k / 4][k % 4]];
    }
}

static void make_union(dent_random *random, struct lattice_union *cells)
{
    static const int six[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
    static const int five[5][4] = {{0, 1, 2, 4}, {3, 1, 2, 7}, {5, 1, 4, 7}, {6, 2, 4, 7}, {1, 2, 4, 7}};
    static const int wedge[3][4] = {{0, 1, 2, 3}, {1, 2, 3, 4}, {2, 3, 4, 5}};
    static const int pyramid[2][4] = {{0, 1, 2, 4}, {1, 2, 3, 4}};
    static const int around_edge[4][4] = {{0, 1, 2, 3}, {0, 1, 3, 4}, {0, 1, 4, 5}, {0, 1, 5, 2}};
    static const int around_corner[4][4] = {{0, 1, 2, 3}, {0, 1, 2, 4}, {0, 1, 3, 4}, {0, 2, 3, 4}};
    vec corners[8];
    int range = random_between(random, 1, 2), kind = random_between(random, 0, 7);
    for (int k = 0; k < 8; k++) {
        corners[k] = random_lattice_point(random, range);
        if (kind < 2 && random_between(random, 0, 7) != 0) { /* mostly a box */
            corners[k] = (vec){{LATTICE_STEP * (k & 1), LATTICE_STEP * (k >> 1 & 1), LATTICE_STEP * (k >> 2)}};
        }
    }
    switch (kind) {
    case 0:
        set_cells(cells, corners, six, 6);
        break;
    case 1:
        set_cells(cells, corners, five, 5);
        break;
    case 2:
        set_cells(cells, corners, wedge, 3);
        break;
    case 3:
        set_cells(cells, corners, pyramid, 2);
        break;
    case 4:
        set_cells(cells, corners, around_edge, 4);
        break;
    case 5:
        set_cells(cells, corners, around_corner, 4);
        break;
    default:
        cells->count = random_between(random, 1, 4);
        for (int k = 0; k < 4 * cells->count; k++) {
            cells->corner[k / 4][k % 4] =
                kind == 6 ? random_lattice_point(random, range) : corners[random_between(random, 0, 4)];
        }
        break;
    }
    prepare(cells);
}

/* A corner, the middle of two or three corners, or anything. */
static vec random_point_near(dent_random *random, const struct lattice_union *cells)
{
    const vec *t = cells->corner[random_between(random, 0, cells->count - 1)];
    const vec *u = cells->corner[random_between(random, 0, cells->count - 1)];
    vec a = t[random_between(random, 0, 3)], b = t[random_between(random, 0, 3)], c = u[random_between(random, 0, 3)];
    switch (random_between(random, 0, 4)) {
    case 0:
        return a;
    case 1:
        b = c; /* fall through */
    case 2:
        return (vec){{(a.c[0] + b.c[0]) / 2, (a.c[1] + b.c[1]) / 2, (a.c[2] + b.c[2]) / 2}};
    case 3:
        return (vec){{(a.c[0] + b.c[0] + c.c[0]) / 3, (a.c[1] + b.c[1] + c.c[1]) / 3, (a.c[2] + b.c[2] + c.c[2]) / 3}};
    default:
        return (vec){{random_between(random, 0, 12), random_between(random, 0, 12), random_between(random, 0, 12)}};
    }
}

/* What the library is shown. */
struct seen_case {
    double cell[TETRAHEDRA_MAX][4][3], hull[3][3];
    const double *cells[TETRAHEDRA_MAX][4], *hull_points[3];
};

static void show(dent_random *random, const struct lattice_union *cells, const vec hull[], int count,
                 struct seen_case *seen)
{
    double scale[3];
    random_axis_scales(random, scale);
    int first_axis = random_between(random, 0, 2), step = random_between(random, 1, 2);
    for (int axis = 0; axis < 3; axis++) {
        int source = (first_axis + axis * step) % 3;
        scale[axis] = dent_random_bits(random) & 1 ? scale[axis] : -scale[axis];
        for (int k = 0; k < 4 * cells->count; k++) {
            seen->cell[k / 4][k % 4][axis] = scale[axis] * (double)cells->corner[k / 4][k % 4].c[source];
        }
        for (int k = 0; k < count; k++) {
            seen->hull[k][axis] = scale[axis] * (double)hull[k].c[source];
        }
    }
    for (int n = 0; n < cells->count; n++) {
        int rotation = random_between(random, 0, 3);
        for (int k = 0; k < 4; k++) {
            seen->cells[n][k] = seen->cell[n][(k + rotation) % 4];
        }
    }
    for (int k = 0; k < 3; k++) {
        seen->hull_points[k] = seen->hull[k];
    }
}

static void check_answer(const struct lattice_union *cells, const vec hull[], int count, int expected, int found)
{
    if (expected == found) {
        return;
    }
    print_message("expected %d, found %d for\n", expected, found);
    for (int k = 0; k < count; k++) {
        print_message("  hull %d %d %d\n", (int)hull[k].c[0], (int)hull[k].c[1], (int)hull[k].c[2]);
    }
    for (int k = 0; k < 4 * cells->count; k++) {
        const int64_t *c = cells->corner[k / 4][k % 4].c;
        print_message("  cell %d: %d %d %d\n", k / 4, (int)c[0], (int)c[1], (int)c[2]);
    }
    fail();
}

static const char *const relation_names[3] = {"outside", "boundary", "interior"};

static void print_counts(const char *name, const uint64_t counts[3], uint64_t only_by_cover)
{
    print_message("%-24s", name);
    for (int k = 0; k < 3; k++) {
        print_message(" %s %llu", relation_names[k], (unsigned long long)counts[k]);
        assert_true(counts[k] >= required_count());
    }
    print_message(", interior but in no open tetrahedron %llu\n", (unsigned long long)only_by_cover);
    assert_true(only_by_cover >= required_count());
}

static bool hull_meets_open_tetrahedron(const struct seen_case *seen, int count)
{
    predicate_counters counters = {0};
    for (int n = 0; n < count; n++) {
        if (triangle_meets_open_tetrahedron(seen->hull_points, seen->cells[n], &counters)) {
            return true;
        }
    }
    return false;
}

static void point_against_union_is_exact(void **state)
{
    (void)state;
    uint64_t counts[3] = {0}, only_by_cover = 0;
    dent_random random = dent_random_seeded(201);
    for (int n = case_count(20000); n > 0; n--) {
        struct lattice_union cells;
        struct seen_case seen;
        make_union(&random, &cells);
        vec p = random_point_near(&random, &cells), hull[3] = {p, p, p};
        show(&random, &cells, hull, 3, &seen);
        predicate_counters counters = {0};
        int expected = point_is_interior(&cells, p) ? 2 : hull_meets_union(&cells, &p, 1) ? 1 : 0;
        check_answer(&cells, &p, 1, expected,
                     point_versus_tetrahedra_union(seen.hull[0], seen.cells, cells.count, &counters));
        counts[expected]++;
        only_by_cover += expected == 2 && !hull_meets_open_tetrahedron(&seen, cells.count);
    }
    print_counts("point union:", counts, only_by_cover);
}

/* Corners 0..count-1 are different points, the rest repeats them: points, segments, triangles. */
static void hull_against_union_is_exact(const char *name, uint64_t seed, int distinct, int cases)
{
    uint64_t counts[3] = {0}, only_by_cover = 0;
    dent_random random = dent_random_seeded(seed);
    for (int n = case_count(cases); n > 0; n--) {
        struct lattice_union cells;
        struct seen_case seen;
        vec hull[3];
        make_union(&random, &cells);
        for (int k = 0; k < 3; k++) {
            hull[k] =
                k < distinct ? random_point_near(&random, &cells) : hull[random_between(&random, 0, distinct - 1)];
        }
        if (distinct == 3 && dent_random_bits(&random) & 1) { /* in the plane of a face */
            const vec *t = cells.corner[random_between(&random, 0, cells.count - 1)];
            vec across = subtract(t[1], t[0]), along = subtract(t[2], t[0]);
            for (int k = 0; k < 3; k++) {
                hull[k] = add(t[0], times(across, random_between(&random, -1, 1)));
                hull[k] = add(hull[k], times(along, random_between(&random, -1, 1)));
            }
        }
        show(&random, &cells, hull, 3, &seen);
        predicate_counters counters = {0};
        int expected = hull_meets_interior(&cells, hull) ? 2 : hull_meets_union(&cells, hull, 3) ? 1 : 0;
        check_answer(&cells, hull, 3, expected,
                     triangle_versus_tetrahedra_union(seen.hull_points, seen.cells, cells.count, &counters));
        counts[expected]++;
        only_by_cover += expected == 2 && !hull_meets_open_tetrahedron(&seen, cells.count);
    }
    print_counts(name, counts, only_by_cover);
}

static void segment_against_union_is_exact(void **state)
{
    (void)state;
    hull_against_union_is_exact("segment union:", 202, 2, 20000);
}

static void triangle_against_union_is_exact(void **state)
{
    (void)state;
    hull_against_union_is_exact("triangle union:", 203, 3, 20000);
}

int main(void)
{
    initialise_integers();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(point_against_union_is_exact),
        cmocka_unit_test(segment_against_union_is_exact),
        cmocka_unit_test(triangle_against_union_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
