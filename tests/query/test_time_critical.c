/* The interruptible search against brute force: whatever the budget, nothing is hidden; bounds never rise; unlimited,
 * it is the oracle; stopping and going on changes nothing. On random scenes of every kind, all pairs of bodies and
 * bodies with themselves.
 */
#include "support/cmocka_includes.h"

#include "geometry/feature_distance.h"
#include "geometry/winding_number.h"
#include "support/failing_allocator.h"
#include "support/random_scene.h"

enum { ELEMENTS_MAX = 400 };

/* Of the searches in lists_are_the_same_…: any compiler, any machine. */
static const struct golden {
    dent_bound_kind kind;
    uint64_t units, hash;
} golden[] = {{DENT_BOUND_SPHERES, 3948, UINT64_C(0xbc3f4fea766258df)},
              {DENT_BOUND_BOXES, 1569, UINT64_C(0x2f0dbea37c36c947)},
              {DENT_BOUND_DOP14, 1367, UINT64_C(0xd27e23986a37b2c7)},
              {DENT_BOUND_DOP18, 1231, UINT64_C(0xd7d3d212a50b5801)}};

static uint32_t rounds(uint32_t standard)
{
    return getenv("DENT_QUICK_TESTS") ? standard / 10 + 1 : getenv("DENT_LONG_TESTS") ? standard * 10 : standard;
}

static dent_context *make_context(uint32_t threads, dent_isa isa)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    def.isa = isa;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

/* ---- one pair of bodies ------------------------------------------------------------------------------------------ */

struct stage {
    dent_context *context;
    dent_world *world;
    struct test_scene scene;
    uint32_t body_a, body_b;
    dent_bound_tree *tree_a, *tree_b;
    dent_time_critical *search;
    uint32_t true_count;
    dent_face_pair *truth; /* sorted */
};

static int compare_pairs(const void *left, const void *right)
{
    const dent_face_pair *a = left, *b = right;
    if (a->face_a != b->face_a) {
        return a->face_a < b->face_a ? -1 : 1;
    }
    return a->face_b < b->face_b ? -1 : a->face_b > b->face_b;
}

static void find_truth(struct stage *stage, bool touching)
{
    dent_query_def ask = dent_query_def_default();
    dent_query_result result;
    ask.questions = DENT_QUESTION_FACE_FACE;
    ask.method = DENT_METHOD_BRUTE_FORCE;
    ask.touching = touching;
    assert_int_equal(dent_world_query(stage->world, &ask, &result), DENT_OK);
    stage->true_count = 0;
    stage->truth = test_allocate(result.face_face.count, sizeof *stage->truth);
    for (uint64_t i = 0; i < result.face_face.count; i++) {
        const dent_pair *pair = &result.face_face.pairs[i];
        if (pair->body_a == stage->body_a && pair->body_b == stage->body_b) {
            stage->truth[stage->true_count++] = (dent_face_pair){pair->feature_a, pair->feature_b, pair->kind};
        }
    }
}

static void open_trees(struct stage *stage, dent_random *random)
{
    static const uint32_t branchings[3] = {2, 4, 8};
    dent_bound_tree_def def = dent_bound_tree_def_default();
    for (int side = 0; side < 2; side++) {
        /* Mostly the same on both sides, as the slabs are only used then. */
        def.kind =
            side == 0 || dent_random_below(random, 4) == 0 ? (dent_bound_kind)dent_random_below(random, 5) : def.kind;
        def.branching = branchings[dent_random_below(random, 3)];
        def.leaf_faces = 1 + dent_random_below(random, dent_random_below(random, 2) ? 4 : 16);
        dent_body_id id = dent_world_body_at(stage->world, side ? stage->body_b : stage->body_a);
        dent_body_topology topology;
        assert_int_equal(dent_body_get_topology(stage->world, id, &topology), DENT_OK);
        bool medial =
            topology.surface_closed && topology.surface_face_count < 100 && dent_random_below(random, 32) == 0;
        def.builder = medial ? DENT_BUILD_MEDIAL : DENT_BUILD_SPLIT;
        dent_bound_tree **tree = side ? &stage->tree_b : &stage->tree_a;
        assert_int_equal(dent_bound_tree_create(stage->world, id, &def, tree), DENT_OK);
    }
    if (stage->body_a == stage->body_b) {
        dent_bound_tree_destroy(stage->tree_b);
        stage->tree_b = stage->tree_a;
    }
}

static void close_trees(struct stage *stage)
{
    if (stage->tree_b != stage->tree_a) {
        dent_bound_tree_destroy(stage->tree_b);
    }
    dent_bound_tree_destroy(stage->tree_a);
    free(stage->truth);
    stage->truth = NULL;
}

static dent_time_critical_def search_def(const struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = stage->tree_a;
    def.tree_b = stage->tree_b;
    def.order = (dent_refine_order)dent_random_below(random, 4);
    def.pending_capacity = 1u << 15;
    return def;
}

