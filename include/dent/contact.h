/* dent/contact.h — contacts: contact records for solvers.
 *
 * A contact joins a point of body a with a point of body b. It gives the direction in which they separate and the gap
 * between them, negative for an overlap. It has no masses, no stiffness and no time step, so any solver can start from
 * it (the functions of response.h do). One list combines three sources, each on request:
 *
 *   penetration   Every vertex of a inside b gets a depth and a direction that are consistent: neighbouring vertices
 *                 get similar values, in space and in time. This holds also past the middle of b, where the nearest
 *                 surface point flips sides (docs/methods/penetration_depth.md; after Heidelberger, Teschner, Keiser,
 *                 Mueller and Gross, VMV 2004). b is a solid, a closed, consistently oriented surface, or a itself
 *                 (self-collision of a solid). A vertex exactly on the surface of b touches and is no contact. Edges
 *                 of a that pass through a corner of b without a vertex inside give contacts of their own. Bodies that
 *                 overlap only with vertices and edges exactly on surfaces are separated as a whole (flag FLAT).
 *   proximity     Features of surfaces closer than a thickness (proximity.h, one record per pair of closest features).
 *                 gap > 0 is the distance itself; the thickness is not subtracted.
 *                 Parallel segments of strands: points in the middle of the overlap.
 *   impact        Features of surfaces that meet between t0 and t1 (impact.h). gap is 0 at `time`.
 *
 * With penetration, gap and impact pairs that have one side behind the other's surface are left out and counted
 * (`replaced`). They would pull further in; the depth of the vertices inside replaces them.
 *
 * The depth of a contact is -gap: the displacement along its normal that separates the two sides there. The tool and
 * the viewer call it the contact's push. The depth that dent_world_check reports (penetration.h) is another quantity:
 * the distance to the nearest point of the surface, whatever the direction. It is not larger. docs/conventions.md
 * compares the two.
 *
 * Positions are those at t0 (impact: t0 and t1). Filters, ties and self_collision apply. The contacts, their order and
 * their bits are the same for every method, thread count and instruction set. Canonical order: (kind, body a,
 * feature a, body b, feature b).
 *
 * Events. With `events` a call also reports what has changed since the last such call: contacts that begin, persist and
 * end. Pairs of bodies have the same three lists. The lists are arrays in a fixed order, not callbacks. They name bodies
 * by id, since a contact may end because its body was removed.
 *
 * Memory of earlier steps. A vertex deep inside can be cut off from every crossing edge: a body swallowed whole, an
 * island left by a jump. It has no direction of its own. It keeps the direction of the last step; without one it takes
 * the nearest surface point. So the world stores the direction of every penetrating (vertex, other body) until the next
 * call. Contacts are a function of the positions and of the previous call. dent_world_forget_contacts clears the memory
 * (after a teleport, before replaying a checkpoint). dent_world_contact_memory returns it for a checkpoint (without
 * that of events: after a checkpoint all contacts begin).
 */
#ifndef DENT_CONTACT_H
#define DENT_CONTACT_H

#include <dent/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dent_contact_kind {
    DENT_CONTACT_VERTEX_CELL = 1, /**< a vertex of a inside b. Feature a is the vertex, feature b the caller's cell
                                     that contains it. If b is a surface body, or with the flag ON_FACE, feature b is
                                     the surface face through which the vertex leaves */
    DENT_CONTACT_VERTEX_FACE = 2, /**< vertex, surface face (gap, impact) */
    DENT_CONTACT_EDGE_EDGE = 3,   /**< edge, edge (gap, impact; or an edge of a through an edge of b) */
    DENT_CONTACT_EDGE_FACE = 4    /**< edge of a through b with both ends outside: edge, first face of b */
} dent_contact_kind;

/** Returns "vertex-cell", "vertex-face", "edge-edge", "edge-face"; null for other values. */
DENT_API const char *dent_contact_kind_name(dent_contact_kind kind);

/** Origin of the depth or gap. */
typedef enum dent_contact_source {
    DENT_CONTACT_SOURCE_BORDER = 1, /**< edges of the vertex that cross the surface of b */
    DENT_CONTACT_SOURCE_PROPAGATED, /**< neighbouring vertices */
    DENT_CONTACT_SOURCE_PREVIOUS,   /**< no border in reach: direction of the last step, depth along it (fallback F1) */
    DENT_CONTACT_SOURCE_NEAREST,    /**< no last step either: nearest surface point (fallback F2) */
    DENT_CONTACT_SOURCE_CROSSING,   /**< an edge through b with no end inside */
    DENT_CONTACT_SOURCE_GAP,        /**< proximity: apart, within the thickness */
    DENT_CONTACT_SOURCE_IMPACT,     /**< features that meet between t0 and t1 */
    DENT_CONTACT_SOURCE_COUNT
} dent_contact_source;

