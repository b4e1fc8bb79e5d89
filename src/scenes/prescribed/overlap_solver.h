/* Finds how tightly a scene must be packed for the share of vertices inside cells that its parameter `inside` asks for.
 *
 * Every overlap scene has one number, scene->placement, from 0 (as much overlap as the scene can have) to 1 (none at
 * all); `pose` reads it. The solver poses a few frames, counts vertices that lie in a cell of which they are no corner,
 * and closes in on the target. Counts are integers from a fixed sequence of double operations: the same placement on
 * every machine. */
#ifndef DENT_SCENES_OVERLAP_SOLVER_H
#define DENT_SCENES_OVERLAP_SOLVER_H

#include "scenes/scene_internal.h"

/* Sets scene->placement so that the mean share over frames spread over the benchmark frames is `target` (0: placement
 * 1). A target that the scene cannot reach at its size gives the most it can reach and a warning in the log. */
dent_status overlap_solve(dent_scene *scene, double target);

#endif
