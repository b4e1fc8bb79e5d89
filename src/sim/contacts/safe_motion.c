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
#include "sim/model/sim_internal.h"

#include <math.h>
#include <string.h>

enum { SHRINKING_ROUNDS = 3, VERTEX_ROUNDS = 8, BODY_ROUNDS = 12 };

/* ---- impacts ----------------------------------------------------------------------------------------------------- */

struct impact_ends {
    uint32_t vertices_a[4], vertices_b[4]; /* within their bodies */
    double weights_a[4], weights_b[4];
};

static struct impact_ends ends_of(dent_sim *sim, const dent_impact *impact)
{
    struct impact_ends ends = {
        {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE}, {SIM_NONE, SIM_NONE, SIM_NONE, SIM_NONE}, {0, 0, 0, 0}, {0, 0, 0, 0}};
    dent_body_id a = sim->bodies[impact->body_a].id, b = sim->bodies[impact->body_b].id;
    uint32_t count;
    if (impact->kind == DENT_IMPACT_VERTEX_FACE) {
        const dent_surface_face *face = &dent_body_surface_faces(sim->world, b, &count)[impact->feature_b];
        ends.vertices_a[0] = impact->feature_a;
        ends.weights_a[0] = 1;
        memcpy(ends.vertices_b, face->corners, sizeof face->corners);
        ends.weights_b[0] = 1 - impact->u - impact->v;
        ends.weights_b[1] = impact->u;
        ends.weights_b[2] = impact->v;
    } else {
        const dent_edge *first = &dent_body_edges(sim->world, a, &count)[impact->feature_a];
        const dent_edge *second = &dent_body_edges(sim->world, b, &count)[impact->feature_b];
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

static bool counts(const dent_sim *sim, const dent_impact *impact)
{
    return sim->watch_all || sim->bodies[impact->body_a].thin || sim->bodies[impact->body_b].thin;
}

/* Impacts on the way from the beginning of the interval to the present positions; those that count are moved to the
 * front of sim->impacts. */
static dent_status find_impacts(dent_sim *sim)
{
    dent_status status = world_set_positions(sim, sim->interval_start, sim->state.positions);
    if (status != DENT_OK) {
        return status;
    }
    uint64_t begin = dent_clock_ns();
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    status = dent_world_impacts(sim->world, &def, &result);
    if (status != DENT_OK) {
        return dent_fail(sim->context, status, "impacts of step %llu: %s", (unsigned long long)sim->state.step,
                         dent_world_message(sim->world));
    }
    status = sim_reserve(sim, (void **)&sim->impacts, &sim->impact_capacity, result.count, sizeof *sim->impacts);
    if (status != DENT_OK) {
        return status;
    }
    sim->impact_count = 0;
    for (uint64_t i = 0; i < result.count; i++) {
        if (counts(sim, &result.impacts[i])) {
            sim->impacts[sim->impact_count++] = result.impacts[i];
        }
    }
    sim->statistics.impacts += sim->impact_count;
    sim->times.detect += dent_clock_ns() - begin;
    return DENT_OK;
}

/* ---- passes that push -------------------------------------------------------------------------------------------- */

static void weigh(const dent_sim *sim, uint32_t body, const uint32_t *vertices, const double *weights, double *point)
{
    point[0] = point[1] = point[2] = 0;
    for (int k = 0; k < 4; k++) {
        if (vertices[k] != SIM_NONE) {
            size_t v = (size_t)sim->bodies[body].first_vertex + vertices[k];
            sim_add_scaled(point, weights[k], sim->state.positions + 3 * v);
        }
    }
}

/* The contact of an impact, measured at the end positions: there the two have passed one another. */
static dent_contact contact_of(dent_sim *sim, const dent_impact *impact)
{
    struct impact_ends ends = ends_of(sim, impact);
    dent_contact contact = {.body_a = impact->body_a,
                            .body_b = impact->body_b,
                            .feature_a = impact->feature_a,
                            .feature_b = impact->feature_b,
                            .material_a = sim->bodies[impact->body_a].material,
                            .material_b = sim->bodies[impact->body_b].material,
                            .time = impact->toi};
    contact.kind = impact->kind == DENT_IMPACT_VERTEX_FACE ? DENT_CONTACT_VERTEX_FACE : DENT_CONTACT_EDGE_EDGE;
    contact.source = DENT_CONTACT_SOURCE_IMPACT;
    memcpy(contact.vertices_a, ends.vertices_a, sizeof ends.vertices_a);
    memcpy(contact.vertices_b, ends.vertices_b, sizeof ends.vertices_b);
    memcpy(contact.weights_a, ends.weights_a, sizeof ends.weights_a);
    memcpy(contact.weights_b, ends.weights_b, sizeof ends.weights_b);
    memcpy(contact.normal, impact->normal, sizeof contact.normal);
    weigh(sim, contact.body_a, contact.vertices_a, contact.weights_a, contact.point_a);
    weigh(sim, contact.body_b, contact.vertices_b, contact.weights_b, contact.point_b);
    double apart[3];
    sim_subtract(contact.point_a, contact.point_b, apart);
    contact.gap = sim_dot(contact.normal, apart) -
                  0.5 * (sim->bodies[contact.body_a].thickness + sim->bodies[contact.body_b].thickness);
    embedding_map_contact(sim, &contact);
    return contact;
}

static dent_status push_apart(dent_sim *sim, double duration)
{
    dent_status status = sim_reserve(sim, (void **)&sim->impact_contacts, &sim->impact_contact_capacity,
                                     sim->impact_count, sizeof *sim->impact_contacts);
    if (status != DENT_OK) {
        return status;
    }
    for (uint64_t i = 0; i < sim->impact_count; i++) {
        sim->impact_contacts[i] = contact_of(sim, &sim->impacts[i]);
    }
    size_t bytes = 3 * (size_t)sim->vertex_count * sizeof(double);
    memcpy(sim->scratch, sim->state.positions, bytes);
    if (sim->rigid_count > 0) {
        memcpy(sim->rigid_wanted, sim->state.rigids, sim->rigid_count * sizeof *sim->rigid_wanted);
    }
    response_bodies_fill(sim, sim->interval_start, sim->rigid_detected);
    for (uint32_t b = 0; b < sim->body_count; b++) { /* contact points are those of the present pose */
        if (sim->bodies[b].rigid != SIM_NONE) {
            sim->response_bodies[b].rigid_detected = &sim->rigid_wanted[sim->bodies[b].rigid];
        }
    }
    dent_response_problem problem = response_problem(sim, duration);
    problem.contacts = sim->impact_contacts;
    problem.contact_count = sim->impact_count;
    problem.previous = problem.forces = NULL;
    problem.previous_count = 0;
    dent_position_def def = dent_position_def_default();
    def.iterations = 4;
    status = dent_position_solve(sim->response, &problem, &def, NULL);
    if (status != DENT_OK) {
        return status;
    }
    rigid_place_vertices(sim);
    embedding_place_vertices(sim);
    for (size_t n = 0; n < 3 * (size_t)sim->vertex_count; n++) {
        sim->state.velocities[n] += (sim->state.positions[n] - sim->scratch[n]) / duration;
    }
    for (uint32_t r = 0; r < sim->rigid_count; r++) {
        /* The change of pose as a change of velocity. */
        dent_rigid_state changed = sim->state.rigids[r];
        dent_rigid_velocity_between(&sim->rigid_wanted[r], &changed, duration);
        sim_add_scaled(sim->state.rigids[r].linear_velocity, 1, changed.linear_velocity);
        sim_add_scaled(sim->state.rigids[r].angular_velocity, 1, changed.angular_velocity);
    }
    return DENT_OK;
}

/* ---- stopping ---------------------------------------------------------------------------------------------------- */

static uint32_t find_root(uint32_t *parents, uint32_t v)
{
    while (parents[v] != v) {
        parents[v] = parents[parents[v]];
        v = parents[v];
    }
    return v;
}

static void join(uint32_t *parents, uint32_t a, uint32_t b)
{
    uint32_t root_a = find_root(parents, a), root_b = find_root(parents, b);
    parents[root_a > root_b ? root_a : root_b] = root_a > root_b ? root_b : root_a;
}

/* Calls join for all vertices that must stop together with the impact; a rigid body counts as one, an embedded vertex
 * as the corners that carry it. Returns one of them. */
static uint32_t join_side(dent_sim *sim, uint32_t body, const uint32_t *vertices, uint32_t with)
{
    for (int k = 0; k < 4; k++) {
        if (vertices[k] == SIM_NONE) {
            continue;
        }
        uint32_t vertex = sim->bodies[body].first_vertex + vertices[k];
        if (sim->bodies[body].rigid != SIM_NONE) {
            vertex = sim->bodies[body].first_vertex;
        }
        uint32_t carriers[3] = {vertex, vertex, vertex};
        for (uint32_t n = 0; n < sim->embedding_count; n++) {
            if (sim->embeddings[n].body == body) {
                memcpy(carriers, sim->embeddings[n].corners + 3 * (size_t)vertices[k], sizeof carriers);
            }
        }
        for (int c = 0; c < 3; c++) {
            with = with == SIM_NONE ? carriers[c] : with;
            join(sim->islands, with, carriers[c]);
            sim->in_impact[carriers[c]] = 1;
        }
    }
    return with;
}

static void join_bodies(dent_sim *sim, uint32_t body, uint32_t with)
{
    uint32_t host = sim->bodies[body].kind == DENT_SIM_EMBEDDED ? sim->bodies[body].host : body;
    for (uint32_t v = 0; v < sim->bodies[host].vertex_count; v++) {
        join(sim->islands, with, sim->bodies[host].first_vertex + v);
        sim->in_impact[sim->bodies[host].first_vertex + v] = 1;
    }
}

/* Shortens the ways of all islands. */
static void shorten(dent_sim *sim, uint32_t round)
{
    uint32_t count = sim->vertex_count;
    for (uint32_t v = 0; v < count; v++) {
        sim->islands[v] = v;
        sim->in_impact[v] = 0;
        sim->scratch[v] = 1; /* by root: the first impact of the island */
    }
    for (uint64_t i = 0; i < sim->impact_count; i++) {
        struct impact_ends ends = ends_of(sim, &sim->impacts[i]);
        uint32_t with = join_side(sim, sim->impacts[i].body_a, ends.vertices_a, SIM_NONE);
        join_side(sim, sim->impacts[i].body_b, ends.vertices_b, with);
        if (round >= VERTEX_ROUNDS) {
            join_bodies(sim, sim->impacts[i].body_a, with);
            join_bodies(sim, sim->impacts[i].body_b, with);
        }
    }
    for (uint64_t i = 0; i < sim->impact_count; i++) {
        struct impact_ends ends = ends_of(sim, &sim->impacts[i]);
        uint32_t root = find_root(sim->islands, join_side(sim, sim->impacts[i].body_a, ends.vertices_a, SIM_NONE));
        sim->scratch[root] = sim->impacts[i].toi < sim->scratch[root] ? sim->impacts[i].toi : sim->scratch[root];
    }
    for (uint32_t v = 0; v < count; v++) {
        if (sim->in_impact[v] || round >= BODY_ROUNDS) {
            double share = round < SHRINKING_ROUNDS ? 0.9 * sim->scratch[find_root(sim->islands, v)] : 0;
            sim->fractions[v] *= share;
        }
    }
}

static void place_rigid_at(dent_sim *sim, uint32_t r, double fraction)
{
    const dent_rigid_state *from = &sim->rigid_detected[r], *to = &sim->rigid_wanted[r];
    dent_rigid_state *state = &sim->state.rigids[r];
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
static void place_at_fractions(dent_sim *sim)
{
    for (uint32_t v = 0; v < sim->vertex_count; v++) {
        if (sim->fractions[v] < 1) {
            for (size_t n = 3 * (size_t)v; n < 3 * (size_t)v + 3; n++) {
                double displacement = sim->wanted[n] - sim->interval_start[n];
                sim->state.positions[n] = sim->interval_start[n] + sim->fractions[v] * displacement;
            }
        }
    }
    for (uint32_t r = 0; r < sim->rigid_count; r++) {
        const struct sim_body *body = &sim->bodies[sim->rigids[r].body];
        double fraction = sim->fractions[body->first_vertex];
        if (fraction < 1) {
            place_rigid_at(sim, r, fraction);
        }
    }
    rigid_place_vertices(sim);
    embedding_place_vertices(sim);
}

/* What was stopped goes on from where it is with the velocity it really had. */
static void stop_velocities(dent_sim *sim, double duration)
{
    for (uint32_t v = 0; v < sim->vertex_count; v++) {
        if (sim->fractions[v] < 1) {
            sim->statistics.stopped_vertices++;
            for (size_t n = 3 * (size_t)v; n < 3 * (size_t)v + 3; n++) {
                sim->state.velocities[n] = (sim->state.positions[n] - sim->interval_start[n]) / duration;
            }
        }
    }
    for (uint32_t r = 0; r < sim->rigid_count; r++) {
        if (sim->fractions[sim->bodies[sim->rigids[r].body].first_vertex] < 1) {
            dent_rigid_velocity_between(&sim->rigid_detected[r], &sim->state.rigids[r], duration);
        }
    }
}

static dent_status stop_islands(dent_sim *sim, double duration)
{
    memcpy(sim->wanted, sim->state.positions, 3 * (size_t)sim->vertex_count * sizeof(double));
    if (sim->rigid_count > 0) {
        memcpy(sim->rigid_wanted, sim->state.rigids, sim->rigid_count * sizeof *sim->rigid_wanted);
    }
    for (uint32_t v = 0; v < sim->vertex_count; v++) {
        sim->fractions[v] = 1;
    }
    dent_status status = DENT_OK;
    for (uint32_t round = 0; sim->impact_count > 0 && round <= BODY_ROUNDS && status == DENT_OK; round++) {
        shorten(sim, round);
        place_at_fractions(sim);
        status = find_impacts(sim);
    }
    if (status == DENT_OK) {
        stop_velocities(sim, duration);
    }
    return status;
}

dent_status safe_motion_finish(dent_sim *sim, double duration)
{
    dent_status status = find_impacts(sim);
    uint32_t pass = 0;
    for (; pass < sim->impact_passes && status == DENT_OK && sim->impact_count > 0; pass++) {
        uint64_t begin = dent_clock_ns();
        status = push_apart(sim, duration);
        sim->times.respond += dent_clock_ns() - begin;
        if (status == DENT_OK) {
            status = find_impacts(sim);
        }
    }
    sim->statistics.impact_passes = pass > sim->statistics.impact_passes ? pass : sim->statistics.impact_passes;
    if (status == DENT_OK && sim->impact_count > 0) {
        status = stop_islands(sim, duration);
    }
    return status;
}
