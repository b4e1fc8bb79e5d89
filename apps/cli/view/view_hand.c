/* view_hand.c — a body that the mouse drags through the model (`dent view --hand BODY`): a haptic tool as a source.
 *
 * The pages move the device: a vertex of the body is dragged to a place, keys push and turn it. A frame is a number of
 * ticks of a virtual clock, in which the device goes there at constant speed. What is shown is the god-object, which
 * slides along the other bodies and never enters them. The force is a probe, so it is plotted; the page draws its arrow.
 *
 * A rigid body of a simulated scene is live: a spring of the stiffness that the hand feels pulls it to the device, so that
 * it dents what is soft and pushes what is loose, and both forces are about the same at rest. The god-object follows the
 * device among the bodies as they move in that frame, and is what is shown. */
#include "load_world.h"
#include "tool.h"
#include "view_tool.h"

#include <dent/haptic.h>
#include <dent/sim_scene.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TICKS = 16 };                /* of a frame: about a millisecond each at 60 frames a second */
static const double far_away = 1e6; /* in units: how far the device may go */

typedef struct hand {
    loaded_world loaded;
    uint32_t body;
    dent_haptic_body *others;
    dent_haptic *haptic;
    double *rest, *placed; /* of the body: in its own frame, and now */
    dent_pose device, wanted;
    dent_haptic_force force;
    dent_sim_scene *scene; /* null: the others stand still */
    dent_pose before;      /* inverse of the pose of its body when it was taken */
    double *moving;        /* positions of the others, one after the other */
    size_t moving_count;
    double centre[3], size; /* of the body at the beginning: middle and mean half width of its box */
    view_probe probes[2];
} hand;

/* ---- the tool ---------------------------------------------------------------------------------------------------- */

static dent_body_def shape_of(const loaded_body *body, const double *positions)
{
    dent_body_def def = body->kind == DENT_BODY_SOLID ? dent_solid_def_default() : dent_surface_def_default();
    def.kind = body->kind;
    def.name = body->name;
    def.vertex_count = body->vertex_count;
    def.element_count = body->element_count;
    def.element_corners = body->element_corners;
    def.cell_kinds = body->cell_kinds;
    def.positions_t0 = dent_positions_double(positions);
    return def;
}

static int make_haptic(view_source *source, hand *own, dent_haptic **haptic)
{
    dent_haptic_def def = dent_haptic_def_default();
    def.tool = shape_of(&own->loaded.bodies[own->body], own->rest);
    uint32_t count = 0;
    for (uint32_t i = 0; i < own->loaded.body_count; i++) {
        const loaded_body *body = &own->loaded.bodies[i];
        bool meets = i != own->body && (body->kind == DENT_BODY_SOLID || body->kind == DENT_BODY_SURFACE);
        if (meets) {
            dent_haptic_kind kind = own->scene != NULL ? DENT_HAPTIC_DEFORMING : DENT_HAPTIC_FIXED;
            own->others[count++] = (dent_haptic_body){.shape = shape_of(body, body->positions), .kind = kind};
        }
    }
    def.bodies = own->others;
    def.body_count = count;
    if (dent_haptic_create(source->context, &def, haptic) != DENT_OK) {
        return view_fail(source, "%s", session_message(view_session(source), DENT_ERROR_INVALID_ARGUMENT));
    }
    return STATUS_GOOD;
}

static void place(hand *own, const dent_pose *pose)
{
    double m[16];
    dent_pose_to_matrix(pose, m);
    for (uint32_t v = 0; v < own->loaded.bodies[own->body].vertex_count; v++) {
        const double *p = own->rest + 3 * (size_t)v;
        for (int k = 0; k < 3; k++) {
            own->placed[3 * (size_t)v + (size_t)k] =
                ((m[4 * k] * p[0] + m[4 * k + 1] * p[1]) + m[4 * k + 2] * p[2]) + m[4 * k + 3];
        }
    }
}

