/* Every kind of query on a caller's thread that has DENT_STACK_BYTES of stack: a page below it is forbidden, so needing
 * more is a crash. The stack is painted before, and how much of it was used is printed. The scenes are small and
 * hostile: corners on a coarse lattice (so that planes and lines coincide and exact arithmetic decides), exponents hundreds of
 * powers of two apart (so that its numbers are as long as they get), split cells. One thread does all the work. */
#include "interface/null_fixture.h"
#include "support/sanitizer.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Unoptimised and instrumented frames are larger; what is promised is promised of release builds. */
#if TEST_ADDRESS_SANITIZER || TEST_THREAD_SANITIZER
enum { STACK = 1 << 21 };
#elif !defined(NDEBUG)
enum { STACK = 4 * DENT_STACK_BYTES };
#else
enum { STACK = DENT_STACK_BYTES };
#endif
enum { FORBIDDEN = 1 << 20, PAINT = 0xA5 };

struct stage {
    dent_context *context;
    dent_world *world;
    dent_body_id ids[8];
    uint32_t body_count;
    double *positions[2][8]; /* t0, t1 */
    uint32_t vertex_counts[8];
    bool wild; /* exponents far apart */
};

static void must(bool good, const char *what)
{
    if (!good) {
        printf("%s failed\n", what);
        fflush(stdout);
        exit(1);
    }
}

static void must_be_ok(const struct stage *stage, dent_status status, const char *what)
{
    if (status != DENT_OK) {
        char text[512] = "";
        dent_context_message(stage->context, text, sizeof text);
        printf("%s: %s (%s; %s)\n", what, dent_status_name(status), dent_world_message(stage->world), text);
        exit(1);
    }
}

/* ---- scenes ----------------------------------------------------------------------------------------------------- */

static double lattice_number(dent_random *random, bool wild)
{
    static const int exponents[] = {0, 0, 0, -1000, 900, 300, -400};
    double number = (double)dent_random_below(random, 4);
    return wild ? ldexp(number, exponents[dent_random_below(random, 7)]) : number;
}

static void add_body(struct stage *stage, dent_body_def *def, dent_random *random)
{
    uint32_t number = stage->body_count++;
    for (int time = 0; time < 2; time++) {
        stage->positions[time][number] = calloc(3 * (size_t)def->vertex_count, sizeof(double));
        must(stage->positions[time][number] != NULL, "calloc");
        for (uint32_t i = 0; i < 3 * def->vertex_count; i++) {
            stage->positions[time][number][i] = lattice_number(random, stage->wild);
        }
    }
    stage->vertex_counts[number] = def->vertex_count;
    def->positions_t0 = dent_positions_double(stage->positions[0][number]);
    def->positions_t1 = dent_positions_double(stage->positions[1][number]);
    def->self_collision = true;
    must_be_ok(stage, dent_world_add_body(stage->world, def, &stage->ids[number]), "dent_world_add_body");
}

/* Corners drawn from the lattice: cells of every kind that cross, touch and are flat. */
static void stage_open(struct stage *stage, uint64_t seed, bool wild, dent_isa isa)
{
    static const uint32_t numbers[32] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15,
                                         16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    static const uint8_t hexahedra[2] = {DENT_CELL_HEXAHEDRON, DENT_CELL_HEXAHEDRON};
    static const uint8_t wedges[3] = {DENT_CELL_WEDGE, DENT_CELL_PYRAMID, DENT_CELL_TETRAHEDRON};
    dent_random random = dent_random_seeded(seed);
    dent_context_def context = dent_context_def_default();
    context.thread_count = 1;
    context.isa = isa;
    *stage = (struct stage){.wild = wild};
    stage->context = dent_context_create(&context, NULL);
    must(stage->context != NULL, "dent_context_create");
    stage->world = dent_world_create(stage->context);
    must(stage->world != NULL, "dent_world_create");
    dent_body_def defs[4] = {dent_solid_def_default(), dent_solid_def_default(), dent_solid_def_default(),
                             dent_surface_def_default()};
    const uint32_t vertices[4] = {16, 16, 24, 24}, elements[4] = {2, 3, 6, 8};
    for (int n = 0; n < 4; n++) {
        defs[n].vertex_count = vertices[n];
        defs[n].element_count = elements[n];
        defs[n].element_corners = numbers;
        defs[n].cell_kinds = n == 0 ? hexahedra : n == 1 ? wedges : NULL;
        add_body(stage, &defs[n], &random);
    }
}

