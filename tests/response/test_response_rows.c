/* The rows that all responses are made of: the material of a contact, and what a force between its sides does to them.
 */
#include "support_response.h"

static dent_context *context;

static int open_response(void **state)
{
    context = dent_context_create(NULL, NULL);
    *state = context ? dent_response_create(context) : NULL;
    return *state ? 0 : -1;
}

static int close_response(void **state)
{
    dent_response_destroy(*state);
    dent_context_destroy(context);
    return 0;
}

static const double up[3] = {0, 0, 1};

/* Sliding friction above the friction that sticks counts as the latter. */
static void kinetic_friction_is_never_above_static_friction(void **state)
{
    dent_response *response = *state;
    double speeds[2];
    for (int above = 0; above < 2; above++) {
        struct particle particle;
        dent_velocity_def def = dent_velocity_def_default();
        particle_init(&particle, 1, 0.5);
        particle.problem.material = (dent_contact_material){0.25, above ? 0.75 : 0.25, 0, 0};
        particle.velocity[0] = 1;
        particle.velocity[2] = -1;
        particle_detect(&particle, up);
        assert_int_equal(dent_velocity_solve(response, &particle.problem, &def, NULL), DENT_OK);
        speeds[above] = particle.velocity[0];
    }
    assert_true(fabs(speeds[0] - 0.75) < 1e-12 && speeds[1] == speeds[0]);
}

/* A contact of a body with itself that has a vertex on both sides: one sweep ends the approach, as for any other. */
static void a_vertex_on_both_sides_is_pushed_by_the_difference_of_its_weights(void **state)
{
    dent_response *response = *state;
    double inverse_masses[3] = {1, 2, 0.5}, positions[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    double velocities[9] = {0, 0, -3, 0, 0, 1, 0, 0, 2};
    const double weights[3] = {0.5, 0.25, 0.25};
    dent_response_body body = {
        .vertex_count = 3, .inverse_masses = inverse_masses, .positions = positions, .velocities = velocities};
    dent_contact contact = plain_contact(7, 0, 0, 0, 0, up, 0);
    for (uint32_t k = 0; k < 3; k++) {
        contact.vertices_b[k] = k;
        contact.weights_b[k] = weights[k];
    }
    dent_contact_force memory = {0};
    dent_response_problem problem = dent_response_problem_default();
    problem.contacts = &contact;
    problem.contact_count = 1;
    problem.bodies = &body;
    problem.body_count = 1;
    problem.time_step = 0.01;
    problem.forces = &memory;
    problem.material = (dent_contact_material){0, 0, 0, 0};
    dent_velocity_def def = dent_velocity_def_default();
    def.iterations = 1;
    def.warm_start = 0;
    assert_int_equal(dent_velocity_solve(response, &problem, &def, NULL), DENT_OK);
    double relative = velocities[2] - (0.5 * velocities[2] + 0.25 * velocities[5] + 0.25 * velocities[8]);
    double momentum = velocities[2] / 1 + velocities[5] / 2 + velocities[8] / 0.5;
    assert_true(fabs(relative) < 1e-14 && fabs(momentum - (-3 + 0.5 + 4)) < 1e-14);
}

enum { RECORDS = 300 };

static uint64_t solve_after(const dent_contact_force *previous, uint64_t count, dent_contact_force *forces)
{
    static struct cloud cloud;
    dent_position_def def = dent_position_def_default();
    def.iterations = 2; /* few, so that the start shows in the result */
    cloud_open(&cloud, 71, RECORDS, CLOUD_WITH_FIXED, 1);
    cloud.problem.previous = previous;
    cloud.problem.previous_count = count;
    assert_int_equal(dent_position_solve(cloud.response, &cloud.problem, &def, NULL), DENT_OK);
    if (forces) {
        memcpy(forces, cloud.forces_out, RECORDS * sizeof *forces);
    }
    uint64_t hash = cloud_hash(&cloud);
    cloud_close(&cloud);
    return hash;
}

/* Contacts are found again by their keys: it does not matter where the records of the last step lie, nor what else is
 * among them. */
static void records_of_the_last_step_may_come_in_any_order(void **state)
{
    (void)state;
    static dent_contact_force records[RECORDS], moved[RECORDS + 1];
    uint64_t without = solve_after(NULL, 0, records);
    uint64_t in_place = solve_after(records, RECORDS, NULL);
    assert_true(in_place != without);
    for (uint32_t shift = 1; shift < RECORDS; shift += 97) {
        for (uint32_t i = 0; i < RECORDS; i++) {
            moved[(i + shift) % RECORDS] = records[i];
        }
        assert_true(solve_after(moved, RECORDS, NULL) == in_place);
        moved[RECORDS] = (dent_contact_force){.key = UINT64_MAX, .normal = 1e3};
        assert_true(solve_after(moved, RECORDS + 1, NULL) == in_place);
    }
    for (uint32_t i = 0; i < RECORDS; i++) { /* as many as there are contacts, and each of another one */
        moved[i] = records[i];
        moved[i].key = ~records[i].key;
    }
    assert_true(solve_after(moved, RECORDS, NULL) == without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinetic_friction_is_never_above_static_friction),
        cmocka_unit_test(a_vertex_on_both_sides_is_pushed_by_the_difference_of_its_weights),
        cmocka_unit_test(records_of_the_last_step_may_come_in_any_order),
    };
    return cmocka_run_group_tests(tests, open_response, close_response);
}
