/* The boxes of a dent_boxes as every row reads them: floats in [-1, 1], rounded outward by a map that keeps order.
 *
 * In: the caller's list. Out: a record for each box, what has moved since the list before, and bounds. The map is
 * x -> (x - centre) * 2^exponent, rounded down for lower and up for upper corners. It keeps order, so boxes that overlap
 * have records that do. The centre is 0 unless all boxes lie far from it. Records are exact when nothing was rounded, as
 * for most lists of floats; otherwise the doubles are kept, and decide.
 */
#ifndef DENT_BOXES_BOX_STORE_H
#define DENT_BOXES_BOX_STORE_H

#include "base/containers/dynamic_array.h"
#include "boxes/kernels/box_kernels.h"
#include "geometry/metric/float_boxes.h"

#include <dent/boxes.h>

struct box_corners {
    double lo[3], hi[3];
};

struct box_store {
    dent_context *context;
    struct dynamic_array records, next_records; /* struct box_record; those of the list that is being read */
    struct dynamic_array corners;      /* struct box_corners; empty while the records are exact */
    struct dynamic_array groups, masks; /* uint32_t; empty: none were given */
    struct dynamic_array moved;        /* uint32_t: indices, ascending, that the last update changed */
    bool exact;
    bool all_moved; /* the list is another one, or the map has changed: `moved` is empty then */
    double centre[3];
    struct box_scaling scaling;
    uint32_t present;
    float lo[3], hi[3];   /* of the records that are present */
    double edge_sum;      /* of their longest edges */
    bool fresh;           /* no list was read yet */
};

void box_store_init(struct box_store *store, dent_context *context);
void box_store_destroy(struct box_store *store);

/* Reads a list; on failure the store is as it was. */
dent_status box_store_read(struct box_store *store, const dent_box_list *list, uint32_t count);

static inline uint32_t box_store_count(const struct box_store *store)
{
    return (uint32_t)store->records.count;
}

static inline const struct box_record *box_store_records(const struct box_store *store)
{
    return store->records.data;
}

/* The numbers of a box that is present, as they were given. */
struct box_corners box_store_corners(const struct box_store *store, uint32_t index);

/* The record of corners that may lie anywhere; *exact is cleared where it is larger than they are. */
struct box_record box_store_map(const struct box_store *store, const double lo[3], const double hi[3], bool *exact);

/* One box of a list, widened. */
struct box_corners box_list_read(const dent_box_list *list, uint32_t index);
/* Is the list one that can be read, and are its numbers? `what` is the word for its boxes. */
dent_status box_list_check(dent_context *context, const dent_box_list *list, uint32_t count, const char *what);

static inline bool corners_present(const struct box_corners *box)
{
    return box->lo[0] <= box->hi[0] && box->lo[1] <= box->hi[1] && box->lo[2] <= box->hi[2];
}

static inline bool corners_meet(const struct box_corners *a, const struct box_corners *b)
{
    return a->lo[0] <= b->hi[0] && b->lo[0] <= a->hi[0] && a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] &&
           a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
}

/* Do the filters let two boxes meet? */
static inline bool box_store_may_meet(const struct box_store *store, uint32_t a, uint32_t b)
{
    const uint32_t *groups = store->groups.data, *masks = store->masks.data;
    uint32_t group_a = store->groups.count ? groups[a] : 1, group_b = store->groups.count ? groups[b] : 1;
    uint32_t mask_a = store->masks.count ? masks[a] : UINT32_MAX, mask_b = store->masks.count ? masks[b] : UINT32_MAX;
    return (group_a & mask_b) != 0 && (group_b & mask_a) != 0;
}

static inline bool box_store_has_group(const struct box_store *store, uint32_t index, uint32_t mask)
{
    return ((store->groups.count ? ((const uint32_t *)store->groups.data)[index] : 1) & mask) != 0;
}

#endif
