/* What the tests of readers and writers share: a context with a failing allocator and a kept log, reading from a
 * string, a table of broken inputs, and the failing of every allocation. */
#ifndef DENT_TESTS_MESH_FILE_CHECKS_H
#define DENT_TESTS_MESH_FILE_CHECKS_H

#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include <dent/mesh_io.h>

#include <stdio.h>
#include <string.h>

struct checks {
    struct failing_allocator memory;
    dent_context *context;
    char log[4096]; /* all notices, one per line */
    char message[1024];
};

static inline void checks_log(void *user, dent_log_level level, const char *text)
{
    struct checks *checks = user;
    (void)level;
    size_t used = strlen(checks->log);
    snprintf(checks->log + used, sizeof checks->log - used, "%s\n", text);
}

static inline void checks_begin(struct checks *checks)
{
    memset(checks, 0, sizeof *checks);
    dent_context_def def = dent_context_def_default();
    def.allocator = failing_allocator_hook(&checks->memory);
    def.log.write = checks_log;
    def.log.user = checks;
    def.thread_count = 1;
    checks->context = dent_context_create(&def, NULL);
    assert_non_null(checks->context);
}

static inline void checks_end(struct checks *checks)
{
    dent_context_destroy(checks->context);
    assert_true(failing_allocator_clean(&checks->memory));
}

static inline int checks_setup(void **state)
{
    struct checks *checks = malloc(sizeof *checks);
    checks_begin(checks);
    *state = checks;
    return 0;
}

static inline int checks_teardown(void **state)
{
    checks_end(*state);
    free(*state);
    return 0;
}

static inline const char *checks_message(struct checks *checks)
{
    dent_context_message(checks->context, checks->message, sizeof checks->message);
    return checks->message;
}

/* Reads bytes that must be readable. */
static inline dent_mesh *read_good(struct checks *checks, const char *name, const void *bytes, size_t size)
{
    dent_mesh *mesh = NULL;
    dent_status status = dent_mesh_read_memory(checks->context, name, bytes, size, NULL, &mesh);
    if (status != DENT_OK) {
        fail_msg("%s: %s", dent_status_name(status), checks_message(checks));
    }
    return mesh;
}

static inline dent_mesh *read_good_text(struct checks *checks, const char *name, const char *text)
{
    return read_good(checks, name, text, strlen(text));
}

/* The one body of a mesh with this many vertices and elements. */
static inline const dent_mesh_body *only_body(const dent_mesh *mesh, dent_body_kind kind, uint32_t vertices,
                                              uint32_t elements)
{
    assert_int_equal(mesh->body_count, 1);
    assert_int_equal(mesh->bodies[0].kind, kind);
    assert_int_equal(mesh->bodies[0].vertex_count, vertices);
    assert_int_equal(mesh->bodies[0].element_count, elements);
    return &mesh->bodies[0];
}

static inline void assert_corners(const dent_mesh_body *body, const uint32_t *expected, size_t count)
{
    assert_int_equal(body->corner_count, count);
    assert_memory_equal(body->element_corners, expected, count * sizeof *expected);
}

static inline void assert_same_doubles(const double *found, const double *expected, size_t count)
{
    assert_memory_equal(found, expected, count * sizeof *expected);
}

/* A file that must be refused: with this status, and a message that holds both texts. Size 0: a string. */
struct broken_file {
    const char *claim; /* what is wrong with it */
    const char *name;
    const char *bytes;
    size_t size;
    dent_status status;
    const char *says;
};

