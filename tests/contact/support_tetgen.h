/* Parts of the data kit's jaw for tests: TetGen .node/.ele files, compressed with xz, read through the xz program so
 * that these tests stand on the library alone. */
#ifndef DENT_TESTS_CONTACT_SUPPORT_TETGEN_H
#define DENT_TESTS_CONTACT_SUPPORT_TETGEN_H

#include <dent/dent.h>

struct tetgen_part {
    char name[64];
    uint32_t vertex_count, cell_count;
    double *xyz;
    uint32_t *corners;
};

/* Reads folder/name.1.node.xz and .ele.xz; false, with a line printed, when that fails. */
bool tetgen_part_read(struct tetgen_part *part, const char *folder, const char *name);
void tetgen_part_free(struct tetgen_part *part);

dent_status tetgen_part_add(const struct tetgen_part *part, dent_world *world, dent_body_id *id);

#endif