/* ---- is everything there? ---------------------------------------------------------------------------------------- */

/* place_of[face] of a tree */
static uint32_t *places(const dent_bound_tree *tree)
{
    uint32_t count = dent_bound_tree_get_facts(tree).faces;
    const uint32_t *order = dent_bound_tree_face_order(tree);
    uint32_t *place = test_allocate(count, sizeof *place);
    for (uint32_t i = 0; i < count; i++) {
        place[order[i]] = i;
    }
    return place;
}

static bool node_holds(dent_bound_tree *tree, uint32_t node, uint32_t place)
{
    dent_bound_node facts = dent_bound_tree_node(tree, node);
    return place >= facts.first_face && place < facts.first_face + facts.face_count;
}

/* How many of the true pairs are neither confirmed nor below a pending entry. */
static uint32_t hidden_pairs(const struct stage *stage, const dent_time_critical_result *result,
                             const uint32_t *place_a, const uint32_t *place_b)
{
    uint32_t hidden = 0;
    bool self = stage->body_a == stage->body_b;
    for (uint32_t i = 0; i < stage->true_count; i++) {
        const dent_face_pair *pair = &stage->truth[i];
        bool found = false;
        for (uint32_t k = 0; k < result->pair_count && !found; k++) {
            found = result->pairs[k].face_a == pair->face_a && result->pairs[k].face_b == pair->face_b &&
                    result->pairs[k].kind == pair->kind;
        }
        for (uint32_t k = 0; k < result->pending_count && !found; k++) {
            const dent_region_pair *entry = &result->pending[k];
            uint32_t a = place_a[pair->face_a], b = place_b[pair->face_b];
            found =
                (node_holds(stage->tree_a, entry->node_a, a) && node_holds(stage->tree_b, entry->node_b, b)) ||
                (self && node_holds(stage->tree_a, entry->node_a, b) && node_holds(stage->tree_b, entry->node_b, a));
        }
        hidden += !found;
    }
    return hidden;
}

static void assert_is_truth(const struct stage *stage, const dent_time_critical_result *result)
{
    dent_face_pair *found = test_allocate(result->pair_count, sizeof *found);
    memcpy(found, result->pairs, result->pair_count * sizeof *found);
    qsort(found, result->pair_count, sizeof *found, compare_pairs);
    assert_int_equal(result->outcome, DENT_OUTCOME_COMPLETE);
    assert_int_equal(result->pending_count, 0);
    assert_true(result->error == 0);
    assert_int_equal(result->pair_count, stage->true_count);
    assert_memory_equal(found, stage->truth, result->pair_count * sizeof *found);
    uint32_t confirmed = 0;
    for (uint32_t i = 0; i < result->confirmed_count; i++) {
        confirmed += result->confirmed[i].pair_count;
        assert_true(result->confirmed[i].pair_count > 0);
    }
    assert_int_equal(confirmed, result->pair_count);
    free(found);
}

/* Budgets 0, 1, 2, 4 … each from the start. Returns whether there was a truth to hide. */
static void check_all_budgets(struct stage *stage, const dent_time_critical_def *def)
{
    dent_time_critical_result result;
    uint32_t *place_a = places(stage->tree_a), *place_b = places(stage->tree_b);
    double error = INFINITY, depth = INFINITY;
    assert_int_equal(dent_time_critical_create(stage->context, def, &stage->search), DENT_OK);
    for (uint64_t units = 0;; units = units ? units * 2 : 1) {
        dent_time_critical_begin(stage->search, NULL);
        assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(units), &result), DENT_OK);
        assert_int_equal(hidden_pairs(stage, &result, place_a, place_b), 0);
        assert_true(result.error <= error);
        assert_true(result.depth <= depth);
        error = result.error;
        depth = result.depth;
        for (uint32_t i = 0; i < result.pair_count; i++) {
            assert_non_null(
                bsearch(&result.pairs[i], stage->truth, stage->true_count, sizeof *stage->truth, compare_pairs));
        }
        if (result.outcome != DENT_OUTCOME_BUDGET_SPENT) {
            break;
        }
        assert_true(result.pending_count > 0 || result.components_pending > 0);
    }
    assert_is_truth(stage, &result);
    dent_time_critical_destroy(stage->search);
    free(place_a);
    free(place_b);
}

typedef void pair_function(struct stage *stage, dent_random *random);

struct totals {
    uint64_t pairs_of_bodies, with_answers;
};

