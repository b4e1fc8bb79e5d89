/* Scenes of rigid bodies at target gaps and of linkages: stack, cradle, peg in hole, chains, arm on a table. */
#include "support/cmocka_includes.h"

#include <dent/penetration.h>
#include <dent/sim_scene.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct run {
    dent_context *context;
    dent_sim_scene *scene;
    dent_sim *sim;
    double before; /* energy */
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

static void open_scene(struct run *run, const char *name, uint32_t count, const dent_scene_setting *settings,
                       double scale)
{
    dent_sim_scene_def def = dent_sim_scene_def_default();
    run->context = dent_context_create(NULL, NULL);
    def.name = name;
    def.scale = scale;
    def.setting_count = count;
    def.settings = settings;
    if (dent_sim_scene_open(run->context, &def, &run->scene) != DENT_OK) {
        char message[500];
        dent_context_message(run->context, message, sizeof message);
        fail_msg("%s: %s", name, message);
    }
    run->sim = dent_sim_scene_sim(run->scene);
    run->before = energy_of(run->sim);
}

static void close_scene(struct run *run)
{
    dent_sim_scene_destroy(run->scene);
    dent_context_destroy(run->context);
}

static bool penetrates(const struct run *run)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    def.ignore_touching = true;
    assert_int_equal(dent_world_check(dent_sim_world(run->sim), &def, &result), DENT_OK);
    return result.penetrating_pairs > 0;
}

/* The middle of a body's vertices. */
static void middle_of(const dent_sim *sim, uint32_t body, double middle[3])
{
    dent_sim_body_info info;
    assert_true(dent_sim_body(sim, body, &info));
    const double *x = dent_sim_positions(sim, body);
    for (int k = 0; k < 3; k++) {
        middle[k] = 0;
        for (uint32_t v = 0; v < info.vertex_count; v++) {
            middle[k] += x[3 * v + (uint32_t)k] / info.vertex_count;
        }
    }
}

static void ten_boxes_stand_at_their_target_gap(void **state)
{
    (void)state;
    const double distance = 1e-3;
    struct run run;
    int steps = is_set("DENT_LONG_TESTS") ? 10000 : is_set("DENT_QUICK_TESTS") ? 60 : 300;
    double start[11][3], drift = 0, least = INFINITY, most = 0;
    uint64_t frozen = 0, exact = 0, unsettled = 0;
    open_scene(&run, "box-stack", 0, NULL, 1);
    for (uint32_t b = 1; b <= 10; b++) {
        middle_of(run.sim, b, start[b]);
    }
    for (int n = 0; n < steps; n++) {
        uint64_t count;
        assert_int_equal(dent_sim_step(run.sim), DENT_OK);
        assert_false(penetrates(&run));
        const dent_sim_contact *contacts = dent_sim_contacts(run.sim, &count);
        assert_true(count >= 30);
        for (uint64_t i = 0; i < count; i++) {
            least = fmin(least, contacts[i].gap);
            most = contacts[i].force[2] != 0 ? fmax(most, contacts[i].gap) : most;
        }
        dent_sim_statistics now = dent_sim_get_statistics(run.sim);
        frozen += now.frozen_islands;
        exact += now.exact_islands;
        unsettled += now.unsettled_islands;
    }
    for (uint32_t b = 1; b <= 10; b++) {
        double end[3];
        middle_of(run.sim, b, end);
        drift = fmax(drift, hypot(hypot(end[0] - start[b][0], end[1] - start[b][1]), end[2] - start[b][2]));
    }
    print_message("ten boxes, %d steps: no penetration, gaps %.6f to %.6f of the target gap, drift %.2e of it, "
                  "%llu exact islands, %llu frozen, %llu passed on\n",
                  steps, least / distance, most / distance, drift / distance, (unsigned long long)exact,
                  (unsigned long long)frozen, (unsigned long long)unsettled);
    assert_true(least > 0.3 * distance && most < 3 * distance && drift < distance && frozen == 0 && exact > 0);
    close_scene(&run);
}

