/* A world that has been through a lot answers like one made from scratch, and the answers to different questions agree
 * with each other.
 *
 * Random sessions add, remove, replace, move and filter bodies between queries with changing questions; at every step a
 * fresh world with the same bodies in the same order is asked the same. Then: what must hold between two answers,
 * whatever the scene.
 */
#include "support/cmocka_includes.h"

#include "support/pair_lists.h"
#include "support/random_scene.h"
#include "support/test_context.h"

static dent_query_result ask(dent_world *world, uint32_t questions, bool touching, dent_method method)
{
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = questions;
    def.touching = touching;
    def.method = method;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    return result;
}

/* ---- sessions ------------------------------------------------------------------------------------------- */

enum { LIVING_MAX = 8, SCENES = 6 };

struct living {
    dent_body_id id;
    const struct test_body *mesh;
    double (*xyz)[3];
    float *narrow; /* not null: the body is given these, 20 bytes apart */
    uint32_t group, mask;
    bool self;
    uint32_t label; /* how many came before it */
};

struct session {
    dent_context *context;
    dent_world *world;
    struct test_scene scenes[SCENES];
    uint32_t count;
    struct living living[LIVING_MAX]; /* in order of addition */
    dent_random random;
    uint32_t added;
    uint32_t pairs_excluded; /* which; 0: none */
};

enum { NARROW_STRIDE = 20 };

static void place(struct living *body, dent_random *random)
{
    double shift = (double)dent_random_below(random, 9) * 0.25 - 1;
    for (uint32_t v = 0; v < body->mesh->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            body->xyz[v][axis] = body->mesh->xyz[v][axis] + shift;
            if (body->narrow) {
                float narrow = (float)body->xyz[v][axis];
                memcpy((char *)body->narrow + (size_t)v * NARROW_STRIDE + 4 * (size_t)axis, &narrow, sizeof narrow);
                body->xyz[v][axis] = (double)narrow;
            }
        }
    }
}

static void take_mesh(struct session *session, struct living *body)
{
    struct test_scene *scene = &session->scenes[dent_random_below(&session->random, SCENES)];
    body->mesh = &scene->bodies[dent_random_below(&session->random, scene->body_count)];
    body->xyz = test_allocate(body->mesh->vertex_count, sizeof *body->xyz);
    body->narrow =
        dent_random_below(&session->random, 3) == 0 ? test_allocate(body->mesh->vertex_count + 1, NARROW_STRIDE) : NULL;
    place(body, &session->random);
}

static dent_body_def def_of(const struct living *body, bool narrow)
{
    dent_body_def def = test_body_def(body->mesh);
    def.positions_t0 = dent_positions_double(body->xyz[0]);
    if (narrow && body->narrow) {
        def.positions_t0 = (dent_positions){body->narrow, NARROW_STRIDE, DENT_SCALAR_FLOAT};
    }
    def.collision_group = body->group;
    def.collision_mask = body->mask;
    def.self_collision = body->self;
    return def;
}

static void free_body(struct living *body)
{
    free(body->xyz);
    free(body->narrow);
}

/* Every third pair of bodies, by the order in which they came. */
static void exclude_pairs(const struct session *session, dent_world *world)
{
    dent_excluded_pair pairs[LIVING_MAX * LIVING_MAX];
    uint32_t count = 0;
    for (uint32_t a = 0; a < session->count && session->pairs_excluded > 0; a++) {
        for (uint32_t b = 0; b < a; b++) {
            if ((session->living[a].label + session->living[b].label) % 3 == session->pairs_excluded - 1) {
                pairs[count++] = (dent_excluded_pair){dent_world_body_at(world, a), dent_world_body_at(world, b)};
            }
        }
    }
    assert_int_equal(dent_world_set_excluded_pairs(world, pairs, count), DENT_OK);
}

