/* command_info.c — `dent info`: what is in these files? Counts, bounds, quality, and everything a solver may stumble
 * over.
 *
 * Files are read one after the other, each into a world of its own, so a file that cannot be read costs the others
 * nothing. */
#include "ccd_motion.h"
#include "info_robot.h"
#include "robot_input.h"
#include "interrupt.h"
#include "json_output.h"
#include "load_world.h"
#include "tool.h"

#include <dent/neighbours.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct body_facts {
    uint32_t number; /* over all files */
    const char *file;
    const loaded_body *body;
    dent_body_topology topology;
    dent_body_metrics measure;
    uint64_t cells, faces;
    double spacing; /* points */
    uint64_t coincident;
    uint32_t frames; /* of the series it is the first of; 0: none */
} body_facts;

/* ---- counting all faces of a solid ----------------------------------------------------------------------- */

typedef struct face_key {
    uint32_t corners[3]; /* sorted */
} face_key;

static int compare_keys(const void *left, const void *right)
{
    const face_key *a = left, *b = right;
    for (int i = 0; i < 3; i++) {
        if (a->corners[i] != b->corners[i]) {
            return a->corners[i] < b->corners[i] ? -1 : 1;
        }
    }
    return 0;
}

static face_key sorted_face(const uint32_t *tetrahedron, unsigned left_out)
{
    face_key key;
    unsigned used = 0;
    for (unsigned i = 0; i < 4; i++) {
        if (i != left_out) {
            unsigned at = used++;
            for (; at > 0 && key.corners[at - 1] > tetrahedron[i]; at--) {
                key.corners[at] = key.corners[at - 1];
            }
            key.corners[at] = tetrahedron[i];
        }
    }
    return key;
}

/* Distinct faces of the tetrahedra. When no face has more than two cells this is plain counting; otherwise they are
 * sorted. */
static bool count_faces(tool_session *session, const loaded_world *loaded, const body_facts *facts, uint64_t *faces)
{
    uint32_t count;
    const uint32_t *corners = dent_body_tetrahedra(loaded->world, facts->body->id, &count, NULL);
    uint64_t sides = 4 * (uint64_t)count;
    if (facts->topology.nonmanifold_faces == 0) {
        *faces = (sides + facts->topology.surface_face_count) / 2;
        return true;
    }
    face_key *keys = dent_allocate(session->context, (size_t)sides, sizeof *keys);
    if (keys == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < sides; i++) {
        keys[i] = sorted_face(corners + i / 4 * 4, (unsigned)(i % 4));
    }
    qsort(keys, (size_t)sides, sizeof *keys, compare_keys);
    *faces = sides > 0;
    for (uint64_t i = 1; i < sides; i++) {
        *faces += compare_keys(&keys[i - 1], &keys[i]) != 0;
    }
    dent_release(session->context, keys, (size_t)sides, sizeof *keys);
    return true;
}

/* ---- how far points lie apart ------------------------------------------------------------------------------ */

static int compare_numbers(const void *left, const void *right)
{
    const double *a = left, *b = right;
    return (*a > *b) - (*a < *b);
}

/* The side of the square that a point of a surface has to itself, if its eight nearest others lie in a disc: the median
 * over the points. Points at the place of another are counted. */
static dent_status measure_spacing(tool_session *session, body_facts *facts)
{
    enum { NEAREST = 8 };
    uint32_t count = facts->body->vertex_count, k = count > NEAREST ? NEAREST : count - 1;
    if (count < 2) {
        return DENT_OK;
    }
    dent_neighbours *points = NULL;
    size_t total = (size_t)count * k;
    double *squares = dent_allocate(session->context, total, sizeof *squares);
    dent_status status = squares == NULL ? DENT_ERROR_OUT_OF_MEMORY
                                         : dent_neighbours_create(session->context,
                                                                  dent_positions_double(facts->body->positions), count, &points);
    dent_neighbours_query query = dent_neighbours_query_default();
    query.nearest = k;
    query.skip_self = true;
    status = status == DENT_OK ? dent_neighbours_nearest(points, &query, NULL, squares, NULL) : status;
    if (status == DENT_OK) {
        for (uint32_t i = 0; i < count; i++) {
            facts->coincident += squares[(size_t)i * k] == 0;
            squares[i] = squares[(size_t)i * k + k - 1];
        }
        qsort(squares, count, sizeof *squares, compare_numbers);
        facts->spacing = sqrt(squares[count / 2]) * sqrt(3.14159265358979323846 / k);
    }
    dent_neighbours_destroy(points);
    dent_release(session->context, squares, total, sizeof *squares);
    return status;
}

