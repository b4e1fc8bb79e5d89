/* One planner while it runs.
 *
 *   planner (planner.c)             the public calls: checks, start and goal, phases, results
 *   space (plan_space.c)            joint values, tangent vectors, metric
 *   edges (plan_edges.c)            certified edge tests on one world per worker
 *   slide (plan_slide.c)            contacts as rows, projection onto their tangent cone
 *   walks (plan_walks.c)            from a milestone towards a target, along contacts; adds milestones
 *   tree (plan_tree.c)              two trees that walk towards draws and towards each other
 *   roadmap (plan_roadmap.c)        milestones all over, connected to their neighbours
 *   path (plan_path.c)              certifies a path in its own direction, shortens it
 *
 * Everything between two batches of edge tests runs on the calling thread, so nothing depends on the workers. */
#ifndef DENT_PLAN_STATE_H
#define DENT_PLAN_STATE_H

#include "base/containers/dynamic_array.h"
#include "plan/plan_edges.h"

#include <dent/constraints.h>

#define PLAN_NONE UINT32_MAX

/* Which tree a milestone belongs to. The roadmap has one tree, and links instead of parents. */
enum { PLAN_FROM = 0, PLAN_TO = 1, PLAN_DEAD = 2 };

struct plan_node {
    uint32_t parent; /* PLAN_NONE: a root */
    uint32_t tree;
    uint32_t first_contact, contact_count; /* of planner->contacts */
};

struct plan_link {
    uint32_t a, b;
    double length;
};

enum plan_phase { PLAN_CHECKING, PLAN_SEARCHING, PLAN_SHORTENING, PLAN_DONE, PLAN_BROKEN };

struct dent_planner {
    dent_context *context;
    dent_planner_def def; /* lists of it are not read after creation */
    dent_plan_body *bodies;
    double *ranges; /* copies of lower and upper */
    struct plan_space space;
    struct plan_tester tester;
    dent_constraints *constraints;
    double target_gap;
    double box_lo[3], box_hi[3];

    /* the question */
    double from[DENT_PLAN_VALUES_MAX], to[DENT_PLAN_VALUES_MAX];
    dent_random random;
    enum plan_phase phase;
    dent_plan_verdict verdict;
    uint32_t body_a, body_b;
    uint64_t edges, edge_limit, edges_to_first, ns, ns_to_first;
    const int *cancel;

    struct dynamic_array nodes;    /* struct plan_node */
    struct dynamic_array values;   /* value_count doubles each */
    struct dynamic_array contacts; /* struct plan_contact */
    struct dynamic_array links;    /* struct plan_link, of the roadmap */
    struct dynamic_array components, distances, previous; /* of the roadmap */
    uint32_t contact_nodes;
    uint32_t rounds; /* so far */
    uint32_t batch;

    struct dynamic_array path, spare; /* value_count doubles each */
    double length;
    bool pending;           /* the budget ended while this path was being certified … */
    uint32_t pending_first; /* … from this edge on; those before are in `spare` */
    uint32_t failures; /* shortcuts in a row that did not help */

    struct plan_edge batch_edges[PLAN_BATCH];
};

static inline uint32_t plan_node_count(const dent_planner *planner)
{
    return (uint32_t)planner->nodes.count;
}
static inline struct plan_node *plan_node_at(const dent_planner *planner, uint32_t node)
{
    return array_at(&planner->nodes, node);
}
static inline const double *plan_values_at(const dent_planner *planner, uint32_t node)
{
    return array_at(&planner->values, node);
}

dent_status plan_out_of_memory(const dent_planner *planner);

/* Budget spent, or cancelled. */
bool plan_must_stop(const dent_planner *planner);
/* How many more edges of those wanted may be tested now. */
uint32_t plan_affordable(const dent_planner *planner, uint32_t wanted);
/* Tests the first `count` of batch_edges and counts them. */
dent_status plan_run_batch(dent_planner *planner, uint32_t count);

/* PLAN_NONE: no memory. */
uint32_t plan_add_node(dent_planner *planner, const double *values, uint32_t tree, uint32_t parent,
                       const struct plan_contact *contacts, uint32_t contact_count);
/* The milestone of a tree that is nearest to a configuration; PLAN_NONE for none. */
uint32_t plan_nearest(const dent_planner *planner, uint32_t tree, const double *values);

/* ---- sliding ----------------------------------------------------------------------------------------------------- */

/* Shortens a tangent vector at a configuration to what contacts allow. False: they allow all of it, nothing changed. */
bool plan_project(dent_planner *planner, const double *values, const struct plan_contact *contacts, uint32_t count,
                  double *tangent);

/* ---- walks ------------------------------------------------------------------------------------------------------- */

/* From a milestone to a target, in steps that are certified one by one. */
struct plan_walk {
    double target[DENT_PLAN_VALUES_MAX];
    uint32_t node;  /* where it is */
    uint32_t first; /* where it began */
    double cap;     /* the longest step; along contacts: the next step */
    uint32_t contact_count; /* what is in the way where it is, as far as known */
    struct plan_contact contacts[PLAN_CONTACTS];
    bool going, reached;
};

struct plan_walk plan_walk_from(uint32_t node, dent_planner *planner, const double *target);
/* Up to `steps` steps of all walks side by side, at most PLAN_BATCH of them. */
dent_status plan_walk_all(dent_planner *planner, struct plan_walk *walks, uint32_t count, uint32_t steps);

/* ---- searches: one round each; *found when a path is in planner->path -------------------------------------------- */

dent_status plan_tree_round(dent_planner *planner, bool *found);
dent_status plan_roadmap_round(dent_planner *planner, bool *found);

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* Certifies planner->path, edge by edge in its own direction. Edges that are not free as they are get points in
 * between. *failed is the first edge that is not free, UINT32_MAX if all are. If the budget ends before that is known,
 * the path is pending, and the next call goes on with it. */
dent_status plan_certify_path(dent_planner *planner, uint32_t *failed);
/* One batch of shortcuts. */
dent_status plan_shorten_round(dent_planner *planner, bool *done);
double plan_path_length(const dent_planner *planner);

#endif
