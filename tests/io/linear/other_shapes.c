/* Files that are no single meshes: pairs, collections, robots, queries, archives, scene files. */
#include "shapes.h"

#include <stdio.h>
#include <string.h>

/* The two files of a TetGen pair stand one behind the other, parted by a zero byte. */
static void tetgen_regions(struct long_text *text, uint32_t n)
{
    put(text, "%u 3 2 1\n", n + 3);
    for (uint32_t i = 0; i < n + 3; i++) {
        put(text, "%u %u %u %u 7 8 1 # node\n", i, i, i % 2, i % 3);
    }
    put_bytes(text, "", 1);
    put(text, "# cells\n%u 4 3\n", n);
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%u %u %u %u %u %u 1 2\n", i, i, i + 1, i + 2, i + 3, i);
    }
}

static void tetgen_columns(struct long_text *text, uint32_t n)
{
    put(text, "4 3 %u 0\n", n);
    for (uint32_t i = 0; i < 4; i++) {
        put(text, "%u %u %u %u", i, i == 1, i == 2, i == 3);
        for (uint32_t k = 0; k < n; k++) {
            put(text, " 5");
        }
        put(text, "\n");
    }
    put_bytes(text, "", 1);
    put(text, "1 4 0\n0 0 1 2 3\n");
}

static void pvd_frames(struct long_text *text, uint32_t n)
{
    put(text, "<VTKFile type=\"Collection\"><Collection>\n");
    for (uint32_t i = 0; i < n; i++) {
        put(text, "<DataSet timestep=\"%u\" part=\"%u\" file=\"a&amp;b&lt;%u.vtu\"/>\n", i, i % 3, i);
    }
    put(text, "</Collection></VTKFile>\n");
}

static void pvd_attributes(struct long_text *text, uint32_t n)
{
    put(text, "<VTKFile type=\"Collection\"><Collection>\n<DataSet");
    for (uint32_t i = 0; i < n; i++) {
        put(text, " a%u='b'", i);
    }
    put(text, " file=\"a.vtu\"/></Collection></VTKFile>\n");
}

static void urdf_links(struct long_text *text, uint32_t n)
{
    put(text, "<robot name=\"r\">\n");
    for (uint32_t i = 0; i < n; i++) {
        put(text,
            "<material name=\"m%u\"/><link name=\"l%u\"><collision><geometry><box size=\"1 1 1\"/></geometry>"
            "</collision></link>\n",
            i, i);
    }
    for (uint32_t i = 1; i < n; i++) {
        put(text,
            "<joint name=\"j%u\" type=\"revolute\"><parent link=\"l%u\"/><child link=\"l%u\"/>"
            "<limit lower=\"-1\" upper=\"1\"/></joint>\n",
            i, i - 1, i);
    }
    put(text, "</robot>\n");
}

static void urdf_star(struct long_text *text, uint32_t n)
{
    put(text, "<robot name=\"r\">\n<link name=\"l0\"/>\n");
    for (uint32_t i = 1; i < n; i++) {
        put(text,
            "<!-- c --><joint name=\"j%u\" type=\"continuous\"><parent link=\"l0\"/><child link=\"l%u\"/>%s</joint>"
            "<link name=\"l%u\"/>\n",
            i, i, i > 1 ? "<mimic joint=\"j1\"/>" : "", i);
    }
    put(text, "</robot>\n");
}

static void urdf_shapes(struct long_text *text, uint32_t n)
{
    put(text, "<robot name=\"r\"><link name=\"l\">\n");
    for (uint32_t i = 0; i < n / 8 + 1; i++) {
        put(text, "<collision><geometry><sphere radius=\"%u\"/></geometry></collision>\n", i + 1);
    }
    put(text, "</link></robot>\n");
}

static void urdf_attributes(struct long_text *text, uint32_t n)
{
    put(text, "<robot name=\"r\"><link name=\"l\"");
    for (uint32_t i = 0; i < n; i++) {
        put(text, " a%u='b'", i);
    }
    put(text, "/></robot>\n");
}

