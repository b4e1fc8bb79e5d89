/* Thin things never cross. At the end of an interval every vertex goes straight from where it was at the beginning;
 * what would meet on the way is found by the exact question `impact`.
 *
 * First some passes push the end positions apart along the normals of the impacts (dent_position_solve), taking the
 * approach out of the velocities. What still meets after them is stopped: vertices that meet, directly or through
 * others, form an island, and an island goes only nine tenths of the way to its first impact; where that makes new
 * impacts the islands grow. In the worst case all stands still, which is safe because the beginning was. The last query
 * finds nothing, so the step from beginning to end has been proven free of crossings, whatever the passes did.
 *
 * Only impacts with a prevent_crossing body count (all of them with DENT_SIM_CONTINUOUS_ALL): solids may overlap a little,
 * and must be free to part again. */
#include "base/containers/union_find.h"
#include "sim/elastic/rod_pass.h"
#include "sim_contacts.h"

#include <math.h>
#include <string.h>

enum { SHRINKING_ROUNDS = 3, VERTEX_ROUNDS = 8, BODY_ROUNDS = 12 };

/* ---- life -------------------------------------------------------------------------------------------------------- */

dent_status safe_motion_build(struct sim_model *model, struct safe_motion *safe, double *scratch)
{
    size_t vertices = model->vertex_count;
    /* Energies are taken at it: kernels of elements load rows of four. */
    safe->interval_start = sim_allocate(model, 3 * vertices + 1, sizeof *safe->interval_start);
    safe->wanted = sim_allocate(model, 3 * vertices, sizeof *safe->wanted);
    safe->fractions = sim_allocate(model, vertices, sizeof *safe->fractions);
    safe->islands = sim_allocate(model, vertices, sizeof *safe->islands);
    safe->groups = sim_allocate(model, model->body_count, sizeof *safe->groups);
    safe->in_impact = sim_allocate(model, vertices, sizeof *safe->in_impact);
    safe->strand_energies = sim_allocate(model, ROD_LANES * (size_t)model->rods->group_count, sizeof *safe->strand_energies);
    safe->energies = sim_allocate(model, model->body_count, sizeof *safe->energies);
    safe->rigid_wanted = sim_allocate(model, model->rigid_count, sizeof *safe->rigid_wanted);
    safe->first = scratch;
    return safe->interval_start && safe->wanted && safe->fractions && safe->islands && safe->groups && safe->in_impact &&
                   safe->rigid_wanted && safe->energies && safe->strand_energies
               ? DENT_OK
               : sim_no_memory(model->context);
}

void safe_motion_destroy(dent_context *context, struct safe_motion *safe)
{
    dent_release(context, safe->impacts, (size_t)safe->impact_capacity, sizeof *safe->impacts);
    dent_release(context, safe->contacts, (size_t)safe->contact_capacity, sizeof *safe->contacts);
}

void safe_motion_begin(const struct sim_model *model, const struct sim_state *state, struct safe_motion *safe)
{
    sim_copy(model->context, safe->interval_start, state->positions, 3 * (size_t)model->vertex_count * sizeof(double));
}

void safe_motion_keep_wanted(const struct sim_model *model, const struct sim_state *state, struct safe_motion *safe)
{
    sim_copy(model->context, safe->wanted, state->positions, 3 * (size_t)model->vertex_count * sizeof(double));
    if (model->rigid_count > 0) {
        memcpy(safe->rigid_wanted, state->rigids, model->rigid_count * sizeof *safe->rigid_wanted);
    }
}

/* ---- impacts ----------------------------------------------------------------------------------------------------- */

