/* Contacts are found once per interval.
 *
 * Vertices inside other bodies with their depth, and features closer than the thicknesses of the two bodies plus a
 * margin for what they may move until the next detection. The gap that is kept is the sum of the thicknesses, so bodies
 * at rest stay in contact instead of falling in and being pushed out. Which of them count: contact_filter.c. The forces
 * of the last interval in the state are matched to them by key. */
#include "base/containers/heap_sort.h"
#include "base/containers/key_search.h"
#include "sim_contacts.h"

#include <math.h>
#include <string.h>

/* ---- creation ---------------------------------------------------------------------------------------------------- */

dent_status contacts_build(struct sim_model *model, struct contact_search *search, struct contact_set *contacts)
{
    search->inside_marks = sim_allocate(model, model->vertex_count, sizeof *search->inside_marks);
    contacts->rigid_detected = sim_allocate(model, model->rigid_count, sizeof *contacts->rigid_detected);
    search->margins = sim_allocate(model, model->body_count, sizeof *search->margins);
    if (!search->inside_marks || !search->margins || !contacts->rigid_detected) {
        return sim_no_memory(model->context);
    }
    return contact_filter_build(model, search->world);
}

void contacts_destroy(dent_context *context, struct contact_search *search, struct contact_set *contacts)
{
    dent_world_destroy(search->world);
    dent_release(context, search->new_forces, (size_t)search->new_force_capacity, sizeof *search->new_forces);
    dent_release(context, contacts->records, (size_t)contacts->capacity, sizeof *contacts->records);
    dent_release(context, contacts->reported, (size_t)contacts->reported_capacity, sizeof *contacts->reported);
    dent_release(context, contacts->owned, (size_t)contacts->owned_capacity, sizeof *contacts->owned);
}

/* ---- detection --------------------------------------------------------------------------------------------------- */

dent_status world_set_positions(const struct sim_model *model, dent_world *world, const double *positions_t0,
                                const double *positions_t1)
{
    for (uint32_t b = 0; b < model->body_count; b++) {
        size_t first = 3 * (size_t)model->bodies[b].first_vertex;
        dent_positions t0 = dent_positions_double(positions_t0 + first), t1 = {0};
        if (positions_t1) {
            t1 = dent_positions_double(positions_t1 + first);
        }
        dent_status status = dent_body_set_positions(world, model->bodies[b].id, &t0, positions_t1 ? &t1 : NULL);
        if (status != DENT_OK) {
            return dent_fail(model->context, status, "%s", dent_world_message(world));
        }
    }
    return DENT_OK;
}

static void fastest_range(void *data, uint32_t begin, uint32_t end, double square[SIM_MOST_SUMS])
{
    const double *velocities = data;
    for (uint32_t v = begin; v < end; v++) {
        double other = sim_dot(velocities + 3 * (size_t)v, velocities + 3 * (size_t)v);
        square[0] = other > square[0] ? other : square[0];
    }
}

static double fastest_vertex(const struct sim_model *model, const struct sim_state *state, const struct sim_body *body)
{
    return sqrt(sim_parallel_most(model->context, body->first_vertex, body->first_vertex + body->vertex_count,
                                  fastest_range, state->velocities));
}

/* Substeps until the next detection: as many as asked for, fewer where bodies are fast. Thin ones do not count: their
 * path is watched. */
uint32_t contacts_interval(const struct sim_model *model, const struct sim_state *state, uint32_t most)
{
    double count = most;
    bool matters = false;
    for (uint32_t b = 0; b < model->body_count && !model->interval_is_fixed; b++) {
        const struct sim_body *body = &model->bodies[b];
        bool moves = sim_is_elastic(body->kind) || body->kind == DENT_SIM_RIGID;
        double displacement = body->thin || model->watch_all ? 0 : fastest_vertex(model, state, body) * model->substep;
        matters = matters || (moves && !body->thin && !model->watch_all);
        count = displacement * count > sim_max_travel(body) ? sim_max_travel(body) / displacement : count;
    }
    return !matters ? most : count > 1 ? (uint32_t)count : 1;
}

