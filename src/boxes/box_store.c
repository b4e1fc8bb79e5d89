/* Reading boxes. See box_store.h. Two passes: the first checks and measures, the second cannot fail and writes. */
#include "boxes/box_store.h"

#include "boxes/four_floats.h"
#include "geometry/numbers/bounds.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define BOXES_MOST (UINT32_C(1) << 31)

enum { BOXES_A_BLOCK = 256 };

void box_store_init(struct box_store *store, dent_context *context)
{
    *store = (struct box_store){.context = context, .exact = true, .fresh = true, .scaling = {1.0, 1.0}};
    array_init(&store->records, context, sizeof(struct box_record));
    array_init(&store->next_records, context, sizeof(struct box_record));
    array_init(&store->corners, context, sizeof(struct box_corners));
    array_init(&store->groups, context, sizeof(uint32_t));
    array_init(&store->masks, context, sizeof(uint32_t));
    array_init(&store->moved, context, sizeof(uint32_t));
}

void box_store_destroy(struct box_store *store)
{
    array_destroy(&store->records);
    array_destroy(&store->next_records);
    array_destroy(&store->corners);
    array_destroy(&store->groups);
    array_destroy(&store->masks);
    array_destroy(&store->moved);
}

/* ---- the caller's list ------------------------------------------------------------------------------------------- */

static size_t list_stride(const dent_box_list *list)
{
    return list->stride ? list->stride : 6 * (list->scalar == DENT_SCALAR_DOUBLE ? sizeof(double) : sizeof(float));
}

static inline struct box_corners read_doubles(const char *lo, const char *hi)
{
    struct box_corners box;
    memcpy(box.lo, lo, sizeof box.lo);
    memcpy(box.hi, hi, sizeof box.hi);
    return box;
}

static inline struct box_corners read_floats(const char *lo, const char *hi)
{
    float low[3], high[3];
    struct box_corners box;
    memcpy(low, lo, sizeof low);
    memcpy(high, hi, sizeof high);
    for (int axis = 0; axis < 3; axis++) {
        box.lo[axis] = low[axis];
        box.hi[axis] = high[axis];
    }
    return box;
}

struct box_corners box_list_read(const dent_box_list *list, uint32_t index)
{
    size_t at = (size_t)index * list_stride(list);
    const char *lo = (const char *)list->lo + at, *hi = (const char *)list->hi + at;
    return list->scalar == DENT_SCALAR_DOUBLE ? read_doubles(lo, hi) : read_floats(lo, hi);
}

static dent_status fail_box(dent_context *context, const char *what, uint32_t index, const char *corner, int axis,
                            const char *why)
{
    return dent_fail(context, DENT_ERROR_BAD_NUMBER, "%s %u: %s %c is %s", what, (unsigned)index, corner, "xyz"[axis],
                     why);
}

/* Names the first number that is refused. */
static dent_status check_box(dent_context *context, const struct box_corners *box, uint32_t index, const char *what)
{
    bool present = corners_present(box);
    for (int k = 0; k < 6; k++) {
        double x = k < 3 ? box->lo[k] : box->hi[k - 3];
        if (isnan(x) || (present && isinf(x))) {
            return fail_box(context, what, index, k < 3 ? "lo" : "hi", k % 3, isnan(x) ? "not a number" : "infinite");
        }
    }
    return DENT_OK;
}

/* What the first pass finds: bounds of the boxes that are present. */
struct list_measure {
    double lo[3], hi[3];
    uint32_t present;
    bool bad; /* NaN somewhere */
};

/* One text for floats and doubles: minima and maxima need no widening. Infinity in a box that is present shows in the
 * bounds. */
