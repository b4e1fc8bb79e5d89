/* What the tests of the question proximity share: a context, one question, a copy of the answer. */
#ifndef DENT_TESTS_QUERY_PROXIMITY_CASES_H
#define DENT_TESTS_QUERY_PROXIMITY_CASES_H

#include "support/cmocka_includes.h"

#include "support/random_scene.h"
#include "support/random_surface.h"
#include "support/test_context.h"

static inline uint32_t rounds(uint32_t standard)
{
    return getenv("DENT_QUICK_TESTS") ? standard / 10 : getenv("DENT_LONG_TESTS") ? standard * 5 : standard;
}

static inline dent_proximity_result ask(dent_world *world, double thickness, dent_method method)
{
    dent_proximity_def def = dent_proximity_def_default();
    dent_proximity_result result;
    def.thickness = thickness;
    def.method = method;
    assert_int_equal(dent_world_proximity(world, &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    return result;
}

struct kept {
    dent_proximity *pairs;
    uint64_t count;
};

static inline struct kept keep(const dent_proximity_result *result)
{
    struct kept kept = {test_allocate((size_t)result->count + 1, sizeof *kept.pairs), result->count};
    if (result->count > 0) {
        memcpy(kept.pairs, result->pairs, (size_t)result->count * sizeof *kept.pairs);
    }
    return kept;
}

static inline bool equal(const struct kept *expected, const dent_proximity_result *result)
{
    return expected->count == result->count &&
           (result->count == 0 ||
            memcmp(expected->pairs, result->pairs, (size_t)result->count * sizeof *result->pairs) == 0);
}

#endif
