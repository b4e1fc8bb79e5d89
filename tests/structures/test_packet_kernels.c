/* Packet kernels: every instruction set finds the same hits in the same order, no answer is lost, and what is called
 * certain is an answer by the exact predicates. Points are doubles in [-1, 1]; the kernels see them rounded to float.
 * Elements of many sizes, on lattices (coplanar and touching by the dozen), nearly flat, and pushed off a plane by the
 * last bits of a double.
 */
#include "support/cmocka_includes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dent/dent.h>

#include "structures/grid/kernels/packet_kernels.h"
#include "geometry/predicates/tetrahedron_predicates.h"
#include "geometry/predicates/triangle_predicates.h"

enum { CELLS = PACKET_LANES, FACES = 40, POINTS = CELLS * 4 + FACES * 3, ROUNDS = 1500 };

struct case_data {
    double xyz[POINTS][3];
    struct point_record points[POINTS];
    uint32_t cells[CELLS][4];
    struct face_record faces[FACES];
    uint32_t face_corners[FACES][3];
};

static double coordinate(dent_random *random, int style, double size, double centre)
{
    switch (style) {
    case 0: /* anywhere */
        return centre + size * (dent_random_unit(random) - 0.5);
    case 1: /* a small lattice */
        return centre + size * (dent_random_below(random, 4) / 4.0 - 0.5);
    default: /* the same, moved by the last bits of a double or of a float */
        return (centre + size * (dent_random_below(random, 4) / 4.0 - 0.5)) *
               (1 + (dent_random_below(random, 3) - 1.0) * (dent_random_below(random, 2) ? 1e-16 : 3e-8));
    }
}

static void make_face(struct case_data *data, int f)
{
    struct face_record *face = &data->faces[f];
    float e[2][3];
    face->size = 0;
    for (int axis = 0; axis < 3; axis++) {
        face->lo[axis] = INFINITY;
        face->hi[axis] = -INFINITY;
        for (int k = 0; k < 3; k++) {
            float x = data->points[data->face_corners[f][k]].position[axis];
            face->corner[k][axis] = x;
            face->lo[axis] = x < face->lo[axis] ? x : face->lo[axis];
            face->hi[axis] = x > face->hi[axis] ? x : face->hi[axis];
            face->id[k] = data->face_corners[f][k];
        }
        face->size = face->hi[axis] - face->lo[axis] > face->size ? face->hi[axis] - face->lo[axis] : face->size;
        e[0][axis] = face->corner[1][axis] - face->corner[0][axis];
        e[1][axis] = face->corner[2][axis] - face->corner[0][axis];
    }
    face->offset = 0;
    for (int axis = 0; axis < 3; axis++) {
        int y = (axis + 1) % 3, z = (axis + 2) % 3;
        face->normal[axis] = e[0][y] * e[1][z] - e[0][z] * e[1][y];
        face->offset += face->normal[axis] * face->corner[0][axis];
    }
    face->error = PACKET_ERROR * face->size * (1 + face->size);
}

static void make_case(struct case_data *data, dent_random *random)
{
    int style = (int)dent_random_below(random, 3);
    double size = ldexp(1.0, -(int)dent_random_below(random, 18)), centre[3];
    for (int axis = 0; axis < 3; axis++) {
        centre[axis] = (2 * dent_random_unit(random) - 1) * (1 - size / 2);
        if (style) {
            centre[axis] = ldexp(floor(ldexp(centre[axis], 6)), -6);
        }
    }
    for (int p = 0; p < POINTS; p++) {
        for (int axis = 0; axis < 3; axis++) {
            double x = coordinate(random, style, size, centre[axis]);
            data->xyz[p][axis] = x < -1 ? -1 : x > 1 ? 1 : x;
            data->points[p].position[axis] = (float)data->xyz[p][axis];
        }
        data->points[p].id = (uint32_t)p;
    }
    /* Some corners are shared, so that the id tests have work. */
    for (int c = 0; c < CELLS; c++) {
        for (int k = 0; k < 4; k++) {
            data->cells[c][k] = (uint32_t)(c * 4 + k);
        }
        data->cells[c][dent_random_below(random, 4)] = dent_random_below(random, POINTS);
    }
    for (int f = 0; f < FACES; f++) {
        for (int k = 0; k < 3; k++) {
            data->face_corners[f][k] = (uint32_t)(CELLS * 4 + f * 3 + k);
        }
        data->face_corners[f][dent_random_below(random, 3)] = dent_random_below(random, POINTS);
        make_face(data, f);
    }
}

static bool shares(const uint32_t *a, int count_a, const uint32_t *b, int count_b)
{
    for (int i = 0; i < count_a; i++) {
        for (int j = 0; j < count_b; j++) {
            if (a[i] == b[j]) {
                return true;
            }
        }
    }
    return false;
}

static void corner_points(const struct case_data *data, const uint32_t *corners, int count, const double **points)
{
    for (int k = 0; k < count; k++) {
        points[k] = data->xyz[corners[k]];
    }
}

