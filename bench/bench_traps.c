/* Traps: inputs on which search structures are known to fall over, each against the same elements spread out.
 *
 * The elements are those of teschner-e (50,000 tetrahedra in 100 slabs at scale 1, moving a little from step to step).
 * A trap changes the positions, adds an element or two, or hands a method the worst parameters; the ratio of the step
 * times is printed, and marked where it is above 20. Processor time of one thread, median of the steps after a warm-up.
 * A query that takes longer than --limit seconds is cancelled and shown as such. Answers are compared between the
 * methods.
 *
 * Usage: bench_traps [--scale S] [--steps N] [--limit SECONDS] [--only METHOD] [--trap NAME] [--csv FILE]
 */
#include <inttypes.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dent/dent.h>
#include <dent/file_output.h>
#include <dent/scene.h>

#include "sort_times.h"

enum { STEPS_MAX = 100, RATIO_ALLOWED = 20 };

/* ---- traps ----------------------------------------------------------------------------------- */

/* What is added to the bodies of the scene. */
enum extra { EXTRA_NONE, EXTRA_HUGE, EXTRA_SLIVER, EXTRA_FAR };

struct trap {
    const char *name, *meaning;
    double scale[3]; /* of the positions, axis by axis */
    enum extra extra;
    bool one_cell; /* parameters that put everything into one cell, bucket or slot */
};

static const struct trap traps[] = {
    {"spread", "as the scene has them", {1, 1, 1}, EXTRA_NONE, false},
    {"1e150", "coordinates times 1e150", {1e150, 1e150, 1e150}, EXTRA_NONE, false},
    {"1e-150", "coordinates times 1e-150", {1e-150, 1e-150, 1e-150}, EXTRA_NONE, false},
    {"huge", "one tetrahedron more that contains everything", {1, 1, 1}, EXTRA_HUGE, false},
    {"sliver", "one long thin tetrahedron more, from corner to corner", {1, 1, 1}, EXTRA_SLIVER, false},
    {"far", "two small tetrahedra more, a million sizes away on each side", {1, 1, 1}, EXTRA_FAR, false},
    {"one-cell",
     "parameters that put everything into one cell (hash) or one bucket (tree)",
     {1, 1, 1},
     EXTRA_NONE,
     true},
    {"sheet", "x squeezed by 1e-6: all in one layer of cells", {1e-6, 1, 1}, EXTRA_NONE, false},
    {"line", "x and y squeezed by 1e-6: all in one row of cells", {1e-6, 1e-6, 1}, EXTRA_NONE, false},
    {"point", "every vertex in one and the same point", {0, 0, 0}, EXTRA_NONE, false},
};
enum { TRAP_COUNT = sizeof traps / sizeof traps[0] };

static const dent_method methods[] = {DENT_METHOD_CLUSTER_SEARCH, DENT_METHOD_CONTOUR_WALK, DENT_METHOD_SPATIAL_HASH,
                                      DENT_METHOD_BUCKET_TREE,    DENT_METHOD_SWEEP,        DENT_METHOD_AUTO};
enum { METHOD_COUNT = sizeof methods / sizeof methods[0] };

static const uint32_t questions[] = {DENT_QUESTION_VERTEX_CELL, DENT_QUESTION_FACE_CELL};

/* ---- the stage ------------------------------------------------------------------------------- */

struct stage {
    dent_context *context;
    dent_scene *scene;
    dent_world *world;
    const struct trap *trap;
    uint32_t bodies;
    uint64_t elements;
    double **positions;
    double extra[2][12];
};

static void fail(const char *text)
{
    fprintf(stderr, "bench_traps: %s\n", text);
    exit(2);
}

static void pose(struct stage *stage, uint32_t frame)
{
    for (uint32_t i = 0; i < stage->bodies; i++) {
        dent_scene_positions(stage->scene, i, frame, stage->positions[i]);
        uint64_t count = 3 * (uint64_t)dent_scene_body_at(stage->scene, i)->vertex_count;
        for (uint64_t k = 0; k < count; k++) {
            stage->positions[i][k] *= stage->trap->scale[k % 3];
        }
    }
}

