/* Closest points of pairs of strands, followed from step to step (Raghupathi and others 2003).
 *
 * In: positions. Out: places on pairs of strands where their distance has a local minimum, and contacts where it is
 * within the radii. A place is relaxed by turns: with the point of b fixed, the point of a slides down along its strand,
 * segment by segment, then the other way round. Places that are near look for others `window` segments beside them;
 * places that have met are merged. There is no guarantee: dent_strand_tracker_seed takes what an exact search found.
 *
 * Pairs of strands are culled by boxes. Lists are sorted by (strand a, strand b, place a, place b), so results depend on
 * nothing but the calls made. */
#include "hair/strand_tracker_state.h"

#include "base/containers/heap_sort.h"
#include "geometry/metric/feature_distance.h"

#include <float.h>

/* ---- one strand and a point -------------------------------------------------------------------------------------- */

static void point_on(const struct strand_view *strand, double at, double point[3])
{
    uint32_t segment = (uint32_t)at;
    segment = segment < strand->segments ? segment : strand->segments - 1;
    const double *a = strand->positions + 3 * (size_t)segment;
    double share = at - segment;
    for (int axis = 0; axis < 3; axis++) {
        point[axis] = a[axis] + share * (a[axis + 3] - a[axis]);
    }
}

/* Nearest parameter of one segment, clamped; the squared distance. */
static double nearest_on_segment(const struct strand_view *strand, uint32_t segment, const double point[3],
                                 double *share)
{
    const double *a = strand->positions + 3 * (size_t)segment;
    double along[3], to[3];
    vector_subtract(a + 3, a, along);
    vector_subtract(point, a, to);
    double length = vector_dot(along, along), t = length > 0 ? vector_dot(to, along) / length : 0;
    t = t > 0 ? (t < 1 ? t : 1) : 0;
    vector_add_scaled(to, -t, along);
    *share = t;
    return vector_dot(to, to);
}

/* Slides to the local minimum of the distance to a point, from `at` on. */
static double slide(const struct strand_view *strand, double at, const double point[3])
{
    uint32_t segment = (uint32_t)at < strand->segments ? (uint32_t)at : strand->segments - 1;
    double share, best = nearest_on_segment(strand, segment, point, &share);
    for (;;) {
        double next_share;
        uint32_t next = share >= 1 && segment + 1 < strand->segments ? segment + 1
                        : share <= 0 && segment > 0                  ? segment - 1
                                                                     : segment;
        double distance = next != segment ? nearest_on_segment(strand, next, point, &next_share) : best;
        if (next == segment || !(distance < best)) {
            return segment + share;
        }
        segment = next;
        share = next_share;
        best = distance;
    }
}

static double place_distance(const struct strand_view *a, const struct strand_view *b, double at_a, double at_b)
{
    double p[3], q[3];
    point_on(a, at_a, p);
    point_on(b, at_b, q);
    vector_subtract(p, q, p);
    return vector_length(p);
}

/* The last places lie on segments; their exact closest points end the alternation, which is slow for nearly parallel
 * segments. */
static void finish_on_segments(const struct strand_view *a, const struct strand_view *b, dent_tracked_pair *pair)
{
    uint32_t i = (uint32_t)pair->at_a < a->segments ? (uint32_t)pair->at_a : a->segments - 1;
    uint32_t j = (uint32_t)pair->at_b < b->segments ? (uint32_t)pair->at_b : b->segments - 1;
    const double *ends_a[2] = {a->positions + 3 * (size_t)i, a->positions + 3 * (size_t)i + 3};
    const double *ends_b[2] = {b->positions + 3 * (size_t)j, b->positions + 3 * (size_t)j + 3};
    struct closest_pair closest;
    closest_of_edges(ends_a, ends_b, &closest);
    pair->at_a = i + closest.weights_a[1];
    pair->at_b = j + closest.weights_b[1];
    pair->distance = closest.distance;
}

