/* The one table of vector kernels: a row per instruction set, every row with the same bits as the scalar one.
 *
 * A kernel is pure: numbers in, numbers out. The scalar row is always built and is the reference the tests compare
 * with.
 */
#ifndef DENT_GEOMETRY_KERNEL_TABLE_H
#define DENT_GEOMETRY_KERNEL_TABLE_H

#include <dent/base.h>

/* Boxes in structure-of-arrays form on the two axes that a sweep along the third has not yet compared. */
struct box_columns {
    const float *lo1, *hi1, *lo2, *hi2;
};

struct box_window {
    float lo1, hi1, lo2, hi2;
};

struct packet_kernels; /* packet_kernels.h: those of the spatial hash */

struct cluster_kernels; /* cluster_kernels.h: the leaves of the cluster search */

struct impact_kernels; /* impact_kernels.h: rejects of the impact test */

struct moving_box_kernels; /* moving_boxes.h: leaves of the surface forest over a step */

struct motion_box_kernels; /* motion_boxes.h: boxes of turning bodies over a piece of time */

struct interval_kernels; /* interval_kernels.h: interval arithmetic on rows of poses */

struct surface_kernels; /* surface_kernels.h: the leaves of the surface forest */

struct curvature_kernels; /* curvature_kernels.h: the self-collision culling of surfaces */

struct overlap_kernels; /* overlap_kernels.h: a face against a cell */

struct bound_kernels; /* bound_kernels.h: children of a bounding tree, in the interruptible search */

struct kernels {
    dent_isa isa;
    const struct cluster_kernels *clusters;
    const struct packet_kernels *packets;
    const struct surface_kernels *surfaces;
    const struct impact_kernels *impacts;
    /* Writes the indices i in [begin, end) of the boxes that meet the window (closed) to `found`, ascending, and
     * returns how many. `found` has room for end - begin + 16. */
    uint32_t (*scan_boxes)(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                           const struct box_window *window, uint32_t *found);
    const struct moving_box_kernels *moving_boxes;
    const struct curvature_kernels *curvature;
    /* Copies packed vertices (at any address) and computes their bounds, lo > hi for none; false when some number is
     * not finite (the bounds are then of no use). A bound of zero has any sign. */
    bool (*copy_positions)(const void *from, size_t vertex_count, double (*to)[3], double lo[3], double hi[3]);
    const struct overlap_kernels *overlaps;
    const struct motion_box_kernels *motion_boxes;
    const struct bound_kernels *bounds;
    const struct interval_kernels *intervals;
};

/* The row of an instruction set; the scalar one for those this build does not have. */
const struct kernels *kernels_for(dent_isa isa);

uint32_t scan_boxes_scalar(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                           const struct box_window *window, uint32_t *found);
bool copy_positions_scalar(const void *from, size_t vertex_count, double (*to)[3], double lo[3], double hi[3]);
#if defined(__x86_64__)
bool copy_positions_avx2(const void *from, size_t vertex_count, double (*to)[3], double lo[3], double hi[3]);
bool copy_positions_avx512(const void *from, size_t vertex_count, double (*to)[3], double lo[3], double hi[3]);
uint32_t scan_boxes_avx2(const struct box_columns *boxes, uint32_t begin, uint32_t end, const struct box_window *window,
                         uint32_t *found);
uint32_t scan_boxes_avx512(const struct box_columns *boxes, uint32_t begin, uint32_t end,
                           const struct box_window *window, uint32_t *found);
#endif

#endif
