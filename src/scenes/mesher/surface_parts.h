/* Closed surfaces made of rings of points: tubes, lathe work, tori; and plates of squares. Several parts may be joined
 * in one mesh, one after the other; they are not merged where they overlap. */
#ifndef DENT_SCENES_SURFACE_PARTS_H
#define DENT_SCENES_SURFACE_PARTS_H

#include "scenes/scene_internal.h"

/* The points centre + cos(a) across + sin(a) up, at equal angles. Seen against across x up a positive turn is counter-
 * clockwise. */
struct part_ring {
    double centre[3], across[3], up[3];
};

/* Where the next part goes; made over a mesh that has been allocated with the sizes of all parts together. */
struct part_writer {
    struct scene_mesh *mesh;
    uint32_t vertex_count, triangle_count;
};

/* Sizes of a tube: `rings` rings of `around` points, ended by a fan about a centre each, or closed to a torus. */
uint32_t part_tube_vertices(uint32_t rings, uint32_t around, bool closed);
uint32_t part_tube_triangles(uint32_t rings, uint32_t around, bool closed);

/* Ring number `index` of a shape. */
typedef struct part_ring part_ring_function(const void *shape, uint32_t index);

/* Rings in order along across x up, so that triangles face outward. At least 2 rings (3 when closed), 3 points. */
void part_write_tube(struct part_writer *writer, part_ring_function *ring_of, const void *shape, uint32_t ring_count,
                     uint32_t around, bool closed);

/* A box of `across` x `along` squares on its two large sides (x and y) and one in thickness (z). */
uint32_t part_plate_vertices(uint32_t across, uint32_t along);
uint32_t part_plate_triangles(uint32_t across, uint32_t along);
void part_write_plate(struct part_writer *writer, const double low[3], const double high[3], uint32_t across,
                      uint32_t along);

/* A rigid body of plates, all of fine x fine squares. */
struct part_plate {
    double low[3], high[3];
};
dent_status part_add_plates(dent_scene *scene, uint32_t index, const char *name, const struct part_plate *plates,
                            uint32_t count, uint32_t fine);

/* Ring at a place with its axis along `direction`, of any length but 0; `side` is a unit vector across it. */
struct part_ring part_ring_at(const double centre[3], const double direction[3], const double side[3], double radius);

/* A smooth curve through `count` points of 4 numbers each (say x, y, z, radius) at u from 0 to 1, and its derivative.
 */
void part_curve(const double (*points)[4], uint32_t count, double u, double point[4], double slope[4]);

#endif