static void relax(const struct tracker_step *step, dent_tracked_pair *pair)
{
    const struct strand_view a = tracker_strand(step, pair->strand_a), b = tracker_strand(step, pair->strand_b);
    for (uint32_t sweep = 0; sweep < step->tracker->def.sweeps; sweep++) {
        double point[3], before_a = pair->at_a, before_b = pair->at_b;
        point_on(&b, pair->at_b, point);
        pair->at_a = slide(&a, pair->at_a, point);
        point_on(&a, pair->at_a, point);
        pair->at_b = slide(&b, pair->at_b, point);
        uint32_t segment_a = (uint32_t)pair->at_a, segment_b = (uint32_t)pair->at_b;
        finish_on_segments(&a, &b, pair);
        if ((uint32_t)pair->at_a == segment_a && (uint32_t)pair->at_b == segment_b &&
            fabs(pair->at_a - before_a) + fabs(pair->at_b - before_b) < 1e-9) {
            break;
        }
    }
    pair->distance = place_distance(&a, &b, pair->at_a, pair->at_b);
}

/* ---- lists ------------------------------------------------------------------------------------------------------- */

static bool pair_before(const void *left, const void *right, const void *unused)
{
    (void)unused;
    const dent_tracked_pair *a = left, *b = right;
    if (a->strand_a != b->strand_a) {
        return a->strand_a < b->strand_a;
    }
    if (a->strand_b != b->strand_b) {
        return a->strand_b < b->strand_b;
    }
    return a->at_a != b->at_a ? a->at_a < b->at_a : a->at_b < b->at_b;
}

static bool nearer_before(const void *left, const void *right, const void *unused)
{
    (void)unused;
    const dent_tracked_pair *a = left, *b = right;
    return a->distance != b->distance ? a->distance < b->distance : pair_before(left, right, NULL);
}

/* The nearest of places that have met stays. Works on one pair of strands; returns how many are left. */
static size_t merge_places(dent_tracked_pair *pairs, size_t count, double window)
{
    size_t kept = 0;
    heap_sort(pairs, count, sizeof *pairs, nearer_before, NULL);
    for (size_t i = 0; i < count; i++) {
        bool fresh = true;
        for (size_t k = 0; k < kept && fresh; k++) {
            fresh = fabs(pairs[i].at_a - pairs[k].at_a) >= 0.5 * window ||
                    fabs(pairs[i].at_b - pairs[k].at_b) >= 0.5 * window;
        }
        if (fresh) {
            pairs[kept++] = pairs[i];
        }
    }
    heap_sort(pairs, kept, sizeof *pairs, pair_before, NULL);
    return kept;
}

/* ---- a step ------------------------------------------------------------------------------------------------------ */

static double radius_at(const dent_strand_tracker *tracker, uint32_t strand, double at)
{
    const uint32_t *first = tracker->first.data;
    uint32_t segments = first[strand + 1] - first[strand] - 1, segment = (uint32_t)at;
    size_t v = first[strand] + (segment < segments ? segment : segments - 1);
    const double *radii = tracker->radii.data;
    if (tracker->radii.count == 0) {
        return tracker->def.radius;
    }
    return radii[v] > radii[v + 1] ? radii[v] : radii[v + 1];
}

static double clamp_place(double at, double segments)
{
    return at > 0 ? (at < segments ? at : segments) : 0;
}

/* New places beside a near one, in all four directions along the two strands. */
static bool spawn_beside(struct tracker_step *step, dent_tracked_pair pair)
{
    static const double directions[4][2] = {{1, 1}, {-1, -1}, {1, -1}, {-1, 1}};
    double window = step->tracker->def.window;
    double end_a = tracker_strand(step, pair.strand_a).segments, end_b = tracker_strand(step, pair.strand_b).segments;
    for (int i = 0; i < 4; i++) {
        dent_tracked_pair beside = pair;
        beside.at_a = clamp_place(pair.at_a + directions[i][0] * window, end_a);
        beside.at_b = clamp_place(pair.at_b + directions[i][1] * window, end_b);
        relax(step, &beside);
        step->result.relaxations++;
        bool settled_elsewhere =
            fabs(beside.at_a - pair.at_a) > 0.5 * window || fabs(beside.at_b - pair.at_b) > 0.5 * window;
        if (settled_elsewhere) {
            step->result.spawned++;
            if (!array_push(&step->tracker->fresh, &beside)) {
                return false;
            }
        }
    }
    return true;
}

