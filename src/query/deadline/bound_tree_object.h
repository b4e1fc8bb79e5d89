/* The inside of a dent_bound_tree: the structure, and where its positions come from. */
#ifndef DENT_QUERY_BOUND_TREE_OBJECT_H
#define DENT_QUERY_BOUND_TREE_OBJECT_H

#include "query/world/world_state.h"
#include "structures/bounds/embedding_bounds.h"

struct dent_bound_tree {
    struct bound_tree tree;
    dent_world *world;
    dent_body_id body;
    uint64_t identity_base; /* of the body when the tree was made: elements replaced since make it stale */
    double (*incoming)[3];  /* positions being read; null for embeddings */
};

#endif