static void for_random_pairs(uint32_t seeds, uint64_t elements_max, bool touching, pair_function *function,
                             const char *what)
{
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO)};
    struct totals totals = {0};
    for (uint32_t seed = 0; seed < seeds; seed++) {
        for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
            dent_random random = dent_random_seeded(1000 + seed * 64 + (uint64_t)kind);
            test_scene_make(&stage.scene, kind, seed + 500);
            stage.world = dent_world_create(stage.context);
            if (test_scene_elements(&stage.scene) <= elements_max) {
                assert_int_equal(test_scene_add(&stage.scene, stage.world), DENT_OK);
                for (int k = 0; k < 4 && k < (int)(stage.scene.body_count * stage.scene.body_count); k++) {
                    uint32_t a = dent_random_below(&random, stage.scene.body_count);
                    uint32_t b = dent_random_below(&random, stage.scene.body_count);
                    stage.body_a = a < b ? a : b;
                    stage.body_b = a < b ? b : a;
                    find_truth(&stage, touching);
                    open_trees(&stage, &random);
                    function(&stage, &random);
                    totals.pairs_of_bodies++;
                    totals.with_answers += stage.true_count > 0;
                    close_trees(&stage);
                }
            }
            dent_world_destroy(stage.world);
            test_scene_free(&stage.scene);
        }
    }
    print_message("%s: %llu pairs of bodies, %llu with crossing faces\n", what,
                  (unsigned long long)totals.pairs_of_bodies, (unsigned long long)totals.with_answers);
    assert_true(totals.pairs_of_bodies > 0 && 4 * totals.with_answers >= totals.pairs_of_bodies);
    dent_context_destroy(stage.context);
}

static void check_budgets(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    check_all_budgets(stage, &def);
}

static void nothing_is_hidden_for_any_budget_and_bounds_never_rise(void **state)
{
    (void)state;
    for_random_pairs(rounds(24), ELEMENTS_MAX, false, check_budgets, "superset");
}

static void check_touching(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    def.touching = true;
    check_all_budgets(stage, &def);
}

static void touching_pairs_are_found_when_asked_for(void **state)
{
    (void)state;
    for_random_pairs(rounds(10), ELEMENTS_MAX, true, check_touching, "touching");
}

/* ---- stopping and going on --------------------------------------------------------------------------------------- */

static void assert_same_lists(const dent_time_critical_result *left, const dent_time_critical_result *right)
{
    assert_int_equal(left->pending_count, right->pending_count);
    assert_int_equal(left->confirmed_count, right->confirmed_count);
    assert_int_equal(left->pair_count, right->pair_count);
    assert_memory_equal(left->pending, right->pending, left->pending_count * sizeof *left->pending);
    assert_memory_equal(left->confirmed, right->confirmed, left->confirmed_count * sizeof *left->confirmed);
    assert_memory_equal(left->pairs, right->pairs, left->pair_count * sizeof *left->pairs);
    assert_memory_equal(left->components, right->components, left->component_count * sizeof *left->components);
    assert_true(left->error == right->error && left->depth == right->depth);
    assert_int_equal(left->work_units, right->work_units);
    assert_int_equal(left->outcome, right->outcome);
}

static void check_resume(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical *once, *pieces;
    dent_time_critical_result whole, part;
    assert_int_equal(dent_time_critical_create(stage->context, &def, &once), DENT_OK);
    assert_int_equal(dent_time_critical_create(stage->context, &def, &pieces), DENT_OK);
    for (int step = 0; step < 6; step++) {
        uint64_t total = 0;
        dent_time_critical_begin(pieces, NULL);
        do {
            uint64_t units = dent_random_below(random, 2u << (2 * step));
            total += units;
            assert_int_equal(dent_time_critical_run(pieces, dent_budget_units(units), &part), DENT_OK);
        } while (part.outcome == DENT_OUTCOME_BUDGET_SPENT && dent_random_below(random, 8));
        dent_time_critical_begin(once, NULL);
        assert_int_equal(dent_time_critical_run(once, dent_budget_units(total), &whole), DENT_OK);
        assert_same_lists(&whole, &part);
    }
    assert_int_equal(dent_time_critical_run(pieces, dent_budget_ns(INFINITY), &part), DENT_OK);
    assert_is_truth(stage, &part);
    dent_time_critical_destroy(once);
    dent_time_critical_destroy(pieces);
}

static void stopping_and_going_on_is_the_same_as_one_run(void **state)
{
    (void)state;
    for_random_pairs(rounds(10), ELEMENTS_MAX, false, check_resume, "resume");
}

/* ---- small lists ------------------------------------------------------------------------------------------------- */

static void check_capacity(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical_result result;
    uint32_t *place_a = places(stage->tree_a), *place_b = places(stage->tree_b);
    def.pending_capacity = dent_random_below(random, 2) ? 1 : 1 + dent_random_below(random, 40);
    def.confirmed_capacity = 1 + dent_random_below(random, 20);
    def.pair_capacity = 1 + dent_random_below(random, 600);
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
    assert_int_equal(dent_time_critical_run(stage->search, dent_budget_ns(INFINITY), &result), DENT_OK);
    assert_int_equal(hidden_pairs(stage, &result, place_a, place_b), 0);
    assert_true(result.outcome == DENT_OUTCOME_COMPLETE || result.outcome == DENT_OUTCOME_TRUNCATED);
    assert_true(result.outcome == DENT_OUTCOME_COMPLETE ? result.pending_count == 0 : result.pending_count > 0);
    if (result.outcome == DENT_OUTCOME_COMPLETE) {
        assert_is_truth(stage, &result);
    }
    dent_time_critical_destroy(stage->search);
    free(place_a);
    free(place_b);
}

