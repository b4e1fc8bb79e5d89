/* Cells and surface faces of a world in packets of up to sixteen neighbours, in an order that changes only when bodies
 * do.
 *
 * The elements of a body are halved along the longest axis of their middles, again and again, until packets are left.
 * Deformation keeps neighbours together, so the order serves for many steps; how well it still does is for the caller
 * to watch.
 */
#ifndef DENT_STRUCTURES_PACKET_GROUPS_H
#define DENT_STRUCTURES_PACKET_GROUPS_H

#include "structures/boxes/float_space.h"

struct packet_groups {
    struct vertex_numbering numbering;

    /* Tetrahedra of all solids, in packet order. */
    struct dynamic_array cell_corners; /* uint32_t[4], vertex numbers */
    struct dynamic_array cell_owner;   /* struct element_owner; element: the caller's cell */
    struct dynamic_array cell_packets; /* uint32_t: first of each packet, and one past the last */

    /* Surface faces of all bodies, numbered in canonical order. */
    struct dynamic_array face_corners; /* uint32_t[3], vertex numbers, by face number */
    struct dynamic_array face_owner;   /* struct element_owner, by face number */
    struct dynamic_array face_order;   /* uint32_t: face numbers in packet order */
    struct dynamic_array face_packets; /* as cell_packets, into face_order */

    struct dynamic_array vertex_octave; /* int16_t: the largest element at a vertex is smaller than 2^octave */
    double typical_size;                /* lower quartile of the box edges of elements; 0 when there are none */
};

struct element_owner {
    uint32_t body, element;
};

void packet_groups_init(struct packet_groups *sets, dent_context *context);
void packet_groups_destroy(struct packet_groups *sets);

/* In this order, after a change of bodies. False when memory runs out or (*too_many) there are 2^32 - 1 or more of a
 * kind. */
bool packet_groups_collect(struct packet_groups *sets, const struct snapshot *snapshot, struct arena *scratch,
                           bool *too_many);
/* Sorts and cuts by where the elements are now. */
bool packet_groups_order(struct packet_groups *sets, const struct float_space *space, struct arena *scratch);

static inline uint32_t packet_count(const struct dynamic_array *packets)
{
    return packets->count ? (uint32_t)packets->count - 1 : 0;
}

#endif
