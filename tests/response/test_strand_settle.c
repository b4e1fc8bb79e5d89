/* Strands against bodies that do not move for them: everything ends outside, speeds obey Coulomb, fixed vertices and bad
 * numbers stay as they are. */
#include "support_response.h"

#include "support/test_context.h"

enum { STRANDS = 20, NODES = 12, VERTICES = STRANDS * NODES };

struct strands {
    uint32_t first[STRANDS + 1];
    double inverse_masses[VERTICES], positions[3 * VERTICES], velocities[3 * VERTICES], radii[VERTICES];
    dent_strand_motion motion;
};

static void strands_random(struct strands *strands, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed);
    for (uint32_t s = 0; s <= STRANDS; s++) {
        strands->first[s] = s * NODES;
    }
    for (uint32_t v = 0; v < VERTICES; v++) {
        strands->inverse_masses[v] = v % NODES == 0 ? 0 : 0.5 + dent_random_unit(&random);
        strands->radii[v] = 0.01 + 0.02 * dent_random_unit(&random);
        for (int axis = 0; axis < 3; axis++) {
            double *x = &strands->positions[3 * v + (uint32_t)axis];
            *x = v % NODES == 0 ? 4 * dent_random_unit(&random) - 2 : x[-3] + 0.6 * (dent_random_unit(&random) - 0.5);
            strands->velocities[3 * v + (uint32_t)axis] = dent_random_unit(&random) - 0.5;
        }
    }
    strands->motion =
        (dent_strand_motion){.shape = {.strand_count = STRANDS, .first = strands->first, .radii = strands->radii},
                             .vertex_count = VERTICES,
                             .inverse_masses = strands->inverse_masses,
                             .positions = strands->positions,
                             .velocities = strands->velocities};
}

static double distance_to(const double *x, const double center[3])
{
    return sqrt((x[0] - center[0]) * (x[0] - center[0]) + (x[1] - center[1]) * (x[1] - center[1]) +
                (x[2] - center[2]) * (x[2] - center[2]));
}

static void every_movable_vertex_leaves_a_sphere_and_no_other_moves(void **state)
{
    dent_moving_sphere sphere = {.center = {0.1, -0.2, 0.3}, .radius = 1.2, .angular_velocity = {0, 0, 2}};
    dent_contact_material material = dent_contact_material_default();
    uint64_t moved = 0;
    for (uint64_t seed = 1; seed <= 50; seed++) {
        struct strands strands, before;
        dent_strand_settle_report report;
        strands_random(&strands, seed);
        before = strands;
        assert_int_equal(dent_strand_settle_on_spheres(*state, &strands.motion, &sphere, 1, &material, &report),
                         DENT_OK);
        for (uint32_t v = 0; v < VERTICES; v++) {
            double now = distance_to(strands.positions + 3 * v, sphere.center),
                   reach = sphere.radius + strands.radii[v];
            bool touched = memcmp(strands.positions + 3 * v, before.positions + 3 * v, 3 * sizeof(double)) != 0;
            if (strands.inverse_masses[v] == 0) {
                assert_false(touched);
            } else {
                assert_true(now >= reach * (1 - 1e-14));
            }
        }
        assert_int_equal(report.moved, report.sticking + report.sliding + report.leaving);
        assert_int_equal(report.rejected, 0);
        moved += report.moved;
        /* Vertices are out. A segment pushed out may push its neighbours' segments; they are out after a few calls. */
        for (int call = 0; call < 200 && report.moved > 0; call++) {
            assert_int_equal(dent_strand_settle_on_spheres(*state, &strands.motion, &sphere, 1, &material, &report),
                             DENT_OK);
        }
        assert_true(report.deepest < 1e-6);
    }
    assert_true(moved > 1000);
}

/* One vertex falls on a sphere with a tangential speed. */
static enum dent_contact_action fall(dent_context *context, double sideways, double down, double velocity[3])
{
    uint32_t first[2] = {0, 1};
    double position[3] = {0, 0, 0.9};
    velocity[0] = sideways;
    velocity[1] = 0;
    velocity[2] = -down;
    dent_strand_motion motion = {
        .shape = {.strand_count = 1, .first = first}, .vertex_count = 1, .positions = position, .velocities = velocity};
    dent_moving_sphere sphere = {.radius = 1};
    dent_contact_material material = {.friction_static = 0.5, .friction_kinetic = 0.25};
    dent_strand_settle_report report;
    assert_int_equal(dent_strand_settle_on_spheres(context, &motion, &sphere, 1, &material, &report), DENT_OK);
    assert_int_equal(report.moved, 1);
    assert_true(fabs(position[2] - 1) < 1e-15 && position[0] == 0);
    return report.sticking ? DENT_ACTION_STICKING : report.sliding ? DENT_ACTION_SLIDING : DENT_ACTION_NONE;
}

