/* Copying positions: bounds of two vertices at a time, so that no comparison waits for the one before. */

#include "bodies/copy_positions.h"
#include <math.h>
#include <string.h>

static double least(double a, double b)
{
    return a < b ? a : b;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

bool copy_positions_scalar(const void *from, size_t vertex_count, double (*to)[3], double lo[3], double hi[3])
{
    double least_of[6], most_of[6], differences[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 6; k++) {
        least_of[k] = INFINITY;
        most_of[k] = -INFINITY;
    }
    memcpy(to, from, vertex_count * sizeof to[0]); /* the caller's array may lie anywhere, packed records included */
    for (size_t vertex = 0; vertex < vertex_count; vertex += 2) {
        const double *a = to[vertex], *b = to[vertex + 1 < vertex_count ? vertex + 1 : vertex];
        for (int axis = 0; axis < 3; axis++) {
            least_of[axis] = least(a[axis], least_of[axis]);
            least_of[axis + 3] = least(b[axis], least_of[axis + 3]);
            most_of[axis] = most(a[axis], most_of[axis]);
            most_of[axis + 3] = most(b[axis], most_of[axis + 3]);
            /* x - x is zero exactly when x is finite */
            differences[axis] += (a[axis] - a[axis]) + (b[axis] - b[axis]);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        lo[axis] = least(least_of[axis], least_of[axis + 3]);
        hi[axis] = most(most_of[axis], most_of[axis + 3]);
    }
    return differences[0] + differences[1] + differences[2] == 0.0;
}
