/* Your own integrator, dent's contacts and responses: a tetrahedron of four point masses and six springs falls on a
 * fixed one, slides down its side a little and stays. Detection, response and time belong to three different parties;
 * the program knows them all on one page.
 *
 *     cc 08_own_integrator.c $(pkg-config --cflags --libs dent) -lm && ./a.out
 */
#include <dent/dent.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST_LIST = 64 };

static const uint32_t corners[4] = {0, 1, 2, 3};
static const int springs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};

/* Step 1 of a time step, ours: gravity and springs, then positions along the velocities (symplectic Euler). */
static void move_freely(double x[4][3], double v[4][3], const double length[6], double mass, double dt)
{
    for (int s = 0; s < 6; s++) {
        double *xa = x[springs[s][0]], *xb = x[springs[s][1]], *va = v[springs[s][0]], *vb = v[springs[s][1]];
        double d[3] = {xb[0] - xa[0], xb[1] - xa[1], xb[2] - xa[2]},
               now = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        double closing = 0;
        for (int i = 0; i < 3; i++) {
            closing += d[i] / now * (vb[i] - va[i]);
        }
        double force = 2000 * (now - length[s]) + 5 * closing;
        for (int i = 0; i < 3; i++) {
            va[i] += dt * force / mass * d[i] / now;
            vb[i] -= dt * force / mass * d[i] / now;
        }
    }
    for (int k = 0; k < 4; k++) {
        v[k][2] -= 9.81 * dt;
        for (int i = 0; i < 3; i++) {
            x[k][i] += dt * v[k][i];
        }
    }
}

int main(void)
{
    double ground[4][3] = {{-9, -9, 2.7}, {9, -9, -2.7}, {0, 12, 0}, {0, 0, -9}}; /* its top slopes by 0.3 */
    double x[4][3] = {{-0.5, -0.4, 0.5}, {0.5, -0.4, 0.5}, {0, 0.6, 0.5}, {0, 0, 1.3}}, start[4][3], v[4][3] = {{0}};
    const double mass = 0.25, dt = 1.0 / 1000, inverse_masses[4] = {4, 4, 4, 4};
    double length[6];
    for (int s = 0; s < 6; s++) {
        const double *a = x[springs[s][0]], *b = x[springs[s][1]];
        length[s] = sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
    }

    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_response *response = dent_response_create(context);
    dent_body_def def = dent_solid_def_default();
    dent_body_id id;
    def.vertex_count = 4;
    def.element_count = 1;
    def.element_corners = corners;
    def.positions_t0 = dent_positions_double(ground[0]);
    dent_world_add_body(world, &def, &id); /* body 0: the ground, not moved by anybody */
    def.positions_t0 = dent_positions_double(x[0]);
    dent_world_add_body(world, &def, &id); /* body 1: ours, borrowed and moved in place */

    dent_response_body bodies[2] = {{.vertex_count = 4, .positions = ground[0]},
                                    {.vertex_count = 4, .inverse_masses = inverse_masses, .positions = x[0]}};
    bodies[1].positions_start = start[0];
    dent_contact_force memory[LONGEST_LIST]; /* what the contacts did: the only thing kept from step to step */
    dent_response_problem problem = dent_response_problem_default();
    problem.bodies = bodies;
    problem.body_count = 2;
    problem.time_step = dt;
    problem.material = (dent_contact_material){.friction_static = 0.7, .friction_kinetic = 0.6};
    problem.forces = memory;
    problem.previous = memory;

    dent_position_def position = dent_position_def_default();
    position.recovery_speed = 1; /* overlap goes out at 1 m/s, not at once */
    dent_contacts_def ask = dent_contacts_def_default();
    ask.normals = DENT_CONTACT_NORMALS_FACE; /* the ground has corners: do not smooth them */
    dent_response_report report = {0};
    double push = 0;
    for (int step = 0; step < 2000; step++) {
        dent_contacts found;
        memcpy(start, x, sizeof x);
        move_freely(x, v, length, mass, dt);                                                          /* yours */
        if (dent_world_find_contacts(world, &ask, &found) != DENT_OK || found.count > LONGEST_LIST) { /* detection */
            printf("step %d: %s\n", step, dent_world_message(world));
            return 1;
        }
        problem.contacts = found.contacts;
        problem.contact_count = found.count;
        dent_position_solve(response, &problem, &position, &report); /* response: x is corrected, memory written */
        problem.previous_count = found.count;
        push = 0;
        for (uint64_t c = 0; c < found.count; c++) {
            push += memory[c].normal / dt * found.contacts[c].normal[2] + memory[c].tangent[2] / dt;
        }
        for (int k = 0; k < 4; k++) {
            for (int i = 0; i < 3; i++) {
                v[k][i] = (x[k][i] - start[k][i]) / dt; /* yours again */
            }
        }
        if (step % 400 == 399) {
            printf("t = %.1f s: tip at (%.4f, %.4f, %.4f), %d contacts, %d pushing, deepest %.2g\n", (step + 1) * dt,
                   x[3][0], x[3][1], x[3][2], (int)report.contacts, (int)report.pushed, report.deepest);
        }
    }
    double speed = 0;
    for (int k = 0; k < 4; k++) {
        speed = fmax(speed, sqrt(v[k][0] * v[k][0] + v[k][1] * v[k][1] + v[k][2] * v[k][2]));
    }
    printf("at the end: speed %.2g, force of the contacts %.3f N, weight %.3f N\n", speed, push, 4 * mass * 9.81);
    dent_response_destroy(response);
    dent_world_destroy(world);
    dent_context_destroy(context);
    return 0;
}
