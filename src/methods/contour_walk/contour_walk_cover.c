/* How many cells of a body can cover one point: what lets the walk to inner vertices stop at the first cell it finds.
 *
 * A body without a face in a cell of its own covers nothing twice. If some point is covered three times, there is a
 * wall point with two cells over it besides its own: the walls where that is so either are whole parts of the surface,
 * and then the vertex that stands for the part lies in two cells; or they end where the wall F crosses another wall G,
 * and there the other cell of the two still covers the common segment, so that it is met by both F and G; or they end
 * at a common edge or corner of the face and a cell. So two is the most when none of the three is found: no vertex in
 * two cells, no pair with common corners, no cell met by both of two faces that cross.
 *
 * An inner edge about which the cells turn twice would let the walk from vertex to vertex end without a trace. Where it
 * exists points near it are covered twice, so only bodies that meet themselves are searched for one; none has been seen
 * outside a test made for it, and then another method answers.
 */
#include "geometry/predicates/kernels/overlap_kernels.h"
#include "methods/contour_walk/contour_walk.h"

#define COVER_UNKNOWN UINT32_MAX
enum { RING_MAX = 64 };

static bool shares_corner(const struct walk_body *body, const struct contour_pair *pair)
{
    const uint32_t *corners = body->body->surface_faces[pair->face].corners;
    const struct walk_cell *cell = &body->mesh->cells[pair->cell];
    return walk_corner_of(cell, corners[0]) < 4 || walk_corner_of(cell, corners[1]) < 4 ||
           walk_corner_of(cell, corners[2]) < 4;
}

static bool run_has_cell(const struct contour_search *search, uint32_t run, uint32_t body, uint32_t cell)
{
    const struct walk_run *runs = search->state->runs.data;
    const struct contour_pair *pairs = search->state->pairs.data;
    for (; run != NO_RECORD; run = runs[run].before) {
        for (uint32_t i = runs[run].first; i < runs[run].first + runs[run].count; i++) {
            if (pairs[i].cell == cell && pairs[i].body_b == body) {
                return true;
            }
        }
    }
    return false;
}

static bool have_common_cell(const struct contour_search *search, const dent_pair *crossing)
{
    const struct walk_run *runs = search->state->runs.data;
    const struct contour_pair *pairs = search->state->pairs.data;
    uint32_t first_face = search->bodies[crossing->body_a].first_face;
    uint32_t other = search->last_run[first_face + crossing->feature_b];
    for (uint32_t run = search->last_run[first_face + crossing->feature_a]; run != NO_RECORD; run = runs[run].before) {
        for (uint32_t i = runs[run].first; i < runs[run].first + runs[run].count; i++) {
            if (pairs[i].body_b == crossing->body_a && run_has_cell(search, other, pairs[i].body_b, pairs[i].cell)) {
                return true;
            }
        }
    }
    return false;
}

/* Do the cells around an inner edge turn about it more than once? All are positive, so the sides of the apexes, seen
 * from the first, change from one sign to the other and back once for every turn. Rings too long to look at count as
 * turning twice. */
static bool ring_turns_twice(const struct contour_search *search, const struct walk_body *body, uint32_t ring,
                             predicate_counters *counters)
{
    uint32_t ends[2], apexes[RING_MAX], count = walk_mesh_ring(body->mesh, ring, ends, apexes, RING_MAX);
    struct numbered_point u = walk_point(body, ends[0]), v = walk_point(body, ends[1]),
                          first = walk_point(body, apexes[0]);
    int last = 0, changes = 0;
    bool ignored = false;
    if (search->defective && search->defective[body->first_vertex + ends[0]] &&
        search->defective[body->first_vertex + ends[1]]) {
        return false; /* perhaps not a circle any more; both ends are looked at directly */
    }
    if (count > RING_MAX) {
        return true;
    }
    for (uint32_t i = 1; i < count; i++) {
        int side = perturbed_orientation(u, v, first, walk_point(body, apexes[i]), &ignored, counters);
        if (side == 0) {
            return true; /* the same vertex twice around one edge */
        }
        changes += last && side != last;
        last = side;
    }
    return changes > 1;
}

