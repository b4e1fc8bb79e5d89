/* Fuzzer of file_bytes.c: gzip and xz streams, joined and damaged; what comes out is read as MEDIT, where the first
 * byte of the input chooses which of the two. Seeds: corpus/unpack. Whatever the stream
 * unpacks to, and whatever dictionary xz asks for, the limit of readers holds: 256 MiB and 100 times the bytes. */
#define MEMORY_FREE (((size_t)256 << 20) + 65536)
#define MEMORY_PER_BYTE ((size_t)100)
#include "fuzz_mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    return size > 0 ? fuzz_mesh_file(data[0] & 1 ? "a.mesh.gz" : "a.mesh.xz", data + 1, size - 1) : 0;
}
