/* Which way round the wedges of a body are numbered.
 *
 * Programs disagree. Seen from the triangle 3-4-5, the triangle 0-1-2 turns counter-clockwise in Gmsh, in Abaqus and in
 * VTK's own shape functions, but clockwise in VTK's description of the cell and in the files of those who follow it.
 * The splitter takes the former as positive. In a mesh of several kinds of cell the neighbours tell: two cells that are
 * alike oriented run along their common face in opposite directions. If most faces between wedges and other cells say
 * otherwise, all wedges of the body are the other kind, and their tetrahedra are turned round here. A body of wedges
 * alone cannot tell; if it is the other kind it is measured as mirrored, as any body with all cells negative. Answers
 * do not depend on any of this.
 */
#include "bodies/mesh_topology.h"

static bool is_wedge(const struct body *body, uint32_t tetrahedron)
{
    return body->cell_kinds[body->cell_of_tetrahedron[tetrahedron]] == DENT_CELL_WEDGE;
}

/* Is the even permutation class of the face opposite corner k of `a`, seen from outside, the one of the same face of
 * `b`? */
static bool run_the_same_way(const uint32_t a[4], uint32_t corner_a, const uint32_t b[4], uint32_t corner_b)
{
    uint32_t face_a[3], face_b[3];
    mesh_face_of(a, corner_a, face_a);
    mesh_face_of(b, corner_b, face_b);
    for (uint32_t turn = 0; turn < 3; turn++) {
        if (face_a[0] == face_b[turn]) {
            return face_a[1] == face_b[(turn + 1) % 3];
        }
    }
    return false;
}

static uint32_t corner_towards(const struct body *body, uint32_t tetrahedron, uint32_t neighbour)
{
    uint32_t corner = 0;
    while (corner < 3 && body->neighbours[tetrahedron][corner] != neighbour) {
        corner++;
    }
    return corner;
}

static void swap(uint32_t *a, uint32_t *b)
{
    uint32_t old = *a;
    *a = *b;
    *b = old;
}

void mesh_wedges_follow_neighbours(struct body *body)
{
    uint64_t alike = 0, otherwise = 0;
    for (uint32_t i = 0; body->cell_kinds && i < body->tetrahedron_count; i++) {
        for (uint32_t corner = 0; is_wedge(body, i) && corner < 4; corner++) {
            uint32_t neighbour = body->neighbours[i][corner];
            if (neighbour >= NEIGHBOUR_NONMANIFOLD || is_wedge(body, neighbour)) {
                continue;
            }
            uint32_t corner_back = corner_towards(body, neighbour, i);
            if (run_the_same_way(body->tetrahedra[i], corner, body->tetrahedra[neighbour], corner_back)) {
                otherwise++;
            } else {
                alike++;
            }
        }
    }
    for (uint32_t i = 0; otherwise > alike && i < body->tetrahedron_count; i++) {
        if (is_wedge(body, i)) {
            swap(&body->tetrahedra[i][2], &body->tetrahedra[i][3]);
            swap(&body->neighbours[i][2], &body->neighbours[i][3]);
        }
    }
}
