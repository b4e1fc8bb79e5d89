/* Deadlines of the time-critical search: does it return in time, and what does it know then?
 *
 * Usage: bench_deadline [--calls N] [--faces N] [--budget US] [--load] [--deadlines] [--quality] [--orders] [--fronts]
 *                       [--volumes] [--interrupt]
 *
 *   --deadlines  N calls (default 100000) for each budget of 100, 500 and 1000 us (or the one given) on pairs of bodies
 *                of 100,000 faces in many poses, each call followed by an empty loop that reads the clock until the
 * same budget is over. Overrun of both: wall time, and CPU time of the thread; then the one over the other.
 * 100,000 calls take about 6 minutes (40 seconds, 2 and 4 minutes).
 *   --load       … beside as many busy threads as there are processors: twice as long, if nothing else runs
 *   --quality    at 1 ms, bodies of 1,000 to 1,000,000 faces: the error bound and the true error (the largest true gap
 *                of a pending pair), over the radius; priority and breadth first. --faces N above 100,000: up to N
 *   --orders     the bound at equal budgets of work: priority, breadth first, depth first, deepest
 *   --fronts     steps of a moving pair from the roots and from the last front
 *   --volumes    balls, boxes, 14- and 18-DOPs at 1 ms
 *   --interrupt  N calls (at most 5,000) stopped by another thread's flag: from the flag to the return, beside an empty
 *                loop that reads the flag
 *
 * Without any of these: all parts.
 *
 * The bodies: deadline_bodies.h.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <time.h>
#include <unistd.h>

#include "deadline_bodies.h"

enum { POSES = 8, BUDGETS = 3, PARTS = 6 };

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

/* Sorted distributions of the search and of the empty loop: how many times as late, at each percentile; where both are
 * within the microsecond it takes to look at the clocks, 1. */
