/* Cutting, ordering and refitting packets of segments. See strand_packets.h.
 *
 * Boxes. Two segments that are near have a true distance of at most (ra + rb)(1 + u) + 64 u in scaled units (coordinates
 * are at most 1; feature_distance.h), and half a step of the subnormal grid where the distance is rounded there. Along an
 * axis of length k they are then apart by at most k times that. Each packet grows by k (its largest radius (1 + 2^-20) +
 * 2^-22 + the scaled step), which also covers the rounding of sums of two floats below 2.
 */
#include "structures/strands/strand_packets.h"

#include <float.h>
#include <math.h>

#include "base/radix_sort.h"
#include "bodies/strand_body.h"
#include "geometry/metric/float_boxes.h"
#include "geometry/numbers/bounds.h"
#include "base/containers/morton_code.h"

enum { GROUPS_PER_BLOCK = 64 };

void strand_packets_init(struct strand_packets *packets, dent_context *context)
{
    *packets = (struct strand_packets){.context = context};
    array_init(&packets->places, context, sizeof(struct packet_place));
    array_init(&packets->packet_of_slot, context, sizeof(uint32_t));
    array_init(&packets->packets, context, sizeof(struct strand_packet));
    array_init(&packets->box_storage, context, sizeof(struct packet_boxes));
    loop_costs_init(&packets->costs, context);
}

void strand_packets_destroy(struct strand_packets *packets)
{
    array_destroy(&packets->places);
    array_destroy(&packets->packet_of_slot);
    array_destroy(&packets->packets);
    array_destroy(&packets->box_storage);
    loop_costs_destroy(&packets->costs);
}

/* ---- cutting ------------------------------------------------------------------------------------------------------ */

static uint64_t count_packets(const struct snapshot *snapshot)
{
    uint64_t count = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        for (uint32_t strand = 0; body_has_segments(body) && strand < body->strand_count; strand++) {
            uint32_t segments = body->strand_first[strand + 1] - body->strand_first[strand] - 1;
            count += (segments + PACKET_SEGMENTS - 1) / PACKET_SEGMENTS;
        }
    }
    return count;
}

static void cut_strands(const struct snapshot *snapshot, struct packet_place *places)
{
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        for (uint32_t strand = 0; body_has_segments(body) && strand < body->strand_count; strand++) {
            uint32_t first = body->strand_first[strand] - strand, end = body->strand_first[strand + 1] - strand - 1;
            for (; first < end; first += PACKET_SEGMENTS) {
                uint32_t count = end - first < PACKET_SEGMENTS ? end - first : PACKET_SEGMENTS;
                *places++ = (struct packet_place){body_index, first, strand, count};
            }
        }
    }
}

static bool lay_out_levels(struct strand_packets *packets)
{
    uint32_t count = packets->packet_count;
    size_t groups = 0;
    packets->level_count = 0;
    do {
        packets->levels[packets->level_count++].count = count;
        count = (count + PACKET_ARITY - 1) / PACKET_ARITY;
        groups += count;
    } while (count > 1 || packets->level_count < 2);
    array_clear(&packets->box_storage);
    struct packet_boxes *next = array_extend(&packets->box_storage, groups);
    for (uint32_t number = 0; next && number < packets->level_count; number++) {
        struct packet_level *level = &packets->levels[number];
        level->boxes = next;
        next += (level->count + PACKET_ARITY - 1) / PACKET_ARITY;
    }
    return next != NULL;
}

static bool cut(struct strand_packets *packets, const struct snapshot *snapshot)
{
    uint64_t count = count_packets(snapshot);
    packets->valid = packets->has_order = false;
    array_clear(&packets->places);
    array_clear(&packets->packet_of_slot);
    array_clear(&packets->packets);
    if (count >= UINT32_MAX || !array_extend(&packets->places, count) ||
        !array_extend(&packets->packet_of_slot, count) || !array_extend(&packets->packets, count)) {
        return false;
    }
    packets->packet_count = (uint32_t)count;
    cut_strands(snapshot, packets->places.data);
    packets->topology_version = snapshot->table->topology_version;
    packets->valid = lay_out_levels(packets);
    return packets->valid;
}

/* ---- numbers of the world to [-1, 1] ------------------------------------------------------------------------------ */

struct packet_map {
    double centre[3], half; /* of the widest side of the box of all strands */
    struct box_scaling scaling;
};

