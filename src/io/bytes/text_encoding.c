/* The first bytes of a text file. Windows programs put a byte order mark in front of UTF-8, which would otherwise
 * become part of the first word; UTF-16 would read as words with zero bytes in them. */
#include "text_encoding.h"

#include <string.h>

size_t text_mark_length(const void *bytes, size_t size)
{
    return size >= 3 && memcmp(bytes, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

static bool is_ascii(uint8_t byte)
{
    return (byte >= 32 && byte < 127) || (byte >= '\t' && byte <= '\r');
}

bool text_is_utf16(const void *bytes, size_t size)
{
    const uint8_t *b = bytes;
    if (size >= 2 && ((b[0] == 0xFF && b[1] == 0xFE) || (b[0] == 0xFE && b[1] == 0xFF))) {
        return true;
    }
    return size >= 4 && ((is_ascii(b[0]) && b[1] == 0 && is_ascii(b[2]) && b[3] == 0) ||
                         (b[0] == 0 && is_ascii(b[1]) && b[2] == 0 && is_ascii(b[3])));
}

dent_status text_begin(dent_context *context, const char *name, const void *bytes, size_t size, size_t *mark)
{
    *mark = text_mark_length(bytes, size);
    if (text_is_utf16(bytes, size)) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED, "%s: UTF-16 or UTF-32 text; save it as UTF-8 or ASCII", name);
    }
    return DENT_OK;
}
