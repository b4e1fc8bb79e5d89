/* What AUTO learns from its own answers: the choice follows the overlap of the last answer and what certificates could
 * prove, the answer does not. */
#include "support/cmocka_includes.h"

#include "support/test_context.h"

#include <dent/query.h>
#include <dent/scene.h>

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS_MAX = 16 };

/* Two placements of the same blocks, far apart and deep in one another, and a world of them without reference shapes. */
struct blocks {
    dent_scene *apart, *together;
    dent_world *world;
    uint32_t count;
    double *positions[BLOCKS_MAX];
};

static dent_scene *make_scene(dent_context *context, double inside)
{
    dent_scene_setting setting = {"inside", inside};
    dent_scene_def def = dent_scene_def_default();
    def.name = "blocks-640k";
    def.scale = 0.055; /* 2,560 cells a block */
    def.settings = &setting;
    def.setting_count = 1;
    dent_scene *scene = NULL;
    assert_int_equal(dent_scene_create(context, &def, &scene), DENT_OK);
    return scene;
}

static struct blocks make_blocks(dent_context *context)
{
    struct blocks blocks = {.apart = make_scene(context, 0), .together = make_scene(context, 0.5)};
    blocks.world = dent_world_create(context);
    blocks.count = dent_scene_body_count(blocks.apart);
    assert_true(blocks.count <= BLOCKS_MAX);
    for (uint32_t i = 0; i < blocks.count; i++) {
        const dent_scene_body *body = dent_scene_body_at(blocks.apart, i);
        blocks.positions[i] = calloc(3 * (size_t)body->vertex_count, sizeof(double));
        dent_body_def def = dent_solid_def_default();
        def.vertex_count = body->vertex_count;
        def.element_count = body->element_count;
        def.element_corners = body->element_corners;
        def.positions_t0 = dent_positions_double(blocks.positions[i]);
        dent_body_id id;
        assert_int_equal(dent_world_add_body(blocks.world, &def, &id), DENT_OK);
    }
    return blocks;
}

static void free_blocks(struct blocks *blocks)
{
    dent_world_destroy(blocks->world);
    for (uint32_t i = 0; i < blocks->count; i++) {
        free(blocks->positions[i]);
    }
    dent_scene_destroy(blocks->apart);
    dent_scene_destroy(blocks->together);
}

static uint64_t ask(const struct blocks *blocks, dent_method method, dent_query_counters *counters)
{
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_QUESTION_FACE_CELL;
    def.method = method;
    dent_query_result result;
    assert_int_equal(dent_world_query(blocks->world, &def, &result), DENT_OK);
    *counters = result.counters;
    return dent_pair_list_hash(blocks->world, DENT_QUESTION_FACE_CELL, &result.face_cell);
}

/* AUTO's choice in a placement; its answer must be that of a method asked for by name. */
static dent_query_counters step(const struct blocks *blocks, const dent_scene *scene)
{
    dent_query_counters counters, ignored;
    for (uint32_t i = 0; i < blocks->count; i++) {
        dent_scene_positions(scene, i, 0, blocks->positions[i]);
    }
    uint64_t found = ask(blocks, DENT_METHOD_AUTO, &counters);
    assert_true(found == ask(blocks, DENT_METHOD_SPATIAL_HASH, &ignored));
    return counters;
}

static void auto_turns_to_the_clusters_while_much_overlaps(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 2; threads++) {
        dent_context *context = test_context(threads, DENT_ISA_AUTO);
        struct blocks blocks = make_blocks(context);
        assert_int_equal(step(&blocks, blocks.apart).method, DENT_METHOD_CONTOUR_WALK);
        assert_int_equal(step(&blocks, blocks.together).method, DENT_METHOD_CONTOUR_WALK); /* nothing known yet */
        dent_query_counters learned = step(&blocks, blocks.together);
        assert_int_equal(learned.method, DENT_METHOD_CLUSTER_SEARCH);
        assert_non_null(strstr(learned.reason, "much overlapped in the last answer"));
        assert_int_equal(step(&blocks, blocks.apart).method, DENT_METHOD_CLUSTER_SEARCH);
        assert_int_equal(step(&blocks, blocks.apart).method, DENT_METHOD_CONTOUR_WALK);
        free_blocks(&blocks);
        dent_context_destroy(context);
    }
}

/* ---- certificates that fail ---------------------------------------------------------------------------------------- */

