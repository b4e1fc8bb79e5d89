/* Queries that are hard on purpose: exact contacts at dyadic times and their neighbours by one ulp, sliding in a plane,
 * parallel edges, faces without area, no motion, small gaps far from the origin, extreme scales. */
#ifndef DENT_TESTS_IMPACT_CASES_H
#define DENT_TESTS_IMPACT_CASES_H

#include <dent/base.h>
#include <math.h>
#include <string.h>

#include "geometry/impact/impact_test.h"

typedef struct impact_case {
    enum impact_kind kind;
    struct impact_vertex vertices[4];
    const struct impact_vertex *corners[4];
} impact_case;

enum impact_family {
    CASE_SMALL_INTEGERS,
    CASE_EXACT_CONTACT,
    CASE_NEAR_MISS,
    CASE_SLIDING,
    CASE_SLIDING_IN_MOVING_PLANE,
    CASE_PARALLEL,
    CASE_DEGENERATE,
    CASE_SMALL_GAP_FAR_AWAY,
    CASE_SCALED,
    CASE_RANDOM,
    CASE_MIXED_EXPONENTS,
    CASE_FAMILIES
};

static const char *const impact_family_names[CASE_FAMILIES] = {
    "small integers", "exact contact", "near miss",          "sliding", "sliding in a moving plane",
    "parallel edges", "degenerate",    "small gap far away", "scaled",  "random",
    "mixed exponents"};

static double *coordinate(impact_case *query, int corner, int end, int axis)
{
    return end == 0 ? &query->vertices[corner].start[axis] : &query->vertices[corner].end[axis];
}

static double small_integer(dent_random *random, int most)
{
    return (double)dent_random_below(random, (uint32_t)(2 * most + 1)) - most;
}

static double unit(dent_random *random)
{
    return 2.0 * dent_random_unit(random) - 1.0;
}

static void fill_integers(impact_case *query, dent_random *random, int most)
{
    for (int i = 0; i < 24; i++) {
        *coordinate(query, i / 6, i / 3 % 2, i % 3) = small_integer(random, most);
    }
}

/* The position at time 1 / 2^m becomes `at`: exact for integers of moderate size. */
static void meet_at(impact_case *query, int corner, int axis, double at, int m)
{
    double power = ldexp(1.0, m), start = *coordinate(query, corner, 0, axis);
    *coordinate(query, corner, 1, axis) = power * at - (power - 1.0) * start;
}

static double position_at(const impact_case *query, int corner, int axis, int m)
{
    double s = ldexp(1.0, -m);
    return query->vertices[corner].start[axis] * (1.0 - s) + query->vertices[corner].end[axis] * s;
}

/* Integers with a contact at time 1 / 2^m, at a place with dyadic weights (often on the border). */
static void make_contact(impact_case *query, dent_random *random, int most)
{
    int m = (int)dent_random_below(random, 4), parts = 4;
    fill_integers(query, random, most);
    for (int i = 0; i < 24; i++) {
        *coordinate(query, i / 6, i / 3 % 2, i % 3) *= 64.0;
    }
    int u = (int)dent_random_below(random, (uint32_t)parts + 1);
    int v = (int)dent_random_below(random, (uint32_t)parts + 1);
    if (query->kind == IMPACT_VERTEX_FACE && u + v > parts) {
        u = parts - u;
        v = parts - v;
    }
    for (int axis = 0; axis < 3; axis++) {
        if (query->kind == IMPACT_VERTEX_FACE) {
            double f0 = position_at(query, 1, axis, m), f1 = position_at(query, 2, axis, m);
            double f2 = position_at(query, 3, axis, m);
            meet_at(query, 0, axis, f0 + (f1 - f0) * u / parts + (f2 - f0) * v / parts, m);
        } else {
            double a0 = position_at(query, 0, axis, m), a1 = position_at(query, 1, axis, m);
            double b0 = position_at(query, 2, axis, m), point = a0 + (a1 - a0) * u / parts;
            meet_at(query, 3, axis, b0 + (point - b0) * (1 << v % 3), m);
        }
    }
}

static void nudge(impact_case *query, dent_random *random)
{
    double *x = coordinate(query, (int)dent_random_below(random, 4), (int)dent_random_below(random, 2),
                           (int)dent_random_below(random, 3));
    *x = nextafter(*x, dent_random_below(random, 2) == 0 ? -HUGE_VAL : HUGE_VAL);
}

