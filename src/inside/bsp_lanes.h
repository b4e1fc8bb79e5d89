/* The text of the BSP kernels over the types of simd/lanes.h: points go down together and part at each plane.
 *
 * The points of a node lie side by side in columns. Their sides are found eight at a time; those on the negative side move
 * to the front, the others through the spare columns behind them. The sides that double arithmetic leaves open are asked
 * one by one; a point on a plane is answered at once and leaves. Few points go down one by one.
 */
#ifndef DENT_INSIDE_BSP_LANES_H
#define DENT_INSIDE_BSP_LANES_H

#include "inside/solid_bsp.h"

#include <string.h>

enum { BSP_TOGETHER = 8, BSP_STACK = 256 };

struct bsp_task {
    int32_t child;
    uint32_t first, count;
};

/* Bits of the points on the negative side, and of those whose side is open. */
static inline uint32_t sides_of(const struct bsp_node *node, const struct bsp_points *points, uint32_t at, uint32_t *open)
{
    if (node->kind < BSP_TRIANGLE_PLANE) {
        const double *column = node->kind == 0 ? points->x : node->kind == 1 ? points->y : points->z;
        doubles8 value = doubles8_load_any(column + at), plane = doubles8_set(node->origin[0]);
        uint32_t negative = doubles8_less(value, plane);
        *open = ~(negative | doubles8_less(plane, value)) & 255u;
        return negative;
    }
    doubles8 x = doubles8_subtract(doubles8_load_any(points->x + at), doubles8_set(node->origin[0]));
    doubles8 y = doubles8_subtract(doubles8_load_any(points->y + at), doubles8_set(node->origin[1]));
    doubles8 z = doubles8_subtract(doubles8_load_any(points->z + at), doubles8_set(node->origin[2]));
    doubles8 value = doubles8_add(doubles8_add(doubles8_multiply(doubles8_set(node->normal[0]), x),
                                               doubles8_multiply(doubles8_set(node->normal[1]), y)),
                                  doubles8_multiply(doubles8_set(node->normal[2]), z));
    doubles8 bound = doubles8_set(node->bound);
    uint32_t negative = doubles8_less(value, doubles8_subtract(doubles8_set(0.0), bound));
    *open = ~(negative | doubles8_less(bound, value)) & 255u;
    return negative;
}

static inline void move_point(struct bsp_points *points, uint32_t from, uint32_t to)
{
    points->x[to] = points->x[from];
    points->y[to] = points->y[from];
    points->z[to] = points->z[from];
    points->index[to] = points->index[from];
}

static inline void save_point(struct bsp_points *points, uint32_t from, uint32_t to)
{
    points->spare_x[to] = points->x[from];
    points->spare_y[to] = points->y[from];
    points->spare_z[to] = points->z[from];
    points->spare_index[to] = points->index[from];
}

static inline void point_at(const struct bsp_points *points, uint32_t at, double point[3])
{
    point[0] = points->x[at];
    point[1] = points->y[at];
    point[2] = points->z[at];
}

/* Exact sides of open points; those on the plane get their place and are taken out of `taken`. */
static uint32_t close_sides(const struct solid_bsp *bsp, int32_t child, struct bsp_points *points, uint32_t at,
                            uint32_t open, uint32_t negative, uint32_t *taken, uint8_t *places)
{
    for (; open; open &= open - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(open);
        double point[3];
        point_at(points, at + lane, point);
        int side = solid_bsp_side(bsp, &bsp->nodes[child], point, &points->exact_tests);
        negative |= (side < 0 ? 1u : 0u) << lane;
        if (side == 0) {
            places[points->index[at + lane]] = (uint8_t)solid_bsp_place_in_plane(bsp, child, point, &points->exact_tests);
            *taken |= 1u << lane;
        }
    }
    return negative;
}

/* Parts the points of a task. Returns how many are negative; *positive: how many follow them. */
static uint32_t part_points(const struct solid_bsp *bsp, const struct bsp_task *task, struct bsp_points *points,
                            uint8_t *places, uint32_t *positive)
{
    const struct bsp_node *node = &bsp->nodes[task->child];
    uint32_t kept = 0, saved = 0, end = task->first + task->count;
    for (uint32_t at = task->first; at < end; at += 8) {
        uint32_t open, taken = 0, valid = end - at < 8 ? (1u << (end - at)) - 1u : 255u;
        uint32_t negative = sides_of(node, points, at, &open) & valid;
        open &= valid;
        if (open) {
            negative = close_sides(bsp, task->child, points, at, open, negative, &taken, places);
        }
        if (negative == 255u && kept == at - task->first) {
            kept += 8; /* they stay where they are */
            continue;
        }
        uint32_t others = valid & ~negative & ~taken;
        for (; others; others &= others - 1) {
            save_point(points, at + (uint32_t)__builtin_ctz(others), saved++);
        }
        for (; negative; negative &= negative - 1) {
            move_point(points, at + (uint32_t)__builtin_ctz(negative), task->first + kept++);
        }
    }
    memcpy(points->x + task->first + kept, points->spare_x, saved * sizeof *points->x);
    memcpy(points->y + task->first + kept, points->spare_y, saved * sizeof *points->y);
    memcpy(points->z + task->first + kept, points->spare_z, saved * sizeof *points->z);
    memcpy(points->index + task->first + kept, points->spare_index, saved * sizeof *points->index);
    *positive = saved;
    return kept;
}

/* One by one, as long as signs are certain. */
static void follow_points(const struct solid_bsp *bsp, const struct bsp_task *task, struct bsp_points *points,
                          uint8_t *places)
{
    for (uint32_t at = task->first; at < task->first + task->count; at++) {
        double point[3];
        int32_t child = task->child;
        int side = 1;
        point_at(points, at, point);
        while (!bsp_is_leaf(child) && bsp->nodes[child].kind != BSP_FLAT_FACES) {
            const struct bsp_node *node = &bsp->nodes[child];
            side = solid_bsp_side(bsp, node, point, &points->exact_tests);
            if (side == 0) {
                break;
            }
            child = node->children[side > 0];
        }
        dent_place place = bsp_is_leaf(child) && bsp_place(child) < BSP_LEAF_OPEN ? (dent_place)bsp_place(child)
                           : side == 0 ? solid_bsp_place_in_plane(bsp, child, point, &points->exact_tests)
                                       : solid_bsp_place_of(bsp, child, point, &points->exact_tests);
        places[points->index[at]] = (uint8_t)place;
    }
}

static void classify(const struct solid_bsp *bsp, struct bsp_points *points, uint8_t *places)
{
    struct bsp_task waiting[BSP_STACK];
    uint32_t count = points->count > 0;
    waiting[0] = (struct bsp_task){bsp->root, 0, points->count};
    while (count > 0) {
        struct bsp_task task = waiting[--count];
        if (task.count < BSP_TOGETHER || bsp_is_leaf(task.child) || bsp->nodes[task.child].kind == BSP_FLAT_FACES ||
            count + 2 > BSP_STACK) {
            follow_points(bsp, &task, points, places);
            continue;
        }
        uint32_t positive, negative = part_points(bsp, &task, points, places, &positive);
        const struct bsp_node *node = &bsp->nodes[task.child];
        if (positive > 0) {
            waiting[count++] = (struct bsp_task){node->children[1], task.first + negative, positive};
        }
        if (negative > 0) {
            waiting[count++] = (struct bsp_task){node->children[0], task.first, negative};
        }
    }
}

#define BSP_KERNELS_ROW                                                                                                \
    {                                                                                                                  \
        .classify = classify                                                                                           \
    }

#endif
