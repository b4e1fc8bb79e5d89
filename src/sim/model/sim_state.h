/* What a step changes and the next one depends on: exactly what a checkpoint holds. */
#ifndef DENT_SIM_SIM_STATE_H
#define DENT_SIM_SIM_STATE_H

#include "sim/model/sim_model.h"

struct sim_grab {
    uint32_t body, vertex; /* within the body */
    double target[3];
};

/* What a contact of elastic bodies keeps: elastic/point_terms.c. */
struct sim_spring {
    uint64_t key;
    double target;  /* the gap it keeps */
    double slip[3]; /* how far its friction is stretched */
    double energy;  /* that it stores */
    uint32_t sliding, reserved;
};

/* Whether a rigid body sleeps (contacts/rigid_rest.c). */
struct rigid_rest {
    double still;    /* seconds that it has been still while awake */
    uint64_t asleep; /* 0 or 1 */
};

/* What pays for taking overlap of a rigid body out, J (contacts/island_energy.c). */
struct rigid_book {
    double losses; /* its part of what its islands lost */
    double stored; /* its part of what overlap at the start stores */
};

/* Of a joint: multipliers of the last substep, the target of its motor, how it stands, and its reactions on body a. */
struct joint_state {
    double impulses[11];        /* six equations, motor or spring, lower and upper limit, damping, friction */
    double target;              /* of the motor; of position motors relative to `start` */
    double position, speed;     /* along or about the axis; of hinges without whole turns taken away */
    double force[3], moment[3]; /* N, N m about its point */
    double axial;               /* N or N m: motor and limits, or the spring */
    double credit;              /* J: what substeps lost by turns, contacts/joint_energy.c */
};

struct sim_state {
    uint64_t step;
    double gravity[3];
    double reserve; /* J: what elastic islands have lost: pays for pushing overlap out … */
    double overlap; /* … after what overlap at the start stores */
    double outer_work; /* J: of loads, so far */
    double *positions, *velocities; /* 3 per vertex */
    double *last_positions, *last_velocities; /* at the beginning of the last substep … */
    uint64_t *history; /* … and by body: whether they count (elastic/two_step.c) */
    dent_rigid_state *rigids;
    struct rigid_rest *rest; /* by rigid body */
    struct rigid_book *books; /* by rigid body */
    struct joint_state *joints;
    double *frames;          /* of all embeddings, 9 per vertex: the last valid one of its facet */
    double *activations; /* of the fibres of each material at the last substep, where any has fibres */
    double *plastic;     /* 10 per point that flows: elastic/material_laws.h */
    double *directors;   /* 24 per row of rods, struct rod_director: across the edges, of the present positions … */
    double *spins;       /* … and how fast they turn about them: 8 per row, rad/s */
    uint32_t grab_count;
    struct sim_grab grabs[SIM_MOST_GRABS];
    dent_contact_force *forces; /* of the last step, with keys */
    uint64_t force_count, force_capacity;
    struct sim_spring *springs; /* of the contacts of the last interval, with keys */
    uint64_t spring_count, spring_capacity;
    dent_contact_memory *memory; /* of the world, taken after the last step */
    uint64_t memory_count, memory_capacity;
};

/* ---- sim_state.c ------------------------------------------------------------------------------------------------- */
enum { STATE_PART_COUNT = 21 };
/* Positions or velocities were changed between substeps: the next one has nothing before it to go by. */
void state_forget_history(const struct sim_model *model, struct sim_state *state);
struct state_part {
    void *bytes;
    size_t size;
    const char *layout; /* of its records: byte_order.h */
};
#define STATE_FORCE_LAYOUT "8888888844"
#define STATE_SPRING_LAYOUT "88888844"
#define STATE_MEMORY_LAYOUT "4444888"
/* The parts of fixed size, in the order checkpoints keep them; returns their bytes in all. */
size_t state_parts(const struct sim_model *model, struct sim_state *state, struct state_part parts[STATE_PART_COUNT]);
dent_status state_create(struct sim_model *model, struct sim_state *state);
dent_status state_copy(const struct sim_model *model, struct sim_state *to, const struct sim_state *from);
/* The backup becomes the state; allocates nothing. The world does not remember then what the state says. */
void state_restore(const struct sim_model *model, struct sim_state *state, struct sim_state *backup);
void state_release(dent_context *context, struct sim_state *state);
/* What the world remembers of the last step, taken into the state; and given back to it. */
dent_status state_take_memory(dent_context *context, struct sim_state *state, const dent_world *world);
dent_status state_give_memory(dent_context *context, const struct sim_state *state, dent_world *world);

/* ---- embedding.c ------------------------------------------------------------------------------------------------- */
dent_status embedding_build(struct sim_model *model, struct sim_state *state, const dent_world *world);
void embedding_place_vertices(const struct sim_model *model, struct sim_state *state);
const struct sim_embedding *embedding_of(const struct sim_model *model, uint32_t body); /* null: it is none */
/* A contact on an embedded surface becomes one on the host that carries it. */
void embedding_map_contact(const struct sim_model *model, const struct sim_state *state, dent_contact *contact);

#endif
