/* Culling in one snapshot: masks from the leaves up, then groups and single nodes from the top level down. See
 * surface_culling.h.
 *
 * A level is done in three steps: what is culled one level up is culled here; groups that are not covered yet are
 * tested, and those that pass mark their nodes and the pairs among them; nodes that are still open are tested alone.
 * Marks are only ever set, so the order of the groups does not matter, nor who sets them. Small trees are done each by
 * one worker, large ones by all.
 */
#include "structures/surface/kernels/curvature_kernels.h"
#include "structures/surface/surface_culling.h"

#include "base/context.h"
#include "base/prefetch.h"
#include "structures/surface/culling_groups.h"

#include <string.h>

enum {
    LEAVES_PER_BLOCK = 128, /* a multiple of the arity */
    PAIRS_PER_BLOCK = 2048,
    GROUPS_PER_BLOCK = 32,
    SMALL_TREE = 1024,    /* leaves */
    LEAVES_MAX = 1 << 26, /* places and pairs are numbered with 32 and 30 bits */
    QUERIES_SKIPPED = 15, /* after one that did not pay */
    AHEAD = 3
};

/* About what things cost, in nanoseconds of one machine; only their ratios matter, and only for speed. */
enum { COST_OF_TREE = 2500, COST_OF_MASK = 60, COST_OF_TEST = 140, COST_OF_LEAF = 50, COST_OF_PAIR = 75 };

/* One worker's room. */
struct culling_worker {
    float *a, *b, *xyz;
    uint64_t tested;
};

struct culling_loop {
    const struct curvature_kernels *kernels;
    struct culling_worker *workers;
    struct surface_tree **trees;      /* those to be done */
    uint32_t tree_count, small_count; /* small ones come first */
    /* the tree and level at hand, for loops inside a tree */
    struct surface_tree *tree;
    uint32_t number;
};

/* ---- masks ----------------------------------------------------------------------------------- */

static void join_masks(struct surface_culling *culling, uint32_t number, uint32_t first, uint32_t last)
{
    struct culling_level *level = &culling->levels[number];
    const struct culling_level *below = &culling->levels[number - 1];
    for (uint32_t node = first; node < last; node++) {
        uint32_t child = node * LEAF_TREE_ARITY,
                 end = child + LEAF_TREE_ARITY < below->count ? child + LEAF_TREE_ARITY : below->count;
        uint32_t mask = CURVATURE_ALL;
        float normal[3] = {0, 0, 0};
        for (; child < end; child++) {
            mask &= below->masks[child];
            for (int axis = 0; axis < 3; axis++) {
                normal[axis] += below->normals[child][axis];
            }
        }
        level->masks[node] = mask;
        memcpy(level->normals[node], normal, sizeof normal);
    }
}

/* Leaves of a block and the nodes right above them. */
static void mask_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct culling_loop *loop = data;
    struct surface_culling *culling = loop->tree->culling;
    struct culling_level *level = &culling->levels[0];
    uint32_t first = block * LEAVES_PER_BLOCK,
             last = level->count - first < LEAVES_PER_BLOCK ? level->count : first + LEAVES_PER_BLOCK;
    for (uint32_t leaf = first; leaf < last; leaf++) {
        struct leaf_curvature curvature;
        loop->kernels->leaf(&loop->tree->points[leaf], &culling->corners[leaf], &curvature);
        level->masks[leaf] = curvature.mask; /* nodes with a face that cannot be oriented have no cycle */
        memcpy(level->normals[leaf], curvature.normal, sizeof curvature.normal);
    }
    if (culling->level_count > 1) {
        join_masks(culling, 1, first / LEAF_TREE_ARITY, (last + LEAF_TREE_ARITY - 1) / LEAF_TREE_ARITY);
    }
}

/* ---- a region -------------------------------------------------------------------------------- */

