/* dent_view.c — the calls of dent/view.h: a page on the caller's world, fed from the caller's loop. */
#include "view_library.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

dent_view_def dent_view_def_default(void)
{
    dent_view_def def;
    memset(&def, 0, sizeof def);
    def.struct_size = sizeof def;
    return def;
}

/* ---- create and destroy ------------------------------------------------------------------------------------------ */

static dent_status check_def(dent_context *context, const dent_view_def *def)
{
    if (def->struct_size != sizeof *def) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT,
                         "dent_view_create: make the def with dent_view_def_default()");
    }
    if (def->title != NULL && strlen(def->title) > DENT_VIEW_NAME_MAX) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "dent_view_create: title above %d bytes",
                         DENT_VIEW_NAME_MAX);
    }
    if (def->length_unit != NULL && strlen(def->length_unit) > 15) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "dent_view_create: length_unit above 15 bytes");
    }
    return DENT_OK;
}

static int keep_contacts(view_source *source)
{
    (void)source; /* they are what the caller set */
    return VIEW_GOOD;
}

static void set_up(dent_view *view, dent_world *world, const dent_view_def *def)
{
    memset(view, 0, sizeof *view);
    snprintf(view->title, sizeof view->title, "%s", def->title != NULL ? def->title : "dent");
    snprintf(view->length_unit, sizeof view->length_unit, "%s", def->length_unit != NULL ? def->length_unit : "");
    view->context = dent_world_context(world);
    view->version = UINT64_MAX;
    view->speed = 1;
    view->requests.structure_level = 4;
    view->state_changed = true;
    view_source *source = &view->source;
    source->context = view->context;
    source->host = view;
    source->world = world;
    source->live = true;
    source->plain = !def->queries;
    source->unit = source->per_unit = 1;
    source->frame_seconds = 1.0 / 60;
    source->length_unit = view->length_unit[0] != '\0' ? view->length_unit : NULL;
    source->probes = view->plots;
    source->find_contacts = keep_contacts;
    source->append_markers = view_library_append_markers;
    snprintf(source->title, sizeof source->title, "%s", view->title);
}

static void print_line(const dent_view_def *def, const char *line)
{
    if (def->print != NULL) {
        def->print(def->user, line);
    } else {
        fprintf(stderr, "%s\n", line);
    }
}

static void open_browser(dent_view *view)
{
    char page[VIEW_FOLDER_LIMIT + 16];
    if (!view_has_display() || !view_is_program("xdg-open")) {
        return;
    }
    if (!view_make_runtime_folder(view->redirect)) {
        view->redirect[0] = '\0';
    } else if (view_write_redirect(view->redirect, view_server_url(view->server), false, page, sizeof page)) {
        view_open_browser(page);
    }
}

static void close_redirect(dent_view *view)
{
    if (view->redirect[0] != '\0') {
        view_remove_redirect(view->redirect);
        view->redirect[0] = '\0';
    }
}

static void announce(dent_view *view, const dent_view_def *def)
{
    char line[VIEW_URL_LIMIT + VIEW_TUNNEL_LIMIT];
    snprintf(line, sizeof line, "%s: %s", view->title, view_server_url(view->server));
    print_line(def, line);
    if (view->tunnel[0] != '\0') {
        snprintf(line, sizeof line, "on your own machine run  %s  and open the address there", view->tunnel);
        print_line(def, line);
    }
    if (!def->no_browser) {
        open_browser(view);
    }
}

/* HELLO and the surfaces, where they are not what the pages were told. */
static dent_status send_opening(dent_view *view)
{
    if (view->generation == view->source.generation) {
        return DENT_OK;
    }
    if (view_send_opening(&view->source, view->server) != VIEW_GOOD) {
        return dent_fail(view->context, DENT_ERROR_OUT_OF_MEMORY, "dent_view: out of memory");
    }
    view->generation = view->source.generation;
    return DENT_OK;
}

dent_status dent_view_create(dent_world *world, const dent_view_def *def, dent_view **view)
{
    DENT_REQUIRE(dent_world_context(world), world);
    dent_context *context = dent_world_context(world);
    DENT_REQUIRE(context, view);
    dent_view_def defaults = dent_view_def_default();
    def = def != NULL ? def : &defaults;
    dent_status status = check_def(context, def);
    if (status != DENT_OK) {
        return status;
    }
    char why[160];
    dent_view *made = dent_allocate(context, 1, sizeof *made);
    if (made == NULL) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "dent_view_create: out of memory");
    }
    set_up(made, world, def);
    made->server = view_server_start(def->port, NULL, why, sizeof why);
    if (made->server == NULL) {
        dent_release(context, made, 1, sizeof *made);
        return dent_fail(context, DENT_ERROR_FILE, "dent_view_create: %s", why);
    }
    status = view_library_follow(made);
    status = status == DENT_OK ? send_opening(made) : status;
    if (status != DENT_OK) {
        dent_view_destroy(made);
        return status;
    }
    if (!view_write_tunnel(view_server_port(made->server), made->tunnel, sizeof made->tunnel)) {
        made->tunnel[0] = '\0';
    }
    announce(made, def);
    *view = made;
    return DENT_OK;
}

