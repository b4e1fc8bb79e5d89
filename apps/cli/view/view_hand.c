/* view_hand.c — a body that the mouse drags through the model (`dent view --hand BODY`): a haptic tool as a source.
 *
 * The pages move the device: a vertex of the body is dragged to a place, keys push and turn it. A frame is a number of
 * ticks of a virtual clock, in which the device goes there at constant speed. What is shown is the god-object, which
 * slides along the other bodies and never enters them. The force is a probe, so it is plotted; the page draws its arrow. */
#include "load_world.h"
#include "tool.h"
#include "view_tool.h"

#include <dent/haptic.h>
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
            own->others[count++] =
                (dent_haptic_body){.shape = shape_of(body, body->positions), .kind = DENT_HAPTIC_FIXED};
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

static int advance(view_source *source)
{
    hand *own = source->own;
    dent_haptic_delays delays = dent_haptic_delays_default();
    dent_motion motion;
    dent_status status = dent_motion_between(source->context, &own->device, &own->wanted, DENT_MOTION_CONSTANT_VELOCITY,
                                             NULL, 0, &motion);
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

/* Rank in the world of a body of the haptic scene: the hand and what it cannot meet are left out there. */
static uint32_t rank_of(const hand *own, uint32_t body)
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
            .body_a = own->body, .body_b = rank_of(own, contact->body), .force = (float)contact->force};
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

static int restart(view_source *source)
{
    hand *own = source->own;
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

static void close_hand(view_source *source)
{
    hand *own = source->own;
    dent_context *context = source->context;
    size_t numbers = own->body < own->loaded.body_count ? 3 * (size_t)own->loaded.bodies[own->body].vertex_count : 0;
    dent_haptic_destroy(own->haptic);
    dent_release(context, own->rest, numbers, sizeof *own->rest);
    dent_release(context, own->placed, numbers, sizeof *own->placed);
    dent_release(context, own->others, own->loaded.body_count, sizeof *own->others);
    loaded_world_close(view_session(source), &own->loaded);
    dent_release(context, own, 1, sizeof *own);
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

static void pose_scenes(hand *own, uint32_t frame)
{
    for (uint32_t i = 0; i < own->loaded.input_count; i++) {
        if (own->loaded.inputs[i].scene != NULL) {
            loaded_world_pose_scene(&own->loaded, i, frame);
        }
    }
}

int view_hand_open(view_source *source)
{
    tool_session *session = view_session(source);
    hand *own = dent_allocate(session->context, 1, sizeof *own);
    if (own == NULL) {
        return view_fail(source, "out of memory");
    }
    memset(own, 0, sizeof *own);
    own->body = session->options->hand;
    own->device = own->wanted = own->force.tool = dent_pose_identity();
    int failed = loaded_world_read_arguments(session, &own->loaded);
    if (failed) {
        dent_release(session->context, own, 1, sizeof *own);
        return failed;
    }
    pose_scenes(own, session->options->frame);
    source->own = own;
    source->close = close_hand;
    source->world = own->loaded.world;
    source->frame_seconds = 1.0 / 60;
    source->live = source->has_hand = true;
    source->hand = own->body;
    source->hand_stiffness = dent_haptic_def_default().stiffness;
    source->advance = advance;
    source->restart = restart;
    source->find_contacts = find_contacts;
    source->grab = grab;
    source->nudge = nudge;
    source->release = release;
    own->probes[0] = (view_probe){.name = "force on the hand", .column_count = 3};
    own->probes[1] = (view_probe){.name = "its length", .column_count = 1};
    source->probes = own->probes;
    source->probe_count = 2;
    failed = take_body(source, own);
    failed = failed ? failed : make_haptic(source, own, &own->haptic);
    return failed ? failed : view_describe_loaded(source, own->loaded.bodies, own->loaded.body_count);
}
