/* The leaves of the surface forest, written once for all instruction sets. See surface_kernels.h for what is computed and for the bounds.
 *
 * Included by surface_kernels_<isa>.c after it has defined `wide` (16 floats), `wide_index` (16 places), `octet` (8 doubles), their operations,
 * load_points, and the two loops that decide the speed of a leaf: boxes_in_row and faces_beyond.
 */
#include <math.h>
#include <stddef.h>

struct wide3 {
    wide x, y, z;
};

static inline struct wide3 subtract3(struct wide3 a, struct wide3 b)
{
    return (struct wide3){wide_subtract(a.x, b.x), wide_subtract(a.y, b.y), wide_subtract(a.z, b.z)};
}

static inline struct wide3 cross3(struct wide3 a, struct wide3 b)
{
    return (struct wide3){wide_subtract(wide_multiply(a.y, b.z), wide_multiply(a.z, b.y)),
                          wide_subtract(wide_multiply(a.z, b.x), wide_multiply(a.x, b.z)),
                          wide_subtract(wide_multiply(a.x, b.y), wide_multiply(a.y, b.x))};
}

static inline wide length3(struct wide3 a)
{
    return wide_add(wide_add(wide_magnitude(a.x), wide_magnitude(a.y)), wide_magnitude(a.z));
}

/* The corners of all faces of a leaf. */
struct leaf_corners {
    struct wide3 p, q, r;
};

static inline struct wide3 pick3(const struct leaf_points *points, const uint8_t *places)
{
    wide_index index = index_load(places);
    return (struct wide3){wide_pick(points->x[0], index), wide_pick(points->x[1], index), wide_pick(points->x[2], index)};
}

static inline struct leaf_corners corners_of(const struct leaf_view *leaf)
{
    return (struct leaf_corners){pick3(leaf->points, leaf->corners[0]), pick3(leaf->points, leaf->corners[1]),
                                 pick3(leaf->points, leaf->corners[2])};
}

static inline void boxes_of(const struct leaf_corners *corners, struct face_boxes *boxes)
{
    const struct wide3 *p = &corners->p, *q = &corners->q, *r = &corners->r;
    wide_store(boxes->lo[0], wide_least(wide_least(p->x, q->x), r->x));
    wide_store(boxes->lo[1], wide_least(wide_least(p->y, q->y), r->y));
    wide_store(boxes->lo[2], wide_least(wide_least(p->z, q->z), r->z));
    wide_store(boxes->hi[0], wide_most(wide_most(p->x, q->x), r->x));
    wide_store(boxes->hi[1], wide_most(wide_most(p->y, q->y), r->y));
    wide_store(boxes->hi[2], wide_most(wide_most(p->z, q->z), r->z));
}

/* Planes of all faces of a leaf: a corner, the normal, and the bound of the plane filter for vertices at most `reach` away on each axis. */
static inline void planes_of(const struct leaf_corners *corners, float reach, struct face_planes *planes)
{
    struct wide3 e1 = subtract3(corners->q, corners->p), e2 = subtract3(corners->r, corners->p), normal = cross3(e1, e2);
    const wide slack = wide_set(8 * FOREST_INPUT_ERROR), far = wide_set(reach);
    wide l1 = wide_add(length3(e1), slack), l2 = wide_add(length3(e2), slack);
    wide square = wide_multiply(l1, l2);
    wide cubic = wide_multiply(wide_multiply(far, square), wide_set(12.0f * 0x1p-24f));
    wide rest = wide_add(square, wide_multiply(far, wide_add(l1, l2)));
    wide_store(planes->base[0], corners->p.x);
    wide_store(planes->base[1], corners->p.y);
    wide_store(planes->base[2], corners->p.z);
    wide_store(planes->normal[0], normal.x);
    wide_store(planes->normal[1], normal.y);
    wide_store(planes->normal[2], normal.z);
    wide_store(planes->bound, wide_add(cubic, wide_multiply(rest, wide_set(3.0f * 0x1p-24f))));
}

/* More than any |component| of a difference between points of the two leaves. */
static inline float reach_of(const struct leaf_view *a, const struct leaf_view *b)
{
    float reach = 0;
    for (int axis = 0; axis < 3; axis++) {
        float lo = a->lo[axis] < b->lo[axis] ? a->lo[axis] : b->lo[axis];
        float hi = a->hi[axis] > b->hi[axis] ? a->hi[axis] : b->hi[axis];
        reach = hi - lo > reach ? hi - lo : reach;
    }
    return reach * (1.0f + 0x1p-20f) + 8 * FOREST_INPUT_ERROR;
}

