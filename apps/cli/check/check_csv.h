/* check_csv.h — `dent check --csv F.csv`: the rows of the report as a table (RFC 4180), numbers with 17 digits. */
#ifndef DENT_CHECK_CSV_H
#define DENT_CHECK_CSV_H

#include "check_rows.h"

/** Writes options->csv; an exit status. */
int check_csv_write(tool_session *session, const check_rows *rows);

#endif
