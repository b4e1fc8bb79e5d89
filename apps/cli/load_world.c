/* load_world.c — reads files and makes scenes, and goes from frame to frame; every failure is one line that names the
 * file. */
#include "load_world.h"

#include "allowed_pairs.h"
#include "interrupt.h"
#include "robot_input.h"
#include "tool.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- growing lists --------------------------------------------------------------------------------------- */

/* Room for `more` further items; false when memory is short. */
static bool reserve(dent_context *context, void **items, uint32_t count, uint32_t *capacity, uint32_t more, size_t size)
{
    if (more <= *capacity - count) {
        return true;
    }
    uint64_t wanted = (uint64_t)count + more;
    wanted = wanted < 2 * (uint64_t)*capacity ? 2 * (uint64_t)*capacity : wanted;
    if (wanted > UINT32_MAX) {
        return false;
    }
    void *grown = dent_reallocate(context, *items, *capacity, (size_t)wanted, size);
    if (grown == NULL) {
        return false;
    }
    *items = grown;
    *capacity = (uint32_t)wanted;
    return true;
}

static bool reserve_bodies(tool_session *session, loaded_world *loaded, uint32_t more)
{
    void *bodies = loaded->bodies;
    bool done =
        reserve(session->context, &bodies, loaded->body_count, &loaded->body_capacity, more, sizeof *loaded->bodies);
    loaded->bodies = bodies;
    return done;
}

static bool reserve_input(tool_session *session, loaded_world *loaded)
{
    void *inputs = loaded->inputs;
    bool done =
        reserve(session->context, &inputs, loaded->input_count, &loaded->input_capacity, 1, sizeof *loaded->inputs);
    loaded->inputs = inputs;
    return done;
}

/* The link of a robot's body: the n-th of those with a surface. */
static const dent_robot_link *link_of_body(const dent_robot *robot, uint32_t body)
{
    uint32_t link = 0;
    for (uint32_t left = body; left > 0 || robot->links[link].triangle_count == 0; link++) {
        left -= robot->links[link].triangle_count > 0;
    }
    return &robot->links[link];
}

static void release_input(tool_session *session, loaded_input *input)
{
    if (input->mesh != NULL) {
        dent_mesh_destroy(session->context, input->mesh);
    }
    if (input->positions != NULL) {
        for (uint32_t i = 0; i < input->body_count; i++) {
            uint32_t vertices = input->scene != NULL ? dent_scene_body_at(input->scene, i)->vertex_count
                                                     : link_of_body(input->robot, i)->vertex_count;
            dent_release(session->context, input->positions[i], (size_t)vertices * 3, sizeof(double));
        }
        dent_release(session->context, input->positions, input->body_count, sizeof *input->positions);
    }
    if (input->robot != NULL) {
        dent_release(session->context, input->link_ids, input->robot->link_count, sizeof *input->link_ids);
        dent_robot_destroy(session->context, input->robot);
    }
    dent_scene_destroy(input->scene);
    if (input->simulation != NULL) {
        dent_sim_scene_destroy(input->simulation);
    }
    memset(input, 0, sizeof *input);
}

/* ---- reports --------------------------------------------------------------------------------------------- */

/* One line that names the file, whether or not the message does already. */
static int complain_about(const char *name, const char *message)
{
    char shown[1024]; /* as it stands in messages, on one line */
    snprintf(shown, sizeof shown, "%s", name);
    for (char *c = shown; *c != '\0'; c++) {
        *c = (unsigned char)*c < ' ' || *c == 127 ? '?' : *c;
    }
    if (strstr(message, shown) != NULL) {
        return complain("%s", message);
    }
    return complain("%s: %s", name, message);
}

static int complain_memory(const char *name)
{
    return complain("%s: out of memory", name);
}

/* ---- files ----------------------------------------------------------------------------------------------- */

static bool exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}

/* "reading shirt_0001.obj", "reading 2 of 30: Pulp.1.ele" */
static void begin_progress(tool_session *session, const char *verb, const char *name)
{
    char what[64], place[32] = "";
    const char *slash = strrchr(name, '/');
    if (session->file_count > 1) {
        snprintf(place, sizeof place, " %u of %u:", session->file_number, session->file_count);
    }
    snprintf(what, sizeof what, "%s%s %s", verb, place, slash != NULL ? slash + 1 : name);
    progress_begin(&session->progress, what, 0);
}