static void stage_close(struct stage *stage)
{
    for (uint32_t n = 0; n < stage->body_count; n++) {
        free(stage->positions[0][n]);
        free(stage->positions[1][n]);
    }
    dent_world_destroy(stage->world);
    dent_context_destroy(stage->context);
}

/* ---- questions -------------------------------------------------------------------------------------------------- */

static void ask_pairs(struct stage *stage)
{
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        dent_query_def def = dent_query_def_default();
        dent_border_def border = dent_border_def_default();
        dent_query_result result;
        def.method = (dent_method)method;
        def.touching = true;
        def.questions = dent_method_questions(def.method);
        def.border = method == 0 ? &border : NULL;
        if (def.questions == 0) { /* a method of the question strand */
            continue;
        }
        for (int turn = 0; turn < (stage->wild ? 1 : 3);
             turn++) { /* the second time structures are completed, then reused */
            dent_status status = dent_world_query(stage->world, &def, &result);
            must_be_ok(stage, status == DENT_ERROR_UNSUPPORTED ? DENT_OK : status, "dent_world_query");
        }
    }
}

static void ask_impacts(struct stage *stage)
{
    static const dent_method methods[] = {DENT_METHOD_AUTO, DENT_METHOD_BRUTE_FORCE};
    for (int n = 0; n < (stage->wild ? 1 : 4); n++) {
        dent_impact_def def = dent_impact_def_default();
        dent_impact_result all;
        dent_earliest_impact earliest;
        dent_initial_state start;
        dent_safe_step step;
        def.method = methods[n % 2];
        def.separation = n < 2 ? 0 : 0.01;
        must_be_ok(stage, dent_world_earliest_impact(stage->world, &def, &earliest), "dent_world_earliest_impact");
        if (stage->wild) { /* milliseconds a pair */
            return;
        }
        must_be_ok(stage, dent_world_impacts(stage->world, &def, &all), "dent_world_impacts");
        if (def.separation == 0) {
            must_be_ok(stage, dent_world_initial_state(stage->world, &def, &start), "dent_world_initial_state");
            must_be_ok(stage, dent_world_safe_step(stage->world, &def, &step), "dent_world_safe_step");
        }
    }
}

static void ask_single_impacts(struct stage *stage)
{
    dent_random random = dent_random_seeded(5);
    for (int n = 0; n < 200; n++) {
        double t0[4][3], t1[4][3];
        dent_impact_test_result answer;
        for (int i = 0; i < 12; i++) {
            t0[i / 3][i % 3] = lattice_number(&random, stage->wild);
            t1[i / 3][i % 3] = lattice_number(&random, stage->wild);
        }
        dent_impact_kind kind = n % 2 ? DENT_IMPACT_VERTEX_FACE : DENT_IMPACT_EDGE_EDGE;
        must(dent_impact_test(kind, (const double(*)[3])t0, (const double(*)[3])t1, &answer) == DENT_OK,
             "dent_impact_test");
    }
}

static void ask_proximity(struct stage *stage)
{
    static const dent_method methods[] = {DENT_METHOD_AUTO, DENT_METHOD_BRUTE_FORCE};
    for (int n = 0; n < 2; n++) {
        dent_proximity_def def = dent_proximity_def_default();
        dent_proximity_result result;
        def.method = methods[n];
        def.thickness = 0.7;
        must_be_ok(stage, dent_world_proximity(stage->world, &def, &result), "dent_world_proximity");
    }
}

