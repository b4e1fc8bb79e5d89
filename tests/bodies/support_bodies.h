/* What the tests of bodies share: contexts with a watched allocator, and small meshes whose counts are known. */
#ifndef SUPPORT_BODIES_H
#define SUPPORT_BODIES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dent/base.h>

#include "bodies/body_data.h"
#include "bodies/body_table.h"

/* Counts what is taken, checks that blocks come back with their size, and fails the request number `fail_at` (1, 2, …)
 * and all later ones; 0: never. */
struct watched_memory {
    uint64_t requests, fail_at;
    uint64_t blocks, bytes, peak_bytes, largest_request;
};

dent_context *watched_context(struct watched_memory *memory);
/* Fails the test when memory is still held. */
void end_watched_context(dent_context *context, struct watched_memory *memory);

/* A mesh that owns its arrays (C library memory, test only). */
struct test_mesh {
    uint32_t vertex_count, element_count;
    double (*xyz)[3];
    uint32_t *corners;
    uint8_t *kinds; /* null: tetrahedra or triangles */
};

enum cube_cut { CUBE_FIVE, CUBE_SIX, CUBE_HEXAHEDRA };

/* nx * ny * nz unit cubes, vertices x fastest. Five tetrahedra a cube with alternating parity, six round the main
 * diagonal, or hexahedra. */
struct test_mesh make_bar(uint32_t nx, uint32_t ny, uint32_t nz, enum cube_cut cut);
/* Indices without positions: a closed torus of rings * sides * 2 triangles; a strip of 2 * length triangles closed with
 * a half twist. */
struct test_mesh make_torus(uint32_t rings, uint32_t sides);
struct test_mesh make_moebius_strip(uint32_t length);
void free_mesh(struct test_mesh *mesh);

dent_body_def solid_def_of(const struct test_mesh *mesh, const char *name);
dent_body_def surface_def_of(const struct test_mesh *mesh, const char *name);

/* Creates a body that must be good. */
struct body *make_body_of(dent_context *context, const dent_body_def *def);

#define assert_contains(text, part)                                                                                    \
    do {                                                                                                               \
        if (!strstr((text), (part))) {                                                                                 \
            fail_msg("\"%s\" does not contain \"%s\"", (text), (part));                                                \
        }                                                                                                              \
    } while (0)

#endif
