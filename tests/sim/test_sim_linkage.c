/* Linkages in the simulator: dynamics against a reference, motors, limits, losses, momentum, penetration, bits. */
#define _POSIX_C_SOURCE 200809L

#include "support/failing_allocator.h"
#include "support_physics.h"

#include <dent/penetration.h>
#include <dent/sim_linkage.h>
#include <unistd.h>

#define PI 3.141592653589793

enum { MOST_LINKS = 12, MOST_BODIES = 20 };

static const uint32_t box_triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};

static bool is_set(const char *name)
{
    return getenv(name) != NULL && getenv(name)[0] != '\0';
}

/* An arm in the making: link 0 is the base; boxes hang down from their joints, which turn about y and x by turns. */
struct arm {
    dent_context *context;
    dent_linkage *linkage;
    dent_sim_linkage *made;
    dent_sim *sim;
    uint32_t links;
    double corners[MOST_LINKS][24];
    dent_robot_link surfaces[MOST_LINKS];
    dent_joint_def joints[MOST_LINKS];
    dent_robot_joint drives[MOST_LINKS];
    dent_sim_linkage_motor motors[MOST_LINKS];
    double values[MOST_LINKS];
    dent_sim_linkage_def def;
    dent_sim_def sim_def;
    dent_sim_body_def bodies[MOST_BODIES]; /* those of the linkage come first */
    uint32_t others;
    double box_corners[MOST_BODIES][24];
};

static void box_at(const double size[3], const double centre[3], double corners[24])
{
    for (int v = 0; v < 8; v++) {
        for (int k = 0; k < 3; k++) {
            corners[3 * v + k] = centre[k] + ((v >> k & 1) != 0 ? 0.5 : -0.5) * size[k];
        }
    }
}

static void arm_open(struct arm *arm, uint32_t threads, uint32_t links)
{
    memset(arm, 0, sizeof *arm);
    arm->context = test_context(threads, DENT_ISA_AUTO);
    arm->links = links;
    arm->def = dent_sim_linkage_def_default();
    arm->sim_def = dent_sim_def_default();
    for (uint32_t j = 0; j < MOST_LINKS; j++) {
        arm->drives[j] = (dent_robot_joint){INFINITY, INFINITY, 0, 0};
        arm->motors[j] = dent_sim_linkage_motor_default();
        arm->joints[j] = dent_joint_def_default();
        arm->joints[j].kind = DENT_JOINT_REVOLUTE;
        arm->joints[j].parent = j;
        arm->joints[j].child = j + 1;
        arm->joints[j].axis[0] = j % 2;
        arm->joints[j].axis[1] = 1 - (int)(j % 2);
    }
}

/* A box from the joint downwards, of a mass. The next joint is at its lower end. */
static void arm_box(struct arm *arm, uint32_t link, double width, double length, double mass)
{
    const double size[3] = {width, width, length}, centre[3] = {0, 0, -0.5 * length};
    dent_robot_link *surface = &arm->surfaces[link];
    box_at(size, centre, arm->corners[link]);
    *surface = (dent_robot_link){.vertex_count = 8,
                                 .positions = arm->corners[link],
                                 .triangle_count = 12,
                                 .triangles = box_triangles[0],
                                 .mass = mass,
                                 .mass_center = {0, 0, -0.5 * length}};
    surface->inertia[0] = surface->inertia[3] = mass * (width * width + length * length) / 12;
    surface->inertia[5] = mass * 2 * width * width / 12;
    if (link < MOST_LINKS - 1) {
        arm->joints[link].origin.translation[2] = -length;
    }
}

static void arm_other(struct arm *arm, dent_sim_body_kind kind, const double size[3], const double centre[3])
{
    uint32_t n = MOST_BODIES - 1 - arm->others++;
    box_at(size, centre, arm->box_corners[n]);
    arm->bodies[n] = dent_sim_body_def_default(kind);
    arm->bodies[n].mesh = DENT_BODY_SURFACE;
    arm->bodies[n].vertex_count = 8;
    arm->bodies[n].element_count = 12;
    arm->bodies[n].element_corners = box_triangles[0];
    arm->bodies[n].positions = arm->box_corners[n];
}

static dent_status arm_link(struct arm *arm)
{
    dent_linkage_def def = dent_linkage_def_default();
    def.link_count = arm->links;
    def.joint_count = arm->links - 1;
    def.joints = arm->joints;
    dent_status status = dent_linkage_create(arm->context, &def, &arm->linkage);
    arm->def.linkage = arm->linkage;
    arm->def.links = arm->surfaces;
    arm->def.drives = arm->drives;
    arm->def.motors = arm->motors;
    arm->def.values = arm->values;
    return status == DENT_OK ? dent_sim_linkage_create(arm->context, &arm->def, &arm->made) : status;
}

static void succeed(const struct arm *arm, dent_status status)
{
    if (status != DENT_OK) {
        char text[400];
        dent_context_message(arm->context, text, sizeof text);
        fail_msg("%s: %s", dent_status_name(status), text);
    }
}

