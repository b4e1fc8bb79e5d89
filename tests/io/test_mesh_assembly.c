/* From elements to bodies and groups: splitting of quads and polygons, groups, names, order, many groups, and limits.
 */
#include "reading.h"

#include "io/model/mesh_builder.h"

#include <math.h>
#include <time.h>

static void add_vertices(struct mesh_builder *builder, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(builder_add_vertex(builder, i % 10, i / 10 % 10, i / 100, 0), DENT_OK);
    }
}

static void add(struct mesh_builder *builder, enum element_kind kind, int32_t tag, const uint32_t *corners)
{
    assert_int_equal(builder_add_element(builder, kind, tag, corners, 0), DENT_OK);
}
#define ADD(builder, kind, tag, ...) add(builder, kind, tag, (const uint32_t[]){__VA_ARGS__})

static const dent_mesh *finish(struct reading *reading, struct mesh_builder *builder, bool merge)
{
    reading_clear(reading);
    reading->status = builder_finish(builder, merge, "test", &reading->mesh);
    builder_release(builder);
    reading_finish(reading);
    return reading->mesh;
}

static void quads_of_a_surface_are_split_at_the_smallest_vertex_number(void **state)
{
    (void)state;
    struct reading reading;
    struct mesh_builder builder;
    reading_open(&reading);
    builder_init(&builder, reading.context, "q.obj");
    add_vertices(&builder, 12);
    ADD(&builder, ELEMENT_QUAD, 0, 0, 1, 11, 10);
    ADD(&builder, ELEMENT_TRIANGLE, 0, 1, 2, 11);
    ADD(&builder, ELEMENT_QUAD, 0, 11, 10, 0, 1); /* the same square from another corner: the same diagonal */
    const dent_mesh *mesh = finish(&reading, &builder, false);
    assert_read(&reading);
    assert_int_equal(mesh->bodies[0].element_count, 5);
    assert_int_equal(mesh->bodies[0].corner_count, 15);
    assert_corners(mesh->bodies[0].element_corners, 0, 1, 11, 0, 11, 10, 1, 2, 11, 0, 1, 11, 0, 11, 10);
    assert_corners(mesh->bodies[0].element_numbers, 0, 0, 1, 2, 2);
    assert_null(mesh->bodies[0].vertex_numbers);
    assert_non_null(strstr(reading.notices, "q.obj: 2 quads and polygons were split"));
    assert_null(strstr(reading.notices, "not convex"));
    reading_close(&reading);
}

static void polygons_become_a_fan_and_a_dent_in_one_is_noticed(void **state)
{
    (void)state;
    struct reading reading;
    struct mesh_builder builder;
    reading_open(&reading);
    builder_init(&builder, reading.context, "p.obj");
    static const double convex[5][2] = {{0, 0}, {2, 0}, {3, 1}, {2, 2}, {0, 2}};
    static const double dented[5][2] = {{0, 0}, {4, 0}, {4, 4}, {3, 1}, {0, 4}};
    for (int i = 0; i < 5; i++) {
        builder_add_vertex(&builder, convex[i][0], convex[i][1], 0, 0);
    }
    for (int i = 0; i < 5; i++) {
        builder_add_vertex(&builder, dented[(i + 2) % 5][0], dented[(i + 2) % 5][1], 1, 0);
    }
    assert_int_equal(builder_add_polygon(&builder, 0, (const uint32_t[]){3, 4, 0, 1, 2}, 5, 0), DENT_OK);
    assert_int_equal(builder_add_polygon(&builder, 0, (const uint32_t[]){5, 6, 7, 8, 9}, 5, 0), DENT_OK);
    const dent_mesh *mesh = finish(&reading, &builder, false);
    assert_read(&reading);
    assert_corners(mesh->bodies[0].element_corners, 0, 1, 2, 0, 2, 3, 0, 3, 4, 5, 6, 7, 5, 7, 8, 5, 8, 9);
    assert_corners(mesh->bodies[0].element_numbers, 0, 0, 0, 1, 1, 1);
    assert_non_null(strstr(reading.notices, "1 polygons are not convex"));
    reading_close(&reading);
}

