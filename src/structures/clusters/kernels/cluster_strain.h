/* The strain of clusters, for any number of lanes. Included by cluster_kernels_<isa>.c behind cluster_leaf.h.
 *
 * Of a cluster with reference coordinates Y and present coordinates x: g = (sum of x Y^T) (sum of Y Y^T)^-1 (least
 * squares), residual r = x - g Y. Inside a cell r is linear, so its gradient J - g has norm at most stretch * (diagonal
 * of the box of r); see strain_certificate.h.
 *
 * Bound of the error of a residual along one axis (u = 2^-24, S = sum over k of |g_k| max|Y_k|, R = extent of r):
 * positions are off by CLUSTER_INPUT_ERROR, Y by y_error, which enters as y_error * sum |g_k|; differences, three
 * products, two sums and one difference give at most 6 u S + 2 u R. Both ends of the box move by that much: the extent
 * becomes R (1 + 2^-13) + 2 delta with delta = input error + 8 u S + y_error * sum |g_k|. g itself is whatever was
 * computed: it carries no error.
 *
 * The middle of the box of r, added to the origin, is off by at most u (1 + |lo| + |hi|) on each axis (|origin| <= 1,
 * one sum and one sum more). Slack is the distance of the farthest r from the middle, the bound of its error and 4 u of
 * these sums: it covers every vertex and hence every point of a cell. The difference r - middle rounds to u R, which the
 * 2^-14 R of the error cover beside its 2 u R. A square that underflows is below 2^-126, its root below the 2^-25 of the
 * input error.
 */

/* The gradient of one axis from the sums of d y^T, into row `axis` of the piece; in units of y into g. */
static inline void gradient_of_axis(const struct cluster_rest *rest, const float t[3], float g[3],
                                    struct piece_strain *strain, int axis, uint32_t slot)
{
    const float *v = rest->inverse;
    g[0] = t[0] * v[0] + t[1] * v[1] + t[2] * v[2];
    g[1] = t[0] * v[1] + t[1] * v[3] + t[2] * v[4];
    g[2] = t[0] * v[2] + t[1] * v[4] + t[2] * v[5];
    strain->g[3 * axis][slot] = g[0] * rest->per_unit;
    strain->g[3 * axis + 1][slot] = g[1] * rest->per_unit;
    strain->g[3 * axis + 2][slot] = g[2] * rest->per_unit;
}

/* Bound of the error of a residual along one axis, whose extent is R: delta, and 2^-14 of R. */
static inline float error_of_axis(const struct cluster_rest *rest, const float g[3], float lo, float hi)
{
    float most = fabsf(g[0]) * rest->y_most[0] + fabsf(g[1]) * rest->y_most[1] + fabsf(g[2]) * rest->y_most[2];
    float sum = fabsf(g[0]) + fabsf(g[1]) + fabsf(g[2]);
    return (hi - lo) * 0x1p-14f + (CLUSTER_INPUT_ERROR + 8 * 0x1p-24f * most + rest->y_error * sum);
}

static inline float length_of(const float v[3])
{
    return sqrtf(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) * (1 + 0x1p-13f);
}

/* What only gaps need: the middle of the residuals, whose box is given, and how far they are from it. */
static inline void place_cluster(const struct cluster_points *points,
                                 const floats residuals[3][CLUSTER_VERTICES / FLOATS], const struct cluster_box *box,
                                 const float errors[3], struct piece_strain *strain, uint32_t slot)
{
    float middle[3], sizes = 3;
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = 0.5f * (box->lo[axis] + box->hi[axis]);
        strain->centre[axis][slot] = points->x[axis][0] + middle[axis];
        sizes += fabsf(box->lo[axis]) + fabsf(box->hi[axis]);
    }
    floats farthest = floats_set(0);
    for (int i = 0; i < CLUSTER_VERTICES / FLOATS; i++) {
        struct floats3 off = {residuals[0][i] - floats_set(middle[0]), residuals[1][i] - floats_set(middle[1]),
                              residuals[2][i] - floats_set(middle[2])};
        farthest = floats_most(farthest, floats3_dot(off, off));
    }
    strain->slack[slot] = sqrtf(floats_largest(farthest)) * (1 + 0x1p-13f) + length_of(errors) + 4 * 0x1p-24f * sizes;
}

