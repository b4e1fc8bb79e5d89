/* Sixteen pairs of triangles in rounded coordinates, one pair to a lane: certainly apart, certainly crossing, or open. See
 * surface_kernels.h for the bounds.
 *
 * The scheme is that of triangle_predicates.c: when each triangle has corners strictly on both sides of the other's
 * plane, two more orientations decide. Where a side is left open, which is what triangles in one plane come to, the six
 * directions across the edges within the planes are tried. What is open goes to the doubles of pair_kernels.h.
 */

enum { NARROW_ALL = 0xFFFF };

/* Of a determinant of differences of at most these sizes. */
static inline floats16 side_bound(struct floats16x3 largest)
{
    const floats16 slack = floats16_set(4 * FOREST_INPUT_ERROR);
    floats16 x = floats16_add(largest.x, slack), y = floats16_add(largest.y, slack), z = floats16_add(largest.z, slack),
             xy = floats16_multiply(x, y);
    floats16 squares = floats16_add(xy, floats16_multiply(floats16_add(x, y), z));
    return floats16_add(floats16_multiply(floats16_multiply(xy, z), floats16_set(50.0f * 0x1p-24f)),
                        floats16_multiply(squares, floats16_set(7.0f * 0x1p-24f)));
}

/* Of the distance between two ranges of dot products. */
static inline floats16 range_bound(floats16 size, floats16 largest)
{
    floats16 relative =
        floats16_add(floats16_multiply(largest, floats16_set(10.0f * 0x1p-24f)), floats16_set(3.0f * 0x1p-24f));
    return floats16_add(floats16_multiply(size, relative), floats16_set(0x1p-120f));
}

struct corner_sides {
    uint32_t above[3], below[3];
};

/* Corners of one triangle by the plane of another. */
static inline struct corner_sides sides_of(const struct floats16x3 plane[3], const struct floats16x3 corner[3])
{
    struct floats16x3 e1 = floats16x3_subtract(plane[1], plane[0]), e2 = floats16x3_subtract(plane[2], plane[0]);
    struct floats16x3 normal = floats16x3_cross(e1, e2), d[3];
    struct floats16x3 largest = floats16x3_most(floats16x3_absolute(e1), floats16x3_absolute(e2));
    for (int k = 0; k < 3; k++) {
        d[k] = floats16x3_subtract(corner[k], plane[0]);
        largest = floats16x3_most(largest, floats16x3_absolute(d[k]));
    }
    floats16 bound = side_bound(largest), minus = floats16_subtract(floats16_set(0), bound);
    struct corner_sides sides;
    for (int k = 0; k < 3; k++) {
        floats16 side = floats16x3_dot(d[k], normal);
        sides.above[k] = floats16_less(bound, side);
        sides.below[k] = floats16_less(side, minus);
    }
    return sides;
}

/* Sign of det[b - a, c - a, d - a]. */
static inline void orientation(struct floats16x3 a, struct floats16x3 b, struct floats16x3 c, struct floats16x3 d,
                               uint32_t *above, uint32_t *below)
{
    struct floats16x3 e1 = floats16x3_subtract(b, a), e2 = floats16x3_subtract(c, a), e3 = floats16x3_subtract(d, a);
    struct floats16x3 largest =
        floats16x3_most(floats16x3_most(floats16x3_absolute(e1), floats16x3_absolute(e2)), floats16x3_absolute(e3));
    floats16 bound = side_bound(largest), value = floats16x3_dot(e3, floats16x3_cross(e1, e2));
    *above = floats16_less(bound, value);
    *below = floats16_less(value, floats16_subtract(floats16_set(0), bound));
}

/* Puts the corner that is alone on its side first, and turns the triangle over where `turn` says so (triangle_sides.h).
 */
