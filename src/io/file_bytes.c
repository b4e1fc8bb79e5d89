/* Whole files in memory, unpacked.
 *
 * The compressed file is read first, then unpacked into a buffer that doubles. zlib and liblzma take their working
 * memory from the context through small hooks that note the size of each block in front of it. A decompression bomb is
 * told by its ratio: beyond BOMB_FREE_SIZE bytes the output may be at most BOMB_RATIO times the input (text meshes
 * reach 10, gzip at most 1032). */
#include "file_bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(DENT_HAVE_ZLIB)
#include <zlib.h>
#endif
#if defined(DENT_HAVE_LZMA)
#include <lzma.h>
#endif

#define BOMB_FREE_SIZE ((size_t)64 << 20)
#define BOMB_RATIO ((size_t)400)

enum compression compression_of_name(const char *name)
{
    size_t length = strlen(name);
    if (length > 3 && strcasecmp(name + length - 3, ".gz") == 0) {
        return COMPRESSION_GZIP;
    }
    if (length > 3 && strcasecmp(name + length - 3, ".xz") == 0) {
        return COMPRESSION_XZ;
    }
    return COMPRESSION_NONE;
}

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

static dent_status file_error(dent_context *context, const char *path, const char *what)
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

/* Opens a file that can be read; *file is to be closed when the status is DENT_OK. */
static dent_status open_file(dent_context *context, const char *path, int *file, struct stat *facts)
{
    *file = open(path, O_RDONLY | O_CLOEXEC);
    if (*file < 0) {
        return file_error(context, path, "cannot be opened");
    }
    dent_status status = DENT_OK;
    if (fstat(*file, facts) != 0) {
        status = file_error(context, path, "cannot be read");
    } else if (S_ISDIR(facts->st_mode)) {
        status = dent_fail(context, DENT_ERROR_FILE, "%s: is a directory, not a mesh file", path);
    } else if (!S_ISREG(facts->st_mode) && !S_ISFIFO(facts->st_mode)) {
        status = dent_fail(context, DENT_ERROR_FILE, "%s: is a device, not a mesh file", path);
    } else if ((uint64_t)facts->st_size > SIZE_MAX / 4) {
        status = dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: larger than the address space", path);
    }
    if (status != DENT_OK) {
        close(*file);
    }
    return status;
}

static dent_status open_and_read(dent_context *context, const char *path, struct file_bytes *bytes)
{
    int file;
    struct stat facts;
    dent_status status = open_file(context, path, &file, &facts);
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
    dent_status status = open_file(context, path, &file, &facts);
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

#if defined(DENT_HAVE_ZLIB) || defined(DENT_HAVE_LZMA)

/* More room for unpacked bytes, or the reason why not. */
static dent_status grow_unpacked(dent_context *context, const char *name, size_t packed_size, struct file_bytes *out)
{
    size_t limit = packed_size > SIZE_MAX / 4 / BOMB_RATIO ? SIZE_MAX / 4 : packed_size * BOMB_RATIO;
    limit = limit > BOMB_FREE_SIZE ? limit : BOMB_FREE_SIZE;
    if (out->capacity >= limit) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: unpacks to more than %zu bytes from %zu: not a mesh file",
                         name, limit, packed_size);
    }
    size_t capacity =
        out->capacity == 0 ? (packed_size < limit / 4 ? packed_size * 4 + 4096 : limit) : out->capacity * 2;
    return grow(context, name, out, capacity < limit ? capacity : limit);
}

/* Memory hooks: the size of a block stands in the 64 bytes before it. */
static void *hook_allocate(void *user, size_t count, size_t size)
{
    if (size != 0 && count > (SIZE_MAX - 64) / size) {
        return NULL;
    }
    unsigned char *block = dent_allocate(user, count * size + 64, 1);
    if (!block) {
        return NULL;
    }
    size_t total = count * size + 64;
    memcpy(block, &total, sizeof total);
    return block + 64;
}

static void hook_release(void *user, void *address)
{
    if (address) {
        unsigned char *block = (unsigned char *)address - 64;
        size_t total;
        memcpy(&total, block, sizeof total);
        dent_release(user, block, total, 1);
    }
}

#endif

#if defined(DENT_HAVE_ZLIB)

static voidpf zlib_allocate(voidpf user, uInt count, uInt size)
{
    return hook_allocate(user, count, size);
}

static void zlib_release(voidpf user, voidpf address)
{
    hook_release(user, address);
}

/* One call of inflate with what fits in its 32-bit counters. */
static int inflate_some(z_stream *stream, const struct file_bytes *packed, size_t *used, struct file_bytes *out)
{
    const size_t most = (size_t)1 << 30;
    size_t left = packed->size - *used;
    size_t room = out->capacity - out->size;
    stream->next_in = packed->data + *used;
    stream->avail_in = (uInt)(left < most ? left : most);
    stream->next_out = out->data + out->size;
    stream->avail_out = (uInt)(room < most ? room : most);
    int code = inflate(stream, Z_NO_FLUSH);
    *used = (size_t)(stream->next_in - packed->data);
    out->size = (size_t)(stream->next_out - out->data);
    return code;
}

