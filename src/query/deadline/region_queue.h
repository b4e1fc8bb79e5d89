/* The pairs of nodes an interruptible search has not finished: a pool of fixed capacity, packed (the pool is the public
 * list), in doubly linked lists by bucket. Taking, adding and removing an entry is O(1), and so are the largest error
 * and the largest depth of all entries.
 *
 * Buckets are logarithmic, sixteen to the octave: the top bits of a double, counted from those of the first entry's
 * value. A bucket's upper edge is a bound of what lies in it, at most 1/16 above.
 */
#ifndef DENT_QUERY_REGION_QUEUE_H
#define DENT_QUERY_REGION_QUEUE_H

#include <dent/time_critical.h>

#include <math.h>
#include <string.h>

enum {
    REGION_BUCKETS = 1024,         /* 64 octaves */
    REGION_ABOVE_FIRST = 32,       /* buckets above the first entry's: children need not lie in their parents */
    REGION_STUCK = REGION_BUCKETS, /* the list of entries that found no room to be split */
    REGION_LISTS = REGION_BUCKETS + 1,
    REGION_LEVELS = 64
};

/* Counts with the slot of the highest and lowest non-empty one at hand. */
struct bucket_counts {
    uint32_t counts[REGION_BUCKETS];
    uint64_t words[REGION_BUCKETS / 64];
    uint64_t summary; /* which words are not zero */
};

struct region_queue {
    dent_region_pair *entries; /* count of them in use */
    uint32_t count, capacity;
    uint32_t queued; /* not stuck */
    uint32_t heads[REGION_LISTS], tails[REGION_LISTS];
    struct bucket_counts lists;          /* entries per list, without the stuck ones */
    struct bucket_counts errors, depths; /* of all entries */
    struct bucket_counts levels;
    uint64_t error_base, depth_base, key_base; /* top bits of the first entry's values */
};

#define REGION_NONE UINT32_MAX

static inline uint64_t top_bits(double value)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 48;
}

/* value >= 0 */
static inline uint32_t bucket_of(double value, uint64_t base)
{
    int64_t bucket = (int64_t)top_bits(value) - (int64_t)base + (REGION_BUCKETS - 1 - REGION_ABOVE_FIRST);
    return bucket < 0 ? 0 : bucket >= REGION_BUCKETS ? REGION_BUCKETS - 1 : (uint32_t)bucket;
}

/* No value in the bucket is above this; the topmost has no edge. */
static inline double bucket_edge(uint32_t bucket, uint64_t base)
{
    int64_t bits = (int64_t)bucket + (int64_t)base - (REGION_BUCKETS - 1 - REGION_ABOVE_FIRST) + 1;
    if (bucket == REGION_BUCKETS - 1 || bits >= 0x7FF0) {
        return INFINITY;
    }
    uint64_t word = bits < 1 ? UINT64_C(1) << 48 : (uint64_t)bits << 48;
    double edge;
    memcpy(&edge, &word, sizeof edge);
    return edge;
}

static inline void counts_add(struct bucket_counts *c, uint32_t bucket)
{
    c->counts[bucket]++;
    c->words[bucket / 64] |= UINT64_C(1) << (bucket % 64);
    c->summary |= UINT64_C(1) << (bucket / 64);
}

static inline void counts_take(struct bucket_counts *c, uint32_t bucket)
{
    if (--c->counts[bucket] == 0) {
        c->words[bucket / 64] &= ~(UINT64_C(1) << (bucket % 64));
        if (c->words[bucket / 64] == 0) {
            c->summary &= ~(UINT64_C(1) << (bucket / 64));
        }
    }
}

/* Highest and lowest non-empty bucket; the counts must not be empty. */
static inline uint32_t counts_highest(const struct bucket_counts *c)
{
    uint32_t word = 63 - (uint32_t)__builtin_clzll(c->summary);
    return word * 64 + 63 - (uint32_t)__builtin_clzll(c->words[word]);
}

static inline uint32_t counts_lowest(const struct bucket_counts *c)
{
    uint32_t word = (uint32_t)__builtin_ctzll(c->summary);
    return word * 64 + (uint32_t)__builtin_ctzll(c->words[word]);
}

/* Readies a queue of zeros. */
void region_queue_create(struct region_queue *queue);
/* Empties the queue, O(buckets in use); the first entry's values give the buckets their slot. */
void region_queue_reset(struct region_queue *queue, double first_error, double first_depth, double first_key);

/* There must be room. `key` >= 0 says in which list; fifo and lifo searches use key 0. */
void region_queue_push(struct region_queue *queue, const dent_region_pair *pair, double key, uint32_t level);
void region_queue_remove(struct region_queue *queue, uint32_t entry);
/* Takes the entry from its list to that of the stuck ones. */
void region_queue_set_aside(struct region_queue *queue, uint32_t entry);

static inline uint32_t region_queue_free(const struct region_queue *queue)
{
    return queue->capacity - queue->count;
}

/* Bounds over all entries; 0 when there is none. */
double region_queue_error(const struct region_queue *queue);
double region_queue_depth(const struct region_queue *queue);

#endif
