/* Random small scenes for tests: 1 to a few hundred elements, of every kind that has ever hurt a collision detector. A
 * scene is a function of (kind, seed). Bodies own their arrays; add them to any number of worlds.
 */
#ifndef DENT_TESTS_RANDOM_SCENE_H
#define DENT_TESTS_RANDOM_SCENE_H

#include <dent/dent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct test_body {
    dent_body_kind kind;
    uint32_t vertex_count, element_count;
    double (*xyz)[3];
    double (*reference)[3]; /* null: none */
    uint32_t *corners;
    uint8_t *cell_kinds; /* null: tetrahedra or triangles */
};

enum { TEST_BODIES_MAX = 40 };

struct test_scene {
    uint32_t body_count;
    struct test_body bodies[TEST_BODIES_MAX];
    bool tie_equal_positions; /* tie vertices of different bodies at equal positions by same_as */
};

enum test_scene_kind {
    SCENE_SEPARATE,
    SCENE_DEEP,
    SCENE_NESTED,
    SCENE_SELF_FOLDED,
    SCENE_COINCIDENT,       /* lattice positions: shared faces, edges and vertices between bodies */
    SCENE_IDENTICAL_COPIES,
    SCENE_ONE_GIANT,
    SCENE_ALL_EQUAL,        /* every vertex at one point */
    SCENE_HUGE_NUMBERS,     /* 1e150 */
    SCENE_TINY_NUMBERS,     /* 1e-150 */
    SCENE_WIDE_EXPONENTS,   /* both in one scene */
    SCENE_NEGATIVE_CELLS,
    SCENE_FLAT_BODIES,
    SCENE_GRADED,
    SCENE_INVERTED_CELLS,
    SCENE_SPLIT_CELLS,      /* hexahedra, wedges, pyramids, on a lattice */
    SCENE_SPLIT_JITTERED,   /* the same, bent out of shape */
    SCENE_SURFACES,
    SCENE_SURFACES_LATTICE, /* coplanar overlaps, zero-area triangles */
    SCENE_MIXED,            /* solids and surfaces */
    SCENE_SOUP,             /* random indices: non-manifold, duplicates */
    SCENE_TIED,             /* bodies that share vertices by same_as */
    SCENE_BENT,             /* bars with a reference, bent by little up to more than a full turn */
    SCENE_KIND_COUNT
};

static inline const char *test_scene_kind_name(int kind)
{
    static const char *const names[SCENE_KIND_COUNT] = {
        "separate",     "deep",           "nested",         "self-folded",     "coincident",    "identical copies",
        "one giant",    "all equal",      "huge numbers",   "tiny numbers",    "wide exponents", "negative cells",
        "flat bodies",  "graded",         "inverted cells", "split cells",     "split jittered", "surfaces",
        "surfaces on a lattice", "solids and surfaces", "soup", "tied", "bent reference"};
    return names[kind];
}

static inline void *test_allocate(size_t count, size_t size)
{
    void *block = calloc(count ? count : 1, size);
    if (!block) {
        fprintf(stderr, "the test ran out of memory\n");
        abort();
    }
    return block;
}

static inline struct test_body *test_scene_new_body(struct test_scene *scene, dent_body_kind kind, uint32_t vertices,
                                                    uint32_t elements, uint32_t corners)
{
    struct test_body *body = &scene->bodies[scene->body_count++];
    *body = (struct test_body){.kind = kind, .vertex_count = vertices, .element_count = elements};
    body->xyz = test_allocate(vertices, sizeof *body->xyz);
    body->corners = test_allocate(corners, sizeof *body->corners);
    return body;
}

static inline void test_scene_free(struct test_scene *scene)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        free(scene->bodies[i].xyz);
        free(scene->bodies[i].reference);
        free(scene->bodies[i].corners);
        free(scene->bodies[i].cell_kinds);
    }
    scene->body_count = 0;
}

static inline uint32_t test_node(const uint32_t cubes[3], uint32_t x, uint32_t y, uint32_t z)
{
    return (z * (cubes[1] + 1) + y) * (cubes[0] + 1) + x;
}

