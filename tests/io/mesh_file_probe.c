/* The other end of check_with_vtk.py: writes sample files that VTK must read, and prints what dent reads from files
 * that VTK has written.
 *
 *     mesh_file_probe samples FOLDER
 *     mesh_file_probe show FILE            one line per fact; doubles in hexadecimal
 */
#include <dent/mesh_io.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static int fail(dent_context *context)
{
    char message[1024];
    dent_context_message(context, message, sizeof message);
    fprintf(stderr, "%s\n", message);
    return 1;
}

/* ---- samples: check_with_vtk.py knows these numbers -------------------------------------------------------- */

enum { VERTICES = 12 };

static double position(int i)
{
    return i == 5 ? 4.9406564584124654e-324 : i == 7 ? 1.7976931348623157e308 : i == 9 ? -0.0 : (i - 17) / 7.0;
}

static int write_samples(dent_context *context, const char *folder)
{
    static const uint32_t corners[] = {0, 1, 2, 3, 0, 1, 2, 3, 4, 5, 6, 7, 4, 5, 6, 8, 9, 10, 4, 5, 6, 7, 11};
    static const uint8_t kinds[] = {DENT_CELL_TETRAHEDRON, DENT_CELL_HEXAHEDRON, DENT_CELL_WEDGE, DENT_CELL_PYRAMID};
    static const uint32_t triangles[] = {0, 1, 2, 3, 4, 5, 9, 10, 11};
    double positions[3 * VERTICES], vectors[3 * VERTICES], scalars[VERTICES];
    for (int i = 0; i < 3 * VERTICES; i++) {
        positions[i] = position(i);
        vectors[i] = 0.1 * i;
        scalars[i / 3] = 1.0 / (1 + i / 3);
    }
    const dent_mesh_field fields[] = {{"velocity", false, 3, vectors},
                                      {"depth & <\"quoted\"> \xC3\xA9", false, 1, scalars},
                                      {"cell value", true, 1, scalars},
                                      {"cell vector", true, 3, vectors}};
    dent_mesh_view solid = {.kind = DENT_BODY_SOLID,
                            .vertex_count = VERTICES,
                            .positions = positions,
                            .element_count = 4,
                            .element_corners = corners,
                            .cell_kinds = kinds,
                            .field_count = 4,
                            .fields = fields,
                            .name = "t\303\251th <1>"};
    dent_mesh_view surface = {.kind = DENT_BODY_SURFACE,
                              .vertex_count = VERTICES,
                              .positions = positions,
                              .element_count = 3,
                              .element_corners = triangles,
                              .field_count = 4,
                              .fields = fields};
    static const uint32_t lines[6] = {0, 1, 1, 2, 11, 0};
    const dent_mesh_view empty = {.kind = DENT_BODY_SURFACE};
    const dent_collection_entry entries[] = {{0, 0, "solid.vtu"}, {0, 1, "surface.vtp"}, {0.1, 0, "a & b.vtu"}};
    char path[1024];
#define PATH(name) (snprintf(path, sizeof path, "%s/%s", folder, name), path)
    if (dent_mesh_write(context, PATH("solid.vtu"), &solid) ||
        dent_mesh_write(context, PATH("surface.vtu"), &surface) ||
        dent_mesh_write(context, PATH("surface.vtp"), &surface) ||
        dent_mesh_write(context, PATH("empty.vtu"), &empty) || dent_mesh_write(context, PATH("empty.vtp"), &empty) ||
        dent_mesh_write(context, PATH("a & b.vtu"), &surface) ||
        dent_mesh_write(context, PATH("surface.obj"), &surface) ||
        dent_points_write(context, PATH("points.vtp"), VERTICES, positions, 2, fields) ||
        dent_lines_write(context, PATH("lines.vtp"), VERTICES, positions, 3, lines, 4, fields) ||
        dent_collection_write(context, PATH("all.pvd"), 3, entries)) {
        return fail(context);
    }
    return 0;
}

/* ---- show --------------------------------------------------------------------------------------------------- */

static void show_body(const dent_mesh_body *body)
{
    printf("body %s vertices %" PRIu32 " elements %" PRIu32 "\npositions",
           body->kind == DENT_BODY_SOLID ? "solid" : "surface", body->vertex_count, body->element_count);
    for (size_t i = 0; i < 3 * (size_t)body->vertex_count; i++) {
        printf(" %a", body->positions[i]);
    }
    printf("\ncorners");
    for (uint64_t i = 0; i < body->corner_count; i++) {
        printf(" %" PRIu32, body->element_corners[i]);
    }
    printf("\nnumbers");
    for (uint32_t i = 0; i < body->element_count; i++) {
        printf(" %" PRIu32, body->element_numbers ? body->element_numbers[i] : i);
    }
    printf("\n");
}

static int show(dent_context *context, const char *path)
{
    dent_mesh *mesh;
    if (dent_mesh_read(context, path, NULL, &mesh) != DENT_OK) {
        return fail(context);
    }
    printf("format %s\nbodies %" PRIu32 "\n", mesh->format, mesh->body_count);
    for (uint32_t b = 0; b < mesh->body_count; b++) {
        show_body(&mesh->bodies[b]);
    }
    dent_mesh_destroy(context, mesh);
    return 0;
}

int main(int argc, char **argv)
{
    dent_context *context = dent_context_create(NULL, NULL);
    int result = 2;
    if (context && argc == 3 && strcmp(argv[1], "samples") == 0) {
        result = write_samples(context, argv[2]);
    } else if (context && argc == 3 && strcmp(argv[1], "show") == 0) {
        result = show(context, argv[2]);
    } else {
        fprintf(stderr, "usage: mesh_file_probe samples FOLDER | show FILE\n");
    }
    dent_context_destroy(context);
    return result;
}
