#include "geometry/impact_internal.h"

void impact_test_separation(enum impact_kind kind, const struct impact_vertex *const corners[4],
                            const struct impact_separation *separation, double t_limit, struct impact_result *result)
{
    (void)separation;
    impact_test(kind, corners, t_limit, result);
}

uint32_t impact_test_separation_block(const struct impact_block *block, const struct impact_separation *separation,
                                      const struct kernels *kernels, struct impact_workspace *workspace,
                                      struct impact_hit *hits, struct impact_counters *counters)
{
    (void)separation;
    return impact_test_block(block, kernels, workspace, hits, counters);
}
