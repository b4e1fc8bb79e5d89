/* Lower and upper jaw from cones, spheres and half spaces.
 *
 * Teeth stand on a parabola, one after the other by their widths. A crown is one flattened cone cut off above and
 * below, with cusps for premolars and molars; roots are cones. A ligament is the shell around the roots. The lower jaw
 * is two rows of capsules along the parabola, one holding the roots and one forming the base, continued on each side by
 * the flat ascending branch with its two ends: the condyle behind, on which the jaw turns, and the coronoid process in
 * front. */
#include "jaw_shapes.h"

#include <math.h>

const double jaw_hinge[3] = {0, -44, 30};
const double jaw_mandible_low[3] = {-62, -56, -46}, jaw_mandible_high[3] = {62, 60, 42};
const double jaw_maxilla_low[3] = {-42, -16, 4}, jaw_maxilla_high[3] = {42, 60, 36};

static const double neck_height = 8;    /* of the neck of a tooth, from the tips */
static const double crest_height = 9.5; /* of the edge of the bone */

struct tooth_measures {
    double width, depth; /* of the crown, along and across the arch */
    double root_length, root_radius;
    double root_offset; /* of two roots from the middle, along the arch; 0: one root */
};

static const struct tooth_measures lower_teeth[JAW_TEETH_PER_SIDE] = {
    {6.0, 4.4, 11.0, 1.5, 0}, {6.3, 4.6, 12.0, 1.6, 0},      {7.2, 6.4, 14.0, 1.9, 0},     {7.4, 7.8, 12.5, 1.9, 0},
    {7.6, 8.2, 13.0, 2.0, 0}, {11.4, 10.4, 12.0, 2.0, 2.55}, {10.8, 10.2, 11.5, 1.9, 2.4},
};
static const struct tooth_measures upper_teeth[JAW_TEETH_PER_SIDE] = {
    {8.4, 5.2, 12.0, 2.1, 0}, {6.8, 4.8, 12.0, 1.8, 0},     {7.6, 6.8, 15.0, 2.1, 0},     {7.2, 8.8, 13.0, 2.0, 0},
    {7.0, 8.8, 13.0, 2.0, 0}, {10.6, 10.8, 12.0, 2.0, 2.6}, {10.0, 10.6, 11.5, 1.9, 2.4},
};

static const struct tooth_measures *measures_of(const struct jaw_tooth *tooth)
{
    unsigned row = (unsigned)(tooth->number - 1) % JAW_TEETH_PER_SIDE; /* in range anyway; compilers cannot know */
    return &(tooth->upper ? upper_teeth : lower_teeth)[row];
}

/* ---- the arch ---------------------------------------------------------------------------------------------------- */

/* y = front - bend x^2; the upper arch runs a little outside the lower one. */
static const double arch_bend = 0.06;

static double arch_front(bool upper)
{
    return upper ? 47.5 : 46;
}

/* The point of the arch at an arc length from the middle (negative: left), and the unit vector to the right along it
 * there. */
static void arch_at(bool upper, double arc, double point[2], double direction[2])
{
    /* Many short steps along the curve; a quarter of a millimetre is finer than anything built on it. */
    double x = 0, left = arc < 0 ? -arc : arc;
    while (left > 0) {
        double step = left < 0.25 ? left : 0.25;
        double slope = 2 * arch_bend * x;
        x += step / sqrt(1 + slope * slope);
        left -= step;
    }
    x = arc < 0 ? -x : x;
    double slope = -2 * arch_bend * x;
    double length = sqrt(1 + slope * slope);
    point[0] = x;
    point[1] = arch_front(upper) - arch_bend * x * x;
    direction[0] = 1 / length;
    direction[1] = slope / length;
}

