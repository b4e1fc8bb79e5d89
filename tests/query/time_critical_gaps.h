/* True gaps of pairs of regions, face by face: what the bounds of an interruptible search are measured against. */
#ifndef DENT_TESTS_TIME_CRITICAL_GAPS_H
#define DENT_TESTS_TIME_CRITICAL_GAPS_H

#include "query/time_critical_stage.h"

#include "geometry/metric/feature_distance.h"

/* Distance of two faces that do not cross (0 may come out as a little more than 0). */
static inline double face_distance(const double *const a[3], const double *const b[3])
{
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = fmin(best, fmin(vertex_face_distance(a[i], b), vertex_face_distance(b[i], a)));
        for (int j = 0; j < 3; j++) {
            const double *edge_a[2] = {a[i], a[(i + 1) % 3]}, *edge_b[2] = {b[j], b[(j + 1) % 3]};
            best = fmin(best, edge_edge_distance(edge_a, edge_b));
        }
    }
    return best;
}

static inline void corners_of(const struct stage *stage, bool side_b, uint32_t place, const double *corners[3])
{
    uint32_t count, body = side_b ? stage->body_b : stage->body_a;
    const dent_surface_face *faces =
        dent_body_surface_faces(stage->world, dent_world_body_at(stage->world, body), &count);
    uint32_t face = dent_bound_tree_face_order(side_b ? stage->tree_b : stage->tree_a)[place];
    for (int k = 0; k < 3; k++) {
        corners[k] = stage->scene.bodies[body].xyz[faces[face].corners[k]];
    }
}

static inline void assert_gap_is_between(const struct stage *stage, const dent_region_pair *entry)
{
    dent_bound_node a = dent_bound_tree_node(stage->tree_a, entry->node_a),
                    b = dent_bound_tree_node(stage->tree_b, entry->node_b);
    double gap = INFINITY, largest = 0;
    for (uint32_t i = a.first_face; i < a.first_face + a.face_count; i++) {
        for (uint32_t j = b.first_face; j < b.first_face + b.face_count; j++) {
            const double *face_a[3], *face_b[3];
            corners_of(stage, false, i, face_a);
            corners_of(stage, true, j, face_b);
            gap = fmin(gap, face_distance(face_a, face_b));
            for (int k = 0; k < 9; k++) {
                largest = fmax(largest, fmax(fabs(face_a[k / 3][k % 3]), fabs(face_b[k / 3][k % 3])));
            }
        }
    }
    double slack = 64 * 0x1p-53 * largest; /* of the measured distance */
    assert_true(entry->lo <= gap + slack);
    assert_true(gap <= fmax(entry->lo, 0) + entry->error +
                           slack); /* a crossing has gap 0: the measured distance is above it */
}

#endif
