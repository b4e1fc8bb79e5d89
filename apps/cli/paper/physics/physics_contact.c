/* physics_contact.c — contact of elastic bodies: rebound, weight on a plane, Hertz, the friction angle. */
#include "physics_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

/* ---- rebound --------------------------------------------------------------------------------------------- */

#define BALL_RADIUS 0.1
#define DROP_HEIGHT 0.5

/* How high the centre of a ball comes after it met the ground, over the height of its fall. Restitution 0. */
static double rise_after_drop(dent_context *context, double young, uint32_t finer, physics_result *result)
{
    physics_stage stage;
    const double center[3] = {0.013, 0.007, DROP_HEIGHT + BALL_RADIUS + 2 * PHYSICS_THICKNESS};
    double start[3], now[3], lowest = INFINITY, rise = 0, highest = -INFINITY;
    bool falls_again = false;
    physics_open(&stage, context);
    stage.materials[0].young = young;
    stage.materials[0].poisson = 0.3;
    stage.materials[0].damping = 0;
    stage.def.time_step /= finer;
    physics_set_thickness(&stage, PHYSICS_THICKNESS);
    physics_add_ground(&stage, 4);
    uint32_t ball = physics_add(&stage, DENT_SIM_SOLID, physics_ball(context, 4, BALL_RADIUS, center));
    if (physics_begin(&stage)) {
        physics_center(&stage, ball, start);
        for (uint32_t n = 0; n < 60 * finer && physics_step(&stage); n++) {
            physics_center(&stage, ball, now);
            highest = fmax(highest, now[2] - start[2]); /* at any time, of later bounces, too */
            if (!falls_again) {
                rise = fmax(now[2] < lowest ? 0 : rise, now[2] - fmin(lowest, now[2]));
                lowest = fmin(lowest, now[2]);
            }
            /* then the second bounce may be seen at a lower point; a reference ends here */
            falls_again = falls_again || (rise > 0.01 * DROP_HEIGHT && now[2] < lowest + 0.9 * rise);
            if (falls_again && finer > 1) {
                break;
            }
        }
        rise = highest > 0 ? INFINITY : rise;
    }
    if (stage.failed) {
        physics_fail(result, &stage);
        rise = INFINITY;
    }
    physics_close(&stage);
    return rise / DROP_HEIGHT;
}

void measure_rebound(dent_context *context, const physics_case *row, physics_result *result)
{
    bool at_once = row->parameters[1] > 0;
    double reference = at_once ? 0 : rise_after_drop(context, row->parameters[0], 16, result);
    double rise = rise_after_drop(context, row->parameters[0], 1, result);
    physics_judge(result, reference, rise);
    result->value = rise > 1 ? INFINITY : rise - reference;
    if (result->note[0] == '\0') {
        snprintf(result->note, sizeof result->note, "rise over drop; reference %s",
                 at_once ? "0: the contact is shorter than a substep" : "with 1/16 of the step");
    }
}

/* ---- weight ---------------------------------------------------------------------------------------------- */

void measure_weight(dent_context *context, const physics_case *row, physics_result *result)
{
    physics_stage stage;
    const uint32_t cells[3] = {2, 2, 2};
    const double low[3] = {-0.05, -0.05, 2 * PHYSICS_THICKNESS}, high[3] = {0.05, 0.05, 0.1 + 2 * PHYSICS_THICKNESS};
    double least = INFINITY, most = -INFINITY, force[3];
    physics_open(&stage, context);
    stage.materials[0].young = row->parameters[0];
    stage.materials[0].density = row->parameters[1];
    stage.materials[0].poisson = 0.3;
    physics_set_thickness(&stage, PHYSICS_THICKNESS);
    uint32_t ground = physics_add_ground(&stage, 1);
    uint32_t block = physics_add(&stage, DENT_SIM_SOLID, physics_box(context, cells, low, high));
    if (physics_begin(&stage) && physics_steps(&stage, 180)) {
        for (int n = 0; n < 30 && physics_step(&stage); n++) {
            physics_contact_force(&stage, ground, force);
            least = fmin(least, -force[2]);
            most = fmax(most, -force[2]);
        }
    }
    if (stage.failed) {
        physics_fail(result, &stage);
    } else {
        double weight = PHYSICS_GRAVITY * physics_mass(&stage, block);
        bool too_much = most - weight > weight - least;
        physics_judge(result, weight, too_much ? most : least);
        snprintf(result->note, sizeof result->note, "the worst of 30 steps after 3 s; %.6g to %.6g N", least, most);
    }
    physics_close(&stage);
}

