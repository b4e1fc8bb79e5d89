/* Inside, outside or on: both methods against the exact winding number over all triangles, on surfaces of many kinds. */
#include "support/cmocka_includes.h"

#include "geometry/impact/impact_test.h"
#include "geometry/predicates/winding_number.h"
#include "support/failing_allocator.h"
#include "support/random_surface.h"
#include "support/test_context.h"

#include <dent/inside.h>

#include <float.h>
#include <math.h>

enum { FACES_MOST = 4096, POINTS_MOST = 4096 };

struct closed_mesh {
    double xyz[FACES_MOST][3];
    uint32_t faces[FACES_MOST][3];
    uint32_t vertex_count, face_count;
};

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static void put_face(struct closed_mesh *mesh, uint32_t a, uint32_t b, uint32_t c)
{
    assert_true(mesh->face_count < FACES_MOST);
    mesh->faces[mesh->face_count][0] = a;
    mesh->faces[mesh->face_count][1] = b;
    mesh->faces[mesh->face_count++][2] = c;
}

enum closing {
    AS_IT_IS,  /* if it is closed */
    DOUBLED,   /* each triangle once more, turned around: nothing is inside */
    CONED,     /* each triangle is a side of a tetrahedron with a common apex: numbers of all sizes */
    CONED_FAR, /* the apex is another vertex for each */
    CLOSING_COUNT
};

/* A closed surface made of a random one. */
static void make_mesh(int kind, enum closing closing, uint64_t seed, struct closed_mesh *mesh)
{
    struct test_body body = random_surface_make((enum random_surface_kind)kind, seed, 60);
    dent_random random = dent_random_seeded(seed * 31 + (uint64_t)kind);
    memset(mesh, 0, sizeof *mesh);
    mesh->vertex_count = body.vertex_count;
    memcpy(mesh->xyz, body.xyz, body.vertex_count * sizeof *mesh->xyz);
    uint32_t apex = dent_random_below(&random, body.vertex_count);
    for (uint32_t i = 0; i < body.element_count && i < 200; i++) {
        const uint32_t *v = body.corners + 3 * i;
        put_face(mesh, v[0], v[1], v[2]);
        if (closing == DOUBLED) {
            put_face(mesh, v[0], v[2], v[1]);
        } else if (closing != AS_IT_IS) {
            apex = closing == CONED ? apex : dent_random_below(&random, body.vertex_count);
            for (int k = 0; k < 3; k++) {
                put_face(mesh, v[(k + 1) % 3], v[k], apex);
            }
        }
    }
    random_surface_free(&body);
}

/* A grid of quads around an axis, closed at both ends: a ball, or a long tube along x. */
static void make_ball(struct closed_mesh *mesh, uint32_t rings, uint32_t sides, double length)
{
    memset(mesh, 0, sizeof *mesh);
    for (uint32_t ring = 0; ring <= rings; ring++) {
        double x = cos(3.14159265358979 * ring / rings), r = sqrt(fmax(0.0, 1.0 - x * x));
        r = length > 2.0 && ring > 0 && ring < rings ? 1.0 : r;
        for (uint32_t side = 0; side < (ring == 0 || ring == rings ? 1 : sides); side++) {
            double angle = 6.28318530717959 * side / sides;
            double *p = mesh->xyz[mesh->vertex_count++];
            p[0] = x * length / 2.0;
            p[1] = r * cos(angle);
            p[2] = r * sin(angle);
        }
    }
    uint32_t last = mesh->vertex_count - 1;
    for (uint32_t side = 0; side < sides; side++) {
        uint32_t next = (side + 1) % sides;
        put_face(mesh, 0, 1 + side, 1 + next);
        put_face(mesh, last, last - sides + next, last - sides + side);
        for (uint32_t ring = 1; ring + 1 < rings; ring++) {
            uint32_t a = 1 + (ring - 1) * sides, b = a + sides;
            put_face(mesh, a + side, b + side, b + next);
            put_face(mesh, a + side, b + next, a + next);
        }
    }
}

