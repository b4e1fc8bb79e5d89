/* dent/embedding.h — a dense surface carried by a coarse tetrahedral body: the bi-resolution model of time-critical
 * detection.
 *
 * Every vertex of the dense surface is tied to the nearest facet of the coarse body's surface by a rigid link. The link
 * has a base point in the facet (barycentric weights) and an offset, fixed in the facet's coordinate frame (first edge,
 * normal). Moving the few coarse nodes moves the many dense vertices; the link keeps its length and its angle to the
 * facet. Dense positions are a pure function of the coarse ones. One fixed sequence of double operations computes them,
 * with the same bits on every machine. They come all at once, or one by one inside an interruptible query.
 *
 * A collapsed facet (its two edges parallel to within DENT_EMBEDDING_FLAT) has no frame of its own. Its offsets are
 * rotated by the rotation that fits the whole coarse surface best. (Keeping the last valid frame instead would make the
 * result depend on the past.) Neighbouring facets rotate separately. So along facet borders the dense surface may open
 * or overlap itself by as much as the frames differ times the length of the links.
 *
 * Threads: different models from any thread. One model is used by one thread at a time; reading functions (const) may
 * be called from any number.
 */
#ifndef DENT_EMBEDDING_H
#define DENT_EMBEDDING_H

#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_embedding dent_embedding;

/** Sine of the angle between a facet's edges below which it counts as collapsed. No unit. */
#define DENT_EMBEDDING_FLAT 1e-9

typedef struct dent_embedding_def {
    size_t struct_size;
    double longest_link; /**< a length > 0: creation fails if a dense vertex is farther than this from the coarse
                            surface. Default 0: the longest edge of the coarse surface. INFINITY: any length */
} dent_embedding_def;
DENT_API dent_embedding_def dent_embedding_def_default(void);

/** Properties found when binding. Lengths in the unit of the positions. */
typedef struct dent_embedding_info {
    uint32_t dense_vertices;  /**< all vertices of the dense body, used or not */
    uint32_t coarse_vertices; /**< all vertices of the coarse body */
    uint32_t facets;          /**< faces of the coarse surface */
    uint32_t flat_facets;     /**< of these: collapsed at rest; no vertex is tied to them */
    double longest_link;      /**< largest |offset| */
    double mean_link;
} dent_embedding_info;

/** Ties the surface of body `dense` (a surface or a solid: all its vertices) to the surface of body `coarse` (a solid,
 * or a surface). Both are at their positions at t0, which become the rest shape. Copies all it needs: the world may
 * change afterwards. Cost O((dense + coarse) log coarse). On failure *model is untouched. Fails with STALE_ID,
 * OUT_OF_MEMORY, or BAD_NUMBER (a position that is not finite). Fails with INVALID_ARGUMENT for a def not made by its
 * default function, a longest_link that is negative or NaN, or the same body twice. Fails with BAD_MESH if all coarse
 * facets are collapsed, or if a dense vertex is too far away. The message gives the vertex and its distance. */
DENT_API dent_status dent_embedding_create(dent_world *world, dent_body_id dense, dent_body_id coarse,
                                           const dent_embedding_def *def, dent_embedding **model);
/** Destroys the model. Null is allowed. Destroy trees made from it (dent_bound_tree_create) before. */
DENT_API void dent_embedding_destroy(dent_embedding *model);
DENT_API dent_embedding_info dent_embedding_get_info(const dent_embedding *model);

/** Sets new positions of all coarse vertices, read and checked here, not kept. O(coarse). Fails with BAD_NUMBER if one
 * is not finite and with INVALID_ARGUMENT for null data; then nothing changes. Sets the context's message. */
DENT_API dent_status dent_embedding_move(dent_embedding *model, dent_positions coarse);

/** Returns the number of facets that are collapsed at the current positions. */
DENT_API uint32_t dent_embedding_flat_facets_now(const dent_embedding *model);

/** Writes all dense positions for the current coarse ones: 3 * dense_vertices doubles. O(dense); no allocation. */
DENT_API void dent_embedding_write_dense(const dent_embedding *model, double *dense);

/** Adds the force on one dense vertex to the coarse nodes: forces[3 * node + axis] += weight * force[axis] for the
 * three nodes of its facet. The total force is kept; the torque of the offset is not: see the next two. */
DENT_API void dent_embedding_spread_force(const dent_embedding *model, uint32_t dense_vertex, const double force[3],
                                          double *coarse_forces);

/** Adds a torque to the facet of a dense vertex. The forces on its three nodes sum to 0, have this torque, and of all
 * such forces the least sum of squares. Returns false, and adds nothing, if the nodes are in a row (to about 1e-6 of
 * their distance). Forces on them have no torque about it. */
DENT_API bool dent_embedding_spread_torque(const dent_embedding *model, uint32_t dense_vertex, const double torque[3],
                                           double *coarse_forces);

/** Adds the force on one dense vertex to the coarse nodes as its rigid link does. That is dent_embedding_spread_force
 * plus the torque of the force about the link's base. Force and torque about any point are kept. Returns false if the
 * torque could not be added, as above. */
DENT_API bool dent_embedding_spread_link_force(const dent_embedding *model, uint32_t dense_vertex,
                                               const double force[3], double *coarse_forces);

#ifdef __cplusplus
}
#endif

#endif
