/* What a text file may begin with. Every reader of text begins here (scanner_open, xml_open), so that a byte order mark
 * is accepted, and another encoding refused, by all of them alike. */
#ifndef DENT_IO_TEXT_ENCODING_H
#define DENT_IO_TEXT_ENCODING_H

#include <dent/base.h>

/* Length of the UTF-8 byte order mark at the front: 3, or 0 without one. */
size_t text_mark_length(const void *bytes, size_t size);

/* Does it begin as UTF-16 or UTF-32 text does: with their byte order mark, or with letters between zero bytes? */
bool text_is_utf16(const void *bytes, size_t size);

/* UNSUPPORTED when the text is UTF-16 or UTF-32; otherwise *mark is the length of the mark to pass over. */
dent_status text_begin(dent_context *context, const char *name, const void *bytes, size_t size, size_t *mark);

#endif
