/* Writing and reading back: every double returns with its bits, whatever the caller's locale, rounding mode and
 * flush-to-zero; what is written is exactly this text; what cannot be written is refused by name. */
#include "mesh_file_checks.h"

#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <unistd.h>

static const uint32_t tetrahedra[8] = {0, 1, 2, 3, 1, 2, 3, 4};
static const uint32_t triangles[6] = {0, 1, 2, 2, 3, 0};

/* The doubles that formats and number routines get wrong most easily, then random bits. */
enum { VERTICES = 3000 };
static double hard_positions[3 * VERTICES];

static void fill_hard_positions(void)
{
    static const double special[] = {
        0.0,
        -0.0,
        DBL_TRUE_MIN,
        -DBL_TRUE_MIN,
        3 * DBL_TRUE_MIN,
        DBL_MIN,
        -DBL_MIN,
        DBL_MIN - DBL_TRUE_MIN,
        DBL_MAX,
        -DBL_MAX,
        DBL_EPSILON,
        1.0 + DBL_EPSILON,
        1.0 - DBL_EPSILON / 2,
        0.1,
        1.0 / 3.0,
        -2.0 / 3.0,
        5e-324,
        9007199254740993.0,
        1e22,
        1e23,
        8.41e21,
        9.5367431640625e-07,
        123456789012345680.0,
        4.35,
        2.2250738585072011e-308,
        6.02214076e23,
        1e-5,
        100000,
    };
    dent_random random = dent_random_seeded(7);
    for (size_t i = 0; i < COUNT_OF(hard_positions); i++) {
        uint64_t bits;
        do {
            bits = dent_random_bits(&random);
        } while ((bits >> 52 & 0x7ff) == 0x7ff);
        memcpy(&hard_positions[i], &bits, 8);
        if (i < COUNT_OF(special)) {
            hard_positions[i] = special[i];
        }
    }
}

static int write_setup(void **state)
{
    fill_hard_positions();
    return checks_setup(state);
}

static char path_buffer[256];

/* A name of our own in the folder where the test runs. */
static const char *path_of(const char *name)
{
    snprintf(path_buffer, sizeof path_buffer, "write-test-%ld-%s", (long)getpid(), name);
    return path_buffer;
}

static void write_good(struct checks *checks, const char *path, const dent_mesh_view *view)
{
    dent_status status = dent_mesh_write(checks->context, path, view);
    if (status != DENT_OK) {
        fail_msg("%s: %s", dent_status_name(status), checks_message(checks));
    }
}

static void assert_returns(struct checks *checks, const char *name, const dent_mesh_view *view, size_t corner_count)
{
    const char *path = path_of(name);
    write_good(checks, path, view);
    dent_mesh *mesh = NULL;
    dent_status status = dent_mesh_read(checks->context, path, NULL, &mesh);
    if (status != DENT_OK) {
        fail_msg("%s: %s", dent_status_name(status), checks_message(checks));
    }
    const dent_mesh_body *body = only_body(mesh, view->kind, view->vertex_count, view->element_count);
    assert_same_doubles(body->positions, view->positions, 3 * (size_t)view->vertex_count);
    assert_corners(body, view->element_corners, corner_count);
    if (view->cell_kinds) {
        assert_memory_equal(body->cell_kinds, view->cell_kinds, view->element_count);
    }
    dent_mesh_destroy(checks->context, mesh);
    assert_int_equal(unlink(path), 0);
}

static dent_mesh_view solid(void)
{
    return (dent_mesh_view){.kind = DENT_BODY_SOLID,
                            .vertex_count = VERTICES,
                            .positions = hard_positions,
                            .element_count = 2,
                            .element_corners = tetrahedra};
}

static dent_mesh_view surface(void)
{
    return (dent_mesh_view){.kind = DENT_BODY_SURFACE,
                            .vertex_count = VERTICES,
                            .positions = hard_positions,
                            .element_count = 2,
                            .element_corners = triangles};
}