static void nothing_is_hidden_when_lists_are_full(void **state)
{
    (void)state;
    for_random_pairs(rounds(15), ELEMENTS_MAX, false, check_capacity, "capacity");
}

/* A pool of a few hundred entries is enough for any search: when it is nearly full the search goes deep. */
static void a_small_pool_is_enough_for_a_large_search(void **state)
{
    (void)state;
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO), .body_b = 1};
    dent_random random = dent_random_seeded(5);
    for (int i = 0; i < 2; i++) {
        struct test_body *body = test_add_sheet(&stage.scene, 40, 40);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            body->xyz[v][2] = dent_random_unit(&random) * 2;
        }
    }
    stage.world = dent_world_create(stage.context);
    assert_int_equal(test_scene_add(&stage.scene, stage.world), DENT_OK);
    find_truth(&stage, false);
    assert_true(stage.true_count > 1000);
    open_trees(&stage, &random);
    for (int order = 0; order < 4; order++) {
        dent_time_critical_def def = search_def(&stage, &random);
        dent_time_critical_result result;
        def.order = (dent_refine_order)order;
        def.pending_capacity = 512;
        assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
        dent_time_critical_begin(stage.search, NULL);
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(INFINITY), &result), DENT_OK);
        assert_is_truth(&stage, &result);
        dent_time_critical_destroy(stage.search);
    }
    close_trees(&stage);
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
}

/* ---- per-entry bounds -------------------------------------------------------------------------------------------- */

/* Distance of two faces that do not cross (0 may come out as a little more than 0). */
static double face_distance(const double *const a[3], const double *const b[3])
{
    double best = INFINITY;
    for (int i = 0; i < 3; i++) {
        best = fmin(best, fmin(vertex_face_distance(a[i], b), vertex_face_distance(b[i], a)));
        for (int j = 0; j < 3; j++) {
            const double *edge_a[2] = {a[i], a[(i + 1) % 3]}, *edge_b[2] = {b[j], b[(j + 1) % 3]};
            best = fmin(best, edge_edge_distance(edge_a, edge_b));
        }
    }
    return best;
}

static void corners_of(const struct stage *stage, bool side_b, uint32_t place, const double *corners[3])
{
    uint32_t count, body = side_b ? stage->body_b : stage->body_a;
    const dent_surface_face *faces =
        dent_body_surface_faces(stage->world, dent_world_body_at(stage->world, body), &count);
    uint32_t face = dent_bound_tree_face_order(side_b ? stage->tree_b : stage->tree_a)[place];
    for (int k = 0; k < 3; k++) {
        corners[k] = stage->scene.bodies[body].xyz[faces[face].corners[k]];
    }
}

static void assert_gap_is_between(const struct stage *stage, const dent_region_pair *entry)
{
    dent_bound_node a = dent_bound_tree_node(stage->tree_a, entry->node_a),
                    b = dent_bound_tree_node(stage->tree_b, entry->node_b);
    double gap = INFINITY, largest = 0;
    for (uint32_t i = a.first_face; i < a.first_face + a.face_count; i++) {
        for (uint32_t j = b.first_face; j < b.first_face + b.face_count; j++) {
            const double *face_a[3], *face_b[3];
            corners_of(stage, false, i, face_a);
            corners_of(stage, true, j, face_b);
            gap = fmin(gap, face_distance(face_a, face_b));
            for (int k = 0; k < 9; k++) {
                largest = fmax(largest, fmax(fabs(face_a[k / 3][k % 3]), fabs(face_b[k / 3][k % 3])));
            }
        }
    }
    double slack = 64 * 0x1p-53 * largest; /* of the measured distance */
    assert_true(entry->lo <= gap + slack);
    assert_true(gap <= fmax(entry->lo, 0) + entry->error +
                           slack); /* a crossing has gap 0: the measured distance is above it */
}

static void check_entry_bounds(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical_result result;
    if (stage->body_a == stage->body_b) {
        return;
    }
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
    double least_error = INFINITY, least_depth = INFINITY;
    for (int run = 0; run < 60; run++) { /* of a step at most, so that no list is missed */
        double error = 0, depth = 0;
        assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(run > 0), &result), DENT_OK);
        for (uint32_t i = 0; i < result.pending_count; i++) {
            if (stage->true_count == 0 && run % 20 == 0) { /* gaps are measurable */
                assert_gap_is_between(stage, &result.pending[i]);
            }
            error = fmax(error, result.pending[i].error);
            depth = fmax(depth, -result.pending[i].lo);
        }
        for (uint32_t i = 0; i < result.confirmed_count; i++) {
            depth = fmax(depth, -result.confirmed[i].lo);
        }
        least_error = fmin(least_error, error);
        least_depth = fmin(least_depth, depth);
        assert_true(result.pending_error >= error && result.error >= least_error && result.depth >= least_depth);
        if (error > 0) { /* buckets: sixteen to the octave */
            assert_true(result.pending_error <= error * (17.0 / 16));
        }
        if (least_error > 0) {
            assert_true(result.error <= least_error * (17.0 / 16));
        }
    }
    dent_time_critical_destroy(stage->search);
}

