/* Moving bounding volumes. See motion_volumes.h. */
#include "geometry/motion/motion_volumes.h"

#include "geometry/metric/quaternion.h"

static void place_spin(const struct motion_piece *piece, double radius, struct placed_volume *placed)
{
    double most = piece->half * radius * (1 + 0x1p-40);
    for (int k = 0; k < 3; k++) {
        placed->spin[k] = most * piece->spin[k];
    }
}

void place_volume(const struct motion_piece *piece, const struct motion_volume *volume, struct placed_volume *placed)
{
    const double *m = piece->rotation, *rate = piece->rotation_rate, *c = volume->centre;
    double h = piece->half;
    for (int i = 0; i < 3; i++) {
        placed->centre[i] = ((m[3 * i] * c[0] + m[3 * i + 1] * c[1]) + m[3 * i + 2] * c[2]) + piece->translation[i];
        placed->sweep[i] =
            h * (((rate[3 * i] * c[0] + rate[3 * i + 1] * c[1]) + rate[3 * i + 2] * c[2]) + piece->translation_rate[i]);
        placed->half_extent[i] = volume->half_extent[i];
    }
    double axes[9];
    volume_axes(volume, axes);
    matrix_times_matrix(m, axes, placed->axes);
    placed->radius = volume->radius;
    placed->sweep_length = vector_length(placed->sweep) * (1 + 0x1p-40);
    placed->rest =
        (piece->translation_rest + piece->rotation_rest * volume->reach + h * piece->spin_rest * volume->radius) *
        (1 + 0x1p-40);
    place_spin(piece, volume->radius, placed);
}

/* R(t) x(t) with x(t) = x + s v: beyond the line there is s^2 R' v, and the rest of R on all of x(t). */
void place_linear_volume(const struct motion_piece *piece, double middle, const struct linear_volume *volume,
                         struct placed_volume *placed)
{
    double centre[3], velocity[3], flipped[3], carried[3], h = piece->half;
    for (int k = 0; k < 3; k++) {
        velocity[k] = volume->centre[1][k] - volume->centre[0][k];
        centre[k] = volume->centre[0][k] + middle * velocity[k];
    }
    matrix_times_vector(piece->rotation, centre, placed->centre);
    matrix_times_vector(piece->rotation_rate, centre, flipped);
    matrix_times_vector(piece->rotation, velocity, carried);
    for (int k = 0; k < 3; k++) {
        placed->centre[k] += piece->translation[k];
        placed->sweep[k] = h * ((flipped[k] + carried[k]) + piece->translation_rate[k]);
        placed->half_extent[k] = volume->half_extent[k];
    }
    for (int k = 0; k < 9; k++) {
        placed->axes[k] = piece->rotation[k];
    }
    placed->radius = volume->radius;
    placed->sweep_length = vector_length(placed->sweep) * (1 + 0x1p-40);
    placed->rest = (piece->translation_rest + piece->rotation_rest * volume->reach +
                    h * piece->spin_rest * volume->radius + h * h * piece->turning * vector_length(velocity)) *
                   (1 + 0x1p-40);
    place_spin(piece, volume->radius, placed);
}

/* The centres come no nearer than the line allows. */
static bool spheres_apart(const double apart[3], const struct placed_volume *b, double reach)
{
    double squared = vector_dot(apart, apart), most = reach + b->sweep_length;
    if (squared > most * most * (1 + 0x1p-40)) {
        return true;
    }
    double along = vector_dot(apart, b->sweep), sweep = b->sweep_length * b->sweep_length;
    if (!(sweep > 0) || squared <= reach * reach) {
        return false;
    }
    /* The nearest point of the line; a rounded parameter finds a point whose distance is above the least by less than
     * the square of the rounding. */
    double s = -along / sweep, nearest[3];
    s = s < -1 ? -1 : s > 1 ? 1 : s;
    for (int k = 0; k < 3; k++) {
        nearest[k] = apart[k] + s * b->sweep[k];
    }
    return vector_dot(nearest, nearest) > reach * reach * (1 + 0x1p-40);
}

/* Along an axis the centre of b is at d + s q, and the boxes meet there while that is at most `extent` in size. The
 * rounding of the two times is worth less than 8 roundings of the lengths, for which extent has room. */
static inline bool clip_window(double d, double q, double boxes, double rest, struct piece_window *window)
{
    double extent = boxes + rest;
    window->soon = window->soon || fabs(d) - fabs(q) > boxes + 0x1p-6 * rest;
    if (fabs(d) + fabs(q) <= extent) {
        return false;
    }
    if (fabs(d) - fabs(q) > extent) {
        return true;
    }
    double inverse = 1 / q, p = (-extent - d) * inverse, r = (extent - d) * inverse;
    double enter = p < r ? p : r, leave = p < r ? r : p;
    window->first = enter > window->first ? enter : window->first;
    window->last = leave < window->last ? leave : window->last;
    return window->first > window->last;
}

