/* Building the tree of winding_tree.h: triangles along a Morton curve, eight to a leaf, boxes level by level, chains of
 * the parts with short boundaries; and the exact tests. */
#include "inside/winding_tree.h"

#include "base/containers/dynamic_array.h"
#include "base/radix_sort.h"
#include "base/containers/morton_code.h"
#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/winding_number.h"

/* ---- order ------------------------------------------------------------------------------------------------------- */

struct face_sort {
    uint64_t *keys, *key_scratch;
    uint32_t *order, *order_scratch;
    size_t capacity;
};

static bool face_sort_begin(struct face_sort *sort, dent_context *context, size_t capacity)
{
    sort->capacity = capacity;
    sort->keys = dent_allocate(context, capacity, sizeof *sort->keys);
    sort->key_scratch = dent_allocate(context, capacity, sizeof *sort->key_scratch);
    sort->order = dent_allocate(context, capacity, sizeof *sort->order);
    sort->order_scratch = dent_allocate(context, capacity, sizeof *sort->order_scratch);
    return sort->keys && sort->key_scratch && sort->order && sort->order_scratch;
}

static void face_sort_end(struct face_sort *sort, dent_context *context)
{
    dent_release(context, sort->keys, sort->capacity, sizeof *sort->keys);
    dent_release(context, sort->key_scratch, sort->capacity, sizeof *sort->key_scratch);
    dent_release(context, sort->order, sort->capacity, sizeof *sort->order);
    dent_release(context, sort->order_scratch, sort->capacity, sizeof *sort->order_scratch);
}

/* The lower and the upper end of a triangle on an axis. */
static void face_range(const struct winding_tree *tree, uint32_t face, int axis, double *low, double *high)
{
    const uint32_t *corners = tree->triangles[face];
    *low = *high = tree->positions[corners[0]][axis];
    for (int k = 1; k < 3; k++) {
        double x = tree->positions[corners[k]][axis];
        *low = x < *low ? x : *low;
        *high = x > *high ? x : *high;
    }
}

static double face_middle(const struct winding_tree *tree, uint32_t face, int axis)
{
    double low, high;
    face_range(tree, face, axis, &low, &high);
    return 0.5 * low + 0.5 * high;
}

static void order_faces(const struct winding_tree *tree, struct face_sort *sort, uint32_t face_count)
{
    double low[3], scale[3];
    for (int axis = 0; axis < 3; axis++) {
        double high = low[axis] = face_count ? face_middle(tree, 0, axis) : 0.0;
        for (uint32_t face = 1; face < face_count; face++) {
            double middle = face_middle(tree, face, axis);
            low[axis] = middle < low[axis] ? middle : low[axis];
            high = middle > high ? middle : high;
        }
        double width = 0.5 * high - 0.5 * low[axis];
        scale[axis] = width > 0.0 && width >= 0x1p-1000 ? 0x1p20 / width : 0.0;
    }
    for (uint32_t face = 0; face < face_count; face++) {
        uint32_t cell[3];
        for (int axis = 0; axis < 3; axis++) {
            double at = (0.5 * face_middle(tree, face, axis) - 0.5 * low[axis]) * scale[axis];
            cell[axis] = at >= 0.0 && at < 0x1p20 ? (uint32_t)at : at >= 0x1p20 ? 0xFFFFFu : 0;
        }
        sort->keys[face] = morton_code(cell);
        sort->order[face] = face;
    }
    radix_sort_u64(sort->keys, sort->order, sort->key_scratch, sort->order_scratch, face_count);
}

/* ---- leaves ------------------------------------------------------------------------------------------------------ */

/* The lines of the shadow. A value has at most four products of a side and a distance from the centre, each with a few
 * roundings, and sums of them: less than 64 u side distance in all; products that underflow lose less than 2^-1000. */
static void set_edges(struct winding_leaf *leaf, uint32_t lane, const double *const corners[3], double sign, double reach)
{
    double side = 0.0;
    for (int k = 0; k < 3; k++) {
        const double *u = corners[k], *v = corners[k == 2 ? 0 : k + 1];
        double a = (v[1] - u[1]) * sign, b = (v[2] - u[2]) * sign;
        leaf->edge[k][0][lane] = a;
        leaf->edge[k][1][lane] = b;
        leaf->edge[k][2][lane] = b * (u[1] - leaf->centre[1]) - a * (u[2] - leaf->centre[2]);
        side = fabs(a) > side ? fabs(a) : side;
        side = fabs(b) > side ? fabs(b) : side;
    }
    leaf->edge_bound[lane] = (16.0 * side) * reach * (4.0 * 0x1p-53) + 0x1p-1000;
}

