/* The arithmetic of motion_boxes.h on lanes, one pair of boxes a lane: place b in the coordinates of a, then 15 axes.
 * What is what, and why it is conservative, is told in motion_volumes.h and motion_volumes.c. When all lanes are apart
 * the axes that are left are not looked at; what is said of lanes that are apart is not used, so this shows nowhere.
 * Over the doubles of simd/lanes.h, one to four a register. Included by motion_boxes_<isa>.c. */
#include <stddef.h>

#include "geometry/motion/motion_boxes.h"

struct box_lanes {
    doubles centre[3], half_extent[3], radius, reach, axes[9];
};

struct window_lanes {
    doubles first, last;
    doubles_mask apart, soon;
};

static inline doubles lanes_sum3(doubles a, doubles x, doubles b, doubles y, doubles c, doubles z)
{
    return a * x + b * y + c * z;
}

/* As volume_axes. */
static inline void axes_lanes(const doubles q[4], doubles axes[9])
{
    doubles w = q[0], x = q[1], y = q[2], z = q[3];
    doubles squares = w * w + x * x + (y * y + z * z);
    doubles s = doubles_set(2) / squares, one = doubles_set(1);
    doubles sx = s * x, sy = s * y, sz = s * z;
    doubles xx = sx * x, xy = sx * y, xz = sx * z;
    doubles yy = sy * y, yz = sy * z, zz = sz * z;
    doubles xw = sx * w, yw = sy * w, zw = sz * w;
    axes[0] = one - (yy + zz);
    axes[1] = xy - zw;
    axes[2] = xz + yw;
    axes[3] = xy + zw;
    axes[4] = one - (xx + zz);
    axes[5] = yz - xw;
    axes[6] = xz - yw;
    axes[7] = yz + xw;
    axes[8] = one - (xx + yy);
}

static inline void clip_lanes(doubles d, doubles q, doubles boxes, doubles rest, struct window_lanes *window)
{
    doubles size_d = doubles_absolute(d), size_q = doubles_absolute(q), extent = boxes + rest;
    doubles nearest = size_d - size_q;
    window->soon = doubles_mask_or(window->soon, doubles_less(boxes + doubles_set(0x1p-6) * rest, nearest));
    doubles_mask free = doubles_less(extent, size_d + size_q); /* the axis says something */
    window->apart = doubles_mask_or(window->apart, doubles_less(extent, nearest));
    doubles inverse = doubles_set(1) / q;
    doubles p = (doubles_set(0) - (extent + d)) * inverse;
    doubles r = (extent - d) * inverse;
    doubles enter = doubles_least(p, r), leave = doubles_most(p, r);
    window->first = doubles_choose(free, doubles_most(enter, window->first), window->first);
    window->last = doubles_choose(free, doubles_least(leave, window->last), window->last);
}

/* The edge axes only tell boxes apart; clipping the window by them as well does not pay for nine divisions. */
static inline void test_axis_lanes(doubles d, doubles q, doubles boxes, doubles rest, struct window_lanes *window)
{
    doubles nearest = doubles_absolute(d) - doubles_absolute(q);
    window->soon = doubles_mask_or(window->soon, doubles_less(boxes + doubles_set(0x1p-6) * rest, nearest));
    window->apart = doubles_mask_or(window->apart, doubles_less(boxes + rest, nearest));
}

/* b's centre, sweep and axes in the coordinates of a. */
static inline void place_lanes(const struct motion_piece *piece, const struct box_lanes *b, doubles centre[3],
                               doubles sweep[3], doubles axes[9])
{
    const double *m = piece->rotation, *rate = piece->rotation_rate;
    for (int i = 0; i < 3; i++) {
        doubles x = doubles_set(m[3 * i]), y = doubles_set(m[3 * i + 1]), z = doubles_set(m[3 * i + 2]);
        centre[i] = lanes_sum3(x, b->centre[0], y, b->centre[1], z, b->centre[2]) + doubles_set(piece->translation[i]);
        for (int j = 0; j < 3; j++) {
            axes[3 * i + j] = lanes_sum3(x, b->axes[j], y, b->axes[3 + j], z, b->axes[6 + j]);
        }
        x = doubles_set(rate[3 * i]);
        y = doubles_set(rate[3 * i + 1]);
        z = doubles_set(rate[3 * i + 2]);
        sweep[i] = doubles_set(piece->half) * (lanes_sum3(x, b->centre[0], y, b->centre[1], z, b->centre[2]) +
                                               doubles_set(piece->translation_rate[i]));
    }
}

