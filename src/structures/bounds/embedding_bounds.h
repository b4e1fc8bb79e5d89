/* Balls of a bounding tree that follow an embedding, each computed from the few coarse nodes its links hang on, when
 * it is first looked at.
 *
 * A dense vertex is v_i = sum_k b_ik x_k + Q_i o_i (k: coarse nodes, b: weights of the base point, o: offset). For a
 * node of the tree let W_k be the mean of b_ik over its vertices, d_k = max_i |b_ik - W_k|, (c, R) a ball around the
 * base points at rest, o_max the longest offset. For any rotation A let z_k = x_k - A X_k and z = sum W_k z_k. Then
 *
 *     c' = A c + z,   R' = R + sum_k d_k |z_k - z| + o_max
 *
 * holds all v_i: v_i - c' = A (b_i - c) + sum_k (b_ik - W_k)(z_k - z) + Q_i o_i, because sum_k (b_ik - W_k) = 0 lets
 * any vector be taken off the z_k. A is the best rotation of the node's own coarse nodes, or of an ancestor's where it
 * has few.
 *
 * The same with a ball (c, R) around the dense vertices at rest, whose offsets turn nearly as A does: with T_f the
 * rotation of facet f from rest to now,
 *
 *     c' = A c + z,   R' = R + sum_k d_k |z_k - z| + o_max max_f |T_f - A|
 *
 * (norm of Frobenius, over the node's facets; at most 2 is ever needed). Where facets turn together this ball is as
 * tight as at rest, however long the links. The smaller one of the two is taken.
 *
 * Rounding. Every coordinate met on the way (x_k, A X_k, z_k, base and dense points) is below M = 4 (largest now + 2
 * largest at rest) + o_max. A computed z_k is off by at most 4u M in a coordinate, 8u M in length; since any vector may
 * be taken off the z_k, the computed z may be, and sum d_k |z_k - z| is off by at most 8u M sum d_k <= 8 m u M, and by
 * its own summation, for which it is multiplied by 1 + (m + 8) 2u. The centre is off by at most 4 (m + 8) u M, also
 * because the weights sum to 1 only within (m + 3) u; A and T_f stretch by at most 1 + 16u; a computed dense vertex is
 * off by at most 32u M. Adding (m + 32) 2^-49 M = 16 (m + 32) u M covers these together.
 *
 * Nodes with more than REDUCED_SUPPORT_MAX coarse nodes enclose their children's balls instead; they are few, and
 * computed at the update.
 */
#ifndef DENT_STRUCTURES_EMBEDDING_BOUNDS_H
#define DENT_STRUCTURES_EMBEDDING_BOUNDS_H

#include "structures/bounds/bound_tree.h"
#include "structures/bounds/embedding_model.h"

/* A leaf may hang on more coarse nodes than an inner node may: three for each of its vertices. */
enum { REDUCED_SUPPORT_MAX = 64, REDUCED_OWN_ROTATION = 12, REDUCED_SUPPORT_ROOM = 9 * BOUND_LEAF_FACES_MAX };

struct support {
    uint32_t coarse;
    double mean, spread; /* W_k, d_k */
};

/* A ball at rest; its centre is at most `near` from `nearest`, a dense vertex at rest. */
struct rest_ball {
    double centre[3], radius, near;
    uint32_t nearest;
};

struct embedding_node {
    struct rest_ball base, dense; /* around base points, around dense vertices */
    double longest;               /* o_max */
    uint32_t first_support, support_count;
    uint32_t first_facet, facet_count;
    uint32_t rotation; /* whose; UINT32_MAX: encloses its children */
};

/* The epochs a node was computed in. */
struct embedding_stamps {
    uint32_t volume;
    uint32_t positions; /* leaves: of their vertices */
};

struct embedding_rotation {
    double matrix[9];
    uint32_t stamp;
    uint32_t node; /* whose coarse nodes it fits */
};

struct embedding_bounds {
    dent_embedding *model;
    uint64_t model_epoch; /* of the snapshot the tree was updated to: nodes visited later must find the same one */
    struct embedding_node *nodes;
    struct embedding_stamps *stamps;
    struct support *supports;
    uint32_t support_count, support_capacity;
    uint32_t *facets;
    uint32_t facet_count, facet_capacity;
    struct embedding_rotation *rotations;
    uint32_t rotation_count, rotation_capacity;
    uint32_t node_count;
    uint32_t enclosing_end; /* nodes that enclose their children are below this one */
};

/* For a tree that is built over the dense surface at rest. False: out of memory, and nothing is left. */
bool embedding_bounds_create(struct bound_tree *tree, dent_embedding *model);
void embedding_bounds_destroy(struct bound_tree *tree);

/* The model has moved: a new epoch, and the upper nodes. */
void embedding_bounds_update(struct bound_tree *tree);

/* Computes the ball of a node whose stamp is old. Returns what it cost in work units. */
uint32_t embedding_bounds_compute(struct bound_tree *tree, uint32_t node);
/* … the positions of a leaf's vertices. */
uint32_t embedding_bounds_positions(struct bound_tree *tree, uint32_t leaf);

/* The model was moved since the tree was updated: some nodes are of the old snapshot, the others would be of the new one.
 */
static inline bool bound_tree_is_behind(const struct bound_tree *tree)
{
    return tree->embedding && tree->embedding->model_epoch != tree->embedding->model->epoch;
}

static inline uint32_t bound_tree_touch(struct bound_tree *tree, uint32_t node)
{
    return tree->embedding && tree->embedding->stamps[node].volume != (uint32_t)tree->epoch
               ? embedding_bounds_compute(tree, node)
               : 0;
}

static inline uint32_t bound_tree_touch_positions(struct bound_tree *tree, uint32_t leaf)
{
    bool old = tree->embedding && tree->embedding->stamps[leaf].positions != (uint32_t)tree->epoch;
    return old ? embedding_bounds_positions(tree, leaf) : 0;
}

#endif
