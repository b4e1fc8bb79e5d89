/* The exact constraint solver: what its header promises, on cases whose solution is known. */
#include "support/failing_allocator.h"
#include "support/test_context.h"

#include <dent/constraints.h>

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 256, MOST_BODIES = 64 };

/* Rigid bodies with contacts, built row by row. */
struct stage {
    dent_context *context;
    dent_constraints *solver;
    dent_rigid_state bodies[MOST_BODIES];
    dent_constraint_block blocks[MOST_BODIES];
    double metrics[MOST_BODIES][10], coefficients[MOST_ROWS][2][6];
    dent_constraint_part parts[MOST_ROWS][2];
    dent_constraint_row rows[MOST_ROWS];
    dent_constraint_force forces[MOST_ROWS];
    double free_motion[6 * MOST_BODIES], motion[6 * MOST_BODIES];
    dent_constraint_outcome outcomes[MOST_BODIES];
    dent_constraint_problem problem;
    dent_constraint_report report;
    uint32_t body_count, row_count;
};

static void open_stage(struct stage *stage, dent_context *context)
{
    memset(stage, 0, sizeof *stage);
    stage->context = context;
    stage->solver = dent_constraints_create(context);
    assert_non_null(stage->solver);
    stage->problem = dent_constraint_problem_default();
    stage->problem.blocks = stage->blocks;
    stage->problem.rows = stage->rows;
    stage->problem.free_motion = stage->free_motion;
    stage->problem.motion = stage->motion;
    stage->problem.forces = stage->forces;
    stage->problem.block_outcomes = stage->outcomes;
}

static struct stage *new_stage(void)
{
    struct stage *stage = calloc(1, sizeof *stage);
    assert_non_null(stage);
    open_stage(stage, test_context(1, DENT_ISA_AUTO));
    return stage;
}

static void close_stage(struct stage *stage)
{
    dent_constraints_destroy(stage->solver);
    dent_context_destroy(stage->context);
    free(stage);
}

/* A box of this mass and half size 1 at a place; mass 0: fixed. */
static uint32_t add_box(struct stage *stage, double mass, double x, double y, double z)
{
    uint32_t i = stage->body_count++;
    dent_rigid_state *body = &stage->bodies[i];
    *body = (dent_rigid_state){.center = {x, y, z}, .orientation = {1, 0, 0, 0}};
    body->inverse_mass = mass > 0 ? 1 / mass : 0;
    body->inverse_inertia[0] = body->inverse_inertia[4] = body->inverse_inertia[8] = mass > 0 ? 1.5 / mass : 0;
    dent_constraint_rigid_metric(body, stage->metrics[i]);
    stage->blocks[i] = (dent_constraint_block){DENT_METRIC_RIGID, 6, stage->metrics[i]};
    stage->problem.block_count = stage->body_count;
    return i;
}

static uint32_t add_row(struct stage *stage, uint32_t a, uint32_t b, const double point[3], const double normal[3],
                        double target)
{
    uint32_t i = stage->row_count++;
    double back[3] = {-normal[0], -normal[1], -normal[2]};
    stage->rows[i] = dent_constraint_row_default();
    stage->rows[i].key = 1000 + i;
    stage->rows[i].target = target;
    stage->rows[i].parts = stage->parts[i];
    stage->rows[i].part_count = b == UINT32_MAX ? 1 : 2;
    dent_constraint_rigid_row(&stage->bodies[a], point, normal, stage->coefficients[i][0]);
    stage->parts[i][0] = (dent_constraint_part){a, stage->coefficients[i][0]};
    if (b != UINT32_MAX) {
        dent_constraint_rigid_row(&stage->bodies[b], point, back, stage->coefficients[i][1]);
        stage->parts[i][1] = (dent_constraint_part){b, stage->coefficients[i][1]};
    }
    stage->problem.row_count = stage->row_count;
    return i;
}

static void solve(struct stage *stage)
{
    assert_int_equal(dent_constraints_solve(stage->solver, &stage->problem, &stage->report), DENT_OK);
    for (uint32_t i = 0; i < 6 * stage->body_count; i++) {
        assert_true(fabs(stage->motion[i]) <= DBL_MAX);
    }
}

