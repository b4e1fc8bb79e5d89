/* view_simulation.c — a live simulation as a source of the viewer: built-in simulated scenes and scene files. It goes
 * on only; a restart makes it anew. Vertices of soft bodies can be dragged. */
#include "interrupt.h"
#include "load_world.h"
#include "tool.h"
#include "view_tool.h"

#include <dent/sim_scene.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct simulation {
    dent_sim_scene *scene;
    dent_sim *sim;
    loaded_body *bodies;
    uint32_t body_count;
    view_probe *probes;
    uint32_t probe_count;
    bool held; /* a vertex is being dragged */
    uint32_t held_body, held_vertex;
} simulation;

/* ---- the scene --------------------------------------------------------------------------------------------------- */

static int make_scene(view_source *source, simulation *own)
{
    tool_session *session = view_session(source);
    dent_sim_scene_def def = simulated_scene_def(session->options, session->options->arguments[0]);
    def.cancel = interrupt_flag();
    def.contact_deadline = 1e-3 * session->options->deadline;
    dent_status status = dent_sim_scene_open(session->context, &def, &own->scene);
    if (status != DENT_OK) {
        session_forget_notices(session);
        return view_fail(source, "%s", session_message(session, status));
    }
    session_print_notices(session);
    own->sim = dent_sim_scene_sim(own->scene);
    dent_sim_scene_facts facts = dent_sim_scene_get_facts(own->scene);
    snprintf(source->title, sizeof source->title, "%s", facts.name);
    source->length_unit = facts.length_unit;
    source->frame_seconds = facts.steps_per_frame * facts.time_step;
    return STATUS_GOOD;
}

static int list_probes(view_source *source, simulation *own)
{
    dent_sim_probe_info info;
    own->probe_count = dent_sim_probe_count(own->sim);
    own->probes = dent_allocate(source->context, own->probe_count, sizeof *own->probes);
    if (own->probes == NULL) {
        own->probe_count = 0;
        return view_fail(source, "out of memory");
    }
    for (uint32_t i = 0; dent_sim_probe_at(own->sim, i, &info); i++) {
        own->probes[i] = (view_probe){.name = info.name, .column_count = info.column_count};
        dent_sim_read_probe(own->sim, i, own->probes[i].values);
    }
    source->probe_count = own->probe_count;
    source->probes = own->probes;
    return STATUS_GOOD;
}

static int list_bodies(view_source *source, simulation *own)
{
    dent_world *world = dent_sim_world(own->sim);
    own->body_count = dent_sim_body_count(own->sim);
    own->bodies = dent_allocate(source->context, own->body_count, sizeof *own->bodies);
    if (own->bodies == NULL) {
        source->broken = true;
        return view_fail(source, "out of memory");
    }
    memset(own->bodies, 0, own->body_count * sizeof *own->bodies);
    for (uint32_t i = 0; i < own->body_count; i++) {
        dent_sim_body_info info;
        dent_sim_body(own->sim, i, &info);
        own->bodies[i].id = dent_world_body_at(world, i);
        own->bodies[i].name = info.name;
        own->bodies[i].kind = info.mesh;
        own->bodies[i].vertex_count = info.vertex_count;
        own->bodies[i].element_count = info.element_count;
        own->bodies[i].element_corners = info.element_corners;
        own->bodies[i].positions = dent_sim_positions(own->sim, i);
    }
    source->world = world;
    int failed = view_describe_loaded(source, own->bodies, own->body_count);
    failed = failed ? failed : list_probes(source, own);
    for (uint32_t i = 0; i < own->body_count && !failed; i++) {
        dent_sim_body_info info;
        dent_sim_body(own->sim, i, &info);
        source->bodies[i].kind = dent_sim_body_kind_name(info.kind);
    }
    return failed;
}

static void drop_scene(view_source *source, simulation *own)
{
    dent_release(source->context, own->probes, own->probe_count, sizeof *own->probes);
    own->probes = NULL;
    own->probe_count = 0;
    dent_release(source->context, own->bodies, own->body_count, sizeof *own->bodies);
    own->bodies = NULL;
    own->body_count = 0;
    dent_sim_scene_destroy(own->scene);
    own->scene = NULL;
    own->held = false;
}

/* ---- as a source ------------------------------------------------------------------------------------------------- */

static int advance(view_source *source)
{
    simulation *own = source->own;
    dent_status status = dent_sim_scene_step_frame(own->scene);
    if (status != DENT_OK) {
        return view_fail(source, "%s", session_message(view_session(source), status));
    }
    source->frame++;
    return STATUS_GOOD;
}

