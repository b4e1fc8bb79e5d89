/* plan_output.h — a path in files: F.csv with a line per waypoint, and F.pvd with its frames in the folder F_frames.
 *
 *   F.csv                        a header with the names of the joint values (JOINT, or JOINT.K for a joint of several),
 *                                then the values in %.17g
 *   frame_000012_surfaces.vtp    the surfaces of all bodies, with `body` on triangles; time runs from 0 to 1 along the
 *                                length of the path
 *   bodies.txt                   a line per body: number, tab, name
 */
#ifndef DENT_PLAN_OUTPUT_H
#define DENT_PLAN_OUTPUT_H

#include "file_names.h"
#include "plan_stage.h"

typedef struct plan_output {
    char table[FILE_NAME_LIMIT];      /* F.csv; "": not wanted */
    char collection[FILE_NAME_LIMIT]; /* F.pvd; "": not wanted */
    char folder[FILE_NAME_LIMIT];     /* F_frames */
} plan_output;

/** Names the files and checks that they can be written. Reports errors and returns an exit status. */
int plan_output_name(plan_output *output, tool_session *session);

int plan_output_write(const plan_output *output, const plan_stage *stage, const dent_plan_result *result);

#endif
