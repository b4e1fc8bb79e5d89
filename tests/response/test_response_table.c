/* What every row of the response table must keep: momentum, the same bits on any number of threads, the caller's
 * numbers when memory fails, and good manners towards numbers that are none. */
#include "support_response.h"

#include "support/failing_allocator.h"

static uint32_t row_count(void)
{
    uint32_t count;
    dent_response_table(&count);
    return count;
}

static double largest3(const double v[3])
{
    double a = fabs(v[0]), b = fabs(v[1]), c = fabs(v[2]);
    return a > b ? (a > c ? a : c) : (b > c ? b : c);
}

static void check_momentum(enum cloud_kind kind)
{
    double worst_linear = 0, worst_angular = 0;
    for (uint32_t r = 0; r < row_count(); r++) {
        for (uint64_t seed = 1; seed <= 40; seed++) {
            struct cloud cloud;
            dent_response_report report, first = {0};
            cloud_open(&cloud, seed, (uint32_t)(1 + seed * seed / 2), kind, 1);
            for (int step = 0; step < 3; step++) { /* the later ones with the memory of the earlier */
                assert_int_equal(dent_response_table(NULL)[r].run(cloud.response, &cloud.problem, &report), DENT_OK);
                assert_int_equal(report.rejected, 0);
                assert_int_equal(report.pushed, report.sticking + report.sliding);
                if (step ==
                    0) { /* velocities that are already right take no impulse: the first step says what is small */
                    first = report;
                }
                if (first.pushed > 0) {
                    assert_true(first.momentum_scale > 0);
                    worst_linear = fmax(worst_linear, largest3(report.momentum_error) / first.momentum_scale);
                    worst_angular = fmax(worst_angular, largest3(report.angular_error) / first.angular_scale);
                }
                cloud.problem.previous = cloud.forces_out;
                cloud.problem.previous_count = cloud.problem.contact_count;
            }
            cloud_close(&cloud);
        }
    }
    printf("largest error of momentum %.3g, of angular momentum %.3g (relative to the sum of impulses)\n", worst_linear,
           worst_angular);
    assert_true(worst_linear < 1e-12);
    assert_true(worst_angular < 1e-12);
}

static void every_response_keeps_momentum_and_turns_as_predicted(void **state)
{
    (void)state;
    check_momentum(CLOUD_FREE);
}

static void fixed_vertices_and_bodies_take_what_is_missing(void **state)
{
    (void)state;
    check_momentum(CLOUD_WITH_FIXED);
}

/* All lengths times 2^k, moments of inertia times its square: the audit says the same of the same motion. */
static void the_audit_holds_for_very_large_and_very_small_bodies(void **state)
{
    (void)state;
    static const double scales[] = {0x1p512, 0x1p-500};
    for (int n = 0; n < 2; n++) {
        for (uint32_t r = 0; r < row_count(); r++) {
            struct cloud cloud;
            dent_response_report report;
            double scale = scales[n], lighter = n == 0 ? 0x1p300 : 0x1p-300; /* so that momenta are numbers */
            cloud_open(&cloud, 9, 200, CLOUD_FREE, 1);
            for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
                for (uint32_t k = 0; k < 3 * CLOUD_VERTICES; k++) {
                    cloud.positions[b][k / 3][k % 3] *= scale;
                    cloud.start[b][k / 3][k % 3] *= scale;
                    cloud.velocities[b][k / 3][k % 3] *= scale;
                }
                for (uint32_t v = 0; v < CLOUD_VERTICES; v++) {
                    cloud.inverse_masses[b][v] *= lighter;
                }
                for (int rigid = 0; rigid < 2; rigid++) {
                    dent_rigid_state *body = rigid ? &cloud.rigid_start[b] : &cloud.rigid[b];
                    body->inverse_mass *= lighter;
                    for (int k = 0; k < 9; k++) {
                        body->inverse_inertia[k] = body->inverse_inertia[k] * lighter / scale / scale;
                        body->center[k % 3] *= k < 3 ? scale : 1;
                        body->linear_velocity[k % 3] *= k < 3 ? scale : 1;
                    }
                }
            }
            for (uint32_t c = 0; c < 200; c++) {
                cloud.contacts[c].gap *= scale;
                cloud.contacts[c].error *= scale;
                for (int k = 0; k < 3; k++) {
                    cloud.contacts[c].point_a[k] *= scale;
                    cloud.contacts[c].point_b[k] *= scale;
                }
            }
            assert_int_equal(dent_response_table(NULL)[r].run(cloud.response, &cloud.problem, &report), DENT_OK);
            assert_int_equal(report.rejected, 0);
            assert_true(report.momentum_scale > 0 && isfinite(report.angular_scale));
            for (int axis = 0; axis < 3; axis++) {
                assert_true(fabs(report.momentum_error[axis]) <= 1e-12 * report.momentum_scale);
                assert_true(fabs(report.angular_error[axis]) <= 1e-12 * report.angular_scale);
            }
            cloud_close(&cloud);
        }
    }
}

