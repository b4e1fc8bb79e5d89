/* See support_counting.h. */
#include "scenes/support_counting.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- joining ----------------------------------------------------------------------------------------------------- */

struct joined_scene join_scene(const dent_scene *scene)
{
    struct joined_scene joined = {0};
    for (uint32_t b = 0; b < dent_scene_body_count(scene); b++) {
        const dent_scene_body *body = dent_scene_body_at(scene, b);
        joined.vertex_count += body->vertex_count;
        joined.element_count += body->element_count;
        joined.corner_count = dent_body_kind_get_info(body->kind)->corner_count;
    }
    joined.corners = malloc((size_t)joined.element_count * joined.corner_count * sizeof *joined.corners);
    joined.body_of_element = malloc(joined.element_count * sizeof *joined.body_of_element);
    joined.positions = malloc(3 * (size_t)joined.vertex_count * sizeof *joined.positions);
    assert(joined.corners && joined.body_of_element && joined.positions);
    uint32_t base = 0, element = 0;
    for (uint32_t b = 0; b < dent_scene_body_count(scene); b++) {
        const dent_scene_body *body = dent_scene_body_at(scene, b);
        for (uint32_t e = 0; e < body->element_count; e++, element++) {
            for (uint32_t c = 0; c < joined.corner_count; c++) {
                uint32_t own = dent_body_kind_get_info(body->kind)->corner_count; /* of mixed scenes the first ones */
                joined.corners[(size_t)joined.corner_count * element + c] =
                    base + body->element_corners[(size_t)own * e + (c < own ? c : 0)];
            }
            joined.body_of_element[element] = b;
        }
        base += body->vertex_count;
    }
    return joined;
}

void pose_joined(const dent_scene *scene, uint32_t frame, struct joined_scene *joined)
{
    size_t base = 0;
    for (uint32_t b = 0; b < dent_scene_body_count(scene); b++) {
        dent_scene_positions(scene, b, frame, joined->positions + 3 * base);
        base += dent_scene_body_at(scene, b)->vertex_count;
    }
}

void free_joined(struct joined_scene *joined)
{
    free(joined->corners);
    free(joined->body_of_element);
    free(joined->positions);
}

/* ---- determinants ------------------------------------------------------------------------------------------------ */