#define MEASURE_LIST(name, number)                                                                                     \
    static void name(const dent_box_list *list, uint32_t count, struct list_measure *measure)                          \
    {                                                                                                                  \
        size_t stride = list_stride(list);                                                                             \
        const char *at_lo = list->lo, *at_hi = list->hi;                                                               \
        number least[3] = {(number)INFINITY, (number)INFINITY, (number)INFINITY};                                      \
        number most[3] = {-(number)INFINITY, -(number)INFINITY, -(number)INFINITY};                                    \
        for (uint32_t i = 0; i < count; i++, at_lo += stride, at_hi += stride) {                                       \
            number lo[3], hi[3];                                                                                       \
            memcpy(lo, at_lo, sizeof lo);                                                                              \
            memcpy(hi, at_hi, sizeof hi);                                                                              \
            if (lo[0] <= hi[0] && lo[1] <= hi[1] && lo[2] <= hi[2]) {                                                  \
                measure->present++;                                                                                    \
                for (int axis = 0; axis < 3; axis++) {                                                                 \
                    least[axis] = lo[axis] < least[axis] ? lo[axis] : least[axis];                                     \
                    most[axis] = hi[axis] > most[axis] ? hi[axis] : most[axis];                                        \
                }                                                                                                      \
            } else {                                                                                                   \
                for (int axis = 0; axis < 3; axis++) {                                                                 \
                    measure->bad = measure->bad || isnan(lo[axis]) || isnan(hi[axis]);                                 \
                }                                                                                                      \
            }                                                                                                          \
        }                                                                                                              \
        for (int axis = 0; axis < 3; axis++) {                                                                         \
            measure->lo[axis] = least[axis];                                                                           \
            measure->hi[axis] = most[axis];                                                                            \
        }                                                                                                              \
    }

MEASURE_LIST(measure_some_floats, float)
MEASURE_LIST(measure_doubles, double)

/* Where all boxes of a block are present, four numbers at a time; the other blocks one by one. */
static void measure_floats(const dent_box_list *list, uint32_t count, struct list_measure *measure)
{
    size_t stride = list_stride(list);
    struct list_measure block;
    for (int axis = 0; axis < 3; axis++) {
        measure->lo[axis] = INFINITY;
        measure->hi[axis] = -INFINITY;
    }
    for (uint32_t begin = 0, end; begin < count; begin = end) {
        end = count - begin < BOXES_A_BLOCK ? count : begin + BOXES_A_BLOCK;
        dent_box_list part = *list;
        part.lo = (const char *)list->lo + begin * stride;
        part.hi = (const char *)list->hi + begin * stride;
        struct four_bounds bounds;
        block.present = end - begin;
        if (stride < sizeof(struct float_corner) || end == count || !four_bounds_of(part.lo, part.hi, stride, end - begin, &bounds)) {
            block = (struct list_measure){.present = 0};
            measure_some_floats(&part, end - begin, &block);
            measure->bad = measure->bad || block.bad;
        } else {
            for (int axis = 0; axis < 3; axis++) {
                block.lo[axis] = bounds.lo[axis];
                block.hi[axis] = bounds.hi[axis];
            }
        }
        measure->present += block.present;
        for (int axis = 0; axis < 3; axis++) {
            measure->lo[axis] = block.lo[axis] < measure->lo[axis] ? block.lo[axis] : measure->lo[axis];
            measure->hi[axis] = block.hi[axis] > measure->hi[axis] ? block.hi[axis] : measure->hi[axis];
        }
    }
}

static dent_status measure_list(dent_context *context, const dent_box_list *list, uint32_t count, const char *what,
                                struct list_measure *measure)
{
    *measure = (struct list_measure){.present = 0};
    if (count >= BOXES_MOST) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "%u %ss are too many: less than 2^31 expected", (unsigned)count,
                         what);
    }
    if (count > 0 && (!list->lo || !list->hi)) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%u %ss, but their corners are null", (unsigned)count,
                         what);
    }
    if (list->scalar != DENT_SCALAR_DOUBLE && list->scalar != DENT_SCALAR_FLOAT) {
        return dent_fail(context, DENT_ERROR_INVALID_ARGUMENT, "%ss: unknown scalar type %d", what, (int)list->scalar);
    }
    (list->scalar == DENT_SCALAR_DOUBLE ? measure_doubles : measure_floats)(list, count, measure);
    bool infinite = false;
    for (int axis = 0; axis < 3 && measure->present > 0; axis++) {
        infinite = infinite || isinf(measure->lo[axis]) || isinf(measure->hi[axis]);
    }
    dent_status status = DENT_OK;
    for (uint32_t i = 0; i < count && (infinite || measure->bad) && status == DENT_OK; i++) {
        struct box_corners box = box_list_read(list, i);
        status = check_box(context, &box, i, what);
    }
    return status;
}

