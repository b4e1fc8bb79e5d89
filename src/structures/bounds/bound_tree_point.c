/* See bound_tree_point.h. Both walks pass over what the volumes rule out with certainty. */
#include "structures/bounds/bound_tree_point.h"

#include "geometry/metric/closest_points.h"
#include "geometry/predicates/winding_number.h"
#include "structures/bounds/bound_tests.h"

static void look_at_leaf(const struct bound_tree *tree, const struct bound_link *link, const uint8_t *left_out,
                         const double p[3], struct nearest_face *best)
{
    for (uint32_t slot = link->first_face; slot < link->first_face + link->face_count; slot++) {
        uint32_t face = tree->order[slot];
        if (left_out && left_out[face]) {
            continue;
        }
        double point[3];
        const uint32_t *v = tree->corners[slot];
        const double *corners[3] = {tree->xyz[v[0]], tree->xyz[v[1]], tree->xyz[v[2]]};
        double distance = distance_to_triangle(p, corners, point);
        if (distance < best->distance || (distance == best->distance && face < best->face)) {
            *best = (struct nearest_face){face, distance, {point[0], point[1], point[2]}};
        }
    }
}

void bound_tree_nearest(const struct bound_tree *tree, const uint8_t *left_out, const double p[3],
                        struct nearest_face *best)
{
    uint32_t stack[BOUND_LEVELS_MAX * BOUND_BRANCHING_MAX], top = 0;
    *best = (struct nearest_face){.face = UINT32_MAX, .distance = INFINITY};
    if (tree->face_count > 0) {
        stack[top++] = 0;
    }
    while (top > 0) {
        uint32_t node = stack[--top];
        const struct bound_link *link = &tree->links[node];
        const double *ball = tree->volumes[node].v;
        if (distance_below(p, ball) - ball[3] > up(best->distance)) {
            continue;
        }
        for (uint32_t i = 0; i < link->child_count; i++) { /* nearest last, so that it comes next */
            uint32_t child = link->first_child + i, slot = top++;
            double distance = distance_below(p, tree->volumes[child].v);
            for (; slot > top - 1 - i && distance_below(p, tree->volumes[stack[slot - 1]].v) < distance; slot--) {
                stack[slot] = stack[slot - 1];
            }
            stack[slot] = child;
        }
        if (link->child_count == 0) {
            look_at_leaf(tree, link, left_out, p, best);
        }
    }
}

int bound_tree_winding(const struct bound_tree *tree, const double p[3])
{
    uint32_t stack[BOUND_LEVELS_MAX * BOUND_BRANCHING_MAX], top = 0;
    int winding = 0;
    predicate_counters counters = {0};
    if (tree->face_count > 0) {
        stack[top++] = 0;
    }
    while (top > 0) {
        uint32_t node = stack[--top];
        const struct bound_link *link = &tree->links[node];
        if (ray_misses(tree, node, p)) {
            continue;
        }
        for (uint32_t i = 0; i < link->child_count; i++) {
            stack[top++] = link->first_child + i;
        }
        for (uint32_t slot = link->first_face; link->child_count == 0 && slot < link->first_face + link->face_count;
             slot++) {
            bool on = false;
            winding += winding_number(p, (const double(*)[3])tree->xyz, (const uint32_t(*)[3]) & tree->corners[slot], 1,
                                      &counters, &on);
            if (on) {
                return 0;
            }
        }
    }
    return winding;
}
