/* Making a body ready for walking. See walk_mesh.h.
 *
 * In order: cells oriented alike by a flood through their faces, with cuts where that is impossible; owners of the
 * surface faces; circles of faces around the surface edges; parts of the surface; inner neighbours of the vertices;
 * edges owned by cells; fans around surface edges; pinched vertices. Everything is O(n) but for the small sorts behind
 * vertex_buckets.
 */
#include "structures/walk/walk_mesh_build.h"

#include <string.h>

#include "bodies/vertex_buckets.h"

const uint8_t walk_edge_corners[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const uint8_t walk_face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/* ---- the surface ----------------------------------------------------------------------------- */

static void find_owners(struct walk_build *build)
{
    const struct body *body = build->body;
    for (uint32_t face = 0; face < body->surface_face_count; face++) {
        uint32_t tetrahedron = body->surface_face_tetrahedron[face];
        const struct walk_cell *cell = &build->mesh->cells[tetrahedron];
        uint32_t corner = 0;
        for (uint32_t i = 0; i < 4; i++) {
            const uint32_t *corners = body->surface_faces[face].corners;
            uint32_t vertex = cell->vertices[i];
            corner = vertex != corners[0] && vertex != corners[1] && vertex != corners[2] ? i : corner;
        }
        build->mesh->owners[face] = tetrahedron * 4 + corner;
    }
}

static bool join_rings(struct walk_build *build)
{
    const struct body *body = build->body;
    struct vertex_buckets buckets;
    bool good = vertex_buckets_begin(&buckets, body->context, body->vertex_count);
    for (int pass = 0; pass < 2 && good; pass++) {
        for (uint32_t face = 0; face < body->surface_face_count; face++) {
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t a = body->surface_faces[face].corners[k], b = body->surface_faces[face].corners[(k + 1) % 3];
                if (pass == 0) {
                    vertex_buckets_count(&buckets, a < b ? a : b);
                } else {
                    vertex_buckets_put(&buckets, a < b ? a : b, a < b ? b : a, 0, face * 3 + k);
                }
            }
        }
        good = pass == 1 || vertex_buckets_allocate(&buckets);
    }
    if (good) {
        vertex_buckets_sort(&buckets);
        for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
            uint64_t begin = buckets.start[vertex], end = buckets.start[vertex + 1];
            for (uint64_t i = begin; i < end; i++) {
                uint64_t next = i + 1 < end && buckets.records[i + 1].key0 == buckets.records[i].key0 ? i + 1 : begin;
                build->mesh->ring[buckets.records[i].ref] = buckets.records[next].ref;
                begin = next == begin ? i + 1 : begin;
            }
        }
    }
    vertex_buckets_end(&buckets);
    return good;
}

static bool find_parts(struct walk_build *build)
{
    const struct body *body = build->body;
    uint32_t count = body->surface_face_count, *queue = arena_allocate(&build->arena, count, sizeof *queue);
    uint8_t *seen = arena_allocate_cleared(&build->arena, count, 1);
    uint8_t *given = arena_allocate_cleared(&build->arena, body->vertex_count, 1);
    if (!queue || !seen || !given) {
        return false;
    }
    for (uint32_t start = 0; start < count; start++) {
        uint32_t end = 0;
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t vertex = body->surface_faces[start].corners[k];
            build->mesh->designated[start] |= (uint8_t)(given[vertex] ? 0 : 1u << k);
            given[vertex] = 1;
        }
        if (seen[start]) {
            continue;
        }
        if (!array_push(&build->representatives, &start)) {
            return false;
        }
        seen[start] = 1;
        queue[end++] = start;
        for (uint32_t at = 0; at < end; at++) {
            for (uint32_t k = 0; k < 3; k++) {
                uint32_t code = queue[at] * 3 + k;
                for (uint32_t next = build->mesh->ring[code]; next != code; next = build->mesh->ring[next]) {
                    if (!seen[next / 3]) {
                        seen[next / 3] = 1;
                        queue[end++] = next / 3;
                    }
                }
            }
        }
    }
    return true;
}