/* Two strands among the other bodies, for the time of this question. */
static void ask_strands(struct stage *stage)
{
    static const uint32_t first[3] = {0, 7, 12};
    double positions[36];
    dent_random random = dent_random_seeded(5);
    for (int i = 0; i < 36; i++) {
        positions[i] = lattice_number(&random, stage->wild);
    }
    dent_body_def strands = dent_strands_def_default();
    strands.strand_count = 2;
    strands.first = first;
    strands.vertex_count = 12;
    strands.thickness = 0.2;
    strands.positions_t0 = dent_positions_double(positions);
    strands.self_collision = true;
    dent_body_id id;
    must_be_ok(stage, dent_world_add_body(stage->world, &strands, &id), "dent_world_add_body");
    for (int method = 0; method < DENT_METHOD_COUNT; method++) {
        dent_strand_query_def def = dent_strand_query_def_default();
        dent_strand_result result;
        def.method = (dent_method)method;
        dent_status status = dent_world_strands(stage->world, &def, &result);
        must_be_ok(stage, status == DENT_ERROR_UNSUPPORTED ? DENT_OK : status, "dent_world_strands");
    }
    must_be_ok(stage, dent_world_remove_body(stage->world, id), "dent_world_remove_body");
}

static void ask_check(struct stage *stage)
{
    static const dent_method methods[] = {DENT_METHOD_AUTO, DENT_METHOD_BRUTE_FORCE};
    for (int n = 0; n < 2; n++) {
        dent_check_def def = dent_check_def_default();
        dent_check_result result;
        def.method = methods[n];
        def.self = true;
        must_be_ok(stage, dent_world_check(stage->world, &def, &result), "dent_world_check");
    }
}

static void ask_contacts(struct stage *stage)
{
    for (int n = 0; n < 4; n++) {
        dent_contacts_def def = dent_contacts_def_default();
        dent_contacts result;
        def.proximity = def.impact = true;
        def.thickness = 0.5;
        def.normals = (dent_contact_normals)(n % 2);
        def.coherent = def.project = n >= 2;
        def.patches = true;
        must_be_ok(stage, dent_world_find_contacts(stage->world, &def, &result), "dent_world_find_contacts");
    }
}

static void ask_motion(struct stage *stage)
{
    dent_motion_frame frames[2];
    dent_pose start = dent_pose_identity(), end = dent_pose_identity();
    end.translation[0] = 3;
    end.rotation[0] = 0.8;
    end.rotation[2] = 0.6;
    frames[0].parent = frames[1].parent = DENT_FRAME_WORLD;
    must_be_ok(stage, dent_motion_between(stage->context, &start, &end, DENT_MOTION_SCREW, NULL, 0, &frames[0].motion),
               "dent_motion_between");
    frames[1].motion = dent_motion_stationary(&start);
    dent_motion_body bodies[4];
    for (uint32_t n = 0; n < 4; n++) {
        bodies[n] = (dent_motion_body){.body = stage->ids[n], .frame = n % 2};
    }
    for (int volume = 0; volume < 3; volume++) {
        dent_motion_impact_def def = dent_motion_impact_def_default();
        dent_motion_impact_result result;
        def.frames = frames;
        def.frame_count = 2;
        def.bodies = bodies;
        def.body_count = 4;
        dent_experiments experiments = dent_experiments_default();
        experiments.motion.volume = (dent_motion_volume)volume;
        def.experiments = &experiments;
        def.work_limit = 20000;
        must_be_ok(stage, dent_world_motion_impact(stage->world, &def, &result), "dent_world_motion_impact");
    }
}

