/* Lists of entries, points and faces against windows and packets, for any number of lanes. Included by packet_<isa>.c
 * behind packet_prepare.h. See packet_kernels.h for the bounds. The lanes of a packet are looked at in groups of FLOATS,
 * each named by its first lane.
 */

/* ---- rows of a grid -------------------------------------------------------------------------- */

/* Entries of the group at i that meet the window. Not `whole`: only those in `present` exist. */
static inline floats_mask entries_meet(const struct grid_columns *columns, uint32_t i, bool whole, floats_mask present,
                                       const struct grid_window *window, bool any_row)
{
    floats_mask meets = present;
    if (!any_row) {
        const uint32_t *row_y = (const uint32_t *)columns->row_y + i, *row_z = (const uint32_t *)columns->row_z + i;
        words y = whole ? words_load_any(row_y) : words_load_within(present, row_y);
        words z = whole ? words_load_any(row_z) : words_load_within(present, row_z);
        meets = floats_mask_and(meets, words_equal(y, words_set((uint32_t)window->row_y)));
        meets = floats_mask_and(meets, words_equal(z, words_set((uint32_t)window->row_z)));
    }
    for (int axis = 0; axis < 3; axis++) {
        const float *from_lo = columns->lo[axis] + i, *from_hi = columns->hi[axis] + i;
        floats lo = whole ? floats_load_any(from_lo) : floats_load_within(present, from_lo);
        floats hi = whole ? floats_load_any(from_hi) : floats_load_within(present, from_hi);
        meets = floats_mask_and(meets, floats_less_equal(lo, floats_set(window->hi[axis])));
        meets = floats_mask_and(meets, floats_less_equal(floats_set(window->lo[axis]), hi));
    }
    return meets;
}

static uint32_t scan_row(const struct grid_columns *columns, uint32_t begin, uint32_t end,
                         const struct grid_window *window, bool any_row, uint32_t *found)
{
    uint32_t count = 0, i = begin;
    for (; end - i >= FLOATS; i += FLOATS) {
        uint32_t bits = floats_mask_bits(entries_meet(columns, i, true, floats_mask_all(), window, any_row));
        words_keep(found + count, words_load_any(columns->number + i), floats_order_of_bits(bits));
        count += (uint32_t)__builtin_popcount(bits);
    }
    if (FLOATS > 1 && i < end) {
        floats_mask present = floats_mask_first(end - i);
        uint32_t bits = floats_mask_bits(entries_meet(columns, i, false, present, window, any_row));
        words_keep(found + count, words_load_within(present, columns->number + i), floats_order_of_bits(bits));
        count += (uint32_t)__builtin_popcount(bits);
    }
    return count;
}

/* ---- lanes of a packet ----------------------------------------------------------------------- */

_Static_assert(PACKET_LANES == 16, "one group of lanes is a whole packet");
#if FLOATS == 16

/* The boxes stay in registers while a list is gone through: for the compiler, hits might be written into the packet. */
struct near_boxes {
    floats lo[3], hi[3];
};

static inline struct near_boxes near_boxes_of(const struct packet *packet)
{
    return (struct near_boxes){{floats_load(packet->lo[0]), floats_load(packet->lo[1]), floats_load(packet->lo[2])},
                               {floats_load(packet->hi[0]), floats_load(packet->hi[1]), floats_load(packet->hi[2])}};
}

static inline uint32_t lanes_near(const struct near_boxes *boxes, const float lo[3], const float hi[3])
{
    const floats small[6] = {boxes->lo[0],      boxes->lo[1],      boxes->lo[2],
                             floats_set(lo[0]), floats_set(lo[1]), floats_set(lo[2])};
    const floats large[6] = {floats_set(hi[0]), floats_set(hi[1]), floats_set(hi[2]),
                             boxes->hi[0],      boxes->hi[1],      boxes->hi[2]};
    return floats_mask_bits(floats_less_equal6(small, large));
}

#else

/* More registers than there are: they are read again. */
struct near_boxes {
    const struct packet *packet;
};

static inline struct near_boxes near_boxes_of(const struct packet *packet)
{
    return (struct near_boxes){packet};
}

/* Lanes whose boxes meet [lo, hi], as bits. All compares come before all bits, so that with one lane the compiler makes
 * vectors of them. */
