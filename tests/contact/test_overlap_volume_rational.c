/* The volume of overlaps against rationals: every pair of cells is cut exactly by cutting tetrahedra into tetrahedra,
 * which has nothing in common with the columns of overlap_volume.c. The error never exceeds the stated bound.
 *
 * The kit (DENT_DATA): 50 pairs of parts of its jaw, of each part the 14 cells nearest to the deepest point; in the long
 * tier 50 pairs of whole parts, all that penetrate in the kit among them. */
#include "support_check.h"

#include <gmp.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "support/random_solids.h"
#include "support_tetgen.h"

/* ---- the oracle -------------------------------------------------------------------------------------------------- */

typedef mpq_t rational_point[3];

struct cutter {
    rational_point planes[4][3]; /* faces of the second cell, which lies where the orientation is positive */
    mpq_t total, term, work[12];
};

/* det[b - a, c - a, d - a] */
static void orientation(struct cutter *cutter, mpq_t value, rational_point a, rational_point b, rational_point c,
                        rational_point d)
{
    mpq_t *w = cutter->work;
    for (int k = 0; k < 3; k++) {
        mpq_sub(w[k], b[k], a[k]);
        mpq_sub(w[3 + k], c[k], a[k]);
        mpq_sub(w[6 + k], d[k], a[k]);
    }
    mpq_set_ui(value, 0, 1);
    for (int k = 0; k < 3; k++) {
        int i = (k + 1) % 3, j = (k + 2) % 3;
        mpq_mul(w[9], w[3 + i], w[6 + j]);
        mpq_mul(w[10], w[3 + j], w[6 + i]);
        mpq_sub(w[9], w[9], w[10]);
        mpq_mul(w[9], w[9], w[k]);
        mpq_add(value, value, w[9]);
    }
}

static void points_init(rational_point *points, int count)
{
    for (int i = 0; i < 3 * count; i++) {
        mpq_init(points[i / 3][i % 3]);
    }
}

static void points_clear(rational_point *points, int count)
{
    for (int i = 0; i < 3 * count; i++) {
        mpq_clear(points[i / 3][i % 3]);
    }
}

static void point_copy(rational_point to, rational_point from)
{
    for (int k = 0; k < 3; k++) {
        mpq_set(to[k], from[k]);
    }
}

/* Where the edge from p (value >= 0) to q (value < 0) meets the plane. */
static void point_between(rational_point to, rational_point p, mpq_t p_value, rational_point q, mpq_t q_value)
{
    mpq_t t;
    mpq_init(t);
    mpq_sub(t, p_value, q_value);
    mpq_div(t, p_value, t);
    for (int k = 0; k < 3; k++) {
        mpq_sub(to[k], q[k], p[k]);
        mpq_mul(to[k], to[k], t);
        mpq_add(to[k], to[k], p[k]);
    }
    mpq_clear(t);
}

static void cut(struct cutter *cutter, rational_point cell[4], int plane);

/* A cell of four of these points. */
static void cut_part(struct cutter *cutter, rational_point *points, const int corners[4], int plane)
{
    rational_point part[4];
    points_init(part, 4);
    for (int k = 0; k < 4; k++) {
        point_copy(part[k], points[corners[k]]);
    }
    cut(cutter, part, plane);
    points_clear(part, 4);
}

