/* Depth and direction on shapes whose truth is known: spheres, wedges, bars pushed past each other's middle, bodies
 * swallowed whole, thin walls, folds; and a bar that slides, where nearest points jump.
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

static const dent_contact *contact_of(dent_contacts contacts, uint32_t body, uint32_t vertex)
{
    for (uint64_t i = 0; i < contacts.count; i++) {
        if (contacts.contacts[i].kind == DENT_CONTACT_VERTEX_CELL && contacts.contacts[i].body_a == body &&
            contacts.contacts[i].feature_a == vertex) {
            return &contacts.contacts[i];
        }
    }
    return NULL;
}

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static double degrees(const double a[3], const double b[3])
{
    double cosine = fmin(1, fmax(-1, dot(a, b) / sqrt(dot(a, a) * dot(b, b))));
    return acos(cosine) * 57.29577951308232;
}

/* ---- spheres ----------------------------------------------------------------------------------------------------- */

/* A cube of n cells a side pulled onto a ball of radius 1. */
static struct block make_ball(uint32_t n)
{
    struct block ball = block_make(n, n, n);
    for (uint32_t v = 0; v < ball.vertex_count; v++) {
        double *p = ball.xyz[v], largest = 0, length = 0;
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = 2 * p[axis] / n - 1;
            largest = fmax(largest, fabs(p[axis]));
            length += p[axis] * p[axis];
        }
        for (int axis = 0; axis < 3 && length > 0; axis++) {
            p[axis] *= largest / sqrt(length);
        }
    }
    return ball;
}

struct sphere_errors {
    double depth, angle, border_angle;
    uint64_t points;
};

static struct sphere_errors press_into_ball(dent_context *context, uint32_t n, double press)
{
    struct sphere_errors worst = {0};
    struct block ball = make_ball(n), plate = block_make(8, 8, 4);
    const double columns[3][3] = {{0.11, 0.013, 0.004}, {-0.013, 0.11, 0.007}, {-0.002, -0.006, 0.1}};
    const double origin[3] = {-0.41, -0.47, 1 - press};
    block_map(&plate, columns, origin);
    dent_world *world = dent_world_create(context);
    block_add(world, &plate);
    block_add(world, &ball);
    dent_contacts contacts = find(world, NULL);
    for (uint64_t i = 0; i < contacts.count; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        if (contact->kind == DENT_CONTACT_VERTEX_CELL && contact->body_a == 0) {
            double radius = sqrt(dot(contact->point_a, contact->point_a));
            double angle = degrees(contact->normal, contact->point_a);
            worst.depth = fmax(worst.depth, fabs(-contact->gap - (1 - radius)));
            worst.angle = fmax(worst.angle, angle);
            if (contact->source == DENT_CONTACT_SOURCE_BORDER) {
                worst.border_angle = fmax(worst.border_angle, angle);
            }
            worst.points++;
        }
    }
    dent_world_destroy(world);
    block_free(&ball);
    block_free(&plate);
    return worst;
}

static void direction_on_a_ball_is_near_the_radius_and_errors_fall_with_refinement(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    static const uint32_t sizes[] = {6, 12, 24};
    struct sphere_errors errors[3];
    for (int i = 0; i < 3; i++) {
        errors[i] = press_into_ball(context, sizes[i], 0.12);
        printf("ball of %u cells across: %llu vertices inside, depth off by %.4f, direction by %.2f degrees (border "
               "%.2f)\n",
               sizes[i], (unsigned long long)errors[i].points, errors[i].depth, errors[i].angle,
               errors[i].border_angle);
        assert_true(errors[i].points > 20);
    }
    /* What is left on a smooth ball comes from averaging over the block's own edges, of length 0.11 to 0.19. */
    assert_true(errors[2].depth < errors[0].depth);
    assert_true(errors[2].angle < 10 && errors[2].border_angle < 8);
    assert_true(errors[0].angle < 20);
    dent_context_destroy(context);
}

