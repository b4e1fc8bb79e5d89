/* dent/kinetic.h — a tree of boxes over vertices whose motion is known ahead.
 *
 * Key-framed characters, blend shapes, recorded cloth and planned robots have flight plans: every vertex moves on straight
 * lines between keys. The box of a node changes its numbers all the time, but seldom the vertices that are extreme. The
 * tree stores these, six for each node. For each it also stores the time at which another vertex takes its place (a
 * certificate, and the event at which it fails). To go on to a later time it handles the events in between and nothing
 * else (Zachmann & Weller 2006).
 *
 *   dent_kinetic *tree;
 *   dent_kinetic_create(context, NULL, &tree);
 *   dent_kinetic_set_plans(tree, &plans);                       keys of vertices 0, 1, 2, …; copied
 *   dent_kinetic_insert(tree, triangles, 3, count, NULL);       elements over these vertices
 *   for (…) {
 *       dent_kinetic_advance(tree, time);                       any time; backward restarts
 *       dent_kinetic_pairs(tree, &pairs);                       elements whose boxes overlap now
 *   }
 *
 * Where it helps: many queries between two keys. Where every vertex gets a new velocity at every step, a refit is faster;
 * see docs/methods/kinetic_tree.md.
 *
 * Exactness. Vertices move as real numbers do. The order of two is judged exactly, and an event happens at the first double
 * at which the order is another one. So at every time the extreme vertices are the true ones, and a box contains all
 * its vertices. It is computed from the extreme ones and rounded outward by a few units in the last place. Everything
 * is the same on every machine.
 *
 * Slots. Boxes have three directions. With 7, 9 or 13 directions the same code keeps k-DOPs of 14, 18 or 26 sides.
 * Directions 0 to 2 are x, y, z. For 7 and 13, (±x ± y + z)/4 with signs ++, -+, +-, -- follow. For 9 and 13 (x ± y)/2,
 * (x ± z)/2, (y ± z)/2 follow. Bounds along these are rounded outward once more.
 *
 * Memory: with three directions about 500 bytes an element, and the keys. After warm-up, advancing allocates nothing, except that the list of
 * contacts may grow.
 *
 * Threads: different objects from any thread; one object is used by one thread at a time.
 */
#ifndef DENT_KINETIC_H
#define DENT_KINETIC_H

#include <dent/boxes.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How boxes are kept right. The boxes are the same. */
typedef enum dent_kinetic_mode {
    DENT_KINETIC_AUTO = 0,   /**< by events; by refit in the parts whose plans change at more than a quarter of the advances */
    DENT_KINETIC_EVENTS = 1, /**< by events everywhere */
    DENT_KINETIC_REFIT = 2,  /**< all boxes at every advance: for comparison */
    DENT_KINETIC_MODE_COUNT = 3
} dent_kinetic_mode;

/** Returns "auto", "events", "refit"; null for other values. */
DENT_API const char *dent_kinetic_mode_name(dent_kinetic_mode mode);

typedef struct dent_kinetic_def {
    size_t struct_size;
    dent_kinetic_mode mode; /**< default AUTO */
    uint32_t directions;    /**< 3 (default), 7, 9 or 13 */
    bool contacts;          /**< default false. True: keep a separation list, see dent_kinetic_contacts(). Then all parts
                                 are kept by events, and mode REFIT is rejected */
} dent_kinetic_def;
DENT_API dent_kinetic_def dent_kinetic_def_default(void);

typedef struct dent_kinetic dent_kinetic;

/** Creates an object without vertices and elements, at time 0. Null def: all defaults. Fails with INVALID_ARGUMENT or
 * OUT_OF_MEMORY; then *tree is untouched. */
DENT_API dent_status dent_kinetic_create(dent_context *context, const dent_kinetic_def *def, dent_kinetic **tree);
/** Destroys the object. Null is allowed. */
DENT_API void dent_kinetic_destroy(dent_kinetic *tree);

/* ---- flight plans ------------------------------------------------------------------------------------------------ */

/** Plans of vertices that follow one another, with keys at the same times. Before its first key a vertex stands where
 * that is, behind its last key where that is. */
