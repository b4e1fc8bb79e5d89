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

bool body_read_range(const dent_positions *positions, uint32_t first, uint32_t count, double (*xyz)[3], double lo[3],
                     double hi[3])
{
    enum { PIECE = 512 }; /* vertices that stay in the nearest cache between the copy and the look at them */
    size_t stride = positions->stride != 0 ? positions->stride : packed_stride(positions->scalar);
    double lo0 = lo[0], lo1 = lo[1], lo2 = lo[2], hi0 = hi[0], hi1 = hi[1], hi2 = hi[2];
    double d0 = 0, d1 = 0, d2 = 0;
    for (uint32_t done = 0; done < count; done += PIECE) {
        uint32_t now = count - done < PIECE ? count - done : PIECE;
        const unsigned char *source = (const unsigned char *)positions->data + (first + (size_t)done) * stride;
        if (positions->scalar == DENT_SCALAR_FLOAT) {
            widen_floats(source, stride, now, xyz + first + done);
        } else {
            copy_doubles(source, stride, now, xyz + first + done);
        }
        for (const double(*p)[3] = (const double(*)[3])(xyz + first + done), (*end)[3] = p + now; p < end; p++) {
            double x = (*p)[0], y = (*p)[1], z = (*p)[2];
            d0 += x - x; /* zero exactly when x is finite */
            d1 += y - y;
            d2 += z - z;
            lo0 = x < lo0 ? x : lo0;
            lo1 = y < lo1 ? y : lo1;
            lo2 = z < lo2 ? z : lo2;
            hi0 = x > hi0 ? x : hi0;
            hi1 = y > hi1 ? y : hi1;
            hi2 = z > hi2 ? z : hi2;
        }
    }
    lo[0] = lo0;
    lo[1] = lo1;
    lo[2] = lo2;
    hi[0] = hi0;
    hi[1] = hi1;
    hi[2] = hi2;
    return d0 + d1 + d2 == 0.0;
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
        return message_fail(message, DENT_ERROR_INVALID_ARGUMENT, BODY_TITLE " has no positions%s", BODY_TITLE_OF(body),
                            when);
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
