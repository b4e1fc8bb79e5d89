/* Random small scenes of strands, of every kind that has ever hurt a search of thin curves; alone, and with a surface or
 * a solid among them. A scene is a function of (kind, seed) and owns its arrays.
 */
#ifndef DENT_TESTS_RANDOM_STRANDS_H
#define DENT_TESTS_RANDOM_STRANDS_H

#include "support/random_scene.h"

enum strand_scene_kind {
    STRANDS_PARALLEL,     /* on a lattice: equal distances, exactly the sum of the radii among them */
    STRANDS_CROSSING,     /* straight, through one another */
    STRANDS_COINCIDENT,   /* copies of the same few, some reversed */
    STRANDS_ZERO_LENGTH,  /* repeated vertices */
    STRANDS_ONE_HUGE,     /* long and thick among small ones */
    STRANDS_SHARED_ROOTS, /* tied to one another, or rooted on faces */
    STRANDS_ALL_EQUAL,    /* every vertex at one point */
    STRANDS_WIDE,         /* exponents of doubles from end to end */
    STRANDS_CURLS,        /* helices, near themselves */
    STRANDS_FUR,          /* roots on a grid, all much alike */
    STRANDS_WITH_SURFACE, /* random walks near sheets and solids */
    STRANDS_NEARLY_PARALLEL,
    STRANDS_RADII,     /* from 0 to large, per vertex */
    STRANDS_TINY,      /* at the corner of a world 2^10 to 2^60 times as large */
    STRANDS_SUBNORMAL, /* flat, a few steps of the subnormal grid to 2^-1030 wide, far from it on one axis */
    STRANDS_OVERFLOW,  /* distances and sums of radii overflow */
    STRAND_SCENE_KINDS
};

static inline const char *strand_scene_name(int kind)
{
    static const char *const names[STRAND_SCENE_KINDS] = {
        "parallel",  "crossing",       "coincident", "zero length", "one huge",     "shared roots",   "all equal",
        "exponents", "curls",          "fur",        "surfaces",    "nearly parallel", "radii",
        "tiny",      "subnormal",      "overflow"};
    return names[kind];
}

enum { STRAND_BODIES_MAX = 3 };

struct strand_body {
    uint32_t strand_count, vertex_count;
    uint32_t *first;
    double (*xyz)[3], (*end)[3];
    double *radii; /* null: the thickness */
    double thickness;
    bool self_collision;
};

struct strand_scene {
    struct test_scene others; /* come first */
    uint32_t body_count;
    struct strand_body bodies[STRAND_BODIES_MAX];
    bool tie_roots, root_on;
};

static inline double strand_between(dent_random *random, double lo, double hi)
{
    return lo + (hi - lo) * dent_random_unit(random);
}

static inline struct strand_body *strand_body_new(struct strand_scene *scene, uint32_t strands, uint32_t most,
                                                  dent_random *random)
{
    struct strand_body *body = &scene->bodies[scene->body_count++];
    *body = (struct strand_body){.strand_count = strands, .self_collision = dent_random_below(random, 8) != 0};
    body->first = test_allocate(strands + 1, sizeof *body->first);
    for (uint32_t i = 0; i < strands; i++) {
        body->first[i + 1] = body->first[i] + 2 + dent_random_below(random, most - 1);
    }
    body->vertex_count = body->first[strands];
    body->xyz = test_allocate(body->vertex_count + 1, sizeof *body->xyz);
    body->end = test_allocate(body->vertex_count + 1, sizeof *body->end);
    return body;
}

/* The strand of a vertex, and its number along it. */
static inline uint32_t strand_of_vertex(const struct strand_body *body, uint32_t vertex, uint32_t *along)
{
    uint32_t strand = 0;
    while (body->first[strand + 1] <= vertex) {
        strand++;
    }
    *along = vertex - body->first[strand];
    return strand;
}

/* The size of what is small in these kinds of scenes; 1 in others. */
static inline double strand_tiny(int kind, dent_random *random)
{
    return kind == STRANDS_TINY        ? ldexp(1, -10 - (int)dent_random_below(random, 51))
           : kind == STRANDS_SUBNORMAL ? ldexp(1, -1030 - (int)dent_random_below(random, 44))
                                       : 1;
}

