/* The arithmetic of motion_boxes.h on lanes, one pair of boxes a lane: place b in the coordinates of a, then 15 axes.
 * What is what, and why it is conservative, is told in motion_volumes.h and motion_volumes.c. When all lanes are apart
 * the axes that are left are not looked at; what is said of lanes that are apart is not used, so this shows nowhere.
 *
 * The includer has defined lanes, lane_mask and the operations lanes_set ... mask_or as in double_lanes_scalar.h, and
 * mask_all. */
#ifndef DENT_GEOMETRY_MOTION_BOX_LANES_H
#define DENT_GEOMETRY_MOTION_BOX_LANES_H

struct box_lanes {
    lanes centre[3], half_extent[3], radius, reach, axes[9];
};

struct window_lanes {
    lanes first, last;
    lane_mask apart, soon;
};

static inline lanes lanes_sum3(lanes a, lanes x, lanes b, lanes y, lanes c, lanes z)
{
    return lanes_add(lanes_add(lanes_multiply(a, x), lanes_multiply(b, y)), lanes_multiply(c, z));
}

/* As volume_axes. */
static inline void axes_lanes(const lanes q[4], lanes axes[9])
{
    lanes w = q[0], x = q[1], y = q[2], z = q[3];
    lanes squares = lanes_add(lanes_add(lanes_multiply(w, w), lanes_multiply(x, x)),
                              lanes_add(lanes_multiply(y, y), lanes_multiply(z, z)));
    lanes s = lanes_divide(lanes_set(2), squares), one = lanes_set(1);
    lanes sx = lanes_multiply(s, x), sy = lanes_multiply(s, y), sz = lanes_multiply(s, z);
    lanes xx = lanes_multiply(sx, x), xy = lanes_multiply(sx, y), xz = lanes_multiply(sx, z);
    lanes yy = lanes_multiply(sy, y), yz = lanes_multiply(sy, z), zz = lanes_multiply(sz, z);
    lanes xw = lanes_multiply(sx, w), yw = lanes_multiply(sy, w), zw = lanes_multiply(sz, w);
    axes[0] = lanes_subtract(one, lanes_add(yy, zz));
    axes[1] = lanes_subtract(xy, zw);
    axes[2] = lanes_add(xz, yw);
    axes[3] = lanes_add(xy, zw);
    axes[4] = lanes_subtract(one, lanes_add(xx, zz));
    axes[5] = lanes_subtract(yz, xw);
    axes[6] = lanes_subtract(xz, yw);
    axes[7] = lanes_add(yz, xw);
    axes[8] = lanes_subtract(one, lanes_add(xx, yy));
}

static inline void clip_lanes(lanes d, lanes q, lanes boxes, lanes rest, struct window_lanes *window)
{
    lanes size_d = lanes_absolute(d), size_q = lanes_absolute(q), extent = lanes_add(boxes, rest);
    lanes nearest = lanes_subtract(size_d, size_q);
    window->soon =
        mask_or(window->soon, lanes_less(lanes_add(boxes, lanes_multiply(lanes_set(0x1p-6), rest)), nearest));
    lane_mask free = lanes_less(extent, lanes_add(size_d, size_q)); /* the axis says something */
    window->apart = mask_or(window->apart, lanes_less(extent, nearest));
    lanes inverse = lanes_divide(lanes_set(1), q);
    lanes p = lanes_multiply(lanes_subtract(lanes_set(0), lanes_add(extent, d)), inverse);
    lanes r = lanes_multiply(lanes_subtract(extent, d), inverse);
    lanes enter = lanes_least(p, r), leave = lanes_most(p, r);
    window->first = lanes_choose(free, lanes_most(enter, window->first), window->first);
    window->last = lanes_choose(free, lanes_least(leave, window->last), window->last);
}

/* The edge axes only tell boxes apart; clipping the window by them as well does not pay for nine divisions. */
static inline void test_axis_lanes(lanes d, lanes q, lanes boxes, lanes rest, struct window_lanes *window)
{
    lanes nearest = lanes_subtract(lanes_absolute(d), lanes_absolute(q));
    window->soon =
        mask_or(window->soon, lanes_less(lanes_add(boxes, lanes_multiply(lanes_set(0x1p-6), rest)), nearest));
    window->apart = mask_or(window->apart, lanes_less(lanes_add(boxes, rest), nearest));
}

