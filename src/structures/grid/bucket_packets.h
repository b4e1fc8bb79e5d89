/* Cells or surface faces of a world in packets of up to sixteen neighbours of one body, in an order that changes only
 * when bodies do.
 *
 * The elements of a body are halved along the longest axis of where they are when the packets are made, until sixteen
 * are left. Every packet also lists its vertices, each once: its box is found from about 20 positions instead of 64.
 */
#ifndef DENT_STRUCTURES_BUCKET_PACKETS_H
#define DENT_STRUCTURES_BUCKET_PACKETS_H

#include "structures/boxes/float_space.h"

struct packet_list {
    uint32_t corners_each;         /* 4: tetrahedra, 3: surface faces */
    struct dynamic_array corners;  /* uint32_t[corners_each]: vertex numbers, in packet order */
    struct dynamic_array elements; /* uint32_t: the caller's cell, or the number of the face counted over all bodies */
    struct dynamic_array packets;  /* uint32_t: first element of each packet, and one past the last */
    struct dynamic_array first_packet; /* uint32_t: by body index of the body, and one more */
    struct dynamic_array vertex_start; /* uint32_t: by packet, and one more */
    struct dynamic_array vertices;     /* uint32_t: vertex numbers */
};

struct packet_box {
    float lo[4], hi[4]; /* three used */
};

void packet_list_init(struct packet_list *list, dent_context *context, uint32_t corners_each);
void packet_list_destroy(struct packet_list *list);

/* Collects, sorts and cuts by where the vertices are now. False when memory runs out or (*too_many) there are 2^32 - 1
 * or more. */
bool packet_list_build(struct packet_list *list, const struct snapshot *snapshot,
                       const struct vertex_numbering *numbering, const struct float_space *space, struct arena *scratch,
                       bool *too_many);

static inline uint32_t packet_list_count(const struct packet_list *list)
{
    return list->packets.count ? (uint32_t)list->packets.count - 1 : 0;
}

/* Boxes of all packets, by packet; `boxes` has room for packet_list_count. */
void packet_list_boxes(const struct packet_list *list, const struct float_space *space, dent_context *context,
                       struct packet_box *boxes);

#endif