static void gaps_lie_between_the_bounds_of_their_entries(void **state)
{
    (void)state;
    for_random_pairs(rounds(10), 150, false, check_entry_bounds, "gaps");
}

/* ---- containment ------------------------------------------------------------------------------------------------- */

struct component_oracle {
    uint32_t vertex_count, face_count;
    const double (*xyz)[3];
    const dent_surface_face *faces;
    uint32_t *number; /* by vertex: the smallest vertex of the component */
    bool closed;
};

static struct component_oracle look_at(const struct stage *stage, uint32_t body)
{
    struct component_oracle oracle = {.xyz = (const double(*)[3])stage->scene.bodies[body].xyz};
    dent_body_topology topology;
    dent_body_id id = dent_world_body_at(stage->world, body);
    dent_body_get_topology(stage->world, id, &topology);
    oracle.closed = topology.surface_closed;
    oracle.vertex_count = topology.vertex_count;
    oracle.faces = dent_body_surface_faces(stage->world, id, &oracle.face_count);
    oracle.number = test_allocate(oracle.vertex_count, sizeof *oracle.number);
    for (uint32_t v = 0; v < oracle.vertex_count; v++) {
        oracle.number[v] = v;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (uint32_t f = 0; f < oracle.face_count; f++) {
            uint32_t least = UINT32_MAX;
            for (int k = 0; k < 3; k++) {
                least = oracle.number[oracle.faces[f].corners[k]] < least ? oracle.number[oracle.faces[f].corners[k]]
                                                                          : least;
            }
            for (int k = 0; k < 3; k++) {
                changed |= oracle.number[oracle.faces[f].corners[k]] != least;
                oracle.number[oracle.faces[f].corners[k]] = least;
            }
        }
    }
    return oracle;
}

static dent_component_state true_state(const struct stage *stage, const struct component_oracle *own,
                                       const struct component_oracle *other, uint32_t first_face, bool of_b)
{
    uint32_t number = own->number[own->faces[first_face].corners[0]];
    uint32_t(*triangles)[3] = test_allocate(other->face_count, sizeof *triangles);
    dent_component_state state = DENT_COMPONENT_ON;
    for (uint32_t f = 0; f < other->face_count; f++) {
        memcpy(triangles[f], other->faces[f].corners, sizeof triangles[f]);
    }
    for (uint32_t i = 0; i < stage->true_count; i++) {
        uint32_t face = of_b ? stage->truth[i].face_b : stage->truth[i].face_a;
        if (own->number[own->faces[face].corners[0]] == number) {
            state = DENT_COMPONENT_CROSSING;
        }
    }
    for (uint32_t f = 0; f < own->face_count && state == DENT_COMPONENT_ON; f++) {
        for (int k = 0; k < 3 && own->number[own->faces[f].corners[0]] == number && state == DENT_COMPONENT_ON; k++) {
            predicate_counters counters = {0};
            bool on;
            int winding = winding_number(own->xyz[own->faces[f].corners[k]], other->xyz,
                                         (const uint32_t(*)[3])triangles, other->face_count, &counters, &on);
            state = on ? DENT_COMPONENT_ON : winding ? DENT_COMPONENT_INSIDE : DENT_COMPONENT_OUTSIDE;
        }
    }
    free(triangles);
    return state;
}

static uint32_t states_seen[5];

static void check_containment(struct stage *stage, dent_random *random)
{
    if (stage->body_a == stage->body_b) {
        return;
    }
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical_result result;
    struct component_oracle bodies[2] = {look_at(stage, stage->body_a), look_at(stage, stage->body_b)};
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
    do {
        assert_int_equal(
            dent_time_critical_run(stage->search, dent_budget_units(dent_random_below(random, 400)), &result), DENT_OK);
        uint32_t pending = 0;
        for (uint32_t i = 0; i < result.component_count; i++) {
            uint32_t state = result.components[i].state, side = result.components[i].side;
            pending += state == DENT_COMPONENT_PENDING;
            dent_component_state truth =
                true_state(stage, &bodies[side], &bodies[1 - side], result.components[i].first_face, side == 1);
            assert_true(state == DENT_COMPONENT_PENDING || state == truth);
            states_seen[state] += result.outcome == DENT_OUTCOME_COMPLETE;
        }
        assert_int_equal(pending, result.components_pending);
    } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_int_equal(result.components_pending, 0);
    /* All components about a closed other, each once. */
    uint32_t expected = 0;
    for (int side = 0; side < 2; side++) {
        for (uint32_t v = 0; v < bodies[side].vertex_count; v++) {
            bool used = false;
            for (uint32_t f = 0; f < bodies[side].face_count && !used; f++) {
                used = bodies[side].faces[f].corners[0] == v || bodies[side].faces[f].corners[1] == v ||
                       bodies[side].faces[f].corners[2] == v;
            }
            expected += bodies[1 - side].closed && used && bodies[side].number[v] == v;
        }
        free(bodies[side].number);
    }
    assert_int_equal(result.component_count, expected);
    dent_time_critical_destroy(stage->search);
}

