/* Half-edges sorted by their two vertices bring the faces of an edge together; orientation is a flood fill across edges
 * with two faces. See face_adjacency.h.
 */
#include "structures/surface/face_adjacency.h"

#include "base/radix_sort.h"

#include <string.h>

static uint64_t edge_key(const struct body *body, uint32_t half)
{
    const uint32_t *corners = body->surface_faces[half / 3].corners;
    uint32_t from = corners[half % 3], to = corners[(half % 3 + 1) % 3];
    return from < to ? (uint64_t)from << 32 | to : (uint64_t)to << 32 | from;
}

/* The half-edges of one edge. */
static void join_adjacency(struct face_adjacency *adjacency, const uint32_t *halves, uint32_t count)
{
    if (count == 2 && halves[0] / 3 != halves[1] / 3) {
        adjacency->mate[halves[0]] = halves[1];
        adjacency->mate[halves[1]] = halves[0];
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        adjacency->mate[halves[i]] = count == 1 ? MATE_NONE : MATE_NONMANIFOLD;
    }
}

bool face_adjacency_find(struct face_adjacency *adjacency, const struct body *body, struct arena *scratch)
{
    if (body->surface_face_count > (UINT32_MAX - 2) / 3) {
        return false;
    }
    uint32_t count = 3 * body->surface_face_count;
    adjacency->mate = arena_allocate(scratch, count, sizeof *adjacency->mate);
    adjacency->by_edge = arena_allocate(scratch, count, sizeof *adjacency->by_edge);
    adjacency->edge_begins = arena_allocate(scratch, count, sizeof *adjacency->edge_begins);
    struct arena_mark mark = arena_mark(scratch);
    uint64_t *keys = arena_allocate(scratch, count, sizeof *keys),
             *key_scratch = arena_allocate(scratch, count, sizeof *keys);
    uint32_t *half_scratch = arena_allocate(scratch, count, sizeof *half_scratch);
    if (!adjacency->mate || !adjacency->by_edge || !adjacency->edge_begins || !keys || !key_scratch || !half_scratch) {
        return false;
    }
    for (uint32_t half = 0; half < count; half++) {
        keys[half] = edge_key(body, half);
        adjacency->by_edge[half] = half;
    }
    radix_sort_u64(keys, adjacency->by_edge, key_scratch, half_scratch, count);
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        for (end = begin + 1; end < count && keys[end] == keys[begin]; end++) {
            adjacency->edge_begins[end] = 0;
        }
        adjacency->edge_begins[begin] = 1;
        join_adjacency(adjacency, adjacency->by_edge + begin, end - begin);
    }
    arena_rewind(scratch, mark);
    return true;
}

/* ---- orientation ------------------------------------------------------------------------------------------------- */

enum { FACE_UNSEEN = 128 };

struct flood {
    const struct face_adjacency *adjacency;
    const dent_surface_face *faces;
    uint8_t *turn;
    uint32_t *stack;
    uint32_t stacked;
};

static uint32_t half_start(const dent_surface_face *faces, uint32_t half)
{
    return faces[half / 3].corners[half % 3];
}

/* Gives the faces around a face their turn: neighbours that run the same way along the common edge have different turns. */
static void flood_from(struct flood *flood, uint32_t face)
{
    uint8_t flipped = flood->turn[face] & FACE_TURNED;
    for (uint32_t half = 3 * face; half < 3 * face + 3; half++) {
        uint32_t mate = flood->adjacency->mate[half];
        if (mate == MATE_NONMANIFOLD) {
            flood->turn[face] |= FACE_DOUBTFUL;
        }
        if (mate >= MATE_NONMANIFOLD) {
            continue;
        }
        bool same_way = half_start(flood->faces, half) == half_start(flood->faces, mate);
        uint8_t wanted = same_way ? flipped ^ FACE_TURNED : flipped;
        uint8_t *other = &flood->turn[mate / 3];
        if (*other & FACE_UNSEEN) {
            *other = wanted;
            flood->stack[flood->stacked++] = mate / 3;
        } else if ((*other & FACE_TURNED) != wanted) {
            *other |= FACE_DOUBTFUL;
            flood->turn[face] |= FACE_DOUBTFUL;
        }
    }
}

bool face_adjacency_orient(const struct face_adjacency *adjacency, const struct body *body, uint8_t *turn,
                           struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    uint32_t count = body->surface_face_count;
    struct flood flood = {adjacency, body->surface_faces, turn, arena_allocate(scratch, count, sizeof(uint32_t)), 0};
    if (!flood.stack) {
        return false;
    }
    if (count > 0) {
        memset(turn, FACE_UNSEEN, count);
    }
    for (uint32_t first = 0; first < count; first++) {
        if (turn[first] & FACE_UNSEEN) {
            turn[first] = 0;
            flood.stack[flood.stacked++] = first;
        }
        while (flood.stacked > 0) {
            flood_from(&flood, flood.stack[--flood.stacked]);
        }
    }
    arena_rewind(scratch, mark);
    return true;
}