/* Adds the volume of the cell within the planes from `plane` on. */
static void cut(struct cutter *cutter, rational_point cell[4], int plane)
{
    if (plane == 4) {
        orientation(cutter, cutter->term, cell[0], cell[1], cell[2], cell[3]);
        mpq_abs(cutter->term, cutter->term);
        mpq_add(cutter->total, cutter->total, cutter->term);
        return;
    }
    mpq_t value[4];
    int order[4], kept = 0, lost = 0;
    for (int k = 0; k < 4; k++) {
        mpq_init(value[k]);
        rational_point *p = cutter->planes[plane];
        orientation(cutter, value[k], p[0], p[1], p[2], cell[k]);
    }
    for (int k = 0; k < 4; k++) { /* those kept first */
        order[mpq_sgn(value[k]) >= 0 ? kept++ : 3 - lost++] = k;
    }
    rational_point points[8]; /* the corners in order, then points on edges */
    points_init(points, 8);
    for (int k = 0; k < 4; k++) {
        point_copy(points[k], cell[order[k]]);
    }
    int made = 4;
    for (int p = 0; p < kept; p++) {
        for (int q = kept; q < 4; q++) {
            point_between(points[made++], points[p], value[order[p]], points[q], value[order[q]]);
        }
    }
    static const int one[1][4] = {{0, 4, 5, 6}};
    static const int two[3][4] = {{0, 1, 4, 5}, {1, 4, 5, 6}, {1, 5, 6, 7}};   /* prism 0 4 5, 1 6 7 */
    static const int three[3][4] = {{0, 1, 2, 4}, {1, 2, 4, 5}, {2, 4, 5, 6}}; /* prism 0 1 2, 4 5 6 */
    static const int all[1][4] = {{0, 1, 2, 3}};
    const int(*parts)[4] = kept == 1 ? one : kept == 2 ? two : kept == 3 ? three : all;
    for (int i = 0; i < (kept == 0 ? 0 : kept == 1 || kept == 4 ? 1 : 3); i++) {
        cut_part(cutter, points, parts[i], plane + 1);
    }
    points_clear(points, 8);
    for (int k = 0; k < 4; k++) {
        mpq_clear(value[k]);
    }
}

static void cutter_init(struct cutter *cutter)
{
    points_init(&cutter->planes[0][0], 12);
    mpq_inits(cutter->total, cutter->term, NULL);
    for (int i = 0; i < 12; i++) {
        mpq_init(cutter->work[i]);
    }
}

static void cutter_clear(struct cutter *cutter)
{
    points_clear(&cutter->planes[0][0], 12);
    mpq_clears(cutter->total, cutter->term, NULL);
    for (int i = 0; i < 12; i++) {
        mpq_clear(cutter->work[i]);
    }
}

static void set_point(rational_point point, const double *x)
{
    for (int k = 0; k < 3; k++) {
        mpq_set_d(point[k], x[k]);
    }
}

/* Adds six times the volume that two cells share to the total. */
static void add_pair(struct cutter *cutter, const double *const a[4], const double *const b[4])
{
    static const int faces[4][3] = {{1, 3, 2}, {0, 2, 3}, {0, 3, 1}, {0, 1, 2}};
    rational_point first[4], second[4];
    points_init(first, 4);
    points_init(second, 4);
    for (int k = 0; k < 4; k++) {
        set_point(first[k], a[k]);
        set_point(second[k], b[k]);
    }
    orientation(cutter, cutter->term, second[0], second[1], second[2], second[3]);
    int sign = mpq_sgn(cutter->term);
    for (int f = 0; f < 4; f++) {
        for (int k = 0; k < 3; k++) {
            point_copy(cutter->planes[f][k], second[faces[f][sign < 0 ? 2 - k : k]]);
        }
    }
    if (sign != 0) { /* a flat cell holds nothing */
        cut(cutter, first, 0);
    }
    points_clear(first, 4);
    points_clear(second, 4);
}

struct solid {
    const double *xyz;
    const uint32_t *corners;
    uint32_t cell_count;
};

static void cell_of_solid(const struct solid *solid, uint32_t cell, const double *p[4], double lo[3], double hi[3])
{
    for (int k = 0; k < 4; k++) {
        p[k] = solid->xyz + 3 * (size_t)solid->corners[4 * (size_t)cell + (size_t)k];
        for (int axis = 0; axis < 3; axis++) {
            lo[axis] = k == 0 ? p[k][axis] : fmin(lo[axis], p[k][axis]);
            hi[axis] = k == 0 ? p[k][axis] : fmax(hi[axis], p[k][axis]);
        }
    }
}

