/* Joints whose rigid bodies touch, hold or are bonded to elastic ones, or are grabbed. */
#include "support_physics.h"

enum { JOINTS = 4, TIES = 16 };

struct machine {
    struct physics physics;
    dent_sim_joint joints[JOINTS];
    dent_sim_attachment ties[TIES];
};

static const double along_y[3] = {0, 1, 0}, along_z[3] = {0, 0, 1};

static void machine_open(struct machine *machine, double gravity)
{
    memset(machine, 0, sizeof *machine);
    physics_open(&machine->physics, 1);
    machine->physics.def.gravity[2] = gravity;
    machine->physics.def.thickness = 1e-3;
    machine->physics.def.joints = machine->joints;
    machine->physics.def.attachments = machine->ties;
}

static uint32_t add_box(struct machine *machine, dent_sim_body_kind kind, uint32_t cells, const double size[3],
                        const double center[3])
{
    const uint32_t counts[3] = {cells, cells, cells};
    struct test_mesh mesh = physics_block(counts, 1.0 / cells, (const double[3]){-0.5, -0.5, -0.5});
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        for (int k = 0; k < 3; k++) {
            mesh.positions[3 * v + (uint32_t)k] = center[k] + size[k] * mesh.positions[3 * v + (uint32_t)k];
        }
    }
    return physics_add(&machine->physics, kind, mesh);
}

static dent_sim_joint *add_joint(struct machine *machine, dent_sim_joint_kind kind, uint32_t a, uint32_t b,
                                 const double point[3], const double axis[3])
{
    dent_sim_joint *joint = &machine->joints[machine->physics.def.joint_count++];
    *joint = dent_sim_joint_default();
    joint->kind = kind;
    joint->body_a = a;
    joint->body_b = b;
    memcpy(joint->point, point, sizeof joint->point);
    memcpy(joint->axis, axis, sizeof joint->axis);
    return joint;
}

/* Ties all vertices of body a that lie at the height z to those of body b at the same place. */
static void tie_at_height(struct machine *machine, uint32_t a, uint32_t b, double z)
{
    const struct test_mesh *first = &machine->physics.meshes[a], *second = &machine->physics.meshes[b];
    for (uint32_t v = 0; v < first->vertex_count; v++) {
        for (uint32_t w = 0; w < second->vertex_count; w++) {
            const double *x = first->positions + 3 * v, *y = second->positions + 3 * w;
            double far = fabs(x[0] - y[0]) + fabs(x[1] - y[1]) + fabs(x[2] - y[2]);
            if (far < 1e-9 && fabs(x[2] - z) < 1e-9) {
                dent_sim_attachment *tie = &machine->ties[machine->physics.def.attachment_count++];
                assert_true(machine->physics.def.attachment_count <= TIES);
                *tie = dent_sim_attachment_default();
                tie->body_a = a;
                tie->vertex_a = v;
                tie->body_b = b;
                tie->vertices_b[0] = w;
                tie->weights_b[0] = 1;
            }
        }
    }
}

static dent_sim_joint_info joint_info(const struct machine *machine, uint32_t joint)
{
    dent_sim_joint_info info;
    assert_true(dent_sim_get_joint(machine->physics.sim, joint, &info));
    return info;
}

static double mass_of(const struct machine *machine, uint32_t body)
{
    dent_sim_body_info info;
    assert_true(dent_sim_body(machine->physics.sim, body, &info));
    return info.mass;
}