/* Of the directions in the mask, the one nearest to the normal. A hint only: any of them would do. */
static uint32_t best_in_mask(uint32_t mask, const float normal[3])
{
    static const float shrink[CURVATURE_AXES] = {1,           1,           1,           0.57735026f, 0.57735026f,
                                                 0.57735026f, 0.57735026f, 0.70710677f, 0.70710677f, 0.70710677f,
                                                 0.70710677f, 0.70710677f, 0.70710677f};
    uint32_t best = (uint32_t)__builtin_ctz(mask);
    float best_height = -1;
    for (; mask; mask &= mask - 1) {
        uint32_t direction = (uint32_t)__builtin_ctz(mask),
                 axis = direction < CURVATURE_AXES ? direction : direction - CURVATURE_AXES;
        float height =
            shrink[axis] * ((normal[0] * (float)curvature_axes[axis][0] + normal[1] * (float)curvature_axes[axis][1]) +
                            normal[2] * (float)curvature_axes[axis][2]);
        height = direction < CURVATURE_AXES ? height : -height;
        if (height > best_height) {
            best_height = height;
            best = direction;
        }
    }
    return best;
}

/* The nearest of all 26 is told by the sizes of the components: one, two or three of them. Mostly it is in the mask. */
static uint32_t best_direction(uint32_t mask, const float normal[3])
{
    /* By signs (bit i: component i is negative). */
    static const uint8_t diagonals[8] = {3, 17, 18, 6, 19, 5, 4, 16};
    /* Of components (y, z), (x, z), (x, y), by two signs. */
    static const uint8_t pairs[3][4] = {{7, 21, 8, 20}, {9, 23, 10, 22}, {11, 25, 12, 24}};
    uint32_t sign[3], least = 0, most = 0;
    float size[3], sum = 0;
    for (uint32_t i = 0; i < 3; i++) {
        sign[i] = normal[i] < 0;
        size[i] = sign[i] ? -normal[i] : normal[i];
        sum += size[i];
        least = size[i] < size[least] ? i : least;
        most = size[i] > size[most] ? i : most;
    }
    float one = size[most], two = 0.70710677f * (sum - size[least]), three = 0.57735026f * sum;
    uint32_t direction = most + (sign[most] ? CURVATURE_AXES : 0);
    if (three > two && three > one) {
        direction = diagonals[sign[0] | sign[1] << 1 | sign[2] << 2];
    } else if (two > one) {
        direction = pairs[least][sign[least == 0] | sign[least == 2 ? 1 : 2] << 1];
    }
    return mask >> direction & 1 ? direction : best_in_mask(mask, normal);
}

/* Conditions (1) and (2) of surface_culling.h for a region with this cycle. */
static bool region_is_free(const struct culling_loop *loop, struct culling_worker *worker, uint32_t mask,
                           const float normal[3], const struct culling_level *level, const struct culling_cycle *cycle,
                           uint32_t centre)
{
    const struct surface_tree *tree = loop->tree;
    if (mask == 0 || tree->culling->trust_normals) {
        return mask != 0;
    }
    const float *points = &tree->points[0].x[0][0];
    float middle[3];
    struct star_question question = {.points = points,
                                     .runs = (const struct polygon_run *)level->runs.data + cycle->first_run,
                                     .run_count = cycle->run_count,
                                     .count = cycle->count,
                                     .basis = curvature_bases[best_direction(mask, normal)],
                                     .a = worker->a,
                                     .b = worker->b,
                                     .xyz = worker->xyz};
    if (centre != UINT32_MAX) {
        for (int axis = 0; axis < 3; axis++) {
            middle[axis] = points[centre + (uint32_t)axis * LEAF_VERTICES];
        }
        question.centre = middle;
    }
    struct star_answer answer;
    loop->kernels->star(&question, &answer);
    worker->tested++;
    return (double)answer.least_turn > star_bound(&answer) && answer.rises == 1;
}

/* ---- a level --------------------------------------------------------------------------------- */

static const struct culling_group *groups_of(const struct culling_level *level)
{
    return level->groups.data;
}

static const uint32_t *numbers_of(const struct culling_list *list)
{
    return list->data;
}

