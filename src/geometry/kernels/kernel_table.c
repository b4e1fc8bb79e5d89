/* The rows of the kernel table. See kernel_table.h. */
#include "geometry/kernels/kernel_table.h"

#include "geometry/kernels/bound_kernels.h"
#include "geometry/kernels/cluster_kernels.h"
#include "geometry/kernels/curvature_kernels.h"
#include "geometry/kernels/impact_kernels.h"
#include "geometry/kernels/interval_kernels.h"
#include "geometry/kernels/motion_boxes.h"
#include "geometry/kernels/moving_boxes.h"
#include "geometry/kernels/overlap_kernels.h"
#include "geometry/kernels/packet_kernels.h"
#include "geometry/kernels/surface_kernels.h"

/* half: where the widest registers would stay half empty. */
#define KERNEL_ROW(set, suffix, half)                                                                                  \
    {                                                                                                                  \
        .isa = set, .clusters = &cluster_kernels_##suffix, .packets = &packet_kernels_##suffix,                        \
        .surfaces = &surface_kernels_##suffix, .impacts = &impact_kernels_##suffix, .scan_boxes = scan_boxes_##suffix, \
        .moving_boxes = &moving_box_kernels_##suffix, .curvature = &curvature_kernels_##suffix,                        \
        .copy_positions = copy_positions_##suffix, .overlaps = &overlap_kernels_##half,                                \
        .motion_boxes = &motion_box_kernels_##half, .bounds = &bound_kernels_##suffix,                                 \
        .intervals = &interval_kernels_##half,                                                                         \
    }

const struct kernels *kernels_for(dent_isa isa)
{
    static const struct kernels rows[] = {
        KERNEL_ROW(DENT_ISA_SCALAR, scalar, scalar),
#if defined(__x86_64__)
        KERNEL_ROW(DENT_ISA_AVX2, avx2, avx2),
        KERNEL_ROW(DENT_ISA_AVX512, avx512, avx2),
#endif
    };
    for (size_t row = 0; row < sizeof rows / sizeof rows[0]; row++) {
        if (rows[row].isa == isa) {
            return &rows[row];
        }
    }
    return &rows[0];
}