/* ---- printing -------------------------------------------------------------------------------------------- */

static void print_json(printer *out, const body_facts *facts)
{
    const dent_body_topology *topology = &facts->topology;
    const dent_body_metrics *measure = &facts->measure;
    json_line line = json_line_begin(out);
    json_line_string(&line, "file", facts->file);
    json_line_integer(&line, "body", facts->number);
    json_line_string(&line, "kind", dent_body_kind_get_info(topology->kind)->name);
    json_line_integer(&line, "vertices", topology->vertex_count);
    json_line_integer(&line, "cells", facts->cells);
    json_line_integer(&line, "faces", facts->faces);
    json_line_integer(&line, "surface_faces", topology->surface_face_count);
    json_line_integer(&line, "edges", topology->edge_count);
    json_line_integer(&line, "components", topology->component_count);
    json_line_integer(&line, "boundary_edges", topology->boundary_edges);
    json_line_integer(&line, "nonmanifold_edges", topology->nonmanifold_edges);
    json_line_integer(&line, "inverted", measure->inverted_cells);
    json_line_integer(&line, "flat", measure->flat_cells);
    json_line_integer(&line, "unused", topology->unused_vertices);
    json_line_integer(&line, "duplicate", topology->duplicate_elements);
    json_line_number(&line, "min_quality", measure->min_quality);
    static const char *const bound_keys[6] = {"lo_x", "lo_y", "lo_z", "hi_x", "hi_y", "hi_z"};
    for (int i = 0; i < 6; i++) {
        json_line_number(&line, bound_keys[i], i < 3 ? measure->lo[i] : measure->hi[i - 3]);
    }
    if (topology->kind == DENT_BODY_POINTS) {
        json_line_number(&line, "spacing", facts->spacing);
        json_line_integer(&line, "coincident", facts->coincident);
    }
    if (facts->frames > 0) {
        json_line_integer(&line, "frames", facts->frames);
    }
    json_line_end(&line);
}

/* Position in the file of a body's own number. */
static uint32_t in_file(const uint32_t *numbers, uint32_t own)
{
    return numbers != NULL ? numbers[own] : own;
}

static void print_first(printer *out, const char *what, const uint32_t *numbers, uint32_t first)
{
    if (first != UINT32_MAX) {
        printer_format(out, "      first %s: %u\n", what, in_file(numbers, first));
    }
}

static void print_row(printer *out, const char *left, uint64_t left_count, const char *right, uint64_t right_count)
{
    printer_format(out, "    %-14s %10llu    %-14s %10llu\n", left, (unsigned long long)left_count, right,
                   (unsigned long long)right_count);
}

/* Strands have segments and nothing else. */
static void print_strands(printer *out, const dent_body_topology *topology, const dent_body_metrics *measure)
{
    print_row(out, "segments", topology->element_count, "of zero length", measure->flat_cells);
    printer_format(out, "    %-14s %10llu    %-14s %10.4g\n", "strands", (unsigned long long)topology->component_count,
                   "mean segment", measure->mean_edge);
}

static void print_elements(printer *out, const body_facts *facts, bool solid)
{
    const dent_body_topology *topology = &facts->topology;
    const dent_body_metrics *measure = &facts->measure;
    print_row(out, solid ? "cells" : "triangles", topology->element_count, "duplicate", topology->duplicate_elements);
    print_row(out, "inverted", measure->inverted_cells, "flat", measure->flat_cells);
    if (solid) {
        print_row(out, "faces", facts->faces, "surface faces", topology->surface_face_count);
    }
    print_row(out, "edges", topology->edge_count, "components", topology->component_count);
    print_row(out, "boundary edges", topology->boundary_edges, "non-manifold", topology->nonmanifold_edges);
    printer_format(out, "    %-14s %10.3g    %-14s %10.4g\n", "min quality", measure->min_quality, "mean edge",
                   measure->mean_edge);
    printer_format(out, "    %-14s %10.4g", "surface area", measure->area);
    if (solid) {
        printer_format(out, "    %-14s %10.4g", "volume", measure->volume);
    }
    printer_text(out, "\n");
}

