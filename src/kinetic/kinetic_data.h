/* The inside of a dent_kinetic: plans, tree, winners, queue, front.
 *
 *   kinetic_plans.c    tracks of keys; the piece each vertex is on
 *   kinetic_tree.c     the shape: building, insertion, deletion, rotations
 *   kinetic_events.c   winners, certificates, advancing
 *   kinetic_front.c    the separation list
 *   kinetic_queries.c  boxes, pairs, nodes
 *   kinetic.c          the public calls
 */
#ifndef DENT_KINETIC_DATA_H
#define DENT_KINETIC_DATA_H

#include <dent/kinetic.h>

#include "base/arena.h"
#include "kinetic/event_queue.h"
#include "kinetic/kinetic_order.h"

enum { KINETIC_DIRECTIONS_MOST = 13, KINETIC_SLOTS_MOST = 26, KINETIC_TRACK_SIZES = 64 };
#define NO_NODE UINT32_MAX

/* Keys of vertices that were given plans together. */
struct kinetic_track {
    uint32_t first_vertex, vertex_count;
    uint32_t user_count; /* vertices that still follow it; 0: unused */
    uint32_t next_free;  /* of an unused one: the next unused one of its size; NO_NODE: none */
    uint32_t key_count;
    uint32_t piece; /* the vertices are between keys piece - 1 and piece; 0: before the first, key_count: behind the last */
    size_t capacity;
    double *numbers; /* times; then by key, vertex and direction the coordinate */
};

struct kinetic_vertex {
    uint32_t track;
    uint32_t first_corner; /* of the elements it is a corner of; NO_NODE: none. element * CORNERS + place */
    uint32_t changes;      /* of its plan, since parts were last chosen for refit */
};

struct kinetic_node {
    uint32_t parent, children[2]; /* NO_NODE: none; children[0] of a node in the free list: the next one */
    uint32_t element;             /* of a leaf; NO_NODE: an inner node */
    uint32_t height;              /* 0: a leaf */
    uint32_t first_pair;          /* of the front: pair * 2 + side; NO_NODE: none */
    bool refit;                   /* not kept by certificates */
};

struct kinetic_element {
    uint32_t leaf;    /* NO_NODE: none */
    uint32_t corners; /* how many different vertices; 0: removed */
    bool marked;      /* while elements are removed */
    uint32_t vertices[DENT_KINETIC_CORNERS];
    uint32_t next_corner[DENT_KINETIC_CORNERS]; /* of the same vertex */
};

/* Two nodes that are apart along a slot. */
struct front_pair {
    uint32_t nodes[2];
    uint32_t next[2]; /* in the list of the node: pair * 2 + side */
    uint32_t slot;    /* node 1 is beyond node 0 in its sense; NO_NODE: no longer in use */
};

struct kinetic_front {
    struct event_queue queue;
    struct dynamic_array pairs;    /* struct front_pair */
    struct dynamic_array contacts; /* dent_kinetic_contact */
    struct dynamic_array set;      /* uint64_t: a hash set of the contacts, a << 32 | b; UINT64_MAX: free */
    struct dynamic_array stack;    /* uint64_t: pairs of nodes to look at */
    double since;
    bool failed; /* no memory: the list is not complete */
    bool sorted;
};

struct dent_kinetic {
    dent_context *context;
    dent_kinetic_def def;
    uint32_t directions, slots;
    double now;
    double largest_speed; /* of a coordinate on any piece so far */
    double slack; /* of slots beyond the first six: how much a coordinate along them may be wrong */

    struct dynamic_array tracks;      /* struct kinetic_track */
    uint32_t free_tracks[KINETIC_TRACK_SIZES];         /* by size, 2^n to 2^(n+1) - 1 numbers: the first unused one; NO_NODE: none */
    struct event_queue track_queue;   /* by track: the next key */
    struct dynamic_array vertices;    /* struct kinetic_vertex */
    struct dynamic_array pieces;      /* double: by vertex t0, t1, then x0, x1 for each direction */

    struct dynamic_array elements; /* struct kinetic_element */
    struct dynamic_array free_elements; /* uint32_t */
    struct dynamic_array nodes;    /* struct kinetic_node */
    uint32_t free_node, root, element_count;
    struct dynamic_array winners; /* uint32_t: by node and slot */
    struct event_queue queue;     /* by node and slot */
    struct dynamic_array refit_order; /* uint32_t: nodes kept by refit, children before parents */
    uint64_t advances;                /* since parts were last chosen for refit */
    bool changed_shape;               /* refit_order is to be made anew */
    bool plans_changed;               /* since then: there is something to measure */

