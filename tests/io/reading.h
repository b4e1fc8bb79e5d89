/* For tests of readers: a context that keeps its notices, and reading from a string. */
#ifndef DENT_TESTS_IO_READING_H
#define DENT_TESTS_IO_READING_H

#include "support/cmocka_includes.h"

#include <dent/mesh_io.h>

#include <stdio.h>
#include <string.h>

struct reading {
    dent_context *context;
    dent_mesh *mesh; /* null when the last read failed */
    dent_status status;
    uint64_t bytes_at_start;
    char message[1100];
    char notices[4096]; /* one per line */
};

static inline void reading_note(void *user, dent_log_level level, const char *text)
{
    struct reading *reading = user;
    (void)level;
    size_t used = strlen(reading->notices);
    snprintf(reading->notices + used, sizeof reading->notices - used, "%s\n", text);
}

static inline void reading_open(struct reading *reading)
{
    memset(reading, 0, sizeof *reading);
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.log = (dent_log){reading_note, reading};
    reading->context = dent_context_create(&def, NULL);
    assert_non_null(reading->context);
    reading->bytes_at_start = dent_context_memory_use(reading->context).bytes;
}

static inline void reading_clear(struct reading *reading)
{
    dent_mesh_destroy(reading->context, reading->mesh);
    reading->mesh = NULL;
    reading->notices[0] = 0;
    reading->message[0] = 0;
}

/* Everything that was taken must have been given back. */
static inline void reading_close(struct reading *reading)
{
    reading_clear(reading);
    assert_int_equal(dent_context_memory_use(reading->context).bytes, reading->bytes_at_start);
    dent_context_destroy(reading->context);
}

static inline void reading_finish(struct reading *reading)
{
    if (reading->status != DENT_OK) {
        dent_context_message(reading->context, reading->message, sizeof reading->message);
        assert_null(reading->mesh);
    }
}

static inline const dent_mesh *read_bytes(struct reading *reading, const char *name, const void *bytes, size_t size)
{
    reading_clear(reading);
    reading->status = dent_mesh_read_memory(reading->context, name, bytes, size, NULL, &reading->mesh);
    reading_finish(reading);
    return reading->mesh;
}

static inline const dent_mesh *read_text(struct reading *reading, const char *name, const char *text)
{
    return read_bytes(reading, name, text, strlen(text));
}

static inline const dent_mesh *read_merged(struct reading *reading, const char *name, const char *text)
{
    reading_clear(reading);
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.merge = true;
    reading->status = dent_mesh_read_memory(reading->context, name, text, strlen(text), &def, &reading->mesh);
    reading_finish(reading);
    return reading->mesh;
}

static inline const dent_mesh *read_path(struct reading *reading, const char *path)
{
    reading_clear(reading);
    reading->status = dent_mesh_read(reading->context, path, NULL, &reading->mesh);
    reading_finish(reading);
    return reading->mesh;
}

static inline void assert_read(const struct reading *reading)
{
    if (reading->status != DENT_OK) {
        print_error("%s: %s\n", dent_status_name(reading->status), reading->message);
    }
    assert_int_equal(reading->status, DENT_OK);
    assert_non_null(reading->mesh);
}

/* Fails with this status and a message that has all the words, which are separated by '|'. */
static inline void assert_refused(const struct reading *reading, const char *what, dent_status status,
                                  const char *words)
{
    if (reading->status != status) {
        print_error("%s: %s (%s) instead of %s\n", what, dent_status_name(reading->status), reading->message,
                    dent_status_name(status));
    }
    assert_int_equal(reading->status, status);
    while (*words) {
        size_t length = strcspn(words, "|");
        char word[200];
        snprintf(word, sizeof word, "%.*s", (int)length, words);
        if (!strstr(reading->message, word)) {
            print_error("%s: '%s' is not in the message: %s\n", what, word, reading->message);
        }
        assert_non_null(strstr(reading->message, word));
        words += length + (words[length] == '|');
    }
}

/* A broken file: what is wrong with it, what the reader must answer. */
struct broken_file {
    const char *what;
    const char *text;
    dent_status status;
    const char *words;
};

static inline void assert_all_refused(const char *name, const struct broken_file *files, size_t count)
{
    struct reading reading;
    reading_open(&reading);
    for (size_t i = 0; i < count; i++) {
        read_text(&reading, name, files[i].text);
        assert_refused(&reading, files[i].what, files[i].status, files[i].words);
        /* Whatever is wrong, the message starts with the name of the file. */
        assert_memory_equal(reading.message, name, strlen(name));
    }
    reading_close(&reading);
}

#define assert_corners(list, ...)                                                                                      \
    do {                                                                                                               \
        const uint32_t expected_corners[] = {__VA_ARGS__};                                                             \
        assert_memory_equal((list), expected_corners, sizeof expected_corners);                                        \
    } while (0)

#endif
