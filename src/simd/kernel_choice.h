/* How a family of vector kernels finds its row: one per instruction set, every row with the same bits as the scalar one.
 *
 * A kernel is pure: numbers in, numbers out. The rows share one text over the types of simd/lanes.h. The scalar row is
 * always built. A family without a row for the widest registers, which would stay half empty, names that of AVX2 twice.
 * An instruction set that this build does not have gets the scalar row.
 */
#ifndef DENT_SIMD_KERNEL_CHOICE_H
#define DENT_SIMD_KERNEL_CHOICE_H

#include <dent/base.h>

#if defined(__x86_64__)
#define KERNELS_FOR(isa, scalar, avx2, avx512)                                                                         \
    ((isa) == DENT_ISA_AVX512 ? &(avx512) : (isa) == DENT_ISA_AVX2 ? &(avx2) : &(scalar))
#else
#define KERNELS_FOR(isa, scalar, avx2, avx512) ((void)(isa), &(scalar))
#endif

#endif
