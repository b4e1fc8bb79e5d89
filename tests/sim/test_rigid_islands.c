/* Rigid bodies that touch one another: stacks, mass ratios, overlap, bullets, sleep. */
#define _POSIX_C_SOURCE 200809L

#include "support_physics.h"

#include <unistd.h>

enum { MOST = 40 };

/* The same for every compiler and optimisation level; changes with the arithmetic of rigid contacts. */
#define RIGID_HASH UINT64_C(0x6f24be680b17b1f3)

/* As struct physics of support_physics.h, for more bodies. */
struct pile {
    dent_context *context;
    dent_sim *sim;
    dent_sim_def def;
    dent_sim_material material;
    dent_sim_body_def bodies[MOST];
    struct test_mesh meshes[MOST];
};

static void pile_open(struct pile *pile, uint32_t threads, dent_isa isa)
{
    memset(pile, 0, sizeof *pile);
    pile->context = test_context(threads, isa);
    pile->def = dent_sim_def_default();
    pile->material = dent_sim_material_default();
    pile->def.bodies = pile->bodies;
    pile->def.material_count = 1;
    pile->def.materials = &pile->material;
}

static uint32_t pile_add(struct pile *pile, dent_sim_body_kind kind, struct test_mesh mesh)
{
    uint32_t number = pile->def.body_count++;
    pile->meshes[number] = mesh;
    pile->bodies[number] = test_body(kind, &pile->meshes[number]);
    return number;
}

static void pile_close(struct pile *pile)
{
    dent_sim_destroy(pile->sim);
    for (uint32_t n = 0; n < pile->def.body_count; n++) {
        test_mesh_free(&pile->meshes[n]);
    }
    dent_context_destroy(pile->context);
}

static void pile_begin(struct pile *pile)
{
    pile->sim = test_sim(pile->context, &pile->def);
}

static double fastest_vertex(const dent_sim *sim)
{
    double fastest = 0;
    for (uint32_t b = 0; b < dent_sim_body_count(sim); b++) {
        dent_sim_body_info info;
        const double *v = dent_sim_velocities(sim, b);
        dent_sim_body(sim, b, &info);
        for (uint32_t n = 0; n < info.vertex_count && info.kind != DENT_SIM_PRESCRIBED; n++) {
            fastest =
                fmax(fastest, sqrt(v[3 * n] * v[3 * n] + v[3 * n + 1] * v[3 * n + 1] + v[3 * n + 2] * v[3 * n + 2]));
        }
    }
    return fastest;
}

static double energy(const dent_sim *sim)
{
    dent_sim_statistics statistics = dent_sim_get_statistics(sim);
    return statistics.kinetic + statistics.potential;
}

/* `count` boxes of 0.2 m with gaps of 2 cm between them: farther than they rest. */
static void add_stack(struct pile *pile, int count)
{
    pile_add(pile, DENT_SIM_PRESCRIBED, test_block(4, 4, 1, 0.5, -1, -1, -0.5));
    for (int n = 0; n < count; n++) {
        pile_add(pile, DENT_SIM_RIGID, test_block(1, 1, 1, 0.2, -0.1, -0.1, 0.02 + 0.22 * n));
    }
}

/* ---- stacks ------------------------------------------------------------------------------------------------------ */