static void arm_begin(struct arm *arm)
{
    uint32_t count;
    succeed(arm, arm_link(arm));
    const dent_sim_body_def *bodies = dent_sim_linkage_bodies(arm->made, &count);
    memcpy(arm->bodies, bodies, count * sizeof *bodies);
    for (uint32_t n = 0; n < arm->others; n++) {
        arm->bodies[count + n] = arm->bodies[MOST_BODIES - 1 - n];
    }
    arm->sim_def.body_count = count + arm->others;
    arm->sim_def.bodies = arm->bodies;
    arm->sim_def.joints = dent_sim_linkage_joints(arm->made, &arm->sim_def.joint_count);
    succeed(arm, dent_sim_create(arm->context, &arm->sim_def, &arm->sim));
}

static void arm_step(struct arm *arm)
{
    succeed(arm, dent_sim_step(arm->sim));
}

static void arm_close(struct arm *arm)
{
    dent_sim_destroy(arm->sim);
    dent_sim_linkage_destroy(arm->made);
    dent_linkage_destroy(arm->linkage);
    dent_context_destroy(arm->context);
}

static void arm_values(const struct arm *arm, double *values, double *speeds)
{
    assert_int_equal(dent_sim_linkage_get_values(arm->made, arm->sim, values, speeds), DENT_OK);
}

static double arm_energy(const struct arm *arm)
{
    dent_sim_statistics statistics = dent_sim_get_statistics(arm->sim);
    return statistics.kinetic + statistics.potential + statistics.contact;
}

/* ---- a double pendulum ------------------------------------------------------------------------------------------- */

static const double rod = 0.5, rod_width = 0.05, rod_mass = 1.25;

/* Angles from the vertical and their rates, of two rods of uniform mass. */
static void pendulum_rates(const double *s, double *d)
{
    double l = rod, m = rod_mass, g = 9.81, inertia = m * (rod_width * rod_width + l * l) / 12 + m * l * l / 4;
    double c = cos(s[0] - s[1]), sn = sin(s[0] - s[1]), a11 = inertia + m * l * l, a12 = 0.5 * m * l * l * c;
    double b1 = -0.5 * m * l * l * s[3] * s[3] * sn - 1.5 * m * g * l * sin(s[0]);
    double b2 = 0.5 * m * l * l * s[2] * s[2] * sn - 0.5 * m * g * l * sin(s[1]);
    double determinant = a11 * inertia - a12 * a12;
    d[0] = s[2];
    d[1] = s[3];
    d[2] = (b1 * inertia - b2 * a12) / determinant;
    d[3] = (a11 * b2 - a12 * b1) / determinant;
}

