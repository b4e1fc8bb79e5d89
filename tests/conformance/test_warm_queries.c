/* After warm-up a query makes no allocation: not for any method, and not for any number of threads either, where it is
 * chance which worker gets the block that needs most. Built-in scenes go round in a circle of frames; after two rounds
 * every position has been seen, and what came before it too, so that later rounds must get along with the memory there
 * is. Positions never seen before may need more, but seldom: contact that wanders does not, only contact that grows. */
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
        for (uint32_t alone = 1; alone < questions; alone <<= 1) {
            if (questions & alone) {
                good &= try_questions(&stage, course->scene, context, (dent_method)method, alone, rounds);
            }
        }
    }
    scene_world_close(&stage);
    return good;
}

static void warm_queries_allocate_nothing_whatever_worker_does_what(void **state)
{
    (void)state;
    static const uint32_t thread_counts[] = {1, 2, 3, 8};
    bool good = true;
    int rounds = getenv("DENT_QUICK_TESTS") ? 2 : getenv("DENT_LONG_TESTS") ? 40 : 4;
    for (size_t t = 0; t < sizeof thread_counts / sizeof thread_counts[0]; t++) {
        dent_context_def context_def = dent_context_def_default();
        context_def.thread_count = thread_counts[t];
        dent_context *context = dent_context_create(&context_def, NULL);
        for (size_t i = 0; i < sizeof courses / sizeof courses[0]; i++) {
            if (courses[i].large && t != 2) {
                continue;
            }
            good &= run_course(&courses[i], context, courses[i].small && t == 0, rounds);
        }
        dent_context_destroy(context);
    }
    assert_true(good); /* the culprits are printed above */
}

/* Steps among `frames` new ones, after as many as WARM_STEPS, that allocate. */
static uint32_t allocating_steps(struct scene_world *stage, dent_context *context, dent_query_def *def, uint32_t frames)
{
    enum { WARM_STEPS = 10 };
    uint32_t steps = 0;
    for (uint32_t frame = 0; frame < WARM_STEPS + frames; frame++) {
        dent_query_result result;
        scene_world_pose(stage, frame);
        uint64_t before = dent_context_memory_use(context).allocations;
        assert_int_equal(dent_world_query(stage->world, def, &result), DENT_OK);
        steps += frame >= WARM_STEPS && dent_context_memory_use(context).allocations > before;
    }
    return steps;
}

static void new_positions_seldom_need_memory(void **state)
{
    (void)state;
    const uint32_t frames = getenv("DENT_QUICK_TESTS") ? 24 : 72, most = frames / 8;
    static const uint32_t thread_counts[] = {1, 3};
    bool good = true;
    for (int t = 0; t < 2; t++) {
        dent_context_def context_def = dent_context_def_default();
        context_def.thread_count = thread_counts[t];
        dent_context *context = dent_context_create(&context_def, NULL);
        struct scene_world stage;
        assert_true(scene_world_open(&stage, context, "teschner-d", 0.3));
        for (int method = 0; method < DENT_METHOD_COUNT; method++) {
            dent_query_def def = dent_query_def_default();
            def.method = (dent_method)method;
            def.questions = dent_method_questions(def.method);
            if (def.questions == 0 || method == DENT_METHOD_BRUTE_FORCE || method == DENT_METHOD_SWEEP) {
                continue;
            }
            dent_world_destroy(stage.world);
            stage.world = dent_world_create(context);
            assert_int_equal(dent_scene_add_to_world(stage.scene, stage.world, stage.positions, stage.ids), DENT_OK);
            uint32_t steps = allocating_steps(&stage, context, &def, frames);
            print_message("%s, %u threads: %u of %u new positions needed memory\n", dent_method_name(def.method),
                          thread_counts[t], steps, frames);
            good &= steps <= most;
        }
        scene_world_close(&stage);
        dent_context_destroy(context);
    }
    assert_true(good); /* the numbers are printed above */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(warm_queries_allocate_nothing_whatever_worker_does_what),
        cmocka_unit_test(new_positions_seldom_need_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
