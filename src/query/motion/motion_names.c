/* Words of the motion query, and the width of the bounds of a chain. */
#include <dent/experimental.h>

#include "base/allocator.h"
#include "base/floating_point_guard.h"
#include "geometry/motion/interval_kernels.h"
#include "geometry/motion/motion_bounds.h"

const char *dent_motion_volume_name(dent_motion_volume volume)
{
    switch (volume) {
    case DENT_MOTION_VOLUME_AUTO:
        return "auto";
    case DENT_MOTION_VOLUME_SPHERE:
        return "sphere";
    case DENT_MOTION_VOLUME_ALIGNED_BOX:
        return "aligned-box";
    case DENT_MOTION_VOLUME_ORIENTED_BOX:
        return "oriented-box";
    case DENT_MOTION_VOLUME_COUNT:
        break;
    }
    return NULL;
}

const char *dent_motion_bounds_name(dent_motion_bounds bounds)
{
    switch (bounds) {
    case DENT_MOTION_BOUNDS_AUTO:
        return "auto";
    case DENT_MOTION_BOUNDS_TAYLOR:
        return "taylor";
    case DENT_MOTION_BOUNDS_INTERVAL:
        return "interval";
    case DENT_MOTION_BOUNDS_PLAIN_INTERVAL:
        return "plain-interval";
    case DENT_MOTION_BOUNDS_COUNT:
        break;
    }
    return NULL;
}

const char *dent_motion_verdict_name(dent_motion_verdict verdict)
{
    switch (verdict) {
    case DENT_MOTION_FREE:
        return "free";
    case DENT_MOTION_CONTACT:
        return "contact";
    case DENT_MOTION_UNDECIDED:
        return "undecided";
    }
    return NULL;
}

static DENT_NOINLINE void measure_chain(const struct motion_chain *chain, dent_motion_bounds bounds,
                                        const struct interval_kernels *kernels, double t_lo, double t_hi,
                                        double *rotation_radius, double *translation_radius)
{
    struct motion_piece piece;
    chain_motion(chain, t_lo, 0.5 * (t_hi - t_lo),
                 bounds == DENT_MOTION_BOUNDS_AUTO ? DENT_MOTION_BOUNDS_TAYLOR : bounds, kernels, &piece);
    *rotation_radius = piece.rotation_rest;
    *translation_radius = piece.translation_rest;
}

dent_status dent_motion_bound_width(dent_context *context, const dent_motion_frame *frames, uint32_t frame,
                                    dent_motion_bounds bounds, double t_lo, double t_hi, double *rotation_radius,
                                    double *translation_radius)
{
    DENT_REQUIRE(context, context);
    DENT_REQUIRE(context, frames);
    DENT_REQUIRE(context, rotation_radius);
    DENT_REQUIRE(context, translation_radius);
    uint32_t count = 0;
    if (!dent_motion_bounds_name(bounds) || !(t_lo >= 0) || !(t_hi <= 1) || !(t_lo <= t_hi)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "bounds %d over [%g, %g]: unknown bounds or bad times",
                         (int)bounds, t_lo, t_hi);
    }
    for (uint32_t f = frame; f != DENT_FRAME_WORLD; f = frames[f].parent) {
        bool finite;
        const char *fault = motion_fault(&frames[f].motion, &finite);
        if (fault || (frames[f].parent != DENT_FRAME_WORLD && frames[f].parent >= f)) {
            return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "the motion of frame %u cannot be used: %s",
                             (unsigned)f, fault ? fault : "its parent does not come before it");
        }
        count++;
    }
    struct trajectory *trajectories = dent_allocate(context, count, sizeof *trajectories);
    const struct trajectory **links = dent_allocate(context, count, sizeof *links);
    if (trajectories && links) {
        struct floating_point_guard guard;
        struct motion_chain chain = {links, count};
        uint32_t left = count;
        floating_point_guard_enter(&guard);
        for (uint32_t f = frame; f != DENT_FRAME_WORLD; f = frames[f].parent) {
            left--;
            links[left] = &trajectories[left];
            trajectory_from_motion(&frames[f].motion, 1, &trajectories[left]);
        }
        measure_chain(&chain, bounds, interval_kernels_for(dent_context_isa(context)), t_lo, t_hi, rotation_radius,
                      translation_radius);
        floating_point_guard_leave(&guard);
    }
    dent_status status = trajectories && links ? DENT_OK : DENT_ERROR_OUT_OF_MEMORY;
    dent_release(context, trajectories, count, sizeof *trajectories);
    dent_release(context, links, count, sizeof *links);
    return status == DENT_OK ? status
                             : dent_fail(context, status, "out of memory for a chain of %u motions", (unsigned)count);
}
