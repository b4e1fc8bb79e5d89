/* Bounding trees of strands and searches by a deadline: a complete search has the pairs of the question `strand`, an
 * interrupted one covers what it has not confirmed, and strands inside a closed surface are found. */
#include "query/proximity_cases.h"
#include "support/random_strands.h"

#include "geometry/metric/feature_distance.h"
#include "geometry/predicates/triangle_predicates.h"

#include <dent/strand.h>
#include <dent/time_critical.h>

struct found {
    uint32_t count;
    uint32_t (*pairs)[2]; /* sorted */
};

static int compare_found(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return a[0] != b[0] ? (a[0] < b[0] ? -1 : 1) : a[1] < b[1] ? -1 : a[1] > b[1];
}

static void note(struct found *found, uint32_t a, uint32_t b)
{
    found->pairs[found->count][0] = a;
    found->pairs[found->count++][1] = b;
}

static void sort_found(struct found *found)
{
    qsort(found->pairs, found->count, sizeof *found->pairs, compare_found);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < found->count; i++) {
        if (i == 0 || compare_found(found->pairs[i], found->pairs[kept - 1]) != 0) {
            memmove(found->pairs[kept++], found->pairs[i], sizeof found->pairs[i]);
        }
    }
    found->count = kept;
}

static dent_bound_tree *tree_of(dent_world *world, uint32_t body, uint64_t seed)
{
    static const uint32_t branching[3] = {2, 4, 8};
    dent_bound_tree_def def = dent_bound_tree_def_default();
    dent_bound_tree *tree = NULL;
    def.kind = (dent_bound_kind)(seed % 5);
    def.branching = branching[seed % 3];
    def.leaf_faces = 1 + seed % 7;
    assert_int_equal(dent_bound_tree_create(world, dent_world_body_at(world, body), &def, &tree), DENT_OK);
    return tree;
}

struct pair_search {
    dent_bound_tree *a, *b;
    dent_time_critical *search;
};

static struct pair_search open_search(dent_context *context, dent_world *world, uint32_t a, uint32_t b, uint64_t seed)
{
    struct pair_search open = {.a = tree_of(world, a, seed)};
    open.b = a == b ? open.a : tree_of(world, b, seed / 5);
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = open.a;
    def.tree_b = open.b;
    def.pair_capacity = 1u << 20;
    def.confirmed_capacity = 1u << 18;
    def.pending_capacity = 1u << 18;
    assert_int_equal(dent_time_critical_create(context, &def, &open.search), DENT_OK);
    dent_time_critical_begin(open.search, NULL);
    return open;
}

static void close_search(struct pair_search *open)
{
    dent_time_critical_destroy(open->search);
    dent_bound_tree_destroy(open->a == open->b ? NULL : open->b);
    dent_bound_tree_destroy(open->a);
}

/* A node holds a range of the tree's order. */
static bool is_below(dent_bound_tree *tree, uint32_t node, uint32_t element)
{
    dent_bound_node range = dent_bound_tree_node(tree, node);
    const uint32_t *order = dent_bound_tree_face_order(tree);
    for (uint32_t i = range.first_face; i < range.first_face + range.face_count; i++) {
        if (order[i] == element) {
            return true;
        }
    }
    return false;
}

static bool is_covered(const struct pair_search *open, const dent_time_critical_result *result, const uint32_t pair[2])
{
    for (uint32_t i = 0; i < result->pair_count; i++) {
        if (result->pairs[i].face_a == pair[0] && result->pairs[i].face_b == pair[1]) {
            return true;
        }
    }
    for (uint32_t i = 0; i < result->pending_count; i++) {
        const dent_region_pair *region = &result->pending[i];
        if ((is_below(open->a, region->node_a, pair[0]) && is_below(open->b, region->node_b, pair[1])) ||
            (open->a == open->b && is_below(open->a, region->node_a, pair[1]) &&
             is_below(open->b, region->node_b, pair[0]))) {
            return true;
        }
    }
    return false;
}

