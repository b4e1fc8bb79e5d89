/* Counting sort by vertex, then a small sort in every bucket.
 *
 * In a mesh a vertex has a few dozen records, so nearly all buckets end in an insertion sort. A bucket can be large all
 * the same (a fan of a million tetrahedra round one vertex), so large ones are first parted by their highest differing
 * bit, in place: radix exchange, at most 96 levels, no extra memory and no input on which it turns quadratic.
 *
 * In: records with vertex, two key words and a reference. Out: the order (vertex, key0, key1, ref), whatever the order
 * of entry.
 */
#include "bodies/vertex_buckets.h"

#include <string.h>

enum { SMALL_BUCKET = 24 };

bool vertex_buckets_begin(struct vertex_buckets *buckets, dent_context *context, uint32_t vertex_count)
{
    memset(buckets, 0, sizeof *buckets);
    buckets->context = context;
    buckets->vertex_count = vertex_count;
    if ((uint64_t)vertex_count + 2 > SIZE_MAX / sizeof *buckets->start) {
        return false;
    }
    buckets->start = dent_allocate(context, (size_t)vertex_count + 2, sizeof *buckets->start);
    if (!buckets->start) {
        return false;
    }
    memset(buckets->start, 0, ((size_t)vertex_count + 2) * sizeof *buckets->start);
    return true;
}

bool vertex_buckets_allocate(struct vertex_buckets *buckets)
{
    /* Counts lie two places up, so that the running starts end up one slot up and the filled buckets in place. */
    for (size_t i = 2; i < (size_t)buckets->vertex_count + 2; i++) {
        buckets->start[i] += buckets->start[i - 1];
    }
    uint64_t record_count = buckets->start[(size_t)buckets->vertex_count + 1];
    if (record_count > SIZE_MAX / sizeof *buckets->records) {
        return false;
    }
    buckets->records = dent_allocate(buckets->context, (size_t)record_count, sizeof *buckets->records);
    if (!buckets->records) {
        return false;
    }
    buckets->record_count = record_count;
    return true;
}

void vertex_buckets_end(struct vertex_buckets *buckets)
{
    dent_release(buckets->context, buckets->records, (size_t)buckets->record_count, sizeof *buckets->records);
    dent_release(buckets->context, buckets->start, (size_t)buckets->vertex_count + 2, sizeof *buckets->start);
    buckets->records = NULL;
    buckets->start = NULL;
}

static bool record_before(const struct bucket_record *a, const struct bucket_record *b)
{
    uint64_t key_a = (uint64_t)a->key0 << 32 | a->key1;
    uint64_t key_b = (uint64_t)b->key0 << 32 | b->key1;
    return key_a < key_b || (key_a == key_b && a->ref < b->ref);
}

static void insertion_sort(struct bucket_record *records, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct bucket_record record = records[i];
        size_t j = i;
        while (j > 0 && record_before(&record, &records[j - 1])) {
            records[j] = records[j - 1];
            j--;
        }
        records[j] = record;
    }
}

/* A bit in which the keys differ: word 0-2, or 3 when all records are equal. */
struct parting_bit {
    int word;
    uint32_t mask;
};

static uint32_t word_of(const struct bucket_record *record, int word)
{
    return word == 0 ? record->key0 : word == 1 ? record->key1 : record->ref;
}

static struct parting_bit find_parting_bit(const struct bucket_record *records, size_t count)
{
    uint32_t differences[3] = {0, 0, 0};
    for (size_t i = 1; i < count; i++) {
        differences[0] |= records[i].key0 ^ records[0].key0;
        differences[1] |= records[i].key1 ^ records[0].key1;
        differences[2] |= records[i].ref ^ records[0].ref;
    }
    struct parting_bit bit = {0, 0};
    while (bit.word < 3 && differences[bit.word] == 0) {
        bit.word++;
    }
    if (bit.word < 3) {
        bit.mask = (uint32_t)1 << 31;
        while (!(differences[bit.word] & bit.mask)) {
            bit.mask >>= 1;
        }
    }
    return bit;
}

/* Records without the bit to the front; returns how many. */
static size_t part_records(struct bucket_record *records, size_t count, struct parting_bit bit)
{
    size_t low = 0, high = count;
    while (low < high) {
        if (!(word_of(&records[low], bit.word) & bit.mask)) {
            low++;
        } else {
            high--;
            struct bucket_record record = records[low];
            records[low] = records[high];
            records[high] = record;
        }
    }
    return low;
}

static void sort_records(struct bucket_record *records, size_t count)
{
    while (count > SMALL_BUCKET) {
        struct parting_bit bit = find_parting_bit(records, count);
        if (bit.word == 3) {
            return;
        }
        size_t low = part_records(records, count, bit);
        /* The smaller part by recursion (depth at most log2 of the count), the larger one in this loop. */
        if (low < count - low) {
            sort_records(records, low);
            records += low;
            count -= low;
        } else {
            sort_records(records + low, count - low);
            count = low;
        }
    }
    insertion_sort(records, count);
}

void vertex_buckets_sort(struct vertex_buckets *buckets)
{
    for (size_t vertex = 0; vertex < buckets->vertex_count; vertex++) {
        uint64_t begin = buckets->start[vertex], end = buckets->start[vertex + 1];
        sort_records(buckets->records + begin, (size_t)(end - begin));
    }
}
