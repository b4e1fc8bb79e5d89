/* Clusters in a snapshot. See cluster_snapshot.h. */
#include "structures/clusters/cluster_snapshot.h"

#include <math.h>
#include <string.h>

#include "base/prefetch.h"

/* The scale is a power of two that brings half the largest extent of the world below 1. Exponents beyond 1000 are cut
 * off: very small worlds then stay small, their numbers may round to 0, and everything is decided by the exact
 * predicates. */
static void choose_frame(struct cluster_snapshot *state)
{
    const struct snapshot *snapshot = state->snapshot;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY}, half = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body_snapshot *body = &snapshot->bodies[body_index];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = body->lo[axis] < lo[axis] ? body->lo[axis] : lo[axis];
            hi[axis] = body->hi[axis] > hi[axis] ? body->hi[axis] : hi[axis];
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        state->centre[axis] = lo[axis] <= hi[axis] ? lo[axis] * 0.5 + hi[axis] * 0.5 : 0;
        if (lo[axis] <= hi[axis]) {
            half = fmax(half, fmax(hi[axis] - state->centre[axis], state->centre[axis] - lo[axis]));
        }
    }
    int exponent = 0;
    frexp(half, &exponent);
    exponent = half == 0 ? 0 : exponent < -1000 ? -1000 : exponent;
    state->scale = ldexp(1.0, -exponent);
}

static const struct cluster_box empty_box = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

#define SIXTEEN(x)                                                                                                     \
    {                                                                                                                  \
        x, x, x, x, x, x, x, x, x, x, x, x, x, x, x, x                                                                 \
    }
#define NOWHERE SIXTEEN(INFINITY)
#define NOWHERE_EITHER SIXTEEN(-INFINITY)
static const struct box_group empty_group = {{NOWHERE, NOWHERE, NOWHERE},
                                             {NOWHERE_EITHER, NOWHERE_EITHER, NOWHERE_EITHER}};

static void set_member(struct box_group *group, uint32_t slot, const struct cluster_box *box)
{
    for (int axis = 0; axis < 3; axis++) {
        group->lo[axis][slot] = box->lo[axis];
        group->hi[axis][slot] = box->hi[axis];
    }
}

/* Coordinates, 384 bytes a cluster, and strains, 1,024 bytes a piece, that stay in a cache of the second level together:
 * those of 2,048 clusters in full pieces, or of 651 bodies of one cluster. */
enum { SMALL_WORLD_BYTES = 2048 * (384 + 64) };

/* Memory is taken for both, needed or not: bodies rest from being certified for some queries, and the query in which
 * they are tried again must not need more scratch than those before. Large worlds of small bodies have not enough of it:
 * there the two take turns in the same memory. */
static bool take_points_and_strains(struct cluster_snapshot *state, struct arena *scratch)
{
    size_t points = (size_t)state->cluster_count * sizeof *state->points;
    size_t strains = state->may_want_strains ? (size_t)state->piece_count * sizeof *state->strains : 0;
    bool small = points + strains <= SMALL_WORLD_BYTES, both = small || !state->one_piece_each;
    size_t larger = points > strains ? points : strains;
    unsigned char *memory = arena_allocate(scratch, both ? points + strains : larger, 1);
    bool keep = small || !state->wants_strains || (both && state->keep_points);
    state->points = keep ? (struct cluster_points *)memory : NULL;
    state->strains = state->wants_strains ? (struct piece_strain *)(memory + (both && memory ? points : 0)) : NULL;
    return memory != NULL;
}

/* A cluster is about a kilobyte: connectivity, positions, shape at rest. So many are more than caches of the second level
 * hold. */
enum { CACHED_CLUSTERS = 4096 };

