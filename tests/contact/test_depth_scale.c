/* The two depths: that of `check`, the distance to the nearest surface, and that of a contact, along its normal, with an
 * error. What is hardly known does not set the scale for what is known.
 */
#include "support/cmocka_includes.h"

#include "contact/support_blocks.h"

#include <dent/penetration.h>

/* A table, a block pressed 0.1 into it from above, and, where wanted, a body swallowed whole by a second block. */
struct scene {
    dent_context *context;
    dent_world *world;
    struct block blocks[4];
    int count;
};

static void put(struct scene *scene, uint32_t cells, double edge, double x, double y, double z)
{
    const double columns[3][3] = {{edge, 0, 0}, {0, edge, 0}, {0, 0, edge}}, origin[3] = {x, y, z};
    struct block *block = &scene->blocks[scene->count++];
    *block = block_make(cells, cells, cells);
    block_map(block, columns, origin);
    block_add(scene->world, block);
}

static struct scene make_scene(bool pressed, bool swallowed)
{
    struct scene scene = {.context = block_context(1, DENT_ISA_AUTO)};
    scene.world = dent_world_create(scene.context);
    if (pressed) {
        put(&scene, 3, 4, 0, 0, -12);
        put(&scene, 2, 0.7, 5.1, 5.3, -0.1);
    }
    if (swallowed) {
        put(&scene, 2, 5, 100, 0, 0);
        put(&scene, 1, 0.5, 103.1, 3.2, 3.3);
    }
    return scene;
}

static void free_scene(struct scene *scene)
{
    dent_world_destroy(scene->world);
    dent_context_destroy(scene->context);
    for (int i = 0; i < scene->count; i++) {
        block_free(&scene->blocks[i]);
    }
}

static dent_contacts find(struct scene *scene)
{
    dent_contacts_def def = dent_contacts_def_default();
    dent_contacts contacts;
    assert_int_equal(dent_world_find_contacts(scene->world, &def, &contacts), DENT_OK);
    return contacts;
}

static double check_depth(struct scene *scene)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    assert_int_equal(dent_world_check(scene->world, &def, &result), DENT_OK);
    return result.max_depth;
}

/* What the result says of the list, counted by hand. */
static void compare_with_list(const dent_contacts *found)
{
    double certain = 0, certain_error = 0, uncertain = 0, largest = 0;
    uint64_t count = 0;
    for (uint64_t i = 0; i < found->count; i++) {
        const dent_contact *contact = &found->contacts[i];
        bool overlaps = contact->gap < 0, known = overlaps && contact->error <= -contact->gap / 2;
        assert_true(dent_contact_is_certain(contact) == known);
        largest = fmax(largest, -contact->gap);
        if (known && -contact->gap > certain) {
            certain = -contact->gap;
            certain_error = contact->error;
        }
        uncertain = overlaps && !known ? fmax(uncertain, -contact->gap) : uncertain;
        count += overlaps && !known;
    }
    assert_true(found->max_depth == largest);
    assert_true(found->uncertain_depth == uncertain);
    assert_true(found->uncertain_count == count);
    assert_true(found->scale_depth == (certain > 0 ? certain : uncertain));
    assert_true(certain == 0 || found->scale_error == certain_error);
}

static void below_a_plane_both_depths_are_the_same(void **state)
{
    (void)state;
    struct scene scene = make_scene(true, false);
    dent_contacts found = find(&scene);
    compare_with_list(&found);
    assert_true(fabs(found.scale_depth - 0.1) < 1e-12);
    assert_true(found.scale_error < 1e-12);
    assert_true(fabs(check_depth(&scene) - 0.1) < 1e-12);
    free_scene(&scene);
}

static void a_depth_that_is_hardly_known_does_not_set_the_scale(void **state)
{
    (void)state;
    struct scene scene = make_scene(true, true);
    dent_contacts found = find(&scene);
    compare_with_list(&found);
    assert_true(found.max_depth > 2);
    assert_true(fabs(found.scale_depth - 0.1) < 1e-12);
    assert_true(found.uncertain_count >= 8 && found.uncertain_depth == found.max_depth);
    free_scene(&scene);
}

static void where_no_depth_is_certain_the_largest_sets_the_scale_and_its_error_says_so(void **state)
{
    (void)state;
    struct scene scene = make_scene(false, true);
    dent_contacts found = find(&scene);
    compare_with_list(&found);
    assert_true(found.scale_depth == found.max_depth && found.max_depth > 2);
    assert_true(found.scale_error > found.scale_depth / 2);
    free_scene(&scene);
}

static void without_an_overlap_there_is_no_scale(void **state)
{
    (void)state;
    struct scene scene = make_scene(false, false);
    put(&scene, 2, 1, 0, 0, 0);
    put(&scene, 2, 1, 5, 0, 0);
    dent_contacts found = find(&scene);
    compare_with_list(&found);
    assert_true(found.max_depth == 0 && found.scale_depth == 0 && found.scale_error == 0);
    free_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(below_a_plane_both_depths_are_the_same),
        cmocka_unit_test(a_depth_that_is_hardly_known_does_not_set_the_scale),
        cmocka_unit_test(where_no_depth_is_certain_the_largest_sets_the_scale_and_its_error_says_so),
        cmocka_unit_test(without_an_overlap_there_is_no_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
