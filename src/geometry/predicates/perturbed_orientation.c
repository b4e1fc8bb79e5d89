/* The expansion of a moved orientation determinant. See perturbed_orientation.h.
 *
 * The determinant is that of the 4 x 4 matrix with rows (x, y, z, 1), points in the order of their numbers. The
 * coefficient of a product of e's is the determinant with the row of each e replaced by the unit vector of its column:
 * a minor in two coordinates (a plane orientation), in one (a comparison), or 1. With e(i, j) = e^(2^(3 i - j)) the
 * products come in the order of binary numbers: those that move the point with the smallest number only, z before y
 * before x, then those that move the second, and so on. Moving three points along three different axes leaves 1, so the
 * expansion ends there and the fourth point never moves.
 */
#include "geometry/predicates/perturbed_orientation.h"

enum { NOT_MOVED = 3 }; /* as a column: the point of this row stays */

/* Rows in ascending order of the numbers; returns the sign of the permutation, 0 when two numbers are equal. */
static int sort_by_number(struct numbered_point points[4])
{
    int sign = 1;
    for (int i = 1; i < 4; i++) {
        for (int j = i; j > 0 && points[j - 1].number >= points[j].number; j--) {
            if (points[j - 1].number == points[j].number) {
                return 0;
            }
            struct numbered_point kept = points[j];
            points[j] = points[j - 1];
            points[j - 1] = kept;
            sign = -sign;
        }
    }
    return sign;
}

static int compare(double a, double b)
{
    return (a > b) - (a < b);
}

/* Sign of the matrix with row r (0 to 2) replaced by the unit vector of column moved[r], unless NOT_MOVED. */
static int coefficient_sign(const struct numbered_point points[4], const int moved[3], predicate_counters *counters)
{
    int rows[4] = {0, 1, 2, 3}, columns[4] = {0, 1, 2, 3};
    int size = 4, sign = 1;
    for (int row = 0; row < 3; row++) {
        if (moved[row] == NOT_MOVED) {
            continue;
        }
        int at_row = 0, at_column = 0;
        while (rows[at_row] != row) {
            at_row++;
        }
        while (columns[at_column] != moved[row]) {
            at_column++;
        }
        sign = (at_row + at_column) % 2 ? -sign : sign;
        size--;
        for (int k = at_row; k < size; k++) {
            rows[k] = rows[k + 1];
        }
        for (int k = at_column; k < size; k++) {
            columns[k] = columns[k + 1];
        }
    }
    if (size == 1) {
        return sign;
    }
    const double *p = points[rows[0]].xyz, *q = points[rows[1]].xyz;
    if (size == 2) {
        return sign * compare(p[columns[0]], q[columns[0]]);
    }
    return sign * orientation_2d_counted(p, q, points[rows[2]].xyz, columns[0], columns[1], counters);
}

static int expansion_sign(const struct numbered_point points[4], predicate_counters *counters)
{
    static const int order[4] = {NOT_MOVED, 2, 1, 0};
    for (int third = 0; third < 4; third++) {
        for (int second = 0; second < 4; second++) {
            for (int first = 0; first < 4; first++) {
                int moved[3] = {order[first], order[second], order[third]};
                bool clash = (second && first == second) || (third && (third == first || third == second));
                if (clash || first + second + third == 0) {
                    continue;
                }
                int sign = coefficient_sign(points, moved, counters);
                if (sign) {
                    return sign;
                }
            }
        }
    }
    return 0; /* not reached: three moved points leave 1 */
}

int perturbed_orientation_slow(struct numbered_point a, struct numbered_point b, struct numbered_point c,
                               struct numbered_point d, bool *zero, predicate_counters *counters)
{
    struct numbered_point points[4] = {a, b, c, d};
    int parity = sort_by_number(points);
    if (parity == 0) {
        return 0;
    }
    int sign = orientation_3d_by_integers(a.xyz, b.xyz, c.xyz, d.xyz, counters);
    if (sign) {
        return sign;
    }
    *zero = true;
    /* The 4 x 4 determinant is minus the one of the differences. */
    return -parity * expansion_sign(points, counters);
}
