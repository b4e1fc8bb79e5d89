/* Passes over elements in blocks; vertices gather in the order of their elements, sums add up block after block: the
 * same bits for any number of threads. */
#include "elastic_pass.h"

#include "float_solve.h"
#include "rigid_bonds.h"
#include "rod_pass.h"

#include "sim/model/sim_state.h"
#include "simd/kernel_choice.h"

#include <string.h>

enum { GROUPS_A_BLOCK = 32, CLOTH_A_BLOCK = 256, CELLS_A_BLOCK = 64 };

/* Bonded vertices have no mass of their own. */
static dent_status list_movers(struct sim_model *model, struct pass_work *work)
{
    uint8_t *moves = dent_allocate(model->context, model->vertex_count, 1);
    work->movers = sim_allocate(model, model->vertex_count, sizeof *work->movers);
    if (!moves || !work->movers) {
        dent_release(model->context, moves, model->vertex_count, 1);
        return sim_no_memory(model->context);
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        dent_sim_body_kind kind = model->bodies[model->vertex_bodies[v]].kind;
        moves[v] = sim_is_elastic(kind) && model->inverse_masses[v] > 0;
    }
    for (uint32_t k = 0; k < model->bonds->bond_count; k++) {
        moves[model->bonds->bonds[k].vertex] = 1;
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        if (moves[v]) {
            work->movers[work->mover_count++] = v;
        }
    }
    work->chunk_count = (work->mover_count + MOVERS_A_CHUNK - 1) / MOVERS_A_CHUNK;
    dent_release(model->context, moves, model->vertex_count, 1);
    return DENT_OK;
}

void pass_for_movers(const struct sim_model *model, const struct pass_work *work, dent_block_function *function,
                     void *data)
{
    if (work->chunk_count == 1) {
        function(data, 0, 0);
    } else if (work->chunk_count > 1) {
        dent_parallel_for(model->context, work->chunk_count, function, data);
    }
}

dent_status pass_build(struct sim_model *model, const struct sim_state *state, struct pass_work *work)
{
    const struct elastic_mesh *mesh = model->elastic;
    dent_isa isa = dent_context_isa(model->context);
    work->kernels = KERNELS_FOR(isa, tet_kernels_scalar, tet_kernels_avx2, tet_kernels_avx512);
    size_t cloth = 9 * (size_t)mesh->triangle_count + 12 * (size_t)mesh->hinge_count;
    size_t blocks = mesh->group_count / GROUPS_A_BLOCK + 1 +
                    ((size_t)mesh->triangle_count + mesh->hinge_count) / CLOTH_A_BLOCK + 2;
    blocks += mesh->cells.count / CELLS_A_BLOCK + 1;
    work->state = state;
    work->cell_out = sim_allocate(model, 3 * (size_t)mesh->cells.corner_count, sizeof(double));
    work->cell_matrices = sim_allocate(model, 81 * (size_t)mesh->cells.point_count, sizeof(double));
    work->tet_out = sim_allocate(model, (size_t)mesh->group_count * TET_ENTRIES, sizeof(double));
    work->cloth_out = sim_allocate(model, cloth, sizeof(double));
    work->cloth = sim_allocate(model, mesh->triangle_count, sizeof *work->cloth);
    work->partial = sim_allocate(model, blocks * LINE_TERMS, sizeof(double));
    dent_status status = list_movers(model, work);
    bool all = work->tet_out && work->cloth_out && work->cloth && work->partial && work->cell_out && work->cell_matrices;
    return status != DENT_OK ? status : all ? DENT_OK : sim_no_memory(model->context);
}

struct pass_call {
    const struct sim_model *model;
    struct pass_work *work;
    const struct element_pass *pass;
    double *out;
    double part;
    bool product;
};

static uint32_t block_end(uint32_t begin, uint32_t size, uint32_t count)
{
    return count - begin > size ? begin + size : count;
}

static void tet_task(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct pass_call *call = data;
    const struct elastic_mesh *mesh = call->model->elastic;
    uint32_t begin = block * GROUPS_A_BLOCK, end = block_end(begin, GROUPS_A_BLOCK, mesh->group_count);
    const struct tet_kernels *kernels = call->work->kernels;
    double *out = call->work->tet_out + (size_t)begin * TET_ENTRIES;
    (call->product ? kernels->product : kernels->gradient)(mesh->groups + begin, end - begin, call->pass, out);
}

