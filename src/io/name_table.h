/* Names to numbers: a hash table with open addressing over strings that the caller keeps. */
#ifndef DENT_IO_NAME_TABLE_H
#define DENT_IO_NAME_TABLE_H

#include <dent/base.h>

#define NAME_TABLE_NONE UINT32_MAX

struct name_entry {
    const char *name; /* null: free */
    uint32_t number;
};

struct name_table {
    struct name_entry *entries;
    size_t capacity; /* a power of two, more than twice the names */
};

/* Room for `count` names. False: no memory. */
bool name_table_create(struct name_table *table, dent_context *context, size_t count);
void name_table_release(struct name_table *table, dent_context *context);

/* The number a name had already, or NAME_TABLE_NONE after noting it. */
uint32_t name_table_add(struct name_table *table, const char *name, uint32_t number);
uint32_t name_table_find(const struct name_table *table, const char *name);

#endif
