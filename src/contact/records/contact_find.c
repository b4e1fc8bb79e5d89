/* dent_world_find_contacts: checks, the stages in order, what is kept when one of them fails.
 *
 * All questions are asked of one snapshot; the tables of the depth stages stay filled until gaps and impacts are judged.
 * The memory of directions is replaced as the last act, so a call that fails or is cancelled changes nothing.
 */
#include "contact/depth/contact_run.h"

#include "query/world/question_row.h"

dent_contacts_def dent_contacts_def_default(void)
{
    dent_contacts_def def = {0};
    def.struct_size = sizeof def;
    def.penetration = true;
    def.crossings = true;
    return def;
}

const char *dent_contact_kind_name(dent_contact_kind kind)
{
    static const char *const names[] = {NULL, "vertex-cell", "vertex-face", "edge-edge", "edge-face"};
    return (unsigned)kind < sizeof names / sizeof *names ? names[kind] : NULL;
}

const char *dent_contact_source_name(dent_contact_source source)
{
    static const char *const names[DENT_CONTACT_SOURCE_COUNT] = {NULL,      "border",   "propagated", "previous",
                                                                 "nearest", "crossing", "gap",        "impact"};
    return (unsigned)source < DENT_CONTACT_SOURCE_COUNT ? names[source] : NULL;
}

static dent_status check_length(dent_world *world, double value, const char *name)
{
    if (value >= 0 && value < INFINITY) {
        return DENT_OK;
    }
    return message_fail(&world->message, DENT_ERROR_BAD_NUMBER,
                        "%s of the contacts is %g: a finite length, 0 or more, is needed", name, value);
}

/* Without positions at t1 a body stands still; where all do, the caller has forgotten them. */
static bool nothing_moves(const dent_world *world)
{
    for (uint32_t body_index = 0; body_index < world->bodies.body_count; body_index++) {
        if (body_table_at(&world->bodies, body_index)->positions_t1.data) {
            return false;
        }
    }
    return world->bodies.body_count > 0;
}

static dent_status check_def(dent_world *world, const void *data)
{
    const dent_contacts_def *def = data;
    if (!(def->temporal_filter >= 0 && def->temporal_filter <= 1)) {
        return message_fail(&world->message, DENT_ERROR_BAD_NUMBER, "temporal_filter is %g: 0 to 1 is needed",
                            def->temporal_filter);
    }
    if ((unsigned)def->normals > DENT_CONTACT_NORMALS_VERTEX) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT, "there is no kind of normals number %d",
                            (int)def->normals);
    }
    if (def->impact && nothing_moves(world)) {
        return message_fail(&world->message, DENT_ERROR_INVALID_ARGUMENT,
                            "impact: expected positions at t1 of what moves (dent_body_set_positions); got none");
    }
    dent_status status = check_length(world, def->thickness, "thickness");
    status = status == DENT_OK ? check_length(world, def->impact_separation, "impact_separation") : status;
    return status == DENT_OK ? check_length(world, def->depth_limit, "depth_limit") : status;
}

static dent_status out_of_memory(dent_world *world)
{
    return message_fail(&world->message, DENT_ERROR_OUT_OF_MEMORY, "out of memory for contacts");
}

/* ---- penetration ------------------------------------------------------------------------------------------------- */

/* Vertices are numbered through the world as the border does; it has checked that the numbers fit. */
static bool begin_depth(struct contact_run *run)
{
    uint32_t *first = arena_allocate(run->scratch, run->snapshot->body_count, sizeof *first);
    run->face_trees = arena_allocate_cleared(run->scratch, run->snapshot->body_count, sizeof *run->face_trees);
    run->cell_trees = arena_allocate_cleared(run->scratch, run->snapshot->body_count, sizeof *run->cell_trees);
    uint32_t sum = 0;
    for (uint32_t body_index = 0; first && body_index < run->snapshot->body_count; body_index++) {
        first[body_index] = sum;
        sum += run->snapshot->bodies[body_index].body->vertex_count;
    }
    run->first_number = first;
    return first && run->face_trees && run->cell_trees && contact_update_meshes(run) && depth_find_sides(run);
}

