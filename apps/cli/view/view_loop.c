/* view_loop.c — moves the source, makes frames, obeys commands. */
#include "view_loop.h"

#include "interrupt.h"
#include "placed_file.h"
#include "tool.h"
#include "view_record.h"
#include <view_frames.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { POLL_MS = 100, MANY_ELEMENTS = 200000, FALL_BEHIND_NS = 250000000, COMMANDS_PER_TURN = 64 };
static const uint64_t SNAPSHOT_LIMIT_NS = 300000000000;

typedef struct viewing {
    tool_session *session;
    view_source source;
    view_server *server;
    view_settings requests;
    bool playing, changed, boxes_changed, state_changed;
    bool started; /* a page has come: a simulation nobody has seen yet waits for it */
    double speed;
    uint64_t due_ns;
    uint32_t sequence;
    uint32_t generation;              /* of the source, as it was described last */
    uint64_t holder;                  /* the client that drags a vertex */
    double seconds_per_query;         /* what the contacts of the last frame took, with what was asked */
    bool shown_before;                /* the present frame was, without its contacts */
    char redirect[VIEW_FOLDER_LIMIT]; /* the folder of the page that leads the browser here; empty: none */
    uint64_t pages_ns;                /* of this thread's CPU time spent on frames for pages */
} viewing;

/* ---- commands ---------------------------------------------------------------------------------------------------- */

/* Before whatever brings other positions. */
static void moves(viewing *view)
{
    view->changed = view->source.moved = true;
    view->shown_before = false;
}

/* A picture or a video is waited for: an error ends it. */
static bool for_a_file(const viewing *view)
{
    return view->session->options->snapshot != NULL || view->session->options->record != NULL;
}

static int move(viewing *view, int32_t steps)
{
    view_source *source = &view->source;
    moves(view);
    if (source->go_to != NULL) {
        int64_t frame = (int64_t)source->frame + steps,
                last = source->frame_count > 0 ? (int64_t)source->frame_count - 1 : UINT32_MAX;
        return source->go_to(source, (uint32_t)(frame < 0 ? 0 : frame > last ? last : frame));
    }
    int failed = STATUS_GOOD;
    for (int32_t i = 0; i < steps && !failed && !interrupt_seen(); i++) {
        failed = source->advance(source);
    }
    return failed;
}

static int ask(viewing *view, const view_command *command)
{
    view_source *source = &view->source;
    view->state_changed = true;
    switch (command->kind) {
    case VIEW_COMMAND_ASK:
        view->changed = true;
        return view_ask_question(source, &view->requests, command->word);
    case VIEW_COMMAND_STRESS:
        view->changed = true;
        return view_ask_measure(source, &view->requests, command->word);
    default:
        view->boxes_changed = true;
        return view_ask_structure(source, &view->requests, command);
    }
}

static void grab(viewing *view, const view_command *command)
{
    view_source *source = &view->source;
    double target[3];
    view->holder = command->client;
    for (int axis = 0; axis < 3; axis++) {
        target[axis] = command->value[axis] * source->unit + source->origin[axis];
    }
    if (source->grab != NULL && command->number[0] < source->body_count &&
        command->number[1] < source->bodies[command->number[0]].vertex_count) {
        source->grab(source, command->number[0], command->number[1], target);
    }
}

static void play(viewing *view, bool playing)
{
    view->playing = playing && (view->source.live || view->source.frame_count > 1);
    view->due_ns = dent_clock_ns();
    view->changed = true;
}

static void let_go(viewing *view)
{
    if (view->source.release != NULL) {
        view->source.release(&view->source);
    }
    view->holder = 0;
}

/* Tells the pages what view_fail said since the last time. */
static void tell_trouble(viewing *view)
{
    view_source *source = &view->source;
    if (source->trouble[0] != '\0') {
        view_server_reply(view->server, VIEW_EVERYBODY, view_make_trouble(source->trouble));
        source->trouble[0] = '\0';
        view->playing = false;
        view->changed = true;
    }
}

/* A request that cannot be fulfilled, reported on the terminal already. It is no reason to end, except for a snapshot, which
 * would wait for it. */
