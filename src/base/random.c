/* Deterministic random numbers: SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, OOPSLA
 * 2014).
 *
 * The state is a counter that steps by an odd constant near 2^64 / golden ratio, so it visits all 2^64 values; each
 * value is passed through a bijective mixer. Integers only: the sequence is the same everywhere. Not for secrets. */
#include "base/dent_assert.h"

#include <dent/base.h>

dent_random dent_random_seeded(uint64_t seed)
{
    return (dent_random){.state = seed};
}

uint64_t dent_random_bits(dent_random *random)
{
    if (!random) {
        return 0;
    }
    random->state += UINT64_C(0x9E3779B97F4A7C15);
    uint64_t mixed = random->state;
    mixed = (mixed ^ (mixed >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    mixed = (mixed ^ (mixed >> 27)) * UINT64_C(0x94D049BB133111EB);
    return mixed ^ (mixed >> 31);
}

/* Multiply-and-shift maps 32 random bits to [0, bound); the low words below 2^32 mod bound are those that would make
 * some values more frequent than others, and are drawn again (Lemire: Fast random integer generation in an interval,
 * 2019). */
uint32_t dent_random_below(dent_random *random, uint32_t bound)
{
    if (!random) {
        return 0;
    }
    DENT_ASSERT(bound > 0);
    uint64_t product = (dent_random_bits(random) >> 32) * bound;
    if ((uint32_t)product < bound) {
        uint32_t surplus = (0u - bound) % bound;
        while ((uint32_t)product < surplus) {
            product = (dent_random_bits(random) >> 32) * bound;
        }
    }
    return (uint32_t)(product >> 32);
}

double dent_random_unit(dent_random *random)
{
    if (!random) {
        return 0;
    }
    return (double)(dent_random_bits(random) >> 11) * 0x1p-53;
}
