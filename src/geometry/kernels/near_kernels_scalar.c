/* The filter of the proximity search, the scalar row; the compiler may use what every machine of its kind has. */
#include "geometry/kernels/near_filter.h"

#include <dent/base.h>

const struct near_kernels near_kernels_scalar = {far_edges, far_vertices};

const struct near_kernels *near_kernels_for(int isa)
{
#if defined(__x86_64__)
    return isa == DENT_ISA_AVX512 ? &near_kernels_avx512 : isa == DENT_ISA_AVX2 ? &near_kernels_avx2 : &near_kernels_scalar;
#else
    (void)isa;
    return &near_kernels_scalar;
#endif
}
