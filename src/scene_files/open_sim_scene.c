/* dent_sim_scene_open: by name from the table of built-in scenes, from a file that ends in .json, or a robot.
 *
 * Building runs in dent_call_guarded(), as for the prescribed scenes. */
#include "scene_file.h"
#include "scenes/simulated/sim_scene_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static bool ends_with(const char *name, const char *end)
{
    size_t length = strlen(name), own = strlen(end);
    return length > own && strcmp(name + length - own, end) == 0;
}

static bool is_file_name(const char *name)
{
    return ends_with(name, ".json");
}

static bool is_robot(const char *name)
{
    return ends_with(name, ".urdf") || ends_with(name, ".urdf.gz") || ends_with(name, ".urdf.xz");
}

static const struct sim_scene_row *find_row(const char *name)
{
    for (uint32_t i = 0; i < sim_scene_table_count(); i++) {
        if (strcmp(sim_scene_table_at(i)->info.name, name) == 0) {
            return sim_scene_table_at(i);
        }
    }
    return NULL;
}

/* ---- what a def may ask ------------------------------------------------------------------------------------------ */

static dent_status unknown_scene(dent_context *context, const char *name)
{
    char known[512] = "";
    size_t length = 0;
    for (uint32_t i = 0; i < sim_scene_table_count() && length < sizeof known; i++) {
        length += (size_t)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "",
                                   sim_scene_table_at(i)->info.name);
    }
    return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                     "no simulated scene is named '%s'; there are: %s; a scene file ends in .json, a robot in .urdf", name,
                     known);
}

static dent_status apply_setting(dent_context *context, const dent_sim_scene_info *info,
                                 const dent_scene_setting *setting, struct sim_scene_request *request)
{
    char known[512] = "none";
    size_t length = 0;
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        const dent_scene_parameter_info *parameter = &info->parameters[i];
        if (length < sizeof known) {
            length +=
                (size_t)snprintf(known + length, sizeof known - length, "%s%s", i > 0 ? ", " : "", parameter->name);
        }
        if (!setting->name || strcmp(parameter->name, setting->name) != 0) {
            continue;
        }
        if (!(setting->value >= parameter->lowest && setting->value <= parameter->highest)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "scene %s: %s=%.9g is not within %.9g … %.9g",
                             info->name, parameter->name, setting->value, parameter->lowest, parameter->highest);
        }
        request->parameters[i] = setting->value;
        return DENT_OK;
    }
    return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "scene %s has no parameter '%s'; it has: %s", info->name,
                     setting->name ? setting->name : "", known);
}

static dent_status make_request(dent_context *context, const dent_sim_scene_info *info, const dent_sim_scene_def *def,
                                struct sim_scene_request *request)
{
    *request = (struct sim_scene_request){.scale = def->scale, .data_folder = def->data_folder};
    for (uint32_t i = 0; i < info->parameter_count; i++) {
        request->parameters[i] = info->parameters[i].default_value;
    }
    if (!(def->scale > 0) || !(def->scale <= 1e6)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "scene %s: scale %.9g is not within 0 … 1e6", info->name,
                         def->scale);
    }
    dent_status status = DENT_OK;
    for (uint32_t i = 0; i < def->setting_count && status == DENT_OK; i++) {
        status = apply_setting(context, info, &def->settings[i], request);
    }
    return status;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

struct build_call {
    const struct sim_scene_row *row;
    struct sim_plan *plan;
    const struct sim_scene_request *request;
};

static dent_status build(void *data)
{
    const struct build_call *call = data;
    call->row->build(call->plan, call->request);
    return call->plan->status;
}

static dent_status plan_built_in(struct sim_plan *plan, const struct sim_scene_row *row, const dent_sim_scene_def *def)
{
    struct sim_scene_request request;
    plan->name = row->info.name;
    plan->length_unit = row->info.length_unit;
    plan->length_in_metres = strcmp(plan->length_unit, "mm") == 0 ? 0.001 : 1;
    plan->frame_count = row->info.frame_count;
    dent_status status = make_request(plan->context, &row->info, def, &request);
    if (status == DENT_OK) {
        struct build_call call = {row, plan, &request};
        status = dent_call_guarded(plan->context, build, &call);
    }
    return status;
}

