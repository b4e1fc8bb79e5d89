/* From the node numbers a file chooses to positions 0, 1, 2 … in the order of the file. */
#ifndef DENT_IO_NODE_TAGS_H
#define DENT_IO_NODE_TAGS_H

#include "base/containers/dynamic_array.h"
#include "number_index.h"

struct node_tags {
    dent_context *context;
    struct dynamic_array tags; /* int64_t, in file order; released by node_tags_finish */
    uint32_t count;
    int64_t first; /* the smallest tag */
    /* How they are found: tags that follow one another need nothing, dense ones a table, others a sorted list. */
    uint32_t *table; /* position of tag first + i, UINT32_MAX: none */
    size_t table_size;
    struct number_entry *sorted;
};

void node_tags_init(struct node_tags *tags, dent_context *context);
void node_tags_release(struct node_tags *tags);
bool node_tags_reserve(struct node_tags *tags, size_t count);
/* The tag of the next node; false: no memory. */
bool node_tags_add(struct node_tags *tags, int64_t tag);
/* After the last one. OUT_OF_MEMORY, or BAD_MESH and *duplicate when a tag appears twice; no message is set. */
dent_status node_tags_finish(struct node_tags *tags, int64_t *duplicate);
/* False: no node has this tag. */
bool node_tags_find(const struct node_tags *tags, int64_t tag, uint32_t *position);

#endif
