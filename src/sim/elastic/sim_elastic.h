/* The elastic solver: what elastic bodies, attachments and grabs do in a substep, given the contacts of its interval.
 *
 *   reads   the model; the contacts as found (struct contact_set)
 *   writes  positions, poses of rigid bodies with bonds, pushes of attachments: all of struct sim_state
 *   keeps   struct elastic_work, of which nothing outlives a substep
 *
 * The order of the calls is that of step/substep.c. Friction and the gaps of contacts are put right afterwards
 * (contacts/contact_forces.c); the forces found there come back in the next substep as carried ones. */
#ifndef DENT_SIM_SIM_ELASTIC_H
#define DENT_SIM_SIM_ELASTIC_H

#include "sim/rigid/sim_rigid.h"

struct contact_springs; /* contact_springs.c */
struct rigid_block;     /* rigid_bonds.h */

/* The contacts of an interval between two detections. state->forces lie beside them, one for each. */
struct contact_set {
    dent_contact *records; /* as handed to the solvers: on hosts instead of embedded bodies, gaps less those to keep */
    dent_sim_contact *reported;
    uint64_t count, capacity, reported_capacity;
    bool *owned; /* by contact: solved in an island of rigid bodies (contacts/rigid_islands.h) */
    uint64_t owned_capacity;
    dent_rigid_state *rigid_detected; /* poses of the rigid bodies when they were found */
    uint32_t substeps;                /* of the interval */
};

/* One side of a contact. */
struct contact_side {
    uint32_t body;
    const uint32_t *vertices;      /* four of the body, or SIM_NONE */
    const double *weights, *point; /* where it was found */
    size_t first;                  /* vertex of the body */
    double sign;                   /* of the normal force on it: 1 on side a (0), -1 on side b (1) */
};

static inline struct contact_side contact_side(const struct sim_model *model, const dent_contact *contact, int side)
{
    uint32_t body = side == 0 ? contact->body_a : contact->body_b;
    size_t first = model->bodies[body].first_vertex;
    return side == 0
               ? (struct contact_side){body, contact->vertices_a, contact->weights_a, contact->point_a, first, 1}
               : (struct contact_side){body, contact->vertices_b, contact->weights_b, contact->point_b, first, -1};
}

/* Where the point of a side on a rigid body is now. */
static inline void contact_rigid_point(const struct sim_model *model, const struct sim_state *state,
                                       const struct contact_set *contacts, const struct contact_side *side,
                                       double point[3])
{
    uint32_t rigid = model->bodies[side->body].rigid;
    dent_rigid_move_point(&contacts->rigid_detected[rigid], &state->rigids[rigid], side->point, point);
}

/* What a contact gave to the elastic sweep in this substep. */
struct carried_contact {
    double share; /* of it that is taken out again */
    double normal, tangent[3];
};

/* Forces of the last substep that the elastic sweep feels as outer ones (contacts/contact_forces.c says why). */
struct carried_forces {
    double *moves;     /* 3 per vertex: displacement by them */
    double *taken_out; /* 3 per vertex: the part of it that is taken out again */
    bool any;          /* some are not 0 */
    struct carried_contact *contacts;
    uint64_t capacity;
};

/* What an attachment has pushed in the present substep. */
struct tie_sums {
    double lambda, pushed[3];
};

/* Workspace of a substep. */
struct elastic_work {
    double *previous; /* positions at its beginning */
    double *targets;  /* where inertia alone would take the vertices */
    struct carried_forces carried;
    struct contact_springs *springs;
    struct rigid_block *blocks; /* of model->bonds */
    struct tie_sums *tie_sums;  /* by attachment */
};

/* ---- creation, in this order ------------------------------------------------------------------------------------- */

/* elastic_solve.c: calls all of the others. Positions are those at the start; iterations 0: chosen here. */
dent_status elastic_build(struct sim_model *model, struct sim_state *state, struct elastic_work *work,
                          uint32_t iterations);
void elastic_destroy(dent_context *context, struct elastic_work *work);

/* rigid_bonds_build.c: before the elastic mesh is built, which leaves bonded vertices out; and after it. */
dent_status bonds_find(struct sim_model *model, struct sim_state *state, struct elastic_work *work);
dent_status bonds_build(struct sim_model *model);
dent_status elastic_mesh_build(struct sim_model *model, double *positions);        /* elastic_mesh.c */
dent_status springs_build(struct sim_model *model, struct elastic_work *work);     /* contact_springs.c */
dent_status attachments_build(struct sim_model *model, struct elastic_work *work); /* attachments.c */

/* ---- elastic_solve.c --------------------------------------------------------------------------------------------- */

/* Sweeps over vertices, pieces and bonded rigid bodies; `count` is the number of the substep since the start. */
void elastic_solve(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                   struct elastic_work *work, uint64_t count);
/* The force its elements put on a vertex, dampers included (none where `previous` equals the positions). */
void elastic_force(const struct sim_model *model, const double *positions, const double *previous, uint32_t vertex,
                   double force[3]);
double elastic_body_energy(const struct sim_model *model, const double *positions, uint32_t body);
uint32_t elastic_inverted_cells(const struct sim_model *model, const double *positions); /* tet_elasticity.c */

/* ---- attachments.c ----------------------------------------------------------------------------------------------- */
void attachments_carry(const struct sim_model *model, struct sim_state *state, struct elastic_work *work);
void attachments_solve(const struct sim_model *model, struct sim_state *state, struct elastic_work *work);
void grabs_solve(const struct sim_model *model, struct sim_state *state, struct elastic_work *work);
void grabs_add_to_blocks(const struct sim_model *model, struct sim_state *state, struct elastic_work *work);

/* ---- carried_forces.c -------------------------------------------------------------------------------------------- */

/* A force that would displace the free vertex by `move` is carried from one substep to the next. What of that the
 * vertex answers itself, and what is taken out again afterwards, must stay below a quarter of an edge: else the pass
 * that is to find it anew starts from a body torn apart, finds more, and forces grow from substep to substep. The part
 * (0 to 1) that may be carried; both sides of a contact or tie take the smaller one, so momentum is kept. */
double carried_part(const struct sim_model *model, size_t vertex, double share, double move);
/* move times `push` displaces the vertex; `share` of it is taken out again. */
void carried_add(struct carried_forces *carried, size_t vertex, double share, double move, const double *push);
void carried_take_out(const struct sim_model *model, struct sim_state *state, struct carried_forces *carried);

#endif