static void return_everything(struct checks *checks)
{
    dent_mesh_view bodies[2] = {solid(), surface()};
    assert_returns(checks, "a.mesh", &bodies[0], 8);
    assert_returns(checks, "a.vtu", &bodies[0], 8);
    assert_returns(checks, "b.mesh", &bodies[1], 6);
    assert_returns(checks, "b.vtu", &bodies[1], 6);
    assert_returns(checks, "b.vtp", &bodies[1], 6);
    assert_returns(checks, "b.OBJ", &bodies[1], 6);
}

static void doubles_return_bit_for_bit(void **state)
{
    return_everything(*state);
}

static void doubles_return_bit_for_bit_in_every_rounding_mode(void **state)
{
    static const int modes[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    for (size_t i = 0; i < COUNT_OF(modes); i++) {
        fesetround(modes[i]);
        return_everything(*state);
        assert_int_equal(fegetround(), modes[i]);
        fesetround(FE_TONEAREST);
    }
}

static void doubles_return_bit_for_bit_when_subnormals_are_flushed(void **state)
{
#if defined(__x86_64__)
    unsigned before = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before | 0x8040);
    return_everything(*state);
    unsigned after = __builtin_ia32_stmxcsr();
    __builtin_ia32_ldmxcsr(before);
    assert_int_equal(after & 0x8040, 0x8040);
#else
    (void)state;
    print_message("           no flush-to-zero known on this machine\n");
    skip();
#endif
}

/* A locale of the machine, or one made in the folder of the test where the machine knows how. */
static bool set_decimal_comma(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8", "pl_PL.UTF-8"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (setlocale(LC_NUMERIC, names[i])) {
            return true;
        }
    }
    if (system("mkdir -p write-test-locale && localedef -c -i de_DE -f UTF-8 ./write-test-locale/de_DE.UTF-8 "
               "2>/dev/null") == 0) {
        setenv("LOCPATH", "./write-test-locale", 1);
        return setlocale(LC_NUMERIC, "de_DE.UTF-8");
    }
    return false;
}

static void doubles_return_bit_for_bit_with_a_decimal_comma(void **state)
{
    if (!set_decimal_comma()) {
        print_message("           SKIPPED: no locale with a decimal comma (Debian: locales)\n");
        skip();
    }
    char text[16];
    snprintf(text, sizeof text, "%.1f", 0.5);
    assert_string_equal(text, "0,5");
    return_everything(*state);
    setlocale(LC_NUMERIC, "C");
    assert_int_equal(system("rm -rf write-test-locale"), 0);
}

static void mixed_cells_return_in_order_from_vtu_and_by_kind_from_medit(void **state)
{
    struct checks *checks = *state;
    static const uint32_t corners[] = {0, 1, 2, 3,  0, 1, 2, 3, 4,  5, 6, 7,  4, 5,
                                       6, 8, 9, 10, 4, 5, 6, 7, 11, 8, 9, 10, 11};
    static const uint8_t kinds[] = {DENT_CELL_TETRAHEDRON, DENT_CELL_HEXAHEDRON, DENT_CELL_WEDGE, DENT_CELL_PYRAMID,
                                    DENT_CELL_TETRAHEDRON};
    dent_mesh_view view = {.kind = DENT_BODY_SOLID,
                           .vertex_count = 12,
                           .positions = hard_positions,
                           .element_count = 5,
                           .element_corners = corners,
                           .cell_kinds = kinds};
    assert_returns(checks, "m.vtu", &view, COUNT_OF(corners));

    const char *path = path_of("m.mesh");
    write_good(checks, path, &view);
    dent_mesh *mesh = NULL;
    assert_int_equal(dent_mesh_read(checks->context, path, NULL, &mesh), DENT_OK);
    const dent_mesh_body *body = only_body(mesh, DENT_BODY_SOLID, 12, 5);
    assert_memory_equal(body->cell_kinds, ((uint8_t[]){0, 0, 1, 2, 3}), 5);
    assert_memory_equal(body->element_corners, ((uint32_t[]){0, 1, 2, 3, 8, 9, 10, 11, 0, 1, 2, 3, 4, 5, 6, 7}), 64);
    dent_mesh_destroy(checks->context, mesh);
    unlink(path);
}

/* ---- the exact text ----------------------------------------------------------------------------------------- */

static void assert_file_is(const char *path, const char *expected)
{
    char text[4096];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    text[size] = 0;
    fclose(file);
    unlink(path);
    assert_string_equal(text, expected);
}

