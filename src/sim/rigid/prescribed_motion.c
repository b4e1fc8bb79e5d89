/* Motion that is told: prescribed bodies and the fixed vertices of elastic ones are put where their keyframes or their
 * function say. It depends on the time alone, so a resumed run continues it without knowing the past. */
#include "sim_rigid.h"

#include <math.h>
#include <string.h>

struct placement {
    double turn[9], translation[3];
};

static double wrapped_time(const dent_sim_motion *motion, double time)
{
    double first = motion->keyframes[0].time, last = motion->keyframes[motion->keyframe_count - 1].time;
    if (!motion->repeat || !(last > first) || time < first) {
        return time;
    }
    double rounds = floor((time - first) / (last - first));
    return time - rounds * (last - first);
}

/* The unit quaternion of a keyframe, whatever its length: squares of very small and very large ones are no numbers. */
static void unit_rotation(const double *rotation, double q[4])
{
    double length = 0, largest = 0;
    for (int k = 0; k < 4; k++) {
        length += rotation[k] * rotation[k];
        largest = fabs(rotation[k]) > largest ? fabs(rotation[k]) : largest;
    }
    bool plain = length > 1e-200 && length < 1e200;
    double unit = plain ? 1 : largest;
    if (!plain) {
        length = 0;
        for (int k = 0; k < 4; k++) {
            length += (rotation[k] / unit) * (rotation[k] / unit);
        }
    }
    for (int k = 0; k < 4; k++) {
        q[k] = rotation[k] / unit / sqrt(length);
    }
}

static struct placement placement_at(const dent_sim_motion *motion, double time)
{
    const dent_sim_keyframe *keys = motion->keyframes;
    time = wrapped_time(motion, time);
    uint32_t next = 0;
    while (next < motion->keyframe_count && keys[next].time <= time) {
        next++;
    }
    const dent_sim_keyframe *a = &keys[next > 0 ? next - 1 : 0];
    const dent_sim_keyframe *b = &keys[next < motion->keyframe_count ? next : motion->keyframe_count - 1];
    double share = b->time > a->time ? (time - a->time) / (b->time - a->time) : 0;
    double qa[4], qb[4], q[4], between = 0, length = 0;
    unit_rotation(a->rotation, qa);
    unit_rotation(b->rotation, qb);
    for (int k = 0; k < 4; k++) {
        between += qa[k] * qb[k];
    }
    for (int k = 0; k < 4; k++) { /* the shorter way round */
        q[k] = (1 - share) * qa[k] + (between < 0 ? -share : share) * qb[k];
        length += q[k] * q[k];
    }
    length = sqrt(length);
    for (int k = 0; k < 4; k++) {
        q[k] = length > 0 ? q[k] / length : qa[k];
    }
    struct placement placement;
    rigid_rotation(q, placement.turn);
    for (int axis = 0; axis < 3; axis++) {
        placement.translation[axis] = a->translation[axis] + share * (b->translation[axis] - a->translation[axis]);
    }
    return placement;
}

void motion_turn(const dent_sim_motion *motion, double time, double turn[9])
{
    struct placement placement = placement_at(motion, time);
    memcpy(turn, placement.turn, sizeof placement.turn);
}

static void place_vertex(const struct sim_body *body, const struct placement *placement, uint32_t vertex, double *x)
{
    double arm[3];
    sim_subtract(body->start + 3 * (size_t)vertex, body->motion.pivot, arm);
    for (int axis = 0; axis < 3; axis++) {
        x[axis] = body->motion.pivot[axis] + sim_dot(placement->turn + 3 * axis, arm) + placement->translation[axis];
    }
}

static void apply_to_body(struct sim_state *state, const struct sim_body *body, double *scratch, double time)
{
    bool whole = body->kind == DENT_SIM_PRESCRIBED;
    uint32_t count = whole ? body->vertex_count : body->fixed_count;
    double *positions = state->positions + 3 * (size_t)body->first_vertex;
    if (count == 0 || (!body->motion.function && body->motion.keyframe_count == 0)) {
        return;
    }
    struct placement placement = {{0}, {0}};
    if (body->motion.function) {
        memcpy(scratch, body->start, 3 * (size_t)body->vertex_count * sizeof(double));
        body->motion.function(body->motion.user, time, body->vertex_count, scratch);
    } else {
        placement = placement_at(&body->motion, time);
    }
    for (uint32_t k = 0; k < count; k++) {
        uint32_t vertex = whole ? k : body->fixed[k];
        double *x = positions + 3 * (size_t)vertex;
        if (body->motion.function) {
            memcpy(x, scratch + 3 * (size_t)vertex, 3 * sizeof *x);
        } else {
            place_vertex(body, &placement, vertex, x);
        }
    }
}

void motion_apply(const struct sim_model *model, struct sim_state *state, double *scratch, double time)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        if (body->kind == DENT_SIM_PRESCRIBED || body->fixed_count > 0) {
            apply_to_body(state, body, scratch, time);
        }
    }
}
