/* Faces of tetrahedra: who shares them, and which have one cell only.
 *
 * Every tetrahedron puts its four faces, as sorted vertex triples, into the bucket of the smallest vertex; after the
 * small sorts equal faces lie next to each other. One: a surface face. Two: neighbours. More: non-manifold, neighbours
 * of nobody. Inner faces of split cells are shared by two parts of the cell and drop out by the same rule.
 *
 * In: tetrahedra. Out: neighbours, and the surface faces by (cell, corner) or (cell, face, part), turned outward.
 */
#include "bodies/cell_split.h"
#include "bodies/mesh_topology.h"
#include "bodies/vertex_buckets.h"

#include <string.h>

static void swap_if_larger(uint32_t *a, uint32_t *b)
{
    if (*a > *b) {
        uint32_t larger = *a;
        *a = *b;
        *b = larger;
    }
}

static void sorted_face_of(const struct body *body, uint32_t tetrahedron, uint32_t corner, uint32_t vertices[3])
{
    mesh_face_of(body->tetrahedra[tetrahedron], corner, vertices);
    swap_if_larger(&vertices[0], &vertices[1]);
    swap_if_larger(&vertices[1], &vertices[2]);
    swap_if_larger(&vertices[0], &vertices[1]);
}

/* ---- neighbours -------------------------------------------------------------------------------------------------- */

static void note_face_group(struct body *body, const struct bucket_record *records, uint64_t count,
                            uint32_t *first_nonmanifold_cell)
{
    if (count == 2) {
        uint32_t a = records[0].ref, b = records[1].ref;
        body->neighbours[a / 4][a % 4] = b / 4;
        body->neighbours[b / 4][b % 4] = a / 4;
        return;
    }
    for (uint64_t i = 0; i < count; i++) {
        uint32_t tetrahedron = records[i].ref / 4;
        body->neighbours[tetrahedron][records[i].ref % 4] = count == 1 ? NEIGHBOUR_NONE : NEIGHBOUR_NONMANIFOLD;
        if (count > 2 && mesh_cell_of(body, tetrahedron) < *first_nonmanifold_cell) {
            *first_nonmanifold_cell = mesh_cell_of(body, tetrahedron);
        }
    }
    body->topology.nonmanifold_faces += count > 2;
}

static void match_faces(struct body *body, const struct vertex_buckets *buckets, uint32_t *first_nonmanifold_cell)
{
    const struct bucket_record *records = buckets->records;
    for (size_t vertex = 0; vertex < buckets->vertex_count; vertex++) {
        uint64_t end = buckets->start[vertex + 1];
        for (uint64_t i = buckets->start[vertex], j; i < end; i = j) {
            j = i + 1;
            while (j < end && records[j].key0 == records[i].key0 && records[j].key1 == records[i].key1) {
                j++;
            }
            note_face_group(body, records + i, j - i, first_nonmanifold_cell);
        }
    }
}

bool mesh_faces_find_neighbours(struct body *body, uint32_t *first_nonmanifold_cell)
{
    if (!body_has_cells(body)) {
        return true;
    }
    struct vertex_buckets buckets;
    uint32_t face[3];
    bool good = vertex_buckets_begin(&buckets, body->context, body->vertex_count);
    for (uint32_t tetrahedron = 0; good && tetrahedron < body->tetrahedron_count; tetrahedron++) {
        for (uint32_t corner = 0; corner < 4; corner++) {
            sorted_face_of(body, tetrahedron, corner, face);
            vertex_buckets_count(&buckets, face[0]);
        }
    }
    good = good && vertex_buckets_allocate(&buckets);
    for (uint32_t tetrahedron = 0; good && tetrahedron < body->tetrahedron_count; tetrahedron++) {
        for (uint32_t corner = 0; corner < 4; corner++) {
            sorted_face_of(body, tetrahedron, corner, face);
            vertex_buckets_put(&buckets, face[0], face[1], face[2], tetrahedron * 4 + corner);
        }
    }
    if (good) {
        body->neighbours = dent_allocate(body->context, body->tetrahedron_count, sizeof *body->neighbours);
        good = body->neighbours != NULL;
    }
    if (good) {
        vertex_buckets_sort(&buckets);
        match_faces(body, &buckets, first_nonmanifold_cell);
        body->topology.first_nonmanifold_element = *first_nonmanifold_cell;
    }
    vertex_buckets_end(&buckets);
    return good;
}

