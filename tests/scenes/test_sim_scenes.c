/* Every built-in simulated scene runs: no number stops being finite, nothing goes deeper than a tenth of the mean edge,
 * the same bits for any number of threads. A table is printed.
 *
 *   default            30 steps at a small scale, 3 of the heavy scenes
 *   DENT_QUICK_TESTS   8 steps, 1 of the heavy ones
 *   DENT_LONG_TESTS    1,000 steps with at most 20,000 elements, and 20 steps at full size
 *   DENT_ONLY_SCENE    one scene;  DENT_SIM_STEPS    another number of steps */
#include "support/cmocka_includes.h"

#include <dent/sim_scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double depth_limit = 0.1; /* of the mean edge */

/* A scale at which a scene has at most 20,000 elements, and a smaller one for the default tier. */
struct scene_case {
    const char *name;
    double long_scale, short_scale;
};

static const struct scene_case cases[] = {
    {"jaw", 0.03, 0.02},       {"jaw-real", 1, 1},           {"knee", 0.3, 0.3}, {"stack", 0.4, 0.15},
    {"v-shapes", 1, 0.3},      {"vessels", 0.5, 0.4},        {"fold", 0.5, 0.3}, {"cloth-sphere", 0.5, 0.2},
    {"sheet-fold", 0.5, 0.25}, {"cloth-between", 0.5, 0.25},
};
enum { CASES = sizeof cases / sizeof cases[0] };

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
    uint64_t steps, elements, most_contacts, hash;
    double worst_share, seconds, detect_seconds;
    uint32_t worst_a, worst_b, inverted;
    uint64_t worst_step;
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

/* The deepest overlap of the last step, as a share of the smaller mean edge of the two bodies. */
static void note_depth(const dent_sim *sim, struct run_facts *facts, uint64_t step)
{
    uint64_t count;
    const dent_sim_contact *contacts = dent_sim_contacts(sim, &count);
    facts->most_contacts = count > facts->most_contacts ? count : facts->most_contacts;
    for (uint64_t i = 0; i < count; i++) {
        dent_sim_body_info a, b;
        assert_true(dent_sim_body(sim, contacts[i].body_a, &a) && dent_sim_body(sim, contacts[i].body_b, &b));
        double share = -contacts[i].gap / fmin(a.mean_edge, b.mean_edge);
        if (share > facts->worst_share) {
            facts->worst_share = share;
            facts->worst_a = contacts[i].body_a;
            facts->worst_b = contacts[i].body_b;
            facts->worst_step = step;
        }
    }
}

static struct run_facts run_scene(uint32_t threads, const char *name, double scale, uint64_t steps)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    dent_context *context = dent_context_create(&def, NULL);
    dent_sim_scene *scene = open_scene(context, name, scale);
    dent_sim *sim = dent_sim_scene_sim(scene);
    struct run_facts facts = {.steps = steps};
    for (uint64_t step = 0; step < steps; step++) {
        if (dent_sim_step(sim) != DENT_OK) {
            char message[1024];
            dent_context_message(context, message, sizeof message);
            fail_msg("%s, step %llu: %s", name, (unsigned long long)step, message);
        }
        note_depth(sim, &facts, step);
        dent_sim_statistics statistics = dent_sim_get_statistics(sim);
        assert_true(isfinite(statistics.kinetic) && isfinite(statistics.elastic));
        facts.seconds += 1e-9 * (double)statistics.ns_total;
        facts.detect_seconds += 1e-9 * (double)statistics.ns_detect;
        facts.elements = statistics.elements;
        facts.inverted = statistics.inverted_cells > facts.inverted ? statistics.inverted_cells : facts.inverted;
    }
    facts.hash = dent_sim_hash(sim);
    dent_sim_body_info a, b;
    bool met = facts.worst_share > 0 && dent_sim_body(sim, facts.worst_a, &a) && dent_sim_body(sim, facts.worst_b, &b);
    print_message("%-14s %6.3g %8llu %6llu %9llu %9.2f %9u %9.2f %7.0f  %s%s%s", name, scale,
                  (unsigned long long)facts.elements, (unsigned long long)steps,
                  (unsigned long long)facts.most_contacts, 100 * facts.worst_share, facts.inverted,
                  1000 * facts.seconds / (double)steps, 100 * facts.detect_seconds / fmax(facts.seconds, 1e-9),
                  met ? a.name : "", met ? " - " : "", met ? b.name : "");
    if (met) {
        print_message(" (step %llu)", (unsigned long long)facts.worst_step);
    }
    print_message("\n");
    dent_sim_scene_destroy(scene);
    dent_context_destroy(context);
    return facts;
}

static void print_head(void)
{
    print_message("%-14s %6s %8s %6s %9s %9s %9s %9s %7s  deepest between\n", "scene", "scale", "elements", "steps",
                  "contacts", "depth %", "inverted", "ms/step", "detect%");
}

/* What cannot be made small takes fewer steps in the default tier; what is measured (jaw-real) has one size and takes
 * few in the long one too. */
static uint64_t steps_of_this_tier(const struct scene_case *scene)
{
    bool measured = dent_sim_scene_find(scene->name)->needs_data, heavy = measured || strcmp(scene->name, "knee") == 0;
    if (is_set("DENT_SIM_STEPS")) {
        return strtoull(getenv("DENT_SIM_STEPS"), NULL, 10);
    }
    if (is_set("DENT_LONG_TESTS")) {
        return measured ? 20 : 1000;
    }
    uint64_t steps = is_set("DENT_QUICK_TESTS") ? 8 : 30;
    return heavy ? steps / 8 : steps;
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

static void scenes_run_without_going_deep(void **state)
{
    (void)state;
    int deep = 0;
    print_head();
    for (int i = 0; i < CASES; i++) {
        const struct scene_case *scene = &cases[i];
        bool long_tier = is_set("DENT_LONG_TESTS");
        if (!is_asked_for(scene->name) || !has_data(scene->name)) {
            continue;
        }
        struct run_facts facts =
            run_scene(0, scene->name, long_tier ? scene->long_scale : scene->short_scale, steps_of_this_tier(scene));
        deep += facts.worst_share > depth_limit;
    }
    assert_int_equal(deep, 0);
}

static void scenes_run_at_full_size(void **state)
{
    (void)state;
    int deep = 0;
    if (!is_set("DENT_LONG_TESTS")) {
        print_message("full size is for DENT_LONG_TESTS\n");
        skip();
    }
    print_head();
    for (int i = 0; i < CASES; i++) {
        if (is_asked_for(cases[i].name) && has_data(cases[i].name)) {
            deep += run_scene(0, cases[i].name, 1, 20).worst_share > depth_limit;
        }
    }
    assert_int_equal(deep, 0);
}

static void threads_change_no_bit(void **state)
{
    (void)state;
    static const char *const names[] = {"stack", "cloth-sphere", "jaw"};
    uint64_t steps = is_set("DENT_QUICK_TESTS") ? 4 : 12;
    print_head();
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (is_asked_for(names[i])) {
            double scale = strcmp(names[i], "jaw") == 0 ? 0.02 : 0.1;
            assert_int_equal(run_scene(1, names[i], scale, steps).hash, run_scene(3, names[i], scale, steps).hash);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_scene_is_in_the_list),
        cmocka_unit_test(scenes_run_without_going_deep),
        cmocka_unit_test(scenes_run_at_full_size),
        cmocka_unit_test(threads_change_no_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