typedef struct dent_flight_plans {
    uint32_t first_vertex, vertex_count; /**< first_vertex is at most the number of vertices there are: new ones follow */
    uint32_t key_count;                  /**< 1 or more */
    const double *times;                 /**< key_count, strictly ascending, at most 2^1000 in size */
    const dent_positions *positions;     /**< key_count times the places of the vertices */
} dent_flight_plans;

/** Gives vertices new plans from the present time on; those they had are forgotten. The place of a vertex may jump. All data
 * is copied. More than one vertex in twenty at once: O(n), as a new start. Else O(elements of the vertices, times log n).
 * A failure changes nothing. BAD_NUMBER: a number is not finite; the message gives key and vertex. INVALID_ARGUMENT: no
 * vertices, no keys, times that do not ascend, a gap before first_vertex. Or TOO_LARGE or OUT_OF_MEMORY. */
DENT_API dent_status dent_kinetic_set_plans(dent_kinetic *tree, const dent_flight_plans *plans);

/** Returns how many vertices have plans. */
DENT_API uint32_t dent_kinetic_vertex_count(const dent_kinetic *tree);

/* ---- elements ---------------------------------------------------------------------------------------------------- */

enum { DENT_KINETIC_CORNERS = 16 /**< the most vertices an element may have */ };

/** Inserts `count` elements of `corners` vertices each (1: points, 3: triangles, …; a vertex may be repeated). Writes their
 * numbers to `elements` unless that is null. An element keeps its number until it is removed. Numbers are given in
 * ascending order as long as nothing was removed; then those of removed elements come first. O(log n) each; O(n log n)
 * for all together if they are more than those that were there. With def.contacts a call rebuilds the separation list.
 * Fails with INVALID_ARGUMENT (the message gives the element), TOO_LARGE or OUT_OF_MEMORY; then nothing changes.
 */
DENT_API dent_status dent_kinetic_insert(dent_kinetic *tree, const uint32_t *vertices, uint32_t corners, uint32_t count,
                                         uint32_t *elements);

/** Removes elements. O(log n, and the elements of its vertices) each. With def.contacts a call rebuilds the separation
 * list. Fails with INVALID_ARGUMENT (an unknown element, or one that comes twice); then nothing changes. */
DENT_API dent_status dent_kinetic_remove(dent_kinetic *tree, const uint32_t *elements, uint32_t count);

/** Returns how many elements there are. */
DENT_API uint32_t dent_kinetic_element_count(const dent_kinetic *tree);

/* ---- time -------------------------------------------------------------------------------------------------------- */

/** Goes to `time`. Forward: handles all events up to it, in order. Backward: drops all events, empties the list of contacts and
 * restarts there, O(n). Fails with BAD_NUMBER (not finite, or larger than 2^1000); then nothing changes. */
DENT_API dent_status dent_kinetic_advance(dent_kinetic *tree, double time);
/** Goes to `time` without testing what is in between: O(n), however far. Contacts in between are not found. Backward it
 * empties the list of contacts. */
DENT_API dent_status dent_kinetic_jump(dent_kinetic *tree, double time);
/** Returns the present time. */
DENT_API double dent_kinetic_time(const dent_kinetic *tree);
/** Returns the time of the next event; infinity if there is none. */
DENT_API double dent_kinetic_next_event(const dent_kinetic *tree);

/* ---- questions at the present time ------------------------------------------------------------------------------- */

/** Stands for all elements in dent_kinetic_bounds(). */
#define DENT_KINETIC_ALL UINT32_MAX

/** Writes the least and the largest coordinate along each direction, two numbers each, of an element or of all. Without
 * elements: infinity and -infinity. Fails with INVALID_ARGUMENT. O(directions). */
DENT_API dent_status dent_kinetic_bounds(const dent_kinetic *tree, uint32_t element, double *bounds);

/** Writes x, y, z of `count` vertices from `first_vertex` on at the present time, three doubles each. At the time of a
 * key they are the key. Between two keys they are wrong by at most 2^-50 of the sizes of the two weighted keys. Every
 * place lies in the boxes of its elements. So flight plans move whatever reads positions: a world, or a cloud with
 * dent_cloud_update(). O(count). Fails with INVALID_ARGUMENT (there are not as many vertices). */
