/* The text of the strand kernels for any number of lanes; strand_kernels.h has the proof. Included behind a lanes
 * header. */
#include "structures/strands/kernels/strand_kernels.h"

#include <math.h>
#include <string.h>

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
    floats16 radius, square;
};

static inline struct spread_packet spread_packet(const struct strand_packet *packet, const uint8_t places[4][16],
                                                 const float shift[3])
{
    struct spread_packet all;
    const floats_table16 start = floats_table16_load(packet->start[0]), along = floats_table16_load(packet->along[0]);
    const struct floats16x3 move = {floats16_set(shift[0]), floats16_set(shift[1]), floats16_set(shift[2])};
    all.start = floats16x3_add((struct floats16x3){spread(start, places, 0), spread(start, places, 1),
                                                   spread(start, places, 2)}, move);
    all.along =
        (struct floats16x3){spread(along, places, 0), spread(along, places, 1), spread(along, places, 2)};
    all.radius = spread(start, places, 3);
    all.square = floats16x3_dot(all.along, all.along);
    return all;
}

/* A place cut to [0, 1]; 0 where it is not a number. */
static inline floats16 place(floats16 at)
{
    return floats16_least(floats16_most(at, floats16_set(0)), floats16_set(1));
}

static inline struct packet_signs test_pair(const struct spread_packet *a, floats16 inverse_uu,
                                            const struct spread_packet *b, float reach, float sizes)
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
    /* Half of what the tangent falls at most: towards either end of a, towards either end of b. */
    floats16 f = floats16x3_dot(r, r), ur = floats16x3_dot(a->along, r), vr = floats16x3_dot(b->along, r);
    floats16 gap = floats16_add(floats16_subtract(floats16_multiply(ur, s), floats16_least(ur, zero)),
                                floats16_subtract(floats16_most(vr, zero), floats16_multiply(vr, t)));
    floats16 radii = floats16_add(a->radius, b->radius);
    floats16 inner = floats16_most(floats16_subtract(floats16_multiply(radii, floats16_set(1 - 0x1p-22f)),
                                                     floats16_set(0x1p-17f * reach)), zero);
    floats16 outer = floats16_add(floats16_multiply(radii, floats16_set(1 + 0x1p-22f)), floats16_set(0x1p-24f * reach));
    floats16 bound = floats16_add(floats16_multiply(outer, outer),
                                  floats16_set(96 * 0x1p-24f * reach * sizes + (0x1p-24f * reach * reach + 0x1p-120f)));
    floats16 least = floats16_subtract(floats16_multiply(floats16_set(1 - 0x1p-9f), f),
                                       floats16_multiply(floats16_set(2.002f), gap));
    uint32_t far = floats16_less(bound, least);
    uint32_t near = floats16_less(f, floats16_multiply(inner, inner));
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
    enum { AHEAD = 6 };
    const float none[3] = {0, 0, 0};
    const struct strand_packet *a = &packets[number];
    const struct spread_packet spread_a = spread_packet(a, rows_of_a, none);
    const floats16 inverse_uu = floats16_divide(floats16_set(1), floats16_most(spread_a.square, floats16_set(0x1p-40f)));
    for (uint32_t i = 0; i < count; i++) {
        const struct strand_packet *b = &packets[others[i]], *later = &packets[others[i + AHEAD < count ? i + AHEAD : i]];
        float shift[3], reach = b->extent + shift_between(a, b, shift);
        __builtin_prefetch(later);
        __builtin_prefetch((const char *)later + 64);
        reach = (reach > a->extent ? reach : a->extent) * (1 + 0x1p-20f);
        const struct spread_packet spread_b = spread_packet(b, columns_of_b, shift);
        signs[i] = test_pair(&spread_a, inverse_uu, &spread_b, reach, 6 * (1 + 0x1p-20f) * (a->extent + b->extent));
    }
}

/* ---- boxes -------------------------------------------------------------------------------------------------------- */

