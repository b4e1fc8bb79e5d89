/* Forces from pairs of balls: equal and opposite, the torque kept or its lack reported, and no multiplication by
 * refinement. */
#include "support/cmocka_includes.h"

#include "support/random_scene.h"
#include "support/random_surface.h"

struct stage {
    dent_context *context;
    dent_world *world;
    struct test_scene scene; /* 0, 1: the bodies; 2: the coarse body of 1, when reduced */
    dent_embedding *embedding;
    dent_bound_tree *trees[2];
    dent_time_critical *search;
    dent_time_critical_result result;
    double *forces[2];
};

static void open_stage_scaled(struct stage *stage, dent_random *random, double shift, bool embedding,
                              dent_bound_kind kind, double scale)
{
    *stage = (struct stage){.context = dent_context_create(NULL, NULL)};
    stage->world = dent_world_create(stage->context);
    for (int i = 0; i < 2; i++) {
        stage->scene.bodies[stage->scene.body_count++] = surface_closed(random, 300);
        for (uint32_t v = 0; v < stage->scene.bodies[i].vertex_count; v++) {
            stage->scene.bodies[i].xyz[v][0] += i * shift;
        }
    }
    struct test_body *coarse = test_add_block(&stage->scene, 2, 2, 2);
    for (uint32_t v = 0; v < coarse->vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            coarse->xyz[v][axis] = (coarse->xyz[v][axis] - 1) * 0.7 + (axis == 0 ? shift : 0);
        }
    }
    for (uint32_t i = 0; i < stage->scene.body_count; i++) {
        for (uint32_t n = 0; n < 3 * stage->scene.bodies[i].vertex_count; n++) {
            stage->scene.bodies[i].xyz[n / 3][n % 3] *= scale;
        }
    }
    assert_int_equal(test_scene_add(&stage->scene, stage->world), DENT_OK);
    dent_bound_tree_def def = dent_bound_tree_def_default();
    def.kind = kind;
    if (embedding) {
        dent_embedding_def embedding_def = dent_embedding_def_default();
        embedding_def.longest_link = INFINITY;
        assert_int_equal(dent_embedding_create(stage->world, dent_world_body_at(stage->world, 1),
                                               dent_world_body_at(stage->world, 2), &embedding_def, &stage->embedding),
                         DENT_OK);
    }
    for (uint32_t i = 0; i < 2; i++) {
        def.embedding = i ? stage->embedding : NULL;
        assert_int_equal(
            dent_bound_tree_create(stage->world, dent_world_body_at(stage->world, i), &def, &stage->trees[i]), DENT_OK);
        stage->forces[i] = test_allocate(
            3 * (size_t)(i && embedding ? coarse->vertex_count : stage->scene.bodies[i].vertex_count), sizeof(double));
    }
    dent_time_critical_def search = dent_time_critical_def_default();
    search.tree_a = stage->trees[0];
    search.tree_b = stage->trees[1];
    assert_int_equal(dent_time_critical_create(stage->context, &search, &stage->search), DENT_OK);
    dent_time_critical_begin(stage->search, NULL);
}

static void open_stage(struct stage *stage, dent_random *random, double shift, bool embedding, dent_bound_kind kind)
{
    open_stage_scaled(stage, random, shift, embedding, kind, 1);
}

static void close_stage(struct stage *stage)
{
    dent_time_critical_destroy(stage->search);
    dent_bound_tree_destroy(stage->trees[0]);
    dent_bound_tree_destroy(stage->trees[1]);
    dent_embedding_destroy(stage->embedding);
    dent_world_destroy(stage->world);
    test_scene_free(&stage->scene);
    free(stage->forces[0]);
    free(stage->forces[1]);
    dent_context_destroy(stage->context);
}

/* Force and torque about the origin of what was written. */
static void sum_forces(const struct stage *stage, int side, double force[3], double torque[3])
{
    const struct test_body *body = &stage->scene.bodies[side && stage->embedding ? 2 : side];
    const double *f = stage->forces[side];
    memset(force, 0, 3 * sizeof *force);
    memset(torque, 0, 3 * sizeof *torque);
    for (uint32_t v = 0; v < body->vertex_count; v++, f += 3) {
        const double *p = body->xyz[v];
        for (int axis = 0; axis < 3; axis++) {
            force[axis] += f[axis];
            torque[axis] += p[(axis + 1) % 3] * f[(axis + 2) % 3] - p[(axis + 2) % 3] * f[(axis + 1) % 3];
        }
    }
}

