/* Rows of intervals, one interval after the other: the reference. See interval_kernels.h. */
#include "geometry/motion/interval_kernels.h"

struct row {
    struct interval at[4];
};

static inline struct row row_load(const struct interval_pose *pose, int i)
{
    const struct interval *r = pose->rotation + 3 * i;
    return (struct row){{r[0], r[1], r[2], pose->translation[i]}};
}

static inline void row_store(struct row row, struct interval_pose *pose, int i)
{
    for (int j = 0; j < 3; j++) {
        pose->rotation[3 * i + j] = row.at[j];
    }
    pose->translation[i] = row.at[3];
}

static inline void row_put_translation(struct row row, struct interval_pose *pose)
{
    for (int i = 0; i < 3; i++) {
        pose->translation[i] = row.at[i];
    }
}

static inline struct row row_of(struct interval a)
{
    return (struct row){{a, a, a, a}};
}

static inline struct row row_numbers(const double numbers[3])
{
    return (struct row){{interval_point(numbers[0]), interval_point(numbers[1]), interval_point(numbers[2]), {0, 0}}};
}

static inline struct row row_add(struct row a, struct row b)
{
    for (int j = 0; j < 4; j++) {
        a.at[j] = interval_add(a.at[j], b.at[j]);
    }
    return a;
}

static inline struct row row_subtract(struct row a, struct row b)
{
    for (int j = 0; j < 4; j++) {
        a.at[j] = interval_subtract(a.at[j], b.at[j]);
    }
    return a;
}

static inline struct row row_multiply(struct row a, struct row b)
{
    for (int j = 0; j < 4; j++) {
        a.at[j] = interval_multiply(a.at[j], b.at[j]);
    }
    return a;
}

static inline void row_columns(const struct row rows[3], struct row columns[3])
{
    for (int j = 0; j < 3; j++) {
        columns[j] = (struct row){{rows[0].at[j], rows[1].at[j], rows[2].at[j], {0, 0}}};
    }
}

/* Lower bounds of the squares. */
struct square_row {
    double at[3];
};

static inline struct square_row row_squares(struct row row)
{
    struct square_row squares;
    for (int j = 0; j < 3; j++) {
        squares.at[j] = interval_square(row.at[j]).lo;
    }
    return squares;
}

static inline double bound_by(double others, double defect)
{
    double left = 1 + 4 * defect - rounded_down(rounded_down(others));
    return left > 0 ? rounded_up(sqrt(rounded_up(left))) : 0;
}

static inline struct row row_clip(struct row row, const struct square_row squares[3], int i, double defect)
{
    for (int j = 0; j < 3; j++) {
        double along = 0, across = 0, most = 1 + defect;
        for (int k = 0; k < 3; k++) {
            along += k == j ? 0 : squares[i].at[k];
            across += k == i ? 0 : squares[k].at[j];
        }
        double bound_along = bound_by(along, defect), bound_across = bound_by(across, defect);
        most = bound_along < most ? bound_along : most;
        most = bound_across < most ? bound_across : most;
        row.at[j] = interval_intersect(row.at[j], interval_of(-most, most));
    }
    return row;
}

#include "geometry/motion/interval_rows.h"

const struct interval_kernels interval_kernels_scalar = {multiply_rows, trajectory_pose, use_unit_length};