static inline void test_cube_corners(const uint32_t cubes[3], uint32_t x, uint32_t y, uint32_t z, uint32_t corner[8])
{
    static const uint8_t offset[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                         {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
    for (int i = 0; i < 8; i++) {
        corner[i] = test_node(cubes, x + offset[i][0], y + offset[i][1], z + offset[i][2]);
    }
}

static inline void test_place_lattice(struct test_body *body, const uint32_t cubes[3])
{
    for (uint32_t z = 0; z <= cubes[2]; z++) {
        for (uint32_t y = 0; y <= cubes[1]; y++) {
            for (uint32_t x = 0; x <= cubes[0]; x++) {
                double *p = body->xyz[test_node(cubes, x, y, z)];
                p[0] = x;
                p[1] = y;
                p[2] = z;
            }
        }
    }
}

/* A block of cubes, five tetrahedra each with alternating parity, unit cubes at the origin. */
static inline struct test_body *test_add_block(struct test_scene *scene, uint32_t nx, uint32_t ny, uint32_t nz)
{
    static const uint8_t even[5][4] = {{0, 1, 3, 4}, {1, 2, 3, 6}, {1, 4, 5, 6}, {3, 4, 6, 7}, {1, 3, 4, 6}};
    static const uint8_t odd[5][4] = {{0, 1, 2, 5}, {0, 2, 3, 7}, {0, 4, 5, 7}, {2, 5, 6, 7}, {0, 2, 5, 7}};
    const uint32_t cubes[3] = {nx, ny, nz};
    uint32_t count = nx * ny * nz * 5;
    struct test_body *body =
        test_scene_new_body(scene, DENT_BODY_SOLID, (nx + 1) * (ny + 1) * (nz + 1), count, count * 4);
    uint32_t *next = body->corners;
    test_place_lattice(body, cubes);
    for (uint32_t z = 0; z < nz; z++) {
        for (uint32_t y = 0; y < ny; y++) {
            for (uint32_t x = 0; x < nx; x++) {
                uint32_t corner[8];
                test_cube_corners(cubes, x, y, z, corner);
                const uint8_t(*tets)[4] = (x + y + z) % 2 ? odd : even;
                for (int i = 0; i < 20; i++) {
                    *next++ = corner[tets[i / 4][i % 4]];
                }
            }
        }
    }
    return body;
}

/* A row of cubes, each a hexahedron, two wedges, three pyramids (around the corner 6) or five tetrahedra. */
static inline struct test_body *test_add_split_row(struct test_scene *scene, uint32_t length, dent_random *random)
{
    const uint32_t cubes[3] = {length, 1, 1};
    static const uint8_t wedges[2][6] = {{0, 1, 2, 4, 5, 6}, {0, 2, 3, 4, 6, 7}};
    static const uint8_t pyramids[3][5] = {{0, 1, 2, 3, 6}, {0, 4, 5, 1, 6}, {0, 3, 7, 4, 6}};
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SOLID, (length + 1) * 4, length * 3, length * 16);
    uint32_t *next = body->corners;
    uint32_t cells = 0;
    body->cell_kinds = test_allocate(length * 3, 1);
    test_place_lattice(body, cubes);
    for (uint32_t x = 0; x < length; x++) {
        uint32_t corner[8];
        test_cube_corners(cubes, x, 0, 0, corner);
        uint32_t choice = dent_random_below(random, 3);
        uint32_t parts = choice == 0 ? 1 : choice == 1 ? 2 : 3;
        for (uint32_t part = 0; part < parts; part++) {
            uint32_t corner_count = choice == 0 ? 8 : choice == 1 ? 6 : 5;
            body->cell_kinds[cells++] = choice == 0   ? DENT_CELL_HEXAHEDRON
                                        : choice == 1 ? DENT_CELL_WEDGE
                                                      : DENT_CELL_PYRAMID;
            for (uint32_t i = 0; i < corner_count; i++) {
                uint32_t which = choice == 0 ? i : choice == 1 ? wedges[part][i] : pyramids[part][i];
                *next++ = corner[which];
            }
        }
    }
    body->element_count = cells;
    return body;
}

/* A sheet of 2 nx ny triangles in the plane z = 0. */
static inline struct test_body *test_add_sheet(struct test_scene *scene, uint32_t nx, uint32_t ny)
{
    const uint32_t cubes[3] = {nx, ny, 0};
    struct test_body *body =
        test_scene_new_body(scene, DENT_BODY_SURFACE, (nx + 1) * (ny + 1), 2 * nx * ny, 6 * nx * ny);
    uint32_t *next = body->corners;
    test_place_lattice(body, cubes);
    for (uint32_t y = 0; y < ny; y++) {
        for (uint32_t x = 0; x < nx; x++) {
            uint32_t a = test_node(cubes, x, y, 0), b = test_node(cubes, x + 1, y, 0);
            uint32_t c = test_node(cubes, x + 1, y + 1, 0), d = test_node(cubes, x, y + 1, 0);
            uint32_t pair[6] = {a, b, c, a, c, d};
            memcpy(next, pair, sizeof pair);
            next += 6;
        }
    }
    return body;
}

/* A closed, outward oriented cube of 12 triangles. */
static inline struct test_body *test_add_cube_surface(struct test_scene *scene)
{
    static const uint8_t faces[12][3] = {{0, 2, 1}, {0, 3, 2}, {4, 5, 6}, {4, 6, 7}, {0, 1, 5}, {0, 5, 4},
                                         {2, 3, 7}, {2, 7, 6}, {1, 2, 6}, {1, 6, 5}, {3, 0, 4}, {3, 4, 7}};
    const uint32_t cubes[3] = {1, 1, 1};
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SURFACE, 8, 12, 36);
    uint32_t corner[8];
    test_place_lattice(body, cubes);
    test_cube_corners(cubes, 0, 0, 0, corner);
    for (int i = 0; i < 36; i++) {
        body->corners[i] = corner[faces[i / 3][i % 3]];
    }
    return body;
}

