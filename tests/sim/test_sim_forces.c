/* Forces in the simulator against forces known beforehand: weights on contacts and attachments, springs and elastic
 * columns pressed by a plate. All lengths in metres, forces in newtons. */
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <dent/sim_scene.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The vertical force of all contacts on a body. */
static double contact_force_on(const dent_sim *sim, uint32_t body)
{
    uint64_t count;
    const dent_sim_contact *contacts = dent_sim_contacts(sim, &count);
    double sum = 0;
    for (uint64_t i = 0; i < count; i++) {
        sum += contacts[i].body_a == body ? contacts[i].force[2] : 0;
        sum -= contacts[i].body_b == body ? contacts[i].force[2] : 0;
    }
    return sum;
}

/* … of all attachments on their side a. */
static double attachment_force(const dent_sim *sim, uint32_t count)
{
    double *forces = calloc(3 * (size_t)count, sizeof *forces), sum = 0;
    assert_non_null(forces);
    dent_sim_attachment_forces(sim, forces);
    for (uint32_t n = 0; n < count; n++) {
        sum += forces[3 * n + 2];
    }
    free(forces);
    return sum;
}

/* Ties the vertices of a mesh at height z to their places: in space, or in cells of a rigid block. */
static uint32_t tie_layer(const struct test_mesh *mesh, double z, uint32_t body_a, double compliance,
                          dent_sim_attachment *ties)
{
    uint32_t count = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (fabs(mesh->positions[3 * v + 2] - z) < 1e-9) {
            dent_sim_attachment tie = dent_sim_attachment_default();
            tie.body_a = body_a;
            tie.vertex_a = v;
            tie.body_b = UINT32_MAX;
            memcpy(tie.point, mesh->positions + 3 * (size_t)v, sizeof tie.point);
            tie.compliance = compliance;
            ties[count++] = tie;
        }
    }
    return count;
}

static void attachments_carry_the_weight_hard_or_soft_of_soft_or_rigid_bodies(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh block = test_block(3, 3, 3, 0.05, 0, 0, 0);
    dent_sim_attachment ties[64];
    for (int kind = 0; kind < 4; kind++) {
        bool rigid = kind & 1, soft_ties = kind & 2;
        dent_sim_body_def body = test_body(rigid ? DENT_SIM_RIGID : DENT_SIM_SOLID, &block);
        dent_sim_material material = dent_sim_material_default();
        material.young = 2e5;
        dent_sim_def def = dent_sim_def_default();
        def.body_count = def.material_count = 1;
        def.bodies = &body;
        def.materials = &material;
        def.air_damping = 4;
        def.attachments = ties;
        def.attachment_count = tie_layer(&block, 0.15, 0, soft_ties ? 1e-3 : 0, ties);
        assert_int_equal(def.attachment_count, 16);
        dent_sim *sim = test_sim(context, &def);
        test_steps(sim, (uint32_t)test_count(160, 240, 240));
        dent_sim_body_info info;
        dent_sim_body(sim, 0, &info);
        double carried = attachment_force(sim, def.attachment_count), weight = 9.81 * info.mass, sag = 0;
        for (uint32_t n = 0; n < def.attachment_count; n++) {
            sag += (0.15 - dent_sim_positions(sim, 0)[3 * ties[n].vertex_a + 2]) / def.attachment_count;
        }
        print_message("%s block on %s ties: they carry %.4f of %.4f N and give way by %.4f mm (%.4f)\n",
                      rigid ? "rigid" : "soft", soft_ties ? "soft" : "hard", carried, weight, 1000 * sag,
                      soft_ties ? weight / 16 : 0);
        assert_true(fabs(carried / weight - 1) < 0.01);
        assert_true(fabs(1000 * sag - (soft_ties ? weight / 16 : 0)) < 0.02 * weight / 16);
        dent_sim_destroy(sim);
    }
    test_mesh_free(&block);
    dent_context_destroy(context);
}