static void depth_at_a_right_angled_wedge_lies_between_those_of_its_planes(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block wedge = block_make(6, 6, 6), probe = block_make(4, 4, 4);
    const double columns[3][3] = {{0.31, 0.07, 0.02}, {-0.06, 0.29, 0.05}, {0.01, -0.04, 0.3}};
    const double origin[3] = {5.41, 2.4, 5.37}; /* over the edge between the sides x = 6 and z = 6 */
    block_map(&probe, columns, origin);
    dent_world *world = dent_world_create(context);
    block_add(world, &probe);
    block_add(world, &wedge);
    dent_contacts_def def = dent_contacts_def_default();
    def.normals = DENT_CONTACT_NORMALS_FACE;
    dent_contacts contacts = find(world, &def);
    uint64_t points = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        if (contact->kind == DENT_CONTACT_VERTEX_CELL && contact->body_a == 0) {
            double to_x = 6 - contact->point_a[0], to_z = 6 - contact->point_a[2];
            if (contact->source == DENT_CONTACT_SOURCE_BORDER) { /* an average of true depths */
                assert_true(-contact->gap >= fmin(to_x, to_z) - 1e-12 && -contact->gap <= fmax(to_x, to_z) + 1e-12);
            }
            assert_true(contact->normal[0] >= -1e-12 && contact->normal[2] >= -1e-12 &&
                        fabs(contact->normal[1]) < 1e-12);
            points++;
        }
    }
    assert_true(points > 5);
    dent_world_destroy(world);
    block_free(&wedge);
    block_free(&probe);
    dent_context_destroy(context);
}

/* ---- consistency: two bars past each other's middle -------------------------------------------------------------- */

/* The nearest surface point of the bar [0,nx] x [0,ny] x [0,nz]: depth and normal of the nearest side. */
static double nearest_in_box(const double p[3], const double size[3], double normal[3])
{
    double best = INFINITY;
    for (int side = 0; side < 6; side++) {
        int axis = side / 2;
        double distance = side % 2 ? size[axis] - p[axis] : p[axis];
        if (distance < best) {
            best = distance;
            normal[0] = normal[1] = normal[2] = 0;
            normal[axis] = side % 2 ? 1 : -1;
        }
    }
    return best;
}

struct consistency {
    double mean, largest;
    uint64_t edges, flips;
};

static void measure_edge(struct consistency *sum, const double p[3], const double q[3], double dp, double dq,
                         const double rp[3], const double rq[3])
{
    double way[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]}, mean[3];
    for (int axis = 0; axis < 3; axis++) {
        mean[axis] = 0.5 * (rp[axis] + rq[axis]);
    }
    double j = fabs((dp - dq) - dot(way, mean)) / sqrt(dot(way, way));
    sum->mean += j;
    sum->largest = fmax(sum->largest, j);
    sum->edges++;
    sum->flips += dot(rp, rq) < 0;
}

static void compare_with_nearest(struct block *upper, const char *what, bool coherent, struct consistency *ours,
                                 struct consistency *nearest)
{
    dent_contacts_def def = dent_contacts_def_default();
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block lower = block_make(12, 4, 4);
    const double size[3] = {12, 4, 4};
    dent_world *world = dent_world_create(context);
    dent_body_id id = block_add(world, upper);
    block_add(world, &lower);
    def.coherent = coherent;
    dent_contacts contacts = find(world, &def);
    const dent_contact **of = calloc(upper->vertex_count, sizeof *of);
    for (uint64_t i = 0; i < contacts.count; i++) {
        if (contacts.contacts[i].kind == DENT_CONTACT_VERTEX_CELL && contacts.contacts[i].body_a == 0) {
            of[contacts.contacts[i].feature_a] = &contacts.contacts[i];
        }
    }
    uint32_t edge_count;
    const dent_edge *edges = dent_body_edges(world, id, &edge_count);
    *ours = *nearest = (struct consistency){0};
    for (uint32_t i = 0; i < edge_count; i++) {
        const dent_contact *a = of[edges[i].v0], *b = of[edges[i].v1];
        if (a && b) {
            double ra[3], rb[3], da = nearest_in_box(a->point_a, size, ra), db = nearest_in_box(b->point_a, size, rb);
            measure_edge(ours, a->point_a, b->point_a, -a->gap, -b->gap, a->normal, b->normal);
            measure_edge(nearest, a->point_a, b->point_a, da, db, ra, rb);
        }
    }
    printf("%s: %llu edges; J mean %.2e largest %.2e, %llu flips; nearest point: mean %.4f largest %.4f, %llu flips\n",
           what, (unsigned long long)ours->edges, ours->mean / (double)ours->edges, ours->largest,
           (unsigned long long)ours->flips, nearest->mean / (double)nearest->edges, nearest->largest,
           (unsigned long long)nearest->flips);
    free(of);
    dent_world_destroy(world);
    block_free(&lower);
    dent_context_destroy(context);
}

