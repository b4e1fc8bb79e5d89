/* Impacts by the exact constraint solver, at random: momentum is kept to rounding, and kinetic energy never grows with
 * one coefficient of restitution and without friction.
 *
 * Let v be the speeds J u before, f the impulses and w = J x the speeds after. The energy changes by f . (v + w) / 2.
 * Where f is not 0, w = -e v, so it is the sum of f (1 - e) v / 2. With one e for all rows f . v <= 0, as f . (w - v) =
 * f . A f >= 0. With several e the motion -u is still allowed where contacts that part (v > 0) have e = 1, and the allowed
 * motion nearest to u then has no more energy than u: it lies in the ball around the line from u to -u. Where contacts
 * that part have a smaller e, f . v may be positive and the sum is the bound. Friction adds at most half of coefficient *
 * f * tangential speed before. */
#include "support/test_context.h"

#include <dent/constraints.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_BODIES = 8, MOST_CONTACTS = 20, MOST_ROWS = 3 * MOST_CONTACTS };

enum restitution { ONE_FOR_ALL, SEVERAL_AND_ONE_FOR_PARTING, SEVERAL };

struct hit {
    uint32_t bodies, contacts, rows;
    dent_rigid_state body[MOST_BODIES];
    double metric[MOST_BODIES][10], before[6 * MOST_BODIES], after[6 * MOST_BODIES];
    dent_constraint_block block[MOST_BODIES];
    dent_constraint_part parts[MOST_ROWS][2];
    double coefficients[MOST_ROWS][2][6], restitution[MOST_ROWS], speed[MOST_ROWS];
    dent_constraint_row row[MOST_ROWS];
    dent_constraint_force force[MOST_ROWS];
    bool fixed; /* body 0 is */
};

static double signed_unit(dent_random *random)
{
    return 2 * dent_random_unit(random) - 1;
}

static void add_body(struct hit *hit, dent_random *random)
{
    uint32_t i = hit->bodies++;
    dent_rigid_state *body = &hit->body[i];
    double mass = pow(10, 2 * signed_unit(random));
    *body = (dent_rigid_state){.orientation = {1, 0, 0, 0}};
    body->inverse_mass = hit->fixed && i == 0 ? 0 : 1 / mass;
    for (int k = 0; k < 3; k++) {
        body->center[k] = signed_unit(random);
        body->inverse_inertia[4 * k] = body->inverse_mass * (2 + signed_unit(random));
        body->linear_velocity[k] = body->inverse_mass > 0 ? signed_unit(random) : 0;
        body->angular_velocity[k] = body->inverse_mass > 0 ? signed_unit(random) : 0;
        hit->before[6 * i + k] = body->linear_velocity[k];
        hit->before[6 * i + 3 + k] = body->angular_velocity[k];
    }
    dent_constraint_rigid_metric(body, hit->metric[i]);
    hit->block[i] = (dent_constraint_block){DENT_METRIC_RIGID, 6, hit->metric[i]};
}

static void add_row(struct hit *hit, const uint32_t pair[2], const double point[3], const double direction[3])
{
    uint32_t n = hit->rows++;
    hit->row[n] = dent_constraint_row_default();
    hit->row[n].key = n;
    hit->row[n].parts = hit->parts[n];
    hit->row[n].part_count = 2;
    hit->speed[n] = 0;
    for (int side = 0; side < 2; side++) {
        const double along[3] = {side ? -direction[0] : direction[0], side ? -direction[1] : direction[1],
                                 side ? -direction[2] : direction[2]};
        dent_constraint_rigid_row(&hit->body[pair[side]], point, along, hit->coefficients[n][side]);
        hit->parts[n][side] = (dent_constraint_part){pair[side], hit->coefficients[n][side]};
        for (int k = 0; k < 6; k++) {
            hit->speed[n] += hit->coefficients[n][side][k] * hit->before[6 * pair[side] + k];
        }
    }
}

