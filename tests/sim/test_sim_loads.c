/* Loads, supports, springs and probes against what they must be: statics by reactions, motion by Newton's law, the thick
 * sphere by Lamé's solution. All lengths in metres, forces in newtons. */
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PI 3.14159265358979323846

/* ---- a small stage ----------------------------------------------------------------------------------------------- */

struct stage {
    dent_context *context;
    dent_sim *sim;
    dent_sim_def def;
    dent_sim_material material;
    dent_sim_body_def bodies[2];
    dent_sim_load_def loads[2];
    dent_sim_support supports[3];
    dent_sim_spring springs[2];
    dent_sim_probe probes[8];
    struct test_mesh mesh;
    uint32_t *chosen[4];
    uint32_t chosen_count;
};

static void open_stage(struct stage *stage, uint32_t threads, dent_isa isa, struct test_mesh mesh,
                       dent_sim_body_kind kind)
{
    memset(stage, 0, sizeof *stage);
    stage->context = test_context(threads, isa);
    stage->def = dent_sim_def_default();
    stage->material = dent_sim_material_default();
    stage->mesh = mesh;
    stage->bodies[0] = test_body(kind, &stage->mesh);
    stage->def.body_count = 1;
    stage->def.bodies = stage->bodies;
    stage->def.material_count = 1;
    stage->def.materials = &stage->material;
    stage->def.loads = stage->loads;
    stage->def.supports = stage->supports;
    stage->def.springs = stage->springs;
    stage->def.probes = stage->probes;
    stage->def.contacts = false;
}

static void close_stage(struct stage *stage)
{
    dent_sim_destroy(stage->sim);
    dent_context_destroy(stage->context);
    test_mesh_free(&stage->mesh);
    for (uint32_t n = 0; n < stage->chosen_count; n++) {
        free(stage->chosen[n]);
    }
}

/* Vertices of body 0 whose coordinate lies within 1e-9 of a value. */
static const uint32_t *layer(struct stage *stage, int axis, double value, uint32_t *count)
{
    uint32_t *list = malloc(stage->mesh.vertex_count * sizeof *list);
    assert_non_null(list);
    *count = 0;
    for (uint32_t v = 0; v < stage->mesh.vertex_count; v++) {
        if (fabs(stage->mesh.positions[3 * v + axis] - value) < 1e-9) {
            list[(*count)++] = v;
        }
    }
    assert_true(*count > 0);
    stage->chosen[stage->chosen_count++] = list;
    return list;
}

static void hold(struct stage *stage, int axis, double value, uint32_t axes)
{
    dent_sim_support *support = &stage->supports[stage->def.support_count++];
    *support = dent_sim_support_default();
    support->vertices = layer(stage, axis, value, &support->vertex_count);
    support->axes = axes;
}

static dent_sim_load_def *push(struct stage *stage, dent_sim_load_kind kind)
{
    dent_sim_load_def *load = &stage->loads[stage->def.load_count++];
    *load = dent_sim_load_def_default(kind);
    return load;
}

static void begin(struct stage *stage)
{
    stage->sim = test_sim(stage->context, &stage->def);
}

static double mean(const struct stage *stage, const double *numbers, int axis)
{
    double sum = 0;
    for (uint32_t v = 0; v < stage->mesh.vertex_count; v++) {
        sum += numbers[3 * v + axis] / stage->mesh.vertex_count;
    }
    return sum;
}

static void reaction(struct stage *stage, uint32_t support, double force[3])
{
    assert_int_equal(dent_sim_support_reaction(stage->sim, support, force), DENT_OK);
}

static bool near(double value, double expected, double share)
{
    if (fabs(value - expected) <= share * fabs(expected)) {
        return true;
    }
    print_message("%.9g instead of %.9g\n", value, expected);
    return false;
}

/* ---- supports ---------------------------------------------------------------------------------------------------- */

/* 1 x 0.1 x 0.1 m along x. */
static void open_beam(struct stage *stage, double young)
{
    open_stage(stage, 1, DENT_ISA_AUTO, test_block(20, 2, 2, 0.05, 0, 0, 0), DENT_SIM_SOLID);
    stage->material.young = young;
    stage->material.poisson = 0.3;
    stage->material.damping = 0.1;
    stage->def.time_step = 0.05;
    stage->def.air_damping = 2;
}

static void a_clamped_beam_bends_along_its_tip_load_and_the_clamp_gives_load_and_weight(void **state)
{
    (void)state;
    struct stage stage;
    double force[3], sag[2];
    for (int axis = 1; axis < 3; axis++) {
        open_beam(&stage, 1e7);
        hold(&stage, 0, 0, 7);
        dent_sim_load_def *load = push(&stage, DENT_SIM_LOAD_FORCE);
        load->vertices = layer(&stage, 0, 1, &load->vertex_count);
        load->vector[axis] = 5;
        begin(&stage);
        double mass = 1000 * 0.01;
        test_steps(stage.sim, 400);
        reaction(&stage, 0, force);
        assert_true(near(force[2], mass * 9.81 - (axis == 2 ? 5 : 0), 0.005));
        assert_true(fabs(force[1] - (axis == 1 ? -5 : 0)) < 0.01 && fabs(force[0]) < 0.01);
        double tip = 0;
        for (uint32_t n = 0; n < load->vertex_count; n++) {
            uint32_t v = load->vertices[n];
            tip += (dent_sim_positions(stage.sim, 0)[3 * v + axis] - stage.mesh.positions[3 * v + axis]) /
                   load->vertex_count;
        }
        sag[axis - 1] = tip;
        close_stage(&stage);
    }
    /* F L^3 / 3 E I and shear: 0.0200 m; linear tetrahedra of two cells lock to about 60 % of it. */
    print_message("tip: %.5f m sideways\n", sag[0]);
    assert_true(sag[0] > 0.5 * 0.02 && sag[0] < 0.0205);
    assert_true(sag[1] < 0); /* the weight is the greater */
}

static void supports_along_one_axis_carry_the_weight_and_let_the_rest_move(void **state)
{
    (void)state;
    struct stage stage;
    double force[3];
    for (int exponent = 4; exponent < 10; exponent += 2) {
        open_stage(&stage, 1, DENT_ISA_AUTO, test_block(3, 3, 3, 0.1, 0, 0, 0), DENT_SIM_SOLID);
        stage.material.young = pow(10, exponent);
        stage.bodies[0].linear_velocity[0] = 0.5;
        stage.material.damping = 0.05;
        hold(&stage, 2, 0, DENT_SIM_HOLD_Z);
        begin(&stage);
        test_steps(stage.sim, 240);
        reaction(&stage, 0, force);
        assert_true(near(force[2], 27 * 9.81, 0.005));
        assert_true(fabs(force[0]) < 1e-9 && fabs(force[1]) < 1e-9);
        assert_true(near(mean(&stage, dent_sim_positions(stage.sim, 0), 0), 0.15 + 0.5 * 4, 0.001));
        for (uint32_t n = 0; n < stage.supports[0].vertex_count; n++) {
            assert_true(fabs(dent_sim_positions(stage.sim, 0)[3 * stage.supports[0].vertices[n] + 2]) < 1e-14);
        }
        close_stage(&stage);
    }
}

