/* What every fuzzer of a reader does with its bytes: reads them as a file of the format, checks that a mesh it gets
 * keeps the promises of dent/mesh_io.h, and that all memory comes back. An allocator that gives at most MEMORY_PER_BYTE
 * times the size of the input (and a few megabytes) makes every claim that is believed too early a crash. */
#ifndef DENT_TESTS_FUZZ_MESH_FILE_H
#define DENT_TESTS_FUZZ_MESH_FILE_H

#include "fuzz_context.h"

#include <dent/mesh_io.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct fuzz_memory {
    size_t in_use;
    size_t limit;
};

/* Packed data may grow a thousand times; each byte then becomes a few dozen bytes of mesh at most. */
#ifndef MEMORY_PER_BYTE
#define MEMORY_PER_BYTE ((size_t)64 * 1032)
#endif
#ifndef MEMORY_FREE
#define MEMORY_FREE ((size_t)4 << 20)
#endif

static inline void *fuzz_allocate(void *user, size_t size, size_t alignment)
{
    struct fuzz_memory *memory = user;
    void *block = NULL;
    if (size > memory->limit - memory->in_use) {
        abort(); /* more memory than such a file can be worth */
    }
    if (posix_memalign(&block, alignment < sizeof(void *) ? sizeof(void *) : alignment, size) != 0) {
        return NULL;
    }
    memory->in_use += size;
    return block;
}

static inline void fuzz_release(void *user, void *block, size_t size)
{
    struct fuzz_memory *memory = user;
    memory->in_use -= size;
    free(block);
}

static inline void fuzz_require(bool condition)
{
    if (!condition) {
        abort();
    }
}

static inline void fuzz_check_body(const dent_mesh *mesh, const dent_mesh_body *body)
{
    static const uint8_t corners_of[DENT_CELL_KIND_COUNT] = {4, 8, 6, 5};
    bool strands = body->kind == DENT_BODY_STRANDS; /* they copy vertices that are used twice */
    fuzz_require(body->name != NULL && body->element_count > 0);
    fuzz_require(strands || body->vertex_count <= mesh->file_vertex_count);
    for (size_t i = 0; i < 3 * (size_t)body->vertex_count; i++) {
        fuzz_require(isfinite(body->positions[i]));
    }
    uint64_t corner_count = 0;
    for (uint32_t e = 0; e < body->element_count; e++) {
        fuzz_require(!body->cell_kinds || body->cell_kinds[e] < DENT_CELL_KIND_COUNT);
        corner_count += strands                           ? 2
                        : body->kind == DENT_BODY_SURFACE ? 3
                        : body->kind == DENT_BODY_POINTS  ? 1
                        : body->cell_kinds                ? corners_of[body->cell_kinds[e]]
                                                          : 4;
    }
    fuzz_require(corner_count == body->corner_count);
    for (uint64_t i = 0; i < corner_count; i++) {
        fuzz_require(body->element_corners[i] < body->vertex_count);
    }
    fuzz_require(strands == (body->strand_count > 0) && strands == (body->first != NULL));
    for (uint32_t s = 0; s < body->strand_count; s++) {
        fuzz_require(body->first[s + 1] >= body->first[s] + 2 && body->first[s + 1] <= body->vertex_count);
    }
    for (uint32_t v = 0; body->radii && v < body->vertex_count; v++) {
        fuzz_require(body->radii[v] >= 0 && isfinite(body->radii[v]));
    }
    for (size_t i = 0; body->normals && i < 3 * (size_t)body->vertex_count; i++) {
        fuzz_require(isfinite(body->normals[i]));
    }
    for (uint32_t v = 0; body->vertex_numbers && v < body->vertex_count; v++) {
        fuzz_require(body->vertex_numbers[v] < mesh->file_vertex_count);
    }
}

static inline void fuzz_check_mesh(const dent_mesh *mesh)
{
    fuzz_require(mesh->body_count > 0 && mesh->format != NULL);
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        fuzz_check_body(mesh, &mesh->bodies[b]);
    }
    for (uint32_t g = 0; g < mesh->group_count; g++) {
        const dent_mesh_group *group = &mesh->groups[g];
        for (uint64_t i = 0; i < (uint64_t)group->element_count * group->corners_per_element; i++) {
            fuzz_require(group->corners[i] < mesh->file_vertex_count);
        }
    }
}

/* Once more with little memory: the allocator ends the program when the reader takes more than its limit. */
static inline void fuzz_read_limited(dent_context *context, struct fuzz_memory *memory, const char *name,
                                     const uint8_t *data, size_t size)
{
    size_t before = memory->in_use, limit = memory->limit;
    dent_mesh_read_def def = dent_mesh_read_def_default();
    dent_mesh *mesh = NULL;
    def.memory_limit = 4096 + 8 * (uint64_t)size;
    memory->limit = before + (size_t)def.memory_limit;
    if (dent_mesh_read_memory(context, name, data, size, &def, &mesh) == DENT_OK) {
        fuzz_check_mesh(mesh);
    }
    dent_mesh_destroy(context, mesh);
    memory->limit = limit;
    fuzz_require(memory->in_use == before);
}

/* `name` gives the format: "a.obj". */
static inline int fuzz_mesh_file(const char *name, const uint8_t *data, size_t size)
{
    struct fuzz_memory memory = {.limit = MEMORY_FREE + MEMORY_PER_BYTE * size};
    dent_context_def def = fuzz_context_def();
    def.allocator = (dent_allocator){fuzz_allocate, fuzz_release, &memory};
    dent_context *context = dent_context_create(&def, NULL);
    fuzz_require(context != NULL);
    size_t before = memory.in_use;
    dent_mesh *mesh = NULL;
    dent_status status = dent_mesh_read_memory(context, name, data, size, NULL, &mesh);
    if (status == DENT_OK) {
        fuzz_check_mesh(mesh);
        dent_mesh_destroy(context, mesh);
    } else {
        char message[1024];
        fuzz_require(mesh == NULL && dent_context_message(context, message, sizeof message) > 0);
        fuzz_require(strncmp(message, name, strlen(name)) == 0);
    }
    fuzz_require(memory.in_use == before);
    fuzz_read_limited(context, &memory, name, data, size);
    dent_context_destroy(context);
    return 0;
}

#define FUZZ_READER(name)                                                                                              \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);                                                      \
    int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)                                                       \
    {                                                                                                                  \
        return fuzz_mesh_file(name, data, size);                                                                       \
    }

#endif