static const double up[3] = {0, 0, 1};

/* `count` contacts around the rim of a box's lower face, four corners first. */
static void contacts_under_a_box(struct stage *stage, uint32_t box, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        double sine, cosine, corner = i < 4;
        dent_sine_cosine(6.283185307179586 * i / (corner ? 4 : count) + 0.785398163397448, &sine, &cosine);
        const double *c = stage->bodies[box].center;
        double reach = corner ? 1.4142135623730951 : 0.9;
        double point[3] = {c[0] + reach * cosine, c[1] + reach * sine, c[2] - 1};
        add_row(stage, box, UINT32_MAX, point, up, 0);
    }
}

static void redundant_contacts_under_a_box_give_one_acceleration(void **state)
{
    (void)state;
    for (int method = 0; method < 2; method++) {
        for (uint32_t count = 4; count <= 64; count++) {
            struct stage *stage = new_stage();
            add_box(stage, 2, 0, 0, 1);
            contacts_under_a_box(stage, 0, count);
            stage->problem.method = (dent_constraint_method)method;
            const double pushed[6] = {0.5, 0.25, -9.81, 0.3, -0.2, 0.1};
            memcpy(stage->free_motion, pushed, sizeof pushed);
            solve(stage);
            assert_int_equal(stage->report.outcome, DENT_CONSTRAINTS_SOLVED);
            const double expected[6] = {0.5, 0.25, 0, 0, 0, 0.1};
            double weight = 0;
            for (uint32_t i = 0; i < count; i++) {
                assert_true(stage->forces[i].multiplier >= 0);
                weight += stage->forces[i].multiplier;
            }
            for (int i = 0; i < 6; i++) {
                assert_true(fabs(stage->motion[i] - expected[i]) <= 1e-12 * 9.81);
            }
            assert_true(fabs(weight - 2 * 9.81) <= 1e-11);
            close_stage(stage);
        }
    }
}

static void a_squeezed_body_is_infeasible_and_finite(void **state)
{
    (void)state;
    const double down[3] = {0, 0, -1};
    for (int method = 0; method < 2; method++) {
        struct stage *stage = new_stage();
        add_box(stage, 1, 0, 0, 0);
        add_box(stage, 1, 9, 0, 0);
        const double bottom[3] = {0, 0, -1}, top[3] = {0, 0, 1}, other[3] = {9, 0, -1};
        add_row(stage, 0, UINT32_MAX, bottom, up, 1);
        add_row(stage, 0, UINT32_MAX, top, down, 1);
        add_row(stage, 1, UINT32_MAX, other, up, 1);
        stage->problem.method = (dent_constraint_method)method;
        solve(stage);
        assert_int_equal(stage->report.outcome, DENT_CONSTRAINTS_INFEASIBLE);
        assert_int_equal(stage->report.infeasible_islands, 1);
        assert_int_equal(stage->report.islands, 2);
        assert_int_equal(stage->outcomes[0], DENT_CONSTRAINTS_INFEASIBLE);
        assert_int_equal(stage->outcomes[1], DENT_CONSTRAINTS_SOLVED);
        /* both miss by as much: the least squares */
        assert_true(fabs(stage->motion[2]) < 1e-6);
        assert_true(fabs(stage->report.violation - 1) < 1e-6);
        assert_int_equal(stage->forces[0].state, DENT_CONSTRAINT_VIOLATED);
        assert_true(fabs(stage->motion[8] - 1) < 1e-12);
        close_stage(stage);
    }
}

