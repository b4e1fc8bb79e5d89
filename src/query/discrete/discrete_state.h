/* What a world keeps for the discrete questions: the lists of the last answer, and one state per method. */
#ifndef DENT_QUERY_DISCRETE_STATE_H
#define DENT_QUERY_DISCRETE_STATE_H

#include "methods/interface/method_table.h"
#include "query/pairs/answer_list.h"
#include "query/world/world_state.h"

struct discrete_state {
    struct answer_list answers[DENT_DISCRETE_QUESTION_COUNT];
    void *method_states[DENT_METHOD_COUNT]; /* null until the method is first asked */
    struct method_experience experience;
};

extern const struct world_slot_kind discrete_slot;

#endif