static void contacts_on_a_soft_body_carry_a_known_weight(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh soft = test_block(4, 4, 2, 0.05, -0.1, -0.1, -0.1),
                     block = test_block(2, 2, 1, 0.05, -0.05, -0.05, 0.005);
    uint32_t fixed[64], fixed_count = 0;
    for (uint32_t v = 0; v < soft.vertex_count; v++) {
        if (soft.positions[3 * v + 2] < -0.0999) {
            fixed[fixed_count++] = v;
        }
    }
    for (int rigid = 0; rigid < (int)test_count(1, 2, 2); rigid++) {
        dent_sim_body_def bodies[2] = {test_body(DENT_SIM_SOLID, &soft),
                                       test_body(rigid ? DENT_SIM_RIGID : DENT_SIM_SOLID, &block)};
        bodies[0].fixed_vertices = fixed;
        bodies[0].fixed_count = fixed_count;
        dent_sim_material material = dent_sim_material_default();
        material.young = 3e5;
        dent_sim_def def = dent_sim_def_default();
        def.body_count = 2;
        def.bodies = bodies;
        def.material_count = 1;
        def.materials = &material;
        dent_sim *sim = test_sim(context, &def);
        test_steps(sim, 240);
        dent_sim_body_info info;
        dent_sim_body(sim, 1, &info);
        double force = contact_force_on(sim, 1), weight = 9.81 * info.mass;
        print_message("%s block on a soft body: contacts carry %.5f of %.5f N\n", rigid ? "rigid" : "soft", force,
                      weight);
        assert_true(fabs(force / weight - 1) < 0.01);
        dent_sim_destroy(sim);
    }
    test_mesh_free(&soft);
    test_mesh_free(&block);
    dent_context_destroy(context);
}

/* A plate that comes down by `way` within a fifth of a second and stays. */
static dent_sim_body_def press(const struct test_mesh *mesh, dent_sim_keyframe keys[2], double way)
{
    dent_sim_body_def plate = test_body(DENT_SIM_PRESCRIBED, mesh);
    keys[0] = (dent_sim_keyframe){.time = 0, .rotation = {1, 0, 0, 0}};
    keys[1] = (dent_sim_keyframe){.time = 0.2, .rotation = {1, 0, 0, 0}, .translation = {0, 0, -way}};
    plate.motion.keyframes = keys;
    plate.motion.keyframe_count = 2;
    return plate;
}

static void a_rigid_block_on_springs_pressed_down_answers_with_stiffness_times_way(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh block = test_block(2, 2, 1, 0.05, -0.05, -0.05, 0),
                     plate = test_block(3, 3, 1, 0.05, -0.075, -0.075, 0.06);
    /* From a fiftieth of what inertia can answer in a substep to fifty times that. */
    static const double compliances[3] = {1e-3, 1e-5, 2e-7};
    for (int n = 0; n < 3; n++) {
        dent_sim_attachment ties[32];
        dent_sim_keyframe keys[2];
        dent_sim_body_def bodies[2] = {test_body(DENT_SIM_RIGID, &block), press(&plate, keys, 0.015)};
        bodies[0].thickness = bodies[1].thickness = 0.001;
        dent_sim_def def = dent_sim_def_default();
        def.body_count = 2;
        def.bodies = bodies;
        def.gravity[2] = 0;
        def.air_damping = 4;
        def.attachments = ties;
        def.attachment_count = tie_layer(&block, 0, 0, compliances[n], ties);
        dent_sim *sim = test_sim(context, &def);
        test_steps(sim, 180);
        double way = -dent_sim_positions(sim, 0)[2], expected = 9 * way / compliances[n];
        double force = -contact_force_on(sim, 0), tied = attachment_force(sim, def.attachment_count);
        print_message("springs of %g N/m: pressed by %.4f mm, contact %.4f N, ties %.4f N, truth %.4f N\n",
                      9 / compliances[n], 1000 * way, force, tied, expected);
        assert_true(way > 0.006 && way < 0.0075); /* the plate is 10 mm above, and kept 2 mm away */
        assert_true(fabs(force / expected - 1) < 0.02);
        assert_true(fabs(tied / expected - 1) < 0.02);
        dent_sim_destroy(sim);
    }
    test_mesh_free(&block);
    test_mesh_free(&plate);
    dent_context_destroy(context);
}

