/* Packet kernels, eight lanes. */
#include "structures/grid/kernels/packet_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx2.h"
#include "structures/grid/kernels/packet_prepare.h"
#include "structures/grid/kernels/packet_match.h"

const struct packet_kernels packet_kernels_avx2 = PACKET_KERNELS_ROW;

#endif