enum { CHECKS_PER_BLOCK = 4096 };

struct ring_loop {
    const struct contour_search *search;
    const struct walk_body *body;
    int8_t *signs; /* by ring_check */
    bool *twice;   /* by block */
};

static void ring_block(void *data, uint32_t block, uint32_t worker)
{
    struct ring_loop *loop = data;
    const struct walk_body *body = loop->body;
    const struct walk_mesh *mesh = body->mesh;
    uint32_t begin = block * CHECKS_PER_BLOCK, count = mesh->ring_check_count;
    uint32_t end = count - begin < CHECKS_PER_BLOCK ? count : begin + CHECKS_PER_BLOCK;
    predicate_counters *counters = loop->search->sink->predicates(loop->search->sink, worker);
    overlap_kernels_for(loop->search->request->isa)
        ->orientations(body->xyz, (const uint32_t(*)[4])mesh->ring_checks + begin, end - begin, loop->signs + begin);
    loop->twice[block] = false;
    for (uint32_t i = begin; i < end && !loop->twice[block]; i++) {
        if (loop->signs[i] != walk_orientation(body, &mesh->cells[mesh->checked_rings[i] / 8])) {
            loop->twice[block] = ring_turns_twice(loop->search, body, mesh->checked_rings[i], counters);
        }
    }
}

bool contour_find_branches(struct contour_search *search, bool *found)
{
    predicate_counters *counters = search->sink->predicates(search->sink, 0);
    for (uint32_t body_index = 0; body_index < search->body_count; body_index++) {
        const struct walk_body *body = &search->bodies[body_index];
        const struct walk_mesh *mesh = body->mesh;
        if (body->cover == 1 || !body_has_cells(body->body)) {
            continue; /* covers nothing twice, so nothing turns twice */
        }
        uint32_t blocks = (mesh->ring_check_count + CHECKS_PER_BLOCK - 1) / CHECKS_PER_BLOCK;
        struct ring_loop loop = {search, body, arena_allocate(search->request->scratch, mesh->ring_check_count, 1),
                                 arena_allocate(search->request->scratch, blocks, sizeof(bool))};
        if (!loop.signs || !loop.twice) {
            return false;
        }
        dent_parallel_for(search->state->context, blocks, ring_block, &loop);
        for (uint32_t block = 0; block < blocks; block++) {
            *found |= loop.twice[block];
        }
        for (uint32_t i = 0; i < mesh->long_ring_count && !*found; i++) {
            *found = ring_turns_twice(search, body, mesh->long_rings[i], counters);
        }
    }
    return true;
}

void contour_bound_cover(struct contour_search *search)
{
    const struct contour_pair *pairs = search->state->pairs.data;
    const dent_pair *crossings = search->state->crossings.data;
    for (uint32_t body_index = 0; body_index < search->body_count; body_index++) {
        struct walk_body *body = &search->bodies[body_index];
        bool unknown =
            !bodies_may_meet(body->body, body->body) || body->odd_cells || body->mesh->cut_count > 0 || body->met_twice;
        body->cover = unknown ? COVER_UNKNOWN : 1;
    }
    for (size_t i = 0; i < search->state->pairs.count; i++) {
        struct walk_body *body = &search->bodies[pairs[i].body_a];
        if (pairs[i].body_a == pairs[i].body_b && body->cover != COVER_UNKNOWN) {
            body->cover = shares_corner(body, &pairs[i]) ? COVER_UNKNOWN : 2;
        }
    }
    for (size_t i = 0; i < search->state->crossings.count; i++) {
        struct walk_body *body = &search->bodies[crossings[i].body_a];
        if (body->cover == 2 && have_common_cell(search, &crossings[i])) {
            body->cover = COVER_UNKNOWN;
        }
    }
}