static void print_table(printer *out, const body_facts *facts)
{
    const dent_body_topology *topology = &facts->topology;
    const dent_body_metrics *measure = &facts->measure;
    const loaded_body *body = facts->body;
    const dent_body_kind_info *kind = dent_body_kind_get_info(topology->kind);
    bool solid = kind->has_cells, strands = topology->kind == DENT_BODY_STRANDS,
         points = topology->kind == DENT_BODY_POINTS;
    printer_format(out, "  body %u  ", facts->number);
    printer_name(out, body->name);
    printer_format(out, "  (%s%s)\n", kind->name,
                   strands || points          ? ""
                   : solid                    ? measure->mirrored ? ", mirrored: all cells negative" : ""
                   : topology->surface_closed ? ", closed"
                                              : ", open");
    if (points) {
        print_row(out, "points", topology->vertex_count, "coincident", facts->coincident);
        printer_format(out, "    %-14s %10.4g\n", "spacing", facts->spacing);
    } else {
        print_row(out, "vertices", topology->vertex_count, "unused", topology->unused_vertices);
    }
    if (strands) {
        print_strands(out, topology, measure);
    } else if (!points) {
        print_elements(out, facts, solid);
    }
    for (int i = 0; i < 3; i++) {
        printer_format(out, "    %-14s %.9g ... %.9g\n",
                       i == 0   ? "bounds x"
                       : i == 1 ? "       y"
                                : "       z",
                       measure->lo[i], measure->hi[i]);
    }
    print_first(out, "inverted cell", body->element_numbers, measure->first_inverted_cell);
    print_first(out,
                strands ? "segment of zero length"
                : solid ? "flat cell"
                        : "flat triangle",
                body->element_numbers, measure->first_flat_cell);
    print_first(out, "unused vertex", body->vertex_numbers, topology->first_unused_vertex);
    print_first(out, "duplicate element", body->element_numbers, topology->first_duplicate_element);
    print_first(out, "element at a non-manifold place", body->element_numbers, topology->first_nonmanifold_element);
}

/* "anim.tar.xz: 251 frames, 0 to 250; the first is" */
static void print_frames(printer *out, const char *name, const dent_frames *frames)
{
    uint32_t count = dent_frames_count(frames);
    printer_name(out, name);
    printer_format(out, ": %u frame%s, number%s %llu", count, count == 1 ? "" : "s", count == 1 ? "" : "s",
                   (unsigned long long)dent_frame_number(frames, 0));
    if (count > 1) {
        printer_format(out, " to %llu", (unsigned long long)dent_frame_number(frames, count - 1));
        if (dent_frame_number(frames, count - 1) - dent_frame_number(frames, 0) != count - 1) {
            printer_text(out, " with gaps");
        }
    }
    printer_text(out, "; the first is\n");
}

static void print_input(tool_session *session, const loaded_world *loaded, const dent_frames *frames)
{
    printer *out = session->out;
    const loaded_input *input = &loaded->inputs[0];
    if (frames != NULL) {
        print_frames(out, input->name, frames);
    }
    printer_name(out, frames != NULL ? dent_frame_name(frames, 0) : input->name);
    printer_format(out, ": %s, %u %s\n", input->mesh != NULL         ? input->mesh->format
                   : input->simulation != NULL ? "simulated scene"
                                               : "built-in scene",
                   input->body_count, input->body_count == 1 ? "body" : "bodies");
    uint32_t group_count = input->mesh != NULL ? input->mesh->group_count : 0;
    for (uint32_t i = 0; i < group_count; i++) {
        const dent_mesh_group *group = &input->mesh->groups[i];
        static const char *const shapes[5] = {"elements", "points", "edges", "triangles", "quads"};
        printer_text(out, "  group ");
        printer_name(out, group->name);
        printer_format(out, "  (%u %s, tag %d)\n", group->element_count,
                       shapes[group->corners_per_element < 5 ? group->corners_per_element : 0], (int)group->tag);
    }
}

/* ---- one file after the other ---------------------------------------------------------------- */

