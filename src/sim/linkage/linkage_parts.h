/* What becomes of a linkage: groups of links that fixed joints connect, each one body; joints between groups. */
#ifndef DENT_SIM_LINKAGE_PARTS_H
#define DENT_SIM_LINKAGE_PARTS_H

#include <dent/sim_linkage.h>

#define LINKAGE_NONE UINT32_MAX

struct linkage_joint {
    dent_joint_kind kind;
    uint32_t parent, child; /* links */
    dent_pose origin;
    uint32_t first_value; /* in joint values, or LINKAGE_NONE */
    uint32_t number;      /* among the joints of the simulation, or LINKAGE_NONE */
};

struct dent_sim_linkage {
    dent_context *context;
    uint32_t link_count, joint_count; /* of the linkage */
    uint32_t body_count, made_count;  /* bodies and joints of the simulation */
    uint32_t first_body, first_joint;
    uint32_t vertex_total, triangle_total;
    uint32_t *groups;             /* by link: the first link of its group */
    uint32_t *bodies;             /* by link: number among the bodies, or LINKAGE_NONE */
    dent_pose *poses;             /* by link, at time 0 */
    struct linkage_joint *joints; /* by joint of the linkage */
    dent_sim_body_def *body_defs; /* link_count, body_count of them in use */
    dent_sim_joint *joint_defs;   /* joint_count, made_count of them in use */
    char (*names)[64];            /* of the bodies */
    double *positions;            /* 3 per vertex */
    uint32_t *triangles;          /* 3 per triangle */
};

/* linkage_bodies.c: bodies of all groups. The poses of links are known. */
dent_status linkage_make_bodies(struct dent_sim_linkage *made, const dent_sim_linkage_def *def);
/* Vertices and triangles of a link's octahedron. */
enum { OCTAHEDRON_VERTICES = 6, OCTAHEDRON_FACES = 8 };

/* linkage_joints.c: the joints, when the bodies are there. */
dent_status linkage_check_joints(dent_context *context, const dent_sim_linkage_def *def);
void linkage_make_joints(struct dent_sim_linkage *made, const dent_sim_linkage_def *def, const double *values);

#endif