/* Runge and Kutta's method of fourth order with steps of 10 microseconds. */
static void pendulum_reference(double time, double s[4])
{
    int count = (int)(time * 1e5 + 0.5);
    double h = time / count, k[4][4], at[4];
    for (int n = 0; n < count; n++) {
        for (int stage = 0; stage < 4; stage++) {
            double part = stage == 0 ? 0 : stage == 3 ? h : 0.5 * h;
            for (int i = 0; i < 4; i++) {
                at[i] = s[i] + (stage > 0 ? part * k[stage - 1][i] : 0);
            }
            pendulum_rates(at, k[stage]);
        }
        for (int i = 0; i < 4; i++) {
            s[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
        }
    }
}

/* The distance from the reference after two seconds; the energy must not rise. */
static double pendulum_error(uint32_t steps, const double reference[4], dent_sim_solver solver)
{
    struct arm arm;
    double values[2];
    arm_open(&arm, 1, 3);
    arm_box(&arm, 1, rod_width, rod, rod_mass);
    arm_box(&arm, 2, rod_width, rod, rod_mass);
    arm.joints[1].axis[0] = 0;
    arm.joints[1].axis[1] = 1;
    arm.values[0] = 1.2;
    arm.values[1] = -0.5;
    arm.sim_def.time_step = 2.0 / steps;
    arm.sim_def.substeps = 1;
    arm.sim_def.contacts = false;
    arm.sim_def.solver = solver;
    arm_begin(&arm);
    double before = arm_energy(&arm);
    for (uint32_t n = 0; n < steps; n++) {
        arm_step(&arm);
        assert_true(arm_energy(&arm) < before + 1e-10);
    }
    arm_values(&arm, values, NULL);
    arm_close(&arm);
    return hypot(values[0] - reference[0], values[0] + values[1] - reference[1]);
}

static void a_double_pendulum_converges_at_first_order(void **state)
{
    (void)state;
    double reference[4] = {1.2, 0.7, 0, 0}, last = 0;
    uint32_t most = is_set("DENT_LONG_TESTS") ? 15360 : is_set("DENT_QUICK_TESTS") ? 240 : 960;
    pendulum_reference(2, reference);
    for (uint32_t steps = 120; steps <= most; steps *= 2) {
        double error = pendulum_error(steps, reference, DENT_SIM_SOLVER_ISLANDS);
        print_message("double pendulum, %5u steps in 2 s: error %.3e rad, ratio %.3f\n", steps, error, last / error);
        assert_true(last == 0 || (last / error > 1.9 && last / error < 2.1));
        last = error;
    }
    double exact = pendulum_error(240, reference, DENT_SIM_SOLVER_CONSTRAINTS);
    double islands = pendulum_error(240, reference, DENT_SIM_SOLVER_ISLANDS);
    assert_true(fabs(exact - islands) < 1e-6 && exact < 0.04);
}

/* ---- drives ------------------------------------------------------------------------------------------------------ */

/* One rod on a hinge along y, lying in space without gravity unless asked for. */
static void open_rod(struct arm *arm, double gravity)
{
    arm_open(arm, 1, 2);
    arm_box(arm, 1, rod_width, rod, rod_mass);
    arm->sim_def.gravity[2] = gravity;
    arm->sim_def.contacts = false;
}

static double rod_inertia(void)
{
    return rod_mass * (rod_width * rod_width + rod * rod) / 12 + rod_mass * rod * rod / 4;
}

static void a_torque_accelerates_as_newton_says_and_is_limited(void **state)
{
    (void)state;
    for (int limited = 0; limited < 2; limited++) {
        for (int exact = 0; exact < 2; exact++) {
            struct arm arm;
            double value, speed, torque = limited ? 0.05 : 0.2;
            open_rod(&arm, 0);
            arm.motors[0].motor = DENT_SIM_MOTOR_FORCE;
            arm.motors[0].target = 0.2;
            arm.drives[0].max_force = limited ? 0.05 : 10;
            arm.sim_def.solver = exact ? DENT_SIM_SOLVER_CONSTRAINTS : DENT_SIM_SOLVER_ISLANDS;
            arm_begin(&arm);
            for (int n = 0; n < 60; n++) {
                arm_step(&arm);
            }
            arm_values(&arm, &value, &speed);
            double theory = torque / rod_inertia();
            print_message("torque: %.9f rad/s, theory %.9f; %.9f rad, theory %.9f\n", speed, theory, value,
                          0.5 * theory);
            assert_true(fabs(speed - theory) < 1e-5 * theory && fabs(value - 0.5 * theory) < 3e-3 * theory);
            dent_sim_statistics statistics = dent_sim_get_statistics(arm.sim);
            assert_true(fabs(statistics.outer_work - statistics.kinetic) < 1e-4 * statistics.kinetic);
            arm_close(&arm);
        }
    }
}

static void damping_decays_and_friction_holds_and_takes_energy_only(void **state)
{
    (void)state;
    struct arm arm;
    double value, speed;
    for (int kind = 0; kind < 2; kind++) { /* damping, friction: a torque for half a second, then none */
        open_rod(&arm, 0);
        arm.drives[0].damping = kind == 0 ? 0.1 : 0;
        arm.drives[0].friction = kind == 1 ? 0.05 : 0;
        arm.motors[0] = (dent_sim_linkage_motor){DENT_SIM_MOTOR_FORCE, 0.5, 1, 0};
        arm_begin(&arm);
        for (int n = 0; n < 30; n++) {
            arm_step(&arm);
        }
        arm_values(&arm, &value, &speed);
        double first = speed, none = 0, energy = arm_energy(&arm);
        assert_int_equal(dent_sim_linkage_set_targets(arm.made, arm.sim, &none), DENT_OK);
        for (int n = 0; n < 30; n++) {
            arm_step(&arm);
            assert_true(arm_energy(&arm) <= energy);
            energy = arm_energy(&arm);
        }
        arm_values(&arm, &value, &speed);
        double theory = kind == 0 ? first * exp(-0.5 * 0.1 / rod_inertia()) : first - 0.5 * 0.05 / rod_inertia();
        print_message("%s: %.6f rad/s, theory %.6f\n", kind == 0 ? "damping" : "friction", speed, theory);
        assert_true(fabs(speed - theory) < (kind == 0 ? 5e-3 : 1e-6) * first);
        arm_close(&arm);
    }
    open_rod(&arm, -9.81); /* 3.07 N m at 90 degrees; friction holds less than that and more */
    arm.drives[0].friction = 4;
    arm.values[0] = 0.5 * PI;
    arm_begin(&arm);
    for (int n = 0; n < 60; n++) {
        arm_step(&arm);
    }
    arm_values(&arm, &value, &speed);
    assert_true(fabs(value - 0.5 * PI) < 1e-6 && fabs(speed) < 1e-6);
    arm_close(&arm);
}

static void motors_hold_positions_and_limits_hold_arms(void **state)
{
    (void)state;
    struct arm arm;
    double values[4], speeds[4];
    arm_open(&arm, 1, 5);
    for (uint32_t n = 1; n < 5; n++) {
        arm_box(&arm, n, 0.06, 0.3, 1);
        arm.motors[n - 1] = (dent_sim_linkage_motor){DENT_SIM_MOTOR_POSITION, 0.4 * n - 0.9, 50, 2};
        arm.values[n - 1] = 0.3;
    }
    arm_begin(&arm);
    double fastest = 0;
    for (int n = 0; n < 180; n++) {
        arm_step(&arm);
        arm_values(&arm, values, speeds);
        for (int j = 0; j < 4; j++) {
            fastest = fmax(fastest, fabs(speeds[j]));
        }
    }
    for (int j = 0; j < 4; j++) {
        assert_true(fabs(values[j] - (0.4 * (j + 1) - 0.9)) < 1e-6 && fabs(speeds[j]) < 1e-6);
    }
    assert_true(fastest < 2 * 1.001);
    arm_close(&arm);
    arm_open(&arm, 1, 4); /* without motors it falls to its limits and never beyond */
    for (uint32_t n = 1; n < 4; n++) {
        arm_box(&arm, n, 0.06, 0.3, 1);
        arm.joints[n - 1].has_limits = true;
        arm.joints[n - 1].lower = 0.25;
        arm.joints[n - 1].upper = 1.5;
        arm.values[n - 1] = 1.2;
    }
    arm_begin(&arm);
    double worst = 0, lowest = 9;
    for (int n = 0; n < 240; n++) {
        arm_step(&arm);
        arm_values(&arm, values, NULL);
        for (int j = 0; j < 3; j++) {
            worst = fmax(worst, fmax(0.25 - values[j], values[j] - 1.5));
            lowest = fmin(lowest, values[j]);
        }
    }
    print_message("limits overrun by %.2e rad; speed limit %.6f of 2 rad/s\n", worst, fastest);
    assert_true(worst < 1e-3 && lowest < 0.26);
    arm_close(&arm);
}

/* ---- what is kept ------------------------------------------------------------------------------------------------ */

static void a_free_chain_with_motors_keeps_its_momenta(void **state)
{
    (void)state;
    struct arm arm;
    double moved[MOST_LINKS];
    arm_open(&arm, 1, 7);
    arm.def.free_base = true;
    arm.sim_def.gravity[2] = 0;
    for (uint32_t n = 0; n < 7; n++) {
        arm_box(&arm, n, 0.05, 0.2, 0.5 + 0.1 * n);
        if (n > 0) {
            arm.motors[n - 1] = (dent_sim_linkage_motor){DENT_SIM_MOTOR_POSITION, n % 2 ? 0.8 : -0.7, 3, 0};
        }
    }
    arm.joints[0].origin.translation[2] = -0.2;
    arm_begin(&arm);
    const double linear[3] = {0.3, -0.1, 0.2}, angular[3] = {0.4, 0.2, -0.3};
    assert_int_equal(dent_sim_set_velocity(arm.sim, 3, linear, angular), DENT_OK);
    arm_step(&arm); /* the joints take the velocity up */
    dent_sim_statistics first = dent_sim_get_statistics(arm.sim);
    for (int n = 0; n < 120; n++) {
        arm_step(&arm);
    }
    dent_sim_statistics last = dent_sim_get_statistics(arm.sim);
    double drift = 0, turn = 0;
    for (int k = 0; k < 3; k++) {
        drift = fmax(drift, fabs(last.linear_momentum[k] - first.linear_momentum[k]));
        turn = fmax(turn, fabs(last.angular_momentum[k] - first.angular_momentum[k]));
    }
    arm_values(&arm, moved, NULL);
    print_message("free chain of 7 links with 6 motors, 2 s: momentum %.1e, angular momentum %.1e\n", drift, turn);
    assert_true(drift < 1e-12 && turn < 1e-9 && fabs(moved[0] - 0.8) < 0.2);
    arm_close(&arm);
}

static void values_and_poses_are_those_of_the_linkage(void **state)
{
    (void)state;
    struct arm arm;
    double values[8];
    dent_pose poses[MOST_LINKS], expected[MOST_LINKS];
    arm_open(&arm, 1, 4);
    for (uint32_t n = 0; n < 4; n++) {
        arm_box(&arm, n, 0.05, 0.3, 1);
    }
    arm.joints[0].origin.translation[2] = -0.3;
    arm.joints[1].kind = DENT_JOINT_FIXED;
    arm.joints[2].kind = DENT_JOINT_BALL;
    arm.values[0] = 7; /* more than a turn */
    arm.values[1] = 1;
    arm.def.base.translation[0] = 2;
    arm_begin(&arm);
    uint32_t bodies;
    dent_sim_linkage_bodies(arm.made, &bodies);
    assert_int_equal(bodies, 3); /* two links are one */
    assert_int_equal(dent_sim_linkage_body_of(arm.made, 1), dent_sim_linkage_body_of(arm.made, 2));
    assert_int_equal(dent_sim_linkage_joint_of(arm.made, 1), UINT32_MAX);
    for (int n = 0; n < 30; n++) {
        arm_values(&arm, values, NULL);
        assert_int_equal(dent_sim_linkage_get_poses(arm.made, arm.sim, poses), DENT_OK);
        assert_int_equal(dent_linkage_poses(arm.linkage, &arm.def.base, values, expected), DENT_OK);
        for (int link = 0; link < 4; link++) {
            for (int k = 0; k < 3; k++) {
                assert_true(fabs(poses[link].translation[k] - expected[link].translation[k]) < 1e-6);
            }
        }
        assert_true(n > 0 || fabs(values[0] - 7) < 1e-12);
        arm_step(&arm);
    }
    arm_close(&arm);
}

static void fixed_links_and_given_masses_move_as_one_body(void **state)
{
    (void)state;
    double values[2][2];
    for (int merged = 0; merged < 2; merged++) { /* a rod, and the same rod cut in two that a fixed joint holds */
        struct arm arm;
        arm_open(&arm, 1, merged ? 3 : 2);
        arm_box(&arm, 1, rod_width, merged ? 0.5 * rod : rod, merged ? 0.5 * rod_mass : rod_mass);
        arm_box(&arm, 2, rod_width, 0.5 * rod, 0.5 * rod_mass);
        arm.joints[1].kind = DENT_JOINT_FIXED;
        arm.values[0] = 1;
        arm.sim_def.contacts = false;
        arm_begin(&arm);
        for (int n = 0; n < 60; n++) {
            arm_step(&arm);
        }
        arm_values(&arm, values[merged], NULL);
        arm_close(&arm);
    }
    assert_true(fabs(values[0][0] - values[1][0]) < 1e-9);
}

/* ---- contact ----------------------------------------------------------------------------------------------------- */

static uint32_t penetrating_steps(dent_sim *sim)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    def.ignore_touching = true;
    assert_int_equal(dent_world_check(dent_sim_world(sim), &def, &result), DENT_OK);
    return result.penetrating_pairs > 0;
}

