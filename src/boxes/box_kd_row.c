/* The row of the k-d tree: space is split where the surface-area heuristic costs least; boxes lie in every leaf they meet.
 *
 * A leaf owns the half-open part of space [lo, hi) between the planes above it. A pair is taken in the leaf that owns the
 * larger of the two lower corners, which lies in both boxes, so it is taken once and never missed. References are bounded:
 * where another split would make more than REFERENCES_A_BOX for each box, a leaf stays large.
 */
#include "boxes/box_rows.h"

#include <math.h>
#include <string.h>

enum { LEAF_BOXES = 16, BINS = 16, DEPTH_MOST = 48, REFERENCES_A_BOX = 4, LEAVES_A_BLOCK = 32, NO_AXIS = 3 };

/* Inner: a plane and two children, one behind the other. Leaf: axis NO_AXIS. */
struct kd_node {
    float plane;
    uint32_t axis;
    uint32_t first; /* child, or reference */
    uint32_t count; /* references of a leaf */
};

struct kd_leaf {
    uint32_t node;
    float lo[3], hi[3]; /* what it owns */
};

struct box_kd_tree {
    const struct box_kernels *kernels;
    const struct box_record *records;
    struct kd_node *nodes;
    struct kd_leaf *leaves;
    uint32_t node_count, leaf_count, node_room;
    uint32_t *references, reference_count, reference_room;
    float *lo[3], *hi[3]; /* by reference */
    float bounds_lo[3], bounds_hi[3];
};

/* A node that is still to be split; its references are the last ones of the stack. */
struct kd_task {
    uint32_t node, depth, count;
    float lo[3], hi[3];     /* what it owns; infinite at the border */
    float box_lo[3], box_hi[3]; /* the same, cut to the bounds */
};

struct kd_work {
    struct box_kd_tree *tree;
    struct kd_task tasks[DEPTH_MOST + 2];
    uint32_t task_count;
    uint32_t *stack, *other; /* references of the tasks; room for those of one task */
    uint32_t stack_count, limit; /* references in the stack and in leaves together stay below */
};

/* ---- choice of the plane ----------------------------------------------------------------------------------------- */

struct kd_split {
    int axis;
    float plane;
    double cost;
};

static double half_area(const double edge[3])
{
    return edge[0] * edge[1] + edge[1] * edge[2] + edge[2] * edge[0];
}

static int bin_of(float x, float lo, double inverse)
{
    double bin = ((double)x - (double)lo) * inverse;
    return bin <= 0.0 ? 0 : bin >= BINS - 1 ? BINS - 1 : (int)bin;
}

