/* Contacts of strands with strands and with other bodies, and safe motion: nothing passes. */
#include "support/failing_allocator.h"
#include "support_meshes.h"

#include <dent/impact.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { STRANDS = 64, LENGTH = 17, VERTICES = STRANDS * LENGTH };

/* Strands in one body or two, and a body beside them. */
struct scene {
    struct test_mesh mesh;
    dent_sim_body_def bodies[3];
    dent_sim_material materials[2];
    dent_sim_def def;
    uint32_t first[2][STRANDS + 1], fixed[2][2 * STRANDS];
    double positions[2][3 * VERTICES], velocities[2][3 * VERTICES];
};

static void begin_scene(struct scene *scene)
{
    memset(scene, 0, sizeof *scene);
    scene->materials[0] = dent_sim_material_default();
    scene->materials[1] = dent_sim_material_default();
    scene->materials[1].young = 1e8;
    scene->materials[1].density = 1000;
    scene->def = dent_sim_def_default();
    scene->def.bodies = scene->bodies;
    scene->def.materials = scene->materials;
    scene->def.material_count = 2;
    scene->def.substeps = 4;
}

static dent_sim_body_def *add_strands(struct scene *scene, int which, uint32_t count, uint32_t length)
{
    dent_sim_body_def *body = &scene->bodies[scene->def.body_count++];
    *body = dent_sim_body_def_default(DENT_SIM_STRANDS);
    for (uint32_t s = 0; s < count; s++) {
        scene->first[which][s + 1] = length * (s + 1);
    }
    body->strand_count = count;
    body->vertex_count = count * length;
    body->first = scene->first[which];
    body->positions = scene->positions[which];
    body->velocities = scene->velocities[which];
    body->fixed_vertices = scene->fixed[which];
    body->material = 1;
    body->radius = 5e-4;
    body->thickness = 1e-3;
    return body;
}

/* A straight strand. */
static void draw(double *x, uint32_t length, const double from[3], const double step[3])
{
    for (uint32_t i = 0; i < length; i++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            x[3 * i + axis] = from[axis] + i * step[axis];
        }
    }
}

static void strands_come_to_rest_on_a_floor(void **state)
{
    (void)state;
    static struct scene scene;
    begin_scene(&scene);
    scene.mesh = test_sheet(4, 4, 0.1, -0.2, -0.2, 0);
    scene.bodies[scene.def.body_count++] = test_body(DENT_SIM_PRESCRIBED, &scene.mesh);
    scene.bodies[0].thickness = 1e-3;
    add_strands(&scene, 0, 4, 9);
    for (uint32_t s = 0; s < 4; s++) {
        double from[3] = {-0.04, 0.05 * s - 0.07, 0.02}, step[3] = {0.01, 0, 0};
        draw(scene.positions[0] + 3 * 9 * s, 9, from, step);
    }
    dent_context *context = dent_context_create(NULL, NULL);
    dent_sim *sim = test_sim(context, &scene.def);
    test_steps(sim, 120);
    const double *x = dent_sim_positions(sim, 1), *v = dent_sim_velocities(sim, 1);
    double force = 0;
    uint64_t count;
    const dent_sim_contact *contacts = dent_sim_contacts(sim, &count);
    for (uint64_t n = 0; n < count; n++) {
        force += contacts[n].force[2] * (contacts[n].body_a == 1 ? 1 : -1);
    }
    dent_sim_body_info info;
    dent_sim_body(sim, 1, &info);
    print_message("%u contacts carry %.5g of the weight\n", (unsigned)count, force / (9.81 * info.mass));
    for (uint32_t k = 0; k < 36; k++) {
        assert_true(x[3 * k + 2] > 0.9e-3 && x[3 * k + 2] < 2.1e-3); /* fallen fast, it stays at half of the thicknesses */
        assert_true(fabs(v[3 * k + 2]) < 1e-4);
    }
    assert_true(fabs(force / (9.81 * info.mass) - 1) < 0.01);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    test_mesh_free(&scene.mesh);
}

