/* Contact records: gaps, impacts, materials, keys, patches; and what moves with the bodies: rigid motion, scaling by
 * powers of two, renumbering.
 */
#include "support/cmocka_includes.h"

#include "contact/support_blocks.h"

static dent_contacts find(dent_world *world, const dent_contacts_def *def)
{
    dent_contacts contacts;
    dent_contacts_def standard = dent_contacts_def_default();
    if (dent_world_find_contacts(world, def ? def : &standard, &contacts) != DENT_OK) {
        fail_msg("%s", dent_world_message(world));
    }
    return contacts;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

/* A slab and a bent block pressed into it askew. */
struct pair {
    struct block a, b;
};

static struct pair make_pair(void)
{
    struct pair pair = {block_make(5, 4, 4), block_make(7, 7, 3)};
    const double columns[3][3] = {{0.61, 0.11, 0.07}, {-0.13, 0.59, 0.03}, {-0.06, 0.02, 0.63}};
    const double origin[3] = {1.93, 2.11, 2.13};
    block_map(&pair.a, columns, origin);
    for (uint32_t v = 0; v < pair.b.vertex_count; v++) { /* a hill */
        double x = pair.b.xyz[v][0] - 3.4, y = pair.b.xyz[v][1] - 3.6;
        pair.b.xyz[v][2] *= 1 + 0.35 / (1 + 0.3 * (x * x + y * y));
    }
    return pair;
}

static void pair_free(struct pair *pair)
{
    block_free(&pair->a);
    block_free(&pair->b);
}

static dent_contact *copy_of(dent_contacts contacts)
{
    dent_contact *copy = malloc(contacts.count * sizeof *copy);
    memcpy(copy, contacts.contacts, contacts.count * sizeof *copy);
    return copy;
}

static dent_contact *contacts_of(dent_context *context, const struct pair *pair, uint64_t *count)
{
    dent_world *world = dent_world_create(context);
    block_add(world, &pair->a);
    block_add(world, &pair->b);
    dent_contacts contacts = find(world, NULL);
    dent_contact *copy = copy_of(contacts);
    *count = contacts.count;
    dent_world_destroy(world);
    return copy;
}

/* ---- invariance -------------------------------------------------------------------------------------------------- */

static void rigid_motion_turns_directions_and_keeps_depths(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(5);
    double worst = 0;
    for (int round = 0; round < 20; round++) {
        struct pair pair = make_pair();
        uint64_t count, moved_count;
        dent_contact *before = contacts_of(context, &pair, &count);
        double rotation[3][3], shift[3] = {uniform(&random, -5, 5), uniform(&random, -5, 5), uniform(&random, -5, 5)};
        random_rotation(&random, rotation);
        block_map(&pair.a, (const double(*)[3])rotation, shift);
        block_map(&pair.b, (const double(*)[3])rotation, shift);
        dent_contact *after = contacts_of(context, &pair, &moved_count);
        assert_int_equal(count, moved_count);
        assert_true(count > 20);
        for (uint64_t i = 0; i < count; i++) {
            assert_int_equal(before[i].key, after[i].key);
            worst = fmax(worst, fabs(before[i].gap - after[i].gap));
            for (int axis = 0; axis < 3; axis++) {
                double rotated = rotation[0][axis] * before[i].normal[0] + rotation[1][axis] * before[i].normal[1] +
                                 rotation[2][axis] * before[i].normal[2];
                worst = fmax(worst, fabs(rotated - after[i].normal[axis]));
            }
        }
        free(before);
        free(after);
        pair_free(&pair);
    }
    printf("rigid motion: off by %.1e at most\n", worst);
    assert_true(worst < 1e-12);
    dent_context_destroy(context);
}

static void scaling_by_powers_of_two_scales_depths_bit_by_bit(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    static const double factors[] = {0x1p10, 0x1p-30, 0x1p100, 0x1p-100};
    for (int i = 0; i < 4; i++) {
        struct pair pair = make_pair();
        uint64_t count, scaled_count;
        dent_contact *before = contacts_of(context, &pair, &count);
        const double columns[3][3] = {{factors[i], 0, 0}, {0, factors[i], 0}, {0, 0, factors[i]}}, none[3] = {0, 0, 0};
        block_map(&pair.a, columns, none);
        block_map(&pair.b, columns, none);
        dent_contact *after = contacts_of(context, &pair, &scaled_count);
        assert_int_equal(count, scaled_count);
        for (uint64_t k = 0; k < count; k++) {
            assert_true(after[k].gap == before[k].gap * factors[i]);
            assert_true(after[k].error == before[k].error * factors[i]);
            assert_memory_equal(after[k].normal, before[k].normal, sizeof after[k].normal);
            assert_memory_equal(after[k].weights_b, before[k].weights_b, sizeof after[k].weights_b);
        }
        free(before);
        free(after);
        pair_free(&pair);
    }
    dent_context_destroy(context);
}

/* The same bits from every compiler, optimisation level and machine. */
static void the_bits_are_those_of_the_first_day(void **state)
{
    (void)state;
    dent_context *context = block_context(2, DENT_ISA_AUTO);
    struct pair pair = make_pair();
    uint64_t count, hash = UINT64_C(14695981039346656037);
    dent_contact *contacts = contacts_of(context, &pair, &count);
    for (uint64_t i = 0; i < count * sizeof *contacts; i++) {
        hash = (hash ^ ((const unsigned char *)contacts)[i]) * UINT64_C(1099511628211);
    }
    printf("%llu contacts, %016llx\n", (unsigned long long)count, (unsigned long long)hash);
    assert_int_equal(hash, UINT64_C(0x1b479539585080b9)); /* since keys mix the kind in by itself */
    free(contacts);
    pair_free(&pair);
    dent_context_destroy(context);
}

/* Vertices of a, and its cells, in another order. */
static void renumbering_changes_depths_by_rounding_only(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    dent_random random = dent_random_seeded(6);
    struct pair pair = make_pair();
    uint64_t count, renumbered_count;
    dent_contact *before = contacts_of(context, &pair, &count);
    uint32_t vertices = pair.a.vertex_count, cells = pair.a.element_count;
    uint32_t *fresh = malloc(vertices * sizeof *fresh);
    for (uint32_t v = 0; v < vertices; v++) {
        uint32_t other = dent_random_below(&random, v + 1);
        fresh[v] = fresh[other];
        fresh[other] = v;
    }
    double(*xyz)[3] = malloc(vertices * sizeof *xyz);
    for (uint32_t v = 0; v < vertices; v++) {
        memcpy(xyz[fresh[v]], pair.a.xyz[v], sizeof *xyz);
    }
    for (uint32_t c = 0; c < cells; c++) {
        uint32_t other = dent_random_below(&random, c + 1);
        for (int k = 0; k < 4; k++) {
            uint32_t swap = pair.a.corners[4 * c + k];
            pair.a.corners[4 * c + k] = pair.a.corners[4 * other + k];
            pair.a.corners[4 * other + k] = swap;
        }
    }
    for (uint32_t i = 0; i < 4 * cells; i++) {
        pair.a.corners[i] = fresh[pair.a.corners[i]];
    }
    free(pair.a.xyz);
    pair.a.xyz = xyz;
    dent_contact *after = contacts_of(context, &pair, &renumbered_count);
    uint64_t compared = 0;
    assert_int_equal(count, renumbered_count);
    for (uint64_t i = 0; i < count; i++) {
        for (uint64_t k = 0; k < count && before[i].kind == DENT_CONTACT_VERTEX_CELL && before[i].body_a == 0; k++) {
            if (after[k].kind == DENT_CONTACT_VERTEX_CELL && after[k].body_a == 0 &&
                after[k].feature_a == fresh[before[i].feature_a]) {
                assert_true(fabs(after[k].gap - before[i].gap) < 1e-12);
                assert_true(dot(after[k].normal, before[i].normal) > 1 - 1e-12);
                compared++;
            }
        }
    }
    assert_true(compared > 20);
    free(before);
    free(after);
    free(fresh);
    pair_free(&pair);
    dent_context_destroy(context);
}

/* ---- records ----------------------------------------------------------------------------------------------------- */

static void materials_come_with_the_contacts_and_survive_new_elements(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct pair pair = make_pair();
    dent_world *world = dent_world_create(context);
    dent_body_id a = block_add(world, &pair.a), b = block_add(world, &pair.b);
    assert_int_equal(dent_body_set_material(world, a, 7), DENT_OK);
    assert_int_equal(dent_body_set_material(world, b, 9), DENT_OK);
    dent_contacts contacts = find(world, NULL);
    assert_true(contacts.count > 0);
    for (uint64_t i = 0; i < contacts.count; i++) {
        bool rotated = contacts.contacts[i].body_a == 1;
        assert_int_equal(contacts.contacts[i].material_a, rotated ? 9 : 7);
        assert_int_equal(contacts.contacts[i].material_b, rotated ? 7 : 9);
    }
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = pair.a.vertex_count;
    def.element_count = pair.a.element_count - 1;
    def.element_corners = pair.a.corners;
    def.positions_t0 = dent_positions_double(pair.a.xyz[0]);
    assert_int_equal(dent_body_set_topology(world, a, &def), DENT_OK);
    assert_int_equal(dent_body_material(world, a), 7);
    assert_int_equal(dent_world_remove_body(world, a), DENT_OK);
    assert_int_equal(dent_body_material(world, a), 0);
    assert_int_equal(dent_body_set_material(world, a, 1), DENT_ERROR_STALE_ID);
    assert_int_equal(dent_body_material(world, block_add(world, &pair.a)),
                     0); /* the slot is used again, the number not */
    dent_world_destroy(world);
    pair_free(&pair);
    dent_context_destroy(context);
}

static void gaps_are_reported_outside_and_never_for_what_is_inside(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block table = block_make(6, 6, 2), cube = block_make(2, 2, 2);
    block_move(&cube, 2.13, 2.21, 2.05); /* 0.05 above */
    dent_world *world = dent_world_create(context);
    block_add(world, &cube);
    block_add(world, &table);
    dent_contacts_def def = dent_contacts_def_default();
    def.proximity = true;
    def.thickness = 0.06; /* of each */
    dent_contacts contacts = find(world, &def);
    assert_true(contacts.count >= 9 && contacts.counters.by_source[DENT_CONTACT_SOURCE_GAP] == contacts.count);
    for (uint64_t i = 0; i < contacts.count; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        assert_true(contact->gap > 0.05 - 1e-12 && contact->gap <= 0.12 && contact->error < 1e-12);
        assert_true((contact->body_a == 0 ? 1 : -1) * contact->normal[2] > 0.05 / 0.12 - 1e-9);
    }
    /* 0.05 inside: depth contacts, and no gap that points further in. */
    block_move(&cube, 0, 0, -0.1);
    contacts = find(world, &def);
    uint64_t depths = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        depths += contact->kind == DENT_CONTACT_VERTEX_CELL;
        if (contact->source == DENT_CONTACT_SOURCE_GAP) {
            assert_true((contact->body_a == 0 ? 1 : -1) * contact->normal[2] > -1e-9);
        }
    }
    assert_true(depths >= 9 && contacts.counters.replaced > 0);
    dent_world_destroy(world);
    block_free(&table);
    block_free(&cube);
    dent_context_destroy(context);
}

