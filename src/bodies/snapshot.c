/* Reading all positions of a world once per query. See snapshot.h. */
#include "bodies/snapshot.h"

#include <math.h>

#include "base/prefetch.h"
#include "bodies/copy_positions.h"
#include "geometry/numbers/bounds.h"

/* Vertices of all bodies, one behind the other, are read in blocks of equal size by several threads: many small bodies
 * in one block, a large one in many. How they are cut depends on the number of vertices alone. A body within one block
 * is bounded there; of the others a block has at most two, one that began in an earlier block and one that goes on in
 * the next. */
enum { BLOCK_VERTICES = 512, BLOCKS_MAX = 512 };

struct read_part {
    uint32_t body_index; /* UINT32_MAX: none */
    double lo[3], hi[3];
};

/* What is known of a block; a cache line apart. */
struct read_block {
    _Alignas(64) struct read_part head, tail; /* of the bodies that began before, and that go on */
    double largest;
    bool good; /* all positions could be read and are finite */
};

struct reading {
    struct body_snapshot *bodies;
    uint32_t body_count;
    dent_isa isa;
    size_t vertex_count, per_block;
    struct read_block *blocks;
};

void snapshot_init(struct snapshot *snapshot, dent_context *context)
{
    *snapshot = (struct snapshot){0};
    array_init(&snapshot->body_storage, context, sizeof(struct body_snapshot));
    array_init(&snapshot->position_storage, context, 3 * sizeof(double));
    array_init(&snapshot->block_storage, context, sizeof(struct read_block));
}

void snapshot_destroy(struct snapshot *snapshot)
{
    array_destroy(&snapshot->body_storage);
    array_destroy(&snapshot->position_storage);
    array_destroy(&snapshot->block_storage);
}

static size_t vertices_per_block(size_t vertex_count)
{
    size_t even = vertex_count / BLOCKS_MAX + 1;
    return even > BLOCK_VERTICES ? even : BLOCK_VERTICES;
}

static uint32_t block_count_of(size_t vertex_count)
{
    size_t per_block = vertices_per_block(vertex_count);
    return (uint32_t)((vertex_count + per_block - 1) / per_block);
}

/* ---- one block --------------------------------------------------------------------------------------------------- */

/* Copies some vertices and bounds them; false when a number is not finite. */
static bool copy_range(const dent_positions *given, dent_isa isa, uint32_t first, uint32_t count, double (*xyz)[3],
                       double lo[3], double hi[3])
{
    if (given->scalar == DENT_SCALAR_DOUBLE && (given->stride == 0 || given->stride == sizeof xyz[0])) {
        const unsigned char *from = (const unsigned char *)given->data + (size_t)first * sizeof xyz[0];
        return copy_positions_for(isa)(from, count, xyz + first, lo, hi);
    }
    return body_read_range(given, first, count, xyz, lo, hi);
}

/* Vertices that no element uses do not count. */
static void bound_used(const struct body *body, const double (*xyz)[3], uint32_t first, uint32_t count, double lo[3],
                       double hi[3])
{
    bounds_clear(lo, hi);
    for (uint32_t vertex = first; vertex < first + count; vertex++) {
        if (body->vertex_use[vertex] & VERTEX_USED) {
            bounds_add_point(lo, hi, xyz[vertex]);
        }
    }
}

/* False when something is wrong with the positions: body_read_positions then says what. */
static bool read_range(const struct body_snapshot *body_snapshot, dent_isa isa, uint32_t first, uint32_t count,
                       double lo[3], double hi[3])
{
    const struct body *body = body_snapshot->body;
    double(*xyz)[3] = (double(*)[3])body_snapshot->xyz;
    struct message ignored;
    message_clear(&ignored, NULL);
    bounds_clear(lo, hi);
    if (!body->positions_t0.data || body_check_positions(body, &body->positions_t0, &ignored) != DENT_OK ||
        !copy_range(&body->positions_t0, isa, first, count, xyz, lo, hi)) {
        return false;
    }
    if (body->topology.unused_vertices > 0) {
        bound_used(body, body_snapshot->xyz, first, count, lo, hi);
    }
    return true;
}

