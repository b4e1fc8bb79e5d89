/* TRY(call): passes a failing status on to the caller. Only for functions that hold nothing to be released. */
#ifndef DENT_IO_TRY_STATUS_H
#define DENT_IO_TRY_STATUS_H

#include <dent/base.h>

#define TRY(call)                                                                                                      \
    do {                                                                                                               \
        dent_status try_status = (call);                                                                               \
        if (try_status != DENT_OK) {                                                                                   \
            return try_status;                                                                                         \
        }                                                                                                              \
    } while (0)

#endif
