/* Springs that stand for contacts in the elastic sweep; see contact_springs.c. */
#ifndef DENT_SIM_CONTACT_SPRINGS_H
#define DENT_SIM_CONTACT_SPRINGS_H

#include "elastic_mesh.h"

/* Of a substep, in this order. */
dent_status springs_begin(dent_sim *sim, double h); /* before inertia moves the vertices: which contacts are springs */
void springs_follow(dent_sim *sim);                 /* after it */
/* In the sweep: what the springs of a vertex ask; the places [begin, end) of a colour are done. */
void springs_add(const dent_sim *sim, uint32_t vertex, struct vertex_system *system);
void springs_colour_done(dent_sim *sim, uint32_t begin, uint32_t end);
void springs_move_pieces(dent_sim *sim, double h); /* after each sweep */
void springs_add_to_blocks(dent_sim *sim);         /* … to rigid bodies with bonds */
void springs_end(dent_sim *sim, double h); /* before momentum is put right: the forces of the springs are carried */

dent_status springs_build(dent_sim *sim);
void springs_destroy(dent_sim *sim);

#endif