/* All places of one pair of strands: those tracked, or one at the roots; relaxed, with spawns, merged. */
static bool follow_strands(struct tracker_step *step, uint32_t a, uint32_t b, const dent_tracked_pair *tracked,
                           size_t count)
{
    struct dynamic_array *fresh = &step->tracker->fresh;
    const dent_tracked_pair roots = {.strand_a = a, .strand_b = b};
    size_t begin = fresh->count;
    for (size_t i = 0; i < count || (i == 0 && count == 0); i++) {
        dent_tracked_pair pair = count > 0 ? tracked[i] : roots;
        relax(step, &pair);
        step->result.relaxations++;
        if (!array_push(fresh, &pair)) {
            return false;
        }
    }
    size_t relaxed = fresh->count;
    for (size_t i = begin; i < relaxed; i++) {
        dent_tracked_pair pair = ((const dent_tracked_pair *)fresh->data)[i];
        double reach = radius_at(step->tracker, a, pair.at_a) + radius_at(step->tracker, b, pair.at_b);
        if (pair.distance < step->tracker->def.spawn * reach && !spawn_beside(step, pair)) {
            return false;
        }
    }
    size_t before = fresh->count - begin;
    size_t kept = merge_places((dent_tracked_pair *)fresh->data + begin, before, step->tracker->def.window);
    step->result.merged += before - kept;
    fresh->count = begin + kept;
    return true;
}

/* Boxes of all strands, grown so that strands near enough to spawn touch. */
static dent_status fill_boxes(struct tracker_step *step)
{
    dent_strand_tracker *tracker = step->tracker;
    const uint32_t *first = tracker->first.data;
    struct tracker_box *boxes = tracker->boxes.data;
    for (uint32_t s = 0; s < tracker->def.strand_count; s++) {
        double reach = 0;
        for (uint32_t v = first[s]; v < first[s + 1]; v++) {
            const double *x = step->positions + 3 * (size_t)v;
            for (int axis = 0; axis < 3; axis++) {
                if (!(fabs(x[axis]) <= DBL_MAX)) {
                    return dent_fail(tracker->context, DENT_ERROR_BAD_NUMBER, "vertex %u: %c is not finite", v,
                                     "xyz"[axis]);
                }
                boxes[s].low[axis] = v == first[s] || x[axis] < boxes[s].low[axis] ? x[axis] : boxes[s].low[axis];
                boxes[s].high[axis] = v == first[s] || x[axis] > boxes[s].high[axis] ? x[axis] : boxes[s].high[axis];
            }
            double radius = tracker->radii.count > 0 ? ((const double *)tracker->radii.data)[v] : tracker->def.radius;
            reach = radius > reach ? radius : reach;
        }
        double grown = reach * (tracker->def.spawn > 1 ? tracker->def.spawn : 1);
        for (int axis = 0; axis < 3; axis++) {
            boxes[s].low[axis] -= grown;
            boxes[s].high[axis] += grown;
        }
    }
    return DENT_OK;
}

static bool boxes_touch(const struct tracker_box *a, const struct tracker_box *b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (a->low[axis] > b->high[axis] || b->low[axis] > a->high[axis]) {
            return false;
        }
    }
    return true;
}

