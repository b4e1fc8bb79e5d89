/* progress.c — the thread that draws the bar. */
#include "progress.h"

#include <dent/base.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { FIRST_DRAW_MS = 1000, REDRAW_MS = 150, BAR_WIDTH = 24, LINE_SIZE = 320 };

static void write_terminal(const char *text, size_t length)
{
    ssize_t ignored = write(STDERR_FILENO, text, length);
    (void)ignored;
}

/* How much of the stage is done, as far as it can be told; never less than before. */
static double rising_share(progress_bar *progress, uint64_t done, uint64_t total)
{
    double part = (double)(done < total ? done : total) / (double)total;
    if (total != progress->seen_total || part < progress->seen_part) {
        progress->loop_start = progress->shown; /* another loop */
    }
    progress->seen_total = total;
    progress->seen_part = part;
    bool counted = atomic_load_explicit(&progress->counted, memory_order_relaxed);
    double share = counted ? part : progress->loop_start + 0.75 * (1 - progress->loop_start) * part;
    progress->shown = share > progress->shown ? share : progress->shown;
    return progress->shown;
}

static void draw(progress_bar *progress)
{
    uint64_t total = atomic_load_explicit(&progress->total, memory_order_relaxed);
    uint64_t done = atomic_load_explicit(&progress->done, memory_order_relaxed);
    double seconds = (double)(dent_clock_ns() - progress->start_ns) * 1e-9;
    char bar[BAR_WIDTH + 16] = "";
    if (total > 1 || progress->shown > 0) {
        double share = total > 1 ? rising_share(progress, done, total) : progress->shown;
        unsigned filled = (unsigned)(share * BAR_WIDTH);
        char *at = bar;
        *at++ = '[';
        for (unsigned i = 0; i < BAR_WIDTH; i++) {
            *at++ = i < filled ? '#' : '.';
        }
        snprintf(at, 14, "] %3d %%", (int)(100 * share));
    }
    char line[LINE_SIZE];
    int length = snprintf(line, sizeof line, "\r\033[K%-*s %s %.1f s%s%s", progress->note[0] != '\0' ? 12 : 30,
                          progress->what, bar, seconds, progress->note[0] != '\0' ? "  " : "", progress->note);
    if (length > 0) {
        write_terminal(line, (size_t)length < sizeof line ? (size_t)length : sizeof line - 1);
    }
}

/* With the mutex held. */
static void erase(progress_bar *progress)
{
    if (progress->drawn) {
        write_terminal("\r\033[K", 4);
        progress->drawn = false;
    }
}

static struct timespec after_milliseconds(long milliseconds)
{
    struct timespec when;
    clock_gettime(CLOCK_MONOTONIC, &when);
    when.tv_sec += milliseconds / 1000;
    when.tv_nsec += milliseconds % 1000 * 1000000L;
    if (when.tv_nsec >= 1000000000L) {
        when.tv_sec++;
        when.tv_nsec -= 1000000000L;
    }
    return when;
}

static void *draw_until_stopped(void *user)
{
    progress_bar *progress = user;
    pthread_mutex_lock(&progress->mutex);
    uint64_t running_ms = (progress->start_ns - progress->session_ns) / 1000000;
    long wait_ms = running_ms < FIRST_DRAW_MS ? FIRST_DRAW_MS - (long)running_ms : 0;
    struct timespec when = after_milliseconds(wait_ms > REDRAW_MS ? wait_ms : REDRAW_MS);
    while (!progress->stop) {
        int error = pthread_cond_timedwait(&progress->wake, &progress->mutex, &when);
        if (error != 0 && error != ETIMEDOUT) {
            break; /* no bar is better than a busy one */
        }
        if (error == ETIMEDOUT && !progress->stop) {
            draw(progress);
            progress->drawn = true;
            when = after_milliseconds(REDRAW_MS);
        }
    }
    erase(progress);
    pthread_mutex_unlock(&progress->mutex);
    return NULL;
}

void progress_create(progress_bar *progress)
{
    memset(progress, 0, sizeof *progress);
    pthread_condattr_t attributes;
    progress->session_ns = dent_clock_ns();
    progress->enabled = isatty(STDERR_FILENO) != 0 && pthread_condattr_init(&attributes) == 0;
    if (!progress->enabled) {
        return;
    }
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_mutex_init(&progress->mutex, NULL);
    pthread_cond_init(&progress->wake, &attributes);
    pthread_condattr_destroy(&attributes);
}

void progress_destroy(progress_bar *progress)
{
    if (progress->enabled) {
        progress_release(progress);
        pthread_cond_destroy(&progress->wake);
        pthread_mutex_destroy(&progress->mutex);
        progress->enabled = false;
    }
}

static void store_counts(progress_bar *progress, uint64_t done, uint64_t total)
{
    atomic_store_explicit(&progress->done, done, memory_order_relaxed);
    atomic_store_explicit(&progress->total, total, memory_order_relaxed);
}

void progress_begin(progress_bar *progress, const char *what, uint64_t total)
{
    if (!progress->enabled || progress->held) {
        return;
    }
    progress_end(progress);
    snprintf(progress->what, sizeof progress->what, "%s", what);
    for (char *at = progress->what; *at != '\0'; at++) {
        if ((unsigned char)*at < 0x20 || *at == 0x7f) {
            *at = '?'; /* a file name may hold anything, the terminal must not obey it */
        }
    }
    progress->note[0] = '\0';
    progress->start_ns = dent_clock_ns();
    progress->stop = false;
    atomic_store_explicit(&progress->counted, total > 0, memory_order_relaxed);
    progress->seen_total = 0;
    progress->seen_part = progress->loop_start = progress->shown = 0;
    store_counts(progress, 0, total);
    progress->running = pthread_create(&progress->thread, NULL, draw_until_stopped, progress) == 0;
}

void progress_set(progress_bar *progress, uint64_t done, uint64_t total)
{
    if (!progress->held) {
        atomic_store_explicit(&progress->counted, true, memory_order_relaxed);
        store_counts(progress, done, total);
    }
}

void progress_begin_loop(progress_bar *progress, uint64_t total)
{
    if (!progress->held && !atomic_load_explicit(&progress->counted, memory_order_relaxed)) {
        store_counts(progress, 0, total);
    }
}

void progress_hold(progress_bar *progress, const char *what, uint64_t total)
{
    progress_begin(progress, what, total);
    progress->held = true;
}

void progress_hold_at(progress_bar *progress, uint64_t done)
{
    atomic_store_explicit(&progress->done, done, memory_order_relaxed);
}

void progress_note(progress_bar *progress, const char *note)
{
    if (progress->running) {
        pthread_mutex_lock(&progress->mutex);
        snprintf(progress->note, sizeof progress->note, "%s", note);
        pthread_mutex_unlock(&progress->mutex);
    }
}

void progress_release(progress_bar *progress)
{
    progress->held = false;
    progress_end(progress);
}

void progress_lock(progress_bar *progress)
{
    if (progress->running) {
        pthread_mutex_lock(&progress->mutex);
        erase(progress);
    }
}

void progress_unlock(progress_bar *progress)
{
    if (progress->running) {
        pthread_mutex_unlock(&progress->mutex);
    }
}

void progress_mute(progress_bar *progress)
{
    progress_end(progress);
    progress->held = true;
}

void progress_end(progress_bar *progress)
{
    if (!progress->running || progress->held) {
        return;
    }
    pthread_mutex_lock(&progress->mutex);
    progress->stop = true;
    pthread_cond_signal(&progress->wake);
    pthread_mutex_unlock(&progress->mutex);
    pthread_join(progress->thread, NULL);
    progress->running = false;
}
