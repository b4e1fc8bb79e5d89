/* Kinds of face-face pairs with a degenerate face, a segment or a point, against the definition in query.h, decided by
 * exact linear programming (simplex_oracle.h): every degenerate face on a small lattice against every face on it, by
 * every method. The usual tier takes all faces of the lattice of 2 x 2 x 2 points and one in a few hundred pairs of 3 x
 * 3 x 3, the long tier all of these too; and random faces at any magnitudes.
 */
#include "support/cmocka_includes.h"

#include "geometry/integer_points.h"
#include "geometry/simplex_oracle.h"
#include "support/test_context.h"
#include "support/wide_exponents.h"

static struct simplex oracle;
static mpz_t corner[6][3], edge[3][3], determinant, term;

static int open_oracle(void **state)
{
    (void)state;
    simplex_initialise(&oracle);
    for (int k = 0; k < 6; k++) {
        mpz_inits(corner[k][0], corner[k][1], corner[k][2], NULL);
    }
    for (int k = 0; k < 3; k++) {
        mpz_inits(edge[k][0], edge[k][1], edge[k][2], NULL);
    }
    mpz_inits(determinant, term, NULL);
    return 0;
}

/* ---- the definition ---- */

static bool in_one_plane(int a, int b, int c, int d)
{
    const int others[3] = {b, c, d};
    for (int k = 0; k < 9; k++) {
        mpz_sub(edge[k / 3][k % 3], corner[others[k / 3]][k % 3], corner[a][k % 3]);
    }
    mpz_set_ui(determinant, 0);
    for (int k = 0; k < 3; k++) {
        mpz_mul(term, edge[0][k], edge[1][(k + 1) % 3]);
        mpz_addmul(determinant, term, edge[2][(k + 2) % 3]);
        mpz_mul(term, edge[0][k], edge[1][(k + 2) % 3]);
        mpz_submul(determinant, term, edge[2][(k + 1) % 3]);
    }
    return mpz_sgn(determinant) == 0;
}

static bool all_in_one_plane(void)
{
    for (int set = 0; set < 64; set++) {
        int chosen[4], count = 0;
        for (int k = 0; k < 6 && __builtin_popcount((unsigned)set) == 4; k++) {
            if (set >> k & 1) {
                chosen[count++] = k;
            }
        }
        if (count == 4 && !in_one_plane(chosen[0], chosen[1], chosen[2], chosen[3])) {
            return false;
        }
    }
    return true;
}

static bool has_area(int first)
{
    for (int axis = 0; axis < 3; axis++) {
        int i = axis, j = (axis + 1) % 3;
        mpz_set_ui(determinant, 0);
        for (int k = 0; k < 3; k++) {
            mpz_addmul(determinant, corner[first + k][i], corner[first + (k + 1) % 3][j]);
            mpz_submul(determinant, corner[first + k][j], corner[first + (k + 1) % 3][i]);
        }
        if (mpz_sgn(determinant) != 0) {
            return true;
        }
    }
    return false;
}

/* 0: the closed faces do not meet. Two triangles in one plane whose interiors meet have common area. */
static uint32_t defined_kind(const double *const points[6])
{
    mpz_t(*a[3])[3] = {&corner[0], &corner[1], &corner[2]}, (*b[3])[3] = {&corner[3], &corner[4], &corner[5]};
    set_integer_points(corner, points, 6);
    hull_meeting meeting = hulls_meeting(&oracle, a, 3, true, b, 3, true);
    if (meeting == HULLS_APART) {
        return 0;
    }
    bool plane = all_in_one_plane();
    return meeting == HULLS_MEET_STRICTLY && !plane                                ? DENT_PAIR_CROSSING
           : meeting == HULLS_MEET_STRICTLY && plane && has_area(0) && has_area(3) ? DENT_PAIR_COPLANAR
                                                                                   : DENT_PAIR_TOUCHING;
}

/* ---- faces of a lattice ---- */

/* Every face has vertices of its own, so that none are shared. */
static void add_face(struct test_body *body, const double (*points)[3])
{
    memcpy(body->xyz[3 * body->element_count++], points, 3 * sizeof *points);
}

static bool is_degenerate(const double (*p)[3])
{
    double u[3], v[3];
    for (int axis = 0; axis < 3; axis++) {
        u[axis] = p[1][axis] - p[0][axis];
        v[axis] = p[2][axis] - p[0][axis];
    }
    return u[0] * v[1] == u[1] * v[0] && u[1] * v[2] == u[2] * v[1] && u[2] * v[0] == u[0] * v[2];
}