static bool list_inner_neighbours(struct walk_build *build)
{
    const struct body *body = build->body;
    struct walk_mesh *mesh = build->mesh;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t edge = 0; edge < body->edge_count; edge++) {
            uint32_t ends[2] = {body->edges[edge].v0, body->edges[edge].v1};
            for (int side = 0; side < 2; side++) {
                if (!(body->vertex_use[ends[1 - side]] & VERTEX_ON_SURFACE)) {
                    if (pass == 0) {
                        mesh->inner_first[ends[side] + 1]++;
                    } else {
                        mesh->inner[mesh->inner_first[ends[side]]++] = ends[1 - side];
                    }
                }
            }
        }
        if (pass == 0) {
            for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
                mesh->inner_first[vertex + 1] += mesh->inner_first[vertex];
            }
            mesh->inner_count = mesh->inner_first[body->vertex_count];
            mesh->inner = dent_allocate(mesh->context, mesh->inner_count, sizeof *mesh->inner);
            if (!mesh->inner) {
                return false;
            }
        }
    }
    /* The second pass moved every start to the next one. */
    memmove(mesh->inner_first + 1, mesh->inner_first, body->vertex_count * sizeof *mesh->inner_first);
    mesh->inner_first[0] = 0;
    return true;
}

/* ---- all of it ------------------------------------------------------------------------------- */

static bool allocate(struct walk_mesh *mesh, const struct body *body)
{
    mesh->cell_count = body->tetrahedron_count;
    mesh->face_count = body->surface_face_count;
    mesh->vertex_count = body->vertex_count;
    mesh->cells = dent_allocate(mesh->context, mesh->cell_count, sizeof *mesh->cells);
    mesh->owners = dent_allocate(mesh->context, mesh->face_count, sizeof *mesh->owners);
    mesh->ring = dent_allocate(mesh->context, (size_t)mesh->face_count * 3, sizeof *mesh->ring);
    mesh->designated = dent_allocate(mesh->context, mesh->face_count, 1);
    mesh->inner_first = dent_allocate(mesh->context, (size_t)mesh->vertex_count + 1, sizeof *mesh->inner_first);
    mesh->link_first = dent_allocate(mesh->context, (size_t)mesh->vertex_count + 1, sizeof *mesh->link_first);
    if (!mesh->link_first || !mesh->cells || !mesh->owners || !mesh->ring || !mesh->designated || !mesh->inner_first) {
        return false;
    }
    memset(mesh->designated, 0, mesh->face_count);
    memset(mesh->link_first, 0, ((size_t)mesh->vertex_count + 1) * sizeof *mesh->link_first);
    memset(mesh->inner_first, 0, ((size_t)mesh->vertex_count + 1) * sizeof *mesh->inner_first);
    return true;
}

static bool compute(struct walk_build *build)
{
    const struct body *body = build->body;
    build->pinched = arena_allocate_cleared(&build->arena, body->vertex_count, 1);
    if (!build->pinched || !walk_build_cells(build) || !join_rings(build) || !find_parts(build) ||
        !list_inner_neighbours(build)) {
        return false;
    }
    if (!body_has_cells(body)) {
        return true;
    }
    find_owners(build);
    return walk_build_edges(build) && walk_build_vertices(build);
}

/* An array's records in a block of exactly their size; the array is left empty. */
static bool take(dent_context *context, struct dynamic_array *array, void *records, uint32_t *count)
{
    void *block = dent_allocate(context, array->count, array->element_size);
    if (!block) {
        return false;
    }
    if (array->count) {
        memcpy(block, array->data, array->count * array->element_size);
    }
    *(void **)records = block;
    *count = (uint32_t)array->count;
    return true;
}

