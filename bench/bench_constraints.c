/* The exact constraint solver: microseconds for one body with 4 to 64 contacts and for islands of 20 to 400 contacts (a
 * wall of boxes), cold and warm-started, in motion space and in contact space. Targets differ by up to 0.01; from call to
 * call they change by up to 2 % of that, as from step to step.
 *
 * Rows are medians of the turns, with the quartiles. Usage: bench_constraints [turns]
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dent/constraints.h>

#include "sort_times.h"

enum { TURNS_MAX = 1001, MOST_BODIES = 128, MOST_ROWS = 512 };

struct bench_island {
    dent_rigid_state bodies[MOST_BODIES];
    dent_constraint_block blocks[MOST_BODIES];
    double metrics[MOST_BODIES][10], coefficients[MOST_ROWS][2][6];
    dent_constraint_part parts[MOST_ROWS][2];
    dent_constraint_row rows[MOST_ROWS];
    dent_constraint_force forces[MOST_ROWS];
    double free_motion[6 * MOST_BODIES], motion[6 * MOST_BODIES];
    uint32_t body_count, row_count;
};

static struct bench_island island;

static void add_body(double x, double z)
{
    uint32_t i = island.body_count++;
    island.bodies[i] = (dent_rigid_state){.inverse_mass = 1, .inverse_inertia = {1.5, 0, 0, 0, 1.5, 0, 0, 0, 1.5},
                                          .center = {x, 0, z}, .orientation = {1, 0, 0, 0}};
    dent_constraint_rigid_metric(&island.bodies[i], island.metrics[i]);
    island.blocks[i] = (dent_constraint_block){DENT_METRIC_RIGID, 6, island.metrics[i]};
    island.free_motion[6 * i + 2] = -9.81;
}

static void add_contact(uint32_t a, uint32_t b, double x, double y, double z)
{
    static const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
    double point[3] = {x, y, z};
    uint32_t i = island.row_count++;
    island.rows[i] = dent_constraint_row_default();
    island.rows[i].key = i;
    island.rows[i].parts = island.parts[i];
    island.rows[i].part_count = b == UINT32_MAX ? 1 : 2;
    dent_constraint_rigid_row(&island.bodies[a], point, up, island.coefficients[i][0]);
    island.parts[i][0] = (dent_constraint_part){a, island.coefficients[i][0]};
    if (b != UINT32_MAX) {
        dent_constraint_rigid_row(&island.bodies[b], point, down, island.coefficients[i][1]);
        island.parts[i][1] = (dent_constraint_part){b, island.coefficients[i][1]};
    }
}

static void one_body(uint32_t contacts)
{
    memset(&island, 0, sizeof island);
    add_body(0, 1);
    for (uint32_t i = 0; i < contacts; i++) {
        double sine, cosine;
        dent_sine_cosine(6.283185307179586 * i / contacts, &sine, &cosine);
        add_contact(0, UINT32_MAX, cosine, sine, 0);
    }
}

/* A running bond of boxes 2 wide: each rests on two, with two contacts on each. */
static void wall(uint32_t contacts)
{
    memset(&island, 0, sizeof island);
    for (uint32_t layer = 0; island.row_count + 4 <= contacts; layer++) {
        for (uint32_t i = 0; i < 5 && island.row_count + 4 <= contacts; i++) {
            uint32_t own = island.body_count;
            double x = 2.0 * i + (layer & 1);
            add_body(x, 1 + 2.0 * layer);
            for (int k = 0; k < 4; k++) {
                double side = k & 1 ? 0.9 : -0.9;
                int64_t below = (int64_t)own - 5 + (layer & 1 ? (k & 1) : (k & 1) - 1);
                bool has = layer > 0 && (layer & 1 ? i + (k & 1) < 5 : i + (k & 1) >= 1);
                add_contact(own, layer == 0 ? UINT32_MAX : has ? (uint32_t)below : own - 5, x + side, k & 2 ? 1 : -1,
                            2.0 * layer);
            }
        }
    }
}

static void disturb(dent_random *random)
{
    dent_random steady = dent_random_seeded(4);
    for (uint32_t i = 0; i < island.row_count; i++) {
        double base = 0.02 * (dent_random_unit(&steady) - 0.5);
        island.rows[i].target = base + 0.0004 * (dent_random_unit(random) - 0.5);
    }
}

static void measure(dent_constraints *solver, const char *name, dent_constraint_method method, bool warm, int turns)
{
    static double times[TURNS_MAX];
    dent_random random = dent_random_seeded(3);
    dent_constraint_problem problem = dent_constraint_problem_default();
    dent_constraint_report report = {0};
    uint64_t pivots = 0;
    problem.blocks = island.blocks;
    problem.block_count = island.body_count;
    problem.rows = island.rows;
    problem.row_count = island.row_count;
    problem.free_motion = island.free_motion;
    problem.motion = island.motion;
    problem.forces = island.forces;
    problem.method = method;
    for (int turn = -3; turn < turns; turn++) {
        problem.previous = warm && turn > -3 ? island.forces : NULL;
        problem.previous_count = warm && turn > -3 ? island.row_count : 0;
        disturb(&random);
        uint64_t begin = dent_clock_ns();
        if (dent_constraints_solve(solver, &problem, &report) != DENT_OK || report.outcome != DENT_CONSTRAINTS_SOLVED) {
            fprintf(stderr, "bench_constraints: %s was not solved\n", name);
            exit(2);
        }
        if (turn >= 0) {
            times[turn] = (double)(dent_clock_ns() - begin) / 1000;
            pivots += report.iterations;
        }
    }
    sort_times(times, (size_t)turns);
    printf("%-8s %5u contacts  %-13s %-4s  median %9.2f us  (%.2f to %.2f)  pivots %.1f  active %u  residual %.1e\n", name,
           island.row_count, method ? "contact space" : "motion space", warm ? "warm" : "cold", times[turns / 2],
           times[turns / 4], times[3 * turns / 4], (double)pivots / turns, report.active, report.residual);
}

int main(int argc, char **argv)
{
    static const uint32_t single[] = {4, 8, 16, 32, 64}, walls[] = {20, 60, 100, 200, 400};
    int turns = argc > 1 ? atoi(argv[1]) : 101;
    turns = turns < 1 ? 1 : turns > TURNS_MAX ? TURNS_MAX : turns;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    dent_constraints *solver = dent_constraints_create(context);
    if (!solver) {
        return 2;
    }
    for (size_t n = 0; n < sizeof single / sizeof single[0] + sizeof walls / sizeof walls[0]; n++) {
        bool is_wall = n >= sizeof single / sizeof single[0];
        uint32_t contacts = is_wall ? walls[n - sizeof single / sizeof single[0]] : single[n];
        if (is_wall) {
            wall(contacts);
        } else {
            one_body(contacts);
        }
        for (int warm = 1; warm >= 0; warm--) {
            measure(solver, is_wall ? "wall" : "body", DENT_CONSTRAINTS_MOTION_SPACE, warm, turns);
        }
        measure(solver, is_wall ? "wall" : "body", DENT_CONSTRAINTS_CONTACT_SPACE, false, contacts > 100 ? 1 + turns / 20 : turns);
    }
    dent_constraints_destroy(solver);
    dent_context_destroy(context);
    return 0;
}
