/* The simulator against physics: momentum, rest, a stack, slopes, restitution, thin and fast cloth. The usual tier is a
 * few seconds; with DENT_LONG_TESTS the full figures: 10,000 steps at rest, a simulated minute of the stack, 10,000
 * steps of cloth among spikes. What was measured is printed. */
#include "support_physics.h"

/* Contact begins at twice this distance: bodies are placed that far apart, so that nothing moves at the start. */
#define THICKNESS 0.002

/* A block that stands still, its top at z = 0. */
static uint32_t add_ground(struct physics *physics)
{
    const uint32_t cells[3] = {2, 2, 1};
    const double low[3] = {-4, -4, -4};
    uint32_t ground = physics_add(physics, DENT_SIM_PRESCRIBED, physics_block(cells, 4, low));
    physics->bodies[ground].thickness = THICKNESS;
    return ground;
}

/* ---- momentum ------------------------------------------------------------------------------------------------ */

static void two_soft_blocks_that_collide_keep_their_momentum(void **state)
{
    struct physics physics;
    const uint32_t cells[3] = {3, 3, 3};
    const double left[3] = {-0.35, 0, 0}, right[3] = {0.05, 0.06, 0.03};
    (void)state;
    physics_open(&physics, 1);
    uint32_t a = physics_add(&physics, DENT_SIM_SOLID, physics_block(cells, 0.1, left));
    uint32_t b = physics_add(&physics, DENT_SIM_SOLID, physics_block(cells, 0.1, right));
    physics.bodies[a].linear_velocity[0] = 1.5;
    physics.bodies[b].linear_velocity[0] = -0.5;
    physics.bodies[b].angular_velocity[2] = 1;
    memset(physics.def.gravity, 0, sizeof physics.def.gravity);
    physics_begin(&physics);
    dent_sim_statistics first = dent_sim_get_statistics(physics.sim), now = first;
    double scale = first.linear_momentum[0], worst = 0, worst_angular = 0;
    uint64_t touching = 0;
    for (int step = 0; step < 120; step++) {
        physics_step(&physics);
        now = dent_sim_get_statistics(physics.sim);
        touching += now.touching;
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(now.linear_momentum[k] - first.linear_momentum[k]));
            worst_angular = fmax(worst_angular, fabs(now.angular_momentum[k] - first.angular_momentum[k]));
        }
    }
    printf("momentum: %llu contact forces; largest change %.3g of %.3g kg m/s; angular %.3g kg m^2/s\n",
           (unsigned long long)touching, worst, scale, worst_angular);
    assert_true(touching > 20);
    assert_true(worst <= 1e-11 * scale);
    assert_true(worst_angular <= 0.05 * scale * 0.3);
    assert_true(now.kinetic + now.elastic <= (1 + 1e-9) * (first.kinetic + first.elastic));
    physics_close(&physics);
}

/* ---- rest ---------------------------------------------------------------------------------------------------- */

static void at_rest_no_energy_is_gained(void **state)
{
    struct physics physics;
    const uint32_t cells[3] = {4, 4, 4};
    const double low[3] = {-0.2, -0.2, 2 * THICKNESS};
    int steps = (int)test_count(100, 800, 10000), settle = steps / 4;
    (void)state;
    physics_open(&physics, 1);
    add_ground(&physics);
    uint32_t block = physics_add(&physics, DENT_SIM_SOLID, physics_block(cells, 0.1, low));
    physics.bodies[block].thickness = THICKNESS;
    physics_begin(&physics);
    double first = physics_energy(&physics), highest = first, rest = 0, rest_rise = 0, kinetic = 0, before[3], after[3];
    dent_sim_body_info info;
    assert_true(dent_sim_body(physics.sim, block, &info));
    double scale = info.mass * 9.81 * 0.4, worst_rise = 0, last = first;
    for (int step = 0; step < steps; step++) {
        physics_step(&physics);
        double energy = physics_energy(&physics);
        highest = fmax(highest, energy);
        worst_rise = fmax(worst_rise, energy - last);
        last = energy;
        if (step == settle) {
            rest = energy;
            physics_center(&physics, block, before);
        }
        if (step > settle) {
            rest_rise = fmax(rest_rise, energy - rest);
            kinetic = fmax(kinetic, dent_sim_get_statistics(physics.sim).kinetic);
        }
    }
    physics_center(&physics, block, after);
    printf("rest: %d steps; energy above the start by %.3g, above that after %d steps by %.3g, largest rise in a step "
           "%.3g "
           "of m g L = %.3g J; kinetic at most %.3g J; centre moved %.3g m sideways, %.3g m down\n",
           steps, highest - first, settle, rest_rise, worst_rise, scale, kinetic,
           hypot(after[0] - before[0], after[1] - before[1]), before[2] - after[2]);
    assert_true(highest - first <= 1e-9 * scale);
    assert_true(rest_rise <= 1e-6 * scale);
    physics_close(&physics);
}