dent_status box_list_check(dent_context *context, const dent_box_list *list, uint32_t count, const char *what)
{
    struct list_measure measure;
    return measure_list(context, list, count, what, &measure);
}

/* ---- the map ----------------------------------------------------------------------------------------------------- */

static bool map_holds(const struct box_store *store, const struct list_measure *measure, double *reach)
{
    *reach = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double lo = box_scale(store->scaling, measure->lo[axis] - store->centre[axis]);
        double hi = box_scale(store->scaling, measure->hi[axis] - store->centre[axis]);
        *reach = fmax(*reach, fmax(fabs(lo), fabs(hi)));
    }
    return *reach <= 1.0;
}

/* Chooses another map unless the one before still serves. Returns whether it changed. */
static bool choose_map(struct box_store *store, const struct list_measure *measure)
{
    double reach, extent = 0.0, largest = 0.0;
    if (measure->present == 0 || (!store->fresh && map_holds(store, measure, &reach) && reach >= 0.125)) {
        return false;
    }
    for (int axis = 0; axis < 3; axis++) {
        extent = fmax(extent, 0.5 * measure->hi[axis] - 0.5 * measure->lo[axis]);
        largest = fmax(largest, fmax(fabs(measure->lo[axis]), fabs(measure->hi[axis])));
    }
    bool centred = extent < 0.125 * largest;
    double from_centre = 0.0;
    for (int axis = 0; axis < 3; axis++) {
        double middle = 0.5 * measure->lo[axis] + 0.5 * measure->hi[axis];
        store->centre[axis] = centred ? middle : 0.0;
        from_centre = fmax(from_centre, fmax(measure->hi[axis] - store->centre[axis],
                                             store->centre[axis] - measure->lo[axis]));
    }
    /* room for motion before the map has to change: twice the reach */
    double reach_wanted = centred ? from_centre : largest;
    store->scaling = box_scaling_for(reach_wanted < DBL_MAX / 4 ? 1.5 * reach_wanted : reach_wanted);
    return true;
}

static inline float map_below(const struct box_store *store, int axis, double x, bool *exact)
{
    double moved = x - store->centre[axis], scaled = box_scale(store->scaling, moved);
    float mapped = float_below(scaled, moved);
    *exact = *exact && (double)mapped == scaled && store->centre[axis] == 0.0;
    return mapped;
}

static inline float map_above(const struct box_store *store, int axis, double x, bool *exact)
{
    double moved = x - store->centre[axis], scaled = box_scale(store->scaling, moved);
    float mapped = float_above(scaled, moved);
    *exact = *exact && (double)mapped == scaled && store->centre[axis] == 0.0;
    return mapped;
}

struct box_record box_store_map(const struct box_store *store, const double lo[3], const double hi[3], bool *exact)
{
    struct box_record record = {{0}, {0}};
    for (int axis = 0; axis < 3; axis++) {
        record.lo[axis] = map_below(store, axis, lo[axis], exact);
        record.hi[axis] = map_above(store, axis, hi[axis], exact);
    }
    return record;
}

struct box_corners box_store_corners(const struct box_store *store, uint32_t index)
{
    if (!store->exact) {
        return ((const struct box_corners *)store->corners.data)[index];
    }
    const struct box_record *record = &box_store_records(store)[index];
    struct box_corners box;
    for (int axis = 0; axis < 3; axis++) { /* back by the inverse powers of two: exact */
        box.lo[axis] = (double)record->lo[axis] / store->scaling.second / store->scaling.first;
        box.hi[axis] = (double)record->hi[axis] / store->scaling.second / store->scaling.first;
    }
    return box;
}

/* ---- the second pass --------------------------------------------------------------------------------------------- */

