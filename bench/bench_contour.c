/* The contour walk beside the cluster search, with and without its certificate, phase by phase: median milliseconds of
 * a step on built-in scenes.
 *
 * Methods take turns over the frames; the pair lists are compared by count and hash. Both questions are asked in one
 * query, details left out.
 *
 * Usage: bench_contour [--rounds N] [--frames N] [--threads N] [--scale S] [--inside X] [--only contour] SCENE...
 *        bench_contour [--rounds N] --growth 1
 *
 * --growth: two blocks of 5 n^3 cells each that overlap in a corner of four cubes, whatever n: what a step costs when
 * only the bodies grow.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dent/dent.h>
#include <dent/experimental.h>
#include <dent/scene.h>

#include "sort_times.h"

enum { ROUNDS_MAX = 4096, CONTESTANTS = 5, PHASES = 8 };

static const char *const contestant_names[CONTESTANTS] = {"contour-walk", "contour-walk, promised", "cluster-search",
                                                          "cluster-search/no-certificate", "spatial-hash"};
static const char *const phase_names[PHASES] = {"prepare",  "orient", "seeds",  "faces",
                                                "vertices", "finish", "search", "total"};

struct options {
    uint32_t rounds, frames, threads;
    double scale, inside;
    bool only_contour;
};

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static double median(double *values, size_t count)
{
    sort_times(values, count);
    return count ? values[count / 2] : 0;
}

struct stage {
    dent_scene *scene;
    dent_world *worlds[CONTESTANTS];
    double **positions;
    uint32_t bodies;
    double samples[CONTESTANTS][PHASES][ROUNDS_MAX];
    uint64_t vertex_pairs[CONTESTANTS], face_pairs[CONTESTANTS], hashes[CONTESTANTS];
};

static dent_query_def def_of(int contestant, dent_experiments *experiments, dent_contour_walk_def *contour)
{
    dent_query_def def = dent_query_def_default();
    def.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL;
    def.no_details = true;
    def.method = contestant < 2   ? DENT_METHOD_CONTOUR_WALK
                 : contestant < 4 ? DENT_METHOD_CLUSTER_SEARCH
                                  : DENT_METHOD_SPATIAL_HASH;
    *experiments = dent_experiments_default();
    experiments->cluster_search.no_certificate = contestant == 3;
    def.experiments = experiments;
    *contour = dent_contour_walk_def_default();
    contour->cells_are_positive = contestant == 1;
    def.contour_walk = contour;
    return def;
}

static bool take_turn(struct stage *stage, int contestant, uint32_t sample)
{
    dent_experiments experiments;
    dent_method_counters own;
    dent_contour_walk_def contour;
    dent_query_def def = def_of(contestant, &experiments, &contour);
    experiments.counters = &own;
    dent_query_result result;
    double began = now_ms();
    if (dent_world_query(stage->worlds[contestant], &def, &result) != DENT_OK) {
        fprintf(stderr, "%s\n", dent_world_message(stage->worlds[contestant]));
        return false;
    }
    double values[PHASES] = {
        (double)result.counters.ns_prepare * 1e-6,   (double)own.contour_walk.ns_orientation * 1e-6,
        (double)own.contour_walk.ns_seeds * 1e-6,    (double)own.contour_walk.ns_faces * 1e-6,
        (double)own.contour_walk.ns_vertices * 1e-6, (double)result.counters.ns_finish * 1e-6,
        (double)result.counters.ns_search * 1e-6,    now_ms() - began};
    for (int phase = 0; phase < PHASES; phase++) {
        stage->samples[contestant][phase][sample] = values[phase];
    }
    stage->vertex_pairs[contestant] = result.vertex_cell.count;
    stage->face_pairs[contestant] = result.face_cell.count;
    stage->hashes[contestant] =
        dent_pair_list_hash(stage->worlds[contestant], DENT_QUESTION_VERTEX_CELL, &result.vertex_cell) ^
        dent_pair_list_hash(stage->worlds[contestant], DENT_QUESTION_FACE_CELL, &result.face_cell) * 3;
    return true;
}

static bool race(dent_context *context, const char *name, const struct options *options)
{
    struct stage *stage = calloc(1, sizeof *stage);
    dent_scene_def scene_def = dent_scene_def_default();
    scene_def.name = name;
    scene_def.scale = options->scale;
    dent_scene_setting inside = {"inside", options->inside};
    if (options->inside >= 0) {
        scene_def.settings = &inside;
        scene_def.setting_count = 1;
    }
    bool good = stage && dent_scene_create(context, &scene_def, &stage->scene) == DENT_OK;
    if (!good) {
        fprintf(stderr, "%s: no such scene\n", name);
        free(stage);
        return false;
    }
    stage->bodies = dent_scene_body_count(stage->scene);
    stage->positions = calloc(stage->bodies, sizeof *stage->positions);
    dent_body_id *ids = calloc(stage->bodies, sizeof *ids);
    for (uint32_t body = 0; body < stage->bodies; body++) {
        stage->positions[body] =
            calloc((size_t)dent_scene_body_at(stage->scene, body)->vertex_count * 3 + 1, sizeof(double));
    }
    for (int i = 0; i < CONTESTANTS && good; i++) {
        stage->worlds[i] = dent_world_create(context);
        good = dent_scene_add_to_world(stage->scene, stage->worlds[i], stage->positions, ids) == DENT_OK;
    }
    uint32_t samples = 0, contestants = options->only_contour ? 1 : CONTESTANTS;
    for (uint32_t round = 0; round <= options->rounds && good; round++) {
        for (uint32_t frame = 0; frame < options->frames && good; frame++) {
            for (uint32_t body = 0; body < stage->bodies; body++) {
                dent_scene_positions(stage->scene, body, frame, stage->positions[body]);
            }
            for (uint32_t i = 0; i < contestants && good; i++) {
                good = take_turn(stage, (int)i, samples);
                if (good && stage->hashes[i] != stage->hashes[0]) {
                    printf("%s: %s differs from %s in frame %u\n", name, contestant_names[i], contestant_names[0],
                           frame);
                }
            }
            samples += round > 0 && samples + 1 < ROUNDS_MAX;
        }
    }
    printf("%s (%" PRIu64 " vertex-cell, %" PRIu64 " face-cell)\n  %-32s", name, stage->vertex_pairs[0],
           stage->face_pairs[0], "");
    for (int phase = 0; phase < PHASES; phase++) {
        printf("%10s", phase_names[phase]);
    }
    for (uint32_t i = 0; i < contestants; i++) {
        printf("\n  %-32s", contestant_names[i]);
        for (int phase = 0; phase < PHASES; phase++) {
            printf("%10.3f", median(stage->samples[i][phase], samples));
        }
    }
    printf("\n");
    for (int i = 0; i < CONTESTANTS; i++) {
        dent_world_destroy(stage->worlds[i]);
    }
    for (uint32_t body = 0; body < stage->bodies; body++) {
        free(stage->positions[body]);
    }
    free(stage->positions);
    free(ids);
    dent_scene_destroy(stage->scene);
    free(stage);
    return good;
}

/* ---- growth ---------------------------------------------------------------------------------- */

