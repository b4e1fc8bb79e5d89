/* Repositioning passes through nothing: thin plates, sheets and needles in the way of bodies that are put apart. */
#include "support_physics.h"

#include <dent/penetration.h>

static bool is_set(const char *name)
{
    return getenv(name) != NULL && getenv(name)[0] != '\0';
}

static struct test_mesh box_mesh(const double low[3], const double size[3])
{
    struct test_mesh mesh = physics_block((const uint32_t[3]){1, 1, 1}, 1, (const double[3]){0, 0, 0});
    for (uint32_t n = 0; n < 3 * mesh.vertex_count; n++) {
        mesh.positions[n] = low[n % 3] + size[n % 3] * mesh.positions[n];
    }
    return mesh;
}

/* A rectangle of two triangles: corner, and two edges. */
static struct test_mesh sheet_mesh(const double low[3], const double along[3], const double up[3])
{
    struct test_mesh mesh = test_sheet(1, 1, 1, 0, 0, 0);
    for (uint32_t v = 0; v < mesh.vertex_count; v++) {
        double a = mesh.positions[3 * v], b = mesh.positions[3 * v + 1];
        for (int k = 0; k < 3; k++) {
            mesh.positions[3 * v + (uint32_t)k] = low[k] + a * along[k] + b * up[k];
        }
    }
    return mesh;
}

static double extreme(const struct physics *physics, uint32_t body, int axis, double sign)
{
    const double *x = dent_sim_positions(physics->sim, body);
    double most = -INFINITY;
    for (uint32_t v = 0; v < physics->meshes[body].vertex_count; v++) {
        most = fmax(most, sign * x[3 * v + (uint32_t)axis]);
    }
    return sign * most;
}

/* A box sunk into a wall must come out to where a sheet, a plate or a needle stands. */
static void what_is_pushed_out_stays_before_what_stands_in_its_way(void **state)
{
    (void)state;
    static const char *const names[] = {"sheet", "plate", "needle", "free plate"};
    for (int obstacle = 0; obstacle < 4; obstacle++) {
        for (int soft = 0; soft < 2; soft++) {
            struct physics physics;
            physics_open(&physics, 1);
            physics.def.thickness = 1e-3;
            const double wall[3] = {-2, -1, -1}, wall_size[3] = {2, 2, 2};
            const double low[3] = {-0.15, -0.5, -0.5}, size[3] = {1, 1, 1};
            uint32_t other;
            physics_add(&physics, DENT_SIM_PRESCRIBED, box_mesh(wall, wall_size));
            physics_add(&physics, soft ? DENT_SIM_SOLID : DENT_SIM_RIGID, box_mesh(low, size));
            if (obstacle == 0) {
                const double at[3] = {0.87, -1, -1}, along[3] = {0, 2, 0}, up[3] = {0, 0, 2};
                other = physics_add(&physics, DENT_SIM_PRESCRIBED, sheet_mesh(at, along, up));
            } else {
                const double at[3] = {0.87, obstacle == 2 ? 0.1 : -1, -1};
                const double wide[3] = {0.004, obstacle == 2 ? 0.004 : 2, 2};
                other = physics_add(&physics, obstacle == 3 ? DENT_SIM_RIGID : DENT_SIM_PRESCRIBED, box_mesh(at, wide));
            }
            physics_begin(&physics);
            dent_sim_reposition_report report;
            assert_int_equal(dent_sim_reposition(physics.sim, &report), DENT_OK);
            double front = extreme(&physics, 1, 0, 1), back = extreme(&physics, other, 0, -1);
            print_message("%s box before a %s: %u cycles, %llu impacts, %u stopped, overlap %.3f to %.3f m, front at %.5f, "
                          "obstacle at %.5f\n",
                          soft ? "soft" : "rigid", names[obstacle], report.cycles, (unsigned long long)report.impacts,
                          report.stopped, report.deepest_before, report.deepest_after, front, back);
            assert_true(front < back && report.stopped > 0 && report.impacts > 0);
            if (obstacle == 3) { /* that one gives way */
                assert_true(report.deepest_after == 0 && back > 1);
            }
            physics_close(&physics);
        }
    }
}

/* ---- random heaps in a cage of sheets ---------------------------------------------------------------------------- */

enum { CAGE = 6, BOXES = 8, NEEDLES = 4 };

static double between(dent_random *random, double low, double high)
{
    return low + (high - low) * dent_random_unit(random);
}

