/* The contour walk where the mesh is not what the argument asks for: cells turned inside out, and cuts.
 *
 * In each component of cells those of the rarer orientation sign are taken out; what is left is a mesh of positive
 * cells with more walls: hidden ones, towards cells taken out and at faces that no orientation fits. They bound the
 * walk like the surface, but are never reported. Instead of seeds of their own, everything at them is compared
 * directly, through small trees of boxes:
 *   - vertices and surface faces of the world with the removed cells, by the exact tests behind the sink;
 *   - surface faces with a corner at a defect, hidden walls and vertices at defects with all cells that are left;
 *   - surface faces of the world with the cells behind hidden walls.
 * So the flood starts from every place where its way could have ended at a defect. Cost: one pass over all cells and
 * vertices, only when there is a defect. When a large part of the cells is inside out, another method answers.
 */
#include "methods/contour_walk/contour_walk.h"

#include <stddef.h>
#include <string.h>

#include "structures/boxes/box_tree.h"

enum { ITEMS_PER_BLOCK = 1024 };

/* ---- where the defects are ---------------------------------------------------------------------- */

static bool add_hidden_wall(struct contour_search *search, uint32_t body_index, uint32_t cell, uint32_t corner)
{
    struct hidden_wall wall = {body_index, cell, corner};
    const struct walk_body *body = &search->bodies[body_index];
    for (int k = 0; k < 3; k++) {
        search->defective[body->first_vertex + body->mesh->cells[cell].vertices[walk_face_corners[corner][k]]] = 1;
    }
    return walk_is_removed(body, cell) || array_push(&search->state->hidden_walls, &wall);
}

static bool list_defects(struct contour_search *search)
{
    const struct walk_seed *removed = search->state->removed_cells.data;
    for (size_t i = 0; i < search->state->removed_cells.count; i++) {
        const struct walk_body *body = &search->bodies[removed[i].body_b];
        const struct walk_cell *cell = &body->mesh->cells[removed[i].cell];
        for (uint32_t corner = 0; corner < 4; corner++) {
            search->defective[body->first_vertex + cell->vertices[corner]] = 1;
            if (cell->neighbours[corner] != WALK_WALL &&
                !add_hidden_wall(search, removed[i].body_b, cell->neighbours[corner], cell->back[corner])) {
                return false;
            }
        }
    }
    for (uint32_t body_index = 0; body_index < search->body_count; body_index++) {
        const struct walk_mesh *mesh = search->bodies[body_index].mesh;
        for (uint32_t i = 0; i < mesh->cut_count; i++) {
            if (!add_hidden_wall(search, body_index, mesh->cuts[i] / 4, mesh->cuts[i] % 4)) {
                return false;
            }
        }
    }
    return true;
}

bool contour_list_defects(struct contour_search *search)
{
    uint64_t cuts = 0;
    for (uint32_t body_index = 0; body_index < search->body_count; body_index++) {
        cuts += search->bodies[body_index].mesh->cut_count;
    }
    if (search->state->removed_cells.count == 0 && cuts == 0) {
        return true;
    }
    if (search->state->removed_cells.count > search->cell_count / 4 + 64) {
        search->lost = true;
        return true;
    }
    search->defective = arena_allocate_cleared(search->request->scratch, search->vertex_count, 1);
    return search->defective && list_defects(search);
}

/* ---- trees ----------------------------------------------------------------------------------- */

enum item_kind { ITEM_REMOVED_CELL, ITEM_FACE, ITEM_WALL, ITEM_VERTEX };

struct defect_item {
    uint32_t kind, body, number; /* of the cell, face or vertex of the body; of the wall in hidden_walls */
};

/* Things at defects, with a tree over their boxes. */
struct defect_tree {
    struct defect_item *items;
    double (*ends)[3]; /* two per item: the box */
    uint32_t (*corners)[2];
    uint32_t count;
    struct box_tree tree;
};

