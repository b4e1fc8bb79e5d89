/* dent/contact.h — contacts: what detection owes a solver.
 *
 * A contact joins a point of body a with a point of body b and says in which direction they part and how far they are
 * apart or overlap. It knows no masses, no stiffness and no time step: a solver of any kind can start from it (the
 * functions of response.h do). Three sources, each on request, in one list:
 *
 *   penetration   every vertex of a inside b gets a depth and a direction that are consistent: neighbouring vertices
 *                 get similar values, in space and in time, also past the middle of b, where the nearest surface point
 *                 flips sides (docs/methods/penetration_depth.md; after Heidelberger, Teschner, Keiser, Mueller and
 *                 Gross, VMV 2004). b is a solid or a closed, consistently oriented surface, or a itself
 *                 (self-collision of a solid). A vertex exactly on the surface of b touches and is no contact. Edges
 *                 of a that pass through a corner of b without a vertex inside give a contact of their own. Bodies
 *                 that overlap only with vertices and edges exactly on surfaces part as a whole (flag FLAT).
 *   proximity     features of surfaces closer than a thickness (proximity.h, one record per pair of closest features):
 *                 gap > 0, the distance itself, thickness not subtracted
 *   impact        features of surfaces that meet between t0 and t1 (impact.h): gap 0 at `time`
 *
 * With penetration, gap and impact pairs whose one side lies behind the other's surface are left out and counted
 * (`replaced`): they would pull further in, and the depth of the vertices inside says what to do.
 *
 * The depth of a contact is -gap: the displacement along its normal that parts the two sides there. The tool and the
 * viewer call it the contact's push, to tell it from the depth that dent_world_check reports (penetration.h): the
 * distance to the nearest point of the surface, whatever the direction, which is not larger. docs/conventions.md
 * compares them.
 *
 * Positions are those at t0 (impact: t0 and t1). Filters, ties and self_collision apply as everywhere. Same contacts in
 * the same order with the same bits for every method, thread count and instruction set. Canonical order: (kind, body a,
 * feature a, body b, feature b).
 *
 * Memory of earlier steps. A vertex deep inside, cut off from every crossing edge (a body swallowed whole, an island
 * left by a jump), has no direction of its own. It keeps the one it had at the last step; without one it takes the
 * nearest surface point. So the world remembers the direction of every penetrating (vertex, other body) until the next
 * call: contacts are a function of the positions and of the previous call. dent_world_forget_contacts clears the memory
 * (after a teleport, before replaying a checkpoint); dent_world_contact_memory hands it out for a checkpoint.
 */
#ifndef DENT_CONTACT_H
#define DENT_CONTACT_H

#include <dent/query.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum dent_contact_kind {
    DENT_CONTACT_VERTEX_CELL = 1,  /**< a vertex of a inside b: feature a the vertex, feature b the caller's cell that
                                     holds it; the surface face it leaves through where b is a surface body, or where
                                     the flag ON_FACE says so */
    DENT_CONTACT_VERTEX_FACE = 2, /**< vertex, surface face (gap, impact) */
    DENT_CONTACT_EDGE_EDGE = 3,   /**< edge, edge (gap, impact; or an edge of a through an edge of b) */
    DENT_CONTACT_EDGE_FACE = 4    /**< an edge of a passes through b with both ends outside: edge, first face of b */
} dent_contact_kind;

/** "vertex-cell", "vertex-face", "edge-edge", "edge-face"; null for other values. */
DENT_API const char *dent_contact_kind_name(dent_contact_kind kind);

/** Where the depth or gap comes from. */
typedef enum dent_contact_source {
    DENT_CONTACT_SOURCE_BORDER = 1, /**< from edges of the vertex that cross the surface of b */
    DENT_CONTACT_SOURCE_PROPAGATED, /**< from neighbouring vertices */
    DENT_CONTACT_SOURCE_PREVIOUS,   /**< no border in reach: direction of the last step, depth along it (fallback F1) */
    DENT_CONTACT_SOURCE_NEAREST,    /**< nor a last step: nearest surface point (fallback F2) */
    DENT_CONTACT_SOURCE_CROSSING,   /**< an edge through b with no end inside */
    DENT_CONTACT_SOURCE_GAP,        /**< proximity: apart, within the thickness */
    DENT_CONTACT_SOURCE_IMPACT,     /**< they meet between t0 and t1 */
    DENT_CONTACT_SOURCE_COUNT
} dent_contact_source;

/** "border", "propagated", "previous", "nearest", "crossing", "gap", "impact"; null for other values. */
DENT_API const char *dent_contact_source_name(dent_contact_source source);

/** dent_contact.flags */
enum {
    DENT_CONTACT_SELF = 1,         /**< body_a == body_b */
    DENT_CONTACT_ON_FACE = 2,      /**< side b is carried by a surface face, not by a cell: point_b lies on it */
    DENT_CONTACT_THIN = 4,         /**< borders on opposite sides of b (a thin wall): one side was chosen */
    DENT_CONTACT_CLAMPED = 8,      /**< the rules gave a negative depth, it is 0; or depth_limit cut it */
    DENT_CONTACT_ALSO_IMPACT = 16, /**< a gap contact that is an impact too: `time` is that of the impact */
    DENT_CONTACT_REPRESENTS = 32,  /**< reduced: stands for others of its patch */
    DENT_CONTACT_FLAT = 64 /**< an overlap with all corners exactly on surfaces: the pair parts as a whole, along
                              the normal of a face in whose direction it is thinnest */
};

