/* Finding the pairs of packets that may be near: group by group down the tree, sixteen boxes at a time, then the float
 * test of a packet against all its partners. See strand_packets.h.
 *
 * A group looks at itself and later groups only, so that each pair comes once.
 */
#include "structures/strands/strand_packets.h"
#include "structures/surface/kernels/surface_kernels.h"

enum { WALK_GROUPS_PER_BLOCK = 16, WALK_BLOCKS_MAX = 4096, WALK_NEAR_GROUPS = 1024, WALK_PARTNERS = 512 };

struct stacked_node {
    uint32_t level, node;
};

struct packet_walk {
    const struct strand_packets *packets;
    const struct surface_kernels *boxes;
    const struct strand_kernels *kernels;
    const struct packet_visitor *visitor;
    uint32_t block, worker;
    uint32_t near_count, partner_count;
    uint32_t near_groups[WALK_NEAR_GROUPS];
    uint16_t near_slots[WALK_NEAR_GROUPS]; /* of the group at hand, by near group */
    uint32_t partners[WALK_PARTNERS + PACKET_ARITY];
    struct packet_signs signs[WALK_PARTNERS + PACKET_ARITY];
    struct packet_pair pairs[WALK_PARTNERS + PACKET_ARITY];
    struct packet_counts counts;
};

struct walk_loop {
    struct packet_walk *walks; /* by worker */
    uint32_t groups_per_block, group_count;
    struct cancel_flag *cancel;
};

static void bounds_of(const struct packet_level *level, uint32_t node, float *lo, float *hi)
{
    for (int axis = 0; axis < PACKET_AXES; axis++) {
        lo[axis] = level->lo[axis][node];
        hi[axis] = level->hi[axis][node];
    }
}

static uint32_t meet(struct packet_walk *walk, const struct packet_level *level, uint32_t first, const float *lo,
                     const float *hi)
{
    walk->counts.box_tests += PACKET_ARITY;
    return walk->boxes->meet(level->lo, level->hi, first, PACKET_AXES, lo, hi);
}

/* ---- one packet and its partners ---------------------------------------------------------------------------------- */

static void test_partners(struct packet_walk *walk, uint32_t slot)
{
    const struct strand_packets *packets = walk->packets;
    uint32_t count = 0;
    if (packets->undecided) {
        for (uint32_t i = 0; i < walk->partner_count; i++) {
            walk->signs[i] = (struct packet_signs){0, 0xFFFF};
        }
    } else {
        walk->kernels->test(packets->packets.data, slot, walk->partners, walk->partner_count, walk->signs);
    }
    walk->counts.packet_tests += walk->partner_count;
    for (uint32_t i = 0; i < walk->partner_count; i++) {
        walk->pairs[count] = (struct packet_pair){slot, walk->partners[i], walk->signs[i]};
        count += (walk->signs[i].near | walk->signs[i].open) != 0;
    }
    if (count > 0) {
        walk->visitor->visit(walk->visitor->user, walk->block, walk->worker, walk->pairs, count);
    }
    walk->partner_count = 0;
}

static void search_slot(struct packet_walk *walk, uint32_t group, uint32_t slot)
{
    const struct packet_level *level = &walk->packets->levels[0];
    float lo[PACKET_AXES], hi[PACKET_AXES];
    bounds_of(level, slot, lo, hi);
    for (uint32_t i = 0; i < walk->near_count; i++) {
        if (!(walk->near_slots[i] >> slot % PACKET_ARITY & 1)) {
            continue;
        }
        uint32_t other = walk->near_groups[i], first = other * PACKET_ARITY;
        uint32_t bits = meet(walk, level, first, lo, hi);
        bits &= other == group ? 0xFFFFu << slot % PACKET_ARITY : 0xFFFFu;
        for (; bits; bits &= bits - 1) {
            walk->partners[walk->partner_count++] = first + (uint32_t)__builtin_ctz(bits);
        }
        if (walk->partner_count >= WALK_PARTNERS) {
            test_partners(walk, slot);
        }
    }
    if (walk->partner_count > 0) {
        test_partners(walk, slot);
    }
}

/* ---- groups ------------------------------------------------------------------------------------------------------- */

static void search_near(struct packet_walk *walk, uint32_t group)
{
    uint32_t any = 0;
    for (uint32_t i = 0; i < walk->near_count; i++) {
        any |= walk->near_slots[i];
    }
    for (; any; any &= any - 1) {
        search_slot(walk, group, group * PACKET_ARITY + (uint32_t)__builtin_ctz(any));
    }
    walk->near_count = 0;
}

/* Which slots of the group does the other one meet? */
static void note_near(struct packet_walk *walk, uint32_t group, uint32_t other)
{
    float lo[PACKET_AXES], hi[PACKET_AXES];
    bounds_of(&walk->packets->levels[1], other, lo, hi);
    uint32_t bits = meet(walk, &walk->packets->levels[0], group * PACKET_ARITY, lo, hi);
    walk->near_groups[walk->near_count] = other;
    walk->near_slots[walk->near_count] = (uint16_t)bits;
    walk->near_count += bits != 0;
    if (walk->near_count == WALK_NEAR_GROUPS) {
        search_near(walk, group);
    }
}

static void walk_group(struct packet_walk *walk, uint32_t group)
{
    struct stacked_node stack[PACKET_LEVELS * PACKET_ARITY];
    const struct packet_level *levels = walk->packets->levels;
    uint32_t depth = 0, ancestors[PACKET_LEVELS];
    float lo[PACKET_AXES], hi[PACKET_AXES];
    bounds_of(&levels[1], group, lo, hi);
    ancestors[1] = group;
    for (uint32_t level = 2; level < walk->packets->level_count; level++) {
        ancestors[level] = ancestors[level - 1] / PACKET_ARITY;
    }
    stack[depth++] = (struct stacked_node){walk->packets->level_count, 0};
    while (depth > 0) {
        struct stacked_node top = stack[--depth];
        uint32_t level = top.level - 1, first = top.node * PACKET_ARITY, own = ancestors[level];
        uint32_t bits = meet(walk, &levels[level], first, lo, hi);
        bits &= own <= first ? 0xFFFFu : own - first < PACKET_ARITY ? 0xFFFFu << (own - first) : 0u;
        for (bits &= 0xFFFFu; bits; bits &= bits - 1) {
            uint32_t node = first + (uint32_t)__builtin_ctz(bits);
            if (level == 1) {
                note_near(walk, group, node);
            } else {
                stack[depth++] = (struct stacked_node){level, node};
            }
        }
    }
    search_near(walk, group);
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
        walk->boxes = surface_kernels_for(isa);
        walk->kernels = strand_kernels_for(isa);
        walk->visitor = visitor;
        walk->near_count = walk->partner_count = 0;
        walk->counts = (struct packet_counts){0, 0};
    }
    loop_costs_run(&packets->costs, packets->context, blocks, walk_block, &loop);
    for (uint32_t worker = 0; worker < workers; worker++) {
        counts->box_tests += loop.walks[worker].counts.box_tests;
        counts->packet_tests += loop.walks[worker].counts.packet_tests;
    }
    return true;
}
