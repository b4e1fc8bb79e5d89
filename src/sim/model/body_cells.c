/* Quadratic tetrahedra and hexahedra as the tetrahedra that everything but elasticity works on.
 *
 * Quadratic: every edge gets a vertex in its middle, behind the vertices of the def; each tetrahedron is divided into
 * eight, so that contacts find the new vertices, too. Hexahedra are cones from their smallest vertex over the far faces,
 * each cut at its smallest vertex: neighbours cut the face between them alike. */
#include "sim_model.h"

#include "base/containers/heap_sort.h"

#include <string.h>

const char *dent_sim_elements_name(dent_sim_elements elements)
{
    static const char *const names[] = {"linear", "quadratic", "hexahedra"};
    return (unsigned)elements < sizeof names / sizeof names[0] ? names[elements] : NULL;
}

uint32_t sim_cell_count(const struct sim_body *body)
{
    return body->cells.corner_count > 0 ? body->cells.count : body->element_count;
}

uint32_t sim_cell_points(const struct sim_body *body)
{
    return body->cells.corner_count == 10 ? 4 : 1;
}

uint32_t sim_cell_material(const struct sim_body *body, uint32_t cell)
{
    return body->cell_materials ? body->cell_materials[cell] : body->material;
}

uint32_t sim_element_cell(const struct sim_body *body, uint32_t element)
{
    return body->cells.corner_count > 0 ? body->cells.element_cells[element] : element;
}

static uint32_t first_middle(const struct sim_body *body)
{
    return body->vertex_count - body->cells.middle_count;
}

void sim_mark_vertices(const struct sim_body *body, const uint32_t *vertices, uint32_t count, uint8_t *marks)
{
    const uint32_t *ends = body->cells.middle_ends;
    memset(marks, 0, body->vertex_count);
    for (uint32_t n = 0; n < count; n++) {
        marks[vertices[n]] = 1;
    }
    for (uint32_t n = 0; n < body->cells.middle_count; n++) {
        marks[first_middle(body) + n] = marks[ends[2 * (size_t)n]] && marks[ends[2 * (size_t)n + 1]];
    }
}

uint32_t sim_middle_between(const struct sim_body *body, uint32_t a, uint32_t b)
{
    uint32_t low = 0, high = body->cells.middle_count, first = a < b ? a : b, second = a < b ? b : a;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const uint32_t *ends = body->cells.middle_ends + 2 * (size_t)middle;
        bool before = ends[0] != first ? ends[0] < first : ends[1] < second;
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    const uint32_t *ends = body->cells.middle_ends + 2 * (size_t)low;
    return low < body->cells.middle_count && ends[0] == first && ends[1] == second ? first_middle(body) + low
                                                                                   : SIM_NONE;
}

/* ---- quadratic tetrahedra ---------------------------------------------------------------------------------------- */

/* The edges of a tetrahedron in the order of VTK: corners 4 to 9 of the quadratic one lie on them. */
static const uint8_t tet_edges[6][2] = {{0, 1}, {1, 2}, {0, 2}, {0, 3}, {1, 3}, {2, 3}};

/* The eight parts, positive where the whole is: four at the corners, four around the line from 6 to 8. */
static const uint8_t tet_parts[8][4] = {{0, 4, 6, 7}, {4, 1, 5, 8}, {6, 5, 2, 9}, {7, 8, 9, 3},
                                        {4, 5, 6, 8}, {4, 6, 7, 8}, {5, 9, 6, 8}, {6, 9, 7, 8}};

struct tet_edge {
    uint32_t ends[2], tet, number;
};

static bool edge_before(const void *first, const void *second, const void *data)
{
    const struct tet_edge *a = first, *b = second;
    (void)data;
    return a->ends[0] != b->ends[0]   ? a->ends[0] < b->ends[0]
           : a->ends[1] != b->ends[1] ? a->ends[1] < b->ends[1]
           : a->tet != b->tet         ? a->tet < b->tet
                                      : a->number < b->number;
}

static void list_edges(const dent_sim_body_def *body, struct tet_edge *edges)
{
    for (uint32_t t = 0; t < body->element_count; t++) {
        for (uint32_t n = 0; n < 6; n++) {
            uint32_t a = body->element_corners[4 * (size_t)t + tet_edges[n][0]];
            uint32_t b = body->element_corners[4 * (size_t)t + tet_edges[n][1]];
            edges[6 * (size_t)t + n] = (struct tet_edge){{a < b ? a : b, a < b ? b : a}, t, n};
        }
    }
    heap_sort(edges, 6 * (size_t)body->element_count, sizeof *edges, edge_before, NULL);
}