/* 0 no answer, 1 an answer with touching, 2 an answer. */
enum { VERTICES, CELL_FACES, FACE_FACES, KINDS };

/* Pairs that are never offered: they share a vertex, or come in the other order, too. */
static bool is_left_out(const struct case_data *data, int kind, uint32_t entry, uint32_t lane)
{
    if (kind == FACE_FACES) {
        return lane >= entry || shares(data->face_corners[entry], 3, data->face_corners[lane], 3);
    }
    return kind == VERTICES ? shares(&entry, 1, data->cells[lane], 4)
                            : shares(data->face_corners[entry], 3, data->cells[lane], 4);
}

static int truth(const struct case_data *data, int kind, uint32_t entry, uint32_t lane)
{
    predicate_counters counters = {0};
    const double *cell[4], *face[3], *other[3];
    if (is_left_out(data, kind, entry, lane)) {
        return 0;
    }
    corner_points(data, data->cells[lane], 4, cell);
    if (kind == VERTICES) {
        return (int)point_versus_tetrahedron(data->xyz[entry], cell[0], cell[1], cell[2], cell[3], &counters);
    }
    corner_points(data, data->face_corners[entry], 3, face);
    if (kind == CELL_FACES) {
        return (int)triangle_versus_tetrahedron(face, cell, &counters);
    }
    corner_points(data, data->face_corners[lane], 3, other);
    face_pair_kind relation = triangle_versus_triangle(other, face, &counters);
    return relation == FACE_PAIR_CROSSING ? 2 : relation != FACE_PAIR_NONE ? 1 : 0;
}

struct tally {
    uint64_t answers, hits, certain;
};

static void check_hits(const struct case_data *data, int kind, uint32_t entries, const uint32_t *hits, uint32_t count,
                       struct tally *tally)
{
    static unsigned char seen[POINTS][PACKET_LANES];
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t entry = hits[i] / 32, lane = hits[i] / 2 % PACKET_LANES;
        assert_int_equal(seen[entry][lane], 0);
        assert_false(is_left_out(data, kind, entry, lane));
        seen[entry][lane] = 1;
        if (hits[i] & 1) {
            assert_int_equal(truth(data, kind, entry, lane), 2);
            tally->certain++;
        }
    }
    tally->hits += count;
    for (uint32_t entry = 0; entry < entries; entry++) {
        for (uint32_t lane = 0; lane < PACKET_LANES; lane++) {
            if (!seen[entry][lane]) {
                assert_int_equal(truth(data, kind, entry, lane), 0);
            }
            tally->answers += truth(data, kind, entry, lane) == 2;
        }
    }
}

static uint32_t run_kernel(const struct packet_kernels *kernels, const struct case_data *data, int kind, uint32_t *hits)
{
    static struct packet packet;
    uint32_t list[POINTS];
    for (uint32_t i = 0; i < POINTS; i++) {
        list[i] = i;
    }
    if (kind == FACE_FACES) {
        kernels->prepare_faces(&packet, data->faces, list, PACKET_LANES, true);
        return kernels->match_faces(&packet, data->faces, list, FACES, hits);
    }
    kernels->prepare_cells(&packet, data->points, data->cells, CELLS, true);
    return kind == VERTICES ? kernels->match_points(&packet, data->points, list, POINTS, hits)
                            : kernels->match_cell_faces(&packet, data->faces, list, FACES, hits);
}

static const struct packet_kernels *kernels_of(int isa)
{
#if defined(__x86_64__)
    if (!dent_isa_available((dent_isa)isa)) {
        return NULL;
    }
    return isa == DENT_ISA_AVX512 ? &packet_kernels_avx512
           : isa == DENT_ISA_AVX2 ? &packet_kernels_avx2
                                  : &packet_kernels_scalar;
#else
    return isa == DENT_ISA_SCALAR ? &packet_kernels_scalar : NULL;
#endif
}

static void kernels_lose_no_answer_and_are_certain_only_of_answers(void **state)
{
    (void)state;
    static struct case_data data;
    static uint32_t hits[POINTS * PACKET_LANES], others[POINTS * PACKET_LANES];
    struct tally tally[KINDS] = {{0, 0, 0}};
    dent_random random = dent_random_seeded(7);
    for (int round = 0; round < ROUNDS; round++) {
        make_case(&data, &random);
        for (int kind = 0; kind < KINDS; kind++) {
            uint32_t count = run_kernel(&packet_kernels_scalar, &data, kind, hits);
            check_hits(&data, kind, kind == VERTICES ? POINTS : FACES, hits, count, &tally[kind]);
            for (int isa = DENT_ISA_AVX2; isa < DENT_ISA_COUNT; isa++) {
                const struct packet_kernels *kernels = kernels_of(isa);
                if (kernels) {
                    assert_int_equal(run_kernel(kernels, &data, kind, others), count);
                    assert_memory_equal(hits, others, count * sizeof *hits);
                }
            }
        }
    }
    static const char *const names[KINDS] = {"vertex-cell", "face-cell", "face-face"};
    for (int kind = 0; kind < KINDS; kind++) {
        printf("%-12s %8llu answers, %8llu hits, %8llu of them certain\n", names[kind],
               (unsigned long long)tally[kind].answers, (unsigned long long)tally[kind].hits,
               (unsigned long long)tally[kind].certain);
        assert_true(tally[kind].certain > tally[kind].answers / 4);
    }
}

