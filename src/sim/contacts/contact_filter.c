/* Which of the pairs within reach are contacts a solver should see.
 *
 * A distance has no sign: features that have passed one another (the vertex is inside, both edges lie behind the
 * other's surface) would be pushed the wrong way; they are left to the penetration depth, which finds them too.
 *
 * And a distance to a face need not be one to the surface: a vertex that slides along a flat floor is near the borders
 * of all faces around the one below it, in slanting directions, and each of them would stop it like a kerb. So the
 * closest point must be closest among its neighbours: it must not come nearer when it moves into a face at its edge or
 * vertex. The same is asked of the other side, unless the closest point lies inside a face, whose normal is then right
 * for any vertex over it. */
#include "sim_contacts.h"

#include <math.h>
#include <string.h>

/* By how much a neighbour may lean towards the other side: a sine, above what a bent flat surface shows. */
#define LEAN 0.02

dent_status contact_filter_build(struct sim_model *model, const dent_world *world)
{
    model->corner_starts = sim_allocate(model, (size_t)model->vertex_count + 1, sizeof *model->corner_starts);
    uint64_t total = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        uint32_t count;
        dent_body_surface_faces(world, model->bodies[b].id, &count);
        total += count;
    }
    if (total > UINT32_MAX / 3) {
        return dent_fail(model->context, DENT_ERROR_TOO_LARGE, "more surface faces than 32-bit numbers can count");
    }
    model->corner_faces = sim_allocate(model, 3 * (size_t)total, sizeof *model->corner_faces);
    if (!model->corner_starts || !model->corner_faces) {
        return sim_no_memory(model->context);
    }
    for (int fill = 0; fill < 2; fill++) {
        for (uint32_t b = 0; b < model->body_count; b++) {
            uint32_t count;
            const dent_surface_face *faces = dent_body_surface_faces(world, model->bodies[b].id, &count);
            for (uint32_t n = 0; n < 3 * count; n++) {
                uint32_t v = model->bodies[b].first_vertex + faces[n / 3].corners[n % 3];
                if (fill) {
                    model->corner_faces[model->corner_starts[v]++] = n / 3;
                } else {
                    model->corner_starts[v + 1]++;
                }
            }
        }
        for (uint32_t v = 0; v < model->vertex_count && !fill; v++) {
            model->corner_starts[v + 1] += model->corner_starts[v];
        }
    }
    for (uint32_t v = model->vertex_count; v > 0; v--) {
        model->corner_starts[v] = model->corner_starts[v - 1];
    }
    model->corner_starts[0] = 0;
    return DENT_OK;
}

/* ---- passed ------------------------------------------------------------------------------------------------------ */

static bool has_corner(const dent_surface_face *face, uint32_t vertex)
{
    return face->corners[0] == vertex || face->corners[1] == vertex || face->corners[2] == vertex;
}

/* +1: the direction points out of the body at this edge, -1: into it, 0: the body has no inside. */
static int edge_side(const struct sim_model *model, const struct sim_state *state, const dent_world *world,
                     uint32_t body_number, const uint32_t *edge, const double *direction)
{
    const struct sim_body *body = &model->bodies[body_number];
    if (!body->oriented) {
        return 0;
    }
    uint32_t count;
    const dent_surface_face *faces = dent_body_surface_faces(world, body->id, &count);
    const double *x = state->positions + 3 * (size_t)body->first_vertex;
    uint32_t v = body->first_vertex + edge[0];
    double sum[3] = {0, 0, 0};
    for (uint32_t n = model->corner_starts[v]; n < model->corner_starts[v + 1]; n++) {
        const dent_surface_face *face = &faces[model->corner_faces[n]];
        double e1[3], e2[3], normal[3];
        if (!has_corner(face, edge[1])) {
            continue;
        }
        sim_subtract(x + 3 * (size_t)face->corners[1], x + 3 * (size_t)face->corners[0], e1);
        sim_subtract(x + 3 * (size_t)face->corners[2], x + 3 * (size_t)face->corners[0], e2);
        sim_cross(e1, e2, normal);
        double length = sqrt(sim_dot(normal, normal));
        sim_add_scaled(sum, length > 0 ? 1 / length : 0, normal);
    }
    double along = sim_dot(sum, direction);
    return (body->mirrored ? -along : along) >= 0 ? 1 : -1;
}