static void directions_agree_past_the_middle_where_nearest_points_flip(void **state)
{
    (void)state;
    struct block bar = block_make(8, 3, 6);
    const double columns[3][3] = {{1.01, 0.02, 0}, {-0.02, 0.97, 0.01}, {0.02, 0.01, 0.97}};
    const double origin[3] = {2.07, 0.53, 1.33}; /* along the other bar, sunk by two thirds of its height */
    struct consistency ours, nearest;
    block_map(&bar, columns, origin);
    compare_with_nearest(&bar, "bars along each other", false, &ours, &nearest);
    assert_true(ours.edges > 200 && nearest.flips > 0);
    assert_int_equal(ours.flips, 0);
    assert_true(ours.largest < 1e-12 && nearest.largest > 0.3); /* the top is a plane up to its creases */
    block_free(&bar);
}

/* A bar across the other leaves it through both sides as well as through the top: as a whole it goes up. */
static void directions_agree_where_one_bar_lies_across_the_other(void **state)
{
    (void)state;
    struct block bar = block_make(12, 4, 6);
    const double columns[3][3] = {{0.02, 1.01, 0}, {-0.99, 0.03, 0.01}, {0.02, 0.01, 0.97}};
    const double origin[3] = {8.07, -3.9, 1.33};
    struct consistency ours, published, nearest;
    block_map(&bar, columns, origin);
    compare_with_nearest(&bar, "bars across each other, as published", false, &published, &nearest);
    compare_with_nearest(&bar, "bars across each other, coherent", true, &ours, &nearest);
    assert_true(ours.edges > 200 && nearest.flips > 0 && published.flips > 0);
    assert_int_equal(ours.flips, 0);
    assert_true(ours.mean < 0.1 * nearest.mean);
    block_free(&bar);
}

/* A peg a little too wide and too long for its hole: up at the bottom, inwards at the walls. */
static void the_walls_of_a_hole_push_inwards_and_its_bottom_pushes_up(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block plate = block_make(9, 9, 4), peg = block_make(6, 6, 6);
    uint32_t kept = 0;
    for (uint32_t c = 0; c < plate.element_count; c++) { /* a hole of 3 x 3 x 3 cells from above */
        double middle[3] = {0, 0, 0};
        for (int k = 0; k < 12; k++) {
            middle[k % 3] += 0.25 * plate.xyz[plate.corners[4 * c + k / 3]][k % 3];
        }
        bool hole = fabs(middle[0] - 4.5) < 1.5 && fabs(middle[1] - 4.5) < 1.5 && middle[2] > 1;
        if (!hole) {
            memmove(plate.corners + 4 * kept++, plate.corners + 4 * c, 4 * sizeof *plate.corners);
        }
    }
    plate.element_count = kept;
    const double columns[3][3] = {{0.52, 0.001, 0}, {-0.001, 0.52, 0}, {0, 0, 0.7}}, origin[3] = {2.941, 2.939, 0.93};
    block_map(&peg, columns, origin);
    dent_world *world = dent_world_create(context);
    block_add(world, &peg);
    block_add(world, &plate);
    dent_contacts contacts = find(world, NULL);
    uint64_t up = 0, inward = 0, points = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        if (contact->kind == DENT_CONTACT_VERTEX_CELL && contact->body_a == 0) {
            double across =
                contact->normal[0] * (4.5 - contact->point_a[0]) + contact->normal[1] * (4.5 - contact->point_a[1]);
            points++;
            up += contact->normal[2] > 0.7;
            inward += contact->point_a[2] > 1.2 && across > 1 && contact->gap < -0.01;
        }
    }
    printf("peg: %llu vertices inside, %llu pushed up, %llu at the walls pushed inwards\n", (unsigned long long)points,
           (unsigned long long)up, (unsigned long long)inward);
    assert_true(up >= 16 && inward >= 30);
    dent_world_destroy(world);
    block_free(&plate);
    block_free(&peg);
    dent_context_destroy(context);
}

/* ---- failure cases ----------------------------------------------------------------------------------------------- */

