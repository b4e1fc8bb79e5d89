/* Every public function with null in every pointer position: a status, a zero, or nothing, and never a crash. */
#include "interface/null_fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- objects, made when first asked for ------------------------------------------------------------------------- */

static void must(bool good, const char *what)
{
    if (!good) {
        printf("the fixture cannot make %s\n", what);
        fflush(stdout);
        _exit(3);
    }
}

dent_context *fixture_dent_context(void)
{
    static dent_context *context;
    if (!context) {
        dent_context_def def = dent_context_def_default();
        def.thread_count = 1;
        context = dent_context_create(&def, NULL);
        must(context != NULL, "a context");
    }
    return context;
}

static const double corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const double tops[12] = {0, 0, 0.5, 1, 0, 0.5, 0, 1, 0.5, 0, 0, 1.5};
static const uint32_t tetrahedron[4] = {0, 1, 2, 3};
static dent_body_id bodies[2];

dent_world *fixture_dent_world(void)
{
    static dent_world *world;
    if (!world) {
        world = dent_world_create(fixture_dent_context());
        must(world != NULL, "a world");
        for (int n = 0; n < 2; n++) {
            dent_body_def def = dent_solid_def_default();
            def.vertex_count = 4;
            def.element_count = 1;
            def.element_corners = tetrahedron;
            def.positions_t0 = dent_positions_double(n ? tops : corners);
            def.positions_t1 = dent_positions_double(n ? corners : tops);
            must(dent_world_add_body(world, &def, &bodies[n]) == DENT_OK, "a body");
        }
    }
    return world;
}

dent_body_id fixture_body(void)
{
    fixture_dent_world();
    return bodies[0];
}

dent_linkage *fixture_dent_linkage(void)
{
    static dent_linkage *linkage;
    if (!linkage) {
        dent_joint_def joint = dent_joint_def_default();
        joint.kind = DENT_JOINT_REVOLUTE;
        joint.child = 1;
        dent_linkage_def def = dent_linkage_def_default();
        def.link_count = 2;
        def.joint_count = 1;
        def.joints = &joint;
        must(dent_linkage_create(fixture_dent_context(), &def, &linkage) == DENT_OK, "a linkage");
    }
    return linkage;
}

dent_embedding *fixture_dent_embedding(void)
{
    static dent_embedding *embedding;
    if (!embedding) {
        dent_embedding_def def = dent_embedding_def_default();
        dent_world *world = fixture_dent_world();
        must(dent_embedding_create(world, bodies[0], bodies[1], &def, &embedding) == DENT_OK, "a reduced model");
    }
    return embedding;
}

dent_bound_tree *fixture_dent_bound_tree(void)
{
    static dent_bound_tree *tree;
    if (!tree) {
        dent_bound_tree_def def = dent_bound_tree_def_default();
        must(dent_bound_tree_create(fixture_dent_world(), bodies[0], &def, &tree) == DENT_OK, "a tree");
    }
    return tree;
}

dent_file_writer *fixture_dent_file_writer(void)
{
    static dent_file_writer *writer;
    if (!writer) {
        must(dent_file_writer_open(fixture_dent_context(), "fixture.written", &writer) == DENT_OK, "a writer");
    }
    return writer;
}

dent_time_critical *fixture_dent_time_critical(void)
{
    static dent_time_critical *search;
    if (!search) {
        dent_time_critical_def def = dent_time_critical_def_default();
        def.tree_a = def.tree_b = fixture_dent_bound_tree();
        must(dent_time_critical_create(fixture_dent_context(), &def, &search) == DENT_OK, "a search");
        dent_time_critical_begin(search, NULL);
    }
    return search;
}

dent_schedule *fixture_dent_schedule(void)
{
    static dent_schedule *schedule;
    if (!schedule) {
        dent_schedule_def def = dent_schedule_def_default();
        dent_time_critical *search = fixture_dent_time_critical();
        def.searches = &search;
        def.search_count = 1;
        must(dent_schedule_create(fixture_dent_context(), &def, &schedule) == DENT_OK, "a schedule");
        dent_schedule_begin(schedule, NULL);
    }
    return schedule;
}