/* Slice by slice: each state covers the truth, the last one is the truth. */
static void compare_with_truth(struct pair_search *open, const struct found *truth)
{
    dent_time_critical_result result;
    double error = INFINITY;
    do {
        assert_int_equal(dent_time_critical_run(open->search, dent_budget_units(60), &result), DENT_OK);
        assert_true(result.outcome != DENT_OUTCOME_TRUNCATED && result.error <= error);
        error = result.error;
        for (uint32_t i = 0; i < truth->count; i += 1 + truth->count / 7) {
            assert_true(is_covered(open, &result, truth->pairs[i]));
        }
    } while (result.outcome != DENT_OUTCOME_COMPLETE);
    struct found got = {0, test_allocate(result.pair_count + 1, sizeof *got.pairs)};
    for (uint32_t i = 0; i < result.pair_count; i++) {
        note(&got, result.pairs[i].face_a, result.pairs[i].face_b);
    }
    uint32_t before = got.count;
    sort_found(&got);
    assert_int_equal(before, got.count);
    assert_int_equal(got.count, truth->count);
    assert_true(got.count == 0 || memcmp(got.pairs, truth->pairs, got.count * sizeof *got.pairs) == 0);
    assert_true(result.error == 0 && result.pending_count == 0);
    free(got.pairs);
}

static dent_strand_result ask_brute_force(dent_world *world)
{
    dent_strand_query_def def = dent_strand_query_def_default();
    dent_strand_result result;
    def.method = DENT_METHOD_BRUTE_FORCE;
    def.no_details = true;
    assert_int_equal(dent_world_strands(world, &def, &result), DENT_OK);
    return result;
}

static void searches_of_strands_end_with_the_pairs_of_strand(void **state)
{
    static const uint32_t threads[2] = {1, 2};
    uint64_t pairs = 0;
    (void)state;
    for (int kind = 0; kind < STRAND_SCENE_KINDS; kind++) {
        for (uint64_t seed = 0; seed < test_count(2, 14, 300); seed++) {
            struct strand_scene scene;
            dent_context *context = test_context(threads[seed % 2], seed % 3 ? DENT_ISA_AUTO : DENT_ISA_SCALAR);
            dent_world *world = dent_world_create(context);
            strand_scene_make(&scene, kind, seed, 8);
            assert_int_equal(strand_scene_add(&scene, world), DENT_OK);
            dent_strand_result all = ask_brute_force(world);
            struct found truth = {0, test_allocate(all.edge_edge_count + 1, sizeof *truth.pairs)};
            uint32_t first = scene.others.body_count;
            for (uint32_t a = first; a < first + scene.body_count; a++) {
                for (uint32_t b = a; b < first + scene.body_count; b++) {
                    truth.count = 0;
                    for (uint64_t i = 0; i < all.edge_edge_count; i++) {
                        const dent_pair *pair = &all.edge_edge[i];
                        if (pair->body_a == a && pair->body_b == b) {
                            note(&truth, pair->feature_a, pair->feature_b);
                        }
                    }
                    if (a == b && !scene.bodies[a - first].self_collision) {
                        continue; /* the question leaves them out, a search does not */
                    }
                    struct pair_search open = open_search(context, world, a, b, seed * 31 + a + 7 * b);
                    compare_with_truth(&open, &truth);
                    close_search(&open);
                    pairs += truth.count;
                }
            }
            free(truth.pairs);
            dent_world_destroy(world);
            dent_context_destroy(context);
            strand_scene_free(&scene);
        }
    }
    printf("%llu pairs\n", (unsigned long long)pairs);
    assert_true(pairs > 1000);
}

/* Faces of a body with this edge. */
static bool face_has(const dent_surface_face *face, uint32_t vertex)
{
    return face->corners[0] == vertex || face->corners[1] == vertex || face->corners[2] == vertex;
}

static bool segment_reaches(const double *const ends[2], const double *const corners[3], double radius)
{
    double least = fmin(vertex_face_distance(ends[0], corners), vertex_face_distance(ends[1], corners));
    for (int k = 0; k < 3; k++) {
        const double *edge[2] = {corners[k], corners[(k + 1) % 3]};
        least = fmin(least, edge_edge_distance(ends, edge));
    }
    return least <= radius;
}

static bool has(const struct found *found, uint32_t a, uint32_t b)
{
    const uint32_t pair[2] = {a, b};
    return bsearch(pair, found->pairs, found->count, sizeof *found->pairs, compare_found) != NULL;
}

/* Segments and faces of two bodies that cross or are near. What `strand` says of their vertices and edges is among them: a
 * vertex has its own radius there, a segment the larger of its ends'. */
