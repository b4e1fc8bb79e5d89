/* The arithmetic of interval_kernels.h on rows.
 *
 * The includer has defined struct row, four intervals, and: row_load, row_store (row i of a pose), row_of (the same
 * interval four times), row_numbers (three numbers as intervals, and 0), row_add, row_subtract, row_multiply as in
 * interval.h, row_columns (three rows to three columns), row_put_translation; and for use_unit_length: struct
 * square_row, row_squares, row_clip. */
#ifndef DENT_GEOMETRY_INTERVAL_ROWS_H
#define DENT_GEOMETRY_INTERVAL_ROWS_H

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
    struct row sum = row_add(row_numbers(trajectory->origin),
                             row_multiply(row_of(phase->t), row_numbers(trajectory->velocity)));
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
    struct square_row squares[3] = {row_squares(rows[0]), row_squares(rows[1]), row_squares(rows[2])};
    for (int i = 0; i < 3; i++) {
        row_store(row_clip(rows[i], squares, i, defect), pose, i);
    }
}

#endif
