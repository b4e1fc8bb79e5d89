/* The elastic part of a substep: vertex block descent (Chen, Liu, Yang and Yuksel 2024).
 *
 * Implicit Euler asks for the minimum of sum m/(2 h^2) |x - target|^2 + elastic energy, target being where inertia and
 * outer forces alone would take the vertex. A sweep takes the vertices colour by colour and puts each where this sum is
 * least while its neighbours stand still: a 3x3 system, positive definite by construction, so the sum never grows and
 * no stiffness or step can make it explode. Unfinished sweeps leave a body softer than it is, not unstable.
 *
 * What unfinished sweeps would also leave is a false momentum: the inner forces found so far need not add up to zero.
 * So after the sweeps every piece that nothing holds is moved and turned as a whole until its linear and angular
 * momentum are those of its targets. */
#include "contact_springs.h"
#include "rigid_bonds.h"

#include <math.h>
#include <string.h>

enum { MOST_SWEEPS = 12 };
#define LOST_PIVOT 0x1p-44 /* of the diagonal: errors of a pivot are below 2^-51 of it */
#define FIRM_PIVOT 0x1p-40
#define MOST_SOLVES 6e5 /* of single vertices in a step, about an eighth of a second on one core */

/* ---- the sweep --------------------------------------------------------------------------------------------------- */

/* The symmetric 3x3 system by Cholesky's way without roots. False: a pivot is lost in rounding. */
static bool solve_by_pivots(const double s[6], const double *right, double *solution)
{
    double l1 = s[1] / s[0], l2 = s[2] / s[0];
    double d1 = s[3] - l1 * s[1];
    double rest = s[4] - l1 * s[2];
    double l3 = rest / d1;
    double d2 = s[5] - l2 * s[2] - l3 * rest;
    double y1 = right[1] - l1 * right[0];
    double y2 = right[2] - l2 * right[0] - l3 * y1;
    solution[2] = y2 / d2;
    solution[1] = y1 / d1 - l3 * solution[2];
    solution[0] = right[0] / s[0] - l1 * solution[1] - l2 * solution[2];
    return d1 > LOST_PIVOT * s[3] && d2 > LOST_PIVOT * s[5];
}

/* The matrix has the inertia on its diagonal and is positive definite, in theory: a cell squeezed flat adds k n n^T,
 * and where k |n|^2 is more than 2^53 times the rest, rounding eats the rest and leaves pivots of either sign: a step
 * of any length, uphill. There the diagonal gets a little more: a larger matrix gives a shorter step that still goes
 * down. Numbers that overflow say nothing about where to go: no step. */
void elastic_solve_symmetric(const double s[6], const double *right, double *solution)
{
    if (solve_by_pivots(s, right, solution)) {
        return;
    }
    double more = FIRM_PIVOT * (s[0] + s[3] + s[5]);
    const double firm[6] = {s[0] + more, s[1], s[2], s[3] + more, s[4], s[5] + more};
    bool solved = solve_by_pivots(firm, right, solution);
    if (!solved || !isfinite(solution[0] + solution[1] + solution[2])) {
        solution[0] = solution[1] = solution[2] = 0;
    }
}

static void add_edges(const struct elastic_mesh *mesh, uint32_t slot, const double *positions, const double *previous,
                      uint32_t vertex, double inverse_step, struct vertex_system *result)
{
    const double *x = positions + 3 * (size_t)vertex;
    const double *before = previous + 3 * (size_t)vertex;
    struct vertex_system system = *result; /* a copy of its own, so that it stays in registers */
    const struct edge_visit *end = mesh->edges + mesh->edge_starts[slot + 1];
    for (const struct edge_visit *edge = mesh->edges + mesh->edge_starts[slot]; edge < end; edge++) {
        const double *other = positions + 3 * (size_t)edge->other;
        double difference[3] = {other[0] - x[0], other[1] - x[1], other[2] - x[2]};
        double pull = edge->weight;
        if (edge->damper > 0) {
            /* A damper along the edge: it resists change of length only, so turning costs nothing. */
            const double *other_before = previous + 3 * (size_t)edge->other;
            double square = sim_dot(difference, difference);
            double along = difference[0] * (other_before[0] - before[0]) +
                           difference[1] * (other_before[1] - before[1]) +
                           difference[2] * (other_before[2] - before[2]);
            double rate = square > 0 ? edge->damper * inverse_step / square : 0;
            pull += rate * (square - along);
            system_add_direction(&system, rate, difference);
        }
        sim_add_scaled(system.force, pull, difference);
    }
    *result = system;
}

