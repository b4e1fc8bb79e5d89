/* Fuzzer of read_tetgen.c: the input is the .node file, a line "====", and the .ele file. Seeds: corpus/tetgen. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

#include "../io/tetgen_memory.h"

static dent_status read_split(dent_context *context, const uint8_t *data, size_t size, dent_mesh **mesh)
{
    static const char mark[] = "====\n";
    const size_t length = sizeof mark - 1;
    size_t split = 0;
    while (split + length <= size && memcmp(data + split, mark, length) != 0) {
        split++;
    }
    bool found = split + length <= size;
    struct tetgen_file nodes = {"a.node", data, found ? split : size};
    struct tetgen_file cells = {"a.ele", found ? data + split + length : data, found ? size - split - length : size};
    return tetgen_read_memory(context, nodes, cells, size % 2, mesh);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory = {.limit = MEMORY_FREE + MEMORY_PER_BYTE * size};
    dent_context_def def = fuzz_context_def();
    def.allocator = (dent_allocator){fuzz_allocate, fuzz_release, &memory};
    dent_context *context = dent_context_create(&def, NULL);
    fuzz_require(context != NULL);
    size_t before = memory.in_use;
    dent_mesh *mesh = NULL;
    if (read_split(context, data, size, &mesh) == DENT_OK) {
        fuzz_check_mesh(mesh);
        dent_mesh_destroy(context, mesh);
    } else {
        char message[1024];
        fuzz_require(mesh == NULL && dent_context_message(context, message, sizeof message) > 0);
        fuzz_require(strncmp(message, "a.", 2) == 0);
    }
    fuzz_require(memory.in_use == before);
    dent_context_destroy(context);
    return 0;
}