static bool is_covered(const struct culling_level *upper, struct culling_cover cover)
{
    switch (cover.kind) {
    case COVER_NODE:
        return upper->node_culled[cover.index];
    case COVER_PAIR:
        return upper->pair_culled[cover.index];
    case COVER_GROUP:
        return upper->group_culled[cover.index];
    default:
        return false;
    }
}

/* Others set the same byte to the same value at the same time. */
static void mark(uint8_t *byte)
{
    __atomic_store_n(byte, 1, __ATOMIC_RELAXED);
}

static void cover_nodes(struct surface_culling *culling, uint32_t number, uint32_t first, uint32_t last)
{
    struct culling_level *level = &culling->levels[number];
    if (number + 1 == culling->level_count) {
        memset(level->node_culled + first, 0, last - first);
        return;
    }
    const struct culling_level *upper = &culling->levels[number + 1];
    /* `first` is a multiple of the arity: sixteen bytes of one value at a time. */
    for (uint32_t node = first; node < last; node += LEAF_TREE_ARITY) {
        uint32_t count = last - node < LEAF_TREE_ARITY ? last - node : LEAF_TREE_ARITY;
        memset(level->node_culled + node, upper->node_culled[node / LEAF_TREE_ARITY], count);
    }
}

static void cover_pairs(struct surface_culling *culling, uint32_t number, uint32_t first, uint32_t last)
{
    struct culling_level *level = &culling->levels[number];
    if (number + 1 == culling->level_count) {
        memset(level->pair_culled + first, 0, last - first);
        return;
    }
    const struct culling_level *upper = &culling->levels[number + 1];
    const struct culling_cover *covers = level->pair_covers.data;
    for (uint32_t pair = first; pair < last; pair++) {
        level->pair_culled[pair] = is_covered(upper, covers[pair]);
    }
}

/* Directions left by the leaves of faces that fill notches. */
static uint32_t extra_mask(const struct surface_culling *culling, const struct culling_level *level,
                           const struct culling_cycle *cycle)
{
    const uint32_t *extras = numbers_of(&level->extras) + cycle->first_extra;
    uint32_t mask = CURVATURE_ALL;
    for (uint32_t i = 0; i < cycle->extra_count; i++) {
        mask &= culling->levels[0].masks[extras[i]];
    }
    return mask;
}

/* A group whose masks leave a direction. */
struct open_group {
    uint32_t index, mask;
    float normal[3];
};

static bool open_group_make(const struct surface_culling *culling, const struct culling_level *level, uint32_t index,
                            struct open_group *open)
{
    const struct culling_group *group = &groups_of(level)[index];
    const uint32_t *members = numbers_of(&level->members) + group->first_member;
    *open = (struct open_group){index, CURVATURE_ALL, {0, 0, 0}};
    for (uint32_t i = 0; i < group->member_count; i++) {
        open->mask &= level->masks[members[i]];
        for (int axis = 0; axis < 3; axis++) {
            open->normal[axis] += level->normals[members[i]][axis];
        }
    }
    open->mask &= open->mask ? extra_mask(culling, level, &group->cycle) : 0;
    return open->mask != 0;
}

/* Asks early for what the test of a group will read. */
PREFETCH_FUNCTION fetch_group(const struct surface_tree *tree, const struct culling_level *level, uint32_t index)
{
    const struct culling_group *group = &groups_of(level)[index];
    const struct polygon_run *runs = (const struct polygon_run *)level->runs.data + group->cycle.first_run;
    const float *points = &tree->points[0].x[0][0];
    for (uint32_t i = 0; i < group->cycle.run_count && i < 2 * CURVATURE_LANES; i++) {
        for (int axis = 0; axis < 3; axis++) {
            __builtin_prefetch(points + runs[i].slot + axis * LEAF_VERTICES);
        }
    }
}

static void mark_group(struct culling_level *level, uint32_t index)
{
    const struct culling_group *group = &groups_of(level)[index];
    const uint32_t *members = numbers_of(&level->members) + group->first_member,
                   *pairs = numbers_of(&level->pairs) + group->first_pair;
    level->group_culled[index] = 1;
    for (uint32_t i = 0; i < group->member_count; i++) {
        mark(&level->node_culled[members[i]]);
    }
    for (uint32_t i = 0; i < group->pair_count; i++) {
        mark(&level->pair_culled[pairs[i]]);
    }
}