static void a_swallowed_body_leaves_through_one_side_and_remembers_it(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block large = block_make(10, 10, 10), small = block_make(2, 2, 2);
    const double columns[3][3] = {{0.7, 0.1, 0}, {-0.1, 0.7, 0.05}, {0, -0.05, 0.7}}, origin[3] = {4.1, 4.2, 7.3};
    block_map(&small, columns, origin);
    dent_world *world = dent_world_create(context);
    block_add(world, &small);
    dent_body_id large_id = block_add(world, &large);
    dent_contacts contacts = find(world, NULL);
    uint64_t seen = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        if (contacts.contacts[i].body_a == 0) {
            assert_int_equal(contacts.contacts[i].source, DENT_CONTACT_SOURCE_NEAREST);
            assert_true(contacts.contacts[i].normal[2] > 1 - 1e-12); /* all of it upwards */
            assert_true(fabs(-contacts.contacts[i].gap - (10 - contacts.contacts[i].point_a[2])) < 1e-12);
            seen++;
        }
    }
    assert_int_equal(seen, 27);
    /* It moves to where another side is nearer: the direction is kept (F1). */
    block_move(&small, 4, 0, -3);
    contacts = find(world, NULL);
    assert_int_equal(contacts.counters.by_source[DENT_CONTACT_SOURCE_PREVIOUS], 27);
    for (uint32_t v = 0; v < 27; v++) {
        const dent_contact *contact = contact_of(contacts, 0, v);
        assert_true(contact->normal[2] > 1 - 1e-12);
        assert_true(fabs(-contact->gap - (10 - contact->point_a[2])) < 1e-12);
    }
    /* The memory can be taken out and put back, and a world that forgot takes the nearest side. */
    uint64_t count;
    const dent_contact_memory *memory = dent_world_contact_memory(world, &count);
    assert_true(count >= 27); /* and vertices of the large body in the small one */
    dent_contact_memory *copy = malloc(count * sizeof *copy);
    memcpy(copy, memory, count * sizeof *copy);
    dent_world_forget_contacts(world);
    contacts = find(world, NULL);
    assert_true(contacts.contacts[0].normal[0] > 1 - 1e-12);
    assert_int_equal(dent_world_set_contact_memory(world, copy, count), DENT_OK);
    contacts = find(world, NULL);
    assert_true(contacts.contacts[0].normal[2] > 1 - 1e-12);
    for (int axis = 0; axis < 3; axis++) {
        copy[0].direction[axis] *= 0.5; /* no direction of unit length */
    }
    assert_int_equal(dent_world_set_contact_memory(world, copy, count), DENT_ERROR_INVALID_ARGUMENT);
    copy[1] = copy[0];
    assert_int_equal(dent_world_set_contact_memory(world, copy, count), DENT_ERROR_INVALID_ARGUMENT);
    /* New elements of the other body: what was known of it is forgotten, nothing breaks. */
    struct block other = block_make(9, 10, 10);
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = other.vertex_count;
    def.element_count = other.element_count;
    def.element_corners = other.corners;
    def.positions_t0 = dent_positions_double(other.xyz[0]);
    assert_int_equal(dent_body_set_topology(world, large_id, &def), DENT_OK);
    contacts = find(world, NULL);
    assert_int_equal(contacts.counters.by_source[DENT_CONTACT_SOURCE_PREVIOUS], 0);
    free(copy);
    dent_world_destroy(world);
    block_free(&large);
    block_free(&small);
    block_free(&other);
    dent_context_destroy(context);
}

static void the_memory_follows_bodies_when_others_are_removed(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block first = block_make(1, 1, 1), large = block_make(10, 10, 10), small = block_make(2, 2, 2);
    block_move(&first, 50, 0, 0);
    block_move(&small, 4.1, 4.2, 7.3);
    dent_world *world = dent_world_create(context);
    dent_body_id first_id = block_add(world, &first);
    block_add(world, &large);
    block_add(world, &small);
    find(world, NULL);
    uint64_t key = contact_of(find(world, NULL), 2, 0)->key;
    assert_int_equal(dent_world_remove_body(world, first_id), DENT_OK);
    block_move(&small, 3.3, 0, -3);
    dent_contacts contacts = find(world, NULL);
    assert_int_equal(contacts.counters.by_source[DENT_CONTACT_SOURCE_PREVIOUS], 27);
    assert_int_equal(contact_of(contacts, 1, 0)->key, key); /* another rank, the same key */
    dent_world_destroy(world);
    block_free(&first);
    block_free(&large);
    block_free(&small);
    dent_context_destroy(context);
}