struct impact_ends impact_ends_of(const struct sim_model *model, const dent_world *world, const dent_impact *impact)
{
    struct impact_ends ends = {
        {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE}, {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    dent_body_id a = model->bodies[impact->body_a].id, b = model->bodies[impact->body_b].id;
    uint32_t count;
    if (impact->kind == DENT_IMPACT_VERTEX_FACE) {
        const dent_surface_face *face = &dent_body_surface_faces(world, b, &count)[impact->feature_b];
        ends.vertices_a[0] = impact->feature_a;
        ends.weights_a[0] = 1;
        memcpy(ends.vertices_b, face->corners, sizeof face->corners);
        ends.weights_b[0] = 1 - impact->u - impact->v;
        ends.weights_b[1] = impact->u;
        ends.weights_b[2] = impact->v;
    } else {
        const dent_edge *first = &dent_body_edges(world, a, &count)[impact->feature_a];
        const dent_edge *second = &dent_body_edges(world, b, &count)[impact->feature_b];
        ends.vertices_a[0] = first->v0;
        ends.vertices_a[1] = first->v1;
        ends.weights_a[0] = 1 - impact->u;
        ends.weights_a[1] = impact->u;
        ends.vertices_b[0] = second->v0;
        ends.vertices_b[1] = second->v1;
        ends.weights_b[0] = 1 - impact->v;
        ends.weights_b[1] = impact->v;
    }
    return ends;
}

static bool counts(const struct sim_model *model, const dent_impact *impact)
{
    return model->watch_all || model->bodies[impact->body_a].thin || model->bodies[impact->body_b].thin;
}

/* ---- what touches at the beginning ------------------------------------------------------------------------------- */

/* Of a body with an inside, how much of it lies along a direction behind a face: the cosine with its inner normal. */
static double lie_of_inside(const struct sim_body *body, const struct safe_motion *safe, const dent_surface_face *face,
                            const double *direction)
{
    const double *x = safe->interval_start + 3 * (size_t)body->first_vertex;
    double e1[3], e2[3], normal[3];
    sim_subtract(x + 3 * (size_t)face->corners[1], x + 3 * (size_t)face->corners[0], e1);
    sim_subtract(x + 3 * (size_t)face->corners[2], x + 3 * (size_t)face->corners[0], e2);
    sim_cross(e1, e2, normal);
    double length = sqrt(sim_dot(normal, normal)), along = sim_dot(normal, direction);
    return !(length > 0) ? 0 : body->mirrored ? along / length : -along / length;
}

/* How the surface around a side of an impact lies along a direction, seen from its point. */
struct surface_lie {
    double low, high, size; /* of its vertices; the farthest in any direction */
    double inside;          /* of a body that has one: where that is */
};

static struct surface_lie lie_of_surface(const struct sim_model *model, const struct safe_motion *safe,
                                         const dent_world *world, uint32_t body_number, const uint32_t *vertices,
                                         const double *point, const double *direction)
{
    const struct sim_body *body = &model->bodies[body_number];
    uint32_t count;
    const dent_surface_face *faces = dent_body_surface_faces(world, body->id, &count);
    struct surface_lie lie = {0};
    for (int k = 0; k < 4; k++) {
        uint32_t v = vertices[k] == SIM_NONE ? 0 : body->first_vertex + vertices[k];
        for (uint32_t n = model->corner_starts[v]; vertices[k] != SIM_NONE && n < model->corner_starts[v + 1]; n++) {
            const dent_surface_face *face = &faces[model->corner_faces[n]];
            lie.inside += body->oriented ? lie_of_inside(body, safe, face, direction) : 0;
            for (int c = 0; c < 3; c++) {
                double apart[3];
                sim_subtract(safe->interval_start + 3 * ((size_t)body->first_vertex + face->corners[c]), point, apart);
                double along = sim_dot(apart, direction);
                lie.low = along < lie.low ? along : lie.low;
                lie.high = along > lie.high ? along : lie.high;
                lie.size = fmax(lie.size, sqrt(sim_dot(apart, apart)));
            }
        }
    }
    return lie;
}

void impact_side_at(const struct sim_model *model, const double *positions, uint32_t body, const uint32_t *vertices,
                    const double *weights, double *point)
{
    point[0] = point[1] = point[2] = 0;
    for (int k = 0; k < 4; k++) {
        if (vertices[k] != SIM_NONE) {
            sim_add_scaled(point, weights[k], positions + 3 * ((size_t)model->bodies[body].first_vertex + vertices[k]));
        }
    }
}

static bool are_parallel(const struct sim_model *model, const struct safe_motion *safe, const dent_impact *impact,
                         const struct impact_ends *ends)
{
    const double *a = safe->interval_start + 3 * (size_t)model->bodies[impact->body_a].first_vertex;
    const double *b = safe->interval_start + 3 * (size_t)model->bodies[impact->body_b].first_vertex;
    double first[3], second[3], cross[3];
    sim_subtract(a + 3 * (size_t)ends->vertices_a[1], a + 3 * (size_t)ends->vertices_a[0], first);
    sim_subtract(b + 3 * (size_t)ends->vertices_b[1], b + 3 * (size_t)ends->vertices_b[0], second);
    sim_cross(first, second, cross);
    return sim_dot(cross, cross) <= 1e-12 * sim_dot(first, first) * sim_dot(second, second);
}

/* What is met within this share of the interval touched at its beginning, but for rounding. */
#define TOUCHING_TIME 1e-9

/* Features that touch at the beginning are met at time 0 however they move. Where they move along one another or apart,
 * that stops nothing: the surfaces around them tell on which side each of them is. */
bool safe_motion_departs(const struct sim_model *model, const struct sim_state *state, const dent_world *world,
                         const struct safe_motion *safe, const dent_impact *impact)
{
    struct impact_ends ends = impact_ends_of(model, world, impact);
    double a0[3], b0[3], a1[3], b1[3], moves_a[3], moves_b[3];
    if (impact->toi > TOUCHING_TIME) {
        return false;
    }
    if (model->bodies[impact->body_a].kind == DENT_SIM_STRANDS || model->bodies[impact->body_b].kind == DENT_SIM_STRANDS) {
        return impact->toi == 0; /* no side to be on; what did not touch must not meet, however soon */
    }
    impact_side_at(model, safe->interval_start, impact->body_a, ends.vertices_a, ends.weights_a, a0);
    impact_side_at(model, safe->interval_start, impact->body_b, ends.vertices_b, ends.weights_b, b0);
    impact_side_at(model, state->positions, impact->body_a, ends.vertices_a, ends.weights_a, a1);
    impact_side_at(model, state->positions, impact->body_b, ends.vertices_b, ends.weights_b, b1);
    sim_subtract(a1, a0, moves_a);
    sim_subtract(b1, b0, moves_b);
    double away = sim_dot(moves_a, impact->normal) - sim_dot(moves_b, impact->normal);
    struct surface_lie a = lie_of_surface(model, safe, world, impact->body_a, ends.vertices_a, a0, impact->normal);
    struct surface_lie b = lie_of_surface(model, safe, world, impact->body_b, ends.vertices_b, b0, impact->normal);
    double slack = 1e-9 * (a.size + b.size), inside = a.inside - b.inside;
    bool above = a.low >= -slack && b.high <= slack, below = a.high <= slack && b.low >= -slack;
    if (impact->kind == DENT_IMPACT_EDGE_EDGE && are_parallel(model, safe, impact, &ends)) {
        return true; /* the pairs beside it say more */
    }
    if (above == below) { /* the direction parts nothing, or both are flat in it */
        return !above || inside == 0 || away == 0 || (away > 0) == (inside > 0);
    }
    return above ? away >= 0 : away <= 0;
}

void safe_join_bodies(const struct sim_model *model, struct safe_motion *safe, uint32_t a, uint32_t b)
{
    if (model->bodies[a].kind != DENT_SIM_PRESCRIBED && model->bodies[b].kind != DENT_SIM_PRESCRIBED) {
        union_find_join(safe->groups, a, b);
    }
}

/* Impacts on the way from the beginning of the interval to the present positions; those that count are moved to the
 * front of safe->impacts. */
dent_status safe_motion_find(const struct sim_model *model, const struct sim_state *state, dent_world *world,
                             struct safe_motion *safe, struct step_report *report)
{
    dent_status status = world_set_positions(model, world, safe->interval_start, state->positions);
    if (status != DENT_OK) {
        return status;
    }
    uint64_t begin = dent_clock_ns();
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    status = dent_world_impacts(world, &def, &result);
    if (status != DENT_OK) {
        return dent_fail(model->context, status, "impacts of step %llu: %s", (unsigned long long)state->step,
                         dent_world_message(world));
    }
    status = sim_reserve(model->context, (void **)&safe->impacts, &safe->impact_capacity, result.count,
                         sizeof *safe->impacts);
    if (status != DENT_OK) {
        return status;
    }
    safe->impact_count = 0;
    for (uint64_t i = 0; i < result.count; i++) {
        if (counts(model, &result.impacts[i]) &&
            !safe_motion_departs(model, state, world, safe, &result.impacts[i])) {
            safe->impacts[safe->impact_count++] = result.impacts[i];
            safe_join_bodies(model, safe, result.impacts[i].body_a, result.impacts[i].body_b);
        }
    }
    report->statistics.impacts += safe->impact_count;
    report->ns_detect += dent_clock_ns() - begin;
    return DENT_OK;
}

/* ---- passes that push -------------------------------------------------------------------------------------------- */

static void weigh(const struct sim_model *model, const struct sim_state *state, uint32_t body, const uint32_t *vertices,
                  const double *weights, double *point)
{
    point[0] = point[1] = point[2] = 0;
    for (int k = 0; k < 4; k++) {
        if (vertices[k] != SIM_NONE) {
            size_t v = (size_t)model->bodies[body].first_vertex + vertices[k];
            sim_add_scaled(point, weights[k], state->positions + 3 * v);
        }
    }
}

/* The contact of an impact, measured at the end positions: there the two have passed one another. */
static dent_contact contact_of(const struct sim_model *model, const struct sim_state *state, const dent_world *world,
                               const dent_impact *impact)
{
    struct impact_ends ends = impact_ends_of(model, world, impact);
    dent_contact contact = {.body_a = impact->body_a,
                            .body_b = impact->body_b,
                            .feature_a = impact->feature_a,
                            .feature_b = impact->feature_b,
                            .material_a = model->bodies[impact->body_a].material,
                            .material_b = model->bodies[impact->body_b].material,
                            .time = impact->toi};
    contact.kind = impact->kind == DENT_IMPACT_VERTEX_FACE ? DENT_CONTACT_VERTEX_FACE : DENT_CONTACT_EDGE_EDGE;
    contact.source = DENT_CONTACT_SOURCE_IMPACT;
    memcpy(contact.vertices_a, ends.vertices_a, sizeof ends.vertices_a);
    memcpy(contact.vertices_b, ends.vertices_b, sizeof ends.vertices_b);
    memcpy(contact.weights_a, ends.weights_a, sizeof ends.weights_a);
    memcpy(contact.weights_b, ends.weights_b, sizeof ends.weights_b);
    memcpy(contact.normal, impact->normal, sizeof contact.normal);
    weigh(model, state, contact.body_a, contact.vertices_a, contact.weights_a, contact.point_a);
    weigh(model, state, contact.body_b, contact.vertices_b, contact.weights_b, contact.point_b);
    double apart[3];
    sim_subtract(contact.point_a, contact.point_b, apart);
    contact.gap = sim_dot(contact.normal, apart) -
                  0.5 * (model->bodies[contact.body_a].thickness + model->bodies[contact.body_b].thickness);
    embedding_map_contact(model, state, &contact);
    return contact;
}

/* Joints hold bodies, which a push of one of them would open: what they meet gives way, or all of them stop. */
static bool is_linked(const struct sim_joint *joint)
{
    return joint->kind != DENT_SIM_JOINT_SPRING;
}

static void hold_linked(const struct sim_model *model, struct sim_state *state)
{
    for (uint32_t n = 0; n < model->joint_count; n++) {
        for (int s = 0; s < 2; s++) {
            uint32_t r = model->joints[n].rigid[s];
            if (is_linked(&model->joints[n]) && r != SIM_NONE) {
                state->rigids[r].inverse_mass = 0;
                memset(state->rigids[r].inverse_inertia, 0, sizeof state->rigids[r].inverse_inertia);
            }
        }
    }
}

static void release_linked(const struct sim_model *model, struct sim_state *state, const struct safe_motion *safe)
{
    for (uint32_t r = 0; r < model->rigid_count && model->joint_count > 0; r++) {
        state->rigids[r].inverse_mass = safe->rigid_wanted[r].inverse_mass;
        memcpy(state->rigids[r].inverse_inertia, safe->rigid_wanted[r].inverse_inertia,
               sizeof state->rigids[r].inverse_inertia);
    }
}

static dent_status push_apart(const struct sim_model *model, struct sim_state *state, const dent_world *world,
                              const struct contact_set *contacts, struct safe_motion *safe,
                              struct contact_response *response, double duration)
{
    dent_status status = sim_reserve(model->context, (void **)&safe->contacts, &safe->contact_capacity,
                                     safe->impact_count, sizeof *safe->contacts);
    if (status != DENT_OK) {
        return status;
    }
    for (uint64_t i = 0; i < safe->impact_count; i++) {
        safe->contacts[i] = contact_of(model, state, world, &safe->impacts[i]);
    }
    safe_motion_keep_wanted(model, state, safe);
    dent_response_problem problem =
        response_problem(model, state, contacts, response, safe->interval_start, contacts->rigid_detected, duration);
    for (uint32_t b = 0; b < model->body_count; b++) { /* contact points are those of the present pose */
        if (model->bodies[b].rigid != SIM_NONE) {
            response->bodies[b].rigid_detected = &safe->rigid_wanted[model->bodies[b].rigid];
        }
    }
    problem.contacts = safe->contacts;
    problem.contact_count = safe->impact_count;
    problem.previous = problem.forces = NULL;
    problem.previous_count = 0;
    dent_position_def def = dent_position_def_default();
    def.iterations = 4;
    hold_linked(model, state);
    status = dent_position_solve(response->solver, &problem, &def, NULL);
    release_linked(model, state, safe);
    if (status != DENT_OK) {
        return status;
    }
    supports_copy(model, safe->wanted, state->positions); /* held parts stay */
    rigid_place_vertices(model, state);
    embedding_place_vertices(model, state);
    for (size_t n = 0; n < 3 * (size_t)model->vertex_count; n++) {
        state->velocities[n] += (state->positions[n] - safe->wanted[n]) / duration;
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        /* The change of pose as a change of velocity. */
        dent_rigid_state changed = state->rigids[r];
        dent_rigid_velocity_between(&safe->rigid_wanted[r], &changed, duration);
        sim_add_scaled(state->rigids[r].linear_velocity, 1, changed.linear_velocity);
        sim_add_scaled(state->rigids[r].angular_velocity, 1, changed.angular_velocity);
    }
    return DENT_OK;
}

/* ---- stopping ---------------------------------------------------------------------------------------------------- */

/* Joins all vertices that must stop together with the impact; a rigid body counts as one, an embedded vertex
 * as the corners that carry it. Returns one of them. */
static uint32_t join_side(const struct sim_model *model, struct safe_motion *safe, uint32_t body,
                          const uint32_t *vertices, uint32_t with)
{
    const struct sim_embedding *embedding = embedding_of(model, body);
    for (int k = 0; k < 4; k++) {
        if (vertices[k] == SIM_NONE) {
            continue;
        }
        uint32_t vertex = model->bodies[body].first_vertex + vertices[k];
        if (model->bodies[body].rigid != SIM_NONE) {
            vertex = model->bodies[body].first_vertex;
        }
        uint32_t carriers[3] = {vertex, vertex, vertex};
        if (embedding) {
            memcpy(carriers, embedding->corners + 3 * (size_t)vertices[k], sizeof carriers);
        }
        for (int c = 0; c < 3; c++) {
            with = with == SIM_NONE ? carriers[c] : with;
            union_find_join(safe->islands, with, carriers[c]);
            safe->in_impact[carriers[c]] = 1;
        }
    }
    return with;
}

static void join_bodies(const struct sim_model *model, struct safe_motion *safe, uint32_t body, uint32_t with)
{
    uint32_t host = model->bodies[body].kind == DENT_SIM_EMBEDDED ? model->bodies[body].host : body;
    for (uint32_t v = 0; v < model->bodies[host].vertex_count; v++) {
        union_find_join(safe->islands, with, model->bodies[host].first_vertex + v);
        safe->in_impact[model->bodies[host].first_vertex + v] = 1;
    }
}

/* Bodies that joints hold together stop together, so that joints stay closed. */
static void join_linked(const struct sim_model *model, struct safe_motion *safe)
{
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const uint32_t *rigid = model->joints[n].rigid;
        if (is_linked(&model->joints[n]) && rigid[0] != SIM_NONE && rigid[1] != SIM_NONE) {
            union_find_join(safe->islands, model->bodies[model->rigids[rigid[0]].body].first_vertex,
                            model->bodies[model->rigids[rigid[1]].body].first_vertex);
        }
    }
    for (uint32_t v = 0; v < model->vertex_count && model->joint_count > 0; v++) {
        if (safe->in_impact[v]) {
            safe->in_impact[union_find_root(safe->islands, v)] = 1;
        }
    }
    for (uint32_t r = 0; r < model->rigid_count && model->joint_count > 0; r++) {
        uint32_t v = model->bodies[model->rigids[r].body].first_vertex;
        safe->in_impact[v] = safe->in_impact[union_find_root(safe->islands, v)];
    }
}

/* Shortens the ways of all islands. */
static void shorten(const struct sim_model *model, const dent_world *world, struct safe_motion *safe, uint32_t round)
{
    uint32_t count = model->vertex_count;
    for (uint32_t v = 0; v < count; v++) {
        safe->islands[v] = v;
        safe->in_impact[v] = 0;
        safe->first[v] = 1;
    }
    for (uint64_t i = 0; i < safe->impact_count; i++) {
        struct impact_ends ends = impact_ends_of(model, world, &safe->impacts[i]);
        uint32_t with = join_side(model, safe, safe->impacts[i].body_a, ends.vertices_a, SIM_NONE);
        join_side(model, safe, safe->impacts[i].body_b, ends.vertices_b, with);
        if (round >= VERTEX_ROUNDS) {
            join_bodies(model, safe, safe->impacts[i].body_a, with);
            join_bodies(model, safe, safe->impacts[i].body_b, with);
        }
    }
    join_linked(model, safe);
    for (uint64_t i = 0; i < safe->impact_count; i++) {
        struct impact_ends ends = impact_ends_of(model, world, &safe->impacts[i]);
        uint32_t root =
            union_find_root(safe->islands, join_side(model, safe, safe->impacts[i].body_a, ends.vertices_a, SIM_NONE));
        safe->first[root] = safe->impacts[i].toi < safe->first[root] ? safe->impacts[i].toi : safe->first[root];
    }
    for (uint32_t v = 0; v < count; v++) {
        if (safe->in_impact[v] || round >= BODY_ROUNDS) {
            double share = round < SHRINKING_ROUNDS ? 0.9 * safe->first[union_find_root(safe->islands, v)] : 0;
            safe->fractions[v] *= share;
        }
    }
}

static void place_rigid_at(const dent_rigid_state *from, const dent_rigid_state *to, double fraction,
                           dent_rigid_state *state)
{
    double between = 0, length = 0;
    for (int k = 0; k < 4; k++) {
        between += from->orientation[k] * to->orientation[k];
    }
    for (int k = 0; k < 4; k++) {
        double end = between < 0 ? -to->orientation[k] : to->orientation[k];
        state->orientation[k] = from->orientation[k] + fraction * (end - from->orientation[k]);
        length += state->orientation[k] * state->orientation[k];
    }
    for (int k = 0; k < 4; k++) {
        state->orientation[k] = fraction > 0 ? state->orientation[k] / sqrt(length) : from->orientation[k];
    }
    for (int axis = 0; axis < 3; axis++) {
        state->center[axis] = from->center[axis] + fraction * (to->center[axis] - from->center[axis]);
    }
}

/* At fraction 0 everything gets the very bits it had: those of a rigid body follow from its pose. */
static void place_at_fractions(const struct sim_model *model, struct sim_state *state,
                               const struct contact_set *contacts, const struct safe_motion *safe)
{
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        if (safe->fractions[v] < 1) {
            for (size_t n = 3 * (size_t)v; n < 3 * (size_t)v + 3; n++) {
                double displacement = safe->wanted[n] - safe->interval_start[n];
                state->positions[n] = safe->interval_start[n] + safe->fractions[v] * displacement;
            }
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        const struct sim_body *body = &model->bodies[model->rigids[r].body];
        double fraction = safe->fractions[body->first_vertex];
        if (fraction < 1) {
            place_rigid_at(&contacts->rigid_detected[r], &safe->rigid_wanted[r], fraction, &state->rigids[r]);
        }
    }
    rigid_place_vertices(model, state);
    embedding_place_vertices(model, state);
}

/* What was stopped goes on from where it is with the velocity it really had. */
static void stop_velocities(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                            const struct safe_motion *safe, struct step_report *report, double duration)
{
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        if (safe->fractions[v] < 1) {
            report->statistics.stopped_vertices++;
            for (size_t n = 3 * (size_t)v; n < 3 * (size_t)v + 3; n++) {
                state->velocities[n] = (state->positions[n] - safe->interval_start[n]) / duration;
            }
        }
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (safe->fractions[model->bodies[model->rigids[r].body].first_vertex] < 1) {
            dent_rigid_velocity_between(&contacts->rigid_detected[r], &state->rigids[r], duration);
        }
    }
}

