/* physics_cases.c — scene files that showed a fault once, and what each of them must do. They are kept as text, so that
 * the table needs no files; boxes that differ only in their places are written from a list. */
#include "physics_table.h"

#include <dent/sim_scene.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GROUND(size, cells)                                                                                            \
    "{\"name\":\"ground\",\"kind\":\"prescribed\",\"move\":[0,0,-0.1],\"generate\":{\"shape\":\"box\",\"size\":[" size \
    "," size ",0.2],\"cells\":[" cells "," cells ",1]}}"
#define BALL_OF_1_GPA                                                                                                  \
    "\"materials\":{\"a\":{\"density\":1000,\"young\":\"1 GPa\",\"poisson\":0.3,\"restitution\":0,\"friction\":0.5}}," \
    "\"bodies\":[" GROUND("4", "4") ",{\"name\":\"ball\",\"kind\":\"solid\",\"move\":[0,0,1.1],"                       \
                                    "\"generate\":{\"shape\":\"sphere\",\"radius\":0.1,\"spacing\":0.04}}]}"

typedef struct case_text {
    const char *name, *text; /* text: whole, or the beginning; then boxes follow */
    uint32_t frames;
    double height; /* of the fall: part of the energy at the start, m */
    uint32_t box_count;
    const double (*places)[3];
} case_text;

static const double stack_places[10][3] = {{0, 0, 0.105}, {0, 0, 0.31},  {0, 0, 0.515}, {0, 0, 0.72},  {0, 0, 0.925},
                                           {0, 0, 1.13},  {0, 0, 1.335}, {0, 0, 1.54},  {0, 0, 1.745}, {0, 0, 1.95}};
static const double pile_places[12][3] = {
    {0.0413, 0.031, 0.2005},    {-0.0439, 0.0417, 0.2417},  {0.0547, 0.0537, 0.1568},  {-0.0314, 0.0053, 0.1944},
    {-0.0317, -0.0476, 0.1975}, {0.0147, 0.029, 0.2454},    {0.0352, 0.0386, 0.2082},  {-0.0211, -0.0419, 0.2281},
    {-0.0328, 0.0555, 0.1652},  {-0.0044, -0.0152, 0.1666}, {0.0086, -0.0085, 0.2194}, {0, 0, 0.2}};

static const case_text cases[] = {
    [CASE_BOUNCE] = {"bounce", "{\"dent_scene\":1," BALL_OF_1_GPA, 120, 1, 0, NULL},
    [CASE_NU499] = {"nu499",
                    "{\"dent_scene\":1,\"materials\":{\"a\":{\"density\":1000,\"young\":\"1 MPa\",\"poisson\":0.499}},"
                    "\"bodies\":[" GROUND(
                        "2", "3") ",{\"name\":\"b\",\"kind\":\"solid\",\"move\":[0,0,0.4],"
                                  "\"generate\":{\"shape\":\"box\",\"size\":[0.2,0.2,0.2],\"cells\":[3,3,3]}}]}",
                    60, 0.3, 0, NULL},
    [CASE_SMALL_STEP] = {"small_step",
                         "{\"dent_scene\":1,\"materials\":{\"a\":{\"density\":1000,"
                         "\"young\":\"1 MPa\",\"poisson\":0.4}},\"contact\":{\"thickness\":\"8.4 mm\"},"
                         "\"bodies\":[" GROUND(
                             "2", "3") ",{\"name\":\"b\",\"kind\":\"solid\",\"move\":[0,0,0.105],"
                                       "\"generate\":{\"shape\":\"box\",\"size\":[0.2,0.2,0.2],\"cells\":[2,2,2]}}]}",
                         4000, 0.005, 0, NULL},
    [CASE_SUBSTEPS1] = {"substeps1", "{\"dent_scene\":1,\"substeps\":1,\"iterations\":12," BALL_OF_1_GPA, 120, 1, 0,
                        NULL},
    [CASE_STACK10] = {"stack10",
                      "{\"dent_scene\":1,\"substeps\":10,\"materials\":{\"a\":{\"density\":1000,\"friction\":0.5}},"
                      "\"bodies\":[" GROUND("2", "4"),
                      3600, 0.03, 10, stack_places},
    [CASE_PILE] = {"pile", "{\"dent_scene\":1,\"materials\":{\"a\":{\"density\":1000}},\"bodies\":[" GROUND("2", "3"),
                   120, 0.2, 12, pile_places},
    [CASE_BULLET] = {"bullet",
                     "{\"dent_scene\":1,\"gravity\":[0,0,0],\"materials\":{\"p\":{\"density\":1000,"
                     "\"young\":\"10 MPa\",\"poisson\":0.3},\"b\":{\"density\":8000}},\"bodies\":["
                     "{\"name\":\"plate\",\"kind\":\"solid\",\"material\":\"p\",\"generate\":{\"shape\":\"box\","
                     "\"size\":[1,1,0.002],\"cells\":[10,10,1]},\"fixed\":{\"box\":[[-0.6,-0.6,-1],[-0.49,0.6,1]]}},"
                     "{\"name\":\"ball\",\"kind\":\"rigid\",\"material\":\"b\",\"move\":[0.013,0.017,0.1],"
                     "\"velocity\":[0,0,-20],\"generate\":{\"shape\":\"sphere\",\"radius\":0.02,\"spacing\":0.012}}]}",
                     40, 0, 0, NULL},
};

