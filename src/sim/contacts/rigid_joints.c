/* Joints as rows of the island solver.
 *
 * A substep must lead to where the joint holds, although points of bodies that turn move on arcs. So the equations of the
 * push are those of its end to second order,
 *
 *     h (u_a - u_b) + h^2/2 (w_a x (w_a x r_a) - w_b x (w_b x r_b)) = 0,
 *
 * and when the poses are known, velocities are projected on what the joint allows there (RATTLE, Andersen 1983): a
 * pendulum keeps its energy. What error is left, of third order, is taken out as overlap is: by displacements. */
#include "rigid_islands.h"

#include <math.h>
#include <string.h>

enum { SLOT_AXIAL = 6, SLOT_LOWER = 7, SLOT_UPPER = 8, SLOT_DAMPING = 9, SLOT_FRICTION = 10 };

/* Errors below this share of a mean edge are left. */
#define ERROR_SHARE 1e-10
/* Position motors aim to be there after so many substeps. */
#define APPROACH_SUBSTEPS 10
/* Turns in a substep up to which arcs are followed. */
#define MOST_BEND 0.5
#define TURN 6.283185307179586

uint32_t joint_owner(const struct sim_model *model, const struct sim_joint *joint)
{
    return model->rigids[joint->rigid[0]].body;
}

static uint32_t equation_count(const struct sim_joint *joint)
{
    switch (joint->kind) {
    case DENT_SIM_JOINT_FIXED:
        return 6;
    case DENT_SIM_JOINT_HINGE:
    case DENT_SIM_JOINT_SLIDER:
        return 5;
    case DENT_SIM_JOINT_BALL:
        return 3;
    default:
        return 0;
    }
}

static bool has_axial_row(const struct sim_joint *joint)
{
    return joint->kind == DENT_SIM_JOINT_SPRING || joint->motor != DENT_SIM_MOTOR_NONE;
}

/* Of springs damping is part of the axial row. */
static bool has_slot(const struct sim_joint *joint, uint32_t slot)
{
    return slot < SLOT_AXIAL        ? slot < equation_count(joint)
           : slot == SLOT_AXIAL     ? has_axial_row(joint)
           : slot == SLOT_DAMPING   ? joint->kind != DENT_SIM_JOINT_SPRING && joint->damping > 0
           : slot == SLOT_FRICTION  ? joint->friction > 0
                                    : joint->limited;
}

uint32_t joint_row_count(const struct sim_joint *joint)
{
    uint32_t count = 0;
    for (uint32_t slot = 0; slot < JOINT_ROWS; slot++) {
        count += has_slot(joint, slot) ? 1 : 0;
    }
    return count;
}

void joint_place_rows(const struct sim_model *model, uint32_t number, struct rigid_islands *islands,
                      struct island *island)
{
    const struct sim_joint *joint = &model->joints[number];
    for (uint32_t slot = 0; slot < JOINT_ROWS; slot++) {
        if (has_slot(joint, slot)) {
            struct joint_row *row = &islands->joints[island->first_joint + island->joint_count++];
            *row = (struct joint_row){.joint = number, .slot = slot, .pair = SIM_NONE, .arm = 1};
            for (int s = 0; s < 2; s++) {
                row->side[s] =
                    joint->rigid[s] == SIM_NONE ? SIM_NONE : islands->slots[joint->rigid[s]] - island->first_body;
            }
        }
    }
}

/* ---- where a joint is -------------------------------------------------------------------------------------------- */

struct joint_place {
    double points[2][3];  /* on a, on b */
    double arms[2][3];    /* from the centres to where forces act */
    double axes[2][3][3]; /* axis, across, third of each side, in space now */
    double apart[3];      /* a - b */
    double bend[3];       /* second derivative of `apart` by the spins */
    double length;        /* of springs */
    double along[3];      /* their direction, from b to a */
};