/* Blocks far from one another, with their reference shapes. */
static struct blocks make_proven_blocks(dent_context *context)
{
    struct blocks blocks = {.apart = make_scene(context, 0)};
    blocks.world = dent_world_create(context);
    blocks.count = dent_scene_body_count(blocks.apart) / 4;
    for (uint32_t i = 0; i < blocks.count; i++) {
        const dent_scene_body *body = dent_scene_body_at(blocks.apart, i);
        blocks.positions[i] = calloc(3 * (size_t)body->vertex_count, sizeof(double));
        dent_body_def def = dent_solid_def_default();
        def.vertex_count = body->vertex_count;
        def.element_count = body->element_count;
        def.element_corners = body->element_corners;
        def.positions_t0 = dent_positions_double(blocks.positions[i]);
        def.reference = dent_positions_double(body->reference);
        dent_body_id id;
        assert_int_equal(dent_world_add_body(blocks.world, &def, &id), DENT_OK);
    }
    return blocks;
}

/* `slope` 0: the plain shape, which its reference proves free at once. Else layers are shifted in waves as steep as that:
 * still free, but above 2 nothing can be proven by one matrix, and a cluster holds a large part of a wave. */
static void shear(const struct blocks *blocks, double slope)
{
    const double pi = 3.14159265358979;
    for (uint32_t i = 0; i < blocks->count; i++) {
        uint32_t vertices = dent_scene_body_at(blocks->apart, i)->vertex_count;
        double(*xyz)[3] = (double(*)[3])blocks->positions[i], low = INFINITY, high = -INFINITY;
        dent_scene_positions(blocks->apart, i, 0, blocks->positions[i]);
        for (uint32_t v = 0; v < vertices; v++) {
            low = fmin(low, xyz[v][1]);
            high = fmax(high, xyz[v][1]);
        }
        double wave = 2 * pi / (high - low);
        for (uint32_t v = 0; v < vertices; v++) {
            xyz[v][0] += 1000 * (double)i + slope / wave * sin(wave * (xyz[v][1] - low));
        }
    }
}

static dent_query_counters sheared_step(const struct blocks *blocks, double slope)
{
    dent_query_counters counters, ignored;
    shear(blocks, slope);
    uint64_t found = ask(blocks, DENT_METHOD_AUTO, &counters);
    assert_true(found == ask(blocks, DENT_METHOD_SPATIAL_HASH, &ignored));
    return counters;
}

/* How many steps AUTO walks, one after the other, before it takes the clusters again. */
static uint32_t count_walks(const struct blocks *blocks, double slope, dent_query_counters *then)
{
    uint32_t walks = 0;
    *then = sheared_step(blocks, slope);
    for (; then->method == DENT_METHOD_CONTOUR_WALK && walks < 1000; walks++) {
        assert_non_null(strstr(then->reason, "the reference shapes proved too little in the last queries"));
        *then = sheared_step(blocks, slope);
    }
    assert_int_equal(then->method, DENT_METHOD_CLUSTER_SEARCH);
    return walks;
}

static void auto_leaves_the_clusters_while_certificates_fail_and_tries_them_again(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct blocks blocks = make_proven_blocks(context);
    dent_query_counters then;
    for (int i = 0; i < 20; i++) {
        then = sheared_step(&blocks, 0);
        assert_int_equal(then.method, DENT_METHOD_CLUSTER_SEARCH);
        assert_int_equal(then.certified_bodies, blocks.count);
    }
    uint32_t steps = 0; /* one failure may be chance: the second one, after a step without a try, counts */
    for (then = sheared_step(&blocks, 4); then.method == DENT_METHOD_CLUSTER_SEARCH; steps++) {
        assert_int_equal(then.certified_bodies, 0);
        then = sheared_step(&blocks, 4);
    }
    assert_int_equal(steps, 3);
    assert_int_equal(then.method, DENT_METHOD_CONTOUR_WALK);
    assert_int_equal(1 + count_walks(&blocks, 4, &then), 16);
    assert_non_null(strstr(then.reason, "tried again"));
    assert_int_equal(count_walks(&blocks, 4, &then), 32); /* they failed again */
    assert_non_null(strstr(then.reason, "tried again"));
    assert_int_equal(count_walks(&blocks, 0, &then), 64); /* nobody knows yet that they would hold */
    assert_int_equal(then.certified_bodies, blocks.count);
    for (int i = 0; i < 20; i++) {
        then = sheared_step(&blocks, 0);
        assert_int_equal(then.method, DENT_METHOD_CLUSTER_SEARCH);
        assert_null(strstr(then.reason, "again"));
    }
    free_blocks(&blocks);
    dent_context_destroy(context);
}

