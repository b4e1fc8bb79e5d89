/* Faces sorted along a Morton curve, four to a leaf, under a complete binary tree. See haptic_mesh.h. */
#include "haptic/haptic_mesh.h"

#include "base/containers/heap_sort.h"
#include "base/containers/morton_code.h"

#include <math.h>
#include <string.h>

struct coded_face {
    uint64_t code;
    uint32_t face;
};

static bool code_before(const void *a, const void *b, const void *data)
{
    const struct coded_face *first = a, *second = b;
    (void)data;
    return first->code != second->code ? first->code < second->code : first->face < second->face;
}

static uint64_t code_of(const double *points, const uint32_t corners[3], const struct haptic_box *bounds)
{
    uint32_t place[3];
    for (int k = 0; k < 3; k++) {
        double middle =
            points[3 * corners[0] + k] / 3 + points[3 * corners[1] + k] / 3 + points[3 * corners[2] + k] / 3;
        double share = (middle - bounds->lo[k]) / (bounds->hi[k] - bounds->lo[k]);
        place[k] = share > 0 ? (uint32_t)(fmin(share, 1) * 65535) : 0; /* also a flat or endless box */
    }
    return morton_code(place);
}

static struct haptic_box empty_box(void)
{
    return (struct haptic_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static void box_add(struct haptic_box *box, const double point[3])
{
    for (int k = 0; k < 3; k++) {
        box->lo[k] = point[k] < box->lo[k] ? point[k] : box->lo[k];
        box->hi[k] = point[k] > box->hi[k] ? point[k] : box->hi[k];
    }
}

static dent_status sort_faces(struct haptic_mesh *mesh, const dent_surface_face *list)
{
    struct haptic_box bounds = empty_box();
    struct coded_face *order = dent_allocate(mesh->context, mesh->face_count, sizeof *order);
    if (!order) {
        return dent_fail(mesh->context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a haptic tool");
    }
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        for (int c = 0; c < 3; c++) {
            box_add(&bounds, mesh->points + 3 * (size_t)list[f].corners[c]);
        }
    }
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        order[f] = (struct coded_face){code_of(mesh->points, list[f].corners, &bounds), f};
    }
    heap_sort(order, mesh->face_count, sizeof *order, code_before, NULL);
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        memset(&mesh->faces[f], 0, sizeof mesh->faces[f]);
        memcpy(mesh->faces[f].corners, list[order[f].face].corners, sizeof mesh->faces[f].corners);
    }
    dent_release(mesh->context, order, mesh->face_count, sizeof *order);
    return DENT_OK;
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

static uint32_t find_edge(const struct haptic_mesh *mesh, uint32_t a, uint32_t b)
{
    uint32_t v0 = a < b ? a : b, v1 = a < b ? b : a, lo = 0, hi = mesh->edge_count;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        const uint32_t *ends = mesh->edges[middle].ends;
        if (ends[0] < v0 || (ends[0] == v0 && ends[1] < v1)) {
            lo = middle + 1;
        } else {
            hi = middle;
        }
    }
    return lo; /* every edge of a face is listed */
}

static void join_face(struct haptic_mesh *mesh, struct haptic_face *face)
{
    for (int k = 0; k < 3; k++) {
        uint32_t e = find_edge(mesh, face->corners[k], face->corners[(k + 1) % 3]);
        struct haptic_edge *edge = &mesh->edges[e];
        face->edges[k] = e;
        if (edge->opposite[0] == HAPTIC_NONE) {
            edge->opposite[0] = face->corners[(k + 2) % 3];
            face->owned_edges |= (uint8_t)(1 << k);
        } else if (edge->opposite[1] == HAPTIC_NONE) {
            edge->opposite[1] = face->corners[(k + 2) % 3];
        }
    }
}

/* first_neighbour[v] is moved to the end of v's list while it is filled, then back. */
static void list_neighbours(struct haptic_mesh *mesh)
{
    uint32_t *first = mesh->first_neighbour;
    memset(first, 0, ((size_t)mesh->vertex_count + 1) * sizeof *first);
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        first[mesh->edges[e].ends[0]]++;
        first[mesh->edges[e].ends[1]]++;
    }
    uint32_t sum = 0;
    for (uint32_t v = 0; v <= mesh->vertex_count; v++) {
        sum += first[v];
        first[v] = sum;
    }
    for (uint32_t e = 0; e < mesh->edge_count; e++) {
        const uint32_t *ends = mesh->edges[e].ends;
        mesh->neighbours[--first[ends[0]]] = ends[1];
        mesh->neighbours[--first[ends[1]]] = ends[0];
    }
}