static dent_status stop_islands(const struct sim_model *model, struct sim_state *state, dent_world *world,
                                const struct contact_set *contacts, struct safe_motion *safe,
                                struct step_report *report, double duration)
{
    safe_motion_keep_wanted(model, state, safe);
    for (uint32_t v = 0; v < model->vertex_count; v++) {
        safe->fractions[v] = 1;
    }
    dent_status status = DENT_OK;
    for (uint32_t round = 0; safe->impact_count > 0 && round <= BODY_ROUNDS && status == DENT_OK; round++) {
        shorten(model, world, safe, round);
        place_at_fractions(model, state, contacts, safe);
        status = safe_motion_find(model, state, world, safe, report);
    }
    if (status == DENT_OK) {
        stop_velocities(model, state, contacts, safe, report, duration);
    }
    return status;
}

/* ---- energy ------------------------------------------------------------------------------------------------------ */

double safe_body_energy(const struct sim_model *model, const struct sim_state *state, uint32_t body, double *kinetic)
{
    const struct sim_body *owner = &model->bodies[body];
    double fallen = 0;
    *kinetic = 0;
    if (owner->rigid != SIM_NONE) {
        const struct sim_rigid *rigid = &model->rigids[owner->rigid];
        const dent_rigid_state *pose = &state->rigids[owner->rigid];
        *kinetic = rigid_spin_energy(rigid, pose) +
                   0.5 * rigid->mass * sim_dot(pose->linear_velocity, pose->linear_velocity);
        return *kinetic - rigid->mass * sim_dot(state->gravity, pose->center);
    }
    for (uint32_t v = owner->first_vertex; v < owner->first_vertex + owner->vertex_count; v++) {
        const double *velocity = state->velocities + 3 * (size_t)v;
        double mass = model->inverse_masses[v] > 0 ? model->masses[v] : 0;
        *kinetic += 0.5 * mass * sim_dot(velocity, velocity);
        fallen += mass * sim_dot(state->gravity, state->positions + 3 * (size_t)v);
    }
    return *kinetic - fallen + elastic_body_energy(model, state, body);
}

