/* Exact roots: see exact_roots.h for the idea.
 *
 * The Sturm sequence of f = a t^3 + b t^2 + c t + d, with positive factors dropped: f, f', then
 *     -(f mod f') ~ -sign(a) ((6ac - 2b^2) t + (9ad - bc)),
 * then a constant of the sign of a times the discriminant. For a quadratic: f, f', sign(a) (b^2 - 4ac). Without
 * multiple roots the number of roots in (x, y] is changes(x) - changes(y), also where x or y is a root (zeros are
 * dropped).
 */
#include "geometry/numbers/exact_roots.h"

#include <math.h>
#include <string.h>

#include "base/dent_assert.h"
#include "geometry/numbers/power_of_two.h"

/* A rational number >= 0; the denominator is a power of two where shift >= 0. */
struct rational {
    struct exact_integer numerator, denominator;
    int shift;
};

/* ------------------------------------------------------------------------------------------------------ polynomials */

struct exact_polynomial polynomial_of(const struct exact_integer *coefficients, int count)
{
    struct exact_polynomial p;
    p.degree = -1;
    for (int i = 0; i < 4; i++) {
        p.c[i] = i < count ? coefficients[i] : exact_zero();
        if (p.c[i].sign != 0) {
            p.degree = i;
        }
    }
    return p;
}

struct exact_polynomial polynomial_add(struct limb_arena *arena, const struct exact_polynomial *a,
                                       const struct exact_polynomial *b)
{
    struct exact_integer c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = exact_add(arena, a->c[i], b->c[i]);
    }
    return polynomial_of(c, 4);
}

struct exact_polynomial polynomial_subtract(struct limb_arena *arena, const struct exact_polynomial *a,
                                            const struct exact_polynomial *b)
{
    struct exact_integer c[4];
    for (int i = 0; i < 4; i++) {
        c[i] = exact_subtract(arena, a->c[i], b->c[i]);
    }
    return polynomial_of(c, 4);
}

struct exact_polynomial polynomial_multiply(struct limb_arena *arena, const struct exact_polynomial *a,
                                            const struct exact_polynomial *b)
{
    DENT_ASSERT(a->degree + b->degree <= 3);
    struct exact_integer c[4];
    for (int k = 0; k < 4; k++) {
        c[k] = exact_zero();
        for (int i = 0; i <= k; i++) {
            if (i <= a->degree && k - i <= b->degree) {
                c[k] = exact_add(arena, c[k], exact_multiply(arena, a->c[i], b->c[k - i]));
            }
        }
    }
    return polynomial_of(c, 4);
}

struct exact_polynomial polynomial_keep(struct limb_arena *arena, uint64_t *mark, const struct exact_polynomial *p)
{
    struct exact_polynomial kept = *p;
    uint64_t *copies = arena->next;
    int total = 0;
    for (int i = 0; i <= p->degree; i++) { /* above everything first: the order in memory may be any */
        if (p->c[i].limbs >= mark && p->c[i].length > 0) {
            uint64_t *copy = exact_take(arena, p->c[i].length);
            memcpy(copy, p->c[i].limbs, (size_t)p->c[i].length * sizeof *copy);
            kept.c[i].limbs = mark + total;
            total += p->c[i].length;
        }
    }
    memmove(mark, copies, (size_t)total * sizeof *mark);
    arena->next = mark + total;
    return kept;
}

/* Sign of p at x, by Horner's rule with the powers of the denominator multiplied in. */
static int sign_at_rational(struct limb_arena *arena, const struct exact_polynomial *p, const struct rational *x)
{
    if (p->degree <= 0) {
        return p->degree < 0 ? 0 : p->c[0].sign;
    }
    if (x->numerator.sign == 0) {
        return p->c[0].sign;
    }
    uint64_t *mark = arena->next;
    struct exact_integer sum = p->c[p->degree];
    struct exact_integer power = x->denominator;
    for (int i = p->degree - 1; i >= 0; i--) {
        sum = exact_multiply(arena, sum, x->numerator);
        if (p->c[i].sign != 0) {
            struct exact_integer term = x->shift >= 0 ? exact_shift_left(arena, p->c[i], x->shift * (p->degree - i))
                                                      : exact_multiply(arena, p->c[i], power);
            sum = exact_add(arena, sum, term);
        }
        if (i > 0 && x->shift < 0) {
            power = exact_multiply(arena, power, x->denominator);
        }
    }
    arena->next = mark;
    return sum.sign;
}

