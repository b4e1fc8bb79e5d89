/* The text of the strand kernels for any number of lanes; strand_kernels.h has the proof. Included behind a lanes
 * header. */
#include "structures/strands/kernels/strand_kernels.h"

/* Four rows of four numbers, spread over sixteen lanes: rows of a packet a, columns of b. */
#define SPREAD_A(k)                                                                                                    \
    {                                                                                                                  \
        4 * k, 4 * k, 4 * k, 4 * k, 4 * k + 1, 4 * k + 1, 4 * k + 1, 4 * k + 1, 4 * k + 2, 4 * k + 2, 4 * k + 2,       \
            4 * k + 2, 4 * k + 3, 4 * k + 3, 4 * k + 3, 4 * k + 3                                                      \
    }
#define SPREAD_B(k)                                                                                                    \
    {                                                                                                                  \
        4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3, 4 * k, 4 * k + 1, 4 * k + 2,   \
            4 * k + 3, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3                                                          \
    }
static const uint8_t rows_of_a[4][16] = {SPREAD_A(0), SPREAD_A(1), SPREAD_A(2), SPREAD_A(3)};
static const uint8_t columns_of_b[4][16] = {SPREAD_B(0), SPREAD_B(1), SPREAD_B(2), SPREAD_B(3)};

static inline floats16 spread(floats_table16 rows, const uint8_t places[4][16], int row)
{
    return floats16_pick(rows, floats16_index_load(places[row]));
}

struct spread_packet {
    struct floats16x3 start, along;
    floats16 radius, length, square; /* length: |u|_1 */
};

static inline floats16 one_norm(struct floats16x3 a)
{
    struct floats16x3 b = floats16x3_absolute(a);
    return floats16_add(floats16_add(b.x, b.y), b.z);
}

static inline struct spread_packet spread_packet(const struct strand_packet *packet, const uint8_t places[4][16],
                                                 const float shift[3])
{
    struct spread_packet all;
    const floats_table16 start = floats_table16_load(packet->start[0]), end = floats_table16_load(packet->end[0]);
    const struct floats16x3 move = {floats16_set(shift[0]), floats16_set(shift[1]), floats16_set(shift[2])};
    all.start = floats16x3_add((struct floats16x3){spread(start, places, 0), spread(start, places, 1),
                                                   spread(start, places, 2)}, move);
    struct floats16x3 last = floats16x3_add(
        (struct floats16x3){spread(end, places, 0), spread(end, places, 1), spread(end, places, 2)}, move);
    all.along = floats16x3_subtract(last, all.start);
    all.radius = spread(start, places, 3);
    all.length = one_norm(all.along);
    all.square = floats16x3_dot(all.along, all.along);
    return all;
}

/* A place cut to [0, 1]; 0 where it is not a number. */
static inline floats16 place(floats16 at)
{
    return floats16_least(floats16_most(at, floats16_set(0)), floats16_set(1));
}

/* What the tangent falls at most towards either end: slope * s towards 0, -slope * (1 - s) towards 1. */
static inline floats16 fall(floats16 slope, floats16 s)
{
    floats16 back = floats16_multiply(slope, s);
    return floats16_most(back, floats16_subtract(back, slope));
}

