/* A dense surface carried by a coarse solid through rigid links.
 *
 * Each dense vertex is bound at creation to the nearest point of the host's surface: base = sum of weights * corners of
 * a facet, and an offset kept in the frame of that facet [e, n x e, n], e along its first edge, n its normal. Later the
 * vertex is base + frame * offset: the link keeps its length and its angle to the facet, so bone keeps its detail while
 * the tissue under it bends. A facet that has lost its area keeps its last frame.
 *
 * Contacts on the dense surface push the host: the vertices of a contact are replaced by the corners that carry their
 * bases (the turning of the link is left out, it is second order), at most four with the largest weights. */
#include "sim_state.h"

#include <math.h>
#include <string.h>

/* ---- binding ----------------------------------------------------------------------------------------------------- */

/* Closest point of a triangle by its weights (Ericson's regions); returns the squared distance. */
static double closest_on_facet(const double *p, const double *a, const double *b, const double *c, double *weights)
{
    double ab[3], ac[3], ap[3];
    sim_subtract(b, a, ab);
    sim_subtract(c, a, ac);
    sim_subtract(p, a, ap);
    double d1 = sim_dot(ab, ap), d2 = sim_dot(ac, ap);
    double aa = sim_dot(ab, ab), bb = sim_dot(ab, ac), cc = sim_dot(ac, ac);
    double determinant = aa * cc - bb * bb;
    double v = determinant > 0 ? (cc * d1 - bb * d2) / determinant : -1;
    double w = determinant > 0 ? (aa * d2 - bb * d1) / determinant : -1;
    if (v < 0 || w < 0 || v + w > 1) { /* nearest of the three edges */
        double best = INFINITY;
        const double *ends[4] = {a, b, c, a};
        for (int k = 0; k < 3; k++) {
            double edge[3], to[3], off[3];
            sim_subtract(ends[k + 1], ends[k], edge);
            sim_subtract(p, ends[k], to);
            double length = sim_dot(edge, edge), t = length > 0 ? sim_dot(edge, to) / length : 0;
            t = t < 0 ? 0 : (t > 1 ? 1 : t);
            for (int axis = 0; axis < 3; axis++) {
                off[axis] = to[axis] - t * edge[axis];
            }
            if (sim_dot(off, off) < best) {
                best = sim_dot(off, off);
                double along[3] = {0, 0, 0};
                along[k] = 1 - t;
                along[(k + 1) % 3] = t;
                memcpy(weights, along, sizeof along);
            }
        }
        return best;
    }
    weights[0] = 1 - v - w;
    weights[1] = v;
    weights[2] = w;
    double off[3];
    for (int axis = 0; axis < 3; axis++) {
        off[axis] = ap[axis] - v * ab[axis] - w * ac[axis];
    }
    return sim_dot(off, off);
}

/* False when the facet has no area or no first edge: `frame` (by rows) is left as it is. */
static bool facet_frame(const double *a, const double *b, const double *c, double *frame)
{
    double e[3], other[3], n[3], across[3];
    sim_subtract(b, a, e);
    sim_subtract(c, a, other);
    sim_cross(e, other, n);
    double edge = sqrt(sim_dot(e, e)), area = sqrt(sim_dot(n, n));
    if (!(area > 1e-12 * edge * edge) || !(edge > 0)) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        e[axis] /= edge;
        n[axis] /= area;
    }
    sim_cross(n, e, across);
    for (int axis = 0; axis < 3; axis++) {
        frame[axis] = e[axis];
        frame[3 + axis] = across[axis];
        frame[6 + axis] = n[axis];
    }
    return true;
}

/* Faces in groups of neighbours, each in a box: most groups are passed over for a dense vertex. */
enum { GROUP = 32 };

struct face_group {
    double low[3], high[3];
};

struct bind_call {
    const struct sim_model *model;
    struct sim_embedding *embedding;
    double *frames;
    const dent_surface_face *faces;
    uint32_t face_count, group_count;
    struct face_group *groups;
};