static void place_side(const struct sim_joint *joint, int side, const dent_rigid_state *poses, double substep,
                       struct joint_place *place, double bend[3])
{
    const double *local = joint->local[side], *directions[3] = {joint->axis, joint->across, joint->third};
    uint32_t rigid = joint->rigid[side];
    bend[0] = bend[1] = bend[2] = 0;
    if (rigid == SIM_NONE) {
        memcpy(place->points[side], local, 3 * sizeof *local);
        for (int n = 0; n < 3; n++) {
            memcpy(place->axes[side][n], directions[n], 3 * sizeof *local);
        }
        return;
    }
    double turn[9], arm[3], spin[3];
    const dent_rigid_state *pose = &poses[rigid];
    rigid_rotation(pose->orientation, turn);
    for (int i = 0; i < 3; i++) {
        arm[i] = sim_dot(turn + 3 * i, local);
        place->points[side][i] = pose->center[i] + arm[i];
        for (int n = 0; n < 3; n++) {
            place->axes[side][n][i] = sim_dot(turn + 3 * i, directions[n]);
        }
    }
    sim_cross(pose->angular_velocity, arm, spin);
    sim_cross(pose->angular_velocity, spin, bend);
    double angle = substep * sqrt(sim_dot(pose->angular_velocity, pose->angular_velocity));
    for (int i = 0; i < 3 && angle > MOST_BEND; i++) { /* an arc is no parabola then */
        bend[i] *= (MOST_BEND / angle) * (MOST_BEND / angle);
    }
}

static void find_place(const struct sim_joint *joint, const dent_rigid_state *poses, double substep,
                       struct joint_place *place)
{
    double bends[2][3];
    for (int s = 0; s < 2; s++) {
        place_side(joint, s, poses, substep, place, bends[s]);
    }
    sim_subtract(place->points[0], place->points[1], place->apart);
    sim_subtract(bends[0], bends[1], place->bend);
    place->length = sqrt(sim_dot(place->apart, place->apart));
    for (int i = 0; i < 3; i++) {
        place->along[i] = place->length > 0 ? place->apart[i] / place->length : 0;
    }
    for (int s = 0; s < 2; s++) {
        bool own = joint->kind == DENT_SIM_JOINT_SPRING, first = joint->kind == DENT_SIM_JOINT_SLIDER;
        for (int i = 0; i < 3 && joint->rigid[s] != SIM_NONE; i++) {
            double middle = first ? place->points[0][i] : 0.5 * (place->points[0][i] + place->points[1][i]);
            place->arms[s][i] = (own ? place->points[s][i] : middle) - poses[joint->rigid[s]].center[i];
        }
    }
}

/* The rotation of a relative to b since the start, as a vector in space. */
static void relative_turn(const struct sim_joint *joint, const dent_rigid_state *poses, double turn[3])
{
    double a[4] = {1, 0, 0, 0}, b[4] = {1, 0, 0, 0};
    memcpy(a, poses[joint->rigid[0]].orientation, sizeof a);
    if (joint->rigid[1] != SIM_NONE) {
        memcpy(b, poses[joint->rigid[1]].orientation, sizeof b);
    }
    double w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], sign = w < 0 ? -2 : 2;
    turn[0] = sign * (-a[0] * b[1] + a[1] * b[0] - a[2] * b[3] + a[3] * b[2]);
    turn[1] = sign * (-a[0] * b[2] + a[1] * b[3] + a[2] * b[0] - a[3] * b[1]);
    turn[2] = sign * (-a[0] * b[3] - a[1] * b[2] + a[2] * b[1] + a[3] * b[0]);
}

/* The angle of (x, y), in [-pi, pi], by halving it three times and Taylor's series: the same bits on every machine, which
 * atan2 does not promise. */
static double angle_of(double y, double x)
{
    double size = sqrt(x * x + y * y), tangent = size > 0 ? fabs(y) / (size + fabs(x)) : 0, sum = 0;
    tangent /= 1 + sqrt(1 + tangent * tangent);
    tangent /= 1 + sqrt(1 + tangent * tangent);
    double square = tangent * tangent;
    for (int n = 21; n >= 1; n -= 2) {
        sum = 1.0 / n - square * sum;
    }
    double angle = 8 * tangent * sum;
    angle = x < 0 ? 0.5 * TURN - angle : angle;
    return y < 0 ? -angle : angle;
}