static void a_change_of_the_bodies_gives_certificates_another_chance(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct blocks blocks = make_proven_blocks(context);
    dent_query_counters then;
    for (int i = 0; i < 3; i++) {
        then = sheared_step(&blocks, 4);
    }
    assert_int_equal(sheared_step(&blocks, 4).method, DENT_METHOD_CONTOUR_WALK);
    const double xyz[4][3] = {{0, -900, 0}, {1, -900, 0}, {0, -899, 0}, {0, -900, 1}};
    const uint32_t corners[4] = {0, 1, 2, 3};
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = 4;
    def.element_count = 1;
    def.element_corners = corners;
    def.positions_t0 = dent_positions_double(&xyz[0][0]);
    dent_body_id id;
    assert_int_equal(dent_world_add_body(blocks.world, &def, &id), DENT_OK);
    then = sheared_step(&blocks, 4);
    assert_int_equal(then.method, DENT_METHOD_CLUSTER_SEARCH);
    free_blocks(&blocks);
    dent_context_destroy(context);
}

/* A session of a world: what was chosen in each step. */
enum { SESSION = 40 };
struct session {
    struct blocks blocks;
    double slope; /* of the middle third; the plain shape before and after */
    dent_method chosen[SESSION];
};

static void *run_session(void *data)
{
    struct session *session = data;
    for (int i = 0; i < SESSION; i++) {
        shear(&session->blocks, i > 5 && i < 30 ? session->slope : 0);
        dent_query_counters counters = {0};
        (void)ask(&session->blocks, DENT_METHOD_AUTO, &counters);
        session->chosen[i] = counters.method;
    }
    return NULL;
}

static void auto_learns_in_each_world_for_itself_however_many_there_are_at_once(void **state)
{
    (void)state;
    enum { WORLDS = 4 };
    struct session alone[WORLDS], together[WORLDS];
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    pthread_t threads[WORLDS];
    uint32_t walks = 0;
    for (int i = 0; i < WORLDS; i++) {
        alone[i] = (struct session){.blocks = make_proven_blocks(context), .slope = i % 2 == 0 ? 4 : 0.2};
        run_session(&alone[i]);
        for (int step_number = 0; step_number < SESSION; step_number++) {
            walks += alone[i].chosen[step_number] == DENT_METHOD_CONTOUR_WALK;
            assert_true(i % 2 == 0 || alone[i].chosen[step_number] == DENT_METHOD_CLUSTER_SEARCH);
        }
    }
    assert_true(walks >= 2 * 16);
    for (int i = 0; i < WORLDS; i++) {
        together[i] = (struct session){.blocks = make_proven_blocks(context), .slope = alone[i].slope};
    }
    for (int i = 0; i < WORLDS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, run_session, &together[i]), 0);
    }
    for (int i = 0; i < WORLDS; i++) {
        pthread_join(threads[i], NULL);
        assert_memory_equal(together[i].chosen, alone[i].chosen, sizeof alone[i].chosen);
        free_blocks(&together[i].blocks);
        free_blocks(&alone[i].blocks);
    }
    dent_context_destroy(context);
}

static void what_auto_learns_is_the_same_for_any_threads_and_instruction_set(void **state)
{
    (void)state;
    struct session first = {.slope = 0};
    for (int i = 0; i < 2 * DENT_ISA_COUNT; i++) {
        if (!dent_isa_available((dent_isa)(i / 2))) {
            continue;
        }
        dent_context *context = test_context(1 + 2 * ((uint32_t)i % 2), (dent_isa)(i / 2));
        struct session session = {.blocks = make_proven_blocks(context), .slope = 4};
        run_session(&session);
        if (i == 0) {
            first = session;
        }
        assert_memory_equal(session.chosen, first.chosen, sizeof first.chosen);
        free_blocks(&session.blocks);
        dent_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(auto_turns_to_the_clusters_while_much_overlaps),
        cmocka_unit_test(auto_leaves_the_clusters_while_certificates_fail_and_tries_them_again),
        cmocka_unit_test(a_change_of_the_bodies_gives_certificates_another_chance),
        cmocka_unit_test(auto_learns_in_each_world_for_itself_however_many_there_are_at_once),
        cmocka_unit_test(what_auto_learns_is_the_same_for_any_threads_and_instruction_set),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
