/* The interruptible search in hostile hands: bodies of many closed components inside, upon and through one another,
 * exact copies, degenerate faces, coordinates at the ends of the range; elements replaced and models moved between two
 * runs; budgets that are no budgets; two threads in one world. The promises are those of test_time_critical.c.
 */
#include "query/time_critical_truth.h"

#include <float.h>
#include <pthread.h>

#include "geometry/predicates/triangle_predicates.h"
#include "support/random_surface.h"

/* ---- closed components ------------------------------------------------------------------------------------------- */

enum piece { PIECE_CUBE, PIECE_OCTAHEDRON, PIECE_TETRAHEDRON, PIECE_BOW_TIE, PIECE_KINDS };

static const double cube_corners[8][3] = {{-1, -1, -1}, {1, -1, -1}, {-1, 1, -1}, {1, 1, -1},
                                          {-1, -1, 1},  {1, -1, 1},  {-1, 1, 1},  {1, 1, 1}};
static const uint32_t cube_faces[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                           {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
static const double octahedron_corners[6][3] = {{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}};
static const uint32_t octahedron_faces[8][3] = {{0, 2, 4}, {0, 4, 3}, {0, 3, 5}, {0, 5, 2},
                                                {1, 4, 2}, {1, 3, 4}, {1, 5, 3}, {1, 2, 5}};
static const double tetrahedron_corners[4][3] = {{-1, -1, -1}, {1, -1, -1}, {0, 1, -1}, {0, 0, 1}};
static const uint32_t tetrahedron_faces[4][3] = {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}};
/* Two tetrahedra joined at vertex 0. */
static const double bow_tie_corners[7][3] = {{0, 0, 0},    {1, -1, -1}, {1, 1, -1}, {1, 0, 1},
                                             {-1, -1, -1}, {-1, 1, -1}, {-1, 0, 1}};
static const uint32_t bow_tie_faces[8][3] = {{0, 2, 1}, {0, 3, 2}, {0, 1, 3}, {1, 2, 3},
                                             {0, 4, 5}, {0, 5, 6}, {0, 6, 4}, {4, 6, 5}};

static const struct {
    uint32_t vertex_count, face_count;
    const double (*corners)[3];
    const uint32_t (*faces)[3];
} pieces[PIECE_KINDS] = {{8, 12, cube_corners, cube_faces},
                         {6, 8, octahedron_corners, octahedron_faces},
                         {4, 4, tetrahedron_corners, tetrahedron_faces},
                         {7, 8, bow_tie_corners, bow_tie_faces}};

/* `first` says which of its vertices comes first, so that no order of vertices is favoured. */
static void put_piece(struct test_body *body, enum piece kind, const double centre[3], double size, bool inside_out,
                      uint32_t first)
{
    uint32_t base = body->vertex_count, count = pieces[kind].vertex_count;
    for (uint32_t i = 0; i < count; i++) {
        const double *p = pieces[kind].corners[(i + first) % count];
        surface_put_vertex(body, centre[0] + size * p[0], centre[1] + size * p[1], centre[2] + size * p[2]);
    }
    for (uint32_t f = 0; f < pieces[kind].face_count; f++) {
        const uint32_t *v = pieces[kind].faces[(f + first) % pieces[kind].face_count];
        uint32_t corner[3];
        for (int k = 0; k < 3; k++) {
            corner[k] = base + (v[k] + count - first % count) % count;
        }
        surface_put_face(body, corner[0], corner[inside_out ? 2 : 1], corner[inside_out ? 1 : 2]);
    }
}

enum family {
    FAMILY_NESTED,     /* shells in shells, several deep, some inside out */
    FAMILY_SCATTERED,  /* components anywhere on a lattice: they touch, share planes, coincide, contain */
    FAMILY_COPIES,     /* the same body twice, shifted by lattice steps or not at all, perhaps twice as large */
    FAMILY_DEGENERATE, /* scattered, with pairs of opposite faces of no area, and faces given twice, turned */
    FAMILY_COUNT
};

static struct test_body make_family(dent_random *random, enum family family)
{
    enum { PIECES_MOST = 12 };
    struct test_body body = surface_new(8 * PIECES_MOST, 20 * PIECES_MOST);
    uint32_t count = 1 + dent_random_below(random, dent_random_below(random, 2) ? 3 : PIECES_MOST);
    for (uint32_t i = 0; i < count; i++) {
        double centre[3], size = dent_random_below(random, 4) ? 0.25 : 0.5 * (1 + dent_random_below(random, 6));
        enum piece kind = (enum piece)dent_random_below(random, PIECE_KINDS);
        for (int axis = 0; axis < 3; axis++) {
            centre[axis] = family == FAMILY_NESTED ? 0 : 0.5 * dent_random_below(random, 14);
        }
        if (family == FAMILY_NESTED) {
            kind = dent_random_below(random, 2) ? PIECE_CUBE : PIECE_OCTAHEDRON;
            size = i + (dent_random_below(random, 4) ? 1 : 0.5 * (1 + dent_random_below(random, 4)));
        }
        put_piece(&body, kind, centre, size, dent_random_below(random, 4) == 0, dent_random_below(random, 8));
    }
    for (uint32_t i = 0; family == FAMILY_DEGENERATE && i < 2 * count; i++) {
        uint32_t a = dent_random_below(random, body.vertex_count), b = dent_random_below(random, body.vertex_count),
                 c = dent_random_below(random, body.vertex_count);
        if (dent_random_below(random, 2)) { /* of no area: three vertices of an edge, one at the place of another */
            memcpy(body.xyz[a], body.xyz[b], sizeof body.xyz[a]);
        }
        surface_put_face(&body, a, b, c);
        surface_put_face(&body, a, c, b);
    }
    return body;
}

static struct test_body copy_body(const struct test_body *body)
{
    struct test_body copy = surface_new(body->vertex_count, body->element_count);
    copy.vertex_count = body->vertex_count;
    copy.element_count = body->element_count;
    memcpy(copy.xyz, body->xyz, body->vertex_count * sizeof *copy.xyz);
    memcpy(copy.corners, body->corners, 3 * (size_t)body->element_count * sizeof *copy.corners);
    return copy;
}

static void make_pair(struct stage *stage, dent_random *random, enum family family)
{
    static const double scales[8] = {1, 1, 1, 1e150, 1e-150, 0x1p-1000, 0x1p-1060, 1e306};
    double scale = scales[dent_random_below(random, 8)];
    static const double sizes[6] = {1, 1, 2, 0.5, 0.0625, 1.0625};
    double shift[3] = {0, 0, 0}, size = sizes[dent_random_below(random, 6)];
    stage->scene = (struct test_scene){.body_count = 2};
    stage->scene.bodies[0] = make_family(random, family);
    stage->scene.bodies[1] = family == FAMILY_COPIES ? copy_body(&stage->scene.bodies[0]) : make_family(random, family);
    for (int axis = 0; axis < 3 && dent_random_below(random, 3); axis++) {
        shift[axis] = dent_random_below(random, 3) ? 0.25 * dent_random_below(random, 8)
                                                   : dent_random_unit(random); /* off the lattice */
    }
    test_map(&stage->scene.bodies[1], size, size, size, shift[0], shift[1], shift[2]);
    for (int i = 0; i < 2; i++) {
        test_map(&stage->scene.bodies[i], scale, scale, scale, 0, 0, 0);
    }
    stage->world = dent_world_create(stage->context);
    assert_int_equal(test_scene_add(&stage->scene, stage->world), DENT_OK);
    stage->body_a = 0;
    stage->body_b = dent_random_below(random, 8) ? 1 : 0; /* or with itself */
    find_truth(stage, false);
    open_trees(stage, random);
}

static void close_pair(struct stage *stage)
{
    close_trees(stage);
    dent_world_destroy(stage->world);
    test_scene_free(&stage->scene);
}

static uint32_t states_seen[5];

/* In pieces, and at once: the same lists; the components true whenever they are asked. */
static void check_pieces(struct stage *stage, dent_random *random, bool reuse)
{
    dent_time_critical_def def = search_def(stage, random);
    dent_time_critical *once;
    dent_time_critical_result part, whole;
    const dent_time_critical_start start = {.reuse_front = reuse};
    uint64_t total = 0;
    def.front_capacity = reuse ? 20000 : 0;
    assert_int_equal(dent_time_critical_create(stage->context, &def, &stage->search), DENT_OK);
    assert_int_equal(dent_time_critical_create(stage->context, &def, &once), DENT_OK);
    for (int i = 0; i < (reuse ? 2 : 1); i++) { /* the second time from the front of the first */
        total = 0;
        dent_time_critical_begin(stage->search, &start);
        do {
            uint64_t units = dent_random_below(random, 700);
            total += units;
            assert_int_equal(dent_time_critical_run(stage->search, dent_budget_units(units), &part), DENT_OK);
            assert_components_are_true(stage, &part, states_seen);
        } while (part.outcome == DENT_OUTCOME_BUDGET_SPENT);
        assert_is_truth(stage, &part);
        assert_int_equal(part.components_pending, 0);
    }
    if (!reuse) {
        dent_time_critical_begin(once, NULL);
        assert_int_equal(dent_time_critical_run(once, dent_budget_units(total), &whole), DENT_OK);
        assert_same_lists(&whole, &part);
    }
    dent_time_critical_destroy(stage->search);
    dent_time_critical_destroy(once);
}

static void the_promises_hold_for_nested_touching_and_coincident_components(void **state)
{
    (void)state;
    uint32_t with_answers = 0, pairs = 0;
    memset(states_seen, 0, sizeof states_seen);
    for (uint32_t seed = 0; seed < rounds(60); seed++) {
        for (int family = 0; family < FAMILY_COUNT; family++) {
            struct stage stage = {.context = make_context(1, DENT_ISA_AUTO)};
            dent_random random = dent_random_seeded(seed * 16 + (uint64_t)family);
            make_pair(&stage, &random, (enum family)family);
            dent_time_critical_def def = search_def(&stage, &random);
            def.order = (dent_refine_order)dent_random_below(&random, DENT_REFINE_SIZE + 1);
            check_all_budgets(&stage, &def);
            check_pieces(&stage, &random, false);
            check_pieces(&stage, &random, true);
            with_answers += stage.true_count > 0;
            pairs++;
            close_pair(&stage);
            dent_context_destroy(stage.context);
        }
    }
    print_message("%u pairs of bodies, %u with crossing faces; components seen: %u pending, %u outside, %u inside, %u "
                  "crossing, %u on the other's surface\n",
                  pairs, with_answers, states_seen[0], states_seen[1], states_seen[2], states_seen[3], states_seen[4]);
    assert_true(5 * with_answers > pairs && with_answers < pairs);
    assert_true(states_seen[DENT_COMPONENT_INSIDE] > 0 && states_seen[DENT_COMPONENT_OUTSIDE] > 0);
    assert_true(states_seen[DENT_COMPONENT_ON] > 0 || pairs < 200);
}

/* ---- sides changed without a crossing ---------------------------------------------------------------------------- */

/* Of body 0 about a cube around the origin, side 2. */
static uint32_t state_about_cube(struct test_body body, uint32_t *pair_count)
{
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO), .body_b = 1};
    dent_random random = dent_random_seeded(3);
    dent_time_critical_result result;
    stage.scene.body_count = 2;
    stage.scene.bodies[0] = body;
    stage.scene.bodies[1] = surface_new(8, 12);
    put_piece(&stage.scene.bodies[1], PIECE_CUBE, (double[3]){0, 0, 0}, 1, false, 0);
    stage.world = dent_world_create(stage.context);
    assert_int_equal(test_scene_add(&stage.scene, stage.world), DENT_OK);
    open_trees(&stage, &random);
    dent_time_critical_def def = search_def(&stage, &random);
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
    dent_time_critical_begin(stage.search, NULL);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(INFINITY), &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_true(result.component_count >= 1);
    uint32_t found = result.components[0].state;
    *pair_count = result.pair_count;
    dent_time_critical_destroy(stage.search);
    close_pair(&stage);
    dent_context_destroy(stage.context);
    return found;
}

