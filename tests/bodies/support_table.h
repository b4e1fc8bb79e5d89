/* A body table in a context that counts its memory, made before each test and checked for leaks after it. */
#ifndef DENT_TESTS_SUPPORT_TABLE_H
#define DENT_TESTS_SUPPORT_TABLE_H

#include "support_bodies.h"

static struct watched_memory memory;
static dent_context *context;
static struct message message;
static struct body_table table;

static inline int begin(void **state)
{
    (void)state;
    context = watched_context(&memory);
    body_table_init(&table, context);
    message.text[0] = 0;
    return 0;
}

static inline int end(void **state)
{
    (void)state;
    body_table_destroy(&table);
    end_watched_context(context, &memory);
    return 0;
}

static inline dent_body_id add_def(const dent_body_def *def)
{
    dent_body_id id = {0};
    if (body_table_add(&table, def, &message, &id) != DENT_OK) {
        fail_msg("add: %s", message.text);
    }
    return id;
}

#endif
