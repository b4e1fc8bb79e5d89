/* One scene with everything: all elements, materials, loads, joints, springs, supports, attachments and probes at once.
 * The same bits for any threads and instruction set, resumed from a file at any step, and finite. */
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

enum { SOFT, METAL, MUSCLE, SHEET, FLOOR, ARM, HAND, CART, BOX, WEIGHT, BODIES };
enum { LOADS = 6, SUPPORTS = 3, SPRINGS = 2, JOINTS = 6, PROBES = 8, MATERIALS = 4 };

struct everything {
    struct test_mesh meshes[BODIES];
    dent_sim_body_def bodies[BODIES];
    dent_sim_material materials[MATERIALS];
    dent_sim_load_def loads[LOADS];
    dent_sim_support supports[SUPPORTS];
    dent_sim_spring springs[SPRINGS];
    dent_sim_joint joints[JOINTS];
    dent_sim_probe probes[PROBES];
    dent_sim_attachment tie;
    uint32_t sides[4][64], side_counts[4];
    dent_sim_def def;
};

static const dent_sim_time_value ramp[] = {{0, 0}, {0.05, 1}, {0.2, -0.5}};
static const dent_sim_activation_key pull[] = {{0, 0}, {0.1, 1}};

static void choose_side(struct everything *all, int side, int body, int axis, double value)
{
    const struct test_mesh *mesh = &all->meshes[body];
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        if (fabs(mesh->positions[3 * v + axis] - value) < 1e-9) {
            assert_true(all->side_counts[side] < 64);
            all->sides[side][all->side_counts[side]++] = v;
        }
    }
    assert_true(all->side_counts[side] > 0);
}

static void make_bodies(struct everything *all)
{
    all->meshes[SOFT] = test_block(3, 1, 1, 0.1, 0, 0, 0.5);
    all->meshes[METAL] = test_hexahedra(3, 1, 1, 0.1, 0, 0.5, 0.5);
    all->meshes[MUSCLE] = test_block(3, 1, 1, 0.1, 0, 1, 0.5);
    all->meshes[SHEET] = test_sheet(4, 4, 0.1, -0.2, -0.7, 0.16);
    all->meshes[FLOOR] = test_block(2, 2, 1, 1, -1, -1.2, -1);
    all->meshes[ARM] = test_block(2, 1, 1, 0.1, 1, 0, 1);
    all->meshes[HAND] = test_block(2, 1, 1, 0.1, 1.25, 0, 1);
    all->meshes[CART] = test_block(1, 1, 1, 0.1, 1, 0.5, 1);
    all->meshes[BOX] = test_block(1, 1, 1, 0.1, 1, 0.62, 1);
    all->meshes[WEIGHT] = test_block(1, 1, 1, 0.1, -0.05, -0.55, 0.02);
    for (int b = 0; b < BODIES; b++) {
        dent_sim_body_kind kind = b < SHEET    ? DENT_SIM_SOLID
                                  : b == SHEET ? DENT_SIM_CLOTH
                                  : b == FLOOR ? DENT_SIM_PRESCRIBED
                                               : DENT_SIM_RIGID;
        all->bodies[b] = test_body(kind, &all->meshes[b]);
        all->bodies[b].material = b < MATERIALS ? (uint32_t)b : 0;
    }
    all->bodies[SOFT].elements = DENT_SIM_QUADRATIC;
    all->bodies[METAL].elements = DENT_SIM_HEXAHEDRA;
    all->bodies[SHEET].density = 0.3;
    choose_side(all, 0, SOFT, 0, 0);
    choose_side(all, 1, METAL, 0, 0);
    choose_side(all, 2, MUSCLE, 0, 0);
    choose_side(all, 3, SOFT, 0, 0.3);
}

static void make_materials(struct everything *all)
{
    for (int m = 0; m < MATERIALS; m++) {
        all->materials[m] = dent_sim_material_default();
        all->materials[m].young = 1e5;
    }
    all->materials[SOFT].model = DENT_SIM_COROTATED;
    all->materials[SOFT].viscosity = 20;
    all->materials[METAL].model = DENT_SIM_PLASTIC;
    all->materials[METAL].yield_stress = 800;
    all->materials[MUSCLE].fibre_strength = 2e4;
    all->materials[MUSCLE].fibre_stiffness = 2e4;
    all->materials[MUSCLE].activation = pull;
    all->materials[MUSCLE].activation_count = 2;
}

