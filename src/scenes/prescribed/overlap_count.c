/* Vertices inside tetrahedra by a grid of points: the sampled vertices are sorted into a dense grid, then all cells of
 * all bodies pass by, each looking into the grid boxes that its bounds meet. This is the first pass of the
 * spatial-hashing paper turned round (Teschner et al.: Optimized Spatial Hashing for Collision Detection of Deformable
 * Objects, 2003): points are few and are stored, tetrahedra are many and are only streamed. */
#include "overlap_count.h"

#include "base/containers/heap_sort.h"

#include <string.h>

struct point_grid {
    double low[3], per_cell[3]; /* cells per unit of length */
    uint32_t counts[3];
};

dent_status overlap_counter_create(struct overlap_counter *counter, const dent_scene *scene, uint32_t most_samples)
{
    dent_context *context = scene->context;
    *counter = (struct overlap_counter){.scene = scene};
    uint64_t vertex_count = 0;
    for (uint32_t b = 0; b < scene->body_count; b++) {
        vertex_count += scene->bodies[b].vertex_count;
    }
    counter->vertex_count = (uint32_t)vertex_count;
    counter->stride = counter->vertex_count / most_samples + 1;
    counter->sample_count = (counter->vertex_count + counter->stride - 1) / counter->stride;
    counter->cell_capacity = 2 * counter->sample_count + 64;
    counter->positions = dent_allocate(context, counter->vertex_count, 3 * sizeof *counter->positions);
    counter->samples = dent_allocate(context, counter->sample_count, sizeof *counter->samples);
    counter->sample_cells = dent_allocate(context, counter->sample_count, sizeof *counter->sample_cells);
    counter->inside = dent_allocate(context, counter->sample_count, sizeof *counter->inside);
    counter->cell_starts = dent_allocate(context, (size_t)counter->cell_capacity + 1, sizeof *counter->cell_starts);
    if (counter->positions && counter->samples && counter->sample_cells && counter->inside && counter->cell_starts) {
        return DENT_OK;
    }
    overlap_counter_destroy(counter);
    return scene_out_of_memory(scene);
}

void overlap_counter_destroy(struct overlap_counter *counter)
{
    dent_context *context = counter->scene->context;
    dent_release(context, counter->positions, counter->vertex_count, 3 * sizeof *counter->positions);
    dent_release(context, counter->samples, counter->sample_count, sizeof *counter->samples);
    dent_release(context, counter->sample_cells, counter->sample_count, sizeof *counter->sample_cells);
    dent_release(context, counter->inside, counter->sample_count, sizeof *counter->inside);
    dent_release(context, counter->cell_starts, (size_t)counter->cell_capacity + 1, sizeof *counter->cell_starts);
}

/* A grid over the bounds of all positions with about as many cells as there are samples, as cubic as whole numbers
 * allow. */
static struct point_grid make_grid(const struct overlap_counter *counter)
{
    struct point_grid grid;
    double high[3];
    for (int axis = 0; axis < 3; axis++) {
        grid.low[axis] = high[axis] = counter->positions[axis];
    }
    for (size_t v = 0; v < counter->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            double x = counter->positions[3 * v + axis];
            grid.low[axis] = x < grid.low[axis] ? x : grid.low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
    }
    double longest = 0;
    for (int axis = 0; axis < 3; axis++) {
        longest = high[axis] - grid.low[axis] > longest ? high[axis] - grid.low[axis] : longest;
    }
    /* The finest grid of cubes that fits: the edge shrinks from the whole box until the next step would be too many. */
    double edge = longest > 0 ? longest : 1;
    for (;;) {
        double cells = 1;
        for (int axis = 0; axis < 3; axis++) {
            cells *= (double)(uint32_t)((high[axis] - grid.low[axis]) / edge) + 1;
        }
        if (cells > counter->cell_capacity) {
            edge *= 1.0625;
            break;
        }
        edge /= 1.0625;
    }
    for (int axis = 0; axis < 3; axis++) {
        grid.counts[axis] = (uint32_t)((high[axis] - grid.low[axis]) / edge) + 1;
        grid.per_cell[axis] = 1 / edge;
    }
    return grid;
}