static void a_body_held_along_a_slanting_direction_slides_down_that_slope(void **state)
{
    (void)state;
    struct stage stage;
    double force[3];
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.young = 1e6;
    hold(&stage, 2, 0, 0);
    stage.supports[0].direction[0] = -3; /* normal of a slope of 3 in 4, falling towards -x … of length 5 */
    stage.supports[0].direction[2] = 4;
    begin(&stage);
    test_steps(stage.sim, 60);
    /* g sin cos along x, g sin sin down; the normal force is m g cos. */
    assert_true(near(mean(&stage, dent_sim_velocities(stage.sim, 0), 0), -9.81 * 0.6 * 0.8, 0.01));
    assert_true(near(mean(&stage, dent_sim_velocities(stage.sim, 0), 2), -9.81 * 0.6 * 0.6, 0.01));
    reaction(&stage, 0, force);
    assert_true(near(force[0] / force[2], -0.75, 1e-9));
    assert_true(near(sqrt(force[0] * force[0] + force[2] * force[2]), 8 * 9.81 * 0.8, 0.02));
    close_stage(&stage);
}

static void a_bar_pulled_by_a_prescribed_displacement_answers_with_young_area_strain(void **state)
{
    (void)state;
    struct stage stage;
    double force[2][3];
    static const dent_sim_time_value rows[] = {{0, 0}, {1, 1}};
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(6, 2, 2, 0.05, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.young = 1e6;
    stage.material.poisson = 0.3;
    stage.material.damping = 0.05;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    hold(&stage, 0, 0, DENT_SIM_HOLD_X);
    hold(&stage, 0, 0.3, DENT_SIM_HOLD_X);
    stage.supports[1].displacement[0] = 0.0003;
    stage.supports[1].course = (dent_sim_course){2, rows};
    begin(&stage);
    test_steps(stage.sim, 120);
    reaction(&stage, 0, force[0]);
    reaction(&stage, 1, force[1]);
    print_message("pulled with %.5f N\n", force[1][0]);
    assert_true(near(force[1][0], 1e6 * 0.01 * 0.001, 0.002)); /* strain 0.1 %: the law bends by about as much */
    assert_true(near(force[0][0], -force[1][0], 1e-4));
    close_stage(&stage);
}

static void the_first_support_that_holds_a_direction_counts(void **state)
{
    (void)state;
    struct stage stage;
    double first[3], second[3];
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.young = 1e6;
    stage.material.damping = 0.05;
    hold(&stage, 2, 0, DENT_SIM_HOLD_Z);
    hold(&stage, 2, 0, 7);
    begin(&stage);
    test_steps(stage.sim, 120);
    reaction(&stage, 0, first);
    reaction(&stage, 1, second);
    assert_true(near(first[2], 8 * 9.81, 0.005));
    assert_true(second[2] == 0);
    assert_true(first[0] == 0 && first[1] == 0);
    close_stage(&stage);
}

static void supports_carry_what_lies_on_the_vertices_they_hold(void **state)
{
    (void)state;
    struct stage stage;
    double force[3];
    open_stage(&stage, 1, DENT_ISA_AUTO, test_sheet(6, 6, 0.1, 0, 0, 0), DENT_SIM_CLOTH);
    struct test_mesh block = test_block(2, 2, 2, 0.1, 0.2, 0.2, 0.01);
    stage.bodies[1] = test_body(DENT_SIM_RIGID, &block);
    stage.def.body_count = 2;
    stage.def.contacts = true;
    stage.material.density = 100; /* per area and per volume: 36 kg and 0.8 kg */
    hold(&stage, 2, 0, 7);
    stage.def.probe_count = 1;
    stage.probes[0] = dent_sim_probe_default(DENT_SIM_PROBE_CONTACT);
    stage.probes[0].body = 1;
    begin(&stage);
    test_steps(stage.sim, 180);
    reaction(&stage, 0, force);
    assert_true(near(force[2], (36 + 0.8) * 9.81, 0.005));
    assert_int_equal(dent_sim_read_probe(stage.sim, 0, force), DENT_OK);
    assert_true(near(force[2], 0.8 * 9.81, 0.005));
    test_mesh_free(&block);
    close_stage(&stage);
}

static void supports_count_in_the_first_mode_as_fixed_vertices_do(void **state)
{
    (void)state;
    dent_sim_mode modes[3];
    double chosen[3];
    for (int n = 0; n < 3; n++) { /* fixed, held, and free to slide along x */
        struct stage stage;
        open_beam(&stage, 1e6);
        if (n == 0) {
            stage.bodies[0].fixed_vertices = layer(&stage, 0, 0, &stage.bodies[0].fixed_count);
        } else {
            hold(&stage, 0, 0, n == 1 ? 7 : DENT_SIM_HOLD_Y | DENT_SIM_HOLD_Z);
        }
        begin(&stage);
        assert_int_equal(dent_sim_first_mode(stage.sim, 0, &modes[n]), DENT_OK);
        chosen[n] = dent_sim_get_statistics(stage.sim).mode;
        close_stage(&stage);
    }
    print_message("%g %g %g; %g %g %g\n", modes[0].omega, modes[1].omega, modes[2].omega, chosen[0], chosen[1],
                  chosen[2]);
    assert_true(near(modes[1].omega, modes[0].omega, 1e-3));
    assert_true(near(chosen[1], chosen[0], 1e-9));
    /* Sliding and turning about the end are no vibrations: what is left is the beam pinned at one end, 15.42 / 3.516 of
     * the clamped one where it is slender. */
    assert_true(near(modes[2].omega, 15.42 / 3.516 * modes[0].omega, 0.1));
    assert_true(near(chosen[2], modes[2].omega, 0.02));
}

/* ---- loads ------------------------------------------------------------------------------------------------------- */

static void forces_tractions_and_pressures_push_bodies_by_newtons_law(void **state)
{
    (void)state;
    /* 0.2 m cube of 8 kg; one face has 0.04 m^2: 100 Pa are 4 N. */
    for (int rigid = 0; rigid < 2; rigid++) {
        for (int kind = DENT_SIM_LOAD_FORCE; kind <= DENT_SIM_LOAD_FOLLOWER; kind++) {
            struct stage stage;
            open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0),
                       rigid ? DENT_SIM_RIGID : DENT_SIM_SOLID);
            memset(stage.def.gravity, 0, sizeof stage.def.gravity);
            stage.material.young = 1e6;
            dent_sim_load_def *load = push(&stage, (dent_sim_load_kind)kind);
            if (kind != DENT_SIM_LOAD_FORCE) {
                load->vertices = layer(&stage, 0, 0.2, &load->vertex_count);
            }
            load->vector[0] = kind == DENT_SIM_LOAD_FORCE ? 4 : 100;
            load->pressure = -100; /* suction pulls along the outer normal */
            begin(&stage);
            test_steps(stage.sim, 60);
            dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
            assert_true(near(sums.linear_momentum[0], 4, 1e-3));
            assert_true(fabs(sums.linear_momentum[1]) < 1e-6 && fabs(sums.linear_momentum[2]) < 1e-6);
            assert_true(near(sums.outer_work, 4 * 0.25, 0.02)); /* 4 N over half a * t^2 */
            assert_true(sums.kinetic + sums.elastic <= sums.outer_work * (1 + 1e-9));
            close_stage(&stage);
        }
    }
}