/* The sum over pairs of cells; of a body and itself over pairs of different cells. Returns the number cut. */
static uint64_t exact_volume(const struct solid *a, const struct solid *b, mpq_t volume)
{
    struct cutter cutter;
    uint64_t cuts = 0;
    cutter_init(&cutter);
    for (uint32_t i = 0; i < a->cell_count; i++) {
        const double *p[4], *q[4];
        double lo[3], hi[3], other_lo[3], other_hi[3];
        cell_of_solid(a, i, p, lo, hi);
        for (uint32_t j = a == b ? i + 1 : 0; j < b->cell_count; j++) {
            cell_of_solid(b, j, q, other_lo, other_hi);
            bool meet = true;
            for (int axis = 0; axis < 3; axis++) {
                meet = meet && lo[axis] < other_hi[axis] && other_lo[axis] < hi[axis];
            }
            if (meet) {
                add_pair(&cutter, p, q);
                cuts++;
            }
        }
    }
    mpq_set_ui(cutter.term, 6, 1);
    mpq_div(volume, cutter.total, cutter.term);
    cutter_clear(&cutter);
    return cuts;
}

/* |computed - exact| <= bound. Returns the share of the bound that was needed. */
static double assert_within(const dent_body_contact *contact, mpq_t exact)
{
    mpq_t difference, bound;
    mpq_inits(difference, bound, NULL);
    assert_true(isfinite(contact->volume) && isfinite(contact->volume_error) && contact->volume >= 0);
    mpq_set_d(difference, contact->volume);
    mpq_sub(difference, difference, exact);
    mpq_abs(difference, difference);
    mpq_set_d(bound, contact->volume_error);
    if (mpq_cmp(difference, bound) > 0) {
        fail_msg("bodies %u %u: volume %.17g, exact %.17g, off by %.3g, bound %.3g", contact->body_a, contact->body_b,
                 contact->volume, mpq_get_d(exact), mpq_get_d(difference), contact->volume_error);
    }
    double share = contact->volume_error > 0 ? mpq_get_d(difference) / contact->volume_error : 0;
    mpq_clears(difference, bound, NULL);
    return share;
}

/* ---- random solids ----------------------------------------------------------------------------------------------- */

static struct solid solid_of(const struct test_body *body)
{
    return (struct solid){body->xyz[0], body->corners, body->element_count};
}

static void volumes_of_random_solids_are_within_their_bounds(void **state)
{
    (void)state;
    uint64_t compared = 0, cuts = 0;
    double largest = 0, worst_relative = 0;
    uint64_t seeds = getenv("DENT_LONG_TESTS") ? 12 : 1;
    uint64_t largest_product = getenv("DENT_LONG_TESTS") ? 300000 : getenv("DENT_QUICK_TESTS") ? 2000 : 8000;
    for (int kind = 0; kind < SOLIDS_KIND_COUNT; kind++) {
        for (uint64_t seed = 0; seed < seeds; seed++) {
            struct check_world check;
            check_world_open(&check, 2);
            solids_make(&check.scene, kind, seed);
            dent_check_def def = dent_check_def_default();
            def.volumes = def.self = true;
            dent_check_result result = check_world_run(&check, &def);
            for (uint64_t i = 0; i < result.pair_count; i++) {
                const dent_body_contact *contact = &result.pairs[i];
                struct solid a = solid_of(&check.scene.bodies[contact->body_a]),
                             b = solid_of(&check.scene.bodies[contact->body_b]);
                if ((uint64_t)a.cell_count * b.cell_count > largest_product || !contact->exact_penetration) {
                    continue;
                }
                mpq_t exact;
                mpq_init(exact);
                cuts += exact_volume(&a, contact->body_a == contact->body_b ? &a : &b, exact);
                largest = fmax(largest, assert_within(contact, exact));
                if (contact->volume > 0) {
                    worst_relative = fmax(worst_relative, contact->volume_error / contact->volume);
                }
                compared++;
                mpq_clear(exact);
            }
            check_world_close(&check);
        }
    }
    printf("%llu pairs, %llu cuts; at most %.3g of the bound was needed; the largest bound is %.3g of its volume\n",
           (unsigned long long)compared, (unsigned long long)cuts, largest, worst_relative);
    assert_true(compared >= 5);
}

