/* Formatting into a file that appears under its name only when complete (whole_file.h).
 *
 * Errors stick: after the first one every call does nothing and output_close() returns what went wrong, so writers need
 * not look at each number.
 *
 *     struct output_file file;
 *     dent_status status = output_open(&file, context, path);
 *     if (status != DENT_OK) return status;
 *     output_text(&file, "End\n");
 *     return output_close(&file);
 */
#ifndef DENT_IO_OUTPUT_FILE_H
#define DENT_IO_OUTPUT_FILE_H

#include "whole_file.h"

struct output_file {
    struct whole_file file;
    int rounding; /* the caller's rounding mode, restored by output_close() */
};

/* On failure nothing is left open and output_close() must not be called. */
dent_status output_open(struct output_file *file, dent_context *context, const char *path);

void output_bytes(struct output_file *file, const void *bytes, size_t size);
void output_text(struct output_file *file, const char *text);
void output_decimal(struct output_file *file, uint64_t number);
/* 17 significant digits, which give the same double when read again; a point whatever the locale says. */
void output_number(struct output_file *file, double number);
/* Little endian on every machine. */
void output_uint64(struct output_file *file, uint64_t number);
void output_double(struct output_file *file, double number);
/* Text inside an XML attribute. The text must have passed output_xml_can_carry(). */
void output_xml_text(struct output_file *file, const char *text);

/* Valid UTF-8 without the control characters that XML 1.0 has no way to write. */
bool output_xml_can_carry(const char *text);

/* Finishes the file, or removes all traces of it; either way the memory is gone. */
dent_status output_close(struct output_file *file);

#endif