/* A needle of tetrahedra through a plate one cell thick: vertices inside see the surface on both sides. */
static void a_thin_wall_keeps_the_side_of_the_last_step(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block plate = block_make(8, 8, 1), needle = block_make(1, 1, 4);
    const double thin[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 0.2}}, none[3] = {0, 0, 0};
    const double slim[3][3] = {{0.3, 0, 0}, {0, 0.3, 0}, {0, 0, 0.7}};
    const double above[3] = {3.51, 3.53, 0.13};
    block_map(&plate, thin, none);
    block_map(&needle, slim, above);
    dent_world *world = dent_world_create(context);
    block_add(world, &needle);
    block_add(world, &plate);
    dent_contacts contacts = find(world, NULL); /* its tip, 0.07 deep */
    assert_int_equal(contacts.counters.penetrating_vertices, 4);
    for (uint64_t i = 0; i < contacts.count; i++) {
        assert_true(contacts.contacts[i].normal[2] > 1 - 1e-12);
    }
    /* One step later a whole layer of it is inside, its neighbours above and below outside. Up it goes. */
    block_move(&needle, 0, 0, -0.7);
    contacts = find(world, NULL);
    uint64_t points = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        points += contacts.contacts[i].kind == DENT_CONTACT_VERTEX_CELL;
    }
    assert_int_equal(points, 4);
    dent_world_forget_contacts(world);
    contacts = find(world, NULL);
    printf("thin wall: %llu walls, border %llu, nearest %llu\n", (unsigned long long)contacts.counters.thin_walls,
           (unsigned long long)contacts.counters.by_source[DENT_CONTACT_SOURCE_BORDER],
           (unsigned long long)contacts.counters.by_source[DENT_CONTACT_SOURCE_NEAREST]);
    /* The layer sits in the middle of the wall, 0.1 from either side. */
    block_move(&needle, 0, 0, -0.03);
    dent_world_forget_contacts(world);
    contacts = find(world, NULL);
    uint64_t thin_walls = contacts.counters.thin_walls;
    assert_true(thin_walls > 0);
    for (uint64_t i = 0; i < contacts.count; i++) {
        assert_true(isfinite(contacts.contacts[i].gap));
    }
    /* With a last step that says up, all of it is up. */
    dent_contact_memory memory[4] = {{0}};
    uint32_t known = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        if (contacts.contacts[i].kind == DENT_CONTACT_VERTEX_CELL) {
            memory[known].vertex = contacts.contacts[i].feature_a;
            memory[known].body_b = 1;
            memory[known++].direction[2] = 1;
        }
    }
    assert_int_equal(dent_world_set_contact_memory(world, memory, known), DENT_OK);
    contacts = find(world, NULL);
    for (uint64_t i = 0; i < contacts.count; i++) {
        if (contacts.contacts[i].flags & DENT_CONTACT_FLAG_THIN &&
            contacts.contacts[i].kind == DENT_CONTACT_VERTEX_CELL) {
            assert_true(contacts.contacts[i].normal[2] > 0.99);
            assert_int_equal(contacts.contacts[i].source, DENT_CONTACT_SOURCE_BORDER);
        }
    }
    dent_world_destroy(world);
    block_free(&plate);
    block_free(&needle);
    dent_context_destroy(context);
}

static void an_edge_through_an_edge_without_a_vertex_inside_is_a_contact(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block lower = block_make(1, 1, 1), upper = block_make(1, 1, 1);
    /* Two cubes on their edges, the upper one turned by 90 degrees: edges cross, 0.05 deep. */
    const double h = 0.70710678118654752;
    const double roof[3][3] = {{4, 0, 0}, {0, h, h}, {0, -h, h}}, roof_at[3] = {-2, 0, 0};
    const double keel[3][3] = {{0, 4, 0}, {h, 0, h}, {-h, 0, h}}, keel_at[3] = {0.01, -2.02, 2 * h - 0.05};
    block_map(&lower, roof, roof_at);
    block_map(&upper, keel, keel_at);
    dent_world *world = dent_world_create(context);
    block_add(world, &upper);
    block_add(world, &lower);
    dent_contacts contacts = find(world, NULL);
    assert_int_equal(contacts.count, 1);
    const dent_contact *contact = contacts.contacts;
    assert_int_equal(contact->kind, DENT_CONTACT_EDGE_EDGE);
    assert_int_equal(contact->source, DENT_CONTACT_SOURCE_CROSSING);
    assert_true(contact->normal[2] > 1 - 1e-9);
    assert_true(fabs(contact->gap + 0.05) < 1e-9);
    assert_int_equal(contacts.counters.merged, 1); /* seen from both bodies */
    dent_contacts_def def = dent_contacts_def_default();
    def.crossings = false;
    assert_int_equal(find(world, &def).count, 0);
    dent_world_destroy(world);
    block_free(&lower);
    block_free(&upper);
    dent_context_destroy(context);
}

