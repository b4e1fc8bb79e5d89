/* What a body loses that is stopped at an impact: the rest of its substep, and nothing else. A box is thrown at a wall and
 * back, slowly (contacts hold it) and fast (it is stopped at the time of contact). Where it should be follows from its
 * speed and the distance; how late it is, in substeps, is measured. */
#include "support_physics.h"

struct lag {
    double mean, least, most; /* substeps */
    double gain;              /* of kinetic energy, over that at the start */
    uint64_t stops;
    int count;
};

static struct test_mesh box_mesh(const double low[3], const double size[3])
{
    struct test_mesh mesh = physics_block((const uint32_t[3]){1, 1, 1}, 1, (const double[3]){0, 0, 0});
    for (uint32_t n = 0; n < 3 * mesh.vertex_count; n++) {
        mesh.positions[n] = low[n % 3] + size[n % 3] * mesh.positions[n];
    }
    return mesh;
}

/* Flies `distance` to a wall at x = 0 and as far back as it comes in as many steps again. */
static void throw_box(double speed, double distance, double restitution, uint32_t substeps, struct lag *lag)
{
    struct physics physics;
    const double wall[3] = {-1, -1, -1}, wall_size[3] = {1, 2, 2};
    const double low[3] = {distance, -0.1, -0.1}, size[3] = {0.2, 0.2, 0.2};
    physics_open(&physics, 1);
    physics.def.thickness = 1e-5;
    physics.def.substeps = substeps;
    memset(physics.def.gravity, 0, sizeof physics.def.gravity);
    physics.materials[0].restitution = restitution;
    physics_add(&physics, DENT_SIM_PRESCRIBED, box_mesh(wall, wall_size));
    uint32_t box = physics_add(&physics, DENT_SIM_RIGID, box_mesh(low, size));
    physics.bodies[box].linear_velocity[0] = -speed;
    physics_begin(&physics);
    double start[3], end[3], first = dent_sim_get_statistics(physics.sim).kinetic;
    physics_center(&physics, box, start);
    int steps = (int)(2 * distance / speed / physics.def.time_step) + 2;
    for (int n = 0; n < steps; n++) {
        physics_step(&physics);
        dent_sim_statistics now = dent_sim_get_statistics(physics.sim);
        lag->gain = fmax(lag->gain, now.kinetic / first - 1);
        lag->stops += now.stopped_vertices > 0;
    }
    physics_center(&physics, box, end);
    double left = steps * physics.def.time_step - distance / speed; /* after the impact */
    double truth = start[0] - distance + restitution * speed * left;
    double substep = physics.def.time_step / substeps;
    double behind = (truth - end[0]) / (restitution * speed * substep);
    lag->mean += behind;
    lag->least = fmin(lag->least, behind);
    lag->most = fmax(lag->most, behind);
    lag->count++;
    physics_close(&physics);
}

static void a_stopped_body_is_late_by_at_most_what_a_contact_costs_anyway(void **state)
{
    (void)state;
    static const double speeds[] = {0.5, 30, 120}, restitutions[] = {1, 0.5};
    static const uint32_t substeps[] = {1, 4, 16};
    for (int e = 0; e < 2; e++) {
        for (int s = 0; s < 3; s++) {
            for (int n = 0; n < 3; n++) {
                struct lag lag = {.least = INFINITY, .most = -INFINITY, .gain = -INFINITY};
                for (int shot = 0; shot < 12; shot++) { /* impacts at all parts of a substep */
                    double distance = speeds[s] / 60 * (2 + 0.0831 * shot);
                    throw_box(speeds[s], distance, restitutions[e], substeps[n], &lag);
                }
                lag.mean /= lag.count;
                print_message("%5g m/s, restitution %g, %2u substeps: %llu stops in %d throws, late by %.3f substeps (%.3f "
                              "to %.3f), energy %+.1e\n",
                              speeds[s], restitutions[e], substeps[n], (unsigned long long)lag.stops, lag.count,
                              lag.mean, lag.least, lag.most, lag.gain);
                assert_true(lag.gain <= 1e-12);
                assert_true(lag.least > -1.1 && lag.most < 2.1);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stopped_body_is_late_by_at_most_what_a_contact_costs_anyway),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
