/* The volume that two bodies have in common: the sum over pairs of cells of the volume they share.
 *
 * The idea. A cell is its upper faces' columns less its lower faces' columns, where the column of a face is what lies
 * below it. So the number m(x) of cells of a body at a point is a sum of columns with signs, in which faces between two
 * cells on opposite sides cancel: what is left are the surface faces (and faces of folded cells). The volume wanted is the
 * integral of m_a m_b, hence the sum over pairs of faces, one of each body, of their signs times the volume of the
 * common part of their two columns. That part stands over a convex polygon, the intersection of two projected triangles,
 * and is as high as the lower of two linear functions: a few clips and a sum. A closed surface is the same with its
 * winding number for m. Nothing here branches on a sign that has to be right: a face seen from its edge contributes about
 * nothing, whatever its sign is taken to be.
 *
 * Everything happens within the box that the bounds of the two bodies have in common: columns begin at its floor and end
 * at its ceiling, so that the error is relative to the size of the overlap, not of the bodies.
 *
 * Error. Take L for the largest extent of the two faces in x and y, H for the largest height above the floor. Lengths are
 * differences of coordinates, each off by at most u of itself, u = 2^-53. Each of the seven clips of the polygon moves its
 * border by at most 4 u L^2 / (length of the clipping edge) across that edge, or 8 u L^2 in area; heights carried along
 * are convex combinations, off by at most 4 u H a clip; the height of the second face is found by three areas, each off by
 * 8 u L^2, over the area of the face, which is not smaller than that of the polygon. Together with the three clips by
 * height and the sums, one pair is off by less than 400 u L^2 H; ERROR_FACTOR has some to spare. Sums are kept in two
 * doubles. Rounded at the last to a double, the sum of all bounds is what the caller gets. Tests compare with rationals.
 */
#include "contact/check/overlap_volume.h"

#include <float.h>
#include <math.h>

#include "geometry/predicates/orientation_predicates.h"

#define ERROR_FACTOR (512 * (DBL_EPSILON / 2))

enum { POLYGON_MAX = 16 }; /* 3 corners; 4 clips by the box, 3 by a face, 2 by heights, each adding one at most */

/* A corner of the polygon with the heights of both faces there. */
struct corner {
    double x, y, height[2];
};

struct polygon {
    uint32_t count;
    struct corner corners[POLYGON_MAX];
};

/* A face that bounds cells on one side: corners so that it is seen counter-clockwise from outside. */
struct volume_face {
    uint32_t corners[3];
};

/* One body: its faces and a tree over them. */
struct volume_body {
    const double (*xyz)[3];
    struct volume_face *faces;
    uint32_t face_count;
    struct box_tree tree;
};

/* The run over one pair of bodies. */
struct volume_run {
    const struct volume_body *a, *b;
    struct box box; /* what the bounds of both have in common */
    double scale;   /* a power of two: lengths are divided by it */
    struct volume_sum *sums; /* by face of a */
};

/* A sum in two doubles and the bound of its error. */
struct volume_sum {
    double high, low, error;
};

static void add_to_sum(struct volume_sum *sum, double term)
{
    double total = sum->high + term;
    double kept = total - sum->high;
    sum->low += (sum->high - (total - kept)) + (term - kept);
    sum->high = total;
}

/* ---- polygons ---------------------------------------------------------------------------------------------------- */

/* Keeps the part of the polygon where a linear function, given at its corners, is not negative; `open`: where it is
 * positive. What is kept by one and what the other keeps of the negative function have no area in common. */
