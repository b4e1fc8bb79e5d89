/* Strands as elastic rods: bending, twist and curls against theory, roots, states and checkpoints. */
#include "support_meshes.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define PI 3.14159265358979323846

enum { MOST = 260 };

/* One strand, without contacts. */
struct rod {
    dent_sim_body_def body;
    dent_sim_material material;
    dent_sim_def def;
    uint32_t first[2], fixed[4];
    double positions[3 * MOST], rest[3 * MOST];
};

static void make_rod(struct rod *rod, uint32_t vertices)
{
    memset(rod, 0, sizeof *rod);
    rod->body = dent_sim_body_def_default(DENT_SIM_STRANDS);
    rod->material = dent_sim_material_default();
    rod->def = dent_sim_def_default();
    rod->first[1] = vertices;
    rod->body.vertex_count = vertices;
    rod->body.strand_count = 1;
    rod->body.first = rod->first;
    rod->body.positions = rod->positions;
    rod->body.fixed_vertices = rod->fixed;
    rod->def.bodies = &rod->body;
    rod->def.body_count = rod->def.material_count = 1;
    rod->def.materials = &rod->material;
    rod->def.contacts = false;
    rod->body.prevent_crossing = false;
    rod->def.substeps = 4;
}

static double bending_stiffness(const struct rod *rod)
{
    double r = rod->body.radius;
    return rod->material.young * PI * r * r * r * r / 4;
}

static double largest_speed(const dent_sim *sim, uint32_t count)
{
    const double *v = dent_sim_velocities(sim, 0);
    double largest = 0;
    for (uint32_t n = 0; n < 3 * count; n++) {
        largest = fmax(largest, fabs(v[n]));
    }
    return largest;
}

/* ---- the elastica ------------------------------------------------------------------------------------------------ */

/* B theta'' = w (L - s) cos theta, clamped at s = 0: tip of a rod that bends under its weight per length w, by shooting. */
static void elastica_tip(double b, double w, double length, double tip[2])
{
    enum { STEPS = 20000 };
    double low = -50 / length, high = 0;
    for (int round = 0; round < 200; round++) {
        double bend = 0.5 * (low + high), theta = 0, h = length / STEPS, x = 0, z = 0;
        for (int n = 0; n < STEPS; n++) { /* midpoint rule */
            double s = n * h, middle = theta + 0.5 * h * bend;
            double bent = bend + 0.5 * h * (w / b) * (length - s) * cos(theta);
            x += h * cos(middle);
            z += h * sin(middle);
            theta += h * bent;
            bend += h * (w / b) * (length - s - 0.5 * h) * cos(middle);
        }
        if (bend > 0) {
            high = 0.5 * (low + high);
        } else {
            low = 0.5 * (low + high);
        }
        tip[0] = x;
        tip[1] = z;
    }
}

/* Clamped in its first segment, which lies along x, and at rest under its weight. */
static void hang_cantilever(uint32_t segments, double sag, double tip[2])
{
    static struct rod rod;
    make_rod(&rod, segments + 2);
    rod.body.radius = 1e-3;
    rod.material.density = 1000;
    rod.material.damping = 0.05;
    rod.def.air_damping = 2;
    double length = 0.5, r = rod.body.radius, w = 1000 * 9.81 * PI * r * r;
    rod.material.young = w * length * length * length / (sag * PI * r * r * r * r / 4);
    for (uint32_t i = 0; i < segments + 2; i++) {
        rod.positions[3 * i] = ((double)i - 1) * length / segments;
    }
    rod.fixed[1] = 1;
    rod.body.fixed_count = 2;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_sim *sim;
    sim = test_sim(context, &rod.def);
    test_steps(sim, 600);
    const double *x = dent_sim_positions(sim, 0) + 3 * (size_t)(segments + 1);
    double exact[2];
    elastica_tip(bending_stiffness(&rod), w, length, exact);
    tip[0] = (x[0] - exact[0]) / length;
    tip[1] = (x[2] - exact[1]) / length;
    print_message("sag %g: tip %.5f %.5f, elastica %.5f %.5f, speed %.2g\n", sag, x[0], x[2], exact[0], exact[1],
                  largest_speed(sim, segments + 2));
    dent_sim_destroy(sim);
    dent_context_destroy(context);
}

