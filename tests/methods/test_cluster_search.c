/* Cluster search from the inside: what clusters promise, and that the strain certificate never hides a pair.
 *
 * Certificates are compared with the oracle on bodies deformed in many ways, with amplitudes from harmless to absurd
 * and, by bisection, right at the limit where the certificate gives up. The counts are printed.
 */
#include "support/cmocka_includes.h"

#include <dent/experimental.h>

#include "support/deformed_solids.h"
#include "support/failing_allocator.h"
#include "support/random_scene.h"

#include "query/world/world_state.h"
#include "methods/cluster_search_cache.h"

static uint64_t scaled(uint64_t count)
{
    return getenv("DENT_QUICK_TESTS") ? count / 10 + 1 : getenv("DENT_LONG_TESTS") ? count * 10 : count;
}

/* ---- clusters -------------------------------------------------------------------------------- */

static void assert_cells(const struct body *body, const struct body_clusters *clusters, uint8_t *seen)
{
    memset(seen, 0, body->tetrahedron_count);
    for (uint32_t c = 0; c < clusters->cluster_count; c++) {
        const struct cluster *cluster = &clusters->clusters[c];
        const struct cluster_corners *corners = &clusters->corners[c];
        assert_in_range(cluster->vertex_count, 1, CLUSTER_VERTICES);
        assert_in_range(cluster->cell_count, 0, CLUSTER_CELLS);
        for (uint32_t i = 0; i < cluster->cell_count; i++) {
            uint32_t cell = clusters->cells[cluster->first_cell + i], bits = 0;
            assert_int_equal(seen[cell]++, 0);
            for (int k = 0; k < 4; k++) {
                assert_int_equal(cluster->vertices[cluster_corner(corners->cells[i], k)], body->tetrahedra[cell][k]);
                bits |= UINT32_C(1) << cluster_corner(corners->cells[i], k);
            }
            assert_int_equal(bits, corners->cell_vertices[i]);
        }
    }
    for (uint32_t cell = 0; body->kind == DENT_BODY_SOLID && cell < body->tetrahedron_count; cell++) {
        assert_int_equal(seen[cell], 1);
    }
}

static void assert_faces(const struct body *body, const struct body_clusters *clusters, uint8_t *seen)
{
    memset(seen, 0, body->surface_face_count);
    for (uint32_t c = 0; c < clusters->cluster_count; c++) {
        const struct cluster *cluster = &clusters->clusters[c];
        uint32_t bits = 0;
        assert_in_range(cluster->face_count, 0, CLUSTER_FACES);
        for (uint32_t i = 0; i < cluster->face_count; i++) {
            uint32_t face = clusters->faces[cluster->first_face + i];
            assert_int_equal(seen[face]++, 0);
            for (int k = 0; k < 3; k++) {
                assert_int_equal(cluster->vertices[clusters->corners[c].faces[k][i]],
                                 body->surface_faces[face].corners[k]);
                bits |= UINT32_C(1) << clusters->corners[c].faces[k][i];
            }
        }
        assert_int_equal(bits, cluster->on_faces);
    }
    for (uint32_t face = 0; face < body->surface_face_count; face++) {
        assert_int_equal(seen[face], 1);
    }
}

static void assert_owners(const struct body *body, const struct body_clusters *clusters, uint8_t *seen)
{
    memset(seen, 0, body->vertex_count);
    for (uint32_t c = 0; c < clusters->cluster_count; c++) {
        const struct cluster *cluster = &clusters->clusters[c];
        for (uint32_t k = 0; k < CLUSTER_VERTICES; k++) {
            bool owned = cluster->owned >> k & 1,
                 on_surface = body->vertex_use[cluster->vertices[k]] & VERTEX_ON_SURFACE;
            assert_true(!owned || k < cluster->vertex_count);
            assert_int_equal(cluster->owned_surface >> k & 1, owned && on_surface);
            assert_true(k < cluster->vertex_count || cluster->vertices[k] == cluster->vertices[0]);
            seen[cluster->vertices[k]] += owned;
        }
    }
    for (uint32_t vertex = 0; vertex < body->vertex_count; vertex++) {
        assert_int_equal(seen[vertex], (body->vertex_use[vertex] & VERTEX_USED) != 0);
    }
}

static void assert_pieces(const struct body_clusters *clusters)
{
    uint32_t next = 0;
    for (uint32_t piece = 0; piece < clusters->piece_count; piece++) {
        assert_int_equal(clusters->pieces[piece].first, next);
        assert_in_range(clusters->pieces[piece].count, 1, PIECE_CLUSTERS);
        next += clusters->pieces[piece].count;
    }
    assert_int_equal(next, clusters->cluster_count);
}