static double position_of(const struct sim_joint *joint, const struct joint_place *place, double last)
{
    if (joint->kind == DENT_SIM_JOINT_SPRING) {
        return place->length;
    }
    if (joint->kind == DENT_SIM_JOINT_SLIDER) {
        return sim_dot(place->apart, place->axes[1][0]);
    }
    if (joint->kind != DENT_SIM_JOINT_HINGE) {
        return 0;
    }
    double angle =
        angle_of(sim_dot(place->axes[0][1], place->axes[1][2]), sim_dot(place->axes[0][1], place->axes[1][1]));
    return angle + TURN * floor((last - angle) / TURN + 0.5);
}

double joint_stored(const struct sim_joint *joint, const dent_rigid_state *poses)
{
    if (joint->kind != DENT_SIM_JOINT_SPRING) {
        return 0;
    }
    struct joint_place place = {0};
    find_place(joint, poses, 0, &place);
    return 0.5 * joint->stiffness * (place.length - joint->length) * (place.length - joint->length);
}

double joints_stored(const struct sim_model *model, const dent_rigid_state *poses)
{
    double sum = 0;
    for (uint32_t n = 0; n < model->joint_count; n++) {
        sum += joint_stored(&model->joints[n], poses);
    }
    return sum;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

static void linear_row(struct joint_row *row, const struct joint_place *place, const double *direction)
{
    for (int s = 0; s < 2; s++) {
        double sign = s == 0 ? 1 : -1, moment[3];
        sim_cross(place->arms[s], direction, moment);
        for (int k = 0; k < 3; k++) {
            row->along[s][k] = sign * direction[k];
            row->along[s][3 + k] = sign * moment[k];
        }
    }
    row->arm = 1;
}

static void angular_row(struct joint_row *row, const double *direction, double radius)
{
    for (int s = 0; s < 2; s++) {
        for (int k = 0; k < 3; k++) {
            row->along[s][k] = 0;
            row->along[s][3 + k] = (s == 0 ? 1 : -1) * direction[k];
        }
    }
    row->arm = radius;
}

/* The direction of an equation, and its error. */
static double equation(const struct sim_joint *joint, const dent_rigid_state *poses, const struct joint_place *place,
                       double radius, struct joint_row *row, double *bend)
{
    static const double space[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    bool slides = joint->kind == DENT_SIM_JOINT_SLIDER;
    uint32_t linear = slides ? 2 : 3;
    *bend = 0;
    if (row->slot < linear) {
        const double *direction = slides ? place->axes[1][1 + row->slot] : space[row->slot];
        linear_row(row, place, direction);
        *bend = slides ? 0 : sim_dot(direction, place->bend);
        return sim_dot(direction, place->apart);
    }
    uint32_t n = row->slot - linear;
    double turned[3];
    if (joint->kind == DENT_SIM_JOINT_HINGE) {
        const double *direction = place->axes[1][1 + n];
        sim_cross(place->axes[1][0], place->axes[0][0], turned);
        angular_row(row, direction, radius);
        return sim_dot(direction, turned);
    }
    relative_turn(joint, poses, turned);
    angular_row(row, space[n], radius);
    return turned[n];
}

static void axial_direction(const struct sim_joint *joint, const struct joint_place *place, double radius,
                            struct joint_row *row)
{
    if (joint->kind == DENT_SIM_JOINT_HINGE) {
        angular_row(row, place->axes[1][0], radius);
    } else {
        linear_row(row, place, joint->kind == DENT_SIM_JOINT_SPRING ? place->along : place->axes[1][0]);
    }
}

static void motor_row(const struct sim_model *model, const struct sim_joint *joint, const struct joint_state *state,
                      double position, struct joint_row *row)
{
    double h = model->substep, most = h * joint->max_force;
    if (joint->motor == DENT_SIM_MOTOR_FORCE) { /* whatever the speed: bounds that are one */
        double impulse = h * state->target;
        row->target = 0;
        row->lower = row->upper = impulse > most ? most : impulse < -most ? -most : impulse;
        return;
    }
    double wanted = (state->target - position) / (APPROACH_SUBSTEPS * h);
    wanted = wanted > joint->max_speed ? joint->max_speed : wanted < -joint->max_speed ? -joint->max_speed : wanted;
    row->target = joint->motor == DENT_SIM_MOTOR_VELOCITY ? state->target : wanted;
    row->upper = most;
    row->lower = -most;
}

/* Damping is of the speed at the end of the substep; friction opposes it up to its largest force. */
static void loss_row(const struct sim_model *model, const struct sim_joint *joint, struct joint_row *row)
{
    bool damping = row->slot == SLOT_DAMPING;
    double h = model->substep;
    row->target = 0;
    row->yield = damping ? 1 / (h * joint->damping) : 0;
    row->upper = damping ? INFINITY : h * joint->friction;
    row->lower = -row->upper;
}

/* The force k x + c x' at the end of the substep, x there being x + h x'. */
static void spring_row(const struct sim_model *model, const struct sim_joint *joint, double length,
                       struct joint_row *row)
{
    double h = model->substep, per_speed = h * joint->stiffness + joint->damping;
    row->lower = per_speed > 0 ? -INFINITY : 0;
    row->upper = -row->lower;
    row->yield = per_speed > 0 ? 1 / (h * per_speed) : 0;
    row->target = per_speed > 0 ? -joint->stiffness * (length - joint->length) / per_speed : 0;
}

/* Limits keep a distance to go, as contacts do; overrun ones are taken out by displacements. */
static double limit_row(const struct sim_model *model, const struct sim_joint *joint, double position,
                        enum joint_purpose purpose, double speed, struct joint_row *row)
{
    bool low = row->slot == SLOT_LOWER;
    double gap = low ? position - joint->lower : joint->upper - position, sign = low ? 1 : -1;
    row->lower = low ? 0 : -INFINITY;
    row->upper = low ? INFINITY : 0;
    double into = sign * speed < 0 ? sign * speed : 0;
    double wanted = purpose == JOINT_PUSH      ? (gap > 0 ? -gap / model->substep : 0)
                    : purpose == JOINT_RECOVER ? -gap
                    : gap > 0                  ? -INFINITY
                                               : into;
    if (wanted == -INFINITY) {
        row->lower = row->upper = 0;
        wanted = 0;
    }
    row->target = sign * wanted;
    return purpose == JOINT_RECOVER && gap < 0 ? -gap : 0;
}

double joints_prepare(const struct sim_model *model, struct sim_state *state, const dent_rigid_state *poses,
                      const struct island_problem *problem, enum joint_purpose purpose)
{
    double largest = 0, h = model->substep;
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        struct joint_row *row = &problem->joints[r];
        const struct sim_joint *joint = &model->joints[row->joint];
        const struct joint_state *now = &state->joints[row->joint];
        struct joint_place place = {0};
        double radius = problem->bodies[row->side[0]].radius, bend = 0, error = 0;
        find_place(joint, poses, h, &place);
        row->yield = 0;
        row->impulse = purpose == JOINT_PUSH ? now->impulses[row->slot] : 0;
        if (row->slot < SLOT_AXIAL) {
            double wrong = equation(joint, poses, &place, radius, row, &bend);
            row->lower = -INFINITY;
            row->upper = INFINITY;
            row->target = purpose == JOINT_PUSH ? -0.5 * h * bend : purpose == JOINT_RECOVER ? -wrong : 0;
            error = fabs(wrong) * row->arm;
        } else {
            double position = position_of(joint, &place, now->position);
            axial_direction(joint, &place, radius, row);
            bool limit = row->slot == SLOT_LOWER || row->slot == SLOT_UPPER;
            if (limit) {
                double speed = joint_row_speed(row, problem->velocity);
                error = limit_row(model, joint, position, purpose, speed, row) * row->arm;
            } else if (purpose != JOINT_PUSH) {
                row->lower = row->upper = row->target = 0;
            } else if (row->slot != SLOT_AXIAL) {
                loss_row(model, joint, row);
            } else if (joint->kind == DENT_SIM_JOINT_SPRING) {
                spring_row(model, joint, position, row);
            } else {
                motor_row(model, joint, now, position, row);
            }
        }
        largest = error > largest ? error : largest;
    }
    return largest > ERROR_SHARE * model->mean_edge ? largest : 0;
}

void joints_straighten(const struct island_problem *problem)
{
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        struct joint_row *row = &problem->joints[r];
        row->impulse = 0;
        row->target = row->slot < SLOT_AXIAL ? 0 : row->target;
    }
}

