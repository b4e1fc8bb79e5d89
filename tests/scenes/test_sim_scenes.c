/* Every built-in simulated scene runs, through the moment at which its bodies meet: contacts are seen, no number stops
 * being finite, nothing goes deeper than a tenth of the mean edge, what the simulation says about overlap is what the
 * exact check says; the same bits for any number of threads. A table is printed.
 *
 *   default            a small scale, up to the meeting and 12 steps of it (4 where all are dear)
 *   DENT_QUICK_TESTS   the same for scenes that meet soon; 4 steps, before any contact, of the others
 *   DENT_LONG_TESTS    1,000 steps with at most 20,000 elements, and at full size the meeting and 20 steps of it
 *   DENT_ONLY_SCENE    one scene;  DENT_SIM_STEPS    another number of steps */
#include "support/cmocka_includes.h"

#include <dent/penetration.h>
#include <dent/sim_scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double depth_limit = 0.1; /* of the mean edge */

struct scene_case {
    const char *name;
    double long_scale, short_scale; /* at most 20,000 elements; and a smaller one for the default tier */
    uint64_t meeting;               /* steps until the bodies press on one another */
    uint64_t least_contacts;        /* that must be seen then, at any scale */
    bool soon;                      /* cheap enough for DENT_QUICK_TESTS */
};

static const struct scene_case cases[] = {
    {"bite", 0.1, 0.02, 44, 8, false},         {"jaw", 0.03, 0.02, 56, 8, true},
    {"jaw-real", 1, 1, 4, 6, true},
    {"knee", 0.3, 0.1, 0, 2000, true},         {"stack", 0.4, 0.1, 8, 400, true},
    {"v-shapes", 1, 0.1, 124, 20, true},       {"vessels", 0.5, 0.1, 40, 8, false},
    {"fold", 0.5, 0.2, 300, 5, false},         {"cloth-sphere", 0.5, 0.1, 24, 50, true},
    {"sheet-fold", 0.5, 0.1, 216, 300, false}, {"cloth-between", 0.5, 0.15, 112, 30, false},
    {"tissue", 1, 0.1, 8, 4, true},
    {"box-stack", 1, 1, 0, 40, true},          {"newton-cradle", 1, 1, 36, 1, true},
    {"peg-in-hole", 1, 1, 30, 4, true},        {"arm-table", 1, 0.3, 30, 1, false},
    {"ur5e-table", 0.5, 0.2, 40, 1, false},    {"two-chains", 1, 1, 30, 1, false},
};
enum { CASES = sizeof cases / sizeof cases[0] };

/* A run: steps that lead to what is looked at, and steps that are measured. */
struct request {
    const char *name;
    double scale;
    uint64_t before, steps;
    uint64_t check_every; /* steps between two exact checks; 0: none */
};

static bool is_set(const char *name)
{
    return getenv(name) != NULL && getenv(name)[0] != '\0';
}

static bool is_asked_for(const char *name)
{
    const char *only = getenv("DENT_ONLY_SCENE");
    return only == NULL || only[0] == '\0' || strcmp(only, name) == 0;
}

struct run_facts {
    uint64_t elements, most_contacts, hash; /* contacts of the measured steps, the rest of all */
    double worst_share, nearest_share;      /* depth and smallest distance of a contact, of the smaller mean edge */
    double seconds, detect_seconds;
    uint32_t worst_a, worst_b, inverted;
    uint64_t worst_step, checks, disagreements;
};

static dent_sim_scene *open_scene(dent_context *context, const char *name, double scale)
{
    dent_sim_scene_def def = dent_sim_scene_def_default();
    def.name = name;
    def.scale = scale;
    def.data_folder = getenv("DENT_DATA");
    dent_sim_scene *scene = NULL;
    if (dent_sim_scene_open(context, &def, &scene) != DENT_OK) {
        char message[1024];
        dent_context_message(context, message, sizeof message);
        fail_msg("%s: %s", name, message);
    }
    return scene;
}

/* The deepest overlap of the contacts of the last step, as a share of the smaller mean edge of the two bodies. */
static void note_contacts(const dent_sim *sim, bool measured, struct run_facts *facts)
{
    uint64_t count;
    const dent_sim_contact *contacts = dent_sim_contacts(sim, &count);
    facts->most_contacts = measured && count > facts->most_contacts ? count : facts->most_contacts;
    for (uint64_t i = 0; i < count; i++) {
        dent_sim_body_info a, b;
        assert_true(dent_sim_body(sim, contacts[i].body_a, &a) && dent_sim_body(sim, contacts[i].body_b, &b));
        double share = contacts[i].gap / fmin(a.mean_edge, b.mean_edge);
        facts->nearest_share = fmin(facts->nearest_share, share);
        if (-share > facts->worst_share) {
            facts->worst_share = -share;
            facts->worst_a = contacts[i].body_a;
            facts->worst_b = contacts[i].body_b;
            facts->worst_step = dent_sim_step_count(sim) - 1;
        }
    }
}

