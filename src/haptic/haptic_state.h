/* What a haptic tool is made of. The parts belong to the loops: only the exchanges are shared between threads. */
#ifndef DENT_HAPTIC_STATE_H
#define DENT_HAPTIC_STATE_H

#include "haptic/haptic_exchange.h"
#include "haptic/haptic_near.h"

#include <dent/constraints.h>
#include <dent/haptic.h>

/* A contact as a row of inequalities on a step: J x >= target. */
struct haptic_row {
    double coefficients[6];
    double target;
    uint64_t key;
};

/* Projection of a step: the nearest that all rows allow. Each loop has its own. */
struct haptic_projector {
    dent_context *context;
    dent_constraints *solver;
    double metric[10];
    dent_constraint_force forces[DENT_HAPTIC_CONTACTS_MAX];
    dent_constraint_report report;
};

/* What an update hands to the other loops. */
struct haptic_snapshot {
    dent_haptic_state state; /* `contacts` is set by the reader */
    dent_haptic_contact contacts[DENT_HAPTIC_CONTACTS_MAX];
};

/* ---- the scene ----------------------------------------------------------------------------------------------------- */

/* One body of the god-object's world. */
struct haptic_body {
    dent_haptic_kind kind;
    dent_body_id id;
    uint32_t link;
    uint32_t vertex_count;
    size_t place;   /* RIGID: of its pose, DEFORMING: of its positions, in the numbers of a scene */
    uint32_t frame; /* of the certified motion; DENT_FRAME_WORLD */
    double *points; /* in its frame; DEFORMING: null, they are in the scene */
    char name[64];  /* for messages */
    struct haptic_mesh mesh;
};

/* A scene is an array of numbers: poses of RIGID bodies (seven each), joint values, positions of DEFORMING bodies. */
struct haptic_scene {
    uint32_t body_count, rigid_count, link_count, value_count, frame_count;
    size_t values_at, positions_at, number_count;
    size_t position_count; /* numbers of all DEFORMING bodies */
    struct haptic_body *bodies;
    const dent_linkage *linkage;
    double *now, *spare, *aim, *target; /* of the god-object; spare to undo; aim: a part of the way to the target */
    double *given;                      /* of the simulation: what was published last */
    dent_pose *links, *aim_links, *given_links; /* given_links is scratch of the simulation's loop */
    dent_motion_frame *frames;                  /* the tool, the rigid bodies, the links */
    dent_motion_body *attached;
    uint32_t attached_count;
    bool moving;     /* now is not target */
    bool was_moving; /* before the last advance */
    bool must_refit; /* deforming bodies have moved since their boxes were made */
};

/* ---- the loops ----------------------------------------------------------------------------------------------------- */

struct haptic_god {
    dent_context *context; /* of one thread */
    dent_world *world;
    struct haptic_projector projector;
    struct haptic_scene scene;
    struct haptic_mesh tool_mesh;
    double *tool_points;
    dent_pose tool, target;                             /* target: of the device */
    struct dynamic_array near, order;                   /* struct haptic_near of the pose; those to choose from */
    struct haptic_near extra[DENT_HAPTIC_CONTACTS_MAX]; /* contacts of a certified motion that led nowhere */
    uint32_t extra_count;
    double least; /* smallest distance at the pose */
    uint32_t chosen[DENT_HAPTIC_CONTACTS_MAX], chosen_count;
    struct haptic_snapshot result;
    uint64_t updates, squeezed, undecided, ns_max;
    bool wants_more;         /* the last update ended MOVING */
    bool contacts_are_known; /* those of the present pose */
};

struct haptic_couple {
    struct haptic_projector projector;
    dent_pose device; /* of the last call */
    bool has_device;
    double velocity[6];
    double wrench[6];  /* applied since the last call */
    double work, tank; /* done on the hand in all; that the hand has put into the contact it is in */
    uint64_t pushing;  /* hash of the contacts that push */
    double blend_from, blend_time, magnitude;
    uint64_t ticks, rejected, jumps, ns_max;
};

