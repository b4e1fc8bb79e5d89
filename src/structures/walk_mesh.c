/* Making a body ready for walking. See walk_mesh.h.
 *
 * In order: cells oriented alike by a flood through their faces, with cuts where that is impossible; owners of the
 * surface faces; circles of faces around the surface edges; parts of the surface; inner neighbours of the vertices;
 * edges owned by cells; fans around surface edges; pinched vertices. Everything is O(n) but for the small sorts behind
 * vertex_buckets.
 */
#include "structures/walk_mesh.h"

#include <string.h>

#include "base/arena.h"
#include "base/dynamic_array.h"
#include "bodies/vertex_buckets.h"

const uint8_t walk_edge_corners[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
const uint8_t walk_face_corners[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

/* What is needed only while building. */
struct walk_build {
    struct walk_mesh *mesh;
    const struct body *body;
    struct arena arena;
    struct dynamic_array fans, fan_cells, fan_apexes, star_pairs, cuts, representatives, links, link_faces, ring_checks,
        fan_checks, checked_rings, long_rings;
    uint8_t *pinched;                      /* by vertex */
    uint32_t *star_first, *star;           /* cells around each vertex */
    uint32_t *face_star_first, *face_star; /* surface faces around each vertex */
};

/* ---- orientation
 * --------------------------------------------------------------------------------------------------------- */

static void face_of(const struct walk_cell *cell, uint32_t corner, uint32_t vertices[3])
{
    for (int i = 0; i < 3; i++) {
        vertices[i] = cell->vertices[walk_face_corners[corner][i]];
    }
}

/* Do two cells go around their common face in opposite senses, as cells of like orientation on its two sides do? */
static bool faces_are_opposed(const struct walk_cell *a, uint32_t corner_a, const struct walk_cell *b,
                              uint32_t corner_b)
{
    uint32_t face_a[3], face_b[3], turn = 0;
    face_of(a, corner_a, face_a);
    face_of(b, corner_b, face_b);
    while (turn < 2 && face_b[turn] != face_a[0]) {
        turn++;
    }
    return face_b[(turn + 1) % 3] == face_a[2] && face_b[(turn + 2) % 3] == face_a[1];
}

static void turn_cell_over(struct walk_cell *cell)
{
    uint32_t vertex = cell->vertices[2], neighbour = cell->neighbours[2];
    cell->vertices[2] = cell->vertices[3];
    cell->vertices[3] = vertex;
    cell->neighbours[2] = cell->neighbours[3];
    cell->neighbours[3] = neighbour;
    cell->turned = true;
}

/* The corner of `cell` that its face towards `other` lies opposite: the one whose vertex `other` does not have. Two
 * cells may have several faces in common: then all corners would do but one, so the face is looked for by its vertices.
 */
static uint32_t corner_towards(const struct walk_cell *cell, const struct walk_cell *other, uint32_t other_corner)
{
    for (uint32_t corner = 0; corner < 4; corner++) {
        bool same = true;
        for (int i = 0; i < 3 && same; i++) {
            uint32_t at = walk_corner_of(other, cell->vertices[walk_face_corners[corner][i]]);
            same = at < 4 && at != other_corner;
        }
        if (same) {
            return corner;
        }
    }
    return 4;
}

static void copy_cells(struct walk_build *build)
{
    const struct body *body = build->body;
    for (uint32_t i = 0; i < body->tetrahedron_count; i++) {
        struct walk_cell *cell = &build->mesh->cells[i];
        *cell = (struct walk_cell){.component = UINT32_MAX};
        memcpy(cell->vertices, body->tetrahedra[i], sizeof cell->vertices);
        for (int corner = 0; corner < 4; corner++) {
            uint32_t neighbour = body->neighbours[i][corner];
            cell->neighbours[corner] = neighbour >= NEIGHBOUR_NONMANIFOLD ? WALK_WALL : neighbour;
        }
    }
}

static void orient_from(struct walk_build *build, uint32_t start, uint32_t *queue)
{
    struct walk_cell *cells = build->mesh->cells;
    uint32_t end = 0, component = build->mesh->component_count++;
    cells[start].component = component;
    queue[end++] = start;
    for (uint32_t at = 0; at < end; at++) {
        struct walk_cell *cell = &cells[queue[at]];
        for (uint32_t corner = 0; corner < 4; corner++) {
            if (cell->neighbours[corner] == WALK_WALL || cells[cell->neighbours[corner]].component != UINT32_MAX) {
                continue;
            }
            struct walk_cell *other = &cells[cell->neighbours[corner]];
            if (!faces_are_opposed(cell, corner, other, corner_towards(other, cell, corner))) {
                turn_cell_over(other);
                build->mesh->turned_count++;
            }
            other->component = component;
            queue[end++] = cell->neighbours[corner];
        }
    }
}

/* Faces across which no orientation fits become walls on both sides; `back` is filled for the others. */
static bool cut_what_does_not_fit(struct walk_build *build)
{
    struct walk_cell *cells = build->mesh->cells;
    for (uint32_t i = 0; i < build->mesh->cell_count; i++) {
        for (uint32_t corner = 0; corner < 4; corner++) {
            uint32_t neighbour = cells[i].neighbours[corner];
            if (neighbour == WALK_WALL) {
                continue;
            }
            uint32_t back = corner_towards(&cells[neighbour], &cells[i], corner);
            cells[i].back[corner] = (uint8_t)back;
            if (!faces_are_opposed(&cells[i], corner, &cells[neighbour], back)) {
                cells[i].neighbours[corner] = cells[neighbour].neighbours[back] = WALK_WALL;
            }
        }
    }
    return true;
}

static bool list_cuts(struct walk_build *build)
{
    for (uint32_t i = 0; i < build->mesh->cell_count; i++) {
        for (uint32_t corner = 0; corner < 4; corner++) {
            /* Corners were exchanged in cells turned over, so the body is asked about the same vertex. */
            uint32_t at = 0;
            while (build->body->tetrahedra[i][at] != build->mesh->cells[i].vertices[corner]) {
                at++;
            }
            uint32_t code = i * 4 + corner;
            bool cut = build->mesh->cells[i].neighbours[corner] == WALK_WALL &&
                       build->body->neighbours[i][at] != NEIGHBOUR_NONE;
            if (cut && !array_push(&build->cuts, &code)) {
                return false;
            }
        }
    }
    return true;
}

static bool orient_cells(struct walk_build *build)
{
    struct arena_mark mark = arena_mark(&build->arena);
    uint32_t *queue = arena_allocate(&build->arena, build->mesh->cell_count, sizeof *queue);
    if (!queue) {
        return false;
    }
    copy_cells(build);
    for (uint32_t i = 0; i < build->mesh->cell_count; i++) {
        if (build->mesh->cells[i].component == UINT32_MAX) {
            orient_from(build, i, queue);
        }
    }
    arena_rewind(&build->arena, mark);
    return cut_what_does_not_fit(build) && list_cuts(build);
}

/* ---- the surface
 * --------------------------------------------------------------------------------------------------------- */

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

/* ---- around edges
 * -------------------------------------------------------------------------------------------------------- */

/* A place on the way around an edge: in `cell`, about the edge from corner a to corner b, next through the face
 * opposite `through`; `other` is the fourth corner. */
struct edge_walk {
    uint32_t cell;
    uint32_t a, b, through, other;
};

/* Goes on to the next cell; false at a wall. */
static bool edge_walk_next(const struct walk_mesh *mesh, struct edge_walk *walk)
{
    const struct walk_cell *cell = &mesh->cells[walk->cell];
    uint32_t next = cell->neighbours[walk->through];
    if (next == WALK_WALL) {
        return false;
    }
    const struct walk_cell *entered = &mesh->cells[next];
    uint32_t a = walk_corner_of(entered, cell->vertices[walk->a]);
    uint32_t b = walk_corner_of(entered, cell->vertices[walk->b]);
    uint32_t through = walk_corner_of(entered, cell->vertices[walk->other]);
    *walk = (struct edge_walk){next, a, b, through, 6 - a - b - through};
    return true;
}

/* Is this cell the first, by number, of those reached by turning about its edge? */
static bool owns_edge(const struct walk_mesh *mesh, uint32_t cell, uint32_t edge)
{
    uint32_t a = walk_edge_corners[edge][0], b = walk_edge_corners[edge][1];
    uint32_t rest[2], count = 0;
    for (uint32_t corner = 0; corner < 4; corner++) {
        if (corner != a && corner != b) {
            rest[count++] = corner;
        }
    }
    for (int direction = 0; direction < 2; direction++) {
        struct edge_walk walk = {cell, a, b, rest[direction], rest[1 - direction]};
        while (edge_walk_next(mesh, &walk)) {
            if (walk.cell < cell) {
                return false;
            }
            if (walk.cell == cell) {
                return true; /* all the way round */
            }
        }
    }
    return true;
}

uint32_t walk_mesh_ring(const struct walk_mesh *mesh, uint32_t ring, uint32_t ends[2], uint32_t *apexes, uint32_t room)
{
    uint32_t a = walk_edge_corners[ring % 8][0], b = walk_edge_corners[ring % 8][1], through = 0, count = 0;
    while (through == a || through == b) {
        through++;
    }
    struct edge_walk walk = {ring / 8, a, b, through, 6 - a - b - through};
    /* Corners a, b, through, other of a positive cell are positive in that order for the edges 01, 03 and 12, and for
     * 02 and 13 and 23 the other way about: the parity of the permutation. */
    static const bool odd[6] = {false, true, false, false, true, false};
    bool turned = odd[ring % 8];
    ends[turned] = mesh->cells[walk.cell].vertices[a];
    ends[!turned] = mesh->cells[walk.cell].vertices[b];
    do {
        if (count < room) {
            apexes[count] = mesh->cells[walk.cell].vertices[walk.other];
        }
        count++;
        if (!edge_walk_next(mesh, &walk)) {
            return 0; /* a wall */
        }
    } while (walk.cell != ring / 8);
    return count;
}

static bool list_ring(struct walk_build *build, uint32_t ring)
{
    uint32_t ends[2], apexes[8], count = walk_mesh_ring(build->mesh, ring, ends, apexes, 8);
    if (count > 8) {
        return array_push(&build->long_rings, &ring);
    }
    for (uint32_t pair = 0; pair + 4 < count; pair++) {
        uint32_t check[4] = {ends[0], ends[1], apexes[2 * pair], apexes[(2 * pair + 2) % count]};
        if (!array_push(&build->ring_checks, check) || !array_push(&build->checked_rings, &ring)) {
            return false;
        }
    }
    return true;
}

static bool find_owned_edges(struct walk_build *build)
{
    for (uint32_t cell = 0; cell < build->mesh->cell_count; cell++) {
        for (uint32_t edge = 0; edge < 6; edge++) {
            uint32_t ring = cell * 8 + edge;
            if (!owns_edge(build->mesh, cell, edge)) {
                continue;
            }
            build->mesh->cells[cell].owned_edges |= (uint8_t)(1u << edge);
            if (!list_ring(build, ring)) {
                return false;
            }
        }
    }
    return true;
}

static bool push_u32(struct dynamic_array *array, uint32_t value)
{
    return array_push(array, &value);
}

/* The surface face that is the wall of this cell opposite a corner; UINT32_MAX when that wall is a cut. */
static uint32_t wall_face(const struct walk_build *build, uint32_t ring_code, uint32_t cell, uint32_t corner)
{
    uint32_t code = ring_code;
    do {
        if (build->mesh->owners[code / 3] == cell * 4 + corner) {
            return code / 3;
        }
        code = build->mesh->ring[code];
    } while (code != ring_code);
    return UINT32_MAX;
}

/* Is (a, b, c, and the fourth corner) an odd permutation of (0, 1, 2, 3)? */
static bool corner_parity(uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t order[4] = {a, b, c, 6 - a - b - c};
    bool odd = false;
    for (int i = 0; i < 4; i++) {
        for (int j = 0; j < i; j++) {
            odd ^= order[j] > order[i];
        }
    }
    return odd;
}

static bool list_fan_checks(struct walk_build *build, struct walk_fan *fan, bool turned)
{
    fan->first_check = (uint32_t)build->fan_checks.count;
    fan->check_count = fan->count == 3 ? 1 : fan->count == 4 ? 2 : 0;
    for (uint32_t i = 0; i < fan->check_count; i++) {
        const uint32_t *apexes = (const uint32_t *)build->fan_apexes.data + fan->first_apex + 2 * i;
        uint32_t check[4] = {fan->edge[turned], fan->edge[!turned], apexes[0], apexes[2]};
        if (!array_push(&build->fan_checks, check)) {
            return false;
        }
    }
    return true;
}

/* Lists the fan that begins at a surface face, about edge k of that face; nothing is kept when it has fewer than three
 * cells or does not end at a surface face. */
static bool list_fan(struct walk_build *build, uint32_t face, uint32_t k)
{
    struct walk_mesh *mesh = build->mesh;
    const uint32_t *corners = build->body->surface_faces[face].corners;
    uint32_t owner = mesh->owners[face] / 4, opposite = mesh->owners[face] % 4;
    const struct walk_cell *first = &mesh->cells[owner];
    struct walk_fan fan = {
        .faces = {face, 0}, .first = (uint32_t)build->fan_cells.count, .first_apex = (uint32_t)build->fan_apexes.count};
    struct edge_walk walk = {owner, walk_corner_of(first, corners[k]), walk_corner_of(first, corners[(k + 1) % 3]),
                             walk_corner_of(first, corners[(k + 2) % 3]), opposite};
    fan.edge[0] = corners[k];
    fan.edge[1] = corners[(k + 1) % 3];
    bool more = push_u32(&build->fan_apexes, corners[(k + 2) % 3]);
    if (!more) {
        return false;
    }
    do {
        if (!push_u32(&build->fan_cells, walk.cell) ||
            !push_u32(&build->fan_apexes, mesh->cells[walk.cell].vertices[walk.other])) {
            return false;
        }
        fan.count++;
    } while (edge_walk_next(mesh, &walk));
    fan.faces[1] = wall_face(build, face * 3 + k, walk.cell, walk.through);
    bool kept = fan.count >= 3 && fan.faces[1] != UINT32_MAX;
    if (!kept) {
        build->fan_cells.count = fan.first;
        build->fan_apexes.count = fan.first_apex;
        return true;
    }
    return list_fan_checks(build, &fan,
                           corner_parity(walk_corner_of(first, corners[k]), walk_corner_of(first, corners[(k + 1) % 3]),
                                         walk_corner_of(first, corners[(k + 2) % 3]))) &&
           array_push(&build->fans, &fan);
}

static bool list_fans(struct walk_build *build)
{
    const struct body *body = build->body;
    for (uint32_t face = 0; face < body->surface_face_count; face++) {
        for (uint32_t k = 0; k < 3; k++) {
            uint32_t code = face * 3 + k, next = build->mesh->ring[code];
            bool plain = next != code && build->mesh->ring[next] == code;
            if (plain && code < next && !list_fan(build, face, k)) {
                return false;
            }
            if (!plain) {
                /* One face, or more than two: whatever meets here is compared directly, at both ends. */
                build->pinched[body->surface_faces[face].corners[k]] = 1;
                build->pinched[body->surface_faces[face].corners[(k + 1) % 3]] = 1;
            }
        }
    }
    return true;
}

/* ---- around vertices
 * ----------------------------------------------------------------------------------------------------- */

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

static uint32_t find_root(uint32_t *parent, uint32_t item)
{
    while (parent[item] != item) {
        item = parent[item] = parent[parent[item]];
    }
    return item;
}

/* Place in the star of a vertex (cell * 4 + corner, ascending) of a cell that has it. */
static uint32_t place_in_star(const uint32_t *star, uint32_t count, uint32_t cell)
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
    for (uint32_t i = 0; i < count * 4; i++) {
        parent[i] = i;
    }
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
            uint32_t j = place_in_star(star, count, cell->neighbours[corner]);
            parent[find_root(parent, i * 4 + star[i] % 4)] = find_root(parent, j * 4 + star[j] % 4);
            for (uint32_t k = 0; k < 4; k++) {
                if (k != corner && k != star[i] % 4) {
                    uint32_t same = walk_corner_of(other, cell->vertices[k]);
                    parent[find_root(parent, i * 4 + k)] = find_root(parent, j * 4 + same);
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
        if (!push_u32(&build->link_faces, face) || !push_u32(&build->links, corners[(corner + 1) % 3])) {
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

/* ---- all of it
 * ----------------------------------------------------------------------------------------------------------- */

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
    if (!build->pinched || !orient_cells(build) || !join_rings(build) || !find_parts(build) ||
        !list_inner_neighbours(build)) {
        return false;
    }
    if (body->kind != DENT_BODY_SOLID) {
        return true;
    }
    find_owners(build);
    return find_owned_edges(build) && list_fans(build) && list_stars(build) && judge_vertices(build);
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