/* ---- as a source ------------------------------------------------------------------------------------------------- */

static void tell_force(hand *own)
{
    memcpy(own->probes[0].values, own->force.force, sizeof own->force.force);
    own->probes[1].values[0] =
        sqrt((own->force.force[0] * own->force.force[0] + own->force.force[1] * own->force.force[1]) +
             own->force.force[2] * own->force.force[2]);
}

/* Pulls the body in the simulation to the device by a spring: the velocity after a frame of an implicit step, critically
 * damped, for distance and rotation alike. Such a step pushes a body that is held with the stiffness K / (1 + t sqrt(K /
 * m))^2; K is chosen so that this is the stiffness that the hand feels, or for a light body as much as is stable. In a
 * frame it goes no further than its size, so that it strikes nothing harder than a hand does. */
static dent_status pull(hand *own, dent_context *context, double seconds)
{
    dent_sim *sim = dent_sim_scene_sim(own->scene);
    dent_sim_body_info info = {.mass = 0};
    dent_pose at;
    dent_motion way;
    double linear[3], angular[3], from[16], to[16], felt = dent_haptic_def_default().stiffness, speed = 0;
    dent_sim_body(sim, own->body, &info);
    dent_sim_get_pose(sim, own->body, &at, linear, angular);
    at = dent_pose_product(&at, &own->before);
    dent_status status = dent_motion_between(context, &at, &own->wanted, DENT_MOTION_CONSTANT_VELOCITY, NULL, 0, &way);
    if (status != DENT_OK) {
        return status;
    }
    double reach = seconds * sqrt(felt / info.mass), stiffness = felt / pow(1 - fmin(reach, 0.8), 2);
    double resistance = 2 * sqrt(stiffness * info.mass) + stiffness * seconds;
    double share = seconds / (info.mass + resistance * seconds);
    dent_pose_to_matrix(&at, from);
    dent_pose_to_matrix(&own->wanted, to);
    for (int k = 0; k < 3; k++) {
        double gap = to[4 * k + 3] - from[4 * k + 3];
        for (int i = 0; i < 3; i++) {
            gap += (to[4 * k + i] - from[4 * k + i]) * own->centre[i];
        }
        linear[k] += share * (stiffness * gap - resistance * linear[k]);
        angular[k] += share * (stiffness * way.angle * way.axis[k] - resistance * angular[k]);
        speed += linear[k] * linear[k];
    }
    speed = sqrt(speed);
    for (int k = 0; k < 3 && speed * seconds > own->size; k++) {
        linear[k] *= own->size / (speed * seconds);
    }
    return dent_sim_set_velocity(sim, own->body, linear, angular);
}

/* A frame of the simulation, and where the others are then. */
static dent_status simulate(view_source *source, hand *own)
{
    dent_haptic_scene scene = dent_haptic_scene_default();
    double *next = own->moving;
    dent_status status = pull(own, source->context, source->frame_seconds);
    status = status == DENT_OK ? dent_sim_scene_step_frame(own->scene) : status;
    for (uint32_t i = 0; i < own->loaded.body_count; i++) {
        const loaded_body *body = &own->loaded.bodies[i];
        if (i != own->body && (body->kind == DENT_BODY_SOLID || body->kind == DENT_BODY_SURFACE)) {
            memcpy(next, body->positions, 3 * (size_t)body->vertex_count * sizeof *next);
            next += 3 * (size_t)body->vertex_count;
        }
    }
    scene.positions = own->moving;
    return status == DENT_OK ? dent_haptic_set_scene(own->haptic, &scene) : status;
}

