/* Files from pages: only where one is expected, whatever the pieces, and never more than one. */
#include "support/cmocka_includes.h"

#include "../apps/viewer/server/view_upload.h"

#include <string.h>

static void release(view_upload *upload)
{
    view_message_drop(upload->file);
}

static void a_file_that_nobody_expects_is_refused(void **state)
{
    (void)state;
    view_upload upload = {0};
    assert_false(view_upload_take(&upload, "\1abc", 4, true));
    assert_null(upload.file);
}

static void parts_in_pieces_of_any_size_make_the_file(void **state)
{
    (void)state;
    static const char first[] = "\0the first part ", last[] = "\1and the last";
    for (size_t piece = 1; piece < 20; piece++) {
        view_upload upload = {.state = VIEW_UPLOAD_OPEN};
        for (int part = 0; part < 2; part++) {
            const char *bytes = part == 0 ? first : last;
            size_t size = part == 0 ? sizeof first - 1 : sizeof last - 1;
            for (size_t at = 0; at < size; at += piece) {
                size_t left = size - at < piece ? size - at : piece;
                assert_int_equal(upload.state, VIEW_UPLOAD_OPEN);
                assert_true(view_upload_take(&upload, bytes + at, left, at + left == size));
            }
        }
        assert_int_equal(upload.state, VIEW_UPLOAD_DONE);
        assert_int_equal(upload.file->size, strlen("the first part and the last"));
        assert_memory_equal(upload.file->bytes, "the first part and the last", upload.file->size);
        assert_false(view_upload_take(&upload, "\1more", 5, true)); /* one file */
        release(&upload);
    }
}

static void a_failure_has_its_words_and_nothing_of_the_file(void **state)
{
    (void)state;
    view_upload upload = {.state = VIEW_UPLOAD_OPEN};
    assert_true(view_upload_take(&upload, "\0abc", 4, true));
    assert_true(view_upload_take(&upload, "\2no encoder", 11, true));
    assert_int_equal(upload.state, VIEW_UPLOAD_FAILED);
    assert_int_equal(upload.file->size, 10);
    assert_memory_equal(upload.file->bytes, "no encoder", 10);
    release(&upload);
}

static void empty_and_unknown_messages_are_survived(void **state)
{
    (void)state;
    view_upload upload = {.state = VIEW_UPLOAD_OPEN};
    assert_false(view_upload_take(&upload, "", 0, true)); /* it does not even say what it is */
    assert_false(view_upload_take(&upload, "\3abc", 4, true));
    assert_int_equal(upload.state, VIEW_UPLOAD_OPEN);
    release(&upload);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_that_nobody_expects_is_refused),
        cmocka_unit_test(parts_in_pieces_of_any_size_make_the_file),
        cmocka_unit_test(a_failure_has_its_words_and_nothing_of_the_file),
        cmocka_unit_test(empty_and_unknown_messages_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
