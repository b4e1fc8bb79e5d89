/* Fuzzer of read_gmsh.c, text and binary. Seeds: corpus/gmsh. A byte of a text becomes a few dozen bytes of mesh at
 * most. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.msh")
