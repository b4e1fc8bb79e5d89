/* paper_haptic.c — traces of the force of a god-object (Ortega, Redon and Coquillart 2006): press and release on a plane,
 * in a wedge and in a hole, with delays of 0, 1, 5 and 20 ms, passivity control on and off.
 *
 * The tool is a cube of 100, or for the hole a peg of 100 x 100 x 200 in a square hole with 2 on each side
 * (millimetres). The device goes 30 into the floor of each in 150 ms, rests 50 ms and comes back, 10 off the middle: so
 * the wedge and the hole push sideways, too. Stiffness 1000 N/m, a tick of 1 ms. */
#include "paper_chart.h"

#include "tool.h"

#include <dent/haptic.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SCENES = 3, BODIES = 5, DELAYS = 4, PRESS = 150, REST = 50, TICKS = 2 * PRESS + REST + 50, SAMPLE = 27 };
static const char *const scene_names[SCENES] = {"plane", "wedge", "hole"};
static const uint32_t delay_ticks[DELAYS] = {0, 1, 5, 20};

typedef struct touch_scene {
    double corners[BODIES + 1][8][3];
    dent_body_def tool;
    dent_haptic_body bodies[BODIES];
    uint32_t body_count;
    double start, floor; /* heights of the tool's middle */
} touch_scene;

