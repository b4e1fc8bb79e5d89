/* Wait-free exchange of one record between two threads: a triple buffer. The writer fills its slot and swaps it with the
 * one in the middle; the reader swaps its own with the middle if that is fresh. Nobody waits, the reader gets the newest
 * record, and no record is written while it is read.
 *
 * Each slot has a sequence number at both ends. They differ only if a record was torn, which the reader counts. */
#ifndef DENT_HAPTIC_EXCHANGE_H
#define DENT_HAPTIC_EXCHANGE_H

#include <dent/base.h>

#include <stdatomic.h>

struct haptic_exchange {
    dent_context *context;
    unsigned char *memory; /* three slots: head number, record, tail number */
    size_t record_size, slot_size;
    uint64_t written, torn;
    uint32_t back, front;        /* of the writer, of the reader */
    atomic_uint_fast32_t middle; /* slot, with a bit for fresh */
};

/* Makes the slots; all zero. */
dent_status haptic_exchange_open(struct haptic_exchange *exchange, dent_context *context, size_t record_size);
void haptic_exchange_close(struct haptic_exchange *exchange);

/* Writer: returns the record to fill. Its old content is of an earlier time. */
void *haptic_exchange_back(struct haptic_exchange *exchange);
/* Writer: hands it over. */
void haptic_exchange_publish(struct haptic_exchange *exchange);

/* Reader: takes the newest record; false if there is nothing new. */
bool haptic_exchange_take(struct haptic_exchange *exchange);
/* Reader: the record taken last. */
const void *haptic_exchange_front(const struct haptic_exchange *exchange);

#endif
