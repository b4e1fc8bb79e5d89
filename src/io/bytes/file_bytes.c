/* Whole files in memory, unpacked: the compressed file is read first, then unpacked into a buffer that doubles, as far
 * as the context gives memory (a reader's has a limit, see read_scope.h). */
#include "file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void file_bytes_release(dent_context *context, struct file_bytes *bytes)
{
    dent_release(context, bytes->data, bytes->capacity, 1);
    *bytes = (struct file_bytes){0};
}

static dent_status out_of_memory(dent_context *context, const char *name, size_t size)
{
    return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for its %zu bytes", name, size);
}

static dent_status grow(dent_context *context, const char *name, struct file_bytes *bytes, size_t capacity)
{
    void *grown =
        capacity > bytes->capacity ? dent_reallocate(context, bytes->data, bytes->capacity, capacity, 1) : NULL;
    if (!grown) {
        return out_of_memory(context, name, capacity);
    }
    bytes->data = grown;
    bytes->capacity = capacity;
    return DENT_OK;
}

/* ---- reading --------------------------------------------------------------------------------------------------- */

dent_status file_error(dent_context *context, const char *path, const char *what)
{
    const char *why = errno == ENOENT    ? "no such file"
                      : errno == EACCES  ? "permission denied"
                      : errno == EISDIR  ? "is a directory"
                      : errno == ENOTDIR ? "a part of the path is not a directory"
                      : errno == EMFILE  ? "too many open files"
                      : errno == ELOOP   ? "too many symbolic links"
                      : errno == EIO     ? "input/output error"
                                         : NULL;
    if (why) {
        return dent_fail(context, DENT_ERROR_FILE, "%s: %s: %s", path, what, why);
    }
    return dent_fail(context, DENT_ERROR_FILE, "%s: %s: error %d of the system", path, what, errno);
}

/* Reads the open file to its end. */
static dent_status read_all(dent_context *context, const char *path, int file, size_t expected,
                            struct file_bytes *bytes)
{
    dent_status status = grow(context, path, bytes, expected + 1);
    while (status == DENT_OK) {
        if (bytes->size == bytes->capacity) {
            status = grow(context, path, bytes, bytes->capacity * 2);
            continue;
        }
        size_t room = bytes->capacity - bytes->size;
        ssize_t count = read(file, bytes->data + bytes->size, room < ((size_t)1 << 30) ? room : (size_t)1 << 30);
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR) {
            return file_error(context, path, "cannot be read");
        }
        bytes->size += count > 0 ? (size_t)count : 0;
    }
    return status;
}

static dent_status check_kind(dent_context *context, const char *path, enum file_kinds kinds, const struct stat *facts)
{
    if (S_ISDIR(facts->st_mode)) {
        return dent_fail(context, DENT_ERROR_FILE, "%s: is a directory, not a file", path);
    }
    if (S_ISFIFO(facts->st_mode) && kinds == FILES_ONLY) {
        return dent_fail(context, DENT_ERROR_FILE, "%s: is a pipe, not a file", path);
    }
    if (!S_ISREG(facts->st_mode) && !S_ISFIFO(facts->st_mode)) {
        return dent_fail(context, DENT_ERROR_FILE, "%s: is a device, not a file", path);
    }
    if ((uint64_t)facts->st_size > SIZE_MAX / 4) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: larger than the address space", path);
    }
    return DENT_OK;
}

/* Looked at before it is opened, since opening a device can have effects, and after, since it may be another one by
 * then. Only a pipe that is allowed is waited for. */
dent_status file_open(dent_context *context, const char *path, enum file_kinds kinds, int *file, struct stat *facts)
{
    if (stat(path, facts) != 0) {
        return file_error(context, path, "cannot be opened");
    }
    dent_status status = check_kind(context, path, kinds, facts);
    if (status != DENT_OK) {
        return status;
    }
    *file = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | (S_ISFIFO(facts->st_mode) ? 0 : O_NONBLOCK));
    if (*file < 0) {
        return file_error(context, path, "cannot be opened");
    }
    status = fstat(*file, facts) == 0 ? check_kind(context, path, kinds, facts)
                                      : file_error(context, path, "cannot be read");
    if (status != DENT_OK) {
        close(*file);
    }
    return status;
}

