/* Small random scenes whose coordinates span every exponent a double has, subnormals, zeros and the largest included.
 *
 * A scene is a function of its seed: two to four bodies of a few elements on small coordinates, so that they meet; then
 * each coordinate gets a power of two drawn for itself, for its vertex, its body, its axis or several of these; then
 * some vertices are put on or beside the faces of other bodies. Scaling an axis for all bodies keeps every answer, so
 * that such scenes have as many as unscaled ones; the others come near each other by the last step.
 */
#ifndef DENT_TESTS_WIDE_EXPONENTS_H
#define DENT_TESTS_WIDE_EXPONENTS_H

#include "support/random_scene.h"

#include <float.h>

enum wide_mode {
    WIDE_COORDINATE, /* an exponent for each coordinate */
    WIDE_VERTEX,
    WIDE_BODY,
    WIDE_AXIS,
    WIDE_AXIS_AND_BODY,
    WIDE_LEVELS,    /* each coordinate one of three exponents of the scene */
    WIDE_SUBNORMAL, /* small multiples of the smallest double, and of its first 60 powers */
    WIDE_LARGEST,   /* up to the largest double, so that differences overflow */
    WIDE_BRINK,     /* per axis, such that products of two, three or four are at an end of the range of doubles */
    WIDE_MIXED,     /* each vertex by one of the rules above */
    WIDE_MODES
};

static inline const char *wide_mode_name(int mode)
{
    static const char *const names[WIDE_MODES] = {"per coordinate", "per vertex",   "per body",  "per axis",
                                                  "axis and body",  "three levels", "subnormal", "largest",
                                                  "brink",          "mixed"};
    return names[mode];
}

/* What the exponents of a scene are drawn from: often all there are, sometimes fewer, so that products of two or three
 * of them come near the ends of the range from the inner side too. */
struct wide_range {
    int lo, hi;
    int axis[3], level[3], brink[3];
};

static inline int wide_exponent(const struct wide_range *range, dent_random *random)
{
    return range->lo + (int)dent_random_below(random, (uint32_t)(range->hi - range->lo + 1));
}

/* Exponents such that products of two axes, of all three, or of four coordinates overflow, become subnormal, vanish, or
 * meet the floors of the filters; coordinates are about 4. */
static inline void wide_brink_draw(struct wide_range *range, dent_random *random)
{
    static const int sums[8] = {1018, 1021, 1024, -900, -960, -1022, -1074, -800};
    int sum = sums[dent_random_below(random, 8)] + (int)dent_random_below(random, 9) - 6;
    int factors = 2 + (int)dent_random_below(random, 3), first = (int)dent_random_below(random, 3);
    int spread = dent_random_below(random, 2) ? (int)dent_random_below(random, 700) - 350 : 0;
    int *a = &range->brink[first], *b = &range->brink[(first + 1) % 3], *c = &range->brink[(first + 2) % 3];
    *a = *b = *c = sum / factors;
    if (factors == 2) {
        *a += spread;
        *b = sum - *a;
        *c = wide_exponent(range, random);
    } else if (factors == 3) {
        *a += spread;
        *c = sum - *a - *b;
    }
}

static inline void wide_range_draw(struct wide_range *range, dent_random *random)
{
    static const int ends[6][2] = {{-1074, 1020}, {-1074, 1020}, {-700, 700}, {-340, 340}, {-1074, -300}, {300, 1020}};
    const int *chosen = ends[dent_random_below(random, 6)];
    range->lo = chosen[0];
    range->hi = chosen[1];
    for (int i = 0; i < 3; i++) {
        range->axis[i] = wide_exponent(range, random);
        range->level[i] = wide_exponent(range, random);
    }
    wide_brink_draw(range, random);
}

static inline double wide_scaled(double value, int exponent)
{
    double scaled = ldexp(value, exponent);
    return isfinite(scaled) ? scaled : copysign(DBL_MAX, value);
}

static inline int wide_exponent_of(int mode, const struct wide_range *range, int axis, int of_vertex, int of_body,
                                   dent_random *random)
{
    switch (mode) {
    case WIDE_COORDINATE:
        return wide_exponent(range, random);
    case WIDE_VERTEX:
        return of_vertex;
    case WIDE_BODY:
        return of_body;
    case WIDE_AXIS:
        return range->axis[axis];
    case WIDE_AXIS_AND_BODY:
        return range->axis[axis] + of_body / 16;
    case WIDE_LEVELS:
        return range->level[dent_random_below(random, 3)];
    case WIDE_SUBNORMAL:
        return -1074 + (int)(dent_random_below(random, 4) ? 2 : dent_random_below(random, 60));
    case WIDE_BRINK:
        return range->brink[axis];
    default: /* base coordinates reach up to 4: WIDE_LARGEST */
        return 1021 + (int)dent_random_below(random, 2);
    }
}