/* ---- ways to move a body -------------------------------------------------------------------------------- */

static inline double test_between(dent_random *random, double lo, double hi)
{
    return lo + (hi - lo) * dent_random_unit(random);
}

static inline void test_map(struct test_body *body, double sx, double sy, double sz, double tx, double ty, double tz)
{
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        body->xyz[i][0] = body->xyz[i][0] * sx + tx;
        body->xyz[i][1] = body->xyz[i][1] * sy + ty;
        body->xyz[i][2] = body->xyz[i][2] * sz + tz;
    }
}

static inline void test_jitter(struct test_body *body, dent_random *random, double size)
{
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[i][axis] += test_between(random, -size, size);
        }
    }
}

/* A rotation by a random quaternion: nothing depends on it being orthogonal to the last bit. */
static inline void test_turn(struct test_body *body, dent_random *random)
{
    double q[4], length = 0;
    for (int i = 0; i < 4; i++) {
        q[i] = test_between(random, -1, 1);
        length += q[i] * q[i];
    }
    length = sqrt(length > 0 ? length : 1);
    double w = q[0] / length, x = q[1] / length, y = q[2] / length, z = q[3] / length;
    double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)},
                      {2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)},
                      {2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)}};
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        double p[3] = {body->xyz[i][0], body->xyz[i][1], body->xyz[i][2]};
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[i][axis] = m[axis][0] * p[0] + m[axis][1] * p[1] + m[axis][2] * p[2];
        }
    }
}

/* Folds a body along x around the origin: the far part comes back over the near part, a little shifted. */
static inline void test_fold(struct test_body *body, double middle, double shift)
{
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        double *p = body->xyz[i];
        if (p[0] > middle) {
            p[0] = 2 * middle - p[0];
            p[2] += shift;
            p[1] += 0.3 * shift;
        }
    }
}

/* Keeps the shape as the reference, then rolls the body along x into an arc of the given angle: above about six the
 * ends meet. */