static inline uint32_t lanes_near(const struct near_boxes *boxes, const float lo[3], const float hi[3])
{
    const struct packet *packet = boxes->packet;
    floats_mask meets[PACKET_LANES / FLOATS];
    uint32_t bits = 0;
    for (int group = 0; group < PACKET_LANES / FLOATS; group++) {
        const int i = group * FLOATS;
        floats_mask x = floats_mask_and(floats_less_equal(floats_load(packet->lo[0] + i), floats_set(hi[0])),
                                        floats_less_equal(floats_set(lo[0]), floats_load(packet->hi[0] + i)));
        floats_mask y = floats_mask_and(floats_less_equal(floats_load(packet->lo[1] + i), floats_set(hi[1])),
                                        floats_less_equal(floats_set(lo[1]), floats_load(packet->hi[1] + i)));
        floats_mask z = floats_mask_and(floats_less_equal(floats_load(packet->lo[2] + i), floats_set(hi[2])),
                                        floats_less_equal(floats_set(lo[2]), floats_load(packet->hi[2] + i)));
        meets[group] = floats_mask_and(x, floats_mask_and(y, z));
    }
    for (int group = 0; group < PACKET_LANES / FLOATS; group++) {
        bits |= floats_mask_bits(meets[group]) << group * FLOATS;
    }
    return bits;
}

#endif

/* The first group with a bit set, and the bits of the others. */
static inline int group_of(uint32_t bits)
{
    return FLOATS == PACKET_LANES ? 0 : __builtin_ctz(bits) & -FLOATS;
}
static inline uint32_t other_groups(uint32_t bits, int group)
{
    return bits & ~(((1u << FLOATS) - 1) << group);
}

/* Lanes of the group that have no corner a, b or c. */
static inline floats_mask strangers(const struct packet *packet, int corners, int group, floats_mask lanes, uint32_t a,
                                    uint32_t b, uint32_t c)
{
    /* One branch behind all compares: whether neighbours share a vertex cannot be foretold. */
    for (int k = 0; k < corners && (FLOATS > 1 || !floats_mask_none(lanes)); k++) {
        words id = words_load(packet->id[k] + group);
        floats_mask same = floats_mask_or(words_equal(id, words_set(a)), words_equal(id, words_set(b)));
        lanes = floats_mask_and_not(lanes, floats_mask_or(same, words_equal(id, words_set(c))));
    }
    return lanes;
}

static inline floats plane_value(const struct packet *packet, int plane, int group, const float p[3])
{
    struct floats3 normal = floats3_load(packet->normal[plane][0] + group, packet->normal[plane][1] + group,
                                         packet->normal[plane][2] + group);
    return floats3_dot(normal, floats3_set(p)) - floats_load(packet->offset[plane] + group);
}

static inline floats error_bound(floats error, floats reach)
{
    return error * reach + floats_set(PACKET_TINY);
}

/* What is known of the lanes of a group: they may be answers, they surely are. */
struct verdict {
    floats_mask possible, certain;
};

static inline uint32_t put_hits(uint32_t *hits, uint32_t found, uint32_t i, int group, struct verdict verdict)
{
    const uint32_t certain = floats_mask_bits(verdict.certain);
    for (uint32_t left = floats_mask_bits(verdict.possible); left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        hits[found++] = i * 32 + ((uint32_t)group + lane) * 2 + (certain >> lane & 1);
    }
    return found;
}

/* ---- points ---------------------------------------------------------------------------------- */

static inline struct verdict judge_point(const struct packet *packet, int group, floats_mask lanes, const float p[3])
{
    const floats bound = error_bound(floats_load(packet->error + group), floats_load(packet->size + group));
    struct verdict verdict = {lanes, lanes};
    for (int k = 0; k < 4 && !floats_mask_none(verdict.possible); k += 2) {
        floats one = plane_value(packet, k, group, p), other = plane_value(packet, k + 1, group, p);
        verdict.possible = floats_mask_and_not(verdict.possible, floats_less(one, -bound));
        verdict.possible = floats_mask_and_not(verdict.possible, floats_less(other, -bound));
        verdict.certain = floats_mask_and(verdict.certain, floats_less(bound, one));
        verdict.certain = floats_mask_and(verdict.certain, floats_less(bound, other));
    }
    return verdict;
}

