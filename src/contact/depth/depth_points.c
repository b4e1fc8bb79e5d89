/* Which vertices lie inside which body (S1), and through which of their edges the surface is reached (S2).
 *
 * S1 comes from vertex-cell, for closed surfaces from depth_surfaces.c. S2 comes from the cut edges of the border:
 * exact signs of slightly moved points, so an edge between a vertex inside and one outside has a hit. Where it has
 * none, the outer vertex lies exactly on inner faces of b (vertex-cell asks about open cells): such vertices are looked
 * at with exact arithmetic and become points too. In: the answers of the query. Out: state->points, terms, chords.
 */
#include "contact/depth/contact_run.h"

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/perturbed_orientation.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "query/pairs/pair_tests.h"

enum { POINTS_PER_BLOCK = 512 };

/* ---- S1 ---------------------------------------------------------------------------------------------------------- */

/* Self-collision: three corners of the cell are neighbours of the vertex, so the cell lies across a face from one of
 * its own: the vertex went through that face, its cell is turned inside out. */
static bool lies_in_own_ring(const struct contact_run *run, const dent_pair *pair, const dent_cell_point *location)
{
    const struct contact_mesh *mesh = &run->state->meshes[pair->body_a];
    int shared = 0;
    if (pair->body_a != pair->body_b) {
        return false;
    }
    for (int k = 0; k < 4; k++) {
        for (uint32_t i = mesh->first[pair->feature_a]; i < mesh->first[pair->feature_a + 1]; i++) {
            shared += mesh->neighbours[i].vertex == location->corners[k];
        }
    }
    return shared >= 3;
}

static bool push_point(struct contact_run *run, uint32_t body_a, uint32_t vertex, uint32_t body_b, uint32_t cell_pair)
{
    struct depth_point point = {.body_a = body_a,
                                .vertex = vertex,
                                .body_b = body_b,
                                .cell_pair = cell_pair,
                                .cell = SLOT_NONE,
                                .face = SLOT_NONE,
                                .previous = SLOT_NONE};
    return array_push(&run->state->points, &point);
}

static bool take_vertices_in_cells(struct contact_run *run)
{
    const dent_pair_list *list = &run->query->vertex_cell;
    for (uint64_t i = 0, end; i < list->count; i = end) {
        const dent_pair *pair = &list->pairs[i];
        uint64_t chosen = UINT64_MAX;
        bool inverted = false;
        for (end = i; end < list->count && list->pairs[end].body_a == pair->body_a &&
                      list->pairs[end].feature_a == pair->feature_a && list->pairs[end].body_b == pair->body_b;
             end++) {
            if (list->pairs[end].kind != DENT_PAIR_INTERIOR || chosen != UINT64_MAX) {
                continue;
            }
            if (lies_in_own_ring(run, &list->pairs[end], &list->cell_points[end])) {
                inverted = true;
            } else {
                chosen = end;
            }
        }
        run->counters.inverted_vertices += inverted && chosen == UINT64_MAX;
        if (chosen != UINT64_MAX && !push_point(run, pair->body_a, pair->feature_a, pair->body_b, (uint32_t)chosen)) {
            return false;
        }
    }
    return true;
}

/* ---- order and table --------------------------------------------------------------------------------------------- */

static void clear_table(struct contact_run *run)
{
    const struct depth_point *points = run->state->points.data;
    for (size_t i = 0; i < run->state->points.count; i++) {
        run->state->meshes[points[i].body_a].slot[points[i].vertex] = 0;
    }
}

static void fill_table(struct contact_run *run)
{
    const struct depth_point *points = run->state->points.data;
    for (size_t i = run->state->points.count; i-- > 0;) {
        run->state->meshes[points[i].body_a].slot[points[i].vertex] = (uint32_t)i + 1;
    }
}

