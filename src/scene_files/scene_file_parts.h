/* The parts of a scene file, each read by its own source. */
#ifndef DENT_SCENE_FILES_SCENE_FILE_PARTS_H
#define DENT_SCENE_FILES_SCENE_FILE_PARTS_H

#include "scene_file.h"
#include "scene_reader.h"

/* scene_file.c: the number of the material of that name; the first when there is no value. */
uint32_t find_material(struct scene_reader *reader, located *value);

/* scene_file_bodies.c */
void read_bodies(struct scene_reader *reader, located *bodies);
/* The number of the body of that name; an error placed at `value` when there is none. */
uint32_t find_body(struct scene_reader *reader, located *value);

/* scene_file_meshes.c: the mesh of one body from a file, a generator or a built-in scene. */
void read_body_mesh(struct scene_reader *reader, located *object, dent_sim_body_def *body);

/* scene_file_ties.c */
void read_attachments(struct scene_reader *reader, located *attachments);
/* "fixed" and "motion" of a body whose mesh is in place. */
void read_fixed_vertices(struct scene_reader *reader, located *value, dent_sim_body_def *body);
void read_motion(struct scene_reader *reader, located *value, dent_sim_body_def *body);
/* {"axis": [..], "angle": ..} as a quaternion w, x, y, z. */
void read_rotation(struct scene_reader *reader, located *value, double quaternion[4]);

/* scene_file_joints.c */
void read_joints(struct scene_reader *reader, located *joints);

#endif
