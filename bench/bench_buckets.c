/* The bucket tree against a plain counting-sort grid and the plain form of spatial hashing, on the built-in scenes; and
 * its own variants.
 *
 * All variants are run in turns over the frames of a scene; pair lists are compared by fingerprint (the plain grid by
 * count); medians printed. The plain grid is what a good programmer would write in an afternoon: vertices (or faces, in
 * every cell of their boxes) counting-sorted, every tetrahedron walks the cells of its box, boxes compared, the
 * library's exact test behind it; best of three cell sizes.
 *
 * Usage: bench_buckets [--rounds N] [--threads N] [--isa scalar|avx2|avx512] [--scale S] [--ratios] [--only] [--cpu]
 * SCENE...
 * --cpu measures CPU time instead of wall time (one thread, busy machine), --ratios adds rows for cell ratios 0.5
 * to 4, --only leaves out everything but the bucket tree (for profilers).
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
#include "geometry/predicates/triangle_predicates.h"
#include "sort_times.h"

enum { ROUNDS_MAX = 101, VARIANTS_MAX = 24, FRAMES = 3 };

/* Of the process, so that other programs on the machine do not count; its two clocks agree for one thread on an idle
 * machine. */
static bool processor_time;

static double now_ms(void)
{
    struct timespec now;
    if (!processor_time) {
        return (double)dent_clock_ns() * 1e-6;
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

/* ---- the plain grid ---------------------------------------------------------------------------------------------- */

struct plain_box {
    double lo[3], hi[3];
};

struct plain_grid {
    double cell, lo[3];
    int64_t count[3];
    uint32_t *start, *entry;
    double (*xyz)[3]; /* all vertices */
    uint64_t vertices;
    uint32_t (*faces)[3]; /* all surface faces; null: vertices are asked about */
    uint64_t face_count;
};

static struct plain_box box_of(const struct plain_grid *grid, const uint32_t *corners, int count)
{
    struct plain_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = box.hi[axis] = grid->xyz[corners[0]][axis];
        for (int k = 1; k < count; k++) {
            double x = grid->xyz[corners[k]][axis];
            box.lo[axis] = x < box.lo[axis] ? x : box.lo[axis];
            box.hi[axis] = x > box.hi[axis] ? x : box.hi[axis];
        }
    }
    return box;
}

static struct plain_box box_of_entry(const struct plain_grid *grid, uint32_t entry)
{
    return grid->faces ? box_of(grid, grid->faces[entry], 3) : box_of(grid, &entry, 1);
}

static int64_t cell_of(const struct plain_grid *grid, double x, int axis)
{
    int64_t cell = (int64_t)((x - grid->lo[axis]) / grid->cell);
    return cell < 0 ? 0 : cell >= grid->count[axis] ? grid->count[axis] - 1 : cell;
}

static uint64_t row_of(const struct plain_grid *grid, int64_t j, int64_t k)
{
    return (uint64_t)((k * grid->count[1] + j) * grid->count[0]);
}

/* pass 0 counts, pass 1 fills. */
static void plain_enter(struct plain_grid *grid, uint32_t entry, int pass)
{
    struct plain_box box = box_of_entry(grid, entry);
    for (int64_t k = cell_of(grid, box.lo[2], 2); k <= cell_of(grid, box.hi[2], 2); k++) {
        for (int64_t j = cell_of(grid, box.lo[1], 1); j <= cell_of(grid, box.hi[1], 1); j++) {
            for (int64_t i = cell_of(grid, box.lo[0], 0); i <= cell_of(grid, box.hi[0], 0); i++) {
                uint32_t *start = &grid->start[row_of(grid, j, k) + (uint64_t)i];
                if (pass == 0) {
                    ++*start;
                } else {
                    grid->entry[--*start] = entry;
                }
            }
        }
    }
}

static void plain_build(struct plain_grid *grid)
{
    double hi[3];
    for (int axis = 0; axis < 3; axis++) {
        grid->lo[axis] = hi[axis] = grid->xyz[0][axis];
        for (uint64_t v = 1; v < grid->vertices; v++) {
            grid->lo[axis] = grid->xyz[v][axis] < grid->lo[axis] ? grid->xyz[v][axis] : grid->lo[axis];
            hi[axis] = grid->xyz[v][axis] > hi[axis] ? grid->xyz[v][axis] : hi[axis];
        }
        grid->count[axis] = (int64_t)((hi[axis] - grid->lo[axis]) / grid->cell) + 1;
    }
    uint64_t cells = (uint64_t)(grid->count[0] * grid->count[1] * grid->count[2]),
             entries = grid->faces ? grid->face_count : grid->vertices;
    grid->start = calloc(cells + 1, sizeof *grid->start);
    for (uint32_t e = 0; e < entries; e++) {
        plain_enter(grid, e, 0);
    }
    uint32_t sum = 0;
    for (uint64_t c = 0; c < cells; c++) {
        sum += grid->start[c];
        grid->start[c] = sum;
    }
    grid->start[cells] = sum;
    grid->entry = malloc((sum + 1) * sizeof *grid->entry);
    for (uint32_t e = (uint32_t)entries; e-- > 0;) {
        plain_enter(grid, e, 1);
    }
}

static bool plain_shares(const struct plain_grid *grid, uint32_t entry, const uint32_t corner[4])
{
    const uint32_t *mine = grid->faces ? grid->faces[entry] : &entry;
    for (int i = 0; i < (grid->faces ? 3 : 1); i++) {
        if (mine[i] == corner[0] || mine[i] == corner[1] || mine[i] == corner[2] || mine[i] == corner[3]) {
            return true;
        }
    }
    return false;
}

static bool plain_test(const struct plain_grid *grid, uint32_t entry, const double *const t[4],
                       predicate_counters *counters)
{
    if (!grid->faces) {
        return vertex_in_tetrahedron(grid->xyz[entry], t[0], t[1], t[2], t[3], counters);
    }
    const uint32_t *face = grid->faces[entry];
    const double *f[3] = {grid->xyz[face[0]], grid->xyz[face[1]], grid->xyz[face[2]]};
    return triangle_meets_open_tetrahedron(f, t, counters);
}

static uint64_t plain_look(const struct plain_grid *grid, const uint32_t corner[4], predicate_counters *counters)
{
    const double *const t[4] = {grid->xyz[corner[0]], grid->xyz[corner[1]], grid->xyz[corner[2]], grid->xyz[corner[3]]};
    struct plain_box box = box_of(grid, corner, 4);
    int64_t lo[3], hi[3];
    uint64_t found = 0;
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = cell_of(grid, box.lo[axis], axis);
        hi[axis] = cell_of(grid, box.hi[axis], axis);
    }
    for (int64_t k = lo[2]; k <= hi[2]; k++) {
        for (int64_t j = lo[1]; j <= hi[1]; j++) {
            for (int64_t i = lo[0]; i <= hi[0]; i++) {
                uint64_t cell = row_of(grid, j, k) + (uint64_t)i;
                for (uint32_t e = grid->start[cell]; e < grid->start[cell + 1]; e++) {
                    uint32_t entry = grid->entry[e];
                    struct plain_box other = box_of_entry(grid, entry);
                    bool apart = false, owner = true;
                    int64_t at[3] = {i, j, k};
                    for (int axis = 0; axis < 3; axis++) {
                        apart |= other.lo[axis] > box.hi[axis] || other.hi[axis] < box.lo[axis];
                    }
                    for (int axis = 0; axis < 3 && !apart && grid->faces; axis++) {
                        double larger = other.lo[axis] > box.lo[axis] ? other.lo[axis] : box.lo[axis];
                        owner &= cell_of(grid, larger, axis) == at[axis];
                    }
                    found +=
                        !apart && owner && !plain_shares(grid, entry, corner) && plain_test(grid, entry, t, counters);
                }
            }
        }
    }
    return found;
}

