/* Random solids for the contour walk: blobs of cubes cut into tetrahedra, bent, cracked, linked and injured, of every
 * kind that its argument has to survive. A scene is a function of (kind, seed).
 */
#ifndef DENT_TESTS_RANDOM_SOLIDS_H
#define DENT_TESTS_RANDOM_SOLIDS_H

#include "support/random_scene.h"

enum solid_kind {
    SOLIDS_NESTED,          /* a small body inside a large one */
    SOLIDS_CROSS_IN_THIRD,  /* A crosses B, both inside C */
    SOLIDS_CAVITY,          /* a hollow body, another in the hollow or through its wall */
    SOLIDS_PARTS,           /* one body of several parts, some inside others */
    SOLIDS_HANDLES,         /* rings with a bar through the hole or the flesh */
    SOLIDS_LINKED,          /* two rings, linked or crossing */
    SOLIDS_HELIX,           /* a bar wound up to three times, through itself */
    SOLIDS_HELIX_AND_OTHER, /* and another body across it */
    SOLIDS_CRACKS,          /* closed cracks inside whose faces went through each other */
    SOLIDS_BLOBS,           /* random cubes: edges and corners where several parts meet */
    SOLIDS_SPIKE,           /* a spike with one vertex inside */
    SOLIDS_SPIKE_THROUGH,   /* a spike with no vertex inside */
    SOLIDS_FOLD_AND_OTHER,  /* folded through itself and across another */
    SOLIDS_COPIES,          /* identical, or nearly */
    SOLIDS_TOUCHING,        /* lattices that share planes exactly */
    SOLIDS_CRUMPLED,        /* every vertex moved at random: inverted cells */
    SOLIDS_OVERFULL,        /* cells that turn about a surface edge further than once */
    SOLIDS_STRIP,           /* a strip of cells around one corner, winding over itself */
    SOLIDS_KIND_COUNT
};

static inline const char *solid_kind_name(int kind)
{
    static const char *const names[SOLIDS_KIND_COUNT] = {"nested",
                                                         "crossing in a third",
                                                         "cavity",
                                                         "several parts",
                                                         "handles",
                                                         "linked rings",
                                                         "helix",
                                                         "helix and another",
                                                         "cracks",
                                                         "blobs",
                                                         "spike",
                                                         "spike through",
                                                         "fold and another",
                                                         "copies",
                                                         "touching",
                                                         "crumpled",
                                                         "overfull edges",
                                                         "overfull corners"};
    return names[kind];
}

static inline double solid_uniform(dent_random *random, double lo, double hi)
{
    return lo + (hi - lo) * ((double)(dent_random_bits(random) >> 11) * 0x1p-53);
}

/* ---- cubes ----------------------------------------------------------------------------------- */

enum { VOXELS_MAX = 512 };

struct voxels {
    uint32_t size[3];
    uint8_t filled[VOXELS_MAX];
};

static inline struct voxels voxel_block(uint32_t x, uint32_t y, uint32_t z)
{
    struct voxels voxels = {{x, y, z}, {0}};
    memset(voxels.filled, 1, sizeof voxels.filled);
    return voxels;
}

static inline void voxel_clear(struct voxels *voxels, uint32_t x, uint32_t y, uint32_t z)
{
    voxels->filled[(z * voxels->size[1] + y) * voxels->size[0] + x] = 0;
}

