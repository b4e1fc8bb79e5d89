/* What the responses do to particles and rigid bodies whose motion is known. Everything here runs with an integrator of
 * a few lines: the responses are used alone. */
#include "support_response.h"

static dent_context *context;
static dent_response *response;

static int open_context(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    context = dent_context_create(&def, NULL);
    response = dent_response_create(context);
    return response ? 0 : 1;
}

static int close_context(void **state)
{
    (void)state;
    dent_response_destroy(response);
    dent_context_destroy(context);
    return 0;
}

static const double up[3] = {0, 0, 1};

/* ---- restitution --------------------------------------------------------------------------------------------- */

static void a_particle_leaves_with_restitution_times_its_speed(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(4);
    dent_velocity_def def = dent_velocity_def_default();
    def.warm_start = 0;
    for (int i = 0; i < 1000; i++) {
        struct particle particle;
        double e = dent_random_unit(&random), speed = 0.1 + 10 * dent_random_unit(&random);
        particle_init(&particle, 0.1 + dent_random_unit(&random), 0.01);
        particle.problem.material = (dent_contact_material){0, 0, e, 0};
        particle.position[2] = 1e-4;
        particle.velocity[2] = -speed;
        particle_detect(&particle, up);
        assert_int_equal(dent_velocity_solve(response, &particle.problem, &def, NULL), DENT_OK);
        assert_true(fabs(particle.velocity[2] - e * speed) <= 1e-12 * speed);
    }
}

static void a_thousand_elastic_bounces_between_plates_keep_the_speed(void **state)
{
    (void)state;
    struct particle particle;
    dent_velocity_def def = dent_velocity_def_default();
    particle_init(&particle, 2, 0.01);
    particle.problem.material = (dent_contact_material){0, 0, 1, 0};
    particle.position[2] = 0.5;
    particle.velocity[2] = 1.7;
    particle.problem.previous = NULL;
    particle.problem.previous_count = 0;
    int bounces = 0;
    for (int step = 0; bounces < 1000; step++) {
        bool lower = particle.velocity[2] < 0;
        double normal[3] = {0, 0, lower ? 1 : -1}, before = particle.velocity[2];
        particle_detect(&particle, normal);
        particle.contact.gap += lower ? 0 : 1; /* plates at 0 and 1 */
        assert_int_equal(dent_velocity_solve(response, &particle.problem, &def, NULL), DENT_OK);
        bounces += before * particle.velocity[2] < 0;
        particle.position[2] += 0.01 * particle.velocity[2];
        assert_true(step < 200000);
    }
    assert_true(fabs(fabs(particle.velocity[2]) - 1.7) < 1e-9);
}

/* A rigid ball with a contact at its lowest point; position solve, then the velocity pass. */
static double drop_ball(double restitution, double time_step)
{
    dent_rigid_state ball = {0}, start;
    double radius = 0.1, velocity_before;
    dent_response_body bodies[2];
    dent_contact contact;
    dent_contact_force memory;
    dent_response_problem problem = dent_response_problem_default();
    memset(bodies, 0, sizeof bodies);
    ball.inverse_mass = 1 / 3.0;
    for (int i = 0; i < 3; i++) {
        ball.inverse_inertia[4 * i] = ball.inverse_mass / (0.4 * radius * radius);
    }
    ball.orientation[0] = 1;
    ball.center[2] = 1 + radius;
    bodies[0].rigid = &ball;
    bodies[0].rigid_start = &start;
    problem.contacts = &contact;
    problem.contact_count = 1;
    problem.bodies = bodies;
    problem.body_count = 2;
    problem.time_step = time_step;
    problem.material.restitution = restitution;
    problem.forces = &memory;
    dent_position_def position = dent_position_def_default();
    dent_velocity_def bounce = dent_velocity_def_default();
    bounce.after_positions = true;
    bounce.restitution_threshold = 2 * 9.81 * time_step;
    bounce.iterations = 2;
    for (int step = 0; step < 100000; step++) {
        velocity_before = ball.linear_velocity[2];
        start = ball;
        ball.linear_velocity[2] -= 9.81 * time_step;
        dent_rigid_advance(&ball, time_step);
        contact = plain_contact(1, 0, UINT32_MAX, 1, UINT32_MAX, up, start.center[2] - radius);
        contact.point_a[2] = start.center[2] - radius;
        contact.point_a[0] = contact.point_b[0] = start.center[0];
        bodies[0].rigid_detected = &start;
        problem.previous = NULL;
        problem.previous_count = 0;
        assert_int_equal(dent_position_solve(response, &problem, &position, NULL), DENT_OK);
        dent_rigid_velocity_between(&start, &ball, time_step);
        problem.previous = &memory;
        problem.previous_count = 1;
        assert_int_equal(dent_velocity_solve(response, &problem, &bounce, NULL), DENT_OK);
        if (ball.linear_velocity[2] > 0) {
            return ball.linear_velocity[2] / -velocity_before;
        }
    }
    return -1;
}

