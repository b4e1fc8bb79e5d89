/* The inside of a dent_time_critical: an interruptible search between two bounding trees. See
 * include/dent/time_critical.h for what it promises.
 *
 *   time_critical.c          create, begin, run: the loop, the clock, the bounds
 *   time_critical_steps.c    the steps: split a pair, test the faces of two leaves, test an old front
 *   time_critical_inside.c   components inside the other body: a ray walk that can be stopped
 *   region_queue.c           the pairs that are pending
 *   schedule.c               many searches under one budget
 *
 * A step is what is done between two looks at the budget: small, whatever the bodies. Pairs are tested when they are
 * made and only those that are not surely apart are stored, so there is nothing left to clean up when time is out (the
 * paper tests pairs when they are taken out, and counts the untested as colliding).
 */
#ifndef DENT_QUERY_TIME_CRITICAL_SEARCH_H
#define DENT_QUERY_TIME_CRITICAL_SEARCH_H

#include "structures/bounds/bound_kernels.h"
#include "geometry/predicates/predicate_kinds.h"
#include "query/deadline/bound_tree_object.h"
#include "query/deadline/region_queue.h"

/* Where an earlier search ended: at a pair of nodes, or at those parts of a split pair (in the order of list_parts)
 * that were apart. */
struct front_record {
    uint32_t node_a, node_b;
    uint64_t parts; /* bits of parts; the top two bits say which side was split */
};

enum split_side { SPLIT_NONE = 0, SPLIT_A = 1, SPLIT_B = 2, SPLIT_BOTH = 3 }; /* both: a node with itself */

enum { FACE_TEST_UNITS = 4, CLOCK_UNITS = 32, PARTS_MAX = 36 };

/* A ray walk in progress: does the other body's surface wind around a vertex of a component? */
struct inside_walk {
    bool active;
    uint32_t component; /* in components */
    uint32_t corner;    /* which corner of the component's faces is asked about: 3 * face + corner */
    double point[3];
    int winding;
    uint32_t seen; /* of a component that touches: sides on which vertices were found, as bits */
    uint32_t top;
    uint32_t stack[BOUND_LEVELS_MAX * BOUND_BRANCHING_MAX];
};

struct dent_time_critical {
    dent_context *context;
    dent_time_critical_def def;
    struct bound_tree *a, *b;
    bool begun;
    uint64_t epoch_a, epoch_b;
    bool share_vertices; /* faces of a and b may have vertices in common */
    const struct bound_kernels *kernels;
    bound_kernel *kernel; /* for children of one tree against a node of the other; null: volumes of different kinds */
    bool use_slabs;       /* and the slabs of what is left, which both have */

    struct region_queue queue;
    uint32_t reserve;   /* with less room than this, the most refined entries go first */
    uint32_t set_aside; /* stuck entries tried in a row without success */

    /* A leaf pair whose faces are being tested: it stays pending. */
    uint32_t active; /* entry, or REGION_NONE */
    uint32_t row;    /* faces of a that were compared with all of b by their boxes … */
    uint32_t left;   /* … and what is left of the last of them: faces of b, as bits */
    uint32_t first_pair;
    struct bound_volume face_boxes[2][BOUND_LEAF_FACES_MAX];

    dent_confirmed_pair *confirmed;
    uint32_t confirmed_count;
    dent_face_pair *pairs;
    uint32_t pair_count;
    double confirmed_depth;

    dent_component *components;
    uint32_t component_count, component_capacity, components_pending, components_of_a;
    /* Where a component touches the other surface it may pass through it, along edges or at a vertex, without a pair
     * of faces that crosses: which components do, and with which faces (by slot, as bits), side a and side b. */
    bool *component_touches;
    uint64_t *touching_slots[2];
    size_t touching_words[2];
    bool touched; /* some bit is set */
    struct inside_walk walk;

    /* Fronts: `old` is being tested anew, `front` is that of this search. */
    struct front_record *front, *old;
    uint32_t front_count, old_count, old_next;
    bool front_lost;            /* it did not fit */
    bool covered;               /* entry 0, for the two roots, stands for the old front until all of that is tested */
    bool from_roots;            /* this search began there */
    uint32_t fresh_front_count; /* size of the front of the last one that did */

    uint64_t units,
        granted;     /* of work that is counted: bound tests and face tests, whatever nodes were known already */
    uint64_t effort; /* units, and those of nodes computed: how long it takes */
    uint64_t splits, bound_tests, face_tests, nodes_updated;
    double error, depth;                             /* running minima */
    uint32_t least_error_bucket, least_depth_bucket; /* the topmost of all entries when these were last looked at */
    predicate_counters predicates;
    uint64_t margin_ns; /* a recent longest batch */
};

/* What ends a run before the search is complete, besides units: a deadline, and the caller's flag. Both are looked at
 * every CLOCK_UNITS units of effort. */
struct stopwatch {
    bool polls, timed; /* timed: there is a deadline; polls: that, or a flag */
    const int *interrupt;
    uint64_t began, deadline, last; /* ns */
    uint64_t last_effort;           /* of the search at the last look */
    uint64_t margin_ns;             /* a recent longest batch */
    uint64_t worst_batch;
    dent_outcome said; /* by the last look; COMPLETE: go on */
};
enum { MARGIN_FIRST_NS = 500 };

struct stopwatch stopwatch_start(dent_budget budget, uint64_t margin_ns);
/* Complains of a budget that is no number. */
dent_status stopwatch_check(dent_context *context, dent_budget budget);
/* Sets and returns `said`. BUDGET_SPENT: no time for another batch; CANCELLED: the flag is set. */
dent_outcome stopwatch_look(struct stopwatch *watch, uint64_t effort);

/* Works until the search is complete or stuck, its granted units are used, or the watch says so. */
dent_outcome search_work(dent_time_critical *search, struct stopwatch *watch);
bool search_is_complete(const dent_time_critical *search);

/* DENT_OK while the trees are as they were at `begin`; else fails with a message that says what comes first. */
dent_status search_check_trees(const dent_time_critical *search);

/* True when something was done; false: the search is complete or cannot get farther. */
bool search_step(dent_time_critical *search);

/* A pair of nodes: computes them if need be, and the bounds. True unless they are surely apart. */
bool search_test_pair(dent_time_critical *search, uint32_t node_a, uint32_t node_b, dent_region_pair *pair);
/* Adds it to the queue; there must be room. */
void search_push(dent_time_critical *search, const dent_region_pair *pair);
void search_begin_at_roots(dent_time_critical *search);

/* Components: memory for them (false: out of memory; inside_end frees what there is); all pending, or all outside; one
 * step of the walk; two faces that cross, or that only touch. */
bool inside_create(dent_time_critical *search);
void inside_end(dent_time_critical *search);
void inside_begin(dent_time_critical *search, bool apart);
bool inside_step(dent_time_critical *search);
void inside_note_crossing(dent_time_critical *search, uint32_t slot_a, uint32_t slot_b);
void inside_note_touching(dent_time_critical *search, uint32_t slot_a, uint32_t slot_b);

#endif
