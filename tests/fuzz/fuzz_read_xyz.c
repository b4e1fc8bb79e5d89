/* Fuzzer of read_xyz.c. Seeds: corpus/xyz. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.csv")
