/* Borrowed positions, read: from double or float with any stride into packed doubles, every number checked.
 *
 * Reads go through memcpy, so an array inside a packed record or at an odd address is welcome. Float widens to double
 * exactly, so a float array and its double copy give the same answers. Nothing is remembered: the caller may overwrite
 * in place at any time between queries.
 */
#include "bodies/body_data.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

static size_t packed_stride(dent_scalar scalar)
{
    return scalar == DENT_SCALAR_FLOAT ? 3 * sizeof(float) : 3 * sizeof(double);
}

dent_status body_check_positions(const struct body *body, const dent_positions *positions, struct message *message)
{
    if (!positions->data) {
        return DENT_OK;
    }
    if (positions->scalar != DENT_SCALAR_DOUBLE && positions->scalar != DENT_SCALAR_FLOAT) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, BODY_TITLE ": positions of unknown scalar kind %d",
                            BODY_TITLE_OF(body), (int)positions->scalar);
    }
    size_t packed = packed_stride(positions->scalar);
    if (positions->stride != 0 && positions->stride < packed) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT,
                            BODY_TITLE ": a position stride of %zu bytes is less than the %zu of three numbers",
                            BODY_TITLE_OF(body), positions->stride, packed);
    }
    if (body->vertex_count > 0 && positions->stride > SIZE_MAX / body->vertex_count) {
        return message_fail(message, DENT_ERROR_TOO_LARGE,
                            BODY_TITLE ": %" PRIu32
                                       " positions with a stride of %zu bytes do not fit into the address space",
                            BODY_TITLE_OF(body), body->vertex_count, positions->stride);
    }
    return DENT_OK;
}

static void copy_doubles(const unsigned char *source, size_t stride, uint32_t count, double (*xyz)[3])
{
    if (stride == sizeof xyz[0]) {
        memcpy(xyz, source, (size_t)count * sizeof xyz[0]);
        return;
    }
    for (uint32_t vertex = 0; vertex < count; vertex++) {
        memcpy(xyz[vertex], source + vertex * stride, sizeof xyz[vertex]);
    }
}

static void widen_floats(const unsigned char *source, size_t stride, uint32_t count, double (*xyz)[3])
{
    for (uint32_t vertex = 0; vertex < count; vertex++) {
        float narrow[3];
        memcpy(narrow, source + vertex * stride, sizeof narrow);
        for (int axis = 0; axis < 3; axis++) {
            xyz[vertex][axis] = (double)narrow[axis];
        }
    }
}

static dent_status name_bad_number(const struct body *body, const char *when, double (*xyz)[3], struct message *message)
{
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        for (int axis = 0; axis < 3; axis++) {
            double number = xyz[vertex][axis];
            if (!isfinite(number)) {
                return message_fail(message, DENT_ERROR_BAD_NUMBER, BODY_TITLE ": vertex %" PRIu32 " has %c = %s%s",
                                    BODY_TITLE_OF(body), vertex, "xyz"[axis],
                                    isnan(number)  ? "NaN"
                                    : number > 0.0 ? "infinity"
                                                   : "-infinity",
                                    when);
            }
        }
    }
    return DENT_OK;
}

dent_status body_read_positions(const struct body *body, const dent_positions *positions, struct message *message,
                                double (*xyz)[3])
{
    const char *when = positions == &body->positions_t1 ? " at t1" : "";
    if (body->vertex_count == 0) {
        return DENT_OK;
    }
    if (!positions->data) {
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, BODY_TITLE " has no positions%s", BODY_TITLE_OF(body), when);
    }
    dent_status status = body_check_positions(body, positions, message);
    if (status != DENT_OK) {
        return status;
    }
    size_t stride = positions->stride != 0 ? positions->stride : packed_stride(positions->scalar);
    if (positions->scalar == DENT_SCALAR_FLOAT) {
        widen_floats(positions->data, stride, body->vertex_count, xyz);
    } else {
        copy_doubles(positions->data, stride, body->vertex_count, xyz);
    }
    /* x - x is zero exactly when x is finite: sums over all numbers say whether to look for a culprit. */
    double differences[3] = {0.0, 0.0, 0.0};
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        differences[0] += xyz[vertex][0] - xyz[vertex][0];
        differences[1] += xyz[vertex][1] - xyz[vertex][1];
        differences[2] += xyz[vertex][2] - xyz[vertex][2];
    }
    return differences[0] + differences[1] + differences[2] == 0.0 ? DENT_OK
                                                                      : name_bad_number(body, when, xyz, message);
}
