/* dent/view.h — optional library dent_view: shows your world, live, in the browser.
 *
 *   dent_view_create(world, NULL, &view);       serves a page, prints its address and opens the browser
 *   dent_view_update(view, time);               in your loop: the bodies as they are now
 *   dent_view_destroy(view);
 *
 * The page is that of `dent view`: turn, cut, pick, hide, colour, take pictures and videos. It can also show your
 * contacts, plots and markers. Pause, step and drags with the mouse come back as events. docs/viewer.md has the whole.
 *
 * Your loop never waits for a page. dent_view_update copies positions when a page is ready for a frame and does nothing
 * otherwise. No page, a page that draws slowly and one that was killed cost a lock and no more. A page gets the newest
 * frame; frames between two of its drawings are left out. A thread of the view's own serves the pages.
 *
 * Remote machines: in an SSH session without a display the view prints the `ssh -L` line that leads the port to your
 * own machine. Open the printed address there. The server listens on the loopback interface only, and the address holds
 * a random token of 128 bits.
 *
 * Units are those of your positions, seconds for times. Threads: a view is used by the thread that uses its world;
 * several views, of one world or of many, may exist at a time. Memory: that of the view is from the world's context.
 * Messages on their way to pages outlive calls and are from the C library. Failure: a status, and one line in the
 * context's message. A failing call changes nothing.
 *
 * The library links libwebsockets, which makes the process ignore SIGPIPE. Builds without libwebsockets, node or npm
 * have no dent_view.
 */
#ifndef DENT_VIEW_H
#define DENT_VIEW_H

#include <dent/contact.h>
#include <dent/world.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct dent_view dent_view;

typedef struct dent_view_def {
    size_t struct_size;
    const char *title;       /**< in the page; copied; null (default): "dent" */
    const char *length_unit; /**< of positions, "m" or "mm"; copied; null (default): the page shows numbers alone */
    uint16_t port;           /**< of 127.0.0.1; 0 (default): one that is free */
    bool no_browser;         /**< default false: a browser is opened where there is a display and xdg-open */
    bool queries; /**< default false. True: the page offers questions, structures and colours. dent_view_update then
                       computes what is asked, with calls on the world, in its own time: results of earlier calls on the
                       world end with it */
    void (*print)(void *user, const char *line); /**< gets the address, and the tunnel line where there is one; null
                                                      (default): lines of the standard error stream */
    void *user;                                  /**< of `print` */
} dent_view_def;

/** Returns the defaults. */
DENT_API dent_view_def dent_view_def_default(void);

/** Serves a page that shows the world. Null def: all defaults. The world must outlive the view. Bodies may be added,
 * removed and given new elements at any time. FILE: the port is taken or cannot be opened. INVALID_ARGUMENT: a title
 * above 120 bytes or a unit above 15. Or OUT_OF_MEMORY. */
DENT_API dent_status dent_view_create(dent_world *world, const dent_view_def *def, dent_view **view);
/** Ends the page and closes the connections. Null is allowed. */
DENT_API void dent_view_destroy(dent_view *view);

/** Returns the address, "http://127.0.0.1:PORT/TOKEN/". Valid as long as the view. */
DENT_API const char *dent_view_address(const dent_view *view);
/** Returns the command that leads the port to the user's own machine; "" outside SSH sessions. Valid as long as the
 * view. */
DENT_API const char *dent_view_tunnel(const dent_view *view);

/** Shows the bodies where they are: borrowed positions at t0 are read now. `time` is printed beside the frame. With a
 * page that is ready O(surface vertices), else O(1). Bodies without positions and coordinates that are no numbers are
 * not drawn. Fails with OUT_OF_MEMORY, and with BAD_NUMBER if the time is not finite. */
DENT_API dent_status dent_view_update(dent_view *view, double time);

/** Sets the contacts that the following frames show: copied, of more than 20,000 every second, fourth …. Null: none.
 * Without a page O(1). Fails with INVALID_ARGUMENT for a body index that the world does not have. */