static struct packet_map map_of(const struct snapshot *snapshot)
{
    struct packet_map map;
    double lo[3], hi[3], half = 0;
    bounds_clear(lo, hi);
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body_snapshot *body = &snapshot->bodies[body_index];
        if (body_has_segments(body->body) && body->lo[0] <= body->hi[0]) {
            bounds_add(lo, hi, body->lo, body->hi);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        map.centre[axis] = lo[axis] <= hi[axis] ? lo[axis] / 2 + hi[axis] / 2 : 0;
        double extent = lo[axis] <= hi[axis] ? hi[axis] / 2 - lo[axis] / 2 : 0;
        half = extent > half ? extent : half;
    }
    map.half = half;
    map.scaling = box_scaling_for(half);
    return map;
}

/* ---- order -------------------------------------------------------------------------------------------------------- */

static bool order_slots(struct strand_packets *packets, const struct snapshot *snapshot, const struct packet_map *map,
                        struct arena *scratch)
{
    struct arena_mark mark = arena_mark(scratch);
    size_t count = packets->packet_count;
    const struct packet_place *places = packets->places.data;
    uint32_t *slots = packets->packet_of_slot.data;
    uint64_t *keys = arena_allocate(scratch, count, 2 * sizeof *keys);
    uint32_t *other = arena_allocate(scratch, count, sizeof *other);
    for (uint32_t packet = 0; keys && other && packet < count; packet++) {
        const struct body_snapshot *body = &snapshot->bodies[places[packet].body_index];
        const double *middle = body->xyz[body->body->edges[places[packet].first_segment + places[packet].count / 2].v0];
        uint32_t index[3];
        for (int axis = 0; axis < 3; axis++) {
            double x = box_scale(map->scaling, middle[axis] - map->centre[axis]);
            index[axis] = (uint32_t)((x + 1) * (2097151.0 / 2));
        }
        keys[packet] = morton_code(index);
        slots[packet] = packet;
    }
    if (keys && other) {
        radix_sort_u64(keys, slots, keys + count, other, count);
    }
    arena_rewind(scratch, mark);
    packets->has_order = keys && other;
    packets->extent_at_order = 0;
    return packets->has_order;
}

/* ---- refit -------------------------------------------------------------------------------------------------------- */

struct refit_loop {
    struct strand_packets *packets;
    const struct strand_kernels *kernels;
    const struct snapshot *snapshot;
    const double *thickness;
    struct packet_map map;
};

/* Radii beyond this reach everything. So do those whose sum with another may overflow: an infinite sum is met by infinite
 * distances. */
#define LARGEST_RADIUS 8.0

static float scaled_radius(const struct refit_loop *loop, double radius)
{
    double scaled = box_scale(loop->map.scaling, radius);
    return (float)(scaled < LARGEST_RADIUS && radius < 0x1p1022 ? scaled : LARGEST_RADIUS);
}

/* Where the numbers of a packet are. */
static void gather_packet(const struct refit_loop *loop, uint32_t slot, struct packet_refit *refit, uint32_t lane)
{
    const struct packet_place *place = packet_place_of(loop->packets, slot);
    const struct body_snapshot *snapshot = &loop->snapshot->bodies[place->body_index];
    const struct body *body = snapshot->body;
    const double(*xyz)[3] = snapshot->xyz + place->first_segment + place->strand;
    double thickness = loop->thickness[place->body_index];
    float radius = body->radii ? 0 : scaled_radius(loop, thickness);
    for (uint32_t v = 0; v <= PACKET_SEGMENTS; v++) {
        refit->vertices[v][lane] = xyz[v <= place->count ? v : place->count];
    }
    for (uint32_t i = 0; i < PACKET_SEGMENTS; i++) {
        uint32_t segment = place->first_segment + (i < place->count ? i : place->count - 1);
        refit->radii[i][lane] = body->radii ? scaled_radius(loop, edge_thickness(body, segment, thickness)) : radius;
    }
    refit->middle[lane] = (uint8_t)(place->count / 2);
}

static void set_bounds(struct packet_level *level, uint32_t node, const struct axis_bounds *bounds)
{
    struct packet_boxes *boxes = &level->boxes[node / PACKET_ARITY];
    for (int axis = 0; axis < PACKET_AXES; axis++) {
        boxes->lo[axis][node % PACKET_ARITY] = bounds->lo[axis];
        boxes->hi[axis][node % PACKET_ARITY] = bounds->hi[axis];
    }
}

