/* Cutting one tetrahedron of the body-centred lattice by the signs of its corners: the stencils of isosurface stuffing.
 *
 * A lattice tetrahedron has two even corners (0, 1) and two odd ones (2, 3); edges 01 and 23 are long, the other four
 * short. What is kept of it, by the number of corners inside, on and outside the surface:
 *
 *     none outside             the whole (unless none is inside)
 *     one inside               one tetrahedron to the cut points or corners on the surface
 *     two inside, one outside  a pyramid: two tetrahedra
 *     two inside, two outside  a prism: three
 *     three inside             a prism: three
 *
 * A face that is cut to a quadrilateral needs a diagonal, and both tetrahedra at the face must choose the same one. Of
 * a long and a short cut edge, the diagonal ends at the cut point of the long edge. Of two short ones, it ends at the
 * corner whose parity equals that of the corner outside; then the two such diagonals of a prism never meet in a corner.
 * Both rules were chosen because they give the best worst angles. */
#include "mesher_stencils.h"

struct mesh_output {
    dent_context *context;
    double *positions;
    uint32_t vertex_count, vertex_capacity;
    uint32_t *corners;
    uint32_t cell_count, cell_capacity;
    bool failed;
};

/* A lattice tetrahedron. */
struct lattice_cell {
    int32_t at[4][3];
    uint32_t points[4];
};

/* ---- output ------------------------------------------------------------------------------------------------------ */

static void grow(struct mesh_output *out, void **block, uint32_t *capacity, size_t size)
{
    uint64_t wanted = *capacity == 0 ? 1024 : 2 * (uint64_t)*capacity;
    wanted = wanted < UINT32_MAX ? wanted : UINT32_MAX - 1;
    void *larger = wanted > *capacity ? dent_reallocate(out->context, *block, *capacity, (size_t)wanted, size) : NULL;
    if (!larger) {
        out->failed = true;
        return;
    }
    *block = larger;
    *capacity = (uint32_t)wanted;
}

static uint32_t add_vertex(struct mesh_output *out, const double position[3])
{
    if (out->vertex_count == out->vertex_capacity) {
        grow(out, (void **)&out->positions, &out->vertex_capacity, 3 * sizeof *out->positions);
    }
    if (out->failed) {
        return 0;
    }
    for (int axis = 0; axis < 3; axis++) {
        out->positions[3 * (size_t)out->vertex_count + axis] = position[axis];
    }
    return out->vertex_count++;
}

/* Adds the cell with these four vertices, in positive order. The angles are bounded, so rounding cannot turn the sign.
 */
static void add_cell(struct mesh_output *out, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    if (!out->failed && out->cell_count == out->cell_capacity) {
        grow(out, (void **)&out->corners, &out->cell_capacity, 4 * sizeof *out->corners);
    }
    if (out->failed) {
        return;
    }
    double u[3], v[3], w[3];
    for (int axis = 0; axis < 3; axis++) {
        double base = out->positions[3 * (size_t)a + axis];
        u[axis] = out->positions[3 * (size_t)b + axis] - base;
        v[axis] = out->positions[3 * (size_t)c + axis] - base;
        w[axis] = out->positions[3 * (size_t)d + axis] - base;
    }
    double determinant =
        (u[0] * (v[1] * w[2] - v[2] * w[1]) + u[1] * (v[2] * w[0] - v[0] * w[2])) + u[2] * (v[0] * w[1] - v[1] * w[0]);
    uint32_t *corner = out->corners + 4 * (size_t)out->cell_count++;
    corner[0] = a;
    corner[1] = b;
    corner[2] = determinant > 0 ? c : d;
    corner[3] = determinant > 0 ? d : c;
}

static uint32_t vertex_of_point(struct mesh_output *out, struct lattice *lattice, uint32_t point)
{
    if (lattice->vertices[point] == LATTICE_NONE) {
        lattice->vertices[point] = add_vertex(out, lattice->positions + 3 * (size_t)point);
    }
    return lattice->vertices[point];
}

/* ---- cut points -------------------------------------------------------------------------------------------------- */

static bool is_long_edge(int i, int j)
{
    return (i < 2) == (j < 2);
}

static int direction_between(const int32_t from[3], const int32_t to[3])
{
    int32_t d[3] = {to[0] - from[0], to[1] - from[1], to[2] - from[2]};
    for (int axis = 0; axis < 3; axis++) {
        if (d[axis] == 2) {
            return axis;
        }
    }
    return 3 + (d[0] < 0) + 2 * (d[1] < 0) + 4 * (d[2] < 0);
}

/* The vertex where the surface cuts the edge between corners i and j, both of them unmoved. */
static uint32_t vertex_of_cut(struct mesh_output *out, struct lattice *lattice, const struct lattice_cell *cell, int i,
                              int j)
{
    /* Long edges belong to their lower end, short ones to their even end. */
    bool swap = is_long_edge(i, j) ? cell->points[j] < cell->points[i] : i >= 2;
    int owner = swap ? j : i, other = swap ? i : j;
    struct lattice_cut *cut =
        lattice_find_cut(lattice, cell->points[owner], direction_between(cell->at[owner], cell->at[other]));
    if (cut->vertex == LATTICE_NONE) {
        double position[3];
        for (int axis = 0; axis < 3; axis++) {
            double from = lattice->positions[3 * (size_t)cell->points[owner] + axis];
            double to = lattice->positions[3 * (size_t)cell->points[other] + axis];
            position[axis] = from + cut->part * (to - from);
        }
        cut->vertex = add_vertex(out, position);
    }
    return cut->vertex;
}

