/* The hierarchy of a rigid body: volumes hold their faces, every face is in one leaf; what the moving volumes call
 * apart is apart; the four-box kernels agree bit by bit. */
#include "query/motion_oracle.h"

#include "geometry/motion/interval_kernels.h"
#include "geometry/motion/motion_boxes.h"
#include "geometry/motion/motion_inclusion.h"
#include "structures/bounds/motion_tree.h"
#include "support/random_surface.h"

/* What motion_tree_build looks at of a body. */
struct tree_case {
    struct body body;
    struct test_body surface;
    struct motion_tree tree;
};

static void make_tree(dent_context *context, struct tree_case *made, int kind, uint64_t seed, uint32_t size,
                      dent_motion_volume volume)
{
    memset(made, 0, sizeof *made);
    made->surface = random_surface_make(kind, seed, size);
    made->body.surface_face_count = made->surface.element_count;
    made->body.surface_faces = calloc(made->surface.element_count, sizeof *made->body.surface_faces);
    assert_non_null(made->body.surface_faces);
    for (uint32_t f = 0; f < made->surface.element_count; f++) {
        memcpy(made->body.surface_faces[f].corners, made->surface.corners + 3 * (size_t)f, 3 * sizeof(uint32_t));
    }
    motion_tree_init(&made->tree, context);
    assert_true(motion_tree_build(&made->tree, &made->body, (const double(*)[3])made->surface.xyz, volume, 1));
}

static void free_tree(struct tree_case *made)
{
    motion_tree_destroy(&made->tree);
    free(made->body.surface_faces);
    random_surface_free(&made->surface);
}

/* The faces of a node, by walking down. */
static void check_node(const struct tree_case *made, uint32_t node, uint32_t top, uint8_t *seen)
{
    const struct motion_volume *nodes = made->tree.nodes.data, *volume = &nodes[top];
    if (nodes[node].size == 0) {
        check_node(made, nodes[node].first, top, seen);
        check_node(made, nodes[node].first + 1, top, seen);
        return;
    }
    const double(*corners)[3] = ((const double(*)[3][3])made->tree.corners.data)[nodes[node].first];
    uint32_t face = ((const uint32_t *)made->tree.faces.data)[nodes[node].first];
    for (int c = 0; c < 3; c++) {
        const double *given = made->surface.xyz[made->body.surface_faces[face].corners[c]];
        long double squares = 0, reach = 0, x[3];
        for (int k = 0; k < 3; k++) {
            assert_true(corners[c][k] == given[k]);
            x[k] = (long double)given[k] - volume->centre[k];
            squares += x[k] * x[k];
            reach += (long double)given[k] * given[k];
        }
        assert_true(sqrtl(squares) <= volume->radius && sqrtl(reach) <= volume->reach);
        double axes[9];
        volume_axes(volume, axes);
        for (int j = 0; j < 3; j++) {
            long double along = 0;
            for (int k = 0; k < 3; k++) {
                along += x[k] * (long double)axes[3 * k + j];
            }
            assert_true(fabsl(along) <= volume->half_extent[j]);
        }
    }
    if (top == 0) {
        assert_int_equal(seen[face], 0);
        seen[face] = 1;
    }
}

static void every_volume_holds_its_faces(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    for (int kind = 0; kind < SURFACE_KIND_COUNT; kind++) {
        if (kind == SURFACE_HUGE || kind == SURFACE_TINY) {
            continue; /* such worlds are scaled first */
        }
        for (int volume = 1; volume < DENT_MOTION_VOLUME_COUNT; volume++) {
            struct tree_case made;
            make_tree(context, &made, kind, 3, 60, (dent_motion_volume)volume);
            uint8_t *seen = calloc(made.tree.face_count, 1);
            assert_non_null(seen);
            assert_true(made.tree.node_count == 2 * made.tree.face_count - 1);
            for (uint32_t node = 0; node < made.tree.node_count; node++) {
                check_node(&made, node, node, seen);
            }
            for (uint32_t f = 0; f < made.tree.face_count; f++) {
                assert_int_equal(seen[f], 1);
            }
            free(seen);
            free_tree(&made);
        }
    }
    dent_context_destroy(context);
}

/* |x - centre| <= half at both ends, exactly: long doubles hold the difference of two doubles of like size. */
static void check_linear_node(const struct motion_tree *tree, uint32_t node, uint32_t top)
{
    const struct linear_volume *volumes = tree->linear.data, *volume = &volumes[top];
    if (volumes[node].size == 0) {
        check_linear_node(tree, volumes[node].first, top);
        check_linear_node(tree, volumes[node].first + 1, top);
        return;
    }
    const double(*const sets[2])[3][3] = {tree->corners.data, tree->ends.data};
    for (uint32_t i = 0; i < 18 * volumes[node].size; i++) {
        int end = (int)(i % 2), k = (int)(i / 2 % 3), c = (int)(i / 6 % 3);
        long double x = sets[end][volumes[node].first + i / 18][c][k];
        assert_true(fabsl(x - volume->centre[end][k]) <= volume->half_extent[k]);
        assert_true(fabsl(x) <= volume->reach);
    }
}

