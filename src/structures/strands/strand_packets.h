/* All segments of all bodies of strands in packets of up to four neighbours, under a tree of boxes.
 *
 * Segments of a world are numbered through the bodies of strands, so that the order of numbers is the canonical order.
 * Packets are cut once from the connectivity and numbered alike. Slots put them along a space-filling curve; sixteen slots
 * make a group, sixteen groups a node above, and so on: an implicit tree without pointers, refitted for each reading of
 * the positions. The curve is made anew when the boxes of the groups have grown to twice what they were.
 *
 * Boxes have nine axes: three of the coordinates and six diagonals, and are grown by the radii. Two segments that are near
 * have packets whose boxes meet (strand_packets.c).
 */
#ifndef DENT_STRUCTURES_STRAND_PACKETS_H
#define DENT_STRUCTURES_STRAND_PACKETS_H

#include "base/arena.h"
#include "base/cancel_flag.h"
#include "base/loop_costs.h"
#include "bodies/snapshot.h"
#include "structures/strands/kernels/strand_kernels.h"

enum { PACKET_LEVELS = 8 };

struct packet_level {
    uint32_t count;             /* nodes */
    struct packet_boxes *boxes; /* node n is lane n % 16 of boxes[n / 16]; lanes beyond the last are empty */
};

/* What never changes while the strands move. */
struct packet_place {
    uint32_t body_index, first_segment; /* of the body */
    uint32_t strand, count;
};

struct strand_packets {
    dent_context *context;
    uint64_t topology_version;
    bool valid;
    uint32_t packet_count, level_count;
    double extent_at_order, extent;       /* sums of group boxes */
    bool has_order;
    struct dynamic_array places;          /* struct packet_place, by packet */
    struct dynamic_array packet_of_slot;  /* uint32_t */
    struct dynamic_array packets;         /* struct strand_packet, by slot */
    struct dynamic_array box_storage;     /* struct packet_boxes */
    struct packet_level levels[PACKET_LEVELS];
    bool undecided; /* coordinates or extents near an end of the doubles: floats decide nothing */
    struct loop_costs costs;
};

void strand_packets_init(struct strand_packets *packets, dent_context *context);
void strand_packets_destroy(struct strand_packets *packets);

/* Packets and boxes for the positions of a snapshot. `thickness`: by body index, for bodies without radii. False when
 * memory runs out. */
bool strand_packets_update(struct strand_packets *packets, const struct snapshot *snapshot, const double *thickness,
                           dent_isa isa, struct arena *scratch);

/* Two slots whose segments may be near; each unordered pair comes once, a slot with itself too. Bits as in packet_signs,
 * rows of slot a; bits of missing segments mean nothing. */
struct packet_pair {
    uint32_t slot_a, slot_b;
    struct packet_signs signs;
};

struct packet_visitor {
    void *user;
    bool (*begin)(void *user, uint32_t block_count); /* false: no memory */
    /* Some pairs of a block that are not far; a block is visited by one worker. */
    void (*visit)(void *user, uint32_t block, uint32_t worker, const struct packet_pair *pairs, uint32_t count);
};

struct packet_counts {
    uint64_t box_tests, packet_tests;
};

/* Visits all pairs after an update, in parallel. False when memory runs out. */
bool strand_packets_visit(struct strand_packets *packets, dent_isa isa, struct cancel_flag *cancel,
                          struct arena *scratch, const struct packet_visitor *visitor, struct packet_counts *counts);

static inline void packet_bounds(const struct packet_level *level, uint32_t node, struct axis_bounds *bounds)
{
    const struct packet_boxes *boxes = &level->boxes[node / PACKET_ARITY];
    for (int axis = 0; axis < PACKET_AXES; axis++) {
        bounds->lo[axis] = boxes->lo[axis][node % PACKET_ARITY];
        bounds->hi[axis] = boxes->hi[axis][node % PACKET_ARITY];
    }
}

static inline const struct packet_place *packet_place_of(const struct strand_packets *packets, uint32_t slot)
{
    uint32_t packet = ((const uint32_t *)packets->packet_of_slot.data)[slot];
    return (const struct packet_place *)packets->places.data + packet;
}

#endif
