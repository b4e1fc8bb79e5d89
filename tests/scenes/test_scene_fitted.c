/* What the fitted scene promises: parts that share their surfaces up to rounding, in every kind of motion. Its golden
 * counts are with those of the other scenes in test_golden_scenes.c. */
#include "support/cmocka_includes.h"

#include "support/test_context.h"
#include "scenes/support_counting.h"

#include <math.h>
#include <stdlib.h>

enum { DENTIN, ENAMEL, PULP, LIGAMENT, PARTS };
enum { REST, RIGID, DEFORMING, MOTIONS };

static const double grid_of_part[PARTS] = {131072, 65536, 8388608, 131072}; /* steps per millimetre */

static dent_scene *make_scene(dent_context *context, double motion)
{
    dent_scene_setting setting = {"motion", motion};
    dent_scene_def def = dent_scene_def_default();
    def.name = "fitted";
    def.scale = 0.2;
    def.settings = &setting;
    def.setting_count = 1;
    dent_scene *scene = NULL;
    assert_int_equal(dent_scene_create(context, &def, &scene), DENT_OK);
    return scene;
}

static double *positions_of(const dent_scene *scene, uint32_t body, uint32_t frame)
{
    double *positions = malloc(3 * sizeof(double) * dent_scene_body_at(scene, body)->vertex_count);
    dent_scene_positions(scene, body, frame, positions);
    return positions;
}

static double distance(const double *p, const double *q)
{
    double x = p[0] - q[0], y = p[1] - q[1], z = p[2] - q[2];
    return sqrt(x * x + y * y + z * z);
}

struct fit {
    uint32_t near,
        equal;     /* vertices of one body with one of the other nearer than a hundredth; and at the same point */
    double widest; /* distance of such a pair */
};

static struct fit fit_of(const dent_scene *scene, uint32_t a, uint32_t b, uint32_t frame)
{
    struct fit fit = {0, 0, 0};
    double *first = positions_of(scene, a, frame), *second = positions_of(scene, b, frame);
    for (size_t v = 0; v < dent_scene_body_at(scene, a)->vertex_count; v++) {
        for (size_t w = 0; w < dent_scene_body_at(scene, b)->vertex_count; w++) {
            double gap = distance(first + 3 * v, second + 3 * w);
            if (gap < 0.01) {
                fit.near++;
                fit.equal += gap == 0;
                fit.widest = fmax(fit.widest, gap);
            }
        }
    }
    free(first);
    free(second);
    return fit;
}

static void neighbours_share_corners_up_to_rounding_in_every_motion(void **state)
{
    for (int motion = 0; motion < MOTIONS; motion++) {
        dent_scene *scene = make_scene(*state, motion);
        assert_int_equal(dent_scene_body_count(scene), 2 * PARTS);
        for (uint32_t first = 0; first < 2 * PARTS; first += PARTS) {
            for (uint32_t part = ENAMEL; part < PARTS; part++) {
                struct fit fit = fit_of(scene, first + DENTIN, first + part, 17);
                print_message("motion %d, dentin and part %u: %u corners, %u equal, widest gap %g\n", motion, part,
                              fit.near, fit.equal, fit.widest);
                assert_true(fit.near > 100);
                assert_true(part == LIGAMENT ? fit.equal == fit.near : fit.equal < fit.near / 4);
                assert_true(fit.widest < 3e-5);
            }
        }
        dent_scene_destroy(scene);
    }
}

static void each_part_lies_on_its_own_grid(void **state)
{
    dent_scene *scene = make_scene(*state, REST);
    for (uint32_t b = 0; b < 2 * PARTS; b++) {
        const dent_scene_body *body = dent_scene_body_at(scene, b);
        for (size_t i = 0; i < 3 * (size_t)body->vertex_count; i++) {
            double steps = body->reference[i] * grid_of_part[b % PARTS];
            assert_true(steps == floor(steps));
        }
    }
    dent_scene_destroy(scene);
}

/* Largest change of the distance of two vertices that follow each other, and largest displacement. */
static void measure_motion(const dent_scene *scene, double *strain, double *displacement)
{
    *strain = *displacement = 0;
    for (uint32_t b = 0; b < dent_scene_body_count(scene); b++) {
        const dent_scene_body *body = dent_scene_body_at(scene, b);
        double *positions = positions_of(scene, b, 25);
        for (size_t v = 0; v + 1 < body->vertex_count; v++) {
            const double *p = positions + 3 * v, *q = body->reference + 3 * v;
            *strain = fmax(*strain, fabs(distance(p, p + 3) - distance(q, q + 3)));
            *displacement = fmax(*displacement, distance(p, q));
        }
        free(positions);
    }
}

static void the_parameter_motion_is_rest_rigid_or_deforming(void **state)
{
    double strain[MOTIONS], displacement[MOTIONS];
    for (int motion = 0; motion < MOTIONS; motion++) {
        dent_scene *scene = make_scene(*state, motion);
        measure_motion(scene, &strain[motion], &displacement[motion]);
        dent_scene_destroy(scene);
    }
    assert_true(displacement[REST] == 0);
    assert_true(displacement[RIGID] > 0.1 && strain[RIGID] < 1e-12);
    assert_true(displacement[DEFORMING] > 0.1 && strain[DEFORMING] > 0.01);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(neighbours_share_corners_up_to_rounding_in_every_motion),
        cmocka_unit_test(each_part_lies_on_its_own_grid),
        cmocka_unit_test(the_parameter_motion_is_rest_rigid_or_deforming),
    };
    return cmocka_run_group_tests(tests, test_open_context_of_one, test_close_context);
}
