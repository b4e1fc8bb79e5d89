/* Random moving scenes, and lists of impacts compared bit by bit. */
#ifndef DENT_TESTS_SUPPORT_IMPACT_H
#define DENT_TESTS_SUPPORT_IMPACT_H

#include "support/cmocka_includes.h"

#include "support/random_scene.h"
#include "support/test_context.h"

/* How the vertices move from t0 to t1. */
enum motion {
    MOTION_NONE,     /* no positions at t1 at all */
    MOTION_SHIFT,    /* each body by its own vector */
    MOTION_LATTICE,  /* each body by whole numbers: contacts at exact places and times */
    MOTION_JITTER,   /* each vertex by its own small vector */
    MOTION_WILD,     /* each vertex by its own large vector */
    MOTION_TURN,     /* each body turned */
    MOTION_COLLAPSE, /* everything to one point per body */
    MOTION_SOME,     /* every other body stands still, without positions at t1 */
    MOTION_COUNT
};

static inline const char *motion_name(int motion)
{
    static const char *const names[MOTION_COUNT] = {"none", "shift", "lattice",  "jitter",
                                                    "wild", "turn",  "collapse", "some"};
    return names[motion];
}

struct moving_scene {
    struct test_scene scene;
    double (*end[TEST_BODIES_MAX])[3]; /* null: none */
};

/* The size of things: of the numbers, so that scenes of 1e150 move by 1e150. */
static inline double scene_size(const struct test_scene *scene)
{
    double size = 0;
    for (uint32_t b = 0; b < scene->body_count; b++) {
        for (uint32_t v = 0; v < scene->bodies[b].vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                size = fmax(size, fabs(scene->bodies[b].xyz[v][axis]));
            }
        }
    }
    return size;
}

static inline void move_body(struct test_body *body, int motion, double size, dent_random *random)
{
    double by[3];
    for (int axis = 0; axis < 3; axis++) {
        by[axis] =
            motion == MOTION_LATTICE ? (double)dent_random_below(random, 5) - 2 : test_between(random, -size, size);
    }
    if (motion == MOTION_TURN) {
        test_turn(body, random);
        return;
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            double *x = &body->xyz[v][axis];
            switch (motion) {
            case MOTION_JITTER:
                *x += test_between(random, -0.1, 0.1) * size;
                break;
            case MOTION_WILD:
                *x += test_between(random, -1, 1) * size;
                break;
            case MOTION_COLLAPSE:
                *x = by[axis];
                break;
            default:
                *x += by[axis];
            }
        }
    }
}

/* The positions at t1 of a scene that has only those of t0. */
static inline void moving_scene_move(struct moving_scene *moving, int motion, dent_random *random)
{
    double size = scene_size(&moving->scene);
    for (uint32_t b = 0; b < moving->scene.body_count; b++) {
        struct test_body *body = &moving->scene.bodies[b];
        if (motion == MOTION_NONE || (motion == MOTION_SOME && b % 2)) {
            continue;
        }
        size_t bytes = body->vertex_count * sizeof *body->xyz;
        moving->end[b] = test_allocate(body->vertex_count, sizeof *body->xyz);
        double(*start)[3] = body->xyz;
        memcpy(moving->end[b], start, bytes);
        body->xyz = moving->end[b];
        move_body(body, motion, size, random);
        body->xyz = start;
    }
}

static inline void moving_scene_make(struct moving_scene *moving, int kind, int motion, uint64_t seed)
{
    memset(moving, 0, sizeof *moving);
    test_scene_make(&moving->scene, kind, seed);
    dent_random random = dent_random_seeded(seed * 7919 + (uint64_t)motion * 104729 + (uint64_t)kind);
    moving_scene_move(moving, motion, &random);
}

/* A few triangles or tetrahedra, on a lattice or not, tied, degenerate, at any size: small enough for thousands of
 * them. */
