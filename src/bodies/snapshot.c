/* Reading all positions of a world once per query. See snapshot.h. */
#include "bodies/snapshot.h"

#include <math.h>

#include "bodies/copy_positions.h"
#include "geometry/numbers/bounds.h"

void snapshot_init(struct snapshot *snapshot, dent_context *context)
{
    *snapshot = (struct snapshot){0};
    array_init(&snapshot->body_storage, context, sizeof(struct body_snapshot));
    array_init(&snapshot->position_storage, context, 3 * sizeof(double));
}

void snapshot_destroy(struct snapshot *snapshot)
{
    array_destroy(&snapshot->body_storage);
    array_destroy(&snapshot->position_storage);
}

/* A big body is read in pieces by several threads; how many pieces depends on its size alone. */
enum { PIECE_VERTICES = 8192, PIECES_MAX = 64 };

struct piece {
    double lo[3], hi[3];
    bool finite;
};

struct reading {
    const dent_positions *positions;
    dent_isa isa;
    double (*xyz)[3];
    uint32_t vertex_count, per_piece;
    struct piece pieces[PIECES_MAX];
};

/* Copies some vertices and bounds them; false when a number is not finite. */
static bool read_range(const dent_positions *given, dent_isa isa, uint32_t first, uint32_t count, double (*xyz)[3],
                       double lo[3], double hi[3])
{
    if (given->scalar == DENT_SCALAR_DOUBLE && (given->stride == 0 || given->stride == sizeof xyz[0])) {
        const unsigned char *from = (const unsigned char *)given->data + (size_t)first * sizeof xyz[0];
        return copy_positions_for(isa)(from, count, xyz + first, lo, hi);
    }
    return body_read_range(given, first, count, xyz, lo, hi);
}

static void read_piece(void *data, uint32_t block, uint32_t worker)
{
    (void)worker;
    struct reading *reading = data;
    uint32_t first = block * reading->per_piece, left = reading->vertex_count - first;
    struct piece *piece = &reading->pieces[block];
    uint32_t count = left < reading->per_piece ? left : reading->per_piece;
    *piece = (struct piece){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}, false};
    piece->finite = read_range(reading->positions, reading->isa, first, count, reading->xyz, piece->lo, piece->hi);
}

/* Positions and bounds of all vertices. False when something is wrong with the positions: body_read_positions then says
 * what. */
static bool read_in_pieces(const struct body *body, dent_isa isa, double (*xyz)[3], double lo[3], double hi[3])
{
    struct message ignored;
    if (body->vertex_count == 0 || !body->positions_t0.data ||
        body_check_positions(body, &body->positions_t0, &ignored) != DENT_OK) {
        return false;
    }
    uint32_t count = body->vertex_count / PIECE_VERTICES + 1;
    if (count == 1) {
        return read_range(&body->positions_t0, isa, 0, body->vertex_count, xyz, lo, hi);
    }
    struct reading reading; /* not cleared: the pieces are large beside a small body */
    reading.positions = &body->positions_t0;
    reading.isa = isa;
    reading.xyz = xyz;
    reading.vertex_count = body->vertex_count;
    count = count < PIECES_MAX ? count : PIECES_MAX;
    reading.per_piece = body->vertex_count / count + (body->vertex_count % count != 0);
    count = body->vertex_count / reading.per_piece + (body->vertex_count % reading.per_piece != 0);
    dent_parallel_for(body->context, count, read_piece, &reading);
    bool finite = true;
    for (uint32_t piece = 0; piece < count; piece++) {
        finite = finite && reading.pieces[piece].finite;
        bounds_add(lo, hi, reading.pieces[piece].lo, reading.pieces[piece].hi);
    }
    return finite;
}

/* `lo` and `hi` bound all vertices; those that no element uses do not count. */
static void bound_body(struct body_snapshot *body_snapshot, double lo[3], double hi[3], double *largest)
{
    const struct body *body = body_snapshot->body;
    if (body->topology.unused_vertices > 0) {
        bounds_clear(lo, hi);
    }
    for (uint32_t vertex = 0; body->topology.unused_vertices > 0 && vertex < body->vertex_count; vertex++) {
        if (body->vertex_use[vertex] & VERTEX_USED) {
            bounds_add_point(lo, hi, body_snapshot->xyz[vertex]);
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        body_snapshot->lo[axis] = lo[axis];
        body_snapshot->hi[axis] = hi[axis];
        if (lo[axis] <= hi[axis]) {
            double most = -lo[axis] > hi[axis] ? -lo[axis] : hi[axis]; /* the larger absolute value */
            *largest = most > *largest ? most : *largest;
        }
    }
}

/* Small bodies lie anywhere in memory: what the next ones need is asked for early. */
static void fetch_ahead(const struct body_table *table, uint32_t body_index)
{
    enum { POSITIONS_AHEAD = 2, BODIES_AHEAD = 5, LINES = 4, LINE = 64 };
    if (body_index + BODIES_AHEAD < table->body_count) {
        const struct body *body = body_table_at(table, body_index + BODIES_AHEAD);
        __builtin_prefetch(&body->vertex_count);
        __builtin_prefetch(&body->topology);
        __builtin_prefetch(&body->positions_t0);
        __builtin_prefetch(&body->strict);
    }
    if (body_index + POSITIONS_AHEAD < table->body_count) {
        const char *data = body_table_at(table, body_index + POSITIONS_AHEAD)->positions_t0.data;
        for (int line = 0; data && line < LINES; line++) {
            __builtin_prefetch(data + line * LINE);
        }
    }
}

dent_status snapshot_read(struct snapshot *snapshot, const struct body_table *table, struct message *message)
{
    size_t vertex_count = 0;
    for (uint32_t body_index = 0; body_index < table->body_count; body_index++) {
        vertex_count += body_table_at(table, body_index)->vertex_count;
    }
    snapshot->reading++; /* also when it fails half-way */
    array_clear(&snapshot->body_storage);
    array_clear(&snapshot->position_storage);
    struct body_snapshot *bodies = array_extend(&snapshot->body_storage, table->body_count);
    double(*next)[3] =
        array_extend(&snapshot->position_storage, vertex_count + 1); /* one more: vector loads may read past the last */
    if (!bodies || !next) {
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the positions of %zu vertices",
                            vertex_count);
    }
    dent_isa isa = dent_context_isa(snapshot->body_storage.context);
    snapshot->largest = 0;
    for (uint32_t body_index = 0; body_index < table->body_count; body_index++) {
        const struct body *body = body_table_at(table, body_index);
        fetch_ahead(table, body_index);
        double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        dent_status status = DENT_OK;
        if (!read_in_pieces(body, isa, next, lo, hi)) {
            status = body_read_positions(body, &body->positions_t0, message, next);
        }
        if (status == DENT_OK) {
            status = body_check_strict(body, (const double(*)[3])next, message);
        }
        if (status != DENT_OK) {
            return status;
        }
        bodies[body_index] = (struct body_snapshot){.body = body, .xyz = (const double(*)[3])next};
        bound_body(&bodies[body_index], lo, hi, &snapshot->largest);
        next += body->vertex_count;
    }
    snapshot->table = table;
    snapshot->body_count = table->body_count;
    snapshot->bodies = bodies;
    return DENT_OK;
}
