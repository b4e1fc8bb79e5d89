/* Inner balls of medial trees: whatever happens to a body, they lie inside it, and the balls around the same centres hold
 * the faces of their nodes; at rest and in rigid motion they are the medial balls. */
#include "support/cmocka_includes.h"

#include "support/failing_allocator.h"
#include "support/random_scene.h"
#include "support/random_surface.h"

#include <dent/dent.h>

enum follows { CELLS, SURFACE, EMBEDDED, FOLLOWS_COUNT };
enum way { RIGID, STRETCH, BEND, TWIST, NOISE, SQUEEZE, FLAT, MIRROR, CRUSH_ONE, WAYS };

static const char *const names[FOLLOWS_COUNT] = {"cells", "surface", "embedding"};
static const char *const way_names[WAYS] = {"rigid",   "stretch", "bend",   "twist",    "noise",
                                            "squeeze", "flat",    "mirror", "crush one"};

struct stage {
    struct test_scene scene; /* 0: the body of the tree; 1: what carries it */
    dent_world *world;
    dent_body_id id;
    dent_embedding *embedding;
    dent_bound_tree *tree;
    uint32_t mover; /* body whose vertices are moved */
    double (*rest)[3], (*now)[3], (*dense)[3];
};

static void stage_open(struct stage *stage, dent_context *context, enum follows follows, dent_random *random)
{
    *stage = (struct stage){.mover = follows == EMBEDDED};
    if (follows == CELLS) {
        test_add_block(&stage->scene, 5, 3, 3);
    } else {
        const double at[3] = {0, 0, 0};
        struct test_body *ball = &stage->scene.bodies[stage->scene.body_count++];
        *ball = surface_new(14 * 8 + 2, 2 * 14 * 9);
        surface_put_ball(ball, random, 14, 8, at, 1, 0.1);
        for (uint32_t v = 0; v < ball->vertex_count && follows == EMBEDDED; v++) {
            ball->xyz[v][0] = 2 + 2.1 * ball->xyz[v][0];
            ball->xyz[v][1] = 1 + 1.1 * ball->xyz[v][1];
            ball->xyz[v][2] = 1 + 1.1 * ball->xyz[v][2];
        }
    }
    if (follows == EMBEDDED) {
        test_add_block(&stage->scene, 4, 2, 2);
    }
    const struct test_body *body = &stage->scene.bodies[0], *mover = &stage->scene.bodies[stage->mover];
    stage->rest = test_allocate(mover->vertex_count, sizeof *stage->rest);
    memcpy(stage->rest, mover->xyz, mover->vertex_count * sizeof *stage->rest);
    stage->now = mover->xyz;
    stage->dense = stage->mover ? test_allocate(body->vertex_count, sizeof *stage->dense) : stage->now;
    stage->world = dent_world_create(context);
    assert_int_equal(test_scene_add(&stage->scene, stage->world), DENT_OK);
    stage->id = dent_world_body_at(stage->world, 0);
    dent_bound_tree_def def = dent_bound_tree_def_default();
    if (follows == EMBEDDED) {
        dent_embedding_def link = dent_embedding_def_default();
        link.longest_link = INFINITY;
        assert_int_equal(dent_embedding_create(stage->world, stage->id, dent_world_body_at(stage->world, 1), &link,
                                               &stage->embedding),
                         DENT_OK);
        def.embedding = stage->embedding;
    }
    def.builder = DENT_BUILD_MEDIAL;
    assert_int_equal(dent_bound_tree_create(stage->world, stage->id, &def, &stage->tree), DENT_OK);
}

static void stage_close(struct stage *stage)
{
    dent_bound_tree_destroy(stage->tree);
    dent_embedding_destroy(stage->embedding);
    dent_world_destroy(stage->world);
    if (stage->mover) {
        free(stage->dense);
    }
    free(stage->rest);
    test_scene_free(&stage->scene);
}