/* first_neighbour serves as the list of vertices that have an owner, until it is filled. */
static void own_corners(struct haptic_mesh *mesh)
{
    uint32_t *owned = mesh->first_neighbour;
    memset(owned, 0, ((size_t)mesh->vertex_count + 1) * sizeof *owned);
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        for (int c = 0; c < 3; c++) {
            uint32_t v = mesh->faces[f].corners[c];
            mesh->faces[f].owned_corners |= (uint8_t)(owned[v] ? 0 : 1 << c);
            owned[v] = 1;
        }
    }
}

/* ---- life -------------------------------------------------------------------------------------------------------- */

dent_status haptic_mesh_open(struct haptic_mesh *mesh, dent_context *context, const dent_world *world, dent_body_id id,
                             uint32_t vertex_count, const double *points)
{
    uint32_t face_count, edge_count;
    const dent_surface_face *faces = dent_body_surface_faces(world, id, &face_count);
    const dent_edge *edges = dent_body_edges(world, id, &edge_count);
    memset(mesh, 0, sizeof *mesh);
    if (face_count > UINT32_MAX / 16) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: too many faces for a haptic tool",
                         dent_body_name(world, id));
    }
    mesh->context = context;
    mesh->vertex_count = vertex_count;
    mesh->face_count = face_count;
    mesh->edge_count = edge_count;
    mesh->points = points;
    mesh->leaf_count = 1;
    while (mesh->leaf_count < face_count / HAPTIC_LEAF + 1) {
        mesh->leaf_count *= 2;
    }
    mesh->faces = dent_allocate(context, face_count, sizeof *mesh->faces);
    mesh->edges = dent_allocate(context, edge_count, sizeof *mesh->edges);
    mesh->first_neighbour = dent_allocate(context, (size_t)vertex_count + 1, sizeof *mesh->first_neighbour);
    mesh->neighbours = dent_allocate(context, 2 * (size_t)edge_count, sizeof *mesh->neighbours);
    mesh->boxes = dent_allocate(context, 2 * (size_t)mesh->leaf_count, sizeof *mesh->boxes);
    if (!mesh->faces || !mesh->edges || !mesh->first_neighbour || !mesh->neighbours || !mesh->boxes) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a haptic tool");
    }
    for (uint32_t e = 0; e < edge_count; e++) {
        mesh->edges[e] = (struct haptic_edge){{edges[e].v0, edges[e].v1}, {HAPTIC_NONE, HAPTIC_NONE}};
    }
    dent_status status = sort_faces(mesh, faces);
    for (uint32_t f = 0; f < face_count && status == DENT_OK; f++) {
        join_face(mesh, &mesh->faces[f]);
    }
    if (status == DENT_OK) {
        own_corners(mesh);
        list_neighbours(mesh);
        haptic_mesh_refit(mesh);
    }
    return status;
}

void haptic_mesh_close(struct haptic_mesh *mesh)
{
    dent_context *context = mesh->context;
    if (!context) {
        return; /* never opened */
    }
    dent_release(context, mesh->faces, mesh->face_count, sizeof *mesh->faces);
    dent_release(context, mesh->edges, mesh->edge_count, sizeof *mesh->edges);
    dent_release(context, mesh->first_neighbour, (size_t)mesh->vertex_count + 1, sizeof *mesh->first_neighbour);
    dent_release(context, mesh->neighbours, 2 * (size_t)mesh->edge_count, sizeof *mesh->neighbours);
    dent_release(context, mesh->boxes, 2 * (size_t)mesh->leaf_count, sizeof *mesh->boxes);
}

void haptic_mesh_refit(struct haptic_mesh *mesh)
{
    for (uint32_t leaf = 0; leaf < mesh->leaf_count; leaf++) {
        struct haptic_box box = empty_box();
        for (uint32_t f = HAPTIC_LEAF * leaf; f < HAPTIC_LEAF * (leaf + 1) && f < mesh->face_count; f++) {
            for (int c = 0; c < 3; c++) {
                box_add(&box, mesh->points + 3 * (size_t)mesh->faces[f].corners[c]);
            }
        }
        mesh->boxes[mesh->leaf_count + leaf] = box;
    }
    for (uint32_t node = mesh->leaf_count - 1; node > 0; node--) {
        struct haptic_box box = mesh->boxes[2 * node];
        const struct haptic_box *other = &mesh->boxes[2 * node + 1];
        for (int k = 0; k < 3; k++) {
            box.lo[k] = other->lo[k] < box.lo[k] ? other->lo[k] : box.lo[k];
            box.hi[k] = other->hi[k] > box.hi[k] ? other->hi[k] : box.hi[k];
        }
        mesh->boxes[node] = box;
    }
}