static void change(struct session *session)
{
    uint32_t action = dent_random_below(&session->random, 6);
    uint32_t which = session->count ? dent_random_below(&session->random, session->count) : 0;
    struct living *body = &session->living[which];
    if (session->count < 2 || (action == 0 && session->count < LIVING_MAX)) {
        body = &session->living[session->count++];
        *body = (struct living){.group = 1, .mask = UINT32_MAX, .self = true, .label = session->added++};
        take_mesh(session, body);
        dent_body_def def = def_of(body, true);
        assert_int_equal(dent_world_add_body(session->world, &def, &body->id), DENT_OK);
        exclude_pairs(session, session->world);
    } else if (action == 1) {
        assert_int_equal(dent_world_remove_body(session->world, body->id), DENT_OK);
        assert_int_equal(dent_world_remove_body(session->world, body->id), DENT_ERROR_STALE_ID);
        free_body(body);
        memmove(body, body + 1, (session->count - which - 1) * sizeof *body);
        session->count--;
    } else if (action == 2) {
        free_body(body);
        take_mesh(session, body);
        dent_body_def def = def_of(body, true);
        assert_int_equal(dent_body_set_topology(session->world, body->id, &def), DENT_OK);
    } else if (action == 3) {
        place(body, &session->random); /* in place: nobody is told */
    } else if (action == 4) {
        session->pairs_excluded = dent_random_below(&session->random, 4); /* 0: none */
        exclude_pairs(session, session->world);
    } else {
        body->group = 1 + dent_random_below(&session->random, 3);
        body->mask = 1 + dent_random_below(&session->random, 3);
        body->self = dent_random_below(&session->random, 2) == 0;
        assert_int_equal(dent_body_set_filter(session->world, body->id, body->group, body->mask, body->self), DENT_OK);
    }
}

static dent_world *same_world_from_scratch(struct session *session, dent_context *context)
{
    dent_world *world = dent_world_create(context);
    for (uint32_t i = 0; i < session->count; i++) {
        dent_body_def def = def_of(&session->living[i], false);
        dent_body_id id;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
        assert_int_equal(dent_body_index(session->world, session->living[i].id), i);
    }
    exclude_pairs(session, world);
    return world;
}

static void assert_same_check(dent_world *a, dent_world *b)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result check_a, check_b;
    def.self = true;
    assert_int_equal(dent_world_check(a, &def, &check_a), DENT_OK);
    assert_int_equal(dent_world_check(b, &def, &check_b), DENT_OK);
    assert_int_equal(check_a.pair_count, check_b.pair_count);
    for (uint64_t i = 0; i < check_a.pair_count; i++) {
        const dent_body_contact *x = &check_a.pairs[i], *y = &check_b.pairs[i];
        assert_int_equal(x->body_a, y->body_a);
        assert_int_equal(x->body_b, y->body_b);
        assert_int_equal(x->state, y->state);
        assert_int_equal(x->overlapping_elements, y->overlapping_elements);
        assert_int_equal(x->penetrating_vertices, y->penetrating_vertices);
        assert_int_equal(x->touching_elements, y->touching_elements);
        assert_memory_equal(&x->max_depth, &y->max_depth, sizeof x->max_depth);
        assert_memory_equal(x->deepest, y->deepest, sizeof x->deepest);
    }
}

static void assert_no_excluded_pairs(const struct session *session, const dent_query_result *answer)
{
    for (uint32_t i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
        const dent_pair_list *list = dent_query_result_list(answer, dent_question_info_at(i)->question);
        for (uint64_t k = 0; k < list->count; k++) {
            uint32_t a = list->pairs[k].body_a, b = list->pairs[k].body_b;
            assert_true(a == b || session->pairs_excluded == 0 ||
                        (session->living[a].label + session->living[b].label) % 3 != session->pairs_excluded - 1);
        }
    }
}

