/* Random heaps of rigid bodies, joints among them: no number stops being finite, and nothing gains energy.
 *
 *   DENT_QUICK_TESTS 60 starts, default 200, DENT_LONG_TESTS 4,000; DENT_STARTS another number, DENT_START one of them */
#include "support_physics.h"

enum { MOST_BODIES = 9, MOST_JOINTS = 6 };

struct heap {
    dent_random random;
    struct physics physics;
    dent_sim_joint joints[MOST_JOINTS];
    bool overlaps;
};

static double uniform(struct heap *heap, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(dent_random_bits(&heap->random) >> 11) * 0x1p-53);
}

static uint32_t below(struct heap *heap, uint32_t count)
{
    return (uint32_t)(dent_random_bits(&heap->random) % count);
}

static void turn_mesh(struct heap *heap, struct test_mesh *mesh, const double center[3])
{
    double q[4], length = 0;
    for (int k = 0; k < 4; k++) {
        q[k] = uniform(heap, -1, 1);
        length += q[k] * q[k];
    }
    for (int k = 0; k < 4; k++) {
        q[k] /= sqrt(length);
    }
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        double *x = mesh->positions + 3 * v, t[3];
        t[0] = 2 * (q[2] * x[2] - q[3] * x[1]);
        t[1] = 2 * (q[3] * x[0] - q[1] * x[2]);
        t[2] = 2 * (q[1] * x[1] - q[2] * x[0]);
        double moved[3] = {x[0] + q[0] * t[0] + q[2] * t[2] - q[3] * t[1],
                           x[1] + q[0] * t[1] + q[3] * t[0] - q[1] * t[2],
                           x[2] + q[0] * t[2] + q[1] * t[1] - q[2] * t[0]};
        for (int k = 0; k < 3; k++) {
            x[k] = moved[k] + center[k];
        }
    }
}

/* In a grid with room to turn, or all in one place. */
static void add_body(struct heap *heap, uint32_t number)
{
    double center[3], half = 0.1;
    for (int k = 0; k < 3; k++) {
        double cell = 0.5 * (number / (k == 0 ? 1u : k == 1 ? 2u : 4u) % 2) + (k == 2 ? 0.4 : 0);
        center[k] = heap->overlaps ? uniform(heap, -0.15, 0.15) + (k == 2 ? 0.4 : 0) : cell;
    }
    struct test_mesh mesh = below(heap, 3) ? physics_block((const uint32_t[3]){1, 1, 1 + below(heap, 2)}, half,
                                                           (const double[3]){-0.5 * half, -0.5 * half, -0.5 * half})
                                           : physics_ball(1, half, (const double[3]){0, 0, 0});
    turn_mesh(heap, &mesh, center);
    uint32_t body = physics_add(&heap->physics, DENT_SIM_RIGID, mesh);
    dent_sim_body_def *def = &heap->physics.bodies[body];
    def->density = pow(10, uniform(heap, 2, 4));
    double speed = below(heap, 2) ? 0 : pow(10, uniform(heap, -1, 2.5));
    for (int k = 0; k < 3; k++) {
        def->linear_velocity[k] = speed * uniform(heap, -1, 1);
        def->angular_velocity[k] = 10 * speed * uniform(heap, -1, 1);
    }
}

static void add_joints(struct heap *heap, uint32_t bodies)
{
    static const dent_sim_joint_kind kinds[] = {DENT_SIM_JOINT_FIXED, DENT_SIM_JOINT_HINGE, DENT_SIM_JOINT_BALL,
                                                DENT_SIM_JOINT_SLIDER};
    uint32_t count = below(heap, 2) ? 0 : below(heap, MOST_JOINTS);
    for (uint32_t n = 0; n < count && n + 2 <= bodies; n++) { /* a chain, or a chain that hangs */
        dent_sim_joint *joint = &heap->joints[heap->physics.def.joint_count++];
        *joint = dent_sim_joint_default();
        joint->kind = kinds[below(heap, 4)];
        joint->body_a = n + 2;
        joint->body_b = n == 0 ? UINT32_MAX : n + 1;
        joint->limited = joint->kind == DENT_SIM_JOINT_HINGE && below(heap, 2);
        joint->lower = -0.5;
        joint->upper = 0.5;
        for (int k = 0; k < 3; k++) {
            joint->point[k] = uniform(heap, -0.2, 0.6);
            joint->axis[k] = uniform(heap, -1, 1);
        }
    }
    heap->physics.def.joints = heap->joints;
}

