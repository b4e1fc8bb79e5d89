/* Pairs of triangles, one pair to a lane: certainly apart, certainly crossing, or open. Written once for floats and
 * doubles; see surface_kernels.h for the bounds.
 *
 * Included after LANE(name) and LANE_ALL are defined, with the type WIDE, its operations, and two bounds:
 * LANE(side_bound) of a determinant of differences, LANE(range_bound) of the distance between two ranges of dot
 * products. The scheme is that of triangle_predicates.c: when each triangle has corners strictly on both sides of the
 * other's plane, two more orientations decide. Where a side is left open, which is what triangles in one plane come to,
 * the six directions across the edges within the planes are tried.
 */

struct LANE(sides) {
    uint32_t above[3], below[3];
};

/* Corners of one triangle by the plane of another. */
static inline struct LANE(sides) LANE(sides_of)(const struct VECTOR plane[3], const struct VECTOR corner[3])
{
    struct VECTOR e1 = LANE3(subtract)(plane[1], plane[0]), e2 = LANE3(subtract)(plane[2], plane[0]);
    struct VECTOR normal = LANE3(cross)(e1, e2), d[3];
    struct VECTOR largest = LANE3(most)(LANE3(absolute)(e1), LANE3(absolute)(e2));
    for (int k = 0; k < 3; k++) {
        d[k] = LANE3(subtract)(corner[k], plane[0]);
        largest = LANE3(most)(largest, LANE3(absolute)(d[k]));
    }
    WIDE bound = LANE(side_bound)(largest), minus = LANE(subtract)(LANE(set)(0), bound);
    struct LANE(sides) sides;
    for (int k = 0; k < 3; k++) {
        WIDE side = LANE3(dot)(d[k], normal);
        sides.above[k] = LANE(less)(bound, side);
        sides.below[k] = LANE(less)(side, minus);
    }
    return sides;
}

/* Sign of det[b - a, c - a, d - a]. */
static inline void LANE(orientation)(struct VECTOR a, struct VECTOR b, struct VECTOR c, struct VECTOR d,
                                     uint32_t *above, uint32_t *below)
{
    struct VECTOR e1 = LANE3(subtract)(b, a), e2 = LANE3(subtract)(c, a), e3 = LANE3(subtract)(d, a);
    struct VECTOR largest = LANE3(most)(LANE3(most)(LANE3(absolute)(e1), LANE3(absolute)(e2)), LANE3(absolute)(e3));
    WIDE bound = LANE(side_bound)(largest), value = LANE3(dot)(e3, LANE3(cross)(e1, e2));
    *above = LANE(less)(bound, value);
    *below = LANE(less)(value, LANE(subtract)(LANE(set)(0), bound));
}

/* Puts the corner that is alone on its side first, and turns the triangle over where `turn` says so (triangle_sides.h).
 */
static inline void LANE(arrange)(const struct VECTOR corner[3], const struct LANE(sides) * sides, uint32_t turn,
                                 struct VECTOR arranged[3])
{
    const uint32_t *s = sides->above;
    uint32_t lone0 = (s[0] ^ s[1]) & (s[0] ^ s[2]), lone1 = ~lone0 & (s[1] ^ s[0]) & (s[1] ^ s[2]);
    struct VECTOR next = LANE3(choose)(lone0, corner[1], LANE3(choose)(lone1, corner[2], corner[0]));
    struct VECTOR last = LANE3(choose)(lone0, corner[2], LANE3(choose)(lone1, corner[0], corner[1]));
    arranged[0] = LANE3(choose)(lone0, corner[0], LANE3(choose)(lone1, corner[1], corner[2]));
    arranged[1] = LANE3(choose)(turn, last, next);
    arranged[2] = LANE3(choose)(turn, next, last);
}

/* Lanes in which two corners are above, so that the lone one is below. */
static inline uint32_t LANE(lone_below)(const struct LANE(sides) * sides)
{
    const uint32_t *s = sides->above;
    return (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]);
}

/* Some direction across an edge within the plane of the first triangle keeps the two apart. */
static inline uint32_t LANE(apart_across_edges)(const struct VECTOR own[3], const struct VECTOR other[3])
{
    struct VECTOR p[6];
    for (int k = 0; k < 3; k++) {
        p[k] = LANE3(subtract)(own[k], own[0]);
        p[3 + k] = LANE3(subtract)(other[k], own[0]);
    }
    struct VECTOR normal = LANE3(cross)(p[1], p[2]), largest3 = LANE3(absolute)(p[1]);
    for (int k = 2; k < 6; k++) {
        largest3 = LANE3(most)(largest3, LANE3(absolute)(p[k]));
    }
    WIDE largest = LANE(most)(LANE(most)(largest3.x, largest3.y), largest3.z);
    uint32_t apart = 0;
    for (int edge = 0; edge < 3; edge++) {
        struct VECTOR across = LANE3(cross)(LANE3(subtract)(p[edge == 2 ? 0 : edge + 1], p[edge]), normal);
        struct VECTOR size = LANE3(absolute)(across);
        WIDE value[6];
        for (int k = 0; k < 6; k++) {
            value[k] = LANE3(dot)(across, p[k]);
        }
        WIDE lo = LANE(least)(LANE(least)(value[3], value[4]), value[5]),
             hi = LANE(most)(LANE(most)(value[3], value[4]), value[5]);
        WIDE own_lo = LANE(least)(LANE(least)(value[0], value[1]), value[2]);
        WIDE own_hi = LANE(most)(LANE(most)(value[0], value[1]), value[2]);
        WIDE bound = LANE(range_bound)(LANE(add)(LANE(add)(size.x, size.y), size.z), largest);
        apart |= LANE(less)(bound, LANE(subtract)(lo, own_hi)) | LANE(less)(bound, LANE(subtract)(own_lo, hi));
    }
    return apart;
}

static inline struct narrow_signs LANE(narrow)(const struct VECTOR a[3], const struct VECTOR b[3])
{
    struct LANE(sides) of_b = LANE(sides_of)(a, b), of_a = LANE(sides_of)(b, a);
    uint32_t apart = (of_a.above[0] & of_a.above[1] & of_a.above[2]) | (of_a.below[0] & of_a.below[1] & of_a.below[2]) |
                     (of_b.above[0] & of_b.above[1] & of_b.above[2]) | (of_b.below[0] & of_b.below[1] & of_b.below[2]);
    uint32_t sure = LANE_ALL;
    for (int k = 0; k < 3; k++) {
        sure &= (of_a.above[k] | of_a.below[k]) & (of_b.above[k] | of_b.below[k]);
    }
    uint32_t crossing = 0;
    if (sure & ~apart) {
        struct VECTOR x[3], y[3];
        uint32_t first_above, first_below, second_above, second_below;
        LANE(arrange)(a, &of_a, LANE(lone_below)(&of_b), x);
        LANE(arrange)(b, &of_b, LANE(lone_below)(&of_a), y);
        LANE(orientation)(x[0], x[1], y[0], y[1], &first_above, &first_below);
        LANE(orientation)(x[0], x[2], y[0], y[2], &second_above, &second_below);
        crossing = sure & ~apart & first_below & second_above;
        apart |= sure & (first_above | second_below);
    }
    if (LANE_ALL & ~sure & ~apart) {
        apart |= ~sure & LANE(apart_across_edges)(a, b);
        apart |= ~sure & LANE(apart_across_edges)(b, a);
    }
    return (struct narrow_signs){apart & LANE_ALL, crossing};
}