static void the_cradle_hands_its_swing_over_and_never_gains_energy(void **state)
{
    (void)state;
    static const double restitutions[] = {1, 0.7, 0};
    for (int n = 0; n < 3; n++) {
        struct run run;
        const dent_scene_setting setting = {"restitution", restitutions[n]};
        double gain = -INFINITY, last = 0, others = 0;
        open_scene(&run, "newton-cradle", 1, &setting, 1);
        double swing = 0;
        for (int step = 0; step < 80; step++) { /* 0.67 s: one ball down, the other up */
            assert_int_equal(dent_sim_step(run.sim), DENT_OK);
            assert_false(penetrates(&run));
            gain = fmax(gain, energy_of(run.sim) - run.before);
            for (uint32_t j = 0; j < 5; j++) {
                dent_sim_joint_info info;
                assert_true(dent_sim_get_joint(run.sim, j, &info));
                swing = j == 0 ? fmin(swing, info.position) : swing;
                last = j == 4 ? fmin(last, info.position) : last;
                others = j > 0 && j < 4 ? fmin(others, info.position) : others;
            }
        }
        print_message("cradle with restitution %g: the last ball swings to %.4f rad, the middle ones to %.4f; energy "
                      "%+.1e J\n",
                      restitutions[n], last, others, gain);
        assert_true(gain <= 1e-9);
        assert_true(n > 0 || (last < -0.5 && others > -0.02)); /* lifted by 0.5236 rad */
        close_scene(&run);
    }
}

/* Ball against balls without gravity and joints: momentum to rounding, kinetic energy never more. */
static void impacts_keep_momentum_and_gain_no_energy(void **state)
{
    (void)state;
    enum { BALLS = 5 };
    static const uint32_t corners[4][4] = {{0, 1, 2, 3}, {1, 4, 2, 3}, {0, 1, 3, 5}, {1, 4, 3, 5}};
    for (int n = 0; n < 3; n++) {
        dent_context *context = dent_context_create(NULL, NULL);
        dent_sim_def def = dent_sim_def_default();
        dent_sim_body_def bodies[BALLS];
        dent_sim_material material = dent_sim_material_default();
        double positions[BALLS][18];
        const double shape[18] = {-1, -1, 0, 1, -1, 0, 0, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, -1};
        material.restitution = n == 0 ? 1 : n == 1 ? 0.5 : 0;
        material.friction_static = material.friction_kinetic = 0;
        for (int b = 0; b < BALLS; b++) {
            bodies[b] = dent_sim_body_def_default(DENT_SIM_RIGID);
            for (int k = 0; k < 18; k++) {
                positions[b][k] = shape[k] + (k % 3 == 0 ? 3.0 * b : k % 3 == 1 ? 0.2 * b : 0);
            }
            bodies[b].vertex_count = 6;
            bodies[b].element_count = 4;
            bodies[b].element_corners = corners[0];
            bodies[b].positions = positions[b];
            bodies[b].linear_velocity[0] = b < 2 ? 6 - 3 * b : 0;
            bodies[b].angular_velocity[2] = 0.3 * b;
        }
        memset(def.gravity, 0, sizeof def.gravity);
        def.body_count = BALLS;
        def.bodies = bodies;
        def.material_count = 1;
        def.materials = &material;
        def.solver = DENT_SIM_SOLVER_CONSTRAINTS;
        dent_sim *sim;
        assert_int_equal(dent_sim_create(context, &def, &sim), DENT_OK);
        dent_sim_statistics first = dent_sim_get_statistics(sim), now = first;
        double kinetic = first.kinetic, worst = 0, gain = -INFINITY;
        for (int step = 0; step < 240; step++) {
            assert_int_equal(dent_sim_step(sim), DENT_OK);
            now = dent_sim_get_statistics(sim);
            gain = fmax(gain, now.kinetic - kinetic);
            kinetic = now.kinetic;
            for (int k = 0; k < 3; k++) {
                worst = fmax(worst, fabs(now.linear_momentum[k] - first.linear_momentum[k]));
            }
        }
        print_message("free impacts, restitution %g: kinetic %.3f of %.3f J, largest gain in a step %.1e J, momentum "
                      "%.1e of %.1f\n",
                      material.restitution, now.kinetic, first.kinetic, gain, worst, first.linear_momentum[0]);
        assert_true(gain <= 1e-12 * first.kinetic && worst < 1e-11 * first.linear_momentum[0]);
        assert_true(now.kinetic < first.kinetic || n == 0);
        dent_sim_destroy(sim);
        dent_context_destroy(context);
    }
}

