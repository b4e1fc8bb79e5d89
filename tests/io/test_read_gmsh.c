/* Gmsh 1, 2.2 and 4.1, text and binary in both byte orders: what they mean, and everything that can be wrong with them.
 */
#include "reading.h"

/* Two tetrahedra in two groups that share a triangle, with a boundary triangle, a line and a point. */
static const char text_22[] =
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n3\n2 9 \"outer wall\"\n3 1 \"left part\"\n3 2 \"right\"\n$EndPhysicalNames\n"
    "$Nodes\n5\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n5 1 1 1\n$EndNodes\n"
    "$Elements\n5\n1 15 2 0 1 1\n2 1 2 0 1 1 2\n3 2 2 9 1 1 2 3\n"
    "4 4 2 1 1 1 2 3 4\n5 4 2 2 2 2 3 4 5\n$EndElements\n"
    "$NodeData\n1\n\"t\"\n0\n0\n$EndNodeData\n";

/* The same in version 4.1, its node numbers sparse and out of order. */
static const char text_41[] =
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
    "$PhysicalNames\n3\n2 9 \"outer wall\"\n3 1 \"left part\"\n3 2 \"right\"\n$EndPhysicalNames\n"
    "$Entities\n1 1 1 2\n1 0 0 0 0\n1 0 0 0 1 0 0 0 2 1 -1\n1 0 0 0 1 1 0 1 9 1 1\n"
    "1 0 0 0 1 1 1 2 1 5 1 1\n2 0 0 0 1 1 1 1 2 0\n$EndEntities\n"
    "$Nodes\n2 5 7 9000000000\n2 1 1 3\n30\n20\n10\n0 0 0 0.5 0.5\n1 0 0 0.5 0.5\n0 1 0 0.5 0.5\n"
    "3 1 0 2\n9000000000\n7\n0 0 1\n1 1 1\n$EndNodes\n"
    "$Periodic\n1\n2 1 1\nAffine 0\n0\n$EndPeriodic\n"
    "$Elements\n5 5 1 5\n0 1 15 1\n1 30\n1 1 1 1\n2 30 20\n2 1 2 1\n3 30 20 10\n"
    "3 1 4 1\n4 30 20 10 9000000000\n3 2 4 1\n5 20 10 9000000000 7\n$EndElements\n";

static void assert_two_tets(const struct reading *reading, const char *format)
{
    assert_read(reading);
    const dent_mesh *mesh = reading->mesh;
    assert_string_equal(mesh->format, format);
    assert_int_equal(mesh->file_vertex_count, 5);
    assert_int_equal(mesh->body_count, 2);
    const dent_mesh_body *left = &mesh->bodies[0];
    const dent_mesh_body *right = &mesh->bodies[1];
    assert_string_equal(left->name, "left part");
    assert_string_equal(right->name, "right");
    assert_int_equal(left->kind, DENT_BODY_SOLID);
    assert_int_equal(left->vertex_count, 4);
    assert_int_equal(left->element_count, 1);
    assert_corners(left->vertex_numbers, 0, 1, 2, 3);
    assert_corners(right->vertex_numbers, 1, 2, 3, 4);
    assert_corners(right->element_corners, 0, 1, 2, 3);
    assert_corners(right->element_numbers, 1);
    const double positions[] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    assert_memory_equal(right->positions, positions, sizeof positions);
    assert_int_equal(mesh->group_count, 3);
    assert_string_equal(mesh->groups[0].name, "outer wall");
    assert_int_equal(mesh->groups[0].tag, 9);
    assert_int_equal(mesh->groups[0].dimension, 2);
    assert_int_equal(mesh->groups[0].corners_per_element, 3);
    assert_corners(mesh->groups[0].corners, 0, 1, 2);
    assert_int_equal(mesh->groups[1].dimension, 1);
    assert_corners(mesh->groups[1].corners, 0, 1);
    assert_int_equal(mesh->groups[2].dimension, 0);
    assert_non_null(strstr(reading->notices, "3 elements of lower dimension"));
}

