/* Forces of strands: the law and its energy, friction of scales, parallel and crossing strands, momentum, and the
 * blocks for implicit integrators against finite differences. */
#include "support_response.h"

#include "geometry/metric/feature_distance.h"
#include "support/failing_allocator.h"
#include "support/test_context.h"

static double integral_of_force(double k, double smoothing, double depth)
{
    /* Simpson's rule is exact for the law on each of its two pieces. */
    double sum = 0, knots[3] = {0, depth < smoothing ? depth : smoothing, depth};
    for (int piece = 0; piece < 2; piece++) {
        double a = knots[piece], b = knots[piece + 1], middle = 0.5 * (a + b);
        sum += (b - a) / 6 *
               (dent_strand_law(k, smoothing, a).force + 4 * dent_strand_law(k, smoothing, middle).force +
                dent_strand_law(k, smoothing, b).force);
    }
    return sum;
}

static void energy_of_the_law_is_the_integral_of_its_force(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(1);
    for (int i = 0; i < 10000; i++) {
        double k = 1 + 100 * dent_random_unit(&random), smoothing = dent_random_unit(&random);
        double depth = 3 * dent_random_unit(&random);
        dent_strand_law_value value = dent_strand_law(k, smoothing, depth);
        assert_true(fabs(value.energy - integral_of_force(k, smoothing, depth)) <= 1e-12 * (1 + value.energy));
        double step = 1e-6, slope = (dent_strand_law(k, smoothing, depth + step).force -
                                     dent_strand_law(k, smoothing, depth - step).force) /
                                    (2 * step);
        assert_true(fabs(slope - value.slope) <= 1e-5 * k / smoothing);
    }
    /* Value and slope at the seam, and no force without overlap. */
    assert_true(dent_strand_law(8, 0.5, 0.5).force == 2 && dent_strand_law(8, 0.5, 0.5).slope == 8);
    assert_true(dent_strand_law(8, 0.5, 0).force == 0 && dent_strand_law(8, 0.5, -1).energy == 0);
    assert_true(dent_strand_law(8, 0, 0.25).force == 2 && dent_strand_law(8, 0.5, NAN).force == 0);
}

static void roughness_is_1_with_the_scales_and_2_against_them(void **state)
{
    (void)state;
    const double direction[3] = {0.6, 0, 0.8}, with[3] = {3, 0, 4}, against[3] = {-6e200, 0, -8e200};
    const double across[3] = {0, 1e-300, 0}, still[3] = {0}, unknown[3] = {NAN, 1, 1}, endless[3] = {INFINITY, 0, 0};
    assert_true(fabs(dent_strand_roughness(with, direction) - 1) < 1e-15);
    assert_true(fabs(dent_strand_roughness(against, direction) - 2) < 1e-15);
    assert_true(fabs(dent_strand_roughness(across, direction) - (1 + sqrt(0.5))) < 1e-15);
    assert_true(dent_strand_roughness(still, direction) == 1 && dent_strand_roughness(unknown, direction) == 1);
    assert_true(dent_strand_roughness(endless, direction) == 1 && dent_strand_roughness(NULL, direction) == 0);
}

/* ---- two segments ------------------------------------------------------------------------------------------------ */

/* Two bodies of one segment each. */
struct pair {
    double inverse_masses[2][2], positions[2][6], velocities[2][6], forces[2][6];
    uint32_t first[2];
    dent_strand_shape shapes[2];
    dent_response_body bodies[2];
    dent_contact contact;
    dent_contact_force force;
    dent_strand_block block;
    dent_response_problem problem;
    dent_strand_forces_def def;
};

static void pair_open(struct pair *pair, double radius)
{
    memset(pair, 0, sizeof *pair);
    pair->first[1] = 2;
    pair->problem = dent_response_problem_default();
    pair->problem.contacts = &pair->contact;
    pair->problem.contact_count = 1;
    pair->problem.bodies = pair->bodies;
    pair->problem.body_count = 2;
    pair->problem.forces = &pair->force;
    pair->problem.audit = true;
    pair->problem.time_step = 1e-4;
    pair->def = dent_strand_forces_def_default();
    pair->def.shapes = pair->shapes;
    pair->def.blocks = &pair->block;
    for (int side = 0; side < 2; side++) {
        pair->shapes[side] = (dent_strand_shape){.strand_count = 1, .first = pair->first, .radius = radius};
        pair->inverse_masses[side][0] = pair->inverse_masses[side][1] = 1;
        pair->bodies[side] = (dent_response_body){.vertex_count = 2,
                                                  .inverse_masses = pair->inverse_masses[side],
                                                  .positions = pair->positions[side],
                                                  .velocities = pair->velocities[side],
                                                  .forces = pair->forces[side]};
    }
}

