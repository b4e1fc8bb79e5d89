/* Chaining: pairs of crossing faces become ordered polylines.
 *
 * Every end of a pair is an incidence (edge, pierced face) or a common vertex. Sorted by incidence, the ends that
 * belong together lie side by side: two of them on a manifold surface, one at the boundary of an open one. Where more
 * faces meet in an edge, solids are followed through the cells around it (a curve stays on the skin of the same
 * material), surfaces are paired in order of their faces.
 *
 * In a curve of a body with itself the two faces of a segment change roles whenever their numbers do; the pierced face
 * stays on its sheet from one segment to the next, which tells the sheets apart all along.
 */
#include "geometry/metric/edge_face_point.h"
#include "query/border/border_search.h"

enum { POINTS_PER_BLOCK = 2048 };
#define NO_LINK UINT32_MAX

bool border_incidence(const struct border_search *search, const struct border_pair *pair, int end,
                      struct border_cut *cut)
{
    int code = pair->ends[end];
    const struct border_mesh *meshes = search->state->meshes;
    if (code >= END_VERTEX) {
        return false;
    }
    if (code >= END_EDGE_OF_B) {
        uint32_t edge = meshes[pair->body_b].face_edges[(size_t)pair->face_b * 3 + (size_t)(code - END_EDGE_OF_B)];
        *cut = (struct border_cut){pair->body_b, edge, pair->body_a, pair->face_a, pair->degenerate_ends[end]};
    } else {
        uint32_t edge = meshes[pair->body_a].face_edges[(size_t)pair->face_a * 3 + (size_t)code];
        *cut = (struct border_cut){pair->body_a, edge, pair->body_b, pair->face_b, pair->degenerate_ends[end]};
    }
    return true;
}

/* ---- which ends belong together ---------------------------------------------------------------------------------- */

static bool sort_incidences(struct border_search *search)
{
    const struct border_pair *pairs = search->state->pairs.data;
    size_t ends = search->state->pairs.count * 2;
    search->links = arena_allocate(search->scratch, ends, sizeof *search->links);
    search->incidences = arena_allocate(search->scratch, ends, 2 * sizeof *search->incidences);
    search->incidence_ends = arena_allocate(search->scratch, ends, 2 * sizeof *search->incidence_ends);
    search->reported = arena_allocate_cleared(search->scratch, search->state->pairs.count, sizeof *search->reported);
    if (!search->links || !search->incidences || !search->incidence_ends || !search->reported) {
        return false;
    }
    uint32_t count = 0;
    for (size_t i = 0; i < ends; i++) {
        struct border_cut cut;
        search->links[i] = NO_LINK;
        if (border_incidence(search, &pairs[i / 2], (int)(i % 2), &cut)) {
            search->incidences[count] =
                (struct key128){(uint64_t)cut.edge_body << 32 | cut.edge, (uint64_t)cut.face_body << 32 | cut.face};
            search->incidence_ends[count++] = (uint32_t)i;
        }
    }
    search->incidence_count = count;
    radix_sort_u128(search->incidences, search->incidence_ends, search->incidences + count,
                    search->incidence_ends + count, count);
    return true;
}

static void link_ends(struct border_search *search, uint32_t first, uint32_t second)
{
    search->links[first] = second;
    search->links[second] = first;
}

/* The surface face whose edge pierces, of an end. */
static uint32_t edge_face_of(const struct border_search *search, uint32_t end)
{
    const struct border_pair *pair = (const struct border_pair *)search->state->pairs.data + end / 2;
    return pair->ends[end % 2] < END_EDGE_OF_B ? pair->face_a : pair->face_b;
}

static uint32_t corner_of(const uint32_t tetrahedron[4], uint32_t vertex)
{
    uint32_t corner = 0;
    while (tetrahedron[corner] != vertex) {
        corner++;
    }
    return corner;
}

static uint32_t third_corner(const uint32_t corners[3], dent_edge edge)
{
    for (int k = 0; k < 2; k++) {
        if (corners[k] != edge.v0 && corners[k] != edge.v1) {
            return corners[k];
        }
    }
    return corners[2];
}

/* From a surface face of a solid through the cells around one of its edges: the tetrahedron and the third corner of the
 * surface face on the other side. False where the cells do not lead to one. */
