/* Bodies with the same elements keep one copy of them and of what follows from them.
 *
 * A swarm is one small mesh many times over: what its bodies do not share is positions, reference, ties and settings.
 * A table remembers a few bodies by a number made from their elements; the next body with equal elements borrows their
 * arrays, which are constant and go with the last body that uses them. Same elements: equal kind, vertex count, cell
 * kinds and corners, compared one by one.
 */
#ifndef DENT_BODIES_SHARED_MESH_H
#define DENT_BODIES_SHARED_MESH_H

#include "bodies/body_data.h"
#include "bodies/mesh_check.h"

enum { SHARED_MESHES = 64 };

/* Living bodies of one table that others may borrow from; all null at first. A body forgotten here costs memory, not
 * correctness. */
struct shared_meshes {
    struct body *lenders[SHARED_MESHES];
};

/* A body with the elements of a checked def; null: none is remembered. */
struct body *shared_meshes_find(const struct shared_meshes *meshes, const dent_body_def *def,
                                const struct mesh_counts *counts);

/* To be called with every body that is put into the table, and with every one that leaves it. */
void shared_meshes_note(struct shared_meshes *meshes, struct body *body);
void shared_meshes_forget(struct shared_meshes *meshes, const struct body *body);

/* Gives a body without elements those of the lender. */
void mesh_borrow(struct body *body, struct body *lender);
/* Gives the arrays back: the last of the bodies that share them releases them. */
void mesh_release(struct body *body);

#endif
