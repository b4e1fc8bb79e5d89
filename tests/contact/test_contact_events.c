/* Events of contacts and of pairs of bodies: equal to a comparison of two lists pair by pair, whatever happens to bodies
 * and features between two calls. */
#include "support/cmocka_includes.h"
#include "support/failing_allocator.h"

#include "contact/support_blocks.h"

enum { BODIES_MOST = 12 };

/* What a call reported, with ids instead of body indices, and a serial for the elements a body had. */
struct seen {
    dent_body_id id_a, id_b;
    uint32_t kind, feature_a, feature_b, elements_a, elements_b, calls;
    uint64_t key;
    double depth;
};

struct list {
    struct seen *items;
    size_t count;
};

struct play {
    dent_world *world;
    struct block blocks[BODIES_MOST];
    dent_body_id ids[BODIES_MOST];
    uint32_t elements[BODIES_MOST]; /* grows with each replacement */
    uint32_t count;
    dent_random random;
};

static bool same_contact(const struct seen *a, const struct seen *b)
{
    return a->kind == b->kind && dent_body_id_equal(a->id_a, b->id_a) && dent_body_id_equal(a->id_b, b->id_b) &&
           a->feature_a == b->feature_a && (a->kind == DENT_CONTACT_VERTEX_CELL || a->feature_b == b->feature_b) &&
           a->elements_a == b->elements_a && a->elements_b == b->elements_b;
}

static const struct seen *find_seen(const struct list *list, const struct seen *wanted)
{
    for (size_t i = 0; i < list->count; i++) {
        if (same_contact(&list->items[i], wanted)) {
            return &list->items[i];
        }
    }
    return NULL;
}

static struct list list_of(const struct play *play, const dent_contacts *contacts)
{
    struct list list = {calloc(contacts->count + 1, sizeof *list.items), (size_t)contacts->count};
    uint32_t body_count;
    const dent_body_id *ids = dent_world_body_ids(play->world, &body_count);
    for (size_t i = 0; i < list.count; i++) {
        const dent_contact *contact = &contacts->contacts[i];
        assert_true(contact->body_a < body_count && contact->body_b < body_count);
        list.items[i] = (struct seen){.id_a = ids[contact->body_a],
                                      .id_b = ids[contact->body_b],
                                      .kind = contact->kind,
                                      .feature_a = contact->feature_a,
                                      .feature_b = contact->feature_b,
                                      .elements_a = play->elements[contact->body_a],
                                      .elements_b = play->elements[contact->body_b],
                                      .calls = 1,
                                      .key = contact->key,
                                      .depth = -contact->gap};
    }
    return list;
}

/* The event is about this contact. */
static void require_event(const dent_contact_event *event, const struct seen *seen, uint64_t index)
{
    assert_true(event->key == seen->key);
    assert_true(dent_body_id_equal(event->id_a, seen->id_a) && dent_body_id_equal(event->id_b, seen->id_b));
    assert_int_equal(event->kind, seen->kind);
    assert_int_equal(event->feature_a, seen->feature_a);
    assert_int_equal(event->feature_b, seen->feature_b);
    assert_int_equal(event->calls, seen->calls);
    assert_true(event->contact == index);
}

struct totals {
    uint64_t begin, persist, end, pairs_begin, pairs_persist, pairs_end, ends_of_removed;
};

static void require_contact_events(const struct play *play, struct list *now, const struct list *before,
                                   const dent_contact_events *events, struct totals *totals)
{
    uint64_t begin = 0, persist = 0, end = 0;
    for (size_t i = 0; i < now->count; i++) {
        const struct seen *old = find_seen(before, &now->items[i]);
        now->items[i].calls = old ? old->calls + 1 : 1;
        assert_true((old ? persist : begin) < (old ? events->persist_count : events->begin_count));
        require_event(old ? &events->persist[persist++] : &events->begin[begin++], &now->items[i], i);
    }
    for (size_t i = 0; i < before->count; i++) {
        if (!find_seen(now, &before->items[i])) {
            assert_true(end < events->end_count);
            require_event(&events->end[end++], &before->items[i], UINT64_MAX);
            totals->ends_of_removed += !dent_world_has_body(play->world, before->items[i].id_a);
        }
    }
    assert_true(begin == events->begin_count && persist == events->persist_count && end == events->end_count);
    totals->begin += begin, totals->persist += persist, totals->end += end;
}

static bool same_bodies(const struct seen *seen, dent_body_id a, dent_body_id b)
{
    return (dent_body_id_equal(seen->id_a, a) && dent_body_id_equal(seen->id_b, b)) ||
           (dent_body_id_equal(seen->id_a, b) && dent_body_id_equal(seen->id_b, a));
}