/* A bar bent into a U whose ends pass through one another. */
static void fold_with(double shift)
{
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block bar = block_make(24, 3, 3);
    for (uint32_t v = 0; v < bar.vertex_count; v++) {
        double *p = bar.xyz[v], x = p[0], z = p[2];
        if (x <= 9) {
            continue; /* lower leg: z in 0 ... 3 */
        }
        double t = fmin((x - 9) / 6, 1), angle = 3.14159265358979 * t, radius = 2.6;
        /* round the bend; the upper leg comes back above, sunk by 0.4 into the lower one */
        double mid_x = 9 + radius * sin(angle), mid_z = 1.5 + radius * (1 - cos(angle)) * 0.5;
        p[0] = mid_x + (z - 1.5) * sin(angle) * (1 - t);
        p[2] = mid_z - (z - 1.5) * (2 * t - 1);
        if (x > 15) {
            p[0] = 9 - (x - 15) + shift;
        }
        p[1] += shift * t;
    }
    dent_world *world = dent_world_create(context);
    block_add(world, &bar);
    dent_contacts contacts = find(world, NULL);
    uint64_t up = 0, down = 0, other = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        const dent_contact *contact = &contacts.contacts[i];
        if (contact->kind == DENT_CONTACT_VERTEX_CELL && contact->point_a[0] < 7) {
            assert_true(contact->flags & DENT_CONTACT_FLAG_SELF);
            bool upper = contact->feature_a % 25 > 15;
            up += upper && contact->normal[2] > 0.3;
            down += !upper && contact->normal[2] < -0.3;
            other += fabs(contact->normal[2]) <= 0.3;
            assert_true(fabs(contact->normal[2]) > 0.3 || contact->gap > -1e-9); /* flush sides: they only touch */
        }
    }
    printf("fold, shifted by %g: %llu contacts, %llu up, %llu down, %llu other; inverted %llu, lost %llu\n", shift,
           (unsigned long long)contacts.count, (unsigned long long)up, (unsigned long long)down,
           (unsigned long long)other, (unsigned long long)contacts.counters.inverted_vertices,
           (unsigned long long)contacts.counters.lost_edges);
    assert_true(up >= 12 && down >= 12 && other <= (up + down) / 2);
    dent_world_destroy(world);
    block_free(&bar);
    dent_context_destroy(context);
}

static void a_body_folded_through_itself_has_contacts_that_push_the_folds_apart(void **state)
{
    (void)state;
    fold_with(0.31);
    fold_with(0); /* both legs on one lattice: vertices exactly on inner faces */
}

/* An inner vertex pushed through the far side of its own ring: no contact. */
static void an_inverted_vertex_is_counted_and_left_out(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block block = block_make(4, 4, 4);
    block.xyz[block_vertex(&block, 2, 2, 2)][0] += 1.3;
    block.xyz[block_vertex(&block, 2, 2, 2)][1] += 0.11;
    block.xyz[block_vertex(&block, 2, 2, 2)][2] += 0.23;
    dent_world *world = dent_world_create(context);
    block_add(world, &block);
    dent_contacts contacts = find(world, NULL);
    assert_int_equal(contacts.count, 0);
    assert_true(contacts.counters.inverted_vertices > 0);
    dent_world_destroy(world);
    block_free(&block);
    dent_context_destroy(context);
}

