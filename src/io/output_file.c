/* Complete files or none: temporary file beside the target, every write checked, rename at the end.
 *
 * The C library's streams are not used: they allocate behind the context's back and report a full disk late. Numbers as
 * text are formed by snprintf, which obeys two things a library must not depend on: the locale (decimal comma) and the
 * rounding mode (a directed mode makes the 17th digit one that no longer reads back to the same double). The first is
 * undone in the text, the second by rounding to nearest while the file is open. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "output_file.h"

#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h> /* realpath only; memory comes from the context */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 65536, TEMPORARY_NAME_SIZE = 64, TEMPORARY_NAME_TRIES = 100 };

#ifndef PATH_MAX
#define PATH_MAX 4096
#endif

static void fail_with_errno(struct output_file *file, const char *what, int error)
{
    char reason[256];
    if (strerror_r(error, reason, sizeof reason) != 0) {
        snprintf(reason, sizeof reason, "error %d", error);
    }
    file->status = dent_fail(file->context, DENT_ERROR_FILE, "%s: %s: %s", file->path, what, reason);
}

static void release_memory(struct output_file *file)
{
    dent_release(file->context, file->block, file->block_size, 1);
    file->block = NULL;
}

/* Replacing a device or a pipe by a file would be worse than any error. An existing file keeps its permissions. */
static bool inspect_target(struct output_file *file, mode_t *mode, bool *keep_mode)
{
    struct stat found;
    *keep_mode = false;
    *mode = 0666;
    if (stat(file->path, &found) != 0) {
        if (errno != ENOENT) {
            fail_with_errno(file, "cannot be written", errno);
        }
        return file->status == DENT_OK;
    }
    if (!S_ISREG(found.st_mode)) {
        file->status = dent_fail(file->context, DENT_ERROR_FILE, "%s: cannot be written: it is %s", file->path,
                                 S_ISDIR(found.st_mode) ? "a directory" : "not a regular file");
        return false;
    }
    *mode = found.st_mode & 0777;
    *keep_mode = true;
    return true;
}

/* Folder of the target plus a short name of our own: an appended suffix could exceed the longest name allowed. */
static bool create_temporary(struct output_file *file, mode_t mode, bool keep_mode)
{
    const char *slash = strrchr(file->target, '/');
    size_t folder_length = slash ? (size_t)(slash - file->target) + 1 : 0;
    memcpy(file->temporary, file->target, folder_length);
    uint64_t number = dent_clock_ns();
    for (int attempt = 0; attempt < TEMPORARY_NAME_TRIES; attempt++) {
        snprintf(file->temporary + folder_length, TEMPORARY_NAME_SIZE, ".dent-%ld-%llx.part", (long)getpid(),
                 (unsigned long long)(number + (unsigned)attempt));
        file->descriptor = open(file->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
        if (file->descriptor >= 0) {
            if (keep_mode) {
                (void)fchmod(file->descriptor, mode); /* open() has applied the umask; not worth failing for */
            }
            return true;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    fail_with_errno(file, "cannot be written", errno);
    return false;
}

dent_status output_open(struct output_file *file, dent_context *context, const char *path)
{
    memset(file, 0, sizeof *file);
    file->context = context;
    file->path = path;
    file->descriptor = -1;
    size_t target_size = strlen(path) + 1 > PATH_MAX ? strlen(path) + 1 : PATH_MAX;
    file->block_size = BUFFER_SIZE + 2 * target_size + TEMPORARY_NAME_SIZE;
    file->block = dent_allocate(context, file->block_size, 1);
    if (!file->block) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "%s: out of memory for the write buffer", path);
    }
    file->target = file->block + BUFFER_SIZE;
    file->temporary = file->target + target_size;
    if (!realpath(path, file->target)) {
        memcpy(file->target, path, strlen(path) + 1); /* not there yet */
    }
    mode_t mode;
    bool keep_mode;
    if (!inspect_target(file, &mode, &keep_mode) || !create_temporary(file, mode, keep_mode)) {
        release_memory(file);
        return file->status;
    }
    file->rounding = fegetround();
    fesetround(FE_TONEAREST);
    return DENT_OK;
}

static void flush(struct output_file *file)
{
    const char *bytes = file->block;
    size_t left = file->used;
    file->used = 0;
    while (left > 0 && file->status == DENT_OK) {
        ssize_t written = write(file->descriptor, bytes, left);
        if (written > 0) {
            bytes += written;
            left -= (size_t)written;
        } else if (written == 0 || errno != EINTR) {
            fail_with_errno(file, "cannot be written", written == 0 ? ENOSPC : errno);
        }
    }
}

void output_bytes(struct output_file *file, const void *bytes, size_t size)
{
    const char *from = bytes;
    while (size > 0 && file->status == DENT_OK) {
        size_t room = BUFFER_SIZE - file->used;
        size_t part = size < room ? size : room;
        memcpy(file->block + file->used, from, part);
        file->used += part;
        from += part;
        size -= part;
        if (file->used == BUFFER_SIZE) {
            flush(file);
        }
    }
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
    flush(file);
    if (close(file->descriptor) != 0 && file->status == DENT_OK) {
        fail_with_errno(file, "cannot be written", errno); /* where network file systems report a full disk */
    }
    if (file->status == DENT_OK && rename(file->temporary, file->target) != 0) {
        fail_with_errno(file, "cannot be put in place", errno);
    }
    if (file->status != DENT_OK) {
        (void)unlink(file->temporary);
    }
    fesetround(file->rounding);
    release_memory(file);
    return file->status;
}
