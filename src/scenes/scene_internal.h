/* What the scenes share: the scene object, the row of the scene table, and the helpers with which a scene is built.
 *
 * A scene is a list of bodies, each with a mesh (bodies of one kind share it), the values of its parameters, one
 * placement number found by the overlap solver, and whatever state its own file keeps. Its file gives two functions:
 * `build`, called once, and `pose`, which writes the positions of one body in one frame from these alone. */
#ifndef DENT_SCENES_SCENE_INTERNAL_H
#define DENT_SCENES_SCENE_INTERNAL_H

#include <dent/scene.h>

#include "scene_mesh.h"

enum { SCENE_MAX_PARAMETERS = 8, SCENE_NAME_SIZE = 32 };

struct scene_row {
    dent_scene_info info;
    dent_status (*build)(dent_scene *scene);
    void (*pose)(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions);
    /* Scenes of rigid bodies, whose `pose` is scene_pose_rigid; others leave both null. */
    dent_pose (*place)(const dent_scene *scene, uint32_t body, uint32_t frame);
    void (*joint_values)(const dent_scene *scene, uint32_t frame, double *values); /* with scene->linkage */
};

struct dent_scene {
    dent_context *context;
    const struct scene_row *row;
    double scale;
    double parameters[SCENE_MAX_PARAMETERS]; /* in the order of row->info.parameters */
    double placement;                        /* 0: everything in one place … 1: apart; see overlap_solver.h */

    struct scene_mesh *meshes;
    uint32_t mesh_count;
    dent_scene_body *bodies;
    char *names; /* SCENE_NAME_SIZE bytes for each body */
    uint32_t body_count;
    uint32_t body_capacity;

    void *state;
    size_t state_count, state_size;

    dent_linkage *linkage; /* null, or: its links are the first bodies */
};

/* ---- for the `build` functions. All leave the scene fit for scene_release on failure. ---------------------------- */

/* Refuses sizes that 32-bit indices cannot number, before anything is allocated. Counts as doubles, so they cannot
 * wrap. */
dent_status scene_check_size(const dent_scene *scene, double bodies, double vertices_per_body,
                             double elements_per_body);

/* Room for meshes (empty) and bodies (none yet). */
dent_status scene_reserve(dent_scene *scene, uint32_t mesh_count, uint32_t body_count);

/* `count` cleared records of `size` bytes as scene->state. */
dent_status scene_allocate_state(dent_scene *scene, size_t count, size_t size);

/* Appends a body with a mesh of the scene; `number` is appended to the name when it is not negative. */
void scene_add_body(dent_scene *scene, const char *name, int64_t number, const struct scene_mesh *mesh);

/* A body that moves as a whole. */
void scene_add_rigid_body(dent_scene *scene, const char *name, int64_t number, const struct scene_mesh *mesh);
/* The `pose` of scenes of rigid bodies. */
void scene_pose_rigid(const dent_scene *scene, uint32_t body, uint32_t frame, double *positions);
/* A turn by degrees about x (0), y (1) or z (2), then a way. */
dent_pose scene_rotated(int axis, double degrees, double x, double y, double z);

/* The scenes of one square sheet: `size` edges a side at scale 1 and `size` long, as a surface body. */
dent_status scene_build_sheet(dent_scene *scene, double size, const char *name);

dent_status scene_out_of_memory(const dent_scene *scene);

/* round(value), at least `least`. For values below 2^31. */
uint32_t scene_round(double value, uint32_t least);

#endif