/* ---- known volumes ----------------------------------------------------------------------------------------------- */

static double volume_of_boxes(double scale, double shift, bool surfaces, bool inside_out, double *error)
{
    struct check_world check;
    struct test_scene solids;
    memset(&solids, 0, sizeof solids);
    check_world_open(&check, 1);
    struct test_scene *into = surfaces ? &solids : &check.scene;
    test_map(test_add_block(into, 2, 2, 2), scale, scale, scale, 0, 0, 0);
    test_map(test_add_block(into, 2, 2, 2), scale, scale, scale, shift * scale, shift * scale, shift * scale);
    if (surfaces) {
        add_surface_of(&check.scene, &solids.bodies[0], false);
        add_surface_of(&check.scene, &solids.bodies[1], inside_out);
    }
    dent_check_def def = dent_check_def_default();
    def.volumes = true;
    dent_check_result result = check_world_run(&check, &def);
    assert_int_equal(result.pair_count, 1);
    double volume = result.pairs[0].volume;
    *error = result.pairs[0].volume_error;
    check_world_close(&check);
    if (surfaces) {
        test_scene_free(&solids);
    }
    return volume;
}

static void boxes_share_what_they_should_at_every_scale(void **state)
{
    (void)state;
    static const double scales[] = {1, 0x1p-60, 0x1p60, 0x1p-300, 0x1p330, 3e-5};
    for (size_t i = 0; i < sizeof scales / sizeof scales[0]; i++) {
        for (int kind = 0; kind < 3; kind++) {
            double error, s = scales[i], volume = volume_of_boxes(s, 1.25, kind > 0, kind == 2, &error);
            assert_true(fabs(volume - 0.421875 * s * s * s) <= error);
            assert_true(error <= 1e-9 * s * s * s);
        }
    }
    double error;
    assert_true(volume_of_boxes(1e-150, 1.25, false, false, &error) == 0); /* a double cannot hold it … */
    assert_true(error > 0);
    assert_true(isinf(volume_of_boxes(1e150, 1.25, false, false, &error)));
    assert_true(volume_of_boxes(1, 2, false, false, &error) == 0 && error == 0); /* touching */
    assert_true(fabs(volume_of_boxes(1, 0, false, false, &error) - 8) <= error);  /* identical */
}

static void open_surfaces_and_runs_that_do_not_ask_have_no_volume(void **state)
{
    (void)state;
    struct check_world check;
    check_world_open(&check, 1);
    test_add_block(&check.scene, 2, 2, 2);
    test_map(test_add_block(&check.scene, 2, 2, 2), 1, 1, 1, 1, 0.5, 0.5);
    dent_check_result result = check_world_run(&check, NULL);
    assert_true(isnan(result.pairs[0].volume) && isnan(result.pairs[0].volume_error));
    check_world_close(&check);
}

/* ---- threads and memory ------------------------------------------------------------------------------------------ */

static void volumes_are_the_same_to_the_bit_on_any_number_of_threads(void **state)
{
    (void)state;
    double first[2] = {0, 0};
    for (uint32_t threads = 1; threads <= 7; threads += 3) {
        struct check_world check;
        check_world_open(&check, threads);
        test_map(test_add_block(&check.scene, 12, 12, 12), 1, 1, 1, 0, 0, 0);
        test_map(test_add_block(&check.scene, 12, 12, 12), 0.9, 1.1, 1.03, 1.7, 2.3, 0.9);
        dent_check_def def = dent_check_def_default();
        def.volumes = true;
        dent_check_result result = check_world_run(&check, &def);
        double found[2] = {result.pairs[0].volume, result.pairs[0].volume_error};
        if (threads == 1) {
            memcpy(first, found, sizeof first);
        }
        assert_memory_equal(first, found, sizeof first);
        check_world_close(&check);
    }
    assert_true(first[0] > 100);
}