static inline void strand_place(struct strand_body *body, int kind, dent_random *random)
{
    double bend = strand_between(random, 0, 1), tiny = strand_tiny(kind, random);
    int exponents[3];
    for (int axis = 0; axis < 3; axis++) {
        exponents[axis] = (int)dent_random_below(random, 2000) - 1000;
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        uint32_t k, strand = strand_of_vertex(body, v, &k);
        double *p = body->xyz[v], *last = body->xyz[k > 0 ? v - 1 : v], t = 6.2831853 * k / 7;
        for (int axis = 0; axis < 3; axis++) {
            switch (kind) {
            case STRANDS_PARALLEL:
                p[axis] = axis == 0 ? k : axis == 1 ? strand % 4 : (double)(strand / 4) * 0.5;
                break;
            case STRANDS_NEARLY_PARALLEL:
                p[axis] = (axis == 0 ? k : axis == 1 ? 0.5 * (strand % 4) : 0.5 * (strand / 4)) +
                          ldexp(dent_random_unit(random), -(int)dent_random_below(random, 60));
                break;
            case STRANDS_COINCIDENT:
                p[axis] = axis == (int)(strand % 3) ? (strand % 2 ? 4.0 - k : k) : 1;
                break;
            case STRANDS_ZERO_LENGTH:
                p[axis] = k > 0 && dent_random_below(random, 3) ? last[axis] : dent_random_below(random, 4);
                break;
            case STRANDS_ALL_EQUAL:
                p[axis] = axis + 1;
                break;
            case STRANDS_CURLS:
                p[axis] = strand * 0.7 + (axis == 0 ? cos(t) : axis == 1 ? sin(t) : bend * 0.1 * k);
                break;
            case STRANDS_FUR:
                p[axis] = axis == 2 ? 0.5 * k : 0.3 * (axis ? strand / 5 : strand % 5) + bend * 0.02 * k * k +
                                                    0.05 * dent_random_unit(random);
                break;
            case STRANDS_ONE_HUGE:
                p[axis] = strand == 0 ? (k ? 1e3 : -1e3) * strand_between(random, 0.5, 1)
                                      : (k == 0 ? strand_between(random, -5, 5)
                                                : last[axis] + strand_between(random, -0.01, 0.01));
                break;
            case STRANDS_WIDE:
                p[axis] = ldexp((double)dent_random_below(random, 9) - 4, exponents[axis]) *
                          (dent_random_below(random, 4) ? 1 : 1 + 0x1p-40);
                break;
            case STRANDS_TINY: /* the tip of the first strand makes the world large */
                p[axis] = v + 1 == body->first[1] ? 1 : tiny * strand_between(random, k ? -0.2 : 0, 1);
                break;
            case STRANDS_SUBNORMAL:
                p[axis] = axis == 0 ? 1 : tiny * dent_random_unit(random);
                break;
            case STRANDS_OVERFLOW:
                p[axis] = (dent_random_below(random, 2) ? 1 : -1) *
                          ldexp(strand_between(random, 0.5, 1), 1021 + (int)dent_random_below(random, 4));
                break;
            default: /* random walks from roots in a small cube */
                p[axis] = k == 0 ? strand_between(random, 0, 3) : last[axis] + strand_between(random, -0.6, 0.7);
            }
        }
    }
}

static inline void strand_thicken(struct strand_body *body, int kind, dent_random *random)
{
    static const double choices[6] = {0, 0.25, 0.5, 0.1, 0.02, 0.3};
    body->thickness = choices[dent_random_below(random, 6)];
    if (kind == STRANDS_WIDE) {
        body->thickness = ldexp(dent_random_unit(random), (int)dent_random_below(random, 2090) - 1070);
    }
    if (kind == STRANDS_TINY || kind == STRANDS_SUBNORMAL) {
        body->thickness = ldexp(strand_tiny(kind, random), -(int)dent_random_below(random, 8));
    }
    if (kind == STRANDS_OVERFLOW) {
        body->thickness = ldexp(1, 1020 + (int)dent_random_below(random, 4));
    }
    if (kind == STRANDS_RADII || kind == STRANDS_ONE_HUGE || dent_random_below(random, 4) == 0) {
        body->radii = test_allocate(body->vertex_count + 1, sizeof *body->radii);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            double factor = dent_random_below(random, 5) ? dent_random_unit(random) : 0;
            body->radii[v] = body->thickness * factor;
            if (kind == STRANDS_ONE_HUGE && v < body->first[1]) {
                body->radii[v] = 3 * factor;
            }
        }
    }
}