/* Names that one place of a table of FNV-1a hashes would get; found by trying. */
static void urdf_colliding_names(struct long_text *text, uint32_t n)
{
    put(text, "<robot name=\"r\"><link name=\"root\"/>\n");
    uint64_t number = 0;
    for (uint32_t i = 0; i < n / 16; i++) {
        char name[32];
        uint64_t hash;
        do {
            snprintf(name, sizeof name, "n%llu", (unsigned long long)number++);
            hash = UINT64_C(0xCBF29CE484222325);
            for (const char *c = name; *c; c++) {
                hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001B3);
            }
        } while (((hash ^ (hash >> 32)) & 8191) != 0);
        put(text,
            "<link name=\"%s\"/><joint name=\"j%u\" type=\"fixed\"><parent link=\"root\"/><child "
            "link=\"%s\"/></joint>\n",
            name, i, name);
    }
    put(text, "</robot>\n");
}

static void csv_queries(struct long_text *text, uint32_t n)
{
    for (uint32_t i = 0; i < 8 * n; i++) {
        put(text, "%u,1,1,2,3,4,0\n", i % 1000);
    }
}

static void csv_long_numbers(struct long_text *text, uint32_t n)
{
    for (int row = 0; row < 8; row++) {
        for (uint32_t i = 0; i < n; i++) {
            put(text, "000");
        }
        put(text, "1,1,1,2,3,4,0\n");
    }
}

static void put_octal(char *field, int digits, unsigned value)
{
    for (int i = digits; i-- > 0; value /= 8) {
        field[i] = (char)('0' + value % 8);
    }
}

static void put_member(struct long_text *text, const char *name, char type, const char *content)
{
    char header[512] = {0};
    size_t size = strlen(content);
    snprintf(header, 100, "%s", name);
    memcpy(header + 100,
           "0000644\0"
           "0000000\0"
           "0000000\0",
           24);
    put_octal(header + 124, 11, (unsigned)size);
    memcpy(header + 136, "00000000000", 12);
    header[156] = type;
    memcpy(header + 257,
           "ustar\0"
           "00",
           8);
    memset(header + 148, ' ', 8);
    unsigned sum = 0;
    for (int i = 0; i < 512; i++) {
        sum += (unsigned char)header[i];
    }
    put_octal(header + 148, 6, sum);
    put_bytes(text, header, 512);
    char block[512] = {0};
    memcpy(block, content, size);
    put_bytes(text, block, size > 0 ? 512 : 0);
}

static void end_archive(struct long_text *text)
{
    char zeros[1024] = {0};
    put_bytes(text, zeros, sizeof zeros);
}

#define TRIANGLE "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"

static void tar_members(struct long_text *text, uint32_t n)
{
    for (uint32_t i = n / 8; i-- > 0;) {
        char name[64];
        snprintf(name, sizeof name, "a/f%u.obj", i);
        put_member(text, name, '0', TRIANGLE);
    }
    end_archive(text);
}

static void tar_long_names(struct long_text *text, uint32_t n)
{
    for (uint32_t i = 0; i < n / 8; i++) {
        char line[128], content[160];
        int length = snprintf(line, sizeof line, " path=long/f%u.obj\n", i);
        snprintf(content, sizeof content, "%d%s", length + 2, line);
        put_member(text, "x", 'x', content);
        put_member(text, "short.obj", '0', TRIANGLE);
    }
    end_archive(text);
}

static void tar_extensions(struct long_text *text, uint32_t n)
{
    for (uint32_t i = 0; i < n / 8; i++) {
        put_member(text, "g", 'g', "12 comment=\n");
    }
    put_member(text, "f1.obj", '0', TRIANGLE);
    end_archive(text);
}

/* The members from the last to the first in gzip blocks that store: every step back would start the archive again. */
static void tar_packed_backwards(struct long_text *text, uint32_t n)
{
    static const uint8_t head[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3};
    struct long_text plain = {0};
    tar_members(&plain, n);
    put_bytes(text, head, sizeof head);
    uint32_t crc = 0xFFFFFFFFu;
    for (size_t i = 0; i < plain.size; i++) {
        crc ^= (uint8_t)plain.data[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc & 1 ? crc >> 1 ^ 0xEDB88320u : crc >> 1;
        }
    }
    for (size_t at = 0; at < plain.size; at += 32768) {
        size_t size = plain.size - at < 32768 ? plain.size - at : 32768;
        uint8_t block[5] = {at + size == plain.size, (uint8_t)size, (uint8_t)(size >> 8), (uint8_t)~size,
                            (uint8_t)(~size >> 8)};
        put_bytes(text, block, 5);
        put_bytes(text, plain.data + at, size);
    }
    crc = ~crc;
    uint8_t tail[8];
    for (int i = 0; i < 4; i++) {
        tail[i] = (uint8_t)(crc >> 8 * i);
        tail[4 + i] = (uint8_t)(plain.size >> 8 * i);
    }
    put_bytes(text, tail, sizeof tail);
    put_bytes(&plain, NULL, 0);
}