static const double small[9] = {0, 0.5, -0.0, 1, 0.1, 1e-300, -2, 3, 1e300};

static void the_text_formats_are_written_as_documented(void **state)
{
    struct checks *checks = *state;
    static const uint32_t one[] = {0, 1, 2};
    dent_mesh_view view = {
        .kind = DENT_BODY_SURFACE, .vertex_count = 3, .positions = small, .element_count = 1, .element_corners = one};
    write_good(checks, path_of("t.obj"), &view);
    assert_file_is(path_of("t.obj"),
                   "v 0 0.5 -0\nv 1 0.10000000000000001 1e-300\nv -2 3 1.0000000000000001e+300\nf 1 2 3\n");
    write_good(checks, path_of("t.mesh"), &view);
    assert_file_is(path_of("t.mesh"),
                   "MeshVersionFormatted 2\nDimension 3\n\nVertices\n3\n0 0.5 -0 0\n1 0.10000000000000001 "
                   "1e-300 0\n-2 3 1.0000000000000001e+300 0\n\nTriangles\n1\n1 2 3 1\n\nEnd\n");
}

static void a_collection_lists_its_files_with_names_escaped(void **state)
{
    struct checks *checks = *state;
    const dent_collection_entry entries[] = {{0, 0, "frames/a&b<1>\"'.vtu"}, {0.1, 3, "\xC3\xA9\t.vtp"}};
    assert_int_equal(dent_collection_write(checks->context, path_of("c.pvd"), 2, entries), DENT_OK);
    assert_file_is(
        path_of("c.pvd"),
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n"
        "  <Collection>\n    <DataSet timestep=\"0\" part=\"0\" file=\"frames/a&amp;b&lt;1&gt;&quot;'.vtu\"/>\n"
        "    <DataSet timestep=\"0.10000000000000001\" part=\"3\" file=\"\xC3\xA9&#9;.vtp\"/>\n  </Collection>\n"
        "</VTKFile>\n");
    assert_int_equal(dent_collection_write(checks->context, path_of("c.pvd"), 0, NULL), DENT_OK);
    unlink(path_of("c.pvd"));
}

static void lines_are_written_to_obj_and_vtp(void **state)
{
    struct checks *checks = *state;
    static const double points[] = {0, 0, 0, 1, 0.5, 0, -2, 0, 0.25};
    static const uint32_t ends[] = {0, 1, 1, 2, 2, 0}, beyond[] = {0, 3};
    const double numbers[] = {0, 0, 7};
    const dent_mesh_field field = {"curve", true, 1, numbers};
    assert_int_equal(dent_lines_write(checks->context, path_of("l.obj"), 3, points, 3, ends, 0, NULL), DENT_OK);
    assert_file_is(path_of("l.obj"), "v 0 0 0\nv 1 0.5 0\nv -2 0 0.25\nl 1 2\nl 2 3\nl 3 1\n");
    assert_int_equal(dent_lines_write(checks->context, path_of("l.vtp"), 3, points, 3, ends, 1, &field), DENT_OK);
    assert_int_equal(unlink(path_of("l.vtp")), 0);
    assert_int_equal(dent_lines_write(checks->context, path_of("l.vtp"), 0, NULL, 0, NULL, 0, NULL), DENT_OK);
    assert_int_equal(unlink(path_of("l.vtp")), 0);
    assert_int_equal(dent_lines_write(checks->context, path_of("l.stl"), 3, points, 3, ends, 0, NULL),
                     DENT_ERROR_UNSUPPORTED);
    assert_int_equal(dent_lines_write(checks->context, path_of("l.vtp"), 3, points, 1, beyond, 0, NULL),
                     DENT_ERROR_BAD_MESH);
    assert_non_null(strstr(checks_message(checks), "line 0 names point 3 of 3"));
    assert_int_equal(dent_lines_write(checks->context, path_of("l.vtp"), 3, points, 1, NULL, 0, NULL),
                     DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(access(path_of("l.vtp"), F_OK), -1);
}

static void empty_bodies_are_written(void **state)
{
    struct checks *checks = *state;
    static const char *const names[] = {"e.mesh", "e.obj", "e.vtu", "e.vtp"};
    dent_mesh_view view = {.kind = DENT_BODY_SURFACE};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        write_good(checks, path_of(names[i]), &view);
        assert_int_equal(unlink(path_of(names[i])), 0);
    }
    assert_int_equal(dent_points_write(checks->context, path_of("e.vtp"), 0, NULL, 0, NULL), DENT_OK);
    assert_int_equal(unlink(path_of("e.vtp")), 0);
}

