/* Eight pairs in rows of FEATURE_LANES: loads, the sequence of feature_lanes.h, stores. Included by
 * near_kernels_<isa>.c. */
#include "geometry/metric/feature_lanes.h"

FEATURE_INLINE row load_row(const double *from)
{
    row r;
    memcpy(&r, from, sizeof r);
    return r;
}

FEATURE_INLINE struct row_points load_points(const struct feature_points *points, int at)
{
    struct row_points r;
    for (int k = 0; k < 4; k++) {
        r.point[k] = (row3){load_row(points->point[k][0] + at), load_row(points->point[k][1] + at),
                            load_row(points->point[k][2] + at)};
    }
    return r;
}

FEATURE_INLINE void store_result(const struct row_result *from, int at, struct feature_rows *result)
{
    memcpy(result->distance + at, &from->distance, sizeof from->distance);
    for (int k = 0; k < 4; k++) {
        memcpy(result->weight[k] + at, &from->weight[k], sizeof from->weight[k]);
    }
    memcpy(result->difference[0] + at, &from->difference.x, sizeof from->difference.x);
    memcpy(result->difference[1] + at, &from->difference.y, sizeof from->difference.y);
    memcpy(result->difference[2] + at, &from->difference.z, sizeof from->difference.z);
    memcpy(result->length + at, &from->length, sizeof from->length);
}

static void measure_edges(const struct feature_points *points, struct feature_rows *result)
{
    for (int at = 0; at < FEATURE_BATCH; at += FEATURE_LANES) {
        struct row_points row_of = load_points(points, at);
        struct row_result measured;
        measure_row_of_edges(&row_of, &measured);
        store_result(&measured, at, result);
    }
}

static void measure_vertices(const struct feature_points *points, struct feature_rows *result)
{
    for (int at = 0; at < FEATURE_BATCH; at += FEATURE_LANES) {
        struct row_points row_of = load_points(points, at);
        struct row_result measured;
        measure_row_of_vertices(&row_of, &measured);
        store_result(&measured, at, result);
    }
}
