/* All pairs of surface faces that cross, share area in one plane or touch: exact, over a surface forest.
 *
 *   groups of leaves -> pairs of leaves (lists and trees) -> pairs of faces (boxes, rows of share bits, planes in float
 * with a bound)
 *                    -> eight at a time in double with a bound -> exact predicates for what is left open
 *
 * Every stage may keep too much and never drops a pair that is an answer; the bounds are derived in surface_kernels.h.
 * Blocks of groups run in parallel, each with its own output; what a block finds does not depend on the thread that
 * runs it.
 */
#ifndef DENT_STRUCTURES_SURFACE_CROSSINGS_H
#define DENT_STRUCTURES_SURFACE_CROSSINGS_H

#include <dent/query.h>

#include "geometry/predicates/predicate_kinds.h"
#include "structures/surface/surface_forest.h"

struct crossing_search {
    struct surface_forest *forest; /* refitted to the snapshot, not grown */
    const struct snapshot *snapshot;
    dent_isa isa;
    struct cancel_flag *cancel;
    bool touching;   /* report touching pairs too */
    bool culling;    /* leave out what the culling has marked in the trees */
    bool leave_open; /* tell what doubles cannot decide as a pair of kind 0, instead of deciding it; ties do not count
                        as shared vertices */

    void *user;
    /* Called once, before the first block. False: no memory, stop. */
    bool (*begin)(void *user, uint32_t block_count);
    /* Answers of a block, canonical sides (a < b) but in no order; on worker `worker`. */
    void (*take)(void *user, uint32_t block, uint32_t worker, const dent_pair *pairs, size_t count);

    /* What it took, added up by surface_crossings_find. */
    uint64_t box_tests, leaf_pairs, candidates, exact_tests;
    uint64_t ns_walk, ns_filter, ns_narrow; /* all threads together */
    predicate_counters predicates;
};

/* False when memory runs out, and then perhaps not all pairs were told. */
bool surface_crossings_find(struct crossing_search *search, struct arena *scratch);

#endif