DENT_API dent_status dent_view_set_contacts(dent_view *view, const dent_contacts *contacts);

/** The most plots of a view, and the most bytes of a name. */
#define DENT_VIEW_PLOTS_MAX 64
#define DENT_VIEW_NAME_MAX 120

/** Adds a plot of a value over the frames: column_count 1, or 3 for x, y and z. *plot gets its index. Plots stay as long
 * as the view. Fails with INVALID_ARGUMENT for other counts, for a name above DENT_VIEW_NAME_MAX bytes and beyond
 * DENT_VIEW_PLOTS_MAX plots. */
DENT_API dent_status dent_view_add_plot(dent_view *view, const char *name, uint32_t column_count, uint32_t *plot);
/** Sets what a plot shows from the next frame on, column_count numbers; 0 before the first call. Numbers that are not
 * finite leave a gap. Fails with INVALID_ARGUMENT for an index that no plot has. */
DENT_API dent_status dent_view_set_plot(dent_view *view, uint32_t plot, const double *values);

typedef enum dent_view_marker_kind {
    DENT_VIEW_POINT = 0,   /**< a dot at `a` */
    DENT_VIEW_SEGMENT = 1, /**< from `a` to `b` */
    DENT_VIEW_ARROW = 2,   /**< from `a` to `b`, its head at `b` */
    DENT_VIEW_MARKER_KIND_COUNT = 3
} dent_view_marker_kind;

typedef struct dent_view_marker {
    dent_view_marker_kind kind;
    uint32_t color;    /**< 0xRRGGBB */
    double a[3], b[3]; /**< in the world's coordinates; `b` is ignored for a point */
    const char *text;  /**< shown at `a`; null: none. UTF-8, at most DENT_VIEW_NAME_MAX bytes */
} dent_view_marker;

/** The most markers of a frame. */
#define DENT_VIEW_MARKERS_MAX 100000

/** Sets the markers of the following frames, in place of those before; copied. Markers lie over the bodies. Fails with
 * BAD_NUMBER for a coordinate that is not finite. INVALID_ARGUMENT: an unknown kind, a longer text or more than
 * DENT_VIEW_MARKERS_MAX. The message names the marker. */
DENT_API dent_status dent_view_set_markers(dent_view *view, const dent_view_marker *markers, uint32_t count);

/** Returns false while a page has paused the loop, true once for each step it asks for. True without pages. Call it once
 * before each step, and update the view in both cases. */
DENT_API bool dent_view_wants_step(dent_view *view);

typedef enum dent_view_event_kind {
    DENT_VIEW_RESTART = 0, /**< the button or Home */
    DENT_VIEW_GRAB = 1,    /**< a vertex is dragged to `target` */
    DENT_VIEW_RELEASE = 2, /**< the drag ended, or its page went away */
    DENT_VIEW_SPEED = 3    /**< the speed chosen: `value` times real time */
} dent_view_event_kind;

typedef struct dent_view_event {
    dent_view_event_kind kind;
    uint32_t body, vertex; /**< of GRAB: body index, vertex index */
    double target[3];      /**< of GRAB: in the world's coordinates */
    double value;          /**< of SPEED: 0.01 to 100 */
} dent_view_event;

/** Returns true and the next event of the pages, in order. dent_view_update receives them; at most 64 are kept, the
 * newest ones. */
DENT_API bool dent_view_next_event(dent_view *view, dent_view_event *event);

typedef struct dent_view_info {
    uint32_t page_count;   /**< connected now; at most 16 */
    bool paused;           /**< by a page */
    uint64_t update_count; /**< successful updates … */
    uint64_t frames_made;  /**< … how many of them made a frame … */
    uint64_t frames_drawn; /**< … and how often a page has drawn one */
    uint64_t ns_update;    /**< wall time of the last update … */
    uint64_t ns_longest;   /**< … and of the longest */
} dent_view_info;

DENT_API dent_view_info dent_view_get_info(const dent_view *view);

#ifdef __cplusplus
}
#endif

#endif