static int advance(view_source *source)
{
    hand *own = source->own;
    dent_haptic_delays delays = dent_haptic_delays_default();
    dent_motion motion;
    dent_status status = dent_motion_between(source->context, &own->device, &own->wanted, DENT_MOTION_CONSTANT_VELOCITY,
                                             NULL, 0, &motion);
    status = status == DENT_OK && own->scene != NULL ? simulate(source, own) : status;
    for (int tick = 1; tick <= TICKS && status == DENT_OK; tick++) {
        own->device = dent_motion_at(&motion, (double)tick / TICKS);
        status = dent_haptic_clock_tick(own->haptic, &delays, &own->device, &own->force);
    }
    if (status != DENT_OK) {
        own->wanted = own->device = own->force.tool;
        return view_fail(source, "%s", session_message(view_session(source), status));
    }
    place(own, &own->force.tool);
    tell_force(own);
    source->frame++;
    source->facts.time = source->frame * source->frame_seconds;
    return STATUS_GOOD;
}

/* Body index in the world of a body of the haptic scene: the hand and what it cannot meet are left out there. */
static uint32_t body_index_of(const hand *own, uint32_t body)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < own->loaded.body_count; i++) {
        const loaded_body *other = &own->loaded.bodies[i];
        bool meets = i != own->body && (other->kind == DENT_BODY_SOLID || other->kind == DENT_BODY_SURFACE);
        if (meets && count++ == body) {
            return i;
        }
    }
    return own->body;
}

static int find_contacts(view_source *source)
{
    hand *own = source->own;
    dent_haptic_state state;
    if (dent_haptic_read(own->haptic, &state) != DENT_OK) {
        return view_fail(source, "%s", session_message(view_session(source), DENT_ERROR_INVALID_ARGUMENT));
    }
    view_facts *facts = &source->facts;
    facts->ms_total = facts->ms_detect = (double)state.ns * 1e-6;
    facts->contact_count = state.contact_count;
    facts->push = 0; /* nothing overlaps */
    view_facts_begin(source);
    for (uint32_t i = 0; i < state.contact_count; i++) {
        const dent_haptic_contact *contact = &state.contacts[i];
        view_contact shown = {
            .body_a = own->body, .body_b = body_index_of(own, contact->body), .force = (float)contact->force};
        for (int axis = 0; axis < 3; axis++) {
            shown.point[axis] = (float)view_place(source, contact->point_body[axis], axis);
            shown.normal[axis] = (float)contact->normal[axis];
        }
        shown.push = (float)view_length(source, -contact->gap);
        if (!view_facts_add(source, &shown)) {
            return view_fail(source, "out of memory");
        }
    }
    return STATUS_GOOD;
}

/* Where the device must be for a vertex of the body to be there. */
static void grab(view_source *source, uint32_t body, uint32_t vertex, const double target[3])
{
    hand *own = source->own;
    if (body != own->body) {
        return;
    }
    double m[16];
    const double *p = own->rest + 3 * (size_t)vertex;
    dent_pose turned = own->wanted;
    memset(turned.translation, 0, sizeof turned.translation);
    dent_pose_to_matrix(&turned, m);
    for (int k = 0; k < 3; k++) {
        double place = target[k] - ((m[4 * k] * p[0] + m[4 * k + 1] * p[1]) + m[4 * k + 2] * p[2]);
        double limit = far_away * source->unit;
        own->wanted.translation[k] = fmin(fmax(place, -limit), limit);
    }
}

/* Pushes by lengths in units, or turns by a rotation vector about the middle of the body. */
static void nudge(view_source *source, bool turns, const double by[3])
{
    hand *own = source->own;
    if (!turns) {
        for (int k = 0; k < 3; k++) {
            double limit = far_away * source->unit;
            own->wanted.translation[k] = fmin(fmax(own->wanted.translation[k] + by[k] * source->unit, -limit), limit);
        }
        return;
    }
    dent_motion motion = dent_motion_stationary(&own->wanted);
    motion.angle = fmin(sqrt((by[0] * by[0] + by[1] * by[1]) + by[2] * by[2]), 1);
    const loaded_body *body = &own->loaded.bodies[own->body];
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            lo = fmin(lo, own->rest[3 * (size_t)v + (size_t)k]);
            hi = fmax(hi, own->rest[3 * (size_t)v + (size_t)k]);
        }
        motion.centre[k] = lo / 2 + hi / 2;
        motion.axis[k] = by[k];
    }
    if (motion.angle > 0) {
        own->wanted = dent_motion_at(&motion, 1);
    }
}

