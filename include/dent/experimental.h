/* dent/experimental.h — switches and measurements for experiments. Nothing here is promised.
 *
 * The experiments reproduce papers (`dent paper`), compare variants of a method (`dent bench --variants`) and measure
 * the phases of one. They change the work and the time, never the result. A program that only wants results needs
 * nothing of this header, and dent.h does not include it.
 *
 * A def has one pointer to all of it, `experiments`; null, the default, means none:
 *
 *   dent_experiments experiments = dent_experiments_default();
 *   experiments.surface_tree.no_culling = true;
 *   def.experiments = &experiments;
 *
 * Ownership: the caller owns the struct and what it points to. The library reads it during the call only and keeps no
 * pointer to it. Interface: every name of this header and of structure.h may change or disappear in any version.
 * struct_size is checked, so a program built with another version fails with INVALID_ARGUMENT instead of being misread.
 * docs/interface.md lists which headers are promised.
 */
#ifndef DENT_EXPERIMENTAL_H
#define DENT_EXPERIMENTAL_H

#include <dent/motion.h>
#include <dent/query.h>
#include <dent/structure.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- measurements ------------------------------------------------------------------------------------------------ */

/** Work and time of single methods in one query; all zero for methods that did not run. */
typedef struct dent_method_counters {
    struct {
        uint64_t neighbours; /**< leaves, and pairs of leaves with a common vertex, of bodies that may cross themselves */
        uint64_t neighbours_culled; /**< of these: proven free of crossings by normals and contours */
        uint64_t regions_tested;    /**< contours tested for that */
        /** Parts of ns_search; the last three, loops over leaves, are summed over all threads. In order: refit and
         * rebuild; culling; traversal of lists and trees; float filters; double and exact tests. */
        uint64_t ns_refit, ns_culling, ns_traversal, ns_filters, ns_narrow;
    } surface_tree;
    struct {
        uint64_t removed_cells; /**< inverted cells, tested one by one */
        /** Parts of ns_search. In order: signs of all cells; crossing surfaces and other seeds; faces through cells;
         * vertices inward. */
        uint64_t ns_orientation, ns_seeds, ns_faces, ns_vertices;
    } contour_walk;
} dent_method_counters;

/* ---- switches ---------------------------------------------------------------------------------------------------- */

/** How the faces of a surface are grouped into leaves of at most 16. */
typedef enum dent_surface_leaves {
    DENT_SURFACE_LEAVES_MERGED = 0, /**< bottom-up merging of neighbouring regions by shape (Volino and
                                         Magnenat-Thalmann) */
    DENT_SURFACE_LEAVES_MEDIAN = 1, /**< top-down splits at the median of the face centres */
    DENT_SURFACE_LEAVES_CURVE = 2   /**< pieces of a space-filling curve through the face centres */
} dent_surface_leaves;

/** Numbers in which the leaves of the cluster search compare. What they leave open gets the exact test, so the result does
 *  not depend on them. */
typedef enum dent_leaf_numbers {
    DENT_LEAF_NUMBERS_AUTO = 0,       /**< floats; doubles for clusters of which floats leave more than an eighth open.
                                           Instruction set scalar: always floats */
    DENT_LEAF_NUMBERS_FLOATS = 1,     /**< floats */
    DENT_LEAF_NUMBERS_DOUBLES = 2,    /**< doubles */
    DENT_LEAF_NUMBERS_ALTERNATING = 3 /**< each cluster changes between both whenever it is searched */
} dent_leaf_numbers;

/** Bounding volumes of the hierarchy of a rigid body. The guarantee does not depend on them. The result depends on them
 *  only within the tolerance. */
typedef enum dent_motion_volume {
    DENT_MOTION_VOLUME_AUTO = 0,         /**< oriented boxes */
    DENT_MOTION_VOLUME_SPHERE = 1,       /**< spheres */
    DENT_MOTION_VOLUME_ALIGNED_BOX = 2,  /**< boxes along the axes of the body, 3 axes tested */
    DENT_MOTION_VOLUME_ORIENTED_BOX = 3, /**< boxes along the axes of their own faces, 15 axes tested */
    DENT_MOTION_VOLUME_COUNT = 4
} dent_motion_volume;