struct jaw_tooth jaw_tooth_in_place(bool upper, bool right, int number)
{
    struct jaw_tooth tooth = {.upper = upper, .right = right, .number = number};
    const struct tooth_measures *row = upper ? upper_teeth : lower_teeth;
    double arc = 0.5 * row[number - 1].width;
    for (int before = 0; before < number - 1; before++) {
        arc += row[before].width;
    }
    double point[2], direction[2];
    arch_at(upper, right ? arc : -arc, point, direction);
    tooth.centre[0] = point[0];
    tooth.centre[1] = point[1];
    tooth.centre[2] = 0;
    for (int i = 0; i < 2; i++) {
        tooth.along[i] = right ? direction[i] : -direction[i];
    }
    /* The outside is to the left of the direction that leads to the right. */
    tooth.outward[0] = -direction[1];
    tooth.outward[1] = direction[0];
    return tooth;
}

void jaw_tooth_bounds(const struct jaw_tooth *tooth, double low[3], double high[3])
{
    const struct tooth_measures *measures = measures_of(tooth);
    double reach = neck_height + measures->root_length + 5;
    for (int axis = 0; axis < 2; axis++) {
        low[axis] = tooth->centre[axis] - measures->width;
        high[axis] = tooth->centre[axis] + measures->width;
    }
    low[2] = tooth->upper ? -2 : -reach;
    high[2] = tooth->upper ? reach : 2;
}

/* From the tooth's own directions (along the arch, outward, towards the other jaw) to space. */
static void tooth_point(const struct jaw_tooth *tooth, double along, double outward, double height, double point[3])
{
    for (int axis = 0; axis < 2; axis++) {
        point[axis] = tooth->centre[axis] + along * tooth->along[axis] + outward * tooth->outward[axis];
    }
    point[2] = tooth->centre[2] + (tooth->upper ? -height : height);
}

static void tooth_half_space(struct implicit_shape *shape, const struct jaw_tooth *tooth, double height, double side)
{
    double point[3], outward[3] = {0, 0, tooth->upper ? -side : side};
    tooth_point(tooth, 0, 0, height, point);
    shape_half_space(shape, point, outward);
}

/* ---- teeth ------------------------------------------------------------------------------------------------------- */

/* The roots, thicker by `more` and joined by a fillet of about `smooth`; leaves one value. */
static void describe_roots(struct implicit_shape *shape, const struct jaw_tooth *tooth, double more, double smooth)
{
    const struct tooth_measures *measures = measures_of(tooth);
    int roots = measures->root_offset > 0 ? 2 : 1;
    for (int root = 0; root < roots; root++) {
        double offset = roots == 1 ? 0 : root == 0 ? -measures->root_offset : measures->root_offset;
        double top[3], tip[3];
        tooth_point(tooth, offset, 0, -neck_height + 0.5, top);
        tooth_point(tooth, 0.8 * offset, 0, -neck_height - measures->root_length, tip);
        shape_cone(shape, top, measures->root_radius + 0.3 + more, tip, 0.95 + more);
        if (root > 0) {
            shape_union(shape, smooth);
        }
    }
}

/* One flattened cone from the neck upward, cut off at `top` and at the neck. */
static void describe_crown_body(struct implicit_shape *shape, const struct jaw_tooth *tooth, double neck, double top)
{
    const struct tooth_measures *measures = measures_of(tooth);
    bool wide = measures->width >= measures->depth;
    double radius = 0.5 * (wide ? measures->width : measures->depth) - 0.05;
    double factor = wide ? measures->width / measures->depth : measures->depth / measures->width;
    double flat[3] = {wide ? tooth->outward[0] : tooth->along[0], wide ? tooth->outward[1] : tooth->along[1], 0};
    double low[3], high[3];
    tooth_point(tooth, 0, 0, -neck_height + 1, low);
    tooth_point(tooth, 0, 0, top - 0.2 * radius, high);
    shape_flat_cone(shape, low, neck * radius, high, radius, flat, factor);
    tooth_half_space(shape, tooth, top, 1);
    shape_intersection(shape, 0.8);
    tooth_half_space(shape, tooth, -neck_height - 0.2, -1);
    shape_intersection(shape, 0.5);
}

