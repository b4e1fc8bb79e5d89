/* physics_rigid.c — rigid bodies: stacks at rest, and bullets against a thin plate. */
#include "physics_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- stacks ---------------------------------------------------------------------------------------------- */

#define BOX_SIZE 0.2

/* Boxes a contact distance apart. The largest speed of any vertex from 2 s to the end. */
void measure_stack(dent_context *context, const physics_case *row, physics_result *result)
{
    physics_stage stage;
    const uint32_t cells[3] = {2, 2, 2}, boxes = (uint32_t)row->parameters[0];
    const uint32_t steps = (uint32_t)(60 * row->parameters[2]);
    double fastest = 0, at = 0, top[3];
    physics_open(&stage, context);
    stage.def.sleep = false; /* at rest because the solver holds them */
    physics_set_thickness(&stage, PHYSICS_THICKNESS);
    physics_add_ground(&stage, 4);
    for (uint32_t n = 0; n < boxes; n++) {
        double bottom = n * BOX_SIZE + (n + 1) * 2 * PHYSICS_THICKNESS;
        const double low[3] = {-BOX_SIZE / 2, -BOX_SIZE / 2, bottom};
        const double high[3] = {BOX_SIZE / 2, BOX_SIZE / 2, bottom + BOX_SIZE};
        uint32_t box = physics_add(&stage, DENT_SIM_RIGID, physics_box(context, cells, low, high));
        stage.bodies[box].density = n + 1 == boxes ? 1000 * row->parameters[1] : 1000;
    }
    bool good = physics_begin(&stage);
    for (uint32_t n = 0; n < steps && good && physics_step(&stage); n++) {
        for (uint32_t box = 1; box <= boxes && n >= 120; box++) {
            double speed = physics_largest_speed(&stage, box);
            at = speed > fastest ? n / 60.0 : at;
            fastest = fmax(fastest, speed);
        }
    }
    if (stage.failed) {
        physics_fail(result, &stage);
    } else {
        double height = boxes * BOX_SIZE - BOX_SIZE / 2;
        physics_center(&stage, boxes, top);
        physics_judge(result, 0, fastest);
        snprintf(result->note, sizeof result->note, "largest speed, at %.1f s; the top box is at %.4f of its height",
                 at, top[2] / height);
    }
    physics_close(&stage);
}

/* ---- bullets --------------------------------------------------------------------------------------------- */

#define PLATE_SIZE 1.0
#define PLATE_THICKNESS 0.002

enum plate { PLATE_CLAMPED, PLATE_STANDS, PLATE_HELD_ON_ONE_SIDE };

static uint32_t add_plate(physics_stage *stage, enum plate kind)
{
    const uint32_t cells[3] = {10, 10, 1};
    const double low[3] = {-PLATE_SIZE / 2, -PLATE_SIZE / 2, 0},
                 high[3] = {PLATE_SIZE / 2, PLATE_SIZE / 2, PLATE_THICKNESS};
    bool stands = kind == PLATE_STANDS;
    uint32_t plate = physics_add(stage, stands ? DENT_SIM_PRESCRIBED : DENT_SIM_SOLID,
                                 physics_box(stage->context, cells, low, high));
    stage->bodies[plate].material = 1;
    if (kind == PLATE_CLAMPED) {
        physics_fix_border(stage, plate, 0.49 * PLATE_SIZE);
    } else if (kind == PLATE_HELD_ON_ONE_SIDE) {
        physics_fix_below(stage, plate, 0, -0.49 * PLATE_SIZE);
    }
    return plate;
}

/* Below every vertex of the plate while it is over the plate's area: it went through. */
static bool is_through(const physics_stage *stage, uint32_t plate, uint32_t ball)
{
    double center[3];
    physics_center(stage, ball, center);
    return fabs(center[0]) < PLATE_SIZE / 2 && fabs(center[1]) < PLATE_SIZE / 2 &&
           center[2] < physics_lowest(stage, plate);
}

/* A ball of 0.27 kg against a plate, default settings: the steps at whose end surfaces cross, or the ball is behind. A
 * plate that is held on one side swings away, and the ball may pass it without crossing: there only crossings count. */
void measure_bullet(dent_context *context, const physics_case *row, physics_result *result)
{
    physics_stage stage;
    const double center[3] = {0.013, 0.017, 0.1};
    uint32_t crossed = 0, behind = 0;
    double speed[3] = {0, 0, 0};
    physics_open(&stage, context);
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage.materials[0].density = 8000;
    stage.materials[1].young = 1e7;
    stage.materials[1].poisson = 0.3;
    enum plate kind = (enum plate)row->parameters[1];
    uint32_t plate = add_plate(&stage, kind);
    uint32_t ball = physics_add(&stage, DENT_SIM_RIGID, physics_ball(context, 4, 0.02, center));
    stage.bodies[ball].linear_velocity[2] = -row->parameters[0];
    if (physics_begin(&stage)) {
        physics_energy_watch watch = physics_watch_begin(&stage, dent_sim_get_statistics(stage.sim).kinetic);
        for (int n = 0; n < 20 && physics_step(&stage); n++) {
            crossed += physics_crossings(&stage) > 0;
            behind += kind != PLATE_HELD_ON_ONE_SIDE && is_through(&stage, plate, ball);
            physics_watch(&watch, &stage);
        }
        physics_mean_velocity(&stage, ball, speed);
        physics_judge(result, 0, crossed + behind);
        snprintf(result->note, sizeof result->note,
                 "of 20 steps %u with crossing faces, %u behind; energy gain %.2g; ball "
                 "leaves at %.3g m/s",
                 crossed, behind, physics_gain(&watch), speed[2]);
    }
    if (stage.failed) {
        physics_fail(result, &stage);
    }
    physics_close(&stage);
}
