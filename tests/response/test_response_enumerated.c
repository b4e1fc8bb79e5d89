/* Impulses and displacements of many contacts against the solution found by enumeration of active sets. */
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

/* ---- impulses against enumeration ---------------------------------------------------------------------------- */

enum { LCP_MOST = 7, LCP_NODES = 5 };

/* Solves a small dense system by elimination with pivots; false when singular. */
static bool solve_dense(int n, double matrix[LCP_MOST][LCP_MOST], double right[LCP_MOST])
{
    for (int column = 0; column < n; column++) {
        int pivot = column;
        for (int row = column; row < n; row++) {
            pivot = fabs(matrix[row][column]) > fabs(matrix[pivot][column]) ? row : pivot;
        }
        if (fabs(matrix[pivot][column]) < 1e-9) {
            return false;
        }
        for (int k = 0; k < n; k++) {
            double swap = matrix[column][k];
            matrix[column][k] = matrix[pivot][k];
            matrix[pivot][k] = swap;
        }
        double swap = right[column];
        right[column] = right[pivot];
        right[pivot] = swap;
        for (int row = 0; row < n; row++) {
            double factor = row == column ? 0 : matrix[row][column] / matrix[column][column];
            for (int k = 0; k < n; k++) {
                matrix[row][k] -= factor * matrix[column][k];
            }
            right[row] -= factor * right[column];
        }
    }
    for (int i = 0; i < n; i++) {
        right[i] /= matrix[i][i];
    }
    return true;
}

/* Tries every set of pushing contacts; the impulses of the one that fits. */
static bool enumerate(int count, const double lcp[LCP_MOST][LCP_MOST], const double speeds[LCP_MOST],
                      double found[LCP_MOST])
{
    for (unsigned set = 0; set < 1U << count; set++) {
        double matrix[LCP_MOST][LCP_MOST], right[LCP_MOST], full[LCP_MOST] = {0};
        int members[LCP_MOST], n = 0;
        for (int i = 0; i < count; i++) {
            if (set >> i & 1) {
                members[n++] = i;
            }
        }
        for (int i = 0; i < n; i++) {
            right[i] = -speeds[members[i]];
            for (int j = 0; j < n; j++) {
                matrix[i][j] = lcp[members[i]][members[j]];
            }
        }
        if (!solve_dense(n, matrix, right)) {
            continue;
        }
        bool good = true;
        for (int i = 0; i < n; i++) {
            full[members[i]] = right[i];
            good = good && right[i] >= -1e-10;
        }
        for (int i = 0; i < count && good; i++) {
            double speed = speeds[i];
            for (int j = 0; j < count; j++) {
                speed += lcp[i][j] * full[j];
            }
            good = speed >= -1e-9;
        }
        if (good) {
            memcpy(found, full, LCP_MOST * sizeof *found);
            return true;
        }
    }
    return false;
}

/* Random contacts between the vertices of one body, and what they do to its velocities or positions. */
struct random_contacts {
    int count;
    double masses[LCP_NODES], state[LCP_NODES][3];
    double rows[LCP_MOST][3 * LCP_NODES], lcp[LCP_MOST][LCP_MOST];
    dent_contact contacts[LCP_MOST];
    dent_response_body body;
    dent_response_problem problem;
};

static void contact_between_two(struct random_contacts *set, int c, double widest_gap, dent_random *random)
{
    uint32_t a = dent_random_below(random, LCP_NODES), b = (a + 1 + dent_random_below(random, 4)) % LCP_NODES;
    double normal[3], length = 0, gap = widest_gap > 0 ? widest_gap * (2 * dent_random_unit(random) - 1) : 0;
    for (int k = 0; k < 3; k++) {
        normal[k] = dent_random_unit(random) - 0.5;
        length += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) {
        normal[k] /= sqrt(length);
        set->rows[c][3 * a + (uint32_t)k] = normal[k];
        set->rows[c][3 * b + (uint32_t)k] = -normal[k];
    }
    set->contacts[c] = plain_contact((uint64_t)c, 0, a, 0, b, normal, gap);
    memcpy(set->contacts[c].point_a, set->state[a], sizeof set->state[a]);
    memcpy(set->contacts[c].point_b, set->state[b], sizeof set->state[b]);
}

static void make_random_contacts(struct random_contacts *set, uint64_t seed, double widest_gap)
{
    dent_random random = dent_random_seeded(seed);
    memset(set, 0, sizeof *set);
    set->count = 1 + (int)dent_random_below(&random, LCP_MOST);
    for (int i = 0; i < LCP_NODES; i++) {
        set->masses[i] = 0.2 + dent_random_unit(&random);
        for (int k = 0; k < 3; k++) {
            set->state[i][k] = 2 * dent_random_unit(&random) - 1;
        }
    }
    for (int c = 0; c < set->count; c++) {
        contact_between_two(set, c, widest_gap, &random);
    }
    for (int c = 0; c < set->count; c++) {
        for (int d = 0; d < set->count; d++) {
            for (int i = 0; i < 3 * LCP_NODES; i++) {
                set->lcp[c][d] += set->rows[c][i] * set->masses[i / 3] * set->rows[d][i];
            }
        }
    }
    set->body = (dent_response_body){.vertex_count = LCP_NODES, .inverse_masses = set->masses};
    set->problem = dent_response_problem_default();
    set->problem.bodies = &set->body;
    set->problem.body_count = 1;
    set->problem.contacts = set->contacts;
    set->problem.contact_count = (uint64_t)set->count;
}

