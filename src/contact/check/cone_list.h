/* The cones at one point: a few at hand, more only where very many cells meet. */
#ifndef DENT_CONTACT_CONE_LIST_H
#define DENT_CONTACT_CONE_LIST_H

#include "base/containers/dynamic_array.h"
#include "contact/check/local_cover.h"

enum { CONES_AT_HAND = 64 };

struct cone_list {
    dent_context *context;
    struct cone at_hand[CONES_AT_HAND];
    int8_t signs_at_hand[6 * CONES_AT_HAND];
    struct dynamic_array more; /* of struct cone; takes over when at_hand is full */
    uint32_t count;
};

static inline void cone_list_begin(struct cone_list *list, dent_context *context)
{
    list->context = context;
    list->count = 0;
    array_init(&list->more, context, sizeof(struct cone));
}

static inline void cone_list_end(struct cone_list *list)
{
    array_destroy(&list->more);
}

static inline bool cone_list_push(struct cone_list *list, const struct cone *cone)
{
    if (list->count < CONES_AT_HAND) {
        list->at_hand[list->count++] = *cone;
        return true;
    }
    if (list->count == CONES_AT_HAND && !array_push_many(&list->more, list->at_hand, CONES_AT_HAND)) {
        return false;
    }
    list->count++;
    return array_push(&list->more, cone);
}

/* *out_of_memory: not known. */
static inline bool cone_list_covers(struct cone_list *list, predicate_counters *counters, bool *out_of_memory)
{
    if (list->count <= CONES_AT_HAND) {
        return cones_cover_neighbourhood(list->at_hand, list->count, list->signs_at_hand, counters);
    }
    int8_t *signs = dent_allocate(list->context, list->count, 6);
    if (!signs) {
        *out_of_memory = true;
        return false;
    }
    bool covered = cones_cover_neighbourhood(list->more.data, list->count, signs, counters);
    dent_release(list->context, signs, list->count, 6);
    return covered;
}

#endif
