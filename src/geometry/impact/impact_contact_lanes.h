/* u, v and the normal of contacts, in lanes: impact_contact.c over many, by the same operations, so the same bits.
 * Included by impact_double_lanes.h. Sides that are nearly parallel are left out: contacts of that kind are rare.
 */
#include "geometry/numbers/power_of_two.h"

/* Positions and velocities of the corners at the time of contact: [corner][axis]. */
struct lane_contact {
    doubles at[4][3], velocity[4][3];
};

/* Two to the power that brings each number near 1; where a number is so small that this takes more than one factor,
 * `usable` is false. 1 for zero. */
static inline doubles scale_to_one(doubles most, doubles_mask *usable)
{
    _Alignas(64) double numbers[DOUBLES];
    doubles_store(numbers, most);
    for (int lane = 0; lane < DOUBLES; lane++) {
        int exponent = numbers[lane] > 0.0 ? binary_exponent(numbers[lane]) : 0;
        numbers[lane] = power_of_two(-exponent > 1000 ? 1000 : -exponent < -1000 ? -1000 : -exponent);
    }
    doubles_mask ordinary =
        doubles_mask_and(doubles_less(doubles_set(0x1p-990), most), doubles_less(most, doubles_set(0x1p990)));
    *usable = doubles_mask_and(*usable, ordinary);
    return doubles_load(numbers);
}

static inline void place_corners(const struct lane_points *points, doubles time, struct lane_contact *contact,
                                 doubles_mask *usable)
{
    doubles most = doubles_set(0.0);
    for (int corner = 0; corner < 4; corner++) {
        most = doubles_most(lanes_largest(points->at[corner][0]), most);
        most = doubles_most(lanes_largest(points->at[corner][1]), most);
    }
    doubles scale = scale_to_one(most, usable), rest = doubles_set(1.0) - time;
    for (int corner = 0; corner < 4; corner++) {
        for (int axis = 0; axis < 3; axis++) {
            doubles start = points->at[corner][0][axis] * scale, end = points->at[corner][1][axis] * scale;
            contact->at[corner][axis] = start * rest + end * time;
            contact->velocity[corner][axis] = end - start;
        }
    }
}

static inline void subtract_places(const struct lane_contact *contact, const uint8_t pair[2], doubles result[3])
{
    for (int axis = 0; axis < 3; axis++) {
        result[axis] = contact->at[pair[0]][axis] - contact->at[pair[1]][axis];
    }
}

static inline void scale_vector(doubles vector[3], doubles factor)
{
    for (int axis = 0; axis < 3; axis++) {
        vector[axis] = vector[axis] * factor;
    }
}

/* u and v from q, a, b and their normal of this square. */
static inline void weigh(enum impact_kind kind, const doubles q[3], const doubles a[3], const doubles b[3],
                         const doubles normal[3], doubles square, doubles *u, doubles *v)
{
    doubles with_b[3], with_a[3];
    lanes_cross(q, b, with_b);
    if (kind == IMPACT_VERTEX_FACE) {
        lanes_cross(a, q, with_a);
    } else {
        lanes_cross(q, a, with_a);
    }
    *u = lanes_clamp(lanes_dot(with_b, normal) / square);
    *v = lanes_clamp(lanes_dot(with_a, normal) / square);
    if (kind == IMPACT_VERTEX_FACE) {
        doubles sum = *u + *v, shortened = *u / sum;
        doubles_mask beyond = doubles_less(doubles_set(1.0), sum);
        *u = doubles_choose(beyond, shortened, *u);
        *v = doubles_choose(beyond, doubles_set(1.0) - shortened, *v);
    }
}

static inline void relative_velocity(enum impact_kind kind, const struct lane_contact *contact, doubles u, doubles v,
                                     doubles velocity[3])
{
    const doubles(*w)[3] = contact->velocity;
    for (int axis = 0; axis < 3; axis++) {
        if (kind == IMPACT_VERTEX_FACE) {
            velocity[axis] = (w[0][axis] - w[1][axis]) - u * (w[2][axis] - w[1][axis]) - v * (w[3][axis] - w[1][axis]);
        } else {
            velocity[axis] = (w[0][axis] - w[2][axis]) + u * (w[1][axis] - w[0][axis]) - v * (w[3][axis] - w[2][axis]);
        }
    }
}

/* Scales to length 1 and turns against the velocity. */
static inline void orient(doubles normal[3], const doubles velocity[3], doubles_mask *usable)
{
    scale_vector(normal, scale_to_one(lanes_largest(normal), usable));
    doubles length = doubles_root(lanes_dot(normal, normal));
    for (int axis = 0; axis < 3; axis++) {
        normal[axis] = normal[axis] / length;
    }
    doubles_mask with = doubles_less(doubles_set(0.0), lanes_dot(normal, velocity));
    scale_vector(normal, doubles_choose(with, doubles_set(-1.0), doubles_set(1.0)));
}

static inline void describe(enum impact_kind kind, const struct impact_chosen *chosen, const uint32_t *places,
                            uint32_t count, const double *times, struct impact_descriptions *results)
{
    const struct impact_pairs pairs = impact_pairs_of(kind);
    for (uint32_t begin = 0; begin < count; begin += DOUBLES) {
        struct lane_points points;
        struct lane_contact contact;
        doubles q[3], a[3], b[3], normal[3], velocity[3], u, v;
        doubles_mask usable = doubles_mask_first(count - begin);
        fetch_places(chosen, places + begin, count - begin, &points);
        place_corners(&points, doubles_load_any(times + begin), &contact, &usable);
        subtract_places(&contact, pairs.q, q);
        subtract_places(&contact, pairs.a, a);
        subtract_places(&contact, pairs.b, b);
        doubles most = doubles_most(doubles_most(lanes_largest(q), lanes_largest(a)), lanes_largest(b));
        doubles scale = scale_to_one(most, &usable);
        scale_vector(q, scale);
        scale_vector(a, scale);
        scale_vector(b, scale);
        lanes_cross(a, b, normal);
        doubles square = lanes_dot(normal, normal);
        doubles_mask proper = doubles_less(doubles_set(0x1p-80) * (lanes_dot(a, a) * lanes_dot(b, b)), square);
        usable = doubles_mask_and(usable, doubles_mask_and(proper, doubles_less(doubles_set(0x1p-900), square)));
        weigh(kind, q, a, b, normal, square, &u, &v);
        relative_velocity(kind, &contact, u, v, velocity);
        orient(normal, velocity, &usable);
        doubles_store_any(results->u + begin, doubles_choose(usable, u, doubles_set(-1.0)));
        doubles_store_any(results->v + begin, v);
        for (int axis = 0; axis < 3; axis++) {
            doubles_store_any(results->normal[axis] + begin, normal[axis]);
        }
    }
}
