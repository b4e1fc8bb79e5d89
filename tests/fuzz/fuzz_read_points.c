/* Fuzzer of read_points.c: whatever the bytes, points are read, all numbers of them finite and all fields as long as
 * they say, or refused with a message that names the file, and all memory comes back. Seeds: corpus/points. */
#define _GNU_SOURCE
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

static bool read_points(dent_context *context, const char *path, size_t size)
{
    (void)size;
    dent_point_set *points = NULL;
    if (dent_points_read(context, path, &points) != DENT_OK) {
        fuzz_require(points == NULL);
        return false;
    }
    check_points(points);
    dent_points_destroy(context, points);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_recording(data, size, read_points);
}
