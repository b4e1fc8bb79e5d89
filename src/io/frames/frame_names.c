/* Patterns and numbers in names. `%d` stands for digits, `%04d` for four or more; `*` for any characters, `?` for one.
 * Patterns are never handed to printf or glob: what they can do is on this page, and takes at most length of pattern
 * times length of name. */
#include "frame_names.h"

#include "io/formats/reader_table.h"

#include <string.h>
#include <strings.h>

static bool is_digit(char letter)
{
    return letter >= '0' && letter <= '9';
}

/* Length of a "%d" or "%04d" at `text`, 0 when there is none; *least is the number of digits it asks for. */
static size_t number_mark(const char *text, size_t *least)
{
    if (text[0] != '%') {
        return 0;
    }
    size_t length = 1, width = 0;
    while (is_digit(text[length]) && length < 4) {
        width = width * 10 + (size_t)(text[length++] - '0');
    }
    *least = width > 1 ? width : 1;
    return text[length] == 'd' ? length + 1 : 0;
}

bool pattern_has_wildcard(const char *pattern)
{
    size_t least;
    for (const char *at = pattern; *at; at++) {
        if (*at == '%' && at[1] == '%') {
            at++;
        } else if (*at == '*' || *at == '?' || number_mark(at, &least) > 0) {
            return true;
        }
    }
    return false;
}

const char *pattern_fault(const char *pattern)
{
    size_t numbers = 0, others = 0, least;
    for (const char *at = pattern; *at; at++) {
        if (*at == '%' && at[1] == '%') {
            at++;
        } else if (*at == '%' && number_mark(at, &least) == 0) {
            return "after % comes d, as in %d or %04d; a percent sign itself is %%";
        } else {
            numbers += *at == '%';
            others += *at == '*' || *at == '?';
        }
    }
    if (numbers > 1) {
        return "more than one %d";
    }
    return numbers > 0 && others > 0 ? "give either %d or * and ?, not both" : NULL;
}

/* ---- matching -------------------------------------------------------------------------------------------------- */

/* One character of a pattern that is no wildcard; *used is its length in the pattern. */
static char plain_character(const char *pattern, size_t *used)
{
    *used = pattern[0] == '%' && pattern[1] == '%' ? 2 : 1;
    return pattern[0];
}

/* The plain characters at the front of the pattern. False: the name begins otherwise. */
static bool match_front(const char **pattern, const char **name)
{
    size_t least, used;
    while (**pattern && **pattern != '*' && **pattern != '?' && number_mark(*pattern, &least) == 0) {
        if (plain_character(*pattern, &used) != **name) {
            return false;
        }
        *pattern += used;
        *name += 1;
    }
    return true;
}

/* Plain characters only, to the end of both. */
static bool match_rest(const char *pattern, const char *name)
{
    return match_front(&pattern, &name) && *pattern == 0 && *name == 0;
}

/* "%04d" and what is plain behind it. */
static bool match_number(const char *pattern, const char *name, size_t *length)
{
    size_t least;
    pattern += number_mark(pattern, &least);
    *length = 0;
    while (is_digit(name[*length])) {
        (*length)++;
    }
    /* What follows may begin with digits too: give some back until it fits. */
    for (; *length >= least && *length > 0; (*length)--) {
        if (match_rest(pattern, name + *length)) {
            return true;
        }
    }
    return false;
}

/* `*` and `?`: go back to the last star only, which is enough. */
static bool match_stars(const char *pattern, const char *name)
{
    const char *after_star = NULL, *retry = NULL;
    while (*name) {
        size_t used = 1;
        if (*pattern == '*') {
            after_star = ++pattern;
            retry = name;
            continue;
        }
        if (*pattern && (*pattern == '?' ? *name != '/' : plain_character(pattern, &used) == *name)) {
            pattern += used;
            name++;
            continue;
        }
        if (!after_star || *retry == '/') {
            return false;
        }
        pattern = after_star;
        name = ++retry;
    }
    while (*pattern == '*') {
        pattern++;
    }
    return *pattern == 0;
}

/* Length in the name of what is plain behind the last star or question mark. */
static size_t plain_tail(const char *pattern)
{
    size_t length = 0, used;
    for (const char *at = pattern; *at; at += used) {
        used = 1;
        if (*at == '*' || *at == '?') {
            length = 0;
        } else {
            plain_character(at, &used);
            length++;
        }
    }
    return length;
}

bool pattern_matches(const char *pattern, const char *name, struct name_span *wild)
{
    const char *rest = name;
    size_t least;
    if (!match_front(&pattern, &rest)) {
        return false;
    }
    wild->begin = (size_t)(rest - name);
    if (number_mark(pattern, &least) > 0) {
        size_t length;
        bool matches = match_number(pattern, rest, &length);
        wild->end = wild->begin + length;
        return matches;
    }
    if (!match_stars(pattern, rest)) {
        return false;
    }
    wild->end = strlen(name) - plain_tail(pattern);
    return true;
}

/* ---- the number ------------------------------------------------------------------------------------------------ */

struct name_span name_stem(const char *name)
{
    const char *slash = strrchr(name, '/');
    struct name_span stem = {slash ? (size_t)(slash - name) + 1 : 0, strlen(name)};
    const struct mesh_format *format = mesh_format_of_name(name);
    size_t endings = (compression_of_name(name) != COMPRESSION_NONE ? 3 : 0) + (format ? strlen(format->ending) : 0);
    if (stem.end - stem.begin > endings) {
        stem.end -= endings;
    }
    return stem;
}

enum number_found name_number(const char *name, struct name_span within, struct name_span *digits, uint64_t *number)
{
    struct name_span stem = name_stem(name);
    size_t begin = within.begin > stem.begin ? within.begin : stem.begin;
    size_t at = within.end < stem.end ? within.end : stem.end;
    while (begin > stem.begin && begin <= stem.end && is_digit(name[begin - 1])) { /* digits that only touch it count */
        begin--;
    }
    while (at < stem.end && is_digit(name[at])) {
        at++;
    }
    while (at > begin && !is_digit(name[at - 1])) {
        at--;
    }
    if (at <= begin) {
        return NUMBER_NONE;
    }
    *digits = (struct name_span){at - 1, at};
    while (digits->begin > stem.begin && is_digit(name[digits->begin - 1])) {
        digits->begin--;
    }
    while (digits->end < stem.end && is_digit(name[digits->end])) {
        digits->end++;
    }
    *number = 0;
    for (size_t i = digits->begin; i < digits->end; i++) {
        if (*number > (UINT64_MAX - 9) / 10) {
            return NUMBER_TOO_LARGE;
        }
        *number = *number * 10 + (uint64_t)(name[i] - '0');
    }
    return NUMBER_FOUND;
}

bool names_agree(const char *a, struct name_span digits_a, const char *b, struct name_span digits_b)
{
    return digits_a.begin == digits_b.begin && memcmp(a, b, digits_a.begin) == 0 &&
           strcmp(a + digits_a.end, b + digits_b.end) == 0;
}

bool name_is_archive(const char *name, size_t length)
{
    static const char *const endings[] = {".tar", ".tar.gz", ".tgz", ".tar.xz", ".txz"};
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strncasecmp(name + length - ending, endings[i], ending) == 0) {
            return true;
        }
    }
    return false;
}