static inline void test_bend(struct test_body *body, double length, double angle)
{
    body->reference = test_allocate(body->vertex_count, sizeof *body->reference);
    memcpy(body->reference, body->xyz, body->vertex_count * sizeof *body->reference);
    double radius = angle > 1e-9 ? length / angle : 0;
    for (uint32_t i = 0; i < body->vertex_count && radius > 0; i++) {
        double *p = body->xyz[i], turn = p[0] / radius, out = radius + p[2];
        p[0] = out * sin(turn);
        p[2] = out * cos(turn);
    }
}

static inline struct test_body *test_add_random_block(struct test_scene *scene, dent_random *random, uint32_t most)
{
    uint32_t nx = 1 + dent_random_below(random, most), ny = 1 + dent_random_below(random, most);
    return test_add_block(scene, nx, ny, 1 + dent_random_below(random, 2));
}

/* Random numbers are drawn one statement at a time: the order of arguments is the compiler's choice. */
static inline void test_lattice_shift(struct test_body *body, dent_random *random, int range)
{
    double by[3];
    for (int axis = 0; axis < 3; axis++) {
        by[axis] = (double)dent_random_below(random, (uint32_t)range);
    }
    test_map(body, 1, 1, 1, by[0], by[1], by[2]);
}

static inline void test_random_shift(struct test_body *body, dent_random *random, double lo, double hi)
{
    double by[3];
    for (int axis = 0; axis < 3; axis++) {
        by[axis] = test_between(random, lo, hi);
    }
    test_map(body, 1, 1, 1, by[0], by[1], by[2]);
}

static inline void test_add_soup(struct test_scene *scene, dent_random *random, dent_body_kind kind)
{
    uint32_t per = kind == DENT_BODY_SOLID ? 4 : 3;
    uint32_t vertices = per + dent_random_below(random, 20), elements = 1 + dent_random_below(random, 40);
    bool lattice = dent_random_below(random, 2) != 0;
    struct test_body *body = test_scene_new_body(scene, kind, vertices, elements, elements * per);
    for (uint32_t i = 0; i < vertices; i++) {
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[i][axis] = lattice ? (double)dent_random_below(random, 4) : test_between(random, 0, 3);
        }
    }
    for (uint32_t element = 0; element < elements; element++) {
        for (uint32_t corner = 0; corner < per; corner++) {
            uint32_t *place = &body->corners[element * per + corner];
            bool repeated = true;
            while (repeated) {
                *place = dent_random_below(random, vertices);
                repeated = false;
                for (uint32_t before = 0; before < corner; before++) {
                    repeated = repeated || body->corners[element * per + before] == *place;
                }
            }
        }
    }
}

static inline void test_scale_scene(struct test_scene *scene, double factor)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        test_map(&scene->bodies[i], factor, factor, factor, 0, 0, 0);
    }
}

/* Blocks turned and thrown into a box of the given size. */
static inline void test_throw_blocks(struct test_scene *scene, dent_random *random, uint32_t count, double box)
{
    for (uint32_t i = 0; i < count; i++) {
        struct test_body *body = test_add_random_block(scene, random, 3);
        test_jitter(body, random, 0.1);
        test_turn(body, random);
        test_random_shift(body, random, 0, box);
    }
}

static inline void test_make_separate(struct test_scene *scene, dent_random *random)
{
    struct test_body *body;
    for (int i = 0; i < 4; i++) {
        body = test_add_random_block(scene, random, 3);
        test_jitter(body, random, 0.1);
        test_map(body, 1, 1, 1, 5.0 * i, 0, 0);
    }
}

static inline void test_make_nested(struct test_scene *scene, dent_random *random)
{
    struct test_body *body = test_add_block(scene, 2, 2, 2);
    test_jitter(body, random, 0.1);
    test_map(body, 5, 5, 5, -5, -5, -5);
    for (int i = 0; i < 3; i++) {
        body = test_add_block(scene, 1, 1, 1);
        test_jitter(body, random, 0.1);
        test_turn(body, random);
        test_random_shift(body, random, -3, 3);
    }
}

