#include "geometry/impact_internal.h"
enum impact_verdict impact_double_time(enum impact_kind kind, const struct impact_vertex *const corners[4],
                                       double t_limit, double *toi)
{
    (void)kind; (void)corners; (void)t_limit; (void)toi;
    return IMPACT_UNDECIDED;
}