static void cantilevers_bend_like_the_elastica(void **state)
{
    (void)state;
    const double sags[] = {1, 10, 40}; /* w L^3 / B: the tip hangs by an eighth of it while it is small */
    for (uint64_t n = 0; n < test_count(1, 3, 3); n++) {
        double off[2];
        hang_cantilever(32, sags[n], off);
        assert_true(fabs(off[0]) < 0.01 && fabs(off[1]) < 0.01);
    }
}

/* ---- curls ------------------------------------------------------------------------------------------------------- */

static void helix(uint32_t count, double radius, double pitch, double step, double *x)
{
    for (uint32_t i = 0; i < count; i++) {
        double angle = step * i;
        x[3 * i] = radius * cos(angle);
        x[3 * i + 1] = radius * sin(angle);
        x[3 * i + 2] = -pitch * angle / (2 * PI);
    }
}

/* Pulled straight at the start, it comes back to its natural shape, wherever that is now. */
static void curls_return_to_their_natural_shape(void **state)
{
    (void)state;
    static struct rod rod;
    enum { COUNT = 40 };
    make_rod(&rod, COUNT);
    rod.body.radius = 1e-3;
    rod.material.young = 1e7;
    rod.material.damping = 0.02;
    rod.def.air_damping = 5;
    memset(rod.def.gravity, 0, sizeof rod.def.gravity);
    helix(COUNT, 0.02, 0.03, 0.5, rod.rest);
    rod.body.rest = rod.rest;
    double length = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        rod.positions[3 * i + 2] = -length;
        length += i + 1 < COUNT ? sqrt(pow(rod.rest[3 * i + 3] - rod.rest[3 * i], 2) + pow(rod.rest[3 * i + 4] - rod.rest[3 * i + 1], 2) +
                                       pow(rod.rest[3 * i + 5] - rod.rest[3 * i + 2], 2))
                                : 0;
    }
    rod.body.fixed_count = 1;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_sim *sim;
    sim = test_sim(context, &rod.def);
    double energy = dent_sim_get_statistics(sim).elastic;
    assert_true(energy > 0);
    test_steps(sim, (uint32_t)test_count(300, 300, 600));
    print_message("curl: elastic energy %g -> %g\n", energy, dent_sim_get_statistics(sim).elastic);
    const double *x = dent_sim_positions(sim, 0);
    for (uint32_t i = 0; i < COUNT; i++) { /* all distances are those of the helix: the same shape, not its mirror image */
        for (uint32_t k = 0; k < i; k++) {
            double now = 0, then = 0;
            for (uint32_t axis = 0; axis < 3; axis++) {
                now += pow(x[3 * i + axis] - x[3 * k + axis], 2);
                then += pow(rod.rest[3 * i + axis] - rod.rest[3 * k + axis], 2);
            }
            assert_true(fabs(sqrt(now) - sqrt(then)) < 1e-4 * length);
        }
    }
    double e[3][3], turn = 0;
    for (uint32_t k = 0; k < 3; k++) {
        for (uint32_t axis = 0; axis < 3; axis++) {
            e[k][axis] = x[3 * (5 * k + 5) + axis] - x[3 * 5 * k + axis];
        }
    }
    for (uint32_t k = 0; k < 3; k++) {
        turn += e[0][k] * (e[1][(k + 1) % 3] * e[2][(k + 2) % 3] - e[1][(k + 2) % 3] * e[2][(k + 1) % 3]);
    }
    assert_true(turn < 0); /* left-handed, as drawn */
    assert_true(dent_sim_get_statistics(sim).elastic < 1e-6 * energy);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
}

