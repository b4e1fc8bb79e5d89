/* A stranger's program, outside the tree: two overlapping tetrahedra, asked about through the installed dent; with
 * OUTSIDE_IO, OUTSIDE_SIM and OUTSIDE_VIEW also the mesh reader, the scenes and the live view. Written in the common part of C and C++: outside.cpp
 * is this same text. Ends with status 0 when every answer is right. */
#include <dent/dent.h>
#ifdef OUTSIDE_IO
#include <dent/mesh_io.h>
#endif
#ifdef OUTSIDE_SIM
#include <dent/scene.h>
#endif
#ifdef OUTSIDE_VIEW
#include <dent/view.h>
#endif

#include <stdio.h>
#include <string.h>

#ifdef OUTSIDE_SAME_NAME
/* The program's own function may have the name of an internal one of dent. */
#ifdef __cplusplus
extern "C" int arena_reset(void);
#else
int arena_reset(void);
#endif
int arena_reset(void)
{
    return 7;
}
#endif

static int add_tetrahedron(dent_world *world, const double *positions)
{
    static const uint32_t corners[4] = {0, 1, 2, 3};
    dent_body_def def = dent_solid_def_default();
    def.vertex_count = 4;
    def.element_count = 1;
    def.element_corners = corners;
    def.positions_t0 = dent_positions_double(positions);
    dent_body_id id;
    return dent_world_add_body(world, &def, &id) == DENT_OK;
}

static int ask(dent_context *context)
{
    static const double first[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    static const double second[12] = {0.125, 0.125, 0.125, 2, 2, 0, 2, 0, 2, 0, 2, 2};
    dent_world *world = dent_world_create(context);
    dent_query_result result;
    int good = 0;
    if (world && add_tetrahedron(world, first) && add_tetrahedron(world, second)) {
        dent_query_def def = dent_query_def_default();
        def.questions = DENT_QUESTION_VERTEX_CELL;
        good = dent_world_query(world, &def, &result) == DENT_OK && result.vertex_cell.count == 1 &&
               result.vertex_cell.pairs[0].body_a == 1 && result.vertex_cell.pairs[0].feature_a == 0;
    }
    dent_world_destroy(world);
    return good;
}

#ifdef OUTSIDE_IO
static int read_mesh(dent_context *context)
{
    static const char text[] = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    dent_mesh *mesh;
    if (dent_mesh_read_memory(context, "triangle.obj", text, strlen(text), NULL, &mesh) != DENT_OK) {
        return 0;
    }
    int good = mesh->body_count == 1 && mesh->bodies[0].element_count == 1;
    dent_mesh_destroy(context, mesh);
    return good;
}
#endif

#ifdef OUTSIDE_VIEW
static void print_nothing(void *user, const char *line)
{
    (void)user;
    (void)line;
}

static int show(dent_context *context)
{
    dent_world *world = dent_world_create(context);
    dent_view *view = NULL;
    dent_view_def def = dent_view_def_default();
    def.no_browser = true;
    def.print = print_nothing;
    int good = dent_view_create(world, &def, &view) == DENT_OK && dent_view_update(view, 0) == DENT_OK &&
               strncmp(dent_view_address(view), "http://127.0.0.1:", 17) == 0;
    dent_view_destroy(view);
    dent_world_destroy(world);
    return good;
}
#endif

int main(void)
{
    if (strcmp(dent_version(), DENT_VERSION_STRING) != 0) {
        printf("version %s, header %s\n", dent_version(), DENT_VERSION_STRING);
        return 1;
    }
#ifdef OUTSIDE_SAME_NAME
    if (arena_reset() != 7) {
        printf("the wrong function of two with the same name was called\n");
        return 1;
    }
#endif
    dent_context *context = dent_context_create(NULL, NULL);
    if (!context || !ask(context)) {
        printf("the answer is wrong\n");
        return 2;
    }
#ifdef OUTSIDE_IO
    if (!read_mesh(context)) {
        printf("the mesh was not read\n");
        return 3;
    }
#endif
#ifdef OUTSIDE_SIM
    if (dent_scene_count() == 0 || !dent_scene_find("teschner-a")) {
        printf("there are no scenes\n");
        return 4;
    }
#endif
#ifdef OUTSIDE_VIEW
    if (!show(context)) {
        printf("the world was not shown\n");
        return 5;
    }
#endif
    dent_context_destroy(context);
    return 0;
}