/* A block of n^3 unit cubes, five tetrahedra each with alternating parity, at (shift, shift, shift). */
static bool add_block(dent_world *world, uint32_t n, double shift, double **positions)
{
    static const uint8_t even[5][4] = {{0, 3, 6, 5}, {0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 6, 4}, {3, 6, 5, 7}};
    static const uint8_t odd[5][4] = {{1, 2, 4, 7}, {0, 1, 2, 4}, {1, 3, 2, 7}, {1, 5, 7, 4}, {2, 4, 7, 6}};
    uint32_t side = n + 1, cells = 5 * n * n * n, (*corners)[4] = malloc((size_t)cells * sizeof *corners), at = 0;
    double(*xyz)[3] = malloc((size_t)side * side * side * sizeof *xyz + 8);
    for (uint32_t i = 0; i < side * side * side; i++) {
        uint32_t p[3] = {i % side, i / side % side, i / side / side};
        for (int axis = 0; axis < 3; axis++) {
            /* a gentle wave, so that nothing is exactly flat */
            xyz[i][axis] =
                p[axis] + shift + 0.05 * (double)((p[(axis + 1) % 3] * 7 + p[(axis + 2) % 3] * 3) % 11) / 11.0;
        }
    }
    for (uint32_t i = 0; i < n * n * n; i++) {
        uint32_t p[3] = {i % n, i / n % n, i / n / n}, node[8];
        for (uint32_t k = 0; k < 8; k++) {
            node[k] = ((p[2] + (k >> 2)) * side + p[1] + (k >> 1 & 1)) * side + p[0] + (k & 1);
        }
        for (int t = 0; t < 5; t++, at++) {
            for (int k = 0; k < 4; k++) {
                corners[at][k] = node[((p[0] + p[1] + p[2]) % 2 ? odd : even)[t][k]];
            }
        }
    }
    dent_body_def def = dent_solid_def_default();
    dent_body_id id;
    def.vertex_count = side * side * side;
    def.element_count = cells;
    def.element_corners = &corners[0][0];
    def.positions_t0 = dent_positions_double(&xyz[0][0]);
    *positions = &xyz[0][0];
    bool good = dent_world_add_body(world, &def, &id) == DENT_OK;
    free(corners);
    return good;
}