    struct kinetic_front front;
    struct dynamic_array hits, keys, pairs, stack;
    struct arena scratch;
    dent_kinetic_counters counters;
};

/* ---- plans ------------------------------------------------------------------------------------------------------- */

static inline struct moving_value kinetic_value(const struct dent_kinetic *tree, uint32_t vertex, uint32_t slot)
{
    const double *piece = (const double *)tree->pieces.data + (size_t)vertex * (2 + 2 * tree->directions);
    const double *keys = piece + 2 + 2 * (slot / 2);
    double sense = slot % 2 ? 1.0 : -1.0; /* even slots: the least, which is the largest of the negative numbers */
    return (struct moving_value){piece[0], piece[1], sense * keys[0], sense * keys[1]};
}

/* Copies plans in and puts their vertices on the piece of the present time. A failure changes nothing. */
dent_status kinetic_plans_set(struct dent_kinetic *tree, const dent_flight_plans *plans);
void kinetic_plans_destroy(struct dent_kinetic *tree);
/* Puts all vertices of a track on the piece it is on. */
void kinetic_track_load(struct dent_kinetic *tree, uint32_t track);
/* Puts all tracks on the piece of the present time. */
void kinetic_plans_seek(struct dent_kinetic *tree);
/* Puts the next key of a track into the queue. */
void kinetic_track_schedule(struct dent_kinetic *tree, uint32_t track);

/* ---- shape ------------------------------------------------------------------------------------------------------- */

static inline struct kinetic_node *kinetic_node(const struct dent_kinetic *tree, uint32_t node)
{
    return (struct kinetic_node *)tree->nodes.data + node;
}

static inline struct kinetic_element *kinetic_element(const struct dent_kinetic *tree, uint32_t element)
{
    return (struct kinetic_element *)tree->elements.data + element;
}

static inline uint32_t *kinetic_winners(const struct dent_kinetic *tree, uint32_t node)
{
    return (uint32_t *)tree->winners.data + (size_t)node * tree->slots;
}

/* Makes the shape of all elements anew. The caller restarts. False: no memory, and the shape is as it was. */
bool kinetic_tree_build(struct dent_kinetic *tree);
/* Room for `count` more elements. */
bool kinetic_tree_reserve(struct dent_kinetic *tree, uint32_t count);
/* Inserts the leaf of an element, or takes it out. Winners and certificates are right afterwards. */
void kinetic_tree_insert(struct dent_kinetic *tree, uint32_t element);
void kinetic_tree_remove(struct dent_kinetic *tree, uint32_t element);

/* ---- events ------------------------------------------------------------------------------------------------------ */

/* Decides all slots of a node from what is below it, and schedules them. */
void kinetic_node_decide(struct dent_kinetic *tree, uint32_t node);
/* Drops all events and makes all winners at the present time. */
void kinetic_restart(struct dent_kinetic *tree);
/* After the plan of a vertex has changed: all certificates it takes part in. */
void kinetic_vertex_changed(struct dent_kinetic *tree, uint32_t vertex);
/* Handles the next event of any kind that is not after `time`; false: there is none. */
bool kinetic_step(struct dent_kinetic *tree, double time);
void kinetic_advance_to(struct dent_kinetic *tree, double time);
/* Makes the boxes kept by refit. */
void kinetic_refit(struct dent_kinetic *tree);
/* The time of the next event of any kind. */
double kinetic_next_time(const struct dent_kinetic *tree);

/* ---- front ------------------------------------------------------------------------------------------------------- */

void kinetic_front_init(struct dent_kinetic *tree);
void kinetic_front_destroy(struct dent_kinetic *tree);
/* Walks over all pairs anew at the present time. */
void kinetic_front_restart(struct dent_kinetic *tree);
/* A side of a node, or the plan of the vertex that makes it, has changed. */
void kinetic_front_side_changed(struct dent_kinetic *tree, uint32_t node, uint32_t slot);
/* Handles the next event of the front. */
void kinetic_front_step(struct dent_kinetic *tree);
/* Takes contacts of removed elements out of the list: their numbers are used again. */
void kinetic_front_forget_removed(struct dent_kinetic *tree);
/* Empties the list of contacts. The caller restarts. */
void kinetic_front_empty(struct dent_kinetic *tree);

#endif