static void ask_in_time(struct stage *stage)
{
    for (int kind = 0; kind < 8; kind++) {
        dent_bound_tree_def def = dent_bound_tree_def_default();
        dent_bound_tree *trees[2] = {NULL, NULL};
        def.kind = (dent_bound_kind)(kind / 2);
        def.builder = kind % 2 ? DENT_BUILD_MEDIAL : DENT_BUILD_SPLIT;
        dent_status status = dent_bound_tree_create(stage->world, stage->ids[2], &def, &trees[0]);
        status = status == DENT_OK ? dent_bound_tree_create(stage->world, stage->ids[0], &def, &trees[1]) : status;
        if (status == DENT_OK) {
            dent_time_critical_def search_def = dent_time_critical_def_default();
            dent_time_critical *search;
            dent_time_critical_result result;
            search_def.tree_a = trees[0];
            search_def.tree_b = trees[1];
            search_def.touching = true;
            must_be_ok(stage, dent_time_critical_create(stage->context, &search_def, &search), "a search");
            dent_time_critical_begin(search, NULL);
            must_be_ok(stage, dent_time_critical_run(search, dent_budget_units(100000), &result), "a run");
            dent_sphere_response_def push = dent_sphere_response_def_default();
            dent_sphere_response pushed;
            dent_sphere_response_compute(search, &push, NULL, NULL, &pushed);
            dent_time_critical_destroy(search);
        }
        dent_bound_tree_destroy(trees[1]);
        dent_bound_tree_destroy(trees[0]);
    }
}

static void ask_structures(struct stage *stage)
{
    dent_structure_shapes shapes;
    dent_body_metrics measure;
    for (int structure = 0; structure < DENT_STRUCTURE_COUNT; structure++) {
        for (uint32_t n = 0; n < stage->body_count; n++) {
            dent_world_structure(stage->world, (dent_structure)structure, stage->ids[n], 2, &shapes);
            must_be_ok(stage, dent_body_get_metrics(stage->world, stage->ids[n], &measure), "dent_body_get_metrics");
        }
    }
}

/* ---- points, boxes, closed surfaces ------------------------------------------------------------------------------ */

enum { MANY = 500 };

/* Places of a lattice, or on a sphere: no two of its triangles share a plane. */
static void draw_places(struct stage *stage, dent_random *random, double *places)
{
    for (int i = 0; i < 3 * MANY; i++) {
        places[i] = stage->wild ? lattice_number(random, true) : 2 * dent_random_unit(random) - 1;
    }
}

/* A ball: one convex cell of planes after another. */
static uint32_t make_ball(double *positions, uint32_t (*triangles)[3])
{
    enum { RINGS = 7, SIDES = 12 };
    uint32_t count = 0;
    for (int i = 0; i <= RINGS; i++) {
        for (int j = 0; j < SIDES; j++) {
            double a = 3.14159265358979 * (i + 0.5) / (RINGS + 1), b = 6.28318530717959 * j / SIDES;
            double *p = positions + 3 * (SIDES * i + j);
            p[0] = sin(a) * cos(b), p[1] = sin(a) * sin(b), p[2] = cos(a);
        }
    }
    for (uint32_t i = 0; i < RINGS; i++) {
        for (uint32_t j = 0; j < SIDES; j++) {
            uint32_t a = SIDES * i + j, b = SIDES * i + (j + 1) % SIDES;
            memcpy(triangles[count++], (uint32_t[]){a, a + SIDES, b}, 12);
            memcpy(triangles[count++], (uint32_t[]){b, a + SIDES, b + SIDES}, 12);
        }
    }
    for (uint32_t j = 1; j + 1 < SIDES; j++) {
        memcpy(triangles[count++], (uint32_t[]){0, j, j + 1}, 12);
        memcpy(triangles[count++], (uint32_t[]){SIDES * RINGS, SIDES * RINGS + j + 1, SIDES * RINGS + j}, 12);
    }
    return count;
}

