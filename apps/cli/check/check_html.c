/* check_html.c — verdict, notes, table of pairs and bodies as HTML, and the viewer's page in a frame. */
#include "check_html.h"

#include "check_report.h"
#include "placed_file.h"
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#if DENT_HAVE_VIEWER
#include "view/view_report.h"

int check_html_possible(tool_session *session)
{
    return check_target(session, "--html", session->options->html);
}

/* ---- pieces ---------------------------------------------------------------------------------------------- */

static void print_plain(printer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '&' || c == '<' || c == '>' || c == '"') {
            printer_format(out, "&#%u;", c);
        } else {
            char shown = (c < ' ' && c != '\n') || c == 127 ? '?' : (char)c;
            printer_bytes(out, &shown, 1);
        }
    }
}

static void print_cell_name(printer *out, const check_rows *rows, uint32_t body)
{
    printer_format(out, "<td data-value=\"%u\">%u ", body, body);
    print_plain(out, rows->loaded->bodies[body].name);
    printer_text(out, "</td>");
}

static void print_cell_count(printer *out, uint64_t count)
{
    printer_format(out, "<td class=\"n\" data-value=\"%llu\">%llu</td>", (unsigned long long)count,
                   (unsigned long long)count);
}

/* All digits in the attribute, five in the table, as in the text. */
static void print_cell_number(printer *out, double number)
{
    if (isfinite(number)) {
        printer_format(out, "<td class=\"n\" data-value=\"%.17g\">%.5g</td>", number, number);
    } else {
        printer_text(out, "<td class=\"n\" data-value=\"\">-</td>");
    }
}

static void print_row(printer *out, const check_rows *rows, const dent_body_contact *pair)
{
    printer_format(out, "<tr class=\"%s\">", check_verdict_word(pair));
    print_cell_name(out, rows, pair->body_a);
    print_cell_name(out, rows, pair->body_b);
    printer_format(out, "<td>%s</td>", check_verdict_word(pair));
    print_cell_count(out, pair->overlapping_elements);
    print_cell_count(out, pair->penetrating_vertices);
    print_cell_count(out, pair->touching_elements);
    print_cell_number(out, pair->max_depth);
    print_cell_number(out, pair->volume);
    print_cell_number(out, pair->volume_error);
    for (int axis = 0; axis < 3; axis++) {
        print_cell_number(out, pair->deepest[axis]);
    }
    printer_text(out, "</tr>\n");
}

static const char head[] =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<link rel=\"icon\" href=\"data:,\">\n"
    "<style>\n"
    ":root{color-scheme:light dark}body{font:15px/1.45 system-ui,sans-serif;margin:0 auto;max-width:1500px;padding:1rem}\n"
    "h1{font-size:1.25rem;margin:0 0 .25rem}pre{white-space:pre-wrap;margin:.5rem 0;font:inherit}\n"
    "#verdict{font-weight:600}iframe{width:100%;height:70vh;min-height:420px;border:1px solid #8886;border-radius:6px}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.75rem 0;display:block;overflow-x:auto}\n"
    "th,td{padding:.2rem .6rem;border-bottom:1px solid #8884;text-align:left;white-space:nowrap}.n{text-align:right}\n"
    "tr.penetrating td:nth-child(3){color:#c0392b;font-weight:600}\n"
    "</style>\n";

static void print_table(printer *out, const check_rows *rows)
{
    const char *unit = rows->length_unit;
    printer_text(out, "<table id=\"pairs\"><thead><tr><th>body a</th><th>body b</th><th>verdict</th>"
                      "<th>overlapping elements</th><th>penetrating vertices</th><th>touching elements</th>");
    printer_format(out, "<th>deepest%s%s</th><th>volume%s%s%s</th><th>volume error</th><th>x</th><th>y</th><th>z</th>",
                   unit != NULL ? " / " : "", unit != NULL ? unit : "", unit != NULL ? " / " : "",
                   unit != NULL ? unit : "", unit != NULL ? "\xc2\xb3" : "");
    printer_text(out, "</tr></thead><tbody>\n");
    for (uint64_t i = 0; i < rows->count; i++) {
        print_row(out, rows, rows->rows[i]);
    }
    printer_text(out, "</tbody></table>\n");
}

