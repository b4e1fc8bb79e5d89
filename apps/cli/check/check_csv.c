/* check_csv.c — one line of names, then a line for each pair; what is not known is empty. */
#include "check_csv.h"

#include "placed_file.h"
#include "tool.h"

#include <errno.h>
#include <math.h>
#include <string.h>
#include <unistd.h>

/* In quotes, with quotes doubled: names may hold anything. */
static void print_text(printer *out, const char *text)
{
    printer_text(out, ",\"");
    for (; *text != '\0'; text++) {
        char c = (unsigned char)*text < ' ' || *text == 127 ? '?' : *text;
        printer_bytes(out, "\"\"", c == '"');
        printer_bytes(out, &c, 1);
    }
    printer_text(out, "\"");
}

static void print_number(printer *out, double number)
{
    if (isfinite(number)) {
        printer_format(out, ",%.17g", number);
    } else {
        printer_text(out, ",");
    }
}

static void print_rows(printer *out, const check_rows *rows)
{
    printer_text(out, "body_a,name_a,body_b,name_b,verdict,overlapping_elements,penetrating_vertices,touching_elements,"
                      "max_depth,volume,volume_error,x,y,z,length_unit\n");
    for (uint64_t i = 0; i < rows->count; i++) {
        const dent_body_contact *pair = rows->rows[i];
        printer_format(out, "%u", pair->body_a);
        print_text(out, rows->loaded->bodies[pair->body_a].name);
        printer_format(out, ",%u", pair->body_b);
        print_text(out, rows->loaded->bodies[pair->body_b].name);
        printer_format(out, ",%s,%llu,%llu,%llu", check_verdict_word(pair),
                       (unsigned long long)pair->overlapping_elements, (unsigned long long)pair->penetrating_vertices,
                       (unsigned long long)pair->touching_elements);
        print_number(out, pair->max_depth);
        print_number(out, pair->volume);
        print_number(out, pair->volume_error);
        for (int axis = 0; axis < 3; axis++) {
            print_number(out, pair->deepest[axis]);
        }
        printer_format(out, ",%s\n", rows->length_unit != NULL ? rows->length_unit : "");
    }
}

int check_csv_write(tool_session *session, const check_rows *rows)
{
    const char *path = session->options->csv;
    int descriptor = scratch_file_open(path);
    if (descriptor < 0) {
        return complain("--csv %s: %s", path, strerror(errno));
    }
    printer out;
    printer_open(&out, descriptor);
    print_rows(&out, rows);
    printer_flush(&out);
    int status = printer_failed(&out) ? complain("--csv %s: %s", path, strerror(out.error))
                                      : place_file(session, "--csv", descriptor, path);
    (void)close(descriptor);
    return status;
}