/* The plane: less than 128 u side^2 distance in the same way. */
static void set_plane(struct winding_leaf *leaf, uint32_t lane, const double *const corners[3], double sign, double reach)
{
    double e[2][3], normal[3], at[3], side = 0.0;
    for (int k = 0; k < 2; k++) {
        for (int axis = 0; axis < 3; axis++) {
            e[k][axis] = corners[k + 1][axis] - corners[0][axis];
            side = fabs(e[k][axis]) > side ? fabs(e[k][axis]) : side;
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        int i = axis == 2 ? 0 : axis + 1, j = axis == 0 ? 2 : axis - 1;
        normal[axis] = (e[0][i] * e[1][j] - e[0][j] * e[1][i]) * sign;
        at[axis] = corners[0][axis] - leaf->centre[axis];
        leaf->plane[axis][lane] = normal[axis];
    }
    leaf->plane[3][lane] = -((normal[0] * at[0] + normal[1] * at[1]) + normal[2] * at[2]);
    leaf->plane_bound[lane] = (16.0 * side * side + 0x1p-1000) * (16.0 * reach) * 0x1p-53 + 0x1p-1000;
}

static void set_boxes(const struct winding_tree *tree, struct winding_leaf *leaf, uint32_t used, double reach[3])
{
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (uint32_t lane = 0; lane < WINDING_LANES; lane++) {
            leaf->low[axis][lane] = INFINITY;
            leaf->high[axis][lane] = -INFINITY;
            if (lane < used) {
                face_range(tree, leaf->faces[lane], axis, &leaf->low[axis][lane], &leaf->high[axis][lane]);
                low = leaf->low[axis][lane] < low ? leaf->low[axis][lane] : low;
                high = leaf->high[axis][lane] > high ? leaf->high[axis][lane] : high;
            }
        }
        leaf->centre[axis] = 0.5 * low + 0.5 * high;
        double above = high - leaf->centre[axis], below = leaf->centre[axis] - low;
        reach[axis] = (above > below ? above : below) * (1.0 + 0x1p-50);
    }
}

static void fill_leaf(const struct winding_tree *tree, struct winding_leaf *leaf, const uint32_t *faces, uint32_t used)
{
    predicate_counters counters = {0};
    double reach[3];
    memset(leaf, 0, sizeof *leaf);
    memcpy(leaf->faces, faces, used * sizeof *faces);
    set_boxes(tree, leaf, used, reach);
    double shadow_reach = reach[1] > reach[2] ? reach[1] : reach[2];
    for (uint32_t lane = 0; lane < used; lane++) {
        const uint32_t *v = tree->triangles[faces[lane]];
        const double *const corners[3] = {tree->positions[v[0]], tree->positions[v[1]], tree->positions[v[2]]};
        int orientation = orientation_2d_counted(corners[0], corners[1], corners[2], 1, 2, &counters);
        leaf->positive |= (orientation > 0 ? 1u : 0u) << lane;
        leaf->upright |= (orientation == 0 ? 1u : 0u) << lane;
        set_edges(leaf, lane, corners, orientation, shadow_reach);
        set_plane(leaf, lane, corners, orientation, shadow_reach > reach[0] ? shadow_reach : reach[0]);
    }
}

/* ---- boxes ------------------------------------------------------------------------------------------------------- */

/* Eight boxes become one. */
static void join_boxes(const double low[3][WINDING_LANES], const double high[3][WINDING_LANES],
                       struct winding_node *node, uint32_t lane)
{
    for (int axis = 0; axis < 3; axis++) {
        double least = INFINITY, most = -INFINITY;
        for (int i = 0; i < WINDING_LANES; i++) {
            least = low[axis][i] < least ? low[axis][i] : least;
            most = high[axis][i] > most ? high[axis][i] : most;
        }
        node->low[axis][lane] = least;
        node->high[axis][lane] = most;
    }
}

static void plan_levels(struct winding_tree *tree, uint32_t face_count)
{
    uint32_t boxes = face_count / WINDING_LANES + (face_count % WINDING_LANES > 0);
    tree->leaf_count = boxes;
    while (boxes > 0) {
        uint32_t level = tree->level_count++;
        tree->first_node[level] = (uint32_t)tree->node_count;
        tree->node_counts[level] = boxes / WINDING_LANES + (boxes % WINDING_LANES > 0);
        tree->node_count += tree->node_counts[level];
        boxes = tree->node_counts[level] > 1 ? tree->node_counts[level] : 0;
    }
}

