/* Bodies of kind "strands" in scene files: polylines from files or generators, and the faces that their roots lie on. */
#include "scene_file_parts.h"

#include <math.h>
#include <string.h>

#define MOST_VERTICES 5e7

/* ---- faces of a carrier ------------------------------------------------------------------------------------------ */

/* Corners of the surface faces of a body, in the order of dent_body_surface_faces; null after an error. */
static const uint32_t *surface_of(struct scene_reader *reader, const dent_sim_body_def *body, uint32_t *count)
{
    dent_world *world = dent_world_create(reader->plan->context);
    dent_body_def def = dent_body_def_default(body->mesh);
    def.vertex_count = body->vertex_count;
    def.element_count = body->element_count;
    def.element_corners = body->element_corners;
    def.positions_t0 = dent_positions_double(body->positions);
    dent_body_id id;
    uint32_t *corners = NULL;
    dent_status status = world ? dent_world_add_body(world, &def, &id) : DENT_ERROR_OUT_OF_MEMORY;
    if (status == DENT_OK) {
        const dent_surface_face *faces = dent_body_surface_faces(world, id, count);
        corners = plan_allocate(reader->plan, 3 * (size_t)*count, sizeof *corners);
        for (uint32_t f = 0; corners && f < *count; f++) {
            memcpy(corners + 3 * (size_t)f, faces[f].corners, sizeof faces[f].corners);
        }
    } else {
        plan_note(reader->plan, dent_fail(reader->plan->context, status, "the mesh of %s has no surface: %s", body->name,
                                          world ? dent_world_message(world) : "no memory"));
    }
    dent_world_destroy(world);
    return corners;
}

/* An earlier body that can carry roots. */
static const dent_sim_body_def *read_carrier(struct scene_reader *reader, located *value, uint32_t *number)
{
    *number = find_body(reader, value);
    if (!reader_good(reader)) {
        return NULL;
    }
    const dent_sim_body_def *carrier = &reader->plan->bodies[*number];
    if (*number + 1 >= reader->plan->body_count || carrier->kind == DENT_SIM_STRANDS || carrier->kind == DENT_SIM_EMBEDDED ||
        carrier->elements != DENT_SIM_LINEAR) {
        reader_wrong(reader, value,
                     "an earlier body of kind \"prescribed\", \"rigid\", \"solid\" (of linear tetrahedra) or \"cloth\" was expected");
        return NULL;
    }
    return carrier;
}

/* ---- generators -------------------------------------------------------------------------------------------------- */

/* Middle and unit normal of a face; false: it has no area. */
static bool face_place(const dent_sim_body_def *body, const uint32_t *corners, double middle[3], double normal[3])
{
    const double *a = body->positions + 3 * (size_t)corners[0], *b = body->positions + 3 * (size_t)corners[1];
    const double *c = body->positions + 3 * (size_t)corners[2];
    double e1[3], e2[3], length = 0;
    for (int k = 0; k < 3; k++) {
        middle[k] = ((a[k] + b[k]) + c[k]) / 3;
        e1[k] = b[k] - a[k];
        e2[k] = c[k] - a[k];
    }
    for (int k = 0; k < 3; k++) {
        normal[k] = e1[(k + 1) % 3] * e2[(k + 2) % 3] - e1[(k + 2) % 3] * e2[(k + 1) % 3];
        length += normal[k] * normal[k];
    }
    for (int k = 0; k < 3; k++) {
        normal[k] /= sqrt(length);
    }
    return length > 0;
}

static void set_strands(struct scene_reader *reader, dent_sim_body_def *body, uint32_t count, uint32_t vertices,
                        const double *positions)
{
    uint32_t *first = plan_allocate(reader->plan, (size_t)count + 1, sizeof *first);
    for (uint32_t s = 0; first && s < count; s++) {
        first[s + 1] = first[s] + vertices;
    }
    body->mesh = DENT_BODY_STRANDS;
    body->strand_count = count;
    body->first = first;
    body->vertex_count = count * vertices;
    body->positions = positions;
}

