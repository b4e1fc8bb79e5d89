/* Files of points: PLY without faces, PCD of all three kinds, texts with a point a line; what is written is read back;
 * broken files say so in one line. */
#include "reading.h"

#include "support/failing_allocator.h"
#include "support/scratch_folder.h"

#include <math.h>
#include <stdlib.h>

static const double corner[3][3] = {{0.5, -1, 2}, {1, 0, 0.25}, {-3, 4, 5}};
static const double up[3][3] = {{0, 0, 1}, {1, 0, 0}, {0, -1, 0}};

static void assert_points(const struct reading *reading, bool normals)
{
    assert_read(reading);
    assert_int_equal(reading->mesh->body_count, 1);
    const dent_mesh_body *body = &reading->mesh->bodies[0];
    assert_int_equal(body->kind, DENT_BODY_POINTS);
    assert_int_equal(body->vertex_count, 3);
    assert_int_equal(body->element_count, 3);
    assert_int_equal(body->corner_count, 3);
    assert_memory_equal(body->positions, corner, sizeof corner);
    assert_corners(body->element_corners, 0, 1, 2);
    assert_int_equal(body->normals != NULL, normals);
    if (normals) {
        assert_memory_equal(body->normals, up, sizeof up);
    }
}

/* ---- PLY ------------------------------------------------------------------------------------------------------- */

#define PLY(format, count) "ply\nformat " format " 1.0\nelement vertex " count "\nproperty float x\nproperty float y\nproperty float z\n"
#define PLY_NORMALS "property float nx\nproperty float ny\nproperty float nz\nproperty uchar red\n"
#define XYZ "0.5 -1 2\n1 0 0.25\n-3 4 5\n"

static void ply_files_without_faces_are_points(void **state)
{
    struct reading reading;
    (void)state;
    reading_open(&reading);
    read_text(&reading, "a.ply", PLY("ascii", "3") "end_header\n" XYZ);
    assert_points(&reading, false);
    read_text(&reading, "a.ply", PLY("ascii", "3") "element face 0\nproperty list uchar int vertex_indices\nend_header\n" XYZ);
    assert_points(&reading, false);
    read_text(&reading, "a.ply", PLY("ascii", "3") PLY_NORMALS "end_header\n0.5 -1 2 0 0 1 9\n1 0 0.25 1 0 0 9\n-3 4 5 0 -1 0 9\n");
    assert_points(&reading, true);
    uint8_t bytes[400];
    for (int big = 0; big < 2; big++) {
        const char *head = big ? PLY("binary_big_endian", "3") PLY_NORMALS "end_header\n"
                               : PLY("binary_little_endian", "3") PLY_NORMALS "end_header\n";
        size_t size = strlen(head);
        memcpy(bytes, head, size);
        for (int i = 0; i < 18; i++) {
            float value = (float)(i % 6 < 3 ? corner[i / 6][i % 6] : up[i / 6][i % 6 - 3]);
            uint32_t bits;
            memcpy(&bits, &value, sizeof bits);
            for (int b = 0; b < 4; b++) {
                bytes[size++] = (uint8_t)(bits >> 8 * (big ? 3 - b : b));
            }
            if (i % 6 == 5) {
                bytes[size++] = 200;
            }
        }
        read_bytes(&reading, "a.ply", bytes, size);
        assert_points(&reading, true);
        read_bytes(&reading, "a.ply", bytes, size - 1);
        assert_refused(&reading, "cut off", DENT_ERROR_FORMAT, "a.ply|vertex 2 is cut off");
    }
    read_text(&reading, "a.ply", PLY("ascii", "4294967296") "end_header\n" XYZ);
    assert_refused(&reading, "2^32 points", DENT_ERROR_FORMAT, "claims 4294967296");
    read_text(&reading, "a.ply", PLY("ascii", "0") "end_header\n");
    assert_refused(&reading, "none", DENT_ERROR_BAD_MESH, "a.ply|has 0 vertices");
    read_text(&reading, "a.ply", PLY("ascii", "1") "end_header\n1 nan 3\n");
    assert_refused(&reading, "NaN", DENT_ERROR_BAD_NUMBER, "a.ply:8|vertex 0: y is not a number");
    reading_close(&reading);
}

/* ---- PCD ------------------------------------------------------------------------------------------------------- */

#define PCD(data, count)                                                                                               \
    "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z normal_x normal_y normal_z rgb\nSIZE 4 4 4 4 4 4 4\nTYPE F F F F F F U\n" \
    "COUNT 1 1 1 1 1 1 1\nWIDTH " count "\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS " count "\nDATA " data "\n"