/* Milliseconds; *pairs: how many were found (in no order, and not stored: in the plain grid's favour). Face lists are
 * made before the clock. */
static double plain_step(const struct stage *stage, double cell, bool faces, uint64_t *pairs)
{
    struct plain_grid grid = {.cell = cell, .vertices = stage->vertices};
    predicate_counters counters = {0};
    grid.xyz = malloc(stage->vertices * sizeof *grid.xyz);
    uint64_t number = 0;
    for (uint32_t i = 0; i < stage->bodies && faces; i++) {
        uint32_t count;
        const dent_surface_face *list = dent_body_surface_faces(stage->world, stage->ids[i], &count);
        grid.faces = realloc(grid.faces, (grid.face_count + count) * sizeof *grid.faces);
        for (uint32_t f = 0; f < count; f++, grid.face_count++) {
            for (int k = 0; k < 3; k++) {
                grid.faces[grid.face_count][k] = (uint32_t)number + list[f].corners[k];
            }
        }
        number += dent_scene_body_at(stage->scene, i)->vertex_count;
    }
    double began = now_ms();
    number = 0;
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
    double milliseconds = now_ms() - began;
    free(grid.xyz);
    free(grid.entry);
    free(grid.start);
    free(grid.faces);
    return milliseconds;
}

/* ---- variants ---------------------------------------------------------------------------------------------------- */

