/* Finding the pairs of leaves of one group. See surface_walk.h.
 *
 * Going down: a stack of nodes whose boxes meet that of the group; sixteen children are compared at once. In its own
 * body a group looks at later groups only, so each pair comes once. What remains are groups near it; then each of its
 * leaves is compared with the sixteen leaves of each near group, and its neighbours, which are in the lists, are taken
 * out by bits.
 */
#include "structures/surface/surface_walk.h"

struct side {
    const struct surface_tree *tree;
    uint32_t body_index;
};

struct stacked {
    uint32_t level, node;
};

enum { STACK_MAX = TREE_LEVELS * LEAF_TREE_ARITY };

static void push(struct surface_walk *walk, uint32_t body_index_a, uint32_t leaf_a, uint32_t body_index_b,
                 uint32_t leaf_b, uint32_t shares)
{
    walk->pairs[walk->count++] = (struct walk_pair){leaf_a, body_index_b, leaf_b, shares};
    if (walk->count == WALK_BATCH) {
        walk->leaf_pairs += walk->count;
        walk->take(walk, body_index_a);
        walk->count = 0;
    }
}

static void bounds_of(const struct tree_level *level, int axis_count, uint32_t node, float *lo, float *hi)
{
    for (int axis = 0; axis < axis_count; axis++) {
        lo[axis] = level->lo[axis][node];
        hi[axis] = level->hi[axis][node];
    }
}

/* ---- neighbours from the lists ---- */

static void walk_neighbours(struct surface_walk *walk, uint32_t body_index, uint32_t leaf)
{
    const struct surface_tree *tree = walk->forest->bodies[body_index].tree;
    const struct tree_level *level = &tree->levels[0];
    bool culling = walk->culling && level->node_culled;
    if (!culling || !level->node_culled[leaf]) {
        push(walk, body_index, leaf, body_index, leaf, SHARES_SELF);
    }
    for (uint32_t i = level->first[leaf]; i < level->first[leaf + 1]; i++) {
        if (!culling || !level->pair_culled[i]) {
            push(walk, body_index, leaf, body_index, level->partners[i], i);
        }
    }
}

/* ---- partners from the trees ---- */

/* Of the sixteen nodes from `first` on: those that the culling has proven free of `node`, a node of the same level or
 * one of them. */
static uint32_t culled_children(const struct tree_level *level, uint32_t node, uint32_t first)
{
    uint32_t bits = 0;
    if (!level->node_culled) {
        return 0;
    }
    if (node / LEAF_TREE_ARITY == first / LEAF_TREE_ARITY && level->node_culled[node]) {
        bits |= 1u << (node - first);
    }
    for (uint32_t i = level->first[node]; i < level->first[node + 1]; i++) {
        if (level->partners[i] / LEAF_TREE_ARITY == first / LEAF_TREE_ARITY && level->pair_culled[i]) {
            bits |= 1u << (level->partners[i] - first);
        }
    }
    return bits;
}

/* Of the sixteen leaves from `first` on: the neighbours of `leaf`. */
static uint32_t neighbour_bits(const struct tree_level *level, uint32_t leaf, uint32_t first)
{
    uint32_t bits = 0;
    for (uint32_t i = level->first[leaf]; i < level->first[leaf + 1]; i++) {
        uint32_t slot = level->partners[i] - first;
        bits |= slot < LEAF_TREE_ARITY ? 1u << slot : 0;
    }
    return bits;
}

/* Of the sixteen nodes from `first` on: those all of whose faces have the corner `hub`. */
static uint32_t hub_bits(const struct tree_level *level, uint32_t hub, uint32_t first)
{
    uint32_t bits = 0;
    for (uint32_t i = 0; hub != COMMON_NONE && i < LEAF_TREE_ARITY && first + i < level->count; i++) {
        bits |= level->common[first + i] == hub ? 1u << i : 0;
    }
    return bits;
}

static uint32_t hub_of(const struct surface_walk *walk, const struct tree_level *level, uint32_t node)
{
    return walk->faces_only && level->common ? level->common[node] : COMMON_NONE;
}

static uint32_t later_bits(uint32_t slot)
{
    return 0xFFFFu & ~((2u << slot) - 1);
}

static void compare_leaves(struct surface_walk *walk, struct side a, struct side b, uint32_t leaf)
{
    const struct tree_level *leaves = &b.tree->levels[0];
    const bool tied =
        walk->snapshot->bodies[a.body_index].body->identities || walk->snapshot->bodies[b.body_index].body->identities;
    const bool same = a.body_index == b.body_index;
    float lo[VOLUME_AXES_MAX], hi[VOLUME_AXES_MAX];
    bounds_of(&a.tree->levels[0], a.tree->axis_count, leaf, lo, hi);
    for (uint32_t i = 0; i < walk->near_count; i++) {
        if (!(walk->near_leaves[i] >> leaf % LEAF_TREE_ARITY & 1)) {
            continue;
        }
        uint32_t first = walk->near_groups[i] * LEAF_TREE_ARITY;
        uint32_t bits = walk->kernels->meet(leaves->lo, leaves->hi, first, b.tree->axis_count, lo, hi);
        walk->box_tests += LEAF_TREE_ARITY;
        if (same && bits) {
            bits &= first == leaf - leaf % LEAF_TREE_ARITY ? later_bits(leaf % LEAF_TREE_ARITY) : 0xFFFFu;
            bits &= ~(neighbour_bits(leaves, leaf, first) | hub_bits(leaves, hub_of(walk, leaves, leaf), first));
        }
        for (; bits; bits &= bits - 1) {
            uint32_t other = first + (uint32_t)__builtin_ctz(bits);
            bool open = same ? a.tree->open_vertices[leaf] && b.tree->open_vertices[other] : tied;
            push(walk, a.body_index, leaf, b.body_index, other, open ? SHARES_OPEN : SHARES_NONE);
        }
    }
}