/* Whether anything penetrates now: exact, by other code than the simulation's. How deep, in mean edges, is noted. */
static bool penetrates_exactly(dent_sim *sim, struct run_facts *facts)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    def.self = true;
    def.ignore_touching = true;
    assert_int_equal(dent_world_check(dent_sim_world(sim), &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    for (uint64_t i = 0; i < result.pair_count; i++) {
        dent_sim_body_info a, b;
        assert_true(dent_sim_body(sim, result.pairs[i].body_a, &a) && dent_sim_body(sim, result.pairs[i].body_b, &b));
        if (result.pairs[i].state == DENT_BODY_PAIR_PENETRATING) {
            facts->worst_share = fmax(facts->worst_share, result.pairs[i].max_depth / fmin(a.mean_edge, b.mean_edge));
        }
    }
    facts->checks++;
    return result.penetrating_pairs > 0;
}

static void step_once(dent_context *context, dent_sim *sim, const struct request *request, bool measured,
                      struct run_facts *facts)
{
    if (dent_sim_step(sim) != DENT_OK) {
        char message[1024];
        dent_context_message(context, message, sizeof message);
        fail_msg("%s, step %llu: %s", request->name, (unsigned long long)dent_sim_step_count(sim), message);
    }
    note_contacts(sim, measured, facts);
    dent_sim_statistics statistics = dent_sim_get_statistics(sim);
    assert_true(isfinite(statistics.kinetic) && isfinite(statistics.elastic));
    facts->seconds += measured ? 1e-9 * (double)statistics.ns_total : 0;
    facts->detect_seconds += measured ? 1e-9 * (double)statistics.ns_detect : 0;
    facts->elements = statistics.elements;
    facts->inverted = statistics.inverted_cells > facts->inverted ? statistics.inverted_cells : facts->inverted;
}

/* A step that begins with an exact check: what it then reports, found at the same positions, must agree. */
static void step_checked(dent_context *context, dent_sim *sim, const struct request *request, struct run_facts *facts)
{
    bool penetrates = penetrates_exactly(sim, facts);
    step_once(context, sim, request, true, facts);
    double reported = dent_sim_get_statistics(sim).max_penetration;
    if ((reported > 0) != penetrates) {
        print_message("%s, step %llu: %g deep is reported, and the exact check says %s\n", request->name,
                      (unsigned long long)dent_sim_step_count(sim), reported, penetrates ? "overlap" : "none");
        facts->disagreements++;
    }
}

static void print_facts(const struct request *request, const dent_sim *sim, const struct run_facts *facts)
{
    dent_sim_body_info a, b;
    bool met = facts->worst_share > 0 && facts->worst_a != UINT32_MAX && dent_sim_body(sim, facts->worst_a, &a) &&
               dent_sim_body(sim, facts->worst_b, &b);
    print_message("%-14s %6.3g %8llu %6llu+%-4llu %9llu %9.3g %9.3g %7llu %9u %9.2f %7.0f  %s%s%s", request->name,
                  request->scale, (unsigned long long)facts->elements, (unsigned long long)request->before,
                  (unsigned long long)request->steps, (unsigned long long)facts->most_contacts,
                  100 * facts->worst_share, 100 * facts->nearest_share, (unsigned long long)facts->checks,
                  facts->inverted, 1000 * facts->seconds / (double)request->steps,
                  100 * facts->detect_seconds / fmax(facts->seconds, 1e-9), met ? a.name : "", met ? " - " : "",
                  met ? b.name : "");
    if (met) {
        print_message(" (step %llu)", (unsigned long long)facts->worst_step);
    }
    print_message("\n");
}

static struct run_facts run_scene(uint32_t threads, const struct request *request)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    dent_context *context = dent_context_create(&def, NULL);
    dent_sim_scene *scene = open_scene(context, request->name, request->scale);
    dent_sim *sim = dent_sim_scene_sim(scene);
    struct run_facts facts = {.nearest_share = INFINITY, .worst_a = UINT32_MAX, .worst_b = UINT32_MAX};
    for (uint64_t step = 0; step < request->before; step++) {
        step_once(context, sim, request, false, &facts);
    }
    for (uint64_t step = 0; step < request->steps; step++) {
        bool last = step + 1 == request->steps;
        if (request->check_every > 0 && (last || step % request->check_every == 0)) {
            step_checked(context, sim, request, &facts);
        } else {
            step_once(context, sim, request, true, &facts);
        }
    }
    facts.hash = dent_sim_hash(sim);
    if (request->check_every > 0) {
        penetrates_exactly(sim, &facts);
    }
    print_facts(request, sim, &facts);
    dent_sim_scene_destroy(scene);
    dent_context_destroy(context);
    return facts;
}

static void print_head(void)
{
    print_message("%-14s %6s %8s %11s %9s %9s %9s %7s %9s %9s %7s  deepest between\n", "scene", "scale", "elements",
                  "steps", "contacts", "depth %", "nearest %", "checks", "inverted", "ms/step", "detect%");
}

