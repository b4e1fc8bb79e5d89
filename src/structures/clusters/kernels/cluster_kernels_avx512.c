/* The leaves of the cluster search, sixteen lanes. */
#include "structures/clusters/kernels/cluster_kernels.h"

#if defined(__x86_64__)

#include "simd/lanes_avx512.h"
#include "structures/clusters/kernels/cluster_leaf.h"
#include "structures/clusters/kernels/cluster_leaf_faces.h"
#include "structures/clusters/kernels/cluster_leaf_doubles.h"
#include "structures/clusters/kernels/cluster_leaf_double_faces.h"
#include "structures/clusters/kernels/cluster_strain.h"

const struct cluster_kernels cluster_kernels_avx512 = CLUSTER_KERNELS_ROW;
#endif
