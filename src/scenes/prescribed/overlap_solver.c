/* Solves share(placement) = target by regula falsi with the Illinois correction, falling back to halving when that
 * stalls.
 *
 * The share falls from its most at placement 0 to nothing at 1, in steps of one vertex, and is monotone only on the
 * whole: any crossing will do. Waves so high that bodies fold into themselves overlap even when apart; then no
 * placement reaches a small share, which is said in the log. A handful of frames is enough, because the scenes are made
 * so that the share hardly changes in time. */
#include "overlap_solver.h"

#include "overlap_count.h"

#include <math.h>

enum { MOST_SAMPLES = 24000, MOST_STEPS = 40 };

static const double share_tolerance = 0.001; /* of all vertices; the promised overlap leaves 0.015 on each side */

/* Fewer frames for scenes where each costs noticeable time. */
static uint32_t frames_to_sample(const struct overlap_counter *counter)
{
    return counter->vertex_count < 20000 ? 8 : counter->vertex_count < 400000 ? 3 : 1;
}

static double mean_share(dent_scene *scene, struct overlap_counter *counter, double placement)
{
    scene->placement = placement;
    uint32_t frames = frames_to_sample(counter);
    double sum = 0;
    for (uint32_t i = 0; i < frames; i++) {
        sum += overlap_counter_share(counter, (2 * i + 1) * scene->row->info.benchmark_frames / (2 * frames));
    }
    return sum / frames;
}

/* Leaves the placement at the best it found and returns the share there. */
static double close_in(dent_scene *scene, struct overlap_counter *counter, double target, double most)
{
    double low = 0, high = 1; /* placements; share(low) is above the target, share(high) below */
    double above = most - target, below = -target;
    int side = 0;
    double best = 0, best_error = INFINITY;
    for (int step = 0; step < MOST_STEPS; step++) {
        double placement = (low * below - high * above) / (below - above);
        /* Every fourth step halves, so that the bracket shrinks whatever the curve looks like. */
        if (step % 4 == 3 || !(placement > low && placement < high)) {
            placement = 0.5 * (low + high);
        }
        double error = mean_share(scene, counter, placement) - target;
        if (fabs(error) < fabs(best_error)) {
            best = placement;
            best_error = error;
        }
        if (fabs(error) <= share_tolerance || high - low < 1e-9) {
            break;
        }
        if (error > 0) {
            low = placement;
            above = error;
            below *= side > 0 ? 0.5 : 1;
            side = 1;
        } else {
            high = placement;
            below = error;
            above *= side < 0 ? 0.5 : 1;
            side = -1;
        }
    }
    scene->placement = best;
    return target + best_error;
}

dent_status overlap_solve(dent_scene *scene, double target)
{
    if (target <= 0) {
        scene->placement = 1;
        return DENT_OK;
    }
    struct overlap_counter counter;
    dent_status status = overlap_counter_create(&counter, scene, MOST_SAMPLES);
    if (status != DENT_OK) {
        return status;
    }
    double reached = mean_share(scene, &counter, 0);
    if (reached > target) {
        reached = close_in(scene, &counter, target, reached);
    }
    /* One or two vertices more or less are all a tiny scene can do about it. */
    if (fabs(reached - target) > 0.01 + 2.0 / counter.sample_count) {
        dent_log_line(scene->context, DENT_LOG_WARNING,
                      "scene %s at scale %.9g: inside=%.9g is out of reach, taken is %.3g", scene->row->info.name,
                      scene->scale, target, reached);
    }
    overlap_counter_destroy(&counter);
    return DENT_OK;
}