static int give_up(viewing *view, int failed)
{
    if (!failed || for_a_file(view) || view->source.broken || interrupt_seen()) {
        return failed;
    }
    if (view->source.trouble[0] == '\0') {
        snprintf(view->source.trouble, sizeof view->source.trouble,
                 "That was not possible: the terminal of dent says why.");
    }
    let_go(view); /* a vertex dragged too far is a usual reason */
    tell_trouble(view);
    return STATUS_GOOD;
}

static int handle_command(viewing *view, const view_command *command)
{
    view_source *source = &view->source;
    switch (command->kind) {
    case VIEW_COMMAND_PLAY:
    case VIEW_COMMAND_PAUSE:
        play(view, command->kind == VIEW_COMMAND_PLAY);
        return STATUS_GOOD;
    case VIEW_COMMAND_STEP:
        play(view, false);
        return give_up(view, move(view, command->steps));
    case VIEW_COMMAND_SEEK:
        moves(view);
        return source->go_to != NULL && command->number[0] < source->frame_count
                   ? give_up(view, source->go_to(source, command->number[0]))
                   : STATUS_GOOD;
    case VIEW_COMMAND_SPEED:
        view->speed = command->value[0];
        view->state_changed = true;
        view->due_ns = dent_clock_ns();
        return STATUS_GOOD;
    case VIEW_COMMAND_RESTART:
        moves(view);
        return give_up(view, source->restart(source));
    case VIEW_COMMAND_ASK:
    case VIEW_COMMAND_STRUCTURE:
    case VIEW_COMMAND_STRESS:
        return give_up(view, ask(view, command));
    case VIEW_COMMAND_PICK:
        view_server_reply(view->server, command->client,
                          view_describe_face(source, command->number[0], command->number[1]));
        return STATUS_GOOD;
    case VIEW_COMMAND_GRAB:
        grab(view, command);
        return STATUS_GOOD;
    case VIEW_COMMAND_NUDGE:
    case VIEW_COMMAND_TURN:
        if (source->nudge != NULL) {
            source->nudge(source, command->kind == VIEW_COMMAND_TURN, command->value);
        }
        return STATUS_GOOD;
    case VIEW_COMMAND_JOINT:
        moves(view);
        return source->set_joint != NULL ? give_up(view, source->set_joint(source, command->number[0], command->value[0]))
                                         : STATUS_GOOD;
    case VIEW_COMMAND_RELEASE:
        if (view->holder == command->client) {
            let_go(view);
        }
        return STATUS_GOOD;
    default:
        return STATUS_GOOD;
    }
}

/* ---- the loop ---------------------------------------------------------------------------------------------------- */

/* Until the next frame is due, or a moment. */
static uint32_t time_to_wait(const viewing *view)
{
    uint64_t now = dent_clock_ns();
    if (!view->playing || !view->started) {
        return POLL_MS;
    }
    if (now >= view->due_ns) {
        return 0;
    }
    uint64_t ms = (view->due_ns - now + 999999) / 1000000;
    return ms < POLL_MS ? (uint32_t)ms : POLL_MS;
}

static int go_on(viewing *view)
{
    uint64_t now = dent_clock_ns();
    if (!view->playing || !view->started || now < view->due_ns) {
        return STATUS_GOOD;
    }
    view->due_ns += (uint64_t)(view->source.frame_seconds / view->speed * 1e9);
    if (view->due_ns + FALL_BEHIND_NS < now) {
        view->due_ns = now; /* too slow for real time: as fast as it goes */
    }
    moves(view);
    return give_up(view, view->source.advance(&view->source));
}

static int publish_boxes(viewing *view)
{
    view_message *boxes = view_make_boxes(&view->source, &view->requests);
    if (boxes == NULL) {
        bool asked = view->requests.structure_wanted;
        view->requests.structure_wanted = false;
        view->state_changed = true;
        return asked ? give_up(view, STATUS_ERROR) : STATUS_ERROR;
    }
    view_server_set_boxes(view->server, boxes);
    view->boxes_changed = false;
    return STATUS_GOOD;
}

