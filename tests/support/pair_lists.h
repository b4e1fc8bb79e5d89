/* The lists of all discrete questions of a query, by the table of questions: sums, hashes, comparisons. */
#ifndef DENT_TEST_PAIR_LISTS_H
#define DENT_TEST_PAIR_LISTS_H

#include "support/cmocka_includes.h"

#include <dent/query.h>

/* Pairs of all questions together. */
static inline uint64_t all_pairs(const dent_query_result *result)
{
    uint64_t count = 0;
    for (uint32_t i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        count += dent_query_result_list(result, dent_question_info_at(i)->question)->count;
    }
    return count;
}

/* The hash of the hashes, in the order of the table. */
static inline uint64_t all_pairs_hash(const dent_world *world, const dent_query_result *result)
{
    uint64_t hash = 0;
    for (uint32_t i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        dent_question question = dent_question_info_at(i)->question;
        hash = hash * 31 + dent_pair_list_hash(world, question, dent_query_result_list(result, question));
    }
    return hash;
}

static inline void assert_same_list(const dent_pair_list *a, const dent_pair_list *b)
{
    assert_int_equal(a->count, b->count);
    if (a->count == 0) {
        return;
    }
    assert_memory_equal(a->pairs, b->pairs, a->count * sizeof *a->pairs);
    assert_int_equal(a->cell_points != NULL, b->cell_points != NULL);
    assert_int_equal(a->segments != NULL, b->segments != NULL);
    if (a->cell_points) {
        assert_memory_equal(a->cell_points, b->cell_points, a->count * sizeof *a->cell_points);
    }
    if (a->segments) {
        assert_memory_equal(a->segments, b->segments, a->count * sizeof *a->segments);
    }
}

/* Of the questions (bits) in `compared`. */
static inline void assert_same_lists(const dent_query_result *a, const dent_query_result *b, uint32_t compared)
{
    for (uint32_t i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        dent_question question = dent_question_info_at(i)->question;
        if (compared & question) {
            assert_same_list(dent_query_result_list(a, question), dent_query_result_list(b, question));
        }
    }
}

#endif
