/* Points as integers, and what is exactly true of them: orientations, areas, and how hulls meet (simplex_oracle.h). The
 * points are set by integer_points.h. */
#ifndef DENT_TESTS_INTEGER_REFERENCE_H
#define DENT_TESTS_INTEGER_REFERENCE_H

#include "geometry/integer_points.h"
#include "geometry/simplex_oracle.h"

enum { INTEGER_POINTS = 8 };

static struct simplex oracle;
static mpz_t integer[INTEGER_POINTS][3], edge[3][3], determinant, term;

static inline void initialise_integers(void)
{
    simplex_initialise(&oracle);
    for (int k = 0; k < INTEGER_POINTS; k++) {
        mpz_inits(integer[k][0], integer[k][1], integer[k][2], NULL);
    }
    for (int k = 0; k < 3; k++) {
        mpz_inits(edge[k][0], edge[k][1], edge[k][2], NULL);
    }
    mpz_inits(determinant, term, NULL);
}

static inline int reference_orientation(int a, int b, int c, int d)
{
    const int corners[3] = {b, c, d};
    for (int k = 0; k < 3; k++) {
        for (int axis = 0; axis < 3; axis++) {
            mpz_sub(edge[k][axis], integer[corners[k]][axis], integer[a][axis]);
        }
    }
    mpz_set_ui(determinant, 0);
    for (int k = 0; k < 3; k++) {
        mpz_mul(term, edge[0][k], edge[1][(k + 1) % 3]);
        mpz_addmul(determinant, term, edge[2][(k + 2) % 3]);
        mpz_mul(term, edge[0][k], edge[1][(k + 2) % 3]);
        mpz_submul(determinant, term, edge[2][(k + 1) % 3]);
    }
    return mpz_sgn(determinant);
}

static inline hull_meeting reference_meeting(int a, int a_count, bool a_strict, int b, int b_count, bool b_strict)
{
    mpz_t(*a_points[4])[3], (*b_points[4])[3];
    for (int k = 0; k < a_count; k++) {
        a_points[k] = &integer[a + k];
    }
    for (int k = 0; k < b_count; k++) {
        b_points[k] = &integer[b + k];
    }
    return hulls_meeting(&oracle, a_points, a_count, a_strict, b_points, b_count, b_strict);
}

static inline bool reference_triangle_has_area(int first)
{
    for (int axis = 0; axis < 3; axis++) {
        int i = axis, j = (axis + 1) % 3;
        mpz_set_ui(determinant, 0);
        for (int k = 0; k < 3; k++) {
            mpz_addmul(determinant, integer[first + k][i], integer[first + (k + 1) % 3][j]);
            mpz_submul(determinant, integer[first + k][j], integer[first + (k + 1) % 3][i]);
        }
        if (mpz_sgn(determinant) != 0) {
            return true;
        }
    }
    return false;
}

#endif