/* Numbers the middles into the corners of the cells; returns how many there are. Their ends go to `ends`, 2 each. */
static uint32_t number_middles(const dent_sim_body_def *body, const struct tet_edge *edges, uint32_t *cells,
                               uint32_t *ends)
{
    uint32_t count = 0;
    for (size_t n = 0; n < 6 * (size_t)body->element_count; n++) {
        if (n == 0 || memcmp(edges[n].ends, edges[n - 1].ends, sizeof edges[n].ends) != 0) {
            memcpy(ends + 2 * (size_t)count++, edges[n].ends, sizeof edges[n].ends);
        }
        cells[10 * (size_t)edges[n].tet + 4 + edges[n].number] = body->vertex_count + count - 1;
    }
    return count;
}

/* Numbers of vertices, and the means of the two ends of each new one. */
static const double *with_middles(struct sim_model *model, const dent_sim_body_def *body, const double *numbers,
                                  const uint32_t *ends, uint32_t count)
{
    size_t old = 3 * (size_t)body->vertex_count;
    double *all = sim_allocate(model, old + 3 * (size_t)count, sizeof *all);
    if (!all) {
        return NULL;
    }
    memcpy(all, numbers, old * sizeof *all);
    for (size_t n = 0; n < 3 * (size_t)count; n++) {
        all[old + n] =
            0.5 * (numbers[3 * (size_t)ends[2 * (n / 3)] + n % 3] + numbers[3 * (size_t)ends[2 * (n / 3) + 1] + n % 3]);
    }
    return all;
}

static const uint32_t *fix_middles(struct sim_model *model, const dent_sim_body_def *body, const uint32_t *ends,
                                   uint32_t count, uint32_t *fixed_count)
{
    uint8_t *held = sim_allocate(model, body->vertex_count, 1);
    uint32_t *fixed = sim_allocate(model, (size_t)body->fixed_count + count, sizeof *fixed);
    *fixed_count = body->fixed_count;
    if (!held || !fixed) {
        return NULL;
    }
    for (uint32_t n = 0; n < body->fixed_count; n++) {
        fixed[n] = body->fixed_vertices[n];
        held[fixed[n]] = 1;
    }
    for (uint32_t n = 0; n < count; n++) {
        if (held[ends[2 * (size_t)n]] && held[ends[2 * (size_t)n + 1]]) {
            fixed[(*fixed_count)++] = body->vertex_count + n;
        }
    }
    return fixed;
}

static dent_status divide_tetrahedra(struct sim_model *model, const dent_sim_body_def *from, dent_sim_body_def *body,
                                     struct sim_cells *cells)
{
    uint32_t tets = from->element_count;
    struct tet_edge *edges = dent_allocate(model->context, 6 * (size_t)tets, sizeof *edges);
    uint32_t *ends = sim_allocate(model, 12 * (size_t)tets, sizeof *ends);
    uint32_t *parts = sim_allocate(model, 32 * (size_t)tets, sizeof *parts);
    cells->corners = sim_allocate(model, 10 * (size_t)tets, sizeof *cells->corners);
    cells->element_cells = sim_allocate(model, 8 * (size_t)tets, sizeof *cells->element_cells);
    bool all = edges && ends && parts && cells->corners && cells->element_cells;
    uint32_t count = 0;
    if (all) {
        list_edges(from, edges);
        count = number_middles(from, edges, cells->corners, ends);
        for (size_t n = 0; n < 32 * (size_t)tets; n++) {
            size_t t = n / 32;
            memcpy(cells->corners + 10 * t, from->element_corners + 4 * t, 4 * sizeof *ends);
            parts[n] = cells->corners[10 * t + tet_parts[n / 4 % 8][n % 4]];
            cells->element_cells[n / 4] = (uint32_t)t;
        }
    }
    dent_release(model->context, edges, 6 * (size_t)tets, sizeof *edges);
    if (all) {
        body->positions = with_middles(model, from, from->positions, ends, count);
        body->rest = from->rest ? with_middles(model, from, from->rest, ends, count) : NULL;
        body->velocities = from->velocities ? with_middles(model, from, from->velocities, ends, count) : NULL;
        body->fixed_vertices = fix_middles(model, from, ends, count, &body->fixed_count);
        all = body->positions && (body->rest || !from->rest) && (body->velocities || !from->velocities) &&
              body->fixed_vertices;
    }
    cells->count = tets;
    cells->corner_count = 10;
    cells->middle_count = count;
    cells->middle_ends = ends;
    body->element_corners = parts;
    body->element_count = 8 * tets;
    body->vertex_count = from->vertex_count + count;
    return all ? DENT_OK : sim_no_memory(model->context);
}

