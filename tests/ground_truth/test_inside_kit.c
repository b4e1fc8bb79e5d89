/* Inside, outside or on 20 meshes of the data kit (DENT_DATA): both methods must say the same at every point, and the exact
 * winding number over all triangles must say it, too, at a part of them.
 *
 * Each mesh is taken as it was read, and with its vertices moved to a fine grid: then points in the middle of edges and faces
 * are exact, and lie on the surface. The long tier asks a million points of each. */
#include "support/cmocka_includes.h"

#include "geometry/predicates/winding_number.h"
#include "support/test_context.h"

#include <dent/dent.h>
#include <dent/inside.h>
#include <dent/mesh_io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const kit_meshes[20] = {
    "jaw-artisynth/tmj-discs/CEY_disc_left.obj",
    "jaw-openmandible/Cartilage.1.ele.xz",
    "jaw-artisynth/tongue3.1.ele.xz",
    "jaw-openmandible/Tooth_L3_Pulp.1.ele.xz",
    "organ-sofa/liver2.msh",
    "robot-ur5e/meshes/ur5e/collision/upperarm.stl",
    "robot-ur5e/meshes/ur5e/collision/wrist2.stl",
    "knee-jam/smith2019-R-lateral-meniscus.stl.xz",
    "knee-jam/smith2019-R-medial-meniscus.stl.xz",
    "organ-sofa/liver-smooth.obj.xz",
    "jaw-openmandible/Tooth_L6_Enamel.1.ele.xz",
    "tets-ipc/bunny.msh.xz",
    "jaw-artisynth/hyoid.obj.xz",
    "jaw-artisynth/softpalate/softpalate_init.obj.xz",
    "tets-ipc/32770_octocat.msh.xz",
    "jaw-openmandible/Tooth_L2_PDL.1.ele.xz",
    "jaw-openmandible/Tooth_L1_Dentin.1.ele.xz",
    "tets-ipc/Armadillo13K.msh.xz",
    "tets-ipc/rod300x33.msh.xz",
    "jaw-openmandible/CorticalBone.1.ele.xz",
};

struct kit_surface {
    double (*xyz)[3];
    uint32_t (*faces)[3];
    uint32_t vertex_count, face_count;
};

static struct kit_surface read_surface(dent_context *context, const char *kit, const char *name)
{
    char path[2048];
    dent_mesh *mesh = NULL;
    dent_world *world = dent_world_create(context);
    dent_body_id id;
    snprintf(path, sizeof path, "%s/meshes/%s", kit, name);
    assert_int_equal(dent_mesh_read(context, path, NULL, &mesh), DENT_OK);
    assert_int_equal(mesh->body_count, 1);
    assert_int_equal(dent_mesh_add_to_world(mesh, world, &id), DENT_OK);
    struct kit_surface made = {.vertex_count = mesh->bodies[0].vertex_count};
    const dent_surface_face *faces = dent_body_surface_faces(world, id, &made.face_count);
    made.xyz = malloc(made.vertex_count * sizeof *made.xyz);
    made.faces = malloc(made.face_count * sizeof *made.faces);
    assert_true(made.face_count > 0 && made.xyz && made.faces);
    memcpy(made.xyz, mesh->bodies[0].positions, made.vertex_count * sizeof *made.xyz);
    for (uint32_t f = 0; f < made.face_count; f++) {
        memcpy(made.faces[f], faces[f].corners, sizeof made.faces[f]);
    }
    dent_world_destroy(world);
    dent_mesh_destroy(context, mesh);
    return made;
}

/* Multiples of 2^-24 of the size: means of two and four have room in a double. */
static void move_to_grid(struct kit_surface *surface)
{
    double *numbers = surface->xyz[0], most = 0;
    for (uint32_t i = 0; i < 3 * surface->vertex_count; i++) {
        most = fmax(most, fabs(numbers[i]));
    }
    double unit = ldexp(1, ilogb(most) - 24);
    for (uint32_t i = 0; i < 3 * surface->vertex_count; i++) {
        numbers[i] = unit * rint(numbers[i] / unit);
    }
}