typedef struct dent_contact {
    uint64_t key; /**< stable between steps: made from kind, bodies (their serials, not ranks) and features; of a
                       vertex-cell contact the cell is no part of it. A 64-bit mix: in practice unique */
    uint32_t body_a, body_b;       /**< ranks */
    uint32_t feature_a, feature_b; /**< see dent_contact_kind */
    uint8_t kind, source;          /**< dent_contact_kind, dent_contact_source */
    uint16_t flags;
    uint32_t patch;                  /**< with reduce_patches or patches: number in dent_contacts.patches; else 0 */
    uint32_t material_a, material_b; /**< dent_body_set_material; default 0 */
    uint32_t vertices_a[4], vertices_b[4]; /**< the vertices that carry either point; unused: UINT32_MAX */
    double weights_a[4], weights_b[4];     /**< point = sum of weights * positions; they sum to 1; unused 0 */
    double point_a[3], point_b[3];         /**< impact: at `time`. vertex-cell without ON_FACE: the vertex, twice */
    double normal[3]; /**< unit, from b to a: moving a along it separates. Never zero or NaN. vertex-cell: the
                           consistent direction; else that of the closest points, edges or face. Gaps of at most
                           2^-38 of the features' extent, with penetration on: a direction that separates the surfaces
                           around the two points; where the distance is rounding its direction is, too */
    double gap;       /**< a length: + apart, - overlapping. vertex-cell: minus the depth, which is assigned and need not
                           equal normal . (point_a - point_b) */
    double time;      /**< [0, 1]: of the impact; 1 for all others */
    double error;     /**< a length. Gaps: bound on the error of the distance by rounding. Impacts: distance of the two
                           points at `time`. Depths, which are estimates where b is curved: how far the terms they were
                           averaged from lay off at most (rounding on a plane); fallbacks: the depth itself */
} dent_contact;

/** Whether the depth of an overlapping contact is certain enough to be compared with others: `error` is at most half of
 * it. Fallbacks and flat overlaps are not. False for contacts that do not overlap. */
DENT_API bool dent_contact_is_certain(const dent_contact *contact);

/** A connected part of the contact region of two bodies: contacts whose vertices are neighbours in the mesh of a. */
typedef struct dent_contact_patch {
    uint32_t body_a, body_b;
    uint32_t first_contact; /**< place of its first one in the list; the others follow in canonical order, perhaps
                               with contacts of other patches in between: contact.patch tells */
    uint32_t contact_count; /**< in the list */
    uint32_t found_count;   /**< before the reduction */
    double deepest;         /**< largest depth (-gap) of all found */
    double normal[3];       /**< unit mean of all found */
} dent_contact_patch;

/** Which normal of b's surface counts where an edge leaves it. */
typedef enum dent_contact_normals {
    DENT_CONTACT_NORMALS_SMOOTH = 0, /**< vertex normals weighted by angle, interpolated; at creases (vertex normals
                                        that lean more than 30 degrees from the face) only of the faces within 60
                                        degrees of it: balls are round and boxes have edges. Default */
    DENT_CONTACT_NORMALS_FACE = 1,   /**< of the face itself */
    DENT_CONTACT_NORMALS_VERTEX = 2  /**< vertex normals without regard to creases, as published: nothing jumps when a
                                        hit slides over an edge, but the sides of a box push askew near its edges */
} dent_contact_normals;

typedef struct dent_contacts_def {
    size_t struct_size;
    dent_method method; /**< of the query behind penetration; default AUTO; never changes the answer */
    bool penetration;   /**< default true */
    bool proximity;     /**< default false */
    bool impact;        /**< default false; needs positions at t1 of what moves: INVALID_ARGUMENT when none has */

    double thickness;         /**< proximity: of bodies without one of their own; default 0 */
    double impact_separation; /**< impact: dent_impact_def.separation; default 0 */

    bool surface_only; /**< penetration: only vertices on the surface of a, with borders through all their edges;
                          default false: inner vertices too. Cheaper, and enough where only surface vertices carry
                          contact; depths differ slightly */
    dent_contact_normals normals; /**< default SMOOTH */
    bool coherent; /**< default false: borders count by distance alone, as published. True: a connected region leaves b
                      one way as a whole; borders that lean far from it lose their weight. For bodies that lie across
                      each other past the middle; not for pegs in holes (docs/methods/penetration_depth.md) */
    bool project;  /**< default false. True: the depth becomes the way along the direction to the surface,
                      where that is between half and twice the estimate */
    double depth_limit;     /**< a length: no depth is reported above it (flag CLAMPED); default 0: no limit */
    double temporal_filter; /**< 0 (default) to 1: share of the last step's direction in the new one; depth is never
                               filtered */
    bool crossings;         /**< default true: edge contacts where no vertex is inside */

    bool patches;        /**< default false. True: number the connected patches, all contacts kept */
    bool reduce_patches; /**< default false. True: keep of each patch the deepest contact and the extreme ones in eight
                            directions across its normal, at most 9; the numbers of what was left out are reported */
    const int *cancel;   /**< as in dent_query_def */
} dent_contacts_def;
DENT_API dent_contacts_def dent_contacts_def_default(void);

