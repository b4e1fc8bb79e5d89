/* Watched memory and meshes with known counts. See support_bodies.h. */
#include "support_bodies.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- memory ------------------------------------------------------------------------------------------------------ */

enum { HEADER = 64 };

static void *watched_allocate(void *user, size_t size, size_t alignment)
{
    struct watched_memory *memory = user;
    memory->requests++;
    if (size > memory->largest_request) {
        memory->largest_request = size;
    }
    if (alignment > HEADER || (memory->fail_at != 0 && memory->requests >= memory->fail_at)) {
        return NULL;
    }
    void *block = NULL;
    if (size > SIZE_MAX - HEADER || posix_memalign(&block, HEADER, size + HEADER) != 0) {
        return NULL;
    }
    memcpy(block, &size, sizeof size);
    memory->blocks++;
    memory->bytes += size;
    if (memory->bytes > memory->peak_bytes) {
        memory->peak_bytes = memory->bytes;
    }
    return (unsigned char *)block + HEADER;
}

static void watched_release(void *user, void *block, size_t size)
{
    struct watched_memory *memory = user;
    void *start = (unsigned char *)block - HEADER;
    size_t asked;
    memcpy(&asked, start, sizeof asked);
    if (asked != size) {
        fprintf(stderr, "a block of %zu bytes was given back as %zu\n", asked, size);
        abort();
    }
    memory->blocks--;
    memory->bytes -= size;
    free(start);
}

dent_context *watched_context(struct watched_memory *memory)
{
    memset(memory, 0, sizeof *memory);
    dent_context_def def = dent_context_def_default();
    def.allocator.allocate = watched_allocate;
    def.allocator.release = watched_release;
    def.allocator.user = memory;
    def.thread_count = 1;
    dent_context *context = dent_context_create(&def, NULL);
    assert_non_null(context);
    return context;
}

void end_watched_context(dent_context *context, struct watched_memory *memory)
{
    dent_context_destroy(context);
    assert_int_equal(memory->blocks, 0);
    assert_int_equal(memory->bytes, 0);
}

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

static struct test_mesh empty_mesh(uint32_t vertex_count, uint32_t element_count, uint32_t corners_per_element)
{
    struct test_mesh mesh = {.vertex_count = vertex_count, .element_count = element_count};
    mesh.xyz = calloc(vertex_count, sizeof *mesh.xyz);
    mesh.corners = calloc((size_t)element_count * corners_per_element, sizeof *mesh.corners);
    assert_non_null(mesh.xyz);
    assert_non_null(mesh.corners);
    return mesh;
}

void free_mesh(struct test_mesh *mesh)
{
    free(mesh->xyz);
    free(mesh->corners);
    free(mesh->kinds);
}

/* Corners of the unit cube in hexahedron order. */
static const uint8_t cube_corner[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                          {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
/* Even cubes; odd ones are mirrored in x, which exchanges 0-1, 3-2, 4-5, 7-6 and the orientation. */
static const uint8_t five_even[5][4] = {{0, 1, 3, 4}, {2, 3, 1, 6}, {5, 1, 4, 6}, {7, 3, 6, 4}, {1, 3, 4, 6}};
static const uint8_t five_odd[5][4] = {{1, 2, 0, 5}, {3, 0, 2, 7}, {4, 5, 0, 7}, {6, 2, 5, 7}, {0, 2, 7, 5}};
static const uint8_t six[6][4] = {{0, 1, 2, 6}, {0, 2, 3, 6}, {0, 3, 7, 6}, {0, 7, 4, 6}, {0, 4, 5, 6}, {0, 5, 1, 6}};

static uint32_t add_cube(struct test_mesh *mesh, uint32_t element, const uint32_t cube[8], enum cube_cut cut, bool odd)
{
    if (cut == CUBE_HEXAHEDRA) {
        memcpy(mesh->corners + (size_t)element * 8, cube, 8 * sizeof *cube);
        mesh->kinds[element] = DENT_CELL_HEXAHEDRON;
        return element + 1;
    }
    const uint8_t(*pattern)[4] = cut == CUBE_SIX ? six : odd ? five_odd : five_even;
    uint32_t count = cut == CUBE_SIX ? 6 : 5;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < 4; j++) {
            mesh->corners[(size_t)(element + i) * 4 + j] = cube[pattern[i][j]];
        }
    }
    return element + count;
}

