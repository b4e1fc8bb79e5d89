/* The parts of a human jaw as implicit shapes. Millimetres; x to the right of the person, y forward, z up; teeth
 * closed, the tips of the lower teeth at z = 0. Proportions follow what textbooks give for adults; no measured jaw was
 * used. */
#ifndef DENT_SCENES_JAW_SHAPES_H
#define DENT_SCENES_JAW_SHAPES_H

#include "implicit_shapes.h"

#include <stdbool.h>

enum { JAW_TEETH_PER_SIDE = 7 };

/* One tooth in its place. */
struct jaw_tooth {
    bool upper;
    bool right;
    int number;        /* 1 (middle incisor) … 7 (second molar) */
    double centre[3];  /* of the crown, at the height of the tips */
    double along[2];   /* unit vector along the arch, in the plane z = 0; away from the middle */
    double outward[2]; /* unit vector to the outside of the arch */
};

/* Widths of the clefts between tooth, ligament and bone, and of the ligament. Clefts are wider than the facets of the
 * coarser part are deep, so that the parts of a closed jaw at rest do not meet. */
struct jaw_fit {
    double tooth_cleft, ligament, bone_cleft;
};

struct jaw_tooth jaw_tooth_in_place(bool upper, bool right, int number);

/* Box of a tooth with its ligament. */
void jaw_tooth_bounds(const struct jaw_tooth *tooth, double low[3], double high[3]);

void jaw_describe_tooth(struct implicit_shape *shape, const struct jaw_tooth *tooth);
/* The same tooth for pictures: chisels, cones and crowns with cusps and fissures, all edges round. */
void jaw_describe_smooth_tooth(struct implicit_shape *shape, const struct jaw_tooth *tooth);
void jaw_describe_ligament(struct implicit_shape *shape, const struct jaw_tooth *tooth, const struct jaw_fit *fit);

/* Bones with sockets for the given teeth (those of the other jaw are passed over). */
void jaw_describe_mandible(struct implicit_shape *shape, const struct jaw_tooth *teeth, uint32_t count,
                           const struct jaw_fit *fit);
void jaw_describe_maxilla(struct implicit_shape *shape, const struct jaw_tooth *teeth, uint32_t count,
                          const struct jaw_fit *fit);

/* The part of a bone that holds the roots, thicker by `more`, without sockets. */
void jaw_describe_ridge(struct implicit_shape *shape, bool upper, double more);

/* The ridge of the upper jaw with the palate, cut off flat above, as a dentist's cast is. */
void jaw_describe_cast(struct implicit_shape *shape);

/* How far from the tooth the middle of a ligament of the scene jaw is at a scale, mm; in scene_jaw.c. */
double jaw_ligament_middle(double scale);

/* A point of the axis through both condyles, about which the lower jaw turns; the axis is parallel to x. */
extern const double jaw_hinge[3];
extern const double jaw_mandible_low[3], jaw_mandible_high[3];
extern const double jaw_maxilla_low[3], jaw_maxilla_high[3];

#endif