/* Inlined twice, with and without place_cluster. */
static inline __attribute__((always_inline)) void strain_and_place(const struct cluster_rest *rest,
                                                                   const struct cluster_points *points,
                                                                   struct piece_strain *strain, uint32_t slot,
                                                                   bool place)
{
    const floats nothing = floats_set(0);
    floats total[9] = {nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing, nothing};
    floats origin[3] = {floats_set(points->x[0][0]), floats_set(points->x[1][0]), floats_set(points->x[2][0])};
    for (int i = 0; i < CLUSTER_VERTICES; i += FLOATS) {
        floats y0 = floats_of_shorts(&rest->y[0][i]), y1 = floats_of_shorts(&rest->y[1][i]),
               y2 = floats_of_shorts(&rest->y[2][i]);
        /* Places behind the last vertex repeat the first one, whose difference is 0: they add nothing. */
        floats dx = floats_load(&points->x[0][i]) - origin[0];
        floats dy = floats_load(&points->x[1][i]) - origin[1];
        floats dz = floats_load(&points->x[2][i]) - origin[2];
        total[0] = total[0] + dx * y0;
        total[1] = total[1] + dx * y1;
        total[2] = total[2] + dx * y2;
        total[3] = total[3] + dy * y0;
        total[4] = total[4] + dy * y1;
        total[5] = total[5] + dy * y2;
        total[6] = total[6] + dz * y0;
        total[7] = total[7] + dz * y1;
        total[8] = total[8] + dz * y2;
    }
    float t[12], g[3][3];
    floats_sum4(total[0], total[1], total[2], total[3], t);
    floats_sum4(total[4], total[5], total[6], total[7], t + 4);
    floats_sum4(total[8], nothing, nothing, nothing, t + 8);
    gradient_of_axis(rest, t, g[0], strain, 0, slot);
    gradient_of_axis(rest, t + 3, g[1], strain, 1, slot);
    gradient_of_axis(rest, t + 6, g[2], strain, 2, slot);
    const floats far = floats_set(INFINITY), near = floats_set(-INFINITY);
    floats lo[3] = {far, far, far}, hi[3] = {near, near, near};
    floats residuals[3][CLUSTER_VERTICES / FLOATS];
    for (int i = 0; i < CLUSTER_VERTICES; i += FLOATS) {
        floats y0 = floats_of_shorts(&rest->y[0][i]), y1 = floats_of_shorts(&rest->y[1][i]),
               y2 = floats_of_shorts(&rest->y[2][i]);
        for (int axis = 0; axis < 3; axis++) {
            floats linear = floats_set(g[axis][0]) * y0 + floats_set(g[axis][1]) * y1 + floats_set(g[axis][2]) * y2;
            floats residual = floats_load(&points->x[axis][i]) - origin[axis] - linear;
            residuals[axis][i / FLOATS] = residual;
            lo[axis] = floats_least(lo[axis], residual);
            hi[axis] = floats_most(hi[axis], residual);
        }
    }
    struct cluster_box box;
    floats3_bounds((struct floats3){lo[0], lo[1], lo[2]}, (struct floats3){hi[0], hi[1], hi[2]}, box.lo, box.hi);
    float extents[3], errors[3];
    for (int axis = 0; axis < 3; axis++) {
        errors[axis] = error_of_axis(rest, g[axis], box.lo[axis], box.hi[axis]);
        extents[axis] = (box.hi[axis] - box.lo[axis]) + 2 * errors[axis];
    }
    strain->spread[slot] = rest->stretch * length_of(extents);
    if (place) {
        place_cluster(points, residuals, &box, errors, strain, slot);
    }
}