/* By (body a, vertex, body b). */
static bool sort_points(struct contact_run *run)
{
    size_t count = run->state->points.count;
    struct depth_point *points = run->state->points.data;
    struct arena_mark mark = arena_mark(run->scratch);
    struct depth_point *unsorted = arena_allocate(run->scratch, count, sizeof *unsorted);
    struct key128 *keys = arena_allocate(run->scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(run->scratch, count, 2 * sizeof *order);
    if (!unsorted || !keys || !order) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        unsorted[i] = points[i];
        keys[i] = (struct key128){(uint64_t)points[i].body_a << 32 | points[i].vertex, points[i].body_b};
        order[i] = (uint32_t)i;
    }
    radix_sort_u128(keys, order, keys + count, order + count, count);
    for (size_t i = 0; i < count; i++) {
        points[i] = unsorted[order[i]];
    }
    arena_rewind(run->scratch, mark);
    return true;
}

/* ---- the cut edges ----------------------------------------------------------------------------------------------- */

static bool find_runs(struct contact_run *run)
{
    const dent_border *border = &run->query->border;
    array_clear(&run->state->runs);
    for (uint64_t i = 0, end; i < border->cut_edge_count; i = end) {
        const dent_cut_edge *cut = &border->cut_edges[i];
        for (end = i + 1; end < border->cut_edge_count && border->cut_edges[end].edge == cut->edge &&
                          border->cut_edges[end].body_a == cut->body_a && border->cut_edges[end].body_b == cut->body_b;
             end++) {
        }
        struct cut_run record = {(uint32_t)i, (uint32_t)(end - i)};
        if (!array_push(&run->state->runs, &record)) {
            return false;
        }
    }
    return true;
}

static void mark_cut_edges(struct contact_run *run, uint8_t value)
{
    const dent_border *border = &run->query->border;
    for (uint64_t i = 0; i < border->cut_edge_count; i++) {
        run->state->meshes[border->cut_edges[i].body_a].edge_cut[border->cut_edges[i].edge] = value;
    }
}

const struct cut_run *contact_run_of(const struct contact_run *run, uint32_t body_a, uint32_t edge, uint32_t body_b)
{
    if (!run->state->meshes[body_a].edge_cut[edge]) {
        return NULL;
    }
    const struct cut_run *runs = run->state->runs.data;
    const dent_cut_edge *cuts = run->query->border.cut_edges;
    size_t low = 0, high = run->state->runs.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const dent_cut_edge *cut = &cuts[runs[middle].first];
        bool before = cut->body_a != body_a ? cut->body_a < body_a
                      : cut->edge != edge   ? cut->edge < edge
                                            : cut->body_b < body_b;
        if (before) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const dent_cut_edge *cut = low < run->state->runs.count ? &cuts[runs[low].first] : NULL;
    return cut && cut->body_a == body_a && cut->edge == edge && cut->body_b == body_b ? &runs[low] : NULL;
}

/* ---- sides of faces ---------------------------------------------------------------------------------------------- */

int contact_face_side(const struct contact_run *run, uint32_t body, uint32_t face)
{
    const struct body_snapshot *body_snapshot = &run->snapshot->bodies[body];
    if (!body_has_cells(body_snapshot->body)) {
        return run->surface_side[body] < 0 ? -1 : 1;
    }
    const uint32_t *t = body_snapshot->body->tetrahedra[body_snapshot->body->surface_face_tetrahedron[face]];
    predicate_counters ignored = {0};
    return orientation_3d_counted(body_snapshot->xyz[t[0]], body_snapshot->xyz[t[1]], body_snapshot->xyz[t[2]],
                                  body_snapshot->xyz[t[3]], &ignored) < 0
               ? -1
               : 1;
}

static struct numbered_point moved_point(const struct contact_run *run, uint32_t body, uint32_t vertex)
{
    return (struct numbered_point){run->snapshot->bodies[body].xyz[vertex], run->first_number[body] + vertex};
}

