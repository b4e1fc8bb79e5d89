/* The god-object's loop: towards the device as far as certified motions lead.
 *
 * One update is a few cycles. Each takes the contacts of the present pose as rows, with what the bodies will do in the
 * rest of the interval; projects the way to the device onto them; and asks for the certified motion of tool and bodies
 * along it. If that is free, all move. If it meets something, all move to just before, where the new contact is a row.
 *
 * A cycle that leads nowhere adds the contacts of its motion as rows. If the next one leads nowhere either, the scene
 * goes a smaller part of its way: rows are straight, and motions are not. If that does not help, the bodies leave no
 * room: the copy of the scene stands still for the rest of the update, and the tool moves alone. */
#include "haptic/haptic_state.h"

enum { CYCLES = 4, CYCLES_MOVING = 24 }; /* of an update; where bodies move, more: they do not wait */
#define SMALLEST_SHARE (1.0 / 256)

/* One update while it runs. */
struct progress {
    dent_haptic *haptic;
    struct haptic_row rows[2 * DENT_HAPTIC_CONTACTS_MAX];
    double wanted[6], step[6];
    double turn, most_turn; /* of the step, in radians */
    dent_motion motion;
    double reached; /* of the way of the scene */
    double share;   /* of the rest, to aim at */
    uint32_t tests, stuck;
    bool squeezed, undecided, arrived, done, stepped_back;
};

/* ---- rows -------------------------------------------------------------------------------------------------------- */

/* How far the body comes towards the tool in the rest of the interval, at a contact. */
static double approach(const struct haptic_scene *scene, const struct haptic_near *near)
{
    const struct haptic_body *body = &scene->bodies[near->body];
    const double *now = haptic_body_points(scene, body, false), *then = haptic_body_points(scene, body, true);
    dent_pose pose_now = haptic_body_pose(scene, body, false), pose_then = haptic_body_pose(scene, body, true);
    double from[3] = {0}, to[3] = {0};
    for (int corner = 0; corner < 3; corner++) {
        const double *a = now + 3 * (size_t)near->vertices[corner], *b = then + 3 * (size_t)near->vertices[corner];
        for (int k = 0; k < 3; k++) {
            from[k] += near->weights[corner] * a[k];
            to[k] += near->weights[corner] * b[k];
        }
    }
    struct haptic_place place_now = haptic_place_of(&pose_now), place_then = haptic_place_of(&pose_then);
    haptic_point(&place_now, from, from);
    haptic_point(&place_then, to, to);
    haptic_subtract(to, from, to);
    return haptic_dot(to, near->normal);
}

static void set_row(const struct progress *progress, const struct haptic_near *near, bool with_motion,
                    struct haptic_row *row)
{
    const dent_haptic *haptic = progress->haptic;
    const struct haptic_scene *scene = &haptic->god.scene;
    double centre[3], arm[3];
    haptic_centre_at(haptic, &haptic->god.tool, centre);
    haptic_subtract(near->point_tool, centre, arm);
    haptic_row_set(row, arm, near->normal);
    row->key = near->key;
    row->target = haptic->target_gap - near->gap;
    if (with_motion && scene->moving && scene->bodies[near->body].kind != DENT_HAPTIC_FIXED) {
        row->target += approach(scene, near);
    }
}

/* The step to ask for. Rows are straight and a turn is not: next to contacts a cycle turns by an angle that leaves the
 * row by half a target gap. Stepping back, the tool only gets its distance. */