bool cluster_snapshot_prepare(struct cluster_snapshot *state, const struct snapshot *snapshot, struct arena *scratch)
{
    state->snapshot = snapshot;
    state->fetch_early = state->cluster_count > CACHED_CLUSTERS;
    choose_frame(state);
    bool enough = take_points_and_strains(state, scratch);
    state->strain_sums =
        arena_allocate(scratch, state->may_want_strains ? state->piece_count : 0, sizeof *state->strain_sums);
    enough = enough && state->strain_sums;
    for (int side = 0; side < SIDE_COUNT; side++) {
        if (state->wants[side]) {
            state->piece_boxes[side] =
                arena_allocate(scratch, state->piece_boxes_count, sizeof *state->piece_boxes[side]);
            state->group_boxes[side] =
                arena_allocate(scratch, state->group_boxes_count, sizeof *state->group_boxes[side]);
            state->ranges[side] = arena_allocate(scratch, state->range_count, sizeof *state->ranges[side]);
            state->boxes[side] = arena_allocate(scratch, snapshot->body_count, sizeof *state->boxes[side]);
            enough = enough && state->piece_boxes[side] && state->group_boxes[side] && state->ranges[side] &&
                     state->boxes[side];
        }
    }
    for (uint32_t body_index = 0; enough && !state->one_piece_each && body_index < snapshot->body_count; body_index++) {
        const struct clustered_body *body = &state->bodies[body_index];
        for (int side = 0; side < SIDE_COUNT && body->piece_count > 1; side++) {
            if (state->wants[side]) {
                state->group_boxes[side][body->first_group_boxes + body->group_count - 1] = empty_group;
            }
        }
    }
    return enough;
}

void cluster_snapshot_piece_box(const struct cluster_snapshot *state, uint32_t body_index, uint32_t piece,
                                struct cluster_box *box)
{
    const struct clustered_body *body = &state->bodies[body_index];
    if (body->piece_count == 1) {
        *box = state->boxes[SIDE_CELLS][body_index];
    } else {
        get_group_member(&state->group_boxes[SIDE_CELLS][body->first_group_boxes + piece / PIECE_CLUSTERS],
                         piece % PIECE_CLUSTERS, box);
    }
}

void cluster_snapshot_cluster_box(const struct cluster_snapshot *state, uint32_t body_index, uint32_t piece,
                                  uint32_t slot, struct cluster_box *box)
{
    const struct clustered_body *body = &state->bodies[body_index];
    if (body->cluster_count == 1) {
        *box = state->boxes[SIDE_CELLS][body_index];
    } else {
        get_group_member(&state->piece_boxes[SIDE_CELLS][body->first_piece_boxes + piece], slot, box);
    }
}

static void widen(struct cluster_box *box, const struct cluster_box *other)
{
    for (int axis = 0; axis < 3; axis++) {
        box->lo[axis] = other->lo[axis] < box->lo[axis] ? other->lo[axis] : box->lo[axis];
        box->hi[axis] = other->hi[axis] > box->hi[axis] ? other->hi[axis] : box->hi[axis];
    }
}

static uint32_t vertices_of_side(const struct cluster_snapshot *state, const struct cluster *cluster, int side)
{
    switch (side) {
    case SIDE_CELLS:
        return cluster->cell_count ? UINT32_MAX : 0;
    case SIDE_VERTICES:
        return state->surface_vertices_only ? cluster->owned_surface : cluster->owned;
    default:
        return cluster->on_faces;
    }
}

/* All cells of the cluster lie in a plane across one axis: none of them has an interior. Judged in the doubles, looked
 * at only where the floats are equal. Keeps a world fallen together in one point from costing all pairs. */
static bool cells_are_flat(const struct cluster *cluster, const double (*xyz)[3], const struct cluster_box *box)
{
    for (int axis = 0; axis < 3; axis++) {
        bool flat = box->lo[axis] == box->hi[axis];
        for (uint32_t k = 1; flat && k < cluster->vertex_count; k++) {
            flat = xyz[cluster->vertices[k]][axis] == xyz[cluster->vertices[0]][axis];
        }
        if (flat) {
            return true;
        }
    }
    return false;
}

enum { AHEAD = 4 };

/* Positions are read in an order the processor cannot guess, and clusters lie far apart: what will be needed is asked
 * for early. */
PREFETCH_FUNCTION fetch_ahead(const struct clustered_body *body, uint32_t number, const double (*xyz)[3])
{
    if (number + AHEAD < body->cluster_count) {
        const char *static_part = (const char *)&body->list[number + AHEAD];
        const char *rest = body->rest_shapes ? (const char *)&body->rest_shapes[number + AHEAD] : static_part;
        __builtin_prefetch(static_part);
        __builtin_prefetch(static_part + 64);
        __builtin_prefetch(static_part + 128);
        __builtin_prefetch(rest);
        __builtin_prefetch(rest + 64);
        __builtin_prefetch(rest + 128);
        __builtin_prefetch(rest + 192);
    }
    if (number + 1 < body->cluster_count) {
        const struct cluster *next = &body->list[number + 1];
        for (uint32_t k = 0; k < next->vertex_count; k++) {
            __builtin_prefetch(xyz[next->vertices[k]]);
        }
    }
}

