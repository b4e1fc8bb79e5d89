/* The context: defs are checked, hooks get their user pointers, memory is counted and given back. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include <dent/base.h>

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static dent_status status_of_creating(const dent_context_def *def)
{
    dent_status status = DENT_OK;
    dent_context *context = dent_context_create(def, &status);
    assert_true((context != NULL) == (status == DENT_OK));
    dent_context_destroy(context);
    return status;
}

static void a_null_def_means_all_defaults(void **state)
{
    (void)state;
    dent_status status = DENT_ERROR_FILE;
    dent_context *context = dent_context_create(NULL, &status);
    assert_non_null(context);
    assert_int_equal(status, DENT_OK);
    assert_true(dent_context_worker_count(context) >= 1);
    assert_int_not_equal(dent_context_isa(context), DENT_ISA_AUTO);
    assert_true(dent_isa_available(dent_context_isa(context)));
    dent_context_destroy(context);
}

static void the_status_pointer_may_be_null(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    assert_non_null(context);
    dent_context_destroy(context);
    dent_context_def zero = {0};
    assert_null(dent_context_create(&zero, NULL));
}

static void destroying_null_is_allowed(void **state)
{
    (void)state;
    dent_context_destroy(NULL);
}

static void a_def_not_made_by_its_default_function_is_refused(void **state)
{
    (void)state;
    dent_context_def def = {0};
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);
    def = dent_context_def_default();
    def.struct_size--;
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);
    def.struct_size += 2;
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);
}

static void run_nothing(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    (void)user;
    (void)block_count;
    (void)function;
    (void)data;
}

static void bad_fields_of_a_def_are_refused(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator.allocate = failing_allocator_allocate;
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);
    def.allocator = (dent_allocator){NULL, failing_allocator_release, &memory};
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);

    def = dent_context_def_default();
    def.thread_count = 1025;
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);
    def.thread_count = UINT32_MAX;
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);

    def = dent_context_def_default();
    def.parallel.run = run_nothing;
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);
    def.parallel.worker_count = 1025;
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);
    def.parallel.worker_count = 1024;
    assert_int_equal(status_of_creating(&def), DENT_OK);

    def = dent_context_def_default();
    def.isa = DENT_ISA_COUNT;
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);
    def.isa = (dent_isa)12345;
    assert_int_equal(status_of_creating(&def), DENT_ERROR_INVALID_ARGUMENT);
    assert_true(failing_allocator_clean(&memory));
}

static void an_instruction_set_is_taken_or_refused_as_unsupported(void **state)
{
    (void)state;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        dent_context_def def = dent_context_def_default();
        def.isa = (dent_isa)isa;
        dent_status status;
        dent_context *context = dent_context_create(&def, &status);
        if (dent_isa_available(def.isa)) {
            assert_non_null(context);
            assert_int_equal(dent_context_isa(context), isa);
        } else {
            assert_null(context);
            assert_int_equal(status, DENT_ERROR_UNSUPPORTED);
        }
        dent_context_destroy(context);
    }
}

static void creation_survives_every_failing_allocation(void **state)
{
    (void)state;
    const uint32_t thread_counts[] = {1, 2, 8};
    for (int i = 0; i < 3; i++) {
        int failures = 0;
        for (uint64_t n = 1;; n++) {
            struct failing_allocator memory = failing_allocator_make();
            memory.fail_at = n;
            dent_context_def def = dent_context_def_default();
            def.allocator = failing_allocator_hook(&memory);
            def.thread_count = thread_counts[i];
            dent_status status;
            dent_context *context = dent_context_create(&def, &status);
            dent_context_destroy(context);
            assert_true(failing_allocator_clean(&memory));
            if (context) {
                assert_int_equal(status, DENT_OK);
                break;
            }
            assert_int_equal(status, DENT_ERROR_OUT_OF_MEMORY);
            failures++;
        }
        assert_int_equal(failures, thread_counts[i] == 1 ? 1 : 2);
    }
}

static void the_memory_account_agrees_with_the_allocator(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&memory);
    def.thread_count = 3;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    dent_memory_use at_start = dent_context_memory_use(context);
    assert_true(at_start.bytes > 0);
    assert_int_equal(at_start.bytes, memory.live_bytes);
    assert_int_equal(at_start.allocations, memory.requests);

    void *block = dent_allocate(context, 1000, 8);
    dent_memory_use with_block = dent_context_memory_use(context);
    assert_int_equal(with_block.bytes, at_start.bytes + 8000);
    assert_int_equal(with_block.peak_bytes, at_start.bytes + 8000);
    assert_int_equal(with_block.allocations, at_start.allocations + 1);
    dent_release(context, block, 1000, 8);
    dent_memory_use after = dent_context_memory_use(context);
    assert_int_equal(after.bytes, at_start.bytes);
    assert_int_equal(after.peak_bytes, with_block.peak_bytes);
    assert_int_equal(after.bytes, memory.live_bytes);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

struct log_record {
    int calls;
    dent_log_level level;
    char text[2000];
};

static void write_log(void *user, dent_log_level level, const char *text)
{
    struct log_record *record = user;
    record->calls++;
    record->level = level;
    snprintf(record->text, sizeof record->text, "%s", text);
}

static void the_log_hook_gets_its_user_pointer_and_the_line(void **state)
{
    (void)state;
    struct log_record record = {0};
    dent_context_def def = dent_context_def_default();
    def.log = (dent_log){write_log, &record};
    dent_context *context = dent_context_create(&def, NULL);
    assert_int_equal(record.calls, 0);
    dent_log_line(context, DENT_LOG_WARNING, "body %d is %s", 3, "mirrored");
    assert_int_equal(record.calls, 1);
    assert_int_equal(record.level, DENT_LOG_WARNING);
    assert_string_equal(record.text, "body 3 is mirrored");
    char longer[3000];
    memset(longer, 'x', sizeof longer - 1);
    longer[sizeof longer - 1] = '\0';
    dent_log_line(context, DENT_LOG_NOTICE, "%s", longer);
    assert_int_equal(strlen(record.text), 1023);
    assert_string_equal(record.text + 1020, "...");
    dent_context_destroy(context);
}

static void without_a_log_hook_lines_go_nowhere(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_log_line(context, DENT_LOG_NOTICE, "nobody %s", "listens");
    dent_context_destroy(context);
}

static void a_failing_call_leaves_its_message(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    char buffer[64] = "junk";
    assert_int_equal(dent_context_message(context, buffer, sizeof buffer), 0);
    assert_string_equal(buffer, "");
    dent_status status = dent_fail(context, DENT_ERROR_FILE, "%s: line %d", "a.mesh", 7);
    assert_int_equal(status, DENT_ERROR_FILE);
    assert_int_equal(dent_context_message(context, buffer, sizeof buffer), 14);
    assert_string_equal(buffer, "a.mesh: line 7");
    assert_int_equal(dent_context_message(context, buffer, 7), 14);
    assert_string_equal(buffer, "a.mesh");
    assert_int_equal(dent_context_message(context, buffer, 1), 14);
    assert_string_equal(buffer, "");
    assert_int_equal(dent_context_message(context, NULL, 0), 14);
    dent_context_destroy(context);
}

static void *fail_many_times(void *pointer)
{
    dent_context *context = pointer;
    char buffer[64];
    for (int i = 0; i < 2000; i++) {
        dent_fail(context, DENT_ERROR_FORMAT, "%s", i % 2 ? "aaaaaaaaaaaaaaaa" : "bb");
        size_t length = dent_context_message(context, buffer, sizeof buffer);
        /* whoever wrote it, it was written whole */
        if (!(length == 2 && strcmp(buffer, "bb") == 0) && !(length == 16 && strcmp(buffer, "aaaaaaaaaaaaaaaa") == 0)) {
            return pointer;
        }
    }
    return NULL;
}

