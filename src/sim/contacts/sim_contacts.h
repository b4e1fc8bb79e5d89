/* Contacts: found once per interval (contact_search.c), solved in every substep by islands of rigid bodies
 * (rigid_islands.h) or as terms of the minimisation (elastic/sim_elastic.h), and kept from
 * crossing at the end of an interval where that is asked for (safe_motion.c); or all of it within a budget
 * (budget_contacts.c). Each stage has a workspace of its own. */
#ifndef DENT_SIM_SIM_CONTACTS_H
#define DENT_SIM_SIM_CONTACTS_H

#include "sim/elastic/sim_elastic.h"

#include <dent/impact.h>
#include <dent/motion.h>

/* What a step says about itself. */
struct step_report {
    dent_sim_statistics statistics;
    uint64_t ns_detect, ns_respond, ns_elastic, ns_total;
    bool cancelled;
};

/* ---- contact_search.c -------------------------------------------------------------------------------------------- */

struct contact_search {
    dent_world *world;
    uint32_t *inside_marks; /* by vertex: body it is inside of + 1, while contacts are sorted out */
    double *margins;        /* by body: what it may move until the next detection without touching what was not found */
    dent_contact_force *new_forces;
    uint64_t new_force_capacity;
};

dent_status contacts_build(struct sim_model *model, struct contact_search *search, struct contact_set *contacts);
void contacts_destroy(dent_context *context, struct contact_search *search, struct contact_set *contacts);
/* How many of at most `most` substeps until the next detection. */
uint32_t contacts_interval(const struct sim_model *model, const struct sim_state *state, uint32_t most);
/* Keeps the poses of rigid bodies for the interval that begins, which has no contacts yet. */
void contacts_begin(const struct sim_model *model, const struct sim_state *state, struct contact_set *contacts,
                    uint32_t substeps);
/* Finds the contacts for the next `duration` (0: outside time), and brings the forces in the state into their order. */
dent_status contacts_find(const struct sim_model *model, struct sim_state *state, struct contact_search *search,
                          struct contact_set *contacts, struct step_report *report, double duration);
dent_status world_set_positions(const struct sim_model *model, dent_world *world, const double *positions_t0,
                                const double *positions_t1);

/* ---- contact_filter.c -------------------------------------------------------------------------------------------- */
dent_status contact_filter_build(struct sim_model *model, const dent_world *world);
/* Bodies of a joint meet where it is: they do not collide unless that is asked for. */
bool bodies_are_joined(const struct sim_model *model, uint32_t body_a, uint32_t body_b);
bool contact_counts(const struct sim_model *model, const struct sim_state *state, const struct contact_search *search,
                    const dent_contact *contact);
/* A vertex that slides along the inner edges of a flat face is nearest to them by turns, in directions that lean a
 * little to either side, and would be pushed off that line: where the normal of a contact that counts is that of a face
 * beside it but for such a lean, it becomes that of the face. */
void contact_straighten(const struct sim_model *model, const struct sim_state *state,
                        const struct contact_search *search, dent_contact *contact);

/* ---- contact_forces.c -------------------------------------------------------------------------------------------- */

struct contact_response {
    dent_response *solver;
    dent_response_body *bodies;
    double *approach_velocities; /* at the beginning of a substep: what restitution is measured against */
};

dent_status response_build(struct sim_model *model, struct contact_response *response);
void response_destroy(struct contact_response *response);
/* The problem of the present contacts for dent/response.h, from positions and poses at the start of its time. */
dent_response_problem response_problem(const struct sim_model *model, struct sim_state *state,
                                       const struct contact_set *contacts, struct contact_response *response,
                                       const double *start, const dent_rigid_state *rigid_start, double duration);

/* ---- safe_motion.c ----------------------------------------------------------------------------------------------- */

struct safe_motion {
    double *interval_start; /* positions at the beginning of the interval between detections */
    double *fractions;      /* by vertex: how far it may go */
    double *wanted;         /* where it would have gone */
    dent_rigid_state *rigid_wanted;
    double *energies;   /* by body: before it was pushed and stopped */
    double *strand_energies; /* the same by strand: 8 per group of rods */
    uint32_t *islands;  /* by vertex: union-find */
    uint32_t *groups;   /* by body: union-find of those that met in this interval, when it has ended */
    bool met;           /* whether there was anything to push or to stop */
    double *first;      /* by root: the first impact of an island; scratch of others, too */
    uint8_t *in_impact; /* by vertex */
    dent_impact *impacts;
    uint64_t impact_count, impact_capacity;
    dent_contact *contacts; /* of the impacts */
    uint64_t contact_capacity;
};

/* The vertices of the features of an impact, within their bodies (SIM_NONE: unused), and where they meet. */
struct impact_ends {
    uint32_t vertices_a[4], vertices_b[4];
    double weights_a[4], weights_b[4];
};

struct impact_ends impact_ends_of(const struct sim_model *model, const dent_world *world, const dent_impact *impact);
/* The point of a side at given positions of all vertices. */
void impact_side_at(const struct sim_model *model, const double *positions, uint32_t body, const uint32_t *vertices,
                    const double *weights, double *point);

