/* Fuzzer of read_off.c, text and binary. Seeds: corpus/off. */
#define MEMORY_PER_BYTE ((size_t)2048)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.off")
