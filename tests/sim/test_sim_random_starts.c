/* Random starts that make no sense: bodies of every kind thrown into one another, shaken and turned inside out, a
 * milliard apart in stiffness and mass, fast, tied at random, with long steps. No number may stop being finite: a step
 * either succeeds or, where a def is beyond what doubles can hold, the creation is refused.
 *
 *   DENT_QUICK_TESTS 20 starts, default 100, DENT_LONG_TESTS 4,000; DENT_STARTS another number, DENT_START one of them;
 *   DENT_SIM_STEPS instead of 12 steps each */
#include "support/cmocka_includes.h"
#include "support_meshes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES_MOST = 5, MATERIALS = 3, TIES_MOST = 4 };

struct start {
    dent_random random;
    struct test_mesh meshes[BODIES_MOST];
    dent_sim_body_def bodies[BODIES_MOST];
    dent_sim_material materials[MATERIALS];
    dent_sim_attachment ties[TIES_MOST];
    uint32_t fixed[BODIES_MOST];
    dent_sim_def def;
    bool extreme; /* sizes, stiffnesses and densities of all magnitudes */
};

static double uniform(struct start *start, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(dent_random_bits(&start->random) >> 11) * 0x1p-53);
}

static uint32_t below(struct start *start, uint32_t count)
{
    return (uint32_t)(dent_random_bits(&start->random) % count);
}

static double power(struct start *start, double lo, double hi)
{
    return pow(10, uniform(start, lo, hi));
}

static void shake(struct start *start, struct test_mesh *mesh, double amount)
{
    for (uint32_t i = 0; i < 3 * mesh->vertex_count; i++) {
        mesh->positions[i] += uniform(start, -amount, amount);
    }
}

static void make_material(struct start *start, dent_sim_material *material)
{
    *material = dent_sim_material_default();
    material->young = start->extreme ? power(start, -200, 200) : power(start, 0, 12);
    material->poisson = below(start, 4) ? uniform(start, 0, 0.49) : 0.499;
    material->density = start->extreme ? power(start, -150, 150) : power(start, -2, 7);
    material->damping = below(start, 2) ? 0 : power(start, -6, 1);
    material->friction_static = below(start, 2) ? 0.5 : power(start, -2, 2);
    material->friction_kinetic = material->friction_static * uniform(start, 0, 1);
    material->restitution = uniform(start, 0, 1);
    material->contact_compliance = below(start, 2) ? 0 : power(start, -12, 0);
}

static void make_body(struct start *start, uint32_t number, double size)
{
    static const dent_sim_body_kind kinds[] = {DENT_SIM_SOLID, DENT_SIM_SOLID, DENT_SIM_RIGID,
                                               DENT_SIM_RIGID, DENT_SIM_CLOTH, DENT_SIM_PRESCRIBED};
    dent_sim_body_kind kind = kinds[below(start, 6)];
    double edge = size * power(start, -1, 0.3), at[3];
    for (int axis = 0; axis < 3; axis++) {
        at[axis] = below(start, 3) ? uniform(start, -size, size) : 0;
    }
    struct test_mesh *mesh = &start->meshes[number];
    uint32_t cells = 1 + below(start, 3);
    bool surface = (kind == DENT_SIM_RIGID || kind == DENT_SIM_PRESCRIBED) && below(start, 2);
    *mesh = kind == DENT_SIM_CLOTH ? test_sheet(2 * cells, 2 * cells, edge / 2, at[0], at[1], at[2])
            : surface              ? test_ball(1 + below(start, 2), edge, at[0], at[1], at[2])
                                   : test_block(cells, cells, 1 + below(start, 3), edge, at[0], at[1], at[2]);
    if (below(start, 3) == 0) {
        shake(start, mesh, edge * power(start, -6, 0));
    }
    dent_sim_body_def *body = &start->bodies[number];
    *body = test_body(kind, mesh);
    body->mesh = surface || kind == DENT_SIM_CLOTH ? DENT_BODY_SURFACE : DENT_BODY_SOLID;
    body->material = below(start, MATERIALS);
    for (int axis = 0; axis < 3 && below(start, 2); axis++) {
        body->linear_velocity[axis] = size * uniform(start, -1, 1) * power(start, -1, 4);
        body->angular_velocity[axis] = uniform(start, -1, 1) * power(start, -1, 3);
    }
    if (below(start, 4) == 0 && (kind == DENT_SIM_SOLID || kind == DENT_SIM_CLOTH)) {
        start->fixed[number] = below(start, mesh->vertex_count);
        body->fixed_count = 1;
        body->fixed_vertices = &start->fixed[number];
    }
    body->collision_mask = below(start, 8) ? UINT32_MAX : 0;
}

