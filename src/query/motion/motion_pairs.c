/* Which pairs of bodies are asked, by which chains of motions they see each other, and when they can meet at the
 * earliest. See motion_run.h.
 *
 * With many bodies, boxes around each during the whole step are swept along x first; with few, every pair is looked at.
 */
#include <math.h>

#include "geometry/motion/interval_kernels.h"
#include "base/radix_sort.h"
#include "geometry/metric/quaternion.h"
#include "query/motion/motion_run.h"

enum { SWEEP_FROM = 24, SWEEP_PIECES = 8 };

/* ---- chains ------------------------------------------------------------------------------------------------------ */

/* Frames are numbered parents first: walking up from the larger number ends at the lowest common ancestor. */
static bool make_chains(const struct motion_run *run, struct motion_pair *pair)
{
    const dent_motion_frame *frames = run->def->frames;
    uint32_t from[2] = {pair->a->frame, pair->b->frame}, counts[2] = {0, 0};
    const struct trajectory **links[2] = {NULL, NULL};
    for (int pass = 0; pass < 2; pass++) { /* count, then fill from the end */
        uint32_t at[2] = {from[0], from[1]}, left[2] = {counts[0], counts[1]};
        while (at[0] != at[1]) {
            int side = at[1] == DENT_FRAME_WORLD || (at[0] != DENT_FRAME_WORLD && at[0] > at[1]) ? 0 : 1;
            if (pass == 0) {
                counts[side]++;
            } else {
                links[side][--left[side]] = &run->trajectories[at[side]];
            }
            at[side] = frames[at[side]].parent;
        }
        for (int side = 0; side < 2 && pass == 0; side++) {
            links[side] = arena_allocate(run->scratch, counts[side], sizeof *links[side]);
            if (!links[side]) {
                return false;
            }
        }
    }
    pair->chain_a = (struct motion_chain){links[0], counts[0]};
    pair->chain_b = (struct motion_chain){links[1], counts[1]};
    return true;
}

void motion_of_pair(const struct motion_run *run, const struct motion_pair *pair, double lo, double half,
                    struct motion_piece *piece)
{
    relative_motion(&pair->chain_a, &pair->chain_b, lo, half, run->bounds, interval_kernels_for(run->isa),
                    pair->a->tree->reach, pair->b->tree->reach, piece);
}

/* ---- one pair ---------------------------------------------------------------------------------------------------- */

static bool is_excluded(const struct motion_run *run, uint32_t body_index_a, uint32_t body_index_b)
{
    dent_body_id a = body_table_id_at(run->table, body_index_a), b = body_table_id_at(run->table, body_index_b);
    for (uint32_t i = 0; i < run->def->excluded_count; i++) {
        const dent_excluded_pair *pair = &run->def->excluded[i];
        if ((dent_body_id_equal(pair->a, a) && dent_body_id_equal(pair->b, b)) ||
            (dent_body_id_equal(pair->a, b) && dent_body_id_equal(pair->b, a))) {
            return true;
        }
    }
    return false;
}

static bool is_asked(const struct motion_run *run, uint32_t body_index_a, uint32_t body_index_b)
{
    const struct motion_actor *a = &run->actors[body_index_a], *b = &run->actors[body_index_b];
    return (a->rigid || b->rigid) && !(a->rigid && b->rigid && a->frame == b->frame) && a->tree->face_count > 0 &&
           b->tree->face_count > 0 && bodies_may_meet(a->body, b->body) &&
           !is_excluded(run, body_index_a, body_index_b);
}

/* Whose coordinates are worked in: the rigid one, the one that rests, the one with more faces. The rule looks at the
 * bodies, not at their order. */
static bool b_is_base(const struct motion_actor *a, const struct motion_actor *b)
{
    if (a->rigid != b->rigid) {
        return b->rigid;
    }
    if ((a->frame == DENT_FRAME_WORLD) != (b->frame == DENT_FRAME_WORLD)) {
        return b->frame == DENT_FRAME_WORLD;
    }
    return b->tree->face_count > a->tree->face_count;
}

static double radius_of(const struct motion_actor *actor)
{
    return actor->rigid ? ((const struct motion_volume *)actor->tree->nodes.data)->radius
                        : ((const struct linear_volume *)actor->tree->linear.data)->radius;
}