static void components_inside_the_other_body_are_found(void **state)
{
    (void)state;
    memset(states_seen, 0, sizeof states_seen);
    for_random_pairs(rounds(20), 250, false, check_containment, "containment");
    print_message("components: %u outside, %u inside, %u crossing, %u on the other's surface\n",
                  states_seen[DENT_COMPONENT_OUTSIDE], states_seen[DENT_COMPONENT_INSIDE],
                  states_seen[DENT_COMPONENT_CROSSING], states_seen[DENT_COMPONENT_ON]);
    assert_true(states_seen[DENT_COMPONENT_INSIDE] > 0 && states_seen[DENT_COMPONENT_OUTSIDE] > 0);
    assert_true(states_seen[DENT_COMPONENT_CROSSING] > 0 && states_seen[DENT_COMPONENT_ON] > 0);
}

/* ---- front reuse ------------------------------------------------------------------------------------------------- */

static uint32_t fronts_used;

static void check_front(struct stage *stage, dent_random *random)
{
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical_result result;
    const dent_time_critical_start reuse = {.reuse_front = true};
    def.front_capacity = dent_random_below(random, 4) ? 1u << 15 : dent_random_below(random, 200);
    struct test_body *body = &stage->scene.bodies[stage->body_a];
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
    assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(dent_random_below(random, 4000)), &result),
                     DENT_OK);
    for (int step = 0; step < 5; step++) {
        double shift = (dent_random_unit(random) - 0.5) * (step < 3 ? 0.05 : 1);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            body->xyz[v][step % 3] *= 1 + shift;
        }
        assert_int_equal(dent_bound_tree_update(stage->tree_a), DENT_OK);
        if (stage->tree_b != stage->tree_a) {
            assert_int_equal(dent_bound_tree_update(stage->tree_b), DENT_OK);
        }
        free(stage->truth);
        find_truth(stage, false);
        uint32_t *place_a = places(stage->tree_a), *place_b = places(stage->tree_b);
        double error = INFINITY, depth = INFINITY;
        dent_time_critical_begin(stage->search, &reuse);
        for (uint64_t units = 1;; units *= 2) {
            assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(units), &result), DENT_OK);
            assert_int_equal(hidden_pairs(stage, &result, place_a, place_b), 0);
            assert_true(result.error <= error && result.depth <= depth);
            error = result.error;
            depth = result.depth;
            if (result.outcome != DENT_OUTCOME_BUDGET_SPENT || (step == 1 && units > 64)) {
                break;
            }
        }
        if (step != 1) {
            assert_is_truth(stage, &result);
        }
        fronts_used += result.bound_tests > 0 && result.splits == 0 && result.confirmed_count > 0;
        free(place_a);
        free(place_b);
    }
    dent_time_critical_destroy(stage->search);
}

static void a_search_from_the_last_front_finds_the_same(void **state)
{
    (void)state;
    fronts_used = 0;
    for_random_pairs(rounds(10), 200, false, check_front, "front");
    print_message("searches that needed no split at all: %u\n", fronts_used);
    assert_true(fronts_used > 0);
}

/* ---- what must not matter ---------------------------------------------------------------------------------------- */

static void open_two_blocks(struct stage *stage, dent_context *context)
{
    *stage = (struct stage){.context = context, .body_b = 1};
    test_add_block(&stage->scene, 4, 4, 4);
    struct test_body *b = test_add_block(&stage->scene, 4, 2, 2);
    for (uint32_t v = 0; v < b->vertex_count; v++) {
        b->xyz[v][0] += 2.3;
        b->xyz[v][1] += 0.4;
    }
    stage->world = dent_world_create(context);
    assert_non_null(stage->world);
    assert_int_equal(test_scene_add(&stage->scene, stage->world), DENT_OK);
}

struct printed {
    uint64_t hash, units;
};