static void note_energies(const struct sim_model *model, const struct sim_state *state, struct safe_motion *safe)
{
    double kinetic, strands[ROD_LANES];
    for (uint32_t b = 0; b < model->body_count; b++) {
        safe->energies[b] = safe_body_energy(model, state, b, &kinetic);
    }
    for (uint32_t g = 0; g < model->rods->group_count; g++) {
        rod_group_energies(model, state, g, safe->strand_energies + ROD_LANES * (size_t)g, strands);
    }
}

/* As limit_energies, strand by strand: one that was stopped must not stop all hair. */
static void limit_strands(const struct sim_model *model, struct sim_state *state, const struct safe_motion *safe)
{
    for (uint32_t g = 0; g < model->rods->group_count; g++) {
        const struct rod_group *group = &model->rods->groups[g];
        double energies[ROD_LANES], kinetic[ROD_LANES];
        rod_group_energies(model, state, g, energies, kinetic);
        for (uint32_t lane = 0; lane < group->lane_count; lane++) {
            double gained = energies[lane] - safe->strand_energies[ROD_LANES * (size_t)g + lane];
            double factor = gained < kinetic[lane] ? sqrt((kinetic[lane] - gained) / kinetic[lane]) : 0;
            uint32_t first = group->first_vertex[lane], end = first + group->vertex_count[lane];
            for (uint32_t v = first; v < end && gained > 0; v++) {
                for (size_t n = 3 * (size_t)v; n < 3 * (size_t)v + 3 && model->inverse_masses[v] > 0; n++) {
                    state->velocities[n] *= factor;
                }
            }
        }
    }
}

