/* svg_chart.c — writes charts. One chart is a few hundred bytes of frame and one element per mark. */
#include "svg_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const series_colours[] = {"#1b6ca8", "#d1495b", "#2e933c", "#edae49", "#6a4c93", "#00798c",
                                             "#8d5524", "#5c6b73", "#c2185b", "#7cb518", "#3d348b", "#b08968"};
enum { COLOUR_COUNT = sizeof series_colours / sizeof series_colours[0] };

static void write_escaped(printer *out, const char *text)
{
    for (; *text != '\0'; text++) {
        switch (*text) {
        case '<':
            printer_text(out, "&lt;");
            break;
        case '>':
            printer_text(out, "&gt;");
            break;
        case '&':
            printer_text(out, "&amp;");
            break;
        default:
            printer_bytes(out, text, 1);
        }
    }
}

static void write_label(printer *out, double x, double y, const char *anchor, const char *style, const char *text)
{
    printer_format(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>", x, y, anchor, style);
    write_escaped(out, text);
    printer_text(out, "</text>\n");
}

static void write_head(printer *out, double width, double height, const char *title)
{
    printer_format(out,
                   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "
                   "font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" "
                   "fill=\"white\"/>\n",
                   width, height, width, height);
    write_label(out, width / 2, 22, "middle", " font-size=\"15\" font-weight=\"bold\"", title);
}

/* ---- axes ------------------------------------------------------------------------------------------------ */

typedef struct chart_axis {
    bool logarithmic;
    double low, high;  /* of the values shown */
    double begin, end; /* pixels */
} chart_axis;

static double axis_place(const chart_axis *axis, double value)
{
    double low = axis->low, high = axis->high;
    if (axis->logarithmic) {
        value = log10(value > low ? value : low);
        low = log10(low);
        high = log10(high);
    }
    return axis->begin + (value - low) / (high - low) * (axis->end - axis->begin);
}

/* Widens [low, high] to round numbers; nothing to show gives [0.1, 1]. */
static void axis_round(chart_axis *axis)
{
    if (!(axis->low <= axis->high) || !isfinite(axis->low) || !isfinite(axis->high) ||
        (axis->logarithmic && axis->low <= 0)) {
        axis->low = 0.1;
        axis->high = 1;
    }
    if (axis->logarithmic) {
        axis->low = pow(10, floor(log10(axis->low)));
        axis->high = pow(10, ceil(log10(axis->high)));
        axis->high = axis->high > axis->low ? axis->high : axis->low * 10;
    } else {
        axis->low = axis->low > 0 ? 0 : axis->low;
        axis->high = axis->high > axis->low ? axis->high * 1.05 : axis->low + 1;
    }
}

static double linear_step(const chart_axis *axis)
{
    double rough = (axis->high - axis->low) / 6;
    double unit = pow(10, floor(log10(rough)));
    double times = rough / unit;
    return unit * (times < 1.5 ? 1 : times < 3.5 ? 2 : times < 7.5 ? 5 : 10);
}

/* The next tick after `value`; the first one for value < low. */
static double next_tick(const chart_axis *axis, double value)
{
    if (axis->logarithmic) {
        return value < axis->low ? axis->low : value * 10;
    }
    double step = linear_step(axis);
    return value < axis->low ? ceil(axis->low / step) * step : value + step;
}

static void write_grid(printer *out, const chart_axis *axis, bool upright, double from, double to)
{
    for (double tick = next_tick(axis, axis->low - 1); tick <= axis->high * 1.0000001; tick = next_tick(axis, tick)) {
        double place = axis_place(axis, tick);
        char text[32];
        snprintf(text, sizeof text, "%.6g", fabs(tick) < 1e-12 * axis->high ? 0 : tick);
        if (upright) {
            printer_format(out, "<path d=\"M%.1f %.1fV%.1f\" stroke=\"#ddd\"/>\n", place, from, to);
            write_label(out, place, to + 16, "middle", "", text);
        } else {
            printer_format(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"#ddd\"/>\n", from, place, to);
            write_label(out, from - 6, place + 4, "end", "", text);
        }
    }
}

/* ---- bars ------------------------------------------------------------------------------------------------ */

void bar_chart_begin(bar_chart *chart, dent_context *context, const char *title, const char *axis)
{
    memset(chart, 0, sizeof *chart);
    chart->context = context;
    chart->title = title;
    chart->axis = axis;
}

void bar_chart_release(bar_chart *chart)
{
    dent_release(chart->context, chart->groups, chart->group_capacity, sizeof *chart->groups);
    dent_release(chart->context, chart->series, chart->series_capacity, sizeof *chart->series);
    dent_release(chart->context, chart->bars, chart->bar_capacity, sizeof *chart->bars);
}

static void *grown(bar_chart *chart, void *list, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        return list;
    }
    void *larger = dent_reallocate(chart->context, list, *capacity, 2 * (size_t)count + 16, size);
    if (larger == NULL) {
        chart->failed = true;
        return list;
    }
    *capacity = 2 * count + 16;
    return larger;
}

