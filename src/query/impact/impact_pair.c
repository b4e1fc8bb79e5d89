/* The impact of one pair without a world, and the names of kinds and stages. */
#include <math.h>

#include <dent/impact.h>

#include "base/floating_point_guard.h"
#include "geometry/impact/impact_test.h"

const char *dent_impact_kind_name(dent_impact_kind kind)
{
    return kind == DENT_IMPACT_VERTEX_FACE ? "vertex-face" : kind == DENT_IMPACT_EDGE_EDGE ? "edge-edge" : NULL;
}

const char *dent_impact_stage_name(dent_impact_stage stage)
{
    static const char *const names[DENT_IMPACT_STAGE_COUNT] = {"axes", "cubic", "free axis", "double", "exact"};
    return (unsigned)stage < DENT_IMPACT_STAGE_COUNT ? names[stage] : NULL;
}

static dent_impact_stage public_stage(enum impact_stage stage)
{
    switch (stage) {
    case IMPACT_STAGE_AXES:
        return DENT_IMPACT_STAGE_AXES;
    case IMPACT_STAGE_CUBIC:
        return DENT_IMPACT_STAGE_CUBIC;
    case IMPACT_STAGE_FREE_AXIS:
        return DENT_IMPACT_STAGE_FREE_AXIS;
    case IMPACT_STAGE_SHARED:
    case IMPACT_STAGE_DOUBLE:
        return DENT_IMPACT_STAGE_DOUBLE;
    default:
        return DENT_IMPACT_STAGE_EXACT;
    }
}

static DENT_NOINLINE dent_status test_pair(enum impact_kind kind, const struct impact_vertex vertices[4],
                                           dent_impact_test_result *answer)
{
    const struct impact_vertex *corners[4] = {&vertices[0], &vertices[1], &vertices[2], &vertices[3]};
    struct impact_result result;
    impact_test(kind, corners, 1, &result);
    if (result.answer == IMPACT_ERROR) { /* the numbers are finite: there was no memory */
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    *answer =
        (dent_impact_test_result){.meets = result.answer != IMPACT_FREE, .toi = 1, .stage = public_stage(result.stage)};
    if (answer->meets) {
        answer->toi = result.toi;
        answer->u = result.u;
        answer->v = result.v;
        for (int axis = 0; axis < 3; axis++) {
            answer->normal[axis] = result.normal[axis];
        }
    }
    return DENT_OK;
}

dent_status dent_impact_test(dent_impact_kind kind, const double points_t0[4][3], const double points_t1[4][3],
                             dent_impact_test_result *answer)
{
    DENT_REQUIRE(NULL, points_t0);
    DENT_REQUIRE(NULL, points_t1);
    DENT_REQUIRE(NULL, answer);
    if (kind != DENT_IMPACT_VERTEX_FACE && kind != DENT_IMPACT_EDGE_EDGE) {
        return DENT_ERROR_INVALID_ARGUMENT;
    }
    struct impact_vertex vertices[4];
    for (int i = 0; i < 4; i++) {
        vertices[i].unused_0 = vertices[i].unused_1 = 0;
        for (int axis = 0; axis < 3; axis++) {
            if (!isfinite(points_t0[i][axis]) || !isfinite(points_t1[i][axis])) {
                return DENT_ERROR_BAD_NUMBER;
            }
            vertices[i].start[axis] = points_t0[i][axis];
            vertices[i].end[axis] = points_t1[i][axis];
        }
    }
    struct floating_point_guard guard;
    floating_point_guard_enter(&guard);
    dent_status status =
        test_pair(kind == DENT_IMPACT_VERTEX_FACE ? IMPACT_VERTEX_FACE : IMPACT_EDGE_EDGE, vertices, answer);
    floating_point_guard_leave(&guard);
    return status;
}
