/* What text files may begin with: a byte order mark changes nothing in any format, UTF-16 is refused by name, and a
 * line that no reader knows is told with its number or refused, so that it never moves the numbers of those behind it.
 */
#include "mesh_file_checks.h"

#include "tetgen_memory.h"
#include "io/bytes/text_encoding.h"

#include <dent/frames.h>
#include <dent/impact_io.h>
#include <dent/urdf.h>

#include <unistd.h>

#define MARK "\xEF\xBB\xBF"
#define TETRAHEDRON_POINTS "0 0 0\n1 0 0\n0 1 0\n0 0 1\n"

/* The same tetrahedron, or its first face. */
static const struct {
    const char *name, *text;
} files[] = {
    {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n"},
    {"a.ply", "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\n"
              "element face 1\nproperty list uchar int vertex_indices\nend_header\n" TETRAHEDRON_POINTS "3 0 1 2\n"},
    {"a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n"
              "endsolid a\n"},
    {"v1.msh", "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 1 1 4 1 2 3 4\n$ENDELM\n"},
    {"v2.msh", "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
               "$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n"},
    {"a.mesh", "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
               "Tetrahedra\n1\n1 2 3 4 0\nEnd\n"},
    {"a.vtk", "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n" TETRAHEDRON_POINTS
              "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n"},
    {"a.vtu",
     "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\"><Points>"
     "<DataArray type=\"Float64\" NumberOfComponents=\"3\">" TETRAHEDRON_POINTS "</DataArray></Points><Cells>"
     "<DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3</DataArray>"
     "<DataArray type=\"Int32\" Name=\"offsets\">4</DataArray><DataArray type=\"UInt8\" Name=\"types\">10</DataArray>"
     "</Cells></Piece></UnstructuredGrid></VTKFile>\n"},
};

static size_t with_mark(const char *text, char *buffer, size_t size)
{
    int length = snprintf(buffer, size, MARK "%s", text);
    assert_true(length > 0 && (size_t)length < size);
    return (size_t)length;
}

/* In UTF-16, with or without its mark. */
static size_t as_utf16(const char *text, bool big, bool marked, char *buffer)
{
    size_t length = 0;
    if (marked) {
        buffer[length++] = (char)(big ? 0xFE : 0xFF);
        buffer[length++] = (char)(big ? 0xFF : 0xFE);
    }
    for (; *text; text++) {
        buffer[length++] = big ? 0 : *text;
        buffer[length++] = big ? *text : 0;
    }
    return length;
}

static void a_byte_order_mark_changes_nothing_in_any_format(void **state)
{
    struct checks *checks = *state;
    for (size_t i = 0; i < COUNT_OF(files); i++) {
        char buffer[2048];
        size_t size = with_mark(files[i].text, buffer, sizeof buffer);
        dent_mesh *plain = read_good_text(checks, files[i].name, files[i].text);
        dent_mesh *marked = read_good(checks, files[i].name, buffer, size);
        assert_int_equal(dent_mesh_compare(plain, marked), DENT_MESH_SAME_TOPOLOGY);
        assert_string_equal(plain->format, marked->format);
        assert_memory_equal(plain->bodies[0].positions, marked->bodies[0].positions,
                            3 * sizeof(double) * plain->bodies[0].vertex_count);
        assert_string_equal(checks->log, "");
        dent_mesh_destroy(checks->context, plain);
        dent_mesh_destroy(checks->context, marked);
    }
}

static void utf_16_is_refused_by_name_in_any_format(void **state)
{
    struct checks *checks = *state;
    for (size_t i = 0; i < 4 * COUNT_OF(files); i++) {
        char buffer[4096];
        size_t size = as_utf16(files[i / 4].text, i & 1, i & 2, buffer);
        dent_mesh *mesh = NULL;
        dent_status status = dent_mesh_read_memory(checks->context, files[i / 4].name, buffer, size, NULL, &mesh);
        assert_int_equal(status, DENT_ERROR_UNSUPPORTED);
        assert_non_null(strstr(checks_message(checks), "UTF-16"));
        assert_non_null(strstr(checks_message(checks), files[i / 4].name));
    }
}

static void a_binary_file_that_begins_like_a_mark_is_read_as_it_is(void **state)
{
    struct checks *checks = *state;
    static const char *const beginnings[] = {MARK, "\xFF\xFE", "a\0b\0"};
    for (size_t i = 0; i < COUNT_OF(beginnings); i++) {
        uint8_t bytes[84 + 50] = {0};
        memcpy(bytes, beginnings[i], i == 0 ? 3 : i == 1 ? 2 : 4);
        bytes[80] = 1;
        const float facet[12] = {0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0};
        memcpy(bytes + 84, facet, sizeof facet);
        dent_mesh *mesh = read_good(checks, "a.stl", bytes, sizeof bytes);
        assert_string_equal(mesh->format, "stl binary");
        dent_mesh_destroy(checks->context, mesh);
    }
}

static void both_files_of_a_tetgen_pair_may_begin_with_a_mark(void **state)
{
    struct checks *checks = *state;
    const char nodes[] = MARK "4 3 0 0\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n";
    const char cells[] = MARK "1 4 0\n1 1 2 3 4\n";
    dent_mesh *mesh = NULL;
    dent_status status =
        tetgen_read_memory(checks->context, (struct tetgen_file){"a.node", (const uint8_t *)nodes, sizeof nodes - 1},
                           (struct tetgen_file){"a.ele", (const uint8_t *)cells, sizeof cells - 1}, false, &mesh);
    assert_int_equal(status, DENT_OK);
    only_body(mesh, DENT_BODY_SOLID, 4, 1);
    dent_mesh_destroy(checks->context, mesh);
}

static void collections_queries_and_robots_may_begin_with_a_mark(void **state)
{
    struct checks *checks = *state;
    char path[] = "/tmp/dent-mark-XXXXXX";
    int file = mkstemp(path);
    const char pvd[] = MARK "<VTKFile type=\"Collection\"><Collection><DataSet file=\"a.vtu\"/></Collection></VTKFile>";
    assert_int_equal(write(file, pvd, sizeof pvd - 1), sizeof pvd - 1);
    close(file);
    dent_collection *collection = NULL;
    assert_int_equal(dent_collection_read(checks->context, path, &collection), DENT_OK);
    assert_int_equal(collection->entry_count, 1);
    dent_collection_destroy(checks->context, collection);
    unlink(path);

    char rows[512] = MARK;
    for (int i = 0; i < 8; i++) {
        strcat(rows, "0,1,1,2,3,4,0\n");
    }
    dent_impact_queries *queries = NULL;
    assert_int_equal(dent_impact_queries_read_memory(checks->context, "vf.csv", rows, strlen(rows), NULL, &queries),
                     DENT_OK);
    assert_int_equal(queries->count, 1);
    assert_true(queries->queries[0].points_t0[0][1] == 0.5);
    dent_impact_queries_destroy(checks->context, queries);

    const char urdf[] = MARK "<robot name=\"r\"><link name=\"a\"/></robot>";
    dent_robot *robot = NULL;
    dent_status status = dent_robot_read_memory(checks->context, "r.urdf", urdf, sizeof urdf - 1, NULL, &robot);
    assert_true(status == DENT_OK || status == DENT_ERROR_UNSUPPORTED); /* a build without expat */
    dent_robot_destroy(checks->context, robot);
}

/* ---- lines nobody knows ---------------------------------------------------------------------------------------- */

static void an_unknown_line_that_may_be_a_vertex_is_refused(void **state)
{
    struct checks *checks = *state;
    static const char *const lines[] = {"V 0 0 0", "\xC2\xA0v 0 0 0", "\xE2\x80\x8Bv 0 0 0", "w 1 2 3", "v\x01 1 2 3"};
    for (size_t i = 0; i < COUNT_OF(lines); i++) {
        char text[256];
        snprintf(text, sizeof text, "# c\n%s\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n", lines[i]);
        dent_mesh *mesh = NULL;
        assert_int_equal(dent_mesh_read_memory(checks->context, "a.obj", text, strlen(text), NULL, &mesh),
                         DENT_ERROR_FORMAT);
        assert_non_null(strstr(checks_message(checks), "a.obj:2: "));
        assert_non_null(strstr(checks_message(checks), "a damaged vertex?"));
    }
}

static void what_is_skipped_is_told_with_its_line(void **state)
{
    struct checks *checks = *state;
    static const struct {
        const char *name, *text, *notice;
    } odd[] = {
        {"a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nhello you\nf 1 2 3\nbye\n",
         "a.obj: 2 lines that are no OBJ statements were skipped (the first in line 4: 'hello')"},
        {"a.msh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nods\n1\n$EndNods\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
         "$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n",
         "a.msh: 1 sections are not Gmsh's and were skipped (line 4: '$Nods')"},
        {"a.mesh",
         "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\nRidgs\n1\n5\n"
         "Tetrahedra\n1\n1 2 3 4 0\nEnd\n",
         "(line 9: 'Ridgs')"},
        {"b.mesh",
         "MeshVersionFormatted 2\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n"
         "Tetrahedra\n1\n1 2 3 4 0\nEnd\nVertices\n",
         "b.mesh: 1 file goes on behind its End, which is not read (line 13: 'Vertices')"},
        {"a.vtk",
         "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n" TETRAHEDRON_POINTS
         "CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\nSURPRISE 3\n",
         "(line 14: 'SURPRISE')"},
    };
    for (size_t i = 0; i < COUNT_OF(odd); i++) {
        checks->log[0] = 0;
        dent_mesh *mesh = read_good_text(checks, odd[i].name, odd[i].text);
        if (!strstr(checks->log, odd[i].notice)) {
            fail_msg("'%s' is not in '%s'", odd[i].notice, checks->log);
        }
        dent_mesh_destroy(checks->context, mesh);
    }
}

static void numbers_behind_those_announced_are_told(void **state)
{
    struct checks *checks = *state;
    const char vtu[] =
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" "
        "NumberOfCells=\"1\"><Points>\n"
        "<DataArray type=\"Float64\" NumberOfComponents=\"3\">\n" TETRAHEDRON_POINTS "7 8 9</DataArray></Points><Cells>"
        "<DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3</DataArray>"
        "<DataArray type=\"Int32\" Name=\"offsets\">4</DataArray><DataArray type=\"UInt8\" "
        "Name=\"types\">10</DataArray>"
        "</Cells></Piece></UnstructuredGrid></VTKFile>\n";
    dent_mesh *mesh = read_good_text(checks, "a.vtu", vtu);
    assert_non_null(strstr(checks->log, "arrays have more numbers than announced, which are not read (line 7: '7')"));
    dent_mesh_destroy(checks->context, mesh);
    const char nodes[] = "4 3 0 0\n1 0 0 0\n2 1 0 0 5\n3 0 1 0\n4 0 0 1\n5 1 1 1\n", cells[] = "1 4 0\n1 1 2 3 4\n";
    dent_status status =
        tetgen_read_memory(checks->context, (struct tetgen_file){"a.node", (const uint8_t *)nodes, sizeof nodes - 1},
                           (struct tetgen_file){"a.ele", (const uint8_t *)cells, sizeof cells - 1}, false, &mesh);
    assert_int_equal(status, DENT_OK);
    assert_non_null(
        strstr(checks->log, "1 records have more columns than announced, which are not read (line 3: '5')"));
    assert_non_null(strstr(checks->log, "which is not read (line 6: '5')"));
    dent_mesh_destroy(checks->context, mesh);
}

static void stray_words_are_refused(void **state)
{
#define PLY(element, property)                                                                                         \
    "ply\nformat ascii 1.0\nelement vertex 3" element "\nproperty float x" property                                    \
    "\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n"       \
    "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    static const struct broken_file broken[] = {
        {"stray word", "a.obj", "v 0 0 0 x\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", 0, DENT_ERROR_FORMAT,
         "a.obj:1: 'x' behind the coordinates"},
        {"stray word", "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/a 2 3\n", 0, DENT_ERROR_FORMAT,
         "a.obj:4: corner '1/a'"},
        {"stray word", "a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1/1/1/1 2 3\n", 0, DENT_ERROR_FORMAT,
         "a.obj:4: corner '1/1/1/1'"},
        {"stray word", "a.ply", PLY(" 4", ""), 0, DENT_ERROR_FORMAT, "a.ply:3: '4' behind the declaration"},
        {"stray word", "a.ply", PLY("", " x2"), 0, DENT_ERROR_FORMAT, "a.ply:4: 'x2' behind the declaration"},
        {"stray word", "a.msh",
         "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n7 1 \"a\"\n$EndPhysicalNames\n", 0,
         DENT_ERROR_FORMAT, "a.msh:6: a physical group of dimension 7"},
    };
    assert_all_refused(*state, broken, COUNT_OF(broken));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_byte_order_mark_changes_nothing_in_any_format, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(utf_16_is_refused_by_name_in_any_format, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(a_binary_file_that_begins_like_a_mark_is_read_as_it_is, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(both_files_of_a_tetgen_pair_may_begin_with_a_mark, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(collections_queries_and_robots_may_begin_with_a_mark, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(an_unknown_line_that_may_be_a_vertex_is_refused, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(what_is_skipped_is_told_with_its_line, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(numbers_behind_those_announced_are_told, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(stray_words_are_refused, checks_setup, checks_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