static inline void wide_apply(struct test_scene *scene, int mode, dent_random *random)
{
    struct wide_range range;
    wide_range_draw(&range, random);
    bool zeros = dent_random_below(random, 3) == 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        struct test_body *body = &scene->bodies[i];
        int of_body = wide_exponent(&range, random);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            int of_vertex = wide_exponent(&range, random);
            int rule = mode == WIDE_MIXED ? (int)dent_random_below(random, WIDE_MIXED) : mode;
            for (int axis = 0; axis < 3; axis++) {
                int exponent = wide_exponent_of(rule, &range, axis, of_vertex, of_body, random);
                bool zero = zeros && dent_random_below(random, 6) == 0;
                body->xyz[v][axis] = zero ? 0 : wide_scaled(body->xyz[v][axis], exponent);
            }
        }
    }
}

/* Some vertices of later bodies go to affine combinations of three vertices of an earlier one, rounded: on its planes,
 * edges and corners but for the last bit, or a part of an edge beyond them. */
static inline void wide_bring_near(struct test_scene *scene, dent_random *random)
{
    for (uint32_t i = 1; i < scene->body_count; i++) {
        struct test_body *body = &scene->bodies[i];
        const struct test_body *other = &scene->bodies[dent_random_below(random, i)];
        uint32_t one_in = 1 + dent_random_below(random, 4);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            double weight[3];
            uint32_t from[3];
            weight[0] = 0.25 * ((double)dent_random_below(random, 9) - 2);
            weight[1] = 0.25 * ((double)dent_random_below(random, 9) - 2);
            weight[2] = 1 - weight[0] - weight[1];
            for (int k = 0; k < 3; k++) {
                from[k] = dent_random_below(random, other->vertex_count);
            }
            if (dent_random_below(random, one_in) != 0) {
                continue;
            }
            for (int axis = 0; axis < 3; axis++) {
                double sum = 0; /* of eighths: no overflow */
                for (int k = 0; k < 3; k++) {
                    sum += weight[k] * (other->xyz[from[k]][axis] / 8);
                }
                body->xyz[v][axis] = wide_scaled(sum, 3);
            }
        }
    }
}

static inline void wide_place(struct test_body *body, dent_random *random)
{
    bool lattice = dent_random_below(random, 2) != 0;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[v][axis] = lattice ? (double)dent_random_below(random, 7) - 3 : 6 * dent_random_unit(random) - 3;
        }
    }
}

static inline void wide_add_body(struct test_scene *scene, const struct test_body *shape, const uint32_t *corners)
{
    uint32_t per = shape->kind == DENT_BODY_SOLID ? 4 : 3;
    struct test_body *body =
        test_scene_new_body(scene, shape->kind, shape->vertex_count, shape->element_count, shape->element_count * per);
    memcpy(body->corners, corners, shape->element_count * per * sizeof *corners);
}

enum wide_shapes { WIDE_ANY_SHAPES, WIDE_SOLIDS, WIDE_CLOSED_SHAPES };

/* One body: a tetrahedron, two or three that share faces, triangles in a soup, a fan, a closed surface. */
static inline void wide_add_shape(struct test_scene *scene, enum wide_shapes shapes, dent_random *random)
{
    static const uint32_t cells[3][4] = {{0, 1, 2, 3}, {4, 2, 1, 3}, {5, 1, 0, 3}};
    static const uint32_t octahedron[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                              {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
    static const uint32_t tetrahedron[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
    static const uint32_t loose[4][3] = {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 4, 8}};
    static const uint32_t kinds[3] = {6, 3, 5};
    struct test_body shape = {.kind = DENT_BODY_SOLID};
    uint32_t drawn = dent_random_below(random, kinds[shapes]);
    if (drawn < 3) {
        shape.element_count = drawn + 1;
        shape.vertex_count = drawn + 4;
        wide_add_body(scene, &shape, cells[0]);
    } else {
        shape.kind = DENT_BODY_SURFACE;
        shape.element_count = drawn == 3 ? 8 : 4;
        shape.vertex_count = drawn == 3 ? 6 : drawn == 4 ? 4 : 9;
        wide_add_body(scene, &shape, drawn == 3 ? octahedron[0] : drawn == 4 ? tetrahedron[0] : loose[0]);
    }
    wide_place(&scene->bodies[scene->body_count - 1], random);
}

static inline int wide_scene_mode(uint64_t seed)
{
    return (int)(seed % WIDE_MODES);
}

static inline void wide_scene_make(struct test_scene *scene, enum wide_shapes shapes, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed * 2654435761u + 77);
    memset(scene, 0, sizeof *scene);
    for (uint32_t i = 0, count = 2 + dent_random_below(&random, 3); i < count; i++) {
        wide_add_shape(scene, shapes, &random);
    }
    wide_apply(scene, wide_scene_mode(seed), &random);
    if (dent_random_below(&random, 3) != 0) {
        wide_bring_near(scene, &random);
    }
}

#endif