static dent_status project(struct progress *progress)
{
    dent_haptic *haptic = progress->haptic;
    struct haptic_god *god = &haptic->god;
    const struct haptic_near *near = god->near.data;
    uint32_t count = 0;
    /* Contacts of a motion that led nowhere are more urgent than the last of those chosen. */
    uint32_t own = DENT_HAPTIC_CONTACTS_MAX - god->extra_count;
    for (uint32_t i = 0; i < god->chosen_count && i < own; i++) {
        set_row(progress, &near[god->chosen[i]], true, &progress->rows[count++]);
    }
    for (uint32_t i = 0; i < god->extra_count; i++) {
        set_row(progress, &god->extra[i], false, &progress->rows[count++]);
    }
    memset(progress->wanted, 0, sizeof progress->wanted);
    progress->turn = progress->most_turn = 0;
    dent_status status = progress->stepped_back ? DENT_OK
                                                : haptic_difference(god->context, &god->tool, &god->target,
                                                                    haptic->centre, progress->wanted);
    status = status == DENT_OK
                 ? haptic_project(&god->projector, progress->rows, count, progress->wanted, progress->step)
                 : status;
    if (status == DENT_OK && count > 0) {
        progress->turn = haptic_length(progress->step + 3);
        progress->most_turn = sqrt(haptic->target_gap / haptic->radius);
    }
    if (progress->turn <= progress->most_turn) {
        return status;
    }
    for (int k = 0; k < 6; k++) {
        progress->wanted[k] *= progress->most_turn / progress->turn;
    }
    status = haptic_project(&god->projector, progress->rows, count, progress->wanted, progress->step);
    progress->turn = haptic_length(progress->step + 3);
    return status;
}

static double size_of(const dent_haptic *haptic, const double x[6])
{
    return haptic_length(x) + haptic->inertia * haptic_length(x + 3);
}

/* ---- certified motion -------------------------------------------------------------------------------------------- */

static dent_status certify(struct progress *progress, dent_motion_impact_result *result)
{
    dent_haptic *haptic = progress->haptic;
    struct haptic_god *god = &haptic->god;
    dent_motion_impact_def def = dent_motion_impact_def_default();
    progress->motion = haptic_motion(&god->tool, haptic->centre, progress->step);
    god->scene.frames[0] = (dent_motion_frame){DENT_FRAME_WORLD, progress->motion};
    dent_status status = haptic_scene_motion(god);
    def.frames = god->scene.frames;
    def.frame_count = god->scene.frame_count;
    def.bodies = god->scene.attached;
    def.body_count = god->scene.attached_count;
    def.tolerance = HAPTIC_STOP * haptic->target_gap;
    def.work_limit = haptic->def.work_limit;
    progress->tests++;
    return status == DENT_OK ? dent_world_motion_impact(god->world, &def, result) : status;
}

/* A contact of a certified motion as one of ours. Bodies are added to the world after the tool, in their order. */
static void keep_extra(struct haptic_god *god, const dent_motion_contact *contact)
{
    if (god->extra_count >= DENT_HAPTIC_CONTACTS_MAX / 2 || (contact->body_a == 0) == (contact->body_b == 0)) {
        return;
    }
    bool tool_is_a = contact->body_a == 0;
    struct haptic_near *near = &god->extra[god->extra_count++];
    memset(near, 0, sizeof *near);
    near->body = (tool_is_a ? contact->body_b : contact->body_a) - 1;
    near->key = god->extra_count; /* one of an update only */
    near->gap = contact->separation;
    for (int k = 0; k < 3; k++) {
        near->point_tool[k] = tool_is_a ? contact->point_a[k] : contact->point_b[k];
        near->point_body[k] = tool_is_a ? contact->point_b[k] : contact->point_a[k];
        near->normal[k] = tool_is_a ? contact->normal[k] : -contact->normal[k];
    }
}

/* Moves everything to time t of the certified motion. Not where the gap would become so small that rounding might end
 * it: there the tool stays. */
static dent_status move_to(struct progress *progress, double t, bool *moved)
{
    dent_haptic *haptic = progress->haptic;
    struct haptic_god *god = &haptic->god;
    dent_pose before = god->tool;
    double least = god->least, floor = haptic->target_gap / 128;
    *moved = false;
    dent_status status = haptic_scene_advance(god, t);
    god->tool = dent_motion_at(&progress->motion, t);
    status = status == DENT_OK ? haptic_find_contacts(haptic) : status;
    if (status == DENT_OK && (god->least >= floor || god->least >= least)) {
        *moved = true;
        return DENT_OK;
    }
    god->tool = before;
    dent_status undone = haptic_scene_undo(god);
    undone = undone == DENT_OK ? haptic_find_contacts(haptic) : undone;
    return status == DENT_OK ? undone : status;
}

/* ---- cycles ------------------------------------------------------------------------------------------------------ */