static void add_tets(const struct elastic_mesh *mesh, uint32_t slot, const double *positions, const double *x,
                     struct vertex_system *result)
{
    struct vertex_system system = *result;
    const struct tet_visit *end = mesh->tets + mesh->tet_starts[slot + 1];
    for (const struct tet_visit *tet = mesh->tets + mesh->tet_starts[slot]; tet < end; tet++) {
        const double *p = positions + 3 * (size_t)tet->p;
        const double *q = positions + 3 * (size_t)tet->q, *r = positions + 3 * (size_t)tet->r;
        double to_q[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
        double to_r[3] = {r[0] - p[0], r[1] - p[1], r[2] - p[2]};
        double to_x[3] = {x[0] - p[0], x[1] - p[1], x[2] - p[2]}, normal[3];
        sim_cross(to_q, to_r, normal);
        double off = sim_dot(normal, to_x) - tet->target;
        sim_add_scaled(system.force, -tet->stiffness * off, normal);
        system_add_direction(&system, tet->stiffness, normal);
    }
    *result = system;
}

/* What the elements of a vertex ask: `system` comes in with what inertia asks. */
static void add_elements(const struct sim_model *model, const double *positions, const double *previous, uint32_t slot,
                         struct vertex_system *system)
{
    const struct elastic_mesh *mesh = model->elastic;
    uint32_t vertex = mesh->vertices[slot];
    system_add_diagonal(system, mesh->diagonal[slot]);
    add_edges(mesh, slot, positions, previous, vertex, 1 / model->substep, system);
    add_tets(mesh, slot, positions, positions + 3 * (size_t)vertex, system);
    cloth_triangles_add(mesh, slot, positions, system);
    for (uint32_t t = mesh->hinge_starts[slot]; t < mesh->hinge_starts[slot + 1]; t++) {
        uint32_t visit = mesh->hinge_visits[t];
        cloth_hinge_add(&mesh->hinges[visit / 4], visit % 4, positions, system);
    }
}

void elastic_force(const struct sim_model *model, const double *positions, const double *previous, uint32_t vertex,
                   double force[3])
{
    struct vertex_system system = {.force = {0, 0, 0}};
    if (model->elastic->slots[vertex] != SIM_NONE) {
        add_elements(model, positions, previous, model->elastic->slots[vertex], &system);
    }
    force[0] = system.force[0];
    force[1] = system.force[1];
    force[2] = system.force[2];
}

/* The sum is quadratic in one vertex of a solid, and any part of the way to its minimum goes down. That of cloth is
 * not: of a sheet that something tore far out of shape the equations know the direction, not the distance. An edge at a
 * time is enough: there are many solutions in a step, and what moves fast starts where its velocity takes it. */
static void limit_move(double move[3], double edge)
{
    double square = sim_dot(move, move);
    if (square > edge * edge) {
        double part = edge / sqrt(square);
        move[0] *= part;
        move[1] *= part;
        move[2] *= part;
    }
}

/* What the loops of a solve work on. */
struct solve_call {
    const struct sim_model *model;
    struct sim_state *state;
    const struct contact_set *contacts;
    struct elastic_work *work;
    uint32_t sweep; /* number of the present one */
};

/* Arrays are named once for the whole range: after every store the compiler would read the pointers to them again. */
static void solve_range(void *data, uint32_t begin, uint32_t end)
{
    const struct solve_call *call = data;
    const struct sim_model *model = call->model;
    const struct elastic_mesh *mesh = model->elastic;
    const double *previous = call->work->previous, *targets = call->work->targets, *masses = model->masses;
    double *positions = call->state->positions, square_step = model->substep * model->substep;
    bool springs = springs_any(call->work);
    for (uint32_t slot = begin; slot < end; slot++) {
        if (call->sweep >= mesh->sweeps[slot]) {
            continue;
        }
        uint32_t vertex = mesh->vertices[slot];
        double *x = positions + 3 * (size_t)vertex, move[3], inertia = masses[vertex] / square_step;
        struct vertex_system system = {.force = {0, 0, 0}};
        for (int axis = 0; axis < 3; axis++) {
            system.force[axis] = inertia * (targets[3 * (size_t)vertex + (size_t)axis] - x[axis]);
        }
        system_add_diagonal(&system, inertia);
        add_elements(model, positions, previous, slot, &system);
        if (springs) {
            springs_add(model, call->state, call->contacts, call->work, vertex, &system);
        }
        elastic_solve_symmetric(system.stiffness, system.force, move);
        limit_move(move, model->bodies[model->vertex_bodies[vertex]].mean_edge);
        sim_add_scaled(x, 1, move);
    }
}

static void sweep_colours(struct solve_call *call, bool backwards)
{
    const struct elastic_mesh *mesh = call->model->elastic;
    for (uint32_t k = 0; k < mesh->colour_count; k++) {
        uint32_t colour = backwards ? mesh->colour_count - 1 - k : k;
        uint32_t begin = mesh->colour_starts[colour], end = mesh->colour_starts[colour + 1];
        sim_parallel(call->model->context, begin, end, solve_range, call);
        springs_colour_done(call->model, call->state, call->work, begin, end);
    }
}

static double inertia_share(const struct sim_model *model, const double *positions, uint32_t vertex)
{
    uint32_t slot = model->elastic->slots[vertex];
    if (slot == SIM_NONE) {
        return 1;
    }
    struct vertex_system system = {.force = {0, 0, 0}};
    add_elements(model, positions, positions, slot, &system);
    double stiffness = (system.stiffness[0] + system.stiffness[3] + system.stiffness[5]) / 3;
    double inertia = model->masses[vertex] / (model->substep * model->substep);
    return inertia / (inertia + stiffness);
}

/* Sweeps for each body. A vertex whose elements outweigh its inertia by r hands on about 1/r of what it should, so
 * stiff bodies get more of them; a large scene gets fewer, to stay interactive, and is softer than its material. */
static uint32_t sweeps_for(const struct sim_model *model, const struct sim_body *body)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        if (model->elastic->slots[v] != SIM_NONE) {
            double share = model->inertia_shares[v];
            sum += (1 - share) / share;
            count++;
        }
    }
    double wanted = count > 0 ? 1 + sum / count / 2 : 1;
    double most = MOST_SOLVES / ((double)model->elastic->vertex_count * model->substeps + 1);
    most = most < MOST_SWEEPS ? most : MOST_SWEEPS;
    wanted = wanted < most ? wanted : most;
    return wanted > 1 ? (uint32_t)wanted : 1;
}