/* Planes between the bins of one axis. A box begins in one bin and ends in another. */
static void try_axis(const struct kd_work *work, const struct kd_task *task, const uint32_t *references, int axis,
                     struct kd_split *best)
{
    const struct box_record *records = work->tree->records;
    uint32_t begins[BINS] = {0}, ends[BINS] = {0}, left = 0, right = task->count;
    double extent = (double)task->box_hi[axis] - (double)task->box_lo[axis], edge[3];
    if (!(extent > 0.0)) {
        return;
    }
    for (uint32_t i = 0; i < task->count; i++) {
        const struct box_record *record = &records[references[i]];
        begins[bin_of(record->lo[axis], task->box_lo[axis], BINS / extent)]++;
        ends[bin_of(record->hi[axis], task->box_lo[axis], BINS / extent)]++;
    }
    for (int k = 0; k < 3; k++) { /* flat sets have areas, too */
        double other = (double)task->box_hi[k] - (double)task->box_lo[k];
        edge[k] = other > 1e-3 * extent ? other : 1e-3 * extent;
    }
    double whole = half_area(edge);
    for (int bin = 1; bin < BINS; bin++) {
        left += begins[bin - 1];
        right -= ends[bin - 1];
        float plane = (float)((double)task->box_lo[axis] + extent * bin / BINS);
        edge[axis] = extent * bin / BINS;
        double area_left = half_area(edge);
        edge[axis] = extent - edge[axis];
        double area_right = half_area(edge);
        double cost = (left * area_left + right * area_right) / whole;
        if (plane > task->box_lo[axis] && plane < task->box_hi[axis] && cost < best->cost) {
            *best = (struct kd_split){axis, plane, cost};
        }
    }
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

static void make_leaf(struct kd_work *work, const struct kd_task *task)
{
    struct box_kd_tree *tree = work->tree;
    const uint32_t *references = work->stack + work->stack_count - task->count;
    struct kd_leaf *leaf = &tree->leaves[tree->leaf_count++];
    tree->nodes[task->node] = (struct kd_node){0.0f, NO_AXIS, tree->reference_count, task->count};
    leaf->node = task->node;
    memcpy(leaf->lo, task->lo, sizeof leaf->lo);
    memcpy(leaf->hi, task->hi, sizeof leaf->hi);
    memcpy(tree->references + tree->reference_count, references, task->count * sizeof *references);
    tree->reference_count += task->count;
    work->stack_count -= task->count;
}

/* The references of the task become those of its halves: right ones first, left ones on top. False: too many. */
static bool split_references(struct kd_work *work, const struct kd_task *task, const struct kd_split *split,
                             uint32_t *left_count, uint32_t *right_count)
{
    const struct box_record *records = work->tree->records;
    uint32_t *references = work->stack + work->stack_count - task->count, left = 0, right = 0;
    for (uint32_t i = 0; i < task->count; i++) {
        left += records[references[i]].lo[split->axis] < split->plane;
        right += records[references[i]].hi[split->axis] >= split->plane;
    }
    uint32_t others = work->tree->reference_count + work->stack_count - task->count;
    if (left == task->count || right == task->count ? left + right > task->count + task->count / 4
                                                    : left + right > task->count + task->count / 2) {
        return false;
    }
    if (others + left + right > work->limit) {
        return false;
    }
    memcpy(work->other, references, task->count * sizeof *references);
    uint32_t at_right = 0, at_left = right;
    for (uint32_t i = 0; i < task->count; i++) {
        const struct box_record *record = &records[work->other[i]];
        if (record->hi[split->axis] >= split->plane) {
            references[at_right++] = work->other[i];
        }
        if (record->lo[split->axis] < split->plane) {
            references[at_left++] = work->other[i];
        }
    }
    work->stack_count += left + right - task->count;
    *left_count = left;
    *right_count = right;
    return true;
}

static bool split_task(struct kd_work *work, const struct kd_task *task)
{
    struct box_kd_tree *tree = work->tree;
    struct kd_split split = {NO_AXIS, 0.0f, (double)task->count - 1.0};
    const uint32_t *references = work->stack + work->stack_count - task->count;
    uint32_t left, right;
    if (task->count <= LEAF_BOXES || task->depth >= DEPTH_MOST || tree->node_count + 2 > tree->node_room) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        try_axis(work, task, references, axis, &split);
    }
    if (split.axis == NO_AXIS || !split_references(work, task, &split, &left, &right)) {
        return false;
    }
    uint32_t children = tree->node_count;
    tree->node_count += 2;
    tree->nodes[task->node] = (struct kd_node){split.plane, (uint32_t)split.axis, children, 0};
    struct kd_task below = *task, above = *task;
    below.node = children;
    above.node = children + 1;
    below.depth = above.depth = task->depth + 1;
    below.count = left;
    above.count = right;
    below.hi[split.axis] = below.box_hi[split.axis] = split.plane;
    above.lo[split.axis] = above.box_lo[split.axis] = split.plane;
    work->tasks[work->task_count++] = above;
    work->tasks[work->task_count++] = below;
    return true;
}