/* How far a point of a body that began at `from` is from where it should be. */
static double point_error(const struct machine *machine, uint32_t body, const double from[3], const double to[3])
{
    const struct test_mesh *mesh = &machine->physics.meshes[body];
    const double *now = dent_sim_positions(machine->physics.sim, body);
    const double *rest = mesh->positions, *o = rest, *p = now;
    double moved[3];
    /* The first cell of a box: its corner and the three along the axes are vertices 0, 1, 2 and 4. */
    for (int i = 0; i < 3; i++) {
        double sum = p[i];
        for (int k = 0; k < 3; k++) {
            size_t v = (size_t)(k == 0 ? 1 : k == 1 ? 2 : 4);
            double length = rest[3 * v + (size_t)k] - o[k];
            sum += (from[k] - o[k]) / length * (now[3 * v + (size_t)i] - p[i]);
        }
        moved[i] = sum - to[i];
    }
    return sqrt(moved[0] * moved[0] + moved[1] * moved[1] + moved[2] * moved[2]);
}

static void a_hinged_lever_rests_on_an_elastic_block(void **state)
{
    (void)state;
    struct machine machine;
    const double floor_size[3] = {4, 4, 0.2}, floor_center[3] = {0, 0, -0.3};
    const double block_size[3] = {0.2, 0.2, 0.2}, block_center[3] = {0.9, 0, -0.1};
    const double lever_size[3] = {1, 0.1, 0.05}, lever_center[3] = {0.5, 0, 0.03}, pin[3] = {0, 0, 0.03};
    machine_open(&machine, -9.81);
    machine.physics.materials[0].young = 1e5;
    add_box(&machine, DENT_SIM_PRESCRIBED, 1, floor_size, floor_center);
    uint32_t block = add_box(&machine, DENT_SIM_SOLID, 2, block_size, block_center);
    uint32_t lever = add_box(&machine, DENT_SIM_RIGID, 1, lever_size, lever_center);
    add_joint(&machine, DENT_SIM_JOINT_HINGE, lever, UINT32_MAX, pin, along_y);
    machine.physics.materials[0].damping = 0.05;
    physics_begin(&machine.physics);
    double before = physics_energy(&machine.physics), most = 0, error = 0, force = 0;
    for (int n = 0; n < 180; n++) {
        physics_step(&machine.physics);
        most = fmax(most, physics_energy(&machine.physics) - before);
        error = fmax(error, point_error(&machine, lever, pin, pin));
        force += n >= 150 ? joint_info(&machine, 0).force[2] / 30 : 0;
    }
    double weight = 9.81 * mass_of(&machine, lever), kinetic = dent_sim_get_statistics(machine.physics.sim).kinetic;
    /* The block pushes at 0.8 to 1 m from the hinge. */
    print_message("lever: hinge carries %.4f of the weight, error %.3g m, gain %.3g J of %.3g J, at rest %.3g J; block %u\n",
                  force / weight, error, most, weight, kinetic, block);
    assert_true(force > 0.37 * weight && force < 0.51 * weight);
    assert_true(error < 1e-8 && most < 1e-6 * weight && kinetic < 1e-6 * weight);
    physics_close(&machine.physics);
}

static void joints_hold_what_is_attached_below_them(void **state)
{
    (void)state;
    static const dent_sim_joint_kind kinds[] = {DENT_SIM_JOINT_FIXED, DENT_SIM_JOINT_HINGE, DENT_SIM_JOINT_BALL};
    for (int k = 0; k < 3; k++) {
        struct machine machine;
        const double size[3] = {0.2, 0.2, 0.2}, upper[3] = {0, 0, -0.1}, lower[3] = {0, 0, -0.3}, soft[3] = {0, 0, -0.5};
        const double top[3] = {0, 0, 0}, middle[3] = {0, 0, -0.2};
        machine_open(&machine, -9.81);
        machine.physics.materials[0].young = 1e6;
        machine.physics.materials[0].damping = 0.02;
        uint32_t a = add_box(&machine, DENT_SIM_RIGID, 1, size, upper), b = add_box(&machine, DENT_SIM_RIGID, 1, size, lower);
        uint32_t c = add_box(&machine, DENT_SIM_SOLID, 1, size, soft);
        tie_at_height(&machine, c, b, -0.4);
        assert_int_equal(machine.physics.def.attachment_count, 4);
        add_joint(&machine, kinds[k], a, UINT32_MAX, top, along_y);
        add_joint(&machine, kinds[k], b, a, middle, along_y);
        physics_begin(&machine.physics);
        double weight = 9.81 * (mass_of(&machine, a) + mass_of(&machine, b) + mass_of(&machine, c)), force = 0, error = 0;
        for (int n = 0; n < 180; n++) {
            physics_step(&machine.physics);
            error = fmax(error, point_error(&machine, a, top, top));
            force += n >= 120 ? joint_info(&machine, 0).force[2] / 60 : 0;
        }
        print_message("%s: holds %.6f of the weight, error %.3g m\n", dent_sim_joint_kind_name(kinds[k]), force / weight,
                      error);
        assert_true(fabs(force - weight) < 1e-3 * weight && error < 1e-8);
        physics_close(&machine.physics);
    }
}

