/* See surface_probe.h. Rounding to the coordinates of the forest is monotone, so boxes that meet still meet when
 * rounded: nothing is missed.
 */
#include "structures/surface/kernels/surface_kernels.h"
#include "structures/surface/surface_probe.h"

#include "structures/surface/surface_tree.h"

struct probe_node {
    uint32_t level, node;
};

static float rounded(const struct forest_map *map, double x, int axis)
{
    return (float)((x - map->centre[axis]) * map->first * map->second);
}

static void probe_leaf(const struct surface_leaf *leaf, const struct leaf_points *points, const float lo[3],
                       const float hi[3], void (*take)(void *user, uint32_t face), void *user)
{
    for (uint32_t face = 0; face < leaf->face_count; face++) {
        bool meets = true;
        for (int axis = 0; axis < 3 && meets; axis++) {
            const float *x = points->x[axis];
            float a = x[leaf->corners[0][face]], b = x[leaf->corners[1][face]], c = x[leaf->corners[2][face]];
            float low = a < b ? a : b, high = a < b ? b : a;
            low = c < low ? c : low;
            high = c > high ? c : high;
            meets = low <= hi[axis] && lo[axis] <= high;
        }
        if (meets) {
            take(user, leaf->faces[face]);
        }
    }
}

void surface_probe_box(const struct surface_forest *forest, dent_isa isa, uint32_t body_index, const double lo[3],
                       const double hi[3], void (*take)(void *user, uint32_t face), void *user)
{
    enum { STACK_MAX = TREE_LEVELS * LEAF_TREE_ARITY };
    const struct surface_tree *tree = forest->bodies[body_index].tree;
    struct probe_node stack[STACK_MAX];
    uint32_t depth = 0;
    float low[3], high[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = rounded(&forest->map, lo[axis], axis);
        high[axis] = rounded(&forest->map, hi[axis], axis);
    }
    if (tree->leaf_count > 0) {
        stack[depth++] = (struct probe_node){tree->level_count, 0};
    }
    while (depth > 0) {
        struct probe_node top = stack[--depth];
        const struct tree_level *level = &tree->levels[top.level - 1];
        uint32_t first = top.node * LEAF_TREE_ARITY;
        for (uint32_t bits = surface_kernels_for(isa)->meet(level->lo, level->hi, first, 3, low, high); bits;
             bits &= bits - 1) {
            uint32_t node = first + (uint32_t)__builtin_ctz(bits);
            if (top.level > 1) {
                stack[depth++] = (struct probe_node){top.level - 1, node};
            } else if (node < tree->leaf_count) {
                probe_leaf(&tree->leaves[node], &tree->points[node], low, high, take, user);
            }
        }
    }
}