static void add_triangle(dent_world *world, double (*corners)[3])
{
    uint32_t order[3] = {0, 1, 2};
    struct block triangle = {.xyz = corners, .corners = order, .vertex_count = 3, .element_count = 1, .surface = true};
    block_add(world, &triangle);
}

/* The last vertex-face pair and the first edge-edge pair have the same four numbers: body 0, feature 0, body 1, feature
 * 0. They are no one pair that two sources found. */
static void pairs_of_different_kinds_are_never_merged(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    double standing[3][3] = {{0.5, 0, 0.1}, {-1, 0, 0.1}, {0, 0, 5}}, lying[3][3] = {{0, -1, 0}, {0, 1, 0}, {4, 0, 0}};
    add_triangle(world, standing);
    add_triangle(world, lying);
    dent_contacts_def def = dent_contacts_def_default();
    def.proximity = true;
    def.thickness = 0.06;
    dent_contacts contacts = find(world, &def);
    assert_int_equal(contacts.count, 2);
    assert_int_equal(contacts.counters.merged, 0);
    for (uint64_t i = 0; i < 2; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        assert_int_equal(contact->kind, i == 0 ? DENT_CONTACT_VERTEX_FACE : DENT_CONTACT_EDGE_EDGE);
        assert_true(contact->body_a == 0 && contact->feature_a == 0 && contact->body_b == 1 && contact->feature_b == 0);
    }
    dent_world_destroy(world);
    dent_context_destroy(context);
}