enum { CASE_TEXT_SIZE = 4096 };

static void write_text(const case_text *kept, const char *time_step, char text[CASE_TEXT_SIZE])
{
    int used = time_step != NULL ? snprintf(text, CASE_TEXT_SIZE, "{\"dent_scene\":1,\"time_step\":\"%s\",%s",
                                            time_step, strstr(kept->text, "\"materials\""))
                                 : snprintf(text, CASE_TEXT_SIZE, "%s", kept->text);
    for (uint32_t n = 0; n < kept->box_count; n++) {
        used += snprintf(text + used, (size_t)(CASE_TEXT_SIZE - used),
                         ",{\"name\":\"b%u\",\"kind\":\"rigid\",\"move\":[%g,%g,%g],\"generate\":{\"shape\":\"box\","
                         "\"size\":[0.2,0.2,0.2],\"cells\":[3,3,3]}}",
                         n, kept->places[n][0], kept->places[n][1], kept->places[n][2]);
    }
    if (kept->box_count > 0) {
        snprintf(text + used, (size_t)(CASE_TEXT_SIZE - used), "]}");
    }
}

/* The simulation of a scene as a stage; its bodies only have their counts. */
static bool open_case(physics_stage *stage, dent_context *context, const case_text *kept, const char *time_step,
                      dent_sim_scene **scene)
{
    char text[CASE_TEXT_SIZE];
    dent_sim_body_info info;
    physics_open(stage, context);
    write_text(kept, time_step, text);
    dent_status status = dent_sim_scene_read_memory(context, kept->name, NULL, text, strlen(text), NULL, scene);
    if (status != DENT_OK) {
        dent_context_message(context, stage->note, sizeof stage->note);
        stage->failed = true;
        return false;
    }
    stage->sim = dent_sim_scene_sim(*scene);
    for (uint32_t b = 0; b < PHYSICS_BODY_LIMIT && dent_sim_body(stage->sim, b, &info); b++) {
        stage->bodies[stage->def.body_count++].vertex_count = info.vertex_count;
    }
    return true;
}

typedef struct case_readings {
    double rise, top, gain, fastest, kinetic_at_rest, mean_edge; /* rise: of the last body above its lowest place; top:
                                                                    above its start */
    double thrown;     /* the largest speed beyond what the fall of the body gives it */
    double heights[PHYSICS_BODY_LIMIT]; /* of the bodies at the start */
    uint32_t behind;
} case_readings;

static double energy_scale(const physics_stage *stage, const case_text *kept)
{
    dent_sim_statistics start = dent_sim_get_statistics(stage->sim);
    double scale = start.kinetic + start.elastic;
    for (uint32_t b = 0; b < stage->def.body_count; b++) {
        scale += physics_mass(stage, b) * PHYSICS_GRAVITY * kept->height;
    }
    return scale;
}