static inline uint32_t faces_present(const struct leaf_view *leaf)
{
    return (2u << (leaf->face_count - 1)) - 1;
}

static uint32_t leaf_pair(const struct leaf_view *a, const struct leaf_view *b, const uint16_t *shares, uint8_t *found)
{
    struct face_boxes boxes_a, boxes_b;
    struct leaf_corners corners_a = corners_of(a), corners_b;
    boxes_of(&corners_a, &boxes_a);
    uint32_t of_a = boxes_in_row(&boxes_a, b->lo, b->hi, faces_present(a)), of_b;
    if (!of_a) {
        return 0;
    }
    if (a == b) {
        corners_b = corners_a;
        boxes_b = boxes_a;
        of_b = of_a;
    } else {
        corners_b = corners_of(b);
        boxes_of(&corners_b, &boxes_b);
        of_b = boxes_in_row(&boxes_b, a->lo, a->hi, faces_present(b));
        if (!of_b) {
            return 0;
        }
    }
    uint32_t rows[LEAF_FACES], bits[LEAF_FACES], row_count = 0;
    for (; of_a; of_a &= of_a - 1) {
        uint32_t face = (uint32_t)__builtin_ctz(of_a);
        float lo[3] = {boxes_a.lo[0][face], boxes_a.lo[1][face], boxes_a.lo[2][face]};
        float hi[3] = {boxes_a.hi[0][face], boxes_a.hi[1][face], boxes_a.hi[2][face]};
        uint32_t row = boxes_in_row(&boxes_b, lo, hi, of_b & ~(shares ? (uint32_t)shares[face] : 0u));
        rows[row_count] = face;
        bits[row_count] = row;
        row_count += row != 0;
    }
    if (row_count == 0) {
        return 0;
    }
    struct face_planes planes;
    float reach = reach_of(a, b);
    uint32_t columns[LEAF_FACES] = {0}, any = 0;
    struct vertex_sets sets = vertex_sets_of(b->corners);
    planes_of(&corners_a, reach, &planes);
    for (uint32_t i = 0; i < row_count; i++) {
        uint32_t left = bits[i] & ~faces_beyond(&planes, rows[i], b->points, &sets, bits[i]);
        any |= left;
        for (; left; left &= left - 1) {
            columns[__builtin_ctz(left)] |= 1u << rows[i];
        }
    }
    if (!any) {
        return 0;
    }
    uint32_t count = 0;
    sets = vertex_sets_of(a->corners);
    planes_of(&corners_b, reach, &planes);
    for (; any; any &= any - 1) {
        uint32_t face = (uint32_t)__builtin_ctz(any), column = columns[face];
        column &= ~faces_beyond(&planes, face, a->points, &sets, column);
        for (; column; column &= column - 1) {
            found[count++] = (uint8_t)((uint32_t)__builtin_ctz(column) << 4 | face);
        }
    }
    return count;
}

/* ---- volumes -------------------------------------------------------------------------------------------------------------- */

static inline void bound_axis(wide values, float slack, float *lo, float *hi)
{
    float least, most;
    wide_range(values, &least, &most);
    *lo = least - slack;
    *hi = most + slack;
}

static void bound_points(const struct leaf_points *points, int axis_count, float *lo, float *hi)
{
    wide x = wide_load(points->x[0]), y = wide_load(points->x[1]), z = wide_load(points->x[2]);
    wide_range(x, &lo[0], &hi[0]);
    wide_range(y, &lo[1], &hi[1]);
    wide_range(z, &lo[2], &hi[2]);
    if (axis_count <= 3) {
        return;
    }
    wide sum = wide_add(y, z), difference = wide_subtract(y, z);
    int place = 3;
    if (axis_count != 9) {
        bound_axis(wide_add(x, sum), VOLUME_ROUNDING, &lo[place], &hi[place]);
        bound_axis(wide_subtract(x, sum), VOLUME_ROUNDING, &lo[place + 1], &hi[place + 1]);
        bound_axis(wide_add(x, difference), VOLUME_ROUNDING, &lo[place + 2], &hi[place + 2]);
        bound_axis(wide_subtract(x, difference), VOLUME_ROUNDING, &lo[place + 3], &hi[place + 3]);
        place += 4;
    }
    if (axis_count >= 9) {
        bound_axis(sum, VOLUME_ROUNDING, &lo[place], &hi[place]);
        bound_axis(difference, VOLUME_ROUNDING, &lo[place + 1], &hi[place + 1]);
        bound_axis(wide_add(x, z), VOLUME_ROUNDING, &lo[place + 2], &hi[place + 2]);
        bound_axis(wide_subtract(x, z), VOLUME_ROUNDING, &lo[place + 3], &hi[place + 3]);
        bound_axis(wide_add(x, y), VOLUME_ROUNDING, &lo[place + 4], &hi[place + 4]);
        bound_axis(wide_subtract(x, y), VOLUME_ROUNDING, &lo[place + 5], &hi[place + 5]);
    }
}