static bool walk_around(const struct body *body, uint32_t face, dent_edge edge, uint32_t *tetrahedron, uint32_t *apex)
{
    uint32_t here = body->surface_face_tetrahedron[face], from = third_corner(body->surface_faces[face].corners, edge);
    for (uint32_t step = 0; step < body->tetrahedron_count; step++) {
        const uint32_t *corners = body->tetrahedra[here];
        uint32_t towards = 0; /* the fourth vertex */
        for (int k = 0; k < 4; k++) {
            if (corners[k] != edge.v0 && corners[k] != edge.v1 && corners[k] != from) {
                towards = corners[k];
            }
        }
        uint32_t next = body->neighbours[here][corner_of(corners, from)];
        if (next == NEIGHBOUR_NONE) {
            *tetrahedron = here;
            *apex = towards;
            return true;
        }
        if (next == NEIGHBOUR_NONMANIFOLD) {
            return false;
        }
        here = next;
        from = towards;
    }
    return false;
}

/* More than two ends at one incidence. */
static void link_many(struct border_search *search, const uint32_t *ends, uint32_t count,
                      const struct key128 *incidence)
{
    const struct body *body = search->snapshot->bodies[incidence->high >> 32].body;
    dent_edge edge = body->edges[(uint32_t)incidence->high];
    for (uint32_t i = 0; body_has_cells(body) && i < count; i++) {
        uint32_t tetrahedron, apex;
        if (search->links[ends[i]] != NO_LINK ||
            !walk_around(body, edge_face_of(search, ends[i]), edge, &tetrahedron, &apex)) {
            continue;
        }
        for (uint32_t j = 0; j < count; j++) {
            uint32_t face = edge_face_of(search, ends[j]);
            if (j != i && search->links[ends[j]] == NO_LINK && body->surface_face_tetrahedron[face] == tetrahedron &&
                third_corner(body->surface_faces[face].corners, edge) == apex) {
                link_ends(search, ends[i], ends[j]);
                break;
            }
        }
    }
    uint32_t waiting = NO_LINK;
    for (uint32_t i = 0; i < count; i++) {
        if (search->links[ends[i]] != NO_LINK) {
            continue;
        }
        if (waiting == NO_LINK) {
            waiting = ends[i];
        } else {
            link_ends(search, waiting, ends[i]);
            waiting = NO_LINK;
        }
    }
}

static void link_incidences(struct border_search *search)
{
    const struct key128 *keys = search->incidences;
    for (uint32_t first = 0, last; first < search->incidence_count; first = last) {
        for (last = first + 1; last < search->incidence_count && keys[last].high == keys[first].high &&
                               keys[last].low == keys[first].low;) {
            last++;
        }
        if (last - first == 2) {
            link_ends(search, search->incidence_ends[first], search->incidence_ends[first + 1]);
        } else if (last - first > 2) {
            link_many(search, search->incidence_ends + first, last - first, &keys[first]);
        }
    }
}

/* ---- from end to end --------------------------------------------------------------------------------------------- */

/* Where a walk along a curve is: about to go through a pair from one of its ends. */
struct curve_slot {
    uint32_t end; /* pair * 2 + the end it comes from */
    bool swapped; /* face b of the pair lies on the first sheet */
};

/* Steps over the link at an end of the pair; false at the end of the curve. */
static bool follow(const struct border_search *search, struct curve_slot *slot, uint32_t end)
{
    const struct border_pair *pairs = search->state->pairs.data;
    uint32_t next = search->links[end];
    if (next == NO_LINK) {
        return false;
    }
    bool pierced_is_b = pairs[end / 2].ends[end % 2] < END_EDGE_OF_B,
         next_is_b = pairs[next / 2].ends[next % 2] < END_EDGE_OF_B;
    slot->swapped = slot->swapped != (pierced_is_b != next_is_b);
    slot->end = next;
    return true;
}

/* Against the direction of pair `first`, back to the beginning of its curve. *closed: back to itself. */
static struct curve_slot find_beginning(const struct border_search *search, uint32_t first, bool *closed)
{
    struct curve_slot slot = {first * 2, false}; /* enters `first` where it begins */
    *closed = false;
    for (;;) {
        struct curve_slot before = slot;
        if (!follow(search, &before, slot.end)) {
            return slot;
        }
        if (before.end / 2 == first) {
            *closed = true;
            return (struct curve_slot){first * 2, false};
        }
        before.end ^= 1;
        slot = before;
    }
}

static dent_border_point point_at(const struct border_search *search, uint32_t end)
{
    const struct border_pair *pair = (const struct border_pair *)search->state->pairs.data + end / 2;
    struct border_cut cut;
    dent_border_point point;
    memset(&point, 0, sizeof point);
    if (border_incidence(search, pair, (int)(end % 2), &cut)) {
        point.kind = DENT_BORDER_EDGE_FACE;
        point.edge_body = cut.edge_body;
        point.edge = cut.edge;
        point.face_body = cut.face_body;
        point.face = cut.face;
        point.degenerate = cut.degenerate;
    } else {
        point.kind = DENT_BORDER_VERTEX;
        point.edge_body = point.face_body = pair->body_a;
        point.edge = point.face =
            search->snapshot->bodies[pair->body_a].body->surface_faces[pair->face_a].corners[pair->ends[end % 2] -
                                                                                             END_VERTEX];
    }
    return point;
}

