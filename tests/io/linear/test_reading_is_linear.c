/* Every reader is linear in bytes: the operations of reading a file of twice the size are at most twice as many (slope
 * at most 1.05), for shapes that are hard on each part of a reader. Operations are executed basic blocks and bytes
 * handed to the memory functions; see linear_check.cmake. Bodies are put into a world as well, which must not cost more
 * than their number. */
#include "shapes.h"

#include "support/cmocka_includes.h"

#include "../tetgen_memory.h"
#include "scene_files/scene_file.h"

#include <dent/frames.h>
#include <dent/impact_io.h>
#include <dent/urdf.h>

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- counting ---------------------------------------------------------------------------------------------------- */

static uint64_t operations;

void count_bytes(size_t size); /* called by the counted sources, see counted_calls.h */

void __sanitizer_cov_trace_pc(void); /* called at every basic block of the counted sources */
void __sanitizer_cov_trace_pc(void)
{
    operations++;
}

void count_bytes(size_t size)
{
    operations += size / 8;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

void put_bytes(struct long_text *text, const void *bytes, size_t size)
{
    if (!bytes) { /* the end of a text */
        free(text->data);
        *text = (struct long_text){0};
        return;
    }
    if (text->capacity - text->size < size) {
        text->capacity = 2 * (text->size + size) + 4096;
        text->data = realloc(text->data, text->capacity);
        assert_non_null(text->data);
    }
    memcpy(text->data + text->size, bytes, size);
    text->size += size;
}

void put(struct long_text *text, const char *format, ...)
{
    char piece[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(piece, sizeof piece, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && (size_t)length < sizeof piece);
    put_bytes(text, piece, (size_t)length);
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static dent_context *context;

static void add_to_world(dent_mesh *mesh)
{
    dent_world *world = dent_world_create(context);
    dent_body_id *ids = malloc(mesh->body_count * sizeof *ids);
    assert_true(world && ids);
    dent_mesh_add_to_world(mesh, world, ids); /* a polygon that names a vertex twice is refused there */
    free(ids);
    dent_world_destroy(world);
}

static dent_status read_mesh(const char *name, const struct long_text *text)
{
    dent_mesh *mesh = NULL;
    dent_status status = dent_mesh_read_memory(context, name, text->data, text->size, NULL, &mesh);
    if (mesh) {
        add_to_world(mesh);
    }
    dent_mesh_destroy(context, mesh);
    return status;
}

static dent_status read_pair(const struct long_text *text)
{
    size_t first = strlen(text->data);
    dent_mesh *mesh = NULL;
    dent_status status =
        tetgen_read_memory(context, (struct tetgen_file){"a.node", text->data, first},
                           (struct tetgen_file){"a.ele", text->data + first + 1, text->size - first - 1}, false, &mesh);
    if (mesh) {
        add_to_world(mesh);
    }
    dent_mesh_destroy(context, mesh);
    return status;
}

static dent_status read_collection(const struct long_text *text)
{
    char path[] = "/tmp/dent-linear-XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, text->data, text->size), text->size);
    close(file);
    dent_collection *collection = NULL;
    dent_status status = dent_collection_read(context, path, &collection);
    dent_collection_destroy(context, collection);
    unlink(path);
    return status;
}

static dent_status read_robot(const struct long_text *text)
{
    dent_robot *robot = NULL;
    dent_status status = dent_robot_read_memory(context, "a.urdf", text->data, text->size, NULL, &robot);
    dent_robot_destroy(context, robot);
    return status;
}

static dent_status read_queries(const struct long_text *text)
{
    dent_impact_queries *queries = NULL;
    dent_status status = dent_impact_queries_read_memory(context, "vf.csv", text->data, text->size, NULL, &queries);
    dent_impact_queries_destroy(context, queries);
    return status;
}

static dent_status read_archive(const char *name, const struct long_text *text)
{
    dent_frames *frames = NULL;
    dent_status status = dent_frames_open_memory(context, name, text->data, text->size, &frames);
    for (uint32_t i = 0; status == DENT_OK && i < dent_frames_count(frames); i++) {
        dent_mesh *mesh = NULL;
        status = dent_frame_read(frames, i, NULL, &mesh);
        dent_mesh_destroy(context, mesh);
    }
    dent_frames_close(frames);
    return status;
}

static dent_status read_scene(const struct long_text *text)
{
    struct sim_plan plan;
    plan_open(&plan, context);
    dent_status status = scene_file_plan(&plan, "a.json", NULL, text->data, text->size);
    plan_close(&plan);
    return status;
}

static dent_status read_any(const struct shape *shape, const struct long_text *text)
{
    const char *ending = strchr(shape->name, '.');
    return strcmp(ending, ".node") == 0      ? read_pair(text)
           : strcmp(ending, ".pvd") == 0     ? read_collection(text)
           : strcmp(ending, ".urdf") == 0    ? read_robot(text)
           : strcmp(ending, ".csv") == 0     ? read_queries(text)
           : strncmp(ending, ".tar", 4) == 0 ? read_archive(shape->name, text)
           : strcmp(ending, ".json") == 0    ? read_scene(text)
                                             : read_mesh(shape->name, text);
}

/* ---- the claim --------------------------------------------------------------------------------------------------- */

enum { SMALLEST = 1000, DOUBLINGS = 3 };

static uint64_t count_reading(const struct shape *shape, uint32_t size, size_t *bytes)
{
    struct long_text text = {0};
    shape->write(&text, size);
    *bytes = text.size;
    operations = 0;
    dent_status status = read_any(shape, &text);
    uint64_t counted = operations;
    put_bytes(&text, NULL, 0);
    char message[1024];
    dent_context_message(context, message, sizeof message);
    bool as_told = shape->refusal ? status != DENT_OK && strstr(message, shape->refusal) : status == DENT_OK;
    if (!as_told && status != DENT_ERROR_UNSUPPORTED) { /* a build without zlib or expat */
        fail_msg("%s: %s: %.300s", shape->claim, dent_status_name(status), message);
    }
    return counted;
}

/* True when linear. */
static bool check_shape(const struct shape *shape)
{
    double slope = 0;
    uint64_t before = 0;
    size_t bytes_before = 0;
    printf("%-48s", shape->claim);
    for (int i = 0; i <= DOUBLINGS; i++) {
        size_t bytes;
        uint64_t counted = count_reading(shape, (uint32_t)SMALLEST << i, &bytes);
        if (i > 0) {
            slope = log((double)counted / (double)before) / log((double)bytes / (double)bytes_before);
        }
        printf(" %9.1f", (double)counted / (double)bytes);
        before = counted;
        bytes_before = bytes;
    }
    printf("   slope %.3f%s\n", slope, slope > 1.05 ? "   TOO STEEP" : "");
    fflush(stdout);
    return slope <= 1.05;
}

static void check_all(const struct shape *shapes, uint32_t count)
{
    uint32_t steep = 0;
    printf("operations per byte at %d, %d, %d and %d records; slope of the last doubling\n", (int)SMALLEST,
           2 * SMALLEST, 4 * SMALLEST, 8 * SMALLEST);
    for (uint32_t i = 0; i < count; i++) {
        steep += !check_shape(&shapes[i]);
    }
    assert_int_equal(steep, 0);
}

static void every_mesh_reader_is_linear_in_bytes(void **state)
{
    (void)state;
    check_all(mesh_shapes, mesh_shape_count);
}

static void every_other_reader_is_linear_in_bytes(void **state)
{
    (void)state;
    check_all(other_shapes, other_shape_count);
}

static int open_context(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    context = dent_context_create(&def, NULL);
    return context == NULL;
}

static int close_context(void **state)
{
    (void)state;
    dent_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_mesh_reader_is_linear_in_bytes),
        cmocka_unit_test(every_other_reader_is_linear_in_bytes),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
