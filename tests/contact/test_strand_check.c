/* The penetration check with strands, against integers: cubes of side 2 on a lattice and segments between points of the
 * lattice, so that segments run along inner edges, in inner faces and in the surface all the time. */
#include "support_check.h"

#include <dent/impact.h>

#include "support/failing_allocator.h"
#include "support/test_context.h"

enum { SIDE = 3, STRANDS = 20, POINTS = 3, VERTICES = STRANDS * POINTS, SEGMENTS = STRANDS * (POINTS - 1) };

struct cubes {
    bool full[SIDE][SIDE][SIDE];
};

static struct cubes draw_cubes(dent_random *random)
{
    struct cubes cubes;
    uint32_t share = 1 + dent_random_below(random, 4);
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        cubes.full[i / (SIDE * SIDE)][i / SIDE % SIDE][i % SIDE] = dent_random_below(random, 5) <= share;
    }
    return cubes;
}

static uint32_t corner_number(int x, int y, int z)
{
    return (uint32_t)((x * (SIDE + 1) + y) * (SIDE + 1) + z);
}

/* Six tetrahedra around the diagonal of each cube: neighbours share faces. */
static struct test_body *add_cubes(struct test_scene *scene, const struct cubes *cubes)
{
    static const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    uint32_t corners[SIDE * SIDE * SIDE * 24], cells = 0;
    double xyz[(SIDE + 1) * (SIDE + 1) * (SIDE + 1)][3];
    for (int i = 0; i < (SIDE + 1) * (SIDE + 1) * (SIDE + 1); i++) {
        xyz[i][0] = 2 * (i / ((SIDE + 1) * (SIDE + 1)));
        xyz[i][1] = 2 * (i / (SIDE + 1) % (SIDE + 1));
        xyz[i][2] = 2 * (i % (SIDE + 1));
    }
    for (int i = 0; i < SIDE * SIDE * SIDE; i++) {
        int cube[3] = {i / (SIDE * SIDE), i / SIDE % SIDE, i % SIDE};
        for (int order = 0; order < 6 && cubes->full[cube[0]][cube[1]][cube[2]]; order++) {
            int at[3] = {cube[0], cube[1], cube[2]};
            uint32_t *cell = corners + 4 * cells++;
            cell[0] = corner_number(at[0], at[1], at[2]);
            for (int k = 0; k < 3; k++) {
                at[orders[order][k]]++;
                cell[k + 1] = corner_number(at[0], at[1], at[2]);
            }
            if (order >= 3) { /* an odd order turns the cell inside out */
                uint32_t last = cell[3];
                cell[3] = cell[2];
                cell[2] = last;
            }
        }
    }
    return add_solid(scene, (SIDE + 1) * (SIDE + 1) * (SIDE + 1), (const double(*)[3])xyz, cells, corners);
}

/* p / unit is in the interior of the union: all cubes that hold it are full. */
static bool is_inside(const struct cubes *cubes, const long long p[3], long long unit)
{
    for (int near = 0; near < 8; near++) {
        int cube[3];
        for (int axis = 0; axis < 3; axis++) {
            long long q = p[axis] + 100 * 2 * unit, at = q / (2 * unit) - 100;
            cube[axis] = (int)(q % (2 * unit) == 0 && (near >> axis & 1) ? at - 1 : at);
            if (cube[axis] < 0 || cube[axis] >= SIDE) {
                return false;
            }
        }
        if (!cubes->full[cube[0]][cube[1]][cube[2]]) {
            return false;
        }
    }
    return true;
}

