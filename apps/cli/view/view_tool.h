/* view_tool.h — what `dent view` can show: a model, a scene or series frame by frame, a live simulation, a recording. Each
 * is a view_source that owns a world and can move it to another frame. */
#ifndef DENT_VIEW_TOOL_H
#define DENT_VIEW_TOOL_H

#include "load_world.h"

#include <view_source.h>

/** Opens what the words of the command line name. All errors are reported by the function itself. */
int view_source_open(view_source *source, tool_session *session);
void view_source_close(view_source *source);

/** Lends a source the context, the interrupt flag and the terminal of a session. */
void view_source_host(view_source *source, tool_session *session);
static inline tool_session *view_session(const view_source *source)
{
    return source->host;
}

/** For the kinds of source: view_source_describe and _follow with bodies as the tool loads them. */
int view_describe_loaded(view_source *source, const loaded_body *bodies, uint32_t count);
void view_follow_loaded(view_source *source, const loaded_body *bodies);
/** Names what is shown after the words of the command line: without folders and endings. */
void view_source_name(view_source *source, const tool_options *options);

/** By its name a file of a format whose models stand along y (OBJ, glTF); of all others they stand along z. (view_up.c) */
bool view_file_is_y_up(const char *name);

/** Lists the joint values of all robots in the world, at those of --joints; view_robot_close releases the list. */
int view_robot_open(view_source *source, const loaded_world *loaded);
void view_robot_close(view_source *source);
/** Moves a joint, within its limits unless --no-limits is given, and the links with it. */
int view_robot_set(view_source *source, loaded_world *loaded, uint32_t joint, double value);

/* The kinds; view_source_open chooses. */
int view_model_open(view_source *source);
int view_series_open(view_source *source);
int view_simulation_open(view_source *source);
int view_recording_open(view_source *source);
int view_hand_open(view_source *source);
/** The word names a simulated scene or a scene file. */
bool view_names_simulation(const tool_options *options);
/** The word is a .pvd file. */
bool view_names_recording(const tool_options *options);

#endif
