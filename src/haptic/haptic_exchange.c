/* A triple buffer. See haptic_exchange.h. */
#include "haptic/haptic_exchange.h"

#include <string.h>

enum { NUMBER = 64, FRESH = 4, SLOT = 3 }; /* the record starts where dent_allocate would align it */

static unsigned char *slot_at(const struct haptic_exchange *exchange, uint32_t slot)
{
    return exchange->memory + slot * exchange->slot_size;
}

dent_status haptic_exchange_open(struct haptic_exchange *exchange, dent_context *context, size_t record_size)
{
    if (record_size > SIZE_MAX / 8) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "the scene of a haptic tool is too large");
    }
    memset(exchange, 0, sizeof *exchange);
    exchange->context = context;
    exchange->record_size = (record_size + NUMBER - 1) / NUMBER * NUMBER;
    exchange->slot_size = exchange->record_size + 2 * (size_t)NUMBER;
    exchange->memory = dent_allocate(context, 3, exchange->slot_size);
    if (!exchange->memory) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a haptic tool");
    }
    memset(exchange->memory, 0, 3 * exchange->slot_size);
    exchange->back = 0;
    atomic_init(&exchange->middle, 1);
    exchange->front = 2;
    return DENT_OK;
}

void haptic_exchange_close(struct haptic_exchange *exchange)
{
    if (exchange->memory) {
        dent_release(exchange->context, exchange->memory, 3, exchange->slot_size);
    }
    exchange->memory = NULL;
}

void *haptic_exchange_back(struct haptic_exchange *exchange)
{
    unsigned char *slot = slot_at(exchange, exchange->back);
    uint64_t number = exchange->written + 1;
    memcpy(slot, &number, sizeof number);
    return slot + NUMBER;
}

void haptic_exchange_publish(struct haptic_exchange *exchange)
{
    unsigned char *slot = slot_at(exchange, exchange->back);
    uint64_t number = ++exchange->written;
    memcpy(slot + NUMBER + exchange->record_size, &number, sizeof number);
    exchange->back = SLOT & atomic_exchange_explicit(&exchange->middle, exchange->back | FRESH, memory_order_acq_rel);
}

bool haptic_exchange_take(struct haptic_exchange *exchange)
{
    if (!(atomic_load_explicit(&exchange->middle, memory_order_relaxed) & FRESH)) {
        return false;
    }
    uint64_t head, tail;
    exchange->front = SLOT & atomic_exchange_explicit(&exchange->middle, exchange->front, memory_order_acq_rel);
    const unsigned char *slot = slot_at(exchange, exchange->front);
    memcpy(&head, slot, sizeof head);
    memcpy(&tail, slot + NUMBER + exchange->record_size, sizeof tail);
    exchange->torn += head != tail;
    return true;
}

const void *haptic_exchange_front(const struct haptic_exchange *exchange)
{
    return slot_at(exchange, exchange->front) + NUMBER;
}