static void strain_of_cluster(const struct cluster_rest *rest, const struct cluster_points *points,
                              struct piece_strain *strain, uint32_t slot)
{
    strain_and_place(rest, points, strain, slot, false);
}

static void placed_strain_of_cluster(const struct cluster_rest *rest, const struct cluster_points *points,
                                     struct piece_strain *strain, uint32_t slot)
{
    strain_and_place(rest, points, strain, slot, true);
}

/* With |.| the Frobenius norm, h = matrix * g and s = sym(h) - (|matrix| spread + 24 u |matrix| |g|) * identity: the
 * second term pays for the deviation of the cells, the third for the roundings of h (four a product, three products an
 * entry, and two of g over unit). s is positive definite when its leading minors are positive; computed minors are off
 * by less than 8 u q^2 and 40 u q^3, where q bounds the entries. With |g|^2 above 1e-30 and |matrix| |g| between 1e-9
 * and 1e9 none of this under- or overflows; others are not told definite. */
static uint32_t definite_clusters(const struct piece_strain *strain, const float matrix[9])
{
    float squares = 0;
    for (int i = 0; i < 9; i++) {
        squares += matrix[i] * matrix[i];
    }
    if (!(squares > 1e-30f && squares < 1e30f)) {
        return 0; /* the norm might have under- or overflowed */
    }
    const floats unit = floats_set(0x1p-24f), safe = floats_set(1 + 0x1p-13f);
    const floats norm = floats_root(floats_set(squares)) * safe;
    uint32_t found = 0;
    for (int i = 0; i < PIECE_CLUSTERS; i += FLOATS) {
        floats g[9], h[9], g_squares = floats_set(0);
        for (int k = 0; k < 9; k++) {
            g[k] = floats_load(&strain->g[k][i]);
            g_squares = g_squares + g[k] * g[k];
        }
        for (int row = 0; row < 3; row++) {
            for (int column = 0; column < 3; column++) {
                h[3 * row + column] = floats_set(matrix[3 * row]) * g[column] +
                                      floats_set(matrix[3 * row + 1]) * g[3 + column] +
                                      floats_set(matrix[3 * row + 2]) * g[6 + column];
            }
        }
        floats size = norm * floats_root(g_squares) * safe;
        floats less = (norm * floats_load(&strain->spread[i]) + unit * floats_set(24) * size) * safe;
        const floats half = floats_set(0.5f);
        floats a = h[0] - less, b = h[4] - less, c = h[8] - less;
        floats d = half * (h[1] + h[3]), e = half * (h[2] + h[6]);
        floats f = half * (h[5] + h[7]);
        floats q = size + less, q2 = q * q;
        floats minor2 = a * b - d * d;
        floats minor3 = c * minor2 + e * (d * f - b * e) - f * (a * f - d * e);
        uint32_t bits = less_bits(floats_set(1e-30f), g_squares) & less_bits(floats_set(1e-9f), size) &
                        less_bits(size, floats_set(1e9f));
        bits &= less_bits(unit * q, a);
        bits &= less_bits(unit * floats_set(8) * q2, minor2);
        bits &= less_bits(unit * floats_set(40) * (q2 * q), minor3);
        found |= bits << i;
    }
    return found;
}

/* The smallest factor by which g stretches is the root of the least eigenvalue of A = g^T g. B = A - m I with m a third
 * of the trace has eigenvalues that add up to 0; if -b is the least of them the other two add up to b, so their squares
 * add up to b^2 / 2 or more, and b <= sqrt(2/3) |B| (Frobenius): least eigenvalue of A >= m - sqrt(2/3) |B|.
 *
 * Roundings (n = |g|): entries of A 3 u n^2 together, g over unit 4.1 u n^2, the trace of the computed B is at most
 * 20 u n^2, a third of which counts, and one difference: below 16 u n^2; 32 are taken off. Between 1e-12 and 1e12 for
 * n^2 nothing under- or overflows. */
