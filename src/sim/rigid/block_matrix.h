/* Symmetric matrices of 6 x 6 blocks, one row of blocks per rigid body, and their sparse Cholesky factors.
 *
 *   in    which pairs of rows have a block, and the blocks
 *   out   x of A x = b, by conjugate gradients preconditioned with a factor of A or of a matrix that A has changed from
 *
 * A complete factor makes one or two iterations of it, which refine the result; an old one a few more; and where a
 * complete factor would be too large, an incomplete one serves. Every sum has a fixed order: the bits depend on the
 * input alone. */
#ifndef DENT_SIM_BLOCK_MATRIX_H
#define DENT_SIM_BLOCK_MATRIX_H

#include "sim/model/sim_model.h"

enum { BLOCK_ROWS = 6, BLOCK_SIZE = 36 };

/* One entry of the lists of a pattern: the pair (low, high) of rows, low < high. */
struct block_pair {
    uint32_t low, high;
};

/* Room that all patterns of a call share; they name their parts of it by where they begin. Grows, never shrinks. */
struct block_room {
    uint32_t *numbers; /* orders, starts, rows */
    uint64_t number_count, number_capacity;
    double *values; /* blocks and vectors */
    uint64_t value_count, value_capacity;
    uint64_t *bits; /* scratch of the ordering */
    uint64_t bit_capacity;
};

struct block_matrix {
    uint32_t count, pair_count;
    const struct block_pair *pairs; /* ascending, without repetition */
    bool complete;
    /* where its parts begin in the room: */
    uint64_t place, starts, rows; /* numbers: row -> place of elimination; columns of the factor; their rows */
    uint64_t diagonal, off, lower, l_diagonal, work; /* values */
    uint64_t fill;                                   /* blocks of the factor below its diagonal */
    bool factored;
};

/* Chooses the order of elimination and reserves room for the matrix. Serial; the room may move while it grows. */
dent_status block_matrix_plan(dent_context *context, struct block_room *room, const struct block_pair *pairs,
                              uint32_t pair_count, uint32_t count, struct block_matrix *matrix);
void block_room_clear(struct block_room *room);
void block_room_release(dent_context *context, struct block_room *room);

/* The blocks, to be filled in: 36 numbers by rows. Pair p is the block in row low and column high. */
static inline double *block_diagonal(const struct block_room *room, const struct block_matrix *matrix, uint32_t row)
{
    return room->values + matrix->diagonal + (uint64_t)BLOCK_SIZE * row;
}

static inline double *block_off(const struct block_room *room, const struct block_matrix *matrix, uint32_t pair)
{
    return room->values + matrix->off + (uint64_t)BLOCK_SIZE * pair;
}

void block_matrix_clear(const struct block_room *room, const struct block_matrix *matrix); /* all blocks 0 */
/* x of A x = b to 1e-8 of b in the norm of A; factors A where there is no factor yet or the last one is too old.
 * Returns the iterations. 6 numbers per row. */
uint32_t block_matrix_solve(const struct block_room *room, struct block_matrix *matrix, const double *b, double *x);

#endif