static uint64_t thread_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Large models are shown at once and their contacts when they are found, so that a page opens and a time bar moves
 * without waiting for them. Not while it plays: contacts would come and go. */
static bool contacts_can_wait(const viewing *view)
{
    const view_source *source = &view->source;
    uint64_t elements = 0;
    for (uint32_t i = 0; i < source->body_count; i++) {
        elements += source->bodies[i].element_count;
    }
    bool slow = view->seconds_per_query > 0 ? view->seconds_per_query > 0.1 : elements > MANY_ELEMENTS;
    return slow && source->moved && !source->live && !view->playing && !view->shown_before &&
           !for_a_file(view);
}

static int publish_frame(viewing *view)
{
    uint64_t start = thread_ns(), since = dent_clock_ns();
    bool later = contacts_can_wait(view), finds = !later && view->source.moved;
    dent_question asked = view->requests.question;
    uint32_t flags = (view->playing ? VIEW_FLAG_PLAYING : 0) | (later ? VIEW_FLAG_PENDING : 0);
    view_message *frame = view_make_frame(&view->source, &view->requests, ++view->sequence, flags);
    bool failed = view->source.trouble[0] != '\0';
    view->state_changed = view->state_changed || view->requests.question != asked;
    if (frame != NULL) {
        view_server_publish(view->server, frame);
    }
    view->pages_ns += thread_ns() - start;
    int outcome = give_up(view, failed ? STATUS_ERROR : STATUS_GOOD);
    if (finds) {
        view->seconds_per_query = (double)(dent_clock_ns() - since) * 1e-9;
    }
    view->shown_before = later;
    if (later) {
        view->changed = true; /* and now the contacts */
        return outcome;
    }
    /* Once more without the question, or to say that it stands still; not for ever, since contacts will fail once more.
     */
    view->changed = failed && (view->requests.question != asked || (flags & VIEW_FLAG_PLAYING) != 0);
    return outcome;
}

static int publish_state(viewing *view)
{
    view_message *state = view->state_changed ? view_make_state(&view->requests, view->speed) : NULL;
    if (state != NULL) {
        view_server_set_state(view->server, state);
        view->state_changed = false;
    }
    return state != NULL || !view->state_changed ? STATUS_GOOD : view_fail(&view->source, "out of memory");
}

static int publish(viewing *view, const view_server_facts *facts)
{
    if (view->generation != view->source.generation) {
        int failed = view_send_opening(&view->source, view->server);
        if (failed) {
            return failed;
        }
        view->generation = view->source.generation;
        view->changed = true;
    }
    if (facts->clients == 0 && facts->has_frame && view->changed) {
        view_server_forget_frame(
            view->server); /* it moved on without them. What stands still is there for the next page at once, even
                              while contacts of a large model are being looked for */
    }
    view->changed = view->changed || !facts->has_frame;
    bool frame = view->changed && facts->clients > 0 && (facts->wanted || !facts->has_frame);
    int failed = publish_state(view); /* before the frame that shows it */
    if (failed) {
        return failed;
    }
    if (view->boxes_changed || (frame && view->requests.structure_wanted)) {
        failed = publish_boxes(view);
    }
    if (!failed && frame) {
        failed = publish_frame(view);
    }
    return failed ? failed : publish_state(view);
}

/* ---- the user's browser ------------------------------------------------------------------------------------------ */

/* Without a display, in an SSH session: how the address is reached from the user's own machine. */
static void tell_tunnel(const viewing *view)
{
    char line[VIEW_TUNNEL_LIMIT];
    if (view_write_tunnel(view_server_port(view->server), line, sizeof line)) {
        remark("view: on your own machine run  %s  and open the address there", line);
    }
}

static void open_browser(viewing *view, const char *url)
{
    char page[VIEW_FOLDER_LIMIT + 16];
    if (options_have(view->session->options, OPTION_NO_BROWSER)) {
        return;
    }
    if (!view_has_display()) {
        tell_tunnel(view);
        return;
    }
    if (!view_is_program("xdg-open")) {
        remark("view: there is no xdg-open to start a browser with: open the address yourself");
        return;
    }
    if (!view_make_runtime_folder(view->redirect)) {
        view->redirect[0] = '\0';
        remark("view: no folder for the page that leads a browser here: open the address yourself");
    } else if (view_write_redirect(view->redirect, url, false, page, sizeof page)) {
        view_open_browser(page);
    }
}

