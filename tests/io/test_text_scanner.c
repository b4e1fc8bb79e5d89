/* Words, lines, comments and line numbers of a text. */
#include "reading.h"

#include "io/bytes/text_scanner.h"

#include <stdlib.h>

static void assert_word(struct text_scanner *scanner, const char *expected, uint64_t line)
{
    struct text_span word;
    assert_true(scanner_word(scanner, &word));
    assert_true(span_equal(word, expected));
    assert_int_equal(scanner->line, line);
}

static void words_are_found_across_all_kinds_of_line_ends(void **state)
{
    (void)state;
    const char *text = "one two\nthree\r\nfour\rfive\n\n \t six";
    struct text_scanner scanner;
    scanner_init(&scanner, NULL, "t", text, strlen(text), -1);
    assert_word(&scanner, "one", 1);
    assert_word(&scanner, "two", 1);
    assert_word(&scanner, "three", 2);
    assert_word(&scanner, "four", 3);
    assert_word(&scanner, "five", 4);
    assert_word(&scanner, "six", 6);
    struct text_span word;
    assert_false(scanner_word(&scanner, &word));
    assert_true(scanner_at_end(&scanner));
}

static void comments_reach_to_the_end_of_the_line(void **state)
{
    (void)state;
    const char *text = "# first\n1#two\n  # three\n4";
    struct text_scanner scanner;
    scanner_init(&scanner, NULL, "t", text, strlen(text), '#');
    assert_word(&scanner, "1", 2);
    assert_word(&scanner, "4", 4);
    assert_true(scanner_at_end(&scanner));
}

static void a_word_of_this_line_is_not_taken_from_the_next(void **state)
{
    (void)state;
    const char *text = "a  \nb";
    struct text_scanner scanner;
    struct text_span word;
    scanner_init(&scanner, NULL, "t", text, strlen(text), -1);
    assert_true(scanner_word_in_line(&scanner, &word));
    assert_false(scanner_word_in_line(&scanner, &word));
    scanner_skip_line(&scanner);
    assert_true(scanner_word_in_line(&scanner, &word));
    assert_true(span_equal(word, "b"));
}

static void lines_come_without_blanks_comments_and_line_ends(void **state)
{
    (void)state;
    const char *text = "  a b \t\r\n\r\n c # d\nlast";
    static const char *const expected[] = {"a b", "", "c", "last"};
    struct text_scanner scanner;
    struct text_span line;
    scanner_init(&scanner, NULL, "t", text, strlen(text), '#');
    for (int i = 0; i < 4; i++) {
        assert_true(scanner_line(&scanner, &line));
        assert_true(span_equal(line, expected[i]));
    }
    assert_false(scanner_line(&scanner, &line));
}

static void nothing_is_read_behind_the_end(void **state)
{
    (void)state;
    char *text = malloc(3); /* address sanitizer watches its end */
    assert_non_null(text);
    memcpy(text, "a\rb", 3);
    for (size_t size = 0; size <= 3; size++) {
        struct text_scanner scanner;
        struct text_span word;
        scanner_init(&scanner, NULL, "t", text, size, 'b');
        while (scanner_word(&scanner, &word)) {
        }
        scanner_init(&scanner, NULL, "t", text, size, -1);
        while (scanner_line(&scanner, &word)) {
        }
    }
    free(text);
}

static void messages_name_file_line_and_word(void **state)
{
    (void)state;
    struct reading reading;
    reading_open(&reading);
    const char *text = "7\nx\x1b[2J\n300\n99999999999999999999\n1.5\n-1";
    struct text_scanner scanner;
    int64_t value;
    double number;
    scanner_init(&scanner, reading.context, "mesh.txt", text, strlen(text), -1);
    assert_int_equal(scanner_integer(&scanner, "count", 0, 10, &value), DENT_OK);
    assert_int_equal(value, 7);
    reading.status = scanner_integer(&scanner, "count", 0, 10, &value);
    reading_finish(&reading);
    assert_string_equal(reading.message, "mesh.txt:2: count: 'x?[2J' is not an integer");
    reading.status = scanner_integer(&scanner, "count", 0, 10, &value);
    reading_finish(&reading);
    assert_string_equal(reading.message, "mesh.txt:3: count: 300 is not in the range 0 to 10");
    reading.status = scanner_integer(&scanner, "count", 0, 10, &value);
    reading_finish(&reading);
    assert_non_null(strstr(reading.message, "mesh.txt:4: count: 99999999999999999999 is not in the range"));
    assert_int_equal(scanner_double(&scanner, "x", &number), DENT_OK);
    assert_true(number == 1.5);
    reading.status = scanner_integer(&scanner, "count", 0, 10, &value);
    reading_finish(&reading);
    assert_string_equal(reading.message, "mesh.txt:6: count: -1 is not in the range 0 to 10");
    reading.status = scanner_double(&scanner, "y of the node", &number);
    reading_finish(&reading);
    assert_string_equal(reading.message, "mesh.txt:6: the file ends where the y of the node should be");
    reading_close(&reading);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(words_are_found_across_all_kinds_of_line_ends),
        cmocka_unit_test(comments_reach_to_the_end_of_the_line),
        cmocka_unit_test(a_word_of_this_line_is_not_taken_from_the_next),
        cmocka_unit_test(lines_come_without_blanks_comments_and_line_ends),
        cmocka_unit_test(nothing_is_read_behind_the_end),
        cmocka_unit_test(messages_name_file_line_and_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
