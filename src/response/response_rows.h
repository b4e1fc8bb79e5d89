/* What the three responses share: one row per contact, with everything a sweep needs in one slot, and the colours the
 * rows are worked on in. A row has two sides. A side is carried by vertices with masses, by a rigid body, or by nothing
 * that could move; the sweeps read motion through side_value() and change it through the functions of their own file,
 * so a cloth on a rigid ball needs no case of its own.
 *
 * In: dent_response_problem. Out: struct response_work, whose rows refer to the caller's bodies. Memory comes from the
 * dent_response and stays there. */
#ifndef DENT_RESPONSE_RESPONSE_ROWS_H
#define DENT_RESPONSE_RESPONSE_ROWS_H

#include "geometry/numbers/vector3.h"
#include "base/containers/dynamic_array.h"

#include <dent/response.h>

enum side_kind {
    SIDE_POINT = 0,    /* stands still, moved by nothing */
    SIDE_VERTICES = 1, /* a weighted sum of vertices; some may be fixed */
    SIDE_RIGID = 2     /* a point of a rigid body */
};

struct response_side {
    uint32_t body;
    uint32_t kind;
    uint32_t count; /* of vertices; unused ones are left out */
    uint32_t vertices[4];
    double weights[4];
    double inverse_masses[4];
    double point[3]; /* SIDE_POINT: where it is. SIDE_RIGID: from the centre of mass in the body's frame */
    double arm[3];   /* SIDE_RIGID: from the centre of mass in space, at the snapshot at entry */
};

struct response_row {
    uint64_t index; /* of the contact */
    uint32_t state; /* dent_contact_action; NONE while it may act */
    uint32_t colour;
    bool capped, squeezed, remembered, active;
    struct response_side a, b;
    double normal[3];
    double gap;             /* with the part of it that is certain only */
    double mobility[9];     /* change of the relative velocity per impulse on a (and minus it on b) */
    double normal_mobility; /* n . mobility n, above 0 */
    dent_contact_material material;
    uint32_t previous_state;
    double previous_normal, previous_tangent[3], previous_slip[3];

    double impulse;    /* along the normal; position: times the time step */
    double tangent[3]; /* of friction, same unit */
    double slip[3];
    double target;    /* position: constant part of the gap; velocity: speed to reach */
    double start[3];  /* position: xa - xb at the step's start; velocity: relative velocity at entry */
    double bounce;    /* velocity: speed that restitution asks for; 0: none */
    double unbounced; /* velocity: target without it */
    double softness;  /* position: compliance / time step^2; penalty: 1 / sharing */
    double lower;     /* least impulse */
    double change;    /* velocity: speed changed in this sweep */
    double first_tangent[3], second_tangent[3], tangent_inverse[3]; /* velocity: 2 x 2 of friction, symmetric */
};

/* What a response keeps of a body while it runs. */
struct response_body_state {
    uint32_t first_node; /* vertices, or one node for a rigid body, in one numbering over all bodies */
    uint32_t node_count;
    size_t entry;              /* audit: where the copy of its numbers begins */
    double inverse_inertia[9]; /* rigid: in space at the snapshot at entry */
    double turn[3];            /* rigid: sum of all turns of the snapshot, for the audit */
};

/* A vertex or a rigid body that can move (response_colours.c). */
struct response_node {
    uint64_t colours; /* bits of those taken */
    uint32_t call;    /* the one that touched it last */
    uint32_t sharing; /* rows that move it */
    uint32_t pushes;  /* 0: none, 1: in one direction, 2: from opposite sides */
    double direction[3];
};

/* Which array of the bodies a response moves. */
enum response_quantity { QUANTITY_FORCE, QUANTITY_POSITION, QUANTITY_VELOCITY };

struct response_work {
    dent_response *response;
    const dent_response_problem *problem;
    enum response_quantity quantity;
    struct response_row *rows; /* one per contact, in the order of contacts */
    uint64_t row_count;
    struct response_body_state *states;
    uint32_t node_count;
    uint64_t *order; /* rows that may act, by colour and then by contact */
    uint64_t active_count;
    uint64_t *colour_first; /* colour_count + 1 slots in `order` */
    uint32_t colour_count;
    struct response_node *nodes;
};

struct response_exact;

