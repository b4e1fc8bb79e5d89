/* Hexahedra, wedges and pyramids: the split is positive, fills the cell, and agrees with every neighbour. */
#include "support_bodies.h"

#include "bodies/cell_split.h"
#include "geometry/predicates/orientation_predicates.h"

#include <string.h>

static const double cube_xyz[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const double wedge_xyz[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}};
static const double pyramid_xyz[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}};

/* The faces again, written down independently of the splitter: VTK's face numbers, any order round the face. */
static const int cube_faces[6][4] = {{0, 3, 4, 7}, {1, 2, 5, 6}, {0, 1, 4, 5},
                                     {2, 3, 6, 7}, {0, 1, 2, 3}, {4, 5, 6, 7}};
static const int wedge_faces[5][4] = {{0, 1, 2, -1}, {3, 4, 5, -1}, {0, 1, 3, 4}, {1, 2, 4, 5}, {0, 2, 3, 5}};
static const int pyramid_faces[5][4] = {{0, 1, 2, 3}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {0, 3, 4, -1}};

struct shape {
    uint8_t kind;
    uint32_t corner_count, face_count;
    const double (*xyz)[3];
    const int (*faces)[4];
    int six_volumes; /* 6 * volume of the cell */
};

static const struct shape shapes[3] = {
    {DENT_CELL_HEXAHEDRON, 8, 6, cube_xyz, cube_faces, 6},
    {DENT_CELL_WEDGE, 6, 5, wedge_xyz, wedge_faces, 3},
    {DENT_CELL_PYRAMID, 5, 5, pyramid_xyz, pyramid_faces, 2},
};

