/* arm-table: a robot arm beside a soft table: without motors it falls on the table, with `push` its motors press its
 * hand into it. The arm is that of the prescribed scene `arm`. ur5e-table: the same with the UR5e of the data kit.
 *
 * two-chains: two chains of rigid links, each held at one end, swing down from both sides and meet below. */
#include "scenes/elementary_functions.h"
#include "scenes/mesher/surface_parts.h"
#include "sim_parts.h"
#include "sim_scene_table.h"

#include <math.h>
#include <stdio.h>

enum { PUSH, HEIGHT, YOUNG, RATE, TABLE_PARAMETERS };

static const dent_scene_parameter_info table_parameters[TABLE_PARAMETERS] = {
    {"push", "1: motors press the hand into the table; 0: it falls", 0, 0, 1},
    {"height", "of the table, m", 0.2, 0.05, 0.4},
    {"young", "Young's modulus of the table, kPa", 200, 10, 1e5},
    {"rate", "steps per second", 60, 1, 1000},
};

/* Joint angles at the beginning, and where motors take them. */
struct arm_stance {
    double start[6], pressed[6], force;
};

/* The foot of the table does not move. */
static bool is_foot(const void *user, const double point[3])
{
    (void)user;
    return point[2] < 1e-9;
}

static void add_table(struct sim_plan *plan, const struct sim_scene_request *request, double near, uint32_t material)
{
    double height = request->parameters[HEIGHT], far = near + 0.6;
    uint32_t n = part_cells(8, request->scale, 3, 2);
    const uint32_t cells[3] = {n, n, n > 4 ? n / 4 : 1};
    const double size[3] = {far - near, 0.6, height}, centre[3] = {0.5 * (near + far), 0, 0.5 * height};
    dent_sim_body_def *table = part_block(plan, DENT_SIM_SOLID, "table", cells, size, centre);
    table->material = material;
    table->self_collision = false;
    table->prevent_crossing = true; /* however hard motors push */
    plan_fix_vertices(plan, table, is_foot, NULL);
}

static uint32_t add_materials(struct sim_plan *plan, const struct sim_scene_request *request)
{
    dent_sim_material metal = dent_sim_material_default(), foam = metal;
    metal.name = "arm";
    metal.density = 300; /* hollow */
    foam.name = "foam";
    foam.density = 200;
    foam.young = 1000 * request->parameters[YOUNG];
    foam.poisson = 0.3;
    foam.damping = 0.01;
    plan_add_material(plan, &metal);
    return plan_add_material(plan, &foam);
}

enum { MOST_JOINTS = 64 };

/* Bearings have some damping; with motors the arm goes slowly. */
static void drive(const dent_linkage *linkage, const struct sim_scene_request *request, const struct arm_stance *stance,
                  dent_robot_joint *drives, dent_sim_linkage_motor *motors, double *values)
{
    dent_linkage_zero_values(linkage, values);
    for (uint32_t j = 0; j < dent_linkage_joint_count(linkage) && j < MOST_JOINTS; j++) {
        uint32_t value = dent_linkage_first_value(linkage, j);
        motors[j] = dent_sim_linkage_motor_default();
        drives[j].damping = 0.5;
        if (value >= 6) { /* fixed joints have none */
            continue;
        }
        values[value] = stance->start[value];
        if (request->parameters[PUSH] >= 0.5) {
            motors[j].motor = DENT_SIM_MOTOR_POSITION;
            motors[j].target = stance->pressed[value];
            motors[j].max_force = stance->force;
            motors[j].max_speed = 0.5;
        }
    }
}

