/* The pair table: the exact test behind each question, and the numbers that go with an answer.
 *
 * These functions are the meaning of the questions. Each is given a candidate of a question and says whether it is an
 * answer, and of what kind; candidates that share a vertex never are.
 */
#ifndef DENT_QUERY_PAIR_TESTS_H
#define DENT_QUERY_PAIR_TESTS_H

#include <dent/query.h>

#include "bodies/snapshot.h"
#include "geometry/predicates/predicate_kinds.h"
#include "methods/interface/method_interface.h"

/* 0: no answer. */
typedef dent_pair_kind pair_test(const struct snapshot *snapshot, const struct candidate *candidate, bool touching,
                                 predicate_counters *counters);

/* The row of the pair table for a question. */
pair_test *pair_test_of(dent_question question);

/* True when two corners are the same vertex. */
bool corners_share_vertex(const struct body *a, const uint32_t *corners_a, uint32_t count_a, const struct body *b,
                          const uint32_t *corners_b, uint32_t count_b);

void pair_cell_point(const struct snapshot *snapshot, const dent_pair *pair, dent_cell_point *point);
void pair_segment(const struct snapshot *snapshot, const dent_pair *pair, dent_segment *segment);

#endif
