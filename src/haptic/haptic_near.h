/* Which features of the tool and of a body are nearer than a band, where both are now: the contacts of a pose.
 *
 * A contact is a local minimum of the distance: a vertex over the inside of a face, two convex edges that cross, or a
 * vertex next to an edge or vertex in whose normal cone it lies. So on a flat surface every normal is that of the
 * surface, however it is cut into triangles. What is left out here by rounding is found by the certified motion. */
#ifndef DENT_HAPTIC_NEAR_H
#define DENT_HAPTIC_NEAR_H

#include "base/containers/dynamic_array.h"
#include "haptic/haptic_mesh.h"
#include "haptic/haptic_pose.h"

/* The point of the body is a sum of its vertices, so that it can be followed when they move. */
struct haptic_near {
    uint64_t key;
    uint32_t body;
    uint32_t vertices[3]; /* of the body */
    double weights[3];
    double point_tool[3], point_body[3], normal[3]; /* in space; normal from the body to the tool */
    double gap;
};

/* Where they lie, and what is wanted. */
struct haptic_search {
    const struct haptic_mesh *tool, *mesh;
    uint32_t body;
    dent_pose tool_pose, body_pose; /* deforming and fixed bodies: the identity */
    double band;
    struct dynamic_array *found; /* struct haptic_near */
    double least;                /* the smallest distance seen; starts at infinity or with what others found */
    bool out_of_memory;
};

void haptic_search_run(struct haptic_search *search);

#endif