static uint32_t grid_place(const struct point_grid *grid, int axis, double x)
{
    double place = (x - grid->low[axis]) * grid->per_cell[axis];
    uint32_t last = grid->counts[axis] - 1;
    return place <= 0 ? 0 : place >= last ? last : (uint32_t)place;
}

/* One vertex out of each `stride`, not always the same one: an even stride could fall in step with the rows of a
 * lattice. */
static uint32_t sample_vertex(const struct overlap_counter *counter, uint32_t sample)
{
    uint32_t mixed = (sample + 1) * UINT32_C(2654435769);
    uint32_t vertex = sample * counter->stride + (mixed >> 16) % counter->stride;
    return vertex < counter->vertex_count ? vertex : counter->vertex_count - 1;
}

static double sample_x(const struct overlap_counter *counter, uint32_t place)
{
    return counter->positions[3 * (size_t)sample_vertex(counter, counter->samples[place])];
}

static bool x_before(const void *a, const void *b, const void *data)
{
    const struct overlap_counter *counter = data;
    return counter->positions[3 * (size_t)sample_vertex(counter, *(const uint32_t *)a)] <
           counter->positions[3 * (size_t)sample_vertex(counter, *(const uint32_t *)b)];
}

/* Counting sort of the samples by grid cell, then by x in each: along x, a row of cells is sorted from end to end. */
static void fill_grid(struct overlap_counter *counter, const struct point_grid *grid)
{
    uint32_t cell_count = grid->counts[0] * grid->counts[1] * grid->counts[2];
    memset(counter->cell_starts, 0, ((size_t)cell_count + 1) * sizeof *counter->cell_starts);
    for (uint32_t s = 0; s < counter->sample_count; s++) {
        const double *p = counter->positions + 3 * (size_t)sample_vertex(counter, s);
        uint32_t cell = (grid_place(grid, 2, p[2]) * grid->counts[1] + grid_place(grid, 1, p[1])) * grid->counts[0] +
                        grid_place(grid, 0, p[0]);
        counter->sample_cells[s] = cell;
        counter->cell_starts[cell]++;
    }
    uint32_t sum = 0;
    for (uint32_t cell = 0; cell <= cell_count; cell++) {
        sum += counter->cell_starts[cell];
        counter->cell_starts[cell] = sum; /* the end; lowered to the start below */
    }
    for (uint32_t s = counter->sample_count; s-- > 0;) {
        counter->samples[--counter->cell_starts[counter->sample_cells[s]]] = s;
    }
    for (uint32_t cell = 0; cell < cell_count; cell++) {
        uint32_t begin = counter->cell_starts[cell], end = counter->cell_starts[cell + 1];
        heap_sort(counter->samples + begin, end - begin, sizeof *counter->samples, x_before, counter);
    }
}

static double determinant(const double *a, const double *b, const double *c, const double *d)
{
    double bx = b[0] - a[0], by = b[1] - a[1], bz = b[2] - a[2];
    double cx = c[0] - a[0], cy = c[1] - a[1], cz = c[2] - a[2];
    double dx = d[0] - a[0], dy = d[1] - a[1], dz = d[2] - a[2];
    return (bx * (cy * dz - cz * dy) + by * (cz * dx - cx * dz)) + bz * (cx * dy - cy * dx);
}

static bool strictly_inside(const double *p, const double *const corner[4])
{
    double s0 = determinant(p, corner[1], corner[2], corner[3]);
    double s1 = determinant(corner[0], p, corner[2], corner[3]);
    double s2 = determinant(corner[0], corner[1], p, corner[3]);
    double s3 = determinant(corner[0], corner[1], corner[2], p);
    return (s0 > 0 && s1 > 0 && s2 > 0 && s3 > 0) || (s0 < 0 && s1 < 0 && s2 < 0 && s3 < 0);
}