static void fixed_bodies_join_no_islands_and_cannot_be_pushed(void **state)
{
    (void)state;
    struct stage *stage = new_stage();
    uint32_t ground = add_box(stage, 0, 0, 0, -2), a = add_box(stage, 1, 0, 0, 0), b = add_box(stage, 1, 5, 0, 0);
    uint32_t wall = add_box(stage, 0, 0, 0, 9);
    const double first[3] = {0, 0, -1}, second[3] = {5, 0, -1};
    add_row(stage, a, ground, first, up, 1);
    add_row(stage, b, ground, second, up, 2);
    uint32_t idle = add_row(stage, wall, ground, first, up, -1);
    solve(stage);
    assert_int_equal(stage->report.islands, 2);
    assert_int_equal(stage->report.outcome, DENT_CONSTRAINTS_SOLVED);
    assert_int_equal(stage->forces[idle].state, DENT_CONSTRAINT_IMMOVABLE);
    assert_true(fabs(stage->motion[6 * a + 2] - 1) < 1e-13 && fabs(stage->motion[6 * b + 2] - 2) < 1e-13);
    stage->rows[idle].target = 1;
    solve(stage);
    assert_int_equal(stage->report.outcome, DENT_CONSTRAINTS_INFEASIBLE);
    assert_int_equal(stage->forces[idle].state, DENT_CONSTRAINT_VIOLATED);
    for (int i = 0; i < 6; i++) {
        assert_true(stage->motion[6 * ground + i] == 0);
    }
    close_stage(stage);
}

/* A tower of boxes, four contacts between neighbours, the lowest on the ground. */
static void build_tower(struct stage *stage, uint32_t boxes, dent_random *random)
{
    for (uint32_t i = 0; i < boxes; i++) {
        add_box(stage, 0.5 + dent_random_unit(random), 0, 0, 1 + 2.0 * i);
        for (int k = 0; k < 6; k++) {
            stage->free_motion[6 * i + k] = 0.01 * (dent_random_unit(random) - 0.5) - (k == 2) * 9.81;
        }
        for (int k = 0; k < 4; k++) {
            double point[3] = {k & 1 ? 1 : -1, k & 2 ? 1 : -1, 2.0 * i};
            add_row(stage, i, i > 0 ? i - 1 : UINT32_MAX, point, up, 0.01 * (dent_random_unit(random) - 0.5));
        }
    }
}

static void towers_are_solved_alike_in_both_spaces_and_warm_starts_need_few_pivots(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(5);
    for (uint32_t boxes = 1; boxes <= 24; boxes += boxes < 8 ? 1 : 8) {
        struct stage *stage = new_stage();
        build_tower(stage, boxes, &random);
        solve(stage);
        assert_int_equal(stage->report.outcome, DENT_CONSTRAINTS_SOLVED);
        assert_true(stage->report.residual <= 1e-10);
        uint32_t cold = stage->report.iterations;
        double motion[6 * MOST_BODIES];
        memcpy(motion, stage->motion, sizeof motion);
        stage->problem.method = DENT_CONSTRAINTS_CONTACT_SPACE;
        solve(stage);
        for (uint32_t i = 0; i < 6 * boxes; i++) {
            assert_true(fabs(motion[i] - stage->motion[i]) <= 1e-9);
        }
        stage->problem.method = DENT_CONSTRAINTS_MOTION_SPACE;
        stage->problem.previous = stage->forces;
        stage->problem.previous_count = stage->row_count;
        solve(stage);
        solve(stage);
        assert_true(stage->report.iterations * 4 <= cold);
        for (uint32_t i = 0; i < 6 * boxes; i++) {
            assert_true(fabs(motion[i] - stage->motion[i]) <= 1e-10);
        }
        close_stage(stage);
    }
}

/* A stack of boxes whose remembered tangents fight one another at the corners, as another solver may leave them. Without
 * them there is nothing to hold. */