static void frame_of(dent_random *random, double normal[3], double first[3], double second[3])
{
    double length, along = 0;
    do {
        length = 0;
        for (int k = 0; k < 3; k++) {
            normal[k] = signed_unit(random);
            length += normal[k] * normal[k];
        }
    } while (length < 0.1 || length > 1);
    int least = fabs(normal[0]) < fabs(normal[1]) ? 0 : 1;
    for (int k = 0; k < 3; k++) {
        normal[k] /= sqrt(length);
        first[k] = k == least;
    }
    along = normal[least];
    length = 0;
    for (int k = 0; k < 3; k++) {
        first[k] -= along * normal[k];
        length += first[k] * first[k];
    }
    for (int k = 0; k < 3; k++) {
        first[k] /= sqrt(length);
    }
    for (int k = 0; k < 3; k++) {
        second[k] = normal[(k + 1) % 3] * first[(k + 2) % 3] - normal[(k + 2) % 3] * first[(k + 1) % 3];
    }
}

static void add_contact(struct hit *hit, dent_random *random, enum restitution kind, double common, double friction)
{
    uint32_t pair[2] = {dent_random_below(random, hit->bodies), 0}, n = hit->rows;
    double point[3], normal[3], first[3], second[3];
    pair[1] = (pair[0] + 1 + dent_random_below(random, hit->bodies - 1)) % hit->bodies;
    for (int k = 0; k < 3; k++) {
        point[k] = signed_unit(random);
    }
    frame_of(random, normal, first, second);
    add_row(hit, pair, point, normal);
    dent_constraint_contact contact = {.a = &hit->body[pair[0]], .b = &hit->body[pair[1]]};
    memcpy(contact.point_a, point, sizeof point);
    memcpy(contact.point_b, point, sizeof point);
    memcpy(contact.normal, normal, sizeof normal);
    bool parts = kind == SEVERAL_AND_ONE_FOR_PARTING && hit->speed[n] > 0;
    hit->restitution[n] = kind == ONE_FOR_ALL ? common : parts ? 1 : dent_random_unit(random);
    hit->row[n].target = dent_constraint_impact_target(&contact, hit->restitution[n]);
    if (friction > 0) {
        hit->row[n].friction = friction;
        hit->row[n].tangents = hit->rows;
        add_row(hit, pair, point, first);
        add_row(hit, pair, point, second);
    }
    hit->contacts++;
}

static void make_hit(struct hit *hit, dent_random *random, enum restitution kind, double friction)
{
    double common = dent_random_below(random, 4) ? dent_random_unit(random) : dent_random_below(random, 2);
    uint32_t bodies = 2 + dent_random_below(random, MOST_BODIES - 1);
    uint32_t contacts = 1 + dent_random_below(random, MOST_CONTACTS);
    memset(hit, 0, sizeof *hit);
    hit->fixed = dent_random_below(random, 2);
    while (hit->bodies < bodies) {
        add_body(hit, random);
    }
    for (uint32_t c = 0; c < contacts; c++) {
        add_contact(hit, random, kind, common, friction);
    }
}

/* Kinetic energy, and momentum and angular momentum about the origin with the sums of their absolute parts. */
static double sums_of(const struct hit *hit, const double *motion, double momentum[6], double *scale)
{
    double energy = 0;
    memset(momentum, 0, 6 * sizeof *momentum);
    *scale = 0;
    for (uint32_t i = hit->fixed; i < hit->bodies; i++) {
        const double *v = motion + 6 * i, *w = v + 3, *c = hit->body[i].center;
        double mass = 1 / hit->body[i].inverse_mass;
        for (int k = 0; k < 3; k++) {
            int l = (k + 1) % 3, m = (k + 2) % 3;
            double inertia = 1 / hit->body[i].inverse_inertia[4 * k];
            energy += 0.5 * (mass * v[k] * v[k] + inertia * w[k] * w[k]);
            momentum[k] += mass * v[k];
            momentum[3 + k] += inertia * w[k] + mass * (c[l] * v[m] - c[m] * v[l]);
            *scale += fabs(mass * v[k]) + fabs(inertia * w[k]);
        }
    }
    return energy;
}

struct gain {
    double worst, momentum; /* of the energy before; of momenta and impulses */
    uint32_t solved, pushed;
};

