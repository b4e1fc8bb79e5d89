/* Text and numbers into whole files.
 *
 * Numbers as text are formed by snprintf, which obeys two things a library must not depend on: the locale (decimal
 * comma) and the rounding mode (a directed mode makes the 17th digit one that no longer reads back to the same double).
 * The first is undone in the text, the second by rounding to nearest while the file is open. */
#include "output_file.h"

#include <fenv.h>
#include <stdio.h>
#include <string.h>

dent_status output_open(struct output_file *file, dent_context *context, const char *path)
{
    dent_status status = whole_file_open(&file->file, context, path, NULL);
    if (status == DENT_OK) {
        file->rounding = fegetround();
        fesetround(FE_TONEAREST);
    }
    return status;
}

void output_bytes(struct output_file *file, const void *bytes, size_t size)
{
    whole_file_put(&file->file, bytes, size);
}

void output_text(struct output_file *file, const char *text)
{
    output_bytes(file, text, strlen(text));
}

void output_decimal(struct output_file *file, uint64_t number)
{
    char digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (char)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    output_bytes(file, digits + first, sizeof digits - first);
}

static bool belongs_to_a_number(char c)
{
    return (c >= '0' && c <= '9') || c == '-' || c == '+' || (c >= 'a' && c <= 'z');
}

void output_number(struct output_file *file, double number)
{
    char text[64];
    int length = snprintf(text, sizeof text, "%.17g", number);
    /* Whatever the locale put in place of the point (a comma, or several bytes) becomes one point. */
    char plain[64];
    size_t used = 0;
    for (int i = 0; i < length && i < (int)sizeof text - 1; i++) {
        if (belongs_to_a_number(text[i])) {
            plain[used++] = text[i];
        } else if (i > 0 && belongs_to_a_number(text[i - 1])) {
            plain[used++] = '.';
        }
    }
    output_bytes(file, plain, used);
}

void output_uint64(struct output_file *file, uint64_t number)
{
    unsigned char bytes[8];
    for (int i = 0; i < 8; i++) {
        bytes[i] = (unsigned char)(number >> (8 * i));
    }
    output_bytes(file, bytes, sizeof bytes);
}

void output_double(struct output_file *file, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    output_uint64(file, bits);
}

void output_xml_text(struct output_file *file, const char *text)
{
    for (; *text; text++) {
        switch (*text) {
        case '&':
            output_text(file, "&amp;");
            break;
        case '<':
            output_text(file, "&lt;");
            break;
        case '>':
            output_text(file, "&gt;");
            break;
        case '"':
            output_text(file, "&quot;");
            break;
        case '\t': /* a plain one would be read back as a space */
            output_text(file, "&#9;");
            break;
        case '\n':
            output_text(file, "&#10;");
            break;
        case '\r':
            output_text(file, "&#13;");
            break;
        default:
            output_bytes(file, text, 1);
        }
    }
}

/* Length of the UTF-8 sequence at `text`, 0 when it is malformed (overlong, surrogate, beyond U+10FFFF, cut short). */
static int utf8_sequence(const unsigned char *text)
{
    if (text[0] < 0x80) {
        return 1;
    }
    int length = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
    if (text[0] < 0xC2 || text[0] > 0xF4) {
        return 0;
    }
    uint32_t code = text[0] & (0x7Fu >> length);
    for (int i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) {
            return 0; /* also at the end of the text, whose zero byte is no continuation */
        }
        code = code << 6 | (text[i] & 0x3Fu);
    }
    bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    bool outside = code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) || code == 0xFFFE || code == 0xFFFF;
    return overlong || outside ? 0 : length;
}

bool output_xml_can_carry(const char *text)
{
    const unsigned char *byte = (const unsigned char *)text;
    while (*byte) {
        if (*byte < 0x20 && *byte != '\t' && *byte != '\n' && *byte != '\r') {
            return false;
        }
        int length = utf8_sequence(byte);
        if (length == 0) {
            return false;
        }
        byte += length;
    }
    return true;
}

dent_status output_close(struct output_file *file)
{
    fesetround(file->rounding);
    return whole_file_close(&file->file);
}