static void text_of_version_2_gives_bodies_and_groups(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    read_text(&reading, "folder/two.msh", text_22);
    assert_two_tets(&reading, "gmsh 2.2 ascii");
    read_merged(&reading, "folder/two.msh", text_22);
    assert_read(&reading);
    assert_int_equal(reading.mesh->body_count, 1);
    assert_string_equal(reading.mesh->bodies[0].name, "two");
    assert_null(reading.mesh->bodies[0].vertex_numbers);
    assert_null(reading.mesh->bodies[0].element_numbers);
    assert_corners(reading.mesh->bodies[0].element_corners, 0, 1, 2, 3, 1, 2, 3, 4);
    reading_close(&reading);
}

static void text_of_version_4_gives_the_same(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    read_text(&reading, "two.msh", text_41);
    assert_two_tets(&reading, "gmsh 4.1 ascii");
    assert_non_null(strstr(reading.notices, "1 entities belong to several physical groups"));
    reading_close(&reading);
}

static void line_ends_of_other_systems_make_no_difference(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static char copy[2 * sizeof text_41];
    size_t used = 0;
    for (const char *p = text_41; *p; p++) {
        if (*p == '\n') {
            copy[used++] = '\r';
        }
        copy[used++] = *p;
    }
    read_bytes(&reading, "two.msh", copy, used);
    assert_two_tets(&reading, "gmsh 4.1 ascii");
    used = 0;
    for (const char *p = text_41; *p; p++) {
        copy[used++] = *p == '\n' ? '\r' : *p;
    }
    read_bytes(&reading, "two.msh", copy, used);
    assert_two_tets(&reading, "gmsh 4.1 ascii");
    reading_close(&reading);
}

static void version_1_is_read(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    read_text(&reading, "old.msh",
              "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n8 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 7 1 4 1 2 3 8\n$ENDELM\n");
    assert_read(&reading);
    assert_string_equal(reading.mesh->format, "gmsh 1 ascii");
    assert_string_equal(reading.mesh->bodies[0].name, "old");
    assert_corners(reading.mesh->bodies[0].element_corners, 0, 1, 2, 3);
    reading_close(&reading);
}

/* ---- binary ---------------------------------------------------------------------------------------------------- */

struct bytes {
    uint8_t data[4096];
    size_t size;
    bool big;
    size_t size_bytes;
};

static void put_text(struct bytes *bytes, const char *text)
{
    memcpy(bytes->data + bytes->size, text, strlen(text));
    bytes->size += strlen(text);
}

static void put(struct bytes *bytes, uint64_t value, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        bytes->data[bytes->size++] = (uint8_t)(value >> 8 * (bytes->big ? size - 1 - i : i));
    }
}

static void put_integers(struct bytes *bytes, int count, const int32_t *values)
{
    for (int i = 0; i < count; i++) {
        put(bytes, (uint32_t)values[i], 4);
    }
}
#define PUT_INTEGERS(bytes, ...)                                                                                       \
    put_integers(bytes, (int)(sizeof((int32_t[]){__VA_ARGS__}) / 4), (const int32_t[]){__VA_ARGS__})

static void put_sizes(struct bytes *bytes, int count, const uint64_t *values)
{
    for (int i = 0; i < count; i++) {
        put(bytes, values[i], bytes->size_bytes);
    }
}
#define PUT_SIZES(bytes, ...)                                                                                          \
    put_sizes(bytes, (int)(sizeof((uint64_t[]){__VA_ARGS__}) / 8), (const uint64_t[]){__VA_ARGS__})

static void put_doubles(struct bytes *bytes, int count, const double *values)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &values[i], sizeof bits);
        put(bytes, bits, 8);
    }
}
#define PUT_DOUBLES(bytes, ...)                                                                                        \
    put_doubles(bytes, (int)(sizeof((double[]){__VA_ARGS__}) / 8), (const double[]){__VA_ARGS__})

static const char names_text[] =
    "$PhysicalNames\n3\n2 9 \"outer wall\"\n3 1 \"left part\"\n3 2 \"right\"\n$EndPhysicalNames\n";

