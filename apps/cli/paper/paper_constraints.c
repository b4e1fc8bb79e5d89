/* paper_constraints.c — motion space against contact space (Redon 2006, section 6): the exact constraint solver on a tower
 * of boxes with more and more contacts between neighbours. Time, and the condition of what each space factors: the
 * columns of the active rows, or the matrix J M^-1 J' of all rows, which more than six contacts a body make singular. */
#include "paper_chart.h"
#include "tool.h"

#include <dent/constraints.h>

#include <math.h>
#include <string.h>

enum { TOWER = 4, CONTACTS_MOST = 64, ROWS_MOST = TOWER * CONTACTS_MOST, REPEATS_MOST = 101, JACOBI_SWEEPS = 40 };

typedef struct tower_stage {
    dent_constraints *solver;
    dent_rigid_state bodies[TOWER];
    dent_constraint_block blocks[TOWER];
    double metrics[TOWER][10], coefficients[ROWS_MOST][2][6];
    dent_constraint_part parts[ROWS_MOST][2];
    dent_constraint_row rows[ROWS_MOST];
    dent_constraint_force forces[ROWS_MOST];
    double free_motion[6 * TOWER], motion[6 * TOWER];
    uint32_t row_count;
    double times[3][REPEATS_MOST];
    double matrix[ROWS_MOST][ROWS_MOST];
} tower_stage;

/* ---- the tower --------------------------------------------------------------------------------------------------- */

static void add_tower_row(tower_stage *stage, uint32_t body, const double point[3])
{
    static const double up[3] = {0, 0, 1}, down[3] = {0, 0, -1};
    uint32_t i = stage->row_count++;
    stage->rows[i] = dent_constraint_row_default();
    stage->rows[i].key = i;
    stage->rows[i].parts = stage->parts[i];
    stage->rows[i].part_count = body > 0 ? 2 : 1;
    for (uint32_t side = 0; side < stage->rows[i].part_count; side++) {
        dent_constraint_rigid_row(&stage->bodies[body - side], point, side == 0 ? up : down,
                                  stage->coefficients[i][side]);
        stage->parts[i][side] = (dent_constraint_part){body - side, stage->coefficients[i][side]};
    }
}

/* So many contacts on the rim between neighbours. */
static void build_tower(tower_stage *stage, uint32_t contacts)
{
    stage->row_count = 0;
    for (uint32_t b = 0; b < TOWER; b++) {
        dent_rigid_state *body = &stage->bodies[b];
        *body = (dent_rigid_state){.inverse_mass = 1,
                                   .inverse_inertia = {1.5, 0, 0, 0, 1.5, 0, 0, 0, 1.5},
                                   .center = {0, 0, 1 + 2.0 * b},
                                   .orientation = {1, 0, 0, 0}};
        dent_constraint_rigid_metric(body, stage->metrics[b]);
        stage->blocks[b] = (dent_constraint_block){DENT_METRIC_RIGID, 6, stage->metrics[b]};
        stage->free_motion[6 * b + 2] = -9.81;
        for (uint32_t c = 0; c < contacts; c++) {
            double turn = 6.283185307179586 * (c + 0.25) / contacts;
            const double point[3] = {cos(turn), sin(turn), 2.0 * b};
            add_tower_row(stage, b, point);
        }
    }
}

/* Targets as they change from step to step. */
static void disturb(tower_stage *stage, dent_random *random)
{
    dent_random steady = dent_random_seeded(4);
    for (uint32_t i = 0; i < stage->row_count; i++) {
        double base = 0.02 * (dent_random_unit(&steady) - 0.5);
        stage->rows[i].target = base + 0.0004 * (dent_random_unit(random) - 0.5);
    }
}

/* ---- solving ----------------------------------------------------------------------------------------------------- */

static dent_status solve_tower(tower_stage *stage, dent_constraint_method method, bool warm, double *us)
{
    dent_constraint_problem problem = dent_constraint_problem_default();
    dent_constraint_report report;
    problem.blocks = stage->blocks;
    problem.block_count = TOWER;
    problem.rows = stage->rows;
    problem.row_count = stage->row_count;
    problem.free_motion = stage->free_motion;
    problem.motion = stage->motion;
    problem.forces = stage->forces;
    problem.method = method;
    problem.previous = warm ? stage->forces : NULL;
    problem.previous_count = warm ? stage->row_count : 0;
    uint64_t begin = dent_clock_ns();
    dent_status status = dent_constraints_solve(stage->solver, &problem, &report);
    *us = 1e-3 * (double)(dent_clock_ns() - begin);
    return status;
}