static void assert_clusters_of_world(dent_context *context, dent_world *world)
{
    for (uint32_t body_index = 0; body_index < world->bodies.body_count; body_index++) {
        const struct body *body = body_table_at(&world->bodies, body_index);
        double(*xyz)[3] = test_allocate(body->vertex_count, sizeof *xyz);
        uint8_t *seen =
            test_allocate((size_t)body->tetrahedron_count + body->surface_face_count + body->vertex_count, 1);
        struct body_clusters clusters;
        assert_int_equal(body_read_positions(body, &body->positions_t0, &world->message, xyz), DENT_OK);
        assert_true(body_clusters_create(&clusters, context, body, (const double(*)[3])xyz));
        assert_cells(body, &clusters, seen);
        assert_faces(body, &clusters, seen);
        assert_owners(body, &clusters, seen);
        assert_pieces(&clusters);
        body_clusters_destroy(&clusters);
        free(seen);
        free(xyz);
    }
}

static void every_cell_face_and_vertex_has_one_place_in_the_clusters(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    for (int kind = 0; kind < SCENE_KIND_COUNT; kind++) {
        for (uint64_t seed = 0; seed < scaled(20); seed++) {
            struct test_scene scene;
            test_scene_make(&scene, kind, seed);
            dent_world *world = dent_world_create(context);
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            assert_clusters_of_world(context, world);
            dent_world_destroy(world);
            test_scene_free(&scene);
        }
    }
    static const uint32_t sizes[][3] = {{1, 1, 1}, {10, 10, 1}, {7, 5, 3}, {30, 2, 2}, {12, 12, 12}};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (int flat = 0; flat < 2; flat++) {
            struct test_scene scene = {0};
            struct test_body *body = test_add_block(&scene, sizes[i][0], sizes[i][1], sizes[i][2]);
            if (flat) {
                test_map(body, 0, 0, 0, 1, 1, 1); /* all in one point: cuts have nothing to go by */
            }
            dent_world *world = dent_world_create(context);
            assert_int_equal(test_scene_add(&scene, world), DENT_OK);
            assert_clusters_of_world(context, world);
            dent_world_destroy(world);
            test_scene_free(&scene);
        }
    }
    dent_context_destroy(context);
}

static void a_lattice_falls_into_blocks_of_eight_cubes(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct test_scene scene = {0};
    test_add_block(&scene, 12, 12, 12);
    dent_world *world = dent_world_create(context);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    const struct body *body = body_table_at(&world->bodies, 0);
    struct body_clusters clusters;
    assert_true(body_clusters_create(&clusters, context, body, (const double(*)[3])scene.bodies[0].xyz));
    assert_int_equal(clusters.cluster_count, 216);
    body_clusters_destroy(&clusters);
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
}

/* ---- equal meshes ---------------------------------------------------------------------------- */

static void clusters_are_shared_by_bodies_that_are_cut_alike_and_by_no_others(void **state)
{
    (void)state;
    struct failing_allocator memory = failing_allocator_make();
    dent_context_def context_def = dent_context_def_default();
    context_def.allocator = failing_allocator_hook(&memory);
    dent_context *context = dent_context_create(&context_def, NULL);
    struct test_scene scene = {0};
    (void)test_add_block(&scene, 6, 4, 3);
    struct test_body *moved = test_add_block(&scene, 6, 4, 3), *stretched = test_add_block(&scene, 6, 4, 3);
    test_map(moved, 1, 1, 1, 16, -8, 4);
    test_map(stretched, 1, 16, 1, 0, 0, 0); /* long another way: cut another way */
    dent_world *world = dent_world_create(context);
    assert_int_equal(test_scene_add(&scene, world), DENT_OK);
    struct body_clusters clusters[3];
    for (uint32_t order = 0; order < 2; order++) {
        for (uint32_t i = 0; i < 3; i++) {
            const double(*shape)[3] = (const double(*)[3])scene.bodies[i].xyz;
            assert_true(body_clusters_create(&clusters[i], context, body_table_at(&world->bodies, i), shape));
        }
        memory.fail_at = memory.requests + 1;
        body_clusters_share(&clusters[1], &clusters[0]); /* no memory to note it: each keeps its own */
        memory.fail_at = 0;
        assert_ptr_not_equal(clusters[1].clusters, clusters[0].clusters);
        body_clusters_share(&clusters[1], &clusters[0]);
        body_clusters_share(&clusters[2], &clusters[0]);
        assert_ptr_equal(clusters[1].clusters, clusters[0].clusters);
        assert_ptr_equal(clusters[1].faces, clusters[0].faces);
        assert_ptr_not_equal(clusters[2].clusters, clusters[0].clusters);
        body_clusters_destroy(&clusters[order]); /* either may go first */
        uint8_t *seen = test_allocate(10000, 1);
        assert_cells(body_table_at(&world->bodies, 1 - order), &clusters[1 - order], seen);
        free(seen);
        body_clusters_destroy(&clusters[1 - order]);
        body_clusters_destroy(&clusters[2]);
    }
    dent_world_destroy(world);
    test_scene_free(&scene);
    dent_context_destroy(context);
    assert_true(failing_allocator_clean(&memory));
}