/* In the coordinates of box a. */
struct pair_lanes {
    doubles r[9], size[9];               /* the axes of b, and their sizes */
    doubles d[3], s[3];                  /* from centre to centre; sweep */
    doubles w[3], size_w[3], size_wb[3]; /* spin, its size, its size along the axes of b */
};

/* The six axes of the faces. */
static inline void test_face_axes_lanes(const struct box_lanes *a, const struct box_lanes *b, const doubles apart[3],
                                        const doubles sweep[3], const doubles axes[9], const doubles spin[3],
                                        doubles rest, struct pair_lanes *pair, struct window_lanes *window)
{
    doubles *r = pair->r, *size = pair->size, *d = pair->d, *s = pair->s, *w = pair->w;
    doubles *size_w = pair->size_w, *size_wb = pair->size_wb;
    for (int i = 0; i < 3; i++) {
        w[i] = lanes_sum3(a->axes[i], spin[0], a->axes[3 + i], spin[1], a->axes[6 + i], spin[2]);
        size_w[i] = doubles_absolute(w[i]);
    }
    const doubles *ea = a->half_extent, *eb = b->half_extent;
    for (int i = 0; i < 3; i++) {
        doubles x = a->axes[i], y = a->axes[3 + i], z = a->axes[6 + i];
        d[i] = lanes_sum3(x, apart[0], y, apart[1], z, apart[2]);
        s[i] = lanes_sum3(x, sweep[0], y, sweep[1], z, sweep[2]);
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = lanes_sum3(x, axes[j], y, axes[3 + j], z, axes[6 + j]);
            size[3 * i + j] = doubles_absolute(r[3 * i + j]);
        }
        doubles extent = lanes_sum3(size[3 * i], eb[0], size[3 * i + 1], eb[1], size[3 * i + 2], eb[2]);
        extent = extent + (size_w[i == 0 ? 1 : 0] + size_w[i == 2 ? 1 : 2]);
        clip_lanes(d[i], s[i], ea[i] + extent, rest, window);
    }
    for (int j = 0; j < 3; j++) {
        size_wb[j] = doubles_absolute(lanes_sum3(r[j], w[0], r[3 + j], w[1], r[6 + j], w[2]));
    }
    for (int j = 0; j < 3; j++) {
        doubles extent = lanes_sum3(size[j], ea[0], size[3 + j], ea[1], size[6 + j], ea[2]);
        extent = extent + (size_wb[j == 0 ? 1 : 0] + size_wb[j == 2 ? 1 : 2]);
        clip_lanes(lanes_sum3(r[j], d[0], r[3 + j], d[1], r[6 + j], d[2]),
                   lanes_sum3(r[j], s[0], r[3 + j], s[1], r[6 + j], s[2]), extent + eb[j], rest, window);
    }
    window->apart = doubles_mask_or(window->apart, doubles_less(window->last, window->first));
}

/* The nine axes across two edges. */
static inline void test_edge_axes_lanes(const struct box_lanes *a, const struct box_lanes *b,
                                        const struct pair_lanes *pair, doubles rest, struct window_lanes *window)
{
    const doubles *r = pair->r, *size = pair->size, *d = pair->d, *s = pair->s;
    const doubles *ea = a->half_extent, *eb = b->half_extent;
    for (int i = 0; i < 3; i++) {
        int i1 = i == 2 ? 0 : i + 1, i2 = 3 - i - i1;
        for (int j = 0; j < 3; j++) {
            int j1 = j == 2 ? 0 : j + 1, j2 = 3 - j - j1;
            doubles p = r[3 * i1 + j], q = r[3 * i2 + j];
            doubles along = d[i2] * p - d[i1] * q;
            doubles swept = s[i2] * p - s[i1] * q;
            doubles extent = ea[i1] * size[3 * i2 + j] + ea[i2] * size[3 * i1 + j] +
                             (eb[j1] * size[3 * i + j2] + eb[j2] * size[3 * i + j1]);
            extent = extent + (pair->size_w[i] + pair->size_wb[j]);
            test_axis_lanes(along, swept, extent, rest, window);
        }
    }
}