static void run_session(uint64_t seed, uint64_t *answers)
{
    static const int kinds[SCENES] = {SCENE_COINCIDENT,       SCENE_DEEP, SCENE_SPLIT_CELLS,
                                      SCENE_SURFACES_LATTICE, SCENE_SOUP, SCENE_MIXED};
    struct session session = {.context = test_context(2, DENT_ISA_AUTO), .random = dent_random_seeded(seed)};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    session.world = dent_world_create(session.context);
    for (int i = 0; i < SCENES; i++) {
        test_scene_make(&session.scenes[i], kinds[i], seed);
    }
    for (int step = 0; step < 24; step++) {
        change(&session);
        uint32_t questions =
            (1 + dent_random_below(&session.random, DENT_DISCRETE_QUESTIONS)) & DENT_DISCRETE_QUESTIONS;
        questions = questions ? questions : DENT_DISCRETE_QUESTIONS;
        bool touching = dent_random_below(&session.random, 2) == 0;
        dent_method method = (dent_method)dent_random_below(&session.random, DENT_METHOD_COUNT);
        if (questions & ~dent_method_questions(method)) {
            method = DENT_METHOD_AUTO; /* one that can answer them all */
        }
        dent_world *fresh = same_world_from_scratch(&session, context);
        dent_query_result old_answer = ask(session.world, questions, touching, method);
        dent_query_result new_answer = ask(fresh, questions, touching, DENT_METHOD_BRUTE_FORCE);
        assert_same_lists(&old_answer, &new_answer, DENT_DISCRETE_QUESTIONS);
        *answers += all_pairs(&old_answer);
        assert_no_excluded_pairs(&session, &old_answer);
        if (step % 6 == 5) {
            assert_same_check(session.world, fresh);
        }
        dent_world_destroy(fresh);
    }
    for (uint32_t i = 0; i < session.count; i++) {
        free_body(&session.living[i]);
    }
    for (int i = 0; i < SCENES; i++) {
        test_scene_free(&session.scenes[i]);
    }
    dent_world_destroy(session.world);
    dent_context_destroy(session.context);
    dent_context_destroy(context);
}

static void a_used_world_answers_like_a_new_one(void **state)
{
    (void)state;
    uint64_t answers = 0;
    for (uint64_t seed = 0; seed < 12; seed++) {
        run_session(seed, &answers);
    }
    printf("%llu answers compared\n", (unsigned long long)answers);
    assert_true(answers > 10000);
}

/* ---- one scene, several answers ------------------------------------------------------------------------- */

static void each_question_answers_alone_what_it_answers_together(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        struct test_scene scene;
        test_scene_make(&scene, kind, 5);
        dent_world *together = dent_world_create(context), *alone = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, together), DENT_OK);
        assert_int_equal(test_scene_add(&scene, alone), DENT_OK);
        dent_query_result all = ask(together, DENT_DISCRETE_QUESTIONS, true, DENT_METHOD_AUTO);
        for (uint32_t i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
            dent_question question = dent_question_info_at(i)->question;
            dent_query_result one = ask(alone, question, true, DENT_METHOD_AUTO);
            assert_same_lists(&one, &all, question);
            assert_int_equal(all_pairs(&one), dent_query_result_list(&one, question)->count);
        }
        dent_world_destroy(together);
        dent_world_destroy(alone);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

static void assert_touching_only_adds(const dent_pair_list *strict, const dent_pair_list *closed)
{
    uint64_t next = 0;
    for (uint64_t i = 0; i < closed->count; i++) {
        if (closed->pairs[i].kind != DENT_PAIR_TOUCHING) {
            assert_true(next < strict->count);
            assert_memory_equal(&closed->pairs[i], &strict->pairs[next++], sizeof *strict->pairs);
        }
    }
    assert_int_equal(next, strict->count);
}

static void touching_adds_pairs_and_changes_none(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        struct test_scene scene;
        test_scene_make(&scene, kind, 9);
        dent_world *strict_world = dent_world_create(context), *closed_world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, strict_world), DENT_OK);
        assert_int_equal(test_scene_add(&scene, closed_world), DENT_OK);
        dent_query_result strict = ask(strict_world, DENT_DISCRETE_QUESTIONS, false, DENT_METHOD_AUTO);
        dent_query_result closed = ask(closed_world, DENT_DISCRETE_QUESTIONS, true, DENT_METHOD_AUTO);
        for (uint32_t i = 0; i < DENT_DISCRETE_QUESTION_COUNT; i++) {
            dent_question question = dent_question_info_at(i)->question;
            assert_touching_only_adds(dent_query_result_list(&strict, question),
                                      dent_query_result_list(&closed, question));
        }
        dent_world_destroy(strict_world);
        dent_world_destroy(closed_world);
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

static bool list_has(const dent_pair_list *list, uint32_t body_a, uint32_t feature_a, uint32_t body_b,
                     uint32_t feature_b)
{
    for (uint64_t i = 0; i < list->count; i++) {
        const dent_pair *pair = &list->pairs[i];
        if (pair->body_a == body_a && pair->feature_a == feature_a && pair->body_b == body_b &&
            pair->feature_b == feature_b) {
            return true;
        }
    }
    return false;
}