static bool run_depth(struct contact_run *run)
{
    return depth_find_points(run) && depth_measure_terms(run) && depth_weigh_borders(run) && depth_value_borders(run) &&
           depth_propagate(run) && depth_fall_back(run) && depth_solve_flat(run) && depth_emit(run) &&
           depth_emit_chords(run);
}

static dent_status find_penetration(struct contact_run *run, dent_query_result *query)
{
    dent_query_def ask = dent_query_def_default();
    dent_border_def border = dent_border_def_default();
    border.degenerate = true; /* what only touches is told apart vertex by vertex */
    border.no_stars = true;   /* a vertex whose own faces cross is inverted: no contact */
    border.surface_edges_only = run->def->surface_only;
    ask.questions = DENT_QUESTION_VERTEX_CELL;
    ask.method = run->def->method;
    ask.surface_vertices_only = run->def->surface_only;
    ask.cancel = run->def->cancel;
    ask.border = &border;
    uint64_t began = dent_clock_ns();
    dent_status status = question_ask_inside(run->world, &discrete_stages, &ask, query);
    uint64_t asked = dent_clock_ns();
    run->counters.ns_query = asked - began;
    if (status != DENT_OK || query->outcome != DENT_OUTCOME_COMPLETE) {
        run->cancel->seen = status == DENT_OK;
        return status;
    }
    run->border = border_state_of(run->world);
    contact_memory_follow(&run->state->memory, &run->world->bodies);
    bool enough = begin_depth(run) && run_depth(run);
    run->counters.ns_depth = dent_clock_ns() - asked;
    return enough ? DENT_OK : out_of_memory(run->world);
}

/* ---- surface features -------------------------------------------------------------------------------------------- */

static dent_status find_gaps(struct contact_run *run)
{
    dent_proximity_def ask = dent_proximity_def_default();
    dent_proximity_result gaps;
    ask.thickness = run->def->thickness;
    ask.closest_features_only = true;
    ask.cancel = run->def->cancel;
    uint64_t began = dent_clock_ns();
    dent_status status = question_ask_inside(run->world, &proximity_stages, &ask, &gaps);
    if (status != DENT_OK || gaps.outcome != DENT_OUTCOME_COMPLETE) {
        run->cancel->seen |= status == DENT_OK;
        return status;
    }
    bool enough = contact_add_gaps(run, &gaps);
    run->counters.ns_proximity = dent_clock_ns() - began;
    return enough ? DENT_OK : out_of_memory(run->world);
}