/* How near is near: the thickness, and a margin for the way of the fastest vertex until the next detection (what is
 * faster than that allows is caught by its depth, or by its path where it is thin). */
static dent_status set_margins(const struct sim_model *model, const struct sim_state *state,
                               struct contact_search *search, double duration)
{
    double fall = sqrt(sim_dot(state->gravity, state->gravity)) * duration;
    for (uint32_t b = 0; b < model->body_count; b++) {
        const struct sim_body *body = &model->bodies[b];
        double speed = fastest_vertex(model, state, body) + (body->kind == DENT_SIM_PRESCRIBED ? 0 : fall);
        double margin = speed * duration, most = sim_max_travel(body), least = 0.5 * body->thickness;
        /* Neighbouring strands move together: a margin for the way of each would find all pairs of a lock. */
        most = body->kind == DENT_SIM_STRANDS && body->thickness < most ? body->thickness : most;
        margin = margin < least ? least : margin;
        margin = margin < most ? margin : most;
        search->margins[b] = margin;
        dent_status status = dent_body_set_thickness(search->world, body->id, body->thickness + margin);
        if (status != DENT_OK) {
            return dent_fail(model->context, status, "%s", dent_world_message(search->world));
        }
    }
    return DENT_OK;
}

/* Depths that are hardly known, of a body that was swallowed whole for instance, say nothing beside those that are. */
static void measure_depth(dent_sim_statistics *statistics, const dent_contact *contact)
{
    double depth = -contact->gap;
    bool certain = dent_contact_is_certain(contact);
    bool known = statistics->max_penetration_error <= 0.5 * statistics->max_penetration; /* also while it is 0 */
    if (certain == known || statistics->max_penetration == 0 ? depth > statistics->max_penetration : certain) {
        statistics->max_penetration = depth;
        statistics->max_penetration_error = contact->error;
        statistics->deepest_a = contact->body_a;
        statistics->deepest_b = contact->body_b;
    }
    if (!certain && depth > statistics->uncertain_penetration) {
        statistics->uncertain_penetration = depth;
    }
}

static dent_sim_contact report_of(const dent_contact *contact)
{
    dent_sim_contact reported = {.key = contact->key,
                                 .body_a = contact->body_a,
                                 .body_b = contact->body_b,
                                 .feature_a = contact->feature_a,
                                 .feature_b = contact->feature_b,
                                 .kind = contact->kind,
                                 .gap = contact->gap,
                                 .error = contact->error};
    for (int axis = 0; axis < 3; axis++) {
        reported.point[axis] = 0.5 * (contact->point_a[axis] + contact->point_b[axis]);
        reported.normal[axis] = contact->normal[axis];
    }
    return reported;
}

static void mark_inside(const struct sim_model *model, uint32_t *marks, const dent_contacts *found, bool mark)
{
    for (uint64_t i = 0; i < found->count; i++) {
        const dent_contact *contact = &found->contacts[i];
        if (contact->kind == DENT_CONTACT_VERTEX_CELL) {
            marks[model->bodies[contact->body_a].first_vertex + contact->feature_a] = mark ? contact->body_b + 1 : 0;
        }
    }
}

/* What is nearer than its distance at rest (the sum of the thicknesses) reaches it in this many seconds, whatever the
 * time step: pushed out at once, bodies that begin too near would be shot apart. */
#define SECONDS_TO_REST_DISTANCE 0.5

/* The gap to keep until the next detection; outside time (duration 0) all of it at once. */
static double kept_gap(const struct sim_model *model, const dent_contact *contact, double duration)
{
    double rest = model->bodies[contact->body_a].thickness + model->bodies[contact->body_b].thickness;
    double reached = (contact->gap > 0 ? contact->gap : 0) + rest * (duration / SECONDS_TO_REST_DISTANCE);
    return duration > 0 && reached < rest ? reached : rest;
}

static bool is_stiff(const struct sim_model *model, uint32_t body)
{
    return model->bodies[body].kind == DENT_SIM_RIGID || model->bodies[body].kind == DENT_SIM_PRESCRIBED;
}

