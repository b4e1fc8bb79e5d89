/* Candidates in doubles, written once over the lanes of simd/lanes.h. Included by pair_kernels_<isa>.c. See
 * pair_kernels.h for what is decided, and for the bounds. */
#include <math.h>

#include "geometry/predicates/kernels/pair_kernels.h"

#define PAIR_SINGLE (48.0 * 0x1p-53)
#define PAIR_FOURFOLD (272.0 * 0x1p-53)
#define PAIR_FLOOR 0x1p-760
#define PAIR_LARGEST 0x1p300

#define PAIR_INLINE static inline __attribute__((always_inline))

/* ---- corners ----------------------------------------------------------------------------------------------------- */

PAIR_INLINE void load_corners(const struct pair_rows *rows, int at, int count, struct doubles3 *corners)
{
    for (int k = 0; k < count; k++) {
        doubles columns[4];
        doubles_columns4(&rows->corner[k][at], columns);
        corners[k] = (struct doubles3){columns[0], columns[1], columns[2]};
    }
}

PAIR_INLINE doubles_mask same_point(struct doubles3 p, struct doubles3 q)
{
    return doubles_mask_and(doubles_mask_and(doubles_equal(p.x, q.x), doubles_equal(p.y, q.y)),
                            doubles_equal(p.z, q.z));
}

/* ---- bounds ------------------------------------------------------------------------------------------------------ */

PAIR_INLINE struct doubles3 larger(struct doubles3 largest, struct doubles3 difference)
{
    return doubles3_most(largest, doubles3_absolute(difference));
}

/* XYZ of the largest differences; infinite where one is too large. */
PAIR_INLINE doubles box_volume(struct doubles3 largest)
{
    doubles_mask small = doubles_less_equal(doubles3_largest(largest), doubles_set(PAIR_LARGEST));
    return doubles_choose(small, (largest.x * largest.y) * largest.z, doubles_set(INFINITY));
}

PAIR_INLINE doubles bound_of(doubles volume, double factor)
{
    return volume * doubles_set(factor) + doubles_set(PAIR_FLOOR);
}

/* A sign: certainly above 0, certainly below. */
struct lane_sign {
    doubles_mask above, below;
};

PAIR_INLINE struct lane_sign sign_of(doubles value, doubles bound)
{
    return (struct lane_sign){doubles_less(bound, value), doubles_less(value, -bound)};
}

PAIR_INLINE doubles_mask either(doubles_mask a, doubles_mask b)
{
    return doubles_mask_or(a, b);
}

PAIR_INLINE doubles_mask both(doubles_mask a, doubles_mask b)
{
    return doubles_mask_and(a, b);
}

PAIR_INLINE doubles_mask differ(doubles_mask a, doubles_mask b)
{
    return either(doubles_mask_and_not(a, b), doubles_mask_and_not(b, a));
}

/* ---- tetrahedra -------------------------------------------------------------------------------------------------- */

/* Edges from the first corner, the planes through it, and the volume. */
struct lane_cell {
    struct doubles3 origin, edge[3], normal[3], largest;
    doubles volume;
};

PAIR_INLINE struct lane_cell cell_of(const struct doubles3 corner[4])
{
    struct lane_cell cell = {.origin = corner[0]};
    for (int k = 0; k < 3; k++) {
        cell.edge[k] = doubles3_subtract(corner[k + 1], corner[0]);
    }
    cell.largest = doubles3_absolute(cell.edge[0]);
    cell.largest = larger(larger(cell.largest, cell.edge[1]), cell.edge[2]);
    cell.normal[0] = doubles3_cross(cell.edge[1], cell.edge[2]);
    cell.normal[1] = doubles3_cross(cell.edge[2], cell.edge[0]);
    cell.normal[2] = doubles3_cross(cell.edge[0], cell.edge[1]);
    cell.volume = doubles3_dot(cell.edge[0], cell.normal[0]);
    return cell;
}

/* Sides of a point, given from the first corner, of the planes opposite corners 0 to 3: of the sign of the volume where it
 * is on the inner side. */
PAIR_INLINE void sides_of_cell(const struct lane_cell *cell, struct doubles3 q, doubles side[4])
{
    for (int k = 0; k < 3; k++) {
        side[k + 1] = doubles3_dot(q, cell->normal[k]);
    }
    side[0] = (cell->volume - side[1]) - (side[2] + side[3]);
}

