/* The responses by the exact constraint solver: the sweeps come to the same result where it is unique, momentum is
 * kept, and failures change nothing. */
#include "support_response.h"

#include "support/failing_allocator.h"

#include <dent/constraints.h>

enum { SWEEPS = 60000 };

static uint32_t rounds(uint32_t usual)
{
    return getenv("DENT_LONG_TESTS") ? 20 * usual : getenv("DENT_QUICK_TESTS") ? 1 + usual / 10 : usual;
}

static double largest_difference(const struct cloud *one, const struct cloud *other, bool positions)
{
    double worst = 0;
    for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
        const double *x = positions ? one->positions[b][0] : one->velocities[b][0];
        const double *y = positions ? other->positions[b][0] : other->velocities[b][0];
        for (uint32_t i = 0; i < 3 * CLOUD_VERTICES; i++) {
            worst = fmax(worst, fabs(x[i] - y[i]));
        }
        const dent_rigid_state *r = &one->rigid[b], *s = &other->rigid[b];
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(r->center[k] - s->center[k]));
            worst = fmax(worst, fabs(r->linear_velocity[k] - s->linear_velocity[k]));
            worst = fmax(worst, fabs(r->angular_velocity[k] - s->angular_velocity[k]));
            worst = fmax(worst, fabs(r->orientation[k] - s->orientation[k]));
        }
    }
    return worst;
}

/* Two equal clouds with few contacts and one material. */
static void open_pair(struct cloud pair[2], uint64_t seed, uint32_t contacts, double friction, double restitution)
{
    for (int i = 0; i < 2; i++) {
        cloud_open(&pair[i], seed, contacts, CLOUD_WITH_FIXED, 1);
        pair[i].problem.material_pair_count = 0;
        pair[i].problem.material = (dent_contact_material){friction, friction, restitution, 0};
    }
}

static void close_pair(struct cloud pair[2])
{
    cloud_close(&pair[0]);
    cloud_close(&pair[1]);
}

/* Rigid bodies, vertices with masses of the caller's, and fixed ones. */
static void impulses_of_the_sweeps_are_the_exact_ones(void **state)
{
    (void)state;
    static struct cloud pair[2];
    double worst = 0, residual = 0;
    uint32_t compared = 0, pushed = 0;
    for (uint64_t seed = 1; seed <= rounds(60); seed++) {
        dent_velocity_def def = dent_velocity_def_default();
        dent_response_report sweeps, exact;
        open_pair(pair, seed, 2 + seed % 11, 0, 0.2 * (double)(seed % 6));
        def.iterations = SWEEPS;
        def.tolerance = 1e-15;
        assert_int_equal(dent_velocity_solve(pair[0].response, &pair[0].problem, &def, &sweeps), DENT_OK);
        def.exact = true;
        assert_int_equal(dent_velocity_solve(pair[1].response, &pair[1].problem, &def, &exact), DENT_OK);
        if (sweeps.residual < 1e-12) { /* squeezed bodies have no solution */
            worst = fmax(worst, largest_difference(&pair[0], &pair[1], false));
            residual = fmax(residual, exact.residual);
            assert_int_equal(sweeps.pushed, exact.pushed);
            pushed += (uint32_t)exact.pushed;
            compared++;
        }
        close_pair(pair);
    }
    print_message("%u problems, %u pushes: velocities differ by at most %.2g, residual of the exact ones %.2g\n",
                  compared, pushed, worst, residual);
    assert_true(compared > rounds(60) / 2 && worst < 1e-9 && residual < 1e-12);
}

static void displacements_of_the_sweeps_are_the_exact_ones(void **state)
{
    (void)state;
    static struct cloud pair[2];
    double worst = 0;
    uint32_t compared = 0;
    for (uint64_t seed = 1; seed <= rounds(60); seed++) {
        dent_reposition_def def = dent_reposition_def_default();
        dent_response_report sweeps, exact;
        open_pair(pair, seed, 2 + seed % 11, 0.5, 0);
        for (int i = 0; i < 2; i++) { /* short ways: the square of a turn is left out */
            for (uint32_t c = 0; c < pair[i].problem.contact_count; c++) {
                pair[i].contacts[c].gap *= 1e-6;
            }
            for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
                pair[i].bodies[b].positions_start = NULL;
                pair[i].bodies[b].rigid_start = NULL;
            }
        }
        def.sweeps = SWEEPS;
        def.target_gap = 1e-9;
        def.trigger_gap = 0;
        assert_int_equal(dent_reposition_solve(pair[0].response, &pair[0].problem, &def, &sweeps), DENT_OK);
        def.exact = true;
        assert_int_equal(dent_reposition_solve(pair[1].response, &pair[1].problem, &def, &exact), DENT_OK);
        if (sweeps.residual < 1e-14) {
            worst = fmax(worst, largest_difference(&pair[0], &pair[1], true));
            compared++;
        }
        close_pair(pair);
    }
    print_message("%u problems: positions differ by at most %.2g of overlaps of 2e-8\n", compared, worst);
    assert_true(compared > rounds(60) / 2 && worst < 2e-12);
}