/* Vertices of body 0 over points of body 2: at a distance along the normal, or at the same place. */
static void place_along_normals(struct cloud *cloud, double distance)
{
    for (uint32_t c = 0; c < cloud->problem.contact_count; c++) {
        dent_contact *contact = &cloud->contacts[c];
        double *x = cloud->positions[0][c];
        *contact = plain_contact(c, 0, c, 2, UINT32_MAX, contact->normal, -0.01);
        for (uint32_t k = 0; k < 4; k++) {
            contact->vertices_b[k] = 4 * c % 700 + k;
            contact->weights_b[k] = 0.25;
        }
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = distance * contact->normal[axis];
            for (uint32_t k = 0; k < 4; k++) {
                x[axis] += 0.25 * cloud->positions[2][contact->vertices_b[k]][axis];
            }
            contact->point_a[axis] = x[axis];
            contact->point_b[axis] = x[axis] - distance * contact->normal[axis];
        }
    }
}

static void angular_momentum_is_kept_where_points_coincide_or_lie_along_the_normal(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < row_count(); r++) {
        for (int apart = 0; apart < 2; apart++) {
            struct cloud cloud;
            dent_response_report report;
            cloud_open(&cloud, 31, 100, CLOUD_FREE, 1);
            cloud.problem.material_pair_count = 0;
            if (apart) {
                cloud.problem.material = (dent_contact_material){0}; /* friction pushes across the normal */
            }
            place_along_normals(&cloud, apart ? 0.3 : 0);
            assert_int_equal(dent_response_table(NULL)[r].run(cloud.response, &cloud.problem, &report), DENT_OK);
            assert_true(report.pushed > 20 && report.angular_scale > 0);
            for (int axis = 0; axis < 3; axis++) {
                double change = report.angular_error[axis] + report.angular_predicted[axis]; /* all of it */
                assert_true(fabs(change) <= 1e-12 * report.angular_scale);
            }
            cloud_close(&cloud);
        }
    }
}

/* Independent of the audit: the numbers themselves. */
static void momentum_of_free_vertices_is_what_it_was(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++) {
        struct cloud cloud;
        double before[3] = {0}, after[3] = {0}, scale = 0;
        cloud_open(&cloud, seed, 300, CLOUD_FREE, 1);
        for (int pass = 0; pass < 2; pass++) {
            double *sum = pass ? after : before;
            for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
                for (uint32_t v = 0; v < CLOUD_VERTICES && !cloud.bodies[b].rigid; v++) {
                    for (int k = 0; k < 3; k++) {
                        sum[k] += cloud.velocities[b][v][k] / cloud.inverse_masses[b][v];
                        scale += fabs(cloud.velocities[b][v][k] / cloud.inverse_masses[b][v]);
                    }
                }
                for (int k = 0; k < 3 && cloud.bodies[b].rigid; k++) {
                    sum[k] += cloud.rigid[b].linear_velocity[k] / cloud.rigid[b].inverse_mass;
                }
            }
            if (!pass) {
                dent_velocity_def def = dent_velocity_def_default();
                assert_int_equal(dent_velocity_solve(cloud.response, &cloud.problem, &def, NULL), DENT_OK);
            }
        }
        for (int k = 0; k < 3; k++) {
            assert_true(fabs(after[k] - before[k]) <= 1e-12 * scale);
        }
        cloud_close(&cloud);
    }
}