/* ------------------------------------------------------------------------------------------------------ counting */

static int changes_at(struct limb_arena *arena, const struct root_finder *part, const struct rational *x, int f_sign)
{
    int signs[4] = {f_sign, sign_at_rational(arena, &part->derivative, x), sign_at_rational(arena, &part->remainder, x),
                    part->last};
    int changes = 0, before = 0;
    for (int i = 0; i < 4; i++) {
        if (signs[i] != 0) {
            changes += before != 0 && before != signs[i];
            before = signs[i];
        }
    }
    return changes;
}

/* The number of roots in [0, x]; *f_sign is the sign of f(x). */
static int roots_up_to(struct limb_arena *arena, const struct root_finder *part, const struct rational *x, int *f_sign)
{
    *f_sign = sign_at_rational(arena, &part->f, x);
    if (x->numerator.sign == 0) {
        return part->at_zero == 0;
    }
    if (part->count == 1) { /* simple, so the sign tells */
        return part->at_zero == 0 || *f_sign != part->at_zero;
    }
    return (part->at_zero == 0) + part->changes_at_zero - changes_at(arena, part, x, *f_sign);
}

/* Sign of root - x. */
static int compare_root(struct limb_arena *arena, const struct root_finder *part, int index, const struct rational *x)
{
    if (x->numerator.sign < 0) {
        return 1;
    }
    if (exact_compare(x->numerator, x->denominator) > 0) {
        return -1;
    }
    int f_sign;
    int below = roots_up_to(arena, part, x, &f_sign);
    if (below <= index) {
        return 1;
    }
    return below == index + 1 && f_sign == 0 ? 0 : -1;
}

/* The zero of a polynomial of degree one. */
static struct rational rational_root(const struct exact_polynomial *linear)
{
    struct rational x = {exact_negate(linear->c[0]), linear->c[1], -1};
    if (x.denominator.sign < 0) {
        x.numerator.sign = -x.numerator.sign;
        x.denominator.sign = 1;
    }
    return x;
}

static int linear_sign_at(struct limb_arena *arena, const struct root_finder *part, int index,
                          const struct exact_polynomial *linear)
{
    if (linear->degree <= 0) {
        return linear->degree < 0 ? 0 : linear->c[0].sign;
    }
    struct rational x = rational_root(linear);
    return linear->c[1].sign * compare_root(arena, part, index, &x);
}

/* A quadratic at a root of a quadratic: the remainder of g by f is linear. */
static int sign_at_quadratic_root(struct limb_arena *arena, const struct root_finder *part, int index,
                                  const struct exact_polynomial *g)
{
    const struct exact_polynomial *f = &part->f;
    struct exact_integer c[2];
    for (int i = 0; i < 2; i++) {
        c[i] = exact_subtract(arena, exact_multiply(arena, f->c[2], g->c[i]), exact_multiply(arena, g->c[2], f->c[i]));
    }
    struct exact_polynomial rest = polynomial_of(c, 2);
    return f->c[2].sign * linear_sign_at(arena, part, index, &rest);
}