static inline void arrange(const struct floats16x3 corner[3], const struct corner_sides *sides, uint32_t turn,
                           struct floats16x3 arranged[3])
{
    const uint32_t *s = sides->above;
    uint32_t lone0 = (s[0] ^ s[1]) & (s[0] ^ s[2]), lone1 = ~lone0 & (s[1] ^ s[0]) & (s[1] ^ s[2]);
    struct floats16x3 next = floats16x3_choose(lone0, corner[1], floats16x3_choose(lone1, corner[2], corner[0]));
    struct floats16x3 last = floats16x3_choose(lone0, corner[2], floats16x3_choose(lone1, corner[0], corner[1]));
    arranged[0] = floats16x3_choose(lone0, corner[0], floats16x3_choose(lone1, corner[1], corner[2]));
    arranged[1] = floats16x3_choose(turn, last, next);
    arranged[2] = floats16x3_choose(turn, next, last);
}

/* Lanes in which two corners are above, so that the lone one is below. */
static inline uint32_t lone_below(const struct corner_sides *sides)
{
    const uint32_t *s = sides->above;
    return (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]);
}

/* Some direction across an edge within the plane of the first triangle keeps the two apart. */
static inline uint32_t apart_across_edges(const struct floats16x3 own[3], const struct floats16x3 other[3])
{
    struct floats16x3 p[6];
    for (int k = 0; k < 3; k++) {
        p[k] = floats16x3_subtract(own[k], own[0]);
        p[3 + k] = floats16x3_subtract(other[k], own[0]);
    }
    struct floats16x3 normal = floats16x3_cross(p[1], p[2]), largest3 = floats16x3_absolute(p[1]);
    for (int k = 2; k < 6; k++) {
        largest3 = floats16x3_most(largest3, floats16x3_absolute(p[k]));
    }
    floats16 largest = floats16_most(floats16_most(largest3.x, largest3.y), largest3.z);
    uint32_t apart = 0;
    for (int edge = 0; edge < 3; edge++) {
        struct floats16x3 across = floats16x3_cross(floats16x3_subtract(p[edge == 2 ? 0 : edge + 1], p[edge]), normal);
        struct floats16x3 size = floats16x3_absolute(across);
        floats16 value[6];
        for (int k = 0; k < 6; k++) {
            value[k] = floats16x3_dot(across, p[k]);
        }
        floats16 lo = floats16_least(floats16_least(value[3], value[4]), value[5]),
                 hi = floats16_most(floats16_most(value[3], value[4]), value[5]);
        floats16 own_lo = floats16_least(floats16_least(value[0], value[1]), value[2]);
        floats16 own_hi = floats16_most(floats16_most(value[0], value[1]), value[2]);
        floats16 bound = range_bound(floats16_add(floats16_add(size.x, size.y), size.z), largest);
        apart |=
            floats16_less(bound, floats16_subtract(lo, own_hi)) | floats16_less(bound, floats16_subtract(own_lo, hi));
    }
    return apart;
}

static inline struct narrow_signs narrow(const struct floats16x3 a[3], const struct floats16x3 b[3])
{
    struct corner_sides of_b = sides_of(a, b), of_a = sides_of(b, a);
    uint32_t apart = (of_a.above[0] & of_a.above[1] & of_a.above[2]) | (of_a.below[0] & of_a.below[1] & of_a.below[2]) |
                     (of_b.above[0] & of_b.above[1] & of_b.above[2]) | (of_b.below[0] & of_b.below[1] & of_b.below[2]);
    uint32_t sure = NARROW_ALL;
    for (int k = 0; k < 3; k++) {
        sure &= (of_a.above[k] | of_a.below[k]) & (of_b.above[k] | of_b.below[k]);
    }
    uint32_t crossing = 0;
    if (sure & ~apart) {
        struct floats16x3 x[3], y[3];
        uint32_t first_above, first_below, second_above, second_below;
        arrange(a, &of_a, lone_below(&of_b), x);
        arrange(b, &of_b, lone_below(&of_a), y);
        orientation(x[0], x[1], y[0], y[1], &first_above, &first_below);
        orientation(x[0], x[2], y[0], y[2], &second_above, &second_below);
        crossing = sure & ~apart & first_below & second_above;
        apart |= sure & (first_above | second_below);
    }
    if (NARROW_ALL & ~sure & ~apart) {
        apart |= ~sure & apart_across_edges(a, b);
        apart |= ~sure & apart_across_edges(b, a);
    }
    return (struct narrow_signs){apart & NARROW_ALL, crossing};
}