static void every_allocation_of_a_volume_may_fail(void **state)
{
    (void)state;
    struct test_scene scene;
    memset(&scene, 0, sizeof scene);
    test_add_block(&scene, 2, 2, 2);
    test_map(test_add_block(&scene, 2, 2, 2), 1, 1, 1, 1, 0.5, 0.5);
    bool done = false;
    for (uint64_t nth = 1; !done; nth++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def context_def = dent_context_def_default();
        context_def.allocator = failing_allocator_hook(&memory);
        context_def.thread_count = 1;
        dent_context *context = dent_context_create(&context_def, NULL);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        memory.requests = 0;
        memory.fail_at = nth;
        dent_check_def def = dent_check_def_default();
        def.volumes = true;
        dent_check_result result;
        dent_status status = dent_world_check(world, &def, &result);
        done = status == DENT_OK;
        assert_true(done || status == DENT_ERROR_OUT_OF_MEMORY);
        memory.fail_at = 0;
        assert_int_equal(dent_world_check(world, &def, &result), DENT_OK);
        assert_true(result.pairs[0].volume > 0 && nth < 1000);
        dent_world_destroy(world);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
    test_scene_free(&scene);
}

/* ---- the kit ----------------------------------------------------------------------------------------------------- */

enum { KIT_PARTS = 30, KIT_PAIRS = 50, KIT_CELLS = 14 };

static const char *kit_folder(char *buffer, size_t size)
{
    const char *kit = getenv("DENT_DATA");
    if (!kit || !*kit) {
        printf("SKIPPED: DENT_DATA is not set, the jaw of the data kit was not tried\n");
        skip();
    }
    snprintf(buffer, size, "%s/meshes/jaw-openmandible", kit);
    return buffer;
}

static void read_part(struct tetgen_part *parts, uint32_t *count, const char *folder, const char *name,
                      dent_world *world)
{
    char path[600];
    snprintf(path, sizeof path, "%s/%s.1.ele.xz", folder, name);
    FILE *file = fopen(path, "rb");
    if (file) {
        dent_body_id id;
        fclose(file);
        assert_true(*count < KIT_PARTS && tetgen_part_read(&parts[*count], folder, name));
        assert_int_equal(tetgen_part_add(&parts[*count], world, &id), DENT_OK);
        ++*count;
    }
}

/* The first teeth of the jaw; all seven: the bone and the cartilage as well. */
static uint32_t read_jaw(struct tetgen_part *parts, const char *folder, int teeth, dent_world *world)
{
    static const char *const tissues[] = {"Dentin", "Enamel", "PDL", "Pulp"};
    uint32_t count = 0;
    for (int i = 0; i < 2 && teeth == 7; i++) {
        read_part(parts, &count, folder, i == 0 ? "CorticalBone" : "Cartilage", world);
    }
    for (int tooth = 1; tooth <= teeth; tooth++) {
        for (int tissue = 0; tissue < 4; tissue++) {
            char name[64];
            snprintf(name, sizeof name, "Tooth_L%d_%s", tooth, tissues[tissue]);
            read_part(parts, &count, folder, name, world);
        }
    }
    return count;
}

/* The cells of a part that are nearest to a point, as a body of its own. */
struct neighbourhood {
    uint32_t corners[4 * KIT_CELLS];
    uint32_t count;
};

struct ranked_cell {
    double distance;
    uint32_t cell;
};

static int by_distance(const void *a, const void *b)
{
    const struct ranked_cell *x = a, *y = b;
    return x->distance < y->distance ? -1 : x->distance > y->distance ? 1 : x->cell < y->cell ? -1 : 1;
}

static void find_neighbourhood(const struct tetgen_part *part, const double point[3], struct neighbourhood *found)
{
    struct ranked_cell *cells = malloc(part->cell_count * sizeof *cells);
    assert_non_null(cells);
    for (uint32_t i = 0; i < part->cell_count; i++) {
        double distance = 0;
        for (int axis = 0; axis < 3; axis++) {
            double centre = 0;
            for (int k = 0; k < 4; k++) {
                centre += 0.25 * part->xyz[3 * (size_t)part->corners[4 * (size_t)i + (size_t)k] + (size_t)axis];
            }
            distance += (centre - point[axis]) * (centre - point[axis]);
        }
        cells[i] = (struct ranked_cell){distance, i};
    }
    qsort(cells, part->cell_count, sizeof *cells, by_distance);
    found->count = part->cell_count < KIT_CELLS ? part->cell_count : KIT_CELLS;
    for (uint32_t i = 0; i < found->count; i++) {
        memcpy(found->corners + 4 * (size_t)i, part->corners + 4 * (size_t)cells[i].cell, 4 * sizeof(uint32_t));
    }
    free(cells);
}

/* Both neighbourhoods in a world of their own: the volume against rationals. */
static void compare_neighbourhoods(dent_context *context, const struct tetgen_part *const parts[2],
                                   const double point[3], double *largest, double *relative, uint64_t *cuts)
{
    static struct neighbourhood cells[2];
    dent_world *world = dent_world_create(context);
    struct solid solids[2];
    for (int side = 0; side < 2; side++) {
        find_neighbourhood(parts[side], point, &cells[side]);
        dent_body_def def = dent_solid_def_default();
        def.vertex_count = parts[side]->vertex_count;
        def.element_count = cells[side].count;
        def.element_corners = cells[side].corners;
        def.positions_t0 = dent_positions_double(parts[side]->xyz);
        dent_body_id id;
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
        solids[side] = (struct solid){parts[side]->xyz, cells[side].corners, cells[side].count};
    }
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    def.volumes = def.ignore_touching = true;
    assert_int_equal(dent_world_check(world, &def, &result), DENT_OK);
    mpq_t exact;
    mpq_init(exact);
    *cuts += exact_volume(&solids[0], &solids[1], exact);
    if (result.pair_count == 0) {
        assert_int_equal(mpq_sgn(exact), 0);
    } else {
        *largest = fmax(*largest, assert_within(&result.pairs[0], exact));
        *relative = fmax(*relative, result.pairs[0].volume_error / result.pairs[0].volume);
    }
    mpq_clear(exact);
    dent_world_destroy(world);
}

/* Every part is moved by a small step of its own, so that neighbours overlap by more than their rounding. */
static void shift_parts(struct tetgen_part *parts, uint32_t count, double step)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t v = 0; v < parts[i].vertex_count; v++) {
            for (uint32_t axis = 0; axis < 3; axis++) {
                parts[i].xyz[3 * (size_t)v + axis] += step * (double)((i * (axis + 2)) % 7);
            }
        }
    }
}