/* The device goes where the body is: no force is left. */
static void release(view_source *source)
{
    hand *own = source->own;
    own->wanted = own->device = own->force.tool;
}

static void drop_model(view_source *source, hand *own)
{
    dent_context *context = source->context;
    size_t numbers = own->body < own->loaded.body_count ? 3 * (size_t)own->loaded.bodies[own->body].vertex_count : 0;
    dent_haptic_destroy(own->haptic);
    dent_release(context, own->rest, numbers, sizeof *own->rest);
    dent_release(context, own->placed, numbers, sizeof *own->placed);
    dent_release(context, own->others, own->loaded.body_count, sizeof *own->others);
    dent_release(context, own->moving, own->moving_count, sizeof *own->moving);
    loaded_world_close(view_session(source), &own->loaded);
}

static void close_hand(view_source *source)
{
    hand *own = source->own;
    drop_model(source, own);
    dent_release(source->context, own, 1, sizeof *own);
    source->own = NULL;
}

/* ---- open -------------------------------------------------------------------------------------------------------- */

static int take_body(view_source *source, hand *own)
{
    dent_context *context = source->context;
    uint32_t count = own->loaded.body_count;
    if (own->body >= count) {
        return view_fail(source, "--hand %u: the model has %u bodies, 0 to %u", own->body, count, count - 1);
    }
    loaded_body *body = &own->loaded.bodies[own->body];
    if (body->kind != DENT_BODY_SOLID && body->kind != DENT_BODY_SURFACE) {
        return view_fail(source, "--hand %u: %s is neither a solid nor a surface", own->body, body->name);
    }
    size_t numbers = 3 * (size_t)body->vertex_count;
    own->rest = dent_allocate(context, numbers, sizeof *own->rest);
    own->placed = dent_allocate(context, numbers, sizeof *own->placed);
    own->others = dent_allocate(context, count, sizeof *own->others);
    if (own->rest == NULL || own->placed == NULL || own->others == NULL) {
        return view_fail(source, "out of memory");
    }
    memcpy(own->rest, body->positions, numbers * sizeof *own->rest);
    memcpy(own->placed, own->rest, numbers * sizeof *own->rest);
    dent_positions placed = dent_positions_double(own->placed);
    body->positions = own->placed;
    return dent_body_set_positions(own->loaded.world, body->id, &placed, NULL) == DENT_OK
               ? STATUS_GOOD
               : view_fail(source, "%s", dent_world_message(own->loaded.world));
}

/* A rigid body of a simulated scene goes on with it; whatever else is taken stands among bodies that stand still. */
static int take_simulation(view_source *source, hand *own)
{
    dent_sim_scene *scene = own->loaded.input_count == 1 ? own->loaded.inputs[0].simulation : NULL;
    dent_sim_body_info info;
    if (scene == NULL || !dent_sim_body(dent_sim_scene_sim(scene), own->body, &info) || info.kind != DENT_SIM_RIGID) {
        return STATUS_GOOD;
    }
    size_t numbers = 0;
    for (uint32_t i = 0; i < own->loaded.body_count; i++) {
        numbers += i != own->body ? 3 * (size_t)own->loaded.bodies[i].vertex_count : 0;
    }
    own->moving = dent_allocate(source->context, numbers, sizeof *own->moving);
    if (own->moving == NULL) {
        return view_fail(source, "out of memory");
    }
    own->moving_count = numbers;
    own->scene = scene;
    dent_sim_get_pose(dent_sim_scene_sim(scene), own->body, &own->before, NULL, NULL);
    own->before = dent_pose_inverse(&own->before);
    own->size = 0;
    for (int k = 0; k < 3; k++) {
        double lo = INFINITY, hi = -INFINITY;
        for (uint32_t v = 0; v < own->loaded.bodies[own->body].vertex_count; v++) {
            lo = fmin(lo, own->rest[3 * (size_t)v + (size_t)k]);
            hi = fmax(hi, own->rest[3 * (size_t)v + (size_t)k]);
        }
        own->centre[k] = lo / 2 + hi / 2;
        own->size += (hi / 2 - lo / 2) / 3;
    }
    return STATUS_GOOD;
}