/* Rows of small blocks, far from one another: nothing is found, so that what is taken is what is kept and scratch. */
static void ten_cell_bodies_of_a_swarm_take_at_most_400_bytes_a_cell(void **state)
{
    (void)state;
    enum { BODIES = 2000 };
    static const uint32_t asked[3] = {DENT_QUESTION_VERTEX_CELL, DENT_QUESTION_FACE_CELL,
                                      DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL};
    for (int i = 0; i < 3; i++) {
        dent_context_def context_def = dent_context_def_default();
        context_def.thread_count = 1;
        dent_context *context = dent_context_create(&context_def, NULL);
        dent_world *world = dent_world_create(context);
        struct test_scene scene = {0};
        struct test_body *block = test_add_block(&scene, 2, 1, 1);
        double(*places)[3] = test_allocate((size_t)BODIES * block->vertex_count, sizeof *places);
        uint64_t cells = 0;
        for (uint32_t body = 0; body < BODIES; body++) {
            double(*xyz)[3] = places + (size_t)body * block->vertex_count;
            for (uint32_t v = 0; v < block->vertex_count; v++) {
                xyz[v][0] = block->xyz[v][0] + 100 * (body % 50);
                xyz[v][1] = block->xyz[v][1] + 100 * (body / 50);
                xyz[v][2] = block->xyz[v][2];
            }
            dent_body_def def = test_body_def(block);
            def.positions_t0 = dent_positions_double(xyz[0]);
            def.reference = dent_positions_double(block->xyz[0]);
            dent_body_id id;
            assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
            cells += block->element_count;
        }
        assert_int_equal(cells, 10 * BODIES);
        dent_query_def def = dent_query_def_default();
        def.questions = asked[i];
        def.method = DENT_METHOD_CLUSTER_SEARCH;
        for (int turn = 0; turn < 3; turn++) {
            dent_query_result result;
            assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
            assert_int_equal(result.vertex_cell.count + result.face_cell.count, 0);
        }
        uint64_t bytes = dent_context_memory_use(context).peak_bytes;
        printf("questions %u: %llu bytes a cell\n", (unsigned)asked[i], (unsigned long long)(bytes / cells));
        assert_true(bytes <= 400 * cells);
        dent_world_destroy(world);
        free(places);
        test_scene_free(&scene);
        dent_context_destroy(context);
    }
}

/* ---- the certificate ------------------------------------------------------------------------- */

struct stage {
    struct test_scene scene;
    double (*reference)[3];
    dent_world *world;
    dent_body_id id;
};

static void open_stage(struct stage *stage, dent_context *context, uint32_t x, uint32_t y, uint32_t z,
                       bool with_reference)
{
    memset(&stage->scene, 0, sizeof stage->scene);
    struct test_body *body = test_add_block(&stage->scene, x, y, z);
    stage->reference = test_allocate(body->vertex_count, sizeof *stage->reference);
    memcpy(stage->reference, body->xyz, body->vertex_count * sizeof *body->xyz);
    stage->world = dent_world_create(context);
    dent_body_def def = test_body_def(body);
    if (with_reference) {
        def.reference = dent_positions_double(stage->reference[0]);
    }
    assert_int_equal(dent_world_add_body(stage->world, &def, &stage->id), DENT_OK);
}

static void close_stage(struct stage *stage)
{
    dent_world_destroy(stage->world);
    test_scene_free(&stage->scene);
    free(stage->reference);
}

struct tally {
    uint64_t poses, certified, with_pairs, pairs;
};

static dent_query_result ask(dent_world *world, dent_method method, bool touching, bool no_certificate)
{
    dent_query_def def = dent_query_def_default();
    dent_experiments experiments = dent_experiments_default();
    dent_query_result result;
    experiments.cluster_search.no_certificate = no_certificate;
    def.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL;
    def.method = method;
    def.touching = touching;
    def.experiments = &experiments;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK);
    return result;
}

static uint64_t hash_of(const dent_world *world, const dent_query_result *result)
{
    return dent_pair_list_hash(world, DENT_QUESTION_VERTEX_CELL, &result->vertex_cell) * 31 +
           dent_pair_list_hash(world, DENT_QUESTION_FACE_CELL, &result->face_cell);
}

/* The world as it is now: same answer with the certificate and by another method. Returns whether a body was certified.
 */
static bool compare(dent_world *world, dent_method judge, bool touching, struct tally *tally)
{
    dent_query_result result = ask(world, judge, touching, false);
    uint64_t expected = hash_of(world, &result), pairs = result.vertex_cell.count + result.face_cell.count;
    result = ask(world, DENT_METHOD_CLUSTER_SEARCH, touching, false);
    assert_true(hash_of(world, &result) == expected);
    assert_int_equal(result.vertex_cell.count + result.face_cell.count, pairs);
    tally->poses++;
    tally->certified += result.counters.certified_bodies;
    tally->with_pairs += pairs > 0;
    tally->pairs += pairs;
    return result.counters.certified_bodies > 0;
}