static uint32_t match_points(const struct packet *packet, const struct point_record *points, const uint32_t *list,
                             uint32_t count, uint32_t *hits)
{
    const struct near_boxes boxes = near_boxes_of(packet);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct point_record *point = &points[list[i]];
        uint32_t near = lanes_near(&boxes, point->position, point->position);
        while (near) {
            const int group = group_of(near);
            const uint32_t id = point->id;
            floats_mask lanes = strangers(packet, 4, group, floats_mask_of_bits(near >> group), id, id, id);
            found = put_hits(hits, found, i, group, judge_point(packet, group, lanes, point->position));
            near = other_groups(near, group);
        }
    }
    return found;
}

/* ---- faces ----------------------------------------------------------------------------------- */

/* The corners of the face against the four planes of the cells. */
static inline void compare_with_cells(const struct packet *packet, int group, floats reach,
                                      const struct face_record *face, struct verdict *verdict)
{
    const floats bound = error_bound(floats_load(packet->error + group), reach);
    for (int k = 0; k < 4 && !floats_mask_none(verdict->possible); k++) {
        floats_mask outer = verdict->possible, inner = floats_mask_nothing();
        for (int corner = 0; corner < 3; corner++) {
            floats value = plane_value(packet, k, group, face->corner[corner]);
            outer = floats_mask_and(outer, floats_less(value, -bound));
            inner = floats_mask_or(inner, floats_less(bound, value));
        }
        verdict->possible = floats_mask_and_not(verdict->possible, outer);
        verdict->certain = floats_mask_and(verdict->certain, inner);
    }
}

/* Points on both sides of a plane: what all and what some are. */
struct both_sides {
    floats_mask all_above, all_below, any_above, any_below;
};

static inline void add_side(struct both_sides *sides, floats_mask above, floats_mask below)
{
    sides->all_above = floats_mask_and(sides->all_above, above);
    sides->all_below = floats_mask_and(sides->all_below, below);
    sides->any_above = floats_mask_or(sides->any_above, above);
    sides->any_below = floats_mask_or(sides->any_below, below);
}

static inline struct both_sides no_sides(const struct verdict *verdict)
{
    return (struct both_sides){verdict->possible, verdict->possible, floats_mask_nothing(), floats_mask_nothing()};
}

static inline void judge_sides(const struct both_sides *sides, struct verdict *verdict)
{
    verdict->possible = floats_mask_and_not(verdict->possible, floats_mask_or(sides->all_above, sides->all_below));
    verdict->certain = floats_mask_and(verdict->certain, floats_mask_and(sides->any_above, sides->any_below));
}

/* The corners of the face against the planes of the faces of the packet. */
static inline void compare_with_faces(const struct packet *packet, int group, floats reach,
                                      const struct face_record *face, struct verdict *verdict)
{
    const floats bound = error_bound(floats_load(packet->error + group), reach);
    struct both_sides sides = no_sides(verdict);
    for (int corner = 0; corner < 3; corner++) {
        floats value = plane_value(packet, 0, group, face->corner[corner]);
        add_side(&sides, floats_less(bound, value), floats_less(value, -bound));
    }
    judge_sides(&sides, verdict);
}

/* Which lanes have corner k surely above and surely below the plane of the face. */
struct corner_sides {
    floats_mask above[4], below[4];
};

static inline void compare_with_face_plane(const struct packet *packet, int corners, int group, floats reach,
                                           const struct face_record *face, struct corner_sides *corner_sides,
                                           struct verdict *verdict)
{
    const floats bound = error_bound(floats_set(face->error), reach);
    const struct floats3 normal = floats3_set(face->normal);
    struct both_sides sides = no_sides(verdict);
    for (int k = 0; k < corners; k++) {
        floats value = floats3_dot(corners_at(packet, k, group), normal) - floats_set(face->offset);
        corner_sides->above[k] = floats_less(bound, value);
        corner_sides->below[k] = floats_less(value, -bound);
        add_side(&sides, corner_sides->above[k], corner_sides->below[k]);
    }
    judge_sides(&sides, verdict);
}

static inline floats_mask either(floats_mask a, floats_mask b, floats_mask c, floats_mask d)
{
    return floats_mask_or(floats_mask_and(a, b), floats_mask_and(c, d));
}