static void make_binary_22(struct bytes *bytes, bool big)
{
    *bytes = (struct bytes){.big = big};
    put_text(bytes, "$MeshFormat\n2.2 1 8\n");
    PUT_INTEGERS(bytes, 1);
    put_text(bytes, "\n$EndMeshFormat\n");
    put_text(bytes, names_text);
    put_text(bytes, "$Nodes\n5\n");
    static const double positions[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    for (int i = 0; i < 5; i++) {
        PUT_INTEGERS(bytes, i + 1);
        put_doubles(bytes, 3, positions + 3 * i);
    }
    put_text(bytes, "\n$EndNodes\n$Elements\n5\n");
    PUT_INTEGERS(bytes, 15, 1, 2, 1, 0, 1, 1);                              /* a point */
    PUT_INTEGERS(bytes, 1, 1, 2, 2, 0, 1, 1, 2);                            /* a line */
    PUT_INTEGERS(bytes, 2, 1, 2, 3, 9, 1, 1, 2, 3);                         /* a triangle */
    PUT_INTEGERS(bytes, 4, 2, 2, 4, 1, 1, 1, 2, 3, 4, 5, 2, 2, 2, 3, 4, 5); /* two tetrahedra */
    put_text(bytes, "\n$EndElements\n$NodeData\n");
    put_text(bytes, "$\n$End\x01\x02");
    put_text(bytes, "\n$EndNodeData\n");
}

static void make_binary_41(struct bytes *bytes, bool big, size_t size_bytes)
{
    *bytes = (struct bytes){.big = big, .size_bytes = size_bytes};
    put_text(bytes, size_bytes == 8 ? "$MeshFormat\n4.1 1 8\n" : "$MeshFormat\n4.1 1 4\n");
    PUT_INTEGERS(bytes, 1);
    put_text(bytes, "\n$EndMeshFormat\n");
    put_text(bytes, names_text);
    put_text(bytes, "$Entities\n");
    PUT_SIZES(bytes, 1, 0, 1, 2);
    PUT_INTEGERS(bytes, 1); /* point 1 */
    PUT_DOUBLES(bytes, 0, 0, 0);
    PUT_SIZES(bytes, 0);
    for (int i = 0; i < 3; i++) { /* surface 1 in group 9, volumes 1 and 2 in groups 1 and 2 */
        PUT_INTEGERS(bytes, i == 2 ? 2 : 1);
        PUT_DOUBLES(bytes, 0, 0, 0, 1, 1, 1);
        PUT_SIZES(bytes, 1);
        PUT_INTEGERS(bytes, i == 0 ? 9 : i);
        PUT_SIZES(bytes, 2);
        PUT_INTEGERS(bytes, 1, -1);
    }
    put_text(bytes, "\n$EndEntities\n$Nodes\n");
    PUT_SIZES(bytes, 2, 5, 1, 5);
    PUT_INTEGERS(bytes, 1, 1, 1); /* a curve, with parameter */
    PUT_SIZES(bytes, 2, 1, 2);
    PUT_DOUBLES(bytes, 0, 0, 0, 0.25, 1, 0, 0, 0.75);
    PUT_INTEGERS(bytes, 3, 1, 0);
    PUT_SIZES(bytes, 3, 3, 4, 5);
    PUT_DOUBLES(bytes, 0, 1, 0, 0, 0, 1, 1, 1, 1);
    put_text(bytes, "\n$EndNodes\n$Elements\n");
    PUT_SIZES(bytes, 5, 5, 1, 5);
    PUT_INTEGERS(bytes, 0, 1, 15);
    PUT_SIZES(bytes, 1, 1, 1);
    PUT_INTEGERS(bytes, 1, 1, 1);
    PUT_SIZES(bytes, 1, 2, 1, 2);
    PUT_INTEGERS(bytes, 2, 1, 2);
    PUT_SIZES(bytes, 1, 3, 1, 2, 3);
    PUT_INTEGERS(bytes, 3, 1, 4);
    PUT_SIZES(bytes, 1, 4, 1, 2, 3, 4);
    PUT_INTEGERS(bytes, 3, 2, 4);
    PUT_SIZES(bytes, 1, 5, 2, 3, 4, 5);
    put_text(bytes, "\n$EndElements\n");
}

static void binary_files_of_both_byte_orders_give_the_same(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static struct bytes bytes;
    for (int big = 0; big < 2; big++) {
        make_binary_22(&bytes, big);
        read_bytes(&reading, "two.msh", bytes.data, bytes.size);
        assert_two_tets(&reading, "gmsh 2.2 binary");
        for (size_t size_bytes = 4; size_bytes <= 8; size_bytes += 4) {
            make_binary_41(&bytes, big, size_bytes);
            read_bytes(&reading, "two.msh", bytes.data, bytes.size);
            assert_two_tets(&reading, "gmsh 4.1 binary");
        }
    }
    reading_close(&reading);
}

/* Every shorter piece is an error or, once all elements are there, a mesh; never anything worse. */
static void a_file_cut_anywhere_is_refused(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static struct bytes files[4];
    make_binary_22(&files[0], false);
    make_binary_41(&files[1], true, 8);
    put_text(&files[2], text_22);
    put_text(&files[3], text_41);
    for (int f = 0; f < 4; f++) {
        size_t need = 0; /* up to the end of the elements */
        for (size_t i = 0; i + 12 <= files[f].size; i++) {
            if (memcmp(files[f].data + i, "$EndElements", 12) == 0) {
                need = i + 12;
            }
        }
        for (size_t size = 1; size < files[f].size; size++) {
            read_bytes(&reading, "cut.msh", files[f].data, size);
            if (size < need) {
                /* Cut inside the version number it is another version, between sections a mesh without elements. */
                assert_true(reading.status == DENT_ERROR_FORMAT || reading.status == DENT_ERROR_BAD_MESH ||
                            (reading.status == DENT_ERROR_UNSUPPORTED && size < 16));
                assert_memory_equal(reading.message, "cut.msh:", 8);
            } else {
                assert_true(reading.status == DENT_OK || reading.status == DENT_ERROR_FORMAT);
            }
        }
    }
    reading_close(&reading);
}

static void binary_files_with_wrong_numbers_are_refused(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    static struct bytes good, bad;
    make_binary_22(&good, false);
    /* The byte-order mark. */
    bad = good;
    bad.data[20] = 7;
    read_bytes(&reading, "b.msh", bad.data, bad.size);
    assert_refused(&reading, "mark", DENT_ERROR_FORMAT, "b.msh: byte|byte order is missing");
    /* Big-endian mark on little-endian numbers. */
    bad = good;
    bad.data[20] = 0;
    bad.data[23] = 1;
    read_bytes(&reading, "b.msh", bad.data, bad.size);
    assert_true(reading.status != DENT_OK);
    /* Text where binary was announced. */
    read_text(&reading, "b.msh", "$MeshFormat\n2.2 1 8\n$EndMeshFormat\n$Nodes\n1\n1 0 0 0\n$EndNodes\n");
    assert_refused(&reading, "text", DENT_ERROR_FORMAT, "announced as binary");
    /* Huge counts. */
    bad = (struct bytes){.size_bytes = 8};
    put_text(&bad, "$MeshFormat\n4.1 1 8\n");
    PUT_INTEGERS(&bad, 1);
    put_text(&bad, "\n$EndMeshFormat\n$Nodes\n");
    PUT_SIZES(&bad, 1, (uint64_t)1 << 32, 1, 5);
    PUT_INTEGERS(&bad, 3, 1, 0);
    PUT_SIZES(&bad, (uint64_t)1 << 32);
    read_bytes(&reading, "b.msh", bad.data, bad.size);
    assert_refused(&reading, "2^32 nodes", DENT_ERROR_FORMAT, "claims 4294967296 nodes");
    bad.size -= 44 + 8;
    PUT_SIZES(&bad, UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    read_bytes(&reading, "b.msh", bad.data, bad.size);
    assert_refused(&reading, "2^64 - 1", DENT_ERROR_FORMAT, "b.msh: byte|18446744073709551615");
    reading_close(&reading);
}

/* ---- elements -------------------------------------------------------------------------------------------------- */

static void all_cell_kinds_keep_their_corner_order(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    read_text(&reading, "k.msh",
              "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 0 0 0\n2 1 0 0\n3 1 1 0\n4 0 1 0\n5 0 0 1\n6 1 0 1\n"
              "7 1 1 1\n8 0 1 1\n9 .5 .5 2\n10 2 0 0\n$EndNodes\n$Elements\n4\n1 5 0 1 2 3 4 5 6 7 8\n2 7 0 5 6 7 8 9\n"
              "3 6 0 2 10 3 6 9 7\n4 4 0 1 2 3 9\n$EndElements\n");
    assert_read(&reading);
    const dent_mesh_body *body = &reading.mesh->bodies[0];
    assert_int_equal(body->element_count, 4);
    assert_int_equal(body->corner_count, 23);
    const uint8_t kinds[] = {DENT_CELL_HEXAHEDRON, DENT_CELL_PYRAMID, DENT_CELL_WEDGE, DENT_CELL_TETRAHEDRON};
    assert_memory_equal(body->cell_kinds, kinds, 4);
    assert_corners(body->element_corners, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 7, 8, 1, 9, 2, 5, 8, 6, 0, 1, 2, 8);
    reading_close(&reading);
}

static void second_order_cells_are_reduced_and_their_nodes_stay_counted(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    read_text(
        &reading, "q.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n11\n1 .5 0 0\n2 0 0 0\n3 1 0 0\n4 0 1 0\n5 0 0 1\n6 0 0 0\n"
        "7 0 0 0\n8 0 0 0\n9 0 0 0\n10 0 0 0\n11 0 0 9\n$EndNodes\n"
        "$Elements\n1\n1 11 2 0 1 2 3 4 5 1 6 7 8 9 10\n$EndElements\n");
    assert_read(&reading);
    assert_int_equal(reading.mesh->bodies[0].vertex_count, 11);
    assert_corners(reading.mesh->bodies[0].element_corners, 1, 2, 3, 4);
    assert_string_equal(reading.notices, "q.msh: 1 second-order elements were reduced to their corners\n");
    reading_close(&reading);
}

static void partitioned_meshes_find_their_groups(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    read_text(&reading, "p.msh",
              "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
              "$Entities\n0 0 0 1\n1 0 0 0 1 1 1 1 5 0\n$EndEntities\n"
              "$PartitionedEntities\n2\n1\n7 1\n0 0 0 2\n2 3 1 1 1 0 0 0 1 1 1 1 5 0\n3 3 1 2 2 1 0 0 0 1 1 1 1 6 0\n"
              "$EndPartitionedEntities\n"
              "$Nodes\n1 5 1 5\n3 2 0 5\n1\n2\n3\n4\n5\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 1 1\n$EndNodes\n"
              "$Elements\n2 2 1 2\n3 2 4 1\n1 1 2 3 4\n3 3 4 1\n2 2 3 4 5\n$EndElements\n"
              "$GhostElements\n0\n$EndGhostElements\n");
    assert_read(&reading);
    assert_int_equal(reading.mesh->body_count, 2);
    assert_string_equal(reading.mesh->bodies[0].name, "group 5");
    assert_string_equal(reading.mesh->bodies[1].name, "group 6");
    reading_close(&reading);
}

#define HEAD_22 "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n"
#define HEAD_41 "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n"
#define NODES_22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n"
#define NODES_41 "$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n"

static void broken_text_is_refused_with_line_and_culprit(void **state)
{
    (void)state;
    static const struct broken_file files[] = {
        {"another format", "solid cube\n", DENT_ERROR_FORMAT, "b.msh:1|'solid'|not a Gmsh file"},
        {"Fluent", "(0 \"grid\")\n", DENT_ERROR_FORMAT, "not a Gmsh file"},
        {"control characters", "\x01\x01\x01\x01", DENT_ERROR_FORMAT, "where a section title|not a Gmsh"},
        {"version 3", "$MeshFormat\n3 0 8\n$EndMeshFormat\n", DENT_ERROR_UNSUPPORTED, "b.msh:2|version '3'"},
        {"version 4.0", "$MeshFormat\n4 0 8\n$EndMeshFormat\n", DENT_ERROR_UNSUPPORTED, "version '4'"},
        {"file type", "$MeshFormat\n2.2 5 8\n$EndMeshFormat\n", DENT_ERROR_FORMAT, "file type: 5"},
        {"nothing more", HEAD_22, DENT_ERROR_FORMAT, "without any nodes"},
        {"no format", "$Nodes\n0\n$EndNodes\n", DENT_ERROR_FORMAT, "$Nodes without $MeshFormat"},
        {"two formats", HEAD_22 HEAD_22, DENT_ERROR_FORMAT, "second $MeshFormat"},
        {"2^32 nodes", HEAD_22 "$Nodes\n4294967296\n1 0 0 0\n", DENT_ERROR_FORMAT, "b.msh:5|claims 4294967296 nodes"},
        {"2^64 nodes", HEAD_22 "$Nodes\n18446744073709551616\n", DENT_ERROR_FORMAT, "18446744073709551616"},
        {"negative count", HEAD_22 "$Nodes\n-1\n", DENT_ERROR_FORMAT, "-1 is not in the range"},
        {"fewer nodes than claimed", HEAD_22 "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n$Elements\n",
         DENT_ERROR_FORMAT, "b.msh:9|node number: '$EndNodes'"},
        {"more nodes than claimed", HEAD_22 "$Nodes\n1\n1 0 0 0\n2 1 0 0\n$EndNodes\n", DENT_ERROR_FORMAT,
         "b.msh:7|'2' where $EndNodes"},
        {"duplicate node", HEAD_22 "$Nodes\n3\n1 0 0 0\n2 1 0 0\n1 0 1 0\n$EndNodes\n", DENT_ERROR_BAD_MESH,
         "node number 1 appears twice"},
        {"duplicate sparse node", HEAD_22 "$Nodes\n3\n1 0 0 0\n2000000000 1 0 0\n2000000000 0 1 0\n$EndNodes\n",
         DENT_ERROR_BAD_MESH, "node number 2000000000 appears twice"},
        {"negative node", HEAD_22 "$Nodes\n1\n-5 0 0 0\n$EndNodes\n", DENT_ERROR_FORMAT, "b.msh:6|-5 is negative"},
        {"not a number", HEAD_22 "$Nodes\n2\n1 0 0 0\n2 0 0 NaN\n$EndNodes\n", DENT_ERROR_BAD_NUMBER,
         "b.msh:7|vertex 1: z is not a number"},
        {"infinity", HEAD_22 "$Nodes\n2\n1 0 0 0\n2 1e400 0 0\n$EndNodes\n", DENT_ERROR_BAD_NUMBER,
         "b.msh:7|vertex 1: x is infinite"},
        {"two lists", HEAD_22 NODES_22 NODES_22, DENT_ERROR_FORMAT, "second list of nodes"},
        {"elements first", HEAD_22 "$Elements\n0\n$EndElements\n" NODES_22, DENT_ERROR_FORMAT, "before the nodes"},
        {"no elements", HEAD_22 NODES_22, DENT_ERROR_BAD_MESH, "4 vertices|nothing that makes a body"},
        {"only a point", HEAD_22 NODES_22 "$Elements\n1\n1 15 0 1\n$EndElements\n", DENT_ERROR_BAD_MESH,
         "nothing that makes a body"},
        {"2^32 elements", HEAD_22 NODES_22 "$Elements\n4294967296\n1 4 0 1 2 3 4\n", DENT_ERROR_FORMAT,
         "claims 4294967296 elements"},
        {"unknown type", HEAD_22 NODES_22 "$Elements\n1\n1 99 0 1 2 3 4\n", DENT_ERROR_UNSUPPORTED, "type 99"},
        {"negative type", HEAD_22 NODES_22 "$Elements\n1\n1 -4 0 1 2 3 4\n", DENT_ERROR_UNSUPPORTED, "type -4"},
        {"missing node", HEAD_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3 5\n$EndElements\n", DENT_ERROR_BAD_MESH,
         "b.msh:13|tetrahedron names node 5|4 nodes"},
        {"negative index", HEAD_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3 -1\n$EndElements\n", DENT_ERROR_BAD_MESH,
         "node -1"},
        {"tags without end", HEAD_22 NODES_22 "$Elements\n1\n1 4 2000000000 1 2 3 4\n$EndElements\n", DENT_ERROR_FORMAT,
         "2000000000 tags"},
        {"negative tags", HEAD_22 NODES_22 "$Elements\n1\n1 4 -2 1 2 3 4\n$EndElements\n", DENT_ERROR_FORMAT,
         "-2 tags"},
        {"huge group", HEAD_22 NODES_22 "$Elements\n1\n1 4 1 3000000000 1 2 3 4\n$EndElements\n", DENT_ERROR_FORMAT,
         "physical group 3000000000"},
        {"word", HEAD_22 NODES_22 "$Elements\n1\n1 4 0 1 2 3 four\n$EndElements\n", DENT_ERROR_FORMAT,
         "'four' is not an integer"},
        {"section without end", HEAD_22 NODES_22 "$Other\n1 2 3\n", DENT_ERROR_FORMAT, "$Other of line 11 has no end"},
        {"names without quotes", HEAD_22 "$PhysicalNames\n1\n3 1 skin\n$EndPhysicalNames\n", DENT_ERROR_FORMAT,
         "b.msh:6|'skin'|in quotes"},
        {"many names", HEAD_22 "$PhysicalNames\n1000000\n3 1 \"skin\"\n", DENT_ERROR_FORMAT,
         "claims 1000000 physical names"},
        {"4.1: too many blocks", HEAD_41 "$Nodes\n4294967296 0 1 1\n", DENT_ERROR_FORMAT, "claims 4294967296 blocks"},
        {"4.1: 2^32 nodes", HEAD_41 "$Nodes\n1 4294967296 1 1\n0 0 0 4294967296\n", DENT_ERROR_FORMAT,
         "claims 4294967296 nodes"},
        {"4.1: block larger than list", HEAD_41 "$Nodes\n1 1 1 1\n0 0 0 2\n1\n2\n0 0 0\n0 0 0\n$EndNodes\n",
         DENT_ERROR_FORMAT, "a block has 2 nodes where at most 1"},
        {"4.1: fewer nodes", HEAD_41 "$Nodes\n1 2 1 1\n0 0 0 1\n1\n0.0000000 0 0\n$EndNodes\n", DENT_ERROR_FORMAT,
         "1 nodes in all, but 2 were announced"},
        {"4.1: parametric", HEAD_41 "$Nodes\n1 1 1 1\n0 0 2 1\n1\n0 0 0\n$EndNodes\n", DENT_ERROR_FORMAT,
         "parametric flag 2"},
        {"4.1: dimension", HEAD_41 "$Nodes\n1 1 1 1\n9 0 0 1\n1\n0 0 0\n$EndNodes\n", DENT_ERROR_FORMAT, "dimension 9"},
        {"4.1: 2^32 elements", HEAD_41 NODES_41 "$Elements\n1 4294967296 1 1\n3 1 4 4294967296\n1 1 2 3 4\n",
         DENT_ERROR_FORMAT, "claims 4294967296 elements"},
        {"4.1: missing node", HEAD_41 NODES_41 "$Elements\n1 1 1 1\n3 1 4 1\n1 1 2 3 44\n$EndElements\n",
         DENT_ERROR_BAD_MESH, "names node 44"},
        {"4.1: entities", HEAD_41 "$Entities\n0 0 0 4294967296\n", DENT_ERROR_FORMAT, "claims 4294967296 entities"},
        {"4.1: many physical tags", HEAD_41 "$Entities\n1 0 0 0\n1 0 0 0 1000000 5\n$EndEntities\n", DENT_ERROR_FORMAT,
         "claims 1000000 physical tags"},
        {"1: wrong node count",
         "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n8 0 0 1\n$ENDNOD\n$ELM\n1\n1 4 7 1 3 1 2 3 8\n$ENDELM\n",
         DENT_ERROR_FORMAT, "type 4 has 3 nodes instead of 4"},
    };
    assert_all_refused("b.msh", files, sizeof files / sizeof files[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_of_version_2_gives_bodies_and_groups),
        cmocka_unit_test(text_of_version_4_gives_the_same),
        cmocka_unit_test(line_ends_of_other_systems_make_no_difference),
        cmocka_unit_test(version_1_is_read),
        cmocka_unit_test(binary_files_of_both_byte_orders_give_the_same),
        cmocka_unit_test(a_file_cut_anywhere_is_refused),
        cmocka_unit_test(binary_files_with_wrong_numbers_are_refused),
        cmocka_unit_test(all_cell_kinds_keep_their_corner_order),
        cmocka_unit_test(second_order_cells_are_reduced_and_their_nodes_stay_counted),
        cmocka_unit_test(partitioned_meshes_find_their_groups),
        cmocka_unit_test(broken_text_is_refused_with_line_and_culprit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