static void print_tally(const char *what, const struct tally *tally)
{
    printf("%-34s %6llu poses, %6llu certified, %6llu with self pairs (%llu pairs)\n", what,
           (unsigned long long)tally->poses, (unsigned long long)tally->certified,
           (unsigned long long)tally->with_pairs, (unsigned long long)tally->pairs);
}

static void no_self_pair_is_lost_on_deformed_blocks(void **state)
{
    (void)state;
    static const char *const names[] = {"affine", "wave", "twist", "bend", "jitter", "spike", "fold", "shear and wave"};
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally total = {0};
    for (int kind = 0; kind < DEFORMATION_COUNT; kind++) {
        struct tally tally = {0};
        struct stage stages[3];
        open_stage(&stages[0], context, 2, 1, 1, true);
        open_stage(&stages[1], context, 6, 2, 1, true);
        open_stage(&stages[2], context, 4, 3, 3, true);
        for (uint64_t seed = 0; seed < scaled(400); seed++) {
            struct stage *stage = &stages[seed % 3];
            double amplitude = pow(10, -2 + 3 * (double)(seed * 37 % 97) / 97);
            deform((const double(*)[3])stage->reference, stage->scene.bodies[0].vertex_count, (enum deformation)kind,
                   amplitude, seed, stage->scene.bodies[0].xyz);
            compare(stage->world, DENT_METHOD_BRUTE_FORCE, seed % 2, &tally);
        }
        print_tally(names[kind], &tally);
        total.poses += tally.poses;
        total.certified += tally.certified;
        total.with_pairs += tally.with_pairs;
        total.pairs += tally.pairs;
        for (int i = 0; i < 3; i++) {
            close_stage(&stages[i]);
        }
    }
    print_tally("together", &total);
    assert_true(total.certified * 8 > total.poses);
    assert_true(total.with_pairs * 8 > total.poses);
    dent_context_destroy(context);
}

/* Bisection of the amplitude to the last bits between a certified pose and one that is not. */
static void answers_are_right_on_both_sides_of_the_limit(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally inside = {0}, outside = {0};
    struct stage stage;
    open_stage(&stage, context, 5, 2, 2, true);
    uint32_t count = stage.scene.bodies[0].vertex_count;
    for (uint64_t seed = 0; seed < scaled(120); seed++) {
        enum deformation kind = (enum deformation)(seed % DEFORMATION_COUNT);
        struct tally ignored = {0};
        double low = 0, high = 20;
        deform((const double(*)[3])stage.reference, count, kind, high, seed, stage.scene.bodies[0].xyz);
        if (compare(stage.world, DENT_METHOD_SWEEP, false, &ignored)) {
            continue; /* an affine map may stretch as far as it likes */
        }
        for (int step = 0; step < 30; step++) {
            double middle = 0.5 * (low + high);
            deform((const double(*)[3])stage.reference, count, kind, middle, seed, stage.scene.bodies[0].xyz);
            dent_query_result result = ask(stage.world, DENT_METHOD_CLUSTER_SEARCH, false, false);
            *(result.counters.certified_bodies ? &low : &high) = middle;
        }
        for (int i = -1; i <= 1; i++) {
            deform((const double(*)[3])stage.reference, count, kind, low * (1 + 1e-7 * i), seed,
                   stage.scene.bodies[0].xyz);
            compare(stage.world, DENT_METHOD_BRUTE_FORCE, true, &inside);
            deform((const double(*)[3])stage.reference, count, kind, high * (1.5 + 0.5 * i), seed,
                   stage.scene.bodies[0].xyz);
            compare(stage.world, DENT_METHOD_BRUTE_FORCE, true, &outside);
        }
    }
    print_tally("at the limit", &inside);
    print_tally("at the limit, 1.5 and 2 times it", &outside);
    assert_true(inside.certified > 0 && inside.certified < inside.poses);
    close_stage(&stage);
    dent_context_destroy(context);
}