static dent_status follow_all(struct tracker_step *step)
{
    dent_strand_tracker *tracker = step->tracker;
    const struct tracker_box *boxes = tracker->boxes.data;
    const dent_tracked_pair *tracked = tracker->pairs.data;
    size_t count = tracker->pairs.count, next = 0;
    heap_sort(tracker->pairs.data, count, sizeof *tracked, pair_before, NULL);
    array_clear(&tracker->fresh);
    for (uint32_t a = 0; a < tracker->def.strand_count; a++) {
        for (uint32_t b = a + 1; b < tracker->def.strand_count; b++) {
            size_t begin = next;
            while (next < count && tracked[next].strand_a == a && tracked[next].strand_b == b) {
                next++;
            }
            if (!boxes_touch(&boxes[a], &boxes[b])) {
                continue;
            }
            step->result.strand_pairs++;
            if (!follow_strands(step, a, b, tracked + begin, next - begin)) {
                return dent_fail(tracker->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for tracked pairs");
            }
        }
    }
    return DENT_OK;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static void fill_contact(const struct tracker_step *step, const dent_tracked_pair *pair, dent_contact *contact)
{
    const uint32_t *first = step->tracker->first.data;
    const struct strand_view a = tracker_strand(step, pair->strand_a), b = tracker_strand(step, pair->strand_b);
    uint32_t i = (uint32_t)pair->at_a < a.segments ? (uint32_t)pair->at_a : a.segments - 1;
    uint32_t j = (uint32_t)pair->at_b < b.segments ? (uint32_t)pair->at_b : b.segments - 1;
    const double *ends_a[2] = {a.positions + 3 * (size_t)i, a.positions + 3 * (size_t)i + 3};
    const double *ends_b[2] = {b.positions + 3 * (size_t)j, b.positions + 3 * (size_t)j + 3};
    struct closest_pair closest;
    closest_of_edges(ends_a, ends_b, &closest);
    memset(contact, 0, sizeof *contact);
    contact->body_a = contact->body_b = step->tracker->def.body;
    contact->feature_a = first[pair->strand_a] + i;
    contact->feature_b = first[pair->strand_b] + j;
    contact->key = ((uint64_t)contact->feature_a << 32 | contact->feature_b) * UINT64_C(0x9E3779B97F4A7C15);
    contact->kind = DENT_CONTACT_EDGE_EDGE;
    contact->source = DENT_CONTACT_SOURCE_GAP;
    contact->flags = DENT_CONTACT_FLAG_SELF;
    contact->time = 1;
    contact->gap = closest.distance;
    vector_copy(closest.direction, contact->normal);
    for (uint32_t k = 0; k < 4; k++) {
        contact->vertices_a[k] = k < 2 ? contact->feature_a + k : UINT32_MAX;
        contact->vertices_b[k] = k < 2 ? contact->feature_b + k : UINT32_MAX;
        contact->weights_a[k] = k < 2 ? closest.weights_a[k] : 0;
        contact->weights_b[k] = k < 2 ? closest.weights_b[k] : 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        contact->point_a[axis] = closest.weights_a[0] * ends_a[0][axis] + closest.weights_a[1] * ends_a[1][axis];
        contact->point_b[axis] = closest.weights_b[0] * ends_b[0][axis] + closest.weights_b[1] * ends_b[1][axis];
    }
}

static dent_status emit_contacts(struct tracker_step *step)
{
    dent_strand_tracker *tracker = step->tracker;
    const dent_tracked_pair *pairs = tracker->fresh.data;
    array_clear(&tracker->contacts);
    for (size_t i = 0; i < tracker->fresh.count; i++) {
        double reach =
            radius_at(tracker, pairs[i].strand_a, pairs[i].at_a) + radius_at(tracker, pairs[i].strand_b, pairs[i].at_b);
        if (pairs[i].distance <= reach) {
            dent_contact *contact = array_extend(&tracker->contacts, 1);
            if (!contact) {
                return dent_fail(tracker->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for contacts");
            }
            fill_contact(step, &pairs[i], contact);
        }
    }
    return DENT_OK;
}

static dent_status run_step(void *data)
{
    struct tracker_step *step = data;
    dent_status status = fill_boxes(step);
    status = status == DENT_OK ? follow_all(step) : status;
    return status == DENT_OK ? emit_contacts(step) : status;
}

dent_status dent_strand_tracker_update(dent_strand_tracker *tracker, const double *positions,
                                       dent_strand_tracker_result *result)
{
    DENT_REQUIRE(NULL, tracker);
    DENT_REQUIRE(tracker->context, positions);
    DENT_REQUIRE(tracker->context, result);
    struct tracker_step step = {.tracker = tracker, .positions = positions};
    dent_status status = dent_call_guarded(tracker->context, run_step, &step);
    if (status != DENT_OK) {
        return status;
    }
    struct dynamic_array old = tracker->pairs;
    tracker->pairs = tracker->fresh;
    tracker->fresh = old;
    *result = step.result;
    result->pair_count = tracker->pairs.count;
    result->pairs = tracker->pairs.data;
    result->contact_count = tracker->contacts.count;
    result->contacts = tracker->contacts.data;
    return DENT_OK;
}