/* A third anywhere, a third close to the surface; the others are corners, and points of edges and faces. */
static void make_points(const struct kit_surface *surface, uint64_t seed, uint32_t count, double (*points)[3])
{
    dent_random random = dent_random_seeded(seed);
    const uint32_t *corners = surface->faces[0];
    double low[3], high[3];
    for (uint32_t f = 0; f < 3 * surface->face_count; f++) {
        const double *p = surface->xyz[corners[f]];
        for (int axis = 0; axis < 3; axis++) {
            low[axis] = f == 0 ? p[axis] : fmin(low[axis], p[axis]);
            high[axis] = f == 0 ? p[axis] : fmax(high[axis], p[axis]);
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t any_face = dent_random_below(&random, surface->face_count);
        const uint32_t *face = surface->faces[i % 12 == 9 ? i / 12 % surface->face_count : any_face];
        const double *a = surface->xyz[face[0]], *b = surface->xyz[face[1]], *c = surface->xyz[face[2]];
        double u = dent_random_unit(&random), v = dent_random_unit(&random) * (1 - u);
        for (int axis = 0; axis < 3; axis++) {
            double width = high[axis] - low[axis], any = low[axis] + width * dent_random_unit(&random);
            double on_face = a[axis] + u * (b[axis] - a[axis]) + v * (c[axis] - a[axis]), place = any;
            switch (i % 12) {
            case 4:
            case 5:
            case 6:
                place = on_face + 0.01 * width * (dent_random_unit(&random) - 0.5);
                break;
            case 7:
                place = on_face;
                break;
            case 8:
                place = axis == (int)(i / 12 % 3) ? any : a[axis];
                break;
            case 9:
                place = a[axis];
                break;
            case 10:
                place = 0.5 * (a[axis] + b[axis]);
                break;
            case 11:
                place = 0.25 * a[axis] + 0.25 * b[axis] + 0.5 * c[axis];
                break;
            default:
                break;
            }
            points[i][axis] = place;
        }
    }
}

static void classify(dent_context *context, const struct kit_surface *surface, dent_inside_method method,
                     const double (*points)[3], uint32_t count, uint8_t *places)
{
    dent_inside_def def = dent_inside_def_default();
    dent_inside *inside = NULL;
    def.positions = dent_positions_double(surface->xyz[0]);
    def.vertex_count = surface->vertex_count;
    def.triangles = surface->faces[0];
    def.triangle_count = surface->face_count;
    def.method = method;
    assert_int_equal(dent_inside_create(context, &def, &inside), DENT_OK);
    assert_int_equal(dent_inside_classify(inside, dent_positions_double(points[0]), count, places), DENT_OK);
    dent_inside_destroy(inside);
}

struct tally {
    uint64_t places[3], judged, meshes;
};

static void compare(dent_context *context, const char *name, const struct kit_surface *surface, bool exact,
                    uint32_t count, struct tally *tally)
{
    double(*points)[3] = malloc(count * sizeof *points);
    uint8_t *bsp = malloc(count), *winding = malloc(count);
    uint64_t special = 0;
    assert_true(points && bsp && winding);
    make_points(surface, surface->face_count, count, points);
    classify(context, surface, DENT_INSIDE_BSP, (const double(*)[3])points, count, bsp);
    classify(context, surface, DENT_INSIDE_WINDING, (const double(*)[3])points, count, winding);
    uint32_t step = count / 2880 * 12 + 1; /* all kinds of points */
    for (uint32_t i = 0; i < count; i++) {
        if (bsp[i] != winding[i]) {
            fail_msg("%s: point %u (%.17g %.17g %.17g) is %s by bsp, %s by winding", name, i, points[i][0],
                     points[i][1], points[i][2], dent_place_name((dent_place)bsp[i]),
                     dent_place_name((dent_place)winding[i]));
        }
        tally->places[bsp[i]]++;
        special += i % 12 >= 9;
        if (i % 12 == 9 || (exact && i % 12 > 9)) {
            assert_int_equal(bsp[i], DENT_PLACE_ON);
        }
        if (i % step == 0) {
            predicate_counters counters = {0};
            bool on;
            int number = winding_number(points[i], (const double(*)[3])surface->xyz,
                                        (const uint32_t(*)[3])surface->faces, surface->face_count, &counters, &on);
            assert_int_equal(bsp[i], on ? DENT_PLACE_ON : number ? DENT_PLACE_IN : DENT_PLACE_OUT);
            tally->judged++;
        }
    }
    assert_true(special >= count / 12 * 3); /* a whole round of kinds has three */
    tally->meshes++;
    free(points);
    free(bsp);
    free(winding);
}

static void kit_meshes_have_one_inside_by_both_methods(void **state)
{
    const char *kit = getenv("DENT_DATA");
    struct tally tally = {{0}, 0, 0};
    if (!kit) {
        print_message("SKIPPED: DENT_DATA is not set, so there are no kit meshes to compare on\n");
        skip();
    }
    uint32_t count = (uint32_t)test_count(600, 12000, 1000000),
             faces_most = (uint32_t)test_count(2500, 12000, UINT32_MAX);
    for (uint32_t m = 0; m < 20; m++) {
        struct kit_surface surface = read_surface(*state, kit, kit_meshes[m]);
        if (surface.face_count <= faces_most) {
            bool both = getenv("DENT_LONG_TESTS") != NULL;
            if (both || m % 2 == 0) {
                compare(*state, kit_meshes[m], &surface, false, count, &tally);
            }
            move_to_grid(&surface);
            if (both || m % 2 == 1) {
                compare(*state, kit_meshes[m], &surface, true, count, &tally);
            }
        }
        free(surface.xyz);
        free(surface.faces);
    }
    print_message("%llu surfaces with %u points each: out %llu, in %llu, on %llu; %llu judged by all triangles\n",
                  (unsigned long long)tally.meshes, count, (unsigned long long)tally.places[0],
                  (unsigned long long)tally.places[1], (unsigned long long)tally.places[2],
                  (unsigned long long)tally.judged);
    for (int place = 0; place < 3; place++) {
        assert_true(tally.places[place] > tally.meshes * count / 20);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kit_meshes_have_one_inside_by_both_methods),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