static void remembered_tangents_that_fight_do_not_keep_a_stack_from_settling(void **state)
{
    (void)state;
    enum { BOXES = 10 };
    static const double corner[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}, side[2][3] = {{1, 0, 0}, {0, 1, 0}};
    dent_random random = dent_random_seeded(8);
    for (int fights = 0; fights < 2; fights++) {
        struct stage *stage = new_stage();
        for (uint32_t b = 0; b < BOXES; b++) {
            add_box(stage, 5, 0, 0, 1 + 2.0 * b);
            stage->free_motion[6 * b + 2] = -0.03; /* gravity of a short time */
        }
        for (uint32_t n = 0; n < 4 * BOXES; n++) {
            uint32_t box = n / 4, below = box > 0 ? box - 1 : UINT32_MAX;
            double point[3] = {corner[n % 4][0], corner[n % 4][1], 2.0 * box}, weight = 0.15 * (BOXES - box);
            uint32_t row = add_row(stage, box, below, point, up, 0);
            stage->rows[row].friction = 0.5;
            stage->rows[row].tangents = row + 1;
            stage->forces[row] =
                (dent_constraint_force){.key = 1000 + row, .multiplier = weight / 4, .state = DENT_CONSTRAINT_ACTIVE};
            for (int k = 0; k < 2; k++) {
                uint32_t tangent = add_row(stage, box, below, point, side[k], 0);
                stage->forces[tangent] =
                    (dent_constraint_force){.key = 1000 + tangent, .state = DENT_CONSTRAINT_ACTIVE};
                stage->forces[tangent].multiplier = fights * 0.3 * weight * (2 * dent_random_unit(&random) - 1);
            }
        }
        stage->problem.previous = stage->forces;
        stage->problem.previous_count = stage->row_count;
        stage->problem.cone_tolerance = 1e-10;
        solve(stage);
        print_message("%s: outcome %d after %u sweeps and pivots\n", fights ? "fighting" : "none",
                      stage->report.outcome, stage->report.iterations);
        assert_int_equal(stage->report.outcome, DENT_CONSTRAINTS_SOLVED);
        for (uint32_t i = 0; i < 6 * BOXES; i++) {
            assert_true(fabs(stage->motion[i]) < 1e-9);
        }
        close_stage(stage);
    }
}

static void a_common_factor_in_masses_or_targets_or_rows_changes_nothing_else(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(6);
    struct stage *stage = new_stage();
    build_tower(stage, 5, &random);
    solve(stage);
    double motion[30], multiplier = stage->forces[0].multiplier;
    memcpy(motion, stage->motion, sizeof motion);
    static const int exponents[] = {-498, -60, 60, 498};
    for (int e = 0; e < 4; e++) {
        struct stage *scaled = new_stage();
        dent_random again = dent_random_seeded(6);
        build_tower(scaled, 5, &again);
        for (uint32_t i = 0; i < scaled->body_count; i++) { /* masses */
            for (int k = 0; k < 10; k++) {
                scaled->metrics[i][k] = ldexp(scaled->metrics[i][k], exponents[e]);
            }
        }
        for (uint32_t i = 0; i < scaled->row_count; i++) { /* rows */
            scaled->rows[i].target = ldexp(scaled->rows[i].target, exponents[e]);
            for (int k = 0; k < 12; k++) {
                scaled->coefficients[i][k / 6][k % 6] = ldexp(scaled->coefficients[i][k / 6][k % 6], exponents[e]);
            }
        }
        solve(scaled);
        assert_memory_equal(motion, scaled->motion, sizeof motion);
        assert_true(scaled->forces[0].multiplier == ldexp(multiplier, -2 * exponents[e]) || abs(exponents[e]) > 400);
        for (int i = 0; i < 30; i++) { /* the motion */
            scaled->free_motion[i] = ldexp(scaled->free_motion[i], -exponents[e]);
        }
        for (uint32_t i = 0; i < scaled->row_count; i++) {
            scaled->rows[i].target = ldexp(scaled->rows[i].target, -exponents[e]);
        }
        solve(scaled);
        for (int i = 0; i < 30; i++) {
            assert_true(scaled->motion[i] == ldexp(motion[i], -exponents[e]));
        }
        close_stage(scaled);
    }
    close_stage(stage);
}

