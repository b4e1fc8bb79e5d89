/* Buckets of one body and the levels above them. See bucket_grid.h.
 *
 * Ganovelli, Dingliana, O'Sullivan: BucketTree, SCCG 2000; Erleben, Sporring: Collision Detection of Deformable
 * Volumetric Meshes. Instead of lists that are cleared by time stamps, buckets are counted, summed up and filled anew
 * in every step.
 */
#include "structures/grid/bucket_grid.h"

#include <math.h>

/* ---- lattice ----------------------------------------------------------------------------------------------------- */

/* Extents below this are one bucket: 1 / edge must stay finite. */
#define SMALLEST_EXTENT 1e-30

static void count_axis(struct bucket_lattice *lattice, int axis, double buckets)
{
    double extent = (double)lattice->hi[axis] - (double)lattice->lo[axis];
    buckets = buckets < BUCKETS_PER_AXIS_MAX - 1 ? buckets : BUCKETS_PER_AXIS_MAX - 1;
    lattice->inverse[axis] = extent > SMALLEST_EXTENT && buckets > 0 ? (float)(buckets / extent) : 0;
    lattice->last[axis] = BUCKETS_PER_AXIS_MAX - 1;
    lattice->count[axis] = bucket_by_product(lattice, axis, lattice->hi[axis]) + 1;
    lattice->last[axis] = (float)(lattice->count[axis] - 1);
}

void bucket_lattice_finish(struct bucket_lattice *lattice, const double buckets[3], uint64_t most)
{
    double wanted[3];
    for (int axis = 0; axis < 3; axis++) {
        wanted[axis] = buckets[axis];
        count_axis(lattice, axis, wanted[axis]);
    }
    while ((uint64_t)lattice->count[0] * lattice->count[1] * lattice->count[2] > most) {
        int axis = lattice->count[0] >= lattice->count[1] ? 0 : 1;
        axis = lattice->count[axis] >= lattice->count[2] ? axis : 2;
        if (lattice->count[axis] == 1) {
            break;
        }
        wanted[axis] = lattice->count[axis] > 2 ? wanted[axis] / 2 : 0;
        count_axis(lattice, axis, wanted[axis]);
    }
    uint32_t longest = 1;
    for (int axis = 0; axis < 3; axis++) {
        longest = lattice->count[axis] > longest ? lattice->count[axis] : longest;
    }
    lattice->level_count = 1;
    while ((longest - 1) >> (lattice->level_count - 1) > 0) {
        lattice->level_count++;
    }
}

uint32_t bucket_by_intervals(const struct bucket_lattice *lattice, int axis, float value)
{
    const float *begin = lattice->intervals[axis];
    uint32_t last = lattice->count[axis] - 1, bucket = 0;
    if (lattice->uneven) {
        for (uint32_t left = last; left > 0;) { /* the last bucket that begins at or before the value */
            uint32_t half = (left + 1) / 2;
            bool beyond = value < begin[bucket + half];
            bucket += beyond ? 0 : half;
            left = beyond ? half - 1 : left - half;
        }
        return bucket;
    }
    bucket = bucket_by_product(lattice, axis, value);
    while (bucket > 0 && value < begin[bucket]) {
        bucket--;
    }
    while (bucket < last && value >= begin[bucket + 1]) {
        bucket++;
    }
    return bucket;
}

void bucket_lattice_intervals(const struct bucket_lattice *lattice, int axis, float *intervals)
{
    double edge = lattice->inverse[axis] > 0 ? 1 / (double)lattice->inverse[axis] : 0;
    uint32_t count = lattice->count[axis];
    for (uint32_t i = 0; i < count; i++) {
        intervals[i] = (float)((double)lattice->lo[axis] + (double)i * edge); /* multiplied, not added up */
    }
    intervals[count] = lattice->hi[axis];
}

/* ---- entries ----------------------------------------------------------------------------------------------------- */

void bucket_set_layout(struct bucket_set *set, const struct bucket_lattice *lattice, bool points)
{
    uint32_t sum = 0;
    *set = (struct bucket_set){.points = points};
    for (uint32_t level = 0; level < lattice->level_count; level++) {
        set->offset[level] = sum;
        sum += buckets_at(lattice, 0, level) * buckets_at(lattice, 1, level) * buckets_at(lattice, 2, level);
    }
    set->key_count = sum;
}

uint32_t bucket_owner(const struct bucket_set *set, const struct bucket_lattice *lattice,
                      const struct bucket_range *range, uint32_t *key)
{
    uint32_t level = 0;
    for (int axis = 0; axis < 3; axis++) {
        while ((range->last[axis] >> level) - (range->first[axis] >> level) > 1) {
            level++;
        }
    }
    *key = bucket_key(set, lattice, level, range->first);
    return level;
}

void bucket_set_sum(struct bucket_set *set, uint32_t first)
{
    uint32_t sum = first;
    set->squares = 0;
    for (uint32_t key = 0; key < set->key_count; key++) {
        set->squares += (uint64_t)set->start[key] * set->start[key];
        sum += set->start[key];
        set->start[key] = sum;
    }
    set->start[set->key_count] = sum;
}

/* Notes in the nodes of `level` what lies below them. */
static void lift_flags(struct bucket_set *set, const struct bucket_lattice *lattice, uint32_t level)
{
    uint32_t below = level - 1;
    const uint8_t *child = set->any + set->offset[below];
    uint32_t count_x = buckets_at(lattice, 0, below);
    for (uint32_t z = 0; z < buckets_at(lattice, 2, below); z++) {
        for (uint32_t y = 0; y < buckets_at(lattice, 1, below); y++, child += count_x) {
            uint8_t *parent =
                set->any + set->offset[level] +
                ((size_t)(z >> 1) * buckets_at(lattice, 1, level) + (y >> 1)) * buckets_at(lattice, 0, level);
            for (uint32_t x = 0; x < count_x; x++) {
                parent[x >> 1] |= child[x];
            }
        }
    }
}