dent_neighbours *fixture_dent_neighbours(void)
{
    static const double points[6] = {0, 0, 0, 1, 0, 0};
    static dent_neighbours *neighbours;
    if (!neighbours) {
        must(dent_neighbours_create(fixture_dent_context(), dent_positions_double(points), 2, &neighbours) == DENT_OK,
             "neighbours");
    }
    return neighbours;
}

dent_cloud *fixture_dent_cloud(void)
{
    static const double points[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static dent_cloud *cloud;
    if (!cloud) {
        dent_cloud_def def = dent_cloud_def_default();
        def.positions = dent_positions_double(points);
        def.point_count = 3;
        must(dent_cloud_create(fixture_dent_context(), &def, &cloud) == DENT_OK, "a cloud");
    }
    return cloud;
}

dent_cloud_search *fixture_dent_cloud_search(void)
{
    static dent_cloud_search *search;
    if (!search) {
        dent_cloud_search_def def = dent_cloud_search_def_default();
        def.cloud_a = def.cloud_b = fixture_dent_cloud();
        must(dent_cloud_search_create(fixture_dent_context(), &def, &search) == DENT_OK, "a search between clouds");
    }
    return search;
}

dent_inside *fixture_dent_inside(void)
{
    static dent_inside *inside;
    if (!inside) {
        dent_inside_def def = dent_inside_def_default();
        must(dent_inside_create(fixture_dent_context(), &def, &inside) == DENT_OK, "an inside");
    }
    return inside;
}

dent_boxes *fixture_dent_boxes(void)
{
    static const double list[12] = {0, 0, 0, 1, 1, 1, 1, 0, 0, 2, 1, 1};
    static dent_boxes *boxes;
    if (!boxes) {
        must(dent_boxes_create(fixture_dent_context(), NULL, &boxes) == DENT_OK, "boxes");
        must(dent_boxes_update(boxes, dent_box_list_double(list), 2) == DENT_OK, "two boxes");
    }
    return boxes;
}

dent_kinetic *fixture_dent_kinetic(void)
{
    static const double places[6] = {0, 0, 0, 1, 1, 1};
    static const double times[1] = {0};
    static const uint32_t segment[2] = {0, 1};
    static dent_kinetic *tree;
    if (!tree) {
        dent_positions positions = dent_positions_double(places);
        dent_flight_plans plans = {.vertex_count = 2, .key_count = 1, .times = times, .positions = &positions};
        uint32_t element;
        must(dent_kinetic_create(fixture_dent_context(), NULL, &tree) == DENT_OK, "a kinetic tree");
        must(dent_kinetic_set_plans(tree, &plans) == DENT_OK, "two plans");
        must(dent_kinetic_insert(tree, segment, 2, 1, &element) == DENT_OK, "an element");
    }
    return tree;
}

dent_response *fixture_dent_response(void)
{
    static dent_response *response;
    if (!response) {
        response = dent_response_create(fixture_dent_context());
        must(response != NULL, "a response");
    }
    return response;
}

dent_constraints *fixture_dent_constraints(void)
{
    static dent_constraints *constraints;
    if (!constraints) {
        constraints = dent_constraints_create(fixture_dent_context());
        must(constraints != NULL, "a constraint solver");
    }
    return constraints;
}

dent_planner *fixture_dent_planner(void)
{
    static dent_planner *planner;
    if (!planner) {
        dent_planner_def def = dent_planner_def_default();
        def.linkage = fixture_dent_linkage();
        must(dent_planner_create(fixture_dent_context(), &def, &planner) == DENT_OK, "a planner");
    }
    return planner;
}

dent_haptic *fixture_dent_haptic(void)
{
    static dent_haptic *haptic;
    if (!haptic) {
        static const double places[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
        static const uint32_t face[3] = {0, 1, 2};
        dent_haptic_def def = dent_haptic_def_default();
        def.tool.vertex_count = 3;
        def.tool.element_count = 1;
        def.tool.element_corners = face;
        def.tool.positions_t0 = dent_positions_double(places);
        must(dent_haptic_create(fixture_dent_context(), &def, &haptic) == DENT_OK, "a haptic tool");
    }
    return haptic;
}

static const double strand_points[12] = {0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 0, 1};

dent_density *fixture_dent_density(void)
{
    static dent_density *density;
    if (!density) {
        density = dent_density_create(fixture_dent_context());
        must(density != NULL, "a density");
    }
    return density;
}

dent_strand_tracker *fixture_dent_strand_tracker(void)
{
    static const uint32_t first[3] = {0, 2, 4};
    static dent_strand_tracker *tracker;
    if (!tracker) {
        dent_strand_tracker_def def = dent_strand_tracker_def_default();
        def.strand_count = 2;
        def.first = first;
        must(dent_strand_tracker_create(fixture_dent_context(), &def, &tracker) == DENT_OK, "a tracker");
    }
    return tracker;
}

dent_wisp_tree *fixture_dent_wisp_tree(void)
{
    static dent_wisp_tree *tree;
    if (!tree) {
        dent_wisp_tree_def def = dent_wisp_tree_def_default();
        def.strand_count = 2;
        def.row_count = 2;
        def.positions = strand_points;
        must(dent_wisp_tree_create(fixture_dent_context(), &def, &tree) == DENT_OK, "a wisp tree");
    }
    return tree;
}

#ifdef DENT_HAVE_VIEW
static void print_nothing(void *user, const char *line)
{
    (void)user;
    (void)line;
}

dent_view *fixture_dent_view(void)
{
    static dent_view *view;
    if (!view) {
        dent_view_def def = dent_view_def_default();
        def.no_browser = true;
        def.print = print_nothing;
        must(dent_view_create(fixture_dent_world(), &def, &view) == DENT_OK, "a view");
    }
    return view;
}
#endif

dent_scene *fixture_dent_scene(void)
{
    static dent_scene *scene;
    if (!scene) {
        dent_scene_def def = dent_scene_def_default();
        def.name = "teschner-a";
        def.scale = 0.02;
        must(dent_scene_create(fixture_dent_context(), &def, &scene) == DENT_OK, "a scene");
    }
    return scene;
}

dent_sim_scene *fixture_dent_sim_scene(void)
{
    static dent_sim_scene *scene;
    if (!scene) {
        dent_sim_scene_def def = dent_sim_scene_def_default();
        def.name = "fold";
        def.scale = 0.05;
        must(dent_sim_scene_open(fixture_dent_context(), &def, &scene) == DENT_OK, "a simulated scene");
    }
    return scene;
}

dent_sim *fixture_dent_sim(void)
{
    return dent_sim_scene_sim(fixture_dent_sim_scene());
}

dent_sim_linkage *fixture_dent_sim_linkage(void)
{
    static dent_sim_linkage *linkage;
    if (!linkage) {
        static dent_robot_link links[8];
        for (int n = 0; n < 8; n++) {
            links[n] = (dent_robot_link){.mass = 1, .inertia = {1, 0, 0, 1, 0, 1}};
        }
        dent_sim_linkage_def def = dent_sim_linkage_def_default();
        def.linkage = fixture_dent_linkage();
        def.links = links;
        must(dent_linkage_link_count(def.linkage) <= 8, "few links");
        must(dent_sim_linkage_create(fixture_dent_context(), &def, &linkage) == DENT_OK, "a simulated linkage");
    }
    return linkage;
}

const char *const *fixture_names(void)
{
    static const char *const names[] = {"fixture.obj", NULL};
    return names;
}

/* A series of one file, which nobody reads. */
dent_frames *fixture_dent_frames(void)
{
    static dent_frames *frames;
    if (!frames) {
        char path[] = "null_fixture_XXXXXX.obj";
        int descriptor = mkstemps(path, 4);
        must(descriptor >= 0, "a file");
        close(descriptor);
        const char *paths[] = {path};
        dent_status status = dent_frames_open(fixture_dent_context(), 1, paths, &frames);
        unlink(path);
        must(status == DENT_OK, "a series");
    }
    return frames;
}

void *fixture_zeroed(void)
{
    static void *block;
    if (!block) {
        block = calloc(1, 1 << 20);
        must(block != NULL, "a block of zeros");
    }
    return block;
}

double *const *fixture_rows(void)
{
    static double *rows[64];
    for (int n = 0; n < 64; n++) {
        rows[n] = fixture_zeroed();
    }
    return rows;
}

void fixture_block(void *data, uint32_t block, uint32_t worker)
{
    (void)data;
    (void)block;
    (void)worker;
}

dent_status fixture_guarded(void *data)
{
    (void)data;
    return DENT_OK;
}

/* ---- checks, in the process of the call ------------------------------------------------------------------------- */

enum { GOOD = 0, WRONG_STATUS = 10, WRONG_MESSAGE = 11, NOT_ZERO = 12 };

static bool names_both(const char *message, const char *function, const char *parameter)
{
    return strstr(message, function) && strstr(message, parameter);
}

void require_refused(dent_status status, const char *function, const char *parameter, bool with_message)
{
    if (status != DENT_ERROR_INVALID_ARGUMENT) {
        printf("%s(%s = null): status '%s'\n", function, parameter, dent_status_name(status));
        fflush(stdout);
        _exit(WRONG_STATUS);
    }
    char message[1024] = "";
    dent_context_message(fixture_dent_context(), message, sizeof message);
    const char *other = dent_world_message(fixture_dent_world());
    if (with_message && !names_both(message, function, parameter) && !names_both(other, function, parameter)) {
        printf("%s(%s = null): the message is '%s' or '%s'\n", function, parameter, message, other);
        fflush(stdout);
        _exit(WRONG_MESSAGE);
    }
}

void require_nothing(bool nothing)
{
    if (!nothing) {
        _exit(NOT_ZERO);
    }
}

bool is_nothing(const void *pointer)
{
    return !pointer || !*(const char *)pointer;
}

bool is_zero(double value)
{
    return value == 0 || value == (double)UINT32_MAX;
}

/* ---- one process for each call ---------------------------------------------------------------------------------- */

static bool run_case(const struct null_case *one)
{
    fflush(stdout);
    pid_t child = fork();
    if (child < 0) {
        printf("cannot fork\n");
        return false;
    }
    if (child == 0) {
        one->call();
        fflush(stdout);
        _exit(GOOD);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (WIFSIGNALED(status)) {
        printf("%s(%s = null): killed by signal %d\n", one->function, one->parameter, WTERMSIG(status));
    } else if (WEXITSTATUS(status) == NOT_ZERO) {
        printf("%s(%s = null): returns something\n", one->function, one->parameter);
    } else if (WEXITSTATUS(status) != GOOD) {
        printf("%s(%s = null): ended with %d\n", one->function, one->parameter, WEXITSTATUS(status));
    }
    return WIFEXITED(status) && WEXITSTATUS(status) == GOOD;
}

int main(int count, char **arguments)
{
    unsigned failures = 0, run = 0;
    /* Made here once, so that the calls do not each make them anew. */
    fixture_dent_linkage();
    fixture_dent_sim_linkage();
    fixture_dent_embedding();
    fixture_dent_time_critical();
    fixture_dent_schedule();
    fixture_dent_file_writer();
    fixture_dent_neighbours();
    fixture_dent_cloud_search();
    fixture_dent_inside();
    fixture_dent_boxes();
    fixture_dent_kinetic();
    fixture_dent_response();
    fixture_dent_constraints();
    fixture_dent_planner();
    fixture_dent_haptic();
    fixture_dent_scene();
    fixture_dent_sim();
    fixture_dent_frames();
    for (unsigned n = 0; n < null_case_count; n++) {
        if (count < 2 || strcmp(arguments[1], null_cases[n].function) == 0) {
            failures += !run_case(&null_cases[n]);
            run++;
        }
    }
    printf("%u public functions, %u calls with null, %u wrong\n", null_function_count, run, failures);
    return failures || run == 0;
}
