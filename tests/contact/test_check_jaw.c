/* The check on the left side of the data kit's jaw. DENT_DATA names the kit. */
#include "support/cmocka_includes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support_tetgen.h"

static const char *const teeth_parts[] = {"Dentin", "Enamel", "PDL", "Pulp"};
enum { PARTS_MAX = 30 };

struct jaw {
    struct tetgen_part parts[PARTS_MAX];
    uint32_t count;
    dent_context *context;
    dent_world *world;
};

static const char *jaw_folder(char *buffer, size_t size)
{
    const char *kit = getenv("DENT_DATA");
    if (!kit || !*kit) {
        printf("SKIPPED: DENT_DATA is not set, the jaw of the data kit was not checked\n");
        skip();
    }
    snprintf(buffer, size, "%s/meshes/jaw-openmandible", kit);
    return buffer;
}

static void jaw_add(struct jaw *jaw, const char *folder, const char *name)
{
    dent_body_id id;
    assert_true(jaw->count < PARTS_MAX);
    assert_true(tetgen_part_read(&jaw->parts[jaw->count], folder, name));
    assert_int_equal(tetgen_part_add(&jaw->parts[jaw->count], jaw->world, &id), DENT_OK);
    jaw->count++;
}

static void jaw_open(struct jaw *jaw, uint32_t threads)
{
    dent_context_def def = dent_context_def_default();
    memset(jaw, 0, sizeof *jaw);
    def.thread_count = threads;
    jaw->context = dent_context_create(&def, NULL);
    jaw->world = dent_world_create(jaw->context);
    assert_non_null(jaw->world);
}

static void jaw_close(struct jaw *jaw)
{
    dent_world_destroy(jaw->world);
    dent_context_destroy(jaw->context);
    for (uint32_t i = 0; i < jaw->count; i++) {
        tetgen_part_free(&jaw->parts[i]);
    }
}

static void print_pairs(const struct jaw *jaw, const dent_check_result *result)
{
    for (uint64_t i = 0; i < result->pair_count; i++) {
        const dent_body_contact *c = &result->pairs[i];
        printf("%-18s %-18s %s %s overlapping %6llu vertices %5llu touching %6llu depth %.3g at %.6g %.6g %.6g\n",
               jaw->parts[c->body_a].name, jaw->parts[c->body_b].name,
               c->state == DENT_BODY_PAIR_PENETRATING ? "penetrating" : "touching   ",
               c->exact_penetration ? "exact" : "     ", (unsigned long long)c->overlapping_elements,
               (unsigned long long)c->penetrating_vertices, (unsigned long long)c->touching_elements, c->max_depth,
               c->deepest[0], c->deepest[1], c->deepest[2]);
    }
    printf("%llu penetrating, %llu touching, candidates %llu, exact %llu, %.2f s\n",
           (unsigned long long)result->penetrating_pairs, (unsigned long long)result->touching_pairs,
           (unsigned long long)result->counters.candidates, (unsigned long long)result->counters.exact_fallbacks,
           (double)(result->counters.ns_prepare + result->counters.ns_search) * 1e-9);
}

static const dent_body_contact *find_pair(const struct jaw *jaw, const dent_check_result *result, const char *a,
                                          const char *b)
{
    for (uint64_t i = 0; i < result->pair_count; i++) {
        const dent_body_contact *c = &result->pairs[i];
        if (strcmp(jaw->parts[c->body_a].name, a) == 0 && strcmp(jaw->parts[c->body_b].name, b) == 0) {
            return c;
        }
    }
    return NULL;
}

static void assert_between(double value, double low, double high)
{
    if (!(value >= low && value <= high)) {
        fail_msg("%g is not in [%g, %g]", value, low, high);
    }
}

/* Counts as the kit's README states them. The depths were found before with a separate brute-force program: 2.11979e-06
 * mm (ligament in dentin), 6.36011e-06 (dentin in enamel), 4.18787e-05 (pulp in dentin). */
