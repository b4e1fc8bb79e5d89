/* Edges: all of them, once and in order; and what the surface faces do at theirs.
 *
 * Every tetrahedron or triangle puts its edges into the bucket of the smaller vertex; sorted and made unique the
 * buckets are the edge list, by (v0, v1). The surface is then judged edge by edge: one face is a boundary, more than
 * two are non-manifold, and a surface is closed and consistently oriented when at every edge as many faces run one way
 * as the other.
 */
#include "bodies/mesh_topology.h"
#include "bodies/vertex_buckets.h"

#include <string.h>

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static const uint8_t simplex_edges[6][2] = {{0, 1}, {0, 2}, {1, 2}, {0, 3}, {1, 3}, {2, 3}};

/* The simplices that have the edges: tetrahedra of a solid, triangles of a surface. The first three edges are those of
 * a triangle. */
struct simplices {
    const uint32_t *corners;
    uint32_t count, corner_count, edge_count;
};

static struct simplices simplices_of(const struct body *body)
{
    if (body->kind == DENT_BODY_SOLID) {
        return (struct simplices){(const uint32_t *)body->tetrahedra, body->tetrahedron_count, 4, 6};
    }
    return (struct simplices){body->element_corners, body->element_count, 3, 3};
}

static dent_edge edge_between(uint32_t a, uint32_t b)
{
    return a < b ? (dent_edge){a, b} : (dent_edge){b, a};
}

static void fill_buckets(const struct simplices *simplices, struct vertex_buckets *buckets, bool put)
{
    for (uint32_t i = 0; i < simplices->count; i++) {
        const uint32_t *corners = simplices->corners + (size_t)i * simplices->corner_count;
        for (uint32_t j = 0; j < simplices->edge_count; j++) {
            dent_edge edge = edge_between(corners[simplex_edges[j][0]], corners[simplex_edges[j][1]]);
            if (put) {
                vertex_buckets_put(buckets, edge.v0, edge.v1, 0, 0);
            } else {
                vertex_buckets_count(buckets, edge.v0);
            }
        }
    }
}

/* Drops repeated records; start then bounds the distinct ones. */
static uint64_t make_unique(struct vertex_buckets *buckets)
{
    uint64_t kept = 0, begin = 0;
    for (size_t vertex = 0; vertex < buckets->vertex_count; vertex++) {
        uint64_t end = buckets->start[vertex + 1], bucket_start = kept;
        for (uint64_t i = begin; i < end; i++) {
            if (kept == bucket_start || buckets->records[kept - 1].key0 != buckets->records[i].key0) {
                buckets->records[kept++] = buckets->records[i];
            }
        }
        buckets->start[vertex] = bucket_start;
        begin = end;
    }
    buckets->start[buckets->vertex_count] = kept;
    return kept;
}

static bool copy_edges(struct body *body, const struct vertex_buckets *buckets, uint64_t edge_count,
                       uint64_t **edge_start)
{
    body->edges = dent_allocate(body->context, (size_t)edge_count, sizeof *body->edges);
    *edge_start = dent_allocate(body->context, (size_t)body->vertex_count + 1, sizeof **edge_start);
    body->edge_count = (uint32_t)edge_count;
    if (!body->edges || !*edge_start) {
        return false;
    }
    memcpy(*edge_start, buckets->start, ((size_t)body->vertex_count + 1) * sizeof **edge_start);
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        for (uint64_t i = (*edge_start)[vertex]; i < (*edge_start)[(size_t)vertex + 1]; i++) {
            body->edges[i] = (dent_edge){vertex, buckets->records[i].key0};
        }
    }
    return true;
}

bool mesh_edges_list(struct body *body, uint64_t **edge_start, bool *too_many)
{
    struct vertex_buckets buckets;
    struct simplices simplices = simplices_of(body);
    bool good = vertex_buckets_begin(&buckets, body->context, body->vertex_count);
    if (good) {
        fill_buckets(&simplices, &buckets, false);
        good = vertex_buckets_allocate(&buckets);
    }
    if (good) {
        fill_buckets(&simplices, &buckets, true);
        vertex_buckets_sort(&buckets);
        uint64_t edge_count = make_unique(&buckets);
        *too_many = edge_count > UINT32_MAX - 1;
        good = !*too_many && copy_edges(body, &buckets, edge_count, edge_start);
    }
    vertex_buckets_end(&buckets);
    return good;
}

/* ---- the surface ------------------------------------------------------------------------------------------------- */

/* How many surface faces run along an edge from v0 to v1, and back. */
struct edge_uses {
    uint32_t forward, backward;
};

static uint32_t find_edge(const struct body *body, const uint64_t *edge_start, dent_edge edge)
{
    uint64_t low = edge_start[edge.v0], high = edge_start[(size_t)edge.v0 + 1];
    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (body->edges[middle].v1 <= edge.v1) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return (uint32_t)low;
}

static void count_uses(struct body *body, const uint64_t *edge_start, struct edge_uses *uses)
{
    for (uint32_t face = 0; face < body->surface_face_count; face++) {
        const uint32_t *corners = body->surface_faces[face].corners;
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t from = corners[i], to = corners[(i + 1) % 3];
            uint32_t edge = find_edge(body, edge_start, edge_between(from, to));
            body->edge_is_surface[edge] = 1;
            if (from < to) {
                uses[edge].forward++;
            } else {
                uses[edge].backward++;
            }
        }
    }
}

static uint64_t total_uses(const struct edge_uses *uses)
{
    return (uint64_t)uses->forward + uses->backward;
}

static void find_first_nonmanifold_element(struct body *body, const uint64_t *edge_start, const struct edge_uses *uses)
{
    for (uint32_t face = 0; face < body->surface_face_count; face++) {
        const dent_surface_face *surface_face = &body->surface_faces[face];
        if (surface_face->cell >= body->topology.first_nonmanifold_element) {
            return; /* faces are ordered by cell: no better one follows */
        }
        for (uint32_t i = 0; i < 3; i++) {
            dent_edge edge = edge_between(surface_face->corners[i], surface_face->corners[(i + 1) % 3]);
            if (total_uses(&uses[find_edge(body, edge_start, edge)]) > 2) {
                body->topology.first_nonmanifold_element = surface_face->cell;
                return;
            }
        }
    }
}

bool mesh_edges_judge_surface(struct body *body, const uint64_t *edge_start)
{
    body->edge_is_surface = dent_allocate(body->context, body->edge_count, sizeof *body->edge_is_surface);
    struct edge_uses *uses = dent_allocate(body->context, body->edge_count, sizeof *uses);
    if (!body->edge_is_surface || !uses) {
        dent_release(body->context, uses, body->edge_count, sizeof *uses);
        return false;
    }
    if (body->edge_count > 0) {
        memset(body->edge_is_surface, 0, body->edge_count);
        memset(uses, 0, (size_t)body->edge_count * sizeof *uses);
    }
    count_uses(body, edge_start, uses);
    dent_body_topology *topology = &body->topology;
    topology->surface_closed = true;
    for (uint32_t edge = 0; edge < body->edge_count; edge++) {
        topology->boundary_edges += total_uses(&uses[edge]) == 1;
        topology->nonmanifold_edges += total_uses(&uses[edge]) > 2;
        topology->surface_closed &= uses[edge].forward == uses[edge].backward;
    }
    if (topology->nonmanifold_edges > 0) {
        find_first_nonmanifold_element(body, edge_start, uses);
    }
    dent_release(body->context, uses, body->edge_count, sizeof *uses);
    return true;
}
