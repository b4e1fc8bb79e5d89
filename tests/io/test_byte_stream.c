/* Archives read through a packed stream: what unpacks to far more than meshes do is stopped while it is skipped. */
#include "reading.h"
#include "tar_writing.h"

#include <dent/frames.h>

static struct tar_text tar;
static uint8_t packed[TAR_TEST_LIMIT];

/* A member that says it is large, and `count` times a megabyte of zeros in 1051 bytes of gzip. */
static size_t make_bomb(size_t count, uint8_t *out)
{
    enum { MEMBER = 1051 };
    static const uint8_t head[] = {0x1f, 0x8b, 8,    0,    0,    0,    0,    0,    0,    3,    0xed, 0xc1, 0x31,
                                   0x01, 0x00, 0x00, 0x00, 0xc2, 0xa0, 0xf5, 0x4f, 0x6d, 0x08, 0x5f, 0xa0};
    static const uint8_t tail[] = {0x3e, 0x03, 0x1c, 0xea, 0x38, 0xa7, 0x00, 0x00, 0x10, 0x00};
    tar_start(&tar);
    tar_file(&tar, "f_1.obj", "v 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\n");
    tar_header(&tar, "f_2.obj", '0', (uint64_t)(count - 1) << 20);
    size_t size = gzip_stored(tar.bytes, tar.size, out);
    for (size_t i = 0; i < count; i++, size += MEMBER) {
        memset(out + size, 0, MEMBER);
        memcpy(out + size, head, sizeof head);
        memcpy(out + size + MEMBER - sizeof tail, tail, sizeof tail);
    }
    return size;
}

static void open_tar(struct reading *reading, const char *name, const void *bytes, size_t size, dent_frames **frames)
{
    reading->status = dent_frames_open_memory(reading->context, name, bytes, size, frames);
    dent_context_message(reading->context, reading->message, sizeof reading->message);
}

static void an_archive_that_unpacks_to_far_more_than_meshes_do_is_stopped(void **state)
{
    (void)state;
    struct reading reading;
    dent_frames *frames;
    reading_open(&reading);
    open_tar(&reading, "small.tar.gz", packed, make_bomb(8, packed), &frames);
    if (reading.status == DENT_ERROR_UNSUPPORTED) {
        print_message("SKIPPED gzip: %s\n", reading.message);
    } else {
        assert_int_equal(reading.status, DENT_OK); /* in a size that is no danger it is just an archive */
        assert_int_equal(dent_frames_count(frames), 2);
        dent_frames_close(frames);
        open_tar(&reading, "bomb.tar.gz", packed, make_bomb(320, packed), &frames);
        assert_refused(&reading, "bomb", DENT_ERROR_TOO_LARGE, "bomb.tar.gz");
    }
    reading_close(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_archive_that_unpacks_to_far_more_than_meshes_do_is_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