static void a_dropped_rigid_ball_bounces_with_its_restitution(void **state)
{
    (void)state;
    for (int i = 2; i <= 10; i++) {
        double e = 0.1 * i, measured = drop_ball(e, 1.0 / 600);
        assert_true(fabs(measured - e) <= 0.02 * e);
    }
}

/* ---- slopes -------------------------------------------------------------------------------------------------- */

enum { PENALTY, POSITION, VELOCITY };

/* Slides a particle on a slope for a while; returns the way it went along the slope, and its acceleration. */
static double slide(int kind, double friction, double slope, double *acceleration)
{
    struct particle particle;
    double dt = 1.0 / 1000, length = sqrt(1 + slope * slope), last_speed = 0, middle_speed = 0;
    double normal[3] = {slope / length, 0, 1 / length}, along[3] = {1 / length, 0, -slope / length}, gravity = -9.81;
    enum { STEPS = 2000 };
    particle_init(&particle, 0.7, dt);
    particle.problem.material = (dent_contact_material){friction, friction, 0, 0};
    dent_penalty_def penalty = dent_penalty_def_default();
    dent_position_def position = dent_position_def_default();
    dent_velocity_def velocity = dent_velocity_def_default();
    for (int step = 0; step < STEPS; step++) {
        memcpy(particle.start, particle.position, sizeof particle.position);
        particle_detect(&particle, normal);
        if (kind == PENALTY) {
            memset(particle.force, 0, sizeof particle.force);
            assert_int_equal(dent_penalty_forces(response, &particle.problem, &penalty, NULL), DENT_OK);
            for (int i = 0; i < 3; i++) {
                particle.velocity[i] += dt * particle.force[i] * particle.inverse_mass;
            }
        }
        particle.velocity[2] += gravity * dt;
        if (kind == VELOCITY) {
            assert_int_equal(dent_velocity_solve(response, &particle.problem, &velocity, NULL), DENT_OK);
        }
        for (int i = 0; i < 3; i++) {
            particle.position[i] += dt * particle.velocity[i];
        }
        if (kind == POSITION) {
            assert_int_equal(dent_position_solve(response, &particle.problem, &position, NULL), DENT_OK);
            for (int i = 0; i < 3; i++) {
                particle.velocity[i] = (particle.position[i] - particle.start[i]) / dt;
            }
        }
        last_speed = 0;
        for (int i = 0; i < 3; i++) {
            last_speed += along[i] * particle.velocity[i];
        }
        middle_speed = step == STEPS / 2 - 1 ? last_speed : middle_speed;
    }
    *acceleration = (last_speed - middle_speed) / (dt * STEPS / 2);
    double way = 0;
    for (int i = 0; i < 3; i++) {
        way += along[i] * particle.position[i];
    }
    return way;
}