/* A fingerprint of the lists after each of some budgets; lengths divided by `unit`, a power of two. */
static struct printed print_search(dent_bound_kind kind, uint32_t threads, dent_isa isa, double unit)
{
    struct stage stage;
    open_two_blocks(&stage, make_context(threads, isa));
    struct printed printed = {UINT64_C(0xcbf29ce484222325), 0};
    dent_bound_tree_def tree_def = dent_bound_tree_def_default();
    tree_def.kind = kind;
    for (uint32_t i = 0; i < 2; i++) {
        for (uint32_t v = 0; v < stage.scene.bodies[i].vertex_count; v++) {
            double *p = stage.scene.bodies[i].xyz[v];
            double bent = p[0] * p[0] * 0.01;
            p[0] *= unit;
            p[1] = (p[1] + bent) * unit;
            p[2] = (p[2] * 0.9 + p[1] / unit * 0.1) * unit;
        }
        assert_int_equal(dent_bound_tree_create(stage.world, dent_world_body_at(stage.world, i), &tree_def,
                                                i ? &stage.tree_b : &stage.tree_a),
                         DENT_OK);
    }
    dent_time_critical_def def = dent_time_critical_def_default();
    def.tree_a = stage.tree_a;
    def.tree_b = stage.tree_b;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
    dent_time_critical_begin(stage.search, NULL);
    dent_time_critical_result result;
    do {
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(100), &result), DENT_OK);
        double numbers[2] = {result.error / unit, result.depth / unit};
        uint64_t words[4] = {0, 0, result.pending_count, result.pair_count};
        memcpy(words, numbers, sizeof numbers);
        for (int k = 0; k < 4; k++) {
            printed.hash = (printed.hash ^ words[k]) * UINT64_C(0x100000001b3);
        }
        for (uint32_t i = 0; i < result.pending_count; i++) {
            printed.hash = (printed.hash ^ result.pending[i].node_a) * UINT64_C(0x100000001b3);
            printed.hash = (printed.hash ^ result.pending[i].node_b) * UINT64_C(0x100000001b3);
        }
    } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_true(result.pair_count > 10);
    printed.units = result.work_units;
    dent_time_critical_destroy(stage.search);
    close_trees(&stage);
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
    return printed;
}

static void check_fingerprint(const struct golden *expected)
{
    struct printed first = print_search(expected->kind, 1, DENT_ISA_SCALAR, 1);
    print_message("fingerprint of kind %d: %016llx, %llu units\n", (int)expected->kind, (unsigned long long)first.hash,
                  (unsigned long long)first.units);
    for (int isa = DENT_ISA_AUTO; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            struct printed other = print_search(expected->kind, 3, (dent_isa)isa, 1);
            assert_true(other.hash == first.hash && other.units == first.units);
        }
    }
    static const double units[4] = {0x1p40, 0x1p-40, 0x1p300, 0x1p-300};
    for (int i = 0; i < 4; i++) {
        struct printed other = print_search(expected->kind, 1, DENT_ISA_AUTO, units[i]);
        assert_true(other.hash == first.hash && other.units == first.units);
    }
    assert_int_equal(first.units, expected->units);
    assert_true(first.hash == expected->hash); /* the same for every compiler and machine */
}

static void lists_are_the_same_for_threads_instruction_sets_and_powers_of_two(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof golden / sizeof golden[0]; i++) {
        check_fingerprint(&golden[i]);
    }
}

/* ---- bad input and memory ---------------------------------------------------------------------------------------- */

static void bad_budgets_and_defs_are_refused_with_a_message(void **state)
{
    (void)state;
    struct stage stage;
    dent_random random = dent_random_seeded(1);
    char message[512];
    open_two_blocks(&stage, make_context(1, DENT_ISA_AUTO));
    open_trees(&stage, &random);
    dent_time_critical_def def = search_def(&stage, &random);
    dent_time_critical_result result = {.pair_count = 77};
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(5), &result), DENT_ERROR_INVALID_ARGUMENT);
    dent_time_critical_begin(stage.search, NULL);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(-1), &result), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(NAN), &result), DENT_ERROR_BAD_NUMBER);
    dent_context_message(stage.context, message, sizeof message);
    assert_non_null(strstr(message, "nan ns"));
    assert_int_equal(result.pair_count, 77);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(0), &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_BUDGET_SPENT);
    assert_int_equal(result.pending_count, 1);
    assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_OK);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(5), &result), DENT_ERROR_INVALID_ARGUMENT);
    dent_time_critical_destroy(stage.search);

    def.order = (dent_refine_order)9;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_ERROR_INVALID_ARGUMENT);
    def = search_def(&stage, &random);
    def.struct_size = 3;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_ERROR_INVALID_ARGUMENT);
    def = search_def(&stage, &random);
    def.pending_capacity = 0;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_ERROR_INVALID_ARGUMENT);
    def = search_def(&stage, &random);
    def.tree_b = NULL;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_ERROR_INVALID_ARGUMENT);

    dent_bound_tree *tree;
    dent_body_id id = dent_world_body_at(stage.world, 0);
    dent_bound_tree_def tree_def = dent_bound_tree_def_default();
    tree_def.branching = 3;
    assert_int_equal(dent_bound_tree_create(stage.world, id, &tree_def, &tree), DENT_ERROR_INVALID_ARGUMENT);
    tree_def = dent_bound_tree_def_default();
    tree_def.leaf_faces = 17;
    assert_int_equal(dent_bound_tree_create(stage.world, id, &tree_def, &tree), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_bound_tree_create(stage.world, (dent_body_id){9, 1}, NULL, &tree), DENT_ERROR_STALE_ID);
    dent_body_id sheet;
    dent_body_def sheet_def = test_body_def(test_add_sheet(&stage.scene, 2, 2));
    assert_int_equal(dent_world_add_body(stage.world, &sheet_def, &sheet), DENT_OK);
    tree_def = dent_bound_tree_def_default();
    tree_def.builder = DENT_BUILD_MEDIAL;
    assert_int_equal(dent_bound_tree_create(stage.world, sheet, &tree_def, &tree), DENT_ERROR_UNSUPPORTED);

    stage.scene.bodies[0].xyz[3][1] = NAN;
    assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_ERROR_BAD_NUMBER);
    assert_non_null(strstr(dent_world_message(stage.world), "vertex 3"));
    assert_int_equal(dent_bound_tree_create(stage.world, id, NULL, &tree), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_world_remove_body(stage.world, id), DENT_OK);
    assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_ERROR_STALE_ID);
    close_trees(&stage);
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
}