static void volumes_of_the_jaw_are_within_their_bounds_in_50_pairs(void **state)
{
    (void)state;
    static struct tetgen_part parts[KIT_PARTS];
    char folder[512];
    kit_folder(folder, sizeof folder);
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    uint32_t count = read_jaw(parts, folder, 1, world), compared = 0;
    uint64_t cuts = 0;
    double largest = 0, relative = 0;
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    def.ignore_touching = true;
    assert_int_equal(dent_world_check(world, &def, &result), DENT_OK);
    assert_true(result.pair_count > 2);
    for (int round = 0; compared < KIT_PAIRS; round++) {
        for (uint64_t i = 0; i < result.pair_count && compared < KIT_PAIRS; i++) {
            const struct tetgen_part *const sides[2] = {&parts[result.pairs[i].body_a],
                                                        &parts[result.pairs[i].body_b]};
            compare_neighbourhoods(context, sides, result.pairs[i].deepest, &largest, &relative, &cuts);
            compared++;
        }
        shift_parts(parts, count, 0.01 * (round + 1));
    }
    printf("%u pairs, %llu cuts; at most %.3g of the bound was needed; the largest bound is %.3g of its volume\n",
           compared, (unsigned long long)cuts, largest, relative);
    assert_int_equal(compared, KIT_PAIRS);
    dent_world_destroy(world);
    dent_context_destroy(context);
    for (uint32_t i = 0; i < count; i++) {
        tetgen_part_free(&parts[i]);
    }
}