/* An octahedron whose equator lies in a side of the cube, a bow tie whose waist does: half of each is inside, no two
 * faces cross. Whatever vertex comes first, it is not outside, and not inside as a whole. */
static void a_component_that_passes_through_where_it_only_touches_is_crossing(void **state)
{
    (void)state;
    for (uint32_t first = 0; first < 8; first++) {
        uint32_t pairs;
        struct test_body body = surface_new(8, 12);
        put_piece(&body, PIECE_OCTAHEDRON, (double[3]){0, 0, 1}, 0.5, false, first);
        assert_int_equal(state_about_cube(body, &pairs), DENT_COMPONENT_CROSSING);
        assert_int_equal(pairs, 0);
        body = surface_new(8, 12);
        put_piece(&body, PIECE_BOW_TIE, (double[3]){1, 0, 0}, 0.5, false, first);
        assert_int_equal(state_about_cube(body, &pairs), DENT_COMPONENT_CROSSING);
        assert_int_equal(pairs, 0);
        body = surface_new(8, 12); /* from within, a tip against a side: inside as a whole */
        put_piece(&body, PIECE_OCTAHEDRON, (double[3]){0, 0, 0.5}, 0.5, false, first);
        assert_int_equal(state_about_cube(body, &pairs), DENT_COMPONENT_INSIDE);
        body = surface_new(8, 12); /* from without */
        put_piece(&body, PIECE_OCTAHEDRON, (double[3]){0, 0, 1.5}, 0.5, false, first);
        assert_int_equal(state_about_cube(body, &pairs), DENT_COMPONENT_OUTSIDE);
    }
}