/* ---- stack --------------------------------------------------------------------------------------------------- */

static void a_stack_of_ten_soft_blocks_stays(void **state)
{
    enum { BLOCKS = 10 };
    struct physics physics;
    const uint32_t cells[3] = {2, 2, 2};
    const double edge = 0.2;
    double first[BLOCKS][3], settled[BLOCKS][3], worst = 0, worst_settled = 0, penetration = 0, drop = 0;
    int steps = (int)test_count(10, 60, 3600), settle = 300;
    (void)state;
    physics_open(&physics, 2);
    add_ground(&physics);
    /* Soft rubber. Much softer, or much taller, and a column of its own weight buckles: 12 rho g L^3 / (E edge^2) is 6
     * here, and must stay below 7.8. */
    physics.materials[0].young = 4e6;
    for (int i = 0; i < BLOCKS; i++) {
        const double low[3] = {-0.5 * edge, -0.5 * edge, i * edge + (i + 1) * 2 * THICKNESS};
        uint32_t block = physics_add(&physics, DENT_SIM_SOLID, physics_block(cells, 0.5 * edge, low));
        physics.bodies[block].thickness = THICKNESS;
    }
    physics_begin(&physics);
    for (int i = 0; i < BLOCKS; i++) {
        physics_center(&physics, (uint32_t)i + 1, first[i]);
    }
    for (int step = 0; step < steps; step++) {
        physics_step(&physics);
        dent_sim_statistics now = dent_sim_get_statistics(physics.sim);
        penetration = fmax(penetration, now.max_penetration);
        for (int i = 0; i < BLOCKS; i++) {
            double center[3];
            physics_center(&physics, (uint32_t)i + 1, center);
            if (step <= settle) {
                memcpy(settled[i], center, sizeof center);
            }
            worst = fmax(worst, hypot(center[0] - first[i][0], center[1] - first[i][1]));
            if (step > settle) {
                double way = hypot(center[0] - settled[i][0], center[1] - settled[i][1]);
                worst_settled = fmax(worst_settled, hypot(way, center[2] - settled[i][2]));
            }
            drop = first[i][2] - center[2];
        }
    }
    printf("stack: %d steps of 1/60 s; sideways from the start %.3g of an edge, in all directions after %d steps %.3g "
           "of an "
           "edge; the top sank %.3g of an edge by compression; deepest overlap %.3g of an edge; kinetic %.3g J\n",
           steps, worst / edge, settle, worst_settled / edge, drop / edge, penetration / edge,
           dent_sim_get_statistics(physics.sim).kinetic);
    assert_true(worst <= 0.01 * edge);
    assert_true(worst_settled <= 0.01 * edge); /* 0 in the short tier: it has not settled yet */
    physics_close(&physics);
}

/* ---- slopes -------------------------------------------------------------------------------------------------- */

