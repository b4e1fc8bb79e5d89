/* The inside of a dent_cloud. All arrays but those of the caller's points are in the order of slots, the order of the
 * leaves: eight slots a leaf, neighbours in space lie near in memory.
 *
 * The stages of creation, each in a file of its own:
 *
 *   cloud_create.c       positions read and checked; coincident points merged; the stages in order
 *   cloud_graph.c        k nearest -> spheres of influence -> edges -> pruned edges
 *   cloud_shape.c        lengths and covariances of neighbourhoods -> sampling radii, normals
 *   cloud_orientation.c  minimum spanning tree -> parts of the graph, sides of the normals
 *   cloud_cover.c        leaves and boxes, sphere covers of the nodes
 */
#ifndef DENT_CLOUDS_CLOUD_DATA_H
#define DENT_CLOUDS_CLOUD_DATA_H

#include "clouds/kernels/cloud_kernels.h"

#include <dent/cloud.h>

#include <math.h>
#include <string.h>

enum { SLOTS_A_BLOCK = 2048, COVER_POINTS = COVER_CENTRES };

/* All spheres around the cover's centres contain what surface the points of a node have. */
struct cloud_cover {
    double radius; /* of each sphere, the reach included */
    double reach;  /* the largest of a point */
};

struct dent_cloud {
    dent_context *context;
    dent_cloud_def def;
    uint32_t count;                   /* slots: points that differ */
    uint32_t revision;                /* number of updates */
    uint32_t *original;               /* of a slot: the point of the def */
    uint32_t *slot_of;                /* of a point of the def */
    double (*point)[3], (*normal)[3]; /* of a slot; the normal of an isolated one is 0 */
    double *radius;                   /* sampling radius of a slot; 0: isolated */
    double *area, *area_share;        /* of the surface a slot stands for; that in squares of its radius */
    double *room;                     /* for selections, a number a slot */
    uint32_t *part;                   /* smallest slot of the connected part */
    uint32_t (*frame)[2];             /* two neighbours that turn around the normal from the first to the second */
    uint64_t *first;                  /* edges of a slot: first[slot] … first[slot + 1] - 1 */
    uint32_t *edges;                  /* slots */
    double (*rest)[2];                /* lengths of the edges to the frame's neighbours when the graph was made */
    size_t edge_capacity;

    struct cloud_tree tree;
    struct neighbour_node *nodes; /* of all levels */
    struct cloud_cover *covers[NEIGHBOUR_LEVELS_MOST];
    struct cloud_cover *all_covers;
    size_t node_count;
    double box_sides; /* sum of the leaves' boxes when the graph was made */

    int halvings;      /* for weights down to weight_cut */
    double cut_factor; /* sqrt(-ln weight_cut): h = cut-off / cut_factor */
    dent_cloud_info info;
};

static inline uint32_t cloud_blocks(uint32_t count)
{
    return count / SLOTS_A_BLOCK + (count % SLOTS_A_BLOCK > 0);
}

static inline uint32_t cloud_block_end(uint32_t count, uint32_t block)
{
    return count - block * SLOTS_A_BLOCK < SLOTS_A_BLOCK ? count : (block + 1) * SLOTS_A_BLOCK;
}

static inline uint32_t cloud_degree(const dent_cloud *cloud, uint32_t slot)
{
    return (uint32_t)(cloud->first[slot + 1] - cloud->first[slot]);
}

static inline double cloud_length(const double a[3], const double b[3])
{
    double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return sqrt((x * x + y * y) + z * z);
}

static inline double cloud_dot_product(const double a[3], const double b[3])
{
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
}

/* The spheres of influence, and the nearest other point of each slot: what the graph is made of. */
struct cloud_spheres {
    double *radius;           /* of a slot: distance to its k-th neighbour, in the scale of the search */
    double *nearest_distance; /* not scaled */
    uint32_t *nearest;        /* index of the search, or UINT32_MAX */
    double unscale;
};

dent_status cloud_find_spheres(dent_neighbours *points, uint32_t k, struct cloud_spheres *spheres);
/* Edges between all slots whose spheres meet. */
dent_status cloud_make_graph(dent_cloud *cloud, dent_neighbours *points, const struct cloud_spheres *spheres);
/* Leaves out edges that are long for their surroundings, and those that lead from one sheet to another; radii and normals
 * of the slots follow. */
dent_status cloud_prune_graph(dent_cloud *cloud);

/* Quartiles of the lengths of a slot's edges (the second is the sampling radius), zeros without edges; the direction in
 * which the neighbourhood is thinnest, of either sign, 0 if it is a line. Up to eight slots at once; no directions where
 * the def gives normals. */
struct shape_slots {
    uint32_t slot[CLOUD_LANES];
    uint32_t count;
};
struct cloud_shape {
    double quartiles[3], normal[3];
};
void cloud_measure_shapes(const dent_cloud *cloud, const struct shape_slots *slots,
                          struct cloud_shape shapes[CLOUD_LANES]);
/* The k-th smallest of the values, which are put into another order. */
double cloud_select(double *values, uint32_t count, uint32_t k);

/* Parts of the graph; the sides of estimated normals (`orient`). That takes one thread: the others fill the lowest level of
 * the tree, cloud_fill_lowest(), at the same time. */
dent_status cloud_find_parts(dent_cloud *cloud, bool orient);
/* Two neighbours by which an update finds the side of a normal again. */
dent_status cloud_choose_frames(dent_cloud *cloud);
/* Does the normal point to the other side of those neighbours? */
bool cloud_normal_is_turned(const dent_cloud *cloud, uint32_t slot);

bool cloud_allocate_tree(dent_cloud *cloud);
/* Leaves, boxes and covers of the points as they are. */
dent_status cloud_fill_tree(dent_cloud *cloud);
/* The same in two steps. Points of the leaves, boxes and covers of the lowest level need no normals and no parts; blocks
 * in any order. Then all that is left. */
uint32_t cloud_lowest_blocks(const dent_cloud *cloud);
void cloud_fill_lowest(dent_cloud *cloud, uint32_t block);
dent_status cloud_fill_upper(dent_cloud *cloud);
double cloud_sum_of_sides(const dent_cloud *cloud);
/* Slots of a node, and the centres of its cover; returns how many. */
uint32_t cloud_cover_centres(const dent_cloud *cloud, uint32_t level, uint32_t node, uint32_t centres[COVER_POINTS]);

/* Spacing, 90th percentile of the radii, box, isolated points. */
void cloud_measure(dent_cloud *cloud);
/* The def's positions or normals of the point, widened; false and the axis if a number cannot be used. */
bool cloud_read_vector(const dent_positions *positions, uint32_t point, double to[3], int *axis);
dent_status cloud_check_points(const dent_cloud *cloud, bool normals);

#endif
