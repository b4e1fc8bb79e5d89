/* Fuzzer of read_vtu.c. Seeds: corpus/vtu. Packed arrays may grow a thousand times, so the memory allowed is large. */
#include "fuzz_mesh_file.h"

FUZZ_READER("a.vtu")
