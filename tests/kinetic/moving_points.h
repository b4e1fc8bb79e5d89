/* Vertices with flight plans as a test knows them, and what a tree says about them against that. */
#ifndef DENT_TESTS_MOVING_POINTS_H
#define DENT_TESTS_MOVING_POINTS_H

#include "support/cmocka_includes.h"

#include "kinetic/kinetic_data.h"

#include <dent/kinetic.h>

#include <stdlib.h>
#include <string.h>

enum { PLAN_KEYS_MOST = 128 };

struct moving_point {
    uint32_t key_count;
    double *times;  /* PLAN_KEYS_MOST */
    double *places; /* three for each key */
};

struct moving_points {
    uint32_t count;
    struct moving_point *points;
};

static inline struct moving_points moving_points_make(uint32_t count)
{
    struct moving_points all = {count, calloc(count, sizeof *all.points)};
    for (uint32_t i = 0; i < count; i++) {
        all.points[i].times = malloc(PLAN_KEYS_MOST * sizeof(double));
        all.points[i].places = malloc(3 * PLAN_KEYS_MOST * sizeof(double));
    }
    return all;
}

static inline void moving_points_free(struct moving_points *all)
{
    for (uint32_t i = 0; i < all->count; i++) {
        free(all->points[i].times);
        free(all->points[i].places);
    }
    free(all->points);
}

/* The piece along an axis at a time. */
static inline struct moving_value moving_point_piece(const struct moving_point *point, int axis, double t)
{
    uint32_t next = 0;
    while (next < point->key_count && point->times[next] <= t) {
        next++;
    }
    double before = point->places[3 * (next > 0 ? next - 1 : 0) + axis];
    if (next == 0 || next == point->key_count) {
        return (struct moving_value){0, INFINITY, before, before};
    }
    return (struct moving_value){point->times[next - 1], point->times[next], before, point->places[3 * next + axis]};
}

/* How many of the vertices of an element lie outside its box. */
static inline uint32_t moving_points_outside(const struct moving_points *all, const dent_kinetic *tree, uint32_t element,
                                             const uint32_t *vertices, uint32_t corners)
{
    double bounds[KINETIC_SLOTS_MOST], t = dent_kinetic_time(tree);
    uint32_t outside = 0;
    assert_int_equal(dent_kinetic_bounds(tree, element, bounds), DENT_OK);
    for (uint32_t i = 0; i < corners; i++) {
        for (int axis = 0; axis < 3; axis++) {
            struct moving_value place = moving_point_piece(&all->points[vertices[i]], axis, t);
            struct moving_value lo = {0, INFINITY, bounds[2 * axis], bounds[2 * axis]};
            struct moving_value hi = {0, INFINITY, bounds[2 * axis + 1], bounds[2 * axis + 1]};
            outside += moving_sign(&place, &lo, t) < 0 || moving_sign(&place, &hi, t) > 0;
        }
    }
    return outside;
}

/* Gives the tree the plan of one point, or of all if they have the same times. */
static inline dent_status moving_point_give(dent_kinetic *tree, const struct moving_points *all, uint32_t vertex)
{
    const struct moving_point *point = &all->points[vertex];
    dent_positions positions[PLAN_KEYS_MOST];
    for (uint32_t key = 0; key < point->key_count; key++) {
        positions[key] = dent_positions_double(point->places + 3 * key);
    }
    dent_flight_plans plans = {vertex, 1, point->key_count, point->times, positions};
    return dent_kinetic_set_plans(tree, &plans);
}

static inline dent_status moving_points_give_all(dent_kinetic *tree, const struct moving_points *all)
{
    uint32_t keys = all->points[0].key_count;
    double *places = malloc(3 * sizeof(double) * keys * all->count);
    dent_positions positions[PLAN_KEYS_MOST];
    for (uint32_t key = 0; key < keys; key++) {
        for (uint32_t i = 0; i < all->count; i++) {
            memcpy(places + 3 * ((size_t)key * all->count + i), all->points[i].places + 3 * key, 3 * sizeof(double));
        }
        positions[key] = dent_positions_double(places + 3 * (size_t)key * all->count);
    }
    dent_flight_plans plans = {0, all->count, keys, all->points[0].times, positions};
    dent_status status = dent_kinetic_set_plans(tree, &plans);
    free(places);
    return status;
}

#endif