/* Lanes [at, at + FLOATS) in which a box meets the others along the axes [first, last), within a mask. */
static inline floats_mask meet_along(floats_mask meet, const struct packet_boxes *boxes, const struct axis_bounds *box,
                                     int first, int last, int at)
{
    for (int axis = first; axis < last; axis++) {
        meet = floats_less_equal_within(meet, floats_load(boxes->lo[axis] + at), floats_set(box->hi[axis]));
        meet = floats_less_equal_within(meet, floats_set(box->lo[axis]), floats_load(boxes->hi[axis] + at));
    }
    return meet;
}

static inline uint32_t meet_one(const struct packet_boxes *boxes, const struct axis_bounds *box)
{
    uint32_t found = 0;
    for (int at = 0; at < PACKET_ARITY; at += FLOATS) {
#if FLOATS == 16 /* three chains; to stop early would cost more */
        floats_mask first = meet_along(floats_mask_all(), boxes, box, 0, 3, at),
                    second = meet_along(floats_mask_all(), boxes, box, 3, 6, at),
                    third = meet_along(floats_mask_all(), boxes, box, 6, 9, at);
        found |= floats_mask_bits(floats_mask_and(floats_mask_and(first, second), third)) << at;
#else
        floats_mask meet = meet_along(floats_mask_all(), boxes, box, 0, 3, at);
        if (!floats_mask_none(meet)) {
            found |= floats_mask_bits(meet_along(meet, boxes, box, 3, PACKET_AXES, at)) << at;
        }
#endif
    }
    return found;
}

static uint32_t meet_boxes(const struct packet_boxes *boxes, const struct axis_bounds *box)
{
    return meet_one(boxes, box);
}

static void meet_each_box(const struct packet_boxes *boxes, const struct axis_bounds *each, uint32_t wanted,
                          uint32_t first, bool itself, uint32_t *const partners[PACKET_ARITY],
                          uint32_t counts[PACKET_ARITY])
{
    for (; wanted; wanted &= wanted - 1) {
        uint32_t i = (uint32_t)__builtin_ctz(wanted);
        uint32_t bits = meet_one(boxes, &each[i]) & (itself ? 0xFFFFu << i : 0xFFFFu);
        counts[i] += words_of_bits(partners[i] + counts[i], first, bits);
    }
}

/* ---- refit: plain loops over sixteen packets, which compilers turn into lanes --------------------------------------- */

#define EACH_PACKET for (int lane = 0; lane < PACKET_ARITY; lane++)

/* Sixteen packets while they are made: vertex by vertex, axis by axis. */
struct packet_columns {
    _Alignas(64) double scaled[PACKET_SEGMENTS + 1][3][PACKET_ARITY];
    double origin[3][PACKET_ARITY];
    float start[4][PACKET_SEGMENTS][PACKET_ARITY], along[3][PACKET_SEGMENTS][PACKET_ARITY];
    float extent[PACKET_ARITY];
};