static struct pair_bits vertex_cell(const struct pair_rows *rows, bool touching)
{
    struct pair_bits bits = {0};
    for (int at = 0; at < PAIR_BATCH; at += DOUBLES) {
        struct doubles3 corner[5];
        load_corners(rows, at, 5, corner);
        struct lane_cell cell = cell_of(corner + 1);
        struct doubles3 q = doubles3_subtract(corner[0], cell.origin);
        doubles volume = box_volume(larger(cell.largest, q)), side[4];
        doubles single = bound_of(volume, PAIR_SINGLE), fourfold = bound_of(volume, PAIR_FOURFOLD);
        sides_of_cell(&cell, q, side);
        struct lane_sign first = sign_of(side[0], fourfold);
        doubles_mask some_above = first.above, some_below = first.below;
        doubles_mask all_above = first.above, all_below = first.below;
        for (int k = 1; k < 4; k++) {
            struct lane_sign sign = sign_of(side[k], single);
            some_above = either(some_above, sign.above);
            some_below = either(some_below, sign.below);
            all_above = both(all_above, sign.above);
            all_below = both(all_below, sign.below);
        }
        /* Inside all four have the sign of the volume, on the closed cell none has the other one. */
        doubles_mask apart = both(some_above, some_below);
        for (int k = 1; k < 5 && !touching; k++) {
            apart = either(apart, same_point(corner[0], corner[k]));
        }
        bits.apart |= doubles_mask_bits(apart) << at;
        bits.meet |= doubles_mask_bits(either(all_above, all_below)) << at;
    }
    return bits;
}

/* Turns the planes so that their inner side is above; returns where the sign of the volume is certain. */
PAIR_INLINE doubles_mask turn_inwards(struct lane_cell *cell, doubles bound)
{
    doubles_mask inverted = doubles_less(cell->volume, doubles_set(0));
    doubles sign = doubles_choose(inverted, doubles_set(-1.0), doubles_set(1.0));
    for (int k = 0; k < 3; k++) {
        cell->normal[k] = doubles3_scale(cell->normal[k], sign);
    }
    cell->volume = cell->volume * sign;
    return doubles_less(bound, cell->volume);
}

/* What the corners of a face have said so far about the four planes of a cell. */
struct plane_tally {
    doubles_mask all_outside[4], some_inner[4]; /* by plane */
    doubles_mask inside;                        /* some corner is inside of all planes */
    doubles_mask none_inside;                   /* each corner is certainly not inside of some plane */
};

/* outside: on the plane or beyond it, where it is certain. */
PAIR_INLINE void tally_corner(struct plane_tally *tally, const doubles_mask inner[4], const doubles_mask outside[4])
{
    for (int plane = 0; plane < 4; plane++) {
        tally->all_outside[plane] = both(tally->all_outside[plane], outside[plane]);
        tally->some_inner[plane] = either(tally->some_inner[plane], inner[plane]);
    }
    tally->inside = either(tally->inside, both(both(inner[0], inner[1]), both(inner[2], inner[3])));
    tally->none_inside =
        both(tally->none_inside, either(either(outside[0], outside[1]), either(outside[2], outside[3])));
}

/* A corner of the face that is a corner of the cell lies on the three planes through it. */
PAIR_INLINE void put_on_planes(struct doubles3 p, const struct doubles3 cell[4], doubles_mask outside[4])
{
    doubles_mask same[4];
    for (int k = 0; k < 4; k++) {
        same[k] = same_point(p, cell[k]);
    }
    doubles_mask front = either(same[0], same[1]), back = either(same[2], same[3]);
    outside[0] = either(outside[0], either(same[1], back));
    outside[1] = either(outside[1], either(same[0], back));
    outside[2] = either(outside[2], either(same[3], front));
    outside[3] = either(outside[3], either(same[2], front));
}