/* Positions at t1: a little, or far, or nothing, away. */
static inline void strand_move(struct strand_body *body, int kind, dent_random *random)
{
    double scale = ldexp(1, (int)dent_random_below(random, 12) - 8);
    bool lattice = dent_random_below(random, 3) == 0;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            double by = lattice ? (double)dent_random_below(random, 3) - 1 : strand_between(random, -scale, scale);
            double moved = body->xyz[v][axis] + by;
            moved = kind == STRANDS_OVERFLOW ? body->xyz[v][axis] * strand_between(random, -1, 1) : moved;
            body->end[v][axis] = isfinite(moved) ? moved : body->xyz[v][axis];
        }
    }
}

/* `most`: strands of a body. The oracle of impact is slow, so that its scenes should be small. */
static inline void strand_scene_make(struct strand_scene *scene, int kind, uint64_t seed, uint32_t most)
{
    dent_random random = dent_random_seeded(seed * 7919 + (uint64_t)kind * 1000003 + 17);
    memset(scene, 0, sizeof *scene);
    bool alone = kind != STRANDS_WITH_SURFACE && kind != STRANDS_SHARED_ROOTS && dent_random_below(&random, 4);
    if (!alone && kind != STRANDS_WIDE && kind < STRANDS_TINY) {
        int of = kind == STRANDS_ALL_EQUAL ? SCENE_ALL_EQUAL : dent_random_below(&random, 2) ? SCENE_MIXED : SCENE_SURFACES;
        test_scene_make(&scene->others, of, seed);
    }
    scene->tie_roots = kind == STRANDS_SHARED_ROOTS && seed % 2;
    scene->root_on = kind == STRANDS_SHARED_ROOTS;
    uint32_t bodies = 1 + dent_random_below(&random, STRAND_BODIES_MAX);
    for (uint32_t i = 0; i < bodies; i++) {
        const uint32_t longest[4] = {2, 5, 9, most > 5 ? 24 : 4};
        struct strand_body *body = strand_body_new(scene, 1 + dent_random_below(&random, most),
                                                   longest[dent_random_below(&random, 4)], &random);
        strand_place(body, kind, &random);
        strand_thicken(body, kind, &random);
        strand_move(body, kind, &random);
    }
}

static inline void strand_scene_free(struct strand_scene *scene)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        free(scene->bodies[i].first);
        free(scene->bodies[i].xyz);
        free(scene->bodies[i].end);
        free(scene->bodies[i].radii);
    }
    test_scene_free(&scene->others);
}

static inline uint64_t strand_scene_segments(const struct strand_scene *scene)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        count += scene->bodies[i].vertex_count - scene->bodies[i].strand_count;
    }
    return count;
}

static inline dent_status strand_scene_add(const struct strand_scene *scene, dent_world *world)
{
    dent_status status = test_scene_add(&scene->others, world);
    for (uint32_t i = 0; i < scene->body_count && status == DENT_OK; i++) {
        const struct strand_body *body = &scene->bodies[i];
        uint32_t others = dent_world_body_count(world), tie_count = 0, root_count = 0;
        dent_same_as *ties = test_allocate(body->strand_count, sizeof *ties);
        dent_strand_root *roots = test_allocate(body->strand_count, sizeof *roots);
        for (uint32_t strand = 0; strand < body->strand_count && others > 0; strand++) {
            dent_body_id other = dent_world_body_at(world, strand % others);
            dent_body_topology topology;
            uint32_t faces;
            dent_body_get_topology(world, other, &topology);
            dent_body_surface_faces(world, other, &faces);
            if (scene->tie_roots && strand % 2 && topology.vertex_count > 0) {
                ties[tie_count++] = (dent_same_as){body->first[strand], other, strand % topology.vertex_count};
            }
            if (scene->root_on && faces > 0) {
                roots[root_count++] = (dent_strand_root){strand, other, strand % faces};
            }
        }
        dent_body_def def = dent_strands_def_default();
        dent_body_id id;
        def.strand_count = body->strand_count;
        def.first = body->first;
        def.vertex_count = body->vertex_count;
        def.positions_t0 = dent_positions_double(body->xyz[0]);
        def.positions_t1 = dent_positions_double(body->end[0]);
        def.radii = body->radii;
        def.thickness = body->thickness;
        def.self_collision = body->self_collision;
        def.same_as = ties;
        def.same_as_count = tie_count;
        def.root_on = roots;
        def.root_on_count = root_count;
        status = dent_world_add_body(world, &def, &id);
        free(ties);
        free(roots);
    }
    return status;
}

#endif