static void compare_near(struct surface_walk *walk, struct side a, struct side b, uint32_t group)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < walk->near_count; i++) {
        any |= walk->near_leaves[i];
    }
    for (; any; any &= any - 1) {
        compare_leaves(walk, a, b, group * LEAF_TREE_ARITY + (uint32_t)__builtin_ctz(any));
    }
    walk->near_count = 0;
}

/* A group of b near the group of a: which leaves of a meet it? */
static void note_near(struct surface_walk *walk, struct side a, struct side b, uint32_t group, uint32_t other)
{
    float lo[VOLUME_AXES_MAX], hi[VOLUME_AXES_MAX];
    const struct tree_level *leaves = &a.tree->levels[0];
    bounds_of(&b.tree->levels[1], b.tree->axis_count, other, lo, hi);
    uint32_t bits = walk->kernels->meet(leaves->lo, leaves->hi, group * LEAF_TREE_ARITY, a.tree->axis_count, lo, hi);
    walk->box_tests += LEAF_TREE_ARITY;
    walk->near_groups[walk->near_count] = other;
    walk->near_leaves[walk->near_count] = (uint16_t)bits;
    walk->near_count += bits != 0;
    if (walk->near_count == WALK_NEAR) {
        compare_near(walk, a, b, group);
    }
}

/* The group of a against the tree of b. */
static void walk_tree(struct surface_walk *walk, struct side a, struct side b, uint32_t group)
{
    struct stacked stack[STACK_MAX];
    uint32_t depth = 0, ancestors[TREE_LEVELS];
    bool same = a.body_index == b.body_index;
    uint32_t hub = hub_of(walk, &a.tree->levels[1], group);
    float lo[VOLUME_AXES_MAX], hi[VOLUME_AXES_MAX];
    bounds_of(&a.tree->levels[1], a.tree->axis_count, group, lo, hi);
    ancestors[1] = group;
    for (uint32_t level = 2; level < b.tree->level_count; level++) {
        ancestors[level] = ancestors[level - 1] / LEAF_TREE_ARITY;
    }
    walk->near_count = 0;
    stack[depth++] = (struct stacked){b.tree->level_count, 0};
    while (depth > 0) {
        struct stacked top = stack[--depth];
        const struct tree_level *level = &b.tree->levels[top.level - 1];
        uint32_t first = top.node * LEAF_TREE_ARITY;
        uint32_t bits = walk->kernels->meet(level->lo, level->hi, first, b.tree->axis_count, lo, hi);
        walk->box_tests += LEAF_TREE_ARITY;
        if (same && bits) {
            uint32_t own = ancestors[top.level - 1];
            bits &= own > first ? (own - first < LEAF_TREE_ARITY ? 0xFFFFu << (own - first) : 0u) : 0xFFFFu;
            bits &= walk->culling ? ~culled_children(level, own, first) : 0xFFFFu;
            bits &= ~hub_bits(level, hub, first);
        }
        for (; bits; bits &= bits - 1) {
            uint32_t node = first + (uint32_t)__builtin_ctz(bits);
            if (top.level - 1 == 1) {
                note_near(walk, a, b, group, node);
            } else {
                stack[depth++] = (struct stacked){top.level - 1, node};
            }
        }
    }
    compare_near(walk, a, b, group);
}

static bool wants(const struct surface_walk *walk, const struct body *a, const struct body *b)
{
    int strands = body_has_segments(a) + body_has_segments(b), points = body_has_points(a) + body_has_points(b);
    return !(walk->faces_only && strands + points > 0) && !(points > 0 && strands + points == 2) && !(walk->no_two_strands && strands == 2) &&
           !(walk->strands_and_rest && strands == 0);
}

void surface_walk_group(struct surface_walk *walk, uint32_t group)
{
    const struct surface_forest *forest = walk->forest;
    uint32_t body_index = forest->body_of_group[group], own = group - forest->first_group[body_index];
    const struct body *body = walk->snapshot->bodies[body_index].body;
    struct side a = {forest->bodies[body_index].tree, body_index};
    walk->count = 0;
    if (body->self_collision && wants(walk, body, body)) {
        uint32_t first = own * LEAF_TREE_ARITY;
        for (uint32_t leaf = first; leaf < a.tree->leaf_count && leaf - first < LEAF_TREE_ARITY; leaf++) {
            if (a.tree->levels[0].lo[0][leaf] <= a.tree->levels[0].hi[0][leaf]) {
                walk_neighbours(walk, body_index, leaf);
            }
        }
        walk_tree(walk, a, a, own);
    }
    for (uint32_t i = forest->body_pairs.first[body_index]; i < forest->body_pairs.first[body_index + 1]; i++) {
        uint32_t body_index_b = forest->body_pairs.partners[i];
        const struct body *other = walk->snapshot->bodies[body_index_b].body;
        if (wants(walk, body, other) && body_index_b > body_index && bodies_may_meet(body, other)) {
            walk_tree(walk, a, (struct side){forest->bodies[body_index_b].tree, body_index_b}, own);
        }
    }
    if (walk->count > 0) {
        walk->leaf_pairs += walk->count;
        walk->take(walk, body_index);
        walk->count = 0;
    }
}
