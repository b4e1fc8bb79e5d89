/* Opening and unpacking: what comes out, and what is said when nothing does. Packed bytes are made here by zlib and
 * liblzma where the build has them. */
#include "reading.h"

#include "io/bytes/file_bytes.h"
#include "io/bytes/read_scope.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* "printf 'hello mesh\n' | gzip -n" and the same for xz: the smallest inputs that need no library to make. */
static const uint8_t hello_gzip[] = {
    0x1f, 0x8b, 0x08, 0x00, 0x00, 0x00, 0x00, 0x00, 0x02, 0xff, 0xcb, 0x48, 0xcd, 0xc9, 0xc9, 0x57,
    0xc8, 0x4d, 0x2d, 0xce, 0xe0, 0x02, 0x00, 0xae, 0x9d, 0x03, 0x87, 0x0b, 0x00, 0x00, 0x00,
};
static const uint8_t hello_xz[] = {
    0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00, 0x00, 0x04, 0xe6, 0xd6, 0xb4, 0x46, 0x02, 0x00, 0x21, 0x01, 0x16,
    0x00, 0x00, 0x00, 0x74, 0x2f, 0xe5, 0xa3, 0x01, 0x00, 0x0a, 0x68, 0x65, 0x6c, 0x6c, 0x6f, 0x20, 0x6d,
    0x65, 0x73, 0x68, 0x0a, 0x00, 0x00, 0xf8, 0x82, 0x91, 0xc0, 0x8f, 0xbb, 0xf4, 0xdc, 0x00, 0x01, 0x23,
    0x0b, 0xc2, 0x1b, 0xfd, 0x09, 0x1f, 0xb6, 0xf3, 0x7d, 0x01, 0x00, 0x00, 0x00, 0x00, 0x04, 0x59, 0x5a,
};

static char folder[] = "/tmp/dent_file_bytes_XXXXXX";