void safe_scale_velocities(const struct sim_model *model, struct sim_state *state, uint32_t body, double factor)
{
    const struct sim_body *owner = &model->bodies[body];
    for (int axis = 0; axis < 3 && owner->rigid != SIM_NONE; axis++) {
        state->rigids[owner->rigid].linear_velocity[axis] *= factor;
        state->rigids[owner->rigid].angular_velocity[axis] *= factor;
    }
    for (uint32_t v = owner->first_vertex; v < owner->first_vertex + owner->vertex_count; v++) {
        for (size_t n = 3 * (size_t)v; (model->inverse_masses[v] > 0 || owner->rigid != SIM_NONE) && n < 3 * (size_t)v + 3;
             n++) {
            state->velocities[n] *= factor;
        }
    }
}

/* Pushing and stopping stretches what hangs on to what was stopped, and gives it speed: what a body has more than before
 * is taken from its own velocities, as far as these have it. */
static void limit_energies(const struct sim_model *model, struct sim_state *state, const struct safe_motion *safe)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        double kinetic, gained = safe_body_energy(model, state, b, &kinetic) - safe->energies[b];
        if (gained > 0 && model->bodies[b].kind != DENT_SIM_STRANDS) {
            safe_scale_velocities(model, state, b, gained < kinetic ? sqrt((kinetic - gained) / kinetic) : 0);
        }
    }
}