static inline struct packet_signs test_pair(const struct spread_packet *a, floats16 inverse_uu,
                                            const struct spread_packet *b, float reach)
{
    const floats16 zero = floats16_set(0);
    struct floats16x3 w = floats16x3_subtract(a->start, b->start);
    floats16 uu = a->square, vv = b->square, uv = floats16x3_dot(a->along, b->along), uw = floats16x3_dot(a->along, w),
             vw = floats16x3_dot(b->along, w);
    /* One division for both quotients; what overflows becomes 0 or 1, which is as good a place as any. */
    floats16 area = floats16_most(floats16_subtract(floats16_multiply(uu, vv), floats16_multiply(uv, uv)),
                                  floats16_set(0x1p-80f)),
             least_vv = floats16_most(vv, floats16_set(0x1p-40f));
    floats16 inverse = floats16_divide(floats16_set(1), floats16_multiply(area, least_vv));
    floats16 s = place(floats16_multiply(
        floats16_subtract(floats16_multiply(uv, vw), floats16_multiply(vv, uw)), floats16_multiply(inverse, least_vv)));
    floats16 t = place(floats16_multiply(floats16_add(floats16_multiply(uv, s), vw), floats16_multiply(inverse, area)));
    s = place(floats16_multiply(floats16_subtract(floats16_multiply(uv, t), uw), inverse_uu));
    struct floats16x3 r = floats16x3_subtract(floats16x3_add(w, floats16x3_scale(a->along, s)),
                                              floats16x3_scale(b->along, t));
    floats16 f = floats16x3_dot(r, r), two = floats16_set(2);
    floats16 slope_s = floats16_multiply(two, floats16x3_dot(a->along, r)),
             slope_t = floats16_subtract(zero, floats16_multiply(two, floats16x3_dot(b->along, r)));
    floats16 gap = floats16_add(fall(slope_s, s), fall(slope_t, t));
    floats16 radii = floats16_add(a->radius, b->radius);
    floats16 inner = floats16_most(floats16_subtract(floats16_multiply(radii, floats16_set(1 - 0x1p-22f)),
                                                     floats16_set(0x1p-17f * reach)),
                                   floats16_set(-1));
    floats16 outer = floats16_add(floats16_multiply(radii, floats16_set(1 + 0x1p-22f)), floats16_set(0x1p-24f * reach));
    floats16 bound = floats16_add(
        floats16_multiply(outer, outer),
        floats16_add(floats16_multiply(floats16_set(96 * 0x1p-24f * reach), floats16_add(a->length, b->length)),
                     floats16_set(0x1p-24f * reach * reach + 0x1p-120f)));
    floats16 least = floats16_subtract(floats16_multiply(floats16_set(1 - 0x1p-9f), f),
                                       floats16_multiply(floats16_set(1.001f), gap));
    uint32_t far = floats16_less(bound, least);
    uint32_t near = floats16_less(zero, inner) & floats16_less(f, floats16_multiply(inner, inner));
    return (struct packet_signs){(uint16_t)near, (uint16_t)(~(far | near) & 0xFFFF)};
}

/* The largest difference of origins on an axis. */
static inline float shift_between(const struct strand_packet *a, const struct strand_packet *b, float shift[3])
{
    float largest = 0;
    for (int axis = 0; axis < 3; axis++) {
        shift[axis] = b->origin[axis] - a->origin[axis]; /* exact */
        float size = shift[axis] < 0 ? -shift[axis] : shift[axis];
        largest = size > largest ? size : largest;
    }
    return largest;
}

static void test_packets(const struct strand_packet *packets, uint32_t number, const uint32_t *others, uint32_t count,
                         struct packet_signs *signs)
{
    const float none[3] = {0, 0, 0};
    const struct strand_packet *a = &packets[number];
    const struct spread_packet spread_a = spread_packet(a, rows_of_a, none);
    const floats16 inverse_uu = floats16_divide(floats16_set(1), floats16_most(spread_a.square, floats16_set(0x1p-40f)));
    for (uint32_t i = 0; i < count; i++) {
        const struct strand_packet *b = &packets[others[i]];
        float shift[3], reach = b->extent + shift_between(a, b, shift);
        if (i + 4 < count) {
            __builtin_prefetch(&packets[others[i + 4]]);
            __builtin_prefetch((const char *)&packets[others[i + 4]] + 64);
        }
        reach = (reach > a->extent ? reach : a->extent) * (1 + 0x1p-20f);
        const struct spread_packet spread_b = spread_packet(b, columns_of_b, shift);
        signs[i] = test_pair(&spread_a, inverse_uu, &spread_b, reach);
    }
}

#define STRAND_KERNELS_ROW                                                                                             \
    {                                                                                                                  \
        .test = test_packets                                                                                           \
    }
