/* Fuzzer of tar_reader.c, byte_stream.c and frames.c: the first byte of the input chooses how the archive is packed and
 * whether the sums of the headers are put right first (else few mutants come further than that); the rest is the
 * archive. All frames are found, the first few are read. Seeds: corpus/tar. A plain archive may take little more memory
 * than it has bytes; a packed one no more than the limit of readers, whatever dictionary xz asks for. */
#define MEMORY_PER_BYTE ((size_t)1024)
#include "fuzz_mesh_file.h"

#include <dent/frames.h>

static void read_frames(dent_context *context, dent_frames *frames, const char *name)
{
    uint32_t count = dent_frames_count(frames);
    fuzz_require(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        fuzz_require(strncmp(dent_frame_name(frames, i), name, strlen(name)) == 0);
        fuzz_require(i == 0 || dent_frame_number(frames, i - 1) < dent_frame_number(frames, i));
    }
    for (uint32_t i = 0; i < count && i < 4; i++) {
        dent_mesh *mesh = NULL;
        char message[1024];
        if (dent_frame_read(frames, i, NULL, &mesh) == DENT_OK) {
            fuzz_check_mesh(mesh);
            dent_mesh_destroy(context, mesh);
        } else {
            fuzz_require(mesh == NULL && dent_context_message(context, message, sizeof message) > 0);
            fuzz_require(strncmp(message, name, strlen(name)) == 0);
        }
    }
}

/* Every block that says `ustar` gets the right sum. */
static void put_sums_right(uint8_t *bytes, size_t size)
{
    for (size_t at = 0; at + 512 <= size; at += 512) {
        uint8_t *header = bytes + at;
        unsigned sum = 0;
        if (memcmp(header + 257, "ustar", 5) != 0) {
            continue;
        }
        memset(header + 148, ' ', 8);
        for (int i = 0; i < 512; i++) {
            sum += header[i];
        }
        for (int i = 6; i-- > 0; sum /= 8) {
            header[148 + i] = (uint8_t)('0' + sum % 8);
        }
    }
}

static void try_archive(const char *name, const uint8_t *bytes, size_t size)
{
    struct fuzz_memory memory = {.limit = (strcmp(name, "a.tar") == 0 ? MEMORY_FREE : (size_t)257 << 20) +
                                          MEMORY_PER_BYTE * size};
    dent_context_def def = fuzz_context_def();
    def.allocator = (dent_allocator){fuzz_allocate, fuzz_release, &memory};
    dent_context *context = dent_context_create(&def, NULL);
    fuzz_require(context != NULL);
    size_t before = memory.in_use;
    dent_frames *frames = NULL;
    if (dent_frames_open_memory(context, name, bytes, size, &frames) == DENT_OK) {
        read_frames(context, frames, name);
        dent_frames_close(frames);
    } else {
        char message[1024];
        fuzz_require(frames == NULL && dent_context_message(context, message, sizeof message) > 0);
        fuzz_require(strncmp(message, name, strlen(name)) == 0);
    }
    fuzz_require(memory.in_use == before);
    dent_context_destroy(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const names[] = {"a.tar", "a.tar.gz", "a.tar.xz", "a.tar"};
    if (size == 0) {
        return 0;
    }
    uint8_t *bytes = malloc(size);
    fuzz_require(bytes != NULL);
    memcpy(bytes, data + 1, size - 1);
    if (data[0] & 4) {
        put_sums_right(bytes, size - 1);
    }
    try_archive(names[data[0] & 3], bytes, size - 1);
    free(bytes);
    return 0;
}