/* ---- what changes under a search --------------------------------------------------------------------------------- */

struct blocks {
    struct stage stage;
    dent_random random;
};

static void open_blocks(struct blocks *blocks, uint32_t front_capacity)
{
    blocks->random = dent_random_seeded(11);
    open_two_blocks(&blocks->stage, make_context(1, DENT_ISA_AUTO));
    open_trees(&blocks->stage, &blocks->random);
    dent_time_critical_def def = search_def(&blocks->stage, &blocks->random);
    def.front_capacity = front_capacity;
    assert_int_equal(dent_time_critical_create(blocks->stage.context, &def, &blocks->stage.search), DENT_OK);
}

static void close_blocks(struct blocks *blocks)
{
    dent_time_critical_destroy(blocks->stage.search);
    close_pair(&blocks->stage);
    dent_context_destroy(blocks->stage.context);
}

/* The tree keeps the faces it was made of: a front of it never meets the numbers of others. */
static void elements_replaced_between_steps_make_the_update_fail_and_leave_the_search_as_it_was(void **state)
{
    (void)state;
    struct blocks blocks;
    dent_time_critical_result before, after;
    const dent_time_critical_start reuse = {.reuse_front = true};
    open_blocks(&blocks, 10000);
    dent_world *world = blocks.stage.world;
    dent_time_critical *search = blocks.stage.search;
    dent_time_critical_begin(search, NULL);
    assert_int_equal(dent_time_critical_run(search, dent_budget_units(300), &before), DENT_OK);
    assert_int_equal(dent_time_critical_run(search, dent_budget_ns(INFINITY), &before), DENT_OK);
    uint32_t pairs = before.pair_count;

    struct test_body torn = blocks.stage.scene.bodies[0];
    torn.element_count /= 2;
    dent_body_def def = test_body_def(&torn);
    dent_body_id id = dent_world_body_at(world, 0);
    assert_int_equal(dent_body_set_topology(world, id, &def), DENT_OK);
    assert_int_equal(dent_bound_tree_update(blocks.stage.tree_a), DENT_ERROR_STALE_ID);
    assert_non_null(strstr(dent_world_message(world), "other elements"));
    dent_time_critical_begin(search, &reuse);
    assert_int_equal(dent_time_critical_run(search, dent_budget_ns(INFINITY), &after), DENT_OK);
    assert_int_equal(after.outcome, DENT_OUTCOME_COMPLETE);
    assert_int_equal(after.pair_count, pairs);

    def = test_body_def(&blocks.stage.scene.bodies[0]); /* the same elements, given again, are others */
    assert_int_equal(dent_body_set_topology(world, id, &def), DENT_OK);
    assert_int_equal(dent_bound_tree_update(blocks.stage.tree_a), DENT_ERROR_STALE_ID);
    close_blocks(&blocks);
}

