/* svg_chart.h — charts as SVG files: bars in groups, and lines with bands, on linear or logarithmic axes.
 *
 * The data is collected first, then written in one go through a printer. Texts are escaped. Colours go by the name of
 * the series, in order of first appearance, so that charts of the same data look the same.
 */
#ifndef DENT_SVG_CHART_H
#define DENT_SVG_CHART_H

#include "printer.h"

enum { CHART_TEXT_SIZE = 96 };

/* ---- bars ------------------------------------------------------------------------------------------------ */

typedef struct chart_bar {
    uint32_t group, series;
    double value, low, high;
} chart_bar;

typedef struct chart_series {
    char name[CHART_TEXT_SIZE];
    bool light; /* drawn paler: not ours */
} chart_series;

/** Horizontal bars on a logarithmic axis, a group under each heading. */
typedef struct bar_chart {
    dent_context *context;
    const char *title, *axis; /* owned by the caller */
    uint32_t group_count, series_count, bar_count;
    uint32_t group_capacity, series_capacity, bar_capacity;
    chart_series *groups, *series;
    chart_bar *bars;
    bool failed; /* memory ran out: nothing is written */
} bar_chart;

void bar_chart_begin(bar_chart *chart, dent_context *context, const char *title, const char *axis);
void bar_chart_add(bar_chart *chart, const char *group, const char *series, bool light, double value, double low,
                   double high);
/** False when memory ran out before. */
bool bar_chart_write(const bar_chart *chart, printer *out);
void bar_chart_release(bar_chart *chart);

/* ---- lines ----------------------------------------------------------------------------------------------- */

typedef struct line_series {
    const char *name;
    uint32_t count;
    const double *x, *y;
    const double *low, *high; /* a band; null: none */
    bool dots_only;           /* measurements, no line */
    bool dashed;              /* fits, and figures that are not ours */
    bool follows;             /* in the colour of the series before it */
} line_series;

typedef struct line_chart {
    const char *title, *x_label, *y_label;
    bool x_logarithmic, y_logarithmic;
    uint32_t series_count;
    const line_series *series;
} line_chart;

void line_chart_write(const line_chart *chart, printer *out);

#endif
