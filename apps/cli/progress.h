/* progress.h — a bar on the terminal for anything that takes more than a second; nothing when stderr is not a terminal.
 *
 * Within a stage the bar only rises. Where a stage is a number of loops that nobody knows, each loop that is seen gets three
 * quarters of what is left.
 *
 * A small thread draws, so that work which cannot call back is shown too. The count is either set by the caller (files
 * read, lines written) or comes from the blocks of the library's parallel loops (see tool_session.c).
 */
#ifndef DENT_PROGRESS_H
#define DENT_PROGRESS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct progress_bar {
    bool enabled; /* stderr is a terminal */
    bool running;
    bool stop;  /* guarded by mutex */
    bool drawn; /* the same: there is something on the terminal */
    bool held;  /* a stage of many small ones is shown: those are not */
    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    char what[48];
    char note[120]; /* guarded by mutex: shown after the bar */
    uint64_t start_ns, session_ns; /* of the stage, of the program */
    _Atomic uint64_t done, total;  /* total 0: how much there is to do is not known */
    atomic_bool counted;      /* the total is that of the stage; else loops follow one another, how many is not known */
    uint64_t seen_total;      /* by the thread that draws, as what follows: the loop it saw last, */
    double seen_part;         /* how much of it was done, */
    double loop_start, shown; /* where the bar was when that loop came, and where it is: it only rises */
} progress_bar;

void progress_create(progress_bar *progress);
void progress_destroy(progress_bar *progress);

/** Starts a stage: "reading torus.msh". Ends the one before. */
void progress_begin(progress_bar *progress, const char *what, uint64_t total);
/** Counts the stage itself: loops inside it move the bar no more. */
void progress_set(progress_bar *progress, uint64_t done, uint64_t total);
/** A loop of `total` blocks begins; progress_step: one of them is done. */
void progress_begin_loop(progress_bar *progress, uint64_t total);
static inline void progress_step(progress_bar *progress)
{
    if (!progress->held && !atomic_load_explicit(&progress->counted, memory_order_relaxed)) {
        atomic_fetch_add_explicit(&progress->done, 1, memory_order_relaxed);
    }
}
/** One bar over many stages: until progress_release the calls above and progress_end do nothing, and progress_hold_at
 * moves it; progress_note tells which one it is. Between progress_lock and progress_unlock it is off the terminal, for what else is to be written there. */
void progress_hold(progress_bar *progress, const char *what, uint64_t total);
void progress_hold_at(progress_bar *progress, uint64_t done);
void progress_release(progress_bar *progress);
/** What else there is to say about the stage, after the bar; until the next stage. */
void progress_note(progress_bar *progress, const char *note);
void progress_lock(progress_bar *progress);
void progress_unlock(progress_bar *progress);
/** No stage is shown from now on. */
void progress_mute(progress_bar *progress);
/** Takes the bar away. Call it before anything else is written to the terminal. */
void progress_end(progress_bar *progress);

#endif