static bool take_lists(struct walk_build *build)
{
    struct walk_mesh *mesh = build->mesh;
    uint32_t apexes;
    return take(mesh->context, &build->fans, &mesh->fans, &mesh->fan_count) &&
           take(mesh->context, &build->fan_cells, &mesh->fan_cells, &mesh->fan_cell_count) &&
           take(mesh->context, &build->fan_apexes, &mesh->fan_apexes, &apexes) &&
           take(mesh->context, &build->star_pairs, &mesh->star_pairs, &mesh->star_pair_count) &&
           take(mesh->context, &build->links, &mesh->links, &mesh->link_count) &&
           take(mesh->context, &build->link_faces, &mesh->link_faces, &mesh->link_count) &&
           take(mesh->context, &build->fan_checks, &mesh->fan_checks, &mesh->fan_check_count) &&
           take(mesh->context, &build->ring_checks, &mesh->ring_checks, &mesh->ring_check_count) &&
           take(mesh->context, &build->checked_rings, &mesh->checked_rings, &mesh->ring_check_count) &&
           take(mesh->context, &build->long_rings, &mesh->long_rings, &mesh->long_ring_count) &&
           take(mesh->context, &build->cuts, &mesh->cuts, &mesh->cut_count) &&
           take(mesh->context, &build->representatives, &mesh->representatives, &mesh->representative_count);
}

bool walk_mesh_create(struct walk_mesh *mesh, dent_context *context, const struct body *body)
{
    struct walk_build build = {.mesh = mesh, .body = body};
    struct dynamic_array *lists[] = {&build.fan_cells, &build.fan_apexes, &build.cuts,          &build.representatives,
                                     &build.links,     &build.link_faces, &build.checked_rings, &build.long_rings};
    *mesh = (struct walk_mesh){.context = context};
    arena_init(&build.arena, context);
    array_init(&build.fans, context, sizeof(struct walk_fan));
    array_init(&build.ring_checks, context, sizeof *mesh->ring_checks);
    array_init(&build.fan_checks, context, sizeof *mesh->fan_checks);
    array_init(&build.star_pairs, context, sizeof(struct walk_star_pair));
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        array_init(lists[i], context, sizeof(uint32_t));
    }
    bool good = allocate(mesh, body) && compute(&build) && take_lists(&build);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        array_destroy(lists[i]);
    }
    array_destroy(&build.fans);
    array_destroy(&build.star_pairs);
    array_destroy(&build.ring_checks);
    array_destroy(&build.fan_checks);
    arena_destroy(&build.arena);
    if (!good) {
        walk_mesh_destroy(mesh);
    }
    return good;
}

void walk_mesh_destroy(struct walk_mesh *mesh)
{
    dent_context *context = mesh->context;
    dent_release(context, mesh->cells, mesh->cell_count, sizeof *mesh->cells);
    dent_release(context, mesh->owners, mesh->face_count, sizeof *mesh->owners);
    dent_release(context, mesh->ring, (size_t)mesh->face_count * 3, sizeof *mesh->ring);
    dent_release(context, mesh->designated, mesh->face_count, 1);
    dent_release(context, mesh->inner_first, (size_t)mesh->vertex_count + 1, sizeof *mesh->inner_first);
    dent_release(context, mesh->inner, mesh->inner_count, sizeof *mesh->inner);
    dent_release(context, mesh->fans, mesh->fan_count, sizeof *mesh->fans);
    dent_release(context, mesh->fan_cells, mesh->fan_cell_count, sizeof *mesh->fan_cells);
    dent_release(context, mesh->fan_apexes, (size_t)mesh->fan_cell_count + mesh->fan_count, sizeof *mesh->fan_apexes);
    dent_release(context, mesh->link_first, (size_t)mesh->vertex_count + 1, sizeof *mesh->link_first);
    dent_release(context, mesh->links, mesh->link_count, sizeof *mesh->links);
    dent_release(context, mesh->link_faces, mesh->link_count, sizeof *mesh->link_faces);
    dent_release(context, mesh->star_pairs, mesh->star_pair_count, sizeof *mesh->star_pairs);
    dent_release(context, mesh->fan_checks, mesh->fan_check_count, sizeof *mesh->fan_checks);
    dent_release(context, mesh->ring_checks, mesh->ring_check_count, sizeof *mesh->ring_checks);
    dent_release(context, mesh->checked_rings, mesh->ring_check_count, sizeof *mesh->checked_rings);
    dent_release(context, mesh->long_rings, mesh->long_ring_count, sizeof *mesh->long_rings);
    dent_release(context, mesh->cuts, mesh->cut_count, sizeof *mesh->cuts);
    dent_release(context, mesh->representatives, mesh->representative_count, sizeof *mesh->representatives);
    *mesh = (struct walk_mesh){.context = context};
}
