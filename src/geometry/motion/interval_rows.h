/* The arithmetic of interval_kernels.h over the doubles of simd/lanes.h, one to four a register. Included by
 * interval_rows_<isa>.c. Every operation has the bits of the one in interval.h. */
#include "geometry/motion/interval_kernels.h"

enum { ROW_PARTS = 4 / DOUBLES };

/* Four intervals: three of the rotation and the one of the translation beside them. */
struct row {
    doubles lo[ROW_PARTS], hi[ROW_PARTS];
};

#define EACH_PART(k) for (int k = 0; k < ROW_PARTS; k++)

/* ---- intervals --------------------------------------------------------------------------------------------------- */

static inline doubles lanes_slack(doubles x)
{
    return doubles_absolute(x) * doubles_set(0x1p-52) + doubles_set(0x1p-1074);
}

/* As rounded_down and rounded_up. */
static inline doubles lanes_down(doubles x)
{
    doubles y = x - lanes_slack(x);
    return doubles_choose(doubles_ordered(y, y), y, doubles_set(-INFINITY));
}

static inline doubles lanes_up(doubles x)
{
    doubles y = x + lanes_slack(x);
    return doubles_choose(doubles_ordered(y, y), y, doubles_set(INFINITY));
}

static inline struct row row_add(struct row a, struct row b)
{
    EACH_PART(k)
    {
        a.lo[k] = lanes_down(a.lo[k] + b.lo[k]);
        a.hi[k] = lanes_up(a.hi[k] + b.hi[k]);
    }
    return a;
}

static inline struct row row_subtract(struct row a, struct row b)
{
    EACH_PART(k)
    {
        a.lo[k] = lanes_down(a.lo[k] - b.hi[k]);
        a.hi[k] = lanes_up(a.hi[k] - b.lo[k]);
    }
    return a;
}

static inline struct row row_multiply(struct row a, struct row b)
{
    EACH_PART(k)
    {
        doubles p = a.lo[k] * b.lo[k], q = a.lo[k] * b.hi[k], r = a.hi[k] * b.lo[k], s = a.hi[k] * b.hi[k];
        doubles low = doubles_least(doubles_least(p, q), doubles_least(r, s));
        doubles high = doubles_most(doubles_most(q, p), doubles_most(s, r));
        doubles_mask usual = doubles_mask_and(doubles_ordered(p, q), doubles_ordered(r, s));
        a.lo[k] = doubles_choose(usual, lanes_down(low), doubles_set(-INFINITY));
        a.hi[k] = doubles_choose(usual, lanes_up(high), doubles_set(INFINITY));
    }
    return a;
}

/* ---- rows -------------------------------------------------------------------------------------------------------- */

_Static_assert(sizeof(struct interval) == 2 * sizeof(double), "two ends side by side");

static inline struct row row_load(const struct interval_pose *pose, int i)
{
    const struct interval *r = pose->rotation + 3 * i;
    const double *const pairs[4] = {&r[0].lo, &r[1].lo, &r[2].lo, &pose->translation[i].lo};
    struct row row;
    EACH_PART(k)
    {
        doubles_load_pairs(pairs + k * DOUBLES, &row.lo[k], &row.hi[k]);
    }
    return row;
}

static inline void row_store_to(struct row row, double *const pairs[4])
{
    EACH_PART(k)
    {
        doubles_store_pairs(pairs + k * DOUBLES, row.lo[k], row.hi[k]);
    }
}

static inline void row_store(struct row row, struct interval_pose *pose, int i)
{
    struct interval *r = pose->rotation + 3 * i;
    double *const pairs[4] = {&r[0].lo, &r[1].lo, &r[2].lo, &pose->translation[i].lo};
    row_store_to(row, pairs);
}

static inline void row_put_translation(struct row row, struct interval_pose *pose)
{
    struct interval *t = pose->translation, unused;
    double *const pairs[4] = {&t[0].lo, &t[1].lo, &t[2].lo, &unused.lo};
    row_store_to(row, pairs);
}

/* The same interval four times. */
static inline struct row row_of(struct interval a)
{
    struct row row;
    EACH_PART(k)
    {
        row.lo[k] = doubles_set(a.lo);
        row.hi[k] = doubles_set(a.hi);
    }
    return row;
}

/* Three numbers as intervals, and 0. */
static inline struct row row_numbers(const double numbers[3])
{
    struct row row;
    EACH_PART(k)
    {
        doubles_mask three = doubles_mask_first((uint32_t)(3 - k * DOUBLES));
        row.lo[k] = row.hi[k] = doubles_load_within(three, numbers + k * DOUBLES);
    }
    return row;
}

static inline void row_columns(const struct row rows[3], struct row columns[3])
{
    doubles from[2][4][ROW_PARTS], to[2][4][ROW_PARTS];
    EACH_PART(k)
    {
        for (int i = 0; i < 3; i++) {
            from[0][i][k] = rows[i].lo[k];
            from[1][i][k] = rows[i].hi[k];
        }
        from[0][3][k] = from[1][3][k] = doubles_set(0);
    }
    doubles_transpose4(from[0], to[0]);
    doubles_transpose4(from[1], to[1]);
    EACH_PART(k)
    {
        for (int j = 0; j < 3; j++) {
            columns[j].lo[k] = to[0][j][k];
            columns[j].hi[k] = to[1][j][k];
        }
    }
}

