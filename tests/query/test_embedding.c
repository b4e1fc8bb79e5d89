/* Reduced models: a dense surface that follows a coarse body. Balls computed from the few coarse nodes hold every dense
 * vertex whatever the deformation; the search on them finds what face-face finds on the dense positions written out.
 */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/random_scene.h"
#include "support/random_surface.h"

static uint32_t rounds(uint32_t standard)
{
    return getenv("DENT_QUICK_TESTS") ? standard / 20 : getenv("DENT_LONG_TESTS") ? standard * 10 : standard;
}

struct model {
    struct test_scene scene; /* 0: dense, 1: coarse */
    dent_world *world;
    dent_body_id dense_id, coarse_id;
    double (*coarse)[3], (*dense)[3]; /* now */
    dent_embedding *embedding;
    dent_bound_tree *tree;
};

/* A bumpy ball of about `size` faces around a block of cubes. */
static void make_bodies(struct model *model, dent_random *random, uint32_t size)
{
    struct test_body ball = surface_closed(random, size);
    struct test_body *dense = &model->scene.bodies[model->scene.body_count++];
    *dense = ball;
    struct test_body *coarse = test_add_block(&model->scene, 1 + dent_random_below(random, 4),
                                              1 + dent_random_below(random, 3), 1 + dent_random_below(random, 3));
    double lo[2][3], hi[2][3];
    for (int axis = 0; axis < 3; axis++) {
        for (int i = 0; i < 2; i++) {
            lo[i][axis] = INFINITY;
            hi[i][axis] = -INFINITY;
            for (uint32_t v = 0; v < model->scene.bodies[i].vertex_count; v++) {
                lo[i][axis] = fmin(lo[i][axis], model->scene.bodies[i].xyz[v][axis]);
                hi[i][axis] = fmax(hi[i][axis], model->scene.bodies[i].xyz[v][axis]);
            }
        }
        double size_coarse = hi[1][axis] - lo[1][axis], size_dense = hi[0][axis] - lo[0][axis];
        for (uint32_t v = 0; v < dense->vertex_count; v++) {
            dense->xyz[v][axis] =
                ((dense->xyz[v][axis] - lo[0][axis]) / (size_dense > 0 ? size_dense : 1) * 1.2 - 0.1) * size_coarse;
        }
    }
    (void)coarse;
}

static void open_model(struct model *model, dent_context *context, dent_random *random, uint32_t size)
{
    *model = (struct model){0};
    make_bodies(model, random, size);
    model->world = dent_world_create(context);
    assert_int_equal(test_scene_add(&model->scene, model->world), DENT_OK);
    model->dense_id = dent_world_body_at(model->world, 0);
    model->coarse_id = dent_world_body_at(model->world, 1);
    dent_embedding_def def = dent_embedding_def_default();
    def.longest_link = INFINITY;
    assert_int_equal(dent_embedding_create(model->world, model->dense_id, model->coarse_id, &def, &model->embedding),
                     DENT_OK);
    dent_bound_tree_def tree = dent_bound_tree_def_default();
    static const uint32_t branchings[3] = {2, 4, 8};
    tree.branching = branchings[dent_random_below(random, 3)];
    tree.leaf_faces = 1 + dent_random_below(random, 16);
    tree.embedding = model->embedding;
    assert_int_equal(dent_bound_tree_create(model->world, model->dense_id, &tree, &model->tree), DENT_OK);
    model->coarse = test_allocate(model->scene.bodies[1].vertex_count, sizeof *model->coarse);
    model->dense = test_allocate(model->scene.bodies[0].vertex_count, sizeof *model->dense);
    memcpy(model->coarse, model->scene.bodies[1].xyz, model->scene.bodies[1].vertex_count * sizeof *model->coarse);
}

static void close_model(struct model *model)
{
    dent_bound_tree_destroy(model->tree);
    dent_embedding_destroy(model->embedding);
    dent_world_destroy(model->world);
    test_scene_free(&model->scene);
    free(model->coarse);
    free(model->dense);
}

