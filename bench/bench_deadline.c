/* Deadlines of the time-critical search: does it return in time, and what does it know then?
 *
 * Usage: bench_deadline [--calls N] [--faces N] [--load] [--deadlines] [--quality] [--orders] [--fronts]
 *
 *   --deadlines  N calls (default 100000) for each budget of 100, 500 and 1000 us on pairs of bodies of 100,000 faces
 *                in many poses, each call followed by an empty loop that reads the clock until the same budget is over.
 *                Overrun of both: wall time, and processor time of the thread. 100,000 calls take about 6 minutes.
 *   --load       … beside as many busy threads as there are processors
 *   --quality    at 1 ms, bodies of 1,000 to 1,000,000 faces: the error bound and the true error (the largest true gap
 *                of a pending pair), over the radius
 *   --orders     the bound at equal budgets of work: priority, breadth first, depth first, deepest
 *   --fronts     steps of a moving pair from the roots and from the last front
 *
 * Without any of these: all parts.
 *
 * The bodies: two bumpy balls that overlap by a third ("lens"), two that nearly coincide ("shell": contact everywhere,
 * the worst case), and a lens whose rings crowd at one pole ("graded": faces a hundred times as large in some places as
 * in others).
 */
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <dent/dent.h>

#include "geometry/feature_distance.h"
#include "geometry/triangle_predicates.h"

enum { POSES = 8, BUDGETS = 3, ORDERS = 4, KINDS = 3 };

enum body_kind { LENS, SHELL, GRADED };
static const char *const kind_names[KINDS] = {"lens", "shell", "graded"};

static const char *const order_names[ORDERS] = {"priority", "breadth-first", "depth-first", "deepest"};

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

struct ball {
    uint32_t vertex_count, face_count;
    uint32_t *corners;
    double (*rest)[3], (*xyz)[3];
};

/* Rings between two poles, radius 1 with bumps. */
static struct ball ball_make(uint32_t faces, bool graded)
{
    uint32_t around = (uint32_t)sqrt(faces / 1.0), rings = faces / 2 / around;
    struct ball ball = {.vertex_count = around * rings + 2, .face_count = 2 * around * rings};
    ball.corners = calloc((size_t)ball.face_count * 3, sizeof *ball.corners);
    ball.rest = calloc(ball.vertex_count, sizeof *ball.rest);
    ball.xyz = calloc(ball.vertex_count, sizeof *ball.xyz);
    double pi = 3.14159265358979323846;
    for (uint32_t ring = 0; ring <= rings + 1; ring++) {
        double along = ring / (rings + 1.0);
        double height = pi * ((graded ? along * along * along : along) - 0.5);
        for (uint32_t i = 0; i < around; i++) {
            double angle = 2 * pi * i / around, radius = 1 + 0.04 * sin(7 * angle) * cos(height) * cos(5 * height);
            uint32_t v = ring == 0 ? 0 : ring == rings + 1 ? ball.vertex_count - 1 : 1 + (ring - 1) * around + i;
            ball.rest[v][0] = radius * cos(height) * cos(angle);
            ball.rest[v][1] = radius * cos(height) * sin(angle);
            ball.rest[v][2] = radius * sin(height);
        }
    }
    uint32_t *next = ball.corners;
    for (uint32_t i = 0; i < around; i++) {
        uint32_t j = (i + 1) % around, last = 1 + (rings - 1) * around, top = ball.vertex_count - 1;
        const uint32_t caps[6] = {0, 1 + j, 1 + i, top, last + i, last + j};
        memcpy(next, caps, sizeof caps);
        next += 6;
        for (uint32_t ring = 1; ring < rings; ring++) {
            uint32_t low = 1 + (ring - 1) * around;
            const uint32_t quad[6] = {low + i, low + j, low + around + j, low + i, low + around + j, low + around + i};
            memcpy(next, quad, sizeof quad);
            next += 6;
        }
    }
    ball.face_count = (uint32_t)((next - ball.corners) / 3);
    return ball;
}