static void make_loads(struct everything *all)
{
    static const int bodies[LOADS] = {SOFT, METAL, MUSCLE, SOFT, ARM, HAND};
    static const dent_sim_load_kind kinds[LOADS] = {DENT_SIM_LOAD_TRACTION, DENT_SIM_LOAD_PRESSURE,
                                                    DENT_SIM_LOAD_FOLLOWER, DENT_SIM_LOAD_FORCE,
                                                    DENT_SIM_LOAD_TORQUE,   DENT_SIM_LOAD_FORCE};
    for (int n = 0; n < LOADS; n++) {
        all->loads[n] = dent_sim_load_def_default(kinds[n]);
        all->loads[n].body = (uint32_t)bodies[n];
        all->loads[n].pressure = 200;
        all->loads[n].vector[1] = n < 3 ? 100 : 0.5;
        all->loads[n].course = (dent_sim_course){n % 2 ? 3 : 0, ramp};
    }
    all->loads[0].vertices = all->loads[3].vertices = all->sides[3];
    all->loads[0].vertex_count = all->loads[3].vertex_count = all->side_counts[3];
    for (int n = 0; n < SUPPORTS; n++) {
        all->supports[n] = dent_sim_support_default();
        all->supports[n].body = (uint32_t)n;
        all->supports[n].vertices = all->sides[n];
        all->supports[n].vertex_count = all->side_counts[n];
    }
    all->supports[1].axes = DENT_SIM_HOLD_X | DENT_SIM_HOLD_Z;
    all->supports[2].displacement[2] = 0.01;
    all->supports[2].course = (dent_sim_course){3, ramp};
}

static void make_ties(struct everything *all)
{
    for (int n = 0; n < SPRINGS; n++) {
        all->springs[n] = dent_sim_spring_default();
        all->springs[n].a.body = n == 0 ? SOFT : CART;
        all->springs[n].a.vertices[0] = n == 0 ? all->sides[3][0] : UINT32_MAX;
        all->springs[n].a.place[0] = 1.05;
        all->springs[n].a.place[1] = 0.55;
        all->springs[n].a.place[2] = 1.05;
        all->springs[n].b.place[0] = 0.5;
        all->springs[n].b.place[2] = 0.7;
        all->springs[n].stiffness = 50;
        all->springs[n].damping = 1;
    }
    static const dent_sim_joint_kind kinds[JOINTS] = {DENT_SIM_JOINT_HINGE,  DENT_SIM_JOINT_BALL,
                                                      DENT_SIM_JOINT_SLIDER, DENT_SIM_JOINT_SPRING,
                                                      DENT_SIM_JOINT_SPRING, DENT_SIM_JOINT_FIXED};
    static const uint32_t firsts[JOINTS] = {ARM, ARM, CART, HAND, WEIGHT, CART},
                          seconds[JOINTS] = {UINT32_MAX, HAND, UINT32_MAX, CART, UINT32_MAX, BOX};
    for (int n = 0; n < JOINTS; n++) {
        dent_sim_joint *joint = &all->joints[n];
        *joint = dent_sim_joint_default();
        joint->kind = kinds[n];
        joint->body_a = firsts[n];
        joint->body_b = seconds[n];
        joint->point[0] = n == 1 ? 1.22 : n == 4 ? 0 : 1;
        joint->point[1] = n == 4 ? -0.5 : 0.05;
        joint->point[2] = n == 4 ? 0.1 : 1.05;
        joint->point_b[2] = 1;
        joint->stiffness = 20;
        joint->damping = 0.1;
    }
    all->joints[0].axis[1] = 1;
    all->joints[0].motor = DENT_SIM_MOTOR_VELOCITY;
    all->joints[0].target = 2;
    all->joints[0].max_force = 5;
    all->joints[2].limited = true;
    all->joints[2].lower = -0.01;
    all->joints[2].upper = 0.02;
    all->tie = dent_sim_attachment_default();
    all->tie.body_a = SHEET;
    all->tie.vertex_a = 0;
    all->tie.point[0] = -0.2;
    all->tie.point[1] = -0.7;
    all->tie.point[2] = 0.2;
    all->tie.compliance = 0.01;
}

