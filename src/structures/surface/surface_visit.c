/* Visiting all pairs of leaves whose boxes meet, in parallel blocks of groups. See surface_forest.h. */
#include "structures/surface/kernels/surface_kernels.h"
#include "structures/surface/surface_forest.h"

#include "structures/surface/surface_walk.h"

enum { GROUPS_PER_BLOCK = 8, BLOCKS_MAX = 2048 };

struct visitor_walk {
    struct surface_walk walk;
    const struct leaf_pair_visitor *visitor;
    uint32_t block, worker;
    struct leaf_pair pairs[WALK_BATCH];
};

struct visit_loop {
    const struct surface_forest *forest;
    struct cancel_flag *cancel;
    uint32_t groups_per_block;
    struct visitor_walk *walks; /* by worker */
};

static void hand_over(struct surface_walk *walk, uint32_t body_index_a)
{
    struct visitor_walk *state = walk->user;
    for (uint32_t i = 0; i < walk->count; i++) {
        const struct walk_pair *pair = &walk->pairs[i];
        state->pairs[i] = (struct leaf_pair){body_index_a, pair->leaf_a, pair->body_index_b, pair->leaf_b,
                                             pair->shares != SHARES_NONE};
    }
    state->visitor->visit(state->visitor->user, state->block, state->worker, state->pairs, walk->count);
}

static void visit_block(void *data, uint32_t block, uint32_t worker)
{
    const struct visit_loop *loop = data;
    struct visitor_walk *state = &loop->walks[worker];
    uint32_t first = block * loop->groups_per_block;
    state->block = block;
    state->worker = worker;
    for (uint32_t i = 0; i < loop->groups_per_block && first + i < loop->forest->group_count; i++) {
        if (cancel_requested(loop->cancel)) {
            return;
        }
        surface_walk_group(&state->walk, first + i);
    }
}

bool surface_forest_visit_pairs(struct surface_forest *forest, const struct snapshot *snapshot, dent_isa isa,
                                struct cancel_flag *cancel, struct arena *scratch,
                                const struct leaf_pair_visitor *visitor, uint64_t *box_tests)
{
    uint32_t workers = dent_context_worker_count(forest->context), groups = forest->group_count;
    struct visit_loop loop = {.forest = forest, .cancel = cancel, .groups_per_block = GROUPS_PER_BLOCK};
    if (groups / BLOCKS_MAX >= GROUPS_PER_BLOCK) {
        loop.groups_per_block = groups / BLOCKS_MAX + 1;
    }
    loop.walks = arena_allocate(scratch, workers, sizeof *loop.walks);
    uint32_t blocks = groups / loop.groups_per_block + (groups % loop.groups_per_block != 0);
    if (!loop.walks || !visitor->begin(visitor->user, blocks)) {
        return false;
    }
    for (uint32_t worker = 0; worker < workers; worker++) {
        struct visitor_walk *state = &loop.walks[worker];
        state->visitor = visitor;
        state->walk.forest = forest;
        state->walk.snapshot = snapshot;
        state->walk.kernels = surface_kernels_for(isa);
        state->walk.culling = state->walk.faces_only = false;
        state->walk.no_two_strands = visitor->no_two_strands;
        state->walk.strands_and_rest = visitor->strands_and_rest;
        state->walk.take = hand_over;
        state->walk.user = state;
        state->walk.box_tests = state->walk.leaf_pairs = 0;
    }
    loop_costs_run(&forest->visit_costs, forest->context, blocks, visit_block, &loop);
    for (uint32_t worker = 0; worker < workers; worker++) {
        *box_tests += loop.walks[worker].walk.box_tests;
    }
    return true;
}
