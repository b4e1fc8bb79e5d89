/* A direction in which two primitives are likely apart, from q, a and b at one time (impact_internal.h). Nothing
 * depends on its quality but speed.
 *
 * Edges: the vector between the nearest points, clamped to both segments. Face: the vector to the nearest point of its
 * three edges. Where the nearest points are inside both primitives the cross product a x b is the same direction
 * without cancellation. Over the doubles of simd/lanes.h, which the includer has chosen.
 */
#ifndef DENT_GEOMETRY_IMPACT_DIRECTION_H
#define DENT_GEOMETRY_IMPACT_DIRECTION_H

static inline doubles lanes_dot(const doubles a[3], const doubles b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void lanes_cross(const doubles a[3], const doubles b[3], doubles result[3])
{
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

static inline doubles lanes_clamp(doubles x)
{
    return doubles_least(doubles_most(x, doubles_set(0.0)), doubles_set(1.0)); /* 0 for what is not a number */
}

static inline doubles lanes_largest(const doubles a[3])
{
    return doubles_most(doubles_most(doubles_absolute(a[0]), doubles_absolute(a[1])), doubles_absolute(a[2]));
}

/* d = normal where `inside`, else given. */
static inline void lanes_use_normal(doubles_mask inside, const doubles a[3], const doubles b[3], doubles d[3])
{
    doubles normal[3];
    lanes_cross(a, b, normal);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = doubles_choose(inside, normal[axis], d[axis]);
    }
}

/* Nearest points of the lines a0 + s a and b0 + t b, then clamped one after the other. */
static inline void edge_edge_direction(const doubles q[3], const doubles a[3], const doubles b[3], doubles d[3])
{
    const doubles zero = doubles_set(0.0), one = doubles_set(1.0);
    doubles aa = lanes_dot(a, a), bb = lanes_dot(b, b), ab = lanes_dot(a, b), qa = lanes_dot(q, a),
            qb = lanes_dot(q, b);
    doubles determinant = aa * bb - ab * ab;
    doubles free_s = (qa * bb - qb * ab) / determinant;
    doubles s = lanes_clamp(free_s);
    doubles free_t = (ab * s - qb) / bb;
    doubles t = lanes_clamp(free_t);
    s = lanes_clamp((qa + ab * t) / aa);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = q[axis] + t * b[axis] - s * a[axis];
    }
    doubles_mask inside = doubles_mask_and(doubles_mask_and(doubles_less(zero, free_s), doubles_less(free_s, one)),
                                           doubles_mask_and(doubles_less(zero, free_t), doubles_less(free_t, one)));
    lanes_use_normal(inside, a, b, d);
}

/* Replaces d by the vector from the nearest point of the segment start + s edge where that is shorter; `start` is the
 * vector from the end of the segment to the point. */
static inline void take_nearer(const doubles start[3], const doubles edge[3], doubles *shortest, doubles d[3])
{
    doubles s = lanes_clamp(lanes_dot(start, edge) / lanes_dot(edge, edge));
    doubles gap[3];
    for (int axis = 0; axis < 3; axis++) {
        gap[axis] = start[axis] - s * edge[axis];
    }
    doubles length = lanes_dot(gap, gap);
    doubles_mask nearer = doubles_less(length, *shortest);
    *shortest = doubles_choose(nearer, length, *shortest);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = doubles_choose(nearer, gap[axis], d[axis]);
    }
}

static inline void vertex_face_direction(const doubles q[3], const doubles a[3], const doubles b[3], doubles d[3])
{
    const doubles zero = doubles_set(0.0);
    doubles aa = lanes_dot(a, a), bb = lanes_dot(b, b), ab = lanes_dot(a, b), qa = lanes_dot(q, a),
            qb = lanes_dot(q, b);
    doubles determinant = aa * bb - ab * ab;
    doubles u = qa * bb - qb * ab;
    doubles v = qb * aa - qa * ab;
    doubles shortest = doubles_set(HUGE_VAL), third[3], from_second[3];
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = q[axis];
        third[axis] = b[axis] - a[axis];
        from_second[axis] = q[axis] - a[axis];
    }
    take_nearer(q, a, &shortest, d);
    take_nearer(q, b, &shortest, d);
    take_nearer(from_second, third, &shortest, d);
    doubles_mask inside = doubles_mask_and(doubles_mask_and(doubles_less(zero, u), doubles_less(zero, v)),
                                           doubles_less(u + v, determinant));
    lanes_use_normal(inside, a, b, d);
}

#endif