/* Between two multiples of 1 / (2 unit) nothing changes: the segment passes planes of the lattice at multiples of 1 / unit. */
static bool segment_is_inside(const struct cubes *cubes, const double *a, const double *b)
{
    long long unit = 1;
    for (int axis = 0; axis < 3; axis++) {
        long long step = llabs((long long)b[axis] - (long long)a[axis]);
        for (long long multiple = unit; step > 0; multiple += unit) {
            if (multiple % step == 0) {
                unit = multiple;
                break;
            }
        }
    }
    unit *= 2;
    for (long long i = 0; i <= unit; i++) {
        long long p[3];
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = unit * (long long)a[axis] + i * ((long long)b[axis] - (long long)a[axis]);
        }
        if (is_inside(cubes, p, unit)) {
            return true;
        }
    }
    return false;
}

static void draw_strands(double (*xyz)[3], uint32_t *first, dent_random *random)
{
    for (uint32_t strand = 0; strand <= STRANDS; strand++) {
        first[strand] = POINTS * strand;
    }
    for (uint32_t vertex = 0; vertex < VERTICES; vertex++) {
        for (int axis = 0; axis < 3; axis++) {
            bool along = vertex % POINTS > 0 && dent_random_below(random, 3) == 0; /* keep to planes and edges */
            xyz[vertex][axis] = along ? xyz[vertex - 1][axis] : (double)dent_random_below(random, 2 * SIDE + 3) - 1.0;
        }
    }
}

static dent_body_id add_strands(dent_world *world, const double *xyz, const uint32_t *first, uint32_t strands,
                                const dent_strand_root *root)
{
    dent_body_def def = dent_strands_def_default();
    dent_body_id id;
    def.vertex_count = first[strands];
    def.strand_count = strands;
    def.first = first;
    def.thickness = 0.5; /* does not matter */
    def.positions_t0 = dent_positions_double(xyz);
    def.root_on = root;
    def.root_on_count = root ? 1 : 0;
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return id;
}

static void segments_in_solids_and_closed_surfaces_are_those_of_integers(void **state)
{
    uint64_t met = 0, free = 0;
    (void)state;
    for (uint64_t seed = 0; seed < test_rounds(150); seed++) {
        dent_random random = dent_random_seeded(seed);
        struct check_world check;
        struct test_scene solid = {0};
        double xyz[VERTICES][3];
        uint32_t first[STRANDS + 1];
        struct cubes cubes = draw_cubes(&random);
        bool as_surface = seed % 2;
        check_world_open(&check, 1 + seed % 3);
        struct test_body *body = add_cubes(as_surface ? &solid : &check.scene, &cubes);
        if (as_surface) {
            add_surface_of(&check.scene, body, seed % 4 == 3);
        }
        draw_strands(xyz, first, &random);
        dent_check_def def = dent_check_def_default();
        def.method = seed % 5 == 0 ? DENT_METHOD_BRUTE_FORCE : DENT_METHOD_AUTO;
        assert_int_equal(test_scene_add(&check.scene, check.world), DENT_OK);
        check.added = true;
        dent_body_id id = add_strands(check.world, xyz[0], first, STRANDS, NULL);
        dent_check_result result = check_world_run(&check, &def);
        const uint8_t *marks = dent_check_element_marks(check.world, id);
        const uint8_t *inside = dent_check_vertex_marks(check.world, id);
        bool some = false;
        if (as_surface && result.surfaces_as_solids == 0) { /* cubes that meet in an edge only */
            test_scene_free(&solid);
            check_world_close(&check);
            continue;
        }
        for (uint32_t segment = 0; segment < SEGMENTS; segment++) {
            uint32_t v = segment + segment / (POINTS - 1);
            bool expected = segment_is_inside(&cubes, xyz[v], xyz[v + 1]);
            if ((marks[segment] == DENT_MARK_OVERLAPPING) != expected) {
                fail_msg("seed %llu, segment %u from (%g, %g, %g) to (%g, %g, %g): %d, not %d",
                         (unsigned long long)seed, segment, xyz[v][0], xyz[v][1], xyz[v][2], xyz[v + 1][0],
                         xyz[v + 1][1], xyz[v + 1][2], marks[segment], expected);
            }
            some |= expected;
            met += expected;
            free += !expected;
        }
        for (uint32_t v = 0; v < VERTICES; v++) {
            const long long p[3] = {(long long)xyz[v][0], (long long)xyz[v][1], (long long)xyz[v][2]};
            assert_int_equal(inside[v], is_inside(&cubes, p, 1));
        }
        assert_int_equal(result.penetrating_pairs, some);
        test_scene_free(&solid);
        check_world_close(&check);
    }
    assert_true(met > 100 && free > 100);
}