static void a_free_chain_with_an_elastic_end_keeps_momentum_and_gains_no_energy(void **state)
{
    (void)state;
    struct machine machine;
    const double size[3] = {0.2, 0.2, 0.2}, upper[3] = {0, 0, 0.2}, lower[3] = {0, 0, 0}, soft[3] = {0, 0, -0.2};
    const double middle[3] = {0, 0, 0.1};
    machine_open(&machine, 0);
    machine.physics.materials[0].young = 1e6;
    uint32_t a = add_box(&machine, DENT_SIM_RIGID, 1, size, upper), b = add_box(&machine, DENT_SIM_RIGID, 1, size, lower);
    uint32_t c = add_box(&machine, DENT_SIM_SOLID, 1, size, soft);
    machine.physics.bodies[a].linear_velocity[0] = 1;
    machine.physics.bodies[a].angular_velocity[1] = 3;
    tie_at_height(&machine, c, b, -0.1);
    add_joint(&machine, DENT_SIM_JOINT_BALL, b, a, middle, along_y);
    physics_begin(&machine.physics);
    dent_sim_statistics before = dent_sim_get_statistics(machine.physics.sim), after;
    double start = physics_energy(&machine.physics), most = 0;
    for (int n = 0; n < 120; n++) {
        physics_step(&machine.physics);
        most = fmax(most, physics_energy(&machine.physics) - start);
    }
    after = dent_sim_get_statistics(machine.physics.sim);
    print_message("chain: gains %.3g of its energy, keeps %.3g; momentum %.3g of %.3g\n", most / start,
                  physics_energy(&machine.physics) / start, after.linear_momentum[0] - before.linear_momentum[0],
                  before.linear_momentum[0]);
    for (int k = 0; k < 3; k++) {
        assert_true(fabs(after.linear_momentum[k] - before.linear_momentum[k]) < 1e-9 * before.linear_momentum[0]);
    }
    assert_true(most < 1e-6 * start);
    physics_close(&machine.physics);
}

static void a_slider_falls_on_an_elastic_block(void **state)
{
    (void)state;
    struct machine machine;
    const double floor_size[3] = {4, 4, 0.2}, floor_center[3] = {0, 0, -0.1}, size[3] = {0.2, 0.2, 0.2};
    const double soft[3] = {0.05, 0, 0.102}, box[3] = {0, 0, 0.35};
    machine_open(&machine, -9.81);
    machine.physics.materials[0].young = 1e6;
    machine.physics.materials[0].damping = 0.02;
    add_box(&machine, DENT_SIM_PRESCRIBED, 1, floor_size, floor_center);
    add_box(&machine, DENT_SIM_SOLID, 2, size, soft);
    uint32_t rigid = add_box(&machine, DENT_SIM_RIGID, 1, size, box);
    add_joint(&machine, DENT_SIM_JOINT_SLIDER, rigid, UINT32_MAX, box, along_z);
    physics_begin(&machine.physics);
    double before = physics_energy(&machine.physics), most = 0, aside = 0, center[3];
    for (int n = 0; n < 180; n++) {
        physics_step(&machine.physics);
        most = fmax(most, physics_energy(&machine.physics) - before);
        physics_center(&machine.physics, rigid, center);
        aside = fmax(aside, hypot(center[0], center[1]));
    }
    double weight = 9.81 * mass_of(&machine, rigid), speed = joint_info(&machine, 0).speed;
    print_message("slider: at %.6f m, %.3g m aside, %.3g m/s, gain %.3g J\n", center[2], aside, speed, most);
    assert_true(aside < 1e-8 && fabs(speed) < 1e-3 && center[2] > 0.25 && center[2] < 0.32);
    assert_true(most < 1e-6 * weight);
    physics_close(&machine.physics);
}

