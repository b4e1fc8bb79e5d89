/* Worlds of one context, each on a thread of its own: they share the pool, the allocator's counters and the context's
 * message, and nothing else. The thread sanitizer watches (.ci/run); every thread must come to the same answers. */
#include "support/cmocka_includes.h"

#include "support/random_scene.h"

#include <pthread.h>

enum { THREADS = 3 };

struct worker {
    dent_context *context;
    uint64_t fingerprint;
    bool failed;
};

static uint64_t answer(dent_world *world, dent_method method, bool *failed)
{
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    dent_check_def check_def = dent_check_def_default();
    dent_check_result check;
    def.questions = dent_method_questions(method);
    def.method = method;
    def.touching = true;
    if (dent_world_query(world, &def, &result) != DENT_OK) {
        *failed = true;
        return 0;
    }
    uint64_t fingerprint = dent_pair_list_hash(world, DENT_QUESTION_VERTEX_CELL, &result.vertex_cell);
    fingerprint = fingerprint * 31 + dent_pair_list_hash(world, DENT_QUESTION_FACE_CELL, &result.face_cell);
    fingerprint = fingerprint * 31 + dent_pair_list_hash(world, DENT_QUESTION_FACE_FACE, &result.face_face);
    if (dent_world_check(world, &check_def, &check) != DENT_OK) {
        *failed = true;
        return 0;
    }
    return fingerprint * 31 + check.pair_count;
}

static void *run_worker(void *data)
{
    struct worker *worker = data;
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        struct test_scene scene;
        char message[64];
        test_scene_make(&scene, kind, 3);
        dent_world *world = dent_world_create(worker->context);
        worker->failed = worker->failed || !world || test_scene_add(&scene, world) != DENT_OK;
        if (!worker->failed) {
            worker->fingerprint =
                worker->fingerprint * 31 + answer(world, (dent_method)(kind % (DENT_METHOD_CONTOUR_WALK + 1)), &worker->failed);
        }
        dent_fail(worker->context, DENT_ERROR_FILE, "scene %d", kind);
        dent_context_message(worker->context, message, sizeof message);
        worker->failed = worker->failed || strncmp(message, "scene ", 6) != 0;
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    return NULL;
}

static void worlds_of_one_context_may_be_used_on_different_threads(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 3;
    struct worker workers[THREADS] = {{0}};
    pthread_t threads[THREADS];
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    for (int i = 0; i < THREADS; i++) {
        workers[i].context = context;
        assert_int_equal(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_false(workers[i].failed);
        assert_true(workers[i].fingerprint == workers[0].fingerprint);
    }
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(worlds_of_one_context_may_be_used_on_different_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
