/* Collecting frames and putting them in order. */
#include "frame_list.h"

#include "base/containers/heap_sort.h"

#include <string.h>

void frame_list_init(struct frame_list *list, dent_context *context, const char *source)
{
    *list = (struct frame_list){.context = context, .source = source};
    array_init(&list->frames, context, sizeof(struct frame_record));
    array_init(&list->names, context, 1);
}

void frame_list_release(struct frame_list *list)
{
    array_destroy(&list->frames);
    array_destroy(&list->names);
}

static struct frame_record *records(const struct frame_list *list)
{
    return list->frames.data;
}

const struct frame_record *frame_list_at(const struct frame_list *list, size_t index)
{
    return &records(list)[index];
}

const char *frame_list_name(const struct frame_list *list, size_t index)
{
    return (const char *)list->names.data + records(list)[index].name;
}

dent_status frame_list_add(struct frame_list *list, const char *folder, const char *name, struct name_span within,
                           uint64_t data_offset, uint64_t size)
{
    size_t folder_length = folder ? strlen(folder) : 0;
    bool slash = folder_length > 0 && folder[folder_length - 1] != '/';
    size_t front = folder_length + slash, length = strlen(name);
    struct frame_record record = {.name = list->names.count, .data_offset = data_offset, .size = size};
    char *room = list->frames.count < UINT32_MAX ? array_extend(&list->names, front + length + 1) : NULL;
    if (!room) {
        return dent_fail(list->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for the names of its frames",
                         list->source);
    }
    if (folder_length > 0) {
        memcpy(room, folder, folder_length);
    }
    if (slash) {
        room[folder_length] = '/';
    }
    memcpy(room + front, name, length + 1);
    struct name_span inside = {within.begin + front, within.end + front};
    enum number_found found = name_number(room, inside, &record.digits, &record.number);
    if (found == NUMBER_TOO_LARGE) {
        return dent_fail(list->context, DENT_ERROR_TOO_LARGE, "%s: its number is too large", room);
    }
    record.has_number = found == NUMBER_FOUND;
    if (!array_push(&list->frames, &record)) {
        return dent_fail(list->context, DENT_ERROR_OUT_OF_MEMORY, "%s: no memory for the names of its frames",
                         list->source);
    }
    return DENT_OK;
}

/* ---- order ----------------------------------------------------------------------------------------------------- */

static bool number_before(const void *a, const void *b, const void *data)
{
    (void)data;
    return ((const struct frame_record *)a)->number < ((const struct frame_record *)b)->number;
}

/* The same name but for the number? */
static bool one_series(const struct frame_list *list, size_t a, size_t b)
{
    return names_agree(frame_list_name(list, a), frame_list_at(list, a)->digits, frame_list_name(list, b),
                       frame_list_at(list, b)->digits);
}

dent_status frame_list_finish(struct frame_list *list)
{
    size_t count = list->frames.count;
    for (size_t i = 0; i < count && count > 1; i++) {
        if (!frame_list_at(list, i)->has_number) {
            return dent_fail(list->context, DENT_ERROR_INVALID_ARGUMENT,
                             "%s: the frame %s has no number; a pattern with %%d takes those that have", list->source,
                             frame_list_name(list, i));
        }
        if (!one_series(list, 0, i)) {
            return dent_fail(list->context, DENT_ERROR_INVALID_ARGUMENT,
                             "%s: %s and %s differ in more than a number: give a pattern that takes one series",
                             list->source, frame_list_name(list, 0), frame_list_name(list, i));
        }
    }
    heap_sort(list->frames.data, count, sizeof(struct frame_record), number_before, NULL);
    for (size_t i = 1; i < count; i++) {
        if (frame_list_at(list, i)->number == frame_list_at(list, i - 1)->number) {
            return dent_fail(list->context, DENT_ERROR_INVALID_ARGUMENT, "%s: %s and %s have the same number",
                             list->source, frame_list_name(list, i - 1), frame_list_name(list, i));
        }
    }
    return DENT_OK;
}