struct dent_response {
    dent_context *context;
    struct dynamic_array rows, states, order, colour_first, nodes, lookup, entry;
    struct response_exact *exact; /* exact_rows.h; null until it is asked for */
    uint32_t call; /* number of the present one, never 0 */
};

/* Checks problem and fills `work`: rows, colours, sharing. Changes nothing of the caller's. */
dent_status response_prepare(struct response_work *work, dent_response *response, const dent_response_problem *problem,
                             enum response_quantity quantity);
/* Runs a response between preparing and the report, with the default floating-point mode: the frame of all that move
 * something. `run` fills what the report has beyond the audit and the counts; where it fails it has changed nothing.
 * report may be null. */
typedef dent_status response_run(struct response_work *work, const void *def, dent_response_report *report);
dent_status response_solve(dent_response *response, const dent_response_problem *problem,
                           enum response_quantity quantity, response_run *run, const void *def,
                           dent_response_report *report);
/* The second half of preparing (response_colours.c). */
dent_status response_colour(struct response_work *work);
/* Two unit vectors that make a frame with the normal, and the inverse of the mobility between them. A direction in which
 * nothing can move gives zeros: no friction. */
void response_tangent_frame(struct response_row *row);
/* The largest number of rows that share a node of this one; at least 1. */
uint32_t response_sharing(const struct response_work *work, const struct response_row *row);
/* Marks rows that push a node from opposite sides: `squeezed`. Only rows for which gap < limit count. */
void response_mark_squeezed(struct response_work *work, double limit);
/* Runs function(data, row) on every row that may act, colour by colour, in parallel within a colour. */
typedef void response_row_function(void *data, struct response_row *row);
void response_sweep(struct response_work *work, response_row_function *function, void *data);
/* +push on a and -push on b (response_push.c): into positions or velocities. False: not finite, the row is refused. */
bool response_push(struct response_work *work, struct response_row *row, const double push[3]);
/* Cuts the wanted tangential impulse of a row to what friction holds, and pushes the part that the row has not; `push`
 * gets that part. The state says whether it sticks. False as above. */
bool response_push_tangent(struct response_work *work, struct response_row *row, double wanted[3], double push[3]);
/* Adds impulse * normal + tangent of every row that acts, read as a force, to the caller's forces, in the order of
 * contacts. */
void response_add_forces(struct response_work *work);
/* Writes the caller's forces and counts rows into the report. `scale` makes impulses of the rows' unit. */
void response_finish(struct response_work *work, double scale, dent_response_report *report);

/* ---- audit (response_audit.c) ---- */

/* With problem->audit: keeps a copy of what will be changed. */
dent_status response_audit_begin(struct response_work *work);
/* Fills the sums of the report. `scale` as above. */
void response_audit_end(struct response_work *work, double scale, dent_response_report *report);

/* ---- a little vector algebra ---- */

static inline void multiply3(const double matrix[9], const double v[3], double out[3])
{
    out[0] = vector_dot(matrix, v);
    out[1] = vector_dot(matrix + 3, v);
    out[2] = vector_dot(matrix + 6, v);
}

/* v less its part along the unit vector n. */
static inline void tangential3(const double v[3], const double n[3], double out[3])
{
    double along = vector_dot(v, n);
    out[0] = v[0] - along * n[0];
    out[1] = v[1] - along * n[1];
    out[2] = v[2] - along * n[2];
}

/* Weighted sum of an array with three numbers per vertex. */
static inline void side_sum(const struct response_side *side, const double *array, double out[3])
{
    out[0] = out[1] = out[2] = 0;
    for (uint32_t i = 0; i < side->count; i++) {
        vector_add_scaled(out, side->weights[i], array + 3 * (size_t)side->vertices[i]);
    }
}

/* Where the side is with these vertices, or this snapshot. */
void side_position(const struct response_side *side, const double *positions, const dent_rigid_state *rigid,
                   double out[3]);
/* How fast it moves. Null array or state: it does not. */
void side_velocity(const struct response_side *side, const double *velocities, const dent_rigid_state *rigid,
                   double out[3]);

/* The unit quaternion's turn of v. */
void quaternion_rotate(const double q[4], const double v[3], double out[3]);
/* q turned by the small rotation vector, unit again. */
void quaternion_turn(double q[4], const double turn[3]);

#endif
