/* view_frames.h — from a source to the messages the page understands. */
#ifndef DENT_VIEW_FRAMES_H
#define DENT_VIEW_FRAMES_H

#include "view_source.h"

#include <dent/boxes.h>
#include <dent/structure.h>

#include "../server/view_server.h"

/** The structures beside those of dent_structure. */
enum { VIEW_TREE_COUNT = 12 };
typedef enum view_tree_family {
    VIEW_TREE_BOUNDS, /* a bounding tree (dent/time_critical.h) */
    VIEW_TREE_WISPS,  /* the levels of a wisp tree (dent/hair.h) over strands */
    VIEW_TREE_SEARCH, /* cells of a broad phase (dent/boxes.h) over the elements of the body */
    VIEW_TREE_BSP,    /* cells of a solid BSP tree (dent/inside.h) */
    VIEW_TREE_KINETIC /* boxes kept by events (dent/kinetic.h) from the frame before */
} view_tree_family;
typedef struct view_tree {
    const char *name; /* "sphere-tree", "dop14-tree", "dop18-tree", "wisps", those of searches, "bsp", "kinetic-tree" */
    view_tree_family family;
    dent_bound_kind kind;     /* of BOUNDS */
    dent_boxes_method method; /* of SEARCH */
} view_tree;
extern const view_tree view_trees[VIEW_TREE_COUNT];
/** Null: it is none of them. */
const view_tree *view_find_tree(const char *name);
/** Whether the source has a body that it can show: wisps need strands. */
bool view_tree_offered(const view_source *source, const view_tree *tree);

/** What is shown beside the bodies; set by commands of the page. */
typedef struct view_settings {
    dent_question question; /* 0: none */
    uint32_t pair_count;    /* of the last frame */
    bool structure_wanted;
    const struct view_tree *tree; /* one of view_trees; null: … */
    dent_structure structure;     /* … one of these */
    uint32_t structure_body, structure_level;
    view_measure measure; /* as colours */
} view_settings;

/** Change what is asked for as a command of a page says; an error is reported, and nothing of it is asked for then.
 * (view_requests.c) */
int view_ask_question(view_source *source, view_settings *requests, const char *word);
int view_ask_measure(view_source *source, view_settings *requests, const char *word);
int view_ask_structure(view_source *source, view_settings *requests, const view_command *command);

/** "none", "von-mises" …; null for other values. (view_stress.c) */
const char *view_measure_name(view_measure measure);
bool view_find_measure(const char *name, view_measure *measure);
/** Whether the source can show it; "none" always. */
bool view_measure_offered(const view_source *source, view_measure measure);
/** Writes a number for each vertex of a body: what its shape and its contacts tell; -1: nothing. False: out of memory.
 * (view_fields.c) */
bool view_find_field(view_source *source, view_measure measure, uint32_t body, double *vertices);
/** Appends a float for each shown vertex of all bodies, -1 where the body has no such number; false: out of memory. */
bool view_append_stress(view_source *source, view_measure measure, view_message *message);

/** HELLO and a TOPOLOGY per body: body_count + 1 messages. On an error none is left. */
int view_make_opening(view_source *source, view_message **messages);
/** The same, handed to the server. */
int view_send_opening(view_source *source, view_server *server);
/** Asks for contacts (where something moved) and pairs and makes the FRAME message; with VIEW_FLAG_PENDING without
 * either. Where these cannot be had view_fail says why, the frame goes without them, and a question is taken back;
 * null: no memory, reported. */
view_message *view_make_frame(view_source *source, view_settings *requests, uint32_t sequence, uint32_t flags);
/** The shapes of the requested structure, at the present positions; null: an error that was reported. Keeps a bounding
 *  tree in the source, to refit it for the next frame. (view_structures.c) */
view_message *view_make_boxes(view_source *source, const view_settings *requests);
/** What all pages share, as STATE; what went wrong, as NOTE. Null: no memory. */
view_message *view_make_state(const view_settings *requests, double speed);
view_message *view_make_trouble(const char *words);
/** The answer to a pick, as a NOTE: ids, corners and contacts of a surface face. */
view_message *view_describe_face(const view_source *source, uint32_t body, uint32_t face);

#endif
