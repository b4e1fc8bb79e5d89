/* Files of strands: TressFX, .hair, lines of OBJ and VTK files; what is written is read back; broken files say so in
 * one line. */
#include "mesh_file_checks.h"

#include "support/scratch_folder.h"

#include <math.h>

/* Strands of 3 and 2 vertices in a straight row each. */
static const double row[5][3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 2, 0}};

/* The read fails with this status and a message that has all the words, which are separated by '|'. */
static void refuse(struct checks *checks, const char *name, const void *bytes, size_t size, dent_status status,
                   const char *words)
{
    dent_mesh *mesh = NULL;
    assert_int_equal(dent_mesh_read_memory(checks->context, name, bytes, size, NULL, &mesh), status);
    assert_null(mesh);
    const char *message = checks_message(checks);
    while (*words) {
        char word[200];
        size_t length = strcspn(words, "|");
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        if (!strstr(message, word)) {
            print_error("'%s' is not in the message: %s\n", word, message);
        }
        assert_non_null(strstr(message, word));
        words += length + (words[length] == '|');
    }
}

static void assert_two_strands(const dent_mesh_body *body)
{
    assert_int_equal(body->kind, DENT_BODY_STRANDS);
    assert_int_equal(body->strand_count, 2);
    assert_int_equal(body->vertex_count, 5);
    assert_int_equal(body->element_count, 3);
    assert_true(body->first[0] == 0 && body->first[1] == 3 && body->first[2] == 5);
    assert_same_doubles(body->positions, row[0], 15);
    assert_corners(body, (uint32_t[]){0, 1, 1, 2, 3, 4}, 6);
}

/* ---- TressFX --------------------------------------------------------------------------------------------------- */

static struct byte_string tfx_file(uint32_t strands, uint32_t each, uint32_t offset)
{
    struct byte_string file;
    memset(&file, 0, sizeof file);
    add_float(&file, 4, false);
    add_unsigned(&file, strands, 4, false);
    add_unsigned(&file, each, 4, false);
    add_unsigned(&file, offset, 4, false);
    file.size = 160;
    for (uint32_t v = 0; v < 6; v++) {
        add_float(&file, (float)v, false);
        add_float(&file, 0.5f, false);
        add_float(&file, -1, false);
        add_float(&file, v % 3 ? 1 : 0, false);
    }
    return file;
}

static void tfx_strands_have_equal_numbers_of_vertices(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = tfx_file(2, 3, 160);
    dent_mesh *mesh = read_good(checks, "a.tfx", file.data, file.size);
    const dent_mesh_body *body = &mesh->bodies[0];
    assert_string_equal(mesh->format, "tfx 4");
    assert_true(body->kind == DENT_BODY_STRANDS && body->strand_count == 2 && body->vertex_count == 6);
    assert_true(body->first[1] == 3 && body->first[2] == 6 && body->radii == NULL && body->vertex_numbers == NULL);
    assert_true(body->positions[15] == 5 && body->positions[16] == 0.5 && body->positions[17] == -1);
    dent_mesh_destroy(checks->context, mesh);
}

static void broken_tfx_files_say_what_is_wrong(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = tfx_file(2, 3, 160);
    refuse(checks, "a.tfx", file.data, 100, DENT_ERROR_FORMAT, "a.tfx|100 bytes");
    refuse(checks, "a.tfx", file.data, file.size - 1, DENT_ERROR_FORMAT,
           "a.tfx|claims 2 strands of 3 vertices|255 bytes");
    file = tfx_file(0xFFFFFFFF, 0xFFFFFFFF, 160);
    refuse(checks, "a.tfx", file.data, file.size, DENT_ERROR_FORMAT, "claims 4294967295 strands");
    file = tfx_file(6, 1, 160);
    refuse(checks, "a.tfx", file.data, file.size, DENT_ERROR_BAD_MESH, "6 strands of 1 vertices");
    file = tfx_file(2, 3, 4);
    refuse(checks, "a.tfx", file.data, file.size, DENT_ERROR_FORMAT, "from byte 4 on");
    file = tfx_file(2, 3, 160);
    memset(file.data + 160, 0xff, 4);
    refuse(checks, "a.tfx", file.data, file.size, DENT_ERROR_BAD_NUMBER, "vertex 0|not a number");
    memset(file.data, 0xff, 4);
    refuse(checks, "a.tfx", file.data, file.size, DENT_ERROR_FORMAT, "is it a TressFX file");
}

