/* The border information against its definitions by brute force, on random scenes of every kind: every edge against
 * every face by exact signs of the moved points, and curves followed point by point.
 */
#include "query/border_cases.h"

#include "geometry/predicates/perturbed_orientation.h"
#include "geometry/predicates/triangle_predicates.h"
#include "support/wide_exponents.h"

enum { ELEMENTS_MAX = 300 };

/* ---- signs of the moved points ----------------------------------------------------------------------------------- */

static struct numbered_point point_of(const struct seen_body *body, uint32_t vertex)
{
    return (struct numbered_point){body->xyz[vertex], body->first_number + vertex};
}

/* Closed boxes: what is apart here is apart for the moved points. */
static bool boxes_are_apart(const struct seen_body *a, const uint32_t *corners_a, uint32_t count_a,
                            const struct seen_body *b, const uint32_t *corners_b)
{
    for (int axis = 0; axis < 3; axis++) {
        double lo[2] = {INFINITY, INFINITY}, hi[2] = {-INFINITY, -INFINITY};
        for (uint32_t k = 0; k < count_a; k++) {
            lo[0] = fmin(lo[0], a->xyz[corners_a[k]][axis]);
            hi[0] = fmax(hi[0], a->xyz[corners_a[k]][axis]);
        }
        for (uint32_t k = 0; k < 3; k++) {
            lo[1] = fmin(lo[1], b->xyz[corners_b[k]][axis]);
            hi[1] = fmax(hi[1], b->xyz[corners_b[k]][axis]);
        }
        if (lo[0] > hi[1] || lo[1] > hi[0]) {
            return true;
        }
    }
    return false;
}

/* The moved edge pierces the moved face; *zero: a sign is zero for the given points. */
static bool pierces(const struct seen_body *a, uint32_t v0, uint32_t v1, const struct seen_body *b, uint32_t face,
                    bool *zero)
{
    predicate_counters counters = {0};
    const uint32_t ends[2] = {v0, v1};
    if (boxes_are_apart(a, ends, 2, b, b->faces[face].corners)) {
        return false;
    }
    struct numbered_point s = point_of(a, v0), t = point_of(a, v1), f[3];
    for (int k = 0; k < 3; k++) {
        f[k] = point_of(b, b->faces[face].corners[k]);
        if (f[k].number == s.number || f[k].number == t.number) {
            return false;
        }
    }
    *zero = false;
    int from = perturbed_orientation(f[0], f[1], f[2], s, zero, &counters);
    int to = perturbed_orientation(f[0], f[1], f[2], t, zero, &counters);
    int first = perturbed_orientation(s, t, f[0], f[1], zero, &counters);
    return from * to < 0 && first == perturbed_orientation(s, t, f[1], f[2], zero, &counters) &&
           first == perturbed_orientation(s, t, f[2], f[0], zero, &counters);
}

static int common_corners(const dent_surface_face *a, const dent_surface_face *b)
{
    return is_corner(b, a->corners[0]) + is_corner(b, a->corners[1]) + is_corner(b, a->corners[2]);
}

/* The moved faces cross. */
static bool faces_cross(const struct seen_body *a, uint32_t face_a, const struct seen_body *b, uint32_t face_b)
{
    bool ignored;
    if (boxes_are_apart(a, a->faces[face_a].corners, 3, b, b->faces[face_b].corners) ||
        (a == b && common_corners(&a->faces[face_a], &b->faces[face_b]) > 1)) {
        return false;
    }
    for (int k = 0; k < 3; k++) {
        const uint32_t *p = a->faces[face_a].corners, *q = b->faces[face_b].corners;
        if (pierces(a, p[k], p[(k + 1) % 3], b, face_b, &ignored) ||
            pierces(b, q[k], q[(k + 1) % 3], a, face_a, &ignored)) {
            return true;
        }
    }
    return false;
}

