/* See region_queue.h. An entry's four words: previous, next, list, and its buckets of error and depth (10 bits each)
 * and level (6 bits). */
#include "query/deadline/region_queue.h"

enum { PREVIOUS = 0, NEXT = 1, LIST = 2, PLACES = 3 };

/* Only what is in use: a search between two small bodies fills few of the thousand buckets. */
static void counts_clear(struct bucket_counts *c)
{
    for (; c->summary; c->summary &= c->summary - 1) {
        uint32_t word = (uint32_t)__builtin_ctzll(c->summary);
        memset(&c->counts[64 * word], 0, 64 * sizeof c->counts[0]);
        c->words[word] = 0;
    }
}

static void lists_clear(struct region_queue *queue)
{
    for (uint64_t words = queue->lists.summary; words; words &= words - 1) {
        uint32_t word = (uint32_t)__builtin_ctzll(words);
        memset(&queue->heads[64 * word], 0xFF, 64 * sizeof queue->heads[0]);
        memset(&queue->tails[64 * word], 0xFF, 64 * sizeof queue->tails[0]);
    }
    queue->heads[REGION_STUCK] = queue->tails[REGION_STUCK] = REGION_NONE;
}

void region_queue_create(struct region_queue *queue)
{
    memset(queue->heads, 0xFF, sizeof queue->heads);
    memset(queue->tails, 0xFF, sizeof queue->tails);
}

void region_queue_reset(struct region_queue *queue, double first_error, double first_depth, double first_key)
{
    queue->count = queue->queued = 0;
    lists_clear(queue);
    counts_clear(&queue->lists);
    counts_clear(&queue->errors);
    counts_clear(&queue->depths);
    counts_clear(&queue->levels);
    queue->error_base = top_bits(first_error);
    queue->depth_base = top_bits(first_depth);
    queue->key_base = top_bits(first_key);
}

static void append(struct region_queue *queue, uint32_t entry, uint32_t list)
{
    uint32_t *words = queue->entries[entry].queue;
    words[LIST] = list;
    words[NEXT] = REGION_NONE;
    words[PREVIOUS] = queue->tails[list];
    if (queue->tails[list] == REGION_NONE) {
        queue->heads[list] = entry;
    } else {
        queue->entries[queue->tails[list]].queue[NEXT] = entry;
    }
    queue->tails[list] = entry;
    if (list != REGION_STUCK) {
        counts_add(&queue->lists, list);
        queue->queued++;
    }
}

/* Lets the neighbours (or the ends of the list) of `entry` name `other` instead; REGION_NONE cuts it out. */
static void relink(struct region_queue *queue, uint32_t entry, uint32_t other)
{
    const uint32_t *words = queue->entries[entry].queue;
    uint32_t to_next = other == REGION_NONE ? words[NEXT] : other,
             to_previous = other == REGION_NONE ? words[PREVIOUS] : other;
    if (words[PREVIOUS] == REGION_NONE) {
        queue->heads[words[LIST]] = to_next;
    } else {
        queue->entries[words[PREVIOUS]].queue[NEXT] = to_next;
    }
    if (words[NEXT] == REGION_NONE) {
        queue->tails[words[LIST]] = to_previous;
    } else {
        queue->entries[words[NEXT]].queue[PREVIOUS] = to_previous;
    }
}

static void cut_out(struct region_queue *queue, uint32_t entry)
{
    uint32_t list = queue->entries[entry].queue[LIST];
    relink(queue, entry, REGION_NONE);
    if (list != REGION_STUCK) {
        counts_take(&queue->lists, list);
        queue->queued--;
    }
}

void region_queue_push(struct region_queue *queue, const dent_region_pair *pair, double key, uint32_t level)
{
    uint32_t entry = queue->count++;
    uint32_t error = bucket_of(pair->error, queue->error_base),
             depth = bucket_of(pair->lo < 0 ? -pair->lo : 0, queue->depth_base);
    level = level < REGION_LEVELS - 1 ? level : REGION_LEVELS - 1;
    queue->entries[entry] = *pair;
    queue->entries[entry].queue[PLACES] = error | depth << 10 | level << 20;
    counts_add(&queue->errors, error);
    counts_add(&queue->depths, depth);
    counts_add(&queue->levels, level);
    append(queue, entry, bucket_of(key, queue->key_base));
}

void region_queue_remove(struct region_queue *queue, uint32_t entry)
{
    uint32_t slots = queue->entries[entry].queue[PLACES], last = --queue->count;
    counts_take(&queue->errors, slots & 1023);
    counts_take(&queue->depths, slots >> 10 & 1023);
    counts_take(&queue->levels, slots >> 20);
    cut_out(queue, entry);
    if (last != entry) {
        relink(queue, last, entry);
        queue->entries[entry] = queue->entries[last];
    }
}

void region_queue_set_aside(struct region_queue *queue, uint32_t entry)
{
    cut_out(queue, entry);
    append(queue, entry, REGION_STUCK);
}

double region_queue_error(const struct region_queue *queue)
{
    return queue->count > 0 ? bucket_edge(counts_highest(&queue->errors), queue->error_base) : 0;
}

double region_queue_depth(const struct region_queue *queue)
{
    return queue->count > 0 ? bucket_edge(counts_highest(&queue->depths), queue->depth_base) : 0;
}