struct test_mesh make_bar(uint32_t nx, uint32_t ny, uint32_t nz, enum cube_cut cut)
{
    uint32_t per_cube = cut == CUBE_FIVE ? 5 : cut == CUBE_SIX ? 6 : 1;
    struct test_mesh mesh =
        empty_mesh((nx + 1) * (ny + 1) * (nz + 1), nx * ny * nz * per_cube, cut == CUBE_HEXAHEDRA ? 8 : 4);
    if (cut == CUBE_HEXAHEDRA) {
        mesh.kinds = malloc((size_t)nx * ny * nz);
    }
    for (uint32_t vertex = 0; vertex < mesh.vertex_count; vertex++) {
        mesh.xyz[vertex][0] = vertex % (nx + 1);
        mesh.xyz[vertex][1] = vertex / (nx + 1) % (ny + 1);
        mesh.xyz[vertex][2] = vertex / (nx + 1) / (ny + 1);
    }
    uint32_t element = 0;
    for (uint32_t k = 0; k < nz; k++) {
        for (uint32_t j = 0; j < ny; j++) {
            for (uint32_t i = 0; i < nx; i++) {
                uint32_t cube[8];
                for (uint32_t c = 0; c < 8; c++) {
                    cube[c] =
                        ((k + cube_corner[c][2]) * (ny + 1) + j + cube_corner[c][1]) * (nx + 1) + i + cube_corner[c][0];
                }
                element = add_cube(&mesh, element, cube, cut, (i + j + k) % 2 != 0);
            }
        }
    }
    return mesh;
}

/* Two triangles of the quadrilateral a-b-c-d. */
static void add_quadrilateral(struct test_mesh *mesh, uint32_t element, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    uint32_t corners[6] = {a, b, c, a, c, d};
    memcpy(mesh->corners + (size_t)element * 3, corners, sizeof corners);
}

/* Indices only: all positions are zero, they play no part in the topology. */
struct test_mesh make_torus(uint32_t rings, uint32_t sides)
{
    struct test_mesh mesh = empty_mesh(rings * sides, rings * sides * 2, 3);
    for (uint32_t ring = 0; ring < rings; ring++) {
        for (uint32_t side = 0; side < sides; side++) {
            uint32_t next_ring = (ring + 1) % rings, next_side = (side + 1) % sides;
            add_quadrilateral(&mesh, (ring * sides + side) * 2, ring * sides + side, next_ring * sides + side,
                              next_ring * sides + next_side, ring * sides + next_side);
        }
    }
    return mesh;
}

struct test_mesh make_moebius_strip(uint32_t length)
{
    struct test_mesh mesh = empty_mesh(length * 2, length * 2, 3);
    for (uint32_t i = 0; i < length; i++) {
        uint32_t low = 2 * i, high = 2 * i + 1;
        bool last = i + 1 == length;
        uint32_t next_low = last ? 1 : low + 2, next_high = last ? 0 : high + 2;
        add_quadrilateral(&mesh, i * 2, low, next_low, next_high, high);
    }
    return mesh;
}

dent_body_def solid_def_of(const struct test_mesh *mesh, const char *name)
{
    dent_body_def def = dent_solid_def_default();
    def.name = name;
    def.vertex_count = mesh->vertex_count;
    def.element_count = mesh->element_count;
    def.element_corners = mesh->corners;
    def.cell_kinds = mesh->kinds;
    def.positions_t0 = dent_positions_double(&mesh->xyz[0][0]);
    return def;
}

dent_body_def surface_def_of(const struct test_mesh *mesh, const char *name)
{
    dent_body_def def = solid_def_of(mesh, name);
    def.kind = DENT_BODY_SURFACE;
    return def;
}

struct body *make_body_of(dent_context *context, const dent_body_def *def)
{
    struct message message = {0};
    struct body *body = NULL;
    dent_status status = body_create(context, def, 0, 0, NULL, &message, &body);
    if (status != DENT_OK) {
        fail_msg("body_create: %s", message.text);
    }
    return body;
}
