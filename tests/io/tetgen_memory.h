/* Reads a pair of TetGen files from memory, for tests and fuzzers: what dent_mesh_read does for files. */
#ifndef DENT_TESTS_TETGEN_MEMORY_H
#define DENT_TESTS_TETGEN_MEMORY_H

#include "io/formats/read_tetgen.h"

static inline dent_status tetgen_read_memory(dent_context *context, struct tetgen_file nodes, struct tetgen_file cells,
                                             bool merge, dent_mesh **mesh)
{
    struct mesh_builder builder;
    builder_init(&builder, context, cells.name);
    dent_status status = tetgen_read_pair(&builder, nodes, cells);
    if (status == DENT_OK) {
        status = builder_finish(&builder, merge, "tetgen", mesh);
    }
    builder_release(&builder);
    return status;
}

#endif
