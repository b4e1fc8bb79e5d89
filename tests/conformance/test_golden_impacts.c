/* Golden impacts: number of pairs, fingerprint of the pairs, and fingerprint of every bit of toi, u, v and normal, for
 * a step of some frames of the built-in scenes. The same for every machine, compiler, optimisation level and
 * instruction set.
 *
 *     DENT_PRINT_GOLDEN=1 build/release/tests/test_golden_impacts > tests/conformance/golden_impacts.inc
 */
#include "support/cmocka_includes.h"

#include "support/scene_world.h"

#include <inttypes.h>
#include <string.h>

struct golden {
    const char *scene;
    double scale;
    uint32_t frames[2];
    uint64_t count, pairs, bits;
};

static const struct golden table[] = {
#include "golden_impacts.inc"
};

static uint64_t hash_bits(const dent_impact *impacts, uint64_t count)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325);
    for (uint64_t i = 0; i < count; i++) {
        const double numbers[6] = {impacts[i].toi,       impacts[i].u,         impacts[i].v,
                                   impacts[i].normal[0], impacts[i].normal[1], impacts[i].normal[2]};
        for (int k = 0; k < 6; k++) {
            uint64_t bits;
            memcpy(&bits, &numbers[k], sizeof bits);
            for (int byte = 0; byte < 8; byte++) {
                hash = (hash ^ (bits >> (8 * byte) & 255)) * UINT64_C(0x100000001B3);
            }
        }
    }
    return hash;
}

/* The step from one frame to another. */
static struct golden answer(dent_context *context, const char *name, double scale, const uint32_t frames[2])
{
    struct scene_world stage;
    dent_impact_def def = dent_impact_def_default();
    dent_impact_result result;
    assert_true(scene_world_open(&stage, context, name, scale));
    double **ends = calloc(stage.body_count, sizeof *ends);
    scene_world_pose(&stage, frames[0]);
    for (uint32_t i = 0; i < stage.body_count; i++) {
        ends[i] = calloc((size_t)dent_scene_body_at(stage.scene, i)->vertex_count * 3, sizeof(double));
        dent_scene_positions(stage.scene, i, frames[1], ends[i]);
        dent_positions start = dent_positions_double(stage.positions[i]), end = dent_positions_double(ends[i]);
        assert_int_equal(dent_body_set_positions(stage.world, stage.ids[i], &start, &end), DENT_OK);
    }
    assert_int_equal(dent_world_impacts(stage.world, &def, &result), DENT_OK);
    struct golden got = {name,
                         scale,
                         {frames[0], frames[1]},
                         result.count,
                         dent_impact_hash(stage.world, result.impacts, result.count),
                         hash_bits(result.impacts, result.count)};
    for (uint32_t i = 0; i < stage.body_count; i++) {
        free(ends[i]);
    }
    free(ends);
    scene_world_close(&stage);
    return got;
}

static void print_table(dent_context *context)
{
    static const struct {
        const char *name;
        double scale;
        uint32_t frames[2];
    } steps[] = {
        {"teschner-a", 1, {3, 4}},     {"teschner-b", 1, {10, 14}},  {"v-shapes", 0.2, {30, 34}},
        {"v-self", 0.2, {25, 30}},     {"cloth-500k", 0.01, {3, 4}}, {"cloth-500k", 0.01, {200, 201}},
        {"folded-1m", 0.002, {5, 10}}, {"graded", 0.2, {7, 9}},
    };
    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        struct golden got = answer(context, steps[i].name, steps[i].scale, steps[i].frames);
        printf("{\"%s\", %g, {%" PRIu32 ", %" PRIu32 "}, %" PRIu64 ",\n UINT64_C(0x%016" PRIx64
               "), UINT64_C(0x%016" PRIx64 ")},\n",
               got.scene, got.scale, got.frames[0], got.frames[1], got.count, got.pairs, got.bits);
    }
}

static void every_step_has_its_golden_impacts(void **state)
{
    (void)state;
    for (int isa = DENT_ISA_AUTO; isa < DENT_ISA_COUNT; isa++) {
        if (isa != DENT_ISA_AUTO && !dent_isa_available((dent_isa)isa)) {
            continue;
        }
        dent_context_def def = dent_context_def_default();
        def.isa = (dent_isa)isa;
        dent_context *context = dent_context_create(&def, NULL);
        uint64_t sum = 0;
        for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
            struct golden got = answer(context, table[i].scene, table[i].scale, table[i].frames);
            printf("%s, frames %u and %u, isa %s: %" PRIu64 " impacts\n", table[i].scene, (unsigned)table[i].frames[0],
                   (unsigned)table[i].frames[1], dent_isa_name((dent_isa)isa), got.count);
            assert_int_equal(got.count, table[i].count);
            assert_true(got.pairs == table[i].pairs);
            assert_true(got.bits == table[i].bits);
            sum += got.count;
        }
        assert_true(sum > 1000);
        dent_context_destroy(context);
    }
}

int main(void)
{
    if (getenv("DENT_PRINT_GOLDEN")) {
        dent_context *context = dent_context_create(NULL, NULL);
        print_table(context);
        dent_context_destroy(context);
        return 0;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_step_has_its_golden_impacts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
