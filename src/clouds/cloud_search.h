/* The inside of a search between two clouds. Its phases, each in a file of its own:
 *
 *   cloud_search_bounds.c  pairs of nodes, deepest overlap of the covers first -> leaves that may meet
 *   cloud_search_draw.c    random points of these leaves -> brackets -> paths -> neighbours on both sides
 *   cloud_search_refine.c  Gauss-Newton -> intersection points
 *
 * Both clouds are treated alike: a side draws points and evaluates the other's function. Everything that two sides share
 * is in world coordinates. */
#ifndef DENT_CLOUDS_CLOUD_SEARCH_H
#define DENT_CLOUDS_CLOUD_SEARCH_H

#include "base/containers/dynamic_array.h"
#include "clouds/cloud_function.h"

struct search_side {
    const dent_cloud *cloud;
    uint32_t revision;                  /* of the cloud at begin */
    double rotation[9], translation[3]; /* to the world */
    struct cloud_paths paths;
    uint8_t *near;                /* of a leaf: may it meet the other cloud? */
    uint32_t *leaves, leaf_count; /* those that may */
    uint64_t points;              /* in them */
    double surfels;               /* of their surface */
    uint64_t draws_planned, draws;
    int draw_bits; /* half of those that number the draws */
};

/* Two nodes that may meet. The deepest overlap in proportion to the covers comes first, so that the search goes down soon
 * where surfaces cross. */
struct node_pair {
    double depth, order; /* overlap of the spheres; in proportion to their radii */
    uint32_t level[2], node[2];
};

enum search_phase { SEARCH_NOT_BEGUN, SEARCH_PAIRS, SEARCH_DRAWS, SEARCH_DONE };

struct dent_cloud_search {
    dent_context *context;
    dent_cloud_search_def def;
    const struct cloud_function_row *row;
    const struct cloud_kernels *kernels;
    struct search_side side[2];
    uint64_t seed;
    double resolution, bracket_length, tolerance;
    enum search_phase phase;
    struct dynamic_array pairs;  /* struct node_pair, a heap */
    struct dynamic_array points; /* dent_cloud_crossing */
    bool is_full;                /* more points than the capacity */
    uint64_t granted, used;      /* work units */
    uint64_t bottom_pairs;       /* refined so far */
    dent_cloud_result result;    /* counters since begin */
};

enum { UNITS_A_VALUE = 64 };

static inline void side_to_world(const struct search_side *side, const double local[3], double world[3])
{
    for (int axis = 0; axis < 3; axis++) {
        world[axis] = cloud_dot_product(side->rotation + 3 * axis, local) + side->translation[axis];
    }
}

static inline void side_to_local(const struct search_side *side, const double world[3], double local[3])
{
    double from[3];
    for (int axis = 0; axis < 3; axis++) {
        from[axis] = world[axis] - side->translation[axis];
    }
    for (int axis = 0; axis < 3; axis++) {
        local[axis] =
            (side->rotation[axis] * from[0] + side->rotation[3 + axis] * from[1]) + side->rotation[6 + axis] * from[2];
    }
}

static inline void side_turn(const struct search_side *side, const double local[3], double world[3])
{
    for (int axis = 0; axis < 3; axis++) {
        world[axis] = cloud_dot_product(side->rotation + 3 * axis, local);
    }
}

/* f of a side at a place of the world; the normal is turned into the world. Returns the nearest slot. */
uint32_t search_value(dent_cloud_search *search, int side, const double world[3], dent_cloud_value *value);

bool search_pairs_begin(dent_cloud_search *search);
/* Refines one pair. False: no memory, and nothing has changed. */
bool search_split(dent_cloud_search *search);
void search_plan_draws(dent_cloud_search *search);
/* That some surfel of the side was not hit by the draws so far. */
double search_miss_probability(const struct search_side *side);
/* Tries a point of a side. False: no memory. */
bool search_try_point(dent_cloud_search *search, int side, uint32_t slot);
/* Tries the next draw. False: no memory. */
bool search_draw(dent_cloud_search *search);
/* From a place where |f| of both may vanish within `radius`; appends the point if it is one. False: no memory. */
bool search_refine(dent_cloud_search *search, int side, const double start[3], double radius);

#endif
