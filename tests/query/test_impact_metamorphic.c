/* Impacts under changes of the input whose effect is known exactly: renumbering only renames, scaling by a power of two
 * and exact translation change nothing, time may run backwards, and a step may be done in two halves. */
#include "query/support_impact.h"

static dent_context *context;

static int open_context(void **state)
{
    (void)state;
    dent_context_def def = dent_context_def_default();
    def.thread_count = 2;
    context = dent_context_create(&def, NULL);
    return context ? 0 : -1;
}

static int close_context(void **state)
{
    (void)state;
    dent_context_destroy(context);
    return 0;
}

static struct impact_list impacts_of(const struct moving_scene *moving)
{
    dent_world *world = moving_scene_world(moving, context);
    assert_non_null(world);
    struct impact_list list = impacts_by(world, DENT_METHOD_AUTO);
    dent_world_destroy(world);
    return list;
}

/* Every body gets positions at t1. */
static void give_ends(struct moving_scene *moving)
{
    for (uint32_t b = 0; b < moving->scene.body_count; b++) {
        struct test_body *body = &moving->scene.bodies[b];
        if (!moving->end[b]) {
            moving->end[b] = test_allocate(body->vertex_count, sizeof *body->xyz);
            memcpy(moving->end[b], body->xyz, body->vertex_count * sizeof *body->xyz);
        }
    }
}

static uint64_t scene_count(void)
{
    return test_count(50, 600, 20000);
}

static void standing_still_is_moving_to_the_same_place(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= scene_count() / 4; seed++) {
        struct moving_scene moving;
        small_scene_make(&moving, seed);
        struct impact_list before = impacts_of(&moving);
        give_ends(&moving);
        struct impact_list after = impacts_of(&moving);
        assert_same_impacts(&before, &after, "standing still");
        free_impacts(&before);
        free_impacts(&after);
        moving_scene_free(&moving);
    }
}

/* ---- scale and place --------------------------------------------------------------------------------------------- */

static void map_scene(struct moving_scene *moving, double scale, double shift)
{
    for (uint32_t b = 0; b < moving->scene.body_count; b++) {
        for (uint32_t i = 0; i < 3 * moving->scene.bodies[b].vertex_count; i++) {
            moving->scene.bodies[b].xyz[i / 3][i % 3] = moving->scene.bodies[b].xyz[i / 3][i % 3] * scale + shift;
            moving->end[b][i / 3][i % 3] = moving->end[b][i / 3][i % 3] * scale + shift;
        }
    }
}

static void a_power_of_two_changes_no_bit(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= scene_count(); seed++) {
        struct moving_scene moving;
        small_scene_make(&moving, seed);
        give_ends(&moving);
        struct impact_list before = impacts_of(&moving);
        map_scene(&moving, seed % 2 ? 0x1p40 : 0x1p-40, 0);
        struct impact_list after = impacts_of(&moving);
        assert_same_impacts(&before, &after, "scale");
        free_impacts(&before);
        free_impacts(&after);
        moving_scene_free(&moving);
    }
}

/* Lattice motions only: whole numbers below 2^20 can be shifted exactly. */
static bool on_lattice(const struct moving_scene *moving)
{
    for (uint32_t b = 0; b < moving->scene.body_count; b++) {
        for (uint32_t i = 0; i < 3 * moving->scene.bodies[b].vertex_count; i++) {
            double x = moving->scene.bodies[b].xyz[i / 3][i % 3], y = moving->end[b][i / 3][i % 3];
            if (x != floor(x) || y != floor(y) || fabs(x) > 0x1p20 || fabs(y) > 0x1p20) {
                return false;
            }
        }
    }
    return true;
}

