/* Joints of rigid bodies: theory, momentum, limits, motors, springs, heavy chains, bits. */
#define _POSIX_C_SOURCE 200809L

#include "support_physics.h"

#include <unistd.h>

#define PI 3.141592653589793

enum { JOINTS = 12 };

struct linkage {
    struct physics physics;
    dent_sim_joint joints[JOINTS];
};

static void linkage_open(struct linkage *linkage, uint32_t threads, double gravity)
{
    physics_open(&linkage->physics, threads);
    linkage->physics.def.gravity[2] = gravity;
    linkage->physics.def.joints = linkage->joints;
}

/* A box of given size about a centre, one cell. */
static uint32_t add_box(struct linkage *linkage, const double size[3], const double center[3])
{
    struct test_mesh mesh = physics_block((const uint32_t[3]){1, 1, 1}, 1, (const double[3]){-0.5, -0.5, -0.5});
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            mesh.positions[3 * v + (uint32_t)k] = center[k] + size[k] * mesh.positions[3 * v + (uint32_t)k];
        }
    }
    return physics_add(&linkage->physics, DENT_SIM_RIGID, mesh);
}

static dent_sim_joint *add_joint(struct linkage *linkage, dent_sim_joint_kind kind, uint32_t a, uint32_t b,
                                 const double point[3], const double axis[3])
{
    dent_sim_joint *joint = &linkage->joints[linkage->physics.def.joint_count++];
    assert_true(linkage->physics.def.joint_count <= JOINTS);
    *joint = dent_sim_joint_default();
    joint->kind = kind;
    joint->body_a = a;
    joint->body_b = b;
    memcpy(joint->point, point, sizeof joint->point);
    if (axis) {
        memcpy(joint->axis, axis, sizeof joint->axis);
    }
    return joint;
}

static dent_sim_joint_info joint_info(const struct linkage *linkage, uint32_t joint)
{
    dent_sim_joint_info info;
    assert_true(dent_sim_get_joint(linkage->physics.sim, joint, &info));
    return info;
}

static const double along_y[3] = {0, 1, 0}, along_z[3] = {0, 0, 1}, along_x[3] = {1, 0, 0}, origin[3] = {0, 0, 0};

/* ---- theory ------------------------------------------------------------------------------------------------------ */

static void a_pendulum_has_the_period_of_theory_and_keeps_its_energy(void **state)
{
    (void)state;
    struct linkage linkage;
    const double size[3] = {0.1, 0.1, 0.4}, tilt = 0.1, center[3] = {0.5 * sin(0.1), 0, -0.5 * cos(0.1)};
    linkage_open(&linkage, 1, -9.81);
    uint32_t box = add_box(&linkage, size, center);
    add_joint(&linkage, DENT_SIM_JOINT_HINGE, box, UINT32_MAX, origin, along_y);
    physics_begin(&linkage.physics);
    double before = physics_energy(&linkage.physics), highest = before, lowest = before, last = 0, first = 0, cross = 0;
    int crossings = 0;
    for (int n = 1; n <= 600; n++) {
        physics_step(&linkage.physics);
        double middle[3], energy = physics_energy(&linkage.physics);
        physics_center(&linkage.physics, box, middle);
        highest = fmax(highest, energy);
        lowest = fmin(lowest, energy);
        if (last > 0 && middle[0] <= 0) {
            cross = (n - middle[0] / (middle[0] - last)) / 60;
            first = crossings++ == 0 ? cross : first;
        }
        last = middle[0];
    }
    double inertia = (0.1 * 0.1 + 0.4 * 0.4) / 12 + 0.25; /* per mass, about the hinge */
    double theory = 2 * PI * sqrt(inertia / (9.81 * 0.5)) * (1 + tilt * tilt / 16);
    double period = (cross - first) / (crossings - 1);
    double swing = 4 * 9.81 * 0.5 * (1 - cos(tilt)); /* 4 kg */
    print_message("pendulum: period %.6f s, theory %.6f s, energy %.3g to %.3g of its swing\n", period, theory,
                  (lowest - before) / swing, (highest - before) / swing);
    assert_true(fabs(period - theory) < 1e-3 * theory);
    assert_true(highest - before < 1e-9 * swing && before - lowest < 0.01 * swing);
    physics_close(&linkage.physics);
}