static void add_arm(struct sim_plan *plan, const struct sim_scene_request *request, const struct arm_stance *stance,
                    dent_sim_linkage_def *def)
{
    dent_robot_joint drives[MOST_JOINTS] = {{0}};
    dent_sim_linkage_motor motors[MOST_JOINTS];
    double values[MOST_JOINTS];
    uint32_t joints = dent_linkage_joint_count(def->linkage);
    if (joints > MOST_JOINTS || dent_linkage_value_count(def->linkage) > MOST_JOINTS) {
        plan_note(plan, dent_fail(plan->context, DENT_ERROR_UNSUPPORTED, "scene %s: the robot has too many joints",
                                  plan->name));
        return;
    }
    for (uint32_t j = 0; j < joints; j++) {
        drives[j] = def->drives ? def->drives[j] : (dent_robot_joint){HUGE_VAL, HUGE_VAL, 0, 0};
    }
    drive(def->linkage, request, stance, drives, motors, values);
    def->drives = drives;
    def->motors = motors;
    def->values = values;
    plan_add_linkage(plan, def, NULL, 0);
}

static void set_pace(struct sim_plan *plan, const struct sim_scene_request *request)
{
    plan->def.time_step = 1 / request->parameters[RATE];
    plan->def.thickness = 1e-3;
}

/* ---- the generated arm ------------------------------------------------------------------------------------------- */

static void build_generated(struct sim_plan *plan, const struct sim_scene_request *request)
{
    enum { LINKS = 7 };
    static const struct arm_stance stance = {{0, 0.6, 0.9, 0, 0.3, 0}, {0, 0.95, 1.2, 0, 0.4, 0}, 80};
    dent_scene_def scene_def = dent_scene_def_default();
    dent_scene *scene = NULL;
    dent_robot_link links[LINKS] = {{0}};
    scene_def.name = "arm";
    scene_def.scale = 0.1 * request->scale;
    uint32_t foam = add_materials(plan, request);
    add_table(plan, request, 0.35, foam);
    if (plan->status != DENT_OK || !plan_note(plan, dent_scene_create(plan->context, &scene_def, &scene))) {
        return;
    }
    for (uint32_t n = 0; n < LINKS; n++) {
        const dent_scene_body *body = dent_scene_body_at(scene, n);
        links[n] = (dent_robot_link){.name = body->name,
                                     .vertex_count = body->vertex_count,
                                     .positions = body->reference,
                                     .triangle_count = body->element_count,
                                     .triangles = body->element_corners};
    }
    dent_sim_linkage_def def = dent_sim_linkage_def_default();
    def.linkage = dent_scene_linkage(scene);
    def.links = links;
    add_arm(plan, request, &stance, &def);
    dent_scene_destroy(scene);
    set_pace(plan, request);
}

const struct sim_scene_row sim_scene_arm_table = {
    .info = {.name = "arm-table",
             .summary = "a robot arm falls on a soft table, or presses its hand into it",
             .frame_count = 120,
             .length_unit = "m",
             .parameter_count = TABLE_PARAMETERS,
             .parameters = table_parameters},
    .build = build_generated,
};

/* ---- the arm of the kit ------------------------------------------------------------------------------------------ */

static void build_ur5e(struct sim_plan *plan, const struct sim_scene_request *request)
{
    static const struct arm_stance stance = {{0, -0.9, 0.5, -0.6, -1.5, 0}, {0, -0.3, 0.5, -0.6, -1.5, 0}, 150};
    char path[1024];
    dent_robot *robot = NULL;
    if (!request->data_folder || !request->data_folder[0]) {
        plan_note(plan,
                  dent_fail(plan->context, DENT_ERROR_UNSUPPORTED,
                            "scene ur5e-table needs the data kit: set DENT_DATA to its folder; arm-table does not"));
        return;
    }
    snprintf(path, sizeof path, "%s/meshes/robot-ur5e/ur5e.urdf", request->data_folder);
    uint32_t foam = add_materials(plan, request);
    add_table(plan, request, 0.3, foam);
    if (plan->status != DENT_OK || !plan_note(plan, dent_robot_read(plan->context, path, NULL, &robot))) {
        return;
    }
    dent_sim_linkage_def def = dent_sim_linkage_def_default();
    dent_sim_linkage_def_from_robot(&def, robot);
    add_arm(plan, request, &stance, &def);
    dent_robot_destroy(plan->context, robot);
    set_pace(plan, request);
}

