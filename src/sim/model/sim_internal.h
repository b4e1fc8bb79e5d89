/* What a simulation consists of, and the stages of a step, each in the file named at its head. All vertices of all
 * bodies lie in one array, body after body; a vertex number without a body is one of that array. */
#ifndef DENT_SIM_SIM_INTERNAL_H
#define DENT_SIM_SIM_INTERNAL_H

#include <dent/contact.h>
#include <dent/impact.h>
#include <dent/response.h>
#include <dent/sim.h>

#define SIM_NONE UINT32_MAX

enum { SIM_NAME_SIZE = 64, SIM_MOST_GRABS = 64, SIM_BLOCK = 256 };

struct sim_block_list; /* sim_memory.c */

struct sim_body {
    char name[SIM_NAME_SIZE];
    dent_sim_body_kind kind;
    dent_body_kind mesh;
    uint32_t first_vertex, vertex_count, element_count, corner_count; /* corners per element */
    uint32_t *corners;                                                /* numbers within the body */
    double *start;                                                    /* positions at time 0 */
    double *rest;                                                     /* undeformed shape; may be `start` */
    uint32_t material;
    double density, thickness, mean_edge, mass;
    uint32_t fixed_count;
    uint32_t *fixed; /* numbers within the body */
    dent_sim_motion motion;
    uint32_t rigid; /* number in sim->rigids, or SIM_NONE */
    uint32_t host;
    uint32_t collision_group, collision_mask;
    bool self_collision, thin;
    bool oriented, mirrored; /* oriented: a solid or closed surface: has an inside; mirrored: its faces look inward */
    dent_body_id id;
};

struct sim_rigid {
    uint32_t body;
    double inertia[9]; /* about the centre of mass, in the body's frame, by rows */
    double *local;     /* vertices in the body's frame */
    double mass;
};

/* One tetrahedron seen from one of its corners: six times its volume is a(p, q, r) . (x - x_p), and its energy is
 * stiffness / 2 (that - target)^2, see tet_elasticity.c. */
struct tet_visit {
    uint32_t p, q, r, reserved;
    double stiffness, target;
};

/* An edge seen from one end: weight (x_other - x) is its share of the shear force; damper >= 0. */
struct edge_visit {
    uint32_t other, reserved;
    double weight, damper;
};

/* An edge between two vertices that are both held: no force to find, but energy. */
struct held_edge {
    uint32_t i, j;
    double weight, damper;
};

struct cloth_triangle {
    uint32_t corners[3], body;
    double along[3], across[3]; /* how the corners weigh in the stretch of the warp and of the weft */
    double stretch, shear;      /* stiffness times area */
};

struct cloth_hinge {
    uint32_t corners[4], reserved;
    double weights[4]; /* |sum weights x| measures the angle */
    double stiffness, rest;
};

/* The elastic vertices in the order of the sweep: colour after colour. Ranges of visits by slot in that order. */
struct elastic_mesh {
    uint32_t vertex_count;
    uint32_t *vertices;
    uint32_t *slots; /* of every vertex: its slot in `vertices`, or SIM_NONE */
    uint32_t colour_count;
    uint32_t *colour_starts; /* colour_count + 1 */
    double *diagonal;        /* constant part of the stiffness of each slot */
    uint16_t *sweeps;        /* of each slot: how many a substep has */
    uint32_t *edge_starts, *tet_starts, *triangle_starts, *hinge_starts; /* vertex_count + 1 */
    struct edge_visit *edges;
    uint64_t held_count;
    struct held_edge *held;
    struct tet_visit *tets;
    uint32_t *triangle_visits, *hinge_visits; /* 4 * number + corner */
    uint32_t triangle_count, hinge_count;
    struct cloth_triangle *triangles;
    struct cloth_hinge *hinges;
    uint64_t tet_count, edge_visit_count, tet_visit_count;
    /* Connected pieces that nothing holds: their momentum is kept exactly (elastic_solve.c). */
    uint32_t piece_count;
    uint32_t *piece_starts, *piece_vertices;
    struct tet_visit *tet_energy; /* tet_count: p, q, r, reserved = the four corners */
    double *rest_energy;          /* of each body */
    uint64_t *body_tet_starts;    /* body_count + 1, into tet_energy */
};

/* What an attachment has pushed in the present substep. */
struct tie_sums {
    double lambda, pushed[3];
};

