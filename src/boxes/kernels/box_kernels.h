/* Sixteen boxes at a time against one, behind the kernel table: filling packets, joining leaves, windows and segments.
 *
 * A forest has a tree for each class of sizes, finest first. A leaf is a packet of sixteen boxes, a node a packet of the
 * boxes of sixteen leaves or nodes. Boxes are closed floats; a comparison is exact. Lanes without a box hold an empty one,
 * lo infinite and hi the opposite, which meets nothing.
 */
#ifndef DENT_BOXES_BOX_KERNELS_H
#define DENT_BOXES_BOX_KERNELS_H

#include "simd/kernel_choice.h"

#include <dent/base.h>

/* A box in floats. Absent: lo is infinite, hi the opposite. The fourth numbers are 0. */
struct box_record {
    _Alignas(32) float lo[4];
    float hi[4];
};

/* Pairs of indices on their way out, in any order; each pair comes once. `flush` empties the buffer. */
enum { PAIRS_BUFFERED = 2048, PAIRS_AT_ONCE = 256 };
struct pair_buffer {
    uint32_t count;
    uint64_t tests; /* of one box against up to sixteen */
    void (*flush)(struct pair_buffer *buffer);
    void *data;
    uint32_t block;
    uint32_t a[PAIRS_BUFFERED + 16], b[PAIRS_BUFFERED + 16];
};

/* Room for PAIRS_AT_ONCE more. */
static inline void pair_buffer_make_room(struct pair_buffer *buffer)
{
    if (buffer->count > PAIRS_BUFFERED - PAIRS_AT_ONCE) {
        buffer->flush(buffer);
    }
}

/* Boxes one behind the other in columns, with sixteen numbers more that may be read. With `owned`, boxes lie in several
 * runs: a pair, or a box that meets a window, is taken in the run whose cell [cell_lo, cell_hi) holds the larger of the
 * two lower corners. */
struct box_run {
    const float *lo[3], *hi[3];
    const uint32_t *indices;
    uint32_t count;
    bool owned;
    float cell_lo[3], cell_hi[3];
};

enum { BOX_LANES = 16, BOX_LEVELS_MOST = 8, BOX_CLASSES_MOST = 14 }; /* 16^8 leaves are more than 2^31 */

struct box_packet {
    _Alignas(64) float lo[3][BOX_LANES];
    float hi[3][BOX_LANES];
};

/* One class: its leaves lie one behind the other. */
struct box_tree16 {
    uint32_t first_leaf, leaf_count;
    uint32_t level_count; /* levels of nodes; 0: no leaves */
    uint32_t node_counts[BOX_LEVELS_MOST];
    struct box_packet *nodes[BOX_LEVELS_MOST]; /* the first level holds the boxes of leaves, the last one node */
};

struct box_forest_view {
    uint32_t class_count;
    struct box_tree16 classes[BOX_CLASSES_MOST];
    struct box_packet *leaves;
    uint32_t *indices; /* sixteen a leaf; UINT32_MAX: no box */
};

enum { BOX_LIST_MOST = 1024, BOX_LIST_ROOM = BOX_LIST_MOST + BOX_LANES };

/* Called with lists of at most BOX_LIST_MOST indices of boxes. */
typedef void box_list_function(void *data, const uint32_t *list, uint32_t count);

/* A segment in the floats of the store, clipped to their bounds. */
struct box_segment {
    float lo[3], hi[3]; /* its box, rounded outward */
    float middle[3], direction[3], size[3]; /* a point of it; its direction, the longest part 1; their amounts */
    float slack;                            /* more than all errors of direction x (middle of a box - point) */
};

struct box_kernels {
    /* Records to lanes, and the box of all of them. */
    void (*fill)(struct box_packet *packet, const struct box_record *const records[BOX_LANES], float lo[3], float hi[3]);
    /* The box of all lanes. */
    void (*bounds)(const struct box_packet *packet, float lo[3], float hi[3]);
    /* Pairs of the boxes below node `node` of the first level of a class with one another, with those below later nodes,
     * and with those of coarser classes. */
    void (*join)(const struct box_forest_view *forest, uint32_t tree, uint32_t node, struct pair_buffer *out);
    /* Boxes that meet a window. Returns how many packets were tested. */
    uint64_t (*window)(const struct box_forest_view *forest, const float lo[3], const float hi[3],
                       uint32_t list[BOX_LIST_ROOM], box_list_function *function, void *data);
    /* Boxes that may meet a segment. */
    uint64_t (*segment)(const struct box_forest_view *forest, const struct box_segment *segment,
                        uint32_t list[BOX_LIST_ROOM], box_list_function *function, void *data);
    /* Pairs of the boxes of a run with one another. */
    void (*join_run)(const struct box_run *run, struct pair_buffer *out);
    /* Pairs of each box of a run with those of another. */
    void (*join_runs)(const struct box_run *a, const struct box_run *b, struct pair_buffer *out);
    /* Boxes of a run that meet a window; `list` has room for count + 16. */
    uint32_t (*scan_run)(const struct box_run *run, const float lo[3], const float hi[3], uint32_t *list);
};

extern const struct box_kernels box_kernels_scalar;
#if defined(__x86_64__)
extern const struct box_kernels box_kernels_avx2;
extern const struct box_kernels box_kernels_avx512;
#endif

static inline const struct box_kernels *box_kernels_for(dent_isa isa)
{
    return KERNELS_FOR(isa, box_kernels_scalar, box_kernels_avx2, box_kernels_avx512);
}

#endif