static bool swept_boxes_apart(const struct motion_volume *a, const struct placed_volume *b, const double apart[3],
                              double rest, struct piece_window *window)
{
    for (int i = 0; i < 3; i++) {
        double extent = (fabs(b->axes[3 * i]) * b->half_extent[0] + fabs(b->axes[3 * i + 1]) * b->half_extent[1]) +
                        fabs(b->axes[3 * i + 2]) * b->half_extent[2];
        int i1 = i == 2 ? 0 : i + 1, i2 = 3 - i - i1;
        extent += fabs(b->spin[i1]) + fabs(b->spin[i2]);
        extent = extent < b->radius ? extent : b->radius;
        if (clip_window(apart[i], b->sweep[i], a->half_extent[i] + extent, rest, window)) {
            return true;
        }
    }
    return false;
}

/* The 15 axes. r: axes of b in the frame of box a; d, s: distance of centres and sweep in that frame. The nine edge
 * axes are not of unit length but shorter, so the rest is not multiplied by their length. */
static bool oriented_boxes_apart(const struct motion_volume *a, const struct placed_volume *b, const double apart[3],
                                 double rest, struct piece_window *window)
{
    double axes[9], r[9], size[9], d[3], s[3], w[3], size_w[3], size_wb[3];
    const double *ea = a->half_extent, *eb = b->half_extent;
    volume_axes(a, axes);
    for (int i = 0; i < 3; i++) {
        double x = axes[i], y = axes[3 + i], z = axes[6 + i];
        w[i] = (x * b->spin[0] + y * b->spin[1]) + z * b->spin[2];
        size_w[i] = fabs(w[i]);
    }
    for (int i = 0; i < 3; i++) {
        double x = axes[i], y = axes[3 + i], z = axes[6 + i];
        d[i] = (x * apart[0] + y * apart[1]) + z * apart[2];
        s[i] = (x * b->sweep[0] + y * b->sweep[1]) + z * b->sweep[2];
        for (int j = 0; j < 3; j++) {
            r[3 * i + j] = (x * b->axes[j] + y * b->axes[3 + j]) + z * b->axes[6 + j];
            size[3 * i + j] = fabs(r[3 * i + j]);
        }
        double extent = (size[3 * i] * eb[0] + size[3 * i + 1] * eb[1]) + size[3 * i + 2] * eb[2];
        extent += size_w[i == 0 ? 1 : 0] + size_w[i == 2 ? 1 : 2];
        if (clip_window(d[i], s[i], ea[i] + extent, rest, window)) {
            return true;
        }
    }
    for (int j = 0; j < 3; j++) {
        size_wb[j] = fabs((r[j] * w[0] + r[3 + j] * w[1]) + r[6 + j] * w[2]);
    }
    for (int j = 0; j < 3; j++) {
        double extent = (size[j] * ea[0] + size[3 + j] * ea[1]) + size[6 + j] * ea[2];
        extent += size_wb[j == 0 ? 1 : 0] + size_wb[j == 2 ? 1 : 2];
        double along = (r[j] * d[0] + r[3 + j] * d[1]) + r[6 + j] * d[2];
        double sweep = (r[j] * s[0] + r[3 + j] * s[1]) + r[6 + j] * s[2];
        if (clip_window(along, sweep, extent + eb[j], rest, window)) {
            return true;
        }
    }
    for (int i = 0; i < 3; i++) {
        int i1 = i == 2 ? 0 : i + 1, i2 = 3 - i - i1;
        for (int j = 0; j < 3; j++) {
            int j1 = j == 2 ? 0 : j + 1, j2 = 3 - j - j1;
            double along = d[i2] * r[3 * i1 + j] - d[i1] * r[3 * i2 + j];
            double sweep = s[i2] * r[3 * i1 + j] - s[i1] * r[3 * i2 + j];
            double extent = (ea[i1] * size[3 * i2 + j] + ea[i2] * size[3 * i1 + j]) +
                            (eb[j1] * size[3 * i + j2] + eb[j2] * size[3 * i + j1]);
            extent += size_w[i] + size_wb[j];
            if (clip_window(along, sweep, extent, rest, window)) {
                return true;
            }
        }
    }
    return false;
}

bool volumes_apart(dent_motion_volume kind, const struct motion_volume *a, const struct placed_volume *b, double more,
                   struct piece_window *window)
{
    /* The axes are orthonormal to within 16 roundings: going from one frame to the other and back, lengths up to the
     * distance of the centres (at most radii + sweep + turn + rest, or the spheres are apart) are off by less than 64
     * roundings of it. */
    double turn = (fabs(b->spin[0]) + fabs(b->spin[1])) + fabs(b->spin[2]);
    double defect = 0x1p-46 * ((a->radius + b->radius) + (b->sweep_length + turn));
    double apart[3], rest = (b->rest + more) * (1 + 0x1p-40) + defect;
    for (int k = 0; k < 3; k++) {
        apart[k] = b->centre[k] - a->centre[k];
    }
    if (spheres_apart(apart, b, (a->radius + b->radius) + rest)) {
        return true;
    }
    if (kind == DENT_MOTION_VOLUME_SPHERE) {
        return false;
    }
    return kind == DENT_MOTION_VOLUME_ALIGNED_BOX ? swept_boxes_apart(a, b, apart, rest, window)
                                                  : oriented_boxes_apart(a, b, apart, rest, window);
}