static dent_status keep_contacts(const struct sim_model *model, const struct sim_state *state,
                                 struct contact_search *search, struct contact_set *contacts,
                                 const dent_contacts *found, dent_sim_statistics *statistics, double duration)
{
    dent_status status = sim_reserve(model->context, (void **)&contacts->records, &contacts->capacity, found->count,
                                     sizeof *contacts->records);
    if (status == DENT_OK) {
        status = sim_reserve(model->context, (void **)&contacts->reported, &contacts->reported_capacity, found->count,
                             sizeof *contacts->reported);
    }
    if (status != DENT_OK) {
        return status;
    }
    contacts->count = contacts->owned_count = 0;
    mark_inside(model, search->inside_marks, found, true);
    for (uint64_t i = 0; i < found->count; i++) {
        if (contact_counts(model, state, search, &found->contacts[i])) {
            dent_contact contact = found->contacts[i];
            contacts->reported[contacts->count] = report_of(&contact);
            measure_depth(statistics, &contact);
            contact.gap -= kept_gap(model, &contact, duration);
            if (is_stiff(model, contact.body_a) || is_stiff(model, contact.body_b)) {
                contact_straighten(model, state, search, &contact);
            }
            embedding_map_contact(model, state, &contact);
            contacts->records[contacts->count++] = contact;
        }
    }
    mark_inside(model, search->inside_marks, found, false);
    return DENT_OK;
}

static bool force_before(const void *a, const void *b, const void *data)
{
    (void)data;
    return ((const dent_contact_force *)a)->key < ((const dent_contact_force *)b)->key;
}

static dent_status match_forces(dent_context *context, struct sim_state *state, struct contact_search *search,
                                const struct contact_set *contacts)
{
    dent_status status = sim_reserve(context, (void **)&search->new_forces, &search->new_force_capacity,
                                     contacts->count, sizeof *search->new_forces);
    if (status != DENT_OK) {
        return status;
    }
    /* Equal keys (in practice none) may come in any order, but always the same. */
    heap_sort(state->forces, state->force_count, sizeof *state->forces, force_before, NULL);
    for (uint64_t i = 0; i < contacts->count; i++) {
        const dent_contact_force *last =
            key_search_record(state->forces, state->force_count, sizeof *last, contacts->records[i].key);
        search->new_forces[i] = (dent_contact_force){.key = contacts->records[i].key};
        if (last) {
            search->new_forces[i] = *last;
        }
    }
    dent_contact_force *forces = state->forces;
    uint64_t capacity = state->force_capacity;
    state->forces = search->new_forces;
    state->force_count = contacts->count;
    state->force_capacity = search->new_force_capacity;
    search->new_forces = forces;
    search->new_force_capacity = capacity;
    return DENT_OK;
}

void contacts_begin(const struct sim_model *model, const struct sim_state *state, struct contact_set *contacts,
                    uint32_t substeps)
{
    contacts->substeps = substeps;
    if (model->rigid_count > 0) {
        memcpy(contacts->rigid_detected, state->rigids, model->rigid_count * sizeof *contacts->rigid_detected);
    }
}

dent_status contacts_find(const struct sim_model *model, struct sim_state *state, struct contact_search *search,
                          struct contact_set *contacts, struct step_report *report, double duration)
{
    uint64_t begin = dent_clock_ns();
    dent_contacts_def def = dent_contacts_def_default();
    dent_contacts found;
    def.proximity = true;
    def.surface_only = true;
    def.cancel = model->cancel;
    dent_status status = set_margins(model, state, search, duration);
    if (status == DENT_OK) {
        status = world_set_positions(model, search->world, state->positions, NULL);
    }
    if (status != DENT_OK) {
        return status;
    }
    status = dent_world_find_contacts(search->world, &def, &found);
    if (status != DENT_OK) {
        return dent_fail(model->context, status, "contacts of step %llu: %s", (unsigned long long)state->step,
                         dent_world_message(search->world));
    }
    report->cancelled = report->cancelled || found.outcome == DENT_OUTCOME_CANCELLED;
    status = keep_contacts(model, state, search, contacts, &found, &report->statistics, duration);
    if (status == DENT_OK) {
        status = match_forces(model->context, state, search, contacts);
    }
    report->ns_detect += dent_clock_ns() - begin;
    return status;
}