static struct pair_bits face_cell(const struct pair_rows *rows, bool touching)
{
    struct pair_bits bits = {0};
    const doubles_mask all = doubles_mask_all(), none = doubles_mask_nothing();
    for (int at = 0; at < PAIR_BATCH; at += DOUBLES) {
        struct doubles3 corner[7], q[3];
        load_corners(rows, at, 7, corner);
        struct lane_cell cell = cell_of(corner + 3);
        struct doubles3 largest = cell.largest;
        for (int k = 0; k < 3; k++) {
            q[k] = doubles3_subtract(corner[k], cell.origin);
            largest = larger(largest, q[k]);
        }
        doubles volume = box_volume(largest);
        doubles single = bound_of(volume, PAIR_SINGLE), fourfold = bound_of(volume, PAIR_FOURFOLD);
        doubles_mask proper = turn_inwards(&cell, single);
        struct plane_tally tally = {{all, all, all, all}, {none, none, none, none}, none, all};
        for (int k = 0; k < 3; k++) {
            doubles side[4];
            doubles_mask inner[4], outside[4];
            sides_of_cell(&cell, q[k], side);
            for (int plane = 0; plane < 4; plane++) {
                struct lane_sign sign = sign_of(side[plane], plane == 0 ? fourfold : single);
                inner[plane] = sign.above;
                outside[plane] = sign.below;
            }
            if (!touching) {
                put_on_planes(corner[k], corner + 3, outside);
            }
            tally_corner(&tally, inner, outside);
        }
        doubles_mask apart = either(either(tally.all_outside[0], tally.all_outside[1]),
                                    either(tally.all_outside[2], tally.all_outside[3]));
        doubles_mask mixed =
            both(both(tally.some_inner[0], tally.some_inner[1]), both(tally.some_inner[2], tally.some_inner[3]));
        doubles_mask uncut = doubles_mask_and_not(both(mixed, tally.none_inside), apart);
        bits.apart |= doubles_mask_bits(both(proper, apart)) << at;
        bits.meet |= doubles_mask_bits(both(proper, doubles_mask_and_not(tally.inside, apart))) << at;
        bits.uncut |= doubles_mask_bits(both(proper, uncut)) << at;
    }
    return bits;
}

/* ---- the cut of a cell with the plane of a face ------------------------------------------------------------------- */

/* Corners of the cell: above the plane of the face, below or in it; and which edges of the face have the corner as an end.
 */
struct lane_cut {
    doubles_mask above[4], low[4], on_edge[4][3];
};

/* Two corners of the cell, first against second: those where an edge of the face certainly has their corner of the cut
 * inside, and those where it certainly has not. */
PAIR_INLINE void compare_cut(const struct lane_cut *cut, int i, int j, int edge, struct lane_sign sign,
                             doubles_mask *inside, doubles_mask *outside)
{
    doubles_mask rising = both(cut->low[i], cut->above[j]), falling = both(cut->above[i], cut->low[j]);
    doubles_mask zero = either(cut->on_edge[i][edge], cut->on_edge[j][edge]);
    doubles_mask in = either(both(rising, sign.above), both(falling, sign.below));
    doubles_mask out = either(both(rising, either(sign.below, zero)), both(falling, either(sign.above, zero)));
    *inside = either(*inside, in);
    *outside = both(*outside, either(out, doubles_mask_not(either(rising, falling))));
}

/* Where the cut certainly has corners inside of each edge of the face, and where it certainly has none inside of one. p
 * and q: the face from its first corner; s: the cell; height: of s over the plane. */
PAIR_INLINE struct lane_sign compare_edges_with_cut(const struct lane_cut *cut, struct doubles3 p, struct doubles3 q,
                                                    const struct doubles3 s[4], const doubles height[4], doubles volume)
{
    const doubles single = bound_of(volume, PAIR_SINGLE), fourfold = bound_of(volume, PAIR_FOURFOLD);
    doubles_mask inside[3], outside[3];
    for (int edge = 0; edge < 3; edge++) {
        inside[edge] = doubles_mask_nothing();
        outside[edge] = doubles_mask_all();
    }
    for (int i = 0; i < 3; i++) {
        for (int j = i + 1; j < 4; j++) {
            struct doubles3 moment = doubles3_cross(s[i], s[j]);
            doubles of_p = doubles3_dot(p, moment), of_q = doubles3_dot(q, moment);
            doubles between = (of_q - of_p) + (height[j] - height[i]);
            compare_cut(cut, i, j, 0, sign_of(of_p, single), &inside[0], &outside[0]);
            compare_cut(cut, i, j, 1, sign_of(between, fourfold), &inside[1], &outside[1]);
            compare_cut(cut, i, j, 2, sign_of(-of_q, single), &inside[2], &outside[2]);
        }
    }
    return (struct lane_sign){both(both(inside[0], inside[1]), inside[2]),
                              either(either(outside[0], outside[1]), outside[2])};
}

