/* Records as bytes that are the same on every machine: little endian, whatever the host's order is.
 *
 * A layout names the widths of the fields of one record, a digit each: "8" for an array of doubles, "44888" for two
 * 32-bit numbers and three doubles. Records have no padding (sim_state.c asserts it), so that they are equally long
 * everywhere. On a little-endian host nothing is copied. */
#ifndef DENT_SIM_BYTE_ORDER_H
#define DENT_SIM_BYTE_ORDER_H

#include <stddef.h>
#include <stdint.h>

/* Reverses the bytes of every field, in place. `size` is a multiple of the record's. */
void byte_order_reverse(void *bytes, size_t size, const char *layout);

/* From the host's order to little endian, or back: the same thing. */
void byte_order_exchange(void *bytes, size_t size, const char *layout);

/* Hands the records on in little endian, in one piece or in several. */
typedef void byte_order_sink(void *user, const void *bytes, size_t size);
void byte_order_pass(const void *bytes, size_t size, const char *layout, byte_order_sink *sink, void *user);

/* FNV-1a 64, continued from `hash`; of records: of their bytes in little endian. */
uint64_t sim_hash_bytes(uint64_t hash, const void *bytes, size_t size);
uint64_t sim_hash_records(uint64_t hash, const void *records, size_t size, const char *layout);

#endif
