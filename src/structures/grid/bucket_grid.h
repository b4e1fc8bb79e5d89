/* The buckets of one body: a lattice over its box, what lies in each bucket as one dense run, and the levels of the
 * tree above.
 *
 * The map from coordinates to bucket numbers is non-decreasing along each axis, whichever way it is computed, and that
 * is all that is needed:
 *
 *   Lemma. If two closed boxes meet and the map is non-decreasing, their ranges of buckets have a bucket in common. For
 * the componentwise larger of the two lower corners lies in both boxes, so its bucket lies in both ranges.
 *
 * Subtracting, multiplying, cutting to whole numbers and clamping are non-decreasing even when rounded, so no tolerance
 * is needed.
 *
 * An entry lies in exactly one bucket, that of its lower corner (its owner), on the finest level where it reaches at
 * most into the next bucket along each axis: a large entry goes up the tree instead of into many buckets. A look-up
 * walks, on every level that has entries, from the bucket before its first to its last, so it meets each entry at most
 * once. Bucket i of a level covers buckets 2i and 2i + 1 of the one below. `any` says of every node whether something
 * lies at or below it; it is what a walk down two trees asks.
 */
#ifndef DENT_STRUCTURES_BUCKET_GRID_H
#define DENT_STRUCTURES_BUCKET_GRID_H

#include "base/arena.h"
#include "structures/grid/kernels/packet_kernels.h"

enum { BUCKET_LEVELS_MAX = 21, BUCKETS_PER_AXIS_MAX = 1 << 20 };

struct bucket_lattice {
    float lo[3], hi[3];
    float inverse[3];          /* 1 / edge of a bucket */
    float last[3];             /* count - 1 */
    uint32_t count[3];         /* buckets along each axis, 1 to BUCKETS_PER_AXIS_MAX */
    uint32_t level_count;      /* until one bucket is left */
    const float *intervals[3]; /* null: by multiplication. Otherwise bucket i begins at intervals[i] (the first and the
                                  last are open) */
    bool uneven;               /* intervals differ in length: searched by halving */
};

/* Sets counts and levels for `buckets` buckets (any number, also a fraction) along each axis of [lo, hi]; fewer where
 * there would be more than `most` in all. */
void bucket_lattice_finish(struct bucket_lattice *lattice, const double buckets[3], uint64_t most);

/* Interval lists of the even lattice: count + 1 floats each. */
void bucket_lattice_intervals(const struct bucket_lattice *lattice, int axis, float *intervals);

/* With interval lists: agrees with them whatever is rounded. */
uint32_t bucket_by_intervals(const struct bucket_lattice *lattice, int axis, float value);

static inline uint32_t bucket_by_product(const struct bucket_lattice *lattice, int axis, float value)
{
    float slot = (value - lattice->lo[axis]) * lattice->inverse[axis], last = lattice->last[axis];
    slot = slot > 0 ? slot : 0;
    return (uint32_t)(int32_t)(slot < last ? slot : last);
}

static inline uint32_t bucket_of(const struct bucket_lattice *lattice, int axis, float value)
{
    return lattice->intervals[axis] ? bucket_by_intervals(lattice, axis, value)
                                    : bucket_by_product(lattice, axis, value);
}

struct bucket_range {
    uint32_t first[3], last[3];
};

static inline struct bucket_range bucket_range_of(const struct bucket_lattice *lattice, const float *lo,
                                                  const float *hi)
{
    struct bucket_range range;
    for (int axis = 0; axis < 3; axis++) {
        range.first[axis] = bucket_of(lattice, axis, lo[axis]);
        range.last[axis] = bucket_of(lattice, axis, hi[axis]);
    }
    return range;
}

/* Entries of one kind (vertices, or faces) of a body in its buckets. */
struct bucket_set {
    bool points;                        /* one bucket each: look-ups need no bucket before the first */
    uint32_t key_count;                 /* nodes of all levels */
    uint32_t offset[BUCKET_LEVELS_MAX]; /* of the nodes of each level */
    uint32_t own[BUCKET_LEVELS_MAX];    /* entries of each level */
    uint32_t *start;                    /* key_count + 1; indices into the columns */
    uint8_t *any;                       /* key_count */
    const struct grid_columns *columns; /* of all bodies */
    uint64_t squares;                   /* sum of squared numbers of entries of the buckets: how uneven */
};

/* Offsets and key_count for a lattice. */
void bucket_set_layout(struct bucket_set *set, const struct bucket_lattice *lattice, bool points);

static inline uint32_t buckets_at(const struct bucket_lattice *lattice, int axis, uint32_t level)
{
    return ((lattice->count[axis] - 1) >> level) + 1;
}

static inline uint32_t bucket_key(const struct bucket_set *set, const struct bucket_lattice *lattice, uint32_t level,
                                  const uint32_t index[3])
{
    return set->offset[level] +
           ((index[2] >> level) * buckets_at(lattice, 1, level) + (index[1] >> level)) * buckets_at(lattice, 0, level) +
           (index[0] >> level);
}

/* The level on which an entry with this range lies, and its key there. */
uint32_t bucket_owner(const struct bucket_set *set, const struct bucket_lattice *lattice,
                      const struct bucket_range *range, uint32_t *key);

/* Counts (in start, cleared before) to ends, beginning at `first`; then entries are put from the last to the first at
 * --start[key]. */
void bucket_set_sum(struct bucket_set *set, uint32_t first);
/* After all entries are put. */
void bucket_set_finish(struct bucket_set *set, const struct bucket_lattice *lattice);

/* Might an entry meet this range? Looks at no more than a few nodes of a level. */
bool bucket_set_any(const struct bucket_set *set, const struct bucket_lattice *lattice,
                    const struct bucket_range *range);

/* Called with lists of at most BUCKET_LIST_MAX numbers of entries. */
typedef void bucket_list_function(void *data, const uint32_t *list, uint32_t count);

enum { BUCKET_LIST_MAX = 1024, BUCKET_LIST_ROOM = BUCKET_LIST_MAX + 16 };

struct bucket_counters {
    uint64_t rows, entries;
};

/* Every entry whose box meets [lo, hi] exactly once. */
void bucket_set_look_up(const struct bucket_set *set, const struct bucket_lattice *lattice,
                        const struct packet_kernels *kernels, const float *lo, const float *hi,
                        uint32_t list[BUCKET_LIST_ROOM], bucket_list_function *function, void *data,
                        struct bucket_counters *counters);

#endif