/* Six tetrahedra to a cube along its long diagonal: conforms everywhere. Only vertices in use are made. */
static inline struct test_body *voxel_body(struct test_scene *scene, const struct voxels *voxels)
{
    static const uint8_t paths[6][2] = {{1, 3}, {3, 2}, {2, 6}, {6, 4}, {4, 5}, {5, 1}};
    const uint32_t *n = voxels->size;
    uint32_t cubes = 0, vertices = 0, nodes = (n[0] + 1) * (n[1] + 1) * (n[2] + 1);
    uint32_t *number = test_allocate(nodes, sizeof *number);
    for (uint32_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        cubes += voxels->filled[i];
    }
    struct test_body *body =
        test_scene_new_body(scene, DENT_BODY_SOLID, nodes + 32, cubes * 6, cubes * 24); /* room for cracks */
    uint32_t *corner = body->corners;
    for (uint32_t i = 0; i < n[0] * n[1] * n[2]; i++) {
        uint32_t at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]}, node[8];
        if (!voxels->filled[i]) {
            continue;
        }
        for (uint32_t k = 0; k < 8; k++) {
            uint32_t p[3] = {at[0] + (k & 1), at[1] + (k >> 1 & 1), at[2] + (k >> 2)};
            uint32_t id = (p[2] * (n[1] + 1) + p[1]) * (n[0] + 1) + p[0];
            if (number[id] == 0) {
                number[id] = ++vertices;
                for (int axis = 0; axis < 3; axis++) {
                    body->xyz[vertices - 1][axis] = p[axis];
                }
            }
            node[k] = number[id] - 1;
        }
        for (int t = 0; t < 6; t++) {
            *corner++ = node[0];
            *corner++ = node[paths[t][0]];
            *corner++ = node[paths[t][1]];
            *corner++ = node[7];
        }
    }
    body->vertex_count = vertices;
    free(number);
    return body;
}

/* ---- maps ------------------------------------------------------------------------------------ */

static inline void solid_move(struct test_body *body, double scale, double x, double y, double z)
{
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        body->xyz[i][0] = body->xyz[i][0] * scale + x;
        body->xyz[i][1] = body->xyz[i][1] * scale + y;
        body->xyz[i][2] = body->xyz[i][2] * scale + z;
    }
}

static inline void solid_jitter(struct test_body *body, dent_random *random, double size)
{
    for (uint32_t i = 0; i < body->vertex_count * 3; i++) {
        body->xyz[i / 3][i % 3] += solid_uniform(random, -size, size);
    }
}

/* A rotation near the given one is as good as it: tests need no exact cosine. */
static inline void solid_turn(struct test_body *body, dent_random *random)
{
    double a = solid_uniform(random, -3, 3), b = solid_uniform(random, -3, 3);
    double ca = cos(a), sa = sin(a), cb = cos(b), sb = sin(b);
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        double *p = body->xyz[i], x = p[0] * ca - p[1] * sa, y = p[0] * sa + p[1] * ca, z = p[2];
        p[0] = x;
        p[1] = y * cb - z * sb;
        p[2] = y * sb + z * cb;
    }
}

/* Winds a bar along x around the z axis: `turns` times over its length, rising by `pitch` a turn. */
static inline void solid_wind(struct test_body *body, double length, double radius, double turns, double pitch)
{
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        double *p = body->xyz[i], angle = p[0] / length * turns * 6.283185307179586, r = radius + p[1];
        double z = p[2] + pitch * turns * p[0] / length;
        p[0] = r * cos(angle);
        p[1] = -r * sin(angle);
        p[2] = z;
    }
}

/* ---- kinds ----------------------------------------------------------------------------------- */

static inline struct test_body *solid_block(struct test_scene *scene, dent_random *random, uint32_t most)
{
    struct voxels voxels =
        voxel_block(1 + (uint32_t)dent_random_below(random, most), 1 + (uint32_t)dent_random_below(random, most),
                    1 + (uint32_t)dent_random_below(random, most));
    return voxel_body(scene, &voxels);
}

static inline struct test_body *solid_ring(struct test_scene *scene)
{
    struct voxels voxels = voxel_block(3, 3, 1);
    voxel_clear(&voxels, 1, 1, 0);
    return voxel_body(scene, &voxels);
}

/* A body with a closed crack: the faces inside one layer belong to the cells on one side only, and the two copies of
 * the vertices between them are moved past each other. */