/* The contact of the closest points at the present positions. */
static void pair_detect(struct pair *pair)
{
    struct closest_pair closest;
    const double *a[2] = {pair->positions[0], pair->positions[0] + 3};
    const double *b[2] = {pair->positions[1], pair->positions[1] + 3};
    closest_of_edges(a, b, &closest);
    dent_contact *contact = &pair->contact;
    memset(contact, 0, sizeof *contact);
    contact->key = 7;
    contact->body_b = 1;
    contact->kind = DENT_CONTACT_EDGE_EDGE;
    contact->source = DENT_CONTACT_SOURCE_GAP;
    contact->time = 1;
    contact->gap = closest.distance;
    memcpy(contact->normal, closest.direction, sizeof contact->normal);
    for (uint32_t i = 0; i < 4; i++) {
        contact->vertices_a[i] = contact->vertices_b[i] = i < 2 ? i : UINT32_MAX;
        contact->weights_a[i] = i < 2 ? closest.weights_a[i] : 0;
        contact->weights_b[i] = i < 2 ? closest.weights_b[i] : 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        contact->point_a[axis] = closest.weights_a[0] * a[0][axis] + closest.weights_a[1] * a[1][axis];
        contact->point_b[axis] = closest.weights_b[0] * b[0][axis] + closest.weights_b[1] * b[1][axis];
    }
}

static dent_response_report pair_forces(struct pair *pair, dent_response *response)
{
    dent_response_report report;
    memset(pair->forces, 0, sizeof pair->forces);
    assert_int_equal(dent_strand_forces(response, &pair->problem, &pair->def, &report), DENT_OK);
    return report;
}

static void pair_random(struct pair *pair, dent_random *random)
{
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < 6; i++) {
            pair->positions[side][i] = dent_random_unit(random) - 0.5;
            pair->velocities[side][i] = dent_random_unit(random) - 0.5;
        }
        for (int i = 0; i < 2; i++) {
            pair->inverse_masses[side][i] = 0.5 + dent_random_unit(random);
        }
    }
}