static void check_momentum(bool embedding)
{
    dent_random random = dent_random_seeded(embedding ? 5 : 4);
    uint32_t pushed = 0, kept = 0;
    for (int round = 0; round < 40; round++) {
        struct stage stage;
        dent_sphere_response response;
        open_stage(&stage, &random, 1.2 + 0.6 * dent_random_unit(&random), embedding, DENT_BOUND_SPHERES);
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(1u << (round % 14)), &stage.result),
                         DENT_OK);
        assert_int_equal(dent_sphere_response_compute(stage.search, NULL, stage.forces[0], stage.forces[1], &response),
                         DENT_OK);
        double force[2][3], torque[2][3];
        sum_forces(&stage, 0, force[0], torque[0]);
        sum_forces(&stage, 1, force[1], torque[1]);
        for (int axis = 0; axis < 3; axis++) {
            assert_true(fabs(force[0][axis] - response.force[axis]) < 1e-12);
            assert_true(fabs(force[1][axis] + response.force[axis]) < 1e-12);
            assert_true(response.uniform > 0 || fabs(response.torque_a[axis]) < 1e-12);
            assert_true((response.uniform > 0 && !embedding) || fabs(response.torque_b[axis]) < 1e-12);
            /* Contact forces act on common lines: what is written and what is missing cancel. */
            assert_true(fabs(torque[0][axis] + response.torque_a[axis] + torque[1][axis] + response.torque_b[axis]) <
                        1e-11);
        }
        pushed += response.regions;
        kept += 2 * response.regions - response.uniform;
        assert_true(response.regions == 0 || response.force[0] < 0); /* b lies at +x: a is pushed to -x */
        close_stage(&stage);
    }
    print_message("%u pushes, weights that keep the torque for %u of %u sides\n", pushed, kept, 2 * pushed);
    assert_true(pushed > 100 && kept > pushed / 4);
}

static void forces_are_equal_and_opposite_and_torque_is_kept_or_reported(void **state)
{
    (void)state;
    check_momentum(false);
}

static void the_same_holds_for_coarse_nodes_of_a_reduced_model(void **state)
{
    (void)state;
    check_momentum(true);
}

/* A force on the tip of every link, of a model that has been bent: what the coarse nodes get has its force and torque. */
static void the_torque_of_a_link_is_kept(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(12);
    double worst = 0, plain = 0;
    uint32_t kept = 0, count = 0;
    for (int round = 0; round < 5; round++) {
        struct stage stage;
        open_stage(&stage, &random, 1.5, true, DENT_BOUND_SPHERES);
        struct test_body *coarse = &stage.scene.bodies[2];
        for (uint32_t v = 0; v < coarse->vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                coarse->xyz[v][axis] += 0.2 * (dent_random_unit(&random) - 0.5);
            }
        }
        assert_int_equal(dent_embedding_move(stage.embedding, dent_positions_double(coarse->xyz[0])), DENT_OK);
        uint32_t dense = dent_embedding_get_info(stage.embedding).dense_vertices;
        double *tips = test_allocate(3 * (size_t)dense, sizeof *tips);
        dent_embedding_write_dense(stage.embedding, tips);
        for (uint32_t v = 0; v < dense; v++, count++) {
            const double pull[3] = {dent_random_unit(&random) - 0.5, dent_random_unit(&random) - 0.5, 0.3};
            for (int link = 0; link < 2; link++) {
                double force[3], torque[3];
                memset(stage.forces[1], 0, 3 * coarse->vertex_count * sizeof(double));
                if (link) {
                    kept += dent_embedding_spread_link_force(stage.embedding, v, pull, stage.forces[1]);
                } else {
                    dent_embedding_spread_force(stage.embedding, v, pull, stage.forces[1]);
                }
                sum_forces(&stage, 1, force, torque);
                for (int axis = 0; axis < 3; axis++) {
                    const double *p = tips + 3 * (size_t)v;
                    double wanted = p[(axis + 1) % 3] * pull[(axis + 2) % 3] - p[(axis + 2) % 3] * pull[(axis + 1) % 3];
                    assert_true(fabs(force[axis] - pull[axis]) < 1e-12);
                    *(link ? &worst : &plain) = fmax(link ? worst : plain, fabs(torque[axis] - wanted));
                }
            }
        }
        free(tips);
        close_stage(&stage);
    }
    print_message("%u of %u links keep their torque, to %.2g; forces on the bases alone miss up to %.2g\n", kept, count,
                  worst, plain);
    assert_int_equal(kept, count);
    assert_true(worst < 1e-11 && plain > 0.01);
}

