/* See support_check.h. */
#include "support_check.h"

void check_world_open(struct check_world *check, uint32_t threads)
{
    dent_context_def def = dent_context_def_default();
    memset(check, 0, sizeof *check);
    def.thread_count = threads;
    check->context = dent_context_create(&def, NULL);
    assert_non_null(check->context);
    check->world = dent_world_create(check->context);
    assert_non_null(check->world);
}

void check_world_close(struct check_world *check)
{
    dent_world_destroy(check->world);
    dent_context_destroy(check->context);
    test_scene_free(&check->scene);
}

dent_check_result check_world_run(struct check_world *check, const dent_check_def *def)
{
    dent_check_def plain = dent_check_def_default();
    dent_check_result result;
    if (!check->added) {
        assert_int_equal(test_scene_add(&check->scene, check->world), DENT_OK);
        check->added = true;
    }
    dent_status status = dent_world_check(check->world, def ? def : &plain, &result);
    if (status != DENT_OK) {
        fail_msg("the check failed: %s", dent_world_message(check->world));
    }
    return result;
}

struct test_body *add_surface_of(struct test_scene *into, const struct test_body *solid, bool inside_out)
{
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_body_def def = test_body_def(solid);
    dent_body_id id;
    uint32_t count;
    assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    const dent_surface_face *faces = dent_body_surface_faces(world, id, &count);
    struct test_body *body = test_scene_new_body(into, DENT_BODY_SURFACE, solid->vertex_count, count, count * 3);
    memcpy(body->xyz, solid->xyz, solid->vertex_count * sizeof *body->xyz);
    for (uint32_t face = 0; face < count; face++) {
        for (int k = 0; k < 3; k++) {
            body->corners[3 * face + k] = faces[face].corners[inside_out ? 2 - k : k];
        }
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
    return body;
}

struct test_body *add_solid(struct test_scene *scene, uint32_t vertices, const double (*xyz)[3], uint32_t cells,
                            const uint32_t *corners)
{
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SOLID, vertices, cells, cells * 4);
    memcpy(body->xyz, xyz, vertices * sizeof *xyz);
    memcpy(body->corners, corners, (size_t)cells * 4 * sizeof *corners);
    return body;
}

void assert_same_report(const dent_check_result *a, const dent_check_result *b)
{
    assert_int_equal(a->outcome, b->outcome);
    assert_int_equal(a->pair_count, b->pair_count);
    assert_int_equal(a->penetrating_pairs, b->penetrating_pairs);
    assert_int_equal(a->touching_pairs, b->touching_pairs);
    assert_memory_equal(&a->max_depth, &b->max_depth, sizeof a->max_depth);
    for (uint64_t i = 0; i < a->pair_count; i++) {
        const dent_body_contact *p = &a->pairs[i], *q = &b->pairs[i];
        assert_int_equal(p->body_a, q->body_a);
        assert_int_equal(p->body_b, q->body_b);
        assert_int_equal(p->state, q->state);
        assert_int_equal(p->exact_penetration, q->exact_penetration);
        assert_int_equal(p->containment_judged, q->containment_judged);
        assert_int_equal(p->overlapping_elements, q->overlapping_elements);
        assert_int_equal(p->penetrating_vertices, q->penetrating_vertices);
        assert_int_equal(p->touching_elements, q->touching_elements);
        assert_memory_equal(&p->max_depth, &q->max_depth, sizeof p->max_depth);
        assert_memory_equal(p->deepest, q->deepest, sizeof p->deepest);
    }
}