static const struct box_record absent_record = {{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};

/* Where the second pass writes: beside the records before, which stay until nothing can fail any more. */
struct list_writer {
    const struct box_store *map;
    const struct box_record *old; /* null: nothing to compare with */
    struct box_record *records;
    uint32_t *moved, moved_count;
    float lo[3], hi[3];
    double edge_sum;
    bool exact;
};

static void writer_begin(struct list_writer *writer)
{
    writer->moved_count = 0;
    writer->edge_sum = 0.0;
    writer->exact = true;
    float_bounds_clear(writer->lo, writer->hi);
}

static inline void write_record(struct list_writer *writer, uint32_t index, struct box_record record)
{
    if (writer->old) {
        writer->moved[writer->moved_count] = index;
        writer->moved_count += memcmp(&writer->old[index], &record, sizeof record) != 0;
    }
    writer->records[index] = record;
}

static inline void measure_record(struct list_writer *writer, const struct box_record *record)
{
    float edge = record->hi[0] - record->lo[0];
    for (int axis = 0; axis < 3; axis++) {
        writer->lo[axis] = record->lo[axis] < writer->lo[axis] ? record->lo[axis] : writer->lo[axis];
        writer->hi[axis] = record->hi[axis] > writer->hi[axis] ? record->hi[axis] : writer->hi[axis];
        edge = record->hi[axis] - record->lo[axis] > edge ? record->hi[axis] - record->lo[axis] : edge;
    }
    writer->edge_sum += (double)edge;
}

/* Boxes that are all present, four numbers at a time. False as below. */
static bool write_present(struct list_writer *writer, const char *at_lo, const char *at_hi, size_t stride, uint32_t begin,
                          uint32_t end, float factor)
{
    const four_floats factors = {factor, factor, factor, 0.0f};
    four_floats low = four_set(INFINITY), high = four_set(-INFINITY);
    four_ints rounded = {0, 0, 0, 0};
    double edge_sum = writer->edge_sum;
    uint32_t moved_count = writer->moved_count;
    for (uint32_t i = begin; i < end; i++, at_lo += stride, at_hi += stride) {
        four_floats given_lo = four_load(at_lo), given_hi = four_load(at_hi), lo = given_lo * factors, hi = given_hi * factors;
        rounded |= four_rounded(given_lo, lo) | four_rounded(given_hi, hi);
        low = four_least(low, lo);
        high = four_most(high, hi);
        four_floats edges = hi - lo;
        float edge = edges[1] > edges[0] ? edges[1] : edges[0];
        edge_sum += (double)(edges[2] > edge ? edges[2] : edge);
        if (writer->old) {
            writer->moved[moved_count] = i;
            moved_count += four_differ(&writer->old[i], lo, hi);
        }
        memcpy(writer->records[i].lo, &lo, sizeof lo);
        memcpy(writer->records[i].hi, &hi, sizeof hi);
    }
    writer->edge_sum = edge_sum;
    writer->moved_count = moved_count;
    for (int axis = 0; axis < 3; axis++) {
        writer->lo[axis] = low[axis] < writer->lo[axis] ? low[axis] : writer->lo[axis];
        writer->hi[axis] = high[axis] > writer->hi[axis] ? high[axis] : writer->hi[axis];
    }
    return !four_any(rounded);
}

/* Floats whose map is a product with one float. False where a product may have been rounded: it fell below the normal
 * floats. */
static bool write_floats(struct list_writer *writer, const dent_box_list *list, uint32_t count, bool all_present)
{
    double scale = writer->map->scaling.first * writer->map->scaling.second;
    float factor = (float)scale;
    const double *centre = writer->map->centre;
    size_t stride = list_stride(list);
    const char *at_lo = list->lo, *at_hi = list->hi;
    if ((double)factor != scale || centre[0] != 0.0 || centre[1] != 0.0 || centre[2] != 0.0) {
        return false;
    }
    uint32_t done = 0; /* the last one is read alone: behind it there may be nothing */
    if (all_present && count > 1 && stride >= sizeof(struct float_corner)) {
        done = count - 1;
        if (!write_present(writer, at_lo, at_hi, stride, 0, done, factor)) {
            return false;
        }
        at_lo += done * stride;
        at_hi += done * stride;
    }
    for (uint32_t i = done; i < count; i++, at_lo += stride, at_hi += stride) {
        float lo[3], hi[3];
        memcpy(lo, at_lo, sizeof lo);
        memcpy(hi, at_hi, sizeof hi);
        if (!(lo[0] <= hi[0] && lo[1] <= hi[1] && lo[2] <= hi[2])) {
            write_record(writer, i, absent_record);
            continue;
        }
        struct box_record record = {{lo[0] * factor, lo[1] * factor, lo[2] * factor, 0},
                                    {hi[0] * factor, hi[1] * factor, hi[2] * factor, 0}};
        bool rounded = false;
        for (int axis = 0; axis < 3; axis++) {
            rounded |= (fabsf(record.lo[axis]) < FLT_MIN) & (lo[axis] != 0.0f);
            rounded |= (fabsf(record.hi[axis]) < FLT_MIN) & (hi[axis] != 0.0f);
        }
        if (rounded) {
            return false;
        }
        measure_record(writer, &record);
        write_record(writer, i, record);
    }
    return true;
}

static void write_any(struct list_writer *writer, const dent_box_list *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct box_corners box = box_list_read(list, i);
        if (!corners_present(&box)) {
            write_record(writer, i, absent_record);
            continue;
        }
        struct box_record record = box_store_map(writer->map, box.lo, box.hi, &writer->exact);
        measure_record(writer, &record);
        write_record(writer, i, record);
    }
}

