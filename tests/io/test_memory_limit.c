/* Reading never takes more memory than its limit, whatever a file unpacks or grows to; what does is one line that names
 * the file, the limit and how to raise it. Every byte is counted by an allocator below the readers. */
#include "reading.h"
#include "tar_writing.h"

#include <dent/frames.h>
#include <dent/impact_io.h>
#include <dent/urdf.h>

#include <stdlib.h>
#include <unistd.h>

#define MIB ((uint64_t)1 << 20)

/* ---- an allocator that knows its peak ---------------------------------------------------------------------------- */

struct peak_allocator {
    uint64_t live, peak;
};

static void *peak_allocate(void *user, size_t size, size_t alignment)
{
    struct peak_allocator *memory = user;
    void *block = aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    memory->live += block ? size : 0;
    memory->peak = memory->live > memory->peak ? memory->live : memory->peak;
    return block;
}

static void peak_release(void *user, void *block, size_t size)
{
    struct peak_allocator *memory = user;
    memory->live -= size;
    free(block);
}

static struct peak_allocator memory;
static dent_context *context;
static char message[1100];

static int open_context(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    memory = (struct peak_allocator){0};
    def.allocator = (dent_allocator){peak_allocate, peak_release, &memory};
    def.thread_count = 1;
    context = dent_context_create(&def, NULL);
    return context == NULL;
}

static int close_context(void **state)
{
    (void)state;
    dent_context_destroy(context);
    assert_int_equal(memory.live, 0);
    return 0;
}

/* TOO_LARGE, in one line with all of these words, and nothing is left. */
static void assert_limited(dent_status status, const char *file, const char *limit)
{
    dent_context_message(context, message, sizeof message);
    print_message("           %s\n", message);
    assert_int_equal(status, DENT_ERROR_TOO_LARGE);
    assert_non_null(strstr(message, file));
    assert_non_null(strstr(message, limit));
    assert_non_null(strstr(message, "--memory-limit"));
    assert_null(strchr(message, '\n'));
}

/* ---- files ------------------------------------------------------------------------------------------------------- */

/* n triangles. */
static char *long_obj(uint32_t n, size_t *size)
{
    char *text = malloc((size_t)n * 64);
    assert_non_null(text);
    *size = 0;
    for (uint32_t i = 0; i < n; i++) {
        *size += (size_t)sprintf(text + *size, "v %u 0 0\nv 0 %u 0\nv 0 0 1\nf -1 -2 -3\n", i, i);
    }
    return text;
}

/* 2^20 zero bytes in 1051 bytes of gzip, `count` times. */
static uint8_t *gzip_zeros(uint32_t count, size_t *size)
{
    enum { MEMBER = 1051 };
    static const uint8_t head[] = {0x1f, 0x8b, 8,    0,    0,    0,    0,    0,    0,    3,    0xed, 0xc1, 0x31,
                                   0x01, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 0x08, 0x5f, 0xa0};
    static const uint8_t tail[] = {0x3e, 0x03, 0x1c, 0xea, 0x38, 0xa7, 0x00, 0x00, 0x10, 0x00};
    uint8_t *bytes = calloc(count, MEMBER);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++) {
        memcpy(bytes + i * MEMBER, head, sizeof head);
        memcpy(bytes + (i + 1) * MEMBER - sizeof tail, tail, sizeof tail);
    }
    *size = (size_t)count * MEMBER;
    return bytes;
}

static dent_status read_limited(const char *name, const void *bytes, size_t size, uint64_t limit)
{
    dent_mesh_read_def def = dent_mesh_read_def_default();
    dent_mesh *mesh = NULL;
    def.memory_limit = limit;
    memory.peak = memory.live;
    dent_status status = dent_mesh_read_memory(context, name, bytes, size, &def, &mesh);
    dent_mesh_destroy(context, mesh);
    return status;
}

/* ---- claims ------------------------------------------------------------------------------------------------------ */

static void a_read_stays_below_any_limit_or_says_so(void **state)
{
    (void)state;
    size_t size;
    char *text = long_obj(20000, &size);
    bool read = false, refused = false;
    for (uint64_t limit = 4096; limit < 64 * MIB; limit *= 2) {
        uint64_t before = memory.live;
        dent_status status = read_limited("part.obj", text, size, limit);
        assert_true(memory.peak - before <= limit);
        assert_int_equal(memory.live, before);
        if (status == DENT_OK) {
            read = true;
        } else {
            assert_limited(status, "part.obj", "the limit of");
            refused = true;
            assert_false(read); /* a larger limit never reads less */
        }
    }
    assert_true(read && refused);
    free(text);
}

