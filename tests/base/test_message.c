/* Messages of bounded length, and the names of statuses and outcomes. */
#include "support/cmocka_includes.h"

#include "base/message.h"

#include <string.h>

static void a_message_is_formatted_and_the_status_returned(void **state)
{
    (void)state;
    struct message message = {0};
    message_clear(&message, NULL);
    assert_string_equal(message.text, "");
    assert_int_equal(message_fail(&message, DENT_ERROR_BAD_MESH, "body %u: cell %u", 4u, 17u), DENT_ERROR_BAD_MESH);
    assert_string_equal(message.text, "body 4: cell 17");
    message_clear(&message, NULL);
    assert_string_equal(message.text, "");
}

static void a_message_may_quote_itself(void **state)
{
    (void)state;
    struct message message = {0};
    message_fail(&message, DENT_ERROR_FILE, "no such file");
    message_fail(&message, DENT_ERROR_FILE, "%s: %s", "a.mesh", message.text);
    assert_string_equal(message.text, "a.mesh: no such file");
}

static void a_message_is_one_line_whatever_it_quotes(void **state)
{
    (void)state;
    struct message message = {0};
    message_fail(&message, DENT_ERROR_FILE, "%s: group '%s'", "a\nb.obj", "x\r\ty\033[31m\177");
    assert_string_equal(message.text, "a?b.obj: group 'x??y?[31m?'");
    /* U+009B opens escape sequences too; letters of other scripts stay. */
    message_fail(&message, DENT_ERROR_FILE, "%s",
                 "\xc2\x9b"
                 "1m \xc3\xa9\xc2\xa0\xe2\x80\xa6 \xc2");
    assert_string_equal(message.text, "??1m \xc3\xa9\xc2\xa0\xe2\x80\xa6 \xc2");
    char text[1100];
    memset(text, '\n', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    message_fail(&message, DENT_ERROR_FILE, "%s", text);
    assert_null(strchr(message.text, '\n'));
    assert_int_equal(strlen(message.text), MESSAGE_CAPACITY - 1);
}

static void a_message_too_long_ends_in_dots(void **state)
{
    (void)state;
    char text[1100];
    struct message message = {0};
    for (size_t length = 1020; length < 1030; length++) {
        memset(text, 'y', length);
        text[length] = '\0';
        message_fail(&message, DENT_ERROR_FILE, "%s", text);
        if (length < MESSAGE_CAPACITY) {
            assert_string_equal(message.text, text);
        } else {
            assert_int_equal(strlen(message.text), MESSAGE_CAPACITY - 1);
            assert_string_equal(message.text + MESSAGE_CAPACITY - 5, "y...");
        }
    }
}

static void copying_out_never_writes_past_the_buffer(void **state)
{
    (void)state;
    struct message message = {0};
    message_fail(&message, DENT_ERROR_FILE, "12345");
    char buffer[8];
    for (size_t size = 0; size <= sizeof buffer; size++) {
        memset(buffer, '#', sizeof buffer);
        assert_int_equal(message_copy(&message, buffer, size), 5);
        size_t copied = size == 0 ? 0 : size - 1 < 5 ? size - 1 : 5;
        assert_memory_equal(buffer, "12345", copied);
        if (size > 0) {
            assert_int_equal(buffer[copied], '\0');
        }
        for (size_t i = size == 0 ? 0 : copied + 1; i < sizeof buffer; i++) {
            assert_int_equal(buffer[i], '#');
        }
    }
}

static void every_status_and_outcome_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int i = DENT_OK; i <= DENT_ERROR_FORMAT; i++) {
        assert_string_not_equal(dent_status_name((dent_status)i), "unknown status");
        for (int j = DENT_OK; j < i; j++) {
            assert_string_not_equal(dent_status_name((dent_status)i), dent_status_name((dent_status)j));
        }
    }
    assert_string_equal(dent_status_name(DENT_ERROR_OUT_OF_MEMORY), "out of memory");
    assert_string_equal(dent_status_name((dent_status)1000), "unknown status");
    for (int i = DENT_OUTCOME_COMPLETE; i <= DENT_OUTCOME_BUDGET_SPENT; i++) {
        assert_string_not_equal(dent_outcome_name((dent_outcome)i), "unknown outcome");
        for (int j = DENT_OUTCOME_COMPLETE; j < i; j++) {
            assert_string_not_equal(dent_outcome_name((dent_outcome)i), dent_outcome_name((dent_outcome)j));
        }
    }
    assert_string_equal(dent_outcome_name((dent_outcome)1000), "unknown outcome");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_is_formatted_and_the_status_returned),
        cmocka_unit_test(a_message_may_quote_itself),
        cmocka_unit_test(a_message_is_one_line_whatever_it_quotes),
        cmocka_unit_test(a_message_too_long_ends_in_dots),
        cmocka_unit_test(copying_out_never_writes_past_the_buffer),
        cmocka_unit_test(every_status_and_outcome_has_a_name_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