static struct pair_bits face_cell_cut(const struct pair_rows *rows, bool touching)
{
    struct pair_bits bits = {0};
    for (int at = 0; at < PAIR_BATCH; at += DOUBLES) {
        struct doubles3 corner[7], s[4];
        load_corners(rows, at, 7, corner);
        struct doubles3 p = doubles3_subtract(corner[1], corner[0]), q = doubles3_subtract(corner[2], corner[0]);
        struct doubles3 normal = doubles3_cross(p, q), largest = larger(doubles3_absolute(p), q);
        for (int k = 0; k < 4; k++) {
            s[k] = doubles3_subtract(corner[3 + k], corner[0]);
            largest = larger(largest, s[k]);
        }
        doubles volume = box_volume(largest), bound = bound_of(volume, PAIR_SINGLE), height[4];
        doubles_mask some_above = doubles_mask_nothing(), some_below = some_above;
        doubles_mask none_above = doubles_mask_all(), none_below = none_above;
        struct lane_cut cut;
        for (int k = 0; k < 4; k++) {
            doubles_mask same[3] = {doubles_mask_nothing(), doubles_mask_nothing(), doubles_mask_nothing()};
            for (int m = 0; m < 3 && !touching; m++) {
                same[m] = same_point(corner[3 + k], corner[m]);
            }
            for (int m = 0; m < 3; m++) {
                cut.on_edge[k][m] = either(same[m], same[(m + 1) % 3]);
            }
            doubles_mask on = either(either(same[0], same[1]), same[2]);
            height[k] = doubles3_dot(normal, s[k]);
            struct lane_sign sign = sign_of(height[k], bound);
            cut.above[k] = sign.above;
            cut.low[k] = either(sign.below, on);
            some_above = either(some_above, sign.above);
            some_below = either(some_below, sign.below);
            none_above = both(none_above, cut.low[k]);
            none_below = both(none_below, either(sign.above, on));
        }
        doubles_mask apart = either(both(none_above, some_below), both(none_below, some_above));
        doubles_mask known = both(both(either(cut.above[0], cut.low[0]), either(cut.above[1], cut.low[1])),
                                  both(either(cut.above[2], cut.low[2]), either(cut.above[3], cut.low[3])));
        doubles_mask straddling = both(known, both(some_above, some_below));
        if (!doubles_mask_none(straddling)) {
            struct lane_sign found = compare_edges_with_cut(&cut, p, q, s, height, volume);
            apart = either(apart, both(straddling, found.below));
            bits.meet |= doubles_mask_bits(both(straddling, found.above)) << at;
        }
        bits.apart |= doubles_mask_bits(apart) << at;
    }
    return bits;
}

/* ---- two faces --------------------------------------------------------------------------------------------------- */

/* Corners of a face by the plane of the other one. */
struct lane_sides {
    doubles_mask above[3], on[3];
    doubles_mask one_sided;  /* some corner certainly off the plane, and all on its side or in the plane */
    doubles_mask straddling; /* all signs certain, corners strictly on both sides */
};

/* `on` is given. */
PAIR_INLINE void find_sides(const struct doubles3 plane[3], const struct doubles3 corner[3], struct lane_sides *sides)
{
    struct doubles3 e = doubles3_subtract(plane[1], plane[0]), f = doubles3_subtract(plane[2], plane[0]), d[3];
    struct doubles3 normal = doubles3_cross(e, f), largest = larger(doubles3_absolute(e), f);
    for (int k = 0; k < 3; k++) {
        d[k] = doubles3_subtract(corner[k], plane[0]);
        largest = larger(largest, d[k]);
    }
    const doubles bound = bound_of(box_volume(largest), PAIR_SINGLE);
    doubles_mask some_above = doubles_mask_nothing(), some_below = some_above;
    doubles_mask all_above = doubles_mask_all(), all_below = all_above, known = all_above;
    for (int k = 0; k < 3; k++) {
        struct lane_sign sign = sign_of(doubles3_dot(d[k], normal), bound);
        sides->above[k] = sign.above;
        some_above = either(some_above, sign.above);
        some_below = either(some_below, sign.below);
        all_above = both(all_above, either(sign.above, sides->on[k]));
        all_below = both(all_below, either(sign.below, sides->on[k]));
        known = both(known, either(either(sign.above, sign.below), sides->on[k]));
    }
    sides->one_sided = either(both(all_above, some_above), both(all_below, some_below));
    sides->straddling = both(known, both(some_above, some_below));
}

