/* The hash grid against a plain loop: entries of sizes over five orders of magnitude, windows likewise, so that every
 * level and its coarser tables are looked into; every entry whose box meets the window comes out exactly once. */
#include "structures/grid/kernels/packet_kernels.h"
#include "support/cmocka_includes.h"

#include <math.h>
#include <string.h>

#include "structures/grid/hash_grid.h"

enum { ENTRIES = 4000, WINDOWS = 400 };

struct boxes {
    float lo[ENTRIES][3], hi[ENTRIES][3];
};

static float between(dent_random *random, float lo, float hi)
{
    return lo + (hi - lo) * (float)dent_random_below(random, 1 << 20) / (float)(1 << 20);
}

/* A box of a size whose logarithm is even between those of 2^-lowest and 1, inside [-1, 1]. */
static void random_box(dent_random *random, double lowest, bool point, float lo[3], float hi[3])
{
    float size = (float)exp2(-(double)between(random, 0, (float)lowest));
    float middle[3], spread = (float)exp2(-(double)between(random, 0, 8)); /* small ones sit close together, too */
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = between(random, -0.9f * spread, 0.9f * spread) * (1 - size);
        float half = point ? 0 : 0.5f * size * between(random, 0.3f, 1);
        lo[axis] = middle[axis] - half;
        hi[axis] = middle[axis] + half;
    }
}

struct found {
    uint8_t times[ENTRIES];
};

static void note(void *data, const uint32_t *list, uint32_t count)
{
    struct found *found = data;
    for (uint32_t i = 0; i < count; i++) {
        found->times[list[i]]++;
    }
}

static void look_everywhere(const struct boxes *boxes, bool points, const int16_t *octaves, dent_isa isa,
                            uint32_t *coarser)
{
    dent_context *context = dent_context_create(NULL, NULL);
    struct arena arena;
    struct hash_grid grid;
    arena_init(&arena, context);
    struct grid_input input = {.lo = boxes->lo,
                               .hi = points ? boxes->lo : boxes->hi,
                               .stride = sizeof boxes->lo[0],
                               .count = ENTRIES,
                               .octaves = octaves,
                               .cell_ratio = 1.5,
                               .level_limit = GRID_LEVELS_MAX};
    assert_true(hash_grid_build(&grid, &input, &arena));
    for (uint32_t level = 0; level < grid.level_count; level++) {
        *coarser += grid.coarser_count[level];
    }
    dent_random random = dent_random_seeded(7);
    static uint32_t list[GRID_LIST_ROOM];
    for (int window = 0; window < WINDOWS; window++) {
        float lo[3], hi[3];
        struct found found = {{0}};
        struct grid_counters counters = {0, 0};
        random_box(&random, 14, false, lo, hi);
        hash_grid_look_up(&grid, packet_kernels_for(isa), lo, hi, list, note, &found, &counters);
        for (uint32_t entry = 0; entry < ENTRIES; entry++) {
            const float *a = boxes->lo[entry], *b = points ? a : boxes->hi[entry];
            bool meets = a[0] <= hi[0] && lo[0] <= b[0] && a[1] <= hi[1] && lo[1] <= b[1] && a[2] <= hi[2] &&
                         lo[2] <= b[2];
            assert_int_equal(found.times[entry], meets);
        }
    }
    arena_destroy(&arena);
    dent_context_destroy(context);
}

static void every_window_meets_every_entry_once(void **state)
{
    (void)state;
    static struct boxes boxes;
    static int16_t octaves[ENTRIES];
    const dent_isa isas[] = {DENT_ISA_SCALAR, DENT_ISA_AVX2, DENT_ISA_AVX512};
    for (int points = 0; points < 2; points++) {
        dent_random random = dent_random_seeded(3);
        uint32_t coarser = 0;
        for (uint32_t entry = 0; entry < ENTRIES; entry++) {
            random_box(&random, 16, points, boxes.lo[entry], boxes.hi[entry]);
            octaves[entry] = (int16_t)-(int)dent_random_below(&random, 16);
        }
        for (int i = 0; i < 3; i++) {
            if (dent_isa_available(isas[i])) {
                look_everywhere(&boxes, points, points ? octaves : NULL, isas[i], &coarser);
            }
        }
        assert_true(coarser > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_window_meets_every_entry_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