#define HAND                                                                                                           \
    "# a mesh\nnumOfBones 2\n0 wrist\n1 thumb # the last\nnumOfVertices 3\n# vertex index, …\n"                      \
    "0 0 0 0 0 0 1 0 0 0 0 1 0 0 0\n1 1 0 0 0 0 1 0 0 0 0 1 0 0 0\n2 0 1 0 0 0 1 0 0 0 0 1 0 0 0\n"

static void tfxmesh_is_a_surface(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.tfxmesh", HAND "numOfTriangles 1\n# …\n0 0 1 2\n");
    assert_string_equal(mesh->format, "tfxmesh");
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 3, 1);
    assert_corners(body, (uint32_t[]){0, 1, 2}, 3);
    assert_same_doubles(body->positions, (double[]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 9);
    dent_mesh_destroy(checks->context, mesh);
}

static void broken_tfxmesh_files_say_what_is_wrong(void **state)
{
    static const struct {
        const char *text;
        dent_status status;
        const char *words;
    } cases[] = {
        {"numOfBone 2\n", DENT_ERROR_FORMAT, "a.tfxmesh:1|'numOfBone' where 'numOfBones' should be"},
        {"", DENT_ERROR_FORMAT, "a.tfxmesh"},
        {"numOfBones 4000000000\n", DENT_ERROR_FORMAT, "claims 4000000000 numOfBones"},
        {"numOfBones 0\nnumOfVertices 4294967294\n", DENT_ERROR_FORMAT, "claims 4294967294"},
        {HAND "numOfTriangles 1\n0 0 1 3\n", DENT_ERROR_BAD_MESH, "vertex 3|3 vertices"},
        {HAND "numOfTriangles 1\n0 0 1\n", DENT_ERROR_FORMAT, "a.tfxmesh:11"},
        {HAND "numOfTriangles 1\n1 0 1 2\n", DENT_ERROR_FORMAT, "triangle 1 where 0 should be"},
        {HAND "numOfTriangles 0\n", DENT_ERROR_BAD_MESH, "no lines, no triangles and no cells"},
        {HAND, DENT_ERROR_FORMAT, "the file ends where 'numOfTriangles' should be"},
        {"numOfBones 0\nnumOfVertices 1\n0 nan 0 0 0 0 0\nnumOfTriangles 0\n", DENT_ERROR_BAD_NUMBER, "vertex 0"},
    };
    struct checks *checks = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (cases[i].text[0]) {
            refuse(checks, "a.tfxmesh", cases[i].text, strlen(cases[i].text), cases[i].status, cases[i].words);
        }
    }
}

/* ---- .hair ----------------------------------------------------------------------------------------------------- */

struct hair {
    uint32_t strands, points, arrays, default_segments;
    float default_thickness, thickness;
    uint32_t segments[2];
};

static const struct hair two_strands = {2, 5, 7, 9, 0.25f, 0.5f, {2, 1}};

static struct byte_string hair_file(const struct hair *hair)
{
    struct byte_string file;
    memset(&file, 0, sizeof file);
    memcpy(file.data, "HAIR", 4);
    file.size = 4;
    add_unsigned(&file, hair->strands, 4, false);
    add_unsigned(&file, hair->points, 4, false);
    add_unsigned(&file, hair->arrays, 4, false);
    add_unsigned(&file, hair->default_segments, 4, false);
    add_float(&file, hair->default_thickness, false);
    file.size = 128;
    for (int s = 0; hair->arrays & 1 && s < 2; s++) {
        add_unsigned(&file, hair->segments[s], 2, false);
    }
    for (int i = 0; i < 15; i++) {
        add_float(&file, (float)row[i / 3][i % 3], false);
    }
    for (int i = 0; hair->arrays & 4 && i < 5; i++) {
        add_float(&file, i == 1 ? hair->thickness : 0.5f, false);
    }
    for (int i = 0; hair->arrays & 8 && i < 5; i++) {
        add_float(&file, 1, false);
    }
    return file;
}