/* The cut of the lanes by the plane of the face against one edge of the face. */
static inline void compare_with_edge(const struct packet *packet, int corners, int group, floats reach,
                                     const struct face_record *face, int edge, const struct corner_sides *sides,
                                     struct verdict *verdict)
{
    const float *u = face->corner[edge], *v = face->corner[edge == 2 ? 0 : edge + 1];
    const struct floats3 from = floats3_set(u), along = floats3_set((float[3]){v[0] - u[0], v[1] - u[1], v[2] - u[2]});
    const floats bound = error_bound(floats_set(PACKET_ERROR) * reach * reach, floats_set(1) + reach);
    struct floats3 w[4], across[4];
    for (int k = 0; k < corners; k++) {
        w[k] = floats3_subtract(corners_at(packet, k, group), from);
        across[k] = floats3_cross(w[k], along);
    }
    floats_mask inside = floats_mask_nothing(), outside = verdict->possible;
    for (int i = 0; i < corners; i++) {
        for (int j = i + 1; j < corners; j++) {
            floats value = floats3_dot(w[i], across[j]);
            floats_mask positive = floats_less(bound, value), negative = floats_less(value, -bound);
            floats_mask rising = floats_mask_and(sides->below[i], sides->above[j]),
                        falling = floats_mask_and(sides->above[i], sides->below[j]);
            floats_mask level = either(sides->below[i], sides->below[j], sides->above[i], sides->above[j]);
            inside = floats_mask_or(inside, either(rising, positive, falling, negative));
            outside = floats_mask_and(outside, floats_mask_or(level, either(rising, negative, falling, positive)));
        }
    }
    verdict->possible = floats_mask_and_not(verdict->possible, outside);
    verdict->certain = floats_mask_and(verdict->certain, inside);
}

/* The planes of the lanes, the plane of the face, and its edges, until no lane is left. */
static inline struct verdict judge_face(const struct packet *packet, int corners, int group, floats_mask lanes,
                                        const struct face_record *face)
{
    const floats reach = floats_load(packet->size + group) + floats_set(face->size);
    struct verdict verdict = {lanes, lanes};
    struct corner_sides sides;
    if (corners == 3) {
        compare_with_faces(packet, group, reach, face, &verdict);
        if (floats_mask_none(verdict.possible)) {
            return verdict;
        }
    }
    compare_with_face_plane(packet, corners, group, reach, face, &sides, &verdict);
    if (corners == 4) {
        compare_with_cells(packet, group, reach, face, &verdict);
    }
    for (int edge = 0; edge < 3 && !floats_mask_none(verdict.possible); edge++) {
        compare_with_edge(packet, corners, group, reach, face, edge, &sides, &verdict);
    }
    return verdict;
}

static inline uint32_t match_any_faces(const struct packet *packet, int corners, const struct face_record *faces,
                                       const uint32_t *list, uint32_t count, uint32_t *hits)
{
    const struct near_boxes boxes = near_boxes_of(packet);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct face_record *face = &faces[list[i]];
        uint32_t near = lanes_near(&boxes, face->lo, face->hi);
        while (near) {
            const int group = group_of(near);
            floats_mask lanes = floats_mask_of_bits(near >> group);
            if (corners == 3) {
                floats_mask earlier = words_less(words_load(packet->number + group), words_set(list[i]));
                lanes = floats_mask_and(lanes, earlier);
            }
            lanes = strangers(packet, corners, group, lanes, face->id[0], face->id[1], face->id[2]);
            if (!floats_mask_none(lanes)) {
                found = put_hits(hits, found, i, group, judge_face(packet, corners, group, lanes, face));
            }
            near = other_groups(near, group);
        }
    }
    return found;
}

static uint32_t match_cell_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                                 uint32_t count, uint32_t *hits)
{
    return match_any_faces(packet, 4, faces, list, count, hits);
}

static uint32_t match_faces(const struct packet *packet, const struct face_record *faces, const uint32_t *list,
                            uint32_t count, uint32_t *hits)
{
    return match_any_faces(packet, 3, faces, list, count, hits);
}

#define PACKET_KERNELS_ROW                                                                                             \
    {                                                                                                                  \
        prepare_cells, prepare_faces, scan_row, match_points, match_cell_faces, match_faces                            \
    }
