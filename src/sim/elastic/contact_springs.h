/* Springs that stand for contacts in the elastic sweep; see contact_springs.c. */
#ifndef DENT_SIM_CONTACT_SPRINGS_H
#define DENT_SIM_CONTACT_SPRINGS_H

#include "elastic_mesh.h"

/* Of a substep, in this order. Memory for the contacts; before inertia moves the vertices: which contacts are springs;
 * after it. */
dent_status springs_reserve(const struct sim_model *model, const struct contact_set *contacts,
                            struct elastic_work *work);
void springs_begin(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                   struct elastic_work *work);
void springs_follow(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work);
/* In the sweep, where there are any: what the springs of a vertex ask. The slots [begin, end) of a colour are done. */
bool springs_any(const struct elastic_work *work);
void springs_add(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                 const struct elastic_work *work, uint32_t vertex, struct vertex_system *system);
void springs_colour_done(const struct sim_model *model, const struct sim_state *state, struct elastic_work *work,
                         uint32_t begin, uint32_t end);
/* After each sweep: free pieces as wholes; rigid bodies with bonds. */
void springs_move_pieces(const struct sim_model *model, struct sim_state *state, const struct contact_set *contacts,
                         struct elastic_work *work);
void springs_add_to_blocks(const struct sim_model *model, const struct sim_state *state,
                           const struct contact_set *contacts, struct elastic_work *work);
/* Before momentum is put right: the forces of the springs are carried. */
void springs_end(const struct sim_model *model, const struct sim_state *state, const struct contact_set *contacts,
                 struct elastic_work *work);
void springs_destroy(dent_context *context, struct elastic_work *work);

#endif
