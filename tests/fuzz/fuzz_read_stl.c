/* Fuzzer of read_stl.c. Seeds: corpus/stl. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.stl")
