/* Depth below a plane is exact, at the border and however deep inside: random planes, random bodies pressed through.
 *
 * The plane is the top of a slab whose vertices are whole multiples of two vectors with short numbers: exactly in one
 * plane. The truth comes from long doubles.
 */
#include "support/cmocka_includes.h"

#include "contact/support_blocks.h"

struct plane {
    double origin[3], middle[3]; /* a point exactly in it; about where the body goes */
    long double normal[3];       /* unit, outward */
};

static double short_number(dent_random *random, double lo, double hi)
{
    return floor(uniform(random, lo, hi) * 64) / 64;
}

/* A slab 8 x 8 x 3 of cells of about 8 units, or one cell of a thousand; false when the vectors are no good basis. */
static bool make_slab(dent_random *random, double far, bool giant, struct block *slab, struct plane *plane)
{
    double cell = giant ? 1000 : 8, whole = giant ? 1 : 64;
    uint32_t across = giant ? 1 : 8, deep = giant ? 1 : 3;
    double columns[3][3], rotation[3][3], origin[3];
    random_rotation(random, rotation);
    for (int k = 0; k < 9; k++) {
        columns[k / 3][k % 3] = floor((cell * rotation[k / 3][k % 3] + uniform(random, -1, 1)) * whole) / whole;
    }
    for (int axis = 0; axis < 3; axis++) {
        origin[axis] = short_number(random, -far, far);
    }
    const double *u = columns[0], *v = columns[1], *w = columns[2];
    long double normal[3] = {(long double)u[1] * v[2] - (long double)u[2] * v[1],
                             (long double)u[2] * v[0] - (long double)u[0] * v[2],
                             (long double)u[0] * v[1] - (long double)u[1] * v[0]};
    long double length = sqrtl(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    long double volume = normal[0] * w[0] + normal[1] * w[1] + normal[2] * w[2];
    if (volume < 0.4 * cell * cell * cell) {
        return false;
    }
    *slab = block_make(across, across, deep);
    block_map(slab, (const double(*)[3])columns, origin);
    for (int axis = 0; axis < 3; axis++) {
        plane->origin[axis] = slab->xyz[block_vertex(slab, across / 2, across / 2, deep)][axis];
        plane->middle[axis] = giant ? plane->origin[axis] + 0.3 * u[axis] + 0.4 * v[axis] : plane->origin[axis];
        plane->normal[axis] = normal[axis] / length;
    }
    return true;
}

/* A block of about unit cells, turned and shaken, its middle `above` the middle of the slab's top. */
static struct block make_body(dent_random *random, const struct plane *plane, double above)
{
    uint32_t nx = 2 + (uint32_t)uniform(random, 0, 4), ny = 2 + (uint32_t)uniform(random, 0, 4);
    uint32_t nz = 3 + (uint32_t)uniform(random, 0, 4);
    struct block body = block_make(nx, ny, nz);
    double rotation[3][3], origin[3];
    block_move(&body, -0.5 * nx, -0.5 * ny, -0.5 * nz);
    for (uint32_t v = 0; v < body.vertex_count; v++) {
        for (int axis = 0; axis < 3; axis++) {
            body.xyz[v][axis] += uniform(random, -0.12, 0.12);
        }
    }
    random_rotation(random, rotation);
    for (int axis = 0; axis < 3; axis++) {
        origin[axis] = plane->middle[axis] + above * (double)plane->normal[axis];
    }
    block_map(&body, (const double(*)[3])rotation, origin);
    return body;
}

static void compare_with_plane(const dent_contact *contact, const struct block *body, const struct plane *plane,
                               double mean_edge, double *worst_depth, double *worst_direction)
{
    long double depth = 0;
    double off = 0;
    for (int axis = 0; axis < 3; axis++) {
        depth -= ((long double)body->xyz[contact->feature_a][axis] - plane->origin[axis]) * plane->normal[axis];
        off = fmax(off, fabs(contact->normal[axis] - (double)plane->normal[axis]));
    }
    double scale = fmax((double)depth, mean_edge);
    *worst_depth = fmax(*worst_depth, fabs((double)(-contact->gap - depth)) / scale);
    *worst_direction = fmax(*worst_direction, off);
}

static void run_cases(bool surface_body, bool giant, dent_contact_normals normals, const char *what)
{
    dent_random random = dent_random_seeded(surface_body ? 71 : 70);
    dent_context *context = block_context(1, DENT_ISA_AUTO);
    uint32_t cases = 0, wanted = test_rounds(300);
    uint64_t border = 0, propagated = 0;
    double worst_depth = 0, worst_direction = 0;
    while (cases < wanted) {
        struct block slab, body;
        struct plane plane;
        if (!make_slab(&random, giant ? 300 : 900, giant, &slab, &plane)) {
            continue;
        }
        body = make_body(&random, &plane, uniform(&random, -0.9, 1.2));
        dent_world *world = dent_world_create(context);
        dent_body_id id = block_add(world, &body);
        struct block shell = {0};
        if (surface_body) {
            shell = block_surface(context, &slab);
        }
        block_add(world, surface_body ? &shell : &slab);
        dent_body_metrics measure;
        assert_int_equal(dent_body_get_metrics(world, id, &measure), DENT_OK);
        dent_contacts_def def = dent_contacts_def_default();
        dent_contacts result;
        def.normals = normals;
        assert_int_equal(dent_world_find_contacts(world, &def, &result), DENT_OK);
        for (uint64_t i = 0; i < result.count; i++) {
            const dent_contact *contact = &result.contacts[i];
            if (contact->kind == DENT_CONTACT_VERTEX_CELL && contact->body_a == 0) {
                assert_true(contact->source == DENT_CONTACT_SOURCE_BORDER || contact->source == DENT_CONTACT_SOURCE_PROPAGATED);
                compare_with_plane(contact, &body, &plane, measure.mean_edge, &worst_depth, &worst_direction);
                border += contact->source == DENT_CONTACT_SOURCE_BORDER;
                propagated += contact->source == DENT_CONTACT_SOURCE_PROPAGATED;
            }
        }
        assert_int_equal(result.counters.lost_edges, 0);
        cases++;
        dent_world_destroy(world);
        block_free(&slab);
        block_free(&body);
        block_free(&shell);
    }
    printf("%s: %u planes, %llu border and %llu propagated vertices: depth off by at most %.2e, direction by %.2e\n",
           what, cases, (unsigned long long)border, (unsigned long long)propagated, worst_depth, worst_direction);
    assert_true(border > 10 * cases && propagated > 5 * cases);
    assert_true(worst_depth <= 1e-14); /* promised: 1e-13 */
    assert_true(worst_direction <= 1e-14);
    dent_context_destroy(context);
}

static void depth_below_a_plane_is_exact_for_border_and_propagated_vertices(void **state)
{
    (void)state;
    run_cases(false, false, DENT_CONTACT_NORMALS_SMOOTH, "solid, smooth normals");
}

static void depth_below_a_plane_is_exact_with_face_normals(void **state)
{
    (void)state;
    run_cases(false, false, DENT_CONTACT_NORMALS_FACE, "solid, face normals");
}

static void depth_below_a_closed_surface_is_exact_too(void **state)
{
    (void)state;
    run_cases(true, false, DENT_CONTACT_NORMALS_SMOOTH, "closed surface");
}

/* The three corners that span the plane are hundreds of edges away: heights over it must not lose digits. */
static void depth_below_one_giant_face_is_exact(void **state)
{
    (void)state;
    run_cases(false, true, DENT_CONTACT_NORMALS_FACE, "giant faces");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(depth_below_a_plane_is_exact_for_border_and_propagated_vertices),
        cmocka_unit_test(depth_below_a_plane_is_exact_with_face_normals),
        cmocka_unit_test(depth_below_a_closed_surface_is_exact_too),
        cmocka_unit_test(depth_below_one_giant_face_is_exact),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
