/* dent_time_critical_begin and dent_time_critical_run allocate nothing, take no lock and make no system call: counted,
 * not believed.
 *
 *   system calls  a child installs a seccomp filter under which every call but exit and write raises SIGSYS; the
 *                 handler counts it and notes its number. Where the clock has no vdso path (found out by a trial) its
 *                 call is let through.
 *   locks         the functions of pthread that lock or wait are defined here, in front of those of the C library
 *   allocation    so are malloc and its kin
 *
 * All trees (balls, boxes, 14- and 18-DOPs, mixed, reduced models), all orders, deadlines and units, from the roots and
 * from the last front, stopped and resumed to the end. A control in the same child makes one call of each kind and must
 * be counted, so silence means something.
 */
#define _GNU_SOURCE
#include "support/cmocka_includes.h"

#include "support/sanitizer.h"

#if defined(__linux__) && defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__)) &&                       \
    !TEST_ADDRESS_SANITIZER && !TEST_THREAD_SANITIZER
#define CAN_COUNT 1
#else
#define CAN_COUNT 0
#endif

#if CAN_COUNT

#include <dlfcn.h>
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/random_scene.h"
#include "support/random_surface.h"

/* ---- counting ---------------------------------------------------------------------------------------------------- */

/* Shared with the parent. */
struct tally {
    volatile int armed;
    volatile uint64_t system_calls, locks, allocations;
    volatile int first_call; /* number of the first counted call */
    volatile int refused;    /* errno of the filter's installation */
    volatile uint64_t runs, stops, completions, truncations, fallbacks, fronts;
    char where[160]; /* the case at hand */
};
static struct tally *tally;

static bool is_armed(void)
{
    return tally && tally->armed;
}

static void on_system_call(int signal, siginfo_t *info, void *context)
{
    (void)signal;
    (void)context;
    if (is_armed()) {
        tally->first_call = tally->system_calls == 0 ? info->si_syscall : tally->first_call;
        tally->system_calls++;
    }
}

/* The real function behind one defined here. */
static void *next_of(void **known, const char *name)
{
    if (!*known) {
        *known = dlsym(RTLD_NEXT, name);
    }
    return *known;
}

#define COUNTED_LOCK(name, parameter)                                                                                  \
    int name(parameter);                                                                                               \
    int name(parameter)                                                                                                \
    {                                                                                                                  \
        static void *real;                                                                                             \
        if (is_armed()) {                                                                                              \
            tally->locks++;                                                                                            \
        }                                                                                                              \
        int (*call)(parameter);                                                                                        \
        void *found = next_of(&real, #name);                                                                           \
        memcpy(&call, &found, sizeof call);                                                                            \
        return call(object);                                                                                           \
    }

COUNTED_LOCK(pthread_mutex_lock, pthread_mutex_t *object)
COUNTED_LOCK(pthread_mutex_trylock, pthread_mutex_t *object)
COUNTED_LOCK(pthread_rwlock_rdlock, pthread_rwlock_t *object)
COUNTED_LOCK(pthread_rwlock_wrlock, pthread_rwlock_t *object)
COUNTED_LOCK(pthread_spin_lock, pthread_spinlock_t *object)
COUNTED_LOCK(pthread_cond_signal, pthread_cond_t *object)
COUNTED_LOCK(pthread_cond_broadcast, pthread_cond_t *object)
COUNTED_LOCK(sem_wait, sem_t *object)
COUNTED_LOCK(sem_post, sem_t *object)

/* The names under which the C library keeps its own for such cases. */
void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *block, size_t size);
void *__libc_memalign(size_t alignment, size_t size);
void __libc_free(void *block);

static void count_allocation(void)
{
    if (is_armed()) {
        tally->allocations++;
    }
}