static void go_nowhere(struct progress *progress, const dent_motion_impact_result *result)
{
    struct haptic_god *god = &progress->haptic->god;
    for (uint64_t i = 0; i < result->contact_count && progress->stuck == 0; i++) {
        keep_extra(god, &result->contacts[i]);
    }
    progress->undecided = result->verdict == DENT_MOTION_UNDECIDED;
    if (++progress->stuck < 2) {
        return;
    }
    if (!god->scene.moving) {
        progress->done = true;
        return;
    }
    progress->stuck = 0;
    progress->share /= 8;
    if (progress->share < SMALLEST_SHARE / 8) {
        progress->squeezed = !progress->undecided;
        haptic_scene_hold(god);
    }
}

/* Is there anything left to do? The step that the contacts allow is 0, and nothing else moves. */
static bool has_arrived(struct progress *progress)
{
    const dent_haptic *haptic = progress->haptic;
    return !haptic->god.scene.moving && size_of(haptic, progress->step) <= 1e-3 * haptic->target_gap;
}

/* The scene goes no farther than pushes that turn the tool as far as it may. */
static dent_status aim_and_project(struct progress *progress)
{
    struct haptic_god *god = &progress->haptic->god;
    for (;; progress->share /= 4) {
        dent_status status = god->scene.moving ? haptic_scene_aim(god, progress->share) : DENT_OK;
        status = status == DENT_OK ? project(progress) : status;
        bool turns = god->scene.moving && progress->turn > 2 * progress->most_turn;
        if (status != DENT_OK || !turns || progress->share < SMALLEST_SHARE) {
            return status;
        }
    }
}

static dent_status advance(struct progress *progress)
{
    struct haptic_god *god = &progress->haptic->god;
    dent_motion_impact_result result;
    dent_status status = aim_and_project(progress);
    if (status != DENT_OK) {
        return status;
    }
    if (has_arrived(progress)) {
        progress->arrived = progress->done = true;
        return DENT_OK;
    }
    status = certify(progress, &result);
    if (status != DENT_OK) {
        return status;
    }
    bool is_free = result.verdict == DENT_MOTION_FREE, moved = false, moving = god->scene.moving;
    double t = is_free ? 1 : result.t_lo * (1 - 0x1p-10);
    bool far_enough =
        is_free || moving ? t > 0 : t * size_of(progress->haptic, progress->step) > 1e-3 * progress->haptic->target_gap;
    status = far_enough ? move_to(progress, t, &moved) : DENT_OK;
    if (status != DENT_OK) {
        return status;
    }
    if (moved) {
        progress->reached += moving ? t * progress->share * (1 - progress->reached) : 0;
        progress->share = is_free ? fmin(1, 4 * progress->share) : progress->share;
        progress->stuck = is_free || t > 1e-3 ? 0 : progress->stuck;
        progress->undecided = result.verdict == DENT_MOTION_UNDECIDED;
        god->extra_count = 0;
    }
    if (!moved || (!is_free && t <= 1e-3)) {
        go_nowhere(progress, &result);
    }
    return DENT_OK;
}