/* ---- the ring ---------------------------------------------------------------------------------------------------- */

/* A straight rod bent to a ring, both ends clamped at one place in a short piece, twisted by `share` of Michell's critical
 * angle: how far it leaves its plane, of its radius. */
static double twist_ring(double share)
{
    static struct rod rod;
    enum { EDGES = 64 };
    const double radius = 0.1, clamp = 0.002;
    make_rod(&rod, EDGES + 3);
    rod.body.radius = 1e-3;
    rod.material.young = 1e7;
    rod.material.poisson = 0.25;
    rod.material.damping = 0.01;
    rod.def.air_damping = 0.5;
    rod.def.substeps = 2;
    rod.def.time_step = 1.0 / 30;
    memset(rod.def.gravity, 0, sizeof rod.def.gravity);
    double step = (2 * PI - clamp) / EDGES, length = 0;
    for (uint32_t i = 0; i < EDGES + 3; i++) {
        double angle = i == 0 ? -0.5 * clamp : i == EDGES + 2 ? 2 * PI + 0.5 * clamp : 0.5 * clamp + (i - 1) * step;
        rod.positions[3 * i] = radius * cos(angle);
        rod.positions[3 * i + 1] = radius * sin(angle);
        rod.positions[3 * i + 2] = i > 1 && i < EDGES + 1 ? 1e-4 * radius * sin(2 * angle) : 0;
        rod.rest[3 * i] = length;
        length += 2 * radius * sin(0.5 * (i == 0 || i == EDGES + 1 ? clamp : step));
    }
    rod.body.rest = rod.rest;
    rod.fixed[1] = 1;
    rod.fixed[2] = EDGES + 1;
    rod.fixed[3] = EDGES + 2;
    rod.body.fixed_count = 4;
    double b_over_c = 1 + rod.material.poisson; /* of round cross-sections */
    rod.body.twist = share * sqrt(3) * b_over_c / radius;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_sim *sim = test_sim(context, &rod.def);
    const double *x = dent_sim_positions(sim, 0);
    double off = 0;
    for (int n = 0; n < 240; n++) {
        test_steps(sim, 1);
        for (uint32_t i = 0; i < EDGES + 3; i++) {
            off = fmax(off, fabs(x[3 * i + 2]));
        }
    }
    print_message("ring at %.3f of the critical twist: up to %.3g of its radius out of its plane\n", share, off / radius);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    return off / radius;
}

static void rings_buckle_at_the_critical_twist(void **state)
{
    (void)state;
    if (test_count(0, 1, 1) == 0) {
        return;
    }
    assert_true(twist_ring(0.95) < 0.02);
    assert_true(twist_ring(1.05) > 0.2); /* it folds over and loses two turns of twist */
}

/* ---- hair -------------------------------------------------------------------------------------------------------- */

/* Hairs of 20 cm on a ball that is shaken, in one body; roots clamped. */
struct hair {
    struct test_mesh ball;
    dent_sim_body_def bodies[2];
    dent_sim_material materials[2];
    dent_sim_keyframe keys[9];
    dent_sim_def def;
    uint32_t first[65], count;
    dent_sim_root roots[64];
    double positions[3 * 64 * 33];
};