static void scale_columns(const struct packet_refit *refit, struct packet_columns *columns)
{
    for (int v = 0; v <= PACKET_SEGMENTS; v++) {
        for (int axis = 0; axis < 3; axis++) {
            double *to = columns->scaled[v][axis], centre = refit->centre[axis];
            EACH_PACKET {
                to[lane] = refit->vertices[v][lane][axis];
            }
            EACH_PACKET {
                to[lane] = (to[lane] - centre) * refit->scale[0] * refit->scale[1];
            }
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        EACH_PACKET { /* a multiple of 2^-22 */
            columns->origin[axis][lane] = (columns->scaled[refit->middle[lane]][axis][lane] + 0x1.8p30) - 0x1.8p30;
        }
    }
}

static void place_columns(const struct packet_refit *refit, struct packet_columns *columns)
{
    EACH_PACKET {
        columns->extent[lane] = SMALLEST_EXTENT;
    }
    for (int axis = 0; axis < 3; axis++) {
        for (int v = 0; v <= PACKET_SEGMENTS; v++) {
            const double *at = columns->scaled[v][axis], *next = columns->scaled[v + (v < PACKET_SEGMENTS)][axis];
            float local[PACKET_ARITY];
            EACH_PACKET {
                local[lane] = (float)(at[lane] - columns->origin[axis][lane]);
                float size = local[lane] < 0 ? -local[lane] : local[lane];
                columns->extent[lane] = size > columns->extent[lane] ? size : columns->extent[lane];
            }
            for (int lane = 0; v < PACKET_SEGMENTS && lane < PACKET_ARITY; lane++) {
                columns->start[axis][v][lane] = local[lane];
                columns->along[axis][v][lane] = (float)(next[lane] - at[lane]);
            }
        }
    }
    memcpy(columns->start[3], refit->radii, sizeof refit->radii);
}

static void bound_columns(const struct packet_refit *refit, const struct packet_columns *columns,
                          struct packet_boxes *boxes)
{
    float by[PACKET_ARITY];
    EACH_PACKET {
        float largest = refit->radii[0][lane];
        for (int i = 1; i < PACKET_SEGMENTS; i++) {
            largest = refit->radii[i][lane] > largest ? refit->radii[i][lane] : largest;
        }
        by[lane] = largest * (1 + 0x1p-20f) + refit->slack;
    }
    for (int axis = 0; axis < PACKET_AXES; axis++) {
        float *lo = boxes->lo[axis], *hi = boxes->hi[axis], stretch = axis < 3 ? 1 : 1.4142137f;
        static const uint8_t first[PACKET_AXES] = {0, 1, 2, 0, 0, 1, 1, 2, 2}, second[6] = {1, 1, 2, 2, 0, 0};
        for (int v = 0; v <= PACKET_SEGMENTS; v++) {
            const double *x = columns->scaled[v][first[axis]], *y = columns->scaled[v][axis < 3 ? 0 : second[axis - 3]];
            float sign = axis < 3 ? 0 : axis % 2 ? 1 : -1;
            EACH_PACKET {
                float along = (float)x[lane] + sign * (float)y[lane];
                lo[lane] = v == 0 || along < lo[lane] ? along : lo[lane];
                hi[lane] = v == 0 || along > hi[lane] ? along : hi[lane];
            }
        }
        EACH_PACKET {
            lo[lane] = (uint32_t)lane < refit->count ? lo[lane] - by[lane] * stretch : INFINITY;
            hi[lane] = (uint32_t)lane < refit->count ? hi[lane] + by[lane] * stretch : -INFINITY;
        }
    }
}

/* The box around sixteen. */
static void bound_boxes(const struct packet_boxes *boxes, struct axis_bounds *around)
{
    for (int axis = 0; axis < PACKET_AXES; axis++) {
        around->lo[axis] = floats16_smallest(floats16_load(boxes->lo[axis]));
        around->hi[axis] = floats16_largest(floats16_load(boxes->hi[axis]));
    }
}

static void refit_packets(const struct packet_refit *refit, struct strand_packet *packets, struct packet_boxes *boxes,
                          struct axis_bounds *around)
{
    struct packet_columns columns;
    scale_columns(refit, &columns);
    place_columns(refit, &columns);
    bound_columns(refit, &columns, boxes);
    bound_boxes(boxes, around);
    for (uint32_t lane = 0; lane < refit->count; lane++) {
        struct strand_packet *packet = &packets[lane];
        for (int i = 0; i < PACKET_SEGMENTS; i++) {
            for (int axis = 0; axis < 4; axis++) {
                packet->start[axis][i] = columns.start[axis][i][lane];
            }
            for (int axis = 0; axis < 3; axis++) {
                packet->along[axis][i] = columns.along[axis][i][lane];
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            packet->origin[axis] = (float)columns.origin[axis][lane];
        }
        packet->extent = columns.extent[lane];
    }
}

#define STRAND_KERNELS_ROW                                                                                             \
    {                                                                                                                  \
        .test = test_packets, .meet = meet_boxes, .meet_each = meet_each_box, .refit = refit_packets                   \
    }
