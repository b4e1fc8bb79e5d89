/* The kit's UR5e between random joint values, by itself and in a field of boxes, against dense sampling: the links are
 * placed at many times of the motion and asked for crossing faces, exactly, neighbours left out.
 *
 * Free must be free at every sample; before t_lo nothing may cross; and where a contact is certified the samples behind
 * it must show it, unless it is a graze shallower than they can see, which are counted. DENT_LONG_TESTS asks more. */
#include "support/cmocka_includes.h"
#include "support/robot_field.h"

enum { SAMPLES = 160, FINE_SAMPLES = 24 };

/* A second world with the links as they stand at a time, filtered so that neighbours do not meet. */
struct sampler {
    const struct robot_field *field;
    dent_world *world;
    double *positions[FIELD_LINKS_MAX];
    uint64_t queries;
};

static void sampler_open(struct sampler *sampler, const struct robot_field *field)
{
    const dent_robot *robot = field->robot;
    *sampler = (struct sampler){.field = field, .world = dent_world_create(field->context)};
    for (uint32_t i = 0; i < robot->link_count; i++) {
        const dent_robot_link *link = &robot->links[i];
        if (link->triangle_count == 0) {
            continue;
        }
        sampler->positions[i] = malloc(3 * sizeof(double) * link->vertex_count);
        dent_body_def def = dent_surface_def_default();
        dent_body_id id;
        def.vertex_count = link->vertex_count;
        def.element_count = link->triangle_count;
        def.element_corners = link->triangles;
        def.positions_t0 = dent_positions_double(sampler->positions[i]);
        def.self_collision = false;
        def.collision_group = 1u << i;
        for (uint32_t other = 0; other < robot->link_count; other++) {
            if (dent_linkage_neighbours(robot->linkage, i, other)) {
                def.collision_mask &= ~(1u << other);
            }
        }
        assert_int_equal(dent_world_add_body(sampler->world, &def, &id), DENT_OK);
    }
    for (uint32_t b = 0; b < field->box_count; b++) {
        dent_body_def def = dent_surface_def_default();
        dent_body_id id;
        def.vertex_count = 8;
        def.element_count = 12;
        def.element_corners = field_box_triangles[0];
        def.positions_t0 = dent_positions_double(field->boxes[b][0]);
        def.self_collision = false;
        def.collision_group = 1u << 31;
        def.collision_mask = (1u << 31) - 1;
        assert_int_equal(dent_world_add_body(sampler->world, &def, &id), DENT_OK);
    }
}

static void sampler_close(struct sampler *sampler)
{
    dent_world_destroy(sampler->world);
    for (uint32_t i = 0; i < FIELD_LINKS_MAX; i++) {
        free(sampler->positions[i]);
    }
}

static bool crosses_at(struct sampler *sampler, double t)
{
    const struct robot_field *field = sampler->field;
    for (uint32_t i = 0; i < field->robot->link_count; i++) {
        const dent_robot_link *link = &field->robot->links[i];
        double m[16];
        dent_pose pose = dent_motion_frame_at(field->frames, dent_linkage_frame_of(field->robot->linkage, i), t);
        dent_pose_to_matrix(&pose, m);
        for (size_t v = 0; v < link->vertex_count; v++) {
            const double *p = link->positions + 3 * v;
            for (int k = 0; k < 3; k++) {
                sampler->positions[i][3 * v + (size_t)k] =
                    m[4 * k] * p[0] + m[4 * k + 1] * p[1] + m[4 * k + 2] * p[2] + m[4 * k + 3];
            }
        }
    }
    dent_query_def ask = dent_query_def_default();
    dent_query_result result;
    ask.questions = DENT_QUESTION_FACE_FACE;
    ask.no_details = true;
    sampler->queries++;
    assert_int_equal(dent_world_query(sampler->world, &ask, &result), DENT_OK);
    return result.face_face.count > 0;
}

struct tally {
    uint32_t queries, initial, contacts, free, grazes;
};