/* Its number, a new one at the end; the number is of no use after `failed`. */
static uint32_t find_name(bar_chart *chart, chart_series **list, uint32_t *count, uint32_t *capacity, const char *name)
{
    for (uint32_t i = 0; i < *count; i++) {
        if (strcmp((*list)[i].name, name) == 0) {
            return i;
        }
    }
    *list = grown(chart, *list, *count, capacity, sizeof **list);
    if (!chart->failed) {
        snprintf((*list)[*count].name, CHART_TEXT_SIZE, "%s", name);
        (*list)[*count].light = false;
        (*count)++;
    }
    return *count - 1;
}

void bar_chart_add(bar_chart *chart, const char *group, const char *series, bool light, double value, double low,
                   double high)
{
    if (chart->failed || !(value > 0)) {
        return;
    }
    chart_bar bar = {0, 0, value, low, high};
    bar.group = find_name(chart, &chart->groups, &chart->group_count, &chart->group_capacity, group);
    bar.series = find_name(chart, &chart->series, &chart->series_count, &chart->series_capacity, series);
    chart->bars = grown(chart, chart->bars, chart->bar_count, &chart->bar_capacity, sizeof *chart->bars);
    if (!chart->failed) {
        chart->series[bar.series].light = light;
        chart->bars[chart->bar_count++] = bar;
    }
}

static void write_bar(printer *out, const bar_chart *chart, const chart_bar *bar, const chart_axis *axis, double y)
{
    const chart_series *series = &chart->series[bar->series];
    double end = axis_place(axis, bar->value);
    write_label(out, axis->begin - 6, y + 10, "end", "", series->name);
    printer_format(out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"12\" fill=\"%s\"/>\n", axis->begin, y,
                   end - axis->begin, series->light ? "#c9ced3" : series_colours[bar->series % COLOUR_COUNT]);
    if (bar->low > 0 && bar->high >= bar->low) {
        printer_format(out, "<path d=\"M%.1f %.1fH%.1f\" stroke=\"black\"/>\n", axis_place(axis, bar->low), y + 6,
                       axis_place(axis, bar->high));
    }
    char text[32];
    snprintf(text, sizeof text, "%.3g", bar->value);
    double last = axis_place(axis, bar->high > bar->value ? bar->high : bar->value);
    write_label(out, last + 4, y + 10, "start", " font-size=\"10\"", text);
}

bool bar_chart_write(const bar_chart *chart, printer *out)
{
    enum { WIDTH = 900, LEFT = 210, RIGHT = 60, TOP = 40, BOTTOM = 50, BAR = 15, HEADING = 26 };
    if (chart->failed) {
        return false;
    }
    double height = TOP + BOTTOM + (double)BAR * chart->bar_count + (double)HEADING * chart->group_count;
    chart_axis axis = {true, INFINITY, 0, LEFT, WIDTH - RIGHT};
    for (uint32_t i = 0; i < chart->bar_count; i++) {
        axis.low = chart->bars[i].value < axis.low ? chart->bars[i].value : axis.low;
        axis.high = chart->bars[i].value > axis.high ? chart->bars[i].value : axis.high;
    }
    axis_round(&axis);
    write_head(out, WIDTH, height, chart->title);
    write_grid(out, &axis, true, TOP, height - BOTTOM);
    double y = TOP;
    for (uint32_t group = 0; group < chart->group_count; group++) {
        write_label(out, LEFT, y + 19, "start", " font-weight=\"bold\"", chart->groups[group].name);
        y += HEADING;
        for (uint32_t i = 0; i < chart->bar_count; i++) {
            if (chart->bars[i].group == group) {
                write_bar(out, chart, &chart->bars[i], &axis, y);
                y += BAR;
            }
        }
    }
    write_label(out, (LEFT + WIDTH - RIGHT) / 2.0, height - 12, "middle", "", chart->axis);
    printer_text(out, "</svg>\n");
    return true;
}

/* ---- lines ----------------------------------------------------------------------------------------------- */

static bool is_shown(const line_chart *chart, double x, double y)
{
    return isfinite(x) && isfinite(y) && (!chart->x_logarithmic || x > 0) && (!chart->y_logarithmic || y > 0);
}

static void include_value(chart_axis *axis, double value)
{
    if (isfinite(value) && (!axis->logarithmic || value > 0)) {
        axis->low = value < axis->low ? value : axis->low;
        axis->high = value > axis->high ? value : axis->high;
    }
}

static void fit_axes(const line_chart *chart, chart_axis *x, chart_axis *y)
{
    for (uint32_t s = 0; s < chart->series_count; s++) {
        const line_series *series = &chart->series[s];
        for (uint32_t i = 0; i < series->count; i++) {
            if (is_shown(chart, series->x[i], series->y[i])) {
                include_value(x, series->x[i]);
                include_value(y, series->y[i]);
                if (series->high != NULL) {
                    include_value(y, series->high[i]);
                    include_value(y, series->low[i]);
                }
            }
        }
    }
    axis_round(x);
    axis_round(y);
}