static void bound_node(const struct packet_level *below, uint32_t node, struct axis_bounds *bounds)
{
    const struct packet_boxes *boxes = &below->boxes[node];
    for (int axis = 0; axis < PACKET_AXES; axis++) {
        const float *lo = boxes->lo[axis], *hi = boxes->hi[axis];
        float least = lo[0], most = hi[0];
        for (int i = 1; i < PACKET_ARITY; i++) {
            least = lo[i] < least ? lo[i] : least;
            most = hi[i] > most ? hi[i] : most;
        }
        bounds->lo[axis] = least;
        bounds->hi[axis] = most;
    }
}

static void refit_block(void *data, uint32_t block, uint32_t worker)
{
    const struct refit_loop *loop = data;
    struct packet_level *levels = loop->packets->levels;
    struct packet_refit refit = {.slack = 0x1p-22f + (float)box_scale(loop->map.scaling, DBL_TRUE_MIN),
                                 .scale = {loop->map.scaling.first, loop->map.scaling.second}};
    uint32_t first = block * GROUPS_PER_BLOCK, groups = levels[1].count;
    (void)worker;
    for (int axis = 0; axis < 3; axis++) {
        refit.centre[axis] = loop->map.centre[axis];
    }
    for (uint32_t group = first; group < groups && group - first < GROUPS_PER_BLOCK; group++) {
        struct axis_bounds around;
        uint32_t slot = group * PACKET_ARITY, left = levels[0].count - slot;
        refit.count = left < PACKET_ARITY ? left : PACKET_ARITY;
        for (uint32_t lane = 0; lane < PACKET_ARITY; lane++) {
            gather_packet(loop, slot + (lane < refit.count ? lane : 0), &refit, lane);
        }
        loop->kernels->refit(&refit, (struct strand_packet *)loop->packets->packets.data + slot,
                             &levels[0].boxes[group], &around);
        set_bounds(&levels[1], group, &around);
    }
}

static void empty_bounds(struct axis_bounds *bounds)
{
    for (int axis = 0; axis < PACKET_AXES; axis++) {
        bounds->lo[axis] = INFINITY;
        bounds->hi[axis] = -INFINITY;
    }
}

/* Levels above the groups, and empty boxes beyond the last node of each. */
static void refit_above(struct strand_packets *packets)
{
    struct axis_bounds bounds;
    for (uint32_t number = 1; number < packets->level_count; number++) {
        struct packet_level *level = &packets->levels[number];
        for (uint32_t node = 0; number > 1 && node < level->count; node++) {
            bound_node(&packets->levels[number - 1], node, &bounds);
            set_bounds(level, node, &bounds);
        }
        empty_bounds(&bounds);
        for (uint32_t node = level->count; node % PACKET_ARITY != 0; node++) {
            set_bounds(level, node, &bounds);
        }
    }
}

/* In lengths of the world. */
static double extent_of_groups(const struct strand_packets *packets, const struct packet_map *map)
{
    const struct packet_level *groups = &packets->levels[1];
    double extent = 0;
    for (uint32_t node = 0; node < groups->count; node++) {
        const struct packet_boxes *boxes = &groups->boxes[node / PACKET_ARITY];
        for (int axis = 0; axis < 3; axis++) {
            extent += (double)boxes->hi[axis][node % PACKET_ARITY] - (double)boxes->lo[axis][node % PACKET_ARITY];
        }
    }
    return extent / map->scaling.first / map->scaling.second;
}

bool strand_packets_update(struct strand_packets *packets, const struct snapshot *snapshot, const double *thickness,
                           dent_isa isa, struct arena *scratch)
{
    struct refit_loop loop = {packets, strand_kernels_for(isa), snapshot, thickness, map_of(snapshot)};
    if ((!packets->valid || packets->topology_version != snapshot->table->topology_version) &&
        !cut(packets, snapshot)) {
        return false;
    }
    bool stale = packets->extent_at_order > 0 && packets->extent > 2 * packets->extent_at_order;
    if ((!packets->has_order || stale) && !order_slots(packets, snapshot, &loop.map, scratch)) {
        return false;
    }
    uint32_t groups = packets->levels[1].count;
    dent_parallel_for(packets->context, groups / GROUPS_PER_BLOCK + (groups % GROUPS_PER_BLOCK != 0), refit_block,
                      &loop);
    refit_above(packets);
    packets->extent = extent_of_groups(packets, &loop.map);
    packets->extent_at_order = packets->extent_at_order > 0 ? packets->extent_at_order : packets->extent;
    packets->undecided = snapshot->largest > 0x1p1000 || loop.map.half < 0x1p-900;
    return true;
}