void dent_view_destroy(dent_view *view)
{
    if (view == NULL) {
        return;
    }
    dent_context *context = view->context;
    close_redirect(view);
    view_server_stop(view->server);
    view_source_release(&view->source);
    view_library_forget(view);
    dent_release(context, view->markers, view->marker_count, sizeof *view->markers);
    dent_release(context, view->texts, view->text_size, 1);
    dent_release(context, view, 1, sizeof *view);
}

const char *dent_view_address(const dent_view *view)
{
    return view != NULL ? view_server_url(view->server) : NULL;
}

const char *dent_view_tunnel(const dent_view *view)
{
    return view != NULL ? view->tunnel : NULL;
}

/* ---- frames ------------------------------------------------------------------------------------------------------ */

/* What went wrong while something was made that a page asked for: it is the page's to know, and no failure of the loop. */
static void tell_trouble(dent_view *view)
{
    if (view->source.trouble[0] != '\0') {
        view_server_reply(view->server, VIEW_EVERYBODY, view_make_trouble(view->source.trouble));
        view->source.trouble[0] = '\0';
    }
}

static dent_status publish(dent_view *view)
{
    view_source *source = &view->source;
    if (view->boxes_changed || view->requests.structure_wanted) {
        view_message *boxes = view_make_boxes(source, &view->requests);
        view->boxes_changed = false;
        if (boxes != NULL) {
            view_server_set_boxes(view->server, boxes);
        } else {
            view->requests.structure_wanted = false;
            view->state_changed = true;
        }
    }
    dent_question asked = view->requests.question;
    uint32_t flags = view->paused ? 0 : VIEW_FLAG_PLAYING;
    view_message *frame = view_make_frame(source, &view->requests, ++view->sequence, flags);
    view->state_changed = view->state_changed || view->requests.question != asked;
    if (frame == NULL) {
        return dent_fail(view->context, DENT_ERROR_OUT_OF_MEMORY, "dent_view_update: out of memory");
    }
    view_server_publish(view->server, frame);
    view->info.frames_made++;
    return DENT_OK;
}

static void publish_state(dent_view *view)
{
    view_message *state = view->state_changed ? view_make_state(&view->source, &view->requests, view->speed) : NULL;
    if (state != NULL) {
        view_server_set_state(view->server, state);
        view->state_changed = false;
    }
}

static dent_status show(dent_view *view, const view_server_facts *facts)
{
    if (facts->clients == 0) {
        view_server_forget_frame(view->server); /* the loop goes on without pages: the next one is shown its present */
        return DENT_OK;
    }
    dent_status status = DENT_OK;
    if (facts->wanted || !facts->has_frame || view->version != dent_world_topology_version(view->source.world)) {
        status = view_library_follow(view);
        status = status == DENT_OK ? send_opening(view) : status;
        publish_state(view); /* before the frame that shows it */
        status = status == DENT_OK ? publish(view) : status;
    }
    publish_state(view);
    tell_trouble(view);
    return status;
}

dent_status dent_view_update(dent_view *view, double time)
{
    DENT_REQUIRE(NULL, view);
    if (!isfinite(time)) {
        return dent_fail(view->context, DENT_ERROR_BAD_NUMBER, "dent_view_update: the time is not finite");
    }
    uint64_t start = dent_clock_ns();
    view_server_facts facts = view_server_get_facts(view->server);
    view->info.page_count = facts.clients;
    if (facts.clients > 0) {
        close_redirect(view);
    }
    view_library_listen(view);
    view->source.frame++;
    view->source.facts.time = time;
    view->source.facts.ms_total = view->last_update_ns > 0 ? (double)(start - view->last_update_ns) * 1e-6 : 0;
    view->last_update_ns = start;
    dent_status status = show(view, &facts);
    view->info.update_count += status == DENT_OK;
    view->info.frames_drawn = facts.frames_acknowledged;
    view->info.ns_update = dent_clock_ns() - start;
    view->info.ns_longest = view->info.ns_update > view->info.ns_longest ? view->info.ns_update : view->info.ns_longest;
    return status;
}