static void an_edge_that_leaves_and_enters_again_is_a_border_for_both_ends(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block table = block_make(7, 3, 2), bridge = block_make(1, 1, 1);
    /* A table with a valley between x = 3 and x = 4; a long cell reaches from one hill through the air into the other.
     */
    for (uint32_t v = 0; v < table.vertex_count; v++) {
        table.xyz[v][2] *= fabs(table.xyz[v][0] - 3.5) < 1 ? 0.3 : 1;
    }
    const double columns[3][3] = {{4, 0.02, 0.01}, {0.01, 1, 0.02}, {0, 0.03, 2}}, origin[3] = {1.4, 1.02, 1.7};
    block_map(&bridge, columns, origin);
    dent_world *world = dent_world_create(context);
    block_add(world, &bridge);
    block_add(world, &table);
    dent_contacts contacts = find(world, NULL);
    assert_true(contacts.counters.double_crossings > 0);
    double towards = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        if (contacts.contacts[i].body_a == 0 && contacts.contacts[i].kind == DENT_CONTACT_VERTEX_CELL) {
            assert_int_equal(contacts.contacts[i].source, DENT_CONTACT_SOURCE_BORDER);
            assert_true(contacts.contacts[i].normal[2] > 0.2); /* not through the valley's walls alone, never down */
            towards += contacts.contacts[i].normal[0] * (3.5 - contacts.contacts[i].point_a[0]);
        }
    }
    printf("valley: directions towards it %g\n", towards);
    assert_true(towards > 2.15); /* without these borders: 2.06 */
    dent_world_destroy(world);
    block_free(&table);
    block_free(&bridge);
    dent_context_destroy(context);
}

static void vertices_on_inner_faces_of_a_lattice_are_points_too(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block slab = block_make(8, 8, 4), probe = block_make(2, 2, 4);
    for (uint32_t v = 0; v < probe.vertex_count;
         v++) { /* inner layers exactly on the slab's inner vertices and faces */
        probe.xyz[v][0] = 3 + 0.5 * probe.xyz[v][0];
        probe.xyz[v][1] = 3 + 0.5 * probe.xyz[v][1];
        probe.xyz[v][2] = 2.25 + 0.75 * probe.xyz[v][2];
    }
    dent_world *world = dent_world_create(context);
    block_add(world, &probe);
    block_add(world, &slab);
    dent_contacts contacts = find(world, NULL);
    uint64_t points = 0;
    for (uint64_t i = 0; i < contacts.count; i++) {
        if (contacts.contacts[i].body_a == 0 && contacts.contacts[i].kind == DENT_CONTACT_VERTEX_CELL) {
            points++;
            assert_true(fabs(-contacts.contacts[i].gap - (4 - contacts.contacts[i].point_a[2])) < 1e-12);
            assert_true(contacts.contacts[i].normal[2] > 1 - 1e-12);
        }
    }
    assert_int_equal(points, 27); /* three layers of nine below z = 4 */
    assert_int_equal(contacts.counters.lost_edges, 0);
    dent_world_destroy(world);
    block_free(&slab);
    block_free(&probe);
    dent_context_destroy(context);
}

/* The first step of every stack: same lattice, same footprint, pressed straight down. No vertex is in an open cell, no
 * two faces cross. */
static void stacked_blocks_on_one_lattice_push_each_other_up_and_down(void **state)
{
    (void)state;
    static const double presses[] = {0.1, 0, 0.2, 1};
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    for (int i = 0; i < 4; i++) {
        struct block lower = block_make(3, 3, 3), upper = block_make(3, 3, 3);
        dent_world *world = dent_world_create(context);
        block_move(&upper, 0, 0, 3 - presses[i]);
        block_add(world, &lower);
        block_add(world, &upper);
        dent_contacts contacts = find(world, NULL);
        uint64_t points = 0;
        for (uint64_t k = 0; k < contacts.count; k++) {
            const dent_contact *contact = &contacts.contacts[k];
            if (contact->kind == DENT_CONTACT_VERTEX_CELL) {
                bool up = contact->body_a == 1;
                double depth = up ? 3 - contact->point_a[2] : contact->point_a[2] - (3 - presses[i]);
                bool inner = contact->point_a[0] > 0.5 && contact->point_a[0] < 2.5 && contact->point_a[1] > 0.5 &&
                             contact->point_a[1] < 2.5;
                points++;
                /* A flush side one cell away takes part in the average: with a hundredth at a press of a tenth. */
                inner = inner && presses[i] < 0.5; /* by a whole cell the sides are as near as the top */
                assert_true(!inner || fabs(-contact->gap - depth) < 0.4 * presses[i] + 1e-12);
                assert_true(!inner || (up ? 1 : -1) * contact->normal[2] > 0.95);
            }
        }
        printf("stack, pressed by %g: %llu vertices\n", presses[i], (unsigned long long)points);
        assert_true(presses[i] > 0 ? points >= 8 : contacts.count == 0 && contacts.counters.touching_vertices > 0);
        assert_int_equal(contacts.counters.lost_edges, 0);
        dent_world_destroy(world);
        block_free(&lower);
        block_free(&upper);
    }
    dent_context_destroy(context);
}

