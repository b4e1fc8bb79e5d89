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
    if (body_has_cells(body)) {
        return (struct simplices){(const uint32_t *)body->tetrahedra, body->tetrahedron_count, 4, 6};
    }
    return (struct simplices){body->element_corners, body_has_faces(body) ? body->element_count : 0, 3, 3};
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

static bool copy_edges(struct body *body, const struct vertex_buckets *buckets, uint64_t edge_count)
{
    body->edges = dent_allocate(body->context, (size_t)edge_count, sizeof *body->edges);
    if (!body->edges) {
        return false;
    }
    body->edge_count = (uint32_t)edge_count;
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        for (uint64_t i = buckets->start[vertex]; i < buckets->start[(size_t)vertex + 1]; i++) {
            body->edges[i] = (dent_edge){vertex, buckets->records[i].key0};
        }
    }
    return true;
}

bool mesh_edges_list(struct body *body, bool *too_many)
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
        good = !*too_many && copy_edges(body, &buckets, edge_count);
    }
    vertex_buckets_end(&buckets);
    return good;
}

/* ---- the surface ------------------------------------------------------------------------------------------------- */

/* Every surface face puts its three edges, with the direction (1: smaller vertex to larger) and its own number. */
static void fill_buckets_with_surface(const struct body *body, struct vertex_buckets *buckets, bool put)
{
    for (uint32_t face = 0; face < body->surface_face_count; face++) {
        const uint32_t *corners = body->surface_faces[face].corners;
        for (uint32_t i = 0; i < 3; i++) {
            uint32_t from = corners[i], to = corners[(i + 1) % 3];
            dent_edge edge = edge_between(from, to);
            if (put) {
                vertex_buckets_put(buckets, edge.v0, edge.v1, from < to, face);
            } else {
                vertex_buckets_count(buckets, edge.v0);
            }
        }
    }
}

/* The faces at one edge. */
static void judge_edge(struct body *body, const struct bucket_record *records, uint64_t count)
{
    dent_body_topology *topology = &body->topology;
    uint64_t forward = 0;
    for (uint64_t i = 0; i < count; i++) {
        uint32_t cell = body->surface_faces[records[i].ref].cell;
        forward += records[i].key1;
        if (count > 2 && cell < topology->first_nonmanifold_element) {
            topology->first_nonmanifold_element = cell;
        }
    }
    topology->boundary_edges += count == 1;
    topology->nonmanifold_edges += count > 2;
    topology->surface_closed &= 2 * forward == count;
}

/* Both lists are in the same order, and every surface edge is in the list of edges: one walk along both. */
static void judge_edges(struct body *body, const struct vertex_buckets *buckets)
{
    const struct bucket_record *records = buckets->records;
    uint32_t edge = 0;
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        uint64_t end = buckets->start[(size_t)vertex + 1];
        for (uint64_t i = buckets->start[vertex], j; i < end; i = j) {
            j = i + 1;
            while (j < end && records[j].key0 == records[i].key0) {
                j++;
            }
            while (body->edges[edge].v0 != vertex || body->edges[edge].v1 != records[i].key0) {
                edge++;
            }
            body->edge_is_surface[edge] = 1;
            judge_edge(body, records + i, j - i);
        }
    }
}

bool mesh_edges_judge_surface(struct body *body)
{
    body->topology.surface_closed = true;
    body->edge_is_surface = dent_allocate(body->context, body->edge_count, sizeof *body->edge_is_surface);
    if (!body->edge_is_surface) {
        return false;
    }
    if (body->edge_count > 0) {
        memset(body->edge_is_surface, 0, body->edge_count);
    }
    struct vertex_buckets buckets;
    bool good = vertex_buckets_begin(&buckets, body->context, body->vertex_count);
    if (good) {
        fill_buckets_with_surface(body, &buckets, false);
        good = vertex_buckets_allocate(&buckets);
    }
    if (good) {
        fill_buckets_with_surface(body, &buckets, true);
        vertex_buckets_sort(&buckets);
        judge_edges(body, &buckets);
    }
    vertex_buckets_end(&buckets);
    return good;
}