static void make_hair(struct hair *hair, dent_sim_body_kind carrier, uint32_t count)
{
    memset(hair, 0, sizeof *hair);
    hair->ball = test_ball(3, 0.09, 0, 0, 0);
    hair->count = count;
    hair->bodies[0] = test_body(carrier, &hair->ball);
    hair->bodies[1] = dent_sim_body_def_default(DENT_SIM_STRANDS);
    hair->materials[0] = hair->materials[1] = dent_sim_material_default();
    hair->materials[1].young = 4e9;
    hair->materials[1].density = 1300;
    hair->materials[1].damping = 1e-3;
    for (uint32_t s = 0; s < count; s++) {
        /* Hairs grow from the middle of every so manieth face, outwards. */
        uint32_t face = s * hair->ball.element_count / count;
        double middle[3] = {0, 0, 0}, length = 0;
        for (uint32_t n = 0; n < 9; n++) {
            middle[n % 3] += hair->ball.positions[3 * (size_t)hair->ball.corners[3 * face + n / 3] + n % 3] / 3;
        }
        length = sqrt(middle[0] * middle[0] + middle[1] * middle[1] + middle[2] * middle[2]);
        for (uint32_t i = 0; i < 33; i++) {
            for (uint32_t axis = 0; axis < 3; axis++) {
                hair->positions[3 * (33 * s + i) + axis] = middle[axis] * (1 + 0.2 * i / 32 / length);
            }
        }
        hair->first[s + 1] = 33 * (s + 1);
        hair->roots[s] = (dent_sim_root){s, 0, face, true};
    }
    hair->bodies[1].vertex_count = 33 * count;
    hair->bodies[1].strand_count = count;
    hair->bodies[1].first = hair->first;
    hair->bodies[1].positions = hair->positions;
    hair->bodies[1].roots = hair->roots;
    hair->bodies[1].root_count = count;
    hair->bodies[1].material = 1;
    hair->bodies[1].prevent_crossing = false;
    for (int k = 0; k < 9; k++) { /* to and fro, and turning */
        hair->keys[k] = (dent_sim_keyframe){0.1 * k, {1, 0, 0, k % 2 ? 0.3 : 0}, {k % 4 == 1 ? 0.1 : k % 4 == 3 ? -0.1 : 0, 0, 0}};
    }
    if (carrier == DENT_SIM_PRESCRIBED) {
        hair->bodies[0].motion.keyframe_count = 9;
        hair->bodies[0].motion.keyframes = hair->keys;
        hair->bodies[0].motion.repeat = true;
    }
    hair->def = dent_sim_def_default();
    hair->def.bodies = hair->bodies;
    hair->def.body_count = hair->def.material_count = 2;
    hair->def.materials = hair->materials;
    hair->def.contacts = false;
    hair->def.substeps = 4;
}

static void hair_is_stable_at_four_substeps(void **state)
{
    (void)state;
    static struct hair hair;
    make_hair(&hair, DENT_SIM_PRESCRIBED, 64);
    dent_context *context = dent_context_create(NULL, NULL);
    dent_sim *sim = test_sim(context, &hair.def);
    double stretched = 0, fastest = 0;
    for (uint64_t n = 0; n < test_count(20, 120, 240); n++) {
        test_steps(sim, 1);
        const double *x = dent_sim_positions(sim, 1), *v = dent_sim_velocities(sim, 1);
        for (uint32_t k = 0; k < 33 * hair.count; k++) {
            fastest = fmax(fastest, sqrt(v[3 * k] * v[3 * k] + v[3 * k + 1] * v[3 * k + 1] + v[3 * k + 2] * v[3 * k + 2]));
            if (k % 33 < 32) {
                double d[3] = {x[3 * k + 3] - x[3 * k], x[3 * k + 4] - x[3 * k + 1], x[3 * k + 5] - x[3 * k + 2]};
                stretched = fmax(stretched, fabs(sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]) / (0.2 / 32) - 1));
            }
        }
    }
    print_message("shaken hair: longer by up to %.3g of its length, up to %.3g m/s\n", stretched, fastest);
    assert_true(stretched < 0.01);
    assert_true(fastest < 20);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    test_mesh_free(&hair.ball);
}

