/* Swift bodies that turn: on straight lines their vertices would cut corners, so they are watched along a rigid motion,
 * by the certified question `motion-impact`: the centre goes straight, the body turns about it at constant speed, whole
 * turns included. Everything else moves as in swift_motion.c. The body stops where it comes nearer than `separation` to
 * something; where it began nearer, and does not part, a smaller distance counts, and in the end, where it touches, the
 * contact is left to the solver. */
#include "rigid_islands.h"

#include <math.h>
#include <string.h>

/* MOST_WORK: a grazing turn is not followed to the end; what is undecided is stopped before. */
enum { TURNING_ROUNDS = 12, MOST_TURNS = 150, MOST_WORK = 300000 };

/* Turns below this angle leave a straight line by less than a thousandth of the radius. */
#define LEAST_ANGLE 0.05

/* Placed before the last tolerance a query accepts. */
#define LEAST_TOLERANCE 1e-6

double turning_angle(const struct sim_model *model, const dent_rigid_state *pose)
{
    return model->substep * sqrt(sim_dot(pose->angular_velocity, pose->angular_velocity));
}

static dent_pose pose_of(const dent_rigid_state *state)
{
    dent_pose pose;
    memcpy(pose.rotation, state->orientation, sizeof pose.rotation);
    memcpy(pose.translation, state->center, sizeof pose.translation);
    return pose;
}

/* The motion from pose to pose; the spin tells about which side, and how often. */
static dent_status motion_of(const struct sim_model *model, const dent_rigid_state *from, const dent_rigid_state *to,
                             dent_motion *motion)
{
    dent_pose start = pose_of(from), end = pose_of(to);
    static const double centre[3] = {0, 0, 0};
    dent_status status =
        dent_motion_between(model->context, &start, &end, DENT_MOTION_CONSTANT_VELOCITY, centre, 0, motion);
    if (status != DENT_OK) {
        return status;
    }
    double about = sim_dot(motion->axis, to->angular_velocity) * model->substep;
    double length = sqrt(sim_dot(motion->axis, motion->axis));
    double turns = length > 0 ? floor((about / length - motion->angle) / 6.283185307179586 + 0.5) : 0;
    turns = turns > MOST_TURNS ? MOST_TURNS : turns < -MOST_TURNS ? -MOST_TURNS : turns;
    return dent_motion_between(model->context, &start, &end, DENT_MOTION_CONSTANT_VELOCITY, centre, (int32_t)turns,
                               motion);
}

uint32_t turning_begin(const struct sim_model *model, const struct sim_state *state, struct swift_motion *swift)
{
    swift->turning_count = 0;
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        const struct sim_body *body = &model->bodies[model->rigids[r].body];
        swift->turning[r] = SIM_NONE;
        if (!state->rest[r].asleep && !body->thin && !swift->overlaps[model->rigids[r].body] &&
            turning_angle(model, &state->rigids[r]) > LEAST_ANGLE) {
            uint32_t n = swift->turning_count;
            dent_motion_frame *frame = &swift->frames[n];
            frame->parent = DENT_FRAME_WORLD;
            if (motion_of(model, &swift->poses[r], &state->rigids[r], &frame->motion) == DENT_OK) {
                swift->turning[r] = n;
                swift->attached[n] = (dent_motion_body){body->id, n};
                swift->turning_count++;
            }
        }
    }
    return swift->turning_count;
}

/* Local coordinates for what turns, ends of straight lines for the rest. */
static dent_status set_positions(const struct sim_model *model, const struct sim_state *state, dent_world *world,
                                 const struct swift_motion *swift)
{
    dent_status status = world_set_positions(model, world, swift->start, state->positions);
    for (uint32_t r = 0; r < model->rigid_count && status == DENT_OK; r++) {
        if (swift->turning[r] != SIM_NONE) {
            dent_positions local = dent_positions_double(model->rigids[r].local);
            status = dent_body_set_positions(world, model->bodies[model->rigids[r].body].id, &local, NULL);
        }
    }
    return status;
}