static void make_everything(struct everything *all)
{
    static const int bodies[PROBES] = {0, SOFT, ARM, WEIGHT, 0, 0, METAL, 0};
    memset(all, 0, sizeof *all);
    make_bodies(all);
    make_materials(all);
    make_loads(all);
    make_ties(all);
    for (int n = 1; n < PROBES; n++) {
        all->probes[n - 1] = dent_sim_probe_default((dent_sim_probe_kind)n);
        all->probes[n - 1].body = (uint32_t)bodies[n];
    }
    all->def = dent_sim_def_default();
    all->def.substeps = 4;
    all->def.body_count = BODIES;
    all->def.bodies = all->bodies;
    all->def.material_count = MATERIALS;
    all->def.materials = all->materials;
    all->def.load_count = LOADS;
    all->def.loads = all->loads;
    all->def.support_count = SUPPORTS;
    all->def.supports = all->supports;
    all->def.spring_count = SPRINGS;
    all->def.springs = all->springs;
    all->def.joint_count = JOINTS;
    all->def.joints = all->joints;
    all->def.attachment_count = 1;
    all->def.attachments = &all->tie;
    all->def.probe_count = PROBES - 1;
    all->def.probes = all->probes;
}

static void free_everything(struct everything *all)
{
    for (int b = 0; b < BODIES; b++) {
        test_mesh_free(&all->meshes[b]);
    }
}

struct run {
    uint64_t hash;
    double probes[PROBES][3], flow;
    dent_sim_statistics sums;
};

/* `stop`: the run ends there, and another process' worth of simulation goes on from its file; 0: none. */
static struct run run(uint32_t threads, dent_isa isa, uint32_t steps, uint32_t stop)
{
    static const char path[] = "test_sim_everything.checkpoint";
    struct everything all;
    struct run made = {0};
    make_everything(&all);
    dent_context *context = test_context(threads, isa);
    dent_sim *sim = test_sim(context, &all.def);
    test_steps(sim, stop > 0 ? stop : steps);
    if (stop > 0) {
        assert_int_equal(dent_sim_save(sim, path, NULL, 0), DENT_OK);
        dent_sim_destroy(sim);
        dent_context_destroy(context);
        context = test_context(threads, isa);
        sim = test_sim(context, &all.def);
        assert_int_equal(dent_sim_load(sim, path), DENT_OK);
        unlink(path);
        test_steps(sim, steps - stop);
    }
    made.hash = dent_sim_hash(sim);
    made.sums = dent_sim_get_statistics(sim);
    for (uint32_t n = 0; n < all.def.probe_count; n++) {
        assert_int_equal(dent_sim_read_probe(sim, n, made.probes[n]), DENT_OK);
    }
    dent_sim_cell_stress stress[18];
    assert_int_equal(dent_sim_get_stress(sim, METAL, stress), DENT_OK);
    for (int e = 0; e < 18; e++) {
        made.flow = fmax(made.flow, stress[e].plastic_strain);
    }
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    free_everything(&all);
    return made;
}

static uint32_t step_count(void)
{
    return (uint32_t)test_count(8, 20, 40);
}

static void all_of_it_acts(void **state)
{
    (void)state;
    struct run made = run(1, DENT_ISA_AUTO, step_count(), 0);
    assert_true(made.sums.touching > 0);
    assert_true(made.flow > 0);
    assert_true(made.sums.outer_work != 0);
    for (int n = 0; n < PROBES - 1; n++) {
        double size = fabs(made.probes[n][0]) + fabs(made.probes[n][1]) + fabs(made.probes[n][2]);
        print_message("probe %d: %g %g %g\n", n, made.probes[n][0], made.probes[n][1], made.probes[n][2]);
        assert_true(isfinite(size) && (size > 0 || n == 2)); /* the weight may just have been lifted */
    }
}

static void any_threads_and_instruction_set_give_the_same_bits(void **state)
{
    (void)state;
    struct run first = run(1, DENT_ISA_SCALAR, step_count(), 0);
    const uint32_t threads[] = {2, 5};
    for (int n = 0; n < 2; n++) {
        assert_true(run(threads[n], DENT_ISA_AUTO, step_count(), 0).hash == first.hash);
    }
    for (dent_isa isa = DENT_ISA_AVX2; isa < DENT_ISA_COUNT; isa++) {
        assert_true(!dent_isa_available(isa) || run(1, isa, step_count(), 0).hash == first.hash);
    }
}

static void stopped_at_any_step_and_resumed_it_ends_with_the_same_bits(void **state)
{
    (void)state;
    struct run whole = run(1, DENT_ISA_AUTO, step_count(), 0);
    for (uint32_t stop = 1; stop < step_count(); stop += getenv("DENT_LONG_TESTS") ? 1 : 3) {
        struct run resumed = run(stop % 2 + 1, DENT_ISA_AUTO, step_count(), stop);
        assert_true(resumed.hash == whole.hash);
        assert_memory_equal(resumed.probes, whole.probes, sizeof whole.probes);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it_acts),
        cmocka_unit_test(any_threads_and_instruction_set_give_the_same_bits),
        cmocka_unit_test(stopped_at_any_step_and_resumed_it_ends_with_the_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