static void stretches_of_piece(struct piece_strain *strain)
{
    const floats safe = floats_set(1 + 0x1p-13f), two = floats_set(2), third = floats_set(1.0f / 3);
    for (int i = 0; i < PIECE_CLUSTERS; i += FLOATS) {
        struct floats3 c[3]; /* columns of g */
        for (int k = 0; k < 3; k++) {
            c[k] = (struct floats3){floats_load(&strain->g[k][i]), floats_load(&strain->g[3 + k][i]),
                                    floats_load(&strain->g[6 + k][i])};
        }
        floats xx = floats3_dot(c[0], c[0]), yy = floats3_dot(c[1], c[1]), zz = floats3_dot(c[2], c[2]);
        struct floats3 mixed = {floats3_dot(c[0], c[1]), floats3_dot(c[0], c[2]), floats3_dot(c[1], c[2])};
        floats squares = xx + yy + zz, mean = squares * third;
        struct floats3 b = {xx - mean, yy - mean, zz - mean};
        floats uneven = floats_root(floats3_dot(b, b) + two * floats3_dot(mixed, mixed));
        floats least = mean - uneven * floats_set(0.8165f) * safe;
        least = least - squares * floats_set(32 * 0x1p-24f);
        uint32_t good = less_bits(floats_set(1e-12f), squares) & less_bits(squares, floats_set(1e12f)) &
                        less_bits(floats_set(0), least);
        floats root =
            floats_root(floats_choose(floats_mask_of_bits(good), least, floats_set(0))) * floats_set(1 - 0x1p-13f);
        floats_store(&strain->least_stretch[i], root);
        floats_store(&strain->norm[i], floats_root(squares) * safe);
    }
}

/* Cluster c (slot of piece b) and cluster d (of piece a), middles m, X a point of c and Z of d, G = (g_c + g_d) / 2:
 *
 *     image(Z) - image(X) = G (Z - X) + o + (g_d - g_c) / 2 ((X - m_c) + (Z - m_d)) + slacks,
 *     o = centre_d - centre_c - G (m_d - m_c).
 *
 * The mean gradient makes o vanish for maps of second order, where that of one cluster would leave half a bend over the
 * whole distance. G stretches by at least least_stretch_c - |g_d - g_c| / 2, and so with d for c. So the images differ
 * if
 *
 *     |o| + |g_d - g_c| |(X - m_c) + (Z - m_d)| / 2 + slack_c + slack_d < (the larger of the two) * |Z - X|.
 *
 * The second length is at most radius_c + radius_d, and at most `reach` for points closer than NEAR_GAPS gaps: these lie
 * where the two clusters come close, often between their middles. So it is asked twice: with reach and the gap, with the
 * radii and NEAR_GAPS gaps.
 *
 * Roundings (n the larger of |g_c| and |g_d|, coordinates at most 1, so differences of middles at most 2 and radii at
 * most 3.5): middles as floats and their difference 3 u, g over unit 2.01 u, the mean u, product and sums 3 u: together
 * at most 15.2 u times the sum of |G| over a row, sqrt(3) of which is 26.4 u n over three rows; the difference of centres
 * 3.5 u n; g over unit in g_d - g_c at most 4.1 u n * 3.5. Below 45 u n: 48 are taken. In the stretch the last is half of
 * 4.1 u n and one rounding: 8 u n are taken. What is relative to the numbers themselves is below 2^-13. */
/* The two questions in the numbers of a gap_row: with n and m the bytes of gap and reach, room n^4 is the gap times the
 * stretch; off + bend m the left side with reach; far that with the radii, over NEAR_GAPS. What is computed below rounds
 * by a few u more, which `safe` pays for. */
struct separation {
    floats off, bend, far, room;
};