/* A summary as data, for programs that read the file. */
static void print_summary(printer *out, const tool_options *options, const check_rows *rows)
{
    const dent_check_result *result = &rows->result;
    printer_format(out,
                   "<p id=\"summary\" data-bodies=\"%u\" data-pairs=\"%llu\" data-pairs-penetrating=\"%llu\" "
                   "data-pairs-touching=\"%llu\" data-max-depth=\"%.17g\">",
                   rows->loaded->body_count, (unsigned long long)check_pair_total(options, rows->loaded),
                   (unsigned long long)result->penetrating_pairs, (unsigned long long)result->touching_pairs,
                   result->max_depth);
    printer_format(out, "%u bodies, %llu pairs penetrate, %llu touch. dent %s", rows->loaded->body_count,
                   (unsigned long long)result->penetrating_pairs, (unsigned long long)result->touching_pairs,
                   dent_version());
    printer_text(out, "</p>\n");
}

/* ---- the file -------------------------------------------------------------------------------------------- */

/* The words of the text report: printed to a scratch file and read back. */
static void capture(int descriptor, char *text, size_t size)
{
    ssize_t length = lseek(descriptor, 0, SEEK_SET) == 0 ? read(descriptor, text, size - 1) : 0;
    text[length > 0 ? length : 0] = '\0';
}

static int collect_words(tool_session *session, const check_rows *rows, char *notes, size_t notes_size, char *verdict,
                         size_t verdict_size)
{
    int descriptor[2] = {scratch_file_open(session->options->html), scratch_file_open(session->options->html)};
    printer words;
    for (int i = 0; i < 2 && descriptor[0] >= 0 && descriptor[1] >= 0; i++) {
        printer_open(&words, descriptor[i]);
        if (i == 0) {
            print_check_notes(&words, session->options, rows);
        } else {
            print_check_verdict(&words, session->options, rows->loaded, &rows->result);
        }
        printer_flush(&words);
        capture(descriptor[i], i == 0 ? notes : verdict, i == 0 ? notes_size : verdict_size);
    }
    bool good = descriptor[0] >= 0 && descriptor[1] >= 0;
    int error = errno;
    for (int i = 0; i < 2; i++) {
        if (descriptor[i] >= 0) {
            (void)close(descriptor[i]);
        }
    }
    return good ? STATUS_GOOD : complain("--html %s: %s", session->options->html, strerror(error));
}

static int print_report(tool_session *session, const check_rows *rows, printer *out)
{
    char notes[4096], verdict[2048];
    const char *first = session->options->arguments[0], *slash = strrchr(first, '/');
    const char *title = slash != NULL && slash[1] != '\0' ? slash + 1 : first;
    int failed = collect_words(session, rows, notes, sizeof notes, verdict, sizeof verdict);
    if (failed) {
        return failed;
    }
    verdict[strcspn(verdict, "\n")] = '\0';
    printer_text(out, head);
    printer_text(out, "<title>dent check: ");
    print_plain(out, title);
    printer_text(out, "</title>\n</head>\n<body>\n<h1>dent check: ");
    print_plain(out, title);
    if (rows->loaded->input_count > 1) {
        printer_format(out, " and %u more", rows->loaded->input_count - 1);
    }
    printer_text(out, "</h1>\n<p id=\"verdict\">");
    print_plain(out, verdict);
    printer_text(out, "</p>\n<pre id=\"notes\">");
    print_plain(out, notes);
    printer_text(out, "</pre>\n");
    print_summary(out, session->options, rows);
    print_table(out, rows);
    printer_text(out, "<iframe id=\"view\" title=\"3-D view\" srcdoc=\"");
    failed = view_report_print(session, rows->loaded, title, verdict, rows->length_unit, out);
    printer_text(out, "\"></iframe>\n</body>\n</html>\n");
    return failed;
}

int check_html_write(tool_session *session, const check_rows *rows)
{
    const char *path = session->options->html;
    int descriptor = scratch_file_open(path);
    if (descriptor < 0) {
        return complain("--html %s: %s", path, strerror(errno));
    }
    printer out;
    printer_open(&out, descriptor);
    int failed = print_report(session, rows, &out);
    printer_flush(&out);
    if (!failed) {
        failed = printer_failed(&out) ? complain("--html %s: %s", path, strerror(out.error))
                                      : place_file(session, "--html", descriptor, path);
    }
    (void)close(descriptor);
    return failed;
}

#else

int check_html_possible(tool_session *session)
{
    (void)session;
    return complain("check: --html: this dent was built without the viewer: %s", DENT_VIEWER_MISSING);
}

int check_html_write(tool_session *session, const check_rows *rows)
{
    (void)rows;
    return check_html_possible(session);
}

#endif
