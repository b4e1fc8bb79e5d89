/* dent/world.h — a world: bodies and the scratch memory of the queries on them.
 *
 * Threads: different worlds may be used from different threads at the same time, also when they share a context; one
 * world by one thread at a time. Every function that can fail leaves the world as it was when it does.
 */
#ifndef DENT_WORLD_H
#define DENT_WORLD_H

#include <dent/body.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_world dent_world;

/** Null only when memory is short. The context must outlive it. */
DENT_API dent_world *dent_world_create(dent_context *context);
/** With all its bodies and results. Trees and searches made from it (time_critical.h) must be gone before. */
DENT_API void dent_world_destroy(dent_world *world);
/** The one it was made from. */
DENT_API dent_context *dent_world_context(const dent_world *world);

/** The message of the last failing call on this world; "" before the first. Valid until the next failing call. */
DENT_API const char *dent_world_message(const dent_world *world);

/** Adds a body: checks the indices, computes its topology, O(n log n) or better. *id is written on success only. A body
 * without elements is accepted, with a warning in the log. */
DENT_API dent_status dent_world_add_body(dent_world *world, const dent_body_def *def, dent_body_id *id);

/** Removes it; its id is stale from now on. Ties that other bodies have through it stay. */
DENT_API dent_status dent_world_remove_body(dent_world *world, dent_body_id id);

/** New elements (and positions, ties, filters, name) for an existing body, which keeps its id and its place in the
 * order. */
DENT_API dent_status dent_body_set_topology(dent_world *world, dent_body_id id, const dent_body_def *def);

/** New borrowed positions; a null pointer or null data leaves none. Only noted here: they are checked by each query. */
DENT_API dent_status dent_body_set_positions(dent_world *world, dent_body_id id, const dent_positions *positions_t0,
                                             const dent_positions *positions_t1);

/** Who is asked about whom, as in dent_body_def: two bodies are when each one's group has a bit in the other's mask. */
DENT_API dent_status dent_body_set_filter(dent_world *world, dent_body_id id, uint32_t collision_group,
                                          uint32_t collision_mask, bool self_collision);

/** How thick the body is for the question proximity: a finite length >= 0, or DENT_THICKNESS_FROM_QUERY. Anything else
 * is refused with BAD_NUMBER and a message that names the body. */
DENT_API dent_status dent_body_set_thickness(dent_world *world, dent_body_id id, double thickness);

DENT_API uint32_t dent_world_body_count(const dent_world *world);
/** The bodies in order of addition: `rank` below dent_world_body_count. */
DENT_API dent_body_id dent_world_body_at(const dent_world *world, uint32_t rank);
/** False for a stale id. */
DENT_API bool dent_world_has_body(const dent_world *world, dent_body_id id);

/** Rank of a body in the order of addition, or UINT32_MAX for a stale id. */
DENT_API uint32_t dent_body_index(const dent_world *world, dent_body_id id);
/** Its name, or null for a stale id. Valid until the body is removed or re-topologised. */
DENT_API const char *dent_body_name(const dent_world *world, dent_body_id id);

/** Copies what was counted when the body was added: edges, boundary, components, troubles. O(1). */
DENT_API dent_status dent_body_get_topology(dent_world *world, dent_body_id id, dent_body_topology *topology);

/** Reads the positions at t0 and measures; O(n). Fails with BAD_NUMBER when one is not finite. */
DENT_API dent_status dent_body_get_metrics(dent_world *world, dent_body_id id, dent_body_metrics *measure);

/** Arrays owned by the body, valid until it is removed or re-topologised; null and *count 0 for a stale id. */
DENT_API const dent_surface_face *dent_body_surface_faces(const dent_world *world, dent_body_id id, uint32_t *count);
DENT_API const dent_edge *dent_body_edges(const dent_world *world, dent_body_id id, uint32_t *count);

/** The tetrahedra of a solid (4 corners each) and, through `cells`, the caller's cell of each (null: they are the
 * same). */
DENT_API const uint32_t *dent_body_tetrahedra(const dent_world *world, dent_body_id id, uint32_t *count,
                                              const uint32_t **cells);

#ifdef __cplusplus
}
#endif

#endif