/* Exact: whether anything of the strands met something on the straight way from one set of positions to another. */
static uint64_t impacts_between(dent_context *context, const dent_sim *sim, const struct scene *scene, double *const *before)
{
    dent_world *world = dent_world_create(context);
    for (uint32_t b = 0; b < scene->def.body_count; b++) {
        dent_sim_body_info info;
        dent_sim_body(sim, b, &info);
        dent_body_def def = dent_body_def_default(info.mesh);
        def.vertex_count = info.vertex_count;
        if (info.mesh == DENT_BODY_STRANDS) {
            def.strand_count = scene->bodies[b].strand_count;
            def.first = scene->bodies[b].first;
        } else {
            def.element_count = info.element_count;
            def.element_corners = info.element_corners;
            def.self_collision = false;
        }
        def.positions_t0 = dent_positions_double(before[b]);
        def.positions_t1 = dent_positions_double(dent_sim_positions(sim, b));
        dent_body_id id;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    }
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_OK);
    dent_world_destroy(world);
    return result.count;
}

static double *copy_positions(const dent_sim *sim, uint32_t body, double *to)
{
    dent_sim_body_info info;
    dent_sim_body(sim, body, &info);
    memcpy(to, dent_sim_positions(sim, body), 3 * (size_t)info.vertex_count * sizeof *to);
    return to;
}

/* One strand swung through another at so many radii per step: it stays on its side. */
static void swung_strands_stay_on_their_side(void **state)
{
    (void)state;
    const double speeds[] = {1, 10, 100, 1000};
    for (int n = 0; n < 4; n++) {
        static struct scene scene;
        static double before[2][3 * VERTICES];
        begin_scene(&scene);
        memset(scene.def.gravity, 0, sizeof scene.def.gravity);
        add_strands(&scene, 0, 1, 9)->fixed_count = 2;
        add_strands(&scene, 1, 1, 9);
        double from[3] = {-0.04, 0, 0}, step[3] = {0.01, 0, 0}, across[3] = {0.003, -0.04, 0.01}, up[3] = {0, 0.01, 0};
        draw(scene.positions[0], 9, from, step);
        draw(scene.positions[1], 9, across, up);
        scene.fixed[0][0] = 0;
        scene.fixed[0][1] = 8;
        double speed = speeds[n] * 1e-3 * 60;
        for (uint32_t i = 0; i < 9; i++) {
            scene.velocities[1][3 * i + 2] = -speed;
        }
        dent_context *context = dent_context_create(NULL, NULL);
        dent_sim *sim = test_sim(context, &scene.def);
        uint64_t met = 0;
        for (int k = 0; k < 40; k++) {
            double *places[2] = {copy_positions(sim, 0, before[0]), copy_positions(sim, 1, before[1])};
            test_steps(sim, 1);
            met += impacts_between(context, sim, &scene, places);
        }
        assert_int_equal(met, 0);
        dent_sim_statistics statistics = dent_sim_get_statistics(sim);
        print_message("%g radii a step: height %g, energy %g\n", speeds[n], dent_sim_positions(sim, 1)[3 * 4 + 2],
                      statistics.kinetic + statistics.elastic);
        dent_sim_destroy(sim);
        dent_context_destroy(context);
    }
}

/* ---- a small head of hair ---------------------------------------------------------------------------------------- */

/* Strands on a ball that is shaken; as bench_hair, with fewer of them. */
static void make_head(struct scene *scene, dent_sim_keyframe keys[5], dent_sim_root *roots)
{
    begin_scene(scene);
    scene->mesh = test_ball(2, 0.09, 0, 0, 0);
    scene->bodies[scene->def.body_count++] = test_body(DENT_SIM_PRESCRIBED, &scene->mesh);
    scene->bodies[0].thickness = 5e-4;
    for (int k = 0; k < 5; k++) {
        double side = k == 1 ? 1 : k == 3 ? -1 : 0;
        keys[k] = (dent_sim_keyframe){0.125 * k, {1, 0, 0, 0.15 * side}, {0.03 * side, 0, 0}};
    }
    scene->bodies[0].motion = (dent_sim_motion){.keyframe_count = 5, .keyframes = keys, .repeat = true};
    dent_sim_body_def *hair = add_strands(scene, 0, STRANDS, LENGTH);
    for (uint32_t s = 0; s < STRANDS; s++) {
        uint32_t face = s * scene->mesh.element_count / STRANDS;
        double middle[3] = {0, 0, 0}, step[3], out = 0;
        for (uint32_t n = 0; n < 9; n++) {
            middle[n % 3] += scene->mesh.positions[3 * (size_t)scene->mesh.corners[3 * face + n / 3] + n % 3] / 3;
        }
        out = sqrt(middle[0] * middle[0] + middle[1] * middle[1] + middle[2] * middle[2]);
        for (int k = 0; k < 3; k++) {
            step[k] = middle[k] / out * 0.2 / (LENGTH - 1);
        }
        draw(scene->positions[0] + 3 * LENGTH * s, LENGTH, middle, step);
        roots[s] = (dent_sim_root){s, 0, face, true};
    }
    hair->roots = roots;
    hair->root_count = STRANDS;
    hair->radius = 5e-5;
    hair->thickness = 1e-4;
    scene->materials[1].young = 4e9;
    scene->materials[1].density = 1300;
    scene->def.time_step = 1.0 / 120;
    scene->def.substeps = 2;
}

