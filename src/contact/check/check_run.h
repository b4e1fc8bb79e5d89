/* What the stages of the penetration check share: the bodies as the check sees them, the flags it gathers for one pair
 * of bodies, and the parallel loop every stage is written with.
 *
 * A pair (a, b) is looked at from both sides. A `check_side` is one of them: what has been found about the elements of
 * `x` (cells, surface faces, vertices) with respect to the body `y`. Every stage writes flags of x only, each by the
 * block that owns the element, so the outcome does not depend on threads.
 */
#ifndef DENT_CONTACT_CHECK_RUN_H
#define DENT_CONTACT_CHECK_RUN_H

#include <dent/penetration.h>

#include "base/arena.h"
#include "base/cancel_flag.h"
#include "base/message.h"
#include "bodies/snapshot.h"
#include "structures/boxes/box_tree.h"
#include "geometry/predicates/predicate_kinds.h"

struct check_body {
    const struct body *body;
    const double (*xyz)[3];
    struct box bounds;
    bool solid;   /* made of cells */
    bool closed;  /* a surface treated as solid. None of the three: an open surface */
    bool thin;    /* an open surface whose faces are segments or points: triangles with corners twice or three times */
    bool has_trees;
    const dent_surface_face *surface; /* surface faces, segments or points (from check_prepare_body on) */
    uint32_t surface_count;
    struct box_tree cells;                 /* tetrahedra; empty for surfaces */
    struct box_tree faces;                 /* over `surface` */
    uint8_t *element_marks, *vertex_marks; /* of the result, over all pairs */
};

/* Flags of an element of x. */
enum {
    ELEMENT_OVERLAPS = 1, /* meets the interior of y (open surfaces: crosses it) */
    ELEMENT_TOUCHES = 2,  /* its closed set meets the surface of y */
    ELEMENT_IS_CUT = 4,   /* cells: a face of the surface y meets their interior */
    ELEMENT_IS_FLAT = 8   /* cells near y with a flat tetrahedron */
};

/* Flags of a surface face of x. */
enum {
    FACE_TOUCHES = 1,  /* the closed face meets a surface face of y */
    FACE_CROSSES = 2,  /* … and one of them crosses it */
    FACE_COINCIDES = 4 /* … and one of them shares area with it in one plane */
};

/* Where a vertex of x is with respect to y. */
enum { VERTEX_OUTSIDE = 0, VERTEX_INSIDE = 1, VERTEX_ON = 2, VERTEX_UNKNOWN = 3 };

struct check_side {
    const struct check_body *x, *y;
    uint8_t *elements; /* by the caller's element of x */
    uint8_t *faces;    /* by surface face of x */
    uint8_t *vertices; /* by vertex of x */
};

/* What a block of a parallel loop found out besides flags; joined in block order. */
struct check_tally {
    uint64_t box_tests, candidates;
    predicate_counters predicates;
    double depth; /* deepest witness of the block; negative: none */
    double where[3];
    bool contact; /* `meeting` is a point near which the closed sets meet */
    double meeting[3];
    bool out_of_memory;
};

struct check_run {
    dent_context *context;
    const struct snapshot *snapshot;
    struct message *message;
    struct arena *scratch;
    struct cancel_flag *cancel;
    bool exhaustive;
    bool ignore_touching;
    bool volumes;
    bool only_thin;    /* pairs without strands and points are passed over */
    double tolerance;
    uint32_t body_count;
    struct check_body *bodies; /* by body index */
    struct check_tally total;  /* counters of the whole check; depth and contact of the current pair */
};

/* One block of a stage: elements begin … end - 1. */
typedef void check_block(struct check_run *run, void *data, uint32_t begin, uint32_t end, struct check_tally *tally);

/* Runs the stage over [0, count) and adds the tallies, in block order, to run->total. Cancelled runs stop early; see
 * check_stopped. */
dent_status check_for_each(struct check_run *run, uint32_t count, check_block *block, void *data);

/* The row of the check, for those who ask it within their own snapshot. */
extern const struct question_stages check_stages;

/* The same for the pairs with strands or points alone. */
extern const struct question_stages thin_check_stages;

static inline bool check_cancelled(struct check_run *run)
{
    return cancel_requested(run->cancel);
}

/* The body as the check sees it, without trees and marks. */
struct check_body check_body_of(const struct body_snapshot *snapshot);

/* Builds the trees of a body that has a partner. */
dent_status check_prepare_body(struct check_run *run, struct check_body *body);

dent_status check_out_of_memory(struct check_run *run);

/* Remembers a witness: the first of the deepest. */
static inline void tally_depth(struct check_tally *tally, double depth, const double where[3])
{
    if (depth > tally->depth) {
        tally->depth = depth;
        for (int axis = 0; axis < 3; axis++) {
            tally->where[axis] = where[axis];
        }
    }
}

static inline void tally_walk(struct check_tally *tally, const struct box_walk *walk)
{
    tally->box_tests += walk->box_tests;
}

/* A surface without an inside. */
static inline bool check_is_open(const struct check_body *body)
{
    return !body->solid && !body->closed && !body->thin;
}

static inline void face_corners(const struct check_body *body, uint32_t face, const double *corners[3])
{
    const uint32_t *v = body->surface[face].corners;
    for (int k = 0; k < 3; k++) {
        corners[k] = body->xyz[v[k]];
    }
}

static inline void tetrahedron_corners(const struct check_body *body, uint32_t tetrahedron, const double *corners[4])
{
    const uint32_t *v = body->body->tetrahedra[tetrahedron];
    for (int k = 0; k < 4; k++) {
        corners[k] = body->xyz[v[k]];
    }
}

/* Surface faces of x and y that are not compared: those of one body that share a vertex, and the first segment of a
 * strand against the faces at its root. */
bool check_leaves_out(const struct check_run *run, const struct check_body *x, uint32_t face,
                      const struct check_body *y, uint32_t other);

/* The first segment of a strand whose root lies on a face of y. It is judged by its other end and by the faces it crosses
 * away from the root. */
bool check_is_at_root(const struct check_run *run, const struct check_body *x, uint32_t segment,
                      const struct check_body *y);

static inline uint32_t cell_of(const struct body *body, uint32_t tetrahedron)
{
    return body->cell_of_tetrahedron ? body->cell_of_tetrahedron[tetrahedron] : tetrahedron;
}

#endif
