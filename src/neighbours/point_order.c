/* The order of points: a coarse one for all by radix sort, a fine one within runs by halving. */
#include "neighbours/point_order.h"

#include "base/radix_sort.h"
#include "geometry/numbers/morton_code.h"

#include <math.h>
#include <string.h>

enum { CURVE_CELLS = 1024, RUN_POINTS = 512, LEAF_POINTS = 8, RUNS_A_BLOCK = 16 };

struct point_range {
    uint32_t begin, end;
};

struct order_work {
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

static void sort_range(struct order_work *work, struct point_range range, const double low[3], double density)
{
    uint32_t count = range.end - range.begin;
    struct ordered_point *points = work->points + range.begin;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cell[3];
        for (int axis = 0; axis < 3; axis++) {
            cell[axis] = (uint32_t)((points[i].point[axis] - low[axis]) * density);
        }
        work->keys[i] = morton_code(cell);
        work->places[i] = i;
    }
    radix_sort_u64(work->keys, work->places, work->key_scratch, work->place_scratch, count);
    for (uint32_t i = 0; i < count; i++) {
        work->scratch[i] = points[work->places[i]];
    }
    memcpy(points, work->scratch, count * sizeof *points);
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

static void sort_along_curves(struct order_work *work)
{
    work->waiting[0] = (struct point_range){0, work->count};
    work->waiting_count = 1;
    while (work->waiting_count > 0) {
        struct point_range range = work->waiting[--work->waiting_count];
        double low[3], high[3];
        range_box(work->points + range.begin, range.end - range.begin, low, high);
        double density = cells_per_length(low, high);
        if (density < INFINITY) { /* else the points are equal, or as good as */
            sort_range(work, range, low, density);
            push_crowded_cells(work, range);
        }
    }
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
        uint32_t second = low > high ? low : high + 1; /* below lie those up to the middle, from here on those from it */
        if (second == end) {                           /* the middle is the largest, and lies last */
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

static dent_status sort_with(dent_context *context, struct order_work *work)
{
    if (work->count > RUN_POINTS) {
        sort_along_curves(work);
    }
    uint32_t block = RUNS_A_BLOCK * RUN_POINTS;
    return dent_parallel_for(context, work->count / block + (work->count % block > 0), split_block, work);
}

dent_status point_order_sort_in(dent_context *context, struct ordered_point *points, uint32_t count,
                                struct arena *arena)
{
    struct arena_mark mark = arena_mark(arena);
    struct order_work work = {.points = points, .count = count};
    work.scratch = arena_allocate(arena, count, sizeof *work.scratch);
    work.keys = arena_allocate(arena, count, 2 * sizeof *work.keys);
    work.places = arena_allocate(arena, count, 2 * sizeof *work.places);
    work.waiting = arena_allocate(arena, (size_t)count / RUN_POINTS + 1, sizeof *work.waiting);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    if (work.scratch && work.keys && work.places && work.waiting) {
        work.key_scratch = work.keys + count;
        work.place_scratch = work.places + count;
        status = sort_with(context, &work);
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
