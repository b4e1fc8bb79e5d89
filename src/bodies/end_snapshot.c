/* Reading the positions at t1. See end_snapshot.h. */
#include "bodies/end_snapshot.h"

void end_snapshot_init(struct end_snapshot *end, dent_context *context)
{
    *end = (struct end_snapshot){0};
    array_init(&end->pointer_storage, context, sizeof(const double(*)[3]));
    array_init(&end->position_storage, context, 3 * sizeof(double));
}

void end_snapshot_destroy(struct end_snapshot *end)
{
    array_destroy(&end->pointer_storage);
    array_destroy(&end->position_storage);
}

dent_status end_snapshot_read(struct end_snapshot *end, const struct snapshot *snapshot, struct message *message)
{
    size_t vertex_count = 0;
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        vertex_count += body->positions_t1.data ? body->vertex_count : 0;
    }
    array_clear(&end->pointer_storage);
    array_clear(&end->position_storage);
    end->xyz = array_extend(&end->pointer_storage, snapshot->body_count);
    double(*next)[3] = array_extend(&end->position_storage, vertex_count + 1); /* one more, as in snapshot_read */
    if (!end->xyz || !next) {
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the positions of %zu vertices at t1",
                            vertex_count);
    }
    for (uint32_t body_index = 0; body_index < snapshot->body_count; body_index++) {
        const struct body *body = snapshot->bodies[body_index].body;
        end->xyz[body_index] = snapshot->bodies[body_index].xyz;
        if (!body->positions_t1.data) {
            continue;
        }
        dent_status status = body_read_positions(body, &body->positions_t1, message, next);
        if (status != DENT_OK) {
            return status;
        }
        end->xyz[body_index] = (const double(*)[3])next;
        next += body->vertex_count;
    }
    return DENT_OK;
}
