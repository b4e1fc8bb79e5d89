/* command_inside.c — `dent inside`: which points are inside a closed surface, one word per point. */
#include "interrupt.h"
#include "json_output.h"
#include "load_world.h"
#include "tool.h"

#include <dent/inside.h>

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE_LIMIT = 4096, POINTS_PER_POLL = 4096 };

/* Positions that grow, three numbers each. */
typedef struct point_list {
    dent_context *context;
    double *xyz;
    size_t count, capacity;
} point_list;

static bool point_list_add(point_list *list, const double *xyz, size_t count)
{
    if (list->count + count > list->capacity) {
        size_t capacity = list->capacity + list->capacity / 2 + count + 64;
        double *grown = dent_reallocate(list->context, list->xyz, 3 * list->capacity, 3 * capacity, sizeof *grown);
        if (grown == NULL) {
            return false;
        }
        list->xyz = grown;
        list->capacity = capacity;
    }
    memcpy(list->xyz + 3 * list->count, xyz, 3 * count * sizeof *xyz);
    list->count += count;
    return true;
}

/* ---- points ---------------------------------------------------------------------------------------------- */

/* "x y z", separated by blanks or commas; what follows is ignored if it is separated too. Empty lines and comments (#)
 * give *empty. */
static bool parse_point(const char *line, double point[3], bool *empty)
{
    const char *at = line + strspn(line, " \t\r\n");
    *empty = *at == '\0' || *at == '#';
    for (int axis = 0; axis < 3 && !*empty; axis++) {
        char *end;
        point[axis] = strtod(at, &end);
        if (end == at || (*end != '\0' && strchr(" \t\r\n,;", *end) == NULL) || !isfinite(point[axis])) {
            return false;
        }
        at = end + strspn(end, " \t\r\n");
        at += *at == ',' || *at == ';';
    }
    return true;
}

static int read_lines(FILE *file, const char *name, point_list *list)
{
    char line[LINE_LIMIT];
    for (unsigned long number = 1; fgets(line, sizeof line, file) != NULL; number++) {
        double point[3];
        bool empty;
        if (strlen(line) + 1 == sizeof line && line[sizeof line - 2] != '\n') {
            return complain("%s: line %lu is longer than %d characters", name, number, LINE_LIMIT - 2);
        }
        if (!parse_point(line, point, &empty)) {
            return complain("%s: line %lu: expected three finite numbers x y z", name, number);
        }
        if (!empty && !point_list_add(list, point, 1)) {
            return complain("%s: out of memory", name);
        }
        if (number % POINTS_PER_POLL == 0 && interrupt_seen()) {
            return interrupt_report();
        }
    }
    return ferror(file) ? complain("%s: %s", name, strerror(errno)) : STATUS_GOOD;
}

static int read_text(const char *name, point_list *list)
{
    if (strcmp(name, "-") == 0) {
        return read_lines(stdin, "standard input", list);
    }
    FILE *file = fopen(name, "r");
    if (file == NULL) {
        return complain("%s: %s", name, strerror(errno));
    }
    int status = read_lines(file, name, list);
    fclose(file);
    return status;
}

/* All vertices of a file of points or of a mesh. */
static int read_cloud(tool_session *session, const char *name, point_list *list)
{
    dent_mesh *mesh = NULL;
    dent_status status = dent_mesh_read(session->context, name, NULL, &mesh);
    session_forget_notices(session);
    if (status != DENT_OK) {
        const char *message = session_message(session, status);
        return strstr(message, name) != NULL ? complain("%s", message) : complain("%s: %s", name, message);
    }
    bool complete = true;
    for (uint32_t i = 0; i < mesh->body_count && complete; i++) {
        complete = point_list_add(list, mesh->bodies[i].positions, mesh->bodies[i].vertex_count);
    }
    dent_mesh_destroy(session->context, mesh);
    return complete ? STATUS_GOOD : complain("%s: out of memory", name);
}

static bool names_text(const char *name)
{
    const char *dot = strrchr(name, '.'), *slash = strrchr(name, '/');
    return dot == NULL || (slash != NULL && dot < slash) || strcmp(dot, ".txt") == 0 ||
           strcmp(dot, ".dat") == 0;
}

static int read_points(tool_session *session, const char *name, point_list *list)
{
    progress_begin(&session->progress, "reading the points", 0);
    interrupt_at_once(true);
    int status = names_text(name) ? read_text(name, list) : read_cloud(session, name, list);
    interrupt_at_once(false);
    progress_end(&session->progress);
    if (status == STATUS_GOOD && list->count >= UINT32_MAX) {
        return complain("%s: %zu points are too many", name, list->count);
    }
    return status;
}

