/* A dent_mesh and the list of blocks it owns, so that it can be given back at any stage of being made. */
#ifndef DENT_IO_MESH_STORAGE_H
#define DENT_IO_MESH_STORAGE_H

#include <dent/mesh_io.h>

#include "base/containers/dynamic_array.h"

struct owned_block {
    void *data;
    size_t count;
    size_t size; /* of one record */
};

struct mesh_storage {
    dent_mesh mesh;
    struct dynamic_array blocks; /* struct owned_block */
};

struct mesh_storage *mesh_storage_create(dent_context *context);
void mesh_storage_destroy(dent_context *context, struct mesh_storage *storage);

/* A new block that lives as long as the mesh, or null. */
void *mesh_storage_take(dent_context *context, struct mesh_storage *storage, size_t count, size_t size);
/* Hands the memory of an array to the mesh and returns its records; the array is empty afterwards. Null: no memory, and
 * nothing has changed. */
const void *mesh_storage_keep_array(struct mesh_storage *storage, struct dynamic_array *array);
/* All that the mesh holds, as it was asked for. */
uint64_t mesh_storage_bytes(const struct mesh_storage *storage);
/* A copy of a string, or null. */
const char *mesh_storage_string(dent_context *context, struct mesh_storage *storage, const char *text);

#endif
