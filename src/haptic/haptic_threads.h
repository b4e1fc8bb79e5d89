/* The threads of dent_haptic_start. */
#ifndef DENT_HAPTIC_THREADS_H
#define DENT_HAPTIC_THREADS_H

#include <dent/haptic.h>

/* Stops them, if they run; for the destruction. */
void haptic_threads_close(dent_haptic *haptic);

#endif