/* The corner of a triangle near two plates: one body of two faces, or two bodies of one. Both are contacts. */
static void a_vertex_has_a_contact_with_every_face_and_body_near_it(void **state)
{
    (void)state;
    double standing[3][3] = {{0, 0, 0}, {-3, -0.5, 3}, {-3, 0.5, 3}};
    double plates[6][3] = {{-0.2, -0.2, -0.05}, {0.4, -0.2, -0.05}, {0, 0.4, -0.05},
                           {0.05, -0.4, -0.01}, {0.05, 0.4, -0.01}, {0.05, 0, 0.5}};
    static const uint32_t corners[6] = {0, 1, 2, 3, 4, 5};
    for (int bodies = 1; bodies <= 2; bodies++) {
        dent_context *context = block_context(1, DENT_ISA_AUTO);
        dent_world *world = dent_world_create(context);
        dent_contacts_def def = dent_contacts_def_default();
        dent_body_id id;
        add_triangle(world, standing);
        for (int i = 0; i < bodies; i++) {
            dent_body_def body = dent_surface_def_default();
            body.vertex_count = bodies == 1 ? 6 : 3;
            body.element_count = bodies == 1 ? 2 : 1;
            body.element_corners = corners;
            body.positions_t0 = dent_positions_double(plates[3 * i]);
            assert_int_equal(dent_world_add_body(world, &body, &id), DENT_OK);
        }
        def.proximity = true;
        def.thickness = 0.06;
        dent_contacts contacts = find(world, &def);
        bool met[2] = {false, false};
        for (uint64_t i = 0; i < contacts.count; i++) {
            const dent_contact *contact = &contacts.contacts[i];
            if (contact->kind == DENT_CONTACT_VERTEX_FACE && contact->body_a == 0 && contact->feature_a == 0) {
                met[bodies == 1 ? contact->feature_b : contact->body_b - 1] = true;
            }
        }
        assert_true(met[0] && met[1]);
        assert_int_equal(contacts.counters.merged, 0);
        dent_world_destroy(world);
        dent_context_destroy(context);
    }
}