/* The volume of (face, vertex) is positive on the side the face's normal points to. */
bool contact_vertex_is_outside_face(const struct contact_run *run, uint32_t body_a, uint32_t vertex, uint32_t body_b,
                                    uint32_t face)
{
    const uint32_t *v = run->snapshot->bodies[body_b].body->surface_faces[face].corners;
    predicate_counters ignored = {0};
    bool zero;
    int sign = perturbed_orientation(moved_point(run, body_b, v[0]), moved_point(run, body_b, v[1]),
                                     moved_point(run, body_b, v[2]), moved_point(run, body_a, vertex), &zero, &ignored);
    return sign * contact_face_side(run, body_b, face) > 0;
}

/* ---- vertices on faces of b -------------------------------------------------------------------------------------- */

static uint32_t first_tetrahedron_of(const struct contact_run *run, const struct depth_point *point)
{
    const struct body *body = run->snapshot->bodies[point->body_b].body;
    uint32_t end;
    if (point->cell_pair == SLOT_NONE) {
        return point->cell;
    }
    return cell_tetrahedra(body, run->query->vertex_cell.pairs[point->cell_pair].feature_b, &end);
}

/* An edge without a hit from a vertex inside to one that is not known to be: that one is inside as well, if the surface
 * of b is in order there. */
static void lost_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct contact_run *run = data;
    const struct depth_point *points = run->state->points.data;
    size_t begin = (size_t)block * POINTS_PER_BLOCK, count = run->state->points.count;
    size_t end = count - begin < POINTS_PER_BLOCK ? count : begin + POINTS_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        const struct depth_point *point = &points[i];
        const struct contact_mesh *mesh = &run->state->meshes[point->body_a];
        const uint8_t *is_surface = run->snapshot->bodies[point->body_a].body->edge_is_surface;
        for (uint32_t k = mesh->first[point->vertex]; k < mesh->first[point->vertex + 1]; k++) {
            struct contact_neighbour neighbour = mesh->neighbours[k];
            if ((run->def->surface_only && !is_surface[neighbour.edge]) ||
                depth_point_of(run, point->body_a, neighbour.vertex, point->body_b) ||
                contact_edge_is_cut(run, point->body_a, neighbour.edge, point->body_b)) {
                continue;
            }
            struct lost_edge lost = {point->body_a, neighbour.vertex, point->body_b, first_tetrahedron_of(run, point),
                                     is_surface[neighbour.edge]};
            block_output_append(&run->state->lost_blocks, block, &lost, 1);
        }
    }
}

static bool find_lost_edges(struct contact_run *run)
{
    uint32_t blocks = (uint32_t)(run->state->points.count / POINTS_PER_BLOCK + 1);
    if (run->state->points.count == 0) {
        return true;
    }
    if (!block_output_begin(&run->state->lost_blocks, blocks)) {
        return false;
    }
    dent_parallel_for(run->state->context, blocks, lost_block, run);
    return block_output_merge(&run->state->lost_blocks, &run->state->lost);
}

int contact_run_balance(const struct contact_run *run, const struct cut_run *cuts)
{
    const dent_cut_edge *cut = run->query->border.cut_edges + cuts->first;
    int balance = 0;
    for (uint32_t i = 0; i < cuts->count; i++) {
        balance += contact_vertex_is_outside_face(run, cut->body_a, cut->v0, cut->body_b, cut[i].face) ? -1 : 1;
    }
    return balance;
}

/* The ends of cut edges that are not known to be inside, where the hits say that one must be. Ways out less ways in,
 * from v0 to v1, are the difference of the two ends: no order of the hits is needed, which only the moved points know.
 */
