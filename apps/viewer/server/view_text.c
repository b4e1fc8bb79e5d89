/* view_text.c — JSON, a piece at a time. */
#include "view_text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void view_text_add(view_text *into, const char *string)
{
    into->failed = into->failed || !view_message_append(into->message, string, strlen(string));
}

void view_text_number(view_text *into, double number)
{
    char buffer[40];
    snprintf(buffer, sizeof buffer, isfinite(number) ? "%.17g" : "null", number);
    view_text_add(into, buffer);
}

/* The bytes of the UTF-8 character at `s` when there are more than one; 0: it is none. Longer forms than needed,
 * surrogates and what lies beyond U+10FFFF do not count. */
static int utf8_length(const unsigned char *s)
{
    int length = s[0] >= 0xc2 && s[0] <= 0xdf   ? 2
                 : s[0] >= 0xe0 && s[0] <= 0xef ? 3
                 : s[0] >= 0xf0 && s[0] <= 0xf4 ? 4
                                                : 0;
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    bool bad = (s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) || (s[0] == 0xf0 && s[1] < 0x90) ||
               (s[0] == 0xf4 && s[1] > 0x8f);
    return bad ? 0 : length;
}

/* Quoted; what is neither printable ASCII nor UTF-8 is escaped or becomes '?'. */
void view_text_string(view_text *into, const char *string)
{
    view_text_add(into, "\"");
    for (; *string != '\0'; string++) {
        unsigned char c = (unsigned char)*string;
        char buffer[8] = {(char)c, '\0'};
        int length = utf8_length((const unsigned char *)string);
        if (length > 0) {
            memcpy(buffer, string, (size_t)length);
            buffer[length] = '\0';
            view_text_add(into, buffer);
            string += length - 1;
            continue;
        }
        if (c == '"' || c == '\\') {
            snprintf(buffer, sizeof buffer, "\\%c", c);
        } else if (c == '\n') {
            snprintf(buffer, sizeof buffer, "\\n");
        } else if (c < 0x20 || c >= 0x7f) {
            buffer[0] = '?';
        }
        view_text_add(into, buffer);
    }
    view_text_add(into, "\"");
}

view_text view_text_begin(view_message_kind kind)
{
    view_text made = {view_message_create(4096), false};
    made.failed =
        made.message == NULL || !view_message_word(made.message, (uint32_t)kind) || !view_message_word(made.message, 0);
    return made;
}

view_message *view_text_end(view_text *made)
{
    if (made->failed) {
        view_message_drop(made->message);
        return NULL;
    }
    return made->message;
}
