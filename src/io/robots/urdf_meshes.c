/* From the mesh files and shapes of a link to one surface.
 *
 * package://NAME/REST is looked for as NAME/REST and as REST under every folder given with --package-path, then under
 * the folder of the URDF file and every folder above it; model:// the same. file:///PATH is that path. Any other name
 * is relative to the URDF file, or absolute. Mesh positions are scaled, then turned and moved by the shape's origin, in
 * double arithmetic in one fixed order; a scale that mirrors turns the triangles round. */
#include "urdf_meshes.h"

#include "io/bytes/file_bytes.h"
#include "io/formats/reader_table.h"
#include "urdf_origin.h"

#include <dent/mesh_io.h>

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- finding files --------------------------------------------------------------------------------------------- */

void urdf_places_init(struct urdf_search_path *places, const char *path, const dent_robot_read_def *def)
{
    places->folder[0] = 0;
    places->package_path_count = def->package_path_count;
    places->package_paths = def->package_paths;
    /* Made absolute, so that the folders above the current one are looked at too. */
    char from[URDF_PATH_MAX], current[URDF_PATH_MAX / 2];
    int length;
    if (path && path[0] != '/' && getcwd(current, sizeof current)) {
        length = snprintf(from, sizeof from, "%s/%s", current, path);
    } else {
        length = snprintf(from, sizeof from, "%s", path ? path : "./");
    }
    const char *slash = length > 0 && (size_t)length < sizeof from ? strrchr(from, '/') : NULL;
    if (!slash) {
        snprintf(places->folder, sizeof places->folder, ".");
        return;
    }
    memcpy(places->folder, from, (size_t)(slash - from));
    places->folder[slash - from] = 0;
}

/* The first place that is tried is kept in `found` when none has the file. */
static bool try_file(const char *folder, size_t folder_length, const char *rest, bool *is_first,
                     char found[URDF_PATH_MAX])
{
    char path[URDF_PATH_MAX];
    int length = snprintf(path, sizeof path, "%.*s/%s", (int)folder_length, folder, rest);
    if (length < 0 || (size_t)length >= sizeof path) {
        return false;
    }
    bool exists = file_exists(path);
    if (exists || *is_first) {
        memcpy(found, path, (size_t)length + 1);
        *is_first = false;
    }
    return exists;
}

/* `name` is PACKAGE/REST: as it is, and without its first part. */
static bool try_package(const char *folder, size_t folder_length, const char *name, bool *is_first,
                        char found[URDF_PATH_MAX])
{
    const char *slash = strchr(name, '/');
    return try_file(folder, folder_length, name, is_first, found) ||
           (slash && slash[1] && try_file(folder, folder_length, slash + 1, is_first, found));
}

static bool find_in_packages(const struct urdf_search_path *places, const char *name, char found[URDF_PATH_MAX])
{
    bool is_first = true;
    for (uint32_t i = 0; i < places->package_path_count; i++) {
        if (try_package(places->package_paths[i], strlen(places->package_paths[i]), name, &is_first, found)) {
            return true;
        }
    }
    const char *folder = places->folder;
    for (size_t length = strlen(folder); length > 0; length--) {
        bool is_whole_name = folder[length] == 0 || folder[length] == '/';
        if (is_whole_name && try_package(folder, length, name, &is_first, found)) {
            return true;
        }
    }
    return try_package("", 0, name, &is_first, found);
}

/* The file that `name`, as written in the URDF file, stands for. False: there is none; then `found` has the first place
 * that was looked at. */
static bool urdf_find_file(const struct urdf_search_path *places, const char *name, char found[URDF_PATH_MAX])
{
    snprintf(found, URDF_PATH_MAX, "%s", name);
    if (strncmp(name, "package://", 10) == 0) {
        return find_in_packages(places, name + 10, found);
    }
    if (strncmp(name, "model://", 8) == 0) {
        return find_in_packages(places, name + 8, found);
    }
    if (strncmp(name, "file://", 7) == 0) {
        snprintf(found, URDF_PATH_MAX, "%s", name + 7);
        return file_exists(found);
    }
    if (name[0] == '/') {
        return file_exists(name);
    }
    bool is_first = true;
    return try_file(places->folder, strlen(places->folder), name, &is_first, found);
}

void urdf_note_visual_meshes(dent_context *context, const char *file, const struct urdf_document *document,
                             const struct urdf_search_path *places)
{
    const struct urdf_geometry *shapes = document->shapes.data;
    uint64_t missing = 0;
    const char *example = NULL;
    for (size_t i = 0; i < document->shapes.count; i++) {
        char found[URDF_PATH_MAX];
        if (shapes[i].is_visual && !urdf_find_file(places, shapes[i].file, found)) {
            example = example ? example : shapes[i].file;
            missing++;
        }
    }
    if (missing > 0) {
        dent_log_line(context, DENT_LOG_NOTICE, "%s: %llu visual mesh%s not there (%.200s), which does not matter here",
                      file, (unsigned long long)missing, missing == 1 ? " is" : "es are", example);
    }
}

/* ---- surfaces -------------------------------------------------------------------------------------------------- */

/* Puts file, line and link before the message of a failing call. */
static dent_status fail_in_shape(dent_context *context, const char *file, const struct urdf_geometry *shape,
                                 const char *link, dent_status status)
{
    char message[900];
    dent_context_message(context, message, sizeof message);
    return dent_fail(context, status, "%s:%llu: link '%s': %s", file, (unsigned long long)shape->line, link, message);
}