/* Positions may be overwritten at any time: the search goes on with those of the last update. */
static void positions_overwritten_between_runs_do_not_matter_until_the_update(void **state)
{
    (void)state;
    struct blocks blocks, untouched;
    dent_time_critical_result result, expected;
    open_blocks(&blocks, 0);
    open_blocks(&untouched, 0);
    dent_time_critical_begin(blocks.stage.search, NULL);
    dent_time_critical_begin(untouched.stage.search, NULL);
    assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_units(200), &result), DENT_OK);
    for (uint32_t v = 0; v < blocks.stage.scene.bodies[0].vertex_count; v++) {
        blocks.stage.scene.bodies[0].xyz[v][0] = NAN;
    }
    assert_int_equal(dent_bound_tree_update(blocks.stage.tree_a), DENT_ERROR_BAD_NUMBER); /* the tree is as before */
    assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_ns(INFINITY), &result), DENT_OK);
    assert_int_equal(dent_time_critical_run(untouched.stage.search, dent_budget_units(200), &expected), DENT_OK);
    assert_int_equal(dent_time_critical_run(untouched.stage.search, dent_budget_ns(INFINITY), &expected), DENT_OK);
    assert_same_lists(&result, &expected);
    close_blocks(&blocks);
    close_blocks(&untouched);
}

/* Body 0 of the scene bound to body 1, against the stage's body b; trees of balls. */
static dent_embedding *open_embedding(struct stage *stage)
{
    dent_embedding *model;
    dent_embedding_def embedding_def = dent_embedding_def_default();
    dent_bound_tree_def def = dent_bound_tree_def_default();
    stage->world = dent_world_create(stage->context);
    assert_int_equal(test_scene_add(&stage->scene, stage->world), DENT_OK);
    dent_body_id dense = dent_world_body_at(stage->world, 0), coarse = dent_world_body_at(stage->world, 1);
    embedding_def.longest_link = INFINITY;
    assert_int_equal(dent_embedding_create(stage->world, dense, coarse, &embedding_def, &model), DENT_OK);
    def.kind = DENT_BOUND_SPHERES;
    dent_body_id other = dent_world_body_at(stage->world, stage->body_b);
    assert_int_equal(dent_bound_tree_create(stage->world, other, &def, &stage->tree_b), DENT_OK);
    def.embedding = model;
    assert_int_equal(dent_bound_tree_create(stage->world, dense, &def, &stage->tree_a), DENT_OK);
    return model;
}

