/* Fuzzer of read_veg.c. Seeds: corpus/veg. */
#define MEMORY_PER_BYTE ((size_t)2048)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.veg")
