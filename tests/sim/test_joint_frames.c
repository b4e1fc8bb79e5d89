/* Joints with prescribed bodies that stand still, and many of them: a door in its frame, a chain of thirty links. */
#include "support_physics.h"

#include <string.h>

enum { LINKS = 30 };

static struct test_mesh box_about(const double size[3], const double center[3])
{
    struct test_mesh mesh = physics_block((const uint32_t[3]){1, 1, 1}, 1, (const double[3]){-0.5, -0.5, -0.5});
    for (uint32_t n = 0; n < 3 * mesh.vertex_count; n++) {
        mesh.positions[n] = center[n % 3] + size[n % 3] * mesh.positions[n];
    }
    return mesh;
}

/* A door whose edge lies in the post it hangs on; its centre after a while. */
static void swing_door(bool on_post, bool collide, uint32_t mask, double center[3])
{
    const double post[3] = {0.2, 0.2, 1}, leaf[3] = {0.8, 0.04, 0.9}, at[3] = {0, 0, 0}, middle[3] = {0.4, 0, 0};
    struct physics physics;
    physics_open(&physics, 1);
    uint32_t frame = physics_add(&physics, DENT_SIM_PRESCRIBED, box_about(post, at));
    uint32_t door = physics_add(&physics, DENT_SIM_RIGID, box_about(leaf, middle));
    physics.bodies[frame].collision_mask = mask;
    physics.bodies[door].angular_velocity[2] = 1;
    physics.bodies[door].linear_velocity[1] = 0.4;
    dent_sim_joint joint = dent_sim_joint_default();
    joint.kind = DENT_SIM_JOINT_HINGE;
    joint.body_a = door;
    joint.body_b = on_post ? frame : UINT32_MAX;
    joint.collide = collide;
    joint.limited = true;
    joint.lower = -0.5;
    joint.upper = 0.5;
    physics.def.joints = &joint;
    physics.def.joint_count = 1;
    physics_begin(&physics);
    for (int n = 0; n < 20; n++) {
        physics_step(&physics);
    }
    physics_center(&physics, door, center);
    physics_close(&physics);
}

static void a_door_swings_in_a_still_frame_as_it_would_on_the_world(void **state)
{
    (void)state;
    double on_world[3], on_post[3], hindered[3];
    swing_door(false, false, 0, on_world);
    swing_door(true, false, UINT32_MAX, on_post);
    swing_door(true, true, UINT32_MAX, hindered);
    print_message("door at %.6f %.6f; with contact at %.6f %.6f\n", on_post[0], on_post[1], hindered[0], hindered[1]);
    assert_memory_equal(on_post, on_world, sizeof on_post);
    assert_true(fabs(atan2(on_post[1], on_post[0]) - 1.0 / 3) < 0.01); /* 1 rad/s for a third of a second */
    assert_true(memcmp(hindered, on_world, sizeof hindered) != 0);
}

static void a_frame_that_moves_is_refused_by_the_number_of_the_joint(void **state)
{
    (void)state;
    const double size[3] = {0.1, 0.1, 0.1}, at[3] = {0, 0, 0}, beside[3] = {0.2, 0, 0};
    const dent_sim_keyframe keys[2] = {{.time = 0, .rotation = {1, 0, 0, 0}}, {.time = 1, .rotation = {1, 0, 0, 0}}};
    struct physics physics;
    char message[300];
    physics_open(&physics, 1);
    uint32_t frame = physics_add(&physics, DENT_SIM_PRESCRIBED, box_about(size, at));
    dent_sim_joint joint = dent_sim_joint_default();
    joint.body_a = physics_add(&physics, DENT_SIM_RIGID, box_about(size, beside));
    joint.body_b = frame;
    physics.bodies[frame].motion.keyframes = keys;
    physics.bodies[frame].motion.keyframe_count = 2;
    physics.def.joints = &joint;
    physics.def.joint_count = 1;
    dent_sim *sim = NULL;
    assert_int_equal(dent_sim_create(physics.context, &physics.def, &sim), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(physics.context, message, sizeof message);
    assert_non_null(strstr(message, "joint 0: it must connect"));
    physics_close(&physics);
}

/* Every second joint is a hinge; the chain starts level and falls. */
static void a_chain_of_thirty_links_stays_together_and_gains_no_energy(void **state)
{
    (void)state;
    const double size[3] = {0.1, 0.05, 0.05}, post[3] = {0.1, 0.1, 0.1}, at[3] = {-0.05, 0, 0};
    struct physics physics;
    static dent_sim_joint joints[LINKS];
    physics_open(&physics, 1);
    uint32_t before = physics_add(&physics, DENT_SIM_PRESCRIBED, box_about(post, at));
    for (int n = 0; n < LINKS; n++) {
        const double center[3] = {0.1 * n + 0.05, 0, 0};
        uint32_t link = physics_add(&physics, DENT_SIM_RIGID, box_about(size, center));
        joints[n] = dent_sim_joint_default();
        joints[n].kind = n % 2 ? DENT_SIM_JOINT_HINGE : DENT_SIM_JOINT_BALL;
        joints[n].axis[1] = 1;
        joints[n].axis[2] = 0;
        joints[n].body_a = link;
        joints[n].body_b = before;
        joints[n].point[0] = 0.1 * n;
        before = link;
    }
    physics.def.joints = joints;
    physics.def.joint_count = LINKS;
    physics_begin(&physics);
    double start = physics_energy(&physics), highest = start, widest = 0;
    for (uint64_t n = 0, steps = test_count(15, 60, 240); n < steps; n++) {
        physics_step(&physics);
        highest = fmax(highest, physics_energy(&physics));
        for (int k = 1; k < LINKS; k++) {
            double a[3], b[3], square = 0;
            physics_center(&physics, (uint32_t)k, a);
            physics_center(&physics, (uint32_t)k + 1, b);
            for (int axis = 0; axis < 3; axis++) {
                square += (a[axis] - b[axis]) * (a[axis] - b[axis]);
            }
            widest = fmax(widest, sqrt(square));
        }
    }
    print_message("centres at most %.9f m apart, energy above its start by %.3g J\n", widest, highest - start);
    assert_true(widest < 0.1 + 1e-6); /* two halves of a link, straight */
    assert_true(highest - start <= 1e-6 * 7.5 * 9.81 * 1.5);
    physics_close(&physics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_door_swings_in_a_still_frame_as_it_would_on_the_world),
        cmocka_unit_test(a_frame_that_moves_is_refused_by_the_number_of_the_joint),
        cmocka_unit_test(a_chain_of_thirty_links_stays_together_and_gains_no_energy),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
