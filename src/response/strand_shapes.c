/* See strand_shapes.h. */
#include "response/strand_shapes.h"

#include "geometry/numbers/vector3.h"

#include <float.h>

/* ---- checks ------------------------------------------------------------------------------------------------------ */

dent_status strand_shape_check(dent_context *context, const dent_strand_shape *shape, uint32_t vertex_count,
                               const char *what, uint32_t number)
{
    if (shape->strand_count == 0) {
        return DENT_OK;
    }
    if (!shape->first) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s %u has %u strands, but first is null", what, number,
                         shape->strand_count);
    }
    for (uint32_t i = 0; i < shape->strand_count; i++) {
        if (shape->first[i] > shape->first[i + 1]) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                             "%s %u, strand %u: first[] must ascend; got %u, then %u", what, number, i, shape->first[i],
                             shape->first[i + 1]);
        }
    }
    if (shape->first[shape->strand_count] > vertex_count) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s %u: strands end at vertex %u of %u", what, number,
                         shape->first[shape->strand_count], vertex_count);
    }
    return DENT_OK;
}

dent_status strand_shapes_check(dent_context *context, const dent_strand_shape *shapes,
                                const dent_response_problem *problem)
{
    dent_status status = DENT_OK;
    for (uint32_t i = 0; shapes && i < problem->body_count && status == DENT_OK; i++) {
        status = strand_shape_check(context, &shapes[i], problem->bodies[i].vertex_count, "body", i);
    }
    return status;
}

/* ---- sides ------------------------------------------------------------------------------------------------------- */

double strand_side_radius(const dent_strand_shape *shape, const uint32_t vertices[4])
{
    double largest = shape->radii ? 0 : shape->radius;
    for (int i = 0; shape->radii && i < 4; i++) {
        double radius = vertices[i] == UINT32_MAX ? 0 : shape->radii[vertices[i]];
        if (!(radius <= largest)) {
            largest = radius;
        }
        if (!(radius >= 0)) {
            return NAN;
        }
    }
    return largest >= 0 && largest <= DBL_MAX ? largest : NAN;
}

/* The strand that has the vertex; strand_count when none has. */
static uint32_t strand_of_vertex(const dent_strand_shape *shape, uint32_t vertex)
{
    uint32_t low = 0, high = shape->strand_count;
    if (vertex < shape->first[0] || vertex >= shape->first[high]) {
        return high;
    }
    while (high - low > 1) { /* first[low] <= vertex < first[high] */
        uint32_t middle = low + (high - low) / 2;
        if (shape->first[middle] <= vertex) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

bool strand_side_direction(const dent_strand_shape *shape, const double *positions, const uint32_t vertices[4],
                           double direction[3])
{
    uint32_t low = vertices[0], high = vertices[1];
    if (shape->strand_count == 0 || !positions || low == UINT32_MAX || vertices[2] != UINT32_MAX) {
        return false;
    }
    if (high == UINT32_MAX) {
        uint32_t strand = strand_of_vertex(shape, low);
        if (strand == shape->strand_count) {
            return false;
        }
        high = low + 1 < shape->first[strand + 1] ? low + 1 : low;
        low = low > shape->first[strand] ? low - 1 : low;
    } else if (high < low) {
        high = vertices[0];
        low = vertices[1];
    }
    vector_subtract(positions + 3 * (size_t)high, positions + 3 * (size_t)low, direction);
    return vector_normalise(direction);
}

/* ---- points of strands ------------------------------------------------------------------------------------------- */

bool strand_point_shares(struct strand_point *point, const double *inverse_masses)
{
    double mobility = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        double inverse_mass = inverse_masses ? inverse_masses[point->vertices[i]] : 1;
        point->shares[i] = point->weights[i] * inverse_mass;
        mobility += point->weights[i] * point->shares[i];
    }
    for (uint32_t i = 0; i < point->count; i++) {
        point->shares[i] /= mobility;
        if (!(fabs(point->shares[i]) <= DBL_MAX)) {
            return false;
        }
    }
    return mobility > 0;
}

void strand_point_move(const struct strand_point *point, double *array, const double shift[3])
{
    for (uint32_t i = 0; i < point->count; i++) {
        vector_add_scaled(array + 3 * (size_t)point->vertices[i], point->shares[i], shift);
    }
}

void strand_point_value(const struct strand_point *point, const double *array, double value[3])
{
    value[0] = value[1] = value[2] = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        vector_add_scaled(value, point->weights[i], array + 3 * (size_t)point->vertices[i]);
    }
}

enum strand_settling strand_settle_velocity(const double velocity[3], const double body_velocity[3],
                                            const double normal[3], const dent_contact_material *material,
                                            double change[3])
{
    double relative[3], inward;
    vector_subtract(velocity, body_velocity, relative);
    inward = -vector_dot(relative, normal);
    change[0] = change[1] = change[2] = 0;
    if (!(inward > 0)) {
        return STRAND_LEAVING;
    }
    vector_add_scaled(relative, inward, normal); /* now tangential */
    vector_add_scaled(change, inward, normal);
    double speed = vector_length(relative), kinetic = material->friction_kinetic;
    kinetic = kinetic < material->friction_static ? kinetic : material->friction_static;
    if (speed <= material->friction_static * inward) {
        vector_add_scaled(change, -1, relative);
        return STRAND_STICKS;
    }
    vector_add_scaled(change, -(kinetic * inward / speed), relative);
    return STRAND_SLIDES;
}
