/* Reading the positions at t1. See end_pose.h. */
#include "bodies/end_pose.h"

void end_pose_init(struct end_pose *end, dent_context *context)
{
    *end = (struct end_pose){0};
    array_init(&end->pointer_storage, context, sizeof(const double(*)[3]));
    array_init(&end->position_storage, context, 3 * sizeof(double));
}

void end_pose_destroy(struct end_pose *end)
{
    array_destroy(&end->pointer_storage);
    array_destroy(&end->position_storage);
}

dent_status end_pose_read(struct end_pose *end, const struct pose *pose, struct message *message)
{
    size_t vertex_count = 0;
    for (uint32_t rank = 0; rank < pose->body_count; rank++) {
        const struct body *body = pose->bodies[rank].body;
        vertex_count += body->positions_t1.data ? body->vertex_count : 0;
    }
    array_clear(&end->pointer_storage);
    array_clear(&end->position_storage);
    end->xyz = array_extend(&end->pointer_storage, pose->body_count);
    double(*next)[3] = array_extend(&end->position_storage, vertex_count + 1); /* one more, as in pose_read */
    if (!end->xyz || !next) {
        return message_fail(message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for the positions of %zu vertices at t1",
                            vertex_count);
    }
    for (uint32_t rank = 0; rank < pose->body_count; rank++) {
        const struct body *body = pose->bodies[rank].body;
        end->xyz[rank] = pose->bodies[rank].xyz;
        if (!body->positions_t1.data) {
            continue;
        }
        dent_status status = body_read_positions(body, &body->positions_t1, message, next);
        if (status != DENT_OK) {
            return status;
        }
        end->xyz[rank] = (const double(*)[3])next;
        next += body->vertex_count;
    }
    return DENT_OK;
}