/* Reads a file, or one frame of a series. */
static dent_status read_file_or_frame(tool_session *session, const char *name, dent_frames *frames, uint32_t index,
                                      dent_mesh **mesh)
{
    dent_mesh_read_def def = dent_mesh_read_def_default();
    def.merge = options_have(session->options, OPTION_MERGE);
    begin_progress(session, "reading", name);
    dent_status status = frames != NULL ? dent_frame_read(frames, index, &def, mesh)
                                        : dent_mesh_read(session->context, name, &def, mesh);
    progress_end(&session->progress);
    return status;
}

static int read_mesh(tool_session *session, loaded_input *input, dent_frames *frames, uint32_t index)
{
    const char *name = frames != NULL ? dent_frame_name(frames, index) : input->name;
    dent_status status = read_file_or_frame(session, name, frames, index, &input->mesh);
    if (status != DENT_OK) {
        bool plain_word = strpbrk(name, "./") == NULL;
        if (status == DENT_ERROR_FILE && plain_word && !exists(name)) {
            return complain("%s: no such file, and no built-in scene of that name (dent scenes lists them)", name);
        }
        return complain_about(name, session_message(session, status));
    }
    input->body_count = input->mesh->body_count;
    if (input->body_count == 0) {
        return complain("%s: no cells, no triangles and no strands in it", name);
    }
    return STATUS_GOOD;
}

static loaded_body body_of_mesh(const dent_mesh_body *body)
{
    loaded_body loaded;
    memset(&loaded, 0, sizeof loaded);
    loaded.name = body->name;
    loaded.kind = body->kind;
    loaded.vertex_count = body->vertex_count;
    loaded.element_count = body->element_count;
    loaded.positions = body->positions;
    loaded.element_corners = body->element_corners;
    loaded.cell_kinds = body->cell_kinds;
    loaded.vertex_numbers = body->vertex_numbers;
    loaded.strand_count = body->strand_count;
    loaded.first = body->first;
    loaded.radii = body->radii;
    loaded.normals = body->normals;
    loaded.element_numbers = body->element_numbers;
    return loaded;
}

/* ---- scenes ---------------------------------------------------------------------------------------------- */

/* Of the scene with prescribed frames and the simulated one of that name, the second is meant. */
static bool means_simulated(const tool_options *options, const char *name)
{
    return dent_sim_scene_find(name) != NULL &&
           (options_have(options, OPTION_SIMULATED) || dent_scene_find(name) == NULL);
}

bool names_a_scene(const tool_options *options, const char *name)
{
    return dent_scene_find(name) != NULL && !means_simulated(options, name) && !exists(name);
}

int create_scene(tool_session *session, const char *name, dent_scene **scene)
{
    dent_scene_def def = dent_scene_def_default();
    def.name = name;
    def.scale = session->options->scale;
    def.setting_count = session->options->setting_count;
    def.settings = session->options->settings;
    begin_progress(session, "making", name);
    dent_status status = dent_scene_create(session->context, &def, scene);
    progress_end(&session->progress);
    return status == DENT_OK ? STATUS_GOOD : complain_about(name, session_message(session, status));
}

static bool names_a_scene_file(const char *name)
{
    size_t length = strlen(name);
    return length > 5 && strcmp(name + length - 5, ".json") == 0;
}

bool names_a_simulation(const tool_options *options, const char *name)
{
    return names_a_scene_file(name) || (means_simulated(options, name) && !exists(name));
}

int refuse_kind_of_scene(const tool_options *options)
{
    bool simulated = options_have(options, OPTION_SIMULATED), prescribed = options_have(options, OPTION_PRESCRIBED);
    if (simulated && prescribed) {
        return complain("--simulated and --prescribed are mutually exclusive");
    }
    for (uint32_t i = 0; i < options->argument_count; i++) {
        const char *name = options->arguments[i];
        if (prescribed && names_a_simulation(options, name)) {
            return complain("%s is simulated only: it has no --prescribed frames", name);
        }
        if (simulated && names_a_scene(options, name)) {
            return complain("%s is not --simulated: it has prescribed frames only (dent scenes lists both)", name);
        }
    }
    return STATUS_GOOD;
}

