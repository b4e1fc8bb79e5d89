/* The strain of clusters, for any number of lanes. Included by cluster_kernels_<isa>.c behind cluster_leaf.h.
 *
 * Of a cluster with reference coordinates Y and present coordinates x: g = sum of x w (least squares), residual r = x - g Y. Inside a
 * cell r is linear, so its gradient J - g has norm at most stretch * (diagonal of the box of r); see strain_certificate.h.
 *
 * Bound of the error of a residual along one axis (u = 2^-24, S = sum over k of |g_k| max|Y_k|, R = extent of r): positions are off by
 * CLUSTER_INPUT_ERROR, Y by y_error, which enters as y_error * sum |g_k|; differences, three products, two sums and one difference give at
 * most 6 u S + 2 u R. Both ends of the box move by that much: the extent becomes R (1 + 2^-13) + 2 delta with
 * delta = input error + 8 u S + y_error * sum |g_k|. g itself is whatever was computed: it carries no error.
 */

static void strain_of_cluster(const struct cluster_rest *rest, const struct cluster_points *points, struct piece_strain *strain,
                              uint32_t place)
{
    float extent_squared = 0;
    for (int axis = 0; axis < 3; axis++) {
        const float *x = points->x[axis];
        const lanes origin = lanes_set(x[0]);
        float g[3], most = 0, sum = 0;
        for (int k = 0; k < 3; k++) {
            lanes total = lanes_set(0);
            for (int i = 0; i < CLUSTER_VERTICES; i += LANES) {
                total = lanes_add(total, lanes_multiply(lanes_subtract(lanes_load(x + i), origin), lanes_of_shorts(&rest->weights[k][i])));
            }
            g[k] = lanes_sum(total) * rest->weight_unit; /* per unit of y */
            most += fabsf(g[k]) * rest->y_most[k];
            sum += fabsf(g[k]);
            strain->g[3 * axis + k][place] = g[k] / rest->unit;
        }
        lanes lo = lanes_set(INFINITY), hi = lanes_set(-INFINITY);
        for (int i = 0; i < CLUSTER_VERTICES; i += LANES) {
            lanes linear = lanes_add(lanes_add(lanes_multiply(lanes_set(g[0]), lanes_of_shorts(&rest->y[0][i])),
                                               lanes_multiply(lanes_set(g[1]), lanes_of_shorts(&rest->y[1][i]))),
                                     lanes_multiply(lanes_set(g[2]), lanes_of_shorts(&rest->y[2][i])));
            lanes residual = lanes_subtract(lanes_subtract(lanes_load(x + i), origin), linear);
            lo = lanes_least(lo, residual);
            hi = lanes_most(hi, residual);
        }
        float delta = CLUSTER_INPUT_ERROR + 8 * 0x1p-24f * most + rest->y_error * sum;
        float extent = (lanes_largest(hi) - lanes_smallest(lo)) * (1 + 0x1p-13f) + 2 * delta;
        extent_squared += extent * extent;
    }
    strain->spread[place] = rest->stretch * sqrtf(extent_squared) * (1 + 0x1p-13f);
}

/* With |.| the Frobenius norm, h = matrix * g and s = sym(h) - (|matrix| spread + 20 u |matrix| |g|) * identity: the second term pays for the
 * deviation of the cells, the third for the roundings of h (four a product, three products an entry, and that of g over unit). s is positive
 * definite when its leading minors are positive; computed minors are off by less than 8 u q^2 and 40 u q^3, where q bounds the entries. */
static uint32_t definite_clusters(const struct piece_strain *strain, const float matrix[9])
{
    float squares = 0;
    for (int i = 0; i < 9; i++) {
        squares += matrix[i] * matrix[i];
    }
    if (!(squares > 1e-30f && squares < 1e30f)) {
        return 0; /* the norm might have under- or overflowed */
    }
    const lanes unit = lanes_set(0x1p-24f), safe = lanes_set(1 + 0x1p-13f);
    const lanes norm = lanes_multiply(lanes_root(lanes_set(squares)), safe);
    uint32_t found = 0;
    for (int i = 0; i < PIECE_CLUSTERS; i += LANES) {
        lanes g[9], h[9], g_squares = lanes_set(0);
        for (int k = 0; k < 9; k++) {
            g[k] = lanes_load(&strain->g[k][i]);
            g_squares = lanes_add(g_squares, lanes_multiply(g[k], g[k]));
        }
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++) {
                h[3 * row + column] = lanes_add(lanes_add(lanes_multiply(lanes_set(matrix[3 * row]), g[column]),
                                                          lanes_multiply(lanes_set(matrix[3 * row + 1]), g[3 + column])),
                                                lanes_multiply(lanes_set(matrix[3 * row + 2]), g[6 + column]));
            }
        }
        lanes size = lanes_multiply(lanes_multiply(norm, lanes_root(g_squares)), safe);
        lanes less = lanes_multiply(
            lanes_add(lanes_multiply(norm, lanes_load(&strain->spread[i])), lanes_multiply(lanes_multiply(unit, lanes_set(20)), size)), safe);
        const lanes half = lanes_set(0.5f);
        lanes a = lanes_subtract(h[0], less), b = lanes_subtract(h[4], less), c = lanes_subtract(h[8], less);
        lanes d = lanes_multiply(half, lanes_add(h[1], h[3])), e = lanes_multiply(half, lanes_add(h[2], h[6]));
        lanes f = lanes_multiply(half, lanes_add(h[5], h[7]));
        lanes q = lanes_add(size, less), q2 = lanes_multiply(q, q);
        lanes minor2 = lanes_subtract(lanes_multiply(a, b), lanes_multiply(d, d));
        lanes minor3 = lanes_subtract(lanes_add(lanes_multiply(c, minor2), lanes_multiply(e, lanes_subtract(lanes_multiply(d, f), lanes_multiply(b, e)))),
                                      lanes_multiply(f, lanes_subtract(lanes_multiply(a, f), lanes_multiply(d, e))));
        uint32_t bits = lanes_less(lanes_multiply(unit, q), a);
        bits &= lanes_less(lanes_multiply(lanes_multiply(unit, lanes_set(8)), q2), minor2);
        bits &= lanes_less(lanes_multiply(lanes_multiply(unit, lanes_set(40)), lanes_multiply(q2, q)), minor3);
        found |= bits << i;
    }
    return found;
}

#define CLUSTER_KERNELS_ROW                                                                                                             \
    {                                                                                                                                   \
        load_points, bound_points, meet_group, vertex_leaf, face_leaf, face_flush, strain_of_cluster, definite_clusters                 \
    }
