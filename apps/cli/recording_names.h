/* recording_names.h — the names of the bodies of a recording, from the file bodies.txt that `dent run` writes beside
 * the frames. */
#ifndef DENT_RECORDING_NAMES_H
#define DENT_RECORDING_NAMES_H

#include <dent/base.h>

enum { RECORDED_NAME_LIMIT = 96, RECORDED_BODY_LIMIT = 100000 };

typedef struct recording_names {
    uint32_t count; /* names[i] is that of body i; empty: not listed */
    char (*names)[RECORDED_NAME_LIMIT];
} recording_names;

/** Reads bodies.txt of a folder ("" or ending in a slash). A file that is missing or makes no sense lists nothing;
 * false: out of memory. */
bool recording_names_read(dent_context *context, const char *folder, recording_names *names);
void recording_names_release(dent_context *context, recording_names *names);

/** The name of a body, or null. */
const char *recording_name(const recording_names *names, int32_t number);

#endif