/* ---- whole overlaps ---------------------------------------------------------------------------------------------- */

/* Are all corners of `q` certainly outside one face of `p`? In doubles, with room for every rounding: the determinant of
 * three differences of size s is off by less than 2^-48 s^3. */
static bool certainly_apart(const double *const p[4], const double *const q[4])
{
    static const int faces[4][4] = {{1, 3, 2, 0}, {0, 2, 3, 1}, {0, 3, 1, 2}, {0, 1, 2, 3}};
    for (int f = 0; f < 4; f++) {
        const double *a = p[faces[f][0]], *b = p[faces[f][1]], *c = p[faces[f][2]];
        const double *points[5] = {p[faces[f][3]], q[0], q[1], q[2], q[3]};
        int own = 0, others = 0;
        for (int i = 0; i < 5; i++) {
            double u[3], v[3], w[3], size = 0;
            for (int k = 0; k < 3; k++) {
                u[k] = b[k] - a[k];
                v[k] = c[k] - a[k];
                w[k] = points[i][k] - a[k];
                size = fmax(size, fmax(fabs(u[k]), fmax(fabs(v[k]), fabs(w[k]))));
            }
            double value = (u[1] * v[2] - u[2] * v[1]) * w[0] + (u[2] * v[0] - u[0] * v[2]) * w[1] +
                           (u[0] * v[1] - u[1] * v[0]) * w[2];
            double bound = 0x1p-48 * size * size * size;
            int side = value > bound ? 1 : value < -bound ? -1 : 0;
            own = i == 0 ? side : own;
            others += i > 0 && side != 0 && side == -own;
        }
        if (others == 4) {
            return true;
        }
    }
    return false;
}

struct spread_cell {
    double lo[3], hi[3];
    const double *p[4];
};

static int by_beginning(const void *a, const void *b)
{
    const struct spread_cell *x = a, *y = b;
    return x->lo[0] < y->lo[0] ? -1 : x->lo[0] > y->lo[0];
}

static struct spread_cell *spread_cells(const struct tetgen_part *part)
{
    const struct solid solid = {part->xyz, part->corners, part->cell_count};
    struct spread_cell *cells = malloc(part->cell_count * sizeof *cells);
    assert_non_null(cells);
    for (uint32_t i = 0; i < part->cell_count; i++) {
        cell_of_solid(&solid, i, cells[i].p, cells[i].lo, cells[i].hi);
    }
    qsort(cells, part->cell_count, sizeof *cells, by_beginning);
    return cells;
}

static bool cells_meet(const struct spread_cell *a, const struct spread_cell *b)
{
    for (int axis = 0; axis < 3; axis++) {
        if (!(a->lo[axis] < b->hi[axis] && b->lo[axis] < a->hi[axis])) {
            return false;
        }
    }
    return !certainly_apart(a->p, b->p) && !certainly_apart(b->p, a->p);
}

/* The sum over all pairs of cells of two parts, by their order along x. */
static uint64_t exact_volume_of_parts(const struct tetgen_part *const parts[2], mpq_t volume)
{
    struct spread_cell *a = spread_cells(parts[0]), *b = spread_cells(parts[1]);
    struct cutter cutter;
    uint64_t cuts = 0;
    double widest = 0;
    cutter_init(&cutter);
    for (uint32_t j = 0; j < parts[1]->cell_count; j++) {
        widest = fmax(widest, b[j].hi[0] - b[j].lo[0]);
    }
    widest *= 1 + 0x1p-40;
    for (uint32_t i = 0, first = 0; i < parts[0]->cell_count; i++) {
        while (first < parts[1]->cell_count && b[first].lo[0] < a[i].lo[0] - widest) {
            first++;
        }
        for (uint32_t j = first; j < parts[1]->cell_count && b[j].lo[0] < a[i].hi[0]; j++) {
            if (cells_meet(&a[i], &b[j])) {
                add_pair(&cutter, a[i].p, b[j].p);
                cuts++;
            }
        }
    }
    mpq_set_ui(cutter.term, 6, 1);
    mpq_div(volume, cutter.total, cutter.term);
    cutter_clear(&cutter);
    free(a);
    free(b);
    return cuts;
}

