/* The context of every fuzzer: one thread, and with DENT_FUZZ_SCALAR set the kernels that every machine has. What a
 * fuzzer tries next depends on the branches it saw: a run with a fixed seed repeats on another machine only when both
 * take the same ones. */
#ifndef DENT_TESTS_FUZZ_CONTEXT_H
#define DENT_TESTS_FUZZ_CONTEXT_H

#include <dent/base.h>

#include <stdlib.h>

static inline dent_context_def fuzz_context_def(void)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = 1;
    def.isa = getenv("DENT_FUZZ_SCALAR") != NULL ? DENT_ISA_SCALAR : DENT_ISA_AUTO;
    return def;
}

#endif
