/* Making a tracker, seeding it with places, and counting what it has found of an exact search. */
#include "hair/strand_tracker_state.h"

#include "base/containers/heap_sort.h"

#include <float.h>

dent_strand_tracker_def dent_strand_tracker_def_default(void)
{
    return (dent_strand_tracker_def){
        .struct_size = sizeof(dent_strand_tracker_def), .spawn = 3, .window = 2, .sweeps = 8};
}

static dent_status check_tracker_def(dent_context *context, const dent_strand_tracker_def *def)
{
    if (def->struct_size != sizeof *def || !(def->spawn >= 0 && def->spawn <= DBL_MAX) ||
        !(def->window > 0 && def->window <= DBL_MAX) || def->sweeps == 0 || !(def->radius >= 0) ||
        !(def->radius <= DBL_MAX) || (def->strand_count > 0 && !def->first)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the tracker def was not made by dent_strand_tracker_def_default(), or a number is out of "
                         "range");
    }
    if (def->strand_count > 0 && def->first[0] != 0) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "first[0] is %u instead of 0", def->first[0]);
    }
    for (uint32_t s = 0; s < def->strand_count; s++) {
        if (def->first[s + 1] < def->first[s] || def->first[s + 1] - def->first[s] < 2) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "strand %u has fewer than two vertices", s);
        }
    }
    uint32_t vertices = def->strand_count > 0 ? def->first[def->strand_count] : 0;
    for (uint32_t v = 0; def->radii && v < vertices; v++) {
        if (!(def->radii[v] >= 0 && def->radii[v] <= DBL_MAX)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the radius of vertex %u is %g", v, def->radii[v]);
        }
    }
    return DENT_OK;
}

void dent_strand_tracker_destroy(dent_strand_tracker *tracker)
{
    if (!tracker) {
        return;
    }
    struct dynamic_array *arrays[] = {&tracker->first, &tracker->radii,    &tracker->strand_of, &tracker->pairs,
                                      &tracker->fresh, &tracker->contacts, &tracker->boxes,     &tracker->exact};
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++) {
        array_destroy(arrays[i]);
    }
    dent_release(tracker->context, tracker, 1, sizeof *tracker);
}

struct exact_pair {
    uint32_t vertex_a, vertex_b; /* a on the strand of the smaller number */
    double distance;
};

static bool copy_topology(dent_strand_tracker *tracker, const dent_strand_tracker_def *def)
{
    uint32_t strands = def->strand_count, vertices = strands > 0 ? def->first[strands] : 0;
    uint32_t *first = array_extend(&tracker->first, (size_t)strands + 1);
    double *radii = def->radii ? array_extend(&tracker->radii, vertices) : NULL;
    uint32_t *strand_of = array_extend(&tracker->strand_of, vertices);
    if (!first || !strand_of || (def->radii && !radii) || !array_extend(&tracker->boxes, strands)) {
        return false;
    }
    first[0] = 0;
    for (uint32_t s = 0; s < strands; s++) {
        first[s] = def->first[s];
        first[s + 1] = def->first[s + 1];
        for (uint32_t v = first[s]; v < first[s + 1]; v++) {
            strand_of[v] = s;
        }
    }
    if (radii) {
        memcpy(radii, def->radii, vertices * sizeof *radii);
    }
    return true;
}

dent_status dent_strand_tracker_create(dent_context *context, const dent_strand_tracker_def *def,
                                       dent_strand_tracker **tracker)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, tracker);
    dent_status status = check_tracker_def(context, def);
    if (status != DENT_OK) {
        return status;
    }
    dent_strand_tracker *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a tracker of strands");
    }
    *made = (dent_strand_tracker){.context = context, .def = *def};
    array_init(&made->first, context, sizeof(uint32_t));
    array_init(&made->radii, context, sizeof(double));
    array_init(&made->strand_of, context, sizeof(uint32_t));
    array_init(&made->pairs, context, sizeof(dent_tracked_pair));
    array_init(&made->fresh, context, sizeof(dent_tracked_pair));
    array_init(&made->contacts, context, sizeof(dent_contact));
    array_init(&made->boxes, context, sizeof(struct tracker_box));
    array_init(&made->exact, context, sizeof(struct exact_pair));
    if (!copy_topology(made, def)) {
        dent_strand_tracker_destroy(made);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a tracker of strands");
    }
    *tracker = made;
    return DENT_OK;
}

/* ---- pairs of an exact search ------------------------------------------------------------------------------------ */

static dent_status check_vertex(dent_strand_tracker *tracker, uint32_t vertex)
{
    const uint32_t *strand_of = tracker->strand_of.data, *first = tracker->first.data;
    if (vertex >= tracker->strand_of.count || vertex + 1 >= first[strand_of[vertex] + 1]) {
        return dent_fail(tracker->context, DENT_ERROR_INVALID_ARGUMENT, "no segment begins at vertex %u", vertex);
    }
    return DENT_OK;
}