static double det(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

double smallest_determinant(const struct joined_scene *joined)
{
    double smallest = INFINITY;
    for (size_t e = 0; e < joined->element_count; e++) {
        const uint32_t *q = joined->corners + 4 * e;
        const double *p = joined->positions;
        double d = det(p + 3 * (size_t)q[0], p + 3 * (size_t)q[1], p + 3 * (size_t)q[2], p + 3 * (size_t)q[3]);
        smallest = d < smallest ? d : smallest;
    }
    return smallest;
}

/* ---- a grid of element boxes ------------------------------------------------------------------------------------- */

struct box_grid {
    double low[3], edge;
    int64_t counts[3];
    uint32_t *starts, *elements;
};

static void element_box(const struct joined_scene *joined, uint32_t element, double low[3], double high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = INFINITY;
        high[axis] = -INFINITY;
        for (uint32_t c = 0; c < joined->corner_count; c++) {
            double x =
                joined->positions[3 * (size_t)joined->corners[(size_t)joined->corner_count * element + c] + axis];
            low[axis] = x < low[axis] ? x : low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
    }
}

static int64_t cell_of(const struct box_grid *grid, int axis, double x)
{
    int64_t cell = (int64_t)floor((x - grid->low[axis]) / grid->edge);
    return cell < 0 ? 0 : cell >= grid->counts[axis] ? grid->counts[axis] - 1 : cell;
}

/* Every element is entered in all cells its box meets; `phase` 0 counts, 1 enters. */
static void enter_boxes(const struct joined_scene *joined, struct box_grid *grid, int phase)
{
    for (uint32_t e = 0; e < joined->element_count; e++) {
        double low[3], high[3];
        element_box(joined, e, low, high);
        for (int64_t k = cell_of(grid, 2, low[2]); k <= cell_of(grid, 2, high[2]); k++) {
            for (int64_t j = cell_of(grid, 1, low[1]); j <= cell_of(grid, 1, high[1]); j++) {
                for (int64_t i = cell_of(grid, 0, low[0]); i <= cell_of(grid, 0, high[0]); i++) {
                    size_t cell = (size_t)((k * grid->counts[1] + j) * grid->counts[0] + i);
                    if (phase == 0) {
                        grid->starts[cell + 1]++;
                    } else {
                        grid->elements[grid->starts[cell]++] = e;
                    }
                }
            }
        }
    }
}

static struct box_grid make_box_grid(const struct joined_scene *joined)
{
    struct box_grid grid;
    double high[3], mean = 0;
    for (int axis = 0; axis < 3; axis++) {
        grid.low[axis] = INFINITY;
        high[axis] = -INFINITY;
        for (size_t v = 0; v < joined->vertex_count; v++) {
            double x = joined->positions[3 * v + axis];
            grid.low[axis] = x < grid.low[axis] ? x : grid.low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
    }
    for (uint32_t e = 0; e < joined->element_count; e++) {
        double box_low[3], box_high[3];
        element_box(joined, e, box_low, box_high);
        mean += (box_high[0] - box_low[0] + box_high[1] - box_low[1] + box_high[2] - box_low[2]) / 3;
    }
    grid.edge = 1.2 * mean / joined->element_count;
    double most = 8.0 * joined->element_count + 1000;
    double cells;
    do {
        cells = 1;
        for (int axis = 0; axis < 3; axis++) {
            grid.counts[axis] = (int64_t)((high[axis] - grid.low[axis]) / grid.edge) + 1;
            cells *= (double)grid.counts[axis];
        }
        grid.edge *= 1.2;
    } while (cells > most);
    grid.edge /= 1.2;
    size_t cell_count = (size_t)cells;
    grid.starts = calloc(cell_count + 2, sizeof *grid.starts);
    assert(grid.starts);
    enter_boxes(joined, &grid, 0);
    for (size_t c = 0; c < cell_count; c++) {
        grid.starts[c + 1] += grid.starts[c];
    }
    grid.elements = malloc(((size_t)grid.starts[cell_count] + 1) * sizeof *grid.elements);
    assert(grid.elements);
    enter_boxes(joined, &grid, 1);
    memmove(grid.starts + 1, grid.starts, cell_count * sizeof *grid.starts);
    grid.starts[0] = 0;
    return grid;
}

/* ---- vertices inside cells --------------------------------------------------------------------------------------- */

static int inside_cell(const struct joined_scene *joined, uint32_t vertex, uint32_t element)
{
    const uint32_t *q = joined->corners + 4 * (size_t)element;
    const double *x = joined->positions + 3 * (size_t)vertex;
    const double *p[4];
    for (int c = 0; c < 4; c++) {
        if (q[c] == vertex) {
            return 0;
        }
        p[c] = joined->positions + 3 * (size_t)q[c];
    }
    double sign = det(p[0], p[1], p[2], p[3]) < 0 ? -1 : 1;
    return sign * det(x, p[1], p[2], p[3]) > 0 && sign * det(p[0], x, p[2], p[3]) > 0 &&
           sign * det(p[0], p[1], x, p[3]) > 0 && sign * det(p[0], p[1], p[2], x) > 0;
}

uint32_t count_vertices_inside(const struct joined_scene *joined)
{
    struct box_grid grid = make_box_grid(joined);
    uint32_t count = 0;
    for (uint32_t v = 0; v < joined->vertex_count; v++) {
        const double *p = joined->positions + 3 * (size_t)v;
        size_t cell = (size_t)((cell_of(&grid, 2, p[2]) * grid.counts[1] + cell_of(&grid, 1, p[1])) * grid.counts[0] +
                               cell_of(&grid, 0, p[0]));
        int found = 0;
        for (uint32_t i = grid.starts[cell]; i < grid.starts[cell + 1] && !found; i++) {
            found = inside_cell(joined, v, grid.elements[i]);
        }
        count += (uint32_t)found;
    }
    free(grid.starts);
    free(grid.elements);
    return count;
}

/* ---- crossing triangles ------------------------------------------------------------------------------------------ */

/* Does the segment pq pass through the interior of triangle abc? */
static int segment_pierces(const double *p, const double *q, const double *a, const double *b, const double *c)
{
    double sp = det(a, b, c, p), sq = det(a, b, c, q);
    if (!((sp > 0 && sq < 0) || (sp < 0 && sq > 0))) {
        return 0;
    }
    double s0 = det(p, q, a, b), s1 = det(p, q, b, c), s2 = det(p, q, c, a);
    return (s0 > 0 && s1 > 0 && s2 > 0) || (s0 < 0 && s1 < 0 && s2 < 0);
}

static int triangles_cross(const struct joined_scene *joined, uint32_t t0, uint32_t t1)
{
    const uint32_t *a = joined->corners + 3 * (size_t)t0, *b = joined->corners + 3 * (size_t)t1;
    const double *pa[3], *pb[3];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            if (a[i] == b[j]) {
                return 0;
            }
        }
        pa[i] = joined->positions + 3 * (size_t)a[i];
        pb[i] = joined->positions + 3 * (size_t)b[i];
    }
    for (int i = 0; i < 3; i++) {
        if (segment_pierces(pa[i], pa[(i + 1) % 3], pb[0], pb[1], pb[2]) ||
            segment_pierces(pb[i], pb[(i + 1) % 3], pa[0], pa[1], pa[2])) {
            return 1;
        }
    }
    return 0;
}

