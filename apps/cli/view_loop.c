/* view_loop.c — moves the source, makes frames, obeys commands. */
#include "view_loop.h"

#include "interrupt.h"
#include "tool.h"
#include "view_frames.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { POLL_MS = 100, FALL_BEHIND_NS = 250000000, COMMANDS_PER_TURN = 64 };
static const uint64_t SNAPSHOT_LIMIT_NS = 300000000000;

typedef struct viewing {
    tool_session *session;
    view_source source;
    view_server *server;
    view_wishes wishes;
    bool playing, changed, published, boxes_changed;
    double speed;
    uint64_t due_ns;
    uint32_t sequence;
    uint32_t generation; /* of the source, as it was described last */
    uint64_t holder;     /* the client that drags a vertex */
} viewing;

/* ---- commands ------------------------------------------------------------------------------------------------------ */

static int move(viewing *view, int32_t steps)
{
    view_source *source = &view->source;
    view->changed = true;
    if (source->go_to != NULL) {
        int64_t frame = (int64_t)source->frame + steps, last = source->frame_count > 0 ? (int64_t)source->frame_count - 1 : UINT32_MAX;
        return source->go_to(source, (uint32_t)(frame < 0 ? 0 : frame > last ? last : frame));
    }
    int failed = STATUS_GOOD;
    for (int32_t i = 0; i < steps && !failed && !interrupt_seen(); i++) {
        failed = source->advance(source);
    }
    return failed;
}

static void ask(viewing *view, const char *word)
{
    view->wishes.question = 0;
    for (unsigned bit = 0; bit < DENT_DISCRETE_QUESTION_COUNT; bit++) {
        if (strcmp(word, dent_question_name((dent_question)(1u << bit))) == 0) {
            view->wishes.question = (dent_question)(1u << bit);
        }
    }
    view->changed = true;
}

static void show_structure(viewing *view, const view_command *command)
{
    view->wishes.balls_wanted = strcmp(command->word, VIEW_SPHERE_TREE) == 0;
    view->wishes.structure_wanted = view->wishes.balls_wanted;
    for (unsigned i = 0; i < DENT_STRUCTURE_COUNT; i++) {
        if (strcmp(command->word, dent_structure_name((dent_structure)i)) == 0) {
            view->wishes.structure = (dent_structure)i;
            view->wishes.structure_wanted = true;
        }
    }
    view->wishes.structure_body = command->number[0];
    view->wishes.structure_level = command->number[1];
    view->boxes_changed = true;
}

static void grab(viewing *view, const view_command *command)
{
    view_source *source = &view->source;
    double target[3];
    view->holder = command->client;
    for (int axis = 0; axis < 3; axis++) {
        target[axis] = command->value[axis] + source->origin[axis];
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

/* A wish that cannot be fulfilled, said on the terminal already. It is no reason to end, except for a snapshot, which would wait
 * for it. */
static int give_up(viewing *view, int failed)
{
    static const char note[] = "{\"text\":\"That was not possible: the terminal of dent says why.\"}";
    if (!failed || view->session->options->snapshot != NULL || interrupt_seen()) {
        return failed;
    }
    view->playing = false;
    view->changed = true;
    if (view->source.release != NULL) {
        view->source.release(&view->source); /* a vertex dragged too far is a usual reason */
    }
    view_server_reply(view->server, VIEW_EVERYBODY, view_message_text(VIEW_NOTE, 0, note));
    return STATUS_GOOD;
}

static int obey(viewing *view, const view_command *command)
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
        view->changed = true;
        return source->go_to != NULL && command->number[0] < source->frame_count
                   ? give_up(view, source->go_to(source, command->number[0]))
                   : STATUS_GOOD;
    case VIEW_COMMAND_SPEED:
        view->speed = command->value[0];
        view->due_ns = dent_clock_ns();
        return STATUS_GOOD;
    case VIEW_COMMAND_RESTART:
        view->changed = true;
        return source->live ? source->restart(source) : give_up(view, source->restart(source));
    case VIEW_COMMAND_ASK:
        ask(view, command->word);
        return STATUS_GOOD;
    case VIEW_COMMAND_STRUCTURE:
        show_structure(view, command);
        return STATUS_GOOD;
    case VIEW_COMMAND_PICK:
        view_server_reply(view->server, command->client, view_describe_face(source, command->number[0], command->number[1]));
        return STATUS_GOOD;
    case VIEW_COMMAND_GRAB:
        grab(view, command);
        return STATUS_GOOD;
    case VIEW_COMMAND_RELEASE:
        if (source->release != NULL && view->holder == command->client) {
            source->release(source);
        }
        return STATUS_GOOD;
    default:
        return STATUS_GOOD;
    }
}

