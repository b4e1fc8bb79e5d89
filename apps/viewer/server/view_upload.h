/* view_upload.h — a file that a page makes and sends to its server: the video of `dent view --record`. Expected only where
 * the tool has said so; else binary messages of pages close the connection. */
#ifndef DENT_VIEW_UPLOAD_H
#define DENT_VIEW_UPLOAD_H

#include "view_protocol.h"

enum { VIEW_UPLOAD_MOST = 1 << 30 }; /* bytes */

typedef enum view_upload_state {
    VIEW_UPLOAD_NONE = 0, /* not expected: whatever comes is refused */
    VIEW_UPLOAD_OPEN,     /* expected, on its way */
    VIEW_UPLOAD_DONE,
    VIEW_UPLOAD_FAILED /* the page could not make it; the text says why */
} view_upload_state;

/** A message of a page: its first byte says what follows: 0 a part of the file, 1 the last part, 2 why there is none. */
typedef struct view_upload {
    view_upload_state state;
    view_message *file; /* or the words; null: nothing yet */
    bool inside;        /* a message, whose first byte was `kind` */
    unsigned char kind;
} view_upload;

/** Takes over a piece of a message, in order; `last`: it ends here. False: not expected, or too large, or out of memory. */
bool view_upload_take(view_upload *upload, const void *bytes, size_t size, bool last);

#endif