static void make_tie(struct start *start, dent_sim_attachment *tie, uint32_t body_count)
{
    *tie = dent_sim_attachment_default();
    tie->body_a = below(start, body_count);
    tie->vertex_a = below(start, start->bodies[tie->body_a].vertex_count);
    tie->body_b = below(start, 3) ? below(start, body_count) : UINT32_MAX;
    for (int k = 0; k < 4; k++) {
        tie->vertices_b[k] = UINT32_MAX;
        tie->weights_b[k] = 0;
    }
    if (tie->body_b != UINT32_MAX) {
        tie->vertices_b[0] = below(start, start->bodies[tie->body_b].vertex_count);
        tie->weights_b[0] = 1;
    }
    tie->length = below(start, 2) ? 0 : power(start, -3, 0);
    tie->compliance = below(start, 2) ? 0 : power(start, -12, 0);
}

static void make_start(struct start *start, uint64_t number, bool extreme)
{
    memset(start, 0, sizeof *start);
    start->extreme = extreme;
    start->random = dent_random_seeded(number);
    double size = below(start, 2) ? 1 : extreme ? power(start, -100, 100) : power(start, -4, 4);
    uint32_t body_count = 2 + below(start, BODIES_MOST - 1);
    for (uint32_t i = 0; i < MATERIALS; i++) {
        make_material(start, &start->materials[i]);
    }
    for (uint32_t i = 0; i < body_count; i++) {
        make_body(start, i, size);
    }
    uint32_t ties = below(start, 2) ? 0 : 1 + below(start, TIES_MOST);
    for (uint32_t i = 0; i < ties; i++) {
        make_tie(start, &start->ties[i], body_count);
    }
    start->def = dent_sim_def_default();
    start->def.body_count = body_count;
    start->def.bodies = start->bodies;
    start->def.material_count = MATERIALS;
    start->def.materials = start->materials;
    start->def.attachment_count = ties;
    start->def.attachments = start->ties;
    start->def.time_step = below(start, 2) ? 1.0 / 60 : power(start, -5, 0);
    start->def.substeps = 1 + below(start, 10);
    start->def.gravity[2] = -size * power(start, -1, 3);
    start->def.continuous = (dent_sim_continuous)below(start, 3);
    start->def.air_damping = below(start, 3) ? 0 : power(start, -2, 3);
    start->def.contact_budget = below(start, 8) ? 0 : 1000 + below(start, 5000);
}

static void free_start(struct start *start)
{
    for (uint32_t i = 0; i < BODIES_MOST; i++) {
        test_mesh_free(&start->meshes[i]);
    }
}

/* How often each status came out. */
struct tally {
    uint64_t refused, finished, bad_number, other;
    double fastest; /* of the ends, in box sizes a step */
};

static double largest_position(const dent_sim *sim)
{
    double largest = 0;
    for (uint32_t b = 0; b < dent_sim_body_count(sim); b++) {
        dent_sim_body_info info;
        dent_sim_body(sim, b, &info);
        for (uint32_t i = 0; i < 3 * info.vertex_count; i++) {
            largest = fmax(largest, fabs(dent_sim_positions(sim, b)[i]));
        }
    }
    return largest;
}