/* A page has come, or it ends: nobody needs to be led here any more. */
static void close_redirect(viewing *view)
{
    if (view->redirect[0] != '\0') {
        view_remove_redirect(view->redirect);
        view->redirect[0] = '\0';
    }
}

/* One turn of the loop. */
static int turn(viewing *view)
{
    view_command command;
    uint32_t wait = time_to_wait(view);
    int failed = STATUS_GOOD;
    if (view->holder != 0 && !view_server_is_here(view->server, view->holder)) {
        let_go(view);
    }
    for (int i = 0; i < COMMANDS_PER_TURN && !failed && view_server_command(view->server, wait, &command); i++) {
        failed = handle_command(view, &command);
        wait = 0;
        if (view->changed) {
            break; /* it is shown before the next command, or a page that talks all the time would see nothing */
        }
    }
    view_server_facts facts = view_server_get_facts(view->server);
    if (!view->started && facts.clients > 0) {
        view->started = true;
        view->due_ns = dent_clock_ns();
        close_redirect(view);
    }
    failed = failed ? failed : go_on(view);
    facts =
        view_server_get_facts(view->server); /* as they are now: a page may have become ready while the bodies moved */
    return failed ? failed : publish(view, &facts);
}

/* The address with what the page is to begin with behind it. */
static void make_url(const viewing *view, const char *first, char *url, size_t size)
{
    const tool_options *options = view->session->options;
    char angles[80] = "";
    if (options_have(options, OPTION_VIEW)) {
        snprintf(angles, sizeof angles, "view=%.6g,%.6g", options->azimuth, options->elevation);
    }
    const char *parts[3] = {first, angles, options->show != NULL ? options->show : ""};
    int length = snprintf(url, size, "%s", view_server_url(view->server));
    char before = '#';
    for (int i = 0; i < 3; i++) {
        if (parts[i][0] != '\0' && length >= 0 && (size_t)length < size) {
            length += snprintf(url + length, size - (size_t)length, "%c%s", before, parts[i]);
            before = '&';
        }
    }
}

static int serve(viewing *view)
{
    tool_session *session = view->session;
    char url[VIEW_URL_LIMIT];
    make_url(view, "", url, sizeof url);
    printer_format(session->out, "%s\n", url);
    printer_flush(session->out);
    open_browser(view, url);
    int failed = STATUS_GOOD;
    play(view, view->source.live);
    while (!failed && !interrupt_seen()) {
        failed = turn(view);
    }
    close_redirect(view);
    if (options_have(session->options, OPTION_STATS)) {
        view_server_facts facts = view_server_get_facts(view->server);
        remark("%llu frames made in %.3f ms of CPU time, %llu sent, %llu drawn, %llu requests rejected",
               (unsigned long long)facts.frames_published, (double)view->pages_ns * 1e-6,
               (unsigned long long)facts.frames_sent, (unsigned long long)facts.frames_acknowledged,
               (unsigned long long)facts.refused);
    }
    return interrupt_seen() ? STATUS_GOOD : failed; /* Ctrl-C is how a viewer ends: a good end */
}

/* ---- snapshots --------------------------------------------------------------------------------------------------- */

static int wait_for_picture(viewing *view, int process, const char *path)
{
    int state = 0;
    int failed = STATUS_GOOD;
    uint64_t last = dent_clock_ns() + SNAPSHOT_LIMIT_NS, drawn = 0;
    while (state == 0 && !failed && !interrupt_seen()) {
        failed = turn(view);
        state = failed || interrupt_seen() ? 0 : view_snapshot_state(process, path);
        uint64_t now_drawn = view_server_get_facts(view->server).frames_acknowledged;
        last = now_drawn > drawn ? dent_clock_ns() + SNAPSHOT_LIMIT_NS : last;
        drawn = now_drawn;
        if (state == 0 && !failed && dent_clock_ns() > last) {
            failed = complain("view: the browser drew nothing in five minutes");
        }
    }
    if (state == 0) {
        view_end_snapshot(process);
        return interrupt_seen() ? interrupt_report() : failed;
    }
    return state > 0 ? STATUS_GOOD : interrupt_seen() ? STATUS_INTERRUPTED : STATUS_ERROR;
}