/* Compliant contacts: a unique result also where bodies are squeezed. */
static void soft_contacts_of_the_sweeps_are_the_exact_ones(void **state)
{
    (void)state;
    static struct cloud pair[2];
    double worst = 0;
    uint32_t compared = 0;
    for (uint64_t seed = 1; seed <= rounds(40); seed++) {
        dent_position_def def = dent_position_def_default();
        open_pair(pair, seed, 2 + seed % 20, 0, 0);
        for (int i = 0; i < 2; i++) {
            pair[i].problem.material.compliance = 1e-4;
            for (uint32_t c = 0; c < pair[i].problem.contact_count; c++) {
                pair[i].contacts[c].gap *= 1e-6;
            }
            for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
                memcpy(pair[i].start[b], pair[i].positions[b], sizeof pair[i].start[b]);
            }
        }
        def.iterations = 2000;
        assert_int_equal(dent_position_solve(pair[0].response, &pair[0].problem, &def, NULL), DENT_OK);
        def.exact = true;
        assert_int_equal(dent_position_solve(pair[1].response, &pair[1].problem, &def, NULL), DENT_OK);
        worst = fmax(worst, largest_difference(&pair[0], &pair[1], true));
        compared++;
        close_pair(pair);
    }
    print_message("%u problems: positions differ by at most %.2g of overlaps of 2e-8\n", compared, worst);
    assert_true(worst < 2e-12);
}

/* One contact to a vertex: Coulomb's law has one answer, with the kinetic coefficient where it slides. */
static void friction_of_the_sweeps_is_the_exact_one(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_response *response = dent_response_create(context);
    dent_random random = dent_random_seeded(31);
    uint32_t states[DENT_ACTION_REJECTED + 1] = {0};
    double worst = 0;
    for (uint32_t n = 0; n < rounds(2000); n++) {
        struct particle particles[2];
        double normal[3] = {dent_random_unit(&random) - 0.5, dent_random_unit(&random) - 0.5, 1}, length = 0;
        double velocity[3] = {4 * dent_random_unit(&random) - 2, dent_random_unit(&random), -dent_random_unit(&random)};
        double mass = 0.1 + dent_random_unit(&random), friction = dent_random_unit(&random);
        double kinetic = friction * dent_random_unit(&random), height = 0.02 * (dent_random_unit(&random) - 0.5);
        length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + 1);
        for (int i = 0; i < 2; i++) {
            struct particle *particle = &particles[i];
            particle_init(particle, mass, 0.01);
            for (int k = 0; k < 3; k++) {
                normal[k] = i == 0 ? normal[k] / length : normal[k];
                particle->velocity[k] = velocity[k];
            }
            particle->position[2] = particle->start[2] = height;
            particle_detect(particle, normal);
            particle->problem.material = (dent_contact_material){friction, kinetic, 0, 0};
            particle->problem.previous_count = 0;
            dent_velocity_def def = dent_velocity_def_default();
            def.exact = i == 1;
            assert_int_equal(dent_velocity_solve(response, &particle->problem, &def, NULL), DENT_OK);
            dent_position_def position = dent_position_def_default();
            position.iterations = 50;
            position.exact = i == 1;
            particle->start[0] -= 0.01 * velocity[0];
            particle->problem.previous_count = 0;
            assert_int_equal(particle->memory.state <= DENT_ACTION_SLIDING, true);
            states[particle->memory.state]++;
            assert_int_equal(dent_position_solve(response, &particle->problem, &position, NULL), DENT_OK);
        }
        assert_int_equal(particles[0].memory.state, particles[1].memory.state);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(particles[0].velocity[k] - particles[1].velocity[k]));
            worst = fmax(worst, fabs(particles[0].position[k] - particles[1].position[k]));
        }
    }
    print_message("%u stick, %u slide, %u apart: largest difference %.2g\n", states[DENT_ACTION_STICKING],
                  states[DENT_ACTION_SLIDING], states[DENT_ACTION_NONE], worst);
    assert_true(worst < 1e-11 && states[DENT_ACTION_STICKING] > 0 && states[DENT_ACTION_SLIDING] > 0);
    dent_response_destroy(response);
    dent_context_destroy(context);
}

