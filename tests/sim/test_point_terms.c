/* Terms between points: forces are the slope of the energy, matrices are positive and symmetric, friction has its limit. */
#include "sim/elastic/point_terms.h"

#include "support_meshes.h"

#include <math.h>
#include <string.h>

/* Two vertices without elements; term a - b. */
static double positions[7];

static struct point_term pair_of_vertices(enum term_kind kind)
{
    struct point_term term = {.kind = kind, .stiffness = 50, .normal = {0, 0.6, 0.8}, .offset = -0.1};
    for (uint32_t k = 0; k < 4; k++) {
        term.a.vertices[k] = k == 0 ? 0 : SIM_NONE;
        term.b.vertices[k] = k == 0 ? 1 : SIM_NONE;
    }
    term.a.rigid = term.b.rigid = SIM_NONE;
    term.a.weights[0] = term.b.weights[0] = 1;
    return term;
}

static void place(double x, double y, double z)
{
    const double both[6] = {x, y, z, 0, 0, 0};
    memcpy(positions, both, sizeof both);
}

/* The force on a against the slope of the energy there; limits of friction stay as they are. */
static void compare_force_with_slope(struct point_term *term)
{
    struct point_terms terms = {.terms = term, .count = 1, .capacity = 1, .contact_count = 1};
    struct placement at = {positions, NULL};
    terms_linearise(&terms, &at);
    for (int axis = 0; axis < 3; axis++) {
        double kept = positions[axis], step = 1e-6;
        positions[axis] = kept + step;
        double above = terms_energy(&terms, &at);
        positions[axis] = kept - step;
        double below = terms_energy(&terms, &at);
        positions[axis] = kept;
        assert_true(fabs((below - above) / (2 * step) - term->force[axis]) <= 1e-6);
    }
}

static void forces_are_the_slope_of_the_energy(void **state)
{
    (void)state;
    struct point_term spring = pair_of_vertices(TERM_SPRING), contact = pair_of_vertices(TERM_CONTACT);
    place(0.3, -0.2, 0.4);
    compare_force_with_slope(&spring);
    spring.length = 0.2;
    compare_force_with_slope(&spring);
    place(0.02, 0.01, 0.05); /* 0.054 into the contact */
    compare_force_with_slope(&contact);
    assert_true(sim_dot(contact.force, contact.normal) > 0);
    contact.friction[0] = contact.friction[1] = 0.4; /* sticks, then slides */
    const double slips[2] = {0.001, 0.2};
    for (int n = 0; n < 2; n++) {
        contact.slip[0] = slips[n];
        compare_force_with_slope(&contact);
    }
    place(0.02, 0.1, 0.1);
    compare_force_with_slope(&contact);
    assert_true(sim_dot(contact.force, contact.force) == 0); /* apart */
}

static void friction_is_at_most_its_share_of_the_normal_force(void **state)
{
    (void)state;
    struct point_term contact = pair_of_vertices(TERM_CONTACT);
    struct point_terms terms = {.terms = &contact, .count = 1, .capacity = 1, .contact_count = 1};
    struct placement at = {positions, NULL};
    place(0, 0, 0);
    contact.friction[0] = 0.5;
    contact.friction[1] = 0.3;
    contact.slip[0] = 10;
    for (int sliding = 0; sliding < 2; sliding++) {
        contact.sliding = sliding != 0;
        terms_linearise(&terms, &at);
        double normal = sim_dot(contact.force, contact.normal);
        assert_true(fabs(normal - 50 * 0.1) < 1e-12);
        assert_true(fabs(-contact.force[0] - (sliding ? 0.3 : 0.5) * normal) < 1e-12);
    }
}

static void matrices_are_never_negative(void **state)
{
    (void)state;
    struct point_term spring = pair_of_vertices(TERM_SPRING), contact = pair_of_vertices(TERM_CONTACT);
    struct point_term *both[2] = {&spring, &contact};
    const double directions[4][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0.8, -0.6}, {0.3, -0.9, 0.1}};
    struct placement at = {positions, NULL};
    contact.friction[0] = contact.friction[1] = 0.7;
    contact.slip[0] = 0.3;
    spring.length = 1; /* pressed: a true matrix would be negative across */
    place(0.01, 0.02, 0.03);
    for (int n = 0; n < 2; n++) {
        struct point_terms terms = {.terms = both[n], .count = 1, .capacity = 1, .contact_count = 1};
        terms_linearise(&terms, &at);
        const double *m = both[n]->matrix;
        for (int k = 0; k < 4; k++) {
            const double *d = directions[k];
            double sum = m[0] * d[0] * d[0] + m[3] * d[1] * d[1] + m[5] * d[2] * d[2] +
                         2 * (m[1] * d[0] * d[1] + m[2] * d[0] * d[2] + m[4] * d[1] * d[2]);
            assert_true(sum >= 0);
        }
        assert_true(m[0] + m[3] + m[5] > 0);
    }
}

static void what_is_stored_leaves_out_what_friction_burnt(void **state)
{
    (void)state;
    struct point_term contact = pair_of_vertices(TERM_CONTACT);
    struct placement at = {positions, NULL};
    place(0, 0, 0);
    contact.slip[0] = 0.02;
    assert_true(fabs(term_stored(&contact, &at) - 0.5 * 50 * (0.1 * 0.1 + 0.02 * 0.02)) < 1e-15);
    place(0, 0.6, 0.8);
    assert_true(fabs(term_stored(&contact, &at) - 0.5 * 50 * 0.02 * 0.02) < 1e-15);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_the_slope_of_the_energy),
        cmocka_unit_test(friction_is_at_most_its_share_of_the_normal_force),
        cmocka_unit_test(matrices_are_never_negative),
        cmocka_unit_test(what_is_stored_leaves_out_what_friction_burnt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