struct defect_pass {
    struct contour_search *search;
    struct defect_tree *removed, *walls, *all; /* removed cells; hidden walls; faces, walls and vertices at defects */
};

static bool defect_tree_begin(struct defect_tree *tree, struct arena *scratch, size_t most)
{
    *tree = (struct defect_tree){0};
    tree->items = arena_allocate(scratch, most, sizeof *tree->items);
    tree->ends = arena_allocate(scratch, most, 2 * sizeof *tree->ends);
    tree->corners = arena_allocate(scratch, most, sizeof *tree->corners);
    return tree->items && tree->ends && tree->corners;
}

static void defect_tree_add(struct defect_tree *tree, enum item_kind kind, uint32_t body, uint32_t number,
                            const double (*xyz)[3], const uint32_t *vertices, uint32_t vertex_count)
{
    struct box box;
    uint32_t i = tree->count++;
    box_around(&box, xyz, vertices, vertex_count);
    tree->items[i] = (struct defect_item){kind, body, number};
    memcpy(tree->ends[2 * i], box.lo, sizeof box.lo);
    memcpy(tree->ends[2 * i + 1], box.hi, sizeof box.hi);
    tree->corners[i][0] = 2 * i;
    tree->corners[i][1] = 2 * i + 1;
}

static bool defect_tree_end(struct defect_tree *tree, struct arena *scratch)
{
    return box_tree_build(&tree->tree, scratch, (const double(*)[3])tree->ends, tree->corners, 2, sizeof *tree->corners,
                          tree->count, false);
}

static bool face_is_defective(const struct contour_search *search, const struct walk_body *body, uint32_t face)
{
    bool defective = false;
    for (int k = 0; k < 3; k++) {
        defective |= search->defective[body->first_vertex + body->body->surface_faces[face].corners[k]];
    }
    return defective;
}

static bool build_removed(struct contour_search *search, struct defect_tree *tree)
{
    const struct walk_seed *removed = search->state->removed_cells.data;
    if (!defect_tree_begin(tree, search->request->scratch, search->state->removed_cells.count)) {
        return false;
    }
    for (size_t i = 0; i < search->state->removed_cells.count; i++) {
        const struct walk_body *body = &search->bodies[removed[i].body_b];
        defect_tree_add(tree, ITEM_REMOVED_CELL, removed[i].body_b, removed[i].cell, body->xyz,
                        body->mesh->cells[removed[i].cell].vertices, 4);
    }
    return defect_tree_end(tree, search->request->scratch);
}

static void add_walls(struct contour_search *search, struct defect_tree *tree)
{
    const struct hidden_wall *walls = search->state->hidden_walls.data;
    for (uint32_t i = 0; i < search->state->hidden_walls.count; i++) {
        const struct walk_body *body = &search->bodies[walls[i].body];
        uint32_t vertices[3];
        for (int k = 0; k < 3; k++) {
            vertices[k] = body->mesh->cells[walls[i].cell].vertices[walk_face_corners[walls[i].corner][k]];
        }
        defect_tree_add(tree, ITEM_WALL, walls[i].body, i, body->xyz, vertices, 3);
    }
}

static bool build_walls(struct contour_search *search, struct defect_tree *tree)
{
    if (!defect_tree_begin(tree, search->request->scratch, search->state->hidden_walls.count)) {
        return false;
    }
    add_walls(search, tree);
    return defect_tree_end(tree, search->request->scratch);
}

/* Faces with a corner at a defect. */
static bool build_faces(struct contour_search *search, struct defect_tree *tree)
{
    size_t count = 0;
    for (uint32_t pass = 0; pass < 2; pass++) {
        for (uint32_t body_index = 0; body_index < search->body_count; body_index++) {
            const struct walk_body *body = &search->bodies[body_index];
            for (uint32_t face = 0; face < body->mesh->face_count; face++) {
                if (!face_is_defective(search, body, face)) {
                    continue;
                }
                count++;
                if (pass == 1) {
                    defect_tree_add(tree, ITEM_FACE, body_index, face, body->xyz,
                                    body->body->surface_faces[face].corners, 3);
                }
            }
        }
        if (pass == 0 && !defect_tree_begin(tree, search->request->scratch, count)) {
            return false;
        }
    }
    return defect_tree_end(tree, search->request->scratch);
}

