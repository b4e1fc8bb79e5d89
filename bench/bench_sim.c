/* What a simulated second costs: elastic solids, cloth and the jaw, in CPU time and by the clock.
 *
 *   bench_sim [--threads N] [--isa I] [--seconds S] [--from S] [--sizes] [CASE...]
 *
 * Cases (default: all): `jaw`, 110,000 cells of ligament under 14 teeth, one bite; `free`, a block of 98,415 tetrahedra
 * that vibrates in free flight; `landed`, the same block dropped onto a plane; `cloth`, 51,200 triangles on a ball. The
 * first tenth of the time, or what lies before --from, is not counted. For each: CPU time and time by the clock for a simulated
 * second, the share of detection and of the elastic solver, Newton iterations and products per substep, the residual
 * that is left, and what the substep leaves of the stiffness of the first mode, (atan(w h) / (w h))^2.
 *
 * --sizes  `free`, `landed` and `cloth` in three sizes, eight times apart, and the exponent of cost against size. The
 *          substeps are those of the largest, so that equal work is compared. */
#include "sim/elastic/minimise.h"
#include "sim/step/sim_step.h"

#include <dent/dent.h>
#include <dent/sim_scene.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct options {
    uint32_t threads, substeps;  /* substeps 0: chosen by the simulator */
    double seconds, from, scale; /* from < 0: a tenth of seconds */
    dent_isa isa;
};

struct cost {
    double cpu, wall; /* for a simulated second */
    uint64_t elements;
    uint32_t substeps;
};

static double seconds_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void must(dent_context *context, dent_status status)
{
    if (status != DENT_OK) {
        char message[256];
        dent_context_message(context, message, sizeof message);
        fprintf(stderr, "bench_sim: %s\n", message);
        exit(1);
    }
}

/* ---- bodies ------------------------------------------------------------------------------------------------------ */

struct block {
    uint32_t vertex_count, element_count, *corners;
    double *positions;
};

/* Cubes of five tetrahedra, mirrored from one to the next so that their faces meet. */
static struct block make_block(uint32_t cells, double edge, double height)
{
    static const uint8_t even[5][4] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    uint32_t side = cells + 1;
    struct block block = {side * side * side, 5 * cells * cells * cells, NULL, NULL};
    block.positions = malloc(3 * sizeof(double) * block.vertex_count);
    block.corners = malloc(4 * sizeof(uint32_t) * block.element_count);
    for (uint32_t v = 0; v < block.vertex_count; v++) {
        double *x = block.positions + 3 * (size_t)v;
        x[0] = edge * (v % side);
        x[1] = edge * (v / side % side);
        x[2] = edge * (v / side / side) + height;
    }
    uint32_t *to = block.corners;
    for (uint32_t c = 0; c < cells * cells * cells; c++) {
        uint32_t x = c % cells, y = c / cells % cells, z = c / cells / cells, mirror = (x + y + z) % 2 ? 7 : 0;
        for (int n = 0; n < 20; n++, to++) {
            uint32_t corner = even[n / 4][n % 4] ^ mirror;
            *to = x + (corner & 1) + side * (y + (corner >> 1 & 1)) + side * side * (z + (corner >> 2));
        }
        for (uint32_t *tet = to - 20; mirror && tet < to; tet += 4) {
            uint32_t kept = tet[0];
            tet[0] = tet[1];
            tet[1] = kept;
        }
    }
    return block;
}

