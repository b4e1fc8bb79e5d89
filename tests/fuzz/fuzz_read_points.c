/* Fuzzer of read_points.c: whatever the bytes, points are read, all numbers of them finite and all fields as long as they say, or
 * refused with a message that names the file, and all memory comes back. Seeds: corpus/points. */
#define _GNU_SOURCE
#include "fuzz_mesh_file.h"
#include "fuzz_recording.h"

static void check_points(const dent_point_set *points)
{
    double sum = 0;
    for (size_t i = 0; i < 3 * (size_t)points->point_count; i++) {
        fuzz_require(isfinite(points->positions[i]));
    }
    for (uint32_t k = 0; k < points->field_count; k++) {
        const dent_mesh_field *field = &points->fields[k];
        fuzz_require(field->name != NULL && field->components > 0 && !field->on_elements);
        for (size_t i = 0; i < (size_t)field->components * points->point_count; i++) {
            sum += field->values[i]; /* they are there */
        }
    }
    volatile double kept = sum;
    (void)kept;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory = {.limit = MEMORY_FREE + 1024 * size};
    dent_context_def def = dent_context_def_default();
    def.allocator = (dent_allocator){fuzz_allocate, fuzz_release, &memory};
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    fuzz_require(context != NULL);
    size_t before = memory.in_use;
    char path[MEMORY_PATH_SIZE], message[1024];
    int file = file_in_memory(data, size, path);
    dent_point_set *points = NULL;
    if (dent_points_read(context, path, &points) == DENT_OK) {
        check_points(points);
        dent_points_destroy(context, points);
    } else {
        fuzz_require(points == NULL && dent_context_message(context, message, sizeof message) > 0);
        fuzz_require(strncmp(message, path, strlen(path)) == 0);
    }
    close(file);
    fuzz_require(memory.in_use == before);
    dent_context_destroy(context);
    return 0;
}
