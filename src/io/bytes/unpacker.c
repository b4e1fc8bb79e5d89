/* gzip by zlib, xz by liblzma, both fed by windows.
 *
 * zlib and liblzma take their working memory from the context through small hooks that note the size of each block in
 * front of it. Streams that are not kept in memory (archives) have a limit of their own, for the time they take: beyond
 * BOMB_FREE_SIZE bytes the output may be at most BOMB_RATIO times the input (text meshes reach 10, gzip at most 1032).
 */
#include "unpacker.h"

#include <string.h>
#include <strings.h>

#if defined(DENT_HAVE_ZLIB)
#define ZLIB_CONST
#include <zlib.h>
#endif
#if defined(DENT_HAVE_LZMA)
#include <lzma.h>
#endif

#define BOMB_FREE_SIZE ((uint64_t)64 << 20)
#define BOMB_RATIO ((uint64_t)400)

static bool has_ending(const char *name, const char *ending)
{
    size_t length = strlen(name), ending_length = strlen(ending);
    return length > ending_length && strcasecmp(name + length - ending_length, ending) == 0;
}

enum compression compression_of_name(const char *name)
{
    return has_ending(name, ".gz") ? COMPRESSION_GZIP : has_ending(name, ".xz") ? COMPRESSION_XZ : COMPRESSION_NONE;
}

uint64_t unpacked_size_limit(uint64_t packed_size)
{
    uint64_t limit = packed_size > UINT64_MAX / 4 / BOMB_RATIO ? UINT64_MAX / 4 : packed_size * BOMB_RATIO;
    return limit > BOMB_FREE_SIZE ? limit : BOMB_FREE_SIZE;
}

struct unpacker {
    dent_context *context;
    const char *name;
    enum compression compression;
    uint64_t taken;       /* packed bytes so far */
    bool between_streams; /* gzip: a stream has ended, another may follow */
#if defined(DENT_HAVE_ZLIB)
    z_stream gzip;
#endif
#if defined(DENT_HAVE_LZMA)
    lzma_stream xz;
    lzma_allocator xz_memory;
#endif
};

#if defined(DENT_HAVE_ZLIB) || defined(DENT_HAVE_LZMA)

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

/* ---- gzip ------------------------------------------------------------------------------------------------------ */

#if defined(DENT_HAVE_ZLIB)

static voidpf zlib_allocate(voidpf user, uInt count, uInt size)
{
    return hook_allocate(user, count, size);
}

static void zlib_release(voidpf user, voidpf address)
{
    hook_release(user, address);
}

static dent_status open_gzip(struct unpacker *unpacker)
{
    unpacker->gzip = (z_stream){.zalloc = zlib_allocate, .zfree = zlib_release, .opaque = unpacker->context};
    if (inflateInit2(&unpacker->gzip, 15 + 16) != Z_OK) {
        return dent_fail(unpacker->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to unpack gzip data",
                         unpacker->name);
    }
    return DENT_OK;
}

static void close_gzip(struct unpacker *unpacker)
{
    inflateEnd(&unpacker->gzip);
}

/* One call of inflate with what fits in its 32-bit counters. */
static int inflate_some(struct unpacker *unpacker, struct unpack_windows *windows)
{
    const size_t most = (size_t)1 << 30;
    z_stream *stream = &unpacker->gzip;
    uInt in = (uInt)(windows->in_left < most ? windows->in_left : most);
    uInt out = (uInt)(windows->out_left < most ? windows->out_left : most);
    stream->next_in = windows->in;
    stream->avail_in = in;
    stream->next_out = windows->out;
    stream->avail_out = out;
    int code = inflate(stream, Z_NO_FLUSH);
    windows->in += in - stream->avail_in;
    windows->in_left -= in - stream->avail_in;
    unpacker->taken += in - stream->avail_in;
    windows->out += out - stream->avail_out;
    windows->out_left -= out - stream->avail_out;
    return code;
}

/* Files joined by cat are one file; zero bytes may pad the end. True when another stream begins. */
static bool another_gzip_stream(struct unpacker *unpacker, struct unpack_windows *windows, bool *ended)
{
    while (windows->in_left > 0 && *windows->in == 0) {
        windows->in++;
        windows->in_left--;
        unpacker->taken++;
    }
    *ended = windows->in_left == 0 && windows->in_is_last;
    return windows->in_left > 0;
}

static dent_status run_gzip(struct unpacker *unpacker, struct unpack_windows *windows, bool *ended)
{
    dent_context *context = unpacker->context;
    while (windows->out_left > 0 && (windows->in_left > 0 || windows->in_is_last)) {
        if (unpacker->between_streams) {
            if (!another_gzip_stream(unpacker, windows, ended)) {
                return DENT_OK;
            }
            unpacker->between_streams = false;
            if (inflateReset(&unpacker->gzip) != Z_OK) {
                return dent_fail(context, DENT_ERROR_FORMAT, "%s: damaged gzip data at byte %llu", unpacker->name,
                                 (unsigned long long)unpacker->taken);
            }
        }
        int code = inflate_some(unpacker, windows);
        if (code == Z_STREAM_END) {
            unpacker->between_streams = true;
        } else if (code == Z_MEM_ERROR) {
            return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to unpack gzip data", unpacker->name);
        } else if (code == Z_BUF_ERROR ||
                   (code == Z_OK && windows->in_is_last && windows->in_left == 0 && windows->out_left > 0)) {
            return dent_fail(context, DENT_ERROR_FORMAT, "%s: gzip data ends too early (%llu bytes)", unpacker->name,
                             (unsigned long long)unpacker->taken);
        } else if (code != Z_OK) {
            return dent_fail(context, DENT_ERROR_FORMAT, "%s: damaged gzip data at byte %llu: %s", unpacker->name,
                             (unsigned long long)unpacker->taken,
                             unpacker->gzip.msg ? unpacker->gzip.msg : "bad stream");
        }
    }
    /* The end may be known although there is no room left. */
    if (unpacker->between_streams) {
        another_gzip_stream(unpacker, windows, ended);
    }
    return DENT_OK;
}