static void check_stack(int count, double top, int settle, int steps)
{
    struct pile pile;
    pile_open(&pile, 1, DENT_ISA_AUTO);
    add_stack(&pile, count);
    pile.bodies[count].density = 1000 * top;
    pile.def.sleep = false;
    pile_begin(&pile);
    double before = energy(pile.sim), speed = 0, highest = before;
    for (int n = 0; n < steps; n++) {
        test_steps(pile.sim, 1);
        highest = fmax(highest, energy(pile.sim));
        speed = n >= settle ? fmax(speed, fastest_vertex(pile.sim)) : speed;
    }
    double force = 0, weight = 9.81 * (8.0 * (count - 1) + 8.0 * top);
    uint64_t contacts;
    const dent_sim_contact *contact = dent_sim_contacts(pile.sim, &contacts);
    for (uint64_t i = 0; i < contacts; i++) {
        force += contact[i].body_a == 0 ? -contact[i].force[2] : contact[i].body_b == 0 ? contact[i].force[2] : 0;
    }
    const double *x = dent_sim_positions(pile.sim, (uint32_t)count);
    print_message(
        "%d boxes, the last of %g times the mass: fastest %.3g m/s after %d steps, floor carries %.9g of %.9g "
        "N, energy above its start by %.3g J, top at %.6f %.6f\n",
        count, top, speed, settle, force, weight, highest - before, x[0], x[1]);
    assert_true(speed < 1e-6);
    assert_true(fabs(force - weight) < 5e-3 * weight);
    assert_true(highest - before <= 1e-9 * before);
    assert_true(fabs(x[0] + 0.1) < 1e-3 && fabs(x[1] + 0.1) < 1e-3);
    pile_close(&pile);
}

static void stacks_of_boxes_stand_still_without_sleep(void **state)
{
    (void)state;
    int steps = (int)test_count(140, 600, 3600);
    check_stack(10, 1, 120, steps);
    if (!getenv("DENT_QUICK_TESTS")) {
        check_stack(30, 1, 120, (int)test_count(140, 300, 3600));
    }
}

/* Thirty boxes with tens of contacts on each face, of which a few act: which of them changes with every detection. The
 * tower sways, which stiffness for its layers does not hold, and corners of a box take turns. */
static void a_tower_of_boxes_with_many_contacts_stands_still(void **state)
{
    (void)state;
    struct pile pile;
    int boxes = (int)test_count(12, 30, 30), steps = (int)test_count(130, 170, 3600);
    pile_open(&pile, 1, DENT_ISA_AUTO);
    pile.def.thickness = 0.0005;
    pile.def.sleep = false;
    pile_add(&pile, DENT_SIM_PRESCRIBED, test_block(2, 2, 1, 2, -2, -2, -2));
    for (int n = 0; n < boxes; n++) {
        pile_add(&pile, DENT_SIM_RIGID, test_block(2, 2, 2, 0.1, -0.1, -0.1, 0.2 * n + 0.001 * (n + 1)));
    }
    pile_begin(&pile);
    double speed = 0;
    for (int n = 0; n < steps; n++) {
        test_steps(pile.sim, 1);
        speed = n >= 60 ? fmax(speed, fastest_vertex(pile.sim)) : speed;
    }
    print_message("%d boxes: fastest %.3g m/s after a second\n", boxes, speed);
    assert_true(speed < 3e-8);
    pile_close(&pile);
}

static void a_box_of_a_thousand_times_the_mass_rests_on_a_stack(void **state)
{
    (void)state;
    check_stack(10, 1000, 120, (int)test_count(130, 600, 3600));
}

/* ---- overlap ----------------------------------------------------------------------------------------------------- */

static void boxes_that_overlap_part_slowly_and_gain_no_speed(void **state)
{
    (void)state;
    struct pile pile;
    pile_open(&pile, 1, DENT_ISA_AUTO);
    for (int n = 0; n < 4; n++) { /* a row, 2 cm in one another */
        pile_add(&pile, DENT_SIM_RIGID, test_block(2, 2, 2, 0.1, 0.18 * n, 0.013 * n, 0.007 * n));
    }
    pile.def.gravity[2] = 0;
    pile_begin(&pile);
    double fastest = 0;
    for (int n = 0; n < 90; n++) {
        test_steps(pile.sim, 1);
        fastest = fmax(fastest, fastest_vertex(pile.sim));
    }
    print_message("overlap left %.3g m, fastest %.3g m/s\n", dent_sim_get_statistics(pile.sim).max_penetration,
                  fastest);
    assert_true(dent_sim_get_statistics(pile.sim).max_penetration == 0);
    assert_true(fastest < 0.6);
    pile_close(&pile);
}