/* A quadratic at a root of a cubic: g2^2 f = q g + r with q and r linear, and f is zero, so g = -r / q there. */
static int sign_at_cubic_root(struct limb_arena *arena, const struct root_finder *part, int index,
                              const struct exact_polynomial *g)
{
    const struct exact_integer *f = part->f.c;
    struct exact_integer c[2];
    c[1] = exact_multiply(arena, f[3], g->c[2]);
    c[0] = exact_subtract(arena, exact_multiply(arena, g->c[2], f[2]), exact_multiply(arena, f[3], g->c[1]));
    struct exact_polynomial q = polynomial_of(c, 2);
    int q_sign = linear_sign_at(arena, part, index, &q);
    if (q_sign == 0) { /* the root is the rational one of q */
        struct rational x = rational_root(&q);
        return sign_at_rational(arena, g, &x);
    }
    struct exact_integer square = exact_multiply(arena, g->c[2], g->c[2]);
    c[1] = exact_multiply(arena, square, f[1]);
    c[1] = exact_subtract(arena, c[1], exact_multiply(arena, q.c[1], g->c[0]));
    c[1] = exact_subtract(arena, c[1], exact_multiply(arena, q.c[0], g->c[1]));
    c[0] = exact_subtract(arena, exact_multiply(arena, square, f[0]), exact_multiply(arena, q.c[0], g->c[0]));
    struct exact_polynomial r = polynomial_of(c, 2);
    return -q_sign * linear_sign_at(arena, part, index, &r);
}

int exact_sign_at(struct limb_arena *arena, const struct root_finder *part, int index, const struct exact_polynomial *g)
{
    uint64_t *mark = arena->next;
    int sign;
    if (part->f.degree == 1) {
        struct rational x = rational_root(&part->f);
        sign = sign_at_rational(arena, g, &x);
    } else if (g->degree < 2) {
        sign = linear_sign_at(arena, part, index, g);
    } else if (part->f.degree == 2) {
        sign = sign_at_quadratic_root(arena, part, index, g);
    } else {
        sign = sign_at_cubic_root(arena, part, index, g);
    }
    arena->next = mark;
    return sign;
}

/* ------------------------------------------------------------------------------------------------------ preparation */

static double evaluate(const double *c, int degree, double t)
{
    double sum = c[degree];
    for (int i = degree - 1; i >= 0; i--) {
        sum = sum * t + c[i];
    }
    return sum;
}

/* A zero between l and r, where the values have different signs. */
static double bisect(const double *c, int degree, double l, double r)
{
    double at_l = evaluate(c, degree, l);
    for (int i = 0; i < 80; i++) {
        double middle = l + 0.5 * (r - l);
        double value = evaluate(c, degree, middle);
        if (middle <= l || middle >= r || value == 0.0) {
            return middle;
        }
        if ((value < 0.0) == (at_l < 0.0)) {
            l = middle;
        } else {
            r = middle;
        }
    }
    return l;
}

/* Rough roots in [0, 1] in double arithmetic. Only the speed depends on them. */
static void guess_roots(struct root_finder *part)
{
    int degree = part->f.degree, most = -100000;
    struct scaled_double scaled[4];
    double c[4], stops[4] = {0.0, 1.0, 1.0, 1.0};
    for (int i = 0; i <= degree; i++) {
        scaled[i] = exact_to_scaled(part->f.c[i]);
        most = part->f.c[i].sign != 0 && scaled[i].exponent > most ? scaled[i].exponent : most;
    }
    for (int i = 0; i <= degree; i++) {
        int down = most - scaled[i].exponent;
        c[i] = part->f.c[i].sign == 0 || down > 1000 ? 0.0 : scaled[i].mantissa * power_of_two(-down);
    }
    int stop_count = 1;
    if (degree == 2 && c[2] != 0.0) {
        stops[stop_count] = -0.5 * c[1] / c[2];
        stop_count += stops[stop_count] > 0.0 && stops[stop_count] < 1.0;
    } else if (degree == 3) {
        double root = c[2] * c[2] - 3.0 * c[3] * c[1];
        root = root > 0.0 ? sqrt(root) : 0.0;
        double sum = c[2] < 0.0 ? -c[2] + root : -c[2] - root;
        double first = c[3] != 0.0 ? sum / (3.0 * c[3]) : -1.0, second = sum != 0.0 ? c[1] / sum : -1.0;
        double low = first < second ? first : second, high = first < second ? second : first;
        stops[stop_count] = low;
        stop_count += low > 0.0 && low < 1.0;
        stops[stop_count] = high;
        stop_count += high > 0.0 && high < 1.0;
    }
    stops[stop_count] = 1.0;
    part->guesses = 0;
    for (int i = 0; i < stop_count && part->guesses < 3; i++) {
        double left = evaluate(c, degree, stops[i]), right = evaluate(c, degree, stops[i + 1]);
        if (left == 0.0 || (left < 0.0) != (right < 0.0)) {
            part->guess[part->guesses++] = left == 0.0 ? stops[i] : bisect(c, degree, stops[i], stops[i + 1]);
        } else if (i == stop_count - 1 && right == 0.0) {
            part->guess[part->guesses++] = 1.0;
        }
    }
}

