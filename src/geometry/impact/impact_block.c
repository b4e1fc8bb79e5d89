/* Blocks of impact queries: the rejects of stage 0 over all candidates, then the double stages over the rest:
 * in lanes (impact_rounds.c), or one by one. See impact_test.h. */
#include "geometry/impact/impact_internal.h"
#include "geometry/impact/impact_double_kernels.h"
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

/* Where the bounds do not hold every candidate is left. */
static uint32_t reject_nothing(const struct impact_block *block, struct impact_workspace *workspace,
                               struct impact_counters *counters)
{
    for (uint32_t i = 0; i < block->count; i++) {
        workspace->first[i] = i;
    }
    counters->queries += block->count;
    return block->count;
}

uint32_t impact_test_block(const struct impact_block *block, dent_isa isa, struct impact_workspace *workspace,
                           struct impact_hit *hits, struct impact_counters *counters)
{
    bool ordinary = impact_arithmetic_is_ordinary();
    uint32_t rest = ordinary ? reject(block, impact_kernels_for(isa), workspace, counters)
                             : reject_nothing(block, workspace, counters);
    const struct impact_double_kernels *kernels = ordinary ? impact_double_kernels_for(isa) : NULL;
    if (kernels != NULL) {
        return impact_test_rounds(block, kernels, rest, workspace, hits, counters);
    }
    uint32_t hit_count = 0;
    double limit = block->t_limit;
    for (uint32_t i = 0; i < rest; i++) {
        uint32_t candidate = workspace->first[i];
        const struct impact_vertex *corners[4];
        for (int k = 0; k < 4; k++) {
            corners[k] = &block->vertices[block->corners[candidate][k]];
        }
        struct impact_result *result = &hits[hit_count].result;
        impact_test_finite(block->kind, corners, limit, ordinary, workspace->limbs, result);
        if (impact_note_result(block, result, &limit, counters)) {
            hits[hit_count++].candidate = candidate;
        }
    }
    return hit_count;
}
