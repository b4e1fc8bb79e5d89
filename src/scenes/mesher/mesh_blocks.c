/* Blocks of cubes and sheets of squares: the regular meshes of the scenes.
 *
 * A cube is cut into five tetrahedra: one in the middle and four at the corners that the middle one leaves out. The
 * middle one takes the corners with an even number of ones in (x, y, z) in cubes with i + j + k even, the others in odd
 * cubes; a face diagonal then joins the same two lattice points whichever of its two cubes one looks from. */
#include "mesh_blocks.h"

#include "scenes/elementary_functions.h"

/* Corner c of a cube lies at (c & 1, c >> 1 & 1, c >> 2 & 1). All with positive determinant. */
static const uint8_t cube_tetrahedra[2][5][4] = {
    {{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 3, 5, 6}},
    {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}},
};

dent_status scene_mesh_allocate(dent_context *context, struct scene_mesh *mesh, uint32_t vertex_count,
                                uint32_t element_count, uint32_t corner_count)
{
    *mesh = (struct scene_mesh){
        .vertex_count = vertex_count, .element_count = element_count, .corner_count = corner_count};
    mesh->corners = dent_allocate(context, element_count, corner_count * sizeof *mesh->corners);
    mesh->reference = dent_allocate(context, vertex_count, 3 * sizeof *mesh->reference);
    if (mesh->corners && mesh->reference) {
        return DENT_OK;
    }
    scene_mesh_release(context, mesh);
    return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a mesh of %u vertices and %u elements",
                     vertex_count, element_count);
}

dent_status scene_mesh_allocate_strands(dent_context *context, struct scene_mesh *mesh, uint32_t strand_count,
                                        uint32_t nodes)
{
    dent_status status = scene_mesh_allocate(context, mesh, strand_count * nodes, strand_count * (nodes - 1), 2);
    mesh->first = status == DENT_OK ? dent_allocate(context, (size_t)strand_count + 1, sizeof *mesh->first) : NULL;
    if (!mesh->first) {
        scene_mesh_release(context, mesh);
        return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for %u strands", strand_count);
    }
    mesh->strand_count = strand_count;
    uint32_t *corner = mesh->corners;
    for (uint32_t strand = 0; strand <= strand_count; strand++) {
        mesh->first[strand] = strand * nodes;
        for (uint32_t node = 0; strand < strand_count && node + 1 < nodes; node++) {
            *corner++ = strand * nodes + node;
            *corner++ = strand * nodes + node + 1;
        }
    }
    return DENT_OK;
}

void scene_mesh_release(dent_context *context, struct scene_mesh *mesh)
{
    dent_release(context, mesh->first, (size_t)mesh->strand_count + 1, sizeof *mesh->first);
    dent_release(context, mesh->corners, mesh->element_count, mesh->corner_count * sizeof *mesh->corners);
    dent_release(context, mesh->reference, mesh->vertex_count, 3 * sizeof *mesh->reference);
    *mesh = (struct scene_mesh){0};
}

double mesh_block_vertices(const uint32_t counts[3])
{
    return ((double)counts[0] + 1) * ((double)counts[1] + 1) * ((double)counts[2] + 1);
}

double mesh_block_tetrahedra(const uint32_t counts[3])
{
    return 5.0 * counts[0] * counts[1] * counts[2];
}

static void fill_block_positions(const uint32_t counts[3], double *positions)
{
    for (uint32_t k = 0; k <= counts[2]; k++) {
        for (uint32_t j = 0; j <= counts[1]; j++) {
            for (uint32_t i = 0; i <= counts[0]; i++) {
                *positions++ = (double)i - 0.5 * counts[0];
                *positions++ = (double)j - 0.5 * counts[1];
                *positions++ = (double)k - 0.5 * counts[2];
            }
        }
    }
}

