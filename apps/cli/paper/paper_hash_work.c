/* paper_hash_work.c — cells per element, elements per cell and hash clashes of one step.
 *
 * The method's own counters tell how many cells were visited and how many vertices were found there. How many of these
 * truly lie in the cells visited does not depend on the table: the vertices are sorted by grid cell, and each
 * tetrahedron looks its cells up. What the method found beyond that are clashes. */
#include "paper_hash_work.h"

#include "tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The grid cell in 21 bits an axis; scenes are far smaller. */
enum { AXIS_BITS = 21, AXIS_MIDDLE = 1 << 20 };

static uint64_t axis_number(double coordinate, double cell_size)
{
    double number = floor(coordinate / cell_size);
    number = number > -AXIS_MIDDLE ? number : -AXIS_MIDDLE;
    number = number < AXIS_MIDDLE - 1 ? number : AXIS_MIDDLE - 1;
    return (uint64_t)((int64_t)number + AXIS_MIDDLE);
}

static uint64_t cell_key(const uint64_t numbers[3])
{
    return (numbers[2] << AXIS_BITS | numbers[1]) << AXIS_BITS | numbers[0];
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* How many keys are below `key`. */
static size_t count_below(const uint64_t *keys, size_t count, uint64_t key)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (keys[middle] < key) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Vertices that lie in the cells one tetrahedron visits. */
static uint64_t vertices_near(const bench_scene *scene, const uint32_t corners[4], double cell_size,
                              const uint64_t *keys)
{
    uint64_t first[3], last[3], found = 0, cells = 1;
    for (int axis = 0; axis < 3; axis++) {
        double low = INFINITY, high = -INFINITY;
        for (int corner = 0; corner < 4; corner++) {
            double x = scene->positions[3 * (size_t)corners[corner] + (size_t)axis];
            low = x < low ? x : low;
            high = x > high ? x : high;
        }
        first[axis] = axis_number(low, cell_size);
        last[axis] = axis_number(high, cell_size);
        cells *= last[axis] - first[axis] + 1;
    }
    if (cells > scene->used_count) {
        return scene->used_count; /* the plain form goes through all vertices instead */
    }
    for (uint64_t z = first[2]; z <= last[2]; z++) {
        for (uint64_t y = first[1]; y <= last[1]; y++) { /* the cells of a row follow one another */
            const uint64_t begin[3] = {first[0], y, z}, end[3] = {last[0], y, z};
            found += count_below(keys, scene->used_count, cell_key(end) + 1) -
                     count_below(keys, scene->used_count, cell_key(begin));
        }
    }
    return found;
}

/* Over all tetrahedra; below 0: no memory. */
static double true_finds(const bench_scene *scene, double cell_size)
{
    uint64_t *keys = dent_allocate(scene->context, scene->used_count, sizeof *keys);
    if (keys == NULL) {
        return -1;
    }
    for (uint32_t i = 0; i < scene->used_count; i++) {
        uint64_t numbers[3];
        for (int axis = 0; axis < 3; axis++) {
            numbers[axis] =
                axis_number(scene->positions[3 * (size_t)scene->used_vertices[i] + (size_t)axis], cell_size);
        }
        keys[i] = cell_key(numbers);
    }
    qsort(keys, scene->used_count, sizeof *keys, compare_keys);
    double found = 0;
    for (uint32_t cell = 0; cell < scene->cell_count; cell++) {
        found += (double)vertices_near(scene, scene->cells[cell], cell_size, keys);
    }
    dent_release(scene->context, keys, scene->used_count, sizeof *keys);
    return found;
}

int count_hash_work(paper_run *run, bench_scene *scene, const paper_method *method, double cell_size, hash_work *work)
{
    paper_method asked = *method;
    paper_stage stage;
    double milliseconds;
    uint64_t pairs;
    if (cell_size > 0) {
        asked.spatial_hash.cell_size = cell_size;
    }
    int status = paper_stage_open(run, scene, DENT_QUESTION_VERTEX_CELL, &asked, &stage);
    if (status != STATUS_GOOD) {
        return status;
    }
    status = paper_stage_step(&stage, &milliseconds, &pairs);
    double visited = (double)stage.counters.cells_visited, looked_at = (double)stage.counters.box_tests;
    paper_stage_close(&stage);
    if (status != STATUS_GOOD) {
        return status;
    }
    double true_ones = cell_size > 0 ? true_finds(scene, cell_size) : NAN;
    if (true_ones < 0) {
        return complain("paper: out of memory");
    }
    work->cells_per_element = scene->cell_count > 0 ? visited / scene->cell_count : NAN;
    work->elements_per_cell = visited > 0 ? looked_at / visited : NAN;
    work->clash_ratio = looked_at > 0 ? (looked_at - true_ones) / looked_at : NAN;
    return STATUS_GOOD;
}