static void a_motor_pushes_no_more_than_its_limit(void **state)
{
    (void)state;
    struct stage *stage = new_stage();
    const double mass[4] = {2, 0.5, 0.5, 1};
    const double first[2] = {1, 0}, second[2] = {0, 1};
    const dent_constraint_part parts[2] = {{0, first}, {0, second}};
    stage->blocks[0] = (dent_constraint_block){DENT_METRIC_MASS_MATRIX, 2, mass};
    stage->problem.block_count = 1;
    stage->problem.row_count = 2;
    for (int i = 0; i < 2; i++) {
        stage->rows[i] = dent_constraint_row_default();
        stage->rows[i].key = i;
        stage->rows[i].parts = &parts[i];
        stage->rows[i].part_count = 1;
    }
    stage->rows[0].target = 3; /* wants to reach 3 and is weak */
    stage->rows[0].lower = -1;
    stage->rows[0].upper = 1;
    stage->rows[1].lower = -INFINITY; /* a joint that must not move */
    for (int method = 0; method < 2; method++) {
        stage->problem.method = (dent_constraint_method)method;
        solve(stage);
        assert_int_equal(stage->report.outcome, DENT_CONSTRAINTS_SOLVED);
        assert_true(fabs(stage->motion[0] - 0.5) < 1e-14 && fabs(stage->motion[1]) < 1e-14);
        assert_true(fabs(stage->forces[0].multiplier - 1) < 1e-14);
        assert_int_equal(stage->forces[0].state, DENT_CONSTRAINT_UPPER);
        assert_true(fabs(stage->forces[1].multiplier - 0.25) < 1e-14);
    }
    stage->rows[0].upper = 100;
    stage->rows[0].compliance = 1.5; /* x + 1.5 f = 3, 2 x = f */
    for (int method = 0; method < 2; method++) {
        stage->problem.method = (dent_constraint_method)method;
        solve(stage);
        assert_true(fabs(stage->motion[0] - 0.75) < 1e-14 && fabs(stage->forces[0].multiplier - 1.5) < 1e-14);
    }
    close_stage(stage);
}

/* A box on the ground, pushed sideways at a velocity: friction holds it or lets it slide. */
static void friction_holds_below_its_limit_and_slides_above(void **state)
{
    (void)state;
    const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0};
    for (int model = 0; model < 2; model++) {
        for (int slides = 0; slides < 2; slides++) {
            struct stage *stage = new_stage();
            add_box(stage, 2, 0, 0, 1);
            for (int k = 0; k < 4; k++) {
                double point[3] = {k & 1 ? 1 : -1, k & 2 ? 1 : -1, 0};
                uint32_t normal = add_row(stage, 0, UINT32_MAX, point, up, 0);
                stage->rows[normal].friction = 0.5;
                stage->rows[normal].tangents = add_row(stage, 0, UINT32_MAX, point, x, 0);
                add_row(stage, 0, UINT32_MAX, point, y, 0);
            }
            stage->problem.friction_model = (dent_friction_model)model;
            stage->free_motion[0] = slides ? 0.8 : 0.3;
            stage->free_motion[2] = -1;
            solve(stage);
            assert_int_equal(stage->report.outcome, DENT_CONSTRAINTS_SOLVED);
            double expected = slides ? 0.8 - 0.5 : 0;
            assert_true(fabs(stage->motion[0] - expected) < 1e-9);
            for (int i = 1; i < 6; i++) {
                assert_true(fabs(stage->motion[i]) < 1e-9);
            }
            for (uint32_t i = 0; i < stage->row_count; i += 3) {
                double t = stage->forces[i + 1].multiplier, u = stage->forces[i + 2].multiplier;
                assert_true(sqrt(t * t + u * u) <= 0.5 * stage->forces[i].multiplier + 1e-12);
            }
            close_stage(stage);
        }
    }
}

