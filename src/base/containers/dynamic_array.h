/* A growable array of records of one size. Clearing keeps the memory, so a buffer filled anew at every step allocates
 * nothing once it has been as full as it gets. Failing calls return false (or null) and change nothing.
 *
 * `data` is never null: C knows no offset into null, not even 0, and no memcpy of nothing from it, so every loop over
 * "first record + offset" of an array that happens to be empty would be undefined. Without memory it points to the end
 * of an object, where nothing may be read. */
#ifndef DENT_BASE_DYNAMIC_ARRAY_H
#define DENT_BASE_DYNAMIC_ARRAY_H

#include <dent/base.h>

#include <string.h>

struct dynamic_array {
    dent_context *context;
    void *data; /* count records; array_nothing() while capacity is 0 */
    size_t count;
    size_t capacity;
    size_t element_size;
};

/* A place for no records, aligned for all. */
static inline void *array_nothing(void)
{
    static const _Alignas(64) unsigned char room[64] = {0}; /* as dent_allocate aligns */
    return (void *)(room + sizeof room);
}

static inline void array_init(struct dynamic_array *array, dent_context *context, size_t element_size)
{
    *array = (struct dynamic_array){.context = context, .data = array_nothing(), .element_size = element_size};
}

static inline void array_release_memory(struct dynamic_array *array)
{
    if (array->capacity > 0) {
        dent_release(array->context, array->data, array->capacity, array->element_size);
    }
}

static inline void array_destroy(struct dynamic_array *array)
{
    array_release_memory(array);
    array_init(array, array->context, array->element_size);
}

/* Destroys an array that outlives the context it grew in. `context` has counted its memory since, and has the same
 * allocator. */
static inline void array_destroy_in(struct dynamic_array *array, dent_context *context)
{
    array->context = context;
    array_destroy(array);
}

/* Room for `capacity` records in all, exactly that many when it has to grow. */
static inline bool array_reserve(struct dynamic_array *array, size_t capacity)
{
    if (capacity <= array->capacity) {
        return true;
    }
    /* Only the records in use are worth copying. */
    void *fresh = dent_allocate(array->context, capacity, array->element_size);
    if (!fresh) {
        return false;
    }
    memcpy(fresh, array->data, array->count * array->element_size);
    array_release_memory(array);
    array->data = fresh;
    array->capacity = capacity;
    return true;
}

/* Room for `capacity` records in all: exactly that many the first time, later at least half as many again as before, so
 * that many small reservations do not copy the whole array each time. */
static inline bool array_reserve_growing(struct dynamic_array *array, size_t capacity)
{
    size_t grown = array->capacity + array->capacity / 2;
    return capacity <= array->capacity || array_reserve(array, capacity > grown ? capacity : grown);
}

/* Adds `count` records that are not yet written and returns the first, or null. */
static inline void *array_extend(struct dynamic_array *array, size_t count)
{
    size_t needed = array->count + count;
    if (needed < count) {
        return NULL;
    }
    if (needed > array->capacity) {
        size_t grown = array->capacity + array->capacity / 2 + 16; /* far below SIZE_MAX: records take memory */
        if (!array_reserve(array, needed > grown ? needed : grown) && !array_reserve(array, needed)) {
            return NULL;
        }
    }
    void *first = (unsigned char *)array->data + array->count * array->element_size;
    array->count = needed;
    return first;
}

/* Copies `count` records to the end. They must not lie in the array itself. */
static inline bool array_push_many(struct dynamic_array *array, const void *elements, size_t count)
{
    if (count == 0) {
        return true;
    }
    void *room = array_extend(array, count);
    if (!room) {
        return false;
    }
    memcpy(room, elements, count * array->element_size);
    return true;
}

static inline bool array_push(struct dynamic_array *array, const void *element)
{
    return array_push_many(array, element, 1);
}

/* Empties the array and keeps its memory. */
static inline void array_clear(struct dynamic_array *array)
{
    array->count = 0;
}

static inline void *array_at(const struct dynamic_array *array, size_t index)
{
    return (unsigned char *)array->data + index * array->element_size;
}

#endif