/* Many contacts, squeezed bodies included: whatever the outcome, what one side gets the other gives. */
static void exact_responses_keep_momentum_and_repeat_their_bits(void **state)
{
    (void)state;
    double linear = 0, angular = 0;
    for (uint64_t seed = 1; seed <= rounds(12); seed++) {
        uint64_t hashes[2];
        for (uint32_t turn = 0; turn < 2; turn++) {
            struct cloud cloud;
            dent_response_report report;
            cloud_open(&cloud, seed, 8 + 6 * (uint32_t)seed, CLOUD_WITH_FIXED, 1 + 2 * turn);
            for (int step = 0; step < 4; step++) {
                dent_velocity_def velocity = dent_velocity_def_default();
                dent_position_def position = dent_position_def_default();
                velocity.exact = position.exact = true;
                velocity.after_positions = step == 3;
                cloud.problem.previous = cloud.forces_out;
                cloud.problem.previous_count = step > 0 ? cloud.problem.contact_count : 0;
                dent_status status = step % 2 == 0
                                         ? dent_position_solve(cloud.response, &cloud.problem, &position, &report)
                                         : dent_velocity_solve(cloud.response, &cloud.problem, &velocity, &report);
                assert_int_equal(status, DENT_OK);
                assert_int_equal(report.rejected, 0);
                for (int k = 0; k < 3; k++) {
                    linear = fmax(linear, fabs(report.momentum_error[k]) / (1e-300 + report.momentum_scale));
                    angular = fmax(angular, fabs(report.angular_error[k]) / (1e-300 + report.angular_scale));
                }
            }
            hashes[turn] = cloud_hash(&cloud);
            cloud_close(&cloud);
        }
        assert_true(hashes[0] == hashes[1]);
    }
    print_message("largest error of momentum %.2g, of angular momentum %.2g of the impulses\n", linear, angular);
    assert_true(linear < 1e-11 && angular < 1e-11);
}

/* Newton's restitution with friction can add energy: the response lowers it then, in both ways of solving. */
static void exact_impacts_with_friction_add_no_energy(void **state)
{
    (void)state;
    double worst = -INFINITY;
    uint64_t capped = 0;
    for (uint64_t seed = 1; seed <= 29 + rounds(1); seed++) {
        struct cloud cloud;
        dent_response_report report;
        dent_velocity_def def = dent_velocity_def_default();
        cloud_open(&cloud, seed, 2 + 3 * (uint32_t)(seed % 10), CLOUD_FREE, 1);
        cloud.problem.material_pair_count = 0;
        cloud.problem.material = (dent_contact_material){1, 1, 1, 0};
        for (uint32_t c = 0; c < cloud.problem.contact_count; c++) {
            cloud.contacts[c].gap = 0;
        }
        def.exact = true;
        def.correction = 0;
        assert_int_equal(dent_velocity_solve(cloud.response, &cloud.problem, &def, &report), DENT_OK);
        worst = report.pushed > 0 ? fmax(worst, report.energy_change / report.momentum_scale) : worst;
        capped += report.capped;
        cloud_close(&cloud);
    }
    print_message("largest gain %.2g (energy over impulses, at speeds of about 1), %llu impacts lowered\n", worst,
                  (unsigned long long)capped);
    assert_true(worst <= 1e-9 && capped > 0);
}

static void failing_memory_changes_nothing_and_a_warm_call_asks_for_none(void **state)
{
    (void)state;
    uint32_t failures = 0;
    bool done = false;
    for (uint64_t n = 1; !done; n++) {
        struct cloud cloud;
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        dent_velocity_def velocity = dent_velocity_def_default();
        velocity.exact = true;
        cloud_open(&cloud, 3, 30, CLOUD_FREE, 1);
        def.allocator = failing_allocator_hook(&memory);
        def.thread_count = 1;
        dent_context *context = dent_context_create(&def, NULL);
        dent_response *response = dent_response_create(context);
        uint64_t before = cloud_hash(&cloud);
        memory.requests = 0;
        memory.fail_at = n;
        dent_status status = dent_velocity_solve(response, &cloud.problem, &velocity, NULL);
        done = status == DENT_OK;
        if (!done) {
            assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
            assert_true(cloud_hash(&cloud) == before);
            failures++;
        } else {
            memory.requests = 0;
            memory.fail_at = 1;
            assert_int_equal(dent_velocity_solve(response, &cloud.problem, &velocity, NULL), DENT_OK);
        }
        dent_response_destroy(response);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
        cloud_close(&cloud);
    }
    assert_true(failures > 15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_of_the_sweeps_are_the_exact_ones),
        cmocka_unit_test(displacements_of_the_sweeps_are_the_exact_ones),
        cmocka_unit_test(soft_contacts_of_the_sweeps_are_the_exact_ones),
        cmocka_unit_test(friction_of_the_sweeps_is_the_exact_one),
        cmocka_unit_test(exact_responses_keep_momentum_and_repeat_their_bits),
        cmocka_unit_test(exact_impacts_with_friction_add_no_energy),
        cmocka_unit_test(failing_memory_changes_nothing_and_a_warm_call_asks_for_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