static void internal_forces_sum_to_zero_and_turn_by_the_lever_of_friction(void **state)
{
    dent_response *response = dent_response_create(*state);
    dent_random random = dent_random_seeded(2);
    struct pair pair;
    uint32_t pushed = 0;
    for (int round = 0; round < 3000; round++) {
        pair_open(&pair, 0.2);
        pair_random(&pair, &random);
        pair_detect(&pair);
        dent_response_report report = pair_forces(&pair, response);
        double sum[3] = {0}, torque[3] = {0}, scale = 1e-300, lever[3], expected[3];
        for (int side = 0; side < 2; side++) {
            for (int v = 0; v < 2; v++) {
                const double *f = pair.forces[side] + 3 * v, *x = pair.positions[side] + 3 * v;
                for (int axis = 0; axis < 3; axis++) {
                    sum[axis] += f[axis];
                    torque[axis] += x[(axis + 1) % 3] * f[(axis + 2) % 3] - x[(axis + 2) % 3] * f[(axis + 1) % 3];
                    scale += fabs(f[axis]);
                }
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            lever[axis] = pair.contact.gap * pair.contact.normal[axis];
        }
        const double *tangent = pair.force.tangent;
        for (int axis = 0; axis < 3; axis++) {
            int j = (axis + 1) % 3, k = (axis + 2) % 3;
            expected[axis] = (lever[j] * tangent[k] - lever[k] * tangent[j]) / pair.problem.time_step;
            assert_true(fabs(sum[axis]) <= 1e-14 * scale);
            assert_true(fabs(torque[axis] - expected[axis]) <= 1e-14 * scale);
        }
        assert_true(fabs(report.momentum_error[0]) <= 1e-14 * report.momentum_scale);
        pushed += (uint32_t)report.pushed;
    }
    assert_true(pushed > 500);
    dent_response_destroy(response);
}

/* The force on every vertex is minus the gradient of the energy, closest points found anew: the weights do not matter to
 * first order. */
static void normal_force_is_the_gradient_of_the_energy(void **state)
{
    dent_response *response = dent_response_create(*state);
    dent_random random = dent_random_seeded(3);
    struct pair pair;
    uint32_t tested = 0;
    for (int round = 0; round < 1000; round++) {
        pair_open(&pair, 0.2);
        pair_random(&pair, &random);
        memset(pair.velocities, 0, sizeof pair.velocities);
        pair.def.stiffness = 50;
        pair.def.explicit_limits = false;
        pair.def.parallel_stiffness = 1; /* orientation does not change the law here */
        pair.def.smoothing = 0.5;
        pair_detect(&pair);
        pair_forces(&pair, response);
        if (pair.contact.gap < 0.05 || pair.block.energy <= 0) {
            continue;
        }
        for (int n = 0; n < 12; n++) {
            double *x = &pair.positions[n / 6][n % 6], kept = *x, force = pair.forces[n / 6][n % 6], energy[2];
            struct pair moved = pair;
            for (int side = 0; side < 2; side++) {
                double step = side ? 1e-6 : -1e-6;
                moved.positions[n / 6][n % 6] = kept + step;
                for (int b = 0; b < 2; b++) {
                    moved.bodies[b].positions = moved.positions[b];
                    moved.bodies[b].forces = moved.forces[b];
                }
                moved.problem.bodies = moved.bodies;
                moved.problem.contacts = &moved.contact;
                moved.def.blocks = &moved.block;
                pair_detect(&moved);
                pair_forces(&moved, response);
                energy[side] = moved.block.energy;
            }
            assert_true(fabs(force + (energy[1] - energy[0]) / 2e-6) <= 1e-5);
        }
        tested++;
    }
    assert_true(tested > 100);
    dent_response_destroy(response);
}

/* Moves body a as a whole: xa - xb changes, weights stay. */
static void blocks_are_derivatives_of_the_force(void **state)
{
    dent_response *response = dent_response_create(*state);
    dent_random random = dent_random_seeded(4);
    struct pair pair;
    uint32_t tested = 0;
    for (int round = 0; round < 1000; round++) {
        pair_open(&pair, 0.2);
        pair_random(&pair, &random);
        pair.def.stiffness = 50;
        pair.def.viscosity = 0.3;
        pair.def.explicit_limits = pair.def.coulomb = false;
        pair.def.smoothing = 0.5;
        memset(pair.velocities, 0, sizeof pair.velocities);
        pair_detect(&pair);
        pair_forces(&pair, response);
        dent_strand_block block = pair.block;
        dent_contact contact = pair.contact;
        if (contact.gap < 0.05 || pair.force.normal <= 0) {
            continue;
        }
        double step = 1e-6;
        for (int j = 0; j < 3; j++) {
            double ends[2][3];
            for (int side = 0; side < 2; side++) { /* the contact of moved points with the same weights */
                double apart[3], length = 0;
                for (int i = 0; i < 3; i++) {
                    apart[i] = contact.gap * contact.normal[i] + (i == j ? (side ? step : -step) : 0);
                    length += apart[i] * apart[i];
                }
                pair.contact.gap = sqrt(length);
                for (int i = 0; i < 3; i++) {
                    pair.contact.normal[i] = apart[i] / sqrt(length);
                }
                pair_forces(&pair, response);
                for (int i = 0; i < 3; i++) {
                    ends[side][i] = pair.forces[0][i] + pair.forces[0][3 + i];
                }
            }
            for (int i = 0; i < 3; i++) {
                double across = (i == j ? 1 : 0) - contact.normal[i] * contact.normal[j];
                double expected = -block.stiffness[3 * i + j] + block.geometric * across;
                assert_true(fabs((ends[1][i] - ends[0][i]) / (2 * step) - expected) <= 1e-3);
            }
        }
        tested++;
    }
    assert_true(tested > 100);
    dent_response_destroy(response);
}

static void damping_blocks_are_derivatives_by_the_velocity(void **state)
{
    dent_response *response = dent_response_create(*state);
    dent_random random = dent_random_seeded(5);
    struct pair pair;
    uint32_t tested = 0;
    for (int round = 0; round < 1000; round++) {
        pair_open(&pair, 0.2);
        pair_random(&pair, &random);
        pair.def.stiffness = 50;
        pair.def.viscosity = 0.3;
        pair.def.explicit_limits = pair.def.coulomb = false;
        /* Slide along a only, so that the angles of the scales are at an end of their range and stay there; b is no
         * strand. */
        pair.shapes[1].strand_count = 0;
        pair_detect(&pair);
        for (int i = 0; i < 6; i++) {
            pair.velocities[0][i] = 0;
            pair.velocities[1][i] = pair.positions[0][3 + i % 3] - pair.positions[0][i % 3];
        }
        pair_forces(&pair, response);
        dent_strand_block block = pair.block;
        if (pair.contact.gap < 0.05 || pair.force.normal <= 0) {
            continue;
        }
        /* Along the motion and along the normal the coefficient is constant to first order. */
        double along[2][3], speed = 0;
        for (int i = 0; i < 3; i++) {
            along[0][i] = pair.contact.normal[i];
            along[1][i] = pair.velocities[1][i];
            speed += along[1][i] * along[1][i];
        }
        for (int d = 0; d < 2; d++) {
            double ends[2][3], step = 1e-6;
            for (int side = 0; side < 2; side++) {
                for (int i = 0; i < 6; i++) {
                    pair.velocities[0][i] = (side ? step : -step) * along[d][i % 3];
                }
                pair_forces(&pair, response);
                for (int i = 0; i < 3; i++) {
                    ends[side][i] = pair.forces[0][i] + pair.forces[0][3 + i];
                }
            }
            for (int i = 0; i < 3; i++) {
                double expected = 0;
                for (int j = 0; j < 3; j++) {
                    expected -= block.damping[3 * i + j] * along[d][j];
                }
                assert_true(fabs((ends[1][i] - ends[0][i]) / (2 * step) - expected) <= 1e-4 * (1 + sqrt(speed)));
            }
        }
        tested++;
    }
    assert_true(tested > 100);
    dent_response_destroy(response);
}

/* a along x over b, b a body without strands unless `angle` says how it lies. */
static void place_over(struct pair *pair, double distance, double cosine, double sine)
{
    const double a[6] = {-1, 0, distance, 1, 0, distance}, b[6] = {-cosine, -sine, 0, cosine, sine, 0};
    memcpy(pair->positions[0], a, sizeof a);
    memcpy(pair->positions[1], b, sizeof b);
    pair_detect(pair);
}

static double sliding_force(struct pair *pair, dent_response *response, double speed)
{
    for (int v = 0; v < 2; v++) {
        pair->velocities[0][3 * v] = speed;
    }
    pair_forces(pair, response);
    return pair->forces[0][0] + pair->forces[0][3];
}

static void friction_against_the_scales_is_twice_that_with_them(void **state)
{
    dent_response *response = dent_response_create(*state);
    struct pair pair;
    pair_open(&pair, 0.1);
    pair.shapes[1].strand_count = 0; /* an edge of a body */
    pair.def.coulomb = false;
    place_over(&pair, 0.15, 0, 1);
    /* a moves towards its root: the obstacle slides from root to tip, with the scales */
    double with = sliding_force(&pair, response, -1), against = sliding_force(&pair, response, 1);
    assert_true(with > 0 && against < 0);
    assert_true(fabs(with - 1e-4) < 1e-18);
    assert_true(fabs(against / with + 2) < 1e-14);
    assert_true(sliding_force(&pair, response, 0) == 0);
    /* Two strands: the mean of both. b moves across its own direction. */
    pair.shapes[1].strand_count = 1;
    double mean = sliding_force(&pair, response, 1);
    assert_true(fabs(mean + 1e-4 * (0.5 * (2 + 1 + sqrt(0.5)))) < 1e-16);
    dent_response_destroy(response);
}

static void a_vertex_of_a_strand_takes_the_direction_of_its_neighbours(void **state)
{
    dent_response *response = dent_response_create(*state);
    struct pair pair;
    pair_open(&pair, 0.1);
    pair.shapes[1].strand_count = 0;
    pair.def.coulomb = false;
    place_over(&pair, 0.15, 0, 1);
    for (uint32_t vertex = 0; vertex < 2; vertex++) {
        pair.contact.vertices_a[0] = vertex;
        pair.contact.vertices_a[1] = UINT32_MAX;
        pair.contact.weights_a[0] = 1;
        pair.contact.weights_a[1] = 0;
        double with = sliding_force(&pair, response, -1), against = sliding_force(&pair, response, 1);
        assert_true(fabs(against / with + 2) < 1e-14);
    }
    dent_response_destroy(response);
}

static void parallel_strands_may_overlap_and_crossing_ones_may_not(void **state)
{
    dent_response *response = dent_response_create(*state);
    struct pair pair;
    double last = INFINITY;
    for (int degrees = 90; degrees >= 0; degrees -= 5) {
        double angle = degrees * 3.14159265358979323846 / 180;
        pair_open(&pair, 0.1);
        pair.def.stiffness = 10;
        place_over(&pair, 0.15, cos(angle), sin(angle));
        pair_forces(&pair, response);
        double normal = pair.force.normal / pair.problem.time_step;
        double whole = dent_strand_law(10, 0.01, 0.05).force;
        assert_true(normal <= last + 1e-12);
        if (degrees >= 50) {
            assert_true(fabs(normal - whole) <= 1e-12 * whole);
        } else if (degrees <= 15) {
            assert_true(normal == 0);
        } else if (degrees >= 25 && degrees <= 40) {
            assert_true(normal > 0 && normal < whole);
        }
        last = normal;
    }
    /* Viscous friction of its own acts between parallel strands, without a normal force. */
    place_over(&pair, 0.15, 1, 0);
    assert_true(fabs(sliding_force(&pair, response, 1) + 1e-4) < 1e-16);
    dent_response_destroy(response);
}

static void friction_stays_below_its_coulomb_cap(void **state)
{
    dent_response *response = dent_response_create(*state);
    struct pair pair;
    pair_open(&pair, 0.1);
    pair.shapes[1].strand_count = 0;
    pair.def.viscosity = 100;
    place_over(&pair, 0.15, 0, 1);
    pair.problem.material.friction_kinetic = 0.25;
    double force = sliding_force(&pair, response, 3);
    double normal = pair.force.normal / pair.problem.time_step;
    assert_true(normal > 0 && fabs(fabs(force) - 0.25 * normal) <= 1e-12 * normal);
    assert_int_equal(pair.force.state, DENT_ACTION_SLIDING);
    dent_response_destroy(response);
}

/* An approach that the damper alone would reverse, one explicit step at a time. */
static void crossing_strands_do_not_bounce(void **state)
{
    dent_response *response = dent_response_create(*state);
    struct pair pair;
    pair_open(&pair, 0.1);
    pair.problem.time_step = 1e-3;
    place_over(&pair, 0.21, 0, 1);
    for (int v = 0; v < 2; v++) {
        pair.velocities[0][3 * v + 2] = -5;
    }
    double fastest = 0;
    for (int step = 0; step < 2000; step++) {
        pair_detect(&pair);
        pair_forces(&pair, response);
        for (int side = 0; side < 2; side++) {
            for (int i = 0; i < 6; i++) {
                pair.velocities[side][i] += pair.problem.time_step * pair.forces[side][i];
                pair.positions[side][i] += pair.problem.time_step * pair.velocities[side][i];
            }
        }
        fastest = fmax(fastest, pair.velocities[0][2] - pair.velocities[1][2]);
    }
    assert_true(pair.positions[0][2] > pair.positions[1][2]); /* not through each other */
    assert_true(fastest < 0.25);                              /* a twentieth of the approach */
    dent_response_destroy(response);
}

/* ---- the sliding clump ------------------------------------------------------------------------------------------- */

/* A fibre slides down a plane (chapter, figure 8), its root below or above. Its speed settles at m g sin a / nu. */
static double sliding_speed(dent_response *response, bool root_below)
{
    enum { NODES = 8 };
    const double mass = 1e-4, gravity = 9.81, slope = 0.4, radius = 1e-3, time_step = 1e-4;
    double inverse_masses[NODES], positions[3 * NODES], velocities[3 * NODES] = {0}, forces[3 * NODES];
    uint32_t first[2] = {0, NODES};
    for (uint32_t v = 0; v < NODES; v++) {
        inverse_masses[v] = 1 / mass;
        positions[3 * v] = (root_below ? -1 : 1) * 0.01 * v; /* x points down the slope */
        positions[3 * v + 1] = 0;
        positions[3 * v + 2] = radius;
    }
    dent_strand_shape shapes[2] = {{.strand_count = 1, .first = first, .radius = radius}, {0}};
    dent_response_body bodies[2] = {{.vertex_count = NODES,
                                     .inverse_masses = inverse_masses,
                                     .positions = positions,
                                     .velocities = velocities,
                                     .forces = forces},
                                    {0}};
    dent_contact contacts[NODES];
    dent_response_problem problem = dent_response_problem_default();
    problem.contacts = contacts;
    problem.contact_count = NODES;
    problem.bodies = bodies;
    problem.body_count = 2;
    problem.time_step = time_step;
    dent_strand_forces_def def = dent_strand_forces_def_default();
    def.shapes = shapes;
    def.viscosity = 2e-3;
    def.coulomb = false;
    for (int step = 0; step < 6000; step++) {
        const double up[3] = {0, 0, 1};
        for (uint32_t v = 0; v < NODES; v++) {
            contacts[v] = plain_contact(v, 0, v, 1, UINT32_MAX, up, positions[3 * v + 2]);
            memcpy(contacts[v].point_a, positions + 3 * v, sizeof contacts[v].point_a);
            for (int axis = 0; axis < 3; axis++) {
                forces[3 * v + (uint32_t)axis] = mass * gravity *
                                                 (axis == 0   ? sin(slope)
                                                  : axis == 2 ? -cos(slope)
                                                              : 0);
            }
        }
        assert_int_equal(dent_strand_forces(response, &problem, &def, NULL), DENT_OK);
        for (uint32_t i = 0; i < 3 * NODES; i++) {
            velocities[i] += time_step * forces[i] / mass;
            positions[i] += time_step * velocities[i];
        }
    }
    double nu = def.viscosity * (root_below ? 1 : 2), expected = mass * gravity * sin(slope) / nu;
    assert_true(fabs(velocities[0] - expected) <= 1e-3 * expected);
    return velocities[0];
}

static void a_fibre_on_a_slope_slides_twice_as_fast_with_its_scales(void **state)
{
    dent_response *response = dent_response_create(*state);
    /* The plane passes the fibre upward: from root to tip, with the scales, if the root is below. */
    double root_above = sliding_speed(response, false), root_below = sliding_speed(response, true);
    assert_true(fabs(root_below / root_above - 2) <= 2e-3);
    dent_response_destroy(response);
}

/* ---- manners ----------------------------------------------------------------------------------------------------- */

static uint64_t forces_hash(uint32_t threads)
{
    static struct cloud cloud;
    uint32_t first[2] = {0, CLOUD_VERTICES};
    dent_strand_shape shapes[CLOUD_BODIES];
    dent_strand_forces_def def = dent_strand_forces_def_default();
    cloud_open(&cloud, 77, 5000, CLOUD_WITH_FIXED, threads);
    for (uint32_t i = 0; i < CLOUD_BODIES; i++) {
        shapes[i] = (dent_strand_shape){.strand_count = i % 2, .first = first, .radius = 0.01};
    }
    def.shapes = shapes;
    def.blocks = calloc(5000, sizeof *def.blocks);
    dent_response_report report;
    assert_int_equal(dent_strand_forces(cloud.response, &cloud.problem, &def, &report), DENT_OK);
    assert_true(report.pushed > 1000 && report.rejected == 0);
    for (int axis = 0; axis < 3; axis++) {
        assert_true(fabs(report.momentum_error[axis]) <= 1e-12 * report.momentum_scale);
        assert_true(fabs(report.angular_error[axis]) <= 1e-12 * report.angular_scale);
    }
    uint64_t hash = cloud_hash(&cloud);
    for (int i = 0; i < 5000; i++) {
        assert_true(isfinite(def.blocks[i].stiffness[0]) && isfinite(def.blocks[i].damping[0]));
    }
    free(def.blocks);
    cloud_close(&cloud);
    return hash;
}

static void forces_are_the_same_bits_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t one = forces_hash(1);
    assert_true(one == forces_hash(2) && one == forces_hash(5));
}

