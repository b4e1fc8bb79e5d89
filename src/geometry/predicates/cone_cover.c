/* Emptiness of open cones by circuits, covering by cutting the rest of space.
 *
 * The half-spaces s_i n_i . x > 0 have no common point iff some nontrivial combination of the s_i n_i with
 * coefficients >= 0 vanishes (Gordan), and then one of at most four of them does. For any four vectors of space
 *     |b c d| a - |a c d| b + |a b d| c - |a b c| d = 0,
 * and every minimal dependence is one of these, if vectors that get coefficient 0 may be taken from a basis of
 * space: that is what the coordinate planes in the set are for.
 *
 * Covering: what the first cone leaves of a region is cut into open convex pieces, one per half-space of the cone,
 * and each piece must be covered by the remaining cones. Boundaries of pieces need no care: what closed cones leave
 * uncovered is open.
 */
#include "geometry/predicates/cone_cover.h"

#include <string.h>

#include "base/dent_assert.h"
#include "geometry/numbers/wide_determinants.h"

void plane_set_begin(struct plane_set *set)
{
    static const double points[4][3] = {{0.0, 0.0, 0.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
    memset(set->sign, 2, sizeof set->sign);
    set->count = CONE_AXES;
    for (int axis = 0; axis < CONE_AXES; axis++) {
        set->plane[axis][0] = points[0];
        set->plane[axis][1] = points[1 + (axis + 1) % 3];
        set->plane[axis][2] = points[1 + (axis + 2) % 3];
    }
}

int plane_set_add(struct plane_set *set, const double *const plane[3])
{
    DENT_ASSERT(set->count < CONE_NORMALS_MAX);
    for (int k = 0; k < 3; k++) {
        set->plane[set->count][k] = plane[k];
    }
    return set->count++;
}

/* Sign of the determinant of three normals, in any order of their numbers. */
static int sign_of_normals(struct plane_set *set, int i, int j, int k)
{
    int flip = 1, swapped;
    if (i > j) {
        swapped = i, i = j, j = swapped, flip = -flip;
    }
    if (j > k) {
        swapped = j, j = k, k = swapped, flip = -flip;
    }
    if (i > j) {
        swapped = i, i = j, j = swapped, flip = -flip;
    }
    if (i == j || j == k) {
        return 0;
    }
    int8_t *known = &set->sign[i + j * (j - 1) / 2 + k * (k - 1) * (k - 2) / 6]; /* i < j < k: each triple its own */
    if (*known == 2) {
        *known = (int8_t)sign_of_three_normals(set->plane[i], set->plane[j], set->plane[k]);
    }
    return flip * *known;
}

/* The dependence of four vectors, the first three perhaps coordinate planes (side 0), which must then not take part:
 * true when all coefficients that take part have one sign. */
static bool is_nonnegative_dependence(struct plane_set *set, const int vector[4], const int side[4])
{
    bool positive = false, negative = false;
    for (int k = 0; k < 4; k++) {
        int others[3], n = 0;
        for (int m = 0; m < 4; m++) {
            if (m != k) {
                others[n++] = vector[m];
            }
        }
        int coefficient = sign_of_normals(set, others[0], others[1], others[2]) * (k % 2 == 0 ? 1 : -1);
        if (coefficient != 0 && side[k] == 0) {
            return false;
        }
        positive |= coefficient * side[k] > 0;
        negative |= coefficient * side[k] < 0;
        if (positive && negative) {
            return false;
        }
    }
    return positive != negative;
}

bool open_cone_add(struct open_cone *cone, struct plane_set *set, int plane, int side)
{
    int vectors[CONE_NORMALS_MAX], sides[CONE_NORMALS_MAX], count = 0;
    for (int axis = 0; axis < CONE_AXES; axis++) {
        vectors[count] = axis;
        sides[count++] = 0;
    }
    for (int k = 0; k < cone->count; k++) {
        vectors[count] = cone->plane[k];
        sides[count++] = cone->side[k];
    }
    for (int i = 0; i < count; i++) {
        for (int j = i + 1; j < count; j++) {
            for (int k = j + 1; k < count; k++) {
                const int four[4] = {vectors[i], vectors[j], vectors[k], plane};
                const int four_sides[4] = {sides[i], sides[j], sides[k], side};
                if (is_nonnegative_dependence(set, four, four_sides)) {
                    return false;
                }
            }
        }
    }
    DENT_ASSERT(cone->count < CONE_PLANES_MAX);
    cone->plane[cone->count] = plane;
    cone->side[cone->count++] = side;
    return true;
}

static bool region_is_covered(struct open_cone region, const struct open_cone cones[], int count, struct plane_set *set)
{
    if (count == 0) {
        return false;
    }
    for (int k = 0; k < cones[0].count; k++) {
        struct open_cone piece = region;
        if (open_cone_add(&piece, set, cones[0].plane[k], -cones[0].side[k]) &&
            !region_is_covered(piece, cones + 1, count - 1, set)) {
            return false;
        }
        if (!open_cone_add(&region, set, cones[0].plane[k], cones[0].side[k])) {
            return true; /* nothing of the region is inside this half-space, and the rest is covered */
        }
    }
    return true;
}

bool cones_cover_space(const struct open_cone cones[], int count, struct plane_set *set)
{
    const struct open_cone everything = {0, {0}, {0}};
    return region_is_covered(everything, cones, count, set);
}
