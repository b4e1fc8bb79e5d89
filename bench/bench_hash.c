/* The spatial hash against its own past: the paper's plain form, a plain counting-sort grid, and dent's packets, on the
 * built-in scenes.
 *
 * Variants are run in turns over the frames of a scene, pair lists compared by fingerprint, medians printed. The plain
 * grid is what a good programmer would write in an afternoon: vertices counting-sorted into cells, every tetrahedron
 * walks the cells of its box, same exact test behind it; it answers vertex-cell only.
 *
 * Usage: bench_hash [--rounds N] [--threads N] [--isa scalar|avx2|avx512] [--scale S] [--cells] [--only]
 *                   [--ask QUESTION] SCENE...
 * --only leaves out everything but the hash (for profilers). --cells adds rows for cell sizes of 1/4 to 4 times the
 * automatic one of the paper's form (mean edge).
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dent/experimental.h>

#include "scene_stage.h"

#include "geometry/predicates/tetrahedron_predicates.h"
#include "sort_times.h"

enum { ROUNDS_MAX = 101, VARIANTS_MAX = 16, FRAMES = 3 };

/* Processor time with one thread, so that a busy machine disturbs less; the clock on the wall with more. */
static double now_ms(const struct stage *stage)
{
    struct timespec time;
    clock_gettime(dent_context_worker_count(stage->context) == 1 ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* ---- the plain grid --------------------------------------------------------------------------------------------- */

struct plain_grid {
    double cell, lo[3];
    int64_t count[3];
    uint32_t *start, *entry, *key;
    double (*xyz)[3]; /* all vertices */
    uint32_t *first;  /* by body */
    uint64_t vertices;
};

static void plain_bounds(struct plain_grid *grid)
{
    double hi[3];
    for (int axis = 0; axis < 3; axis++) {
        grid->lo[axis] = hi[axis] = grid->xyz[0][axis];
        for (uint64_t v = 1; v < grid->vertices; v++) {
            double x = grid->xyz[v][axis];
            grid->lo[axis] = x < grid->lo[axis] ? x : grid->lo[axis];
            hi[axis] = x > hi[axis] ? x : hi[axis];
        }
        grid->count[axis] = (int64_t)((hi[axis] - grid->lo[axis]) / grid->cell) + 1;
    }
}

static int64_t plain_cell(const struct plain_grid *grid, const double *x, int axis)
{
    int64_t cell = (int64_t)((x[axis] - grid->lo[axis]) / grid->cell);
    return cell < 0 ? 0 : cell >= grid->count[axis] ? grid->count[axis] - 1 : cell;
}

static uint64_t plain_key(const struct plain_grid *grid, int64_t i, int64_t j, int64_t k)
{
    return (uint64_t)((k * grid->count[1] + j) * grid->count[0] + i);
}

static void plain_build(struct plain_grid *grid)
{
    plain_bounds(grid);
    uint64_t cells = (uint64_t)(grid->count[0] * grid->count[1] * grid->count[2]);
    grid->start = calloc(cells + 1, sizeof *grid->start);
    for (uint64_t v = 0; v < grid->vertices; v++) {
        const double *x = grid->xyz[v];
        grid->key[v] =
            (uint32_t)plain_key(grid, plain_cell(grid, x, 0), plain_cell(grid, x, 1), plain_cell(grid, x, 2));
        grid->start[grid->key[v]]++;
    }
    for (uint64_t c = 0, sum = 0; c <= cells; c++) {
        sum += c < cells ? grid->start[c] : 0;
        grid->start[c] = (uint32_t)sum;
    }
    for (uint64_t v = grid->vertices; v-- > 0;) {
        grid->entry[--grid->start[grid->key[v]]] = (uint32_t)v;
    }
}

static uint64_t plain_look(const struct plain_grid *grid, const uint32_t corner[4], predicate_counters *counters)
{
    const double *t[4] = {grid->xyz[corner[0]], grid->xyz[corner[1]], grid->xyz[corner[2]], grid->xyz[corner[3]]};
    double lo[3], hi[3];
    uint64_t found = 0;
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = hi[axis] = t[0][axis];
        for (int k = 1; k < 4; k++) {
            lo[axis] = t[k][axis] < lo[axis] ? t[k][axis] : lo[axis];
            hi[axis] = t[k][axis] > hi[axis] ? t[k][axis] : hi[axis];
        }
    }
    for (int64_t k = plain_cell(grid, lo, 2); k <= plain_cell(grid, hi, 2); k++) {
        for (int64_t j = plain_cell(grid, lo, 1); j <= plain_cell(grid, hi, 1); j++) {
            uint64_t first = plain_key(grid, plain_cell(grid, lo, 0), j, k),
                     last = plain_key(grid, plain_cell(grid, hi, 0), j, k);
            for (uint32_t e = grid->start[first]; e < grid->start[last + 1]; e++) {
                uint32_t v = grid->entry[e];
                const double *p = grid->xyz[v];
                if (p[0] < lo[0] || p[0] > hi[0] || p[1] < lo[1] || p[1] > hi[1] || p[2] < lo[2] || p[2] > hi[2] ||
                    v == corner[0] || v == corner[1] || v == corner[2] || v == corner[3]) {
                    continue;
                }
                found += vertex_in_tetrahedron(p, t[0], t[1], t[2], t[3], counters);
            }
        }
    }
    return found;
}

/* Milliseconds; *pairs: how many were found (in no order, and not stored: in the plain grid's favour). */
static double plain_step(const struct stage *stage, double cell, uint64_t *pairs)
{
    struct plain_grid grid = {.cell = cell, .vertices = stage->vertices};
    predicate_counters counters = {0};
    grid.xyz = malloc(stage->vertices * sizeof *grid.xyz);
    grid.key = malloc(stage->vertices * sizeof *grid.key);
    grid.entry = malloc(stage->vertices * sizeof *grid.entry);
    double began = now_ms(stage);
    uint64_t number = 0;
    *pairs = 0;
    for (uint32_t i = 0; i < stage->bodies; i++) {
        uint32_t count = dent_scene_body_at(stage->scene, i)->vertex_count;
        memcpy(grid.xyz[number], stage->positions[i], count * sizeof *grid.xyz);
        number += count;
    }
    plain_build(&grid);
    number = 0;
    for (uint32_t i = 0; i < stage->bodies; i++) {
        const dent_scene_body *body = dent_scene_body_at(stage->scene, i);
        for (uint64_t e = 0; e < body->element_count; e++) {
            const uint32_t *c = body->element_corners + e * 4;
            uint32_t first = (uint32_t)number, corner[4] = {first + c[0], first + c[1], first + c[2], first + c[3]};
            *pairs += plain_look(&grid, corner, &counters);
        }
        number += body->vertex_count;
    }
    double milliseconds = now_ms(stage) - began;
    free(grid.xyz);
    free(grid.key);
    free(grid.entry);
    free(grid.start);
    return milliseconds;
}

/* ---- variants --------------------------------------------------------------------------------------------------- */

/* Which rows to print. */
struct choice {
    bool cells, plain, only;
    const char *question; /* null: all */
};

struct variant {
    char name[40];
    bool plain;
    dent_method method;
    dent_spatial_hash_def def;
    bool paper_form;
    double cell; /* plain: over the mean edge */
    double times[ROUNDS_MAX * FRAMES];
    uint32_t count;
    uint64_t pairs, hash, candidates, box_tests, rows;
};

static double median(struct variant *variant)
{
    sort_times(variant->times, variant->count);
    return variant->count ? variant->times[variant->count / 2] : NAN;
}

static void run_variant(struct stage *stage, struct variant *variant, uint32_t question)
{
    if (variant->plain) {
        variant->times[variant->count++] = plain_step(stage, variant->cell * stage->mean_edge, &variant->pairs);
        return;
    }
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = question;
    def.method = variant->method;
    def.spatial_hash = &variant->def;
    dent_experiments experiments = dent_experiments_default();
    experiments.spatial_hash.paper_form = variant->paper_form;
    def.experiments = &experiments;
    def.no_details = true;
    double began = now_ms(stage);
    if (dent_world_query(stage->world, &def, &result) != DENT_OK) {
        fprintf(stderr, "bench_hash: %s\n", dent_world_message(stage->world));
        exit(2);
    }
    const dent_pair_list *list = dent_query_result_list(&result, (dent_question)question);
    variant->times[variant->count++] = now_ms(stage) - began;
    variant->pairs = list->count;
    variant->hash = dent_pair_list_hash(stage->world, (dent_question)question, list);
    variant->candidates = result.counters.candidates;
    variant->box_tests = result.counters.box_tests;
    variant->rows = result.counters.cells_visited;
}

static uint32_t make_variants(struct variant *variants, const struct stage *stage, uint32_t question,
                              struct choice choice)
{
    static const double ratios[] = {0.25, 0.5, 1, 2, 4};
    uint32_t count = 0;
    struct variant hash = {.name = "hash", .method = DENT_METHOD_SPATIAL_HASH, .def = dent_spatial_hash_def_default()};
    struct variant paper = {
        .name = "paper", .method = DENT_METHOD_SPATIAL_HASH, .def = dent_spatial_hash_def_default()};
    paper.paper_form = true;
    variants[count++] = hash;
    if (!choice.only) {
        variants[count++] = paper;
    }
    for (int i = 0; i < 3 && choice.plain && !choice.only && question == DENT_QUESTION_VERTEX_CELL; i++) {
        struct variant grid = {.plain = true, .cell = 0.75 * (i + 1)};
        snprintf(grid.name, sizeof grid.name, "plain grid %.2f", grid.cell);
        variants[count++] = grid;
    }
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0] && choice.cells; i++) {
        struct variant other = hash;
        other.def.cell_size = ratios[i] * stage->mean_edge;
        snprintf(other.name, sizeof other.name, "hash %.2f edges", ratios[i]);
        variants[count++] = other;
    }
    return count;
}

