/* The frames of one series: names, numbers, and where they are in an archive. */
#ifndef DENT_IO_FRAME_LIST_H
#define DENT_IO_FRAME_LIST_H

#include "frame_names.h"
#include "base/containers/dynamic_array.h"

struct frame_record {
    size_t name; /* in the characters of the list */
    uint64_t number;
    bool has_number;
    struct name_span digits;    /* of the number, in the name */
    uint64_t data_offset, size; /* in an archive */
};

struct frame_list {
    dent_context *context;
    const char *source;          /* the words of the caller, for messages */
    struct dynamic_array frames; /* struct frame_record */
    struct dynamic_array names;  /* char, each ended by a zero byte */
};

void frame_list_init(struct frame_list *list, dent_context *context, const char *source);
void frame_list_release(struct frame_list *list);

const struct frame_record *frame_list_at(const struct frame_list *list, size_t index);
const char *frame_list_name(const struct frame_list *list, size_t index);

/* Adds "folder/name", or "name" when folder is null. `within`: where in `name` its number is to be looked for. */
dent_status frame_list_add(struct frame_list *list, const char *folder, const char *name, struct name_span within,
                           uint64_t data_offset, uint64_t size);

/* Sorts by number. Names that differ in more than one number, or have the same number, are refused. */
dent_status frame_list_finish(struct frame_list *list);

#endif