static int inform_about_body(tool_session *session, const loaded_world *loaded, const dent_frames *frames,
                             uint32_t body_index, uint32_t number)
{
    body_facts facts;
    memset(&facts, 0, sizeof facts);
    facts.number = number;
    facts.body = &loaded->bodies[body_index];
    facts.file = loaded->inputs[facts.body->input].name;
    facts.frames = frames != NULL ? dent_frames_count(frames) : 0;
    dent_status status = dent_body_get_topology(loaded->world, facts.body->id, &facts.topology);
    if (status == DENT_OK) {
        status = dent_body_get_metrics(loaded->world, facts.body->id, &facts.measure);
    }
    if (status != DENT_OK) {
        return complain("%s: %s", facts.file, dent_world_message(loaded->world));
    }
    bool solid = dent_body_kind_has_cells(facts.topology.kind);
    facts.cells = solid ? facts.topology.element_count : 0;
    bool thin = dent_body_kind_get_info(facts.topology.kind)->dimension < 2;
    facts.faces = thin ? 0 : facts.topology.element_count;
    if (solid && !count_faces(session, loaded, &facts, &facts.faces)) {
        return complain("%s: out of memory", facts.file);
    }
    if (facts.topology.kind == DENT_BODY_POINTS && measure_spacing(session, &facts) != DENT_OK) {
        return complain("%s: out of memory", facts.file);
    }
    if (options_have(session->options, OPTION_JSON)) {
        print_json(session->out, &facts);
    } else {
        print_table(session->out, &facts);
    }
    return STATUS_GOOD;
}

static int inform_about_input(tool_session *session, const char *name, uint32_t *number)
{
    loaded_world loaded;
    dent_frames *frames = NULL;
    int status = loaded_world_open(session, &loaded);
    if (status == STATUS_GOOD && dent_path_is_series(name)) {
        status = open_frames(session, 1, &name, &frames);
    }
    if (status == STATUS_GOOD) {
        status = loaded_world_add_frame(session, &loaded, name, frames, 0);
    }
    if (status == STATUS_GOOD && !options_have(session->options, OPTION_JSON)) {
        print_input(session, &loaded, frames);
    }
    for (uint32_t body_index = 0; body_index < loaded.body_count && status == STATUS_GOOD; body_index++) {
        status = inform_about_body(session, &loaded, frames, body_index, (*number)++);
    }
    if (status == STATUS_GOOD) {
        printer_flush(session->out);
        session_print_notices(session);
    }
    session_forget_notices(session);
    loaded_world_close(session, &loaded);
    dent_frames_close(frames);
    return status;
}

static int run_info(const tool_options *options, printer *out)
{
    tool_session session;
    int status = refuse_scene_options(options);
    if (status == STATUS_GOOD) {
        status = session_open(&session, options, out);
    }
    if (status != STATUS_GOOD) {
        return status;
    }
    uint32_t number = 0;
    session.file_count = options->argument_count;
    for (uint32_t i = 0; i < options->argument_count && !printer_failed(out); i++) {
        const char *name = options->arguments[i];
        session.file_number = i + 1;
        int failed =
            names_a_robot(name) ? inform_about_robot(&session, name) : inform_about_input(&session, name, &number);
        if (failed) {
            status = STATUS_ERROR;
        }
        if (interrupt_seen()) {
            status = interrupt_report();
            break;
        }
    }
    session_close(&session);
    return status;
}

const tool_command command_info_row = {
    .name = "info",
    .summary = "counts, bounds, quality, inverted cells, boundary and components of meshes",
    .arguments = "[OPTION...] FILE...",
    .details = HELP_ON_FILES
    "\n"
    "A file that cannot be read causes one line on stderr. The others are still reported, and the exit\n"
    "status is 2. Quality is 1 for a regular element and 0 for a flat one. `faces` counts every face of\n"
    "a solid's tetrahedra once; `surface faces` have one cell. Boundary edges have one surface face,\n"
    "non-manifold edges more than two. For a series (a .tar, a directory, a pattern), prints the frame\n"
    "count and describes the first frame. The spacing of points is the side of the square that a point\n"
    "of a surface has to itself; coincident points have another at the same place.\n"
    "For a robot (.urdf), lists links and joints.\n"
    "\n"
    "JSON keys: file body kind vertices cells faces surface_faces edges components boundary_edges\n"
    "nonmanifold_edges inverted flat unused duplicate min_quality lo_x lo_y lo_z hi_x hi_y hi_z;\n"
    "for points also spacing coincident; for a series also frames. For a robot: file robot values links\n"
    "(name vertices faces) joints (name kind parent child value lower upper).\n",
    .option_bits = OPTION_BIT(OPTION_MEMORY_LIMIT) | OPTION_BIT(OPTION_MERGE) | OPTION_BIT(OPTION_PACKAGE_PATH) |
                   OPTION_BIT(OPTION_SKIP_MISSING) | OPTION_BIT(OPTION_JOINTS) | OPTION_BIT(OPTION_NO_LIMITS) |
                   OPTIONS_OF_SCENES | OPTION_BIT(OPTION_JSON),
    .argument_min = 1,
    .argument_max = UINT32_MAX,
    .run = run_info,
};
