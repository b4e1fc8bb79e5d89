/* Reading all positions of a world once per query. See pose.h. */
#include "bodies/pose.h"

#include <math.h>

void pose_init(struct pose *pose, dent_context *context)
{
    *pose = (struct pose){0};
    array_init(&pose->body_storage, context, sizeof(struct posed_body));
    array_init(&pose->position_storage, context, 3 * sizeof(double));
}

void pose_destroy(struct pose *pose)
{
    array_destroy(&pose->body_storage);
    array_destroy(&pose->position_storage);
}

/* Bounds of all vertices: two at a time, so that no comparison waits for the one before. */
static void bound_all(const double (*xyz)[3], uint32_t count, double lo[3], double hi[3])
{
    double lo0 = lo[0], lo1 = lo[1], lo2 = lo[2], lo3 = lo[0], lo4 = lo[1], lo5 = lo[2];
    double hi0 = hi[0], hi1 = hi[1], hi2 = hi[2], hi3 = hi[0], hi4 = hi[1], hi5 = hi[2];
    for (uint32_t vertex = 0; vertex < count; vertex += 2) {
        const double *a = xyz[vertex], *b = xyz[vertex + 1 < count ? vertex + 1 : vertex];
        lo0 = a[0] < lo0 ? a[0] : lo0;
        lo1 = a[1] < lo1 ? a[1] : lo1;
        lo2 = a[2] < lo2 ? a[2] : lo2;
        lo3 = b[0] < lo3 ? b[0] : lo3;
        lo4 = b[1] < lo4 ? b[1] : lo4;
        lo5 = b[2] < lo5 ? b[2] : lo5;
        hi0 = a[0] > hi0 ? a[0] : hi0;
        hi1 = a[1] > hi1 ? a[1] : hi1;
        hi2 = a[2] > hi2 ? a[2] : hi2;
        hi3 = b[0] > hi3 ? b[0] : hi3;
        hi4 = b[1] > hi4 ? b[1] : hi4;
        hi5 = b[2] > hi5 ? b[2] : hi5;
    }
    lo[0] = lo0 < lo3 ? lo0 : lo3;
    lo[1] = lo1 < lo4 ? lo1 : lo4;
    lo[2] = lo2 < lo5 ? lo2 : lo5;
    hi[0] = hi0 > hi3 ? hi0 : hi3;
    hi[1] = hi1 > hi4 ? hi1 : hi4;
    hi[2] = hi2 > hi5 ? hi2 : hi5;
}

static void bound_body(struct posed_body *posed, double *largest)
{
    const struct body *body = posed->body;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    if (body->topology.unused_vertices == 0) {
        bound_all(posed->xyz, body->vertex_count, lo, hi);
    }
    for (uint32_t vertex = 0; body->topology.unused_vertices > 0 && vertex < body->vertex_count; vertex++) {
        if (body->vertex_use[vertex] & VERTEX_USED) {
            for (int axis = 0; axis < 3; axis++) {
                double x = posed->xyz[vertex][axis];
                lo[axis] = x < lo[axis] ? x : lo[axis];
                hi[axis] = x > hi[axis] ? x : hi[axis];
            }
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        posed->lo[axis] = lo[axis];
        posed->hi[axis] = hi[axis];
        if (lo[axis] <= hi[axis]) {
            double most = -lo[axis] > hi[axis] ? -lo[axis] : hi[axis]; /* the larger absolute value */
            *largest = most > *largest ? most : *largest;
        }
    }
}

dent_status pose_read(struct pose *pose, const struct body_table *table, struct message *message)
{
    size_t vertex_count = 0;
    for (uint32_t rank = 0; rank < table->body_count; rank++) {
        vertex_count += body_table_at(table, rank)->vertex_count;
    }
    array_clear(&pose->body_storage);
    array_clear(&pose->position_storage);
    struct posed_body *bodies = array_extend(&pose->body_storage, table->body_count);
    double(*next)[3] = array_extend(&pose->position_storage, vertex_count + 1); /* one more: vector loads may read past the last */
    if (!bodies || !next) {
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the positions of %zu vertices", vertex_count);
    }
    pose->largest = 0;
    for (uint32_t rank = 0; rank < table->body_count; rank++) {
        const struct body *body = body_table_at(table, rank);
        dent_status status = body_read_positions(body, &body->positions_t0, message, next);
        if (status == DENT_OK) {
            status = body_check_strict(body, (const double(*)[3])next, message);
        }
        if (status != DENT_OK) {
            return status;
        }
        bodies[rank] = (struct posed_body){.body = body, .xyz = (const double(*)[3])next};
        bound_body(&bodies[rank], &pose->largest);
        next += body->vertex_count;
    }
    pose->table = table;
    pose->body_count = table->body_count;
    pose->bodies = bodies;
    return DENT_OK;
}