void turning_shorten(const struct sim_model *model, struct sim_state *state, struct swift_motion *swift, uint32_t rigid,
                     double share)
{
    dent_motion *motion = &swift->frames[swift->turning[rigid]].motion;
    dent_rigid_state *pose = &state->rigids[rigid];
    motion->angle *= share;
    for (int k = 0; k < 3; k++) {
        motion->displacement[k] *= share;
    }
    dent_pose end = dent_motion_at(motion, 1);
    memcpy(pose->orientation, end.rotation, sizeof pose->orientation);
    memcpy(pose->center, end.translation, sizeof pose->center);
    if (share == 0) { /* the very bits of the beginning */
        memcpy(pose->orientation, swift->poses[rigid].orientation, sizeof pose->orientation);
        memcpy(pose->center, swift->poses[rigid].center, sizeof pose->center);
    }
    swift->fractions[rigid] *= share;
    rigid_keep_spin(model, rigid, &swift->wanted[rigid], pose);
}

/* Stops both bodies of a contact at `share` of their ways, and what joints hold together with them. */
static void stop_pair(const struct sim_model *model, struct sim_state *state, struct swift_motion *swift,
                      const uint32_t bodies[2], double share, struct step_report *report)
{
    uint32_t groups[2];
    for (int s = 0; s < 2; s++) {
        uint32_t rigid = model->bodies[bodies[s]].rigid;
        groups[s] = rigid == SIM_NONE ? SIM_NONE : swift->groups[rigid];
    }
    for (uint32_t r = 0; r < model->rigid_count; r++) {
        if (swift->groups[r] == groups[0] || swift->groups[r] == groups[1]) {
            swift_shorten(model, state, swift, r, share, report);
        }
    }
    rigid_place_vertices(model, state);
}

static uint32_t exclude_joints(const struct sim_model *model, struct swift_motion *swift)
{
    uint32_t count = 0;
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const struct sim_joint *joint = &model->joints[n];
        uint32_t other = joint->rigid[1] != SIM_NONE ? model->rigids[joint->rigid[1]].body : joint->frame;
        if (other != SIM_NONE && !joint->collide) {
            swift->excluded[count++] =
                (dent_excluded_pair){model->bodies[model->rigids[joint->rigid[0]].body].id, model->bodies[other].id};
        }
    }
    return count;
}

dent_status turning_limit(const struct sim_model *model, struct sim_state *state, struct contact_search *search,
                          struct swift_motion *swift, double separation, struct step_report *report, bool *stopped)
{
    double tolerance = separation;
    dent_motion_impact_def def = dent_motion_impact_def_default();
    def.frames = swift->frames;
    def.frame_count = def.body_count = swift->turning_count;
    def.bodies = swift->attached;
    def.excluded = swift->excluded;
    uint32_t joined = exclude_joints(model, swift);
    def.excluded_count = joined;
    def.first_contact_only = true;
    def.ignore_thin = true; /* these never cross by the safe motion */
    def.work_limit = MOST_WORK;
    for (uint32_t round = 0; round < TURNING_ROUNDS; round++) {
        dent_motion_impact_result found;
        def.tolerance = tolerance;
        dent_status status = set_positions(model, state, search->world, swift);
        status = status == DENT_OK ? dent_world_motion_impact(search->world, &def, &found) : status;
        if (status != DENT_OK) {
            return dent_fail(model->context, status, "motions of step %llu: %s", (unsigned long long)state->step,
                             dent_world_message(search->world));
        }
        if (found.verdict == DENT_MOTION_FREE || found.body_a == UINT32_MAX) {
            return DENT_OK;
        }
        uint32_t bodies[2] = {found.body_a, found.body_b};
        if (found.t_lo > 1e-9) {
            bool last = round + 1 == TURNING_ROUNDS;
            stop_pair(model, state, swift, bodies,
                      last                     ? 0
                      : tolerance < separation ? 0.9 * found.t_lo
                                               : found.t_lo,
                      report);
            report->statistics.impacts++;
            *stopped = true;
        } else if (tolerance > LEAST_TOLERANCE * model->mean_edge && !found.initial) {
            tolerance *= 1.0 / 16;
        } else if (def.excluded_count == joined) {
            swift->excluded[def.excluded_count++] =
                (dent_excluded_pair){model->bodies[bodies[0]].id, model->bodies[bodies[1]].id};
            tolerance = separation;
        } else {
            return DENT_OK;
        }
    }
    return DENT_OK;
}