static void a_spring_has_the_period_of_theory_and_holds_the_weight(void **state)
{
    (void)state;
    for (int damped = 0; damped < 2; damped++) {
        struct linkage linkage;
        const double size[3] = {0.1, 0.1, 0.1};
        linkage_open(&linkage, 1, -9.81);
        uint32_t box = add_box(&linkage, size, origin);
        dent_sim_joint *spring = add_joint(&linkage, DENT_SIM_JOINT_SPRING, box, UINT32_MAX, origin, NULL);
        spring->point_b[2] = 1;
        spring->stiffness = 100;
        spring->damping = damped ? 20 : 0;
        physics_begin(&linkage.physics);
        double period = 2 * PI * sqrt(1.0 / 100), lowest = 0, at = 0;
        for (int n = 1; n <= (damped ? 600 : 40); n++) {
            physics_step(&linkage.physics);
            double middle[3];
            physics_center(&linkage.physics, box, middle);
            at = middle[2] < lowest ? n / 60.0 : at;
            lowest = fmin(lowest, middle[2]);
        }
        dent_sim_joint_info info = joint_info(&linkage, 0);
        if (damped) {
            print_message("spring at rest: length %.6f m, pull %.6f N\n", info.position, info.axial);
            assert_true(fabs(info.axial - 9.81) < 1e-3 && fabs(info.position - 1.0981) < 1e-5);
        } else {
            print_message("spring: lowest %.4f m at %.4f s (theory %.4f m, %.4f s)\n", lowest, at, -2 * 0.0981,
                          0.5 * period);
            assert_true(fabs(at - 0.5 * period) < 1.0 / 60 && fabs(lowest + 0.1962) < 0.01);
        }
        physics_close(&linkage.physics);
    }
}

/* ---- momentum ---------------------------------------------------------------------------------------------------- */

static void a_free_chain_of_hinges_keeps_momentum_and_angular_momentum(void **state)
{
    (void)state;
    struct linkage linkage;
    const double size[3] = {0.3, 0.1, 0.1};
    linkage_open(&linkage, 1, 0);
    for (int n = 0; n < 3; n++) {
        const double center[3] = {0.3 * n, 0, 0}, point[3] = {0.3 * n - 0.15, 0, 0};
        uint32_t box = add_box(&linkage, size, center);
        linkage.physics.bodies[box].angular_velocity[1] = n == 0 ? 5 : n == 1 ? -3 : 1;
        linkage.physics.bodies[box].linear_velocity[2] = n - 1;
        linkage.physics.bodies[box].angular_velocity[2] = 2;
        if (n > 0) {
            add_joint(&linkage, DENT_SIM_JOINT_HINGE, box, box - 1, point, along_y);
        }
    }
    physics_begin(&linkage.physics);
    physics_step(&linkage.physics); /* in which the velocities become those of a chain */
    dent_sim_statistics before = dent_sim_get_statistics(linkage.physics.sim), after;
    for (int n = 0; n < 300; n++) {
        physics_step(&linkage.physics);
    }
    after = dent_sim_get_statistics(linkage.physics.sim);
    for (int k = 0; k < 3; k++) {
        double linear = after.linear_momentum[k] - before.linear_momentum[k];
        double angular = after.angular_momentum[k] - before.angular_momentum[k];
        print_message("momentum %.3g of %.3g, angular %.3g of %.3g\n", linear, before.linear_momentum[k], angular,
                      before.angular_momentum[k]);
        assert_true(fabs(linear) < 1e-9 && fabs(angular) < 1e-6);
    }
    print_message("energy %.6f J of %.6f J after 5 s\n", after.kinetic, before.kinetic);
    assert_true(after.kinetic < 1.01 * before.kinetic && after.kinetic > 0.9 * before.kinetic);
    physics_close(&linkage.physics);
}

/* ---- limits and motors ------------------------------------------------------------------------------------------- */