static void a_strand_sticks_below_mu_and_slides_above(void **state)
{
    double velocity[3];
    assert_int_equal(fall(*state, 0.49, 1, velocity), DENT_ACTION_STICKING);
    assert_true(velocity[0] == 0 && velocity[2] == 0);
    assert_int_equal(fall(*state, 0.75, 1, velocity), DENT_ACTION_SLIDING);
    assert_true(fabs(velocity[0] - 0.5) < 1e-15 && velocity[2] == 0);
    assert_int_equal(fall(*state, 0.75, -1, velocity), DENT_ACTION_NONE);
    assert_true(velocity[0] == 0.75 && velocity[2] == 1);
}

static void a_strand_on_a_turning_sphere_is_carried_along(void **state)
{
    uint32_t first[2] = {0, 1};
    double position[3] = {0, 0, 0.99}, velocity[3] = {0, 0, -10};
    dent_strand_motion motion = {
        .shape = {.strand_count = 1, .first = first}, .vertex_count = 1, .positions = position, .velocities = velocity};
    dent_moving_sphere sphere = {.radius = 1, .linear_velocity = {0, 0, 0.5}, .angular_velocity = {0, 3, 0}};
    dent_contact_material material = {.friction_static = 1, .friction_kinetic = 1};
    assert_int_equal(dent_strand_settle_on_spheres(*state, &motion, &sphere, 1, &material, NULL), DENT_OK);
    assert_true(fabs(velocity[0] - 3) < 1e-14 && fabs(velocity[2] - 0.5) < 1e-14);
}