static void cloth_range(void *data, uint32_t begin, uint32_t end)
{
    const struct pass_call *call = data;
    const struct elastic_mesh *mesh = call->model->elastic;
    uint32_t triangles = mesh->triangle_count;
    double *hinges = call->work->cloth_out + 9 * (size_t)triangles;
    for (uint32_t n = begin; n < end; n++) {
        double *out = n < triangles ? call->work->cloth_out + 9 * (size_t)n : hinges + 12 * (size_t)(n - triangles);
        if (n < triangles) {
            if (call->product) {
                cloth_triangle_product(&mesh->triangles[n], call->pass, &call->work->cloth[n], out);
            } else {
                cloth_triangle_gradient(&mesh->triangles[n], call->pass, &call->work->cloth[n], out);
            }
        } else {
            (call->product ? cloth_hinge_product : cloth_hinge_gradient)(&mesh->hinges[n - triangles], call->pass, out);
        }
    }
}

static void cell_range(void *data, uint32_t begin, uint32_t end)
{
    const struct pass_call *call = data;
    const struct solid_cells *cells = &call->model->elastic->cells;
    struct cell_state state = cell_state_of(call->work->state);
    for (uint32_t n = begin; n < end; n++) {
        double *out = call->work->cell_out + 3 * (size_t)cells->cells[n].first_corner;
        double *matrices = call->work->cell_matrices + 81 * (size_t)cells->cells[n].first_point;
        if (call->product) {
            solid_cell_product(cells, n, call->pass, matrices, out);
        } else {
            solid_cell_gradient(cells, n, &state, call->pass, matrices, out);
        }
    }
}

enum { FETCH_AHEAD = 24 }; /* entries */

/* Entries of a vertex lie far apart: those that come soon are fetched. */
static inline void fetch_entry(const struct elastic_mesh *mesh, const double *out, uint32_t number, uint32_t last)
{
    const double *entry = out + mesh->tet_entries[number + FETCH_AHEAD < last ? number + FETCH_AHEAD : number];
    __builtin_prefetch(entry);
    __builtin_prefetch(entry + TET_LANES);
    __builtin_prefetch(entry + 2 * TET_LANES);
}

static void gather_task(void *data, uint32_t chunk, uint32_t worker)
{
    (void)worker;
    const struct pass_call *call = data;
    const struct elastic_mesh *mesh = call->model->elastic;
    uint32_t count, last = mesh->tet_starts[call->model->vertex_count];
    const uint32_t *movers = pass_movers(call->work, chunk, &count);
    for (uint32_t n = 0; n < count; n++) {
        uint32_t v = movers[n];
        double x = 0, y = 0, z = 0;
        for (uint32_t e = mesh->tet_starts[v]; e < mesh->tet_starts[v + 1]; e++) {
            const double *entry = call->work->tet_out + mesh->tet_entries[e];
            fetch_entry(mesh, call->work->tet_out, e, last);
            x += entry[0];
            y += entry[TET_LANES];
            z += entry[2 * TET_LANES];
        }
        for (uint32_t e = mesh->cloth_starts[v]; e < mesh->cloth_starts[v + 1]; e++) {
            const double *entry = call->work->cloth_out + mesh->cloth_entries[e];
            x += entry[0];
            y += entry[1];
            z += entry[2];
        }
        for (uint32_t e = mesh->cells.starts[v]; e < mesh->cells.starts[v + 1]; e++) {
            const double *entry = call->work->cell_out + mesh->cells.entries[e];
            x += entry[0];
            y += entry[1];
            z += entry[2];
        }
        call->out[3 * (size_t)v] = x;
        call->out[3 * (size_t)v + 1] = y;
        call->out[3 * (size_t)v + 2] = z;
    }
}

static void run_pass(struct pass_call *call)
{
    const struct sim_model *model = call->model;
    const struct elastic_mesh *mesh = model->elastic;
    uint32_t blocks = mesh->group_count > 0 ? (mesh->group_count - 1) / GROUPS_A_BLOCK + 1 : 0;
    if (blocks == 1) {
        tet_task(call, 0, 0);
    } else if (blocks > 1) {
        dent_parallel_for(model->context, blocks, tet_task, call);
    }
    sim_parallel(model->context, 0, mesh->triangle_count + mesh->hinge_count, cloth_range, call);
    sim_parallel(model->context, 0, mesh->cells.count, cell_range, call);
    pass_for_movers(model, call->work, gather_task, call);
}

void pass_gradient(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass, double *out)
{
    struct pass_call call = {model, work, pass, out, 0, false};
    if (work->blocks) {
        block_gradient(model, work->blocks, pass, out);
        return;
    }
    run_pass(&call);
}