static void close_embedding(struct stage *stage, dent_embedding *model)
{
    close_trees(stage);
    dent_embedding_destroy(model);
    dent_world_destroy(stage->world);
    test_scene_free(&stage->scene);
    dent_context_destroy(stage->context);
}

/* Nodes of a reduced tree are computed when visited: of two poses, if the model may move between. */
static void a_reduced_model_moved_without_an_update_is_refused(void **state)
{
    (void)state;
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO), .body_b = 1};
    dent_random random = dent_random_seeded(5);
    char message[512];
    stage.scene.bodies[stage.scene.body_count++] = surface_closed(&random, 600);
    test_add_block(&stage.scene, 2, 2, 2);
    dent_embedding *model = open_embedding(&stage);
    dent_time_critical_def def = search_def(&stage, &random);
    dent_time_critical_result result = {.pair_count = 77};
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
    dent_time_critical_begin(stage.search, NULL);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(20), &result), DENT_OK);
    assert_int_equal(dent_embedding_move(model, dent_positions_double(stage.scene.bodies[1].xyz[0])), DENT_OK);
    result.pair_count = 77;
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(20), &result), DENT_ERROR_INVALID_ARGUMENT);
    dent_context_message(stage.context, message, sizeof message);
    assert_non_null(strstr(message, "moved"));
    assert_int_equal(result.pair_count, 77);
    dent_time_critical_begin(stage.search, NULL); /* does not help */
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(20), &result), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_OK);
    dent_time_critical_begin(stage.search, NULL);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(INFINITY), &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    dent_time_critical_destroy(stage.search);
    close_embedding(&stage, model);
}

/* Lengths whose squares overflow or vanish, in a model whose balls are computed from coarse nodes. */
static void the_promises_hold_for_reduced_models_at_the_ends_of_the_range(void **state)
{
    (void)state;
    static const double scales[] = {1, 1e150, 1e-150, 1e300, 1e-300, 0x1p-1040};
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO), .body_b = 2};
    dent_random random = dent_random_seeded(8);
    stage.scene.bodies[stage.scene.body_count++] = surface_closed(&random, 200);
    test_map(test_add_block(&stage.scene, 2, 2, 2), 1, 1, 1, -1, -1, -1);
    test_map(test_add_block(&stage.scene, 3, 2, 2), 0.5, 0.6, 0.7, -0.3, -0.2, -0.1);
    dent_embedding *model = open_embedding(&stage);
    struct test_body *dense = &stage.scene.bodies[0], *coarse = &stage.scene.bodies[1], *block = &stage.scene.bodies[2];
    double(*rest)[3] = test_allocate(block->vertex_count, sizeof *rest);
    double(*moved)[3] = test_allocate(coarse->vertex_count, sizeof *moved);
    memcpy(rest, block->xyz, block->vertex_count * sizeof *rest);
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        for (uint32_t v = 0; v < 3 * coarse->vertex_count; v++) {
            moved[v / 3][v % 3] = coarse->xyz[v / 3][v % 3] * scales[i];
        }
        for (uint32_t v = 0; v < 3 * block->vertex_count; v++) {
            block->xyz[v / 3][v % 3] = rest[v / 3][v % 3] * scales[i];
        }
        assert_int_equal(dent_embedding_move(model, dent_positions_double(moved[0])), DENT_OK);
        assert_int_equal(dent_bound_tree_update(stage.tree_a), DENT_OK);
        assert_int_equal(dent_bound_tree_update(stage.tree_b), DENT_OK);
        dent_embedding_write_dense(model, dense->xyz[0]);
        find_truth(&stage, false);
        print_message("reduced, scale %g: %u pairs\n", scales[i], stage.true_count);
        dent_time_critical_def search = search_def(&stage, &random);
        check_all_budgets(&stage, &search);
        free(stage.truth);
        stage.truth = NULL;
    }
    free(rest);
    free(moved);
    close_embedding(&stage, model);
}

/* ---- budgets ----------------------------------------------------------------------------------------------------- */