/* The doubles, where records are not exact: boxes may move by less than the floats show. */
static void keep_corners(struct box_store *store, const dent_box_list *list, uint32_t count, bool compare)
{
    struct box_corners *corners = store->corners.data;
    uint32_t *moved = store->moved.data, moved_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct box_corners box = box_list_read(list, i);
        if (!corners_present(&box)) {
            bounds_clear(box.lo, box.hi);
        }
        if (compare) {
            moved[moved_count] = i;
            moved_count += memcmp(&corners[i], &box, sizeof box) != 0;
        }
        corners[i] = box;
    }
    store->corners.count = count;
    if (compare) {
        store->moved.count = moved_count;
    }
}

/* ---- filters ----------------------------------------------------------------------------------------------------- */

static bool same_filter(const struct dynamic_array *kept, const uint32_t *given, uint32_t count)
{
    size_t expected = given ? count : 0;
    return kept->count == expected && (expected == 0 || memcmp(kept->data, given, expected * sizeof *given) == 0);
}

static void keep_filter(struct dynamic_array *kept, const uint32_t *given, uint32_t count)
{
    kept->count = given ? count : 0; /* there is room */
    if (given && count > 0) {
        memcpy(kept->data, given, (size_t)count * sizeof *given);
    }
}

/* ---- both -------------------------------------------------------------------------------------------------------- */

static bool make_room(struct box_store *store, const dent_box_list *list, uint32_t count)
{
    return array_reserve(&store->next_records, count) && array_reserve(&store->moved, (size_t)count + 1) &&
           (!list->groups || array_reserve(&store->groups, count)) &&
           (!list->masks || array_reserve(&store->masks, count));
}

/* Nothing fails from here on. */
static void commit(struct box_store *store, const dent_box_list *list, uint32_t count, const struct list_writer *writer,
                   bool comparable)
{
    bool same_filters = same_filter(&store->groups, list->groups, count) && same_filter(&store->masks, list->masks, count);
    struct dynamic_array old = store->records;
    store->records = store->next_records;
    store->next_records = old;
    store->records.count = count;
    store->moved.count = writer->moved_count;
    bool had_corners = store->corners.count == count && comparable;
    if (writer->exact) {
        store->all_moved = !comparable || (!store->exact && count > 0);
        store->corners.count = 0;
    } else {
        keep_corners(store, list, count, had_corners);
        store->all_moved = !had_corners;
    }
    store->exact = writer->exact;
    store->all_moved = store->all_moved || !same_filters;
    if (store->all_moved) {
        store->moved.count = 0;
    }
    keep_filter(&store->groups, list->groups, count);
    keep_filter(&store->masks, list->masks, count);
    store->fresh = false;
    store->edge_sum = writer->edge_sum;
    memcpy(store->lo, writer->lo, sizeof store->lo);
    memcpy(store->hi, writer->hi, sizeof store->hi);
}

/* ---- few boxes changed ------------------------------------------------------------------------------------------- */

/* Is this the number of an exact record? A product that is not 0 and not a normal float may have been rounded. */
static inline bool same_float(float given, float factor, float record)
{
    float product = given * factor;
    return (product == record) & ((fabsf(product) >= FLT_MIN) | (given == 0.0f));
}