static inline struct separation separation_of_clusters(const struct piece_side *side_b, uint32_t slot,
                                                       const struct piece_side *side_a, int i)
{
    const struct piece_strain *strain_b = side_b->strain, *strain_a = side_a->strain;
    const struct piece_rest *rest_b = side_b->rest, *rest_a = side_a->rest;
    const floats safe = floats_set(1 + 0x1p-13f), half = floats_set(0.5f), unit = floats_set(0x1p-24f);
    const floats slack = floats_set(strain_b->slack[slot]) + floats_load(&strain_a->slack[i]);
    floats offset_squares = floats_set(0), bend_squares = floats_set(0), d[3];
    for (int axis = 0; axis < 3; axis++) {
        d[axis] = floats_load(&rest_a->middle[axis][i]) - floats_set(rest_b->middle[axis][slot]);
    }
    for (int axis = 0; axis < 3; axis++) {
        floats linear = floats_set(0);
        for (int k = 0; k < 3; k++) {
            floats g_b = floats_set(strain_b->g[3 * axis + k][slot]), g_a = floats_load(&strain_a->g[3 * axis + k][i]);
            floats bend = g_a - g_b;
            bend_squares = bend_squares + bend * bend;
            linear = linear + (g_a + g_b) * d[k];
        }
        floats moved = floats_load(&strain_a->centre[axis][i]) - floats_set(strain_b->centre[axis][slot]);
        floats offset = moved - half * linear;
        offset_squares = offset_squares + offset * offset;
    }
    floats half_bend = half * floats_root(bend_squares) * safe;
    floats norm = floats_most(floats_set(strain_b->norm[slot]), floats_load(&strain_a->norm[i]));
    floats stretch = floats_most(floats_set(strain_b->least_stretch[slot]), floats_load(&strain_a->least_stretch[i]));
    stretch = stretch - half_bend - unit * floats_set(8) * norm;
    floats off = (floats_root(offset_squares) + slack + unit * floats_set(48) * norm) * safe;
    floats radii = floats_set(rest_b->radius[slot]) + floats_load(&rest_a->radius[i]);
    floats bends = half_bend * safe * radii;
    struct separation found;
    found.bend = bends * floats_set(1.0f / 256);
    found.off = off + found.bend;
    found.far = (off + bends) * floats_set(1 / NEAR_GAPS);
    found.room = stretch * radii * floats_set(0x1p-32f);
    return found;
}

/* Clusters that such gaps prove apart. None whose gap is unknown: then there is no room, while `far` is not negative. */
static inline uint32_t apart_by_gaps(const struct separation *now, const struct gap_row *row, int way, int i)
{
    const floats root = floats_of_bytes(&row->gap[way][i]), reach = floats_of_bytes(&row->reach[way][i]);
    const floats square = root * root;
    return less_bits(floats_most(now->off + now->bend * reach, now->far), square * square * now->room);
}

/* Lanes of the group at i that have a box. */
static inline uint32_t present_boxes(const struct box_group *boxes, int i)
{
    return floats_mask_bits(floats_less_equal(floats_load(&boxes->lo[0][i]), floats_load(&boxes->hi[0][i])));
}

static inline bool every_cluster_has_a_box(const struct piece_side *side)
{
    uint32_t present = 0;
    for (int i = 0; i < PIECE_CLUSTERS; i += FLOATS) {
        present |= present_boxes(side->boxes, i) << i;
    }
    return (present | UINT32_MAX << side->count) == UINT32_MAX;
}

static inline struct cluster_box grown_box(const struct cluster_box *box, float margin)
{
    return (struct cluster_box){{box->lo[0] - margin, box->lo[1] - margin, box->lo[2] - margin},
                                {box->hi[0] + margin, box->hi[1] + margin, box->hi[2] + margin}};
}

/* Clusters of piece a that a cluster of piece b may meet, by question: with its cells, and with its features. */
struct open_row {
    uint32_t in[GAP_QUESTIONS], out[GAP_QUESTIONS];
};

