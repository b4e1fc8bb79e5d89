/* How much exactness costs: the naive determinant, the exact orientation, and the predicates built from it, in
 * nanoseconds.
 *
 * Rows are measured in turns, so that a busy machine disturbs all alike; each figure is the median of the turns,
 * with the quartiles. Inputs are arrays of random points, all in cache. Usage: bench_predicates [turns]
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#include <dent/base.h>

#include "geometry/predicates/orientation_predicates.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"
#include "geometry/predicates/union_predicates.h"
#include "geometry/predicates/winding_number.h"
#include "sort_times.h"

enum { POINTS = 4096, CALLS = 16384, TURNS_MAX = 201 };

/* One set of points; record k uses the points from k on, eight at a time. */
struct input {
    double points[POINTS + 8][3];
};

static int naive_orientation(const double a[3], const double b[3], const double c[3], const double d[3])
{
    double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
    double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
    double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
    double determinant = bx * (cy * dz - cz * dy) + cx * (dy * bz - dz * by) + dx * (by * cz - bz * cy);
    return (determinant > 0.0) - (determinant < 0.0);
}

typedef int64_t measured_function(const struct input *input, predicate_counters *counters);

static int64_t run_naive(const struct input *input, predicate_counters *counters)
{
    (void)counters;
    int64_t sum = 0;
    for (int n = 0; n < CALLS; n++) {
        const double(*p)[3] = &input->points[n % POINTS];
        sum += naive_orientation(p[0], p[1], p[2], p[3]);
    }
    return sum;
}

static int64_t run_exact(const struct input *input, predicate_counters *counters)
{
    int64_t sum = 0;
    for (int n = 0; n < CALLS; n++) {
        const double(*p)[3] = &input->points[n % POINTS];
        sum += orientation_3d_counted(p[0], p[1], p[2], p[3], counters);
    }
    return sum;
}

static int64_t run_vertex_in_tetrahedron(const struct input *input, predicate_counters *counters)
{
    int64_t sum = 0;
    for (int n = 0; n < CALLS; n++) {
        const double(*p)[3] = &input->points[n % POINTS];
        sum += vertex_in_tetrahedron(p[0], p[1], p[2], p[3], p[4], counters);
    }
    return sum;
}

static int64_t run_triangle_triangle(const struct input *input, predicate_counters *counters)
{
    int64_t sum = 0;
    for (int n = 0; n < CALLS; n++) {
        const double(*p)[3] = &input->points[n % POINTS];
        const double *const a[3] = {p[0], p[1], p[2]}, *const b[3] = {p[3], p[4], p[5]};
        sum += triangle_versus_triangle(a, b, counters);
    }
    return sum;
}

static int64_t run_triangle_tetrahedron(const struct input *input, predicate_counters *counters)
{
    int64_t sum = 0;
    for (int n = 0; n < CALLS; n++) {
        const double(*p)[3] = &input->points[n % POINTS];
        const double *const a[3] = {p[0], p[1], p[2]}, *const b[4] = {p[3], p[4], p[5], p[6]};
        sum += triangle_meets_open_tetrahedron(a, b, counters);
    }
    return sum;
}

static int64_t run_triangle_tetrahedron_touching(const struct input *input, predicate_counters *counters)
{
    int64_t sum = 0;
    for (int n = 0; n < CALLS; n++) {
        const double(*p)[3] = &input->points[n % POINTS];
        const double *const a[3] = {p[0], p[1], p[2]}, *const b[4] = {p[3], p[4], p[5], p[6]};
        sum += triangle_versus_tetrahedron(a, b, counters);
    }
    return sum;
}

static int64_t run_tetrahedra(const struct input *input, predicate_counters *counters)
{
    int64_t sum = 0;
    for (int n = 0; n < CALLS; n++) {
        const double(*p)[3] = &input->points[n % POINTS];
        const double *const a[4] = {p[0], p[1], p[2], p[3]}, *const b[4] = {p[4], p[5], p[6], p[7]};
        sum += tetrahedra_interiors_meet(a, b, counters);
    }
    return sum;
}

static int64_t run_barycentric(const struct input *input, predicate_counters *counters)
{
    (void)counters;
    double sum = 0.0;
    for (int n = 0; n < CALLS; n++) {
        const double(*p)[3] = &input->points[n % POINTS];
        const double *const t[4] = {p[1], p[2], p[3], p[4]};
        double out[4];
        barycentric_coordinates(p[0], t, out);
        sum += out[0];
    }
    return (int64_t)sum;
}

/* A point near the middle of a cell split into two tetrahedra, often exactly on the face between them. */
static int64_t run_union_point(const struct input *input, predicate_counters *counters)
{
    int64_t sum = 0;
    for (int n = 0; n < CALLS; n++) {
        const double(*p)[3] = &input->points[n % POINTS];
        const double *const t[2][4] = {{p[1], p[2], p[3], p[4]}, {p[1], p[3], p[2], p[5]}};
        sum += point_versus_tetrahedra_union(p[0], t, 2, counters);
    }
    return sum;
}

static void fill_uniform(struct input *input)
{
    dent_random random = dent_random_seeded(1);
    for (int n = 0; n < POINTS + 8; n++) {
        for (int axis = 0; axis < 3; axis++) {
            input->points[n][axis] = 2.0 * dent_random_unit(&random) - 1.0;
        }
    }
}

