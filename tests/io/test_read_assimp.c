/* Formats that come through Assimp. Without DENT_WITH_ASSIMP they are unknown formats, and that is tested instead. */
#include "mesh_file_checks.h"

/* Two triangles that share an edge but, as renderers want it, no vertices; placed by two nested nodes: times 2, then
 * moved. */
static const char gltf[] = "{\"asset\":{\"version\":\"2.0\"},\"scene\":0,\"scenes\":[{\"nodes\":[0]}],"
                           "\"nodes\":[{\"children\":[1],\"translation\":[10,0,0]},{\"mesh\":0,\"scale\":[2,2,2]}],"
                           "\"meshes\":[{\"primitives\":[{\"attributes\":{\"POSITION\":0},\"indices\":1}]}],"
                           "\"accessors\":[{\"bufferView\":0,\"componentType\":5126,\"count\":6,\"type\":\"VEC3\","
                           "\"min\":[0,0,0],\"max\":[1,1,0]},"
                           "{\"bufferView\":1,\"componentType\":5123,\"count\":6,\"type\":\"SCALAR\"}],"
                           "\"bufferViews\":[{\"buffer\":0,\"byteOffset\":0,\"byteLength\":72},{\"buffer\":0,"
                           "\"byteOffset\":72,\"byteLength\":12}],"
                           "\"buffers\":[{\"byteLength\":84,\"uri\":\"data:application/octet-stream;base64,%s\"}]}";

/* A triangle in a node that is moved, with the axis up that Assimp takes too. */
static const char collada[] =
    "<?xml version=\"1.0\"?><COLLADA xmlns=\"http://www.collada.org/2005/11/COLLADASchema\" version=\"1.4.1\"><asset>"
    "<unit meter=\"1\" name=\"meter\"/><up_axis>Y_UP</up_axis></asset><library_geometries><geometry id=\"g\"><mesh>"
    "<source id=\"p\"><float_array id=\"a\" count=\"9\">0 0 0 1 0 0 0 1 0.5</float_array><technique_common>"
    "<accessor source=\"#a\" count=\"3\" stride=\"3\"><param name=\"X\" type=\"float\"/><param name=\"Y\" type=\"float\"/>"
    "<param name=\"Z\" type=\"float\"/></accessor></technique_common></source><vertices id=\"v\">"
    "<input semantic=\"POSITION\" source=\"#p\"/></vertices><triangles count=\"1\"><input semantic=\"VERTEX\" "
    "source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>"
    "<library_visual_scenes><visual_scene id=\"s\"><node id=\"n\"><translate>10 0 0</translate>"
    "<instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes>"
    "<scene><instance_visual_scene url=\"#s\"/></scene></COLLADA>";

static struct byte_string gltf_file(void)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const float positions[18] = {0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0};
    struct byte_string bytes = {.size = 0}, file = {.size = 0};
    for (int i = 0; i < 18; i++) {
        add_float(&bytes, positions[i], false);
    }
    for (uint64_t i = 0; i < 6; i++) {
        add_unsigned(&bytes, i, 2, false);
    }
    char base64[128] = "";
    for (size_t i = 0; i < bytes.size; i += 3) { /* 84 bytes: no padding */
        uint32_t group = (uint32_t)bytes.data[i] << 16 | (uint32_t)bytes.data[i + 1] << 8 | bytes.data[i + 2];
        for (int d = 0; d < 4; d++) {
            base64[i / 3 * 4 + (size_t)d] = digits[group >> (18 - 6 * d) & 63];
        }
    }
    file.size = (size_t)snprintf((char *)file.data, sizeof file.data, gltf, base64);
    return file;
}

static bool built_with_assimp(struct checks *checks)
{
    dent_mesh *mesh = NULL;
    dent_status status = dent_mesh_read_memory(checks->context, "a.gltf", "{", 1, NULL, &mesh);
    dent_mesh_destroy(checks->context, mesh);
    return status != DENT_ERROR_UNSUPPORTED;
}

static void scenes_are_placed_and_welded_or_an_unknown_format(void **state)
{
    struct checks *checks = *state;
    struct byte_string file = gltf_file();
    if (!built_with_assimp(checks)) {
        print_message("           built without Assimp (DENT_WITH_ASSIMP)\n");
        assert_refused(checks, &(struct broken_file){"glTF without Assimp", "a.gltf", (char *)file.data, file.size,
                                                     DENT_ERROR_UNSUPPORTED, "unknown format"});
        return;
    }
    dent_mesh *mesh = read_good(checks, "a.gltf", file.data, file.size);
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 4, 2);
    assert_same_doubles(body->positions, (double[]){10, 0, 0, 12, 0, 0, 12, 2, 0, 10, 2, 0}, 12);
    assert_corners(body, (uint32_t[]){0, 1, 2, 0, 2, 3}, 6);
    assert_string_equal(mesh->format, "gltf (assimp)");
    dent_mesh_destroy(checks->context, mesh);

    assert_refused(checks, &(struct broken_file){"broken glTF", "a.gltf", "{\"asset\":", 0, DENT_ERROR_FORMAT,
                                                 "Assimp cannot read it"});
    assert_refused(checks, &(struct broken_file){"broken glb", "a.glb", "glTF\2\0\0\0", 8, DENT_ERROR_FORMAT,
                                                 "Assimp cannot read it"});
    assert_true(fail_every_allocation(checks, "a.gltf", file.data, file.size) > 3);
}

static void collada_is_placed_or_an_unknown_format(void **state)
{
    struct checks *checks = *state;
    if (!built_with_assimp(checks)) {
        assert_refused(checks, &(struct broken_file){"Collada without Assimp", "a.dae", collada, sizeof collada - 1,
                                                     DENT_ERROR_UNSUPPORTED, "unknown format"});
        return;
    }
    dent_mesh *mesh = read_good(checks, "a.dae", collada, sizeof collada - 1);
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SURFACE, 3, 1);
    assert_same_doubles(body->positions, (double[]){10, 0, 0, 11, 0, 0, 10, 1, 0.5}, 9);
    dent_mesh_destroy(checks->context, mesh);
    assert_refused(checks, &(struct broken_file){"broken Collada", "a.dae", "<COLLADA", 0, DENT_ERROR_FORMAT,
                                                 "Assimp cannot read it"});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(collada_is_placed_or_an_unknown_format, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(scenes_are_placed_and_welded_or_an_unknown_format, checks_setup,
                                        checks_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