/* Along the normals of faces, evenly spread over all of them. */
static void grow(struct scene_reader *reader, located *on, uint32_t count, uint32_t segments, double length,
                 double *positions, dent_sim_body_def *body)
{
    uint32_t number, face_count = 0;
    const dent_sim_body_def *carrier = read_carrier(reader, on, &number);
    const uint32_t *corners = carrier ? surface_of(reader, carrier, &face_count) : NULL;
    dent_sim_root *roots = plan_allocate(reader->plan, count, sizeof *roots);
    for (uint32_t s = 0; corners && roots && s < count; s++) {
        uint32_t face = (uint32_t)((uint64_t)s * face_count / count);
        double middle[3], normal[3];
        if (!face_place(carrier, corners + 3 * (size_t)face, middle, normal)) {
            reader_wrong(reader, on, "faces with an area were expected; face %u of this body has none", face);
            return;
        }
        for (uint32_t i = 0; i <= segments; i++) {
            for (uint32_t k = 0; k < 3; k++) {
                positions[3 * ((size_t)s * (segments + 1) + i) + k] = middle[k] + normal[k] * (length * i / segments);
            }
        }
        roots[s] = (dent_sim_root){s, number, face, carrier->kind != DENT_SIM_CLOTH};
    }
    body->roots = roots;
    body->root_count = count;
}

void generate_strands(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    static const char *const keys[] = {"shape", "count", "segments", "length", "spacing", "on", NULL};
    if (!reader_object(reader, object, "strands", keys)) {
        return;
    }
    uint32_t count = reader_count(reader, reader_member(reader, object, "count"), 1, 1000000, 1);
    uint32_t segments = reader_count(reader, reader_need(reader, object, "segments", "strands"), 1, 100000, 1);
    double length = reader_positive(reader, reader_need(reader, object, "length", "strands"), QUANTITY_LENGTH, 1);
    double spacing = reader_positive(reader, reader_member(reader, object, "spacing"), QUANTITY_LENGTH, length / segments);
    double vertices = (double)count * (segments + 1.0);
    located *on = reader_member(reader, object, "on");
    if (reader_good(reader) && vertices > MOST_VERTICES) {
        reader_wrong(reader, object, "at most %.0f vertices were expected, not %.0f", MOST_VERTICES, vertices);
    }
    if (!reader_charge(reader, object, 64 * vertices)) {
        return;
    }
    double *positions = plan_allocate(reader->plan, 3 * (size_t)vertices, sizeof *positions);
    if (!positions) {
        return;
    }
    if (on) {
        grow(reader, on, count, segments, length, positions, body);
    } else { /* along x, beside one another along y */
        for (size_t v = 0; v < (size_t)vertices; v++) {
            positions[3 * v] = length * (double)(v % (segments + 1)) / segments;
            positions[3 * v + 1] = spacing * (double)(v / (segments + 1));
        }
    }
    set_strands(reader, body, count, segments + 1, positions);
}

void take_strands(struct scene_reader *reader, const dent_mesh_body *mesh, dent_sim_body_def *body)
{
    uint32_t *first = plan_allocate(reader->plan, (size_t)mesh->strand_count + 1, sizeof *first);
    double *positions = plan_allocate(reader->plan, mesh->vertex_count, 3 * sizeof *positions);
    if (first && positions) {
        memcpy(first, mesh->first, ((size_t)mesh->strand_count + 1) * sizeof *first);
        memcpy(positions, mesh->positions, 3 * (size_t)mesh->vertex_count * sizeof *positions);
        body->mesh = DENT_BODY_STRANDS;
        body->strand_count = mesh->strand_count;
        body->first = first;
        body->vertex_count = mesh->vertex_count;
        body->positions = positions;
    }
}

