/* Fuzzer of read_ply.c. Seeds: corpus/ply. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.ply")