static void put_u32(uint8_t *bytes, size_t *size, uint32_t number)
{
    for (int b = 0; b < 4; b++) {
        bytes[(*size)++] = (uint8_t)(number >> 8 * b);
    }
}

static void put_number(uint8_t *bytes, size_t *size, int field, int point)
{
    float value = (float)(field < 3 ? corner[point][field] : field < 6 ? up[point][field - 3] : 0);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_u32(bytes, size, bits);
}

/* Literal runs of 32 bytes, and a copy of four bytes four back where the last four are again there. */
static size_t lzf_pack(const uint8_t *plain, size_t size, uint8_t *packed)
{
    size_t out = 0;
    for (size_t at = 0; at < size;) {
        if (at >= 4 && at + 4 <= size && memcmp(plain + at, plain + at - 4, 4) == 0) {
            packed[out++] = 2 << 5; /* length 2 + 2 */
            packed[out++] = 3;      /* 3 + 1 back */
            at += 4;
            continue;
        }
        size_t run = size - at < 4 ? size - at : 4;
        packed[out++] = (uint8_t)(run - 1);
        memcpy(packed + out, plain + at, run);
        out += run;
        at += run;
    }
    return out;
}

static size_t packed_pcd(uint8_t *bytes, const char *head, uint32_t *packed_size)
{
    uint8_t plain[200], packed[400];
    size_t size = 0, plain_size = 0, out = strlen(head);
    for (int field = 0; field < 7; field++) {
        for (int point = 0; point < 3; point++) {
            put_number(plain, &plain_size, field, point);
        }
    }
    size = lzf_pack(plain, plain_size, packed);
    assert_true(size < plain_size + plain_size / 4); /* copies were used */
    memcpy(bytes, head, out);
    put_u32(bytes, &out, (uint32_t)size);
    put_u32(bytes, &out, (uint32_t)plain_size);
    memcpy(bytes + out, packed, size);
    *packed_size = (uint32_t)size;
    return out + size;
}

static void pcd_files_of_all_kinds_have_the_same_points(void **state)
{
    struct reading reading;
    uint8_t bytes[1200];
    uint32_t packed;
    (void)state;
    reading_open(&reading);
    read_text(&reading, "a.pcd", PCD("ascii", "3") "0.5 -1 2 0 0 1 7\n1 0 0.25 1 0 0 7\n-3 4 5 0 -1 0 7\n");
    assert_points(&reading, true);
    assert_string_equal(reading.mesh->format, "pcd ascii");
    const char *head = PCD("binary", "3");
    size_t size = strlen(head);
    memcpy(bytes, head, size);
    for (int i = 0; i < 21; i++) {
        put_number(bytes, &size, i % 7, i / 7);
    }
    read_bytes(&reading, "a.pcd", bytes, size);
    assert_points(&reading, true);
    read_bytes(&reading, "a.pcd", bytes, size - 1);
    assert_refused(&reading, "cut off", DENT_ERROR_FORMAT, "a.pcd|claims 3 points");
    size = packed_pcd(bytes, PCD("binary_compressed", "3"), &packed);
    read_bytes(&reading, "a.pcd", bytes, size);
    assert_points(&reading, true);
    assert_string_equal(reading.mesh->format, "pcd binary compressed");
    for (size_t cut = 1; cut <= packed; cut++) {
        read_bytes(&reading, "a.pcd", bytes, size - cut);
        assert_refused(&reading, "cut off", DENT_ERROR_FORMAT, "a.pcd|cut off");
    }
    for (size_t i = size - packed; i < size; i++) { /* whatever a byte says, nothing is read outside */
        uint8_t kept = bytes[i];
        for (int value = 0; value < 256; value++) {
            bytes[i] = (uint8_t)value;
            read_bytes(&reading, "a.pcd", bytes, size);
            assert_true(reading.status == DENT_OK || reading.status == DENT_ERROR_FORMAT ||
                        reading.status == DENT_ERROR_BAD_NUMBER);
        }
        bytes[i] = kept;
    }
    reading_close(&reading);
}

static void rays_without_a_return_are_left_out(void **state)
{
    struct reading reading;
    (void)state;
    reading_open(&reading);
    read_text(&reading, "a.pcd", "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 2\nHEIGHT 2\nDATA ascii\n"
                                 "0.5 -1 2\nnan nan nan\n1 0 0.25\n-3 4 5\n");
    assert_points(&reading, false);
    assert_non_null(strstr(reading.notices, "1 points without a return"));
    read_text(&reading, "a.pcd", "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nPOINTS 1\nDATA ascii\n1 nan 2\n");
    assert_refused(&reading, "one NaN", DENT_ERROR_BAD_NUMBER, "a.pcd:7|y is not a number");
    reading_close(&reading);
}

