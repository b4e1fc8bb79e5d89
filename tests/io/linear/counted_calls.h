/* Included before the sources whose work is counted: calls that walk over bytes count by their length, since the blocks
 * of code inside the C library are not seen. */
#ifndef DENT_TESTS_IO_COUNTED_CALLS_H
#define DENT_TESTS_IO_COUNTED_CALLS_H

#include <stddef.h>
#include <string.h>

void count_bytes(size_t size);

static inline void *counted_memcpy(void *to, const void *from, size_t size)
{
    count_bytes(size);
    return memcpy(to, from, size);
}

static inline void *counted_memmove(void *to, const void *from, size_t size)
{
    count_bytes(size);
    return memmove(to, from, size);
}

static inline void *counted_memset(void *to, int byte, size_t size)
{
    count_bytes(size);
    return memset(to, byte, size);
}

static inline int counted_memcmp(const void *a, const void *b, size_t size)
{
    count_bytes(size);
    return memcmp(a, b, size);
}

static inline const void *counted_memchr(const void *bytes, int byte, size_t size)
{
    const void *found = memchr(bytes, byte, size);
    count_bytes(found ? (size_t)((const char *)found - (const char *)bytes) : size);
    return found;
}

static inline size_t counted_strlen(const char *text)
{
    size_t length = strlen(text);
    count_bytes(length);
    return length;
}

static inline int counted_strcmp(const char *a, const char *b)
{
    size_t same = 0;
    while (a[same] && a[same] == b[same]) {
        same++;
    }
    count_bytes(same);
    return strcmp(a, b);
}

#define memcpy(to, from, size) counted_memcpy(to, from, size)
#define memmove(to, from, size) counted_memmove(to, from, size)
#define memset(to, byte, size) counted_memset(to, byte, size)
#define memcmp(a, b, size) counted_memcmp(a, b, size)
#define memchr(bytes, byte, size) ((void *)counted_memchr(bytes, byte, size))
#define strlen(text) counted_strlen(text)
#define strcmp(a, b) counted_strcmp(a, b)

#endif
