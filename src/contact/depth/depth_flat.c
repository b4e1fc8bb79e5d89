/* Bodies that overlap although no vertex is in the open inside of the other and no edge properly pierces a face: blocks
 * on one lattice, identical copies, a part that fills another from within (depth_whole_parts.c notes its vertices).
 *
 * For positions moved by an infinitesimal amount (see border.h) nothing is degenerate: two bodies that
 * overlap have a common region whose corners are vertices of one inside the other and hits of edges on faces. As the
 * amount goes to 0 these go to the corners of the real region, so their extent in any direction is that of the region.
 * Where a pair has no depth from the other stages and its region is not flat, exact arithmetic (pair_check.h) is asked
 * whether the interiors meet. Then the pair parts as a whole: along the normal of a face at the region, of the body
 * that is to be left, in whose direction the region is thinnest. A corner at x has the depth of the plane at the far
 * end of the region, exact for blocks. Vertices become vertex-cell contacts, hits edge-face contacts, all with the flag
 * FLAT. An overlap that has no extent to go by is counted (`overlaps_without_depth`).
 *
 * In: cut edges, points after the last fallback. Out: values of touching points, records in state->unsorted. Costs
 * nothing where nothing is degenerate.
 */
#include "contact/depth/contact_run.h"

#include <float.h>

#include "geometry/numbers/vector3.h"
#include "contact/check/pair_check.h"

/* ---- the region of a pair ---------------------------------------------------------------------------------------- */

enum { DIRECTIONS_MOST = 64 };

/* A way for body a to leave body b, and the region along it. */
struct direction {
    double unit[3], low, high;
    bool supported; /* the face it comes from bounds the region */
};

/* A corner of the common region: a hit of an edge, or a vertex that touches. */
struct corner {
    uint32_t slot; /* in cut_edges, or in points */
    bool is_cut, of_a;
};

struct flat_pair {
    uint32_t a, b;       /* a < b */
    size_t first, count; /* its corners */
    double extent;
    struct direction directions[DIRECTIONS_MOST];
    uint32_t direction_count;
};

static const double *corner_position(const struct contact_run *run, const struct corner *corner)
{
    if (corner->is_cut) {
        return run->query->border.cut_edges[corner->slot].point;
    }
    const struct depth_point *point = array_at(&run->state->points, corner->slot);
    return run->snapshot->bodies[point->body_a].xyz[point->vertex];
}

/* The face of the other body at a corner. */
static uint32_t corner_face(const struct contact_run *run, const struct corner *corner)
{
    if (corner->is_cut) {
        return run->query->border.cut_edges[corner->slot].face;
    }
    const struct depth_point *point = array_at(&run->state->points, corner->slot);
    return point->face;
}

static void add_direction(const struct contact_run *run, struct flat_pair *pair, uint32_t body, uint32_t face)
{
    double unit[3], sign = body == pair->b ? 1 : -1;
    contact_face_normal(run, body, face, unit);
    for (int axis = 0; axis < 3; axis++) {
        unit[axis] *= sign;
    }
    for (uint32_t i = 0; i < pair->direction_count; i++) {
        if (vector_dot(pair->directions[i].unit, unit) > 1 - 0x1p-30) {
            return;
        }
    }
    if (pair->direction_count < DIRECTIONS_MOST) {
        struct direction *direction = &pair->directions[pair->direction_count++];
        *direction = (struct direction){.low = DBL_MAX, .high = -DBL_MAX};
        vector_copy(unit, direction->unit);
    }
}

/* Positions relative to the first corner: the region may be far from the origin. */
static double along(const struct contact_run *run, const struct corner *corners, const struct flat_pair *pair,
                    const double unit[3], const double p[3])
{
    double displacement[3];
    vector_subtract(p, corner_position(run, &corners[pair->first]), displacement);
    return vector_dot(displacement, unit);
}

static void measure(const struct contact_run *run, const struct corner *corners, struct flat_pair *pair)
{
    for (size_t i = pair->first; i < pair->first + pair->count; i++) {
        double displacement[3];
        vector_subtract(corner_position(run, &corners[i]), corner_position(run, &corners[pair->first]), displacement);
        double size = vector_length(displacement);
        pair->extent = size > pair->extent ? size : pair->extent;
        uint32_t face = corner_face(run, &corners[i]);
        if (face != SLOT_NONE) {
            add_direction(run, pair, corners[i].of_a ? pair->b : pair->a, face);
        }
    }
    for (uint32_t d = 0; d < pair->direction_count; d++) {
        struct direction *direction = &pair->directions[d];
        for (size_t i = pair->first; i < pair->first + pair->count; i++) {
            double at = along(run, corners, pair, direction->unit, corner_position(run, &corners[i]));
            direction->low = at < direction->low ? at : direction->low;
            direction->high = at > direction->high ? at : direction->high;
        }
    }
}

