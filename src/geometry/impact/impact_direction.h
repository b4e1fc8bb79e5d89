/* A direction in which two primitives are likely apart, from q, a and b at one time (impact_internal.h). Nothing
 * depends on its quality but speed.
 *
 * Edges: the vector between the nearest points, clamped to both segments. Face: the vector to the nearest point of its
 * three edges. Where the nearest points are inside both primitives the cross product a x b is the same direction
 * without cancellation. To be included after a definition of `lanes` (double_lanes_scalar.h or a vector file).
 */
#ifndef DENT_GEOMETRY_IMPACT_DIRECTION_H
#define DENT_GEOMETRY_IMPACT_DIRECTION_H

static inline lanes lanes_dot(const lanes a[3], const lanes b[3])
{
    return lanes_add(lanes_add(lanes_multiply(a[0], b[0]), lanes_multiply(a[1], b[1])), lanes_multiply(a[2], b[2]));
}

static inline void lanes_cross(const lanes a[3], const lanes b[3], lanes result[3])
{
    result[0] = lanes_subtract(lanes_multiply(a[1], b[2]), lanes_multiply(a[2], b[1]));
    result[1] = lanes_subtract(lanes_multiply(a[2], b[0]), lanes_multiply(a[0], b[2]));
    result[2] = lanes_subtract(lanes_multiply(a[0], b[1]), lanes_multiply(a[1], b[0]));
}

static inline lanes lanes_clamp(lanes x)
{
    return lanes_least(lanes_most(x, lanes_set(0.0)), lanes_set(1.0)); /* 0 for what is not a number */
}

static inline lanes lanes_largest(const lanes a[3])
{
    return lanes_most(lanes_most(lanes_absolute(a[0]), lanes_absolute(a[1])), lanes_absolute(a[2]));
}

/* d = normal where `inside`, else given. */
static inline void lanes_use_normal(lane_mask inside, const lanes a[3], const lanes b[3], lanes d[3])
{
    lanes normal[3];
    lanes_cross(a, b, normal);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = lanes_choose(inside, normal[axis], d[axis]);
    }
}

/* Nearest points of the lines a0 + s a and b0 + t b, then clamped one after the other. */
static inline void edge_edge_direction(const lanes q[3], const lanes a[3], const lanes b[3], lanes d[3])
{
    const lanes zero = lanes_set(0.0), one = lanes_set(1.0);
    lanes aa = lanes_dot(a, a), bb = lanes_dot(b, b), ab = lanes_dot(a, b), qa = lanes_dot(q, a), qb = lanes_dot(q, b);
    lanes determinant = lanes_subtract(lanes_multiply(aa, bb), lanes_multiply(ab, ab));
    lanes free_s = lanes_divide(lanes_subtract(lanes_multiply(qa, bb), lanes_multiply(qb, ab)), determinant);
    lanes s = lanes_clamp(free_s);
    lanes free_t = lanes_divide(lanes_subtract(lanes_multiply(ab, s), qb), bb);
    lanes t = lanes_clamp(free_t);
    s = lanes_clamp(lanes_divide(lanes_add(qa, lanes_multiply(ab, t)), aa));
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = lanes_subtract(lanes_add(q[axis], lanes_multiply(t, b[axis])), lanes_multiply(s, a[axis]));
    }
    lane_mask inside = mask_and(mask_and(lanes_less(zero, free_s), lanes_less(free_s, one)),
                                mask_and(lanes_less(zero, free_t), lanes_less(free_t, one)));
    lanes_use_normal(inside, a, b, d);
}

/* Replaces d by the vector from the nearest point of the segment start + s edge where that is shorter; `start` is the
 * vector from the end of the segment to the point. */
static inline void take_nearer(const lanes start[3], const lanes edge[3], lanes *shortest, lanes d[3])
{
    lanes s = lanes_clamp(lanes_divide(lanes_dot(start, edge), lanes_dot(edge, edge)));
    lanes gap[3];
    for (int axis = 0; axis < 3; axis++) {
        gap[axis] = lanes_subtract(start[axis], lanes_multiply(s, edge[axis]));
    }
    lanes length = lanes_dot(gap, gap);
    lane_mask nearer = lanes_less(length, *shortest);
    *shortest = lanes_choose(nearer, length, *shortest);
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = lanes_choose(nearer, gap[axis], d[axis]);
    }
}

static inline void vertex_face_direction(const lanes q[3], const lanes a[3], const lanes b[3], lanes d[3])
{
    const lanes zero = lanes_set(0.0);
    lanes aa = lanes_dot(a, a), bb = lanes_dot(b, b), ab = lanes_dot(a, b), qa = lanes_dot(q, a), qb = lanes_dot(q, b);
    lanes determinant = lanes_subtract(lanes_multiply(aa, bb), lanes_multiply(ab, ab));
    lanes u = lanes_subtract(lanes_multiply(qa, bb), lanes_multiply(qb, ab));
    lanes v = lanes_subtract(lanes_multiply(qb, aa), lanes_multiply(qa, ab));
    lanes shortest = lanes_set(HUGE_VAL), third[3], from_second[3];
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = q[axis];
        third[axis] = lanes_subtract(b[axis], a[axis]);
        from_second[axis] = lanes_subtract(q[axis], a[axis]);
    }
    take_nearer(q, a, &shortest, d);
    take_nearer(q, b, &shortest, d);
    take_nearer(from_second, third, &shortest, d);
    lane_mask inside =
        mask_and(mask_and(lanes_less(zero, u), lanes_less(zero, v)), lanes_less(lanes_add(u, v), determinant));
    lanes_use_normal(inside, a, b, d);
}

#endif