static bool find_lost_ends(struct contact_run *run)
{
    const struct cut_run *runs = run->state->runs.data;
    for (size_t i = 0; i < run->state->runs.count; i++) {
        const dent_cut_edge *cut = run->query->border.cut_edges + runs[i].first;
        const struct body *a = run->snapshot->bodies[cut->body_a].body, *b = run->snapshot->bodies[cut->body_b].body;
        bool inside[2] = {depth_point_of(run, cut->body_a, cut->v0, cut->body_b) != NULL,
                          depth_point_of(run, cut->body_a, cut->v1, cut->body_b) != NULL};
        bool in_order = (runs[i].count % 2 == 1) == (inside[0] != inside[1]);
        if (!body_has_cells(b) || in_order || !a->edge_is_surface[cut->edge]) {
            continue; /* of inner edges only those hits are listed that are more than a touch */
        }
        int balance = contact_run_balance(run, &runs[i]);
        int end = balance != 0 ? balance < 0 : inside[0]; /* this one must be inside */
        uint32_t vertex = end ? cut->v1 : cut->v0;
        struct lost_edge lost = {cut->body_a, vertex, cut->body_b, b->surface_face_tetrahedron[cut->face], true};
        if (!inside[end] && !corners_share_vertex(a, &vertex, 1, b, b->surface_faces[cut->face].corners, 3) &&
            !array_push(&run->state->lost, &lost)) {
            return false;
        }
    }
    return true;
}

/* Sorted, each once. */
static bool sort_lost(struct contact_run *run)
{
    size_t count = run->state->lost.count, kept = 0;
    struct lost_edge *lost = run->state->lost.data;
    struct arena_mark mark = arena_mark(run->scratch);
    struct key128 *keys = arena_allocate(run->scratch, count, 2 * sizeof *keys);
    if (!keys) {
        return false;
    }
    for (size_t i = 0; i < count; i++) { /* where to start is a guess and may lose a bit */
        keys[i] = (struct key128){(uint64_t)lost[i].body_a << 32 | lost[i].vertex, (uint64_t)lost[i].body_b << 32 |
                                                                                       (uint64_t)!lost[i].counts << 31 |
                                                                                       (lost[i].start & INT32_MAX)};
    }
    radix_sort_u128(keys, NULL, keys + count, NULL, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || keys[i].high != keys[i - 1].high || keys[i].low >> 32 != keys[i - 1].low >> 32) {
            lost[kept++] = (struct lost_edge){(uint32_t)(keys[i].high >> 32), (uint32_t)keys[i].high,
                                              (uint32_t)(keys[i].low >> 32), (uint32_t)keys[i].low & INT32_MAX,
                                              !(keys[i].low >> 31 & 1)};
        }
    }
    run->state->lost.count = kept;
    arena_rewind(run->scratch, mark);
    return true;
}

/* From tetrahedron to tetrahedron towards p, through faces that have it on their other side. The tetrahedron that holds
 * it in its closure, or SLOT_NONE when the way leaves the body or is long. */
static uint32_t walk_to(const struct body_snapshot *b, const double p[3], uint32_t start)
{
    enum { STEPS_MOST = 64 };
    predicate_counters ignored = {0};
    for (int step = 0; step < STEPS_MOST && start < b->body->tetrahedron_count; step++) {
        const uint32_t *v = b->body->tetrahedra[start];
        const double *c[4] = {b->xyz[v[0]], b->xyz[v[1]], b->xyz[v[2]], b->xyz[v[3]]};
        int sign = orientation_3d_counted(c[0], c[1], c[2], c[3], &ignored), beyond = -1;
        for (int k = 0; k < 4 && beyond < 0 && sign != 0; k++) {
            const double *d[4] = {c[0], c[1], c[2], c[3]};
            d[k] = p;
            beyond = orientation_3d_counted(d[0], d[1], d[2], d[3], &ignored) == -sign ? k : -1;
        }
        if (beyond < 0) {
            return sign != 0 ? start : SLOT_NONE;
        }
        start = b->body->neighbours[start][beyond]; /* none: larger than any number */
    }
    return SLOT_NONE;
}