/* A face bounds the region when nothing of it lies beyond: then its normal is a way out. */
static void find_supports(const struct contact_run *run, const struct corner *corners, struct flat_pair *pair)
{
    double slack = 0x1p-30 * pair->extent;
    for (size_t i = pair->first; i < pair->first + pair->count; i++) {
        uint32_t face = corner_face(run, &corners[i]), body = corners[i].of_a ? pair->b : pair->a;
        double normal[3], sign = body == pair->b ? 1 : -1;
        if (face == SLOT_NONE) {
            continue;
        }
        contact_face_normal(run, body, face, normal);
        for (uint32_t d = 0; d < pair->direction_count; d++) {
            struct direction *direction = &pair->directions[d];
            if (sign * vector_dot(normal, direction->unit) > 1 - 0x1p-30) {
                double at = along(run, corners, pair, direction->unit, corner_position(run, &corners[i]));
                direction->supported |= body == pair->b ? at >= direction->high - slack : at <= direction->low + slack;
            }
        }
    }
}

/* The thinnest extent along a face's normal; null: the region is flat, or nothing tells a direction. */
static const struct direction *exit_direction(const struct flat_pair *pair)
{
    const struct direction *best = NULL;
    for (int supported = 1; supported >= 0 && !best; supported--) {
        for (uint32_t d = 0; d < pair->direction_count; d++) {
            const struct direction *direction = &pair->directions[d];
            if (direction->supported == (supported == 1) &&
                (!best || direction->high - direction->low < best->high - best->low)) {
                best = direction;
            }
        }
    }
    return best;
}

/* Thinner than this in some direction, in parts of its extent: the two touch, or overlap by less than rounding. */
#define FLAT 0x1p-40

static bool region_is_flat(const struct flat_pair *pair)
{
    bool flat = pair->direction_count == 0 || !(pair->extent > 0);
    for (uint32_t d = 0; d < pair->direction_count && !flat; d++) {
        flat = pair->directions[d].high - pair->directions[d].low <= FLAT * pair->extent;
    }
    return flat;
}

/* ---- do the interiors meet? -------------------------------------------------------------------------------------- */

static void look_as_check(const struct contact_run *run, uint32_t body_index, struct check_body *body)
{
    *body = check_body_of(&run->snapshot->bodies[body_index]);
    body->closed = !body->solid && !body->thin;
}

