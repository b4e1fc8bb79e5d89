/* The shape of a neighbourhood: quartiles of its edges' lengths, and the direction in which it is thinnest. In: the
 * graph. Out: sampling radius (the median length) and normal of a slot. Of a slot with more than EDGES_MEASURED edges
 * that many, evenly chosen, are measured. */
#include "clouds/cloud_data.h"

#include "clouds/symmetric_eigen.h"

enum { POINTS_LEAST = 6 };
#define THICK 0.02 /* smallest share of the covariance that flat neighbourhoods stay below */
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

void cloud_edge_quartiles(const dent_cloud *cloud, uint32_t slot, double quartiles[3])
{
    double squares[EDGES_MEASURED];
    uint32_t degree = cloud_degree(cloud, slot), step = degree / EDGES_MEASURED + 1, count = 0;
    const double *at = cloud->point[slot];
    for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e += step) {
        const double *other = cloud->point[cloud->edges[e]];
        double x = other[0] - at[0], y = other[1] - at[1], z = other[2] - at[2];
        squares[count++] = (x * x + y * y) + z * z;
    }
    quartiles[0] = quartiles[1] = quartiles[2] = 0.0;
    if (count > 0) {
        uint32_t middle = count / 2, first = count / 4, third = (uint32_t)(3 * (uint64_t)count / 4);
        quartiles[1] = sqrt(cloud_select(squares, count, middle));
        quartiles[0] = first < middle ? sqrt(cloud_select(squares, middle, first)) : quartiles[1];
        quartiles[2] =
            third > middle ? sqrt(cloud_select(squares + middle, count - middle, third - middle)) : quartiles[1];
    }
}

/* Of the neighbours up to a distance; 0 if they lie on a line. Returns the share of the smallest eigenvalue; 1 for too few of them. */
static double thin_direction_within(const dent_cloud *cloud, uint32_t slot, double most, double normal[3])
{
    double sums[3] = {0, 0, 0}, squares[6] = {0, 0, 0, 0, 0, 0}, values[3];
    uint32_t degree = cloud_degree(cloud, slot), step = degree / EDGES_MEASURED + 1, count = 1;
    const double *at = cloud->point[slot];
    for (uint64_t e = cloud->first[slot]; e < cloud->first[slot + 1]; e += step) {
        const double *other = cloud->point[cloud->edges[e]];
        double x = other[0] - at[0], y = other[1] - at[1], z = other[2] - at[2];
        if ((x * x + y * y) + z * z > most * most) {
            continue;
        }
        sums[0] += x;
        sums[1] += y;
        sums[2] += z;
        squares[0] += x * x;
        squares[1] += x * y;
        squares[2] += x * z;
        squares[3] += y * y;
        squares[4] += y * z;
        squares[5] += z * z;
        count++;
    }
    double share = 1.0 / count;
    for (int axis = 0; axis < 3; axis++) {
        sums[axis] *= share;
    }
    double matrix[6] = {squares[0] * share - sums[0] * sums[0], squares[1] * share - sums[0] * sums[1],
                        squares[2] * share - sums[0] * sums[2], squares[3] * share - sums[1] * sums[1],
                        squares[4] * share - sums[1] * sums[2], squares[5] * share - sums[2] * sums[2]};
    symmetric_eigen(matrix, values, normal);
    if (!(values[1] > ON_A_LINE * values[2])) { /* points of a line have no surface */
        normal[0] = normal[1] = normal[2] = 0.0;
    }
    double sum = values[0] + values[1] + values[2];
    return count >= POINTS_LEAST && sum > 0.0 ? values[0] / sum : 1.0;
}

/* Another sheet nearby makes a neighbourhood thick. Then a smaller one, without that sheet, may be much thinner. */
void cloud_thin_direction(const dent_cloud *cloud, uint32_t slot, double normal[3])
{
    double thickness = thin_direction_within(cloud, slot, INFINITY, normal), inner[3];
    if (thickness > THICK &&
        thin_direction_within(cloud, slot, INNER_RADII * cloud->radius[slot], inner) < MUCH_THINNER * thickness) {
        memcpy(normal, inner, sizeof inner);
    }
}