/* ---- Hertz ----------------------------------------------------------------------------------------------- */

/* A rigid sphere pressed into an elastic block of graded cells. The contact radius is four of the finest cells; the
 * block is 20 contact radii deep, and the reference is corrected for that (Dimitriadis and others 2002, bonded).
 *
 * The force follows from the field of the whole half space, so cells may not grow fast: with the same four cells and the
 * same depth, a growth of 1.8, 1.5, 1.35, 1.2 per layer gives 1.142, 1.075, 1.046, 1.028 of Hertz's force. With 1.7 and
 * eight cells of contact radius it is 1.151, with 1.8 and a sphere of ten times the radius 1.145: what is too stiff are
 * long thin tetrahedra far away, not the contact and not the strains. */
#define FINE_CELL 0.0025
#define CONTACT_RADIUS (4 * FINE_CELL)
#define SPHERE_RADIUS (5 * CONTACT_RADIUS)
#define GROWTH 1.35 /* of a coarse layer over the one before */
enum { FINE_CELLS = 5, COARSE_CELLS = 10, HALF_CELLS = FINE_CELLS + COARSE_CELLS };

/* The coordinate of a layer of vertices, counted from the middle (or the top). */
static double graded(int layer)
{
    double sign = layer < 0 ? -1 : 1, place = 0, size = FINE_CELL;
    for (int n = 0; n < layer * (int)sign; n++) {
        size *= n >= FINE_CELLS ? GROWTH : 1;
        place += size;
    }
    return sign * place;
}

static physics_mesh graded_block(dent_context *context)
{
    const uint32_t cells[3] = {2 * HALF_CELLS, 2 * HALF_CELLS, HALF_CELLS};
    const double low[3] = {-HALF_CELLS, -HALF_CELLS, -HALF_CELLS}, high[3] = {HALF_CELLS, HALF_CELLS, 0};
    physics_mesh mesh = physics_box(context, cells, low, high);
    for (uint32_t n = 0; n < 3 * mesh.vertex_count; n++) {
        mesh.positions[n] = graded((int)lround(mesh.positions[n]));
    }
    return mesh;
}

static physics_mesh spherical_cap(dent_context *context, double height)
{
    physics_mesh mesh = physics_sheet(context, 32, 16 * FINE_CELL, 0);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        double *p = mesh.positions + 3 * (size_t)v;
        double square = p[0] * p[0] + p[1] * p[1];
        p[2] = height + SPHERE_RADIUS - sqrt(SPHERE_RADIUS * SPHERE_RADIUS - square);
    }
    return mesh;
}

static double hertz_force(double young, double poisson, double depth, double thickness)
{
    double modulus = young / (1 - poisson * poisson), ratio = sqrt(SPHERE_RADIUS * depth) / thickness;
    double alpha = -(1.2876 - 1.4678 * poisson + 1.3442 * poisson * poisson) / (1 - poisson);
    double layer = 1 - 2 * alpha / PI * ratio + 4 * alpha * alpha / (PI * PI) * ratio * ratio;
    return 4.0 / 3 * modulus * sqrt(SPHERE_RADIUS) * pow(depth, 1.5) * layer;
}

