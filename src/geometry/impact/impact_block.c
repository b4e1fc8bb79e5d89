/* Blocks of impact queries: the rejects of stage 0 over all candidates, then the double stages over the rest
 * (impact_rounds.c). See impact_test.h. */
#include "geometry/impact/impact_internal.h"
#include "geometry/impact/impact_kernels.h"

/* Stage 0: the candidates left, in workspace->first. */
static uint32_t reject(const struct impact_block *block, const struct impact_kernels *kernels,
                       struct impact_workspace *workspace, struct impact_counters *counters)
{
    uint64_t axes = 0;
    uint32_t left =
        kernels->reject[block->kind](block->vertices, block->corners, block->count, workspace->second, &axes);
    uint32_t rest =
        kernels->separate[block->kind](block->vertices, block->corners, workspace->second, left, workspace->first);
    counters->queries += block->count;
    counters->free_by[IMPACT_STAGE_AXES] += axes;
    counters->free_by[IMPACT_STAGE_CUBIC] += block->count - axes - left;
    counters->free_by[IMPACT_STAGE_FREE_AXIS] += left - rest;
    return rest;
}

/* Where the bounds do not hold: integers for every candidate. */
static uint32_t test_exactly(const struct impact_block *block, struct impact_workspace *workspace,
                             struct impact_hit *hits, struct impact_counters *counters)
{
    uint32_t hit_count = 0;
    double limit = block->t_limit;
    for (uint32_t candidate = 0; candidate < block->count; candidate++) {
        const struct impact_vertex *corners[4];
        for (int k = 0; k < 4; k++) {
            corners[k] = &block->vertices[block->corners[candidate][k]];
        }
        struct impact_result *result = &hits[hit_count].result;
        impact_test_finite(block->kind, corners, limit, false, workspace->limbs, result);
        hits[hit_count].candidate = candidate;
        hit_count += impact_note_result(block, result, &limit, counters);
    }
    counters->queries += block->count;
    return hit_count;
}

uint32_t impact_test_block(const struct impact_block *block, dent_isa isa, struct impact_workspace *workspace,
                           struct impact_hit *hits, struct impact_counters *counters)
{
    if (!impact_arithmetic_is_ordinary()) {
        return test_exactly(block, workspace, hits, counters);
    }
    uint32_t rest = reject(block, impact_kernels_for(isa), workspace, counters);
    return impact_test_rounds(block, isa, rest, workspace, hits, counters);
}
