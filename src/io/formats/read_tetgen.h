/* TetGen's pair of files. */
#ifndef DENT_IO_READ_TETGEN_H
#define DENT_IO_READ_TETGEN_H

#include "io/model/mesh_builder.h"

/* One of the two files: its name stands in messages. */
struct tetgen_file {
    const char *name;
    const void *data;
    size_t size;
};

dent_status tetgen_read_pair(struct mesh_builder *builder, struct tetgen_file nodes, struct tetgen_file cells);

#endif
