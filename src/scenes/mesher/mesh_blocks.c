/* Blocks of cubes and sheets of squares: the regular meshes of the scenes.
 *
 * A cube is cut into five tetrahedra: one in the middle and four at the corners that the middle one leaves out. The
 * middle one takes the corners with an even number of ones in (x, y, z) in cubes with i + j + k even, the others in odd
 * cubes; a face diagonal then joins the same two lattice points whichever of its two cubes one looks from. */
#include "mesh_blocks.h"

/* Corner c of a cube lies at (c & 1, c >> 1 & 1, c >> 2 & 1). All with positive determinant. */
static const uint8_t cube_tetrahedra[2][5][4] = {
    {{0, 5, 3, 6}, {1, 3, 0, 5}, {2, 0, 3, 6}, {4, 5, 0, 6}, {7, 3, 5, 6}},
    {{1, 2, 4, 7}, {0, 1, 2, 4}, {3, 2, 1, 7}, {5, 1, 4, 7}, {6, 4, 2, 7}},
};

dent_status scene_mesh_allocate(dent_context *context, struct scene_mesh *mesh, uint32_t vertex_count,
                                uint32_t element_count, uint32_t corner_count)
{
    *mesh = (struct scene_mesh){vertex_count, element_count, corner_count, NULL, NULL};
    mesh->corners = dent_allocate(context, element_count, corner_count * sizeof *mesh->corners);
    mesh->reference = dent_allocate(context, vertex_count, 3 * sizeof *mesh->reference);
    if (mesh->corners && mesh->reference) {
        return DENT_OK;
    }
    scene_mesh_release(context, mesh);
    return dent_fail(context, DENT_ERROR_OUT_OF_MEMORY, "no memory for a mesh of %u vertices and %u elements",
                     vertex_count, element_count);
}

void scene_mesh_release(dent_context *context, struct scene_mesh *mesh)
{
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
