/* Random sets of boxes of the kinds that break broad phases, in doubles that are floats, or not. */
#ifndef DENT_TESTS_RANDOM_BOXES_H
#define DENT_TESTS_RANDOM_BOXES_H

#include <dent/base.h>

#include <math.h>
#include <stdbool.h>
#include <string.h>

enum box_kind {
    BOXES_UNIFORM,
    BOXES_CLUSTERED,
    BOXES_SIZES,     /* 1 : 10^4 */
    BOXES_FLAT,
    BOXES_LINE,
    BOXES_EQUAL,
    BOXES_TOUCHING,  /* unit cubes of a lattice: faces, edges and corners */
    BOXES_HUGE,      /* exponents over the whole range */
    BOXES_FAR,       /* small, far from the origin */
    BOXES_POINTS,
    BOXES_GIANT,     /* one holds all */
    BOXES_SPECKS,    /* 1 : 10^6, most of them small, in a corner */
    BOXES_KINDS
};

static inline double boxes_random(dent_random *random, double lo, double hi)
{
    return lo + (hi - lo) * dent_random_unit(random);
}

static inline double boxes_wide(dent_random *random)
{
    double x = ldexp(1.0 + dent_random_unit(random), (int)dent_random_below(random, 2090) - 1074);
    x = dent_random_below(random, 20) == 0 ? 0.0 : x;
    return dent_random_below(random, 2) ? x : -x;
}

static inline void random_box(dent_random *random, enum box_kind kind, uint32_t i, double box[6])
{
    double middle[3], half[3];
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = boxes_random(random, -1, 1);
        half[axis] = boxes_random(random, 0, 0.2);
    }
    for (int axis = 0; axis < 3; axis++) {
        double a, b;
        switch (kind) {
        case BOXES_CLUSTERED:
            middle[axis] = 0.01 * middle[axis] + (double)(i % 3) * (axis + 1);
            half[axis] *= 0.02;
            break;
        case BOXES_SIZES:
            half[axis] = pow(10.0, boxes_random(random, -4, 0)) * 0.5;
            break;
        case BOXES_FLAT:
            half[axis] = axis == (int)(i % 3) ? 0.0 : half[axis] * 3;
            break;
        case BOXES_LINE:
            middle[axis] = axis == 0 ? middle[axis] : 0.25;
            half[axis] *= 0.2;
            break;
        case BOXES_EQUAL:
            middle[axis] = 0.5;
            half[axis] = 0.125;
            break;
        case BOXES_TOUCHING:
            middle[axis] = dent_random_below(random, 5) + 0.5;
            half[axis] = 0.5;
            break;
        case BOXES_FAR:
            middle[axis] = 1e9 * (axis + 1) + middle[axis];
            break;
        case BOXES_POINTS:
            middle[axis] = dent_random_below(random, 4) * 0.25;
            half[axis] = 0.0;
            break;
        case BOXES_GIANT:
            half[axis] = i == 0 ? 1e6 : 0.1 * half[axis];
            break;
        case BOXES_SPECKS:
            half[axis] = i % 7 == 0 ? 0.5 : half[axis] * 1e-5;
            middle[axis] = i % 7 == 0 ? middle[axis] : 1e-4 * middle[axis];
            break;
        default:
            break;
        }
        if (kind == BOXES_HUGE) {
            a = boxes_wide(random);
            b = dent_random_below(random, 4) == 0 ? a : boxes_wide(random);
        } else {
            a = middle[axis] - half[axis];
            b = middle[axis] + half[axis];
        }
        box[axis] = a < b ? a : b;
        box[axis + 3] = a < b ? b : a;
    }
}

/* Every number becomes a float, as far as it is one. */
static inline void boxes_to_floats(const double *boxes, uint32_t count, float *floats)
{
    for (size_t i = 0; i < 6 * (size_t)count; i++) {
        double x = boxes[i];
        x = x > 3e38 ? 3e38 : x < -3e38 ? -3e38 : x;
        floats[i] = (float)x;
    }
}

/* A box is taken away, in one of the ways users do. */
static inline void absent_box(dent_random *random, double box[6])
{
    uint32_t way = dent_random_below(random, 3);
    for (int axis = 0; axis < 3; axis++) {
        box[axis] = way == 0 ? INFINITY : way == 1 ? 1e30 : box[axis];
        box[axis + 3] = way == 0 ? -INFINITY : way == 1 ? -1e30 : box[axis + 3];
    }
    if (way == 2) {
        box[1] = box[4] + 1.0 + fabs(box[4]);
        box[1] = isinf(box[1]) ? INFINITY : box[1];
    }
}

static inline bool boxes_present(const double box[6])
{
    return box[0] <= box[3] && box[1] <= box[4] && box[2] <= box[5];
}

static inline bool boxes_overlap(const double a[6], const double b[6])
{
    return boxes_present(a) && boxes_present(b) && a[0] <= b[3] && b[0] <= a[3] && a[1] <= b[4] && b[1] <= a[4] &&
           a[2] <= b[5] && b[2] <= a[5];
}

#endif
