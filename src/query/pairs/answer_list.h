/* The answers to one question: collected per block of a parallel loop, merged, put into canonical order, given their
 * details. Memory is kept from query to query.
 */
#ifndef DENT_QUERY_ANSWER_LIST_H
#define DENT_QUERY_ANSWER_LIST_H

#include <dent/query.h>

#include "base/arena.h"
#include "base/block_output.h"
#include "bodies/snapshot.h"

struct pair_row; /* pair_tests.h */

struct answer_list {
    const struct pair_row *row;   /* how details are made; null: there are none */
    enum feature_kind side_a;     /* by its numbers the answers are divided among workers */
    struct block_output blocks;   /* dent_pair */
    struct dynamic_array pairs;   /* dent_pair, canonical after answer_list_sort */
    struct dynamic_array details; /* as the row says; empty where it has none */
};

void answer_list_init(struct answer_list *list, dent_context *context, const struct pair_row *row,
                      dent_feature_kind side_a);
void answer_list_destroy(struct answer_list *list);

/* Merges the blocks, sorts canonically, removes repetitions, many answers in parallel. False when memory runs out. */
bool answer_list_sort(struct answer_list *list, const struct snapshot *snapshot, struct arena *scratch);

/* Barycentric coordinates or segment end points, in parallel over the sorted pairs. False when memory runs out. */
bool answer_list_add_details(struct answer_list *list, dent_context *context, const struct snapshot *snapshot);

void answer_list_view(const struct answer_list *list, bool with_details, dent_pair_list *view);

#endif