static uint64_t hash_of_run(dent_sim_body_kind carrier, uint32_t threads, dent_isa isa, int stop)
{
    static struct hair hair;
    make_hair(&hair, carrier, 37);
    dent_context *context = test_context(threads, isa);
    dent_sim *sim = test_sim(context, &hair.def);
    for (int n = 0; n < (int)test_count(3, 10, 20); n++) {
        test_steps(sim, 1);
        if (n == stop) { /* killed and resumed */
            assert_int_equal(dent_sim_save(sim, "test_rods.checkpoint", NULL, 0), DENT_OK);
            dent_sim_destroy(sim);
            sim = test_sim(context, &hair.def);
            assert_int_equal(dent_sim_load(sim, "test_rods.checkpoint"), DENT_OK);
            remove("test_rods.checkpoint");
        }
    }
    uint64_t hash = dent_sim_hash(sim);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    test_mesh_free(&hair.ball);
    return hash;
}

static void runs_have_the_same_bits_for_threads_instruction_sets_and_after_a_stop(void **state)
{
    (void)state;
    const uint32_t threads[] = {1, 2, 5};
    for (int carrier = DENT_SIM_RIGID; carrier <= DENT_SIM_PRESCRIBED; carrier++) {
        uint64_t hash = hash_of_run((dent_sim_body_kind)carrier, 1, DENT_ISA_SCALAR, -1);
        for (int n = 0; n < 3; n++) {
            for (int isa = DENT_ISA_SCALAR; isa <= DENT_ISA_AVX512; isa++) {
                if (dent_isa_available((dent_isa)isa)) {
                    assert_true(hash == hash_of_run((dent_sim_body_kind)carrier, threads[n], (dent_isa)isa, n == 1 ? 1 : -1));
                }
            }
        }
    }
}

/* ---- many strands, which are solved in passes (rod_pass.c) ----------------------------------------------------- */

enum { BUNDLE = 320, BUNDLE_VERTICES = 33 };

/* Strands that hang by their roots and fall sideways; sixteen of them are a little nearer to another one than their radii
 * allow. */
struct bundle {
    dent_sim_body_def body;
    dent_sim_material material;
    dent_sim_def def;
    uint32_t first[BUNDLE + 1], fixed[2 * BUNDLE];
    double positions[3 * BUNDLE * BUNDLE_VERTICES];
};

static void make_bundle(struct bundle *bundle)
{
    memset(bundle, 0, sizeof *bundle);
    bundle->body = dent_sim_body_def_default(DENT_SIM_STRANDS);
    bundle->material = dent_sim_material_default();
    bundle->material.young = 1e9;
    bundle->material.density = 1300;
    bundle->def = dent_sim_def_default();
    bundle->body.radius = 1e-3;
    bundle->body.thickness = 2e-3;
    for (uint32_t s = 0; s < BUNDLE; s++) {
        for (uint32_t i = 0; i < BUNDLE_VERTICES; i++) {
            double *x = bundle->positions + 3 * (size_t)(BUNDLE_VERTICES * s + i);
            x[0] = 0.2 * i / (BUNDLE_VERTICES - 1);
            x[1] = 5e-3 * (s % 20) - (s % 20 == 19 ? 3.02e-3 : 0);
            x[2] = 5e-3 * (double)(s / 20);
        }
        bundle->first[s + 1] = BUNDLE_VERTICES * (s + 1);
        bundle->fixed[2 * s] = BUNDLE_VERTICES * s;
        bundle->fixed[2 * s + 1] = BUNDLE_VERTICES * s + 1;
    }
    bundle->body.vertex_count = BUNDLE * BUNDLE_VERTICES;
    bundle->body.strand_count = BUNDLE;
    bundle->body.first = bundle->first;
    bundle->body.positions = bundle->positions;
    bundle->body.fixed_vertices = bundle->fixed;
    bundle->body.fixed_count = 2 * BUNDLE;
    bundle->body.prevent_crossing = false;
    bundle->def.bodies = &bundle->body;
    bundle->def.materials = &bundle->material;
    bundle->def.body_count = bundle->def.material_count = 1;
    bundle->def.substeps = 4;
}