/* A block of 1 m and 1 MPa that is squeezed at the start; landed: it falls onto a plane from 1 cm. */
static dent_sim *open_block(dent_context *context, const struct options *options, bool landed)
{
    static const uint32_t plane_corners[6] = {0, 1, 2, 0, 2, 3};
    static const double plane_positions[12] = {-5, -5, 0, 6, -5, 0, 6, 6, 0, -5, 6, 0};
    uint32_t cells = (uint32_t)(27 * cbrt(options->scale) + 0.5);
    struct block block = make_block(cells, 1.0 / cells, landed ? 0.01 : 1);
    double *velocities = calloc(3 * (size_t)block.vertex_count, sizeof *velocities);
    for (size_t n = 0; n < 3 * (size_t)block.vertex_count; n += 3) {
        velocities[n] = 0.5 * (0.5 - block.positions[n]);
    }
    dent_sim_body_def bodies[2] = {dent_sim_body_def_default(DENT_SIM_SOLID),
                                   dent_sim_body_def_default(DENT_SIM_PRESCRIBED)};
    bodies[0].vertex_count = block.vertex_count;
    bodies[0].element_count = block.element_count;
    bodies[0].element_corners = block.corners;
    bodies[0].positions = block.positions;
    bodies[0].velocities = landed ? NULL : velocities;
    bodies[0].name = "block";
    bodies[1].mesh = DENT_BODY_SURFACE;
    bodies[1].vertex_count = 4;
    bodies[1].element_count = 2;
    bodies[1].element_corners = plane_corners;
    bodies[1].positions = plane_positions;
    bodies[1].name = "plane";
    dent_sim_material material = dent_sim_material_default();
    material.young = 1e6;
    dent_sim_def def = dent_sim_def_default();
    def.body_count = landed ? 2 : 1;
    def.bodies = bodies;
    def.material_count = 1;
    def.materials = &material;
    def.substeps = options->substeps;
    dent_sim *sim;
    must(context, dent_sim_create(context, &def, &sim));
    free(block.corners);
    free(block.positions);
    free(velocities);
    return sim;
}