/* b's centre, sweep and axes in the coordinates of a. */
static inline void place_lanes(const struct motion_piece *piece, const struct box_lanes *b, lanes centre[3],
                               lanes sweep[3], lanes axes[9])
{
    const double *m = piece->rotation, *rate = piece->rotation_rate;
    for (int i = 0; i < 3; i++) {
        lanes x = lanes_set(m[3 * i]), y = lanes_set(m[3 * i + 1]), z = lanes_set(m[3 * i + 2]);
        centre[i] =
            lanes_add(lanes_sum3(x, b->centre[0], y, b->centre[1], z, b->centre[2]), lanes_set(piece->translation[i]));
        for (int j = 0; j < 3; j++) {
            axes[3 * i + j] = lanes_sum3(x, b->axes[j], y, b->axes[3 + j], z, b->axes[6 + j]);
        }
        x = lanes_set(rate[3 * i]);
        y = lanes_set(rate[3 * i + 1]);
        z = lanes_set(rate[3 * i + 2]);
        sweep[i] = lanes_multiply(lanes_set(piece->half),
                                  lanes_add(lanes_sum3(x, b->centre[0], y, b->centre[1], z, b->centre[2]),
                                            lanes_set(piece->translation_rate[i])));
    }
}

/* In the coordinates of box a. */
struct pair_lanes {
    lanes r[9], size[9];           /* the axes of b, and their sizes */
    lanes d[3], s[3];              /* from centre to centre; sweep */
    lanes w[3], size_w[3], size_wb[3]; /* spin, its size, its size along the axes of b */
};

/* The six axes of the faces. */
static inline void test_face_axes_lanes(const struct box_lanes *a, const struct box_lanes *b, const lanes apart[3],
                                        const lanes sweep[3], const lanes axes[9], const lanes spin[3], lanes rest,
                                        struct pair_lanes *pair, struct window_lanes *window)
{
    lanes *r = pair->r, *size = pair->size, *d = pair->d, *s = pair->s, *w = pair->w;
    lanes *size_w = pair->size_w, *size_wb = pair->size_wb;
    for (int i = 0; i < 3; i++) {
        w[i] = lanes_sum3(a->axes[i], spin[0], a->axes[3 + i], spin[1], a->axes[6 + i], spin[2]);
        size_w[i] = lanes_absolute(w[i]);
    }
    const lanes *ea = a->half_extent, *eb = b->half_extent;
    for (int i = 0; i < 3; i++) {
        lanes x = a->axes[i], y = a->axes[3 + i], z = a->axes[6 + i];
        d[i] = lanes_sum3(x, apart[0], y, apart[1], z, apart[2]);
        s[i] = lanes_sum3(x, sweep[0], y, sweep[1], z, sweep[2]);
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = lanes_sum3(x, axes[j], y, axes[3 + j], z, axes[6 + j]);
            size[3 * i + j] = lanes_absolute(r[3 * i + j]);
        }
        lanes extent = lanes_sum3(size[3 * i], eb[0], size[3 * i + 1], eb[1], size[3 * i + 2], eb[2]);
        extent = lanes_add(extent, lanes_add(size_w[i == 0 ? 1 : 0], size_w[i == 2 ? 1 : 2]));
        clip_lanes(d[i], s[i], lanes_add(ea[i], extent), rest, window);
    }
    for (int j = 0; j < 3; j++) {
        size_wb[j] = lanes_absolute(lanes_sum3(r[j], w[0], r[3 + j], w[1], r[6 + j], w[2]));
    }
    for (int j = 0; j < 3; j++) {
        lanes extent = lanes_sum3(size[j], ea[0], size[3 + j], ea[1], size[6 + j], ea[2]);
        extent = lanes_add(extent, lanes_add(size_wb[j == 0 ? 1 : 0], size_wb[j == 2 ? 1 : 2]));
        clip_lanes(lanes_sum3(r[j], d[0], r[3 + j], d[1], r[6 + j], d[2]),
                   lanes_sum3(r[j], s[0], r[3 + j], s[1], r[6 + j], s[2]), lanes_add(extent, eb[j]), rest, window);
    }
    window->apart = mask_or(window->apart, lanes_less(window->last, window->first));
}