static void a_heap_that_starts_in_one_place_is_not_shot_away(void **state)
{
    (void)state;
    struct pile pile;
    uint32_t random = 7;
    pile_open(&pile, 1, DENT_ISA_AUTO);
    pile_add(&pile, DENT_SIM_PRESCRIBED, test_block(3, 3, 1, 0.6, -0.9, -0.9, -0.6));
    for (int n = 0; n < 8; n++) {
        double at[3];
        for (int k = 0; k < 3; k++) {
            random = random * 1664525u + 1013904223u;
            at[k] = 0.1 * ((random >> 8) / 16777216.0 - 0.5);
        }
        pile_add(&pile, DENT_SIM_RIGID, test_block(2, 2, 2, 0.1, at[0] - 0.1, at[1] - 0.1, at[2] + 0.1));
    }
    pile_begin(&pile);
    double fastest = 0, highest = 0;
    for (uint64_t n = 0, steps = test_count(30, 90, 90); n < steps; n++) {
        test_steps(pile.sim, 1);
        fastest = fmax(fastest, fastest_vertex(pile.sim));
        for (uint32_t b = 1; b <= 8; b++) {
            for (uint32_t v = 0; v < 27; v++) {
                highest = fmax(highest, dent_sim_positions(pile.sim, b)[3 * v + 2]);
            }
        }
    }
    print_message("heap: fastest %.3g m/s, highest %.3g m\n", fastest, highest);
    assert_true(highest < 1.6);                      /* the height of all of them on one another */
    assert_true(fastest < sqrt(2 * 9.81 * 1.6) + 1); /* no faster than falling from there */
    pile_close(&pile);
}

/* A stack at rest on the ground, its boxes in one another: they part upwards, and what lifts them is paid for. */
static void boxes_that_are_lifted_out_of_one_another_gain_no_energy(void **state)
{
    (void)state;
    struct pile pile;
    enum { BOXES = 5 };
    pile_open(&pile, 1, DENT_ISA_AUTO);
    pile_add(&pile, DENT_SIM_PRESCRIBED, test_block(4, 4, 1, 0.5, -1, -1, -0.5));
    for (int n = 0; n < BOXES; n++) { /* 8 kg each */
        pile_add(&pile, DENT_SIM_RIGID, test_block(1, 1, 1, 0.2, -0.1 + 0.003 * n, -0.1 + 0.002 * n, 0.01 + 0.19 * n));
    }
    pile.def.thickness = 0.002;
    pile_begin(&pile);
    dent_sim_statistics start = dent_sim_get_statistics(pile.sim), now = start;
    double before = energy(pile.sim) + start.contact, highest = 0, lifted = 0, fastest = 0;
    for (int n = 0; n < 120; n++) {
        test_steps(pile.sim, 1);
        now = dent_sim_get_statistics(pile.sim);
        highest = fmax(highest, energy(pile.sim) + now.contact);
        lifted = fmax(lifted, now.potential - start.potential);
        fastest = fmax(fastest, fastest_vertex(pile.sim));
    }
    print_message("overlap stores %.6g J, %.6g J lift the boxes; energy above its start by %.3g J; fastest %.3g m/s; "
                  "left: %.3g J, %.3g m\n",
                  start.contact, lifted, highest - before, fastest, now.contact, now.max_penetration);
    assert_true(lifted > 5);                        /* layers 1 to 5 by 4, 14, 14 ... mm, less what they fall to the ground */
    assert_true(start.contact < 2 * lifted + 10);   /* no hoard */
    assert_true(highest - before <= 1e-9 * before); /* with what overlap stores */
    assert_true(fastest < 0.5);
    assert_true(now.contact == 0 && now.max_penetration == 0);
    pile_close(&pile);
}

/* ---- bullets ----------------------------------------------------------------------------------------------------- */