/* Everything but the Sturm sequence beyond f is given. */
static void finish_part(struct limb_arena *arena, struct root_finder *part)
{
    struct exact_integer c[3];
    for (int i = 1; i <= part->f.degree; i++) {
        c[i - 1] = exact_times_small(arena, part->f.c[i], i);
    }
    part->derivative = polynomial_of(c, part->f.degree);
    struct exact_integer one = exact_from_small(arena, 1);
    struct rational at_0 = {exact_zero(), one, 0}, at_1 = {one, one, 0};
    part->at_zero = part->f.c[0].sign;
    part->changes_at_zero = changes_at(arena, part, &at_0, part->at_zero);
    part->count = (part->at_zero == 0) + part->changes_at_zero -
                  changes_at(arena, part, &at_1, sign_at_rational(arena, &part->f, &at_1));
    part->guesses = 0;
    if (part->count > 0) {
        guess_roots(part);
    }
}

static void make_linear(struct limb_arena *arena, struct root_finder *part, struct exact_integer slope,
                        struct exact_integer offset)
{
    part->f = polynomial_of((struct exact_integer[]){offset, slope}, 2);
    part->remainder = polynomial_of(NULL, 0);
    part->last = 0;
    finish_part(arena, part);
}

void root_at_zero(struct limb_arena *arena, struct root_finder *part)
{
    make_linear(arena, part, exact_from_small(arena, 1), exact_zero());
}

static void make_quadratic(struct limb_arena *arena, struct root_finder *part, const struct exact_polynomial *f)
{
    struct exact_integer square = exact_multiply(arena, f->c[1], f->c[1]);
    struct exact_integer product = exact_shift_left(arena, exact_multiply(arena, f->c[2], f->c[0]), 2);
    struct exact_integer discriminant = exact_subtract(arena, square, product);
    if (discriminant.sign == 0) {
        make_linear(arena, part, exact_shift_left(arena, f->c[2], 1), f->c[1]);
        return;
    }
    part->f = *f;
    part->remainder = polynomial_of(NULL, 0);
    part->last = f->c[2].sign * discriminant.sign;
    finish_part(arena, part);
}

/* Sign of the last element of the sequence: -(f' mod remainder) = -f'(zero of the remainder r1 t + r0). It is 0 where
 * that zero is a double root of f. */
static int cubic_end(struct limb_arena *arena, const struct exact_polynomial *f, const struct exact_integer r[2])
{
    uint64_t *mark = arena->next;
    /* f'(x) r1^2 for x = -r0 / r1: 3 a r0^2 - 2 b r0 r1 + c r1^2 */
    struct exact_integer sum = exact_times_small(arena, exact_multiply(arena, f->c[3], r[0]), 3);
    sum = exact_subtract(arena, sum, exact_shift_left(arena, exact_multiply(arena, f->c[2], r[1]), 1));
    sum = exact_multiply(arena, sum, r[0]);
    struct exact_integer last = exact_multiply(arena, exact_multiply(arena, f->c[1], r[1]), r[1]);
    int sign = exact_add(arena, sum, last).sign;
    arena->next = mark;
    return -sign;
}

