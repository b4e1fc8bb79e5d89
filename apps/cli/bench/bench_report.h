/* bench_report.h — a race in print: a table for people, JSON lines for programs, rows of a CSV file, bars of a chart.
 */
#ifndef DENT_BENCH_REPORT_H
#define DENT_BENCH_REPORT_H

#include "bench_run.h"
#include "paper/svg_chart.h"

/** JSON keys: scene question method peer threads isa scale frames median_ms low_ms high_ms candidates pairs pairs_hash
 * peak_bytes allocations phases commit. */
void report_json(printer *out, const bench_race *race);
void report_table(printer *out, const bench_race *race);

void report_csv_head(printer *out);
void report_csv(printer *out, const bench_race *race);

/** Adds the race as one group of bars. */
void report_chart(bar_chart *chart, const bench_race *race);

#endif
