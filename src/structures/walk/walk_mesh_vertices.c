/* What lies around the vertices of a walk mesh: the circle of surface faces, and whether the cells there hang together
 * like a ball or half a ball.
 *
 * The link of a vertex is the surface that its cells cut out of a small sphere. A ball or a disc is what the argument
 * of the contour walk asks for; where it is something else (several parts, a ring) all faces and cells at the vertex
 * are compared directly. A link that closes up and is no ball belongs to no solid in space.
 */
#include "structures/walk/walk_mesh_build.h"

#include "base/containers/union_find.h"

static bool list_stars(struct walk_build *build)
{
    const struct body *body = build->body;
    struct arena *arena = &build->arena;
    uint32_t vertices = body->vertex_count;
    build->star_first = arena_allocate_cleared(arena, (size_t)vertices + 2, sizeof *build->star_first);
    build->star = arena_allocate(arena, (size_t)body->tetrahedron_count * 4, sizeof *build->star);
    build->face_star_first = arena_allocate_cleared(arena, (size_t)vertices + 2, sizeof *build->face_star_first);
    build->face_star = arena_allocate(arena, (size_t)body->surface_face_count * 3, sizeof *build->face_star);
    if (!build->star_first || !build->star || !build->face_star_first || !build->face_star) {
        return false;
    }
    for (uint32_t i = 0; i < body->tetrahedron_count * 4; i++) {
        build->star_first[build->mesh->cells[i / 4].vertices[i % 4] + 2]++;
    }
    for (uint32_t i = 0; i < body->surface_face_count * 3; i++) {
        build->face_star_first[body->surface_faces[i / 3].corners[i % 3] + 2]++;
    }
    for (uint32_t vertex = 1; vertex < vertices + 1; vertex++) {
        build->star_first[vertex + 1] += build->star_first[vertex];
        build->face_star_first[vertex + 1] += build->face_star_first[vertex];
    }
    for (uint32_t i = 0; i < body->tetrahedron_count * 4; i++) {
        build->star[build->star_first[build->mesh->cells[i / 4].vertices[i % 4] + 1]++] = i;
    }
    for (uint32_t i = 0; i < body->surface_face_count * 3; i++) {
        build->face_star[build->face_star_first[body->surface_faces[i / 3].corners[i % 3] + 1]++] = i / 3;
    }
    return true;
}

