/* Least-significant-digit radix sort, a byte at a time.
 *
 * Keys that are already in order, the common case from one step to the next, are noticed first. Then one pass counts
 * all bytes of all keys at once. Bytes that are equal in all keys (the upper half of most indices) cost nothing
 * further; every other byte is one stable scatter between the two arrays. Short lists are sorted by insertion, long
 * before 256 counters pay off. */
#include "base/radix_sort.h"

#include "base/dent_assert.h"

#include <stdbool.h>
#include <string.h>

enum { DIGITS = 256, SHORT_LIST = 64 };

/* From counts to the place of the first key with each digit. */
static void counts_to_places(uint32_t counts[DIGITS])
{
    uint32_t place = 0;
    for (int digit = 0; digit < DIGITS; digit++) {
        uint32_t count = counts[digit];
        counts[digit] = place;
        place += count;
    }
}

/* Insertion: the payload follows its key from one place to an earlier one. */
static void move_payload(uint32_t *payload, size_t from, size_t to)
{
    if (payload) {
        uint32_t value = payload[from];
        memmove(payload + to + 1, payload + to, (from - to) * sizeof *payload);
        payload[to] = value;
    }
}

/* ---- 64 bits ----------------------------------------------------------------------------------------------------- */

static void insertion_sort_u64(uint64_t *keys, uint32_t *payload, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        uint64_t key = keys[i];
        size_t place = i;
        while (place > 0 && keys[place - 1] > key) {
            place--;
        }
        if (place == i) {
            continue;
        }
        memmove(keys + place + 1, keys + place, (i - place) * sizeof *keys);
        keys[place] = key;
        move_payload(payload, i, place);
    }
}

static bool in_order_u64(const uint64_t *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (keys[i - 1] > keys[i]) {
            return false;
        }
    }
    return true;
}

/* Bits that are not equal in all keys. */
static uint64_t different_bits_u64(const uint64_t *keys, size_t count)
{
    uint64_t different = 0;
    for (size_t i = 1; i < count; i++) {
        different |= keys[i] ^ keys[0];
    }
    return different;
}

static void count_digits_u64(const uint64_t *keys, size_t count, int bytes, uint32_t counts[8][DIGITS])
{
    memset(counts, 0, (size_t)bytes * sizeof *counts);
    for (size_t i = 0; i < count; i++) {
        uint64_t key = keys[i];
        for (int byte = 0; byte < bytes; byte++) {
            counts[byte][(key >> (8 * byte)) & 255]++;
        }
    }
}

static void scatter_u64(const uint64_t *keys, const uint32_t *payload, uint64_t *keys_out, uint32_t *payload_out,
                        size_t count, int shift, uint32_t places[DIGITS])
{
    for (size_t i = 0; i < count; i++) {
        uint32_t place = places[(keys[i] >> shift) & 255]++;
        keys_out[place] = keys[i];
        if (payload) {
            payload_out[place] = payload[i];
        }
    }
}

void radix_sort_u64(uint64_t *keys, uint32_t *payload, uint64_t *key_scratch, uint32_t *payload_scratch, size_t count)
{
    DENT_ASSERT(count <= UINT32_MAX);
    if (count < SHORT_LIST) {
        insertion_sort_u64(keys, payload, count);
        return;
    }
    if (in_order_u64(keys, count)) {
        return;
    }
    uint32_t counts[8][DIGITS];
    uint64_t different = different_bits_u64(keys, count);
    int bytes = 1 + (63 - __builtin_clzll(different)) / 8;
    count_digits_u64(keys, count, bytes, counts);
    uint64_t *from = keys, *to = key_scratch;
    uint32_t *payload_from = payload, *payload_to = payload_scratch;
    for (int byte = 0; byte < bytes; byte++) {
        if (!(different >> (8 * byte) & 255)) {
            continue; /* the same in all keys, whatever their order */
        }
        counts_to_places(counts[byte]);
        scatter_u64(from, payload_from, to, payload_to, count, 8 * byte, counts[byte]);
        uint64_t *swap = from;
        from = to;
        to = swap;
        uint32_t *payload_swap = payload_from;
        payload_from = payload_to;
        payload_to = payload_swap;
    }
    if (from != keys) {
        memcpy(keys, from, count * sizeof *keys);
        if (payload) {
            memcpy(payload, payload_from, count * sizeof *payload);
        }
    }
}

/* ---- 128 bits ---------------------------------------------------------------------------------------------------- */

static bool key_greater(struct key128 a, struct key128 b)
{
    return a.high > b.high || (a.high == b.high && a.low > b.low);
}

static void insertion_sort_u128(struct key128 *keys, uint32_t *payload, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        struct key128 key = keys[i];
        size_t place = i;
        while (place > 0 && key_greater(keys[place - 1], key)) {
            place--;
        }
        if (place == i) {
            continue;
        }
        memmove(keys + place + 1, keys + place, (i - place) * sizeof *keys);
        keys[place] = key;
        move_payload(payload, i, place);
    }
}

static bool in_order_u128(const struct key128 *keys, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (key_greater(keys[i - 1], keys[i])) {
            return false;
        }
    }
    return true;
}

static void count_digits_u128(const struct key128 *keys, size_t count, uint32_t counts[16][DIGITS])
{
    for (size_t i = 0; i < count; i++) {
        struct key128 key = keys[i];
        for (int byte = 0; byte < 8; byte++) {
            counts[byte][(key.low >> (8 * byte)) & 255]++;
            counts[8 + byte][(key.high >> (8 * byte)) & 255]++;
        }
    }
}

/* Byte 0 is the lowest of low, byte 15 the highest of high. */
static inline uint64_t byte_word(struct key128 key, int byte)
{
    return byte < 8 ? key.low : key.high;
}

static void scatter_u128(const struct key128 *keys, const uint32_t *payload, struct key128 *keys_out,
                         uint32_t *payload_out, size_t count, int byte, uint32_t places[DIGITS])
{
    int shift = 8 * (byte % 8);
    for (size_t i = 0; i < count; i++) {
        uint32_t place = places[(byte_word(keys[i], byte) >> shift) & 255]++;
        keys_out[place] = keys[i];
        if (payload) {
            payload_out[place] = payload[i];
        }
    }
}

void radix_sort_u128(struct key128 *keys, uint32_t *payload, struct key128 *key_scratch, uint32_t *payload_scratch,
                     size_t count)
{
    DENT_ASSERT(count <= UINT32_MAX);
    if (count < SHORT_LIST) {
        insertion_sort_u128(keys, payload, count);
        return;
    }
    if (in_order_u128(keys, count)) {
        return;
    }
    uint32_t counts[16][DIGITS] = {{0}};
    count_digits_u128(keys, count, counts);
    struct key128 *from = keys, *to = key_scratch;
    uint32_t *payload_from = payload, *payload_to = payload_scratch;
    for (int byte = 0; byte < 16; byte++) {
        if (counts[byte][(byte_word(keys[0], byte) >> (8 * (byte % 8))) & 255] == count) {
            continue;
        }
        counts_to_places(counts[byte]);
        scatter_u128(from, payload_from, to, payload_to, count, byte, counts[byte]);
        struct key128 *swap = from;
        from = to;
        to = swap;
        uint32_t *payload_swap = payload_from;
        payload_from = payload_to;
        payload_to = payload_swap;
    }
    if (from != keys) {
        memcpy(keys, from, count * sizeof *keys);
        if (payload) {
            memcpy(payload, payload_from, count * sizeof *payload);
        }
    }
}