static void broken_pcd_files_say_what_is_wrong(void **state)
{
    (void)state;
#define HEAD(fields, size, type, count) "FIELDS " fields "\nSIZE " size "\nTYPE " type "\nCOUNT " count "\n"
    static const struct broken_file files[] = {
        {"no header", "hello\n", DENT_ERROR_FORMAT, "'hello' is not a header line"},
        {"no data line", HEAD("x y z", "4 4 4", "F F F", "1 1 1"), DENT_ERROR_FORMAT, "ends before the line DATA"},
        {"no z", HEAD("x y", "4 4", "F F", "1 1") "POINTS 1\nDATA ascii\n1 2\n", DENT_ERROR_FORMAT, "no fields x, y and z"},
        {"x twice", HEAD("x y z x", "4 4 4 4", "F F F F", "1 1 1 1"), DENT_ERROR_FORMAT, "'x' is named twice"},
        {"a type of 3 bytes", HEAD("x y z", "4 4 3", "F F F", "1 1 1") "DATA ascii\n", DENT_ERROR_FORMAT, "field 2|type F with 3 bytes"},
        {"two x", HEAD("x y z", "4 4 4", "F F F", "2 1 1") "DATA ascii\n", DENT_ERROR_FORMAT, "field 0|2 numbers"},
        {"unknown type", HEAD("x y z", "4 4 4", "F G F", "1 1 1") "DATA ascii\n", DENT_ERROR_FORMAT, "TYPE of field 1"},
        {"too many sizes", HEAD("x y z", "4 4 4 4", "F F F", "1 1 1") "DATA ascii\n", DENT_ERROR_FORMAT, "more entries than the 3 fields"},
        {"fields twice", "FIELDS x y z\nFIELDS x y z\n", DENT_ERROR_FORMAT, "'FIELDS' stands twice"},
        {"unknown data", HEAD("x y z", "4 4 4", "F F F", "1 1 1") "DATA octal\n", DENT_ERROR_FORMAT, "'octal' is not a kind"},
        {"2^32 points", HEAD("x y z", "4 4 4", "F F F", "1 1 1") "POINTS 4294967296\nDATA ascii\n1 2 3\n", DENT_ERROR_FORMAT, "claims 4294967296 points"},
        {"2^62 points by width", HEAD("x y z", "4 4 4", "F F F", "1 1 1") "WIDTH 4611686018427387904\nHEIGHT 4\nDATA binary\n1", DENT_ERROR_FORMAT, "claims 18446744073709551615 points"},
        {"2^32 packed", HEAD("x y z", "4 4 4", "F F F", "1 1 1") "POINTS 4294967296\nDATA binary_compressed\n\1\1\1\1\1\1\1\1", DENT_ERROR_FORMAT, "cut off"},
        {"a word", HEAD("x y z", "4 4 4", "F F F", "1 1 1") "POINTS 1\nDATA ascii\n1 two 3\n", DENT_ERROR_FORMAT, "a.pcd:7|'two'"},
        {"too few", HEAD("x y z", "4 4 4", "F F F", "1 1 1") "POINTS 2\nDATA ascii\n1 2 3\n4 5\n", DENT_ERROR_FORMAT, "a.pcd"},
        {"too many", HEAD("x y z", "4 4 4", "F F F", "1 1 1") "POINTS 1\nDATA ascii\n1 2 3\n4 5 6\n", DENT_ERROR_FORMAT, "more data"},
        {"none", HEAD("x y z", "4 4 4", "F F F", "1 1 1") "POINTS 0\nDATA ascii\n", DENT_ERROR_BAD_MESH, "0 vertices"},
    };
    assert_all_refused("a.pcd", files, sizeof files / sizeof files[0]);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static void texts_are_points_whatever_separates_the_columns(void **state)
{
    struct reading reading;
    (void)state;
    reading_open(&reading);
    static const char *const plain[] = {
        "0.5 -1 2\n1 0 0.25\n-3 4 5",
        "# a scan\n\n0.5,-1,2\n1, 0 ,0.25\r\n-3 ;4; 5\n",
        "//X,Y,Z\n0.5\t-1\t2\t77\n1 0 0.25 77\n-3 4 5 77\n",             /* intensity */
        "3\n0.5 -1 2 10 1 2 3\n1 0 0.25 10 1 2 3\n-3 4 5 10 1 2 3\n",    /* PTS */
        "0.5 -1 2 200 100 5\n1 0 0.25 0 1 0\n-3 4 5 1 1 1\n",           /* colours */
        "0.5 -1 2 0 0 1\n1 0 0.25 1 0 0\n-3 4 5 9 9 9\n",               /* the third is no direction */
        "r,X,y,Z\n7,0.5,-1,2\n7,1,0,0.25\n7,-3,4,5\n",
        "x y z nx ny\n0.5 -1 2 0 0\n1 0 0.25 0 0\n-3 4 5 0 0\n",
    };
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
        read_text(&reading, i % 3 == 0 ? "a.xyz" : i % 3 == 1 ? "a.csv" : "a.pts", plain[i]);
        assert_points(&reading, false);
    }
    static const char *const directed[] = {
        "0.5 -1 2 0 0 1\n1 0 0.25 1 0 0\n-3 4 5 0 -1 0\n",
        "0.5 -1 2 9 9 9 0 0 1\n1 0 0.25 9 9 9 1 0 0\n-3 4 5 9 9 9 0 -1 0\n",
        "nx,ny,nz,\"x\",y,z\n0,0,1,0.5,-1,2\n1,0,0,1,0,0.25\n0,-1,0,-3,4,5\n",
        "x y z a normal_x normal_y normal_z\n0.5 -1 2 a 0 0 1\n1 0 0.25 b 1 0 0\n-3 4 5 c 0 -1 0\n",
    };
    for (size_t i = 0; i < sizeof directed / sizeof directed[0]; i++) {
        read_text(&reading, "a.csv", directed[i]);
        assert_points(&reading, true);
    }
    reading_close(&reading);
}