static void the_default_is_256_mib_and_100_times_the_bytes(void **state)
{
    (void)state;
    size_t size;
    uint8_t *bomb = gzip_zeros(1100, &size); /* 1.1 GiB from 1.1 MiB: more than 256 + 110 MiB */
    uint64_t before = memory.live;
    dent_status status = read_limited("bomb.obj.gz", bomb, size, 0);
    if (status != DENT_ERROR_UNSUPPORTED) {
        assert_limited(status, "bomb.obj.gz", "366 MiB");
        assert_true(memory.peak - before <= 256 * MIB + 100 * size);
        assert_true(memory.peak - before > 128 * MIB);
    }
    free(bomb);
}

static void the_limit_of_the_context_holds_where_no_def_is_given(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.reading_limit = 100000;
    dent_context *limited = dent_context_create(&def, NULL);
    assert_non_null(limited);
    assert_int_equal(dent_context_reading_limit(limited), 100000);
    size_t size;
    char *text = long_obj(20000, &size);
    dent_mesh *mesh = NULL;
    assert_int_equal(dent_mesh_read_memory(limited, "a.obj", text, size, NULL, &mesh), DENT_ERROR_TOO_LARGE);
    dent_mesh_read_def read = dent_mesh_read_def_default();
    read.memory_limit = 64 * MIB; /* that of the call goes before */
    assert_int_equal(dent_mesh_read_memory(limited, "a.obj", text, size, &read, &mesh), DENT_OK);
    dent_mesh_destroy(limited, mesh);
    dent_context_destroy(limited);
    free(text);
}

/* The dictionary that an xz header asks for is taken before a byte comes out. */
static void a_large_xz_dictionary_counts(void **state)
{
    (void)state;
    /* "hello mesh" packed with a dictionary of 8 MiB */
    static const uint8_t hello_xz[] = {
        0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x16,
        0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x0a, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x6d,
        0x65, 0x73, 0x68, 0x0a, 0x00, 0x00, 0xf8, 0x82, 0x91, 0xc0, 0x8f, 0xbb, 0xf4, 0xdc, 0x00, 0x01, 0x23,
        0x0b, 0xc2, 0x1b, 0xfd, 0x09, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
    };
    uint64_t before = memory.live;
    dent_status status = read_limited("a.obj.xz", hello_xz, sizeof hello_xz, 4 * MIB);
    if (status != DENT_ERROR_UNSUPPORTED) {
        assert_limited(status, "a.obj.xz", "4 MiB");
        assert_true(memory.peak - before <= 4 * MIB);
        assert_int_equal(read_limited("a.obj.xz", hello_xz, sizeof hello_xz, 16 * MIB), DENT_ERROR_FORMAT);
    }
}

static void generated_shapes_of_a_robot_count(void **state)
{
    (void)state;
    enum { SPHERES = 2000 };
    char *text = malloc((size_t)SPHERES * 128);
    assert_non_null(text);
    size_t size = (size_t)sprintf(text, "<robot name=\"r\"><link name=\"l\">");
    for (int i = 0; i < SPHERES; i++) {
        size += (size_t)sprintf(text + size, "<collision><geometry><sphere radius=\"1\"/></geometry></collision>\n");
    }
    size += (size_t)sprintf(text + size, "</link></robot>");
    dent_robot_read_def def = dent_robot_read_def_default();
    dent_robot *robot = NULL;
    def.memory_limit = 8 * MIB;
    uint64_t before = memory.live;
    memory.peak = before;
    dent_status status = dent_robot_read_memory(context, "balls.urdf", text, size, &def, &robot);
    if (status != DENT_ERROR_UNSUPPORTED) { /* a build without expat */
        assert_limited(status, "balls.urdf", "8 MiB");
        assert_true(memory.peak - before <= 8 * MIB);
        def.memory_limit = 0;
        assert_int_equal(dent_robot_read_memory(context, "balls.urdf", text, size, &def, &robot), DENT_OK);
        dent_robot_destroy(context, robot);
    }
    free(text);
}