/** What was found and what could not be. Nothing is left out silently. */
typedef struct dent_contacts_counters {
    uint64_t penetrating_vertices; /**< (vertex, other body) inside; each gives a vertex-cell contact, unless inverted */
    uint64_t by_source[DENT_CONTACT_SOURCE_COUNT]; /**< contacts found, before any reduction */
    uint64_t border_edges;                         /**< edges with one end inside and one outside that were found cut */
    uint64_t lost_edges;     /**< vertices that would have to be inside by their edges and are in no cell of b: where b
                                overlaps itself or is inverted, the surface does not tell inside from outside */
    uint64_t double_crossings; /**< edges with both ends inside that leave b in between: borders for both ends */
    uint64_t thin_walls;     /**< vertices whose borders oppose one another */
    uint64_t inverted_vertices;  /**< self-collision: vertices in a cell of their own one-ring; no contact, the mesh is
                                    inverted there */
    uint64_t touching_vertices;  /**< exactly on the surface of b: no contact */
    uint64_t undecided_vertices; /**< parts of a that touch a closed surface b with the vertex that was to decide */
    uint64_t covered_crossings;  /**< edges through b that get no contact of their own: a vertex of b beside them is
                                    inside a, or they only touch */
    uint64_t open_crossings;     /**< edges pierced by open surfaces, which have no inside: no contact */
    uint64_t flat_overlaps;      /**< pairs of bodies that overlap with all corners of the overlap exactly on surfaces
                                    (blocks on a lattice, copies): their contacts have the flag FLAT */
    uint64_t overlaps_without_depth; /**< of these, pairs that got no contact: with `crossings` off, or when nothing
                                        tells a direction */
    uint64_t clamped;                /**< contacts with the flag CLAMPED */
    uint64_t replaced;               /**< gap pairs of vertices and edges that are inside: their depth counts */
    uint64_t merged;                 /**< pairs found twice: impacts that are gaps too, edges through each other */
    uint64_t reduced_away;           /**< contacts found but left out by reduce_patches */
    uint32_t rounds;                 /**< of propagation */
    uint64_t ns_query, ns_depth, ns_proximity, ns_impact, ns_finish;
} dent_contacts_counters;

typedef struct dent_contacts {
    dent_outcome outcome; /**< CANCELLED: no contacts are reported, and the memory of the last step is kept */
    const dent_contact *contacts;
    uint64_t count;
    const dent_contact_patch *patches; /**< with patches or reduce_patches */
    uint64_t patch_count;
    double max_depth; /**< largest -gap, 0 when nothing overlaps; may be that of a contact that is not certain */
    double scale_depth; /**< largest -gap of the contacts that are certain (dent_contact_is_certain), of all where none
                           is: what a scale of colours ends at; 0 when nothing overlaps */
    double scale_error; /**< the `error` of that contact */
    double uncertain_depth;   /**< largest -gap of the contacts that are not certain, 0: there are none */
    uint64_t uncertain_count; /**< overlapping contacts that are not certain */
    dent_contacts_counters counters;
    dent_query_counters query; /**< of the query behind penetration */
} dent_contacts;

/** Finds the contacts. The arrays in *result are valid until the next call on this world. After one warm-up call on a
 *  world whose sizes no longer grow, no allocation. Cost: vertex-cell and the border, then O(vertices inside). Failure:
 *  *result and the memory of the last step are untouched. */
DENT_API dent_status dent_world_find_contacts(dent_world *world, const dent_contacts_def *def, dent_contacts *result);

/** Any number a solver can look up; default 0. Survives dent_body_set_topology. */
DENT_API dent_status dent_body_set_material(dent_world *world, dent_body_id id, uint32_t material);
/** 0 for a stale id. */
DENT_API uint32_t dent_body_material(const dent_world *world, dent_body_id id);

/** What is remembered of a vertex inside another body. */
typedef struct dent_contact_memory {
    uint32_t body_a, vertex, body_b; /**< ranks */
    uint32_t reserved;
    double direction[3];
} dent_contact_memory;

/** The memory of the last successful call, sorted by (body a, vertex, body b); valid until the next call on this world.
 */
DENT_API const dent_contact_memory *dent_world_contact_memory(const dent_world *world, uint64_t *count);
/** Replaces it (copied): resuming from a checkpoint. Records must be sorted, of living bodies and finite: else
 *  INVALID_ARGUMENT, and nothing changes. count 0 forgets all. */
DENT_API dent_status dent_world_set_contact_memory(dent_world *world, const dent_contact_memory *memory,
                                                   uint64_t count);
/** Empties it: the next contacts begin anew. */
DENT_API void dent_world_forget_contacts(dent_world *world);

#ifdef __cplusplus
}
#endif

#endif