static bool has_passed(const struct sim_model *model, const struct sim_state *state,
                       const struct contact_search *search, const dent_contact *contact)
{
    for (int k = 0; k < 4; k++) {
        uint32_t a = contact->vertices_a[k], b = contact->vertices_b[k];
        if ((a != SIM_NONE && contact->weights_a[k] > 0 &&
             search->inside_marks[model->bodies[contact->body_a].first_vertex + a] == contact->body_b + 1) ||
            (b != SIM_NONE && contact->weights_b[k] > 0 &&
             search->inside_marks[model->bodies[contact->body_b].first_vertex + b] == contact->body_a + 1)) {
            return true;
        }
    }
    if (contact->kind != DENT_CONTACT_EDGE_EDGE) {
        return false;
    }
    double back[3] = {-contact->normal[0], -contact->normal[1], -contact->normal[2]};
    return edge_side(model, state, search->world, contact->body_b, contact->vertices_b, contact->normal) < 0 &&
           edge_side(model, state, search->world, contact->body_a, contact->vertices_a, back) < 0;
}

/* ---- closest among neighbours ------------------------------------------------------------------------------------ */

/* `away` points from this side's closest point away from the other side. Only vertices with weight carry the point. */
static bool is_closest(const struct sim_model *model, const struct sim_state *state, const dent_world *world,
                       uint32_t body_number, const uint32_t *vertices, const double *weights, const double *point,
                       const double *away)
{
    const struct sim_body *body = &model->bodies[body_number];
    uint32_t carriers[3], carrier_count = 0, count;
    for (int k = 0; k < 3; k++) {
        if (vertices[k] != SIM_NONE && weights[k] > 0) {
            carriers[carrier_count++] = vertices[k];
        }
    }
    if (carrier_count == 0 || carrier_count == 3) {
        return true;
    }
    const dent_surface_face *faces = dent_body_surface_faces(world, body->id, &count);
    const double *x = state->positions + 3 * (size_t)body->first_vertex;
    uint32_t v = body->first_vertex + carriers[0];
    for (uint32_t n = model->corner_starts[v]; n < model->corner_starts[v + 1]; n++) {
        const dent_surface_face *face = &faces[model->corner_faces[n]];
        if (carrier_count == 2 && !has_corner(face, carriers[1])) {
            continue;
        }
        for (int k = 0; k < 3; k++) {
            uint32_t other = face->corners[k];
            double displacement[3];
            if (other == carriers[0] || (carrier_count == 2 && other == carriers[1])) {
                continue;
            }
            sim_subtract(x + 3 * (size_t)other, point, displacement);
            if (sim_dot(displacement, away) < -LEAN * sqrt(sim_dot(displacement, displacement))) {
                return false;
            }
        }
    }
    return true;
}

/* ---- slanting normals -------------------------------------------------------------------------------------------- */

/* The unit normal of the face at one of the carriers of a point that is nearest to `direction`, either way round; its
 * cosine with it. */
static double nearest_face_normal(const struct sim_model *model, const struct sim_state *state, const dent_world *world,
                                  uint32_t body_number, const uint32_t *vertices, const double *weights,
                                  const double *direction, double nearest[3])
{
    const struct sim_body *body = &model->bodies[body_number];
    uint32_t count;
    const dent_surface_face *faces = dent_body_surface_faces(world, body->id, &count);
    const double *x = state->positions + 3 * (size_t)body->first_vertex;
    double best = 0;
    for (int k = 0; k < 3; k++) {
        if (vertices[k] == SIM_NONE || !(weights[k] > 0)) {
            continue;
        }
        uint32_t v = body->first_vertex + vertices[k];
        for (uint32_t n = model->corner_starts[v]; n < model->corner_starts[v + 1]; n++) {
            const uint32_t *corners = faces[model->corner_faces[n]].corners;
            double e1[3], e2[3], normal[3];
            sim_subtract(x + 3 * (size_t)corners[1], x + 3 * (size_t)corners[0], e1);
            sim_subtract(x + 3 * (size_t)corners[2], x + 3 * (size_t)corners[0], e2);
            sim_cross(e1, e2, normal);
            double length = sqrt(sim_dot(normal, normal)), along = sim_dot(normal, direction);
            if (length > 0 && fabs(along) > best * length) {
                best = fabs(along) / length;
                for (int i = 0; i < 3; i++) {
                    nearest[i] = along < 0 ? -normal[i] / length : normal[i] / length;
                }
            }
        }
    }
    return best;
}