static void impacts_carry_time_points_and_weights(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block table = block_make(4, 4, 1), cube = block_make(1, 1, 1), later;
    block_move(&cube, 1.33, 1.41, 1.25);
    later = block_make(1, 1, 1);
    block_move(&later, 1.33, 1.41, 0.25); /* meets the table at half time … at a quarter of the way */
    dent_world *world = dent_world_create(context);
    dent_body_id id = block_add(world, &cube);
    block_add(world, &table);
    dent_positions start = dent_positions_double(cube.xyz[0]), end = dent_positions_double(later.xyz[0]);
    assert_int_equal(dent_body_set_positions(world, id, &start, &end), DENT_OK);
    dent_contacts_def def = dent_contacts_def_default();
    def.impact = true;
    dent_contacts contacts = find(world, &def);
    uint64_t vertices = 0;
    assert_int_equal(contacts.counters.by_source[DENT_CONTACT_SOURCE_IMPACT], contacts.count);
    for (uint64_t i = 0; i < contacts.count; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        if (contact->kind == DENT_CONTACT_VERTEX_FACE && contact->body_a == 0) {
            vertices++;
            assert_true(contact->gap == 0 && fabs(contact->time - 0.25) < 1e-12);
            assert_true(fabs(contact->point_a[2] - 1) < 1e-12 && fabs(contact->point_b[2] - 1) < 1e-12);
            assert_true(contact->normal[2] > 1 - 1e-9);
        }
    }
    assert_true(vertices >= 4);
    /* Within the thickness as well: one record, a gap that knows its time. */
    def.proximity = true;
    def.thickness = 0.15;
    contacts = find(world, &def);
    uint64_t both = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        both += contacts.contacts[i].source == DENT_CONTACT_SOURCE_GAP &&
                (contacts.contacts[i].flags & DENT_CONTACT_FLAG_ALSO_IMPACT) &&
                fabs(contacts.contacts[i].time - 0.25) < 1e-12;
    }
    assert_true(both >= 4 && contacts.counters.merged >= both);
    dent_world_destroy(world);
    block_free(&table);
    block_free(&cube);
    block_free(&later);
    dent_context_destroy(context);
}