/* Lanes of a straddling face in which two corners are above, so that the one alone is below. */
PAIR_INLINE doubles_mask lone_is_below(const struct lane_sides *sides)
{
    const doubles_mask *s = sides->above;
    return either(both(s[0], s[1]), either(both(s[0], s[2]), both(s[1], s[2])));
}

/* Puts the corner that is alone strictly on its side first, and turns the face over where `turn` says so
 * (triangle_sides.h). A corner in the plane counts with those below: then the one above is alone, or else two are above
 * and the third is strictly below. */
PAIR_INLINE void arrange(const struct doubles3 corner[3], const struct lane_sides *sides, doubles_mask turn,
                         struct doubles3 arranged[3])
{
    doubles_mask below = lone_is_below(sides);
    doubles_mask lone0 = differ(below, sides->above[0]), lone1 = differ(below, sides->above[1]);
    struct doubles3 next = doubles3_choose(lone0, corner[1], doubles3_choose(lone1, corner[2], corner[0]));
    struct doubles3 last = doubles3_choose(lone0, corner[2], doubles3_choose(lone1, corner[0], corner[1]));
    arranged[0] = doubles3_choose(lone0, corner[0], doubles3_choose(lone1, corner[1], corner[2]));
    arranged[1] = doubles3_choose(turn, last, next);
    arranged[2] = doubles3_choose(turn, next, last);
}

PAIR_INLINE struct lane_sign orientation(struct doubles3 a, struct doubles3 b, struct doubles3 c, struct doubles3 d)
{
    struct doubles3 e = doubles3_subtract(b, a), f = doubles3_subtract(c, a), g = doubles3_subtract(d, a);
    struct doubles3 largest = larger(larger(doubles3_absolute(e), f), g);
    return sign_of(doubles3_dot(g, doubles3_cross(e, f)), bound_of(box_volume(largest), PAIR_SINGLE));
}

/* Two faces that straddle each other's plane: above where they cross, below where they certainly do not. The intervals
 * they cut out of the common line of the planes overlap iff both orientations are strict; one of two equal corners is 0. */
PAIR_INLINE struct lane_sign compare_intervals(const struct doubles3 a[3], const struct lane_sides *of_a,
                                               const struct doubles3 b[3], const struct lane_sides *of_b, bool touching)
{
    struct doubles3 x[3], y[3];
    arrange(a, of_a, lone_is_below(of_b), x);
    arrange(b, of_b, lone_is_below(of_a), y);
    struct lane_sign first = orientation(x[0], x[1], y[0], y[1]), second = orientation(x[0], x[2], y[0], y[2]);
    doubles_mask apart = either(first.above, second.below);
    if (!touching) {
        apart = either(apart, either(same_point(x[1], y[1]), same_point(x[2], y[2])));
    }
    return (struct lane_sign){both(first.below, second.above), apart};
}

/* Some direction across an edge within the plane of the first face keeps the two apart (surface_kernels.h: the bound
 * is 10 u |w|_1 X for a direction w, made from 8 |w|_1 X, which is infinite before any product can be). */
PAIR_INLINE doubles_mask apart_across_edges(const struct doubles3 own[3], const struct doubles3 other[3])
{
    struct doubles3 p[6];
    for (int k = 0; k < 3; k++) {
        p[k] = doubles3_subtract(own[k], own[0]);
        p[3 + k] = doubles3_subtract(other[k], own[0]);
    }
    struct doubles3 normal = doubles3_cross(p[1], p[2]), largest = doubles3_absolute(p[1]);
    for (int k = 2; k < 6; k++) {
        largest = larger(largest, p[k]);
    }
    doubles reach = doubles3_largest(largest);
    doubles_mask apart = doubles_mask_nothing();
    for (int edge = 0; edge < 3; edge++) {
        struct doubles3 across = doubles3_cross(doubles3_subtract(p[edge == 2 ? 0 : edge + 1], p[edge]), normal);
        doubles value[6], size = doubles3_sum(doubles3_absolute(across));
        for (int k = 0; k < 6; k++) {
            value[k] = doubles3_dot(across, p[k]);
        }
        doubles lo = doubles_least(doubles_least(value[3], value[4]), value[5]),
                hi = doubles_most(doubles_most(value[3], value[4]), value[5]);
        doubles own_lo = doubles_least(doubles_least(value[0], value[1]), value[2]),
                own_hi = doubles_most(doubles_most(value[0], value[1]), value[2]);
        doubles bound = (size * doubles_set(8.0)) * reach * doubles_set(1.25 * 0x1p-53) + doubles_set(0x1p-900);
        apart = either(apart, either(doubles_less(bound, lo - own_hi), doubles_less(bound, own_lo - hi)));
    }
    return apart;
}