/* One motion. */
static void compare(struct robot_field *field, struct sampler *sampler, struct tally *tally)
{
    dent_motion_impact_def def = robot_field_def(field);
    dent_motion_impact_result result;
    assert_int_equal(dent_world_motion_impact(field->world, &def, &result), DENT_OK);
    assert_int_not_equal(result.verdict, DENT_MOTION_UNDECIDED);
    bool contact = result.verdict == DENT_MOTION_CONTACT;
    double t_lo = result.t_lo, t_hi = result.t_hi;
    assert_true(t_lo >= 0 && t_lo <= result.t_estimate && result.t_estimate <= t_hi && t_hi <= 1);
    double nearest = INFINITY;
    for (uint64_t i = 0; i < result.contact_count; i++) {
        nearest = fmin(nearest, result.contacts[i].separation);
    }
    assert_true(!contact || result.initial || nearest <= result.tolerance);
    assert_true(!contact || result.contact_count > 0);
    double first = 2;
    for (int k = 0; k <= SAMPLES && first > 1; k++) {
        double t = (double)k / SAMPLES;
        first = crosses_at(sampler, t) ? t : first;
    }
    /* Many times just behind the bound, each twice as far from it as the one before. */
    for (int k = 0; k < FINE_SAMPLES && contact && t_lo > 0; k++) {
        double t = t_hi + ldexp(1e-2, -k);
        first = t < first && t <= 1 && crosses_at(sampler, t) ? t : first;
    }
    assert_true(contact || first > 1);      /* never missed */
    assert_true(!contact || first >= t_lo); /* never late */
    tally->queries++;
    tally->initial += contact && result.initial;
    tally->contacts += contact;
    tally->free += !contact;
    tally->grazes += contact && first > 1;
}

static void run(uint32_t boxes, uint32_t motions, double reach, uint64_t seed)
{
    const char *kit = getenv("DENT_DATA");
    if (!kit) {
        print_message("SKIPPED: DENT_DATA is not set\n");
        skip();
    }
    dent_context_def context_def = dent_context_def_default();
    context_def.thread_count = 1;
    dent_context *context = dent_context_create(&context_def, NULL);
    struct robot_field *field = malloc(sizeof *field);
    struct sampler sampler;
    bool opened = robot_field_open(field, context, kit, boxes);
    if (!opened) {
        char message[1024];
        dent_context_message(context, message, sizeof message);
        print_message("%s\n", message);
    }
    assert_true(opened);
    sampler_open(&sampler, field);
    dent_random random = dent_random_seeded(seed);
    struct tally tally = {0};
    const dent_linkage *linkage = field->robot->linkage;
    while (tally.queries < motions) {
        double values_t0[FIELD_VALUES_MAX], values_t1[FIELD_VALUES_MAX];
        robot_field_values(field, &random, values_t0);
        robot_field_values(field, &random, values_t1);
        for (uint32_t i = 0; i < dent_linkage_value_count(linkage); i++) {
            values_t1[i] = values_t0[i] + reach * (values_t1[i] - values_t0[i]);
        }
        assert_int_equal(dent_linkage_motion(linkage, NULL, values_t0, values_t1, 0, field->frames), DENT_OK);
        /* A start that crosses says little about motion: one in ten is enough. */
        if (crosses_at(&sampler, 0) && dent_random_below(&random, 10) > 0) {
            continue;
        }
        compare(field, &sampler, &tally);
    }
    print_message(
        "%u motions with %u boxes: %u contacts (%u at the start, %u grazes that no sample shows), %u free; %llu "
        "samples\n",
        tally.queries, boxes, tally.contacts, tally.initial, tally.grazes, tally.free,
        (unsigned long long)sampler.queries);
    assert_true((tally.contacts > tally.initial && tally.free > 0) || motions < 10); /* few motions may all miss */
    assert_true(tally.grazes * 20 <= tally.queries);
    sampler_close(&sampler);
    robot_field_close(field);
    free(field);
    dent_context_destroy(context);
}

/* How many motions: fewer under sanitizers, more in the long tier. */
static uint32_t tier(uint32_t usual)
{
    return getenv("DENT_LONG_TESTS") ? 20 * usual : getenv("DENT_QUICK_TESTS") ? 1 + usual / 8 : usual;
}

static void the_arm_by_itself_equals_dense_sampling(void **state)
{
    (void)state;
    run(0, tier(48), 1, 1);
}

static void the_arm_among_boxes_equals_dense_sampling(void **state)
{
    (void)state;
    run(16, tier(48), 0.5, 2);
}

static void short_motions_among_many_boxes_equal_dense_sampling(void **state)
{
    (void)state;
    run(40, tier(48), 0.1, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_arm_by_itself_equals_dense_sampling),
        cmocka_unit_test(the_arm_among_boxes_equals_dense_sampling),
        cmocka_unit_test(short_motions_among_many_boxes_equal_dense_sampling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