/* Boxes of movers far from the origin, where half a sum is rounded by as much as the box is wide. */
static void every_linear_volume_holds_its_faces_at_both_ends(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_random random = dent_random_seeded(396);
    static const double sizes[3] = {1, 0x1p-44, 0x1p-50}, places[3] = {0, 1.0 / 3, 1000};
    for (int i = 0; i < 9; i++) {
        struct tree_case made;
        make_tree(context, &made, SURFACE_CRUMPLED, 5, 60, DENT_MOTION_VOLUME_ALIGNED_BOX);
        double(*moved[2])[3] = {calloc(made.surface.vertex_count, sizeof **moved),
                                calloc(made.surface.vertex_count, sizeof **moved)};
        assert_true(moved[0] && moved[1]);
        for (uint32_t v = 0; v < 3 * made.surface.vertex_count; v++) {
            double x = made.surface.xyz[v / 3][v % 3];
            moved[0][v / 3][v % 3] = places[i / 3] + sizes[i % 3] * x;
            moved[1][v / 3][v % 3] = places[i / 3] + sizes[i % 3] * (x + dent_random_unit(&random));
        }
        assert_true(
            motion_tree_refit(&made.tree, &made.body, (const double(*)[3])moved[0], (const double(*)[3])moved[1], 1));
        for (uint32_t node = 0; node < made.tree.node_count; node++) {
            check_linear_node(&made.tree, node, node);
        }
        free(moved[0]);
        free(moved[1]);
        free_tree(&made);
    }
    dent_context_destroy(context);
}

struct moving_case {
    dent_motion_frame frames[2];
    struct trajectory trajectories[2];
    const struct trajectory *links[2];
    struct motion_piece piece;
    double middle;
};

static void make_motion(dent_context *context, dent_random *random, double reach, struct moving_case *made)
{
    for (int side = 0; side < 2; side++) {
        made->frames[side].parent = DENT_FRAME_WORLD;
        made->frames[side].motion = oracle_random_motion(context, random, 1.5);
        trajectory_from_motion(&made->frames[side].motion, 1, &made->trajectories[side]);
        made->links[side] = &made->trajectories[side];
    }
    const struct motion_chain a = {&made->links[0], 1}, b = {&made->links[1], 1};
    double half = ldexp(0.5, -(int)dent_random_below(random, 8));
    double lo = 2 * half * floor(dent_random_unit(random) / (2 * half));
    relative_motion(&a, &b, lo, half,
                    dent_random_below(random, 4) ? DENT_MOTION_BOUNDS_TAYLOR : DENT_MOTION_BOUNDS_INTERVAL,
                    interval_kernels_for(DENT_ISA_SCALAR), reach, reach, &made->piece);
    made->middle = lo + half;
}

/* The corners of leaf faces at a time s of the piece, in the world. */
static double face_distance_at(const struct moving_case *made, const double (*face_a)[3], const double (*face_b)[3],
                               double s)
{
    double places[2][3][3];
    for (int side = 0; side < 2; side++) {
        struct oracle_pose pose;
        oracle_pose_at(&made->frames[side].motion, (long double)made->middle + (long double)s * made->piece.half,
                       &pose);
        for (int c = 0; c < 3; c++) {
            for (int i = 0; i < 3; i++) {
                long double x = pose.translation[i];
                for (int j = 0; j < 3; j++) {
                    x += pose.rotation[i][j] * (side ? face_b : face_a)[c][j];
                }
                places[side][c][i] = (double)x;
            }
        }
    }
    const double *const a[3] = {places[0][0], places[0][1], places[0][2]};
    const double *const b[3] = {places[1][0], places[1][1], places[1][2]};
    return oracle_face_distance(a, b, INFINITY);
}