/* Where the gap has become small, the tool first gets its distance back, while the scene stands. */
static dent_status cycle(struct progress *progress)
{
    struct haptic_god *god = &progress->haptic->god;
    bool steps_back = god->scene.moving && god->least < progress->haptic->target_gap / 2 && !progress->stepped_back;
    if (!steps_back) {
        progress->stepped_back = false;
        return advance(progress);
    }
    uint32_t stuck = progress->stuck;
    progress->stepped_back = true;
    haptic_scene_hold(god);
    dent_status status = advance(progress);
    haptic_scene_begin(god);
    progress->stuck = stuck;
    progress->done = progress->arrived = false;
    return status;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

static dent_haptic_outcome outcome_of(const struct progress *progress, bool pushes)
{
    if (progress->squeezed) {
        return DENT_HAPTIC_SQUEEZED;
    }
    if (progress->undecided) {
        return DENT_HAPTIC_UNDECIDED;
    }
    if (pushes) {
        return progress->done ? DENT_HAPTIC_CONTACT : DENT_HAPTIC_MOVING;
    }
    return progress->arrived ? DENT_HAPTIC_FREE : DENT_HAPTIC_MOVING;
}

/* Contacts and what they push, where the tool is now. */
static dent_status describe(struct progress *progress)
{
    dent_haptic *haptic = progress->haptic;
    struct haptic_god *god = &haptic->god;
    const struct haptic_near *near = god->near.data;
    bool pushes = false;
    for (uint32_t i = 0; i < god->chosen_count; i++) {
        set_row(progress, &near[god->chosen[i]], false, &progress->rows[i]);
        progress->rows[i].target = fmin(progress->rows[i].target, 0);
    }
    dent_status status = haptic_difference(god->context, &god->tool, &god->target, haptic->centre, progress->wanted);
    status = status == DENT_OK
                 ? haptic_project(&god->projector, progress->rows, god->chosen_count, progress->wanted, progress->step)
                 : status;
    for (uint32_t i = 0; i < god->chosen_count && status == DENT_OK; i++) {
        const struct haptic_near *from = &near[god->chosen[i]];
        dent_haptic_contact *contact = &god->result.contacts[i];
        *contact = (dent_haptic_contact){.key = from->key, .body = from->body, .gap = from->gap};
        memcpy(contact->point_tool, from->point_tool, sizeof contact->point_tool);
        memcpy(contact->point_body, from->point_body, sizeof contact->point_body);
        memcpy(contact->normal, from->normal, sizeof contact->normal);
        contact->force = haptic->def.stiffness * fmax(god->projector.forces[i].multiplier, 0);
        pushes = pushes || contact->force > 0;
    }
    dent_haptic_state *state = &god->result.state;
    *state = (dent_haptic_state){.sequence = god->updates, .tool = god->tool, .motion_tests = progress->tests};
    state->outcome = outcome_of(progress, pushes);
    state->scene_reached = god->scene.moving || progress->squeezed ? fmin(progress->reached, 1 - 0x1p-52) : 1;
    state->contact_count = status == DENT_OK ? god->chosen_count : 0;
    state->gap = god->least;
    god->squeezed += state->outcome == DENT_HAPTIC_SQUEEZED;
    god->undecided += state->outcome == DENT_HAPTIC_UNDECIDED;
    god->wants_more = state->outcome == DENT_HAPTIC_MOVING || progress->squeezed;
    return status;
}

static dent_status update(dent_haptic *haptic)
{
    struct haptic_god *god = &haptic->god;
    struct progress progress = {.haptic = haptic, .share = 1};
    uint64_t began = dent_clock_ns();
    dent_status status = DENT_OK;
    haptic_scene_begin(god);
    god->updates++;
    god->extra_count = 0;
    uint32_t cycles = god->scene.moving ? CYCLES_MOVING : CYCLES;
    if (!god->contacts_are_known) { /* the last update failed, or there was none */
        status = haptic_find_contacts(haptic);
    }
    god->contacts_are_known = false;
    for (uint32_t i = 0; i < cycles && status == DENT_OK && !progress.done; i++) {
        status = cycle(&progress);
    }
    god->contacts_are_known = status == DENT_OK;
    status = status == DENT_OK ? describe(&progress) : status;
    god->result.state.ns = dent_clock_ns() - began;
    god->ns_max = god->result.state.ns > god->ns_max ? god->result.state.ns : god->ns_max;
    return status;
}

dent_status haptic_god_update(dent_haptic *haptic)
{
    struct haptic_god *god = &haptic->god;
    if (haptic_exchange_take(&haptic->poses)) {
        memcpy(&god->target, haptic_exchange_front(&haptic->poses), sizeof god->target);
    }
    if (haptic_exchange_take(&haptic->scenes)) {
        memcpy(god->scene.target, haptic_exchange_front(&haptic->scenes),
               god->scene.number_count * sizeof *god->scene.target);
    }
    dent_status status = update(haptic);
    if (status != DENT_OK) {
        char message[512];
        const char *own = dent_world_message(god->world);
        if (dent_context_message(god->context, message, sizeof message) == 0) {
            message[0] = 0;
        }
        return dent_fail(haptic->context, status, "the update of a haptic tool: %s",
                         own && own[0] ? own
                         : message[0]  ? message
                                       : dent_status_name(status));
    }
    return DENT_OK;
}

void haptic_god_publish(dent_haptic *haptic, const struct haptic_snapshot *snapshot)
{
    memcpy(haptic_exchange_back(&haptic->to_device), snapshot, sizeof *snapshot);
    haptic_exchange_publish(&haptic->to_device);
    memcpy(haptic_exchange_back(&haptic->to_reader), snapshot, sizeof *snapshot);
    haptic_exchange_publish(&haptic->to_reader);
}
