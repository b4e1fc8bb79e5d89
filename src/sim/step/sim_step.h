/* A whole simulation, and the workspace of its steps. Only the files of this room see it; stages get the parts they
 * work on. */
#ifndef DENT_SIM_SIM_STEP_H
#define DENT_SIM_SIM_STEP_H

#include "sim/step/substep.h"

/* What everything had at the beginning of an interval, and what has become of it. */
struct interval_energy {
    double *velocities; /* 3 per vertex, at the beginning */
    dent_rigid_state *rigids;
    struct rigid_book *books;
    double *plastic;                   /* of the state, at the beginning */
    double stored, reserve;            /* by contacts, attachments and overlap; of the state */
    double *ended;                     /* positions and … */
    dent_rigid_state *ended_rigids;    /* … poses after the last substep */
    double ended_stored;
    double *before, *gained, *kinetic; /* by body; at the root of a group: of all of it */
    uint8_t *back;                     /* by body: it goes back to the beginning */
};

/* What a step uses beside model and state; the next one finds nothing in it that it needs. */
struct sim_workspace {
    struct sim_state backup; /* the state before the step: a failing one changes nothing */
    bool memory_stale;       /* the world does not remember what the state says: tell it before the next step */
    struct contact_search search;
    struct contact_set contacts;
    struct sim_solver solver;
    struct safe_motion safe;
    struct swift_motion swift;
    struct interval_energy energy;
    struct sim_budget *budget; /* null: all contacts are found */
    struct step_report report;
};

struct dent_sim {
    struct sim_model model;
    struct sim_state state;
    struct sim_workspace work;
};

/* ---- sim_step.c -------------------------------------------------------------------------------------------------- */
dent_status sim_keep_state(dent_sim *sim); /* before a change that may fail: makes the backup */
void sim_undo(dent_sim *sim);              /* the backup becomes the state; no contacts are reported */
dent_sim_statistics sim_no_statistics(void);

/* ---- sim_joints.c ------------------------------------------------------------------------------------------------ */
/* When rigid bodies have their centres of mass. */
dent_status joints_make(struct sim_model *model, struct sim_state *state, const dent_sim_def *def,
                        struct rigid_islands *islands);

/* ---- sim_roots.c ------------------------------------------------------------------------------------------------- */
/* The faces that carry roots, into the model; then the attachments of those that movable bodies carry. */
dent_status roots_find(struct sim_model *model, const dent_world *world);
dent_status roots_attach(struct sim_model *model, const dent_world *world, struct sim_attachment *ties);

/* ---- interval_energy.c ------------------------------------------------------------------------------------------- */
dent_status interval_energy_build(struct sim_model *model, struct interval_energy *energy);
void interval_energy_begin(const struct sim_model *model, const struct sim_state *state, const struct sim_solver *solver,
                           struct interval_energy *energy);
/* After its last substep, before the safe motion. */
void interval_energy_note_end(const struct sim_model *model, const struct sim_state *state,
                              const struct sim_solver *solver, struct interval_energy *energy);
/* After all other stages of an interval: energy that it made is taken away, or bodies go back to its beginning. */
dent_status interval_energy_limit(const struct sim_model *model, struct sim_state *state, struct sim_workspace *work);

/* ---- sim_stress.c ------------------------------------------------------------------------------------------------ */
/* Von Mises stress: mean over all cells of solids at these vertices, by volume. */
double sim_mean_stress(const dent_sim *sim, const uint32_t *vertices, uint32_t count);

/* ---- sim_control.c ----------------------------------------------------------------------------------------------- */
void sim_set_body_velocity(const struct sim_model *model, struct sim_state *state, uint32_t body, const double *linear,
                           const double *angular);

#endif
