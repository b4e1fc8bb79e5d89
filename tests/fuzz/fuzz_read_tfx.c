/* Fuzzer of read_tfx.c. Seeds: corpus/tfx. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.tfx")
