/* Joints of a linkage as joints of the simulation: revolute ones are hinges, prismatic ones sliders, balls balls. Fixed
 * ones are inside a body, free ones hold nothing. Positions of joints are the joint values. */
#include "linkage_parts.h"

#include "sim/model/sim_vectors.h"

#include <math.h>
#include <string.h>

static bool is_axial(dent_joint_kind kind)
{
    return kind == DENT_JOINT_REVOLUTE || kind == DENT_JOINT_PRISMATIC;
}

dent_sim_linkage_motor dent_sim_linkage_motor_default(void)
{
    return (dent_sim_linkage_motor){.max_force = -1};
}

static dent_status refuse(dent_context *context, dent_status status, const dent_joint_def *joint, const char *what)
{
    return dent_fail(context, status, "joint '%s': %s", joint->name, what);
}

static dent_status check_drive(dent_context *context, const dent_joint_def *joint, const dent_robot_joint *drive)
{
    bool finite =
        isfinite(drive->damping) && isfinite(drive->friction) && !isnan(drive->max_force) && !isnan(drive->max_speed);
    if (!finite) {
        return refuse(context, DENT_ERROR_BAD_NUMBER, joint, "damping and friction must be finite, limits numbers");
    }
    if (drive->damping < 0 || drive->friction < 0 || drive->max_force < 0 || drive->max_speed < 0) {
        return refuse(context, DENT_ERROR_INVALID_ARGUMENT, joint,
                      "damping, friction, effort and velocity must not be negative");
    }
    return DENT_OK;
}

static dent_status check_motor(dent_context *context, const dent_joint_def *joint, const dent_sim_linkage_motor *motor)
{
    if ((unsigned)motor->motor > DENT_SIM_MOTOR_FORCE) {
        return refuse(context, DENT_ERROR_INVALID_ARGUMENT, joint, "unknown kind of motor");
    }
    if (motor->motor != DENT_SIM_MOTOR_NONE &&
        (!isfinite(motor->target) || isnan(motor->max_force) || isnan(motor->max_speed))) {
        return refuse(context, DENT_ERROR_BAD_NUMBER, joint, "the target of its motor must be finite, limits numbers");
    }
    return DENT_OK;
}

dent_status linkage_check_joints(dent_context *context, const dent_sim_linkage_def *def)
{
    dent_status status = DENT_OK;
    for (uint32_t j = 0; j < dent_linkage_joint_count(def->linkage) && status == DENT_OK; j++) {
        const dent_joint_def *joint = dent_linkage_joint(def->linkage, j);
        if (joint->kind == DENT_JOINT_SCREW || joint->kind == DENT_JOINT_PLANAR) {
            status = refuse(context, DENT_ERROR_UNSUPPORTED, joint, "screw and planar joints are not simulated");
        } else if (joint->mimics != DENT_JOINT_NONE) {
            status = refuse(context, DENT_ERROR_UNSUPPORTED, joint, "joints that mimic others are not simulated");
        }
        status = status == DENT_OK && def->drives ? check_drive(context, joint, &def->drives[j]) : status;
        status = status == DENT_OK && def->motors ? check_motor(context, joint, &def->motors[j]) : status;
    }
    return status;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

static void drive_joint(const dent_sim_linkage_def *def, uint32_t j, double value, dent_sim_joint *joint)
{
    const dent_joint_def *from = dent_linkage_joint(def->linkage, j);
    dent_robot_joint drive = {INFINITY, INFINITY, 0, 0};
    drive = def->drives ? def->drives[j] : drive;
    dent_sim_linkage_motor motor = def->motors ? def->motors[j] : dent_sim_linkage_motor_default();
    joint->start = value;
    joint->limited = from->has_limits;
    joint->lower = from->lower;
    joint->upper = from->upper;
    joint->damping = drive.damping;
    joint->friction = drive.friction;
    joint->motor = motor.motor;
    joint->target = motor.target;
    joint->max_force = motor.max_force >= 0 ? motor.max_force : drive.max_force;
    double speed = motor.max_speed > 0 ? motor.max_speed : drive.max_speed;
    joint->max_speed = speed > 0 ? speed : INFINITY;
}

static void make_joint(struct dent_sim_linkage *made, const dent_sim_linkage_def *def, uint32_t j, const double *values)
{
    const dent_joint_def *from = dent_linkage_joint(def->linkage, j);
    struct linkage_joint *kept = &made->joints[j];
    uint32_t child = made->bodies[kept->child], parent = made->bodies[kept->parent];
    dent_sim_joint joint = dent_sim_joint_default();
    joint.kind = kept->kind == DENT_JOINT_REVOLUTE    ? DENT_SIM_JOINT_HINGE
                 : kept->kind == DENT_JOINT_PRISMATIC ? DENT_SIM_JOINT_SLIDER
                                                      : DENT_SIM_JOINT_BALL;
    joint.body_a = made->first_body + child;
    joint.body_b = parent == LINKAGE_NONE ? UINT32_MAX : made->first_body + parent;
    memcpy(joint.point, made->poses[kept->child].translation, sizeof joint.point);
    if (is_axial(kept->kind)) {
        dent_pose frame = dent_pose_product(&made->poses[kept->parent], &kept->origin);
        double m[16];
        dent_pose_to_matrix(&frame, m);
        for (int k = 0; k < 3; k++) {
            joint.axis[k] = sim_dot(m + 4 * k, from->axis);
        }
        drive_joint(def, j, values[kept->first_value], &joint);
    }
    kept->number = made->made_count;
    made->joint_defs[made->made_count++] = joint;
}

void linkage_make_joints(struct dent_sim_linkage *made, const dent_sim_linkage_def *def, const double *values)
{
    for (uint32_t j = 0; j < made->joint_count; j++) {
        dent_joint_kind kind = made->joints[j].kind;
        if (kind != DENT_JOINT_FIXED && kind != DENT_JOINT_FREE) {
            make_joint(made, def, j, values);
        }
    }
}