static uint64_t crossings(struct pile *pile)
{
    dent_world *world = dent_sim_world(pile->sim);
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = DENT_QUESTION_FACE_FACE;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    return result.face_face.count;
}

static void shoot(dent_sim_body_kind plate, double speed, double spin, double restitution)
{
    struct pile pile;
    pile_open(&pile, 1, DENT_ISA_AUTO);
    pile.material.restitution = restitution;
    pile_add(&pile, plate, physics_block((const uint32_t[3]){1, 1, 1}, 1, (const double[3]){-0.5, -0.5, -0.5}));
    for (uint32_t v = 0; v < pile.meshes[0].vertex_count; v++) {
        pile.meshes[0].positions[3 * v + 2] *= 0.002; /* 2 mm thick */
    }
    uint32_t ball = pile_add(&pile, DENT_SIM_RIGID, test_ball(2, 0.02, 0.113, 0.117, 0.1));
    pile.bodies[ball].linear_velocity[2] = -speed;
    pile.bodies[ball].linear_velocity[0] = 0.1 * speed;
    pile.bodies[ball].angular_velocity[1] = spin;
    pile.def.gravity[2] = 0;
    pile_begin(&pile);
    double before = energy(pile.sim);
    for (int n = 0; n < 40; n++) {
        test_steps(pile.sim, 1);
        assert_int_equal(crossings(&pile), 0);
        if (!(energy(pile.sim) <= before * (1 + 1e-9))) {
            print_message("plate %d, speed %g, spin %g, restitution %g, step %d: energy %.12g of %.12g\n", plate, speed,
                          spin, restitution, n, energy(pile.sim), before);
        }
        assert_true(energy(pile.sim) <= before * (1 + 1e-9));
        if (plate == DENT_SIM_PRESCRIBED) {
            assert_true(dent_sim_positions(pile.sim, ball)[2] > 0.001);
        }
    }
    pile_close(&pile);
}

static void a_bullet_passes_no_plate_at_any_speed(void **state)
{
    (void)state;
    static const double speeds[] = {5, 20, 100, 500, 2000, 10000};
    size_t stride = (size_t)test_count(3, 1, 1);
    for (size_t n = 0; n < sizeof speeds / sizeof speeds[0]; n += stride) {
        shoot(DENT_SIM_PRESCRIBED, speeds[n], 0, 0);
        shoot(DENT_SIM_PRESCRIBED, speeds[n], 300, 0.5);
        shoot(DENT_SIM_RIGID, speeds[n], 0, 0);
        shoot(DENT_SIM_RIGID, speeds[n], 3000, 1);
    }
}

/* ---- friction ---------------------------------------------------------------------------------------------------- */

static double slide(double friction, double slope)
{
    struct pile pile;
    double length = sqrt(1 + slope * slope);
    pile_open(&pile, 1, DENT_ISA_AUTO);
    pile.material.friction_static = pile.material.friction_kinetic = friction;
    pile_add(&pile, DENT_SIM_PRESCRIBED, test_block(8, 4, 1, 0.5, -2, -1, -0.5));
    pile_add(&pile, DENT_SIM_RIGID, test_block(2, 2, 1, 0.1, -0.1, -0.1, 0.02));
    pile.def.gravity[0] = 9.81 * slope / length;
    pile.def.gravity[2] = -9.81 / length;
    pile_begin(&pile);
    test_steps(pile.sim, 30);
    double before = dent_sim_positions(pile.sim, 1)[0];
    test_steps(pile.sim, 60);
    double moved = dent_sim_positions(pile.sim, 1)[0] - before;
    pile_close(&pile);
    return moved;
}

static void a_block_sticks_and_slides_within_half_a_percent_of_the_friction_angle(void **state)
{
    (void)state;
    for (int n = 1; n <= 4; n++) {
        double friction = 0.2 * n, held = slide(friction, 0.995 * friction), went = slide(friction, 1.005 * friction);
        print_message("friction %.1f: %.3g m below the angle, %.3g m above\n", friction, held, went);
        assert_true(fabs(held) < 1e-7);
        assert_true(went > 1e-3);
    }
}

