/* The only list of responses. A new one is a source file, a row here, and a def and a function in dent/response.h;
 * tests of momentum, of threads and of failing memory walk this table. */
#include "response/response_rows.h"

dent_contact_material dent_contact_material_default(void)
{
    return (dent_contact_material){.friction_static = 0.5, .friction_kinetic = 0.4};
}

dent_response_problem dent_response_problem_default(void)
{
    dent_response_problem problem = {0};
    problem.struct_size = sizeof problem;
    problem.time_step = 1.0 / 60;
    problem.material = dent_contact_material_default();
    problem.uncertain_share = 0.25;
    return problem;
}

static dent_status run_penalty(dent_response *response, const dent_response_problem *problem,
                               dent_response_report *report)
{
    dent_penalty_def def = dent_penalty_def_default();
    return dent_penalty_forces(response, problem, &def, report);
}

static dent_status run_position(dent_response *response, const dent_response_problem *problem,
                                dent_response_report *report)
{
    dent_position_def def = dent_position_def_default();
    return dent_position_solve(response, problem, &def, report);
}

static dent_status run_velocity(dent_response *response, const dent_response_problem *problem,
                                dent_response_report *report)
{
    dent_velocity_def def = dent_velocity_def_default();
    return dent_velocity_solve(response, problem, &def, report);
}

static const dent_response_row rows[] = {
    {DENT_RESPONSE_PENALTY, "penalty", "forces", "springs and dampers, stable by the choice of their stiffness",
     run_penalty},
    {DENT_RESPONSE_POSITION, "position", "positions", "position-based contact with anchored friction (XPBD)",
     run_position},
    {DENT_RESPONSE_VELOCITY, "velocity", "velocities", "impulses with restitution (projected Gauss-Seidel)",
     run_velocity},
};

const dent_response_row *dent_response_table(uint32_t *count)
{
    if (count) {
        *count = sizeof rows / sizeof rows[0];
    }
    return rows;
}