static void broken_texts_say_what_is_wrong(void **state)
{
    (void)state;
    static const struct broken_file files[] = {
        {"two columns", "1 2\n", DENT_ERROR_FORMAT, "a.xyz:1|fewer than 3 columns"},
        {"names without z", "x,y,w\n1,2,3\n", DENT_ERROR_FORMAT, "a.xyz:1|columns named x, y and z"},
        {"x twice", "x,y,z,X\n1,2,3,4\n", DENT_ERROR_FORMAT, "names two columns"},
        {"a word", "1 2 3\n4 five 6\n", DENT_ERROR_FORMAT, "a.xyz:2|'five' is not a number"},
        {"fewer columns", "1 2 3\n4 5\n", DENT_ERROR_FORMAT, "a.xyz:2|2 columns, but the first line has 3"},
        {"an empty column", "x,y,z\n1,,3\n", DENT_ERROR_FORMAT, "a.xyz:2|'' is not a number"},
        {"NaN", "1 2 3\n1 nan 3\n", DENT_ERROR_BAD_NUMBER, "a.xyz:2|vertex 1: y is not a number"},
        {"infinite", "1 2 1e999\n", DENT_ERROR_BAD_NUMBER, "z is infinite"},
        {"more claimed", "3\n1 2 3   \n4 5 6   \n", DENT_ERROR_FORMAT, "claims 3 points, but has 2"},
        {"2^32 claimed", "4294967296\n1 2 3\n", DENT_ERROR_FORMAT, "claims 4294967296 points"},
        {"a count alone", "0\n", DENT_ERROR_BAD_MESH, "0 vertices"},
        {"comments alone", "# nothing\n", DENT_ERROR_BAD_MESH, "0 vertices"},
        {"normal of NaN", "x y z nx ny nz\n1 2 3 0 nan 1\n", DENT_ERROR_BAD_NUMBER, "a.xyz:2|normal of vertex 0: y is not a number"},
    };
    assert_all_refused("a.xyz", files, sizeof files / sizeof files[0]);
}

/* ---- all ------------------------------------------------------------------------------------------------------- */

static void points_go_into_a_world(void **state)
{
    struct reading reading;
    dent_body_id id;
    dent_body_topology topology;
    (void)state;
    reading_open(&reading);
    assert_non_null(read_text(&reading, "a.xyz", XYZ));
    dent_world *world = dent_world_create(reading.context);
    assert_int_equal(dent_mesh_add_to_world(reading.mesh, world, &id), DENT_OK);
    assert_int_equal(dent_body_get_topology(world, id, &topology), DENT_OK);
    assert_int_equal(topology.kind, DENT_BODY_POINTS);
    assert_int_equal(topology.vertex_count, 3);
    dent_world_destroy(world);
    reading_close(&reading);
}