/* Body 0: the degenerate faces of the lattice; body 1: all faces. */
static void make_lattice_faces(struct test_scene *scene, uint32_t side)
{
    uint32_t count = side * side * side, most = count * (count + 1) * (count + 2) / 6;
    memset(scene, 0, sizeof *scene);
    for (int i = 0; i < 2; i++) {
        struct test_body *body = test_scene_new_body(scene, DENT_BODY_SURFACE, 3 * most, 0, 3 * most);
        for (uint32_t k = 0; k < 3 * most; k++) {
            body->corners[k] = k;
        }
    }
    for (uint32_t code = 0; code < count * count * count; code++) {
        const uint32_t at[3] = {code % count, code / count % count, code / count / count};
        double points[3][3];
        for (int k = 0; k < 9; k++) {
            uint32_t divide = k % 3 == 0 ? 1 : k % 3 == 1 ? side : side * side;
            points[k / 3][k % 3] = at[k / 3] / divide % side;
        }
        if (at[0] > at[1] || at[1] > at[2]) {
            continue;
        }
        if (is_degenerate((const double(*)[3])points)) {
            add_face(&scene->bodies[0], (const double(*)[3])points);
        }
        add_face(&scene->bodies[1], (const double(*)[3])points);
    }
    for (int i = 0; i < 2; i++) {
        scene->bodies[i].vertex_count = 3 * scene->bodies[i].element_count;
    }
}

static void add_without_self(const struct test_scene *scene, dent_world *world)
{
    for (uint32_t i = 0; i < scene->body_count; i++) {
        dent_body_def def = test_body_def(&scene->bodies[i]);
        dent_body_id id;
        def.self_collision = false;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    }
}

static dent_pair_list face_pairs(dent_world *world, dent_method method, bool touching)
{
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = DENT_QUESTION_FACE_FACE;
    def.method = method;
    def.touching = touching;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    return result.face_face;
}

/* Of the list, which is in order: one in `stride` pairs of faces against the definition. */
static void compare_with_definition(const struct test_scene *scene, const dent_pair_list *list, uint32_t stride,
                                    uint64_t counts[5])
{
    const struct test_body *a = &scene->bodies[0], *b = &scene->bodies[1];
    uint64_t next = 0;
    for (uint32_t i = 0; i < a->element_count; i++) {
        for (uint32_t k = 0; k < b->element_count; k++) {
            const dent_pair *pair = next < list->count ? &list->pairs[next] : NULL;
            bool listed = pair && pair->feature_a == i && pair->feature_b == k;
            next += listed;
            if (((uint64_t)i * b->element_count + k) % stride != 0) {
                continue;
            }
            const double *const points[6] = {a->xyz[3 * i], a->xyz[3 * i + 1], a->xyz[3 * i + 2],
                                             b->xyz[3 * k], b->xyz[3 * k + 1], b->xyz[3 * k + 2]};
            uint32_t expected = defined_kind(points);
            assert_int_equal(listed ? pair->kind : 0, expected);
            counts[expected]++;
        }
    }
    assert_int_equal(next, list->count);
}

/* Both points of a crossing are the one point where the segment pierces the triangle. */
static void check_points(const struct test_scene *scene, const dent_pair_list *list)
{
    for (uint64_t i = 0; i < list->count; i++) {
        const dent_segment *segment = &list->segments[i];
        const dent_pair *pair = &list->pairs[i];
        for (int axis = 0; axis < 3; axis++) {
            double lo = INFINITY, hi = -INFINITY;
            for (uint32_t k = 0; k < 3; k++) {
                lo = fmin(lo, scene->bodies[0].xyz[3 * pair->feature_a + k][axis]);
                hi = fmax(hi, scene->bodies[0].xyz[3 * pair->feature_a + k][axis]);
            }
            assert_true(segment->point0[axis] == segment->point1[axis]);
            assert_true(segment->point0[axis] >= lo && segment->point0[axis] <= hi);
        }
    }
}

