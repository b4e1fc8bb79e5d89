/* Small scenes whose numbers are drawn over the whole range of double, subnormals, zeros and the largest included.
 *
 * A shape of a few elements has coordinates of moderate size around the origin; each is then multiplied by a power of
 * two, drawn per coordinate, vertex, body or axis, or by a mixture of these, from a window of exponents. Shapes around
 * the origin keep meeting each other whatever the factors are, so most scenes have answers. A scene is a function of
 * its seed. */
#ifndef DENT_TESTS_WIDE_SCENE_H
#define DENT_TESTS_WIDE_SCENE_H

#include <float.h>

#include "query/support_impact.h"

enum wide_mode { WIDE_PER_COORDINATE, WIDE_PER_VERTEX, WIDE_PER_BODY, WIDE_PER_AXIS, WIDE_MIXED, WIDE_MODE_COUNT };

static inline const char *wide_mode_name(int mode)
{
    static const char *const names[WIDE_MODE_COUNT] = {"per coordinate", "per vertex", "per body", "per axis", "mixed"};
    return names[mode];
}

struct wide_draw {
    dent_random random;
    int mode;
    int low, high;      /* exponents */
    int fixed[3];       /* of the axes */
    int body;           /* of the body at hand */
    bool whole_numbers; /* mantissas from a small lattice: touching and coinciding features */
    uint32_t most;      /* triangles of a body of triangles; 1: other bodies are rare, too */
};

/* Windows whose ends are where squares, cubes or floats under- or overflow, and the whole range most often. */
static inline void wide_window(struct wide_draw *draw)
{
    static const int windows[][2] = {{-1074, 1023},  {-1074, 1023}, {-1074, 1023}, {-1074, -990},
                                     {-1074, -1065}, {940, 1023},   {1019, 1023},  {-340, 340},
                                     {-160, 160},    {-540, 540},   {-40, 40}};
    uint32_t choice = dent_random_below(&draw->random, sizeof windows / sizeof windows[0]);
    draw->low = windows[choice][0];
    draw->high = windows[choice][1];
}

static inline int wide_exponent(struct wide_draw *draw)
{
    return draw->low + (int)dent_random_below(&draw->random, (uint32_t)(draw->high - draw->low + 1));
}

static inline struct wide_draw wide_draw_make(uint64_t seed, uint32_t most)
{
    struct wide_draw draw = {.random = dent_random_seeded(seed * 2654435761u + 977), .most = most};
    draw.mode = (int)dent_random_below(&draw.random, WIDE_MODE_COUNT);
    wide_window(&draw);
    for (int axis = 0; axis < 3; axis++) {
        draw.fixed[axis] = wide_exponent(&draw);
    }
    draw.whole_numbers = dent_random_below(&draw.random, 2) != 0;
    return draw;
}

/* value * 2^exponent, never infinite. */
static inline double wide_scaled(double value, int exponent)
{
    double scaled = ldexp(value, exponent);
    return scaled > DBL_MAX ? DBL_MAX : scaled < -DBL_MAX ? -DBL_MAX : scaled;
}

static inline double wide_mantissa(struct wide_draw *draw)
{
    return draw->whole_numbers ? (double)dent_random_below(&draw->random, 5) - 2 : test_between(&draw->random, -1, 1);
}

/* Multiplies the coordinates of a body by powers of two as the mode says. */
static inline void wide_stretch(struct wide_draw *draw, double (*xyz)[3], uint32_t count)
{
    for (uint32_t v = 0; v < count; v++) {
        int mode = draw->mode == WIDE_MIXED ? (int)dent_random_below(&draw->random, WIDE_MIXED) : draw->mode;
        int of_vertex = wide_exponent(draw);
        for (int axis = 0; axis < 3; axis++) {
            int exponent = mode == WIDE_PER_COORDINATE ? wide_exponent(draw)
                           : mode == WIDE_PER_VERTEX   ? of_vertex
                           : mode == WIDE_PER_BODY     ? draw->body
                                                       : draw->fixed[axis];
            xyz[v][axis] = wide_scaled(xyz[v][axis], exponent);
        }
    }
}

static inline struct test_body *wide_triangles(struct wide_draw *draw, struct test_scene *scene)
{
    dent_random *random = &draw->random;
    uint32_t vertices = 3 + dent_random_below(random, draw->most),
             triangles = 1 + dent_random_below(random, draw->most);
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SURFACE, vertices, triangles, 3 * triangles);
    for (uint32_t i = 0; i < triangles; i++) {
        uint32_t first = dent_random_below(random, vertices), step = 1 + dent_random_below(random, (vertices - 1) / 2);
        for (uint32_t corner = 0; corner < 3; corner++) {
            body->corners[3 * i + corner] = (first + corner * step) % vertices;
        }
    }
    for (uint32_t v = 0; v < vertices; v++) {
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[v][axis] = wide_mantissa(draw);
        }
    }
    return body;
}