/* ---- momentum ---------------------------------------------------------------------------------------------------- */

static void rigid_bodies_that_collide_keep_momentum_and_angular_momentum(void **state)
{
    (void)state;
    struct pile pile;
    pile_open(&pile, 1, DENT_ISA_AUTO);
    for (int n = 0; n < 5; n++) {
        uint32_t box = pile_add(&pile, DENT_SIM_RIGID, test_block(1, 2, 1, 0.1, 0.25 * n, 0.04 * n, 0.01 * n));
        pile.bodies[box].linear_velocity[0] = 2 - n;
        pile.bodies[box].angular_velocity[n % 3] = 3;
    }
    pile.def.gravity[2] = 0;
    pile.material.restitution = 0.3;
    pile_begin(&pile);
    dent_sim_statistics before = dent_sim_get_statistics(pile.sim);
    uint64_t touching = 0;
    for (int n = 0; n < 60; n++) {
        test_steps(pile.sim, 1);
        touching += dent_sim_get_statistics(pile.sim).touching;
    }
    dent_sim_statistics after = dent_sim_get_statistics(pile.sim);
    assert_true(touching > 0);
    for (int k = 0; k < 3; k++) {
        print_message("momentum %.3g, angular %.3g\n", after.linear_momentum[k] - before.linear_momentum[k],
                      after.angular_momentum[k] - before.angular_momentum[k]);
        assert_true(fabs(after.linear_momentum[k] - before.linear_momentum[k]) < 1e-9);
        assert_true(fabs(after.angular_momentum[k] - before.angular_momentum[k]) < 1e-9);
    }
    assert_true(after.kinetic <= before.kinetic * (1 + 1e-9));
    pile_close(&pile);
}

/* ---- sleep ------------------------------------------------------------------------------------------------------- */

static void sleeping_pile(struct pile *pile, uint32_t threads, dent_isa isa)
{
    static const dent_sim_keyframe keys[3] = {
        {0, {1, 0, 0, 0}, {0, 0, 0}}, {4, {1, 0, 0, 0}, {0, 0, 0}}, {5, {1, 0, 0, 0}, {0, 0, -0.5}}};
    pile_open(pile, threads, isa);
    add_stack(pile, 3);
    uint32_t lift = pile_add(pile, DENT_SIM_PRESCRIBED, test_block(1, 1, 1, 0.5, 2, 2, -0.5));
    pile->bodies[lift].motion.keyframes = keys;
    pile->bodies[lift].motion.keyframe_count = 3;
    pile_add(pile, DENT_SIM_RIGID, test_block(1, 1, 1, 0.2, 2.1, 2.1, 0.01));
    pile_begin(pile);
}

static uint32_t sleeping(const struct pile *pile)
{
    return dent_sim_get_statistics(pile->sim).sleeping;
}

