/* Blocks of a mesh: noted as they are taken, released together. */
#include "mesh_storage.h"

#include <string.h>

struct mesh_storage *mesh_storage_create(dent_context *context)
{
    struct mesh_storage *storage = dent_allocate(context, 1, sizeof *storage);
    if (storage) {
        memset(storage, 0, sizeof *storage);
        array_init(&storage->blocks, context, sizeof(struct owned_block));
        storage->mesh.storage = storage;
    }
    return storage;
}

void mesh_storage_destroy(dent_context *context, struct mesh_storage *storage)
{
    if (!storage) {
        return;
    }
    const struct owned_block *blocks = storage->blocks.data;
    for (size_t i = storage->blocks.count; i-- > 0;) {
        dent_release(context, blocks[i].data, blocks[i].count, blocks[i].size);
    }
    array_destroy_in(&storage->blocks, context);
    dent_release(context, storage, 1, sizeof *storage);
}

uint64_t mesh_storage_bytes(const struct mesh_storage *storage)
{
    uint64_t bytes = sizeof *storage + storage->blocks.capacity * storage->blocks.element_size;
    const struct owned_block *blocks = storage->blocks.data;
    for (size_t i = 0; i < storage->blocks.count; i++) {
        uint64_t size = (uint64_t)blocks[i].count * blocks[i].size;
        bytes += size > 0 ? size : 1; /* an empty block is asked for as one byte */
    }
    return bytes;
}

/* Hands an existing block to the mesh. False: no memory, and the block is still the caller's. */
static bool keep_block(dent_context *context, struct mesh_storage *storage, void *block, size_t count, size_t size)
{
    const struct owned_block entry = {.data = block, .count = count, .size = size};
    storage->blocks.context = context;
    return array_push(&storage->blocks, &entry);
}

const void *mesh_storage_keep_array(struct mesh_storage *storage, struct dynamic_array *array)
{
    if (array->capacity > 0 &&
        !keep_block(array->context, storage, array->data, array->capacity, array->element_size)) {
        return NULL;
    }
    const void *data = array->data;
    array_init(array, array->context, array->element_size);
    return data;
}

void *mesh_storage_take(dent_context *context, struct mesh_storage *storage, size_t count, size_t size)
{
    void *block = dent_allocate(context, count, size);
    if (block && !keep_block(context, storage, block, count, size)) {
        dent_release(context, block, count, size);
        return NULL;
    }
    return block;
}

const char *mesh_storage_string(dent_context *context, struct mesh_storage *storage, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = mesh_storage_take(context, storage, size, 1);
    if (copy) {
        memcpy(copy, text, size);
    }
    return copy;
}
