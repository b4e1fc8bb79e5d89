/* The state of a tracker: topology, the tracked places, and scratch of a step. */
#ifndef DENT_HAIR_STRAND_TRACKER_STATE_H
#define DENT_HAIR_STRAND_TRACKER_STATE_H

#include <dent/hair.h>

#include "base/containers/dynamic_array.h"
#include "geometry/numbers/vector3.h"

struct tracker_box {
    double low[3], high[3];
};

struct dent_strand_tracker {
    dent_context *context;
    dent_strand_tracker_def def;    /* pointers are not used */
    struct dynamic_array first;     /* uint32_t */
    struct dynamic_array radii;     /* double; empty: def.radius */
    struct dynamic_array strand_of; /* uint32_t: by vertex */
    struct dynamic_array pairs;     /* dent_tracked_pair */
    struct dynamic_array fresh;     /* those of the step at hand */
    struct dynamic_array contacts;  /* dent_contact, of the last step */
    struct dynamic_array boxes;     /* struct tracker_box, by strand */
    struct dynamic_array exact;     /* struct exact_pair, of dent_strand_tracker_recall */
};

struct tracker_step {
    dent_strand_tracker *tracker;
    const double *positions;
    dent_strand_tracker_result result;
};

struct strand_view {
    const double *positions; /* of its root */
    uint32_t segments;
};

static inline struct strand_view tracker_strand(const struct tracker_step *step, uint32_t strand)
{
    const uint32_t *first = step->tracker->first.data;
    return (struct strand_view){step->positions + 3 * (size_t)first[strand], first[strand + 1] - first[strand] - 1};
}

#endif