static void a_row_scan_finds_what_a_loop_finds(void **state)
{
    (void)state;
    enum { ENTRIES = 300 };
    static float lo[3][ENTRIES], hi[3][ENTRIES];
    static int32_t row_y[ENTRIES], row_z[ENTRIES];
    static uint32_t number[ENTRIES], expected[ENTRIES + 16], found[ENTRIES + 16];
    dent_random random = dent_random_seeded(11);
    struct grid_columns columns = {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}, row_y, row_z, number};
    for (int round = 0; round < 400; round++) {
        for (int i = 0; i < ENTRIES; i++) {
            for (int axis = 0; axis < 3; axis++) {
                lo[axis][i] = (float)dent_random_below(&random, 8);
                hi[axis][i] = lo[axis][i] + (float)dent_random_below(&random, 3);
            }
            row_y[i] = (int32_t)dent_random_below(&random, 2);
            row_z[i] = (int32_t)dent_random_below(&random, 2);
            number[i] = dent_random_below(&random, 1000);
        }
        struct grid_window window = {{2, 2, 2}, {5, 4, 6}, 1, 0};
        uint32_t begin = dent_random_below(&random, 40), end = begin + dent_random_below(&random, ENTRIES - 40);
        for (int any_row = 0; any_row < 2; any_row++) {
            uint32_t count = 0;
            for (uint32_t i = begin; i < end; i++) {
                bool meets = any_row || (row_y[i] == 1 && row_z[i] == 0);
                for (int axis = 0; axis < 3; axis++) {
                    meets = meets && lo[axis][i] <= window.hi[axis] && hi[axis][i] >= window.lo[axis];
                }
                if (meets) {
                    expected[count++] = number[i];
                }
            }
            for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
                if (kernels_of(isa)) {
                    assert_int_equal(kernels_of(isa)->scan_row(&columns, begin, end, &window, any_row, found), count);
                    assert_memory_equal(found, expected, count * sizeof *found);
                }
            }
        }
    }
}

/* Boxes of the lanes, the box around them and the flat axes, by plain loops over the corners. */
static void check_packet(const struct packet *packet, const struct case_data *data, uint32_t count)
{
    float box_lo[3] = {INFINITY, INFINITY, INFINITY}, box_hi[3] = {-INFINITY, -INFINITY, -INFINITY};
    int32_t most_flat = 0;
    for (uint32_t lane = 0; lane < count; lane++) {
        int32_t flat = 0;
        float size = 0;
        for (int axis = 0; axis < 3; axis++) {
            float lo = INFINITY, hi = -INFINITY;
            for (int k = 0; k < 4; k++) {
                float x = data->points[data->cells[lane][k]].position[axis];
                lo = fminf(lo, x);
                hi = fmaxf(hi, x);
                assert_true(packet->corner[k][axis][lane] == x);
                assert_int_equal(packet->id[k][lane], data->cells[lane][k]);
            }
            assert_true(packet->lo[axis][lane] == lo && packet->hi[axis][lane] == hi);
            box_lo[axis] = fminf(box_lo[axis], lo);
            box_hi[axis] = fmaxf(box_hi[axis], hi);
            size = fmaxf(size, hi - lo);
            flat += lo == hi;
        }
        assert_true(packet->size[lane] == size);
        assert_int_equal(packet->flat[lane], flat);
        most_flat = flat > most_flat ? flat : most_flat;
    }
    for (int axis = 0; axis < 3; axis++) {
        assert_true(packet->box_lo[axis] == box_lo[axis] && packet->box_hi[axis] == box_hi[axis]);
        for (uint32_t lane = count; lane < PACKET_LANES; lane++) {
            assert_true(packet->lo[axis][lane] > packet->hi[axis][lane]);
        }
    }
    assert_int_equal(packet->most_flat, most_flat);
}

static void a_packet_has_the_boxes_of_its_cells(void **state)
{
    (void)state;
    static struct case_data data;
    static struct packet packet;
    dent_random random = dent_random_seeded(13);
    for (int round = 0; round < 300; round++) {
        make_case(&data, &random);
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            uint32_t count = 1 + dent_random_below(&random, CELLS);
            if (kernels_of(isa)) {
                kernels_of(isa)->prepare_cells(&packet, data.points, data.cells, count, true);
                check_packet(&packet, &data, count);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels_lose_no_answer_and_are_certain_only_of_answers),
                                       cmocka_unit_test(a_row_scan_finds_what_a_loop_finds),
                                       cmocka_unit_test(a_packet_has_the_boxes_of_its_cells)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