static int make_cubic(struct limb_arena *arena, struct root_finder parts[2], const struct exact_polynomial *f)
{
    const struct exact_integer *c = f->c;
    struct exact_integer r[2];
    uint64_t *mark = arena->next;
    r[1] = exact_subtract(arena, exact_shift_left(arena, exact_multiply(arena, c[2], c[2]), 1),
                          exact_times_small(arena, exact_multiply(arena, c[3], c[1]), 6));
    r[0] = exact_subtract(arena, exact_multiply(arena, c[2], c[1]),
                          exact_times_small(arena, exact_multiply(arena, c[3], c[0]), 9));
    if (c[3].sign < 0) {
        r[0] = exact_negate(r[0]);
        r[1] = exact_negate(r[1]);
    }
    parts[0].remainder = polynomial_of(r, 2);
    parts[0].remainder = polynomial_keep(arena, mark, &parts[0].remainder);
    r[0] = parts[0].remainder.c[0];
    r[1] = parts[0].remainder.c[1];
    int degree = parts[0].remainder.degree;
    if (degree < 0) { /* triple root -b / 3a */
        make_linear(arena, &parts[0], exact_times_small(arena, c[3], 3), c[2]);
        return 1;
    }
    parts[0].last = degree == 1 ? cubic_end(arena, f, r) : 0;
    if (degree == 1 && parts[0].last == 0) { /* double root x = -r0 / r1, single root -b/a - 2 x */
        struct exact_integer slope = exact_multiply(arena, c[3], r[1]);
        struct exact_integer offset = exact_subtract(arena, exact_multiply(arena, c[2], r[1]),
                                                     exact_shift_left(arena, exact_multiply(arena, c[3], r[0]), 1));
        make_linear(arena, &parts[0], r[1], r[0]);
        make_linear(arena, &parts[1], slope, offset);
        return 2;
    }
    parts[0].f = *f;
    finish_part(arena, &parts[0]);
    return 1;
}

int exact_roots(struct limb_arena *arena, const struct exact_polynomial *f, struct root_finder parts[2])
{
    int count = 1;
    switch (f->degree) {
    case 3:
        count = make_cubic(arena, parts, f);
        break;
    case 2:
        make_quadratic(arena, &parts[0], f);
        break;
    case 1:
        make_linear(arena, &parts[0], f->c[1], f->c[0]);
        break;
    default:
        return 0;
    }
    int kept = 0;
    for (int i = 0; i < count; i++) {
        if (parts[i].count > 0) {
            parts[kept++] = parts[i];
        }
    }
    return kept;
}

/* ------------------------------------------------------------------------------------------------------ as a double */

static double double_of_bits(int64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static int64_t bits_of_double(double value)
{
    int64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* root >= the double with these bits, which is >= 0. */
static bool root_reaches(struct limb_arena *arena, const struct root_finder *part, int index, int64_t bits)
{
    uint64_t *mark = arena->next;
    double value = double_of_bits(bits);
    int exponent = value == 0.0 ? 0 : lowest_bit_exponent(value);
    exponent = exponent > 0 ? 0 : exponent;
    struct rational x = {exact_from_double(arena, value, exponent),
                         exact_shift_left(arena, exact_from_small(arena, 1), -exponent), -exponent};
    bool reaches = compare_root(arena, part, index, &x) >= 0;
    arena->next = mark;
    return reaches;
}

double exact_root_down(struct limb_arena *arena, const struct root_finder *part, int index)
{
    int64_t low = 0, high = bits_of_double(1.0) + 1; /* low <= root < high, in the order of doubles */
    int64_t step = 1;
    bool guessed = part->guesses == part->count;
    int64_t probe = guessed ? bits_of_double(part->guess[index] > 0.0 ? part->guess[index] : 0.0) : high / 2;
    bool found_low = false, found_high = false;
    while (high - low > 1) {
        probe = probe <= low ? low + 1 : probe >= high ? high - 1 : probe;
        if (root_reaches(arena, part, index, probe)) {
            low = probe;
            found_low = true;
        } else {
            high = probe;
            found_high = true;
        }
        if (guessed && !(found_low && found_high)) { /* away from the guess in growing steps */
            probe = found_low ? low + step : high - step;
            step = step < INT64_C(1) << 56 ? 8 * step : step;
        } else {
            probe = low + (high - low) / 2;
        }
    }
    return double_of_bits(low);
}