static bool build_walls_and_vertices(struct contour_search *search, struct defect_tree *tree)
{
    size_t count = search->state->hidden_walls.count;
    for (uint32_t i = 0; i < search->vertex_count; i++) {
        count += search->defective[i];
    }
    if (!defect_tree_begin(tree, search->request->scratch, count)) {
        return false;
    }
    add_walls(search, tree);
    for (uint32_t body_index = 0; body_index < search->body_count; body_index++) {
        const struct walk_body *body = &search->bodies[body_index];
        for (uint32_t vertex = 0; vertex < body->mesh->vertex_count; vertex++) {
            if (search->defective[body->first_vertex + vertex] && vertex_is_asked(search->request, body->body, vertex)) {
                defect_tree_add(tree, ITEM_VERTEX, body_index, vertex, body->xyz, &vertex, 1);
            }
        }
    }
    return defect_tree_end(tree, search->request->scratch);
}

/* ---- passes ---------------------------------------------------------------------------------- */

/* Where a number of the world lies: the body, and the number there. */
static uint32_t body_of_number(const struct contour_search *search, uint32_t number, size_t field)
{
    uint32_t low = 0, high = search->body_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2, first;
        memcpy(&first, (const char *)&search->bodies[middle] + field, sizeof first);
        if (first <= number) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static uint32_t whole_cell(const struct walk_body *body, uint32_t tetrahedron)
{
    return body->body->cell_of_tetrahedron ? body->body->cell_of_tetrahedron[tetrahedron] : tetrahedron;
}

static void offer_removed(struct defect_pass *pass, uint32_t block, uint32_t body_index, uint32_t feature,
                          const struct box *box)
{
    const struct contour_search *search = pass->search;
    struct box_walk walk;
    uint32_t item;
    for (box_walk_begin(&walk, &pass->removed->tree, box); box_walk_next(&walk, &item);) {
        const struct defect_item *found = &pass->removed->items[item];
        const struct walk_body *body = &search->bodies[found->body];
        if (bodies_may_meet(search->bodies[body_index].body, body->body)) {
            struct candidate candidate = {body_index, feature, found->body, whole_cell(body, found->number)};
            block_output_append(&search->state->candidate_output, block, &candidate, 1);
        }
    }
}

static void pass_vertices(void *data, uint32_t block, uint32_t worker)
{
    struct defect_pass *pass = data;
    const struct contour_search *search = pass->search;
    uint32_t begin = block * ITEMS_PER_BLOCK,
             end = begin + ITEMS_PER_BLOCK < search->vertex_count ? begin + ITEMS_PER_BLOCK : search->vertex_count;
    (void)worker;
    for (uint32_t i = begin; i < end && !search_cancelled(search->request); i++) {
        uint32_t body_index = body_of_number(search, i, offsetof(struct walk_body, first_vertex));
        const struct walk_body *body = &search->bodies[body_index];
        uint32_t vertex = i - body->first_vertex;
        struct box box;
        if (vertex_is_asked(search->request, body->body, vertex)) {
            box_around(&box, body->xyz, &vertex, 1);
            offer_removed(pass, block, body_index, vertex, &box);
        }
    }
}

static void pass_faces(void *data, uint32_t block, uint32_t worker)
{
    struct defect_pass *pass = data;
    const struct contour_search *search = pass->search;
    uint32_t begin = block * ITEMS_PER_BLOCK,
             end = begin + ITEMS_PER_BLOCK < search->face_count ? begin + ITEMS_PER_BLOCK : search->face_count;
    (void)worker;
    for (uint32_t i = begin; i < end && !search_cancelled(search->request); i++) {
        uint32_t body_index = body_of_number(search, i, offsetof(struct walk_body, first_face)), item;
        const struct walk_body *body = &search->bodies[body_index];
        const struct hidden_wall *walls = search->state->hidden_walls.data;
        struct box_walk walk;
        struct box box;
        box_around(&box, body->xyz, body->body->surface_faces[i - body->first_face].corners, 3);
        if (search->request->questions & DENT_QUESTION_FACE_CELL) {
            offer_removed(pass, block, body_index, i - body->first_face, &box);
        }
        for (box_walk_begin(&walk, &pass->walls->tree, &box); box_walk_next(&walk, &item);) {
            const struct hidden_wall *wall = &walls[pass->walls->items[item].number];
            struct walk_seed seed = {body_index, i - body->first_face, wall->body, wall->cell};
            if (bodies_may_meet(body->body, search->bodies[wall->body].body)) {
                block_output_append(&search->state->seed_output, block, &seed, 1);
            }
        }
    }
}

bool contour_cell_holds(const struct walk_body *body, uint32_t cell, struct numbered_point p, bool *degenerate,
                        predicate_counters *counters)
{
    const struct walk_cell *record = &body->mesh->cells[cell];
    struct numbered_point points[4];
    walk_cell_points(body, record, points);
    for (int corner = 0; corner < 4; corner++) {
        struct numbered_point kept = points[corner];
        points[corner] = p;
        if (perturbed_orientation(points[0], points[1], points[2], points[3], degenerate, counters) !=
            walk_orientation(body, record)) {
            return false;
        }
        points[corner] = kept;
    }
    return true;
}

/* A hidden wall and a cell: edges of the cell that pierce it lead inward. */
static void compare_wall(struct contour_search *search, const struct hidden_wall *wall, uint32_t body_index,
                         uint32_t cell, uint32_t block, uint32_t worker, predicate_counters *counters)
{
    const struct walk_body *solid = &search->bodies[wall->body], *body = &search->bodies[body_index];
    struct numbered_point cell_points[4], owner_points[4], face[3];
    struct face_cell_overlap overlap;
    walk_cell_points(solid, &solid->mesh->cells[wall->cell], owner_points);
    walk_cell_points(body, &body->mesh->cells[cell], cell_points);
    for (int k = 0; k < 3; k++) {
        face[k] = owner_points[walk_face_corners[wall->corner][k]];
    }
    face_cell_overlap_shared(face, cell_points, walk_orientation(body, &body->mesh->cells[cell]), &overlap, counters);
    if (overlap.cell_edges) {
        bool positive = walk_orientation(solid, &solid->mesh->cells[wall->cell]) > 0;
        uint8_t edges = overlap.cell_edges & contour_edges_to_follow(search, body, &body->mesh->cells[cell]);
        struct pierced_wall pierced = {wall->body,
                                       wall->cell,
                                       wall->corner,
                                       body_index,
                                       cell,
                                       edges,
                                       (uint8_t)(positive ? ~overlap.above : overlap.above),
                                       overlap.degenerate};
        contour_follow_edges(search, &pierced, block, &search->state->workers[worker], counters);
    }
}

static void compare_cell(struct defect_pass *pass, const struct defect_item *item, uint32_t body_index, uint32_t cell,
                         uint32_t block, uint32_t worker, predicate_counters *counters)
{
    struct contour_search *search = pass->search;
    const struct walk_body *body = &search->bodies[body_index], *other = &search->bodies[item->body];
    struct walk_seed seed = {item->body, item->number, body_index, cell};
    bool degenerate = body->odd_cells && body->odd_cells[cell];
    if (!bodies_may_meet(body->body, other->body)) {
        return;
    }
    switch ((enum item_kind)item->kind) {
    case ITEM_FACE:
        block_output_append(&search->state->seed_output, block, &seed, 1);
        break;
    case ITEM_WALL:
        if (!search->request->surface_vertices_only) {
            compare_wall(search, (const struct hidden_wall *)search->state->hidden_walls.data + item->number,
                         body_index, cell, block, worker, counters);
        }
        break;
    case ITEM_VERTEX:
        if (contour_cell_holds(body, cell, walk_point(other, item->number), &degenerate, counters)) {
            contour_put_slot(search, block, item->body, item->number, body_index, cell, degenerate);
        }
        break;
    case ITEM_REMOVED_CELL:
        break;
    }
}

static void pass_cells(void *data, uint32_t block, uint32_t worker)
{
    struct defect_pass *pass = data;
    struct contour_search *search = pass->search;
    uint32_t begin = block * ITEMS_PER_BLOCK,
             end = begin + ITEMS_PER_BLOCK < search->cell_count ? begin + ITEMS_PER_BLOCK : search->cell_count;
    predicate_counters *counters = search->sink->predicates(search->sink, worker);
    for (uint32_t i = begin; i < end && !search_cancelled(search->request); i++) {
        uint32_t body_index = body_of_number(search, i, offsetof(struct walk_body, first_cell)), item;
        const struct walk_body *body = &search->bodies[body_index];
        uint32_t cell = i - body->first_cell;
        struct box_walk walk;
        struct box box;
        if (walk_is_removed(body, cell)) {
            continue;
        }
        box_around(&box, body->xyz, body->mesh->cells[cell].vertices, 4);
        for (box_walk_begin(&walk, &pass->all->tree, &box); box_walk_next(&walk, &item);) {
            compare_cell(pass, &pass->all->items[item], body_index, cell, block, worker, counters);
        }
    }
}

static uint32_t blocks_of(uint32_t count)
{
    return (uint32_t)(((uint64_t)count + ITEMS_PER_BLOCK - 1) / ITEMS_PER_BLOCK);
}

bool contour_seed_defects(struct contour_search *search)
{
    struct contour_state *state = search->state;
    struct defect_tree removed, walls, faces;
    struct defect_pass pass = {.search = search, .removed = &removed, .walls = &walls, .all = &faces};
    if (!search->defective || search->state->leave_out & SEED_DEFECTS) {
        return true;
    }
    if (!build_removed(search, &removed) || !build_walls(search, &walls) || !build_faces(search, &faces)) {
        return false;
    }
    if (search->request->questions & DENT_QUESTION_VERTEX_CELL) {
        if (!block_output_begin(&state->candidate_output, blocks_of(search->vertex_count))) {
            return false;
        }
        dent_parallel_for(state->context, blocks_of(search->vertex_count), pass_vertices, &pass);
        if (!block_output_merge(&state->candidate_output, &state->candidates[0])) {
            return false;
        }
    }
    if (!block_output_begin(&state->candidate_output, blocks_of(search->face_count)) ||
        !block_output_begin(&state->seed_output, blocks_of(search->face_count))) {
        return false;
    }
    dent_parallel_for(state->context, blocks_of(search->face_count), pass_faces, &pass);
    if (!block_output_merge(&state->candidate_output, &state->candidates[1]) ||
        !block_output_merge(&state->seed_output, &state->seeds) ||
        !block_output_begin(&state->seed_output, blocks_of(search->cell_count))) {
        return false;
    }
    dent_parallel_for(state->context, blocks_of(search->cell_count), pass_cells, &pass);
    return block_output_merge(&state->seed_output, &state->seeds);
}

bool contour_place_defects(struct contour_search *search)
{
    struct defect_tree tree;
    struct defect_pass pass = {.search = search, .all = &tree};
    if (!build_walls_and_vertices(search, &tree) ||
        !block_output_begin(&search->state->place_output, blocks_of(search->cell_count))) {
        return false;
    }
    dent_parallel_for(search->state->context, blocks_of(search->cell_count), pass_cells, &pass);
    return true;
}