/* Largest coordinate of the scene in frame 0. */
static double reach(const struct stage *stage)
{
    double most = 0;
    for (uint32_t i = 0; i < stage->bodies; i++) {
        uint64_t count = 3 * (uint64_t)dent_scene_body_at(stage->scene, i)->vertex_count;
        for (uint64_t k = 0; k < count; k++) {
            most = fmax(most, fabs(stage->positions[i][k]));
        }
    }
    return most;
}

static void add_tetrahedron(struct stage *stage, double *corners)
{
    static const uint32_t order[4] = {0, 1, 2, 3};
    dent_body_id id;
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = 4;
    def.element_count = 1;
    def.element_corners = order;
    def.positions_t0 = dent_positions_double(corners);
    if (dent_world_add_body(stage->world, &def, &id) != DENT_OK) {
        fail(dent_world_message(stage->world));
    }
}

static void add_extra(struct stage *stage)
{
    static const double corner[4][3] = {{-1, -1, -1}, {1, 1, -1}, {-1, 1, 1}, {1, -1, 1}};
    double size = reach(stage);
    for (int k = 0; k < 12; k++) {
        double unit = corner[k / 3][k % 3];
        bool tip = k / 3 == 3;
        double along =
            tip ? 1.1 * size : -1.1 * size + 0.1 * unit; /* three corners close together, the fourth far away */
        stage->extra[0][k] = stage->trap->extra == EXTRA_HUGE     ? 4 * size * unit
                             : stage->trap->extra == EXTRA_SLIVER ? along
                                                                  : 1e6 * size + unit;
        stage->extra[1][k] = -1e6 * size + unit;
    }
    add_tetrahedron(stage, stage->extra[0]);
    if (stage->trap->extra == EXTRA_FAR) {
        add_tetrahedron(stage, stage->extra[1]);
    }
}

/* With the undeformed shape, as dent bench does: the cluster search may prove self-collision away where the trap leaves
 * the shape alone. */
static void add_slab(struct stage *stage, uint32_t index)
{
    const dent_scene_body *body = dent_scene_body_at(stage->scene, index);
    dent_body_id id;
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = body->vertex_count;
    def.element_count = body->element_count;
    def.element_corners = body->element_corners;
    def.positions_t0 = dent_positions_double(stage->positions[index]);
    def.reference = dent_positions_double(body->reference);
    if (dent_world_add_body(stage->world, &def, &id) != DENT_OK) {
        fail(dent_world_message(stage->world));
    }
}

static void open_stage(struct stage *stage, dent_context *context, const struct trap *trap, double scale)
{
    dent_scene_def def = dent_scene_def_default();
    *stage = (struct stage){.context = context, .trap = trap};
    def.name = "teschner-e";
    def.scale = scale;
    if (dent_scene_create(context, &def, &stage->scene) != DENT_OK) {
        fail("the scene cannot be made");
    }
    stage->bodies = dent_scene_body_count(stage->scene);
    stage->positions = calloc(stage->bodies, sizeof *stage->positions);
    stage->world = dent_world_create(context);
    for (uint32_t i = 0; i < stage->bodies; i++) {
        const dent_scene_body *body = dent_scene_body_at(stage->scene, i);
        stage->positions[i] = calloc((size_t)body->vertex_count * 3, sizeof(double));
        stage->elements += body->element_count;
    }
    pose(stage, 0);
    for (uint32_t i = 0; i < stage->bodies; i++) {
        add_slab(stage, i);
    }
    if (trap->extra != EXTRA_NONE) {
        add_extra(stage);
    }
}

static void close_stage(struct stage *stage)
{
    dent_world_destroy(stage->world);
    for (uint32_t i = 0; i < stage->bodies; i++) {
        free(stage->positions[i]);
    }
    free(stage->positions);
    dent_scene_destroy(stage->scene);
}

/* ---- measuring ------------------------------------------------------------------------------- */

struct outcome {
    double milliseconds; /* median; NaN: never finished, or cannot answer */
    bool cancelled;
    uint64_t pairs, hash, box_tests, candidates, peak_bytes;
};

struct options {
    double scale;
    uint32_t steps, limit;
    const char *only, *trap, *csv_path;
    FILE *csv; /* in memory, put in place after every row */
    char *csv_text;
    size_t csv_size;
};

