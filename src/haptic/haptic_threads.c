/* Two threads: the device's loop once a tick, the god-object's as fast as there is something to do. */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "haptic/haptic_threads.h"

#include "haptic/haptic_state.h"

#include <pthread.h>
#include <signal.h>
#include <time.h>

enum { STACK_BYTES = 512 * 1024, IDLE_NS = 200000 };

struct haptic_threads {
    dent_haptic *haptic;
    dent_haptic_device device;
    pthread_t couple, update;
    atomic_bool stopping;
    dent_status couple_status, update_status; /* each written by its thread, read when it has ended */
};

static void sleep_ns(uint64_t ns)
{
    struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&time, NULL);
}

/* Sleeps until the next tick; if that is long past, the ticks in between are left out. */
static uint64_t wait_for(dent_haptic *haptic, uint64_t next, uint64_t tick)
{
    uint64_t now = dent_clock_ns();
    if (now < next) {
        sleep_ns(next - now);
    } else if (now >= next + tick) {
        haptic->late_ticks++;
        next = now;
    }
    return next + tick;
}

static void *couple_main(void *data)
{
    struct haptic_threads *threads = data;
    dent_haptic *haptic = threads->haptic;
    uint64_t tick = (uint64_t)fmax(haptic->def.tick * 1e9, 1), next = dent_clock_ns() + tick;
    dent_pose pose = haptic->def.start;
    while (!atomic_load(&threads->stopping)) {
        dent_haptic_force force, none = {.work = 0};
        dent_pose fresh;
        if (threads->device.read(threads->device.user, &fresh)) {
            pose = fresh;
        }
        dent_status status = dent_haptic_couple(haptic, &pose, &force);
        threads->device.write(threads->device.user, status == DENT_OK ? &force : &none);
        threads->couple_status = threads->couple_status == DENT_OK ? status : threads->couple_status;
        next = wait_for(haptic, next, tick);
    }
    return NULL;
}

static void *update_main(void *data)
{
    struct haptic_threads *threads = data;
    while (!atomic_load(&threads->stopping)) {
        dent_haptic_state state;
        dent_status status = dent_haptic_update(threads->haptic, &state);
        threads->update_status = threads->update_status == DENT_OK ? status : threads->update_status;
        if (status != DENT_OK || !threads->haptic->god.wants_more) {
            sleep_ns(IDLE_NS);
        }
    }
    return NULL;
}

/* Signals are for the threads of the host. */
static bool start_thread(pthread_t *thread, void *(*run)(void *), struct haptic_threads *threads)
{
    pthread_attr_t attributes;
    sigset_t blocked, before;
    if (pthread_attr_init(&attributes) != 0) {
        return false;
    }
    sigfillset(&blocked);
    bool masked = pthread_sigmask(SIG_BLOCK, &blocked, &before) == 0;
    bool started = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                   pthread_create(thread, &attributes, run, threads) == 0;
    if (masked) {
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    pthread_attr_destroy(&attributes);
    return started;
}

dent_status dent_haptic_start(dent_haptic *haptic, const dent_haptic_device *device)
{
    DENT_REQUIRE(NULL, haptic);
    DENT_REQUIRE(haptic->context, device);
    if (!device->read || !device->write || haptic->threads) {
        return dent_fail(haptic->context, DENT_ERROR_INVALID_ARGUMENT, "dent_haptic_start: %s",
                         haptic->threads ? "the threads run already" : "a function of the device is null");
    }
    struct haptic_threads *threads = dent_allocate(haptic->context, 1, sizeof *threads);
    if (!threads) {
        return dent_fail(haptic->context, DENT_ERROR_OUT_OF_MEMORY, "out of memory for a haptic tool");
    }
    memset(threads, 0, sizeof *threads);
    threads->haptic = haptic;
    threads->device = *device;
    atomic_init(&threads->stopping, false);
    bool updates = start_thread(&threads->update, update_main, threads);
    if (!updates || !start_thread(&threads->couple, couple_main, threads)) {
        atomic_store(&threads->stopping, true);
        if (updates) {
            pthread_join(threads->update, NULL);
        }
        dent_release(haptic->context, threads, 1, sizeof *threads);
        return dent_fail(haptic->context, DENT_ERROR_OUT_OF_MEMORY, "the threads of a haptic tool cannot start");
    }
    haptic->threads = threads;
    return DENT_OK;
}

dent_status dent_haptic_stop(dent_haptic *haptic)
{
    DENT_REQUIRE(NULL, haptic);
    struct haptic_threads *threads = haptic->threads;
    if (!threads) {
        return DENT_OK;
    }
    atomic_store(&threads->stopping, true);
    pthread_join(threads->couple, NULL);
    pthread_join(threads->update, NULL);
    dent_status status = threads->couple_status != DENT_OK ? threads->couple_status : threads->update_status;
    dent_release(haptic->context, threads, 1, sizeof *threads);
    haptic->threads = NULL;
    return status;
}

void haptic_threads_close(dent_haptic *haptic)
{
    dent_haptic_stop(haptic);
}
