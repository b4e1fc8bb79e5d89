/* Point clouds: preparation, values, and decisions on two clouds of random points on spheres.
 *
 *   bench_cloud [points = 1000000] [threads = 1] [function = sphere-fit] [rounds = 5]
 *
 * Cases: far (boxes apart), near (boxes overlap, surfaces apart), touching (about 1 % of the points in the overlap),
 * deep (half a radius). Wall time, the median of the rounds; run it alone. 0 rounds: preparation only.
 *
 * The first preparations take memory that the process, and on virtual machines often the machine, has not used before:
 * it has to be made and cleared. A third cloud is prepared PREPARATIONS times after that, in memory that was used. */
#include <dent/cloud.h>

#include "sort_times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void die(dent_context *context, const char *what)
{
    char message[512];
    dent_context_message(context, message, sizeof message);
    fprintf(stderr, "%s: %s\n", what, message);
    exit(1);
}

static double *sphere_points(uint32_t count, uint64_t seed)
{
    double *xyz = malloc(3 * sizeof *xyz * count);
    dent_random random = dent_random_seeded(seed);
    for (uint32_t i = 0; i < count;) {
        double p[3], square = 0;
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = 2 * dent_random_unit(&random) - 1;
            square += p[axis] * p[axis];
        }
        if (square > 1e-4 && square <= 1) {
            for (int axis = 0; axis < 3; axis++) {
                xyz[3 * i + axis] = p[axis] / sqrt(square);
            }
            i++;
        }
    }
    return xyz;
}

static dent_cloud *prepare(dent_context *context, const double *xyz, uint32_t count)
{
    dent_cloud_def def = dent_cloud_def_default();
    dent_cloud *cloud = NULL;
    def.positions = dent_positions_double(xyz);
    def.point_count = count;
    if (dent_cloud_create(context, &def, &cloud)) {
        die(context, "create");
    }
    return cloud;
}

enum { PREPARATIONS = 5 };

static void time_preparation(dent_context *context, const double *xyz, uint32_t count)
{
    double times[PREPARATIONS];
    for (int i = 0; i <= PREPARATIONS; i++) { /* the first one warms up */
        dent_cloud *cloud = prepare(context, xyz, count);
        times[i ? i - 1 : 0] = 1e-6 * (double)dent_cloud_get_info(cloud).build_ns;
        dent_cloud_destroy(cloud);
    }
    sort_times(times, PREPARATIONS);
    printf("again    %.0f ms (%.0f to %.0f)\n", times[PREPARATIONS / 2], times[0], times[PREPARATIONS - 1]);
}

static void print_cloud(const dent_cloud *cloud)
{
    dent_cloud_info info = dent_cloud_get_info(cloud);
    printf("cloud    %u points, %.1f edges a point, spacing %.3g, radius %.3g, %u parts, %u isolated, %.0f bytes a "
           "point\n",
           info.points, 2.0 * (double)info.edges / info.points, info.spacing, info.radius, info.parts, info.isolated,
           (double)info.bytes / info.points);
}

static void time_values(const dent_cloud *cloud, const double *xyz, uint32_t count)
{
    enum { PLACES = 20000 };
    double *places = malloc(3 * sizeof *places * PLACES);
    dent_cloud_value *values = malloc(sizeof *values * PLACES);
    for (uint32_t i = 0; i < 3 * PLACES; i++) {
        places[i] = 1.0005 * xyz[(uint64_t)i / 3 * (count / PLACES ? count / PLACES : 1) % count * 3 + i % 3];
    }
    for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
        uint32_t used = function == DENT_CLOUD_GRAPH ? PLACES / 20 : PLACES;
        uint64_t start = dent_clock_ns();
        dent_cloud_evaluate(cloud, (dent_cloud_function)function, dent_positions_double(places), used, values);
        double us = 1e-3 * (double)(dent_clock_ns() - start) / used, support = 0;
        for (uint32_t i = 0; i < used; i++) {
            support += values[i].support / (double)used;
        }
        printf("value    %-11s %8.2f us, %.0f points\n",
               dent_cloud_function_get_info((dent_cloud_function)function)->name, us, support);
    }
    free(values);
    free(places);
}

