/* The numbers of double_double.h in lanes: the same operations in the same order, so the same bits. To be included after
 * a simd/lanes_<isa>.h. */
#ifndef DENT_GEOMETRY_DOUBLE_DOUBLE_LANES_H
#define DENT_GEOMETRY_DOUBLE_DOUBLE_LANES_H

struct doubles_pair {
    doubles high, low;
};

static inline struct doubles_pair lanes_two_sum(doubles a, doubles b)
{
    doubles sum = a + b, part = sum - a;
    return (struct doubles_pair){sum, (a - (sum - part)) + (b - part)};
}

static inline struct doubles_pair lanes_quick_two_sum(doubles larger, doubles smaller)
{
    doubles sum = larger + smaller;
    return (struct doubles_pair){sum, smaller - (sum - larger)};
}

static inline struct doubles_pair lanes_split_in_two(doubles a)
{
    doubles c = doubles_set(0x8000001p0) * a, high = c - (c - a);
    return (struct doubles_pair){high, a - high};
}

static inline struct doubles_pair lanes_two_product(doubles a, doubles b)
{
    doubles product = a * b;
    struct doubles_pair x = lanes_split_in_two(a), y = lanes_split_in_two(b);
    doubles low = ((x.high * y.high - product) + x.high * y.low + x.low * y.high) + x.low * y.low;
    return (struct doubles_pair){product, low};
}

static inline struct doubles_pair lanes_pair_multiply(struct doubles_pair a, struct doubles_pair b)
{
    struct doubles_pair product = lanes_two_product(a.high, b.high);
    return lanes_quick_two_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
}

static inline struct doubles_pair lanes_pair_add(struct doubles_pair a, struct doubles_pair b)
{
    struct doubles_pair sum = lanes_two_sum(a.high, b.high);
    return lanes_quick_two_sum(sum.high, sum.low + (a.low + b.low));
}

static inline struct doubles_pair lanes_pair_negate(struct doubles_pair a)
{
    return (struct doubles_pair){-a.high, -a.low};
}

#endif
