/* Reading all positions of a world once per query. See pose.h. */
#include "bodies/pose.h"

#include <math.h>
#include <string.h>

#include "geometry/kernels/kernel_table.h"

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

/* Bounds of the used vertices. */
static void bound_body(struct posed_body *posed)
{
    const struct body *body = posed->body;
    double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        if (body->vertex_use[vertex] & VERTEX_USED) {
            for (int axis = 0; axis < 3; axis++) {
                double x = posed->xyz[vertex][axis];
                lo[axis] = x < lo[axis] ? x : lo[axis];
                hi[axis] = x > hi[axis] ? x : hi[axis];
            }
        }
    }
    memcpy(posed->lo, lo, sizeof lo);
    memcpy(posed->hi, hi, sizeof hi);
}

/* Positions, checked, and their bounds: in one pass where the caller's are packed doubles and all in use. */
static dent_status read_body(struct posed_body *posed, const struct kernels *kernels, struct message *message,
                             double (*xyz)[3])
{
    const struct body *body = posed->body;
    const dent_positions *given = &body->positions_t0;
    bool packed = given->data && given->scalar == DENT_SCALAR_DOUBLE &&
                  (given->stride == 0 || given->stride == sizeof xyz[0]) && body->topology.unused_vertices == 0;
    posed->xyz = (const double(*)[3])xyz;
    if (packed && kernels->copy_positions(given->data, body->vertex_count, xyz, posed->lo, posed->hi)) {
        return DENT_OK;
    }
    dent_status status = body_read_positions(body, given, message, xyz);
    if (status == DENT_OK) {
        bound_body(posed);
    }
    return status;
}

static double largest_coordinate(const struct posed_body *posed, double largest)
{
    for (int axis = 0; axis < 3; axis++) {
        if (posed->lo[axis] <= posed->hi[axis]) {
            double most = -posed->lo[axis] > posed->hi[axis] ? -posed->lo[axis] : posed->hi[axis];
            largest = most > largest ? most : largest; /* the larger absolute value */
        }
    }
    return largest;
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
    const struct kernels *kernels = kernels_for(dent_context_isa(pose->body_storage.context));
    pose->largest = 0;
    for (uint32_t rank = 0; rank < table->body_count; rank++) {
        const struct body *body = body_table_at(table, rank);
        bodies[rank] = (struct posed_body){.body = body};
        dent_status status = read_body(&bodies[rank], kernels, message, next);
        if (status == DENT_OK) {
            status = body_check_strict(body, (const double(*)[3])next, message);
        }
        if (status != DENT_OK) {
            return status;
        }
        pose->largest = largest_coordinate(&bodies[rank], pose->largest);
        next += body->vertex_count;
    }
    pose->table = table;
    pose->body_count = table->body_count;
    pose->bodies = bodies;
    return DENT_OK;
}