static void clip(struct polygon *polygon, const double *value, bool open)
{
    struct polygon kept = {0};
    for (uint32_t i = 0; i < polygon->count; i++) {
        uint32_t next = i + 1 < polygon->count ? i + 1 : 0;
        const struct corner *p = &polygon->corners[i], *q = &polygon->corners[next];
        bool inside = open ? value[i] > 0 : value[i] >= 0, next_inside = open ? value[next] > 0 : value[next] >= 0;
        if (inside) {
            kept.corners[kept.count++] = *p;
        }
        if (inside != next_inside) {
            double t = value[i] / (value[i] - value[next]);
            kept.corners[kept.count++] = (struct corner){
                p->x + t * (q->x - p->x),
                p->y + t * (q->y - p->y),
                {p->height[0] + t * (q->height[0] - p->height[0]), p->height[1] + t * (q->height[1] - p->height[1])}};
        }
    }
    *polygon = kept;
}

/* By x >= limit (sign 1) or x <= limit (sign -1), axis 0 or 1. */
static void clip_by_axis(struct polygon *polygon, int axis, double limit, double sign)
{
    double value[POLYGON_MAX];
    for (uint32_t i = 0; i < polygon->count; i++) {
        value[i] = sign * ((axis == 0 ? polygon->corners[i].x : polygon->corners[i].y) - limit);
    }
    clip(polygon, value, false);
}

