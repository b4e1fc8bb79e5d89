/* Topology: analytic counts on known shapes, and a plain quadratic computation on random ones. */
#include "body_stage.h"

#include "bodies/mesh_topology.h"

#include <stdlib.h>
#include <string.h>

static struct body *make_tetrahedra(uint32_t vertex_count, uint32_t count, const uint32_t *corners)
{
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = vertex_count;
    def.element_count = count;
    def.element_corners = corners;
    return make_body_of(context, &def);
}

static struct body *make_triangles(uint32_t vertex_count, uint32_t count, const uint32_t *corners)
{
    dent_body_def def = dent_surface_def_default();
    def.vertex_count = vertex_count;
    def.element_count = count;
    def.element_corners = corners;
    return make_body_of(context, &def);
}

/* V - E + F of the surface. */
static int64_t surface_euler(const struct body *body)
{
    int64_t vertices = 0, edges = 0;
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        vertices += (body->vertex_use[i] & VERTEX_ON_SURFACE) != 0;
    }
    for (uint32_t i = 0; i < body->edge_count; i++) {
        edges += body->edge_is_surface[i];
    }
    return vertices - edges + body->surface_face_count;
}

/* V - E + F - T of the solid; inner faces are counted from both sides. */
static int64_t solid_euler(const struct body *body)
{
    int64_t vertices = (int64_t)body->vertex_count - body->topology.unused_vertices;
    int64_t faces = ((int64_t)body->tetrahedron_count * 4 + body->surface_face_count) / 2;
    return vertices - body->edge_count + faces - body->tetrahedron_count;
}

/* ---- known shapes ------------------------------------------------------------------------------------------------ */

static void a_single_tetrahedron_has_four_outward_faces_named_by_their_corner(void **state)
{
    (void)state;
    const uint32_t corners[4] = {0, 1, 2, 3};
    struct body *body = make_tetrahedra(4, 1, corners);
    const dent_body_topology *topology = &body->topology;
    assert_int_equal(topology->kind, DENT_BODY_SOLID);
    assert_int_equal(topology->tetrahedron_count, 1);
    assert_int_equal(topology->surface_face_count, 4);
    assert_int_equal(topology->edge_count, 6);
    assert_int_equal(topology->component_count, 1);
    assert_int_equal(topology->boundary_edges, 0);
    assert_int_equal(topology->nonmanifold_edges, 0);
    assert_true(topology->surface_closed);
    assert_int_equal(topology->first_unused_vertex, UINT32_MAX);
    assert_int_equal(topology->first_duplicate_element, UINT32_MAX);
    assert_int_equal(topology->first_nonmanifold_element, UINT32_MAX);
    static const uint32_t outward[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(body->surface_faces[i].corner, i);
        assert_int_equal(body->surface_faces[i].cell, 0);
        assert_int_equal(body->surface_faces[i].is_split, 0);
        assert_int_equal(body->surface_face_tetrahedron[i], 0);
        assert_memory_equal(body->surface_faces[i].corners, outward[i], sizeof outward[i]);
        assert_int_equal(body->neighbours[0][i], NEIGHBOUR_NONE);
    }
    body_destroy(body);
}

static void check_bar(uint32_t nx, uint32_t ny, uint32_t nz, enum cube_cut cut)
{
    struct test_mesh mesh = make_bar(nx, ny, nz, cut);
    dent_body_def def = solid_def_of(&mesh, "bar");
    struct body *body = make_body_of(context, &def);
    assert_int_equal(body->surface_face_count, 4 * (nx * ny + ny * nz + nz * nx));
    assert_int_equal(body->topology.component_count, 1);
    assert_int_equal(body->topology.nonmanifold_faces, 0);
    assert_int_equal(body->topology.nonmanifold_edges, 0);
    assert_int_equal(body->topology.unused_vertices, 0);
    assert_int_equal(body->topology.duplicate_elements, 0);
    assert_true(body->topology.surface_closed);
    assert_int_equal(surface_euler(body), 2);
    assert_int_equal(solid_euler(body), 1);
    dent_body_metrics measure;
    body_measure(body, mesh.xyz, &measure);
    assert_int_equal(measure.inverted_cells, 0);
    assert_int_equal(measure.flat_cells, 0);
    assert_false(measure.mirrored);
    assert_true(measure.volume > nx * ny * nz - 1e-9 && measure.volume < nx * ny * nz + 1e-9);
    assert_true(measure.area > 2 * (nx * ny + ny * nz + nz * nx) - 1e-9);
    body_destroy(body);
    free_mesh(&mesh);
}