static void ball_free(struct ball *ball)
{
    free(ball->corners);
    free(ball->rest);
    free(ball->xyz);
}

/* Sheared and twisted a little, a little different for every pose. */
static void ball_pose(struct ball *ball, double scale, double shift, double phase)
{
    for (uint32_t v = 0; v < ball->vertex_count; v++) {
        const double *p = ball->rest[v];
        double angle = 0.3 * p[2] * sin(phase) + phase, c = cos(angle), s = sin(angle);
        ball->xyz[v][0] = scale * (c * p[0] - s * p[1] + 0.1 * sin(phase) * p[2]) + shift;
        ball->xyz[v][1] = scale * (s * p[0] + c * p[1]);
        ball->xyz[v][2] = scale * p[2] * (1 + 0.05 * cos(3 * phase));
    }
}

struct pair {
    struct ball balls[2];
    dent_world *world;
    dent_body_id ids[2];
    dent_bound_tree *trees[2];
};

static void must(dent_status status, const char *what)
{
    if (status != DENT_OK) {
        fprintf(stderr, "bench_deadline: %s: %s\n", what, dent_status_name(status));
        exit(2);
    }
}

static void pair_pose(struct pair *pair, enum body_kind kind, double phase)
{
    bool shell = kind == SHELL;
    ball_pose(&pair->balls[0], 1, 0, phase);
    ball_pose(&pair->balls[1], shell ? 1.004 : 0.9, shell ? 0.002 : 1.3, shell ? phase + 0.05 : 2 * phase + 1);
}

static void pair_open(struct pair *pair, dent_context *context, uint32_t faces, enum body_kind kind, double phase,
                      const dent_bound_tree_def *def)
{
    pair->world = dent_world_create(context);
    for (int i = 0; i < 2; i++) {
        pair->balls[i] = ball_make(faces, kind == GRADED);
    }
    pair_pose(pair, kind, phase);
    for (int i = 0; i < 2; i++) {
        dent_body_def body = dent_surface_def_default();
        body.vertex_count = pair->balls[i].vertex_count;
        body.element_count = pair->balls[i].face_count;
        body.element_corners = pair->balls[i].corners;
        body.positions_t0 = dent_positions_double(pair->balls[i].xyz[0]);
        must(dent_world_add_body(pair->world, &body, &pair->ids[i]), "a body");
        must(dent_bound_tree_create(pair->world, pair->ids[i], def, &pair->trees[i]), "a tree");
    }
}

static void pair_close(struct pair *pair)
{
    for (int i = 0; i < 2; i++) {
        dent_bound_tree_destroy(pair->trees[i]);
        ball_free(&pair->balls[i]);
    }
    dent_world_destroy(pair->world);
}

static dent_time_critical *search_open(dent_context *context, const struct pair *pair, dent_refine_order order,
                                       uint32_t front)
{
    dent_time_critical_def def = dent_time_critical_def_default();
    dent_time_critical *search;
    def.tree_a = pair->trees[0];
    def.tree_b = pair->trees[1];
    def.order = order;
    def.front_capacity = front;
    def.pending_capacity = 1u << 18;
    def.confirmed_capacity = 1u << 17;
    def.pair_capacity = 1u << 20;
    must(dent_time_critical_create(context, &def, &search), "a search");
    return search;
}

/* ---- deadlines --------------------------------------------------------------------------------------------------- */

static uint64_t thread_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static int compare_floats(const void *left, const void *right)
{
    float a = *(const float *)left, b = *(const float *)right;
    return (a > b) - (a < b);
}

static double percentile(const float *sorted, uint32_t count, double share)
{
    uint32_t place = (uint32_t)(share * (count - 1) + 0.5);
    return (double)sorted[place] * 1e-3;
}

