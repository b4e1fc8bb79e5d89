/* FNV-1a, 64 bits, byte by byte: for golden hashes in tests and output, not for tables that meet hostile keys. Feed
 * bytes in a fixed order; integers by hash_u64, which is the same on every machine whatever its byte order. */
#ifndef DENT_BASE_HASH_H
#define DENT_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(0xCBF29CE484222325)

static inline uint64_t hash_byte(uint64_t hash, unsigned char byte)
{
    return (hash ^ byte) * UINT64_C(0x100000001B3);
}

static inline uint64_t hash_bytes(uint64_t hash, const void *bytes, size_t count)
{
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < count; i++) {
        hash = hash_byte(hash, byte[i]);
    }
    return hash;
}

/* The eight bytes of `value`, lowest first. */
static inline uint64_t hash_u64(uint64_t hash, uint64_t value)
{
    for (int i = 0; i < 8; i++) {
        hash = hash_byte(hash, (unsigned char)(value >> (8 * i)));
    }
    return hash;
}

#endif
