/* The parts of the preconditioner, between its sources: coarse_nodes.c, coarse_blocks.c, coarse_factor.c and
 * coarse_space.c, which joins them. */
#ifndef DENT_SIM_COARSE_PARTS_H
#define DENT_SIM_COARSE_PARTS_H

#include "coarse_space.h"

#include <math.h>
#include <string.h>

/* ---- coarse_nodes.c ---------------------------------------------------------------------------------------------- */

/* Rest positions of all vertices: of elastic bodies their rest shape. */
void coarse_rest_positions(const struct sim_model *model, double *positions);
/* Aggregates of the vertices that move, then rigid bodies. */
void coarse_make_nodes(const struct sim_model *model, const struct inertia_terms *inertia, const double *rest,
                       struct coarse_space *space);

/* ---- coarse_blocks.c --------------------------------------------------------------------------------------------- */

/* Lists the nodes that elements join. */
dent_status coarse_list_pairs(struct sim_model *model, struct coarse_space *space);
/* Sorted by a, each once; returns how many are left. */
uint64_t coarse_sort_pairs(struct coarse_pair *pairs, uint64_t count);
/* Blocks of the elements at positions, of cloth if wanted; until the space is built, the diagonal of the vertices, too.
 * Without a state: nothing is activated, nothing has flowed. */
void coarse_make_blocks(const struct sim_model *model, struct coarse_space *space, const double *positions,
                        const struct sim_state *state, double rate, bool cloth);
/* Adds an element: 3x3 blocks between its corners. */
void coarse_add_element(struct coarse_space *space, const uint32_t *corners, uint32_t count, const double *blocks);
/* Of two nodes that an element joins, a < b. */
uint32_t coarse_find_pair(const struct coarse_space *space, uint32_t a, uint32_t b);
/* How the unknowns of a node, in its frame, move a point at `arm`: rows x y z. */
void coarse_motion_at(const double *arm, double motion[3][6]);
/* factor times a frame times a motion */
void coarse_turn_motion(const double frame[9], double factor, double motion[3][6]);
/* target += left^T block right */
void coarse_add_block(double target[36], double left[3][6], const double block[9], double right[3][6]);

/* ---- present_cloth.c --------------------------------------------------------------------------------------------- */

/* After the pairs. Does nothing where the factor solves the equations, or there is no cloth. */
dent_status present_cloth_build(struct sim_model *model, struct coarse_space *space);
/* The present blocks are those of all other elements, which stay. */
void present_cloth_keep_solids(struct coarse_space *space);
/* Centre, arms and frame of a node of cloth. */
void present_cloth_node(const double *positions, struct coarse_space *space, uint32_t number);
/* Blocks and diagonal, when all nodes have been made. */
void present_cloth_make(const struct sim_model *model, struct coarse_space *space, const double *positions, double rate);

/* ---- coarse_factor.c --------------------------------------------------------------------------------------------- */

/* The order of elimination and the envelope, for elements and terms (null: without, and kept as the static ones). */
dent_status coarse_lay_out(const struct sim_model *model, const struct point_terms *terms, struct coarse_space *space);
dent_status coarse_factorise(const struct sim_model *model, const struct point_terms *terms,
                             const struct inertia_terms *inertia, struct coarse_space *space);

static inline bool term_is_active(const struct point_term *term)
{
    return term->matrix[0] + term->matrix[3] + term->matrix[5] > 0;
}

#endif
