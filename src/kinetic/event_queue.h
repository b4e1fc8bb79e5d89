/* Events in order of time: a heap of four children a node, with the place of every event known, so that it can be moved.
 * Events of one time come by falling number: children have larger numbers than their parents in a fresh tree, and go first.
 * Room is made ahead; nothing else fails. */
#ifndef DENT_KINETIC_EVENT_QUEUE_H
#define DENT_KINETIC_EVENT_QUEUE_H

#include "base/containers/dynamic_array.h"

#include <math.h>

struct queued_event {
    double time;
    uint32_t id;
};

struct event_queue {
    struct dynamic_array heap;   /* struct queued_event */
    struct dynamic_array places; /* uint32_t by id: in the heap; UINT32_MAX: none */
};

static inline void event_queue_init(struct event_queue *queue, dent_context *context)
{
    array_init(&queue->heap, context, sizeof(struct queued_event));
    array_init(&queue->places, context, sizeof(uint32_t));
}

static inline void event_queue_destroy(struct event_queue *queue)
{
    array_destroy(&queue->heap);
    array_destroy(&queue->places);
}

/* Room for events 0 to count - 1. */
static inline bool event_queue_reserve(struct event_queue *queue, size_t count)
{
    if (!array_reserve_growing(&queue->heap, count) || !array_reserve_growing(&queue->places, count)) {
        return false;
    }
    for (uint32_t *places = queue->places.data; queue->places.count < count; queue->places.count++) {
        places[queue->places.count] = UINT32_MAX;
    }
    return true;
}

static inline void event_queue_clear(struct event_queue *queue)
{
    const struct queued_event *heap = queue->heap.data;
    for (size_t i = 0; i < queue->heap.count; i++) {
        ((uint32_t *)queue->places.data)[heap[i].id] = UINT32_MAX;
    }
    array_clear(&queue->heap);
}

static inline bool event_before(struct queued_event a, struct queued_event b)
{
    return a.time < b.time || (a.time == b.time && a.id > b.id);
}

static inline void event_queue_put(struct event_queue *queue, size_t place, struct queued_event event)
{
    ((struct queued_event *)queue->heap.data)[place] = event;
    ((uint32_t *)queue->places.data)[event.id] = (uint32_t)place;
}

static inline void event_queue_rise(struct event_queue *queue, size_t place, struct queued_event event)
{
    const struct queued_event *heap = queue->heap.data;
    while (place > 0 && event_before(event, heap[(place - 1) / 4])) {
        event_queue_put(queue, place, heap[(place - 1) / 4]);
        place = (place - 1) / 4;
    }
    event_queue_put(queue, place, event);
}

static inline void event_queue_sink(struct event_queue *queue, size_t place, struct queued_event event)
{
    const struct queued_event *heap = queue->heap.data;
    for (size_t count = queue->heap.count;;) {
        size_t best = 4 * place + 1, last = best + 4 < count ? best + 4 : count;
        for (size_t child = best + 1; child < last; child++) {
            best = event_before(heap[child], heap[best]) ? child : best;
        }
        if (best >= count || !event_before(heap[best], event)) {
            break;
        }
        event_queue_put(queue, place, heap[best]);
        place = best;
    }
    event_queue_put(queue, place, event);
}

static inline void event_queue_remove(struct event_queue *queue, uint32_t id)
{
    uint32_t *places = queue->places.data;
    const struct queued_event *heap = queue->heap.data;
    size_t place = places[id];
    if (place == UINT32_MAX) {
        return;
    }
    places[id] = UINT32_MAX;
    struct queued_event last = heap[--queue->heap.count];
    if (last.id == id) {
        return;
    }
    if (place > 0 && event_before(last, heap[(place - 1) / 4])) {
        event_queue_rise(queue, place, last);
    } else {
        event_queue_sink(queue, place, last);
    }
}

/* Inserts or moves an event; infinity removes it. */
static inline void event_queue_set(struct event_queue *queue, uint32_t id, double time)
{
    const struct queued_event *heap = queue->heap.data;
    struct queued_event event = {time, id};
    size_t place = ((uint32_t *)queue->places.data)[id];
    if (isinf(time)) {
        event_queue_remove(queue, id);
    } else if (place == UINT32_MAX) {
        event_queue_rise(queue, queue->heap.count++, event);
    } else if (event_before(event, heap[place])) {
        event_queue_rise(queue, place, event);
    } else {
        event_queue_sink(queue, place, event);
    }
}

/* The time of the next event; infinity: none. */
static inline double event_queue_time(const struct event_queue *queue)
{
    return queue->heap.count > 0 ? ((const struct queued_event *)queue->heap.data)->time : INFINITY;
}

#endif
