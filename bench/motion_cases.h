/* The cases of the motion benchmark, shared by bench_motion.c and the peer programs: meshes and motions that are a
 * function of a few numbers, in plain C without the library, so that others can run the same.
 *
 * A case is two bodies. `motion_case_mesh` makes body 0 or 1 (a ball with bumps, about `triangles` triangles, radius
 * about 1); `motion_case_poses` gives start and end pose of both: rotation as a unit quaternion w, x, y, z,
 * translation.
 *
 *   FAR      they pass each other at several radii
 *   NEAR     they pass each other with a gap of a few hundredths of a radius
 *   CONTACT  they collide on the way
 *   SPIN     one spins beside the other and just misses it
 */
#ifndef DENT_BENCH_MOTION_CASES_H
#define DENT_BENCH_MOTION_CASES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

enum motion_case_kind { MOTION_CASE_FAR, MOTION_CASE_NEAR, MOTION_CASE_CONTACT, MOTION_CASE_SPIN, MOTION_CASE_KINDS };

static inline const char *motion_case_name(int kind)
{
    static const char *const names[] = {"far", "near", "contact", "spin"};
    return names[kind];
}

struct motion_case_mesh {
    uint32_t vertex_count, triangle_count;
    double (*vertices)[3];
    uint32_t (*triangles)[3];
};

struct motion_case_pose {
    double rotation[4], translation[3];
};

static inline uint64_t motion_case_bits(uint64_t *state)
{
    uint64_t z = (*state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return z ^ (z >> 31);
}

/* In [-1, 1). */
static inline double motion_case_random(uint64_t *state)
{
    return (double)(motion_case_bits(state) >> 11) * 0x1p-52 - 1;
}

/* Distance of the surface from the middle in a direction: between 0.82 and 1. */
static inline double motion_case_radius(int body, double x, double y, double z)
{
    double waves = body ? 5.0 : 4.0;
    return 0.91 + 0.03 * (sin(waves * x + 1) + sin(waves * y + 2) + sin(waves * z + 3));
}

/* A ball of rings and segments with bumps. False: out of memory. */
static inline int motion_case_make_mesh(int body, uint32_t triangles, struct motion_case_mesh *mesh)
{
    uint32_t rings = 3;
    while (4 * (rings + 1) * rings <= triangles) { /* 2 * segments * (rings - 1) with segments = 2 rings */
        rings++;
    }
    uint32_t segments = 2 * rings;
    mesh->vertex_count = segments * (rings - 1) + 2;
    mesh->triangle_count = 2 * segments * (rings - 1);
    mesh->vertices = (double(*)[3])malloc(mesh->vertex_count * sizeof *mesh->vertices); /* cast: C++ reads this too */
    mesh->triangles = (uint32_t(*)[3])malloc(mesh->triangle_count * sizeof *mesh->triangles);
    if (!mesh->vertices || !mesh->triangles) {
        return 0;
    }
    uint32_t south = mesh->vertex_count - 1, t = 0;
    for (uint32_t v = 0; v < mesh->vertex_count; v++) {
        uint32_t ring = v == 0       ? 0
                        : v == south ? rings
                                     : (v - 1) / segments + 1,
                 segment = v == 0 ? 0 : (v - 1) % segments;
        double polar = 3.14159265358979323846 * ring / rings, around = 6.28318530717958647692 * segment / segments;
        double x = sin(polar) * cos(around), y = sin(polar) * sin(around), z = cos(polar);
        double radius = motion_case_radius(body, x, y, z);
        mesh->vertices[v][0] = radius * x;
        mesh->vertices[v][1] = radius * y;
        mesh->vertices[v][2] = radius * z;
    }
    for (uint32_t segment = 0; segment < segments; segment++) {
        uint32_t next = (segment + 1) % segments;
        for (uint32_t ring = 0; ring < rings; ring++) {
            uint32_t a = ring == 0 ? 0 : 1 + (ring - 1) * segments + segment;
            uint32_t b = ring == 0 ? 0 : 1 + (ring - 1) * segments + next;
            uint32_t c = ring == rings - 1 ? south : 1 + ring * segments + segment;
            uint32_t d = ring == rings - 1 ? south : 1 + ring * segments + next;
            if (ring > 0) {
                mesh->triangles[t][0] = a;
                mesh->triangles[t][1] = c;
                mesh->triangles[t++][2] = b;
            }
            if (ring < rings - 1) {
                mesh->triangles[t][0] = b;
                mesh->triangles[t][1] = c;
                mesh->triangles[t++][2] = d;
            }
        }
    }
    return 1;
}

static inline void motion_case_free_mesh(struct motion_case_mesh *mesh)
{
    free(mesh->vertices);
    free(mesh->triangles);
}

static inline void motion_case_unit(uint64_t *state, double *v, int count)
{
    double squares = 0;
    while (squares < 0.05) {
        squares = 0;
        for (int k = 0; k < count; k++) {
            v[k] = motion_case_random(state);
            squares += v[k] * v[k];
        }
    }
    for (int k = 0; k < count; k++) {
        v[k] /= sqrt(squares);
    }
}

/* Start and end of body 0 and 1: poses[body][end]. `number` picks one of many motions of the kind. */
static inline void motion_case_poses(int kind, uint32_t number, struct motion_case_pose poses[2][2])
{
    uint64_t state = (uint64_t)kind * 1000003 + number;
    double direction[3], across[3], turn[3], angle;
    motion_case_unit(&state, direction, 3);
    motion_case_unit(&state, across, 3);
    double along = direction[0] * across[0] + direction[1] * across[1] + direction[2] * across[2], length = 0;
    for (int k = 0; k < 3; k++) {
        across[k] -= along * direction[k];
        length += across[k] * across[k];
    }
    for (int body = 0; body < 2; body++) {
        motion_case_unit(&state, poses[body][0].rotation, 4);
        motion_case_unit(&state, turn, 3);
        angle = kind == MOTION_CASE_SPIN ? (body ? 0 : 3.0) : 0.5 * (1 + motion_case_random(&state));
        double w = cos(0.5 * angle), s = sin(0.5 * angle);
        const double *q = poses[body][0].rotation;
        double *r = poses[body][1].rotation;
        r[0] = w * q[0] - s * (turn[0] * q[1] + turn[1] * q[2] + turn[2] * q[3]);
        r[1] = w * q[1] + s * (turn[0] * q[0] + turn[1] * q[3] - turn[2] * q[2]);
        r[2] = w * q[2] + s * (turn[1] * q[0] + turn[2] * q[1] - turn[0] * q[3]);
        r[3] = w * q[3] + s * (turn[2] * q[0] + turn[0] * q[2] - turn[1] * q[1]);
        double side = kind == MOTION_CASE_FAR       ? 6
                      : kind == MOTION_CASE_NEAR    ? 1.95
                      : kind == MOTION_CASE_CONTACT ? 0.7
                                                    : 2.01;
        double way = kind == MOTION_CASE_SPIN ? 0.02 : 2;
        for (int k = 0; k < 3; k++) {
            double beside = body ? side * across[k] / sqrt(length) : 0;
            poses[body][0].translation[k] = beside + (body ? -way : way) * direction[k];
            poses[body][1].translation[k] = beside + (body ? way : -way) * direction[k];
        }
    }
}

#endif