struct sim_attachment {
    uint32_t vertex_a;       /* of the global array */
    uint32_t body_a, body_b; /* body_b SIM_NONE: space */
    uint32_t vertices_b[4];  /* of the global array, SIM_NONE */
    double weights_b[4], point[3];
    double length, compliance;
    double share; /* of the carried push that is taken out again: as in struct carried_contact */
    bool bonded;  /* part of a rigid body: rigid_bonds.c instead */
    struct tie_sums sums;
};

struct sim_embedding {
    uint32_t body, host;
    uint32_t *corners; /* 3 per vertex: host vertices, global */
    double *weights;   /* 3 per vertex */
    double *offsets;   /* 3 per vertex, in the frame of the facet */
    double *frames;    /* 9 per vertex: the last valid frame */
};

struct sim_grab {
    uint32_t body, vertex; /* within the body */
    double target[3];
};

/* What a step changes, and a checkpoint keeps. */
struct sim_state {
    uint64_t step;
    double gravity[3];
    double *positions, *velocities; /* 3 per vertex */
    double *accelerations;          /* 1 per vertex: part of gravity, see time_integration.c */
    dent_rigid_state *rigids;
    double *frames;     /* of all embeddings, 9 per vertex */
    double *tie_pushes; /* 3 per attachment: force times h^2 of the last substep */
    uint32_t grab_count;
    struct sim_grab grabs[SIM_MOST_GRABS];
    dent_contact_force *forces; /* of the last step, with keys */
    uint64_t force_count, force_capacity;
    dent_contact_memory *memory; /* of the world, taken after the last step */
    uint64_t memory_count, memory_capacity;
};

/* What a contact gave to the elastic sweep in this substep (contact_loop.c). */
struct carried_contact {
    double share; /* of it that is taken out again */
    double normal, tangent[3];
};

struct sim_times {
    uint64_t detect, respond, elastic, total;
};

struct dent_sim {
    dent_context *context;
    dent_world *world;
    dent_response *response;
    struct sim_block_list *blocks;

    uint32_t body_count;
    struct sim_body *bodies;
    uint32_t material_count;
    dent_sim_material *materials;
    uint32_t pair_count;
    dent_material_pair *pairs; /* all pairs of materials */
    uint32_t attachment_count;
    struct sim_attachment *attachments;
    bool free_ties; /* some are not bonded */
    uint32_t embedding_count;
    struct sim_embedding *embeddings;
    uint32_t rigid_count;
    struct sim_rigid *rigids;

    double time_step, substep, air_damping;
    uint32_t sweep; /* number of the present one */
    uint32_t substeps, iterations, contact_interval, impact_passes;
    bool interval_is_fixed;  /* by the def */
    uint32_t interval_count; /* substeps of the present interval between detections */
    bool contacts_wanted, continuous, watch_all, cancelled;
    uint32_t contact_iterations, bounce_iterations;
    double mean_edge; /* of the world */
    const int *cancel;
    uint64_t fingerprint;

    uint32_t vertex_count;
    double *inverse_masses; /* 0: does not move by itself */
    double *masses;
    uint32_t *vertex_bodies;
    struct sim_state state, backup;
    bool memory_stale;      /* the world does not remember what the state says: tell it before the next step */
    double *previous;       /* positions at the beginning of the substep */
    double *targets;        /* where inertia alone would take the vertices */
    double *carried;        /* displacement by the contact forces of the last substep (contact_loop.c) */
    double *taken_out;      /* the part of it that is taken out again */
    bool carries;           /* some of them are not 0 */
    double *inertia_shares; /* by vertex: inertia / (inertia + stiffness) of its own 3x3 system, at the start */
    struct carried_contact *carried_contacts;
    struct contact_springs *springs; /* contact_springs.c */
    struct rigid_bonds *bonds;       /* rigid_bonds.c */
    struct sim_budget *budget;       /* budget_contacts.c; null: all contacts are found */
    uint64_t carried_capacity;
    double *interval_start; /* positions at the beginning of the interval between detections */
    dent_rigid_state *rigid_previous, *rigid_detected; /* at the beginning of the substep; of the interval */
    dent_rigid_state *rigid_free;                      /* where this substep's free flight alone takes them */
    double *approach_velocities; /* before the position pass: what restitution is measured against */
    struct elastic_mesh elastic;

