/* What the strand responses share: checks of the shapes, radius and direction of a side of a contact. */
#ifndef DENT_RESPONSE_STRAND_SHAPES_H
#define DENT_RESPONSE_STRAND_SHAPES_H

#include <dent/strand_response.h>

/* INVALID_ARGUMENT when `first` of a shape is not ascending, leaves the body or is missing; names the body. Null shapes
 * are good. */
dent_status strand_shapes_check(dent_context *context, const dent_strand_shape *shapes,
                                const dent_response_problem *problem);
/* The same for one shape; `what` begins the message. */
dent_status strand_shape_check(dent_context *context, const dent_strand_shape *shape, uint32_t vertex_count,
                               const char *what, uint32_t number);

/* The larger radius of the vertices that are not UINT32_MAX; NaN when one is negative or not finite. */
double strand_side_radius(const dent_strand_shape *shape, const uint32_t vertices[4]);

/* Unit direction from root to tip of the segment, or of the vertex; false when there is none. */
bool strand_side_direction(const dent_strand_shape *shape, const double *positions, const uint32_t vertices[4],
                           double direction[3]);

/* Moves a weighted point of a strand by `shift`, its vertices by their shares; nothing moves when all are fixed. */
struct strand_point {
    uint32_t count;
    uint32_t vertices[4];
    double weights[4];
    double shares[4]; /* displacement of a vertex per displacement of the point */
};
/* False: no vertex can move. */
bool strand_point_shares(struct strand_point *point, const double *inverse_masses);
void strand_point_move(const struct strand_point *point, double *array, const double shift[3]);
void strand_point_value(const struct strand_point *point, const double *array, double value[3]);

/* The change of a velocity against a surface that moves with `body_velocity`: inward motion ends, friction acts on the
 * rest. Returns the action; LEAVING changes nothing. */
enum strand_settling { STRAND_LEAVING, STRAND_STICKS, STRAND_SLIDES };
enum strand_settling strand_settle_velocity(const double velocity[3], const double body_velocity[3],
                                            const double normal[3], const dent_contact_material *material,
                                            double change[3]);

#endif