static void targets_are_those_of_the_table(void **state)
{
    (void)state;
    dent_rigid_state a = {.inverse_mass = 1,
                          .center = {0, 0, 1},
                          .orientation = {1, 0, 0, 0},
                          .linear_velocity = {1, 2, -3},
                          .angular_velocity = {0.5, -0.25, 2}};
    dent_rigid_state b = {.inverse_mass = 1,
                          .center = {0, 0, -1},
                          .orientation = {1, 0, 0, 0},
                          .linear_velocity = {-1, 0.5, 1},
                          .angular_velocity = {1, 0.5, 0}};
    dent_constraint_contact contact = {
        .a = &a, .b = &b, .point_a = {0.5, 0.25, 0.1}, .point_b = {0.5, 0.25, 0}, .normal = {0, 0, 1}, .gap = 0.1};
    dent_constraint_face_normal_rate(&b, contact.normal, contact.normal_rate);
    assert_true(contact.normal_rate[0] == 0.5 && contact.normal_rate[1] == -1 && contact.normal_rate[2] == 0);
    /* va = v + w x r with r = (0.5, 0.25, -0.9); vb with r = (0.5, 0.25, 1) */
    double va[3] = {1 + (-0.25 * -0.9 - 2 * 0.25), 2 + (2 * 0.5 - 0.5 * -0.9), -3 + (0.5 * 0.25 + 0.25 * 0.5)};
    double vb[3] = {-1 + 0.5 * 1, 0.5 - 1 * 1, 1 + (1 * 0.25 - 0.5 * 0.5)};
    double speed = va[2] - vb[2];
    assert_true(fabs(dent_constraint_speed(&contact) - speed) < 1e-14);
    assert_true(fabs(dent_constraint_impact_target(&contact, 0.5) + 0.5 * speed) < 1e-14);
    /* w x (w x r) = w (w . r) - r |w|^2, third component */
    double wr = 0.5 * 0.5 - 0.25 * 0.25 - 2 * 0.9, ww = 0.25 + 0.0625 + 4;
    double centripetal = 2 * wr + 0.9 * ww - (0 - 1 * (1 + 0.25));
    double resting = -2 * ((va[0] - vb[0]) * 0.5 - (va[1] - vb[1])) - centripetal;
    assert_true(fabs(dent_constraint_resting_target(&contact) - resting) < 1e-13);
    double target_gap = resting + 0.1 * 1.25 + 9 * (0.3 - 0.1) - 2 * 0.5 * 3 * speed;
    assert_true(fabs(dent_constraint_gap_target(&contact, 0.3, 3, 0.5) - target_gap) < 1e-13);
    assert_true(dent_constraint_gap_target(&contact, 0.1, 3, 0.5) == dent_constraint_resting_target(&contact));
    assert_true(dent_constraint_reposition_target(&contact, 0.3) == 0.3 - 0.1);
}

/* The rates agree with a difference quotient. */
static void the_normal_of_two_edges_turns_as_computed(void **state)
{
    (void)state;
    dent_rigid_state a = {.orientation = {1, 0, 0, 0}, .angular_velocity = {0.5, -0.25, 2}};
    dent_rigid_state b = {.orientation = {1, 0, 0, 0}, .angular_velocity = {1, 0.5, -1}};
    const double e[3] = {1, 0.2, 0.1}, f[3] = {-0.3, 2, 0.4}, h = 1e-6;
    double n[2][3], rate[3], origin[3] = {0, 0, 0};
    for (int side = 0; side < 2; side++) {
        dent_rigid_state moved_a = a, moved_b = b;
        double p[3], q[3], zero[3];
        dent_rigid_advance(&moved_a, side ? h : -h);
        dent_rigid_advance(&moved_b, side ? h : -h);
        dent_rigid_move_point(&a, &moved_a, e, p);
        dent_rigid_move_point(&b, &moved_b, f, q);
        dent_rigid_move_point(&a, &moved_a, origin, zero);
        double c[3] = {p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]};
        double length = sqrt(c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
        for (int i = 0; i < 3; i++) {
            n[side][i] = -c[i] / length;
        }
    }
    double normal[3];
    for (int i = 0; i < 3; i++) {
        normal[i] = 0.5 * (n[0][i] + n[1][i]);
    }
    dent_constraint_edge_normal_rate(&a, &b, e, f, normal, rate);
    for (int i = 0; i < 3; i++) {
        assert_true(fabs(rate[i] - (n[1][i] - n[0][i]) / (2 * h)) < 1e-8);
    }
    dent_constraint_edge_normal_rate(&a, &b, e, e, normal, rate);
    assert_true(rate[0] == 0 && rate[1] == 0 && rate[2] == 0);
}

