/* view_markers.c — the caller's own marks: points, segments and arrows with texts, copied and sent with every frame. */
#include "view_library.h"

#include <math.h>
#include <string.h>

/* Null or a text that is short enough. */
static bool is_short(const char *text)
{
    return text == NULL || memchr(text, '\0', DENT_VIEW_NAME_MAX + 1) != NULL;
}

static dent_status check(const dent_view *view, const dent_view_marker *markers, uint32_t count, size_t *text_size)
{
    *text_size = 0;
    for (uint32_t i = 0; i < count; i++) {
        const dent_view_marker *marker = &markers[i];
        if ((unsigned)marker->kind >= DENT_VIEW_MARKER_KIND_COUNT) {
            return dent_fail(view->context, DENT_ERROR_INVALID_ARGUMENT,
                             "dent_view_set_markers: marker %u: unknown kind %d", i, (int)marker->kind);
        }
        for (int axis = 0; axis < 3; axis++) {
            if (!isfinite(marker->a[axis]) || (marker->kind != DENT_VIEW_POINT && !isfinite(marker->b[axis]))) {
                return dent_fail(view->context, DENT_ERROR_BAD_NUMBER,
                                 "dent_view_set_markers: marker %u: a coordinate is not finite", i);
            }
        }
        if (!is_short(marker->text)) {
            return dent_fail(view->context, DENT_ERROR_INVALID_ARGUMENT,
                             "dent_view_set_markers: marker %u: text above %d bytes", i, DENT_VIEW_NAME_MAX);
        }
        *text_size += marker->text != NULL ? strlen(marker->text) + 1 : 0;
    }
    return DENT_OK;
}

/* Copies of the markers, with their texts in memory of the view's own. */
static void copy(dent_view_marker *kept, char *texts, const dent_view_marker *markers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = markers[i];
        if (markers[i].text != NULL) {
            size_t size = strlen(markers[i].text) + 1;
            memcpy(texts, markers[i].text, size);
            kept[i].text = texts;
            texts += size;
        }
    }
}

dent_status dent_view_set_markers(dent_view *view, const dent_view_marker *markers, uint32_t count)
{
    DENT_REQUIRE(NULL, view);
    DENT_REQUIRE_ARRAY(view->context, count, markers);
    size_t text_size = 0;
    if (count > DENT_VIEW_MARKERS_MAX) {
        return dent_fail(view->context, DENT_ERROR_INVALID_ARGUMENT, "dent_view_set_markers: %u markers; at most %d",
                         count, DENT_VIEW_MARKERS_MAX);
    }
    dent_status status = check(view, markers, count, &text_size);
    if (status != DENT_OK) {
        return status;
    }
    dent_view_marker *kept =
        view->marker_count == count ? view->markers : dent_allocate(view->context, count, sizeof *kept);
    char *texts = kept == NULL                   ? NULL
                  : view->text_size == text_size ? view->texts
                                                 : dent_allocate(view->context, text_size, 1);
    if (kept == NULL || texts == NULL) {
        if (kept != view->markers) {
            dent_release(view->context, kept, count, sizeof *kept);
        }
        return dent_fail(view->context, DENT_ERROR_OUT_OF_MEMORY, "dent_view_set_markers: out of memory");
    }
    copy(kept, texts, markers, count);
    if (kept != view->markers) {
        dent_release(view->context, view->markers, view->marker_count, sizeof *view->markers);
    }
    if (texts != view->texts) {
        dent_release(view->context, view->texts, view->text_size, 1);
    }
    view->markers = kept;
    view->texts = texts;
    view->marker_count = count;
    view->text_size = text_size;
    return DENT_OK;
}

bool view_library_append_markers(const view_source *source, view_message *message)
{
    const dent_view *view = source->host;
    bool good = view_message_word(message, view->marker_count);
    for (uint32_t i = 0; i < view->marker_count && good; i++) {
        const dent_view_marker *marker = &view->markers[i];
        size_t size = marker->text != NULL ? strlen(marker->text) : 0;
        view_marker sent = {
            .kind = (uint32_t)marker->kind, .color = marker->color & 0xffffff, .text_size = (uint32_t)size};
        const double *end = marker->kind == DENT_VIEW_POINT ? marker->a : marker->b;
        for (int axis = 0; axis < 3; axis++) {
            sent.a[axis] = view_place(source, marker->a[axis], axis);
            sent.b[axis] = view_place(source, end[axis], axis);
        }
        good = view_message_append(message, &sent, sizeof sent) && view_message_append(message, marker->text, size) &&
               view_message_append(message, NULL, (4 - size % 4) % 4);
    }
    return good;
}
