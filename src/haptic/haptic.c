/* Defs, life, and the calls of the three loops. See dent/haptic.h. */
#include "haptic/haptic_state.h"
#include "haptic/haptic_threads.h"

const char *dent_haptic_kind_name(dent_haptic_kind kind)
{
    static const char *const names[] = {"fixed", "rigid", "link", "deforming"};
    return (unsigned)kind < sizeof names / sizeof names[0] ? names[kind] : NULL;
}

const char *dent_haptic_outcome_name(dent_haptic_outcome outcome)
{
    static const char *const names[] = {"free", "contact", "squeezed", "moving", "undecided"};
    return (unsigned)outcome < sizeof names / sizeof names[0] ? names[outcome] : NULL;
}

dent_haptic_def dent_haptic_def_default(void)
{
    dent_haptic_def def = {0};
    def.struct_size = sizeof def;
    def.tool = dent_surface_def_default();
    def.start = dent_pose_identity();
    def.stiffness = 1000;
    def.force_limit = def.torque_limit = INFINITY;
    def.damping = -1;
    def.blend = 0.005;
    def.tick = 0.001;
    def.work_limit = 200000;
    return def;
}

dent_haptic_scene dent_haptic_scene_default(void)
{
    return (dent_haptic_scene){.struct_size = sizeof(dent_haptic_scene)};
}

/* ---- checks ------------------------------------------------------------------------------------------------------ */

static dent_status check_number(dent_context *context, const char *name, double number, bool zero, bool infinite)
{
    if ((zero ? number >= 0 : number > 0) && (infinite || number <= 1e100)) {
        return DENT_OK;
    }
    return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%s is %g: a %snumber %s 0 is needed", name, number,
                     infinite ? "" : "finite ", zero ? "of at least" : "above");
}

static dent_status check_numbers(dent_context *context, const dent_haptic_def *def)
{
    const struct {
        const char *name;
        double number;
        bool zero, infinite;
    } list[] = {{"target_gap", def->target_gap, true, false},
                {"stiffness", def->stiffness, false, false},
                {"inertia_radius", def->inertia_radius, true, false},
                {"force_limit", def->force_limit, false, true},
                {"torque_limit", def->torque_limit, false, true},
                {"blend", def->blend, true, false},
                {"tick", def->tick, false, false},
                {"jump_limit", def->jump_limit, true, true}};
    dent_status status = DENT_OK;
    for (size_t i = 0; i < sizeof list / sizeof list[0] && status == DENT_OK; i++) {
        status = check_number(context, list[i].name, list[i].number, list[i].zero, list[i].infinite);
    }
    if (status == DENT_OK && def->damping != -1) {
        status = check_number(context, "damping", def->damping, true, false);
    }
    return status == DENT_OK ? haptic_check_pose(context, &def->start, "the start of the tool") : status;
}

static dent_status check_def(dent_context *context, const dent_haptic_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the haptic def was not made by dent_haptic_def_default()");
    }
    DENT_REQUIRE_ARRAY(context, def->body_count, def->bodies);
    for (int k = 0; k < 3 && def->centre; k++) {
        if (!(fabs(def->centre[k]) <= 1e100)) {
            return dent_fail(context, DENT_ERROR_BAD_NUMBER, "centre[%d] is %g: a finite number is needed", k,
                             def->centre[k]);
        }
    }
    return check_numbers(context, def);
}

/* ---- creation ---------------------------------------------------------------------------------------------------- */

static void *allocate(void *user, size_t size, size_t alignment)
{
    (void)alignment; /* at most 64, as dent_allocate aligns */
    return dent_allocate(user, 1, size);
}

static void release(void *user, void *block, size_t size)
{
    dent_release(user, block, 1, size);
}