/* ---- narrow test ---------------------------------------------------------------------------------------------------------- */

struct octet3 {
    octet x, y, z;
};

static inline struct octet3 octet_load3(const double (*corner)[NARROW_BATCH])
{
    return (struct octet3){octet_load(corner[0]), octet_load(corner[1]), octet_load(corner[2])};
}

static inline struct octet3 octet_subtract3(struct octet3 a, struct octet3 b)
{
    return (struct octet3){octet_subtract(a.x, b.x), octet_subtract(a.y, b.y), octet_subtract(a.z, b.z)};
}

static inline struct octet3 octet_cross3(struct octet3 a, struct octet3 b)
{
    return (struct octet3){octet_subtract(octet_multiply(a.y, b.z), octet_multiply(a.z, b.y)),
                           octet_subtract(octet_multiply(a.z, b.x), octet_multiply(a.x, b.z)),
                           octet_subtract(octet_multiply(a.x, b.y), octet_multiply(a.y, b.x))};
}

static inline octet octet_dot3(struct octet3 a, struct octet3 b)
{
    return octet_add(octet_add(octet_multiply(a.x, b.x), octet_multiply(a.y, b.y)), octet_multiply(a.z, b.z));
}

static inline struct octet3 octet_magnitude3(struct octet3 a)
{
    return (struct octet3){octet_magnitude(a.x), octet_magnitude(a.y), octet_magnitude(a.z)};
}

static inline struct octet3 octet_most3(struct octet3 a, struct octet3 b)
{
    return (struct octet3){octet_most(a.x, b.x), octet_most(a.y, b.y), octet_most(a.z, b.z)};
}

static inline struct octet3 octet_choose3(uint32_t bits, struct octet3 a, struct octet3 b)
{
    return (struct octet3){octet_choose(bits, a.x, b.x), octet_choose(bits, a.y, b.y), octet_choose(bits, a.z, b.z)};
}

/* The bound of orientation_3d_determinant for differences of at most these sizes. */
static inline octet side_bound(struct octet3 largest)
{
    octet yz = octet_multiply(octet_multiply(largest.y, octet_set(8.0)), largest.z);
    octet xyz = octet_multiply(largest.x, octet_add(yz, octet_set(0x1p-900)));
    return octet_add(octet_multiply(xyz, octet_set(6.0 * 0x1p-53)), octet_set(0x1p-900));
}

struct side_bits {
    uint32_t above[3], below[3];
};

/* Corners of one face by the plane of another. */
static inline struct side_bits sides_of(const struct octet3 plane[3], const struct octet3 corner[3])
{
    struct octet3 e1 = octet_subtract3(plane[1], plane[0]), e2 = octet_subtract3(plane[2], plane[0]);
    struct octet3 normal = octet_cross3(e1, e2), d[3];
    struct octet3 largest = octet_most3(octet_magnitude3(e1), octet_magnitude3(e2));
    for (int k = 0; k < 3; k++) {
        d[k] = octet_subtract3(corner[k], plane[0]);
        largest = octet_most3(largest, octet_magnitude3(d[k]));
    }
    octet bound = side_bound(largest), minus = octet_subtract(octet_set(0.0), bound);
    struct side_bits sides;
    for (int k = 0; k < 3; k++) {
        octet side = octet_dot3(d[k], normal);
        sides.above[k] = octet_less(bound, side);
        sides.below[k] = octet_less(side, minus);
    }
    return sides;
}

static inline uint32_t all_of(const uint32_t bits[3])
{
    return bits[0] & bits[1] & bits[2];
}

/* Sign of det[b - a, c - a, d - a]. */
static inline void orientation(struct octet3 a, struct octet3 b, struct octet3 c, struct octet3 d, uint32_t *above, uint32_t *below)
{
    struct octet3 e1 = octet_subtract3(b, a), e2 = octet_subtract3(c, a), e3 = octet_subtract3(d, a);
    struct octet3 largest = octet_most3(octet_most3(octet_magnitude3(e1), octet_magnitude3(e2)), octet_magnitude3(e3));
    octet bound = side_bound(largest), value = octet_dot3(e3, octet_cross3(e1, e2));
    *above = octet_less(bound, value);
    *below = octet_less(value, octet_subtract(octet_set(0.0), bound));
}