static void place_csv(const struct options *options)
{
    dent_context *context = dent_context_create(NULL, NULL);
    dent_file_writer *file;
    char message[1024];
    fflush(options->csv);
    if (context && dent_file_writer_open(context, options->csv_path, &file) == DENT_OK) {
        dent_file_writer_put(file, options->csv_text, options->csv_size);
        if (dent_file_writer_commit(file) == DENT_OK) {
            dent_context_destroy(context);
            return;
        }
    }
    fail(context && dent_context_message(context, message, sizeof message) > 0 ? message : "out of memory");
}

static volatile sig_atomic_t alarm_rang;
static int cancel_flag;

static void ring(int number)
{
    (void)number;
    alarm_rang = 1;
    __atomic_store_n(&cancel_flag, 1, __ATOMIC_RELAXED);
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static const dent_pair_list *list_of(const dent_query_result *result, uint32_t question)
{
    return question == DENT_QUESTION_VERTEX_CELL ? &result->vertex_cell : &result->face_cell;
}

/* The worst parameters: one cell for all, one slot, one level, the root as the only bucket. */
static void worst_parameters(dent_query_def *def, dent_spatial_hash_def *hash, dent_bucket_tree_def *tree)
{
    *hash = dent_spatial_hash_def_default();
    hash->cell_size = 1e6;
    hash->table_size = 1;
    hash->levels = 1;
    *tree = dent_bucket_tree_def_default();
    tree->level = 1;
    def->spatial_hash = hash;
    def->bucket_tree = tree;
}

static struct outcome measure(struct stage *stage, dent_method method, uint32_t question, const struct options *options)
{
    struct outcome outcome = {.milliseconds = NAN};
    dent_query_def def = dent_query_def_default();
    dent_spatial_hash_def hash;
    dent_bucket_tree_def tree;
    dent_query_result result;
    double times[STEPS_MAX];
    uint32_t count = 0;
    def.questions = question;
    def.method = method;
    def.no_details = true;
    def.cancel = &cancel_flag;
    if (stage->trap->one_cell) {
        worst_parameters(&def, &hash, &tree);
    }
    for (uint32_t step = 0; step <= options->steps; step++) {
        pose(stage, step);
        cancel_flag = 0;
        alarm_rang = 0;
        alarm(options->limit);
        double began = now_ms();
        dent_status status = dent_world_query(stage->world, &def, &result);
        double took = now_ms() - began;
        alarm(0);
        if (alarm_rang || status == DENT_ERROR_UNSUPPORTED) {
            outcome.cancelled = alarm_rang;
            return outcome;
        }
        if (status != DENT_OK) {
            fail(dent_world_message(stage->world));
        }
        if (step == 0) {
            outcome.pairs = list_of(&result, question)->count;
            outcome.hash = dent_pair_list_hash(stage->world, (dent_question)question, list_of(&result, question));
            outcome.box_tests = result.counters.box_tests;
            outcome.candidates = result.counters.candidates;
        }
        if (step > 0 || took > 4000) { /* the first warms up, unless it was too slow to be repeated */
            times[count++] = took;
        }
        if (took > 4000) {
            break;
        }
    }
    sort_times(times, count);
    outcome.milliseconds = times[count / 2];
    outcome.peak_bytes = dent_context_memory_use(stage->context).peak_bytes;
    return outcome;
}

/* A world and a context of its own, so that neither memory nor state of one method serves another. */
static struct outcome measure_alone(const struct trap *trap, dent_method method, uint32_t question,
                                    const struct options *options)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    struct stage stage;
    open_stage(&stage, context, trap, options->scale);
    struct outcome outcome = measure(&stage, method, question, options);
    close_stage(&stage);
    dent_context_destroy(context);
    return outcome;
}

/* ---- the table ------------------------------------------------------------------------------- */