static void bad_numbers_reject_a_contact_and_bad_settings_the_call(void **state)
{
    dent_context *context = *state;
    dent_response *response = dent_response_create(context);
    struct pair pair;
    static const double bad[] = {NAN, -1, INFINITY};
    for (int i = 0; i < 3; i++) {
        pair_open(&pair, 0.1);
        double radii[2] = {0.1, bad[i]};
        pair.shapes[0].radii = radii;
        place_over(&pair, 0.15, 0, 1);
        dent_response_report report = pair_forces(&pair, response);
        assert_int_equal(report.rejected, 1);
        assert_true(pair.forces[0][2] == 0 && pair.block.stiffness[8] == 0);
    }
    char text[256];
    pair_open(&pair, 0.1);
    place_over(&pair, 0.15, 0, 1);
    pair.first[0] = 3;
    assert_int_equal(dent_strand_forces(response, &pair.problem, &pair.def, NULL), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(context, text, sizeof text);
    assert_string_equal(text, "body 0, strand 0: first[] must ascend; got 3, then 2");
    pair.first[0] = 0;
    pair.first[1] = 5;
    assert_int_equal(dent_strand_forces(response, &pair.problem, &pair.def, NULL), DENT_ERROR_INVALID_ARGUMENT);
    pair.first[1] = 2;
    pair.def.viscosity = NAN;
    assert_int_equal(dent_strand_forces(response, &pair.problem, &pair.def, NULL), DENT_ERROR_INVALID_ARGUMENT);
    pair.def = (dent_strand_forces_def){0};
    assert_int_equal(dent_strand_forces(response, &pair.problem, &pair.def, NULL), DENT_ERROR_INVALID_ARGUMENT);
    dent_response_destroy(response);
}

static void forces_survive_a_failing_allocator(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&memory);
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    for (uint64_t n = 1; n < 100; n++) {
        struct pair pair;
        pair_open(&pair, 0.1);
        place_over(&pair, 0.15, 0, 1);
        dent_response *response = dent_response_create(context);
        memory.requests = 0;
        memory.fail_at = n;
        dent_status status = dent_strand_forces(response, &pair.problem, &pair.def, NULL);
        memory.fail_at = 0;
        dent_response_destroy(response);
        if (status == DENT_OK) {
            break;
        }
        assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
        assert_true(pair.forces[0][2] == 0);
    }
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(energy_of_the_law_is_the_integral_of_its_force),
        cmocka_unit_test(roughness_is_1_with_the_scales_and_2_against_them),
        cmocka_unit_test(internal_forces_sum_to_zero_and_turn_by_the_lever_of_friction),
        cmocka_unit_test(normal_force_is_the_gradient_of_the_energy),
        cmocka_unit_test(blocks_are_derivatives_of_the_force),
        cmocka_unit_test(damping_blocks_are_derivatives_by_the_velocity),
        cmocka_unit_test(friction_against_the_scales_is_twice_that_with_them),
        cmocka_unit_test(a_vertex_of_a_strand_takes_the_direction_of_its_neighbours),
        cmocka_unit_test(parallel_strands_may_overlap_and_crossing_ones_may_not),
        cmocka_unit_test(friction_stays_below_its_coulomb_cap),
        cmocka_unit_test(crossing_strands_do_not_bounce),
        cmocka_unit_test(a_fibre_on_a_slope_slides_twice_as_fast_with_its_scales),
        cmocka_unit_test(forces_are_the_same_bits_for_any_number_of_threads),
        cmocka_unit_test(bad_numbers_reject_a_contact_and_bad_settings_the_call),
        cmocka_unit_test(forces_survive_a_failing_allocator),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