/* Is a body of the arm nearer to another one than contacts keep them? Recovery lifts it then. */
static bool starts_in_a_layer(dent_sim *sim, uint32_t links)
{
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result result;
    bool any = false;
    assert_int_equal(dent_world_proximity(dent_sim_world(sim), &def, &result), DENT_OK);
    for (uint64_t i = 0; i < result.count; i++) {
        any = any || (result.pairs[i].body_a < links) != (result.pairs[i].body_b < links);
    }
    return any;
}

/* Arms of six links over a floor with boxes, let fall or driven about: nothing may be inside anything. */
static void arms_penetrate_nothing_at_any_step(void **state)
{
    (void)state;
    static const double rates[] = {60, 30, 10};
    int seeds = is_set("DENT_LONG_TESTS") ? 40 : 1;
    double gains[2] = {-INFINITY, -INFINITY}, seconds = is_set("DENT_QUICK_TESTS") ? 0.5 : 1;
    uint32_t bad = 0, steps = 0;
    uint64_t contacts = 0, frozen = 0;
    for (int run = 0; run < 6 * seeds; run++) {
        struct arm arm;
        dent_random random = dent_random_seeded((uint64_t)run + 1);
        bool driven = run % 2 == 1;
        double rate = rates[run / 2 % 3], targets[MOST_LINKS];
        arm_open(&arm, 1, 7);
        arm.sim_def.time_step = 1 / rate;
        for (uint32_t n = 0; n < 7; n++) {
            arm_box(&arm, n, 0.08, 0.25, 1);
            arm.surfaces[n].positions = n == 0 ? arm.box_corners[0] : arm.corners[n];
            arm.values[n] = 2.4 * dent_random_unit(&random) - 1.2;
            arm.motors[n] = (dent_sim_linkage_motor){driven ? DENT_SIM_MOTOR_POSITION : DENT_SIM_MOTOR_NONE, 0, 60, 0};
        }
        const double foot[3] = {0.1, 0.1, 0.1}, top[3] = {0, 0, 0.15}, floor[3] = {6, 6, 0.2}, below[3] = {0, 0, -0.9};
        box_at(foot, top, arm.box_corners[0]);
        arm_other(&arm, DENT_SIM_PRESCRIBED, floor, below);
        const double loose[3] = {0.2, 0.2, 0.2}, beside[3] = {0.5, 0.1, -0.69}, post[3] = {0.1, 0.1, 0.7},
                     there[3] = {-0.45, 0.35, -0.45};
        arm_other(&arm, DENT_SIM_RIGID, loose, beside);
        arm_other(&arm, DENT_SIM_PRESCRIBED, post, there);
        arm.joints[0].origin.translation[2] = 0;
        arm_begin(&arm);
        if (penetrating_steps(arm.sim) == 0) { /* a start that makes sense */
            double before = arm_energy(&arm), *gain = &gains[starts_in_a_layer(arm.sim, 7)];
            for (int n = 0; n < seconds * rate; n++) {
                for (int j = 0; j < 6 && driven; j++) {
                    targets[j] = 1.8 * sin(3.0 * n / rate * (1 + 0.2 * j) + j);
                }
                assert_true(!driven || dent_sim_linkage_set_targets(arm.made, arm.sim, targets) == DENT_OK);
                arm_step(&arm);
                dent_sim_statistics statistics = dent_sim_get_statistics(arm.sim);
                bad += penetrating_steps(arm.sim);
                contacts += statistics.contacts;
                frozen += statistics.frozen_bodies;
                steps++;
                *gain = driven ? *gain : fmax(*gain, arm_energy(&arm) - before);
            }
        }
        arm_close(&arm);
    }
    print_message(
        "arms of 6 joints at 60, 30 and 10 Hz: %u steps, %u with penetration, %llu contacts, %llu bodies held "
        "for a substep, largest gain of energy without motors %.1e J, where recovery lifts the arm %.1e J\n",
        steps, bad, (unsigned long long)contacts, (unsigned long long)frozen, gains[0], gains[1]);
    assert_true(bad == 0 && contacts > steps / 4 && gains[0] < 1e-9);
    assert_true(gains[1] < 7 * 9.81 * 0.03); /* its weight times the distance that contacts keep */
}

