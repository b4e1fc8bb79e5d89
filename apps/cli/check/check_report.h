/* check_report.h — the report of `dent check` on one model. */
#ifndef DENT_CHECK_REPORT_H
#define DENT_CHECK_REPORT_H

#include "check_rows.h"

enum { POINT_SIZE = 64 };

void print_check_json(printer *out, const tool_options *options, const check_rows *rows);

void print_check_table(printer *out, const check_rows *rows);
void print_check_notes(printer *out, const tool_options *options, const check_rows *rows);
void print_check_verdict(printer *out, const tool_options *options, const loaded_world *loaded,
                         const dent_check_result *result);

/** "(1, 2, 3)", into POINT_SIZE bytes. */
void print_check_point(const double *point, char *text);

/** The penetrating pair with the greatest depth, the first of equals; null when none penetrates. */
const dent_body_contact *deepest_contact(const dent_check_result *result);

#endif