static void limits_hold(void **state)
{
    (void)state;
    struct linkage linkage;
    const double size[3] = {0.4, 0.1, 0.1}, first[3] = {0.2, 0, 0}, second[3] = {0.2, 1, 0}, point[3] = {0, 1, 0};
    linkage_open(&linkage, 1, -9.81);
    uint32_t swing = add_box(&linkage, size, first), carriage = add_box(&linkage, size, second);
    dent_sim_joint *hinge = add_joint(&linkage, DENT_SIM_JOINT_HINGE, swing, UINT32_MAX, origin, along_y);
    hinge->limited = true;
    hinge->lower = -0.2;
    hinge->upper = 0.5; /* gravity turns it this way */
    dent_sim_joint *slider = add_joint(&linkage, DENT_SIM_JOINT_SLIDER, carriage, UINT32_MAX, point, along_z);
    slider->limited = true;
    slider->lower = -0.3;
    physics_begin(&linkage.physics);
    double most = 0, least = 0;
    for (int n = 0; n < 120; n++) {
        physics_step(&linkage.physics);
        most = fmax(most, joint_info(&linkage, 0).position);
        least = fmin(least, joint_info(&linkage, 1).position);
    }
    dent_sim_joint_info turned = joint_info(&linkage, 0), slid = joint_info(&linkage, 1);
    print_message("hinge ends at %.9f (most %.9f), slider at %.9f (least %.9f); %.6f N m, %.6f N\n", turned.position,
                  most, slid.position, least, turned.axial, slid.axial);
    assert_true(most < 0.5 + 1e-6 && least > -0.3 - 1e-6);
    assert_true(fabs(turned.position - 0.5) < 1e-5 && fabs(slid.position + 0.3) < 1e-5);
    assert_true(fabs(slid.axial - 4 * 9.81) < 1e-3); /* the limit carries the weight */
    assert_true(fabs(turned.axial + 4 * 9.81 * 0.2 * cos(0.5)) < 1e-2);
    physics_close(&linkage.physics);
}

static void a_motor_reaches_its_speed_with_the_torque_asked(void **state)
{
    (void)state;
    struct linkage linkage;
    const double size[3] = {0.4, 0.4, 0.1};
    linkage_open(&linkage, 1, 0);
    uint32_t disc = add_box(&linkage, size, origin);
    dent_sim_joint *hinge = add_joint(&linkage, DENT_SIM_JOINT_HINGE, disc, UINT32_MAX, origin, along_z);
    hinge->motor = DENT_SIM_MOTOR_VELOCITY;
    hinge->target = 10;
    hinge->max_force = 2;
    physics_begin(&linkage.physics);
    double inertia = 16 * (0.16 + 0.16) / 12; /* 16 kg */
    for (int n = 1; n <= 30; n++) {
        physics_step(&linkage.physics);
        dent_sim_joint_info info = joint_info(&linkage, 0);
        assert_true(fabs(info.speed - 2.0 / inertia * n / 60) < 1e-9 * n);
        assert_true(fabs(info.axial - 2) < 1e-9);
    }
    for (int n = 0; n < 150; n++) {
        physics_step(&linkage.physics);
    }
    dent_sim_joint_info there = joint_info(&linkage, 0);
    print_message("motor: %.9f rad/s with %.3g N m, after %.4f rad\n", there.speed, there.axial, there.position);
    assert_true(fabs(there.speed - 10) < 1e-6 && fabs(there.axial) < 1e-3);
    assert_true(there.position > 2 * PI); /* whole turns are counted */
    assert_int_equal(dent_sim_set_motor(linkage.physics.sim, 0, 0), DENT_OK);
    for (int n = 0; n < 200; n++) {
        physics_step(&linkage.physics);
    }
    assert_true(fabs(joint_info(&linkage, 0).speed) < 1e-6);
    assert_int_equal(dent_sim_set_motor(linkage.physics.sim, 1, 0), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_sim_set_motor(linkage.physics.sim, 0, NAN), DENT_ERROR_INVALID_ARGUMENT);
    physics_close(&linkage.physics);
}

static void a_position_motor_holds_against_gravity(void **state)
{
    (void)state;
    struct linkage linkage;
    const double size[3] = {0.4, 0.1, 0.1}, center[3] = {0.2, 0, 0};
    linkage_open(&linkage, 1, -9.81);
    uint32_t arm = add_box(&linkage, size, center);
    dent_sim_joint *hinge = add_joint(&linkage, DENT_SIM_JOINT_HINGE, arm, UINT32_MAX, origin, along_y);
    hinge->motor = DENT_SIM_MOTOR_POSITION;
    hinge->target = -0.7;
    hinge->max_force = 100;
    physics_begin(&linkage.physics);
    for (int n = 0; n < 120; n++) {
        physics_step(&linkage.physics);
    }
    dent_sim_joint_info info = joint_info(&linkage, 0);
    print_message("arm at %.9f rad, %.6f N m\n", info.position, info.axial);
    assert_true(fabs(info.position + 0.7) < 1e-6);
    assert_true(fabs(info.axial + 4 * 9.81 * 0.2 * cos(0.7)) < 1e-3);
    physics_close(&linkage.physics);
}