static void move_model(struct model *model)
{
    assert_int_equal(dent_embedding_move(model->embedding, dent_positions_double(model->coarse[0])), DENT_OK);
    assert_int_equal(dent_bound_tree_update(model->tree), DENT_OK);
    dent_embedding_write_dense(model->embedding, model->dense[0]);
}

/* ---- deformations ------------------------------------------------------------------------------------------------ */

enum { DEFORMATIONS = 12 };

static double uniform(dent_random *random, double lo, double hi)
{
    return lo + (hi - lo) * dent_random_unit(random);
}

/* Random matrix and shift, then what the kind says; a few nodes may be thrown far away. */
static void deform(struct model *model, dent_random *random, int kind)
{
    const struct test_body *rest = &model->scene.bodies[1];
    double m[3][3], shift[3], amplitude = kind == 0 ? 0.1 : kind == 1 ? 1 : kind == 2 ? 30 : 0;
    for (int i = 0; i < 9; i++) {
        m[i / 3][i % 3] = uniform(random, -2, 2);
    }
    for (int axis = 0; axis < 3; axis++) {
        shift[axis] = kind == 3 ? uniform(random, -1e6, 1e6) : uniform(random, -3, 3);
        if (kind == 4) {
            m[2][axis] = 0; /* a plane */
        } else if (kind == 5) {
            m[1][axis] = m[2][axis] = 0; /* a line */
        } else if (kind == 6) {
            m[0][axis] = m[1][axis] = m[2][axis] = 0; /* a point */
        } else if (kind == 7) {
            m[0][axis] = -(axis == 0), m[1][axis] = -(axis == 1), m[2][axis] = -(axis == 2); /* inside out */
        }
    }
    double scale = kind == 8 ? 1e9 : kind == 9 ? 1e-9 : 1;
    for (uint32_t v = 0; v < rest->vertex_count; v++) {
        const double *p = rest->xyz[v];
        double *x = model->coarse[v];
        for (int axis = 0; axis < 3; axis++) {
            x[axis] = (m[axis][0] * p[0] + m[axis][1] * p[1] + m[axis][2] * p[2]) * scale + shift[axis] +
                      uniform(random, -amplitude, amplitude);
        }
        if (kind == 10) { /* bent and twisted */
            double angle = p[0] * 2;
            x[0] = p[0] * 0.2 + shift[0];
            x[1] = p[1] * cos(angle) - p[2] * sin(angle);
            x[2] = p[1] * sin(angle) + p[2] * cos(angle);
        }
        if (kind == 11 && dent_random_below(random, 6) == 0) { /* some nodes thrown far away */
            x[dent_random_below(random, 3)] = uniform(random, -1e4, 1e4);
        }
    }
}

/* ---- containment ------------------------------------------------------------------------------------------------- */

/* Vertices outside their nodes' balls, every node; long double, so the check itself does not round into the answer. */
static uint64_t vertices_outside(struct model *model, double *slack)
{
    dent_bound_tree_info facts = dent_bound_tree_get_info(model->tree);
    const uint32_t *order = dent_bound_tree_face_order(model->tree);
    uint64_t outside = 0;
    uint32_t count;
    const dent_surface_face *faces = dent_body_surface_faces(model->world, model->dense_id, &count);
    for (uint32_t node = 0; node < facts.nodes; node++) {
        dent_bound_node ball = dent_bound_tree_node(model->tree, node);
        long double radius2 = (long double)ball.radius * ball.radius, largest2 = 0;
        for (uint32_t i = ball.first_face; i < ball.first_face + ball.face_count; i++) {
            for (int k = 0; k < 3; k++) {
                const double *p = model->dense[faces[order[i]].corners[k]];
                long double x = (long double)p[0] - ball.center[0], y = (long double)p[1] - ball.center[1],
                            z = (long double)p[2] - ball.center[2];
                long double distance2 = x * x + y * y + z * z;
                outside += distance2 > radius2;
                largest2 = distance2 > largest2 ? distance2 : largest2;
            }
        }
        *slack += largest2 > 0 ? (double)(sqrtl(radius2 / largest2) / facts.nodes) : 1.0 / facts.nodes;
    }
    return outside;
}

