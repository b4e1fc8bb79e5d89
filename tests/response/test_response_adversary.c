/* Responses where something is exactly at its limit or at no limit at all: friction exactly at the cone, many contacts
 * at one place, equal keys, bodies without mass and of infinite mass, nothing to do; and random problems of all sizes,
 * whose answers must be finite, stay in the cone, keep momentum and gain no energy.
 */
#include "support/cmocka_includes.h"
#include "support_response.h"

#include <float.h>

static dent_context *context;
static dent_response *response;

static int open_all(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    context = dent_context_create(&def, NULL);
    response = dent_response_create(context);
    return !response;
}

static int close_all(void **state)
{
    (void)state;
    dent_response_destroy(response);
    dent_context_destroy(context);
    return 0;
}

static const double up[3] = {0, 0, 1};

static double length_of(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* ---- friction at the cone ---------------------------------------------------------------------------------------- */

/* A particle that hits the ground at a slope of exactly friction : 1 stops; a hair above slides on, never backwards. */
static void friction_exactly_at_the_cone_sticks(void **state)
{
    (void)state;
    static const double frictions[] = {0.25, 0.5, 1, 2, 0x1p-20, 0x1p20};
    for (size_t i = 0; i < sizeof frictions / sizeof *frictions; i++) {
        for (int above = 0; above < 2; above++) {
            for (int position = 0; position < 2; position++) {
                struct particle particle;
                double mu = frictions[i], slope = above ? mu * (1 + 0x1p-40) : mu;
                particle_init(&particle, 1, 0.5);
                particle.problem.material = (dent_contact_material){mu, mu, 0, 0};
                dent_response_report report;
                if (position) {
                    particle.start[0] = particle.start[2] = 0;
                    particle.position[2] = 0;
                    particle_detect(&particle, up); /* found before the step */
                    particle.position[0] = 0.5 * slope;
                    particle.position[2] = -0.5;
                    dent_position_def def = dent_position_def_default();
                    assert_int_equal(dent_position_solve(response, &particle.problem, &def, &report), DENT_OK);
                    assert_true(particle.position[2] == 0);
                    assert_true(above ? particle.position[0] >= 0 && particle.position[0] < 1e-9 * mu
                                      : particle.position[0] == 0);
                } else {
                    particle.velocity[0] = slope;
                    particle.velocity[2] = -1;
                    particle_detect(&particle, up);
                    dent_velocity_def def = dent_velocity_def_default();
                    def.iterations = 1;
                    assert_int_equal(dent_velocity_solve(response, &particle.problem, &def, &report), DENT_OK);
                    assert_true(particle.velocity[2] == 0);
                    assert_true(above ? particle.velocity[0] >= 0 && particle.velocity[0] < 1e-9 * mu
                                      : particle.velocity[0] == 0);
                }
                assert_int_equal(above ? report.sliding : report.sticking, 1);
            }
        }
    }
}

/* ---- many contacts, equal keys ----------------------------------------------------------------------------------- */

/* The same contact many times over, with the same key or with keys of their own: as one. */
static void copies_of_a_contact_act_as_one(void **state)
{
    (void)state;
    enum { MOST = 1000 };
    static dent_contact contacts[MOST];
    static dent_contact_force forces[MOST];
    static const uint32_t counts[] = {1, 2, 7, MOST};
    for (int number = 0; number < 16; number++) {
        uint32_t count = counts[number % 4];
        bool same_keys = number / 4 % 2, warm = number / 8;
        struct particle particle;
        particle_init(&particle, 2, 0.01);
        particle.problem.material = (dent_contact_material){0.5, 0.5, 0.75, 0};
        particle.velocity[2] = -4;
        particle.velocity[0] = 100;
        particle_detect(&particle, up);
        for (uint32_t i = 0; i < count; i++) {
            contacts[i] = particle.contact;
            contacts[i].key = same_keys ? 7 : 7 + i;
            forces[i] = (dent_contact_force){.key = contacts[i].key, .normal = 14, .state = DENT_ACTION_SLIDING};
        }
        particle.problem.contacts = contacts;
        particle.problem.contact_count = count;
        particle.problem.previous = warm ? forces : NULL;
        particle.problem.previous_count = warm ? (same_keys ? 1 : count) : 0;
        particle.problem.forces = forces;
        particle.problem.audit = true;
        dent_velocity_def def = dent_velocity_def_default();
        dent_response_report report;
        assert_int_equal(dent_velocity_solve(response, &particle.problem, &def, &report), DENT_OK);
        assert_true(fabs(particle.velocity[2] - 3) < 1e-9);    /* restitution 0.75 */
        assert_true(fabs(particle.velocity[0] - 96.5) < 1e-9); /* friction 0.5 of the 7 m/s of the normal */
        assert_true(report.energy_change < 0);
        double normal = 0, tangent = 0;
        for (uint32_t i = 0; i < count; i++) {
            assert_true(forces[i].normal >= 0);
            normal += forces[i].normal;
            tangent += length_of(forces[i].tangent);
        }
        assert_true(fabs(normal - 14) < 1e-8 && fabs(tangent - 7) < 1e-8);
    }
}

/* A row of contacts under a rigid plate, all bouncing: it leaves with the restitution and does not turn. */
static void a_plate_bounces_on_any_number_of_contacts(void **state)
{
    (void)state;
    enum { MOST = 256 };
    static dent_contact contacts[MOST];
    for (uint32_t side = 2; side <= 16; side += 2) {
        for (int e = 0; e <= 4; e++) {
            dent_rigid_state plate = {.inverse_mass = 0.5,
                                      .inverse_inertia = {3, 0, 0, 0, 3, 0, 0, 0, 1.5},
                                      .orientation = {1, 0, 0, 0},
                                      .linear_velocity = {0, 0, -2}};
            dent_response_body bodies[2] = {{.rigid = &plate}, {.vertex_count = 0}};
            for (uint32_t i = 0; i < side * side; i++) {
                double x = (double)(i % side) / (side - 1) - 0.5, y = (double)(i / side) / (side - 1) - 0.5;
                contacts[i] = plain_contact(i + 1, 0, UINT32_MAX, 1, UINT32_MAX, up, 0);
                contacts[i].point_a[0] = contacts[i].point_b[0] = x;
                contacts[i].point_a[1] = contacts[i].point_b[1] = y;
            }
            dent_response_problem problem = dent_response_problem_default();
            problem.contacts = contacts;
            problem.contact_count = side * side;
            problem.bodies = bodies;
            problem.body_count = 2;
            problem.time_step = 0.01;
            problem.material = (dent_contact_material){0.5, 0.4, 0.25 * e, 0};
            problem.audit = true;
            dent_velocity_def def = dent_velocity_def_default();
            def.iterations = 400;
            dent_response_report report;
            assert_int_equal(dent_velocity_solve(response, &problem, &def, &report), DENT_OK);
            assert_true(fabs(plate.linear_velocity[2] - 0.5 * e) < 1e-3);
            assert_true(length_of(plate.angular_velocity) < 1e-2);
            assert_true(report.energy_change <= 1e-9);
        }
    }
}

/* ---- no mass, infinite mass -------------------------------------------------------------------------------------- */

static void bodies_without_mass_and_of_infinite_mass_are_told_apart(void **state)
{
    (void)state;
    static const double inverse_masses[] = {0, DBL_MIN, 1e-300, 1e-12, 1, 1e12, 1e300, DBL_MAX, INFINITY, NAN, -1};
    uint32_t rows;
    const dent_response_row *table = dent_response_table(&rows);
    for (uint32_t kind = 0; kind < rows; kind++) {
        for (size_t i = 0; i < sizeof inverse_masses / sizeof *inverse_masses; i++) {
            struct particle particle;
            particle_init(&particle, 1, 0.01);
            particle.inverse_mass = inverse_masses[i];
            particle.position[2] = -0.1;
            particle.velocity[2] = -1;
            particle_detect(&particle, up);
            dent_response_report report;
            assert_int_equal(table[kind].run(response, &particle.problem, &report), DENT_OK);
            for (int axis = 0; axis < 3; axis++) {
                assert_true(isfinite(particle.position[axis]) && isfinite(particle.velocity[axis]) &&
                            isfinite(particle.force[axis]));
            }
            bool is_number = inverse_masses[i] >= 0 && inverse_masses[i] <= DBL_MAX;
            bool squares_overflow = inverse_masses[i] > 0 && (inverse_masses[i] < 1e-100 || inverse_masses[i] > 1e100);
            if (report.rejected != !is_number && !squares_overflow) {
                fail_msg("%s with an inverse mass of %g: %llu refused", table[kind].name, inverse_masses[i],
                         (unsigned long long)report.rejected);
            }
            if (inverse_masses[i] == 0) {
                assert_int_equal(report.fixed, 1);
                assert_true(particle.position[2] == -0.1 && particle.velocity[2] == -1 && particle.force[2] == 0);
            }
            assert_true(report.contacts == 1 && report.pushed + report.fixed + report.rejected <= 1);
        }
    }
}

static void nothing_to_do_is_done(void **state)
{
    (void)state;
    uint32_t rows;
    const dent_response_row *table = dent_response_table(&rows);
    for (uint32_t kind = 0; kind < rows; kind++) {
        struct particle particle;
        dent_response_report report;
        particle_init(&particle, 1, 0.01);
        particle.velocity[2] = -1;
        particle.problem.contacts = NULL;
        particle.problem.contact_count = 0;
        particle.problem.audit = true;
        assert_int_equal(table[kind].run(response, &particle.problem, &report), DENT_OK);
        assert_true(report.contacts == 0 && report.pushed == 0 && report.energy_change == 0 && report.residual == 0);
        assert_true(particle.velocity[2] == -1 && particle.force[2] == 0);
    }
}

/* ---- at random --------------------------------------------------------------------------------------------------- */

enum { PARTS = 6, CONTACTS = 24 };

struct junk {
    double inverse_masses[PARTS][4], positions[PARTS][4][3], start[PARTS][4][3], velocities[PARTS][4][3];
    double forces[PARTS][4][3], rigid_forces[PARTS][6];
    dent_rigid_state rigid[PARTS], before[PARTS];
    dent_response_body bodies[PARTS];
    dent_contact contacts[CONTACTS];
    dent_contact_force records[CONTACTS];
    dent_response_problem problem;
};

static double unit(dent_random *random)
{
    return 2 * dent_random_unit(random) - 1;
}

static double size_of(dent_random *random, double most)
{
    return pow(10, most * unit(random));
}

static void make_junk(struct junk *junk, dent_random *random, double decades)
{
    memset(junk, 0, sizeof *junk);
    for (uint32_t b = 0; b < PARTS; b++) {
        dent_response_body *body = &junk->bodies[b];
        double mass = size_of(random, decades), size = size_of(random, decades / 6);
        for (int v = 0; v < 4; v++) {
            junk->inverse_masses[b][v] = dent_random_below(random, 5) ? 1 / mass : 0;
            for (int axis = 0; axis < 3; axis++) {
                junk->start[b][v][axis] = size * unit(random);
                junk->positions[b][v][axis] = junk->start[b][v][axis] + 0.01 * size * unit(random);
                junk->velocities[b][v][axis] = size * unit(random);
            }
        }
        *body = (dent_response_body){.vertex_count = 4,
                                     .inverse_masses = junk->inverse_masses[b],
                                     .positions = junk->positions[b][0],
                                     .positions_start = junk->start[b][0],
                                     .velocities = junk->velocities[b][0],
                                     .forces = junk->forces[b][0]};
        if (b % 2) {
            dent_rigid_state *rigid = &junk->rigid[b];
            rigid->inverse_mass = 1 / mass;
            for (int i = 0; i < 3; i++) { /* moments that a body can have: none above the sum of the others */
                rigid->inverse_inertia[4 * i] = (1 + 0.4 * unit(random)) / (mass * size * size);
                rigid->center[i] = size * unit(random);
                rigid->linear_velocity[i] = size * unit(random);
                rigid->angular_velocity[i] = unit(random);
            }
            rigid->orientation[0] = 1;
            junk->before[b] = *rigid;
            body->rigid = rigid;
            body->rigid_forces = junk->rigid_forces[b];
        }
    }
    for (uint32_t i = 0; i < CONTACTS; i++) {
        dent_contact *contact = &junk->contacts[i];
        double normal[3] = {unit(random), unit(random), unit(random) + 0.01}, size = size_of(random, decades / 6);
        double length = length_of(normal);
        for (int axis = 0; axis < 3; axis++) {
            normal[axis] /= length;
        }
        uint32_t a = dent_random_below(random, PARTS), b = dent_random_below(random, PARTS);
        *contact = plain_contact(dent_random_below(random, 8), a, dent_random_below(random, 4), b,
                                 dent_random_below(random, 4), normal, 0.1 * size * unit(random));
        for (int axis = 0; axis < 3; axis++) {
            contact->point_a[axis] = contact->point_b[axis] = size * unit(random);
        }
    }
    junk->problem = dent_response_problem_default();
    junk->problem.contacts = junk->contacts;
    junk->problem.contact_count = dent_random_below(random, CONTACTS + 1);
    junk->problem.bodies = junk->bodies;
    junk->problem.body_count = PARTS;
    junk->problem.time_step = size_of(random, 3);
    junk->problem.forces = junk->records;
    junk->problem.audit = true;
    junk->problem.material.friction_static =
        dent_random_below(random, 3) ? dent_random_unit(random) : size_of(random, 6);
    junk->problem.material.friction_kinetic = junk->problem.material.friction_static * dent_random_unit(random);
    junk->problem.material.restitution = dent_random_unit(random);
}

static double momentum_before(const struct junk *junk)
{
    double sum = 0, per_time = 1 / junk->problem.time_step;
    for (uint32_t b = 0; b < PARTS; b++) {
        const dent_rigid_state *rigid = &junk->rigid[b];
        for (int v = 0; v < 4 && b % 2 == 0; v++) {
            double mass = junk->inverse_masses[b][v] > 0 ? 1 / junk->inverse_masses[b][v] : 0;
            sum += mass * (length_of(junk->velocities[b][v]) + per_time * length_of(junk->positions[b][v]));
        }
        if (b % 2) {
            sum += (length_of(rigid->linear_velocity) + per_time * length_of(rigid->center)) / rigid->inverse_mass;
        }
    }
    return sum;
}

static void check_junk(const struct junk *junk, const dent_response_report *report)
{
    for (uint32_t b = 0; b < PARTS; b++) {
        for (int n = 0; n < 12; n++) {
            assert_true(isfinite(junk->positions[b][n / 3][n % 3]) && isfinite(junk->velocities[b][n / 3][n % 3]) &&
                        isfinite(junk->forces[b][n / 3][n % 3]));
        }
        const dent_rigid_state *rigid = &junk->rigid[b];
        for (int i = 0; i < 3; i++) {
            assert_true(isfinite(rigid->center[i]) && isfinite(rigid->linear_velocity[i]) &&
                        isfinite(rigid->angular_velocity[i]));
        }
    }
    for (uint64_t i = 0; i < junk->problem.contact_count; i++) {
        const dent_contact_force *force = &junk->records[i];
        assert_true(force->normal >= 0);
        assert_true(length_of(force->tangent) <= junk->problem.material.friction_static * force->normal * (1 + 1e-9));
    }
    assert_int_equal(report->contacts, junk->problem.contact_count);
    assert_int_equal(report->pushed, report->sticking + report->sliding);
    assert_int_equal(report->rejected, 0);
    /* Sums of momenta are rounded in parts of the momenta that were there before. */
    for (int axis = 0; axis < 3; axis++) {
        assert_true(fabs(report->momentum_error[axis]) <= 1e-12 * (report->momentum_scale + momentum_before(junk)));
    }
}

static void random_problems_of_all_sizes_stay_finite_in_the_cone_and_keep_momentum(void **state)
{
    (void)state;
    static struct junk junk;
    dent_random random = dent_random_seeded(2026);
    uint32_t rows, count = getenv("DENT_QUICK_TESTS") ? 300 : getenv("DENT_LONG_TESTS") ? 100000 : 5000;
    const dent_response_row *table = dent_response_table(&rows);
    for (uint32_t n = 0; n < count; n++) {
        dent_response_report report;
        make_junk(&junk, &random, n % 4 * 6);
        assert_int_equal(table[n % rows].run(response, &junk.problem, &report), DENT_OK);
        check_junk(&junk, &report);
    }
}

static double kinetic_of(const struct junk *junk, uint32_t body, uint32_t vertex)
{
    const dent_rigid_state *rigid = &junk->rigid[body];
    double speed = length_of(body % 2 ? rigid->linear_velocity : junk->velocities[body][vertex]), turning = 0;
    double inverse = body % 2 ? rigid->inverse_mass : junk->inverse_masses[body][vertex];
    for (int i = 0; i < 3 && body % 2; i++) {
        turning += rigid->angular_velocity[i] * rigid->angular_velocity[i] / rigid->inverse_inertia[4 * i];
    }
    return 0.5 * (inverse > 0 ? speed * speed / inverse : 0) + 0.5 * turning;
}

static double kinetic_of_sides(const struct junk *junk, const dent_contact *contact)
{
    return kinetic_of(junk, contact->body_a, contact->vertices_a[0]) +
           kinetic_of(junk, contact->body_b, contact->vertices_b[0]);
}

/* Any bodies: impulses never add kinetic energy, friction and restitution included. One contact; or many at once,
 * where the sweeps came to an end. */
static void impacts_gain_no_energy(void **state)
{
    (void)state;
    static struct junk junk;
    dent_random random = dent_random_seeded(8);
    uint32_t count = getenv("DENT_QUICK_TESTS") ? 300 : 5000;
    double worst = -INFINITY;
    for (uint32_t n = 0; n < count; n++) {
        dent_response_report report;
        dent_velocity_def def = dent_velocity_def_default();
        def.correction = 0;
        make_junk(&junk, &random, n % 3 * 6);
        junk.problem.contact_count = n % 2 ? 1 : 1 + n % CONTACTS;
        for (uint32_t i = 0; i < CONTACTS; i++) {
            junk.contacts[i].gap = 0;
        }
        for (int v = 0; v < 4 * PARTS; v++) { /* what is fixed and moves does work on what it hits */
            double *inverse_mass = &junk.inverse_masses[v / 4][v % 4];
            *inverse_mass = *inverse_mass > 0 ? *inverse_mass : 1;
        }
        junk.problem.material.friction_kinetic = junk.problem.material.friction_static;
        assert_int_equal(dent_velocity_solve(response, &junk.problem, &def, &report), DENT_OK);
        check_junk(&junk, &report);
        double energy = 0;
        for (uint64_t i = 0; i < junk.problem.contact_count; i++) {
            energy += kinetic_of_sides(&junk, &junk.contacts[i]);
        }
        if (report.pushed && energy > 0) {
            bool converged = n % 2 || report.residual < 1e-6;
            worst = converged ? fmax(worst, report.energy_change / energy) : worst;
            assert_true(!converged || report.energy_change <= 1e-9 * energy);
        }
    }
    printf("largest gain: %g of the energy\n", worst);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(friction_exactly_at_the_cone_sticks),
        cmocka_unit_test(copies_of_a_contact_act_as_one),
        cmocka_unit_test(a_plate_bounces_on_any_number_of_contacts),
        cmocka_unit_test(bodies_without_mass_and_of_infinite_mass_are_told_apart),
        cmocka_unit_test(nothing_to_do_is_done),
        cmocka_unit_test(random_problems_of_all_sizes_stay_finite_in_the_cone_and_keep_momentum),
        cmocka_unit_test(impacts_gain_no_energy),
    };
    return cmocka_run_group_tests(tests, open_all, close_all);
}