/* Microseconds beyond the budget. */
static void print_distribution(const char *what, double budget_us, const char *clock, float *overruns, uint32_t count)
{
    qsort(overruns, count, sizeof *overruns, compare_floats);
    printf("%6.0f us  %-6s  %-6s  %9.2f %9.2f %9.2f %9.2f %10.2f\n", budget_us, what, clock,
           percentile(overruns, count, 0.5), percentile(overruns, count, 0.9), percentile(overruns, count, 0.99),
           percentile(overruns, count, 0.999), percentile(overruns, count, 1));
}

struct samples {
    float *wall, *cpu;
};

static void take_sample(struct samples *samples, uint32_t i, uint64_t wall, uint64_t cpu, double budget)
{
    double over_wall = (double)wall - budget, over_cpu = (double)cpu - budget;
    samples->wall[i] = over_wall > 0 ? (float)over_wall : 0;
    samples->cpu[i] = over_cpu > 0 ? (float)over_cpu : 0;
}

static void measure_budget(dent_context *context, struct pair *pairs, double budget_us, uint32_t calls)
{
    struct samples samples[2];
    double budget = budget_us * 1000;
    uint32_t completed = 0;
    uint64_t reported_worst = 0;
    dent_time_critical *searches[POSES];
    for (int i = 0; i < 2; i++) {
        samples[i].wall = calloc(calls, sizeof(float));
        samples[i].cpu = calloc(calls, sizeof(float));
    }
    for (int i = 0; i < POSES; i++) {
        searches[i] = search_open(context, &pairs[i], DENT_REFINE_PRIORITY, 0);
    }
    for (uint32_t call = 0; call < calls; call++) {
        dent_time_critical *search = searches[call % POSES];
        dent_time_critical_result result;
        dent_time_critical_begin(search, NULL);
        uint64_t cpu = thread_ns(), wall = dent_clock_ns();
        dent_time_critical_run(search, dent_budget_ns(budget), &result);
        uint64_t wall_end = dent_clock_ns(), cpu_end = thread_ns();
        take_sample(&samples[0], call, wall_end - wall, cpu_end - cpu, budget);
        completed += result.outcome == DENT_OUTCOME_COMPLETE;
        reported_worst = result.overrun_ns > reported_worst ? result.overrun_ns : reported_worst;

        cpu = thread_ns();
        wall = dent_clock_ns();
        uint64_t deadline = wall + (uint64_t)budget;
        do {
            wall_end = dent_clock_ns();
        } while (wall_end < deadline);
        wall_end = dent_clock_ns();
        cpu_end = thread_ns();
        take_sample(&samples[1], call, wall_end - wall, cpu_end - cpu, budget);
    }
    for (int i = 0; i < 2; i++) {
        print_distribution(i ? "empty" : "search", budget_us, "wall", samples[i].wall, calls);
        print_distribution(i ? "empty" : "search", budget_us, "thread", samples[i].cpu, calls);
        free(samples[i].wall);
        free(samples[i].cpu);
    }
    printf("%6.0f us  %u of %u searches completed; largest overrun the search itself reported %.2f us\n", budget_us,
           completed, calls, (double)reported_worst * 1e-3);
    fflush(stdout);
    for (int i = 0; i < POSES; i++) {
        dent_time_critical_destroy(searches[i]);
    }
}

static atomic_bool load_stop;

static void *busy(void *data)
{
    uint64_t x = 1;
    while (!atomic_load_explicit(&load_stop, memory_order_relaxed)) {
        for (int i = 0; i < 10000; i++) {
            x = x * UINT64_C(6364136223846793005) + 1;
        }
    }
    *(uint64_t *)data = x;
    return NULL;
}

