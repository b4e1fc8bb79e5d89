/* Borders through edges inside a, when only its surface vertices are asked about.
 *
 * The vertices of a table top under a small box leave the box sideways over their surface edges, but downwards over
 * those that lead into the table: the shorter way, and the one that counts. The border lists the cuts of such edges
 * only when cells are searched for; here the few edges of the points found are compared with the faces of b near them,
 * with the same exact signs. In: points. Out: terms.
 */
#include "contact/depth/contact_run.h"

#include "base/context.h"
#include "geometry/metric/edge_share.h"
#include "geometry/numbers/bounds.h"
#include "structures/surface/surface_probe.h"

enum { POINTS_PER_BLOCK = 64, EDGES_AT_ONCE = 64 };

/* One edge of the point: how often it leaves b less how often it enters, and its hits nearest to either end. */
struct inner_edge {
    uint32_t other;
    int balance;
    uint32_t hits, first_face, last_face;
    double first_share, last_share;
};

struct edge_probe {
    const struct contact_run *run;
    const struct depth_point *point;
    predicate_counters counters;
    uint32_t count;
    struct inner_edge edges[EDGES_AT_ONCE];
};

static struct numbered_point moved(const struct contact_run *run, uint32_t body, uint32_t vertex)
{
    return (struct numbered_point){run->snapshot->bodies[body].xyz[vertex], run->first_number[body] + vertex};
}

static bool apart(const double *p, const double *q, const double *const face[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double lo = p[axis] < q[axis] ? p[axis] : q[axis], hi = p[axis] < q[axis] ? q[axis] : p[axis];
        if ((face[0][axis] < lo && face[1][axis] < lo && face[2][axis] < lo) ||
            (face[0][axis] > hi && face[1][axis] > hi && face[2][axis] > hi)) {
            return true;
        }
    }
    return false;
}

static void pierce(struct edge_probe *probe, struct inner_edge *edge, uint32_t face, const struct numbered_point f[3],
                   int from, int side)
{
    const struct contact_run *run = probe->run;
    struct numbered_point s = moved(run, probe->point->body_a, probe->point->vertex);
    struct numbered_point t = moved(run, probe->point->body_a, edge->other);
    const double *corners[3] = {f[0].xyz, f[1].xyz, f[2].xyz};
    bool zero;
    if (t.number == f[0].number || t.number == f[1].number || t.number == f[2].number ||
        from * perturbed_orientation(f[0], f[1], f[2], t, &zero, &probe->counters) >= 0 ||
        !perturbed_line_pierces(s, t, f, &zero, &probe->counters)) {
        return;
    }
    double share = edge_share(s.xyz, t.xyz, corners);
    edge->balance += from * side < 0 ? 1 : -1;
    if (edge->hits == 0 || share < edge->first_share || (share == edge->first_share && face < edge->first_face)) {
        edge->first_share = share;
        edge->first_face = face;
    }
    if (edge->hits == 0 || share > edge->last_share || (share == edge->last_share && face > edge->last_face)) {
        edge->last_share = share;
        edge->last_face = face;
    }
    edge->hits++;
}

static void take_face(void *user, uint32_t face)
{
    struct edge_probe *probe = user;
    const struct contact_run *run = probe->run;
    uint32_t b = probe->point->body_b;
    const uint32_t *v = run->snapshot->bodies[b].body->surface_faces[face].corners;
    struct numbered_point f[3] = {moved(run, b, v[0]), moved(run, b, v[1]), moved(run, b, v[2])};
    struct numbered_point s = moved(run, probe->point->body_a, probe->point->vertex);
    const double *corners[3] = {f[0].xyz, f[1].xyz, f[2].xyz};
    bool known = false, zero;
    int from = 0, side = 0; /* of the point and of the face: only when needed */
    for (uint32_t i = 0; i < probe->count && (!known || from != 0); i++) {
        if (apart(s.xyz, run->snapshot->bodies[probe->point->body_a].xyz[probe->edges[i].other], corners)) {
            continue;
        }
        if (!known) {
            known = true;
            from = perturbed_orientation(f[0], f[1], f[2], s, &zero, &probe->counters);
            side = from != 0 ? contact_face_side(run, b, face) : 0;
        }
        if (from != 0) {
            pierce(probe, &probe->edges[i], face, f, from, side);
        }
    }
}