static inline void solid_crack(struct test_scene *scene, dent_random *random)
{
    struct voxels voxels = voxel_block(3, 3, 2);
    struct test_body *body = voxel_body(scene, &voxels);
    uint32_t count = body->vertex_count;
    double depth = solid_uniform(random, -0.1, 0.45);
    for (uint32_t i = 0; i < count; i++) {
        double *p = body->xyz[i];
        bool inside = p[2] == 1 && p[0] > 0 && p[0] < 3 && p[1] > 0 && p[1] < 3;
        if (!inside) {
            continue;
        }
        uint32_t copy = body->vertex_count++;
        memcpy(body->xyz[copy], p, sizeof body->xyz[copy]);
        for (uint32_t cell = 0; cell < body->element_count; cell++) {
            uint32_t *corners = body->corners + 4 * cell;
            double highest = 0;
            for (int k = 0; k < 4; k++) {
                highest = body->xyz[corners[k]][2] > highest ? body->xyz[corners[k]][2] : highest;
            }
            for (int k = 0; k < 4 && highest > 1; k++) {
                corners[k] = corners[k] == i ? copy : corners[k];
            }
        }
    }
    for (uint32_t i = 0; i < body->vertex_count; i++) {
        bool inside = body->xyz[i][2] == 1 && body->xyz[i][0] > 0 && body->xyz[i][0] < 3 && body->xyz[i][1] > 0 &&
                      body->xyz[i][1] < 3;
        body->xyz[i][2] += inside ? (i < count ? depth : -depth) : 0;
    }
    solid_jitter(body, random, 0.04);
}

static inline void solid_spike(struct test_scene *scene, dent_random *random, double depth)
{
    struct test_body *block = solid_block(scene, random, 2);
    solid_jitter(block, random, 0.05);
    struct voxels bar = voxel_block(1, 1, 3);
    struct test_body *spike = voxel_body(scene, &bar);
    double x = solid_uniform(random, 0.1, 0.8), y = solid_uniform(random, 0.1, 0.8);
    for (uint32_t i = 0; i < spike->vertex_count; i++) {
        double *p = spike->xyz[i];
        double width = depth > 1.5 ? 0.02 : 0.3 * p[2];
        p[0] = x + (p[0] - 0.5) * width;
        p[1] = y + (p[1] - 0.5) * width;
        p[2] = depth > 1.5 ? -1 + p[2] * (depth + 1) / 3 * 1.5 : 1.2 - depth + p[2];
    }
    solid_jitter(spike, random, 0.005);
}

/* k thin cells around one edge that together turn by `turns`: an open fan, overfull beyond one turn. */
static inline void solid_fan(struct test_scene *scene, dent_random *random, double turns)
{
    uint32_t cells = 3 + (uint32_t)dent_random_below(random, 5) + (turns > 1.2 ? 3 : 0);
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SOLID, cells + 3, cells, cells * 4);
    body->xyz[0][2] = 0;
    body->xyz[1][2] = 1;
    for (uint32_t i = 0; i <= cells; i++) {
        double angle = turns * 6.283185307179586 * i / cells, radius = solid_uniform(random, 0.8, 1.2);
        double *p = body->xyz[2 + i];
        p[0] = radius * cos(angle);
        p[1] = radius * sin(angle);
        p[2] = solid_uniform(random, 0.2, 0.8);
    }
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t corners[4] = {0, 1, 2 + i, 3 + i};
        memcpy(body->corners + 4 * i, corners, sizeof corners);
    }
}

