/* Fuzzer of read_inp.c. Seeds: corpus/inp. */
#define MEMORY_PER_BYTE ((size_t)2048)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.inp")
