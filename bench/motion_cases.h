/* The queries of bench_motion and of the race against FCL: two bodies of about N triangles, bumpy balls or bumpy rings of
 * radius 1, and steps in which one flies past the other, both turning. Made by code from a seed: the same everywhere.
 *
 * near: the way of one centre passes the other at 0.8 to 2.3 radii; from about half of these something touches. far: at 6
 * to 12 radii. Both bodies start and end apart. C and C++. */
#ifndef DENT_BENCH_MOTION_CASES_H
#define DENT_BENCH_MOTION_CASES_H

#include <dent/motion.h>

#include <math.h>
#include <stdlib.h>

struct motion_case_body {
    uint32_t vertex_count, triangle_count;
    double *positions;
    uint32_t *triangles;
};

struct motion_case_step {
    dent_pose a_t0, a_t1, b_t0, b_t1;
};

static inline double motion_case_between(dent_random *random, double low, double high)
{
    return low + (high - low) * dent_random_unit(random);
}

/* A closed grid of `rings` x `around` points; is_ring: closed both ways, a torus; else a ball with two poles. */
static inline void motion_case_point(bool is_ring, uint32_t rings, uint32_t around, uint32_t r, uint32_t i, double p[3])
{
    const double pi = 3.14159265358979323846;
    double a = 2 * pi * i / around;
    double b = is_ring ? 2 * pi * r / rings : pi * (r + 1) / (rings + 1);
    double bump = 1 + 0.06 * sin(5 * a + 1) * sin(6 * b) + 0.03 * cos(11 * a) * cos(9 * b);
    if (is_ring) {
        double wire = 0.3 * bump;
        p[0] = (0.68 + wire * cos(a)) * cos(b);
        p[1] = (0.68 + wire * cos(a)) * sin(b);
        p[2] = wire * sin(a);
    } else {
        double radius = bump / 1.09;
        p[0] = radius * sin(b) * cos(a);
        p[1] = radius * sin(b) * sin(a);
        p[2] = radius * cos(b);
    }
}

static inline void motion_case_triangle(struct motion_case_body *body, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t *corners = body->triangles + 3 * (size_t)body->triangle_count++;
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

/* False: no memory. About `triangles` of them, at least 40. */
static inline bool motion_case_body_create(struct motion_case_body *body, uint32_t triangles, bool is_ring)
{
    uint32_t around = (uint32_t)(sqrt(triangles / 2.0) + 0.5);
    around = around < 4 ? 4 : around;
    uint32_t rings = (triangles / 2 + around / 2) / around;
    rings = rings < 4 ? 4 : rings;
    body->vertex_count = rings * around + (is_ring ? 0 : 2);
    body->triangle_count = 0;
    body->positions = (double *)malloc((size_t)body->vertex_count * 3 * sizeof(double));
    body->triangles = (uint32_t *)malloc((size_t)(rings + 1) * around * 2 * 3 * sizeof(uint32_t));
    if (body->positions == NULL || body->triangles == NULL) {
        return false;
    }
    for (uint32_t r = 0; r < rings; r++) {
        for (uint32_t i = 0; i < around; i++) {
            motion_case_point(is_ring, rings, around, r, i, body->positions + 3 * (size_t)(r * around + i));
        }
    }
    for (uint32_t r = 0; r < (is_ring ? rings : rings - 1); r++) {
        for (uint32_t i = 0; i < around; i++) {
            uint32_t a = r * around + i, b = r * around + (i + 1) % around;
            uint32_t c = (r + 1) % rings * around + i, d = (r + 1) % rings * around + (i + 1) % around;
            motion_case_triangle(body, a, c, d);
            motion_case_triangle(body, a, d, b);
        }
    }
    if (!is_ring) {
        uint32_t north = rings * around, south = north + 1, last = (rings - 1) * around;
        const double poles[6] = {0, 0, 1 / 1.09, 0, 0, -1 / 1.09};
        for (int k = 0; k < 6; k++) {
            body->positions[3 * (size_t)north + (size_t)k] = poles[k];
        }
        for (uint32_t i = 0; i < around; i++) {
            motion_case_triangle(body, north, i, (i + 1) % around);
            motion_case_triangle(body, south, last + (i + 1) % around, last + i);
        }
    }
    return true;
}

static inline void motion_case_body_release(struct motion_case_body *body)
{
    free(body->positions);
    free(body->triangles);
}

/* A unit vector. */
static inline void motion_case_direction(dent_random *random, double direction[3])
{
    double length;
    do {
        length = 0;
        for (int k = 0; k < 3; k++) {
            direction[k] = motion_case_between(random, -1, 1);
            length += direction[k] * direction[k];
        }
    } while (length > 1 || length < 0.01);
    for (int k = 0; k < 3; k++) {
        direction[k] /= sqrt(length);
    }
}

/* Any rotation, and one that is `degrees` at most away from it. */
static inline void motion_case_turns(dent_random *random, double degrees, dent_pose *start, dent_pose *end)
{
    double axis[3], angle = motion_case_between(random, 0, 2 * 3.14159265358979323846);
    *start = dent_pose_identity();
    motion_case_direction(random, axis);
    start->rotation[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) {
        start->rotation[1 + k] = sin(angle / 2) * axis[k];
    }
    dent_pose turn = dent_pose_identity();
    angle = motion_case_between(random, 0, degrees) * 3.14159265358979323846 / 180;
    motion_case_direction(random, axis);
    turn.rotation[0] = cos(angle / 2);
    for (int k = 0; k < 3; k++) {
        turn.rotation[1 + k] = sin(angle / 2) * axis[k];
    }
    *end = dent_pose_product(&turn, start);
}

static inline struct motion_case_step motion_case_random_step(dent_random *random, bool is_near, double degrees)
{
    struct motion_case_step step;
    double along[3], across[3], dot = 0;
    motion_case_turns(random, degrees, &step.a_t0, &step.a_t1);
    motion_case_turns(random, degrees, &step.b_t0, &step.b_t1);
    motion_case_direction(random, along);
    do {
        motion_case_direction(random, across);
        dot = along[0] * across[0] + along[1] * across[1] + along[2] * across[2];
    } while (dot > 0.9 || dot < -0.9);
    double miss = is_near ? motion_case_between(random, 0.8, 2.3) : motion_case_between(random, 6, 12);
    for (int k = 0; k < 3; k++) {
        double side = (across[k] - dot * along[k]) / sqrt(1 - dot * dot) * miss;
        step.b_t0.translation[k] = side - 2.4 * along[k];
        step.b_t1.translation[k] = side + 2.4 * along[k];
    }
    return step;
}

#endif
