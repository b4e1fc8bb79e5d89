/* One impact query through the stages. See impact_test.h. */
#include "geometry/impact/impact_test.h"

#include <stddef.h>

#include "geometry/impact/impact_internal.h"

static void set_free(struct impact_result *result, enum impact_stage stage)
{
    *result = (struct impact_result){IMPACT_FREE, stage, 1.0, 0.0, 0.0, {0.0, 0.0, 1.0}};
}

static void set_error(struct impact_result *result)
{
    *result = (struct impact_result){IMPACT_ERROR, IMPACT_STAGE_ERROR, 0.0, 0.0, 0.0, {0.0, 0.0, 1.0}};
}

static void set_hit(enum impact_kind kind, const struct impact_vertex *const corners[4], enum impact_stage stage,
                    double toi, struct impact_result *result)
{
    result->answer = IMPACT_HIT;
    result->stage = stage;
    result->toi = toi;
    impact_describe_contact(kind, corners, result);
}

static bool same_start(const struct impact_vertex *a, const struct impact_vertex *b)
{
    return a->start[0] == b->start[0] && a->start[1] == b->start[1] && a->start[2] == b->start[2];
}

/* Duplicated vertices are common in real scenes and need no arithmetic. */
static bool share_a_start(enum impact_kind kind, const struct impact_vertex *const corners[4])
{
    if (kind == IMPACT_VERTEX_FACE) {
        return same_start(corners[0], corners[1]) || same_start(corners[0], corners[2]) ||
               same_start(corners[0], corners[3]);
    }
    return same_start(corners[0], corners[2]) || same_start(corners[0], corners[3]) ||
           same_start(corners[1], corners[2]) || same_start(corners[1], corners[3]);
}

static void decide_exactly(enum impact_kind kind, const struct impact_vertex *const corners[4], uint64_t *limbs,
                           struct impact_result *result)
{
    double toi;
    switch (impact_exact_time(kind, corners, limbs, &toi)) {
    case IMPACT_HIT:
        set_hit(kind, corners, IMPACT_STAGE_EXACT, toi, result);
        break;
    case IMPACT_FREE:
        set_free(result, IMPACT_STAGE_EXACT);
        break;
    default:
        set_error(result);
    }
}

void impact_test_finite(enum impact_kind kind, const struct impact_vertex *const corners[4], double t_limit,
                        bool ordinary, uint64_t *limbs, struct impact_result *result)
{
    if (!ordinary) {
        decide_exactly(kind, corners, limbs, result);
        return;
    }
    if (share_a_start(kind, corners)) {
        set_hit(kind, corners, IMPACT_STAGE_SHARED, 0.0, result);
        return;
    }
    double toi;
    switch (impact_double_time(kind, corners, t_limit, &toi)) {
    case IMPACT_CERTAINLY_FREE:
        set_free(result, IMPACT_STAGE_DOUBLE);
        break;
    case IMPACT_CERTAINLY_HIT:
        set_hit(kind, corners, IMPACT_STAGE_DOUBLE, toi, result);
        break;
    case IMPACT_UNDECIDED:
        decide_exactly(kind, corners, limbs, result);
        break;
    }
}

void impact_test(enum impact_kind kind, const struct impact_vertex *const corners[4], double t_limit,
                 struct impact_result *result)
{
    if (!impact_all_finite(corners)) {
        set_error(result);
        return;
    }
    impact_test_finite(kind, corners, t_limit, impact_arithmetic_is_ordinary(), NULL, result);
}

void impact_test_exact(uint64_t limbs[IMPACT_LIMBS], enum impact_kind kind,
                       const struct impact_vertex *const corners[4], struct impact_result *result)
{
    if (!impact_all_finite(corners)) {
        set_error(result);
        return;
    }
    decide_exactly(kind, corners, limbs, result);
}