/* Cells that all have one corner: seen from it a strip of triangles that winds around and over itself. */
static inline void solid_strip(struct test_scene *scene, dent_random *random)
{
    uint32_t cells = 4 + (uint32_t)dent_random_below(random, 12);
    double turns = solid_uniform(random, 0.6, 1.6), tilt = solid_uniform(random, 0.3, 1.2),
           rise = solid_uniform(random, -0.3, 0.3);
    struct test_body *body = test_scene_new_body(scene, DENT_BODY_SOLID, cells + 3, cells, cells * 4);
    for (uint32_t i = 0; i < cells + 2; i++) {
        double angle = turns * 6.283185307179586 * i / (cells + 1), radius = solid_uniform(random, 0.7, 1.3);
        double height = (i % 2 ? tilt : -tilt) * 0.7 + rise * i / cells;
        double *p = body->xyz[1 + i];
        p[0] = radius * cos(angle) * cos(height);
        p[1] = radius * sin(angle) * cos(height);
        p[2] = radius * sin(height);
    }
    for (uint32_t i = 0; i < cells; i++) {
        uint32_t corners[4] = {0, 1 + i, 2 + i + (i % 2), 3 + i - (i % 2)};
        memcpy(body->corners + 4 * i, corners, sizeof corners);
    }
}

static inline void solid_blob(struct test_scene *scene, dent_random *random, uint32_t size, uint32_t percent)
{
    struct voxels voxels = voxel_block(size, size, size);
    for (uint32_t i = 0; i < size * size * size; i++) {
        voxels.filled[i] = dent_random_below(random, 100) < percent;
    }
    voxels.filled[0] = 1;
    solid_jitter(voxel_body(scene, &voxels), random, solid_uniform(random, 0, 0.3));
}

static inline void solids_make_nested(struct test_scene *scene, dent_random *random)
{
    struct test_body *a, *b;
    a = solid_block(scene, random, 3);
    b = solid_block(scene, random, 2);
    solid_move(b, solid_uniform(random, 0.1, 0.3), solid_uniform(random, 0, 0.5), solid_uniform(random, 0, 0.5),
               solid_uniform(random, 0, 0.5));
    solid_jitter(a, random, 0.1);
}

static inline void solids_make_cross_in_third(struct test_scene *scene, dent_random *random)
{
    struct test_body *a, *b;
    struct voxels voxels;
    a = solid_block(scene, random, 2);
    b = solid_block(scene, random, 2);
    solid_move(a, 0.5, 0.5, 0.5, 0.5);
    solid_move(b, 0.5, solid_uniform(random, 0.4, 1), solid_uniform(random, 0.4, 1),
               solid_uniform(random, 0.4, 1));
    solid_jitter(a, random, 0.05);
    voxels = voxel_block(2, 2, 2);
    solid_move(voxel_body(scene, &voxels), 1.3, 0, 0, solid_uniform(random, -0.3, 0.2));
}

static inline void solids_make_cavity(struct test_scene *scene, dent_random *random)
{
    struct test_body *a, *b;
    struct voxels voxels;
    voxels = voxel_block(3, 3, 3);
    voxel_clear(&voxels, 1, 1, 1);
    a = voxel_body(scene, &voxels);
    solid_jitter(a, random, 0.1);
    b = solid_block(scene, random, 2);
    solid_move(b, 0.4, solid_uniform(random, 0.8, 1.5), solid_uniform(random, 0.8, 1.5),
               solid_uniform(random, 0.2, 1.5));
}

static inline void solids_make_parts(struct test_scene *scene, dent_random *random, uint64_t seed)
{
    struct test_body *a;
    struct voxels voxels;
    voxels = voxel_block(5, 2, 2);
    for (uint32_t i = 0; i < 4; i++) {
        voxel_clear(&voxels, 2, i % 2, i / 2);
    }
    a = voxel_body(scene, &voxels);
    for (uint32_t i = 0; i < a->vertex_count; i++) { /* the second part shrinks and slides into the first */
        if (a->xyz[i][0] >= 3) {
            a->xyz[i][0] = 0.3 + (a->xyz[i][0] - 3) * 0.6 + (seed % 3 == 0 ? 0.7 : 0);
            a->xyz[i][1] = 0.3 + a->xyz[i][1] * 0.6;
            a->xyz[i][2] = 0.3 + a->xyz[i][2] * 0.6;
        }
    }
    solid_jitter(a, random, 0.05);
    solid_block(scene, random, 2);
}