static void bodies_come_in_order_of_first_appearance_and_keep_the_files_numbers(void **state)
{
    (void)state;
    struct reading reading;
    struct mesh_builder builder;
    reading_open(&reading);
    builder_init(&builder, reading.context, "folder/parts.1.ele.gz");
    add_vertices(&builder, 20);
    ADD(&builder, ELEMENT_TETRAHEDRON, 5, 19, 3, 2, 18);
    ADD(&builder, ELEMENT_TETRAHEDRON, -5, 0, 1, 2, 3);
    ADD(&builder, ELEMENT_HEXAHEDRON, 5, 7, 6, 5, 4, 3, 2, 1, 0);
    ADD(&builder, ELEMENT_TETRAHEDRON, 0, 16, 17, 18, 19);
    assert_int_equal(builder_name_group(&builder, 3, 5, "old", 3), DENT_OK);
    assert_int_equal(builder_name_group(&builder, 3, 5, "new\nline\xff", 9), DENT_OK);
    assert_int_equal(builder_name_group(&builder, 2, -5, "another dimension", 17), DENT_OK);
    const dent_mesh *mesh = finish(&reading, &builder, false);
    assert_read(&reading);
    assert_int_equal(mesh->body_count, 3);
    assert_string_equal(mesh->bodies[0].name, "new?line?");
    assert_string_equal(mesh->bodies[1].name, "group -5");
    assert_string_equal(mesh->bodies[2].name, "group 0");
    /* Vertices in the order of the file, so that comparing numbers means the same in the body and in the file. */
    assert_int_equal(mesh->bodies[0].vertex_count, 10);
    assert_corners(mesh->bodies[0].vertex_numbers, 0, 1, 2, 3, 4, 5, 6, 7, 18, 19);
    assert_corners(mesh->bodies[0].element_corners, 9, 3, 2, 8, 7, 6, 5, 4, 3, 2, 1, 0);
    assert_corners(mesh->bodies[0].element_numbers, 0, 2);
    const uint8_t kinds[] = {DENT_CELL_TETRAHEDRON, DENT_CELL_HEXAHEDRON};
    assert_memory_equal(mesh->bodies[0].cell_kinds, kinds, 2);
    assert_null(mesh->bodies[1].cell_kinds);
    assert_corners(mesh->bodies[2].vertex_numbers, 16, 17, 18, 19);
    for (uint32_t b = 0; b < 3; b++) {
        for (uint32_t v = 0; v < mesh->bodies[b].vertex_count; v++) {
            uint32_t number = mesh->bodies[b].vertex_numbers[v];
            assert_true(mesh->bodies[b].positions[3 * v] == number % 10 &&
                        mesh->bodies[b].positions[3 * v + 1] == number / 10);
        }
    }
    reading_close(&reading);
}

static void merged_bodies_take_the_name_of_the_file(void **state)
{
    (void)state;
    static const char *const names[][2] = {{"a/b/part.msh", "part"},
                                           {"x.1.ele.xz", "x.1"},
                                           {"STEM.MSH", "STEM"},
                                           {".msh", ".msh"},
                                           {"dir.msh/mesh", "mesh"}};
    struct reading reading;
    reading_open(&reading);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct mesh_builder builder;
        builder_init(&builder, reading.context, names[i][0]);
        add_vertices(&builder, 5);
        ADD(&builder, ELEMENT_TETRAHEDRON, 1, 0, 1, 2, 3);
        ADD(&builder, ELEMENT_TETRAHEDRON, 2, 1, 2, 3, 4);
        finish(&reading, &builder, true);
        assert_read(&reading);
        assert_int_equal(reading.mesh->body_count, 1);
        assert_string_equal(reading.mesh->bodies[0].name, names[i][1]);
    }
    reading_close(&reading);
}

/* One element per group: linear, not quadratic. */
static void a_hundred_thousand_groups_are_no_trouble(void **state)
{
    (void)state;
    enum { COUNT = 100000 };
    struct reading reading;
    struct mesh_builder builder;
    reading_open(&reading);
    builder_init(&builder, reading.context, "many.msh");
    add_vertices(&builder, 100);
    for (int32_t i = 0; i < COUNT; i++) {
        int32_t tag = (int32_t)((uint32_t)i * 2654435761u); /* all different, in no order */
        ADD(&builder, ELEMENT_TRIANGLE, tag, (uint32_t)i % 98, (uint32_t)i % 98 + 1, (uint32_t)i % 98 + 2);
        assert_int_equal(builder_name_group(&builder, 2, tag, "n", 1), DENT_OK);
    }
    clock_t start = clock(); /* CPU time: others may use the machine too */
    const dent_mesh *mesh = finish(&reading, &builder, false);
    assert_read(&reading);
    assert_int_equal(mesh->body_count, COUNT);
    assert_corners(mesh->bodies[COUNT - 1].vertex_numbers, (COUNT - 1) % 98, (COUNT - 1) % 98 + 1,
                   (COUNT - 1) % 98 + 2);
    assert_true(clock() - start < 10 * CLOCKS_PER_SEC);
    reading_close(&reading);
}