static void describe_cusp(struct implicit_shape *shape, const struct jaw_tooth *tooth, double along, double outward,
                          double tip)
{
    const struct tooth_measures *measures = measures_of(tooth);
    double base[3], point[3];
    tooth_point(tooth, 0.9 * along * measures->width, 0.9 * outward * measures->depth, tip - 4, base);
    tooth_point(tooth, along * measures->width, outward * measures->depth, tip - 1.5, point);
    shape_cone(shape, base, 2.4, point, 1.5);
    shape_union(shape, 0.7);
}

void jaw_describe_tooth(struct implicit_shape *shape, const struct jaw_tooth *tooth)
{
    if (tooth->number <= 2) {
        describe_crown_body(shape, tooth, 0.86, 0);
    } else if (tooth->number == 3) {
        describe_crown_body(shape, tooth, 0.86, -2.2);
        describe_cusp(shape, tooth, 0, 0, 0.4);
    } else if (tooth->number <= 5) {
        describe_crown_body(shape, tooth, 0.86, -1.8);
        describe_cusp(shape, tooth, 0, 0.24, 0);
        describe_cusp(shape, tooth, 0, -0.24, -0.5);
    } else {
        describe_crown_body(shape, tooth, 0.85, -1.5);
        for (int cusp = 0; cusp < 4; cusp++) {
            describe_cusp(shape, tooth, cusp & 1 ? 0.24 : -0.24, cusp & 2 ? 0.24 : -0.24, cusp & 2 ? 0 : -0.3);
        }
    }
    describe_roots(shape, tooth, 0, 0);
    shape_union(shape, 0.8);
}

/* ---- smooth teeth ------------------------------------------------------------------------------------------------ */

/* A cone between two places of the tooth: along and outward in shares of its width and depth, heights in mm. */
static void tooth_cone(struct implicit_shape *shape, const struct jaw_tooth *tooth, const double low[3],
                       double low_radius, const double high[3], double high_radius)
{
    const struct tooth_measures *measures = measures_of(tooth);
    double from[3], to[3];
    tooth_point(tooth, low[0] * measures->width, low[1] * measures->depth, low[2], from);
    tooth_point(tooth, high[0] * measures->width, high[1] * measures->depth, high[2], to);
    shape_cone(shape, from, low_radius, to, high_radius);
}

/* A chisel: thick at the neck, wide and thin at the edge. */
static void describe_incisor(struct implicit_shape *shape, const struct jaw_tooth *tooth)
{
    const struct tooth_measures *measures = measures_of(tooth);
    double thick = 0.36 * measures->depth, edge = 0.11 * measures->width + 0.25;
    for (int side = -1; side <= 1; side++) {
        const double neck[3] = {0.12 * side, 0, -neck_height}, belly[3] = {0.24 * side, 0.04, -4.2},
                     tip[3] = {0.33 * side, 0.02, -edge};
        tooth_cone(shape, tooth, neck, thick, belly, 0.3 * measures->depth);
        tooth_cone(shape, tooth, belly, 0.3 * measures->depth, tip, edge);
        shape_union(shape, 1);
        if (side > -1) {
            shape_union(shape, 3.5);
        }
    }
}

static void describe_canine(struct implicit_shape *shape, const struct jaw_tooth *tooth)
{
    const struct tooth_measures *measures = measures_of(tooth);
    double belly_radius = 0.3 * measures->width;
    for (int side = -1; side <= 1; side += 2) {
        const double neck[3] = {0.08 * side, 0, -neck_height}, belly[3] = {0.17 * side, 0.05, -3.6},
                     tip[3] = {0, 0.02, -1.3};
        tooth_cone(shape, tooth, neck, 0.33 * measures->width, belly, belly_radius);
        tooth_cone(shape, tooth, belly, belly_radius, tip, 1.2);
        shape_union(shape, 1.5);
        if (side > 0) {
            shape_union(shape, 2);
        }
    }
}