static void listed_faces_take_the_pressure_in_any_order_of_their_corners(void **state)
{
    (void)state;
    struct stage stage;
    uint32_t faces[3 * 16], count = 0;
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    for (uint32_t e = 0; e < stage.mesh.element_count; e++) {
        uint32_t found = 0, corners[4];
        for (int k = 0; k < 4; k++) {
            uint32_t v = stage.mesh.corners[4 * e + k];
            if (fabs(stage.mesh.positions[3 * v] - 0.2) < 1e-9) {
                corners[found++] = v;
            }
        }
        if (found == 3) {
            for (uint32_t k = 0; k < 3; k++) {
                faces[3 * count + k] = corners[(k + e) % 3];
            }
            count++;
        }
    }
    assert_int_equal(count, 8);
    dent_sim_load_def *load = push(&stage, DENT_SIM_LOAD_FOLLOWER);
    load->faces = faces;
    load->face_count = 4; /* half of them: whatever four, each has 0.005 m^2 */
    load->pressure = 100;
    begin(&stage);
    test_steps(stage.sim, 6);
    assert_true(near(dent_sim_get_statistics(stage.sim).linear_momentum[0], -100 * 0.02 * 0.1, 0.01));
    close_stage(&stage);
}

static void a_force_beside_the_centre_turns_a_free_body(void **state)
{
    (void)state;
    struct stage stage;
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, -0.1, -0.1, -0.1), DENT_SIM_SOLID);
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage.material.young = 1e6;
    dent_sim_load_def *load = push(&stage, DENT_SIM_LOAD_FORCE);
    load->vertices = layer(&stage, 0, 0.1, &load->vertex_count);
    load->vector[1] = 4;
    begin(&stage);
    test_steps(stage.sim, 10); /* it turns by at most 0.1 rad: the lever is as long as at the start to 0.5 % */
    assert_true(near(dent_sim_get_statistics(stage.sim).angular_momentum[2], 4 * 0.1 / 6, 0.005));
    close_stage(&stage);
}

static void a_torque_spins_a_rigid_body_and_does_its_work(void **state)
{
    (void)state;
    struct stage stage;
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_RIGID);
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    dent_sim_load_def *load = push(&stage, DENT_SIM_LOAD_TORQUE);
    load->vector[2] = 0.1;
    begin(&stage);
    test_steps(stage.sim, 60);
    dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
    double inertia = 8 * 0.04 / 6, turned = 0.5 * 0.1 / inertia;
    assert_true(near(sums.angular_momentum[2], 0.1, 1e-6));
    assert_true(near(sums.outer_work, 0.1 * turned, 0.01));
    assert_true(near(sums.kinetic, 0.5 * 0.1 * 0.1 / inertia, 1e-6));
    close_stage(&stage);
}

static void a_course_is_linear_between_its_rows(void **state)
{
    (void)state;
    static const dent_sim_time_value rows[] = {{0.25, 0}, {0.75, 8}};
    struct stage stage;
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_RIGID);
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage.def.time_step = 1.0 / 64;
    stage.def.substeps = 16;
    dent_sim_load_def *load = push(&stage, DENT_SIM_LOAD_FORCE);
    load->vector[0] = 1;
    load->course = (dent_sim_course){2, rows};
    begin(&stage);
    test_steps(stage.sim, 16);
    assert_true(fabs(dent_sim_get_statistics(stage.sim).linear_momentum[0]) < 1e-12);
    test_steps(stage.sim, 32);
    /* 8 * 0.5 / 2 N s, and the half substep by which factors are those at its end */
    assert_true(near(dent_sim_get_statistics(stage.sim).linear_momentum[0], 2 + 8 * 0.5 / 64 / 16, 1e-9));
    test_steps(stage.sim, 16);
    assert_true(near(dent_sim_get_statistics(stage.sim).linear_momentum[0], 4 + 8 * 0.5 / 64 / 16, 1e-9));
    close_stage(&stage);
}

/* ---- the thick sphere -------------------------------------------------------------------------------------------- */

/* A hollow ball of layers of prisms, three tetrahedra each; vertices of a layer follow one another, the innermost first. */
static struct test_mesh hollow_ball(uint32_t refinements, uint32_t layers, double inner, double outer)
{
    struct test_mesh skin = test_ball(refinements, 1, 0, 0, 0), mesh = {0};
    mesh.vertex_count = skin.vertex_count * (layers + 1);
    mesh.element_count = 3 * skin.element_count * layers;
    mesh.positions = malloc(3 * (size_t)mesh.vertex_count * sizeof(double));
    mesh.corners = malloc(4 * (size_t)mesh.element_count * sizeof(uint32_t));
    assert_true(mesh.positions && mesh.corners);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        double radius = inner + (outer - inner) * (v / skin.vertex_count) / layers;
        for (int k = 0; k < 3; k++) {
            mesh.positions[3 * v + k] = radius * skin.positions[3 * (v % skin.vertex_count) + k];
        }
    }
    uint32_t count = 0;
    for (uint32_t n = 0; n < skin.element_count * layers; n++) {
        uint32_t low[3], base = n / skin.element_count * skin.vertex_count;
        memcpy(low, skin.corners + 3 * (n % skin.element_count), sizeof low);
        for (int i = 0; i < 2; i++) { /* ascending: neighbouring prisms then split their common side alike */
            for (int k = 0; k < 2; k++) {
                if (low[k] > low[k + 1]) {
                    uint32_t swap = low[k];
                    low[k] = low[k + 1];
                    low[k + 1] = swap;
                }
            }
        }
        for (int k = 0; k < 3; k++) {
            low[k] += base;
        }
        uint32_t up[3] = {low[0] + skin.vertex_count, low[1] + skin.vertex_count, low[2] + skin.vertex_count};
        uint32_t tets[3][4] = {
            {low[0], low[1], low[2], up[2]}, {low[0], low[1], up[1], up[2]}, {low[0], up[0], up[1], up[2]}};
        for (int t = 0; t < 3; t++) {
            double e[3][3], normal[3];
            for (int k = 0; k < 9; k++) {
                e[k / 3][k % 3] =
                    mesh.positions[3 * tets[t][k / 3 + 1] + k % 3] - mesh.positions[3 * tets[t][0] + k % 3];
            }
            for (int k = 0; k < 3; k++) {
                normal[k] = e[0][(k + 1) % 3] * e[1][(k + 2) % 3] - e[0][(k + 2) % 3] * e[1][(k + 1) % 3];
            }
            if (normal[0] * e[2][0] + normal[1] * e[2][1] + normal[2] * e[2][2] < 0) {
                uint32_t swap = tets[t][0];
                tets[t][0] = tets[t][1];
                tets[t][1] = swap;
            }
            memcpy(mesh.corners + 4 * (size_t)count++, tets[t], sizeof tets[t]);
        }
    }
    test_mesh_free(&skin);
    return mesh;
}