/* ---- what is refused ------------------------------------------------------------------------------------------ */

static void assert_not_written(struct checks *checks, const char *path, dent_status found, dent_status expected,
                               const char *says)
{
    const char *message = checks_message(checks);
    print_message("           %s\n", message);
    assert_int_equal(found, expected);
    if (!strstr(message, says) || !strstr(message, path)) {
        fail_msg("'%s' lacks '%s' or the path", message, says);
    }
    assert_int_equal(access(path, F_OK), -1);
}

static void views_that_make_no_sense_are_refused(void **state)
{
    struct checks *checks = *state;
    static const uint32_t beyond[] = {0, 1, 3};
    static const uint8_t kinds[] = {9};
    double bad[9];
    memcpy(bad, small, sizeof bad);
    memset(&bad[4], 0xFF, sizeof bad[4]);
    const dent_mesh_view good = {.kind = DENT_BODY_SURFACE,
                                 .vertex_count = 3,
                                 .positions = small,
                                 .element_count = 1,
                                 .element_corners = triangles};
    dent_mesh_view view = good;
#define REFUSED(name, status, says)                                                                                    \
    assert_not_written(checks, path_of(name), dent_mesh_write(checks->context, path_of(name), &view), status, says)
    REFUSED("r.stl", DENT_ERROR_UNSUPPORTED, "must end in .mesh, .obj, .vtu, .vtp or .xyz");
    REFUSED("r", DENT_ERROR_UNSUPPORTED, "must end in");
    view.positions = bad;
    REFUSED("r.obj", DENT_ERROR_BAD_NUMBER, "coordinate y of vertex 1 is not finite");
    view.positions = NULL;
    REFUSED("r.obj", DENT_ERROR_INVALID_ARGUMENT, "no positions");
    view = good;
    view.element_corners = beyond;
    REFUSED("r.vtu", DENT_ERROR_BAD_MESH, "element 0 names vertex 3 of 3");
    view.element_corners = NULL;
    REFUSED("r.vtu", DENT_ERROR_INVALID_ARGUMENT, "no element corners");
    view = good;
    view.cell_kinds = kinds;
    REFUSED("r.vtu", DENT_ERROR_INVALID_ARGUMENT, "a surface has no cell kinds");
    view.kind = DENT_BODY_SOLID;
    REFUSED("r.vtu", DENT_ERROR_INVALID_ARGUMENT, "unknown kind 9");
    REFUSED("r.obj", DENT_ERROR_UNSUPPORTED, "this body is a solid");
    REFUSED("r.vtp", DENT_ERROR_UNSUPPORTED, "this body is a solid");
    view.kind = 0;
    REFUSED("r.vtu", DENT_ERROR_INVALID_ARGUMENT, "unknown kind of body");
#undef REFUSED
}