/* At most GROUPS_PER_BLOCK groups: first those that need a test are collected, then they are tested, each fetched while
 * an earlier one is at work. What a cover culls is marked already. */
static void test_groups(const struct culling_loop *loop, struct culling_worker *worker, uint32_t first, uint32_t last)
{
    struct surface_culling *culling = loop->tree->culling;
    struct culling_level *level = &culling->levels[loop->number];
    const struct culling_level *upper = loop->number + 1 < culling->level_count ? level + 1 : NULL;
    struct open_group open[GROUPS_PER_BLOCK];
    uint32_t count = 0;
    for (uint32_t index = first; index < last; index++) {
        level->group_culled[index] = upper && is_covered(upper, groups_of(level)[index].cover);
        count += !level->group_culled[index] && open_group_make(culling, level, index, &open[count]);
    }
    for (uint32_t i = 0; i < count; i++) {
        if (i + AHEAD < count) {
            fetch_group(loop->tree, level, open[i + AHEAD].index);
        }
        const struct culling_group *group = &groups_of(level)[open[i].index];
        if (region_is_free(loop, worker, open[i].mask, open[i].normal, level, &group->cycle, group->centre)) {
            mark_group(level, open[i].index);
        }
    }
}

static void test_nodes(const struct culling_loop *loop, struct culling_worker *worker, uint32_t first, uint32_t last)
{
    struct culling_level *level = &loop->tree->culling->levels[loop->number];
    for (uint32_t node = first; node < last; node++) {
        const struct culling_cycle *cycle = (const struct culling_cycle *)level->node_cycles.data + node;
        if (!level->node_culled[node] && level->masks[node] && cycle->count > 0) {
            uint32_t mask = level->masks[node] & extra_mask(loop->tree->culling, level, cycle);
            level->node_culled[node] =
                region_is_free(loop, worker, mask, level->normals[node], level, cycle, UINT32_MAX);
        }
    }
}

/* ---- trees ----------------------------------------------------------------------------------- */

static uint32_t range_end(uint32_t first, uint32_t size, uint32_t count)
{
    return count - first < size ? count : first + size;
}

static void cover_block(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    const struct culling_loop *loop = data;
    struct surface_culling *culling = loop->tree->culling;
    uint32_t first = block * PAIRS_PER_BLOCK, pairs = (uint32_t)culling->levels[loop->number].pair_count;
    cover_pairs(culling, loop->number, first, range_end(first, PAIRS_PER_BLOCK, pairs));
}

static void group_block(void *data, uint32_t block, uint32_t worker)
{
    const struct culling_loop *loop = data;
    uint32_t first = block * GROUPS_PER_BLOCK, count = (uint32_t)loop->tree->culling->levels[loop->number].groups.count;
    test_groups(loop, &loop->workers[worker], first, range_end(first, GROUPS_PER_BLOCK, count));
}

static void node_block(void *data, uint32_t block, uint32_t worker)
{
    const struct culling_loop *loop = data;
    uint32_t first = block * LEAVES_PER_BLOCK, count = loop->tree->culling->levels[loop->number].count;
    test_nodes(loop, &loop->workers[worker], first, range_end(first, LEAVES_PER_BLOCK, count));
}

static uint32_t blocks_for(size_t count, uint32_t size)
{
    return (uint32_t)(count / size + (count % size != 0));
}