static inline void test_make_self_folded(struct test_scene *scene, dent_random *random)
{
    uint32_t length = 6 + dent_random_below(random, 8);
    struct test_body *body = test_add_block(scene, length, 1 + dent_random_below(random, 2), 1);
    test_jitter(body, random, 0.1);
    double middle = test_between(random, 2, 5);
    test_fold(body, middle, test_between(random, -1, 1));
}

static inline void test_make_coincident(struct test_scene *scene, dent_random *random)
{
    struct test_body *body;
    for (int i = 0; i < 3; i++) {
        body = test_add_random_block(scene, random, 3);
        if (i == 2 && dent_random_below(random, 2)) {
            test_map(body, 0.5, 0.5, 0.5, 0.5, 0.25, 0.5);
        }
        test_lattice_shift(body, random, 4);
    }
}

static inline void test_make_identical_copies(struct test_scene *scene, dent_random *random)
{
    struct test_body *body;
    dent_random again = *random;
    bool lattice = dent_random_below(random, 2) != 0;
    for (int i = 0; i < 2; i++) {
        dent_random copy = again;
        body = test_add_random_block(scene, &copy, 3);
        if (!lattice) {
            test_jitter(body, &copy, 0.2);
        }
    }
}

static inline void test_make_one_giant(struct test_scene *scene, dent_random *random)
{
    struct test_body *body;
    test_throw_blocks(scene, random, 6, 8);
    body = test_scene_new_body(scene, DENT_BODY_SOLID, 4, 1, 4);
    for (uint32_t i = 0; i < 4; i++) {
        body->corners[i] = i;
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[i][axis] = test_between(random, -30, 30);
        }
    }
}

static inline void test_make_all_equal(struct test_scene *scene, dent_random *random)
{
    for (int i = 0; i < 2; i++) {
        test_map(test_add_block(scene, 1 + dent_random_below(random, 2), 1, 1), 0, 0, 0, 1, 2, 3);
    }
    test_throw_blocks(scene, random, 2, 3);
}

static inline void test_make_wide_exponents(struct test_scene *scene, dent_random *random)
{
    struct test_body *body;
    test_throw_blocks(scene, random, 2, 1.5);
    test_scale_scene(scene, 1e-150);
    test_throw_blocks(scene, random, 2, 1.5);
    test_map(&scene->bodies[2], 1e150, 1e150, 1e150, 0, 0, 0);
    test_map(&scene->bodies[3], 1e150, 1e150, 1e150, 0, 0, 0);
    body = test_add_block(scene, 1, 1, 1); /* a body that holds the tiny ones */
    test_map(body, 1, 1, 1, -0.5, -0.5, -0.5);
}

static inline void test_make_negative_cells(struct test_scene *scene, dent_random *random)
{
    test_throw_blocks(scene, random, 3, 1.5);
    test_map(&scene->bodies[0], -1, 1, 1, 1, 0, 0);
    test_map(&scene->bodies[1], 1, -1, 1, 0, 1, 0);
}

static inline void test_make_flat_bodies(struct test_scene *scene, dent_random *random)
{
    struct test_body *body;
    test_throw_blocks(scene, random, 2, 1.5);
    body = test_add_random_block(scene, random, 3);
    test_map(body, 1, 1, 0, 0, 0, 0.5);
    body = test_add_random_block(scene, random, 3);
    test_map(body, 1, 1, 0, 0.5, 0.5, 0.5);
    body = test_add_random_block(scene, random, 2);
    test_map(body, 1, 0, 0, 0, 0.5, 0.5);
}

static inline void test_make_graded(struct test_scene *scene, dent_random *random)
{
    struct test_body *body;
    for (int i = 0; i < 4; i++) {
        body = test_add_random_block(scene, random, 3);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                body->xyz[v][axis] = ldexp(body->xyz[v][axis], (int)body->xyz[v][axis] * 3 - 6);
            }
        }
        test_turn(body, random);
        test_random_shift(body, random, 0, 0.5);
    }
}

static inline void test_make_inverted_cells(struct test_scene *scene, dent_random *random)
{
    test_throw_blocks(scene, random, 3, 2);
    for (uint32_t i = 0; i < scene->body_count; i++) {
        test_jitter(&scene->bodies[i], random, 0.7);
    }
}