/* The first tetrahedron of the body, not flat and without the vertex itself, that holds it in its closure. */
static uint32_t search_for_cell(const struct contact_run *run, const struct lost_edge *lost,
                                const struct box_tree *tree)
{
    const struct body_snapshot *b = &run->snapshot->bodies[lost->body_b];
    const struct body *a = run->snapshot->bodies[lost->body_a].body;
    const double *p = run->snapshot->bodies[lost->body_a].xyz[lost->vertex];
    struct box box = {{p[0], p[1], p[2]}, {p[0], p[1], p[2]}};
    predicate_counters ignored = {0};
    struct box_walk walk;
    uint32_t tetrahedron, best = SLOT_NONE;
    box_walk_begin(&walk, tree, &box);
    while (box_walk_next(&walk, &tetrahedron)) {
        const uint32_t *v = b->body->tetrahedra[tetrahedron];
        const double *c[4] = {b->xyz[v[0]], b->xyz[v[1]], b->xyz[v[2]], b->xyz[v[3]]};
        if (tetrahedron < best && !corners_share_vertex(a, &lost->vertex, 1, b->body, v, 4) &&
            orientation_3d_counted(c[0], c[1], c[2], c[3], &ignored) != 0 &&
            point_versus_tetrahedron(p, c[0], c[1], c[2], c[3], &ignored) != POINT_OUTSIDE) {
            best = tetrahedron;
        }
    }
    return best;
}

/* Is the point, in the closure of a tetrahedron, on the surface of the body? Goes around it through the faces it lies
 * on. */
static bool is_on_surface(const struct body_snapshot *b, const double p[3], uint32_t tetrahedron)
{
    enum { AROUND_MOST = 128 };
    uint32_t around[AROUND_MOST] = {tetrahedron}, count = 1;
    predicate_counters ignored = {0};
    for (uint32_t at = 0; at < count; at++) {
        const uint32_t *v = b->body->tetrahedra[around[at]];
        for (int k = 0; k < 4; k++) {
            const double *c[4] = {b->xyz[v[0]], b->xyz[v[1]], b->xyz[v[2]], b->xyz[v[3]]};
            uint32_t next = b->body->neighbours[around[at]][k], i = 0;
            c[k] = p;
            if (orientation_3d_counted(c[0], c[1], c[2], c[3], &ignored) != 0) {
                continue;
            }
            if (next >= b->body->tetrahedron_count || count == AROUND_MOST) {
                return true;
            }
            while (i < count && around[i] != next) {
                i++;
            }
            around[count] = next;
            count += i == count;
        }
    }
    return false;
}

static const struct box_tree *cell_tree(struct contact_run *run, uint32_t body)
{
    if (!run->cell_trees[body]) {
        const struct body_snapshot *body_snapshot = &run->snapshot->bodies[body];
        struct box_tree *tree = arena_allocate_cleared(run->scratch, 1, sizeof *tree);
        if (!tree ||
            !box_tree_build(tree, run->scratch, body_snapshot->xyz, body_snapshot->body->tetrahedra, 4,
                            sizeof *body_snapshot->body->tetrahedra, body_snapshot->body->tetrahedron_count, false)) {
            return NULL;
        }
        run->cell_trees[body] = tree;
    }
    return run->cell_trees[body];
}

/* The moved vertex is inside, if b's surface is in order; the vertex itself must lie in a closed cell of b then.
 * *added: it became a point. */
static bool judge_lost(struct contact_run *run, const struct lost_edge *lost, bool *added)
{
    const struct body_snapshot *a = &run->snapshot->bodies[lost->body_a], *b = &run->snapshot->bodies[lost->body_b];
    uint32_t cell = SLOT_NONE;
    if (body_has_cells(b->body)) {
        cell = walk_to(b, a->xyz[lost->vertex], lost->start);
        if (cell == SLOT_NONE ||
            corners_share_vertex(a->body, &lost->vertex, 1, b->body, b->body->tetrahedra[cell], 4)) {
            const struct box_tree *tree = cell_tree(run, lost->body_b);
            if (!tree) {
                return false;
            }
            cell = search_for_cell(run, lost, tree);
        }
    }
    bool on_surface = cell != SLOT_NONE && is_on_surface(b, a->xyz[lost->vertex], cell);
    if (cell == SLOT_NONE || (!lost->counts && on_surface)) {
        run->counters.lost_edges += lost->counts;
        return true;
    }
    *added = true;
    bool room = push_point(run, lost->body_a, lost->vertex, lost->body_b, SLOT_NONE);
    if (room) {
        struct depth_point *point = array_at(&run->state->points, run->state->points.count - 1);
        point->cell = cell;
        point->round = on_surface ? ROUND_NEVER : 0;
    }
    return room;
}