static void a_segment_through_a_sphere_leaves_it(void **state)
{
    uint32_t first[2] = {0, 2};
    double positions[6] = {-2, 0, 0.5, 2, 0, 0.5};
    dent_strand_motion motion = {
        .shape = {.strand_count = 1, .first = first, .radius = 0.25}, .vertex_count = 2, .positions = positions};
    dent_moving_sphere sphere = {.radius = 1};
    dent_contact_material material = dent_contact_material_default();
    dent_strand_settle_report report;
    assert_int_equal(dent_strand_settle_on_spheres(*state, &motion, &sphere, 1, &material, &report), DENT_OK);
    assert_true(fabs(positions[2] - 1.25) < 1e-15 && fabs(positions[5] - 1.25) < 1e-15);
    assert_true(report.deepest == 0.75);
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/* Strands above the moving plane z = 0, which is body 1; every vertex has a contact. */
static void strands_above_a_mesh_end_on_it_with_its_velocity(void **state)
{
    dent_response *response = dent_response_create(*state);
    struct strands strands;
    strands_random(&strands, 3);
    double plane_positions[9] = {-9, -9, 0, 9, -9, 0, 0, 9, 0}, plane_velocities[9] = {0};
    for (int v = 0; v < 3; v++) {
        plane_velocities[3 * v] = 0.25;
    }
    dent_contact contacts[VERTICES];
    for (uint32_t v = 0; v < VERTICES; v++) {
        static const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
        double *x = strands.positions + 3 * v;
        x[2] *= 0.01;
        bool swap = v % 2; /* the strand is side a or side b */
        contacts[v] = swap ? plain_contact(v, 1, 0, 0, v, down, x[2]) : plain_contact(v, 0, v, 1, 0, up, x[2]);
        memcpy(swap ? contacts[v].point_b : contacts[v].point_a, x, 3 * sizeof *x);
        double *foot = swap ? contacts[v].point_a : contacts[v].point_b;
        foot[0] = x[0];
        foot[1] = x[1];
    }
    dent_strand_shape shapes[2] = {strands.motion.shape, {0}};
    dent_response_body bodies[2] = {{.vertex_count = VERTICES,
                                     .inverse_masses = strands.inverse_masses,
                                     .positions = strands.positions,
                                     .velocities = strands.velocities},
                                    {.vertex_count = 3, .positions = plane_positions, .velocities = plane_velocities}};
    dent_response_problem problem = dent_response_problem_default();
    problem.contacts = contacts;
    problem.contact_count = VERTICES;
    problem.bodies = bodies;
    problem.body_count = 2;
    problem.material = (dent_contact_material){.friction_static = 100, .friction_kinetic = 100};
    dent_strand_settle_def def = dent_strand_settle_def_default();
    def.shapes = shapes;
    struct strands before = strands;
    dent_strand_settle_report report;
    assert_int_equal(dent_strand_settle(response, &problem, &def, &report), DENT_OK);
    assert_int_equal(report.rejected, STRANDS); /* the roots cannot move */
    uint64_t stuck = 0;
    for (uint32_t v = 0; v < VERTICES; v++) {
        const double *x = strands.positions + 3 * v, *u = strands.velocities + 3 * v;
        bool inside = before.positions[3 * v + 2]<strands.radii[v], movable = strands.inverse_masses[v]> 0;
        if (inside && movable) {
            assert_true(fabs(x[2] - strands.radii[v]) < 1e-15);
            if (before.velocities[3 * v + 2] < 0 && u[2] == 0 && fabs(u[0] - 0.25) < 1e-15 && fabs(u[1]) < 1e-15) {
                stuck++;
            }
        } else {
            assert_memory_equal(x, before.positions + 3 * v, 3 * sizeof *x);
            assert_memory_equal(u, before.velocities + 3 * v, 3 * sizeof *u);
        }
    }
    assert_int_equal(stuck, report.sticking);
    assert_true(stuck > 20 && report.moved > 50);
    assert_true(plane_positions[2] == 0);

    /* Two strands, or none, are not for this call. */
    problem.contact_count = 1;
    contacts[0] = plain_contact(0, 0, 1, 0, 30, (const double[3]){0, 0, 1}, -1);
    assert_int_equal(dent_strand_settle(response, &problem, &def, &report), DENT_OK);
    assert_int_equal(report.rejected, 1);
    def.shapes = NULL;
    assert_int_equal(dent_strand_settle(response, &problem, &def, &report), DENT_OK);
    assert_int_equal(report.rejected, 1);
    def.sweeps = 0;
    assert_int_equal(dent_strand_settle(response, &problem, &def, &report), DENT_ERROR_INVALID_ARGUMENT);
    dent_response_destroy(response);
}

static void bad_spheres_and_bad_numbers_are_rejected(void **state)
{
    struct strands strands, before;
    dent_contact_material material = dent_contact_material_default();
    dent_moving_sphere sphere = {.radius = 1.5};
    dent_strand_settle_report report;
    strands_random(&strands, 5);
    strands.positions[3 * 7] = NAN;
    strands.velocities[3 * 8] = INFINITY;
    strands.radii[9] = -1;
    before = strands;
    assert_int_equal(dent_strand_settle_on_spheres(*state, &strands.motion, &sphere, 1, &material, &report), DENT_OK);
    assert_int_equal(report.rejected, 3);
    for (uint32_t v = 7; v < 10; v++) {
        assert_memory_equal(strands.positions + 3 * v, before.positions + 3 * v, 3 * sizeof(double));
    }
    for (uint32_t i = 3 * NODES; i < 3 * VERTICES; i++) {
        assert_true(isfinite(strands.positions[i]) && isfinite(strands.velocities[i]));
    }
    static const double radii[] = {0, -1, NAN, INFINITY};
    for (int i = 0; i < 4; i++) {
        sphere.radius = radii[i];
        assert_int_equal(dent_strand_settle_on_spheres(*state, &strands.motion, &sphere, 1, &material, NULL),
                         DENT_ERROR_INVALID_ARGUMENT);
    }
    sphere.radius = 1;
    strands.first[4] = 4 * VERTICES;
    assert_int_equal(dent_strand_settle_on_spheres(*state, &strands.motion, &sphere, 1, &material, NULL),
                     DENT_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_movable_vertex_leaves_a_sphere_and_no_other_moves),
        cmocka_unit_test(a_strand_sticks_below_mu_and_slides_above),
        cmocka_unit_test(a_strand_on_a_turning_sphere_is_carried_along),
        cmocka_unit_test(a_segment_through_a_sphere_leaves_it),
        cmocka_unit_test(strands_above_a_mesh_end_on_it_with_its_velocity),
        cmocka_unit_test(bad_spheres_and_bad_numbers_are_rejected),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