static void refinement_does_not_multiply_the_force(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(8);
    struct stage stage;
    double before = INFINITY;
    open_stage(&stage, &random, 1.5, false, DENT_BOUND_SPHERES);
    for (int step = 0; step < 20; step++) {
        dent_sphere_response response;
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(200), &stage.result), DENT_OK);
        assert_int_equal(dent_sphere_response_compute(stage.search, NULL, NULL, NULL, &response), DENT_OK);
        double size = sqrt(response.force[0] * response.force[0] + response.force[1] * response.force[1] +
                           response.force[2] * response.force[2]);
        assert_true(size <= response.depth + 1e-12); /* stiffness 1: a mean of depths along unit directions */
        assert_true(response.depth <= stage.result.depth * 1.07 || response.depth <= before);
        before = response.depth;
    }
    close_stage(&stage);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(8);
    struct stage stage;
    dent_sphere_response response = {.regions = 9};
    open_stage(&stage, &random, 1.5, false, DENT_BOUND_BOXES);
    assert_int_equal(dent_sphere_response_compute(stage.search, NULL, NULL, NULL, &response), DENT_ERROR_UNSUPPORTED);
    close_stage(&stage);
    open_stage(&stage, &random, 1.5, false, DENT_BOUND_SPHERES);
    dent_sphere_response_def def = dent_sphere_response_def_default();
    def.stiffness = NAN;
    assert_int_equal(dent_sphere_response_compute(stage.search, &def, NULL, NULL, &response),
                     DENT_ERROR_INVALID_ARGUMENT);
    def = dent_sphere_response_def_default();
    def.optimism = 2;
    assert_int_equal(dent_sphere_response_compute(stage.search, &def, NULL, NULL, &response),
                     DENT_ERROR_INVALID_ARGUMENT);
    def.struct_size = 0;
    assert_int_equal(dent_sphere_response_compute(stage.search, &def, NULL, NULL, &response),
                     DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(response.regions, 9);
    close_stage(&stage);
}

/* Balls of two poses would push from where nothing is. */
static void regions_of_an_older_pose_do_not_push(void **state)
{
    (void)state;
    struct stage stage;
    dent_random random = dent_random_seeded(9);
    dent_sphere_response response;
    open_stage(&stage, &random, 1.4, true, DENT_BOUND_SPHERES);
    dent_time_critical_begin(stage.search, NULL);
    assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(500), &stage.result), DENT_OK);
    assert_int_equal(dent_sphere_response_compute(stage.search, NULL, NULL, NULL, &response), DENT_OK);
    assert_int_equal(dent_embedding_move(stage.embedding, dent_positions_double(stage.scene.bodies[2].xyz[0])),
                     DENT_OK);
    assert_int_equal(dent_sphere_response_compute(stage.search, NULL, stage.forces[0], stage.forces[1], &response),
                     DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_bound_tree_update(stage.trees[1]), DENT_OK);
    assert_int_equal(dent_sphere_response_compute(stage.search, NULL, NULL, NULL, &response),
                     DENT_ERROR_INVALID_ARGUMENT);
    for (uint32_t n = 0; n < 3 * stage.scene.bodies[0].vertex_count; n++) {
        assert_true(stage.forces[0][n] == 0);
    }
    close_stage(&stage);
}

static void bodies_and_forces_beyond_all_squares_are_refused(void **state)
{
    (void)state;
    static const double sizes[] = {1e-60, 1, 1e60, 1e80, 1e150, 1e300};
    for (int n = 0; n < 6; n++) {
        dent_random random = dent_random_seeded(7);
        struct stage stage;
        dent_sphere_response response = {.regions = 9};
        open_stage_scaled(&stage, &random, 1.4, false, DENT_BOUND_SPHERES, sizes[n]);
        assert_int_equal(dent_time_critical_run(stage.search, dent_budget_units(200), &stage.result), DENT_OK);
        dent_status status =
            dent_sphere_response_compute(stage.search, NULL, stage.forces[0], stage.forces[1], &response);
        assert_int_equal(status, sizes[n] > 1e70 ? DENT_ERROR_BAD_NUMBER : DENT_OK);
        assert_true(status == DENT_OK || response.regions == 9);
        for (uint32_t v = 0; v < 3 * stage.scene.bodies[0].vertex_count; v++) {
            assert_true(isfinite(stage.forces[0][v]) && (status == DENT_OK || stage.forces[0][v] == 0));
        }
        for (int axis = 0; axis < 3; axis++) {
            assert_true(isfinite(response.force[axis]) && isfinite(response.torque_a[axis]));
            assert_true(isfinite(response.torque_b[axis]) && isfinite(response.direction[axis]));
        }
        if (status == DENT_OK) {
            assert_true(response.regions > 0 && response.direction[0] < 0);
            dent_sphere_response_def def = dent_sphere_response_def_default();
            def.stiffness = 1e308;
            assert_int_equal(dent_sphere_response_compute(stage.search, &def, NULL, NULL, &response),
                             sizes[n] >= 1e-60 ? DENT_ERROR_BAD_NUMBER : DENT_OK);
        }
        close_stage(&stage);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forces_are_equal_and_opposite_and_torque_is_kept_or_reported),
        cmocka_unit_test(the_same_holds_for_coarse_nodes_of_a_reduced_model),
        cmocka_unit_test(the_torque_of_a_link_is_kept),
        cmocka_unit_test(refinement_does_not_multiply_the_force),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(regions_of_an_older_pose_do_not_push),
        cmocka_unit_test(bodies_and_forces_beyond_all_squares_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