/* The state after the enumerated impulses for right-hand sides `sides`. False: there is no solution. */
static bool enumerated_state(const struct random_contacts *set, const double *sides, double wanted[LCP_NODES][3])
{
    double expected[LCP_MOST];
    if (!enumerate(set->count, set->lcp, sides, expected)) {
        return false;
    }
    memcpy(wanted, set->state, sizeof set->state);
    for (int c = 0; c < set->count; c++) {
        for (int i = 0; i < 3 * LCP_NODES; i++) {
            wanted[i / 3][i % 3] += set->masses[i / 3] * set->rows[c][i] * expected[c];
        }
    }
    return true;
}

static void assert_same_state(const struct random_contacts *set, double wanted[LCP_NODES][3], double tolerance)
{
    for (int i = 0; i < 3 * LCP_NODES; i++) {
        assert_true(fabs(set->state[i / 3][i % 3] - wanted[i / 3][i % 3]) < tolerance);
    }
}

static void impulses_equal_the_enumerated_solution(void **state)
{
    (void)state;
    int solved = 0;
    for (uint64_t seed = 1; seed <= 300; seed++) {
        struct random_contacts set;
        double speeds[LCP_MOST] = {0}, wanted[LCP_NODES][3];
        make_random_contacts(&set, seed, 0);
        set.body.velocities = set.state[0];
        for (int c = 0; c < set.count; c++) {
            for (int i = 0; i < 3 * LCP_NODES; i++) {
                speeds[c] += set.rows[c][i] * set.state[i / 3][i % 3];
            }
        }
        if (!enumerated_state(&set, speeds, wanted)) {
            continue;
        }
        dent_velocity_def def = dent_velocity_def_default();
        dent_response_report report;
        set.problem.material = (dent_contact_material){0};
        def.iterations = 20000;
        def.tolerance = 1e-13;
        assert_int_equal(dent_velocity_solve(response, &set.problem, &def, &report), DENT_OK);
        if (report.iterations < def.iterations) { /* nearly parallel rows converge too slowly to compare */
            solved++;
            assert_true(report.residual < 1e-10);
            assert_same_state(&set, wanted, 1e-8);
        }
    }
    assert_true(solved > 250);
}

/* ---- repositioning ------------------------------------------------------------------------------------------- */

static void repositioning_moves_as_little_as_the_enumerated_solution(void **state)
{
    (void)state;
    const double target_gap = 0.01;
    int solved = 0;
    for (uint64_t seed = 1; seed <= 200; seed++) {
        struct random_contacts set;
        double lacks[LCP_MOST], wanted[LCP_NODES][3];
        make_random_contacts(&set, 1000 + seed, 0.1);
        set.body.positions = set.state[0];
        for (int c = 0; c < set.count; c++) {
            lacks[c] = set.contacts[c].gap - target_gap;
        }
        if (!enumerated_state(&set, lacks, wanted)) {
            continue;
        }
        dent_reposition_def def = dent_reposition_def_default();
        dent_response_report report;
        def.target_gap = def.trigger_gap = target_gap;
        def.sweeps = 5000;
        assert_int_equal(dent_reposition_solve(response, &set.problem, &def, &report), DENT_OK);
        if (report.residual < 1e-9 && report.squeezed == 0) { /* nearly parallel rows converge too slowly to compare */
            solved++;
            assert_same_state(&set, wanted, 1e-7);
        }
    }
    print_message("repositioning: %d of 200 random problems as enumerated\n", solved);
    assert_true(solved > 120);
}

static void repositioning_waits_for_the_alert_distance_and_moves_no_farther_than_allowed(void **state)
{
    (void)state;
    struct particle particle;
    dent_reposition_def def = dent_reposition_def_default();
    dent_response_report report;
    def.target_gap = 1e-3;
    def.trigger_gap = 3e-4;
    particle_init(&particle, 1, 0.01);
    particle.position[2] = 5e-4; /* nearer than the target gap, but not alarmingly */
    particle_detect(&particle, up);
    assert_int_equal(dent_reposition_solve(response, &particle.problem, &def, &report), DENT_OK);
    assert_true(particle.position[2] == 5e-4 && report.pushed == 0);
    particle.position[2] = 2e-4;
    particle.velocity[0] = particle.velocity[2] = -3;
    particle_detect(&particle, up);
    assert_int_equal(dent_reposition_solve(response, &particle.problem, &def, &report), DENT_OK);
    assert_true(fabs(particle.position[2] - 1e-3) < 1e-15 && report.pushed == 1);
    assert_true(particle.velocity[2] == -3 && particle.position[0] == 0);
    particle.position[2] = -0.1;
    particle.bodies[0].positions_start = NULL;
    def.longest_move = 0.02;
    particle_detect(&particle, up);
    assert_int_equal(dent_reposition_solve(response, &particle.problem, &def, &report), DENT_OK);
    assert_true(fabs(particle.position[2] + 0.08) < 1e-12);
    def.trigger_gap = 1;
    assert_int_equal(dent_reposition_solve(response, &particle.problem, &def, NULL), DENT_ERROR_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(impulses_equal_the_enumerated_solution),
        cmocka_unit_test(repositioning_moves_as_little_as_the_enumerated_solution),
        cmocka_unit_test(repositioning_waits_for_the_alert_distance_and_moves_no_farther_than_allowed),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
