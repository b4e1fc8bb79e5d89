/* The filter of the proximity search, eight lanes at a time. */
#if defined(__x86_64__)

#include "geometry/kernels/near_filter.h"

const struct near_kernels near_kernels_avx2 = {far_edges, far_vertices};

#else
typedef int nothing_for_this_machine;
#endif