/* A lower bound of the time of contact: the gap of the outermost spheres at the start by the greatest speed at which a
 * point of b can move in the coordinates of a. */
static double earliest_contact(const struct motion_run *run, const struct motion_pair *pair)
{
    struct motion_piece start, whole;
    struct placed_volume placed;
    const struct motion_volume *a = pair->a->tree->nodes.data;
    const struct linear_volume *linear = pair->b->tree->linear.data;
    motion_of_pair(run, pair, 0, 0, &start);
    if (pair->b->rigid) {
        place_volume(&start, pair->b->tree->nodes.data, &placed);
    } else {
        place_linear_volume(&start, 0, linear, &placed);
    }
    double apart[3];
    for (int k = 0; k < 3; k++) {
        apart[k] = placed.centre[k] - a->centre[k];
    }
    double gap = vector_length(apart) * (1 - 0x1p-40) - (a->radius + placed.radius + placed.rest) * (1 + 0x1p-40);
    if (!(gap > 0)) {
        return 0;
    }
    relative_motion(&pair->chain_a, &pair->chain_b, 0, 0.5, DENT_MOTION_BOUNDS_TAYLOR, NULL, pair->a->tree->reach,
                    pair->b->tree->reach, &whole);
    double speed = whole.speed + whole.turning * pair->b->tree->reach;
    if (!pair->b->rigid) {
        double displacement[3];
        for (int k = 0; k < 3; k++) {
            displacement[k] = fabs(linear->centre[1][k] - linear->centre[0][k]) + 2 * linear->half_extent[k];
        }
        speed += vector_length(displacement);
    }
    return gap / (speed * (1 + 0x1p-30)) * (1 - 0x1p-30);
}

static bool add_pair(struct motion_run *run, struct dynamic_array *pairs, uint32_t body_index_a, uint32_t body_index_b)
{
    struct motion_pair pair = {.body_index_a = body_index_a,
                               .body_index_b = body_index_b,
                               .a = &run->actors[body_index_a],
                               .b = &run->actors[body_index_b]};
    if (b_is_base(pair.a, pair.b)) {
        pair =
            (struct motion_pair){.body_index_a = body_index_b, .body_index_b = body_index_a, .a = pair.b, .b = pair.a};
    }
    if (!make_chains(run, &pair)) {
        return false;
    }
    double size = radius_of(pair.a) + radius_of(pair.b);
    double wanted = run->def->tolerance > 0 ? run->def->tolerance * run->scale : 1e-6 * size;
    double least = size * 0x1p-28 > 0x1p-300 ? size * 0x1p-28 : 0x1p-300;
    pair.tolerance = wanted > least ? wanted : least;
    pair.earliest = earliest_contact(run, &pair);
    return array_push(pairs, &pair);
}

/* ---- many bodies ------------------------------------------------------------------------------------------------- */

/* A box around the body during the whole step, in the world. */
static bool bound_actor(const struct motion_run *run, struct motion_actor *actor)
{
    const struct motion_volume *root = actor->tree->nodes.data;
    const struct linear_volume *linear = actor->tree->linear.data;
    struct motion_pair alone = {.b = actor};
    const struct motion_actor world = {.frame = DENT_FRAME_WORLD};
    alone.a = &world;
    if (!make_chains(run, &alone)) {
        return false;
    }
    bool moves = !actor->rigid || alone.chain_b.count > 0;
    int pieces = moves ? SWEEP_PIECES : 1;
    for (int k = 0; k < 3; k++) {
        actor->lo[k] = INFINITY;
        actor->hi[k] = -INFINITY;
    }
    for (int i = 0; i < pieces; i++) {
        struct motion_piece piece;
        struct placed_volume placed;
        double half = 0.5 / pieces, lo = (double)i / pieces;
        relative_motion(&alone.chain_a, &alone.chain_b, lo, half, run->bounds, interval_kernels_for(run->isa),
                        actor->tree->reach, actor->tree->reach, &piece);
        if (actor->rigid) {
            place_volume(&piece, root, &placed);
        } else {
            place_linear_volume(&piece, lo + half, linear, &placed);
        }
        for (int k = 0; k < 3; k++) {
            double extent = (fabs(placed.sweep[k]) + placed.radius + placed.rest) * (1 + 0x1p-40);
            actor->lo[k] = fmin(actor->lo[k], rounded_down(placed.centre[k] - extent));
            actor->hi[k] = fmax(actor->hi[k], rounded_up(placed.centre[k] + extent));
        }
    }
    return true;
}