/* A robot by itself: held at its root, it hangs and swings. */
static dent_status plan_robot(struct sim_plan *plan, const dent_sim_scene_def *def)
{
    dent_robot *robot = NULL;
    dent_status status = dent_robot_read(plan->context, def->name, def->robot_reading, &robot);
    if (!plan_note(plan, status)) {
        return status;
    }
    uint32_t count = dent_linkage_value_count(robot->linkage);
    dent_sim_linkage_def linkage = dent_sim_linkage_def_default();
    dent_sim_linkage_def_from_robot(&linkage, robot);
    linkage.values = def->joint_values;
    plan->name = plan_copy_text(plan, robot->name);
    if (def->joint_values && def->joint_value_count != count) {
        plan_note(plan, dent_fail(plan->context, DENT_ERROR_INVALID_ARGUMENT, "%s: %u joint values; the robot has %u",
                                  def->name, def->joint_value_count, count));
    }
    plan_add_linkage(plan, &linkage, def->excluded_links, def->excluded_link_count);
    if (plan->status == DENT_OK && plan->body_count == 0) {
        plan_note(plan, dent_fail(plan->context, DENT_ERROR_INVALID_ARGUMENT, "%s: no link has a shape or moves",
                                  def->name));
    }
    dent_robot_destroy(plan->context, robot);
    return plan->status;
}

static dent_status finish(struct sim_plan *plan, const dent_sim_scene_def *def, dent_status status,
                          dent_sim_scene **scene)
{
    if (status == DENT_OK) {
        plan->def.cancel = def->cancel;
        plan->def.contact_deadline = def->contact_deadline > 0 ? def->contact_deadline : plan->def.contact_deadline;
        plan->def.substeps = def->substeps > 0 ? def->substeps : plan->def.substeps;
        status = plan_finish(plan, scene);
    }
    if (status != DENT_OK) {
        plan_close(plan);
    }
    return status;
}

dent_status dent_sim_scene_open(dent_context *context, const dent_sim_scene_def *def, dent_sim_scene **scene)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, def);
    DENT_REQUIRE(context, scene);
    if (!def || def->struct_size != sizeof *def || !def->name || (def->setting_count > 0 && !def->settings)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the simulated scene's def was not made by dent_sim_scene_def_default(), or has no name");
    }
    struct sim_plan plan;
    plan_open(&plan, context);
    const struct sim_scene_row *row = find_row(def->name);
    dent_status status;
    if (row) {
        status = plan_built_in(&plan, row, def);
    } else if (is_robot(def->name) && def->scale == 1 && def->setting_count == 0) {
        status = plan_robot(&plan, def);
    } else if (!is_file_name(def->name)) {
        status = unknown_scene(context, def->name);
    } else if (def->scale != 1 || def->setting_count > 0) {
        status = dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                           "%s: a scene file has no scale and no parameters; write them into it", def->name);
    } else {
        status = scene_file_load(&plan, def->name);
    }
    return finish(&plan, def, status, scene);
}

dent_status dent_sim_scene_read_memory(dent_context *context, const char *name, const char *folder, const void *bytes,
                                       size_t size, const dent_sim_scene_def *def, dent_sim_scene **scene)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, name);
    DENT_REQUIRE_ARRAY(context, size, bytes);
    DENT_REQUIRE(context, scene);
    dent_sim_scene_def defaults = dent_sim_scene_def_default();
    if (def && def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "the simulated scene's def was not made by dent_sim_scene_def_default()");
    }
    struct sim_plan plan;
    plan_open(&plan, context);
    return finish(&plan, def ? def : &defaults, scene_file_plan(&plan, name, folder, bytes, size), scene);
}
