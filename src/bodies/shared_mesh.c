/* One copy of equal meshes. See shared_mesh.h. */
#include "bodies/shared_mesh.h"

#include <string.h>

#include "base/hash.h"

/* ---- equal elements ---------------------------------------------------------------------------------------------- */

/* The counts and a few corners of either end: enough to tell the meshes of a world apart, for little time. */
static uint32_t slot_of(uint32_t kind, uint32_t vertices, uint32_t elements, const uint32_t *corners, uint64_t count)
{
    enum { CORNERS_HASHED = 32 };
    uint64_t hash = hash_u64(hash_u64(hash_u64(HASH_START, kind), vertices), elements);
    for (uint64_t i = 0; i < count && i < CORNERS_HASHED; i++) {
        hash = hash_u64(hash_u64(hash, corners[i]), corners[count - 1 - i]);
    }
    return (uint32_t)((hash ^ hash >> 32) % SHARED_MESHES);
}

static uint32_t slot_of_body(const struct body *body)
{
    return slot_of(body->kind, body->vertex_count, body->element_count, body->element_corners, body->corner_count);
}

static bool same_elements(const struct body *body, const dent_body_def *def, const struct mesh_counts *counts)
{
    bool same = body->kind == def->kind && body->vertex_count == def->vertex_count &&
                body->element_count == def->element_count && body->corner_count == counts->corner_count &&
                (body->cell_kinds != NULL) == counts->is_split;
    if (!same || (counts->is_split && memcmp(body->cell_kinds, def->cell_kinds, def->element_count) != 0)) {
        return false;
    }
    return counts->corner_count == 0 || memcmp(body->element_corners, def->element_corners,
                                               (size_t)counts->corner_count * sizeof *body->element_corners) == 0;
}

struct body *shared_meshes_find(const struct shared_meshes *meshes, const dent_body_def *def,
                                const struct mesh_counts *counts)
{
    uint32_t slot =
        slot_of(def->kind, def->vertex_count, def->element_count, def->element_corners, counts->corner_count);
    struct body *lender = meshes->lenders[slot];
    return lender && same_elements(lender, def, counts) ? lender : NULL;
}

void shared_meshes_note(struct shared_meshes *meshes, struct body *body)
{
    meshes->lenders[slot_of_body(body)] = body;
}

void shared_meshes_forget(struct shared_meshes *meshes, const struct body *body)
{
    struct body **lender = &meshes->lenders[slot_of_body(body)];
    *lender = *lender == body ? NULL : *lender;
}

/* ---- lending ----------------------------------------------------------------------------------------------------- */

/* Puts a body into the ring behind another. */
static void join_ring(struct body *body, struct body *other)
{
    if (!other->next_sharer) {
        other->next_sharer = other->previous_sharer = other;
    }
    body->previous_sharer = other;
    body->next_sharer = other->next_sharer;
    other->next_sharer->previous_sharer = body;
    other->next_sharer = body;
}

/* A ring of one is none. */
static void leave_ring(struct body *body)
{
    struct body *next = body->next_sharer, *previous = body->previous_sharer;
    previous->next_sharer = next != previous ? next : NULL;
    next->previous_sharer = next != previous ? previous : NULL;
    body->next_sharer = body->previous_sharer = NULL;
}

void mesh_borrow(struct body *body, struct body *lender)
{
    join_ring(body, lender);
    body->element_count = lender->element_count;
    body->element_corners = lender->element_corners;
    body->corner_count = lender->corner_count;
    body->cell_kinds = lender->cell_kinds;
    body->element_start = lender->element_start;
    body->tetrahedron_count = lender->tetrahedron_count;
    body->tetrahedra = lender->tetrahedra;
    body->cell_of_tetrahedron = lender->cell_of_tetrahedron;
    body->first_tetrahedron = lender->first_tetrahedron;
    body->neighbours = lender->neighbours;
    body->surface_face_count = lender->surface_face_count;
    body->surface_faces = lender->surface_faces;
    body->surface_face_tetrahedron = lender->surface_face_tetrahedron;
    body->edge_count = lender->edge_count;
    body->edges = lender->edges;
    body->edge_is_surface = lender->edge_is_surface;
    body->vertex_use = lender->vertex_use;
    body->vertex_component = lender->vertex_component;
    body->topology = lender->topology;
    body->first_nonmanifold_cell = lender->first_nonmanifold_cell;
}

void mesh_release(struct body *body)
{
    dent_context *context = body->context;
    if (body->next_sharer) {
        leave_ring(body);
        return;
    }
    if (!body_has_segments(body)) { /* their edges are the elements */
        dent_release(context, body->edges, body->edge_count, sizeof *body->edges);
    }
    if ((uint32_t *)body->tetrahedra != body->element_corners) {
        dent_release(context, body->tetrahedra, body->tetrahedron_count, sizeof *body->tetrahedra);
    }
    dent_release(context, body->cell_of_tetrahedron, body->tetrahedron_count, sizeof *body->cell_of_tetrahedron);
    dent_release(context, body->first_tetrahedron, (size_t)body->element_count + 1, sizeof *body->first_tetrahedron);
    dent_release(context, body->neighbours, body->tetrahedron_count, sizeof *body->neighbours);
    dent_release(context, body->element_corners, (size_t)body->corner_count, sizeof *body->element_corners);
    dent_release(context, body->cell_kinds, body->element_count, sizeof *body->cell_kinds);
    dent_release(context, body->element_start, (size_t)body->element_count + 1, sizeof *body->element_start);
    dent_release(context, body->surface_faces, body->surface_face_count, sizeof *body->surface_faces);
    dent_release(context, body->surface_face_tetrahedron, body->surface_face_count,
                 sizeof *body->surface_face_tetrahedron);
    dent_release(context, body->edge_is_surface, body->edge_count, sizeof *body->edge_is_surface);
    dent_release(context, body->vertex_use, body->vertex_count, sizeof *body->vertex_use);
    dent_release(context, body->vertex_component, body->vertex_count, sizeof *body->vertex_component);
}