/* ---- sliding ----------------------------------------------------------------------------------------------------- */

static void depth_and_direction_change_smoothly_where_nearest_points_jump(void **state)
{
    (void)state;
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    struct block table = block_make(12, 4, 4), bar = block_make(2, 2, 4);
    const double columns[3][3] = {{0.5, 0.02, 0}, {-0.02, 0.5, 0.01}, {0.01, 0, 0.9}}, origin[3] = {0.8, 1.52, 2.63};
    const double size[3] = {12, 4, 4}, speed = 0.01;
    block_map(&bar, columns, origin);
    dent_world *world = dent_world_create(context);
    block_add(world, &bar);
    block_add(world, &table);
    double last_depth = 0, last_nearest = 0, last_normal[3] = {0}, last_side[3] = {0};
    double jump = 0, turn = 0, nearest_turn = 0;
    uint32_t vertex = block_vertex(&bar, 1, 1, 0);
    (void)last_nearest;
    for (int step = 0; step < 960; step++) {
        dent_contacts contacts = find(world, NULL);
        for (uint64_t i = 0; i < contacts.count; i++) {
            const dent_contact *contact = &contacts.contacts[i];
            if (contact->kind != DENT_CONTACT_VERTEX_CELL || contact->body_a != 0 || contact->feature_a != vertex) {
                continue;
            }
            double side[3];
            nearest_in_box(contact->point_a, size, side);
            if (step > 0) {
                jump = fmax(jump, fabs(-contact->gap - last_depth));
                turn = fmax(turn, degrees(contact->normal, last_normal));
                nearest_turn = fmax(nearest_turn, degrees(side, last_side));
            }
            last_depth = -contact->gap;
            memcpy(last_normal, contact->normal, sizeof last_normal);
            memcpy(last_side, side, sizeof side);
        }
        block_move(&bar, speed, 0, 0);
    }
    printf("sliding: depth changes by at most %.4f a step of %.2f, direction by %.2f degrees; nearest point turns by "
           "%.0f\n",
           jump, speed, turn, nearest_turn);
    assert_true(nearest_turn > 80);
    assert_true(jump <= 2 * speed && turn <= 5);
    dent_world_destroy(world);
    block_free(&table);
    block_free(&bar);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(direction_on_a_ball_is_near_the_radius_and_errors_fall_with_refinement),
        cmocka_unit_test(depth_at_a_right_angled_wedge_lies_between_those_of_its_planes),
        cmocka_unit_test(directions_agree_past_the_middle_where_nearest_points_flip),
        cmocka_unit_test(directions_agree_where_one_bar_lies_across_the_other),
        cmocka_unit_test(the_walls_of_a_hole_push_inwards_and_its_bottom_pushes_up),
        cmocka_unit_test(a_swallowed_body_leaves_through_one_side_and_remembers_it),
        cmocka_unit_test(the_memory_follows_bodies_when_others_are_removed),
        cmocka_unit_test(a_thin_wall_keeps_the_side_of_the_last_step),
        cmocka_unit_test(an_edge_through_an_edge_without_a_vertex_inside_is_a_contact),
        cmocka_unit_test(a_body_folded_through_itself_has_contacts_that_push_the_folds_apart),
        cmocka_unit_test(an_inverted_vertex_is_counted_and_left_out),
        cmocka_unit_test(an_edge_that_leaves_and_enters_again_is_a_border_for_both_ends),
        cmocka_unit_test(vertices_on_inner_faces_of_a_lattice_are_points_too),
        cmocka_unit_test(stacked_blocks_on_one_lattice_push_each_other_up_and_down),
        cmocka_unit_test(depth_and_direction_change_smoothly_where_nearest_points_jump),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