static void a_hundred_thousand_empty_budgets_change_nothing(void **state)
{
    (void)state;
    struct blocks blocks, once;
    dent_time_critical_result result, expected;
    open_blocks(&blocks, 0);
    open_blocks(&once, 0);
    dent_time_critical_begin(blocks.stage.search, NULL);
    for (uint32_t i = 0; i < 100000; i++) {
        dent_budget budget = i % 2 ? dent_budget_units(0) : dent_budget_ns(0);
        assert_int_equal(dent_time_critical_run(blocks.stage.search, budget, &result), DENT_OK);
        assert_true(result.outcome == DENT_OUTCOME_BUDGET_SPENT && result.pending_count == 1 && result.work_units == 0);
    }
    assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_units(500), &result), DENT_OK);
    dent_time_critical_begin(once.stage.search, NULL);
    assert_int_equal(dent_time_critical_run(once.stage.search, dent_budget_units(500), &expected), DENT_OK);
    assert_same_lists(&result, &expected);
    close_blocks(&blocks);
    close_blocks(&once);
}

/* Units left over by a deadline are not there for the next run: else a budget of 5 units would run to the end. */
static void units_a_deadline_left_over_lapse(void **state)
{
    (void)state;
    struct blocks blocks;
    dent_time_critical_result result;
    open_blocks(&blocks, 0);
    dent_time_critical_begin(blocks.stage.search, NULL);
    assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_ns(0), &result), DENT_OK);
    uint64_t used = result.work_units;
    assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_units(5), &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_BUDGET_SPENT);
    assert_true(result.work_units <= used + 5 + 64);
    dent_budget both = {.ns = 0, .work_units = 100000};
    used = result.work_units;
    assert_int_equal(dent_time_critical_run(blocks.stage.search, both, &result), DENT_OK);
    assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_units(5), &result), DENT_OK);
    assert_true(result.work_units <= used + 5 + 64);
    close_blocks(&blocks);
}

static void deadlines_that_are_none_are_refused_or_endless(void **state)
{
    (void)state;
    static const double refused[] = {-1, -DBL_MIN, -INFINITY, -1e300};
    static const double endless[] = {9223372036854775807.0, 18446744073709551615.0, DBL_MAX, INFINITY, 1e18};
    static const double nothing[] = {0, -0.0, DBL_TRUE_MIN, 1};
    struct blocks blocks;
    dent_time_critical_result result;
    open_blocks(&blocks, 0);
    dent_time_critical_begin(blocks.stage.search, NULL);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_ns(refused[i]), &result),
                         DENT_ERROR_BAD_NUMBER);
    }
    assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_ns(NAN), &result), DENT_ERROR_BAD_NUMBER);
    assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_ns(-NAN), &result), DENT_ERROR_BAD_NUMBER);
    for (size_t i = 0; i < sizeof nothing / sizeof nothing[0]; i++) {
        assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_ns(nothing[i]), &result), DENT_OK);
        assert_true(result.outcome == DENT_OUTCOME_BUDGET_SPENT && result.work_units == 0);
    }
    for (size_t i = 0; i < sizeof endless / sizeof endless[0]; i++) {
        dent_time_critical_begin(blocks.stage.search, NULL);
        assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_ns(endless[i]), &result), DENT_OK);
        assert_true(result.outcome == DENT_OUTCOME_COMPLETE && result.overrun_ns == 0);
    }
    close_blocks(&blocks);
}

/* The margin for the longest batch must not starve a caller who gives little at a time. */
static void short_deadlines_in_a_row_reach_the_end(void **state)
{
    (void)state;
    struct blocks blocks;
    dent_time_critical_result result;
    open_blocks(&blocks, 0);
    dent_time_critical_begin(blocks.stage.search, NULL);
    uint32_t runs = 0;
    do {
        assert_int_equal(dent_time_critical_run(blocks.stage.search, dent_budget_ns(3000), &result), DENT_OK);
        runs++;
    } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT && runs < 20000000);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    print_message("complete after %u runs of 3 us\n", runs);
    close_blocks(&blocks);
}