static int snapshot(viewing *view)
{
    const tool_options *options = view->session->options;
    char first[64], url[VIEW_URL_LIMIT], profile[VIEW_FOLDER_LIMIT], picture[VIEW_FOLDER_LIMIT + 16], page[VIEW_FOLDER_LIMIT + 16];
    if (!view_make_folder(profile)) {
        return complain("view: cannot make a folder for the browser in TMPDIR or /tmp");
    }
    snprintf(first, sizeof first, "snapshot=1%s", options->show != NULL ? "" : "&theme=light");
    if (options->record != NULL) {
        snprintf(first + strlen(first), sizeof first - strlen(first), "&record=%u",
                 view_record_frames(options, &view->source));
        view_server_expect_upload(view->server);
    }
    make_url(view, first, url, sizeof url);
    snprintf(picture, sizeof picture, "%s/picture.png", profile);
    bool led = view_write_redirect(profile, url, true, page, sizeof page);
    int process = led ? view_start_snapshot(page, picture, profile)
                      : (complain("view: cannot write %s: %s", page, strerror(errno)), -1);
    int failed = process < 0 ? STATUS_ERROR : wait_for_picture(view, process, picture);
    failed = failed                    ? failed
             : options->record != NULL ? view_record_place(view->session, view->server, profile)
                                       : view_place_picture(view->session, picture, options->snapshot);
    if (!view_remove_folder(profile)) {
        remark("%s could not be removed", profile);
    }
    if (!failed) {
        printer_text(view->session->out, "wrote ");
        printer_name(view->session->out, options->record != NULL ? options->record : options->snapshot);
        printer_text(view->session->out, "\n");
    }
    return failed;
}

/* A simulation on its way to the frame asked for. */
static int go_to_first_frame(viewing *view)
{
    int failed = STATUS_GOOD;
    for (uint32_t i = 0; view->source.live && i < view->session->options->frame && !failed && !interrupt_seen(); i++) {
        failed = view->source.advance(&view->source);
    }
    return interrupt_seen() ? interrupt_report() : failed;
}

static int show_source(viewing *view)
{
    const tool_options *options = view->session->options;
    int failed = view_source_open(&view->source, view->session);
    if (failed) {
        return interrupt_seen() ? interrupt_report() : failed;
    }
    failed = view_check_show(options->show, view->source.body_count);
    failed = failed ? failed : go_to_first_frame(view);
    if (!failed) {
        view->source.trouble[0] = '\0';
        moves(view);
        failed = for_a_file(view) ? snapshot(view) : serve(view);
    }
    view_source_close(&view->source);
    return failed;
}

int view_run(tool_session *session)
{
    viewing view;
    char why[160], token[VIEW_TOKEN_LENGTH + 1];
    const tool_options *options = session->options;
    memset(&view, 0, sizeof view);
    view.session = session;
    view.speed = 1;
    view.requests.structure_level = 4;
    view.state_changed = true;
    int failed = view_check_show(options->show, UINT32_MAX);
    failed = failed || options->snapshot == NULL ? failed : check_target(session, "view:", options->snapshot);
    failed = failed || options->record == NULL ? failed : check_target(session, "view:", options->record);
    if (!failed && options->record != NULL && options->snapshot != NULL) {
        failed = complain("view: --snapshot and --record: give one of them");
    }
    failed = failed || options->token == NULL ? failed : view_find_token(options->token, token);
    if (failed) {
        return failed;
    }
    view.server = view_server_start((uint16_t)options->port, options->token != NULL ? token : NULL, why,
                                    sizeof why); /* first: a port may be taken */
    if (view.server == NULL) {
        return complain("view: %s", why);
    }
    failed = show_source(&view);
    view_server_stop(view.server);
    return failed;
}
