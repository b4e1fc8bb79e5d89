/* physics_starts.c — random starts: two to five bodies of all movable kinds thrown into one another above a ground,
 * stiffness from 1 kPa to 10 GPa, time steps from 10 us to 0.1 s. No number may become infinite, and energy may not
 * come from nothing.
 *
 * The scale of the energy is what the start has: kinetic and elastic energy, and the weight of the bodies times the size of
 * the scene. Many starts overlap, and overlap stores energy that counts as there from the beginning. It is no part of the
 * scale, or it would hide gains. Starts are counted that use it: whose energy without contacts grows. */
#include "physics_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { START_STEPS = 12 };
#define START_SIZE 0.5

typedef struct start_random {
    uint64_t state;
} start_random;

/* splitmix64 */
static double draw(start_random *random, double low, double high)
{
    uint64_t z = random->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return low + (high - low) * (double)((z ^ (z >> 31)) >> 11) / 9007199254740992.0;
}

static uint32_t below(start_random *random, uint32_t count)
{
    return (uint32_t)draw(random, 0, count);
}

static void draw_material(start_random *random, dent_sim_material *material)
{
    static const double ratios[] = {0, 0.3, 0.45, 0.49, 0.499};
    material->young = pow(10, draw(random, 3, 10));
    material->poisson = ratios[below(random, 5)];
    material->damping = below(random, 2) ? 0 : 0.002;
    material->restitution = below(random, 3) ? 0 : draw(random, 0, 1);
    material->friction_static = draw(random, 0, 1);
    material->friction_kinetic = material->friction_static * draw(random, 0.5, 1);
}

static physics_mesh draw_mesh(start_random *random, dent_context *context, dent_sim_body_kind kind)
{
    uint32_t cells[3] = {1 + below(random, 3), 1 + below(random, 3), 1 + below(random, 3)};
    double low[3], high[3], size = draw(random, 0.05, 0.3);
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = draw(random, -START_SIZE / 2, START_SIZE / 2) + (axis == 2 ? START_SIZE / 2 : 0);
        high[axis] = low[axis] + size * draw(random, 0.2, 1);
    }
    if (kind == DENT_SIM_CLOTH) {
        return physics_sheet(context, 2 + below(random, 4), size, low[2]);
    }
    return below(random, 3) ? physics_box(context, cells, low, high) : physics_ball(context, 2, size / 2, low);
}

static void draw_start(physics_stage *stage, start_random *random)
{
    static const dent_sim_body_kind kinds[] = {DENT_SIM_SOLID, DENT_SIM_SOLID, DENT_SIM_RIGID, DENT_SIM_CLOTH};
    for (int n = 0; n < PHYSICS_MATERIAL_LIMIT; n++) {
        draw_material(random, &stage->materials[n]);
    }
    stage->materials[3].density = 0.3; /* of cloth */
    stage->def.time_step = below(random, 2) ? 1.0 / 60 : pow(10, draw(random, -5, -1));
    physics_add_ground(stage, 4);
    for (uint32_t n = 2 + below(random, 4); n > 0; n--) {
        dent_sim_body_kind kind = kinds[below(random, 4)];
        uint32_t body = physics_add(stage, kind, draw_mesh(random, stage->context, kind));
        stage->bodies[body].material = kind == DENT_SIM_CLOTH ? 3 : below(random, 3);
        for (int axis = 0; axis < 3 && !stage->failed; axis++) {
            stage->bodies[body].linear_velocity[axis] = draw(random, -3, 3);
            stage->bodies[body].angular_velocity[axis] = draw(random, -3, 3);
        }
    }
}

typedef struct start_gains {
    double all;           /* of energy, over the scale */
    double but_contacts;  /* likewise, without what contacts and overlap store */
    bool overlaps;        /* at the start */
} start_gains;

static double energy_but_contacts(const physics_stage *stage)
{
    return physics_energy(stage) - dent_sim_get_statistics(stage->sim).contact;
}

/* Whether all numbers stayed finite, and the gains of energy. */
static bool run_start(dent_context *context, uint64_t number, start_gains *gains)
{
    physics_stage stage;
    start_random random = {number};
    physics_open(&stage, context);
    draw_start(&stage, &random);
    *gains = (start_gains){0};
    if (physics_begin(&stage)) {
        dent_sim_statistics start = dent_sim_get_statistics(stage.sim);
        double scale = start.kinetic + start.elastic, bare = energy_but_contacts(&stage);
        gains->overlaps = start.contact > 0;
        for (uint32_t body = 0; body < stage.def.body_count; body++) {
            scale += physics_mass(&stage, body) * PHYSICS_GRAVITY * START_SIZE;
        }
        physics_energy_watch watch = physics_watch_begin(&stage, scale);
        for (int n = 0; n < START_STEPS && physics_step(&stage); n++) {
            physics_watch(&watch, &stage);
            gains->but_contacts = fmax(gains->but_contacts, (energy_but_contacts(&stage) - bare) / scale);
        }
        gains->all = physics_gain(&watch);
    }
    bool finite = !stage.failed;
    physics_close(&stage);
    return finite;
}

void measure_starts(dent_context *context, const physics_case *row, physics_result *result)
{
    uint32_t count = (uint32_t)row->parameters[0], broken = 0, gained = 0, overlap = 0, used = 0, worst_start = 0;
    double worst = 0;
    for (uint32_t number = 0; number < count; number++) {
        start_gains gains;
        broken += !run_start(context, number, &gains);
        gained += gains.all > 1e-6;
        overlap += gains.overlaps;
        used += gains.but_contacts > 1e-6;
        worst_start = gains.all > worst ? number : worst_start;
        worst = fmax(worst, gains.all);
    }
    double counts[3] = {broken, gained, broken + gained};
    physics_judge(result, 0, counts[(int)row->parameters[1]]);
    snprintf(result->note, sizeof result->note,
             "of %u starts %u ended early, %u gained energy; worst gain %.3g, start %u; %u overlap, %u use its energy", count,
             broken, gained, worst, worst_start, overlap, used);
}