static void an_exact_translation_changes_no_pair_and_no_time(void **state)
{
    (void)state;
    uint64_t done = 0;
    for (uint64_t seed = 1; seed <= 4 * scene_count(); seed++) {
        struct moving_scene moving;
        small_scene_make(&moving, seed);
        give_ends(&moving);
        if (on_lattice(&moving)) {
            struct impact_list before = impacts_of(&moving);
            map_scene(&moving, 1, 0x1p30);
            struct impact_list after = impacts_of(&moving);
            assert_int_equal(before.count, after.count);
            for (uint64_t i = 0; i < before.count; i++) {
                assert_true(same_pair(&before.impacts[i], &after.impacts[i]) &&
                            before.impacts[i].toi == after.impacts[i].toi);
            }
            done += before.count > 0;
            free_impacts(&before);
            free_impacts(&after);
        }
        moving_scene_free(&moving);
    }
    assert_true(done >= 10);
}

/* ---- time -------------------------------------------------------------------------------------------------------- */

static void backwards_in_time_the_same_pairs_meet(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= scene_count(); seed++) {
        struct moving_scene moving;
        small_scene_make(&moving, seed);
        give_ends(&moving);
        struct impact_list before = impacts_of(&moving);
        for (uint32_t b = 0; b < moving.scene.body_count; b++) {
            double(*swap)[3] = moving.scene.bodies[b].xyz;
            moving.scene.bodies[b].xyz = moving.end[b];
            moving.end[b] = swap;
        }
        bool tied =
            moving.scene.tie_equal_positions; /* ties are made from equal positions at t0, which are others now */
        struct impact_list after = tied ? before : impacts_of(&moving);
        assert_int_equal(before.count, after.count);
        for (uint64_t i = 0; i < before.count && !tied; i++) {
            assert_true(same_pair(&before.impacts[i], &after.impacts[i]));
            /* What meets at once one way meets at the end the other way, so the two first times add up to at most 1 …
             */
            assert_true(before.impacts[i].toi + after.impacts[i].toi <= 1 + 0x1p-50);
        }
        free_impacts(&before);
        if (!tied) {
            free_impacts(&after);
        }
        moving_scene_free(&moving);
    }
}

static const dent_impact *find_pair(const struct impact_list *list, const dent_impact *pair)
{
    for (uint64_t i = 0; i < list->count; i++) {
        if (same_pair(&list->impacts[i], pair)) {
            return &list->impacts[i];
        }
    }
    return NULL;
}

/* The whole step against its two halves. The middle positions are exact: all numbers are multiples of 2^-30 below 2^20.
 */
static void compare_halves(const struct impact_list *whole, const struct impact_list *first,
                           const struct impact_list *second)
{
    for (uint64_t i = 0; i < whole->count; i++) {
        const dent_impact *w = &whole->impacts[i], *f = find_pair(first, w), *s = find_pair(second, w);
        assert_true(f || s);
        if (f) {
            assert_true(w->toi == f->toi / 2);
        } else {
            assert_true(w->toi >= nextafter(0.5 + s->toi / 2, 0) && w->toi <= 0.5 + nextafter(s->toi, 2) / 2);
        }
    }
    for (int half = 0; half < 2; half++) {
        const struct impact_list *list = half ? second : first;
        for (uint64_t i = 0; i < list->count; i++) {
            assert_non_null(find_pair(whole, &list->impacts[i]));
        }
    }
}

