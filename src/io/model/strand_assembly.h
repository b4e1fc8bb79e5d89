/* From the lines of a file to strands. */
#ifndef DENT_IO_STRAND_ASSEMBLY_H
#define DENT_IO_STRAND_ASSEMBLY_H

#include "io/model/mesh_builder.h"
#include "io/model/mesh_storage.h"

struct strand_lines {
    uint32_t *corners;        /* two vertices of the file per line; renumbered to those of the body */
    uint32_t count;           /* of lines, at least 1 */
    bool only;                /* no other body takes vertices of the builder */
    uint64_t copied_vertices; /* written: places beyond the first that use the same vertex of the file */
};

/* Fills vertices, first[] and radii of a body: lines that begin where the line before ended continue its strand. Memory
 * belongs to the storage. */
dent_status assemble_strands(struct mesh_builder *builder, struct mesh_storage *storage, struct strand_lines *lines,
                             dent_mesh_body *body);

#endif