/* Gravity is tilted instead of the ground. Returns the way the block went after the first half of the time. */
static double slide_block(dent_sim_body_kind kind, double friction, double slope, double *acceleration)
{
    struct physics physics;
    const uint32_t cells[3] = {2, 2, 1};
    const double low[3] = {-0.2, -0.2, 2 * THICKNESS};
    int steps = (int)test_count(60, 120, 240);
    double length = sqrt(1 + slope * slope), middle[3] = {0}, end[3], last[3] = {0}, speed_middle = 0, speed_end = 0;
    physics_open(&physics, 1);
    add_ground(&physics);
    uint32_t block = physics_add(&physics, kind, physics_block(cells, 0.2, low));
    physics.bodies[block].thickness = THICKNESS;
    for (int i = 0; i < 2; i++) {
        physics.materials[i].friction_static = physics.materials[i].friction_kinetic = friction;
        physics.materials[i].young = 1e6;
    }
    physics.def.gravity[0] = 9.81 * slope / length;
    physics.def.gravity[2] = -9.81 / length;
    physics_begin(&physics);
    for (int step = 0; step < steps; step++) {
        double center[3];
        physics_step(&physics);
        physics_center(&physics, block, center);
        double speed = (center[0] - last[0]) / physics.def.time_step;
        memcpy(last, center, sizeof center);
        if (step == steps / 2 - 1) {
            memcpy(middle, center, sizeof center);
            speed_middle = speed;
        }
        speed_end = speed;
    }
    physics_center(&physics, block, end);
    *acceleration = (speed_end - speed_middle) / (physics.def.time_step * (steps - steps / 2));
    physics_close(&physics);
    return end[0] - middle[0];
}

static void check_slope(dent_sim_body_kind kind, const char *name)
{
    for (int i = 1; i <= 3; i++) {
        double friction = 0.2 * i, held_by, moving_by, expected, slope = 1.02 * friction;
        double held = slide_block(kind, friction, 0.98 * friction, &held_by);
        double went = slide_block(kind, friction, slope, &moving_by);
        expected = 9.81 * (slope - friction) / sqrt(1 + slope * slope);
        printf(
            "slope, %s, friction %.1f: at 0.98 moved %.3g m; at 1.02 %.3g m, acceleration %.4g, expected %.4g m/s^2\n",
            name, friction, held, went, moving_by, expected);
        assert_true(fabs(held) < 1e-4);
        assert_true(went > 10 * fabs(held) && went > 1e-3);
    }
}

static void a_rigid_block_slides_at_the_coulomb_angle(void **state)
{
    (void)state;
    check_slope(DENT_SIM_RIGID, "rigid");
}

static void a_soft_block_slides_at_the_coulomb_angle(void **state)
{
    (void)state;
    check_slope(DENT_SIM_SOLID, "soft");
}

/* ---- restitution --------------------------------------------------------------------------------------------- */

static double bounce_ball(double restitution)
{
    struct physics physics;
    const double radius = 0.1, center[3] = {0.013, -0.007, 0.6};
    double highest = 0, start, lowest = 1e9;
    physics_open(&physics, 1);
    add_ground(&physics);
    uint32_t ball = physics_add(&physics, DENT_SIM_RIGID, physics_ball(2, radius, center));
    physics.bodies[ball].thickness = THICKNESS;
    for (int i = 0; i < 2; i++) {
        physics.materials[i].restitution = restitution;
        physics.materials[i].friction_static = physics.materials[i].friction_kinetic = 0;
    }
    physics_begin(&physics);
    double at[3], last = center[2];
    physics_center(&physics, ball, at);
    start = at[2];
    bool fell = false;
    for (int step = 0; step < 120; step++) {
        physics_step(&physics);
        physics_center(&physics, ball, at);
        fell = fell || at[2] > last;
        if (!fell) {
            lowest = fmin(lowest, at[2]);
        }
        highest = fell ? fmax(highest, at[2]) : 0;
        if (fell && at[2] < last) {
            break; /* the top of the first bounce */
        }
        last = at[2];
    }
    physics_close(&physics);
    (void)lowest;
    const double touching = radius + 2 * THICKNESS; /* the centre's height in contact */
    return sqrt((highest - touching) / (start - touching));
}

static void a_dropped_rigid_ball_comes_back_with_its_restitution(void **state)
{
    (void)state;
    for (int i = 2; i <= 4; i++) {
        double e = 0.2 * i, measured = bounce_ball(e);
        printf("restitution %.1f: measured %.4f from the height of the first bounce\n", e, measured);
        assert_true(fabs(measured - e) <= 0.02 * e);
    }
}