/* A corner of a surface face in the open cell of another body puts the face on the face-cell list. */
static void a_corner_inside_means_the_face_meets_the_cell(void **state)
{
    (void)state;
    static const int kinds[] = {SCENE_DEEP, SCENE_SPLIT_JITTERED, SCENE_MIXED, SCENE_WIDE_EXPONENTS, SCENE_NESTED};
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    uint64_t implied = 0;
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
        struct test_scene scene;
        test_scene_make(&scene, kinds[k], 2);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        dent_query_result found = ask(world, DENT_DISCRETE_QUESTIONS, false, DENT_METHOD_AUTO);
        for (uint64_t i = 0; i < found.vertex_cell.count && i < 300; i++) {
            const dent_pair *pair = &found.vertex_cell.pairs[i];
            uint32_t count;
            const dent_surface_face *faces =
                dent_body_surface_faces(world, dent_world_body_at(world, pair->body_a), &count);
            for (uint32_t face = 0; face < count && pair->body_a != pair->body_b; face++) {
                const uint32_t *c = faces[face].corners;
                if (c[0] == pair->feature_a || c[1] == pair->feature_a || c[2] == pair->feature_a) {
                    assert_true(list_has(&found.face_cell, pair->body_a, face, pair->body_b, pair->feature_b));
                    implied++;
                }
            }
        }
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    printf("%llu faces implied\n", (unsigned long long)implied);
    assert_true(implied > 100);
    dent_context_destroy(context);
}

/* ---- split cells ---------------------------------------------------------------------------------------- */

/* The same solids with their cells cut by hand, that is, with the tetrahedra dent reports. */
static dent_world *world_of_tetrahedra(const struct test_scene *scene, dent_world *split, dent_context *context)
{
    dent_world *world = dent_world_create(context);
    for (uint32_t body_index = 0; body_index < scene->body_count; body_index++) {
        dent_body_def def = test_body_def(&scene->bodies[body_index]);
        dent_body_id id;
        if (def.kind == DENT_BODY_SOLID) {
            def.element_corners =
                dent_body_tetrahedra(split, dent_world_body_at(split, body_index), &def.element_count, NULL);
            def.cell_kinds = NULL;
        }
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    }
    return world;
}

/* Between different bodies: the closed cell is the union of its closed tetrahedra, the open one holds all open
 * tetrahedra. */
static void a_split_cell_is_the_union_of_its_tetrahedra(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    uint64_t compared = 0;
    for (int kind = SCENE_SPLIT_CELLS; kind <= SCENE_SPLIT_JITTERED; kind++) {
        for (uint64_t seed = 0; seed < 6; seed++) {
            struct test_scene scene;
            test_scene_make(&scene, kind, seed);
            dent_world *split = dent_world_create(context);
            assert_int_equal(test_scene_add(&scene, split), DENT_OK);
            dent_world *cut = world_of_tetrahedra(&scene, split, context);
            dent_query_result cells =
                ask(split, DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL, true, DENT_METHOD_AUTO);
            dent_query_result parts = ask(cut, DENT_QUESTION_VERTEX_CELL, true, DENT_METHOD_AUTO);
            uint64_t in_cells = 0;
            for (uint64_t i = 0; i < parts.vertex_cell.count; i++) {
                const dent_pair *part = &parts.vertex_cell.pairs[i];
                uint32_t count;
                const uint32_t *cell_of = NULL;
                dent_body_tetrahedra(split, dent_world_body_at(split, part->body_b), &count, &cell_of);
                uint32_t cell = cell_of ? cell_of[part->feature_b] : part->feature_b;
                if (part->body_a != part->body_b) {
                    assert_true(list_has(&cells.vertex_cell, part->body_a, part->feature_a, part->body_b, cell));
                    compared++;
                }
            }
            for (uint64_t i = 0; i < cells.vertex_cell.count; i++) {
                const dent_pair *pair = &cells.vertex_cell.pairs[i];
                const dent_cell_point *point = &cells.vertex_cell.cell_points[i];
                uint32_t count;
                const uint32_t *cell_of = NULL;
                const uint32_t *tetrahedra =
                    dent_body_tetrahedra(split, dent_world_body_at(split, pair->body_b), &count, &cell_of);
                uint32_t tetrahedron = 0;
                while (tetrahedron < count &&
                       memcmp(tetrahedra + 4 * (size_t)tetrahedron, point->corners, sizeof point->corners) != 0) {
                    tetrahedron++;
                }
                assert_true(tetrahedron < count);
                if (pair->body_a != pair->body_b) {
                    assert_true(list_has(&parts.vertex_cell, pair->body_a, pair->feature_a, pair->body_b, tetrahedron));
                    in_cells++;
                }
            }
            compared += in_cells;
            dent_world_destroy(cut);
            dent_world_destroy(split);
            test_scene_free(&scene);
        }
    }
    printf("%llu pairs compared\n", (unsigned long long)compared);
    assert_true(compared > 500);
    dent_context_destroy(context);
}