static void hair_has_radii_of_half_the_thickness(void **state)
{
    struct checks *checks = *state;
    struct hair hair = two_strands;
    hair.thickness = 0.125f;
    struct byte_string file = hair_file(&hair);
    dent_mesh *mesh = read_good(checks, "a.hair", file.data, file.size);
    assert_string_equal(mesh->format, "hair");
    assert_two_strands(&mesh->bodies[0]);
    assert_same_doubles(mesh->bodies[0].radii, (double[]){0.25, 0.0625, 0.25, 0.25, 0.25}, 5);
    dent_mesh_destroy(checks->context, mesh);

    hair.arrays = 3; /* one thickness for all */
    file = hair_file(&hair);
    mesh = read_good(checks, "a.hair", file.data, file.size);
    assert_same_doubles(mesh->bodies[0].radii, (double[]){0.125, 0.125, 0.125, 0.125, 0.125}, 5);
    dent_mesh_destroy(checks->context, mesh);

    hair.default_thickness = 0;
    file = hair_file(&hair);
    mesh = read_good(checks, "a.hair", file.data, file.size);
    assert_null(mesh->bodies[0].radii);
    dent_mesh_destroy(checks->context, mesh);

    hair.arrays = 2; /* one number of segments for all */
    hair.strands = 1;
    hair.default_segments = 4;
    file = hair_file(&hair);
    mesh = read_good(checks, "a.hair", file.data, file.size);
    assert_true(mesh->bodies[0].strand_count == 1 && mesh->bodies[0].first[1] == 5);
    dent_mesh_destroy(checks->context, mesh);
}

static void refuse_hair(struct checks *checks, struct hair hair, dent_status status, const char *words)
{
    struct byte_string file = hair_file(&hair);
    refuse(checks, "a.hair", file.data, file.size, status, words);
}

static void broken_hair_files_say_what_is_wrong(void **state)
{
    struct checks *checks = *state;
    struct hair hair = two_strands;
    hair.strands = 0xFFFFFFFF;
    hair.points = 0xFFFFFFFF;
    refuse_hair(checks, hair, DENT_ERROR_FORMAT, "a.hair|claims 4294967295 strands with 4294967295 points");
    hair = two_strands;
    hair.segments[1] = 0;
    refuse_hair(checks, hair, DENT_ERROR_BAD_MESH, "a.hair|strand 1 has one vertex");
    hair.segments[1] = 2;
    refuse_hair(checks, hair, DENT_ERROR_BAD_MESH, "strand 1 of 2 ends at point 5 of 5");
    hair.segments[0] = 1;
    hair.segments[1] = 1;
    refuse_hair(checks, hair, DENT_ERROR_BAD_MESH, "the strands use 4 of its 5 points");
    hair = two_strands;
    hair.thickness = -1;
    refuse_hair(checks, hair, DENT_ERROR_BAD_NUMBER, "the radius of vertex 1 is negative");
    hair.thickness = NAN;
    refuse_hair(checks, hair, DENT_ERROR_BAD_NUMBER, "the radius of vertex 1 is not a number");
    hair = two_strands;
    hair.arrays = 5;
    refuse_hair(checks, hair, DENT_ERROR_FORMAT, "no strands in it");
    hair = two_strands;
    hair.arrays = 2; /* 9 segments each */
    refuse_hair(checks, hair, DENT_ERROR_BAD_MESH, "strand 0 of 2 ends at point 9 of 5");
    hair.default_segments = 0xFFFFFFFF;
    refuse_hair(checks, hair, DENT_ERROR_BAD_MESH, "strand 0 of 2 ends at point 4294967295 of 5");
    struct byte_string file = hair_file(&two_strands);
    refuse(checks, "a.hair", file.data, file.size - 1, DENT_ERROR_FORMAT, "83 follow the header");
    refuse(checks, "a.hair", file.data, 50, DENT_ERROR_FORMAT, "is it a .hair file");
}