/* Points anywhere, on vertices, in the middle of edges and faces, in line with vertices, and outside. */
static uint32_t make_points(const struct closed_mesh *mesh, uint64_t seed, uint32_t count, double (*points)[3])
{
    dent_random random = dent_random_seeded(seed);
    double low[3] = {0}, high[3] = {0};
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = v == 0 ? mesh->xyz[v][axis] : fmin(low[axis], mesh->xyz[v][axis]);
            high[axis] = v == 0 ? mesh->xyz[v][axis] : fmax(high[axis], mesh->xyz[v][axis]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *face = mesh->faces[dent_random_below(&random, mesh->face_count)];
        const double *a = mesh->xyz[face[0]], *b = mesh->xyz[face[1]], *c = mesh->xyz[face[2]];
        double u = dent_random_unit(&random), v = dent_random_unit(&random) * (1.0 - u);
        uint32_t kind = i < mesh->vertex_count ? 1 : dent_random_below(&random, 8);
        for (int axis = 0; axis < 3; axis++) {
            double any = low[axis] + (high[axis] - low[axis]) * dent_random_unit(&random);
            switch (kind) {
            case 1: points[i][axis] = mesh->xyz[i < mesh->vertex_count ? i : face[0]][axis]; break;
            case 2: points[i][axis] = 0.5 * a[axis] + 0.5 * b[axis]; break;
            case 3: points[i][axis] = a[axis] + u * (b[axis] - a[axis]) + v * (c[axis] - a[axis]); break;
            case 4: points[i][axis] = axis == (int)(i % 3) ? any : a[axis]; break;
            case 5: points[i][axis] = axis == (int)(i % 3) ? b[axis] : any; break;
            case 6: points[i][axis] = 0.25 * a[axis] + 0.25 * b[axis] + 0.5 * c[axis]; break;
            case 7: points[i][axis] = low[axis] + 1.2 * (any - low[axis]); break;
            default: points[i][axis] = any; break;
            }
            points[i][axis] = isfinite(points[i][axis]) ? points[i][axis] : a[axis];
        }
    }
    return count;
}

/* ---- the comparison ---------------------------------------------------------------------------------------------- */

static dent_inside *open_inside(dent_context *context, const struct closed_mesh *mesh, dent_inside_method method)
{
    dent_inside_def def = dent_inside_def_default();
    dent_inside *inside = NULL;
    def.positions = dent_positions_double(mesh->xyz[0]);
    def.vertex_count = mesh->vertex_count;
    def.triangles = mesh->faces[0];
    def.triangle_count = mesh->face_count;
    def.method = method;
    dent_status status = dent_inside_create(context, &def, &inside);
    return status == DENT_OK ? inside : NULL;
}

struct tally {
    uint64_t places[3], meshes, open_leaves, leaves;
};

static void compare_with_oracle(dent_context *context, const struct closed_mesh *mesh, const double (*points)[3],
                                uint32_t count, const char *what, uint64_t seed, struct tally *tally)
{
    static uint8_t expected[POINTS_MOST], places[POINTS_MOST];
    static int32_t numbers[POINTS_MOST], expected_numbers[POINTS_MOST];
    for (uint32_t i = 0; i < count; i++) {
        predicate_counters counters = {0};
        bool on;
        expected_numbers[i] = winding_number(points[i], (const double(*)[3])mesh->xyz, (const uint32_t(*)[3])mesh->faces,
                                             mesh->face_count, &counters, &on);
        expected[i] = on ? DENT_PLACE_ON : expected_numbers[i] ? DENT_PLACE_IN : DENT_PLACE_OUT;
        tally->places[expected[i]]++;
    }
    tally->meshes++;
    for (int method = DENT_INSIDE_BSP; method <= DENT_INSIDE_WINDING; method++) {
        dent_inside *inside = open_inside(context, mesh, (dent_inside_method)method);
        assert_non_null(inside);
        assert_int_equal(dent_inside_classify(inside, dent_positions_double(points[0]), count, places), DENT_OK);
        for (uint32_t i = 0; i < count; i++) {
            if (places[i] != expected[i]) {
                fail_msg("%s, seed %llu, %s: point %u (%.17g %.17g %.17g) is %s, not %s", what, (unsigned long long)seed,
                         dent_inside_method_name((dent_inside_method)method), i, points[i][0], points[i][1], points[i][2],
                         dent_place_name((dent_place)places[i]), dent_place_name((dent_place)expected[i]));
            }
        }
        assert_int_equal(dent_inside_winding(inside, dent_positions_double(points[0]), count, numbers), DENT_OK);
        assert_memory_equal(numbers, expected_numbers, count * sizeof *numbers);
        dent_inside_info info;
        assert_int_equal(dent_inside_get_info(inside, &info), DENT_OK);
        tally->open_leaves += info.bsp_open_leaves;
        tally->leaves += info.bsp_leaves;
        dent_inside_destroy(inside);
    }
}

