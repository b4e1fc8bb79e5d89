/* The separation list: contacts of boxes between two times, against all pairs at many times in exact arithmetic. */
#include "support/cmocka_includes.h"

#include "kinetic/moving_points.h"
#include "support/test_context.h"

enum { VERTICES = 60, ELEMENTS = 40, KEYS = 4, SAMPLES = 30 };

struct scene {
    struct moving_points points;
    uint32_t triangles[3 * ELEMENTS];
    double first[ELEMENTS][ELEMENTS]; /* time of the contact listed; NAN: none */
};

/* Small elements, which meet seldom; whole numbers, which touch often. */
static void random_scene(dent_random *random, struct scene *scene, bool whole, bool own_times)
{
    scene->points = moving_points_make(VERTICES);
    for (uint32_t i = 0; i < VERTICES; i++) {
        struct moving_point *point = &scene->points.points[i];
        double time = 0;
        point->key_count = KEYS;
        for (uint32_t key = 0; key < KEYS; key++) {
            point->times[key] = time;
            time += own_times ? 0.25 + dent_random_unit(random) : 1;
            for (int axis = 0; axis < 3; axis++) {
                const double *other = i % 3 ? scene->points.points[i - i % 3].places + 3 * key : NULL;
                double place = whole ? (double)dent_random_below(random, other ? 2 : 9) : dent_random_unit(random) * (other ? 0.2 : 2);
                point->places[3 * key + axis] = (other ? other[axis] : 0) + place;
            }
        }
    }
    for (uint32_t e = 0; e < ELEMENTS; e++) {
        uint32_t first = 3 * dent_random_below(random, VERTICES / 3);
        for (uint32_t i = 0; i < 3; i++) {
            scene->triangles[3 * e + i] = first + (e % 2 ? i : 0);
        }
    }
}

static bool apart_along(const struct scene *scene, uint32_t low, uint32_t high, int axis, double t, double gap)
{
    for (uint32_t i = 0; i < 3; i++) {
        for (uint32_t k = 0; k < 3; k++) {
            struct moving_value a = moving_point_piece(&scene->points.points[scene->triangles[3 * low + i]], axis, t);
            struct moving_value b = moving_point_piece(&scene->points.points[scene->triangles[3 * high + k]], axis, t);
            b.x0 -= gap;
            b.x1 -= gap;
            if (moving_sign(&b, &a, t) <= 0) {
                return false;
            }
        }
    }
    return true;
}

/* Are they as near as `gap` along all axes? */
static bool boxes_near(const struct scene *scene, uint32_t a, uint32_t b, double t, double gap)
{
    bool apart = false;
    for (int axis = 0; axis < 3 && !apart; axis++) {
        apart = apart_along(scene, a, b, axis, t, gap) || apart_along(scene, b, a, axis, t, gap);
    }
    return !apart;
}

static bool boxes_meet(const struct scene *scene, uint32_t a, uint32_t b, double t)
{
    return boxes_near(scene, a, b, t, 0);
}

static void read_contacts(struct scene *scene, dent_kinetic *tree)
{
    dent_kinetic_contacts_list list;
    for (uint32_t a = 0; a < ELEMENTS; a++) {
        for (uint32_t b = 0; b < ELEMENTS; b++) {
            scene->first[a][b] = NAN;
        }
    }
    assert_int_equal(dent_kinetic_contacts(tree, &list), DENT_OK);
    for (uint64_t i = 0; i < list.count; i++) {
        const dent_kinetic_contact *contact = &list.contacts[i];
        assert_true(contact->a < contact->b && contact->b < ELEMENTS);
        assert_true(isnan(scene->first[contact->a][contact->b]));
        assert_true(i == 0 || list.contacts[i - 1].time <= contact->time);
        scene->first[contact->a][contact->b] = contact->time;
    }
}

/* Every contact begins when it is said to; no time without a contact listed has one. Returns how many began later. */
static uint64_t assert_contacts(dent_random *random, const struct scene *scene, double since, double now, bool boxes)
{
    uint64_t later = 0;
    for (uint32_t a = 0; a < ELEMENTS; a++) {
        for (uint32_t b = a + 1; b < ELEMENTS; b++) {
            double first = scene->first[a][b];
            if (!isnan(first)) {
                assert_true(boxes_near(scene, a, b, first, 1e-12));
                assert_true(first == since || !boxes || !boxes_meet(scene, a, b, nextafter(first, -INFINITY)));
                later += first > since;
            }
            for (uint32_t sample = 0; sample < SAMPLES; sample++) {
                double t = sample == 0 ? since : sample == 1 ? now : since + (now - since) * dent_random_unit(random);
                assert_true(!boxes || isnan(first) || t >= first || !boxes_meet(scene, a, b, t));
                assert_true(!isnan(first) || !boxes || !boxes_meet(scene, a, b, t));
            }
        }
    }
    return later;
}

