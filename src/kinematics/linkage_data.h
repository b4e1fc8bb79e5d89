/* The inside of a dent_linkage. */
#ifndef DENT_KINEMATICS_LINKAGE_DATA_H
#define DENT_KINEMATICS_LINKAGE_DATA_H

#include <dent/linkage.h>

struct linkage_link {
    const char *name;
    uint32_t joint;  /* of which it is the child; DENT_JOINT_NONE for the root */
    uint32_t frame;  /* place in the order in which parents come before children */
    uint32_t leader; /* the link nearest to the root to which fixed joints alone hold it */
};

struct linkage_joint {
    dent_joint_def def;   /* mimics is a joint with a value of its own, multiplier and offset are those towards it */
    double unit_axis[3];  /* in the frame of the joint */
    uint32_t first_value; /* UINT32_MAX: none */
};

struct dent_linkage {
    dent_context *context;
    const char *name;
    uint32_t link_count, joint_count, value_count;
    struct linkage_link *links;
    struct linkage_joint *joints;
    uint32_t *order; /* links by frame */
    char *text;      /* all names */
    size_t text_size;
};

/* "joint 'elbow'" for messages. */
static inline const char *linkage_joint_name(const dent_linkage *linkage, uint32_t joint)
{
    return linkage->joints[joint].def.name;
}

/* Two unit vectors that span the plane across a unit vector, the first axes of a PLANAR joint. */
void linkage_plane_axes(const double n[3], double x[3], double y[3]);

#endif