#define JSON_BODY "\"kind\": \"solid\", \"generate\": {\"shape\": \"box\", \"size\": [1, 1, 1], \"cells\": [1, 1, 1]}"

static void json_bodies(struct long_text *text, uint32_t n)
{
    put(text, "{\"dent_scene\": 1, \"materials\": {");
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%s\"m%u\": {\"density\": 1000}", i > 0 ? ",\n" : "", i);
    }
    put(text, "}, \"bodies\": [");
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%s{\"name\": \"b%u\", \"material\": \"m%u\", " JSON_BODY "}", i > 0 ? ",\n" : "", i, i);
    }
    put(text, "], \"attachments\": [");
    for (uint32_t i = 1; i < n; i++) {
        put(text, "%s{\"body\": \"b%u\", \"vertices\": [0, 1], \"to\": \"b%u\"}", i > 1 ? ",\n" : "", i, i - 1);
    }
    put(text, "]}\n");
}

static void json_listed_vertices(struct long_text *text, uint32_t n)
{
    put(text,
        "{\"dent_scene\": 1, \"bodies\": [{\"name\": \"a\", \"kind\": \"solid\", \"generate\": {\"shape\": "
        "\"box\", \"size\": [1, 1, 1], \"cells\": [%u, 1, 1]}}, {\"name\": \"b\", " JSON_BODY "}],\n"
        "\"attachments\": [{\"body\": \"a\", \"to\": \"b\", \"vertices\": [0",
        n);
    for (uint32_t i = 1; i < n; i++) {
        put(text, ", %u", i);
    }
    put(text, "]}]}\n");
}

static void json_values(struct long_text *text, uint32_t n)
{
    put(text, "{\"dent_scene\": 1, \"about\": [");
    for (uint32_t i = 0; i < n; i++) {
        put(text, "%s{\"k%u\": [1, 2, {}]}", i > 0 ? ", " : "", i);
    }
    put(text, "]}\n");
}

static void json_keys(struct long_text *text, uint32_t n)
{
    put(text, "{\"dent_scene\": 1");
    for (uint32_t i = 0; i < n; i++) {
        put(text, ", \"name\": 1");
    }
    put(text, "}\n");
}

const struct shape other_shapes[] = {
    {"TetGen: many regions", "a.node", tetgen_regions, NULL},
    {"TetGen: many columns", "a.node", tetgen_columns, NULL},
    {"PVD: many frames", "a.pvd", pvd_frames, NULL},
    {"PVD: many attributes", "a.pvd", pvd_attributes, NULL},
    {"URDF: many links, joints and materials", "a.urdf", urdf_links, NULL},
    {"URDF: many joints at one link", "a.urdf", urdf_star, NULL},
    {"URDF: many shapes of a link", "a.urdf", urdf_shapes, NULL},
    {"URDF: many attributes", "a.urdf", urdf_attributes, NULL},
    {"URDF: names of one hash", "a.urdf", urdf_colliding_names, NULL},
    {"queries: many", "vf.csv", csv_queries, NULL},
    {"queries: long numbers", "vf.csv", csv_long_numbers, NULL},
    {"tar: many members", "a.tar", tar_members, NULL},
    {"tar: many long names", "a.tar", tar_long_names, NULL},
    {"tar: many extended headers", "a.tar", tar_extensions, NULL},
    {"tar: packed, from the last frame to the first", "a.tar.gz", tar_packed_backwards, NULL},
    {"scene: many bodies, materials and attachments", "a.json", json_bodies, NULL},
    {"scene: many vertices in a list", "a.json", json_listed_vertices, NULL},
    {"scene: many values", "a.json", json_values, "\"about"},
    {"scene: a key many times", "a.json", json_keys, "each key may stand once"},
};
const uint32_t other_shape_count = sizeof other_shapes / sizeof other_shapes[0];