static void set_levels(struct winding_tree *tree)
{
    for (uint32_t level = 0; level < tree->level_count; level++) {
        struct winding_node *nodes = tree->nodes + tree->first_node[level];
        const struct winding_node *children = level ? tree->nodes + tree->first_node[level - 1] : NULL;
        uint32_t child_count = level ? tree->node_counts[level - 1] : tree->leaf_count;
        memset(nodes, 0, tree->node_counts[level] * sizeof *nodes);
        for (uint32_t child = 0; child < tree->node_counts[level] * WINDING_LANES; child++) {
            struct winding_node *node = &nodes[child / WINDING_LANES];
            uint32_t lane = child % WINDING_LANES;
            if (child >= child_count) {
                for (int axis = 0; axis < 3; axis++) {
                    node->low[axis][lane] = INFINITY;
                    node->high[axis][lane] = -INFINITY;
                }
            } else if (level == 0) {
                join_boxes(tree->leaves[child].low, tree->leaves[child].high, node, lane);
            } else {
                join_boxes(children[child].low, children[child].high, node, lane);
            }
        }
    }
}

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* The directed edges of faces that do not cancel, if they are few: appended to `edges`. Returns false without memory.
 * *kept: there is a chain. */
static bool chain_of_faces(const struct winding_tree *tree, const uint32_t *faces, size_t face_count,
                           struct face_sort *sort, struct dynamic_array *edges, bool *kept)
{
    size_t count = 0, first = edges->count;
    for (size_t i = 0; i < face_count; i++) {
        const uint32_t *v = tree->triangles[faces[i]];
        for (int k = 0; k < 3; k++) {
            uint32_t a = v[k], b = v[k == 2 ? 0 : k + 1];
            sort->keys[count] = (uint64_t)(a < b ? a : b) << 32 | (a < b ? b : a);
            sort->order[count++] = a < b;
        }
    }
    radix_sort_u64(sort->keys, sort->order, sort->key_scratch, sort->order_scratch, count);
    *kept = true;
    for (size_t i = 0, end; i < count && *kept; i = end) {
        int sum = 0;
        for (end = i; end < count && sort->keys[end] == sort->keys[i]; end++) {
            sum += sort->order[end] ? 1 : -1;
        }
        uint32_t low = (uint32_t)(sort->keys[i] >> 32), high = (uint32_t)sort->keys[i];
        uint32_t edge[2] = {sum > 0 ? low : high, sum > 0 ? high : low};
        for (int k = sum < 0 ? -sum : sum; k > 0 && *kept; k--) {
            *kept = edges->count - first < WINDING_CHAIN_MOST;
            if (*kept && !array_push(edges, edge)) {
                return false;
            }
        }
    }
    if (!*kept) {
        edges->count = first;
    }
    return true;
}