static void a_step_in_two_halves_is_the_same_step(void **state)
{
    (void)state;
    uint64_t met = 0;
    for (uint64_t seed = 1; seed <= scene_count(); seed++) {
        struct moving_scene moving;
        small_scene_make(&moving, seed);
        give_ends(&moving);
        double size = scene_size(&moving.scene), unit = size > 0 ? ldexp(1, ilogb(size) - 20) : 1;
        for (uint32_t b = 0; b < moving.scene.body_count; b++) {
            for (uint32_t i = 0; i < 3 * moving.scene.bodies[b].vertex_count; i++) {
                moving.scene.bodies[b].xyz[i / 3][i % 3] = rint(moving.scene.bodies[b].xyz[i / 3][i % 3] / unit) * unit;
                moving.end[b][i / 3][i % 3] = rint(moving.end[b][i / 3][i % 3] / unit) * unit;
            }
        }
        dent_world *world = moving_scene_world(&moving, context);
        struct impact_list lists[3];
        double(*middle[TEST_BODIES_MAX])[3];
        lists[0] = impacts_by(world, DENT_METHOD_AUTO);
        for (uint32_t b = 0; b < moving.scene.body_count; b++) {
            middle[b] = test_allocate(moving.scene.bodies[b].vertex_count, sizeof *middle[b]);
            for (uint32_t i = 0; i < 3 * moving.scene.bodies[b].vertex_count; i++) {
                middle[b][i / 3][i % 3] = (moving.scene.bodies[b].xyz[i / 3][i % 3] + moving.end[b][i / 3][i % 3]) / 2;
            }
        }
        for (int half = 0; half < 2; half++) {
            for (uint32_t b = 0; b < moving.scene.body_count; b++) {
                dent_positions start = dent_positions_double(half ? middle[b][0] : moving.scene.bodies[b].xyz[0]);
                dent_positions end = dent_positions_double(half ? moving.end[b][0] : middle[b][0]);
                assert_int_equal(dent_body_set_positions(world, dent_world_body_at(world, b), &start, &end), DENT_OK);
            }
            lists[1 + half] = impacts_by(world, DENT_METHOD_AUTO);
        }
        compare_halves(&lists[0], &lists[1], &lists[2]);
        met += lists[0].count;
        for (int i = 0; i < 3; i++) {
            free_impacts(&lists[i]);
        }
        for (uint32_t b = 0; b < moving.scene.body_count; b++) {
            free(middle[b]);
        }
        dent_world_destroy(world);
        moving_scene_free(&moving);
    }
    assert_true(met > 1000);
}

/* ---- names ------------------------------------------------------------------------------------------------------- */

/* A pair by its vertices: of bodies by their original number and vertices by theirs, sides in a fixed order. */
struct named_impact {
    uint32_t kind, a[4], b[4];
    double toi;
};

static int compare_numbers(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static int compare_named(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct named_impact));
}

struct renaming {
    uint32_t bodies[TEST_BODIES_MAX];    /* new rank -> original */
    uint32_t *vertices[TEST_BODIES_MAX]; /* of the original body: new -> original */
};

static void name_side(dent_world *world, uint32_t kind, uint32_t body_index, uint32_t feature, bool side_b,
                      const struct renaming *renaming, uint32_t *out)
{
    dent_body_id id = dent_world_body_at(world, body_index);
    uint32_t count, original = renaming ? renaming->bodies[body_index] : body_index, corners[3] = {feature, 0, 0},
                    corner_count = 1;
    if (kind == DENT_IMPACT_EDGE_EDGE) {
        const dent_edge *edge = &dent_body_edges(world, id, &count)[feature];
        corners[0] = edge->v0;
        corners[1] = edge->v1;
        corner_count = 2;
    } else if (side_b) {
        memcpy(corners, dent_body_surface_faces(world, id, &count)[feature].corners, sizeof corners);
        corner_count = 3;
    }
    out[0] = original;
    for (uint32_t i = 0; i < corner_count; i++) {
        out[1 + i] = renaming ? renaming->vertices[original][corners[i]] : corners[i];
    }
    qsort(out + 1, corner_count, sizeof *out, compare_numbers);
}

static struct named_impact *name_all(dent_world *world, const struct impact_list *list, const struct renaming *renaming)
{
    struct named_impact *named = test_allocate(list->count + 1, sizeof *named);
    for (uint64_t i = 0; i < list->count; i++) {
        const dent_impact *impact = &list->impacts[i];
        named[i].kind = impact->kind;
        named[i].toi = impact->toi;
        name_side(world, impact->kind, impact->body_a, impact->feature_a, false, renaming, named[i].a);
        name_side(world, impact->kind, impact->body_b, impact->feature_b, true, renaming, named[i].b);
        if (impact->kind == DENT_IMPACT_EDGE_EDGE && memcmp(named[i].a, named[i].b, sizeof named[i].a) > 0) {
            uint32_t swap[4];
            memcpy(swap, named[i].a, sizeof swap);
            memcpy(named[i].a, named[i].b, sizeof swap);
            memcpy(named[i].b, swap, sizeof swap);
        }
    }
    qsort(named, list->count, sizeof *named, compare_named);
    return named;
}

