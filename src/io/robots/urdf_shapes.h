/* Triangles for the collision shapes a URDF file gives by their sizes. */
#ifndef DENT_IO_URDF_SHAPES_H
#define DENT_IO_URDF_SHAPES_H

#include "base/containers/dynamic_array.h"
#include "urdf_document.h"

/* The surface of one link, in the frame of the link: all its shapes together. */
struct link_surface {
    struct dynamic_array positions; /* double, 3 per vertex */
    struct dynamic_array triangles; /* uint32_t, 3 per triangle, counter-clockwise seen from outside */
};

void link_surface_init(struct link_surface *surface, dent_context *context);
void link_surface_release(struct link_surface *surface);
uint32_t link_surface_vertices(const struct link_surface *surface);

/* Appends a box, a cylinder along z or a sphere, centred at the origin. Cylinders are prisms of 32 sides and spheres
 * polyhedra of 320 triangles that contain the round shape (circumscribed): they stand out by less than 0.5 % and 4 % of
 * the radius. No sines: the same bits on every machine. False: no memory. */
bool link_surface_add_shape(struct link_surface *surface, enum urdf_shape shape, const double size[3]);

#endif
