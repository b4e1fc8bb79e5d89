/* A simulation being described: bodies, materials, attachments and everything they point to, in one place that grows
 * and is released at once. Built-in scenes and scene files are both turned into a plan, and the plan into a dent_sim.
 *
 * Errors stick: after the first one every call does nothing and returns something harmless, and plan->status says what
 * happened; so a builder reads like a description. What plan_allocate gives lives as long as the plan (motions may keep
 * using it). */
#ifndef DENT_SCENES_SIM_PLAN_H
#define DENT_SCENES_SIM_PLAN_H

#include <dent/sim_linkage.h>
#include <dent/sim_scene.h>

#include "scenes/scene_mesh.h"

struct plan_block {
    struct plan_block *next;
    size_t size; /* of the whole block, this header included */
};

struct sim_plan {
    dent_context *context;
    dent_status status;
    struct plan_block *blocks;

    dent_sim_body_def *bodies;
    uint32_t body_count, body_capacity;
    dent_sim_body_def nobody; /* handed out after an error, so that builders need not look */
    dent_sim_material *materials;
    uint32_t material_count, material_capacity;
    dent_sim_material_pair *pairs;
    uint32_t pair_count, pair_capacity;
    dent_sim_attachment *attachments;
    uint32_t attachment_count, attachment_capacity;
    dent_sim_load_def *loads;
    uint32_t load_count, load_capacity;
    dent_sim_support *supports;
    uint32_t support_count, support_capacity;
    dent_sim_spring *springs;
    uint32_t spring_count, spring_capacity;
    dent_sim_probe *probes;
    uint32_t probe_count, probe_capacity;
    dent_sim_joint *joints;
    uint32_t joint_count, joint_capacity;
    dent_sim_body_pair *excluded;
    uint32_t excluded_count, excluded_capacity;

    dent_sim_def def; /* everything but the arrays above */
    const char *name; /* of the scene */
    const char *length_unit;
    double length_in_metres, mass_in_kilograms, time_in_seconds;
    uint32_t steps_per_frame, frame_count;
};

void plan_open(struct sim_plan *plan, dent_context *context);
void plan_close(struct sim_plan *plan);

/* Memory that lives as long as the plan, cleared; null after an error. */
void *plan_allocate(struct sim_plan *plan, size_t count, size_t size);
const char *plan_copy_text(struct sim_plan *plan, const char *text);
/* "name 3" for a number that is not negative. */
const char *plan_numbered_name(struct sim_plan *plan, const char *name, int64_t number);

/* Keeps the first error; `status` DENT_OK changes nothing. True while all is well. */
bool plan_note(struct sim_plan *plan, dent_status status);

uint32_t plan_add_material(struct sim_plan *plan, const dent_sim_material *material);
void plan_add_attachment(struct sim_plan *plan, const dent_sim_attachment *attachment);
void plan_add_load(struct sim_plan *plan, const dent_sim_load_def *load);
void plan_add_support(struct sim_plan *plan, const dent_sim_support *support);
void plan_add_spring(struct sim_plan *plan, const dent_sim_spring *spring);
void plan_add_probe(struct sim_plan *plan, const dent_sim_probe *probe);
void plan_add_joint(struct sim_plan *plan, const dent_sim_joint *joint);
void plan_add_pair(struct sim_plan *plan, const dent_sim_material_pair *pair);
void plan_add_excluded(struct sim_plan *plan, uint32_t body_a, uint32_t body_b);
/* Bodies and joints of a linkage behind those that are there (whatever first_body and first_joint say); the pairs of
 * its links that are listed do not collide. The linkage and its links may go afterwards. */
void plan_add_linkage(struct sim_plan *plan, const dent_sim_linkage_def *def, const uint32_t (*excluded)[2],
                      uint32_t excluded_count);

/* A body with defaults and no mesh; never null (after an error a record nobody will read). Valid until the next body is
 * added. */
dent_sim_body_def *plan_add_body(struct sim_plan *plan, dent_sim_body_kind kind, const char *name);

/* Gives the body the mesh, whose arrays now belong to the plan (they are copied and released); positions are the
 * reference. */
void plan_take_mesh(struct sim_plan *plan, dent_sim_body_def *body, struct scene_mesh *mesh);
/* The same, by copying arrays that stay the caller's. */
void plan_copy_mesh(struct sim_plan *plan, dent_sim_body_def *body, dent_body_kind kind, uint32_t vertex_count,
                    uint32_t element_count, const uint32_t *corners, const double *positions);

/* The positions of a body of this plan, to be written. */
double *plan_positions(const dent_sim_body_def *body);

/* x -> matrix (columns after one another are rows: m[3 r + c]) x + shift, for all vertices of a body. */
void plan_transform(dent_sim_body_def *body, const double matrix[9], const double shift[3]);
void plan_scale_and_move(dent_sim_body_def *body, double factor, double x, double y, double z);

/* All vertices for which inside(user, point) holds follow the body's motion. Returns how many. */
typedef bool plan_region(const void *user, const double point[3]);
uint32_t plan_fix_vertices(struct sim_plan *plan, dent_sim_body_def *body, plan_region *inside, const void *user);

/* A room of the body's own for its keyframes, to be filled; null after an error. */
dent_sim_keyframe *plan_keyframes(struct sim_plan *plan, dent_sim_body_def *body, uint32_t count);
dent_sim_keyframe plan_key(double time, double x, double y, double z);

/* Replaces a solid's tetrahedra by the triangles of its surface, dropping the vertices inside. */
void plan_keep_surface(struct sim_plan *plan, dent_sim_body_def *body);

/* Ties each vertex of body a for which `inside` holds to the nearest cell of body b (tetrahedra), at the place in its
 * frame where it is now, if b comes within `reach`. Returns how many. O(vertices * cells of b) over a grid of boxes. */
uint32_t plan_attach_to_cells(struct sim_plan *plan, uint32_t body_a, uint32_t body_b, double reach, double compliance,
                              plan_region *inside, const void *user);

/* Makes the simulation; the plan goes into the scene on success and is left alone otherwise. */
dent_status plan_finish(struct sim_plan *plan, dent_sim_scene **scene);

#endif
