/* Strands and closed surfaces: each vertex is inside by itself, whatever the strand it belongs to does. */
#include "support/cmocka_includes.h"

#include "support/test_context.h"

#include <dent/dent.h>

#include <math.h>
#include <string.h>

static const double octahedron[6][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
static const uint32_t faces[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};

/* Root inside, then two vertices that lie in the box of the octahedron but outside it; a second strand comes in from
 * there with its tip alone. */
static const double strands[6][3] = {{0, 0, 0.9},     {0.6, 0.6, 0.6},    {0.9, 0.9, 0.9},
                                     {0.8, -0.8, 0.8}, {0.7, -0.7, 0.5}, {0.1, -0.1, 0.2}};

static void add_bodies(dent_world *world, double thickness)
{
    static const uint32_t first[3] = {0, 3, 6};
    dent_body_id id;
    dent_body_def surface = dent_surface_def_default();
    surface.vertex_count = 6;
    surface.element_count = 8;
    surface.element_corners = faces[0];
    surface.positions_t0 = dent_positions_double(octahedron[0]);
    assert_int_equal(dent_world_add_body(world, &surface, &id), DENT_OK);
    dent_body_def hair = dent_strands_def_default();
    hair.strand_count = 2;
    hair.first = first;
    hair.vertex_count = 6;
    hair.thickness = thickness;
    hair.positions_t0 = dent_positions_double(strands[0]);
    assert_int_equal(dent_world_add_body(world, &hair, &id), DENT_OK);
}

static void only_the_vertices_inside_a_closed_surface_have_depth(void **state)
{
    dent_world *world = dent_world_create(*state);
    add_bodies(world, 1e-3);
    dent_contacts_def def = dent_contacts_def_default();
    dent_contacts found;
    assert_int_equal(dent_world_find_contacts(world, &def, &found), DENT_OK);
    uint32_t inside = 0;
    for (uint64_t i = 0; i < found.count; i++) {
        inside += found.contacts[i].gap < 0;
        assert_true(found.contacts[i].gap > -0.6); /* from the centre it would be 0.577 */
    }
    assert_int_equal(inside, 2);
    assert_true(found.max_depth > 0.34 && found.max_depth < 0.36); /* (1 - 0.4) / sqrt(3) */
    dent_world_destroy(world);
}

/* Two parallel segments, one beside half of the other, in both directions; a tilt of 1e-12 changes next to nothing. */
static void parallel_segments_touch_in_the_middle_of_their_overlap(void **state)
{
    static const uint32_t first[3] = {0, 2, 4};
    for (int i = 0; i < 6; i++) {
        double tilt = i % 3 == 0 ? 0 : i % 3 == 1 ? 1e-12 : -1e-12;
        double xyz[4][3] = {{0, 0, 0}, {4, 0, 0}, {2, 0.5 + tilt, 0}, {6, 0.5 - tilt, 0}};
        if (i >= 3) {
            double swapped[3];
            memcpy(swapped, xyz[2], sizeof swapped);
            memcpy(xyz[2], xyz[3], sizeof swapped);
            memcpy(xyz[3], swapped, sizeof swapped);
        }
        dent_world *world = dent_world_create(*state);
        dent_body_id id;
        dent_body_def hair = dent_strands_def_default();
        hair.strand_count = 2;
        hair.first = first;
        hair.vertex_count = 4;
        hair.thickness = 0.3;
        hair.positions_t0 = dent_positions_double(xyz[0]);
        assert_int_equal(dent_world_add_body(world, &hair, &id), DENT_OK);
        dent_contacts_def def = dent_contacts_def_default();
        dent_contacts found;
        def.proximity = true;
        assert_int_equal(dent_world_find_contacts(world, &def, &found), DENT_OK);
        assert_int_equal(found.count, 1);
        const dent_contact *contact = &found.contacts[0];
        assert_true(fabs(contact->point_a[0] - 3) < 1e-9 && fabs(contact->point_b[0] - 3) < 1e-9);
        assert_true(fabs(contact->weights_a[1] - 0.75) < 1e-9);
        assert_true(fabs(contact->weights_b[1] - (i < 3 ? 0.25 : 0.75)) < 1e-9);
        assert_true(fabs(contact->normal[1] + 1) < 1e-9 && fabs(contact->gap - 0.5) < 1e-9);
        dent_world_destroy(world);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_the_vertices_inside_a_closed_surface_have_depth),
        cmocka_unit_test(parallel_segments_touch_in_the_middle_of_their_overlap),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