static inline void small_scene_make(struct moving_scene *moving, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed * 2654435761u + 17);
    struct test_scene *scene = &moving->scene;
    memset(moving, 0, sizeof *moving);
    bool lattice = dent_random_below(&random, 2) != 0;
    uint32_t bodies = 2 + dent_random_below(&random, 2);
    for (uint32_t b = 0; b < bodies; b++) {
        uint32_t choice = dent_random_below(&random, 5);
        if (choice < 2) {
            uint32_t vertices = 3 + dent_random_below(&random, 6), triangles = 1 + dent_random_below(&random, 5);
            struct test_body *body = test_scene_new_body(scene, DENT_BODY_SURFACE, vertices, triangles, 3 * triangles);
            for (uint32_t i = 0; i < triangles; i++) {
                uint32_t first = dent_random_below(&random, vertices),
                         step = 1 + dent_random_below(&random, (vertices - 1) / 2);
                for (uint32_t corner = 0; corner < 3; corner++) {
                    body->corners[3 * i + corner] = (first + corner * step) % vertices;
                }
            }
            for (uint32_t v = 0; v < vertices; v++) {
                for (int axis = 0; axis < 3; axis++) {
                    body->xyz[v][axis] = (double)dent_random_below(&random, 4);
                }
            }
        } else if (choice == 2) {
            test_add_sheet(scene, 1 + dent_random_below(&random, 2), 1);
        } else if (choice == 3) {
            test_add_block(scene, 1, 1, 1);
        } else {
            test_add_cube_surface(scene);
        }
        struct test_body *body = &scene->bodies[b];
        test_lattice_shift(body, &random, 2);
        if (!lattice) {
            test_turn(body, &random);
            test_jitter(body, &random, 0.2);
        }
    }
    scene->tie_equal_positions = lattice && dent_random_below(&random, 4) == 0;
    moving_scene_move(moving, (int)dent_random_below(&random, MOTION_COUNT), &random);
    static const double scales[8] = {1, 1, 1, 1, 0x1p-300, 0x1p300, 0x1p-20, 0x1p400};
    double scale = scales[dent_random_below(&random, 8)];
    for (uint32_t b = 0; b < scene->body_count; b++) {
        for (uint32_t v = 0; v < scene->bodies[b].vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                scene->bodies[b].xyz[v][axis] *= scale;
                if (moving->end[b]) {
                    moving->end[b][v][axis] *= scale;
                }
            }
        }
    }
}

static inline void moving_scene_free(struct moving_scene *moving)
{
    for (uint32_t b = 0; b < moving->scene.body_count; b++) {
        free(moving->end[b]);
    }
    test_scene_free(&moving->scene);
}

static inline dent_status moving_scene_place(const struct moving_scene *moving, dent_world *world)
{
    dent_status status = DENT_OK;
    for (uint32_t b = 0; b < moving->scene.body_count && status == DENT_OK; b++) {
        dent_positions start = dent_positions_double(moving->scene.bodies[b].xyz[0]);
        dent_positions end = dent_positions_double(moving->end[b] ? moving->end[b][0] : NULL);
        status = dent_body_set_positions(world, dent_world_body_at(world, b), &start, &end);
    }
    return status;
}

/* A world with the scene in it; null when memory runs out. */
static inline dent_world *moving_scene_world(const struct moving_scene *moving, dent_context *context)
{
    dent_world *world = dent_world_create(context);
    if (world && (test_scene_add(&moving->scene, world) != DENT_OK || moving_scene_place(moving, world) != DENT_OK)) {
        dent_world_destroy(world);
        return NULL;
    }
    return world;
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

struct impact_list {
    dent_impact *impacts;
    uint64_t count;
};

static inline struct impact_list ask_impacts(dent_world *world, const dent_impact_def *def)
{
    dent_impact_result result;
    dent_status status = dent_world_impacts(world, def, &result);
    if (status != DENT_OK) {
        fail_msg("%s: %s", dent_status_name(status), dent_world_message(world));
    }
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    struct impact_list list = {test_allocate(result.count + 1, sizeof *list.impacts), result.count};
    for (uint64_t i = 0; i < result.count; i++) {
        list.impacts[i] = result.impacts[i];
    }
    return list;
}

static inline struct impact_list impacts_by(dent_world *world, dent_method method)
{
    dent_impact_def def = dent_impact_def_default();
    def.method = method;
    return ask_impacts(world, &def);
}

static inline bool same_pair(const dent_impact *a, const dent_impact *b)
{
    return a->kind == b->kind && a->body_a == b->body_a && a->feature_a == b->feature_a && a->body_b == b->body_b &&
           a->feature_b == b->feature_b;
}

static inline bool same_impact(const dent_impact *a, const dent_impact *b)
{
    return same_pair(a, b) && memcmp(&a->toi, &b->toi, 6 * sizeof(double)) == 0;
}

static inline void print_impact(const char *what, const dent_impact *impact)
{
    print_error("%s kind %u body %u feature %u body %u feature %u toi %.17g u %.17g v %.17g n %.17g %.17g %.17g\n",
                what, impact->kind, impact->body_a, impact->feature_a, impact->body_b, impact->feature_b, impact->toi,
                impact->u, impact->v, impact->normal[0], impact->normal[1], impact->normal[2]);
}

/* Fails with the first difference. */
static inline void assert_same_impacts(const struct impact_list *a, const struct impact_list *b, const char *what)
{
    for (uint64_t i = 0; i < a->count || i < b->count; i++) {
        bool equal = i < a->count && i < b->count && same_impact(&a->impacts[i], &b->impacts[i]);
        if (!equal) {
            if (i < a->count) {
                print_impact("first: ", &a->impacts[i]);
            }
            if (i < b->count) {
                print_impact("second:", &b->impacts[i]);
            }
            fail_msg("%s: lists of %llu and %llu differ at %llu", what, (unsigned long long)a->count,
                     (unsigned long long)b->count, (unsigned long long)i);
        }
    }
}

static inline void free_impacts(struct impact_list *list)
{
    free(list->impacts);
    list->impacts = NULL;
}

#endif
