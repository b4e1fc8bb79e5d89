/* Boxes at the beginning and at the end of a step, compared many at a time.
 *
 * Points move on straight lines, so on one axis "all of a above all of b" at both ends of the step holds all the time between. Two moving boxes
 * are apart when some axis separates them in the same sense at both ends; that includes all pairs whose boxes over the
 * whole step are apart. Numbers are compared, never computed with: any monotone map of coordinates may stand in for them.
 */
#ifndef DENT_GEOMETRY_MOVING_BOXES_H
#define DENT_GEOMETRY_MOVING_BOXES_H

#include <dent/base.h>

enum { MOVING_BOXES_MAX = 48 };

/* Rows of `stride` floats (a multiple of 16, at most MOVING_BOXES_MAX): low x, y, z at the beginning, high x, y, z at the
 * beginning, then the same at the end. Places from `count` on must hold empty boxes: low infinite, high -infinite. */
struct moving_boxes {
    const float *rows;
    uint32_t stride, count;
};

enum { MOVING_BOX_ROWS = 12 };

/* For each set bit i of wanted, lowest first: which boxes of b are not apart from box i of a, as bits, into the next of masks. */
typedef void moving_boxes_kernel(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks);

void moving_boxes_meet_scalar(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks);
#if defined(__x86_64__)
void moving_boxes_meet_avx2(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks);
void moving_boxes_meet_avx512(const struct moving_boxes *a, uint64_t wanted, const struct moving_boxes *b, uint64_t *masks);
#endif

#endif