static void run_start(dent_context *context, uint64_t number, bool extreme, struct tally *tally)
{
    struct start start;
    dent_sim *sim = NULL;
    char message[1024] = "";
    make_start(&start, number, extreme);
    dent_status status = dent_sim_create(context, &start.def, &sim);
    tally->refused += status != DENT_OK;
    if (status != DENT_OK && getenv("DENT_SHOW")) {
        dent_context_message(context, message, sizeof message);
        printf("start %llu refused: %s\n", (unsigned long long)number, message);
    }
    int steps = getenv("DENT_SIM_STEPS") ? atoi(getenv("DENT_SIM_STEPS")) : 12;
    for (int n = 0; n < steps && status == DENT_OK; n++) {
        status = dent_sim_step(sim);
        if (status != DENT_OK) {
            dent_context_message(context, message, sizeof message);
            printf("start %llu, step %d: %s\n", (unsigned long long)number, n, message);
        }
        if (getenv("DENT_SHOW")) {
            dent_sim_statistics statistics = dent_sim_get_statistics(sim);
            printf("  step %d: kinetic %g elastic %g far %g contacts %llu deep %g inverted %u\n", n, statistics.kinetic,
                   statistics.elastic, largest_position(sim), (unsigned long long)statistics.contacts,
                   statistics.max_penetration, statistics.inverted_cells);
        }
    }
    tally->finished += sim && status == DENT_OK;
    tally->bad_number += sim && status == DENT_ERROR_BAD_NUMBER;
    tally->other += sim && status != DENT_OK && status != DENT_ERROR_BAD_NUMBER;
    dent_sim_destroy(sim);
    free_start(&start);
}

static void no_start_ends_in_numbers_that_are_not_finite(void **state)
{
    (void)state;
    uint64_t count = getenv("DENT_QUICK_TESTS") ? 20 : getenv("DENT_LONG_TESTS") ? 4000 : 100, first = 0;
    if (getenv("DENT_STARTS")) {
        count = strtoull(getenv("DENT_STARTS"), NULL, 10);
    }
    if (getenv("DENT_START")) {
        first = strtoull(getenv("DENT_START"), NULL, 10);
        count = 1;
    }
    struct tally tally = {0};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (uint64_t number = first; number < first + count; number++) {
        run_start(context, number, false, &tally);
    }
    printf("%llu starts: %llu refused, %llu finished, %llu with numbers that are not finite, %llu other ends\n",
           (unsigned long long)count, (unsigned long long)tally.refused, (unsigned long long)tally.finished,
           (unsigned long long)tally.bad_number, (unsigned long long)tally.other);
    dent_context_destroy(context);
    assert_int_equal(tally.bad_number, 0);
    assert_int_equal(tally.other, 0);
}

static void what_doubles_cannot_hold_is_refused_at_creation(void **state)
{
    (void)state;
    uint64_t count = getenv("DENT_QUICK_TESTS") ? 8 : getenv("DENT_LONG_TESTS") ? 2000 : 30;
    struct tally tally = {0};
    dent_context *context = test_context(1, DENT_ISA_AUTO);
    for (uint64_t number = 0; number < count && !getenv("DENT_START"); number++) {
        run_start(context, number, true, &tally);
    }
    printf("%llu starts of all magnitudes: %llu refused, %llu finished, %llu with numbers that are not finite\n",
           (unsigned long long)count, (unsigned long long)tally.refused, (unsigned long long)tally.finished,
           (unsigned long long)tally.bad_number);
    dent_context_destroy(context);
    assert_int_equal(tally.bad_number, 0);
    assert_int_equal(tally.other, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_start_ends_in_numbers_that_are_not_finite),
        cmocka_unit_test(what_doubles_cannot_hold_is_refused_at_creation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
