/* load_world.h — from the words on the command line to bodies in a world.
 *
 * Each word is a mesh file, a robot (.urdf) at the joint values of --joints, a scene file (.json) or, where no such file exists, the name of a built-in scene. Scenes
 * that are simulated are run up to the frame asked for; names that stand for two scenes (jaw, v-shapes) mean the
 * prescribed one unless --simulated is given. The bodies are numbered in the order of the words. What a body
 * is called in the file (its own vertex and element numbers) is kept for printing.
 */
#ifndef DENT_LOAD_WORLD_H
#define DENT_LOAD_WORLD_H

#include "tool_session.h"

#include <dent/frames.h>
#include <dent/scene.h>
#include <dent/sim_scene.h>
#include <dent/urdf.h>
#include <dent/world.h>

/** One file or scene. */
typedef struct loaded_input {
    const char *name;
    dent_mesh *mesh;    /* or null … */
    dent_scene *scene;  /* … and this … */
    double **positions; /* of its bodies */
    dent_sim_scene *simulation; /* … or this, which has positions of its own */
    uint32_t simulated_frames;  /* it has gone through */
    dent_robot *robot;          /* … or this, whose links stand in `positions`; one body per link with a surface */
    dent_body_id *link_ids;     /* of its links; null ids for those without a surface */
    uint32_t body_count;
} loaded_input;

/** One body; arrays are owned by its input. */
typedef struct loaded_body {
    dent_body_id id;
    uint32_t input;
    const char *name;
    dent_body_kind kind;
    uint32_t vertex_count, element_count;
    const double *positions;
    const uint32_t *element_corners;
    const uint8_t *cell_kinds;
    const uint32_t *vertex_numbers, *element_numbers; /* null: the same as in the file */
    uint32_t strand_count; /* strands: with first, and radii or null */
    const uint32_t *first;
    const double *radii;
    const double *normals; /* points: of the file, or null */
} loaded_body;

typedef struct loaded_world {
    dent_world *world;
    uint32_t input_count, input_capacity;
    loaded_input *inputs;
    uint32_t body_count, body_capacity;
    loaded_body *bodies;  /* by body index */
    uint32_t scene_frame; /* of the scenes that are added */
} loaded_world;

/** Makes an empty world. All functions here report their errors themselves and return an exit status. */
int loaded_world_open(tool_session *session, loaded_world *loaded);
/** Finds the frames of a series; notices are kept. */
int open_frames(tool_session *session, uint32_t word_count, const char *const *words, dent_frames **frames);
/** Adds the bodies of one file or scene; on an error nothing of it is left behind. */
int loaded_world_add(tool_session *session, loaded_world *loaded, const char *name);
/** The same for one frame of a series; `name` is the word that named the series. Null frames: a file or scene. */
int loaded_world_add_frame(tool_session *session, loaded_world *loaded, const char *name, dent_frames *frames,
                           uint32_t index);
/** Puts the bodies of another frame in the place of those of an input: positions only, or new elements (*change). */
int loaded_world_set_frame(tool_session *session, loaded_world *loaded, uint32_t input, dent_frames *frames,
                           uint32_t index, dent_mesh_change *change);
/** Moves the bodies of a scene to another frame of it. */
void loaded_world_pose_scene(loaded_world *loaded, uint32_t input, uint32_t frame);
/** Moves the links of a robot to other joint values, without checking limits; false: not finite. */
bool loaded_world_pose_robot(tool_session *session, loaded_world *loaded, uint32_t input, const double *values);
/** Sets the pairs that are not tested: neighbouring links, SRDF, --allow. After the last body has been added. */
int loaded_world_allow(tool_session *session, loaded_world *loaded);
/** Adds a built-in scene, whether or not there is a file of that name. */
int loaded_world_add_scene(tool_session *session, loaded_world *loaded, const char *name);
/** What the options say of a simulated scene: size, parameters, the folder of the data kit. */
dent_sim_scene_def simulated_scene_def(const tool_options *options, const char *name);
/** Runs a simulated scene on to a later frame; the positions of its bodies change in place. */
int loaded_world_simulate(tool_session *session, loaded_input *input, uint32_t frame);
/** Opens a world with all arguments of the command line. On an error there is nothing to close. */
int loaded_world_read_arguments(tool_session *session, loaded_world *loaded);
void loaded_world_close(tool_session *session, loaded_world *loaded);

/** What a command does with a model, and all around it: opens a session and a world with the arguments, calls, closes.
 */
typedef int model_function(tool_session *session, const loaded_world *loaded);
int run_on_model(const tool_options *options, printer *out, model_function *function);

/** Options that would be without effect are refused, so that a forgotten scene name is noticed. */
int refuse_scene_options(const tool_options *options);

/** A made scene with the options --scale and --set, or an error that has been reported. */
int create_scene(tool_session *session, const char *name, dent_scene **scene);
/** The name is no file's, but a built-in scene's with prescribed frames: those are meant unless --simulated is given
 * and there is a simulated scene of that name too. */
bool names_a_scene(const tool_options *options, const char *name);
/** The name is that of a scene file (.json), or no file's but a simulated scene's, and --simulated is given or there
 * are no prescribed frames. */
bool names_a_simulation(const tool_options *options, const char *name);
/** --prescribed of a scene without prescribed frames, --simulated of one that is not simulated, both at once. */
int refuse_kind_of_scene(const tool_options *options);
/** How many frames a scene that is not simulated has; with one outside, an error has been reported. */
int check_scene_frame(const char *name, uint32_t frame);

#endif