static void threads_do_not_change_a_bit(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < row_count(); r++) {
        uint64_t hashes[4];
        static const uint32_t threads[4] = {1, 2, 3, 8};
        for (int i = 0; i < 4; i++) {
            struct cloud cloud;
            cloud_open(&cloud, 99, 6000, CLOUD_WITH_FIXED, threads[i]);
            for (int step = 0; step < 2; step++) { /* the second one warm, with its own memory */
                assert_int_equal(dent_response_table(NULL)[r].run(cloud.response, &cloud.problem, NULL), DENT_OK);
                cloud.problem.previous = cloud.forces_out;
                cloud.problem.previous_count = cloud.problem.contact_count;
            }
            hashes[i] = cloud_hash(&cloud);
            assert_true(hashes[i] == hashes[0]);
            cloud_close(&cloud);
        }
    }
}

/* Pinned: compilers, optimisation levels and machines must agree. */
static void the_bits_are_the_same_everywhere(void **state)
{
    static const uint64_t golden[3] = {UINT64_C(0x833F88CE48F80E08), UINT64_C(0x402F9DF44FD704DB),
                                       UINT64_C(0x672AAB125BC6ECCA)};
    (void)state;
    assert_int_equal(row_count(), 3);
    for (uint32_t r = 0; r < row_count(); r++) {
        struct cloud cloud;
        cloud_open(&cloud, 2024, 700, CLOUD_WITH_FIXED, 1);
        for (int step = 0; step < 3; step++) {
            assert_int_equal(dent_response_table(NULL)[r].run(cloud.response, &cloud.problem, NULL), DENT_OK);
            cloud.problem.previous = cloud.forces_out;
            cloud.problem.previous_count = cloud.problem.contact_count;
        }
        if (cloud_hash(&cloud) != golden[r]) {
            print_error("%s: 0x%016llX\n", dent_response_table(NULL)[r].name, (unsigned long long)cloud_hash(&cloud));
        }
        assert_true(cloud_hash(&cloud) == golden[r]);
        cloud_close(&cloud);
    }
}

/* The memory of the last step is found by key, wherever it lies. */
static void records_of_the_last_step_may_come_in_any_order(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < row_count(); r++) {
        uint64_t hashes[2];
        for (int shuffled = 0; shuffled < 2; shuffled++) {
            struct cloud cloud;
            enum { COUNT = 500, EXTRA = 37 };
            dent_contact_force records[COUNT + EXTRA];
            cloud_open(&cloud, 5, COUNT, CLOUD_FREE, 1);
            const dent_response_row *row = &dent_response_table(NULL)[r];
            assert_int_equal(row->run(cloud.response, &cloud.problem, NULL), DENT_OK);
            memset(records, 0, sizeof records);
            for (int i = 0; i < COUNT; i++) {
                records[shuffled ? (i * 7 + 3) % COUNT + EXTRA : i] = cloud.forces_out[i];
            }
            cloud.problem.previous = records;
            cloud.problem.previous_count = shuffled ? COUNT + EXTRA : COUNT;
            assert_int_equal(row->run(cloud.response, &cloud.problem, NULL), DENT_OK);
            hashes[shuffled] = cloud_hash(&cloud);
            cloud_close(&cloud);
        }
        assert_true(hashes[0] == hashes[1]);
    }
}

static void numbers_that_are_none_are_refused_and_spoil_nothing(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < row_count(); r++) {
        struct cloud cloud;
        dent_response_report report;
        cloud_open(&cloud, 12, 200, CLOUD_FREE, 1);
        cloud.problem.audit = false;
        cloud.contacts[3].gap = NAN;
        cloud.contacts[5].normal[1] = INFINITY;
        cloud.contacts[7].weights_b[0] = NAN;
        cloud.contacts[9].body_b = CLOUD_BODIES;
        cloud.contacts[11].vertices_a[0] = CLOUD_VERTICES;
        cloud.contacts[11].body_a = 0;
        memset(cloud.contacts[13].normal, 0, sizeof cloud.contacts[13].normal);
        cloud.contacts[15].error = NAN;
        cloud.contacts[17].error = -1;
        cloud.contacts[19].error = INFINITY;
        for (uint32_t b = 0; b < CLOUD_BODIES; b++) { /* of a rigid body only the point counts, but it is no vertex */
            if (cloud.bodies[b].rigid && cloud.bodies[b].vertex_count > 0) {
                cloud.contacts[21].body_a = b;
                cloud.contacts[21].vertices_a[0] = cloud.bodies[b].vertex_count;
            }
        }
        assert_int_equal(dent_response_table(NULL)[r].run(cloud.response, &cloud.problem, &report), DENT_OK);
        assert_int_equal(report.rejected, 10);
        assert_true(report.pushed > 50);
        for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
            for (uint32_t v = 0; v < CLOUD_VERTICES; v++) {
                for (int k = 0; k < 3; k++) {
                    assert_true(isfinite(cloud.positions[b][v][k]) && isfinite(cloud.velocities[b][v][k]) &&
                                isfinite(cloud.forces[b][v][k]));
                }
            }
        }
        for (int i = 3; i <= 21; i += 2) {
            assert_int_equal(cloud.forces_out[i].state, DENT_ACTION_REJECTED);
            assert_true(cloud.forces_out[i].normal == 0);
        }
        cloud_close(&cloud);
    }
}