int check_scene_frame(const char *name, uint32_t frame)
{
    uint32_t count = dent_scene_find(name)->frame_count;
    return frame < count ? STATUS_GOOD
                         : complain("%s has %u frames, 0 to %u: there is no frame %u", name, count, count - 1, frame);
}

static int make_scene(tool_session *session, loaded_input *input, uint32_t frame)
{
    int failed = check_scene_frame(input->name, frame);
    failed = failed ? failed : create_scene(session, input->name, &input->scene);
    if (failed) {
        return failed;
    }
    uint32_t count = dent_scene_body_count(input->scene);
    input->positions = dent_allocate(session->context, count, sizeof *input->positions);
    if (input->positions == NULL) {
        return complain_memory(input->name);
    }
    memset(input->positions, 0, (size_t)count * sizeof *input->positions);
    input->body_count = count;
    for (uint32_t i = 0; i < count; i++) {
        size_t numbers = (size_t)dent_scene_body_at(input->scene, i)->vertex_count * 3;
        input->positions[i] = dent_allocate(session->context, numbers, sizeof(double));
        if (input->positions[i] == NULL) {
            return complain_memory(input->name);
        }
        dent_scene_positions(input->scene, i, frame, input->positions[i]);
    }
    return STATUS_GOOD;
}

static loaded_body body_of_scene(const dent_scene_body *body, const double *positions)
{
    loaded_body loaded;
    memset(&loaded, 0, sizeof loaded);
    loaded.name = body->name;
    loaded.kind = body->kind;
    loaded.vertex_count = body->vertex_count;
    loaded.element_count = body->element_count;
    loaded.positions = positions;
    loaded.element_corners = body->element_corners;
    loaded.strand_count = body->strand_count;
    loaded.first = body->first;
    return loaded;
}

/* ---- scenes that are simulated --------------------------------------------------------------------------- */

int loaded_world_simulate(tool_session *session, loaded_input *input, uint32_t frame)
{
    dent_sim_scene_facts facts = dent_sim_scene_get_facts(input->simulation);
    if (frame > facts.frame_count) {
        return complain("%s is simulated for %u frames after its beginning, frame 0: there is no frame %u", input->name,
                        facts.frame_count, frame);
    }
    char what[64];
    snprintf(what, sizeof what, "simulating %s", facts.name);
    progress_begin(&session->progress, what, frame);
    dent_status status = DENT_OK;
    while (status == DENT_OK && input->simulated_frames < frame) {
        status = dent_sim_scene_step_frame(input->simulation);
        progress_set(&session->progress, ++input->simulated_frames, frame);
    }
    progress_end(&session->progress);
    return status == DENT_OK ? STATUS_GOOD : complain_about(input->name, session_message(session, status));
}

dent_sim_scene_def simulated_scene_def(const tool_options *options, const char *name)
{
    dent_sim_scene_def def = dent_sim_scene_def_default();
    def.name = name;
    def.scale = options->scale;
    def.setting_count = options->setting_count;
    def.settings = options->settings;
    def.data_folder = getenv("DENT_DATA");
    return def;
}

static int make_simulation(tool_session *session, loaded_input *input, uint32_t frame)
{
    const dent_sim_scene_def def = simulated_scene_def(session->options, input->name);
    begin_progress(session, "making", input->name);
    dent_status status = dent_sim_scene_open(session->context, &def, &input->simulation);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        return complain_about(input->name, session_message(session, status));
    }
    input->body_count = dent_sim_body_count(dent_sim_scene_sim(input->simulation));
    return loaded_world_simulate(session, input, frame);
}

static loaded_body body_of_simulation(const dent_sim *sim, uint32_t index)
{
    loaded_body loaded;
    dent_sim_body_info info;
    memset(&loaded, 0, sizeof loaded);
    if (dent_sim_body(sim, index, &info)) {
        loaded.name = info.name;
        loaded.kind = info.mesh;
        loaded.vertex_count = info.vertex_count;
        loaded.element_count = info.element_count;
        loaded.positions = dent_sim_positions(sim, index);
        loaded.element_corners = info.element_corners;
    }
    return loaded;
}