/* Where a face certainly has area. A component of the normal is a difference of two products with four roundings each:
 * wrong by at most 8 u YZ, 10 u taken. */
PAIR_INLINE doubles_mask has_area(const struct doubles3 a[3])
{
    struct doubles3 e = doubles3_subtract(a[1], a[0]), f = doubles3_subtract(a[2], a[0]);
    struct doubles3 size = doubles3_absolute(doubles3_cross(e, f)), largest = larger(doubles3_absolute(e), f);
    doubles reach = doubles3_largest(largest);
    doubles bound = bound_of(reach * reach, 10.0 * 0x1p-53);
    return both(doubles_less(bound, doubles3_largest(size)), doubles_less_equal(reach, doubles_set(PAIR_LARGEST)));
}

/* Corners of either face that are corners of the other. */
PAIR_INLINE void find_common_corners(const struct doubles3 a[3], const struct doubles3 b[3], struct lane_sides *of_a,
                                     struct lane_sides *of_b)
{
    for (int i = 0; i < 3; i++) {
        doubles_mask same[3] = {same_point(a[i], b[0]), same_point(a[i], b[1]), same_point(a[i], b[2])};
        of_a->on[i] = either(either(same[0], same[1]), same[2]);
        for (int k = 0; k < 3; k++) {
            of_b->on[k] = i == 0 ? same[k] : either(of_b->on[k], same[k]);
        }
    }
}

PAIR_INLINE doubles_mask all_common(const struct lane_sides *sides)
{
    return both(both(sides->on[0], sides->on[1]), sides->on[2]);
}

static struct pair_bits face_face(const struct pair_rows *rows, bool touching)
{
    struct pair_bits bits = {0};
    for (int at = 0; at < PAIR_BATCH; at += DOUBLES) {
        struct doubles3 corner[6], *a = corner, *b = corner + 3;
        struct lane_sides of_a, of_b;
        load_corners(rows, at, 6, corner);
        find_common_corners(a, b, &of_a, &of_b);
        doubles_mask same = both(all_common(&of_a), all_common(&of_b));
        for (int k = 0; k < 3 && touching; k++) {
            of_a.on[k] = of_b.on[k] = doubles_mask_nothing();
        }
        find_sides(a, b, &of_b);
        find_sides(b, a, &of_a);
        doubles_mask apart = either(of_a.one_sided, of_b.one_sided);
        doubles_mask straddling = both(of_a.straddling, of_b.straddling);
        if (!doubles_mask_none(straddling)) {
            struct lane_sign found = compare_intervals(a, &of_a, b, &of_b, touching);
            apart = either(apart, both(straddling, found.below));
            bits.meet |= doubles_mask_bits(both(straddling, found.above)) << at;
        }
        doubles_mask open = doubles_mask_not(either(either(apart, straddling), same));
        if (!doubles_mask_none(open)) {
            apart = either(apart, both(open, either(apart_across_edges(a, b), apart_across_edges(b, a))));
        }
        bits.apart |= doubles_mask_bits(apart) << at;
        if (!doubles_mask_none(same)) { /* the same three corners: in one plane, and common area if there is any */
            bits.coplanar |= doubles_mask_bits(both(same, has_area(a))) << at;
        }
    }
    return bits;
}

#define PAIR_KERNELS_ROW                                                                                               \
    {                                                                                                                  \
        {                                                                                                              \
            vertex_cell, face_cell, face_face, face_cell_cut                                                           \
        }                                                                                                              \
    }