/* ---- cloth and strands ------------------------------------------------------------------------------------------- */

enum { HAIRS = 12, HAIR_VERTICES = 8 };

struct soft_scene {
    struct test_mesh sheet;
    uint32_t corners[4], roots[2 * HAIRS], first[HAIRS + 1];
    double hair[3 * HAIRS * HAIR_VERTICES];
};

/* Faces of the cloth through others; an open surface is through a closed one without being inside. */
static uint64_t crossing_pairs(dent_sim *sim)
{
    dent_query_def ask = dent_query_def_default();
    dent_query_result result;
    ask.questions = DENT_QUESTION_FACE_FACE;
    assert_int_equal(dent_world_query(dent_sim_world(sim), &ask, &result), DENT_OK);
    return result.face_face.count;
}

/* A sheet held at its corners on one side of the arm, and a field of strands on the other. */
static void add_soft(struct arm *arm, struct soft_scene *soft, dent_random *random)
{
    enum { CELLS = 10 };
    soft->sheet = test_sheet(CELLS, CELLS, 0.06, 0.05, -0.3, -0.6);
    dent_sim_body_def *cloth = &arm->bodies[MOST_BODIES - 1 - arm->others++];
    *cloth = test_body(DENT_SIM_CLOTH, &soft->sheet);
    const uint32_t held[4] = {0, CELLS, CELLS * (CELLS + 1), (CELLS + 1) * (CELLS + 1) - 1};
    memcpy(soft->corners, held, sizeof held);
    cloth->fixed_vertices = soft->corners;
    cloth->fixed_count = 4;
    dent_sim_body_def *strands = &arm->bodies[MOST_BODIES - 1 - arm->others++];
    *strands = dent_sim_body_def_default(DENT_SIM_STRANDS);
    for (uint32_t s = 0; s < HAIRS; s++) {
        double x = 0.45 * dent_random_unit(random) - 0.4, y = 0.3 * dent_random_unit(random) - 0.15;
        soft->first[s + 1] = HAIR_VERTICES * (s + 1);
        soft->roots[2 * s] = HAIR_VERTICES * s;
        soft->roots[2 * s + 1] = HAIR_VERTICES * s + 1;
        for (uint32_t v = 0; v < HAIR_VERTICES; v++) {
            const double at[3] = {x, y, -0.95 + 0.04 * v};
            memcpy(soft->hair + 3 * (HAIR_VERTICES * s + v), at, sizeof at);
        }
    }
    strands->strand_count = HAIRS;
    strands->vertex_count = HAIRS * HAIR_VERTICES;
    strands->first = soft->first;
    strands->positions = soft->hair;
    strands->fixed_vertices = soft->roots;
    strands->fixed_count = 2 * HAIRS;
    strands->radius = 1e-3;
    strands->thickness = 2e-3;
}

