/* Fuzzer of read_vtk.c. Seeds: corpus/vtk. */
#define MEMORY_PER_BYTE ((size_t)512)
#include "fuzz_mesh_file.h"

FUZZ_READER("a.vtk")