dent_status safe_motion_build(struct sim_model *model, struct safe_motion *safe, double *scratch);
void safe_motion_destroy(dent_context *context, struct safe_motion *safe);
void safe_motion_begin(const struct sim_model *model, const struct sim_state *state, struct safe_motion *safe);
/* Takes down where everything is now, as what it wants. */
void safe_motion_keep_wanted(const struct sim_model *model, const struct sim_state *state, struct safe_motion *safe);
/* Whether the features of an impact touched at the beginning, and move along one another or apart since. */
bool safe_motion_departs(const struct sim_model *model, const struct sim_state *state, const dent_world *world,
                         const struct safe_motion *safe, const dent_impact *impact);
/* The impacts on the way from the beginning of the interval to now, into safe->impacts; their bodies join groups. */
dent_status safe_motion_find(const struct sim_model *model, const struct sim_state *state, dent_world *world,
                             struct safe_motion *safe, struct step_report *report);
/* Makes two bodies one group; what stands connects nothing. */
void safe_join_bodies(const struct sim_model *model, struct safe_motion *safe, uint32_t a, uint32_t b);
/* Kinetic, elastic and gravitational energy of a body; *kinetic: the first of them. */
double safe_body_energy(const struct sim_model *model, const struct sim_state *state, uint32_t body, double *kinetic);
void safe_scale_velocities(const struct sim_model *model, struct sim_state *state, uint32_t body, double factor);
/* From the beginning of the interval to now nothing crosses that must not. Where directors of strands belong is noted
 * (rods_follow). */
dent_status safe_motion_finish(const struct sim_model *model, struct sim_state *state, dent_world *world,
                               const struct contact_set *contacts, struct safe_motion *safe,
                               struct contact_response *response, struct elastic_work *elastic,
                               struct step_report *report, double duration);

/* ---- swift_motion.c ---------------------------------------------------------------------------------------------- */

struct swift_motion {
    double *start;                    /* positions at the beginning of the substep */
    double *travelled;                /* by body: since the last detection */
    bool *overlaps;                   /* by body: another one, when contacts were found */
    dent_rigid_state *poses, *wanted; /* at the beginning; where the solver took them */
    double *fractions, *shares;       /* by rigid body: how far it goes; of that, after a round */
    bool *near;                       /* by body: it has contacts in this interval */
    bool *jointed;                    /* by rigid body: joints hold it, to another body or to space */
    uint32_t *groups;                 /* by rigid body: the smallest one that joints hold together with it */
    double *pushes;                   /* by rigid body, 3: what a prescribed body that ran into it pushes it on */
    /* swift_turns.c: bodies that turn, their motions; by rigid body: its number there, SIM_NONE */
    uint32_t turning_count, *turning;
    dent_motion_frame *frames;
    dent_motion_body *attached;
    dent_excluded_pair *excluded; /* those of joints, and one more */
};

dent_status swift_build(struct sim_model *model, struct swift_motion *swift);
/* When contacts have been found. */
void swift_begin_interval(const struct sim_model *model, const struct contact_set *contacts,
                          struct swift_motion *swift);
void swift_begin(const struct sim_model *model, const struct sim_state *state, struct swift_motion *swift);
/* Stops rigid bodies that left the margin of detection before what they would run into, and pushes on those that a
 * prescribed body ran into. *stopped: the interval ends. */
dent_status swift_finish(const struct sim_model *model, struct sim_state *state, struct contact_search *search,
                         struct swift_motion *swift, const struct elastic_work *elastic, struct step_report *report,
                         bool *stopped);

/* Of the way from a pose to another one, the short way round. */
void swift_place_between(const dent_rigid_state *from, const dent_rigid_state *to, double fraction,
                         dent_rigid_state *pose);

/* ---- swift_groups.c ---------------------------------------------------------------------------------------------- */

void swift_find_groups(const struct sim_model *model, struct swift_motion *swift);
/* The least share of a group is that of all its bodies. */
void swift_spread_shares(const struct sim_model *model, struct swift_motion *swift);
/* One body goes a share of what it goes now, whether it turns or goes straight; counts its vertices once. */
void swift_shorten(const struct sim_model *model, struct sim_state *state, struct swift_motion *swift, uint32_t rigid,
                   double share, struct step_report *report);

/* ---- swift_turns.c ----------------------------------------------------------------------------------------------- */

double turning_angle(const struct sim_model *model, const dent_rigid_state *pose); /* in a substep */
/* Which bodies turn so much that straight lines would be wrong; their number. */
uint32_t turning_begin(const struct sim_model *model, const struct sim_state *state, struct swift_motion *swift);
/* The body goes a share of what it goes now. */
void turning_shorten(const struct sim_model *model, struct sim_state *state, struct swift_motion *swift, uint32_t rigid,
                     double share);
/* Stops what turns before what it would run into. */
dent_status turning_limit(const struct sim_model *model, struct sim_state *state, struct contact_search *search,
                          struct swift_motion *swift, double separation, struct step_report *report, bool *stopped);

/* ---- budget_contacts.c ------------------------------------------------------------------------------------------- */

struct sim_budget;

static inline bool sim_has_budget(const dent_sim_def *def)
{
    return def->contact_budget > 0 || def->contact_deadline > 0;
}

dent_status budget_build(struct sim_model *model, const struct sim_state *state, dent_world *world,
                         const dent_sim_def *def, struct sim_budget **budget); /* no budget: *budget stays null */
void budget_destroy(const struct sim_model *model, struct sim_budget *budget); /* null is allowed */
dent_status budget_step(const struct sim_model *model, struct sim_state *state, struct sim_budget *budget,
                        struct step_report *report);

#endif
