/* Numbers as sums of two doubles, 106 bits (Dekker 1971), in plain round-to-nearest operations.
 *
 * With w = 2^-106: two_sum and two_product are exact unless something underflows; a product of two such numbers has a
 * relative error below 8w, a sum an error below 3w of the sum of sizes. Sizes must be below 2^990 for two_product.
 */
#ifndef DENT_GEOMETRY_DOUBLE_DOUBLE_H
#define DENT_GEOMETRY_DOUBLE_DOUBLE_H

struct double_double {
    double high, low;
};

static inline struct double_double two_sum(double a, double b)
{
    double sum = a + b, part = sum - a;
    return (struct double_double){sum, (a - (sum - part)) + (b - part)};
}

static inline struct double_double quick_two_sum(double larger, double smaller)
{
    double sum = larger + smaller;
    return (struct double_double){sum, smaller - (sum - larger)};
}

static inline struct double_double split_in_two(double a)
{
    double c = 0x8000001p0 * a, high = c - (c - a);
    return (struct double_double){high, a - high};
}

static inline struct double_double two_product(double a, double b)
{
    double product = a * b;
    struct double_double x = split_in_two(a), y = split_in_two(b);
    double low = ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return (struct double_double){product, low};
}

static inline struct double_double pair_multiply(struct double_double a, struct double_double b)
{
    struct double_double product = two_product(a.high, b.high);
    return quick_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline struct double_double pair_times(struct double_double a, double b)
{
    struct double_double product = two_product(a.high, b);
    return quick_two_sum(product.high, product.low + a.low * b);
}

static inline struct double_double pair_add(struct double_double a, struct double_double b)
{
    struct double_double sum = two_sum(a.high, b.high);
    return quick_two_sum(sum.high, sum.low + (a.low + b.low));
}

static inline struct double_double pair_negate(struct double_double a)
{
    return (struct double_double){-a.high, -a.low};
}

#endif