void measure_hertz(dent_context *context, const physics_case *row, physics_result *result)
{
    physics_stage stage;
    const double thickness = 0.01 * FINE_CELL, depth = CONTACT_RADIUS * CONTACT_RADIUS / SPHERE_RADIUS;
    const dent_sim_keyframe keys[2] = {{0, {1, 0, 0, 0}, {0, 0, 0}}, {0.2, {1, 0, 0, 0}, {0, 0, -depth}}};
    double force[3];
    physics_open(&stage, context);
    stage.materials[0].young = row->parameters[0];
    stage.materials[0].poisson = row->parameters[1];
    stage.materials[0].damping = 0.005;
    stage.materials[0].friction_static = stage.materials[0].friction_kinetic = 0;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    physics_set_thickness(&stage, thickness);
    uint32_t block = physics_add(&stage, DENT_SIM_SOLID, graded_block(context));
    physics_fix_below(&stage, block, 2, graded(-HALF_CELLS) + 1e-6);
    uint32_t cap = physics_add(&stage, DENT_SIM_PRESCRIBED, spherical_cap(context, 2 * thickness));
    stage.bodies[cap].motion.keyframe_count = 2;
    stage.bodies[cap].motion.keyframes = keys;
    if (physics_begin(&stage) && physics_steps(&stage, 36)) {
        physics_contact_force(&stage, cap, force);
        physics_judge(result, hertz_force(row->parameters[0], row->parameters[1], depth, graded(HALF_CELLS)), force[2]);
        snprintf(result->note, sizeof result->note, "%u cells; contact radius %g m, four cells; depth %g m",
                 stage.meshes[block].element_count, CONTACT_RADIUS, depth);
    } else {
        physics_fail(result, &stage);
    }
    physics_close(&stage);
}

/* ---- the friction angle ---------------------------------------------------------------------------------- */

/* A block on a slope (gravity is turned). Below the friction angle it must stay: the reference is speed 0, judged in
 * parts of the speed at which it would slide at 1.005 of the angle. Above, its acceleration gives the friction
 * coefficient that acts. */
void measure_incline(dent_context *context, const physics_case *row, physics_result *result)
{
    const double friction = 0.5, seconds = 2, limit = atan(friction), angle = row->parameters[1] * limit;
    physics_stage stage;
    const uint32_t cells[3] = {2, 2, 2};
    const double low[3] = {-0.05, -0.05, 2 * PHYSICS_THICKNESS}, high[3] = {0.05, 0.05, 0.1 + 2 * PHYSICS_THICKNESS};
    double velocity[3];
    dent_sim_body_kind kind = row->parameters[0] > 0 ? DENT_SIM_SOLID : DENT_SIM_RIGID;
    physics_open(&stage, context);
    stage.materials[0].young = row->parameters[0] > 0 ? row->parameters[0] : 1e6;
    stage.materials[0].poisson = 0.3;
    stage.materials[0].friction_static = stage.materials[0].friction_kinetic = friction;
    stage.def.gravity[0] = PHYSICS_GRAVITY * sin(angle);
    stage.def.gravity[2] = -PHYSICS_GRAVITY * cos(angle);
    physics_set_thickness(&stage, PHYSICS_THICKNESS);
    physics_add_ground(&stage, 4);
    uint32_t block = physics_add(&stage, kind, physics_box(context, cells, low, high));
    if (physics_begin(&stage) && physics_steps(&stage, (uint32_t)(60 * seconds))) {
        double sliding = seconds * PHYSICS_GRAVITY * (sin(1.005 * limit) - friction * cos(1.005 * limit));
        physics_mean_velocity(&stage, block, velocity);
        if (row->parameters[1] > 1) {
            double acting = tan(angle) - velocity[0] / (seconds * PHYSICS_GRAVITY * cos(angle));
            physics_judge(result, friction, acting);
        } else {
            physics_judge(result, 0, velocity[0]);
            result->value = velocity[0] / sliding;
        }
        snprintf(result->note, sizeof result->note, "after 2 s at %.4f degrees: %.4g m/s; sliding at 1.005: %.4g m/s",
                 angle * 180 / PI, velocity[0], sliding);
    } else {
        physics_fail(result, &stage);
    }
    physics_close(&stage);
}