static void slopes_stick_and_slide_at_the_coulomb_angle(void **state)
{
    (void)state;
    for (int kind = PENALTY; kind <= VELOCITY; kind++) {
        for (int i = 1; i <= 4; i++) {
            double friction = 0.2 * i, acceleration;
            double held = slide(kind, friction, 0.98 * friction, &acceleration);
            assert_true(fabs(held) < 1e-3 && fabs(acceleration) < 1e-3);
            double slope = 1.02 * friction, sine = slope / sqrt(1 + slope * slope),
                   cosine = 1 / sqrt(1 + slope * slope);
            double went = slide(kind, friction, slope, &acceleration);
            double expected = 9.81 * (sine - friction * cosine);
            assert_true(went > 0.5 * expected * 2 * 2 * 0.9);
            assert_true(fabs(acceleration - expected) < 0.01 * expected);
        }
    }
}

/* ---- rest ---------------------------------------------------------------------------------------------------- */

static void a_resting_particle_gains_no_energy_in_ten_thousand_steps(void **state)
{
    (void)state;
    for (int kind = PENALTY; kind <= VELOCITY; kind++) {
        double acceleration;
        assert_true(fabs(slide(kind, 0.5, 0, &acceleration)) < 1e-12); /* and does not creep */
        struct particle particle;
        double dt = 0.01, highest = -1e300, depth = 0;
        particle_init(&particle, 1, dt);
        dent_penalty_def penalty = dent_penalty_def_default();
        dent_position_def position = dent_position_def_default();
        dent_velocity_def velocity = dent_velocity_def_default();
        for (int step = 0; step < 10000; step++) {
            memcpy(particle.start, particle.position, sizeof particle.position);
            particle_detect(&particle, up);
            if (kind == PENALTY) {
                particle.force[2] = 0;
                assert_int_equal(dent_penalty_forces(response, &particle.problem, &penalty, NULL), DENT_OK);
                particle.velocity[2] += dt * particle.force[2];
            }
            particle.velocity[2] -= 9.81 * dt;
            if (kind == VELOCITY) {
                assert_int_equal(dent_velocity_solve(response, &particle.problem, &velocity, NULL), DENT_OK);
            }
            particle.position[2] += dt * particle.velocity[2];
            if (kind == POSITION) {
                assert_int_equal(dent_position_solve(response, &particle.problem, &position, NULL), DENT_OK);
                particle.velocity[2] = (particle.position[2] - particle.start[2]) / dt;
            }
            double energy = 0.5 * particle.velocity[2] * particle.velocity[2] + 9.81 * particle.position[2];
            highest = energy > highest ? energy : highest;
            depth = fmax(depth, -particle.position[2]);
        }
        assert_true(highest <= 1e-9);
        assert_true(fabs(particle.velocity[2]) < 1e-9);
        assert_true(depth <= (kind == PENALTY ? 3 * 9.81 * dt * dt / 0.25 : 1e-12));
    }
}

/* ---- penalty: stability -------------------------------------------------------------------------------------- */

