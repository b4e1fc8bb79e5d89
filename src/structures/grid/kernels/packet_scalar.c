/* Packet kernels, one lane: the reference row. */
#include "simd/lanes_scalar.h"
#include "structures/grid/kernels/packet_prepare.h"
#include "structures/grid/kernels/packet_match.h"

const struct packet_kernels packet_kernels_scalar = PACKET_KERNELS_ROW;