static void stage_move(struct stage *stage, enum way way, double strength, double scale, dent_random *random)
{
    const struct test_body *mover = &stage->scene.bodies[stage->mover];
    double turn = test_between(random, 0, 6), c = cos(turn), s = sin(turn);
    uint32_t crushed = dent_random_below(random, mover->vertex_count);
    for (uint32_t v = 0; v < mover->vertex_count; v++) {
        const double *p = stage->rest[v];
        double x = p[0], y = p[1], z = p[2], a = 0.3 * strength * x;
        double q[3] = {x, y, z};
        switch (way) {
        case STRETCH:
            q[0] = x * (1 + 2 * strength);
            q[1] = y / (1 + strength);
            break;
        case BEND:
            q[0] = (3 + z) * sin(a) + (1 - 0.3 * strength * 3) * x;
            q[2] = (3 + z) * cos(a);
            break;
        case TWIST:
            q[1] = cos(a) * y - sin(a) * z;
            q[2] = sin(a) * y + cos(a) * z;
            break;
        case NOISE:
            for (int k = 0; k < 3; k++) {
                q[k] += 0.2 * strength * test_between(random, -1, 1);
            }
            break;
        case SQUEEZE:
            q[2] = z * (1 - strength);
            q[1] = y * (1 + strength);
            break;
        case FLAT:
            q[2] = 0;
            break;
        case MIRROR:
            q[2] = -z;
            break;
        case CRUSH_ONE:
            q[0] += v == crushed ? 5 * strength : 0;
            break;
        default:
            break;
        }
        double *to = stage->now[v];
        to[0] = scale * (c * q[0] - s * q[1]) + 3;
        to[1] = scale * (s * q[0] + c * q[1]) - 2;
        to[2] = scale * q[2] + 1;
    }
    if (stage->embedding) {
        assert_int_equal(dent_embedding_move(stage->embedding, dent_positions_double(stage->now[0])), DENT_OK);
        dent_embedding_write_dense(stage->embedding, stage->dense[0]);
    }
    assert_int_equal(dent_bound_tree_update(stage->tree), DENT_OK);
}

/* ---- truth --------------------------------------------------------------------------------------------------------- */

static double volume_of(const double *a, const double *b, const double *c, const double *d)
{
    double u[3], v[3], w[3];
    for (int k = 0; k < 3; k++) {
        u[k] = b[k] - a[k];
        v[k] = c[k] - a[k];
        w[k] = d[k] - a[k];
    }
    return u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2]) + u[2] * (v[0] * w[1] - v[1] * w[0]);
}

/* In one of the cells; rounding may put it out by a little. */
static bool is_in_a_cell(const struct test_body *body, const double (*xyz)[3], const double p[3])
{
    for (uint32_t c = 0; c < body->element_count; c++) {
        const uint32_t *v = body->corners + 4 * (size_t)c;
        double whole = volume_of(xyz[v[0]], xyz[v[1]], xyz[v[2]], xyz[v[3]]);
        bool inside = whole != 0;
        for (int k = 0; k < 4 && inside; k++) {
            const double *at[4] = {xyz[v[0]], xyz[v[1]], xyz[v[2]], xyz[v[3]]};
            at[k] = p;
            inside = volume_of(at[0], at[1], at[2], at[3]) / whole > -1e-9;
        }
        if (inside) {
            return true;
        }
    }
    return false;
}

/* The surface winds around it: the sum of the solid angles of the faces. */
static bool is_wound_around(const struct test_body *body, const double (*xyz)[3], const double p[3])
{
    double sum = 0;
    for (uint32_t f = 0; f < body->element_count; f++) {
        double r[3][3], length[3];
        for (int k = 0; k < 3; k++) {
            for (int axis = 0; axis < 3; axis++) {
                r[k][axis] = xyz[body->corners[3 * (size_t)f + (size_t)k]][axis] - p[axis];
            }
            length[k] = sqrt(r[k][0] * r[k][0] + r[k][1] * r[k][1] + r[k][2] * r[k][2]);
        }
        const double origin[3] = {0};
        double up = volume_of(origin, r[0], r[1], r[2]), down = length[0] * length[1] * length[2];
        for (int k = 0; k < 3; k++) {
            const double *u = r[k], *v = r[(k + 1) % 3];
            down += (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) * length[(k + 2) % 3];
        }
        sum += 2 * atan2(up, down);
    }
    return fabs(sum) > 6.283;
}

struct count {
    uint32_t nodes, balls, points;
    double radius, largest; /* mean of the inner radii, and the largest */
};