/* How many of the demands a run does not meet. */
static int faults_of(const struct request *request, const struct run_facts *facts, uint64_t least_contacts)
{
    bool few = facts->most_contacts<least_contacts, deep = facts->worst_share> depth_limit;
    if (few) {
        print_message("%s: %llu contacts at most, %llu were expected\n", request->name,
                      (unsigned long long)facts->most_contacts, (unsigned long long)least_contacts);
    }
    if (deep) {
        print_message("%s: %.3g %% of the mean edge deep\n", request->name, 100 * facts->worst_share);
    }
    return few + deep + (facts->disagreements > 0);
}

static struct request request_of_this_tier(const struct scene_case *scene, uint64_t *least_contacts)
{
    struct request request = {.name = scene->name,
                              .scale = scene->short_scale,
                              .before = scene->meeting,
                              .steps = scene->meeting > 0 ? 12 : 4,
                              .check_every = 3};
    *least_contacts = scene->least_contacts;
    if (is_set("DENT_LONG_TESTS")) {
        request.scale = scene->long_scale;
        request.before = 0;
        request.steps = 1000;
        request.check_every = 25;
    } else if (is_set("DENT_QUICK_TESTS")) {
        request.before = scene->soon ? scene->meeting : 0;
        request.steps = 4;
        *least_contacts = scene->soon ? scene->least_contacts : 0;
    }
    if (is_set("DENT_SIM_STEPS")) {
        request.before = 0;
        request.steps = strtoull(getenv("DENT_SIM_STEPS"), NULL, 10);
        *least_contacts = 0;
    }
    return request;
}

static bool has_data(const char *name)
{
    if (!dent_sim_scene_find(name)->needs_data || is_set("DENT_DATA")) {
        return true;
    }
    print_message("%s: not run, DENT_DATA is not set\n", name);
    return false;
}

static void every_scene_is_in_the_list(void **state)
{
    (void)state;
    assert_int_equal(dent_sim_scene_count(), CASES);
    for (int i = 0; i < CASES; i++) {
        assert_non_null(dent_sim_scene_find(cases[i].name));
    }
}

static void scenes_meet_without_going_deep(void **state)
{
    (void)state;
    int faults = 0;
    print_head();
    for (int i = 0; i < CASES; i++) {
        if (is_asked_for(cases[i].name) && has_data(cases[i].name)) {
            uint64_t least_contacts;
            struct request request = request_of_this_tier(&cases[i], &least_contacts);
            struct run_facts facts = run_scene(0, &request);
            faults += faults_of(&request, &facts, least_contacts);
        }
    }
    assert_int_equal(faults, 0);
}

static void scenes_meet_at_full_size(void **state)
{
    (void)state;
    int faults = 0;
    if (!is_set("DENT_LONG_TESTS")) {
        print_message("full size is for DENT_LONG_TESTS\n");
        skip();
    }
    print_head();
    for (int i = 0; i < CASES; i++) {
        if (is_asked_for(cases[i].name) && has_data(cases[i].name)) {
            struct request request = {cases[i].name, 1, cases[i].meeting, 20, 5};
            struct run_facts facts = run_scene(0, &request);
            faults += faults_of(&request, &facts, cases[i].least_contacts);
        }
    }
    assert_int_equal(faults, 0);
}

/* Sizes at which loops are shared among threads: elastic solids, cloth on itself and the ground, rigid bodies on
 * ligaments, all of them in contact. */
static void threads_change_no_bit_where_bodies_meet(void **state)
{
    (void)state;
    static const struct request requests[] = {
        {"knee", 0.1, 0, 3, 0}, {"sheet-fold", 1, 2, 6, 0}, {"jaw", 0.02, 58, 4, 0}};
    static const uint64_t least_contacts[] = {2000, 800, 8};
    print_head();
    for (size_t i = 0; i < sizeof requests / sizeof requests[0]; i++) {
        if (is_asked_for(requests[i].name)) {
            struct run_facts one = run_scene(1, &requests[i]), three = run_scene(3, &requests[i]);
            assert_int_equal(one.hash, three.hash);
            assert_int_equal(faults_of(&requests[i], &one, least_contacts[i]), 0);
        }
    }
}

/* Queries between steps are the caller's right: the run goes on as if there had been none. */
static void looking_between_steps_changes_no_bit(void **state)
{
    (void)state;
    static const char *const names[] = {"stack", "cloth-sphere", "jaw"};
    print_head();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is_asked_for(names[i])) {
            struct request blind = {names[i], 0.1, i == 2 ? 44 : 20, 8, 0}, looking = blind;
            looking.check_every = 1;
            struct run_facts facts = run_scene(0, &looking);
            assert_true(facts.most_contacts > 0 && facts.checks == 9);
            assert_int_equal(facts.hash, run_scene(0, &blind).hash);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_is_in_the_list),
        cmocka_unit_test(scenes_meet_without_going_deep),
        cmocka_unit_test(scenes_meet_at_full_size),
        cmocka_unit_test(threads_change_no_bit_where_bodies_meet),
        cmocka_unit_test(looking_between_steps_changes_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
