/* knee: a generated knee that bends under load. Femur and tibia are driven; the cartilage of both and the two menisci
 * are elastic.
 *
 * The condyles of the femur are two ellipsoids; their cartilage is a shell around the lower part. The tibia ends in a
 * flat plateau with a plate of cartilage under each condyle. A meniscus is a wedge-shaped ring between: a disc on the
 * plateau without what the condyle needs. Its horns, front and back near the middle, are fixed to the tibia.
 * Millimetres; x to the side, y forward, z up. Proportions follow textbooks; no measured knee was used. */
#include "scenes/elementary_functions.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

enum { FLEXION, LOAD, YOUNG, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"flexion", "how far the knee is bent, degrees", 30, 0, 60},
    {"load", "how far the femur is pressed down, mm", 0.35, 0, 1.2},
    {"young", "Young's modulus of cartilage and menisci, MPa", 5, 0.1, 100},
};

static const double condyle_offset = 22, condyle_axes[3] = {13, 22.3, 22};
static const double cartilage = 3.6, cleft = 0.35;                /* thickness; free space between parts */
static const double spacing_at_scale_1 = 2, coarsest_spacing = 3; /* coarser lattices lose the cartilage */

/* Heights: lowest point of the femur's cartilage, then the tibia's cartilage, then the plateau. */
static double femur_bottom(void)
{
    return -condyle_axes[2] - cleft - cartilage;
}

static double plate_top(void)
{
    return femur_bottom() - cleft;
}

static void grown_condyle(struct implicit_shape *shape, double side, double more)
{
    const double centre[3] = {side * condyle_offset, 0, 0};
    const double axes[3] = {condyle_axes[0] + more, condyle_axes[1] + more, condyle_axes[2] + more};
    shape_ellipsoid(shape, centre, axes);
}

static void half_space(struct implicit_shape *shape, double z, double direction)
{
    const double point[3] = {0, 0, z}, outward[3] = {0, 0, direction};
    shape_half_space(shape, point, outward);
}

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static void describe_femur(struct implicit_shape *shape, double side)
{
    (void)side;
    const double top[3] = {0, -4, 85}, knee[3] = {0, -3, 22}, left[3] = {-14, -1, 8}, right[3] = {14, -1, 8};
    shape_cone(shape, top, 13, knee, 17);
    shape_cone(shape, knee, 16, left, 13);
    shape_union(shape, 6);
    shape_cone(shape, knee, 16, right, 13);
    shape_union(shape, 6);
    grown_condyle(shape, -1, 0);
    shape_union(shape, 2);
    grown_condyle(shape, 1, 0);
    shape_union(shape, 2);
}

static void describe_tibia(struct implicit_shape *shape, double side)
{
    (void)side;
    double top = plate_top() - cartilage - cleft;
    const double head[3] = {0, -2, top - 9}, middle[3] = {0, -3, top - 30}, foot[3] = {0, -4, top - 85},
                 axes[3] = {48, 31, 20};
    shape_ellipsoid(shape, head, axes);
    shape_cone(shape, middle, 17, foot, 12);
    shape_union(shape, 8);
    half_space(shape, top, 1);
    shape_intersection(shape, 1);
}

static void describe_femur_cartilage(struct implicit_shape *shape, double side)
{
    grown_condyle(shape, side, cleft + cartilage);
    grown_condyle(shape, side, cleft);
    shape_subtraction(shape, 0);
    half_space(shape, -6, 1);
    shape_intersection(shape, 0);
}

static void describe_plate(struct implicit_shape *shape, double side)
{
    const double centre[3] = {side * condyle_offset, 0, plate_top() - 0.5 * cartilage},
                 half[3] = {18, 23, 0.5 * cartilage};
    const double outline[3] = {15.5, 20.5, 60};
    shape_box(shape, centre, half, 1);
    shape_ellipsoid(shape, centre, outline);
    shape_intersection(shape, 1);
}

static void describe_meniscus(struct implicit_shape *shape, double side)
{
    const double centre[3] = {side * condyle_offset, 0, plate_top()}, axes[3] = {17, 22, 12};
    shape_ellipsoid(shape, centre, axes);
    half_space(shape, plate_top() + cleft, -1);
    shape_intersection(shape, 0);
    grown_condyle(shape, side, 2 * cleft + cartilage);
    shape_subtraction(shape, 0);
    /* A C, not an O: open towards the middle of the knee. */
    const double notch[3] = {side * 3, 0, plate_top() + 6}, notch_half[3] = {8, 9, 10};
    shape_box(shape, notch, notch_half, 2);
    shape_subtraction(shape, 0);
}

/* ---- what is held ------------------------------------------------------------------------------------------------ */

static double condyle_distance(double side, const double point[3])
{
    struct implicit_shape shape;
    shape.step_count = 0;
    grown_condyle(&shape, side, 0);
    return shape_value(&shape, point);
}

