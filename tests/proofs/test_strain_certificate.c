/* What the strain certificate needs of its reference and of every part of a cover, one condition at a time: each alone
 * must be enough to refuse. */
#include "support/cmocka_includes.h"

#include <math.h>

#include "support/random_scene.h"
#include "support/test_context.h"

#include "bodies/body_table.h"
#include "bodies/snapshot.h"
#include "structures/clusters/kernels/cluster_kernels.h"
#include "proofs/strain_certificate.h"

struct stage {
    struct test_scene scene;
    struct body_table table;
    struct snapshot snapshot;
    struct message message;
    struct body_clusters clusters;
    struct strain_reference reference;
};

/* Body 0 of the scene, its shape the reference. */
static void stage_open(struct stage *stage, dent_context *context)
{
    message_clear(&stage->message, NULL);
    dent_body_def def = test_body_def(&stage->scene.bodies[0]);
    dent_body_id id;
    body_table_init(&stage->table, context);
    snapshot_init(&stage->snapshot, context);
    assert_int_equal(body_table_add(&stage->table, &def, &stage->message, &id), DENT_OK);
    assert_int_equal(snapshot_read(&stage->snapshot, &stage->table, &stage->message), DENT_OK);
    const struct body_snapshot *body_snapshot = &stage->snapshot.bodies[0];
    assert_true(body_clusters_create(&stage->clusters, context, body_snapshot->body, body_snapshot->xyz));
    assert_true(strain_reference_create(&stage->reference, context, &stage->clusters));
    strain_reference_set(&stage->reference, body_snapshot->body, body_snapshot->xyz);
}

static void stage_close(struct stage *stage)
{
    strain_reference_destroy(&stage->reference);
    body_clusters_destroy(&stage->clusters);
    snapshot_destroy(&stage->snapshot);
    body_table_destroy(&stage->table);
    test_scene_free(&stage->scene);
}

static uint32_t covered_pieces(const struct stage *stage)
{
    uint32_t count = 0;
    for (uint32_t piece = 0; piece < stage->clusters.piece_count; piece++) {
        count += stage->reference.cover_counts[piece] > 0;
    }
    for (uint32_t group = 0; group < stage->reference.group_count; group++) {
        count += stage->reference.group_cover_counts[group] > 0;
    }
    return count;
}

/* A block whose surface is convex, with one vertex inside pulled through the cells around it. */
static void a_reference_with_cells_folded_over_each_other_proves_nothing(void **state)
{
    for (int folded = 0; folded < 2; folded++) {
        struct stage stage = {0};
        const uint32_t cubes[3] = {4, 4, 4};
        struct test_body *body = test_add_block(&stage.scene, 4, 4, 4);
        body->xyz[test_node(cubes, 2, 2, 2)][2] += folded ? 1.3 : 0.2;
        stage_open(&stage, *state);
        assert_true(stage.reference.convex == !folded);
        assert_true(stage.reference.usable == !folded);
        stage_close(&stage);
    }
}

enum { WIDE = 36 };

/* A thick block, so that pieces in its middle are away from its surface, and a dent, so that it is not convex. With a
 * second one at the same place, in the same body, everything is covered twice. */
static void make_thick_block(struct test_scene *scene, bool twice)
{
    const uint32_t cubes[3] = {WIDE, WIDE, WIDE};
    struct test_body *body = test_add_block(scene, WIDE, WIDE, WIDE);
    body->xyz[test_node(cubes, WIDE / 2, WIDE / 2, 0)][2] += 0.3;
    if (!twice) {
        return;
    }
    uint32_t vertices = body->vertex_count, cells = body->element_count;
    struct test_body *both = test_scene_new_body(scene, DENT_BODY_SOLID, 2 * vertices, 2 * cells, 8 * cells);
    for (uint32_t v = 0; v < 2 * vertices; v++) {
        memcpy(both->xyz[v], body->xyz[v % vertices], sizeof both->xyz[v]);
    }
    for (uint32_t i = 0; i < 8 * cells; i++) {
        both->corners[i] = body->corners[i % (4 * cells)] + (i < 4 * cells ? 0 : vertices);
    }
    struct test_body first = *body;
    *body = *both;
    *both = first;
}

static void a_region_covered_twice_proves_nothing(void **state)
{
    for (int twice = 0; twice < 2; twice++) {
        struct stage stage = {0};
        make_thick_block(&stage.scene, twice);
        stage_open(&stage, *state);
        assert_false(stage.reference.convex);
        uint32_t covered = covered_pieces(&stage);
        printf("%u cells, %u pieces, %u regions proven\n", stage.clusters.cell_count, stage.clusters.piece_count,
               covered);
        assert_true(twice ? covered == 0 : covered > 0);
        stage_close(&stage);
    }
}

/* ---- certificates ---- */

static void set_gradient(struct piece_strain *strain, uint32_t clusters, float value)
{
    for (uint32_t place = 0; place < PIECE_CLUSTERS; place++) {
        for (int k = 0; k < 9 && clusters >> place & 1; k++) {
            strain->g[k][place] = k % 4 == 0 ? value : 0;
        }
    }
}

/* Turns the clusters of one part of a cover inside out, one part after the other. */
static uint32_t refuse_each_part(const struct stage *stage, struct piece_strain *strains,
                                 const struct cover_part *cover, uint32_t count, uint32_t number, bool group)
{
    const struct cluster_kernels *kernels = cluster_kernels_for(DENT_ISA_SCALAR);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (int rotated = 0; rotated < 2; rotated++) {
            set_gradient(&strains[cover[i].piece], cover[i].clusters & -cover[i].clusters, rotated ? -1.0f : 1.0f);
            bool certified = group ? strain_certifies_group(&stage->reference, kernels, strains, number)
                                   : strain_certifies_piece(&stage->reference, kernels, strains, number);
            assert_true(certified == !rotated);
            refused += rotated;
        }
        set_gradient(&strains[cover[i].piece], UINT32_MAX, 1);
    }
    return refused;
}

static void every_part_of_a_cover_must_be_definite(void **state)
{
    struct stage stage = {0};
    uint32_t refused = 0;
    test_add_block(&stage.scene, 24, 8, 8);
    stage_open(&stage, *state);
    struct piece_strain *strains = test_allocate(stage.clusters.piece_count + 1, sizeof *strains + 64);
    struct piece_strain *aligned = (struct piece_strain *)(((uintptr_t)strains + 63) & ~(uintptr_t)63);
    for (uint32_t piece = 0; piece < stage.clusters.piece_count; piece++) {
        set_gradient(&aligned[piece], UINT32_MAX, 1);
    }
    for (uint32_t piece = 0; piece < stage.clusters.piece_count; piece++) {
        refused +=
            refuse_each_part(&stage, aligned, stage.reference.covers + (size_t)piece * stage.reference.cover_room,
                             stage.reference.cover_counts[piece], piece, false);
    }
    for (uint32_t group = 0; group < stage.reference.group_count; group++) {
        refused += refuse_each_part(&stage, aligned,
                                    stage.reference.group_covers + (size_t)group * stage.reference.group_cover_room,
                                    stage.reference.group_cover_counts[group], group, true);
    }
    assert_true(refused > stage.clusters.piece_count);
    free(strains);
    stage_close(&stage);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reference_with_cells_folded_over_each_other_proves_nothing),
        cmocka_unit_test(a_region_covered_twice_proves_nothing),
        cmocka_unit_test(every_part_of_a_cover_must_be_definite),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
