/* The implicit functions of a cloud, a row each. In: a place. Out: f there, or why it is undefined.
 *
 * All rows share the foot of a place: its nearest point p1, the neighbour p2 of p1 in the graph that is nearest to the
 * place, and the point y of the segment p1 p2 nearest to it. The sampling radius there is that of p1 and p2, blended. The
 * cut-off is support_radii of it, and the bandwidth h is such that the kernel exp(-d^2 / h^2) has the weight weight_cut
 * at the cut-off. */
#ifndef DENT_CLOUDS_CLOUD_FUNCTION_H
#define DENT_CLOUDS_CLOUD_FUNCTION_H

#include "clouds/cloud_data.h"

/* Room for shortest paths from two slots at a time; for the function `graph` only. */
struct cloud_paths {
    dent_context *context;
    uint32_t capacity;   /* slots; 0: no room was made */
    double *distance[2]; /* of a slot, where the stamp is the current one */
    uint32_t *stamp[2];
    uint32_t *heap, *place; /* slots waiting, and where they lie in the heap */
    uint32_t *reached, reached_count;
    uint32_t turn;
};

bool cloud_paths_init(struct cloud_paths *paths, dent_context *context, uint32_t slots);
void cloud_paths_destroy(struct cloud_paths *paths);
/* Distances along the graph from a slot up to `most`, into side 0 or 1. Side 0 begins anew and fills `reached`. */
void cloud_paths_walk(struct cloud_paths *paths, const dent_cloud *cloud, uint32_t from, double most, int side);

/* A place and its foot. */
struct cloud_foot {
    const dent_cloud *cloud;
    double place[3];
    uint32_t first, second; /* p1, p2; the same if p1 has no edges */
    double share;           /* of p2 at y */
    double off, along[2];   /* distances of the place to y, of y to p1 and to p2 */
    double distance;        /* of the place to p1 */
    double cut, bandwidth;
};

struct cloud_function_row {
    dent_cloud_function_info info;
    bool needs_paths;
    dent_cloud_state (*evaluate)(const struct cloud_foot *foot, struct cloud_paths *paths, dent_cloud_value *value);
};

/* Null for an unknown function. */
const struct cloud_function_row *cloud_function_row(dent_cloud_function function);

/* Sums over the points of p1's sheet only (cloud_sheet.c). */
void cloud_sheet_sums(const struct cloud_foot *foot, const struct sphere_query *query, struct sphere_sums *sums);

/* The value of a row at a place, which is finite. Returns the slot of the nearest point, or UINT32_MAX. */
uint32_t cloud_value_at(const dent_cloud *cloud, const struct cloud_function_row *row, struct cloud_paths *paths,
                        const double place[3], dent_cloud_value *value);

#endif