static void all_dense_vertices_lie_in_all_balls_above_them(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    dent_random random = dent_random_seeded(42);
    uint32_t trials = rounds(100000), done = 0;
    uint64_t outside = 0;
    double slack[DEFORMATIONS] = {0};
    uint32_t counts[DEFORMATIONS] = {0};
    while (done < trials) {
        struct model model;
        open_model(&model, context, &random, 20 + dent_random_below(&random, 200));
        for (int i = 0; i < 240 && done < trials; i++, done++) {
            int kind = i % DEFORMATIONS;
            deform(&model, &random, kind);
            move_model(&model);
            outside += vertices_outside(&model, &slack[kind]);
            counts[kind]++;
        }
        close_model(&model);
    }
    print_message("%u trials, %llu vertices outside; radius over true radius by kind of deformation:", done,
                  (unsigned long long)outside);
    for (int kind = 0; kind < DEFORMATIONS; kind++) {
        print_message(" %.2f", slack[kind] / counts[kind]);
    }
    print_message("\n");
    assert_int_equal(outside, 0);
    dent_context_destroy(context);
}

static void a_rigid_motion_keeps_all_radii_and_moves_the_dense_surface_rigidly(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_random random = dent_random_seeded(7);
    for (uint32_t round = 0; round < rounds(100); round++) {
        struct model model;
        open_model(&model, context, &random, 100);
        const struct test_body *dense = &model.scene.bodies[0], *coarse = &model.scene.bodies[1];
        dent_bound_tree_info facts = dent_bound_tree_get_info(model.tree);
        double *radii = test_allocate(facts.nodes, sizeof *radii);
        move_model(&model);
        for (uint32_t v = 0; v < dense->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                assert_true(fabs(model.dense[v][axis] - dense->xyz[v][axis]) < 1e-13);
            }
        }
        for (uint32_t node = 0; node < facts.nodes; node++) {
            radii[node] = dent_bound_tree_node(model.tree, node).radius;
        }
        double a = uniform(&random, 0, 6), b = uniform(&random, 0, 6), shift[3] = {uniform(&random, -5, 5), 1, 2};
        for (int body = 0; body < 2; body++) {
            for (uint32_t v = 0; v < model.scene.bodies[body].vertex_count; v++) {
                const double *p = model.scene.bodies[body].xyz[v];
                double q[3] = {cos(a) * p[0] - sin(a) * p[1], sin(a) * p[0] + cos(a) * p[1], p[2]};
                double rotated[3] = {q[0] + shift[0], cos(b) * q[1] - sin(b) * q[2] + shift[1],
                                     sin(b) * q[1] + cos(b) * q[2] + shift[2]};
                memcpy(body ? model.coarse[v] : model.dense[v], rotated, sizeof rotated);
            }
        }
        double(*expected)[3] = test_allocate(dense->vertex_count, sizeof *expected);
        memcpy(expected, model.dense, dense->vertex_count * sizeof *expected);
        move_model(&model);
        for (uint32_t v = 0; v < dense->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                assert_true(fabs(model.dense[v][axis] - expected[v][axis]) < 1e-12);
            }
        }
        for (uint32_t node = 0; node < facts.nodes; node++) { /* lengths here are of order 1 to 10 */
            assert_true(fabs(dent_bound_tree_node(model.tree, node).radius - radii[node]) < 1e-11);
        }
        (void)coarse;
        free(expected);
        free(radii);
        close_model(&model);
    }
    dent_context_destroy(context);
}

/* ---- the search -------------------------------------------------------------------------------------------------- */

static int compare_pairs(const void *left, const void *right)
{
    const dent_face_pair *a = left, *b = right;
    if (a->face_a != b->face_a) {
        return a->face_a < b->face_a ? -1 : 1;
    }
    return a->face_b < b->face_b ? -1 : a->face_b > b->face_b;
}

