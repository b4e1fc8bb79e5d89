#include "simd/lanes_scalar.h"

#include "simd/check_lanes.h"
#include "simd/lanes_under_test.h"

void check_lanes_scalar(void)
{
    check_all();
}