static inline void solids_make_handles(struct test_scene *scene, dent_random *random)
{
    struct test_body *b;
    struct voxels voxels;
    solid_jitter(solid_ring(scene), random, 0.1);
    voxels = voxel_block(1, 1, 3);
    b = voxel_body(scene, &voxels);
    solid_move(b, solid_uniform(random, 0.3, 0.9), solid_uniform(random, 0.5, 1.6),
               solid_uniform(random, 0.5, 1.6), -1);
}

static inline void solids_make_linked(struct test_scene *scene, dent_random *random)
{
    struct test_body *b;
    solid_jitter(solid_ring(scene), random, 0.1);
    b = solid_ring(scene);
    for (uint32_t i = 0; i < b->vertex_count; i++) {
        double y = b->xyz[i][1];
        b->xyz[i][1] = b->xyz[i][2];
        b->xyz[i][2] = -y;
    }
    solid_move(b, solid_uniform(random, 0.5, 1.1), solid_uniform(random, -1, 2), solid_uniform(random, 0.5, 1.5),
               solid_uniform(random, 0.5, 2.5));
}

static inline void solids_make_helix(struct test_scene *scene, dent_random *random, int kind)
{
    struct test_body *a, *b;
    struct voxels voxels;
    voxels = voxel_block(16, 1, 1);
    a = voxel_body(scene, &voxels);
    solid_wind(a, 16, 2, solid_uniform(random, 0.9, 3), solid_uniform(random, 0, 0.8));
    solid_jitter(a, random, 0.03);
    if (kind == SOLIDS_HELIX_AND_OTHER) {
        b = solid_block(scene, random, 2);
        solid_move(b, 1, solid_uniform(random, -3, 2), solid_uniform(random, -3, 2),
                   solid_uniform(random, -1, 1));
    }
}

static inline void solids_make_cracks(struct test_scene *scene, dent_random *random, uint64_t seed)
{
    struct test_body *b;
    solid_crack(scene, random);
    if (seed % 2) {
        b = solid_block(scene, random, 2);
        solid_move(b, 0.8, solid_uniform(random, -0.5, 2.5), solid_uniform(random, -0.5, 2.5),
                   solid_uniform(random, -0.5, 1.5));
    }
}

static inline void solids_make_blobs(struct test_scene *scene, dent_random *random)
{
    solid_blob(scene, random, 3, 50);
    solid_blob(scene, random, 2, 60);
    solid_move(&scene->bodies[1], 1, solid_uniform(random, 0, 2), solid_uniform(random, 0, 2),
               solid_uniform(random, 0, 2));
}

static inline void solids_make_fold_and_other(struct test_scene *scene, dent_random *random)
{
    struct test_body *a, *b;
    struct voxels voxels;
    voxels = voxel_block(10, 2, 1);
    a = voxel_body(scene, &voxels);
    solid_wind(a, 10, 1.6, solid_uniform(random, 0.95, 1.3), 0.1);
    solid_jitter(a, random, 0.03);
    b = solid_block(scene, random, 3);
    solid_move(b, 0.8, solid_uniform(random, -2, 1.5), solid_uniform(random, -2, 1.5),
               solid_uniform(random, -1, 1));
}

static inline void solids_make_copies(struct test_scene *scene, dent_random *random, uint64_t seed, int kind)
{
    struct test_body *a;
    solid_block(scene, random, 3);
    *random = dent_random_seeded(seed * 64 + (uint64_t)kind + 77000000);
    a = solid_block(scene, random, 3);
    if (seed % 3) {
        solid_jitter(a, random, seed % 3 == 1 ? 1e-9 : 0.05);
    }
}

static inline void solids_make_touching(struct test_scene *scene, dent_random *random, uint64_t seed)
{
    struct test_body *a;
    solid_block(scene, random, 3);
    a = solid_block(scene, random, 3);
    solid_move(a, seed % 4 == 0 ? 0.5 : 1, (double)dent_random_below(random, 4) - (seed % 4 == 0 ? 0.5 : 1),
               (double)dent_random_below(random, 3) - 1, (double)dent_random_below(random, 3) - 1);
}