static bool faces_really_cross(const struct seen_body *a, uint32_t face_a, const struct seen_body *b, uint32_t face_b)
{
    predicate_counters counters = {0};
    const double *p[3], *q[3];
    for (int k = 0; k < 3; k++) {
        p[k] = a->xyz[a->faces[face_a].corners[k]];
        q[k] = b->xyz[b->faces[face_b].corners[k]];
    }
    return triangle_versus_triangle(p, q, &counters) == FACE_PAIR_CROSSING;
}

static uint32_t faces_at_edge(const struct seen_body *body, dent_edge edge)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < body->face_count; i++) {
        count += is_corner(&body->faces[i], edge.v0) && is_corner(&body->faces[i], edge.v1);
    }
    return count;
}

/* ---- curves ------------------------------------------------------------------------------------------------------ */

/* A segment ends at this point: the point is an incidence of its two faces. */
static void check_point_on_segment(const struct seen_world *seen, const dent_border_curve *curve,
                                   const dent_border_segment *segment, const dent_border_point *point)
{
    const struct seen_body *a = &seen->bodies[curve->body_a], *b = &seen->bodies[curve->body_b];
    if (point->kind == DENT_BORDER_VERTEX) {
        assert_true(a == b && point->edge_body == curve->body_a);
        assert_true(is_corner(&a->faces[segment->face_a], point->edge) &&
                    is_corner(&b->faces[segment->face_b], point->edge));
        return;
    }
    assert_int_equal(point->kind, DENT_BORDER_EDGE_FACE);
    const struct seen_body *owner = &seen->bodies[point->edge_body];
    dent_edge edge = owner->edges[point->edge];
    bool zero, edge_of_a = point->edge_body == curve->body_a && point->face_body == curve->body_b &&
                           point->face == segment->face_b && is_corner(&a->faces[segment->face_a], edge.v0) &&
                           is_corner(&a->faces[segment->face_a], edge.v1);
    bool edge_of_b = point->edge_body == curve->body_b && point->face_body == curve->body_a &&
                     point->face == segment->face_a && is_corner(&b->faces[segment->face_b], edge.v0) &&
                     is_corner(&b->faces[segment->face_b], edge.v1);
    assert_true(edge_of_a || edge_of_b);
    assert_true(pierces(owner, edge.v0, edge.v1, &seen->bodies[point->face_body], point->face, &zero));
    assert_true(zero == point->degenerate);
    assert_true(point->parameter >= 0 && point->parameter <= 1);
    for (int axis = 0; axis < 3; axis++) {
        double p = owner->xyz[edge.v0][axis], q = owner->xyz[edge.v1][axis];
        assert_true(isfinite(point->position[axis]));
        assert_true(point->degenerate || (point->position[axis] >= fmin(p, q) && point->position[axis] <= fmax(p, q)));
    }
}

static void check_curve_end(const struct seen_world *seen, const dent_border_point *point)
{
    if (point->kind == DENT_BORDER_EDGE_FACE) {
        const struct seen_body *owner = &seen->bodies[point->edge_body];
        assert_int_equal(faces_at_edge(owner, owner->edges[point->edge]) % 2, 1);
    }
}

static void check_curves(const struct seen_world *seen, const dent_border *border)
{
    uint32_t points = 0, segments = 0;
    for (uint64_t i = 0; i < border->curve_count; i++) {
        const dent_border_curve *curve = &border->curves[i];
        const dent_border_point *point = &border->points[curve->first_point];
        const dent_border_segment *segment = &border->segments[curve->first_segment];
        assert_int_equal(curve->first_point, points);
        assert_int_equal(curve->first_segment, segments);
        assert_true(curve->segment_count > 0 && curve->body_a <= curve->body_b);
        assert_int_equal(curve->point_count, curve->segment_count + !curve->closed);
        uint32_t degenerate = 0;
        for (uint32_t k = 0; k < curve->segment_count; k++) {
            check_point_on_segment(seen, curve, &segment[k], &point[k]);
            check_point_on_segment(seen, curve, &segment[k], &point[(k + 1) % curve->point_count]);
            degenerate += segment[k].degenerate;
        }
        assert_int_equal(degenerate, curve->degenerate_segments);
        if (!curve->closed) {
            check_curve_end(seen, &point[0]);
            check_curve_end(seen, &point[curve->point_count - 1]);
        }
        points += curve->point_count;
        segments += curve->segment_count;
    }
    assert_int_equal(border->point_count, points);
    assert_int_equal(border->segment_count, segments);
}

