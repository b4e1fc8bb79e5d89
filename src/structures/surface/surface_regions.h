/* The surface faces of a body cut into leaves of at most 16 faces and 16 vertices, neighbours on the mesh, in an order
 * that keeps neighbouring leaves together.
 *
 * Computed once per body from its connectivity and any one shape of it (the reference if there is one, else where the
 * body is now); the leaves stay right however the body deforms. Shapes may be degenerate: only the quality of the
 * leaves depends on them.
 *
 * Strands have segments in place of faces: leaves of at most 15, pieces of a strand or some short ones. Points have
 * themselves: leaves of 16 along a space-filling curve.
 */
#ifndef DENT_STRUCTURES_SURFACE_REGIONS_H
#define DENT_STRUCTURES_SURFACE_REGIONS_H

#include "bodies/body_data.h"

enum { REGION_FACES = 16, REGION_VERTICES = 16 };

enum region_cut {
    REGION_CUT_MERGE = 0, /* bottom-up by shape factor, as Volino and Magnenat-Thalmann do: the default */
    REGION_CUT_MEDIAN,    /* top-down at the median of the face centres along the longest axis */
    REGION_CUT_MORTON,    /* chunks along a space-filling curve through the face centres */
    REGION_CUT_COUNT
};

struct surface_regions {
    dent_context *context;
    uint32_t face_count; /* of the body; strands: segments; points: themselves */
    uint32_t leaf_count;
    uint32_t *faces;      /* all surface faces, leaf after leaf, ascending within a leaf */
    uint32_t *first_face; /* leaf_count + 1 slots in `faces` */
    size_t first_face_capacity;
};

/* `shape`: positions of the body's vertices, finite. O(n log n), the same for every machine; about 250 bytes of scratch
 * memory per face, given back at the end. False when memory runs out: nothing is left behind then. A body without
 * surface faces, segments and points gets no leaf. */
bool surface_regions_create(struct surface_regions *regions, dent_context *context, const struct body *body,
                            const double (*shape)[3], enum region_cut cut);
void surface_regions_destroy(struct surface_regions *regions);

#endif
