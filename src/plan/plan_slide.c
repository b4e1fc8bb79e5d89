/* Contacts of a milestone as rows of inequalities, and the projection onto them.
 *
 * A contact keeps a point of one link and a plane of another. At the milestone's configuration its gap is d, and a step
 * x changes it by J x to first order. What a step may do: J x >= s / 8 - d, with the target gap s. So a contact
 * that is too near is left, one that is farther may come nearer. The projection is the nearest such step in the metric
 * of the space (dent/constraints.h). If no step satisfies all rows, it is the one that violates them least; the edge
 * test decides. */
#include "plan/plan_state.h"

#include <math.h>
#include <string.h>

/* One row, divided by its length. False: the contact cannot move. */
static bool make_row(const dent_planner *planner, const struct plan_contact *contact, double *row, double *bound)
{
    const struct plan_space *space = &planner->space;
    double point_a[3], point_b[3], normal[3];
    double rows_a[DENT_PLAN_VALUES_MAX][3], rows_b[DENT_PLAN_VALUES_MAX][3];
    plan_contact_place(space, contact, point_a, point_b, normal);
    plan_space_derivative(space, contact->link_a, point_a, rows_a);
    plan_space_derivative(space, contact->link_b, point_b, rows_b);
    double gap = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        gap += normal[k] * (point_a[k] - point_b[k]);
    }
    for (uint32_t f = 0; f < space->freedom_count; f++) {
        row[f] = 0;
        for (int k = 0; k < 3; k++) {
            row[f] += normal[k] * (rows_a[f][k] - rows_b[f][k]);
        }
        square += row[f] * row[f];
    }
    double length = sqrt(square);
    if (!(length > 0)) {
        return false;
    }
    for (uint32_t f = 0; f < space->freedom_count; f++) {
        row[f] /= length;
    }
    *bound = (planner->target_gap / 8 - gap) / length;
    return true;
}

/* The nearest step that the rows allow, by the exact solver in the metric of the space. */
static bool project(dent_planner *planner, double (*rows)[DENT_PLAN_VALUES_MAX], const double *bounds, uint32_t count,
                    double *tangent)
{
    const dent_constraint_block block = {DENT_METRIC_IDENTITY, planner->space.freedom_count, NULL};
    dent_constraint_part parts[PLAN_CONTACTS];
    dent_constraint_row list[PLAN_CONTACTS];
    double free_motion[DENT_PLAN_VALUES_MAX];
    for (uint32_t i = 0; i < count; i++) {
        parts[i] = (dent_constraint_part){0, rows[i]};
        list[i] = dent_constraint_row_default();
        list[i].parts = &parts[i];
        list[i].part_count = 1;
        list[i].target = bounds[i];
    }
    memcpy(free_motion, tangent, planner->space.freedom_count * sizeof *tangent);
    dent_constraint_problem problem = dent_constraint_problem_default();
    problem.blocks = &block;
    problem.block_count = 1;
    problem.rows = list;
    problem.row_count = count;
    problem.free_motion = free_motion;
    problem.motion = tangent;
    dent_constraint_report report;
    return dent_constraints_solve(planner->constraints, &problem, &report) == DENT_OK && report.active > 0;
}

bool plan_project(dent_planner *planner, const double *values, const struct plan_contact *contacts, uint32_t count,
                  double *tangent)
{
    double rows[PLAN_CONTACTS][DENT_PLAN_VALUES_MAX], bounds[PLAN_CONTACTS];
    uint32_t used = 0;
    if (count == 0 || plan_space_place(&planner->space, values) != DENT_OK) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        used += make_row(planner, &contacts[i], rows[used], &bounds[used]);
    }
    return used > 0 && project(planner, rows, bounds, used, tangent);
}