static void ask_inside(struct stage *stage)
{
    static double positions[3 * MANY], places[3 * MANY];
    static uint32_t triangles[MANY][3];
    static uint8_t found[MANY];
    static dent_sweep_hit hits[MANY];
    dent_random random = dent_random_seeded(9);
    uint32_t count = make_ball(positions, triangles);
    draw_places(stage, &random, places);
    for (int i = 0; i < 3 * MANY && stage->wild; i++) {
        positions[i] = lattice_number(&random, true);
    }
    for (int method = 1; method < DENT_INSIDE_METHOD_COUNT; method++) {
        dent_inside_def def = dent_inside_def_default();
        dent_sweep_def sweep = dent_sweep_def_default();
        dent_inside *inside;
        def.positions = dent_positions_double(positions);
        def.vertex_count = MANY;
        def.triangles = triangles[0];
        def.triangle_count = count;
        def.method = (dent_inside_method)method;
        must_be_ok(stage, dent_inside_create(stage->context, &def, &inside), "dent_inside_create");
        must_be_ok(stage, dent_inside_classify(inside, dent_positions_double(places), MANY, found), "classify");
        sweep.starts = dent_positions_double(places);
        sweep.ends = dent_positions_double(positions);
        sweep.count = stage->wild ? 20 : MANY;
        must_be_ok(stage, dent_inside_sweep(inside, &sweep, hits), "dent_inside_sweep");
        dent_inside_destroy(inside);
    }
}

static void ask_boxes(struct stage *stage)
{
    static double boxes[6 * MANY], places[3 * MANY], distances[4 * MANY];
    static uint32_t indices[4 * MANY], counts[MANY];
    dent_random random = dent_random_seeded(10);
    draw_places(stage, &random, places);
    for (int i = 0; i < 6 * MANY; i++) {
        double size = 0.3 * dent_random_unit(&random);
        boxes[i] = places[3 * (i / 6) + i % 3] + (i % 6 < 3 ? 0 : stage->wild ? 1 : size);
    }
    for (int method = 0; method < DENT_BOXES_METHOD_COUNT; method++) {
        dent_boxes_def def = dent_boxes_def_default();
        dent_boxes *object;
        dent_box_pairs pairs;
        dent_box_hits hits;
        dent_neighbours_query query = dent_neighbours_query_default();
        dent_box_segments segments = {.from = dent_positions_double(places), .to = dent_positions_double(boxes)};
        def.method = (dent_boxes_method)method;
        query.places = dent_positions_double(places);
        query.place_count = MANY;
        query.nearest = 4;
        must_be_ok(stage, dent_boxes_create(stage->context, &def, &object), "dent_boxes_create");
        must_be_ok(stage, dent_boxes_update(object, dent_box_list_double(boxes), MANY), "dent_boxes_update");
        must_be_ok(stage, dent_boxes_pairs(object, &pairs), "dent_boxes_pairs");
        must_be_ok(stage, dent_boxes_on_segments(object, &segments, MANY, &hits), "dent_boxes_on_segments");
        must_be_ok(stage, dent_boxes_nearest(object, &query, indices, distances, counts), "dent_boxes_nearest");
        dent_boxes_destroy(object);
    }
}

static void ask_clouds(struct stage *stage)
{
    static double positions[3 * MANY];
    static uint32_t triangles[MANY][3];
    for (int function = 0; function < DENT_CLOUD_FUNCTION_COUNT; function++) {
        dent_cloud_def def = dent_cloud_def_default();
        dent_cloud_search_def search_def = dent_cloud_search_def_default();
        dent_cloud *cloud;
        dent_cloud_search *search;
        dent_cloud_result result;
        dent_cloud_update_result update;
        dent_pose pose = dent_pose_identity();
        make_ball(positions, triangles);
        pose.translation[0] = 0.5;
        def.positions = dent_positions_double(positions);
        def.point_count = 96;
        must_be_ok(stage, dent_cloud_create(stage->context, &def, &cloud), "dent_cloud_create");
        search_def.cloud_a = search_def.cloud_b = cloud;
        search_def.function = (dent_cloud_function)function;
        must_be_ok(stage, dent_cloud_search_create(stage->context, &search_def, &search), "dent_cloud_search_create");
        must_be_ok(stage, dent_cloud_search_begin(search, NULL, &pose, 1), "dent_cloud_search_begin");
        must_be_ok(stage, dent_cloud_search_run(search, dent_budget_units(1000000), &result), "dent_cloud_search_run");
        dent_cloud_search_destroy(search);
        must_be_ok(stage, dent_cloud_update(cloud, &update), "dent_cloud_update");
        dent_cloud_destroy(cloud);
    }
}