double joints_fastest(const struct island_problem *problem)
{
    double fastest = 0;
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        struct joint_row *row = &problem->joints[r];
        double speed = row->slot == SLOT_AXIAL ? fabs(row->target) * row->arm : 0;
        if (row->lower == row->upper && row->upper != 0) { /* a motor that pushes: what it gives */
            joint_row_measure(problem, row);
            speed = fabs(row->upper) * row->mobility * row->arm;
        }
        fastest = speed > fastest ? speed : fastest;
    }
    return fastest;
}

double joints_work(const struct island_problem *problem)
{
    double work = 0;
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        const struct joint_row *row = &problem->joints[r];
        if (row->slot == SLOT_AXIAL) {
            work += fabs(row->impulse) *
                    (fabs(joint_row_speed(row, problem->velocity)) + fabs(joint_row_speed(row, problem->free)));
        }
    }
    return work;
}

double joints_motor_work(const struct sim_model *model, const struct island_problem *problem, double *most)
{
    double work = 0;
    *most = 0;
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        const struct joint_row *row = &problem->joints[r];
        if (row->slot == SLOT_AXIAL && model->joints[row->joint].motor != DENT_SIM_MOTOR_NONE) {
            double end = joint_row_speed(row, problem->velocity), free = joint_row_speed(row, problem->free);
            work += 0.5 * row->impulse * (end + free);
            *most += fabs(row->impulse) * (fabs(end) + fabs(free));
        }
    }
    return work;
}