static void shuffle(uint32_t *numbers, uint32_t count, dent_random *random)
{
    for (uint32_t i = 0; i < count; i++) {
        numbers[i] = i;
    }
    for (uint32_t i = count; i > 1; i--) {
        uint32_t j = dent_random_below(random, i), swap = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = swap;
    }
}

/* The same scene with bodies and vertices in another order, and elements turned. */
static void renumber(const struct moving_scene *from, struct moving_scene *to, struct renaming *renaming,
                     dent_random *random)
{
    memset(to, 0, sizeof *to);
    shuffle(renaming->bodies, from->scene.body_count, random);
    for (uint32_t body_index = 0; body_index < from->scene.body_count; body_index++) {
        uint32_t original = renaming->bodies[body_index];
        const struct test_body *body = &from->scene.bodies[original];
        uint32_t per = body->kind == DENT_BODY_SOLID ? 4 : 3,
                 *new_number = test_allocate(body->vertex_count, sizeof *new_number);
        struct test_body *copy = test_scene_new_body(&to->scene, body->kind, body->vertex_count, body->element_count,
                                                     body->element_count * per);
        renaming->vertices[original] = test_allocate(body->vertex_count, sizeof(uint32_t));
        shuffle(renaming->vertices[original], body->vertex_count, random);
        to->end[body_index] = test_allocate(body->vertex_count, sizeof *copy->xyz);
        for (uint32_t v = 0; v < body->vertex_count; v++) {
            uint32_t old = renaming->vertices[original][v];
            new_number[old] = v;
            memcpy(copy->xyz[v], body->xyz[old], sizeof copy->xyz[v]);
            memcpy(to->end[body_index][v], from->end[original][old], sizeof copy->xyz[v]);
        }
        for (uint32_t e = 0; e < body->element_count; e++) {
            uint32_t turn = dent_random_below(random, per);
            for (uint32_t corner = 0; corner < per; corner++) {
                copy->corners[e * per + corner] =
                    new_number[body->corners[(body->element_count - 1 - e) * per + (corner + turn) % per]];
            }
        }
        free(new_number);
    }
}

static void other_numbers_give_the_same_pairs_and_times(void **state)
{
    (void)state;
    uint64_t met = 0;
    for (uint64_t seed = 1; seed <= scene_count(); seed++) {
        struct moving_scene moving, renumbered;
        struct renaming renaming;
        dent_random random = dent_random_seeded(seed);
        small_scene_make(&moving, seed);
        moving.scene.tie_equal_positions =
            false; /* the test ties to the first vertex at a place, which is another then */
        give_ends(&moving);
        renumber(&moving, &renumbered, &renaming, &random);
        dent_world *worlds[2] = {moving_scene_world(&moving, context), moving_scene_world(&renumbered, context)};
        struct impact_list before = impacts_by(worlds[0], DENT_METHOD_AUTO),
                           after = impacts_by(worlds[1], DENT_METHOD_AUTO);
        assert_int_equal(before.count, after.count);
        struct named_impact *named_before = name_all(worlds[0], &before, NULL);
        struct named_impact *named_after = name_all(worlds[1], &after, &renaming);
        assert_memory_equal(named_before, named_after, before.count * sizeof *named_before + 1);
        met += before.count;
        for (uint32_t b = 0; b < moving.scene.body_count; b++) {
            free(renaming.vertices[b]);
        }
        free(named_before);
        free(named_after);
        free_impacts(&before);
        free_impacts(&after);
        dent_world_destroy(worlds[0]);
        dent_world_destroy(worlds[1]);
        moving_scene_free(&moving);
        moving_scene_free(&renumbered);
    }
    assert_true(met > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standing_still_is_moving_to_the_same_place),
        cmocka_unit_test(a_power_of_two_changes_no_bit),
        cmocka_unit_test(an_exact_translation_changes_no_pair_and_no_time),
        cmocka_unit_test(backwards_in_time_the_same_pairs_meet),
        cmocka_unit_test(a_step_in_two_halves_is_the_same_step),
        cmocka_unit_test(other_numbers_give_the_same_pairs_and_times),
    };
    return cmocka_run_group_tests(tests, open_context, close_context);
}
