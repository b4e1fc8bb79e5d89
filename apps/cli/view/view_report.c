/* view_report.c — takes the bundle of the page apart and puts style, script and messages into one document. */
#include "view_report.h"

#include "tool.h"
#include "view_tool.h"
#include <view_frames.h>

#include <stdio.h>
#include <string.h>

/* ---- escaped text ---------------------------------------------------------------------------------------- */

/* For an attribute in double quotes. */
static void print_escaped(printer *out, const char *text, size_t size)
{
    size_t begin = 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] == '&' || text[i] == '"') {
            printer_bytes(out, text + begin, i - begin);
            printer_text(out, text[i] == '&' ? "&amp;" : "&quot;");
            begin = i + 1;
        }
    }
    printer_bytes(out, text + begin, size - begin);
}

/* A script must not hold the end of a script, even in its strings. */
static void print_script(printer *out, const char *text, size_t size)
{
    static const char closing[] = "</script";
    size_t begin = 0;
    for (size_t i = 0; i + sizeof closing - 1 <= size; i++) {
        if (memcmp(text + i, closing, sizeof closing - 1) == 0) {
            print_escaped(out, text + begin, i - begin);
            printer_text(out, "<\\/script");
            begin = i + sizeof closing - 1;
        }
    }
    print_escaped(out, text + begin, size - begin);
}

static void print_base64(printer *out, const unsigned char *bytes, size_t size)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        uint32_t left = size - i < 3 ? (uint32_t)(size - i) : 3;
        uint32_t word = (uint32_t)bytes[i] << 16;
        word |= left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0;
        word |= left > 2 ? bytes[i + 2] : 0;
        char text[4] = {digits[word >> 18], digits[word >> 12 & 63], left > 1 ? digits[word >> 6 & 63] : '=',
                        left > 2 ? digits[word & 63] : '='};
        printer_bytes(out, text, sizeof text);
    }
}

/* ---- the page -------------------------------------------------------------------------------------------- */

static const view_file *bundled(const char *name)
{
    const view_file *file = view_bundle;
    while (file->name != NULL && strcmp(file->name, name) != 0) {
        file++;
    }
    return file;
}

/* What the page loads from its server, by the element that asks for it. */
static const struct {
    const char *element, *file, *opening, *closing;
} parts[] = {
    {"<link rel=\"stylesheet\" href=\"style.css\">", "style.css", "<style>", "</style>"},
    {"<script type=\"module\" src=\"main.js\"></script>", "main.js", "<script type=&quot;module&quot;>", "</script>"},
};

static const char *find_text(const char *begin, const char *end, const char *wanted)
{
    size_t length = strlen(wanted);
    for (const char *at = begin; (size_t)(end - at) >= length; at++) {
        if (memcmp(at, wanted, length) == 0) {
            return at;
        }
    }
    return end;
}

static void print_messages(printer *out, view_message *const *messages, uint32_t count)
{
    printer_text(out, "<script>globalThis.dentReport=[");
    for (uint32_t i = 0; i < count; i++) {
        printer_text(out, i > 0 ? ",&quot;" : "&quot;");
        print_base64(out, messages[i]->bytes, messages[i]->size);
        printer_text(out, "&quot;");
    }
    printer_text(out, "]</script>");
}

static int print_page(printer *out, view_message *const *messages, uint32_t count)
{
    const view_file *page = bundled("index.html");
    const char *at = (const char *)page->bytes, *end = at + page->size;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        const char *found = find_text(at, end, parts[i].element);
        const view_file *file = bundled(parts[i].file);
        if (found == end || file->name == NULL) {
            return complain("--html: the page of this dent has no %s", parts[i].file);
        }
        print_escaped(out, at, (size_t)(found - at));
        if (i == 0) {
            print_messages(out, messages, count);
        }
        printer_text(out, parts[i].opening);
        print_script(out, (const char *)file->bytes, file->size);
        printer_text(out, parts[i].closing);
        at = found + strlen(parts[i].element);
    }
    print_escaped(out, at, (size_t)(end - at));
    return STATUS_GOOD;
}

/* ---- the messages ---------------------------------------------------------------------------------------- */

static int describe(view_source *source, const loaded_world *loaded)
{
    int failed = view_describe_loaded(source, loaded->bodies, loaded->body_count);
    source->moved = true; /* contacts are to be found */
    return failed;
}

int view_report_print(tool_session *session, const loaded_world *loaded, const char *title, const char *verdict,
                      const char *length_unit, printer *out)
{
    view_source source;
    view_settings requests;
    memset(&source, 0, sizeof source);
    memset(&requests, 0, sizeof requests);
    view_source_host(&source, session);
    source.find_contacts = view_source_ask_contacts;
    source.world = loaded->world;
    snprintf(source.title, sizeof source.title, "%s", title);
    source.length_unit = length_unit;
    source.frame_count = 1;
    source.frame_seconds = 1;
    snprintf(source.verdict, sizeof source.verdict, "%.150s", verdict);
    uint32_t count = loaded->body_count + 1, made = 0;
    view_message **messages = dent_allocate(session->context, (size_t)count + 1, sizeof *messages);
    int failed = messages == NULL ? complain("--html: out of memory") : describe(&source, loaded);
    if (!failed) {
        failed = view_make_opening(&source, messages);
        made = failed ? 0 : count;
    }
    if (!failed) {
        messages[made] = view_make_frame(&source, &requests, 1, VIEW_FLAG_LAST);
        failed = messages[made] != NULL ? STATUS_GOOD : STATUS_ERROR;
        made += !failed;
    }
    failed = failed ? failed : print_page(out, messages, made);
    while (made > 0) {
        view_message_drop(messages[--made]);
    }
    dent_release(session->context, messages, (size_t)count + 1, sizeof *messages);
    view_source_close(&source);
    return failed;
}