static void messages_of_two_threads_never_mix(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    pthread_t threads[2];
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, fail_many_times, context), 0);
    }
    for (int i = 0; i < 2; i++) {
        void *torn;
        pthread_join(threads[i], &torn);
        assert_null(torn);
    }
    dent_context_destroy(context);
}

static void the_version_is_that_of_the_header(void **state)
{
    (void)state;
    char numbers[32];
    snprintf(numbers, sizeof numbers, "%d.%d.%d", DENT_VERSION_MAJOR, DENT_VERSION_MINOR, DENT_VERSION_PATCH);
    assert_string_equal(dent_version(), numbers);
    assert_string_equal(dent_version(), DENT_VERSION_STRING);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_null_def_means_all_defaults),
        cmocka_unit_test(the_status_pointer_may_be_null),
        cmocka_unit_test(destroying_null_is_allowed),
        cmocka_unit_test(a_def_not_made_by_its_default_function_is_refused),
        cmocka_unit_test(bad_fields_of_a_def_are_refused),
        cmocka_unit_test(an_instruction_set_is_taken_or_refused_as_unsupported),
        cmocka_unit_test(creation_survives_every_failing_allocation),
        cmocka_unit_test(the_memory_account_agrees_with_the_allocator),
        cmocka_unit_test(the_log_hook_gets_its_user_pointer_and_the_line),
        cmocka_unit_test(without_a_log_hook_lines_go_nowhere),
        cmocka_unit_test(a_failing_call_leaves_its_message),
        cmocka_unit_test(messages_of_two_threads_never_mix),
        cmocka_unit_test(the_version_is_that_of_the_header),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