/* Displacement of the inner side over Lamé's. */
static double vessel(uint32_t refinements, uint32_t layers, dent_sim_load_kind kind)
{
    struct stage stage;
    const double a = 0.5, b = 1, young = 1e6, poisson = 0.3, p = 1e3;
    open_stage(&stage, 1, DENT_ISA_AUTO, hollow_ball(refinements, layers, a, b), DENT_SIM_SOLID);
    stage.material.young = young;
    stage.material.poisson = poisson;
    stage.material.damping = 0.1;
    stage.def.time_step = 0.02;
    stage.def.substeps = 1;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    uint32_t skin = stage.mesh.vertex_count / (layers + 1);
    dent_sim_load_def *load = push(&stage, kind);
    uint32_t *inside = malloc(skin * sizeof *inside);
    assert_non_null(inside);
    stage.chosen[stage.chosen_count++] = inside;
    for (uint32_t v = 0; v < skin; v++) {
        inside[v] = v;
    }
    load->vertices = inside;
    load->vertex_count = skin;
    load->pressure = p;
    begin(&stage);
    test_steps(stage.sim, 60);
    double sum = 0;
    for (uint32_t v = 0; v < skin; v++) {
        const double *x = dent_sim_positions(stage.sim, 0) + 3 * v;
        sum += (sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]) - a) / skin;
    }
    double exact = p * a * a * a / (young * (b * b * b - a * a * a)) *
                   ((1 - 2 * poisson) * a + (1 + poisson) * b * b * b / (2 * a * a));
    close_stage(&stage);
    return sum / exact;
}

static void a_thick_sphere_under_inner_pressure_widens_by_lames_solution(void **state)
{
    (void)state;
    double coarse = vessel(2, 3, DENT_SIM_LOAD_PRESSURE), fine = vessel(3, 6, DENT_SIM_LOAD_PRESSURE);
    double follower = vessel(3, 6, DENT_SIM_LOAD_FOLLOWER);
    print_message("inner side: %.4f, %.4f of Lame's solution; follower %.4f\n", coarse, fine, follower);
    assert_true(fabs(fine - 1) < 0.05);
    /* Of half the edges the error of linear tetrahedra is a quarter: what is left is the mesh's. */
    assert_true(fabs(fine - 1) < 0.35 * fabs(coarse - 1));
    assert_true(fabs((4 * fine - coarse) / 3 - 1) < 0.015);
    assert_true(near(follower, fine, 0.005));
}

/* ---- followers --------------------------------------------------------------------------------------------------- */

static void a_follower_on_a_closed_surface_makes_no_momentum_and_no_energy_but_its_work(void **state)
{
    (void)state;
    for (int cloth = 0; cloth < 2; cloth++) {
        struct stage stage;
        open_stage(&stage, 1, DENT_ISA_AUTO, cloth ? test_ball(3, 0.5, 0, 0, 0) : test_block(3, 3, 3, 0.1, 0, 0, 0),
                   cloth ? DENT_SIM_CLOTH : DENT_SIM_SOLID);
        memset(stage.def.gravity, 0, sizeof stage.def.gravity);
        stage.material.density = cloth ? 0.2 : 1000;
        stage.material.young = 1e5;
        stage.material.damping = 0;
        stage.bodies[0].angular_velocity[0] = 3;
        stage.bodies[0].angular_velocity[1] = 1;
        dent_sim_load_def *load = push(&stage, DENT_SIM_LOAD_FOLLOWER);
        load->pressure = cloth ? -200 : 2e4; /* inflates the one, squeezes the other */
        begin(&stage);
        dent_sim_statistics start = dent_sim_get_statistics(stage.sim), sums;
        for (int n = 0; n < 120; n++) {
            test_steps(stage.sim, 1);
            sums = dent_sim_get_statistics(stage.sim);
            double gained = sums.kinetic + sums.elastic - start.kinetic - start.elastic - sums.outer_work;
            assert_true(gained <= 1e-6 * (start.kinetic + fabs(sums.outer_work)));
        }
        assert_true(sums.outer_work > 0);
        for (int axis = 0; axis < 3; axis++) {
            assert_true(fabs(sums.linear_momentum[axis]) < 1e-6);
            assert_true(fabs(sums.angular_momentum[axis] - start.angular_momentum[axis]) <
                        0.01 * fabs(start.angular_momentum[0]));
        }
        close_stage(&stage);
    }
}

static void a_follower_turns_with_the_surface_and_a_dead_pressure_does_not(void **state)
{
    (void)state;
    /* A rigid cube that has turned by 90 degrees about z is pushed along +y instead of +x. */
    for (int kind = DENT_SIM_LOAD_PRESSURE; kind <= DENT_SIM_LOAD_FOLLOWER; kind++) {
        struct stage stage;
        static const dent_sim_time_value rows[] = {{1, 0}, {1.000001, 1}};
        open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, -0.1, -0.1, -0.1), DENT_SIM_RIGID);
        memset(stage.def.gravity, 0, sizeof stage.def.gravity);
        stage.bodies[0].angular_velocity[2] = PI / 2;
        dent_sim_load_def *load = push(&stage, (dent_sim_load_kind)kind);
        load->vertices = layer(&stage, 0, -0.1, &load->vertex_count);
        load->pressure = 100;
        load->course = (dent_sim_course){2, rows};
        begin(&stage);
        test_steps(stage.sim, 61);
        dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
        double along = sums.linear_momentum[kind == DENT_SIM_LOAD_FOLLOWER ? 1 : 0];
        double across = sums.linear_momentum[kind == DENT_SIM_LOAD_FOLLOWER ? 0 : 1];
        assert_true(near(along, 4.0 / 60, 0.02));
        assert_true(fabs(across) < 0.05 * along);
        close_stage(&stage);
    }
}

