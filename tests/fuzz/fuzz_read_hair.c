/* Fuzzer of read_hair.c. Seeds: corpus/hair. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.hair")
