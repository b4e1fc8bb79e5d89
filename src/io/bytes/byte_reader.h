/* Bounds-checked reads from bytes in memory, in either byte order, whatever the order of this machine.
 *
 * Reading behind the end gives zero, sets `failed`, and leaves the cursor at the end, so a record can be read as a
 * whole and checked once. Floats are widened to doubles by moving bits: flush-to-zero modes of the caller do not touch
 * subnormals. */
#ifndef DENT_IO_BYTE_READER_H
#define DENT_IO_BYTE_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_reader {
    const uint8_t *cursor;
    const uint8_t *end;
    bool big_endian;
    bool failed;
};

static inline struct byte_reader byte_reader_over(const uint8_t *begin, const uint8_t *end, bool big_endian)
{
    return (struct byte_reader){.cursor = begin, .end = end, .big_endian = big_endian};
}

static inline size_t byte_reader_left(const struct byte_reader *reader)
{
    return (size_t)(reader->end - reader->cursor);
}

/* The next `size` bytes, or null. */
static inline const uint8_t *byte_reader_take(struct byte_reader *reader, size_t size)
{
    if (reader->failed || byte_reader_left(reader) < size) {
        reader->failed = true;
        reader->cursor = reader->end;
        return NULL;
    }
    const uint8_t *taken = reader->cursor;
    reader->cursor += size;
    return taken;
}

/* An unsigned integer of 1, 2, 4 or 8 bytes. */
static inline uint64_t byte_reader_unsigned(struct byte_reader *reader, size_t size)
{
    const uint8_t *bytes = byte_reader_take(reader, size);
    uint64_t value = 0;
    if (bytes) {
        for (size_t i = 0; i < size; i++) {
            value |= (uint64_t)bytes[i] << (8 * (reader->big_endian ? size - 1 - i : i));
        }
    }
    return value;
}

static inline uint32_t byte_reader_u32(struct byte_reader *reader)
{
    return (uint32_t)byte_reader_unsigned(reader, 4);
}

static inline uint64_t byte_reader_u64(struct byte_reader *reader)
{
    return byte_reader_unsigned(reader, 8);
}

static inline int32_t byte_reader_i32(struct byte_reader *reader)
{
    return (int32_t)byte_reader_u32(reader);
}

static inline int64_t byte_reader_i64(struct byte_reader *reader)
{
    return (int64_t)byte_reader_u64(reader);
}

static inline double byte_reader_f64(struct byte_reader *reader)
{
    uint64_t bits = byte_reader_u64(reader);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* binary32 to binary64 without arithmetic. */
static inline double double_from_float_bits(uint32_t bits)
{
    uint64_t sign = (uint64_t)(bits >> 31) << 63;
    uint64_t exponent = (bits >> 23) & 0xff;
    uint64_t fraction = bits & 0x7fffff;
    uint64_t wide;
    if (exponent == 0xff) {
        wide = sign | 0x7ff0000000000000u | fraction << 29;
    } else if (exponent != 0) {
        wide = sign | (exponent + 1023 - 127) << 52 | fraction << 29;
    } else if (fraction == 0) {
        wide = sign;
    } else {
        /* Subnormal: fraction * 2^-149. Shift its top bit to the place of the hidden one. */
        exponent = 1023 - 126;
        while (!(fraction & 0x800000)) {
            fraction <<= 1;
            exponent--;
        }
        wide = sign | exponent << 52 | (fraction & 0x7fffff) << 29;
    }
    double value;
    memcpy(&value, &wide, sizeof value);
    return value;
}

static inline double byte_reader_f32(struct byte_reader *reader)
{
    return double_from_float_bits(byte_reader_u32(reader));
}

#endif