static void a_follower_on_an_open_patch_gives_no_more_energy_than_its_work(void **state)
{
    (void)state;
    struct stage stage;
    open_beam(&stage, 1e5);
    stage.def.time_step = 1.0 / 60;
    stage.material.damping = 0;
    stage.def.air_damping = 0;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    hold(&stage, 0, 0, 7);
    dent_sim_load_def *load = push(&stage, DENT_SIM_LOAD_FOLLOWER);
    load->vertices = layer(&stage, 2, 0.1, &load->vertex_count);
    load->pressure = 200;
    begin(&stage);
    for (int n = 0; n < 180; n++) {
        test_steps(stage.sim, 1);
        dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
        assert_true(sums.kinetic + sums.elastic <= sums.outer_work + 1e-6 * fabs(sums.outer_work) + 1e-12);
        assert_int_equal(sums.inverted_cells, 0);
    }
    close_stage(&stage);
}

static double between(dent_random *random, double low, double high)
{
    return low + (high - low) * dent_random_unit(random);
}

/* A soft and a rigid block with a random load each, a support or none, and a spring between them. */
static void open_random(struct stage *stage, uint64_t seed, struct test_mesh *other, dent_sim_time_value rows[3])
{
    dent_random random = dent_random_seeded(seed);
    open_stage(stage, 1, DENT_ISA_AUTO, test_block(4, 2, 2, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    *other = test_block(1, 1, 1, 0.2, 1, 0, 0);
    stage->bodies[1] = test_body(DENT_SIM_RIGID, other);
    stage->def.body_count = 2;
    stage->material.young = pow(10, between(&random, 3, 9));
    stage->material.density = pow(10, between(&random, 1, 4));
    stage->material.poisson = between(&random, 0, 0.49);
    stage->material.damping = seed % 2 ? 0 : 0.01;
    stage->bodies[1].density = 1000; /* a lighter one would turn by radians in a substep */
    stage->def.time_step = pow(10, between(&random, -3, -1.5));
    for (int n = 0; n < 3; n++) {
        rows[n] = (dent_sim_time_value){n * pow(10, between(&random, -2, -1)) + n, between(&random, -1, 1)};
    }
    for (uint32_t n = 0; n < 2; n++) {
        uint32_t kind = 1 + (uint32_t)(between(&random, 0, n == 1 ? 4.99 : 3.99));
        dent_sim_load_def *load = push(stage, (dent_sim_load_kind)kind);
        load->body = n;
        load->pressure = between(&random, -1e4, 1e4);
        load->course = (dent_sim_course){seed % 3 ? 3 : 0, rows};
        if (n == 0 && seed % 4 < 2 && kind != DENT_SIM_LOAD_TORQUE) {
            load->vertices = layer(stage, 2, 0.2, &load->vertex_count);
        }
        for (int k = 0; k < 3; k++) {
            load->vector[k] = between(&random, -50, 50);
        }
    }
    if (seed % 5 < 3) {
        hold(stage, 0, 0, (uint32_t)between(&random, 1, 7.99));
    }
    stage->def.spring_count = seed % 2;
    stage->springs[0] = dent_sim_spring_default();
    stage->springs[0].a = (dent_sim_point){0, {44, UINT32_MAX, UINT32_MAX, UINT32_MAX}, {1, 0, 0, 0}, {0, 0, 0}};
    stage->springs[0].b.body = 1;
    stage->springs[0].b.place[0] = 1;
    stage->springs[0].stiffness = pow(10, between(&random, -1, 6));
    stage->springs[0].damping = between(&random, 0, 10);
}

static void random_loads_give_no_more_energy_than_their_work(void **state)
{
    (void)state;
    uint64_t count = getenv("DENT_LONG_TESTS") ? 1000 : 40;
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct stage stage;
        struct test_mesh other;
        dent_sim_time_value rows[3];
        open_random(&stage, seed, &other, rows);
        begin(&stage);
        dent_sim_statistics start = dent_sim_get_statistics(stage.sim), sums = start;
        double before = start.kinetic + start.elastic + start.potential, largest = fabs(before);
        for (int n = 0; n < 10; n++) {
            test_steps(stage.sim, 1);
            sums = dent_sim_get_statistics(stage.sim);
            double now = sums.kinetic + sums.elastic + sums.potential + sums.contact;
            largest = fmax(largest, fabs(sums.outer_work));
            if (!(now - before - sums.outer_work <= 1e-6 * largest)) {
                print_message("seed %u, step %d: %.9g J and %.9g J of work become %.9g J\n", (unsigned)seed, n, before,
                              sums.outer_work, now);
            }
            assert_true(now - before - sums.outer_work <= 1e-6 * largest);
        }
        close_stage(&stage);
        test_mesh_free(&other);
    }
}

/* ---- springs ----------------------------------------------------------------------------------------------------- */

/* Times at which the height crosses its mean upwards; returns the period. */
static double period_of(struct stage *stage, double level, double seconds)
{
    double first = 0, last = 0, before = mean(stage, dent_sim_positions(stage->sim, 0), 2);
    uint32_t crossings = 0;
    while (dent_sim_time(stage->sim) < seconds) {
        test_steps(stage->sim, 1);
        double now = mean(stage, dent_sim_positions(stage->sim, 0), 2);
        if (before < level && now >= level) {
            last = dent_sim_time(stage->sim) - stage->def.time_step * (now - level) / (now - before);
            first = crossings++ == 0 ? last : first;
        }
        before = now;
    }
    assert_true(crossings > 2);
    return (last - first) / (crossings - 1);
}

static void a_mass_on_a_spring_swings_with_its_period(void **state)
{
    (void)state;
    for (int rigid = 0; rigid < 2; rigid++) {
        struct stage stage;
        open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, -0.1, -0.1, -0.1),
                   rigid ? DENT_SIM_RIGID : DENT_SIM_SOLID);
        stage.material.young = 1e7;
        stage.material.damping = 0;
        stage.def.time_step = 1.0 / 240;
        stage.def.substeps = 20;
        stage.def.spring_count = 1;
        dent_sim_spring *spring = &stage.springs[0];
        *spring = dent_sim_spring_default();
        spring->a.body = 0;
        for (uint32_t v = 0; v < stage.mesh.vertex_count; v++) { /* the middle */
            const double *x = stage.mesh.positions + 3 * v;
            spring->a.vertices[0] = x[0] * x[0] + x[1] * x[1] + x[2] * x[2] < 1e-9 ? v : spring->a.vertices[0];
        }
        spring->b.place[2] = 2;
        spring->stiffness = 8 * 4 * PI * PI; /* one second */
        spring->length = 2;
        begin(&stage);
        double drop = 8 * 9.81 / spring->stiffness, period = period_of(&stage, -drop, 4), force[3];
        print_message("period %.5f s\n", period);
        assert_true(near(period, 1, 0.01));
        assert_int_equal(dent_sim_spring_force(stage.sim, 0, force), DENT_OK);
        double z = dent_sim_positions(stage.sim, 0)[3 * spring->a.vertices[0] + 2];
        assert_true(near(force[2], -spring->stiffness * z, 1e-3));
        dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
        assert_true(sums.contact > 0 && sums.kinetic + sums.elastic + sums.potential + sums.contact < 1e-6);
        close_stage(&stage);
    }
}

