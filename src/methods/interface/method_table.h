/* The only list of methods. */
#ifndef DENT_METHODS_METHOD_TABLE_H
#define DENT_METHODS_METHOD_TABLE_H

#include "methods/interface/method_interface.h"

/* Null for AUTO and for values that name no method. */
const struct method_row *method_row_of(dent_method method);

/* What AUTO has learned in a world from earlier queries; all zero at first. Answers are the same for every method, thread
 * count and instruction set; what certificates prove is the same for every thread count, but not for every instruction
 * set (sums of floats), so near their limits AUTO may choose differently there. */
struct method_experience {
    bool much_overlaps;
    uint64_t unproven_cells;   /* of bodies whose certificates fail (struct proof_report) ... */
    uint64_t topology_version; /* ... in the world of this version */
    uint32_t walks_left;       /* contour walks until certificates have another chance */
    uint32_t last_walks;       /* how many they were the last time */
};

/* Those of `questions` that AUTO searches for next, together: no method is the best for surfaces and for cells. Cells
 * come last. */
uint32_t method_together(uint32_t questions);

/* AUTO's choice for questions that are searched for together, and why, in words. */
const struct method_row *method_choose(const struct snapshot *snapshot, uint32_t questions, bool touching,
                                       const struct method_experience *experience, const char **reason);

/* Are certificates that failed due for another chance? True for the search that gives it to them. */
bool method_tries_proofs_again(const struct method_experience *experience, const struct snapshot *snapshot);

/* To be called after every complete search, with its method and what it told. */
void method_learn_proofs(struct method_experience *experience, const struct snapshot *snapshot, dent_method method,
                         const struct proof_report *proofs);

/* To be called with the number of pairs of every complete answer to face-cell. */
void method_learn(struct method_experience *experience, const struct snapshot *snapshot, uint64_t face_cell_pairs);

extern const struct method_row brute_force_method;
extern const struct method_row sweep_method;
extern const struct method_row spatial_hash_method;
extern const struct method_row bucket_tree_method;
extern const struct method_row cluster_search_method;
extern const struct method_row surface_tree_method;
extern const struct method_row contour_walk_method;

#endif
