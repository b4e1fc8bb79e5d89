/* Fuzzer of read_obj.c. Seeds: corpus/obj. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.obj")
