/* The records of all sources in canonical order; pairs that two sources found become one record. */
#include <float.h>

#include "contact/depth/contact_run.h"

/* Stable, by (body a, feature a, body b, feature b) and then by kind. */
static bool sort_features(struct contact_run *run, uint32_t **order_out)
{
    size_t count = run->state->unsorted.count;
    const dent_contact *contacts = run->state->unsorted.data;
    struct key128 *keys = arena_allocate(run->scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(run->scratch, count, 3 * sizeof *order);
    if (!keys || !order) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        keys[i] = (struct key128){(uint64_t)contacts[i].body_a << 32 | contacts[i].feature_a,
                                  (uint64_t)contacts[i].body_b << 32 | contacts[i].feature_b};
        order[i] = (uint32_t)i;
    }
    radix_sort_u128(keys, order, keys + count, order + count, count);
    uint32_t *by_kind = order + 2 * count;
    size_t filled = 0;
    for (uint32_t kind = DENT_CONTACT_VERTEX_FACE; kind <= DENT_CONTACT_EDGE_FACE; kind++) {
        for (size_t i = 0; i < count; i++) {
            if (contacts[order[i]].kind == kind) {
                by_kind[filled++] = order[i];
            }
        }
    }
    *order_out = by_kind;
    return true;
}

static bool same_pair(const dent_contact *a, const dent_contact *b)
{
    return a->kind == b->kind && a->body_a == b->body_a && a->feature_a == b->feature_a && a->body_b == b->body_b &&
           a->feature_b == b->feature_b;
}

static void merge_into(dent_contact *kept, const dent_contact *other)
{
    if (kept->source == DENT_CONTACT_SOURCE_GAP && other->source == DENT_CONTACT_SOURCE_IMPACT) {
        kept->flags |= DENT_CONTACT_FLAG_ALSO_IMPACT;
        kept->time = other->time;
    }
}

static bool append_features(struct contact_run *run)
{
    struct contact_state *state = run->state;
    const dent_contact *unsorted = state->unsorted.data;
    struct arena_mark mark = arena_mark(run->scratch);
    uint32_t *order;
    size_t first = state->contacts.count;
    if (!sort_features(run, &order)) {
        return false;
    }
    for (size_t i = 0; i < state->unsorted.count; i++) {
        const dent_contact *next = &unsorted[order[i]];
        dent_contact *last =
            state->contacts.count > first ? array_at(&state->contacts, state->contacts.count - 1) : NULL;
        if (last && same_pair(last, next)) {
            merge_into(last, next);
            run->counters.merged++;
        } else if (!array_push(&state->contacts, next)) {
            return false;
        }
    }
    arena_rewind(run->scratch, mark);
    return true;
}

/* Lengths beyond the largest double become that: a depth may reach across the whole range, and two such have no
 * difference. */
static void limit_lengths(dent_contact *contact)
{
    contact->gap = contact->gap > DBL_MAX ? DBL_MAX : contact->gap < -DBL_MAX ? -DBL_MAX : contact->gap;
    contact->error = contact->error <= DBL_MAX ? contact->error : DBL_MAX;
}

bool contact_finish(struct contact_run *run)
{
    if (run->state->unsorted.count > 0 && !append_features(run)) {
        return false;
    }
    dent_contact *contacts = run->state->contacts.data;
    for (size_t i = 0; i < run->state->contacts.count; i++) {
        limit_lengths(&contacts[i]);
        run->counters.by_source[contacts[i].source]++;
        run->counters.clamped += (contacts[i].flags & DENT_CONTACT_FLAG_CLAMPED) != 0;
    }
    return true;
}
