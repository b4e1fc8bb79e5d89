/* SRDF files say which pairs of links may touch; broken ones get a line that names the file and leave nothing behind. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include <dent/srdf.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static dent_context *context;
static char path[] = "/tmp/dent-srdf-XXXXXX";

static int open_file(void **state)
{
    (void)state;
    context = dent_context_create(NULL, NULL);
    int file = mkstemp(path);
    return context == NULL || file < 0 || close(file) != 0;
}

static int close_file(void **state)
{
    (void)state;
    dent_context_destroy(context);
    return unlink(path);
}

static dent_status read_text(dent_context *reader, const char *text, dent_srdf **srdf)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, strlen(text), file), strlen(text));
    assert_int_equal(fclose(file), 0);
    *srdf = NULL;
    return dent_srdf_read(reader, path, srdf);
}

static const char arm[] = "\xef\xbb\xbf<?xml version='1.0'?><!-- no pair: <disable_collisions/> -->\n<robot name='arm'>\n"
                          "<group name='g'><disable_collisions link1='x' link2='y'/></group>\n"
                          "<disable_default_collisions link='cover'/>\n"
                          "<disable_collisions link1='base' link2='upper &amp; lower' reason='Adjacent'/>\n"
                          "<disable_collisions link1='upper' link2='hand'></disable_collisions>\n"
                          "<enable_collisions link1='cover' link2='hand'/>\n</robot>\n";

static void rules_are_read_in_order_and_those_of_groups_are_not(void **state)
{
    (void)state;
    dent_srdf *srdf;
    assert_int_equal(read_text(context, arm, &srdf), DENT_OK);
    assert_string_equal(srdf->robot, "arm");
    assert_int_equal(srdf->rule_count, 4);
    assert_string_equal(srdf->rules[1].link_b, "upper & lower");
    assert_string_equal(srdf->rules[1].reason, "Adjacent");
    assert_string_equal(srdf->rules[2].reason, "");
    assert_null(srdf->rules[0].link_b);
    assert_true(srdf->rules[3].enabled);
    dent_srdf_destroy(context, srdf);
}

static void a_pair_is_allowed_in_any_order_unless_it_is_enabled(void **state)
{
    (void)state;
    dent_srdf *srdf;
    assert_int_equal(read_text(context, arm, &srdf), DENT_OK);
    assert_true(dent_srdf_allows(srdf, "hand", "upper") && dent_srdf_allows(srdf, "upper", "hand"));
    assert_true(dent_srdf_allows(srdf, "cover", "base") && dent_srdf_allows(srdf, "base", "cover"));
    assert_false(dent_srdf_allows(srdf, "cover", "hand") || dent_srdf_allows(srdf, "hand", "cover"));
    assert_false(dent_srdf_allows(srdf, "x", "y") || dent_srdf_allows(srdf, "base", "hand"));
    assert_false(dent_srdf_allows(NULL, "a", "b") || dent_srdf_allows(srdf, NULL, "b"));
    dent_srdf_destroy(context, srdf);
}

static void broken_files_are_refused_with_file_and_line(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"", "is empty"},
        {"<!-- nothing -->", "<robot> should be in it"},
        {"<model/>", ":1: no SRDF"},
        {"<robot>\n<disable_collisions link1='a'/></robot>", ":2: <disable_collisions> has no link2"},
        {"<robot>\n\n<disable_default_collisions/></robot>", ":3: <disable_default_collisions> has no link"},
        {"<robot><enable_collisions link1='' link2='b'/></robot>", ":1: <enable_collisions> has no link1"},
        {"<robot><a></robot>", ":1: </robot> where </a> should be"},
        {"<!DOCTYPE robot><robot/>", ":1: XML declarations"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        dent_srdf *srdf;
        char message[512];
        assert_int_not_equal(read_text(context, cases[i].text, &srdf), DENT_OK);
        assert_null(srdf);
        dent_context_message(context, message, sizeof message);
        if (strstr(message, cases[i].message) == NULL) {
            fail_msg("%s", message);
        }
        assert_int_equal(strncmp(message, path, strlen(path)), 0);
    }
    char *long_name = calloc(1, 600);
    assert_non_null(long_name);
    strcpy(long_name, "<robot><disable_default_collisions link='");
    memset(long_name + strlen(long_name), 'n', 300);
    strcat(long_name, "'/></robot>");
    dent_srdf *srdf;
    assert_int_equal(read_text(context, long_name, &srdf), DENT_ERROR_FORMAT);
    free(long_name);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t nth = 1; !done; nth++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def def = dent_context_def_default();
        def.allocator = failing_allocator_hook(&memory);
        dent_context *failing = dent_context_create(&def, NULL);
        assert_non_null(failing);
        memory.requests = 0;
        memory.fail_at = nth;
        dent_srdf *srdf;
        done = read_text(failing, arm, &srdf) == DENT_OK;
        assert_true(done == (srdf != NULL) && nth < 1000);
        dent_srdf_destroy(failing, srdf);
        dent_context_destroy(failing);
        assert_true(failing_allocator_clean(&memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_are_read_in_order_and_those_of_groups_are_not),
        cmocka_unit_test(a_pair_is_allowed_in_any_order_unless_it_is_enabled),
        cmocka_unit_test(broken_files_are_refused_with_file_and_line),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, open_file, close_file);
}
