/* The order of points: a coarse one for all by radix sort, a fine one within runs by halving. */
#include "neighbours/point_order.h"

#include "base/radix_sort.h"
#include "base/containers/morton_code.h"

#include <math.h>
#include <string.h>

enum { CURVE_CELLS = 1024, RUN_POINTS = 512, LEAF_POINTS = 8, RUNS_A_BLOCK = 16, POINTS_A_BLOCK = 1024 };

struct point_range {
    uint32_t begin, end;
};

struct order_work {
    dent_context *context;
    struct ordered_point *points, *scratch;
    uint64_t *keys, *key_scratch;
    uint32_t *places, *place_scratch;
    struct point_range *waiting; /* ranges still to be sorted along a curve of their own */
    uint32_t waiting_count;
    uint32_t count;
};

/* ---- along the curve --------------------------------------------------------------------------------------------- */

static void range_box(const struct ordered_point *points, uint32_t count, double low[3], double high[3])
{
    for (int axis = 0; axis < 3; axis++) {
        low[axis] = high[axis] = points[0].point[axis];
    }
    for (uint32_t i = 1; i < count; i++) {
        for (int axis = 0; axis < 3; axis++) {
            double x = points[i].point[axis];
            low[axis] = x < low[axis] ? x : low[axis];
            high[axis] = x > high[axis] ? x : high[axis];
        }
    }
}

/* Cubic cells, so that flat clouds get the resolution in the directions they have. */
static double cells_per_length(const double low[3], const double high[3])
{
    double longest = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        longest = high[axis] - low[axis] > longest ? high[axis] - low[axis] : longest;
    }
    return longest > 0.0 ? CURVE_CELLS * 0.999999 / longest : INFINITY;
}

/* A range with the cells of its curve. */
struct curve_sort {
    struct order_work *work;
    struct ordered_point *points;
    const double *low;
    double density;
    uint32_t count;
};

static uint32_t curve_block_end(const struct curve_sort *sort, uint32_t block)
{
    uint32_t left = sort->count - block * POINTS_A_BLOCK;
    return block * POINTS_A_BLOCK + (left < POINTS_A_BLOCK ? left : POINTS_A_BLOCK);
}

static void key_block(void *data, uint32_t block, uint32_t worker)
{
    const struct curve_sort *sort = data;
    (void)worker;
    for (uint32_t i = block * POINTS_A_BLOCK; i < curve_block_end(sort, block); i++) {
        uint32_t cell[3];
        for (int axis = 0; axis < 3; axis++) {
            cell[axis] = (uint32_t)((sort->points[i].point[axis] - sort->low[axis]) * sort->density);
        }
        sort->work->keys[i] = morton_code(cell);
        sort->work->places[i] = i;
    }
}

static void gather_block(void *data, uint32_t block, uint32_t worker)
{
    const struct curve_sort *sort = data;
    (void)worker;
    for (uint32_t i = block * POINTS_A_BLOCK; i < curve_block_end(sort, block); i++) {
        sort->work->scratch[i] = sort->points[sort->work->places[i]];
    }
}

static void copy_back_block(void *data, uint32_t block, uint32_t worker)
{
    const struct curve_sort *sort = data;
    uint32_t begin = block * POINTS_A_BLOCK;
    (void)worker;
    memcpy(sort->points + begin, sort->work->scratch + begin,
           (curve_block_end(sort, block) - begin) * sizeof *sort->points);
}

static dent_status sort_range(struct order_work *work, struct point_range range, const double low[3], double density)
{
    uint32_t count = range.end - range.begin, blocks = count / POINTS_A_BLOCK + (count % POINTS_A_BLOCK > 0);
    struct curve_sort sort = {work, work->points + range.begin, low, density, count};
    dent_status status = dent_parallel_for(work->context, blocks, key_block, &sort);
    if (status == DENT_OK) {
        radix_sort_u64(work->keys, work->places, work->key_scratch, work->place_scratch, count);
        status = dent_parallel_for(work->context, blocks, gather_block, &sort);
    }
    return status ? status : dent_parallel_for(work->context, blocks, copy_back_block, &sort);
}

static void push_crowded_cells(struct order_work *work, struct point_range range)
{
    uint32_t count = range.end - range.begin;
    for (uint32_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && work->keys[next] == work->keys[i];) {
            next++;
        }
        if (next - i > RUN_POINTS) {
            work->waiting[work->waiting_count++] = (struct point_range){range.begin + i, range.begin + next};
        }
    }
}

