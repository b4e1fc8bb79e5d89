/* Which bodies are asked about: two different ones by group and mask, both ways, unless the pair is listed as excluded;
 * one with itself by its own flag.
 *
 * The excluded pairs of a world are one sorted list of slots. A body that is in it points to it, so that worlds without
 * such pairs pay one comparison with null. */
#include "base/containers/heap_sort.h"
#include "bodies/body_table.h"

#include <string.h>

/* ---- asking ------------------------------------------------------------------------------------------------------ */

static uint64_t key_of(uint32_t slot_a, uint32_t slot_b)
{
    return slot_a < slot_b ? (uint64_t)slot_a << 32 | slot_b : (uint64_t)slot_b << 32 | slot_a;
}

static bool lists(const struct excluded_bodies *excluded, uint64_t key)
{
    uint32_t low = 0, high = excluded->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (excluded->pairs[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < excluded->count && excluded->pairs[low] == key;
}

bool bodies_may_meet(const struct body *a, const struct body *b)
{
    if (a == b) {
        return a->self_collision;
    }
    return (a->collision_group & b->collision_mask) != 0 && (b->collision_group & a->collision_mask) != 0 &&
           !(a->excluded && b->excluded && lists(a->excluded, key_of(a->slot, b->slot)));
}

/* ---- the list ---------------------------------------------------------------------------------------------------- */

static bool key_before(const void *a, const void *b, const void *data)
{
    (void)data;
    return *(const uint64_t *)a < *(const uint64_t *)b;
}

/* Bodies with a listed pair point to the list, all others to nothing. */
static void point_to_list(struct body_table *table)
{
    struct excluded_bodies *excluded = &table->excluded;
    for (uint32_t i = 0; i < table->body_count; i++) {
        body_table_at(table, i)->excluded = NULL;
    }
    for (uint32_t i = 0; i < excluded->count; i++) {
        table->slots[excluded->pairs[i] >> 32].body->excluded = excluded;
        table->slots[excluded->pairs[i] & UINT32_MAX].body->excluded = excluded;
    }
}

static dent_status check_pair(const struct body_table *table, const dent_excluded_pair *pair, struct message *message)
{
    const struct body *a = body_table_find(table, pair->a), *b = body_table_find(table, pair->b);
    if (!a || !b) {
        return body_table_stale(table, a ? pair->b : pair->a, message);
    }
    if (a == b) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE " and itself are no pair to exclude: set self_collision", BODY_TITLE_OF(a));
    }
    return DENT_OK;
}

dent_status excluded_bodies_set(struct body_table *table, const dent_excluded_pair *pairs, uint32_t count,
                                struct message *message)
{
    for (uint32_t i = 0; i < count; i++) {
        dent_status status = check_pair(table, &pairs[i], message);
        if (status != DENT_OK) {
            return status;
        }
    }
    struct excluded_bodies made = {.pairs = dent_allocate(table->context, count, sizeof *made.pairs),
                                   .capacity = count};
    if (!made.pairs) {
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "not enough memory for %u excluded pairs", count);
    }
    for (uint32_t i = 0; i < count; i++) {
        made.pairs[i] = key_of(pairs[i].a.index1 - 1, pairs[i].b.index1 - 1);
    }
    heap_sort(made.pairs, count, sizeof *made.pairs, key_before, NULL);
    for (uint32_t i = 0; i < count; i++) {
        if (made.count == 0 || made.pairs[i] != made.pairs[made.count - 1]) {
            made.pairs[made.count++] = made.pairs[i];
        }
    }
    dent_release(table->context, table->excluded.pairs, table->excluded.capacity, sizeof *made.pairs);
    table->excluded = made;
    table->topology_version++;
    point_to_list(table);
    return DENT_OK;
}

void excluded_bodies_forget(struct body_table *table, uint32_t slot)
{
    struct excluded_bodies *excluded = &table->excluded;
    if (!table->slots[slot].body->excluded) {
        return;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < excluded->count; i++) {
        if (excluded->pairs[i] >> 32 != slot && (excluded->pairs[i] & UINT32_MAX) != slot) {
            excluded->pairs[kept++] = excluded->pairs[i];
        }
    }
    excluded->count = kept;
    point_to_list(table);
}