/* Many springs between few nodes, no gravity, always in contact: the largest speed after a while against the first. */
static double growth(uint64_t seed, double ratio, double step_factor, double stiffness)
{
    enum { NODES = 6, CONTACTS = 40, STEPS = 3000 };
    dent_random random = dent_random_seeded(seed);
    double masses[NODES], positions[3 * NODES] = {0}, velocities[3 * NODES], forces[3 * NODES], normals[CONTACTS][3];
    double gaps[CONTACTS], first = 0, last = 0, dt = 0.01;
    dent_response_body body = {
        .vertex_count = NODES, .inverse_masses = masses, .velocities = velocities, .forces = forces};
    dent_contact contacts[CONTACTS];
    dent_response_problem problem = dent_response_problem_default();
    dent_penalty_def def = dent_penalty_def_default();
    for (int i = 0; i < NODES; i++) {
        masses[i] = i == 0 ? 0.001 : 0.1 + 10 * dent_random_unit(&random);
        for (int k = 0; k < 3; k++) {
            velocities[3 * i + k] = dent_random_unit(&random) - 0.5;
            first = fmax(first, fabs(velocities[3 * i + k]));
        }
    }
    for (int c = 0; c < CONTACTS; c++) {
        uint32_t a = dent_random_below(&random, NODES), b = (a + 1 + dent_random_below(&random, NODES - 1)) % NODES;
        double length = 0;
        for (int k = 0; k < 3; k++) {
            normals[c][k] = dent_random_unit(&random) - 0.5;
            length += normals[c][k] * normals[c][k];
        }
        for (int k = 0; k < 3; k++) {
            normals[c][k] /= sqrt(length);
        }
        contacts[c] = plain_contact((uint64_t)c, 0, a, 0, b, normals[c], 0);
        gaps[c] = -1000; /* far inside, so that the springs never let go: the linear problem of the derivation */
    }
    problem.contacts = contacts;
    problem.contact_count = CONTACTS;
    problem.bodies = &body;
    problem.body_count = 1;
    problem.material = (dent_contact_material){0};
    def.stiffness_ratio = ratio;
    def.stiffness = stiffness;
    def.damping_ratio = 0;
    if (stiffness > 0) {
        assert_int_equal(dent_penalty_step_limit(response, &problem, &def, &dt), DENT_OK);
        dt *= step_factor;
    }
    problem.time_step = dt;
    double at_rest[3 * NODES];
    for (int step = -1; step < STEPS; step++) {
        memset(forces, 0, sizeof forces);
        for (int c = 0; c < CONTACTS; c++) {
            contacts[c].gap = gaps[c];
            for (int k = 0; k < 3; k++) {
                contacts[c].gap += normals[c][k] * (positions[3 * contacts[c].vertices_a[0] + k] -
                                                    positions[3 * contacts[c].vertices_b[0] + k]);
            }
        }
        assert_int_equal(dent_penalty_forces(response, &problem, &def, NULL), DENT_OK);
        if (step < 0) {
            memcpy(at_rest, forces, sizeof forces); /* a constant load that balances the springs where they begin */
            continue;
        }
        last = 0;
        for (int i = 0; i < 3 * NODES; i++) {
            velocities[i] += dt * masses[i / 3] * (forces[i] - at_rest[i]);
            positions[i] += dt * velocities[i];
            last = fmax(last, fabs(velocities[i]));
        }
        if (!(last < 1e6)) {
            break;
        }
    }
    return last / first;
}

static void springs_at_shared_nodes_never_grow(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        assert_true(growth(seed, 0.25, 1, 0) <
                    100); /* masses of 1 to 1e4: a light node may take up a heavy one's energy */
        assert_true(growth(seed, 1, 1, 0) < 100);
        assert_true(growth(seed, 0, 0.999, 50) < 1000);
    }
}

static void one_spring_is_stable_below_the_limit_and_not_above(void **state)
{
    (void)state;
    for (int above = 0; above < 2; above++) {
        struct particle particle;
        dent_penalty_def def = dent_penalty_def_default();
        double limit;
        particle_init(&particle, 3, 1);
        particle.problem.material = (dent_contact_material){0};
        particle_detect(&particle, up);
        def.stiffness = 1234;
        def.damping_ratio = 0;
        assert_int_equal(dent_penalty_step_limit(response, &particle.problem, &def, &limit), DENT_OK);
        assert_true(fabs(limit - 2 / sqrt(1234 / 3.0)) < 1e-12);
        double dt = limit * (above ? 1.01 : 0.99), last = 0;
        particle.problem.time_step = dt;
        particle.position[2] = -1e-3;
        for (int step = 0; step < 2000; step++) {
            particle_detect(&particle, up);
            particle.contact.gap -= 1e6; /* held down by a constant load */
            particle.force[2] = -1e6 * 1234;
            assert_int_equal(dent_penalty_forces(response, &particle.problem, &def, NULL), DENT_OK);
            particle.velocity[2] += dt * particle.force[2] / 3;
            particle.position[2] += dt * particle.velocity[2];
            last = fabs(particle.position[2]);
            if (last > 1) {
                break;
            }
        }
        assert_true(above ? last > 1 : last < 0.1);
    }
}