/* Nearly every cluster asked about is near some, so with many lanes nothing branches on that. */
static inline void open_row_of(const struct piece_side *side_b, uint32_t slot, const struct piece_side *side_a,
                               const struct gap_rows *rows, float margin, uint32_t questions, struct open_row *open)
{
    const bool known = rows->known >> slot & 1;
    const uint32_t number = (uint32_t)__builtin_popcount(rows->known & ((UINT32_C(1) << slot) - 1));
    const struct box_group *own = side_b->boxes, *others = side_a->boxes;
    const struct cluster_box box = {{own->lo[0][slot], own->lo[1][slot], own->lo[2][slot]},
                                    {own->hi[0][slot], own->hi[1][slot], own->hi[2][slot]}};
    const struct cluster_box grown = grown_box(&box, margin);
    const struct spread_box spread = spread_box_of(&grown);
    *open = (struct open_row){{0, 0}, {0, 0}};
    for (int i = 0; i < PIECE_CLUSTERS; i += FLOATS) {
        struct floats3 lo = floats3_load(&others->lo[0][i], &others->lo[1][i], &others->lo[2][i]);
        struct floats3 hi = floats3_load(&others->hi[0][i], &others->hi[1][i], &others->hi[2][i]);
        uint32_t near = floats_mask_bits(boxes_meet(lo, hi, &spread));
        if (FLOATS == 1 && !near) {
            continue;
        }
        if (!known) {
            open->in[GAPS_OF_VERTICES] |= near << i;
            open->in[GAPS_OF_FACES] |= near << i;
            open->out[GAPS_OF_VERTICES] |= near << i;
            open->out[GAPS_OF_FACES] |= near << i;
            continue;
        }
        const struct separation now = separation_of_clusters(side_b, slot, side_a, i);
        for (int question = 0; question < GAP_QUESTIONS; question++) {
            if (questions >> question & 1) {
                const struct gap_row *row = rows->first[question] + number;
                open->in[question] |= (near & ~apart_by_gaps(&now, row, GAPS_IN, i)) << i;
                open->out[question] |= (near & ~apart_by_gaps(&now, row, GAPS_OUT, i)) << i;
            }
        }
    }
}

/* Sixteen sets of bits, by cluster of the second piece. */
struct bit_columns {
    words of[PIECE_CLUSTERS / FLOATS];
};

static inline void add_to_columns(struct bit_columns *columns, uint32_t slot, uint32_t set)
{
    for (int i = 0; i < PIECE_CLUSTERS; i += FLOATS) {
        words bit = words_choose(floats_mask_of_bits(set >> i), words_set(UINT32_C(1) << slot), words_set(0));
        columns->of[i / FLOATS] = words_or(columns->of[i / FLOATS], bit);
    }
}

static inline void store_columns(const struct bit_columns *columns, uint16_t to[PIECE_CLUSTERS])
{
    _Alignas(64) uint32_t wide[PIECE_CLUSTERS];
    for (int i = 0; i < PIECE_CLUSTERS; i += FLOATS) {
        words_store(&wide[i], columns->of[i / FLOATS]);
    }
    for (int i = 0; i < PIECE_CLUSTERS; i++) {
        to[i] = (uint16_t)wide[i];
    }
}

