/* Whole files or none: a temporary file in the target's folder (same file system, so that the final rename is one
 * step), every write checked, flushed to the disk, renamed.
 *
 * The temporary file has no name until it is complete where the system can do that (O_TMPFILE of Linux): a killed
 * program leaves nothing behind. It then gets a unique name for the moment between linkat(), which cannot replace, and
 * rename(), which can. Elsewhere it has that name from the beginning. The C library's streams are not used: they
 * allocate behind the context's back and report a full disk late. */
#define _GNU_SOURCE /* O_TMPFILE, realpath, faccessat with AT_EACCESS */
#include "whole_file.h"

#include <dent/file_output.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h> /* realpath only; memory comes from the context */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 65536, TEMPORARY_NAME_SIZE = 64 };

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

static void fail_with_errno(struct whole_file *file, const char *what, int error)
{
    if (file->status == DENT_OK) {
        file->status = dent_fail(file->context, DENT_ERROR_FILE, "%s: %s: %s", file->path, what, strerror(error));
    }
}

static void release_memory(struct whole_file *file)
{
    dent_release(file->context, file->block, file->block_size, 1);
    file->block = NULL;
}

/* ---- the target ------------------------------------------------------------------------------------------------ */

static bool refuse(struct whole_file *file, const char *what)
{
    file->status = dent_fail(file->context, DENT_ERROR_FILE, "%s: cannot be written: it is %s, not a regular file",
                             file->path, what);
    return false;
}

static bool is_regular(struct whole_file *file, mode_t mode)
{
    return S_ISREG(mode) || refuse(file, S_ISDIR(mode)    ? "a directory"
                                         : S_ISFIFO(mode) ? "a pipe"
                                         : S_ISSOCK(mode) ? "a socket"
                                         : S_ISLNK(mode)  ? "a symbolic link"
                                                          : "a device");
}

/* /dev/stdout and /proc/self/fd/1 may lead to a regular file, but to one that is open and being written. */
static bool names_an_open_file(struct whole_file *file)
{
    const char *slash = strrchr(file->path, '/');
    size_t length = slash ? (size_t)(slash - file->path) + 1 : 0;
    memcpy(file->target, file->path, length);
    memcpy(file->target + length, ".", 2);
    return realpath(file->target, file->temporary) &&
           (strcmp(file->temporary, "/dev") == 0 || strncmp(file->temporary, "/proc/", 6) == 0);
}

/* Replacing a device or a pipe by a file would be worse than any error. An existing file keeps its permissions. */
static bool inspect_target(struct whole_file *file, mode_t *mode, bool *keep_mode)
{
    struct stat found;
    *keep_mode = false;
    *mode = 0666;
    if (stat(file->path, &found) != 0) {
        if (errno != ENOENT) {
            fail_with_errno(file, "cannot be written", errno);
            return false;
        }
        return lstat(file->path, &found) != 0 || refuse(file, "a symbolic link that leads nowhere");
    }
    if (!is_regular(file, found.st_mode)) {
        return false;
    }
    if (names_an_open_file(file)) {
        return refuse(file, "the name of an open file");
    }
    if (faccessat(AT_FDCWD, file->path, W_OK, AT_EACCESS) != 0) {
        fail_with_errno(file, "cannot be written", errno);
        return false;
    }
    *mode = found.st_mode & 0777;
    *keep_mode = true;
    return true;
}

static void find_target(struct whole_file *file)
{
    if (!realpath(file->path, file->target)) {
        memcpy(file->target, file->path, strlen(file->path) + 1); /* not there yet */
    }
    const char *slash = strrchr(file->target, '/');
    file->folder_length = slash ? (size_t)(slash - file->target) + 1 : 0;
    memcpy(file->temporary, file->target, file->folder_length);
    file->temporary[file->folder_length] = '\0';
}

/* ---- the temporary file ---------------------------------------------------------------------------------------- */

/* Folder of the target plus a short name of our own: an appended suffix could exceed the longest name allowed. */
static void next_temporary_name(struct whole_file *file)
{
    snprintf(file->temporary + file->folder_length, TEMPORARY_NAME_SIZE, ".dent-%ld-%llx.part", (long)getpid(),
             (unsigned long long)file->number++);
}

static const char *folder_name(const struct whole_file *file)
{
    return file->folder_length > 0 ? file->temporary : ".";
}

static bool open_nameless(struct whole_file *file, mode_t mode)
{
#ifdef O_TMPFILE
    char link[32];
    file->descriptor = open(folder_name(file), O_TMPFILE | O_WRONLY | O_CLOEXEC, mode);
    if (file->descriptor >= 0) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file->descriptor);
        if (access(link, F_OK) == 0) {
            return true;
        }
        close(file->descriptor); /* without /proc it could not get a name */
    }
#endif
    (void)mode;
    file->descriptor = -1;
    return false;
}

static bool open_named(struct whole_file *file, mode_t mode)
{
    errno = EEXIST;
    for (int attempt = 0; attempt < WHOLE_FILE_NAME_TRIES && errno == EEXIST; attempt++) {
        next_temporary_name(file);
        file->descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file->descriptor >= 0) {
            return true;
        }
    }
    fail_with_errno(file, "cannot be written", errno);
    return false;
}

static bool has_name(const struct whole_file *file)
{
    return file->temporary[file->folder_length] != '\0';
}

static void give_name(struct whole_file *file)
{
    char link[32];
    int result = -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file->descriptor);
    errno = EEXIST;
    for (int attempt = 0; attempt < WHOLE_FILE_NAME_TRIES && result != 0 && errno == EEXIST; attempt++) {
        next_temporary_name(file);
        result = linkat(AT_FDCWD, link, AT_FDCWD, file->temporary, AT_SYMLINK_FOLLOW);
    }
    if (result != 0) {
        fail_with_errno(file, "cannot be put in place", errno);
        file->temporary[file->folder_length] = '\0'; /* what has that name is not ours */
    }
}