struct haptic_clock {
    dent_pose seen[DENT_HAPTIC_DELAY_MAX + 1]; /* poses of the last ticks */
    uint64_t tick, due;
    bool is_pending;
    struct haptic_snapshot pending;
};

struct haptic_threads;

struct dent_haptic {
    dent_context *context;
    dent_haptic_def def; /* its pointers are not used after creation */
    double centre[3], radius, target_gap, inertia;
    struct haptic_exchange poses;     /* device -> god-object: dent_pose */
    struct haptic_exchange scenes;    /* simulation -> god-object: numbers of a scene */
    struct haptic_exchange to_device; /* god-object -> device: struct haptic_snapshot */
    struct haptic_exchange to_reader; /* god-object -> simulation: the same */
    struct haptic_god god;
    struct haptic_couple couple;
    struct haptic_clock clock;
    uint64_t scenes_given, late_ticks;
    struct haptic_threads *threads; /* null: not running */
};

/* The share of the target gap at which a certified motion stops, and at which a contact is known. */
#define HAPTIC_STOP 0.3
#define HAPTIC_BAND 3.0

/* ---- rows ---------------------------------------------------------------------------------------------------------- */

dent_status haptic_projector_open(struct haptic_projector *projector, dent_context *context, double inertia_radius);
void haptic_projector_close(struct haptic_projector *projector);
/* Writes the nearest step to `wanted` that the rows allow, and the multipliers into projector->forces. */
dent_status haptic_project(struct haptic_projector *projector, const struct haptic_row *rows, uint32_t count,
                           const double wanted[6], double step[6]);
/* Coefficients of a contact for a step of the tool; `arm` from its centre to the point. */
void haptic_row_set(struct haptic_row *row, const double arm[3], const double normal[3]);
/* Where the centre of the tool is. */
void haptic_centre_at(const dent_haptic *haptic, const dent_pose *tool, double centre[3]);

/* ---- contacts of the god-object ------------------------------------------------------------------------------------ */

/* Finds god->near and god->least at the present pose, and chooses at most DENT_HAPTIC_CONTACTS_MAX of them. */
dent_status haptic_find_contacts(dent_haptic *haptic);

/* ---- the scene ----------------------------------------------------------------------------------------------------- */

dent_status haptic_scene_open(struct haptic_god *god, const dent_haptic_def *def, dent_context *messages);
void haptic_scene_close(struct haptic_god *god);
/* Is the target elsewhere? Then the scene moves. */
void haptic_scene_begin(struct haptic_god *god);
/* From now on it stands still. */
void haptic_scene_hold(struct haptic_god *god);
/* Aims at a share of the way to the target. */
dent_status haptic_scene_aim(struct haptic_god *god, double share);
/* Writes frames[1…] for the way to the aim and sets the positions of the world. */
dent_status haptic_scene_motion(struct haptic_god *god);
/* Moves on to time t of that motion; 1: to the aim. haptic_scene_undo goes back once. */
dent_status haptic_scene_advance(struct haptic_god *god, double t);
dent_status haptic_scene_undo(struct haptic_god *god);
/* Pose of a body now; DEFORMING and FIXED: the identity. */
dent_pose haptic_body_pose(const struct haptic_scene *scene, const struct haptic_body *body, bool at_aim);
const double *haptic_body_points(const struct haptic_scene *scene, const struct haptic_body *body, bool at_aim);
/* Copies what a caller gives over `numbers`, checked. */
dent_status haptic_scene_read(const struct haptic_scene *layout, dent_context *messages, const dent_haptic_scene *scene,
                              double *numbers);

/* ---- the loops ----------------------------------------------------------------------------------------------------- */

/* One update, without publishing it. */
dent_status haptic_god_update(dent_haptic *haptic);
void haptic_god_publish(dent_haptic *haptic, const struct haptic_snapshot *snapshot);
/* `seen` is the pose that reached the loops, `device` the one that feels the force. */
dent_status haptic_couple_tick(dent_haptic *haptic, const dent_pose *seen, const dent_pose *device,
                               dent_haptic_force *force);
dent_status haptic_check_pose(dent_context *context, const dent_pose *pose, const char *what);

#endif