/* All corners in one plane: z is a combination of x and y, the same at both ends or (moving) not. */
static void flatten(impact_case *query, dent_random *random, bool moving)
{
    double p = small_integer(random, 2), q = small_integer(random, 2), r[2] = {small_integer(random, 3), 0.0};
    r[1] = moving ? small_integer(random, 3) : r[0];
    int axis = (int)dent_random_below(random, 3);
    for (int corner = 0; corner < 4; corner++) {
        for (int end = 0; end < 2; end++) {
            *coordinate(query, corner, end, axis) = p * *coordinate(query, corner, end, (axis + 1) % 3) +
                                                    q * *coordinate(query, corner, end, (axis + 2) % 3) + r[end];
        }
    }
}

static void make_parallel(impact_case *query, dent_random *random)
{
    int first = query->kind == IMPACT_VERTEX_FACE ? 1 : 2, ends = dent_random_below(random, 3) == 0 ? 1 : 2;
    double factor = small_integer(random, 2);
    for (int end = 0; end < ends; end++) {
        for (int axis = 0; axis < 3; axis++) {
            double side = query->kind == IMPACT_VERTEX_FACE
                              ? *coordinate(query, 2, end, axis) - *coordinate(query, 1, end, axis)
                              : *coordinate(query, 1, end, axis) - *coordinate(query, 0, end, axis);
            *coordinate(query, 3, end, axis) = *coordinate(query, first, end, axis) + factor * side;
        }
    }
}

/* Copies corners or stops them. */
static void degenerate(impact_case *query, dent_random *random)
{
    for (int i = (int)dent_random_below(random, 3); i >= 0; i--) {
        int corner = (int)dent_random_below(random, 4), other = (int)dent_random_below(random, 4);
        switch (dent_random_below(random, 4)) {
        case 0:
            memcpy(query->vertices[corner].end, query->vertices[corner].start, 3 * sizeof(double));
            break;
        case 1:
            memcpy(query->vertices[corner].start, query->vertices[other].start, 3 * sizeof(double));
            break;
        case 2:
            query->vertices[corner] = query->vertices[other];
            break;
        default:
            for (int k = 0; k < 4; k++) {
                memcpy(query->vertices[k].end, query->vertices[k].start, 3 * sizeof(double));
            }
        }
    }
}

static void move_all(impact_case *query, double scale, double offset)
{
    for (int i = 0; i < 24; i++) {
        double *x = coordinate(query, i / 6, i / 3 % 2, i % 3);
        *x = *x * scale + offset;
    }
}

static void make_case(impact_case *query, dent_random *random, enum impact_family family)
{
    memset(query, 0, sizeof *query);
    query->kind = (enum impact_kind)dent_random_below(random, 2);
    for (int i = 0; i < 4; i++) {
        query->corners[i] = &query->vertices[i];
    }
    switch (family) {
    case CASE_SMALL_INTEGERS:
        fill_integers(query, random, 1 + (int)dent_random_below(random, 3));
        break;
    case CASE_EXACT_CONTACT:
        make_contact(query, random, 1 << dent_random_below(random, 16));
        break;
    case CASE_NEAR_MISS:
        make_contact(query, random, 1 << dent_random_below(random, 16));
        nudge(query, random);
        break;
    case CASE_SLIDING:
    case CASE_SLIDING_IN_MOVING_PLANE:
        fill_integers(query, random, 1 << dent_random_below(random, 6));
        flatten(query, random, family == CASE_SLIDING_IN_MOVING_PLANE);
        if (dent_random_below(random, 4) == 0) {
            nudge(query, random);
        }
        break;
    case CASE_PARALLEL:
        fill_integers(query, random, 1 << dent_random_below(random, 4));
        make_parallel(query, random);
        break;
    case CASE_DEGENERATE:
        fill_integers(query, random, 1 << dent_random_below(random, 4));
        degenerate(query, random);
        break;
    case CASE_SMALL_GAP_FAR_AWAY:
        make_contact(query, random, 64);
        move_all(query, ldexp(1.0, -12), 1e6);
        for (int i = 0; i < 3; i++) { /* a gap of a few 1e-9, whichever way it was rounded */
            *coordinate(query, 0, 0, i) += 1e-9 * unit(random);
            *coordinate(query, 0, 1, i) += 1e-9 * unit(random);
        }
        break;
    case CASE_SCALED:
        make_contact(query, random, 1 << dent_random_below(random, 12));
        if (dent_random_below(random, 2) == 0) {
            nudge(query, random);
        }
        move_all(query, dent_random_below(random, 2) == 0 ? 0x1p332 : 0x1p-332, 0.0);
        break;
    case CASE_RANDOM:
        for (int i = 0; i < 24; i++) {
            *coordinate(query, i / 6, i / 3 % 2, i % 3) = unit(random);
        }
        break;
    default:
        for (int i = 0; i < 24; i++) {
            *coordinate(query, i / 6, i / 3 % 2, i % 3) = ldexp(unit(random), (int)dent_random_below(random, 60) - 30);
        }
    }
}

#endif