void bucket_set_finish(struct bucket_set *set, const struct bucket_lattice *lattice)
{
    for (uint32_t key = 0; key < set->key_count; key++) {
        set->any[key] = set->start[key + 1] != set->start[key];
    }
    for (uint32_t level = 0; level < lattice->level_count; level++) {
        uint32_t end = level + 1 < lattice->level_count ? set->offset[level + 1] : set->key_count;
        set->own[level] = set->start[end] - set->start[set->offset[level]];
        if (level > 0) {
            lift_flags(set, lattice, level);
        }
    }
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

/* The nodes of a level that may hold an entry meeting the range. */
static inline void nodes_of_level(const struct bucket_set *set, const struct bucket_range *range, uint32_t level,
                                  uint32_t first[3], uint32_t last[3])
{
    for (int axis = 0; axis < 3; axis++) {
        first[axis] = range->first[axis] >> level;
        first[axis] -= !set->points && first[axis] > 0;
        last[axis] = range->last[axis] >> level;
    }
}

static inline uint32_t row_key(const struct bucket_set *set, const struct bucket_lattice *lattice, uint32_t level,
                               uint32_t y, uint32_t z)
{
    return set->offset[level] + (z * buckets_at(lattice, 1, level) + y) * buckets_at(lattice, 0, level);
}

bool bucket_set_any(const struct bucket_set *set, const struct bucket_lattice *lattice,
                    const struct bucket_range *range)
{
    uint32_t level = 0, first[3], last[3];
    for (int axis = 0; axis < 3; axis++) {
        while ((range->last[axis] >> level) - (range->first[axis] >> level) > 1) {
            level++;
        }
    }
    nodes_of_level(set, range, level, first, last);
    for (uint32_t z = first[2]; z <= last[2]; z++) {
        for (uint32_t y = first[1]; y <= last[1]; y++) {
            const uint8_t *row = set->any + row_key(set, lattice, level, y, z);
            for (uint32_t x = first[0]; x <= last[0]; x++) {
                if (row[x]) {
                    return true;
                }
            }
        }
    }
    for (level++; level < lattice->level_count; level++) {
        nodes_of_level(set, range, level, first, last);
        for (uint32_t z = first[2]; z <= last[2] && set->own[level]; z++) {
            for (uint32_t y = first[1]; y <= last[1]; y++) {
                uint32_t row = row_key(set, lattice, level, y, z);
                if (set->start[row + first[0]] != set->start[row + last[0] + 1]) {
                    return true;
                }
            }
        }
    }
    return false;
}

struct look_up {
    const struct bucket_set *set;
    const struct packet_kernels *kernels;
    struct grid_window window;
    uint32_t *list, listed;
    bucket_list_function *function;
    void *data;
    struct bucket_counters *counters;
};

static inline void scan(struct look_up *look_up, uint32_t begin, uint32_t end)
{
    look_up->counters->entries += end - begin;
    while (begin < end) {
        uint32_t room = BUCKET_LIST_MAX - look_up->listed;
        uint32_t stop = end - begin > room ? begin + room : end;
        look_up->listed += look_up->kernels->scan_row(look_up->set->columns, begin, stop, &look_up->window, true,
                                                      look_up->list + look_up->listed);
        begin = stop;
        if (BUCKET_LIST_MAX - look_up->listed < 16) {
            look_up->function(look_up->data, look_up->list, look_up->listed);
            look_up->listed = 0;
        }
    }
}

/* A row costs about as much as ROW_COST entries. */
enum { ROW_COST = 16 };

static void look_up_level(struct look_up *look_up, const struct bucket_lattice *lattice,
                          const struct bucket_range *range, uint32_t level)
{
    const struct bucket_set *set = look_up->set;
    uint32_t first[3], last[3];
    nodes_of_level(set, range, level, first, last);
    uint64_t rows = (uint64_t)(last[1] - first[1] + 1) * (last[2] - first[2] + 1);
    if (rows > 1 && rows * ROW_COST > set->own[level]) {
        uint32_t begin = set->start[set->offset[level]];
        scan(look_up, begin, begin + set->own[level]);
        return;
    }
    look_up->counters->rows += rows;
    for (uint32_t z = first[2]; z <= last[2]; z++) {
        for (uint32_t y = first[1]; y <= last[1]; y++) {
            uint32_t row = row_key(set, lattice, level, y, z);
            scan(look_up, set->start[row + first[0]], set->start[row + last[0] + 1]);
        }
    }
}

void bucket_set_look_up(const struct bucket_set *set, const struct bucket_lattice *lattice,
                        const struct packet_kernels *kernels, const float *lo, const float *hi,
                        uint32_t list[BUCKET_LIST_ROOM], bucket_list_function *function, void *data,
                        struct bucket_counters *counters)
{
    struct look_up look_up = {
        .set = set, .kernels = kernels, .list = list, .function = function, .data = data, .counters = counters};
    struct bucket_range range = bucket_range_of(lattice, lo, hi);
    for (int axis = 0; axis < 3; axis++) {
        look_up.window.lo[axis] = lo[axis];
        look_up.window.hi[axis] = hi[axis];
    }
    for (uint32_t level = 0; level < lattice->level_count; level++) {
        if (set->own[level]) {
            look_up_level(&look_up, lattice, &range, level);
        }
    }
    if (look_up.listed) {
        function(data, list, look_up.listed);
    }
}