static void the_penalty_force_is_continuous_in_the_gap(void **state)
{
    (void)state;
    struct particle particle;
    dent_penalty_def def = dent_penalty_def_default();
    double before = 0;
    particle_init(&particle, 1, 0.01);
    particle.velocity[2] = -5;
    particle.velocity[0] = 1;
    for (int i = -1000; i <= 1000; i++) {
        particle.position[2] = -1e-6 * i;
        memset(particle.force, 0, sizeof particle.force);
        memset(&particle.memory, 0, sizeof particle.memory);
        particle_detect(&particle, up);
        assert_int_equal(dent_penalty_forces(response, &particle.problem, &def, NULL), DENT_OK);
        assert_true(particle.force[2] >= 0);
        assert_true(i > 0 || particle.force[2] == 0);
        assert_true(fabs(particle.force[2] - before) <= 2.01 * 0.25 / (0.01 * 0.01) * 1e-6);
        before = particle.force[2];
    }
}

static void no_penalty_force_is_above_its_limit(void **state)
{
    (void)state;
    struct particle particle;
    dent_penalty_def def = dent_penalty_def_default();
    def.force_limit = 7;
    particle_init(&particle, 1, 0.01);
    for (int i = 1; i <= 100; i++) {
        particle.position[2] = -1e-3 * i;
        memset(particle.force, 0, sizeof particle.force);
        memset(&particle.memory, 0, sizeof particle.memory);
        particle_detect(&particle, up);
        assert_int_equal(dent_penalty_forces(response, &particle.problem, &def, NULL), DENT_OK);
        assert_true(particle.force[2] > 0 && particle.force[2] <= 7);
    }
    assert_true(particle.force[2] == 7);
}

/* A quaternion and its negative are one orientation. */
static void a_turn_between_two_poses_is_the_shorter_one(void **state)
{
    (void)state;
    for (int sign = -1; sign <= 1; sign += 2) {
        dent_rigid_state from = {.orientation = {1, 0, 0, 0}}, to = from;
        to.orientation[0] = sign * cos(0.05);
        to.orientation[3] = sign * sin(0.05);
        dent_rigid_velocity_between(&from, &to, 0.5);
        assert_true(fabs(to.angular_velocity[2] - 2 * tan(0.05) / 0.5) < 1e-12);
        assert_true(to.angular_velocity[0] == 0 && to.angular_velocity[1] == 0);
    }
}

/* ---- hard cases ---------------------------------------------------------------------------------------------- */

static void a_vertex_squeezed_between_walls_ends_between_them(void **state)
{
    (void)state;
    double inverse_mass = 1, position[3] = {0.3, 0, 0.01}, velocity[3] = {0}, down[3] = {0, 0, -1};
    dent_response_body bodies[3];
    dent_contact contacts[2];
    dent_response_problem problem = dent_response_problem_default();
    dent_position_def def = dent_position_def_default();
    dent_response_report report;
    memset(bodies, 0, sizeof bodies);
    bodies[0] = (dent_response_body){.vertex_count = 1, .inverse_masses = &inverse_mass, .positions = position};
    bodies[0].velocities = velocity;
    problem.bodies = bodies;
    problem.body_count = 3;
    problem.contacts = contacts;
    problem.contact_count = 2;
    problem.time_step = 0.01;
    def.iterations = 200;
    def.squeeze_compliance = 0.1;
    /* floor up to z = 0.05, ceiling down to z = -0.05: no room at all */
    contacts[0] = plain_contact(1, 0, 0, 1, UINT32_MAX, up, position[2] - 0.05);
    contacts[1] = plain_contact(2, 0, 0, 2, UINT32_MAX, down, -0.05 - position[2]);
    contacts[0].point_a[2] = contacts[1].point_a[2] = position[2];
    contacts[0].point_b[2] = contacts[1].point_b[2] = position[2];
    assert_int_equal(dent_position_solve(response, &problem, &def, &report), DENT_OK);
    assert_int_equal(report.squeezed, 2);
    assert_true(fabs(position[2]) < 0.01);
    def = dent_position_def_default();
    def.iterations = 1000;
    assert_int_equal(dent_position_solve(response, &problem, &def, &report), DENT_OK);
    assert_true(isfinite(position[2]) && fabs(position[2]) <= 0.1 + 1e-9);
}