dent_view_info dent_view_get_info(const dent_view *view)
{
    dent_view_info info = {0};
    if (view != NULL) {
        info = view->info;
        info.paused = view->paused;
    }
    return info;
}

/* ---- contacts ---------------------------------------------------------------------------------------------------- */

static void forget_contacts(dent_view *view)
{
    view_facts *facts = &view->source.facts;
    view_facts_begin(&view->source);
    facts->contact_count = 0;
    facts->push = facts->push_error = facts->uncertain_push = 0;
}

static dent_status check_contacts(const dent_view *view, const dent_contacts *contacts)
{
    DENT_REQUIRE_ARRAY(view->context, contacts->count, contacts->contacts);
    uint32_t count = dent_world_body_count(view->source.world);
    for (uint64_t i = 0; i < contacts->count; i++) {
        const dent_contact *contact = &contacts->contacts[i];
        if (contact->body_a >= count || contact->body_b >= count) {
            return dent_fail(view->context, DENT_ERROR_INVALID_ARGUMENT,
                             "dent_view_set_contacts: contact %llu: body index %u, the world has %u bodies",
                             (unsigned long long)i, contact->body_a >= count ? contact->body_a : contact->body_b,
                             count);
        }
    }
    return DENT_OK;
}

dent_status dent_view_set_contacts(dent_view *view, const dent_contacts *contacts)
{
    DENT_REQUIRE(NULL, view);
    view_source *source = &view->source;
    bool pages = view_server_get_facts(view->server).clients > 0;
    dent_status status = contacts != NULL && pages ? check_contacts(view, contacts) : DENT_OK;
    if (status == DENT_OK && contacts != NULL && pages && view->version != dent_world_topology_version(source->world)) {
        status = view_library_follow(view); /* their bodies may be new */
    }
    if (status != DENT_OK) {
        return status;
    }
    forget_contacts(view);
    for (uint64_t i = 0; pages && contacts != NULL && i < contacts->count; i++) {
        const dent_contact *contact = &contacts->contacts[i];
        view_contact shown = view_shown_contact(source, contact);
        if (!view_facts_add(source, &shown)) {
            forget_contacts(view);
            return dent_fail(view->context, DENT_ERROR_OUT_OF_MEMORY, "dent_view_set_contacts: out of memory");
        }
        if (contact->vertices_a[1] == UINT32_MAX) {
            view_facts_deepen(source, contact->body_a, contact->vertices_a[0], shown.push);
        }
    }
    if (pages && contacts != NULL) {
        source->facts.contact_count = contacts->count;
        source->facts.push = contacts->scale_depth;
        source->facts.push_error = contacts->scale_error;
        source->facts.uncertain_push = contacts->uncertain_depth;
    }
    return DENT_OK;
}

/* ---- plots ------------------------------------------------------------------------------------------------------- */

dent_status dent_view_add_plot(dent_view *view, const char *name, uint32_t column_count, uint32_t *plot)
{
    DENT_REQUIRE(NULL, view);
    DENT_REQUIRE(view->context, name);
    DENT_REQUIRE(view->context, plot);
    uint32_t index = view->source.probe_count;
    if (column_count != 1 && column_count != 3) {
        return dent_fail(view->context, DENT_ERROR_INVALID_ARGUMENT,
                         "dent_view_add_plot: column_count: expected 1 or 3; got %u", column_count);
    }
    if (strlen(name) > DENT_VIEW_NAME_MAX) {
        return dent_fail(view->context, DENT_ERROR_INVALID_ARGUMENT, "dent_view_add_plot: name above %d bytes",
                         DENT_VIEW_NAME_MAX);
    }
    if (index == DENT_VIEW_PLOTS_MAX) {
        return dent_fail(view->context, DENT_ERROR_INVALID_ARGUMENT, "dent_view_add_plot: at most %d plots",
                         DENT_VIEW_PLOTS_MAX);
    }
    snprintf(view->plot_names[index].name, sizeof view->plot_names[index].name, "%s", name);
    view->plots[index] = (view_probe){.name = view->plot_names[index].name, .column_count = column_count};
    view->source.probe_count++;
    view->source.generation++; /* the pages are told with the next frame */
    *plot = index;
    return DENT_OK;
}

dent_status dent_view_set_plot(dent_view *view, uint32_t plot, const double *values)
{
    DENT_REQUIRE(NULL, view);
    DENT_REQUIRE(view->context, values);
    if (plot >= view->source.probe_count) {
        return dent_fail(view->context, DENT_ERROR_INVALID_ARGUMENT,
                         "dent_view_set_plot: plot %u: the view has %u plots", plot, view->source.probe_count);
    }
    memcpy(view->plots[plot].values, values, view->plots[plot].column_count * sizeof *values);
    return DENT_OK;
}
