/* Recordings come back as they were written; broken ones get a line and leave nothing behind. */
#include "support/cmocka_includes.h"

#include <dent/mesh_io.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char folder[] = "/tmp/dent-recordings-XXXXXX";
static dent_context *context;

static int open_folder(void **state)
{
    (void)state;
    context = dent_context_create(NULL, NULL);
    return context == NULL || mkdtemp(folder) == NULL;
}

static int close_folder(void **state)
{
    (void)state;
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    dent_context_destroy(context);
    return system(command);
}

static const char *path_of(const char *name)
{
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_text(const char *name, const char *text, size_t size)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static const char *last_message(void)
{
    static char message[512];
    dent_context_message(context, message, sizeof message);
    return message;
}

static void a_collection_comes_back_as_it_was_written(void **state)
{
    (void)state;
    const dent_collection_entry entries[] = {
        {0, 0, "a_0.vtu"}, {0, 1, "b & <c> \"d\".vtp"}, {0.1, 0, "a_1.vtu"}, {1e-7, 4000000000u, "x"}};
    assert_int_equal(dent_collection_write(context, path_of("run.pvd"), 4, entries), DENT_OK);
    dent_collection *read;
    assert_int_equal(dent_collection_read(context, path_of("run.pvd"), &read), DENT_OK);
    assert_int_equal(read->entry_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_true(read->entries[i].time == entries[i].time);
        assert_int_equal(read->entries[i].part, entries[i].part);
        assert_string_equal(read->entries[i].file, entries[i].file);
    }
    dent_collection_destroy(context, read);
}

static void points_come_back_bit_by_bit(void **state)
{
    (void)state;
    const double positions[] = {1, 2, 3, -0.0, 1e-310, 1.0 / 3}, depth[] = {0.5, 1e300}, normal[] = {0, 0, 1, 1, 0, 0};
    const dent_mesh_field fields[] = {{"depth", false, 1, depth}, {"normal", false, 3, normal}};
    assert_int_equal(dent_points_write(context, path_of("contacts.vtp"), 2, positions, 2, fields), DENT_OK);
    dent_point_set *read;
    assert_int_equal(dent_points_read(context, path_of("contacts.vtp"), &read), DENT_OK);
    assert_int_equal(read->point_count, 2);
    assert_memory_equal(read->positions, positions, sizeof positions);
    assert_int_equal(read->field_count, 2);
    assert_string_equal(read->fields[0].name, "depth");
    assert_memory_equal(read->fields[0].values, depth, sizeof depth);
    assert_int_equal(read->fields[1].components, 3);
    assert_memory_equal(read->fields[1].values, normal, sizeof normal);
    dent_points_destroy(context, read);

    assert_int_equal(dent_points_write(context, path_of("none.vtp"), 0, positions, 0, NULL), DENT_OK);
    assert_int_equal(dent_points_read(context, path_of("none.vtp"), &read), DENT_OK);
    assert_int_equal(read->point_count, 0);
    dent_points_destroy(context, read);
}

/* Every prefix and every changed byte either reads or gets a line; memory is as before. */
static void broken_files_get_a_line_and_leave_nothing_behind(void **state)
{
    (void)state;
    const double positions[] = {1, 2, 3, 4, 5, 6};
    const dent_mesh_field field = {"depth", false, 1, positions};
    const dent_collection_entry entry = {0.5, 0, "a.vtu"};
    assert_int_equal(dent_points_write(context, path_of("whole.vtp"), 2, positions, 1, &field), DENT_OK);
    assert_int_equal(dent_collection_write(context, path_of("whole.pvd"), 1, &entry), DENT_OK);
    for (int kind = 0; kind < 2; kind++) {
        char bytes[4096];
        FILE *file = fopen(path_of(kind == 0 ? "whole.vtp" : "whole.pvd"), "rb");
        assert_non_null(file);
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        assert_true(size > 100 && size < sizeof bytes);
        uint64_t before = dent_context_memory_use(context).bytes;
        for (size_t i = 1; i < 2 * size; i++) {
            char changed[4096];
            memcpy(changed, bytes, size);
            changed[i % size] = (char)(i < size ? changed[i % size] : (changed[i % size] ^ 0x15));
            write_text("broken", changed, i < size ? i : size);
            dent_point_set *points = NULL;
            dent_collection *collection = NULL;
            dent_status status = kind == 0 ? dent_points_read(context, path_of("broken"), &points)
                                           : dent_collection_read(context, path_of("broken"), &collection);
            assert_true(status == DENT_OK || strstr(last_message(), "broken") != NULL);
            assert_true(status == DENT_OK || (points == NULL && collection == NULL));
            dent_points_destroy(context, points);
            dent_collection_destroy(context, collection);
            assert_int_equal(dent_context_memory_use(context).bytes, before);
        }
    }
}

static void what_is_no_recording_is_named(void **state)
{
    (void)state;
    dent_collection *collection;
    dent_point_set *points;
    assert_int_equal(dent_collection_read(context, path_of("missing.pvd"), &collection), DENT_ERROR_FILE);
    assert_non_null(strstr(last_message(), "missing.pvd"));
    write_text("grid.pvd", "<VTKFile type=\"PolyData\"></VTKFile>", 35);
    assert_int_equal(dent_collection_read(context, path_of("grid.pvd"), &collection), DENT_ERROR_FORMAT);
    write_text("time.pvd", "<VTKFile type=\"Collection\">\n<DataSet timestep=\"soon\" file=\"a\"/></VTKFile>", 73);
    assert_int_equal(dent_collection_read(context, path_of("time.pvd"), &collection), DENT_ERROR_FORMAT);
    assert_non_null(strstr(last_message(), ":2:"));
    assert_non_null(strstr(last_message(), "soon"));
    static const char *const times[] = {"1e999", "-1e999", "inf", "nan"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        char text[128];
        int length = snprintf(text, sizeof text,
                              "<VTKFile type=\"Collection\"><DataSet timestep=\"%s\" file=\"a\"/></VTKFile>", times[i]);
        write_text("never.pvd", text, (size_t)length);
        assert_int_equal(dent_collection_read(context, path_of("never.pvd"), &collection), DENT_ERROR_FORMAT);
        assert_non_null(strstr(last_message(), times[i]));
    }
    assert_int_equal(dent_points_read(context, path_of("grid.pvd"), &points), DENT_ERROR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_collection_comes_back_as_it_was_written),
        cmocka_unit_test(points_come_back_bit_by_bit),
        cmocka_unit_test(broken_files_get_a_line_and_leave_nothing_behind),
        cmocka_unit_test(what_is_no_recording_is_named),
    };
    return cmocka_run_group_tests(tests, open_folder, close_folder);
}