static void a_damped_spring_between_two_bodies_slows_their_approach_alone(void **state)
{
    (void)state;
    struct stage stage;
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0), DENT_SIM_RIGID);
    struct test_mesh other = test_block(2, 2, 2, 0.1, 1, 0, 0);
    stage.bodies[1] = test_body(DENT_SIM_RIGID, &other);
    stage.def.body_count = 2;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    stage.def.substeps = 50;
    stage.bodies[0].linear_velocity[0] = 0.4;
    stage.bodies[0].linear_velocity[1] = 0.1;
    stage.bodies[1].linear_velocity[1] = 0.1;
    stage.def.spring_count = 1;
    dent_sim_spring *spring = &stage.springs[0];
    *spring = dent_sim_spring_default();
    spring->a.body = 0;
    spring->b.body = 1;
    spring->a.place[0] = spring->a.place[1] = spring->a.place[2] = 0.1; /* the centres */
    spring->b.place[0] = 1.1;
    spring->b.place[1] = spring->b.place[2] = 0.1;
    spring->damping = 4; /* reduced mass 4 kg: the approach falls by e a second */
    begin(&stage);
    test_steps(stage.sim, 60);
    double v0 = mean(&stage, dent_sim_velocities(stage.sim, 0), 0),
           v1 = mean(&stage, dent_sim_velocities(stage.sim, 1), 0);
    assert_true(near(v0 - v1, 0.4 * exp(-1), 0.01));
    assert_true(near(v0 + v1, 0.4, 1e-6));
    assert_true(near(mean(&stage, dent_sim_velocities(stage.sim, 1), 1), 0.1, 1e-6));
    test_mesh_free(&other);
    close_stage(&stage);
}

static void a_load_that_begins_wakes_a_sleeping_body(void **state)
{
    (void)state;
    static const dent_sim_time_value rows[] = {{2, 0}, {2.01, 1}};
    struct stage stage;
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0.04), DENT_SIM_RIGID);
    struct test_mesh floor = test_block(4, 4, 1, 1, -2, -2, -1);
    stage.bodies[1] = test_body(DENT_SIM_PRESCRIBED, &floor);
    stage.def.body_count = 2;
    stage.def.contacts = true;
    dent_sim_load_def *load = push(&stage, DENT_SIM_LOAD_FORCE);
    load->vector[2] = 8 * 9.81 + 8; /* rises by 1 m/s^2 */
    stage.def.air_damping = 0;
    load->course = (dent_sim_course){2, rows};
    begin(&stage);
    test_steps(stage.sim, 115);
    assert_int_equal(dent_sim_get_statistics(stage.sim).sleeping, 1);
    test_steps(stage.sim, 65);
    assert_int_equal(dent_sim_get_statistics(stage.sim).sleeping, 0);
    assert_true(near(mean(&stage, dent_sim_velocities(stage.sim, 0), 2), 1, 0.02));
    test_mesh_free(&floor);
    close_stage(&stage);
}

static void under_a_load_that_stays_a_body_sleeps_and_keeps_still(void **state)
{
    (void)state;
    struct stage stage;
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0.04), DENT_SIM_RIGID);
    struct test_mesh floor = test_block(4, 4, 1, 1, -2, -2, -1);
    stage.bodies[1] = test_body(DENT_SIM_PRESCRIBED, &floor);
    stage.def.body_count = 2;
    stage.def.contacts = true;
    push(&stage, DENT_SIM_LOAD_FORCE)->vector[0] = 8 * 9.81 * 0.25;
    begin(&stage);
    test_steps(stage.sim, 120);
    assert_int_equal(dent_sim_get_statistics(stage.sim).sleeping, 1);
    double x = mean(&stage, dent_sim_positions(stage.sim, 0), 0);
    test_steps(stage.sim, 60);
    dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
    assert_int_equal(sums.sleeping, 1);
    assert_true(mean(&stage, dent_sim_positions(stage.sim, 0), 0) == x && sums.kinetic == 0);
    test_mesh_free(&floor);
    close_stage(&stage);
}

static void bodies_on_a_spring_never_sleep(void **state)
{
    (void)state;
    struct stage stage;
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 2, 0.1, 0, 0, 0.04), DENT_SIM_RIGID);
    struct test_mesh floor = test_block(4, 4, 1, 1, -2, -2, -1);
    stage.bodies[1] = test_body(DENT_SIM_PRESCRIBED, &floor);
    stage.def.body_count = 2;
    stage.def.contacts = true;
    stage.def.spring_count = 1;
    dent_sim_spring *spring = &stage.springs[0];
    *spring = dent_sim_spring_default();
    spring->a.body = 0;
    spring->a.place[0] = spring->a.place[1] = spring->a.place[2] = 0.1;
    spring->b.place[0] = spring->b.place[1] = 0.1;
    spring->b.place[2] = 1.1;
    spring->length = 1;
    spring->stiffness = 10;
    spring->damping = 10;
    begin(&stage);
    test_steps(stage.sim, 180);
    dent_sim_statistics sums = dent_sim_get_statistics(stage.sim);
    assert_int_equal(sums.sleeping, 0);
    assert_true(sums.kinetic < 1e-9);
    test_mesh_free(&floor);
    close_stage(&stage);
}

/* ---- probes, checkpoints, bits ----------------------------------------------------------------------------------- */

static void open_everything(struct stage *stage, uint32_t threads, dent_isa isa)
{
    static const dent_sim_time_value rows[] = {{0, 0}, {0.1, 1}, {0.3, -1}};
    open_stage(stage, threads, isa, test_block(8, 2, 2, 0.05, 0, 0, 0.1), DENT_SIM_SOLID);
    stage->material.young = 1e6;
    hold(stage, 0, 0, DENT_SIM_HOLD_X | DENT_SIM_HOLD_Z);
    hold(stage, 1, 0, 0);
    stage->supports[1].direction[1] = 1;
    stage->supports[1].direction[2] = 0.5;
    stage->supports[1].displacement[1] = 0.002;
    stage->supports[1].course = (dent_sim_course){3, rows};
    dent_sim_load_def *load = push(stage, DENT_SIM_LOAD_FOLLOWER);
    load->pressure = 500;
    load->course = (dent_sim_course){3, rows};
    load = push(stage, DENT_SIM_LOAD_FORCE);
    load->vector[1] = 3;
    load->vertices = layer(stage, 0, 0.4, &load->vertex_count);
    stage->def.spring_count = 1;
    stage->springs[0] = dent_sim_spring_default();
    stage->springs[0].a.body = 0;
    stage->springs[0].a.vertices[0] = load->vertices[0];
    stage->springs[0].b.place[2] = 1;
    stage->springs[0].stiffness = 50;
    stage->springs[0].damping = 1;
    for (int kind = 1; kind <= 7; kind++) {
        stage->probes[stage->def.probe_count++] = dent_sim_probe_default((dent_sim_probe_kind)kind);
    }
}