static void make_heap(struct heap *heap, uint64_t number)
{
    memset(heap, 0, sizeof *heap);
    heap->random = dent_random_seeded(number);
    heap->overlaps = below(heap, 4) == 0;
    physics_open(&heap->physics, 1);
    struct physics *physics = &heap->physics;
    physics->materials[0].restitution = below(heap, 2) ? 0 : uniform(heap, 0, 1);
    physics->materials[0].friction_static = uniform(heap, 0, 1);
    physics->materials[0].friction_kinetic = physics->materials[0].friction_static * uniform(heap, 0, 1);
    physics_add(physics, DENT_SIM_PRESCRIBED,
                physics_block((const uint32_t[3]){4, 4, 1}, 1, (const double[3]){-2, -2, -1}));
    uint32_t bodies = 2 + below(heap, MOST_BODIES - 2);
    for (uint32_t n = 0; n < bodies; n++) {
        add_body(heap, n);
    }
    add_joints(heap, bodies);
    physics->def.time_step = below(heap, 2) ? 1.0 / 60 : pow(10, uniform(heap, -3, -1));
    physics->def.substeps = 1 + below(heap, 10);
    physics->def.gravity[2] = below(heap, 3) ? -9.81 : 0;
}

static bool is_finite(const struct heap *heap)
{
    dent_sim_statistics statistics = dent_sim_get_statistics(heap->physics.sim);
    return isfinite(statistics.kinetic) && isfinite(statistics.potential);
}

/* Energy above its start, as a share of what there is to gain: kinetic energy, or a fall of a metre. */
static double gain_of(struct heap *heap)
{
    physics_begin(&heap->physics);
    double before = physics_energy(&heap->physics), most = 0, mass = 0;
    dent_sim_statistics start = dent_sim_get_statistics(heap->physics.sim);
    for (uint32_t b = 1; b < heap->physics.def.body_count; b++) {
        dent_sim_body_info info;
        dent_sim_body(heap->physics.sim, b, &info);
        mass += info.mass;
    }
    double scale = start.kinetic - heap->physics.def.gravity[2] * mass;
    for (int n = 0; n < 12; n++) {
        physics_step(&heap->physics);
        assert_true(is_finite(heap));
        most = fmax(most, physics_energy(&heap->physics) - before);
    }
    return scale > 0 ? most / scale : most;
}

static void random_heaps_stay_finite_and_gain_no_energy(void **state)
{
    (void)state;
    uint64_t count = getenv("DENT_STARTS") ? strtoull(getenv("DENT_STARTS"), NULL, 10) : test_count(60, 200, 4000);
    uint64_t first = getenv("DENT_START") ? strtoull(getenv("DENT_START"), NULL, 10) : 0;
    count = getenv("DENT_START") ? 1 : count;
    double worst[2] = {0, 0};
    uint32_t failures = 0;
    for (uint64_t n = first; n < first + count; n++) {
        struct heap heap;
        make_heap(&heap, n);
        double gain = gain_of(&heap);
        bool free = !heap.overlaps;
        worst[free] = fmax(worst[free], gain);
        if (free && gain > 1e-6) {
            failures++;
            print_message("start %llu gains %.3g of its energy (joints %u)\n", (unsigned long long)n, gain,
                          heap.physics.def.joint_count);
        }
        physics_close(&heap.physics);
    }
    print_message("%llu starts: energy above the start by %.3g of it, where bodies begin in one another by %.3g\n",
                  (unsigned long long)count, worst[1], worst[0]);
    assert_int_equal(failures, 0);
    assert_true(worst[0] < 1); /* lifted by what lies below, at most a metre */
}

/* Bodies turn by radians in a substep, with speeds that their joints do not allow. */
static void bodies_that_begin_against_their_joints_gain_no_energy(void **state)
{
    (void)state;
    struct heap heap;
    make_heap(&heap, 1395);
    assert_true(heap.physics.def.joint_count > 0 && !heap.overlaps);
    assert_true(gain_of(&heap) < 1e-6);
    physics_close(&heap.physics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_heaps_stay_finite_and_gain_no_energy),
                                       cmocka_unit_test(bodies_that_begin_against_their_joints_gain_no_energy)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