/* A body that widens from the neck, and cusps on it: one a side of the arch, or two. */
static void describe_grinder(struct implicit_shape *shape, const struct jaw_tooth *tooth, int cusps_along)
{
    const struct tooth_measures *measures = measures_of(tooth);
    double radius = 0.5 * (cusps_along > 1 ? measures->depth : measures->width) - 0.2;
    double reach = cusps_along > 1 ? 0.14 : 0.04, across = cusps_along > 1 ? 0.02 : 0.07;
    for (int side = -1; side <= 1; side += 2) {
        const double neck[3] = {0.75 * reach * side, across * side, -neck_height},
                     belly[3] = {reach * side, across * side, -4.4};
        tooth_cone(shape, tooth, neck, 0.84 * radius, belly, 0.92 * radius);
        if (side > 0) {
            shape_union(shape, 2.5);
        }
    }
    tooth_half_space(shape, tooth, -1.9, 1);
    shape_intersection(shape, 1.2);
    for (int cusp = 0; cusp < 2 * cusps_along; cusp++) {
        bool outside = (cusp & 1) == 0;
        double along = cusps_along > 1 ? (cusp & 2 ? 0.25 : -0.25) : 0;
        double tip = (cusps_along > 1 ? -0.2 : 0) - (outside ? 0 : 0.4);
        double size = cusps_along > 1 ? 0.14 * measures->width : 0.19 * measures->width;
        const double base[3] = {0.9 * along, outside ? 0.22 : -0.22, -4.4},
                     top[3] = {along, outside ? 0.25 : -0.25, tip - size};
        tooth_cone(shape, tooth, base, 1.45 * size, top, size);
        shape_union(shape, 1.1);
    }
}

void jaw_describe_smooth_tooth(struct implicit_shape *shape, const struct jaw_tooth *tooth)
{
    if (tooth->number <= 2) {
        describe_incisor(shape, tooth);
    } else if (tooth->number == 3) {
        describe_canine(shape, tooth);
    } else {
        describe_grinder(shape, tooth, tooth->number <= 5 ? 1 : 2);
    }
    describe_roots(shape, tooth, 0, 1.5);
    shape_union(shape, 1.6);
}

void jaw_describe_ligament(struct implicit_shape *shape, const struct jaw_tooth *tooth, const struct jaw_fit *fit)
{
    describe_roots(shape, tooth, fit->tooth_cleft + fit->ligament, 0);
    describe_roots(shape, tooth, fit->tooth_cleft, 0);
    shape_subtraction(shape, 0);
    tooth_half_space(shape, tooth, -crest_height - 0.5, 1);
    shape_intersection(shape, 0);
}

/* ---- bones ------------------------------------------------------------------------------------------------------- */

/* Capsules along the arch from -reach to reach, at a height, shifted outward; leaves one value. */
static void describe_row(struct implicit_shape *shape, bool upper, double reach, double height, double outward,
                         double front_radius, double back_radius)
{
    enum { PIECES = 14 };
    double before[3] = {0}, radius_before = 0;
    for (int piece = 0; piece <= PIECES; piece++) {
        double part = 2.0 * piece / PIECES - 1;
        double point[2], direction[2];
        arch_at(upper, part * reach, point, direction);
        double at[3] = {point[0] - outward * direction[1], point[1] + outward * direction[0], height};
        double radius = front_radius + (back_radius - front_radius) * part * part;
        if (piece > 0) {
            shape_cone(shape, before, radius_before, at, radius);
        }
        if (piece > 1) {
            shape_union(shape, 0.5);
        }
        for (int axis = 0; axis < 3; axis++) {
            before[axis] = at[axis];
        }
        radius_before = radius;
    }
}

