/* FNV-1a, linear probing, never more than half full. */
#include "name_table.h"

#include <string.h>

bool name_table_create(struct name_table *table, dent_context *context, size_t count)
{
    *table = (struct name_table){0};
    size_t capacity = 16;
    while (capacity / 2 <= count) {
        if (capacity > SIZE_MAX / 4) {
            return false;
        }
        capacity *= 2;
    }
    table->entries = dent_allocate(context, capacity, sizeof *table->entries);
    if (!table->entries) {
        return false;
    }
    table->capacity = capacity;
    memset(table->entries, 0, capacity * sizeof *table->entries);
    return true;
}

void name_table_release(struct name_table *table, dent_context *context)
{
    dent_release(context, table->entries, table->capacity, sizeof *table->entries);
    *table = (struct name_table){0};
}

static struct name_entry *place_of(const struct name_table *table, const char *name)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (const char *c = name; *c; c++) {
        hash = (hash ^ (unsigned char)*c) * UINT64_C(0x100000001B3);
    }
    size_t i = (size_t)(hash ^ (hash >> 32)) & (table->capacity - 1);
    while (table->entries[i].name && strcmp(table->entries[i].name, name) != 0) {
        i = (i + 1) & (table->capacity - 1);
    }
    return &table->entries[i];
}

uint32_t name_table_add(struct name_table *table, const char *name, uint32_t number)
{
    struct name_entry *entry = place_of(table, name);
    if (entry->name) {
        return entry->number;
    }
    *entry = (struct name_entry){name, number};
    return NAME_TABLE_NONE;
}

uint32_t name_table_find(const struct name_table *table, const char *name)
{
    const struct name_entry *entry = place_of(table, name);
    return entry->name ? entry->number : NAME_TABLE_NONE;
}