/* What the first segment of a strand meets of the head is where it is rooted. */
static uint64_t count_met(dent_context *context, const dent_sim *sim, const struct scene *scene, double *const *before)
{
    dent_world *world = dent_world_create(context);
    for (uint32_t b = 0; b < 2; b++) {
        dent_body_def def = dent_body_def_default(b ? DENT_BODY_STRANDS : DENT_BODY_SURFACE);
        dent_body_id id;
        def.vertex_count = scene->bodies[b].vertex_count;
        def.element_count = scene->bodies[b].element_count;
        def.element_corners = scene->bodies[b].element_corners;
        def.strand_count = scene->bodies[b].strand_count;
        def.first = scene->bodies[b].first;
        def.self_collision = b == 1;
        def.positions_t0 = dent_positions_double(before[b]);
        def.positions_t1 = dent_positions_double(dent_sim_positions(sim, b));
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
    }
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    uint64_t met = 0;
    assert_int_equal(dent_world_impacts(world, &def, &result), DENT_OK);
    for (uint64_t i = 0; i < result.count; i++) {
        const dent_impact *impact = &result.impacts[i];
        uint32_t strand_feature = impact->body_a == 1 ? impact->feature_a : impact->feature_b;
        uint32_t a_strand = impact->kind == DENT_IMPACT_EDGE_EDGE ? LENGTH - 1 : LENGTH;
        met += impact->body_a == impact->body_b || strand_feature % a_strand != 0;
    }
    dent_world_destroy(world);
    return met;
}

static void a_shaken_head_of_hair_never_crosses_itself(void **state)
{
    (void)state;
    static struct scene scene;
    static double before[2][3 * VERTICES];
    dent_sim_keyframe keys[5];
    dent_sim_root roots[STRANDS];
    make_head(&scene, keys, roots);
    dent_context *context = dent_context_create(NULL, NULL);
    dent_sim *sim = test_sim(context, &scene.def);
    uint64_t impacts = 0;
    for (uint64_t n = 0; n < test_count(8, 60, 600); n++) {
        double *places[2] = {copy_positions(sim, 0, before[0]), copy_positions(sim, 1, before[1])};
        test_steps(sim, 1);
        impacts += dent_sim_get_statistics(sim).impacts;
        assert_int_equal(count_met(context, sim, &scene, places), 0);
    }
    print_message("%llu impacts were avoided\n", (unsigned long long)impacts);
    assert_true(impacts > 0 || getenv("DENT_QUICK_TESTS")); /* the head has hardly moved there */
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    test_mesh_free(&scene.mesh);
}

static uint64_t hash_of_head(uint32_t threads, dent_isa isa, int stop)
{
    static struct scene scene;
    dent_sim_keyframe keys[5];
    dent_sim_root roots[STRANDS];
    make_head(&scene, keys, roots);
    dent_context *context = test_context(threads, isa);
    dent_sim *sim = test_sim(context, &scene.def);
    for (int n = 0; n < (int)test_count(4, 12, 40); n++) {
        test_steps(sim, 1);
        if (n == stop) { /* killed and resumed */
            assert_int_equal(dent_sim_save(sim, "test_rod_contacts.checkpoint", NULL, 0), DENT_OK);
            dent_sim_destroy(sim);
            sim = test_sim(context, &scene.def);
            assert_int_equal(dent_sim_load(sim, "test_rod_contacts.checkpoint"), DENT_OK);
            remove("test_rod_contacts.checkpoint");
        }
    }
    uint64_t hash = dent_sim_hash(sim);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    test_mesh_free(&scene.mesh);
    return hash;
}

