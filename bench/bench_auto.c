/* How far auto's choice is from the best method: every built-in scene, every question and both questions of solids
 * together, methods in turns over two frames, medians of CPU time on one thread.
 *
 * Usage: bench_auto [--rounds N] [SCENE...]   default: 31 rounds, all scenes. Printed: auto's time and what it chose,
 * the best time and whose it is, their ratio; "slow" where auto is behind by more than 10 % and more than 50 us.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dent/dent.h>
#include <dent/scene.h>

#include "sort_times.h"

enum { CONTESTANTS = 6, ROUNDS_MAX = 1024, FRAMES = 2 };

static const dent_method contestants[CONTESTANTS] = {DENT_METHOD_AUTO,         DENT_METHOD_CLUSTER_SEARCH,
                                                     DENT_METHOD_CONTOUR_WALK, DENT_METHOD_SPATIAL_HASH,
                                                     DENT_METHOD_BUCKET_TREE,  DENT_METHOD_SURFACE_TREE};

struct stage {
    dent_scene *scene;
    uint32_t bodies;
    double **positions;
    dent_world *worlds[CONTESTANTS];
    double samples[CONTESTANTS][ROUNDS_MAX];
};

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static bool open_stage(struct stage *stage, dent_context *context, const char *name)
{
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    if (dent_scene_create(context, &def, &stage->scene) != DENT_OK) {
        fprintf(stderr, "no scene %s\n", name);
        return false;
    }
    stage->bodies = dent_scene_body_count(stage->scene);
    stage->positions = calloc(stage->bodies, sizeof *stage->positions);
    dent_body_id *ids = calloc(stage->bodies, sizeof *ids);
    for (uint32_t i = 0; i < stage->bodies; i++) {
        uint32_t vertices = dent_scene_body_at(stage->scene, i)->vertex_count;
        stage->positions[i] = calloc((size_t)vertices * 3 + 1, sizeof(double));
    }
    bool good = true;
    for (int i = 0; i < CONTESTANTS && good; i++) {
        stage->worlds[i] = dent_world_create(context);
        good = dent_scene_add_to_world(stage->scene, stage->worlds[i], stage->positions, ids) == DENT_OK;
    }
    free(ids);
    return good;
}

static void close_stage(struct stage *stage)
{
    for (int i = 0; i < CONTESTANTS; i++) {
        dent_world_destroy(stage->worlds[i]);
    }
    for (uint32_t i = 0; i < stage->bodies; i++) {
        free(stage->positions[i]);
    }
    free(stage->positions);
    dent_scene_destroy(stage->scene);
}

static bool able(int contestant, uint32_t questions)
{
    return !(questions & ~dent_method_questions(contestants[contestant]));
}

static void report(struct stage *stage, const char *scene, const char *question, uint32_t questions, uint32_t rounds,
                   dent_method chosen)
{
    double medians[CONTESTANTS];
    int best = -1;
    for (int i = 0; i < CONTESTANTS; i++) {
        if (!able(i, questions)) {
            continue;
        }
        sort_times(stage->samples[i], rounds);
        medians[i] = stage->samples[i][rounds / 2];
        if (i > 0 && (best < 0 || medians[i] < medians[best])) {
            best = i;
        }
    }
    double ratio = medians[0] / medians[best];
    bool slow = ratio > 1.1 && medians[0] - medians[best] > 0.05;
    printf("%-14s %-22s %9.3f %-15s %9.3f %-15s %6.2f %s\n", scene, question, medians[0], dent_method_name(chosen),
           medians[best], dent_method_name(contestants[best]), ratio, slow ? "slow" : "");
    fflush(stdout);
}

static bool race(struct stage *stage, const char *scene, const char *question, uint32_t questions, uint32_t rounds)
{
    dent_method chosen = DENT_METHOD_AUTO;
    for (uint32_t round = 0; round < rounds + FRAMES; round++) { /* the first turns warm up */
        for (uint32_t body = 0; body < stage->bodies; body++) {
            dent_scene_positions(stage->scene, body, round % FRAMES, stage->positions[body]);
        }
        for (uint32_t turn = 0; turn < CONTESTANTS; turn++) {
            /* Who comes first reads cold positions: everybody in turn. */
            int i = (int)((turn + round / FRAMES) % CONTESTANTS);
            dent_query_def def = dent_query_def_default();
            dent_query_result result;
            def.questions = questions;
            def.method = contestants[i];
            def.no_details = true;
            if (!able(i, questions)) {
                continue;
            }
            double began = now_ms();
            if (dent_world_query(stage->worlds[i], &def, &result) != DENT_OK) {
                fprintf(stderr, "%s: %s\n", scene, dent_world_message(stage->worlds[i]));
                return false;
            }
            if (round >= FRAMES) {
                stage->samples[i][round - FRAMES] = now_ms() - began;
            }
            chosen = i == 0 ? result.counters.method : chosen;
        }
    }
    report(stage, scene, question, questions, rounds, chosen);
    return true;
}

static bool all_questions(dent_context *context, const char *name, uint32_t rounds)
{
    static const struct {
        const char *name;
        uint32_t questions;
    } asked[] = {{"vertex-cell", DENT_QUESTION_VERTEX_CELL},
                 {"face-cell", DENT_QUESTION_FACE_CELL},
                 {"vertex-cell+face-cell", DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL},
                 {"face-face", DENT_QUESTION_FACE_FACE}};
    struct stage *stage = calloc(1, sizeof *stage);
    bool good = stage && open_stage(stage, context, name);
    bool solid = good && dent_scene_body_at(stage->scene, 0)->kind == DENT_BODY_SOLID;
    for (size_t i = 0; i < sizeof asked / sizeof asked[0] && good; i++) {
        if (solid || asked[i].questions == DENT_QUESTION_FACE_FACE) {
            good = race(stage, name, asked[i].name, asked[i].questions, rounds);
        }
    }
    if (stage && stage->scene) {
        close_stage(stage);
    }
    free(stage);
    return good;
}

int main(int count, char **words)
{
    uint32_t rounds = 31;
    int at = 1;
    if (at + 1 < count && strcmp(words[at], "--rounds") == 0) {
        rounds = (uint32_t)strtoul(words[at + 1], NULL, 10);
        rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX ? ROUNDS_MAX : rounds;
        at += 2;
    }
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    bool good = context != NULL;
    printf("%-14s %-22s %9s %-15s %9s %-15s %6s\n", "scene", "question", "auto ms", "chose", "best ms", "method",
           "ratio");
    for (int i = at; i < count && good; i++) {
        good = all_questions(context, words[i], rounds);
    }
    for (uint32_t i = 0; at == count && i < dent_scene_count() && good; i++) {
        good = all_questions(context, dent_scene_info_at(i)->name, rounds);
    }
    dent_context_destroy(context);
    return good ? 0 : 1;
}