static void time_search(dent_context *context, const dent_cloud *a, const dent_cloud *b, dent_cloud_function function,
                        const char *name, double shift, bool first_only, int rounds)
{
    dent_cloud_search_def def = dent_cloud_search_def_default();
    dent_cloud_search *search = NULL;
    dent_cloud_result result;
    double times[64];
    def.cloud_a = a;
    def.cloud_b = b;
    def.function = function;
    def.first_only = first_only;
    if (dent_cloud_search_create(context, &def, &search)) {
        die(context, "search");
    }
    dent_pose pose = dent_pose_identity();
    pose.translation[0] = shift;
    for (int round = 0; round <= rounds; round++) { /* the first one warms up */
        uint64_t start = dent_clock_ns();
        if (dent_cloud_search_begin(search, NULL, &pose, 1 + (uint64_t)round) ||
            dent_cloud_search_run(search, dent_budget_ns(INFINITY), &result)) {
            die(context, "run");
        }
        times[round ? round - 1 : 0] = 1e-6 * (double)(dent_clock_ns() - start);
    }
    sort_times(times, (size_t)rounds);
    printf("%-8s %-8s shift %.4f  %-7s %9.3f ms  near %llu %llu  points %u  miss %.2g  tests %llu  draws %llu of %llu  "
           "values %llu  rejected %llu\n",
           name, first_only ? "decision" : "curve", shift, dent_cloud_answer_name(result.answer), times[rounds / 2],
           (unsigned long long)result.near_a, (unsigned long long)result.near_b, result.point_count,
           result.miss_probability, (unsigned long long)result.bound_tests, (unsigned long long)result.draws,
           (unsigned long long)result.draws_planned, (unsigned long long)result.evaluations,
           (unsigned long long)result.rejected);
    dent_cloud_search_destroy(search);
}

int main(int argument_count, char **arguments)
{
    uint32_t count = argument_count > 1 ? (uint32_t)strtoul(arguments[1], NULL, 10) : 1000000;
    dent_context_def def = dent_context_def_default();
    def.thread_count = argument_count > 2 ? (uint32_t)strtoul(arguments[2], NULL, 10) : 1;
    dent_cloud_function function = DENT_CLOUD_SPHERE_FIT;
    for (int i = 0; argument_count > 3 && i < DENT_CLOUD_FUNCTION_COUNT; i++) {
        if (!strcmp(dent_cloud_function_get_info((dent_cloud_function)i)->name, arguments[3])) {
            function = (dent_cloud_function)i;
        }
    }
    int rounds = argument_count > 4 ? atoi(arguments[4]) : 5;
    rounds = rounds < 0 ? 0 : rounds > 60 ? 60 : rounds; /* 0: preparation only */
    dent_context *context = dent_context_create(&def, NULL);
    double *xyz_a = sphere_points(count, 1), *xyz_b = sphere_points(count, 2);
    dent_cloud *a = prepare(context, xyz_a, count);
    double times[2] = {1e-6 * (double)dent_cloud_get_info(a).build_ns, 0};
    dent_cloud *b = prepare(context, xyz_b, count);
    times[1] = 1e-6 * (double)dent_cloud_get_info(b).build_ns;
    printf("prepare  %.0f and %.0f ms, %u threads, %s\n", times[0], times[1], def.thread_count,
           dent_isa_name(dent_context_isa(context)));
    time_preparation(context, xyz_a, count);
    print_cloud(a);
    if (rounds > 0) {
        time_values(a, xyz_a, count);
    }
    for (int all = 0; all < 2 && rounds > 0; all++) {
        time_search(context, a, b, function, "far", 2.5, !all, rounds);
        time_search(context, a, b, function, "near", 2.02, !all, rounds);
        time_search(context, a, b, function, "touching", 1.96, !all, rounds); /* caps of 1 % of the area: height 0.02 */
        time_search(context, a, b, function, "deep", 0.5, !all, rounds);
    }
    dent_cloud_destroy(a);
    dent_cloud_destroy(b);
    free(xyz_a);
    free(xyz_b);
    dent_context_destroy(context);
    return 0;
}