static bool grow(dent_context *context, const struct options *options)
{
    static const uint32_t sizes[] = {10, 14, 20, 28, 40, 58};
    printf("%10s %10s %12s %12s %12s\n", "cells", "pairs", "walk", "promised", "cluster/none");
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        uint32_t n = sizes[s];
        struct stage *stage = calloc(1, sizeof *stage);
        double *positions[2], medians[3];
        dent_world *world = dent_world_create(context);
        bool good =
            stage && world && add_block(world, n, 0, &positions[0]) && add_block(world, n, n - 4.37, &positions[1]);
        static const int contestants[3] = {0, 1, 3};
        for (int c = 0; c < 3 && good; c++) {
            stage->worlds[contestants[c]] = world;
            for (uint32_t round = 0; round <= options->rounds && good; round++) {
                good = take_turn(stage, contestants[c], round ? round - 1 : 0);
            }
            medians[c] = median(stage->samples[contestants[c]][PHASES - 1], options->rounds);
        }
        if (!good) {
            return false;
        }
        printf("%10u %10" PRIu64 " %12.3f %12.3f %12.3f\n", 10 * n * n * n,
               stage->vertex_pairs[0] + stage->face_pairs[0], medians[0], medians[1], medians[2]);
        dent_world_destroy(world);
        free(positions[0]);
        free(positions[1]);
        free(stage);
    }
    return true;
}

int main(int count, char **words)
{
    bool growth = false;
    struct options options = {.rounds = 5, .frames = 2, .threads = 1, .scale = 1, .inside = -1};
    dent_context_def def = dent_context_def_default();
    int at = 1;
    for (; at + 1 < count && words[at][0] == '-'; at += 2) {
        double value = strtod(words[at + 1], NULL);
        options.rounds = strcmp(words[at], "--rounds") ? options.rounds : (uint32_t)value;
        options.frames = strcmp(words[at], "--frames") ? options.frames : (uint32_t)value;
        options.threads = strcmp(words[at], "--threads") ? options.threads : (uint32_t)value;
        options.scale = strcmp(words[at], "--scale") ? options.scale : value;
        options.inside = strcmp(words[at], "--inside") ? options.inside : value;
        options.only_contour |= !strcmp(words[at], "--only");
        growth |= !strcmp(words[at], "--growth");
    }
    def.thread_count = options.threads;
    dent_context *context = dent_context_create(&def, NULL);
    bool good = context != NULL;
    if (growth && good) {
        good = grow(context, &options);
    }
    for (; at < count && good; at++) {
        good = race(context, words[at], &options);
    }
    dent_context_destroy(context);
    return good ? 0 : 1;
}
