/* Cells with quadrilateral faces, split into tetrahedra so that neighbours conform whoever is split first.
 *
 * Every quadrilateral is cut by the diagonal at its smallest vertex index: a rule the two cells at a face apply alike
 * without knowing each other. Then the cell is a cone: its apex is the smallest corner v of the cell, so all
 * quadrilaterals at v are already cut at v, and the remaining faces, cut by the same rule, give one tetrahedron per
 * triangle. That is 6 for a hexahedron, 3 for a wedge, 2 for a pyramid. When the three far faces of a hexahedron are
 * all cut past the corner w opposite v, the three thin tetrahedra at the inner diagonal v-w are replaced by a corner at
 * w and the regular one in the middle: 5. The idea of ordering by vertex index is that of Dompierre, Labbe, Vallet,
 * Camarero (How to subdivide pyramids, prisms and hexahedra into tetrahedra, 1999); the cone makes their tables of
 * cases unnecessary.
 *
 * In: corner vertices in the order of docs/conventions.md. Out: tetrahedra (apex first), or the name (face, part) of a
 * triangle.
 */
#include "bodies/cell_split.h"

struct cell_shape {
    uint8_t corner_count;
    uint8_t face_count;
    uint8_t face_corner_counts[6];
    uint8_t faces[6][4]; /* counter-clockwise seen from outside; the face numbers are VTK's */
};

static const struct cell_shape cell_shapes[DENT_CELL_KIND_COUNT] = {
    [DENT_CELL_TETRAHEDRON] = {4, 4, {3, 3, 3, 3}, {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}}},
    [DENT_CELL_HEXAHEDRON] = {8,
                              6,
                              {4, 4, 4, 4, 4, 4},
                              {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}}},
    [DENT_CELL_WEDGE] = {6, 5, {3, 3, 4, 4, 4}, {{0, 2, 1}, {3, 4, 5}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}}},
    [DENT_CELL_PYRAMID] = {5, 5, {4, 3, 3, 3, 3}, {{0, 3, 2, 1}, {0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4}}},
};

/* The corner of a hexahedron at the other end of the inner diagonal. */
static const uint8_t hexahedron_opposite[8] = {6, 7, 4, 5, 2, 3, 0, 1};

uint32_t cell_corner_count(uint8_t kind)
{
    return kind < DENT_CELL_KIND_COUNT ? cell_shapes[kind].corner_count : 0;
}

/* Position in the face's list of its corner with the smallest vertex. */
static uint32_t smallest_of_face(const struct cell_shape *shape, uint32_t face, const uint32_t *corners)
{
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < shape->face_corner_counts[face]; i++) {
        if (corners[shape->faces[face][i]] < corners[shape->faces[face][smallest]]) {
            smallest = i;
        }
    }
    return smallest;
}

/* The triangles of one face as local corners, outward; the smallest vertex first. Returns 1 or 2. */
static uint32_t triangulate_face(const struct cell_shape *shape, uint32_t face, const uint32_t *corners,
                                 uint8_t triangles[2][3])
{
    uint32_t count = shape->face_corner_counts[face];
    uint32_t first = smallest_of_face(shape, face, corners);
    for (uint32_t part = 0; part + 2 < count; part++) {
        triangles[part][0] = shape->faces[face][first];
        triangles[part][1] = shape->faces[face][(first + part + 1) % count];
        triangles[part][2] = shape->faces[face][(first + part + 2) % count];
    }
    return count - 2;
}

/* The triangles of the faces that do not contain the apex. */
static uint32_t list_far_triangles(const struct cell_shape *shape, const uint32_t *corners, uint8_t apex,
                                   uint8_t triangles[CELL_MAX_TETRAHEDRA][3])
{
    uint32_t total = 0;
    for (uint32_t face = 0; face < shape->face_count; face++) {
        bool contains_apex = false;
        for (uint32_t i = 0; i < shape->face_corner_counts[face]; i++) {
            contains_apex |= shape->faces[face][i] == apex;
        }
        if (!contains_apex) {
            total += triangulate_face(shape, face, corners, &triangles[total]);
        }
    }
    return total;
}

/* The smallest corner and, for hexahedra, whether the five-tetrahedron case applies: w is then in three far triangles
 * only. */