static void hair_in_contact_has_the_same_bits_for_threads_instruction_sets_and_after_a_stop(void **state)
{
    (void)state;
    uint64_t hash = hash_of_head(1, DENT_ISA_SCALAR, -1);
    assert_true(hash == hash_of_head(2, DENT_ISA_SCALAR, 2));
    for (int isa = DENT_ISA_SCALAR; isa <= DENT_ISA_AVX512; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            assert_true(hash == hash_of_head(5, (dent_isa)isa, -1));
        }
    }
}

/* Creation without memory fails, and gives everything back; then it works. So do a few steps. */
static void missing_memory_is_survived(void **state)
{
    (void)state;
    static struct scene scene;
    dent_sim_keyframe keys[5];
    dent_sim_root roots[STRANDS];
    make_head(&scene, keys, roots);
    scene.bodies[1].strand_count = scene.bodies[1].root_count = 9;
    scene.bodies[1].vertex_count = 9 * LENGTH;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&def, NULL);
    dent_sim *sim = NULL;
    dent_status status = DENT_ERROR_OUT_OF_MEMORY;
    uint64_t stride = test_count(7, 1, 1), number = 0;
    for (number = 1; status != DENT_OK; number += stride) {
        memory.requests = 0;
        memory.fail_at = number;
        status = dent_sim_create(context, &scene.def, &sim);
        assert_true(status == DENT_OK || (status == DENT_ERROR_OUT_OF_MEMORY && !sim));
    }
    for (uint64_t k = 1; k < 20; k++) { /* a step that fails changes nothing */
        uint64_t hash = dent_sim_hash(sim);
        memory.requests = 0;
        memory.fail_at = k;
        status = dent_sim_step(sim);
        assert_true(status == DENT_OK || (status == DENT_ERROR_OUT_OF_MEMORY && hash == dent_sim_hash(sim)));
    }
    memory.fail_at = 0;
    test_steps(sim, 3);
    print_message("%u allocations\n", (unsigned)number);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    test_mesh_free(&scene.mesh);
    assert_true(failing_allocator_clean(&memory));
}

static void count_warnings(void *user, dent_log_level level, const char *text)
{
    int *count = user;
    *count += level == DENT_LOG_WARNING && strstr(text, "cross") != NULL;
}

/* Cloth in a block beside hair, and hair in the block. */
static void what_crosses_at_the_start_is_told_beside_hair_and_of_hair(void **state)
{
    (void)state;
    static struct scene scene;
    int warnings = 0;
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    context_def.log.write = count_warnings;
    context_def.log.user = &warnings;
    dent_context *context = dent_context_create(&context_def, NULL);
    struct test_mesh sheet = test_sheet(4, 4, 0.1, -0.2, -0.2, 0.01);
    begin_scene(&scene);
    scene.mesh = test_block(1, 1, 1, 0.2, -0.1, -0.1, -0.1);
    scene.bodies[scene.def.body_count++] = test_body(DENT_SIM_PRESCRIBED, &scene.mesh);
    scene.bodies[scene.def.body_count++] = test_body(DENT_SIM_CLOTH, &sheet);
    add_strands(&scene, 0, 1, 9);
    draw(scene.positions[0], 9, (const double[3]){1, 1, 1}, (const double[3]){0.01, 0, 0});
    dent_sim_destroy(test_sim(context, &scene.def));
    assert_int_equal(warnings, 1);
    for (uint32_t v = 0; v < sheet.vertex_count; v++) {
        sheet.positions[3 * v + 2] = 0.3;
    }
    dent_sim_destroy(test_sim(context, &scene.def));
    assert_int_equal(warnings, 1);
    draw(scene.positions[0], 9, (const double[3]){0.015, 0.03, -0.04}, (const double[3]){0.01, 0, 0}); /* all inside */
    dent_sim_destroy(test_sim(context, &scene.def));
    assert_int_equal(warnings, 2);
    test_mesh_free(&scene.mesh);
    test_mesh_free(&sheet);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strands_come_to_rest_on_a_floor),
        cmocka_unit_test(swung_strands_stay_on_their_side),
        cmocka_unit_test(a_shaken_head_of_hair_never_crosses_itself),
        cmocka_unit_test(what_crosses_at_the_start_is_told_beside_hair_and_of_hair),
        cmocka_unit_test(missing_memory_is_survived),
        cmocka_unit_test(hair_in_contact_has_the_same_bits_for_threads_instruction_sets_and_after_a_stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
