/* hair_head.h — a generated head of hair for the hair figures: curly strands on a patch that is shaken. */
#ifndef DENT_HAIR_HEAD_H
#define DENT_HAIR_HEAD_H

#include "paper_stage.h"

#include <dent/hair.h>
#include <dent/proximity.h>
#include <dent/strand_response.h>

typedef struct hair_head {
    dent_context *context;
    uint32_t strand_count, row_count, vertex_count;
    uint32_t *first;
    double *positions, *velocities, *forces, *inverse_masses;
    double radius, spacing;
    dent_world *world;
    dent_body_id id;
    /* of hair_head_search: first vertices of pairs of segments of different strands, and their distances */
    uint64_t pair_count, pair_capacity;
    uint32_t *pair_a, *pair_b;
    double *distances;
} hair_head;

/** False: out of memory, or the world refused the strands. Close it in any case. */
bool hair_head_open(hair_head *head, dent_context *context, uint32_t strands, uint32_t rows);
void hair_head_close(hair_head *head);
/** Positions and velocities at a time, in seconds; the shake has one period in two of them. */
void hair_head_pose(hair_head *head, double time);
/** All pairs within `reach` times the radii, by the question proximity. */
bool hair_head_search(hair_head *head, double reach);

#endif