/* face-face of the two dense surfaces as written out, in a world of their own. */
static dent_face_pair *true_pairs(dent_context *context, const struct model models[2], uint32_t *count)
{
    dent_world *world = dent_world_create(context);
    for (int i = 0; i < 2; i++) {
        dent_body_def def = test_body_def(&models[i].scene.bodies[0]);
        dent_body_id id;
        def.positions_t0 = dent_positions_double(models[i].dense[0]);
        def.self_collision = false;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    }
    dent_query_def ask = dent_query_def_default();
    dent_query_result result;
    ask.questions = DENT_QUESTION_FACE_FACE;
    assert_int_equal(dent_world_query(world, &ask, &result), DENT_OK);
    dent_face_pair *pairs = test_allocate(result.face_face.count, sizeof *pairs);
    *count = (uint32_t)result.face_face.count;
    for (uint32_t i = 0; i < *count; i++) {
        const dent_pair *pair = &result.face_face.pairs[i];
        pairs[i] = (dent_face_pair){pair->feature_a, pair->feature_b, pair->kind};
    }
    dent_world_destroy(world);
    return pairs;
}

/* Brings the middle of the second near that of the first, so that they meet. */
static void bring_together(struct model models[2], dent_random *random)
{
    for (int axis = 0; axis < 3; axis++) {
        double middle[2] = {0, 0};
        for (int i = 0; i < 2; i++) {
            for (uint32_t v = 0; v < models[i].scene.bodies[1].vertex_count; v++) {
                middle[i] += models[i].coarse[v][axis] / models[i].scene.bodies[1].vertex_count;
            }
        }
        double shift = middle[0] - middle[1] + uniform(random, -1, 1);
        for (uint32_t v = 0; v < models[1].scene.bodies[1].vertex_count; v++) {
            models[1].coarse[v][axis] += shift;
        }
    }
}

static bool node_holds_face(dent_bound_tree *tree, uint32_t node, uint32_t face)
{
    dent_bound_node facts = dent_bound_tree_node(tree, node);
    const uint32_t *order = dent_bound_tree_face_order(tree);
    for (uint32_t i = facts.first_face; i < facts.first_face + facts.face_count; i++) {
        if (order[i] == face) {
            return true;
        }
    }
    return false;
}

/* The dense vertices of a node's faces, one after the other. */
static uint32_t list_positions(struct model *model, uint32_t number, double (*positions)[3])
{
    uint32_t count, listed = 0;
    const dent_surface_face *faces = dent_body_surface_faces(model->world, model->dense_id, &count);
    const uint32_t *order = dent_bound_tree_face_order(model->tree);
    dent_bound_node node = dent_bound_tree_node(model->tree, number);
    for (uint32_t i = node.first_face; i < node.first_face + node.face_count; i++) {
        for (int k = 0; k < 3; k++) {
            memcpy(positions[listed++], model->dense[faces[order[i]].corners[k]], sizeof *positions);
        }
    }
    return listed;
}

/* An entry's error is not below the distance of the nearest two vertices, nor lo above it. */
static void check_entry(struct model models[2], const dent_region_pair *entry)
{
    static double positions[2][3 * 4096][3];
    uint32_t counts[2];
    double gap = INFINITY, largest = 0;
    for (int i = 0; i < 2; i++) {
        assert_true(dent_bound_tree_get_info(models[i].tree).faces <= 4096);
        counts[i] = list_positions(&models[i], i ? entry->node_b : entry->node_a, positions[i]);
    }
    for (uint32_t i = 0; i < counts[0]; i++) {
        for (uint32_t k = 0; k < counts[1]; k++) {
            const double *p = positions[0][i], *q = positions[1][k];
            gap = fmin(gap, hypot(hypot(p[0] - q[0], p[1] - q[1]), p[2] - q[2]));
            largest = fmax(largest, fabs(p[0]) + fabs(p[1]) + fabs(p[2]) + fabs(q[0]) + fabs(q[1]) + fabs(q[2]));
        }
    }
    assert_true(gap <= fmax(entry->lo, 0) + entry->error + 1e-14 * largest);
    assert_true(entry->lo <= gap + 1e-14 * largest);
}

