/* A key tree over the list of names. */
#include "name_table.h"

#include <string.h>

static const uint8_t *name_bytes(const void *user, uint32_t index, size_t *length)
{
    const struct name_table *table = user;
    const char *name = ((const char *const *)table->names.data)[index];
    *length = strlen(name);
    return (const uint8_t *)name;
}

void name_table_init(struct name_table *table, dent_context *context)
{
    key_tree_init(&table->tree, context, name_bytes, table);
    array_init(&table->names, context, sizeof(const char *));
    array_init(&table->numbers, context, sizeof(uint32_t));
}

void name_table_release(struct name_table *table)
{
    array_destroy(&table->names);
    array_destroy(&table->numbers);
    key_tree_release(&table->tree);
}

static uint32_t number_at(const struct name_table *table, uint32_t index)
{
    return index == KEY_TREE_NONE ? NAME_TABLE_NONE : ((const uint32_t *)table->numbers.data)[index];
}

bool name_table_add(struct name_table *table, const char *name, uint32_t number, uint32_t *before)
{
    uint32_t index = (uint32_t)table->names.count, found = KEY_TREE_NONE;
    if (!key_tree_add(&table->tree, (const uint8_t *)name, strlen(name), index, &found)) {
        return false;
    }
    *before = number_at(table, found);
    return found != KEY_TREE_NONE || (array_push(&table->names, &name) && array_push(&table->numbers, &number));
}

uint32_t name_table_find(const struct name_table *table, const char *name)
{
    return number_at(table, key_tree_find(&table->tree, (const uint8_t *)name, strlen(name)));
}
