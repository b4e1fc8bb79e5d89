/* Finding the pairs of packets that may be near: group by group down the tree, sixteen boxes at a time, then the float
 * test of a packet against all its partners. See strand_packets.h.
 *
 * A group looks at itself and later groups only, so that each pair comes once.
 */
#include "structures/strands/strand_packets.h"

#include <string.h>

enum { WALK_GROUPS_PER_BLOCK = 16, WALK_BLOCKS_MAX = 4096, WALK_PARTNERS = 512 };

struct stacked_node {
    uint32_t level, node;
};

struct packet_walk {
    const struct strand_packets *packets;
    const struct strand_kernels *kernels;
    const struct packet_visitor *visitor;
    uint32_t block, worker;
    struct axis_bounds bounds[PACKET_ARITY]; /* of the packets of the group at hand … */
    uint32_t partner_counts[PACKET_ARITY];   /* … and who may be near to them */
    uint32_t partners[PACKET_ARITY][WALK_PARTNERS + 2 * PACKET_ARITY];
    struct packet_signs signs[WALK_PARTNERS + PACKET_ARITY];
    struct packet_pair pairs[WALK_PARTNERS + PACKET_ARITY];
    struct packet_counts counts;
};

struct walk_loop {
    struct packet_walk *walks; /* by worker */
    uint32_t groups_per_block, group_count;
    struct cancel_flag *cancel;
};

static uint32_t meet(struct packet_walk *walk, const struct packet_level *level, uint32_t group,
                     const struct axis_bounds *box)
{
    walk->counts.box_tests += PACKET_ARITY;
    return walk->kernels->meet(&level->boxes[group], box);
}

/* ---- one packet and its partners ---------------------------------------------------------------------------------- */

static void test_partners(struct packet_walk *walk, uint32_t slot)
{
    const struct strand_packets *packets = walk->packets;
    uint32_t *partners = walk->partners[slot % PACKET_ARITY], partner_count = walk->partner_counts[slot % PACKET_ARITY];
    uint32_t count = 0;
    if (packets->undecided) {
        for (uint32_t i = 0; i < partner_count; i++) {
            walk->signs[i] = (struct packet_signs){0, 0xFFFF};
        }
    } else {
        walk->kernels->test(packets->packets.data, slot, partners, partner_count, walk->signs);
    }
    walk->counts.packet_tests += partner_count;
    for (uint32_t i = 0; i < partner_count; i++) {
        walk->pairs[count] = (struct packet_pair){slot, partners[i], walk->signs[i]};
        count += (walk->signs[i].near | walk->signs[i].open) != 0;
    }
    if (count > 0) {
        walk->visitor->visit(walk->visitor->user, walk->block, walk->worker, walk->pairs, count);
    }
    walk->partner_counts[slot % PACKET_ARITY] = 0;
}

/* ---- groups ------------------------------------------------------------------------------------------------------- */

/* The packets of the group against those of another that its box meets. */
static void meet_group(struct packet_walk *walk, uint32_t group, uint32_t other)
{
    const struct packet_level *levels = walk->packets->levels;
    struct axis_bounds around;
    uint32_t *partners[PACKET_ARITY];
    packet_bounds(&levels[1], other, &around);
    uint32_t wanted = meet(walk, &levels[0], group, &around);
    for (uint32_t lane = 0; lane < PACKET_ARITY; lane++) {
        partners[lane] = walk->partners[lane];
    }
    walk->kernels->meet_each(&levels[0].boxes[other], walk->bounds, wanted, other * PACKET_ARITY, other == group, partners,
                             walk->partner_counts);
    for (; wanted; wanted &= wanted - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(wanted);
        walk->counts.box_tests += PACKET_ARITY;
        if (walk->partner_counts[lane] >= WALK_PARTNERS) {
            test_partners(walk, group * PACKET_ARITY + lane);
        }
    }
}

static void walk_group(struct packet_walk *walk, uint32_t group)
{
    struct stacked_node stack[PACKET_LEVELS * PACKET_ARITY];
    const struct packet_level *levels = walk->packets->levels;
    uint32_t depth = 0, ancestors[PACKET_LEVELS];
    struct axis_bounds around;
    packet_bounds(&levels[1], group, &around);
    for (uint32_t lane = 0; lane < PACKET_ARITY; lane++) {
        packet_bounds(&levels[0], group * PACKET_ARITY + lane, &walk->bounds[lane]);
    }
    ancestors[1] = group;
    for (uint32_t level = 2; level < walk->packets->level_count; level++) {
        ancestors[level] = ancestors[level - 1] / PACKET_ARITY;
    }
    stack[depth++] = (struct stacked_node){walk->packets->level_count, 0};
    while (depth > 0) {
        struct stacked_node top = stack[--depth];
        uint32_t level = top.level - 1, first = top.node * PACKET_ARITY, own = ancestors[level];
        uint32_t bits = meet(walk, &levels[level], top.node, &around);
        bits &= own <= first ? 0xFFFFu : own - first < PACKET_ARITY ? 0xFFFFu << (own - first) : 0u;
        for (bits &= 0xFFFFu; bits; bits &= bits - 1) {
            uint32_t node = first + (uint32_t)__builtin_ctz(bits);
            if (level == 1) {
                meet_group(walk, group, node);
            } else {
                stack[depth++] = (struct stacked_node){level, node};
            }
        }
    }
    for (uint32_t lane = 0; lane < PACKET_ARITY; lane++) {
        if (walk->partner_counts[lane] > 0) {
            test_partners(walk, group * PACKET_ARITY + lane);
        }
    }
}

static void walk_block(void *data, uint32_t block, uint32_t worker)
{
    const struct walk_loop *loop = data;
    struct packet_walk *walk = &loop->walks[worker];
    uint32_t first = block * loop->groups_per_block;
    walk->block = block;
    walk->worker = worker;
    for (uint32_t i = 0; i < loop->groups_per_block && first + i < loop->group_count; i++) {
        if (cancel_requested(loop->cancel)) {
            return;
        }
        walk_group(walk, first + i);
    }
}

bool strand_packets_visit(struct strand_packets *packets, dent_isa isa, struct cancel_flag *cancel,
                          struct arena *scratch, const struct packet_visitor *visitor, struct packet_counts *counts)
{
    uint32_t workers = dent_context_worker_count(packets->context), groups = packets->levels[1].count;
    struct walk_loop loop = {.groups_per_block = WALK_GROUPS_PER_BLOCK, .group_count = groups, .cancel = cancel};
    if (groups / WALK_BLOCKS_MAX >= WALK_GROUPS_PER_BLOCK) {
        loop.groups_per_block = groups / WALK_BLOCKS_MAX + 1;
    }
    uint32_t blocks = groups / loop.groups_per_block + (groups % loop.groups_per_block != 0);
    loop.walks = arena_allocate(scratch, workers, sizeof *loop.walks);
    if (!loop.walks || !visitor->begin(visitor->user, blocks)) {
        return false;
    }
    for (uint32_t worker = 0; worker < workers; worker++) {
        struct packet_walk *walk = &loop.walks[worker];
        walk->packets = packets;
        walk->kernels = strand_kernels_for(isa);
        walk->visitor = visitor;
        memset(walk->partner_counts, 0, sizeof walk->partner_counts);
        walk->counts = (struct packet_counts){0, 0};
    }
    loop_costs_run(&packets->costs, packets->context, blocks, walk_block, &loop);
    for (uint32_t worker = 0; worker < workers; worker++) {
        counts->box_tests += loop.walks[worker].counts.box_tests;
        counts->packet_tests += loop.walks[worker].counts.packet_tests;
    }
    return true;
}