static void check_budgets(dent_time_critical *search, struct model models[2], const dent_face_pair *truth,
                          uint32_t count)
{
    double error = INFINITY, depth = INFINITY;
    dent_time_critical_result result;
    for (uint64_t units = 0;; units = units ? 2 * units : 1) {
        dent_time_critical_begin(search, NULL);
        assert_int_equal(dent_time_critical_run(search, dent_budget_units(units), &result), DENT_OK);
        assert_true(result.error <= error && result.depth <= depth);
        error = result.error;
        depth = result.depth;
        for (uint32_t i = 0; units < 128 && i < result.pending_count; i += 7) {
            check_entry(models, &result.pending[i]);
        }
        for (uint32_t i = 0; i < count; i++) {
            bool found = false;
            for (uint32_t k = 0; k < result.pair_count && !found; k++) {
                found = compare_pairs(&result.pairs[k], &truth[i]) == 0;
            }
            for (uint32_t k = 0; k < result.pending_count && !found; k++) {
                found = node_holds_face(models[0].tree, result.pending[k].node_a, truth[i].face_a) &&
                        node_holds_face(models[1].tree, result.pending[k].node_b, truth[i].face_b);
            }
            assert_true(found);
        }
        if (result.outcome != DENT_OUTCOME_BUDGET_SPENT) {
            break;
        }
    }
    assert_int_equal(result.outcome, DENT_OUTCOME_COMPLETE);
    assert_int_equal(result.pair_count, count);
    dent_face_pair *found = test_allocate(count, sizeof *found);
    memcpy(found, result.pairs, count * sizeof *found);
    qsort(found, count, sizeof *found, compare_pairs);
    assert_memory_equal(found, truth, count * sizeof *found);
    free(found);
}

static void the_search_on_reduced_models_finds_what_face_face_finds(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_random random = dent_random_seeded(11);
    uint32_t with_answers = 0, pairs_of_bodies = 0;
    for (uint32_t round = 0; round < rounds(40); round++) {
        struct model models[2];
        open_model(&models[0], context, &random, 150);
        open_model(&models[1], context, &random, 150);
        dent_time_critical_def def = dent_time_critical_def_default();
        dent_time_critical *search;
        def.tree_a = models[0].tree;
        def.tree_b = models[1].tree;
        def.order = (dent_refine_order)(round % 6);
        assert_int_equal(dent_time_critical_create(context, &def, &search), DENT_OK);
        for (int kind = 0; kind < DEFORMATIONS; kind++) {
            for (int i = 0; i < 2; i++) {
                deform(&models[i], &random, i ? kind : 0);
            }
            bring_together(models, &random);
            move_model(&models[0]);
            move_model(&models[1]);
            uint32_t count;
            dent_face_pair *truth = true_pairs(context, models, &count);
            if (count <= 2000) {
                check_budgets(search, models, truth, count);
            }
            with_answers += count > 0;
            pairs_of_bodies++;
            free(truth);
        }
        dent_time_critical_destroy(search);
        close_model(&models[0]);
        close_model(&models[1]);
    }
    print_message("%u pairs of deformed bodies, %u with crossing faces\n", pairs_of_bodies, with_answers);
    assert_true(2 * with_answers > pairs_of_bodies);
    dent_context_destroy(context);
}

/* ---- bad input --------------------------------------------------------------------------------------------------- */

