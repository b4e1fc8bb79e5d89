/* The device's loop: the force between device and god-object, and what keeps it from feeding energy to the hand.
 *
 *   spring     the way from the god-object to the device, minus what the contacts allow of it, times the stiffness
 *   damping    the same for the velocity of the device; so it acts along contacts that push and never pulls
 *   limits     the wrench is scaled down as a whole, so it stays a sum of contact normals
 *   blending   of a larger force only, when the set of contacts that push has changed
 *   tank       what the hand has put into the contact it is in; a force that leads out gets no more than that. A jump
 *              puts nothing in: it gets what the spring holds
 *
 * The work of a force that is constant over a tick is known exactly: force times displacement, when the next pose
 * arrives. So the tank is measured, not estimated. Ahead of time only the next displacement is: the last one, doubled. */
#include "haptic/haptic_state.h"

/* Of what the hand puts in: for what it gets where it turns back with the tank empty. */
#define FEE 0.05

struct coupling {
    dent_haptic *haptic;
    const dent_pose *seen, *device;
    dent_haptic_force *force;
    const struct haptic_snapshot *snapshot;
    struct haptic_row rows[DENT_HAPTIC_CONTACTS_MAX];
    uint32_t count;
    double factors[DENT_HAPTIC_CONTACTS_MAX]; /* of the contact normals; >= 0 */
    double wrench[6];
    double stored; /* energy of the spring */
};

/* The length of a wrench in units of force. */
static double magnitude_of(const dent_haptic *haptic, const double wrench[6])
{
    double force = haptic_length(wrench), torque = haptic_length(wrench + 3) / haptic->inertia;
    return sqrt(force * force + torque * torque);
}

static void scale(double wrench[6], double factor)
{
    for (int k = 0; k < 6; k++) {
        wrench[k] *= factor;
    }
}

static double rate_of_work(const double wrench[6], const double x[6])
{
    return haptic_dot(wrench, x) + haptic_dot(wrench + 3, x + 3);
}

/* ---- the hand ---------------------------------------------------------------------------------------------------- */

/* What the last force has done on the way to this pose. */
static dent_status account(struct coupling *coupling)
{
    dent_haptic *haptic = coupling->haptic;
    struct haptic_couple *couple = &haptic->couple;
    double moved[6] = {0};
    dent_status status = couple->has_device ? haptic_difference(haptic->context, &couple->device, coupling->device,
                                                                haptic->centre, moved)
                                            : DENT_OK;
    if (status != DENT_OK) {
        return status;
    }
    double work = rate_of_work(couple->wrench, moved);
    couple->work += work;
    couple->tank -= work < 0 ? (1 - FEE) * work : work;
    double limit = haptic->def.jump_limit > 0 ? haptic->def.jump_limit : 4 * haptic->radius;
    coupling->force->jumped = haptic_length(moved) > limit;
    couple->jumps += coupling->force->jumped;
    for (int k = 0; k < 6; k++) {
        couple->velocity[k] = coupling->force->jumped ? 0 : moved[k] / haptic->def.tick;
    }
    couple->device = *coupling->device;
    couple->has_device = true;
    return DENT_OK;
}

/* ---- spring and damper ------------------------------------------------------------------------------------------- */

/* Adds the multipliers of a projection to the factors; if it fails, none. */
static dent_status add_projected(struct coupling *coupling, const double wanted[6], double factor)
{
    struct haptic_projector *projector = &coupling->haptic->couple.projector;
    double allowed[6], sums[DENT_HAPTIC_CONTACTS_MAX];
    size_t size = coupling->count * sizeof *sums;
    dent_status status = haptic_project(projector, coupling->rows, coupling->count, wanted, allowed);
    if (status != DENT_OK) {
        return status;
    }
    memcpy(sums, coupling->factors, size);
    for (uint32_t i = 0; i < coupling->count; i++) {
        sums[i] += factor * fmax(projector->forces[i].multiplier, 0);
    }
    memcpy(coupling->factors, sums, size);
    return DENT_OK;
}

static void add_up(struct coupling *coupling)
{
    memset(coupling->wrench, 0, sizeof coupling->wrench);
    for (uint32_t i = 0; i < coupling->count; i++) {
        for (int k = 0; k < 6; k++) {
            coupling->wrench[k] += coupling->factors[i] * coupling->rows[i].coefficients[k];
        }
    }
    coupling->force->pushing = coupling->count;
}

static dent_status spring(struct coupling *coupling)
{
    const dent_haptic *haptic = coupling->haptic;
    const struct haptic_snapshot *snapshot = coupling->snapshot;
    double centre[3], arm[3], wanted[6];
    haptic_centre_at(haptic, &snapshot->state.tool, centre);
    coupling->count = snapshot->state.contact_count;
    for (uint32_t i = 0; i < coupling->count; i++) {
        const dent_haptic_contact *contact = &snapshot->contacts[i];
        haptic_subtract(contact->point_tool, centre, arm);
        haptic_row_set(&coupling->rows[i], arm, contact->normal);
        coupling->rows[i].key = contact->key;
        coupling->rows[i].target = fmin(haptic->target_gap - contact->gap, 0);
    }
    dent_status status =
        haptic_difference(haptic->context, &snapshot->state.tool, coupling->seen, haptic->centre, wanted);
    status = status == DENT_OK ? add_projected(coupling, wanted, haptic->def.stiffness) : status;
    add_up(coupling);
    coupling->stored = -rate_of_work(coupling->wrench, wanted) / 2;
    return status;
}