static void huge_and_tiny_numbers_stay_finite(void **state)
{
    static const double scales[] = {1e150, 1e-150, 1e300, 1e-300};
    (void)state;
    for (uint32_t r = 0; r < row_count(); r++) {
        for (int s = 0; s < 4; s++) {
            struct cloud cloud;
            cloud_open(&cloud, 77, 300, CLOUD_FREE, 1);
            for (uint32_t i = 0; i < 300; i++) {
                cloud.contacts[i].gap *= scales[s];
            }
            cloud.problem.audit = false;
            assert_int_equal(dent_response_table(NULL)[r].run(cloud.response, &cloud.problem, NULL), DENT_OK);
            for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
                for (uint32_t v = 0; v < CLOUD_VERTICES; v++) {
                    for (int k = 0; k < 3; k++) {
                        assert_true(isfinite(cloud.positions[b][v][k]) && isfinite(cloud.velocities[b][v][k]) &&
                                    isfinite(cloud.forces[b][v][k]));
                    }
                }
            }
            cloud_close(&cloud);
        }
    }
}

static void when_memory_fails_nothing_is_changed(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < row_count(); r++) {
        uint64_t n = 1;
        for (bool done = false; !done; n++) {
            struct cloud cloud;
            struct failing_allocator memory = failing_allocator_make();
            dent_context_def def = dent_context_def_default();
            cloud_open(&cloud, 3, 400, CLOUD_FREE, 1);
            cloud.problem.previous = cloud.forces_out;
            cloud.problem.previous_count = 300;
            def.allocator = failing_allocator_hook(&memory);
            def.thread_count = 1;
            dent_context *context = dent_context_create(&def, NULL);
            dent_response *response = dent_response_create(context);
            assert_non_null(response);
            uint64_t before = cloud_hash(&cloud);
            memory.requests = 0;
            memory.fail_at = n;
            dent_status status = dent_response_table(NULL)[r].run(response, &cloud.problem, NULL);
            done = status == DENT_OK;
            if (!done) {
                assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
                assert_true(cloud_hash(&cloud) == before);
            } else {
                memory.requests = 0;
                memory.fail_at = 1; /* warm: no allocation at all */
                assert_int_equal(dent_response_table(NULL)[r].run(response, &cloud.problem, NULL), DENT_OK);
            }
            dent_response_destroy(response);
            dent_context_destroy(context);
            assert_true(failing_allocator_clean(&memory));
            cloud_close(&cloud);
        }
        assert_true(n > 5);
    }
}

static void bad_problems_are_refused_with_words(void **state)
{
    (void)state;
    struct cloud cloud;
    char text[200];
    cloud_open(&cloud, 8, 10, CLOUD_FREE, 1);
    uint64_t before = cloud_hash(&cloud);
    for (uint32_t r = 0; r < row_count(); r++) {
        const dent_response_row *row = &dent_response_table(NULL)[r];
        for (int kind = 0; kind < 5; kind++) {
            dent_response_problem problem = cloud.problem;
            problem.struct_size -= kind == 0;
            problem.time_step = kind == 1 ? 0 : kind == 2 ? NAN : problem.time_step;
            problem.material.restitution = kind == 3 ? 1.5 : 0;
            problem.contacts = kind == 4 ? NULL : problem.contacts;
            assert_int_equal(row->run(cloud.response, &problem, NULL), DENT_ERROR_INVALID_ARGUMENT);
            assert_true(dent_context_message(cloud.context, text, sizeof text) > 10);
        }
        assert_true(strlen(row->name) > 0 && strlen(row->summary) > 0 && strlen(row->writes) > 0);
        assert_int_equal(row->kind, r + 1);
    }
    dent_penalty_def none = {0};
    assert_int_equal(dent_penalty_forces(cloud.response, &cloud.problem, &none, NULL), DENT_ERROR_INVALID_ARGUMENT);
    dent_position_def position = dent_position_def_default();
    position.iterations = 0;
    assert_int_equal(dent_position_solve(cloud.response, &cloud.problem, &position, NULL), DENT_ERROR_INVALID_ARGUMENT);
    dent_velocity_def velocity = dent_velocity_def_default();
    velocity.correction = NAN;
    assert_int_equal(dent_velocity_solve(cloud.response, &cloud.problem, &velocity, NULL), DENT_ERROR_INVALID_ARGUMENT);
    assert_true(cloud_hash(&cloud) == before);
    cloud_close(&cloud);
}

