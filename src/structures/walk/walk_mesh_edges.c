/* What lies around the edges of a walk mesh: which cell owns an edge, the circles of cells around inner edges that
 * could turn about them twice, and the fans of cells around surface edges that could turn about them more than once.
 */
#include "structures/walk/walk_mesh_build.h"

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
    bool flipped = odd[ring % 8];
    ends[flipped] = mesh->cells[walk.cell].vertices[a];
    ends[!flipped] = mesh->cells[walk.cell].vertices[b];
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

static bool list_fan_checks(struct walk_build *build, struct walk_fan *fan, bool flipped)
{
    fan->first_check = (uint32_t)build->fan_checks.count;
    fan->check_count = fan->count == 3 ? 1 : fan->count == 4 ? 2 : 0;
    for (uint32_t i = 0; i < fan->check_count; i++) {
        const uint32_t *apexes = (const uint32_t *)build->fan_apexes.data + fan->first_apex + 2 * i;
        uint32_t check[4] = {fan->edge[flipped], fan->edge[!flipped], apexes[0], apexes[2]};
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
    bool more = walk_push(&build->fan_apexes, corners[(k + 2) % 3]);
    if (!more) {
        return false;
    }
    do {
        if (!walk_push(&build->fan_cells, walk.cell) ||
            !walk_push(&build->fan_apexes, mesh->cells[walk.cell].vertices[walk.other])) {
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

bool walk_build_edges(struct walk_build *build)
{
    return find_owned_edges(build) && list_fans(build);
}