/* Rows that do not push are taken out; the others hold back the velocity of the device. */
static dent_status damp(struct coupling *coupling)
{
    const dent_haptic *haptic = coupling->haptic;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < coupling->count; i++) {
        if (coupling->factors[i] > 0) {
            coupling->rows[kept] = coupling->rows[i];
            coupling->rows[kept].target = 0;
            coupling->factors[kept++] = coupling->factors[i];
        }
    }
    coupling->count = kept;
    bool wanted = kept > 0 && !haptic->def.no_passivity && haptic->def.damping > 0;
    return wanted ? add_projected(coupling, haptic->couple.velocity, haptic->def.damping) : DENT_OK;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

static void clamp(struct coupling *coupling)
{
    const dent_haptic_def *def = &coupling->haptic->def;
    double force = haptic_length(coupling->wrench), torque = haptic_length(coupling->wrench + 3), factor = 1;
    factor = force > def->force_limit ? def->force_limit / force : factor;
    factor = torque > def->torque_limit ? fmin(factor, def->torque_limit / torque) : factor;
    coupling->force->clamped = factor < 1;
    scale(coupling->wrench, factor);
}

static uint64_t pushing_set(const struct coupling *coupling)
{
    uint64_t set = 0;
    for (uint32_t i = 0; i < coupling->count; i++) {
        set += coupling->rows[i].key | 1; /* in any order */
    }
    return set;
}

static void blend(struct coupling *coupling)
{
    dent_haptic *haptic = coupling->haptic;
    struct haptic_couple *couple = &haptic->couple;
    uint64_t set = pushing_set(coupling);
    if (set != couple->pushing) {
        couple->pushing = set;
        couple->blend_from = couple->magnitude;
        couple->blend_time = 0;
    }
    couple->blend_time += haptic->def.tick;
    double magnitude = magnitude_of(haptic, coupling->wrench);
    if (couple->blend_time < haptic->def.blend && magnitude > couple->blend_from) {
        double share = couple->blend_time / haptic->def.blend;
        scale(coupling->wrench, (couple->blend_from + share * (magnitude - couple->blend_from)) / magnitude);
        coupling->force->blended = true;
    }
}

/* A force along which the hand moves gives it energy. Its next displacement is taken as twice the last one and a
 * target gap. A hand that presses may turn back by a target gap, and fills the tank as it goes. */
static void drain(struct coupling *coupling)
{
    dent_haptic *haptic = coupling->haptic;
    struct haptic_couple *couple = &haptic->couple;
    if (coupling->count == 0 && couple->tank > 0) {
        couple->tank = 0; /* the contact is over: what it kept is not for the next one. A debt stays */
    }
    if (coupling->force->jumped) {
        couple->tank = fmax(couple->tank, coupling->stored);
    }
    double gain = haptic->def.tick * rate_of_work(coupling->wrench, couple->velocity);
    double need = 2 * fmax(gain, 0) + magnitude_of(haptic, coupling->wrench) * haptic->target_gap;
    double most = fmax(couple->tank + fmax(-gain, 0), 0);
    if (!haptic->def.no_passivity && need > most) {
        scale(coupling->wrench, most / need);
        coupling->force->limited = true;
    }
}

/* ---- a tick ------------------------------------------------------------------------------------------------------ */

static void report(struct coupling *coupling)
{
    struct haptic_couple *couple = &coupling->haptic->couple;
    dent_haptic_force *force = coupling->force;
    memcpy(couple->wrench, coupling->wrench, sizeof couple->wrench);
    couple->magnitude = magnitude_of(coupling->haptic, coupling->wrench);
    memcpy(force->force, coupling->wrench, sizeof force->force);
    memcpy(force->torque, coupling->wrench + 3, sizeof force->torque);
    force->tool = coupling->snapshot->state.tool;
    force->contact_count = coupling->snapshot->state.contact_count;
    force->updates = coupling->snapshot->state.sequence;
    force->work = couple->work;
}

dent_status haptic_couple_tick(dent_haptic *haptic, const dent_pose *seen, const dent_pose *device,
                               dent_haptic_force *force)
{
    uint64_t began = dent_clock_ns();
    struct haptic_couple *couple = &haptic->couple;
    dent_haptic_force result = {.work = 0};
    struct coupling coupling = {.haptic = haptic, .seen = seen, .device = device, .force = &result};
    haptic_exchange_take(&haptic->to_device);
    coupling.snapshot = haptic_exchange_front(&haptic->to_device);
    dent_status status = spring(&coupling); /* may fail for want of memory, the first time: then nothing has changed */
    if (status != DENT_OK || (status = account(&coupling)) != DENT_OK || (status = damp(&coupling)) != DENT_OK) {
        return status;
    }
    add_up(&coupling);
    clamp(&coupling);
    blend(&coupling);
    drain(&coupling);
    report(&coupling);
    couple->ticks++;
    uint64_t ns = dent_clock_ns() - began;
    couple->ns_max = ns > couple->ns_max ? ns : couple->ns_max;
    *force = result;
    return DENT_OK;
}