static void compare_lattice(uint32_t side, uint32_t stride)
{
    struct test_scene scene;
    uint64_t counts[5] = {0};
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    dent_world *reference = dent_world_create(context);
    make_lattice_faces(&scene, side);
    add_without_self(&scene, reference);
    dent_pair_list right = face_pairs(reference, DENT_METHOD_BRUTE_FORCE, true);
    compare_with_definition(&scene, &right, stride, counts);
    check_points(&scene, &right);
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        if (method != DENT_METHOD_AUTO && !(dent_method_questions((dent_method)method) & DENT_QUESTION_FACE_FACE)) {
            continue;
        }
        dent_world *world = dent_world_create(context);
        add_without_self(&scene, world);
        dent_pair_list list = face_pairs(world, (dent_method)method, true);
        assert_int_equal(list.count, right.count);
        assert_memory_equal(list.pairs, right.pairs, right.count * sizeof *right.pairs);
        list = face_pairs(world, (dent_method)method, false);
        uint64_t next = 0;
        for (uint64_t i = 0; i < right.count; i++) {
            if (right.pairs[i].kind != DENT_PAIR_TOUCHING) {
                assert_true(next < list.count);
                assert_memory_equal(&list.pairs[next++], &right.pairs[i], sizeof right.pairs[i]);
            }
        }
        assert_int_equal(list.count, next);
        dent_world_destroy(world);
    }
    printf("%u^3 points: %u degenerate faces against %u: %llu apart, %llu touching, %llu crossing, %llu coplanar\n",
           side, scene.bodies[0].element_count, scene.bodies[1].element_count, (unsigned long long)counts[0],
           (unsigned long long)counts[DENT_PAIR_TOUCHING], (unsigned long long)counts[DENT_PAIR_CROSSING],
           (unsigned long long)counts[DENT_PAIR_COPLANAR]);
    assert_int_equal(counts[DENT_PAIR_COPLANAR], 0); /* a degenerate face has no area to share */
    dent_world_destroy(reference);
    dent_context_destroy(context);
    test_scene_free(&scene);
}

static void degenerate_faces_of_a_lattice_have_the_kinds_defined(void **state)
{
    (void)state;
    compare_lattice(2, 1);
    if (!getenv("DENT_QUICK_TESTS")) {
        compare_lattice(3, (uint32_t)test_count(1, 211, 1));
    }
}

/* ---- random ---- */

/* A third of the faces become segments, some points: the third corner on the line of the others. */
static void draw_faces(struct test_scene *scene, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed + 2000);
    memset(scene, 0, sizeof *scene);
    for (int i = 0; i < 2; i++) {
        struct test_body *body = test_scene_new_body(scene, DENT_BODY_SURFACE, 12, 4, 12);
        for (uint32_t k = 0; k < 12; k++) {
            body->corners[k] = k;
        }
        wide_place(body, &random);
    }
    wide_apply(scene, wide_scene_mode(seed), &random);
    wide_bring_near(scene, &random);
    for (uint32_t face = 0; face < 8; face++) {
        double(*p)[3] = &scene->bodies[face / 4].xyz[face % 4 * 3];
        switch (dent_random_below(&random, 4)) {
        case 0:
            memcpy(p[2], p[dent_random_below(&random, 2)], sizeof p[2]);
            break;
        case 1: /* twice as far: exact unless it overflows or loses bits, and then nearly a segment */
            for (int axis = 0; axis < 3; axis++) {
                double x = 2 * (p[1][axis] / 2 - p[0][axis] / 2) + p[1][axis];
                p[2][axis] = isfinite(x) ? x : p[1][axis];
            }
            break;
        case 2:
            memcpy(p[1], p[0], sizeof p[1]);
            memcpy(p[2], p[dent_random_below(&random, 2) ? 0 : 2], sizeof p[2]);
            break;
        default:
            break;
        }
    }
}

static void random_faces_of_any_magnitudes_have_the_kinds_defined(void **state)
{
    (void)state;
    uint64_t counts[5] = {0};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    uint64_t scenes = test_count(100, 600, 20000);
    for (uint64_t seed = 0; seed < scenes; seed++) {
        struct test_scene scene;
        dent_world *world = dent_world_create(context);
        draw_faces(&scene, seed);
        add_without_self(&scene, world);
        dent_pair_list list = face_pairs(world, DENT_METHOD_BRUTE_FORCE, true);
        compare_with_definition(&scene, &list, 1, counts);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    printf("any magnitudes: %llu apart, %llu touching, %llu crossing, %llu coplanar\n", (unsigned long long)counts[0],
           (unsigned long long)counts[DENT_PAIR_TOUCHING], (unsigned long long)counts[DENT_PAIR_CROSSING],
           (unsigned long long)counts[DENT_PAIR_COPLANAR]);
    assert_true(12 * counts[DENT_PAIR_TOUCHING] > scenes && 12 * counts[DENT_PAIR_CROSSING] > scenes);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(degenerate_faces_of_a_lattice_have_the_kinds_defined),
        cmocka_unit_test(random_faces_of_any_magnitudes_have_the_kinds_defined),
    };
    return cmocka_run_group_tests(tests, open_oracle, NULL);
}