/** How a motion is enclosed over a time interval. */
typedef enum dent_motion_bounds {
    DENT_MOTION_BOUNDS_AUTO = 0,     /**< TAYLOR */
    DENT_MOTION_BOUNDS_TAYLOR = 1,   /**< pose and velocity in the middle, and a bound on the second derivative */
    DENT_MOTION_BOUNDS_INTERVAL = 2, /**< interval matrices; each link is narrowed to what a rotation allows before
                                          the next is multiplied */
    DENT_MOTION_BOUNDS_PLAIN_INTERVAL = 3, /**< interval matrices without narrowing: wide after a few links */
    DENT_MOTION_BOUNDS_COUNT = 4
} dent_motion_bounds;

/** How two faces are compared over a time interval. */
typedef enum dent_motion_elementary {
    DENT_MOTION_ELEMENTARY_AUTO = 0,        /**< HULLS */
    DENT_MOTION_ELEMENTARY_HULLS = 1,       /**< distance of the convex hulls of their paths */
    DENT_MOTION_ELEMENTARY_COPLANARITY = 2, /**< the source's: intervals of the triple products of vertex-face and
                                                 edge-edge pairs, halving of time, and the distance in short intervals.
                                                 Verdicts may differ from HULLS if the least separation is above 0 and
                                                 at most the tolerance */
    DENT_MOTION_ELEMENTARY_COUNT = 3
} dent_motion_elementary;

/** Return "oriented-box" and so on; "taylor", "interval", "plain-interval"; "auto"; null for other values. */
DENT_API const char *dent_motion_volume_name(dent_motion_volume volume);
DENT_API const char *dent_motion_bounds_name(dent_motion_bounds bounds);

struct dent_experiments {
    size_t struct_size;
    struct {
        bool paper_form; /**< default false. True: the paper's plain algorithm (one grid cell size, linked slots with
                              time stamps, prime-XOR hash, one vertex at a time) */
    } spatial_hash;
    struct {
        bool paper_sizing;       /**< default false. True: the article's formula from the mean volume, with
                                      `bucket_fill` */
        double bucket_fill;      /**< the article's n; default 2; above 0 */
        bool sorted_coordinates; /**< default false: bucket indices are computed directly. True: they come from coherent
                                      sorting of the box ends */
    } bucket_tree;
    struct {
        bool no_certificate; /**< default false. True: search for self-collision even where its absence can be proven */
        dent_leaf_numbers numbers; /**< default AUTO */
    } cluster_search;
    struct {
        uint32_t directions; /**< faces of the bounding volumes: 6 (boxes), 14, 18 or 26; 0 (default): 6. A change causes
                                  a rebuild */
        dent_surface_leaves leaves; /**< default MERGED. A change causes a rebuild */
        bool no_culling;            /**< default false. True: search everywhere, even where crossings are proven absent */
        bool keep_leaves; /**< default false: leaves are rebuilt when their boxes have grown to twice their first size */
    } surface_tree;
    struct {
        dent_motion_volume volume; /**< default AUTO */
        dent_motion_bounds bounds; /**< default AUTO */
        dent_motion_elementary elementary; /**< default AUTO */
    } motion;
    dent_method_counters *counters; /**< null (default), or written by dent_world_query, also when it fails */
};
DENT_API dent_experiments dent_experiments_default(void);

/* ---- motion ------------------------------------------------------------------------------------------------------ */

/** Computes how wide the bounds of a chain are. The motion of `frame` in the world over [t_lo, t_hi] is enclosed with
 *  `bounds`. *rotation_radius and *translation_radius bound the deviation from the middle of the enclosure. A point x
 *  of the body is known to within rotation_radius |x| + translation_radius (TAYLOR: beyond its motion at constant
 *  velocity). */
DENT_API dent_status dent_motion_bound_width(dent_context *context, const dent_motion_frame *frames, uint32_t frame,
                                             dent_motion_bounds bounds, double t_lo, double t_hi,
                                             double *rotation_radius, double *translation_radius);

#ifdef __cplusplus
}
#endif

#endif