/** Returns "border", "propagated", "previous", "nearest", "crossing", "gap", "impact"; null for other values. */
DENT_API const char *dent_contact_source_name(dent_contact_source source);

/** Bits of dent_contact.flags. */
enum {
    DENT_CONTACT_FLAG_SELF = 1,         /**< body_a == body_b */
    DENT_CONTACT_FLAG_ON_FACE = 2,      /**< side b lies on a surface face, not in a cell: point_b is on it */
    DENT_CONTACT_FLAG_THIN = 4,         /**< borders on opposite sides of b (a thin wall): one side was chosen */
    DENT_CONTACT_FLAG_CLAMPED = 8,      /**< a negative depth raised to 0, or a depth cut by depth_limit */
    DENT_CONTACT_FLAG_ALSO_IMPACT = 16, /**< a gap contact that is also an impact: `time` is that of the impact */
    DENT_CONTACT_FLAG_REPRESENTS = 32,  /**< reduced: represents others of its patch */
    DENT_CONTACT_FLAG_FLAT =
        64 /**< an overlap with all corners exactly on surfaces. The pair is separated as a whole, along the normal of a
                              face in whose direction the overlap is thinnest */
};

typedef struct dent_contact {
    uint64_t key; /**< stable between steps: a 64-bit hash of kind, bodies (their serials, not body indices) and
                       features, without the cell of a vertex-cell contact. Collisions are possible but improbable */
    uint32_t body_a, body_b;       /**< body indices */
    uint32_t feature_a, feature_b; /**< see dent_contact_kind */
    uint8_t kind, source;          /**< dent_contact_kind, dent_contact_source */
    uint16_t flags;
    uint32_t patch;                  /**< with reduce_patches or patches: index in dent_contacts.patches; else 0 */
    uint32_t material_a, material_b; /**< dent_body_set_material; default 0 */
    uint32_t vertices_a[4], vertices_b[4]; /**< the vertices that define each point; unused: UINT32_MAX */
    double weights_a[4], weights_b[4];     /**< point = sum of weights * positions; they sum to 1; unused 0 */
    double point_a[3], point_b[3];         /**< impact: at `time`. vertex-cell without ON_FACE: the vertex, twice */
    double normal[3]; /**< unit, from b to a: moving a along it separates. Never zero or NaN. vertex-cell: the
                           consistent direction; otherwise that of the closest points, edges or face. With penetration,
                           a gap of at most 2^-38 of the features' extent may be rounding, and so may its direction.
                           Then this is a direction that separates the surfaces around the two points */
    double gap;       /**< a length: + apart, - overlapping. vertex-cell: minus the depth, which is assigned and need
                           not equal normal . (point_a - point_b) */
    double time;      /**< in [0, 1]: time of the impact; 1 for all others */
    double error;     /**< a length. Gaps: bound on the rounding error of the distance. Impacts: distance of the two
                           points at `time`. Depths (estimates where b is curved): largest deviation of the terms they
                           average, on a plane only rounding. Fallbacks: the depth itself */
} dent_contact;

/** Returns true if the depth of an overlapping contact is certain enough to compare it with others: `error` is at most
 * half of it. Returns false for fallbacks, flat overlaps and contacts that do not overlap. */
DENT_API bool dent_contact_is_certain(const dent_contact *contact);

/** A connected part of the contact region of two bodies: contacts whose vertices are neighbours in the mesh of a. */
typedef struct dent_contact_patch {
    uint32_t body_a, body_b;
    uint32_t first_contact; /**< index of its first contact in the list. The others follow in canonical order, possibly
                               with contacts of other patches in between: see contact.patch */
    uint32_t contact_count; /**< number in the list */
    uint32_t found_count;   /**< number before the reduction */
    double deepest;         /**< largest depth (-gap) of all found */
    double normal[3];       /**< unit mean of all found */
} dent_contact_patch;

/** The normal of b's surface that is used where an edge leaves it. */
typedef enum dent_contact_normals {
    DENT_CONTACT_NORMALS_SMOOTH = 0, /**< default: interpolated vertex normals weighted by angle. At creases (vertex
                                        normals more than 30 degrees from the face) only faces within 60 degrees of it
                                        contribute. So balls are round and boxes have edges */
    DENT_CONTACT_NORMALS_FACE = 1,   /**< normal of the face itself */
    DENT_CONTACT_NORMALS_VERTEX = 2  /**< vertex normals without regard to creases, as published. Nothing jumps when a
                                        hit slides over an edge, but directions are oblique near the edges of a box */
} dent_contact_normals;

