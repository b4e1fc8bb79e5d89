/* Loads in a substep: which forces they are, and the work they do.
 *
 * Forces that keep their direction have a potential and go into the targets of the minimisation, as gravity does.
 *
 * A follower pushes with p n / 6 on each corner of a face, n its normal of twice its area as it is now. Its work on a
 * straight way is p times the volume that the face sweeps, a polynomial of degree three. Where the faces close a volume,
 * or their border stays in place, the sum of these is p times the change of that volume: a potential, and the
 * minimisation finds its minimum. Elsewhere there is none: every Newton step pushes with the forces where it begins, and
 * goes as far as the work on its own way allows. On rigid bodies it acts as at the beginning of the substep. */
#include "load_model.h"

#include <dent/response.h>

#include <string.h>

double course_at(const struct load_course *course, double time)
{
    const dent_sim_time_value *rows = course->rows;
    if (course->count == 0) {
        return 1;
    }
    uint32_t low = 0, high = course->count; /* the first row after the time */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (rows[middle].time <= time) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == 0 || low == course->count) {
        return rows[low == 0 ? 0 : low - 1].value;
    }
    double share = (time - rows[low - 1].time) / (rows[low].time - rows[low - 1].time);
    return rows[low - 1].value + share * (rows[low].value - rows[low - 1].value);
}

/* Twice its area, along the outer normal. */
static void face_normal(const uint32_t *face, const double *positions, double normal[3])
{
    double e1[3], e2[3];
    sim_subtract(positions + 3 * (size_t)face[1], positions + 3 * (size_t)face[0], e1);
    sim_subtract(positions + 3 * (size_t)face[2], positions + 3 * (size_t)face[0], e2);
    sim_cross(e1, e2, normal);
}

/* Adds factor p n / 6 on each corner of all faces of a load to 3 numbers per vertex. */
static void add_faces(const struct sim_load *load, double factor, const double *positions, double *out)
{
    for (uint32_t f = 0; f < load->face_count; f++) {
        const uint32_t *face = load->faces + 3 * (size_t)f;
        double normal[3];
        face_normal(face, positions, normal);
        for (int k = 0; k < 3; k++) {
            sim_add_scaled(out + 3 * (size_t)face[k], factor * load->pressure / 6, normal);
        }
    }
}

/* ---- forces ------------------------------------------------------------------------------------------------------ */

/* The mean arm while a body turns by w: that of Cayley's rotation, (I - W/2)^-1 arm. With it the moment does the work of
 * the force on the way of its point, however fast the body spins. */
static void mean_arm(const double w[3], double arm[3])
{
    double crossed[3], along = sim_dot(w, arm), scale = 1 / (1 + 0.25 * sim_dot(w, w));
    sim_cross(w, arm, crossed);
    for (int axis = 0; axis < 3; axis++) {
        arm[axis] = scale * (arm[axis] + 0.5 * crossed[axis] + 0.25 * along * w[axis]);
    }
}

void loads_add_to_rigid(const struct sim_model *model, const struct sim_state *state, struct load_work *work,
                        uint32_t rigid, const double place[3], const double force[3])
{
    const dent_rigid_state *pose = &state->rigids[rigid];
    double arm[3], moment[3], turn[3] = {0, 0, 0}, *six = work->rigids + 6 * (size_t)rigid;
    sim_subtract(place, pose->center, arm);
    sim_add_scaled(turn, model->substep, pose->angular_velocity);
    mean_arm(turn, arm);
    sim_cross(arm, force, moment);
    sim_add_scaled(six, 1, force);
    sim_add_scaled(six + 3, 1, moment);
}

static void push_rigid(const struct sim_model *model, const struct sim_state *state, struct load_work *work,
                       const struct sim_load *load, double factor)
{
    for (int k = 0; k < 6; k++) {
        work->rigids[6 * (size_t)load->rigid + (size_t)k] += factor * load->whole[k];
    }
    for (uint32_t n = 0; n < load->vertex_count; n++) {
        double force[3] = {0, 0, 0};
        sim_add_scaled(force, factor, load->forces + 3 * (size_t)n);
        loads_add_to_rigid(model, state, work, load->rigid, state->positions + 3 * (size_t)load->vertices[n], force);
    }
    for (uint32_t f = 0; f < load->face_count; f++) {
        const uint32_t *face = load->faces + 3 * (size_t)f;
        double normal[3], force[3] = {0, 0, 0};
        face_normal(face, state->positions, normal);
        sim_add_scaled(force, -factor * load->pressure / 6, normal);
        for (int k = 0; k < 3; k++) {
            loads_add_to_rigid(model, state, work, load->rigid, state->positions + 3 * (size_t)face[k], force);
        }
    }
}