static void bad_models_are_refused_with_a_message(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_random random = dent_random_seeded(3);
    struct model model;
    char message[512];
    open_model(&model, context, &random, 60);
    dent_embedding_def def = dent_embedding_def_default();
    dent_embedding *embedding = NULL;
    struct test_body *dense = &model.scene.bodies[0], *coarse = &model.scene.bodies[1];

    def.longest_link = NAN;
    assert_int_equal(dent_embedding_create(model.world, model.dense_id, model.coarse_id, &def, &embedding),
                     DENT_ERROR_INVALID_ARGUMENT);
    def.longest_link = -1;
    assert_int_equal(dent_embedding_create(model.world, model.dense_id, model.coarse_id, &def, &embedding),
                     DENT_ERROR_INVALID_ARGUMENT);
    def = dent_embedding_def_default();
    def.struct_size = 1;
    assert_int_equal(dent_embedding_create(model.world, model.dense_id, model.coarse_id, &def, &embedding),
                     DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_embedding_create(model.world, model.dense_id, model.dense_id, NULL, &embedding),
                     DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_embedding_create(model.world, (dent_body_id){0}, model.coarse_id, NULL, &embedding),
                     DENT_ERROR_STALE_ID);

    double kept = dense->xyz[5][0];
    dense->xyz[5][0] += 100; /* far from any facet */
    assert_int_equal(dent_embedding_create(model.world, model.dense_id, model.coarse_id, NULL, &embedding),
                     DENT_ERROR_BAD_MESH);
    assert_non_null(strstr(dent_world_message(model.world), "does not cover"));
    assert_non_null(strstr(dent_world_message(model.world), "vertex 5 "));
    dense->xyz[5][0] = INFINITY;
    assert_int_equal(dent_embedding_create(model.world, model.dense_id, model.coarse_id, NULL, &embedding),
                     DENT_ERROR_BAD_NUMBER);
    dense->xyz[5][0] = kept;

    for (uint32_t v = 0; v < coarse->vertex_count; v++) { /* all facets collapsed */
        coarse->xyz[v][1] = coarse->xyz[v][2] = 0;
    }
    assert_int_equal(dent_embedding_create(model.world, model.dense_id, model.coarse_id, NULL, &embedding),
                     DENT_ERROR_BAD_MESH);
    assert_non_null(strstr(dent_world_message(model.world), "collapsed"));
    assert_null(embedding);

    model.coarse[2][1] = NAN;
    assert_int_equal(dent_embedding_move(model.embedding, dent_positions_double(model.coarse[0])),
                     DENT_ERROR_BAD_NUMBER);
    dent_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "coarse vertex 2"));
    assert_int_equal(dent_embedding_move(model.embedding, (dent_positions){0}), DENT_ERROR_INVALID_ARGUMENT);

    dent_bound_tree_def tree_def = dent_bound_tree_def_default();
    dent_bound_tree *tree;
    tree_def.embedding = model.embedding;
    assert_int_equal(dent_bound_tree_create(model.world, model.coarse_id, &tree_def, &tree),
                     DENT_ERROR_INVALID_ARGUMENT);
    tree_def.kind = DENT_BOUND_BOXES;
    assert_int_equal(dent_bound_tree_create(model.world, model.dense_id, &tree_def, &tree), DENT_ERROR_UNSUPPORTED);
    close_model(&model);
    dent_context_destroy(context);
}

static void collapsed_facets_are_counted_and_turn_with_the_whole(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_random random = dent_random_seeded(3);
    struct model model;
    open_model(&model, context, &random, 60);
    assert_int_equal(dent_embedding_flat_facets_now(model.embedding), 0);
    deform(&model, &random, 5);
    move_model(&model);
    assert_int_equal(dent_embedding_flat_facets_now(model.embedding), dent_embedding_get_info(model.embedding).facets);
    for (uint32_t v = 0; v < model.scene.bodies[0].vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            assert_true(fabs(model.dense[v][axis]) < 1e3);
        }
    }
    close_model(&model);
    dent_context_destroy(context);
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    dent_random random = dent_random_seeded(9);
    struct model model;
    open_model(&model, context, &random, 100);
    dent_embedding_def def = dent_embedding_def_default();
    def.longest_link = INFINITY;
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    uint32_t failures = 0;
    for (uint32_t n = 1; status != DENT_OK; n++) {
        dent_embedding *embedding = NULL;
        dent_bound_tree *tree = NULL;
        dent_bound_tree_def tree_def = dent_bound_tree_def_default();
        memory.requests = 0;
        memory.fail_at = n;
        status = dent_embedding_create(model.world, model.dense_id, model.coarse_id, &def, &embedding);
        tree_def.embedding = embedding;
        status = status == DENT_OK ? dent_bound_tree_create(model.world, model.dense_id, &tree_def, &tree) : status;
        memory.fail_at = 0;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        failures += status != DENT_OK;
        dent_bound_tree_destroy(tree);
        dent_embedding_destroy(embedding);
    }
    assert_true(failures > 20);
    close_model(&model);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_dense_vertices_lie_in_all_balls_above_them),
        cmocka_unit_test(a_rigid_motion_keeps_all_radii_and_moves_the_dense_surface_rigidly),
        cmocka_unit_test(the_search_on_reduced_models_finds_what_face_face_finds),
        cmocka_unit_test(bad_models_are_refused_with_a_message),
        cmocka_unit_test(collapsed_facets_are_counted_and_turn_with_the_whole),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