static void make_groups(const struct bind_call *call)
{
    const struct sim_body *host = &call->model->bodies[call->embedding->host];
    for (uint32_t g = 0; g < call->group_count; g++) {
        struct face_group *group = &call->groups[g];
        *group = (struct face_group){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
        for (uint32_t n = 3 * GROUP * g; n < 3 * GROUP * (g + 1) && n < 3 * call->face_count; n++) {
            const double *x = host->start + 3 * (size_t)call->faces[n / 3].corners[n % 3];
            for (int axis = 0; axis < 3; axis++) {
                group->low[axis] = x[axis] < group->low[axis] ? x[axis] : group->low[axis];
                group->high[axis] = x[axis] > group->high[axis] ? x[axis] : group->high[axis];
            }
        }
    }
}

static double squared_distance_to_group(const struct face_group *group, const double *p)
{
    double sum = 0;
    for (int axis = 0; axis < 3; axis++) {
        double below = group->low[axis] - p[axis], above = p[axis] - group->high[axis];
        double off = below > 0 ? below : (above > 0 ? above : 0);
        sum += off * off;
    }
    return sum;
}

/* The nearest face so far; of several the first, so that it does not matter where the search began. */
struct nearest_face {
    double square;
    uint32_t face;
};

/* Looks at the faces of one group. */
static void bind_to_group(const struct bind_call *call, uint32_t vertex, uint32_t group, struct nearest_face *best)
{
    const struct sim_embedding *embedding = call->embedding;
    const struct sim_body *host = &call->model->bodies[embedding->host];
    const double *p = call->model->bodies[embedding->body].start + 3 * (size_t)vertex;
    double weights[3];
    for (uint32_t f = GROUP * group; f < GROUP * (group + 1) && f < call->face_count; f++) {
        const uint32_t *corners = call->faces[f].corners;
        double square = closest_on_facet(p, host->start + 3 * (size_t)corners[0], host->start + 3 * (size_t)corners[1],
                                         host->start + 3 * (size_t)corners[2], weights);
        if (square < best->square || (square == best->square && f < best->face)) {
            *best = (struct nearest_face){square, f};
            memcpy(embedding->weights + 3 * (size_t)vertex, weights, sizeof weights);
            for (int k = 0; k < 3; k++) {
                embedding->corners[3 * (size_t)vertex + (size_t)k] = host->first_vertex + corners[k];
            }
        }
    }
}

/* `group` comes in as the one to begin with, and goes out as the one to begin with for the next vertex. */
static void bind_vertex(const struct bind_call *call, uint32_t vertex, uint32_t *group)
{
    const struct sim_model *model = call->model;
    const struct sim_embedding *embedding = call->embedding;
    const struct sim_body *host = &model->bodies[embedding->host];
    const double *p = model->bodies[embedding->body].start + 3 * (size_t)vertex;
    struct nearest_face best = {INFINITY, SIM_NONE};
    uint32_t first = *group;
    for (int k = 0; k < 3; k++) { /* where all distances overflow */
        embedding->corners[3 * (size_t)vertex + (size_t)k] = host->first_vertex + call->faces[0].corners[k];
        embedding->weights[3 * (size_t)vertex + (size_t)k] = k == 0;
    }
    bind_to_group(call, vertex, first, &best);
    for (uint32_t g = 0; g < call->group_count; g++) {
        /* A little more than nearer, for rounding. */
        if (g != first && squared_distance_to_group(&call->groups[g], p) * (1 - 1e-12) <= best.square) {
            bind_to_group(call, vertex, g, &best);
        }
    }
    *group = best.face == SIM_NONE ? 0 : best.face / GROUP;
    double frame[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, off[3];
    memcpy(off, p, sizeof off);
    const double *x[3];
    for (int k = 0; k < 3; k++) {
        x[k] = host->start + 3 * (size_t)(embedding->corners[3 * (size_t)vertex + (size_t)k] - host->first_vertex);
        sim_add_scaled(off, -embedding->weights[3 * (size_t)vertex + (size_t)k], x[k]);
    }
    facet_frame(x[0], x[1], x[2], frame);
    memcpy(call->frames + 9 * (size_t)vertex, frame, sizeof frame);
    for (int k = 0; k < 3; k++) {
        embedding->offsets[3 * (size_t)vertex + (size_t)k] = sim_dot(frame + 3 * k, off);
    }
}

static void bind_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct bind_call *call = data;
    uint32_t count = call->model->bodies[call->embedding->body].vertex_count, group = 0;
    for (uint32_t v = block * SIM_BLOCK; v < count && v < (block + 1) * SIM_BLOCK; v++) {
        bind_vertex(call, v, &group);
    }
}

dent_status embedding_build(struct sim_model *model, struct sim_state *state, const dent_world *world)
{
    uint32_t number = 0;
    size_t frames = 0;
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        if (body->kind != DENT_SIM_EMBEDDED) {
            continue;
        }
        struct sim_embedding *embedding = &model->embeddings[number++];
        size_t count = body->vertex_count;
        *embedding = (struct sim_embedding){.body = b, .host = body->host, .first_frame = frames};
        embedding->corners = sim_allocate(model, 3 * count, sizeof *embedding->corners);
        embedding->weights = sim_allocate(model, 3 * count, sizeof *embedding->weights);
        embedding->offsets = sim_allocate(model, 3 * count, sizeof *embedding->offsets);
        if (!embedding->corners || !embedding->weights || !embedding->offsets) {
            return sim_no_memory(model->context);
        }
        struct bind_call call = {.model = model, .embedding = embedding, .frames = state->frames + 9 * frames};
        frames += count;
        call.faces = dent_body_surface_faces(world, model->bodies[body->host].id, &call.face_count);
        if (call.face_count == 0) {
            return dent_fail(model->context, DENT_ERROR_BAD_MESH, "%s: its host %s has no surface to bind it to",
                             body->name, model->bodies[body->host].name);
        }
        call.group_count = (call.face_count - 1) / GROUP + 1;
        call.groups = dent_allocate(model->context, call.group_count, sizeof *call.groups);
        if (!call.groups) {
            return sim_no_memory(model->context);
        }
        make_groups(&call);
        dent_parallel_for(model->context, (body->vertex_count - 1) / SIM_BLOCK + 1, bind_block, &call);
        dent_release(model->context, call.groups, call.group_count, sizeof *call.groups);
    }
    return DENT_OK;
}

