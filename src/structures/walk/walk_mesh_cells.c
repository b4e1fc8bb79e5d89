/* Cells of a walk mesh: a common orientation for those that share faces.
 *
 * A flood through the faces turns cells over until two neighbours go around their common face in opposite senses. Faces
 * that no orientation fits (the mesh is not orientable, or two cells lie on the same side of a face) become walls on
 * both sides.
 */
#include "structures/walk/walk_mesh_build.h"

#include <string.h>

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
    cell->flipped = true;
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
                build->mesh->flipped_count++;
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

bool walk_build_cells(struct walk_build *build)
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
