/* Paths: certified in their own direction, and shortened.
 *
 * Trees test an edge as it grows, and the tree of the goal grows against the path. So a path that was found is tested
 * once more, edge by edge from start to goal, as it will be returned. Shortcuts join two random points of the path; each
 * batch applies the one that saves most. */
#include "plan/plan_state.h"

#include <math.h>
#include <string.h>

enum { FAILURE_LIMIT = 12 };

/* ---- certificates ------------------------------------------------------------------------------------------------ */

static const double *path_at(const dent_planner *planner, size_t index)
{
    return array_at(&planner->path, index);
}

/* Edges of the path from `first` on, as many as a batch takes. */
static dent_status test_some(dent_planner *planner, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct plan_edge *edge = &planner->batch_edges[i];
        memcpy(edge->from, path_at(planner, first + i), planner->path.element_size);
        memcpy(edge->to, path_at(planner, first + i + 1), planner->path.element_size);
        edge->tolerance = planner->target_gap / 64;
        edge->wants_contacts = false;
    }
    return plan_run_batch(planner, count);
}

static bool all_free(const dent_planner *planner, uint32_t count)
{
    bool all = true;
    for (uint32_t i = 0; i < count; i++) {
        all = all && planner->batch_edges[i].verdict == DENT_MOTION_FREE;
    }
    return all;
}

/* An edge that is not free as a whole, in 2, 4 or 8 parts, appended to planner->spare; its start is there already. */
static dent_status certify_parts(dent_planner *planner, uint32_t edge, bool *good)
{
    *good = false;
    dent_status status = DENT_OK;
    for (uint32_t parts = 2; parts <= PLAN_BATCH && status == DENT_OK && !*good; parts *= 2) {
        double points[PLAN_BATCH + 1][DENT_PLAN_VALUES_MAX];
        if (plan_affordable(planner, parts) < parts) {
            planner->pending = parts == 2;
            return DENT_OK;
        }
        size_t size = planner->path.element_size;
        memcpy(points[0], path_at(planner, edge), size);
        memcpy(points[parts], path_at(planner, edge + 1), size);
        for (uint32_t i = 1; i < parts; i++) {
            plan_space_between(&planner->space, points[0], points[parts], (double)i / parts, points[i]);
        }
        for (uint32_t i = 0; i < parts; i++) {
            memcpy(planner->batch_edges[i].from, points[i], size);
            memcpy(planner->batch_edges[i].to, points[i + 1], size);
        }
        status = plan_run_batch(planner, parts);
        *good = status == DENT_OK && all_free(planner, parts);
        for (uint32_t i = 1; i <= parts && *good; i++) {
            *good = array_push(&planner->spare, points[i]);
            status = *good ? status : plan_out_of_memory(planner);
        }
    }
    return status;
}

static void remove_repeats(struct dynamic_array *path)
{
    size_t kept = 1;
    for (size_t i = 1; i < path->count; i++) {
        const void *own = array_at(path, i);
        if (memcmp(array_at(path, kept - 1), own, path->element_size) != 0) {
            memmove(array_at(path, kept++), own, path->element_size);
        }
    }
    path->count = kept;
}

static void swap_path(dent_planner *planner)
{
    struct dynamic_array old = planner->path;
    planner->path = planner->spare;
    planner->spare = old;
}

/* A batch of edges from `first` on, those that are free appended to planner->spare; *first is behind them. */
static dent_status certify_some(dent_planner *planner, uint32_t *first, bool *good)
{
    uint32_t left = (uint32_t)planner->path.count - 1 - *first;
    uint32_t count = plan_affordable(planner, left < PLAN_BATCH ? left : PLAN_BATCH), free_count = 0;
    *good = false;
    dent_status status = test_some(planner, *first, count);
    while (status == DENT_OK && free_count < count && planner->batch_edges[free_count].verdict == DENT_MOTION_FREE) {
        free_count++;
    }
    if (status == DENT_OK && !array_push_many(&planner->spare, path_at(planner, *first + 1), free_count)) {
        return plan_out_of_memory(planner);
    }
    *first += free_count;
    planner->pending = count == 0;
    *good = count > 0 && free_count == count;
    if (status == DENT_OK && free_count < count) {
        status = certify_parts(planner, *first, good);
        *first += *good;
    }
    return status;
}

dent_status plan_certify_path(dent_planner *planner, uint32_t *failed)
{
    uint32_t first = planner->pending ? planner->pending_first : 0;
    bool good = true;
    dent_status status = DENT_OK;
    *failed = UINT32_MAX;
    if (!planner->pending) {
        remove_repeats(&planner->path);
        array_clear(&planner->spare);
        status = array_push(&planner->spare, planner->path.data) ? DENT_OK : plan_out_of_memory(planner);
    }
    planner->pending = false;
    while (status == DENT_OK && good && first + 1 < planner->path.count) {
        status = certify_some(planner, &first, &good);
    }
    planner->pending_first = first;
    if (!good) {
        *failed = first;
    } else if (status == DENT_OK) {
        swap_path(planner);
    }
    return status;
}

double plan_path_length(const dent_planner *planner)
{
    double length = 0;
    for (size_t i = 0; i + 1 < planner->path.count; i++) {
        length += plan_space_length(&planner->space, path_at(planner, i), path_at(planner, i + 1));
    }
    return length;
}

/* ---- shortcuts --------------------------------------------------------------------------------------------------- */