static dent_status build_and_run(struct stage *stage, dent_random *random)
{
    dent_bound_tree *trees[2] = {NULL, NULL};
    dent_time_critical *search = NULL;
    dent_time_critical_result result;
    dent_status status = DENT_OK;
    for (int side = 0; side < 2 && status == DENT_OK; side++) {
        dent_bound_tree_def def = dent_bound_tree_def_default();
        def.builder = side ? DENT_BUILD_MEDIAL : DENT_BUILD_SPLIT;
        status =
            dent_bound_tree_create(stage->world, dent_world_body_at(stage->world, (uint32_t)side), &def, &trees[side]);
    }
    if (status == DENT_OK) {
        dent_time_critical_def def = search_def(stage, random);
        def.tree_a = trees[0];
        def.tree_b = trees[1];
        def.front_capacity = 100;
        status = dent_time_critical_create(stage->context, &def, &search);
    }
    if (status == DENT_OK) {
        dent_time_critical_begin(search, NULL);
        status = dent_time_critical_run(search, dent_budget_ns(INFINITY), &result);
    }
    dent_time_critical_destroy(search);
    dent_bound_tree_destroy(trees[0]);
    dent_bound_tree_destroy(trees[1]);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    struct stage stage;
    dent_random random = dent_random_seeded(1);
    dent_context *context = dent_context_create(&context_def, NULL);
    open_two_blocks(&stage, context);
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    uint32_t failures = 0;
    for (uint32_t n = 1; status != DENT_OK; n++) {
        uint64_t blocks = memory.live_blocks;
        memory.requests = 0;
        memory.fail_at = n;
        status = build_and_run(&stage, &random);
        memory.fail_at = 0;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        failures += status != DENT_OK;
        (void)blocks; /* the world's scratch may have grown */
    }
    assert_true(failures > 10);
    dent_world_destroy(stage.world);
    dent_context_destroy(context);
    test_scene_free(&stage.scene);
    assert_true(failing_allocator_clean(&memory));
}

static void a_step_allocates_nothing(void **state)
{
    (void)state;
    struct stage stage;
    dent_random random = dent_random_seeded(1);
    open_two_blocks(&stage, make_context(2, DENT_ISA_AUTO));
    open_trees(&stage, &random);
    dent_time_critical_def def = search_def(&stage, &random);
    def.front_capacity = 10000;
    dent_time_critical_result result;
    const dent_time_critical_start reuse = {.reuse_front = true};
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
    uint64_t before = dent_context_memory_use(stage.context).allocations;
    for (int step = 0; step < 20; step++) {
        assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_OK);
        dent_time_critical_begin(stage.search, step % 2 ? &reuse : NULL);
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(step * 1000), &result), DENT_OK);
    }
    assert_int_equal(dent_context_memory_use(stage.context).allocations, before);
    dent_time_critical_destroy(stage.search);
    close_trees(&stage);
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_hidden_for_any_budget_and_bounds_never_rise),
        cmocka_unit_test(touching_pairs_are_found_when_asked_for),
        cmocka_unit_test(stopping_and_going_on_is_the_same_as_one_run),
        cmocka_unit_test(nothing_is_hidden_when_lists_are_full),
        cmocka_unit_test(a_small_pool_is_enough_for_a_large_search),
        cmocka_unit_test(gaps_lie_between_the_bounds_of_their_entries),
        cmocka_unit_test(components_inside_the_other_body_are_found),
        cmocka_unit_test(a_search_from_the_last_front_finds_the_same),
        cmocka_unit_test(lists_are_the_same_for_threads_instruction_sets_and_powers_of_two),
        cmocka_unit_test(bad_budgets_and_defs_are_refused_with_a_message),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(a_step_allocates_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