/* The first place of a sorted run whose x is above `low`. */
static uint32_t first_above(const struct overlap_counter *counter, uint32_t begin, uint32_t end, double low)
{
    while (begin < end) {
        uint32_t middle = begin + (end - begin) / 2;
        if (sample_x(counter, middle) <= low) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

/* One row of grid cells against one tetrahedron. */
static void test_samples(struct overlap_counter *counter, uint32_t begin, uint32_t end, const uint32_t vertices[4],
                         const double *const corner[4], const double low[3], const double high[3])
{
    for (uint32_t i = first_above(counter, begin, end, low[0]); i < end; i++) {
        uint32_t sample = counter->samples[i];
        uint32_t vertex = sample_vertex(counter, sample);
        const double *p = counter->positions + 3 * (size_t)vertex;
        if (p[0] >= high[0]) {
            break;
        }
        if (counter->inside[sample] || p[1] <= low[1] || p[1] >= high[1] || p[2] <= low[2] || p[2] >= high[2] ||
            vertex == vertices[0] || vertex == vertices[1] || vertex == vertices[2] || vertex == vertices[3]) {
            continue;
        }
        counter->inside[sample] = strictly_inside(p, corner);
    }
}

static void test_tetrahedron(struct overlap_counter *counter, const struct point_grid *grid, const uint32_t vertices[4])
{
    const double *corner[4];
    for (int c = 0; c < 4; c++) {
        corner[c] = counter->positions + 3 * (size_t)vertices[c];
    }
    double low[3], high[3];
    uint32_t first[3], last[3];
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = corner[0][axis];
        for (int c = 1; c < 4; c++) {
            low[axis] = corner[c][axis] < low[axis] ? corner[c][axis] : low[axis];
            high[axis] = corner[c][axis] > high[axis] ? corner[c][axis] : high[axis];
        }
        first[axis] = grid_place(grid, axis, low[axis]);
        last[axis] = grid_place(grid, axis, high[axis]);
    }
    for (uint32_t k = first[2]; k <= last[2]; k++) {
        for (uint32_t j = first[1]; j <= last[1]; j++) {
            /* Cells of a row lie one after the other: one run of samples. */
            uint32_t row = (k * grid->counts[1] + j) * grid->counts[0];
            uint32_t begin = counter->cell_starts[row + first[0]];
            uint32_t end = counter->cell_starts[row + last[0] + 1];
            if (begin < end) {
                test_samples(counter, begin, end, vertices, corner, low, high);
            }
        }
    }
}

double overlap_counter_share(struct overlap_counter *counter, uint32_t frame)
{
    const dent_scene *scene = counter->scene;
    size_t offset = 0;
    for (uint32_t b = 0; b < scene->body_count; b++) {
        scene->row->pose(scene, b, frame, counter->positions + 3 * offset);
        offset += scene->bodies[b].vertex_count;
    }
    struct point_grid grid = make_grid(counter);
    fill_grid(counter, &grid);
    memset(counter->inside, 0, counter->sample_count);
    uint32_t base = 0;
    for (uint32_t b = 0; b < scene->body_count; b++) {
        const dent_scene_body *body = &scene->bodies[b];
        for (size_t t = 0; t < body->element_count; t++) {
            const uint32_t *local = body->element_corners + 4 * t;
            uint32_t vertices[4] = {base + local[0], base + local[1], base + local[2], base + local[3]};
            test_tetrahedron(counter, &grid, vertices);
        }
        base += body->vertex_count;
    }
    uint32_t count = 0;
    for (uint32_t s = 0; s < counter->sample_count; s++) {
        count += counter->inside[s];
    }
    return (double)count / counter->sample_count;
}