static void measure_deadlines(dent_context *context, uint32_t faces, uint32_t calls, bool load)
{
    static const double budgets[BUDGETS] = {100, 500, 1000};
    static struct pair pairs[POSES];
    pthread_t threads[64];
    uint64_t results[64];
    long processors = sysconf(_SC_NPROCESSORS_ONLN), started = 0;
    for (int i = 0; i < POSES; i++) {
        pair_open(&pairs[i], context, faces, SHELL, 0.7 * i, NULL);
    }
    if (load) {
        for (; started < processors && started < 64; started++) {
            pthread_create(&threads[started], NULL, busy, &results[started]);
        }
    }
    printf("deadlines: %u calls, 2 x %u faces, %s\n", calls, pairs[0].balls[0].face_count,
           load ? "beside as many busy threads as there are processors" : "no load of ours");
    printf("budget     what    clock     p50 us    p90 us    p99 us  p99.9 us     max us\n");
    for (int i = 0; i < BUDGETS; i++) {
        measure_budget(context, pairs, budgets[i], calls);
    }
    atomic_store(&load_stop, true);
    for (long i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
    }
    atomic_store(&load_stop, false);
    for (int i = 0; i < POSES; i++) {
        pair_close(&pairs[i]);
    }
}

/* ---- true errors ------------------------------------------------------------------------------------------------- */

static double face_distance(const double *const a[3], const double *const b[3])
{
    predicate_counters counters = {0};
    if (triangle_versus_triangle(a, b, &counters) != FACE_PAIR_NONE) {
        return 0;
    }
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = fmin(best, fmin(vertex_face_distance(a[i], b), vertex_face_distance(b[i], a)));
        for (int j = 0; j < 3; j++) {
            const double *edge_a[2] = {a[i], a[(i + 1) % 3]}, *edge_b[2] = {b[j], b[(j + 1) % 3]};
            best = fmin(best, edge_edge_distance(edge_a, edge_b));
        }
    }
    return best;
}

static void face_corners(const struct pair *pair, int side, uint32_t place, const double *corners[3])
{
    uint32_t face = dent_bound_tree_face_order(pair->trees[side])[place];
    for (int k = 0; k < 3; k++) {
        corners[k] = pair->balls[side].xyz[pair->balls[side].corners[3 * face + (uint32_t)k]];
    }
}

/* The distance of the faces below two nodes, if it is below `best`. */
static double true_gap(const struct pair *pair, uint32_t node_a, uint32_t node_b, double best)
{
    dent_bound_node a = dent_bound_tree_node(pair->trees[0], node_a), b = dent_bound_tree_node(pair->trees[1], node_b);
    double x = a.center[0] - b.center[0], y = a.center[1] - b.center[1], z = a.center[2] - b.center[2];
    if (best == 0 || sqrt(x * x + y * y + z * z) - a.radius - b.radius >= best) {
        return best;
    }
    if (a.child_count == 0 && b.child_count == 0) {
        for (uint32_t i = a.first_face; i < a.first_face + a.face_count; i++) {
            for (uint32_t j = b.first_face; j < b.first_face + b.face_count; j++) {
                const double *face_a[3], *face_b[3];
                face_corners(pair, 0, i, face_a);
                face_corners(pair, 1, j, face_b);
                best = fmin(best, face_distance(face_a, face_b));
            }
        }
        return best;
    }
    bool split_a = b.child_count == 0 || (a.child_count > 0 && a.radius >= b.radius);
    const dent_bound_node *split = split_a ? &a : &b;
    uint32_t order[8];
    double keys[8];
    for (uint32_t i = 0; i < split->child_count; i++) { /* nearest first */
        dent_bound_node child = dent_bound_tree_node(pair->trees[split_a ? 0 : 1], split->first_child + i);
        const double *other = split_a ? b.center : a.center;
        double dx = child.center[0] - other[0], dy = child.center[1] - other[1], dz = child.center[2] - other[2];
        double key = sqrt(dx * dx + dy * dy + dz * dz) - child.radius;
        uint32_t place = i;
        for (; place > 0 && keys[place - 1] > key; place--) {
            keys[place] = keys[place - 1];
            order[place] = order[place - 1];
        }
        keys[place] = key;
        order[place] = split->first_child + i;
    }
    for (uint32_t i = 0; i < split->child_count; i++) {
        best = split_a ? true_gap(pair, order[i], node_b, best) : true_gap(pair, node_a, order[i], best);
    }
    return best;
}