static bool bends(const struct sim_body *body)
{
    return sim_is_elastic(body->kind);
}

void contact_straighten(const struct sim_model *model, const struct sim_state *state,
                        const struct contact_search *search, dent_contact *contact)
{
    double a[3], b[3];
    const double enough = 1 - 2 * LEAN * LEAN;
    if (contact->source != DENT_CONTACT_SOURCE_GAP) {
        return;
    }
    double cosine_a = nearest_face_normal(model, state, search->world, contact->body_a, contact->vertices_a,
                                          contact->weights_a, contact->normal, a);
    double cosine_b = nearest_face_normal(model, state, search->world, contact->body_b, contact->vertices_b,
                                          contact->weights_b, contact->normal, b);
    /* Faces of what bends lean by turns themselves: only those of the other body count. */
    cosine_a = bends(&model->bodies[contact->body_a]) ? 0 : cosine_a;
    cosine_b = bends(&model->bodies[contact->body_b]) ? 0 : cosine_b;
    if (cosine_b >= cosine_a && cosine_b >= enough) {
        memcpy(contact->normal, b, sizeof b);
    } else if (cosine_a >= enough) {
        memcpy(contact->normal, a, sizeof a);
    }
}

bool bodies_are_joined(const struct sim_model *model, uint32_t body_a, uint32_t body_b)
{
    uint32_t a = model->bodies[body_a].rigid, b = model->bodies[body_b].rigid;
    for (uint32_t n = 0; n < model->joint_count && (a != SIM_NONE || b != SIM_NONE); n++) {
        const struct sim_joint *joint = &model->joints[n];
        bool held = joint->frame != SIM_NONE, first = a != SIM_NONE && joint->rigid[0] == a,
             second = b != SIM_NONE && joint->rigid[0] == b;
        bool same = (first && (held ? joint->frame == body_b : b != SIM_NONE && joint->rigid[1] == b)) ||
                    (second && (held ? joint->frame == body_a : a != SIM_NONE && joint->rigid[1] == a));
        if (same && !joint->collide) {
            return true;
        }
    }
    return false;
}

/* What a body carries of a strand is in no contact with it: it lies on its surface or below. */
static bool is_rooted(const struct sim_model *model, uint32_t body, const uint32_t vertices[4], uint32_t other)
{
    for (int k = 0; k < 4; k++) {
        if (vertices[k] != SIM_NONE && model->root_bodies[model->bodies[body].first_vertex + vertices[k]] != other) {
            return false;
        }
    }
    return true;
}

bool contact_counts(const struct sim_model *model, const struct sim_state *state, const struct contact_search *search,
                    const dent_contact *contact)
{
    if (bodies_are_joined(model, contact->body_a, contact->body_b)) {
        return false;
    }
    /* A strand leaves its carrier where its root lies, on the surface: no cut tells inside from outside along it. */
    if (model->root_bodies && contact->kind == DENT_CONTACT_VERTEX_CELL &&
        model->strand_carriers[model->bodies[contact->body_a].first_vertex + contact->feature_a] == contact->body_b) {
        return false;
    }
    if (model->root_bodies && (is_rooted(model, contact->body_a, contact->vertices_a, contact->body_b) ||
                               is_rooted(model, contact->body_b, contact->vertices_b, contact->body_a))) {
        return false;
    }
    if (contact->source != DENT_CONTACT_SOURCE_GAP) {
        return true;
    }
    const double *n = contact->normal, *weights = contact->weights_b;
    double back[3] = {-n[0], -n[1], -n[2]};
    if (has_passed(model, state, search, contact)) {
        return false;
    }
    if (contact->kind == DENT_CONTACT_VERTEX_FACE && weights[0] > 0 && weights[1] > 0 && weights[2] > 0) {
        return true;
    }
    return is_closest(model, state, search->world, contact->body_b, contact->vertices_b, weights, contact->point_b,
                      back) &&
           is_closest(model, state, search->world, contact->body_a, contact->vertices_a, contact->weights_a,
                      contact->point_a, n);
}