static void assert_balls_are_inside(const struct stage *stage, dent_random *random, struct count *count)
{
    const struct test_body *body = &stage->scene.bodies[0];
    const double(*xyz)[3] = (const double(*)[3])stage->dense;
    dent_bound_tree_info info = dent_bound_tree_get_info(stage->tree);
    const uint32_t *order = dent_bound_tree_face_order(stage->tree);
    uint32_t face_count;
    const dent_surface_face *faces = dent_body_surface_faces(stage->world, stage->id, &face_count);
    for (uint32_t n = 0; n < info.nodes; n++) {
        dent_bound_node node = dent_bound_tree_node(stage->tree, n);
        count->nodes++;
        assert_true(node.inner_radius >= 0 && node.protrusion <= node.error);
        if (node.inner_radius == 0) {
            continue;
        }
        count->balls++;
        count->radius += node.inner_radius;
        count->largest = fmax(count->largest, node.inner_radius);
        for (uint32_t f = node.first_face; f < node.first_face + node.face_count; f++) {
            for (int k = 0; k < 3; k++) {
                const double *v = xyz[faces[order[f]].corners[k]];
                double far =
                    hypot(hypot(v[0] - node.inner_center[0], v[1] - node.inner_center[1]), v[2] - node.inner_center[2]);
                assert_true(far <= (node.inner_radius + node.protrusion) * (1 + 1e-14) ||
                            node.protrusion == node.error);
            }
        }
        for (int k = 0; k < 4; k++, count->points++) {
            double d[3], p[3];
            surface_random_vector(random, -1, 1, d);
            double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
            for (int axis = 0; axis < 3; axis++) {
                p[axis] = node.inner_center[axis] + node.inner_radius * (1 - 1e-9) * d[axis] / length;
            }
            assert_true(body->kind == DENT_BODY_SOLID ? is_in_a_cell(body, xyz, p) : is_wound_around(body, xyz, p));
        }
    }
}

/* ---- tests --------------------------------------------------------------------------------------------------------- */

static void inner_balls_stay_inside_whatever_the_deformation(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint32_t rounds = getenv("DENT_LONG_TESTS") ? 200 : getenv("DENT_QUICK_TESTS") ? 1 : 6;
    for (int follows = 0; follows < FOLLOWS_COUNT; follows++) {
        dent_random random = dent_random_seeded(40 + (uint64_t)follows);
        struct stage stage;
        stage_open(&stage, context, follows, &random);
        for (int way = 0; way < WAYS; way++) {
            struct count count = {0};
            for (uint32_t round = 0; round < rounds; round++) {
                double strength = way == NOISE ? test_between(&random, 0, 1) : test_between(&random, 0, 0.8);
                double scale = round % 6 == 4 ? 1e9 : round % 6 == 5 ? 1e-9 : 1;
                stage_move(&stage, way, strength, scale, &random);
                assert_balls_are_inside(&stage, &random, &count);
            }
            print_message("%s, %s: %u nodes, %u with a ball inside, %u points\n", names[follows], way_names[way],
                          count.nodes, count.balls, count.points);
            assert_true(way != FLAT || follows == EMBEDDED || count.balls == 0); /* links keep their lengths */
            assert_true(way != RIGID || count.balls > count.nodes / 2);
        }
        stage_close(&stage);
    }
    dent_context_destroy(context);
}

static void at_rest_and_in_rigid_motion_they_are_the_medial_balls(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    for (int follows = 0; follows < FOLLOWS_COUNT; follows++) {
        dent_random random = dent_random_seeded(3);
        struct stage stage;
        stage_open(&stage, context, follows, &random);
        dent_bound_tree_info info = dent_bound_tree_get_info(stage.tree);
        dent_bound_node *rest = test_allocate(info.nodes, sizeof *rest);
        double largest = 0;
        for (uint32_t n = 0; n < info.nodes; n++) {
            rest[n] = dent_bound_tree_node(stage.tree, n);
            largest = fmax(largest, rest[n].inner_radius);
        }
        assert_true(largest > (follows == CELLS ? 1.4 : 0.8)); /* half the thickness of the block; the bumpy ball */
        stage_move(&stage, RIGID, 0, 1, &random);
        for (uint32_t n = 0; n < info.nodes; n++) {
            dent_bound_node now = dent_bound_tree_node(stage.tree, n);
            assert_true(fabs(now.inner_radius - rest[n].inner_radius) < 1e-10);
            assert_true(fabs(now.protrusion - rest[n].protrusion) < 1e-10);
        }
        free(rest);
        stage_close(&stage);
    }
    dent_context_destroy(context);
}