static dent_status find_impacts(struct contact_run *run)
{
    dent_impact_def ask = dent_impact_def_default();
    dent_impact_result impacts;
    ask.separation = run->def->impact_separation;
    ask.cancel = run->def->cancel;
    uint64_t began = dent_clock_ns();
    dent_status status = question_ask_inside(run->world, &impact_stages, &ask, &impacts);
    if (status != DENT_OK || impacts.outcome != DENT_OUTCOME_COMPLETE) {
        run->cancel->seen |= status == DENT_OK;
        return status;
    }
    bool enough = contact_add_impacts(run, &impacts);
    run->counters.ns_impact = dent_clock_ns() - began;
    return enough ? DENT_OK : out_of_memory(run->world);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static dent_status find_all(struct contact_run *run, dent_query_result *query)
{
    dent_status status = DENT_OK;
    array_clear(&run->state->contacts);
    array_clear(&run->state->unsorted);
    array_clear(&run->state->points);
    array_clear(&run->state->fresh_memory.records);
    if (run->def->penetration) {
        status = find_penetration(run, query);
    }
    if (status == DENT_OK && run->def->proximity && !cancel_requested(run->cancel)) {
        status = find_gaps(run);
    }
    if (status == DENT_OK && run->def->impact && !cancel_requested(run->cancel)) {
        status = find_impacts(run);
    }
    if (run->state->mesh_records.current) {
        depth_clear_tables(run);
    }
    return status;
}

bool dent_contact_is_certain(const dent_contact *contact)
{
    return contact && contact->gap < 0 && contact->error <= -0.5 * contact->gap;
}

/* The largest depths; one that is hardly known must not hide those that are. */
static void measure_depths(dent_contacts *result)
{
    double certain_depth = 0, certain_error = 0, uncertain_error = 0;
    for (uint64_t i = 0; i < result->count; i++) {
        const dent_contact *contact = &result->contacts[i];
        double depth = -contact->gap;
        if (!(depth > 0)) {
            continue;
        }
        if (dent_contact_is_certain(contact)) {
            certain_error = depth > certain_depth ? contact->error : certain_error;
            certain_depth = depth > certain_depth ? depth : certain_depth;
        } else {
            result->uncertain_count++;
            uncertain_error = depth > result->uncertain_depth ? contact->error : uncertain_error;
            result->uncertain_depth = depth > result->uncertain_depth ? depth : result->uncertain_depth;
        }
    }
    bool known = certain_depth > 0;
    result->max_depth = certain_depth > result->uncertain_depth ? certain_depth : result->uncertain_depth;
    result->scale_depth = known ? certain_depth : result->uncertain_depth;
    result->scale_error = known ? certain_error : uncertain_error;
}

static void hand_over(struct contact_run *run, const dent_query_result *query, dent_contacts *result)
{
    struct contact_state *state = run->state;
    *result = (dent_contacts){.outcome = DENT_OUTCOME_COMPLETE,
                              .contacts = state->contacts.data,
                              .count = state->contacts.count,
                              .patches = state->patches.data,
                              .patch_count = state->patches.count,
                              .counters = run->counters,
                              .query = query->counters};
    measure_depths(result);
    if (run->def->penetration) {
        struct contact_memory old = state->memory;
        state->memory = state->fresh_memory;
        state->fresh_memory = old;
    }
    if (run->def->events) {
        struct contact_history old = state->history;
        state->history = state->fresh_history;
        state->fresh_history = old;
        result->events = run->events;
    }
}

/* ---- the stages of the row --------------------------------------------------------------------------------------- */

struct contacts_call {
    struct contact_run run;
    dent_query_result query;
};

static dent_status prepare(struct question_call *call)
{
    dent_world *world = call->world;
    struct contacts_call *contacts = call->run;
    contacts->run = (struct contact_run){.world = world,
                                         .state = call->kept,
                                         .def = call->def,
                                         .snapshot = &world->snapshot,
                                         .scratch = &world->scratch,
                                         .cancel = &call->cancel,
                                         .query = &contacts->query};
    return DENT_OK;
}

static dent_status search(struct question_call *call)
{
    struct contacts_call *contacts = call->run;
    return find_all(&contacts->run, &contacts->query);
}

static dent_status finish(struct question_call *call)
{
    struct contacts_call *contacts = call->run;
    struct contact_run *run = &contacts->run;
    uint64_t began = dent_clock_ns();
    if (cancel_requested(&call->cancel)) {
        *(dent_contacts *)call->result = (dent_contacts){
            .outcome = DENT_OUTCOME_CANCELLED, .counters = run->counters, .query = contacts->query.counters};
        return DENT_OK;
    }
    if (!contact_finish(run) || !contact_make_patches(run) ||
        (run->def->events && !contact_make_events(run, &run->events)) ||
        !contact_remember_bodies(&run->state->fresh_memory.bodies, &call->world->bodies)) {
        return out_of_memory(call->world);
    }
    run->counters.ns_finish = dent_clock_ns() - began;
    hand_over(run, &contacts->query, call->result);
    return DENT_OK;
}

static const struct question_stages contacts_stages = {
    .name = "contacts",
    .def_name = "contacts",
    .def_maker = "dent_contacts_def_default",
    .def_size = sizeof(dent_contacts_def),
    .result_size = sizeof(dent_contacts),
    .run_size = sizeof(struct contacts_call),
    .cancel_offset = offsetof(dent_contacts_def, cancel),
    .reads = READS_START,
    .takes_thin = true,
    .kept = &contact_slot,
    .check = check_def,
    .prepare = prepare,
    .search = search,
    .finish = finish,
};

dent_status dent_world_find_contacts(dent_world *world, const dent_contacts_def *def, dent_contacts *result)
{
    QUESTION_REQUIRE(world, def, result);
    return question_ask(world, &contacts_stages, def, result);
}
