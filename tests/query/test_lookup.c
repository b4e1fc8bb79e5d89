/* Rays, closest points and distances: what they mean on cases one can draw, what is rejected and with which words; and the
 * search against the oracle, bit by bit, on random surfaces and at all magnitudes, for every instruction set and several
 * threads. */
#include "support/cmocka_includes.h"

#include <dent/lookup.h>
#include <float.h>
#include <math.h>

#include "support/failing_allocator.h"
#include "support/random_surface.h"
#include "support/test_context.h"
#include "support/wide_scene.h"

enum { QUERIES = 24 };

static dent_ray_result cast(dent_world *world, const double (*from)[3], const double (*to)[3], uint32_t count,
                            dent_method method)
{
    dent_ray_def def = dent_ray_def_default();
    dent_ray_result result;
    def.starts = dent_positions_double(from[0]);
    def.ends = dent_positions_double(to[0]);
    def.count = count;
    def.method = method;
    assert_int_equal(dent_world_cast_rays(world, &def, &result), DENT_OK);
    assert_int_equal(result.count, count);
    return result;
}

static dent_closest_result closest(dent_world *world, const double (*points)[3], uint32_t count, double max_distance,
                                   dent_method method)
{
    dent_closest_def def = dent_closest_def_default();
    dent_closest_result result;
    def.points = dent_positions_double(points[0]);
    def.count = count;
    def.max_distance = max_distance;
    def.method = method;
    assert_int_equal(dent_world_closest_points(world, &def, &result), DENT_OK);
    assert_int_equal(result.count, count);
    return result;
}

static dent_distance_result distance(dent_world *world, uint32_t a, uint32_t b, dent_method method)
{
    dent_distance_def def = dent_distance_def_default();
    dent_distance_result result;
    def.body_a = dent_world_body_at(world, a);
    def.body_b = dent_world_body_at(world, b);
    def.method = method;
    assert_int_equal(dent_world_distance(world, &def, &result), DENT_OK);
    memset(&result.counters, 0, sizeof result.counters); /* work is not part of the answer */
    return result;
}

static dent_body_id add_face(dent_world *world, const double (*xyz)[3])
{
    static const uint32_t corners[3] = {0, 1, 2};
    dent_body_def def = dent_surface_def_default();
    dent_body_id id;
    def.vertex_count = 3;
    def.element_count = 1;
    def.element_corners = corners;
    def.positions_t0 = dent_positions_double(xyz[0]);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return id;
}

/* ---- meanings ---------------------------------------------------------------------------------------------------- */

static const double floor_face[3][3] = {{0, 0, 0}, {4, 0, 0}, {0, 4, 0}};
static const double upper_face[3][3] = {{0, 0, 2}, {4, 0, 2}, {0, 4, 2}};
static const dent_method methods[2] = {DENT_METHOD_BRUTE_FORCE, DENT_METHOD_SURFACE_TREE};