static dent_status sort_along_curves(struct order_work *work)
{
    dent_status status = DENT_OK;
    work->waiting[0] = (struct point_range){0, work->count};
    work->waiting_count = 1;
    while (work->waiting_count > 0 && status == DENT_OK) {
        struct point_range range = work->waiting[--work->waiting_count];
        double low[3], high[3];
        range_box(work->points + range.begin, range.end - range.begin, low, high);
        double density = cells_per_length(low, high);
        if (density < INFINITY) { /* else the points are equal, or as good as */
            status = sort_range(work, range, low, density);
            push_crowded_cells(work, range);
        }
    }
    return status;
}

/* ---- halving ----------------------------------------------------------------------------------------------------- */

static inline void swap_points(struct ordered_point *a, struct ordered_point *b)
{
    struct ordered_point kept = *a;
    *a = *b;
    *b = kept;
}

/* The `first` smallest coordinates come to the front. */
static void select_front(struct ordered_point *points, uint32_t count, uint32_t first, int axis)
{
    uint32_t begin = 0, end = count;
    while (end - begin > 1) {
        double middle = points[begin + (end - begin) / 2].point[axis];
        uint32_t low = begin, high = end - 1;
        for (;;) {
            while (points[low].point[axis] < middle) {
                low++;
            }
            while (points[high].point[axis] > middle) {
                high--;
            }
            if (low >= high) {
                break;
            }
            swap_points(&points[low++], &points[high--]);
        }
        uint32_t second =
            low > high ? low : high + 1; /* below lie those up to the middle, from here on those from it */
        if (second == end) {             /* the middle is the largest, and lies last */
            second--;
        }
        if (first < second) {
            end = second;
        } else if (first > second) {
            begin = second;
        } else {
            return;
        }
    }
}

static void split_run(struct ordered_point *points, uint32_t count)
{
    while (count > LEAF_POINTS) {
        double low[3], high[3];
        range_box(points, count, low, high);
        int axis = high[1] - low[1] > high[0] - low[0];
        axis = high[2] - low[2] > high[axis] - low[axis] ? 2 : axis;
        uint32_t front = LEAF_POINTS;
        while (2 * front < count) {
            front *= 2;
        }
        select_front(points, count, front, axis);
        split_run(points, front);
        points += front;
        count -= front;
    }
}

static void split_block(void *data, uint32_t block, uint32_t worker)
{
    struct order_work *work = data;
    (void)worker;
    uint32_t begin = block * RUNS_A_BLOCK * RUN_POINTS;
    for (uint32_t run = 0; run < RUNS_A_BLOCK && begin < work->count; run++, begin += RUN_POINTS) {
        uint32_t left = work->count - begin;
        split_run(work->points + begin, left < RUN_POINTS ? left : RUN_POINTS);
    }
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static dent_status sort_with(struct order_work *work)
{
    dent_status status = work->count > RUN_POINTS ? sort_along_curves(work) : DENT_OK;
    uint32_t block = RUNS_A_BLOCK * RUN_POINTS, blocks = work->count / block + (work->count % block > 0);
    return status ? status : dent_parallel_for(work->context, blocks, split_block, work);
}

dent_status point_order_sort_in(dent_context *context, struct ordered_point *points, uint32_t count,
                                struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    struct order_work work = {.context = context, .points = points, .count = count};
    work.scratch = arena_allocate(arena, count, sizeof *work.scratch);
    work.keys = arena_allocate(arena, count, 2 * sizeof *work.keys);
    work.places = arena_allocate(arena, count, 2 * sizeof *work.places);
    work.waiting = arena_allocate(arena, (size_t)count / RUN_POINTS + 1, sizeof *work.waiting);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (work.scratch && work.keys && work.places && work.waiting) {
        work.key_scratch = work.keys + count;
        work.place_scratch = work.places + count;
        status = sort_with(&work);
    }
    arena_rewind(arena, mark);
    return status;
}

dent_status point_order_sort(dent_context *context, struct ordered_point *points, uint32_t count)
{
    struct arena arena;
    arena_init(&arena, context);
    dent_status status = point_order_sort_in(context, points, count, &arena);
    arena_destroy(&arena);
    return status;
}