/* Bodies of several pieces: certificates piece by piece, with contact elsewhere in the same body. */
static void pieces_are_certified_beside_real_contact(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally tally = {0};
    uint64_t leaves[2] = {0, 0};
    struct stage stage;
    open_stage(&stage, context, 60, 4, 4, true);
    uint32_t count = stage.scene.bodies[0].vertex_count;
    for (uint64_t seed = 0; seed < scaled(40); seed++) {
        enum deformation kind = seed % 4 == 3 ? SPIKE : BEND;
        deform((const double(*)[3])stage.reference, count, kind,
               kind == BEND ? 0.2 + 0.02 * (double)seed : 0.5 + 0.05 * (double)seed, seed, stage.scene.bodies[0].xyz);
        compare(stage.world, DENT_METHOD_SWEEP, seed % 2, &tally);
        for (int without = 0; without < 2; without++) {
            leaves[without] += ask(stage.world, DENT_METHOD_CLUSTER_SEARCH, false, without).counters.cells_visited;
        }
    }
    print_tally("long bars", &tally);
    printf("leaves with the certificate %llu, without %llu\n", (unsigned long long)leaves[0],
           (unsigned long long)leaves[1]);
    assert_true(tally.with_pairs > 0);
    assert_true(leaves[0] < leaves[1]);
    close_stage(&stage);
    dent_context_destroy(context);
}

/* Small cells in a world of size 1, and vertices within a few float roundings of their faces: what decides there is how
 * far the rounding of the coordinates is allowed for. The world reaches from -1 to 1. */
static void make_close_call(struct test_scene *scene, dent_random *random)
{
    enum { CELLS = 24 };
    memset(scene, 0, sizeof *scene);
    struct test_body *cells = test_scene_new_body(scene, DENT_BODY_SOLID, 4 * CELLS, CELLS, 4 * CELLS);
    struct test_body *faces = test_scene_new_body(scene, DENT_BODY_SURFACE, 3 * CELLS + 3, CELLS + 1, 3 * CELLS + 3);
    double middle[3], size = ldexp(1, -13 + (int)dent_random_below(random, 9));
    for (int axis = 0; axis < 3; axis++) {
        middle[axis] = test_between(random, -0.9, 0.9);
    }
    for (uint32_t i = 0; i < CELLS; i++) {
        double(*p)[3] = &cells->xyz[4 * i];
        for (int k = 0; k < 12; k++) {
            p[k / 3][k % 3] = middle[k % 3] + size * test_between(random, -1, 1);
        }
        for (uint32_t k = 0; k < 3; k++) { /* on the face of the first three corners, and off it by a little */
            double s = test_between(random, 0.1, 0.4), t = test_between(random, 0.1, 0.4);
            double off = ldexp(test_between(random, -3, 3), -24);
            for (int axis = 0; axis < 3; axis++) {
                double x = p[0][axis] + s * (p[1][axis] - p[0][axis]) + t * (p[2][axis] - p[0][axis]);
                faces->xyz[3 * i + k][axis] = x + off * test_between(random, -1, 1);
            }
        }
    }
    for (uint32_t i = 0; i < 4 * CELLS; i++) {
        cells->corners[i] = i;
    }
    for (uint32_t i = 0; i < 3 * CELLS + 3; i++) {
        faces->corners[i] = i;
    }
    static const double ends[3][3] = {{-1, -1, -1}, {1, 1, 1}, {1, 1, 0.5}};
    memcpy(faces->xyz[3 * CELLS], ends, sizeof ends);
}

static void vertices_within_a_rounding_of_faces_are_decided_exactly(void **state)
{
    (void)state;
    dent_random random = dent_random_seeded(64);
    dent_context *contexts[DENT_ISA_COUNT];
    uint32_t context_count = 0;
    struct tally tally = {0};
    for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
        if (dent_isa_available((dent_isa)isa)) {
            dent_context_def def = dent_context_def_default();
            def.isa = (dent_isa)isa;
            contexts[context_count++] = dent_context_create(&def, NULL);
        }
    }
    for (uint64_t round = 0; round < scaled(150); round++) {
        struct test_scene scene;
        dent_world *world = dent_world_create(contexts[round % context_count]);
        make_close_call(&scene, &random);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        compare(world, DENT_METHOD_BRUTE_FORCE, round % 2, &tally);
        dent_world_destroy(world);
        test_scene_free(&scene);
    }
    print_tally("within a rounding of faces", &tally);
    assert_true(tally.with_pairs == tally.poses);
    for (uint32_t i = 0; i < context_count; i++) {
        dent_context_destroy(contexts[i]);
    }
}

/* A long bar bent gently into a ring, so that every piece is certified with its neighbours, and its ends meet: they are
 * no neighbours in the reference, and what is certified says nothing about them. */
static void ends_of_a_ring_meet_though_all_its_pieces_are_certified(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally tally = {0};
    uint64_t leaves[2] = {0, 0};
    struct stage stage;
    open_stage(&stage, context, 240, 3, 3, true);
    uint32_t count = stage.scene.bodies[0].vertex_count;
    for (uint32_t step = 0; step < 8; step++) {
        deform((const double(*)[3])stage.reference, count, BEND, 0.086 + 0.002 * step, 0, stage.scene.bodies[0].xyz);
        compare(stage.world, DENT_METHOD_SWEEP, step % 2, &tally);
        for (int without = 0; without < 2; without++) {
            leaves[without] += ask(stage.world, DENT_METHOD_CLUSTER_SEARCH, false, without).counters.cells_visited;
        }
    }
    print_tally("rings", &tally);
    printf("leaves with the certificate %llu, without %llu\n", (unsigned long long)leaves[0],
           (unsigned long long)leaves[1]);
    assert_true(tally.with_pairs >= 4);
    assert_true(2 * leaves[0] < leaves[1]); /* most of it is proven */
    close_stage(&stage);
    dent_context_destroy(context);
}