/* Coordinates about the origin, before they are stretched: between -2 and 2. */
static inline struct test_body *wide_shape(struct wide_draw *draw, struct test_scene *scene, bool closed)
{
    dent_random *random = &draw->random;
    uint32_t choice = closed ? 6 + dent_random_below(random, 2) : dent_random_below(random, 8);
    bool plain = draw->most == 1 && dent_random_below(random, 32) > 0;
    struct test_body *body;
    if (choice < 5 || plain) {
        return wide_triangles(draw, scene);
    }
    if (choice == 5) { /* now and then more than one leaf */
        uint32_t side = dent_random_below(random, 8) == 0 ? 4 : 1;
        body = test_add_sheet(scene, side, side);
        test_map(body, 2.0 / side, 2.0 / side, 1, -1, -1, 0);
    } else {
        body = choice == 6 ? test_add_block(scene, 1, 1, 1) : test_add_cube_surface(scene);
        test_map(body, 2, 2, 2, -1, -1, -1);
    }
    if (!draw->whole_numbers) {
        test_turn(body, random);
        test_jitter(body, random, 0.2);
    } else if (dent_random_below(random, 2)) {
        test_lattice_shift(body, random, 2);
    }
    return body;
}

/* Two bodies or three. `closed`: solids and closed surfaces. */
static inline void wide_scene_make(struct wide_draw *draw, struct test_scene *scene, bool closed)
{
    memset(scene, 0, sizeof *scene);
    uint32_t bodies = 2 + (dent_random_below(&draw->random, 4) == 0);
    for (uint32_t b = 0; b < bodies; b++) {
        struct test_body *body = wide_shape(draw, scene, closed);
        draw->body = wide_exponent(draw);
        wide_stretch(draw, body->xyz, body->vertex_count);
    }
}

enum wide_motion { WIDE_STILL, WIDE_THROUGH, WIDE_OTHER, WIDE_JITTER, WIDE_TO_A_POINT, WIDE_SWAP, WIDE_MOTION_COUNT };

static inline void wide_move_vertex(struct wide_draw *draw, int motion, const double from[3], double to[3], int shift)
{
    for (int axis = 0; axis < 3; axis++) {
        double x = from[axis];
        to[axis] = motion == WIDE_THROUGH  ? wide_scaled(-x, shift)
                   : motion == WIDE_OTHER  ? wide_scaled(wide_mantissa(draw), wide_exponent(draw))
                   : motion == WIDE_JITTER ? nextafter(x, dent_random_below(&draw->random, 2) ? -DBL_MAX : DBL_MAX)
                   : motion == WIDE_SWAP   ? from[(axis + 1) % 3]
                                           : 0.0;
    }
}

/* Positions at t1 for a scene that has those of t0. */
static inline void wide_scene_move(struct wide_draw *draw, struct moving_scene *moving)
{
    for (uint32_t b = 0; b < moving->scene.body_count; b++) {
        const struct test_body *body = &moving->scene.bodies[b];
        int motion = (int)dent_random_below(&draw->random, WIDE_MOTION_COUNT);
        int shift = dent_random_below(&draw->random, 2) ? 0 : (int)dent_random_below(&draw->random, 400) - 200;
        if (motion == WIDE_STILL) {
            continue;
        }
        moving->end[b] = test_allocate(body->vertex_count, sizeof *body->xyz);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            wide_move_vertex(draw, motion, body->xyz[v], moving->end[b][v], shift);
        }
    }
}

static inline void wide_moving_scene_make(struct wide_draw *draw, struct moving_scene *moving)
{
    memset(moving, 0, sizeof *moving);
    wide_scene_make(draw, &moving->scene, false);
    wide_scene_move(draw, moving);
}

/* A length over the whole range: nothing, the smallest, any, the largest. */
static inline double wide_length(struct wide_draw *draw)
{
    switch (dent_random_below(&draw->random, 8)) {
    case 0:
        return 0;
    case 1:
        return DBL_TRUE_MIN;
    case 2:
        return DBL_MAX;
    case 3:
        return wide_scaled(1 + dent_random_unit(&draw->random), 1022);
    default:
        return wide_scaled(1 + dent_random_unit(&draw->random), wide_exponent(draw));
    }
}

/* Contexts of every instruction set there is, with one, two and three threads. */
struct wide_contexts {
    dent_context *at[9];
    uint32_t count;
};

static inline struct wide_contexts wide_contexts_open(void)
{
    struct wide_contexts contexts = {.count = 0};
    for (uint32_t threads = 1; threads <= 3; threads++) {
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            if (dent_isa_available((dent_isa)isa)) {
                contexts.at[contexts.count++] = test_context(threads, (dent_isa)isa);
            }
        }
    }
    return contexts;
}

static inline void wide_contexts_close(struct wide_contexts *contexts)
{
    for (uint32_t i = 0; i < contexts->count; i++) {
        dent_context_destroy(contexts->at[i]);
    }
}

#endif