static const char *path_of(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(path_of(name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void load(struct reading *reading, const char *path, struct file_bytes *bytes)
{
    *bytes = (struct file_bytes){0};
    reading->status = file_bytes_load(reading->context, path, FILES_AND_PIPES, bytes);
    reading_finish(reading);
}

static void a_file_comes_back_as_it_is_packed_or_not(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    put_file("a.txt", "hello mesh\n", 11);
    put_file("a.txt.gz", hello_gzip, sizeof hello_gzip);
    put_file("a.txt.XZ", hello_xz, sizeof hello_xz);
    static const char *const names[] = {"a.txt", "a.txt.gz", "a.txt.XZ"};
    for (int i = 0; i < 3; i++) {
        struct file_bytes bytes;
        load(&reading, path_of(names[i]), &bytes);
        if (reading.status == DENT_ERROR_UNSUPPORTED) {
            print_message("SKIPPED %s: %s\n", names[i], reading.message);
            continue;
        }
        assert_int_equal(reading.status, DENT_OK);
        assert_int_equal(bytes.size, 11);
        assert_memory_equal(bytes.data, "hello mesh\n", 11);
        file_bytes_release(reading.context, &bytes);
    }
    reading_close(&reading);
}

static void gzip_files_joined_by_cat_are_one_file(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    uint8_t both[2 * sizeof hello_gzip];
    memcpy(both, hello_gzip, sizeof hello_gzip);
    memcpy(both + sizeof hello_gzip, hello_gzip, sizeof hello_gzip);
    struct file_bytes bytes;
    reading.status = file_bytes_from_memory(reading.context, "b.gz", both, sizeof both, &bytes);
    reading_finish(&reading);
    if (reading.status != DENT_ERROR_UNSUPPORTED) {
        assert_int_equal(reading.status, DENT_OK);
        assert_int_equal(bytes.size, 22);
        file_bytes_release(reading.context, &bytes);
    }
    reading_close(&reading);
}

static void what_cannot_be_read_is_named_with_the_reason(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    struct file_bytes bytes;
    load(&reading, path_of("none.msh"), &bytes);
    assert_refused(&reading, "missing", DENT_ERROR_FILE, "none.msh|no such file");
    load(&reading, folder, &bytes);
    assert_refused(&reading, "directory", DENT_ERROR_FILE, "is a directory");
    put_file("empty.msh", "", 0);
    load(&reading, path_of("empty.msh"), &bytes);
    assert_refused(&reading, "empty", DENT_ERROR_FILE, "empty.msh|is empty");
    load(&reading, path_of("empty.msh/x"), &bytes);
    assert_refused(&reading, "through a file", DENT_ERROR_FILE, "not a directory");
    load(&reading, "/dev/zero", &bytes);
    assert_refused(&reading, "device", DENT_ERROR_FILE, "/dev/zero|is a device");
    put_file("locked.msh", "x", 1);
    assert_int_equal(chmod(path_of("locked.msh"), 0), 0);
    if (geteuid() != 0) {
        load(&reading, path_of("locked.msh"), &bytes);
        assert_refused(&reading, "unreadable", DENT_ERROR_FILE, "locked.msh|permission denied");
    }
    reading_close(&reading);
}

static void damaged_or_cut_packed_data_is_refused(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    struct file_bytes bytes;
    const struct {
        const char *name;
        const uint8_t *data;
        size_t size;
    } packed[] = {{"c.gz", hello_gzip, sizeof hello_gzip}, {"c.xz", hello_xz, sizeof hello_xz}};
    for (int i = 0; i < 2; i++) {
        for (size_t size = 1; size < packed[i].size; size++) {
            reading.status = file_bytes_from_memory(reading.context, packed[i].name, packed[i].data, size, &bytes);
            reading_finish(&reading);
            if (reading.status != DENT_ERROR_UNSUPPORTED) {
                assert_refused(&reading, "cut", DENT_ERROR_FORMAT, packed[i].name);
            }
        }
        uint8_t copy[128];
        for (size_t k = 0; k < packed[i].size; k++) {
            memcpy(copy, packed[i].data, packed[i].size);
            copy[k] ^= 0x55;
            reading.status = file_bytes_from_memory(reading.context, packed[i].name, copy, packed[i].size, &bytes);
            reading_finish(&reading);
            /* A few header bytes of gzip (time, system) mean nothing. */
            if (reading.status == DENT_OK) {
                assert_true(i == 0 && k < 10);
                file_bytes_release(reading.context, &bytes);
            }
        }
    }
    reading.status = file_bytes_from_memory(reading.context, "d.xz", "this is not xz", 14, &bytes);
    reading_finish(&reading);
    if (reading.status != DENT_ERROR_UNSUPPORTED) {
        assert_refused(&reading, "text", DENT_ERROR_FORMAT, "d.xz|is not xz data");
    }
    reading_close(&reading);
}

/* A megabyte of zeros in 1051 bytes of gzip, as often as it takes. */
static void a_decompression_bomb_is_stopped(void **state)
{
    (void)state;
    enum { MEMBER = 1051, COUNT = 100 };
    static const uint8_t head[] = {0x1f, 0x8b, 8,    0,    0,    0,    0,    0,    0,    3,    0xed, 0xc1, 0x31,
                                   0x01, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 0x08, 0x5f, 0xa0};
    static const uint8_t tail[] = {0x3e, 0x03, 0x1c, 0xea, 0x38, 0xa7, 0x00, 0x00, 0x10, 0x00};
    uint8_t *bomb = calloc(COUNT, MEMBER);
    assert_non_null(bomb);
    for (size_t i = 0; i < COUNT; i++) {
        memcpy(bomb + i * MEMBER, head, sizeof head);
        memcpy(bomb + (i + 1) * MEMBER - sizeof tail, tail, sizeof tail);
    }
    struct reading reading;
    reading_open(&reading);
    struct file_bytes bytes;
    struct read_scope scope;
    assert_int_equal(read_scope_open(&scope, reading.context, "bomb.gz", (uint64_t)64 << 20), DENT_OK);
    reading.status =
        read_scope_end(&scope, file_bytes_from_memory(scope.context, "bomb.gz", bomb, (size_t)COUNT * MEMBER, &bytes));
    reading_finish(&reading);
    if (reading.status != DENT_ERROR_UNSUPPORTED) {
        assert_refused(&reading, "bomb", DENT_ERROR_TOO_LARGE, "bomb.gz|the limit of 64 MiB");
        /* The same in a size that is no danger is just a file. */
        reading.status = file_bytes_from_memory(reading.context, "zeros.gz", bomb, (size_t)10 * MEMBER, &bytes);
        assert_int_equal(reading.status, DENT_OK);
        assert_int_equal(bytes.size, 10 << 20);
        file_bytes_release(reading.context, &bytes);
    }
    reading_close(&reading);
    free(bomb);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a.txt", "a.txt.gz", "a.txt.XZ", "empty.msh", "locked.msh"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        unlink(path_of(names[i]));
    }
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_comes_back_as_it_is_packed_or_not),
        cmocka_unit_test(gzip_files_joined_by_cat_are_one_file),
        cmocka_unit_test(what_cannot_be_read_is_named_with_the_reason),
        cmocka_unit_test(damaged_or_cut_packed_data_is_refused),
        cmocka_unit_test(a_decompression_bomb_is_stopped),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