/* The vertices from `first` on: scaled, turned, moved. False: one of them is no longer finite. */
static bool place_vertices(struct link_surface *surface, uint32_t first, const double scale[3],
                           const struct urdf_origin *origin)
{
    struct urdf_placement placement = urdf_placement_of(origin);
    double(*positions)[3] = surface->positions.data;
    bool finite = true;
    for (uint32_t v = first; v < link_surface_vertices(surface); v++) {
        for (int i = 0; i < 3; i++) {
            positions[v][i] *= scale[i];
        }
        urdf_placement_apply(&placement, positions[v]);
        finite = finite && isfinite(positions[v][0]) && isfinite(positions[v][1]) && isfinite(positions[v][2]);
    }
    return finite;
}

static dent_status append_mesh(dent_context *context, const dent_mesh_body *body, bool mirrored,
                               struct link_surface *surface)
{
    uint32_t first = link_surface_vertices(surface);
    if (body->kind != DENT_BODY_SURFACE) {
        return dent_fail(context, DENT_ERROR_UNSUPPORTED, "%s is %s; collision meshes are surfaces", body->name,
                         dent_body_kind_has_cells(body->kind)   ? "a solid"
                         : body->kind == DENT_BODY_POINTS ? "made of points"
                                                          : "made of strands");
    }
    if (body->vertex_count > UINT32_MAX - 1 - first ||
        body->element_count > UINT32_MAX - 1 - surface->triangles.count) {
        return dent_fail(context, DENT_ERROR_TOO_LARGE, "more vertices or triangles than 32 bits can number");
    }
    double *positions = array_extend(&surface->positions, body->vertex_count);
    uint32_t(*triangles)[3] = array_extend(&surface->triangles, body->element_count);
    if (!positions || !triangles) {
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    memcpy(positions, body->positions, (size_t)body->vertex_count * 3 * sizeof *positions);
    for (uint32_t t = 0; t < body->element_count; t++) {
        const uint32_t *corners = body->element_corners + 3 * (size_t)t;
        triangles[t][0] = first + corners[0];
        triangles[t][1] = first + corners[mirrored ? 2 : 1];
        triangles[t][2] = first + corners[mirrored ? 1 : 2];
    }
    return DENT_OK;
}

/* One mesh file, not yet placed. */
static dent_status add_mesh(struct read_scope *scope, const struct urdf_geometry *shape,
                            const struct urdf_search_path *places, const dent_robot_read_def *def,
                            struct link_surface *surface)
{
    dent_context *context = scope->context;
    char path[URDF_PATH_MAX];
    if (!urdf_find_file(places, shape->file, path)) {
        if (def->skip_missing_meshes) {
            dent_log_line(context, DENT_LOG_WARNING, "collision mesh %.500s is not there, and was left out",
                          shape->file);
            return DENT_OK;
        }
        return dent_fail(
            context, DENT_ERROR_FILE, "collision mesh %.400s is not there (looked for %.400s%s)", shape->file, path,
            strncmp(shape->file, "package://", 10) == 0 ? " and elsewhere; a package path would help" : "");
    }
    dent_mesh_read_def read = dent_mesh_read_def_default();
    read.merge = true;
    read.regular_only = true;
    dent_mesh *mesh = NULL;
    dent_status status = mesh_read_within(scope, path, &read, &mesh);
    for (uint32_t b = 0; status == DENT_OK && b < mesh->body_count; b++) {
        status = append_mesh(context, &mesh->bodies[b], shape->size[0] * shape->size[1] * shape->size[2] < 0, surface);
    }
    dent_mesh_destroy(context, mesh);
    return status;
}

/* One shape of a link, placed. */
static dent_status add_shape(struct read_scope *scope, const struct urdf_geometry *shape,
                             const struct urdf_search_path *places, const dent_robot_read_def *def,
                             struct link_surface *surface)
{
    dent_context *context = scope->context;
    static const double unit_scale[3] = {1, 1, 1};
    bool is_mesh = shape->shape == URDF_SHAPE_MESH;
    uint32_t first = link_surface_vertices(surface);
    dent_status status = DENT_OK;
    if (is_mesh && !def->no_mesh_files) {
        status = add_mesh(scope, shape, places, def, surface);
    } else if (!is_mesh && !link_surface_add_shape(surface, shape->shape, shape->size)) {
        status = dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "out of memory");
    }
    if (status == DENT_OK && !place_vertices(surface, first, is_mesh ? shape->size : unit_scale, &shape->origin)) {
        status = dent_fail(context, DENT_ERROR_BAD_NUMBER, "a collision shape reaches beyond the largest double");
    }
    return status;
}

dent_status urdf_build_link(struct read_scope *scope, const char *file, const struct urdf_document *document,
                            uint32_t link, size_t *next_shape, const struct urdf_search_path *places,
                            const dent_robot_read_def *def, struct link_surface *surface)
{
    const struct urdf_geometry *shapes = document->shapes.data;
    const struct urdf_link *links = document->links.data;
    for (; *next_shape < document->shapes.count && shapes[*next_shape].link == link; ++*next_shape) {
        const struct urdf_geometry *shape = &shapes[*next_shape];
        dent_status status = shape->is_visual ? DENT_OK : add_shape(scope, shape, places, def, surface);
        if (status != DENT_OK) {
            return fail_in_shape(scope->context, file, shape, links[link].name, status);
        }
    }
    return DENT_OK;
}
