/* Halves found by selection, not by sorting, and entered by recursion; ties by id make the division the same on every
 * machine. See region_split.h. */
#include "structures/surface/region_split.h"

enum { GROUP_ITEMS = 16 };

static bool comes_before(const struct split_item *a, const struct split_item *b, int axis)
{
    return a->centre[axis] < b->centre[axis] || (a->centre[axis] == b->centre[axis] && a->id < b->id);
}

static int longest_axis(const struct split_item *items, uint32_t count)
{
    int longest = 0;
    double longest_side = -1;
    for (int axis = 0; axis < 3; axis++) {
        double lo = items[0].centre[axis], hi = lo;
        for (uint32_t i = 1; i < count; i++) {
            double x = items[i].centre[axis];
            lo = x < lo ? x : lo;
            hi = x > hi ? x : hi;
        }
        if (hi - lo > longest_side) {
            longest_side = hi - lo;
            longest = axis;
        }
    }
    return longest;
}

/* Brings the nth item along the axis to its slot, earlier ones before it (Hoare's selection). */
static void select_nth(struct split_item *items, int64_t count, int64_t nth, int axis)
{
    int64_t first = 0, last = count - 1;
    while (first < last) {
        struct split_item pivot = items[first + (last - first) / 2];
        int64_t i = first, j = last;
        while (i <= j) {
            while (comes_before(&items[i], &pivot, axis)) {
                i++;
            }
            while (comes_before(&pivot, &items[j], axis)) {
                j--;
            }
            if (i <= j) {
                struct split_item swap = items[i];
                items[i++] = items[j];
                items[j--] = swap;
            }
        }
        if (nth <= j) {
            last = j;
        } else if (nth >= i) {
            first = i;
        } else {
            return;
        }
    }
}

void region_split(struct split_item *items, uint32_t count, const struct split_groups *groups)
{
    if (count == 0) {
        return;
    }
    if (count == 1 || (count <= GROUP_ITEMS && groups->fits(groups->user, items, count))) {
        groups->take(groups->user, items, count);
        return;
    }
    uint32_t half = count / 2;
    select_nth(items, count, half, longest_axis(items, count));
    region_split(items, half, groups);
    region_split(items + half, count - half, groups);
}

void region_split_aligned(struct split_item *items, uint32_t count)
{
    while (count > GROUP_ITEMS) {
        uint32_t unit = GROUP_ITEMS; /* the largest power of 16 below count */
        while ((uint64_t)unit * GROUP_ITEMS < count) {
            unit *= GROUP_ITEMS;
        }
        uint32_t first = (count / unit + 1) / 2 * unit;
        select_nth(items, count, first, longest_axis(items, count));
        region_split_aligned(items, first);
        items += first;
        count -= first;
    }
}