static void both_methods_equal_the_winding_number(void **state)
{
    static struct closed_mesh mesh;
    static double points[POINTS_MOST][3];
    struct tally tally = {{0}, 0, 0, 0};
    uint32_t rounds = test_rounds(1);
    for (uint64_t seed = 0; seed < rounds; seed++) {
        for (int kind = 0; kind < SURFACE_KIND_COUNT; kind++) {
            for (int closing = 0; closing < CLOSING_COUNT; closing++) {
                make_mesh(kind, (enum closing)closing, seed, &mesh);
                dent_inside *inside = open_inside(*state, &mesh, DENT_INSIDE_WINDING);
                if (!inside) {
                    assert_int_equal(closing, AS_IT_IS);
                    continue;
                }
                dent_inside_destroy(inside);
                uint32_t count = make_points(&mesh, seed, mesh.vertex_count + 200, points);
                compare_with_oracle(*state, &mesh, (const double(*)[3])points, count, random_surface_name(kind), seed,
                                    &tally);
            }
        }
    }
    print_message("%llu surfaces; points out %llu, in %llu, on %llu; %llu of %llu leaves open\n",
                  (unsigned long long)tally.meshes, (unsigned long long)tally.places[0],
                  (unsigned long long)tally.places[1], (unsigned long long)tally.places[2],
                  (unsigned long long)tally.open_leaves, (unsigned long long)tally.leaves);
    assert_true(tally.places[0] > tally.meshes && tally.places[1] > tally.meshes && tally.places[2] > tally.meshes);
}

static void every_exponent_is_decided(void **state)
{
    static struct closed_mesh mesh;
    static double points[POINTS_MOST][3];
    struct tally tally = {{0}, 0, 0, 0};
    for (uint64_t seed = 0; seed < test_rounds(30); seed++) {
        dent_random random = dent_random_seeded(seed);
        make_ball(&mesh, 3 + dent_random_below(&random, 3), 3 + dent_random_below(&random, 4), 2.0);
        int spread = (int)dent_random_below(&random, 3), common = (int)dent_random_below(&random, 2090) - 1070;
        for (uint32_t v = 0; v < mesh.vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                int own = spread == 2 ? (int)dent_random_below(&random, 2090) - 1070
                          : spread   ? common + (int)dent_random_below(&random, 60) - 30
                                     : common;
                double x = ldexp(mesh.xyz[v][axis], own > 1022 ? 1022 : own);
                mesh.xyz[v][axis] = isfinite(x) ? x : DBL_MAX;
            }
        }
        uint32_t count = make_points(&mesh, seed, mesh.vertex_count + 60, points);
        compare_with_oracle(*state, &mesh, (const double(*)[3])points, count, "exponents", seed, &tally);
    }
    assert_true(tally.places[1] > test_rounds(30) && tally.places[2] > test_rounds(30));
}

static void balls_and_tubes_have_their_inside(void **state)
{
    static struct closed_mesh mesh;
    static double points[POINTS_MOST][3];
    struct tally tally = {{0}, 0, 0, 0};
    for (int k = 0; k < 3; k++) {
        make_ball(&mesh, k == 2 ? 60 : 16, k == 2 ? 8 : 24, k == 1 ? 2.0 : k == 2 ? 400.0 : 1.0);
        uint32_t count = make_points(&mesh, (uint64_t)k, 2000, points);
        compare_with_oracle(*state, &mesh, (const double(*)[3])points, count, "ball", (uint64_t)k, &tally);
    }
    assert_true(tally.places[0] > 0 && tally.places[1] > 0 && tally.places[2] > 0);
}

