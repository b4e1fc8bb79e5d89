/* Blocks of impact queries. See impact_test.h. */
#include "geometry/impact_internal.h"
#include "geometry/kernels/kernel_table.h"

uint32_t impact_test_block(const struct impact_block *block, const struct kernels *kernels,
                           struct impact_workspace *workspace, struct impact_hit *hits,
                           struct impact_counters *counters)
{
    (void)kernels;
    (void)workspace;
    uint32_t hit_count = 0;
    double limit = block->t_limit;
    counters->queries += block->count;
    for (uint32_t i = 0; i < block->count; i++) {
        const struct impact_vertex *corners[4];
        for (int k = 0; k < 4; k++) {
            corners[k] = &block->vertices[block->corners[i][k]];
        }
        struct impact_result *result = &hits[hit_count].result;
        impact_test_finite(block->kind, corners, limit, result);
        if (result->answer == IMPACT_FREE) {
            counters->free_by[result->stage]++;
            continue;
        }
        counters->hits_by[result->stage]++;
        if (block->earliest && result->toi < limit) {
            limit = result->toi;
        }
        hits[hit_count++].candidate = i;
    }
    return hit_count;
}
