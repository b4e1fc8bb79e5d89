/* The text of the BSP kernels over the types of simd/lanes.h: all points of a block take a step down, then the next one.
 *
 * The planes of as many points as a register has lanes are gathered and their sides found together. Points that reach a leaf
 * leave the list, without a branch. The next nodes are on their way to the cache while other points step. The sides that
 * double arithmetic leaves open are asked one by one at the end of a step; a point on a plane is answered at once.
 */
#ifndef DENT_INSIDE_BSP_LANES_H
#define DENT_INSIDE_BSP_LANES_H

#include "inside/solid_bsp.h"

#include <stddef.h>

/* Points of a block that are still on their way. */
struct bsp_walk {
    const struct solid_bsp *bsp;
    const struct inside_point *points;
    uint32_t active_count, open_count;
    uint16_t active[BSP_BLOCK], open[BSP_BLOCK];
    int32_t child[BSP_BLOCK]; /* where each point is: a node, or the leaf it has reached */
    uint64_t exact_tests;
};

/* Bits of the lanes on the positive and on the negative side; neither: open. */
static inline uint32_t sides_of(const double *const planes[DOUBLES], const double *const rows[DOUBLES], uint32_t *negative)
{
    doubles plane[8], at[4]; /* normal, origin, bound, children; x, y, z, what follows them */
    doubles_columns8(planes, plane);
    doubles_columns4(rows, at);
    doubles value = plane[0] * (at[0] - plane[3]) + plane[1] * (at[1] - plane[4]) + plane[2] * (at[2] - plane[5]);
    *negative = doubles_mask_bits(doubles_less(value, -plane[6]));
    return doubles_mask_bits(doubles_greater(value, plane[6]));
}

/* All active points take a step. Those whose side is open stay where they are, in the list of open ones. */
static void step_down(struct bsp_walk *walk)
{
    const struct bsp_node *nodes = walk->bsp->nodes;
    uint32_t count = walk->active_count, left = 0, open_count = 0;
    for (uint32_t first = 0; first < count; first += DOUBLES) {
        const double *planes[DOUBLES], *rows[DOUBLES];
        uint32_t used = count - first < DOUBLES ? count - first : DOUBLES, own[DOUBLES], negative;
        for (uint32_t lane = 0; lane < DOUBLES; lane++) {
            own[lane] = walk->active[first + (lane < used ? lane : 0)];
            planes[lane] = nodes[walk->child[own[lane]]].plane;
            rows[lane] = walk->points[own[lane]].at;
        }
        uint32_t positive = sides_of(planes, rows, &negative);
        for (uint32_t lane = 0; lane < used; lane++) {
            uint32_t point = own[lane], certain = (positive | negative) >> lane & 1;
            int32_t child = walk->child[point], next = nodes[child].children[positive >> lane & 1];
            /* the next node, or the rest of this one for close_sides() */
            const char *wanted = (const char *)&nodes[certain ? next < 0 ? 0 : next : child];
            __builtin_prefetch(wanted + (certain ? 0 : offsetof(struct bsp_node, normal_low)));
            walk->active[left] = (uint16_t)point;
            left += certain & (next >= 0);
            walk->open[open_count] = (uint16_t)point;
            open_count += !certain;
            walk->child[point] = certain ? next : child;
        }
    }
    walk->active_count = left;
    walk->open_count = open_count;
}

/* Exact sides of the open points. Those on the plane, and those that have to ask triangles without a plane, get their place. */
static void close_sides(struct bsp_walk *walk)
{
    const struct solid_bsp *bsp = walk->bsp;
    for (uint32_t k = 0; k < walk->open_count; k++) {
        uint32_t point = walk->open[k];
        int32_t child = walk->child[point];
        const struct bsp_node *node = &bsp->nodes[child];
        const double *at = walk->points[point].at;
        if (node->kind == BSP_FLAT_FACES) {
            walk->child[point] = bsp_leaf((uint32_t)solid_bsp_place_of(bsp, child, at, &walk->exact_tests));
            continue;
        }
        int side = node->kind == BSP_TRIANGLE_PLANE ? solid_bsp_open_side(bsp, node, at, &walk->exact_tests) : 0;
        if (side == 0) {
            walk->child[point] = bsp_leaf((uint32_t)solid_bsp_place_in_plane(bsp, child, at, &walk->exact_tests));
            continue;
        }
        int32_t next = node->children[side > 0];
        __builtin_prefetch(&bsp->nodes[next < 0 ? 0 : next]);
        walk->child[point] = next;
        walk->active[walk->active_count] = (uint16_t)point;
        walk->active_count += next >= 0;
    }
}

/* Winding numbers of points in leaves without a known place; they are neighbours. */
static void ask_winding_of(struct bsp_walk *walk, const uint16_t *asked, uint32_t count, uint8_t *places)
{
    struct winding_group group = {.used = count};
    for (int axis = 0; axis < 3; axis++) {
        group.low[axis] = group.high[axis] = walk->points[asked[0]].at[axis];
        for (uint32_t lane = 0; lane < WINDING_LANES; lane++) {
            double x = walk->points[asked[lane < count ? lane : 0]].at[axis];
            group.point[axis][lane] = x;
            group.low[axis] = x < group.low[axis] ? x : group.low[axis];
            group.high[axis] = x > group.high[axis] ? x : group.high[axis];
        }
    }
    winding_kernels_for(walk->bsp->isa)->winding(walk->bsp->winding, &group);
    for (uint32_t lane = 0; lane < count; lane++) {
        places[walk->points[asked[lane]].index] = (uint8_t)(group.on >> lane & 1 ? DENT_PLACE_ON
                                                            : group.number[lane] ? DENT_PLACE_IN
                                                                                 : DENT_PLACE_OUT);
    }
    walk->exact_tests += group.exact_tests;
}

static uint64_t classify(const struct solid_bsp *bsp, const struct inside_point *points, uint32_t count, uint8_t *places)
{
    struct bsp_walk walk = {.bsp = bsp, .points = points};
    for (uint32_t i = 0; i < count; i++) {
        walk.child[i] = points[i].entry;
        walk.active[walk.active_count] = (uint16_t)i;
        walk.active_count += points[i].entry >= 0;
    }
    while (walk.active_count > 0) {
        step_down(&walk);
        close_sides(&walk);
    }
    uint32_t asked = 0; /* the lists are free again */
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = bsp_place(walk.child[i]);
        places[points[i].index] = (uint8_t)place;
        walk.open[asked] = (uint16_t)i;
        asked += place >= BSP_LEAF_OPEN;
    }
    for (uint32_t k = 0; k < asked; k += WINDING_LANES) {
        ask_winding_of(&walk, walk.open + k, asked - k < WINDING_LANES ? asked - k : WINDING_LANES, places);
    }
    return walk.exact_tests;
}

#define BSP_KERNELS_ROW                                                                                                \
    {                                                                                                                  \
        .classify = classify                                                                                           \
    }

#endif