/* A pair is judged in one cell only: the one that holds the lower corner of the common part of the two boxes. */
static int judged_here(const struct joined_scene *joined, const struct box_grid *grid, size_t cell, uint32_t t0,
                       uint32_t t1)
{
    double low[2][3], high[2][3];
    element_box(joined, t0, low[0], high[0]);
    element_box(joined, t1, low[1], high[1]);
    int64_t place[3];
    for (int axis = 0; axis < 3; axis++) {
        if (low[0][axis] > high[1][axis] || low[1][axis] > high[0][axis]) {
            return 0;
        }
        place[axis] = cell_of(grid, axis, fmax(low[0][axis], low[1][axis]));
    }
    return cell == (size_t)((place[2] * grid->counts[1] + place[1]) * grid->counts[0] + place[0]);
}

uint32_t count_crossing_triangles(const struct joined_scene *joined)
{
    struct box_grid grid = make_box_grid(joined);
    size_t cell_count = (size_t)(grid.counts[0] * grid.counts[1] * grid.counts[2]);
    uint32_t count = 0;
    for (size_t cell = 0; cell < cell_count; cell++) {
        for (uint32_t i = grid.starts[cell]; i < grid.starts[cell + 1]; i++) {
            for (uint32_t j = i + 1; j < grid.starts[cell + 1]; j++) {
                uint32_t t0 = grid.elements[i], t1 = grid.elements[j];
                if (judged_here(joined, &grid, cell, t0, t1) && triangles_cross(joined, t0, t1)) {
                    count++;
                }
            }
        }
    }
    free(grid.starts);
    free(grid.elements);
    return count;
}

/* ---- hashes ------------------------------------------------------------------------------------------------------ */

static uint64_t hash_byte(uint64_t hash, uint64_t byte)
{
    return (hash ^ (byte & 255)) * UINT64_C(0x100000001B3);
}

uint64_t hash_doubles(uint64_t hash, const double *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        for (int byte = 0; byte < 8; byte++) {
            hash = hash_byte(hash, bits >> (8 * byte));
        }
    }
    return hash;
}

uint64_t hash_indices(uint64_t hash, const uint32_t *numbers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (int byte = 0; byte < 4; byte++) {
            hash = hash_byte(hash, numbers[i] >> (8 * byte));
        }
    }
    return hash;
}

uint64_t hash_scene(const dent_scene *scene)
{
    uint64_t hash = HASH_EMPTY;
    uint32_t bodies = dent_scene_body_count(scene);
    for (uint32_t b = 0; b < bodies; b++) {
        const dent_scene_body *body = dent_scene_body_at(scene, b);
        size_t corners = (size_t)body->element_count * dent_body_kind_get_info(body->kind)->corner_count;
        hash = hash_indices(hash, body->element_corners, corners);
        hash = hash_doubles(hash, body->reference, 3 * (size_t)body->vertex_count);
    }
    static const uint32_t frames[] = {0, 1, 17};
    for (size_t f = 0; f < 3; f++) {
        for (uint32_t b = 0; b < bodies; b++) {
            size_t numbers = 3 * (size_t)dent_scene_body_at(scene, b)->vertex_count;
            double *positions = malloc(numbers * sizeof *positions);
            assert(positions);
            dent_scene_positions(scene, b, frames[f], positions);
            hash = hash_doubles(hash, positions, numbers);
            free(positions);
        }
    }
    return hash;
}