/* ---- the surface ----------------------------------------------------------------------------------------- */

/* The surface faces of all bodies together. */
typedef struct surface_copy {
    point_list vertices;
    uint32_t *corners;
    size_t face_count;
} surface_copy;

static int copy_surface(tool_session *session, const loaded_world *loaded, surface_copy *surface)
{
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        uint32_t faces;
        dent_body_surface_faces(loaded->world, loaded->bodies[i].id, &faces);
        surface->face_count += faces;
    }
    surface->corners = dent_allocate(session->context, 3 * surface->face_count, sizeof *surface->corners);
    uint32_t *to = surface->corners;
    for (uint32_t i = 0; i < loaded->body_count && to != NULL; i++) {
        const loaded_body *body = &loaded->bodies[i];
        uint32_t first = (uint32_t)surface->vertices.count, faces;
        const dent_surface_face *face = dent_body_surface_faces(loaded->world, body->id, &faces);
        for (uint32_t k = 0; k < 3 * faces; k++) {
            *to++ = first + face[k / 3].corners[k % 3];
        }
        to = point_list_add(&surface->vertices, body->positions, body->vertex_count) ? to : NULL;
    }
    return to != NULL ? STATUS_GOOD : complain("inside: out of memory");
}

static int refuse_open_bodies(const loaded_world *loaded)
{
    for (uint32_t i = 0; i < loaded->body_count; i++) {
        dent_body_topology topology;
        if (dent_body_get_topology(loaded->world, loaded->bodies[i].id, &topology) != DENT_OK) {
            return complain("inside: %s", dent_world_message(loaded->world));
        }
        if (topology.surface_face_count == 0) {
            return complain("inside: body %u (%s) has no faces", i, loaded->bodies[i].name);
        }
        if (!topology.surface_closed && topology.boundary_edges == 0) {
            return complain("inside: body %u (%s) is not closed: at some edge more faces run one way than the other", i,
                            loaded->bodies[i].name);
        }
        if (!topology.surface_closed) {
            return complain("inside: body %u (%s) is not closed: %u edges have one face", i, loaded->bodies[i].name,
                            topology.boundary_edges);
        }
    }
    return loaded->body_count > 0 ? STATUS_GOOD : complain("inside: the mesh has no bodies");
}

/* ---- the answer ------------------------------------------------------------------------------------------ */

static void print_places(tool_session *session, const uint8_t *places, size_t count)
{
    bool json = options_have(session->options, OPTION_JSON);
    progress_begin(&session->progress, "printing", count);
    for (size_t i = 0; i < count; i++) {
        if (i % POINTS_PER_POLL == 0) {
            progress_set(&session->progress, i, count);
            if (interrupt_seen() || printer_failed(session->out)) {
                break;
            }
        }
        const char *word = dent_place_name((dent_place)places[i]);
        if (json) {
            json_line line = json_line_begin(session->out);
            json_line_integer(&line, "point", i);
            json_line_string(&line, "place", word);
            json_line_end(&line);
        } else {
            printer_text(session->out, word);
            printer_text(session->out, "\n");
        }
    }
    printer_flush(session->out);
    progress_end(&session->progress);
}

static void print_statistics(const dent_inside *inside, const uint8_t *places, size_t count, const uint64_t ns[2])
{
    size_t counts[3] = {0};
    dent_inside_info info;
    dent_inside_get_info(inside, &info);
    for (size_t i = 0; i < count; i++) {
        counts[places[i]]++;
    }
    remark("%zu in, %zu out, %zu on; %u triangles, method %s, %.3f ms to prepare, %.3f ms to ask", counts[DENT_PLACE_IN],
           counts[DENT_PLACE_OUT], counts[DENT_PLACE_ON], info.triangle_count, dent_inside_method_name(info.method),
           (double)ns[0] * 1e-6, (double)ns[1] * 1e-6);
    remark("BSP tree: %u nodes, %u of them triangle planes, %u leaves, %u open, depth %u; %llu bytes, %llu exact tests",
           info.bsp_nodes, info.bsp_planes, info.bsp_leaves, info.bsp_open_leaves, info.bsp_depth,
           (unsigned long long)info.bytes, (unsigned long long)info.exact_tests);
}

