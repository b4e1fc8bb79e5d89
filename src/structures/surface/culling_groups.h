/* What the self-collision culling knows of a tree once and for all: groups of nodes around junctions, and the cycles
 * that bound them. See surface_culling.h. Here for the two files that share it, and for tests. */
#ifndef DENT_STRUCTURES_CULLING_GROUPS_H
#define DENT_STRUCTURES_CULLING_GROUPS_H

#include "structures/surface/kernels/curvature_kernels.h"
#include "structures/surface/surface_culling.h"

enum { GROUP_NODES_MAX = 12 };

/* What a group or pair lies inside one level up: culled there, culled here. */
enum cover_kind { COVER_NONE = 0, COVER_NODE = 1, COVER_PAIR = 2, COVER_GROUP = 3 };

struct culling_cover {
    uint32_t kind : 2, index : 30;
};

/* A closed polygon of mesh vertices, in runs; count 0: not one simple cycle. */
struct culling_cycle {
    uint32_t first_run, run_count;
    uint32_t count;                    /* vertices */
    uint32_t first_extra, extra_count; /* leaves of faces that were added to fill notches, in extras */
};

struct culling_group {
    struct culling_cycle cycle;
    uint32_t centre;       /* place of the junction; UINT32_MAX: take the middle of the cycle */
    uint32_t first_member; /* nodes, in members */
    uint32_t first_pair;   /* slots in the level's partners, in pairs */
    struct culling_cover cover;
    uint16_t member_count, pair_count;
};

/* A list that is filled once and then has exactly its size. */
struct culling_list {
    void *data;
    size_t count, element_size;
};

struct culling_level {
    uint32_t count;                     /* nodes */
    struct culling_list groups;         /* struct culling_group */
    struct culling_list members, pairs; /* uint32_t: nodes of the groups; slots in partners of the pairs among them */
    struct culling_list runs;           /* struct polygon_run: of all cycles */
    struct culling_list extras;         /* uint32_t: leaves */
    struct culling_list node_cycles;    /* struct culling_cycle: of single nodes */
    struct culling_list pair_covers;    /* struct culling_cover, parallel to partners */
    /* for one snapshot */
    uint32_t *masks;
    float (*normals)[3];
    uint8_t *node_culled, *pair_culled, *group_culled;
    size_t pair_count;
};

struct surface_culling {
    dent_context *context;
    uint32_t level_count;
    struct leaf_corners *corners; /* by leaf, oriented */
    uint32_t leaf_count;
    uint32_t longest_cycle;
    uint32_t queries_to_skip; /* it did not pay last time */
    bool trust_normals;       /* for tests only: leaves out condition (2), and loses pairs */
    bool always;              /* for tests: never skip */
    struct culling_level levels[];
};

/* Null when memory runs out. O(n) but for small sorts. */
struct surface_culling *surface_culling_create(const struct surface_tree *tree, const struct body *body);

#endif
