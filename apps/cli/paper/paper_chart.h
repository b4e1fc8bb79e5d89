/* paper_chart.h — line charts of the experiments, filled point by point. */
#ifndef DENT_PAPER_CHART_H
#define DENT_PAPER_CHART_H

#include "paper_stage.h"

enum { CHART_POINT_LIMIT = 16, CHART_CURVE_LIMIT = 8 };

typedef struct chart_curve {
    char name[64];
    uint32_t count;
    double x[CHART_POINT_LIMIT], y[CHART_POINT_LIMIT];
} chart_curve;

typedef struct paper_chart {
    const char *name, *title, *x_label, *y_label;
    bool x_logarithmic, y_logarithmic;
    uint32_t curve_count;
    chart_curve curves[CHART_CURVE_LIMIT];
} paper_chart;

/** Points beyond the limits are left out, and those a logarithmic axis cannot show. */
void paper_chart_add(paper_chart *chart, const char *curve, double x, double y);
/** Closes the table of the figure and, when all went well, draws the chart as NAME.svg. */
int paper_chart_finish(paper_run *run, const paper_chart *chart, int status);

#endif