static void measure(struct stage *stage, const char *scene, uint32_t question, uint32_t rounds, struct choice choice)
{
    static struct variant variants[VARIANTS_MAX];
    uint32_t count = make_variants(variants, stage, question, choice);
    for (uint32_t round = 0; round <= rounds; round++) {
        for (uint32_t frame = 0; frame < FRAMES; frame++) {
            pose(stage, frame);
            for (uint32_t v = 0; v < count; v++) {
                run_variant(stage, &variants[v], question);
            }
        }
        for (uint32_t v = 0; v < count && round == 0; v++) {
            variants[v].count = 0; /* warm-up */
        }
    }
    double base = median(&variants[0]), low = variants[0].times[0];
    for (uint32_t v = 0; v < count; v++) {
        double time = median(&variants[v]);
        bool agree = variants[v].plain ? variants[v].pairs == variants[0].pairs : variants[v].hash == variants[0].hash;
        printf("%-12s %-11s %-16s %9.3f ms  x%6.2f  (low %8.3f ms x%6.2f)  %8.1f ns/cell  pairs %8" PRIu64
               "%s candidates %9" PRIu64 " box %10" PRIu64 " rows %8" PRIu64 "\n",
               scene, dent_question_name((dent_question)question), variants[v].name, time, time / base,
               variants[v].times[0], variants[v].times[0] / low, time * 1e6 / (double)stage->cells, variants[v].pairs,
               agree ? "" : " DIFFERS", variants[v].candidates, variants[v].box_tests, variants[v].rows);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint32_t rounds = 5;
    double scale = 1;
    struct choice choice = {false, true, false, NULL};
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    int first = 1;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
        const char *value = first + 1 < argc ? argv[first + 1] : "";
        if (strcmp(argv[first], "--cells") == 0) {
            choice.cells = true;
            continue;
        }
        if (strcmp(argv[first], "--only") == 0) {
            choice.only = true;
            continue;
        }
        choice.question = strcmp(argv[first], "--ask") == 0 ? value : choice.question;
        rounds = strcmp(argv[first], "--rounds") == 0 ? (uint32_t)atoi(value) : rounds;
        scale = strcmp(argv[first], "--scale") == 0 ? atof(value) : scale;
        context_def.thread_count =
            strcmp(argv[first], "--threads") == 0 ? (uint32_t)atoi(value) : context_def.thread_count;
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT && strcmp(argv[first], "--isa") == 0; isa++) {
            context_def.isa = strcmp(dent_isa_name((dent_isa)isa), value) == 0 ? (dent_isa)isa : context_def.isa;
        }
        first++;
    }
    rounds = rounds < 1 ? 1 : rounds > ROUNDS_MAX - 1 ? ROUNDS_MAX - 1 : rounds;
    dent_context *context = dent_context_create(&context_def, NULL);
    if (!context || first >= argc) {
        fprintf(stderr, "usage: bench_hash [--rounds N] [--threads N] [--isa I] [--scale S] [--cells] SCENE...\n");
        return 2;
    }
    for (; first < argc; first++) {
        struct stage stage;
        if (!open_stage(&stage, context, "bench_hash", argv[first], scale)) {
            return 2;
        }
        printf("%s: %u bodies, %" PRIu64 " cells, %" PRIu64 " vertices, %s, %u threads\n", argv[first], stage.bodies,
               stage.cells, stage.vertices, dent_isa_name(dent_context_isa(context)),
               dent_context_worker_count(context));
        bool solid = dent_scene_body_at(stage.scene, 0)->kind == DENT_BODY_SOLID;
        for (uint32_t question = 1; question <= DENT_QUESTION_FACE_FACE; question *= 2) {
            if (choice.question && strcmp(choice.question, dent_question_name((dent_question)question)) != 0) {
                continue;
            }
            if (solid || question == DENT_QUESTION_FACE_FACE) {
                choice.plain = solid && context_def.thread_count == 1;
                measure(&stage, argv[first], question, rounds, choice);
            }
        }
        close_stage(&stage);
    }
    dent_context_destroy(context);
    return 0;
}