static uint64_t count_contacts(const struct list *list, dent_body_id a, dent_body_id b, double *depth)
{
    uint64_t count = 0;
    *depth = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (same_bodies(&list->items[i], a, b)) {
            count++;
            *depth = fmax(*depth, list->items[i].depth);
        }
    }
    return count;
}

static uint64_t count_pairs(const struct list *list)
{
    uint64_t count = 0;
    for (size_t i = 0; i < list->count; i++) {
        bool first = true;
        for (size_t k = 0; k < i; k++) {
            first = first && !same_bodies(&list->items[k], list->items[i].id_a, list->items[i].id_b);
        }
        count += first;
    }
    return count;
}

static void require_pairs(const dent_contact_pair_event *pairs, uint64_t count, const struct list *now,
                          const struct list *before, bool in_now, bool in_before)
{
    for (uint64_t i = 0; i < count; i++) {
        double depth, ignored;
        uint64_t here = count_contacts(now, pairs[i].id_a, pairs[i].id_b, &depth);
        uint64_t there = count_contacts(before, pairs[i].id_a, pairs[i].id_b, &ignored);
        assert_true((here > 0) == in_now && (there > 0) == in_before);
        assert_true(pairs[i].contact_count == here && pairs[i].max_depth == depth);
        assert_true(in_now && in_before ? pairs[i].calls > 1 : in_now ? pairs[i].calls == 1 : pairs[i].calls > 0);
    }
}

static void require_pair_events(const struct list *now, const struct list *before, const dent_contact_events *events,
                                struct totals *totals)
{
    require_pairs(events->pairs_begin, events->pairs_begin_count, now, before, true, false);
    require_pairs(events->pairs_persist, events->pairs_persist_count, now, before, true, true);
    require_pairs(events->pairs_end, events->pairs_end_count, now, before, false, true);
    assert_true(events->pairs_begin_count + events->pairs_persist_count == count_pairs(now));
    assert_true(events->pairs_persist_count + events->pairs_end_count == count_pairs(before));
    totals->pairs_begin += events->pairs_begin_count, totals->pairs_persist += events->pairs_persist_count;
    totals->pairs_end += events->pairs_end_count;
}

/* ---- what happens between two calls ------------------------------------------------------------------------------ */

static struct block random_block(dent_random *random)
{
    struct block block = block_make(1 + dent_random_below(random, 3), 1 + dent_random_below(random, 2), 1);
    double columns[3][3];
    const double origin[3] = {uniform(random, 0, 4), uniform(random, 0, 4), uniform(random, 0, 2)};
    random_rotation(random, columns);
    block_map(&block, (const double(*)[3])columns, origin);
    return block;
}

static void add_block(struct play *play)
{
    if (play->count < BODIES_MOST) {
        play->blocks[play->count] = random_block(&play->random);
        play->ids[play->count] = block_add(play->world, &play->blocks[play->count]);
        play->elements[play->count++] = 0;
    }
}

static void remove_block(struct play *play, uint32_t at)
{
    assert_int_equal(dent_world_remove_body(play->world, play->ids[at]), DENT_OK);
    block_free(&play->blocks[at]);
    for (uint32_t i = at; i + 1 < play->count; i++) {
        play->blocks[i] = play->blocks[i + 1];
        play->ids[i] = play->ids[i + 1];
        play->elements[i] = play->elements[i + 1];
    }
    play->count--;
}

static void replace_block(struct play *play, uint32_t at)
{
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = play->blocks[at].vertex_count;
    def.element_count = play->blocks[at].element_count;
    def.element_corners = play->blocks[at].corners;
    def.positions_t0 = dent_positions_double(play->blocks[at].xyz[0]);
    assert_int_equal(dent_body_set_topology(play->world, play->ids[at], &def), DENT_OK);
    play->elements[at]++;
}

static void disturb(struct play *play)
{
    for (uint32_t i = 0; i < play->count; i++) {
        if (dent_random_below(&play->random, 3) == 0) {
            block_move(&play->blocks[i], uniform(&play->random, -0.3, 0.3), uniform(&play->random, -0.3, 0.3),
                       uniform(&play->random, -0.3, 0.3));
        }
    }
    uint32_t what = dent_random_below(&play->random, 8);
    if (what == 0) {
        add_block(play);
    } else if (what == 1 && play->count > 2) {
        remove_block(play, dent_random_below(&play->random, play->count));
    } else if (what == 2) {
        replace_block(play, dent_random_below(&play->random, play->count));
    }
}

