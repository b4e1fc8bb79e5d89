/* Fuzzer of read_collection.c: whatever the bytes, a .pvd collection is read, with texts and finite times, or refused with a message
 * that names the file, and all memory comes back. Seeds: corpus/pvd. */
#define _GNU_SOURCE
#include "fuzz_mesh_file.h"
#include "fuzz_recording.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fuzz_memory memory = {.limit = MEMORY_FREE + 1024 * size};
    dent_context_def def = dent_context_def_default();
    def.allocator = (dent_allocator){fuzz_allocate, fuzz_release, &memory};
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    fuzz_require(context != NULL);
    size_t before = memory.in_use;
    char path[MEMORY_PATH_SIZE], message[1024];
    int file = file_in_memory(data, size, path);
    dent_collection *collection = NULL;
    if (dent_collection_read(context, path, &collection) == DENT_OK) {
        for (uint32_t i = 0; i < collection->entry_count; i++) {
            fuzz_require(isfinite(collection->entries[i].time) && strlen(collection->entries[i].file) <= size);
        }
        dent_collection_destroy(context, collection);
    } else {
        fuzz_require(collection == NULL && dent_context_message(context, message, sizeof message) > 0);
        fuzz_require(strncmp(message, path, strlen(path)) == 0);
    }
    close(file);
    fuzz_require(memory.in_use == before);
    dent_context_destroy(context);
    return 0;
}
