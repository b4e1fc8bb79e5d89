/* Fuzzer of read_medit.c, text and binary. Seeds: corpus/medit. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.mesh")