static void bars_of_cubes_are_closed_balls_however_they_are_cut(void **state)
{
    (void)state;
    for (int cut = CUBE_FIVE; cut <= CUBE_HEXAHEDRA; cut++) {
        check_bar(1, 1, 1, (enum cube_cut)cut);
        check_bar(2, 1, 1, (enum cube_cut)cut);
        check_bar(4, 3, 2, (enum cube_cut)cut);
        check_bar(10, 10, 1, (enum cube_cut)cut);
    }
}

static void the_teschner_bar_and_slab_have_their_published_counts(void **state)
{
    (void)state;
    struct test_mesh bar = make_bar(2, 1, 1, CUBE_FIVE), slab = make_bar(10, 10, 1, CUBE_FIVE);
    assert_int_equal(bar.vertex_count, 12);
    assert_int_equal(bar.element_count, 10);
    assert_int_equal(slab.vertex_count, 242);
    assert_int_equal(slab.element_count, 500);
    free_mesh(&bar);
    free_mesh(&slab);
}

/* Numbers of the vertices shuffled, so that every case of the splitter meets every other at a common face. */
static void hexahedra_conform_whatever_their_vertices_are_called(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(7);
    for (int round = 0; round < 300; round++) {
        uint32_t nx = 1 + dent_random_below(&random, 3), ny = 1 + dent_random_below(&random, 2),
                 nz = 1 + dent_random_below(&random, 2);
        struct test_mesh mesh = make_bar(nx, ny, nz, CUBE_HEXAHEDRA);
        uint32_t *name = malloc(mesh.vertex_count * sizeof *name);
        double(*xyz)[3] = malloc(mesh.vertex_count * sizeof *xyz);
        for (uint32_t i = 0; i < mesh.vertex_count; i++) {
            uint32_t j = dent_random_below(&random, i + 1);
            name[i] = name[j];
            name[j] = i;
        }
        for (uint32_t i = 0; i < mesh.vertex_count; i++) {
            memcpy(xyz[name[i]], mesh.xyz[i], sizeof xyz[0]);
        }
        for (uint32_t i = 0; i < mesh.element_count * 8; i++) {
            mesh.corners[i] = name[mesh.corners[i]];
        }
        dent_body_def def = solid_def_of(&mesh, "shuffled");
        struct body *body = make_body_of(context, &def);
        assert_int_equal(body->surface_face_count, 4 * (nx * ny + ny * nz + nz * nx));
        assert_true(body->topology.surface_closed);
        assert_int_equal(solid_euler(body), 1);
        dent_body_metrics measure;
        body_measure(body, (const double(*)[3])xyz, &measure);
        assert_int_equal(measure.inverted_cells + measure.flat_cells, 0);
        assert_false(measure.mirrored);
        assert_true(measure.volume > nx * ny * nz - 1e-9 && measure.volume < nx * ny * nz + 1e-9);
        body_destroy(body);
        free(name);
        free(xyz);
        free_mesh(&mesh);
    }
}

static void faces_of_split_cells_are_named_by_face_and_part_in_order(void **state)
{
    (void)state;
    const uint32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    const uint8_t kinds[1] = {DENT_CELL_HEXAHEDRON};
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = 8;
    def.element_count = 1;
    def.element_corners = corners;
    def.cell_kinds = kinds;
    struct body *body = make_body_of(context, &def);
    /* Round each face as listed in docs/conventions.md, from its smallest vertex: first half is part 0, second half
     * part 1. */
    static const uint32_t expected[12][3] = {{0, 4, 7}, {0, 7, 3}, {1, 2, 6}, {1, 6, 5}, {0, 1, 5}, {0, 5, 4},
                                             {2, 3, 7}, {2, 7, 6}, {0, 3, 2}, {0, 2, 1}, {4, 5, 6}, {4, 6, 7}};
    assert_int_equal(body->surface_face_count, 12);
    for (uint32_t i = 0; i < 12; i++) {
        const dent_surface_face *face = &body->surface_faces[i];
        assert_int_equal(face->corner, i / 2);
        assert_int_equal(face->part, i % 2);
        assert_int_equal(face->is_split, 1);
        uint32_t turn = 0;
        while (turn < 2 && face->corners[turn] != expected[i][0]) {
            turn++;
        }
        for (uint32_t k = 0; k < 3; k++) {
            assert_int_equal(face->corners[(turn + k) % 3], expected[i][k]);
        }
    }
    body_destroy(body);
}