static void bad_problems_name_the_row_and_change_nothing(void **state)
{
    (void)state;
    struct stage *stage = new_stage();
    char message[256];
    const double point[3] = {0, 0, -1};
    add_box(stage, 1, 0, 0, 0);
    add_row(stage, 0, UINT32_MAX, point, up, 1);
    stage->motion[2] = 77;
    stage->rows[0].target = NAN;
    assert_int_equal(dent_constraints_solve(stage->solver, &stage->problem, NULL), DENT_ERROR_BAD_NUMBER);
    dent_context_message(stage->context, message, sizeof message);
    assert_non_null(strstr(message, "row 0"));
    stage->rows[0].target = 1;
    stage->parts[0][0].block = 3;
    assert_int_equal(dent_constraints_solve(stage->solver, &stage->problem, NULL), DENT_ERROR_INVALID_ARGUMENT);
    stage->parts[0][0].block = 0;
    stage->metrics[0][1] = -1;
    assert_int_equal(dent_constraints_solve(stage->solver, &stage->problem, NULL), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(stage->context, message, sizeof message);
    assert_non_null(strstr(message, "block 0"));
    stage->metrics[0][1] = 1.5;
    stage->rows[0].friction = 1; /* without tangents */
    assert_int_equal(dent_constraints_solve(stage->solver, &stage->problem, NULL), DENT_ERROR_INVALID_ARGUMENT);
    stage->rows[0].friction = 0;
    stage->rows[0].lower = 2;
    stage->rows[0].upper = 1;
    assert_int_equal(dent_constraints_solve(stage->solver, &stage->problem, NULL), DENT_ERROR_INVALID_ARGUMENT);
    stage->problem.struct_size = 0;
    assert_int_equal(dent_constraints_solve(stage->solver, &stage->problem, NULL), DENT_ERROR_INVALID_ARGUMENT);
    assert_true(stage->motion[2] == 77);
    close_stage(stage);
}

static void a_solve_survives_failing_memory_and_then_allocates_nothing(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&memory);
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    struct stage *stage = calloc(1, sizeof *stage);
    dent_random random = dent_random_seeded(8);
    assert_non_null(context);
    assert_non_null(stage);
    open_stage(stage, context);
    build_tower(stage, 12, &random);
    stage->motion[0] = 99;
    uint64_t failures = 0;
    for (uint64_t n = 1;; n++) {
        atomic_store(&memory.requests, 0);
        atomic_store(&memory.fail_at, n);
        dent_status status = dent_constraints_solve(stage->solver, &stage->problem, NULL);
        atomic_store(&memory.fail_at, 0);
        if (status == DENT_OK) {
            break;
        }
        assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
        assert_true(stage->motion[0] == 99);
        failures++;
        dent_constraints_destroy(stage->solver);
        stage->solver = dent_constraints_create(context);
        assert_non_null(stage->solver);
    }
    assert_true(failures > 5);
    uint64_t before = dent_context_memory_use(context).allocations;
    stage->problem.previous = stage->forces;
    stage->problem.previous_count = stage->row_count;
    solve(stage);
    solve(stage);
    uint64_t after_lookup = dent_context_memory_use(context).allocations;
    assert_true(after_lookup - before <= 1); /* the sorted keys of `previous`, once */
    solve(stage);
    assert_int_equal(dent_context_memory_use(context).allocations, after_lookup);
    dent_constraints_destroy(stage->solver);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
    free(stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(redundant_contacts_under_a_box_give_one_acceleration),
        cmocka_unit_test(a_squeezed_body_is_infeasible_and_finite),
        cmocka_unit_test(fixed_bodies_join_no_islands_and_cannot_be_pushed),
        cmocka_unit_test(towers_are_solved_alike_in_both_spaces_and_warm_starts_need_few_pivots),
        cmocka_unit_test(remembered_tangents_that_fight_do_not_keep_a_stack_from_settling),
        cmocka_unit_test(a_common_factor_in_masses_or_targets_or_rows_changes_nothing_else),
        cmocka_unit_test(a_motor_pushes_no_more_than_its_limit),
        cmocka_unit_test(friction_holds_below_its_limit_and_slides_above),
        cmocka_unit_test(targets_are_those_of_the_table),
        cmocka_unit_test(the_normal_of_two_edges_turns_as_computed),
        cmocka_unit_test(bad_problems_name_the_row_and_change_nothing),
        cmocka_unit_test(a_solve_survives_failing_memory_and_then_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
