/* The parts of a scene file, each read by its own source. */
#ifndef DENT_SCENE_FILES_SCENE_FILE_PARTS_H
#define DENT_SCENE_FILES_SCENE_FILE_PARTS_H

#include "scene_file.h"
#include "scene_reader.h"

#include <dent/mesh_io.h>

/* scene_file.c: the number of the material of that name; the first when there is no value. */
uint32_t find_material(struct scene_reader *reader, located *value);

/* scene_file_bodies.c */
void read_bodies(struct scene_reader *reader, located *bodies);
/* The number of the body of that name; an error placed at `value` when there is none. */
uint32_t find_body(struct scene_reader *reader, located *value);

/* scene_file_meshes.c: the mesh of one body from a file, a generator or a built-in scene. */
void read_body_mesh(struct scene_reader *reader, located *object, dent_sim_body_def *body);

/* scene_file_strands.c: generated strands, those of a mesh file, and (when placed) "radius" and "roots" of a body. */
void generate_strands(struct scene_reader *reader, located *object, dent_sim_body_def *body);
void take_strands(struct scene_reader *reader, const dent_mesh_body *mesh, dent_sim_body_def *body);
void read_strands(struct scene_reader *reader, located *object, dent_sim_body_def *body);

/* scene_file_laws.c: the model of a material; the elements of a body (before its mesh); its regions (behind its mesh). */
void read_law(struct scene_reader *reader, located *value, dent_sim_material *material);
void read_elements(struct scene_reader *reader, located *object, dent_sim_body_def *body);
void read_regions(struct scene_reader *reader, located *value, dent_sim_body_def *body);
/* The cells of a generated box as hexahedra; its vertices stay. */
void make_box_hexahedra(struct sim_plan *plan, const uint32_t cells[3], dent_sim_body_def *body);

/* scene_file_ties.c */
void read_attachments(struct scene_reader *reader, located *attachments);
/* "fixed" and "motion" of a body whose mesh is in place. */
void read_fixed_vertices(struct scene_reader *reader, located *value, uint32_t number);
void read_motion(struct scene_reader *reader, located *value, dent_sim_body_def *body);
/* {"axis": [..], "angle": ..} as a quaternion w, x, y, z. */
void read_rotation(struct scene_reader *reader, located *value, double quaternion[4]);

/* scene_file_selections.c: the vertices of a body that a value selects, in a list of the plan's. Returns how many, 0 is an
 * error. Of a named region of triangles: these, else none. */
uint32_t read_vertices(struct scene_reader *reader, located *value, uint32_t number, const uint32_t **vertices);
uint32_t read_region_faces(struct scene_reader *reader, located *value, uint32_t number, const uint32_t **faces);
/* Elements whose middle lies in a region, or a list of their numbers: 1 in `chosen`. False: an error, or none. */
bool read_cell_selection(struct scene_reader *reader, located *value, const dent_sim_body_def *body, uint8_t *chosen);
void read_direction(struct scene_reader *reader, located *value, double direction[3]);
/* Named regions of the mesh file of a body; forgotten when its vertices are numbered anew. */
void keep_regions(struct scene_reader *reader, uint32_t number, const dent_mesh *mesh, const dent_mesh_body *body);
void drop_regions(struct scene_reader *reader, uint32_t number);

/* scene_file_loads.c: "loads", "supports", "springs", "probes" of the scene, when all bodies are there. */
void read_loads(struct scene_reader *reader, located *root);
/* scene_file_robots.c: "robots", behind the bodies; each link with a body gets the name ROBOT/LINK. */
void read_robots(struct scene_reader *reader, located *robots);
/* scene_file_bodies.c: "group" and "touches"; "rotate" and "move". */
void read_filter(struct scene_reader *reader, located *object, dent_sim_body_def *body);
/* scene_file_meshes.c: the path of a file that a value names, in the plan's memory; null: an error. Its size counts for
 * the limit of memory. */
char *find_file(struct scene_reader *reader, located *file);
/* scene_file_joints.c */
void read_joints(struct scene_reader *reader, located *joints);

#endif