void pass_product(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass, double *out)
{
    struct pass_call call = {model, work, pass, out, 0, true};
    run_pass(&call);
}

/* ---- sums -------------------------------------------------------------------------------------------------------- */

static double sum_lanes(const double lanes[TET_LANES])
{
    double sum = 0;
    for (int l = 0; l < TET_LANES; l++) {
        sum += lanes[l];
    }
    return sum;
}

static void line_task(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct pass_call *call = data;
    const struct elastic_mesh *mesh = call->model->elastic;
    uint32_t begin = block * GROUPS_A_BLOCK, end = block_end(begin, GROUPS_A_BLOCK, mesh->group_count);
    double sums[LINE_TERMS][TET_LANES] = {{0}};
    call->work->kernels->line(mesh->groups + begin, end - begin, call->pass, sums);
    for (int n = 0; n < LINE_TERMS; n++) {
        call->work->partial[(size_t)block * LINE_TERMS + (size_t)n] = sum_lanes(sums[n]);
    }
}

void pass_line(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass, bool at_end,
               double terms[LINE_TERMS])
{
    struct pass_call call = {model, work, pass, NULL, 0, false};
    if (work->blocks && !at_end) {
        work->since = block_line(model, work->blocks, pass, terms);
        return;
    }
    if (work->blocks) {
        double change[CHANGE_KINDS];
        memset(terms, 0, LINE_TERMS * sizeof *terms);
        work->since = block_change(model, work->blocks, pass, false, change);
        terms[0] = change[CHANGE_TETS];
        terms[ENERGY_TERMS] = change[CHANGE_DAMPING];
        return;
    }
    uint32_t groups = model->elastic->group_count, blocks = groups > 0 ? (groups - 1) / GROUPS_A_BLOCK + 1 : 0;
    if (blocks > 0) {
        dent_parallel_for(model->context, blocks, line_task, &call);
    }
    for (int n = 0; n < LINE_TERMS; n++) {
        terms[n] = 0;
        for (uint32_t b = 0; b < blocks; b++) {
            terms[n] += work->partial[(size_t)b * LINE_TERMS + (size_t)n];
        }
    }
}

static void change_task(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct pass_call *call = data;
    const struct elastic_mesh *mesh = call->model->elastic;
    uint32_t triangles = mesh->triangle_count, all = triangles + mesh->hinge_count;
    uint32_t begin = block * CLOTH_A_BLOCK, end = block_end(begin, CLOTH_A_BLOCK, all);
    double sum = 0;
    for (uint32_t n = begin; n < end; n++) {
        sum += n < triangles ? cloth_triangle_change(&mesh->triangles[n], call->pass, call->part)
                             : cloth_hinge_change(&mesh->hinges[n - triangles], call->pass, call->part);
    }
    call->work->partial[block] = sum;
}

static void cell_change_task(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct pass_call *call = data;
    const struct solid_cells *cells = &call->model->elastic->cells;
    struct cell_state state = cell_state_of(call->work->state);
    uint32_t begin = block * CELLS_A_BLOCK, end = block_end(begin, CELLS_A_BLOCK, cells->count);
    double sum = 0;
    for (uint32_t n = begin; n < end; n++) {
        sum += solid_cell_change(cells, n, &state, call->pass, call->part);
    }
    call->work->partial[block] = sum;
}

static double cell_change(struct pass_call *call)
{
    uint32_t count = call->model->elastic->cells.count, blocks = count > 0 ? (count - 1) / CELLS_A_BLOCK + 1 : 0;
    double sum = 0;
    if (blocks > 0) {
        dent_parallel_for(call->model->context, blocks, cell_change_task, call);
    }
    for (uint32_t b = 0; b < blocks; b++) {
        sum += call->work->partial[b];
    }
    return sum;
}

double pass_cloth_change(const struct sim_model *model, struct pass_work *work, const struct element_pass *pass,
                         double part)
{
    struct pass_call call = {model, work, pass, NULL, part, false};
    if (work->blocks && part == 1 && model->elastic->triangle_count > 0) {
        double change[CHANGE_KINDS];
        work->since += block_change(model, work->blocks, pass, true, change);
        work->cloth_damping = change[CHANGE_DAMPING];
        return change[CHANGE_CLOTH] + change[CHANGE_DAMPING];
    }
    uint32_t all = model->elastic->triangle_count + model->elastic->hinge_count;
    uint32_t blocks = all > 0 ? (all - 1) / CLOTH_A_BLOCK + 1 : 0;
    if (blocks > 0) {
        dent_parallel_for(model->context, blocks, change_task, &call);
    }
    double sum = 0;
    for (uint32_t b = 0; b < blocks; b++) {
        sum += work->partial[b];
    }
    return sum + cell_change(&call);
}

