/* bite: the scene to look at first. The jaw of the scene `jaw` once more, smooth: all its teeth, gums around them, and
 * bones with a socket for every root.
 *
 * Each part is cut finely and keeps only its surface. The lower teeth are rigid and hang in one coarse elastic solid,
 * `periodontium`, which stands for gum and ligaments: vertices of it inside a root belong to the tooth, those deep in the
 * bone follow the bone, the layer between carries the bite. The gum that is seen is a dense surface carried by it
 * (dent/embedding.h tells the idea). Contact is asked for between upper and lower teeth only. Millimetres. */
#include "jaw_chewing.h"
#include "scenes/elementary_functions.h"
#include "scenes/mesher/jaw_shapes.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

#include <math.h>

enum { OPENING, BITE, PERIOD, YOUNG, FRICTION, PARAMETER_COUNT };

static const dent_scene_parameter_info parameters[PARAMETER_COUNT] = {
    {"opening", "largest angle between the jaws, degrees", 11, 0, 30},
    {"bite", "how far the lower jaw goes beyond first contact, mm", 0.15, 0, 1},
    {"period", "of one stroke, s", 1, 0.2, 10},
    {"young", "Young's modulus of gum and ligaments, MPa", 1.5, 0.01, 1000},
    {"friction", "Coulomb's coefficient of wet enamel", 0.1, 0, 2},
};

enum { GROUP_UPPER = 2, GROUP_LOWER = 4, TEETH = 2 * JAW_TEETH_PER_SIDE };

/* The coarse solid is the first body, then come the lower teeth: recordings list solids first, and so they agree. */
enum { BODY_HOST = 0, BODY_TEETH = 1 };

/* Spacings of the lattices at scale 1, and the coarsest that still hold the parts. */
static const double tooth_spacing = 0.62, gum_spacing = 0.72, bone_spacing = 1.1, host_spacing = 2.4;
static const double coarsest_tooth = 1.4, coarsest_gum = 1.5, coarsest_bone = 3, coarsest_host = 3.2;

/* Free space between tooth and bone; how thick the gum lies on the bone (its inner side is as far below the surface of
 * it), how far the inner side is below the surfaces of teeth, how far it climbs on them. */
static const double socket_cleft = 0.4, gum_cover = 1.2, below_tooth = 0.7, collar = 0.8;
static const double gum_line = 6.3, gum_end = 18.5, host_end = 22; /* distances from the tips of the teeth */

struct bite_jaw {
    bool upper;
    uint32_t count;     /* of teeth */
    int numbers[TEETH]; /* as dentists have them: quadrant, then number from the middle */
    struct implicit_shape teeth[TEETH], ridge, bone;
    double low[TEETH][3], high[TEETH][3]; /* boxes of the teeth */
    double cover;                         /* how thick the gum lies on the bone */
};

/* ---- shapes ------------------------------------------------------------------------------------------------------ */

static double largest(double a, double b)
{
    return a > b ? a : b;
}

/* The smaller value, with a fillet. */
static double joined(double a, double b, double fillet)
{
    double h = largest(fillet - fabs(a - b), 0);
    return (a < b ? a : b) - h * h / (4 * fillet);
}

/* The larger value, with a rounded edge. */
static double common(double a, double b, double rounding)
{
    return -joined(-a, -b, rounding);
}

/* Distance of the nearest tooth; far from all teeth a number that is not above it. */
static double nearest_tooth(const struct bite_jaw *jaw, const double point[3])
{
    double nearest = INFINITY;
    for (uint32_t i = 0; i < jaw->count; i++) {
        double square = 0;
        for (int axis = 0; axis < 3; axis++) {
            double off = largest(largest(jaw->low[i][axis] - point[axis], point[axis] - jaw->high[i][axis]), 0);
            square += off * off;
        }
        double value = square > 4 ? sqrt(square) : shape_value(&jaw->teeth[i], point);
        nearest = value < nearest ? value : nearest;
    }
    return nearest;
}

/* How far a point is from the tips of the teeth, towards the bone. */
static double depth_of(const struct bite_jaw *jaw, const double point[3])
{
    return jaw->upper ? point[2] : -point[2];
}

static double bone_value(const void *user, const double point[3])
{
    const struct bite_jaw *jaw = user;
    double bone = shape_value(&jaw->bone, point);
    return bone > 3 ? bone : largest(bone, socket_cleft - nearest_tooth(jaw, point));
}