/* A hexahedron bent so that a tetrahedron of its split is flat, and a vertex on that flat one: its place is told by a
 * neighbour. */
static void the_place_in_a_cell_is_told_by_a_tetrahedron_that_is_not_flat(void **state)
{
    (void)state;
    static const uint32_t corners[8] = {0, 1, 2, 3, 4, 5, 6, 7}, tetrahedron[4] = {0, 1, 2, 3};
    static const uint8_t kinds[1] = {DENT_CELL_HEXAHEDRON};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    uint32_t holders = 0;
    for (int moved = 1; moved < 8; moved++) {
        for (int target = 0; target < 8; target++) {
            double hexahedron[8][3] = {{0, 0, 0}, {4, 0, 0}, {4, 4, 0}, {0, 4, 0},
                                       {0, 0, 4}, {4, 0, 4}, {4, 4, 4}, {0, 4, 4}};
            double poking[4][3] = {{2, 2, 2}, {20, 1, 0}, {20, 9, 0}, {20, 1, 9}};
            /* Half way to another corner: several of the tetrahedra become flat. */
            for (int axis = 0; axis < 3; axis++) {
                hexahedron[moved][axis] = 0.5 * (hexahedron[moved][axis] + hexahedron[target][axis]);
            }
            for (int probe = 1; probe < 64; probe++) {
                poking[0][0] = (probe & 3) + 0.0;
                poking[0][1] = (probe >> 2 & 3) + 0.0;
                poking[0][2] = (probe >> 4 & 3) + 0.0;
                dent_world *world = dent_world_create(context);
                dent_body_def def = dent_solid_def_default();
                dent_body_id id;
                def.vertex_count = 8;
                def.element_count = 1;
                def.element_corners = corners;
                def.cell_kinds = kinds;
                def.positions_t0 = dent_positions_double(hexahedron[0]);
                assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
                def = dent_solid_def_default();
                def.vertex_count = 4;
                def.element_count = 1;
                def.element_corners = tetrahedron;
                def.positions_t0 = dent_positions_double(poking[0]);
                assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
                dent_query_result found = ask(world, DENT_QUESTION_VERTEX_CELL, false, DENT_METHOD_AUTO);
                if (found.vertex_cell.count > 0 && found.vertex_cell.pairs[0].body_a == 1) {
                    const dent_cell_point *point = &found.vertex_cell.cell_points[0];
                    for (int axis = 0; axis < 3; axis++) {
                        double sum = 0;
                        for (int k = 0; k < 4; k++) {
                            sum += point->weights[k] * hexahedron[point->corners[k]][axis];
                        }
                        assert_true(fabs(sum - poking[0][axis]) < 1e-9);
                    }
                    holders++;
                }
                dent_world_destroy(world);
            }
        }
    }
    assert_true(holders > 100);
    dent_context_destroy(context);
}

/* ---- the pipeline --------------------------------------------------------------------------------------- */

static int stop_requested;

/* Sets the flag for the second block only: by the end of the loop it is clear again. */
static void run_with_a_passing_request(void *user, uint32_t block_count, dent_block_function *function, void *data)
{
    (void)user;
    for (uint32_t block = 0; block < block_count; block++) {
        __atomic_store_n(&stop_requested, block == 1, __ATOMIC_RELAXED);
        function(data, block, block % 2);
    }
    __atomic_store_n(&stop_requested, 0, __ATOMIC_RELAXED);
}