static void a_rigid_motion_is_certified_and_the_switch_switches_it_off(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct stage stage;
    open_stage(&stage, context, 9, 4, 3, true);
    dent_random random = dent_random_seeded(5);
    for (int turn = 0; turn < 5; turn++) {
        test_turn(&stage.scene.bodies[0], &random);
        test_map(&stage.scene.bodies[0], 1, 1, 1, 3, 4, 5);
        assert_int_equal(ask(stage.world, DENT_METHOD_CLUSTER_SEARCH, true, false).counters.certified_bodies, 1);
        assert_int_equal(ask(stage.world, DENT_METHOD_CLUSTER_SEARCH, true, true).counters.certified_bodies, 0);
    }
    close_stage(&stage);
    dent_context_destroy(context);
}

static void a_pose_found_free_serves_as_the_reference(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally tally = {0};
    struct stage stage;
    open_stage(&stage, context, 6, 3, 2, false);
    uint32_t count = stage.scene.bodies[0].vertex_count;
    assert_false(compare(stage.world, DENT_METHOD_BRUTE_FORCE, false, &tally)); /* nothing to compare with yet */
    for (uint64_t seed = 0; seed < scaled(100); seed++) {
        double amplitude = seed == 0 ? 0.05 : pow(10, -2 + 3 * (double)(seed * 7 % 17) / 17);
        deform((const double(*)[3])stage.reference, count, (enum deformation)(seed % DEFORMATION_COUNT), amplitude,
               seed, stage.scene.bodies[0].xyz);
        bool certified = compare(stage.world, DENT_METHOD_BRUTE_FORCE, seed % 2, &tally);
        assert_true(certified || seed != 0);
    }
    print_tally("without a reference", &tally);
    assert_true(tally.certified > 0 && tally.with_pairs > 0);
    close_stage(&stage);
    dent_context_destroy(context);
}

/* Bodies of three meshes come and go, thrown on a heap; each has its own reference or none. */
static void a_swarm_that_shares_its_meshes_loses_no_pair(void **state)
{
    (void)state;
    enum { MOST = 14, STEPS = 250, MESHES = 3 };
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    struct test_scene scene = {0};
    const struct test_body *meshes[MESHES] = {test_add_block(&scene, 2, 1, 1), test_add_block(&scene, 4, 3, 2),
                                              test_add_block(&scene, 1, 2, 1)};
    double(*xyz[MOST])[3] = {NULL};
    dent_body_id ids[MOST];
    uint32_t count = 0;
    struct tally tally = {0};
    dent_random random = dent_random_seeded(5);
    for (uint64_t step = 0; step < scaled(STEPS); step++) {
        uint32_t place = count > 0 ? dent_random_below(&random, count) : 0;
        if (count == MOST || (count > 4 && dent_random_below(&random, 3) == 0)) {
            assert_int_equal(dent_world_remove_body(world, ids[place]), DENT_OK);
            free(xyz[place]);
            count--;
            ids[place] = ids[count];
            xyz[place] = xyz[count];
        } else {
            const struct test_body *mesh = meshes[dent_random_below(&random, MESHES)];
            dent_body_def def = test_body_def(mesh);
            xyz[count] = test_allocate(mesh->vertex_count, sizeof *xyz[count]);
            for (int axis = 0; axis < 3; axis++) {
                double at = test_between(&random, 0, 4), size = test_between(&random, 0.5, 1.5);
                for (uint32_t v = 0; v < mesh->vertex_count; v++) {
                    xyz[count][v][axis] = at + size * mesh->xyz[v][axis] + test_between(&random, 0, 0.1);
                }
            }
            def.positions_t0 = dent_positions_double(xyz[count][0]);
            if (step % 2) {
                def.reference = dent_positions_double(mesh->xyz[0]);
            }
            assert_int_equal(dent_world_add_body(world, &def, &ids[count++]), DENT_OK);
        }
        compare(world, DENT_METHOD_SPATIAL_HASH, false, &tally);
    }
    print_tally("bodies that share meshes", &tally);
    assert_true(tally.with_pairs * 10 > tally.poses * 8);
    dent_world_destroy(world);
    for (uint32_t i = 0; i < count; i++) {
        free(xyz[i]);
    }
    test_scene_free(&scene);
    dent_context_destroy(context);
}