static void find_truth_of_surface(dent_world *world, const struct strand_scene *scene, uint32_t strands, uint32_t other,
                                  struct found *truth)
{
    dent_strand_result all = ask_brute_force(world);
    uint32_t edge_count, segment_count, face_count;
    const dent_edge *edges = dent_body_edges(world, dent_world_body_at(world, other), &edge_count);
    const dent_edge *segments = dent_body_edges(world, dent_world_body_at(world, strands), &segment_count);
    const dent_surface_face *faces = dent_body_surface_faces(world, dent_world_body_at(world, other), &face_count);
    const struct strand_body *body = &scene->bodies[strands - scene->others.body_count];
    const double(*xyz)[3] = (const double(*)[3])scene->others.bodies[other].xyz;
    predicate_counters counters = {0};
    for (uint32_t s = 0; s < segment_count; s++) {
        const double *ends[3] = {body->xyz[segments[s].v0], body->xyz[segments[s].v1], body->xyz[segments[s].v1]};
        for (uint32_t f = 0; f < face_count; f++) {
            const double *corners[3] = {xyz[faces[f].corners[0]], xyz[faces[f].corners[1]], xyz[faces[f].corners[2]]};
            double r0 = body->radii ? body->radii[segments[s].v0] : body->thickness,
                   r1 = body->radii ? body->radii[segments[s].v1] : body->thickness;
            if (triangle_versus_triangle(ends, corners, &counters) != FACE_PAIR_NONE ||
                segment_reaches(ends, corners, r0 > r1 ? r0 : r1)) {
                note(truth, f, s);
            }
        }
    }
    sort_found(truth);
    for (uint64_t i = 0; i < all.vertex_face_count; i++) {
        const dent_pair *pair = &all.vertex_face[i];
        for (uint32_t s = 0; pair->body_a == strands && pair->body_b == other && s < segment_count; s++) {
            if (segments[s].v0 == pair->feature_a || segments[s].v1 == pair->feature_a) {
                assert_true(has(truth, pair->feature_b, s));
            }
        }
    }
    for (uint64_t i = 0; i < all.edge_edge_count; i++) {
        const dent_pair *pair = &all.edge_edge[i];
        for (uint32_t f = 0; pair->body_a == other && pair->body_b == strands && f < face_count; f++) {
            const dent_edge *edge = &edges[pair->feature_a];
            if (face_has(&faces[f], edge->v0) && face_has(&faces[f], edge->v1)) {
                assert_true(has(truth, f, pair->feature_b));
            }
        }
    }
}

static void searches_of_strands_and_surfaces_find_what_is_near_or_crosses(void **state)
{
    uint64_t pairs = 0;
    for (uint64_t seed = 0; seed < test_count(4, 40, 1000); seed++) {
        struct strand_scene scene;
        dent_world *world = dent_world_create(*state);
        strand_scene_make(&scene, STRANDS_WITH_SURFACE, seed, 8);
        assert_int_equal(strand_scene_add(&scene, world), DENT_OK);
        for (uint32_t other = 0; other < scene.others.body_count; other++) {
            uint32_t strands = scene.others.body_count;
            struct found truth = {0, test_allocate(1u << 20, sizeof *truth.pairs)};
            find_truth_of_surface(world, &scene, strands, other, &truth);
            struct pair_search open = open_search(*state, world, other, strands, seed * 31 + other);
            compare_with_truth(&open, &truth);
            close_search(&open);
            pairs += truth.count;
            free(truth.pairs);
        }
        dent_world_destroy(world);
        strand_scene_free(&scene);
    }
    printf("%llu pairs\n", (unsigned long long)pairs);
    assert_true(pairs > test_count(4, 40, 1000) / 2);
}

