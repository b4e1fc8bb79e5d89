/* See edge_share.h. The share is |volume over p| / (|volume over p| + |volume over q|): the volumes have opposite
 * signs, so nothing cancels in the sum. Differences are scaled by one power of two when the product of three might
 * leave the range of doubles.
 */
#include "geometry/metric/edge_share.h"

#include <math.h>
#include <stdbool.h>

#include "geometry/metric/edge_face_point.h"
#include "geometry/numbers/power_of_two.h"

struct double_pair {
    double high, low; /* |low| is at most half a unit in the last place of high */
};

static struct double_pair exact_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (struct double_pair){sum, (a - (sum - part)) + (b - part)};
}

static struct double_pair exact_product(double a, double b)
{
    double product = a * b;
    double split_a = 134217729.0 * a, split_b = 134217729.0 * b;
    double high_a = split_a - (split_a - a), high_b = split_b - (split_b - b);
    double low_a = a - high_a, low_b = b - high_b;
    return (struct double_pair){product,
                                ((high_a * high_b - product) + (high_a * low_b + low_a * high_b)) + low_a * low_b};
}

static struct double_pair normalised(double high, double low)
{
    double sum = high + low;
    return (struct double_pair){sum, low - (sum - high)};
}

static struct double_pair add(struct double_pair a, struct double_pair b)
{
    struct double_pair high = exact_sum(a.high, b.high), low = exact_sum(a.low, b.low);
    high = normalised(high.high, high.low + low.high);
    return normalised(high.high, high.low + low.low);
}

static struct double_pair multiply(struct double_pair a, struct double_pair b)
{
    struct double_pair product = exact_product(a.high, b.high);
    return normalised(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static struct double_pair negative(struct double_pair a)
{
    return (struct double_pair){-a.high, -a.low};
}

/* a × b, one coordinate of it. */
static struct double_pair minor_of(const struct double_pair a[3], const struct double_pair b[3], int i, int j)
{
    return add(multiply(a[i], b[j]), negative(multiply(a[j], b[i])));
}

static struct double_pair volume(const struct double_pair normal[3], const struct double_pair w[3])
{
    return add(add(multiply(normal[0], w[0]), multiply(normal[1], w[1])), multiply(normal[2], w[2]));
}

/* point - origin, scaled; a quarter of it, lest it overflow. */
static void difference(const double point[3], const double origin[3], int exponent, struct double_pair out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] =
            exact_sum(scale_by_power_of_two(point[axis], -exponent), -scale_by_power_of_two(origin[axis], -exponent));
    }
}

double edge_share(const double p[3], const double q[3], const double *const face[3])
{
    const double *points[4] = {face[1], face[2], p, q};
    double largest = 0, farthest = 0;
    for (int k = 0; k < 12; k++) {
        double size = fabs(points[k / 3][k % 3] * 0.25 - face[0][k % 3] * 0.25);
        largest = size > largest ? size : largest;
        double coordinate = fabs(points[k / 3][k % 3]);
        farthest = coordinate > farthest ? coordinate : farthest;
    }
    int exponent = 0;
    if (!(largest > 0x1p-250 && farthest < 0x1p250) && largest > 0) {
        exponent = binary_exponent(largest) + 2;
    }
    struct double_pair sides[2][3], ends[2][3], normal[3];
    difference(face[1], face[0], exponent, sides[0]);
    difference(face[2], face[0], exponent, sides[1]);
    difference(p, face[0], exponent, ends[0]);
    difference(q, face[0], exponent, ends[1]);
    normal[0] = minor_of(sides[0], sides[1], 1, 2);
    normal[1] = minor_of(sides[0], sides[1], 2, 0);
    normal[2] = minor_of(sides[0], sides[1], 0, 1);
    double over_p = fabs(volume(normal, ends[0]).high), over_q = fabs(volume(normal, ends[1]).high);
    double sum = over_p + over_q;
    if (!(sum > 0x1p-1000) || !(sum < INFINITY)) {
        double ignored[3];
        return edge_face_point(p, q, face, ignored);
    }
    return over_p / sum;
}