static void cut_sockets(struct implicit_shape *shape, bool upper, const struct jaw_tooth *teeth, uint32_t count,
                        const struct jaw_fit *fit)
{
    for (uint32_t i = 0; i < count; i++) {
        if (teeth[i].upper != upper) {
            continue;
        }
        double more = upper ? 1.8 * fit->bone_cleft : fit->tooth_cleft + fit->ligament + fit->bone_cleft;
        /* No thin wall of bone between two roots: the lattice could not hold it. */
        describe_roots(shape, &teeth[i], more, 5);
        shape_subtraction(shape, 0);
    }
}

/* The ascending branch of one side with condyle and coronoid process, flat across x. */
static void describe_branch(struct implicit_shape *shape, double side)
{
    static const double flat[3] = {1, 0, 0};
    const double corner[3] = {side * 29, 0, -22}, angle[3] = {side * 40, -30, -20}, middle[3] = {side * 44, -32, 0};
    const double neck[3] = {side * 46.5, -41, 22}, root[3] = {side * 43, -24, 2}, tip[3] = {side * 44.5, -17, 26};
    const double condyle[3] = {side * 47.5, -44, 30}, condyle_axes[3] = {8.5, 4.5, 4.5};
    shape_flat_cone(shape, corner, 12.5, angle, 14, flat, 2.4);
    shape_union(shape, 6);
    shape_flat_cone(shape, angle, 14, middle, 16, flat, 2.7);
    shape_union(shape, 4);
    shape_flat_cone(shape, middle, 15, neck, 7, flat, 2.4);
    shape_union(shape, 4);
    shape_flat_cone(shape, root, 13, tip, 5, flat, 2.4);
    shape_union(shape, 4);
    shape_ellipsoid(shape, condyle, condyle_axes);
    shape_union(shape, 5);
}

void jaw_describe_ridge(struct implicit_shape *shape, bool upper, double more)
{
    describe_row(shape, upper, 60, upper ? crest_height + 6.5 : -crest_height - 6.2, 0, (upper ? 6.6 : 6.4) + more,
                 (upper ? 7.8 : 7.6) + more);
}

void jaw_describe_cast(struct implicit_shape *shape)
{
    static const double palate[3] = {0, 18, 25}, palate_axes[3] = {23, 29, 5}, top[3] = {0, 0, 25}, up[3] = {0, 0, 1};
    jaw_describe_ridge(shape, true, 0);
    describe_row(shape, true, 60, crest_height + 13, -1, 5.5, 6.5);
    shape_union(shape, 9);
    shape_ellipsoid(shape, palate, palate_axes);
    shape_union(shape, 6);
    shape_half_space(shape, top, up);
    shape_intersection(shape, 1.5);
}

void jaw_describe_mandible(struct implicit_shape *shape, const struct jaw_tooth *teeth, uint32_t count,
                           const struct jaw_fit *fit)
{
    describe_row(shape, false, 60, -crest_height - 6.2, 0, 6.4, 7.6);
    describe_row(shape, false, 62, -28, 1.5, 7.4, 7.2);
    shape_union(shape, 10);
    describe_branch(shape, -1);
    describe_branch(shape, 1);
    cut_sockets(shape, false, teeth, count, fit);
}

void jaw_describe_maxilla(struct implicit_shape *shape, const struct jaw_tooth *teeth, uint32_t count,
                          const struct jaw_fit *fit)
{
    static const double palate[3] = {0, 18, 27}, palate_axes[3] = {24, 30, 4.5};
    describe_row(shape, true, 60, crest_height + 6.5, 0, 6.6, 7.8);
    describe_row(shape, true, 60, crest_height + 15, -1.5, 5.5, 6.5);
    shape_union(shape, 10);
    shape_ellipsoid(shape, palate, palate_axes);
    shape_union(shape, 5);
    cut_sockets(shape, true, teeth, count, fit);
}