static uint32_t open_clusters_of_pieces(const struct piece_side *side_b, const struct piece_side *side_a,
                                        const struct cluster_box *box_a, float margin, const struct gap_rows *rows,
                                        uint32_t questions, struct open_pair open[GAP_QUESTIONS])
{
    struct bit_columns columns[GAP_QUESTIONS];
    uint32_t left = 0;
    if (!every_cluster_has_a_box(side_b) || !every_cluster_has_a_box(side_a)) {
        memset(open, 0xFF, GAP_QUESTIONS * sizeof *open);
        return questions;
    }
    for (int question = 0; question < GAP_QUESTIONS; question++) {
        memset(open[question].rows, 0, sizeof open[question].rows);
        for (int i = 0; i < PIECE_CLUSTERS / FLOATS; i++) {
            columns[question].of[i] = words_set(0);
        }
    }
    const struct cluster_box whole = grown_box(box_a, margin);
    for (uint32_t set = meet_group(side_b->boxes, &whole); set; set &= set - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(set);
        struct open_row row;
        open_row_of(side_b, slot, side_a, rows, margin, questions, &row);
        for (int question = 0; question < GAP_QUESTIONS; question++) {
            open[question].rows[slot] = (uint16_t)row.in[question];
            add_to_columns(&columns[question], slot, row.out[question]);
            left |= (uint32_t)((row.in[question] | row.out[question]) != 0) << question;
        }
    }
    left &= questions;
    for (int question = 0; question < GAP_QUESTIONS; question++) {
        if (left >> question & 1) {
            store_columns(&columns[question], open[question].columns);
        }
    }
    return left;
}

/* ---- the motion of whole bodies -------------------------------------------------------------- */

static inline void residual_of_vertex(const double y[3], const double x[3], const struct affine_motion *motion,
                                      double most[3])
{
    double d[3] = {y[0] - motion->from[0], y[1] - motion->from[1], y[2] - motion->from[2]};
    for (int axis = 0; axis < 3; axis++) {
        const double *row = &motion->matrix[3 * axis];
        double linear = row[0] * d[0] + row[1] * d[1] + row[2] * d[2];
        double residual = fabs((x[axis] - motion->to[axis]) - linear);
        most[axis] = residual > most[axis] ? residual : most[axis];
    }
}

/* A packet of vertices is read as rows of four doubles, of which the last is the next vertex'. So the last vertex of all
 * is never in a packet. */
static void residual_of_vertices(const double (*reference)[3], const double (*xyz)[3], uint32_t count,
                                 const struct affine_motion *motion, double most[3])
{
    uint32_t i = 0;
    doubles largest[3] = {doubles_set(0), doubles_set(0), doubles_set(0)};
    for (; DOUBLES > 1 && i + DOUBLES < count; i += DOUBLES) {
        const double *rows_y[DOUBLES], *rows_x[DOUBLES];
        doubles y[4], x[4], d[3];
        for (int k = 0; k < DOUBLES; k++) {
            rows_y[k] = reference[i + (uint32_t)k];
            rows_x[k] = xyz[i + (uint32_t)k];
        }
        doubles_columns4(rows_y, y);
        doubles_columns4(rows_x, x);
        for (int axis = 0; axis < 3; axis++) {
            d[axis] = y[axis] - doubles_set(motion->from[axis]);
        }
        for (int axis = 0; axis < 3; axis++) {
            const double *row = &motion->matrix[3 * axis];
            doubles linear = doubles_set(row[0]) * d[0] + doubles_set(row[1]) * d[1] + doubles_set(row[2]) * d[2];
            doubles residual = (x[axis] - doubles_set(motion->to[axis])) - linear;
            largest[axis] = doubles_most(largest[axis], doubles_absolute(residual));
        }
    }
    for (int axis = 0; axis < 3; axis++) {
        double packets = doubles_largest(largest[axis]);
        most[axis] = packets > most[axis] ? packets : most[axis];
    }
    for (; i < count; i++) {
        residual_of_vertex(reference[i], xyz[i], motion, most);
    }
}

#define CLUSTER_KERNELS_ROW                                                                                            \
    {                                                                                                                  \
        load_points, bound_points, meet_group, vertex_leaf, own_leaf, vertex_flush, face_leaf, face_flush,             \
            vertex_leaf_doubles, vertex_flush_doubles, face_leaf_doubles, face_flush_doubles, strain_of_cluster,       \
            placed_strain_of_cluster, definite_clusters, stretches_of_piece, open_clusters_of_pieces,                  \
            residual_of_vertices                                                                                       \
    }
