/* bench_model.h — mesh files as something that moves: what `dent bench FILE...` measures.
 *
 * A series of files (dent/frames.h: an archive, a folder, a pattern) moves by itself: its frames are read into memory,
 * as many as are asked for. Any other file holds one shape and a benchmark needs many. The bodies of all files are
 * taken together, copied if asked, and bent a little from frame to frame by waves that run through them: smooth, and
 * the same bits on every machine (waves made of parabolas). Copies are shifted along one direction, so far that a
 * stated share of all vertices lies inside; each has waves of its own.
 *
 * Strands are not copied unless asked: they meet as they are. Those without radii get --thickness, or else a tenth of
 * their mean segment.
 *
 * Parameters (--set): copies (1 to 1000; default 2 for a single body, else 1), inside (share of vertices inside that
 * the shift is found for, default 0.075; solids only), shift (instead: in diagonals of the model), wave (height of the
 * waves in mean edges, default 0.5), self (0: no body is tested against itself; the difference in time is the price of
 * that. Without peers, which take all bodies as one).
 *
 * With --motion rest nothing moves; with --motion rigid every copy moves as a whole, without waves. Both show the first
 * frame of a series.
 */
#ifndef DENT_BENCH_MODEL_H
#define DENT_BENCH_MODEL_H

#include "tool_session.h"

#include <dent/frames.h>
#include <dent/scene.h>

enum { MODEL_NAME_SIZE = 64, MODEL_FRAMES = 40 };

typedef struct bench_model {
    dent_context *context;
    char name[MODEL_NAME_SIZE]; /* of the first file, without folder and endings, and how many more */
    uint32_t mesh_count, mesh_capacity;
    dent_mesh **meshes;
    uint32_t frame_count, frame_capacity; /* of a series; 0: made to move */
    dent_mesh **frames;                   /* all with the bodies and elements of the first, which is meshes[0] */
    uint32_t body_count;                  /* copies included, copy after copy */
    dent_scene_body *bodies;
    const double **radii; /* by body: of the vertices of strands, or null */
    uint32_t bodies_per_copy;
    double copies, inside, shift, wave, self; /* the parameters; inside below 0: shift was given */
    double height;                      /* of the waves, a length */
    double length;                      /* of the waves, and the unit of the shift: the diagonal of the model */
    double centre[3];
    bench_motion motion;
} bench_model;

/** A small swing about a point, with a drift; none at time 0, back after time 1. The same bits on every machine. */
typedef struct rigid_swing {
    double rows[3][3], centre[3], drift;
} rigid_swing;

rigid_swing rigid_swing_at(double time, const double centre[3], double size);
/** `to` may be `from`. */
void rigid_swing_move(const rigid_swing *swing, size_t count, const double *from, double *to);

/** Reads the files. An error has been reported; then there is nothing to close. `command` begins messages of its own.
 */
int bench_model_open(tool_session *session, const char *command, const char *const *files, uint32_t count,
                     bench_model *model);
void bench_model_close(bench_model *model);

/** Positions of a body in a frame, as dent_scene_positions. */
void bench_model_pose(const bench_model *model, uint32_t body, uint32_t frame, double *positions);

#endif