/* ---- carrying ---------------------------------------------------------------------------------------------------- */

struct place_call {
    const struct sim_model *model;
    struct sim_state *state;
    const struct sim_embedding *embedding;
};

static void place_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct place_call *call = data;
    const struct sim_embedding *embedding = call->embedding;
    const struct sim_body *body = &call->model->bodies[embedding->body];
    double *positions = call->state->positions, *frames = call->state->frames + 9 * embedding->first_frame;
    for (uint32_t v = block * SIM_BLOCK; v < body->vertex_count && v < (block + 1) * SIM_BLOCK; v++) {
        const uint32_t *corners = embedding->corners + 3 * (size_t)v;
        double *frame = frames + 9 * (size_t)v;
        const double *offset = embedding->offsets + 3 * (size_t)v;
        double position[3] = {0, 0, 0};
        facet_frame(positions + 3 * (size_t)corners[0], positions + 3 * (size_t)corners[1],
                    positions + 3 * (size_t)corners[2], frame);
        for (int k = 0; k < 3; k++) {
            sim_add_scaled(position, embedding->weights[3 * (size_t)v + (size_t)k], positions + 3 * (size_t)corners[k]);
        }
        for (int k = 0; k < 3; k++) {
            sim_add_scaled(position, offset[k], frame + 3 * k);
        }
        memcpy(positions + 3 * ((size_t)body->first_vertex + v), position, sizeof position);
    }
}

void embedding_place_vertices(const struct sim_model *model, struct sim_state *state)
{
    for (uint32_t n = 0; n < model->embedding_count; n++) {
        struct place_call call = {model, state, &model->embeddings[n]};
        uint32_t count = model->bodies[model->embeddings[n].body].vertex_count;
        dent_parallel_for(model->context, (count - 1) / SIM_BLOCK + 1, place_block, &call);
    }
}

/* ---- contacts on the dense surface ------------------------------------------------------------------------------- */

const struct sim_embedding *embedding_of(const struct sim_model *model, uint32_t body)
{
    for (uint32_t n = 0; n < model->embedding_count; n++) {
        if (model->embeddings[n].body == body) {
            return &model->embeddings[n];
        }
    }
    return NULL;
}

static void map_side(const struct sim_model *model, const struct sim_state *state, uint32_t *body, uint32_t vertices[4],
                     double weights[4], double point[3])
{
    const struct sim_embedding *embedding = embedding_of(model, *body);
    if (!embedding) {
        return;
    }
    uint32_t found[12];
    double shares[12];
    int count = 0;
    for (int k = 0; k < 4; k++) {
        for (int c = 0; c < 3 && vertices[k] != SIM_NONE; c++) {
            size_t n = 3 * (size_t)vertices[k] + (size_t)c;
            int at = 0;
            while (at < count && found[at] != embedding->corners[n]) {
                at++;
            }
            if (at == count) {
                found[count] = embedding->corners[n];
                shares[count++] = 0;
            }
            shares[at] += weights[k] * embedding->weights[n];
        }
    }
    double total = 0;
    uint32_t first = model->bodies[embedding->host].first_vertex;
    point[0] = point[1] = point[2] = 0;
    for (int k = 0; k < 4; k++) { /* the four largest, in turn */
        int best = -1;
        for (int at = 0; at < count; at++) {
            best = shares[at] > 0 && (best < 0 || shares[at] > shares[best]) ? at : best;
        }
        vertices[k] = best < 0 ? SIM_NONE : found[best] - first;
        weights[k] = best < 0 ? 0 : shares[best];
        total += weights[k];
        if (best >= 0) {
            shares[best] = 0;
        }
    }
    for (int k = 0; k < 4; k++) {
        weights[k] /= total;
        if (vertices[k] != SIM_NONE) {
            sim_add_scaled(point, weights[k], state->positions + 3 * ((size_t)first + vertices[k]));
        }
    }
    *body = embedding->host;
}

void embedding_map_contact(const struct sim_model *model, const struct sim_state *state, dent_contact *contact)
{
    if (model->embedding_count > 0) {
        map_side(model, state, &contact->body_a, contact->vertices_a, contact->weights_a, contact->point_a);
        map_side(model, state, &contact->body_b, contact->vertices_b, contact->weights_b, contact->point_b);
    }
}
