/* Coherent sorting of coordinates. See coordinate_order.h; Erleben and Sporring, listings 1.5.6 and 1.5.7, corrected.
 */
#include "structures/grid/coordinate_order.h"

#include "base/radix_sort.h"

void coordinate_order_init(struct coordinate_order *order, dent_context *context)
{
    array_init(&order->first, context, sizeof(uint32_t));
    for (int axis = 0; axis < 3; axis++) {
        array_init(&order->order[axis], context, sizeof(uint32_t));
    }
}

void coordinate_order_destroy(struct coordinate_order *order)
{
    array_destroy(&order->first);
    for (int axis = 0; axis < 3; axis++) {
        array_destroy(&order->order[axis]);
    }
}

bool coordinate_order_reset(struct coordinate_order *order, const struct snapshot *snapshot,
                            const struct vertex_numbering *numbering)
{
    array_clear(&order->first);
    for (int axis = 0; axis < 3; axis++) {
        array_clear(&order->order[axis]);
        if (!array_reserve(&order->order[axis], numbering->count)) {
            return false;
        }
    }
    uint32_t *first = array_extend(&order->first, (size_t)snapshot->body_count + 1);
    if (!first) {
        return false;
    }
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        first[body_index] = (uint32_t)order->order[0].count;
        for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
            uint32_t number = first_vertex(numbering, body_index) + vertex;
            for (int axis = 0; axis < 3 && body->vertex_use[vertex] & VERTEX_USED; axis++) {
                array_push(&order->order[axis], &number); /* there is room */
            }
        }
    }
    first[snapshot->body_count] = (uint32_t)order->order[0].count;
    return true;
}

bool coordinate_room_make(struct coordinate_room *room, uint32_t count, struct arena *arena)
{
    room->values = arena_allocate(arena, count, sizeof *room->values);
    room->keys = arena_allocate(arena, count, 2 * sizeof *room->keys);
    room->scratch = arena_allocate(arena, count, sizeof *room->scratch);
    return room->values && room->keys && room->scratch;
}

/* False when more than `moves` moves would be needed; values and numbers are then a permutation of what they were. */
static bool insertion_sort(float *values, uint32_t *numbers, uint32_t count, uint64_t moves)
{
    for (uint32_t i = 1; i < count; i++) {
        float value = values[i];
        uint32_t number = numbers[i], slot = i;
        for (; slot > 0 && values[slot - 1] > value; slot--) {
            values[slot] = values[slot - 1];
            numbers[slot] = numbers[slot - 1];
        }
        values[slot] = value;
        numbers[slot] = number;
        if (i - slot > moves) {
            return false;
        }
        moves -= i - slot;
    }
    return true;
}

static uint64_t float_rank(float value)
{
    uint32_t bits;
    value += 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

bool coordinate_order_sort(struct coordinate_order *order, uint32_t body_index, int axis,
                           const struct point_record *points, struct coordinate_room *room)
{
    uint32_t first = ((const uint32_t *)order->first.data)[body_index],
             count = coordinate_order_count(order, body_index);
    uint32_t *numbers = array_at(&order->order[axis], first);
    for (uint32_t i = 0; i < count; i++) {
        room->values[i] = points[numbers[i]].position[axis];
    }
    if (insertion_sort(room->values, numbers, count, (uint64_t)count * 8)) {
        return true;
    }
    for (uint32_t i = 0; i < count; i++) {
        room->keys[i] = float_rank(room->values[i]);
    }
    radix_sort_u64(room->keys, numbers, room->keys + count, room->scratch, count);
    for (uint32_t i = 0; i < count; i++) {
        room->values[i] = points[numbers[i]].position[axis];
    }
    return false;
}

void coordinate_order_sweep(const struct coordinate_order *order, uint32_t body_index, int axis,
                            const struct bucket_lattice *lattice, const float *values, uint32_t *buckets)
{
    uint32_t first = ((const uint32_t *)order->first.data)[body_index],
             count = coordinate_order_count(order, body_index);
    const uint32_t *numbers = array_at(&order->order[axis], first);
    const float *begin = lattice->intervals[axis];
    uint32_t bucket = 0, last = lattice->count[axis] - 1;
    for (uint32_t i = 0; i < count; i++) {
        while (bucket < last && values[i] >= begin[bucket + 1]) {
            bucket++;
        }
        buckets[numbers[i]] = bucket;
    }
}