static void a_new_topology_forgets_the_old_reference(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally tally = {0};
    for (int with_reference = 0; with_reference < 2; with_reference++) {
        struct stage stage;
        open_stage(&stage, context, 6, 2, 2, with_reference);
        compare(stage.world, DENT_METHOD_BRUTE_FORCE, true, &tally);
        struct test_scene other = {0};
        struct test_body *body = test_add_block(&other, 10, 1, 1);
        test_fold(body, 3, 0.3);
        dent_body_def def = test_body_def(body);
        assert_int_equal(dent_body_set_topology(stage.world, stage.id, &def), DENT_OK);
        for (int again = 0; again < 3; again++) {
            compare(stage.world, DENT_METHOD_BRUTE_FORCE, again % 2, &tally);
        }
        /* and bodies that come and go */
        dent_body_id id;
        def.reference = dent_positions_double(body->xyz[0]);
        assert_int_equal(dent_world_add_body(stage.world, &def, &id), DENT_OK);
        compare(stage.world, DENT_METHOD_BRUTE_FORCE, true, &tally);
        assert_int_equal(dent_world_remove_body(stage.world, stage.id), DENT_OK);
        compare(stage.world, DENT_METHOD_BRUTE_FORCE, true, &tally);
        close_stage(&stage);
        test_scene_free(&other);
    }
    dent_context_destroy(context);
}

/* Bodies that are not convex: arms that close, hollows that collapse. The certificate may say little, never too much.
 */
static void bodies_that_are_not_convex_keep_their_pairs(void **state)
{
    (void)state;
    bool (*const shapes[])(const double middle[3]) = {u_shape, with_hollow, with_slit};
    static const uint32_t cubes[3] = {16, 10, 5};
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally tally = {0};
    for (int shape = 0; shape < 3; shape++) {
        struct test_scene scene = {0};
        struct test_body *body = test_add_block(&scene, cubes[0], cubes[1], cubes[2]);
        double(*reference)[3] = test_allocate(body->vertex_count, sizeof *reference);
        memcpy(reference, body->xyz, body->vertex_count * sizeof *reference);
        remove_cubes(body, shapes[shape]);
        dent_world *world = dent_world_create(context);
        dent_body_def def = test_body_def(body);
        dent_body_id id;
        def.reference = dent_positions_double(reference[0]);
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
        uint64_t poses = scaled(12);
        for (uint64_t seed = 0; seed < poses; seed++) {
            for (uint32_t v = 0; v < body->vertex_count; v++) {
                /* the middle of the gap closes more and more, and beyond */
                double close = 3.6 * (double)seed / (double)poses;
                const double *p = reference[v];
                double y = p[1] - 5, z = p[2] - 2.5, along = p[0] > 2 ? fmin(1, 0.2 * (p[0] - 2)) : 0;
                body->xyz[v][0] = p[0];
                body->xyz[v][1] = shape == 2 ? p[1] : p[1] - (y > 0 ? 1 : y < 0 ? -1 : 0) * close * along * 0.6;
                body->xyz[v][2] = shape == 2 ? p[2] - (z > 0 ? 1 : -1) * close * along * 0.3 : p[2];
            }
            compare(world, DENT_METHOD_SWEEP, seed % 2, &tally);
        }
        dent_world_destroy(world);
        test_scene_free(&scene);
        free(reference);
    }
    print_tally("not convex", &tally);
    assert_true(4 * tally.with_pairs > tally.poses);
    dent_context_destroy(context);
}

/* A reference that is none: folded, overlapping, flat, random. The answer is still the oracle's. */
static void a_false_reference_changes_no_answer(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    struct tally tally = {0};
    for (uint64_t seed = 0; seed < scaled(200); seed++) {
        struct test_scene scene = {0};
        struct test_body *body = test_add_block(&scene, 8, 2, 1);
        double(*lattice)[3] = test_allocate(body->vertex_count, sizeof *lattice),
        (*reference)[3] = test_allocate(body->vertex_count, sizeof *reference);
        memcpy(lattice, body->xyz, body->vertex_count * sizeof *lattice);
        deform((const double(*)[3])lattice, body->vertex_count, (enum deformation)(seed % DEFORMATION_COUNT),
               0.2 * (double)(seed % 31), seed, reference);
        dent_world *world = dent_world_create(context);
        dent_body_def def = test_body_def(body);
        dent_body_id id;
        def.reference = dent_positions_double(reference[0]);
        assert_int_equal(dent_world_add_body(world, &def, &id), DENT_OK);
        for (uint64_t pose = 0; pose < 3; pose++) {
            /* close to the reference, so that the map between them is gentle */
            deform((const double(*)[3])reference, body->vertex_count, JITTER, 0.01 * (double)pose, seed + pose,
                   body->xyz);
            compare(world, DENT_METHOD_BRUTE_FORCE, pose % 2, &tally);
        }
        dent_world_destroy(world);
        test_scene_free(&scene);
        free(lattice);
        free(reference);
    }
    print_tally("references of all sorts", &tally);
    assert_true(tally.with_pairs > tally.poses / 8);
    dent_context_destroy(context);
}