/* One impact: the gain of energy, against what the theory allows. */
static void strike(dent_constraints *solver, struct hit *hit, double friction, struct gain *gain)
{
    dent_constraint_problem problem = dent_constraint_problem_default();
    dent_constraint_report report;
    problem.blocks = hit->block;
    problem.block_count = hit->bodies;
    problem.rows = hit->row;
    problem.row_count = hit->rows;
    problem.free_motion = hit->before;
    problem.motion = hit->after;
    problem.forces = hit->force;
    assert_int_equal(dent_constraints_solve(solver, &problem, &report), DENT_OK);
    double before[6], after[6], scales[3] = {0}, bound = 0, lost = 0;
    double energy = sums_of(hit, hit->before, before, &scales[0]), change = -energy;
    change += sums_of(hit, hit->after, after, &scales[1]);
    for (uint32_t n = 0; n < hit->rows; n++) {
        scales[2] += fabs(hit->force[n].multiplier);
    }
    for (int k = 0; k < 6; k++) {
        lost = fmax(lost, fabs(after[k] - before[k]) / (scales[0] + scales[1] + scales[2]));
    }
    gain->momentum = hit->fixed ? gain->momentum : fmax(gain->momentum, lost);
    if (report.outcome != DENT_CONSTRAINTS_SOLVED) {
        return; /* squeezed, or friction that did not settle */
    }
    for (uint32_t n = 0; n < hit->rows; n++) {
        if (friction > 0 && hit->row[n].friction == 0) {
            continue;
        }
        double f = hit->force[n].multiplier, slip = friction > 0 ? hypot(hit->speed[n + 1], hit->speed[n + 2]) : 0;
        bound += 0.5 * f * ((1 - hit->restitution[n]) * hit->speed[n] + friction * slip);
        gain->pushed += f > 0;
    }
    gain->solved++;
    gain->worst = fmax(gain->worst, change / energy);
    if (change > bound + 1e-9 * (energy + fabs(bound))) {
        fail_msg("the energy grows by %g of %g, the bound is %g", change, energy, bound);
    }
}

static struct gain strike_many(enum restitution kind, double friction, uint64_t seed)
{
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_constraints *solver = dent_constraints_create(context);
    dent_random random = dent_random_seeded(seed);
    struct gain gain = {.worst = -INFINITY};
    uint32_t count = getenv("DENT_LONG_TESTS") ? 200000 : getenv("DENT_QUICK_TESTS") ? 300 : 8000;
    count /= friction > 0 ? 10 : 1;
    for (uint32_t n = 0; n < count; n++) {
        struct hit hit;
        make_hit(&hit, &random, kind, friction);
        strike(solver, &hit, friction, &gain);
    }
    printf("%u impacts, %u contacts pushed: largest gain %.3g of the energy, momentum to %.2g\n", gain.solved,
           gain.pushed, gain.worst, gain.momentum);
    assert_true(gain.solved > count / 4 && gain.pushed > gain.solved);
    assert_true(gain.momentum < 1e-12);
    dent_constraints_destroy(solver);
    dent_context_destroy(context);
    return gain;
}

static void one_restitution_never_adds_energy(void **state)
{
    (void)state;
    assert_true(strike_many(ONE_FOR_ALL, 0, 1).worst <= 1e-12);
}

static void several_restitutions_add_none_where_parting_contacts_have_the_largest(void **state)
{
    (void)state;
    assert_true(strike_many(SEVERAL_AND_ONE_FOR_PARTING, 0, 2).worst <= 1e-12);
}

static void other_restitutions_and_friction_add_no_more_than_the_bound(void **state)
{
    (void)state;
    strike_many(SEVERAL, 0, 3);
    strike_many(ONE_FOR_ALL, 0.3, 4);
    strike_many(SEVERAL, 1, 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_restitution_never_adds_energy),
        cmocka_unit_test(several_restitutions_add_none_where_parting_contacts_have_the_largest),
        cmocka_unit_test(other_restitutions_and_friction_add_no_more_than_the_bound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
