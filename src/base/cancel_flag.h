/* The caller's request to stop, remembered once seen.
 *
 * Blocks of a parallel loop poll the flag and skip their work when it is set. A caller who clears it again while the
 * loop still runs must not get a list with holes called complete, so whoever skips work leaves a note, and the end of
 * the query reads that note. */
#ifndef DENT_BASE_CANCEL_FLAG_H
#define DENT_BASE_CANCEL_FLAG_H

#include <stdbool.h>

struct cancel_flag {
    const int *request; /* the caller's; null: never */
    int seen;           /* read and written as an atomic */
};

/* Threads: any. Once true, true for ever. */
static inline bool cancel_requested(struct cancel_flag *cancel)
{
    if (cancel->request && __atomic_load_n(cancel->request, __ATOMIC_RELAXED) != 0) {
        __atomic_store_n(&cancel->seen, 1, __ATOMIC_RELAXED);
        return true;
    }
    return __atomic_load_n(&cancel->seen, __ATOMIC_RELAXED) != 0;
}

#endif
