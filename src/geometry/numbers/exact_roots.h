/* Roots in [0, 1] of integer polynomials of degree three at most, and signs of other polynomials there: exact, in a
 * number of operations known beforehand.
 *
 * A root is "the i-th one of f in [0, 1]", f without multiple roots. No interval is refined: comparing a root with a
 * rational x counts the roots up to x with the Sturm sequence of f, and the sign of a polynomial g of degree one or two
 * at the root follows from the signs of linear ones (exact_sign_at). So near-equal roots cost no more than others.
 *
 * Lengths, for f of degree 3 with m-bit and g of degree 2 with n-bit coefficients: the Sturm sequence needs 2m bits,
 * the discriminant 4m, the sign of g at a root 4m + 6n. Times of doubles are rationals of 53 bits with a power of two.
 */
#ifndef DENT_GEOMETRY_EXACT_ROOTS_H
#define DENT_GEOMETRY_EXACT_ROOTS_H

#include <stdbool.h>

#include "geometry/numbers/exact_integer.h"

struct exact_polynomial {
    struct exact_integer c[4]; /* c[i] of t^i */
    int degree;                /* c[degree] != 0; -1: the zero polynomial */
};

struct exact_polynomial polynomial_of(const struct exact_integer *coefficients, int count);
struct exact_polynomial polynomial_add(struct limb_arena *arena, const struct exact_polynomial *a,
                                       const struct exact_polynomial *b);
struct exact_polynomial polynomial_subtract(struct limb_arena *arena, const struct exact_polynomial *a,
                                            const struct exact_polynomial *b);
/* The degrees may sum to three. */
struct exact_polynomial polynomial_multiply(struct limb_arena *arena, const struct exact_polynomial *a,
                                            const struct exact_polynomial *b);

/* Moves the coefficients down to `mark`, an earlier end of the arena, and frees everything else above it: what was
 * needed to compute them. Coefficients that lie below stay where they are. */
struct exact_polynomial polynomial_keep(struct limb_arena *arena, uint64_t *mark, const struct exact_polynomial *p);

/* A polynomial without multiple roots, with what is needed to count them. */
struct root_finder {
    struct exact_polynomial f, derivative, remainder; /* the Sturm sequence: f, f', remainder, ... */
    int last;                                         /* ... and the sign of its constant end, 0 for none */
    int count;                                        /* roots in [0, 1] */
    int at_zero, changes_at_zero;                     /* sign of f(0), sign changes of the sequence there */
    double guess[3];                                  /* rough positions of the roots, ascending */
    int guesses;
};

/* The roots of f (not the zero polynomial) in [0, 1] as those of at most two polynomials; returns how many of these
 * there are. Parts without a root in [0, 1] are left out. With two parts, each has one root and both are rational. */
int exact_roots(struct limb_arena *arena, const struct exact_polynomial *f, struct root_finder parts[2]);

/* The one root 0. */
void root_at_zero(struct limb_arena *arena, struct root_finder *part);

/* The sign of g, of degree two at most, at root `index` (from 0) of the part. */
int exact_sign_at(struct limb_arena *arena, const struct root_finder *part, int index,
                  const struct exact_polynomial *g);

/* The largest double not above the root. */
double exact_root_down(struct limb_arena *arena, const struct root_finder *part, int index);

#endif