static dent_status add_simulation_to_world(const dent_sim_scene *scene, dent_world *world, dent_body_id *ids)
{
    const dent_sim *sim = dent_sim_scene_sim(scene);
    for (uint32_t i = 0; i < dent_sim_body_count(sim); i++) {
        loaded_body body = body_of_simulation(sim, i);
        dent_body_def def = dent_body_def_default(body.kind);
        def.name = body.name;
        def.vertex_count = body.vertex_count;
        def.element_count = body.element_count;
        def.element_corners = body.element_corners;
        def.positions_t0 = dent_positions_double(body.positions);
        dent_status status = dent_world_add_body(world, &def, &ids[i]);
        if (status != DENT_OK) {
            return status;
        }
    }
    return DENT_OK;
}

/* ---- robots ---------------------------------------------------------------------------------------------- */

static int pose_links(tool_session *session, const loaded_input *input, const double *values)
{
    const dent_robot *robot = input->robot;
    dent_pose *poses = dent_allocate(session->context, robot->link_count, sizeof *poses);
    if (poses == NULL) {
        return complain_memory(input->name);
    }
    dent_status status = dent_linkage_poses(robot->linkage, NULL, values, poses);
    for (uint32_t i = 0; i < input->body_count && status == DENT_OK; i++) {
        const dent_robot_link *link = link_of_body(robot, i);
        robot_link_positions(link, &poses[link - robot->links], input->positions[i]);
    }
    dent_release(session->context, poses, robot->link_count, sizeof *poses);
    return status == DENT_OK ? STATUS_GOOD : complain_about(input->name, session_message(session, status));
}

static int pose_as_asked(tool_session *session, const loaded_input *input)
{
    const dent_linkage *linkage = input->robot->linkage;
    uint32_t count = dent_linkage_value_count(linkage);
    double *values = dent_allocate(session->context, count, sizeof *values);
    if (values == NULL) {
        return complain_memory(input->name);
    }
    int failed = read_joint_values(input->name, linkage, "--joints", session->options->joints, values);
    if (!failed && session->options->joints != NULL) { /* zero is where robots are drawn, whatever the limits */
        failed = robot_check_values(session, "--joints", linkage, values);
    }
    failed = failed ? failed : pose_links(session, input, values);
    dent_release(session->context, values, count, sizeof *values);
    return failed;
}

static int make_robot(tool_session *session, loaded_input *input)
{
    int failed = load_robot(session, input->name, &input->robot);
    if (failed) {
        return failed;
    }
    uint32_t count = 0, links = input->robot->link_count;
    for (uint32_t i = 0; i < links; i++) {
        count += input->robot->links[i].triangle_count > 0;
    }
    if (count == 0) {
        return complain("%s: no link has a collision shape", input->name);
    }
    input->link_ids = dent_allocate(session->context, links, sizeof *input->link_ids);
    input->positions = dent_allocate(session->context, count, sizeof *input->positions);
    if (input->link_ids == NULL || input->positions == NULL) {
        return complain_memory(input->name);
    }
    memset(input->link_ids, 0, links * sizeof *input->link_ids);
    memset(input->positions, 0, count * sizeof *input->positions);
    input->body_count = count;
    for (uint32_t i = 0; i < count; i++) {
        size_t numbers = (size_t)link_of_body(input->robot, i)->vertex_count * 3;
        input->positions[i] = dent_allocate(session->context, numbers, sizeof(double));
        if (input->positions[i] == NULL) {
            return complain_memory(input->name);
        }
    }
    return pose_as_asked(session, input);
}

bool loaded_world_pose_robot(tool_session *session, loaded_world *loaded, uint32_t input, const double *values)
{
    return pose_links(session, &loaded->inputs[input], values) == STATUS_GOOD;
}

static loaded_body body_of_link(const dent_robot_link *link, const double *positions)
{
    loaded_body loaded;
    memset(&loaded, 0, sizeof loaded);
    loaded.name = link->name;
    loaded.kind = DENT_BODY_SURFACE;
    loaded.vertex_count = link->vertex_count;
    loaded.element_count = link->triangle_count;
    loaded.positions = positions;
    loaded.element_corners = link->triangles;
    return loaded;
}

