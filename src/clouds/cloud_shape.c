/* The shape of a neighbourhood: quartiles of its edges' lengths, and the direction in which it is thinnest. In: the
 * graph. Out: sampling radius (the median length) and normal of a slot. Of a slot with more than SURROUNDINGS_MOST edges
 * that many, evenly chosen, are measured. Eight slots at a time: their eigenvalues share the lanes of a kernel. */
#include "clouds/cloud_data.h"

#include "clouds/symmetric_eigen.h"

enum { POINTS_LEAST = 6 };
#define THICK 0.02     /* smallest share of the covariance that flat neighbourhoods stay below */
#define ON_A_LINE 1e-9 /* the second eigenvalue relative to the largest: 3e-5 as wide as long */
#define INNER_RADII 0.7
#define MUCH_THINNER 0.1

static inline void swap_values(double *a, double *b)
{
    double kept = *a;
    *a = *b;
    *b = kept;
}

double cloud_select(double *values, uint32_t count, uint32_t k)
{
    uint32_t begin = 0, end = count;
    while (end - begin > 1) {
        double middle = values[begin + (end - begin) / 2];
        uint32_t low = begin, high = end - 1;
        for (;;) {
            while (values[low] < middle) {
                low++;
            }
            while (values[high] > middle) {
                high--;
            }
            if (low >= high) {
                break;
            }
            swap_values(&values[low++], &values[high--]);
        }
        uint32_t second = low > high ? low : high + 1;
        second -= second == end;
        if (k < second) {
            end = second;
        } else {
            begin = second;
        }
    }
    return values[k];
}

/* Of a slot: its neighbours, evenly chosen if there are too many. */
static void gather_surroundings(const dent_cloud *cloud, uint32_t slot, struct cloud_surroundings *around)
{
    uint32_t step = cloud_degree(cloud, slot) / SURROUNDINGS_MOST + 1, count = 0;
    const double *at = cloud->point[slot];
    for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e += step, count++) {
        const double *other = cloud->point[cloud->edges[e]];
        double x = other[0] - at[0], y = other[1] - at[1], z = other[2] - at[2];
        around->point[0][count] = x;
        around->point[1][count] = y;
        around->point[2][count] = z;
        around->square[count] = (x * x + y * y) + z * z;
    }
    around->count = count;
    for (; count % (2 * CLOUD_LANES) > 0; count++) {
        around->point[0][count] = around->point[1][count] = around->point[2][count] = 0.0;
        around->square[count] = INFINITY;
    }
}

static void find_quartiles(const struct cloud_kernels *kernels, struct cloud_surroundings *around, double quartiles[3])
{
    quartiles[0] = quartiles[1] = quartiles[2] = 0.0;
    if (around->count > 0 && around->count <= RANKED_MOST) {
        kernels->quartiles(around, quartiles);
    }
    for (uint32_t i = 0; i < 3 && around->count > RANKED_MOST; i++) { /* the order of the squares is lost */
        quartiles[i] = cloud_select(around->square, around->count, (i + 1) * around->count / 4);
    }
    for (int i = 0; i < 3; i++) {
        quartiles[i] = sqrt(quartiles[i]);
    }
}

/* The covariance of a point and those around it: xx, xy, xz, yy, yz, zz. */
static uint32_t find_covariance(const struct cloud_kernels *kernels, const struct cloud_surroundings *around,
                                double most, double matrix[6])
{
    double sums[MOMENTS];
    uint32_t count = kernels->moments(around, most, sums) + 1;
    double share = 1.0 / count;
    for (int a = 0, i = 0; a < 3; a++) {
        for (int b = a; b < 3; b++, i++) {
            matrix[i] = sums[3 + i] * share - (sums[a] * share) * (sums[b] * share);
        }
    }
    return count;
}

/* Of eigenvalues: the share of the smallest; 1 for too few points. The normal becomes 0 if they lie on a line. */
static double judge_direction(const double values[3], uint32_t count, double normal[3])
{
    if (!(values[1] > ON_A_LINE * values[2])) {
        normal[0] = normal[1] = normal[2] = 0.0;
    }
    double sum = values[0] + values[1] + values[2];
    return count >= POINTS_LEAST && sum > 0.0 ? values[0] / sum : 1.0;
}

/* Another sheet nearby makes a neighbourhood thick. Then a smaller one, without that sheet, may be much thinner. */
static void try_inner_direction(const dent_cloud *cloud, const struct cloud_kernels *kernels, uint32_t slot,
                                double thickness, struct cloud_shape *shape)
{
    struct cloud_surroundings around;
    double most = INNER_RADII * shape->quartiles[1], matrix[6], values[3], normal[3];
    gather_surroundings(cloud, slot, &around);
    uint32_t count = find_covariance(kernels, &around, most * most, matrix);
    symmetric_eigen(matrix, values, normal);
    if (judge_direction(values, count, normal) < MUCH_THINNER * thickness) {
        memcpy(shape->normal, normal, sizeof normal);
    }
}

static void find_directions(const dent_cloud *cloud, const struct cloud_kernels *kernels,
                            const struct shape_slots *slots, struct eigen_lanes *lanes, const uint32_t *counts,
                            struct cloud_shape shapes[CLOUD_LANES])
{
    for (uint32_t lane = slots->count; lane < CLOUD_LANES; lane++) {
        for (int i = 0; i < 6; i++) {
            lanes->matrix[i][lane] = 0.0;
        }
    }
    kernels->eigen(lanes);
    for (uint32_t lane = 0; lane < slots->count; lane++) {
        double values[3];
        for (int i = 0; i < 3; i++) {
            values[i] = lanes->values[i][lane];
            shapes[lane].normal[i] = lanes->smallest[i][lane];
        }
        double thickness = judge_direction(values, counts[lane], shapes[lane].normal);
        if (thickness > THICK) {
            try_inner_direction(cloud, kernels, slots->slot[lane], thickness, &shapes[lane]);
        }
    }
}

void cloud_measure_shapes(const dent_cloud *cloud, const struct shape_slots *slots,
                          struct cloud_shape shapes[CLOUD_LANES])
{
    const struct cloud_kernels *kernels = cloud_kernels_for(dent_context_isa(cloud->context));
    bool directions = !cloud->def.normals.data;
    struct cloud_surroundings around;
    struct eigen_lanes lanes;
    uint32_t counts[CLOUD_LANES];
    for (uint32_t lane = 0; lane < slots->count; lane++) {
        double matrix[6];
        gather_surroundings(cloud, slots->slot[lane], &around);
        if (directions) {
            counts[lane] = find_covariance(kernels, &around, INFINITY, matrix);
            for (int i = 0; i < 6; i++) {
                lanes.matrix[i][lane] = matrix[i];
            }
        }
        find_quartiles(kernels, &around, shapes[lane].quartiles);
    }
    if (directions) {
        find_directions(cloud, kernels, slots, &lanes, counts, shapes);
    }
}