/* One call for all takes other ways down the tree than calls for few. */
static uint32_t compare_calls(dent_context *context, const struct closed_mesh *mesh, const double (*points)[3], uint32_t count,
                              uint32_t few)
{
    uint8_t *together = malloc(count), *apart = malloc(count);
    int32_t *numbers = malloc(count * sizeof *numbers);
    uint32_t on = 0;
    assert_true(together && apart && numbers);
    for (int method = DENT_INSIDE_BSP; method <= DENT_INSIDE_WINDING; method++) {
        dent_inside *inside = open_inside(context, mesh, (dent_inside_method)method);
        assert_non_null(inside);
        assert_int_equal(dent_inside_classify(inside, dent_positions_double(points[0]), count, together), DENT_OK);
        for (uint32_t first = 0; first < count; first += few) {
            uint32_t left = count - first < few ? count - first : few;
            assert_int_equal(dent_inside_classify(inside, dent_positions_double(points[first]), left, apart + first), DENT_OK);
        }
        assert_memory_equal(together, apart, count);
        assert_int_equal(dent_inside_winding(inside, dent_positions_double(points[0]), count, numbers), DENT_OK);
        for (uint32_t i = 0; i < count; i++) {
            assert_true((numbers[i] != 0) == (together[i] == DENT_PLACE_IN));
        }
        dent_inside_destroy(inside);
    }
    for (uint32_t i = 0; i < count; i++) {
        on += together[i] == DENT_PLACE_ON;
    }
    free(numbers);
    free(together);
    free(apart);
    return on;
}

static void many_points_at_once_are_those_of_calls_for_few(void **state)
{
    static struct closed_mesh mesh;
    uint32_t most = (uint32_t)test_count(140000, 300000, 1000000), on = 0;
    double(*points)[3] = malloc(most * sizeof *points);
    assert_non_null(points);
    make_ball(&mesh, 12, 20, 2.0);
    assert_true(compare_calls(*state, &mesh, (const double(*)[3])points, make_points(&mesh, 3, most, points), 3000) > most / 16);
    for (int kind = 0; kind < SURFACE_KIND_COUNT; kind++) {
        make_mesh(kind, CONED, 5, &mesh);
        on += compare_calls(*state, &mesh, (const double(*)[3])points, make_points(&mesh, 4, 5000, points), 700);
    }
    assert_true(on > 1000);
    for (int k = 0; k < 4; k++) { /* widths that are subnormal, small, large, and infinite */
        static const int exponents[] = {-1066, -700, 900, 1023};
        make_ball(&mesh, 5, 7, 2.0);
        for (uint32_t v = 0; v < mesh.vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                double x = ldexp(mesh.xyz[v][axis], axis == k % 3 ? exponents[k] : 0);
                mesh.xyz[v][axis] = isfinite(x) ? x : copysign(DBL_MAX, x);
            }
        }
        on = compare_calls(*state, &mesh, (const double(*)[3])points, make_points(&mesh, 6, 5000, points), 700);
        assert_true(on > 0);
    }
    free(points);
}

static void threads_and_instruction_sets_give_the_same_places(void **state)
{
    (void)state;
    static struct closed_mesh mesh;
    static double points[POINTS_MOST][3];
    static uint8_t first[POINTS_MOST], places[POINTS_MOST];
    make_ball(&mesh, 8, 12, 2.0);
    uint32_t count = make_points(&mesh, 3, POINTS_MOST, points);
    bool some = false;
    for (uint32_t threads = 1; threads <= 7; threads += threads == 1 ? 1 : 5) {
        for (int isa = DENT_ISA_SCALAR; isa <= DENT_ISA_AVX512; isa++) {
            for (int method = 0; method < DENT_INSIDE_METHOD_COUNT && dent_isa_available((dent_isa)isa); method++) {
                dent_context *context = test_context(threads, (dent_isa)isa);
                dent_inside *inside = open_inside(context, &mesh, (dent_inside_method)method);
                for (int round = 0; round < 8; round++) { /* AUTO changes its method */
                    assert_int_equal(dent_inside_classify(inside, dent_positions_double(points[0]), count,
                                                          some ? places : first),
                                     DENT_OK);
                    if (some) {
                        assert_memory_equal(places, first, count);
                    }
                    some = true;
                }
                dent_inside_info info;
                assert_int_equal(dent_inside_get_info(inside, &info), DENT_OK);
                assert_int_equal(info.method, method ? method : DENT_INSIDE_BSP);
                dent_inside_destroy(inside);
                dent_context_destroy(context);
            }
        }
    }
}