/* One tree, all workers. */
static void cull_large_tree(struct culling_loop *loop)
{
    struct surface_culling *culling = loop->tree->culling;
    dent_context *context = culling->context;
    dent_parallel_for(context, blocks_for(culling->leaf_count, LEAVES_PER_BLOCK), mask_block, loop);
    for (uint32_t number = 2; number < culling->level_count; number++) {
        join_masks(culling, number, 0, culling->levels[number].count);
    }
    for (loop->number = culling->level_count; loop->number-- > 0;) {
        const struct culling_level *level = &culling->levels[loop->number];
        cover_nodes(culling, loop->number, 0, level->count);
        dent_parallel_for(context, blocks_for(level->pair_count, PAIRS_PER_BLOCK), cover_block, loop);
        dent_parallel_for(context, blocks_for(level->groups.count, GROUPS_PER_BLOCK), group_block, loop);
        dent_parallel_for(context, blocks_for(level->count, LEAVES_PER_BLOCK), node_block, loop);
    }
}

/* One tree, one worker. */
static void cull_small_tree(void *data, uint32_t block, uint32_t worker)
{
    struct culling_loop loop = *(const struct culling_loop *)data;
    struct surface_tree *tree = loop.tree = loop.trees[block];
    struct surface_culling *culling = tree->culling;
    for (uint32_t i = 0; i < blocks_for(tree->leaf_count, LEAVES_PER_BLOCK); i++) {
        mask_block(&loop, i, worker);
    }
    for (uint32_t number = 2; number < culling->level_count; number++) {
        join_masks(culling, number, 0, culling->levels[number].count);
    }
    for (loop.number = culling->level_count; loop.number-- > 0;) {
        const struct culling_level *level = &culling->levels[loop.number];
        cover_nodes(culling, loop.number, 0, level->count);
        cover_pairs(culling, loop.number, 0, (uint32_t)level->pair_count);
        for (uint32_t i = 0; i < blocks_for(level->groups.count, GROUPS_PER_BLOCK); i++) {
            group_block(&loop, i, worker);
        }
        test_nodes(&loop, &loop.workers[worker], 0, level->count);
    }
}

static uint64_t sum_of_bytes(const uint8_t *bytes, size_t count)
{
    uint64_t sum = 0;
    size_t i = 0;
    for (; i + sizeof(uint64_t) <= count; i += sizeof(uint64_t)) { /* marks are 0 or 1: eight of them fit one product */
        uint64_t eight;
        memcpy(&eight, bytes + i, sizeof eight);
        sum += eight * 0x0101010101010101u >> 56;
    }
    for (; i < count; i++) {
        sum += bytes[i];
    }
    return sum;
}

/* Hands the marks to the levels of the tree and judges whether they were worth it. */
static void finish_tree(struct surface_tree *tree, uint64_t tested, struct culling_counts *counts)
{
    struct surface_culling *culling = tree->culling;
    for (uint32_t number = 0; number < culling->level_count; number++) {
        tree->levels[number].node_culled = culling->levels[number].node_culled;
        tree->levels[number].pair_culled = culling->levels[number].pair_culled;
    }
    uint64_t nodes = sum_of_bytes(culling->levels[0].node_culled, culling->levels[0].count);
    uint64_t pairs = sum_of_bytes(culling->levels[0].pair_culled, culling->levels[0].pair_count);
    counts->nodes_culled += nodes;
    counts->pairs_culled += pairs;
    counts->pairs += culling->levels[0].count + culling->levels[0].pair_count;
    uint64_t cost = COST_OF_TREE + COST_OF_MASK * (uint64_t)culling->leaf_count + COST_OF_TEST * tested;
    if (COST_OF_LEAF * nodes + COST_OF_PAIR * pairs < cost && !culling->always) {
        culling->queries_to_skip = QUERIES_SKIPPED;
    }
}

/* ---- a forest -------------------------------------------------------------------------------- */

/* No marks: nothing is culled. */
static void clear_tree(struct surface_tree *tree)
{
    for (uint32_t number = 0; number < tree->level_count; number++) {
        tree->levels[number].node_culled = tree->levels[number].pair_culled = NULL;
    }
}

static bool is_worth_trying(struct surface_tree *tree, const struct body *body)
{
    if (!body->self_collision || body_is_thin(body) || tree->leaf_count == 0 || tree->leaf_count > LEAVES_MAX) {
        return false;
    }
    if (tree->culling && tree->culling->queries_to_skip > 0 && !tree->culling->always) {
        tree->culling->queries_to_skip--;
        return false;
    }
    return true;
}

