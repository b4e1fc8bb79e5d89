/* Functions that only ask for memory early.
 *
 * gcc takes a function without any other effect for one that only computes a value. It then removes the calls, because
 * nobody uses the value, and the hints with them. Functions that are inlined before gcc looks keep their hints; the
 * disassembly (prefetcht0) shows whether they are there.
 */
#ifndef DENT_BASE_PREFETCH_H
#define DENT_BASE_PREFETCH_H

#define PREFETCH_FUNCTION static inline __attribute__((always_inline)) void

#endif
