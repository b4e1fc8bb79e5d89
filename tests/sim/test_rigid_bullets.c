/* Bullets against a plate of 2 mm: surfaces never cross, at no time. What happens between two substeps is asked of the
 * library itself: the poses of every substep are kept, and `motion-impact` is asked along the motion from each to the
 * next. Poses are read by a prescribed body far away, whose motion function is called in every substep. */
#include "support_physics.h"

#include <dent/motion.h>

#include "sim/step/sim_step.h"

enum { MOST_POSES = 4096, RIGIDS = 2 };

#define TURN 6.283185307179586

struct record {
    const dent_sim *sim;
    dent_rigid_state poses[MOST_POSES][RIGIDS];
    uint32_t count;
};

static void keep_poses(struct record *record)
{
    assert_true(record->count < MOST_POSES);
    memcpy(record->poses[record->count++], record->sim->state.rigids,
           record->sim->model.rigid_count * sizeof(dent_rigid_state));
}

/* The far body stands still; it sees where the substep before ended. */
static void observe(void *user, double time, uint32_t vertex_count, double *positions)
{
    (void)time, (void)vertex_count, (void)positions;
    struct record *record = user;
    if (record->sim) {
        keep_poses(record);
    }
}

/* ---- the question ------------------------------------------------------------------------------------------------ */

static dent_pose pose_of(const dent_rigid_state *state)
{
    dent_pose pose;
    memcpy(pose.rotation, state->orientation, sizeof pose.rotation);
    memcpy(pose.translation, state->center, sizeof pose.translation);
    return pose;
}

/* Impulses act at the beginning of a substep, so velocities on the way are those at its end. Whole turns are those of that
 * spin, for the part of the substep in which the body went as far as it did: it may have been stopped. */
static dent_motion motion_between(const struct record *record, const dent_rigid_state *from, const dent_rigid_state *to)
{
    static const double centre[3] = {0, 0, 0};
    const double *v = to->linear_velocity, *w = to->angular_velocity;
    double h = record->sim->model.substep, way = 0, speed = 0, spin = 0;
    dent_pose start = pose_of(from), end = pose_of(to);
    dent_motion motion;
    dent_context *context = record->sim->model.context;
    assert_int_equal(dent_motion_between(context, &start, &end, DENT_MOTION_CONSTANT_VELOCITY, centre, 0, &motion),
                     DENT_OK);
    for (int k = 0; k < 3; k++) {
        way += motion.displacement[k] * motion.displacement[k];
        speed += v[k] * v[k];
        spin += motion.axis[k] * w[k];
    }
    double length = sqrt(motion.axis[0] * motion.axis[0] + motion.axis[1] * motion.axis[1] +
                         motion.axis[2] * motion.axis[2]);
    double part = speed > 0 ? fmin(1, sqrt(way / speed) / h) : 1;
    double turns = length > 0 ? floor((part * h * spin / length - motion.angle) / TURN + 0.5) : 0;
    assert_int_equal(dent_motion_between(context, &start, &end, DENT_MOTION_CONSTANT_VELOCITY, centre, (int32_t)turns,
                                         &motion),
                     DENT_OK);
    return motion;
}

/* Asks of all pairs of poses that follow one another; the world of the simulation is free for that afterwards. */
static void nothing_touches_on_the_way(const struct record *record, const char *shot)
{
    const struct sim_model *model = &record->sim->model;
    dent_world *world = dent_sim_world((dent_sim *)(uintptr_t)record->sim);
    dent_motion_frame frames[RIGIDS];
    dent_motion_body bodies[RIGIDS];
    dent_motion_impact_def def = dent_motion_impact_def_default();
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        dent_positions local = dent_positions_double(model->rigids[r].local);
        bodies[r] = (dent_motion_body){model->bodies[model->rigids[r].body].id, r};
        assert_int_equal(dent_body_set_positions(world, bodies[r].body, &local, NULL), DENT_OK);
    }
    def.frames = frames;
    def.bodies = bodies;
    def.frame_count = def.body_count = model->rigid_count;
    def.tolerance = 1e-8;
    for (uint32_t n = 0; n + 1 < record->count; n++) {
        dent_motion_impact_result result;
        for (uint32_t r = 0; r < model->rigid_count; r++) {
            frames[r].parent = DENT_FRAME_WORLD;
            frames[r].motion = motion_between(record, &record->poses[n][r], &record->poses[n + 1][r]);
        }
        assert_int_equal(dent_world_motion_impact(world, &def, &result), DENT_OK);
        if (result.verdict != DENT_MOTION_FREE) {
            print_message("%s: %s between poses %u and %u at %.9g of the way\n", shot,
                          dent_motion_verdict_name(result.verdict), n, n + 1, result.t_lo);
        }
        assert_int_equal(result.verdict, DENT_MOTION_FREE);
    }
}