static inline void test_make_solids(struct test_scene *scene, int kind, dent_random *random)
{
    switch (kind) {
    case SCENE_SEPARATE:
        test_make_separate(scene, random);
        break;
    case SCENE_DEEP:
        test_throw_blocks(scene, random, 2 + dent_random_below(random, 4), 1.5);
        break;
    case SCENE_NESTED:
        test_make_nested(scene, random);
        break;
    case SCENE_SELF_FOLDED:
        test_make_self_folded(scene, random);
        break;
    case SCENE_COINCIDENT:
        test_make_coincident(scene, random);
        break;
    case SCENE_IDENTICAL_COPIES:
        test_make_identical_copies(scene, random);
        break;
    case SCENE_ONE_GIANT:
        test_make_one_giant(scene, random);
        break;
    case SCENE_ALL_EQUAL:
        test_make_all_equal(scene, random);
        break;
    case SCENE_HUGE_NUMBERS:
    case SCENE_TINY_NUMBERS:
        test_throw_blocks(scene, random, 3, 1.5);
        test_scale_scene(scene, kind == SCENE_HUGE_NUMBERS ? 1e150 : 1e-150);
        break;
    case SCENE_WIDE_EXPONENTS:
        test_make_wide_exponents(scene, random);
        break;
    case SCENE_NEGATIVE_CELLS:
        test_make_negative_cells(scene, random);
        break;
    case SCENE_FLAT_BODIES:
        test_make_flat_bodies(scene, random);
        break;
    case SCENE_GRADED:
        test_make_graded(scene, random);
        break;
    case SCENE_INVERTED_CELLS:
        test_make_inverted_cells(scene, random);
        break;
    default:
        break;
    }
}

static inline void test_make_others(struct test_scene *scene, int kind, dent_random *random)
{
    struct test_body *body;
    switch (kind) {
    case SCENE_SPLIT_CELLS:
    case SCENE_SPLIT_JITTERED:
        for (int i = 0; i < 3; i++) {
            body = test_add_split_row(scene, 1 + dent_random_below(random, 4), random);
            if (kind == SCENE_SPLIT_JITTERED) {
                test_jitter(body, random, 0.3);
            }
            if (dent_random_below(random, 2)) {
                test_map(body, 0.5, 0.5, 0.5, 0, 0, 0);
            }
            double x = 0.5 * dent_random_below(random, 4), y = 0.5 * dent_random_below(random, 3);
            test_map(body, 1, 1, 1, x, y, 0.5 * dent_random_below(random, 3));
        }
        test_add_soup(scene, random, DENT_BODY_SURFACE);
        break;
    case SCENE_SURFACES:
        for (int i = 0; i < 3; i++) {
            uint32_t nx = 1 + dent_random_below(random, 6);
            body = test_add_sheet(scene, nx, 1 + dent_random_below(random, 6));
            test_jitter(body, random, 0.6);
            test_turn(body, random);
        }
        test_turn(test_add_cube_surface(scene), random);
        break;
    case SCENE_SURFACES_LATTICE:
        for (int i = 0; i < 3; i++) {
            uint32_t nx = 1 + dent_random_below(random, 4);
            body = test_add_sheet(scene, nx, 1 + dent_random_below(random, 4));
            double stretch = 1 + dent_random_below(random, 2), x = dent_random_below(random, 3),
                   y = dent_random_below(random, 3);
            test_map(body, stretch, 1, 1, x, y, dent_random_below(random, 2));
            for (uint32_t v = 0; v < body->vertex_count; v++) {
                if (dent_random_below(random, 8) == 0) {
                    body->xyz[v][dent_random_below(random, 3)] += 1;
                }
            }
        }
        test_lattice_shift(test_add_cube_surface(scene), random, 3);
        break;
    case SCENE_MIXED:
        test_throw_blocks(scene, random, 2, 1.5);
        for (int i = 0; i < 2; i++) {
            body = test_add_sheet(scene, 3, 3);
            test_jitter(body, random, 0.3);
            test_turn(body, random);
        }
        test_lattice_shift(test_add_cube_surface(scene), random, 2);
        break;
    case SCENE_SOUP:
        test_add_soup(scene, random, DENT_BODY_SOLID);
        test_add_soup(scene, random, DENT_BODY_SURFACE);
        test_add_soup(scene, random, DENT_BODY_SOLID);
        break;
    case SCENE_TIED:
        for (int i = 0; i < 3; i++) {
            body = test_add_random_block(scene, random, 2);
            if (i == 2) {
                test_map(body, 0.5, 0.75, 0.5, 0, 0, 0);
            }
            test_lattice_shift(body, random, 2);
        }
        scene->tie_equal_positions = true;
        break;
    case SCENE_BENT:
        for (uint32_t i = 0, count = 1 + dent_random_below(random, 2); i < count; i++) {
            uint32_t length = 6 + dent_random_below(random, 10), width = 1 + dent_random_below(random, 2);
            body = test_add_block(scene, length, width, 1);
            /* Half of them gently: that is where the certificate gives up. */
            bool gently = dent_random_below(random, 2) != 0;
            test_bend(body, length, test_between(random, 0, gently ? 2.5 : 8));
            test_jitter(body, random, 0.02);
        }
        break;
    default:
        break;
    }
}