/* ---- unit length ------------------------------------------------------------------------------------------------- */

/* Lower bounds of the squares. */
struct square_row {
    doubles part[ROW_PARTS];
    _Alignas(32) double at[4];
};

static inline void row_squares(const struct row *row, struct square_row *squares)
{
    const doubles zero = doubles_set(0);
    EACH_PART(k)
    {
        doubles p = row->lo[k] * row->lo[k], q = row->hi[k] * row->hi[k], low = lanes_down(doubles_least(p, q));
        doubles_mask around =
            doubles_mask_and(doubles_less_equal(row->lo[k], zero), doubles_less_equal(zero, row->hi[k]));
        squares->part[k] = doubles_most(doubles_choose(around, zero, low), zero);
        doubles_store(squares->at + k * DOUBLES, squares->part[k]);
    }
}

static inline doubles bound_by(doubles others, double defect)
{
    const doubles zero = doubles_set(0);
    doubles left = doubles_set(1 + 4 * defect) - lanes_down(lanes_down(others));
    doubles bound = lanes_up(doubles_root(lanes_up(doubles_most(left, zero))));
    return doubles_choose(doubles_less(zero, left), bound, zero);
}

static inline struct row row_clip(struct row row, const struct square_row squares[3], int i, double defect)
{
    const doubles zero = doubles_set(0);
    EACH_PART(k)
    {
        doubles along = zero, across = zero;
        for (int j = 0; j < 3; j++) {
            doubles_mask own = doubles_mask_of_bits(1u << j >> k * DOUBLES);
            along = along + doubles_choose(own, zero, doubles_set(squares[i].at[j]));
            across = across + (j == i ? zero : squares[j].part[k]);
        }
        doubles most = doubles_least(bound_by(along, defect), doubles_set(1 + defect));
        most = doubles_least(bound_by(across, defect), most);
        doubles_mask rotation = doubles_mask_first((uint32_t)(3 - k * DOUBLES)); /* the translation stays */
        row.lo[k] = doubles_choose(rotation, doubles_most(row.lo[k], doubles_set(-0.0) - most), row.lo[k]);
        row.hi[k] = doubles_choose(rotation, doubles_least(row.hi[k], most), row.hi[k]);
    }
    return row;
}

/* ---- the kernels ------------------------------------------------------------------------------------------------- */

static void multiply_rows(const struct interval *factors, int row_step, int step, const struct interval_pose *q,
                          struct interval_pose *product)
{
    struct row rows[3] = {row_load(q, 0), row_load(q, 1), row_load(q, 2)};
    for (int i = 0; i < 3; i++) {
        const struct interval *of_row = factors + row_step * i;
        struct row sum = row_multiply(row_of(of_row[0]), rows[0]);
        sum = row_add(sum, row_multiply(row_of(of_row[step]), rows[1]));
        sum = row_add(sum, row_multiply(row_of(of_row[2 * step]), rows[2]));
        row_store(sum, product, i);
    }
}

static void trajectory_pose(const struct trajectory *trajectory, const struct interval_phase *phase,
                            struct interval_pose *pose)
{
    struct row rows[3], columns[3], cosine = row_of(phase->cosine), sine = row_of(phase->sine);
    for (int i = 0; i < 3; i++) {
        struct row moving = row_add(row_multiply(cosine, row_numbers(trajectory->cosine_part + 3 * i)),
                                    row_multiply(sine, row_numbers(trajectory->sine_part + 3 * i)));
        rows[i] = row_add(row_numbers(trajectory->fixed + 3 * i), moving);
        row_store(rows[i], pose, i);
    }
    row_columns(rows, columns);
    struct row sum =
        row_add(row_numbers(trajectory->origin), row_multiply(row_of(phase->t), row_numbers(trajectory->velocity)));
    sum = row_add(sum, row_multiply(row_of(phase->g1), row_numbers(trajectory->arc)));
    sum = row_add(sum, row_multiply(row_of(phase->g2), row_numbers(trajectory->arc_across)));
    for (int j = 0; j < 3; j++) {
        sum = row_subtract(sum, row_multiply(columns[j], row_of(interval_point(trajectory->centre[j]))));
    }
    row_put_translation(sum, pose);
}

static void use_unit_length(struct interval_pose *pose, double defect)
{
    struct row rows[3] = {row_load(pose, 0), row_load(pose, 1), row_load(pose, 2)};
    struct square_row squares[3];
    for (int i = 0; i < 3; i++) {
        row_squares(&rows[i], &squares[i]);
    }
    for (int i = 0; i < 3; i++) {
        row_store(row_clip(rows[i], squares, i, defect), pose, i);
    }
}

#define INTERVAL_KERNELS_ROW                                                                                           \
    {                                                                                                                  \
        multiply_rows, trajectory_pose, use_unit_length                                                                \
    }