static uint32_t find_cone(uint8_t kind, const uint32_t *corners, uint8_t *apex,
                          uint8_t triangles[CELL_MAX_TETRAHEDRA][3], bool *five)
{
    const struct cell_shape *shape = &cell_shapes[kind];
    *apex = 0;
    for (uint8_t i = 1; i < shape->corner_count; i++) {
        if (corners[i] < corners[*apex]) {
            *apex = i;
        }
    }
    uint32_t count = list_far_triangles(shape, corners, *apex, triangles);
    *five = false;
    if (kind == DENT_CELL_HEXAHEDRON) {
        uint32_t triangles_at_opposite = 0;
        for (uint32_t i = 0; i < count; i++) {
            for (uint32_t j = 0; j < 3; j++) {
                triangles_at_opposite += triangles[i][j] == hexahedron_opposite[*apex];
            }
        }
        *five = triangles_at_opposite == 3;
    }
    return count;
}

uint32_t cell_tetrahedron_count(uint8_t kind, const uint32_t *corners)
{
    switch (kind) {
    case DENT_CELL_TETRAHEDRON:
        return 1;
    case DENT_CELL_WEDGE:
        return 3;
    case DENT_CELL_PYRAMID:
        return 2;
    default:
        break;
    }
    uint8_t apex, triangles[CELL_MAX_TETRAHEDRA][3];
    bool five;
    find_cone(kind, corners, &apex, triangles, &five);
    return five ? 5 : 6;
}

static void write_tetrahedron(uint32_t tetrahedron[4], const uint32_t *corners, uint8_t a, uint8_t b, uint8_t c,
                              uint8_t d)
{
    tetrahedron[0] = corners[a];
    tetrahedron[1] = corners[b];
    tetrahedron[2] = corners[c];
    tetrahedron[3] = corners[d];
}

/* The far triangles at w are (w, x, y), (w, y, z), (w, z, x), outward. Turns `triangle` so that w comes first. */
static void turn_to_front(uint8_t triangle[3], uint8_t w)
{
    while (triangle[0] != w) {
        uint8_t first = triangle[0];
        triangle[0] = triangle[1];
        triangle[1] = triangle[2];
        triangle[2] = first;
    }
}

static uint32_t split_hexahedron_in_five(const uint32_t *corners, uint8_t apex,
                                         uint8_t triangles[CELL_MAX_TETRAHEDRA][3],
                                         uint32_t tetrahedra[CELL_MAX_TETRAHEDRA][4])
{
    uint8_t w = hexahedron_opposite[apex];
    uint8_t next[CELL_MAX_CORNERS] = {0}; /* next[x] = y for the triangle (w, x, y) */
    uint8_t x = 0;
    uint32_t count = 0;
    for (uint32_t i = 0; i < 6; i++) {
        uint8_t *triangle = triangles[i];
        if (triangle[0] == w || triangle[1] == w || triangle[2] == w) {
            turn_to_front(triangle, w);
            x = triangle[1];
            next[x] = triangle[2];
        } else {
            write_tetrahedron(tetrahedra[count++], corners, apex, triangle[0], triangle[1], triangle[2]);
        }
    }
    uint8_t y = next[x], z = next[next[x]];
    write_tetrahedron(tetrahedra[count++], corners, apex, x, y, z);
    write_tetrahedron(tetrahedra[count++], corners, x, y, z, w);
    return count;
}

uint32_t cell_split(uint8_t kind, const uint32_t *corners, uint32_t tetrahedra[CELL_MAX_TETRAHEDRA][4])
{
    if (kind == DENT_CELL_TETRAHEDRON) {
        write_tetrahedron(tetrahedra[0], corners, 0, 1, 2, 3);
        return 1;
    }
    uint8_t apex, triangles[CELL_MAX_TETRAHEDRA][3];
    bool five;
    uint32_t count = find_cone(kind, corners, &apex, triangles, &five);
    if (five) {
        return split_hexahedron_in_five(corners, apex, triangles, tetrahedra);
    }
    for (uint32_t i = 0; i < count; i++) {
        write_tetrahedron(tetrahedra[i], corners, apex, triangles[i][0], triangles[i][1], triangles[i][2]);
    }
    return count;
}

static bool same_three(const uint32_t *corners, const uint8_t local[3], const uint32_t triangle[3])
{
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t vertex = corners[local[i]];
        if (vertex != triangle[0] && vertex != triangle[1] && vertex != triangle[2]) {
            return false;
        }
    }
    return true;
}

bool cell_name_face(uint8_t kind, const uint32_t *corners, const uint32_t triangle[3], uint8_t *face, uint8_t *part)
{
    const struct cell_shape *shape = &cell_shapes[kind];
    for (uint32_t f = 0; f < shape->face_count; f++) {
        uint8_t triangles[2][3];
        uint32_t count = triangulate_face(shape, f, corners, triangles);
        for (uint32_t p = 0; p < count; p++) {
            if (same_three(corners, triangles[p], triangle)) {
                *face = (uint8_t)f;
                *part = (uint8_t)p;
                return true;
            }
        }
    }
    return false;
}
