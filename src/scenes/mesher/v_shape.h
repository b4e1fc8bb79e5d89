/* The V-shaped strips of the BucketTree article: two legs of cubes joined by a bend. */
#ifndef DENT_SCENES_V_SHAPE_H
#define DENT_SCENES_V_SHAPE_H

#include "scenes/scene_internal.h"

/* The size of a V at scale 1: cubes along one leg, across its plane (width) and in its plane (thickness). Parameters of
 * both V scenes, first in their lists and in this order. */
enum { V_LEG, V_WIDTH, V_THICKNESS, V_SIZE_PARAMETERS };

/* Rows for the parameter list of a scene. */
#define V_SHAPE_SIZE_PARAMETERS                                                                                        \
    {"leg", "length of a leg, in cubes at scale 1", 16, 2, 1000},                                                      \
        {"width", "width of the strip across the plane of the V, in cubes at scale 1", 4, 1, 1000},                    \
    {                                                                                                                  \
        "thickness", "thickness of the strip, in cubes at scale 1", 2, 1, 1000                                         \
    }

/* Meshes the strip (straight, as reference) into scene->meshes[0] for `body_count` bodies. */
dent_status v_shape_build(dent_scene *scene, uint32_t body_count);

/* Bends the strip: the middle becomes an arc of constant curvature, the legs stay straight, each at `half_angle`
 * (radians) from the axis of the V; negative when the legs pass through each other. The bottom of the V lies at the
 * origin, the legs point to +y, in the plane z = 0. */
void v_shape_bend(const dent_scene *scene, double half_angle, double *positions);

#endif