/* ---- roots ------------------------------------------------------------------------------------------------------- */

static double square_to_edge(const double point[3], const double *a, const double *b)
{
    double along = 0, length = 0, square = 0;
    for (int k = 0; k < 3; k++) {
        along += (point[k] - a[k]) * (b[k] - a[k]);
        length += (b[k] - a[k]) * (b[k] - a[k]);
    }
    double share = length > 0 ? along / length : 0;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    for (int k = 0; k < 3; k++) {
        double off = point[k] - (a[k] + share * (b[k] - a[k]));
        square += off * off;
    }
    return square;
}

/* To the plane where the point is above the face, else to its edges. */
static double square_to_face(const dent_sim_body_def *body, const uint32_t *corners, const double point[3])
{
    double middle[3], normal[3], height = 0, best = INFINITY;
    bool above = face_place(body, corners, middle, normal);
    for (int e = 0; e < 3; e++) {
        const double *a = body->positions + 3 * (size_t)corners[e], *b = body->positions + 3 * (size_t)corners[(e + 1) % 3];
        double side = 0, square = square_to_edge(point, a, b);
        for (int k = 0; k < 3; k++) { /* (b - a) x (point - a) . normal */
            int l = (k + 1) % 3, m = (k + 2) % 3;
            side += ((b[l] - a[l]) * (point[m] - a[m]) - (b[m] - a[m]) * (point[l] - a[l])) * normal[k];
        }
        above = above && side >= 0;
        best = square < best ? square : best;
    }
    for (int k = 0; k < 3; k++) {
        height += (point[k] - middle[k]) * normal[k];
    }
    return above ? height * height : best;
}

/* {"body": name, "clamped": true}: the first vertex of every strand on the face nearest to it. */
static void read_roots(struct scene_reader *reader, located *value, dent_sim_body_def *body)
{
    static const char *const keys[] = {"body", "clamped", NULL};
    if (!value || !reader_good(reader) || !reader_object(reader, value, "\"roots\"", keys)) {
        return;
    }
    located *on = reader_need(reader, value, "body", "\"roots\"");
    uint32_t number, count = 0;
    const dent_sim_body_def *carrier = on ? read_carrier(reader, on, &number) : NULL;
    bool clamped = reader_boolean(reader, reader_member(reader, value, "clamped"), carrier && carrier->kind != DENT_SIM_CLOTH);
    if (carrier && clamped && carrier->kind == DENT_SIM_CLOTH) {
        reader_wrong(reader, value, "\"clamped\": false was expected; cloth cannot clamp strands");
    }
    const uint32_t *corners = carrier && reader_good(reader) ? surface_of(reader, carrier, &count) : NULL;
    dent_sim_root *roots = plan_allocate(reader->plan, body->strand_count, sizeof *roots);
    for (uint32_t s = 0; corners && roots && s < body->strand_count; s++) {
        double best = INFINITY;
        for (uint32_t f = 0; f < count; f++) {
            double square = square_to_face(carrier, corners + 3 * (size_t)f, body->positions + 3 * (size_t)body->first[s]);
            if (square < best) {
                best = square;
                roots[s] = (dent_sim_root){s, number, f, clamped};
            }
        }
    }
    body->roots = roots;
    body->root_count = body->strand_count;
}

void read_strands(struct scene_reader *reader, located *object, dent_sim_body_def *body)
{
    located *radius = reader_member(reader, object, "radius"), *roots = reader_member(reader, object, "roots");
    if (body->kind != DENT_SIM_STRANDS) {
        if (radius || roots) {
            reader_wrong_key(reader, radius ? radius : roots, "only a body of kind \"strands\" has a \"%s\"",
                             radius ? "radius" : "roots");
        }
        return;
    }
    body->radius = reader_positive(reader, reader_need(reader, object, "radius", "a body of strands"), QUANTITY_LENGTH, 1);
    read_roots(reader, roots, body);
}