static void a_wish_to_stop_that_passes_is_not_a_complete_answer(void **state)
{
    (void)state;
    dent_context_def context_def = dent_context_def_default();
    context_def.parallel = (dent_parallel){.run = run_with_a_passing_request, .worker_count = 2};
    dent_context *context = dent_context_create(&context_def, NULL);
    assert_non_null(context);
    struct test_scene scene = {0};
    test_add_block(&scene, 6, 6, 6);
    test_map(test_add_block(&scene, 6, 6, 6), 1, 1, 1, 0.5, 0.25, 0.125);
    dent_world *world = dent_world_create(context);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    uint64_t all_cells = ask(world, DENT_QUESTION_FACE_CELL, false, DENT_METHOD_BRUTE_FORCE).face_cell.count;
    uint64_t all_faces = ask(world, DENT_QUESTION_FACE_FACE, false, DENT_METHOD_BRUTE_FORCE).face_face.count;
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        dent_query_def def = dent_query_def_default();
        dent_query_result result;
        def.questions = dent_method_questions((dent_method)method) & DENT_QUESTION_FACE_CELL ? DENT_QUESTION_FACE_CELL
                                                                                             : DENT_QUESTION_FACE_FACE;
        def.method = (dent_method)method;
        if (!(dent_method_questions(def.method) & def.questions)) {
            continue;
        }
        def.cancel = &stop_requested;
        assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
        /* A method whose loop has one block never sees the wish; then, and only then, the list is whole. */
        bool whole = result.outcome == DENT_OUTCOME_COMPLETE;
        assert_true(whole || result.outcome == DENT_OUTCOME_CANCELLED);
        assert_int_equal(result.face_cell.count, whole && def.questions == DENT_QUESTION_FACE_CELL ? all_cells : 0);
        assert_int_equal(result.face_face.count, whole && def.questions == DENT_QUESTION_FACE_FACE ? all_faces : 0);
        assert_false(whole && (method == DENT_METHOD_BRUTE_FORCE || method == DENT_METHOD_SWEEP));
    }
    dent_check_def check_def = dent_check_def_default();
    dent_check_result check;
    check_def.cancel = &stop_requested;
    assert_int_equal(dent_world_check(world, &check_def, &check), DENT_OK);
    assert_int_equal(check.outcome, DENT_OUTCOME_CANCELLED);
    assert_int_equal(check.pair_count, 0);
    assert_null(dent_check_element_marks(world, dent_world_body_at(world, 0)));
    dent_world_destroy(world);
    dent_context_destroy(context);
    test_scene_free(&scene);
}

/* One giant tetrahedron over so many small ones that the sweep scans its partners in several pieces. */
static void a_giant_meets_ten_thousand(void **state)
{
    (void)state;
    dent_context *context = test_context(2, DENT_ISA_AUTO);
    struct test_scene scene = {0};
    struct test_body *giant = test_add_block(&scene, 1, 1, 1);
    test_map(giant, 400, 400, 400, -100, -100, -100);
    test_add_block(&scene, 50, 7, 6);
    dent_world *world = dent_world_create(context), *oracle = dent_world_create(context);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    assert_int_equal(test_scene_add(&scene, oracle), DENT_OK);
    for (uint32_t body_index = 0; body_index < 2; body_index++) {
        assert_int_equal(dent_body_set_filter(world, dent_world_body_at(world, body_index), 1, 1, false), DENT_OK);
        assert_int_equal(dent_body_set_filter(oracle, dent_world_body_at(oracle, body_index), 1, 1, false), DENT_OK);
    }
    dent_query_result swept = ask(world, dent_method_questions(DENT_METHOD_SWEEP), false, DENT_METHOD_SWEEP);
    uint32_t vertices = 51 * 8 * 7;
    assert_int_equal(swept.vertex_cell.count, vertices);
    dent_query_result exact =
        ask(oracle, DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL, false, DENT_METHOD_BRUTE_FORCE);
    assert_same_list(&swept.vertex_cell, &exact.vertex_cell);
    assert_same_list(&swept.face_cell, &exact.face_cell);
    dent_world_destroy(world);
    dent_world_destroy(oracle);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_used_world_answers_like_a_new_one),
        cmocka_unit_test(each_question_answers_alone_what_it_answers_together),
        cmocka_unit_test(touching_adds_pairs_and_changes_none),
        cmocka_unit_test(a_corner_inside_means_the_face_meets_the_cell),
        cmocka_unit_test(a_split_cell_is_the_union_of_its_tetrahedra),
        cmocka_unit_test(the_place_in_a_cell_is_told_by_a_tetrahedron_that_is_not_flat),
        cmocka_unit_test(a_wish_to_stop_that_passes_is_not_a_complete_answer),
        cmocka_unit_test(a_giant_meets_ten_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