static void floats_and_strides_are_read(void **state)
{
    static struct closed_mesh mesh;
    make_ball(&mesh, 6, 8, 2.0);
    float points[3][5] = {{0.0f, 0.0f, 0.0f, 9.0f, 9.0f}, {2.0f, 0.0f, 0.0f, 9.0f, 9.0f}, {1.0f, 0.0f, 0.0f, 9.0f, 9.0f}};
    uint8_t places[3];
    dent_positions positions = {points, sizeof points[0], DENT_SCALAR_FLOAT};
    dent_inside *inside = open_inside(*state, &mesh, DENT_INSIDE_AUTO);
    assert_int_equal(dent_inside_classify(inside, positions, 3, places), DENT_OK);
    assert_int_equal(places[0], DENT_PLACE_IN);
    assert_int_equal(places[1], DENT_PLACE_OUT);
    assert_int_equal(places[2], DENT_PLACE_ON);
    assert_int_equal(dent_inside_classify(inside, positions, 0, NULL), DENT_OK);
    dent_inside_destroy(inside);
}

/* The cells of the upper part fill the box, and the leaves are where they say. */
static void cells_fill_the_box(void **state)
{
    static struct closed_mesh mesh;
    make_ball(&mesh, 16, 24, 2.0);
    dent_inside *inside = open_inside(*state, &mesh, DENT_INSIDE_AUTO);
    const dent_inside_cell *cells;
    uint32_t count;
    assert_int_equal(dent_inside_cells(inside, &cells, &count), DENT_OK);
    double volume = 0.0, low[3] = {0}, high[3] = {0};
    for (uint32_t i = 0; i < count; i++) {
        double size = 1.0, middle[3];
        uint8_t place;
        for (int axis = 0; axis < 3; axis++) {
            size *= cells[i].high[axis] - cells[i].low[axis];
            middle[axis] = 0.5 * (cells[i].low[axis] + cells[i].high[axis]);
            low[axis] = fmin(low[axis], cells[i].low[axis]);
            high[axis] = fmax(high[axis], cells[i].high[axis]);
        }
        volume += size;
        assert_int_equal(dent_inside_classify(inside, dent_positions_double(middle), 1, &place), DENT_OK);
        assert_true(cells[i].triangle_count > 0 || cells[i].place == place);
    }
    double box = (high[0] - low[0]) * (high[1] - low[1]) * (high[2] - low[2]);
    assert_true(fabs(volume / box - 1.0) < 1e-10);
    dent_inside_destroy(inside);
}

/* ---- paths ------------------------------------------------------------------------------------------------------- */

/* The first contact over all triangles. */
static dent_sweep_hit first_contact(const struct closed_mesh *mesh, const double start[3], const double end[3],
                                    double radius, double tolerance)
{
    predicate_counters counters = {0};
    bool on;
    dent_sweep_hit hit = {.time = 1.0, .triangle = UINT32_MAX};
    int number = winding_number(start, (const double(*)[3])mesh->xyz, (const uint32_t(*)[3])mesh->faces, mesh->face_count,
                                &counters, &on);
    hit.start = on ? DENT_PLACE_ON : number ? DENT_PLACE_IN : DENT_PLACE_OUT;
    hit.hit = hit.start == DENT_PLACE_IN;
    hit.time = hit.hit ? 0.0 : 1.0;
    for (uint32_t face = 0; face < mesh->face_count && hit.start != DENT_PLACE_IN; face++) {
        struct impact_vertex vertices[4] = {0};
        const struct impact_vertex *const corners[4] = {&vertices[0], &vertices[1], &vertices[2], &vertices[3]};
        memcpy(vertices[0].start, start, sizeof vertices[0].start);
        memcpy(vertices[0].end, end, sizeof vertices[0].end);
        for (int k = 0; k < 3; k++) {
            memcpy(vertices[k + 1].start, mesh->xyz[mesh->faces[face][k]], sizeof vertices[0].start);
            memcpy(vertices[k + 1].end, mesh->xyz[mesh->faces[face][k]], sizeof vertices[0].end);
        }
        struct impact_result result;
        if (radius > 0.0) {
            struct impact_separation separation = {.distance = radius, .tolerance = tolerance};
            impact_test_separation(IMPACT_VERTEX_FACE, corners, &separation, 1.0, &result);
        } else {
            impact_test(IMPACT_VERTEX_FACE, corners, 1.0, &result);
        }
        if (result.answer != IMPACT_FREE && (!hit.hit || result.toi < hit.time)) {
            hit.hit = 1;
            hit.time = result.toi;
            hit.triangle = face;
        }
    }
    return hit;
}