static void first_molar_has_the_counts_and_depths_of_the_kit(void **state)
{
    char folder[512];
    struct jaw jaw;
    dent_check_result result;
    (void)state;
    jaw_folder(folder, sizeof folder);
    jaw_open(&jaw, 0);
    jaw_add(&jaw, folder, "CorticalBone");
    for (int i = 0; i < 4; i++) {
        char name[64];
        snprintf(name, sizeof name, "Tooth_L6_%s", teeth_parts[i]);
        jaw_add(&jaw, folder, name);
    }
    dent_check_def def = dent_check_def_default();
    def.tolerance = 1e-5;
    assert_int_equal(dent_world_check(jaw.world, &def, &result), DENT_OK);
    print_pairs(&jaw, &result);
    assert_int_equal(result.pair_count, 5);

    const dent_body_contact *ligament_bone = find_pair(&jaw, &result, "CorticalBone", "Tooth_L6_PDL");
    const dent_body_contact *ligament_dentin = find_pair(&jaw, &result, "Tooth_L6_Dentin", "Tooth_L6_PDL");
    const dent_body_contact *enamel = find_pair(&jaw, &result, "Tooth_L6_Dentin", "Tooth_L6_Enamel");
    const dent_body_contact *pulp = find_pair(&jaw, &result, "Tooth_L6_Dentin", "Tooth_L6_Pulp");
    assert_true(ligament_bone && ligament_dentin && enamel && pulp);
    assert_int_equal(ligament_bone->penetrating_vertices, 238);
    assert_int_equal(ligament_dentin->penetrating_vertices, 7);
    assert_int_equal(enamel->penetrating_vertices, 751);
    assert_int_equal(pulp->penetrating_vertices, 2678);
    assert_true(ligament_bone->exact_penetration && ligament_dentin->exact_penetration);
    assert_between(ligament_bone->max_depth, 1e-14, 1e-12);
    assert_between(ligament_dentin->max_depth, 2.1197e-6, 2.1199e-6);
    assert_between(enamel->max_depth, 6.3600e-6, 6.3602e-6);
    assert_between(pulp->max_depth, 4.1878e-5, 4.1880e-5);
    assert_int_equal(ligament_bone->state, DENT_BODY_PAIR_TOUCHING);
    assert_int_equal(ligament_dentin->state, DENT_BODY_PAIR_TOUCHING);
    assert_int_equal(pulp->state, DENT_BODY_PAIR_PENETRATING);

    def.tolerance = 5e-6; /* between the ligament's interfaces and the enamel's */
    def.ignore_touching = true;
    assert_int_equal(dent_world_check(jaw.world, &def, &result), DENT_OK);
    assert_int_equal(find_pair(&jaw, &result, "CorticalBone", "Tooth_L6_PDL")->state, DENT_BODY_PAIR_TOUCHING);
    assert_int_equal(find_pair(&jaw, &result, "Tooth_L6_Dentin", "Tooth_L6_PDL")->state, DENT_BODY_PAIR_TOUCHING);
    assert_int_equal(find_pair(&jaw, &result, "Tooth_L6_Dentin", "Tooth_L6_Enamel")->state, DENT_BODY_PAIR_PENETRATING);
    assert_int_equal(find_pair(&jaw, &result, "Tooth_L6_Dentin", "Tooth_L6_Pulp")->state, DENT_BODY_PAIR_PENETRATING);
    jaw_close(&jaw);
}

/* All 29 parts: bone and the four parts of each of the seven left teeth. The teeth are alike, but for the ligament of
 * the seventh, which has vertices 0.021 mm deep in the dentin. */
static void left_side_is_checked_as_a_whole(void **state)
{
    char folder[512];
    struct jaw jaw;
    dent_check_result result;
    (void)state;
    jaw_folder(folder, sizeof folder);
    jaw_open(&jaw, 0);
    jaw_add(&jaw, folder, "CorticalBone");
    for (int tooth = 1; tooth <= 7; tooth++) {
        for (int i = 0; i < 4; i++) {
            char name[64];
            snprintf(name, sizeof name, "Tooth_L%d_%s", tooth, teeth_parts[i]);
            jaw_add(&jaw, folder, name);
        }
    }
    dent_check_def def = dent_check_def_default();
    def.tolerance = 5e-6;
    assert_int_equal(dent_world_check(jaw.world, &def, &result), DENT_OK);
    print_pairs(&jaw, &result);
    for (int tooth = 1; tooth <= 7; tooth++) {
        char names[4][64];
        for (int i = 0; i < 4; i++) {
            snprintf(names[i], sizeof names[i], "Tooth_L%d_%s", tooth, teeth_parts[i]);
        }
        const dent_body_contact *ligament_dentin = find_pair(&jaw, &result, names[0], names[2]);
        assert_int_equal(find_pair(&jaw, &result, "CorticalBone", names[2])->state, DENT_BODY_PAIR_TOUCHING);
        assert_int_equal(ligament_dentin->state, tooth == 7 ? DENT_BODY_PAIR_PENETRATING : DENT_BODY_PAIR_TOUCHING);
        assert_int_equal(find_pair(&jaw, &result, names[0], names[1])->state, DENT_BODY_PAIR_PENETRATING);
        assert_int_equal(find_pair(&jaw, &result, names[0], names[3])->state, DENT_BODY_PAIR_PENETRATING);
    }
    assert_between(find_pair(&jaw, &result, "Tooth_L7_Dentin", "Tooth_L7_PDL")->max_depth, 0.0212, 0.0214);
    jaw_close(&jaw);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(first_molar_has_the_counts_and_depths_of_the_kit),
        cmocka_unit_test(left_side_is_checked_as_a_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