/* ---- stencils ---------------------------------------------------------------------------------------------------- */

static int parity(const struct lattice_cell *cell, int corner)
{
    return (cell->at[corner][0] + cell->at[corner][1] + cell->at[corner][2]) >> 1 & 1;
}

/* The face of inside corners p, q and outside corner n: 0 when the diagonal runs from p to the cut point of qn, 1 when
 * it runs from q to the cut point of pn. */
static int diagonal_of(const struct lattice_cell *cell, int p, int q, int n)
{
    if (is_long_edge(n, p)) {
        return 1;
    }
    if (is_long_edge(n, q)) {
        return 0;
    }
    return parity(cell, p) != parity(cell, n);
}

/* The prism with triangles low and high; side i lies between corners i and i + 1 and is split from low[i] to high[i +
 * 1] (diagonals[i] == 0) or from high[i] to low[i + 1]. Not all three diagonals run the same way round, so one corner
 * has two: it is joined with the opposite triangle and with the two halves of the opposite side. */
static void add_prism(struct mesh_output *out, const uint32_t low[3], const uint32_t high[3], const int diagonals[3])
{
    for (int rotated = 0; rotated < 2; rotated++) {
        const uint32_t *near = rotated ? high : low, *far = rotated ? low : high;
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            if (diagonals[i] != rotated || diagonals[k] == rotated) {
                continue;
            }
            add_cell(out, near[i], far[0], far[1], far[2]);
            if (diagonals[j] == rotated) {
                add_cell(out, near[i], near[j], near[k], far[k]);
                add_cell(out, near[i], near[j], far[k], far[j]);
            } else {
                add_cell(out, near[i], near[j], near[k], far[j]);
                add_cell(out, near[i], near[k], far[k], far[j]);
            }
            return;
        }
    }
}

struct sorted_corners {
    int inside[4], on[4], outside[4];
    int inside_count, on_count, outside_count;
};

static struct sorted_corners sort_corners(const struct lattice *lattice, const struct lattice_cell *cell)
{
    struct sorted_corners sorted = {.inside_count = 0};
    for (int corner = 0; corner < 4; corner++) {
        double value = lattice->values[cell->points[corner]];
        if (value < 0) {
            sorted.inside[sorted.inside_count++] = corner;
        } else if (value > 0) {
            sorted.outside[sorted.outside_count++] = corner;
        } else {
            sorted.on[sorted.on_count++] = corner;
        }
    }
    return sorted;
}

static void cut_one_inside(struct mesh_output *out, struct lattice *lattice, const struct lattice_cell *cell,
                           const struct sorted_corners *sorted)
{
    uint32_t vertices[4];
    int count = 0;
    vertices[count++] = vertex_of_point(out, lattice, cell->points[sorted->inside[0]]);
    for (int i = 0; i < sorted->on_count; i++) {
        vertices[count++] = vertex_of_point(out, lattice, cell->points[sorted->on[i]]);
    }
    for (int i = 0; i < sorted->outside_count; i++) {
        vertices[count++] = vertex_of_cut(out, lattice, cell, sorted->inside[0], sorted->outside[i]);
    }
    add_cell(out, vertices[0], vertices[1], vertices[2], vertices[3]);
}

static void cut_pyramid(struct mesh_output *out, struct lattice *lattice, const struct lattice_cell *cell,
                        const struct sorted_corners *sorted)
{
    int p = sorted->inside[0], q = sorted->inside[1], n = sorted->outside[0];
    uint32_t apex = vertex_of_point(out, lattice, cell->points[sorted->on[0]]);
    uint32_t at_p = vertex_of_point(out, lattice, cell->points[p]),
             at_q = vertex_of_point(out, lattice, cell->points[q]);
    uint32_t cut_p = vertex_of_cut(out, lattice, cell, p, n), cut_q = vertex_of_cut(out, lattice, cell, q, n);
    if (diagonal_of(cell, p, q, n) == 0) {
        add_cell(out, apex, at_p, at_q, cut_q);
        add_cell(out, apex, at_p, cut_q, cut_p);
    } else {
        add_cell(out, apex, at_p, at_q, cut_p);
        add_cell(out, apex, at_q, cut_q, cut_p);
    }
}

static void cut_three_inside(struct mesh_output *out, struct lattice *lattice, const struct lattice_cell *cell,
                             const struct sorted_corners *sorted)
{
    uint32_t low[3], high[3];
    int diagonals[3];
    int n = sorted->outside[0];
    for (int i = 0; i < 3; i++) {
        int p = sorted->inside[i], q = sorted->inside[(i + 1) % 3];
        low[i] = vertex_of_point(out, lattice, cell->points[p]);
        high[i] = vertex_of_cut(out, lattice, cell, p, n);
        diagonals[i] = diagonal_of(cell, p, q, n);
    }
    add_prism(out, low, high, diagonals);
}