/* ---- the loop ------------------------------------------------------------------------------------------------------- */

/* Until the next frame is due, or a moment. */
static uint32_t time_to_wait(const viewing *view)
{
    uint64_t now = dent_clock_ns();
    if (!view->playing) {
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
    if (!view->playing || now < view->due_ns) {
        return STATUS_GOOD;
    }
    view->due_ns += (uint64_t)(view->source.frame_seconds / view->speed * 1e9);
    if (view->due_ns + FALL_BEHIND_NS < now) {
        view->due_ns = now; /* too slow for real time: as fast as it goes */
    }
    view->changed = true;
    return give_up(view, view->source.advance(&view->source));
}

static int publish_boxes(viewing *view)
{
    if (!view->boxes_changed) {
        return STATUS_GOOD;
    }
    view_message *boxes = view_make_boxes(&view->source, &view->wishes);
    if (boxes == NULL) {
        bool asked = view->wishes.structure_wanted;
        view->wishes.structure_wanted = false;
        return asked ? give_up(view, STATUS_ERROR) : STATUS_ERROR;
    }
    view_server_set_boxes(view->server, boxes);
    view->boxes_changed = false;
    return STATUS_GOOD;
}

static int publish(viewing *view)
{
    view_server_facts facts = view_server_get_facts(view->server);
    if (view->generation != view->source.generation) {
        int failed = view_send_opening(&view->source, view->server);
        if (failed) {
            return failed;
        }
        view->generation = view->source.generation;
        view->changed = true;
    }
    bool wanted = facts.clients > 0 && (facts.wanted || !view->published);
    if (!view->changed || !wanted) {
        return STATUS_GOOD;
    }
    uint32_t flags = view->playing ? VIEW_FLAG_PLAYING : 0;
    view_message *frame = view_make_frame(&view->source, &view->wishes, ++view->sequence, flags);
    if (frame == NULL) {
        bool asked = view->wishes.question != 0;
        view->wishes.question = 0;
        return asked ? give_up(view, STATUS_ERROR) : STATUS_ERROR;
    }
    view_server_publish(view->server, frame);
    view->boxes_changed = view->boxes_changed || view->wishes.structure_wanted;
    view->changed = false;
    view->published = true;
    return STATUS_GOOD;
}

/* One turn of the loop. */
static int turn(viewing *view)
{
    view_command command;
    uint32_t wait = time_to_wait(view);
    int failed = STATUS_GOOD;
    for (int i = 0; i < COMMANDS_PER_TURN && !failed && view_server_command(view->server, wait, &command); i++) {
        failed = obey(view, &command);
        wait = 0;
        if (view->changed) {
            break; /* it is shown before the next command, or a page that talks all the time would see nothing */
        }
    }
    failed = failed ? failed : go_on(view);
    failed = failed ? failed : publish(view);
    return failed ? failed : publish_boxes(view);
}

static int serve(viewing *view)
{
    tool_session *session = view->session;
    printer_format(session->out, "%s\n", view_server_url(view->server));
    printer_flush(session->out);
    if (!options_have(session->options, OPTION_NO_BROWSER)) {
        view_open_browser(view_server_url(view->server));
    }
    int failed = STATUS_GOOD;
    play(view, view->source.live);
    while (!failed && !interrupt_seen()) {
        failed = turn(view);
    }
    if (options_have(session->options, OPTION_STATS)) {
        view_server_facts facts = view_server_get_facts(view->server);
        remark("%llu frames made, %llu sent, %llu drawn, %llu requests refused", (unsigned long long)facts.frames_published,
               (unsigned long long)facts.frames_sent, (unsigned long long)facts.frames_acknowledged, (unsigned long long)facts.refused);
    }
    return failed; /* Ctrl-C is how a viewer ends: a good end */
}

/* ---- snapshots ------------------------------------------------------------------------------------------------------- */

static int wait_for_picture(viewing *view, int process, const char *path)
{
    int state = 0;
    int failed = STATUS_GOOD;
    uint64_t last = dent_clock_ns() + SNAPSHOT_LIMIT_NS;
    while (state == 0 && !failed && !interrupt_seen()) {
        failed = turn(view);
        state = view_snapshot_state(process, path);
        if (state == 0 && !failed && dent_clock_ns() > last) {
            failed = complain("view: the browser drew nothing in five minutes");
        }
    }
    if (state == 0) {
        kill(process, SIGTERM);
        waitpid(process, NULL, 0);
        return failed ? failed : interrupt_report();
    }
    return state > 0 ? STATUS_GOOD : STATUS_ERROR;
}

/* The browser writes to a folder of its own, so that a picture that was there is lost only to a new one. */
static int copy_picture(const char *from, const char *to)
{
    char buffer[65536];
    FILE *in = fopen(from, "rb"), *out = in != NULL ? fopen(to, "wb") : NULL;
    bool good = out != NULL;
    for (size_t size = 1; good && size > 0;) {
        size = fread(buffer, 1, sizeof buffer, in);
        good = fwrite(buffer, 1, size, out) == size;
    }
    good = good && !ferror(in);
    good = out != NULL && fclose(out) == 0 && good;
    int failed = good ? STATUS_GOOD : complain("view: %s: cannot be written: %s", to, strerror(errno));
    if (in != NULL) {
        fclose(in);
    }
    return failed;
}

static int snapshot(viewing *view)
{
    const tool_options *options = view->session->options;
    char url[640], picture[64], profile[] = "/tmp/dent-view-XXXXXX";
    if (mkdtemp(profile) == NULL) {
        return complain("view: cannot make a folder for the browser in /tmp");
    }
    int length = snprintf(url, sizeof url, "%s#snapshot=1", view_server_url(view->server));
    if (options_have(options, OPTION_VIEW)) {
        length += snprintf(url + length, sizeof url - (size_t)length, "&view=%.6g,%.6g", options->azimuth, options->elevation);
    }
    snprintf(url + length, sizeof url - (size_t)length, "&%s", options->show != NULL ? options->show : "theme=light");
    snprintf(picture, sizeof picture, "%s/picture.png", profile);
    int process = view_start_snapshot(url, picture, profile);
    int failed = process < 0 ? STATUS_ERROR : wait_for_picture(view, process, picture);
    failed = failed ? failed : copy_picture(picture, options->snapshot);
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", profile);
    if (system(command) != 0) {
        remark("%s could not be removed", profile);
    }
    if (!failed) {
        printer_text(view->session->out, "wrote ");
        printer_name(view->session->out, options->snapshot);
        printer_text(view->session->out, "\n");
    }
    return failed;
}

int view_run(tool_session *session)
{
    viewing view;
    char why[160];
    memset(&view, 0, sizeof view);
    view.session = session;
    view.speed = 1;
    int failed = view_source_open(&view.source, session);
    if (failed) {
        return failed;
    }
    for (uint32_t i = 0; view.source.live && i < session->options->frame && !failed && !interrupt_seen(); i++) {
        failed = view.source.advance(&view.source);
    }
    view.server = view_server_start((uint16_t)session->options->port, session->options->token, why, sizeof why);
    if (view.server == NULL) {
        failed = complain("view: %s", why);
    }
    if (!failed) {
        failed = session->options->snapshot != NULL ? snapshot(&view) : serve(&view);
    }
    view_server_stop(view.server);
    view_source_close(&view.source);
    return failed;
}
