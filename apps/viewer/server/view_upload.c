/* view_upload.c — puts the pieces of a file from a page together. */
#include "view_upload.h"

static bool begin(view_upload *upload, unsigned char kind)
{
    upload->kind = kind;
    upload->inside = true;
    if (upload->file == NULL) {
        upload->file = view_message_create(1 << 16);
    }
    return kind <= 2 && upload->file != NULL;
}

bool view_upload_take(view_upload *upload, const void *bytes, size_t size, bool last)
{
    const unsigned char *at = bytes;
    if (upload->state != VIEW_UPLOAD_OPEN) {
        return false;
    }
    if (!upload->inside) {
        if (size == 0 || !begin(upload, at[0])) {
            upload->inside = false;
            return false;
        }
        at++;
        size--;
        if (upload->kind == 2) {
            upload->file->size = 0; /* a part of a file is none */
        }
    }
    if (upload->file == NULL || size > (size_t)VIEW_UPLOAD_MOST - upload->file->size ||
        !view_message_append(upload->file, at, size)) {
        return false;
    }
    if (last) {
        upload->inside = false;
        upload->state = upload->kind == 1   ? VIEW_UPLOAD_DONE
                        : upload->kind == 2 ? VIEW_UPLOAD_FAILED
                                            : VIEW_UPLOAD_OPEN;
    }
    return true;
}