/* A mesh that a robot names many times counts once on disk and every time in memory. */
static void a_mesh_named_again_does_not_raise_the_limit(void **state)
{
    (void)state;
    char path[] = "/tmp/dent-limit-XXXXXX.obj", urdf[8192];
    enum { NAMED = 40 };
    char plain[] = "/tmp/dent-limit-XXXXXX";
    int file = mkstemp(plain);
    assert_true(file >= 0);
    snprintf(path, sizeof path, "%s.obj", plain);
    assert_int_equal(rename(plain, path), 0);
    size_t size;
    char *text = long_obj(20000, &size);
    assert_int_equal(write(file, text, size), size);
    close(file);
    int length = snprintf(urdf, sizeof urdf, "<robot name=\"r\"><link name=\"l\">");
    for (int i = 0; i < NAMED; i++) {
        length += snprintf(urdf + length, sizeof urdf - (size_t)length,
                           "<collision><geometry><mesh filename=\"%s\"/></geometry></collision>", path);
    }
    length += snprintf(urdf + length, sizeof urdf - (size_t)length, "</link></robot>");
    dent_robot_read_def def = dent_robot_read_def_default();
    dent_robot *robot = NULL;
    def.memory_limit = 24 * MIB; /* one of them takes 5 MiB, all of them 60 */
    memory.peak = memory.live;
    uint64_t before = memory.live;
    dent_status status = dent_robot_read_memory(context, "r.urdf", urdf, (size_t)length, &def, &robot);
    if (status != DENT_ERROR_UNSUPPORTED) {
        assert_limited(status, "r.urdf", "24 MiB");
        assert_true(memory.peak - before <= 24 * MIB);
    }
    unlink(path);
    free(text);
}

static struct tar_text tar;

static void members_of_an_archive_count_one_at_a_time(void **state)
{
    (void)state;
    size_t size;
    char *text = long_obj(2000, &size);
    text[size] = 0;
    tar_start(&tar);
    for (int i = 0; i < 5; i++) {
        char name[32];
        snprintf(name, sizeof name, "f%d.obj", i);
        tar_file(&tar, name, text);
    }
    tar_end(&tar);
    dent_frames *frames = NULL;
    assert_int_equal(dent_frames_open_memory(context, "a.tar", tar.bytes, tar.size, &frames), DENT_OK);
    dent_mesh_read_def def = dent_mesh_read_def_default();
    dent_mesh *meshes[5] = {0};
    def.memory_limit = 3 * MIB / 2; /* one frame at a time fits; the meshes that are kept are the caller's */
    for (uint32_t i = 0; i < 5; i++) {
        assert_int_equal(dent_frame_read(frames, i, &def, &meshes[i]), DENT_OK);
    }
    dent_mesh *none = NULL;
    def.memory_limit = 100000;
    assert_limited(dent_frame_read(frames, 2, &def, &none), "a.tar/f2.obj", "97.7 KiB");
    assert_null(none);
    def.memory_limit = 3 * MIB / 2;
    assert_int_equal(dent_frame_read(frames, 2, &def, &none), DENT_OK); /* the series goes on */
    dent_mesh_destroy(context, none);
    for (uint32_t i = 0; i < 5; i++) {
        dent_mesh_destroy(context, meshes[i]);
    }
    dent_frames_close(frames);
    free(text);
}

static void queries_count(void **state)
{
    (void)state;
    enum { ROWS = 80000 };
    char *rows = malloc((size_t)ROWS * 16);
    assert_non_null(rows);
    size_t size = 0;
    for (int i = 0; i < ROWS; i++) {
        size += (size_t)sprintf(rows + size, "1,1,1,2,3,4,0\n");
    }
    dent_impact_queries_def def = dent_impact_queries_def_default();
    dent_impact_queries *queries = NULL;
    def.memory_limit = 2 * MIB;
    assert_limited(dent_impact_queries_read_memory(context, "vf.csv", rows, size, &def, &queries), "vf.csv", "2 MiB");
    def.memory_limit = 0;
    assert_int_equal(dent_impact_queries_read_memory(context, "vf.csv", rows, size, &def, &queries), DENT_OK);
    dent_impact_queries_destroy(context, queries);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_read_stays_below_any_limit_or_says_so, open_context, close_context),
        cmocka_unit_test_setup_teardown(the_default_is_256_mib_and_100_times_the_bytes, open_context, close_context),
        cmocka_unit_test_setup_teardown(the_limit_of_the_context_holds_where_no_def_is_given, open_context,
                                        close_context),
        cmocka_unit_test_setup_teardown(a_large_xz_dictionary_counts, open_context, close_context),
        cmocka_unit_test_setup_teardown(generated_shapes_of_a_robot_count, open_context, close_context),
        cmocka_unit_test_setup_teardown(a_mesh_named_again_does_not_raise_the_limit, open_context, close_context),
        cmocka_unit_test_setup_teardown(members_of_an_archive_count_one_at_a_time, open_context, close_context),
        cmocka_unit_test_setup_teardown(queries_count, open_context, close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