/* Does a box of floats have this record? The record is exact. */
static inline bool same_floats(const float lo[3], const float hi[3], float factor, const struct box_record *record)
{
    bool same = true;
    for (int axis = 0; axis < 3; axis++) {
        same &= (int)same_float(lo[axis], factor, record->lo[axis]) & (int)same_float(hi[axis], factor, record->hi[axis]);
    }
    return same;
}

static inline bool same_corners(const struct box_corners *a, const struct box_corners *b)
{
    return (a->lo[0] == b->lo[0]) & (a->lo[1] == b->lo[1]) & (a->lo[2] == b->lo[2]) & (a->hi[0] == b->hi[0]) &
           (a->hi[1] == b->hi[1]) & (a->hi[2] == b->hi[2]);
}

/* Those of the first boxes of a list of floats that differ from their exact records: compares until more than `most` differ.
 * Four bytes behind each of them are read. Returns how many boxes were looked at. */
static uint32_t list_changed_floats(struct box_store *store, const dent_box_list *list, uint32_t count, float factor,
                                    uint32_t most)
{
    const struct box_record *records = store->records.data;
    const four_floats factors = {factor, factor, factor, 0.0f};
    uint32_t *moved = store->moved.data, moved_count = 0, i = 0;
    size_t stride = list_stride(list);
    const char *at_lo = list->lo, *at_hi = list->hi;
    for (; i < count && moved_count <= most; i++, at_lo += stride, at_hi += stride) {
        four_ints changed = four_changed(four_load(at_lo), factors, records[i].lo) |
                            four_changed(four_load(at_hi), factors, records[i].hi);
        uint64_t halves[2];
        memcpy(halves, &changed, sizeof halves);
        moved[moved_count] = i;
        moved_count += (halves[0] | halves[1]) != 0;
    }
    store->moved.count = moved_count;
    return i;
}

/* Lists the boxes that differ from what is stored, and perhaps absent ones; false: more than `most`. */
static bool list_changes(struct box_store *store, const dent_box_list *list, uint32_t count, uint32_t most)
{
    const struct box_record *records = store->records.data;
    const struct box_corners *corners = store->corners.data;
    uint32_t *moved = store->moved.data, done = 0;
    size_t stride = list_stride(list);
    bool wide = list->scalar == DENT_SCALAR_DOUBLE;
    float factor = (float)(store->scaling.first * store->scaling.second);
    store->moved.count = 0;
    if (store->exact && !wide && count > 1 && stride >= sizeof(struct float_corner)) { /* but for the last: see four_floats.h */
        done = list_changed_floats(store, list, count - 1, factor, most);
    }
    uint32_t moved_count = (uint32_t)store->moved.count;
    const char *at_lo = (const char *)list->lo + done * stride, *at_hi = (const char *)list->hi + done * stride;
    for (uint32_t i = done; i < count && moved_count <= most; i++, at_lo += stride, at_hi += stride) {
        bool same;
        if (store->exact && !wide) {
            float lo[3], hi[3];
            memcpy(lo, at_lo, sizeof lo);
            memcpy(hi, at_hi, sizeof hi);
            same = same_floats(lo, hi, factor, &records[i]);
        } else {
            struct box_corners given = wide ? read_doubles(at_lo, at_hi) : read_floats(at_lo, at_hi);
            struct box_corners kept = store->exact ? box_store_corners(store, i) : corners[i];
            same = same_corners(&given, &kept);
        }
        moved[moved_count] = i;
        moved_count += !same;
    }
    store->moved.count = moved_count;
    return moved_count <= most;
}

/* Keeps those changes that are changes, and checks them. False in *usual: the map or the kind of storage has to change. */
static dent_status check_changes(struct box_store *store, const dent_box_list *list, bool *usual)
{
    uint32_t *moved = store->moved.data, kept = 0;
    *usual = true;
    for (size_t k = 0; k < store->moved.count; k++) {
        struct box_corners box = box_list_read(list, moved[k]);
        dent_status status = check_box(store->context, &box, moved[k], "box");
        if (status) {
            return status;
        }
        bool absent = !corners_present(&box), exact = true;
        bool was_absent = !(box_store_records(store)[moved[k]].lo[0] < INFINITY);
        if (absent && was_absent) {
            continue;
        }
        if (!absent) {
            struct box_record record = box_store_map(store, box.lo, box.hi, &exact);
            for (int axis = 0; axis < 3; axis++) {
                *usual = *usual && record.lo[axis] >= -1.0f && record.hi[axis] <= 1.0f;
            }
            *usual = *usual && (exact || !store->exact);
        }
        moved[kept++] = moved[k];
    }
    store->moved.count = kept;
    return DENT_OK;
}

