/* Positions of all bodies in one reading: copies and bounds, however the vertices are cut into blocks, and the first
 * fault by the order of the bodies. */
#include "support_bodies.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bodies/snapshot.h"
#include "support/test_context.h"

enum { BODIES = 14, MOST = 5000 };
static const uint32_t sizes[BODIES] = {3, 0, 30, 507, 6, 513, 3, 3, 1500, MOST, 0, 9, 2046, 3};

/* One body: triangles of three vertices each, some of them left out, so that vertices are not used. */
struct given {
    uint32_t count, triangle_count;
    double xyz[MOST][3];
    float narrow[MOST][4]; /* every third body is given as floats with a stride */
    uint32_t corners[MOST];
    bool used[MOST];
};

static struct given given[BODIES];
static char names[BODIES][16];

static bool is_narrow(uint32_t body)
{
    return body % 3 == 2;
}

static void move(dent_random *random)
{
    for (uint32_t body = 0; body < BODIES; body++) {
        for (uint32_t v = 0; v < given[body].count; v++) {
            for (int axis = 0; axis < 3; axis++) {
                double x = (double)(float)(200 * dent_random_unit(random) - 120);
                given[body].xyz[v][axis] = x;
                given[body].narrow[v][axis] = (float)x;
            }
        }
    }
}

static void add_body(struct body_table *table, uint32_t number)
{
    struct given *body = &given[number];
    body->count = sizes[number];
    body->triangle_count = 0;
    for (uint32_t v = 0; v + 2 < body->count; v += 3) {
        bool used = number % 2 == 0 || v / 3 % 5 != 1;
        for (uint32_t k = 0; k < 3; k++) {
            body->corners[3 * body->triangle_count + k] = v + k;
            body->used[v + k] = used;
        }
        body->triangle_count += used;
    }
    dent_body_def def = dent_surface_def_default();
    struct message message = {0};
    dent_body_id id;
    snprintf(names[number], sizeof names[number], "part %u", number);
    def.name = names[number];
    def.vertex_count = body->count;
    def.element_count = body->triangle_count;
    def.element_corners = body->corners;
    def.positions_t0 = dent_positions_double(&body->xyz[0][0]);
    if (is_narrow(number)) {
        def.positions_t0 = dent_positions_float(&body->narrow[0][0]);
        def.positions_t0.stride = sizeof body->narrow[0];
    }
    assert_int_equal(body_table_add(table, &def, &message, &id), DENT_OK);
}

static void check_snapshot(const struct snapshot *snapshot, uint32_t body_count)
{
    double largest = 0;
    size_t vertices = 0, faces = 0;
    assert_int_equal(snapshot->body_count, body_count);
    for (uint32_t number = 0; number < body_count; number++) {
        const struct given *body = &given[number];
        const struct body_snapshot *read = &snapshot->bodies[number];
        double lo[3] = {INFINITY, INFINITY, INFINITY}, hi[3] = {-INFINITY, -INFINITY, -INFINITY};
        assert_int_equal(read->first[FEATURE_VERTEX], vertices);
        assert_int_equal(read->first[FEATURE_FACE], faces);
        for (uint32_t v = 0; v < body->count; v++) {
            assert_memory_equal(read->xyz[v], body->xyz[v], sizeof body->xyz[v]);
            for (int axis = 0; axis < 3 && body->used[v]; axis++) {
                lo[axis] = fmin(lo[axis], body->xyz[v][axis]);
                hi[axis] = fmax(hi[axis], body->xyz[v][axis]);
                largest = fmax(largest, fabs(body->xyz[v][axis]));
            }
        }
        for (int axis = 0; axis < 3; axis++) {
            assert_true(read->lo[axis] == lo[axis] && read->hi[axis] == hi[axis]);
        }
        vertices += body->count;
        faces += body->triangle_count;
    }
    assert_int_equal(snapshot->count[FEATURE_VERTEX], vertices);
    assert_int_equal(snapshot->count[FEATURE_FACE], faces);
    assert_true(snapshot->largest == largest);
}

static void read_all(uint32_t threads)
{
    dent_context *context = test_context(threads, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(17 + threads);
    struct body_table table;
    struct snapshot snapshot;
    struct message message = {0};
    body_table_init(&table, context);
    snapshot_init(&snapshot, context);
    assert_int_equal(snapshot_read(&snapshot, &table, &message), DENT_OK); /* no bodies */
    for (uint32_t number = 0; number < BODIES; number++) {                 /* with one more each time */
        add_body(&table, number);
        for (int turn = 0; turn < 2; turn++) {
            move(&random);
            assert_int_equal(snapshot_read(&snapshot, &table, &message), DENT_OK);
            check_snapshot(&snapshot, number + 1);
        }
    }
    for (uint32_t body = 3; body < 10; body += 6) { /* not finite: 3 and 9, then 9 alone */
        given[body].xyz[100][1] = NAN;
        given[body].narrow[100][1] = NAN;
    }
    assert_int_equal(snapshot_read(&snapshot, &table, &message), DENT_ERROR_BAD_NUMBER);
    assert_contains(message.text, "\"part 3\": vertex 100 has y = NaN");
    given[3].xyz[100][1] = 1;
    assert_int_equal(snapshot_read(&snapshot, &table, &message), DENT_ERROR_BAD_NUMBER);
    assert_contains(message.text, "\"part 9\": vertex 100 has y = NaN");
    move(&random);
    assert_int_equal(snapshot_read(&snapshot, &table, &message), DENT_OK);
    check_snapshot(&snapshot, BODIES);
    snapshot_destroy(&snapshot);
    body_table_destroy(&table);
    dent_context_destroy(context);
}

static void copies_and_bounds_are_those_of_a_plain_loop(void **state)
{
    (void)state;
    read_all(1);
    read_all(2);
    read_all(5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_and_bounds_are_those_of_a_plain_loop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