void loads_begin(const struct sim_model *model, const struct sim_state *state, struct load_work *work, double time)
{
    const struct sim_loads *loads = model->loads;
    if (!work->forces) {
        return;
    }
    memset(work->forces, 0, 3 * (size_t)model->vertex_count * sizeof *work->forces);
    memset(work->rigids, 0, 6 * (size_t)model->rigid_count * sizeof *work->rigids);
    for (uint32_t l = 0; l < loads->load_count; l++) {
        const struct sim_load *load = &loads->loads[l];
        double factor = work->factors[l] = course_at(&load->course, time);
        if (load->rigid != SIM_NONE) {
            push_rigid(model, state, work, load, factor);
            continue;
        }
        for (uint32_t n = 0; n < load->vertex_count; n++) {
            sim_add_scaled(work->forces + 3 * (size_t)load->vertices[n], factor, load->forces + 3 * (size_t)n);
        }
    }
}

void loads_push_rigids(const struct sim_model *model, struct sim_state *state, const struct load_work *work)
{
    for (uint32_t r = 0; r < model->rigid_count && work->forces; r++) {
        if (state->rest[r].asleep) {
            continue;
        }
        const double *six = work->rigids + 6 * (size_t)r;
        dent_rigid_state *pose = &state->rigids[r];
        double inverse[9];
        dent_rigid_inverse_inertia(pose, inverse);
        sim_add_scaled(pose->linear_velocity, model->substep / model->rigids[r].mass, six);
        for (int axis = 0; axis < 3; axis++) {
            pose->angular_velocity[axis] += model->substep * sim_dot(inverse + 3 * axis, six + 3);
        }
    }
}

void loads_aim(const struct sim_model *model, const struct load_work *work, const double *inertia, double *targets)
{
    for (uint32_t v = 0; v < model->vertex_count && work->forces; v++) {
        if (inertia[v] > 0) {
            sim_add_scaled(targets + 3 * (size_t)v, 1 / inertia[v], work->forces + 3 * (size_t)v);
        }
    }
}

void loads_add_gradient(const struct sim_model *model, const struct load_work *work, const double *positions,
                        double *gradient)
{
    for (uint32_t l = 0; l < model->loads->load_count && model->loads->has_followers; l++) {
        const struct sim_load *load = &model->loads->loads[l];
        if (load->rigid == SIM_NONE) {
            add_faces(load, work->factors[l], positions, gradient);
        }
    }
}

void loads_total(const struct sim_model *model, const double *positions, struct load_work *work)
{
    if (!work->forces) {
        return;
    }
    memcpy(work->total, work->forces, 3 * (size_t)model->vertex_count * sizeof *work->total);
    for (uint32_t l = 0; l < model->loads->load_count && model->loads->has_followers; l++) {
        const struct sim_load *load = &model->loads->loads[l];
        if (load->rigid == SIM_NONE) {
            add_faces(load, -work->factors[l], positions, work->total);
        }
    }
}

double loads_square(const struct sim_model *model, const struct load_work *work)
{
    double sum = 0;
    for (uint32_t v = 0; v < model->vertex_count && work->total; v++) {
        sum += model->inverse_masses[v] * sim_dot(work->total + 3 * (size_t)v, work->total + 3 * (size_t)v);
    }
    return sum;
}

/* ---- work -------------------------------------------------------------------------------------------------------- */

/* The volume that a face sweeps on straight ways of its corners, to its outer side. */
static double swept_volume(double corners[3][3], double ways[3][3])
{
    double e1[3], e2[3], d1[3], d2[3], first[3], second[3], third[3], fourth[3], sum = 0;
    sim_subtract(corners[1], corners[0], e1);
    sim_subtract(corners[2], corners[0], e2);
    sim_subtract(ways[1], ways[0], d1);
    sim_subtract(ways[2], ways[0], d2);
    sim_cross(e1, e2, first);
    sim_cross(e1, d2, second);
    sim_cross(d1, e2, third);
    sim_cross(d1, d2, fourth);
    for (int axis = 0; axis < 3; axis++) {
        double mean = first[axis] + 0.5 * (second[axis] + third[axis]) + fourth[axis] / 3;
        sum += mean * (ways[0][axis] + ways[1][axis] + ways[2][axis]);
    }
    return sum / 6;
}

