/* view_text.h — messages that are JSON text (view_protocol.h), a piece at a time. */
#ifndef DENT_VIEW_TEXT_H
#define DENT_VIEW_TEXT_H

#include "view_protocol.h"

typedef struct view_text {
    view_message *message;
    bool failed; /* out of memory: whatever follows is left out */
} view_text;

view_text view_text_begin(view_message_kind kind);
/** Appends as it is, as a number (null where it is none), and as a string in quotes. */
void view_text_add(view_text *into, const char *string);
void view_text_number(view_text *into, double number);
void view_text_string(view_text *into, const char *string);
/** The message; null: out of memory. */
view_message *view_text_end(view_text *made);

#endif