struct choice {
    bool ratios, plain, only;
};

struct variant {
    char name[40];
    bool plain;
    dent_method method;
    dent_spatial_hash_def hash_def;
    dent_bucket_tree_def tree_def;
    dent_experiments experiments;
    double cell; /* plain: over the mean edge */
    double times[ROUNDS_MAX * FRAMES];
    uint32_t count;
    uint64_t pairs, hash;
    dent_query_counters counters;
};

static double median(struct variant *variant)
{
    sort_times(variant->times, variant->count);
    return variant->times[variant->count / 2];
}

static void run_variant(struct stage *stage, struct variant *variant, uint32_t question)
{
    if (variant->plain) {
        variant->times[variant->count++] =
            plain_step(stage, variant->cell * stage->mean_edge, question == DENT_QUESTION_FACE_CELL, &variant->pairs);
        return;
    }
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = question;
    def.method = variant->method;
    def.spatial_hash = &variant->hash_def;
    def.bucket_tree = &variant->tree_def;
    def.experiments = &variant->experiments;
    def.no_details = true;
    double began = now_ms();
    if (dent_world_query(stage->world, &def, &result) != DENT_OK) {
        fprintf(stderr, "bench_buckets: %s\n", dent_world_message(stage->world));
        exit(2);
    }
    variant->times[variant->count++] = now_ms() - began;
    const dent_pair_list *list = question == DENT_QUESTION_VERTEX_CELL ? &result.vertex_cell
                                 : question == DENT_QUESTION_FACE_CELL ? &result.face_cell
                                                                       : &result.face_face;
    variant->pairs = list->count;
    variant->hash = dent_pair_list_hash(stage->world, (dent_question)question, list);
    variant->counters = result.counters;
}

static struct variant tree_variant(const char *name)
{
    struct variant variant = {.method = DENT_METHOD_BUCKET_TREE,
                              .hash_def = dent_spatial_hash_def_default(),
                              .tree_def = dent_bucket_tree_def_default(),
                              .experiments = dent_experiments_default()};
    snprintf(variant.name, sizeof variant.name, "%s", name);
    return variant;
}

