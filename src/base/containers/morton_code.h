/* Morton codes: the bits of three indices interleaved, so that cells close on the curve are close in space. */
#ifndef DENT_BASE_MORTON_CODE_H
#define DENT_BASE_MORTON_CODE_H

#include <stdint.h>

/* Two zero bits behind each of the lowest 21 bits; what lies above is dropped. */
static inline uint64_t morton_spread(uint64_t x)
{
    x &= UINT64_C(0x1FFFFF);
    x = (x | x << 32) & UINT64_C(0x1F00000000FFFF);
    x = (x | x << 16) & UINT64_C(0x1F0000FF0000FF);
    x = (x | x << 8) & UINT64_C(0x100F00F00F00F00F);
    x = (x | x << 4) & UINT64_C(0x10C30C30C30C30C3);
    return (x | x << 2) & UINT64_C(0x1249249249249249);
}

static inline uint64_t morton_code(const uint32_t index[3])
{
    return morton_spread(index[0]) | morton_spread(index[1]) << 1 | morton_spread(index[2]) << 2;
}

#endif
