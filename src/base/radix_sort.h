/* Stable sorting of 64-bit and 128-bit keys, each with a 32-bit payload (usually where the record lay before): O(n) for
 * each byte of the key that is not the same in all keys. The caller gives scratch arrays of the same length; nothing is
 * allocated. Payload may be null, and then its scratch too. At most 2^32 - 1 keys. */
#ifndef DENT_BASE_RADIX_SORT_H
#define DENT_BASE_RADIX_SORT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Ordered by high, then low: room for (body a, feature a, body b, feature b) of 32 bits each. */
struct key128 {
    uint64_t high;
    uint64_t low;
};

void radix_sort_u64(uint64_t *keys, uint32_t *payload, uint64_t *key_scratch, uint32_t *payload_scratch, size_t count);
void radix_sort_u128(struct key128 *keys, uint32_t *payload, struct key128 *key_scratch, uint32_t *payload_scratch,
                     size_t count);

/* Keys in the order of numbers that are not NaN; both zeros have the same key. */
static inline uint32_t radix_key_of_float(float value)
{
    uint32_t bits;
    value += 0.0f;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 31 ? ~bits : bits | UINT32_C(1) << 31;
}

static inline uint64_t radix_key_of_double(double value)
{
    uint64_t bits;
    value += 0.0;
    memcpy(&bits, &value, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

#endif
