/* physics_energy.c — no energy from nothing: a map of scenes over stiffness, Poisson's ratio, mesh and time step.
 *
 * Kinetic, elastic, gravity, contact and attachment energy together must never exceed their sum at the start, since no
 * outer work is done. What is reported is the largest gain, as a part of the kinetic and elastic energy at the start
 * (never more than the energy above the rest state, so the bar is not softer than it says). */
#include "physics_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const uint32_t block_cells[3] = {2, 2, 4};
#define BLOCK_SIZE 0.2
enum { MAP_STEPS = 40, TIE_COUNT = 4 };

/* Spinning, moving, and stretched by a tenth. */
static void set_free(physics_stage *stage, uint32_t body, physics_mesh *rest)
{
    memset(stage->def.gravity, 0, sizeof stage->def.gravity);
    stage->def.contacts = false;
    for (uint32_t v = 0; v < rest->vertex_count; v++) {
        stage->meshes[body].positions[3 * (size_t)v] *= 1.1;
    }
    stage->bodies[body].rest = rest->positions;
    stage->bodies[body].angular_velocity[1] = 5;
    stage->bodies[body].linear_velocity[0] = 1;
}

static void set_drop(physics_stage *stage, uint32_t body)
{
    stage->bodies[body].linear_velocity[2] = -1;
    stage->bodies[body].linear_velocity[0] = 0.3;
}

static void set_clamped(physics_stage *stage, uint32_t body, physics_mesh *velocities)
{
    stage->def.contacts = false;
    physics_fix_below(stage, body, 0, -0.49 * BLOCK_SIZE);
    for (uint32_t v = 0; v < velocities->vertex_count; v++) {
        double *p = velocities->positions + 3 * (size_t)v, x = p[0] / BLOCK_SIZE + 0.5;
        p[0] = p[1] = 0;
        p[2] = 2 * x * x;
    }
    stage->bodies[body].velocities = velocities->positions;
}

static void set_hung(physics_stage *stage, uint32_t body, dent_sim_attachment ties[TIE_COUNT])
{
    uint32_t last = stage->meshes[body].vertex_count - 1, row = block_cells[0] + 1;
    const uint32_t vertices[TIE_COUNT] = {last, last - block_cells[0], last - row * block_cells[1],
                                          last - row * block_cells[1] - block_cells[0]};
    stage->def.contacts = false;
    for (int n = 0; n < TIE_COUNT; n++) {
        ties[n] = dent_sim_attachment_default();
        ties[n].body_a = body;
        ties[n].vertex_a = vertices[n];
        ties[n].body_b = UINT32_MAX;
        ties[n].compliance = 1e-4;
        memcpy(ties[n].point, stage->meshes[body].positions + 3 * (size_t)vertices[n], sizeof ties[n].point);
        ties[n].point[2] += 0.01;
    }
    stage->bodies[body].linear_velocity[0] = 1;
    stage->def.attachments = ties;
    stage->def.attachment_count = TIE_COUNT;
}

/* Quality 1: no slivers. */
static double largest_gain(dent_context *context, const physics_case *row, double young, double poisson, double quality,
                           physics_result *result)
{
    physics_stage stage;
    dent_sim_attachment ties[TIE_COUNT];
    const double half = BLOCK_SIZE / 2, low[3] = {-half, -half, 2 * PHYSICS_THICKNESS};
    const double high[3] = {half, half, BLOCK_SIZE + 2 * PHYSICS_THICKNESS};
    physics_mesh extra = physics_box(context, block_cells, low, high);
    double gain = INFINITY;
    physics_open(&stage, context);
    stage.materials[0].young = young;
    stage.materials[0].poisson = poisson;
    stage.materials[0].damping = 0;
    stage.def.time_step = row->parameters[1];
    physics_set_thickness(&stage, PHYSICS_THICKNESS);
    physics_add_ground(&stage, 2);
    uint32_t body = physics_add(&stage, DENT_SIM_SOLID, physics_box(context, block_cells, low, high));
    if (!stage.failed && extra.vertex_count > 0) {
        physics_make_slivers(&stage.meshes[body], block_cells, quality);
        physics_make_slivers(&extra, block_cells, quality);
        switch ((enum energy_scene)row->parameters[0]) {
        case ENERGY_FREE:
            set_free(&stage, body, &extra);
            break;
        case ENERGY_DROP:
            set_drop(&stage, body);
            break;
        case ENERGY_CLAMPED:
            set_clamped(&stage, body, &extra);
            break;
        default:
            set_hung(&stage, body, ties);
            break;
        }
    }
    if (extra.vertex_count > 0 && physics_begin(&stage)) {
        dent_sim_statistics start = dent_sim_get_statistics(stage.sim);
        physics_energy_watch watch = physics_watch_begin(&stage, start.kinetic + start.elastic);
        for (int n = 0; n < MAP_STEPS && physics_step(&stage); n++) {
            physics_watch(&watch, &stage);
        }
        gain = stage.failed ? INFINITY : physics_gain(&watch);
    }
    if (stage.failed) {
        snprintf(result->note, sizeof result->note, "%s", stage.note);
    }
    physics_mesh_free(&extra);
    physics_close(&stage);
    return gain;
}

void measure_energy_map(dent_context *context, const physics_case *row, physics_result *result)
{
    static const double youngs[] = {1e5, 1e7, 1e9, 1e3}, poissons[] = {0.3, 0.499, 0, 0.45};
    static const double qualities[] = {1, 1e-4, 1e-2};
    int all = row->parameters[2] > 0, moduli = all ? 4 : 3, ratios = all ? 4 : 2, meshes = all ? 3 : 2;
    int count = 0, above = 0;
    double worst = -INFINITY, at[3] = {0, 0, 0};
    for (int n = 0; n < moduli * ratios * meshes; n++) {
        double young = youngs[n % moduli], poisson = poissons[n / moduli % ratios],
               quality = qualities[n / moduli / ratios];
        double gain = largest_gain(context, row, young, poisson, quality, result);
        count++;
        above += !(gain <= row->high);
        if (gain > worst) {
            worst = gain;
            at[0] = young;
            at[1] = poisson;
            at[2] = quality;
        }
    }
    physics_judge(result, 0, worst);
    snprintf(result->note, sizeof result->note, "%d of %d scenes above the bar; worst at E %.0e, nu %g, mesh %g", above,
             count, at[0], at[1], at[2]);
}
