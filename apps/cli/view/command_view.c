/* command_view.c — `dent view`: a model, a scene or a recording in the browser, to be turned, stepped and questioned.
 *
 * The command's own thread moves the source and makes frames; the server's thread talks to the pages (view_server.h). A
 * slow page never holds up a simulation: it gets the newest frame when it has drawn the last one. */
#include "interrupt.h"
#include "tool.h"
#include "tool_session.h"

#if DENT_HAVE_VIEWER
#include "load_world.h"
#include "view_loop.h"

static int run_view(const tool_options *options, printer *out)
{
    tool_session session;
    int status = refuse_kind_of_scene(options);
    status = status == STATUS_GOOD ? session_open(&session, options, out) : status;
    if (status != STATUS_GOOD) {
        return status;
    }
    status = view_run(&session);
    session_close(&session);
    return status;
}
#else
static int run_view(const tool_options *options, printer *out)
{
    (void)options;
    (void)out;
    return complain("view: this dent was built without the viewer: %s", DENT_VIEWER_MISSING);
}
#endif

const tool_command command_view_row = {
    .name = "view",
    .summary = "live 3-D view in the browser",
    .arguments = "[OPTION...] SCENE|FILE...",
    .details = HELP_ON_FILES
    "\n"
    "Serves a page on 127.0.0.1 and opens it: rotate, cut, pick, play. It shows contacts with their\n"
    "normals and pushes, pairs of a question, acceleration structures and plots. Files and series (see\n"
    "dent pairs --help) are shown unchanged, scenes move. A scene that can be simulated is simulated\n"
    "unless --prescribed is given. The server accepts only the printed address with its random token.\n"
    "Ctrl-C ends it. Press ? in the page for its keys.\n"
    "\n"
    "--hand BODY lets you move that body of a model or scene: drag it with the mouse or a finger, or use\n"
    "the keys that the page lists. It slides along the other bodies and never enters them. An arrow and a\n"
    "plot show the force. Try: dent view peg --hand 1. In a simulated scene a rigid body is live, and soft\n"
    "bodies give way: dent view tissue --hand 1\n"
    "\n"
    "--deadline MS gives the contacts of each simulated step at most MS milliseconds: a steady frame rate\n"
    "with an approximate response.\n"
    "\n"
    "--snapshot F.png draws one frame with a headless Chromium (chromium, chromium-browser or\n"
    "google-chrome; environment variable DENT_CHROMIUM names another). --record F.webm makes a video in\n"
    "the same way, from --frame K on: all frames of a series or scene, 150 of a simulation, or a turn round\n"
    "a model that stands still; --frames N chooses another number. --show, with or without them, takes\n"
    "question=Q, structure=NAME,BODY,LEVEL, colours=FIELD, cut=AXIS,PLACE, opacity=X, hide=1,2,\n"
    "paint=0-3:f3ead6,4:e8a0a0/0.5, wire=1, edges=1, swept=1, plain=1, through=1, up=x|y|z,\n"
    "theme=dark, no-normals=1 and no-contacts=1, joined by &.\n",
    .option_bits = OPTIONS_OF_SCENES | OPTIONS_OF_MACHINE | OPTION_BIT(OPTION_MEMORY_LIMIT) | OPTION_BIT(OPTION_MERGE) |
                   OPTIONS_OF_ROBOT_FILES | OPTION_BIT(OPTION_HAND) | OPTION_BIT(OPTION_PORT) |
                   OPTION_BIT(OPTION_TOKEN) | OPTION_BIT(OPTION_NO_BROWSER) | OPTION_BIT(OPTION_SNAPSHOT) |
                   OPTION_BIT(OPTION_RECORD) | OPTION_BIT(OPTION_STORY_FRAMES) | OPTION_BIT(OPTION_SHOW) |
                   OPTION_BIT(OPTION_VIEW) | OPTION_BIT(OPTION_STATS) | OPTION_BIT(OPTION_STEP_DEADLINE),
    .argument_min = 1,
    .argument_max = UINT32_MAX,
    .run = run_view,
};