static double twice_area(const double p[3], const double q[3], double x, double y)
{
    return (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
}

/* Integral over the polygon of a linear function given at its corners, 0 where it is negative. */
static double integrate_positive(const struct polygon *whole, int which, double floor)
{
    struct polygon part = *whole;
    double value[POLYGON_MAX], sum = 0;
    for (uint32_t i = 0; i < part.count; i++) {
        value[i] = part.corners[i].height[which] - floor;
    }
    clip(&part, value, false);
    const struct corner *p = &part.corners[0];
    for (uint32_t i = 2; i < part.count; i++) {
        const struct corner *q = &part.corners[i - 1], *r = &part.corners[i];
        double area = (q->x - p->x) * (r->y - p->y) - (q->y - p->y) * (r->x - p->x);
        double heights = (p->height[which] - floor) + (q->height[which] - floor) + (r->height[which] - floor);
        sum += area * heights / 6;
    }
    return sum > 0 ? sum : 0;
}

/* Volume between floor 0 and the lower of the two faces, no higher than the ceiling, over the part of the polygon where
 * face `which` is the lower one. */
static double volume_below(const struct polygon *whole, int which, double ceiling)
{
    struct polygon part = *whole;
    double value[POLYGON_MAX];
    for (uint32_t i = 0; i < part.count; i++) {
        value[i] = part.corners[i].height[1 - which] - part.corners[i].height[which];
    }
    clip(&part, value, which == 1); /* where both are equally high, only one of them counts */
    return part.count < 3 ? 0 : integrate_positive(&part, which, 0) - integrate_positive(&part, which, ceiling);
}

/* ---- a pair of faces --------------------------------------------------------------------------------------------- */

/* The corners relative to the floor of the box, scaled, counter-clockwise as seen from above. Returns the sign of the
 * column: 1 for a face seen from above, -1 from below, 0 from its edge. */
static int place_face(const struct volume_run *run, const struct volume_body *body, uint32_t face, double corners[3][3])
{
    for (int k = 0; k < 3; k++) {
        const double *x = body->xyz[body->faces[face].corners[k]];
        for (int axis = 0; axis < 3; axis++) {
            corners[k][axis] = (x[axis] - run->box.lo[axis]) / run->scale;
        }
    }
    double area = twice_area(corners[0], corners[1], corners[2][0], corners[2][1]);
    if (area < 0) {
        for (int axis = 0; axis < 3; axis++) {
            double swapped = corners[1][axis];
            corners[1][axis] = corners[2][axis];
            corners[2][axis] = swapped;
        }
    }
    return area > 0 ? 1 : area < 0 ? -1 : 0;
}

static void clip_to_box(const struct volume_run *run, struct polygon *polygon)
{
    for (int axis = 0; axis < 2 && polygon->count > 0; axis++) {
        clip_by_axis(polygon, axis, 0, 1);
        clip_by_axis(polygon, axis, (run->box.hi[axis] - run->box.lo[axis]) / run->scale, -1);
    }
}

/* The height of face g at the corners of the polygon, which lie in it. */
static void measure_second(struct polygon *polygon, double g[3][3])
{
    double whole = twice_area(g[0], g[1], g[2][0], g[2][1]);
    for (uint32_t i = 0; i < polygon->count; i++) {
        struct corner *p = &polygon->corners[i];
        double weight[3], height = 0, total = 0;
        for (int k = 0; k < 3; k++) {
            double part = twice_area(g[(k + 1) % 3], g[(k + 2) % 3], p->x, p->y) / whole;
            weight[k] = part > 0 ? part : 0;
            total += weight[k];
        }
        for (int k = 0; k < 3; k++) {
            height += weight[k] / total * g[k][2];
        }
        p->height[1] = height;
    }
}

static double common_column(const struct volume_run *run, const struct polygon *clipped, double g[3][3])
{
    struct polygon polygon = *clipped;
    for (int edge = 0; edge < 3 && polygon.count > 0; edge++) {
        double value[POLYGON_MAX];
        for (uint32_t i = 0; i < polygon.count; i++) {
            value[i] = twice_area(g[edge], g[(edge + 1) % 3], polygon.corners[i].x, polygon.corners[i].y);
        }
        clip(&polygon, value, false);
    }
    if (polygon.count < 3) {
        return 0;
    }
    measure_second(&polygon, g);
    double ceiling = (run->box.hi[2] - run->box.lo[2]) / run->scale;
    return volume_below(&polygon, 0, ceiling) + volume_below(&polygon, 1, ceiling);
}

/* L^2 H of the opening comment. */
static double error_unit(double f[3][3], double g[3][3])
{
    double lo[2] = {f[0][0], f[0][1]}, hi[2] = {f[0][0], f[0][1]}, height = 0;
    for (int k = 0; k < 6; k++) {
        const double *corner = k < 3 ? f[k] : g[k - 3];
        for (int axis = 0; axis < 2; axis++) {
            lo[axis] = fmin(lo[axis], corner[axis]);
            hi[axis] = fmax(hi[axis], corner[axis]);
        }
        height = fmax(height, fabs(corner[2]));
    }
    double extent = fmax(hi[0] - lo[0], hi[1] - lo[1]);
    return extent * extent * height;
}

/* All faces of b over or under one face of a. */
static void add_face(const struct volume_run *run, uint32_t face, struct check_tally *tally)
{
    double f[3][3], g[3][3];
    struct volume_sum sum = {0};
    int sign = place_face(run, run->a, face, f);
    struct polygon clipped = {.count = 3};
    for (int k = 0; k < 3; k++) {
        clipped.corners[k] = (struct corner){f[k][0], f[k][1], {f[k][2], 0}};
    }
    clip_to_box(run, &clipped);
    struct box column;
    box_around(&column, run->a->xyz, run->a->faces[face].corners, 3);
    for (int axis = 0; axis < 2; axis++) {
        column.lo[axis] = fmax(column.lo[axis], run->box.lo[axis]);
        column.hi[axis] = fmin(column.hi[axis], run->box.hi[axis]);
    }
    column.lo[2] = run->box.lo[2]; /* what ends below the floor has no column */
    column.hi[2] = INFINITY;
    struct box_walk walk;
    uint32_t other;
    box_walk_begin(&walk, &run->b->tree, &column);
    while (clipped.count >= 3 && sign != 0 && box_walk_next(&walk, &other)) {
        int other_sign = place_face(run, run->b, other, g);
        if (other_sign != 0) {
            tally->candidates++;
            add_to_sum(&sum, sign * other_sign * common_column(run, &clipped, g));
            sum.error += ERROR_FACTOR * error_unit(f, g);
        }
    }
    tally_walk(tally, &walk);
    run->sums[face] = sum;
}

static void add_block(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally)
{
    (void)run;
    for (uint32_t face = begin; face < end; face++) {
        add_face(data, face, tally);
    }
}

/* ---- the faces of a body ----------------------------------------------------------------------------------------- */

static int tetrahedron_sign(const struct check_body *body, uint32_t tetrahedron, predicate_counters *counters)
{
    const double *p[4];
    tetrahedron_corners(body, tetrahedron, p);
    double bound, value = orientation_3d_determinant(p[0], p[1], p[2], p[3], &bound);
    return value > bound    ? 1
           : value < -bound ? -1
                            : orientation_3d_by_integers(p[0], p[1], p[2], p[3], counters);
}

/* Corners of the face opposite corner k, counter-clockwise from outside when the cell is positive. */
static void face_of_tetrahedron(const uint32_t cell[4], int k, bool positive, struct volume_face *face)
{
    static const int order[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (int i = 0; i < 3; i++) {
        face->corners[i] = cell[order[k][positive ? i : 2 - i]];
    }
}

/* Faces of cells that no cell on the other side cancels: neighbours with the same sign do. Flat cells hold nothing. */
static bool list_cell_faces(struct check_run *run, const struct check_body *body, struct volume_body *volume)
{
    const struct body *mesh = body->body;
    int8_t *signs = arena_allocate(run->scratch, mesh->tetrahedron_count, 1);
    if (!signs) {
        return false;
    }
    for (uint32_t t = 0; t < mesh->tetrahedron_count; t++) {
        signs[t] = (int8_t)tetrahedron_sign(body, t, &run->total.predicates);
    }
    for (int pass = 0; pass < 2; pass++) { /* count, then write */
        volume->face_count = 0;
        for (uint32_t t = 0; t < mesh->tetrahedron_count; t++) {
            for (int k = 0; k < 4 && signs[t] != 0; k++) {
                uint32_t other = mesh->neighbours[t][k];
                bool cancels = other < NEIGHBOUR_NONMANIFOLD && signs[other] == signs[t];
                if (!cancels && pass == 1) {
                    face_of_tetrahedron(mesh->tetrahedra[t], k, signs[t] > 0, &volume->faces[volume->face_count]);
                }
                volume->face_count += !cancels;
            }
        }
        if (pass == 0) {
            volume->faces = arena_allocate(run->scratch, volume->face_count, sizeof *volume->faces);
        }
        if (!volume->faces) {
            return false;
        }
    }
    return true;
}

/* Six times the signed volume below the faces of a closed surface, and a bound of its error; lengths scaled. */
static struct volume_sum six_volumes(const struct volume_run *run, const struct volume_body *body)
{
    struct volume_sum sum = {0};
    for (uint32_t i = 0; i < body->face_count; i++) {
        double f[3][3], size = 0;
        int sign = place_face(run, body, i, f);
        double area = twice_area(f[0], f[1], f[2][0], f[2][1]);
        add_to_sum(&sum, sign * area * (f[0][2] + f[1][2] + f[2][2]));
        for (int k = 0; k < 9; k++) {
            size = fmax(size, fabs(f[k / 3][k % 3]));
        }
        sum.error += 64 * DBL_EPSILON * size * size * size;
    }
    return sum;
}

static bool list_faces(struct check_run *run, const struct check_body *body, struct volume_body *volume)
{
    *volume = (struct volume_body){.xyz = body->xyz};
    if (body->solid) {
        if (!list_cell_faces(run, body, volume)) {
            return false;
        }
    } else {
        volume->face_count = body->surface_count;
        volume->faces = arena_allocate(run->scratch, volume->face_count, sizeof *volume->faces);
        for (uint32_t i = 0; i < volume->face_count && volume->faces; i++) {
            memcpy(volume->faces[i].corners, body->surface[i].corners, sizeof volume->faces[i].corners);
        }
    }
    return volume->faces && box_tree_build(&volume->tree, run->scratch, volume->xyz, volume->faces, 3,
                                           sizeof *volume->faces, volume->face_count, false);
}

/* ---- the pair ---------------------------------------------------------------------------------------------------- */

/* A power of two near the size of the box, so that products of three lengths stay in range. */
static double scale_of(const struct box *box)
{
    double size = 0;
    for (int axis = 0; axis < 3; axis++) {
        size = fmax(size, box->hi[axis] - box->lo[axis]);
    }
    return size > 0 && size < INFINITY ? ldexp(1, ilogb(size)) : 1;
}

/* Back to the lengths of the caller. What a double cannot hold is infinite, or 0 with an error above it. */
static void write_volume(double volume, double error, double scale, dent_body_contact *contact)
{
    error += (DBL_EPSILON * 4) * volume;
    contact->volume = volume * scale * scale * scale;
    contact->volume_error = error * scale * scale * scale;
    if (contact->volume < DBL_MIN || contact->volume_error < DBL_MIN) { /* rounding of the products themselves */
        contact->volume_error += 4 * DBL_TRUE_MIN * fmax(1, scale) * fmax(1, scale);
    }
}

static struct volume_sum add_sums(const struct volume_sum *sums, uint32_t count)
{
    struct volume_sum total = {0};
    for (uint32_t i = 0; i < count; i++) {
        add_to_sum(&total, sums[i].high);
        add_to_sum(&total, sums[i].low);
        total.error += sums[i].error;
    }
    return total;
}

static bool prepare_pair(struct check_run *run, const struct check_body *a, const struct check_body *b,
                         struct volume_run *volume, struct volume_body bodies[2])
{
    if (!list_faces(run, a, &bodies[0]) || (a != b && !list_faces(run, b, &bodies[1]))) {
        return false;
    }
    volume->a = &bodies[0];
    volume->b = a == b ? &bodies[0] : &bodies[1];
    for (int axis = 0; axis < 3; axis++) {
        volume->box.lo[axis] = fmax(a->bounds.lo[axis], b->bounds.lo[axis]);
        volume->box.hi[axis] = fmin(a->bounds.hi[axis], b->bounds.hi[axis]);
    }
    volume->scale = scale_of(&volume->box);
    volume->sums = arena_allocate_cleared(run->scratch, bodies[0].face_count, sizeof *volume->sums);
    return volume->sums != NULL;
}

/* 1, or -1 for a closed surface that is inside out as a whole. */
static int side_of(const struct volume_run *run, const struct check_body *body, const struct volume_body *volume)
{
    struct volume_sum six = body->solid ? (struct volume_sum){.high = 1} : six_volumes(run, volume);
    return six.high + six.low < 0 ? -1 : 1;
}

dent_status stage_overlap_volume(struct check_run *run, const struct check_body *a, const struct check_body *b,
                                 dent_body_contact *contact)
{
    struct arena_mark mark = arena_mark(run->scratch);
    struct volume_body bodies[2];
    struct volume_run volume;
    if (!prepare_pair(run, a, b, &volume, bodies)) {
        return check_out_of_memory(run);
    }
    dent_status status = check_for_each(run, bodies[0].face_count, add_block, &volume);
    if (status == DENT_OK && !check_cancelled(run)) {
        struct volume_sum sum = add_sums(volume.sums, bodies[0].face_count);
        double total = sum.high + sum.low, error = sum.error;
        if (a == b) { /* of m cells at a point m (m - 1) / 2 pairs */
            struct volume_sum six = six_volumes(&volume, volume.a);
            total = 0.5 * (total - fabs(six.high + six.low) / 6);
            error = 0.5 * (error + six.error / 6);
        } else {
            total *= side_of(&volume, a, volume.a) * side_of(&volume, b, volume.b);
        }
        write_volume(total > 0 ? total : 0, error, volume.scale, contact);
    }
    arena_rewind(run->scratch, mark);
    return status;
}
