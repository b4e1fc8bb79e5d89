/* The inside of a dent_neighbours: the tree, where its points come from, and the memory of its answers. */
#ifndef DENT_NEIGHBOURS_NEIGHBOURS_DATA_H
#define DENT_NEIGHBOURS_NEIGHBOURS_DATA_H

#include "base/block_output.h"
#include "base/containers/dynamic_array.h"
#include "neighbours/kernels/neighbour_kernels.h"
#include "neighbours/point_order.h"

#include <dent/neighbours.h>

/* Scaled coordinates of points stay below 2^440. Places from 2^510 on are cut to that for sorting, and then compared with
 * all points in a scale of their own (neighbour_query.c). */
enum { SCALED_EXPONENT = 440, PLACE_EXPONENT = 510 };

/* A result of dent_neighbours_within(). */
struct found_point {
    double distance; /* squared, scaled */
    uint32_t place, index;
};

struct dent_neighbours {
    dent_context *context;
    dent_positions positions; /* of the points, or of the lower corners of boxes */
    dent_positions upper;     /* upper corners; data null: points */
    uint32_t count;
    int scale_exponent; /* tree coordinates are those of the caller times 2^scale_exponent */
    struct neighbour_tree tree;
    struct neighbour_leaf *leaves;
    struct neighbour_leaf *upper_leaves; /* null: points */
    uint32_t *indices;
    struct neighbour_node *nodes; /* of all levels */
    size_t node_count;
    uint32_t first_node[NEIGHBOUR_LEVELS_MOST]; /* of each level in `nodes` */
    uint32_t node_counts[NEIGHBOUR_LEVELS_MOST];
    double box_sides; /* sum over the leaves' boxes when the order was made */
    uint32_t reordered;

    /* the answers of dent_neighbours_within() */
    struct block_output found;
    struct dynamic_array found_records;
    struct dynamic_array first, list_indices, list_distances;
};

/* As dent_neighbours_create(), for closed boxes: a place's difference to a box along an axis is the gap between them, 0
 * within. lower <= upper along each axis. */
dent_status neighbours_create_boxes(dent_context *context, dent_positions lower, dent_positions upper, uint32_t count,
                                    dent_neighbours **boxes);

/* The x, y, z of a vertex, widened exactly. */
void neighbours_read_place(const dent_positions *positions, uint32_t vertex, double place[3]);
/* Places as records to sort, scaled by 2^exponent and cut to PLACE_EXPONENT. Fails with BAD_NUMBER (`what` is the word
 * for them in the message). */
dent_status neighbours_read(dent_context *context, const dent_positions *positions, uint32_t count, int exponent,
                            const char *what, struct ordered_point *to);
/* Is the description of positions one that can be read? */
dent_status neighbours_check_positions(dent_context *context, const dent_positions *positions, uint32_t count,
                                       const char *what);

#endif