static void bodies_at_rest_sleep_and_wake_by_what_happens_to_them(void **state)
{
    (void)state;
    struct pile pile;
    sleeping_pile(&pile, 1, DENT_ISA_AUTO);
    test_steps(pile.sim, 120);
    assert_int_equal(sleeping(&pile), 4);
    double positions[24], force = 0;
    memcpy(positions, dent_sim_positions(pile.sim, 3), sizeof positions);
    test_steps(pile.sim, 60);
    assert_memory_equal(positions, dent_sim_positions(pile.sim, 3), sizeof positions);
    uint64_t contacts;
    const dent_sim_contact *contact = dent_sim_contacts(pile.sim, &contacts);
    for (uint64_t i = 0; i < contacts; i++) {
        force += contact[i].body_a == 0 ? -contact[i].force[2] : contact[i].body_b == 0 ? contact[i].force[2] : 0;
    }
    assert_true(fabs(force - 3 * 8 * 9.81) < 1e-3 * force); /* also while they sleep */

    const double push[3] = {0.1, 0, 0}, target[3] = {-0.1, -0.1, 0.9}, gravity[3] = {0, 0, -9};
    dent_sim_set_velocity(pile.sim, 3, push, NULL); /* wakes the stack, not the other box */
    test_steps(pile.sim, 1);
    assert_int_equal(sleeping(&pile), 1);
    assert_true(dent_sim_time(pile.sim) < 3.9);
    test_steps(pile.sim, 50);
    assert_int_equal(sleeping(&pile), 4);
    dent_sim_step(pile.sim);
    while (dent_sim_time(pile.sim) < 4.2) { /* the lift goes down under the other box */
        test_steps(pile.sim, 1);
    }
    assert_int_equal(sleeping(&pile), 3);
    assert_true(dent_sim_velocities(pile.sim, 5)[2] < -0.1);
    while (dent_sim_time(pile.sim) < 6.5) {
        test_steps(pile.sim, 1);
    }
    assert_int_equal(sleeping(&pile), 4);
    dent_sim_set_gravity(pile.sim, gravity);
    assert_int_equal(sleeping(&pile), 0);
    test_steps(pile.sim, 60);
    assert_int_equal(sleeping(&pile), 4);
    dent_sim_grab(pile.sim, 3, 0, target);
    test_steps(pile.sim, 2);
    assert_int_equal(sleeping(&pile), 1);
    pile_close(&pile);
}

static void without_sleep_nothing_sleeps(void **state)
{
    (void)state;
    struct pile pile;
    pile_open(&pile, 1, DENT_ISA_AUTO);
    add_stack(&pile, 2);
    pile.def.sleep = false;
    pile_begin(&pile);
    test_steps(pile.sim, 120);
    assert_int_equal(sleeping(&pile), 0);
    pile_close(&pile);
}

static void a_body_that_falls_on_sleepers_wakes_them(void **state)
{
    (void)state;
    struct pile pile;
    pile_open(&pile, 1, DENT_ISA_AUTO);
    add_stack(&pile, 2);
    uint32_t late = pile_add(&pile, DENT_SIM_RIGID, test_block(1, 1, 1, 0.2, -0.05, -0.05, 12));
    pile_begin(&pile);
    test_steps(pile.sim, 60);
    assert_int_equal(sleeping(&pile), 2);
    bool woke = false;
    for (int n = 0; n < 90; n++) {
        test_steps(pile.sim, 1);
        woke = woke || sleeping(&pile) == 0;
        assert_int_equal(crossings(&pile), 0);
    }
    assert_true(woke);
    assert_true(dent_sim_positions(pile.sim, late)[2] < 1);
    pile_close(&pile);
}

/* ---- bits -------------------------------------------------------------------------------------------------------- */

static uint64_t hash_after(uint32_t threads, dent_isa isa, bool resume)
{
    struct pile pile;
    char path[] = "rigid_islands_XXXXXX";
    sleeping_pile(&pile, threads, isa);
    test_steps(pile.sim, 70); /* asleep by then */
    assert_true(sleeping(&pile) > 0);
    if (resume) {
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        assert_int_equal(dent_sim_save(pile.sim, path, NULL, 0), DENT_OK);
        dent_sim_destroy(pile.sim);
        pile_begin(&pile);
        assert_int_equal(dent_sim_load(pile.sim, path), DENT_OK);
        unlink(path);
    }
    const double push[3] = {2, 1, 0}, spin[3] = {0, 5, 3};
    dent_sim_set_velocity(pile.sim, 2, push, spin);
    test_steps(pile.sim, 40);
    uint64_t hash = dent_sim_hash(pile.sim);
    pile_close(&pile);
    return hash;
}

