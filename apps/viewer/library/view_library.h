/* view_library.h — the inside of a dent_view: a source over the caller's world, a server, and what the caller adds. */
#ifndef DENT_VIEW_LIBRARY_H
#define DENT_VIEW_LIBRARY_H

#include "../model/view_frames.h"
#include "../server/view_launch.h"

#include <dent/view.h>

enum { EVENTS_KEPT = 64 };

typedef struct named_plot {
    char name[DENT_VIEW_NAME_MAX + 1];
} named_plot;

struct dent_view {
    dent_context *context;
    view_source source;
    view_settings requests;
    view_server *server;
    char title[DENT_VIEW_NAME_MAX + 1], length_unit[16];
    char tunnel[VIEW_TUNNEL_LIMIT];
    char redirect[VIEW_FOLDER_LIMIT]; /* the folder of the page that leads the browser here; empty: none */
    uint64_t version;                 /* of the world's topology, as it was described last */
    uint32_t generation;              /* of the source, as pages were told */
    uint32_t sequence;
    bool paused, state_changed, boxes_changed;
    double speed;
    uint32_t steps;  /* a page has asked for */
    uint64_t holder; /* the page that drags a vertex; 0: none */

    dent_view_event events[EVENTS_KEPT]; /* a ring */
    uint32_t first_event, event_count;

    view_body_def *told; /* the bodies as they are described; told_count of them */
    double **own;        /* positions of bodies that are not packed doubles; null for the others */
    uint32_t told_count;

    named_plot plot_names[DENT_VIEW_PLOTS_MAX];
    view_probe plots[DENT_VIEW_PLOTS_MAX];

    dent_view_marker *markers; /* their texts lie in `texts` */
    char *texts;
    uint32_t marker_count;
    size_t text_size;

    uint64_t last_update_ns;
    dent_view_info info;
};

/** The bodies of the world as they are now: described anew where elements have changed, else their positions. */
dent_status view_library_follow(dent_view *view);
/** Takes the memory of the bodies back. */
void view_library_forget(dent_view *view);
/** What the pages have said since the last time. */
void view_library_listen(dent_view *view);
/** Appends the markers to a frame. */
bool view_library_append_markers(const view_source *source, view_message *message);

#endif