static void write_band(printer *out, const line_chart *chart, const line_series *series, const chart_axis *x,
                       const chart_axis *y, const char *colour)
{
    if (series->count < 2) {
        return;
    }
    printer_format(out, "<path fill=\"%s\" fill-opacity=\"0.18\" d=\"", colour);
    char command = 'M';
    for (uint32_t i = 0; i < 2 * series->count; i++) {
        uint32_t at = i < series->count ? i : 2 * series->count - 1 - i;
        double value = i < series->count ? series->high[at] : series->low[at];
        if (is_shown(chart, series->x[at], series->y[at])) {
            value = isfinite(value) && (!y->logarithmic || value > 0) ? value : y->low;
            printer_format(out, "%c%.1f %.1f", command, axis_place(x, series->x[at]), axis_place(y, value));
            command = 'L';
        }
    }
    printer_text(out, "Z\"/>\n");
}

static void write_line(printer *out, const line_chart *chart, const line_series *series, const chart_axis *x,
                       const chart_axis *y, const char *colour)
{
    if (!series->dots_only) {
        printer_format(out, "<path fill=\"none\" stroke=\"%s\" stroke-width=\"1.8\"%s d=\"", colour,
                       series->dashed ? " stroke-dasharray=\"6 4\"" : "");
        char command = 'M';
        for (uint32_t i = 0; i < series->count; i++) {
            if (is_shown(chart, series->x[i], series->y[i])) {
                printer_format(out, "%c%.1f %.1f", command, axis_place(x, series->x[i]), axis_place(y, series->y[i]));
                command = 'L';
            }
        }
        printer_text(out, "\"/>\n");
    }
    for (uint32_t i = 0; i < series->count && (series->dots_only || series->count <= 40) && !series->dashed; i++) {
        if (is_shown(chart, series->x[i], series->y[i])) {
            printer_format(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%s\" fill=\"%s\"/>\n", axis_place(x, series->x[i]),
                           axis_place(y, series->y[i]), series->dots_only ? "1.6" : "2.6", colour);
        }
    }
}

static const char *colour_of(const line_chart *chart, uint32_t series)
{
    uint32_t colour = 0;
    for (uint32_t s = 1; s <= series; s++) {
        colour += !chart->series[s].follows;
    }
    return series_colours[colour % COLOUR_COUNT];
}

/* The list of names, on paper of its own so that curves do not run through it. */
static void write_legend(printer *out, const line_chart *chart, double left, double top)
{
    size_t longest = 0;
    for (uint32_t s = 0; s < chart->series_count; s++) {
        size_t length = strlen(chart->series[s].name);
        longest = length > longest ? length : longest;
    }
    printer_format(out,
                   "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"white\" "
                   "fill-opacity=\"0.8\"/>\n",
                   left, top, 38 + 6.6 * (double)longest, 10 + 16.0 * chart->series_count);
    for (uint32_t s = 0; s < chart->series_count; s++) {
        double line = top + 16 + 16.0 * s;
        printer_format(out, "<path d=\"M%.1f %.1fh20\" stroke=\"%s\" stroke-width=\"3\"%s/>\n", left + 6, line - 4,
                       colour_of(chart, s), chart->series[s].dashed ? " stroke-dasharray=\"5 3\"" : "");
        write_label(out, left + 32, line, "start", "", chart->series[s].name);
    }
}

void line_chart_write(const line_chart *chart, printer *out)
{
    enum { WIDTH = 760, HEIGHT = 460, LEFT = 80, RIGHT = 20, TOP = 40, BOTTOM = 56 };
    chart_axis x = {chart->x_logarithmic, INFINITY, -INFINITY, LEFT, WIDTH - RIGHT};
    chart_axis y = {chart->y_logarithmic, INFINITY, -INFINITY, HEIGHT - BOTTOM, TOP};
    fit_axes(chart, &x, &y);
    write_head(out, WIDTH, HEIGHT, chart->title);
    write_grid(out, &x, true, TOP, HEIGHT - BOTTOM);
    write_grid(out, &y, false, LEFT, WIDTH - RIGHT);
    for (uint32_t s = 0; s < chart->series_count; s++) {
        const line_series *series = &chart->series[s];
        const char *colour = colour_of(chart, s);
        if (series->high != NULL) {
            write_band(out, chart, series, &x, &y, colour);
        }
        write_line(out, chart, series, &x, &y, colour);
    }
    write_legend(out, chart, LEFT + 8, TOP + 4);
    write_label(out, (LEFT + WIDTH - RIGHT) / 2.0, HEIGHT - 14, "middle", "", chart->x_label);
    printer_format(out, "<g transform=\"translate(20 %d) rotate(-90)\">\n", (TOP + HEIGHT - BOTTOM) / 2);
    write_label(out, 0, 0, "middle", "", chart->y_label);
    printer_text(out, "</g>\n</svg>\n");
}