/* The god-object's own context: its loops run in place, on its own thread. */
static dent_status open_world(dent_haptic *haptic)
{
    dent_context_def def = dent_context_def_default();
    def.allocator = (dent_allocator){allocate, release, haptic->context};
    def.thread_count = 1;
    def.isa = dent_context_isa(haptic->context);
    haptic->god.context = dent_context_create(&def, NULL);
    haptic->god.world = haptic->god.context ? dent_world_create(haptic->god.context) : NULL;
    if (!haptic->god.world) {
        return dent_fail(haptic->context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a haptic tool");
    }
    array_init(&haptic->god.near, haptic->god.context, sizeof(struct haptic_near));
    array_init(&haptic->god.order, haptic->god.context, 3 * sizeof(double));
    return DENT_OK;
}

/* Sizes follow from the tool: the radius of its points about the centre. */
static dent_status measure_tool(dent_haptic *haptic, const dent_haptic_def *def)
{
    const struct haptic_mesh *mesh = &haptic->god.tool_mesh;
    const struct haptic_box *box = &mesh->boxes[1];
    double square = 0;
    for (int k = 0; k < 3; k++) {
        haptic->centre[k] = def->centre ? def->centre[k] : box->lo[k] / 2 + box->hi[k] / 2;
    }
    for (uint32_t f = 0; f < mesh->face_count; f++) {
        for (int c = 0; c < 3; c++) {
            double away[3];
            haptic_subtract(mesh->points + 3 * (size_t)mesh->faces[f].corners[c], haptic->centre, away);
            square = fmax(square, haptic_dot(away, away));
        }
    }
    haptic->radius = sqrt(square);
    if (!(haptic->radius > 1e-100 && haptic->radius < 1e100)) {
        return dent_fail(haptic->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the tool has a radius of %g: one between 1e-100 and 1e100 is needed", haptic->radius);
    }
    haptic->target_gap = def->target_gap > 0 ? def->target_gap : 1e-3 * haptic->radius;
    haptic->inertia = def->inertia_radius > 0 ? def->inertia_radius : 0.6 * haptic->radius;
    haptic->def.damping = def->damping < 0 ? 0.5 * def->stiffness * def->tick : def->damping;
    return DENT_OK;
}

/* Once with as many rows as there ever are: so no later call needs memory. */
static dent_status warm_up(struct haptic_projector *projector)
{
    struct haptic_row rows[DENT_HAPTIC_CONTACTS_MAX];
    const double wanted[6] = {0, 0, -1, 0, 0, 0}, normal[3] = {0, 0, 1};
    double step[6];
    for (uint32_t i = 0; i < DENT_HAPTIC_CONTACTS_MAX; i++) {
        double arm[3] = {i % 8, (double)i / 8, 0};
        haptic_row_set(&rows[i], arm, normal);
        rows[i].target = 0;
        rows[i].key = i;
    }
    return haptic_project(projector, rows, DENT_HAPTIC_CONTACTS_MAX, wanted, step);
}

static dent_status open_loops(dent_haptic *haptic)
{
    size_t numbers = haptic->god.scene.number_count;
    dent_status status = haptic_exchange_open(&haptic->poses, haptic->context, sizeof(dent_pose));
    status = status == DENT_OK ? haptic_exchange_open(&haptic->scenes, haptic->context, (numbers + 1) * sizeof(double))
                               : status;
    status = status == DENT_OK
                 ? haptic_exchange_open(&haptic->to_device, haptic->context, sizeof(struct haptic_snapshot))
                 : status;
    status = status == DENT_OK
                 ? haptic_exchange_open(&haptic->to_reader, haptic->context, sizeof(struct haptic_snapshot))
                 : status;
    struct haptic_projector *projectors[] = {&haptic->god.projector, &haptic->couple.projector};
    dent_context *contexts[] = {haptic->god.context, haptic->context};
    for (int i = 0; i < 2 && status == DENT_OK; i++) {
        status = haptic_projector_open(projectors[i], contexts[i], haptic->inertia);
        status = status == DENT_OK ? warm_up(projectors[i]) : status;
    }
    return status;
}

/* The start: nothing touches, and what is near is known to all loops. */
static dent_status begin(dent_haptic *haptic)
{
    struct haptic_god *god = &haptic->god;
    dent_motion_impact_def def = dent_motion_impact_def_default();
    dent_motion_impact_result result;
    god->tool = god->target = haptic->def.start;
    dent_status status = haptic_scene_motion(god);
    god->scene.frames[0] = (dent_motion_frame){DENT_FRAME_WORLD, dent_motion_stationary(&god->tool)};
    def.frames = god->scene.frames;
    def.frame_count = god->scene.frame_count;
    def.bodies = god->scene.attached;
    def.body_count = god->scene.attached_count;
    def.tolerance = HAPTIC_STOP * haptic->target_gap;
    status = status == DENT_OK ? dent_world_motion_impact(god->world, &def, &result) : status;
    if (status != DENT_OK) {
        return dent_fail(haptic->context, status, "%s", dent_world_message(god->world));
    }
    status = haptic_find_contacts(haptic);
    if (status == DENT_OK && (result.verdict != DENT_MOTION_FREE || !(god->least > 0))) {
        uint32_t other = result.body_a == 0 ? result.body_b : result.body_a;
        return dent_fail(haptic->context, DENT_ERROR_INVALID_ARGUMENT, "the tool touches %s at the start",
                         other - 1 < god->scene.body_count ? god->scene.bodies[other - 1].name : "a body");
    }
    status = status == DENT_OK ? haptic_god_update(haptic) : status;
    god->updates = god->result.state.sequence = 0;
    if (status == DENT_OK) {
        haptic_god_publish(haptic, &god->result);
        memcpy(&haptic->god.target, &haptic->def.start, sizeof haptic->def.start);
    }
    return status;
}

struct create_call {
    dent_haptic *haptic;
    const dent_haptic_def *def;
};

static dent_status create(void *data)
{
    const struct create_call *call = data;
    dent_haptic *haptic = call->haptic;
    dent_status status = open_world(haptic);
    status = status == DENT_OK ? haptic_scene_open(&haptic->god, call->def, haptic->context) : status;
    status = status == DENT_OK ? measure_tool(haptic, call->def) : status;
    status = status == DENT_OK ? open_loops(haptic) : status;
    return status == DENT_OK ? begin(haptic) : status;
}

dent_status dent_haptic_create(dent_context *context, const dent_haptic_def *def, dent_haptic **haptic)
{
    DENT_REQUIRE(NULL, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, haptic);
    dent_status status = check_def(context, def);
    if (status != DENT_OK) {
        return status;
    }
    dent_haptic *made = dent_allocate(context, 1, sizeof *made);
    if (!made) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a haptic tool");
    }
    memset(made, 0, sizeof *made);
    made->context = context;
    made->def = *def;
    struct create_call call = {made, def};
    status = dent_call_guarded(context, create, &call);
    if (status != DENT_OK) {
        dent_haptic_destroy(made);
        return status;
    }
    *haptic = made;
    return DENT_OK;
}

void dent_haptic_destroy(dent_haptic *haptic)
{
    if (!haptic) {
        return;
    }
    haptic_threads_close(haptic);
    haptic_projector_close(&haptic->couple.projector);
    haptic_projector_close(&haptic->god.projector);
    struct haptic_exchange *exchanges[] = {&haptic->poses, &haptic->scenes, &haptic->to_device, &haptic->to_reader};
    for (size_t i = 0; i < sizeof exchanges / sizeof exchanges[0]; i++) {
        haptic_exchange_close(exchanges[i]);
    }
    if (haptic->god.world) {
        haptic_scene_close(&haptic->god);
        dent_release(haptic->god.context, haptic->god.tool_points, 3 * (size_t)haptic->def.tool.vertex_count,
                     sizeof(double));
        array_destroy(&haptic->god.near);
        array_destroy(&haptic->god.order);
        dent_world_destroy(haptic->god.world);
    }
    dent_context_destroy(haptic->god.context);
    dent_release(haptic->context, haptic, 1, sizeof *haptic);
}

double dent_haptic_target_gap(const dent_haptic *haptic)
{
    return haptic ? haptic->target_gap : 0;
}

/* ---- the loops --------------------------------------------------------------------------------------------------- */

struct couple_call {
    dent_haptic *haptic;
    const dent_pose *device;
    dent_haptic_force *force;
};

static dent_status couple(void *data)
{
    const struct couple_call *call = data;
    dent_haptic *haptic = call->haptic;
    memcpy(haptic_exchange_back(&haptic->poses), call->device, sizeof *call->device);
    haptic_exchange_publish(&haptic->poses);
    return haptic_couple_tick(haptic, call->device, call->device, call->force);
}

dent_status dent_haptic_couple(dent_haptic *haptic, const dent_pose *device, dent_haptic_force *force)
{
    DENT_REQUIRE(NULL, haptic);
    DENT_REQUIRE(haptic->context, device);
    DENT_REQUIRE(haptic->context, force);
    dent_status status = haptic_check_pose(haptic->context, device, "the pose of the device");
    if (status != DENT_OK) {
        haptic->couple.rejected++;
        return status;
    }
    struct couple_call call = {haptic, device, force};
    return dent_call_guarded(haptic->context, couple, &call);
}

static dent_status update(void *data)
{
    return haptic_god_update(data);
}

dent_status dent_haptic_update(dent_haptic *haptic, dent_haptic_state *state)
{
    DENT_REQUIRE(NULL, haptic);
    DENT_REQUIRE(haptic->context, state);
    dent_status status = dent_call_guarded(haptic->context, update, haptic);
    if (status == DENT_OK) {
        haptic_god_publish(haptic, &haptic->god.result);
        *state = haptic->god.result.state;
        state->contacts = haptic->god.result.contacts;
    }
    return status;
}

struct scene_call {
    dent_haptic *haptic;
    const dent_haptic_scene *scene;
};

static dent_status set_scene(void *data)
{
    const struct scene_call *call = data;
    dent_haptic *haptic = call->haptic;
    const struct haptic_scene *layout = &haptic->god.scene; /* what is read of it never changes */
    dent_status status = haptic_scene_read(layout, haptic->context, call->scene, layout->given);
    if (status == DENT_OK) {
        memcpy(haptic_exchange_back(&haptic->scenes), layout->given, layout->number_count * sizeof(double));
        haptic_exchange_publish(&haptic->scenes);
        haptic->scenes_given++;
    }
    return status;
}

dent_status dent_haptic_set_scene(dent_haptic *haptic, const dent_haptic_scene *scene)
{
    DENT_REQUIRE(NULL, haptic);
    DENT_REQUIRE(haptic->context, scene);
    if (scene->struct_size != sizeof *scene) {
        return dent_fail(haptic->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the haptic scene was not made by dent_haptic_scene_default()");
    }
    struct scene_call call = {haptic, scene};
    return dent_call_guarded(haptic->context, set_scene, &call);
}

dent_status dent_haptic_read(dent_haptic *haptic, dent_haptic_state *state)
{
    DENT_REQUIRE(NULL, haptic);
    DENT_REQUIRE(haptic->context, state);
    haptic_exchange_take(&haptic->to_reader);
    const struct haptic_snapshot *snapshot = haptic_exchange_front(&haptic->to_reader);
    *state = snapshot->state;
    state->contacts = snapshot->contacts;
    return DENT_OK;
}

dent_status dent_haptic_get_counters(const dent_haptic *haptic, dent_haptic_counters *counters)
{
    DENT_REQUIRE(NULL, haptic);
    DENT_REQUIRE(haptic->context, counters);
    *counters = (dent_haptic_counters){
        .ticks = haptic->couple.ticks,
        .updates = haptic->god.updates,
        .scenes = haptic->scenes_given,
        .rejected_poses = haptic->couple.rejected,
        .jumps = haptic->couple.jumps,
        .squeezed = haptic->god.squeezed,
        .undecided = haptic->god.undecided,
        .torn = haptic->poses.torn + haptic->scenes.torn + haptic->to_device.torn + haptic->to_reader.torn,
        .late_ticks = haptic->late_ticks,
        .couple_ns_max = haptic->couple.ns_max,
        .update_ns_max = haptic->god.ns_max,
    };
    return DENT_OK;
}