static void compare_sweeps(dent_context *context, const struct closed_mesh *mesh, const double (*starts)[3],
                           const double (*ends)[3], uint32_t count, double radius, uint64_t tally[2])
{
    static dent_sweep_hit hits[POINTS_MOST];
    dent_inside *inside = open_inside(context, mesh, DENT_INSIDE_BSP);
    dent_sweep_def def = dent_sweep_def_default();
    def.starts = dent_positions_double(starts[0]);
    def.ends = dent_positions_double(ends[0]);
    def.count = count;
    def.radius = radius;
    assert_int_equal(dent_inside_sweep(inside, &def, hits), DENT_OK);
    for (uint32_t i = 0; i < count; i++) {
        dent_sweep_hit expected = first_contact(mesh, starts[i], ends[i], radius, 1e-6 * radius);
        assert_int_equal(hits[i].start, expected.start);
        assert_int_equal(hits[i].hit, expected.hit);
        assert_true(hits[i].time == expected.time);
        assert_int_equal(hits[i].triangle, expected.triangle);
        tally[expected.hit]++;
    }
    dent_inside_destroy(inside);
}

static void paths_meet_what_all_triangles_say(void **state)
{
    static struct closed_mesh mesh;
    static double starts[POINTS_MOST][3], ends[POINTS_MOST][3];
    uint64_t tally[2] = {0, 0};
    for (uint64_t seed = 0; seed < test_rounds(10); seed++) {
        int kind = (int)(seed % SURFACE_KIND_COUNT);
        make_mesh(kind, seed % 3 ? CONED : DOUBLED, seed, &mesh);
        if (seed % 4 == 0) {
            make_ball(&mesh, 8, 12, 2.0);
        }
        uint32_t count = make_points(&mesh, seed, 60, starts);
        make_points(&mesh, seed + 1000, 60, ends);
        double size = 0.0;
        for (uint32_t i = 0; i < count; i++) {
            size = fmax(size, fabs(starts[i][0] - starts[0][0]));
            for (int axis = 0; axis < 3; axis++) { /* some start outside */
                starts[i][axis] = i % 3 ? starts[i][axis] : 3.0 * starts[i][axis] + 0.5 * starts[0][axis];
                ends[i][axis] = i % 6 ? ends[i][axis] : 3.0 * ends[i][axis] + 0.5 * starts[0][axis];
            }
        }
        for (int k = 0; k < 3; k++) {
            compare_sweeps(*state, &mesh, (const double(*)[3])starts, (const double(*)[3])ends, count,
                           k * 0.05 * size, tally);
        }
    }
    print_message("%llu paths meet the solid, %llu do not\n", (unsigned long long)tally[1], (unsigned long long)tally[0]);
    assert_true(tally[0] > 6 * test_rounds(10) && tally[1] > 6 * test_rounds(10));
}

/* ---- bad input, memory ------------------------------------------------------------------------------------------- */

static void assert_refused(dent_context *context, const dent_inside_def *def, dent_status expected, const char *part)
{
    dent_inside *inside = NULL;
    char text[512];
    assert_int_equal(dent_inside_create(context, def, &inside), expected);
    assert_null(inside);
    dent_context_message(context, text, sizeof text);
    if (!strstr(text, part)) {
        fail_msg("\"%s\" does not say \"%s\"", text, part);
    }
}

