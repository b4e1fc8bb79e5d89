/* Loads, supports, springs and probes: what the model knows of them (struct sim_loads), and what a substep needs
 * (struct load_work).
 *
 *   load_build.c, load_check.c   from the def
 *   loads.c                      forces in a substep, their work
 *   supports.c                   held directions of vertices
 *
 * Vertex numbers are those of the global array. */
#ifndef DENT_SIM_LOAD_MODEL_H
#define DENT_SIM_LOAD_MODEL_H

#include "sim/rigid/sim_rigid.h"

struct load_course {
    uint32_t count;
    dent_sim_time_value *rows;
};

struct sim_load {
    dent_sim_load_kind kind;
    uint32_t body, rigid; /* rigid or SIM_NONE */
    /* Forces that keep their direction: on each vertex, at factor 1. */
    uint32_t vertex_count;
    uint32_t *vertices;
    double *forces; /* 3 per vertex */
    /* Followers: faces, outer side up. */
    uint32_t face_count;
    uint32_t *faces;
    uint32_t *face_elements; /* to which they belong */
    double pressure;
    double whole[6]; /* rigid bodies: force at the centre, moment */
    struct load_course course;
};

/* A vertex that supports hold along 1 to 3 directions. */
struct sim_hold {
    uint32_t vertex, count;
    uint32_t supports[3];
    double directions[3][3]; /* as the supports give them, unit */
    double axes[3][3];       /* the same, orthonormal: axis k = sum of mix[k][i] direction i */
    double mix[3][3];
};

struct sim_support {
    char name[SIM_NAME_SIZE];
    uint32_t body;
    uint32_t vertex_count;
    uint32_t *vertices; /* ascending, with those that quadratic cells add between them */
    double displacement[3];
    struct load_course course;
};

/* An end of a spring. */
struct spring_end {
    uint32_t body;        /* or SIM_NONE: the world */
    uint32_t vertices[4]; /* or SIM_NONE */
    double weights[4];
    double place[3]; /* in the world; of a rigid body without vertices: at the start, from its centre of mass then */
};

struct load_spring {
    char name[SIM_NAME_SIZE];
    struct spring_end a, b;
    double stiffness, length, damping;
};

struct sim_probe {
    char name[SIM_NAME_SIZE];
    dent_sim_probe_kind kind;
    uint32_t body, number;
    dent_sim_energy energy;
    uint32_t vertex_count;
    uint32_t *vertices; /* of the global array */
};

struct sim_loads {
    uint32_t load_count, support_count, spring_count, probe_count, hold_count;
    struct sim_load *loads;
    struct sim_support *supports;
    struct load_spring *springs;
    struct sim_probe *probes;
    struct sim_hold *holds; /* ascending vertices */
    uint32_t *vertex_holds; /* by vertex: its hold or SIM_NONE; null without holds */
    bool has_followers;
};

/* Workspace of a substep. */
struct load_work {
    double *forces;  /* 3 per vertex: of loads that keep their direction, in the present substep; null without loads */
    double *total;   /* with followers, at its beginning, then at its end */
    double *rigids;  /* 6 per rigid body: force and moment, all loads */
    double *factors; /* by load: of its course, in the present substep */
};

/* ---- load_check.c ------------------------------------------------------------------------------------------------ */
dent_status loads_check_def(dent_context *context, const dent_sim_def *def);
uint64_t loads_add_fingerprint(uint64_t hash, const dent_sim_def *def); /* unchanged without any */

/* ---- load_build.c ------------------------------------------------------------------------------------------------ */

/* After masses, before the solver: fully held vertices no longer move by themselves. */
dent_status loads_build(struct sim_model *model, const dent_sim_def *def, const dent_world *world);
/* After rigid bodies are known. */
void loads_bind_rigids(struct sim_model *model, const struct sim_state *state);
dent_status load_work_build(struct sim_model *model, struct load_work *work);

/* ---- loads.c ----------------------------------------------------------------------------------------------------- */
double course_at(const struct load_course *course, double time);
/* The forces of the substep that ends at `time`, from the positions at its beginning. */
void loads_begin(const struct sim_model *model, const struct sim_state *state, struct load_work *work, double time);
/* Adds a force at a place to what acts on a rigid body. */
void loads_add_to_rigid(const struct sim_model *model, const struct sim_state *state, struct load_work *work,
                        uint32_t rigid, const double place[3], const double force[3]);
/* What the forces on rigid bodies that are awake give them in a substep: to their velocities. */
void loads_push_rigids(const struct sim_model *model, struct sim_state *state, const struct load_work *work);
/* targets += force / inertia */
void loads_aim(const struct sim_model *model, const struct load_work *work, const double *inertia, double *targets);
/* Followers of elastic bodies: the gradient of their work, negative, and minus their work along straight ways. */
void loads_add_gradient(const struct sim_model *model, const struct load_work *work, const double *positions,
                        double *gradient);
double loads_change(const struct sim_model *model, const struct load_work *work, const double *from,
                    const double *moved);
/* The sum of force^2 / mass, of work->total. */
double loads_square(const struct sim_model *model, const struct load_work *work);
/* work->total, at these positions. */
void loads_total(const struct sim_model *model, const double *positions, struct load_work *work);
/* The work of all loads in a substep, from one placement to another. `rigid_active`: null, or only bodies for which it is set. */
struct load_way {
    const double *from, *to; /* positions */
    const dent_rigid_state *rigids_from, *rigids_to;
    bool placed; /* outside time: rigid bodies turn by the difference of their poses, not by their spin */
};
double loads_work(const struct sim_model *model, const struct load_work *work, const struct load_way *way,
                  const uint8_t *rigid_active);

/* ---- supports.c -------------------------------------------------------------------------------------------------- */

/* The hold of a vertex, or null. */
static inline const struct sim_hold *hold_of(const struct sim_model *model, uint32_t vertex)
{
    const struct sim_loads *loads = model->loads;
    return loads->vertex_holds && loads->vertex_holds[vertex] != SIM_NONE ? &loads->holds[loads->vertex_holds[vertex]]
                                                                          : NULL;
}
/* Puts held vertices where they are held at `time`: along the held directions. */
void supports_apply(const struct sim_model *model, struct sim_state *state, double time);
/* Whether a support moves its vertices in the step. */
bool supports_move(const struct sim_model *model, const struct sim_state *state);
/* Takes the held directions out of a vector, 3 per vertex. */
void supports_project(const struct sim_model *model, double *vector);
/* The held parts of `to` become those of `from`. */
void supports_copy(const struct sim_model *model, const double *from, double *to);
/* Held parts of velocities: from where vertices were to where they are. */
void supports_velocities(const struct sim_model *model, struct sim_state *state, const double *previous);
/* The square of the held part of a velocity. */
double supports_held_square(const struct sim_model *model, uint32_t vertex, const double *velocity);
/* Of one body, with 3 numbers per vertex of it: held parts are taken out; so are motions as a whole that supports leave
 * free, at these positions. Nothing for bodies without supports. */
bool supports_hold_body(const struct sim_model *model, uint32_t body);
void supports_project_body(const struct sim_model *model, uint32_t body, double *field);
void supports_remove_whole(const struct sim_model *model, uint32_t body, const double *positions, double *field);
/* The part of a force on a held vertex that this support gives. */
void supports_share(const struct sim_hold *hold, uint32_t support, const double force[3], double share[3]);

#endif