    dent_response_body *response_bodies;
    double *scratch; /* 3 per vertex */

    /* Contacts of the present interval, as handed to the response; as reported. */
    dent_contact *contacts;
    uint64_t contact_count, contact_capacity;
    dent_sim_contact *reported;
    uint64_t reported_count, reported_capacity;
    dent_contact_force *new_forces;
    uint64_t new_force_capacity;

    uint32_t *corner_starts,
        *corner_faces;      /* surface faces at every vertex: vertex_count + 1; numbers within the body */
    uint32_t *inside_marks; /* by vertex: body it is inside of + 1, while contacts are sorted out */
    double *fractions;      /* by vertex: how far it may go (safe_motion.c) */
    double *wanted;         /* where it would have gone */
    dent_rigid_state *rigid_wanted;
    uint32_t *islands; /* by vertex: union-find */

    uint8_t *in_impact; /* by vertex */
    dent_impact *impacts;
    uint64_t impact_count, impact_capacity;
    dent_contact *impact_contacts;
    uint64_t impact_contact_capacity;

    struct sim_times times;
    dent_sim_statistics statistics;
};

/* ---- sim_memory.c: blocks that live as long as the simulation ---------------------------------------------------- */
void *sim_allocate(dent_sim *sim, size_t count, size_t size); /* zeroed; null: no memory */
void sim_release_blocks(dent_sim *sim);
/* Grows an array outside the list of blocks; keeps what it holds. */
dent_status sim_reserve(dent_sim *sim, void **array, uint64_t *capacity, uint64_t needed, size_t size);
dent_status sim_no_memory(dent_sim *sim);

/* ---- sim_check.c ------------------------------------------------------------------------------------------------- */
dent_status sim_check_def(dent_context *context, const dent_sim_def *def);
uint64_t sim_def_fingerprint(const dent_sim_def *def);
void sim_body_name(const dent_sim_body_def *body, uint32_t number, char name[SIM_NAME_SIZE]);

/* ---- tet_elasticity.c, cloth_elasticity.c, elastic_colours.c, elastic_mesh.c, elastic_solve.c -------------------- */
struct elastic_builder; /* elastic_mesh.c */
dent_status elastic_mesh_build(dent_sim *sim);
void elastic_sweep(dent_sim *sim, uint32_t number, bool backwards);
dent_status elastic_choose_sweeps(dent_sim *sim, uint32_t iterations);
void elastic_keep_momentum(dent_sim *sim);
/* The force its elements put on a vertex, dampers included (none where sim->previous equals the positions). */
void elastic_force(const dent_sim *sim, uint32_t vertex, double force[3]);
double elastic_body_energy(const dent_sim *sim, uint32_t body);
uint32_t elastic_inverted_cells(const dent_sim *sim);

/* ---- rigid_dynamics.c -------------------------------------------------------------------------------------------- */
dent_status rigid_build(dent_sim *sim);
void rigid_predict(dent_sim *sim, double h);
void rigid_finish(dent_sim *sim, double h);
void rigid_place_vertices(dent_sim *sim); /* positions from poses */
void rigid_vertex_velocities(dent_sim *sim);
void rigid_rotation(const double *quaternion, double matrix[9]);
void rigid_turn(dent_rigid_state *state, const double *angle); /* to first order */
/* Adds points to a rigid body at its start: moments[0] mass, [1..3] first, [4..9] second moments (xx xy xz yy yz zz) in
 * the body's frame, whose origin moves to the new centre of mass, by `shift` of the old frame. */
void rigid_add_mass(dent_sim *sim, uint32_t rigid, const double moments[10], double shift[3]);

/* ---- prescribed_motion.c ----------------------------------------------------------------------------------------- */
void motion_apply(dent_sim *sim, double time);

/* ---- attachments.c ----------------------------------------------------------------------------------------------- */
void attachments_build(dent_sim *sim);
void attachments_carry(dent_sim *sim, double h);
void attachments_solve(dent_sim *sim, double h);
void grabs_solve(dent_sim *sim, double h);
void grabs_add_to_blocks(dent_sim *sim);

/* ---- embedding.c ------------------------------------------------------------------------------------------------- */
dent_status embedding_build(dent_sim *sim);
void embedding_place_vertices(dent_sim *sim);
void embedding_map_contact(const dent_sim *sim, dent_contact *contact);