/* Determinants of small integers are exact in doubles. */
static double six_volume(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    for (int i = 0; i < 3; i++) {
        u[i] = b[i] - a[i];
        v[i] = c[i] - a[i];
        w[i] = d[i] - a[i];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

static uint32_t corner_of(const uint32_t *corners, uint32_t count, uint32_t vertex)
{
    uint32_t i = 0;
    while (i < count && corners[i] != vertex) {
        i++;
    }
    assert_true(i < count);
    return i;
}

static void check_volume(const struct shape *shape, const uint32_t *corners, uint32_t tetrahedra[][4], uint32_t count)
{
    double total = 0;
    for (uint32_t t = 0; t < count; t++) {
        const double *p[4];
        for (uint32_t k = 0; k < 4; k++) {
            p[k] = shape->xyz[corner_of(corners, shape->corner_count, tetrahedra[t][k])];
        }
        assert_int_equal(orientation_3d(p[0], p[1], p[2], p[3]), 1);
        total += six_volume(p[0], p[1], p[2], p[3]);
    }
    assert_true(total == shape->six_volumes);
}

static int occurrences(uint32_t tetrahedra[][4], uint32_t count, const uint32_t triangle[3])
{
    int found = 0;
    for (uint32_t t = 0; t < count; t++) {
        int shared = 0;
        for (uint32_t k = 0; k < 4; k++) {
            shared +=
                tetrahedra[t][k] == triangle[0] || tetrahedra[t][k] == triangle[1] || tetrahedra[t][k] == triangle[2];
        }
        found += shared == 3;
    }
    return found;
}

/* Every triangle of the split is inside (twice) or on a face (once); on a quadrilateral it contains the smallest vertex
 * of it. */
static void check_triangle(const struct shape *shape, const uint32_t *corners, uint32_t tetrahedra[][4], uint32_t count,
                           const uint32_t triangle[3], int triangles_of_face[6][2])
{
    int face = -1;
    uint32_t smallest = UINT32_MAX;
    for (uint32_t f = 0; f < shape->face_count && face < 0; f++) {
        uint32_t inside = 0;
        smallest = UINT32_MAX;
        for (uint32_t i = 0; i < 4 && shape->faces[f][i] >= 0; i++) {
            uint32_t vertex = corners[shape->faces[f][i]];
            inside += vertex == triangle[0] || vertex == triangle[1] || vertex == triangle[2];
            smallest = vertex < smallest ? vertex : smallest;
        }
        face = inside == 3 ? (int)f : -1;
    }
    uint8_t named_face = 99, named_part = 99;
    assert_int_equal(cell_name_face(shape->kind, corners, triangle, &named_face, &named_part), face >= 0);
    assert_int_equal(occurrences(tetrahedra, count, triangle), face >= 0 ? 1 : 2);
    if (face >= 0) {
        assert_true(triangle[0] == smallest || triangle[1] == smallest || triangle[2] == smallest);
        assert_int_equal(named_face, face);
        assert_true(named_part < 2);
        triangles_of_face[face][named_part]++;
    }
}

static void check_split(const struct shape *shape, const uint32_t *corners, uint32_t counts[7])
{
    uint32_t tetrahedra[CELL_MAX_TETRAHEDRA][4];
    uint32_t count = cell_split(shape->kind, corners, tetrahedra);
    int triangles_of_face[6][2] = {{0}};
    assert_int_equal(count, cell_tetrahedron_count(shape->kind, corners));
    counts[count]++;
    check_volume(shape, corners, tetrahedra, count);
    for (uint32_t t = 0; t < count; t++) {
        for (uint32_t k = 0; k < 4; k++) {
            uint32_t triangle[3] = {tetrahedra[t][(k + 1) % 4], tetrahedra[t][(k + 2) % 4], tetrahedra[t][(k + 3) % 4]};
            check_triangle(shape, corners, tetrahedra, count, triangle, triangles_of_face);
        }
    }
    for (uint32_t f = 0; f < shape->face_count; f++) {
        assert_int_equal(triangles_of_face[f][0], 1);
        assert_int_equal(triangles_of_face[f][1], shape->faces[f][3] >= 0 ? 1 : 0);
    }
}

/* All orders of the vertex numbers, one after the other (Heap's way of swapping). */
static void check_all_numberings(const struct shape *shape, uint32_t counts[7])
{
    uint32_t corners[8] = {10, 11, 12, 13, 14, 15, 16, 17}, wheel[8] = {0};
    check_split(shape, corners, counts);
    for (uint32_t i = 1; i < shape->corner_count;) {
        if (wheel[i] < i) {
            uint32_t j = i % 2 ? wheel[i] : 0, old = corners[i];
            corners[i] = corners[j];
            corners[j] = old;
            check_split(shape, corners, counts);
            wheel[i]++;
            i = 1;
        } else {
            wheel[i++] = 0;
        }
    }
}

static void every_numbering_of_a_cube_splits_into_5_or_6_positive_tetrahedra_that_fill_it(void **state)
{
    (void)state;
    uint32_t counts[7] = {0};
    check_all_numberings(&shapes[0], counts);
    assert_int_equal(counts[5] + counts[6], 40320);
    /* Each far face is cut past the opposite corner for half of the numberings; the three are not independent. */
    assert_true(counts[5] > 40320 / 16);
    assert_true(counts[6] > 40320 / 2);
}

static void every_numbering_of_a_wedge_splits_into_3_positive_tetrahedra_that_fill_it(void **state)
{
    (void)state;
    uint32_t counts[7] = {0};
    check_all_numberings(&shapes[1], counts);
    assert_int_equal(counts[3], 720);
}

static void every_numbering_of_a_pyramid_splits_into_2_positive_tetrahedra_that_fill_it(void **state)
{
    (void)state;
    uint32_t counts[7] = {0};
    check_all_numberings(&shapes[2], counts);
    assert_int_equal(counts[2], 120);
}

static void a_tetrahedron_is_itself(void **state)
{
    (void)state;
    uint32_t corners[4] = {9, 3, 7, 1}, tetrahedra[CELL_MAX_TETRAHEDRA][4];
    assert_int_equal(cell_split(DENT_CELL_TETRAHEDRON, corners, tetrahedra), 1);
    assert_memory_equal(tetrahedra[0], corners, sizeof corners);
    assert_int_equal(cell_tetrahedron_count(DENT_CELL_TETRAHEDRON, corners), 1);
}

static void corner_counts_are_known_for_known_kinds_only(void **state)
{
    (void)state;
    assert_int_equal(cell_corner_count(DENT_CELL_TETRAHEDRON), 4);
    assert_int_equal(cell_corner_count(DENT_CELL_HEXAHEDRON), 8);
    assert_int_equal(cell_corner_count(DENT_CELL_WEDGE), 6);
    assert_int_equal(cell_corner_count(DENT_CELL_PYRAMID), 5);
    assert_int_equal(cell_corner_count(DENT_CELL_KIND_COUNT), 0);
    assert_int_equal(cell_corner_count(255), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_numbering_of_a_cube_splits_into_5_or_6_positive_tetrahedra_that_fill_it),
        cmocka_unit_test(every_numbering_of_a_wedge_splits_into_3_positive_tetrahedra_that_fill_it),
        cmocka_unit_test(every_numbering_of_a_pyramid_splits_into_2_positive_tetrahedra_that_fill_it),
        cmocka_unit_test(a_tetrahedron_is_itself),
        cmocka_unit_test(corner_counts_are_known_for_known_kinds_only),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