static void pose_scenes(hand *own, uint32_t frame)
{
    for (uint32_t i = 0; i < own->loaded.input_count; i++) {
        if (own->loaded.inputs[i].scene != NULL) {
            loaded_world_pose_scene(&own->loaded, i, frame);
        }
    }
}

/* The model as it begins, with the body at its place. What has been made is dropped by the caller. */
static int make_model(view_source *source, hand *own)
{
    tool_session *session = view_session(source);
    own->body = session->options->hand;
    own->device = own->wanted = own->force.tool = dent_pose_identity();
    int failed = loaded_world_read_arguments(session, &own->loaded);
    if (failed) {
        memset(&own->loaded, 0, sizeof own->loaded);
        return failed;
    }
    pose_scenes(own, session->options->frame);
    failed = take_body(source, own);
    failed = failed ? failed : take_simulation(source, own);
    return failed ? failed : make_haptic(source, own, &own->haptic);
}

static void show_model(view_source *source, hand *own)
{
    source->world = own->loaded.world;
    source->frame = 0;
    source->facts.time = 0;
    own->probes[0] = (view_probe){.name = "force on the hand", .column_count = 3};
    own->probes[1] = (view_probe){.name = "its length", .column_count = 1};
}

/* A simulation is made anew, and before the old one goes. What stands still is only left by the hand. */
static int restart(view_source *source)
{
    hand *own = source->own;
    if (own->scene != NULL) {
        hand before = *own;
        memset(own, 0, sizeof *own);
        int failed = make_model(source, own);
        if (failed) {
            drop_model(source, own);
            *own = before;
            return failed;
        }
        show_model(source, own);
        failed = view_describe_loaded(source, own->loaded.bodies, own->loaded.body_count);
        drop_model(source, &before);
        return failed;
    }
    dent_haptic *fresh = NULL;
    int failed = make_haptic(source, own, &fresh);
    if (failed) {
        return failed;
    }
    dent_haptic_destroy(own->haptic);
    own->haptic = fresh;
    own->force = (dent_haptic_force){.tool = dent_pose_identity()};
    own->device = own->wanted = dent_pose_identity();
    source->frame = 0;
    source->facts.time = 0;
    place(own, &own->device);
    tell_force(own);
    return STATUS_GOOD;
}

int view_hand_open(view_source *source)
{
    tool_session *session = view_session(source);
    hand *own = dent_allocate(session->context, 1, sizeof *own);
    if (own == NULL) {
        return view_fail(source, "out of memory");
    }
    memset(own, 0, sizeof *own);
    int failed = make_model(source, own);
    source->own = own;
    source->close = close_hand;
    source->frame_seconds = 1.0 / 60;
    if (!failed && own->scene != NULL) {
        dent_sim_scene_facts facts = dent_sim_scene_get_facts(own->scene);
        source->length_unit = facts.length_unit;
        source->frame_seconds = facts.steps_per_frame * facts.time_step;
    }
    source->live = source->has_hand = true;
    source->hand = own->body;
    source->hand_stiffness = dent_haptic_def_default().stiffness;
    source->advance = advance;
    source->restart = restart;
    source->find_contacts = find_contacts;
    source->grab = grab;
    source->nudge = nudge;
    source->release = release;
    source->probes = own->probes;
    source->probe_count = 2;
    show_model(source, own);
    return failed ? failed : view_describe_loaded(source, own->loaded.bodies, own->loaded.body_count);
}