static inline struct window_lanes test_box_lanes(const struct motion_piece *piece, const struct box_lanes *a,
                                                 const struct box_lanes *b, const struct piece_window *given,
                                                 doubles *rest_of_b)
{
    doubles centre[3], sweep[3], axes[9];
    place_lanes(piece, b, centre, sweep, axes);
    doubles rest = doubles_set(piece->translation_rest) + (doubles_set(piece->rotation_rest) * b->reach +
                                                           doubles_set(piece->half * piece->spin_rest) * b->radius);
    rest = rest * doubles_set(1 + 0x1p-40);
    *rest_of_b = rest;
    doubles spin[3], most_turn = doubles_set(piece->half * (1 + 0x1p-40)) * b->radius, turn = doubles_set(0);
    for (int k = 0; k < 3; k++) {
        spin[k] = most_turn * doubles_set(piece->spin[k]);
        turn = turn + doubles_absolute(spin[k]);
    }
    doubles length = doubles_absolute(sweep[0]) + doubles_absolute(sweep[1]) + doubles_absolute(sweep[2]);
    doubles radii = a->radius + b->radius;
    rest = rest * doubles_set(1 + 0x1p-40) + doubles_set(0x1p-46) * (radii + (length + turn));
    doubles apart[3];
    for (int k = 0; k < 3; k++) {
        apart[k] = centre[k] - a->centre[k];
    }
    doubles most = radii + length + rest;
    struct window_lanes window;
    window.first = doubles_set(given->first);
    window.last = doubles_set(given->last);
    window.apart = doubles_less(most * most * doubles_set(1 + 0x1p-40),
                                lanes_sum3(apart[0], apart[0], apart[1], apart[1], apart[2], apart[2]));
    window.soon = window.apart;
    if (doubles_mask_none(doubles_mask_not(window.apart))) {
        return window;
    }
    struct pair_lanes pair;
    test_face_axes_lanes(a, b, apart, sweep, axes, spin, rest, &pair, &window);
    if (!doubles_mask_none(doubles_mask_not(window.apart))) {
        test_edge_axes_lanes(a, b, &pair, rest, &window);
    }
    return window;
}

_Static_assert(offsetof(struct motion_volume, half_extent) == 3 * sizeof(double) &&
                   offsetof(struct motion_volume, radius) == 6 * sizeof(double) &&
                   offsetof(struct motion_volume, reach) == 7 * sizeof(double),
               "eight numbers in a row");

static inline struct box_lanes load_boxes(const struct motion_volume *const volumes[DOUBLES])
{
    const double *rows[DOUBLES];
    const float *turns[DOUBLES];
    doubles columns[8], turn[4];
    struct box_lanes box;
    for (int lane = 0; lane < DOUBLES; lane++) {
        rows[lane] = volumes[lane]->centre;
        turns[lane] = volumes[lane]->turn;
    }
    doubles_columns8(rows, columns);
    for (int k = 0; k < 3; k++) {
        box.centre[k] = columns[k];
        box.half_extent[k] = columns[3 + k];
    }
    box.radius = columns[6];
    box.reach = columns[7];
    doubles_columns4_of_floats(turns, turn);
    axes_lanes(turn, box.axes);
    return box;
}

static unsigned test_boxes(const struct motion_piece *piece, const struct motion_volume a[2],
                           const struct motion_volume b[2], const struct piece_window *window,
                           struct motion_box_result *result)
{
    unsigned apart = 0;
    result->soon = 0;
    for (unsigned pair = 0; pair < 4; pair += DOUBLES) {
        const struct motion_volume *of_a[DOUBLES], *of_b[DOUBLES];
        doubles rest;
        for (unsigned lane = 0; lane < DOUBLES; lane++) {
            of_a[lane] = &a[(pair + lane) % 2];
            of_b[lane] = &b[(pair + lane) / 2];
        }
        const struct box_lanes boxes_a = load_boxes(of_a), boxes_b = load_boxes(of_b);
        struct window_lanes got = test_box_lanes(piece, &boxes_a, &boxes_b, window, &rest);
        doubles_store_any(result->first + pair, got.first);
        doubles_store_any(result->last + pair, got.last);
        doubles_store_any(result->rest + pair, rest);
        result->soon |= doubles_mask_bits(got.soon) << pair;
        apart |= doubles_mask_bits(got.apart) << pair;
    }
    return apart;
}

#define MOTION_BOX_KERNELS_ROW                                                                                         \
    {                                                                                                                  \
        .test_boxes = test_boxes                                                                                       \
    }