static uint64_t segment_key(const struct seen_world *seen, uint32_t body_a, uint32_t face_a, uint32_t body_b,
                            uint32_t face_b)
{
    uint64_t first[TEST_BODIES_MAX], sum = 0;
    for (uint32_t i = 0; i < seen->body_count; i++) {
        first[i] = sum;
        sum += seen->bodies[i].face_count;
    }
    uint64_t a = first[body_a] + face_a, b = first[body_b] + face_b;
    return a < b ? a << 32 | b : b << 32 | a;
}

static int compare_keys(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Segments of the border (real ones only, or all) against all pairs of faces. Returns how many there are. */
static uint64_t check_segments(const struct seen_world *seen, const dent_border *border, bool all)
{
    uint64_t *keys = test_allocate(border->segment_count, sizeof *keys), count = 0;
    for (uint64_t i = 0; i < border->curve_count; i++) {
        const dent_border_curve *curve = &border->curves[i];
        for (uint32_t k = 0; k < curve->segment_count; k++) {
            const dent_border_segment *segment = &border->segments[curve->first_segment + k];
            if (all || !segment->degenerate) {
                keys[count++] = segment_key(seen, curve->body_a, segment->face_a, curve->body_b, segment->face_b);
            }
        }
    }
    qsort(keys, count, sizeof *keys, compare_keys);
    uint64_t expected = 0;
    for (uint32_t i = 0; i < seen->body_count; i++) {
        for (uint32_t j = i; j < seen->body_count; j++) {
            const struct seen_body *a = &seen->bodies[i], *b = &seen->bodies[j];
            for (uint32_t f = 0; f < a->face_count; f++) {
                for (uint32_t g = i == j ? f + 1 : 0; g < b->face_count; g++) {
                    if (!faces_cross(a, f, b, g) || (!all && !faces_really_cross(a, f, b, g))) {
                        continue;
                    }
                    uint64_t key = segment_key(seen, i, f, j, g);
                    expected++;
                    assert_non_null(bsearch(&key, keys, count, sizeof key, compare_keys));
                }
            }
        }
    }
    assert_int_equal(count, expected); /* each once: none twice */
    free(keys);
    return count;
}

/* Every crossing pair of the oracle is a real segment: the moved points lose none. */
static void check_oracle_pairs(const struct seen_world *seen, const dent_pair_list *pairs)
{
    for (uint64_t i = 0; i < pairs->count; i++) {
        const dent_pair *pair = &pairs->pairs[i];
        if (pair->kind == DENT_PAIR_CROSSING) {
            assert_true(faces_cross(&seen->bodies[pair->body_a], pair->feature_a, &seen->bodies[pair->body_b],
                                    pair->feature_b));
        }
    }
}

/* ---- cut edges and vertices -------------------------------------------------------------------------------------- */

static bool has_pair(const dent_pair_list *list, uint32_t body_a, uint32_t a, uint32_t body_b, uint32_t b)
{
    uint64_t low = 0, high = list->count;
    while (low < high) {
        uint64_t middle = (low + high) / 2;
        const dent_pair *pair = &list->pairs[middle];
        bool before = pair->body_a != body_a   ? pair->body_a < body_a
                      : pair->feature_a != a   ? pair->feature_a < a
                      : pair->body_b != body_b ? pair->body_b < body_b
                                               : pair->feature_b < b;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    const dent_pair *pair = &list->pairs[low];
    return low < list->count && pair->body_a == body_a && pair->feature_a == a && pair->body_b == body_b &&
           pair->feature_b == b;
}

static bool vertex_is_inside(const dent_pair_list *list, uint32_t body_a, uint32_t vertex, uint32_t body_b)
{
    for (uint64_t i = 0; i < list->count; i++) {
        if (list->pairs[i].body_a == body_a && list->pairs[i].feature_a == vertex && list->pairs[i].body_b == body_b) {
            return true;
        }
    }
    return false;
}

static bool face_meets_cell_at(const struct seen_world *seen, const dent_pair_list *face_cell, uint32_t body_index,
                               dent_edge edge, uint32_t other, uint32_t face)
{
    const struct seen_body *body = &seen->bodies[body_index];
    for (uint32_t i = 0; i < body->tetrahedron_count; i++) {
        int ends = 0;
        for (int k = 0; k < 4; k++) {
            ends += body->tetrahedra[4 * i + k] == edge.v0 || body->tetrahedra[4 * i + k] == edge.v1;
        }
        if (ends == 2 && has_pair(face_cell, other, face, body_index, body->cells ? body->cells[i] : i)) {
            return true;
        }
    }
    return false;
}

static bool on_a_curve(const dent_border *border, uint32_t edge_body, uint32_t edge, uint32_t face_body, uint32_t face)
{
    for (uint64_t i = 0; i < border->point_count; i++) {
        const dent_border_point *point = &border->points[i];
        if (point->kind == DENT_BORDER_EDGE_FACE && point->edge_body == edge_body && point->edge == edge &&
            point->face_body == face_body && point->face == face) {
            return true;
        }
    }
    return false;
}

static void check_cut_edge(const struct seen_world *seen, const dent_query_result *oracle, const dent_cut_edge *cut,
                           bool zero)
{
    double length = cut->normal[0] * cut->normal[0] + cut->normal[1] * cut->normal[1] + cut->normal[2] * cut->normal[2];
    dent_edge edge = seen->bodies[cut->body_a].edges[cut->edge];
    assert_true(cut->v0 == edge.v0 && cut->v1 == edge.v1);
    assert_true(cut->degenerate == zero);
    assert_true(fabs(length - 1) < 1e-14);
    assert_true(cut->parameter >= 0 && cut->parameter <= 1);
    assert_true(cut->v0_inside == vertex_is_inside(&oracle->vertex_cell, cut->body_a, cut->v0, cut->body_b));
    assert_true(cut->v1_inside == vertex_is_inside(&oracle->vertex_cell, cut->body_a, cut->v1, cut->body_b));
}

/* All edges against all faces, in canonical order. */
static void check_cut_edges(const struct seen_world *seen, const dent_border *border, const dent_query_result *oracle,
                            bool all)
{
    uint64_t next = 0;
    for (uint32_t i = 0; i < seen->body_count; i++) {
        const struct seen_body *a = &seen->bodies[i];
        for (uint32_t e = 0; e < a->edge_count; e++) {
            bool on_surface = faces_at_edge(a, a->edges[e]) > 0;
            for (uint32_t j = 0; j < seen->body_count; j++) {
                const struct seen_body *b = &seen->bodies[j];
                for (uint32_t f = 0; f < b->face_count; f++) {
                    bool zero;
                    if (!pierces(a, a->edges[e].v0, a->edges[e].v1, b, f, &zero)) {
                        continue;
                    }
                    bool listed = on_surface ? all || on_a_curve(border, i, e, j, f)
                                             : face_meets_cell_at(seen, &oracle->face_cell, i, a->edges[e], j, f);
                    assert_true(!on_surface || zero || listed); /* a real one is never left out */
                    if (listed) {
                        assert_true(next < border->cut_edge_count);
                        const dent_cut_edge *cut = &border->cut_edges[next++];
                        assert_true(cut->body_a == i && cut->edge == e && cut->body_b == j && cut->face == f);
                        check_cut_edge(seen, oracle, cut, zero);
                    }
                }
            }
        }
    }
    assert_int_equal(border->cut_edge_count, next);
}

static void check_vertices(const dent_border *border)
{
    uint64_t ends = 0, listed = 0;
    for (uint64_t i = 0; i < border->cut_edge_count; i++) {
        ends += (uint64_t)border->cut_edges[i].v0_inside + border->cut_edges[i].v1_inside;
    }
    for (uint64_t i = 0; i < border->vertex_count; i++) {
        const dent_border_vertex *vertex = &border->vertices[i], *before = vertex - 1;
        assert_int_equal(vertex->first_edge, listed);
        assert_true(vertex->edge_count > 0);
        assert_true(i == 0 || before->body_a < vertex->body_a ||
                    (before->body_a == vertex->body_a &&
                     (before->vertex < vertex->vertex ||
                      (before->vertex == vertex->vertex && before->body_b < vertex->body_b))));
        for (uint32_t k = 0; k < vertex->edge_count; k++) {
            uint32_t number = border->vertex_edges[vertex->first_edge + k];
            const dent_cut_edge *cut = &border->cut_edges[number];
            assert_true(k == 0 || border->vertex_edges[vertex->first_edge + k - 1] < number);
            assert_true(cut->body_a == vertex->body_a && cut->body_b == vertex->body_b);
            assert_true((cut->v0 == vertex->vertex && cut->v0_inside) || (cut->v1 == vertex->vertex && cut->v1_inside));
        }
        listed += vertex->edge_count;
    }
    assert_int_equal(border->vertex_edge_count, listed);
    assert_int_equal(ends, listed); /* distinct edges of distinct vertices, and as many as there are: all */
}

/* ---- random scenes ----------------------------------------------------------------------------------------------- */

struct kind_counts {
    uint64_t scenes, curves, open, degenerate_only, segments, cuts, vertices;
};

static void check_scene(dent_context *context, const struct test_scene *scene, struct kind_counts *counts)
{
    static struct seen_world seen;
    dent_world *oracle_world = dent_world_create(context), *world = dent_world_create(context);
    assert_int_equal(test_scene_add(scene, oracle_world), DENT_OK);
    assert_int_equal(test_scene_add(scene, world), DENT_OK);
    look_at(scene, world, &seen);
    dent_query_result oracle = ask(oracle_world, 7, DENT_METHOD_BRUTE_FORCE, NULL);
    check_oracle_pairs(&seen, &oracle.face_face);
    uint64_t curves[2];
    for (int all = 0; all < 2; all++) {
        dent_border_def def = dent_border_def_default();
        def.degenerate = all;
        dent_query_result result = ask(world, 0, DENT_METHOD_AUTO, &def);
        check_curves(&seen, &result.border);
        uint64_t segments = check_segments(&seen, &result.border, all);
        check_cut_edges(&seen, &result.border, &oracle, all);
        check_vertices(&result.border);
        curves[all] = result.border.curve_count;
        if (!all) {
            counts->segments += segments;
            counts->cuts += result.border.cut_edge_count;
            counts->vertices += result.border.vertex_count;
            for (uint64_t i = 0; i < curves[0]; i++) {
                counts->open += !result.border.curves[i].closed;
                assert_true(result.border.curves[i].degenerate_segments < result.border.curves[i].segment_count);
            }
        }
    }
    counts->scenes++;
    counts->curves += curves[0];
    counts->degenerate_only += curves[1] - curves[0];
    dent_world_destroy(world);
    dent_world_destroy(oracle_world);
}

static void random_scenes_give_what_the_definitions_say(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        struct kind_counts counts = {0};
        for (uint32_t seed = 0; seed < test_rounds(kind == SCENE_SOUP ? 5 : 20); seed++) {
            struct test_scene scene = {0};
            test_scene_make(&scene, kind, 1000 + seed);
            if (test_scene_elements(&scene) <= ELEMENTS_MAX) {
                check_scene(context, &scene, &counts);
            }
            test_scene_free(&scene);
        }
        printf("%-22s %3u scenes: %5u curves (%u open; %u touching only), %6u segments, %6u cut edges, %5u border "
               "vertices\n",
               test_scene_kind_name(kind), (unsigned)counts.scenes, (unsigned)counts.curves, (unsigned)counts.open,
               (unsigned)counts.degenerate_only, (unsigned)counts.segments, (unsigned)counts.cuts,
               (unsigned)counts.vertices);
    }
    dent_context_destroy(context);
}

/* In the long tier 20,000 scenes. */
static void scenes_of_any_magnitudes_give_what_the_definitions_say(void **state)
{
    (void)state;
    struct kind_counts counts = {0};
    dent_context *contexts[DENT_ISA_COUNT];
    uint32_t context_count = 0;
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            contexts[context_count++] = test_context(1 + (uint32_t)isa % 2, (dent_isa)isa);
        }
    }
    for (uint64_t seed = 0; seed < test_count(100, 500, 20000); seed++) {
        struct test_scene scene;
        wide_scene_make(&scene, WIDE_ANY_SHAPES, 90000000 + seed);
        check_scene(contexts[seed % context_count], &scene, &counts);
        test_scene_free(&scene);
    }
    printf("any magnitudes: %u scenes, %u curves (%u open; %u touching only), %u segments, %u cut edges, %u border "
           "vertices\n",
           (unsigned)counts.scenes, (unsigned)counts.curves, (unsigned)counts.open, (unsigned)counts.degenerate_only,
           (unsigned)counts.segments, (unsigned)counts.cuts, (unsigned)counts.vertices);
    assert_true(counts.curves > counts.scenes / 2);
    for (uint32_t i = 0; i < context_count; i++) {
        dent_context_destroy(contexts[i]);
    }
}