static void a_ray_reports_the_first_face_with_everything(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    const double from[5][3] = {{1, 1, 4}, {1, 1, -4}, {1, 1, 4}, {4, 0, 1}, {9, 9, 9}},
                 to[5][3] = {{1, 1, -4}, {1, 1, 4}, {1, 1, 2.5}, {4, 0, -1}, {8, 8, 9}};
    add_face(world, floor_face);
    add_face(world, upper_face);
    for (int m = 0; m < 2; m++) {
        dent_ray_result result = cast(world, from, to, 5, methods[m]);
        assert_int_equal(result.hits[0].body, 1); /* from above: the upper one */
        assert_true(result.hits[0].time == 0.25 && result.hits[0].point[2] == 2 && result.hits[0].normal[2] == 1);
        assert_true(result.hits[0].weights[0] == 0.5 && result.hits[0].weights[1] == 0.25);
        assert_int_equal(result.hits[1].body, 0); /* from below */
        assert_true(result.hits[1].time == 0.5 && result.hits[1].normal[2] == -1);
        assert_int_equal(result.hits[2].body, DENT_LOOKUP_NONE); /* ends before */
        assert_true(result.hits[2].time == 1 && result.hits[2].point[2] == 2.5 && result.hits[2].normal[2] == 0);
        assert_int_equal(result.hits[3].body, 0); /* through a corner: closed */
        assert_int_equal(result.hits[4].body, DENT_LOOKUP_NONE);
        assert_int_equal(result.counters.method, methods[m]);
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void the_mask_chooses_the_bodies(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    const double from[1][3] = {{1, 1, 4}}, to[1][3] = {{1, 1, -4}};
    add_face(world, floor_face);
    assert_int_equal(dent_body_set_filter(world, add_face(world, upper_face), 2, UINT32_MAX, true), DENT_OK);
    dent_ray_def ray = dent_ray_def_default();
    dent_ray_result hit;
    ray.starts = dent_positions_double(from[0]);
    ray.ends = dent_positions_double(to[0]);
    ray.count = 1;
    ray.mask = ~2u;
    assert_int_equal(dent_world_cast_rays(world, &ray, &hit), DENT_OK);
    assert_int_equal(hit.hits[0].body, 0);
    dent_closest_def near = dent_closest_def_default();
    dent_closest_result point;
    near.points = dent_positions_double(from[0]);
    near.count = 1;
    near.mask = ~2u;
    assert_int_equal(dent_world_closest_points(world, &near, &point), DENT_OK);
    assert_int_equal(point.points[0].body, 0);
    assert_true(point.points[0].distance == 4);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void the_closest_point_has_distance_direction_and_weights(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    const double points[4][3] = {{1, 1, 0.5}, {-3, 0, -4}, {1, 1, 1}, {1, 1, 100}};
    add_face(world, floor_face);
    add_face(world, upper_face);
    for (int m = 0; m < 2; m++) {
        dent_closest_result result = closest(world, points, 4, 50, methods[m]);
        assert_true(result.points[0].distance == 0.5 && result.points[0].direction[2] == 1);
        assert_true(result.points[0].point[2] == 0 && result.points[0].weights[0] == 0.5);
        assert_true(result.points[1].distance == 5 && result.points[1].weights[0] == 1); /* a corner */
        assert_int_equal(result.points[2].body, 0); /* equally far from both: the lower index */
        assert_int_equal(result.points[3].body, DENT_LOOKUP_NONE); /* farther than 50 */
        assert_true(isinf(result.points[3].distance) && result.points[3].point[2] == 100);
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void the_distance_of_two_bodies_is_that_of_their_surfaces(void **state)
{
    (void)state;
    static const double needle[3][3] = {{1, 1, 3}, {1, 1.5, 3}, {1, 1, 0.5}}, through[3][3] = {{1, 1, 1}, {1, 2, 1}, {1, 1, -1}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    add_face(world, floor_face);
    add_face(world, needle);
    add_face(world, through);
    for (int m = 0; m < 2; m++) {
        dent_distance_result result = distance(world, 0, 1, methods[m]);
        assert_true(result.distance == 0.5 && !result.crossing && result.vertex_face && result.vertex_is_b);
        assert_int_equal(result.feature_b, 2);
        assert_true(result.point_b[2] == 0.5 && result.point_a[2] == 0 && result.direction[2] == -1);
        result = distance(world, 1, 0, methods[m]);
        assert_true(result.distance == 0.5 && !result.vertex_is_b && result.direction[2] == 1);
        result = distance(world, 0, 2, methods[m]);
        assert_true(result.distance == 0 && result.crossing);
        assert_int_equal(result.feature_a, DENT_LOOKUP_NONE);
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void strands_have_no_faces_to_meet(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    static const double xyz[2][3] = {{1, 1, 1}, {1, 2, 1}};
    static const uint32_t first[2] = {0, 2};
    dent_body_def def = dent_strands_def_default();
    dent_body_id id;
    def.vertex_count = 2;
    def.strand_count = 1;
    def.first = first;
    def.thickness = 0.1;
    def.positions_t0 = dent_positions_double(xyz[0]);
    add_face(world, floor_face);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    const double from[1][3] = {{1, 1.5, 2}}, to[1][3] = {{1, 1.5, -1}};
    assert_int_equal(cast(world, from, to, 1, DENT_METHOD_AUTO).hits[0].body, 0);
    assert_int_equal(closest(world, from, 1, INFINITY, DENT_METHOD_AUTO).points[0].body, 0);
    assert_true(isinf(distance(world, 0, 1, DENT_METHOD_AUTO).distance));
    dent_world_destroy(world);
    dent_context_destroy(context);
}

/* ---- rejected ---------------------------------------------------------------------------------------------------- */

static void bad_calls_are_rejected_in_words(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_body_id body = add_face(world, floor_face);
    const double points[2][3] = {{1, 1, 1}, {1, NAN, 1}};
    dent_ray_def ray = dent_ray_def_default();
    dent_ray_result hits = {.count = 77};
    ray.count = 2;
    assert_int_equal(dent_world_cast_rays(world, &ray, &hits), DENT_ERROR_INVALID_ARGUMENT);
    ray.starts = ray.ends = dent_positions_double(points[0]);
    assert_int_equal(dent_world_cast_rays(world, &ray, &hits), DENT_ERROR_BAD_NUMBER);
    assert_non_null(strstr(dent_world_message(world), "the start of ray 1 is (1, nan, 1)"));
    ray.count = 1;
    ray.method = DENT_METHOD_SPATIAL_HASH;
    assert_int_equal(dent_world_cast_rays(world, &ray, &hits), DENT_ERROR_UNSUPPORTED);
    ray.struct_size = 1;
    assert_int_equal(dent_world_cast_rays(world, &ray, &hits), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(hits.count, 77);
    dent_closest_def near = dent_closest_def_default();
    dent_closest_result result;
    near.max_distance = NAN;
    assert_int_equal(dent_world_closest_points(world, &near, &result), DENT_ERROR_BAD_NUMBER);
    dent_distance_def apart = dent_distance_def_default();
    dent_distance_result length;
    apart.body_a = apart.body_b = body;
    assert_int_equal(dent_world_distance(world, &apart, &length), DENT_ERROR_INVALID_ARGUMENT);
    apart.body_b = (dent_body_id){0};
    assert_int_equal(dent_world_distance(world, &apart, &length), DENT_ERROR_STALE_ID);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void a_cancelled_call_says_so(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    const double point[1][3] = {{1, 1, 1}};
    const int cancel = 1;
    add_face(world, floor_face);
    add_face(world, upper_face);
    dent_closest_def near = dent_closest_def_default();
    dent_closest_result result;
    near.points = dent_positions_double(point[0]);
    near.count = 1;
    near.cancel = &cancel;
    assert_int_equal(dent_world_closest_points(world, &near, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_CANCELLED);
    assert_null(result.points);
    dent_distance_def apart = dent_distance_def_default();
    dent_distance_result length;
    apart.body_a = dent_world_body_at(world, 0);
    apart.body_b = dent_world_body_at(world, 1);
    apart.cancel = &cancel;
    assert_int_equal(dent_world_distance(world, &apart, &length), DENT_OK);
    assert_int_equal(length.outcome, DENT_OUTCOME_CANCELLED);
    assert_true(isinf(length.distance));
    dent_world_destroy(world);
    dent_context_destroy(context);
}

/* ---- the oracle -------------------------------------------------------------------------------------------------- */

/* Places near, on and far from the vertices of a scene. */
static void draw_place(const struct test_scene *scene, dent_random *random, double p[3])
{
    const struct test_body *body = &scene->bodies[dent_random_below(random, scene->body_count)];
    const double *a = body->xyz[dent_random_below(random, body->vertex_count)],
                 *b = body->xyz[dent_random_below(random, body->vertex_count)];
    double weight = test_between(random, -0.5, 1.5);
    uint32_t kind = dent_random_below(random, 8);
    for (int axis = 0; axis < 3; axis++) {
        double x = kind == 0 ? a[axis] : a[axis] * (1 - weight) + b[axis] * weight;
        x = kind == 1 ? x * 1e6 : kind == 2 ? x * 1e25 : x;
        p[axis] = isfinite(x) ? x : a[axis];
    }
}

/* Rays that are hard on purpose: through corners and along edges of a face, in its plane, through the middle of an edge,
 * without length, of the smallest lengths, from far away, ending where another begins. */
enum hard_ray { RAY_AT_CORNER, RAY_ALONG_EDGE, RAY_IN_PLANE, RAY_AT_EDGE, RAY_POINT, RAY_TINY, RAY_FAR, RAY_ENDS_ON, HARD_RAYS };

static const char *const hard_ray_names[HARD_RAYS] = {"at a corner", "along an edge", "in the plane", "at an edge",
                                                      "no length",   "tiny",          "from far away", "ends on the face"};

static double finite_or(double x, double instead)
{
    return isfinite(x) ? x : instead;
}

static void draw_hard_ray(const struct test_scene *scene, dent_random *random, enum hard_ray kind, double from[3],
                          double to[3])
{
    const struct test_body *body = &scene->bodies[dent_random_below(random, scene->body_count)];
    uint32_t per_element = body->kind == DENT_BODY_SOLID ? 4 : 3, element = dent_random_below(random, body->element_count);
    const double *corner[3];
    for (uint32_t k = 0; k < 3; k++) {
        corner[k] = body->xyz[body->corners[per_element * element + k]];
    }
    double length = kind == RAY_FAR ? 0x1p60 : kind == RAY_TINY ? 0x1p-60 : 1;
    for (int axis = 0; axis < 3; axis++) {
        double a = corner[0][axis], b = corner[1][axis], c = corner[2][axis], along = test_between(random, -1, 1);
        double size = finite_or(fabs(b - a) + fabs(c - a), 1);
        double target = kind == RAY_AT_EDGE ? a / 2 + b / 2 : kind == RAY_FAR ? a / 2 + b / 4 + c / 4 : a;
        double step = kind == RAY_ALONG_EDGE  ? b - a
                      : kind == RAY_IN_PLANE ? (b - a) + (c - a)
                                             : along * length * (size > 0 ? size : 0x1p-1074);
        from[axis] = kind == RAY_POINT || kind == RAY_ENDS_ON ? target : finite_or(target - step, a);
        to[axis] = kind == RAY_POINT ? target : finite_or(target + step, a);
    }
    if (kind == RAY_ENDS_ON) {
        double swap[3];
        memcpy(swap, from, sizeof swap);
        memcpy(from, to, sizeof swap);
        memcpy(to, swap, sizeof swap);
    }
}

struct expected {
    dent_ray_hit rays[QUERIES];
    dent_closest_point points[QUERIES];
    dent_distance_result distance;
};

static void answer(dent_world *world, const double (*from)[3], const double (*to)[3], double max_distance,
                   dent_method method, struct expected *answers)
{
    memset(answers, 0, sizeof *answers);
    memcpy(answers->rays, cast(world, from, to, QUERIES, method).hits, sizeof answers->rays);
    memcpy(answers->points, closest(world, from, QUERIES, max_distance, method).points, sizeof answers->points);
    if (dent_world_body_count(world) > 1) {
        answers->distance = distance(world, 0, 1, method);
    }
}

static void compare(const char *what, uint64_t seed, const struct expected *expected, const struct expected *found)
{
    for (int i = 0; i < QUERIES; i++) {
        if (memcmp(&expected->rays[i], &found->rays[i], sizeof expected->rays[i])) {
            fail_msg("%s %llu, ray %d: face %u/%u at %a, the oracle has %u/%u at %a", what, (unsigned long long)seed, i,
                     found->rays[i].body, found->rays[i].face, found->rays[i].time, expected->rays[i].body,
                     expected->rays[i].face, expected->rays[i].time);
        }
        if (memcmp(&expected->points[i], &found->points[i], sizeof expected->points[i])) {
            fail_msg("%s %llu, point %d: face %u/%u at %a, the oracle has %u/%u at %a", what, (unsigned long long)seed,
                     i, found->points[i].body, found->points[i].face, found->points[i].distance,
                     expected->points[i].body, expected->points[i].face, expected->points[i].distance);
        }
    }
    const dent_distance_result *a = &expected->distance, *b = &found->distance;
    if (!(a->distance == b->distance && a->crossing == b->crossing && a->feature_a == b->feature_a &&
          a->feature_b == b->feature_b && a->vertex_face == b->vertex_face && a->vertex_is_b == b->vertex_is_b &&
          !memcmp(a->direction, b->direction, sizeof a->direction))) {
        fail_msg("%s %llu: distance %a (%u, %u), the oracle has %a (%u, %u)", what, (unsigned long long)seed, b->distance,
                 b->feature_a, b->feature_b, a->distance, a->feature_a, a->feature_b);
    }
}

/* Whether draw_hard_ray() can read every body: tetrahedra and triangles. */
static bool has_faces(const struct test_scene *scene)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        if (scene->bodies[i].element_count == 0 || scene->bodies[i].cell_kinds) {
            return false;
        }
    }
    return scene->body_count > 0;
}

struct tally {
    uint64_t scenes, hits, rays, crossing, hard[HARD_RAYS], hard_hits[HARD_RAYS];
};

static void check_scene(const struct wide_contexts *contexts, const struct test_scene *scene, const char *what,
                        uint64_t seed, struct tally *tally)
{
    dent_random random = dent_random_seeded(seed * 7919 + 1);
    double from[QUERIES][3], to[QUERIES][3];
    struct expected expected, found;
    for (int i = 0; i < QUERIES; i++) {
        draw_place(scene, &random, from[i]);
        draw_place(scene, &random, to[i]);
        if (i % 2 && has_faces(scene)) {
            draw_hard_ray(scene, &random, (enum hard_ray)(i / 2 % HARD_RAYS), from[i], to[i]);
        }
    }
    for (uint32_t i = 0; i < 3 && i < contexts->count; i++) { /* every instruction set, threads in turn */
        dent_world *world = dent_world_create(contexts->at[(i + 3 * seed) % contexts->count]);
        assert_int_equal(test_scene_add(scene, world), DENT_OK);
        double limit = INFINITY;
        if (i == 0) {
            answer(world, (const double(*)[3])from, (const double(*)[3])to, limit, DENT_METHOD_BRUTE_FORCE, &expected);
            if (seed % 5 == 0) { /* exactly as far as one of them */
                limit = expected.points[0].distance < INFINITY ? expected.points[0].distance : 0;
            }
        }
        answer(world, (const double(*)[3])from, (const double(*)[3])to, INFINITY, DENT_METHOD_SURFACE_TREE, &found);
        compare(what, seed, &expected, &found);
        if (limit < INFINITY) {
            struct expected near_oracle;
            answer(world, (const double(*)[3])from, (const double(*)[3])to, limit, DENT_METHOD_BRUTE_FORCE, &near_oracle);
            answer(world, (const double(*)[3])from, (const double(*)[3])to, limit, DENT_METHOD_SURFACE_TREE, &found);
            compare(what, seed, &near_oracle, &found);
        }
        dent_world_destroy(world);
    }
    tally->scenes++;
    tally->rays += QUERIES;
    tally->crossing += expected.distance.crossing;
    for (int i = 0; i < QUERIES; i++) {
        bool hit = expected.rays[i].body != DENT_LOOKUP_NONE;
        tally->hits += hit;
        if (i % 2 && has_faces(scene)) {
            tally->hard[i / 2 % HARD_RAYS]++;
            tally->hard_hits[i / 2 % HARD_RAYS] += hit;
        }
    }
}

static void report(const char *what, const struct tally *tally)
{
    print_message("%s: %llu scenes, %llu rays, %llu hits, %llu pairs of bodies meet\n", what,
                  (unsigned long long)tally->scenes, (unsigned long long)tally->rays, (unsigned long long)tally->hits,
                  (unsigned long long)tally->crossing);
    assert_true(10 * tally->hits > tally->rays && tally->crossing > 0);
    for (int kind = 0; kind < HARD_RAYS; kind++) {
        print_message("  %s: %llu of %llu hit\n", hard_ray_names[kind], (unsigned long long)tally->hard_hits[kind],
                      (unsigned long long)tally->hard[kind]);
        assert_true(tally->hard_hits[kind] > 0);
    }
}

static void the_search_equals_the_oracle_on_random_surfaces(void **state)
{
    (void)state;
    struct wide_contexts contexts = wide_contexts_open();
    struct tally tally = {0};
    uint64_t rounds = test_count(1, 3, 60);
    for (uint64_t seed = 1; seed <= rounds * SURFACE_KIND_COUNT; seed++) {
        struct test_body bodies[2] = {
            random_surface_make((int)(seed % SURFACE_KIND_COUNT), seed, 20 + (uint32_t)(seed * 37 % 500)),
            random_surface_make((int)(seed * 11 / 7 % SURFACE_KIND_COUNT), seed + 1000, 60)};
        struct test_scene scene = {.body_count = 2};
        scene.bodies[0] = bodies[0];
        scene.bodies[1] = bodies[1];
        check_scene(&contexts, &scene, "surfaces of seed", seed, &tally);
        random_surface_free(&bodies[0]);
        random_surface_free(&bodies[1]);
    }
    report("random surfaces", &tally);
    wide_contexts_close(&contexts);
}

static void the_search_equals_the_oracle_at_every_magnitude(void **state)
{
    (void)state;
    struct wide_contexts contexts = wide_contexts_open();
    struct tally tally = {0};
    uint64_t scenes = test_count(40, 200, 6000);
    for (uint64_t seed = 1; seed <= scenes; seed++) {
        struct wide_draw draw = wide_draw_make(seed, 5);
        struct test_scene scene;
        wide_scene_make(&draw, &scene, false);
        check_scene(&contexts, &scene, "magnitudes of seed", seed, &tally);
        test_scene_free(&scene);
    }
    report("all magnitudes", &tally);
    wide_contexts_close(&contexts);
}

static void the_search_equals_the_oracle_among_many_bodies(void **state)
{
    (void)state;
    struct wide_contexts contexts = wide_contexts_open();
    struct tally tally = {0};
    uint64_t scenes = test_count(20, 100, 2000);
    for (uint64_t seed = 1; seed <= scenes; seed++) {
        struct test_scene scene;
        test_scene_make(&scene, (int)(seed % SCENE_KIND_COUNT), seed);
        bool empty = scene.body_count == 0;
        for (uint32_t i = 0; i < scene.body_count; i++) {
            empty |= scene.bodies[i].vertex_count == 0;
        }
        if (!empty) {
            check_scene(&contexts, &scene, "scene of seed", seed, &tally);
        }
        test_scene_free(&scene);
    }
    report("random scenes", &tally);
    wide_contexts_close(&contexts);
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static void whichever_request_for_memory_fails_the_world_answers_again(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    const double from[1][3] = {{1, 1, 4}}, to[1][3] = {{1, 1, -4}};
    bool done = false;
    for (uint64_t fail_at = 1; !done && fail_at < 200; fail_at++) {
        dent_context *context = dent_context_create(&context_def, NULL);
        dent_world *world = dent_world_create(context);
        add_face(world, floor_face);
        add_face(world, upper_face);
        dent_ray_def ray = dent_ray_def_default();
        dent_closest_def near = dent_closest_def_default();
        dent_distance_def apart = dent_distance_def_default();
        dent_ray_result hits;
        dent_closest_result points;
        dent_distance_result length;
        ray.starts = near.points = dent_positions_double(from[0]);
        ray.ends = dent_positions_double(to[0]);
        ray.count = near.count = 1;
        apart.body_a = dent_world_body_at(world, 0);
        apart.body_b = dent_world_body_at(world, 1);
        memory.requests = 0;
        memory.fail_at = fail_at;
        dent_status status = dent_world_cast_rays(world, &ray, &hits);
        status = status == DENT_OK ? dent_world_closest_points(world, &near, &points) : status;
        status = status == DENT_OK ? dent_world_distance(world, &apart, &length) : status;
        memory.fail_at = 0;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        done = status == DENT_OK;
        assert_int_equal(dent_world_cast_rays(world, &ray, &hits), DENT_OK);
        assert_int_equal(hits.hits[0].body, 1);
        uint64_t before = memory.requests;
        assert_int_equal(dent_world_cast_rays(world, &ray, &hits), DENT_OK);
        assert_int_equal(memory.requests, before); /* nothing is allocated after warm-up */
        dent_world_destroy(world);
        dent_context_destroy(context);
    }
    assert_true(done);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ray_reports_the_first_face_with_everything),
        cmocka_unit_test(the_mask_chooses_the_bodies),
        cmocka_unit_test(the_closest_point_has_distance_direction_and_weights),
        cmocka_unit_test(the_distance_of_two_bodies_is_that_of_their_surfaces),
        cmocka_unit_test(strands_have_no_faces_to_meet),
        cmocka_unit_test(bad_calls_are_rejected_in_words),
        cmocka_unit_test(a_cancelled_call_says_so),
        cmocka_unit_test(the_search_equals_the_oracle_on_random_surfaces),
        cmocka_unit_test(the_search_equals_the_oracle_at_every_magnitude),
        cmocka_unit_test(the_search_equals_the_oracle_among_many_bodies),
        cmocka_unit_test(whichever_request_for_memory_fails_the_world_answers_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