static bool wants_strain(const struct cluster_snapshot *state, const struct clustered_body *body, uint32_t piece)
{
    return body->rest_shapes && !(state->still && state->still[piece]);
}

/* Rounded coordinates of the clusters of a piece. All of them before anything is computed of one: they are written four
 * numbers at a time, and a register filled from what was just written in parts waits for it. */
static const struct cluster_points *load_piece(const struct cluster_snapshot *state, uint32_t body_index,
                                               uint32_t first, uint32_t count, struct cluster_points *own_points)
{
    const struct clustered_body *body = &state->bodies[body_index];
    struct cluster_points *points = state->points ? &state->points[body->first_cluster + first] : own_points;
    for (uint32_t slot = 0; slot < count; slot++) {
        if (state->fetch_early) {
            fetch_ahead(body, first + slot, state->snapshot->bodies[body_index].xyz);
        }
        cluster_snapshot_load(state, body_index, first + slot, &points[slot]);
    }
    return points;
}

/* Strains of the clusters of a piece of the world, the first of which is `first`. */
static void fill_strains(const struct cluster_snapshot *state, const struct clustered_body *body, uint32_t piece,
                         uint32_t first, uint32_t count, const struct cluster_points *points)
{
    if (!wants_strain(state, body, piece)) {
        return; /* there may be no room for any */
    }
    const struct cluster_rest *rest = &body->rest_shapes[first];
    struct piece_strain *strain = &state->strains[piece];
    for (uint32_t slot = 0; slot < count; slot++) {
        (body->wants_stretches ? state->kernels->placed_strain : state->kernels->strain)(&rest[slot], &points[slot],
                                                                                         strain, slot);
    }
    if (body->wants_sums) {
        double sums[9] = {0};
        for (uint32_t slot = 0; slot < count; slot++) {
            for (int k = 0; k < 9; k++) {
                sums[k] += (double)strain->g[k][slot];
            }
        }
        memcpy(state->strain_sums[piece], sums, sizeof sums);
    }
    if (body->wants_stretches) {
        state->kernels->stretches(strain);
    }
}

/* The box of one side of a cluster, into its place among those of all sides; those before are known. */
static void set_box_of_side(const struct cluster_snapshot *state, uint32_t body_index, const struct cluster *cluster,
                            const struct cluster_points *points, int side, struct cluster_box boxes[SIDE_COUNT])
{
    uint32_t vertices = vertices_of_side(state, cluster, side);
    if (side != SIDE_CELLS && vertices == all_vertices(cluster) && boxes[SIDE_CELLS].lo[0] <= boxes[SIDE_CELLS].hi[0]) {
        boxes[side] = boxes[SIDE_CELLS]; /* of the same vertices */
        return;
    }
    if (!vertices) {
        boxes[side] = empty_box;
        return;
    }
    state->kernels->bound(points, vertices, &boxes[side]);
    if (side == SIDE_CELLS && state->leave_out_flat &&
        cells_are_flat(cluster, state->snapshot->bodies[body_index].xyz, &boxes[side])) {
        boxes[side] = empty_box;
    }
}

/* The bounds of a body, rounded as its vertices are: rounding is monotone, so these are the bounds of the rounded
 * vertices. */
static struct cluster_box rounded_box(const struct cluster_snapshot *state, const struct body_snapshot *body)
{
    struct cluster_box box;
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = (float)((body->lo[axis] - state->centre[axis]) * state->scale);
        box.hi[axis] = (float)((body->hi[axis] - state->centre[axis]) * state->scale);
    }
    return box;
}

/* A body of one cluster: its boxes are those of the cluster, and mostly those of all its vertices. */
static void fill_single(const struct cluster_snapshot *state, uint32_t body_index, uint32_t piece)
{
    const struct body_snapshot *body_snapshot = &state->snapshot->bodies[body_index];
    const struct cluster *cluster = &state->bodies[body_index].list[0];
    struct cluster_points own_points;
    const struct cluster *next =
        body_index + 3 < state->snapshot->body_count ? state->bodies[body_index + 3].list : NULL;
    if (next) { /* small bodies lie anywhere in memory */
        __builtin_prefetch(next->vertices);
        __builtin_prefetch(&next->owned);
    }
    const struct cluster_points *points = load_piece(state, body_index, 0, 1, &own_points);
    fill_strains(state, &state->bodies[body_index], piece, 0, 1, points);
    const struct cluster_box whole = rounded_box(state, body_snapshot);
    for (int side = 0; side < SIDE_COUNT; side++) {
        if (!state->wants[side]) {
            continue;
        }
        uint32_t vertices = vertices_of_side(state, cluster, side);
        struct cluster_box *box = &state->boxes[side][body_index];
        *box = vertices ? whole : empty_box;
        if (vertices && (~vertices & all_vertices(cluster))) {
            state->kernels->bound(points, vertices, box);
        }
        if (side == SIDE_CELLS && state->leave_out_flat && cells_are_flat(cluster, body_snapshot->xyz, box)) {
            *box = empty_box;
        }
    }
}

