/* Which instruction sets this build and this machine can run. dent_isa_available() and dent_isa_name() are public. */
#ifndef DENT_BASE_CPU_FEATURES_H
#define DENT_BASE_CPU_FEATURES_H

#include <dent/base.h>

/* The widest available one; never AUTO. */
dent_isa cpu_widest_isa(void);

#endif
