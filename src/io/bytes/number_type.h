/* Number types as binary formats name them, and one number read from bytes whatever its type. */
#ifndef DENT_IO_NUMBER_TYPE_H
#define DENT_IO_NUMBER_TYPE_H

#include "byte_reader.h"

enum number_type {
    NUMBER_I8,
    NUMBER_U8,
    NUMBER_I16,
    NUMBER_U16,
    NUMBER_I32,
    NUMBER_U32,
    NUMBER_I64,
    NUMBER_U64,
    NUMBER_F32,
    NUMBER_F64,
    NUMBER_TYPE_COUNT
};

static inline size_t number_size(enum number_type type)
{
    static const uint8_t sizes[NUMBER_TYPE_COUNT] = {1, 1, 2, 2, 4, 4, 8, 8, 4, 8};
    return sizes[type];
}

static inline bool number_is_integer(enum number_type type)
{
    return type <= NUMBER_U64;
}

/* The type must be an integer. Unsigned numbers of 2^63 and more come out negative; as indices and counts they are
 * refused. */
static inline int64_t number_read_integer(struct byte_reader *reader, enum number_type type)
{
    uint64_t raw = byte_reader_unsigned(reader, number_size(type));
    switch (type) {
    case NUMBER_I8:
        return (int8_t)raw;
    case NUMBER_I16:
        return (int16_t)raw;
    case NUMBER_I32:
        return (int32_t)raw;
    default:
        return (int64_t)raw;
    }
}

/* Exact for floats, doubles and integers up to 2^53. */
static inline double number_read_real(struct byte_reader *reader, enum number_type type)
{
    if (type == NUMBER_F32) {
        return byte_reader_f32(reader);
    }
    if (type == NUMBER_F64) {
        return byte_reader_f64(reader);
    }
    return (double)number_read_integer(reader, type);
}

#endif