static double middle_of(double *values, uint32_t count)
{
    for (uint32_t i = 1; i < count; i++) {
        for (uint32_t k = i; k > 0 && values[k - 1] > values[k]; k--) {
            double value = values[k];
            values[k] = values[k - 1];
            values[k - 1] = value;
        }
    }
    return values[count / 2];
}

/* Medians of motion space cold and warm, and of contact space, taken in turns; ends with a warm one. */
static dent_status time_tower(tower_stage *stage, uint32_t repeats, double medians[3])
{
    dent_random random = dent_random_seeded(3);
    dent_status status = DENT_OK;
    for (uint32_t n = 0; n < repeats && status == DENT_OK; n++) {
        disturb(stage, &random);
        status = solve_tower(stage, DENT_CONSTRAINTS_CONTACT_SPACE, false, &stage->times[2][n]);
        status = status == DENT_OK
                     ? solve_tower(stage, DENT_CONSTRAINTS_MOTION_SPACE, false, &stage->times[0][n])
                     : status;
        disturb(stage, &random);
        status = status == DENT_OK ? solve_tower(stage, DENT_CONSTRAINTS_MOTION_SPACE, true, &stage->times[1][n])
                                   : status;
    }
    for (int i = 0; i < 3 && status == DENT_OK; i++) {
        medians[i] = middle_of(stage->times[i], repeats);
    }
    return status;
}

/* ---- condition --------------------------------------------------------------------------------------------------- */

/* J M^-1 J' of the rows listed. */
static void fill_matrix(tower_stage *stage, const uint32_t *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < count; j++) {
            double sum = 0;
            for (uint32_t p = 0; p < stage->rows[list[i]].part_count; p++) {
                for (uint32_t q = 0; q < stage->rows[list[j]].part_count; q++) {
                    const dent_constraint_part *a = &stage->parts[list[i]][p], *b = &stage->parts[list[j]][q];
                    for (int k = 0; k < 6 && a->block == b->block; k++) {
                        sum += a->coefficients[k] * b->coefficients[k] * (k < 3 ? 1 : 1.5);
                    }
                }
            }
            stage->matrix[i][j] = sum;
        }
    }
}

static void rotate_pair(double (*a)[ROWS_MOST], uint32_t n, uint32_t p, uint32_t q)
{
    if (a[p][q] == 0) {
        return;
    }
    double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
    double t = (theta < 0 ? -1 : 1) / (fabs(theta) + sqrt(theta * theta + 1)), c = 1 / sqrt(t * t + 1), s = t * c;
    for (uint32_t k = 0; k < n; k++) {
        double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y;
        a[k][q] = s * x + c * y;
    }
    for (uint32_t k = 0; k < n; k++) {
        double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y;
        a[q][k] = s * x + c * y;
    }
}

/* Largest over smallest eigenvalue, by Jacobi's rotations; 1e17 stands for singular. */
static double condition_of(tower_stage *stage, uint32_t count)
{
    double (*a)[ROWS_MOST] = stage->matrix, low = INFINITY, high = 0;
    for (int sweep = 0; sweep < JACOBI_SWEEPS; sweep++) {
        double off = 0, trace = 0;
        for (uint32_t p = 0; p < count; p++) {
            trace += fabs(a[p][p]);
            for (uint32_t q = p + 1; q < count; q++) {
                off = fmax(off, fabs(a[p][q]));
                rotate_pair(a, count, p, q);
            }
        }
        if (off <= 1e-17 * trace) {
            break;
        }
    }
    for (uint32_t p = 0; p < count; p++) {
        low = fmin(low, fabs(a[p][p]));
        high = fmax(high, fabs(a[p][p]));
    }
    return count == 0 ? 1 : low > 1e-17 * high ? high / low : 1e17;
}