static void split_all(struct kd_work *work)
{
    while (work->task_count > 0) {
        struct kd_task task = work->tasks[--work->task_count];
        if (!split_task(work, &task)) {
            make_leaf(work, &task);
        }
    }
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static bool allocate(struct box_kd_tree *tree, uint32_t count, struct arena *arena)
{
    bool enough = true;
    tree->reference_room = (count < UINT32_MAX / 8 ? count * REFERENCES_A_BOX : UINT32_MAX / 2) + 64;
    tree->node_room = tree->reference_room / 2 + 1;
    tree->nodes = arena_allocate(arena, tree->node_room, sizeof *tree->nodes);
    tree->leaves = arena_allocate(arena, (size_t)tree->node_room / 2 + 1, sizeof *tree->leaves);
    tree->references = arena_allocate(arena, (size_t)tree->reference_room + BOX_LANES, sizeof *tree->references);
    for (int axis = 0; axis < 3; axis++) {
        tree->lo[axis] = arena_allocate(arena, (size_t)tree->reference_room + BOX_LANES, sizeof(float));
        tree->hi[axis] = arena_allocate(arena, (size_t)tree->reference_room + BOX_LANES, sizeof(float));
        enough = enough && tree->lo[axis] && tree->hi[axis];
    }
    return enough && tree->nodes && tree->leaves && tree->references;
}

static bool split_boxes(struct box_kd_tree *tree, const struct box_store *store, struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    struct kd_work work = {.tree = tree, .limit = tree->reference_room};
    work.stack = arena_allocate(arena, tree->reference_room, sizeof *work.stack);
    work.other = arena_allocate(arena, store->present, sizeof *work.other);
    if (!work.stack || !work.other) {
        return false;
    }
    struct kd_task root = {.count = store->present};
    for (int axis = 0; axis < 3; axis++) {
        root.lo[axis] = -INFINITY;
        root.hi[axis] = INFINITY;
    }
    memcpy(tree->bounds_lo, store->lo, sizeof tree->bounds_lo);
    memcpy(tree->bounds_hi, store->hi, sizeof tree->bounds_hi);
    memcpy(root.box_lo, store->lo, sizeof root.box_lo);
    memcpy(root.box_hi, store->hi, sizeof root.box_hi);
    for (uint32_t i = 0; i < box_store_count(store); i++) {
        if (tree->records[i].lo[0] < INFINITY) {
            work.stack[work.stack_count++] = i;
        }
    }
    tree->node_count = 1;
    work.tasks[work.task_count++] = root;
    split_all(&work);
    arena_rewind(arena, mark);
    return true;
}

static void *build(const struct box_row_input *input)
{
    struct box_kd_tree *tree = arena_allocate(input->arena, 1, sizeof *tree);
    if (!tree) {
        return NULL;
    }
    *tree = (struct box_kd_tree){.kernels = box_kernels_for(dent_context_isa(input->context)),
                                 .records = box_store_records(input->store)};
    if (!allocate(tree, input->store->present, input->arena) || !split_boxes(tree, input->store, input->arena)) {
        return NULL;
    }
    for (uint32_t i = 0; i < tree->reference_count + BOX_LANES; i++) {
        const struct box_record *record = i < tree->reference_count ? &tree->records[tree->references[i]] : NULL;
        for (int axis = 0; axis < 3; axis++) {
            tree->lo[axis][i] = record ? record->lo[axis] : INFINITY;
            tree->hi[axis][i] = record ? record->hi[axis] : -INFINITY;
        }
    }
    memset(tree->references + tree->reference_count, 0, BOX_LANES * sizeof *tree->references);
    return tree;
}

/* ---- finding ----------------------------------------------------------------------------------------------------- */

/* References [begin, begin + count) of a leaf. */
static struct box_run run_of(const struct box_kd_tree *tree, uint32_t begin, uint32_t count, const float lo[3],
                             const float hi[3])
{
    struct box_run run = {.indices = tree->references + begin, .count = count, .owned = true};
    for (int axis = 0; axis < 3; axis++) {
        run.lo[axis] = tree->lo[axis] + begin;
        run.hi[axis] = tree->hi[axis] + begin;
        run.cell_lo[axis] = lo[axis];
        run.cell_hi[axis] = hi[axis];
    }
    return run;
}

static uint32_t block_count(const void *state)
{
    const struct box_kd_tree *tree = state;
    return tree->leaf_count / LEAVES_A_BLOCK + (tree->leaf_count % LEAVES_A_BLOCK > 0);
}

static void pairs(void *state, uint32_t block, struct pair_buffer *out)
{
    const struct box_kd_tree *tree = state;
    uint32_t first = block * LEAVES_A_BLOCK, left = tree->leaf_count - first;
    uint32_t end = left < LEAVES_A_BLOCK ? tree->leaf_count : first + LEAVES_A_BLOCK;
    for (uint32_t i = first; i < end; i++) {
        const struct kd_leaf *leaf = &tree->leaves[i];
        const struct kd_node *node = &tree->nodes[leaf->node];
        struct box_run run = run_of(tree, node->first, node->count, leaf->lo, leaf->hi);
        tree->kernels->join_run(&run, out);
    }
}

struct kd_visit {
    uint32_t node;
    float lo[3], hi[3];
};

static void window(const void *state, const float lo[3], const float hi[3], uint32_t list[BOX_LIST_ROOM],
                   box_list_function *function, void *data)
{
    const struct box_kd_tree *tree = state;
    struct kd_visit stack[DEPTH_MOST + 2] = {
        {0, {-INFINITY, -INFINITY, -INFINITY}, {INFINITY, INFINITY, INFINITY}}};
    uint32_t waiting = 1;
    while (waiting > 0) {
        struct kd_visit visit = stack[--waiting];
        const struct kd_node *node = &tree->nodes[visit.node];
        if (node->axis == NO_AXIS) {
            for (uint32_t done = 0, part; done < node->count; done += part) {
                part = node->count - done < BOX_LIST_MOST ? node->count - done : BOX_LIST_MOST;
                struct box_run run = run_of(tree, node->first + done, part, visit.lo, visit.hi);
                uint32_t found = tree->kernels->scan_run(&run, lo, hi, list);
                if (found) {
                    function(data, list, found);
                }
            }
            continue;
        }
        struct kd_visit below = visit, above = visit;
        below.node = node->first;
        above.node = node->first + 1;
        below.hi[node->axis] = above.lo[node->axis] = node->plane;
        if (hi[node->axis] >= node->plane) {
            stack[waiting++] = above;
        }
        if (lo[node->axis] < node->plane) {
            stack[waiting++] = below;
        }
    }
}

static struct box_row_size size(const void *state)
{
    const struct box_kd_tree *tree = state;
    return (struct box_row_size){tree->leaf_count, tree->reference_count};
}

/* A node and the part of the bounds it covers, on the way down. */
struct kd_part {
    uint32_t node, depth;
    double lo[3], hi[3];
};

static uint32_t deepest_of(const struct box_kd_tree *tree)
{
    struct kd_part waiting[DEPTH_MOST + 2] = {{.node = 0}};
    uint32_t count = 1, deepest = 0;
    while (count > 0) {
        struct kd_part part = waiting[--count];
        const struct kd_node *node = &tree->nodes[part.node];
        deepest = part.depth > deepest ? part.depth : deepest;
        for (uint32_t child = 0; child < 2 && node->axis != NO_AXIS; child++) {
            waiting[count++] = (struct kd_part){.node = node->first + child, .depth = part.depth + 1};
        }
    }
    return deepest;
}

static void shapes(const void *state, struct box_shapes *shapes)
{
    const struct box_kd_tree *tree = state;
    struct kd_part waiting[DEPTH_MOST + 2] = {{.node = 0}};
    uint32_t count = 1;
    box_shapes_limit(shapes, deepest_of(tree));
    for (int axis = 0; axis < 3; axis++) {
        waiting[0].lo[axis] = tree->bounds_lo[axis];
        waiting[0].hi[axis] = tree->bounds_hi[axis];
    }
    while (count > 0) {
        struct kd_part part = waiting[--count];
        const struct kd_node *node = &tree->nodes[part.node];
        if (node->axis == NO_AXIS || part.depth == shapes->level) {
            box_shapes_add(shapes, part.lo, part.hi);
            continue;
        }
        for (uint32_t child = 2; child-- > 0;) {
            waiting[count] = part;
            waiting[count].node = node->first + child;
            waiting[count].depth++;
            (child ? waiting[count].lo : waiting[count].hi)[node->axis] = node->plane;
            count++;
        }
    }
}

const struct box_row box_kd_tree_row = {
    .method = DENT_BOXES_KD_TREE,
    .name = "kd-tree",
    .build = build,
    .block_count = block_count,
    .pairs = pairs,
    .window = window,
    .size = size,
    .shapes = shapes,
};