static void mass_ratios_of_a_million_are_solved_with_enough_sweeps(void **state)
{
    (void)state;
    /* heavy on light on ground */
    double masses[2] = {1e-6, 1}, positions[6] = {0, 0, 0.0, 0, 0, 0.0};
    dent_response_body bodies[2];
    dent_contact contacts[2];
    dent_response_problem problem = dent_response_problem_default();
    dent_position_def def = dent_position_def_default();
    dent_response_report report;
    memset(bodies, 0, sizeof bodies);
    bodies[0] = (dent_response_body){.vertex_count = 2, .inverse_masses = masses, .positions = positions};
    problem.bodies = bodies;
    problem.body_count = 2;
    problem.contacts = contacts;
    problem.contact_count = 2;
    positions[2] = 0.9; /* vertex 0 (heavy) wants 1 above vertex 1, vertex 1 wants to be above 0 */
    contacts[0] = plain_contact(1, 0, 0, 0, 1, up, -0.1);
    contacts[0].point_a[2] = 0.9;
    contacts[1] = plain_contact(2, 0, 1, 1, UINT32_MAX, up, 0);
    def.iterations = 10;
    assert_int_equal(dent_position_solve(response, &problem, &def, &report), DENT_OK);
    assert_true(isfinite(report.residual) && report.residual < 0.2); /* honest about what is left */
    double few = report.residual;
    def.iterations = 1000;
    assert_int_equal(dent_position_solve(response, &problem, &def, &report), DENT_OK);
    assert_true(report.residual <= few);
}

static void fixed_things_do_not_move_and_are_counted(void **state)
{
    (void)state;
    struct particle particle;
    dent_response_report report;
    particle_init(&particle, 1, 0.01);
    particle.inverse_mass = 0;
    particle.position[2] = -1;
    particle.velocity[2] = -1;
    particle_detect(&particle, up);
    for (uint32_t r = 0; r < 3; r++) {
        assert_int_equal(dent_response_table(NULL)[r].run(response, &particle.problem, &report), DENT_OK);
        assert_int_equal(report.fixed, 1);
        assert_int_equal(particle.memory.state, DENT_ACTION_FIXED);
        assert_true(particle.position[2] == -1 && particle.velocity[2] == -1 && particle.force[2] == 0);
    }
}

static void uncertain_depths_push_gently(void **state)
{
    (void)state;
    for (int uncertain = 0; uncertain < 2; uncertain++) {
        struct particle particle;
        dent_position_def def = dent_position_def_default();
        dent_response_report report;
        particle_init(&particle, 1, 0.01);
        particle.position[2] = particle.start[2] = -0.4;
        particle_detect(&particle, up);
        particle.contact.error = uncertain ? 0.4 : 0.1;
        assert_int_equal(dent_position_solve(response, &particle.problem, &def, &report), DENT_OK);
        assert_true(fabs(particle.position[2] - (uncertain ? -0.3 : 0)) < 1e-12);
        assert_int_equal(report.capped, uncertain);
        assert_true(report.deepest == 0.4);
    }
}