static void islands_have_the_same_bits_for_threads_instruction_sets_and_resumed_runs(void **state)
{
    (void)state;
    uint64_t hash = hash_after(1, DENT_ISA_SCALAR, false);
    print_message("hash %016llx\n", (unsigned long long)hash);
    assert_true(hash_after(2, DENT_ISA_AUTO, false) == hash);
    assert_true(hash_after(5, DENT_ISA_AUTO, false) == hash);
    assert_true(hash_after(1, DENT_ISA_AUTO, true) == hash);
    for (dent_isa isa = DENT_ISA_AVX2; isa < DENT_ISA_COUNT; isa++) {
        assert_true(!dent_isa_available(isa) || hash_after(1, isa, false) == hash);
    }
    assert_true(hash == RIGID_HASH);
}

static void after_warm_up_a_pile_allocates_nothing(void **state)
{
    (void)state;
    struct pile pile;
    pile_open(&pile, 1, DENT_ISA_AUTO);
    add_stack(&pile, 5);
    pile.def.sleep = false;
    pile_begin(&pile);
    test_steps(pile.sim, 60);
    for (int n = 0; n < 10; n++) {
        test_steps(pile.sim, 1);
        assert_int_equal(dent_sim_get_statistics(pile.sim).allocations, 0);
    }
    pile_close(&pile);
}

/* ---- thin bodies ------------------------------------------------------------------------------------------------- */

static void a_thin_body_that_touches_at_the_start_can_move(void **state)
{
    (void)state;
    static const double velocities[2][3] = {{0, 0, 1}, {1, 0, 0}};
    for (int n = 0; n < 2; n++) {
        struct pile pile;
        pile_open(&pile, 1, DENT_ISA_AUTO);
        pile_add(&pile, DENT_SIM_PRESCRIBED, test_block(4, 4, 1, 0.5, -1, -1, -0.5));
        uint32_t box = pile_add(&pile, DENT_SIM_RIGID, test_block(2, 2, 2, 0.125, 0, 0, 0));
        pile.bodies[box].prevent_crossing = true;
        memcpy(pile.bodies[box].linear_velocity, velocities[n], sizeof velocities[n]);
        pile.material.friction_static = pile.material.friction_kinetic = 0;
        pile.def.gravity[2] = 0;
        pile_begin(&pile);
        test_steps(pile.sim, 12);
        const double *x = dent_sim_positions(pile.sim, box);
        print_message("moved %g %g %g\n", x[0], x[1], x[2]);
        assert_true(fabs(x[0] - 0.2 * velocities[n][0]) < 1e-3 && fabs(x[1]) < 1e-3);
        assert_true(n == 1 || fabs(x[2] - 0.2) < 1e-3);
        pile_close(&pile);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks_of_boxes_stand_still_without_sleep),
        cmocka_unit_test(a_tower_of_boxes_with_many_contacts_stands_still),
        cmocka_unit_test(a_box_of_a_thousand_times_the_mass_rests_on_a_stack),
        cmocka_unit_test(boxes_that_overlap_part_slowly_and_gain_no_speed),
        cmocka_unit_test(a_heap_that_starts_in_one_place_is_not_shot_away),
        cmocka_unit_test(boxes_that_are_lifted_out_of_one_another_gain_no_energy),
        cmocka_unit_test(a_bullet_passes_no_plate_at_any_speed),
        cmocka_unit_test(a_block_sticks_and_slides_within_half_a_percent_of_the_friction_angle),
        cmocka_unit_test(rigid_bodies_that_collide_keep_momentum_and_angular_momentum),
        cmocka_unit_test(bodies_at_rest_sleep_and_wake_by_what_happens_to_them),
        cmocka_unit_test(without_sleep_nothing_sleeps),
        cmocka_unit_test(a_body_that_falls_on_sleepers_wakes_them),
        cmocka_unit_test(islands_have_the_same_bits_for_threads_instruction_sets_and_resumed_runs),
        cmocka_unit_test(after_warm_up_a_pile_allocates_nothing),
        cmocka_unit_test(a_thin_body_that_touches_at_the_start_can_move),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