/* A cube, and strands inside, outside, through its side, and from a root on it. */
static void strands_inside_a_closed_surface_are_found(void **state)
{
    static const double cube[8][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};
    static const uint32_t faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                          {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    static const double xyz[10][3] = {{.4, .4, .4}, {.6, .5, .5}, {2, 2, 2}, {3, 2, 2}, {.3, .6, .5},
                                      {.3, .6, 1.5}, {.5, .25, 1}, {.5, .25, 1.2}, {.5, .25, 1.4}, {.5, .25, 1.6}};
    static const uint32_t first[5] = {0, 2, 4, 6, 10};
    static const uint32_t expected[4] = {DENT_COMPONENT_INSIDE, DENT_COMPONENT_OUTSIDE, DENT_COMPONENT_CROSSING,
                                         DENT_COMPONENT_OUTSIDE};
    dent_world *world = dent_world_create(*state);
    dent_body_def def = dent_body_def_default(DENT_BODY_SURFACE);
    dent_body_id ids[2];
    def.vertex_count = 8;
    def.element_count = 12;
    def.element_corners = faces[0];
    def.positions_t0 = dent_positions_double(cube[0]);
    assert_int_equal(dent_world_add_body(world, &def, &ids[0]), DENT_OK);
    def = dent_strands_def_default();
    dent_strand_root root = {3, ids[0], 2};
    def.vertex_count = 10;
    def.strand_count = 4;
    def.first = first;
    def.thickness = 0.01;
    def.root_on = &root;
    def.root_on_count = 1;
    def.positions_t0 = dent_positions_double(xyz[0]);
    assert_int_equal(dent_world_add_body(world, &def, &ids[1]), DENT_OK);
    for (uint64_t seed = 0; seed < 30; seed++) {
        struct pair_search open = open_search(*state, world, 1, 0, seed);
        dent_time_critical_result result;
        assert_int_equal(dent_time_critical_run(open.search, dent_budget_units(UINT64_MAX), &result), DENT_OK);
        assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
        assert_int_equal(result.component_count, 4);
        for (uint32_t i = 0; i < 4; i++) {
            assert_int_equal(result.components[i].state, expected[i]);
        }
        for (uint32_t i = 0; i < result.pair_count; i++) { /* of the third strand only: roots are left out */
            assert_int_equal(result.pairs[i].face_a, 2);
            assert_int_equal(result.pairs[i].kind, DENT_PAIR_CROSSING);
        }
        assert_int_equal(result.pair_count, 1);
        close_search(&open);
    }
    dent_world_destroy(world);
}

/* Grows until two strands touch: radii are read at each update. */
static void updates_read_radii_anew(void **state)
{
    static const double xyz[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    static const uint32_t first[3] = {0, 2, 4};
    dent_world *world = dent_world_create(*state);
    dent_body_def def = dent_strands_def_default();
    dent_body_id id;
    def.vertex_count = 4;
    def.strand_count = 2;
    def.first = first;
    def.thickness = 0.25;
    def.positions_t0 = dent_positions_double(xyz[0]);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    struct pair_search open = open_search(*state, world, 0, 0, 3);
    dent_time_critical_result result;
    for (int step = 0; step < 2; step++) {
        assert_int_equal(dent_time_critical_run(open.search, dent_budget_units(UINT64_MAX), &result), DENT_OK);
        assert_int_equal(result.pair_count, step);
        assert_int_equal(dent_body_set_thickness(world, id, 0.5), DENT_OK);
        assert_int_equal(dent_bound_tree_update(open.a), DENT_OK);
        dent_time_critical_begin(open.search, NULL);
    }
    close_search(&open);
    dent_world_destroy(world);
}

static void strands_take_no_medial_axis(void **state)
{
    static const double xyz[2][3] = {{0, 0, 0}, {1, 0, 0}};
    static const uint32_t first[2] = {0, 2};
    dent_world *world = dent_world_create(*state);
    dent_body_def def = dent_strands_def_default();
    dent_body_id id;
    def.vertex_count = 2;
    def.strand_count = 1;
    def.first = first;
    def.positions_t0 = dent_positions_double(xyz[0]);
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    dent_bound_tree_def tree_def = dent_bound_tree_def_default();
    dent_bound_tree *tree = NULL;
    tree_def.builder = DENT_BUILD_MEDIAL;
    assert_int_equal(dent_bound_tree_create(world, id, &tree_def, &tree), DENT_ERROR_UNSUPPORTED);
    assert_non_null(strstr(dent_world_message(world), "has strands: they have no medial axis"));
    dent_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_of_strands_end_with_the_pairs_of_strand),
        cmocka_unit_test(searches_of_strands_and_surfaces_find_what_is_near_or_crosses),
        cmocka_unit_test(strands_inside_a_closed_surface_are_found),
        cmocka_unit_test(updates_read_radii_anew),
        cmocka_unit_test(strands_take_no_medial_axis),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