/* One query with the Nth allocation failing, for every N; then the next query on the same world gives the oracle's
 * answer. */
static void a_world_goes_on_after_any_failed_allocation(void **state)
{
    (void)state;
    struct test_scene scene;
    test_scene_make(&scene, SCENE_TIED, 3);
    test_add_sheet(&scene, 2, 2);
    struct test_body *body = test_add_block(&scene, 8, 4, 4);
    bool done = false;
    uint64_t n = 1;
    for (; !done; n++) {
        struct failing_allocator memory = failing_allocator_make();
        dent_context_def context_def = dent_context_def_default();
        context_def.allocator = failing_allocator_hook(&memory);
        context_def.thread_count = 2;
        dent_context *context = dent_context_create(&context_def, NULL);
        dent_world *world = dent_world_create(context);
        assert_int_equal(test_scene_add(&scene, world), DENT_OK);
        dent_body_def body_def = test_body_def(body);
        body_def.reference = dent_positions_double(body->xyz[0]);
        dent_body_id id;
        assert_int_equal(dent_world_add_body(world, &body_def, &id), DENT_OK);
        dent_query_def def = dent_query_def_default();
        dent_query_result result;
        struct tally ignored = {0};
        def.questions = DENT_QUESTION_VERTEX_CELL | DENT_QUESTION_FACE_CELL;
        def.method = DENT_METHOD_CLUSTER_SEARCH;
        memory.requests = 0;
        memory.fail_at = n;
        dent_status status = dent_world_query(world, &def, &result);
        done = memory.requests < n;
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        memory.fail_at = 0;
        compare(world, DENT_METHOD_BRUTE_FORCE, true, &ignored);
        /* the same when the second of two bodies is new, and the first is kept */
        assert_int_equal(dent_world_remove_body(world, dent_world_body_at(world, 0)), DENT_OK);
        memory.requests = 0;
        memory.fail_at = n;
        status = dent_world_query(world, &def, &result);
        assert_true(status == DENT_OK || status == DENT_ERROR_OUT_OF_MEMORY);
        memory.fail_at = 0;
        compare(world, DENT_METHOD_BRUTE_FORCE, true, &ignored);
        dent_world_destroy(world);
        dent_context_destroy(context);
        assert_true(failing_allocator_clean(&memory));
    }
    printf("a query makes %llu allocations the first time\n", (unsigned long long)n - 2);
    test_scene_free(&scene);
}

static void experiments_not_made_by_default_are_refused(void **state)
{
    (void)state;
    dent_context *context = dent_context_create(NULL, NULL);
    dent_world *world = dent_world_create(context);
    dent_experiments experiments = {0};
    dent_query_def def = dent_query_def_default();
    dent_query_result result;
    def.questions = DENT_QUESTION_VERTEX_CELL;
    def.method = DENT_METHOD_CLUSTER_SEARCH;
    def.experiments = &experiments;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_ERROR_INVALID_ARGUMENT);
    def.experiments = NULL;
    assert_int_equal(dent_world_query(world, &def, &result), DENT_OK); /* an empty world */
    assert_int_equal(result.vertex_cell.count, 0);
    dent_world_destroy(world);
    dent_context_destroy(context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cell_face_and_vertex_has_one_place_in_the_clusters),
        cmocka_unit_test(a_lattice_falls_into_blocks_of_eight_cubes),
        cmocka_unit_test(clusters_are_shared_by_bodies_that_are_cut_alike_and_by_no_others),
        cmocka_unit_test(ten_cell_bodies_of_a_swarm_take_at_most_400_bytes_a_cell),
        cmocka_unit_test(a_swarm_that_shares_its_meshes_loses_no_pair),
        cmocka_unit_test(no_self_pair_is_lost_on_deformed_blocks),
        cmocka_unit_test(answers_are_right_on_both_sides_of_the_limit),
        cmocka_unit_test(pieces_are_certified_beside_real_contact),
        cmocka_unit_test(vertices_within_a_rounding_of_faces_are_decided_exactly),
        cmocka_unit_test(ends_of_a_ring_meet_though_all_its_pieces_are_certified),
        cmocka_unit_test(a_rigid_motion_is_certified_and_the_switch_switches_it_off),
        cmocka_unit_test(a_pose_found_free_serves_as_the_reference),
        cmocka_unit_test(a_new_topology_forgets_the_old_reference),
        cmocka_unit_test(bodies_that_are_not_convex_keep_their_pairs),
        cmocka_unit_test(a_false_reference_changes_no_answer),
        cmocka_unit_test(a_world_goes_on_after_any_failed_allocation),
        cmocka_unit_test(experiments_not_made_by_default_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
