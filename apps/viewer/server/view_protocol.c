/* view_protocol.c — building messages and reading commands. */
#include "view_protocol.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { HEADROOM = 64 }; /* more than libwebsockets' LWS_PRE; view_server.c asserts it */

/* ---- messages ---------------------------------------------------------------------------------------------- */

view_message *view_message_create(size_t capacity)
{
    view_message *message = malloc(sizeof *message);
    unsigned char *block = capacity < SIZE_MAX - HEADROOM ? malloc(HEADROOM + capacity) : NULL;
    if (message == NULL || block == NULL) {
        free(message);
        free(block);
        return NULL;
    }
    *message = (view_message){.references = 1, .capacity = capacity, .bytes = block + HEADROOM};
    return message;
}

view_message *view_message_keep(view_message *message)
{
    __atomic_fetch_add(&message->references, 1, __ATOMIC_RELAXED);
    return message;
}

void view_message_drop(view_message *message)
{
    if (message != NULL && __atomic_sub_fetch(&message->references, 1, __ATOMIC_ACQ_REL) == 0) {
        free(message->bytes - HEADROOM);
        free(message);
    }
}

static bool make_room(view_message *message, size_t size)
{
    if (size <= message->capacity - message->size) {
        return true;
    }
    if (size > SIZE_MAX / 4 - message->size) {
        return false;
    }
    size_t capacity = (message->size + size) * 2;
    unsigned char *block = realloc(message->bytes - HEADROOM, HEADROOM + capacity);
    if (block == NULL) {
        return false;
    }
    message->bytes = block + HEADROOM;
    message->capacity = capacity;
    return true;
}

void *view_message_extend(view_message *message, size_t size)
{
    if (!make_room(message, size)) {
        return NULL;
    }
    message->size += size;
    return message->bytes + message->size - size;
}

bool view_message_append(view_message *message, const void *bytes, size_t size)
{
    void *place = view_message_extend(message, size);
    if (place == NULL) {
        return false;
    }
    if (size > 0 && bytes != NULL) {
        memcpy(place, bytes, size);
    } else if (size > 0) {
        memset(place, 0, size);
    }
    return true;
}

bool view_message_word(view_message *message, uint32_t word)
{
    return view_message_append(message, &word, sizeof word);
}

/* ---- commands ---------------------------------------------------------------------------------------------- */

/* What follows the word of a command, one letter each: n a number below 2^32, i a signed number of steps, d a finite
 * number, w a word. */
typedef struct command_form {
    const char *word;
    view_command_kind kind;
    const char *arguments;
} command_form;

static const command_form forms[] = {
    {"ack", VIEW_COMMAND_ACKNOWLEDGE, "n"},
    {"play", VIEW_COMMAND_PLAY, ""},
    {"pause", VIEW_COMMAND_PAUSE, ""},
    {"step", VIEW_COMMAND_STEP, "i"},
    {"seek", VIEW_COMMAND_SEEK, "n"},
    {"speed", VIEW_COMMAND_SPEED, "d"},
    {"restart", VIEW_COMMAND_RESTART, ""},
    {"ask", VIEW_COMMAND_ASK, "w"},
    {"structure", VIEW_COMMAND_STRUCTURE, "wnn"},
    {"stress", VIEW_COMMAND_STRESS, "w"},
    {"pick", VIEW_COMMAND_PICK, "nn"},
    {"grab", VIEW_COMMAND_GRAB, "nnddd"},
    {"nudge", VIEW_COMMAND_NUDGE, "ddd"},
    {"turn", VIEW_COMMAND_TURN, "ddd"},
    {"joint", VIEW_COMMAND_JOINT, "nd"},
    {"up", VIEW_COMMAND_UP, "a"},
    {"release", VIEW_COMMAND_RELEASE, ""},
    {"settled", VIEW_COMMAND_SETTLED, ""},
};

static bool read_whole(const char *word, uint32_t *number)
{
    uint64_t value = 0;
    size_t length = strlen(word);
    if (length == 0 || length > 10) {
        return false;
    }
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9') {
            return false;
        }
        value = value * 10 + (uint64_t)(word[i] - '0');
    }
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

static bool read_steps(const char *word, int32_t *steps)
{
    uint32_t size;
    bool negative = word[0] == '-';
    if (!read_whole(word + negative, &size) || size > 1000) {
        return false;
    }
    *steps = negative ? -(int32_t)size : (int32_t)size;
    return true;
}

/* Decimal forms only: strtod alone would take hexadecimal, "nan" and "infinity". */
static bool read_real(const char *word, double *value)
{
    size_t length = strspn(word, "+-.0123456789eE");
    if (length == 0 || word[length] != '\0' || length > 40) {
        return false;
    }
    char *end;
    *value = strtod(word, &end);
    return *end == '\0' && isfinite(*value);
}

static bool read_word(const char *word, char *copy, size_t size)
{
    size_t length = strspn(word, "abcdefghijklmnopqrstuvwxyz-0123456789");
    if (length == 0 || word[length] != '\0' || length >= size) {
        return false;
    }
    memcpy(copy, word, length + 1);
    return true;
}

static bool read_arguments(const command_form *form, char *const *words, view_command *command)
{
    int numbers = 0, values = 0;
    for (int i = 0; form->arguments[i] != '\0'; i++) {
        bool good = false;
        switch (form->arguments[i]) {
        case 'n':
            good = read_whole(words[i], &command->number[numbers++]);
            break;
        case 'i':
            good = read_steps(words[i], &command->steps);
            break;
        case 'd':
            good = read_real(words[i], &command->value[values++]);
            break;
        case 'a':
            good = strlen(words[i]) == 1 && strchr("xyz", words[i][0]) != NULL &&
                   read_word(words[i], command->word, sizeof command->word);
            break;
        default:
            good = read_word(words[i], command->word, sizeof command->word);
            break;
        }
        if (!good) {
            return false;
        }
    }
    return form->kind != VIEW_COMMAND_SPEED || (command->value[0] >= 0.01 && command->value[0] <= 100);
}

/* Cuts at single blanks; returns the number of words, or 0 when there are too many or one is empty. */
static int cut_words(char *text, char **words, int most)
{
    int count = 0;
    for (char *at = text;; at++) {
        if (count == most) {
            return 0;
        }
        words[count++] = at;
        at += strcspn(at, " ");
        if (at == words[count - 1]) {
            return 0;
        }
        if (*at == '\0') {
            return count;
        }
        *at = '\0';
    }
}

bool view_command_parse(const void *bytes, size_t size, view_command *command, const char **why)
{
    enum { MOST_WORDS = 6 };
    char text[VIEW_COMMAND_LIMIT + 1];
    char *words[MOST_WORDS];
    memset(command, 0, sizeof *command);
    *why = "empty";
    if (size == 0) {
        return false;
    }
    *why = "too long";
    if (size > VIEW_COMMAND_LIMIT) {
        return false;
    }
    memcpy(text, bytes, size);
    text[size] = '\0';
    *why = "not text";
    if (strlen(text) != size) {
        return false;
    }
    *why = "not words with single blanks between them";
    int count = cut_words(text, words, MOST_WORDS);
    for (size_t i = 0; count > 0 && i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(words[0], forms[i].word) == 0) {
            *why = "wrong arguments";
            command->kind = forms[i].kind;
            return (int)strlen(forms[i].arguments) == count - 1 && read_arguments(&forms[i], words + 1, command);
        }
        *why = "unknown command";
    }
    return false;
}
