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

static void bound_body(struct posed_body *posed, double *largest)
{
    const struct body *body = posed->body;
    for (int axis = 0; axis < 3; axis++) {
        posed->lo[axis] = INFINITY;
        posed->hi[axis] = -INFINITY;
    }
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        if (!(body->vertex_use[vertex] & VERTEX_USED)) {
            continue;
        }
        for (int axis = 0; axis < 3; axis++) {
            double x = posed->xyz[vertex][axis];
            posed->lo[axis] = x < posed->lo[axis] ? x : posed->lo[axis];
            posed->hi[axis] = x > posed->hi[axis] ? x : posed->hi[axis];
            *largest = fabs(x) > *largest ? fabs(x) : *largest;
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