static void recovery_is_no_faster_than_asked(void **state)
{
    (void)state;
    struct particle particle;
    dent_position_def def = dent_position_def_default();
    particle_init(&particle, 1, 0.01);
    particle.position[2] = particle.start[2] = -0.4;
    def.recovery_speed = 3;
    particle_detect(&particle, up);
    assert_int_equal(dent_position_solve(response, &particle.problem, &def, NULL), DENT_OK);
    assert_true(fabs(particle.position[2] - (-0.4 + 0.03)) < 1e-12);
}

/* ---- distances ----------------------------------------------------------------------------------------------- */

static void a_contact_that_ends_farther_than_it_begins_does_not_flicker(void **state)
{
    (void)state;
    const double target_gap = 1e-3;
    for (int hysteresis = 0; hysteresis < 2; hysteresis++) {
        dent_random random = dent_random_seeded(3);
        uint64_t keys[3], new_keys[3], key_count = 0;
        bool alive[3];
        int begun = 0;
        for (int step = 0; step < 10000; step++) { /* corners of a box that jitters about its place */
            dent_contact contacts[3];
            for (uint64_t c = 0; c < 3; c++) {
                contacts[c] = plain_contact(9 - c, 0, 0, 0, 1, up, target_gap * (0.5 + dent_random_unit(&random)));
            }
            uint64_t count = dent_contacts_apply_hysteresis(contacts, 3, keys, key_count, target_gap,
                                                            hysteresis ? 3 * target_gap : target_gap, alive, new_keys);
            for (uint64_t n = 0; n < count; n++) {
                bool was = false;
                for (uint64_t k = 0; k < key_count; k++) {
                    was = was || keys[k] == new_keys[n];
                }
                begun += !was;
                assert_true(n == 0 || new_keys[n - 1] < new_keys[n]);
            }
            memcpy(keys, new_keys, sizeof keys);
            key_count = count;
        }
        print_message("hysteresis %s: contacts began %d times\n", hysteresis ? "on" : "off", begun);
        assert_true(hysteresis ? begun == 3 : begun > 1000);
    }
}

/* A particle that is kicked a little in every step: how often it hits the plane, and where it ends. */
static int impacts_in_ten_thousand_steps(double target_gap, double *height)
{
    struct particle particle;
    dent_random random = dent_random_seeded(5);
    dent_velocity_def def = dent_velocity_def_default();
    const double h = 0.001;
    int impacts = 0;
    def.warm_start = 0;
    def.target_gap = target_gap;
    particle_init(&particle, 1, h);
    particle.problem.material = (dent_contact_material){0};
    particle.problem.previous = NULL;
    particle.problem.previous_count = 0;
    particle.position[2] = 1e-3;
    *height = 0;
    for (int step = 0; step < 10000; step++) {
        double before[3] = {0, 0, particle.velocity[2]};
        particle.bodies[0].velocities_start = before;
        particle.velocity[2] += 0.05 * (dent_random_unit(&random) - 0.5) - 9.81 * h;
        particle_detect(&particle, up);
        assert_int_equal(dent_velocity_solve(response, &particle.problem, &def, NULL), DENT_OK);
        bool was_apart = particle.position[2] > 1e-9;
        particle.position[2] += h * particle.velocity[2];
        impacts += was_apart && particle.position[2] <= 1e-9;
        *height += step >= 9000 ? particle.position[2] / 1000 : 0;
    }
    return impacts;
}

static void a_target_gap_keeps_small_disturbances_from_being_impacts(void **state)
{
    (void)state;
    double height[2];
    int without = impacts_in_ten_thousand_steps(0, &height[0]), with = impacts_in_ten_thousand_steps(1e-3, &height[1]);
    print_message("10,000 kicks: %d impacts without, %d with a target gap of 1 mm; height %.3f and %.3f mm\n",
                  without, with, 1000 * height[0], 1000 * height[1]);
    assert_true(without > 100 && with == 0);
    assert_true(fabs(height[1] - 1e-3) < 1e-4);
}

