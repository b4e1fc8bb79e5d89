/* The text of the strand kernels for any number of lanes; strand_kernels.h has the proof. Included behind a lanes
 * header. */
#include "structures/strands/kernels/strand_kernels.h"

static const uint8_t rows_of_a[16] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3};
static const uint8_t columns_of_b[16] = {0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3, 0, 1, 2, 3};

/* Four numbers spread over sixteen lanes. */
static inline floats16 spread(const float *four, const uint8_t places[16])
{
#if FLOATS == 16 /* four rows of the packet are one register; the first of it is picked */
    float table[16] = {four[0], four[1], four[2], four[3]};
    return floats16_pick(floats_table16_load(table), floats16_index_load(places));
#else
    float lanes[16];
    for (int i = 0; i < 16; i++) {
        lanes[i] = four[places[i]];
    }
    return floats16_load_any(lanes);
#endif
}

struct spread_packet {
    struct floats16x3 start, along;
    floats16 radius, length; /* length: |u|_1 */
};

static inline floats16 one_norm(struct floats16x3 a)
{
    struct floats16x3 b = floats16x3_absolute(a);
    return floats16_add(floats16_add(b.x, b.y), b.z);
}

static inline struct spread_packet spread_packet(const struct strand_packet *packet, const uint8_t places[16],
                                                 const float shift[3])
{
    struct spread_packet all;
    all.start = (struct floats16x3){floats16_add(spread(packet->start[0], places), floats16_set(shift[0])),
                                    floats16_add(spread(packet->start[1], places), floats16_set(shift[1])),
                                    floats16_add(spread(packet->start[2], places), floats16_set(shift[2]))};
    struct floats16x3 end = {floats16_add(spread(packet->end[0], places), floats16_set(shift[0])),
                             floats16_add(spread(packet->end[1], places), floats16_set(shift[1])),
                             floats16_add(spread(packet->end[2], places), floats16_set(shift[2]))};
    all.along = floats16x3_subtract(end, all.start);
    all.radius = spread(packet->start[3], places);
    all.length = one_norm(all.along);
    return all;
}

/* A quotient cut to [0, 1]. */
static inline floats16 place(floats16 over, floats16 under)
{
    floats16 quotient = floats16_divide(over, floats16_most(under, floats16_set(0x1p-126f)));
    return floats16_least(floats16_most(quotient, floats16_set(0)), floats16_set(1));
}

/* What the tangent falls at most towards either end: slope * s towards 0, -slope * (1 - s) towards 1. */
static inline floats16 fall(floats16 slope, floats16 s)
{
    floats16 back = floats16_multiply(slope, s);
    return floats16_most(back, floats16_subtract(back, slope));
}

static inline struct packet_signs test_pair(const struct spread_packet *a, const struct spread_packet *b, float reach)
{
    const floats16 zero = floats16_set(0);
    struct floats16x3 w = floats16x3_subtract(a->start, b->start);
    floats16 uu = floats16x3_dot(a->along, a->along), uv = floats16x3_dot(a->along, b->along),
             vv = floats16x3_dot(b->along, b->along), uw = floats16x3_dot(a->along, w),
             vw = floats16x3_dot(b->along, w);
    floats16 s = place(floats16_subtract(floats16_multiply(uv, vw), floats16_multiply(vv, uw)),
                       floats16_subtract(floats16_multiply(uu, vv), floats16_multiply(uv, uv)));
    floats16 t = place(floats16_add(floats16_multiply(uv, s), vw), vv);
    s = place(floats16_subtract(floats16_multiply(uv, t), uw), uu);
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
    for (uint32_t i = 0; i < count; i++) {
        const struct strand_packet *b = &packets[others[i]];
        float shift[3], reach = b->extent + shift_between(a, b, shift);
        if (i + 4 < count) {
            __builtin_prefetch(&packets[others[i + 4]]);
            __builtin_prefetch((const char *)&packets[others[i + 4]] + 64);
        }
        reach = (reach > a->extent ? reach : a->extent) * (1 + 0x1p-20f);
        const struct spread_packet spread_b = spread_packet(b, columns_of_b, shift);
        signs[i] = test_pair(&spread_a, &spread_b, reach);
    }
}

#define STRAND_KERNELS_ROW                                                                                             \
    {                                                                                                                  \
        .test = test_packets                                                                                           \
    }
