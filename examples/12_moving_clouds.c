/* Two scans that move on flight plans: a ball of points falls through a sheet of points. When do they meet?
 *
 * The kinetic trees know the boxes at every time. Only while these overlap are the clouds moved and asked.
 *
 *     cc 12_moving_clouds.c $(pkg-config --cflags --libs dent) -lm && ./a.out
 */
#include <dent/dent.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 2500, SIDE = 50, KEYS = 3 };

struct scan {
    double keys[KEYS][3 * POINTS]; /* places at times 0, 1, 2 */
    double now[3 * POINTS];
    dent_kinetic *plans;
    dent_cloud *cloud;
};

/* Falls from 2 above the sheet to 2 below, and grows by a tenth on the way. */
static void make_ball(struct scan *scan)
{
    for (int i = 0; i < POINTS; i++) {
        double height = 1 - (2 * i + 1.0) / POINTS, radius = sqrt(1 - height * height), turn = 2.399963 * i;
        double place[3] = {radius * cos(turn), radius * sin(turn), height};
        for (int key = 0; key < KEYS; key++) {
            double size = 0.5 + 0.05 * key * (key - 1);
            for (int axis = 0; axis < 3; axis++) {
                scan->keys[key][3 * i + axis] = size * place[axis] + (axis == 2 ? 2.0 - 2.0 * key : 0.0);
            }
        }
    }
}

static void make_sheet(struct scan *scan)
{
    for (int i = 0; i < POINTS; i++) {
        for (int key = 0; key < KEYS; key++) {
            scan->keys[key][3 * i] = 3.0 * (i % SIDE) / SIDE - 1.5;
            scan->keys[key][3 * i + 1] = 3.0 * (i / SIDE) / SIDE - 1.5;
            scan->keys[key][3 * i + 2] = 0.0;
        }
    }
}

/* Plans of all points, and a cloud of where they are. */
static dent_status prepare(dent_context *context, struct scan *scan)
{
    static const double times[KEYS] = {0, 1, 2};
    static uint32_t points[POINTS];
    dent_positions keys[KEYS];
    for (int key = 0; key < KEYS; key++) {
        keys[key] = dent_positions_double(scan->keys[key]);
    }
    for (uint32_t i = 0; i < POINTS; i++) {
        points[i] = i;
    }
    dent_flight_plans plans = {0, POINTS, KEYS, times, keys};
    dent_cloud_def def = dent_cloud_def_default();
    def.positions = dent_positions_double(scan->now);
    def.point_count = POINTS;
    dent_status status = dent_kinetic_create(context, NULL, &scan->plans);
    status = status ? status : dent_kinetic_set_plans(scan->plans, &plans);
    status = status ? status : dent_kinetic_insert(scan->plans, points, 1, POINTS, NULL);
    status = status ? status : dent_kinetic_positions(scan->plans, 0, POINTS, scan->now);
    return status ? status : dent_cloud_create(context, &def, &scan->cloud);
}

/* Are points of one scan in the box of the other? Boxes are those of the time the trees are at. */
static dent_status boxes_meet(struct scan *a, struct scan *b, bool *meet)
{
    double bounds[6];
    dent_kinetic_hits hits = {0, NULL};
    dent_status status = dent_kinetic_bounds(b->plans, DENT_KINETIC_ALL, bounds);
    const double reach = 0.1; /* a surface lies within a few spacings of its points */
    const double box[6] = {bounds[0] - reach, bounds[2] - reach, bounds[4] - reach,
                           bounds[1] + reach, bounds[3] + reach, bounds[5] + reach};
    status = status ? status : dent_kinetic_overlapping(a->plans, box, &hits);
    *meet = hits.count > 0;
    return status;
}

/* Moves the clouds to the present places of their points, and asks. */
static dent_status ask(dent_cloud_search *search, struct scan *a, struct scan *b, dent_cloud_result *result)
{
    struct scan *scans[2] = {a, b};
    dent_status status = DENT_OK;
    /* snippet: move */
    for (int i = 0; i < 2 && status == DENT_OK; i++) {
        dent_cloud_update_result update;
        status = dent_kinetic_positions(scans[i]->plans, 0, POINTS, scans[i]->now);
        status = status ? status : dent_cloud_update(scans[i]->cloud, &update);
    }
    /* end of snippet */
    status = status ? status : dent_cloud_search_begin(search, NULL, NULL, 1);
    return status ? status : dent_cloud_search_run(search, dent_budget_units(UINT64_MAX), result);
}

int main(void)
{
    dent_context *context = dent_context_create(NULL, NULL);
    struct scan *ball = calloc(1, sizeof *ball), *sheet = calloc(1, sizeof *sheet);
    dent_cloud_search_def def = dent_cloud_search_def_default();
    dent_cloud_search *search = NULL;
    if (!context || !ball || !sheet) {
        return 1;
    }
    make_ball(ball);
    make_sheet(sheet);
    if (prepare(context, ball) || prepare(context, sheet)) {
        return 1;
    }
    def.cloud_a = ball->cloud;
    def.cloud_b = sheet->cloud;
    dent_status status = dent_cloud_search_create(context, &def, &search);
    int met = 0, wrong = 0;
    for (int step = 0; step <= 20 && status == DENT_OK; step++) {
        double time = 0.1 * step, size = 0.5 + 0.1 * fmax(0.0, time - 1);
        bool near = false;
        dent_cloud_result result = {0};
        status = dent_kinetic_advance(ball->plans, time);
        status = status ? status : dent_kinetic_advance(sheet->plans, time);
        status = status ? status : boxes_meet(ball, sheet, &near);
        if (near && status == DENT_OK) {
            status = ask(search, ball, sheet, &result);
        }
        bool yes = near && result.answer == DENT_CLOUD_YES;
        if (near) {
            printf("time %.1f: the clouds are asked: %s\n", time, yes ? "yes" : "no");
        }
        wrong += yes != (fabs(2.0 - 2.0 * time) < size);
        met += yes;
    }
    dent_cloud_search_destroy(search);
    dent_cloud_destroy(sheet->cloud);
    dent_cloud_destroy(ball->cloud);
    dent_kinetic_destroy(sheet->plans);
    dent_kinetic_destroy(ball->plans);
    free(sheet);
    free(ball);
    dent_context_destroy(context);
    return status == DENT_OK && met > 3 && wrong == 0 ? 0 : 1;
}