/* ---- strength ---------------------------------------------------------------------------------------------------- */

static void a_light_chain_carries_a_thousand_times_its_mass(void **state)
{
    (void)state;
    struct linkage linkage;
    const double size[3] = {0.05, 0.05, 0.2};
    double mass = 0, worst = 0;
    linkage_open(&linkage, 1, -9.81);
    for (int n = 0; n < 10; n++) {
        const double center[3] = {0, 0, -0.1 - 0.2 * n}, point[3] = {0, 0, -0.2 * n};
        uint32_t box = add_box(&linkage, size, center);
        linkage.physics.bodies[box].density = n == 9 ? 1e6 : 1000;
        mass += n == 9 ? 500 : 0.5;
        add_joint(&linkage, DENT_SIM_JOINT_BALL, box, n == 0 ? UINT32_MAX : box - 1, point, NULL);
    }
    linkage.physics.bodies[9].linear_velocity[0] = 1;
    physics_begin(&linkage.physics);
    for (int n = 0; n < 300; n++) {
        physics_step(&linkage.physics);
        const double *x = dent_sim_positions(linkage.physics.sim, 0), *y = dent_sim_positions(linkage.physics.sim, 9);
        double top[3] = {0}, below[3];
        for (uint32_t v = 0; v < 8; v++) {
            for (int k = 0; k < 3; k++) {
                top[k] += x[3 * v + (uint32_t)k] / 8;
            }
        }
        physics_center(&linkage.physics, 9, below);
        (void)y;
        double reach = sqrt(below[0] * below[0] + below[1] * below[1] + below[2] * below[2]);
        worst = fmax(worst, reach - 1.9);
        worst = fmax(worst, sqrt(top[0] * top[0] + top[1] * top[1] + top[2] * top[2]) - 0.1);
    }
    dent_sim_joint_info info = joint_info(&linkage, 0);
    print_message("chain: longer by %.3g m at most; holds %.6f N of %.6f N\n", worst, info.force[2], mass * 9.81);
    assert_true(worst < 1e-6);
    assert_true(fabs(info.force[2] - mass * 9.81) < 0.2 * mass * 9.81); /* it swings */
    physics_close(&linkage.physics);
}

static void a_fixed_joint_is_one_body_and_tells_its_moment(void **state)
{
    (void)state;
    struct linkage linkage;
    const double size[3] = {0.4, 0.1, 0.1}, first[3] = {0.2, 0, 0}, second[3] = {0.6, 0, 0}, point[3] = {0.4, 0, 0};
    linkage_open(&linkage, 1, -9.81);
    uint32_t a = add_box(&linkage, size, first), b = add_box(&linkage, size, second);
    add_joint(&linkage, DENT_SIM_JOINT_FIXED, a, UINT32_MAX, origin, NULL);
    add_joint(&linkage, DENT_SIM_JOINT_FIXED, b, a, point, NULL);
    physics_begin(&linkage.physics);
    for (int n = 0; n < 60; n++) {
        physics_step(&linkage.physics);
    }
    dent_sim_joint_info wall = joint_info(&linkage, 0), middle = joint_info(&linkage, 1);
    print_message("wall: %.6f N, %.6f N m; middle: %.6f N, %.6f N m\n", wall.force[2], wall.moment[1], middle.force[2],
                  middle.moment[1]);
    assert_true(fabs(wall.force[2] - 8 * 9.81) < 1e-6 && fabs(wall.moment[1] + 8 * 9.81 * 0.4) < 1e-6);
    assert_true(fabs(middle.force[2] - 4 * 9.81) < 1e-6 && fabs(middle.moment[1] + 4 * 9.81 * 0.2) < 1e-6);
    double center[3];
    physics_center(&linkage.physics, b, center);
    assert_true(fabs(center[0] - 0.6) < 1e-9 && fabs(center[2]) < 1e-9);
    physics_close(&linkage.physics);
}

/* ---- bits, refusals ---------------------------------------------------------------------------------------------- */