/* ---- single bodies and vertices ---------------------------------------------------------------------------------- */

double elastic_body_energy(const struct sim_model *model, const struct sim_state *state, uint32_t body)
{
    const double *positions = state->positions;
    struct cell_state cell_state = cell_state_of(state);
    const struct elastic_mesh *mesh = model->elastic;
    struct element_pass pass = {.now = positions};
    double lanes[TET_LANES] = {0};
    uint32_t first = mesh->body_groups[body], count = mesh->body_groups[body + 1] - first;
    tet_kernels_scalar.energy(mesh->groups + first, count, &pass, lanes);
    double sum = sum_lanes(lanes);
    for (uint32_t t = mesh->body_triangles[body]; t < mesh->body_triangles[body + 1]; t++) {
        sum += cloth_triangle_energy(&mesh->triangles[t], positions);
    }
    for (uint32_t t = mesh->body_hinges[body]; t < mesh->body_hinges[body + 1]; t++) {
        sum += cloth_hinge_energy(&mesh->hinges[t], positions);
    }
    sum += rod_body_energy(model, state, body);
    for (uint32_t c = mesh->cells.body_cells[body]; c < mesh->cells.body_cells[body + 1]; c++) {
        sum += solid_cell_energy(&mesh->cells, c, &cell_state, positions);
    }
    return sum;
}

static void add_cell_gradients(const struct solid_cells *cells, const struct sim_state *state,
                               const struct element_pass *pass, uint32_t vertex, double gradient[3])
{
    struct cell_state cell_state = cell_state_of(state);
    double out[3 * CELL_MOST_CORNERS];
    for (uint32_t e = cells->starts[vertex]; e < cells->starts[vertex + 1]; e++) {
        uint32_t corner = cells->entries[e] / 3, number = solid_cell_of_corner(cells, corner);
        solid_cell_gradient(cells, number, &cell_state, pass, NULL, out);
        sim_add_scaled(gradient, 1, out + 3 * (size_t)(corner - cells->cells[number].first_corner));
    }
}

void elastic_vertex_gradient(const struct sim_model *model, const struct sim_state *state,
                             const struct element_pass *pass, uint32_t vertex, double gradient[3])
{
    const struct elastic_mesh *mesh = model->elastic;
    double tets[TET_ENTRIES], cloth[12];
    gradient[0] = gradient[1] = gradient[2] = 0;
    if (is_rod_vertex(model, vertex)) {
        rods_vertex_gradient(model, state, vertex, gradient);
        return;
    }
    for (uint32_t e = mesh->tet_starts[vertex]; e < mesh->tet_starts[vertex + 1]; e++) {
        uint32_t entry = mesh->tet_entries[e];
        tet_kernels_scalar.gradient(mesh->groups + entry / TET_ENTRIES, 1, pass, tets);
        for (int axis = 0; axis < 3; axis++) {
            gradient[axis] += tets[entry % TET_ENTRIES + TET_LANES * axis];
        }
    }
    for (uint32_t e = mesh->cloth_starts[vertex]; e < mesh->cloth_starts[vertex + 1]; e++) {
        uint32_t entry = mesh->cloth_entries[e], triangles = 9 * mesh->triangle_count, at;
        if (entry < triangles) {
            cloth_triangle_gradient(&mesh->triangles[entry / 9], pass, NULL, cloth);
            at = entry % 9;
        } else {
            cloth_hinge_gradient(&mesh->hinges[(entry - triangles) / 12], pass, cloth);
            at = (entry - triangles) % 12;
        }
        for (uint32_t axis = 0; axis < 3; axis++) {
            gradient[axis] += cloth[at + axis];
        }
    }
    add_cell_gradients(&mesh->cells, state, pass, vertex, gradient);
}

void elastic_force(const struct sim_model *model, const struct sim_state *state, uint32_t vertex, double force[3])
{
    struct element_pass pass = {.now = state->positions, .start = state->positions};
    elastic_vertex_gradient(model, state, &pass, vertex, force);
    for (int axis = 0; axis < 3; axis++) {
        force[axis] = -force[axis];
    }
}
