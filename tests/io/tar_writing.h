/* For tests: tar archives written by hand, right and wrong, plain or in gzip blocks that store without packing. */
#ifndef DENT_TESTS_IO_TAR_WRITING_H
#define DENT_TESTS_IO_TAR_WRITING_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TAR_TEST_LIMIT = 1 << 20 };

struct tar_text {
    size_t size;
    uint8_t bytes[TAR_TEST_LIMIT];
};

static inline void tar_start(struct tar_text *tar)
{
    tar->size = 0;
}

/* `digits` octal digits, without an end. */
static inline void tar_octal(uint8_t *field, int digits, uint64_t value)
{
    for (int i = digits; i-- > 0; value /= 8) {
        field[i] = (uint8_t)('0' + value % 8);
    }
}

/* The sum of a header, after its fields were changed. */
static inline void tar_sum(uint8_t *header)
{
    unsigned sum = 0;
    memset(header + 148, ' ', 8);
    for (int i = 0; i < 512; i++) {
        sum += header[i];
    }
    tar_octal(header + 148, 6, sum);
    header[154] = 0;
}

/* A header of its own; the place of it is returned so that a test may break it. */
static inline uint8_t *tar_header(struct tar_text *tar, const char *name, char type, uint64_t size)
{
    uint8_t *header = tar->bytes + tar->size;
    memset(header, 0, 512);
    memcpy(header, name, strlen(name) < 100 ? strlen(name) : 100);
    memcpy(header + 100,
           "0000644\0"
           "0000000\0"
           "0000000\0",
           24);
    tar_octal(header + 124, 11, size);
    memcpy(header + 136, "00000000000\0", 12);
    header[156] = (uint8_t)type;
    memcpy(header + 257,
           "ustar\0"
           "00",
           8);
    tar_sum(header);
    tar->size += 512;
    return header;
}

static inline void tar_data(struct tar_text *tar, const void *data, size_t size)
{
    memset(tar->bytes + tar->size, 0, (size + 511) / 512 * 512);
    memcpy(tar->bytes + tar->size, data, size);
    tar->size += (size + 511) / 512 * 512;
}

static inline uint8_t *tar_file(struct tar_text *tar, const char *name, const char *text)
{
    uint8_t *header = tar_header(tar, name, '0', strlen(text));
    tar_data(tar, text, strlen(text));
    return header;
}

static inline void tar_end(struct tar_text *tar)
{
    memset(tar->bytes + tar->size, 0, 1024);
    tar->size += 1024;
}

/* A pax header with one record "LENGTH key=value\n". */
static inline void tar_pax(struct tar_text *tar, char type, const char *key, const char *value)
{
    char line[4096];
    size_t bare = strlen(key) + strlen(value) + 3, length = bare + 1;
    for (int i = 0; i < 3; i++) {
        length = bare + (size_t)snprintf(NULL, 0, "%zu", length);
    }
    snprintf(line, sizeof line, "%zu %s=%s\n", length, key, value);
    tar_header(tar, "PaxHeaders/x", type, length);
    tar_data(tar, line, length);
}

/* gzip that stores: header, blocks of at most 65535 bytes, sum and length. Returns the size. */
static inline size_t gzip_stored(const uint8_t *bytes, size_t size, uint8_t *out)
{
    static const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    memcpy(out, header, 10);
    size_t used = 10;
    uint32_t sum = 0xffffffffu;
    for (size_t i = 0; i < size; i++) {
        sum ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            sum = sum >> 1 ^ (0xedb88320u & (0u - (sum & 1)));
        }
    }
    size_t at = 0;
    do {
        uint16_t length = (uint16_t)(size - at < 65535 ? size - at : 65535);
        uint8_t block[5] = {at + length == size, (uint8_t)length, (uint8_t)(length >> 8), (uint8_t)~length,
                            (uint8_t)(~length >> 8)};
        memcpy(out + used, block, 5);
        memcpy(out + used + 5, bytes + at, length);
        used += 5u + length;
        at += length;
    } while (at < size);
    const uint32_t ends[2] = {sum ^ 0xffffffffu, (uint32_t)size};
    for (int i = 0; i < 8; i++) {
        out[used++] = (uint8_t)(ends[i / 4] >> i % 4 * 8);
    }
    return used;
}

#endif
