/* dent/frames.h — optional library dent_io: a series of mesh files as the frames of an animation.
 *
 * A series is one of
 *   - a pattern for numbered files: "shirt_%04d.obj" (%d: a number, %04d: of four digits or more), "shirt_*.obj",
 *     "shirt_???.obj";
 *   - a directory with one numbered series of mesh files in it;
 *   - an archive of one: .tar, .tar.gz, .tgz, .tar.xz, .txz (ustar, pax and GNU names; gzip and xz if the build has
 *     them); "anim.tar.xz/cloth_*.obj" selects those members;
 *   - several files, given one by one.
 * The file names of a series differ in one number only. Frames are in the order of these numbers, whatever their count
 * of digits. Every format of dent/mesh_io.h can be used, compressed or not. Other files of a directory or archive are
 * ignored with a notice; hidden ones without. "%%" in a pattern is a percent sign.
 *
 * Memory: names, and one frame while it is read, within the context's reading_limit (a def's memory_limit for its
 * frame). 0 means 256 MiB plus 100 times the bytes on disk. A compressed archive is read once when it is opened and
 * once when its frames are read in order. If its frames are in another order, it is kept uncompressed in memory. If
 * that exceeds the limit, it is read again from the start at each step back. An archive that expands to more than 64
 * MiB and 400 times its size fails. Input is treated as hostile, as in the readers.
 *
 * Threads: one series is used by one thread at a time. Failure: a status and one line in the context's message. It
 * names the file, or the archive, the member and the byte where its header begins.
 */
#ifndef DENT_FRAMES_H
#define DENT_FRAMES_H

#include <dent/mesh_io.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_frames dent_frames;

/** Returns true if a path names a series and not one mesh. A series is an archive, a directory, or a pattern that is
 * not itself the name of a file. Reads the file system. Threads: any. */
DENT_API bool dent_path_is_series(const char *path);

/** Returns true if two file names differ in one number only, as those of one series do. Threads: any. */
DENT_API bool dent_paths_same_series(const char *path_a, const char *path_b);

/** Finds the frames without reading them. Takes one path as above, or several files of one series in any order. */
DENT_API dent_status dent_frames_open(dent_context *context, uint32_t path_count, const char *const *paths,
                                      dent_frames **frames);
/** Opens an archive in memory, borrowed until closed. `name` ("a.tar.xz") gives its compression and is used in
 * messages. */
DENT_API dent_status dent_frames_open_memory(dent_context *context, const char *name, const void *bytes, size_t size,
                                             dent_frames **frames);
/** Closes the series. Null is allowed. Meshes that were read stay valid. */
DENT_API void dent_frames_close(dent_frames *frames);

/** Returns the number of frames, at least 1. */
DENT_API uint32_t dent_frames_count(const dent_frames *frames);
/** Returns the path, or "archive.tar/member". `index` is below the count. Valid until closed. */
DENT_API const char *dent_frame_name(const dent_frames *frames, uint32_t index);
/** Returns the number in its name, ascending with the index; 0 for a single file without one. */
DENT_API uint64_t dent_frame_number(const dent_frames *frames, uint32_t index);

/** Reads one frame, as dent_mesh_read does. */
DENT_API dent_status dent_frame_read(dent_frames *frames, uint32_t index, const dent_mesh_read_def *def,
                                     dent_mesh **mesh);

/* ---- from one frame to the next ---------------------------------------------------------------------------------- */

typedef enum dent_mesh_change {
    DENT_MESH_SAME_TOPOLOGY = 0, /**< same bodies, same elements: only positions differ */
    DENT_MESH_NEW_TOPOLOGY = 1,  /**< same number of bodies, other elements or vertices */
    DENT_MESH_OTHER_BODIES = 2   /**< another number of bodies */
} dent_mesh_change;

/** Compares two meshes. O(n). */
DENT_API dent_mesh_change dent_mesh_compare(const dent_mesh *before, const dent_mesh *after);

/** Replaces the bodies of `before` by those of `after`. They were added by dent_mesh_add_to_world and keep these ids.
 * Same topology: positions are replaced, so that methods can refit their structures. New topology: calls
 * dent_body_set_topology, which also resets filters. Other bodies: fails with INVALID_ARGUMENT and the context's
 * message; all other failures set the world's message. `after` must live as long as its bodies; `before` is no longer
 * needed. *change (may be null) is written on success. On failure the bodies are those of `before`. If memory is too
 * short even to restore them, they are removed from the world. */
DENT_API dent_status dent_mesh_replace_in_world(const dent_mesh *before, const dent_mesh *after, dent_world *world,
                                                const dent_body_id *ids, dent_mesh_change *change);

#ifdef __cplusplus
}
#endif

#endif