static void bad_input_is_named(void **state)
{
    static struct closed_mesh mesh;
    make_ball(&mesh, 4, 5, 2.0);
    dent_inside_def def = dent_inside_def_default();
    def.positions = dent_positions_double(mesh.xyz[0]);
    def.vertex_count = mesh.vertex_count;
    def.triangles = mesh.faces[0];
    def.triangle_count = mesh.face_count - 1;
    assert_refused(*state, &def, DENT_ERROR_BAD_MESH, "not closed: edge");
    def.triangle_count = mesh.face_count;
    mesh.faces[3][1] = 1000;
    assert_refused(*state, &def, DENT_ERROR_BAD_MESH, "triangle 3: no vertex 1000");
    make_ball(&mesh, 4, 5, 2.0);
    mesh.xyz[2][1] = NAN;
    assert_refused(*state, &def, DENT_ERROR_BAD_NUMBER, "vertex 2: y is not finite");
    make_ball(&mesh, 4, 5, 2.0);
    def.method = (dent_inside_method)9;
    assert_refused(*state, &def, DENT_ERROR_INVALID_ARGUMENT, "value 9");
    def.method = DENT_INSIDE_AUTO;
    def.struct_size = 1;
    assert_refused(*state, &def, DENT_ERROR_INVALID_ARGUMENT, "dent_inside_def_default");
    def = dent_inside_def_default();
    dent_inside *inside = NULL;
    assert_int_equal(dent_inside_create(*state, &def, &inside), DENT_OK); /* nothing: all is out */
    double points[2][3] = {{0, 0, 0}, {1, INFINITY, 0}};
    uint8_t places[2] = {9, 9};
    assert_int_equal(dent_inside_classify(inside, dent_positions_double(points[0]), 1, places), DENT_OK);
    assert_int_equal(places[0], DENT_PLACE_OUT);
    assert_int_equal(dent_inside_classify(inside, dent_positions_double(points[0]), 2, places), DENT_ERROR_BAD_NUMBER);
    dent_sweep_hit hit;
    dent_sweep_def sweep = dent_sweep_def_default();
    sweep.starts = sweep.ends = dent_positions_double(points[0]);
    sweep.count = 1;
    assert_int_equal(dent_inside_sweep(inside, &sweep, &hit), DENT_OK);
    assert_int_equal(hit.hit, 0);
    sweep.radius = -1.0;
    assert_int_equal(dent_inside_sweep(inside, &sweep, &hit), DENT_ERROR_INVALID_ARGUMENT);
    sweep.radius = 0.0;
    sweep.ends = dent_positions_double(points[1]);
    assert_int_equal(dent_inside_sweep(inside, &sweep, &hit), DENT_ERROR_BAD_NUMBER);
    sweep.struct_size = 0;
    assert_int_equal(dent_inside_sweep(inside, &sweep, &hit), DENT_ERROR_INVALID_ARGUMENT);
    dent_inside_destroy(inside);
}

static void a_second_call_allocates_nothing(void **state)
{
    static struct closed_mesh mesh;
    static double points[POINTS_MOST][3];
    static uint8_t places[POINTS_MOST];
    make_ball(&mesh, 10, 16, 2.0);
    uint32_t count = make_points(&mesh, 1, 2000, points);
    for (int method = DENT_INSIDE_BSP; method <= DENT_INSIDE_WINDING; method++) {
        dent_inside *inside = open_inside(*state, &mesh, (dent_inside_method)method);
        uint64_t before = 0;
        for (int round = 0; round < 3; round++) {
            assert_int_equal(dent_inside_classify(inside, dent_positions_double(points[0]), count, places), DENT_OK);
            if (round > 0) {
                assert_int_equal(dent_context_memory_use(*state).allocations, before);
            }
            before = dent_context_memory_use(*state).allocations;
        }
        dent_inside_destroy(inside);
    }
}

static void no_memory_at_any_point_is_survived(void **state)
{
    (void)state;
    static struct closed_mesh mesh;
    static double points[POINTS_MOST][3];
    static uint8_t places[POINTS_MOST];
    make_ball(&mesh, 6, 8, 2.0);
    uint32_t count = make_points(&mesh, 1, 100, points);
    for (int method = DENT_INSIDE_BSP; method <= DENT_INSIDE_WINDING; method++) {
        bool done = false;
        for (uint64_t fail_at = 1; !done; fail_at++) {
            struct failing_allocator memory = failing_allocator_make();
            dent_context_def def = dent_context_def_default();
            def.allocator = failing_allocator_hook(&memory);
            def.thread_count = 1;
            dent_context *context = dent_context_create(&def, NULL);
            assert_non_null(context);
            atomic_store(&memory.requests, 0);
            atomic_store(&memory.fail_at, fail_at);
            dent_inside *inside = open_inside(context, &mesh, (dent_inside_method)method);
            if (inside) {
                dent_status status = dent_inside_classify(inside, dent_positions_double(points[0]), count, places);
                assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
                done = status == DENT_OK;
            }
            dent_inside_destroy(inside);
            dent_context_destroy(context);
            assert_true(failing_allocator_clean(&memory));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(balls_and_tubes_have_their_inside),
        cmocka_unit_test(both_methods_equal_the_winding_number),
        cmocka_unit_test(every_exponent_is_decided),
        cmocka_unit_test(many_points_at_once_are_those_of_calls_for_few),
        cmocka_unit_test(threads_and_instruction_sets_give_the_same_places),
        cmocka_unit_test(floats_and_strides_are_read),
        cmocka_unit_test(cells_fill_the_box),
        cmocka_unit_test(paths_meet_what_all_triangles_say),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(a_second_call_allocates_nothing),
        cmocka_unit_test(no_memory_at_any_point_is_survived),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