/* a and b exchanged and the normal turned: the same motion. */
static void swapping_the_sides_changes_only_rounding(void **state)
{
    (void)state;
    for (uint32_t r = 0; r < row_count(); r++) {
        struct cloud plain, swapped;
        cloud_open(&plain, 21, 60, CLOUD_FREE, 1);
        cloud_open(&swapped, 21, 60, CLOUD_FREE, 1);
        for (uint32_t i = 0; i < 60; i++) {
            const dent_contact *from = &plain.contacts[i];
            dent_contact *to = &swapped.contacts[i];
            to->body_a = from->body_b;
            to->body_b = from->body_a;
            to->material_b = from->material_a;
            to->material_a = from->material_b;
            memcpy(to->vertices_a, from->vertices_b, sizeof to->vertices_a);
            memcpy(to->vertices_b, from->vertices_a, sizeof to->vertices_a);
            memcpy(to->weights_a, from->weights_b, sizeof to->weights_a);
            memcpy(to->weights_b, from->weights_a, sizeof to->weights_a);
            memcpy(to->point_a, from->point_b, sizeof to->point_a);
            memcpy(to->point_b, from->point_a, sizeof to->point_a);
            for (int k = 0; k < 3; k++) {
                to->normal[k] = -from->normal[k];
            }
        }
        assert_int_equal(dent_response_table(NULL)[r].run(plain.response, &plain.problem, NULL), DENT_OK);
        assert_int_equal(dent_response_table(NULL)[r].run(swapped.response, &swapped.problem, NULL), DENT_OK);
        for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
            for (uint32_t v = 0; v < CLOUD_VERTICES; v++) {
                for (int k = 0; k < 3; k++) {
                    assert_true(fabs(plain.positions[b][v][k] - swapped.positions[b][v][k]) < 1e-10);
                    assert_true(fabs(plain.velocities[b][v][k] - swapped.velocities[b][v][k]) < 1e-8);
                    double force = fabs(plain.forces[b][v][k]);
                    assert_true(fabs(plain.forces[b][v][k] - swapped.forces[b][v][k]) <= 1e-10 * (1 + force));
                }
            }
        }
        cloud_close(&plain);
        cloud_close(&swapped);
    }
}

/* Lengths times `length` and masses times `mass`, both powers of two; time stays. */
static void scale_cloud(struct cloud *cloud, dent_material_pair pairs[2], double length, double mass)
{
    double *arrays[4] = {cloud->positions[0][0], cloud->start[0][0], cloud->velocities[0][0], NULL};
    for (int a = 0; arrays[a]; a++) {
        for (size_t i = 0; i < sizeof cloud->positions / sizeof(double); i++) {
            arrays[a][i] *= length;
        }
    }
    for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
        for (uint32_t v = 0; v < CLOUD_VERTICES; v++) {
            cloud->inverse_masses[b][v] /= mass;
        }
        for (int pass = 0; pass < 2; pass++) {
            dent_rigid_state *rigid = pass ? &cloud->rigid_start[b] : &cloud->rigid[b];
            rigid->inverse_mass /= mass;
            for (int i = 0; i < 9; i++) {
                rigid->inverse_inertia[i] /= mass * length * length;
            }
            for (int i = 0; i < 3; i++) {
                rigid->center[i] *= length;
                rigid->linear_velocity[i] *= length;
            }
        }
    }
    for (uint64_t c = 0; c < cloud->problem.contact_count; c++) {
        cloud->contacts[c].gap *= length;
        for (int i = 0; i < 3; i++) {
            cloud->contacts[c].point_a[i] *= length;
            cloud->contacts[c].point_b[i] *= length;
        }
    }
    memcpy(pairs, cloud->problem.material_pairs, 2 * sizeof *pairs);
    pairs[0].material.compliance /= mass;
    cloud->problem.material_pairs = pairs;
}