static void a_resumed_run_with_loads_equals_an_uninterrupted_one_to_the_bit(void **state)
{
    (void)state;
    struct stage whole, first, second;
    const char *path = "test_sim_loads.checkpoint";
    open_everything(&whole, 1, DENT_ISA_AUTO);
    begin(&whole);
    test_steps(whole.sim, 20);
    open_everything(&first, 1, DENT_ISA_AUTO);
    begin(&first);
    test_steps(first.sim, 9);
    assert_int_equal(dent_sim_save(first.sim, path, NULL, 0), DENT_OK);
    open_everything(&second, 1, DENT_ISA_AUTO);
    begin(&second);
    assert_int_equal(dent_sim_load(second.sim, path), DENT_OK);
    struct stage other;
    open_everything(&other, 1, DENT_ISA_AUTO);
    other.supports[1].displacement[1] = 0.003;
    begin(&other);
    assert_int_equal(dent_sim_load(other.sim, path), DENT_ERROR_FORMAT); /* of another simulation */
    close_stage(&other);
    unlink(path);
    test_steps(second.sim, 11);
    assert_true(dent_sim_hash(second.sim) == dent_sim_hash(whole.sim));
    for (uint32_t n = 0; n < whole.def.probe_count; n++) {
        double a[3], b[3];
        assert_int_equal(dent_sim_read_probe(whole.sim, n, a), DENT_OK);
        assert_int_equal(dent_sim_read_probe(second.sim, n, b), DENT_OK);
        assert_memory_equal(a, b, sizeof a);
    }
    assert_true(dent_sim_get_statistics(second.sim).outer_work == dent_sim_get_statistics(whole.sim).outer_work);
    close_stage(&whole);
    close_stage(&first);
    close_stage(&second);
}

static void runs_with_loads_have_the_same_bits_for_any_threads_and_instruction_set(void **state)
{
    (void)state;
    uint64_t hash = 0;
    for (int n = 0; n < 5; n++) {
        static const uint32_t threads[] = {1, 2, 5, 1, 2};
        static const dent_isa isas[] = {DENT_ISA_AUTO, DENT_ISA_AUTO, DENT_ISA_AUTO, DENT_ISA_SCALAR, DENT_ISA_AVX2};
        struct stage stage;
        open_everything(&stage, threads[n], isas[n]);
        begin(&stage);
        test_steps(stage.sim, 12);
        hash = n == 0 ? dent_sim_hash(stage.sim) : hash;
        assert_true(dent_sim_hash(stage.sim) == hash);
        close_stage(&stage);
    }
}

static void probes_read_what_they_name(void **state)
{
    (void)state;
    struct stage stage;
    double values[3], force[3];
    dent_sim_probe_info info;
    open_everything(&stage, 1, DENT_ISA_AUTO);
    stage.probes[0].name = "middle";
    stage.probes[2].vertex_count = 0;
    stage.probes[6].energy = DENT_SIM_ENERGY_OUTER_WORK;
    begin(&stage);
    assert_int_equal(dent_sim_read_probe(stage.sim, 3, values), DENT_OK);
    assert_true(values[0] == 0 && values[2] == 0); /* nothing is known before the first step */
    test_steps(stage.sim, 10);
    assert_int_equal(dent_sim_probe_count(stage.sim), 7);
    assert_true(dent_sim_probe_at(stage.sim, 0, &info));
    assert_string_equal(info.name, "middle");
    assert_int_equal(info.column_count, 3);
    assert_string_equal(info.unit, "m");
    assert_true(dent_sim_probe_at(stage.sim, 4, &info));
    assert_string_equal(info.name, "probe 4");
    assert_int_equal(info.column_count, 1);
    assert_false(dent_sim_probe_at(stage.sim, 7, &info));
    assert_int_equal(dent_sim_read_probe(stage.sim, 0, values), DENT_OK);
    assert_true(near(values[0], mean(&stage, dent_sim_positions(stage.sim, 0), 0), 1e-12));
    assert_int_equal(dent_sim_read_probe(stage.sim, 1, values), DENT_OK);
    assert_true(near(values[1], mean(&stage, dent_sim_velocities(stage.sim, 0), 1), 1e-9));
    assert_int_equal(dent_sim_read_probe(stage.sim, 3, values), DENT_OK);
    reaction(&stage, 0, force);
    assert_memory_equal(values, force, sizeof force);
    assert_int_equal(dent_sim_read_probe(stage.sim, 4, values), DENT_OK);
    dent_sim_spring_force(stage.sim, 0, force);
    assert_true(near(fabs(values[0]), sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]), 1e-3));
    assert_int_equal(dent_sim_read_probe(stage.sim, 6, values), DENT_OK);
    assert_true(values[0] == dent_sim_get_statistics(stage.sim).outer_work && values[0] != 0);
    assert_int_equal(dent_sim_read_probe(stage.sim, 7, values), DENT_ERROR_INVALID_ARGUMENT);
    close_stage(&stage);
}