/* A closed fan around a vertex, some of its arms the one before but for the last bits, longer or shorter: faces between
 * such arms are seen edge-on from everywhere, and whether they lie side by side is below what doubles can tell. */
static void make_narrow_fan(struct test_scene *scene, dent_random *random)
{
    uint32_t arms = 5 + dent_random_below(random, 4);
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SURFACE, arms + 1, arms, 3 * arms);
    double height = dent_random_unit(random), rotated = dent_random_unit(random);
    for (int axis = 0; axis < 3; axis++) {
        body->xyz[0][axis] = dent_random_unit(random);
    }
    for (uint32_t i = 0; i < arms; i++) {
        double *arm = body->xyz[i + 1], *apex = body->xyz[0];
        double angle = 6.28318 * (rotated + (double)i / arms), length = 0.5 + dent_random_unit(random);
        double at[3] = {cos(angle), sin(angle), height * dent_random_unit(random)};
        bool narrow = i > 0 && dent_random_below(random, 2) != 0;
        for (int axis = 0; axis < 3; axis++) {
            double x = narrow ? (body->xyz[i][axis] - apex[axis]) * length : at[axis];
            arm[axis] = apex[axis] + x + ldexp((double)dent_random_below(random, 9) - 4, -53);
        }
        body->corners[3 * i] = 0;
        body->corners[3 * i + 1] = i + 1;
        body->corners[3 * i + 2] = 1 + (i + 1) % arms;
    }
}

static void narrow_fans_give_what_the_definitions_say(void **state)
{
    (void)state;
    struct kind_counts counts = {0};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(241);
    for (uint64_t turn = 0; turn < test_count(100, 2000, 20000); turn++) {
        struct test_scene scene = {0};
        make_narrow_fan(&scene, &random);
        check_scene(context, &scene, &counts);
        test_scene_free(&scene);
    }
    printf("narrow fans: %u scenes, %u curves, %u segments\n", (unsigned)counts.scenes, (unsigned)counts.curves,
           (unsigned)counts.segments);
    assert_true(counts.curves > 0);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(narrow_fans_give_what_the_definitions_say),
        cmocka_unit_test(random_scenes_give_what_the_definitions_say),
        cmocka_unit_test(scenes_of_any_magnitudes_give_what_the_definitions_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