static void add_cage(struct physics *physics, double half)
{
    for (int n = 0; n < CAGE; n++) {
        int axis = n / 2;
        double low[3], along[3] = {0, 0, 0}, up[3] = {0, 0, 0};
        for (int k = 0; k < 3; k++) {
            low[k] = k == axis ? (n % 2 ? half : -half) : -1.2 * half;
        }
        along[(axis + 1) % 3] = up[(axis + 2) % 3] = 2.4 * half;
        physics->bodies[physics_add(physics, DENT_SIM_PRESCRIBED, sheet_mesh(low, along, up))].collision_group = 2;
    }
    for (int n = 0; n < CAGE; n++) { /* sheets of the cage cross one another */
        physics->bodies[n].collision_mask = ~UINT32_C(2);
    }
}

static void add_random_boxes(struct physics *physics, dent_random *random, double half)
{
    for (int n = 0; n < BOXES + NEEDLES; n++) {
        double low[3], size[3];
        bool needle = n >= BOXES;
        int longest = (int)(3 * dent_random_unit(random));
        for (int k = 0; k < 3; k++) {
            size[k] = !needle ? between(random, 0.2, 0.8) * half : k == longest ? half : 0.004 * half;
            low[k] = between(random, -0.98 * half, 0.98 * half - size[k]);
        }
        dent_sim_body_kind kind = dent_random_unit(random) < 0.3 ? DENT_SIM_SOLID : DENT_SIM_RIGID;
        uint32_t body = physics_add(physics, needle ? DENT_SIM_RIGID : kind, box_mesh(low, size));
        physics->bodies[body].self_collision = false;
    }
}

/* Marks of the pairs that penetrate. */
static uint32_t mark_pairs(struct physics *physics, bool marks[PHYSICS_BODIES][PHYSICS_BODIES])
{
    dent_check_def def = dent_check_def_default();
    dent_check_result found;
    uint32_t count = 0;
    def.ignore_touching = true;
    memset(marks, 0, PHYSICS_BODIES * sizeof *marks);
    assert_int_equal(dent_world_check(dent_sim_world(physics->sim), &def, &found), DENT_OK);
    for (uint64_t i = 0; i < found.pair_count; i++) {
        if (found.pairs[i].state == DENT_BODY_PAIR_PENETRATING) {
            marks[found.pairs[i].body_a][found.pairs[i].body_b] = true;
            count++;
        }
    }
    return count;
}

static void heaps_of_overlapping_boxes_and_needles_stay_in_their_cage(void **state)
{
    (void)state;
    static bool before[PHYSICS_BODIES][PHYSICS_BODIES], after[PHYSICS_BODIES][PHYSICS_BODIES];
    dent_random random = dent_random_seeded(4711);
    uint32_t heaps = is_set("DENT_LONG_TESTS") ? 2000 : is_set("DENT_QUICK_TESTS") ? 10 : 60;
    uint32_t stopped = 0, overlaps[2] = {0, 0}, fresh = 0, outside = 0;
    uint64_t impacts = 0;
    for (uint32_t n = 0; n < heaps; n++) {
        struct physics physics;
        double half = 1;
        physics_open(&physics, 1);
        physics.def.thickness = 1e-3;
        add_cage(&physics, half);
        add_random_boxes(&physics, &random, half);
        physics_begin(&physics);
        overlaps[0] += mark_pairs(&physics, before);
        dent_sim_reposition_report report;
        assert_int_equal(dent_sim_reposition(physics.sim, &report), DENT_OK);
        overlaps[1] += mark_pairs(&physics, after);
        stopped += report.stopped;
        impacts += report.impacts;
        for (uint32_t a = 0; a < PHYSICS_BODIES; a++) {
            for (uint32_t b = 0; b < PHYSICS_BODIES; b++) {
                fresh += after[a][b] && !before[a][b];
            }
        }
        for (uint32_t b = CAGE; b < CAGE + BOXES + NEEDLES; b++) {
            for (int axis = 0; axis < 3; axis++) {
                outside += extreme(&physics, b, axis, 1) >= half || extreme(&physics, b, axis, -1) <= -half;
            }
        }
        physics_close(&physics);
    }
    print_message("%u heaps: %u overlapping pairs before, %u after, %u of them new; %llu impacts on the ways, %u bodies "
                  "stopped, %u outside\n",
                  heaps, overlaps[0], overlaps[1], fresh, (unsigned long long)impacts, stopped, outside);
    assert_int_equal(fresh, 0);
    assert_int_equal(outside, 0);
    assert_true(overlaps[0] > 4 * heaps && overlaps[1] < overlaps[0] / 2 && stopped > heaps / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_pushed_out_stays_before_what_stands_in_its_way),
        cmocka_unit_test(heaps_of_overlapping_boxes_and_needles_stay_in_their_cage),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