static void powers_of_two_of_length_and_mass_scale_every_bit(void **state)
{
    (void)state;
    const double length = 8, mass = 1.0 / 16;
    for (uint32_t r = 0; r < row_count(); r++) {
        struct cloud plain, scaled;
        dent_material_pair pairs[2];
        cloud_open(&plain, 40, 300, CLOUD_WITH_FIXED, 1);
        cloud_open(&scaled, 40, 300, CLOUD_WITH_FIXED, 1);
        scale_cloud(&scaled, pairs, length, mass);
        assert_int_equal(dent_response_table(NULL)[r].run(plain.response, &plain.problem, NULL), DENT_OK);
        assert_int_equal(dent_response_table(NULL)[r].run(scaled.response, &scaled.problem, NULL), DENT_OK);
        for (uint32_t b = 0; b < CLOUD_BODIES; b++) {
            for (uint32_t v = 0; v < CLOUD_VERTICES; v++) {
                for (int k = 0; k < 3; k++) {
                    assert_true(length * plain.positions[b][v][k] == scaled.positions[b][v][k]);
                    assert_true(length * plain.velocities[b][v][k] == scaled.velocities[b][v][k]);
                    assert_true(length * mass * plain.forces[b][v][k] == scaled.forces[b][v][k]);
                }
            }
            for (int k = 0; k < 3; k++) {
                assert_true(length * plain.rigid[b].center[k] == scaled.rigid[b].center[k]);
                assert_true(plain.rigid[b].orientation[k] == scaled.rigid[b].orientation[k]);
                assert_true(plain.rigid[b].angular_velocity[k] == scaled.rigid[b].angular_velocity[k]);
                assert_true(length * mass * plain.rigid_forces[b][k] == scaled.rigid_forces[b][k]);
            }
        }
        cloud_close(&plain);
        cloud_close(&scaled);
    }
}

static void no_contacts_and_no_bodies_are_fine(void **state)
{
    (void)state;
    struct cloud cloud;
    cloud_open(&cloud, 8, 0, CLOUD_FREE, 1);
    uint64_t before = cloud_hash(&cloud);
    for (uint32_t r = 0; r < row_count(); r++) {
        dent_response_problem problem = cloud.problem;
        dent_response_report report;
        assert_int_equal(dent_response_table(NULL)[r].run(cloud.response, &problem, &report), DENT_OK);
        problem.bodies = NULL;
        problem.body_count = 0;
        assert_int_equal(dent_response_table(NULL)[r].run(cloud.response, &problem, &report), DENT_OK);
        assert_int_equal(report.contacts, 0);
    }
    assert_true(cloud_hash(&cloud) == before);
    cloud_close(&cloud);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_response_keeps_momentum_and_turns_as_predicted),
        cmocka_unit_test(fixed_vertices_and_bodies_take_what_is_missing),
        cmocka_unit_test(the_audit_holds_for_very_large_and_very_small_bodies),
        cmocka_unit_test(angular_momentum_is_kept_where_points_coincide_or_lie_along_the_normal),
        cmocka_unit_test(momentum_of_free_vertices_is_what_it_was),
        cmocka_unit_test(threads_do_not_change_a_bit),
        cmocka_unit_test(the_bits_are_the_same_everywhere),
        cmocka_unit_test(records_of_the_last_step_may_come_in_any_order),
        cmocka_unit_test(numbers_that_are_none_are_refused_and_spoil_nothing),
        cmocka_unit_test(huge_and_tiny_numbers_stay_finite),
        cmocka_unit_test(when_memory_fails_nothing_is_changed),
        cmocka_unit_test(bad_problems_are_refused_with_words),
        cmocka_unit_test(swapping_the_sides_changes_only_rounding),
        cmocka_unit_test(powers_of_two_of_length_and_mass_scale_every_bit),
        cmocka_unit_test(no_contacts_and_no_bodies_are_fine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