static inline void assert_refused(struct checks *checks, const struct broken_file *file)
{
    dent_mesh *mesh = NULL;
    uint64_t before = atomic_load(&checks->memory.live_bytes);
    size_t size = file->size ? file->size : strlen(file->bytes);
    /* a copy of exact size: reading behind the end is seen by the address sanitizer */
    char *copy = malloc(size ? size : 1);
    memcpy(copy, file->bytes, size);
    dent_status status = dent_mesh_read_memory(checks->context, file->name, copy, size, NULL, &mesh);
    free(copy);
    const char *message = checks_message(checks);
    print_message("           %s: %s\n", file->claim, message);
    if (status != file->status) {
        fail_msg("%s: status '%s' where '%s' should be: %s", file->claim, dent_status_name(status),
                 dent_status_name(file->status), message);
    }
    if (!strstr(message, file->says) || strncmp(message, file->name, strlen(file->name)) != 0) {
        fail_msg("%s: '%s' does not begin with the file or lacks '%s'", file->claim, message, file->says);
    }
    assert_null(mesh);
    assert_int_equal(atomic_load(&checks->memory.live_bytes), before);
}

static inline void assert_all_refused(struct checks *checks, const struct broken_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        assert_refused(checks, &files[i]);
    }
}

/* Every prefix of a good file is read or refused, never crashes, never leaks. */
static inline void assert_every_prefix_is_safe(struct checks *checks, const char *name, const void *bytes, size_t size)
{
    uint64_t before = atomic_load(&checks->memory.live_bytes);
    for (size_t length = 0; length < size; length++) {
        char *copy = malloc(length ? length : 1);
        memcpy(copy, bytes, length);
        dent_mesh *mesh = NULL;
        dent_status status = dent_mesh_read_memory(checks->context, name, copy, length, NULL, &mesh);
        assert_true((status == DENT_OK) == (mesh != NULL));
        dent_mesh_destroy(checks->context, mesh);
        free(copy);
        assert_int_equal(atomic_load(&checks->memory.live_bytes), before);
    }
}

/* Fails the 1st, 2nd, 3rd … allocation until the call succeeds without one failing. Returns how many there are. */
static inline uint64_t fail_every_allocation(struct checks *checks, const char *name, const void *bytes, size_t size)
{
    for (uint64_t n = 1;; n++) {
        uint64_t before = atomic_load(&checks->memory.live_bytes);
        dent_mesh *mesh = NULL;
        atomic_store(&checks->memory.requests, 0);
        atomic_store(&checks->memory.fail_at, n);
        dent_status status = dent_mesh_read_memory(checks->context, name, bytes, size, NULL, &mesh);
        bool failed = atomic_load(&checks->memory.requests) >= n;
        atomic_store(&checks->memory.fail_at, 0);
        if (!failed) {
            assert_int_equal(status, DENT_OK);
            dent_mesh_destroy(checks->context, mesh);
            return n - 1;
        }
        if (status != DENT_ERROR_OUT_OF_MEMORY) {
            fail_msg("allocation %llu failed, status '%s'", (unsigned long long)n, dent_status_name(status));
        }
        assert_non_null(strstr(checks_message(checks), name));
        assert_null(mesh);
        assert_int_equal(atomic_load(&checks->memory.live_bytes), before);
    }
}

/* Bytes put together piece by piece, in either byte order. */
struct byte_string {
    uint8_t data[8192];
    size_t size;
};

static inline void add_text(struct byte_string *string, const char *text)
{
    assert_true(string->size + strlen(text) <= sizeof string->data);
    memcpy(string->data + string->size, text, strlen(text));
    string->size += strlen(text);
}

static inline void add_unsigned(struct byte_string *string, uint64_t value, int size, bool big_endian)
{
    assert_true(string->size + 8 <= sizeof string->data);
    for (int i = 0; i < size; i++) {
        string->data[string->size++] = (uint8_t)(value >> 8 * (big_endian ? size - 1 - i : i));
    }
}

static inline void add_double(struct byte_string *string, double value, bool big_endian)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_unsigned(string, bits, 8, big_endian);
}

static inline void add_float(struct byte_string *string, float value, bool big_endian)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    add_unsigned(string, bits, 4, big_endian);
}

#define COUNT_OF(array) (sizeof(array) / sizeof(array)[0])

#endif