/* All memory is touched when a search is made: four billion entries would not fail but end the program. */
static void capacities_beyond_all_memory_are_refused(void **state)
{
    (void)state;
    struct blocks blocks;
    open_blocks(&blocks, 0);
    for (int i = 0; i < 4; i++) {
        dent_time_critical_def def = search_def(&blocks.stage, &blocks.random);
        dent_time_critical *search = NULL;
        uint32_t *capacities[4] = {&def.pending_capacity, &def.confirmed_capacity, &def.pair_capacity,
                                   &def.front_capacity};
        *capacities[i] = UINT32_MAX;
        assert_int_equal(dent_time_critical_create(blocks.stage.context, &def, &search), DENT_ERROR_INVALID_ARGUMENT);
        assert_null(search);
    }
    close_blocks(&blocks);
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static void an_empty_body_meets_nothing(void **state)
{
    (void)state;
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO), .body_b = 1};
    dent_random random = dent_random_seeded(1);
    stage.scene.body_count = 1;
    stage.scene.bodies[0] = surface_new(1, 1);
    test_add_block(&stage.scene, 2, 2, 2);
    stage.world = dent_world_create(stage.context);
    dent_status status = test_scene_add(&stage.scene, stage.world);
    if (status == DENT_OK) {
        dent_time_critical_result result;
        open_trees(&stage, &random);
        dent_time_critical_def def = search_def(&stage, &random);
        for (int i = 0; i < 3; i++) { /* empty and block, block and empty, empty and itself */
            def.tree_a = i == 1 ? stage.tree_b : stage.tree_a;
            def.tree_b = i == 0 ? stage.tree_b : stage.tree_a;
            def.front_capacity = 10;
            assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
            for (int run = 0; run < 3; run++) {
                dent_time_critical_begin(stage.search, &(dent_time_critical_start){.reuse_front = run > 0});
                assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(0), &result), DENT_OK);
                assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
                assert_int_equal(result.pending_count + result.pair_count, 0);
                assert_true(result.error == 0 && result.depth == 0);
            }
            dent_time_critical_destroy(stage.search);
        }
        close_trees(&stage);
    } else {
        print_message("an empty body is refused: %s\n", dent_world_message(stage.world));
    }
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
}

static void one_triangle_against_a_million_is_exact_and_cheap(void **state)
{
    (void)state;
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO), .body_b = 1};
    dent_random random = dent_random_seeded(2);
    uint32_t side = getenv("DENT_QUICK_TESTS") ? 100 : 708; /* 2 * 708^2 faces */
    stage.scene.body_count = 1;
    stage.scene.bodies[0] = surface_new(3, 1);
    struct test_body *sheet = test_add_sheet(&stage.scene, side, side), *one = &stage.scene.bodies[0];
    for (uint32_t v = 0; v < sheet->vertex_count; v++) {
        sheet->xyz[v][2] = dent_random_unit(&random);
    }
    double middle = 0.5 * side;
    surface_put_vertex(one, middle + 0.3, middle + 0.2, -1);
    surface_put_vertex(one, middle + 4.9, middle + 1.4, 2);
    surface_put_vertex(one, middle + 2.1, middle + 6.3, 0.4);
    surface_put_face(one, 0, 1, 2);
    stage.world = dent_world_create(stage.context);
    assert_int_equal(test_scene_add(&stage.scene, stage.world), DENT_OK);
    const double *a[3] = {one->xyz[0], one->xyz[1], one->xyz[2]};
    stage.truth = test_allocate(sheet->element_count, sizeof *stage.truth);
    for (uint32_t f = 0; f < sheet->element_count; f++) {
        const uint32_t *v = &sheet->corners[3 * (size_t)f];
        const double *b[3] = {sheet->xyz[v[0]], sheet->xyz[v[1]], sheet->xyz[v[2]]};
        predicate_counters counters = {0};
        if (triangle_versus_triangle(a, b, &counters) == FACE_PAIR_CROSSING) {
            stage.truth[stage.true_count++] = (dent_face_pair){0, f, DENT_PAIR_CROSSING};
        }
    }
    dent_time_critical_result result;
    for (int side_of_one = 0; side_of_one < 2; side_of_one++) {
        open_trees(&stage, &random);
        dent_time_critical_def def = search_def(&stage, &random);
        assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
        dent_time_critical_begin(stage.search, NULL);
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(INFINITY), &result), DENT_OK);
        assert_is_truth(&stage, &result);
        assert_true(result.work_units < 20000);
        print_message("%u faces: %u pairs, %llu units\n", sheet->element_count, result.pair_count,
                      (unsigned long long)result.work_units);
        dent_time_critical_destroy(stage.search);
        dent_bound_tree_destroy(stage.tree_a);
        dent_bound_tree_destroy(stage.tree_b);
    }
    free(stage.truth);
    dent_world_destroy(stage.world);
    test_scene_free(&stage.scene);
    dent_context_destroy(stage.context);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

struct worker {
    dent_time_critical *search;
    uint64_t seed;
    uint32_t pair_count, pending_seen;
    uint64_t units;
};

static void *search_often(void *data)
{
    struct worker *worker = data;
    dent_random random = dent_random_seeded(worker->seed);
    for (int i = 0; i < 200; i++) {
        dent_time_critical_result result;
        dent_time_critical_begin(worker->search, &(dent_time_critical_start){.reuse_front = i % 3 == 0});
        do {
            dent_time_critical_run(worker->search, dent_budget_units(1 + dent_random_below(&random, 400)), &result);
            worker->pending_seen += result.pending_count;
        } while (result.outcome == DENT_OUTCOME_BUDGET_SPENT);
        worker->pair_count = result.pair_count;
        worker->units = i % 3 ? result.work_units : worker->units;
        dent_time_critical_run(worker->search, dent_budget_ns(-1), &result); /* both speak through one context */
    }
    return NULL;
}

