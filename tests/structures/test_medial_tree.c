/* The medial-axis builder: balls stand less far out of the solid than those of the splitter, every face is in one leaf,
 * and bad shapes do no harm. */
#include "support/cmocka_includes.h"

#include "structures/bounds/bound_tree_point.h"
#include "structures/bounds/medial_balls.h"
#include "structures/bounds/medial_tree.h"
#include "support/random_scene.h"
#include "support/random_surface.h"

struct built {
    struct bound_tree tree;
    dent_surface_face *faces;
};

static struct built build_tree(dent_context *context, const struct test_body *body, dent_bound_builder builder)
{
    struct built built;
    built.faces = test_allocate(body->element_count, sizeof *built.faces);
    for (uint32_t f = 0; f < body->element_count; f++) {
        memcpy(built.faces[f].corners, body->corners + 3 * f, sizeof built.faces[f].corners);
    }
    struct bound_build build = {context,
                                DENT_BOUND_SPHERES,
                                builder,
                                8,
                                4,
                                (const double(*)[3])body->xyz,
                                body->vertex_count,
                                body->element_count,
                                built.faces};
    assert_int_equal(bound_tree_build(&built.tree, &build), DENT_OK);
    bound_tree_refit(&built.tree);
    return built;
}

static void free_tree(struct built *built)
{
    bound_tree_destroy(&built->tree);
    free(built->faces);
}

static void assert_every_face_is_in_one_leaf(const struct bound_tree *tree)
{
    uint8_t *seen = test_allocate(tree->face_count, 1);
    for (uint32_t node = 0; node < tree->node_count; node++) {
        const struct bound_link *link = &tree->links[node];
        uint32_t below = 0;
        for (uint32_t i = 0; i < link->child_count; i++) {
            const struct bound_link *child = &tree->links[link->first_child + i];
            assert_int_equal(child->first_face, link->first_face + below);
            assert_true(child->face_count > 0 && child->face_count < link->face_count);
            below += child->face_count;
        }
        assert_true(link->child_count == 0 ? link->face_count <= tree->leaf_faces : below == link->face_count);
        for (uint32_t i = link->first_face; link->child_count == 0 && i < link->first_face + link->face_count; i++) {
            assert_int_equal(seen[tree->order[i]]++, 0);
        }
    }
    for (uint32_t f = 0; f < tree->face_count; f++) {
        assert_int_equal(seen[f], 1);
    }
    free(seen);
}

static double mean_protrusion(const struct bound_tree *tree, const struct bound_tree *surface, uint32_t level)
{
    double sum = 0;
    uint32_t count = 0;
    for (uint32_t node = tree->level_start[level]; node < tree->level_start[level + 1]; node++, count++) {
        const double *ball = tree->volumes[node].v;
        sum += tree->medial ? tree->medial->rest[node].reach - tree->medial->rest[node].inside
                            : ball[3] - medial_inside_distance(surface, ball);
    }
    return sum / count;
}

/* A tube: where the splitter's balls stick out most. */
static void stretch(struct test_body *body)
{
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        body->xyz[v][2] *= 6;
    }
}

static void medial_balls_stand_out_less_than_those_of_the_splitter(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_random random = dent_random_seeded(2);
    const double at[3] = {0, 0, 0};
    struct test_body body = surface_new(30 * 20 + 2, 2 * 30 * 21);
    surface_put_ball(&body, &random, 30, 20, at, 1, 0);
    stretch(&body);
    struct built split = build_tree(context, &body, DENT_BUILD_SPLIT),
                 medial = build_tree(context, &body, DENT_BUILD_MEDIAL);
    assert_every_face_is_in_one_leaf(&split.tree);
    assert_every_face_is_in_one_leaf(&medial.tree);
    for (uint32_t level = 1; level < 4; level++) {
        double of_split = mean_protrusion(&split.tree, &split.tree, level),
               of_medial = mean_protrusion(&medial.tree, &split.tree, level);
        print_message("level %u: mean protrusion %.3f (split), %.3f (medial)\n", level, of_split, of_medial);
        assert_true(of_medial < of_split);
    }
    free_tree(&split);
    free_tree(&medial);
    struct test_scene scene = {.body_count = 1, .bodies = {body}};
    test_scene_free(&scene);
    dent_context_destroy(context);
}

static void bad_shapes_give_whole_trees(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    static const double scales[6][3] = {
        {0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1e150, 1e150, 1e150}, {1e-150, 1e-150, 1e-150}, {1e307, 1, 1e-300}};
    for (int kind = 0; kind < 6; kind++) {
        dent_random random = dent_random_seeded(2);
        struct test_body body = surface_closed(&random, 200);
        for (uint32_t v = 0; v < body.vertex_count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                body.xyz[v][axis] *= scales[kind][axis];
            }
        }
        struct built medial = build_tree(context, &body, DENT_BUILD_MEDIAL),
                     split = build_tree(context, &body, DENT_BUILD_SPLIT);
        assert_every_face_is_in_one_leaf(&medial.tree);
        assert_every_face_is_in_one_leaf(&split.tree);
        free_tree(&medial);
        free_tree(&split);
        struct test_scene scene = {.body_count = 1, .bodies = {body}};
        test_scene_free(&scene);
    }
    dent_context_destroy(context);
}

static void the_nearest_face_is_the_nearest(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_random random = dent_random_seeded(4);
    struct test_body body = surface_closed(&random, 300);
    struct built split = build_tree(context, &body, DENT_BUILD_SPLIT);
    uint8_t *left_out = test_allocate(body.element_count, 1);
    for (int i = 0; i < 2000; i++) {
        double p[3];
        struct nearest_face nearest, best = {UINT32_MAX, INFINITY, {0}};
        surface_random_vector(&random, -2, 2, p);
        left_out[dent_random_below(&random, body.element_count)] ^= 1;
        bound_tree_nearest(&split.tree, left_out, p, &nearest);
        for (uint32_t place = 0; place < body.element_count; place++) {
            uint32_t face = split.tree.order[place];
            double found = INFINITY;
            if (!left_out[face]) {
                struct bound_link one = {.first_face = place, .face_count = 1};
                struct bound_tree copy = split.tree;
                copy.links = &one;
                struct nearest_face alone;
                bound_tree_nearest(&copy, NULL, p, &alone);
                found = alone.distance;
            }
            if (found < best.distance || (found == best.distance && face < best.face)) {
                best.distance = found;
                best.face = face;
            }
        }
        assert_int_equal(nearest.face, best.face);
        assert_true(nearest.distance == best.distance);
    }
    free(left_out);
    free_tree(&split);
    struct test_scene scene = {.body_count = 1, .bodies = {body}};
    test_scene_free(&scene);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(medial_balls_stand_out_less_than_those_of_the_splitter),
        cmocka_unit_test(bad_shapes_give_whole_trees),
        cmocka_unit_test(the_nearest_face_is_the_nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
