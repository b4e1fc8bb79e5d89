/* Three loops on threads of their own: no state is torn, the tool is never inside, and callbacks run until stopped. */
#include "haptic/haptic_exchange.h"
#include "support/haptic_field.h"
#include "support/test_context.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* ---- the exchange ------------------------------------------------------------------------------------------------ */

enum { RECORD = 200 };

struct traffic {
    struct haptic_exchange exchange;
    uint64_t count;
};

static void *write_records(void *data)
{
    struct traffic *traffic = data;
    for (uint64_t n = 1; n <= traffic->count; n++) {
        uint64_t *record = haptic_exchange_back(&traffic->exchange);
        for (int i = 0; i < RECORD; i++) {
            record[i] = n;
        }
        haptic_exchange_publish(&traffic->exchange);
    }
    return NULL;
}

static void a_reader_sees_whole_records_and_the_last_one(void **state)
{
    struct traffic traffic = {.count = test_count(20000, 100000, 1000000)};
    pthread_t writer;
    uint64_t last = 0, seen = 0;
    assert_int_equal(haptic_exchange_open(&traffic.exchange, *state, RECORD * sizeof(uint64_t)), DENT_OK);
    assert_false(haptic_exchange_take(&traffic.exchange));
    assert_int_equal(pthread_create(&writer, NULL, write_records, &traffic), 0);
    while (last < traffic.count) {
        if (!haptic_exchange_take(&traffic.exchange)) {
            continue;
        }
        const uint64_t *record = haptic_exchange_front(&traffic.exchange);
        assert_true(record[0] > last); /* newer, each once */
        last = record[0];
        seen++;
        for (int i = 1; i < RECORD; i++) {
            assert_true(record[i] == last);
        }
    }
    assert_int_equal(pthread_join(writer, NULL), 0);
    assert_false(haptic_exchange_take(&traffic.exchange));
    assert_true(seen >= 1);
    assert_int_equal(traffic.exchange.torn, 0);
    haptic_exchange_close(&traffic.exchange);
}

/* ---- the loops --------------------------------------------------------------------------------------------------- */

struct hand {
    uint64_t ticks;
    atomic_uint_fast64_t forces;
    double largest;
    bool refuses;
};

/* Into the plate and out again; each 50th pose is none. */
static bool read_hand(void *user, dent_pose *pose)
{
    struct hand *hand = user;
    double wave;
    uint64_t tick = hand->ticks++;
    dent_sine_cosine(0.01 * (double)(tick % 1000), &wave, NULL);
    *pose = haptic_turned(0.2 * wave, 0, 0.15 - 0.1 * fabs(wave), 0.3 * wave, 2);
    if (tick % 100 == 99) {
        pose->translation[0] = NAN;
    }
    return tick % 50 != 20;
}

static void write_hand(void *user, const dent_haptic_force *force)
{
    struct hand *hand = user;
    atomic_fetch_add(&hand->forces, 1);
    hand->largest = fmax(hand->largest, force->force[2]);
}

static void three_loops_exchange_without_waiting(void **state)
{
    struct haptic_field field;
    struct hand hand = {.ticks = 0};
    haptic_field_open(&field, *state, haptic_box(0.1, 0.06, 0.05));
    haptic_field_add(&field, "plate", DENT_HAPTIC_RIGID, haptic_box(1, 1, 0.05))->pose = haptic_pose(0, 0, -0.1);
    haptic_field_add(&field, "tissue", DENT_HAPTIC_DEFORMING, haptic_sheet(1, 6, NULL));
    haptic_shape_move(&field.shapes[1], 0, 0, -0.04);
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.15);
    dent_haptic_device device = {read_hand, write_hand, &hand};
    dent_haptic *haptic = NULL;
    dent_haptic_force force;
    dent_pose pose = haptic_pose(0, 0, 0.15);
    dent_haptic_delays delays = dent_haptic_delays_default();
    def.tick = 0.0005;
    assert_int_equal(dent_haptic_create(*state, &def, &haptic), DENT_OK);
    assert_int_equal(dent_haptic_start(haptic, &device), DENT_OK);
    assert_int_equal(dent_haptic_start(haptic, &device), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_haptic_clock_tick(haptic, &delays, &pose, &force), DENT_ERROR_INVALID_ARGUMENT);
    uint64_t last = 0, wanted = test_count(150, 600, 5000);
    bool pushed = false; /* in the end, however slow the machine is */
    while (atomic_load(&hand.forces) < wanted || !pushed) {
        double wave;
        dent_haptic_state now;
        dent_sine_cosine(0.01 * (double)(atomic_load(&hand.forces) % 1000), &wave, NULL);
        dent_pose plate = haptic_pose(0, 0, -0.1 + 0.02 * wave);
        for (uint32_t v = 0; v < field.shapes[1].vertex_count; v++) {
            field.shapes[1].points[3 * v + 2] = -0.02 + 0.02 * wave;
        }
        dent_haptic_scene scene = dent_haptic_scene_default();
        scene.poses = &plate;
        scene.positions = field.shapes[1].points;
        assert_int_equal(dent_haptic_set_scene(haptic, &scene), DENT_OK);
        assert_int_equal(dent_haptic_read(haptic, &now), DENT_OK);
        assert_true(now.sequence >= last && now.gap > 0);
        for (uint32_t c = 0; c < now.contact_count; c++) {
            assert_true(now.contacts[c].force >= 0 && now.contacts[c].body < 2);
        }
        last = now.sequence;
        pushed = pushed || now.outcome == DENT_HAPTIC_CONTACT;
    }
    dent_status status = dent_haptic_stop(haptic);
    dent_haptic_counters counters;
    assert_int_equal(status, DENT_ERROR_BAD_NUMBER); /* the first failure: the poses that are not finite */
    assert_int_equal(dent_haptic_stop(haptic), DENT_OK);
    assert_int_equal(dent_haptic_get_counters(haptic, &counters), DENT_OK);
    assert_int_equal(counters.torn, 0);
    assert_int_equal(counters.ticks + counters.rejected_poses, atomic_load(&hand.forces));
    assert_true(counters.rejected_poses >= 1 && counters.updates >= 2 && counters.scenes >= 1);
    assert_true(last > 0 && hand.largest >= 0);
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

static void destruction_stops_the_threads(void **state)
{
    struct haptic_field field;
    struct hand hand = {.ticks = 0};
    haptic_field_open(&field, *state, haptic_box(0.1, 0.06, 0.05));
    haptic_field_add(&field, "plate", DENT_HAPTIC_FIXED, haptic_sheet(1, 2, NULL));
    dent_haptic_def def = haptic_field_def(&field, 0, 0, 0.15);
    dent_haptic_device device = {read_hand, write_hand, &hand}, none = {read_hand, NULL, NULL};
    dent_haptic *haptic = NULL;
    assert_int_equal(dent_haptic_create(*state, &def, &haptic), DENT_OK);
    assert_int_equal(dent_haptic_start(haptic, &none), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(dent_haptic_start(haptic, &device), DENT_OK);
    while (atomic_load(&hand.forces) < 3) {
    }
    dent_haptic_destroy(haptic);
    haptic_field_close(&field);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_reader_sees_whole_records_and_the_last_one),
        cmocka_unit_test(three_loops_exchange_without_waiting),
        cmocka_unit_test(destruction_stops_the_threads),
    };
    return cmocka_run_group_tests_name("haptic threads", tests, test_open_context_of_one, test_close_context);
}
