/* view_events.c — what the pages say: answered here where it is about the picture, kept for the caller where it is about
 * the loop. */
#include "view_library.h"

enum { COMMANDS_PER_UPDATE = 64 };

/* When the ring is full the oldest event makes room: of a drag the newest place counts. */
static void keep(dent_view *view, const dent_view_event *event)
{
    if (view->event_count == EVENTS_KEPT) {
        view->first_event = (view->first_event + 1) % EVENTS_KEPT;
        view->event_count--;
    }
    view->events[(view->first_event + view->event_count++) % EVENTS_KEPT] = *event;
}

static void grab(dent_view *view, const view_command *command)
{
    const view_source *source = &view->source;
    dent_view_event event = {.kind = DENT_VIEW_GRAB, .body = command->number[0], .vertex = command->number[1]};
    if (event.body >= source->body_count || event.vertex >= source->bodies[event.body].vertex_count) {
        return;
    }
    for (int axis = 0; axis < 3; axis++) {
        event.target[axis] = command->value[axis] * source->unit + source->origin[axis];
    }
    view->holder = command->client;
    keep(view, &event);
}

static void let_go(dent_view *view)
{
    if (view->holder != 0) {
        keep(view, &(dent_view_event){.kind = DENT_VIEW_RELEASE});
        view->holder = 0;
    }
}

static void ask(dent_view *view, const view_command *command)
{
    view_source *source = &view->source;
    if (source->plain) {
        return;
    }
    view->state_changed = true;
    if (command->kind == VIEW_COMMAND_ASK) {
        view_ask_question(source, &view->requests, command->word);
    } else if (command->kind == VIEW_COMMAND_STRESS) {
        view_ask_measure(source, &view->requests, command->word);
    } else {
        view_ask_structure(source, &view->requests, command);
        view->boxes_changed = true;
    }
}

static void handle(dent_view *view, const view_command *command)
{
    switch (command->kind) {
    case VIEW_COMMAND_PLAY:
    case VIEW_COMMAND_PAUSE:
        view->paused = command->kind == VIEW_COMMAND_PAUSE;
        view->steps = 0;
        return;
    case VIEW_COMMAND_STEP:
        view->paused = true;
        view->steps = command->steps > 0 ? (uint32_t)command->steps : 0;
        return;
    case VIEW_COMMAND_SPEED:
        view->speed = command->value[0];
        view->state_changed = true;
        keep(view, &(dent_view_event){.kind = DENT_VIEW_SPEED, .value = command->value[0]});
        return;
    case VIEW_COMMAND_RESTART:
        keep(view, &(dent_view_event){.kind = DENT_VIEW_RESTART});
        return;
    case VIEW_COMMAND_GRAB:
        grab(view, command);
        return;
    case VIEW_COMMAND_RELEASE:
        if (view->holder == command->client) {
            let_go(view);
        }
        return;
    case VIEW_COMMAND_PICK:
        view_server_reply(view->server, command->client,
                          view_describe_face(&view->source, command->number[0], command->number[1]));
        return;
    case VIEW_COMMAND_UP:
        view->requests.up = command->word[0];
        view->state_changed = true;
        return;
    case VIEW_COMMAND_ASK:
    case VIEW_COMMAND_STRESS:
    case VIEW_COMMAND_STRUCTURE:
        ask(view, command);
        return;
    default:
        return;
    }
}

void view_library_listen(dent_view *view)
{
    view_command command;
    for (int i = 0; i < COMMANDS_PER_UPDATE && view_server_command(view->server, 0, &command); i++) {
        handle(view, &command);
    }
    if (view->holder != 0 && !view_server_is_here(view->server, view->holder)) {
        let_go(view);
    }
    if (view->paused && view->info.page_count == 0) { /* nobody is left to let it go on */
        view->paused = false;
        view->steps = 0;
    }
}

bool dent_view_next_event(dent_view *view, dent_view_event *event)
{
    if (view == NULL || event == NULL || view->event_count == 0) {
        return false;
    }
    *event = view->events[view->first_event];
    view->first_event = (view->first_event + 1) % EVENTS_KEPT;
    view->event_count--;
    return true;
}

bool dent_view_wants_step(dent_view *view)
{
    if (view == NULL) {
        return false;
    }
    if (!view->paused) {
        return true;
    }
    bool wanted = view->steps > 0;
    view->steps -= wanted;
    return wanted;
}