bool depth_add_closed_vertex(struct contact_run *run, uint32_t body_a, uint32_t vertex, uint32_t body_b, uint32_t face)
{
    struct lost_edge lost = {body_a, vertex, body_b, 0, true};
    uint64_t lost_edges = run->counters.lost_edges;
    bool added = false, solid = body_has_cells(run->snapshot->bodies[body_b].body);
    bool room = solid ? judge_lost(run, &lost, &added) : push_point(run, body_a, vertex, body_b, SLOT_NONE);
    run->counters.lost_edges = lost_edges;
    if (room && (added || !solid)) {
        struct depth_point *point = array_at(&run->state->points, run->state->points.count - 1);
        point->face = face;
        point->round = face == SLOT_NONE ? 0 : ROUND_NEVER;
    }
    return room;
}

/* Points found here have neighbours that may have been missed too: until nothing is added. */
static bool add_points_on_faces(struct contact_run *run)
{
    bool added = true;
    while (added) {
        added = false;
        run->counters.lost_edges = 0;
        array_clear(&run->state->lost);
        if (!find_lost_ends(run) || !find_lost_edges(run) || (run->state->lost.count > 0 && !sort_lost(run))) {
            return false;
        }
        clear_table(run);
        const struct lost_edge *lost = run->state->lost.data;
        for (size_t i = 0; i < run->state->lost.count; i++) {
            if (!judge_lost(run, &lost[i], &added)) {
                return false;
            }
        }
        if (added && !sort_points(run)) {
            return false;
        }
        fill_table(run);
    }
    return true;
}

/* ---- S2 ---------------------------------------------------------------------------------------------------------- */

/* Places of the hits of a run in order from v0. */
struct hit_order {
    uint64_t *keys;
    uint32_t *order;
    uint32_t room;
};

static void order_hits(const struct contact_run *run, const struct cut_run *cuts, struct hit_order *hits)
{
    const dent_cut_edge *cut = run->query->border.cut_edges + cuts->first;
    for (uint32_t i = 0; i < cuts->count; i++) {
        double parameter = cut[i].parameter;
        memcpy(&hits->keys[i], &parameter, sizeof parameter); /* in [0, 1]: bits are ordered as numbers are */
        hits->order[i] = cuts->first + i;
    }
    if (cuts->count > 1) {
        radix_sort_u64(hits->keys, hits->order, hits->keys + hits->room, hits->order + hits->room, cuts->count);
    }
}

static bool add_term(struct contact_run *run, struct depth_point *point, uint32_t other, uint32_t slot)
{
    if (point->round == ROUND_NEVER) {
        return true;
    }
    struct depth_term term = {.point = (uint32_t)(point - (struct depth_point *)run->state->points.data),
                              .other = other,
                              .face = run->query->border.cut_edges[slot].face,
                              .degenerate = run->query->border.cut_edges[slot].degenerate};
    point->term_count++;
    return array_push(&run->state->terms, &term);
}

/* One end of an edge with both ends inside: its first hit is a border if it leads outside. */
static bool add_double_cross(struct contact_run *run, struct depth_point *point, uint32_t other, uint32_t slot)
{
    const dent_cut_edge *cut = &run->query->border.cut_edges[slot];
    return contact_vertex_is_outside_face(run, cut->body_a, point->vertex, cut->body_b, cut->face) ||
           add_term(run, point, other, slot);
}