static void print_ratio(double budget_us, const char *clock, const float *search, const float *empty, uint32_t count)
{
    static const double shares[5] = {0.5, 0.9, 0.99, 0.999, 1};
    printf("%6.0f us  ratio   %-6s ", budget_us, clock);
    for (int i = 0; i < 5; i++) {
        double late = percentile(search, count, shares[i]), other = percentile(empty, count, shares[i]);
        printf(" %*.2f", i == 4 ? 10 : 9, late <= 1 ? 1.0 : late / fmax(other, 1));
    }
    printf("\n");
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
    }
    print_ratio(budget_us, "wall", samples[0].wall, samples[1].wall, calls);
    print_ratio(budget_us, "thread", samples[0].cpu, samples[1].cpu, calls);
    for (int i = 0; i < 2; i++) {
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

/* only: the one budget asked for, or 0 */
static void measure_deadlines(dent_context *context, uint32_t faces, uint32_t calls, uint32_t only, bool load)
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
    for (int i = 0; i < (only ? 1 : BUDGETS); i++) {
        measure_budget(context, pairs, only ? only : budgets[i], calls);
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

/* ---- what is known by then ------------------------------------------------------------------------------------- */

/* What a search knows after so many units. */
struct knowledge {
    double bound, list_bound, true_error;
    uint32_t pending, pairs;
    uint64_t units;
};

static struct knowledge know_after(dent_time_critical *search, const struct pair *pair, uint64_t units)
{
    dent_time_critical_result result;
    dent_time_critical_begin(search, NULL);
    dent_time_critical_run(search, dent_budget_units(units), &result);
    return (struct knowledge){result.error,         result.pending_error, true_error(pair, &result),
                              result.pending_count, result.pair_count,    result.work_units};
}

/* How many units a millisecond is; of many tries the one that got most done, as the machine may be busy. */
static uint64_t units_in_a_millisecond(dent_time_critical *search)
{
    uint64_t most = 0;
    for (int i = 0; i < 400; i++) {
        dent_time_critical_result result;
        dent_time_critical_begin(search, NULL);
        dent_time_critical_run(search, dent_budget_ns(1e6), &result);
        most = result.work_units > most ? result.work_units : most;
    }
    return most;
}

static double ratio(double dividend, double divisor)
{
    return divisor > 0 ? dividend / divisor : dividend > 0 ? INFINITY : 1;
}

static void measure_quality(dent_context *context, uint32_t faces_max)
{
    printf("quality at 1 ms (lengths over the radius of the bodies; list: bound of the entries listed; true: the "
           "largest true gap of one)\n");
    printf("%-42s %-44s %-31s %s\n", "", "priority", "breadth first", "breadth / priority");
    printf(
        "bodies    faces each  complete after ms    bound   list     true     units  pending  pairs of all   bound   "
        " true     units     bound   list   true\n");
    for (int kind = 0; kind < KINDS; kind++) {
        for (uint32_t faces = 1000; faces <= faces_max; faces *= 10) {
            struct pair pair;
            struct knowledge known[2];
            dent_time_critical_result whole = {0};
            pair_open(&pair, context, faces, (enum body_kind)kind, 0.3, NULL);
            uint64_t took = 0;
            for (int order = 0; order < 2; order++) {
                dent_time_critical *search = search_open(context, &pair, (dent_refine_order)order, 0);
                known[order] = know_after(search, &pair, units_in_a_millisecond(search));
                uint64_t before = dent_clock_ns();
                if (order == 0) {
                    dent_time_critical_begin(search, NULL);
                    dent_time_critical_run(search, dent_budget_units(UINT64_C(1) << 30), &whole);
                    took = dent_clock_ns() - before;
                }
                dent_time_critical_destroy(search);
            }
            const struct knowledge *p = &known[0], *b = &known[1];
            printf("%-8s  %10u  %15.1f%s  %7.3g %6.3g  %7.3g  %8llu  %7u  %5u %6u  %7.3g  %7.3g  %8llu   %6.2f %6.2f "
                   "%6.2f\n",
                   kind_names[kind], pair.balls[0].face_count, (double)took * 1e-6,
                   whole.outcome == DENT_OUTCOME_COMPLETE ? "  " : "+ ", p->bound, p->list_bound, p->true_error,
                   (unsigned long long)p->units, p->pending, p->pairs, whole.pair_count, b->bound, b->true_error,
                   (unsigned long long)b->units, ratio(b->bound, p->bound), ratio(b->list_bound, p->list_bound),
                   ratio(b->true_error, p->true_error));
            fflush(stdout);
            pair_close(&pair);
        }
    }
}

/* The kinds of volumes, each with what a millisecond of it is. */
static void measure_volumes(dent_context *context, uint32_t faces)
{
    static const char *const names[4] = {"balls", "boxes", "14-DOPs", "18-DOPs"};
    printf("volumes at 1 ms, priority, 2 x %u faces\n", faces);
    printf("bodies  volumes   units in 1 ms    bound     list     true  pending  units of a whole search  update ms\n");
    for (int kind = 0; kind < KINDS; kind++) {
        for (int volumes = 0; volumes < 4; volumes++) {
            struct pair pair;
            dent_time_critical_result whole;
            dent_bound_tree_def def = dent_bound_tree_def_default();
            def.kind = (dent_bound_kind)volumes;
            pair_open(&pair, context, faces, (enum body_kind)kind, 0.3, &def);
            dent_time_critical *search = search_open(context, &pair, DENT_REFINE_PRIORITY, 0);
            uint64_t best_update = UINT64_MAX;
            for (int i = 0; i < 5; i++) {
                uint64_t before = thread_ns();
                must(dent_bound_tree_update(pair.trees[0]), "update");
                must(dent_bound_tree_update(pair.trees[1]), "update");
                best_update = thread_ns() - before < best_update ? thread_ns() - before : best_update;
            }
            struct knowledge known = know_after(search, &pair, units_in_a_millisecond(search));
            dent_time_critical_begin(search, NULL);
            dent_time_critical_run(search, dent_budget_units(40000000), &whole);
            printf("%-6s  %-8s  %13llu  %7.3g  %7.3g  %7.3g  %7u  %23llu%s  %7.2f\n", kind_names[kind], names[volumes],
                   (unsigned long long)known.units, known.bound, known.list_bound, known.true_error, known.pending,
                   (unsigned long long)whole.work_units, whole.outcome == DENT_OUTCOME_COMPLETE ? " " : "+",
                   (double)best_update * 1e-6);
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
    printf("  breadth/priority: bound   list   true\n");
    for (int kind = 0; kind < KINDS; kind++) {
        struct pair pair;
        pair_open(&pair, context, faces, (enum body_kind)kind, 0.3, NULL);
        for (uint64_t units = 1000; units <= 1024000; units *= 4) {
            struct knowledge known[ORDERS];
            for (int order = 0; order < ORDERS; order++) {
                dent_time_critical *search = search_open(context, &pair, (dent_refine_order)order, 0);
                known[order] = know_after(search, &pair, units);
                dent_time_critical_destroy(search);
            }
            printf("%-6s  %8llu  ", kind_names[kind], (unsigned long long)units);
            for (int order = 0; order < ORDERS; order++) {
                printf("  %13.4g", known[order].bound);
            }
            printf("  %23.2f %6.2f %6.2f\n", ratio(known[1].bound, known[0].bound),
                   ratio(known[1].list_bound, known[0].list_bound), ratio(known[1].true_error, known[0].true_error));
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

/* ---- interrupt --------------------------------------------------------------------------------------------------- */

struct alarm {
    int go, flag; /* read and written as atomics */
    uint64_t wait_ns, raised_ns;
    bool end;
};

/* Another thread: waits for `go`, then some microseconds, notes the time and raises the flag. */
static void *raise_flags(void *data)
{
    struct alarm *alarm = data;
    for (;;) {
        while (!__atomic_load_n(&alarm->go, __ATOMIC_ACQUIRE)) {
        }
        if (alarm->end) {
            return NULL;
        }
        __atomic_store_n(&alarm->go, 0, __ATOMIC_RELEASE);
        uint64_t until = dent_clock_ns() + alarm->wait_ns;
        while (dent_clock_ns() < until) {
        }
        alarm->raised_ns = dent_clock_ns();
        __atomic_store_n(&alarm->flag, 1, __ATOMIC_RELEASE);
    }
}

static void measure_interrupt(dent_context *context, uint32_t faces, uint32_t calls)
{
    struct pair pair;
    struct alarm alarm = {0};
    pthread_t thread;
    float *delays[2] = {calloc(calls, sizeof(float)), calloc(calls, sizeof(float))};
    dent_random random = dent_random_seeded(7);
    pair_open(&pair, context, faces, SHELL, 0.7, NULL);
    dent_time_critical *search = search_open(context, &pair, DENT_REFINE_PRIORITY, 0);
    dent_budget budget = dent_budget_ns(INFINITY);
    uint32_t completed = 0;
    budget.interrupt = &alarm.flag;
    pthread_create(&thread, NULL, raise_flags, &alarm);
    for (uint32_t i = 0; i < 2 * calls; i++) {
        dent_time_critical_result result = {.outcome = DENT_OUTCOME_CANCELLED};
        dent_time_critical_begin(search, NULL);
        __atomic_store_n(&alarm.flag, 0, __ATOMIC_RELAXED);
        alarm.wait_ns = 20000 + dent_random_below(&random, 200000);
        __atomic_store_n(&alarm.go, 1, __ATOMIC_RELEASE);
        if (i % 2 == 0) {
            dent_time_critical_run(search, budget, &result);
        }
        while (!__atomic_load_n(&alarm.flag, __ATOMIC_ACQUIRE)) { /* the empty loop; not entered by the search */
        }
        uint64_t end = dent_clock_ns();
        completed += result.outcome == DENT_OUTCOME_COMPLETE;
        delays[i % 2][i / 2] = end > alarm.raised_ns ? (float)(end - alarm.raised_ns) : 0;
    }
    alarm.end = true;
    __atomic_store_n(&alarm.go, 1, __ATOMIC_RELEASE);
    pthread_join(thread, NULL);
    printf("interrupt: %u calls, 2 x %u faces, %u completed before the flag\n", calls, pair.balls[0].face_count,
           completed);
    for (int i = 0; i < 2; i++) {
        print_distribution(i ? "empty" : "search", 0, "wall", delays[i], calls);
        free(delays[i]);
    }
    dent_time_critical_destroy(search);
    pair_close(&pair);
}

int main(int count, char **arguments)
{
    uint32_t calls = 100000, faces = 100000, parts = 0, only = 0;
    bool load = false;
    static const char *const names[PARTS] = {"--deadlines", "--quality", "--orders", "--fronts", "--volumes", "--interrupt"};
    for (int i = 1; i < count; i++) {
        bool known = false;
        for (uint32_t part = 0; part < PARTS; part++) {
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
        } else if (strcmp(arguments[i], "--budget") == 0 && i + 1 < count) {
            only = (uint32_t)strtoul(arguments[++i], NULL, 10);
            known = only > 0;
        }
        if (!known || calls < 1 || faces < 100) {
            fprintf(stderr, "usage: bench_deadline [--calls N] [--faces N] [--budget US] [--load] [--deadlines] "
                            "[--quality] [--orders] [--fronts] [--volumes] [--interrupt]\n");
            return 2;
        }
    }
    parts = parts ? parts : (1u << PARTS) - 1;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    if (!context) {
        return 2;
    }
    if (parts & 1) {
        measure_deadlines(context, faces, calls, only, load);
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
    if (parts & 16) {
        measure_volumes(context, faces);
    }
    if (parts & 32) {
        measure_interrupt(context, faces, calls < 5000 ? calls : 5000);
    }
    dent_context_destroy(context);
    return 0;
}