static dent_status choose_sweeps(struct sim_model *model, const double *positions, uint32_t iterations)
{
    struct elastic_mesh *mesh = model->elastic;
    mesh->sweeps = sim_allocate(model, mesh->vertex_count, sizeof *mesh->sweeps);
    model->inertia_shares = sim_allocate(model, model->vertex_count, sizeof *model->inertia_shares);
    if (!mesh->sweeps || !model->inertia_shares) {
        return sim_no_memory(model->context);
    }
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        model->inertia_shares[v] = inertia_share(model, positions, v);
    }
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        uint32_t sweeps = iterations > 0 ? iterations : sweeps_for(model, body);
        model->iterations = sweeps > model->iterations ? sweeps : model->iterations;
        for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
            if (mesh->slots[v] != SIM_NONE) {
                mesh->sweeps[mesh->slots[v]] = (uint16_t)sweeps;
            }
        }
    }
    return DENT_OK;
}

/* ---- momentum ---------------------------------------------------------------------------------------------------- */

/* A piece is turned by adding angle x arm, which stretches it by sqrt(1 + angle^2): nothing for the small errors that
 * sweeps leave; but a body in a crash, turned by several radians, would be blown up, and the energy of that would throw
 * it further in the next substep. What is beyond half a radian is left to the next substeps. */
void elastic_limit_angle(double angle[3])
{
    double size = sqrt(sim_dot(angle, angle)), most = 0.5;
    for (int axis = 0; axis < 3 && size > most; axis++) {
        angle[axis] *= most / size;
    }
}