/* In `ids` the bodies, in input->link_ids those of all links. */
static dent_status add_robot_to_world(const loaded_input *input, dent_world *world, dent_body_id *ids)
{
    dent_status status = dent_robot_add_to_world(input->robot, world, input->link_ids);
    uint32_t body = 0;
    for (uint32_t i = 0; i < input->robot->link_count && status == DENT_OK; i++) {
        if (!dent_body_id_is_null(input->link_ids[i])) {
            dent_positions here = dent_positions_double(input->positions[body]);
            ids[body++] = input->link_ids[i];
            status = dent_body_set_positions(world, input->link_ids[i], &here, NULL);
        }
    }
    return status;
}

int loaded_world_allow(tool_session *session, loaded_world *loaded)
{
    allowed_robot *robots = dent_allocate(session->context, loaded->input_count, sizeof *robots);
    if (robots == NULL) {
        return complain("out of memory");
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < loaded->input_count; i++) {
        const loaded_input *input = &loaded->inputs[i];
        if (input->robot != NULL) {
            robots[count].name = input->name;
            robots[count].robot = input->robot;
            robots[count++].ids = input->link_ids;
        }
    }
    int failed = count == 0 && session->options->joints != NULL
                     ? complain("--joints are the values of a robot, and no .urdf file is given")
                     : allow_pairs(session, loaded->world, robots, count);
    dent_release(session->context, robots, loaded->input_count, sizeof *robots);
    return failed;
}

/* ---- into the world -------------------------------------------------------------------------------------- */

static loaded_body body_of_input(const loaded_input *input, uint32_t index)
{
    return input->mesh != NULL    ? body_of_mesh(&input->mesh->bodies[index])
           : input->robot != NULL ? body_of_link(link_of_body(input->robot, index), input->positions[index])
           : input->simulation != NULL
               ? body_of_simulation(dent_sim_scene_sim(input->simulation), index)
               : body_of_scene(dent_scene_body_at(input->scene, index), input->positions[index]);
}

/* Strands of a file without radii: --thickness, or else a tenth of their mean segment. */
static dent_status give_thickness(const tool_session *session, dent_world *world, const loaded_body *body)
{
    if (body->kind != DENT_BODY_STRANDS || body->radii != NULL || body->element_count == 0 ||
        options_have(session->options, OPTION_THICKNESS)) {
        return DENT_OK;
    }
    double sum = 0;
    for (uint32_t s = 0; s < body->strand_count; s++) {
        for (uint32_t v = body->first[s]; v + 1 < body->first[s + 1]; v++) {
            const double *a = body->positions + 3 * (size_t)v;
            sum +=
                sqrt(((a[3] - a[0]) * (a[3] - a[0]) + (a[4] - a[1]) * (a[4] - a[1])) + (a[5] - a[2]) * (a[5] - a[2]));
        }
    }
    double thickness = 0.1 * (sum / body->element_count);
    return dent_body_set_thickness(world, body->id, thickness < INFINITY ? thickness : 0);
}

static int add_bodies(tool_session *session, loaded_world *loaded, const loaded_input *input)
{
    uint32_t count = input->body_count;
    dent_body_id *ids = dent_allocate(session->context, count, sizeof *ids);
    if (ids == NULL || !reserve_bodies(session, loaded, count)) {
        dent_release(session->context, ids, count, sizeof *ids);
        return complain_memory(input->name);
    }
    progress_begin(&session->progress, "preparing the bodies", 0);
    dent_status status = input->mesh != NULL ? dent_mesh_add_to_world(input->mesh, loaded->world, ids)
                         : input->robot != NULL ? add_robot_to_world(input, loaded->world, ids)
                         : input->simulation != NULL
                             ? add_simulation_to_world(input->simulation, loaded->world, ids)
                             : dent_scene_add_to_world(input->scene, loaded->world, input->positions, ids);
    progress_end(&session->progress);
    if (status != DENT_OK) {
        const char *message = dent_world_message(loaded->world);
        complain_about(input->name, message[0] != '\0' ? message : dent_status_name(status));
        dent_release(session->context, ids, count, sizeof *ids);
        return STATUS_ERROR;
    }
    for (uint32_t i = 0; i < count; i++) {
        loaded_body body = body_of_input(input, i);
        body.id = ids[i];
        body.input = loaded->input_count;
        loaded->bodies[loaded->body_count++] = body;
        status = status == DENT_OK && input->mesh != NULL ? give_thickness(session, loaded->world, &body) : status;
    }
    dent_release(session->context, ids, count, sizeof *ids);
    return status == DENT_OK ? STATUS_GOOD : complain_about(input->name, dent_world_message(loaded->world));
}

