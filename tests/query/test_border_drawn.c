/* The border on cases one can draw: how many curves, which edges, which vertices, in which direction; and what is left
 * out on request.
 */
#include "query/border_cases.h"

#include <float.h>

static void a_spike_in_a_block_has_one_border_vertex_and_one_closed_curve(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_border_def def = dent_border_def_default();
    test_add_tetrahedron(world, large_tetrahedron);
    test_add_tetrahedron(world, spike);
    dent_query_result result = ask(world, DENT_QUESTION_VERTEX_CELL, DENT_METHOD_AUTO, &def);
    const dent_border *border = &result.border;
    assert_int_equal(result.vertex_cell.count, 1);
    assert_int_equal(result.face_cell.count, 0); /* searched, not asked for */
    assert_int_equal(border->curve_count, 1);
    assert_true(border->curves[0].closed);
    assert_int_equal(border->curves[0].segment_count, 3);
    assert_int_equal(border->curves[0].degenerate_segments, 0);
    assert_int_equal(border->cut_edge_count, 3);
    for (int i = 0; i < 3; i++) {
        const dent_cut_edge *cut = &border->cut_edges[i];
        assert_int_equal(cut->body_a, 1);
        assert_int_equal(cut->body_b, 0);
        assert_true(cut->v0 == 0 && cut->v1 == (uint32_t)i + 1 && cut->v0_inside && !cut->v1_inside &&
                    !cut->degenerate);
        assert_true(cut->parameter == 0.25 && cut->point[2] == 0);
        assert_true(cut->point[0] == 0.25 * spike[cut->v1][0] && cut->point[1] == 0.25 * spike[cut->v1][1]);
        assert_true(cut->normal[0] == 0 && cut->normal[1] == 0 && fabs(cut->normal[2]) == 1);
    }
    assert_int_equal(border->vertex_count, 1);
    assert_true(border->vertices[0].body_a == 1 && border->vertices[0].vertex == 0 && border->vertices[0].body_b == 0);
    assert_int_equal(border->vertices[0].edge_count, 3);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void cross(const double a[3], const double b[3], double result[3])
{
    result[0] = a[1] * b[2] - a[2] * b[1];
    result[1] = a[2] * b[0] - a[0] * b[2];
    result[2] = a[0] * b[1] - a[1] * b[0];
}

static void face_normal(const struct seen_body *body, uint32_t face, double normal[3])
{
    const uint32_t *corners = body->faces[face].corners;
    double p[3], q[3];
    for (int axis = 0; axis < 3; axis++) {
        p[axis] = body->xyz[corners[1]][axis] - body->xyz[corners[0]][axis];
        q[axis] = body->xyz[corners[2]][axis] - body->xyz[corners[0]][axis];
    }
    cross(p, q, normal);
}

static void curves_run_along_the_product_of_the_normals(void **state)
{
    (void)state;
    static struct seen_world seen;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    uint32_t checked = 0;
    for (uint32_t seed = 0; seed < test_rounds(50); seed++) {
        struct test_scene scene = {0};
        dent_world *world = dent_world_create(context);
        dent_border_def def = dent_border_def_default();
        def.curves_only = true;
        test_scene_make(&scene, seed % 2 ? SCENE_DEEP : SCENE_BENT, seed);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        look_at(&scene, world, &seen);
        dent_border border = ask(world, 0, DENT_METHOD_AUTO, &def).border;
        for (uint64_t i = 0; i < border.curve_count; i++) {
            const dent_border_curve *curve = &border.curves[i];
            assert_true(curve->closed); /* solids without folds */
            for (uint32_t k = 0; k < curve->segment_count; k++) {
                const dent_border_segment *segment = &border.segments[curve->first_segment + k];
                const double *from = border.points[curve->first_point + k].position;
                const double *to = border.points[curve->first_point + (k + 1) % curve->point_count].position;
                double a[3], b[3], along[3], step[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
                face_normal(&seen.bodies[curve->body_a], segment->face_a, a);
                face_normal(&seen.bodies[curve->body_b], segment->face_b, b);
                cross(a, b, along);
                double product = along[0] * step[0] + along[1] * step[1] + along[2] * step[2];
                double sizes = sqrt((along[0] * along[0] + along[1] * along[1] + along[2] * along[2]) *
                                    (step[0] * step[0] + step[1] * step[1] + step[2] * step[2]));
                if (sizes > 1e-6) {
                    checked++;
                    assert_true(product > 0.999 * sizes); /* and the segment lies along the common line of the planes */
                }
            }
        }
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    printf("%u segments\n", checked);
    assert_true(checked > 100 || getenv("DENT_QUICK_TESTS"));
    dent_context_destroy(context);
}

static void a_fan_that_covers_itself_crosses_itself_from_its_centre(void **state)
{
    (void)state;
    /* Two faces begin at the same edge; the third, behind the first, passes through the second. */
    static const double xyz[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 2, 1}, {0.2, 2, 2}};
    static const uint32_t faces[3][3] = {{0, 1, 2}, {0, 1, 3}, {0, 2, 4}};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_body_def body = dent_surface_def_default();
    dent_body_id id;
    body.vertex_count = 5;
    body.element_count = 3;
    body.element_corners = faces[0];
    body.positions_t0 = dent_positions_double(xyz[0]);
    assert_int_equal(dent_world_add_body(world, &body, &id), DENT_OK);
    dent_border_def def = dent_border_def_default();
    dent_border border = ask(world, 0, DENT_METHOD_AUTO, &def).border;
    assert_int_equal(border.curve_count, 1);
    assert_false(border.curves[0].closed);
    assert_int_equal(border.segment_count, 1);
    assert_true(border.segments[0].face_a == 1 && border.segments[0].face_b == 2 && !border.segments[0].degenerate);
    bool first_is_centre = border.points[0].kind == DENT_BORDER_VERTEX;
    assert_int_equal(border.points[!first_is_centre].kind, DENT_BORDER_VERTEX);
    assert_int_equal(border.points[!first_is_centre].edge, 0);
    assert_int_equal(border.points[first_is_centre].kind, DENT_BORDER_EDGE_FACE);
    assert_int_equal(border.cut_edge_count, 1);
    assert_true(border.cut_edges[0].v0 == 1 && border.cut_edges[0].v1 == 3 && border.cut_edges[0].face == 2);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

/* A closed fan of faces around vertex 0, arms in random directions: it often crosses itself. */
static uint64_t segments_of_fan(dent_context *context, const double (*xyz)[3], uint32_t arms, int exponent)
{
    double scaled[9][3];
    uint32_t corners[8][3];
    for (uint32_t v = 0; v <= arms; v++) {
        for (int axis = 0; axis < 3; axis++) {
            scaled[v][axis] = ldexp(xyz[v][axis], exponent);
        }
    }
    for (uint32_t i = 0; i < arms; i++) {
        corners[i][0] = 0;
        corners[i][1] = 1 + i;
        corners[i][2] = 1 + (i + 1) % arms;
    }
    dent_world *world = dent_world_create(context);
    dent_body_def body = dent_surface_def_default();
    dent_body_id id;
    body.vertex_count = arms + 1;
    body.element_count = arms;
    body.element_corners = corners[0];
    body.positions_t0 = dent_positions_double(scaled[0]);
    assert_int_equal(dent_world_add_body(world, &body, &id), DENT_OK);
    dent_border_def def = dent_border_def_default();
    def.curves_only = true;
    uint64_t count = ask(world, 0, DENT_METHOD_AUTO, &def).border.segment_count;
    dent_world_destroy(world);
    return count;
}

/* The size at which d . n, d the sum of all normals and n one that it should be turned away from, has a first product
 * just beyond the doubles: what is left of the sum is infinite and says the opposite. 0: no such normal. */
static double size_that_overflows(const double (*xyz)[3], uint32_t arms)
{
    double normals[8][3], sum[3] = {0, 0, 0};
    for (uint32_t i = 0; i < arms; i++) {
        cross(xyz[1 + i], xyz[1 + (i + 1) % arms], normals[i]);
        for (int axis = 0; axis < 3; axis++) {
            sum[axis] += normals[i][axis];
        }
    }
    for (uint32_t i = 0; i < arms; i++) {
        double along = 0, most = 0;
        for (int axis = 0; axis < 3; axis++) {
            along += sum[axis] * normals[i][axis];
            most = fmax(most, sum[axis] * normals[i][axis]);
        }
        if (along < 0 && most > 0) {
            return sqrt(sqrt(DBL_MAX)) / sqrt(sqrt(most)) * 1.001;
        }
    }
    return 0;
}

static void a_fan_crosses_itself_alike_at_every_power_of_two(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    uint64_t crossing = 0, rounds = test_count(100, 3000, 50000);
    for (uint64_t round = 0; round < rounds; round++) {
        dent_random random = dent_random_seeded(97400 + round);
        double xyz[9][3];
        uint32_t arms = 4 + dent_random_below(&random, 5);
        for (uint32_t v = 0; v <= arms; v++) {
            for (int axis = 0; axis < 3; axis++) {
                xyz[v][axis] = v ? 2 * dent_random_unit(&random) - 1 : 0;
            }
        }
        double size = size_that_overflows((const double(*)[3])xyz, arms);
        for (uint32_t v = 0; v <= arms && size > 0; v++) {
            for (int axis = 0; axis < 3; axis++) {
                xyz[v][axis] *= ldexp(size, -256);
            }
        }
        uint64_t expected = segments_of_fan(context, (const double(*)[3])xyz, arms, 0);
        assert_int_equal(segments_of_fan(context, (const double(*)[3])xyz, arms, 256), expected);
        assert_int_equal(segments_of_fan(context, (const double(*)[3])xyz, arms, -230 - (int)(round % 700)), expected);
        crossing += expected > 0;
    }
    assert_true(crossing > rounds / 4 && crossing < rounds);
    dent_context_destroy(context);
}

static bool is_surface_edge(const struct seen_body *body, uint32_t v0, uint32_t v1)
{
    for (uint32_t face = 0; face < body->face_count; face++) {
        if (is_corner(&body->faces[face], v0) && is_corner(&body->faces[face], v1)) {
            return true;
        }
    }
    return false;
}

static void surface_edges_alone_are_those_of_the_whole_border(void **state)
{
    (void)state;
    static struct seen_world seen;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    uint64_t kept = 0, inner = 0;
    for (uint32_t seed = 0; seed < test_rounds(30); seed++) {
        struct test_scene scene = {0};
        dent_world *world = dent_world_create(context);
        dent_border_def def = dent_border_def_default();
        test_scene_make(&scene, seed % 2 ? SCENE_DEEP : SCENE_MIXED, seed);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        look_at(&scene, world, &seen);
        def.surface_edges_only = true;
        dent_border few = ask(world, 0, DENT_METHOD_AUTO, &def).border;
        dent_cut_edge *cuts = malloc((few.cut_edge_count + 1) * sizeof *cuts);
        uint64_t count = few.cut_edge_count, at = 0;
        if (count > 0) {
            memcpy(cuts, few.cut_edges, count * sizeof *cuts);
        }
        def.surface_edges_only = false;
        dent_border all = ask(world, 0, DENT_METHOD_AUTO, &def).border;
        for (uint64_t i = 0; i < all.cut_edge_count; i++) {
            const dent_cut_edge *cut = &all.cut_edges[i];
            if (!is_surface_edge(&seen.bodies[cut->body_a], cut->v0, cut->v1)) {
                inner++;
                continue;
            }
            assert_true(at < count && cuts[at].body_a == cut->body_a && cuts[at].edge == cut->edge &&
                        cuts[at].face == cut->face && cuts[at].v0_inside == cut->v0_inside &&
                        cuts[at].v1_inside == cut->v1_inside && cuts[at].parameter == cut->parameter);
            at++;
        }
        assert_int_equal(at, count);
        kept += count;
        free(cuts);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    assert_true((kept > 100 && inner > 0) || getenv("DENT_QUICK_TESTS"));
    dent_context_destroy(context);
}

static void bodies_that_only_touch_have_no_border(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_scene scene = {0};
    dent_world *world = dent_world_create(context);
    test_add_block(&scene, 2, 2, 2);
    test_map(test_add_block(&scene, 2, 2, 2), 1, 1, 1, 2, 0, 0); /* they share a whole side */
    test_map(test_add_block(&scene, 2, 2, 2), 1, 1, 1, 0, 0, 2);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    dent_border_def def = dent_border_def_default();
    dent_border border = ask(world, 0, DENT_METHOD_AUTO, &def).border;
    assert_int_equal(border.curve_count + border.cut_edge_count + border.vertex_count, 0);
    def.degenerate = true; /* closed curves of the moved points, all marked */
    border = ask(world, 0, DENT_METHOD_AUTO, &def).border;
    for (uint64_t i = 0; i < border.curve_count; i++) {
        assert_true(border.curves[i].closed);
        assert_int_equal(border.curves[i].degenerate_segments, border.curves[i].segment_count);
    }
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_spike_in_a_block_has_one_border_vertex_and_one_closed_curve),
        cmocka_unit_test(curves_run_along_the_product_of_the_normals),
        cmocka_unit_test(a_fan_that_covers_itself_crosses_itself_from_its_centre),
        cmocka_unit_test(a_fan_crosses_itself_alike_at_every_power_of_two),
        cmocka_unit_test(surface_edges_alone_are_those_of_the_whole_border),
        cmocka_unit_test(bodies_that_only_touch_have_no_border),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
