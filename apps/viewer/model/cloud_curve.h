/* cloud_curve.h — points of an intersection joined to a curve, for files and pictures.
 *
 * In: the points that a search between two clouds found. Out: pairs of points: each is joined to the nearest one ahead and
 * to the nearest one behind along the direction of the curve, the cross product of the two normals, if there is one
 * within the reach. */
#ifndef DENT_CLOUD_CURVE_H
#define DENT_CLOUD_CURVE_H

#include <dent/cloud.h>

typedef struct cloud_curve {
    dent_context *context;
    uint32_t point_count, line_count;
    double *positions; /* 3 a point */
    uint32_t *ends;    /* 2 a line, the smaller one first */
} cloud_curve;

/** Fails with OUT_OF_MEMORY. Release it in any case. */
dent_status cloud_curve_make(dent_context *context, const dent_cloud_result *result, double reach, cloud_curve *curve);
void cloud_curve_release(cloud_curve *curve);

#endif