/* ---- an interval ends --------------------------------------------------------------------------------------------- */

dent_status safe_motion_finish(const struct sim_model *model, struct sim_state *state, dent_world *world,
                               const struct contact_set *contacts, struct safe_motion *safe,
                               struct contact_response *response, struct elastic_work *elastic,
                               struct step_report *report, double duration)
{
    rods_note_places(model, state, elastic);
    union_find_init(safe->groups, model->body_count);
    dent_status status = safe_motion_find(model, state, world, safe, report);
    uint32_t pass = 0;
    safe->met = safe->impact_count > 0;
    if (status != DENT_OK || safe->impact_count == 0) {
        return status;
    }
    note_energies(model, state, safe);
    for (; pass < model->impact_passes && status == DENT_OK && safe->impact_count > 0; pass++) {
        uint64_t begin = dent_clock_ns();
        status = push_apart(model, state, world, contacts, safe, response, duration);
        report->ns_respond += dent_clock_ns() - begin;
        if (status == DENT_OK) {
            status = safe_motion_find(model, state, world, safe, report);
        }
    }
    report->statistics.impact_passes =
        pass > report->statistics.impact_passes ? pass : report->statistics.impact_passes;
    if (status == DENT_OK && safe->impact_count > 0) {
        status = stop_islands(model, state, world, contacts, safe, report, duration);
    }
    rods_follow(model, state, elastic);
    rods_note_places(model, state, elastic);
    limit_energies(model, state, safe);
    limit_strands(model, state, safe);
    state_forget_history(model, state);
    return status;
}