/* Place in the star of a vertex (cell * 4 + corner, ascending) of a cell that has it. */
static uint32_t slot_in_star(const uint32_t *star, uint32_t count, uint32_t cell)
{
    uint32_t low = 0, high = count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (star[middle] / 4 <= cell) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/* The link of a vertex: cells as triangles, their edges at the vertex as corners, glued where the mesh is. parent: 4
 * entries per cell, the corners and (at the vertex's own corner) the cell itself. Returns the number of parts; Euler's
 * number of the whole, and the faces without neighbour. */
static uint32_t measure_link(const struct walk_mesh *mesh, const uint32_t *star, uint32_t count, uint32_t *parent,
                             int64_t *euler, uint32_t *walls)
{
    uint32_t parts = 0;
    int64_t corners = 0, edges = 0;
    *walls = 0;
    union_find_init(parent, (size_t)count * 4);
    for (uint32_t i = 0; i < count; i++) {
        const struct walk_cell *cell = &mesh->cells[star[i] / 4];
        for (uint32_t corner = 0; corner < 4; corner++) {
            if (corner == star[i] % 4) {
                continue;
            }
            if (cell->neighbours[corner] == WALK_WALL) {
                (*walls)++;
                edges += 2;
                continue;
            }
            edges++;
            const struct walk_cell *other = &mesh->cells[cell->neighbours[corner]];
            uint32_t j = slot_in_star(star, count, cell->neighbours[corner]);
            union_find_join(parent, i * 4 + star[i] % 4, j * 4 + star[j] % 4);
            for (uint32_t k = 0; k < 4; k++) {
                if (k != corner && k != star[i] % 4) {
                    uint32_t same = walk_corner_of(other, cell->vertices[k]);
                    union_find_join(parent, i * 4 + k, j * 4 + same);
                }
            }
        }
    }
    for (uint32_t i = 0; i < count * 4; i++) {
        if (i % 4 == star[i / 4] % 4) {
            parts += parent[i] == i;
        } else {
            corners += parent[i] == i;
        }
    }
    *euler = corners - edges / 2 + count;
    return parts;
}

static bool list_star_pairs(struct walk_build *build, uint32_t vertex)
{
    uint32_t begin = build->star_first[vertex], end = build->star_first[vertex + 1];
    uint32_t face_begin = build->face_star_first[vertex], face_end = build->face_star_first[vertex + 1];
    uint64_t most = 16 * ((uint64_t)build->mesh->cell_count + build->mesh->face_count) + 4096;
    if (build->star_pairs.count + (uint64_t)(end - begin) * (face_end - face_begin) > most) {
        build->mesh->odd = true;
        return true;
    }
    for (uint32_t i = face_begin; i < face_end; i++) {
        for (uint32_t j = begin; j < end; j++) {
            struct walk_star_pair pair = {build->face_star[i], build->star[j] / 4};
            if (pair.cell != build->mesh->owners[pair.face] / 4 && !array_push(&build->star_pairs, &pair)) {
                return false;
            }
        }
    }
    return true;
}

/* The faces around a vertex in circular order, when each hands over to the next across an edge of two faces and they
 * close up. */
static bool list_link(struct walk_build *build, uint32_t vertex)
{
    const struct body *body = build->body;
    uint32_t begin = build->face_star_first[vertex], count = build->face_star_first[vertex + 1] - begin,
             kept = (uint32_t)build->links.count;
    uint32_t face = count ? build->face_star[begin] : 0, listed = 0;
    while (listed < count) {
        const uint32_t *corners = body->surface_faces[face].corners;
        uint32_t corner = corners[0] == vertex ? 0 : corners[1] == vertex ? 1 : 2;
        if (!walk_push(&build->link_faces, face) || !walk_push(&build->links, corners[(corner + 1) % 3])) {
            return false;
        }
        listed++;
        /* The edge from the corner before to the vertex. */
        uint32_t code = face * 3 + (corner + 2) % 3, next = build->mesh->ring[code];
        const uint32_t *others = body->surface_faces[next / 3].corners;
        bool plain = next != code && build->mesh->ring[next] == code && others[next % 3] == vertex;
        face = next / 3;
        if (!plain || face == build->face_star[begin]) {
            listed = plain && listed == count ? count : UINT32_MAX;
            break;
        }
    }
    if (listed != count) {
        build->links.count = build->link_faces.count = kept;
    }
    return true;
}

static bool judge_vertices(struct walk_build *build)
{
    uint32_t largest = 0;
    for (uint32_t vertex = 0; vertex < build->body->vertex_count; vertex++) {
        uint32_t count = build->star_first[vertex + 1] - build->star_first[vertex];
        largest = count > largest ? count : largest;
    }
    uint32_t *parent = arena_allocate(&build->arena, (size_t)largest * 4, sizeof *parent);
    if (!parent) {
        return false;
    }
    for (uint32_t vertex = 0; vertex < build->body->vertex_count; vertex++) {
        uint32_t begin = build->star_first[vertex], count = build->star_first[vertex + 1] - begin, walls;
        int64_t euler;
        build->mesh->link_first[vertex] = (uint32_t)build->links.count;
        if (count == 0) {
            continue;
        }
        uint32_t parts = measure_link(build->mesh, build->star + begin, count, parent, &euler, &walls);
        bool ball = parts == 1 && walls == 0 && euler == 2, disc = parts == 1 && walls > 0 && euler == 1;
        build->mesh->odd |= walls == 0 && !ball;
        bool pinched = build->pinched[vertex] || !(ball || disc);
        size_t links = build->links.count;
        if (!pinched && disc && !list_link(build, vertex)) {
            return false;
        }
        if ((pinched || (disc && build->links.count == links)) && !list_star_pairs(build, vertex)) {
            return false;
        }
    }
    build->mesh->link_first[build->body->vertex_count] = (uint32_t)build->links.count;
    return true;
}

bool walk_build_vertices(struct walk_build *build)
{
    return list_stars(build) && judge_vertices(build);
}