static void print_row(const struct trap *trap, dent_method method, uint32_t question, const struct outcome *outcome,
                      double base, bool agrees, const struct options *options)
{
    const char *name = dent_method_name(method), *ask = dent_question_name((dent_question)question);
    double ratio = outcome->milliseconds / base;
    if (outcome->cancelled) {
        printf("| %s | %s | %s | > %u s, cancelled | **above %d** | | | |\n", ask, trap->name, name, options->limit,
               RATIO_ALLOWED);
    } else {
        const char *mark = ratio > RATIO_ALLOWED ? "**" : "";
        printf("| %s | %s | %s | %.2f | %s%.2f%s | %" PRIu64 "%s | %" PRIu64 " | %" PRIu64 " |\n", ask, trap->name,
               name, outcome->milliseconds, mark, ratio, mark, outcome->pairs, agrees ? "" : " DIFFERS",
               outcome->box_tests, outcome->candidates);
    }
    fflush(stdout);
    if (options->csv) {
        fprintf(options->csv, "%s,%s,%s,%.4f,%.4f,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", ask, trap->name,
                name, outcome->milliseconds, ratio, outcome->pairs, outcome->box_tests, outcome->candidates,
                outcome->peak_bytes);
        place_csv(options);
    }
}

static bool run_question(uint32_t question, const struct options *options)
{
    double base[METHOD_COUNT];
    bool good = true;
    for (int t = 0; t < TRAP_COUNT; t++) {
        struct outcome first = {.milliseconds = NAN};
        if (t > 0 && options->trap && strcmp(options->trap, traps[t].name) != 0) {
            continue;
        }
        for (int m = 0; m < METHOD_COUNT; m++) {
            if (options->only && strcmp(options->only, dent_method_name(methods[m])) != 0) {
                continue;
            }
            struct outcome outcome = measure_alone(&traps[t], methods[m], question, options);
            base[m] = t == 0 ? outcome.milliseconds : base[m];
            first = isnan(first.milliseconds) ? outcome : first;
            bool agrees = outcome.hash == first.hash && outcome.pairs == first.pairs;
            good = good && (agrees || isnan(outcome.milliseconds));
            if (outcome.cancelled || !isnan(outcome.milliseconds)) {
                print_row(&traps[t], methods[m], question, &outcome, base[m], agrees, options);
            }
        }
    }
    return good;
}

static void read_options(int argc, char **argv, struct options *options)
{
    *options = (struct options){.scale = 1, .steps = 7, .limit = 60};
    for (int i = 1; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (value && strcmp(argv[i], "--scale") == 0) {
            options->scale = atof(value);
        } else if (value && strcmp(argv[i], "--steps") == 0 && atoi(value) > 0 && atoi(value) < STEPS_MAX) {
            options->steps = (uint32_t)atoi(value);
        } else if (value && strcmp(argv[i], "--limit") == 0) {
            options->limit = (uint32_t)atoi(value);
        } else if (value && strcmp(argv[i], "--only") == 0) {
            options->only = value;
        } else if (value && strcmp(argv[i], "--trap") == 0) {
            options->trap = value;
        } else if (value && strcmp(argv[i], "--csv") == 0 && !options->csv) {
            options->csv_path = value;
            options->csv = open_memstream(&options->csv_text, &options->csv_size);
            if (!options->csv) {
                fail("out of memory");
            }
            fprintf(options->csv, "question,trap,method,median_ms,ratio,pairs,box_tests,candidates,peak_bytes\n");
            place_csv(options);
        } else {
            fail("usage: bench_traps [--scale S] [--steps N] [--limit SECONDS] [--only METHOD] [--trap NAME] [--csv "
                 "FILE]");
        }
    }
}

int main(int argc, char **argv)
{
    static struct options options; /* the stream of the table keeps its address */
    read_options(argc, argv, &options);
    struct sigaction action = {.sa_handler = ring};
    sigaction(SIGALRM, &action, NULL);
    for (int t = 0; t < TRAP_COUNT; t++) {
        printf("%s `%s`: %s\n", "*", traps[t].name, traps[t].meaning);
    }
    printf("\n| question | trap | method | ms | over spread | pairs | box tests | candidates "
           "|\n|---|---|---|---|---|---|---|---|\n");
    bool good = true;
    for (size_t q = 0; q < sizeof questions / sizeof questions[0]; q++) {
        good = run_question(questions[q], &options) && good;
    }
    if (options.csv) {
        fclose(options.csv);
        free(options.csv_text);
    }
    return good ? 0 : 1;
}
