/* A growable array for readers and writers: records of one size, taken from the context. Grows by half; a failing call
 * returns null or false and changes nothing. */
#ifndef DENT_IO_GROWABLE_ARRAY_H
#define DENT_IO_GROWABLE_ARRAY_H

#include <dent/base.h>

#include <string.h>

struct growable_array {
    void *data;
    size_t count;
    size_t capacity;
    size_t record_size;
};

static inline void growable_init(struct growable_array *array, size_t record_size)
{
    *array = (struct growable_array){.record_size = record_size};
}

static inline void growable_release(struct growable_array *array, dent_context *context)
{
    dent_release(context, array->data, array->capacity, array->record_size);
    growable_init(array, array->record_size);
}

/* Room for `capacity` records in all. The first time exactly that many; later at least half as many again as before, so
 * that many small reservations do not copy the whole array each time. */
static inline bool growable_reserve(struct growable_array *array, dent_context *context, size_t capacity)
{
    if (capacity <= array->capacity) {
        return true;
    }
    size_t grown_by_half = array->capacity + array->capacity / 2;
    capacity = capacity > grown_by_half ? capacity : grown_by_half;
    void *grown = dent_reallocate(context, array->data, array->capacity, capacity, array->record_size);
    if (!grown) {
        return false;
    }
    array->data = grown;
    array->capacity = capacity;
    return true;
}

/* Adds `count` records that are not yet written and returns the first, or null. */
static inline void *growable_extend(struct growable_array *array, dent_context *context, size_t count)
{
    if (count > array->capacity - array->count) {
        size_t grown = array->capacity + array->capacity / 2 + 16;
        size_t needed = array->count + count;
        if (needed < count || !growable_reserve(array, context, needed > grown ? needed : grown)) {
            return NULL;
        }
    }
    size_t used = array->count * array->record_size;
    /* no offset to the null of an empty one */
    void *first = used > 0 ? (unsigned char *)array->data + used : array->data;
    array->count += count;
    return first;
}

static inline bool growable_push(struct growable_array *array, dent_context *context, const void *record)
{
    void *room = growable_extend(array, context, 1);
    if (room) {
        memcpy(room, record, array->record_size);
    }
    return room != NULL;
}

#endif