/* An arm that falls or is driven into cloth and strands: it passes through neither, at any step. */
static void arms_pass_through_neither_cloth_nor_strands(void **state)
{
    (void)state;
    static const double rates[] = {60, 30, 10};
    int seeds = is_set("DENT_LONG_TESTS") ? 12 : 1;
    double seconds = is_set("DENT_QUICK_TESTS") ? 0.2 : is_set("DENT_LONG_TESTS") ? 2 : 0.8;
    uint32_t bad = 0, steps = 0;
    uint64_t on_cloth = 0, on_strands = 0;
    for (int run = 0; run < 6 * seeds; run++) {
        struct arm arm;
        struct soft_scene soft = {0};
        dent_random random = dent_random_seeded((uint64_t)run + 50);
        bool driven = run % 2 == 1;
        arm_open(&arm, 1, 5);
        arm.sim_def.time_step = 1 / rates[run / 2 % 3];
        for (uint32_t n = 1; n < 5; n++) {
            arm_box(&arm, n, 0.06, 0.24, 0.5);
            arm.values[n - 1] = n == 1 ? (run / 6 % 2 == 0 ? -1.3 : 1.3) : 0.4 * dent_random_unit(&random) - 0.2;
            arm.motors[n - 1] = (dent_sim_linkage_motor){driven ? DENT_SIM_MOTOR_POSITION : DENT_SIM_MOTOR_NONE,
                                                         n == 1 ? 0 : 0.2, 40, 0};
        }
        add_soft(&arm, &soft, &random);
        arm_begin(&arm);
        uint32_t count, last = arm.sim_def.body_count - 1;
        dent_sim_linkage_bodies(arm.made, &count);
        uint32_t cloth = arm.bodies[last].kind == DENT_SIM_CLOTH ? last : last - 1;
        assert_int_equal(penetrating_steps(arm.sim), 0);
        for (int n = 0; n < seconds * rates[run / 2 % 3]; n++, steps++) {
            uint64_t found;
            arm_step(&arm);
            bad += penetrating_steps(arm.sim) || crossing_pairs(arm.sim) > 0;
            const dent_sim_contact *contacts = dent_sim_contacts(arm.sim, &found);
            for (uint64_t i = 0; i < found; i++) {
                bool soft_a = contacts[i].body_a >= count, soft_b = contacts[i].body_b >= count;
                uint32_t body = soft_a ? contacts[i].body_a : contacts[i].body_b;
                on_cloth += soft_a != soft_b && body == cloth;
                on_strands += soft_a != soft_b && body != cloth;
            }
        }
        test_mesh_free(&soft.sheet);
        arm_close(&arm);
    }
    print_message("arms of 4 joints into cloth and strands at 60, 30 and 10 Hz: %u steps, %u with penetration, %llu contacts "
                  "with cloth, %llu with strands\n", steps, bad, (unsigned long long)on_cloth,
                  (unsigned long long)on_strands);
    assert_true(bad == 0 && (is_set("DENT_QUICK_TESTS") || (on_cloth > 0 && on_strands > 0)));
}