/* A cube, a wedge on its right side, a pyramid on its top, a tetrahedron on the pyramid. */
static const double mixed_xyz[12][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1},     {1, 0, 1},
                                        {1, 1, 1}, {0, 1, 1}, {2, 0, 0}, {2, 1, 0}, {0.5, 0.5, 2}, {2, 0.5, 2}};
static const uint8_t mixed_kinds[4] = {DENT_CELL_HEXAHEDRON, DENT_CELL_WEDGE, DENT_CELL_PYRAMID, DENT_CELL_TETRAHEDRON};

static struct body *make_mixed_body(bool other_wedge_order, bool mirror)
{
    uint32_t corners[23] = {0, 1, 2, 3, 4, 5, 6, 7, 1, 8, 5, 2, 9, 6, 4, 5, 6, 7, 10, 5, 6, 10, 11};
    if (!other_wedge_order) {
        corners[9] = 5, corners[10] = 8, corners[12] = 6, corners[13] = 9;
    }
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = 12;
    def.element_count = 4;
    def.element_corners = corners;
    def.cell_kinds = mixed_kinds;
    if (mirror) {
        /* The same cells seen in a mirror: every positive one becomes negative. */
        uint32_t hexahedron[8] = {1, 0, 3, 2, 5, 4, 7, 6}, wedge[6] = {1, 8, 5, 2, 9, 6}, pyramid[5] = {5, 4, 7, 6, 10};
        memcpy(corners, hexahedron, sizeof hexahedron);
        memcpy(corners + 8, wedge, sizeof wedge);
        memcpy(corners + 14, pyramid, sizeof pyramid);
        corners[19] = 6, corners[20] = 5;
    }
    return make_body_of(context, &def);
}

static void cells_of_all_kinds_conform_and_wedges_follow_their_neighbours(void **state)
{
    (void)state;
    for (int other = 0; other < 2; other++) {
        struct body *body = make_mixed_body(other != 0, false);
        dent_body_metrics measure;
        body_measure(body, mixed_xyz, &measure);
        assert_int_equal(measure.inverted_cells, 0);
        assert_int_equal(measure.flat_cells, 0);
        assert_false(measure.mirrored);
        assert_true(body->topology.surface_closed);
        assert_int_equal(body->topology.component_count, 1);
        assert_int_equal(surface_euler(body), 2);
        assert_int_equal(solid_euler(body), 1);
        /* Cube 12 - 2 - 2, wedge 8 - 2, pyramid 6 - 2 - 1, tetrahedron 4 - 1. */
        assert_int_equal(body->surface_face_count, 8 + 6 + 3 + 3);
        for (uint32_t i = 0; i < body->tetrahedron_count; i++) {
            for (uint32_t k = 0; k < 4; k++) {
                uint32_t neighbour = body->neighbours[i][k];
                if (neighbour == NEIGHBOUR_NONE) {
                    continue;
                }
                for (uint32_t j = 0; j < 4; j++) {
                    uint32_t vertex = body->tetrahedra[i][j];
                    const uint32_t *n = body->tetrahedra[neighbour];
                    assert_int_equal(vertex == n[0] || vertex == n[1] || vertex == n[2] || vertex == n[3], j != k);
                }
            }
        }
        body_destroy(body);
    }
}

static void a_mirrored_body_of_all_kinds_is_all_negative_and_consistent(void **state)
{
    (void)state;
    struct body *body = make_mixed_body(false, true);
    dent_body_metrics measure;
    body_measure(body, mixed_xyz, &measure);
    assert_true(measure.mirrored);
    assert_int_equal(measure.inverted_cells, 0);
    assert_true(body->topology.surface_closed);
    body_destroy(body);
}

