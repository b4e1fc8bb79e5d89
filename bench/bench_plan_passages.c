/* Passages: a bar that flies through a slot in a wall, with contact milestones and without.
 *
 *     bench_plan_passages [seeds] [seconds] [clearances or rows...]     default 10 60, clearances 2 4 8 16 target gaps
 *
 * Rows are tree, tree-off, roadmap and roadmap-off; default all four. -off is without contact milestones.
 *
 * The slot is wider than the bar by the clearance on each side; the target gap is 2 mm, the bar 400 x 100 x
 * 100 mm, the wall 300 mm thick. One thread. A search that finds nothing in that many seconds is a failure; failures
 * count with the limit in the mean. Every path found is certified edge by edge once more.
 */
#include "../tests/support/plan_field.h"
#include "sort_times.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double target_gap = 0.002;

struct row {
    uint32_t found, seeds;
    double seconds[64], edges[64];
    uint32_t bad_edges;
};

static uint32_t count_bad_edges(dent_planner *planner, const dent_plan_result *result)
{
    uint32_t bad = 0;
    for (uint32_t e = 0; e + 1 < result->waypoint_count; e++) {
        dent_plan_edge_result edge;
        const double *from = result->waypoints + 7 * (size_t)e;
        bad += dent_planner_test_edge(planner, from, from + 7, &edge) != DENT_OK || edge.verdict != DENT_MOTION_FREE;
    }
    return bad;
}

static bool run_row(dent_context *context, double clearance, int method, bool contacts, uint32_t seeds, double limit,
                    struct row *row)
{
    static const double from[7] = {-0.5, 0.1, 0, 1, 0, 0, 0}, to[7] = {0.5, -0.1, 0.2, 1, 0, 0, 0};
    struct plan_field field;
    dent_planner *planner = NULL;
    *row = (struct row){.seeds = seeds};
    bool good = plan_field_open(&field, context) == DENT_OK;
    plan_field_add_wall(&field, clearance);
    dent_planner_def def = plan_field_def(&field);
    def.target_gap = target_gap;
    def.method = (dent_plan_method)method;
    def.no_contact_milestones = !contacts;
    def.no_shortening = true;
    good = good && dent_planner_create(context, &def, &planner) == DENT_OK;
    for (uint32_t seed = 0; seed < seeds && good; seed++) {
        dent_plan_result result = {0};
        good = dent_planner_begin(planner, from, to, seed + 1) == DENT_OK;
        do {
            good = good && dent_planner_run(planner, 64, NULL, &result) == DENT_OK;
        } while (good && result.verdict != DENT_PLAN_FOUND && (double)result.ns < 1e9 * limit);
        bool found = result.verdict == DENT_PLAN_FOUND;
        row->found += found;
        row->seconds[seed] = found ? 1e-9 * (double)result.ns_to_first : limit;
        row->edges[seed] = (double)result.edges;
        row->bad_edges += good ? count_bad_edges(planner, &result) : 0;
    }
    dent_planner_destroy(planner);
    plan_field_close(&field);
    return good;
}

static const char *const variants[] = {"tree", "tree-off", "roadmap", "roadmap-off"};

/* Numbers are clearances, names are rows; of what is not given, all. False: neither. */
static bool choose(int count, char **words, double clearances[4], int *clearance_count, bool wanted[4])
{
    static const double usual[] = {2, 4, 8, 16};
    bool some = false;
    for (int i = 3; i < count; i++) {
        bool known = false;
        for (int v = 0; v < 4 && !known; v++) {
            known = strcmp(words[i], variants[v]) == 0;
            wanted[v] = wanted[v] || known;
        }
        some = some || known;
        char *end;
        double clearance = strtod(words[i], &end);
        if (!known && (*end != '\0' || !(clearance > 0) || *clearance_count == 4)) {
            return false;
        }
        if (!known) {
            clearances[(*clearance_count)++] = clearance;
        }
    }
    for (int i = 0; i < 4; i++) {
        wanted[i] = wanted[i] || !some;
    }
    if (*clearance_count == 0) {
        memcpy(clearances, usual, sizeof usual);
        *clearance_count = 4;
    }
    return true;
}

int main(int count, char **words)
{
    double clearances[4];
    bool wanted[4] = {false};
    int clearance_count = 0;
    uint32_t seeds = count > 1 ? (uint32_t)strtoul(words[1], NULL, 10) : 10;
    double limit = count > 2 ? strtod(words[2], NULL) : 60;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    if (!context || seeds == 0 || seeds > 64 || !choose(count, words, clearances, &clearance_count, wanted)) {
        fprintf(stderr, "usage: bench_plan_passages [seeds, 1 to 64] [seconds] [clearances or rows...]\n");
        return 2;
    }
    printf("clearance,method,contacts,found,seeds,median_s,mean_s,median_edges,bad_edges\n");
    for (int c = 0; c < clearance_count; c++) {
        double clearance = clearances[c];
        for (int variant = 0; variant < 4; variant++) {
            struct row row;
            if (!wanted[variant]) {
                continue;
            }
            if (!run_row(context, clearance * target_gap, variant / 2, variant % 2 == 0, seeds, limit, &row)) {
                char message[200];
                dent_context_message(context, message, sizeof message);
                fprintf(stderr, "bench_plan_passages: %s\n", message);
                return 2;
            }
            double sum = 0;
            for (uint32_t i = 0; i < seeds; i++) {
                sum += row.seconds[i];
            }
            sort_times(row.seconds, seeds);
            sort_times(row.edges, seeds);
            printf("%g,%s,%s,%u,%u,%.3f,%.3f,%.0f,%u\n", clearance,
                   dent_plan_method_name((dent_plan_method)(variant / 2)), variant % 2 == 0 ? "on" : "off", row.found,
                   seeds, row.seconds[seeds / 2], sum / seeds, row.edges[seeds / 2], row.bad_edges);
            fflush(stdout);
        }
    }
    dent_context_destroy(context);
    return 0;
}
