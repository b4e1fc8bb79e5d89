/* Certified edge tests: one world per worker, each with the same bodies in the same order, so that it does not matter
 * which of them tests an edge. */
#ifndef DENT_PLAN_EDGES_H
#define DENT_PLAN_EDGES_H

#include "plan/plan_space.h"

#include <dent/penetration.h>
#include <dent/world.h>

enum {
    PLAN_BATCH = 8,   /* edges tested side by side; paths depend on it */
    PLAN_CONTACTS = 8 /* kept of one milestone */
};

/* A contact in the coordinates of the links that touch, so that it can be followed when they move: a point of a, and a
 * plane of b through a point with a normal towards a. Obstacles: coordinates of the world. */
struct plan_contact {
    uint32_t link_a, link_b; /* or DENT_PLAN_OBSTACLE */
    double point_a[3], point_b[3], normal[3];
};

/* One edge, and what the test said. */
struct plan_edge {
    double from[DENT_PLAN_VALUES_MAX], to[DENT_PLAN_VALUES_MAX];
    double tolerance; /* as in dent_motion_impact_def */
    bool wants_contacts;
    dent_status status;
    dent_motion_verdict verdict;
    double t;
    uint32_t body_a, body_b;
    uint32_t contact_count;
    struct plan_contact contacts[PLAN_CONTACTS];
};

struct plan_worker {
    dent_context *context; /* of one thread, with the memory of the planner's */
    dent_world *world;
    dent_motion_body *bodies;
    dent_excluded_pair *excluded;
    dent_motion_frame *frames;
    dent_pose *poses;
};

struct plan_tester {
    dent_context *context;
    struct plan_space *space;
    uint32_t body_count, excluded_count;
    const dent_plan_body *bodies; /* the planner's copy */
    dent_plan_pair *pairs;        /* not tested */
    uint64_t work_limit;
    uint32_t worker_count;
    struct plan_worker *workers;
    dent_world *check_world; /* for overlaps; null until one is asked for */
    double *placed;          /* positions of the moving bodies in it */
    size_t placed_count;
};

/* Lists the pairs that are not tested and makes the worlds; tester->context, space, bodies, body_count and work_limit
 * are set. Clean up in any case. */
dent_status plan_tester_create(struct plan_tester *tester, const dent_planner_def *def);
void plan_tester_destroy(struct plan_tester *tester);

/* Tests edges, each with its own status; returns the first that is not DENT_OK. */
dent_status plan_test_edges(struct plan_tester *tester, struct plan_edge *edges, uint32_t count);

/* Do bodies overlap at a configuration, also one inside another? Exact for the rounded positions. UINT32_MAX: none. */
dent_status plan_find_overlap(struct plan_tester *tester, const double *values, uint32_t *body_a, uint32_t *body_b);

/* Takes a contact along: its points and its normal in the world, with the links where space->poses has them. */
void plan_contact_place(const struct plan_space *space, const struct plan_contact *contact, double point_a[3],
                        double point_b[3], double normal[3]);

#endif