/* The nine axes across two edges. */
static inline void test_edge_axes_lanes(const struct box_lanes *a, const struct box_lanes *b,
                                        const struct pair_lanes *pair, lanes rest, struct window_lanes *window)
{
    const lanes *r = pair->r, *size = pair->size, *d = pair->d, *s = pair->s;
    const lanes *ea = a->half_extent, *eb = b->half_extent;
    for (int i = 0; i < 3; i++) {
        int i1 = i == 2 ? 0 : i + 1, i2 = 3 - i - i1;
        for (int j = 0; j < 3; j++) {
            int j1 = j == 2 ? 0 : j + 1, j2 = 3 - j - j1;
            lanes p = r[3 * i1 + j], q = r[3 * i2 + j];
            lanes along = lanes_subtract(lanes_multiply(d[i2], p), lanes_multiply(d[i1], q));
            lanes swept = lanes_subtract(lanes_multiply(s[i2], p), lanes_multiply(s[i1], q));
            lanes extent = lanes_add(
                lanes_add(lanes_multiply(ea[i1], size[3 * i2 + j]), lanes_multiply(ea[i2], size[3 * i1 + j])),
                lanes_add(lanes_multiply(eb[j1], size[3 * i + j2]), lanes_multiply(eb[j2], size[3 * i + j1])));
            extent = lanes_add(extent, lanes_add(pair->size_w[i], pair->size_wb[j]));
            test_axis_lanes(along, swept, extent, rest, window);
        }
    }
}

static inline struct window_lanes test_box_lanes(const struct motion_piece *piece, const struct box_lanes *a,
                                                 const struct box_lanes *b, const struct piece_window *given,
                                                 lanes *rest_of_b)
{
    lanes centre[3], sweep[3], axes[9];
    place_lanes(piece, b, centre, sweep, axes);
    lanes rest = lanes_add(lanes_set(piece->translation_rest),
                           lanes_add(lanes_multiply(lanes_set(piece->rotation_rest), b->reach),
                                     lanes_multiply(lanes_set(piece->half * piece->spin_rest), b->radius)));
    rest = lanes_multiply(rest, lanes_set(1 + 0x1p-40));
    *rest_of_b = rest;
    lanes spin[3], most_turn = lanes_multiply(lanes_set(piece->half * (1 + 0x1p-40)), b->radius), turn = lanes_set(0);
    for (int k = 0; k < 3; k++) {
        spin[k] = lanes_multiply(most_turn, lanes_set(piece->spin[k]));
        turn = lanes_add(turn, lanes_absolute(spin[k]));
    }
    lanes length = lanes_add(lanes_add(lanes_absolute(sweep[0]), lanes_absolute(sweep[1])), lanes_absolute(sweep[2]));
    lanes radii = lanes_add(a->radius, b->radius);
    rest = lanes_add(lanes_multiply(rest, lanes_set(1 + 0x1p-40)),
                     lanes_multiply(lanes_set(0x1p-46), lanes_add(radii, lanes_add(length, turn))));
    lanes apart[3];
    for (int k = 0; k < 3; k++) {
        apart[k] = lanes_subtract(centre[k], a->centre[k]);
    }
    lanes most = lanes_add(lanes_add(radii, length), rest);
    struct window_lanes window;
    window.first = lanes_set(given->first);
    window.last = lanes_set(given->last);
    window.apart = lanes_less(lanes_multiply(lanes_multiply(most, most), lanes_set(1 + 0x1p-40)),
                              lanes_sum3(apart[0], apart[0], apart[1], apart[1], apart[2], apart[2]));
    window.soon = window.apart;
    if (mask_all(window.apart)) {
        return window;
    }
    struct pair_lanes pair;
    test_face_axes_lanes(a, b, apart, sweep, axes, spin, rest, &pair, &window);
    if (!mask_all(window.apart)) {
        test_edge_axes_lanes(a, b, &pair, rest, &window);
    }
    return window;
}

#endif