static void a_patch_keeps_its_deepest_and_its_corners(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block table = block_make(20, 12, 2), feet = block_make(16, 8, 3);
    /* Two feet: the middle of the block is lifted. */
    const double columns[3][3] = {{1, 0.002, 0.004}, {-0.002, 1, 0.003}, {0, 0, 1}}, origin[3] = {2.13, 2.21, 1.8};
    for (uint32_t v = 0; v < feet.vertex_count; v++) {
        feet.xyz[v][2] += fabs(feet.xyz[v][0] - 8) < 3.5 ? 1 : 0;
    }
    feet.xyz[block_vertex(&feet, 2, 4, 0)][2] -= 0.2; /* the deepest is in the middle of a foot */
    block_map(&feet, columns, origin);
    dent_world *world = dent_world_create(context);
    block_add(world, &feet);
    block_add(world, &table);
    dent_contacts_def def = dent_contacts_def_default();
    def.surface_only = true;
    def.patches = true;
    dent_contacts all = find(world, &def);
    uint64_t found = all.count, of_feet = 0, patches = all.patch_count;
    double deepest = all.max_depth;
    for (uint64_t i = 0; i < patches; i++) {
        of_feet += all.patches[i].body_a == 0;
        assert_int_equal(all.patches[i].found_count, all.patches[i].contact_count);
        assert_true((all.patches[i].body_a == 0 ? 1 : -1) * all.patches[i].normal[2] > 0.9);
    }
    assert_int_equal(of_feet, 2);
    def.reduce_patches = true;
    dent_contacts few = find(world, &def);
    assert_int_equal(few.patch_count, patches);
    assert_true(few.count < found && few.count <= 9 * patches);
    assert_int_equal(few.count + few.counters.reduced_away, found);
    assert_true(few.max_depth == deepest);
    double low = 1e9, high = -1e9;
    for (uint64_t i = 0; i < few.count; i++) {
        assert_true(few.contacts[i].flags & DENT_CONTACT_FLAG_REPRESENTS);
        if (few.contacts[i].body_a == 0 && few.contacts[i].kind == DENT_CONTACT_VERTEX_CELL) {
            low = fmin(low, few.contacts[i].point_a[0]);
            high = fmax(high, few.contacts[i].point_a[0]);
        }
    }
    assert_true(low < 2.3 && high > 18); /* both far ends are still there */
    dent_world_destroy(world);
    block_free(&table);
    block_free(&feet);
    dent_context_destroy(context);
}