/* A corner of b at these hits lies inside a: it has a contact of its own, and its direction is the better one. */
static bool corner_is_inside(const struct contact_run *run, const dent_cut_edge *cut)
{
    const uint32_t *corners = run->snapshot->bodies[cut->body_b].body->surface_faces[cut->face].corners;
    return depth_point_of(run, cut->body_b, corners[0], cut->body_a) ||
           depth_point_of(run, cut->body_b, corners[1], cut->body_a) ||
           depth_point_of(run, cut->body_b, corners[2], cut->body_a);
}

static bool add_chords(struct contact_run *run, const struct cut_run *cuts, const struct hit_order *hits)
{
    const dent_cut_edge *records = run->query->border.cut_edges, *cut = &records[cuts->first];
    if (!contact_has_inside(run, cut->body_b) ||
        (cut->body_a == cut->body_b && !body_has_cells(run->snapshot->bodies[cut->body_a].body))) {
        run->counters.open_crossings++;
        return true;
    }
    if (!run->def->crossings || !run->snapshot->bodies[cut->body_a].body->edge_is_surface[cut->edge]) {
        return true;
    }
    for (uint32_t i = 0; i + 1 < cuts->count; i += 2) {
        const dent_cut_edge *in = &records[hits->order[i]], *out = &records[hits->order[i + 1]];
        if (in->degenerate || out->degenerate || corner_is_inside(run, in) || corner_is_inside(run, out)) {
            run->counters.covered_crossings++;
            continue;
        }
        struct depth_chord chord = {cut->body_a, cut->edge, cut->body_b, {hits->order[i], hits->order[i + 1]}};
        if (!array_push(&run->state->chords, &chord)) {
            return false;
        }
    }
    return true;
}

static bool take_run(struct contact_run *run, const struct cut_run *cuts, struct hit_order *hits)
{
    const dent_cut_edge *cut = &run->query->border.cut_edges[cuts->first];
    struct depth_point *first = depth_point_of(run, cut->body_a, cut->v0, cut->body_b);
    struct depth_point *second = depth_point_of(run, cut->body_a, cut->v1, cut->body_b);
    if (run->def->surface_only && !run->snapshot->bodies[cut->body_a].body->edge_is_surface[cut->edge]) {
        return true;
    }
    order_hits(run, cuts, hits);
    uint32_t nearest_v0 = hits->order[0], nearest_v1 = hits->order[cuts->count - 1];
    if (first && second) {
        run->counters.double_crossings++;
        return add_double_cross(run, first, cut->v1, nearest_v0) && add_double_cross(run, second, cut->v0, nearest_v1);
    }
    if (!first && !second) {
        return add_chords(run, cuts, hits);
    }
    run->counters.border_edges++; /* the hit nearest to the outer end counts */
    return first ? add_term(run, first, cut->v1, nearest_v1) : add_term(run, second, cut->v0, nearest_v0);
}

/* Terms one after the other by point, those of a point in the order of its edges. */
static bool group_terms(struct contact_run *run)
{
    size_t count = run->state->terms.count;
    struct depth_term *terms = run->state->terms.data;
    struct depth_point *points = run->state->points.data;
    struct arena_mark mark = arena_mark(run->scratch);
    struct depth_term *unsorted = arena_allocate(run->scratch, count, sizeof *unsorted);
    if (!unsorted) {
        return false;
    }
    uint32_t sum = 0;
    for (size_t i = 0; i < run->state->points.count; i++) {
        points[i].first_term = sum;
        sum += points[i].term_count;
        points[i].term_count = 0;
    }
    for (size_t i = 0; i < count; i++) {
        unsorted[i] = terms[i];
    }
    for (size_t i = 0; i < count; i++) {
        struct depth_point *point = &points[unsorted[i].point];
        terms[point->first_term + point->term_count++] = unsorted[i];
    }
    arena_rewind(run->scratch, mark);
    return true;
}