void *malloc(size_t size)
{
    count_allocation();
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    count_allocation();
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t size)
{
    count_allocation();
    return __libc_realloc(block, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    count_allocation();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **block, size_t alignment, size_t size)
{
    count_allocation();
    *block = __libc_memalign(alignment, size);
    return *block ? 0 : ENOMEM;
}

void free(void *block)
{
    count_allocation();
    __libc_free(block);
}

/* ---- the filter -------------------------------------------------------------------------------------------------- */

#if defined(__x86_64__)
#define THIS_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define THIS_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

/* From here on all calls of this thread but a few end in on_system_call. False: the system does not let us. */
static bool install_filter(bool clock_allowed)
{
    uint32_t clock = clock_allowed ? SYS_clock_gettime : SYS_exit_group;
    struct sock_filter program[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, THIS_ARCHITECTURE, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_exit_group, 4, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_write, 3, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_rt_sigreturn, 2, 0),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, clock, 1, 0),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog filter = {sizeof program / sizeof program[0], program};
    struct sigaction action = {.sa_sigaction = on_system_call, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGSYS, &action, NULL) != 0 || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &filter, 0, 0) != 0) {
        tally->refused = errno;
        return false;
    }
    return true;
}

/* ---- what is run ------------------------------------------------------------------------------------------------- */

enum { CASES_MAX = 160, STEPS = 4, RUNS_MAX = 40 };

struct quiet_case {
    dent_bound_tree *trees[2];
    dent_time_critical *search;
    dent_embedding *embedding; /* of both trees; null: none */
    char name[160];
};

struct quiet_stage {
    dent_context *context;
    dent_world *world;
    struct test_scene scene;
    struct quiet_case cases[CASES_MAX];
    uint32_t case_count;
};

static void must(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "test_time_critical_quiet: %s failed\n", what);
        _exit(3);
    }
}

/* 0, 1: bumpy balls that overlap, of several components. 2, 3: a block and its copy, coplanar all over: exact
 * arithmetic. 4: a small ball inside 0. 5, 6: a dense ball and the block that carries it. */
static void make_bodies(struct quiet_stage *stage)
{
    dent_random random = dent_random_seeded(7);
    for (int i = 0; i < 2; i++) {
        stage->scene.bodies[stage->scene.body_count++] = surface_closed(&random, 1500);
        test_map(&stage->scene.bodies[i], 1, 1, 1, 0.21 * i, 0.13 * i, 0.07 * i);
    }
    for (int i = 0; i < 2; i++) {
        test_map(test_add_block(&stage->scene, 6, 5, 4), 0.1, 0.1, 0.1, 0.2 * i, 0, 0);
    }
    stage->scene.bodies[stage->scene.body_count++] = surface_closed(&random, 300);
    test_map(&stage->scene.bodies[4], 0.001, 0.001, 0.001, 0, 0, 0);
    stage->scene.bodies[stage->scene.body_count++] = surface_closed(&random, 800);
    test_map(test_add_block(&stage->scene, 3, 3, 3), 1, 1, 1, -1.5, -1.5, -1.5);
    stage->world = dent_world_create(stage->context);
    must(stage->world && test_scene_add(&stage->scene, stage->world) == DENT_OK, "adding bodies");
}

static void add_case(struct quiet_stage *stage, uint32_t body_a, uint32_t body_b, int kind_a, int kind_b, int order,
                     bool embedding, uint32_t capacity)
{
    must(stage->case_count < CASES_MAX, "counting cases");
    struct quiet_case *fresh = &stage->cases[stage->case_count++];
    const uint32_t bodies[2] = {body_a, body_b};
    if (embedding) {
        dent_embedding_def def = dent_embedding_def_default();
        def.longest_link = INFINITY;
        must(dent_embedding_create(stage->world, dent_world_body_at(stage->world, 5),
                                   dent_world_body_at(stage->world, 6), &def, &fresh->embedding) == DENT_OK,
             "binding");
    }
    for (int side = 0; side < 2; side++) {
        dent_bound_tree_def def = dent_bound_tree_def_default();
        def.kind = (dent_bound_kind)(side ? kind_b : kind_a);
        def.embedding = bodies[side] == 5 ? fresh->embedding : NULL;
        def.branching = order % 2 ? 8 : 4;
        must(dent_bound_tree_create(stage->world, dent_world_body_at(stage->world, bodies[side]), &def,
                                    &fresh->trees[side]) == DENT_OK,
             "building a tree");
    }
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = fresh->trees[0];
    def.tree_b = body_a == body_b ? fresh->trees[0] : fresh->trees[1];
    def.order = (dent_refine_order)order;
    def.pending_capacity = capacity;
    def.front_capacity = 20000;
    def.touching = order == 1;
    must(dent_time_critical_create(stage->context, &def, &fresh->search) == DENT_OK, "making a search");
    snprintf(fresh->name, sizeof fresh->name, "bodies %u and %u, volumes %d and %d, order %d, capacity %u", body_a,
             body_b, kind_a, kind_b, order, capacity);
}