/* The trees to be done, small ones first. False: no memory. */
static bool choose_trees(struct culling_loop *loop, struct surface_forest *forest, const struct snapshot *snapshot,
                         struct arena *scratch)
{
    loop->trees = arena_allocate(scratch, forest->body_count, sizeof(struct surface_tree *));
    if (!loop->trees) {
        return false;
    }
    uint32_t large = forest->body_count;
    for (uint32_t body_index = 0; body_index < forest->body_count; body_index++) {
        struct surface_tree *tree = forest->bodies[body_index].tree;
        if (!is_worth_trying(tree, snapshot->bodies[body_index].body)) {
            continue;
        }
        if (!tree->culling && !(tree->culling = surface_culling_create(tree, snapshot->bodies[body_index].body))) {
            return false;
        }
        loop->trees[tree->leaf_count <= SMALL_TREE ? loop->small_count++ : --large] = tree;
    }
    memmove(loop->trees + loop->small_count, loop->trees + large,
            (forest->body_count - large) * sizeof(struct surface_tree *));
    loop->tree_count = loop->small_count + forest->body_count - large;
    return true;
}

/* Room for every tree, also those that sit this query out: a query takes as much scratch as any other, so that the one
 * in which they are tried again needs no more than what warming up has brought. */
static bool make_workers(struct culling_loop *loop, const struct surface_forest *forest, struct arena *scratch)
{
    uint32_t longest = 0, count = dent_context_worker_count(forest->context);
    for (uint32_t body_index = 0; body_index < forest->body_count; body_index++) {
        const struct surface_culling *culling = forest->bodies[body_index].tree->culling;
        uint32_t cycle = culling ? culling->longest_cycle : 0;
        longest = cycle > longest ? cycle : longest;
    }
    size_t room = star_room(longest);
    loop->workers = arena_allocate(scratch, count, sizeof *loop->workers);
    for (uint32_t i = 0; loop->workers && i < count; i++) {
        struct culling_worker *worker = &loop->workers[i];
        worker->a = arena_allocate(scratch, room, 5 * sizeof(float));
        if (!worker->a) {
            return false;
        }
        worker->b = worker->a + room;
        worker->xyz = worker->b + room;
        worker->tested = 0;
    }
    return loop->workers != NULL;
}

static uint64_t tests_so_far(const struct culling_loop *loop, dent_context *context)
{
    uint64_t tested = 0;
    for (uint32_t i = 0; i < dent_context_worker_count(context); i++) {
        tested += loop->workers[i].tested;
    }
    return tested;
}

bool surface_culling_run(struct surface_forest *forest, const struct snapshot *snapshot, dent_isa isa,
                         struct arena *scratch, struct culling_counts *counts)
{
    struct culling_loop loop = {.kernels = curvature_kernels_for(isa)};
    if (forest->made.valid && forest->made.culled) {
        *counts = forest->culled;
        return true;
    }
    for (uint32_t body_index = 0; body_index < forest->body_count; body_index++) {
        clear_tree(forest->bodies[body_index].tree);
    }
    if (!choose_trees(&loop, forest, snapshot, scratch) || !make_workers(&loop, forest, scratch)) {
        return false;
    }
    dent_parallel_for(forest->context, loop.small_count, cull_small_tree, &loop);
    uint64_t tested = tests_so_far(&loop, forest->context);
    for (uint32_t i = 0; i < loop.tree_count; i++) {
        uint64_t of_tree =
            loop.small_count > 0 ? tested / loop.small_count : 0; /* small ones are judged by their mean */
        loop.tree = loop.trees[i];
        if (i >= loop.small_count) {
            uint64_t before = tests_so_far(&loop, forest->context);
            cull_large_tree(&loop);
            of_tree = tests_so_far(&loop, forest->context) - before;
        }
        finish_tree(loop.tree, of_tree, counts);
    }
    counts->regions_tested += tests_so_far(&loop, forest->context);
    forest->culled = *counts;
    forest->made.culled = true;
    return true;
}