static void a_peg_in_a_narrow_hole_does_not_swing_up(void **state)
{
    (void)state;
    struct run run;
    double early = 0, late = 0;
    int steps = is_set("DENT_QUICK_TESTS") ? 60 : 180, bad = 0;
    open_scene(&run, "peg-in-hole", 0, NULL, 1);
    for (int n = 0; n < steps; n++) {
        dent_pose pose;
        double linear[3], angular[3];
        assert_int_equal(dent_sim_step(run.sim), DENT_OK);
        bad += penetrates(&run);
        assert_true(energy_of(run.sim) <= run.before + 1e-9);
        assert_true(dent_sim_get_pose(run.sim, 5, &pose, linear, angular));
        double sideways = hypot(linear[0], linear[1]) + 0.15 * hypot(angular[0], angular[1]);
        early = n < steps / 4 ? fmax(early, sideways) : early;
        late = n >= steps / 2 ? fmax(late, sideways) : late;
    }
    print_message("peg with 2 target gaps: sideways %.2e m/s at first, %.2e later; %d steps with penetration\n",
                  early, late, bad);
    assert_true(bad == 0 && late <= early);
    close_scene(&run);
}

static void linkages_meet_solids_and_one_another_without_penetration(void **state)
{
    (void)state;
    const dent_scene_setting push = {"push", 1}, links = {"links", 6};
    static const char *const names[] = {"two-chains", "arm-table", "arm-table"};
    for (int n = 0; n < 3; n++) {
        struct run run;
        uint64_t most = 0, frozen = 0;
        int steps = is_set("DENT_LONG_TESTS") ? 120 : is_set("DENT_QUICK_TESTS") ? 6 : n == 1 ? 36 : 60;
        double gain = -INFINITY;
        open_scene(&run, names[n], n != 1, n == 0 ? &links : &push, n == 0 ? 1 : 0.3);
        for (int step = 0; step < steps; step++) {
            assert_int_equal(dent_sim_step(run.sim), DENT_OK);
            assert_false(penetrates(&run));
            dent_sim_statistics now = dent_sim_get_statistics(run.sim);
            most = now.contacts > most ? now.contacts : most;
            frozen += now.frozen_bodies;
            gain = n == 2 ? gain : fmax(gain, energy_of(run.sim) - run.before);
        }
        print_message("%s%s: %d steps, no penetration, at most %llu contacts, %llu bodies held for a substep\n",
                      names[n], n == 2 ? " with motors" : "", steps, (unsigned long long)most,
                      (unsigned long long)frozen);
        assert_true((most > 0 || is_set("DENT_QUICK_TESTS")) && gain < 1e-9);
        close_scene(&run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ten_boxes_stand_at_their_target_gap),
        cmocka_unit_test(the_cradle_hands_its_swing_over_and_never_gains_energy),
        cmocka_unit_test(impacts_keep_momentum_and_gain_no_energy),
        cmocka_unit_test(a_peg_in_a_narrow_hole_does_not_swing_up),
        cmocka_unit_test(linkages_meet_solids_and_one_another_without_penetration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