static int find_contacts(view_source *source)
{
    simulation *own = source->own;
    view_facts *facts = &source->facts;
    dent_sim_statistics statistics = dent_sim_get_statistics(own->sim);
    uint64_t count;
    const dent_sim_contact *contacts = dent_sim_contacts(own->sim, &count);
    facts->time = dent_sim_time(own->sim);
    facts->push = statistics.max_penetration;
    facts->push_error = statistics.max_penetration_error;
    facts->uncertain_push = statistics.uncertain_penetration;
    facts->kinetic = statistics.kinetic;
    facts->elastic = statistics.elastic;
    facts->ms_detect = (double)statistics.ns_detect * 1e-6;
    facts->ms_respond = (double)statistics.ns_respond * 1e-6;
    facts->ms_total = (double)statistics.ns_total * 1e-6;
    facts->contact_count = count;
    view_facts_begin(source);
    for (uint32_t i = 0; i < own->probe_count; i++) {
        dent_sim_read_probe(own->sim, i, own->probes[i].values);
    }
    for (uint64_t i = 0; i < count; i++) {
        view_contact shown = {.body_a = contacts[i].body_a,
                              .feature_a = contacts[i].feature_a,
                              .body_b = contacts[i].body_b,
                              .feature_b = contacts[i].feature_b};
        double squared = 0;
        for (int axis = 0; axis < 3; axis++) {
            shown.point[axis] = view_place(source, contacts[i].point[axis], axis);
            shown.normal[axis] = (float)contacts[i].normal[axis];
            squared += contacts[i].force[axis] * contacts[i].force[axis];
        }
        shown.push = view_length(source, -contacts[i].gap);
        shown.error = view_length(source, contacts[i].error);
        shown.force = (float)sqrt(squared);
        if (!view_facts_add(source, &shown)) {
            return view_fail(source, "out of memory");
        }
        if (contacts[i].kind == DENT_CONTACT_VERTEX_CELL || contacts[i].kind == DENT_CONTACT_VERTEX_FACE) {
            view_facts_deepen(source, contacts[i].body_a, contacts[i].feature_a, shown.push);
        }
    }
    return STATUS_GOOD;
}

static const double *find_velocities(view_source *source, uint32_t body)
{
    simulation *own = source->own;
    return dent_sim_velocities(own->sim, body);
}

static double measure_of(const dent_sim_cell_stress *cell, view_measure measure)
{
    switch (measure) {
    case VIEW_MEASURE_TENSION:
        return fmax(cell->principal_stress[0], 0);
    case VIEW_MEASURE_COMPRESSION:
        return fmax(-cell->principal_stress[2], 0);
    case VIEW_MEASURE_PLASTIC_STRAIN:
        return cell->plastic_strain;
    default:
        return cell->von_mises;
    }
}

static bool find_stress(view_source *source, view_measure measure, uint32_t body, double *cells)
{
    simulation *own = source->own;
    dent_context *context = source->context;
    dent_sim_body_info info;
    if (!dent_sim_body(own->sim, body, &info) || info.kind != DENT_SIM_SOLID) {
        return false;
    }
    dent_sim_cell_stress *stress = dent_allocate(context, info.element_count, sizeof *stress);
    bool good = stress != NULL && dent_sim_get_stress(own->sim, body, stress) == DENT_OK;
    for (uint32_t e = 0; e < info.element_count && good; e++) {
        cells[e] = measure_of(&stress[e], measure);
    }
    dent_release(context, stress, info.element_count, sizeof *stress);
    return good;
}

static void release(view_source *source)
{
    simulation *own = source->own;
    if (own->held) {
        dent_sim_release(own->sim, own->held_body, own->held_vertex);
        own->held = false;
    }
}

static void grab(view_source *source, uint32_t body, uint32_t vertex, const double target[3])
{
    simulation *own = source->own;
    if (own->held && (own->held_body != body || own->held_vertex != vertex)) {
        release(source);
    }
    if (dent_sim_grab(own->sim, body, vertex, target) == DENT_OK) {
        own->held = true;
        own->held_body = body;
        own->held_vertex = vertex;
    }
}

/* The new scene is made before the old one goes, which stays when a scene file has an error by now. */
static int restart(view_source *source)
{
    simulation *own = source->own, before = *own;
    memset(own, 0, sizeof *own);
    int failed = make_scene(source, own);
    if (failed) {
        *own = before;
        return failed;
    }
    source->frame = 0;
    failed = list_bodies(source, own); /* before the old world goes: what was made of it goes first */
    drop_scene(source, &before);
    return failed;
}

static void close_simulation(view_source *source)
{
    simulation *own = source->own;
    drop_scene(source, own);
    dent_release(source->context, own, 1, sizeof *own);
    source->own = NULL;
}

int view_simulation_open(view_source *source)
{
    simulation *own = dent_allocate(source->context, 1, sizeof *own);
    if (own == NULL) {
        return view_fail(source, "out of memory");
    }
    memset(own, 0, sizeof *own);
    source->own = own;
    source->close = close_simulation;
    int failed = make_scene(source, own);
    if (failed) {
        return failed;
    }
    source->live = true;
    source->advance = advance;
    source->restart = restart;
    source->find_contacts = find_contacts;
    source->find_stress = find_stress;
    source->find_velocities = find_velocities;
    source->grab = grab;
    source->release = release;
    return list_bodies(source, own);
}

bool view_names_simulation(const tool_options *options)
{
    const char *name = options->arguments[0];
    size_t length = strlen(name);
    bool file = length > 5 && strcmp(name + length - 5, ".json") == 0;
    return options->argument_count == 1 && !options_have(options, OPTION_PRESCRIBED) &&
           (file || dent_sim_scene_find(name) != NULL);
}
