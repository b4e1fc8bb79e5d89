/* dent/frames.h — optional library dent_io: a series of mesh files as the frames of an animation.
 *
 * A series is one of
 *   - a pattern for numbered files: "shirt_%04d.obj" (%d: a number, %04d: of four digits or more), "shirt_*.obj",
 *     "shirt_???.obj";
 *   - a directory with one numbered series of mesh files in it;
 *   - an archive of one: .tar, .tar.gz, .tgz, .tar.xz, .txz (ustar, pax and GNU names; gzip and xz where the build
 *     has them); "anim.tar.xz/cloth_*.obj" takes those members;
 *   - several files, given one by one.
 * The files of a series have names that differ in one number only; frames are in the order of these numbers, however
 * many digits they are written with. Every format dent/mesh_io.h reads will do, packed or not. Other files of a
 * directory or archive are left out with a notice; hidden ones without. "%%" in a pattern stands for a percent sign.
 *
 * Memory: names, and one frame while it is read, within the context's reading_limit (a def's memory_limit for its
 * frame); 0: 256 MiB and 100 times the bytes on disk. A packed archive is gone through once when it is opened and once
 * when its frames are read in order. One whose frames are in another order is kept unpacked in memory, or, where the
 * limit forbids that, started again at each step back. One that unpacks to more than 64 MiB and 400 times its size is
 * refused. Written for hostile input, as the readers are.
 *
 * Threads: one series by one thread at a time. Failure: a status and one line in the context's message, which names the
 * archive, the member and the byte where its header begins, or the file.
 */
#ifndef DENT_FRAMES_H
#define DENT_FRAMES_H

#include <dent/mesh_io.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_frames dent_frames;

/** True when a name stands for a series and not for one mesh: an archive, a directory, or a pattern where there is no
 * file of that very name. Looks at the file system. Threads: any. */
DENT_API bool dent_path_is_series(const char *path);

/** True when the names of two files differ in one number only, as those of one series do. Threads: any. */
DENT_API bool dent_paths_same_series(const char *path_a, const char *path_b);

/** Finds the frames; none of them is read yet. One path as above, or several files of one series in any order. */
DENT_API dent_status dent_frames_open(dent_context *context, uint32_t path_count, const char *const *paths,
                                      dent_frames **frames);
/** An archive in memory, borrowed until closed; `name` ("a.tar.xz") says how it is packed and stands for it in
 * messages. */
DENT_API dent_status dent_frames_open_memory(dent_context *context, const char *name, const void *bytes, size_t size,
                                             dent_frames **frames);
/** Null is allowed. Meshes that were read stay. */
DENT_API void dent_frames_close(dent_frames *frames);

/** At least 1. */
DENT_API uint32_t dent_frames_count(const dent_frames *frames);
/** The path, or "archive.tar/member". `index` below the count. Valid until closed. */
DENT_API const char *dent_frame_name(const dent_frames *frames, uint32_t index);
/** The number in its name, ascending with the index; 0 for a lone file without one. */
DENT_API uint64_t dent_frame_number(const dent_frames *frames, uint32_t index);

/** Reads one frame, as dent_mesh_read does. */
DENT_API dent_status dent_frame_read(dent_frames *frames, uint32_t index, const dent_mesh_read_def *def,
                                     dent_mesh **mesh);

/* ---- from one frame to the next ---------------------------------------------------------------------------------- */

typedef enum dent_mesh_change {
    DENT_MESH_SAME_TOPOLOGY = 0, /**< the same bodies with the same elements: only positions differ */
    DENT_MESH_NEW_TOPOLOGY = 1,  /**< as many bodies, other elements or vertices */
    DENT_MESH_OTHER_BODIES = 2   /**< another number of bodies */
} dent_mesh_change;

/** O(n). */
DENT_API dent_mesh_change dent_mesh_compare(const dent_mesh *before, const dent_mesh *after);

/** Puts the bodies of `after` in the place of those of `before`, which were added by dent_mesh_add_to_world and have
 * these ids (they keep them). Same topology: positions are replaced, so that methods may refit what they have built.
 * New topology: dent_body_set_topology, which also resets filters. Other bodies: INVALID_ARGUMENT, with the context's
 * message; the message of all other failures is the world's. `after` must live as long as its bodies; `before` is no
 * longer needed. *change (null: not wanted) is written on success. On failure the bodies are those of `before`; should
 * memory be too short even to put them back, they are removed from the world. */
DENT_API dent_status dent_mesh_replace_in_world(const dent_mesh *before, const dent_mesh *after, dent_world *world,
                                                const dent_body_id *ids, dent_mesh_change *change);

#ifdef __cplusplus
}
#endif

#endif
