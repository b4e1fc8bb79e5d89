/* Regions of a surface that grow by merging: what surface_regions.c and leaf_order.c share. See surface_regions.c for
 * the idea. */
#ifndef DENT_STRUCTURES_REGION_MERGING_H
#define DENT_STRUCTURES_REGION_MERGING_H

#include "base/arena.h"
#include "bodies/body_data.h"
#include "geometry/metric/float_boxes.h"

#define NONE_LEFT UINT32_MAX

enum {
    BLOCK_ARITY = 16, /* of the tree above the leaves */
    BLOCK_LEVELS = 7  /* 16^6 leaves and more in the last */
};

/* Two regions with a common contour. */
struct border {
    uint32_t a, b; /* a < b */
    double length;
};

struct region {
    double area, contour;
    uint32_t first, last;  /* of its list: faces, later leaves */
    uint32_t face_count;   /* while leaves are made */
    uint32_t first_vertex; /* slot in `vertices`, while leaves are made */
    uint32_t vertex_count;
};

/* Leaves of a region, in blocks that will be nodes of the tree: of 1, 16, 256, ... leaves, fewer than 16 of each. */
struct leaf_blocks {
    struct {
        uint32_t first, last, count; /* the chain of leaves, and how many blocks it is */
    } of[BLOCK_LEVELS];
};

struct merging {
    const struct body *body;
    const double (*shape)[3];
    struct box_scaling scaling;
    bool unit_lengths; /* all edges count 1: see unit_lengths_do */
    uint32_t count, border_count;
    uint32_t *number_of_face; /* null: faces keep their numbers */
    struct region *regions, *next_regions;
    struct border *borders, *next_borders;
    uint32_t *vertices, *next_vertices; /* of the regions, ascending */
    uint32_t *next;                     /* behind each list member: the next one of the same region */
    uint32_t *group; /* of each region in this round: the member it is named after, NONE_LEFT: alone so far */
    uint32_t *next_member, *last_member; /* members of a group hang behind the smallest one */
    uint8_t *members;                    /* of a group, by smallest member; no more than 255 are counted */
    uint32_t *renamed;                   /* region of the next round */
    uint64_t *keys, *key_scratch;
    uint32_t *order, *order_scratch;
    bool limited;
    uint32_t whole_blocks, mixed_blocks;      /* of 16 leaves: one region exactly, or parts of several */
    struct leaf_blocks *blocks, *next_blocks; /* of each region, when leaves are put into order */
};

/* Every face a region of its own. All memory comes from the arena. False when it runs out. */
bool merging_begin(struct merging *merging, const struct body *body, const double (*shape)[3], struct arena *arena);

/* Joins neighbouring regions, each with at most one other (later: a few others) and the best first. True when something
 * was joined. */
bool merge_round(struct merging *merging);

/* Scaled so that the largest coordinate is about 1. */
struct box_scaling shape_scaling(const struct body *body, const double (*shape)[3]);

static inline void scaled_point(const struct merging *merging, uint32_t vertex, double out[3])
{
    for (int axis = 0; axis < 3; axis++) {
        out[axis] = box_scale(merging->scaling, merging->shape[vertex][axis]);
    }
}

#endif