static void what_makes_no_body_is_refused(void **state)
{
    (void)state;
    struct reading reading;
    struct mesh_builder builder;
    reading_open(&reading);
    builder_init(&builder, reading.context, "points.ply");
    add_vertices(&builder, 7);
    finish(&reading, &builder, false);
    assert_refused(&reading, "points", DENT_ERROR_BAD_MESH, "points.ply|7 vertices|nothing that makes a body");
    builder_init(&builder, reading.context, "corner.obj");
    builder.forward_references = true;
    add_vertices(&builder, 3);
    ADD(&builder, ELEMENT_TRIANGLE, 0, 0, 1, 2);
    ADD(&builder, ELEMENT_TRIANGLE, 0, 0, 1, 3);
    finish(&reading, &builder, false);
    assert_refused(&reading, "corner", DENT_ERROR_BAD_MESH,
                   "corner.obj|element 1|corner 2 is vertex 3|only 3 vertices");
    builder_init(&builder, reading.context, "number.obj");
    reading.status = builder_add_vertex(&builder, 0, -INFINITY, 0, 12);
    reading_finish(&reading);
    assert_refused(&reading, "infinity", DENT_ERROR_BAD_NUMBER, "number.obj:12: vertex 0: y is infinite");
    reading.status = builder_reserve_vertices(&builder, (uint64_t)1 << 32);
    reading_finish(&reading);
    assert_refused(&reading, "2^32", DENT_ERROR_TOO_LARGE, "number.obj|4294967296 vertices");
    reading.status = builder_add_polygon(&builder, 0, (const uint32_t[]){0, 0}, 2, 3);
    reading_finish(&reading);
    assert_refused(&reading, "two corners", DENT_ERROR_BAD_MESH, "number.obj:3|2 corners");
    builder_release(&builder);
    reading_close(&reading);
}

static void formats_are_told_by_name_and_unknown_ones_listed(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    read_text(&reading, "model.step", "x");
    assert_refused(&reading, "unknown", DENT_ERROR_UNSUPPORTED,
                   "model.step: unknown format|.msh|.mesh|.node|.vtu|.ply|.gz");
    read_text(&reading, "model", "x");
    assert_refused(&reading, "no ending", DENT_ERROR_UNSUPPORTED, "model: unknown format");
    read_text(&reading, "A.MSH", "x");
    assert_refused(&reading, "upper case", DENT_ERROR_FORMAT, "A.MSH:1");
    read_bytes(&reading, "a.msh", "", 0);
    assert_refused(&reading, "empty", DENT_ERROR_FILE, "a.msh: is empty");
    read_path(&reading, "/");
    assert_refused(&reading, "directory", DENT_ERROR_FILE, "/: is a directory");
    dent_mesh_read_def def = {0};
    dent_mesh *mesh = NULL;
    assert_int_equal(dent_mesh_read(reading.context, "a.msh", &def, &mesh), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_mesh_read_memory(reading.context, "a.msh", "x", 1, &def, &mesh), DENT_ERROR_INVALID_ARGUMENT);
    dent_mesh_destroy(reading.context, NULL);
    reading_close(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quads_of_a_surface_are_split_at_the_smallest_vertex_number),
        cmocka_unit_test(polygons_become_a_fan_and_a_dent_in_one_is_noticed),
        cmocka_unit_test(bodies_come_in_order_of_first_appearance_and_keep_the_files_numbers),
        cmocka_unit_test(merged_bodies_take_the_name_of_the_file),
        cmocka_unit_test(a_hundred_thousand_groups_are_no_trouble),
        cmocka_unit_test(what_makes_no_body_is_refused),
        cmocka_unit_test(formats_are_told_by_name_and_unknown_ones_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