/* ---- thin and fast ------------------------------------------------------------------------------------------- */

static void fast_cloth_among_spikes_never_crosses(void **state)
{
    struct physics physics;
    const uint32_t cells = 16;
    const double edge = 0.05, low[3] = {-0.4, -0.4, 0};
    int steps = (int)test_count(40, 250, 10000);
    uint64_t crossings = 0, impacts = 0, contacts = 0;
    int busy = 0;
    uint32_t stopped = 0, passes = 0;
    double fastest = 0;
    (void)state;
    physics_open(&physics, 2);
    physics_add(&physics, DENT_SIM_PRESCRIBED, physics_spikes(6, 0.15, -0.6, -0.2));
    physics_add(&physics, DENT_SIM_PRESCRIBED, physics_spikes(6, 0.15, 0.6, 0.2));
    for (int top = 0; top < 2; top++) { /* floor and ceiling, or it slips through between the spikes */
        const uint32_t plate_cells[3] = {4, 4, 1};
        const double plate_low[3] = {-1, -1, top ? 0.62 : -1.12};
        physics_add(&physics, DENT_SIM_PRESCRIBED, physics_block(plate_cells, 0.5, plate_low));
    }
    uint32_t cloth = physics_add(&physics, DENT_SIM_CLOTH, physics_sheet(cells, edge, low));
    physics.materials[1].density = 0.2;
    physics.bodies[cloth].material = 1;
    physics.bodies[cloth].linear_velocity[2] = -20;
    physics_begin(&physics);
    assert_int_equal(physics_crossings(&physics), 0);
    for (int step = 0; step < steps; step++) {
        /* Thrown up and down between the two beds, thirty times as hard as by its weight, and shaken sideways; pulled
         * back to the middle, or it would soon leave them. */
        double center[3];
        physics_center(&physics, cloth, center);
        const double gravity[3] = {(step / 17 % 2 ? 60 : -60) - 100 * center[0],
                                   (step / 23 % 2 ? 60 : -60) - 100 * center[1], step / 20 % 2 ? 300 : -300};
        assert_int_equal(dent_sim_set_gravity(physics.sim, gravity), DENT_OK);
        physics_step(&physics);
        dent_sim_statistics now = dent_sim_get_statistics(physics.sim);
        const double *v = dent_sim_velocities(physics.sim, cloth);
        for (uint32_t i = 0; i < physics.bodies[cloth].vertex_count; i++) {
            fastest =
                fmax(fastest, sqrt(v[3 * i] * v[3 * i] + v[3 * i + 1] * v[3 * i + 1] + v[3 * i + 2] * v[3 * i + 2]));
        }
        impacts += now.impacts;
        contacts += now.contacts;
        busy += now.touching > 0;
        stopped += now.stopped_vertices;
        passes = now.impact_passes > passes ? now.impact_passes : passes;
        crossings = physics_crossings(&physics);
        if (crossings > 0) {
            printf("first crossing at step %d\n", step);
            break;
        }
    }
    printf("cloth among spikes: %d steps, touching in %d, up to %.3g m/s (%.3g edges a step); %llu contacts, %llu "
           "impacts, "
           "%u stops, %u passes; %llu crossing pairs\n",
           steps, busy, fastest, fastest * physics.def.time_step / edge, (unsigned long long)contacts,
           (unsigned long long)impacts, stopped, passes, (unsigned long long)crossings);
    assert_int_equal(crossings, 0);
    assert_true(busy > steps / 2);
    assert_true(impacts > 0 && fastest * physics.def.time_step > edge);
    physics_close(&physics);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_soft_blocks_that_collide_keep_their_momentum),
        cmocka_unit_test(at_rest_no_energy_is_gained),
        cmocka_unit_test(a_stack_of_ten_soft_blocks_stays),
        cmocka_unit_test(a_rigid_block_slides_at_the_coulomb_angle),
        cmocka_unit_test(a_soft_block_slides_at_the_coulomb_angle),
        cmocka_unit_test(a_dropped_rigid_ball_comes_back_with_its_restitution),
        cmocka_unit_test(fast_cloth_among_spikes_never_crosses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
