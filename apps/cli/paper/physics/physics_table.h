/* physics_table.h — the validation table of the simulator: one row per claim, with its reference and its bar.
 *
 * A row is measured by running a scene through dent/sim.h. The value that is judged is measured / reference, or the
 * measured number itself where the reference is 0, unless the experiment says otherwise. A row passes if
 * low <= value <= high.
 *
 * PHYSICS_QUICK rows make the default run; the others need --full. PHYSICS_HOLDS marks what the simulator keeps today:
 * tests/physics/test_validation.c fails when such a row fails. A solver that makes more rows hold sets their flags. */
#ifndef DENT_PHYSICS_TABLE_H
#define DENT_PHYSICS_TABLE_H

#include "physics_stage.h"

enum { PHYSICS_QUICK = 1, PHYSICS_HOLDS = 2 };

typedef struct physics_case physics_case;

typedef struct physics_result {
    double reference, measured;
    double value; /* what is judged; NaN: the row could not be measured */
    bool pass;
    double seconds; /* wall time of the measurement */
    char note[PHYSICS_NOTE_SIZE];
} physics_result;

typedef void physics_measure(dent_context *context, const physics_case *row, physics_result *result);

struct physics_case {
    const char *group; /* the figure it belongs to: physics-GROUP */
    const char *name;
    const char *unit; /* of reference and measured */
    unsigned flags;
    double low, high;
    physics_measure *measure;
    double parameters[4]; /* as the experiment says */
};

extern const physics_case physics_table[];
extern const uint32_t physics_table_count;

/** Measures and judges one row. */
void physics_run_case(dent_context *context, const physics_case *row, physics_result *result);
/** Sets reference, measured and the value judged by the rule above. */
void physics_judge(physics_result *result, double reference, double measured);
/** The stage failed: the row fails with its note. */
void physics_fail(physics_result *result, const physics_stage *stage);

/* ---- the experiments; what their parameters mean --------------------------------------------------------- */

/* physics_beam.c */
physics_measure measure_beam_frequency; /* Young's modulus, Poisson's ratio, [2] 1: the reference by halved steps */
physics_measure measure_sag;            /* Young's modulus, Poisson's ratio, [2] 1: against Timoshenko,
                                           [3] dent_sim_elements */
physics_measure measure_bar;            /* Young's modulus, Poisson's ratio, [2] 0: E, 1: nu */
/* physics_energy.c */
physics_measure measure_energy_map; /* scene (enum energy_scene), time step, [2] 1: the whole map */
/* physics_contact.c */
physics_measure measure_rebound; /* Young's modulus, [1] 1: contact shorter than a substep */
physics_measure measure_weight;  /* Young's modulus, density */
physics_measure measure_hertz;   /* Young's modulus, Poisson's ratio */
physics_measure measure_incline; /* Young's modulus (0: rigid), angle / friction angle */
/* physics_rigid.c */
physics_measure measure_stack;  /* boxes, density of the top box / density, seconds */
physics_measure measure_bullet; /* speed, [1] 0: elastic plate, 1: plate that stands still */
/* physics_starts.c */
physics_measure measure_starts; /* how many, [1] 0: not finite, 1: energy, 2: both */
/* physics_cases.c */
physics_measure measure_case; /* number of the case, [1] what is judged (enum case_question) */

enum energy_scene { ENERGY_FREE, ENERGY_DROP, ENERGY_CLAMPED, ENERGY_HUNG, ENERGY_SCENE_COUNT };
enum physics_file { CASE_BOUNCE, CASE_NU499, CASE_SMALL_STEP, CASE_SUBSTEPS1, CASE_STACK10, CASE_PILE, CASE_BULLET };
enum case_question { CASE_ENERGY, CASE_RISE, CASE_SPEED, CASE_THROWN, CASE_REST, CASE_STANDS, CASE_PASSES };

#endif