DENT_API dent_status dent_kinetic_positions(const dent_kinetic *tree, uint32_t first_vertex, uint32_t count,
                                            double *positions);

/** Finds the elements whose box overlaps the given one (lo x, y, z, hi x, y, z; closed). indices belong to the object until
 * its next call, in ascending order. Fails with BAD_NUMBER or OUT_OF_MEMORY. */
typedef struct dent_kinetic_hits {
    uint64_t count;
    const uint32_t *elements;
} dent_kinetic_hits;
DENT_API dent_status dent_kinetic_overlapping(dent_kinetic *tree, const double box[6], dent_kinetic_hits *hits);

/** Finds all pairs of elements whose boxes (or k-DOPs) overlap, sorted by a, then b, a < b. They belong to the object until
 * its next call. Fails with OUT_OF_MEMORY. */
DENT_API dent_status dent_kinetic_pairs(dent_kinetic *tree, dent_box_pairs *result);

/** A box of the tree, for drawings. */
typedef struct dent_kinetic_node {
    double lo[3], hi[3];
    uint32_t depth;   /**< 0: the box of all */
    uint32_t element; /**< UINT32_MAX: of several */
} dent_kinetic_node;
/** Writes up to `capacity` boxes of nodes of depth `least` to `most`, parents before children, and returns how many there
 * are. */
DENT_API uint32_t dent_kinetic_nodes(const dent_kinetic *tree, uint32_t least, uint32_t most, dent_kinetic_node *nodes,
                                     uint32_t capacity);

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

/** Two elements whose boxes met. */
typedef struct dent_kinetic_contact {
    uint32_t a, b; /**< a < b */
    double time;   /**< the smallest double not before the first contact since the list was emptied */
} dent_kinetic_contact;

typedef struct dent_kinetic_contacts_list {
    uint64_t count;
    const dent_kinetic_contact *contacts; /**< by time, then a, then b; belongs to the object until its next call */
    double since;                         /**< the time at which the list was emptied */
} dent_kinetic_contacts_list;

/** Lists all pairs of elements whose boxes met at some time from `since` to now, at times between advances, too: none is
 * missed, however short. Pairs that come as near as a few units in the last place of places and times may be listed, too. Needs
 * def.contacts. Pairs of an element that was removed leave the list with it.
 * The front of the walk over pairs of nodes is kept by certificates: between events nothing is asked. Fails with INVALID_ARGUMENT, or with
 * OUT_OF_MEMORY: also if there was no memory for the list before this time, and then until it is emptied. */
DENT_API dent_status dent_kinetic_contacts(dent_kinetic *tree, dent_kinetic_contacts_list *list);
/** Empties the list. Pairs in contact now are in it again, with the present time. */
DENT_API dent_status dent_kinetic_forget_contacts(dent_kinetic *tree);

/* ---- counters ---------------------------------------------------------------------------------------------------- */

/** Work of the object so far. */
typedef struct dent_kinetic_counters {
    uint64_t events;       /**< certificates that failed */
    uint64_t early_events; /**< of these: nothing changed, since another event of the same time had changed it already */
    uint64_t box_updates;  /**< sides of boxes that another vertex took over, by events and changes of plans */
    uint64_t plan_events;  /**< vertices that entered another piece of their plan, without restarts */
    uint64_t plan_changes; /**< vertices that were given new plans */
    uint64_t restarts;     /**< times at which all boxes were rebuilt: many new plans, keys of many, jumps */
    uint64_t refit_nodes;  /**< boxes made by refit at advances */
    uint64_t contact_events; /**< of the separation list */
    uint32_t nodes;        /**< of the tree */
    uint32_t height;       /**< of the tree */
    uint32_t nodes_by_refit; /**< kept by refit now */
    uint32_t front;        /**< pairs in the separation list */
    uint64_t queue;        /**< events that wait */
    uint64_t bytes;        /**< memory of the object */
} dent_kinetic_counters;
DENT_API dent_status dent_kinetic_get_counters(const dent_kinetic *tree, dent_kinetic_counters *counters);

#ifdef __cplusplus
}
#endif

#endif