static uint32_t *write_cube(uint32_t *corner, const uint32_t counts[3], uint32_t i, uint32_t j, uint32_t k)
{
    uint32_t row = counts[0] + 1;
    uint32_t layer = row * (counts[1] + 1);
    uint32_t first = i + row * j + layer * k;
    for (int tetrahedron = 0; tetrahedron < 5; tetrahedron++) {
        for (int c = 0; c < 4; c++) {
            uint32_t place = cube_tetrahedra[(i + j + k) & 1][tetrahedron][c];
            *corner++ = first + (place & 1) + row * (place >> 1 & 1) + layer * (place >> 2);
        }
    }
    return corner;
}

dent_status mesh_block_create(dent_context *context, const uint32_t counts[3], struct scene_mesh *mesh)
{
    dent_status status = scene_mesh_allocate(context, mesh, (uint32_t)mesh_block_vertices(counts),
                                             (uint32_t)mesh_block_tetrahedra(counts), 4);
    if (status != DENT_OK) {
        return status;
    }
    fill_block_positions(counts, mesh->reference);
    uint32_t *corner = mesh->corners;
    for (uint32_t k = 0; k < counts[2]; k++) {
        for (uint32_t j = 0; j < counts[1]; j++) {
            for (uint32_t i = 0; i < counts[0]; i++) {
                corner = write_cube(corner, counts, i, j, k);
            }
        }
    }
    return DENT_OK;
}

dent_status mesh_sheet_create(dent_context *context, uint32_t cells, struct scene_mesh *mesh)
{
    uint32_t row = cells + 1;
    dent_status status = scene_mesh_allocate(context, mesh, row * row, 2 * cells * cells, 3);
    if (status != DENT_OK) {
        return status;
    }
    double *position = mesh->reference;
    for (uint32_t j = 0; j <= cells; j++) {
        for (uint32_t i = 0; i <= cells; i++) {
            *position++ = (double)i / cells - 0.5;
            *position++ = (double)j / cells - 0.5;
            *position++ = 0;
        }
    }
    uint32_t *corner = mesh->corners;
    for (uint32_t j = 0; j < cells; j++) {
        for (uint32_t i = 0; i < cells; i++) {
            uint32_t a = i + row * j, b = a + 1, c = a + row + 1, d = a + row;
            uint32_t square[2][6] = {{a, b, c, a, c, d}, {a, b, d, b, c, d}};
            for (int n = 0; n < 6; n++) {
                *corner++ = square[(i + j) & 1][n];
            }
        }
    }
    return DENT_OK;
}

/* Poles at the first and last vertex, rings between. */
dent_status mesh_ball_create(dent_context *context, uint32_t rings, double radius, struct scene_mesh *mesh)
{
    uint32_t around = 2 * rings;
    dent_status status = scene_mesh_allocate(context, mesh, rings * around + 2, 2 * around * rings, 3);
    if (status != DENT_OK) {
        return status;
    }
    double *p = mesh->reference;
    uint32_t *corner = mesh->corners, last = rings * around + 1;
    for (uint32_t v = 0; v <= last; v++, p += 3) {
        uint32_t ring = v == 0 ? 0 : v == last ? rings + 1 : (v - 1) / around + 1;
        struct scene_sine_cosine down = scene_sine_cosine(SCENE_PI * ring / (rings + 1));
        struct scene_sine_cosine turn = scene_sine_cosine(2 * SCENE_PI * (v > 0 ? (v - 1) % around : 0) / around);
        bool pole = v == 0 || v == last;
        p[0] = pole ? 0 : radius * down.sine * turn.cosine;
        p[1] = pole ? 0 : radius * down.sine * turn.sine;
        p[2] = radius * down.cosine;
    }
    for (uint32_t ring = 0; ring <= rings; ring++) {
        for (uint32_t i = 0; i < around; i++) {
            uint32_t next = (i + 1) % around, above = 1 + (ring - 1) * around, below = 1 + ring * around;
            if (ring > 0) {
                *corner++ = above + i;
                *corner++ = ring < rings ? below + i : last;
                *corner++ = above + next;
            }
            if (ring < rings) {
                *corner++ = ring > 0 ? above + next : 0;
                *corner++ = below + i;
                *corner++ = below + next;
            }
        }
    }
    return DENT_OK;
}