/* Turns `angular`, an angular displacement times inertia, into an angle vector; zero when the piece has no extent. */
static void angle_from(const double inertia[6], const double *angular, double *angle)
{
    double trace = inertia[0] + inertia[3] + inertia[5];
    double d1 = inertia[0] * inertia[3] - inertia[1] * inertia[1];
    double minor_a = inertia[3] * inertia[5] - inertia[4] * inertia[4];
    double minor_b = inertia[1] * inertia[5] - inertia[4] * inertia[2];
    double minor_c = inertia[1] * inertia[4] - inertia[3] * inertia[2];
    double determinant = inertia[0] * minor_a - inertia[1] * minor_b + inertia[2] * minor_c;
    angle[0] = angle[1] = angle[2] = 0;
    if (determinant > 1e-9 * trace * trace * trace && inertia[0] > 0 && d1 > 0) {
        elastic_solve_symmetric(inertia, angular, angle);
    }
    elastic_limit_angle(angle);
}

struct piece_sums {
    double mass, center[3], push[3];
};

static struct piece_sums sum_piece(const struct sim_model *model, const struct sim_state *state,
                                   const struct elastic_work *work, const uint32_t *vertices, uint32_t count)
{
    struct piece_sums sums = {0};
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = vertices[k];
        const double *x = state->positions + 3 * (size_t)v, *target = work->targets + 3 * (size_t)v;
        double mass = model->masses[v];
        sums.mass += mass;
        for (int axis = 0; axis < 3; axis++) {
            sums.center[axis] += mass * work->previous[3 * (size_t)v + (size_t)axis];
            sums.push[axis] += mass * (target[axis] - x[axis]);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        sums.center[axis] /= sums.mass;
        sums.push[axis] /= sums.mass;
    }
    return sums;
}

/* New angular momentum is sum m x cross (x - previous) / h = sum m previous cross (x - previous) / h: so arms are taken
 * at the previous positions, and both momenta are kept to rounding. */
static void keep_piece(const struct sim_model *model, struct sim_state *state, const struct elastic_work *work,
                       const uint32_t *vertices, uint32_t count)
{
    struct piece_sums sums = sum_piece(model, state, work, vertices, count);
    double angular[3] = {0, 0, 0}, inertia[6] = {0, 0, 0, 0, 0, 0}, angle[3];
    for (uint32_t k = 0; k < count; k++) {
        uint32_t v = vertices[k];
        const double *x = state->positions + 3 * (size_t)v;
        double mass = model->masses[v], arm[3], lack[3], moment[3];
        sim_subtract(work->previous + 3 * (size_t)v, sums.center, arm);
        sim_subtract(work->targets + 3 * (size_t)v, x, lack);
        sim_cross(arm, lack, moment);
        sim_add_scaled(angular, mass, moment);
        double square = sim_dot(arm, arm);
        inertia[0] += mass * (square - arm[0] * arm[0]);
        inertia[1] -= mass * arm[0] * arm[1];
        inertia[2] -= mass * arm[0] * arm[2];
        inertia[3] += mass * (square - arm[1] * arm[1]);
        inertia[4] -= mass * arm[1] * arm[2];
        inertia[5] += mass * (square - arm[2] * arm[2]);
    }
    angle_from(inertia, angular, angle);
    for (uint32_t k = 0; k < count; k++) {
        double *x = state->positions + 3 * (size_t)vertices[k];
        double arm[3], turn[3];
        sim_subtract(work->previous + 3 * (size_t)vertices[k], sums.center, arm);
        sim_cross(angle, arm, turn);
        for (int axis = 0; axis < 3; axis++) {
            x[axis] += sums.push[axis] + turn[axis];
        }
    }
}

static void keep_block(void *data, uint32_t piece, uint32_t worker)
{
    (void)worker;
    const struct solve_call *call = data;
    const struct elastic_mesh *mesh = call->model->elastic;
    uint32_t begin = mesh->piece_starts[piece], end = mesh->piece_starts[piece + 1];
    keep_piece(call->model, call->state, call->work, mesh->piece_vertices + begin, end - begin);
}

