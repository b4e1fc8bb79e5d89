/* Whole frame pairs of the data kit, broad and narrow phase: milliseconds of CPU time on one thread for all
 * impacts, for the earliest alone and for the first call, which cuts the surfaces into leaves; every instruction set in
 * turns; and where the candidates end.
 *
 * Usage: bench_impact_frames [turns [scene [isa]]], DENT_DATA names the data kit. Figures are medians of the turns.
 * Bars (issue 6): cloth-funnel 12, armadillo-rollers 250, cloth-ball 350 ms.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <dent/impact.h>
#include <dent/mesh_io.h>

#include "sort_times.h"

enum { TURNS_MAX = 101 };

struct scene {
    const char *name, *frames[2];
    double bar;
};

static const struct scene scenes[] = {
    {"cloth-funnel", {"227", "228"}, 12},
    {"armadillo-rollers", {"326", "327"}, 250},
    {"cloth-ball", {"cloth_ball92", "cloth_ball93"}, 350},
};

static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec * 1e-6;
}

static double median(double *values, int count)
{
    sort_times(values, (size_t)count);
    return values[count / 2];
}

struct row {
    dent_context *context;
    dent_mesh *meshes[2];
    dent_world *world;
    double first, all[TURNS_MAX], earliest[TURNS_MAX];
    dent_impact_result result;
    dent_impact_counters earliest_counters;
};

static void require(bool condition, const char *what)
{
    if (!condition) {
        fprintf(stderr, "bench_impact_frames: %s\n", what);
        exit(2);
    }
}

static void open_row(struct row *row, const char *data, const struct scene *scene, dent_isa isa)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.isa = isa;
    row->context = dent_context_create(&def, NULL);
    row->world = dent_world_create(row->context);
    for (int end = 0; end < 2; end++) {
        char path[1024], message[1024];
        snprintf(path, sizeof path, "%s/frames/%s/frames/%s.ply.xz", data, scene->name, scene->frames[end]);
        if (dent_mesh_read(row->context, path, NULL, &row->meshes[end]) != DENT_OK) {
            dent_context_message(row->context, message, sizeof message);
            require(false, message);
        }
    }
    require(row->meshes[0]->body_count == 1, "one body is expected");
    dent_body_id id;
    require(dent_mesh_add_to_world(row->meshes[0], row->world, &id) == DENT_OK, "cannot add the body");
    dent_positions start = dent_positions_double(row->meshes[0]->bodies[0].positions);
    dent_positions end = dent_positions_double(row->meshes[1]->bodies[0].positions);
    require(dent_body_set_positions(row->world, id, &start, &end) == DENT_OK, "cannot set positions");
}

static void close_row(struct row *row)
{
    dent_world_destroy(row->world);
    dent_mesh_destroy(row->context, row->meshes[0]);
    dent_mesh_destroy(row->context, row->meshes[1]);
    dent_context_destroy(row->context);
}

static double time_all(struct row *row)
{
    dent_impact_def def = dent_impact_def_default();
    double began = processor_ms();
    require(dent_world_impacts(row->world, &def, &row->result) == DENT_OK, dent_world_message(row->world));
    return processor_ms() - began;
}

static double time_earliest(struct row *row)
{
    dent_impact_def def = dent_impact_def_default();
    dent_earliest_impact earliest;
    double began = processor_ms();
    require(dent_world_earliest_impact(row->world, &def, &earliest) == DENT_OK, dent_world_message(row->world));
    row->earliest_counters = earliest.counters;
    return processor_ms() - began;
}

static bool wanted(int isa, const char *only)
{
    return dent_isa_available((dent_isa)isa) && (only == NULL || strcmp(dent_isa_name((dent_isa)isa), only) == 0);
}

static void run_scene(const char *data, const struct scene *scene, int turns, const char *only)
{
    struct row rows[DENT_ISA_COUNT];
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (wanted(isa, only)) {
            open_row(&rows[isa], data, scene, (dent_isa)isa);
            rows[isa].first = time_all(&rows[isa]);
        }
    }
    for (int turn = 0; turn < turns; turn++) {
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            if (wanted(isa, only)) {
                rows[isa].all[turn] = time_all(&rows[isa]);
                rows[isa].earliest[turn] = time_earliest(&rows[isa]);
            }
        }
    }
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (wanted(isa, only)) {
            struct row *row = &rows[isa];
            time_all(row);
            const dent_impact_counters *c = &row->result.counters;
            printf("%-18s %-7s %8.2f %8.2f %8.2f %5.0f %8" PRIu64 " %9" PRIu64 "  axes %" PRIu64 " cubic %" PRIu64
                   " free axis %" PRIu64 " double %" PRIu64 " exact %" PRIu64 "; of the earliest %" PRIu64
                   "; ms %.1f + %.1f + %.1f\n",
                   scene->name, dent_isa_name((dent_isa)isa), row->first, median(row->all, turns),
                   median(row->earliest, turns), scene->bar, row->result.count, c->candidates, c->rejected_by_axes,
                   c->rejected_by_cubic, c->rejected_by_free_axis, c->decided_in_double, c->decided_exactly,
                   row->earliest_counters.candidates, (double)c->ns_prepare * 1e-6, (double)c->ns_search * 1e-6,
                   (double)c->ns_finish * 1e-6);
            close_row(row);
        }
    }
}

int main(int argc, char **argv)
{
    const char *data = getenv("DENT_DATA");
    int turns = argc > 1 ? atoi(argv[1]) : 7;
    require(data != NULL, "DENT_DATA must name the data kit");
    require(turns > 0 && turns <= TURNS_MAX, "from 1 to 101 turns");
    printf("%-18s %-7s %8s %8s %8s %5s %8s %9s\n", "scene", "isa", "first", "all", "earliest", "bar", "impacts",
           "candidates");
    for (size_t i = 0; i < sizeof scenes / sizeof scenes[0]; i++) {
        if (argc < 3 || strcmp(argv[2], scenes[i].name) == 0) {
            run_scene(data, &scenes[i], turns, argc > 3 ? argv[3] : NULL);
        }
    }
    return 0;
}