static void a_grab_moves_a_light_body_on_stiff_springs_and_lets_it_go(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh block = test_block(2, 2, 1, 0.05, -0.05, -0.05, 0);
    dent_sim_attachment ties[32];
    dent_sim_body_def body = test_body(DENT_SIM_RIGID, &block);
    dent_sim_def def = dent_sim_def_default();
    def.body_count = 1;
    def.bodies = &body;
    def.gravity[2] = 0;
    def.air_damping = 4;
    def.attachments = ties;
    def.attachment_count = tie_layer(&block, 0, 0, 2e-7, ties);
    dent_sim *sim = test_sim(context, &def);
    const double *x = dent_sim_positions(sim, 0);
    const double target[3] = {x[0], x[1], x[2] + 0.001};
    double start = x[2];
    dent_sim_grab(sim, 0, 0, target);
    test_steps(sim, 120);
    double pulled = x[2] - start;
    dent_sim_release_all(sim);
    test_steps(sim, 240);
    print_message("grabbed and pulled by 1 mm: moved %.4f mm, back to %.3g mm\n", 1000 * pulled, 1000 * (x[2] - start));
    assert_true(pulled > 0.0002 && pulled < 0.001);
    assert_true(fabs(x[2] - start) < 1e-6);
    dent_sim_destroy(sim);
    test_mesh_free(&block);
    dent_context_destroy(context);
}

static void a_rigid_block_bonded_to_an_elastic_column_answers_with_young_area_strain(void **state)
{
    (void)state;
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    struct test_mesh column = test_block(3, 3, 6, 0.02, -0.03, -0.03, -0.12),
                     block = test_block(1, 1, 1, 0.06, -0.03, -0.03, 0);
    struct test_mesh plate = test_block(2, 2, 1, 0.05, -0.05, -0.05, 0.07);
    uint32_t fixed[64], fixed_count = 0, tie_count = 0;
    dent_sim_attachment ties[64];
    for (uint32_t v = 0; v < column.vertex_count; v++) {
        const double *at = column.positions + 3 * (size_t)v;
        if (at[2] < -0.1199) {
            fixed[fixed_count++] = v;
        } else if (at[2] > -1e-9) { /* on the lower face of the block, whose corners are 0, 1, 2 and 3 */
            double x = (at[0] + 0.03) / 0.06, y = (at[1] + 0.03) / 0.06;
            dent_sim_attachment tie = dent_sim_attachment_default();
            tie.body_a = 0;
            tie.vertex_a = v;
            tie.body_b = 1;
            for (uint32_t k = 0; k < 8; k++) {
                const double *corner = block.positions + 3 * (size_t)k;
                if (corner[2] < 1e-9) {
                    uint32_t slot = (corner[0] > 0 ? 1 : 0) + (corner[1] > 0 ? 2 : 0);
                    tie.vertices_b[slot] = k;
                    tie.weights_b[slot] = (corner[0] > 0 ? x : 1 - x) * (corner[1] > 0 ? y : 1 - y);
                }
            }
            ties[tie_count++] = tie;
        }
    }
    assert_int_equal(fixed_count, 16);
    assert_int_equal(tie_count, 16);
    /* Light and stiff: a substep's inertia answers a thousandth of the force. */
    static const double youngs[2] = {1e5, 1e8};
    for (int n = 0; n < (int)test_count(1, 2, 2); n++) {
        dent_sim_keyframe keys[2];
        dent_sim_body_def bodies[3] = {test_body(DENT_SIM_SOLID, &column), test_body(DENT_SIM_RIGID, &block),
                                       press(&plate, keys, 0.0105)};
        bodies[0].fixed_vertices = fixed;
        bodies[0].fixed_count = fixed_count;
        bodies[0].collision_mask = 0;
        bodies[1].thickness = bodies[2].thickness = 0.0002;
        dent_sim_material material = dent_sim_material_default();
        material.young = youngs[n];
        material.poisson = 0; /* then the column is in uniform strain */
        material.friction_static = material.friction_kinetic = 0;
        dent_sim_def def = dent_sim_def_default();
        def.body_count = 3;
        def.bodies = bodies;
        def.material_count = 1;
        def.materials = &material;
        def.gravity[2] = 0;
        def.air_damping = 4;
        def.attachments = ties;
        def.attachment_count = tie_count;
        def.iterations = 4;
        def.substeps = (uint32_t)test_count(10, 0, 0);
        dent_sim *sim = test_sim(context, &def);
        test_steps(sim, (uint32_t)test_count(90, 240, 240));
        double way = -dent_sim_positions(sim, 1)[2], expected = youngs[n] * 0.06 * 0.06 * way / 0.12;
        double force = -contact_force_on(sim, 1), tied = -attachment_force(sim, tie_count);
        print_message("column of %g Pa pressed by %.4f mm: contact %.4f N, bonds %.4f N, truth %.4f N\n", youngs[n],
                      1000 * way, force, tied, expected);
        assert_true(way > 0.0005 && way < 0.0010);
        assert_true(fabs(force / expected - 1) < 0.03);
        assert_true(fabs(tied / force - 1) < 0.01);
        dent_sim_destroy(sim);
    }
    test_mesh_free(&column);
    test_mesh_free(&block);
    test_mesh_free(&plate);
    dent_context_destroy(context);
}