/* Numbers in the order of the doubles. */
static uint64_t sortable_bits(double x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

static bool sweep_bodies(struct motion_run *run, struct dynamic_array *pairs)
{
    uint32_t count = run->actor_count;
    uint64_t *keys = arena_allocate(run->scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(run->scratch, count, 2 * sizeof *order);
    if (!keys || !order) {
        return false;
    }
    uint32_t used = 0;
    for (uint32_t body_index = 0; body_index < count; body_index++) {
        struct motion_actor *actor = &run->actors[body_index];
        if (actor->tree->face_count > 0) {
            if (!bound_actor(run, actor)) {
                return false;
            }
            keys[used] = sortable_bits(actor->lo[0]);
            order[used++] = body_index;
        }
    }
    radix_sort_u64(keys, order, keys + count, order + count, used);
    for (uint32_t i = 0; i < used; i++) {
        const struct motion_actor *a = &run->actors[order[i]];
        for (uint32_t j = i + 1; j < used && run->actors[order[j]].lo[0] <= a->hi[0]; j++) {
            const struct motion_actor *b = &run->actors[order[j]];
            bool meet = a->lo[1] <= b->hi[1] && b->lo[1] <= a->hi[1] && a->lo[2] <= b->hi[2] && b->lo[2] <= a->hi[2];
            uint32_t low = order[i] < order[j] ? order[i] : order[j], high = order[i] ^ order[j] ^ low;
            if (meet && is_asked(run, low, high) && !add_pair(run, pairs, low, high)) {
                return false;
            }
        }
    }
    return true;
}

/* ---- all pairs --------------------------------------------------------------------------------------------------- */

static bool list_all(struct motion_run *run, struct dynamic_array *pairs)
{
    for (uint32_t a = 0; a < run->actor_count; a++) {
        for (uint32_t b = a + 1; b < run->actor_count; b++) {
            if (is_asked(run, a, b) && !add_pair(run, pairs, a, b)) {
                return false;
            }
        }
    }
    return true;
}

/* The most promising first: by the lower bound, then by body indices. */
static bool order_pairs(struct motion_run *run, struct dynamic_array *pairs)
{
    size_t count = pairs->count;
    const struct motion_pair *given = pairs->data;
    run->pairs = arena_allocate(run->scratch, count, sizeof *run->pairs);
    struct key128 *keys = arena_allocate(run->scratch, count, 2 * sizeof *keys);
    uint32_t *order = arena_allocate(run->scratch, count, 2 * sizeof *order);
    if (!run->pairs || !keys || !order) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t low = given[i].body_index_a < given[i].body_index_b ? given[i].body_index_a : given[i].body_index_b;
        uint32_t high = given[i].body_index_a ^ given[i].body_index_b ^ low;
        keys[i] = (struct key128){sortable_bits(given[i].earliest), (uint64_t)low << 32 | high};
        order[i] = (uint32_t)i;
    }
    if (count > 1) {
        radix_sort_u128(keys, order, keys + count, order + count, count);
    }
    for (size_t i = 0; i < count; i++) {
        run->pairs[i] = given[order[i]];
    }
    run->pair_count = (uint32_t)count;
    return true;
}

dent_status motion_list_pairs(struct motion_run *run)
{
    struct dynamic_array *pairs = &run->state->pairs;
    array_clear(pairs);
    bool done = run->actor_count < SWEEP_FROM ? list_all(run, pairs) : sweep_bodies(run, pairs);
    if (done && pairs->count >= UINT32_MAX) {
        return message_fail(run->message, DENT_ERROR_TOO_LARGE, "2^32 - 1 or more pairs of bodies");
    }
    return done && order_pairs(run, pairs) ? DENT_OK : motion_out_of_memory(run);
}