/* Cells: one that is crushed takes the balls around it away, and leaves the others. */
static void what_is_crushed_in_one_place_keeps_its_balls_elsewhere(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_random random = dent_random_seeded(9);
    struct stage stage;
    struct count before = {0}, after = {0};
    stage_open(&stage, context, CELLS, &random);
    assert_balls_are_inside(&stage, &random, &before);
    const struct test_body *body = &stage.scene.bodies[0];
    memcpy(stage.now, stage.rest, body->vertex_count * sizeof *stage.now);
    for (uint32_t v = 0; v < body->vertex_count; v++) {
        stage.now[v][0] = stage.rest[v][0] < 1 ? 1.5 : stage.now[v][0]; /* the first layer is turned inside out */
    }
    assert_int_equal(dent_bound_tree_update(stage.tree), DENT_OK);
    assert_balls_are_inside(&stage, &random, &after);
    print_message("%u of %u nodes have a ball inside; with one layer turned inside out %u\n", before.balls,
                  before.nodes, after.balls);
    assert_true(after.balls > 0 && after.balls < before.balls);
    stage_close(&stage);
    dent_context_destroy(context);
}

/* Bent by a third of a radian over its length, a block keeps most of its balls' size. */
static void a_bent_solid_keeps_most_of_its_inner_balls(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_random random = dent_random_seeded(5);
    struct stage stage;
    struct count rest = {0}, bent = {0};
    stage_open(&stage, context, CELLS, &random);
    assert_balls_are_inside(&stage, &random, &rest);
    stage_move(&stage, BEND, 0.2, 1, &random);
    assert_balls_are_inside(&stage, &random, &bent);
    print_message("mean inner radius %.3f at rest (%u balls), %.3f bent (%u balls)\n", rest.radius / rest.balls,
                  rest.balls, bent.radius / bent.balls, bent.balls);
    assert_int_equal(bent.balls, rest.balls);
    assert_true(bent.radius > 0.6 * rest.radius);
    stage_close(&stage);
    dent_context_destroy(context);
}

static void every_allocation_may_fail_and_an_update_makes_none(void **state)
{
    (void)state;
    for (int follows = 0; follows < FOLLOWS_COUNT; follows++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def context_def = dent_context_def_default();
        context_def.allocator = failing_allocator_hook(&memory);
        context_def.thread_count = 1;
        dent_context *context = dent_context_create(&context_def, NULL);
        dent_random random = dent_random_seeded(2);
        struct stage stage;
        stage_open(&stage, context, follows, &random);
        dent_bound_tree_def def = dent_bound_tree_def_default();
        def.builder = DENT_BUILD_MEDIAL;
        def.embedding = stage.embedding;
        dent_status status = DENT_ERROR_OUT_OF_MEMORY;
        uint32_t failures = 0, stride = getenv("DENT_LONG_TESTS") ? 1 : getenv("DENT_QUICK_TESTS") ? 19 : 7;
        for (uint32_t n = 1; status != DENT_OK; n += stride) {
            dent_bound_tree *tree = NULL;
            memory.requests = 0;
            memory.fail_at = n;
            status = dent_bound_tree_create(stage.world, stage.id, &def, &tree);
            memory.fail_at = 0;
            assert_true(status == DENT_OK ? tree != NULL : status == DENT_ERROR_OUT_OF_MEMORY && tree == NULL);
            failures += status != DENT_OK;
            dent_bound_tree_destroy(tree);
        }
        assert_true(failures > 2);
        uint64_t before = dent_context_memory_use(context).allocations;
        stage_move(&stage, BEND, 0.3, 1, &random);
        stage_move(&stage, TWIST, 0.3, 1, &random);
        assert_true(dent_context_memory_use(context).allocations == before);
        stage_close(&stage);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inner_balls_stay_inside_whatever_the_deformation),
        cmocka_unit_test(at_rest_and_in_rigid_motion_they_are_the_medial_balls),
        cmocka_unit_test(what_is_crushed_in_one_place_keeps_its_balls_elsewhere),
        cmocka_unit_test(a_bent_solid_keeps_most_of_its_inner_balls),
        cmocka_unit_test(every_allocation_may_fail_and_an_update_makes_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