typedef struct dent_contacts_def {
    size_t struct_size;
    dent_method method; /**< method of the query behind penetration; default AUTO; never changes the result */
    bool penetration;   /**< default true */
    bool proximity;     /**< default false */
    bool impact;        /**< default false; needs positions at t1: INVALID_ARGUMENT if no body has them */

    double thickness;         /**< proximity: thickness of bodies without one of their own; default 0 */
    double impact_separation; /**< impact: dent_impact_def.separation; default 0 */

    bool surface_only; /**< penetration, default false: inner vertices too. True: only vertices on the surface of a,
                          with borders through all their edges. Cheaper, and sufficient if only surface vertices carry
                          contact; depths differ slightly */
    dent_contact_normals normals; /**< default SMOOTH */
    bool coherent; /**< default false: borders are weighted by distance alone, as published. True: a connected region
                      leaves b in one common direction; borders far from it lose their weight. For bodies that lie
                      across each other past the middle; not for pegs in holes (docs/methods/penetration_depth.md) */
    bool project;  /**< default false. True: the depth becomes the distance to the surface along the direction, if that
                      is between half and twice the estimate */
    double depth_limit;     /**< a length: no depth is reported above it (flag CLAMPED); default 0: no limit */
    double temporal_filter; /**< 0 (default) to 1: weight of the last step's direction in the new one; depth is never
                               filtered */
    bool crossings;         /**< default true: edge contacts where no vertex is inside */

    bool patches;        /**< default false. True: number the connected patches and keep all contacts */
    bool reduce_patches; /**< default false. True: keep at most 9 contacts of each patch, the deepest one and the
                            extreme ones in eight directions across its normal. The counts of the others are reported */
    bool events; /**< default false. True: fill dent_contacts.events and remember the contacts for the next call with
                    events. A contact is what is in the list. With `proximity` it begins when features come within the
                    thickness. With `reduce_patches` representatives come and go while their patch stays */
    const int *cancel; /**< as in dent_query_def */
} dent_contacts_def;
DENT_API dent_contacts_def dent_contacts_def_default(void);

/** A contact that begins, persists or ends. Contacts of two calls are the same if kind, bodies and features are (of a
 * vertex-cell contact without the cell): if their keys are. They are compared themselves, so keys that collide are kept
 * apart. A body whose topology was replaced has new features: all contacts with the old ones end. */
typedef struct dent_contact_event {
    uint64_t key;              /**< dent_contact.key */
    dent_body_id id_a, id_b;   /**< an end: stale if the body has been removed */
    uint32_t kind;             /**< dent_contact_kind */
    uint32_t feature_a, feature_b; /**< an end: as in the last call that had it */
    uint32_t calls;   /**< calls in a row that had it, this one included: 1 for a begin; an end: calls that had it. Stays
                         at UINT32_MAX */
    uint64_t contact; /**< index in dent_contacts.contacts; an end: UINT64_MAX */
} dent_contact_event;

/** Two bodies whose first contact begins, that still touch, or whose last contact has ended. */
typedef struct dent_contact_pair_event {
    dent_body_id id_a, id_b; /**< a was added first; equal: a body with itself. An end: stale if the body was removed */
    uint32_t calls;          /**< as for contacts */
    uint64_t contact_count;  /**< contacts of the two bodies, in both directions; an end: 0 */
    double max_depth;        /**< the largest -gap of these contacts; 0 if nothing overlaps, and of an end */
} dent_contact_pair_event;

/** What has changed since the last call with `events`; in the first one everything begins. Begins and persists are in
 * the order of the contacts (pairs: of their body indices). Ends are in the order of the call that last had them. */
typedef struct dent_contact_events {
    const dent_contact_event *begin, *persist, *end;
    uint64_t begin_count, persist_count, end_count;
    const dent_contact_pair_event *pairs_begin, *pairs_persist, *pairs_end;
    uint64_t pairs_begin_count, pairs_persist_count, pairs_end_count;
} dent_contact_events;