static void a_torus_is_closed_with_euler_characteristic_zero(void **state)
{
    (void)state;
    struct test_mesh mesh = make_torus(7, 5);
    dent_body_def def = surface_def_of(&mesh, "torus");
    struct body *body = make_body_of(context, &def);
    assert_int_equal(body->topology.kind, DENT_BODY_SURFACE);
    assert_int_equal(body->topology.surface_face_count, 70);
    assert_int_equal(body->topology.tetrahedron_count, 0);
    assert_int_equal(body->topology.edge_count, 105);
    assert_int_equal(surface_euler(body), 0);
    assert_true(body->topology.surface_closed);
    assert_int_equal(body->topology.boundary_edges, 0);
    assert_int_equal(body->topology.nonmanifold_edges, 0);
    assert_int_equal(body->topology.component_count, 1);
    assert_null(body->surface_face_tetrahedron);
    for (uint32_t i = 0; i < 70; i++) {
        assert_int_equal(body->surface_faces[i].cell, i);
        assert_memory_equal(body->surface_faces[i].corners, mesh.corners + 3 * i, 3 * sizeof(uint32_t));
    }
    /* One triangle turned over: still without boundary, no longer consistent. */
    uint32_t old = mesh.corners[30];
    mesh.corners[30] = mesh.corners[31];
    mesh.corners[31] = old;
    struct body *rotated = make_body_of(context, &def);
    assert_int_equal(rotated->topology.boundary_edges, 0);
    assert_false(rotated->topology.surface_closed);
    /* One triangle left out: a hole of three edges. */
    def.element_count--;
    mesh.corners[31] = mesh.corners[30];
    mesh.corners[30] = old;
    struct body *open = make_body_of(context, &def);
    assert_int_equal(open->topology.boundary_edges, 3);
    assert_false(open->topology.surface_closed);
    body_destroy(body);
    body_destroy(rotated);
    body_destroy(open);
    free_mesh(&mesh);
}

static void a_moebius_strip_has_one_boundary_and_no_consistent_orientation(void **state)
{
    (void)state;
    struct test_mesh mesh = make_moebius_strip(6);
    dent_body_def def = surface_def_of(&mesh, "strip");
    struct body *body = make_body_of(context, &def);
    assert_int_equal(surface_euler(body), 0);
    assert_int_equal(body->topology.boundary_edges, 12);
    assert_int_equal(body->topology.nonmanifold_edges, 0);
    assert_false(body->topology.surface_closed);
    body_destroy(body);
    free_mesh(&mesh);
}

static void three_tetrahedra_at_one_face_are_counted_and_nobodys_neighbours(void **state)
{
    (void)state;
    const uint32_t corners[16] = {6, 7, 8, 9, 0, 1, 2, 3, 0, 2, 1, 4, 0, 1, 2, 5};
    struct body *body = make_tetrahedra(10, 4, corners);
    assert_int_equal(body->topology.nonmanifold_faces, 1);
    assert_int_equal(body->topology.first_nonmanifold_element, 1);
    assert_int_equal(body->neighbours[1][3], NEIGHBOUR_NONMANIFOLD);
    assert_int_equal(body->neighbours[2][3], NEIGHBOUR_NONMANIFOLD);
    assert_int_equal(body->neighbours[3][3], NEIGHBOUR_NONMANIFOLD);
    assert_int_equal(body->surface_face_count, 4 + 9);
    assert_int_equal(body->topology.nonmanifold_edges, 3);
    assert_int_equal(body->topology.component_count, 2);
    body_destroy(body);
}

static void a_fan_of_three_triangles_has_one_nonmanifold_edge(void **state)
{
    (void)state;
    const uint32_t corners[12] = {5, 6, 7, 0, 1, 2, 1, 0, 3, 0, 1, 4};
    struct body *body = make_triangles(8, 4, corners);
    assert_int_equal(body->topology.nonmanifold_edges, 1);
    assert_int_equal(body->topology.boundary_edges, 9);
    assert_int_equal(body->topology.first_nonmanifold_element, 1);
    assert_int_equal(body->topology.nonmanifold_faces, 0);
    body_destroy(body);
}

static void duplicates_are_counted_in_any_order_of_corners(void **state)
{
    (void)state;
    const uint32_t corners[20] = {0, 1, 2, 3, 1, 2, 3, 4, 3, 2, 1, 0, 0, 2, 1, 3, 4, 3, 2, 1};
    struct body *body = make_tetrahedra(5, 5, corners);
    assert_int_equal(body->topology.duplicate_elements, 3);
    assert_int_equal(body->topology.first_duplicate_element, 2);
    body_destroy(body);
    const uint32_t triangles[9] = {4, 3, 2, 0, 1, 2, 2, 4, 3};
    body = make_triangles(5, 3, triangles);
    assert_int_equal(body->topology.duplicate_elements, 1);
    assert_int_equal(body->topology.first_duplicate_element, 2);
    body_destroy(body);
}

