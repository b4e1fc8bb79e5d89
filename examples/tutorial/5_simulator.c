/* Page 5 of the tutorial: a simulator of our own. Soft blocks of springs fall onto one another and onto a floor. dent
 * finds the contacts and removes the overlap; gravity, springs and time are ours.
 *
 *     cc 5_simulator.c $(pkg-config --cflags --libs dent_io dent) -lm -o 5_simulator && ./5_simulator out
 */
#include <dent/dent.h>
#include <dent/mesh_io.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIDE = 3, VERTICES = (SIDE + 1) * (SIDE + 1) * (SIDE + 1), CELLS = 6 * SIDE * SIDE * SIDE, BLOCKS = 3 };

/* snippet: block */
struct block {
    double x[VERTICES][3], v[VERTICES][3], start[VERTICES][3]; /* positions, velocities, positions before the step */
    double inverse_mass[VERTICES];
    const dent_edge *springs; /* dent lists the edges of a body for us */
    uint32_t spring_count;
    double *length;
};

static uint32_t cells[CELLS][4];

/* Cuts each small cube into six tetrahedra along its long diagonal: steps along the axes in all six orders. */
static void cut_cubes(void)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {1, 0, 2}, {0, 2, 1}, {2, 1, 0}};
    static const uint32_t step[3] = {1, SIDE + 1, (SIDE + 1) * (SIDE + 1)};
    uint32_t count = 0;
    for (uint32_t cube = 0; cube < SIDE * SIDE * SIDE; cube++) {
        uint32_t corner = cube % SIDE + cube / SIDE % SIDE * step[1] + cube / SIDE / SIDE * step[2];
        for (int k = 0; k < 6; k++) {
            uint32_t *cell = cells[count++];
            cell[0] = corner;
            cell[1] = cell[0] + step[orders[k][0]];
            cell[k < 3 ? 2 : 3] = cell[1] + step[orders[k][1]]; /* odd orders would give negative cells */
            cell[k < 3 ? 3 : 2] = corner + step[0] + step[1] + step[2];
        }
    }
}
/* end of snippet */

static double distance(const double a[3], const double b[3])
{
    double d[3] = {b[0] - a[0], b[1] - a[1], b[2] - a[2]};
    return sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
}

static dent_status add_block(dent_world *world, struct block *block, double x, double z)
{
    for (int k = 0; k < VERTICES; k++) {
        const double at[3] = {k % (SIDE + 1), k / (SIDE + 1) % (SIDE + 1), k / (SIDE + 1) / (SIDE + 1)};
        for (int i = 0; i < 3; i++) {
            block->x[k][i] = at[i] / SIDE;
            block->v[k][i] = 0;
        }
        block->x[k][0] += x, block->x[k][2] += z;
        block->inverse_mass[k] = VERTICES; /* a block weighs 1 */
    }
    dent_body_id id;
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = VERTICES, def.element_count = CELLS, def.element_corners = cells[0];
    def.positions_t0 = dent_positions_double(block->x[0]);
    def.user = block;
    dent_status status = dent_world_add_body(world, &def, &id);
    block->springs = dent_body_edges(world, id, &block->spring_count);
    block->length = calloc(block->spring_count + 1, sizeof *block->length);
    for (uint32_t s = 0; s < block->spring_count; s++) {
        const double *a = block->x[block->springs[s].v0], *b = block->x[block->springs[s].v1];
        block->length[s] = distance(a, b);
    }
    return status;
}

/* snippet: step */
/* One step without contacts: springs with damping, gravity, then positions along the velocities. */
static void move_freely(struct block *block, double dt)
{
    memcpy(block->start, block->x, sizeof block->x);
    for (uint32_t s = 0; s < block->spring_count; s++) {
        uint32_t v0 = block->springs[s].v0, v1 = block->springs[s].v1;
        double d[3], closing = 0;
        for (int i = 0; i < 3; i++) {
            d[i] = block->x[v1][i] - block->x[v0][i];
        }
        double now = distance(block->x[v0], block->x[v1]);
        for (int i = 0; i < 3; i++) {
            d[i] /= now;
            closing += d[i] * (block->v[v1][i] - block->v[v0][i]);
        }
        double force = 150 * (now - block->length[s]) / block->length[s] + 0.5 * closing;
        for (int i = 0; i < 3; i++) {
            block->v[v0][i] += dt * block->inverse_mass[v0] * force * d[i];
            block->v[v1][i] -= dt * block->inverse_mass[v1] * force * d[i];
        }
    }
    for (int k = 0; k < VERTICES; k++) {
        block->v[k][2] -= 9.81 * dt;
        for (int i = 0; i < 3; i++) {
            block->x[k][i] += dt * block->v[k][i];
        }
    }
}
/* end of snippet */

static double floor_corners[8][3]; /* a slab, its top at z = 0 */

static dent_status add_floor(dent_world *world)
{
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    for (int k = 0; k < 8; k++) {
        floor_corners[k][0] = k & 1 ? 4 : -3;
        floor_corners[k][1] = k & 2 ? 4 : -3;
        floor_corners[k][2] = k & 4 ? 0 : -1;
    }
    dent_body_id id;
    dent_body_def def = dent_surface_def_default(); /* closed, so it has an inside */
    def.name = "floor";
    def.vertex_count = 8, def.element_count = 12, def.element_corners = faces[0];
    def.positions_t0 = dent_positions_double(floor_corners[0]);
    return dent_world_add_body(world, &def, &id);
}

