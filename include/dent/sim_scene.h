/* dent/sim_scene.h — optional library dent_sim: simulated scenes, built in or read from a JSON file.
 *
 * A simulated scene is a dent_sim plus frame length, frame count and drivers. `dent run`, the viewer, tests and demos
 * share it:
 *
 *   dent_sim_scene_def def = dent_sim_scene_def_default();
 *   def.name = "stack";                                          or "my_scene.json": a file
 *   dent_sim_scene_open(context, &def, &scene);
 *   dent_sim *sim = dent_sim_scene_sim(scene);                   owned by the scene
 *   for (…) dent_sim_scene_step_frame(scene);                    then dent_sim_positions, dent_sim_contacts …
 *
 * Deterministic as dent_sim is: the same scene gives the same bits everywhere. Units are stated per scene; a scene file
 * defines its own (docs/scene_files.md). Threads: a scene is used by one thread at a time.
 */
#ifndef DENT_SIM_SCENE_H
#define DENT_SIM_SCENE_H

#include <dent/scene.h>
#include <dent/sim.h>
#include <dent/urdf.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A row of the table of built-in simulated scenes. */
typedef struct dent_sim_scene_info {
    const char *name;
    const char *summary;
    uint32_t frame_count;    /**< number of frames */
    const char *length_unit; /**< "m" or "mm"; masses are kg, times s, so forces are kg m/s^2 (N) or kg mm/s^2 (mN) */
    bool needs_data;         /**< needs the data kit: dent_sim_scene_def.data_folder */
    uint32_t parameter_count;
    const dent_scene_parameter_info *parameters;
} dent_sim_scene_info;

DENT_API uint32_t dent_sim_scene_count(void);
/** Returns null if index is not below the count. */
DENT_API const dent_sim_scene_info *dent_sim_scene_info_at(uint32_t index);
/** Returns null if there is no built-in simulated scene of that name. */
DENT_API const dent_sim_scene_info *dent_sim_scene_find(const char *name);

typedef struct dent_sim_scene_def {
    size_t struct_size;
    const char *name; /**< name of a built-in scene, path of a scene file (a name that ends in .json), or of a robot
                           (.urdf, also compressed). The robot is held at its root and moves under gravity in SI units,
                           without motors */
    double scale;     /**< above 0, default 1; the number of elements grows about linearly with it. Files: 1 only */
    uint32_t setting_count; /**< files: none */
    const dent_scene_setting *settings;
    const char *data_folder; /**< folder of the data kit, for scenes that need it; null (default): none */
    uint32_t substeps;       /**< replaces the scene's own; 0 (default): unchanged */
    double contact_deadline; /**< seconds; replaces dent_sim_def.contact_deadline. 0 (default): unchanged */
    const int *cancel;       /**< passed to dent_sim_def.cancel; null by default */
    const dent_robot_read_def *robot_reading; /**< robots: how to read them; null: defaults */
    const double *joint_values;     /**< robots: at time 0; null (default): 0, or the limits nearest to it */
    uint32_t joint_value_count;     /**< of the array */
    uint32_t excluded_link_count;   /**< robots: pairs of links that do not collide, beside neighbours */
    const uint32_t (*excluded_links)[2];
} dent_sim_scene_def;
DENT_API dent_sim_scene_def dent_sim_scene_def_default(void);

typedef struct dent_sim_scene dent_sim_scene;

/** Creates a scene by name, from the table or from a file. Reading a file takes at most the context's reading_limit, or
 *  256 MiB plus 100 times the bytes on disk, generated bodies included; more is TOO_LARGE. INVALID_ARGUMENT names an
 *  unknown scene or setting and the allowed ones. UNSUPPORTED: missing data, or a build without JSON (jansson). FORMAT:
 *  "file:line:column: what was expected". The statuses of dent_sim_create also apply. *scene is written on success
 *  only. */
DENT_API dent_status dent_sim_scene_open(dent_context *context, const dent_sim_scene_def *def, dent_sim_scene **scene);

/** Reads a scene file from memory. Messages call it `name`. Mesh files are searched relative to `folder` (null: the
 *  scene may not refer to any). Null def: defaults; name, scale and settings are not used. */
DENT_API dent_status dent_sim_scene_read_memory(dent_context *context, const char *name, const char *folder,
                                                const void *bytes, size_t size, const dent_sim_scene_def *def,
                                                dent_sim_scene **scene);
DENT_API void dent_sim_scene_destroy(dent_sim_scene *scene);

/** Returns true if this build can read scene files. */
DENT_API bool dent_sim_scene_files_supported(void);

/** Returns the simulation, which is valid as long as the scene. */
DENT_API dent_sim *dent_sim_scene_sim(const dent_sim_scene *scene);

typedef struct dent_sim_scene_facts {
    const char *name;                          /**< name of the scene, or the name that the file gives */
    const char *length_unit;                   /**< "m", "mm" … of positions */
    double length_in_metres;                   /**< the same as a number, 1 or 0.001 … */
    double mass_in_kilograms, time_in_seconds; /**< 1 unless a file says otherwise */
    double time_step;                          /**< time step of the simulation */
    uint32_t steps_per_frame;                  /**< a frame lasts steps_per_frame * time_step */
    uint32_t frame_count;                      /**< number of frames */
} dent_sim_scene_facts;
DENT_API dent_sim_scene_facts dent_sim_scene_get_facts(const dent_sim_scene *scene);

/** Performs the steps of one frame. Stops at the first step that fails or is cancelled (see dent_sim_step). */
DENT_API dent_status dent_sim_scene_step_frame(dent_sim_scene *scene);

#ifdef __cplusplus
}
#endif

#endif