/* *active: rows that push. Motion space works with the columns, whose condition is the root of that of their products. */
static void conditions_of(tower_stage *stage, double *motion_space, double *contact_space, uint32_t *active)
{
    uint32_t list[ROWS_MOST], count = 0;
    for (uint32_t i = 0; i < stage->row_count; i++) {
        list[i] = i;
    }
    fill_matrix(stage, list, stage->row_count);
    *contact_space = condition_of(stage, stage->row_count);
    for (uint32_t i = 0; i < stage->row_count; i++) {
        if (stage->forces[i].state == DENT_CONSTRAINT_ACTIVE) {
            list[count++] = i;
        }
    }
    fill_matrix(stage, list, count);
    *motion_space = sqrt(condition_of(stage, count));
    *active = count;
}

/* ---- the figures ------------------------------------------------------------------------------------------------- */

static int measure_towers(paper_run *run, paper_chart *chart, bool draws_condition)
{
    static const uint32_t contacts[] = {3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
    static tower_stage stage;
    memset(&stage, 0, sizeof stage);
    uint32_t repeats = paper_steps(run, 21) < REPEATS_MOST ? paper_steps(run, 21) : REPEATS_MOST;
    printer *out = run->session->out;
    dent_status status = DENT_OK;
    stage.solver = dent_constraints_create(run->session->context);
    if (stage.solver == NULL) {
        return complain("paper: out of memory");
    }
    printer_format(out, "%9s %7s %12s %12s %12s %7s %14s %14s\n", "contacts", "rows", "cold us", "warm us", "contact us",
                   "active", "cond. active", "cond. all");
    printer_text(&run->file, "contacts_per_body,rows,motion_space_cold_us,motion_space_warm_us,contact_space_us,active,"
                             "condition_motion_space,condition_contact_space\n");
    for (size_t i = 0; i < sizeof contacts / sizeof contacts[0] && status == DENT_OK; i++) {
        double us[3] = {0}, condition[2];
        uint32_t active;
        build_tower(&stage, contacts[i]);
        status = time_tower(&stage, repeats, us);
        conditions_of(&stage, &condition[0], &condition[1], &active);
        printer_format(out, "%9u %7u %12.2f %12.2f %12.2f %7u %14.4g %14.4g\n", contacts[i], stage.row_count, us[0],
                       us[1], us[2], active, condition[0], condition[1]);
        printer_format(&run->file, "%u,%u,%.4g,%.4g,%.4g,%u,%.4g,%.4g\n", contacts[i], stage.row_count, us[0], us[1],
                       us[2], active, condition[0], condition[1]);
        paper_chart_add(chart, "motion space", contacts[i], draws_condition ? condition[0] : us[0]);
        paper_chart_add(chart, "contact space", contacts[i], draws_condition ? condition[1] : us[2]);
        if (!draws_condition) {
            paper_chart_add(chart, "motion space, warm", contacts[i], us[1]);
        }
    }
    printer_flush(out);
    dent_constraints_destroy(stage.solver);
    return status == DENT_OK ? STATUS_GOOD : complain("paper: %s", session_message(run->session, status));
}

static int make_towers(paper_run *run, const char *name, const char *title, const char *y_label, bool draws_condition)
{
    static paper_chart chart;
    chart = (paper_chart){.name = name,
                          .title = title,
                          .x_label = "contacts between two boxes",
                          .y_label = y_label,
                          .x_logarithmic = true,
                          .y_logarithmic = true};
    int status = paper_file_open(run, name, "csv");
    status = status == STATUS_GOOD ? measure_towers(run, &chart, draws_condition) : status;
    return paper_chart_finish(run, &chart, status);
}

static int make_times(paper_run *run)
{
    return make_towers(run, "constraint-times", "Motion space and contact space: time", "microseconds", false);
}

static int make_conditions(paper_run *run)
{
    return make_towers(run, "constraint-conditions", "Motion space and contact space: condition",
                       "condition of what is factored (1e17: singular)", true);
}

const paper_figure figure_constraint_times = {
    "constraint-times", "time of motion space and contact space against contacts per body", make_times};
const paper_figure figure_constraint_conditions = {
    "constraint-conditions", "condition in motion space and contact space against contacts per body", make_conditions};