/* snippet: frames */
enum { EVERY = 20, STEPS = 1800, FRAMES = STEPS / EVERY };

struct recording {
    char names[FRAMES * BLOCKS][32];
    dent_collection_entry entries[FRAMES * BLOCKS];
    uint32_t count;
};

/* One file for each block and frame, and at the end a collection that says which belong together. */
static dent_status record(dent_context *context, struct recording *recording, const char *folder,
                          struct block blocks[BLOCKS], int frame, double time)
{
    dent_status status = DENT_OK;
    for (uint32_t b = 0; b < BLOCKS && status == DENT_OK; b++) {
        char path[512], *name = recording->names[recording->count];
        dent_mesh_view view = {.kind = DENT_BODY_SOLID,
                               .vertex_count = VERTICES,
                               .positions = blocks[b].x[0],
                               .element_count = CELLS,
                               .element_corners = cells[0]};
        snprintf(name, sizeof recording->names[0], "block%u_%03d.vtu", b, frame);
        snprintf(path, sizeof path, "%s/%s", folder, name);
        status = dent_mesh_write(context, path, &view);
        recording->entries[recording->count++] = (dent_collection_entry){time, b, name};
    }
    return status;
}
/* end of snippet */

static dent_status end_recording(dent_context *context, const struct recording *recording, const char *folder)
{
    char path[512];
    snprintf(path, sizeof path, "%s/blocks.pvd", folder);
    return dent_collection_write(context, path, recording->count, recording->entries);
}

int main(int count, char **arguments)
{
    static struct block blocks[BLOCKS];
    static struct recording recording;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_response *response = dent_response_create(context);
    cut_cubes();
    dent_status status = add_floor(world);
    for (int b = 0; b < BLOCKS && status == DENT_OK; b++) {
        status = add_block(world, &blocks[b], 0.2 * (b % 2), 0.1 + 1.1 * b);
    }
    if (status != DENT_OK || !response) {
        printf("%s\n", dent_world_message(world));
        return 1;
    }

    /* snippet: loop */
    dent_response_body bodies[1 + BLOCKS] = {{.vertex_count = 8, .positions = floor_corners[0]}}; /* no masses: fixed */
    for (int b = 0; b < BLOCKS; b++) {
        bodies[1 + b] = (dent_response_body){.vertex_count = VERTICES,
                                             .inverse_masses = blocks[b].inverse_mass,
                                             .positions = blocks[b].x[0],
                                             .positions_start = blocks[b].start[0]};
    }
    enum { MOST_CONTACTS = 4096 };
    static dent_contact_force forces[MOST_CONTACTS];
    dent_response_problem problem = dent_response_problem_default();
    problem.bodies = bodies, problem.body_count = 1 + BLOCKS;
    problem.previous = problem.forces = forces;
    problem.time_step = 1.0 / 1200;
    dent_position_def position = dent_position_def_default();
    position.recovery_speed = 1;
    dent_contacts_def ask = dent_contacts_def_default();
    ask.surface_only = true;
    for (int step = 0; step < STEPS; step++) {
        dent_contacts found;
        dent_response_report report;
        for (int b = 0; b < BLOCKS; b++) {
            move_freely(&blocks[b], problem.time_step);
        }
        if (dent_world_find_contacts(world, &ask, &found) != DENT_OK || found.count > MOST_CONTACTS) {
            printf("step %d: %s\n", step, dent_world_message(world));
            return 1;
        }
        problem.contacts = found.contacts, problem.contact_count = found.count;
        if (dent_position_solve(response, &problem, &position, &report) != DENT_OK) {
            return 1;
        }
        problem.previous_count = found.count;
        for (int b = 0; b < BLOCKS; b++) {
            for (int k = 0; k < VERTICES; k++) {
                for (int i = 0; i < 3; i++) {
                    blocks[b].v[k][i] = (blocks[b].x[k][i] - blocks[b].start[k][i]) / problem.time_step;
                }
            }
        }
        if (step % 300 == 299) {
            printf("t = %.2f s: %d contacts, %d pushing, deepest %.4f\n", (step + 1) * problem.time_step,
                   (int)found.count, (int)report.pushed, report.deepest);
        }
        if (count > 1 && step % EVERY == EVERY - 1 && status == DENT_OK) {
            status = record(context, &recording, arguments[1], blocks, step / EVERY, (step + 1) * problem.time_step);
        }
    }
    /* end of snippet */
    if (count > 1 && status == DENT_OK) {
        status = end_recording(context, &recording, arguments[1]);
    }
    if (status != DENT_OK) {
        char text[1024];
        dent_context_message(context, text, sizeof text); /* the last failure of anything made with the context */
        printf("%s\n", text);
    }
    for (int b = 0; b < BLOCKS; b++) {
        free(blocks[b].length);
    }
    dent_response_destroy(response);
    dent_world_destroy(world);
    dent_context_destroy(context);
    return status == DENT_OK ? 0 : 1;
}
