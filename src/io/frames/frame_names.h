/* Names of frames: patterns, and the number in a name. No memory, no files. */
#ifndef DENT_IO_FRAME_NAMES_H
#define DENT_IO_FRAME_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct name_span {
    size_t begin, end;
};

/* Has it a `*`, a `?` or a `%d`? */
bool pattern_has_wildcard(const char *pattern);

/* Null, or what is wrong with it. `*` and `?` do not go together with `%d`, of which there may be one. */
const char *pattern_fault(const char *pattern);

/* *wild gets the part of the name from the first wildcard to the last. No wildcard stands for a '/'. */
bool pattern_matches(const char *pattern, const char *name, struct name_span *wild);

/* The name without folders and without the endings that say format and packing. */
struct name_span name_stem(const char *name);

enum number_found { NUMBER_NONE, NUMBER_FOUND, NUMBER_TOO_LARGE };

/* The last run of digits of the stem that reaches into `within` or touches it. */
enum number_found name_number(const char *name, struct name_span within, struct name_span *digits, uint64_t *number);

/* Two names that are the same but for these digits. */
bool names_agree(const char *a, struct name_span digits_a, const char *b, struct name_span digits_b);

/* Does the path end as archives do? */
bool name_is_archive(const char *name, size_t length);

#endif
