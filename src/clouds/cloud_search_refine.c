/* Intersection points by Gauss-Newton: x -= J+ [f_A, f_B], where the rows of J are the two normals. In: a place near
 * both surfaces. Out: a point whose residuals are within the tolerance and which both clouds reach, or none. */
#include "clouds/cloud_search.h"

enum { REFINE_STEPS = 8 };
#define PARALLEL_LEAST 1e-6 /* of 1 - cos^2 of the normals' angle */
#define ENOUGH 1e-3         /* of the tolerance: no more steps */

uint32_t search_value(dent_cloud_search *search, int number, const double world[3], dent_cloud_value *value)
{
    struct search_side *side = &search->side[number];
    double local[3], normal[3];
    side_to_local(side, world, local);
    uint32_t slot = cloud_value_at(side->cloud, search->row, &side->paths, local, value);
    memcpy(normal, value->normal, sizeof normal);
    side_turn(side, normal, value->normal);
    search->result.evaluations++;
    search->used += UNITS_A_VALUE;
    return slot;
}

/* The shortest step that makes both linear functions vanish; for parallel normals half the way to each. */
static void newton_step(const dent_cloud_value values[2], double step[3])
{
    double cosine = cloud_dot_product(values[0].normal, values[1].normal), square = 1.0 - cosine * cosine;
    double share[2];
    for (int k = 0; k < 2; k++) {
        share[k] =
            square > PARALLEL_LEAST ? (values[k].value - cosine * values[1 - k].value) / square : 0.5 * values[k].value;
    }
    for (int axis = 0; axis < 3; axis++) {
        step[axis] = share[0] * values[0].normal[axis] + share[1] * values[1].normal[axis];
    }
}

static bool append_point(dent_cloud_search *search, int side, const double place[3], const dent_cloud_value values[2])
{
    dent_cloud_crossing point = {.drawn_in_b = side == 1};
    if (search->points.count == search->def.point_capacity) {
        search->is_full = true;
        return true;
    }
    memcpy(point.position, place, sizeof point.position);
    point.residual_a = fabs(values[side].value); /* values[0] is the drawing side's */
    point.residual_b = fabs(values[1 - side].value);
    memcpy(point.normal_a, values[side].normal, sizeof point.normal_a);
    memcpy(point.normal_b, values[1 - side].normal, sizeof point.normal_b);
    point.nearest_a = values[side].nearest;
    point.nearest_b = values[1 - side].nearest;
    return array_push(&search->points, &point);
}

bool search_refine(dent_cloud_search *search, int side, const double start[3], double radius)
{
    double place[3], best[3] = {0, 0, 0}, least = INFINITY;
    dent_cloud_value values[2], best_values[2] = {{.value = 0}};
    memcpy(place, start, sizeof place);
    for (int step = 0; step < REFINE_STEPS && cloud_length(place, start) <= 2.0 * radius; step++) {
        search_value(search, side, place, &values[0]);
        search_value(search, 1 - side, place, &values[1]);
        if (values[0].state != DENT_CLOUD_DEFINED || values[1].state != DENT_CLOUD_DEFINED) {
            break;
        }
        double first = fabs(values[0].value), second = fabs(values[1].value), worst = first > second ? first : second;
        if (worst < least && values[0].on_reach && values[1].on_reach) {
            least = worst;
            memcpy(best, place, sizeof best);
            memcpy(best_values, values, sizeof best_values);
        }
        if (worst <= ENOUGH * search->tolerance) {
            break;
        }
        double move[3];
        newton_step(values, move);
        for (int axis = 0; axis < 3; axis++) {
            place[axis] -= move[axis];
        }
    }
    if (least <= search->tolerance) {
        return append_point(search, side, best, best_values);
    }
    search->result.rejected++;
    return true;
}
