/* The files a URDF file names, and the surfaces of its links. */
#ifndef DENT_IO_URDF_MESHES_H
#define DENT_IO_URDF_MESHES_H

#include <dent/urdf.h>

#include "io/bytes/read_scope.h"
#include "urdf_document.h"
#include "urdf_shapes.h"

enum { URDF_PATH_MAX = 8192 };

/* Where to look: the folders of the caller, then the folder of the file and those above it. */
struct urdf_search_path {
    char folder[URDF_PATH_MAX]; /* of the file; "." for bytes in memory */
    uint32_t package_path_count;
    const char *const *package_paths;
};

/* Notes the folder of `path` (null: none). */
void urdf_places_init(struct urdf_search_path *places, const char *path, const dent_robot_read_def *def);

/* All collision shapes of one link, placed in the frame of the link. `file` is the name of the URDF file in messages.
 * Links are asked for in order: *next_shape, 0 for the first, goes with them over the shapes of the file. */
dent_status urdf_build_link(struct read_scope *scope, const char *file, const struct urdf_document *document,
                            uint32_t link, size_t *next_shape, const struct urdf_search_path *places,
                            const dent_robot_read_def *def, struct link_surface *surface);

/* A notice for the log that counts the visual meshes which are not there. */
void urdf_note_visual_meshes(dent_context *context, const char *file, const struct urdf_document *document,
                             const struct urdf_search_path *places);

#endif