static bool set_chains(struct winding_tree *tree, const uint32_t *order, uint32_t face_count, struct face_sort *sort,
                       struct dynamic_array *edges)
{
    uint64_t part = WINDING_LANES * WINDING_LANES; /* triangles of a child */
    for (uint32_t level = 1; level < tree->level_count; level++, part *= WINDING_LANES) {
        for (uint32_t child = 0; child < tree->node_counts[level - 1]; child++) {
            struct winding_node *node = &tree->nodes[tree->first_node[level] + child / WINDING_LANES];
            uint32_t lane = child % WINDING_LANES;
            uint64_t first = child * part, count = face_count - first < part ? face_count - first : part;
            node->chain_first[lane] = (uint32_t)edges->count;
            bool kept;
            if (!chain_of_faces(tree, order + first, count, sort, edges, &kept)) {
                return false;
            }
            node->chain_count[lane] = (uint32_t)edges->count - node->chain_first[lane];
            node->chains |= (kept ? 1u : 0u) << lane;
        }
    }
    return true;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* The order of faces survives in the leaves; the arrays of the sort are used again for the chains. */
static bool fill_tree(struct winding_tree *tree, dent_context *context, uint32_t face_count, struct face_sort *sort)
{
    struct dynamic_array edges;
    array_init(&edges, context, sizeof(uint32_t[2]));
    uint32_t *order = dent_allocate(context, face_count, sizeof *order);
    order_faces(tree, sort, face_count);
    bool complete = order != NULL;
    if (complete) {
        memcpy(order, sort->order, face_count * sizeof *order);
        for (uint32_t leaf = 0; leaf < tree->leaf_count; leaf++) {
            uint32_t first = leaf * WINDING_LANES, left = face_count - first;
            fill_leaf(tree, &tree->leaves[leaf], order + first, left < WINDING_LANES ? left : WINDING_LANES);
        }
        set_levels(tree);
        complete = set_chains(tree, order, face_count, sort, &edges);
    }
    if (complete && edges.count > 0) {
        tree->chain_edges = dent_allocate(context, edges.count, sizeof *tree->chain_edges);
        complete = tree->chain_edges != NULL;
        if (complete) {
            tree->chain_edge_count = edges.count;
            memcpy(tree->chain_edges, edges.data, edges.count * sizeof *tree->chain_edges);
        }
    }
    dent_release(context, order, face_count, sizeof *order);
    array_destroy(&edges);
    return complete;
}

dent_status winding_tree_build(struct winding_tree *tree, dent_context *context, const double (*positions)[3],
                               const uint32_t (*triangles)[3], uint32_t triangle_count)
{
    *tree = (struct winding_tree){.positions = positions, .triangles = triangles};
    plan_levels(tree, triangle_count);
    tree->leaves = dent_allocate(context, tree->leaf_count, sizeof *tree->leaves);
    tree->nodes = dent_allocate(context, tree->node_count, sizeof *tree->nodes);
    struct face_sort sort = {0};
    bool complete = tree->leaves && tree->nodes && face_sort_begin(&sort, context, 3 * (size_t)triangle_count) &&
                    fill_tree(tree, context, triangle_count, &sort);
    face_sort_end(&sort, context);
    if (!complete) {
        winding_tree_destroy(tree, context);
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    return DENT_OK;
}

void winding_tree_destroy(struct winding_tree *tree, dent_context *context)
{
    dent_release(context, tree->chain_edges, tree->chain_edge_count, sizeof *tree->chain_edges);
    dent_release(context, tree->nodes, tree->node_count, sizeof *tree->nodes);
    dent_release(context, tree->leaves, tree->leaf_count, sizeof *tree->leaves);
    *tree = (struct winding_tree){0};
}

uint64_t winding_tree_bytes(const struct winding_tree *tree)
{
    return tree->leaf_count * (uint64_t)sizeof *tree->leaves + tree->node_count * sizeof *tree->nodes +
           tree->chain_edge_count * sizeof *tree->chain_edges;
}

/* ---- exact tests ------------------------------------------------------------------------------------------------- */

void winding_test_exactly(const struct winding_tree *tree, uint32_t face, uint32_t lane, struct winding_group *group)
{
    const double point[3] = {group->point[0][lane], group->point[1][lane], group->point[2][lane]};
    predicate_counters counters = {0};
    bool on;
    group->number[lane] += winding_number(point, tree->positions, &tree->triangles[face], 1, &counters, &on);
    group->on |= (on ? 1u : 0u) << lane;
    group->exact_tests++;
}

/* The point's shadow is thought moved by (e, e^2) in y and z, as in winding_number.c: then its ray in direction +y passes
 * no vertex, and it is on no edge. */
int winding_of_chain(const struct winding_tree *tree, uint32_t first, uint32_t count, const double point[3])
{
    predicate_counters counters = {0};
    int number = 0;
    for (uint32_t i = first; i < first + count; i++) {
        const double *u = tree->positions[tree->chain_edges[i][0]], *v = tree->positions[tree->chain_edges[i][1]];
        bool u_above = u[2] > point[2], v_above = v[2] > point[2];
        if (u_above == v_above) {
            continue;
        }
        int side = orientation_2d_counted(u, v, point, 1, 2, &counters);
        side = side ? side : v_above ? -1 : 1;
        number += v_above && side > 0 ? 1 : u_above && side < 0 ? -1 : 0;
    }
    return number;
}

int winding_tree_number(const struct winding_tree *tree, dent_isa isa, const double point[3], bool *on,
                        uint64_t *exact_tests)
{
    struct winding_group group;
    memset(&group, 0, sizeof group);
    for (int axis = 0; axis < 3; axis++) {
        group.low[axis] = group.high[axis] = point[axis];
        for (int lane = 0; lane < WINDING_LANES; lane++) {
            group.point[axis][lane] = point[axis];
        }
    }
    group.used = 1;
    winding_kernels_for(isa)->winding(tree, &group);
    *on = group.on & 1;
    *exact_tests += group.exact_tests;
    return *on ? 0 : group.number[0];
}
