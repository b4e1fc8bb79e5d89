/* A surface, or strands, as a hierarchy of bounding volumes, for searches that may be stopped: balls, axis-parallel boxes, or boxes
 * cut by more slabs (k-DOPs); 2, 4 or 8 children to a node, every face in exactly one leaf.
 *
 * The tree is built once over the faces at rest (bound_tree_build.c, medial_tree.c); its volumes follow the positions:
 * all at once for a body with positions of its own (bound_tree_refit.c), node by node when visited for an embedding
 * (embedding_bounds.c). Nodes are stored level by level, so children lie behind their parents and a level is one range.
 *
 * Volumes are certified: whatever was rounded on the way, they hold every vertex of their faces as stored in `xyz`, and
 * as volumes are convex, the faces. `error` bounds how far a point of the volume may be from the faces. The witness, a
 * vertex of the faces themselves, bounds distances from above: no two nodes are farther apart than their witnesses.
 *
 * Strands. A segment takes the place of a face, its second end twice, and has a radius. Volumes hold the segments with
 * their radii, and a little more: two segments that the question `strand` calls near have volumes that meet.
 */
#ifndef DENT_STRUCTURES_BOUND_TREE_H
#define DENT_STRUCTURES_BOUND_TREE_H

#include <dent/time_critical.h>

#include "bodies/body_data.h"
#include "geometry/metric/bound_volumes.h"

struct dent_embedding;
struct embedding_bounds;
struct medial_balls;
struct medial_builder;

enum { BOUND_BRANCHING_MAX = 8, BOUND_LEAF_FACES_MAX = 16, BOUND_LEVELS_MAX = 64 };

struct bound_link {
    uint32_t first_child, first_face, face_count;
    uint16_t child_count, level;
};

/* The face that the root of a strand lies on; for other segments `identity_base` is BOUND_NO_ROOT. */
#define BOUND_NO_ROOT UINT64_MAX /* no body has it */
struct bound_root {
    uint64_t identity_base; /* of the body of the face */
    uint32_t corners[3];
};

struct bound_tree {
    dent_context *context;
    dent_bound_kind kind;
    uint32_t branching, leaf_faces;
    uint32_t face_count, vertex_count, node_count, leaf_count, level_count;
    uint32_t level_start[BOUND_LEVELS_MAX + 1];
    struct bound_volume *volumes; /* by node */
    double (*witnesses)[3];       /* by node; unused for balls, which have theirs with them */
    uint32_t slab_directions;     /* besides the axes: 4 or 6; 0 for balls and boxes */
    double *slabs;                /* by node, 2 * slab_directions: see geometry/metric/bound_volumes.h */
    struct bound_link *links;     /* by node */
    uint32_t *order;              /* slot in the tree -> face */
    uint32_t (*corners)[3];       /* by slot in the tree */
    uint32_t *vertex_start; /* by slot, face_count + 1: the vertices of the places [f, g) are vertices[vertex_start[f]
                               … [g]) */
    uint32_t *vertices;     /* each once per leaf */
    double (*xyz)[3]; /* positions as the volumes see them; of trees of embeddings only those of leaves with a fresh stamp */
    struct medial_balls *medial; /* null: not a medial tree */
    double centre[3];            /* of the bounds at rest */

    /* Strands only; else null. */
    double *radii;            /* by slot, as they were at the last update … */
    double *node_radii;       /* … and the largest below each node */
    double largest;           /* |coordinate| at the last update */
    struct bound_root *roots; /* by slot */

    /* Identity of vertices, as in struct body. */
    uint64_t identity_base;
    uint64_t *identities;

    /* Boundary components, numbered by smallest face; their faces as slots in ascending order of face. */
    bool closed;
    uint32_t component_count;
    uint32_t *component_of_slot;
    uint32_t *component_start; /* component_count + 1, in component_places */
    uint32_t *component_slots;

    struct embedding_bounds *embedding; /* null: positions of its own */
    uint64_t epoch;                     /* grows with every update; its low half is the stamp, never 0 */
    uint64_t build_ns;
};

struct bound_build {
    dent_context *context;
    dent_bound_kind kind;
    dent_bound_builder builder;
    uint32_t branching, leaf_faces;
    const double (*xyz)[3]; /* at rest */
    uint32_t vertex_count, face_count;
    const dent_surface_face *faces;
};

/* Topology of the tree; volumes are not yet valid. OUT_OF_MEMORY, TOO_LARGE (levels). On failure nothing is left. */
dent_status bound_tree_build(struct bound_tree *tree, const struct bound_build *build);
void bound_tree_destroy(struct bound_tree *tree);

/* Connected sets of faces, from the vertices they share. False: out of memory. */
bool bound_tree_find_components(struct bound_tree *tree);

/* New volumes for the positions in tree->xyz, and radii, in parallel. */
void bound_tree_refit(struct bound_tree *tree);

/* Memory for radii and roots. False: out of memory; bound_tree_destroy frees what there is. */
bool bound_tree_add_radii(struct bound_tree *tree);

/* ---- for the builders -------------------------------------------------------------------------------------------- */

/* Divides places [first, first + count) of `order` into at most `branching` ranges; sizes[] of them, all > 0; returns
 * how many (0: out of memory). */
struct bound_splitter {
    const struct bound_build *build;
    uint32_t *order;
    double (*centres)[3];          /* of the faces, by face */
    double *keys;                  /* by face, scratch */
    struct medial_builder *medial; /* null: not used */
};
uint32_t split_by_covariance(struct bound_splitter *splitter, uint32_t first, uint32_t count, uint32_t *sizes);

static inline bool bound_has_balls(const struct bound_tree *tree)
{
    return tree->kind == DENT_BOUND_SPHERES;
}

/* A vertex below the node, near the middle of its volume; as fresh as that. */
static inline double *bound_witness(const struct bound_tree *tree, uint32_t node)
{
    return bound_has_balls(tree) ? &tree->volumes[node].v[4] : tree->witnesses[node];
}

static inline const double *bound_slabs(const struct bound_tree *tree, uint32_t node)
{
    return &tree->slabs[2 * (size_t)tree->slab_directions * node];
}

static inline bool bound_has_strands(const struct bound_tree *tree)
{
    return tree->radii != NULL;
}

/* How far a volume of segments with this radius reaches beyond them: as growth_of_thickness in feature_distance.h, without
 * its limit, as the other body may be much larger. Either body covers 32 u of its own coordinates. Sums of radii that may
 * overflow reach everything. */
static inline double bound_growth(const struct bound_tree *tree, double radius)
{
    double growth = (radius * (1.0 + 0x1p-51) + 0x1p-46 * tree->largest) + DBL_TRUE_MIN;
    return growth <= DBL_MAX && radius < 0x1p1022 ? growth : DBL_MAX;
}

static inline bool bound_is_leaf(const struct bound_tree *tree, uint32_t node)
{
    return tree->links[node].child_count == 0;
}

#endif