/* ---- simulator, scenes, files ----------------------------------------------------------------------------------- */

static void simulate(struct stage *stage)
{
    static const char *const names[] = {"stack", "fold", "cloth-sphere", "knee", "jaw", "v-shapes", "vessels"};
    for (size_t n = 0; n < sizeof names / sizeof names[0]; n++) {
        dent_sim_scene_def def = dent_sim_scene_def_default();
        dent_sim_scene *scene;
        def.name = names[n];
        def.scale = 0.02;
        must_be_ok(stage, dent_sim_scene_open(stage->context, &def, &scene), names[n]);
        must_be_ok(stage, dent_sim_step(dent_sim_scene_sim(scene)), "dent_sim_step");
        must_be_ok(stage, dent_sim_save(dent_sim_scene_sim(scene), "small_stack.dent", NULL, 0), "dent_sim_save");
        must_be_ok(stage, dent_sim_load(dent_sim_scene_sim(scene), "small_stack.dent"), "dent_sim_load");
        unlink("small_stack.dent");
        dent_sim_scene_destroy(scene);
    }
}

static void build_scenes(struct stage *stage)
{
    for (uint32_t n = 0; n < dent_scene_count(); n++) {
        dent_scene_def def = dent_scene_def_default();
        dent_scene *scene;
        def.name = dent_scene_info_at(n)->name;
        def.scale = 0.002;
        if (dent_scene_create(stage->context, &def, &scene) == DENT_OK) {
            dent_scene_destroy(scene);
        }
    }
}

static void read_and_write(struct stage *stage)
{
    static const char *const paths[] = {"small_stack.mesh", "small_stack.obj", "small_stack.stl", "small_stack.ply",
                                        "small_stack.vtk",  "small_stack.vtu", "small_stack.vtp", "small_stack.msh"};
    static const double positions[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0.1, 0.123456789012345678, 1e-300};
    static const uint32_t corners[6] = {0, 1, 2, 1, 2, 3};
    static const dent_mesh_field field = {"f", false, 3, positions};
    for (size_t n = 0; n < sizeof paths / sizeof paths[0]; n++) {
        bool fields = strstr(paths[n], ".vt") && !strstr(paths[n], ".vtk"), solid = strstr(paths[n], ".mesh") != NULL;
        dent_mesh_view view = {.kind = solid ? DENT_BODY_SOLID : DENT_BODY_SURFACE,
                               .vertex_count = 4,
                               .positions = positions,
                               .element_count = solid ? 1 : 2,
                               .element_corners = corners,
                               .field_count = fields,
                               .fields = fields ? &field : NULL};
        dent_mesh *mesh;
        if (dent_mesh_write(stage->context, paths[n], &view) == DENT_OK) {
            must_be_ok(stage, dent_mesh_read(stage->context, paths[n], NULL, &mesh), paths[n]);
            dent_mesh_destroy(stage->context, mesh);
        }
        unlink(paths[n]);
    }
    static const char robot[] = "<robot name='r'><link name='a'><collision><geometry><sphere radius='1'/></geometry>"
                                "</collision></link><link name='b'><collision><geometry><cylinder radius='1' "
                                "length='2'/></geometry></collision></link><joint name='j' type='revolute'><parent "
                                "link='a'/><child link='b'/><limit lower='-1' upper='1'/></joint></robot>";
    dent_robot *read;
    dent_status status = dent_robot_read_memory(stage->context, "r.urdf", robot, sizeof robot - 1, NULL, &read);
    if (status != DENT_ERROR_UNSUPPORTED) {
        must_be_ok(stage, status, "dent_robot_read_memory");
        dent_robot_destroy(stage->context, read);
    }
    static const char gmsh[] = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n"
                               "$EndNodes\n$Elements\n1\n1 4 2 1 1 1 2 3 4\n$EndElements\n";
    dent_mesh *mesh;
    status = dent_mesh_read_memory(stage->context, "a.msh", gmsh, sizeof gmsh - 1, NULL, &mesh);
    must_be_ok(stage, status, "a.msh");
    dent_mesh_destroy(stage->context, mesh);
}