static bool take_runs(struct contact_run *run)
{
    const struct cut_run *runs = run->state->runs.data;
    struct arena_mark mark = arena_mark(run->scratch);
    struct hit_order hits = {.room = 0};
    for (size_t i = 0; i < run->state->runs.count; i++) {
        hits.room = runs[i].count > hits.room ? runs[i].count : hits.room;
    }
    hits.keys = arena_allocate(run->scratch, hits.room, 2 * sizeof *hits.keys);
    hits.order = arena_allocate(run->scratch, hits.room, 2 * sizeof *hits.order);
    if (!hits.keys || !hits.order) {
        return false;
    }
    for (size_t i = 0; i < run->state->runs.count; i++) {
        if (!take_run(run, &runs[i], &hits)) {
            return false;
        }
    }
    arena_rewind(run->scratch, mark);
    return true;
}

/* Both lists are in the same order. */
static void find_previous(struct contact_run *run)
{
    struct depth_point *points = run->state->points.data;
    const dent_contact_memory *memory = run->state->memory.records.data;
    size_t known = run->state->memory.records.count, at = 0;
    for (size_t i = 0; i < run->state->points.count; i++) {
        struct depth_point *point = &points[i];
        while (at < known && (memory[at].body_a != point->body_a   ? memory[at].body_a < point->body_a
                              : memory[at].vertex != point->vertex ? memory[at].vertex < point->vertex
                                                                   : memory[at].body_b < point->body_b)) {
            at++;
        }
        bool found = at < known && memory[at].body_a == point->body_a && memory[at].vertex == point->vertex &&
                     memory[at].body_b == point->body_b;
        point->previous = found ? (uint32_t)at : SLOT_NONE;
    }
}

bool depth_find_points(struct contact_run *run)
{
    struct contact_state *state = run->state;
    array_clear(&state->points);
    array_clear(&state->terms);
    array_clear(&state->chords);
    bool enough = take_vertices_in_cells(run) && find_runs(run);
    if (enough) {
        mark_cut_edges(run, 1);
        size_t in_cells = state->points.count;
        enough = depth_find_inside_surfaces(run) && (state->points.count == in_cells || sort_points(run));
        if (enough) {
            fill_table(run);
            in_cells = state->points.count;
            enough = depth_find_whole_parts(run);
            if (enough && state->points.count > in_cells) {
                clear_table(run);
                enough = sort_points(run);
                fill_table(run);
            }
            enough =
                enough && add_points_on_faces(run) && take_runs(run) && depth_add_inner_edges(run) && group_terms(run);
        }
    }
    find_previous(run);
    enough = enough && depth_drop_touching(run);
    const struct depth_point *points = state->points.data;
    for (size_t i = 0; i < state->points.count; i++) {
        run->counters.touching_vertices += points[i].round == ROUND_NEVER;
    }
    run->counters.penetrating_vertices = state->points.count - run->counters.touching_vertices;
    return enough;
}

void depth_clear_tables(struct contact_run *run)
{
    clear_table(run);
    mark_cut_edges(run, 0);
}

/* ---- points that hang together ----------------------------------------------------------------------------------- */

bool depth_push_neighbours(const struct contact_run *run, const struct depth_point *point, uint32_t round,
                           struct dynamic_array *queue)
{
    const struct contact_mesh *mesh = &run->state->meshes[point->body_a];
    const uint8_t *is_surface = run->snapshot->bodies[point->body_a].body->edge_is_surface;
    for (uint32_t k = mesh->first[point->vertex]; k < mesh->first[point->vertex + 1]; k++) {
        struct contact_neighbour neighbour = mesh->neighbours[k];
        struct depth_point *other = depth_point_of(run, point->body_a, neighbour.vertex, point->body_b);
        if (!other || other->round != 0 || (run->def->surface_only && !is_surface[neighbour.edge]) ||
            contact_edge_is_cut(run, point->body_a, neighbour.edge, point->body_b)) {
            continue;
        }
        uint32_t slot = (uint32_t)(other - (struct depth_point *)run->state->points.data);
        other->round = round;
        if (!array_push(queue, &slot)) {
            return false;
        }
    }
    return true;
}