struct path_point {
    uint32_t edge; /* between waypoints edge and edge + 1 */
    double values[DENT_PLAN_VALUES_MAX];
    double along; /* length of the path up to it */
};

/* The point after a share of the length. Every fourth is a waypoint itself. */
static void point_along(dent_planner *planner, double share, bool at_waypoint, struct path_point *point)
{
    double wanted = share * planner->length, passed = 0;
    size_t last = planner->path.count - 2;
    for (size_t i = 0; i <= last; i++) {
        double own = plan_space_length(&planner->space, path_at(planner, i), path_at(planner, i + 1));
        if (passed + own >= wanted || i == last) {
            double t = own > 0 ? fmin(fmax((wanted - passed) / own, 0), 1) : 0;
            t = at_waypoint ? (t < 0.5 ? 0 : 1) : t;
            point->edge = (uint32_t)i;
            point->along = passed + t * own;
            if (t == 0 || t == 1) {
                memcpy(point->values, path_at(planner, i + (t == 1)), planner->path.element_size);
            } else {
                plan_space_between(&planner->space, path_at(planner, i), path_at(planner, i + 1), t, point->values);
            }
            return;
        }
        passed += own;
    }
}

struct shortcut {
    struct path_point ends[2];
    double saved;
};

static bool draw_shortcut(dent_planner *planner, struct shortcut *cut)
{
    double a = dent_random_unit(&planner->random), b = dent_random_unit(&planner->random);
    bool at_waypoints = dent_random_below(&planner->random, 2) == 0;
    point_along(planner, fmin(a, b), at_waypoints, &cut->ends[0]);
    point_along(planner, fmax(a, b), at_waypoints, &cut->ends[1]);
    double length = plan_space_length(&planner->space, cut->ends[0].values, cut->ends[1].values);
    cut->saved = cut->ends[1].along - cut->ends[0].along - length;
    return cut->saved > 1e-4 * planner->length && cut->ends[0].edge != cut->ends[1].edge;
}

/* The path with a shortcut, in planner->spare; new_count edges of it from first_new on are new. */
static bool cut_path(dent_planner *planner, const struct shortcut *cut, uint32_t *first_new, uint32_t *new_count)
{
    struct dynamic_array *spare = &planner->spare;
    size_t size = planner->path.element_size, count = planner->path.count;
    array_clear(spare);
    if (!array_reserve_growing(spare, count + 2)) {
        return false;
    }
    array_push_many(spare, planner->path.data, cut->ends[0].edge + 1);
    *first_new = (uint32_t)spare->count - 1;
    for (int e = 0; e < 2; e++) {
        const void *last = array_at(spare, spare->count - 1);
        if (memcmp(last, cut->ends[e].values, size) != 0) {
            array_push(spare, cut->ends[e].values);
        }
    }
    size_t next = cut->ends[1].edge + 1;
    next += memcmp(array_at(spare, spare->count - 1), path_at(planner, next), size) == 0;
    *new_count = (uint32_t)spare->count - 1 - *first_new + (next < count);
    array_push_many(spare, path_at(planner, next), count - next);
    return true;
}

/* The ends of a shortcut lie at rounded values, so the edges next to it are certified again. */
static dent_status apply(dent_planner *planner, const struct shortcut *cut, bool *applied)
{
    uint32_t first, count;
    *applied = false;
    if (!cut_path(planner, cut, &first, &count)) {
        return plan_out_of_memory(planner);
    }
    if (plan_affordable(planner, count) < count) {
        return DENT_OK;
    }
    swap_path(planner);
    dent_status status = test_some(planner, first, count);
    *applied = status == DENT_OK && all_free(planner, count);
    if (*applied) {
        planner->length = plan_path_length(planner);
    } else {
        swap_path(planner);
    }
    return status;
}

dent_status plan_shorten_round(dent_planner *planner, bool *done)
{
    struct shortcut cuts[PLAN_BATCH];
    uint32_t count = 0, wanted = plan_affordable(planner, PLAN_BATCH / 2);
    *done = planner->path.count <= 2 || planner->failures >= FAILURE_LIMIT;
    for (uint32_t tries = 0; tries < 4 * PLAN_BATCH && count < wanted && !*done; tries++) {
        if (draw_shortcut(planner, &cuts[count])) {
            struct plan_edge *edge = &planner->batch_edges[count];
            memcpy(edge->from, cuts[count].ends[0].values, planner->path.element_size);
            memcpy(edge->to, cuts[count].ends[1].values, planner->path.element_size);
            edge->tolerance = planner->target_gap / 8;
            edge->wants_contacts = false;
            count++;
        }
    }
    if (count == 0) {
        *done = *done || wanted > 0;
        return DENT_OK;
    }
    dent_status status = plan_run_batch(planner, count);
    uint32_t best = PLAN_NONE;
    for (uint32_t i = 0; i < count && status == DENT_OK; i++) {
        if (planner->batch_edges[i].verdict == DENT_MOTION_FREE && (best == PLAN_NONE || cuts[i].saved > cuts[best].saved)) {
            best = i;
        }
    }
    bool applied = false;
    double before = planner->length;
    if (status == DENT_OK && best != PLAN_NONE) {
        status = apply(planner, &cuts[best], &applied);
    }
    planner->failures = applied && planner->length < 0.999 * before ? 0 : planner->failures + 1;
    return status;
}