void cluster_snapshot_fill_piece(const struct cluster_snapshot *state, uint32_t piece)
{
    uint32_t body_index = state->body_of_piece[piece];
    const struct clustered_body *body = &state->bodies[body_index];
    if (body->cluster_count == 1) {
        fill_single(state, body_index, piece);
        return;
    }
    const struct cluster_piece *range = &body->pieces[piece - body->first_piece];
    struct cluster_points own_points[PIECE_CLUSTERS];
    struct cluster_box whole[SIDE_COUNT] = {empty_box, empty_box, empty_box};
    for (int side = 0; side < SIDE_COUNT; side++) {
        if (state->wants[side] && range->count < PIECE_CLUSTERS) {
            *cluster_snapshot_boxes_of_piece(state, side, piece) = empty_group;
        }
    }
    const struct cluster_points *points = load_piece(state, body_index, range->first, range->count, own_points);
    fill_strains(state, body, piece, range->first, range->count, points);
    for (uint32_t slot = 0; slot < range->count; slot++) {
        struct cluster_box boxes[SIDE_COUNT];
        for (int side = 0; side < SIDE_COUNT; side++) {
            if (state->wants[side]) {
                set_box_of_side(state, body_index, &body->list[range->first + slot], &points[slot], side, boxes);
                set_member(cluster_snapshot_boxes_of_piece(state, side, piece), slot, &boxes[side]);
                widen(&whole[side], &boxes[side]);
            }
        }
    }
    uint32_t in_body = piece - body->first_piece;
    for (int side = 0; side < SIDE_COUNT; side++) {
        if (state->wants[side] && body->piece_count == 1) {
            state->boxes[side][body_index] = whole[side];
        } else if (state->wants[side]) {
            set_member(&state->group_boxes[side][body->first_group_boxes + in_body / PIECE_CLUSTERS],
                       in_body % PIECE_CLUSTERS, &whole[side]);
        }
    }
}

/* The box around sixteen boxes. */
static struct cluster_box box_of_group(const struct box_group *group)
{
    struct cluster_box whole = empty_box;
    for (int axis = 0; axis < 3; axis++) {
        for (uint32_t slot = 0; slot < PIECE_CLUSTERS; slot++) {
            float lo = group->lo[axis][slot], hi = group->hi[axis][slot];
            whole.lo[axis] = lo < whole.lo[axis] ? lo : whole.lo[axis];
            whole.hi[axis] = hi > whole.hi[axis] ? hi : whole.hi[axis];
        }
    }
    return whole;
}

static void fill_side_of_body(const struct cluster_snapshot *state, uint32_t body_index, int side)
{
    const struct clustered_body *body = &state->bodies[body_index];
    struct box_group *ranges = &state->ranges[side][body->first_range];
    struct cluster_box whole = empty_box;
    for (uint32_t group = 0; group < body->group_count; group++) {
        struct cluster_box box = box_of_group(&state->group_boxes[side][body->first_group_boxes + group]);
        if (group % PIECE_CLUSTERS == 0) {
            ranges[group / PIECE_CLUSTERS] = empty_group;
        }
        set_member(&ranges[group / PIECE_CLUSTERS], group % PIECE_CLUSTERS, &box);
        widen(&whole, &box);
    }
    state->boxes[side][body_index] = whole;
}

void cluster_snapshot_fill_bodies(const struct cluster_snapshot *state)
{
    for (uint32_t body_index = 0; !state->one_piece_each && body_index < state->snapshot->body_count; body_index++) {
        for (int side = 0; side < SIDE_COUNT; side++) {
            if (state->wants[side] && state->bodies[body_index].piece_count != 1) {
                fill_side_of_body(state, body_index, side);
            }
        }
    }
}