static void cut_two_inside(struct mesh_output *out, struct lattice *lattice, const struct lattice_cell *cell,
                           const struct sorted_corners *sorted)
{
    int p = sorted->inside[0], q = sorted->inside[1], m = sorted->outside[0], n = sorted->outside[1];
    uint32_t low[3] = {vertex_of_point(out, lattice, cell->points[p]), vertex_of_cut(out, lattice, cell, p, m),
                       vertex_of_cut(out, lattice, cell, p, n)};
    uint32_t high[3] = {vertex_of_point(out, lattice, cell->points[q]), vertex_of_cut(out, lattice, cell, q, m),
                        vertex_of_cut(out, lattice, cell, q, n)};
    int diagonals[3] = {diagonal_of(cell, p, q, m), 0, 1 - diagonal_of(cell, p, q, n)};
    /* The side on the surface belongs to nobody else; the rules above always leave it one possibility. */
    diagonals[1] = 1 - diagonals[0];
    add_prism(out, low, high, diagonals);
}

static void cut_cell(struct mesh_output *out, struct lattice *lattice, const struct lattice_cell *cell)
{
    struct sorted_corners sorted = sort_corners(lattice, cell);
    if (sorted.inside_count == 0) {
        return;
    }
    if (sorted.outside_count == 0) {
        uint32_t v[4];
        for (int corner = 0; corner < 4; corner++) {
            v[corner] = vertex_of_point(out, lattice, cell->points[corner]);
        }
        add_cell(out, v[0], v[1], v[2], v[3]);
    } else if (sorted.inside_count == 1) {
        cut_one_inside(out, lattice, cell, &sorted);
    } else if (sorted.inside_count == 3) {
        cut_three_inside(out, lattice, cell, &sorted);
    } else if (sorted.outside_count == 2) {
        cut_two_inside(out, lattice, cell, &sorted);
    } else {
        cut_pyramid(out, lattice, cell, &sorted);
    }
}

/* ---- all cells --------------------------------------------------------------------------------------------------- */

/* The four tetrahedra around the long edge from an odd point to the next one along `axis`: the square between the two
 * cubes has four edges, each of which makes a tetrahedron with the two cube centres. */
static void cut_around_edge(struct mesh_output *out, struct lattice *lattice, const int32_t centre[3], int axis)
{
    static const int8_t square[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    struct lattice_cell cell;
    for (int i = 0; i < 3; i++) {
        cell.at[2][i] = centre[i];
        cell.at[3][i] = centre[i] + (i == axis ? 2 : 0);
    }
    for (int side = 0; side < 4; side++) {
        for (int end = 0; end < 2; end++) {
            const int8_t *at = square[(side + end) % 4];
            cell.at[end][axis] = centre[axis] + 1;
            cell.at[end][(axis + 1) % 3] = centre[(axis + 1) % 3] + at[0];
            cell.at[end][(axis + 2) % 3] = centre[(axis + 2) % 3] + at[1];
        }
        for (int corner = 0; corner < 4; corner++) {
            cell.points[corner] = lattice_point(lattice, cell.at[corner]);
        }
        cut_cell(out, lattice, &cell);
    }
}

static void release_output(struct mesh_output *out)
{
    dent_release(out->context, out->positions, out->vertex_capacity, 3 * sizeof *out->positions);
    dent_release(out->context, out->corners, out->cell_capacity, 4 * sizeof *out->corners);
}

static dent_status give_mesh(struct mesh_output *out, struct scene_mesh *mesh)
{
    void *positions = dent_reallocate(out->context, out->positions, out->vertex_capacity, out->vertex_count,
                                      3 * sizeof *out->positions);
    if (positions) {
        out->positions = positions;
        out->vertex_capacity = out->vertex_count;
    }
    void *corners = positions ? dent_reallocate(out->context, out->corners, out->cell_capacity, out->cell_count,
                                                4 * sizeof *out->corners)
                              : NULL;
    if (!corners) {
        return DENT_ERROR_OUT_OF_MEMORY;
    }
    *mesh = (struct scene_mesh){.vertex_count = out->vertex_count,
                                .element_count = out->cell_count,
                                .corner_count = 4,
                                .corners = corners,
                                .reference = positions};
    return DENT_OK;
}

dent_status stuff_lattice(dent_context *context, struct lattice *lattice, struct scene_mesh *mesh)
{
    struct mesh_output out = {.context = context};
    for (uint32_t point = lattice->corner_count; point < lattice->point_count && !out.failed; point++) {
        int32_t centre[3];
        lattice_place(lattice, point, centre);
        for (int axis = 0; axis < 3; axis++) {
            if (centre[axis] + 2 < 2 * lattice->cells[axis]) {
                cut_around_edge(&out, lattice, centre, axis);
            }
        }
    }
    if (!out.failed && give_mesh(&out, mesh) == DENT_OK) {
        return DENT_OK;
    }
    release_output(&out);
    return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for the cells of a meshed shape");
}
