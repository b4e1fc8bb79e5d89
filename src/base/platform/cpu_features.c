/* Run-time choice of the instruction set. A processor may have registers that the operating system does not save on a
 * task switch, so both are asked: CPUID for the instructions, XGETBV for the state the system keeps. The compiler's own
 * __builtin_cpu_supports is not used because it brings a mutable global with it. */
#include "base/platform/cpu_features.h"

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>

enum {
    STATE_SSE = 1u << 1,
    STATE_AVX = 1u << 2,
    STATE_AVX512 = 7u << 5 /* mask registers, upper halves of 0-15, registers 16-31 */
};

static uint32_t system_saved_state(void)
{
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_OSXSAVE)) {
        return 0;
    }
    __asm__ volatile("xgetbv" : "=a"(eax), "=d"(edx) : "c"(0));
    return eax;
}

static bool machine_has(dent_isa isa)
{
    const unsigned avx512 = bit_AVX512F | bit_AVX512DQ | bit_AVX512BW | bit_AVX512VL;
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx)) {
        return false;
    }
    uint32_t needed_state = STATE_SSE | STATE_AVX;
    unsigned needed = bit_AVX2;
    if (isa == DENT_ISA_AVX512) {
        needed_state |= STATE_AVX512;
        needed |= avx512;
    }
    return (ebx & needed) == needed && (system_saved_state() & needed_state) == needed_state;
}
#else
static bool machine_has(dent_isa isa)
{
    (void)isa;
    return false;
}
#endif

bool dent_isa_available(dent_isa isa)
{
    switch (isa) {
    case DENT_ISA_AUTO:
    case DENT_ISA_SCALAR:
        return true;
    case DENT_ISA_AVX2:
    case DENT_ISA_AVX512:
        return machine_has(isa);
    case DENT_ISA_COUNT:
        break;
    }
    return false;
}

dent_isa cpu_widest_isa(void)
{
    if (dent_isa_available(DENT_ISA_AVX512)) {
        return DENT_ISA_AVX512;
    }
    return dent_isa_available(DENT_ISA_AVX2) ? DENT_ISA_AVX2 : DENT_ISA_SCALAR;
}

const char *dent_isa_name(dent_isa isa)
{
    switch (isa) {
    case DENT_ISA_AUTO:
        return "auto";
    case DENT_ISA_SCALAR:
        return "scalar";
    case DENT_ISA_AVX2:
        return "avx2";
    case DENT_ISA_AVX512:
        return "avx512";
    case DENT_ISA_COUNT:
        break;
    }
    return "unknown";
}