static uint32_t compare_whole_pairs(dent_world *world, struct tetgen_part *parts, uint32_t most, double *largest,
                                    uint64_t *cuts)
{
    dent_check_def def = dent_check_def_default();
    dent_check_result result;
    uint32_t compared = 0;
    def.ignore_touching = def.volumes = true;
    assert_int_equal(dent_world_check(world, &def, &result), DENT_OK);
    for (uint64_t i = 0; i < result.pair_count && compared < most; i++) {
        const dent_body_contact *contact = &result.pairs[i];
        const struct tetgen_part *const sides[2] = {&parts[contact->body_a], &parts[contact->body_b]};
        mpq_t exact;
        mpq_init(exact);
        uint64_t own = exact_volume_of_parts(sides, exact);
        double share = assert_within(contact, exact);
        printf("%s %s: volume %.17g, exact %.17g, bound %.3g, %.3g of it used, %llu cuts\n", sides[0]->name,
               sides[1]->name, contact->volume, mpq_get_d(exact), contact->volume_error, share,
               (unsigned long long)own);
        fflush(stdout);
        *largest = fmax(*largest, share);
        *cuts += own;
        compared++;
        mpq_clear(exact);
    }
    return compared;
}

/* All pairs of solids that penetrate in the kit as it is, and then those of the teeth moved by a hundredth until there are
 * 50. */
static void volumes_of_whole_overlaps_are_within_their_bounds(void **state)
{
    (void)state;
    static struct tetgen_part parts[KIT_PARTS];
    bool everything = getenv("DENT_LONG_TESTS") != NULL;
    char folder[512];
    kit_folder(folder, sizeof folder);
    if (!everything) {
        printf("the whole overlaps of the jaw are for DENT_LONG_TESTS=1\n");
        skip();
    }
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    uint32_t count = read_jaw(parts, folder, 7, world);
    double largest = 0;
    uint64_t cuts = 0;
    uint32_t compared = compare_whole_pairs(world, parts, KIT_PAIRS, &largest, &cuts), as_they_are = compared;
    for (int round = 0; compared < KIT_PAIRS; round++) {
        shift_parts(parts, count, 0.01 * (round + 1));
        compared += compare_whole_pairs(world, parts, KIT_PAIRS - compared, &largest, &cuts);
    }
    printf("%u whole overlaps, %u of them as they are in the kit, %llu cuts; at most %.3g of the bound was needed\n",
           compared, as_they_are, (unsigned long long)cuts, largest);
    assert_true(compared == KIT_PAIRS && as_they_are >= 30);
    dent_world_destroy(world);
    dent_context_destroy(context);
    for (uint32_t i = 0; i < count; i++) {
        tetgen_part_free(&parts[i]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volumes_of_random_solids_are_within_their_bounds),
        cmocka_unit_test(boxes_share_what_they_should_at_every_scale),
        cmocka_unit_test(open_surfaces_and_runs_that_do_not_ask_have_no_volume),
        cmocka_unit_test(volumes_are_the_same_to_the_bit_on_any_number_of_threads),
        cmocka_unit_test(every_allocation_of_a_volume_may_fail),
        cmocka_unit_test(volumes_of_the_jaw_are_within_their_bounds_in_50_pairs),
        cmocka_unit_test(volumes_of_whole_overlaps_are_within_their_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