static uint64_t hash_of_bundle(uint32_t threads, dent_isa isa, bool stop)
{
    static struct bundle bundle;
    make_bundle(&bundle);
    dent_context *context = test_context(threads, isa);
    dent_sim *sim = test_sim(context, &bundle.def);
    test_steps(sim, 1);
    if (stop) {
        assert_int_equal(dent_sim_save(sim, "test_rods_many.checkpoint", NULL, 0), DENT_OK);
        dent_sim_destroy(sim);
        sim = test_sim(context, &bundle.def);
        assert_int_equal(dent_sim_load(sim, "test_rods_many.checkpoint"), DENT_OK);
        remove("test_rods_many.checkpoint");
    }
    test_steps(sim, 1);
    assert_true(dent_sim_get_statistics(sim).contacts > 0);
    uint64_t hash = dent_sim_hash(sim);
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    return hash;
}

static void many_strands_in_contact_have_the_same_bits_for_threads_instruction_sets_and_after_a_stop(void **state)
{
    (void)state;
    uint64_t hash = hash_of_bundle(1, DENT_ISA_AUTO, false);
    assert_true(hash == hash_of_bundle(2, DENT_ISA_SCALAR, false));
    assert_true(hash == hash_of_bundle(5, dent_isa_available(DENT_ISA_AVX2) ? DENT_ISA_AVX2 : DENT_ISA_AUTO, true));
}

/* What hair weighs, its rigid carrier feels: both fall together, and the sum of their momenta is that of free fall. */
static void rigid_bodies_feel_their_hair(void **state)
{
    (void)state;
    static struct hair hair;
    make_hair(&hair, DENT_SIM_RIGID, 16);
    hair.bodies[0].density = 0.05; /* as light as its hair */
    hair.bodies[0].mesh = DENT_BODY_SURFACE;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_sim *sim = test_sim(context, &hair.def);
    dent_sim_body_info ball, strands;
    dent_sim_body(sim, 0, &ball);
    dent_sim_body(sim, 1, &strands);
    double linear[3] = {1, 0, 0};
    assert_int_equal(dent_sim_set_velocity(sim, 0, linear, NULL), DENT_OK);
    test_steps(sim, 60);
    dent_sim_statistics statistics = dent_sim_get_statistics(sim);
    double mass = ball.mass + strands.mass;
    print_message("ball %.3g kg, hair %.3g kg: momentum %.6g %.2g %.6g\n", ball.mass, strands.mass,
                  statistics.linear_momentum[0] / ball.mass, statistics.linear_momentum[1] / ball.mass,
                  statistics.linear_momentum[2] / mass / 9.81);
    assert_true(fabs(statistics.linear_momentum[0] / ball.mass - 1) < 1e-3);
    assert_true(fabs(statistics.linear_momentum[2] / mass + 9.81) < 0.01);
    const double *x = dent_sim_positions(sim, 1), *y = dent_sim_positions(sim, 0);
    for (uint32_t s = 0; s < hair.count; s++) { /* still rooted */
        uint32_t face = hair.roots[s].face;
        double off = 0;
        for (uint32_t axis = 0; axis < 3; axis++) {
            double middle = 0;
            for (uint32_t k = 0; k < 3; k++) {
                middle += y[3 * (size_t)hair.ball.corners[3 * face + k] + axis] / 3;
            }
            off = fmax(off, fabs(x[3 * (33 * s) + axis] - middle));
        }
        assert_true(off < 1e-4);
    }
    dent_sim_destroy(sim);
    dent_context_destroy(context);
    test_mesh_free(&hair.ball);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cantilevers_bend_like_the_elastica),
        cmocka_unit_test(curls_return_to_their_natural_shape),
        cmocka_unit_test(rings_buckle_at_the_critical_twist),
        cmocka_unit_test(hair_is_stable_at_four_substeps),
        cmocka_unit_test(runs_have_the_same_bits_for_threads_instruction_sets_and_after_a_stop),
        cmocka_unit_test(many_strands_in_contact_have_the_same_bits_for_threads_instruction_sets_and_after_a_stop),
        cmocka_unit_test(rigid_bodies_feel_their_hair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