dent_status dent_strand_tracker_seed(dent_strand_tracker *tracker, uint64_t count, const uint32_t *vertices_a,
                                     const uint32_t *vertices_b)
{
    DENT_REQUIRE(NULL, tracker);
    DENT_REQUIRE_ARRAY(tracker->context, count, vertices_a);
    DENT_REQUIRE_ARRAY(tracker->context, count, vertices_b);
    const uint32_t *strand_of = tracker->strand_of.data, *first = tracker->first.data;
    size_t before = tracker->pairs.count;
    dent_status status = DENT_OK;
    for (uint64_t i = 0; i < count && status == DENT_OK; i++) {
        uint32_t a = vertices_a[i], b = vertices_b[i];
        status = check_vertex(tracker, a);
        status = status == DENT_OK ? check_vertex(tracker, b) : status;
        if (status != DENT_OK || strand_of[a] == strand_of[b]) {
            continue;
        }
        if (strand_of[a] > strand_of[b]) {
            a = vertices_b[i];
            b = vertices_a[i];
        }
        dent_tracked_pair pair = {.strand_a = strand_of[a], .strand_b = strand_of[b]};
        pair.at_a = a - first[pair.strand_a] + 0.5;
        pair.at_b = b - first[pair.strand_b] + 0.5;
        if (!array_push(&tracker->pairs, &pair)) {
            status = dent_fail(tracker->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for tracked pairs");
        }
    }
    if (status != DENT_OK) {
        tracker->pairs.count = before;
    }
    return status;
}

static bool exact_before(const void *left, const void *right, const void *unused)
{
    (void)unused;
    const struct exact_pair *a = left, *b = right;
    return a->vertex_a != b->vertex_a ? a->vertex_a < b->vertex_a : a->vertex_b < b->vertex_b;
}

/* The distance of a pair in the sorted list; infinite when it is not there. */
static double distance_of(const dent_strand_tracker *tracker, uint32_t a, uint32_t b)
{
    const struct exact_pair *pairs = tracker->exact.data, wanted = {a, b, 0};
    size_t low = 0, high = tracker->exact.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (exact_before(&pairs[middle], &wanted, NULL)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    bool there = low < tracker->exact.count && pairs[low].vertex_a == a && pairs[low].vertex_b == b;
    return there ? pairs[low].distance : INFINITY;
}

/* Equal neighbours: the first in the list counts. */
static bool is_local_minimum(const dent_strand_tracker *tracker, const struct exact_pair *pair)
{
    for (int i = -1; i <= 1; i++) {
        for (int j = -1; j <= 1; j++) {
            double beside =
                i || j ? distance_of(tracker, pair->vertex_a + (uint32_t)i, pair->vertex_b + (uint32_t)j) : INFINITY;
            bool earlier = i < 0 || (i == 0 && j < 0);
            if (beside < pair->distance || (earlier && beside == pair->distance)) {
                return false;
            }
        }
    }
    return true;
}

static bool has_contact_near(const dent_strand_tracker *tracker, const struct exact_pair *pair)
{
    const dent_contact *contacts = tracker->contacts.data;
    const uint32_t *strand_of = tracker->strand_of.data;
    double window = tracker->def.window;
    /* Contacts are ordered by strands: find the first of this pair of strands. */
    size_t low = 0, high = tracker->contacts.count;
    uint32_t a = strand_of[pair->vertex_a], b = strand_of[pair->vertex_b];
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        uint32_t x = strand_of[contacts[middle].feature_a], y = strand_of[contacts[middle].feature_b];
        if (x < a || (x == a && y < b)) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    for (; low < tracker->contacts.count && strand_of[contacts[low].feature_a] == a &&
           strand_of[contacts[low].feature_b] == b;
         low++) {
        if (fabs((double)contacts[low].feature_a - pair->vertex_a) <= window &&
            fabs((double)contacts[low].feature_b - pair->vertex_b) <= window) {
            return true;
        }
    }
    return false;
}

dent_status dent_strand_tracker_recall(dent_strand_tracker *tracker, uint64_t count, const uint32_t *vertices_a,
                                       const uint32_t *vertices_b, const double *distances, uint64_t *total,
                                       uint64_t *found)
{
    DENT_REQUIRE(NULL, tracker);
    DENT_REQUIRE_ARRAY(tracker->context, count, vertices_a);
    DENT_REQUIRE_ARRAY(tracker->context, count, vertices_b);
    DENT_REQUIRE_ARRAY(tracker->context, count, distances);
    DENT_REQUIRE(tracker->context, total);
    DENT_REQUIRE(tracker->context, found);
    const uint32_t *strand_of = tracker->strand_of.data;
    array_clear(&tracker->exact);
    for (uint64_t i = 0; i < count; i++) {
        dent_status status = check_vertex(tracker, vertices_a[i]);
        status = status == DENT_OK ? check_vertex(tracker, vertices_b[i]) : status;
        if (status != DENT_OK) {
            return status;
        }
        bool turned = strand_of[vertices_a[i]] > strand_of[vertices_b[i]];
        struct exact_pair pair = {turned ? vertices_b[i] : vertices_a[i], turned ? vertices_a[i] : vertices_b[i],
                                  distances[i]};
        if (strand_of[vertices_a[i]] != strand_of[vertices_b[i]] && !array_push(&tracker->exact, &pair)) {
            return dent_fail(tracker->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the pairs to compare with");
        }
    }
    heap_sort(tracker->exact.data, tracker->exact.count, sizeof(struct exact_pair), exact_before, NULL);
    const struct exact_pair *pairs = tracker->exact.data;
    *total = *found = 0;
    for (size_t i = 0; i < tracker->exact.count; i++) {
        if (is_local_minimum(tracker, &pairs[i])) {
            ++*total;
            *found += has_contact_near(tracker, &pairs[i]);
        }
    }
    return DENT_OK;
}
