/* After warm-up a query makes no allocation: not for any method, and not for any number of threads either, where it is
 * chance which worker gets the block that needs most. Built-in scenes go round in a circle of frames; after two rounds
 * every position has been seen, and what came before it too, so that later rounds must get along with the memory there
 * is. */
#include "support/cmocka_includes.h"
#include "support/scene_world.h"

static const uint32_t circle[] = {0, 7, 49, 50, 30};
enum { CIRCLE = sizeof circle / sizeof circle[0], WARM_ROUNDS = 2 };

struct course {
    const char *scene;
    double scale;
    bool small; /* enough for the oracle */
    bool large; /* for one number of threads only */
};

static const struct course courses[] = {
    {"teschner-b", 0.1, true, false},    {"teschner-a", 0.5, false, false}, {"jaw", 0.004, false, true},
    {"v-shapes", 0.1, false, false},     {"folded-1m", 0.001, false, false}, {"cloth-500k", 0.003, false, false},
    {"rings", 0.1, false, false},
};

/* Allocations of the rounds after warming up. */
static uint64_t late_allocations(struct scene_world *stage, dent_context *context, dent_query_def *def, int rounds)
{
    uint64_t before = 0;
    for (int round = 0; round < WARM_ROUNDS + rounds; round++) {
        if (round == WARM_ROUNDS) {
            before = dent_context_memory_use(context).allocations;
        }
        for (int i = 0; i < CIRCLE; i++) {
            dent_query_result result;
            scene_world_pose(stage, circle[i]);
            assert_int_equal(dent_world_query(stage->world, def, &result), DENT_OK);
        }
    }
    return dent_context_memory_use(context).allocations - before;
}

/* In a new world. */
static bool try_questions(struct scene_world *stage, const char *scene, dent_context *context, dent_method method,
                          uint32_t questions, int rounds)
{
    dent_query_def def = dent_query_def_default();
    def.method = method;
    def.questions = questions;
    dent_world_destroy(stage->world);
    stage->world = dent_world_create(context);
    assert_int_equal(dent_scene_add_to_world(stage->scene, stage->world, stage->positions, stage->ids), DENT_OK);
    uint64_t count = late_allocations(stage, context, &def, rounds);
    if (count > 0) {
        print_error("%s, %s, questions %#x, %u threads: %llu allocations after warming up\n", scene,
                    dent_method_name(method), questions, dent_context_worker_count(context), (unsigned long long)count);
    }
    return count == 0;
}

static bool run_course(const struct course *course, dent_context *context, bool with_oracle, int rounds)
{
    bool good = true;
    struct scene_world stage;
    assert_true(scene_world_open(&stage, context, course->scene, course->scale));
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        uint32_t questions = dent_method_questions((dent_method)method);
        if (questions == 0 || (method == DENT_METHOD_BRUTE_FORCE && !with_oracle)) {
            continue;
        }
        good &= try_questions(&stage, course->scene, context, (dent_method)method, questions, rounds);
        if (questions & DENT_QUESTION_FACE_CELL) {
            good &= try_questions(&stage, course->scene, context, (dent_method)method, DENT_QUESTION_FACE_CELL, rounds);
        }
    }
    scene_world_close(&stage);
    return good;
}

static void warm_queries_allocate_nothing_whatever_worker_does_what(void **state)
{
    (void)state;
    static const uint32_t thread_counts[] = {2, 3, 8};
    bool good = true;
    int rounds = getenv("DENT_QUICK_TESTS") ? 2 : getenv("DENT_LONG_TESTS") ? 40 : 4;
    for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
        dent_context_def context_def = dent_context_def_default();
        context_def.thread_count = thread_counts[t];
        dent_context *context = dent_context_create(&context_def, NULL);
        for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i++) {
            if (courses[i].large && t != 1) {
                continue;
            }
            good &= run_course(&courses[i], context, courses[i].small && t == 0, rounds);
        }
        dent_context_destroy(context);
    }
    assert_true(good); /* the culprits are printed above */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warm_queries_allocate_nothing_whatever_worker_does_what),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
