/* dent/method.h — questions, the methods that answer them, and the parameters of each method.
 *
 * Asking a method what it cannot answer is DENT_ERROR_UNSUPPORTED. Parameters change the work, never the answer.
 */
#ifndef DENT_METHOD_H
#define DENT_METHOD_H

#include <dent/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Bits, so that one query may answer several at once. */
typedef enum dent_question {
    DENT_QUESTION_VERTEX_CELL = 1,
    DENT_QUESTION_FACE_CELL = 2,
    DENT_QUESTION_FACE_FACE = 4,
    DENT_QUESTION_PROXIMITY = 8, /**< asked by dent_world_proximity (proximity.h), not by dent_world_query */
    DENT_QUESTION_IMPACT = 16    /**< asked by dent_world_impacts and its sisters (impact.h), not by dent_world_query */
} dent_question;

#define DENT_DISCRETE_QUESTION_COUNT 3

/** "vertex-cell"; null for a value that is not one single question. */
DENT_API const char *dent_question_name(dent_question question);

/** Ways to compute the answer; the rows of the method table. */
typedef enum dent_method {
    DENT_METHOD_AUTO = 0,
    DENT_METHOD_BRUTE_FORCE = 1, /**< the oracle: every pair, exact predicates; O(n^2) */
    DENT_METHOD_SWEEP = 2,       /**< sort boxes along the longest axis and sweep; float boxes, then exact predicates */
    DENT_METHOD_SPATIAL_HASH = 3,   /**< vertices and surface faces hashed into grid cells of several sizes */
    DENT_METHOD_BUCKET_TREE = 4,    /**< one bucket tree per body, walked in tandem, with surface flags */
    DENT_METHOD_CLUSTER_SEARCH = 5, /**< static clusters of cells laid out for the vector unit, and a strain certificate
                                         that proves self-collision away */
    DENT_METHOD_SURFACE_TREE = 6,   /**< leaves of neighbouring faces under a tree that is refitted; parts of a surface
                                         that cannot cross themselves are proven so */
    DENT_METHOD_CONTOUR_WALK = 7, /**< from crossing surfaces through the mesh's own topology to every penetrating face
                                       and vertex */
    DENT_METHOD_COUNT = 8
} dent_method;

DENT_API const char *dent_method_name(dent_method method);
/** One sentence: the idea and where it wins. */
DENT_API const char *dent_method_summary(dent_method method);
/** The questions (bits) of dent_world_query a method can answer. Asking it another is DENT_ERROR_UNSUPPORTED. */
DENT_API uint32_t dent_method_questions(dent_method method);

/** Spatial hashing (Teschner et al. 2003), and what it became. */
typedef struct dent_spatial_hash_def {
    size_t struct_size;
    double cell_size; /**< edge of the finest cells, a length; 0 (default): from the mean edge of the cells. Finite, >=
                           0 */
    uint32_t table_size; /**< number of slots; 0 (default): automatic. Any value gives the same answer */
    uint32_t levels;     /**< most levels of cell sizes, 1 to 16; 0 (default): automatic */
    bool paper_form;     /**< default false. True: the paper's plain algorithm (one cell size, linked slots with time
                              stamps, prime-XOR hash, one vertex at a time), for the experiments */
} dent_spatial_hash_def;
DENT_API dent_spatial_hash_def dent_spatial_hash_def_default(void);

/** The bucket tree (Ganovelli et al. 2000; Erleben and Sporring). */
typedef struct dent_bucket_tree_def {
    size_t struct_size;
    double cell_ratio; /**< edge of a bucket over the mean box edge of the tetrahedra; 0 (default): automatic. Finite,
                            >= 0 */
    uint32_t level;          /**< level of the buckets (the root is 1), 1 to 21; 0 (default): from cell_ratio */
    bool paper_sizing;       /**< default false. True: the article's formula from the mean volume, with `bucket_fill` */
    double bucket_fill;      /**< the article's n; default 2; above 0 */
    bool sorted_coordinates; /**< default false: bucket indices computed directly. True: by coherent sorting of the box
                                  ends */
} dent_bucket_tree_def;
DENT_API dent_bucket_tree_def dent_bucket_tree_def_default(void);

typedef struct dent_cluster_search_def {
    size_t struct_size;
    bool no_certificate; /**< default false. True: search for self-collision even where it could be proven away */
} dent_cluster_search_def;
DENT_API dent_cluster_search_def dent_cluster_search_def_default(void);

/** How the faces of a surface are cut into leaves of at most 16. */
typedef enum dent_surface_leaves {
    DENT_SURFACE_LEAVES_MERGED = 0, /**< neighbouring regions merged by their shape, bottom-up (Volino and
                                         Magnenat-Thalmann) */
    DENT_SURFACE_LEAVES_MEDIAN = 1, /**< split top-down at the median of the face centres */
    DENT_SURFACE_LEAVES_CURVE = 2   /**< pieces of a space-filling curve through the face centres */
} dent_surface_leaves;

/** The surface hierarchy (Volino and Magnenat-Thalmann 2006, Klosowski et al. 1998), with an exact contour criterion.
 */
typedef struct dent_surface_tree_def {
    size_t struct_size;
    uint32_t directions; /**< faces of the bounding volumes: 6 (boxes), 14, 18 or 26; 0 (default): 6. A change builds
                              anew */
    dent_surface_leaves leaves; /**< default MERGED. A change builds anew */
    bool no_culling;            /**< default false. True: search everywhere, also where crossing is proven impossible */
    bool keep_leaves; /**< default false: leaves are cut anew when their boxes have grown to twice their first size */
} dent_surface_tree_def;
DENT_API dent_surface_tree_def dent_surface_tree_def_default(void);

typedef struct dent_contour_walk_def {
    size_t struct_size;
    bool cells_are_positive; /**< default false. True: the caller knows that every cell of every solid is positive in
                                  the order of its corners; the pass over all cells is left out. A false promise may
                                  lose or invent pairs; debug builds check it */
    bool verify_promises;    /**< default false. True: check it all the same; a cell that breaks it is INVALID_ARGUMENT
                                  with its number */
} dent_contour_walk_def;
DENT_API dent_contour_walk_def dent_contour_walk_def_default(void);

#ifdef __cplusplus
}
#endif

#endif