/* ---- what strands do with surfaces and strands ------------------------------------------------------------------- */

static dent_body_id add_square(dent_world *world)
{
    static const double xyz[4][3] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0}};
    static const uint32_t corners[6] = {0, 1, 2, 0, 2, 3};
    dent_body_def def = dent_surface_def_default();
    dent_body_id id;
    def.vertex_count = 4;
    def.element_count = 2;
    def.element_corners = corners;
    def.positions_t0 = dent_positions_double(xyz[0]);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    return id;
}

static dent_check_result check_one(dent_world *world)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    assert_int_equal(dent_world_check(world, &def, &result), DENT_OK);
    return result;
}

static void a_strand_penetrates_cloth_it_crosses_and_touches_what_it_ends_on(void **state)
{
    static const uint32_t first[2] = {0, 2};
    static const double ends[3][2][3] = {
        {{3, 1, -1}, {3, 1, 2}}, {{3, 1, 0}, {3, 1, 2}}, {{3, 1, 0.5}, {3, 1, 2}}};
    for (int i = 0; i < 3; i++) {
        dent_world *world = dent_world_create(*state);
        add_square(world);
        add_strands(world, ends[i][0], first, 1, NULL);
        dent_check_result result = check_one(world);
        assert_int_equal(result.penetrating_pairs, i == 0);
        assert_int_equal(result.touching_pairs, i == 1);
        assert_int_equal(result.open_surfaces, 1);
        if (i == 0) {
            assert_int_equal(result.pairs[0].overlapping_elements, 2); /* the segment and the face */
            assert_true(result.pairs[0].max_depth > 0 && result.pairs[0].max_depth <= 1);
        }
        dent_impact_def def = dent_impact_def_default();
        dent_initial_state start;
        dent_safe_step step;
        assert_int_equal(dent_world_initial_state(world, &def, &start), DENT_OK);
        assert_int_equal(start.crosses, i == 0);
        assert_int_equal(start.crossings, 0);
        assert_int_equal(dent_world_safe_step(world, &def, &step), DENT_OK);
        assert_true(step.fraction == (i < 2 ? 0 : 1));
        dent_world_destroy(world);
    }
}

static void strands_that_meet_touch(void **state)
{
    static const uint32_t first[3] = {0, 2, 4};
    static const double xyz[4][3] = {{-1, 0, 0}, {1, 0, 0}, {0, -1, 0}, {0, 1, 0}};
    dent_world *world = dent_world_create(*state);
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    add_strands(world, xyz[0], first, 2, NULL);
    assert_int_equal(check_one(world).pair_count, 0);
    def.self = true;
    assert_int_equal(dent_world_check(world, &def, &result), DENT_OK);
    assert_int_equal(result.touching_pairs, 1);
    assert_int_equal(result.penetrating_pairs, 0);
    assert_int_equal(result.open_surfaces, 0);
    add_strands(world, xyz[0], first, 1, NULL);
    result = check_one(world);
    assert_int_equal(result.touching_pairs, 1);
    assert_true(result.pairs[0].containment_judged);
    dent_world_destroy(world);
}

