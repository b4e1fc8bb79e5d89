/* physics_table.c — the rows. A solver that makes a row hold adds PHYSICS_HOLDS to it, and from then on the tests keep
 * it. */
#include "physics_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* clang-format off: a row is one or two lines */
enum { FULL = 0, QUICK = PHYSICS_QUICK, HELD = PHYSICS_QUICK | PHYSICS_HOLDS, LONG = PHYSICS_HOLDS };

#define BEAM(flags, young, poisson)                                                                                    \
    {"beam", "frequency of a clamped beam, E " #young ", nu " #poisson, "Hz", flags, 0.95, 1.05,                       \
     measure_beam_frequency, {young, poisson}}
#define MAP(flags, scene, what, step, name, whole)                                                                     \
    {"energy", "energy gain, " what ", step " name, "", flags, -1, 1e-6, measure_energy_map, {scene, step, whole}}
#define MAPS(scene, what)                                                                                              \
    MAP(LONG, scene, what, 1e-5, "10 us, whole map", 1), MAP(LONG, scene, what, 1e-4, "0.1 ms, whole map", 1),         \
        MAP(LONG, scene, what, 1e-3, "1 ms, whole map", 1), MAP(LONG, scene, what, 1.0 / 60, "1/60 s, whole map", 1),  \
        MAP(LONG, scene, what, 0.1, "0.1 s, whole map", 1)
#define WEIGHT(flags, young, density)                                                                                  \
    {"contact", "block on a plane, E " #young ": force over weight", "N", flags, 0.995, 1.005, measure_weight,         \
     {young, density}}
#define BULLET(flags, speed)                                                                                           \
    {"bullets", "ball of " #speed " m/s against an elastic plate of 2 mm", "steps", flags, 0, 0, measure_bullet,       \
     {speed, 0}}
