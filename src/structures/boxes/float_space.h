/* All vertices of a world as float records in [-1, 1], by a map that keeps order along each axis; and their numbers.
 *
 * Vertices of all bodies are numbered in one sequence. A map that keeps order loses no overlap of closed boxes,
 * whatever it does to lengths. Two maps are used:
 *
 *   affine     (x - centre of the world) * power of two, rounded to float: planes keep their meaning within the error
 *              bound of packet_kernels.h
 *   ordinals   position in the sorted list of all coordinates of the axis: for worlds where elements are so small beside
 *              the world that the floats would fall together (a tiny body near one at 1e150). Planes mean nothing then.
 *              Also for worlds smaller than SMALLEST_AFFINE, whose centre the doubles cannot name exactly enough.
 */
#ifndef DENT_STRUCTURES_FLOAT_SPACE_H
#define DENT_STRUCTURES_FLOAT_SPACE_H

#include "base/arena.h"
#include "base/containers/dynamic_array.h"
#include "bodies/snapshot.h"
#include "structures/grid/kernels/packet_kernels.h"

/* What depends on the set of bodies only. */
struct vertex_numbering {
    struct dynamic_array first; /* uint32_t, by body index of the body, and one more */
    struct dynamic_array body;  /* uint32_t: body index of the body of each vertex */
    struct dynamic_array
        canonical; /* uint32_t: smallest number of the vertices that are the same; empty: each its own */
    uint32_t count;
};

void vertex_numbering_init(struct vertex_numbering *numbering, dent_context *context);
void vertex_numbering_destroy(struct vertex_numbering *numbering);
/* False when memory runs out, or when there are 2^32 - 1 or more vertices: then *too_many is set. */
bool vertex_numbering_build(struct vertex_numbering *numbering, const struct snapshot *snapshot, struct arena *scratch,
                            bool *too_many);

static inline uint32_t first_vertex(const struct vertex_numbering *numbering, uint32_t body_index)
{
    return ((const uint32_t *)numbering->first.data)[body_index];
}

static inline uint32_t body_of_vertex(const struct vertex_numbering *numbering, uint32_t vertex)
{
    return ((const uint32_t *)numbering->body.data)[vertex];
}

#define SMALLEST_AFFINE 1e-290

struct float_space {
    struct point_record *points;
    bool ordinals;
    int exponent; /* affine: lengths are multiplied by 2^exponent */
};

/* The longest side of the box of all used vertices, halved: overflow-free. */
double half_extent_of(const struct snapshot *snapshot);

/* False when memory runs out. Memory from `scratch`. */
bool float_space_build(struct float_space *space, const struct vertex_numbering *numbering,
                       const struct snapshot *snapshot, dent_context *context, bool ordinals, struct arena *scratch);

/* Along how many axes these vertices (numbered through the world, `first` is the first of their body) have no extent,
 * in the doubles. */
int flat_axes(const double (*xyz)[3], uint32_t first, const uint32_t *corners, uint32_t count);

#endif