dent_status whole_file_open(struct whole_file *file, dent_context *context, const char *path,
                            const struct whole_file_temporary *temporary)
{
    size_t path_size = strlen(path) + 1;
    size_t target_size = path_size + 1 > PATH_MAX ? path_size + 1 : PATH_MAX;
    memset(file, 0, sizeof *file);
    file->context = context;
    file->descriptor = -1;
    file->number = temporary ? temporary->number : dent_clock_ns();
    file->block_size = BUFFER_SIZE + path_size + 2 * target_size + TEMPORARY_NAME_SIZE;
    file->block = dent_allocate(context, file->block_size, 1);
    if (!file->block) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory for the write buffer", path);
    }
    file->path = file->block + BUFFER_SIZE;
    file->target = file->path + path_size;
    file->temporary = file->target + target_size;
    memcpy(file->path, path, path_size);
    mode_t mode;
    bool keep_mode;
    bool opened = inspect_target(file, &mode, &keep_mode);
    if (opened) {
        find_target(file);
        opened = (!(temporary && temporary->named) && open_nameless(file, mode)) || open_named(file, mode);
    }
    if (!opened) {
        release_memory(file);
        return file->status;
    }
    if (keep_mode) {
        (void)fchmod(file->descriptor, mode); /* open() has applied the umask; not worth failing for */
    }
    return DENT_OK;
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static void flush(struct whole_file *file)
{
    const char *bytes = file->block;
    size_t left = file->used;
    file->used = 0;
    while (left > 0 && file->status == DENT_OK) {
        ssize_t written = write(file->descriptor, bytes, left);
        if (written > 0) {
            bytes += written;
            left -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            fail_with_errno(file, "cannot be written", written == 0 ? ENOSPC : errno);
        }
    }
}

void whole_file_put(struct whole_file *file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0 && file->status == DENT_OK) {
        size_t room = BUFFER_SIZE - file->used;
        size_t part = size < room ? size : room;
        memcpy(file->block + file->used, from, part);
        file->used += part;
        from += part;
        size -= part;
        if (file->used == BUFFER_SIZE) {
            flush(file);
        }
    }
}

/* File systems that cannot flush say so by these; the file is as good as they can make it. */
static bool cannot_flush(int error)
{
    return error == EINVAL || error == ENOTSUP || error == EROFS || error == ENOSYS;
}

/* The rename is on the disk when its folder is. Not worth failing for: the file is in its place. */
static void flush_folder(struct whole_file *file)
{
    file->temporary[file->folder_length] = '\0';
    int descriptor = open(folder_name(file), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor >= 0) {
        (void)fsync(descriptor);
        close(descriptor);
    }
}

static void put_in_place(struct whole_file *file)
{
    struct stat found;
    if (lstat(file->target, &found) == 0 && !is_regular(file, found.st_mode)) {
        return; /* became something else while we wrote */
    }
    if (rename(file->temporary, file->target) != 0) {
        fail_with_errno(file, "cannot be put in place", errno);
    } else if (file->flush_folder) {
        flush_folder(file);
    }
}

dent_status whole_file_close(struct whole_file *file)
{
    flush(file);
    if (file->status == DENT_OK && fsync(file->descriptor) != 0 && !cannot_flush(errno)) {
        fail_with_errno(file, "cannot be written", errno);
    }
    if (file->status == DENT_OK && !has_name(file)) {
        give_name(file);
    }
    if (close(file->descriptor) != 0) {
        fail_with_errno(file, "cannot be written", errno); /* where network file systems report a full disk */
    }
    if (file->status == DENT_OK) {
        put_in_place(file);
    }
    if (file->status != DENT_OK && has_name(file)) {
        (void)unlink(file->temporary);
    }
    release_memory(file);
    return file->status;
}

void whole_file_discard(struct whole_file *file)
{
    close(file->descriptor);
    if (has_name(file)) {
        (void)unlink(file->temporary);
    }
    release_memory(file);
}

/* ---- the public writer ----------------------------------------------------------------------------------------- */

struct dent_file_writer {
    struct whole_file file;
};

dent_status dent_file_writer_open(dent_context *context, const char *path, dent_file_writer **writer)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    DENT_REQUIRE(context, writer);
    if (!path[0]) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "a file to be written needs a path");
    }
    dent_file_writer *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory", path);
    }
    dent_status status = whole_file_open(&made->file, context, path, NULL);
    if (status != DENT_OK) {
        dent_release(context, made, 1, sizeof *made);
        return status;
    }
    made->file.flush_folder = true;
    *writer = made;
    return DENT_OK;
}

void dent_file_writer_put(dent_file_writer *writer, const void *bytes, size_t size)
{
    if (writer && (bytes || size == 0)) {
        whole_file_put(&writer->file, bytes, size);
    }
}

dent_status dent_file_writer_commit(dent_file_writer *writer)
{
    DENT_REQUIRE(NULL, writer);
    dent_context *context = writer->file.context;
    dent_status status = whole_file_close(&writer->file);
    dent_release(context, writer, 1, sizeof *writer);
    return status;
}

void dent_file_writer_discard(dent_file_writer *writer)
{
    if (writer) {
        dent_context *context = writer->file.context;
        whole_file_discard(&writer->file);
        dent_release(context, writer, 1, sizeof *writer);
    }
}

dent_status dent_file_check_target(dent_context *context, const char *path)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, path);
    dent_file_writer *writer;
    dent_status status = dent_file_writer_open(context, path, &writer);
    if (status == DENT_OK) {
        dent_file_writer_discard(writer);
    }
    return status;
}