static void unused_vertices_are_counted_and_belong_to_no_component(void **state)
{
    (void)state;
    const uint32_t corners[8] = {1, 2, 4, 5, 8, 9, 6, 7};
    struct body *body = make_tetrahedra(12, 2, corners);
    assert_int_equal(body->topology.unused_vertices, 4);
    assert_int_equal(body->topology.first_unused_vertex, 0);
    assert_int_equal(body->topology.component_count, 2);
    assert_int_equal(body->vertex_component[0], UINT32_MAX);
    assert_int_equal(body->vertex_component[1], 0);
    assert_int_equal(body->vertex_component[9], 1);
    assert_int_equal(body->vertex_component[11], UINT32_MAX);
    body_destroy(body);
}

static void empty_bodies_are_bodies(void **state)
{
    (void)state;
    struct body *body = make_tetrahedra(0, 0, NULL);
    assert_int_equal(body->topology.surface_face_count, 0);
    assert_int_equal(body->topology.component_count, 0);
    body_destroy(body);
    body = make_triangles(3, 0, NULL);
    assert_int_equal(body->topology.unused_vertices, 3);
    assert_int_equal(body->topology.edge_count, 0);
    body_destroy(body);
}

static void a_hub_of_many_cells_does_not_make_it_quadratic(void **state)
{
    (void)state;
    /* 100,000 tetrahedra round one edge: every bucket but one is nearly empty. A quadratic sort would take minutes. */
    enum { COUNT = 100000 };
    uint32_t *corners = malloc(COUNT * 4 * sizeof *corners);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t scattered = (uint32_t)((uint64_t)i * 77773 % COUNT);
        uint32_t cell[4] = {0, 1, 2 + scattered, 2 + (scattered + 1) % COUNT};
        memcpy(corners + (size_t)i * 4, cell, sizeof cell);
    }
    struct body *body = make_tetrahedra(COUNT + 2, COUNT, corners);
    assert_int_equal(body->surface_face_count, 2 * COUNT);
    assert_int_equal(body->edge_count, 1 + 3 * COUNT);
    assert_true(body->topology.surface_closed);
    assert_int_equal(surface_euler(body), 2);
    body_destroy(body);
    free(corners);
}

static void many_equal_cells_are_counted_without_comparing_all_pairs(void **state)
{
    (void)state;
    enum { COUNT = 200000 };
    uint32_t *corners = malloc(COUNT * 4 * sizeof *corners);
    for (uint32_t i = 0; i < COUNT * 4; i++) {
        corners[i] = (i + i / 4) % 4;
    }
    struct body *body = make_tetrahedra(4, COUNT, corners);
    assert_int_equal(body->topology.duplicate_elements, COUNT - 1);
    assert_int_equal(body->topology.first_duplicate_element, 1);
    assert_int_equal(body->topology.nonmanifold_faces, 4);
    body_destroy(body);
    free(corners);
}

static void many_cells_at_one_face_are_sorted_before_they_are_compared(void **state)
{
    (void)state;
    /* Every cell has the face 0-1-2; every fourth vertex comes twice. Comparing all pairs would take minutes. */
    enum { COUNT = 100000 };
    uint32_t *corners = malloc(COUNT * 4 * sizeof *corners);
    for (uint32_t i = 0; i < COUNT; i++) {
        uint32_t scattered = (uint32_t)((uint64_t)i * 77773 % COUNT);
        uint32_t cell[4] = {3 + (scattered % 4 == 1 ? scattered - 1 : scattered), 1, 0, 2};
        memcpy(corners + (size_t)i * 4, cell, sizeof cell);
    }
    struct body *body = make_tetrahedra(COUNT + 3, COUNT, corners);
    assert_int_equal(body->topology.duplicate_elements, COUNT / 4);
    assert_int_equal(body->topology.unused_vertices, COUNT / 4);
    assert_int_equal(body->topology.nonmanifold_faces, 1);
    body_destroy(body);
    free(corners);
}