static bool ask_exactly(struct contact_run *run, const struct flat_pair *pair, bool *overlap)
{
    struct arena_mark mark = arena_mark(run->scratch);
    struct check_run check = {.context = run->state->context,
                              .snapshot = run->snapshot,
                              .message = &run->world->message,
                              .scratch = run->scratch,
                              .cancel = run->cancel,
                              .ignore_touching = true};
    struct check_body bodies[2];
    look_as_check(run, pair->a, &bodies[0]);
    look_as_check(run, pair->b, &bodies[1]);
    bool enough = check_prepare_body(&check, &bodies[0]) == DENT_OK &&
                  check_prepare_body(&check, &bodies[1]) == DENT_OK &&
                  check_interiors_meet(&check, &bodies[0], &bodies[1], overlap) == DENT_OK;
    arena_rewind(run->scratch, mark);
    return enough;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static void value_point(struct contact_run *run, const struct corner *corner, double depth, const double unit[3])
{
    struct depth_point *point = array_at(&run->state->points, corner->slot);
    if (point->face == SLOT_NONE) {
        point->face = depth_touched_face(run, point->body_a, point->vertex, point->body_b);
    }
    point->source = DENT_CONTACT_SOURCE_NEAREST;
    point->flags |= DENT_CONTACT_FLAG_FLAT;
    point->depth = point->error = depth;
    point->round = 1;
    vector_copy(unit, point->direction);
    run->counters.touching_vertices--;
    run->counters.penetrating_vertices++;
}

static bool value_cut(struct contact_run *run, const struct corner *corner, double depth, const double unit[3])
{
    const dent_cut_edge *cut = &run->query->border.cut_edges[corner->slot];
    const double(*xyz)[3] = run->snapshot->bodies[cut->body_a].xyz;
    const double *corners[3];
    dent_contact contact;
    contact_begin(run, &contact, DENT_CONTACT_EDGE_FACE, DENT_CONTACT_SOURCE_CROSSING, cut->body_a, cut->edge,
                  cut->body_b, cut->face);
    contact.flags |= DENT_CONTACT_FLAG_ON_FACE | DENT_CONTACT_FLAG_FLAT;
    contact.vertices_a[0] = cut->v0;
    contact.vertices_a[1] = cut->v1;
    contact.weights_a[0] = 1 - cut->parameter;
    contact.weights_a[1] = cut->parameter;
    for (int axis = 0; axis < 3; axis++) {
        contact.point_a[axis] = contact.weights_a[0] * xyz[cut->v0][axis] + contact.weights_a[1] * xyz[cut->v1][axis];
    }
    border_face_positions(run->snapshot, cut->body_b, cut->face, corners);
    contact_triangle_weights(cut->point, corners, contact.weights_b);
    memcpy(contact.vertices_b, run->snapshot->bodies[cut->body_b].body->surface_faces[cut->face].corners,
           3 * sizeof *contact.vertices_b);
    for (int k = 0; k < 3; k++) {
        vector_add_scaled(contact.point_b, contact.weights_b[k], corners[k]);
    }
    vector_copy(unit, contact.normal);
    bool clamped = run->def->depth_limit > 0 && depth > run->def->depth_limit;
    contact.flags |= clamped ? DENT_CONTACT_FLAG_CLAMPED : 0;
    contact.gap = clamped ? -run->def->depth_limit : -depth;
    contact.error = depth;
    return array_push(&run->state->unsorted, &contact);
}

/* Every corner that is not at the end the region leaves through. *any: there was one that has a contact. */
static bool part_pair(struct contact_run *run, const struct corner *corners, const struct flat_pair *pair,
                      const struct direction *displacement, bool *any)
{
    const double back[3] = {-displacement->unit[0], -displacement->unit[1], -displacement->unit[2]};
    for (size_t i = pair->first; i < pair->first + pair->count; i++) {
        const struct corner *corner = &corners[i];
        double at = along(run, corners, pair, displacement->unit, corner_position(run, corner));
        double depth = corner->of_a ? displacement->high - at : at - displacement->low;
        if (!(depth > FLAT * pair->extent)) {
            continue;
        }
        if (!corner->is_cut) {
            value_point(run, corner, depth, corner->of_a ? displacement->unit : back);
        } else if (!run->def->crossings) {
            continue;
        } else if (!value_cut(run, corner, depth, corner->of_a ? displacement->unit : back)) {
            return false;
        }
        *any = true;
    }
    return true;
}

static bool solve_pair(struct contact_run *run, const struct corner *corners, struct flat_pair *pair)
{
    bool overlap = false, any = false;
    measure(run, corners, pair);
    if (region_is_flat(pair)) {
        return true;
    }
    if (!ask_exactly(run, pair, &overlap)) {
        return false;
    }
    if (!overlap) {
        return true;
    }
    find_supports(run, corners, pair);
    const struct direction *displacement = exit_direction(pair);
    if (displacement && !part_pair(run, corners, pair, displacement, &any)) {
        return false;
    }
    run->counters.flat_overlaps += any;
    run->counters.overlaps_without_depth += !any;
    return true;
}

/* ---- which pairs ------------------------------------------------------------------------------------------------- */

static bool both_have_insides(const struct contact_run *run, uint32_t a, uint32_t b)
{
    return a != b && contact_has_inside(run, a) && contact_has_inside(run, b);
}

static bool is_suspect(const struct contact_run *run, const struct depth_point *point)
{
    return point->round == ROUND_NEVER && point->source == 0 && both_have_insides(run, point->body_a, point->body_b);
}

/* Pairs with something degenerate, each once, sorted. */
static bool find_suspects(const struct contact_run *run, uint64_t **keys_out, size_t *count_out)
{
    const dent_border *border = &run->query->border;
    const struct depth_point *points = run->state->points.data;
    size_t count = 0, kept = 0;
    for (uint64_t i = 0; i < border->cut_edge_count; i++) {
        count += border->cut_edges[i].degenerate;
    }
    for (size_t i = 0; i < run->state->points.count; i++) {
        count += points[i].round == ROUND_NEVER;
    }
    *count_out = 0;
    if (count == 0) {
        return true;
    }
    uint64_t *keys = arena_allocate(run->scratch, count, 2 * sizeof *keys);
    if (!keys) {
        return false;
    }
    count = 0;
    for (uint64_t i = 0; i < border->cut_edge_count; i++) {
        const dent_cut_edge *cut = &border->cut_edges[i];
        if (cut->degenerate && both_have_insides(run, cut->body_a, cut->body_b)) {
            keys[count++] = contact_pair_key(cut->body_a, cut->body_b);
        }
    }
    for (size_t i = 0; i < run->state->points.count; i++) {
        if (is_suspect(run, &points[i])) {
            keys[count++] = contact_pair_key(points[i].body_a, points[i].body_b);
        }
    }
    radix_sort_u64(keys, NULL, keys + count, NULL, count);
    for (size_t i = 0; i < count; i++) {
        if (kept == 0 || keys[kept - 1] != keys[i]) {
            keys[kept++] = keys[i];
        }
    }
    *keys_out = keys;
    *count_out = kept;
    return true;
}

/* Pairs that have a depth from elsewhere are taken off the list. */
static size_t drop_solved(const struct contact_run *run, uint64_t *keys, size_t count)
{
    const struct depth_point *points = run->state->points.data;
    const struct depth_chord *chords = run->state->chords.data;
    uint8_t *solved = arena_allocate_cleared(run->scratch, count, 1);
    size_t kept = 0;
    if (!solved) {
        return SIZE_MAX;
    }
    for (size_t i = 0; i < run->state->points.count; i++) {
        size_t at = points[i].source != 0 && points[i].depth > 0
                        ? contact_find_key(keys, count, contact_pair_key(points[i].body_a, points[i].body_b))
                        : SIZE_MAX;
        if (at != SIZE_MAX) {
            solved[at] = 1;
        }
    }
    for (size_t i = 0; i < run->state->chords.count; i++) {
        size_t at = contact_find_key(keys, count, contact_pair_key(chords[i].body_a, chords[i].body_b));
        if (at != SIZE_MAX) {
            solved[at] = 1;
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (!solved[i]) {
            keys[kept++] = keys[i];
        }
    }
    return kept;
}

/* The corners of all pairs on the list, pair by pair. */
static bool gather_corners(const struct contact_run *run, const uint64_t *keys, size_t key_count,
                           struct flat_pair *pairs, struct corner **corners_out)
{
    const dent_border *border = &run->query->border;
    const struct depth_point *points = run->state->points.data;
    struct corner *corners = NULL;
    for (int fill = 0; fill < 2; fill++) {
        for (uint64_t i = 0; i < border->cut_edge_count + run->state->points.count; i++) {
            bool is_cut = i < border->cut_edge_count;
            const dent_cut_edge *cut = is_cut ? &border->cut_edges[i] : NULL;
            const struct depth_point *point = is_cut ? NULL : &points[i - border->cut_edge_count];
            uint32_t a = is_cut ? cut->body_a : point->body_a, b = is_cut ? cut->body_b : point->body_b;
            size_t at =
                is_cut || is_suspect(run, point) ? contact_find_key(keys, key_count, contact_pair_key(a, b)) : SIZE_MAX;
            if (at == SIZE_MAX) {
                continue;
            }
            if (fill) {
                corners[pairs[at].first + pairs[at].count] =
                    (struct corner){(uint32_t)(is_cut ? i : i - border->cut_edge_count), is_cut, a < b};
            }
            pairs[at].count++;
        }
        size_t sum = 0;
        for (size_t k = 0; k < key_count && !fill; k++) {
            pairs[k].first = sum;
            sum += pairs[k].count;
            pairs[k].count = 0;
        }
        if (!fill && !(corners = arena_allocate(run->scratch, sum, sizeof *corners))) {
            return false;
        }
    }
    *corners_out = corners;
    return true;
}

bool depth_solve_flat(struct contact_run *run)
{
    uint64_t *keys = NULL;
    size_t count;
    if (!find_suspects(run, &keys, &count)) {
        return false;
    }
    count = count > 0 ? drop_solved(run, keys, count) : 0;
    if (count == SIZE_MAX || count == 0) {
        return count == 0;
    }
    struct corner *corners;
    struct flat_pair *pairs = arena_allocate_cleared(run->scratch, count, sizeof *pairs);
    if (!pairs || !gather_corners(run, keys, count, pairs, &corners)) {
        return false;
    }
    for (size_t i = 0; i < count && !cancel_requested(run->cancel); i++) {
        pairs[i].a = (uint32_t)(keys[i] >> 32);
        pairs[i].b = (uint32_t)keys[i];
        if (!solve_pair(run, corners, &pairs[i])) {
            return false;
        }
    }
    return true;
}