static void the_bite_of_the_jaw_is_what_its_ligaments_hold(void **state)
{
    (void)state;
    if (getenv("DENT_QUICK_TESTS")) {
        skip(); /* no smaller jaw closes */
    }
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    dent_sim_scene_def def = dent_sim_scene_def_default();
    def.name = "jaw";
    def.scale = 0.03;
    dent_sim_scene *scene = NULL;
    assert_int_equal(dent_sim_scene_open(context, &def, &scene), DENT_OK);
    for (int frame = 0; frame < 15; frame++) { /* half a stroke: closed */
        assert_int_equal(dent_sim_scene_step_frame(scene), DENT_OK);
    }
    const dent_sim *sim = dent_sim_scene_sim(scene);
    uint64_t count;
    const dent_sim_contact *contacts = dent_sim_contacts(sim, &count);
    double bite = 0, held;
    for (uint64_t i = 0; i < count; i++) {
        bite += fabs(contacts[i].force[2]) / 1000; /* the scene is in millimetres, its forces in millinewtons */
    }
    held = fabs(attachment_force(sim, (uint32_t)dent_sim_get_statistics(sim).constraints)) / 1000;
    print_message("the teeth bite with %.2f N, the ligaments hold %.2f N\n", bite, held);
    assert_true(bite > 20 && bite < 80);
    assert_true(fabs(bite / held - 1) < 0.03);
    dent_sim_scene_destroy(scene);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(attachments_carry_the_weight_hard_or_soft_of_soft_or_rigid_bodies),
        cmocka_unit_test(contacts_on_a_soft_body_carry_a_known_weight),
        cmocka_unit_test(a_rigid_block_on_springs_pressed_down_answers_with_stiffness_times_way),
        cmocka_unit_test(a_grab_moves_a_light_body_on_stiff_springs_and_lets_it_go),
        cmocka_unit_test(a_rigid_block_bonded_to_an_elastic_column_answers_with_young_area_strain),
        cmocka_unit_test(the_bite_of_the_jaw_is_what_its_ligaments_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