/* AUTO builds a BSP tree for the second call; this is the only one. */
static dent_inside_method method_for(const tool_options *options, size_t points, size_t triangles)
{
    bool many = points > 100000 && points / 20 > triangles;
    return options->inside_method != DENT_INSIDE_AUTO ? options->inside_method : many ? DENT_INSIDE_BSP : DENT_INSIDE_WINDING;
}

static int classify(tool_session *session, const surface_copy *surface, const point_list *points)
{
    dent_context *context = session->context;
    dent_inside_def def = dent_inside_def_default();
    def.positions = dent_positions_double(surface->vertices.xyz);
    def.vertex_count = (uint32_t)surface->vertices.count;
    def.triangles = surface->corners;
    def.triangle_count = (uint32_t)surface->face_count;
    def.method = method_for(session->options, points->count, surface->face_count);
    dent_inside *inside = NULL;
    uint8_t *places = dent_allocate(context, points->count, sizeof *places);
    uint64_t began = dent_clock_ns(), ns[2] = {0, 0};
    progress_begin(&session->progress, "classifying", 0);
    dent_status status = places != NULL ? dent_inside_create(context, &def, &inside) : DENT_ERROR_OUT_OF_MEMORY;
    ns[0] = dent_clock_ns() - began;
    if (status == DENT_OK) {
        status = dent_inside_classify(inside, dent_positions_double(points->xyz), (uint32_t)points->count, places);
        ns[1] = dent_clock_ns() - began - ns[0];
    }
    progress_end(&session->progress);
    int result = status == DENT_OK ? STATUS_GOOD : complain("inside: %s", session_message(session, status));
    if (result == STATUS_GOOD) {
        print_places(session, places, points->count);
        result = interrupt_seen() ? interrupt_report() : STATUS_GOOD;
        if (options_have(session->options, OPTION_STATS)) {
            print_statistics(inside, places, points->count, ns);
        }
    }
    dent_inside_destroy(inside);
    dent_release(context, places, points->count, sizeof *places);
    return result;
}

static int inside_of_mesh(tool_session *session, loaded_world *loaded)
{
    point_list points = {.context = session->context};
    surface_copy surface = {.vertices = {.context = session->context}};
    int status = loaded_world_add(session, loaded, session->options->arguments[0]);
    if (status == STATUS_GOOD) {
        session_print_notices(session);
        status = refuse_open_bodies(loaded);
    }
    status = status == STATUS_GOOD ? read_points(session, session->options->arguments[1], &points) : status;
    status = status == STATUS_GOOD ? copy_surface(session, loaded, &surface) : status;
    status = status == STATUS_GOOD ? classify(session, &surface, &points) : status;
    dent_release(session->context, surface.corners, 3 * surface.face_count, sizeof *surface.corners);
    dent_release(session->context, surface.vertices.xyz, 3 * surface.vertices.capacity, sizeof(double));
    dent_release(session->context, points.xyz, 3 * points.capacity, sizeof(double));
    return status;
}

static int run_inside(const tool_options *options, printer *out)
{
    tool_session session;
    loaded_world loaded;
    int status = session_open(&session, options, out);
    if (status != STATUS_GOOD) {
        return status;
    }
    status = loaded_world_open(&session, &loaded);
    if (status == STATUS_GOOD) {
        status = inside_of_mesh(&session, &loaded);
        loaded_world_close(&session, &loaded);
    }
    session_close(&session);
    return status;
}

const tool_command command_inside_row = {
    .name = "inside",
    .summary = "which points are inside a closed surface: in, out or on",
    .arguments = "[OPTION...] MESH POINTS",
    .details = "MESH is a mesh or a scene with closed surfaces, or solids, whose surface counts. Several bodies\n"
               "count together. POINTS is a file of points, a mesh, whose vertices count, or text (.txt, .dat\n"
               "or no ending; - is standard input) with x y z on each line.\n"
               "\n"
               "One line per point: on if it lies on a face, in if the surface winds around it (winding number\n"
               "other than 0), else out. The result is exact and the same for every method, thread count and\n"
               "instruction set. A mesh that is not closed is an error. Exit status: 0, or 2 for an error.\n"
               "\n"
               "JSON keys, one object per point: point place.\n",
    .option_bits = OPTION_BIT(OPTION_INSIDE_METHOD) | OPTIONS_OF_MACHINE | OPTION_BIT(OPTION_MEMORY_LIMIT) |
                   OPTION_BIT(OPTION_MERGE) | OPTIONS_OF_SCENES | OPTION_BIT(OPTION_STATS) | OPTION_BIT(OPTION_JSON),
    .argument_min = 2,
    .argument_max = 2,
    .run = run_inside,
};