static inline void test_scene_make(struct test_scene *scene, int kind, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed * 1000003 + (uint64_t)kind);
    memset(scene, 0, sizeof *scene);
    test_make_solids(scene, kind, &random);
    test_make_others(scene, kind, &random);
}

/* Number of elements of all bodies. */
static inline uint64_t test_scene_elements(const struct test_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        count += scene->bodies[i].element_count;
    }
    return count;
}

static inline dent_body_def test_body_def(const struct test_body *body)
{
    dent_body_def def = body->kind == DENT_BODY_SOLID ? dent_solid_def_default() : dent_surface_def_default();
    def.vertex_count = body->vertex_count;
    def.element_count = body->element_count;
    def.element_corners = body->corners;
    def.cell_kinds = body->cell_kinds;
    def.positions_t0 = dent_positions_double(body->xyz[0]);
    if (body->reference) {
        def.reference = dent_positions_double(body->reference[0]);
    }
    return def;
}

/* Adds all bodies; returns the status of the first that fails. */
static inline dent_status test_scene_add(const struct test_scene *scene, dent_world *world)
{
    dent_body_id ids[TEST_BODIES_MAX];
    for (uint32_t i = 0; i < scene->body_count; i++) {
        const struct test_body *body = &scene->bodies[i];
        dent_body_def def = test_body_def(body);
        dent_same_as *ties = NULL;
        if (scene->tie_equal_positions) {
            ties = test_allocate(1 + (size_t)body->vertex_count * i, sizeof *ties);
            for (uint32_t other = 0; other < i; other++) {
                for (uint32_t v = 0; v < body->vertex_count; v++) {
                    for (uint32_t w = 0; w < scene->bodies[other].vertex_count; w++) {
                        if (memcmp(body->xyz[v], scene->bodies[other].xyz[w], sizeof body->xyz[v]) == 0) {
                            ties[def.same_as_count++] = (dent_same_as){v, ids[other], w};
                            break;
                        }
                    }
                }
            }
            def.same_as = ties;
        }
        dent_status status = dent_world_add_body(world, &def, &ids[i]);
        free(ties);
        if (status != DENT_OK) {
            return status;
        }
    }
    return DENT_OK;
}

/* A body that is one tetrahedron with the given corners, which are borrowed. */
static inline dent_body_id test_add_tetrahedron(dent_world *world, const double (*xyz)[3])
{
    static const uint32_t corners[4] = {0, 1, 2, 3};
    dent_body_def def = dent_solid_def_default();
    dent_body_id id;
    def.vertex_count = 4;
    def.element_count = 1;
    def.element_corners = corners;
    def.positions_t0 = dent_positions_double(xyz[0]);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return id;
}

#endif