static uint32_t make_variants(struct variant *variants, uint32_t question, struct choice choice)
{
    static const double ratios[] = {0.5, 0.75, 1, 1.5, 2, 3, 4};
    uint32_t count = 0;
    variants[count++] = tree_variant("buckets, direct");
    if (!choice.only) {
        variants[count] = tree_variant("buckets, sorted");
        variants[count++].experiments.bucket_tree.sorted_coordinates = true;
        variants[count] = tree_variant("buckets, article");
        variants[count++].experiments.bucket_tree.paper_sizing = true;
        variants[count] = tree_variant("spatial hash");
        variants[count++].method = DENT_METHOD_SPATIAL_HASH;
        variants[count] = tree_variant("hash, plain form");
        variants[count].experiments.spatial_hash.paper_form = true;
        variants[count++].method = DENT_METHOD_SPATIAL_HASH;
    }
    for (int i = 0; i < 3 && choice.plain && !choice.only && question != DENT_QUESTION_FACE_FACE; i++) {
        struct variant grid = {.plain = true, .cell = 0.75 * (i + 1)};
        snprintf(grid.name, sizeof grid.name, "plain grid %.2f", grid.cell);
        variants[count++] = grid;
    }
    for (size_t i = 0; i < sizeof ratios / sizeof ratios[0] && choice.ratios; i++) {
        char name[40];
        snprintf(name, sizeof name, "buckets, %.2f", ratios[i]);
        variants[count] = tree_variant(name);
        variants[count++].tree_def.cell_ratio = ratios[i];
    }
    return count;
}

static void measure(struct stage *stage, const char *scene, uint32_t question, uint32_t rounds, struct choice choice)
{
    static struct variant variants[VARIANTS_MAX];
    uint32_t count = make_variants(variants, question, choice);
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
    double base = median(&variants[0]);
    for (uint32_t v = 0; v < count; v++) {
        double time = median(&variants[v]);
        const dent_query_counters *counters = &variants[v].counters;
        bool agree = variants[v].plain ? variants[v].pairs == variants[0].pairs : variants[v].hash == variants[0].hash;
        printf("%-12s %-11s %-17s %9.3f ms (low %9.3f) x%6.2f  pairs %7" PRIu64 "%s candidates %8" PRIu64
               " box %10" PRIu64 " rows %8" PRIu64 " prepare %.2f search %.2f finish %.2f\n",
               scene, dent_question_name((dent_question)question), variants[v].name, time, variants[v].times[0],
               time / base, variants[v].pairs, agree ? "" : " DIFFERS", counters->candidates, counters->box_tests,
               counters->cells_visited, (double)counters->ns_prepare * 1e-6, (double)counters->ns_search * 1e-6,
               (double)counters->ns_finish * 1e-6);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    uint32_t rounds = 5;
    double scale = 1;
    struct choice choice = {false, true, false};
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    const char *asked = NULL;
    int first = 1;
    for (; first < argc && strncmp(argv[first], "--", 2) == 0; first++) {
        const char *value = first + 1 < argc ? argv[first + 1] : "";
        if (strcmp(argv[first], "--cpu") == 0) {
            processor_time = true;
            continue;
        }
        if (strcmp(argv[first], "--ratios") == 0 || strcmp(argv[first], "--only") == 0) {
            *(argv[first][2] == 'r' ? &choice.ratios : &choice.only) = true;
            continue;
        }
        asked = strcmp(argv[first], "--ask") == 0 ? value : asked;
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
        fprintf(stderr, "usage: bench_buckets [--rounds N] [--threads N] [--isa I] [--scale S] [--ask Q] [--ratios] "
                        "[--only] SCENE...\n");
        return 2;
    }
    for (; first < argc; first++) {
        struct stage stage;
        if (!open_stage(&stage, context, "bench_buckets", argv[first], scale)) {
            return 2;
        }
        printf("%s: %u bodies, %" PRIu64 " elements, %" PRIu64 " vertices, %s, %u threads\n", argv[first], stage.bodies,
               stage.cells, stage.vertices, dent_isa_name(dent_context_isa(context)),
               dent_context_worker_count(context));
        bool solid = dent_scene_body_at(stage.scene, 0)->kind == DENT_BODY_SOLID;
        for (uint32_t question = 1; question <= DENT_QUESTION_FACE_FACE; question *= 2) {
            bool wanted = !asked || strcmp(asked, dent_question_name((dent_question)question)) == 0;
            if (wanted && (solid || question == DENT_QUESTION_FACE_FACE)) {
                choice.plain = solid && context_def.thread_count == 1;
                measure(&stage, argv[first], question, rounds, choice);
            }
        }
        close_stage(&stage);
    }
    dent_context_destroy(context);
    return 0;
}
