/* dent/world.h — a world: bodies and the scratch memory of the queries on them.
 *
 * Threads: different worlds may be used from different threads at the same time, even if they share a context. One
 * world is used by one thread at a time. A function that fails leaves the world unchanged.
 */
#ifndef DENT_WORLD_H
#define DENT_WORLD_H

#include <dent/body.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_world dent_world;

/** Creates an empty world. Returns null only if memory is short. The context must outlive the world. */
DENT_API dent_world *dent_world_create(dent_context *context);
/** Destroys the world with its bodies and results. Destroy trees and searches made from it (time_critical.h) before. */
DENT_API void dent_world_destroy(dent_world *world);
/** Returns the context that the world was created with. */
DENT_API dent_context *dent_world_context(const dent_world *world);

/** Returns the message of the last failing call on this world; "" before the first. Valid until the next failing call.
 * dent_context_message gives the same message, until something else of the context fails. */
DENT_API const char *dent_world_message(const dent_world *world);

/** Adds a body: checks its indices and computes its topology. O(n log n) or better. *id is written on success only. A
 * body without elements is accepted, with a warning in the log. */
DENT_API dent_status dent_world_add_body(dent_world *world, const dent_body_def *def, dent_body_id *id);

/** Removes a body; its id becomes stale. Ties that other bodies have through it remain. */
DENT_API dent_status dent_world_remove_body(dent_world *world, dent_body_id id);

/** Replaces the elements (and positions, ties, filters, name, user pointer) of a body, which keeps its id and its body index. */
DENT_API dent_status dent_body_set_topology(dent_world *world, dent_body_id id, const dent_body_def *def);

/** Sets new borrowed positions; a null pointer or null data means none. They are not read here: each query checks them.
 */
DENT_API dent_status dent_body_set_positions(dent_world *world, dent_body_id id, const dent_positions *positions_t0,
                                             const dent_positions *positions_t1);

/** Copies the description of the borrowed positions at t0; data null: none. O(1). */
DENT_API dent_status dent_body_get_positions(dent_world *world, dent_body_id id, dent_positions *positions_t0);

/** Sets the collision filter: a and b are tested iff `(group_a & mask_b) && (group_b & mask_a)`. */
DENT_API dent_status dent_body_set_filter(dent_world *world, dent_body_id id, uint32_t collision_group,
                                          uint32_t collision_mask, bool self_collision);

/** Sets the pairs of bodies that are not tested against one another, in addition to the filters, for every question on
 * this world. Replaces the list of the call before; no pairs: all are tested. The order within a pair does not matter,
 * and a pair may be listed twice. A pair leaves the list when one of its bodies is removed, and stays when a topology
 * is replaced. Fails with STALE_ID for an id of no body and with INVALID_ARGUMENT for a body and itself (see
 * self_collision). O(n log n); a test of a listed body takes O(log n). */
DENT_API dent_status dent_world_set_excluded_pairs(dent_world *world, const dent_excluded_pair *pairs, uint32_t count);

/** Sets the thickness of the body for the question proximity: a finite length >= 0, or DENT_THICKNESS_FROM_QUERY. Fails
 * with BAD_NUMBER for other values and with INVALID_ARGUMENT for strands with `radii`; the message names the body. */
DENT_API dent_status dent_body_set_thickness(dent_world *world, dent_body_id id, double thickness);

DENT_API uint32_t dent_world_body_count(const dent_world *world);
/** Returns the id of a body by its body index, 0-based in order of addition and below dent_world_body_count. */
DENT_API dent_body_id dent_world_body_at(const dent_world *world, uint32_t body_index);
/** Returns a number that grows when bodies are added or removed and when elements or filters change. If it is the same,
 * what was derived from the bodies is still right. */
DENT_API uint64_t dent_world_topology_version(const dent_world *world);
/** Returns false for a stale id. */
DENT_API bool dent_world_has_body(const dent_world *world, dent_body_id id);

/** Returns the body index (0-based, in order of addition), or UINT32_MAX for a stale id. */
DENT_API uint32_t dent_body_index(const dent_world *world, dent_body_id id);
/** Returns the ids of all bodies by body index, so `ids[pair.body_a]` is the id of a side of a result. Writes their number
 * to *count, which may be null. Valid until a body is added or removed. O(1). */
DENT_API const dent_body_id *dent_world_body_ids(const dent_world *world, uint32_t *count);

/** Sets the user pointer of the body; `user` may be null: none. dent_body_set_topology sets that of its def. */
DENT_API dent_status dent_body_set_user(dent_world *world, dent_body_id id, void *user);
/** Returns the user pointer of the body: dent_body_def.user, or what dent_body_set_user set. Null for a stale id. */
DENT_API void *dent_body_user(const dent_world *world, dent_body_id id);
/** Returns the user pointer of the body with this body index; null for an index that is not below the count. O(1). */
DENT_API void *dent_world_user_at(const dent_world *world, uint32_t body_index);
/** Returns its name, or null for a stale id. Valid until the body is removed or its topology is replaced. */
DENT_API const char *dent_body_name(const dent_world *world, dent_body_id id);

/** Copies the properties computed when the body was added: edges, boundary, components, defects. O(1). */
DENT_API dent_status dent_body_get_topology(dent_world *world, dent_body_id id, dent_body_topology *topology);

/** Reads the positions at t0 and computes the metrics. O(n). Fails with BAD_NUMBER if a position is not finite. */
DENT_API dent_status dent_body_get_metrics(dent_world *world, dent_body_id id, dent_body_metrics *metrics);

/** Return arrays owned by the body, valid until it is removed or its topology is replaced. For a stale id they return
 * null and write 0 to *count. */
DENT_API const dent_surface_face *dent_body_surface_faces(const dent_world *world, dent_body_id id, uint32_t *count);
DENT_API const dent_edge *dent_body_edges(const dent_world *world, dent_body_id id, uint32_t *count);

/** Returns the tetrahedra of a solid, 4 corners each. *cells is the caller's cell of each tetrahedron, or null if
 * tetrahedra and cells are the same. */
DENT_API const uint32_t *dent_body_tetrahedra(const dent_world *world, dent_body_id id, uint32_t *count,
                                              const uint32_t **cells);

#ifdef __cplusplus
}
#endif

#endif
