/* The arithmetic of limbs without a 128-bit integer (gcc for i386) gives what the compiler's own gives. */
#define DENT_NO_INT128 1
#include "support/cmocka_includes.h"

#include "base/limb_arithmetic.h"

#include <dent/base.h>

static uint64_t corner_or_random(dent_random *random)
{
    static const uint64_t corners[] = {0, 1, UINT32_MAX, (uint64_t)UINT32_MAX + 1, UINT64_MAX, UINT64_MAX - 1,
                                       (uint64_t)1 << 63};
    uint32_t choice = dent_random_below(random, 10);
    return choice < 7 ? corners[choice] : dent_random_bits(random);
}

static void limbs_in_halves_equal_those_of_the_compiler(void **state)
{
    (void)state;
#if defined(__SIZEOF_INT128__)
    __extension__ typedef unsigned __int128 reference;
    dent_random random = dent_random_seeded(1);
    for (int n = 0; n < 1000000; n++) {
        uint64_t a = corner_or_random(&random), b = corner_or_random(&random), c = corner_or_random(&random);
        uint64_t d = corner_or_random(&random), carry = d, bit = d & 1, borrow = d & 1, high;
        reference product = (reference)a * b + c + d, sum = (reference)a + b + bit, difference = (reference)a - b - bit;
        uint64_t low = limb_multiply_add(a, b, c, &carry);
        assert_true(low == (uint64_t)product && carry == (uint64_t)(product >> 64));
        uint64_t added = limb_add(a, b, &bit), subtracted = limb_subtract(a, b, &borrow);
        assert_true(added == (uint64_t)sum && bit == (uint64_t)(sum >> 64));
        assert_true(subtracted == (uint64_t)difference && borrow == ((uint64_t)(difference >> 64) & 1));
        int shift = (int)(d % 64);
        reference shifted = (reference)a << shift;
        low = limb_shift_left(a, shift, &high);
        assert_true(low == (uint64_t)shifted && high == (uint64_t)(shifted >> 64));
    }
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(limbs_in_halves_equal_those_of_the_compiler)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