static dent_contacts_def def_with_events(void)
{
    dent_contacts_def def = dent_contacts_def_default();
    def.events = true;
    def.proximity = true;
    def.thickness = 0.05;
    return def;
}

static void events_equal_a_comparison_of_the_lists(void **state)
{
    (void)state;
    struct totals totals = {0};
    for (uint32_t seed = 0; seed < test_rounds(20); seed++) {
        dent_context *context = block_context(1 + seed % 2, DENT_ISA_AUTO);
        struct play play = {.world = dent_world_create(context), .random = dent_random_seeded(seed)};
        for (int i = 0; i < 8; i++) {
            add_block(&play);
        }
        struct list before = {calloc(1, sizeof *before.items), 0};
        dent_contacts_def def = def_with_events();
        for (int step = 0; step < 25; step++) {
            dent_contacts contacts;
            assert_int_equal(dent_world_find_contacts(play.world, &def, &contacts), DENT_OK);
            struct list now = list_of(&play, &contacts);
            require_contact_events(&play, &now, &before, &contacts.events, &totals);
            require_pair_events(&now, &before, &contacts.events, &totals);
            free(before.items);
            before = now;
            disturb(&play);
        }
        free(before.items);
        while (play.count > 0) {
            remove_block(&play, play.count - 1);
        }
        dent_world_destroy(play.world);
        dent_context_destroy(context);
    }
    printf("contacts: %llu begin, %llu persist, %llu end (%llu of removed bodies); pairs: %llu, %llu, %llu\n",
           (unsigned long long)totals.begin, (unsigned long long)totals.persist, (unsigned long long)totals.end,
           (unsigned long long)totals.ends_of_removed, (unsigned long long)totals.pairs_begin,
           (unsigned long long)totals.pairs_persist, (unsigned long long)totals.pairs_end);
    assert_true(totals.begin > 100 && totals.persist > 100 && totals.end > 100 && totals.ends_of_removed > 5);
    assert_true(totals.pairs_begin > 20 && totals.pairs_persist > 20 && totals.pairs_end > 10);
}

/* ---- what is remembered ------------------------------------------------------------------------------------------ */

static struct play two_blocks(dent_context *context)
{
    struct play play = {.world = dent_world_create(context), .random = dent_random_seeded(1), .count = 2};
    for (int i = 0; i < 2; i++) {
        play.blocks[i] = block_make(2, 2, 2);
        block_move(&play.blocks[i], 0.3 * i, 0.2 * i, 1.7 * i);
        play.ids[i] = block_add(play.world, &play.blocks[i]);
    }
    return play;
}

static void end_play(struct play *play)
{
    for (uint32_t i = 0; i < play->count; i++) {
        block_free(&play->blocks[i]);
    }
    dent_world_destroy(play->world);
}

static void only_calls_with_events_change_what_is_remembered(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct play play = two_blocks(context);
    dent_contacts_def with = def_with_events(), without = dent_contacts_def_default();
    dent_contacts contacts;
    int stop = 1;
    assert_int_equal(dent_world_find_contacts(play.world, &without, &contacts), DENT_OK);
    assert_true(contacts.count > 0 && !contacts.events.begin && contacts.events.begin_count == 0);
    assert_int_equal(dent_world_find_contacts(play.world, &with, &contacts), DENT_OK);
    assert_true(contacts.events.begin_count == contacts.count && contacts.events.pairs_begin_count == 1);
    uint64_t count = contacts.count;
    block_move(&play.blocks[1], 0, 0, 10);
    assert_int_equal(dent_world_find_contacts(play.world, &without, &contacts), DENT_OK);
    with.cancel = &stop;
    assert_int_equal(dent_world_find_contacts(play.world, &with, &contacts), DENT_OK);
    assert_int_equal(contacts.outcome, DENT_OUTCOME_CANCELLED);
    assert_true(contacts.events.end_count == 0);
    play.blocks[0].xyz[0][0] = NAN;
    with.cancel = NULL;
    assert_int_equal(dent_world_find_contacts(play.world, &with, &contacts), DENT_ERROR_BAD_NUMBER);
    play.blocks[0].xyz[0][0] = 0;
    block_move(&play.blocks[1], 0, 0, -10);
    assert_int_equal(dent_world_find_contacts(play.world, &with, &contacts), DENT_OK);
    assert_true(contacts.events.persist_count == count && contacts.events.persist[0].calls == 2);
    assert_true(contacts.events.pairs_persist_count == 1 && contacts.events.pairs_persist[0].contact_count == count);
    dent_world_forget_contacts(play.world);
    assert_int_equal(dent_world_find_contacts(play.world, &with, &contacts), DENT_OK);
    assert_true(contacts.events.begin_count == count && contacts.events.end_count == 0);
    end_play(&play);
    dent_context_destroy(context);
}

