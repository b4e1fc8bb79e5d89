/* dent/method.h — the methods that answer questions, and the parameters of each method.
 *
 * A question that the method cannot answer fails with DENT_ERROR_UNSUPPORTED. Parameters change the work, never the
 * result.
 */
#ifndef DENT_METHOD_H
#define DENT_METHOD_H

#include <dent/question.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Switches and measurements of experiments (experimental.h), passed to a call by a pointer that may be null. */
typedef struct dent_experiments dent_experiments;

/** Algorithms that compute the result; the rows of the method table. */
typedef enum dent_method {
    DENT_METHOD_AUTO = 0,
    DENT_METHOD_BRUTE_FORCE = 1, /**< the oracle: every pair, exact predicates; O(n^2) */
    DENT_METHOD_SWEEP = 2,       /**< boxes sorted and swept along the longest axis; float boxes, then exact tests. For
                                      comparison: AUTO never chooses it */
    DENT_METHOD_SPATIAL_HASH = 3,   /**< vertices and surface faces hashed into grid cells of several sizes */
    DENT_METHOD_BUCKET_TREE = 4,    /**< one bucket tree per body, traversed in tandem, with surface flags */
    DENT_METHOD_CLUSTER_SEARCH = 5, /**< static clusters of cells in SIMD layout, and a strain certificate that proves
                                         the absence of self-collision */
    DENT_METHOD_SURFACE_TREE = 6,   /**< leaves of neighbouring faces under a refitted tree; culls surface parts proven
                                         not to cross themselves */
    DENT_METHOD_CONTOUR_WALK = 7, /**< walk from crossing surfaces along the mesh topology to every penetrating face and
                                       vertex */
    DENT_METHOD_STRAND_GRID = 8,    /**< question strand: uniform grid with mailbox. For comparison: AUTO never chooses it */
    DENT_METHOD_STRAND_PACKETS = 9, /**< question strand: packets of four segments under a refitted tree, float tests that
                                         prove near and far */
    DENT_METHOD_KINETIC_TREE = 10, /**< question impact, without a separation: surface leaves that no axis keeps apart from the
                                        beginning of the step to its end (docs/methods/kinetic_tree.md) */
    DENT_METHOD_COUNT = 11
} dent_method;

DENT_API const char *dent_method_name(dent_method method);
/** Returns one sentence: the idea and where it is fastest. */
DENT_API const char *dent_method_summary(dent_method method);
/** Returns the questions (bits) of dent_world_query that a method can answer. */
DENT_API uint32_t dent_method_questions(dent_method method);
/** Returns the methods that answer a question, as bits 1u << dent_method; bit 0 is AUTO. 0 for a value that is not
 * exactly one question. A question without a choice has AUTO alone. */
DENT_API uint32_t dent_question_methods(dent_question question);

/** Spatial hashing (Teschner et al. 2003) and its extensions. */
typedef struct dent_spatial_hash_def {
    size_t struct_size;
    double cell_size; /**< edge of the finest grid cells, a finite length >= 0; 0 (default): from the mean edge of the
                           cells */
    uint32_t table_size; /**< number of slots; 0 (default): automatic. Any value gives the same result */
    uint32_t levels;     /**< maximum number of grid cell sizes, 1 to 16; 0 (default): automatic */
} dent_spatial_hash_def;
DENT_API dent_spatial_hash_def dent_spatial_hash_def_default(void);

/** The bucket tree (Ganovelli et al. 2000; Erleben and Sporring). */
typedef struct dent_bucket_tree_def {
    size_t struct_size;
    double cell_ratio; /**< edge of a bucket over the mean box edge of the tetrahedra, finite and >= 0; 0 (default):
                            automatic */
    uint32_t level;          /**< level of the buckets (the root is 1), 1 to 21; 0 (default): from cell_ratio */
} dent_bucket_tree_def;
DENT_API dent_bucket_tree_def dent_bucket_tree_def_default(void);

typedef struct dent_contour_walk_def {
    size_t struct_size;
    bool cells_are_positive; /**< default false. True: the caller guarantees that every cell of every solid is positive
                                  in its corner order, and the pass over all cells is skipped. If the guarantee is
                                  false, pairs may be missing or wrong. Debug builds check it */
    bool verify_promises;    /**< default false. True: check cells_are_positive in all builds; a violation fails with
                                  INVALID_ARGUMENT and the message gives the cell index */
} dent_contour_walk_def;
DENT_API dent_contour_walk_def dent_contour_walk_def_default(void);

#ifdef __cplusplus
}
#endif

#endif