/* A cover of the bone that climbs a little on every tooth. It has grown together with both: its inner side lies below their
 * surfaces, so that it has no edges as thin as knives. */
static double gum_value(const void *user, const double point[3])
{
    const struct bite_jaw *jaw = user;
    double ridge = shape_value(&jaw->ridge, point);
    if (ridge > 8) {
        return ridge - 4;
    }
    double bone = shape_value(&jaw->bone, point), tooth = nearest_tooth(jaw, point), depth = depth_of(jaw, point);
    double gum = joined(bone - jaw->cover, tooth - collar, 2.4);
    gum = common(gum, ridge - 4, 2);
    gum = common(gum, gum_line - depth, 1.2);
    gum = common(gum, depth - gum_end - 3 * jaw->cover, 1);
    gum = common(gum, (depth - gum_end) / 3 + bone, 1);
    gum = largest(gum, -jaw->cover - bone);
    return largest(gum, -below_tooth - tooth);
}

/* The coarse solid: the ridge, no holes. */
static double host_value(const void *user, const double point[3])
{
    const struct bite_jaw *jaw = user;
    return largest(shape_value(&jaw->ridge, point), depth_of(jaw, point) - host_end);
}

/* Small scales are for tests: fewer teeth, the front ones that meet first and the first molars. */
static bool has_tooth(double scale, int number)
{
    return scale >= 0.08 || number == 1 || number == 6;
}

