/* A spatial hash of points or boxes: cells of one size per level, entries sorted by slot into one dense array.
 *
 * An entry lies once in the grid: in the cell of its lower corner, on the level of its size. A window is looked up
 * level by level, widened below by the largest entry of the level, row by row of cells: slots of cells that follow each
 * other along x follow each other in the table, slot(i, j, k) = (row(j, k) + i) mod n, so a row of cells is one stretch
 * of entries (two at the end of the table). The row of every entry is kept and compared exactly, so clashes of the hash
 * are never seen and an entry is met at most once in a look-up.
 *
 * A level below others is also kept in up to GRID_COARSER_MAX coarser tables of the same entries, each of cells four
 * times as wide: elements far larger than those of the level look there, and meet a few cells instead of thousands of
 * rows.
 *
 * When the cells of a level's box number at most a few times its entries, row(j, k) counts them and there are no
 * clashes; otherwise it is the hash of Teschner et al. 2003 without its first term. A window of more rows than a scan
 * of the whole level would cost is answered by that scan: look-ups are bounded whatever the window, memory (about 40
 * bytes an entry and table, 4 a slot) whatever the coordinates.
 */
#ifndef DENT_STRUCTURES_HASH_GRID_H
#define DENT_STRUCTURES_HASH_GRID_H

#include "base/arena.h"
#include "structures/grid/kernels/packet_kernels.h"

enum { GRID_LEVELS_MAX = 16, GRID_COARSER_MAX = 5 };

/* How cells become slots of a table. */
enum grid_addressing {
    GRID_COUNTED_IF_FEW = 0, /* counted if the cells are a few times the entries, otherwise hashed */
    GRID_COUNTED,            /* cells grow until they are that few */
    GRID_HASHED
};

/* What goes in: lower and upper corner of entry e at lo + e * stride, hi + e * stride (three floats each, in [-1, 1]).
 */
struct grid_input {
    const void *lo, *hi;
    size_t stride;
    const uint32_t *numbers; /* which entries; null: 0 to count - 1 */
    uint32_t count;
    const int16_t *octaves; /* size of entry e: below 2^(octaves[e] + octave_shift); null: by its box */
    int octave_shift;
    double cell_size; /* of the finest level; 0: cell_ratio times the mean size */
    double cell_ratio;
    uint32_t table_size;  /* slots of a level; 0: automatic */
    uint32_t level_limit; /* 1 to GRID_LEVELS_MAX */
    enum grid_addressing addressing;
    bool mixed_hash;       /* another hash than that of Teschner et al.: a multiplicative mix */
    double cell_offset[3]; /* the lattice begins this fraction of a cell, in [0, 1), before the lowest entry */
};

/* A table of the entries of a level. */
struct grid_level {
    double inverse_cell;
    float lo[3], hi[3]; /* of the lower corners of its entries */
    double reach[3];    /* largest box edge along each axis, rounded up */
    int32_t cells[3];
    uint32_t slots;
    bool counted;          /* row(j, k) counts the cells: no clashes */
    bool mixed_hash;
    uint32_t first, count; /* its entries */
    uint32_t *start;       /* slots + 1 */
};

struct hash_grid {
    uint32_t level_count;
    struct grid_level levels[GRID_LEVELS_MAX];
    struct grid_level coarser[GRID_LEVELS_MAX][GRID_COARSER_MAX];
    uint32_t coarser_count[GRID_LEVELS_MAX];
    struct grid_columns columns;
    uint32_t count;
};

/* The cell of a table that a number not below level->lo lies in. */
static inline int32_t hash_grid_cell(const struct grid_level *level, int axis, double x)
{
    return (int32_t)((x - (double)level->lo[axis]) * level->inverse_cell); /* never negative: truncation is floor */
}

/* False when memory runs out. Memory from `arena`; `scratch` may be the same. */
bool hash_grid_build(struct hash_grid *grid, const struct grid_input *input, struct arena *arena);

/* Called with lists of at most GRID_LIST_MAX numbers of entries. */
typedef void grid_list_function(void *data, const uint32_t *list, uint32_t count);

enum { GRID_LIST_MAX = 1024, GRID_LIST_ROOM = GRID_LIST_MAX + 16 };

struct grid_counters {
    uint64_t rows, entries;
};

/* Every entry whose box meets [lo, hi] exactly once. */
void hash_grid_look_up(const struct hash_grid *grid, const struct packet_kernels *kernels, const float lo[3],
                       const float hi[3], uint32_t list[GRID_LIST_ROOM], grid_list_function *function, void *data,
                       struct grid_counters *counters);

#endif