static void a_motor_turns_what_carries_an_elastic_body(void **state)
{
    (void)state;
    struct machine machine;
    const double size[3] = {0.2, 0.2, 0.2}, box[3] = {0, 0, 0}, soft[3] = {0, 0, -0.2};
    machine_open(&machine, 0);
    machine.physics.materials[0].young = 1e6;
    uint32_t a = add_box(&machine, DENT_SIM_RIGID, 1, size, box), c = add_box(&machine, DENT_SIM_SOLID, 1, size, soft);
    tie_at_height(&machine, c, a, -0.1);
    dent_sim_joint *motor = add_joint(&machine, DENT_SIM_JOINT_HINGE, a, UINT32_MAX, box, along_y);
    motor->motor = DENT_SIM_MOTOR_VELOCITY;
    motor->target = 3;
    motor->max_force = 20;
    physics_begin(&machine.physics);
    for (int n = 0; n < 120; n++) {
        physics_step(&machine.physics);
    }
    dent_sim_joint_info info = joint_info(&machine, 0);
    double center[3], arm;
    physics_center(&machine.physics, c, center);
    arm = sqrt(center[0] * center[0] + center[2] * center[2]);
    print_message("motor: %.6f rad/s, the elastic end %.4f m from the hinge\n", info.speed, arm);
    assert_true(fabs(info.speed - 3) < 0.02 && fabs(arm - 0.2) < 0.005);
    physics_close(&machine.physics);
}

static void a_grabbed_pendulum_stays_on_its_hinge(void **state)
{
    (void)state;
    struct machine machine;
    const double size[3] = {0.1, 0.1, 0.4}, center[3] = {0, 0, -0.2}, top[3] = {0, 0, 0}, target[3] = {0.5, 0, -0.1};
    machine_open(&machine, -9.81);
    uint32_t box = add_box(&machine, DENT_SIM_RIGID, 1, size, center);
    add_joint(&machine, DENT_SIM_JOINT_HINGE, box, UINT32_MAX, top, along_y);
    physics_begin(&machine.physics);
    assert_int_equal(dent_sim_grab(machine.physics.sim, box, 0, target), DENT_OK);
    double error = 0;
    for (int n = 0; n < 120; n++) {
        physics_step(&machine.physics);
        error = fmax(error, point_error(&machine, box, top, top));
    }
    dent_sim_joint_info info = joint_info(&machine, 0);
    print_message("grabbed: at %.4f rad, %.3g rad/s, error %.3g m\n", info.position, info.speed, error);
    assert_true(error < 1e-6 && fabs(info.position) > 0.5 && fabs(info.speed) < 0.1);
    physics_close(&machine.physics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_hinged_lever_rests_on_an_elastic_block),
        cmocka_unit_test(joints_hold_what_is_attached_below_them),
        cmocka_unit_test(a_free_chain_with_an_elastic_end_keeps_momentum_and_gains_no_energy),
        cmocka_unit_test(a_slider_falls_on_an_elastic_block),
        cmocka_unit_test(a_motor_turns_what_carries_an_elastic_body),
        cmocka_unit_test(a_grabbed_pendulum_stays_on_its_hinge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