static void options_limit_filter_and_project(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct pair pair = make_pair();
    dent_world *world = dent_world_create(context);
    block_add(world, &pair.a);
    block_add(world, &pair.b);
    dent_contacts plain = find(world, NULL);
    dent_contact *before = copy_of(plain);
    uint64_t count = plain.count;
    double limit = 0.5 * plain.max_depth;
    dent_contacts_def def = dent_contacts_def_default();
    def.depth_limit = limit;
    dent_contacts limited = find(world, &def);
    assert_true(limited.max_depth == limit && limited.counters.clamped > 0);
    def = dent_contacts_def_default();
    def.project = true;
    dent_contacts projected = find(world, &def);
    uint64_t changed = 0;
    for (uint64_t i = 0; i < count; i++) {
        double ratio = before[i].gap < 0 ? projected.contacts[i].gap / before[i].gap : 1;
        assert_true(ratio >= 0.5 && ratio <= 2);
        changed += ratio != 1;
    }
    assert_true(changed > 0);
    /* Full memory of the last step: directions stay where they were although the body turned. */
    for (uint32_t v = 0; v < pair.b.vertex_count; v++) {
        pair.b.xyz[v][2] += 0.03 * pair.b.xyz[v][0];
    }
    def = dent_contacts_def_default();
    def.temporal_filter = 1;
    dent_contacts filtered = find(world, &def);
    uint64_t kept = 0;
    for (uint64_t i = 0; i < filtered.count; i++) {
        for (uint64_t k = 0; k < count; k++) {
            kept += before[k].key == filtered.contacts[i].key &&
                    dot(before[k].normal, filtered.contacts[i].normal) > 1 - 1e-12;
        }
    }
    assert_true(kept > 10);
    free(before);
    dent_world_destroy(world);
    pair_free(&pair);
    dent_context_destroy(context);
}

static void wrong_defs_are_refused_in_words(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    dent_contacts contacts = {.count = 3};
    dent_contacts_def def = dent_contacts_def_default();
    def.struct_size--;
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_ERROR_INVALID_ARGUMENT);
    def = dent_contacts_def_default();
    def.thickness = -1;
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_ERROR_BAD_NUMBER);
    assert_non_null(strstr(dent_world_message(world), "thickness"));
    def = dent_contacts_def_default();
    def.temporal_filter = 2;
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_ERROR_BAD_NUMBER);
    def = dent_contacts_def_default();
    def.depth_limit = NAN;
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_ERROR_BAD_NUMBER);
    def = dent_contacts_def_default();
    def.normals = 17;
    assert_int_equal(dent_world_find_contacts(world, &def, &contacts), DENT_ERROR_INVALID_ARGUMENT);
    assert_int_equal(contacts.count, 3);
    assert_null(dent_contact_kind_name(0));
    assert_null(dent_contact_source_name(DENT_CONTACT_SOURCE_COUNT));
    assert_int_equal(find(world, NULL).count, 0); /* an empty world has no contacts */
    dent_world_destroy(world);
    dent_context_destroy(context);
}