static dent_status open_and_read(dent_context *context, const char *path, enum file_kinds kinds,
                                 struct file_bytes *bytes)
{
    int file;
    struct stat facts;
    dent_status status = file_open(context, path, kinds, &file, &facts);
    if (status == DENT_OK) {
        status = read_all(context, path, file, S_ISREG(facts.st_mode) ? (size_t)facts.st_size : 65536, bytes);
        close(file);
    }
    return status;
}

dent_status file_check(dent_context *context, const char *path)
{
    int file;
    struct stat facts;
    if (stat(path, &facts) == 0 && S_ISFIFO(facts.st_mode)) {
        return DENT_OK; /* opening it would wait */
    }
    dent_status status = file_open(context, path, FILES_ONLY, &file, &facts);
    if (status == DENT_OK) {
        close(file);
    }
    return status;
}

bool file_exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0 && !S_ISDIR(facts.st_mode);
}

/* ---- unpacking ------------------------------------------------------------------------------------------------- */

/* More room for unpacked bytes, or the reason why not. */
static dent_status grow_unpacked(dent_context *context, const char *name, size_t packed_size, struct file_bytes *out)
{
    const size_t most = SIZE_MAX / 4;
    if (out->capacity >= most) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: unpacks to more than the address space holds", name);
    }
    size_t capacity = out->capacity > 0 ? out->capacity * 2 : packed_size < most / 4 ? packed_size * 4 + 4096 : most;
    return grow(context, name, out, capacity < most ? capacity : most);
}

static dent_status unpack_all(dent_context *context, const char *name, struct unpacker *unpacker,
                              const struct file_bytes *packed, struct file_bytes *out)
{
    struct unpack_windows windows = {.in = packed->data, .in_left = packed->size, .in_is_last = true};
    dent_status status = DENT_OK;
    bool ended = false;
    while (status == DENT_OK && !ended) {
        if (out->size == out->capacity) {
            status = grow_unpacked(context, name, packed->size, out);
        }
        if (status == DENT_OK) {
            windows.out = out->data + out->size;
            windows.out_left = out->capacity - out->size;
            status = unpacker_run(unpacker, &windows, &ended);
            out->size = out->capacity - windows.out_left;
        }
    }
    return status;
}

/* Replaces packed bytes by what they unpack to. */
static dent_status unpack(dent_context *context, const char *name, struct file_bytes *bytes)
{
    enum compression compression = compression_of_name(name);
    if (compression == COMPRESSION_NONE || bytes->size == 0) {
        return DENT_OK;
    }
    struct file_bytes out = {0};
    struct unpacker *unpacker = NULL;
    dent_status status = unpacker_open(context, name, compression, &unpacker);
    if (status == DENT_OK) {
        status = unpack_all(context, name, unpacker, bytes, &out);
        unpacker_close(unpacker);
    }
    if (status != DENT_OK) {
        file_bytes_release(context, &out);
        return status;
    }
    file_bytes_release(context, bytes);
    *bytes = out;
    return DENT_OK;
}

static dent_status unpack_and_keep(dent_context *context, const char *name, dent_status status,
                                   struct file_bytes *taken, struct file_bytes *bytes)
{
    if (status == DENT_OK) {
        status = unpack(context, name, taken);
    }
    if (status == DENT_OK && taken->size == 0) {
        status = dent_fail(context, DENT_ERROR_FILE, "%s: is empty", name);
    }
    if (status == DENT_OK) {
        *bytes = *taken;
    } else {
        file_bytes_release(context, taken);
    }
    return status;
}

dent_status file_bytes_load(dent_context *context, const char *path, enum file_kinds kinds, struct file_bytes *bytes)
{
    struct file_bytes taken = {0};
    dent_status status = open_and_read(context, path, kinds, &taken);
    return unpack_and_keep(context, path, status, &taken, bytes);
}

dent_status file_bytes_from_memory(dent_context *context, const char *name, const void *data, size_t size,
                                   struct file_bytes *bytes)
{
    struct file_bytes taken = {0};
    dent_status status = size > 0 ? grow(context, name, &taken, size) : DENT_OK;
    if (status == DENT_OK && size > 0) {
        memcpy(taken.data, data, size);
        taken.size = size;
    }
    return unpack_and_keep(context, name, status, &taken, bytes);
}