/* ---- shots ------------------------------------------------------------------------------------------------------- */

struct shot {
    dent_sim_body_kind plate;
    bool rod;
    double speed, spin, restitution;
};

static struct test_mesh bullet_of(const struct shot *shot)
{
    const double center[3] = {0.113, 0.117, 0.1};
    if (!shot->rod) {
        return physics_ball(2, 0.02, center);
    }
    struct test_mesh mesh = physics_block((const uint32_t[3]){1, 1, 6}, 0.01, (const double[3]){-0.005, -0.005, -0.03});
    for (uint32_t v = 0; v < mesh.vertex_count; v++) { /* askew */
        double *x = mesh.positions + 3 * v, a = 0.8 * x[0] + 0.6 * x[2], b = 0.8 * x[2] - 0.6 * x[0];
        x[0] = center[0] + a;
        x[1] += center[1];
        x[2] = center[2] + b;
    }
    return mesh;
}

static void shoot(const struct shot *shot, struct record *record)
{
    struct physics physics;
    char name[128];
    snprintf(name, sizeof name, "%s plate, %s, %g m/s, %g rad/s, restitution %g",
             shot->plate == DENT_SIM_RIGID ? "rigid" : "fixed", shot->rod ? "rod" : "ball", shot->speed, shot->spin,
             shot->restitution);
    memset(record, 0, sizeof *record);
    physics_open(&physics, 1);
    physics.def.gravity[2] = 0;
    physics.materials[0].restitution = shot->restitution;
    struct test_mesh plate = physics_block((const uint32_t[3]){1, 1, 1}, 1, (const double[3]){-0.5, -0.5, -0.5});
    for (uint32_t v = 0; v < plate.vertex_count; v++) {
        plate.positions[3 * v + 2] *= 0.002; /* 2 mm thick */
    }
    physics_add(&physics, shot->plate, plate);
    uint32_t bullet = physics_add(&physics, DENT_SIM_RIGID, bullet_of(shot));
    uint32_t far = physics_add(&physics, DENT_SIM_PRESCRIBED,
                               physics_block((const uint32_t[3]){1, 1, 1}, 1, (const double[3]){1e6, 0, 0}));
    physics.bodies[far].motion.function = observe;
    physics.bodies[far].motion.user = record;
    physics.bodies[bullet].linear_velocity[0] = 0.1 * shot->speed;
    physics.bodies[bullet].linear_velocity[2] = -shot->speed;
    physics.bodies[bullet].angular_velocity[1] = shot->spin;
    physics_begin(&physics);
    record->sim = physics.sim;
    double before = dent_sim_get_statistics(physics.sim).kinetic;
    uint32_t steps = (uint32_t)test_count(4, 8, 40);
    for (uint32_t n = 0; n < steps; n++) {
        physics_step(&physics);
    }
    keep_poses(record);
    assert_true(record->count > steps);
    const double *v = record->poses[record->count - 1][record->sim->model.rigid_count - 1].linear_velocity;
    assert_true(v[2] > -0.999 * shot->speed && dent_sim_get_statistics(physics.sim).kinetic <= before * (1 + 1e-9));
    nothing_touches_on_the_way(record, name);
    physics_close(&physics);
}

static void surfaces_of_bullet_and_plate_never_cross_between_substeps(void **state)
{
    (void)state;
    static const double speeds[] = {5, 20, 100, 500, 2000, 10000};
    static const double spins[] = {0, 300, 3000}, restitutions[] = {0, 0.5, 1};
    struct record *record = malloc(sizeof *record);
    uint64_t asked = 0;
    assert_non_null(record);
    for (size_t n = 0; n < sizeof speeds / sizeof speeds[0]; n++) {
        for (uint32_t k = 0; k < 12; k++) {
            struct shot shot = {k % 2 ? DENT_SIM_RIGID : DENT_SIM_PRESCRIBED, k / 2 % 2 == 1, speeds[n], spins[k / 4],
                                restitutions[(k + n) % 3]};
            shoot(&shot, record);
            asked += record->count - 1;
        }
    }
    print_message("%llu motions between substeps: all free\n", (unsigned long long)asked);
    free(record);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(surfaces_of_bullet_and_plate_never_cross_between_substeps)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