#define BULLET_AT_FIXED(flags, speed)                                                                                  \
    {"bullets", "ball of " #speed " m/s against a fixed plate of 2 mm", "steps", flags, 0, 0, measure_bullet, {speed, 1}}
#define BULLET_AT_HELD(flags, speed)                                                                                   \
    {"bullets", "ball of " #speed " m/s against an elastic plate of 2 mm held on one side", "steps", flags, 0, 0,        \
     measure_bullet, {speed, 2}}

const physics_case physics_table[] = {
    BEAM(HELD, 1e5, 0.3), BEAM(HELD, 1e6, 0.3), BEAM(HELD, 1e7, 0.3), BEAM(HELD, 1e8, 0.3), BEAM(HELD, 1e9, 0.3),
    BEAM(LONG, 1e5, 0.45), BEAM(HELD, 1e6, 0.45), BEAM(LONG, 1e7, 0.45), BEAM(LONG, 1e8, 0.45), BEAM(LONG, 1e9, 0.45),
    BEAM(LONG, 1e5, 0.499), BEAM(HELD, 1e6, 0.499), BEAM(LONG, 1e7, 0.499), BEAM(LONG, 1e8, 0.499),
    BEAM(LONG, 1e9, 0.499),
    {"beam", "frequency of a clamped beam, E 1e6, nu 0.3, reference by halved steps", "Hz", LONG, 0.95, 1.05,
     measure_beam_frequency, {1e6, 0.3, 1}},
    {"beam", "sag of a cantilever, E 1e8, linear tetrahedra, the same mesh solved directly", "m", HELD, 0.99, 1.01,
     measure_sag, {1e8, 0.3, 0}},
    {"beam", "sag of a cantilever, E 1e8, quadratic tetrahedra, against Timoshenko", "m", HELD, 0.95, 1.05, measure_sag,
     {1e8, 0.3, 1, DENT_SIM_QUADRATIC}},
    {"beam", "sag of a cantilever, E 1e8, hexahedra, against Timoshenko", "m", HELD, 0.95, 1.05, measure_sag,
     {1e8, 0.3, 1, DENT_SIM_HEXAHEDRA}},
    {"beam", "bar between plates, E 1e5", "Pa", HELD, 0.999, 1.001, measure_bar, {1e5, 0.3, 0}},
    {"beam", "bar between plates, E 1e7", "Pa", HELD, 0.999, 1.001, measure_bar, {1e7, 0.3, 0}},
    {"beam", "bar between plates, E 1e9", "Pa", HELD, 0.999, 1.001, measure_bar, {1e9, 0.3, 0}},
    {"beam", "bar between plates, nu 0.3 at E 1e7", "", HELD, 0.999, 1.001, measure_bar, {1e7, 0.3, 1}},
    {"beam", "bar between plates, nu 0.45 at E 1e7", "", HELD, 0.999, 1.001, measure_bar, {1e7, 0.45, 1}},

    MAP(HELD, ENERGY_FREE, "free block", 1.0 / 60, "1/60 s", 0),
    MAP(HELD, ENERGY_DROP, "dropped block", 1e-4, "0.1 ms", 0),
    MAP(HELD, ENERGY_DROP, "dropped block", 1.0 / 60, "1/60 s", 0),
    MAP(HELD, ENERGY_DROP, "dropped block", 0.1, "0.1 s", 0),
    MAP(HELD, ENERGY_CLAMPED, "clamped block", 1.0 / 60, "1/60 s", 0),
    MAP(HELD, ENERGY_HUNG, "block on soft ties", 1.0 / 60, "1/60 s", 0),
    MAPS(ENERGY_FREE, "free block"), MAPS(ENERGY_DROP, "dropped block"), MAPS(ENERGY_CLAMPED, "clamped block"),
    MAPS(ENERGY_HUNG, "block on soft ties"),

    {"contact", "rebound of a ball, E 1e5, restitution 0", "", LONG, -0.1, 0.1, measure_rebound, {1e5, 0}},
    {"contact", "rebound of a ball, E 1e6, restitution 0", "", LONG, -0.1, 0.1, measure_rebound, {1e6, 0}},
    {"contact", "rebound of a ball, E 1e7, restitution 0", "", LONG, -0.1, 0.1, measure_rebound, {1e7, 0}},
    {"contact", "rebound of a ball, E 1e8, restitution 0", "", HELD, 0, 0.1, measure_rebound, {1e8, 1}}, /* 3.7 of 4.2 ms */
    {"contact", "rebound of a ball, E 1e9, restitution 0", "", HELD, 0, 0.1, measure_rebound, {1e9, 1}},
    {"contact", "rebound of a ball, E 1e10, restitution 0", "", HELD, 0, 0.1, measure_rebound, {1e10, 1}},
    WEIGHT(HELD, 1e3, 100), WEIGHT(LONG, 1e4, 1000), WEIGHT(HELD, 1e5, 1000), WEIGHT(LONG, 1e6, 1000),
    WEIGHT(HELD, 1e7, 1000), WEIGHT(LONG, 1e8, 1000), WEIGHT(HELD, 1e9, 1000), WEIGHT(HELD, 1e10, 1000),
    {"contact", "Hertz: sphere pressed into a block, four cells of contact radius", "N", LONG, 0.9, 1.1, measure_hertz,
     {1e6, 0.3}},
    {"contact", "rigid block sticks at 0.995 of the friction angle", "m/s", HELD, -0.05, 0.05, measure_incline, {0, 0.995}},
    {"contact", "rigid block at 1.005 of the friction angle: the friction that acts", "", HELD, 0.995, 1.005, measure_incline, {0, 1.005}},
    {"contact", "elastic block sticks at 0.995 of the friction angle", "m/s", HELD, -0.05, 0.05, measure_incline,
     {1e6, 0.995}},
    {"contact", "elastic block at 1.005 of the friction angle: the friction that acts", "", HELD, 0.995, 1.005, measure_incline,
     {1e6, 1.005}},

    {"stacks", "10 boxes, 2 s to 4 s: largest speed", "m/s", HELD, 0, 1e-6, measure_stack, {10, 1, 4}},
    {"stacks", "10 boxes with 1000 times the mass on top, 2 s to 4 s: largest speed", "m/s", HELD, 0, 1e-6,
     measure_stack, {10, 1000, 4}},
    {"stacks", "10 boxes, 2 s to 60 s: largest speed", "m/s", LONG, 0, 1e-6, measure_stack, {10, 1, 60}},
    {"stacks", "30 boxes, 2 s to 60 s: largest speed", "m/s", LONG, 0, 1e-6, measure_stack, {30, 1, 60}},
    {"stacks", "10 boxes with 1000 times the mass on top, 2 s to 60 s: largest speed", "m/s", LONG, 0, 1e-6,
     measure_stack, {10, 1000, 60}},

    BULLET(HELD, 5), BULLET(HELD, 20), BULLET(LONG, 100), BULLET(LONG, 1000), BULLET(LONG, 10000),
    BULLET_AT_FIXED(HELD, 5), BULLET_AT_FIXED(HELD, 20), BULLET_AT_FIXED(HELD, 100), BULLET_AT_FIXED(HELD, 1000),
    BULLET_AT_FIXED(HELD, 10000),
    BULLET_AT_HELD(LONG, 5), BULLET_AT_HELD(LONG, 20), BULLET_AT_HELD(LONG, 100), BULLET_AT_HELD(LONG, 1000),
    BULLET_AT_HELD(LONG, 10000),

    {"starts", "100 random starts: numbers that are not finite", "starts", HELD, 0, 0, measure_starts, {100, 0}},
    {"starts", "100 random starts: gain of energy", "starts", HELD, 0, 0, measure_starts, {100, 1}},
    {"starts", "4000 random starts: not finite, or gain of energy", "starts", FULL, 0, 0, measure_starts, {4000, 2}},

    {"cases", "bounce_gain: rise after the fall over the drop", "", HELD, 0, 0.1, measure_case, {CASE_BOUNCE, CASE_RISE}},
    {"cases", "bounce_gain: energy gain", "", HELD, -1, 1e-6, measure_case, {CASE_BOUNCE, CASE_ENERGY}},
    {"cases", "nu499: energy gain", "", HELD, -1, 1e-6, measure_case, {CASE_NU499, CASE_ENERGY}},
    {"cases", "small_step: speed over that with ten times the step", "m/s", HELD, 0, 1.2, measure_case,
     {CASE_SMALL_STEP, CASE_SPEED, 1000}},
    {"cases", "blowup_substeps1: energy gain", "", HELD, -1, 1e-6, measure_case, {CASE_SUBSTEPS1, CASE_ENERGY}},
    {"cases", "rigid_stack10: kinetic energy after 2 s, to 4 s", "J", HELD, 0, 1e-6, measure_case,
     {CASE_STACK10, CASE_REST, 240}},
    {"cases", "rigid_stack10: kinetic energy after 2 s, to 60 s", "J", LONG, 0, 1e-6, measure_case,
     {CASE_STACK10, CASE_REST}},
    {"cases", "rigid_stack10: the top box has moved after 60 s", "m", FULL, 0, 0.06, measure_case,
     {CASE_STACK10, CASE_STANDS}},
    {"cases", "rigid_pile: largest speed beyond the fall, over ten edges a second", "m/s", HELD, 0, 1, measure_case,
     {CASE_PILE, CASE_THROWN}},
    {"cases", "bullet_thin_solid: energy gain", "", HELD, -1, 1e-6, measure_case, {CASE_BULLET, CASE_ENERGY}},
    {"cases", "bullet_thin_solid: steps with the ball behind the plate", "steps", HELD, 0, 0, measure_case,
     {CASE_BULLET, CASE_PASSES}},
};
/* clang-format on */
const uint32_t physics_table_count = sizeof physics_table / sizeof physics_table[0];

/* ---- one row --------------------------------------------------------------------------------------------- */

static double seconds_now(void)
{
    struct timespec now;
    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void physics_judge(physics_result *result, double reference, double measured)
{
    result->reference = reference;
    result->measured = measured;
    result->value = reference != 0 ? measured / reference : measured;
}

void physics_fail(physics_result *result, const physics_stage *stage)
{
    result->measured = NAN;
    result->value = NAN;
    snprintf(result->note, sizeof result->note, "%s", stage->note);
}

void physics_run_case(dent_context *context, const physics_case *row, physics_result *result)
{
    double start = seconds_now();
    *result = (physics_result){.reference = NAN, .measured = NAN, .value = NAN};
    row->measure(context, row, result);
    result->pass = result->value >= row->low && result->value <= row->high; /* not for NaN */
    result->seconds = seconds_now() - start;
}
