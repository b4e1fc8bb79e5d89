/* All loops in one thread, on a clock that counts ticks: what they would do with stated delays. */
#include "haptic/haptic_state.h"

dent_haptic_delays dent_haptic_delays_default(void)
{
    return (dent_haptic_delays){.struct_size = sizeof(dent_haptic_delays)};
}

struct tick_call {
    dent_haptic *haptic;
    const dent_haptic_delays *delays;
    const dent_pose *device;
    dent_haptic_force *force;
};

/* Starts an update; its result is known to the others when it is due. */
static dent_status start_update(dent_haptic *haptic, uint32_t delay)
{
    struct haptic_clock *clock = &haptic->clock;
    dent_status status = haptic_god_update(haptic);
    if (status == DENT_OK) {
        clock->pending = haptic->god.result;
        clock->is_pending = true;
        clock->due = clock->tick + delay;
    }
    return status;
}

static void publish_if_due(dent_haptic *haptic)
{
    struct haptic_clock *clock = &haptic->clock;
    if (clock->is_pending && clock->tick >= clock->due) {
        haptic_god_publish(haptic, &clock->pending);
        clock->is_pending = false;
    }
}

static dent_status run_tick(void *data)
{
    const struct tick_call *call = data;
    dent_haptic *haptic = call->haptic;
    struct haptic_clock *clock = &haptic->clock;
    enum { SLOTS = DENT_HAPTIC_DELAY_MAX + 1 };
    clock->seen[clock->tick % SLOTS] = *call->device;
    uint64_t first = clock->tick > call->delays->device ? clock->tick - call->delays->device : 0;
    const dent_pose *seen = &clock->seen[first % SLOTS];
    memcpy(haptic_exchange_back(&haptic->poses), seen, sizeof *seen);
    haptic_exchange_publish(&haptic->poses);
    publish_if_due(haptic);
    dent_status status = clock->is_pending ? DENT_OK : start_update(haptic, call->delays->update);
    publish_if_due(haptic);
    status = status == DENT_OK ? haptic_couple_tick(haptic, seen, call->device, call->force) : status;
    clock->tick++;
    return status;
}

dent_status dent_haptic_clock_tick(dent_haptic *haptic, const dent_haptic_delays *delays, const dent_pose *device,
                                   dent_haptic_force *force)
{
    DENT_REQUIRE(NULL, haptic);
    DENT_REQUIRE(haptic->context, delays);
    DENT_REQUIRE(haptic->context, device);
    DENT_REQUIRE(haptic->context, force);
    if (delays->struct_size != sizeof *delays) {
        return dent_fail(haptic->context, DENT_ERROR_INVALID_ARGUMENT,
                         "the delays were not made by dent_haptic_delays_default()");
    }
    if (haptic->threads || delays->device > DENT_HAPTIC_DELAY_MAX || delays->update > DENT_HAPTIC_DELAY_MAX) {
        return dent_fail(haptic->context, DENT_ERROR_INVALID_ARGUMENT, "dent_haptic_clock_tick: %s",
                         haptic->threads ? "threads run the loops already" : "a delay is above 256 ticks");
    }
    dent_status status = haptic_check_pose(haptic->context, device, "the pose of the device");
    if (status != DENT_OK) {
        haptic->couple.rejected++;
        return status;
    }
    struct tick_call call = {haptic, delays, device, force};
    return dent_call_guarded(haptic->context, run_tick, &call);
}