/* The largest true gap of a pending pair: how far off the answer "these may collide" is. */
static double true_error(const struct pair *pair, const dent_time_critical_result *result)
{
    double error = 0;
    uint32_t stride = 1 + result->pending_count / 4000; /* a sample of them, where there are very many */
    for (uint32_t i = 0; i < result->pending_count; i += stride) {
        error = fmax(error, true_gap(pair, result->pending[i].node_a, result->pending[i].node_b, INFINITY));
    }
    return error;
}

static void measure_quality(dent_context *context, uint32_t faces_max)
{
    printf("quality at 1 ms (lengths over the radius of the bodies; true: the largest true gap of a pending pair)\n");
    printf("bodies    faces each  bound       true error  work units  pending  confirmed pairs  of all   complete "
           "after ms\n");
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint32_t faces = 1000; faces <= faces_max; faces *= 10) {
            struct pair pair;
            dent_time_critical_result result, whole;
            uint64_t best_units = 0;
            pair_open(&pair, context, faces, (enum body_kind)kind, 0.3, NULL);
            dent_time_critical *search = search_open(context, &pair, DENT_REFINE_PRIORITY, 0);
            for (int warm = 0; warm < 20; warm++) { /* on a busy machine the one that got most done */
                dent_time_critical_begin(search, NULL);
                dent_time_critical_run(search, dent_budget_ns(1e6), &result);
                best_units = result.work_units > best_units ? result.work_units : best_units;
            }
            dent_time_critical_begin(search, NULL);
            dent_time_critical_run(search, dent_budget_units(best_units), &result);
            double bound = result.error, error = true_error(&pair, &result);
            uint32_t pending = result.pending_count, confirmed = result.pair_count;
            unsigned long long units = result.work_units;
            uint64_t before = dent_clock_ns();
            dent_time_critical_run(search, dent_budget_ns(kind == SHELL && faces > 100000 ? 20e9 : 60e9), &whole);
            printf("%-8s  %10u  %10.3g  %10.3g  %10llu  %7u  %15u  %7u  %.1f%s\n", kind_names[kind],
                   pair.balls[0].face_count, bound, error, units, pending, confirmed, whole.pair_count,
                   1 + (double)(dent_clock_ns() - before) * 1e-6,
                   whole.outcome == DENT_OUTCOME_COMPLETE ? "" : " (not complete)");
            fflush(stdout);
            dent_time_critical_destroy(search);
            pair_close(&pair);
        }
    }
}

static void measure_orders(dent_context *context, uint32_t faces)
{
    printf("orders: bound over the radius at equal work, 2 x %u faces\n", faces);
    printf("bodies  units     ");
    for (int order = 0; order < ORDERS; order++) {
        printf("  %13s", order_names[order]);
    }
    printf("  breadth/priority   true error: priority, breadth-first\n");
    for (int kind = 0; kind < KINDS; kind++) {
        struct pair pair;
        pair_open(&pair, context, faces, (enum body_kind)kind, 0.3, NULL);
        for (uint64_t units = 1000; units <= 1024000; units *= 4) {
            double bounds[ORDERS], errors[ORDERS];
            for (int order = 0; order < ORDERS; order++) {
                dent_time_critical *search = search_open(context, &pair, (dent_refine_order)order, 0);
                dent_time_critical_result result;
                dent_time_critical_begin(search, NULL);
                dent_time_critical_run(search, dent_budget_units(units), &result);
                bounds[order] = result.error;
                errors[order] = order < 2 ? true_error(&pair, &result) : 0;
                dent_time_critical_destroy(search);
            }
            printf("%-6s  %8llu  ", kind_names[kind], (unsigned long long)units);
            for (int order = 0; order < ORDERS; order++) {
                printf("  %13.4g", bounds[order]);
            }
            printf("  %16.2f  ", bounds[0] > 0 ? bounds[1] / bounds[0] : 1.0);
            printf("  %.3g  %.3g\n", errors[0], errors[1]);
            fflush(stdout);
        }
        pair_close(&pair);
    }
}