static void cells_of_different_kinds_are_not_duplicates_whatever_they_share(void **state)
{
    (void)state;
    const uint32_t corners[4 + 5 + 5 + 6 + 6] = {0, 1, 2, 3, 0, 1, 2, 3, 4, 3, 2, 1, 0,
                                                 4, 0, 1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 0};
    const uint8_t kinds[5] = {DENT_CELL_TETRAHEDRON, DENT_CELL_PYRAMID, DENT_CELL_PYRAMID, DENT_CELL_WEDGE,
                              DENT_CELL_WEDGE};
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = 6;
    def.element_count = 5;
    def.element_corners = corners;
    def.cell_kinds = kinds;
    struct body *body = make_body_of(context, &def);
    assert_int_equal(body->topology.duplicate_elements, 2);
    assert_int_equal(body->topology.first_duplicate_element, 2);
    body_destroy(body);
}

/* ---- against a plain computation --------------------------------------------------------------------------------- */

static bool contains(const uint32_t *set, uint32_t count, uint32_t vertex)
{
    for (uint32_t i = 0; i < count; i++) {
        if (set[i] == vertex) {
            return true;
        }
    }
    return false;
}

static bool same_set(const uint32_t *a, const uint32_t *b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!contains(b, count, a[i])) {
            return false;
        }
    }
    return true;
}

static void plain_face(const uint32_t *tetrahedron, uint32_t corner, uint32_t face[3])
{
    for (uint32_t i = 0, n = 0; i < 4; i++) {
        if (i != corner) {
            face[n++] = tetrahedron[i];
        }
    }
}

static void compare_faces(const struct body *body)
{
    uint32_t surface = 0, nonmanifold_users = 0;
    for (uint32_t t = 0; t < body->tetrahedron_count; t++) {
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t face[3], other[3], sharing = 0, last = 0;
            plain_face(body->tetrahedra[t], k, face);
            for (uint32_t u = 0; u < body->tetrahedron_count; u++) {
                for (uint32_t l = 0; l < 4; l++) {
                    plain_face(body->tetrahedra[u], l, other);
                    if (!(u == t && l == k) && same_set(face, other, 3)) {
                        sharing++;
                        last = u;
                    }
                }
            }
            uint32_t expected = sharing == 0 ? NEIGHBOUR_NONE : sharing == 1 ? last : NEIGHBOUR_NONMANIFOLD;
            assert_int_equal(body->neighbours[t][k], expected);
            nonmanifold_users += sharing > 1;
            if (sharing == 0) {
                assert_int_equal(body->surface_faces[surface].cell, t);
                assert_int_equal(body->surface_faces[surface].corner, k);
                assert_true(same_set(body->surface_faces[surface].corners, face, 3));
                surface++;
            }
        }
    }
    assert_int_equal(surface, body->surface_face_count);
    assert_int_equal(nonmanifold_users > 0, body->topology.nonmanifold_faces > 0);
}

static void compare_edges(const struct body *body)
{
    uint32_t per_element = body->kind == DENT_BODY_SOLID ? 4 : 3, edges = 0, boundary = 0, nonmanifold = 0;
    bool closed = true;
    for (uint32_t a = 0; a < body->vertex_count; a++) {
        for (uint32_t b = a + 1; b < body->vertex_count; b++) {
            bool exists = false;
            for (uint32_t e = 0; e < body->element_count && !exists; e++) {
                const uint32_t *corners = body->element_corners + e * per_element;
                exists = contains(corners, per_element, a) && contains(corners, per_element, b);
            }
            if (!exists) {
                continue;
            }
            assert_int_equal(body->edges[edges].v0, a);
            assert_int_equal(body->edges[edges].v1, b);
            int forward = 0, backward = 0;
            for (uint32_t f = 0; f < body->surface_face_count; f++) {
                for (uint32_t i = 0; i < 3; i++) {
                    uint32_t from = body->surface_faces[f].corners[i], to = body->surface_faces[f].corners[(i + 1) % 3];
                    forward += from == a && to == b;
                    backward += from == b && to == a;
                }
            }
            assert_int_equal(body->edge_is_surface[edges], forward + backward > 0);
            boundary += forward + backward == 1;
            nonmanifold += forward + backward > 2;
            closed = closed && forward == backward;
            edges++;
        }
    }
    assert_int_equal(edges, body->edge_count);
    assert_int_equal(boundary, body->topology.boundary_edges);
    assert_int_equal(nonmanifold, body->topology.nonmanifold_edges);
    assert_int_equal(closed, body->topology.surface_closed);
}