static void stretch_bar(dent_sim_model model)
{
    struct stage stage;
    double stress[3];
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(6, 2, 2, 0.05, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.model = model;
    stage.material.young = 1e6;
    stage.material.poisson = 0.3;
    stage.material.damping = 0.05;
    memset(stage.def.gravity, 0, sizeof stage.def.gravity);
    hold(&stage, 0, 0, DENT_SIM_HOLD_X);
    hold(&stage, 0, 0.3, DENT_SIM_HOLD_X);
    stage.supports[1].displacement[0] = 0.0003;
    stage.probes[0] = dent_sim_probe_default(DENT_SIM_PROBE_STRESS);
    stage.def.probe_count = 1;
    begin(&stage);
    test_steps(stage.sim, 120);
    assert_int_equal(dent_sim_read_probe(stage.sim, 0, stress), DENT_OK);
    assert_true(near(stress[0], 1e6 * 0.001, 0.005));
    assert_true(dent_sim_get_statistics(stage.sim).residual < 0.01);
    close_stage(&stage);
}

static void the_stress_of_a_stretched_bar_is_young_times_strain(void **state)
{
    (void)state;
    stretch_bar(DENT_SIM_NEO_HOOKEAN);
    stretch_bar(DENT_SIM_COROTATED); /* a cell with a law of its own */
}

static void the_stress_of_a_sheared_block_is_that_of_the_law(void **state)
{
    (void)state;
    struct stage stage;
    double stress[3], mu = 1e6 / 2.6, shear = 0.02;
    open_stage(&stage, 1, DENT_ISA_AUTO, test_block(2, 2, 1, 0.1, 0, 0, 0), DENT_SIM_SOLID);
    stage.material.young = 1e6;
    stage.material.poisson = 0.3;
    hold(&stage, 2, 0, 7);
    hold(&stage, 2, 0.1, 7); /* all vertices */
    stage.supports[1].displacement[0] = 0.1 * shear;
    stage.probes[0] = dent_sim_probe_default(DENT_SIM_PROBE_STRESS);
    stage.def.probe_count = 1;
    begin(&stage);
    test_steps(stage.sim, 2);
    assert_int_equal(dent_sim_read_probe(stage.sim, 0, stress), DENT_OK);
    assert_true(near(stress[0], mu * shear * sqrt(3 + shear * shear), 1e-9));
    close_stage(&stage);
}

/* ---- bad defs ---------------------------------------------------------------------------------------------------- */

static void refuse(void (*spoil)(struct stage *stage), const char *part)
{
    struct stage stage;
    char message[300];
    open_everything(&stage, 1, DENT_ISA_AUTO);
    spoil(&stage);
    dent_sim *sim = NULL;
    dent_status status = dent_sim_create(stage.context, &stage.def, &sim);
    dent_context_message(stage.context, message, sizeof message);
    if (status == DENT_OK || !strstr(message, part)) {
        print_message("status %d: %s (instead of: %s)\n", (int)status, message, part);
    }
    assert_true(status != DENT_OK && strstr(message, part));
    close_stage(&stage);
}

static void spoil_body(struct stage *stage)
{
    stage->loads[0].body = 3;
}
static void spoil_torque(struct stage *stage)
{
    stage->loads[1].kind = DENT_SIM_LOAD_TORQUE;
}
static void spoil_number(struct stage *stage)
{
    stage->loads[1].vector[0] = NAN;
}
static void spoil_faces(struct stage *stage)
{
    static const uint32_t face[] = {0, 1, 80};
    stage->loads[0].faces = face;
    stage->loads[0].face_count = 1;
}
static void spoil_course(struct stage *stage)
{
    static const dent_sim_time_value rows[] = {{1, 0}, {1, 1}};
    stage->supports[1].course = (dent_sim_course){2, rows};
}
static void spoil_direction(struct stage *stage)
{
    stage->supports[1].direction[1] = stage->supports[1].direction[2] = 0;
}
static void spoil_spring(struct stage *stage)
{
    stage->springs[0].stiffness = stage->springs[0].damping = 0;
}
static void spoil_end(struct stage *stage)
{
    stage->springs[0].a.vertices[0] = UINT32_MAX;
}
static void spoil_probe(struct stage *stage)
{
    stage->probes[3].number = 9;
}
static void spoil_names(struct stage *stage)
{
    stage->probes[3].name = stage->probes[5].name = "same";
}
static void spoil_comma(struct stage *stage)
{
    stage->probes[3].name = "a,b";
}

static void bad_loads_are_refused_by_name(void **state)
{
    (void)state;
    refuse(spoil_body, "load 0: no body 3");
    refuse(spoil_torque, "load 1: not for a body of kind solid");
    refuse(spoil_number, "load 1: a number is not finite");
    refuse(spoil_faces, "load 0: 0 1 80 is no face of the surface");
    refuse(spoil_course, "support 1: the times of its course must ascend");
    refuse(spoil_direction, "support 1: needs axes, or a direction");
    refuse(spoil_spring, "spring 0: stiffness and damping");
    refuse(spoil_end, "spring 0: an end on a body that is not rigid needs vertices");
    refuse(spoil_probe, "probe 3: there is no support of that number");
    refuse(spoil_names, "probe same: an earlier probe has this name");
    refuse(spoil_comma, "probe a,b: a name has 1 to 63 bytes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_clamped_beam_bends_along_its_tip_load_and_the_clamp_gives_load_and_weight),
        cmocka_unit_test(supports_along_one_axis_carry_the_weight_and_let_the_rest_move),
        cmocka_unit_test(a_body_held_along_a_slanting_direction_slides_down_that_slope),
        cmocka_unit_test(a_bar_pulled_by_a_prescribed_displacement_answers_with_young_area_strain),
        cmocka_unit_test(the_first_support_that_holds_a_direction_counts),
        cmocka_unit_test(supports_carry_what_lies_on_the_vertices_they_hold),
        cmocka_unit_test(supports_count_in_the_first_mode_as_fixed_vertices_do),
        cmocka_unit_test(forces_tractions_and_pressures_push_bodies_by_newtons_law),
        cmocka_unit_test(listed_faces_take_the_pressure_in_any_order_of_their_corners),
        cmocka_unit_test(a_force_beside_the_centre_turns_a_free_body),
        cmocka_unit_test(a_torque_spins_a_rigid_body_and_does_its_work),
        cmocka_unit_test(a_course_is_linear_between_its_rows),
        cmocka_unit_test(a_thick_sphere_under_inner_pressure_widens_by_lames_solution),
        cmocka_unit_test(a_follower_on_a_closed_surface_makes_no_momentum_and_no_energy_but_its_work),
        cmocka_unit_test(a_follower_turns_with_the_surface_and_a_dead_pressure_does_not),
        cmocka_unit_test(a_follower_on_an_open_patch_gives_no_more_energy_than_its_work),
        cmocka_unit_test(random_loads_give_no_more_energy_than_their_work),
        cmocka_unit_test(a_mass_on_a_spring_swings_with_its_period),
        cmocka_unit_test(a_damped_spring_between_two_bodies_slows_their_approach_alone),
        cmocka_unit_test(a_load_that_begins_wakes_a_sleeping_body),
        cmocka_unit_test(under_a_load_that_stays_a_body_sleeps_and_keeps_still),
        cmocka_unit_test(bodies_on_a_spring_never_sleep),
        cmocka_unit_test(a_resumed_run_with_loads_equals_an_uninterrupted_one_to_the_bit),
        cmocka_unit_test(runs_with_loads_have_the_same_bits_for_any_threads_and_instruction_set),
        cmocka_unit_test(probes_read_what_they_name),
        cmocka_unit_test(the_stress_of_a_stretched_bar_is_young_times_strain),
        cmocka_unit_test(the_stress_of_a_sheared_block_is_that_of_the_law),
        cmocka_unit_test(bad_loads_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