/* ---- threads ---------------------------------------------------------------------------------------------------- */

struct job {
    const char *name;
    void (*run)(struct stage *stage);
    bool tame_only; /* needs forces and lengths that are numbers */
    struct stage *stage;
};

static void *run_job(void *data)
{
    struct job *job = data;
    job->run(job->stage);
    return NULL;
}

static size_t used_bytes(const unsigned char *stack)
{
    size_t unused = 0;
    while (unused < STACK && stack[unused] == PAINT) {
        unused++;
    }
    return STACK - unused;
}

static size_t run_on_small_stack(struct job *job)
{
    unsigned char *whole = mmap(NULL, FORBIDDEN + STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    must(whole != MAP_FAILED && mprotect(whole, FORBIDDEN, PROT_NONE) == 0, "mmap");
    memset(whole + FORBIDDEN, PAINT, STACK);
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    must(pthread_attr_setstack(&attributes, whole + FORBIDDEN, STACK) == 0, "pthread_attr_setstack");
    must(pthread_create(&thread, &attributes, run_job, job) == 0, "pthread_create");
    pthread_join(thread, NULL);
    pthread_attr_destroy(&attributes);
    size_t used = used_bytes(whole + FORBIDDEN);
    munmap(whole, FORBIDDEN + STACK);
    return used;
}

static struct job jobs[] = {
    {"vertex-cell, face-cell, face-face, border", ask_pairs, false, NULL},
    {"impact", ask_impacts, true, NULL},
    {"one impact", ask_single_impacts, false, NULL},
    {"proximity", ask_proximity, false, NULL},
    {"strand", ask_strands, false, NULL},
    {"check", ask_check, false, NULL},
    {"contacts", ask_contacts, true, NULL},
    {"motion", ask_motion, true, NULL},
    {"time-critical", ask_in_time, false, NULL},
    {"structures", ask_structures, false, NULL},
    {"inside", ask_inside, false, NULL},
    {"boxes", ask_boxes, false, NULL},
    {"clouds", ask_clouds, true, NULL},
    {"simulator", simulate, true, NULL},
    {"scenes", build_scenes, true, NULL},
    {"files", read_and_write, true, NULL},
};

int main(int count, char **arguments)
{
    size_t most = 0;
    for (size_t n = 0; n < sizeof jobs / sizeof jobs[0]; n++) {
        if (count > 1 && strcmp(arguments[1], jobs[n].name) != 0) {
            continue;
        }
        size_t used = 0;
        printf("%-45s", jobs[n].name);
        fflush(stdout);
        for (int isa = DENT_ISA_SCALAR; isa < DENT_ISA_COUNT; isa++) {
            bool once = jobs[n].run == simulate || jobs[n].run == build_scenes || jobs[n].run == read_and_write;
            for (int turn = 0; turn < (once ? 1 : 2); turn++) {
                struct stage stage;
                if (!dent_isa_available((dent_isa)isa) || ((once || turn % 2) && isa != DENT_ISA_SCALAR)) {
                    continue; /* exact arithmetic is the same code everywhere */
                }
                stage_open(&stage, (uint64_t)turn + 1, turn % 2 && !jobs[n].tame_only, (dent_isa)isa);
                jobs[n].stage = &stage;
                size_t now = run_on_small_stack(&jobs[n]);
                used = now > used ? now : used;
                stage_close(&stage);
            }
        }
        printf("%6zu bytes of stack\n", used);
        most = used > most ? used : most;
    }
    printf("%zu of %d bytes\n", most, STACK);
    return most > STACK - 4096; /* some room is left */
}
