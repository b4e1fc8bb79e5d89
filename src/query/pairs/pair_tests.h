/* The discrete questions' own part of their rows: the exact test of a pair, and the numbers that go with an answer. Each
 * question is one file of this folder.
 *
 * The tests are the meaning of the questions. Each is given a candidate of a question and says whether it is an answer,
 * and of what kind; candidates that share a vertex never are.
 */
#ifndef DENT_QUERY_PAIR_TESTS_H
#define DENT_QUERY_PAIR_TESTS_H

#include <dent/query.h>

#include "bodies/snapshot.h"
#include "geometry/predicates/kernels/pair_kernels.h"
#include "geometry/predicates/predicate_kinds.h"
#include "geometry/predicates/union_predicates.h"
#include "methods/interface/method_interface.h"

/* 0: no answer. */
typedef dent_pair_kind pair_test(const struct snapshot *snapshot, const struct candidate *candidate, bool touching,
                                 predicate_counters *counters);

/* Whether a candidate can be tested in a lane of doubles. */
enum pair_lane_use {
    PAIR_LANE_NONE,  /* it shares a vertex: no answer */
    PAIR_LANE_EXACT, /* no: by the test of the row */
    PAIR_LANE_USED,  /* yes: by the kernel of the row */
};

/* Looks up the positions of its corners, PAIR_CORNERS pointers; those a kernel does not read may be any position. */
typedef enum pair_lane_use pair_corners(const struct snapshot *snapshot, const struct candidate *candidate,
                                        const double *corners[]);

struct pair_row {
    pair_test *test;
    pair_corners *corners;
    enum pair_kernel_kind kernel; /* says what the test would say, or nothing */
    dent_pair_kind meeting;       /* the kind of what the kernel finds */
    size_t list_offset;           /* of its dent_pair_list in dent_query_result */
    size_t detail_size;           /* of the record that goes with an answer; 0: none */
    size_t detail_offset;         /* of the pointer to these records in dent_pair_list */
    void (*detail)(const struct snapshot *snapshot, const dent_pair *pair, void *record);
};

/* True when two corners are the same vertex, whatever the bodies. */
bool corners_have_same_vertex(const struct body *a, const uint32_t *corners_a, uint32_t count_a, const struct body *b,
                              const uint32_t *corners_b, uint32_t count_b);

/* True when two corners have the same number. */
static inline bool corners_have_same_number(const uint32_t *corners_a, uint32_t count_a, const uint32_t *corners_b,
                                            uint32_t count_b)
{
    bool same = false;
    for (uint32_t i = 0; i < count_a; i++) {
        for (uint32_t j = 0; j < count_b; j++) {
            same |= corners_a[i] == corners_b[j];
        }
    }
    return same;
}

/* The same as the first. Every candidate asks, so what needs no ties is decided here: different bodies share nothing,
 * one body shares numbers. */
static inline bool corners_share_vertex(const struct body *a, const uint32_t *corners_a, uint32_t count_a,
                                        const struct body *b, const uint32_t *corners_b, uint32_t count_b)
{
    if (a->identities || b->identities) {
        return corners_have_same_vertex(a, corners_a, count_a, b, corners_b, count_b);
    }
    return a == b && corners_have_same_number(corners_a, count_a, corners_b, count_b);
}

/* The corners of a face as positions. */
static inline void pair_face_points(const struct body_snapshot *body_snapshot, uint32_t face, const double *points[3])
{
    for (int i = 0; i < 3; i++) {
        points[i] = body_snapshot->xyz[body_snapshot->body->surface_faces[face].corners[i]];
    }
}

/* The tetrahedra of a cell as positions; returns how many. */
static inline int pair_cell_points(const struct body_snapshot *body_snapshot, uint32_t cell,
                                   const double *points[UNION_TETRAHEDRA_MAX][4])
{
    uint32_t end, first = cell_tetrahedra(body_snapshot->body, cell, &end);
    for (uint32_t tetrahedron = first; tetrahedron < end; tetrahedron++) {
        for (int corner = 0; corner < 4; corner++) {
            points[tetrahedron - first][corner] =
                body_snapshot->xyz[body_snapshot->body->tetrahedra[tetrahedron][corner]];
        }
    }
    return (int)(end - first);
}

#endif
