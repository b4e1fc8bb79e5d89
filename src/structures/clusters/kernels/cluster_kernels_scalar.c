/* The leaves of the cluster search, one lane: the reference row. */
#include "simd/lanes_scalar.h"
#include "structures/clusters/kernels/cluster_leaf.h"
#include "structures/clusters/kernels/cluster_leaf_faces.h"
#include "structures/clusters/kernels/cluster_leaf_doubles.h"
#include "structures/clusters/kernels/cluster_leaf_double_faces.h"
#include "structures/clusters/kernels/cluster_strain.h"

const struct cluster_kernels cluster_kernels_scalar = CLUSTER_KERNELS_ROW;
