/* Fuzzer of read_pcd.c. Seeds: corpus/pcd. */
#define MEMORY_PER_BYTE ((size_t)512 * 88)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.pcd")