/* Nothing is inside: the gaps alone make the patch, in a world that was never asked about penetration. */
static void patches_of_gaps_need_no_penetration(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block table = block_make(6, 6, 2), lid = block_make(3, 3, 1);
    const double columns[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, origin[3] = {1.5, 1.5, 2.05};
    block_map(&lid, columns, origin);
    dent_world *world = dent_world_create(context);
    block_add(world, &lid);
    block_add(world, &table);
    dent_contacts_def def = dent_contacts_def_default();
    def.penetration = false;
    def.proximity = true;
    def.thickness = 0.1;
    def.patches = true;
    dent_contacts found = find(world, &def);
    assert_true(found.count > 0 && found.patch_count > 0);
    dent_world_destroy(world);
    block_free(&table);
    block_free(&lid);
    dent_context_destroy(context);
}

/* ---- touching ---------------------------------------------------------------------------------------------------- */

/* The gaps between a floor with its top at z = 0 and a block placed on it: all normals are those of the floor. */
static void check_upright(dent_context *context, const struct block *floor, const struct block *block, bool floor_last)
{
    dent_world *world = dent_world_create(context);
    block_add(world, floor_last ? block : floor);
    block_add(world, floor_last ? floor : block);
    dent_contacts_def def = dent_contacts_def_default();
    def.proximity = true;
    def.thickness = 1e-3;
    dent_contacts contacts = find(world, &def);
    assert_true(contacts.count >= 4);
    for (uint64_t i = 0; i < contacts.count; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        double up = (contact->body_a == 1) == floor_last ? -contact->normal[2] : contact->normal[2];
        /* Farther ones are neighbours in the plane of the floor, with a direction of their own. */
        bool touches = fabs(contact->gap) < 1e-8;
        if (contact->gap < -1e-8 || (touches && !(fabs(up - 1) < 1e-6))) {
            fail_msg("kind %u, features %u and %u: gap %g, normal %g %g %g", contact->kind, contact->feature_a,
                     contact->feature_b, contact->gap, contact->normal[0], contact->normal[1], contact->normal[2]);
        }
    }
    dent_world_destroy(world);
}

static void a_block_placed_on_a_floor_is_pushed_up_and_nowhere_else(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    static const double gaps[] = {0, 1.4e-17, 1e-15, 1e-13, 1e-9};
    dent_random random = dent_random_seeded(3);
    for (int round = 0; round < 60; round++) {
        struct block floor = block_make(4, 4, 1), block = block_make(1, 1, 1);
        double c = 1, s = 0, gap = gaps[round % 5];
        if (round % 3 == 1) { /* turned about z; else the edges are parallel */
            double angle = uniform(&random, 0, 1.5);
            c = cos(angle);
            s = sin(angle);
        }
        const double columns[3][3] = {{c, s, 0}, {-s, c, 0}, {0, 0, 1}};
        /* Anywhere; or corners and edges on those of the floor. */
        const double origin[3] = {round % 3 == 2 ? round % 4 : uniform(&random, 1.1, 1.9),
                                  round % 3 == 2 ? round % 2 : uniform(&random, 1.1, 1.9), gap};
        block_move(&floor, 0, 0, -1);
        block_map(&block, columns, origin);
        struct block skin = block_surface(context, &block);
        for (int floor_last = 0; floor_last < 2; floor_last++) {
            check_upright(context, &floor, &block, floor_last);
            check_upright(context, &floor, &skin, floor_last);
        }
        block_free(&skin);
        block_free(&floor);
        block_free(&block);
    }
    dent_context_destroy(context);
}

static int compare_keys(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

static void keys_of_bodies_and_kinds_are_all_different(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    enum { CELLS = 12, ROW = CELLS + 1 };
    dent_random random = dent_random_seeded(1);
    uint32_t corners[6 * CELLS * CELLS];
    double xyz[3][ROW * ROW][3];
    for (uint32_t k = 0; k < CELLS * CELLS; k++) {
        uint32_t v = k % CELLS + ROW * (k / CELLS);
        const uint32_t two[6] = {v, v + 1, v + ROW, v + 1, v + ROW + 1, v + ROW};
        memcpy(corners + 6 * (size_t)k, two, sizeof two);
    }
    for (int n = 0; n < 3; n++) { /* a sheet between two others */
        static const double shifts[3][3] = {{0, 0, -0.01}, {0.37, 0, 0.01}, {0.3, 0.3, 0}};
        for (uint32_t v = 0; v < ROW * ROW; v++) {
            xyz[n][v][0] = v % ROW + shifts[n][0] + 0.1 * dent_random_unit(&random);
            xyz[n][v][1] = v / ROW + shifts[n][1];
            xyz[n][v][2] = shifts[n][2];
        }
        block_add(world, &(struct block){.vertex_count = ROW * ROW,
                                         .element_count = 2 * CELLS * CELLS,
                                         .xyz = xyz[n],
                                         .corners = corners,
                                         .surface = true});
    }
    dent_contacts_def def = dent_contacts_def_default();
    def.proximity = true;
    def.penetration = false;
    def.thickness = 0.01;
    dent_contacts contacts = find(world, &def);
    uint64_t *keys = malloc(contacts.count * sizeof *keys), equal = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        keys[i] = contacts.contacts[i].key;
    }
    qsort(keys, contacts.count, sizeof *keys, compare_keys);
    for (uint64_t i = 1; i < contacts.count; i++) {
        equal += keys[i] == keys[i - 1];
    }
    printf("%llu contacts of three sheets, %llu equal keys\n", (unsigned long long)contacts.count,
           (unsigned long long)equal);
    assert_true(contacts.count > 2000);
    assert_int_equal(equal, 0);
    free(keys);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

static void the_depth_limit_holds_for_edges_through_corners_too(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    dent_world *world = dent_world_create(context);
    struct block block = block_make(1, 1, 1), bar = block_make(1, 1, 1);
    /* A bar across an edge of the block, its corners far outside. */
    const double columns[3][3] = {{0.4, 0.1, 0}, {2.9, -3, 0.1}, {0.05, 0.02, 0.6}}, origin[3] = {0.2, 3, 0.7};
    const double twice[3][3] = {{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, none[3] = {0, 0, 0};
    block_map(&bar, columns, origin);
    block_map(&block, twice, none);
    block_add(world, &bar);
    block_add(world, &block);
    uint64_t crossings = 0, deep = 0, clamped = 0;
    dent_contacts plain = find(world, NULL);
    for (uint64_t i = 0; i < plain.count; i++) {
        crossings += plain.contacts[i].source == DENT_CONTACT_SOURCE_CROSSING;
        deep += -plain.contacts[i].gap > 0.01;
    }
    dent_contacts_def def = dent_contacts_def_default();
    def.depth_limit = 0.01;
    dent_contacts limited = find(world, &def);
    for (uint64_t i = 0; i < limited.count; i++) {
        assert_true(limited.contacts[i].gap >= -0.01);
        clamped += (limited.contacts[i].flags & DENT_CONTACT_FLAG_CLAMPED) != 0;
    }
    assert_true(crossings > 0 && deep > 0);
    assert_true(clamped >= deep);
    assert_true(limited.max_depth == 0.01);
    block_free(&block);
    block_free(&bar);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rigid_motion_turns_directions_and_keeps_depths),
        cmocka_unit_test(scaling_by_powers_of_two_scales_depths_bit_by_bit),
        cmocka_unit_test(the_bits_are_those_of_the_first_day),
        cmocka_unit_test(renumbering_changes_depths_by_rounding_only),
        cmocka_unit_test(materials_come_with_the_contacts_and_survive_new_elements),
        cmocka_unit_test(gaps_are_reported_outside_and_never_for_what_is_inside),
        cmocka_unit_test(pairs_of_different_kinds_are_never_merged),
        cmocka_unit_test(a_vertex_has_a_contact_with_every_face_and_body_near_it),
        cmocka_unit_test(impacts_carry_time_points_and_weights),
        cmocka_unit_test(a_patch_keeps_its_deepest_and_its_corners),
        cmocka_unit_test(patches_of_gaps_need_no_penetration),
        cmocka_unit_test(options_limit_filter_and_project),
        cmocka_unit_test(a_block_placed_on_a_floor_is_pushed_up_and_nowhere_else),
        cmocka_unit_test(keys_of_bodies_and_kinds_are_all_different),
        cmocka_unit_test(the_depth_limit_holds_for_edges_through_corners_too),
        cmocka_unit_test(wrong_defs_are_refused_in_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
