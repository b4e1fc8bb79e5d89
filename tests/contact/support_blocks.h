/* Blocks of cubes cut into tetrahedra, and their surfaces, for the tests of depth and contacts: plain arrays that a
 * test moves as it likes. */
#ifndef DENT_TESTS_CONTACT_SUPPORT_BLOCKS_H
#define DENT_TESTS_CONTACT_SUPPORT_BLOCKS_H

#include <dent/dent.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct block {
    uint32_t vertex_count, element_count;
    double (*xyz)[3];
    uint32_t *corners;
    bool surface;
    uint32_t size[3];
};

static inline uint32_t block_vertex(const struct block *block, uint32_t x, uint32_t y, uint32_t z)
{
    return (z * (block->size[1] + 1) + y) * (block->size[0] + 1) + x;
}

/* nx * ny * nz unit cubes at the origin, six tetrahedra each (along the long diagonal), all positive. */
static inline struct block block_make(uint32_t nx, uint32_t ny, uint32_t nz)
{
    static const uint8_t paths[6][4][3] = {
        {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {1, 1, 1}}, {{0, 0, 0}, {0, 1, 0}, {0, 1, 1}, {1, 1, 1}},
        {{0, 0, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}}, {{0, 0, 0}, {1, 1, 0}, {0, 1, 0}, {1, 1, 1}},
        {{0, 0, 0}, {0, 1, 1}, {0, 0, 1}, {1, 1, 1}}, {{0, 0, 0}, {1, 0, 1}, {1, 0, 0}, {1, 1, 1}}};
    struct block block = {.size = {nx, ny, nz}};
    block.vertex_count = (nx + 1) * (ny + 1) * (nz + 1);
    block.element_count = 6 * nx * ny * nz;
    block.xyz = malloc(block.vertex_count * sizeof *block.xyz);
    block.corners = malloc((size_t)block.element_count * 4 * sizeof *block.corners);
    uint32_t *corner = block.corners;
    for (uint32_t z = 0; z <= nz; z++) {
        for (uint32_t y = 0; y <= ny; y++) {
            for (uint32_t x = 0; x <= nx; x++) {
                double *p = block.xyz[block_vertex(&block, x, y, z)];
                p[0] = x;
                p[1] = y;
                p[2] = z;
                for (int i = 0; i < 24 && x < nx && y < ny && z < nz; i++) {
                    const uint8_t *step = paths[i / 4][i % 4];
                    *corner++ = block_vertex(&block, x + step[0], y + step[1], z + step[2]);
                }
            }
        }
    }
    return block;
}

static inline void block_free(struct block *block)
{
    free(block->xyz);
    free(block->corners);
}

/* x -> origin + columns * x */
static inline void block_map(struct block *block, const double columns[3][3], const double origin[3])
{
    for (uint32_t v = 0; v < block->vertex_count; v++) {
        double p[3] = {block->xyz[v][0], block->xyz[v][1], block->xyz[v][2]};
        for (int axis = 0; axis < 3; axis++) {
            block->xyz[v][axis] =
                origin[axis] + ((columns[0][axis] * p[0] + columns[1][axis] * p[1]) + columns[2][axis] * p[2]);
        }
    }
}

static inline void block_move(struct block *block, double x, double y, double z)
{
    for (uint32_t v = 0; v < block->vertex_count; v++) {
        block->xyz[v][0] += x;
        block->xyz[v][1] += y;
        block->xyz[v][2] += z;
    }
}

static inline dent_body_id block_add(dent_world *world, const struct block *block)
{
    dent_body_def def = block->surface ? dent_surface_def_default() : dent_solid_def_default();
    def.vertex_count = block->vertex_count;
    def.element_count = block->element_count;
    def.element_corners = block->corners;
    def.positions_t0 = dent_positions_double(block->xyz[0]);
    dent_body_id id = {0};
    dent_status status = dent_world_add_body(world, &def, &id);
    if (status != DENT_OK) {
        fprintf(stderr, "block_add: %s\n", dent_world_message(world));
        abort();
    }
    return id;
}

/* The surface of a solid block as a closed surface body, with the same vertices in the same places. */
static inline struct block block_surface(dent_context *context, const struct block *solid)
{
    dent_world *world = dent_world_create(context);
    dent_body_id id = block_add(world, solid);
    uint32_t count;
    const dent_surface_face *faces = dent_body_surface_faces(world, id, &count);
    struct block surface = {.vertex_count = solid->vertex_count, .element_count = count, .surface = true};
    surface.xyz = malloc(solid->vertex_count * sizeof *surface.xyz);
    surface.corners = malloc((size_t)count * 3 * sizeof *surface.corners);
    memcpy(surface.xyz, solid->xyz, solid->vertex_count * sizeof *surface.xyz);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(surface.corners + 3 * (size_t)i, faces[i].corners, 3 * sizeof *surface.corners);
    }
    dent_world_destroy(world);
    return surface;
}

static inline double uniform(dent_random *random, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(dent_random_bits(random) >> 11) * 0x1p-53);
}

/* A random rotation: a random quaternion, normalised. */
static inline void random_rotation(dent_random *random, double columns[3][3])
{
    double q[4], length = 0;
    while (length < 0.1 || length > 1) {
        length = 0;
        for (int k = 0; k < 4; k++) {
            q[k] = uniform(random, -1, 1);
            length += q[k] * q[k];
        }
    }
    length = sqrt(length);
    double w = q[0] / length, x = q[1] / length, y = q[2] / length, z = q[3] / length;
    double m[3][3] = {{1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y)},
                      {2 * (x * y - w * z), 1 - 2 * (x * x + z * z), 2 * (y * z + w * x)},
                      {2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y)}};
    memcpy(columns, m, sizeof m);
}

static inline dent_context *block_context(uint32_t threads, dent_isa isa)
{
    dent_context_def def = dent_context_def_default();
    def.thread_count = threads;
    def.isa = isa;
    return dent_context_create(&def, NULL);
}

static inline uint32_t test_rounds(uint32_t standard)
{
    return getenv("DENT_QUICK_TESTS") ? (standard + 9) / 10 : getenv("DENT_LONG_TESTS") ? standard * 10 : standard;
}

#endif
