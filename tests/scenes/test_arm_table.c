/* The arm and the soft table: dropped on it and pressed into it, at 60, 30 and 10 steps per second. After every step
 * the exact check finds no penetration and no face through another one, and joints are closed. arm-table runs everywhere, ur5e-table with the
 * data kit. */
#include "support/cmocka_includes.h"

#include <dent/penetration.h>
#include <dent/query.h>
#include <dent/sim_scene.h>

#include "sim/step/sim_step.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run {
    dent_context *context;
    dent_sim_scene *scene;
    dent_sim *sim;
    uint32_t bodies;
};

struct found {
    int steps, bad, first_bad;
    uint64_t contacts, on_table, frozen, stopped;
    double gain, deepest, opening;
};

static bool is_set(const char *name)
{
    return getenv(name) != NULL && getenv(name)[0] != '\0';
}

static double energy_of(const dent_sim *sim)
{
    dent_sim_statistics now = dent_sim_get_statistics(sim);
    return now.kinetic + now.potential + now.elastic + now.contact - now.outer_work;
}

static void open_scene(struct run *run, const char *name, double rate, bool push, double young)
{
    const dent_scene_setting settings[] = {{"rate", rate}, {"push", push ? 1 : 0}, {"young", young}};
    dent_sim_scene_def def = dent_sim_scene_def_default();
    run->context = dent_context_create(NULL, NULL);
    def.name = name;
    def.scale = is_set("DENT_LONG_TESTS") ? 1 : 0.3;
    def.setting_count = 3;
    def.settings = settings;
    def.data_folder = getenv("DENT_DATA");
    if (dent_sim_scene_open(run->context, &def, &run->scene) != DENT_OK) {
        char message[1000];
        dent_context_message(run->context, message, sizeof message);
        fail_msg("%s: %s", name, message);
    }
    run->sim = dent_sim_scene_sim(run->scene);
    run->bodies = dent_sim_body_count(run->sim);
}

static void close_scene(struct run *run)
{
    dent_sim_scene_destroy(run->scene);
    dent_context_destroy(run->context);
}

/* Interiors by `check`; surfaces of links that are not closed have none, so faces that cross count as well. */
static bool penetrates(const struct run *run, double *depth)
{
    dent_check_def check = dent_check_def_default();
    dent_check_result result;
    dent_query_def ask = dent_query_def_default();
    dent_query_result faces;
    check.ignore_touching = true;
    check.self = true;
    assert_int_equal(dent_world_check(dent_sim_world(run->sim), &check, &result), DENT_OK);
    *depth = result.penetrating_pairs > 0 ? fmax(*depth, result.max_depth) : *depth;
    bool inside = result.penetrating_pairs > 0;
    ask.questions = DENT_QUESTION_FACE_FACE;
    assert_int_equal(dent_world_query(dent_sim_world(run->sim), &ask, &faces), DENT_OK);
    return inside || faces.face_face.count > 0;
}

/* How far the point of a joint on one body is from that on the other. */
static double opening_of(const dent_sim *sim, const struct sim_joint *joint)
{
    const dent_rigid_state frame = {.orientation = {1, 0, 0, 0}};
    double at[2][3];
    for (int s = 0; s < 2; s++) {
        memcpy(at[s], joint->local[s], sizeof at[s]);
        if (joint->rigid[s] != SIM_NONE) {
            dent_rigid_move_point(&frame, &sim->state.rigids[joint->rigid[s]], joint->local[s], at[s]);
        }
    }
    return hypot(hypot(at[0][0] - at[1][0], at[0][1] - at[1][1]), at[0][2] - at[1][2]);
}

static void note_step(const struct run *run, struct found *found, double before)
{
    uint64_t count;
    const dent_sim_contact *contacts = dent_sim_contacts(run->sim, &count);
    dent_sim_statistics now = dent_sim_get_statistics(run->sim);
    for (uint64_t i = 0; i < count; i++) {
        found->on_table += contacts[i].body_a == 0 || contacts[i].body_b == 0; /* the table is the first body */
    }
    for (uint32_t n = 0; n < run->sim->model.joint_count; n++) {
        found->opening = fmax(found->opening, opening_of(run->sim, &run->sim->model.joints[n]));
    }
    found->contacts += count;
    found->frozen += now.frozen_bodies;
    found->stopped += now.stopped_vertices;
    found->gain = fmax(found->gain, energy_of(run->sim) - before);
    if (penetrates(run, &found->deepest)) {
        found->first_bad = found->bad == 0 ? found->steps : found->first_bad;
        found->bad++;
    }
    found->steps++;
}

static struct found run_table(const char *name, double rate, bool push, double young)
{
    struct run run;
    struct found found = {.gain = -INFINITY};
    double seconds = is_set("DENT_LONG_TESTS") ? 3 : is_set("DENT_QUICK_TESTS") ? 0.3 : push ? 1.5 : 0.8;
    open_scene(&run, name, rate, push, young);
    double before = energy_of(run.sim);
    assert_false(penetrates(&run, &found.deepest));
    for (int n = 0; n < seconds * rate; n++) {
        assert_int_equal(dent_sim_step(run.sim), DENT_OK);
        note_step(&run, &found, before);
    }
    print_message("%s, %g kPa, %s at %g Hz: %d steps, %d with penetration (first %d, deepest %.2e m), %llu contacts, %llu of "
                  "them on the table, %llu bodies held, %llu vertices stopped, energy %+.1e J, joints open by %.1e m\n",
                  name, young, push ? "pressed" : "dropped", rate, found.steps, found.bad, found.first_bad, found.deepest,
                  (unsigned long long)found.contacts, (unsigned long long)found.on_table,
                  (unsigned long long)found.frozen, (unsigned long long)found.stopped, found.gain, found.opening);
    close_scene(&run);
    return found;
}

/* Dropped and pressed, on the table of the scene and on one that a hand sinks into. */
static void penetrates_nothing(const char *name)
{
    static const double rates[] = {60, 30, 10, 4}, young[] = {200, 10};
    for (int run = 0; run < 4; run++) {
        uint64_t on_table = 0;
        bool push = run % 2 == 1;
        for (int n = 0; n < 4; n++) {
            struct found found = run_table(name, rates[n], push, young[run / 2]);
            assert_int_equal(found.bad, 0);
            assert_true(push || found.gain < 1e-9); /* motors work */
            assert_true(found.opening < 1e-3);
            on_table += found.on_table;
        }
        assert_true(on_table > 0 || is_set("DENT_QUICK_TESTS"));
    }
}

static void the_generated_arm_never_enters_the_table_at_60_30_and_10_hertz(void **state)
{
    (void)state;
    penetrates_nothing("arm-table");
}

static void the_ur5e_never_enters_the_table_at_60_30_and_10_hertz(void **state)
{
    (void)state;
    if (!is_set("DENT_DATA")) {
        print_message("not run, DENT_DATA is not set\n");
        skip();
    }
    penetrates_nothing("ur5e-table");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_generated_arm_never_enters_the_table_at_60_30_and_10_hertz),
        cmocka_unit_test(the_ur5e_never_enters_the_table_at_60_30_and_10_hertz),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