/* ---- lines ----------------------------------------------------------------------------------------------------- */

#define OBJ_VERTICES "v 0 0 0\nv 1 0 0\nv 2 0 0\nv 0 1 0\nv 0 2 0\n"

static void lines_of_obj_files_without_faces_are_strands(void **state)
{
    struct checks *checks = *state;
    /* As polylines, or edge by edge as some programs write them. */
    dent_mesh *mesh = read_good_text(checks, "a.obj", OBJ_VERTICES "l 1 2 3\nl 4 5\n");
    assert_two_strands(&mesh->bodies[0]);
    assert_null(mesh->bodies[0].vertex_numbers);
    dent_mesh_destroy(checks->context, mesh);
    mesh = read_good_text(checks, "a.obj", OBJ_VERTICES "l 1 2\nl 2 3\nl 4 5\n");
    assert_two_strands(&mesh->bodies[0]);
    dent_mesh_destroy(checks->context, mesh);
}

static void strands_keep_the_numbers_of_the_file_and_copy_shared_vertices(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.obj", OBJ_VERTICES "l 3 2 1\nl 4 2 5\n");
    const dent_mesh_body *body = &mesh->bodies[0];
    assert_true(body->strand_count == 2 && body->vertex_count == 6);
    const uint32_t numbers[6] = {2, 1, 0, 3, 1, 4};
    assert_memory_equal(body->vertex_numbers, numbers, sizeof numbers);
    assert_true(body->positions[0] == 2 && body->positions[12] == 1);
    assert_non_null(strstr(checks->log, "a.obj: 1 vertices are used more than once by strands and were copied"));
    dent_mesh_destroy(checks->context, mesh);
}

static void groups_of_lines_may_share_vertices(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.mesh",
                                     "MeshVersionFormatted 2\nDimension 3\nVertices\n3\n0 0 0 0\n1 0 0 0\n2 0 0 0\n"
                                     "Edges\n3\n1 2 1\n2 3 1\n1 3 2\nEnd\n");
    assert_int_equal(mesh->body_count, 2);
    assert_true(mesh->bodies[0].vertex_count == 3 && mesh->bodies[1].vertex_count == 2);
    assert_true(mesh->bodies[1].positions[0] == 0 && mesh->bodies[1].positions[3] == 2);
    dent_mesh_destroy(checks->context, mesh);
}

static void faces_make_bodies_and_lines_beside_them_groups(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.obj", OBJ_VERTICES "l 1 2 3\nf 1 2 4\n");
    assert_true(mesh->bodies[0].kind == DENT_BODY_SURFACE && mesh->bodies[0].first == NULL);
    assert_int_equal(mesh->group_count, 1);
    dent_mesh_destroy(checks->context, mesh);
}

static void polylines_of_vtk_files_are_strands(void **state)
{
    struct checks *checks = *state;
    dent_mesh *mesh = read_good_text(checks, "a.vtk",
                                     "# vtk DataFile Version 3.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 5 float\n"
                                     "0 0 0 1 0 0 2 0 0 0 1 0 0 2 0\nLINES 2 7\n3 0 1 2\n2 3 4\n");
    assert_two_strands(&mesh->bodies[0]);
    dent_mesh_destroy(checks->context, mesh);
}

/* ---- writing --------------------------------------------------------------------------------------------------- */

