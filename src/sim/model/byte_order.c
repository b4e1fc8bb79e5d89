/* Fields of records turned round where the host keeps the highest byte first. */
#include "byte_order.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { PIECE = 1024 };

static bool host_is_little_endian(void)
{
    const uint32_t one = 1;
    unsigned char lowest;
    memcpy(&lowest, &one, 1);
    return lowest == 1;
}

static size_t record_size(const char *layout)
{
    size_t size = 0;
    for (; *layout; layout++) {
        size += (size_t)(*layout - '0');
    }
    return size;
}

void byte_order_reverse(void *bytes, size_t size, const char *layout)
{
    unsigned char *field = bytes, *end = field + size;
    while (field < end) {
        for (const char *digit = layout; *digit; digit++) {
            size_t width = (size_t)(*digit - '0');
            for (size_t i = 0; i < width / 2; i++) {
                unsigned char swap = field[i];
                field[i] = field[width - 1 - i];
                field[width - 1 - i] = swap;
            }
            field += width;
        }
    }
}

void byte_order_exchange(void *bytes, size_t size, const char *layout)
{
    if (!host_is_little_endian()) {
        byte_order_reverse(bytes, size, layout);
    }
}

void byte_order_pass(const void *bytes, size_t size, const char *layout, byte_order_sink *sink, void *user)
{
    if (host_is_little_endian()) {
        sink(user, bytes, size);
        return;
    }
    unsigned char piece[PIECE];
    size_t most = PIECE / record_size(layout) * record_size(layout);
    const unsigned char *at = bytes;
    while (size > 0) {
        size_t part = size < most ? size : most;
        memcpy(piece, at, part);
        byte_order_reverse(piece, part, layout);
        sink(user, piece, part);
        at += part;
        size -= part;
    }
}

/* ---- hashing ------------------------------------------------------------------------------------------------------ */

uint64_t sim_hash_bytes(uint64_t hash, const void *bytes, size_t size)
{
    const unsigned char *byte = bytes;
    for (size_t n = 0; n < size; n++) {
        hash = (hash ^ byte[n]) * UINT64_C(0x100000001b3);
    }
    return hash;
}

static void hash_piece(void *hash, const void *bytes, size_t size)
{
    *(uint64_t *)hash = sim_hash_bytes(*(uint64_t *)hash, bytes, size);
}

uint64_t sim_hash_records(uint64_t hash, const void *records, size_t size, const char *layout)
{
    byte_order_pass(records, size, layout, hash_piece, &hash);
    return hash;
}
