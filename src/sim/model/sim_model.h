/* What a simulation consists of: bodies, materials, masses, elements, settings. step/sim_create.c makes it; after that
 * nothing changes it, and every stage takes it as const. What a step changes is struct sim_state (sim_state.h); what a
 * step needs meanwhile are the workspaces of the rooms (rigid, elastic, contacts), put together in step/sim_step.h.
 *
 * All vertices of all bodies lie in one array, body after body; a vertex number without a body is one of that array. */
#ifndef DENT_SIM_SIM_MODEL_H
#define DENT_SIM_SIM_MODEL_H

#include <dent/contact.h>
#include <dent/response.h>
#include <dent/sim.h>

#include "sim/model/sim_vectors.h"

#define SIM_NONE UINT32_MAX

enum { SIM_NAME_SIZE = 64, SIM_MOST_GRABS = 64, SIM_BLOCK = 256 };

struct sim_block_list; /* sim_memory.c */
struct elastic_mesh;   /* elastic/elastic_mesh.h */
struct rigid_bonds;    /* elastic/rigid_bonds.h */
struct sim_loads;      /* loads/load_model.h */
struct rod_mesh;       /* elements/rod_mesh.h */

/* Cells that elasticity is computed on, where these are not the elements: model/body_cells.c. */
struct sim_cells {
    uint32_t count, corner_count; /* corners per cell: 8 or 10; 0: cells are elements */
    uint32_t *corners;            /* numbers within the body */
    uint32_t *element_cells;      /* by element */
    uint32_t middle_count;        /* quadratic: vertices that were added, the last ones of the body, … */
    uint32_t *middle_ends;        /* … between these two each, ascending */
};

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
    double given_mass, given_center[3], given_inertia[6]; /* of the def; mass 0: by the mesh */
    uint32_t fixed_count;
    uint32_t *fixed; /* numbers within the body */
    dent_sim_motion motion;
    uint32_t rigid; /* number in model->rigids, or SIM_NONE */
    uint32_t host;
    uint32_t collision_group, collision_mask;
    bool own_density; /* of the body def, not of its materials */
    bool self_collision, thin;
    bool oriented, mirrored; /* oriented: a solid or closed surface: has an inside; mirrored: its faces look inward */
    dent_body_id id;
    struct sim_cells cells;
    uint32_t strand_count, *strand_first; /* of strands; first vertices, and one behind the last */
    double radius, twist;
    uint32_t root_count;
    dent_sim_root *roots;
    uint32_t *root_corners; /* 3 per root: of its face, numbers of the global array */
    uint32_t *cell_materials; /* by cell (of an elastic solid); null: `material` */
    double *cell_fibres;      /* 3 per cell, unit; null: those of the materials */
};

struct sim_rigid {
    uint32_t body;
    double inertia[9]; /* about the centre of mass, in the body's frame, by rows */
    double *local;     /* vertices in the body's frame */
    double mass;
};

struct sim_attachment {
    uint32_t vertex_a;       /* of the global array */
    uint32_t body_a, body_b; /* body_b SIM_NONE: space */
    uint32_t vertices_b[4];  /* of the global array, SIM_NONE */
    double weights_b[4], point[3];
    double length, compliance;
    bool bonded;  /* part of a rigid body: rigid_bonds.c instead */
};

struct sim_joint {
    dent_sim_joint_kind kind;
    uint32_t rigid[2];                   /* numbers in model->rigids, SIM_NONE: the world */
    uint32_t frame;                      /* the still prescribed body in place of the world, or SIM_NONE */
    double local[2][3];                  /* its point in the frames of the bodies, or in space */
    double axis[3], across[3], third[3]; /* unit, in space at the start: the frames of bodies are those of space then */
    bool limited, collide;
    double start;        /* the position at time 0; limits are relative to it */
    double lower, upper;
    dent_sim_motor motor;
    double max_force, max_speed;
    double stiffness, length; /* springs */
    double damping, friction;
};

struct sim_embedding {
    uint32_t body, host;
    uint32_t *corners;  /* 3 per vertex: host vertices, global */
    double *weights;    /* 3 per vertex */
    double *offsets;    /* 3 per vertex, in the frame of the facet */
    size_t first_frame; /* of its vertices in state->frames */
};

struct sim_model {
    dent_context *context;
    struct sim_block_list *blocks;

    uint32_t body_count;
    struct sim_body *bodies;
    uint32_t material_count;
    dent_sim_material *materials;
    uint32_t pair_count;
    dent_material_pair *pairs; /* all pairs of materials */
    uint32_t attachment_count;      /* those of the def, then those of roots */
    uint32_t root_attachment_count;
    struct sim_attachment *attachments;
    uint32_t joint_count;
    struct sim_joint *joints;
    uint32_t embedding_count;
    struct sim_embedding *embeddings;
    uint32_t rigid_count;
    struct sim_rigid *rigids;

    uint32_t vertex_count;
    double *inverse_masses; /* 0: does not move by itself */
    double *masses;
    uint32_t *vertex_bodies;
    uint32_t *root_bodies; /* by vertex: the body that carries it as the root of a strand, or SIM_NONE; null without roots */
    uint32_t *strand_carriers; /* … that carries the root of its strand */
    uint32_t *corner_starts, *corner_faces; /* surface faces at every vertex: vertex_count + 1; numbers in the body */
    double mean_edge;                       /* of the world */
    struct elastic_mesh *elastic;
    struct rigid_bonds *bonds;
    struct sim_loads *loads;
    struct rod_mesh *rods;   /* strands; without any, it has no groups */
    uint32_t rod_row_count;  /* of its rows */