static double largest_of(const double lo[3], const double hi[3], double largest)
{
    for (int axis = 0; axis < 3 && lo[0] <= hi[0]; axis++) {
        double most = -lo[axis] > hi[axis] ? -lo[axis] : hi[axis]; /* the larger absolute value */
        largest = most > largest ? most : largest;
    }
    return largest;
}

/* Small bodies lie anywhere in memory: what the next ones need is asked for early. */
PREFETCH_FUNCTION fetch_ahead(const struct reading *reading, uint32_t body_index)
{
    enum { POSITIONS_AHEAD = 2, BODIES_AHEAD = 5, LINES = 4, LINE = 64 };
    if (body_index + BODIES_AHEAD < reading->body_count) {
        const struct body *body = reading->bodies[body_index + BODIES_AHEAD].body;
        __builtin_prefetch(&body->vertex_count);
        __builtin_prefetch(&body->topology);
        __builtin_prefetch(&body->positions_t0);
    }
    if (body_index + POSITIONS_AHEAD < reading->body_count) {
        const char *data = reading->bodies[body_index + POSITIONS_AHEAD].body->positions_t0.data;
        for (int line = 0; data && line < LINES; line++) {
            __builtin_prefetch(data + line * LINE);
        }
    }
}

/* The last body that does not begin behind a vertex of the world. */
static uint32_t body_at(const struct reading *reading, size_t vertex)
{
    uint32_t low = 0, high = reading->body_count;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (reading->bodies[middle].first[FEATURE_VERTEX] <= vertex) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

static void read_block(void *data, uint32_t number, uint32_t worker)
{
    (void)worker;
    const struct reading *reading = data;
    struct read_block *block = &reading->blocks[number];
    size_t begin = number * reading->per_block, left = reading->vertex_count - begin;
    size_t end = begin + (left < reading->per_block ? left : reading->per_block);
    block->head.body_index = block->tail.body_index = UINT32_MAX;
    block->largest = 0;
    block->good = true;
    for (uint32_t i = body_at(reading, begin);
         i < reading->body_count && reading->bodies[i].first[FEATURE_VERTEX] < end; i++) {
        struct body_snapshot *body = &reading->bodies[i];
        size_t body_end = body->first[FEATURE_VERTEX] + body->body->vertex_count;
        size_t from = body->first[FEATURE_VERTEX] > begin ? body->first[FEATURE_VERTEX] : begin,
               to = body_end < end ? body_end : end;
        bool began_before = body->first[FEATURE_VERTEX]<begin, goes_on = body_end> end;
        struct read_part *part = began_before ? &block->head : &block->tail;
        double *lo = began_before || goes_on ? part->lo : body->lo, *hi = began_before || goes_on ? part->hi : body->hi;
        fetch_ahead(reading, i);
        if (from < to) {
            block->good &= read_range(body, reading->isa, (uint32_t)(from - body->first[FEATURE_VERTEX]),
                                      (uint32_t)(to - from), lo, hi);
            block->largest = largest_of(lo, hi, block->largest);
            part->body_index = began_before || goes_on ? i : part->body_index;
        }
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

/* Bounds of the bodies that lie in several blocks; what is known of all. Returns whether all blocks are good. */
static bool join_blocks(const struct reading *reading, uint32_t block_count, double *largest)
{
    bool good = true;
    *largest = 0;
    for (uint32_t number = 0; number < block_count; number++) {
        const struct read_block *block = &reading->blocks[number];
        if (block->head.body_index != UINT32_MAX) {
            struct body_snapshot *body = &reading->bodies[block->head.body_index];
            bounds_add(body->lo, body->hi, block->head.lo, block->head.hi);
        }
        if (block->tail.body_index != UINT32_MAX) { /* the first of its body */
            struct body_snapshot *body = &reading->bodies[block->tail.body_index];
            memcpy(body->lo, block->tail.lo, sizeof body->lo);
            memcpy(body->hi, block->tail.hi, sizeof body->hi);
        }
        good = good && block->good;
        *largest = block->largest > *largest ? block->largest : *largest;
    }
    return good;
}

/* Body by body, where something is wrong or some have to be checked strictly: the first fault is told. */
static dent_status check_bodies(const struct reading *reading, bool good, struct message *message)
{
    dent_status status = DENT_OK;
    for (uint32_t i = 0; i < reading->body_count && status == DENT_OK; i++) {
        const struct body_snapshot *snapshot = &reading->bodies[i];
        const struct body *body = snapshot->body;
        status = good ? DENT_OK : body_read_positions(body, &body->positions_t0, message, (double(*)[3])snapshot->xyz);
        status = status == DENT_OK ? body_check_strict(body, snapshot->xyz, message) : status;
    }
    return status;
}

static void count_features(const struct body *body, size_t count[FEATURE_KINDS])
{
    count[FEATURE_VERTEX] += body->vertex_count;
    count[FEATURE_FACE] += body->surface_face_count;
    count[FEATURE_EDGE] += body->edge_count;
}

/* Room for everything, bodies and where their positions go: the same from step to step while the bodies are. False:
 * there is no memory. */
static bool lay_out(struct snapshot *snapshot, const struct body_table *table)
{
    if (snapshot->laid_out && snapshot->table == table && snapshot->layout_version == table->topology_version) {
        return true;
    }
    size_t count[FEATURE_KINDS] = {0};
    for (uint32_t i = 0; i < table->body_count; i++) {
        count_features(body_table_at(table, i), count);
    }
    array_clear(&snapshot->body_storage);
    array_clear(&snapshot->position_storage);
    array_clear(&snapshot->block_storage);
    snapshot->laid_out = snapshot->strict = false;
    snapshot->body_count = 0;
    memcpy(snapshot->count, count, sizeof count);
    struct body_snapshot *bodies = array_extend(&snapshot->body_storage, table->body_count);
    /* one more: vector loads may read past the last */
    double(*xyz)[3] = array_extend(&snapshot->position_storage, count[FEATURE_VERTEX] + 1);
    if (!bodies || !xyz || !array_extend(&snapshot->block_storage, block_count_of(count[FEATURE_VERTEX]))) {
        return false;
    }
    memset(count, 0, sizeof count);
    for (uint32_t i = 0; i < table->body_count; i++) {
        const struct body *body = body_table_at(table, i);
        bodies[i] = (struct body_snapshot){.body = body, .xyz = (const double(*)[3])(xyz + count[FEATURE_VERTEX])};
        memcpy(bodies[i].first, count, sizeof count);
        bounds_clear(bodies[i].lo, bodies[i].hi); /* for good, if it has no vertices */
        count_features(body, count);
        snapshot->strict = snapshot->strict || body->strict;
    }
    snapshot->table = table;
    snapshot->body_count = table->body_count;
    snapshot->bodies = bodies;
    snapshot->layout_version = table->topology_version;
    snapshot->laid_out = true;
    return true;
}

dent_status snapshot_read(struct snapshot *snapshot, const struct body_table *table, struct message *message)
{
    dent_context *context = snapshot->body_storage.context;
    snapshot->reading++; /* also when it fails half-way */
    if (!lay_out(snapshot, table)) {
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the positions of %zu vertices",
                            snapshot->count[FEATURE_VERTEX]);
    }
    struct reading reading = {.bodies = snapshot->bodies,
                              .body_count = snapshot->body_count,
                              .isa = dent_context_isa(context),
                              .vertex_count = snapshot->count[FEATURE_VERTEX],
                              .per_block = vertices_per_block(snapshot->count[FEATURE_VERTEX]),
                              .blocks = snapshot->block_storage.data};
    uint32_t block_count = block_count_of(snapshot->count[FEATURE_VERTEX]);
    dent_parallel_for(context, block_count, read_block, &reading);
    bool good = join_blocks(&reading, block_count, &snapshot->largest);
    return good && !snapshot->strict ? DENT_OK : check_bodies(&reading, good, message);
}