/* Puts the corner that is alone on its side first, and turns the face over where `turn` says so (triangle_sides.h). */
static inline void arrange(const struct octet3 corner[3], const struct side_bits *sides, uint32_t turn, struct octet3 arranged[3])
{
    const uint32_t *s = sides->above;
    uint32_t lone0 = (s[0] ^ s[1]) & (s[0] ^ s[2]), lone1 = ~lone0 & (s[1] ^ s[0]) & (s[1] ^ s[2]);
    struct octet3 next = octet_choose3(lone0, corner[1], octet_choose3(lone1, corner[2], corner[0]));
    struct octet3 last = octet_choose3(lone0, corner[2], octet_choose3(lone1, corner[0], corner[1]));
    arranged[0] = octet_choose3(lone0, corner[0], octet_choose3(lone1, corner[1], corner[2]));
    arranged[1] = octet_choose3(turn, last, next);
    arranged[2] = octet_choose3(turn, next, last);
}

/* Lanes in which the lone corner is below. */
static inline uint32_t lone_below(const struct side_bits *sides)
{
    const uint32_t *s = sides->above;
    return (s[0] & s[1]) | (s[0] & s[2]) | (s[1] & s[2]); /* two above */
}

/* Some direction across an edge within the plane of the first face keeps the two apart. */
static inline uint32_t apart_across_edges(const struct octet3 face[3], const struct octet3 other[3])
{
    struct octet3 p[6];
    for (int k = 0; k < 3; k++) {
        p[k] = octet_subtract3(face[k], face[0]);
        p[3 + k] = octet_subtract3(other[k], face[0]);
    }
    struct octet3 normal = octet_cross3(p[1], p[2]), largest3 = octet_magnitude3(p[1]);
    for (int k = 2; k < 6; k++) {
        largest3 = octet_most3(largest3, octet_magnitude3(p[k]));
    }
    octet largest = octet_multiply(octet_most(octet_most(largest3.x, largest3.y), largest3.z), octet_set(10.0 * 0x1p-53));
    uint32_t apart = 0;
    for (int edge = 0; edge < 3; edge++) {
        struct octet3 across = octet_cross3(octet_subtract3(p[edge == 2 ? 0 : edge + 1], p[edge]), normal);
        struct octet3 size = octet_magnitude3(across);
        octet value[6];
        for (int k = 0; k < 6; k++) {
            value[k] = octet_dot3(across, p[k]);
        }
        octet lo = octet_least(octet_least(value[3], value[4]), value[5]), hi = octet_most(octet_most(value[3], value[4]), value[5]);
        octet own_lo = octet_least(octet_least(value[0], value[1]), value[2]);
        octet own_hi = octet_most(octet_most(value[0], value[1]), value[2]);
        octet bound = octet_add(octet_multiply(octet_add(octet_add(size.x, size.y), size.z), largest), octet_set(0x1p-900));
        apart |= octet_less(bound, octet_subtract(lo, own_hi)) | octet_less(bound, octet_subtract(own_lo, hi));
    }
    return apart;
}

static struct narrow_signs narrow(const struct narrow_batch *batch)
{
    struct octet3 a[3], b[3];
    for (int k = 0; k < 3; k++) {
        a[k] = octet_load3(batch->corner[k]);
        b[k] = octet_load3(batch->corner[3 + k]);
    }
    struct side_bits of_b = sides_of(a, b), of_a = sides_of(b, a);
    uint32_t apart = all_of(of_a.above) | all_of(of_a.below) | all_of(of_b.above) | all_of(of_b.below);
    uint32_t sure = 0xFF;
    for (int k = 0; k < 3; k++) {
        sure &= (of_a.above[k] | of_a.below[k]) & (of_b.above[k] | of_b.below[k]);
    }
    uint32_t crossing = 0;
    if (sure & ~apart) {
        struct octet3 x[3], y[3];
        uint32_t first_above, first_below, second_above, second_below;
        arrange(a, &of_a, lone_below(&of_b), x);
        arrange(b, &of_b, lone_below(&of_a), y);
        orientation(x[0], x[1], y[0], y[1], &first_above, &first_below);
        orientation(x[0], x[2], y[0], y[2], &second_above, &second_below);
        crossing = sure & ~apart & first_below & second_above;
        apart |= sure & (first_above | second_below);
    }
    if (0xFF & ~sure & ~apart) {
        apart |= ~sure & apart_across_edges(a, b);
        apart |= ~sure & apart_across_edges(b, a);
    }
    return (struct narrow_signs){apart & 0xFF, crossing};
}