static void test_contacts_are_those_of_all_times(void **state)
{
    dent_random random = dent_random_seeded(21);
    uint64_t later = 0;
    for (uint32_t round = 0; round < test_count(4, 8, 80); round++) {
        struct scene scene;
        dent_kinetic_def def = dent_kinetic_def_default();
        dent_kinetic *tree;
        bool own_times = round % 4 >= 2;
        def.contacts = true;
        random_scene(&random, &scene, round % 2, own_times);
        assert_int_equal(dent_kinetic_create(*state, &def, &tree), DENT_OK);
        for (uint32_t i = 0; i < VERTICES && own_times; i++) {
            assert_int_equal(moving_point_give(tree, &scene.points, i), DENT_OK);
        }
        if (!own_times) {
            assert_int_equal(moving_points_give_all(tree, &scene.points), DENT_OK);
        }
        assert_int_equal(dent_kinetic_insert(tree, scene.triangles, 3, ELEMENTS, NULL), DENT_OK);
        double since = 0;
        for (double t = 0.7; t < 4; t += 0.7) {
            assert_int_equal(dent_kinetic_advance(tree, t / 2 + since / 2), DENT_OK);
            assert_int_equal(dent_kinetic_advance(tree, t), DENT_OK);
            read_contacts(&scene, tree);
            later += assert_contacts(&random, &scene, since, t, true);
            assert_int_equal(dent_kinetic_forget_contacts(tree), DENT_OK);
            since = t;
        }
        dent_kinetic_destroy(tree);
        moving_points_free(&scene.points);
    }
    print_message("%llu contacts that began on the way\n", (unsigned long long)later);
    assert_true(later > test_count(20, 200, 200));
}

/* A new plan in the middle of a piece: what meets at once, and what meets later. */
static void test_new_plans_are_seen(void **state)
{
    struct moving_points points = moving_points_make(2);
    dent_kinetic_def def = dent_kinetic_def_default();
    dent_kinetic *tree;
    dent_kinetic_contacts_list list;
    uint32_t vertices[2] = {0, 1};
    def.contacts = true;
    assert_int_equal(dent_kinetic_create(*state, &def, &tree), DENT_OK);
    for (uint32_t i = 0; i < 2; i++) {
        points.points[i].key_count = 2;
        for (uint32_t k = 0; k < 2; k++) {
            points.points[i].times[k] = 10.0 * k;
            memcpy(points.points[i].places + 3 * k, (double[3]){i, 0, 0}, 3 * sizeof(double));
        }
    }
    assert_int_equal(moving_points_give_all(tree, &points), DENT_OK);
    assert_int_equal(dent_kinetic_insert(tree, vertices, 1, 2, NULL), DENT_OK);
    assert_int_equal(dent_kinetic_advance(tree, 3), DENT_OK);
    dent_kinetic_contacts(tree, &list);
    assert_int_equal(list.count, 0);
    points.points[1].times[0] = 4;
    points.points[1].times[1] = 8;
    points.points[1].places[3] = -1; /* from 1 to -1: meets 0 at time 6 */
    assert_int_equal(moving_point_give(tree, &points, 1), DENT_OK);
    assert_int_equal(dent_kinetic_advance(tree, 5), DENT_OK);
    dent_kinetic_contacts(tree, &list);
    assert_int_equal(list.count, 0);
    assert_int_equal(dent_kinetic_advance(tree, 7), DENT_OK);
    dent_kinetic_contacts(tree, &list);
    assert_int_equal(list.count, 1);
    assert_true(list.contacts[0].time == 6 && list.since == 0);
    assert_int_equal(dent_kinetic_forget_contacts(tree), DENT_OK);
    dent_kinetic_contacts(tree, &list);
    assert_int_equal(list.count, 0);
    points.points[1].key_count = 1;
    points.points[1].places[0] = 0; /* on the other one at once */
    assert_int_equal(moving_point_give(tree, &points, 1), DENT_OK);
    dent_kinetic_contacts(tree, &list);
    assert_int_equal(list.count, 1);
    assert_true(list.contacts[0].time == 7);
    dent_kinetic_destroy(tree);
    moving_points_free(&points);
}