int loaded_world_open(tool_session *session, loaded_world *loaded)
{
    memset(loaded, 0, sizeof *loaded);
    loaded->scene_frame = session->options->frame;
    loaded->world = dent_world_create(session->context);
    return loaded->world != NULL ? STATUS_GOOD : complain("out of memory");
}

/* Work that cannot be stopped half-way: Ctrl-C ends the program there and then. */
static void begin_loading(tool_session *session)
{
    printer_flush(session->out);
    interrupt_at_once(true);
}

int open_frames(tool_session *session, uint32_t word_count, const char *const *words, dent_frames **frames)
{
    begin_loading(session);
    begin_progress(session, "opening", words[0]);
    dent_status status = dent_frames_open(session->context, word_count, words, frames);
    progress_end(&session->progress);
    interrupt_at_once(false);
    if (status != DENT_OK) {
        session_forget_notices(session);
        return complain("%s", session_message(session, status));
    }
    return STATUS_GOOD;
}

typedef enum input_kind { INPUT_FILE, INPUT_SCENE, INPUT_SIMULATION, INPUT_ROBOT } input_kind;

static int add_input(tool_session *session, loaded_world *loaded, const char *name, input_kind kind,
                     dent_frames *frames, uint32_t index)
{
    if (!reserve_input(session, loaded)) {
        return complain_memory(name);
    }
    loaded_input input;
    memset(&input, 0, sizeof input);
    input.name = name;
    begin_loading(session);
    int failed = kind == INPUT_SCENE        ? make_scene(session, &input, loaded->scene_frame)
                 : kind == INPUT_SIMULATION ? make_simulation(session, &input, loaded->scene_frame)
                 : kind == INPUT_ROBOT      ? make_robot(session, &input)
                                            : read_mesh(session, &input, frames, index);
    if (!failed) {
        failed = add_bodies(session, loaded, &input);
    }
    interrupt_at_once(false);
    if (failed) {
        session_forget_notices(session);
        release_input(session, &input);
        return failed;
    }
    loaded->inputs[loaded->input_count++] = input;
    return STATUS_GOOD;
}

int loaded_world_add_frame(tool_session *session, loaded_world *loaded, const char *name, dent_frames *frames,
                           uint32_t index)
{
    input_kind kind = frames != NULL                               ? INPUT_FILE
                      : names_a_scene(session->options, name)      ? INPUT_SCENE
                      : names_a_simulation(session->options, name) ? INPUT_SIMULATION
                      : names_a_robot(name)                        ? INPUT_ROBOT
                                                                   : INPUT_FILE;
    return add_input(session, loaded, name, kind, frames, index);
}

int loaded_world_add_scene(tool_session *session, loaded_world *loaded, const char *name)
{
    bool simulated = means_simulated(session->options, name) || dent_scene_find(name) == NULL;
    return add_input(session, loaded, name, simulated ? INPUT_SIMULATION : INPUT_SCENE, NULL, 0);
}

int loaded_world_add(tool_session *session, loaded_world *loaded, const char *name)
{
    return loaded_world_add_frame(session, loaded, name, NULL, 0);
}

/* ---- from frame to frame --------------------------------------------------------------------------------- */

static uint32_t first_body_of(const loaded_world *loaded, uint32_t input)
{
    uint32_t first = 0;
    for (uint32_t i = 0; i < input; i++) {
        first += loaded->inputs[i].body_count;
    }
    return first;
}

