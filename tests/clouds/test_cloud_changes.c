/* What changes of a cloud do to its surface: bending shifts it as theory says; turning, reordering, adding what is far
 * away do nothing; more points bring it nearer to the truth. */
#include "clouds/cloud_shapes.h"

#include "support/test_context.h"

#define PI 3.14159265358979323846

/* ---- curved surfaces --------------------------------------------------------------------------------------------- */

struct curved_point {
    double place[3], normal[3];
    double mean_curvature; /* positive where the normal points away from the centre */
};

/* A point for u, v in [0, 1), and the share of the area there. */
typedef double curved_surface(double u, double v, struct curved_point *point);

static double torus(double u, double v, struct curved_point *point)
{
    double along = 2 * PI * u, around = 2 * PI * v, tube = 0.4, out = 1 + tube * cos(along);
    double normal[3] = {cos(along) * cos(around), cos(along) * sin(around), sin(along)};
    for (int axis = 0; axis < 3; axis++) {
        point->normal[axis] = normal[axis];
        point->place[axis] = tube * normal[axis] + (axis == 0 ? cos(around) : axis == 1 ? sin(around) : 0);
    }
    point->mean_curvature = 0.5 * (1 / tube + cos(along) / out);
    return out / (1 + tube);
}

static double cylinder(double u, double v, struct curved_point *point)
{
    double normal[3] = {cos(2 * PI * u), sin(2 * PI * u), 0};
    for (int axis = 0; axis < 3; axis++) {
        point->normal[axis] = normal[axis];
        point->place[axis] = 0.5 * normal[axis] + (axis == 2 ? 3 * v : 0);
    }
    point->mean_curvature = 1;
    return 1;
}

/* z = x y: its mean curvature is -x y / (1 + x x + y y)^1.5. */
static double saddle(double u, double v, struct curved_point *point)
{
    double x = 2 * u - 1, y = 2 * v - 1, size = sqrt(1 + x * x + y * y);
    double place[3] = {x, y, x * y}, normal[3] = {-y / size, -x / size, 1 / size};
    memcpy(point->place, place, sizeof place);
    memcpy(point->normal, normal, sizeof normal);
    point->mean_curvature = x * y / (size * size * size);
    return size / sqrt(3);
}

static void sample(curved_surface *at, uint32_t count, uint64_t seed, struct curved_point *points)
{
    dent_random random = dent_random_seeded(seed);
    for (uint32_t i = 0; i < count;) {
        double u = dent_random_unit(&random), v = dent_random_unit(&random);
        i += dent_random_unit(&random) < at(u, v, &points[i]);
    }
}

