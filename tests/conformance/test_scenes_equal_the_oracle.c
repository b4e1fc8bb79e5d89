/* Conformance on the built-in scenes: every method x threads x instruction set gives the oracle's lists on every scene,
 * scaled to at most 20,000 elements, in a few frames (50 in the long tier). At full size, in the long tier
 * (DENT_LONG_TESTS=1): the methods equal one another in every benchmark frame, and the oracle in one of them. The
 * answer's fingerprints are printed. DENT_ONLY_SCENE=NAME: that scene alone.
 */
#include "support/cmocka_includes.h"

#include "support/scene_world.h"

#include <string.h>

enum { LISTS = DENT_DISCRETE_QUESTION_COUNT };

struct answer {
    dent_pair *pairs[LISTS];
    uint64_t count[LISTS];
    uint64_t hash[LISTS];
};

static bool is_left_out(const char *scene)
{
    const char *only = getenv("DENT_ONLY_SCENE");
    return only != NULL && strcmp(only, scene) != 0;
}

static dent_query_def everything(dent_method method)
{
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_DISCRETE_QUESTIONS;
    def.method = method;
    return def;
}

static void keep(const dent_world *world, const dent_query_result *result, uint32_t questions, struct answer *answer)
{
    for (int i = 0; i < LISTS; i++) {
        dent_question question = dent_question_info_at((uint32_t)i)->question;
        if (!(questions & question)) {
            continue;
        }
        const dent_pair_list *list = dent_query_result_list(result, question);
        answer->count[i] = list->count;
        answer->hash[i] = dent_pair_list_hash(world, question, list);
        answer->pairs[i] = calloc(list->count + 1, sizeof(dent_pair));
        if (list->count > 0) {
            memcpy(answer->pairs[i], list->pairs, list->count * sizeof(dent_pair));
        }
    }
}

static void release(struct answer *answer)
{
    for (int i = 0; i < LISTS; i++) {
        free(answer->pairs[i]);
    }
    *answer = (struct answer){0};
}

static void compare(const dent_query_result *result, const struct answer *answer, uint32_t questions)
{
    assert_int_equal(result->outcome, DENT_OUTCOME_COMPLETE);
    for (int i = 0; i < LISTS; i++) {
        dent_question question = dent_question_info_at((uint32_t)i)->question;
        if (!(questions & question)) {
            continue;
        }
        const dent_pair_list *list = dent_query_result_list(result, question);
        assert_int_equal(list->count, answer->count[i]);
        assert_memory_equal(list->pairs, answer->pairs[i], list->count * sizeof(dent_pair));
    }
}

static void walk_scene(const char *name, dent_context *oracle, double scale, const uint32_t *frames, size_t frame_count)
{
    static const uint32_t threads[] = {1, 2, 3, 8};
    struct scene_world reference;
    struct answer *answers = calloc(frame_count, sizeof *answers);
    assert_true(scene_world_open(&reference, oracle, name, scale));
    for (size_t f = 0; f < frame_count; f++) {
        dent_query_def def = everything(DENT_METHOD_BRUTE_FORCE);
        dent_query_result result;
        scene_world_pose(&reference, frames[f]);
        assert_int_equal(dent_world_query(reference.world, &def, &result), DENT_OK);
        keep(reference.world, &result, def.questions, &answers[f]);
        printf("%-14s scale %-6g %6llu elements, frame %3u: %6llu vertex-cell, %6llu face-cell, %6llu face-face, "
               "%016llx\n",
               name, scale, (unsigned long long)reference.elements, (unsigned)frames[f],
               (unsigned long long)answers[f].count[0], (unsigned long long)answers[f].count[1],
               (unsigned long long)answers[f].count[2],
               (unsigned long long)(answers[f].hash[0] ^ answers[f].hash[1] * 3 ^ answers[f].hash[2] * 5));
        fflush(stdout);
    }
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        for (size_t t = 0; t < sizeof threads / sizeof threads[0] && dent_isa_available((dent_isa)isa); t++) {
            dent_context_def context_def = dent_context_def_default();
            context_def.thread_count = threads[t];
            context_def.isa = (dent_isa)isa;
            dent_context *context = dent_context_create(&context_def, NULL);
            struct scene_world stage;
            assert_true(scene_world_open_on(&stage, context, reference.scene));
            for (size_t f = 0; f < frame_count; f++) {
                scene_world_pose(&stage, frames[f]);
                for (int method = DENT_METHOD_BRUTE_FORCE + 1; method < DENT_METHOD_COUNT; method++) {
                    if (dent_method_questions((dent_method)method) == 0) {
                        continue;
                    }
                    dent_query_def def = everything((dent_method)method);
                    dent_query_result result;
                    def.questions &= dent_method_questions((dent_method)method);
                    assert_int_equal(dent_world_query(stage.world, &def, &result), DENT_OK);
                    compare(&result, &answers[f], def.questions);
                }
            }
            scene_world_close(&stage);
            dent_context_destroy(context);
        }
    }
    scene_world_close(&reference);
    for (size_t f = 0; f < frame_count; f++) {
        release(&answers[f]);
    }
    free(answers);
}