static bool inner_side(const void *user, const double point[3])
{
    return condyle_distance(*(const double *)user, point) < cleft + 0.3 * cartilage;
}

static bool lower_side(const void *user, const double point[3])
{
    (void)user;
    return point[2] < plate_top() - 0.8 * cartilage;
}

/* The horns, and the outer rim, which the capsule of the joint holds. */
static bool horn(const void *user, const double point[3])
{
    double side = *(const double *)user;
    double across = side * point[0], along = point[1] < 0 ? -point[1] : point[1];
    double x = (across - condyle_offset) / 17, y = point[1] / 22;
    return (across < 13 && along > 9) || x * x + y * y > 0.86;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

typedef void describe_function(struct implicit_shape *shape, double side);

static dent_sim_body_def *add_part(struct sim_plan *plan, dent_sim_body_kind kind, const char *name,
                                   describe_function *describe, double side, double spacing)
{
    struct implicit_shape *shape = plan_allocate(plan, 1, sizeof *shape);
    if (!shape) {
        return plan_add_body(plan, kind, name);
    }
    describe(shape, side);
    struct mesher_def def = {.low = {-48, -40, -130}, .high = {48, 40, 105}, .spacing = spacing, .shape = shape};
    if (kind == DENT_SIM_SOLID) { /* all soft parts are near the joint */
        def.low[0] = side < 0 ? -44 : -6;
        def.high[0] = side < 0 ? 6 : 44;
        def.low[2] = -36;
        def.high[2] = 2;
    }
    return part_shape(plan, kind, name, &def);
}

static void drive_femur(struct sim_plan *plan, dent_sim_body_def *body, const struct sim_scene_request *request)
{
    enum { KEYS = 9 };
    dent_sim_keyframe *keys = plan_keyframes(plan, body, KEYS);
    for (int i = 0; keys && i < KEYS; i++) {
        double part = i < 5 ? 0.25 * i : 0.25 * (8 - i);
        double load = i == 0 || i == 8 ? 0 : 1; /* lifted a little at both ends of the stroke */
        struct scene_sine_cosine half =
            scene_sine_cosine(-0.5 * part * request->parameters[FLEXION] * (SCENE_PI / 180));
        keys[i] = plan_key(0.5 * i, 0, 0, -load * (request->parameters[LOAD] + cleft));
        keys[i].rotation[0] = half.cosine;
        keys[i].rotation[1] = half.sine;
    }
    body->motion.repeat = true;
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    static const double sides[2] = {-1, 1};
    dent_sim_material bone = dent_sim_material_default(), soft = bone;
    bone.name = "bone";
    bone.density = 1.9e-6;
    soft.name = "cartilage";
    soft.density = 1.1e-6;
    soft.young = 1000 * request->parameters[YOUNG];
    soft.poisson = 0.42;
    soft.friction_static = soft.friction_kinetic = 0.02;
    uint32_t bone_number = plan_add_material(plan, &bone), soft_number = plan_add_material(plan, &soft);
    double spacing = spacing_at_scale_1 / scene_cube_root(request->scale);
    spacing = spacing < coarsest_spacing ? spacing : coarsest_spacing;
    dent_sim_body_def *femur = add_part(plan, DENT_SIM_PRESCRIBED, "femur", describe_femur, 0, 3 * spacing);
    femur->material = bone_number;
    femur->collision_mask = 0;
    drive_femur(plan, femur, request);
    dent_sim_body_def *tibia = add_part(plan, DENT_SIM_PRESCRIBED, "tibia", describe_tibia, 0, 3 * spacing);
    tibia->material = bone_number;
    tibia->collision_mask = 0;
    for (int i = 0; i < 2; i++) {
        dent_sim_body_def *part = add_part(plan, DENT_SIM_SOLID, plan_numbered_name(plan, "femoral cartilage", i),
                                           describe_femur_cartilage, sides[i], spacing);
        plan_fix_vertices(plan, part, inner_side, &sides[i]);
        drive_femur(plan, part, request);
        part->material = soft_number;
        part->self_collision = false;
        part = add_part(plan, DENT_SIM_SOLID, plan_numbered_name(plan, "tibial cartilage", i), describe_plate, sides[i],
                        spacing);
        plan_fix_vertices(plan, part, lower_side, NULL);
        part->material = soft_number;
        part->self_collision = false;
        part = add_part(plan, DENT_SIM_SOLID, plan_numbered_name(plan, "meniscus", i), describe_meniscus, sides[i],
                        spacing);
        plan_fix_vertices(plan, part, horn, &sides[i]);
        part->material = soft_number;
        part->self_collision = false;
    }
    plan->def.gravity[2] = -9810;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_knee = {
    .info = {.name = "knee",
             .summary = "a knee bends under load: cartilage and menisci between femur and tibia",
             .frame_count = 120,
             .length_unit = "mm",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