/* As in depth_points.c: an end outside takes the hit nearest to it; both inside, the first one if it leads out. */
static void append_terms(const struct edge_probe *probe, uint32_t block)
{
    const struct contact_run *run = probe->run;
    struct depth_term term = {.point = (uint32_t)(probe->point - (const struct depth_point *)run->state->points.data)};
    for (uint32_t i = 0; i < probe->count; i++) {
        const struct inner_edge *edge = &probe->edges[i];
        bool leads_out =
            edge->hits > 0 && !contact_vertex_is_outside_face(run, probe->point->body_a, probe->point->vertex,
                                                              probe->point->body_b, edge->first_face);
        if (edge->balance > 0 || (edge->balance == 0 && leads_out)) {
            term.other = edge->other;
            term.face = edge->balance > 0 ? edge->last_face : edge->first_face;
            block_output_append(&run->state->term_blocks, block, &term, 1);
        }
    }
}

static void probe_point(struct edge_probe *probe, uint32_t block, dent_isa isa)
{
    const struct contact_run *run = probe->run;
    const struct depth_point *point = probe->point;
    const struct body_snapshot *a = &run->snapshot->bodies[point->body_a];
    const struct contact_mesh *mesh = &run->state->meshes[point->body_a];
    uint32_t next = mesh->first[point->vertex], end = mesh->first[point->vertex + 1];
    while (next < end) {
        double lo[3], hi[3];
        memcpy(lo, a->xyz[point->vertex], sizeof lo);
        memcpy(hi, a->xyz[point->vertex], sizeof hi);
        for (probe->count = 0; next < end && probe->count < EDGES_AT_ONCE; next++) {
            if (!a->body->edge_is_surface[mesh->neighbours[next].edge]) {
                probe->edges[probe->count++] = (struct inner_edge){.other = mesh->neighbours[next].vertex};
                bounds_add_point(lo, hi, a->xyz[mesh->neighbours[next].vertex]);
            }
        }
        if (probe->count > 0) {
            surface_probe_box(&run->world->forest, isa, point->body_b, lo, hi, take_face, probe);
            append_terms(probe, block);
        }
    }
}

static void probe_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    struct contact_run *run = data;
    const struct depth_point *points = run->state->points.data;
    dent_isa isa = dent_context_isa(run->state->context);
    size_t begin = (size_t)block * POINTS_PER_BLOCK, count = run->state->points.count;
    size_t end = count - begin < POINTS_PER_BLOCK ? count : begin + POINTS_PER_BLOCK;
    struct edge_probe probe = {.run = run};
    if (cancel_requested(run->cancel)) {
        return;
    }
    for (size_t i = begin; i < end; i++) {
        probe.point = &points[i];
        if (points[i].round != ROUND_NEVER && body_has_cells(run->snapshot->bodies[points[i].body_a].body)) {
            probe_point(&probe, block, isa);
        }
    }
}

bool depth_add_inner_edges(struct contact_run *run)
{
    struct contact_state *state = run->state;
    if (!run->def->surface_only || state->points.count == 0) {
        return true;
    }
    uint32_t blocks = (uint32_t)(state->points.count / POINTS_PER_BLOCK + 1);
    size_t first = state->terms.count;
    if (!block_output_begin(&state->term_blocks, blocks)) {
        return false;
    }
    dent_parallel_for(state->context, blocks, probe_block, run);
    if (!block_output_merge(&state->term_blocks, &state->terms)) {
        return false;
    }
    const struct depth_term *terms = state->terms.data;
    struct depth_point *points = state->points.data;
    for (size_t i = first; i < state->terms.count; i++) {
        points[terms[i].point].term_count++;
        run->counters.border_edges++;
    }
    return true;
}