static void make_machine(struct linkage *linkage, uint32_t threads)
{
    const double size[3] = {0.3, 0.1, 0.1};
    linkage_open(linkage, threads, -9.81);
    physics_add(&linkage->physics, DENT_SIM_PRESCRIBED,
                physics_block((const uint32_t[3]){2, 2, 1}, 1, (const double[3]){-1, -1, -1.7}));
    for (int n = 0; n < 5; n++) {
        const double center[3] = {0.3 * n, 0, 0}, point[3] = {0.3 * n - 0.15, 0, 0};
        static const dent_sim_joint_kind kinds[] = {DENT_SIM_JOINT_HINGE, DENT_SIM_JOINT_BALL, DENT_SIM_JOINT_SLIDER,
                                                    DENT_SIM_JOINT_FIXED, DENT_SIM_JOINT_HINGE};
        uint32_t box = add_box(linkage, size, center);
        dent_sim_joint *joint =
            add_joint(linkage, kinds[n], box, n == 0 ? UINT32_MAX : box - 1, point, n == 2 ? along_x : along_y);
        joint->limited = n == 2;
        joint->upper = 0.1;
        joint->motor = n == 4 ? DENT_SIM_MOTOR_VELOCITY : DENT_SIM_MOTOR_NONE;
        joint->target = 3;
        joint->max_force = 5;
    }
    physics_begin(&linkage->physics);
}

static void joints_have_the_same_bits_for_threads_and_resumed_runs(void **state)
{
    (void)state;
    struct linkage first, second, third;
    const char *path = "test_rigid_joints.checkpoint";
    make_machine(&first, 1);
    make_machine(&second, 3);
    make_machine(&third, 2);
    for (int n = 0; n < 60; n++) {
        physics_step(&first.physics);
        physics_step(&second.physics);
        if (n == 20) {
            assert_int_equal(dent_sim_set_motor(first.physics.sim, 4, -2), DENT_OK);
            assert_int_equal(dent_sim_set_motor(second.physics.sim, 4, -2), DENT_OK);
            assert_int_equal(dent_sim_save(first.physics.sim, path, NULL, 0), DENT_OK);
            assert_int_equal(dent_sim_load(third.physics.sim, path), DENT_OK);
        }
        if (n > 20) {
            physics_step(&third.physics);
        }
    }
    assert_true(dent_sim_hash(first.physics.sim) == dent_sim_hash(second.physics.sim));
    assert_true(dent_sim_hash(first.physics.sim) == dent_sim_hash(third.physics.sim));
    unlink(path);
    physics_close(&first.physics);
    physics_close(&second.physics);
    physics_close(&third.physics);
}

static void joints_that_make_no_sense_are_refused_by_number(void **state)
{
    (void)state;
    for (int n = 0; n < 8; n++) {
        struct linkage linkage;
        const double size[3] = {1, 1, 1};
        dent_sim *sim = NULL;
        linkage_open(&linkage, 1, 0);
        uint32_t box = add_box(&linkage, size, origin);
        dent_sim_joint *joint = add_joint(&linkage, DENT_SIM_JOINT_HINGE, box, UINT32_MAX, origin, along_y);
        joint->body_a = n == 0 ? 7 : box;
        joint->body_b = n == 1 ? box : UINT32_MAX;
        joint->axis[1] = n == 2 ? 0 : 1;
        joint->point[0] = n == 3 ? NAN : 0;
        joint->limited = n == 4;
        joint->lower = 1;
        joint->motor = n == 5 ? DENT_SIM_MOTOR_VELOCITY : DENT_SIM_MOTOR_NONE;
        joint->max_force = -1;
        joint->kind = n == 6 ? (dent_sim_joint_kind)9 : DENT_SIM_JOINT_HINGE;
        joint->struct_size -= n == 7;
        assert_int_equal(dent_sim_create(linkage.physics.context, &linkage.physics.def, &sim),
                         DENT_ERROR_INVALID_ARGUMENT);
        char message[256];
        dent_context_message(linkage.physics.context, message, sizeof message);
        assert_non_null(strstr(message, "joint 0"));
        physics_close(&linkage.physics);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pendulum_has_the_period_of_theory_and_keeps_its_energy),
        cmocka_unit_test(a_spring_has_the_period_of_theory_and_holds_the_weight),
        cmocka_unit_test(a_free_chain_of_hinges_keeps_momentum_and_angular_momentum),
        cmocka_unit_test(limits_hold),
        cmocka_unit_test(a_motor_reaches_its_speed_with_the_torque_asked),
        cmocka_unit_test(a_position_motor_holds_against_gravity),
        cmocka_unit_test(a_light_chain_carries_a_thousand_times_its_mass),
        cmocka_unit_test(a_fixed_joint_is_one_body_and_tells_its_moment),
        cmocka_unit_test(joints_have_the_same_bits_for_threads_and_resumed_runs),
        cmocka_unit_test(joints_that_make_no_sense_are_refused_by_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