double loads_change(const struct sim_model *model, const struct load_work *work, const double *from,
                    const double *moved)
{
    double sum = 0;
    for (uint32_t l = 0; l < model->loads->load_count && model->loads->has_followers; l++) {
        const struct sim_load *load = &model->loads->loads[l];
        double volume = 0;
        for (uint32_t f = 0; f < load->face_count && load->rigid == SIM_NONE; f++) {
            double corners[3][3], ways[3][3];
            for (int k = 0; k < 3; k++) {
                size_t v = load->faces[3 * (size_t)f + (size_t)k];
                memcpy(corners[k], from + 3 * v, sizeof corners[k]);
                memcpy(ways[k], moved + 3 * v, sizeof ways[k]);
            }
            volume += swept_volume(corners, ways);
        }
        sum += work->factors[l] * load->pressure * volume;
    }
    return sum;
}

/* Where a vertex is; of a rigid body, by its pose. */
static void place_of(const struct sim_model *model, uint32_t rigid, uint32_t vertex, const double *positions,
                     const dent_rigid_state *poses, double place[3])
{
    if (rigid == SIM_NONE) {
        memcpy(place, positions + 3 * (size_t)vertex, 3 * sizeof *place);
        return;
    }
    const struct sim_rigid *body = &model->rigids[rigid];
    const double *local = body->local + 3 * (size_t)(vertex - model->bodies[body->body].first_vertex);
    double turn[9];
    rigid_rotation(poses[rigid].orientation, turn);
    for (int axis = 0; axis < 3; axis++) {
        place[axis] = poses[rigid].center[axis] + sim_dot(turn + 3 * axis, local);
    }
}

static void way_of(const struct sim_model *model, const struct sim_load *load, uint32_t vertex,
                   const struct load_way *way, double from[3], double moved[3])
{
    double to[3];
    place_of(model, load->rigid, vertex, way->from, way->rigids_from, from);
    place_of(model, load->rigid, vertex, way->to, way->rigids_to, to);
    sim_subtract(to, from, moved);
}

static double work_of(const struct sim_model *model, const struct sim_load *load, const struct load_way *way)
{
    double sum = 0, volume = 0;
    for (uint32_t n = 0; n < load->vertex_count; n++) {
        double from[3], moved[3];
        way_of(model, load, load->vertices[n], way, from, moved);
        sum += sim_dot(load->forces + 3 * (size_t)n, moved);
    }
    for (uint32_t f = 0; f < load->face_count; f++) {
        double corners[3][3], ways[3][3];
        for (int k = 0; k < 3; k++) {
            way_of(model, load, load->faces[3 * (size_t)f + (size_t)k], way, corners[k], ways[k]);
        }
        volume += swept_volume(corners, ways);
    }
    if (load->rigid != SIM_NONE) {
        /* Moments by the mean spin: a turn is known up to whole turns only. */
        const dent_rigid_state *before = &way->rigids_from[load->rigid], *after = &way->rigids_to[load->rigid];
        double moved[3], turn[3] = {0, 0, 0};
        dent_rigid_state between = *after;
        sim_subtract(after->center, before->center, moved);
        if (way->placed) {
            dent_rigid_velocity_between(before, &between, 1);
            memcpy(turn, between.angular_velocity, sizeof turn);
        } else {
            sim_add_scaled(turn, 0.5 * model->substep, before->angular_velocity);
            sim_add_scaled(turn, 0.5 * model->substep, after->angular_velocity);
        }
        sum += sim_dot(load->whole, moved) + sim_dot(load->whole + 3, turn);
    }
    return sum - load->pressure * volume;
}

double loads_work(const struct sim_model *model, const struct load_work *work, const struct load_way *way,
                  const uint8_t *rigid_active)
{
    double sum = 0;
    for (uint32_t l = 0; l < model->loads->load_count; l++) {
        const struct sim_load *load = &model->loads->loads[l];
        if (load->rigid == SIM_NONE || !rigid_active || rigid_active[load->rigid]) {
            sum += work->factors[l] * work_of(model, load, way);
        }
    }
    return sum;
}