static void read_step(const physics_stage *stage, double start_height, double *lowest, case_readings *readings)
{
    dent_sim_statistics now = dent_sim_get_statistics(stage->sim);
    uint32_t last = stage->def.body_count - 1;
    double center[3];
    physics_center(stage, last, center);
    *lowest = fmin(*lowest, center[2]);
    readings->rise = fmax(readings->rise, center[2] - *lowest);
    readings->top = center[2] - start_height;
    readings->behind += center[2] < physics_lowest(stage, 0) && fabs(center[0]) < 0.5 && fabs(center[1]) < 0.5;
    for (uint32_t b = 1; b <= last; b++) {
        double speed = physics_largest_speed(stage, b);
        physics_center(stage, b, center);
        double fall = fmax(readings->heights[b] - center[2], 0), beyond = speed * speed - 2 * PHYSICS_GRAVITY * fall;
        readings->fastest = fmax(readings->fastest, speed);
        readings->thrown = fmax(readings->thrown, beyond > 0 ? sqrt(beyond) : 0);
    }
    if (now.time > 2) {
        readings->kinetic_at_rest = fmax(readings->kinetic_at_rest, now.kinetic);
    }
}

static bool run_case(dent_context *context, const case_text *kept, const char *time_step, uint32_t steps,
                     case_readings *readings, physics_result *result)
{
    physics_stage stage;
    dent_sim_scene *scene = NULL;
    *readings = (case_readings){0};
    if (open_case(&stage, context, kept, time_step, &scene)) {
        physics_energy_watch watch = physics_watch_begin(&stage, energy_scale(&stage, kept));
        dent_sim_body_info info;
        double start[3], lowest = INFINITY;
        for (uint32_t b = 0; b < stage.def.body_count; b++) {
            physics_center(&stage, b, start);
            readings->heights[b] = start[2];
        }
        for (uint32_t n = 0; n < steps && physics_step(&stage); n++) {
            physics_watch(&watch, &stage);
            read_step(&stage, start[2], &lowest, readings);
        }
        readings->gain = physics_gain(&watch);
        readings->mean_edge = dent_sim_body(stage.sim, stage.def.body_count - 1, &info) ? info.mean_edge : 0;
    }
    if (stage.failed) {
        physics_fail(result, &stage);
    }
    dent_sim_scene_destroy(scene);
    return !stage.failed;
}

void measure_case(dent_context *context, const physics_case *row, physics_result *result)
{
    const case_text *kept = &cases[(int)row->parameters[0]];
    uint32_t steps = row->parameters[2] > 0 ? (uint32_t)row->parameters[2] : kept->frames;
    bool small = (int)row->parameters[0] == CASE_SMALL_STEP;
    case_readings now, coarse;
    if (!dent_sim_scene_files_supported()) {
        snprintf(result->note, sizeof result->note, "this build cannot read scene files");
        return;
    }
    if (!run_case(context, kept, small ? "10 us" : NULL, steps, &now, result) ||
        (small && !run_case(context, kept, "100 us", steps / 10, &coarse, result))) {
        return;
    }
    switch ((enum case_question)row->parameters[1]) {
    case CASE_ENERGY:
        physics_judge(result, 0, now.gain);
        break;
    case CASE_RISE:
        physics_judge(result, 0, now.rise / kept->height);
        break;
    case CASE_SPEED:
        physics_judge(result, small ? coarse.fastest : 10 * now.mean_edge, now.fastest);
        break;
    case CASE_THROWN:
        physics_judge(result, 10 * now.mean_edge, now.gain > 1e-6 ? INFINITY : now.thrown);
        break;
    case CASE_REST:
        physics_judge(result, 0, now.kinetic_at_rest);
        break;
    case CASE_STANDS:
        physics_judge(result, 0, fabs(now.top));
        break;
    case CASE_PASSES:
        physics_judge(result, 0, now.behind);
        break;
    }
    snprintf(result->note, sizeof result->note,
             "%u steps; energy gain %.2g; fastest %.3g m/s; last body moved %.3g m up", steps, now.gain, now.fastest,
             now.top);
}
