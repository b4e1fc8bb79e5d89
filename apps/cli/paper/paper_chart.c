/* paper_chart.c — curves collected by name and drawn. */
#include "paper_chart.h"

#include "tool.h"

#include <stdio.h>
#include <string.h>

void paper_chart_add(paper_chart *chart, const char *curve, double x, double y)
{
    uint32_t i = 0;
    while (i < chart->curve_count && strcmp(chart->curves[i].name, curve) != 0) {
        i++;
    }
    if (i == CHART_CURVE_LIMIT) {
        return;
    }
    if (i == chart->curve_count) {
        snprintf(chart->curves[i].name, sizeof chart->curves[i].name, "%s", curve);
        chart->curve_count++;
    }
    chart_curve *kept = &chart->curves[i];
    /* A logarithmic axis has no zero. */
    if (kept->count < CHART_POINT_LIMIT && (y > 0 || !chart->y_logarithmic)) {
        kept->x[kept->count] = x;
        kept->y[kept->count++] = y;
    }
}

static int write_chart(paper_run *run, const paper_chart *chart)
{
    int status = paper_file_open(run, chart->name, "svg");
    if (status != STATUS_GOOD) {
        return status;
    }
    line_series series[CHART_CURVE_LIMIT];
    memset(series, 0, sizeof series);
    uint32_t count = 0;
    for (uint32_t i = 0; i < chart->curve_count; i++) {
        const chart_curve *curve = &chart->curves[i];
        if (curve->count > 0) {
            series[count].name = curve->name;
            series[count].count = curve->count;
            series[count].x = curve->x;
            series[count++].y = curve->y;
        }
    }
    line_chart drawn = {chart->title,         chart->x_label, chart->y_label, chart->x_logarithmic,
                        chart->y_logarithmic, count,          series};
    line_chart_write(&drawn, &run->file);
    return paper_file_close(run);
}

int paper_chart_finish(paper_run *run, const paper_chart *chart, int status)
{
    int closed = paper_file_close(run);
    status = status == STATUS_GOOD ? closed : status;
    return status == STATUS_GOOD ? write_chart(run, chart) : status;
}