static dent_sim_scene *open_scene(dent_context *context, const char *name, double scale, uint32_t substeps)
{
    dent_sim_scene_def def = dent_sim_scene_def_default();
    dent_sim_scene *scene;
    def.name = name;
    def.scale = scale;
    def.substeps = substeps;
    must(context, dent_sim_scene_open(context, &def, &scene));
    return scene;
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

struct counters {
    uint64_t substeps, solves, products, lines, refreshes;
};

static struct counters counters_of(const dent_sim *sim)
{
    const struct minimiser *work = sim->work.solver.elastic.minimiser;
    return (struct counters){work->substep_count, work->solves, work->products, work->lines, work->space.refreshes};
}

static struct cost run(dent_context *context, dent_sim *sim, const char *name, const struct options *options)
{
    double step = sim->model.time_step, detect = 0, elastic = 0, total = 0;
    uint32_t all = (uint32_t)(options->seconds / step + 0.5), counted = 0;
    uint32_t first = (uint32_t)((options->from < 0 ? 0.1 * options->seconds : options->from) / step + 0.5);
    struct counters begin = {0};
    double cpu = 0, wall = 0;
    for (uint32_t n = 0; n < all; n++) {
        if (n == first) {
            begin = counters_of(sim);
            cpu = seconds_of(CLOCK_PROCESS_CPUTIME_ID);
            wall = seconds_of(CLOCK_MONOTONIC);
        }
        must(context, dent_sim_step(sim));
        if (n >= first) {
            detect += 1e-9 * (double)sim->work.report.ns_detect;
            elastic += 1e-9 * (double)sim->work.report.ns_elastic;
            total += 1e-9 * (double)sim->work.report.ns_total;
            counted++;
        }
    }
    double time = step * counted;
    struct counters end = counters_of(sim);
    dent_sim_statistics statistics = dent_sim_get_statistics(sim);
    struct cost cost = {(seconds_of(CLOCK_PROCESS_CPUTIME_ID) - cpu) / time,
                        (seconds_of(CLOCK_MONOTONIC) - wall) / time, statistics.elements, statistics.substeps};
    double count = (double)(end.substeps - begin.substeps), turn = statistics.mode * sim->model.substep;
    double stiffness = turn > 0 ? atan(turn) / turn * (atan(turn) / turn) : 1;
    printf("%-7s %8llu %8u %9.2f %9.2f %9.3f %7.0f %8.0f %8.2f %8.1f %6.2f %8.2f %9.1e %9.3g %9.3f\n", name,
           (unsigned long long)cost.elements, cost.substeps, cost.cpu, cost.wall, 1 / cost.wall, 100 * detect / total,
           100 * elastic / total, (double)(end.solves - begin.solves) / count,
           (double)(end.products - begin.products) / count, (double)(end.lines - begin.lines) / count,
           (double)(end.refreshes - begin.refreshes) / count, statistics.residual, turn, stiffness);
    fflush(stdout);
    return cost;
}

static struct cost run_case(const struct options *options, const char *name)
{
    dent_context_def def = dent_context_def_default();
    struct cost cost;
    def.thread_count = options->threads;
    def.isa = options->isa;
    dent_context *context = dent_context_create(&def, NULL);
    if (!context) {
        fprintf(stderr, "bench_sim: no context\n");
        exit(1);
    }
    if (strcmp(name, "jaw") == 0 || strcmp(name, "cloth") == 0) {
        bool jaw = name[0] == 'j';
        dent_sim_scene *scene =
            open_scene(context, jaw ? "jaw" : "cloth-sphere", options->scale * (jaw ? 1 : 16), options->substeps);
        cost = run(context, dent_sim_scene_sim(scene), name, options);
        dent_sim_scene_destroy(scene);
    } else {
        dent_sim *sim = open_block(context, options, strcmp(name, "landed") == 0);
        cost = run(context, sim, name, options);
        dent_sim_destroy(sim);
    }
    dent_context_destroy(context);
    return cost;
}

/* The slope of log cost against log size, least squares. */
static void run_sizes(struct options options, const char *name)
{
    double x[3], y[3], mean_x = 0, mean_y = 0, across = 0, square = 0;
    for (int n = 0; n < 3; n++) {
        options.scale = n == 0 ? 1 : n == 1 ? 1.0 / 8 : 1.0 / 64;
        struct cost cost = run_case(&options, name);
        options.substeps = cost.substeps;
        x[n] = log((double)cost.elements);
        y[n] = log(cost.cpu);
        mean_x += x[n] / 3;
        mean_y += y[n] / 3;
    }
    for (int n = 0; n < 3; n++) {
        across += (x[n] - mean_x) * (y[n] - mean_y);
        square += (x[n] - mean_x) * (x[n] - mean_x);
    }
    printf("%-7s cost grows with size to the power %.3f\n", name, across / square);
}

int main(int count, char **arguments)
{
    static const char *const names[] = {"jaw", "free", "landed", "cloth"};
    struct options options = {.threads = 0, .seconds = 0.6, .from = -1, .scale = 1};
    bool sizes = false, named = false;
    printf(
        "case    elements substeps   CPU s/s  wall s/s real time detect%% elastic%%  Newtons products  lines  factors  "
        "residual       w h stiffness\n");
    for (int pass = 0; pass < 2; pass++) {
        for (int n = 1; n < count; n++) {
            if (strcmp(arguments[n], "--threads") == 0 && n + 1 < count) {
                options.threads = (uint32_t)atoi(arguments[++n]);
            } else if (strcmp(arguments[n], "--seconds") == 0 && n + 1 < count) {
                options.seconds = atof(arguments[++n]);
            } else if (strcmp(arguments[n], "--from") == 0 && n + 1 < count) {
                options.from = atof(arguments[++n]);
            } else if (strcmp(arguments[n], "--isa") == 0 && n + 1 < count) {
                const char *isa = arguments[++n];
                options.isa = strcmp(isa, "scalar") == 0 ? DENT_ISA_SCALAR
                              : strcmp(isa, "avx2") == 0 ? DENT_ISA_AVX2
                                                         : DENT_ISA_AVX512;
            } else if (strcmp(arguments[n], "--sizes") == 0) {
                sizes = true;
            } else if (pass == 1) {
                named = true;
                if (sizes) {
                    run_sizes(options, arguments[n]);
                } else {
                    run_case(&options, arguments[n]);
                }
            }
        }
    }
    for (int n = sizes ? 1 : 0; n < 4 && !named; n++) {
        if (sizes) {
            run_sizes(options, names[n]);
        } else {
            run_case(&options, names[n]);
        }
    }
    return 0;
}