static void make_cases(struct quiet_stage *stage)
{
    for (int order = 0; order <= DENT_REFINE_SIZE; order++) {
        for (int kind = 0; kind < DENT_BOUND_AUTO; kind++) {
            add_case(stage, 0, 1, kind, kind, order, false, 65536);
            add_case(stage, 2, 3, kind, kind, order, false, 65536);
            add_case(stage, 0, 4, kind, kind, order, false, 65536);
        }
        add_case(stage, 0, 1, DENT_BOUND_SPHERES, DENT_BOUND_DOP18, order, false, 65536);
        add_case(stage, 1, 1, DENT_BOUND_DOP18, DENT_BOUND_DOP18, order, false, 65536);
        add_case(stage, 5, 2, DENT_BOUND_SPHERES, DENT_BOUND_SPHERES, order, true, 65536);
        add_case(stage, 0, 1, DENT_BOUND_DOP18, DENT_BOUND_DOP18, order, false, 8); /* too small: truncated */
    }
}

/* Runs to the end in pieces, or in one; everything between arming and disarming is counted. */
static void run_pieces(struct quiet_case *at, bool by_time, bool reuse)
{
    dent_time_critical_result result;
    const dent_time_critical_start start = {.reuse_front = reuse};
    dent_status status = DENT_OK;
    tally->armed = 1;
    dent_time_critical_begin(at->search, &start);
    for (int run = 0; run < RUNS_MAX && status == DENT_OK; run++) {
        double ns = run == RUNS_MAX - 1 ? INFINITY : 500.0 * (1 << run / 3);
        dent_budget budget = by_time ? dent_budget_ns(ns)
                                     : dent_budget_units(run == RUNS_MAX - 1 ? UINT64_MAX : UINT64_C(16) << run / 3);
        status = dent_time_critical_run(at->search, budget, &result);
        tally->runs++;
        if (result.outcome != DENT_OUTCOME_BUDGET_SPENT) {
            break;
        }
        tally->stops++;
    }
    tally->armed = 0;
    must(status == DENT_OK, "running");
    tally->completions += result.outcome == DENT_OUTCOME_COMPLETE;
    tally->truncations += result.outcome == DENT_OUTCOME_TRUNCATED;
    tally->fallbacks += result.exact_fallbacks > 0;
    tally->fronts += reuse && result.splits == 0 && result.bound_tests > 1;
}

static void run_all_cases(struct quiet_stage *stage, int steps)
{
    for (int step = 0; step < steps; step++) {
        for (uint32_t i = 0; i < stage->case_count; i++) {
            struct quiet_case *at = &stage->cases[i];
            memcpy(tally->where, at->name, sizeof tally->where);
            if (at->embedding) {
                must(dent_embedding_move(at->embedding, dent_positions_double(stage->scene.bodies[6].xyz[0])) ==
                         DENT_OK,
                     "moving");
            }
            must(dent_bound_tree_update(at->trees[0]) == DENT_OK && dent_bound_tree_update(at->trees[1]) == DENT_OK,
                 "updating");
            run_pieces(at, step % 2, false);
            run_pieces(at, step % 2, true);
        }
        for (uint32_t body = 0; body < stage->scene.body_count; body++) {
            test_map(&stage->scene.bodies[body], body == 2 || body == 3 ? 1 : 1.001, 1, 1, 0, 0, 0);
        }
    }
}

