#include "simd/lanes_under_test.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"

#include "simd/check_lanes.h"

void check_lanes_avx2(void)
{
    check_all();
}

#endif