/* ---- hexahedra --------------------------------------------------------------------------------------------------- */

/* Counter-clockwise seen from outside. */
static const uint8_t hexahedron_faces[6][4] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4},
                                               {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}};

static uint32_t smallest(const uint32_t *corners, const uint8_t *list, uint32_t count)
{
    uint32_t at = 0;
    for (uint32_t n = 1; n < count; n++) {
        at = corners[list[n]] < corners[list[at]] ? n : at;
    }
    return at;
}

/* Six tetrahedra. */
static void divide_hexahedron(const uint32_t *corners, uint32_t *out)
{
    static const uint8_t all[8] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t apex = smallest(corners, all, 8), count = 0;
    for (uint32_t n = 0; n < 6; n++) {
        const uint8_t *face = hexahedron_faces[n];
        uint32_t first = smallest(corners, face, 4);
        bool far = face[0] != apex && face[1] != apex && face[2] != apex && face[3] != apex;
        for (uint32_t k = 1; k < 3 && far; k++, count++) {
            const uint32_t tet[4] = {corners[apex], corners[face[first]], corners[face[(first + k) % 4]],
                                     corners[face[(first + k + 1) % 4]]};
            memcpy(out + 4 * (size_t)count, tet, sizeof tet);
        }
    }
}

static dent_status divide_hexahedra(struct sim_model *model, const dent_sim_body_def *from, dent_sim_body_def *body,
                                    struct sim_cells *cells)
{
    uint32_t count = from->element_count;
    uint32_t *parts = sim_allocate(model, 24 * (size_t)count, sizeof *parts);
    cells->corners = sim_allocate(model, 8 * (size_t)count, sizeof *cells->corners);
    cells->element_cells = sim_allocate(model, 6 * (size_t)count, sizeof *cells->element_cells);
    if (!parts || !cells->corners || !cells->element_cells) {
        return sim_no_memory(model->context);
    }
    memcpy(cells->corners, from->element_corners, 8 * (size_t)count * sizeof *parts);
    for (uint32_t n = 0; n < count; n++) {
        divide_hexahedron(from->element_corners + 8 * (size_t)n, parts + 24 * (size_t)n);
    }
    for (uint32_t n = 0; n < 6 * count; n++) {
        cells->element_cells[n] = n / 6;
    }
    cells->count = count;
    cells->corner_count = 8;
    body->element_corners = parts;
    body->element_count = 6 * count;
    return DENT_OK;
}

/* A segment between neighbours of each strand. */
static dent_status make_segments(struct sim_model *model, const dent_sim_body_def *body, dent_sim_body_def *made)
{
    uint32_t count = body->vertex_count - body->strand_count, *corners = sim_allocate(model, 2 * (size_t)count, sizeof *corners);
    if (!corners) {
        return sim_no_memory(model->context);
    }
    made->element_count = count;
    made->element_corners = corners;
    for (uint32_t s = 0; s < body->strand_count; s++) {
        for (uint32_t v = body->first[s]; v + 1 < body->first[s + 1]; v++) {
            *corners++ = v;
            *corners++ = v + 1;
        }
    }
    return DENT_OK;
}

uint32_t sim_strand_rows(uint32_t strand_count, const uint32_t *first)
{
    uint32_t rows = 0;
    for (uint32_t s = 0; s < strand_count;) {
        uint32_t most = 0;
        for (uint32_t end = s + 8; s < strand_count && s < end; s++) {
            most = first[s + 1] - first[s] > most ? first[s + 1] - first[s] : most;
        }
        rows += most;
    }
    return rows;
}

dent_status sim_make_cells(struct sim_model *model, const dent_sim_def *def, dent_sim_body_def *made,
                           struct sim_cells *cells)
{
    dent_status status = DENT_OK;
    for (uint32_t b = 0; b < def->body_count && status == DENT_OK; b++) {
        const dent_sim_body_def *body = &def->bodies[b];
        made[b] = *body;
        if (body->kind == DENT_SIM_SOLID && body->elements == DENT_SIM_QUADRATIC) {
            status = divide_tetrahedra(model, body, &made[b], &cells[b]);
        } else if (body->kind == DENT_SIM_SOLID && body->elements == DENT_SIM_HEXAHEDRA) {
            status = divide_hexahedra(model, body, &made[b], &cells[b]);
        } else if (body->kind == DENT_SIM_STRANDS) {
            status = make_segments(model, body, &made[b]);
        }
    }
    return status;
}