static void a_failing_allocation_keeps_the_events_of_the_next_call(void **state)
{
    (void)state;
    uint64_t failures = 0;
    for (uint64_t n = 1;; n++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def context_def = dent_context_def_default();
        context_def.allocator = failing_allocator_hook(&memory);
        context_def.thread_count = 1;
        dent_context *context = dent_context_create(&context_def, NULL);
        struct play play = two_blocks(context);
        dent_contacts_def def = def_with_events();
        dent_contacts contacts;
        def.proximity = false;
        assert_int_equal(dent_world_find_contacts(play.world, &def, &contacts), DENT_OK);
        uint64_t first_count = contacts.count;
        add_block(&play); /* touches nothing, and all tables must grow */
        block_move(&play.blocks[2], 100, 0, 0);
        block_move(&play.blocks[1], 0, 0, -0.9);
        atomic_store(&memory.requests, 0);
        atomic_store(&memory.fail_at, n);
        dent_status status = dent_world_find_contacts(play.world, &def, &contacts);
        bool failed = status != DENT_OK;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        atomic_store(&memory.fail_at, 0);
        if (failed) {
            assert_int_equal(dent_world_find_contacts(play.world, &def, &contacts), DENT_OK);
        }
        assert_true(contacts.events.persist_count + contacts.events.end_count == first_count);
        assert_true(contacts.events.persist_count > 0 && contacts.events.begin_count > 0);
        assert_int_equal(contacts.events.persist[0].calls, 2);
        end_play(&play);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
        failures += failed;
        if (!failed) {
            break;
        }
    }
    printf("%llu failing allocations\n", (unsigned long long)failures);
    assert_true(failures > 3);
}

static void a_second_call_allocates_nothing(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct play play = two_blocks(context);
    dent_contacts_def def = def_with_events();
    dent_contacts contacts;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(dent_world_find_contacts(play.world, &def, &contacts), DENT_OK);
    }
    uint64_t allocations = dent_context_memory_use(context).allocations;
    for (int i = 0; i < 5; i++) {
        block_move(&play.blocks[1], 0, 0, i % 2 ? 10 : -10); /* all contacts end and begin */
        assert_int_equal(dent_world_find_contacts(play.world, &def, &contacts), DENT_OK);
    }
    assert_true(dent_context_memory_use(context).allocations == allocations);
    end_play(&play);
    dent_context_destroy(context);
}

/* Thirty bodies at extreme magnitudes: nothing but bodies and features matters. */
static void scale_does_not_matter(void **state)
{
    (void)state;
    static const double scales[] = {1, 0x1p500, 0x1p-500};
    uint64_t counts[3][2];
    for (int i = 0; i < 3; i++) {
        dent_context *context = block_context(1, DENT_ISA_AUTO);
        dent_world *world = dent_world_create(context);
        struct block blocks[30];
        const double columns[3][3] = {{scales[i], 0, 0}, {0, scales[i], 0}, {0, 0, scales[i]}}, none[3] = {0, 0, 0};
        dent_random random = dent_random_seeded(3);
        for (int k = 0; k < 30; k++) {
            blocks[k] = random_block(&random);
            block_map(&blocks[k], columns, none);
            block_add(world, &blocks[k]);
        }
        dent_contacts_def def = dent_contacts_def_default();
        dent_contacts contacts;
        def.events = true;
        assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
        block_move(&blocks[7], 64 * scales[i], 0, 0);
        assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_OK);
        counts[i][0] = contacts.events.persist_count;
        counts[i][1] = contacts.events.end_count;
        assert_true(counts[i][0] > 20 && counts[i][1] > 0 && contacts.events.pairs_end_count > 0);
        assert_true(counts[i][0] == counts[0][0] && counts[i][1] == counts[0][1]);
        dent_world_destroy(world);
        for (int k = 0; k < 30; k++) {
            block_free(&blocks[k]);
        }
        dent_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_equal_a_comparison_of_the_lists),
        cmocka_unit_test(only_calls_with_events_change_what_is_remembered),
        cmocka_unit_test(a_failing_allocation_keeps_the_events_of_the_next_call),
        cmocka_unit_test(a_second_call_allocates_nothing),
        cmocka_unit_test(scale_does_not_matter),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