/* Trees without a reduced model are only read: searches on the same trees in several threads are each as if alone. */
static void searches_in_two_threads_share_trees_of_one_world(void **state)
{
    (void)state;
    struct blocks blocks;
    struct worker workers[3];
    pthread_t threads[3];
    open_blocks(&blocks, 5000);
    for (int i = 0; i < 3; i++) {
        dent_time_critical_def def = search_def(&blocks.stage, &blocks.random);
        def.order = (dent_refine_order)0;
        def.front_capacity = 5000;
        workers[i] = (struct worker){.seed = (uint64_t)i};
        assert_int_equal(dent_time_critical_create(blocks.stage.context, &def, &workers[i].search), DENT_OK);
    }
    search_often(&workers[2]);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, search_often, &workers[i]), 0);
    }
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
        assert_int_equal(workers[i].pair_count, workers[2].pair_count);
        assert_int_equal(workers[i].units, workers[2].units);
    }
    for (int i = 0; i < 3; i++) {
        dent_time_critical_destroy(workers[i].search);
    }
    close_blocks(&blocks);
}

/* Two trees of one body are two bodies that coincide, with vertices in common: each crossing appears from both sides,
 * and every component lies on itself. */
static void two_trees_of_one_body_find_each_crossing_twice(void **state)
{
    (void)state;
    struct stage stage = {.context = make_context(1, DENT_ISA_AUTO)};
    dent_random random = dent_random_seeded(4);
    stage.scene.body_count = 1;
    stage.scene.bodies[0] = surface_new(64, 64);
    for (int i = 0; i < 3; i++) {
        put_piece(&stage.scene.bodies[0], PIECE_OCTAHEDRON, (double[3]){0.4 * i, 0.1 * i, 0}, 1, false, 0);
    }
    put_piece(&stage.scene.bodies[0], PIECE_CUBE, (double[3]){9, 0, 0}, 1, false, 0); /* crosses nothing */
    stage.world = dent_world_create(stage.context);
    assert_int_equal(test_scene_add(&stage.scene, stage.world), DENT_OK);
    find_truth(&stage, false);
    assert_true(stage.true_count > 0);
    stage.body_b = 1;
    stage.scene.body_count = 1;
    dent_bound_tree_def tree_def = dent_bound_tree_def_default();
    dent_body_id id = dent_world_body_at(stage.world, 0);
    assert_int_equal(dent_bound_tree_create(stage.world, id, &tree_def, &stage.tree_a), DENT_OK);
    assert_int_equal(dent_bound_tree_create(stage.world, id, &tree_def, &stage.tree_b), DENT_OK);
    dent_time_critical_def def = search_def(&stage, &random);
    dent_time_critical_result result;
    assert_int_equal(dent_time_critical_create(stage.context, &def, &stage.search), DENT_OK);
    dent_time_critical_begin(stage.search, NULL);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_ns(INFINITY), &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_int_equal(result.pair_count, 2 * stage.true_count);
    for (uint32_t i = 0; i < result.component_count; i++) {
        bool cube = result.components[i].first_face == 24;
        assert_int_equal(result.components[i].state, cube ? DENT_COMPONENT_ON : DENT_COMPONENT_CROSSING);
    }
    dent_time_critical_destroy(stage.search);
    close_pair(&stage);
    dent_context_destroy(stage.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_promises_hold_for_nested_touching_and_coincident_components),
        cmocka_unit_test(a_component_that_passes_through_where_it_only_touches_is_crossing),
        cmocka_unit_test(elements_replaced_between_steps_make_the_update_fail_and_leave_the_search_as_it_was),
        cmocka_unit_test(positions_overwritten_between_runs_do_not_matter_until_the_update),
        cmocka_unit_test(a_reduced_model_moved_without_an_update_is_refused),
        cmocka_unit_test(the_promises_hold_for_reduced_models_at_the_ends_of_the_range),
        cmocka_unit_test(a_hundred_thousand_empty_budgets_change_nothing),
        cmocka_unit_test(units_a_deadline_left_over_lapse),
        cmocka_unit_test(deadlines_that_are_none_are_refused_or_endless),
        cmocka_unit_test(short_deadlines_in_a_row_reach_the_end),
        cmocka_unit_test(capacities_beyond_all_memory_are_refused),
        cmocka_unit_test(an_empty_body_meets_nothing),
        cmocka_unit_test(one_triangle_against_a_million_is_exact_and_cheap),
        cmocka_unit_test(searches_in_two_threads_share_trees_of_one_world),
        cmocka_unit_test(two_trees_of_one_body_find_each_crossing_twice),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
