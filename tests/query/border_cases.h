/* What the tests of the border share: one question, two tetrahedra that cross, and the bodies of a world laid open. */
#ifndef DENT_TESTS_QUERY_BORDER_CASES_H
#define DENT_TESTS_QUERY_BORDER_CASES_H

#include "support/cmocka_includes.h"

#include "support/random_scene.h"
#include "support/test_context.h"

static inline dent_query_result ask(dent_world *world, uint32_t questions, dent_method method,
                                    const dent_border_def *border)
{
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = questions;
    def.method = method;
    def.border = border;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    return result;
}

/* The spike stands with one vertex in the large one. */
static const double large_tetrahedron[4][3] = {{-8, -8, 0}, {8, -8, 0}, {0, 8, 0}, {0, 0, -8}};
static const double spike[4][3] = {{0, 0, -1}, {-1, 0, 3}, {1, 0, 3}, {0, 1, 3}};

/* ---- the world as the brute force sees it ------------------------------------------------------------------------ */

struct seen_body {
    const double (*xyz)[3];
    uint32_t first_number;
    const dent_surface_face *faces;
    uint32_t face_count;
    const dent_edge *edges;
    uint32_t edge_count;
    const uint32_t *tetrahedra, *cells; /* cells: null, identity */
    uint32_t tetrahedron_count;
};

struct seen_world {
    uint32_t body_count;
    struct seen_body bodies[TEST_BODIES_MAX];
};

static inline void look_at(const struct test_scene *scene, dent_world *world, struct seen_world *seen)
{
    uint32_t number = 0;
    seen->body_count = scene->body_count;
    for (uint32_t i = 0; i < scene->body_count; i++) {
        struct seen_body *body = &seen->bodies[i];
        dent_body_id id = dent_world_body_at(world, i);
        body->xyz = (const double(*)[3])scene->bodies[i].xyz;
        body->first_number = number;
        number += scene->bodies[i].vertex_count;
        body->faces = dent_body_surface_faces(world, id, &body->face_count);
        body->edges = dent_body_edges(world, id, &body->edge_count);
        body->tetrahedra = dent_body_tetrahedra(world, id, &body->tetrahedron_count, &body->cells);
    }
}

static inline bool is_corner(const dent_surface_face *face, uint32_t vertex)
{
    return face->corners[0] == vertex || face->corners[1] == vertex || face->corners[2] == vertex;
}

#endif