/* With more directions fewer boxes meet, but all those whose vertices do. */
static void test_more_directions_list_fewer_contacts(void **state)
{
    dent_random random = dent_random_seeded(22);
    static const uint32_t directions[] = {3, 7, 9, 13};
    uint64_t counts[4] = {0};
    for (uint32_t round = 0; round < test_rounds(4); round++) {
        struct scene scene;
        random_scene(&random, &scene, false, false);
        double first[ELEMENTS][ELEMENTS];
        for (int k = 0; k < 4; k++) {
            dent_kinetic_def def = dent_kinetic_def_default();
            dent_kinetic *tree;
            dent_kinetic_contacts_list list;
            def.contacts = true;
            def.directions = directions[k];
            assert_int_equal(dent_kinetic_create(*state, &def, &tree), DENT_OK);
            assert_int_equal(moving_points_give_all(tree, &scene.points), DENT_OK);
            assert_int_equal(dent_kinetic_insert(tree, scene.triangles, 3, ELEMENTS, NULL), DENT_OK);
            assert_int_equal(dent_kinetic_advance(tree, 2.9), DENT_OK);
            read_contacts(&scene, tree);
            assert_int_equal(dent_kinetic_contacts(tree, &list), DENT_OK);
            counts[k] += list.count;
            assert_contacts(&random, &scene, 0, 2.9, k == 0);
            for (uint32_t a = 0; a < ELEMENTS; a++) {
                for (uint32_t b = a + 1; b < ELEMENTS; b++) {
                    first[a][b] = k == 0 ? scene.first[a][b] : first[a][b];
                    assert_true(isnan(scene.first[a][b]) || scene.first[a][b] >= first[a][b]);
                }
            }
            dent_kinetic_destroy(tree);
        }
        moving_points_free(&scene.points);
    }
    print_message("contacts: %llu of boxes, %llu, %llu and %llu with 7, 9 and 13 directions\n", (unsigned long long)counts[0],
                  (unsigned long long)counts[1], (unsigned long long)counts[2], (unsigned long long)counts[3]);
    assert_true(counts[3] <= counts[1] && counts[1] < counts[0] && counts[3] <= counts[2] && counts[2] < counts[0]);
}

/* Two points that pass a corner at time 1/3, between two doubles: at no double do they touch. */
static void test_a_touch_between_two_doubles_is_seen(void **state)
{
    double start[6] = {0, 0, 0, 1, -1, 0}, end[6] = {3, -3, 0, 1, -1, 0}, times[2] = {0, 1};
    dent_positions positions[2] = {dent_positions_double(start), dent_positions_double(end)};
    dent_flight_plans plans = {0, 2, 2, times, positions};
    uint32_t vertices[2] = {0, 1};
    dent_kinetic_def def = dent_kinetic_def_default();
    dent_kinetic *tree;
    dent_kinetic_contacts_list list;
    def.contacts = true;
    assert_int_equal(dent_kinetic_create(*state, &def, &tree), DENT_OK);
    assert_int_equal(dent_kinetic_set_plans(tree, &plans), DENT_OK);
    assert_int_equal(dent_kinetic_insert(tree, vertices, 1, 2, NULL), DENT_OK);
    assert_int_equal(dent_kinetic_advance(tree, 0.9), DENT_OK);
    assert_int_equal(dent_kinetic_contacts(tree, &list), DENT_OK);
    assert_int_equal(list.count, 1);
    assert_true(list.contacts[0].time == nextafter(1.0 / 3, 1));
    dent_kinetic_destroy(tree);
}

static void test_trees_without_contacts_have_no_list(void **state)
{
    dent_kinetic *tree;
    dent_kinetic_contacts_list list;
    assert_int_equal(dent_kinetic_create(*state, NULL, &tree), DENT_OK);
    assert_int_equal(dent_kinetic_contacts(tree, &list), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_kinetic_forget_contacts(tree), DENT_ERROR_INVALID_ARGUMENT);
    dent_kinetic_destroy(tree);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_contacts_are_those_of_all_times),
        cmocka_unit_test(test_new_plans_are_seen),
        cmocka_unit_test(test_more_directions_list_fewer_contacts),
        cmocka_unit_test(test_a_touch_between_two_doubles_is_seen),
        cmocka_unit_test(test_trees_without_contacts_have_no_list),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