static void written_strands_are_read_back(void **state)
{
    struct checks *checks = *state;
    const uint32_t first[3] = {0, 3, 5};
    const double radii[5] = {0.1, 0.2, 0.3, 0.4, 1.0 / 3};
    const dent_mesh_field field = {.name = "radius", .components = 1, .values = radii};
    dent_mesh_view view = {.kind = DENT_BODY_STRANDS,
                           .vertex_count = 5,
                           .positions = row[0],
                           .strand_count = 2,
                           .first = first,
                           .field_count = 1,
                           .fields = &field};
    folder_open("strands");
    for (int i = 0; i < 2; i++) {
        const char *name = in_folder(i ? "a.obj" : "a.vtp");
        assert_int_equal(dent_mesh_write(checks->context, name, &view), DENT_OK);
        dent_mesh *mesh = NULL;
        assert_int_equal(dent_mesh_read(checks->context, name, NULL, &mesh), DENT_OK);
        assert_two_strands(&mesh->bodies[0]);
        if (i == 0) {
            assert_same_doubles(mesh->bodies[0].radii, radii, 5);
        }
        dent_mesh_destroy(checks->context, mesh);
        unlink(name);
    }
    assert_int_equal(dent_mesh_write(checks->context, in_folder("a.mesh"), &view), DENT_ERROR_UNSUPPORTED);
    assert_int_equal(dent_mesh_write(checks->context, in_folder("a.vtu"), &view), DENT_ERROR_UNSUPPORTED);
    const uint32_t bad[][3] = {{0, 4, 5}, {0, 3, 4}, {1, 3, 5}, {3, 0, 5}};
    for (int i = 0; i < 4; i++) {
        view.first = bad[i];
        assert_int_equal(dent_mesh_write(checks->context, in_folder("a.vtp"), &view), DENT_ERROR_BAD_MESH);
    }
    view.first = NULL;
    assert_int_equal(dent_mesh_write(checks->context, in_folder("a.vtp"), &view), DENT_ERROR_INVALID_ARGUMENT);
    folder_close();
}

static void strands_of_files_become_bodies_of_a_world(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = hair_file(&two_strands);
    dent_mesh *mesh = read_good(checks, "a.hair", file.data, file.size);
    dent_world *world = dent_world_create(checks->context);
    dent_body_id id;
    assert_int_equal(dent_mesh_add_to_world(mesh, world, &id), DENT_OK);
    dent_body_topology topology;
    assert_int_equal(dent_body_get_topology(world, id, &topology), DENT_OK);
    assert_true(topology.kind == DENT_BODY_STRANDS && topology.element_count == 3 && topology.component_count == 2);
    dent_world_destroy(world);
    dent_mesh_destroy(checks->context, mesh);
}

static void every_failing_allocation_is_out_of_memory_and_leaves_nothing(void **state)
{
    struct byte_string tfx = tfx_file(2, 3, 160), hair = hair_file(&two_strands);
    const char *obj = OBJ_VERTICES "l 3 2 1\nl 4 2 5\n", *hand = HAND "numOfTriangles 1\n0 0 1 2\n";
    assert_true(fail_every_allocation(*state, "a.tfx", tfx.data, tfx.size) > 5);
    assert_true(fail_every_allocation(*state, "a.hair", hair.data, hair.size) > 5);
    assert_true(fail_every_allocation(*state, "a.obj", obj, strlen(obj)) > 5);
    assert_true(fail_every_allocation(*state, "a.tfxmesh", hand, strlen(hand)) > 5);
}

static void every_prefix_is_read_or_refused(void **state)
{
    struct byte_string tfx = tfx_file(2, 3, 160), hair = hair_file(&two_strands);
    const char *hand = HAND "numOfTriangles 1\n0 0 1 2\n";
    assert_every_prefix_is_safe(*state, "a.tfx", tfx.data, tfx.size);
    assert_every_prefix_is_safe(*state, "a.hair", hair.data, hair.size);
    assert_every_prefix_is_safe(*state, "a.tfxmesh", hand, strlen(hand));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(tfx_strands_have_equal_numbers_of_vertices, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(broken_tfx_files_say_what_is_wrong, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(tfxmesh_is_a_surface, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(broken_tfxmesh_files_say_what_is_wrong, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(hair_has_radii_of_half_the_thickness, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(broken_hair_files_say_what_is_wrong, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(lines_of_obj_files_without_faces_are_strands, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(strands_keep_the_numbers_of_the_file_and_copy_shared_vertices, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(faces_make_bodies_and_lines_beside_them_groups, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(groups_of_lines_may_share_vertices, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(polylines_of_vtk_files_are_strands, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(written_strands_are_read_back, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(every_failing_allocation_is_out_of_memory_and_leaves_nothing, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(every_prefix_is_read_or_refused, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(strands_of_files_become_bodies_of_a_world, checks_setup, checks_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
