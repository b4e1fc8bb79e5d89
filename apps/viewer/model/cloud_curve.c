/* cloud_curve.c — joins the points of an intersection to a curve. */
#include "cloud_curve.h"

#include <stdlib.h>
#include <string.h>

/* The direction of the curve at a point; zero where the surfaces are tangent. */
static void tangent_of(const dent_cloud_crossing *point, double tangent[3])
{
    const double *a = point->normal_a, *b = point->normal_b;
    for (int axis = 0; axis < 3; axis++) {
        int next = (axis + 1) % 3, last = (axis + 2) % 3;
        tangent[axis] = a[next] * b[last] - a[last] * b[next];
    }
}

/* The first of the neighbours, which come nearest first, that lies on this side. UINT32_MAX: none. */
static uint32_t first_on_side(const cloud_curve *curve, uint32_t point, const double tangent[3], int side,
                              const uint32_t *others, uint64_t count)
{
    const double *p = curve->positions + 3 * (size_t)point;
    for (uint64_t i = 0; i < count; i++) {
        const double *q = curve->positions + 3 * (size_t)others[i];
        double along = 0;
        for (int axis = 0; axis < 3; axis++) {
            along += (q[axis] - p[axis]) * tangent[axis];
        }
        if (side * along > 0) {
            return others[i];
        }
    }
    return UINT32_MAX;
}

static int compare_lines(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] > b[0]) - (a[0] < b[0]) : (a[1] > b[1]) - (a[1] < b[1]);
}

static void join(cloud_curve *curve, const dent_cloud_result *result, const dent_neighbour_lists *lists)
{
    for (uint32_t i = 0; i < curve->point_count; i++) {
        double tangent[3];
        tangent_of(&result->points[i], tangent);
        for (int side = -1; side <= 1; side += 2) {
            uint32_t other = first_on_side(curve, i, tangent, side, lists->indices + lists->first[i],
                                           lists->first[i + 1] - lists->first[i]);
            if (other != UINT32_MAX) {
                curve->ends[2 * (size_t)curve->line_count] = i < other ? i : other;
                curve->ends[2 * (size_t)curve->line_count++ + 1] = i < other ? other : i;
            }
        }
    }
    qsort(curve->ends, curve->line_count, 2 * sizeof *curve->ends, compare_lines);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < curve->line_count; i++) {
        if (kept == 0 || compare_lines(curve->ends + 2 * (size_t)(kept - 1), curve->ends + 2 * (size_t)i) != 0) {
            memmove(curve->ends + 2 * (size_t)kept++, curve->ends + 2 * (size_t)i, 2 * sizeof *curve->ends);
        }
    }
    curve->line_count = kept;
}

dent_status cloud_curve_make(dent_context *context, const dent_cloud_result *result, double reach, cloud_curve *curve)
{
    uint32_t count = result->point_count;
    *curve = (cloud_curve){.context = context, .point_count = count};
    curve->positions = dent_allocate(context, count, 3 * sizeof *curve->positions);
    curve->ends = dent_allocate(context, count, 4 * sizeof *curve->ends);
    if (curve->positions == NULL || curve->ends == NULL) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    for (uint32_t i = 0; i < count; i++) {
        memcpy(curve->positions + 3 * (size_t)i, result->points[i].position, sizeof result->points[i].position);
    }
    dent_neighbours *points = NULL;
    dent_neighbour_lists lists;
    dent_neighbours_query query = dent_neighbours_query_default();
    query.radius = reach;
    query.skip_self = true;
    dent_status status = dent_neighbours_create(context, dent_positions_double(curve->positions), count, &points);
    status = status == DENT_OK ? dent_neighbours_within(points, &query, &lists) : status;
    if (status == DENT_OK) {
        join(curve, result, &lists);
    }
    dent_neighbours_destroy(points);
    return status;
}

void cloud_curve_release(cloud_curve *curve)
{
    dent_release(curve->context, curve->positions, curve->point_count, 3 * sizeof *curve->positions);
    dent_release(curve->context, curve->ends, curve->point_count, 4 * sizeof *curve->ends);
}