static inline void solids_make_crumpled(struct test_scene *scene, dent_random *random)
{
    struct test_body *a, *b;
    a = solid_block(scene, random, 3);
    solid_jitter(a, random, solid_uniform(random, 0.2, 0.9));
    b = solid_block(scene, random, 2);
    solid_jitter(b, random, solid_uniform(random, 0.1, 0.7));
    solid_move(b, 1, solid_uniform(random, 0, 1.5), solid_uniform(random, 0, 1.5),
               solid_uniform(random, 0, 1.5));
}

static inline void solids_make_overfull(struct test_scene *scene, dent_random *random, uint64_t seed)
{
    struct test_body *b;
    solid_fan(scene, random, solid_uniform(random, 0.7, 1.9));
    if (seed % 2) {
        b = solid_block(scene, random, 2);
        solid_move(b, 0.5, solid_uniform(random, -1, 0.6), solid_uniform(random, -1, 0.6),
                   solid_uniform(random, -0.3, 0.6));
    }
}

/* A vertex pulled through its cells. */
static inline void solids_injure(struct test_scene *scene, dent_random *random)
{
    struct test_body *hurt = &scene->bodies[dent_random_below(random, scene->body_count)];
    double *p = hurt->xyz[dent_random_below(random, hurt->vertex_count)];
    for (int axis = 0; axis < 3; axis++) {
        p[axis] += solid_uniform(random, -1.5, 1.5);
    }
}

static inline void solids_make(struct test_scene *scene, int kind, uint64_t seed)
{
    dent_random random = dent_random_seeded(seed * 64 + (uint64_t)kind + 77000000);
    *scene = (struct test_scene){0};
    switch ((enum solid_kind)kind) {
    case SOLIDS_NESTED:
        solids_make_nested(scene, &random);
        break;
    case SOLIDS_CROSS_IN_THIRD:
        solids_make_cross_in_third(scene, &random);
        break;
    case SOLIDS_CAVITY:
        solids_make_cavity(scene, &random);
        break;
    case SOLIDS_PARTS:
        solids_make_parts(scene, &random, seed);
        break;
    case SOLIDS_HANDLES:
        solids_make_handles(scene, &random);
        break;
    case SOLIDS_LINKED:
        solids_make_linked(scene, &random);
        break;
    case SOLIDS_HELIX:
    case SOLIDS_HELIX_AND_OTHER:
        solids_make_helix(scene, &random, kind);
        break;
    case SOLIDS_CRACKS:
        solids_make_cracks(scene, &random, seed);
        break;
    case SOLIDS_BLOBS:
        solids_make_blobs(scene, &random);
        break;
    case SOLIDS_SPIKE:
        solid_spike(scene, &random, solid_uniform(&random, 0.3, 0.9));
        break;
    case SOLIDS_SPIKE_THROUGH:
        solid_spike(scene, &random, 3);
        break;
    case SOLIDS_FOLD_AND_OTHER:
        solids_make_fold_and_other(scene, &random);
        break;
    case SOLIDS_COPIES:
        solids_make_copies(scene, &random, seed, kind);
        break;
    case SOLIDS_TOUCHING:
        solids_make_touching(scene, &random, seed);
        break;
    case SOLIDS_CRUMPLED:
        solids_make_crumpled(scene, &random);
        break;
    case SOLIDS_OVERFULL:
        solids_make_overfull(scene, &random, seed);
        break;
    case SOLIDS_STRIP:
        solid_strip(scene, &random);
        break;
    case SOLIDS_KIND_COUNT:
        break;
    }
    if (seed % 5 == 4 && kind != SOLIDS_TOUCHING && kind != SOLIDS_COPIES) { /* injuries for every other kind */
        solids_injure(scene, &random);
    }
    if (seed % 7 == 3) {
        solid_turn(&scene->bodies[0], &random);
        if (scene->body_count > 1) {
            random = dent_random_seeded(seed);
        }
    }
}

#endif
