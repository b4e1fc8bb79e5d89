/* Which bodies' boxes meet: sort along one axis and sweep, sixteen boxes at a time. Grouped by one of the two. */
#ifndef DENT_STRUCTURES_BODY_PAIRS_H
#define DENT_STRUCTURES_BODY_PAIRS_H

#include "base/arena.h"
#include "base/block_output.h"
#include "base/containers/dynamic_array.h"
#include "structures/clusters/kernels/cluster_kernels.h"

struct body_pair {
    uint32_t a, b;
};

struct body_pairs {
    struct dynamic_array found; /* struct body_pair, each pair once, in the order of the sweep */
    struct block_output blocks; /* of a sweep by several workers */
    uint32_t *first;            /* count + 1: the partners of box i are partners[first[i] ...) */
    uint32_t *partners;
    struct dynamic_array first_storage, partner_storage; /* uint32_t */
};

void body_pairs_init(struct body_pairs *pairs, dent_context *context);
void body_pairs_destroy(struct body_pairs *pairs);

/* Pairs of different boxes that meet (closed), both ways round. False when memory runs out. */
bool body_pairs_find(struct body_pairs *pairs, const struct cluster_box *boxes, uint32_t count, dent_isa isa,
                     struct arena *scratch);

#endif