const struct sim_scene_row sim_scene_ur5e_table = {
    .info = {.name = "ur5e-table",
             .summary = "the UR5e of the data kit falls on a soft table, or presses its hand into it",
             .frame_count = 120,
             .length_unit = "m",
             .needs_data = true,
             .parameter_count = TABLE_PARAMETERS,
             .parameters = table_parameters},
    .build = build_ur5e,
};

/* ---- two chains -------------------------------------------------------------------------------------------------- */

enum { LINKS, CHAIN_PARAMETERS };
enum { MOST_LINKS = 60 };

static const dent_scene_parameter_info chain_parameters[CHAIN_PARAMETERS] = {
    {"links", "of each chain", 12, 2, MOST_LINKS},
};

static const double link_length = 0.1, link_radius = 0.02;

/* A capsule-like link along x from its joint, thin at its ends. */
static struct part_ring link_ring(const void *data, uint32_t index)
{
    (void)data;
    static const double along[3] = {1, 0, 0}, side[3] = {0, 1, 0};
    static const double places[4] = {0.1, 0.25, 0.75, 0.9}, radii[4] = {0.6, 1, 1, 0.6};
    const double centre[3] = {places[index] * link_length, 0, 0};
    return part_ring_at(centre, along, side, radii[index] * link_radius);
}

static void add_chain(struct sim_plan *plan, const char *name, uint32_t count, const struct scene_mesh *mesh,
                      const dent_pose *base)
{
    dent_robot_link links[MOST_LINKS] = {{0}};
    dent_joint_def joints[MOST_LINKS];
    dent_linkage_def linkage_def = dent_linkage_def_default();
    dent_linkage *linkage = NULL;
    for (uint32_t n = 0; n < count; n++) {
        links[n] = (dent_robot_link){.vertex_count = mesh->vertex_count,
                                     .positions = mesh->reference,
                                     .triangle_count = mesh->element_count,
                                     .triangles = mesh->corners};
        joints[n] = dent_joint_def_default();
        joints[n].kind = DENT_JOINT_BALL;
        joints[n].parent = n;
        joints[n].child = n + 1;
        joints[n].origin.translation[0] = link_length;
    }
    linkage_def.name = name;
    linkage_def.link_count = count;
    linkage_def.joint_count = count - 1;
    linkage_def.joints = joints;
    if (!plan_note(plan, dent_linkage_create(plan->context, &linkage_def, &linkage))) {
        return;
    }
    dent_sim_linkage_def def = dent_sim_linkage_def_default();
    def.linkage = linkage;
    def.links = links;
    def.base = *base;
    plan_add_linkage(plan, &def, NULL, 0);
    dent_linkage_destroy(linkage);
}

static void build_chains(struct sim_plan *plan, const struct sim_scene_request *request)
{
    enum { RINGS = 4 };
    uint32_t count = (uint32_t)request->parameters[LINKS], around = part_cells(8, request->scale, 2, 4);
    struct scene_mesh mesh = {0};
    dent_sim_material steel = dent_sim_material_default();
    steel.name = "steel";
    steel.density = 7800;
    steel.friction_static = steel.friction_kinetic = 0.2;
    plan_add_material(plan, &steel);
    if (!plan_note(plan, scene_mesh_allocate(plan->context, &mesh, part_tube_vertices(RINGS, around, false),
                                             part_tube_triangles(RINGS, around, false), 3))) {
        return;
    }
    struct part_writer writer = {.mesh = &mesh};
    part_write_tube(&writer, link_ring, NULL, RINGS, around, false);
    dent_pose first = dent_pose_identity(), second = first;
    first.translation[0] = 1.5 * link_radius;
    second.translation[0] = -1.5 * link_radius;
    second.rotation[0] = 0;
    second.rotation[3] = 1; /* the other way along x */
    add_chain(plan, "first", count, &mesh, &first);
    add_chain(plan, "second", count, &mesh, &second);
    scene_mesh_release(plan->context, &mesh);
}

const struct sim_scene_row sim_scene_two_chains = {
    .info = {.name = "two-chains",
             .summary = "two chains of rigid links swing into one another",
             .frame_count = 120,
             .length_unit = "m",
             .parameter_count = CHAIN_PARAMETERS,
             .parameters = chain_parameters},
    .build = build_chains,
};