static void what_is_called_apart_is_apart(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    uint64_t count = test_count(30, 300, 3000), apart_count = 0, outside_count = 0, faces_apart = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        dent_random random = dent_random_seeded(seed + 900);
        dent_motion_volume volume = (dent_motion_volume)(1 + seed % 3);
        struct tree_case a, b;
        struct moving_case made;
        make_tree(context, &a, SURFACE_CRUMPLED, seed, 30, volume);
        make_tree(context, &b, SURFACE_CLOSED, seed, 30, volume);
        make_motion(context, &random, fmax(a.tree.reach, b.tree.reach), &made);
        const struct motion_volume *nodes_a = a.tree.nodes.data, *nodes_b = b.tree.nodes.data;
        for (int i = 0; i < 60; i++) {
            uint32_t node_a = dent_random_below(&random, a.tree.node_count);
            uint32_t node_b = dent_random_below(&random, b.tree.node_count);
            while (nodes_a[node_a].size == 0) {
                node_a = nodes_a[node_a].first + dent_random_below(&random, 2);
            }
            while (nodes_b[node_b].size == 0) {
                node_b = nodes_b[node_b].first + dent_random_below(&random, 2);
            }
            const double(*face_a)[3] = ((const double(*)[3][3])a.tree.corners.data)[nodes_a[node_a].first];
            const double(*face_b)[3] = ((const double(*)[3][3])b.tree.corners.data)[nodes_b[node_b].first];
            struct placed_volume placed;
            struct piece_window window = {-1, 1, false};
            place_volume(&made.piece, &nodes_b[node_b], &placed);
            bool apart = volumes_apart(volume, &nodes_a[node_a], &placed, 0, &window);
            struct moving_points moving;
            move_points(&made.piece, face_b, 3, &moving);
            bool faces = points_stay_apart(face_a, 3, &moving, -1, 1, 0);
            struct advance advance = advance_points(face_a, 3, &moving, -1, 1, 0);
            apart_count += apart;
            faces_apart += faces;
            for (int sample = 0; sample < 12; sample++) {
                double s = sample == 0 ? -1 : sample == 1 ? 1 : oracle_uniform(&random, -1, 1);
                bool outside = s < window.first || s > window.last;
                outside_count += outside && !apart;
                if (apart || faces || outside || s < advance.s) {
                    assert_true(face_distance_at(&made, face_a, face_b, s) > 0);
                }
            }
        }
        free_tree(&a);
        free_tree(&b);
    }
    printf("%llu volumes apart, %llu times outside of a window, %llu faces apart\n", (unsigned long long)apart_count,
           (unsigned long long)outside_count, (unsigned long long)faces_apart);
    assert_true(apart_count > count && outside_count > count && faces_apart > count);
    dent_context_destroy(context);
}

static void four_boxes_give_the_same_bits_everywhere(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    const struct motion_box_kernels *scalar = motion_box_kernels_for(DENT_ISA_SCALAR);
    uint64_t count = test_count(30, 200, 2000), apart_count = 0, meet_count = 0;
    for (uint64_t seed = 0; seed < count; seed++) {
        dent_random random = dent_random_seeded(seed + 1900);
        struct tree_case a, b;
        struct moving_case made;
        make_tree(context, &a, SURFACE_CRUMPLED, seed, 40, DENT_MOTION_VOLUME_ORIENTED_BOX);
        make_tree(context, &b, SURFACE_GENTLE, seed, 40, DENT_MOTION_VOLUME_ORIENTED_BOX);
        make_motion(context, &random, fmax(a.tree.reach, b.tree.reach), &made);
        const struct motion_volume *nodes_a = a.tree.nodes.data, *nodes_b = b.tree.nodes.data;
        for (int i = 0; i < 50; i++) {
            struct motion_volume two_a[2], two_b[2];
            for (int k = 0; k < 2; k++) {
                two_a[k] = nodes_a[dent_random_below(&random, a.tree.node_count)];
                two_b[k] = nodes_b[dent_random_below(&random, b.tree.node_count)];
            }
            struct piece_window window = {oracle_uniform(&random, -1, 0), oracle_uniform(&random, 0, 1), false};
            struct motion_box_result expected, result;
            unsigned apart = scalar->test_boxes(&made.piece, two_a, two_b, &window, &expected);
            for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
                if (!dent_isa_available((dent_isa)isa)) {
                    continue;
                }
                const struct motion_box_kernels *kernels = motion_box_kernels_for((dent_isa)isa);
                assert_int_equal(kernels->test_boxes(&made.piece, two_a, two_b, &window, &result), apart);
                assert_int_equal(result.soon & ~apart, expected.soon & ~apart);
                for (int k = 0; k < 4; k++) {
                    assert_memory_equal(&result.rest[k], &expected.rest[k], sizeof(double));
                    if (!(apart >> k & 1)) {
                        assert_memory_equal(&result.first[k], &expected.first[k], sizeof(double));
                        assert_memory_equal(&result.last[k], &expected.last[k], sizeof(double));
                    }
                }
            }
            for (int k = 0; k < 4; k++) { /* more cautious than one at a time, never less */
                struct placed_volume placed;
                struct piece_window alone = window;
                place_volume(&made.piece, &two_b[k / 2], &placed);
                bool one = volumes_apart(DENT_MOTION_VOLUME_ORIENTED_BOX, &two_a[k % 2], &placed, 0, &alone);
                assert_true(one || !(apart >> k & 1) || placed.sweep_length > 0);
                apart_count += apart >> k & 1;
                meet_count += !one;
            }
        }
        free_tree(&a);
        free_tree(&b);
    }
    assert_true(apart_count > count && meet_count > count);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_volume_holds_its_faces),
        cmocka_unit_test(every_linear_volume_holds_its_faces_at_both_ends),
        cmocka_unit_test(what_is_called_apart_is_apart),
        cmocka_unit_test(four_boxes_give_the_same_bits_everywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