    double time_step, substep, air_damping;
    uint32_t substeps, iterations, contact_interval, impact_passes;
    bool interval_is_fixed; /* by the def */
    bool contacts_wanted, continuous, watch_all, sleep;
    bool exact_islands; /* small ones by dent/constraints.h */
    bool stop_swift; /* rigid bodies that leave the margin of detection are stopped before impacts */
    bool has_loads;
    const int *cancel;
    uint64_t fingerprint;
    uint32_t plastic_count;    /* points of cells that flow: state->plastic */
    uint32_t activation_count; /* of state->activations: one per material if any has fibres, else 0 */
};

/* ---- sim_memory.c: blocks that live as long as the simulation ---------------------------------------------------- */
void *sim_allocate(struct sim_model *model, size_t count, size_t size); /* zeroed; null: no memory */
void sim_release_blocks(struct sim_model *model);
/* Grows an array outside the list of blocks; keeps what it holds. */
dent_status sim_reserve(dent_context *context, void **array, uint64_t *capacity, uint64_t needed, size_t size);
dent_status sim_no_memory(dent_context *context);

/* ---- sim_loops.c ------------------------------------------------------------------------------------------------- */

/* A loop over [begin, end) in blocks of SIM_BLOCK on the context's threads; `function` handles a part of it. */
typedef void sim_range_function(void *data, uint32_t begin, uint32_t end);
void sim_parallel(dent_context *context, uint32_t begin, uint32_t end, sim_range_function *function, void *data);
/* As memcpy(), by several threads where it is much. */
void sim_copy(dent_context *context, void *to, const void *from, size_t size);
/* Sums over [begin, end): `function` adds what a part of it has. In the same order for any number of threads, and up to
 * 1,024 as in one loop. */
enum { SIM_MOST_SUMS = 4 };
typedef void sim_sum_function(void *data, uint32_t begin, uint32_t end, double sums[SIM_MOST_SUMS]);
void sim_parallel_sums(dent_context *context, uint32_t begin, uint32_t end, sim_sum_function *function, void *data,
                       double sums[SIM_MOST_SUMS]);
/* The largest of what `function` leaves in sums[0], where 0 came in; at least 0. */
double sim_parallel_most(dent_context *context, uint32_t begin, uint32_t end, sim_sum_function *function, void *data);

/* ---- sim_check.c ------------------------------------------------------------------------------------------------- */
dent_status sim_check_def(dent_context *context, const dent_sim_def *def);
uint64_t sim_def_fingerprint(const dent_sim_def *def);
void sim_body_name(const dent_sim_body_def *body, uint32_t number, char name[SIM_NAME_SIZE]);

dent_status sim_check_joints(dent_context *context, const dent_sim_def *def);
uint64_t sim_joints_fingerprint(const dent_sim_def *def, uint64_t hash);

/* ---- body_cells.c ------------------------------------------------------------------------------------------------ */

/* The defs of all bodies as tetrahedra and triangles: `made` (body_count) are those of the def, where needed with new
 * vertices and elements; `cells` says which cells these came from. All memory is the model's. */
dent_status sim_make_cells(struct sim_model *model, const dent_sim_def *def, dent_sim_body_def *made,
                           struct sim_cells *cells);
uint32_t sim_cell_count(const struct sim_body *body);
uint32_t sim_cell_points(const struct sim_body *body); /* in each cell */
/* The material of a cell, and of an element. */
uint32_t sim_cell_material(const struct sim_body *body, uint32_t cell);
uint32_t sim_element_cell(const struct sim_body *body, uint32_t element);
/* Sets the marks (by vertex of the body) of listed vertices, and of added ones between two of them; clears the others. */
void sim_mark_vertices(const struct sim_body *body, const uint32_t *vertices, uint32_t count, uint8_t *marks);
/* The vertex that was added between two, or SIM_NONE. O(log n) */
uint32_t sim_middle_between(const struct sim_body *body, uint32_t a, uint32_t b);

/* Strands in groups of eight, each as long as its longest. */
uint32_t sim_strand_rows(uint32_t strand_count, const uint32_t *first);

/* ---- small questions about a model ------------------------------------------------------------------------------- */

/* What a body may move until the next detection: a quarter of an edge. */
static inline double sim_max_travel(const struct sim_body *body)
{
    return 0.25 * body->mean_edge;
}

/* Whether the minimisation moves its vertices one by one. */
static inline bool sim_is_elastic(dent_sim_body_kind kind)
{
    return kind == DENT_SIM_SOLID || kind == DENT_SIM_CLOTH || kind == DENT_SIM_STRANDS;
}

/* How two materials meet: the first pair that fits. */
static inline dent_contact_material sim_pair_material(const struct sim_model *model, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < model->pair_count; i++) {
        const dent_material_pair *pair = &model->pairs[i];
        if ((pair->material_a == a && pair->material_b == b) || (pair->material_a == b && pair->material_b == a)) {
            return pair->material;
        }
    }
    return (dent_contact_material){0};
}

#endif
