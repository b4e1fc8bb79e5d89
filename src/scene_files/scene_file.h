/* Scene files: JSON to plan. See docs/scene_files.md for what a file may say. */
#ifndef DENT_SCENE_FILES_SCENE_FILE_H
#define DENT_SCENE_FILES_SCENE_FILE_H

#include "scenes/simulated/sim_plan.h"

/* The plan of a scene in memory. `name` is for messages, `folder` (null: no files) where mesh files are looked for.
 * UNSUPPORTED in a build without jansson. */
dent_status scene_file_plan(struct sim_plan *plan, const char *name, const char *folder, const char *text, size_t size);

/* The same from a file; mesh files are looked for in its folder. */
dent_status scene_file_load(struct sim_plan *plan, const char *path);

#endif
