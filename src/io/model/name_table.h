/* Names to numbers, over strings that the caller keeps. */
#ifndef DENT_IO_NAME_TABLE_H
#define DENT_IO_NAME_TABLE_H

#include "io/bytes/key_tree.h"

#define NAME_TABLE_NONE KEY_TREE_NONE

struct name_table {
    struct key_tree tree;
    struct dynamic_array names;   /* const char * */
    struct dynamic_array numbers; /* uint32_t */
};

void name_table_init(struct name_table *table, dent_context *context);
void name_table_release(struct name_table *table);

/* *before is the number the name had already, or NAME_TABLE_NONE after noting it. False: no memory. */
bool name_table_add(struct name_table *table, const char *name, uint32_t number, uint32_t *before);
uint32_t name_table_find(const struct name_table *table, const char *name);

#endif