/* ---- fronts ------------------------------------------------------------------------------------------------------ */

static void measure_fronts(dent_context *context, uint32_t faces)
{
    printf("fronts: bound tests of a whole search per step, 2 x %u faces, moving\n", faces);
    printf("branching  from the roots  from the front   ratio   update ms (both trees)\n");
    for (uint32_t branching = 2; branching <= 8; branching *= 2) {
        struct pair pair;
        dent_bound_tree_def def = dent_bound_tree_def_default();
        const dent_time_critical_start reuse = {true};
        def.branching = branching;
        pair_open(&pair, context, faces, LENS, 0.3, &def);
        dent_time_critical *searches[2] = {search_open(context, &pair, DENT_REFINE_PRIORITY, 0),
                                           search_open(context, &pair, DENT_REFINE_PRIORITY, 1u << 20)};
        uint64_t tests[2] = {0, 0}, update = 0;
        for (int step = 0; step < 20; step++) {
            pair_pose(&pair, LENS, 0.3 + 0.001 * step);
            uint64_t before = dent_clock_ns();
            must(dent_bound_tree_update(pair.trees[0]), "update");
            must(dent_bound_tree_update(pair.trees[1]), "update");
            update += dent_clock_ns() - before;
            for (int i = 0; i < 2; i++) {
                dent_time_critical_result result;
                dent_time_critical_begin(searches[i], i && step > 0 ? &reuse : NULL);
                dent_time_critical_run(searches[i], dent_budget_ns(INFINITY), &result);
                tests[i] += step > 0 ? result.bound_tests : 0;
            }
        }
        printf("%9u  %14.0f  %14.0f  %6.2f   %.2f\n", branching, (double)tests[0] / 19, (double)tests[1] / 19,
               (double)tests[0] / (double)tests[1], (double)update * 1e-6 / 20);
        dent_time_critical_destroy(searches[0]);
        dent_time_critical_destroy(searches[1]);
        pair_close(&pair);
    }
}

int main(int count, char **arguments)
{
    uint32_t calls = 100000, faces = 100000, parts = 0;
    bool load = false;
    static const char *const names[4] = {"--deadlines", "--quality", "--orders", "--fronts"};
    for (int i = 1; i < count; i++) {
        bool known = false;
        for (uint32_t part = 0; part < 4; part++) {
            if (strcmp(arguments[i], names[part]) == 0) {
                parts |= 1u << part;
                known = true;
            }
        }
        if (strcmp(arguments[i], "--load") == 0) {
            load = known = true;
        } else if (strcmp(arguments[i], "--calls") == 0 && i + 1 < count) {
            calls = (uint32_t)strtoul(arguments[++i], NULL, 10);
            known = true;
        } else if (strcmp(arguments[i], "--faces") == 0 && i + 1 < count) {
            faces = (uint32_t)strtoul(arguments[++i], NULL, 10);
            known = true;
        }
        if (!known || calls < 1 || faces < 100) {
            fprintf(stderr, "usage: bench_deadline [--calls N] [--faces N] [--load] [--deadlines] [--quality] "
                            "[--orders] [--fronts]\n");
            return 2;
        }
    }
    parts = parts ? parts : 15;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    if (!context) {
        return 2;
    }
    if (parts & 1) {
        measure_deadlines(context, faces, calls, load);
    }
    if (parts & 2) {
        measure_quality(context, faces > 100000 ? faces : 1000000);
    }
    if (parts & 4) {
        measure_orders(context, faces);
    }
    if (parts & 8) {
        measure_fronts(context, faces);
    }
    dent_context_destroy(context);
    return 0;
}