static bool push_point(struct border_search *search, uint32_t end)
{
    dent_border_point point = point_at(search, end);
    return array_push(&search->state->points, &point);
}

static bool push_segment(struct border_search *search, const struct border_pair *pair, bool swapped)
{
    dent_border_segment segment;
    memset(&segment, 0, sizeof segment);
    segment.face_a = swapped ? pair->face_b : pair->face_a;
    segment.face_b = swapped ? pair->face_a : pair->face_b;
    segment.degenerate = pair->degenerate;
    return array_push(&search->state->segments, &segment);
}

/* The curve through pair `first`; `visited` marks its pairs, `trail` has room for them all. Nothing is kept of a curve
 * that is not to be reported. */
static bool trace(struct border_search *search, uint32_t first, bool *visited, uint32_t *trail)
{
    struct border_state *state = search->state;
    const struct border_pair *pairs = state->pairs.data;
    dent_border_curve curve;
    memset(&curve, 0, sizeof curve);
    struct curve_slot slot = find_beginning(search, first, &curve.closed);
    uint32_t beginning = slot.end / 2;
    curve.body_a = pairs[first].body_a;
    curve.body_b = pairs[first].body_b;
    curve.first_point = (uint32_t)state->points.count;
    curve.first_segment = (uint32_t)state->segments.count;
    bool more = true;
    while (more) {
        uint32_t pair = slot.end / 2;
        visited[pair] = true;
        if (!push_point(search, slot.end) || !push_segment(search, &pairs[pair], slot.swapped)) {
            return false;
        }
        trail[curve.segment_count++] = pair;
        curve.degenerate_segments += pairs[pair].degenerate;
        uint32_t far_end = slot.end ^ 1;
        more = follow(search, &slot, far_end);
        if (!more && !push_point(search, far_end)) {
            return false;
        }
        more = more && slot.end / 2 != beginning;
    }
    curve.point_count = (uint32_t)(state->points.count - curve.first_point);
    if (curve.degenerate_segments == curve.segment_count && !search->def->degenerate) {
        state->points.count = curve.first_point;
        state->segments.count = curve.first_segment;
        return true;
    }
    for (uint32_t i = 0; i < curve.segment_count; i++) {
        search->reported[trail[i]] = true;
    }
    return array_push(&state->curves, &curve);
}

/* ---- positions --------------------------------------------------------------------------------------------------- */

static void place_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct border_search *search = data;
    dent_border_point *points = search->state->points.data;
    size_t begin = (size_t)block * POINTS_PER_BLOCK, count = search->state->points.count;
    size_t end = count - begin < POINTS_PER_BLOCK ? count : begin + POINTS_PER_BLOCK;
    for (size_t i = begin; i < end; i++) {
        const struct body_snapshot *body_snapshot = &search->snapshot->bodies[points[i].edge_body];
        if (points[i].kind == DENT_BORDER_VERTEX) {
            memcpy(points[i].position, body_snapshot->xyz[points[i].edge], sizeof points[i].position);
            continue;
        }
        dent_edge edge = body_snapshot->body->edges[points[i].edge];
        const double *face[3];
        border_face_positions(search->snapshot, points[i].face_body, points[i].face, face);
        points[i].parameter =
            edge_face_point(body_snapshot->xyz[edge.v0], body_snapshot->xyz[edge.v1], face, points[i].position);
    }
}

bool border_chain_curves(struct border_search *search)
{
    struct border_state *state = search->state;
    array_clear(&state->curves);
    array_clear(&state->points);
    array_clear(&state->segments);
    search->incidence_count = 0;
    if (state->pairs.count == 0) {
        return true;
    }
    bool *visited = arena_allocate_cleared(search->scratch, state->pairs.count, sizeof *visited);
    uint32_t *trail = arena_allocate(search->scratch, state->pairs.count, sizeof *trail);
    if (!visited || !trail || !sort_incidences(search)) {
        return false;
    }
    link_incidences(search);
    for (uint32_t pair = 0; pair < state->pairs.count; pair++) {
        if (!visited[pair] && !trace(search, pair, visited, trail)) {
            return false;
        }
    }
    dent_parallel_for(state->context, (uint32_t)(state->points.count / POINTS_PER_BLOCK + 1), place_block, search);
    return true;
}