/* How far inside along the normal the surface of the cloud lies: the zero of f, by bisection. */
static double shift_at(const dent_cloud *cloud, dent_cloud_function function, const struct curved_point *at, double h)
{
    double low = -0.7 * h, high = 0.7 * h;
    for (int i = 0; i < 24; i++) {
        double middle = 0.5 * (low + high), p[3];
        for (int axis = 0; axis < 3; axis++) {
            p[axis] = at->place[axis] + middle * at->normal[axis];
        }
        dent_cloud_value value = cloud_value(cloud, function, p[0], p[1], p[2]);
        assert_int_equal(value.state, DENT_CLOUD_DEFINED);
        if (value.value < 0) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return -0.5 * (low + high);
}

/* Shifts in h^2: their slope against half the mean curvature, and their mean. */
struct bend {
    double slope, mean;
};

static bool is_inner(curved_surface *at, const struct curved_point *point)
{
    return (at != cylinder || (point->place[2] > 0.5 && point->place[2] < 2.5)) &&
           (at != saddle || (fabs(point->place[0]) < 0.7 && fabs(point->place[1]) < 0.7));
}

static struct bend measure_bend(dent_context *context, curved_surface *at, dent_cloud_function function, uint32_t k,
                                double eta, uint32_t count, uint32_t rays)
{
    struct curved_point *points = malloc(count * sizeof *points), *along = malloc(rays * sizeof *along);
    dent_cloud_def def = dent_cloud_def_default();
    dent_cloud *cloud = NULL;
    double sum_xy = 0, sum_xx = 0, sum_y = 0, used = 0;
    sample(at, count, 1, points);
    sample(at, rays, 2, along);
    def.positions = (dent_positions){points[0].place, sizeof *points, DENT_SCALAR_DOUBLE};
    def.normals = (dent_positions){points[0].normal, sizeof *points, DENT_SCALAR_DOUBLE};
    def.point_count = count;
    def.support_radii = eta;
    def.neighbours = k;
    assert_int_equal(dent_cloud_create(context, &def, &cloud), DENT_OK);
    for (uint32_t i = 0; i < rays; i++) {
        if (is_inner(at, &along[i])) {
            const double *p = along[i].place;
            double h = cloud_value(cloud, function, p[0], p[1], p[2]).bandwidth, x = 0.5 * along[i].mean_curvature;
            double y = shift_at(cloud, function, &along[i], h) / (h * h);
            sum_xy += x * y;
            sum_xx += x * x;
            sum_y += y;
            used++;
        }
    }
    dent_cloud_destroy(cloud);
    free(along);
    free(points);
    return (struct bend){.slope = sum_xy / sum_xx, .mean = sum_y / used};
}

/* A weighted plane lies h^2 / 2 times the mean curvature inside; a saddle stays where it is on average, and a fitted
 * sphere everywhere. Paths along the graph are longer than straight lines, so the graph's kernel is narrower than its
 * bandwidth: with the default of 8 neighbours the shift is 11 % smaller. The paths of 16 neighbours are straight
 * enough for the bar of a tenth. */
static void surfaces_shift_by_their_mean_curvature(void **state)
{
    static curved_surface *const surfaces[3] = {torus, cylinder, saddle};
    static const char *const names[3] = {"torus", "cylinder", "saddle"};
    uint32_t count = (uint32_t)test_count(8000, 20000, 100000), rays = (uint32_t)test_count(100, 400, 1000);
    for (int i = 0; i < 3; i++) {
        struct bend euclidean = measure_bend(*state, surfaces[i], DENT_CLOUD_EUCLIDEAN, 8, 3, count, rays);
        struct bend graph = measure_bend(*state, surfaces[i], DENT_CLOUD_GRAPH, 8, 6, 2 * count, rays / 8);
        struct bend straight = measure_bend(*state, surfaces[i], DENT_CLOUD_GRAPH, 16, 6, 2 * count, rays / 8);
        struct bend sphere = measure_bend(*state, surfaces[i], DENT_CLOUD_SPHERE_FIT, 8, 3, count, rays);
        print_message("%-8s slope %.3f with straight distances, %.3f along the graph of 8 neighbours, %.3f of 16, %.4f for "
                      "the fitted sphere; mean shift %.4f, %.4f, %.4f, %.4f h^2\n",
                      names[i], euclidean.slope, graph.slope, straight.slope, sphere.slope, euclidean.mean, graph.mean,
                      straight.mean, sphere.mean);
        bool bent = surfaces[i] != saddle; /* which is nearly flat: few rays, much noise */
        assert_true(fabs(euclidean.slope - 1) < (bent ? 0.1 : 0.2));
        assert_true(bent ? graph.slope > 0.85 && graph.slope < 1 : fabs(graph.mean) < 0.03);
        assert_true(bent ? fabs(straight.slope - 1) < 0.1 : fabs(straight.mean) < 0.03);
        assert_true(fabs(sphere.slope) < (bent ? 0.02 : 0.1) && fabs(sphere.mean) < 0.01);
        assert_true(bent || fabs(euclidean.mean) < 0.02);
    }
}

/* ---- the same surface -------------------------------------------------------------------------------------------- */

enum { COUNT = 2000, PLACES = 200 };

static void random_pose(dent_random *random, dent_pose *pose)
{
    double square = 0;
    for (int k = 0; k < 4; k++) {
        pose->rotation[k] = dent_random_unit(random) - 0.5;
        square += pose->rotation[k] * pose->rotation[k];
    }
    for (int k = 0; k < 4; k++) {
        pose->rotation[k] /= sqrt(square);
    }
    for (int axis = 0; axis < 3; axis++) {
        pose->translation[axis] = 4 * dent_random_unit(random) - 2;
    }
}

static void place(const dent_pose *pose, const double *from, uint32_t count, double *to)
{
    for (uint32_t i = 0; i < count; i++) {
        const double *p = from + 3 * i, *q = pose->rotation;
        double turn[3] = {q[2] * p[2] - q[3] * p[1] + q[0] * p[0], q[3] * p[0] - q[1] * p[2] + q[0] * p[1],
                          q[1] * p[1] - q[2] * p[0] + q[0] * p[2]};
        to[3 * i] = p[0] + 2 * (q[2] * turn[2] - q[3] * turn[1]) + pose->translation[0];
        to[3 * i + 1] = p[1] + 2 * (q[3] * turn[0] - q[1] * turn[2]) + pose->translation[1];
        to[3 * i + 2] = p[2] + 2 * (q[1] * turn[1] - q[2] * turn[0]) + pose->translation[2];
    }
}

/* Values near the unit sphere, outwards positive. */
static void values_of(const dent_cloud *cloud, dent_cloud_function function, const double *places, double *values)
{
    dent_cloud_value made[PLACES];
    assert_int_equal(dent_cloud_evaluate(cloud, function, dent_positions_double(places), PLACES, made), DENT_OK);
    for (int i = 0; i < PLACES; i++) {
        assert_int_equal(made[i].state, DENT_CLOUD_DEFINED);
        values[i] = made[i].value;
    }
}

static double largest_difference(const double *a, const double *b)
{
    double largest = 0, turned = 0; /* all normals may have the other side */
    for (int i = 0; i < PLACES; i++) {
        largest = fmax(largest, fabs(a[i] - b[i]));
        turned = fmax(turned, fabs(a[i] + b[i]));
    }
    return fmin(largest, turned);
}

static double *places_near_the_sphere(void)
{
    double *places = points_on_sphere(PLACES, 1, 9);
    for (int i = 0; i < 3 * PLACES; i++) {
        places[i] *= 1 + 0.04 * (i / 3 % 3 - 1);
    }
    return places;
}

static dent_cloud_answer answer_of(dent_context *context, const dent_cloud *a, const dent_cloud *b,
                                   const dent_pose *pose_a, const dent_pose *pose_b)
{
    dent_cloud_search_def def = dent_cloud_search_def_default();
    dent_cloud_search *search = NULL;
    dent_cloud_result result;
    def.cloud_a = a;
    def.cloud_b = b;
    assert_int_equal(dent_cloud_search_create(context, &def, &search), DENT_OK);
    assert_int_equal(dent_cloud_search_begin(search, pose_a, pose_b, 1), DENT_OK);
    assert_int_equal(dent_cloud_search_run(search, dent_budget_ns(INFINITY), &result), DENT_OK);
    dent_cloud_search_destroy(search);
    return result.answer;
}

/* Turned points, points in another order, and a second cluster far away: the same values and decisions. */
static void turning_reordering_and_far_points_change_nothing(void **state)
{
    double *xyz = points_on_sphere(COUNT, 1, 8), *changed = malloc(6 * COUNT * sizeof *changed);
    double *places = places_near_the_sphere(), moved[3 * PLACES];
    dent_random random = dent_random_seeded(10);
    dent_pose still = dent_pose_identity(), pose;
    random_pose(&random, &pose);
    dent_cloud *before = cloud_of(*state, xyz, COUNT);
    for (int change = 0; change < 3; change++) {
        dent_pose *used = change == 0 ? &pose : &still;
        place(used, xyz, COUNT, changed);
        place(used, places, PLACES, moved);
        for (uint32_t i = COUNT - 1; i > 0 && change == 1; i--) {
            uint32_t j = dent_random_below(&random, i + 1);
            for (int axis = 0; axis < 3; axis++) {
                double kept = changed[3 * i + axis];
                changed[3 * i + axis] = changed[3 * j + axis];
                changed[3 * j + axis] = kept;
            }
        }
        for (uint32_t i = 0; i < 3 * COUNT; i++) {
            changed[3 * COUNT + i] = xyz[i] + 50;
        }
        dent_cloud *after = cloud_of(*state, changed, change == 2 ? 2 * COUNT : COUNT);
        for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
            double first[PLACES], second[PLACES];
            values_of(before, (dent_cloud_function)function, places, first);
            values_of(after, (dent_cloud_function)function, moved, second);
            double off = largest_difference(first, second);
            print_message("change %d, %s: values differ by %.1e\n", change,
                          dent_cloud_function_get_info((dent_cloud_function)function)->name, off);
            assert_true(off < 1e-9);
        }
        for (int i = 0; i < 6; i++) {
            dent_pose b = shifted(0, 1.6 + 0.15 * i, 0), turned = pose;
            dent_cloud_answer expected = answer_of(*state, before, before, NULL, &b);
            double to[3];
            place(&pose, b.translation, 1, to);
            memcpy(turned.translation, to, sizeof to);
            /* change 0 puts both clouds elsewhere by poses, too */
            assert_int_equal(expected, change == 0 ? answer_of(*state, before, before, &pose, &turned)
                                                   : answer_of(*state, before, after, NULL, &b));
        }
        dent_cloud_destroy(after);
    }
    dent_cloud_destroy(before);
    free(places);
    free(changed);
    free(xyz);
}

static void more_points_bring_the_surface_nearer(void **state)
{
    double *places = places_near_the_sphere();
    for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
        double last = INFINITY;
        for (uint32_t count = 500; count <= 8000; count *= 4) {
            double *xyz = points_on_sphere(count, 1, 12), values[PLACES], error = 0;
            dent_cloud *cloud = cloud_of(*state, xyz, count);
            values_of(cloud, (dent_cloud_function)function, places, values);
            for (int i = 0; i < PLACES; i++) { /* the highest normal points up: outwards */
                const double *p = places + 3 * i;
                error = fmax(error, fabs(values[i] - (sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2]) - 1)));
            }
            print_message("%s, %u points: error %.2e\n",
                          dent_cloud_function_get_info((dent_cloud_function)function)->name, count, error);
            assert_true(error < 0.6 * last);
            last = error;
            dent_cloud_destroy(cloud);
            free(xyz);
        }
    }
    free(places);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_shift_by_their_mean_curvature),
        cmocka_unit_test(turning_reordering_and_far_points_change_nothing),
        cmocka_unit_test(more_points_bring_the_surface_nearer),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_two, test_close_context);
}