static void fields_that_make_no_sense_are_refused(void **state)
{
    struct checks *checks = *state;
    const double one[3] = {1, 2, 3};
    const struct {
        dent_mesh_field field;
        const char *says;
    } bad[] = {
        {{NULL, false, 1, one}, "name of field 0 is missing"},
        {{"", false, 1, one}, "name of field 0 is missing"},
        {{"a\x01", false, 1, one}, "name of field 0 cannot be written in XML"},
        {{"\xC3", false, 1, one}, "cannot be written in XML"},
        {{"\xED\xA0\x80", false, 1, one}, "cannot be written in XML"},
        {{"\xC0\x80", false, 1, one}, "cannot be written in XML"},
        {{"\xE0\x80\xAF", false, 1, one}, "cannot be written in XML"}, /* a slash in three bytes, and in four */
        {{"\xF0\x80\x80\xAF", false, 1, one}, "cannot be written in XML"},
        {{"speed", false, 2, one}, "field 'speed' has 2 components"},
        {{"speed", false, 1, NULL}, "field 'speed' has no values"},
    };
    for (size_t i = 0; i < COUNT_OF(bad); i++) {
        dent_status status = dent_points_write(checks->context, path_of("f.vtp"), 1, small, 1, &bad[i].field);
        assert_not_written(checks, path_of("f.vtp"), status, DENT_ERROR_INVALID_ARGUMENT, bad[i].says);
    }
    dent_status status = dent_points_write(checks->context, path_of("f.vtp"), 1, small, 1, NULL);
    assert_int_equal(status, DENT_ERROR_INVALID_ARGUMENT);
    assert_non_null(strstr(checks_message(checks), "fields is null"));
    assert_int_equal(access(path_of("f.vtp"), F_OK), -1);
    const dent_collection_entry entries[] = {{0, 0, "a.vtu"}, {0, 1, NULL}};
    status = dent_collection_write(checks->context, path_of("f.pvd"), 2, entries);
    assert_not_written(checks, path_of("f.pvd"), status, DENT_ERROR_INVALID_ARGUMENT, "entry 1 is missing");
    const dent_collection_entry infinite[] = {{1.0 / 0.0, 0, "a.vtu"}};
    status = dent_collection_write(checks->context, path_of("f.pvd"), 1, infinite);
    assert_not_written(checks, path_of("f.pvd"), status, DENT_ERROR_BAD_NUMBER, "time of entry 0");
}

static void fields_left_out_of_formats_without_them_are_noticed(void **state)
{
    struct checks *checks = *state;
    const double values[3] = {1, 2, 3};
    const dent_mesh_field field = {"speed", false, 1, values};
    dent_mesh_view view = {.kind = DENT_BODY_SURFACE,
                           .vertex_count = 3,
                           .positions = small,
                           .element_count = 1,
                           .element_corners = triangles,
                           .field_count = 1,
                           .fields = &field};
    write_good(checks, path_of("n.obj"), &view);
    unlink(path_of("n.obj"));
    assert_non_null(strstr(checks->log, "no place for fields; 1 left out"));
}

static void every_failing_allocation_leaves_no_file(void **state)
{
    struct checks *checks = *state;
    static const char *const names[] = {"o.mesh", "o.obj", "o.vtu", "o.vtp"};
    dent_mesh_view view = surface();
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const char *path = path_of(names[i]);
        uint64_t n = 1;
        for (;; n++) {
            uint64_t before = atomic_load(&checks->memory.live_bytes);
            atomic_store(&checks->memory.requests, 0);
            atomic_store(&checks->memory.fail_at, n);
            dent_status status = dent_mesh_write(checks->context, path, &view);
            bool failed = atomic_load(&checks->memory.requests) >= n;
            atomic_store(&checks->memory.fail_at, 0);
            assert_int_equal(atomic_load(&checks->memory.live_bytes), before);
            if (!failed) {
                assert_int_equal(status, DENT_OK);
                break;
            }
            assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
            assert_int_equal(access(path, F_OK), -1);
        }
        assert_int_equal(n, 2); /* one small buffer, whatever the size of the mesh */
        assert_true(dent_context_memory_use(checks->context).peak_bytes < 200000);
        unlink(path);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(doubles_return_bit_for_bit, write_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(doubles_return_bit_for_bit_in_every_rounding_mode, write_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(doubles_return_bit_for_bit_when_subnormals_are_flushed, write_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(doubles_return_bit_for_bit_with_a_decimal_comma, write_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(mixed_cells_return_in_order_from_vtu_and_by_kind_from_medit, write_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(the_text_formats_are_written_as_documented, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(a_collection_lists_its_files_with_names_escaped, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(lines_are_written_to_obj_and_vtp, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(empty_bodies_are_written, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(views_that_make_no_sense_are_refused, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(fields_that_make_no_sense_are_refused, checks_setup, checks_teardown),
        cmocka_unit_test_setup_teardown(fields_left_out_of_formats_without_them_are_noticed, checks_setup,
                                        checks_teardown),
        cmocka_unit_test_setup_teardown(every_failing_allocation_leaves_no_file, write_setup, checks_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