/* Full mantissas within rounding of one tilted plane: every orientation is close to zero, few are zero. */
static void fill_near_plane(struct input *input)
{
    fill_uniform(input);
    for (int n = 0; n < POINTS + 8; n++) {
        double *p = input->points[n];
        p[2] = 0.3 * p[0] + 0.6 * p[1];
    }
}

/* Exactly in the plane x + y + z = 0, coordinates of a grid. */
static void fill_tilted_grid(struct input *input)
{
    dent_random random = dent_random_seeded(2);
    for (int n = 0; n < POINTS + 8; n++) {
        double *p = input->points[n];
        p[0] = (int)dent_random_below(&random, 2001) - 1000;
        p[1] = (int)dent_random_below(&random, 2001) - 1000;
        p[2] = -(p[0] + p[1]);
    }
}

/* Exactly in an axis plane. */
static void fill_flat_grid(struct input *input)
{
    fill_uniform(input);
    for (int n = 0; n < POINTS + 8; n++) {
        input->points[n][2] = 0.1;
    }
}

/* Exponents too far apart for 64-bit integers. */
static void fill_wide_exponents(struct input *input)
{
    fill_near_plane(input);
    for (int n = 0; n < POINTS + 8; n += 2) {
        input->points[n][0] *= 0x1p-40;
        input->points[n][1] *= 0x1p-40;
        input->points[n][2] *= 0x1p-40;
    }
}

/* Corners of a small lattice: many points on faces, edges and corners. */
static void fill_lattice(struct input *input)
{
    dent_random random = dent_random_seeded(3);
    for (int n = 0; n < POINTS + 8; n++) {
        for (int axis = 0; axis < 3; axis++) {
            input->points[n][axis] = dent_random_below(&random, 4);
        }
    }
}

struct row {
    const char *name;
    measured_function *function;
    void (*fill)(struct input *input);
};

static const struct row rows[] = {
    {"naive determinant, random", run_naive, fill_uniform},
    {"orientation, random", run_exact, fill_uniform},
    {"orientation, in rounded plane", run_exact, fill_near_plane},
    {"orientation, in tilted grid plane", run_exact, fill_tilted_grid},
    {"orientation, in axis plane", run_exact, fill_flat_grid},
    {"orientation, exponents 40 apart", run_exact, fill_wide_exponents},
    {"orientation, small lattice", run_exact, fill_lattice},
    {"vertex in tetrahedron, random", run_vertex_in_tetrahedron, fill_uniform},
    {"vertex in tetrahedron, lattice", run_vertex_in_tetrahedron, fill_lattice},
    {"triangle triangle, random", run_triangle_triangle, fill_uniform},
    {"triangle triangle, tilted grid", run_triangle_triangle, fill_tilted_grid},
    {"triangle triangle, axis plane", run_triangle_triangle, fill_flat_grid},
    {"triangle triangle, lattice", run_triangle_triangle, fill_lattice},
    {"triangle open tetrahedron, random", run_triangle_tetrahedron, fill_uniform},
    {"triangle open tetrahedron, lattice", run_triangle_tetrahedron, fill_lattice},
    {"triangle tetrahedron touching, random", run_triangle_tetrahedron_touching, fill_uniform},
    {"triangle tetrahedron touching, lattice", run_triangle_tetrahedron_touching, fill_lattice},
    {"tetrahedra, random", run_tetrahedra, fill_uniform},
    {"tetrahedra, lattice", run_tetrahedra, fill_lattice},
    {"barycentric coordinates, random", run_barycentric, fill_uniform},
    {"point in union of two, lattice", run_union_point, fill_lattice},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

int main(int argument_count, char **arguments)
{
    int turns = argument_count > 1 ? atoi(arguments[1]) : 31;
    turns = turns < 1 ? 1 : turns > TURNS_MAX ? TURNS_MAX : turns;
    static struct input inputs[ROWS];
    static double times[ROWS][TURNS_MAX];
    predicate_counters counters[ROWS] = {{0}};
    int64_t checksum = 0;
    for (int row = 0; row < ROWS; row++) {
        rows[row].fill(&inputs[row]);
    }
    for (int turn = -1; turn < turns; turn++) { /* the first turn warms up and is not kept */
        for (int row = 0; row < ROWS; row++) {
            counters[row].exact_fallbacks = 0;
            uint64_t start = dent_clock_ns();
            checksum += rows[row].function(&inputs[row], &counters[row]);
            uint64_t end = dent_clock_ns();
            if (turn >= 0) {
                times[row][turn] = (double)(end - start) / CALLS;
            }
        }
    }
    printf("%-40s %10s %18s %16s\n", "", "median ns", "quartiles ns", "by integers");
    double medians[ROWS];
    for (int row = 0; row < ROWS; row++) {
        sort_times(times[row], (size_t)turns);
        medians[row] = times[row][turns / 2];
        printf("%-40s %10.2f %8.2f .. %6.2f %12.6f / call\n", rows[row].name, medians[row], times[row][turns / 4],
               times[row][turns - 1 - turns / 4], (double)counters[row].exact_fallbacks / CALLS);
    }
    printf("exact orientation / naive determinant on random input: %.2f\n", medians[1] / medians[0]);
    printf("checksum %" PRId64 "\n", checksum);
    return 0;
}