static void what_is_written_is_read_back(void **state)
{
    struct reading reading;
    (void)state;
    folder_open("clouds");
    reading_open(&reading);
    static const double odd[3][3] = {{0x1p-1074, -1e300, 0.1}, {1.0 / 3, -0.0, 1e-7}, {5, 6, 7}};
    dent_mesh_view view = {.kind = DENT_BODY_POINTS, .vertex_count = 3, .positions = odd[0]};
    in_folder("a.xyz");
    assert_int_equal(dent_mesh_write(reading.context, path, &view), DENT_OK);
    read_path(&reading, path);
    assert_read(&reading);
    assert_memory_equal(reading.mesh->bodies[0].positions, odd, sizeof odd);
    view.kind = DENT_BODY_SURFACE;
    assert_int_equal(dent_mesh_write(reading.context, path, &view), DENT_ERROR_UNSUPPORTED);
    view.kind = DENT_BODY_POINTS;
    in_folder("a.obj");
    assert_int_equal(dent_mesh_write(reading.context, path, &view), DENT_ERROR_UNSUPPORTED);
    static const uint32_t corners[3] = {0, 1, 2};
    view.element_count = 3;
    view.element_corners = corners;
    in_folder("a.vtp");
    assert_int_equal(dent_mesh_write(reading.context, path, &view), DENT_OK);
    dent_point_set *points = NULL;
    assert_int_equal(dent_points_read(reading.context, path, &points), DENT_OK);
    assert_int_equal(points->point_count, 3);
    assert_memory_equal(points->positions, odd, sizeof odd);
    dent_points_destroy(reading.context, points);
    reading_close(&reading);
    unlink(in_folder("a.xyz"));
    unlink(in_folder("a.vtp"));
    assert_int_equal(folder_close(), 0);
}

static void every_failing_allocation_is_survived(void **state)
{
    uint8_t packed[1200];
    uint32_t size;
    (void)state;
    size_t packed_size = packed_pcd(packed, PCD("binary_compressed", "3"), &size);
    static const char *const texts[2] = {"x y z nx ny nz\n1 2 3 0 0 1\n4 5 6 0 0 1\n", PLY("ascii", "3") "end_header\n" XYZ};
    for (int file = 0; file < 3; file++) {
        dent_status status = DENT_ERROR_OUT_OF_MEMORY;
        for (uint64_t n = 1; status != DENT_OK; n++) {
            struct failing_allocator memory = failing_allocator_make();
            dent_context_def def = dent_context_def_default();
            def.thread_count = 1;
            def.allocator = failing_allocator_hook(&memory);
            dent_context *context = dent_context_create(&def, NULL);
            dent_mesh *mesh = NULL;
            memory.requests = 0;
            memory.fail_at = n;
            status = file < 2 ? dent_mesh_read_memory(context, file ? "a.ply" : "a.csv", texts[file], strlen(texts[file]), NULL, &mesh)
                              : dent_mesh_read_memory(context, "a.pcd", packed, packed_size, NULL, &mesh);
            assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
            memory.fail_at = 0;
            dent_mesh_destroy(context, mesh);
            dent_context_destroy(context);
            assert_true(failing_allocator_clean(&memory));
        }
    }
}

static void the_lidar_scan_of_the_kit_is_read(void **state)
{
    const char *kit = getenv("DENT_DATA");
    struct reading reading;
    char scan[600];
    (void)state;
    if (!kit) {
        skip();
    }
    reading_open(&reading);
    snprintf(scan, sizeof scan, "%s/meshes/points-lidar/car_cloud400.csv.xz", kit);
    read_path(&reading, scan);
    assert_read(&reading);
    const dent_mesh_body *body = &reading.mesh->bodies[0];
    assert_int_equal(body->vertex_count, 24989);
    assert_non_null(body->normals);
    assert_true(body->positions[0] == -3.5376 && body->normals[5] == 0.985101);
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        const double *n = body->normals + 3 * (size_t)i;
        assert_true(fabs(sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) - 1) < 1e-4);
    }
    reading_close(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ply_files_without_faces_are_points),
        cmocka_unit_test(pcd_files_of_all_kinds_have_the_same_points),
        cmocka_unit_test(rays_without_a_return_are_left_out),
        cmocka_unit_test(broken_pcd_files_say_what_is_wrong),
        cmocka_unit_test(texts_are_points_whatever_separates_the_columns),
        cmocka_unit_test(broken_texts_say_what_is_wrong),
        cmocka_unit_test(points_go_into_a_world),
        cmocka_unit_test(what_is_written_is_read_back),
        cmocka_unit_test(every_failing_allocation_is_survived),
        cmocka_unit_test(the_lidar_scan_of_the_kit_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
