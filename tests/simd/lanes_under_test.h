/* One check for each instruction set that has lanes. */
#ifndef DENT_TESTS_LANES_UNDER_TEST_H
#define DENT_TESTS_LANES_UNDER_TEST_H

void check_lanes_scalar(void);
#if defined(__x86_64__)
void check_lanes_avx2(void);
void check_lanes_avx512(void);
#endif

#endif