static float longest_edge(const struct box_record *record)
{
    float x = record->hi[0] - record->lo[0], y = record->hi[1] - record->lo[1], z = record->hi[2] - record->lo[2];
    x = y > x ? y : x;
    return z > x ? z : x;
}

/* Bounds only grow here; the next complete reading finds the true ones. */
static void write_changes(struct box_store *store, const dent_box_list *list)
{
    const uint32_t *moved = store->moved.data;
    struct box_record *records = store->records.data;
    struct box_corners *corners = store->corners.data;
    bool exact = true;
    for (size_t k = 0; k < store->moved.count; k++) {
        struct box_record *record = &records[moved[k]];
        struct box_corners box = box_list_read(list, moved[k]);
        bool present = corners_present(&box), was = record->lo[0] < INFINITY;
        if (!present) {
            bounds_clear(box.lo, box.hi);
        }
        store->edge_sum -= was ? (double)longest_edge(record) : 0.0;
        *record = present ? box_store_map(store, box.lo, box.hi, &exact) : absent_record;
        store->edge_sum += present ? (double)longest_edge(record) : 0.0;
        store->present += (uint32_t)present - (uint32_t)was;
        float_bounds_add(store->lo, store->hi, record->lo, record->hi);
        if (!store->exact) {
            corners[moved[k]] = box;
        }
    }
}

/* Reads only what few boxes changed. False in *done: a complete reading is needed. */
static dent_status read_few(struct box_store *store, const dent_box_list *list, uint32_t count, bool *done)
{
    *done = false;
    double scale = store->scaling.first * store->scaling.second;
    bool readable = list->lo && list->hi && (list->scalar == DENT_SCALAR_DOUBLE || list->scalar == DENT_SCALAR_FLOAT);
    if (store->fresh || store->present == 0 || store->records.count != count || !readable ||
        (store->exact && (double)(float)scale != scale) || !same_filter(&store->groups, list->groups, count) ||
        !same_filter(&store->masks, list->masks, count)) {
        return DENT_OK;
    }
    store->all_moved = true; /* until the list of changes is complete */
    dent_status status = DENT_OK;
    if (list_changes(store, list, count, count / 8)) {
        status = check_changes(store, list, done);
    }
    if (status == DENT_OK && *done) {
        write_changes(store, list);
        store->all_moved = false;
    } else {
        store->moved.count = 0;
        *done = false;
    }
    return status;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

dent_status box_store_read(struct box_store *store, const dent_box_list *list, uint32_t count)
{
    struct list_measure measure;
    bool done;
    dent_status status = read_few(store, list, count, &done);
    if (status || done) {
        return status;
    }
    status = measure_list(store->context, list, count, "box", &measure);
    if (status) {
        return status;
    }
    if (!make_room(store, list, count)) {
        return dent_fail(store->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %u boxes", (unsigned)count);
    }
    struct box_store map = *store;
    bool comparable = !choose_map(&map, &measure) && !store->fresh && store->records.count == count;
    struct list_writer writer = {.map = &map,
                                 .old = comparable ? store->records.data : NULL,
                                 .records = store->next_records.data,
                                 .moved = store->moved.data};
    writer_begin(&writer);
    if (list->scalar != DENT_SCALAR_FLOAT || !write_floats(&writer, list, count, measure.present == count)) {
        writer_begin(&writer);
        write_any(&writer, list, count);
    }
    if (!writer.exact && !array_reserve(&store->corners, count)) {
        store->moved.count = 0;
        store->all_moved = true; /* the list of what moved was overwritten; results stay */
        return dent_fail(store->context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %u boxes", (unsigned)count);
    }
    memcpy(store->centre, map.centre, sizeof store->centre);
    store->scaling = map.scaling;
    store->present = measure.present;
    commit(store, list, count, &writer, comparable);
    return DENT_OK;
}