/* A rigid box on a plane: four corners, ten thousand steps, nothing happens. */
static void a_rigid_box_stays_where_it_is(void **state)
{
    (void)state;
    dent_rigid_state box = {0}, start;
    double dt = 1.0 / 600, half = 0.5;
    dent_response_body bodies[2];
    dent_contact contacts[4];
    dent_contact_force memory[4];
    dent_response_problem problem = dent_response_problem_default();
    dent_position_def position = dent_position_def_default();
    memset(bodies, 0, sizeof bodies);
    memset(memory, 0, sizeof memory);
    box.inverse_mass = 0.5;
    box.inverse_inertia[0] = box.inverse_inertia[4] = box.inverse_inertia[8] = 3;
    box.orientation[0] = 1;
    box.center[2] = half;
    bodies[0].rigid = &box;
    bodies[0].rigid_start = bodies[0].rigid_detected = &start;
    problem.bodies = bodies;
    problem.body_count = 2;
    problem.contacts = contacts;
    problem.contact_count = 4;
    problem.time_step = dt;
    problem.forces = memory;
    problem.previous = memory;
    problem.previous_count = 4;
    dent_rigid_state first = box;
    for (int step = 0; step < 10000; step++) {
        start = box;
        for (int c = 0; c < 4; c++) {
            double corner[3] = {c & 1 ? half : -half, c & 2 ? half : -half, 0}, at[3];
            dent_rigid_move_point(&first, &box, corner, at);
            contacts[c] = plain_contact((uint64_t)c, 0, UINT32_MAX, 1, UINT32_MAX, up, at[2]);
            memcpy(contacts[c].point_a, at, sizeof at);
            memcpy(contacts[c].point_b, at, sizeof at);
            contacts[c].point_b[2] = 0;
        }
        box.linear_velocity[2] -= 9.81 * dt;
        dent_rigid_advance(&box, dt);
        assert_int_equal(dent_position_solve(response, &problem, &position, NULL), DENT_OK);
        dent_rigid_velocity_between(&start, &box, dt);
    }
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(box.center[i] - first.center[i]) < 1e-4);
        assert_true(fabs(box.linear_velocity[i]) < 1e-3);
    }
    assert_true(box.orientation[0] > 1 - 1e-8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_particle_leaves_with_restitution_times_its_speed),
        cmocka_unit_test(a_thousand_elastic_bounces_between_plates_keep_the_speed),
        cmocka_unit_test(a_dropped_rigid_ball_bounces_with_its_restitution),
        cmocka_unit_test(slopes_stick_and_slide_at_the_coulomb_angle),
        cmocka_unit_test(a_resting_particle_gains_no_energy_in_ten_thousand_steps),
        cmocka_unit_test(springs_at_shared_nodes_never_grow),
        cmocka_unit_test(one_spring_is_stable_below_the_limit_and_not_above),
        cmocka_unit_test(the_penalty_force_is_continuous_in_the_gap),
        cmocka_unit_test(no_penalty_force_is_above_its_limit),
        cmocka_unit_test(a_turn_between_two_poses_is_the_shorter_one),
        cmocka_unit_test(a_vertex_squeezed_between_walls_ends_between_them),
        cmocka_unit_test(mass_ratios_of_a_million_are_solved_with_enough_sweeps),
        cmocka_unit_test(a_target_gap_keeps_small_disturbances_from_being_impacts),
        cmocka_unit_test(a_contact_that_ends_farther_than_it_begins_does_not_flicker),
        cmocka_unit_test(fixed_things_do_not_move_and_are_counted),
        cmocka_unit_test(uncertain_depths_push_gently),
        cmocka_unit_test(recovery_is_no_faster_than_asked),
        cmocka_unit_test(a_rigid_box_stays_where_it_is),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
