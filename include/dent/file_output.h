/* dent/file_output.h — optional library dent_io: files that appear whole or not at all.
 *
 * Everything dent writes goes this way: meshes, collections, checkpoints, and what the tool draws and tabulates. Bytes
 * go to a file that has no name where the system allows it (Linux: it is gone when the program ends, however that
 * happens), and elsewhere to a new file of a unique name in the folder of the target, created exclusively: nothing that
 * lies under that name already is followed or overwritten. Committing flushes the bytes to the disk and renames the
 * file over the target. At every moment the path is the old file or the complete new one; of several writers to one
 * path each replaces the file as a whole, and the last one to commit stays.
 *
 * Targets. A symbolic link is followed: the file it leads to is replaced, the link stays. A link that leads nowhere, a
 * directory, a pipe, a socket, a device and the names of open files (/dev/stdout, /dev/fd/1) fail with FILE and are
 * left alone: they cannot be replaced, and what is written in pieces cannot be whole. An existing file must be writable
 * and keeps its permissions; since it is replaced, other hard links to it keep the old content.
 *
 * Threads: any, each writer on one at a time. Failure: FILE or OUT_OF_MEMORY, the message names the path and the
 * reason. A process that does not ignore SIGXFSZ is ended by the system when a file grows beyond its limit (ulimit -f);
 * one that does gets FILE. Cost: a write per 64 KiB, and waiting for the disk: a file that was committed is there after
 * a power cut. Of meshes and collections (mesh_io.h), which come by the hundred, only the content is waited for: after a
 * power cut the file is the old one or the new one, whole.
 */
#ifndef DENT_FILE_OUTPUT_H
#define DENT_FILE_OUTPUT_H

#include <dent/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_file_writer dent_file_writer;

/** Checks the target and opens a file to be committed under `path` (copied). *writer is written on success only; end it
 * with dent_file_writer_commit or dent_file_writer_discard. */
DENT_API dent_status dent_file_writer_open(dent_context *context, const char *path, dent_file_writer **writer);

/** Appends bytes. The first error is kept and returned by dent_file_writer_commit; later bytes are ignored. */
DENT_API void dent_file_writer_put(dent_file_writer *writer, const void *bytes, size_t size);

/** Puts the file in its place, or removes all traces of it when something failed. Destroys the writer either way. */
DENT_API dent_status dent_file_writer_commit(dent_file_writer *writer);

/** Removes all traces and destroys the writer. Null is ignored. */
DENT_API void dent_file_writer_discard(dent_file_writer *writer);

/** Opens and discards: FILE, with the reason, when a file cannot be written to `path` now. For programs that compute for
 * long before they write. */
DENT_API dent_status dent_file_check_target(dent_context *context, const char *path);

#ifdef __cplusplus
}
#endif

#endif