static void every_method_gives_the_oracles_lists_on_every_scene(void **state)
{
    (void)state;
    uint32_t frames[50];
    bool long_tier = getenv("DENT_LONG_TESTS") != NULL, quick = getenv("DENT_QUICK_TESTS") != NULL;
    size_t frame_count = long_tier ? 50 : quick ? 1 : 3;
    dent_context *oracle = dent_context_create(NULL, NULL);
    for (size_t f = 0; f < frame_count; f++) {
        frames[f] = long_tier ? (uint32_t)f : (uint32_t)(f * 7);
    }
    for (uint32_t i = 0; i < dent_scene_count(); i++) {
        const char *name = dent_scene_info_at(i)->name;
        if (is_left_out(name)) {
            continue;
        }
        double scale = scene_scale_for(oracle, name, quick ? 2000 : 20000);
        walk_scene(name, oracle, scale, frames, frame_count);
    }
    dent_context_destroy(oracle);
}

/* ---- full size ------------------------------------------------------------------------------------------ */

/* All questions a method can answer: the first method to answer one sets what the others are compared with. */
static void ask_and_compare(struct scene_world *stage, dent_method method, uint32_t *answered, struct answer *answer)
{
    dent_query_def def = everything(method);
    dent_query_result result;
    def.no_details = true;
    def.questions &= dent_method_questions(method);
    assert_int_equal(dent_world_query(stage->world, &def, &result), DENT_OK);
    compare(&result, answer, def.questions & *answered);
    keep(stage->world, &result, def.questions & ~*answered, answer);
    *answered |= def.questions;
}

static void walk_at_full_size(dent_context *context, const dent_scene_info *info)
{
    struct scene_world stage;
    assert_true(scene_world_open(&stage, context, info->name, 1));
    uint32_t with_oracle = info->benchmark_frames / 2, methods = 0;
    uint64_t pairs = 0, hash = 0;
    for (uint32_t frame = 0; frame < info->benchmark_frames; frame++) {
        struct answer answer = {0};
        uint32_t answered = 0;
        scene_world_pose(&stage, frame);
        methods = 0;
        for (int method = DENT_METHOD_BRUTE_FORCE + 1; method < DENT_METHOD_COUNT; method++) {
            bool slow = method == DENT_METHOD_SWEEP && stage.elements > 100000;
            if (dent_method_questions((dent_method)method) != 0 && !slow) {
                ask_and_compare(&stage, (dent_method)method, &answered, &answer);
                methods++;
            }
        }
        if (frame == with_oracle) {
            ask_and_compare(&stage, DENT_METHOD_BRUTE_FORCE, &answered, &answer);
        }
        pairs += answer.count[0] + answer.count[1] + answer.count[2];
        hash = hash * 31 + (answer.hash[0] ^ answer.hash[1] * 3 ^ answer.hash[2] * 5);
        release(&answer);
    }
    printf(
        "%-14s full size, %7llu elements, %3u frames, %u methods alike, frame %u as the oracle: %llu pairs, %016llx\n",
        info->name, (unsigned long long)stage.elements, (unsigned)info->benchmark_frames, methods,
        (unsigned)with_oracle, (unsigned long long)pairs, (unsigned long long)hash);
    fflush(stdout);
    scene_world_close(&stage);
}

static void at_full_size_the_methods_are_alike_in_every_benchmark_frame(void **state)
{
    (void)state;
    if (getenv("DENT_LONG_TESTS") == NULL) {
        printf("full size is for the long tier: set DENT_LONG_TESTS=1\n");
        skip();
    }
    dent_context *context = dent_context_create(NULL, NULL);
    for (uint32_t i = 0; i < dent_scene_count(); i++) {
        if (!is_left_out(dent_scene_info_at(i)->name)) {
            walk_at_full_size(context, dent_scene_info_at(i));
        }
    }
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_method_gives_the_oracles_lists_on_every_scene),
                                       cmocka_unit_test(at_full_size_the_methods_are_alike_in_every_benchmark_frame)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