#else

static dent_status open_gzip(struct unpacker *unpacker)
{
    return dent_fail(unpacker->context, DENT_ERROR_UNSUPPORTED,
                     "%s: this build of dent cannot unpack gzip: zlib (Debian: zlib1g-dev) was not "
                     "found when it was built",
                     unpacker->name);
}

static void close_gzip(struct unpacker *unpacker)
{
    (void)unpacker;
}

static dent_status run_gzip(struct unpacker *unpacker, struct unpack_windows *windows, bool *ended)
{
    (void)windows;
    (void)ended;
    return open_gzip(unpacker);
}

#endif

/* ---- xz -------------------------------------------------------------------------------------------------------- */

#if defined(DENT_HAVE_LZMA)

static dent_status lzma_error(const struct unpacker *unpacker, lzma_ret code)
{
    dent_context *context = unpacker->context;
    switch (code) {
    case LZMA_MEM_ERROR:
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to unpack xz data", unpacker->name);
    case LZMA_FORMAT_ERROR:
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: is not xz data", unpacker->name);
    case LZMA_BUF_ERROR:
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: xz data ends too early", unpacker->name);
    default:
        return dent_fail(context, DENT_ERROR_FORMAT, "%s: damaged xz data at byte %llu", unpacker->name,
                         (unsigned long long)unpacker->taken);
    }
}

static dent_status open_xz(struct unpacker *unpacker)
{
    unpacker->xz_memory = (lzma_allocator){.alloc = hook_allocate, .free = hook_release, .opaque = unpacker->context};
    unpacker->xz = (lzma_stream)LZMA_STREAM_INIT;
    unpacker->xz.allocator = &unpacker->xz_memory;
    /* The context says how much memory there is. */
    lzma_ret code = lzma_stream_decoder(&unpacker->xz, UINT64_MAX, LZMA_CONCATENATED);
    return code == LZMA_OK ? DENT_OK : lzma_error(unpacker, code);
}

static void close_xz(struct unpacker *unpacker)
{
    lzma_end(&unpacker->xz);
}

static dent_status run_xz(struct unpacker *unpacker, struct unpack_windows *windows, bool *ended)
{
    lzma_stream *stream = &unpacker->xz;
    lzma_ret code = LZMA_OK;
    while (code == LZMA_OK && windows->out_left > 0 && (windows->in_left > 0 || windows->in_is_last)) {
        stream->next_in = windows->in;
        stream->avail_in = windows->in_left;
        stream->next_out = windows->out;
        stream->avail_out = windows->out_left;
        code = lzma_code(stream, windows->in_is_last ? LZMA_FINISH : LZMA_RUN);
        windows->in = stream->next_in;
        windows->in_left = stream->avail_in;
        windows->out = stream->next_out;
        windows->out_left = stream->avail_out;
        unpacker->taken = stream->total_in;
    }
    *ended = code == LZMA_STREAM_END;
    return code == LZMA_OK || *ended ? DENT_OK : lzma_error(unpacker, code);
}

#else

static dent_status open_xz(struct unpacker *unpacker)
{
    return dent_fail(unpacker->context, DENT_ERROR_UNSUPPORTED,
                     "%s: this build of dent cannot unpack xz: liblzma (Debian: liblzma-dev) was not "
                     "found when it was built",
                     unpacker->name);
}

static void close_xz(struct unpacker *unpacker)
{
    (void)unpacker;
}

static dent_status run_xz(struct unpacker *unpacker, struct unpack_windows *windows, bool *ended)
{
    (void)windows;
    (void)ended;
    return open_xz(unpacker);
}

#endif

/* ---- either ---------------------------------------------------------------------------------------------------- */

dent_status unpacker_open(dent_context *context, const char *name, enum compression compression,
                          struct unpacker **unpacker)
{
    struct unpacker *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory to unpack it", name);
    }
    memset(made, 0, sizeof *made);
    made->context = context;
    made->name = name;
    made->compression = compression;
    dent_status status = compression == COMPRESSION_GZIP ? open_gzip(made) : open_xz(made);
    if (status != DENT_OK) {
        dent_release(context, made, 1, sizeof *made);
        return status;
    }
    *unpacker = made;
    return DENT_OK;
}

void unpacker_close(struct unpacker *unpacker)
{
    if (unpacker) {
        if (unpacker->compression == COMPRESSION_GZIP) {
            close_gzip(unpacker);
        } else {
            close_xz(unpacker);
        }
        dent_release(unpacker->context, unpacker, 1, sizeof *unpacker);
    }
}

dent_status unpacker_run(struct unpacker *unpacker, struct unpack_windows *windows, bool *ended)
{
    *ended = false;
    return unpacker->compression == COMPRESSION_GZIP ? run_gzip(unpacker, windows, ended)
                                                     : run_xz(unpacker, windows, ended);
}
