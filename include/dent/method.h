/* dent/method.h — questions, the methods that answer them, and the parameters of each method.
 *
 * A question that the method cannot answer fails with DENT_ERROR_UNSUPPORTED. Parameters change the work, never the
 * result.
 */
#ifndef DENT_METHOD_H
#define DENT_METHOD_H

#include <dent/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Questions, as bits: one query may combine several. */
typedef enum dent_question {
    DENT_QUESTION_VERTEX_CELL = 1,
    DENT_QUESTION_FACE_CELL = 2,
    DENT_QUESTION_FACE_FACE = 4,
    DENT_QUESTION_PROXIMITY = 8, /**< for dent_world_proximity (proximity.h), not for dent_world_query */
    DENT_QUESTION_IMPACT = 16    /**< for dent_world_impacts and the other functions of impact.h, not for
                                      dent_world_query */
} dent_question;

#define DENT_DISCRETE_QUESTION_COUNT 3

/** Returns the name, such as "vertex-cell"; null for a value that is not exactly one question. */
DENT_API const char *dent_question_name(dent_question question);

/** Algorithms that compute the result; the rows of the method table. */
typedef enum dent_method {
    DENT_METHOD_AUTO = 0,
    DENT_METHOD_BRUTE_FORCE = 1, /**< the oracle: every pair, exact predicates; O(n^2) */
    DENT_METHOD_SWEEP = 2,       /**< boxes sorted and swept along the longest axis; float boxes, then exact tests */
    DENT_METHOD_SPATIAL_HASH = 3,   /**< vertices and surface faces hashed into grid cells of several sizes */
    DENT_METHOD_BUCKET_TREE = 4,    /**< one bucket tree per body, traversed in tandem, with surface flags */
    DENT_METHOD_CLUSTER_SEARCH = 5, /**< static clusters of cells in SIMD layout, and a strain certificate that proves
                                         the absence of self-collision */
    DENT_METHOD_SURFACE_TREE = 6,   /**< leaves of neighbouring faces under a refitted tree; culls surface parts proven
                                         not to cross themselves */
    DENT_METHOD_CONTOUR_WALK = 7, /**< walk from crossing surfaces along the mesh topology to every penetrating face and
                                       vertex */
    DENT_METHOD_COUNT = 8
} dent_method;

DENT_API const char *dent_method_name(dent_method method);
/** Returns one sentence: the idea and where it is fastest. */
DENT_API const char *dent_method_summary(dent_method method);
/** Returns the questions (bits) of dent_world_query that a method can answer. */
DENT_API uint32_t dent_method_questions(dent_method method);

/** Spatial hashing (Teschner et al. 2003) and its extensions. */
typedef struct dent_spatial_hash_def {
    size_t struct_size;
    double cell_size; /**< edge of the finest grid cells, a finite length >= 0; 0 (default): from the mean edge of the
                           cells */
    uint32_t table_size; /**< number of slots; 0 (default): automatic. Any value gives the same result */
    uint32_t levels;     /**< maximum number of grid cell sizes, 1 to 16; 0 (default): automatic */
    bool paper_form;     /**< experimental, default false. True: the paper's plain algorithm (one grid cell size, linked
                              slots with time stamps, prime-XOR hash, one vertex at a time) */
} dent_spatial_hash_def;
DENT_API dent_spatial_hash_def dent_spatial_hash_def_default(void);

/** The bucket tree (Ganovelli et al. 2000; Erleben and Sporring). */
typedef struct dent_bucket_tree_def {
    size_t struct_size;
    double cell_ratio; /**< edge of a bucket over the mean box edge of the tetrahedra, finite and >= 0; 0 (default):
                            automatic */
    uint32_t level;          /**< level of the buckets (the root is 1), 1 to 21; 0 (default): from cell_ratio */
    bool paper_sizing;       /**< experimental, default false. True: the article's formula from the mean volume, with
                                  `bucket_fill` */
    double bucket_fill;      /**< the article's n; default 2; above 0 */
    bool sorted_coordinates; /**< experimental, default false: bucket indices are computed directly. True: they come
                                  from coherent sorting of the box ends */
} dent_bucket_tree_def;
DENT_API dent_bucket_tree_def dent_bucket_tree_def_default(void);

typedef struct dent_cluster_search_def {
    size_t struct_size;
    bool no_certificate; /**< default false. True: search for self-collision even where its absence can be proven */
} dent_cluster_search_def;
DENT_API dent_cluster_search_def dent_cluster_search_def_default(void);

/** How the faces of a surface are grouped into leaves of at most 16. */
typedef enum dent_surface_leaves {
    DENT_SURFACE_LEAVES_MERGED = 0, /**< bottom-up merging of neighbouring regions by shape (Volino and
                                         Magnenat-Thalmann) */
    DENT_SURFACE_LEAVES_MEDIAN = 1, /**< top-down splits at the median of the face centres */
    DENT_SURFACE_LEAVES_CURVE = 2   /**< pieces of a space-filling curve through the face centres */
} dent_surface_leaves;

/** The surface hierarchy (Volino and Magnenat-Thalmann 2006, Klosowski et al. 1998), with an exact contour criterion.
 */
typedef struct dent_surface_tree_def {
    size_t struct_size;
    uint32_t directions; /**< faces of the bounding volumes: 6 (boxes), 14, 18 or 26; 0 (default): 6. A change causes a
                              rebuild */
    dent_surface_leaves leaves; /**< default MERGED. A change causes a rebuild */
    bool no_culling;            /**< default false. True: search everywhere, even where crossings are proven absent */
    bool keep_leaves; /**< default false: leaves are rebuilt when their boxes have grown to twice their first size */
} dent_surface_tree_def;
DENT_API dent_surface_tree_def dent_surface_tree_def_default(void);

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