/* Returns a box, tilted about the y axis through its middle. */
static dent_body_def put_box(touch_scene *made, uint32_t index, const char *name, const double middle[3],
                             const double half[3], double tilt)
{
    static const uint32_t triangles[12][3] = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                                              {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
    double sine, cosine;
    dent_sine_cosine(tilt, &sine, &cosine);
    for (int c = 0; c < 8; c++) {
        double x = c & 1 ? half[0] : -half[0], y = c & 2 ? half[1] : -half[1], z = c & 4 ? half[2] : -half[2];
        double *corner = made->corners[index][c];
        corner[0] = middle[0] + (cosine * x + sine * z);
        corner[1] = middle[1] + y;
        corner[2] = middle[2] + (cosine * z - sine * x);
    }
    dent_body_def shape = dent_surface_def_default();
    shape.name = name;
    shape.vertex_count = 8;
    shape.element_count = 12;
    shape.element_corners = triangles[0];
    shape.positions_t0 = dent_positions_double(made->corners[index][0]);
    return shape;
}

static void add(touch_scene *made, const char *name, double x, double y, double z, double hx, double hy, double hz,
                double tilt)
{
    uint32_t i = made->body_count++;
    made->bodies[i] = (dent_haptic_body){.kind = DENT_HAPTIC_FIXED};
    made->bodies[i].shape = put_box(made, i + 1, name, (double[3]){x, y, z}, (double[3]){hx, hy, hz}, tilt);
}

static void make_scene(uint32_t scene, touch_scene *made)
{
    memset(made, 0, sizeof *made);
    double height = scene == 2 ? 0.1 : 0.05;
    made->tool = put_box(made, 0, "tool", (double[3]){0, 0, 0}, (double[3]){0.05, 0.05, height}, 0);
    made->floor = height;
    if (scene == 0) {
        add(made, "floor", 0, 0, -0.1, 1, 1, 0.1, 0);
    } else if (scene == 1) { /* two boxes at 45 degrees, whose upper sides meet in the line x = z = 0 */
        double root = sqrt(0.5);
        add(made, "left", -0.3 * root - 0.1 * root, 0, 0.3 * root - 0.1 * root, 0.3, 1, 0.1, 0.78539816339744831);
        add(made, "right", 0.3 * root + 0.1 * root, 0, 0.3 * root - 0.1 * root, 0.3, 1, 0.1, -0.78539816339744831);
        made->floor = 0.1; /* the lower edges touch both sides */
    } else {
        add(made, "floor", 0, 0, -0.1, 1, 1, 0.1, 0);
        for (int side = -1; side <= 1; side += 2) {
            add(made, "wall x", side * 0.152, 0, 0.15, 0.1, 0.252, 0.15, 0);
            add(made, "wall y", 0, side * 0.152, 0.15, 0.05, 0.1, 0.15, 0);
        }
    }
    made->start = made->floor + 0.02;
}

/* How deep the device is: in, a rest, and out again, as smooth as a cosine. */
static double depth_at(int tick)
{
    double cosine;
    int out = tick - PRESS - REST;
    double phase = tick < PRESS ? tick : out < 0 ? PRESS : out < PRESS ? PRESS + out : 2 * PRESS;
    dent_sine_cosine(3.1415926535897931 * phase / PRESS, NULL, &cosine);
    return 0.05 * (1 - cosine) / 2; /* from 20 above to 30 below */
}

typedef struct force_trace {
    double force[TICKS][3], largest, work;
} force_trace;

static int record(paper_run *run, const touch_scene *made, uint32_t delay, bool passivity, force_trace *trace)
{
    dent_haptic *haptic = NULL;
    dent_haptic_def def = dent_haptic_def_default();
    dent_haptic_delays delays = dent_haptic_delays_default();
    dent_haptic_force force = {.work = 0};
    def.tool = made->tool;
    def.bodies = made->bodies;
    def.body_count = made->body_count;
    def.start.translation[2] = made->start;
    def.no_passivity = !passivity;
    delays.device = delay;
    memset(trace, 0, sizeof *trace);
    dent_status status = dent_haptic_create(run->session->context, &def, &haptic);
    for (int i = 0; i < TICKS && status == DENT_OK; i++) {
        double depth = depth_at(i);
        dent_pose device = dent_pose_identity();
        device.translation[0] = 0.2 * depth;
        device.translation[2] = made->start - depth;
        status = dent_haptic_clock_tick(haptic, &delays, &device, &force);
        memcpy(trace->force[i], force.force, sizeof trace->force[i]);
        double size =
            force.force[0] * force.force[0] + force.force[1] * force.force[1] + force.force[2] * force.force[2];
        trace->largest = fmax(trace->largest, sqrt(size));
    }
    trace->work = force.work;
    dent_haptic_destroy(haptic);
    return status == DENT_OK ? STATUS_GOOD : complain("paper: %s", session_message(run->session, status));
}

static void put_trace(paper_run *run, paper_chart *chart, uint32_t scene, uint32_t delay, bool passivity,
                      const force_trace *trace)
{
    char curve[64];
    const char *word = passivity ? "on" : "off";
    snprintf(curve, sizeof curve, "%u ms, passivity control %s", delay, word);
    for (int i = 0; i < TICKS; i++) {
        const double *force = trace->force[i];
        if (scene == 0 && i % SAMPLE == 0) {
            paper_chart_add(chart, curve, i, force[2]);
        }
        printer_format(&run->file, "%s,%u,%s,%d,%.6g,%.6g,%.6g\n", scene_names[scene], delay, word, i, force[0],
                       force[1], force[2]);
    }
    printer_format(run->session->out, "%-6s %8u %-9s %12.2f %+16.5f\n", scene_names[scene], delay, word, trace->largest,
                   trace->work);
    printer_flush(run->session->out);
}

static int make_traces(paper_run *run)
{
    static paper_chart chart;
    static touch_scene made;
    static force_trace trace;
    chart = (paper_chart){.name = "haptic-traces",
                          .title = "Force of a press on a plane and release",
                          .x_label = "milliseconds",
                          .y_label = "force on the hand, N"};
    int status = paper_file_open(run, chart.name, "csv");
    if (status != STATUS_GOOD) {
        return status;
    }
    printer_text(&run->file, "scene,delay_ms,passivity,ms,fx,fy,fz\n");
    printer_format(run->session->out, "%-6s %8s %-9s %12s %16s\n", "scene", "delay ms", "passivity", "largest N",
                   "work on hand, J");
    for (uint32_t scene = 0; scene < SCENES && status == STATUS_GOOD; scene++) {
        make_scene(scene, &made);
        for (uint32_t variant = 0; variant < 2 * DELAYS && status == STATUS_GOOD; variant++) {
            status = record(run, &made, delay_ticks[variant / 2], variant % 2 == 0, &trace);
            if (status == STATUS_GOOD) {
                put_trace(run, &chart, scene, delay_ticks[variant / 2], variant % 2 == 0, &trace);
            }
        }
    }
    return paper_chart_finish(run, &chart, status);
}

const paper_figure figure_haptic_traces = {
    .name = "haptic-traces",
    .summary =
        "force of press and release on plane, wedge and hole, delays of 0 to 20 ms, passivity control on and off",
    .make = make_traces,
};