/** Counts of everything found and of everything left out, and the time of each stage. */
typedef struct dent_contacts_counters {
    uint64_t penetrating_vertices; /**< (vertex, other body) inside; each gives a vertex-cell contact unless inverted */
    uint64_t by_source[DENT_CONTACT_SOURCE_COUNT]; /**< contacts found, before any reduction */
    uint64_t border_edges;                         /**< cut edges with one end inside and one outside */
    uint64_t lost_edges;       /**< vertices that are inside according to their edges but in no cell of b. If b overlaps
                                itself or is inverted, its surface does not separate inside from outside */
    uint64_t double_crossings; /**< edges with both ends inside that leave b in between: borders for both ends */
    uint64_t thin_walls;       /**< vertices whose borders oppose one another */
    uint64_t inverted_vertices;  /**< self-collision: vertices in a cell of their own one-ring; no contact, the mesh is
                                    inverted there */
    uint64_t touching_vertices;  /**< vertices exactly on the surface of b: no contact */
    uint64_t undecided_vertices; /**< parts of a whose deciding vertex touches the closed surface b */
    uint64_t covered_crossings;  /**< edges through b without a contact of their own: a vertex of b beside them is
                                    inside a, or they only touch */
    uint64_t open_crossings;     /**< edges pierced by open surfaces, which have no inside: no contact */
    uint64_t flat_overlaps;      /**< pairs of bodies that overlap with all corners of the overlap exactly on surfaces
                                    (blocks on a lattice, copies): their contacts have the flag FLAT */
    uint64_t overlaps_without_depth; /**< of these, pairs without a contact: `crossings` is off, or no direction can be
                                        found */
    uint64_t clamped;                /**< contacts with the flag CLAMPED */
    uint64_t replaced;               /**< gap pairs of vertices and edges that are inside: the depth replaces them */
    uint64_t merged;                 /**< pairs found twice: impacts that are also gaps, edges through each other */
    uint64_t reduced_away;           /**< contacts found but left out by reduce_patches */
    uint32_t rounds;                 /**< rounds of propagation */
    uint64_t ns_query, ns_depth, ns_proximity, ns_impact, ns_finish;
} dent_contacts_counters;

typedef struct dent_contacts {
    dent_outcome outcome; /**< CANCELLED: no contacts are reported; the memory of the last step is kept */
    const dent_contact *contacts;
    uint64_t count;
    const dent_contact_patch *patches; /**< with patches or reduce_patches */
    uint64_t patch_count;
    double max_depth;       /**< largest -gap, 0 if nothing overlaps; possibly that of a contact that is not certain */
    double scale_depth;     /**< upper end for a colour scale: largest -gap of the certain contacts
                           (dent_contact_is_certain), of all contacts if none is certain; 0 if nothing overlaps */
    double scale_error;     /**< the `error` of that contact */
    double uncertain_depth; /**< largest -gap of the contacts that are not certain; 0: there are none */
    uint64_t uncertain_count; /**< overlapping contacts that are not certain */
    dent_contact_events events;    /**< empty unless requested; valid as long as `contacts` */
    dent_contacts_counters counters;
    dent_query_counters query; /**< counters of the query behind penetration */
} dent_contacts;

/** Finds the contacts. The arrays in *result are valid until the next call on this world. After one warm-up call on a
 *  world whose sizes no longer grow, it makes no allocation. Cost: vertex-cell and the border, then O(vertices inside).
 *  Failure: *result and the memory of the last step are untouched. */
DENT_API dent_status dent_world_find_contacts(dent_world *world, const dent_contacts_def *def, dent_contacts *result);

/** Sets the material, any number that a solver can look up; default 0. dent_body_set_topology keeps it. */
DENT_API dent_status dent_body_set_material(dent_world *world, dent_body_id id, uint32_t material);
/** Returns the material; 0 for a stale id. */
DENT_API uint32_t dent_body_material(const dent_world *world, dent_body_id id);

/** Stored direction of a vertex inside another body. */
typedef struct dent_contact_memory {
    uint32_t body_a, vertex, body_b; /**< body index, vertex index, body index */
    uint32_t reserved;
    double direction[3];
} dent_contact_memory;

/** Returns the memory of the last successful call, sorted by (body a, vertex, body b). Valid until the next call on
 *  this world. */
DENT_API const dent_contact_memory *dent_world_contact_memory(const dent_world *world, uint64_t *count);
/** Replaces the memory by a copy, to resume from a checkpoint. Records must be sorted, finite and of existing bodies;
 *  otherwise it fails with INVALID_ARGUMENT and changes nothing. count 0 clears the memory. */
DENT_API dent_status dent_world_set_contact_memory(dent_world *world, const dent_contact_memory *memory,
                                                   uint64_t count);
/** Clears the memory: the next contacts start from positions alone, and all of them begin. */
DENT_API void dent_world_forget_contacts(dent_world *world);

#ifdef __cplusplus
}
#endif

#endif