/* ---- surface faces ----------------------------------------------------------------------------------------------- */

static bool face_before(const dent_surface_face *a, const dent_surface_face *b)
{
    return a->corner < b->corner || (a->corner == b->corner && a->part < b->part);
}

/* Adds the surface faces of one tetrahedron at their slot among those of its cell, which begin at `begin`. */
static uint32_t add_faces_of(struct body *body, uint32_t tetrahedron, uint32_t begin, uint32_t end)
{
    for (uint8_t corner = 0; corner < 4; corner++) {
        if (body->neighbours[tetrahedron][corner] != NEIGHBOUR_NONE) {
            continue;
        }
        dent_surface_face face = {.cell = mesh_cell_of(body, tetrahedron), .corner = corner};
        mesh_face_of(body->tetrahedra[tetrahedron], corner, face.corners);
        if (body->cell_kinds && body->cell_kinds[face.cell] != DENT_CELL_TETRAHEDRON) {
            face.is_split = 1;
            cell_name_face(body->cell_kinds[face.cell], body->element_corners + body->element_start[face.cell],
                           face.corners, &face.corner, &face.part);
        }
        uint32_t slot = end++;
        while (slot > begin && face_before(&face, &body->surface_faces[slot - 1])) {
            body->surface_faces[slot] = body->surface_faces[slot - 1];
            body->surface_face_tetrahedron[slot] = body->surface_face_tetrahedron[slot - 1];
            slot--;
        }
        body->surface_faces[slot] = face;
        body->surface_face_tetrahedron[slot] = tetrahedron;
    }
    return end;
}

static void list_faces_of_solid(struct body *body)
{
    uint32_t end = 0;
    for (uint32_t cell = 0; cell < body_cell_count(body); cell++) {
        uint32_t first = body->first_tetrahedron ? body->first_tetrahedron[cell] : cell;
        uint32_t last = body->first_tetrahedron ? body->first_tetrahedron[cell + 1] : cell + 1;
        uint32_t begin = end;
        for (uint32_t tetrahedron = first; tetrahedron < last; tetrahedron++) {
            end = add_faces_of(body, tetrahedron, begin, end);
        }
    }
}

static void list_faces_of_surface(struct body *body)
{
    for (uint32_t triangle = 0; triangle < body->element_count; triangle++) {
        dent_surface_face face = {.cell = triangle};
        memcpy(face.corners, body->element_corners + (size_t)triangle * 3, sizeof face.corners);
        body->surface_faces[triangle] = face;
    }
}

static uint32_t count_surface_faces(const struct body *body)
{
    uint32_t count = body_has_faces(body) ? body->element_count : 0;
    for (uint32_t tetrahedron = 0; tetrahedron < body->tetrahedron_count; tetrahedron++) {
        for (uint32_t corner = 0; corner < 4; corner++) {
            count += body->neighbours[tetrahedron][corner] == NEIGHBOUR_NONE;
        }
    }
    return count;
}

bool mesh_faces_list_surface(struct body *body)
{
    body->surface_face_count = count_surface_faces(body);
    body->surface_faces = dent_allocate(body->context, body->surface_face_count, sizeof *body->surface_faces);
    if (!body->surface_faces) {
        return false;
    }
    if (body_has_faces(body)) {
        list_faces_of_surface(body);
    } else {
        body->surface_face_tetrahedron =
            dent_allocate(body->context, body->surface_face_count, sizeof *body->surface_face_tetrahedron);
        if (!body->surface_face_tetrahedron) {
            return false;
        }
        list_faces_of_solid(body);
    }
    for (uint32_t i = 0; i < body->surface_face_count; i++) {
        for (uint32_t corner = 0; corner < 3; corner++) {
            body->vertex_use[body->surface_faces[i].corners[corner]] |= VERTEX_ON_SURFACE;
        }
    }
    return true;
}
