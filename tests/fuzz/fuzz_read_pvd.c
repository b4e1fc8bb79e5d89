/* Fuzzer of read_collection.c: whatever the bytes, a .pvd collection is read, with texts and finite times, or refused
 * with a message that names the file, and all memory comes back. Seeds: corpus/pvd. */
#define _GNU_SOURCE
#include "fuzz_recording.h"

static bool read_collection(dent_context *context, const char *path, size_t size)
{
    dent_collection *collection = NULL;
    if (dent_collection_read(context, path, &collection) != DENT_OK) {
        fuzz_require(collection == NULL);
        return false;
    }
    for (uint32_t i = 0; i < collection->entry_count; i++) {
        fuzz_require(isfinite(collection->entries[i].time) && strlen(collection->entries[i].file) <= size);
    }
    dent_collection_destroy(context, collection);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return fuzz_recording(data, size, read_collection);
}
