/* dent/file_output.h — optional library dent_io: files that are written atomically.
 *
 * All output of dent uses it: meshes, collections, checkpoints, and the pictures and tables of the tool. Bytes go to a
 * temporary file. Where the system allows it, that file has no name (Linux: it disappears when the program ends,
 * however that happens). Elsewhere it is a new file with a unique name in the folder of the target, created
 * exclusively. An existing file or link of that name is neither followed nor overwritten. Committing flushes the bytes
 * to the disk and renames the file over the target. At every moment the path is the old file or the complete new one.
 * If several writers share one path, each replaces the file as a whole, and the last one to commit wins.
 *
 * Targets. A symbolic link is followed: the file it leads to is replaced, the link stays. A dangling link, a directory,
 * a pipe, a socket, a device and the names of open files (/dev/stdout, /dev/fd/1) cannot be replaced atomically. They
 * fail with FILE and are not changed. An existing file must be writable and keeps its permissions. Since it is
 * replaced, other hard links to it keep the old content.
 *
 * Threads: any; each writer is used by one thread at a time. Failure: FILE or OUT_OF_MEMORY, the message names the path
 * and the reason. If a file grows beyond its limit (ulimit -f), the system ends the process unless it ignores SIGXFSZ;
 * then the call fails with FILE. Cost: a write per 64 KiB, and waiting for the disk. A committed file survives a power
 * cut. For meshes and collections (mesh_io.h), which are often many, only the content is waited for. After a power cut
 * the file is the old one or the new one, complete.
 */
#ifndef DENT_FILE_OUTPUT_H
#define DENT_FILE_OUTPUT_H

#include <dent/base.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_file_writer dent_file_writer;

/** Checks the target and opens a file to be committed as `path` (copied). *writer is written on success only. End it
 * with dent_file_writer_commit or dent_file_writer_discard. */
DENT_API dent_status dent_file_writer_open(dent_context *context, const char *path, dent_file_writer **writer);

/** Appends bytes. The first error is stored and returned by dent_file_writer_commit; later bytes are ignored. */
DENT_API void dent_file_writer_put(dent_file_writer *writer, const void *bytes, size_t size);

/** Renames the file to its path, or removes all traces of it if something failed. Destroys the writer either way. */
DENT_API dent_status dent_file_writer_commit(dent_file_writer *writer);

/** Removes all traces and destroys the writer. Null is ignored. */
DENT_API void dent_file_writer_discard(dent_file_writer *writer);

/** Opens and discards. Fails with FILE, and the reason, if a file cannot be written to `path` now. For programs that
 * compute for a long time before they write. */
DENT_API dent_status dent_file_check_target(dent_context *context, const char *path);

#ifdef __cplusplus
}
#endif

#endif