static void keep_momentum(struct solve_call *call)
{
    if (call->model->elastic->piece_count > 0) {
        dent_parallel_for(call->model->context, call->model->elastic->piece_count, keep_block, call);
    }
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

void elastic_solve(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                   struct elastic_work *work, uint64_t count)
{
    struct solve_call call = {model, state, contacts, work, 0};
    springs_follow(model, state, work);
    for (; call.sweep < model->iterations; call.sweep++) {
        /* Forwards and backwards in turn, so that no direction of the mesh is preferred. */
        sweep_colours(&call, ((count + call.sweep) & 1) != 0);
        springs_move_pieces(model, state, contacts, work);
        bonds_assemble(model, state, work);
        springs_add_to_blocks(model, state, contacts, work);
        grabs_add_to_blocks(model, state, work);
        bonds_move(model, state, work);
    }
    springs_end(model, state, contacts, work);
    keep_momentum(&call);
}

static dent_status make_arrays(struct sim_model *model, const double *positions, struct elastic_work *work)
{
    size_t numbers = 3 * (size_t)model->vertex_count;
    work->previous = sim_allocate(model, numbers, sizeof(double));
    work->targets = sim_allocate(model, numbers, sizeof(double));
    work->carried.moves = sim_allocate(model, numbers, sizeof(double));
    work->carried.taken_out = sim_allocate(model, numbers, sizeof(double));
    if (!work->previous || !work->targets || !work->carried.moves || !work->carried.taken_out) {
        return sim_no_memory(model->context);
    }
    memcpy(work->previous, positions, numbers * sizeof(double)); /* what never moves keeps them */
    return DENT_OK;
}

dent_status elastic_build(struct sim_model *model, struct sim_state *state, struct elastic_work *work,
                          uint32_t iterations)
{
    dent_status status = make_arrays(model, state->positions, work);
    status = status == DENT_OK ? bonds_find(model, state, work) : status;
    status = status == DENT_OK ? elastic_mesh_build(model, state->positions) : status;
    status = status == DENT_OK ? bonds_build(model) : status;
    status = status == DENT_OK ? springs_build(model, work) : status;
    status = status == DENT_OK ? choose_sweeps(model, state->positions, iterations) : status;
    return status == DENT_OK ? attachments_build(model, work) : status;
}

void elastic_destroy(dent_context *context, struct elastic_work *work)
{
    springs_destroy(context, work);
    dent_release(context, work->carried.contacts, (size_t)work->carried.capacity, sizeof *work->carried.contacts);
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

/* Of the constant network: shear of tetrahedra, bending of flat sheets. */
static double network_energy(const struct elastic_mesh *mesh, const double *positions, const struct sim_body *body)
{
    double sum = 0;
    for (uint32_t v = body->first_vertex; v < body->first_vertex + body->vertex_count; v++) {
        uint32_t slot = mesh->slots[v];
        if (slot == SIM_NONE) {
            continue;
        }
        for (uint32_t e = mesh->edge_starts[slot]; e < mesh->edge_starts[slot + 1]; e++) {
            const struct edge_visit *edge = &mesh->edges[e];
            double difference[3];
            sim_subtract(positions + 3 * (size_t)edge->other, positions + 3 * (size_t)v, difference);
            /* Edges between two free vertices are seen twice, those to a held one once. */
            double share = mesh->slots[edge->other] == SIM_NONE ? 0.5 : 0.25;
            sum += share * edge->weight * sim_dot(difference, difference);
        }
    }
    for (uint64_t n = 0; n < mesh->held_count; n++) {
        const struct held_edge *edge = &mesh->held[n];
        if (edge->i >= body->first_vertex && edge->i < body->first_vertex + body->vertex_count) {
            double difference[3];
            sim_subtract(positions + 3 * (size_t)edge->j, positions + 3 * (size_t)edge->i, difference);
            sum += 0.5 * edge->weight * sim_dot(difference, difference);
        }
    }
    return sum;
}

double elastic_body_energy(const struct sim_model *model, const double *positions, uint32_t body_number)
{
    const struct elastic_mesh *mesh = model->elastic;
    const struct sim_body *body = &model->bodies[body_number];
    if (body->kind == DENT_SIM_SOLID) {
        return network_energy(mesh, positions, body) - mesh->rest_energy[body_number] +
               tet_volume_energy(mesh, mesh->body_tet_starts[body_number], mesh->body_tet_starts[body_number + 1],
                                 positions);
    }
    double sum = 0;
    if (body->kind == DENT_SIM_CLOTH) {
        sum = network_energy(mesh, positions, body);
        for (uint32_t t = 0; t < mesh->triangle_count; t++) {
            sum += mesh->triangles[t].body == body_number ? cloth_triangle_energy(&mesh->triangles[t], positions) : 0;
        }
        for (uint32_t t = 0; t < mesh->hinge_count; t++) {
            sum += model->vertex_bodies[mesh->hinges[t].corners[0]] == body_number
                       ? cloth_hinge_energy(&mesh->hinges[t], positions)
                       : 0;
        }
    }
    return sum;
}