/* ---- reactions --------------------------------------------------------------------------------------------------- */

static void add_reaction(const struct sim_model *model, const struct joint_row *row, const dent_rigid_state *pose,
                         const double *point, struct joint_state *joint)
{
    double share = row->impulse / model->substep, arm[3], moment[3];
    if (row->slot >= SLOT_AXIAL) {
        joint->axial += share;
        return;
    }
    sim_subtract(point, pose->center, arm);
    sim_cross(arm, row->along[0], moment);
    for (int k = 0; k < 3; k++) {
        joint->force[k] += share * row->along[0][k];
        joint->moment[k] += share * (row->along[0][3 + k] - moment[k]);
    }
}

void joints_keep(const struct sim_model *model, struct sim_state *state, const struct island_problem *problem,
                 enum joint_purpose purpose)
{
    for (uint32_t r = 0; r < problem->island->joint_count && purpose == JOINT_PUSH; r++) {
        struct joint_state *joint = &state->joints[problem->joints[r].joint];
        memset(joint->force, 0, sizeof joint->force);
        memset(joint->moment, 0, sizeof joint->moment);
        joint->axial = 0;
    }
    for (uint32_t r = 0; r < problem->island->joint_count; r++) {
        const struct joint_row *row = &problem->joints[r];
        struct joint_state *joint = &state->joints[row->joint];
        struct joint_place place = {0};
        find_place(&model->joints[row->joint], state->rigids, model->substep, &place);
        add_reaction(model, row, &state->rigids[model->joints[row->joint].rigid[0]], place.points[0], joint);
        if (purpose == JOINT_PUSH) {
            joint->impulses[row->slot] = row->impulse;
        }
    }
}

void joints_measure(const struct sim_model *model, struct sim_state *state)
{
    for (uint32_t n = 0; n < model->joint_count; n++) {
        const struct sim_joint *joint = &model->joints[n];
        struct joint_state *now = &state->joints[n];
        struct joint_place place = {0};
        struct joint_row row = {0};
        find_place(joint, state->rigids, model->substep, &place);
        now->position = position_of(joint, &place, now->position);
        axial_direction(joint, &place, 1, &row);
        now->speed = 0;
        bool axial = joint->kind != DENT_SIM_JOINT_FIXED && joint->kind != DENT_SIM_JOINT_BALL;
        for (int s = 0; s < 2 && axial; s++) {
            if (joint->rigid[s] != SIM_NONE) {
                const dent_rigid_state *pose = &state->rigids[joint->rigid[s]];
                now->speed +=
                    sim_dot(row.along[s], pose->linear_velocity) + sim_dot(row.along[s] + 3, pose->angular_velocity);
            }
        }
    }
}