/* The UR5e of the kit falls on a floor with boxes. */
static void the_ur5e_penetrates_nothing_at_60_30_and_10_hertz(void **state)
{
    (void)state;
    static const double rates[] = {10, 30, 60};
    char path[2000];
    if (!is_set("DENT_DATA")) {
        print_message("not run, DENT_DATA is not set\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/meshes/robot-ur5e/ur5e.urdf", getenv("DENT_DATA"));
    double seconds = is_set("DENT_LONG_TESTS") ? 3 : is_set("DENT_QUICK_TESTS") ? 0.2 : 0.5;
    for (int run = 0; run < (is_set("DENT_QUICK_TESTS") ? 1 : 3); run++) {
        struct arm arm;
        dent_robot *robot;
        uint32_t bad = 0, steps = 0;
        uint64_t contacts = 0;
        arm_open(&arm, 0, 1);
        succeed(&arm, dent_robot_read(arm.context, path, NULL, &robot));
        const double start[6] = {0.3, -0.7, 0.9, 0.4, 0, 0}, size[3] = {4, 4, 0.2}, below[3] = {0, 0, -0.11};
        const double post[3] = {0.1, 0.1, 0.3}, there[3] = {0.4, 0.05, 0.15};
        dent_sim_linkage_def_from_robot(&arm.def, robot);
        arm.def.values = start;
        succeed(&arm, dent_sim_linkage_create(arm.context, &arm.def, &arm.made));
        uint32_t count;
        memcpy(arm.bodies, dent_sim_linkage_bodies(arm.made, &count), sizeof *arm.bodies * 7);
        assert_int_equal(count, 7);
        arm_other(&arm, DENT_SIM_PRESCRIBED, size, below);
        arm_other(&arm, DENT_SIM_PRESCRIBED, post, there);
        arm.bodies[7] = arm.bodies[MOST_BODIES - 1];
        arm.bodies[8] = arm.bodies[MOST_BODIES - 2];
        arm.sim_def.bodies = arm.bodies;
        arm.sim_def.body_count = 9;
        arm.sim_def.joints = dent_sim_linkage_joints(arm.made, &arm.sim_def.joint_count);
        arm.sim_def.time_step = 1 / rates[run];
        succeed(&arm, dent_sim_create(arm.context, &arm.sim_def, &arm.sim));
        double before = arm_energy(&arm), gain = -INFINITY;
        assert_int_equal(penetrating_steps(arm.sim), 0);
        for (; steps < seconds * rates[run]; steps++) {
            arm_step(&arm);
            bad += penetrating_steps(arm.sim);
            contacts += dent_sim_get_statistics(arm.sim).contacts;
            gain = fmax(gain, arm_energy(&arm) - before);
        }
        print_message("UR5e at %g Hz: %u steps, %u with penetration, %llu contacts, largest gain of energy %.1e J\n",
                      rates[run], steps, bad, (unsigned long long)contacts, gain);
        assert_true(bad == 0 && gain < 1e-9 && (contacts > 0 || seconds < 0.5));
        dent_robot_destroy(arm.context, robot);
        arm_close(&arm);
    }
}

/* ---- bits, refusals, memory -------------------------------------------------------------------------------------- */

static void make_machine(struct arm *arm, uint32_t threads)
{
    const double floor[3] = {4, 4, 0.2}, below[3] = {0, 0, -0.7};
    arm_open(arm, threads, 6);
    for (uint32_t n = 1; n < 6; n++) {
        arm_box(arm, n, 0.06, 0.2, 1);
        arm->drives[n - 1] = (dent_robot_joint){5, 4, 0.01 * n, 0.02};
        arm->motors[n - 1].motor = n % 2 ? DENT_SIM_MOTOR_POSITION : DENT_SIM_MOTOR_FORCE;
    }
    arm->values[0] = 1.2;
    arm->joints[2].kind = DENT_JOINT_PRISMATIC;
    arm->joints[2].has_limits = true;
    arm->joints[2].lower = -0.05;
    arm->joints[2].upper = 0.05;
    arm_other(arm, DENT_SIM_PRESCRIBED, floor, below);
    arm_begin(arm);
}

static void linkages_have_the_same_bits_for_threads_and_resumed_runs(void **state)
{
    (void)state;
    struct arm first, second, third;
    const char *path = "test_sim_linkage.checkpoint";
    const double targets[5] = {-0.5, 0.3, 0.04, -0.4, 1};
    make_machine(&first, 1);
    make_machine(&second, 3);
    make_machine(&third, 2);
    for (int n = 0; n < 60; n++) {
        arm_step(&first);
        arm_step(&second);
        if (n == 20) {
            assert_int_equal(dent_sim_linkage_set_targets(first.made, first.sim, targets), DENT_OK);
            assert_int_equal(dent_sim_linkage_set_targets(second.made, second.sim, targets), DENT_OK);
            assert_int_equal(dent_sim_save(first.sim, path, NULL, 0), DENT_OK);
            assert_int_equal(dent_sim_load(third.sim, path), DENT_OK);
        }
        if (n > 20) {
            arm_step(&third);
        }
    }
    assert_true(dent_sim_hash(first.sim) == dent_sim_hash(second.sim));
    assert_true(dent_sim_hash(first.sim) == dent_sim_hash(third.sim));
    unlink(path);
    arm_close(&first);
    arm_close(&second);
    arm_close(&third);
}

static void linkages_that_cannot_be_simulated_are_refused_by_name(void **state)
{
    (void)state;
    static const struct {
        dent_status status;
        const char *word;
    } expected[] = {
        {DENT_ERROR_UNSUPPORTED, "mimic"},         {DENT_ERROR_UNSUPPORTED, "screw"},
        {DENT_ERROR_UNSUPPORTED, "link 2"},        {DENT_ERROR_INVALID_ARGUMENT, "mass"},
        {DENT_ERROR_INVALID_ARGUMENT, "definite"}, {DENT_ERROR_BAD_NUMBER, "finite"},
        {DENT_ERROR_INVALID_ARGUMENT, "joint 1"},  {DENT_ERROR_INVALID_ARGUMENT, "friction"},
        {DENT_ERROR_BAD_NUMBER, "target"},         {DENT_ERROR_INVALID_ARGUMENT, "default"},
        {DENT_ERROR_BAD_MESH, "triangle"},
    };
    for (size_t n = 0; n < sizeof expected / sizeof expected[0]; n++) {
        struct arm arm;
        char message[300];
        arm_open(&arm, 1, 3);
        arm_box(&arm, 1, 0.1, 0.3, 1);
        arm_box(&arm, 2, 0.1, 0.3, 1);
        arm.joints[1].mimics = n == 0 ? 0 : DENT_JOINT_NONE;
        arm.joints[1].kind = n == 1 ? DENT_JOINT_SCREW : DENT_JOINT_REVOLUTE;
        if (n == 2) {
            arm.surfaces[2] = (dent_robot_link){0};
        }
        arm.surfaces[2].mass = n == 3 ? -1 : arm.surfaces[2].mass;
        arm.surfaces[2].inertia[0] = n == 4 ? -1 : n == 5 ? NAN : arm.surfaces[2].inertia[0];
        arm.joints[1].has_limits = true;
        arm.joints[1].lower = -1;
        arm.joints[1].upper = 1;
        arm.values[1] = n == 6 ? 2 : 0;
        arm.drives[1].friction = n == 7 ? -1 : 0;
        arm.motors[1] = (dent_sim_linkage_motor){DENT_SIM_MOTOR_FORCE, n == 8 ? INFINITY : 0, 1, 1};
        arm.def.struct_size -= n == 9;
        arm.surfaces[1].vertex_count -= n == 10 ? 3 : 0;
        assert_int_equal(arm_link(&arm), expected[n].status);
        dent_context_message(arm.context, message, sizeof message);
        if (!strstr(message, expected[n].word)) {
            fail_msg("case %zu: %s", n, message);
        }
        arm_close(&arm);
    }
}

static void a_failing_allocator_leaves_nothing_behind(void **state)
{
    (void)state;
    struct arm arm;
    arm_open(&arm, 1, 4);
    for (uint32_t n = 1; n < 4; n++) {
        arm_box(&arm, n, 0.1, 0.3, 1);
    }
    assert_int_equal(arm_link(&arm), DENT_OK);
    uint64_t failures = 0;
    for (uint64_t allowed = 1;; allowed++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        dent_context *context = dent_context_create(&def, NULL);
        dent_sim_linkage *made = NULL;
        assert_non_null(context);
        memory.requests = 0;
        memory.fail_at = allowed;
        dent_status status = dent_sim_linkage_create(context, &arm.def, &made);
        assert_true(status == DENT_OK || (status == DENT_ERROR_OUT_OF_MEMORY && made == NULL));
        dent_sim_linkage_destroy(made);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
        if (status == DENT_OK) {
            break;
        }
        failures++;
    }
    assert_true(failures > 8);
    arm_close(&arm);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_double_pendulum_converges_at_first_order),
        cmocka_unit_test(a_torque_accelerates_as_newton_says_and_is_limited),
        cmocka_unit_test(damping_decays_and_friction_holds_and_takes_energy_only),
        cmocka_unit_test(motors_hold_positions_and_limits_hold_arms),
        cmocka_unit_test(a_free_chain_with_motors_keeps_its_momenta),
        cmocka_unit_test(values_and_poses_are_those_of_the_linkage),
        cmocka_unit_test(fixed_links_and_given_masses_move_as_one_body),
        cmocka_unit_test(arms_penetrate_nothing_at_any_step),
        cmocka_unit_test(arms_pass_through_neither_cloth_nor_strands),
        cmocka_unit_test(the_ur5e_penetrates_nothing_at_60_30_and_10_hertz),
        cmocka_unit_test(linkages_have_the_same_bits_for_threads_and_resumed_runs),
        cmocka_unit_test(linkages_that_cannot_be_simulated_are_refused_by_name),
        cmocka_unit_test(a_failing_allocator_leaves_nothing_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