static void compare_elements(const struct body *body)
{
    uint32_t per_element = body->kind == DENT_BODY_SOLID ? 4 : 3, duplicates = 0, first = UINT32_MAX;
    for (uint32_t e = 0; e < body->element_count; e++) {
        bool duplicate = false;
        for (uint32_t d = 0; d < e && !duplicate; d++) {
            duplicate =
                same_set(body->element_corners + e * per_element, body->element_corners + d * per_element, per_element);
        }
        duplicates += duplicate;
        first = duplicate && first == UINT32_MAX ? e : first;
    }
    assert_int_equal(duplicates, body->topology.duplicate_elements);
    assert_int_equal(first, body->topology.first_duplicate_element);
    /* Components: labels spread until nothing changes. */
    uint32_t label[64], components = 0;
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        label[v] = v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint64_t i = 0; i < body->corner_count; i++) {
            uint32_t a = body->element_corners[i], b = body->element_corners[i - i % per_element];
            uint32_t low = label[a] < label[b] ? label[a] : label[b];
            changed = changed || label[a] != low || label[b] != low;
            label[a] = label[b] = low;
        }
    }
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        bool used = (body->vertex_use[v] & VERTEX_USED) != 0;
        components += used && label[v] == v;
        for (uint32_t w = 0; w < v && used; w++) {
            if (body->vertex_use[w] & VERTEX_USED) {
                assert_int_equal(label[v] == label[w], body->vertex_component[v] == body->vertex_component[w]);
            }
        }
    }
    assert_int_equal(components, body->topology.component_count);
}

static void random_soups_have_the_topology_of_a_plain_computation(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(11);
    for (int round = 0; round < 200; round++) {
        bool solid = round % 2 == 0;
        uint32_t per_element = solid ? 4 : 3, corners[60 * 4];
        uint32_t vertices = 4 + dent_random_below(&random, 40), count = 1 + dent_random_below(&random, 60);
        for (uint32_t e = 0; e < count; e++) {
            for (uint32_t i = 0; i < per_element; i++) {
                uint32_t *corner = &corners[e * per_element + i];
                do {
                    *corner = dent_random_below(&random, vertices);
                } while (contains(corners + e * per_element, i, *corner));
            }
        }
        struct body *body =
            solid ? make_tetrahedra(vertices, count, corners) : make_triangles(vertices, count, corners);
        if (solid) {
            compare_faces(body);
        }
        compare_edges(body);
        compare_elements(body);
        body_destroy(body);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_tetrahedron_has_four_outward_faces_named_by_their_corner),
        cmocka_unit_test(bars_of_cubes_are_closed_balls_however_they_are_cut),
        cmocka_unit_test(the_teschner_bar_and_slab_have_their_published_counts),
        cmocka_unit_test(hexahedra_conform_whatever_their_vertices_are_called),
        cmocka_unit_test(faces_of_split_cells_are_named_by_face_and_part_in_order),
        cmocka_unit_test(cells_of_all_kinds_conform_and_wedges_follow_their_neighbours),
        cmocka_unit_test(a_mirrored_body_of_all_kinds_is_all_negative_and_consistent),
        cmocka_unit_test(a_torus_is_closed_with_euler_characteristic_zero),
        cmocka_unit_test(a_moebius_strip_has_one_boundary_and_no_consistent_orientation),
        cmocka_unit_test(three_tetrahedra_at_one_face_are_counted_and_nobodys_neighbours),
        cmocka_unit_test(a_fan_of_three_triangles_has_one_nonmanifold_edge),
        cmocka_unit_test(duplicates_are_counted_in_any_order_of_corners),
        cmocka_unit_test(unused_vertices_are_counted_and_belong_to_no_component),
        cmocka_unit_test(empty_bodies_are_bodies),
        cmocka_unit_test(a_hub_of_many_cells_does_not_make_it_quadratic),
        cmocka_unit_test(many_equal_cells_are_counted_without_comparing_all_pairs),
        cmocka_unit_test(many_cells_at_one_face_are_sorted_before_they_are_compared),
        cmocka_unit_test(cells_of_different_kinds_are_not_duplicates_whatever_they_share),
        cmocka_unit_test(random_soups_have_the_topology_of_a_plain_computation),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