/* Runs in the child. What was counted is in the tally when it ends. */
static void be_the_child(bool clock_allowed)
{
    struct quiet_stage *stage = calloc(1, sizeof *stage);
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    stage->context = dent_context_create(&def, NULL);
    must(stage->context != NULL, "making a context");
    make_bodies(stage);
    make_cases(stage);
    run_all_cases(stage, 2); /* warm up */
    tally->runs = tally->stops = tally->completions = tally->truncations = tally->fallbacks = tally->fronts = 0;
    tally->system_calls = tally->locks = tally->allocations = 0;
    must(install_filter(clock_allowed), "installing the filter");
    run_all_cases(stage, STEPS);
    _exit(0);
}

/* One call of each kind: the counters count. */
static void be_the_control(bool clock_allowed)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&mutex); /* finds the real one */
    pthread_mutex_unlock(&mutex);
    must(install_filter(clock_allowed), "installing the filter");
    tally->armed = 1;
    syscall(SYS_getppid);
    pthread_mutex_lock(&mutex);
    void *volatile block = malloc(100);
    tally->armed = 0;
    free(block);
    _exit(0);
}

static void be_the_clock(bool clock_allowed)
{
    dent_clock_ns();
    must(install_filter(clock_allowed), "installing the filter");
    tally->armed = 1;
    dent_clock_ns();
    tally->armed = 0;
    _exit(0);
}

static void run_child(void (*part)(bool), bool clock_allowed)
{
    memset(tally, 0, sizeof *tally);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        part(clock_allowed);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (tally->refused) {
        print_message("SKIPPED: no system calls were counted, seccomp refuses a filter here (%s)\n",
                      strerror(tally->refused));
        skip();
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        print_message("the child ended with status %x at: %s\n", (unsigned)status, tally->where);
    }
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static bool clock_needs_a_call(void)
{
    run_child(be_the_clock, false);
    if (tally->system_calls > 0) {
        print_message("the clock has no vdso path on this machine: its system call is let through\n");
    }
    return tally->system_calls > 0;
}

static void the_counters_count(void **state)
{
    (void)state;
    run_child(be_the_control, false);
    assert_int_equal(tally->system_calls, 1);
    assert_int_equal(tally->first_call, SYS_getppid);
    assert_int_equal(tally->locks, 1);
    assert_int_equal(tally->allocations, 1);
}

static void a_search_allocates_nothing_locks_nothing_and_makes_no_system_call(void **state)
{
    (void)state;
    run_child(be_the_child, clock_needs_a_call());
    print_message(
        "%llu runs: %llu stopped, %llu searches complete, %llu truncated, %llu with exact arithmetic, %llu by "
        "their front alone; %llu system calls, %llu locks, %llu allocations\n",
        (unsigned long long)tally->runs, (unsigned long long)tally->stops, (unsigned long long)tally->completions,
        (unsigned long long)tally->truncations, (unsigned long long)tally->fallbacks, (unsigned long long)tally->fronts,
        (unsigned long long)tally->system_calls, (unsigned long long)tally->locks,
        (unsigned long long)tally->allocations);
    if (tally->system_calls > 0) {
        print_message("first system call: number %d\n", tally->first_call);
    }
    assert_int_equal(tally->system_calls, 0);
    assert_int_equal(tally->locks, 0);
    assert_int_equal(tally->allocations, 0);
    assert_true(tally->stops > 1000 && tally->completions > 100 && tally->truncations > 0);
    assert_true(tally->fallbacks > 0 && tally->fronts > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_counters_count),
        cmocka_unit_test(a_search_allocates_nothing_locks_nothing_and_makes_no_system_call),
    };
    tally = mmap(NULL, sizeof *tally, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (tally == MAP_FAILED) {
        return 1;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

static void a_search_allocates_nothing_locks_nothing_and_makes_no_system_call(void **state)
{
    (void)state;
    print_message("SKIPPED: system calls, locks and allocations are counted on Linux with glibc, without sanitizers "
                  "that make calls of their own\n");
    skip();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_search_allocates_nothing_locks_nothing_and_makes_no_system_call),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#endif