/* ---- contact_loop.c ---------------------------------------------------------------------------------------------- */
dent_status contacts_build(dent_sim *sim);
uint32_t contacts_interval(const dent_sim *sim, uint32_t most);
dent_status contacts_find(dent_sim *sim, double duration);
void contacts_carry(dent_sim *sim, double h);
/* A force that would displace the free vertex by `move` is carried from one substep to the next. What of that the
 * vertex answers itself, and what is taken out again afterwards, must stay below a quarter of an edge: else the pass
 * that is to find it anew starts from a body torn apart, finds more, and forces grow from substep to substep. The part
 * (0 to 1) that may be carried; both sides of a contact or tie take the smaller one, so momentum is kept. */
double carried_part(const dent_sim *sim, size_t vertex, double share, double move);
void contacts_take_out(dent_sim *sim);
void response_bodies_fill(dent_sim *sim, const double *start, const dent_rigid_state *rigid_start);
dent_response_problem response_problem(dent_sim *sim, double h);
dent_status contacts_push(dent_sim *sim, double h);
dent_status contacts_bounce(dent_sim *sim, double h);
dent_status world_set_positions(dent_sim *sim, const double *positions_t0, const double *positions_t1);

/* ---- budget_contacts.c ------------------------------------------------------------------------------------------- */
dent_status budget_build(dent_sim *sim, uint64_t units);
void budget_destroy(dent_sim *sim);
dent_status budget_step(dent_sim *sim);

/* ---- contact_filter.c -------------------------------------------------------------------------------------------- */
dent_status contact_filter_build(dent_sim *sim);
bool contact_counts(const dent_sim *sim, const dent_contact *contact);

/* ---- safe_motion.c ----------------------------------------------------------------------------------------------- */
dent_status safe_motion_finish(dent_sim *sim, double duration);

/* ---- time_integration.c ------------------------------------------------------------------------------------------ */
void integration_predict(dent_sim *sim);
void integration_velocities(dent_sim *sim);

/* ---- sim_state.c ------------------------------------------------------------------------------------------------- */
enum { STATE_PART_COUNT = 10 };
struct state_part {
    void *bytes;
    size_t size;
    const char *layout; /* of its records: byte_order.h */
};
#define STATE_FORCE_LAYOUT "8888888844"
#define STATE_MEMORY_LAYOUT "4444888"
uint32_t state_parts(const dent_sim *sim, struct sim_state *state, struct state_part parts[STATE_PART_COUNT]);
dent_status state_create(dent_sim *sim, struct sim_state *state);
dent_status state_take_memory(dent_sim *sim);
dent_status state_give_memory(dent_sim *sim);
dent_status state_copy(dent_sim *sim, struct sim_state *to, const struct sim_state *from);
void state_restore(dent_sim *sim); /* the backup becomes the state; allocates nothing */
void state_release(dent_sim *sim, struct sim_state *state);

/* ---- sim_statistics.c -------------------------------------------------------------------------------------------- */
uint64_t sim_hash_bytes(uint64_t hash, const void *bytes, size_t size);
/* The bytes in little endian, so that the hash is the same on every machine; layout: byte_order.h. */
uint64_t sim_hash_records(uint64_t hash, const void *records, size_t size, const char *layout);

/* ---- small helpers ----------------------------------------------------------------------------------------------- */

/* A loop over [0, count) in blocks of SIM_BLOCK on the context's threads; `body` handles [begin, end). */
typedef void sim_range_function(dent_sim *sim, uint32_t begin, uint32_t end);
void sim_parallel(dent_sim *sim, uint32_t begin, uint32_t end, sim_range_function *function);

static inline double sim_dot(const double *a, const double *b)
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void sim_subtract(const double *a, const double *b, double *difference)
{
    difference[0] = a[0] - b[0];
    difference[1] = a[1] - b[1];
    difference[2] = a[2] - b[2];
}

static inline void sim_add_scaled(double *sum, double factor, const double *a)
{
    sum[0] += factor * a[0];
    sum[1] += factor * a[1];
    sum[2] += factor * a[2];
}

static inline void sim_cross(const double *a, const double *b, double *product)
{
    product[0] = a[1] * b[2] - a[2] * b[1];
    product[1] = a[2] * b[0] - a[0] * b[2];
    product[2] = a[0] * b[1] - a[1] * b[0];
}

#endif
