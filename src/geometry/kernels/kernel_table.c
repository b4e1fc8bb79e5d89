/* The rows of the kernel table. See kernel_table.h. */
#include "geometry/kernels/kernel_table.h"

#include "geometry/kernels/cluster_kernels.h"
#include "geometry/kernels/curvature_kernels.h"
#include "geometry/kernels/overlap_kernels.h"
#include "geometry/kernels/packet_kernels.h"
#include "geometry/kernels/surface_kernels.h"

const struct kernels *kernels_for(dent_isa isa)
{
    static const struct kernels rows[] = {
        {DENT_ISA_SCALAR, &cluster_kernels_scalar, &packet_kernels_scalar, &surface_kernels_scalar, scan_boxes_scalar,
         &curvature_kernels_scalar, &overlap_kernels_scalar},
#if defined(__x86_64__)
        {DENT_ISA_AVX2, &cluster_kernels_avx2, &packet_kernels_avx2, &surface_kernels_avx2, scan_boxes_avx2,
         &curvature_kernels_avx2, &overlap_kernels_avx2},
        {DENT_ISA_AVX512, &cluster_kernels_avx512, &packet_kernels_avx512, &surface_kernels_avx512, scan_boxes_avx512,
         &curvature_kernels_avx512, &overlap_kernels_avx2},
#endif
    };
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        if (rows[row].isa == isa) {
            return &rows[row];
        }
    }
    return &rows[0];
}