/* The bodies of `next` for those of the input; takes the mesh over when it succeeds. */
static int exchange_mesh(tool_session *session, loaded_world *loaded, uint32_t input, const char *name, dent_mesh *next,
                         dent_mesh_change *change)
{
    loaded_input *place = &loaded->inputs[input];
    loaded_body *bodies = loaded->bodies + first_body_of(loaded, input);
    if (next->body_count != place->body_count) {
        return complain("%s: %u %s, and %u in the frames before", name, next->body_count,
                        next->body_count == 1 ? "body" : "bodies", place->body_count);
    }
    dent_body_id *ids = dent_allocate(session->context, place->body_count, sizeof *ids);
    if (ids == NULL) {
        return complain_memory(name);
    }
    for (uint32_t i = 0; i < place->body_count; i++) {
        ids[i] = bodies[i].id;
    }
    dent_status status = dent_mesh_replace_in_world(place->mesh, next, loaded->world, ids, change);
    dent_release(session->context, ids, place->body_count, sizeof *ids);
    if (status != DENT_OK) {
        const char *message = dent_world_message(loaded->world);
        return complain_about(name, message[0] != '\0' ? message : dent_status_name(status));
    }
    for (uint32_t i = 0; i < place->body_count; i++) {
        loaded_body body = body_of_mesh(&next->bodies[i]);
        body.id = bodies[i].id;
        body.input = input;
        bodies[i] = body;
    }
    dent_mesh_destroy(session->context, place->mesh);
    place->mesh = next;
    return STATUS_GOOD;
}

int loaded_world_set_frame(tool_session *session, loaded_world *loaded, uint32_t input, dent_frames *frames,
                           uint32_t index, dent_mesh_change *change)
{
    const char *name = dent_frame_name(frames, index);
    dent_mesh *next = NULL;
    begin_loading(session);
    dent_status status = read_file_or_frame(session, name, frames, index, &next);
    int failed = status == DENT_OK ? exchange_mesh(session, loaded, input, name, next, change)
                                   : complain_about(name, session_message(session, status));
    interrupt_at_once(false);
    if (failed && next != NULL) {
        dent_mesh_destroy(session->context, next);
    }
    return failed;
}

void loaded_world_pose_scene(loaded_world *loaded, uint32_t input, uint32_t frame)
{
    const loaded_input *place = &loaded->inputs[input];
    for (uint32_t i = 0; i < place->body_count; i++) {
        dent_scene_positions(place->scene, i, frame, place->positions[i]);
    }
}

/* ---- the words of the command line ----------------------------------------------------------------------- */

int refuse_scene_options(const tool_options *options)
{
    for (uint32_t i = 0; i < options->argument_count; i++) {
        if (names_a_scene(options, options->arguments[i]) || names_a_simulation(options, options->arguments[i])) {
            return refuse_kind_of_scene(options);
        }
    }
    if ((options->given & (OPTION_BIT(OPTION_SIMULATED) | OPTION_BIT(OPTION_PRESCRIBED))) != 0) {
        return complain("--simulated and --prescribed are for built-in scenes, and none is named");
    }
    if ((options->given & OPTIONS_OF_SCENES) != 0) {
        return complain("--frame, --scale and --set are for built-in scenes, and none is named");
    }
    return STATUS_GOOD;
}

int loaded_world_read_arguments(tool_session *session, loaded_world *loaded)
{
    int failed = refuse_scene_options(session->options);
    if (failed) {
        return failed;
    }
    failed = loaded_world_open(session, loaded);
    session->file_count = session->options->argument_count;
    for (uint32_t i = 0; i < session->options->argument_count && !failed; i++) {
        session->file_number = i + 1;
        failed = loaded_world_add(session, loaded, session->options->arguments[i]);
        if (!failed) {
            session_print_notices(session);
        }
    }
    failed = failed ? failed : loaded_world_allow(session, loaded);
    if (failed) {
        loaded_world_close(session, loaded);
    }
    return failed;
}

void loaded_world_close(tool_session *session, loaded_world *loaded)
{
    dent_world_destroy(loaded->world);
    for (uint32_t i = 0; i < loaded->input_count; i++) {
        release_input(session, &loaded->inputs[i]);
    }
    dent_release(session->context, loaded->inputs, loaded->input_capacity, sizeof *loaded->inputs);
    dent_release(session->context, loaded->bodies, loaded->body_capacity, sizeof *loaded->bodies);
    memset(loaded, 0, sizeof *loaded);
}

int run_on_model(const tool_options *options, printer *out, model_function *function)
{
    tool_session session;
    int status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    loaded_world loaded;
    status = loaded_world_read_arguments(&session, &loaded);
    if (status == STATUS_GOOD) {
        status = function(&session, &loaded);
        loaded_world_close(&session, &loaded);
    }
    session_close(&session);
    return status;
}