static struct bite_jaw *describe_jaw(struct sim_plan *plan, bool upper, double scale, double cover)
{
    struct bite_jaw *jaw = plan_allocate(plan, 1, sizeof *jaw);
    if (!jaw) {
        return NULL;
    }
    const struct jaw_fit fit = {0};
    jaw->upper = upper;
    jaw->cover = cover;
    for (int place = 0; place < TEETH; place++) {
        int number = 1 + place / 2, quadrant = upper ? (place & 1 ? 1 : 2) : (place & 1 ? 4 : 3);
        if (!has_tooth(scale, number)) {
            continue;
        }
        struct jaw_tooth tooth = jaw_tooth_in_place(upper, place & 1, number);
        jaw_describe_smooth_tooth(&jaw->teeth[jaw->count], &tooth);
        jaw_tooth_bounds(&tooth, jaw->low[jaw->count], jaw->high[jaw->count]);
        jaw->numbers[jaw->count++] = 10 * quadrant + number;
    }
    jaw_describe_ridge(&jaw->ridge, upper, 0);
    if (upper) {
        jaw_describe_cast(&jaw->bone);
    } else {
        jaw_describe_mandible(&jaw->bone, NULL, 0, &fit);
    }
    return jaw;
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

struct bite_builder {
    struct sim_plan *plan;
    const struct chewing *chewing;
    struct bite_jaw *lower, *upper;
    double coarseness;
    uint32_t enamel, tissue, bone;
};

static double spacing_of(const struct bite_builder *builder, double at_scale_1, double coarsest)
{
    double spacing = at_scale_1 * builder->coarseness;
    return spacing < coarsest ? spacing : coarsest;
}

static struct mesher_def whole_jaw(const struct bite_jaw *jaw, double spacing,
                                   double (*value)(const void *, const double *))
{
    struct mesher_def def = {.spacing = spacing, .value = value, .shape = jaw};
    for (int axis = 0; axis < 3; axis++) {
        def.low[axis] = jaw->upper ? jaw_maxilla_low[axis] : jaw_mandible_low[axis];
        def.high[axis] = jaw->upper ? jaw_maxilla_high[axis] : jaw_mandible_high[axis];
    }
    return def;
}

/* The part of it that has gum. */
static struct mesher_def ridge_of(const struct bite_jaw *jaw, double spacing,
                                  double (*value)(const void *, const double *))
{
    struct mesher_def def = whole_jaw(jaw, spacing, value);
    def.low[1] = -16;
    def.low[2] = jaw->upper ? 2 : -26;
    def.high[2] = jaw->upper ? 26 : -2;
    def.low[0] = -44, def.high[0] = 44;
    return def;
}

static dent_sim_body_def *add_surface(const struct bite_builder *builder, dent_sim_body_kind kind, const char *name,
                                      const struct mesher_def *def, uint32_t material, bool lower)
{
    dent_sim_body_def *body = part_shape(builder->plan, kind, name, def);
    plan_keep_surface(builder->plan, body);
    body->material = material;
    body->collision_mask = 0;
    body->self_collision = false;
    if (lower) {
        chewing_add(builder->plan, body, builder->chewing);
    }
    return body;
}

static void add_teeth(const struct bite_builder *builder, const struct bite_jaw *jaw)
{
    for (uint32_t i = 0; i < jaw->count && builder->plan->status == DENT_OK; i++) {
        struct mesher_def def = {.spacing = spacing_of(builder, tooth_spacing, coarsest_tooth),
                                 .shape = &jaw->teeth[i]};
        for (int axis = 0; axis < 3; axis++) {
            def.low[axis] = jaw->low[i][axis];
            def.high[axis] = jaw->high[i][axis];
        }
        dent_sim_body_def *body = add_surface(builder, jaw->upper ? DENT_SIM_PRESCRIBED : DENT_SIM_RIGID,
                                              plan_numbered_name(builder->plan, "tooth", jaw->numbers[i]), &def,
                                              builder->enamel, !jaw->upper);
        body->collision_group = jaw->upper ? GROUP_UPPER : GROUP_LOWER;
        body->collision_mask = jaw->upper ? GROUP_LOWER : GROUP_UPPER;
    }
}

/* Regions of the coarse solid, told in the closed jaw: its own vertices are already where the open jaw has them. */
struct host_region {
    const struct bite_jaw *jaw;
    const double *positions, *closed;
};

static const double *closed_point(const struct host_region *region, const double *point)
{
    return region->closed + (point - region->positions);
}

static bool in_the_bone(const void *user, const double point[3])
{
    const struct host_region *region = user;
    const double *closed = closed_point(region, point);
    return depth_of(region->jaw, closed) > 12.5 && nearest_tooth(region->jaw, closed) > 1.2;
}

/* Four vertices of a tooth that span space: its lowest, its highest, and those farthest to two sides. */
static void choose_frame(const dent_sim_body_def *tooth, uint32_t frame[4])
{
    static const double directions[4][3] = {{0, 0, -1}, {0, 0, 1}, {1, 0.2, 0}, {-0.2, 1, 0}};
    for (int k = 0; k < 4; k++) {
        double best = -INFINITY;
        for (uint32_t v = 0; v < tooth->vertex_count; v++) {
            const double *x = tooth->positions + 3 * (size_t)v;
            double reach = x[0] * directions[k][0] + x[1] * directions[k][1] + x[2] * directions[k][2];
            if (reach > best) {
                best = reach;
                frame[k] = v;
            }
        }
    }
}

static double determinant(const double a[3], const double b[3], const double c[3])
{
    return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

/* The point as an affine sum of the four vertices, which a rigid body carries along exactly. */
static void affine_weights(const dent_sim_body_def *tooth, const uint32_t frame[4], const double point[3],
                           double weights[4])
{
    double edges[3][3], to[3];
    const double *origin = tooth->positions + 3 * (size_t)frame[0];
    for (int axis = 0; axis < 3; axis++) {
        to[axis] = point[axis] - origin[axis];
        for (int k = 0; k < 3; k++) {
            edges[k][axis] = tooth->positions[3 * (size_t)frame[k + 1] + (size_t)axis] - origin[axis];
        }
    }
    double whole = determinant(edges[0], edges[1], edges[2]);
    weights[1] = determinant(to, edges[1], edges[2]) / whole;
    weights[2] = determinant(edges[0], to, edges[2]) / whole;
    weights[3] = determinant(edges[0], edges[1], to) / whole;
    weights[0] = ((1 - weights[1]) - weights[2]) - weights[3];
}

/* Vertices of the coarse solid in a root belong to the tooth. */
static void bond_teeth(const struct bite_builder *builder, const struct host_region *region)
{
    struct sim_plan *plan = builder->plan;
    for (uint32_t i = 0; i < region->jaw->count && plan->status == DENT_OK; i++) {
        const dent_sim_body_def *tooth = &plan->bodies[BODY_TEETH + i], *solid = &plan->bodies[BODY_HOST];
        dent_sim_attachment tie = dent_sim_attachment_default();
        tie.body_a = BODY_HOST;
        tie.body_b = BODY_TEETH + i;
        choose_frame(tooth, tie.vertices_b);
        for (uint32_t v = 0; v < solid->vertex_count; v++) {
            const double *point = solid->positions + 3 * (size_t)v;
            if (shape_value(&region->jaw->teeth[i], closed_point(region, point)) < 0.35) {
                tie.vertex_a = v;
                affine_weights(tooth, tie.vertices_b, point, tie.weights_b);
                plan_add_attachment(plan, &tie);
            }
        }
    }
}

/* Returns where its vertices are in the closed jaw. */
static const double *add_periodontium(const struct bite_builder *builder)
{
    struct sim_plan *plan = builder->plan;
    struct mesher_def def = ridge_of(builder->lower, spacing_of(builder, host_spacing, coarsest_host), host_value);
    dent_sim_body_def *body = part_shape(plan, DENT_SIM_SOLID, "periodontium", &def);
    body->material = builder->tissue;
    body->collision_mask = 0;
    body->self_collision = false;
    return chewing_add(plan, body, builder->chewing);
}

/* Fixes the coarse solid in the bone and hangs the teeth into it. */
static void hold_periodontium(const struct bite_builder *builder, const double *closed)
{
    struct sim_plan *plan = builder->plan;
    if (plan->status != DENT_OK) {
        return;
    }
    struct host_region region = {
        .jaw = builder->lower, .closed = closed, .positions = plan->bodies[BODY_HOST].positions};
    plan_fix_vertices(plan, &plan->bodies[BODY_HOST], in_the_bone, &region);
    bond_teeth(builder, &region);
}

static void add_bodies(const struct bite_builder *builder)
{
    double gum = spacing_of(builder, gum_spacing, coarsest_gum),
           bone = spacing_of(builder, bone_spacing, coarsest_bone);
    const double *closed = add_periodontium(builder);
    add_teeth(builder, builder->lower);
    add_teeth(builder, builder->upper);
    hold_periodontium(builder, closed);
    struct mesher_def def = whole_jaw(builder->lower, bone, bone_value);
    add_surface(builder, DENT_SIM_PRESCRIBED, "mandible", &def, builder->bone, true);
    def = whole_jaw(builder->upper, bone, bone_value);
    add_surface(builder, DENT_SIM_PRESCRIBED, "maxilla", &def, builder->bone, false);
    def = ridge_of(builder->upper, gum, gum_value);
    add_surface(builder, DENT_SIM_PRESCRIBED, "upper gum", &def, builder->tissue, false);
    def = ridge_of(builder->lower, gum, gum_value);
    add_surface(builder, DENT_SIM_EMBEDDED, "lower gum", &def, builder->tissue, true)->host = BODY_HOST;
}

static void add_materials(struct bite_builder *builder, const struct sim_scene_request *request)
{
    struct chewing_materials materials = chewing_add_materials(builder->plan, request->parameters[FRICTION],
                                                               "periodontium", request->parameters[YOUNG]);
    builder->bone = materials.bone;
    builder->enamel = materials.enamel;
    builder->tissue = materials.tissue;
}

static void build(struct sim_plan *plan, const struct sim_scene_request *request)
{
    struct chewing *chewing = plan_allocate(plan, 1, sizeof *chewing);
    struct bite_builder builder = {.plan = plan, .chewing = chewing, .coarseness = 1 / scene_cube_root(request->scale)};
    /* A cover thinner than its cells would fall apart. */
    double cover = largest(gum_cover, 1.5 * spacing_of(&builder, gum_spacing, coarsest_gum));
    builder.lower = describe_jaw(plan, false, request->scale, cover);
    builder.upper = describe_jaw(plan, true, request->scale, cover);
    if (plan->status != DENT_OK) {
        return;
    }
    *chewing = (struct chewing){.opening = request->parameters[OPENING] * (SCENE_PI / 180),
                                .bite = request->parameters[BITE],
                                .period = request->parameters[PERIOD]};
    add_materials(&builder, request);
    add_bodies(&builder);
    plan->def.gravity[2] = -9810;
    plan->def.air_damping = 10;
    plan->def.time_step = 1.0 / 120;
    plan->steps_per_frame = 4;
}

const struct sim_scene_row sim_scene_bite = {
    .info = {.name = "bite",
             .summary = "a smooth jaw bites: teeth with roots in sockets, gums carried by a coarse solid",
             .frame_count = 90,
             .length_unit = "mm",
             .parameter_count = PARAMETER_COUNT,
             .parameters = parameters},
    .build = build,
};