/* The root lies a little below the scalp, as rounding leaves it. */
static void a_rooted_strand_is_judged_away_from_its_root(void **state)
{
    static const uint32_t first[2] = {0, 3};
    static const double out[3][3] = {{3, 1, -0.001}, {3, 1, 1}, {3, 1, 2}}, in[3][3] = {{3, 1, 0.001}, {3, 1, -1}, {3, 1, 2}};
    for (int rooted = 0; rooted < 2; rooted++) {
        for (int inward = 0; inward < 2; inward++) {
            dent_world *world = dent_world_create(*state);
            dent_strand_root root = {0, add_square(world), 0};
            add_strands(world, inward ? in[0] : out[0], first, 1, rooted ? &root : NULL);
            assert_int_equal(check_one(world).penetrating_pairs, inward || !rooted);
            dent_world_destroy(world);
        }
    }
}

static void a_strand_rooted_on_a_body_with_an_inside_is_judged_away_from_its_root(void **state)
{
    static const uint32_t first[2] = {0, 3};
    static const double xyz[3][3][3] = {{{1.2, 0.7, 1.999}, {1.2, 0.7, 3}, {1.2, 0.7, 4}},
                                        {{1.2, 0.7, 2.001}, {1.2, 0.7, 1}, {1.2, 0.7, 4}},
                                        {{1.2, 0.7, 2.001}, {1.2, 0.7, -1}, {1.2, -0.7, -1}}};
    struct cubes cubes = {{{{true}}}};
    for (int i = 0; i < 12; i++) {
        struct test_scene solid = {0}, surface = {0};
        bool as_surface = i & 1, rooted = i & 2;
        add_surface_of(&surface, add_cubes(&solid, &cubes), false);
        dent_world *world = dent_world_create(*state);
        assert_int_equal(test_scene_add(as_surface ? &surface : &solid, world), DENT_OK);
        dent_strand_root root = {0, dent_world_body_at(world, 0), 0};
        uint32_t count;
        const dent_surface_face *faces = dent_body_surface_faces(world, root.body, &count);
        for (uint32_t face = 0; face < count; face++) {
            const uint32_t *v = faces[face].corners;
            const double(*x)[3] = (const double(*)[3])solid.bodies[0].xyz;
            root.face = x[v[0]][2] == 2 && x[v[1]][2] == 2 && x[v[2]][2] == 2 ? face : root.face;
        }
        add_strands(world, xyz[i / 4][0], first, 1, rooted ? &root : NULL);
        assert_int_equal(check_one(world).penetrating_pairs, i / 4 > 0 || !rooted);
        dent_world_destroy(world);
        test_scene_free(&solid);
        test_scene_free(&surface);
    }
}

static void a_failing_allocation_is_survived(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    context_def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_random random = dent_random_seeded(5);
    struct cubes cubes = draw_cubes(&random);
    struct test_scene scene = {0};
    double xyz[VERTICES][3];
    uint32_t first[STRANDS + 1];
    uint64_t failures = 0;
    add_cubes(&scene, &cubes);
    draw_strands(xyz, first, &random);
    for (uint64_t fail_at = 1;; fail_at++) {
        dent_check_def def = dent_check_def_default();
        dent_check_result result = {.pair_count = 12345};
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        add_strands(world, xyz[0], first, STRANDS, NULL);
        memory.requests = 0;
        memory.fail_at = fail_at;
        dent_status status = dent_world_check(world, &def, &result);
        memory.fail_at = 0;
        assert_true(status == DENT_OK || (status == DENT_ERROR_OUT_OF_MEMORY && result.pair_count == 12345));
        dent_world_destroy(world);
        failures += status != DENT_OK;
        if (status == DENT_OK) {
            break;
        }
    }
    assert_true(failures > 3);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_in_solids_and_closed_surfaces_are_those_of_integers),
        cmocka_unit_test(a_strand_penetrates_cloth_it_crosses_and_touches_what_it_ends_on),
        cmocka_unit_test(strands_that_meet_touch),
        cmocka_unit_test(a_rooted_strand_is_judged_away_from_its_root),
        cmocka_unit_test(a_strand_rooted_on_a_body_with_an_inside_is_judged_away_from_its_root),
        cmocka_unit_test(a_failing_allocation_is_survived),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