static dent_status inflate_all(dent_context *context, const char *name, z_stream *stream,
                               const struct file_bytes *packed, struct file_bytes *out)
{
    size_t used = 0;
    for (;;) {
        if (out->size == out->capacity) {
            dent_status status = grow_unpacked(context, name, packed->size, out);
            if (status != DENT_OK) {
                return status;
            }
        }
        int code = inflate_some(stream, packed, &used, out);
        if (code == Z_STREAM_END) {
            /* Files joined by cat are one file; zero bytes may pad the end. */
            while (used < packed->size && packed->data[used] == 0) {
                used++;
            }
            if (used == packed->size) {
                return DENT_OK;
            }
            if (inflateReset(stream) != Z_OK) {
                return dent_fail(context, DENT_ERROR_FORMAT, "%s: damaged gzip data at byte %zu", name, used);
            }
        } else if (code == Z_MEM_ERROR) {
            return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to unpack gzip data", name);
        } else if (code == Z_BUF_ERROR || (code == Z_OK && used == packed->size && out->size < out->capacity)) {
            return dent_fail(context, DENT_ERROR_FORMAT, "%s: gzip data ends too early (%zu bytes)", name,
                             packed->size);
        } else if (code != Z_OK) {
            return dent_fail(context, DENT_ERROR_FORMAT, "%s: damaged gzip data at byte %zu: %s", name, used,
                             stream->msg ? stream->msg : "bad stream");
        }
    }
}

static dent_status unpack_gzip(dent_context *context, const char *name, const struct file_bytes *packed,
                               struct file_bytes *out)
{
    z_stream stream = {.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = context};
    if (inflateInit2(&stream, 15 + 16) != Z_OK) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to unpack gzip data", name);
    }
    dent_status status = inflate_all(context, name, &stream, packed, out);
    inflateEnd(&stream);
    return status;
}

#else

static dent_status unpack_gzip(dent_context *context, const char *name, const struct file_bytes *packed,
                               struct file_bytes *out)
{
    (void)packed;
    (void)out;
    return dent_fail(context, DENT_ERROR_UNSUPPORTED,
                     "%s: this build of dent cannot unpack gzip: zlib (Debian: zlib1g-dev) was not "
                     "found when it was built",
                     name);
}

#endif

#if defined(DENT_HAVE_LZMA)

static dent_status lzma_error(dent_context *context, const char *name, lzma_ret code, uint64_t byte)
{
    switch (code) {
    case LZMA_MEM_ERROR:
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to unpack xz data", name);
    case LZMA_MEMLIMIT_ERROR:
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%s: its xz dictionary is larger than 256 MiB", name);
    case LZMA_FORMAT_ERROR:
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: is not xz data", name);
    case LZMA_BUF_ERROR:
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: xz data ends too early", name);
    default:
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: damaged xz data at byte %llu", name,
                         (unsigned long long)byte);
    }
}

static dent_status unpack_xz(dent_context *context, const char *name, const struct file_bytes *packed,
                             struct file_bytes *out)
{
    const lzma_allocator hooks = {.alloc = hook_allocate, .free = hook_release, .opaque = context};
    lzma_stream stream = LZMA_STREAM_INIT;
    stream.allocator = &hooks;
    stream.next_in = packed->data;
    stream.avail_in = packed->size;
    lzma_ret code = lzma_stream_decoder(&stream, (uint64_t)256 << 20, LZMA_CONCATENATED);
    dent_status status = DENT_OK;
    while (status == DENT_OK && code == LZMA_OK) {
        if (out->size == out->capacity) {
            status = grow_unpacked(context, name, packed->size, out);
        }
        if (status == DENT_OK) {
            stream.next_out = out->data + out->size;
            stream.avail_out = out->capacity - out->size;
            code = lzma_code(&stream, LZMA_FINISH);
            out->size = out->capacity - stream.avail_out;
        }
    }
    if (status == DENT_OK && code != LZMA_STREAM_END) {
        status = lzma_error(context, name, code, stream.total_in);
    }
    lzma_end(&stream);
    return status;
}

#else

static dent_status unpack_xz(dent_context *context, const char *name, const struct file_bytes *packed,
                             struct file_bytes *out)
{
    (void)packed;
    (void)out;
    return dent_fail(context, DENT_ERROR_UNSUPPORTED,
                     "%s: this build of dent cannot unpack xz: liblzma (Debian: liblzma-dev) was not "
                     "found when it was built",
                     name);
}

#endif

/* Replaces packed bytes by what they unpack to. */
static dent_status unpack(dent_context *context, const char *name, struct file_bytes *bytes)
{
    enum compression compression = compression_of_name(name);
    if (compression == COMPRESSION_NONE || bytes->size == 0) {
        return DENT_OK;
    }
    struct file_bytes out = {0};
    dent_status status = compression == COMPRESSION_GZIP ? unpack_gzip(context, name, bytes, &out)
                                                         : unpack_xz(context, name, bytes, &out);
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

dent_status file_bytes_load(dent_context *context, const char *path, struct file_bytes *bytes)
{
    struct file_bytes taken = {0};
    dent_status status = open_and_read(context, path, &taken);
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
